/* The event of a finding in the HTML report: its bytes, and its fields as they are in them. What
 * the rule requires is marked. */
#include <inttypes.h>
#include <stdio.h>

#include "common/describe.h"
#include "common/packed.h"
#include "reports/html_parts.h"
#include "reports/walk.h"

/* A line of the drawing has so many bits, each so wide; letters are some 7 wide. */
enum { LINE_BITS = 32, BIT_WIDTH = 28, BOX_HEIGHT = 24, RULER = 14, LETTER = 7, NAME_TEXT = 64 };

/* Fields beyond are not drawn. */
enum { MOST_FIELDS = 256, MOST_CELLS = 256 };

struct drawing {
    struct assay_html *html;
    const struct assay_rule_total *total;
    const struct assay_kind *kind;
    const struct assay_event *event;
    uint32_t bits;                                    /* that the event's copy holds */
    struct assay_packed_position places[MOST_FIELDS]; /* of the kind's fields; of no width: it is
                                                         not in the bytes */
};

/* "off" where the rule requires something of the field, "read" where it reads it otherwise. */
static const char *part_of(const struct drawing *d, const struct assay_field *field)
{
    const struct assay_rule *rule = d->total->rule;
    const size_t kind = (size_t)d->event->kind;
    const size_t number = (size_t)(field - d->kind->fields);
    const char *part = "";
    for (uint16_t i = 0; i < rule->evidence_count; i++) {
        const struct assay_leaf *leaf = &d->total->catalogue->leaves[rule->evidence[i]];
        if (leaf->what != ASSAY_LEAF_FIELD || leaf->fields == NULL ||
            leaf->fields[kind] != number + 1) {
            continue;
        }
        if (assay_leaf_required(rule, rule->evidence[i])) {
            return "off";
        }
        part = "read";
    }
    return part;
}

/* Whether the event's bytes give its packed fields by the plan: not so where they are cut off, or a
 * format has a way of its own to read them. */
static bool agrees(const struct drawing *d, const struct assay_packing *plan)
{
    uint64_t cells[MOST_CELLS] = {0};
    struct assay_unpacked unpacked;
    struct assay_event event = *d->event;
    if (assay_kind_cells(d->kind) > MOST_CELLS || d->bits == 0) {
        return false;
    }
    assay_unpack(plan, d->event->bytes, d->bits, cells, &unpacked);
    event.cells = cells;
    for (uint32_t n = 0; n < plan->count; n++) {
        const struct assay_field *field = plan->steps[n].field;
        if (assay_field_get(field, &event) != assay_field_get(field, d->event)) {
            return false;
        }
    }
    return true;
}

/* Where a field is in the event's bytes: at a constant bit, or where the fields before it end. */
static void find_places(struct drawing *d, const struct assay_parameter_values *parameters)
{
    struct assay_packing plan;
    struct assay_packed_position packed[ASSAY_MAX_PACKED_FIELDS] = {{0}};
    size_t next = 0;
    const bool planned = parameters != NULL && d->kind->presence != 0 &&
                         assay_packing_plan(d->kind, parameters->value, parameters->table->count,
                                            &plan, NULL) == ASSAY_OK &&
                         agrees(d, &plan);
    if (planned) {
        assay_packing_positions(&plan, d->event->cells, packed);
    }
    for (size_t i = 0; i < d->kind->field_count && i < MOST_FIELDS; i++) {
        const struct assay_field *field = &d->kind->fields[i];
        struct assay_packed_position place = {0};
        if (field->place == ASSAY_AT_BIT && (field->flags & ASSAY_VIEW) == 0) {
            place = (struct assay_packed_position){.bit = field->bit, .width = field->width};
        } else if (field->place == ASSAY_PACKED && planned && next < plan.count) {
            place = packed[next++];
        }
        /* Bits that sign extension restores are in no byte. */
        d->places[i] =
            place.bit + place.width <= d->bits ? place : (struct assay_packed_position){0};
    }
}

static const struct assay_packed_position *place_of(const struct drawing *d,
                                                    const struct assay_field *field)
{
    static const struct assay_packed_position nowhere = {0};
    const size_t number = (size_t)(field - d->kind->fields);
    return number < MOST_FIELDS ? &d->places[number] : &nowhere;
}

/* --- the drawing --- */

static void put_box(const struct drawing *d, const struct assay_field *field, unsigned from,
                    unsigned to)
{
    const struct assay_packed_position *place = place_of(d, field);
    const unsigned line = from / LINE_BITS;
    /* Bit 0 is at the right. */
    const unsigned x = (LINE_BITS - 1 - (to - 1) % LINE_BITS) * BIT_WIDTH;
    const unsigned y = line * (BOX_HEIGHT + RULER) + RULER;
    const unsigned width = (to - from) * BIT_WIDTH;
    const size_t room = width / LETTER;
    char name[NAME_TEXT];
    snprintf(name, sizeof name, "%.*s", (int)(room < sizeof name ? room : sizeof name),
             field->name);
    assay_sink_printf(d->html->sink,
                      "<g class=\"field %s%s\"><title>%s, bits %u to %u</title><rect x=\"%u\" "
                      "y=\"%u\" width=\"%u\" height=\"%d\"/><text x=\"%u\" y=\"%u\">%s</text>"
                      "<text class=\"bit\" x=\"%u\" y=\"%u\">%u</text></g>\n",
                      part_of(d, field), (field->flags & ASSAY_RESERVED) != 0 ? " reserved" : "",
                      field->name, place->bit, place->bit + place->width - 1, x, y, width,
                      (int)BOX_HEIGHT, x + width / 2, y + 16, name, x + width / 2, y - 3, to - 1);
}

/* Lines of 32 bits; of a field that goes on in the next line each part is a box. */
static void put_drawing(const struct drawing *d)
{
    unsigned last = 0;
    for (size_t i = 0; i < d->kind->field_count; i++) {
        const struct assay_packed_position *place = place_of(d, &d->kind->fields[i]);
        last =
            place->width > 0 && place->bit + place->width > last ? place->bit + place->width : last;
    }
    if (last == 0) {
        return;
    }
    const unsigned lines = (last + LINE_BITS - 1) / LINE_BITS;
    assay_sink_printf(d->html->sink,
                      "<svg class=\"bits\" viewBox=\"0 0 %d %u\" role=\"img\" aria-label=\"Fields "
                      "of the %s\">\n",
                      LINE_BITS * BIT_WIDTH, lines * (BOX_HEIGHT + RULER) + 2, d->kind->name);
    for (size_t i = 0; i < d->kind->field_count; i++) {
        const struct assay_field *field = &d->kind->fields[i];
        unsigned from = place_of(d, field)->bit;
        const unsigned end = from + place_of(d, field)->width;
        while (from < end) {
            const unsigned line_end = (from / LINE_BITS + 1) * LINE_BITS;
            const unsigned to = line_end < end ? line_end : end;
            put_box(d, field, from, to);
            from = to;
        }
    }
    assay_sink_text(d->html->sink, "</svg>\n");
}

/* --- the table --- */

static bool is_told(const struct drawing *d, const struct assay_field *field)
{
    if (field->width > 64 || (field->flags & ASSAY_VIEW) != 0) {
        return false;
    }
    return place_of(d, field)->width > 0 ||
           (field->place == ASSAY_PACKED && assay_field_present(d->kind, field, d->event)) ||
           (field->place == ASSAY_DERIVED && part_of(d, field)[0] != '\0');
}

static void put_row(const struct drawing *d, const struct assay_field *field)
{
    struct assay_sink *sink = d->html->sink;
    const char *part = part_of(d, field);
    const struct assay_packed_position *place = place_of(d, field);
    char value[NAME_TEXT];
    uint64_t magnitude;
    const bool negative = assay_field_negative(d->kind, field, d->event, &magnitude);
    assay_value_text(field, magnitude, value, sizeof value);
    assay_sink_printf(sink, "<tr class=\"%s\"><th scope=\"row\">%s</th><td>", part, field->name);
    if (place->width > 0) {
        assay_sink_printf(sink, place->width == 1 ? "%u" : "%u to %u", (unsigned)place->bit,
                          (unsigned)place->bit + place->width - 1);
    } else {
        assay_sink_text(sink, field->place == ASSAY_PACKED ? "packed" : "derived");
    }
    assay_sink_printf(sink, "</td><td>%s", negative ? "-" : "");
    assay_html_text(sink, value);
    assay_sink_printf(sink, "</td><td>%s</td><td>",
                      part[0] == 'o'   ? "required"
                      : part[0] == 'r' ? "condition"
                                       : "");
    assay_html_text(sink, field->doc != NULL ? field->doc : "");
    assay_sink_text(sink, "</td></tr>\n");
}

static void put_table(const struct drawing *d)
{
    struct assay_sink *sink = d->html->sink;
    bool begun = false;
    for (size_t i = 0; i < d->kind->field_count; i++) {
        if (!is_told(d, &d->kind->fields[i])) {
            continue;
        }
        if (!begun) {
            assay_sink_text(sink, "<div class=\"wide\"><table class=\"fields\">\n<thead><tr>"
                                  "<th scope=\"col\">field</th><th scope=\"col\">bits</th>"
                                  "<th scope=\"col\">value</th><th scope=\"col\">rule</th>"
                                  "<th scope=\"col\">meaning</th></tr></thead>\n<tbody>\n");
            begun = true;
        }
        put_row(d, &d->kind->fields[i]);
    }
    assay_sink_text(sink, begun ? "</tbody>\n</table></div>\n" : "");
}

static void put_bytes(const struct drawing *d)
{
    struct assay_sink *sink = d->html->sink;
    const uint32_t bytes = (d->bits + 7) / 8;
    assay_sink_text(sink, "<p class=\"bytes\">");
    for (uint32_t i = 0; i < bytes; i++) {
        assay_sink_printf(sink, "%02x ", d->event->bytes[i]);
    }
    assay_sink_text(sink, bytes == ASSAY_SHOWN_BYTES ? "...</p>\n" : "</p>\n");
}

void assay_html_fields(struct assay_html *html, const struct assay_rule_total *total,
                       const struct assay_located_finding *placed)
{
    const struct assay_format *format = total->catalogue->format;
    const struct assay_event *event = placed->finding->event;
    const struct assay_stream_result *stream =
        &html->results->inputs[placed->input].streams[placed->stream];
    const uint32_t bits = event->bits > format->lead_bits ? event->bits - format->lead_bits : 0;
    struct drawing drawing = {.html = html,
                              .total = total,
                              .kind = &format->kinds[event->kind],
                              .event = event,
                              .bits = bits < ASSAY_SHOWN_BYTES * 8 ? bits : ASSAY_SHOWN_BYTES * 8};
    /* An event of a layer above has no bytes, and its line says what its fields are. */
    if (drawing.bits == 0 || drawing.kind->layer > 0) {
        return;
    }
    find_places(&drawing, stream->parameters);
    put_bytes(&drawing);
    put_drawing(&drawing);
    put_table(&drawing);
}
