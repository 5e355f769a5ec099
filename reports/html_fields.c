/* The event of a finding in the HTML report: its bytes, and its fields as they are in them. What
 * the rule requires is marked. */
#include <inttypes.h>
#include <stdio.h>

#include "model/describe.h"
#include "model/packed.h"
#include "reports/html_parts.h"
#include "reports/walk.h"

/* A line of the drawing has so many bits, each so wide; letters are some 7 wide. */
enum { LINE_BITS = 32, BIT_WIDTH = 28, BOX_HEIGHT = 24, RULER = 14, LETTER = 7, NAME_TEXT = 64 };

/* Pieces beyond are not drawn. */
enum { MOST_PIECES = 320 };

struct drawing {
    struct assay_html *html;
    const struct assay_rule_total *total;
    const struct assay_kind *kind;
    const struct assay_event *event;
    uint32_t bits; /* that the event's copy holds */
    struct assay_bit_piece pieces[MOST_PIECES];
    size_t count;
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

static void add_piece(struct drawing *d, const struct assay_field *field, uint32_t bit,
                      uint32_t width)
{
    if (d->count < MOST_PIECES) {
        d->pieces[d->count++] =
            (struct assay_bit_piece){.field = field, .bit = bit, .width = width};
    }
}

/* Bits that sign extension restores are in no byte. */
static void drop_missing(struct drawing *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->count; i++) {
        struct assay_bit_piece piece = d->pieces[i];
        const uint32_t room = piece.bit < d->bits ? d->bits - piece.bit : 0;
        piece.width = piece.width < room ? piece.width : room;
        if (piece.width > 0) {
            d->pieces[kept++] = piece;
        }
    }
    d->count = kept;
}

static void find_pieces(struct drawing *d, const struct assay_parameter_values *parameters)
{
    const struct assay_format *format = d->total->catalogue->format;
    struct assay_event held = *d->event;
    held.bits = d->bits;
    for (size_t i = 0; i < d->kind->field_count; i++) {
        const struct assay_field *field = &d->kind->fields[i];
        if (field->place == ASSAY_AT_BIT && (field->flags & ASSAY_VIEW) == 0) {
            add_piece(d, field, field->bit, field->width);
        }
    }
    if (format->pieces != NULL) {
        d->count += format->pieces(&held, parameters, d->pieces + d->count, MOST_PIECES - d->count);
    }
    drop_missing(d);
}

/* The next piece of a field after one of its pieces, or the first one (null); null: there is none.
 */
static const struct assay_bit_piece *next_piece(const struct drawing *d,
                                                const struct assay_field *field,
                                                const struct assay_bit_piece *piece)
{
    const struct assay_bit_piece *end = d->pieces + d->count;
    piece = piece != NULL ? piece + 1 : d->pieces;
    while (piece < end && piece->field != field) {
        piece++;
    }
    return piece < end ? piece : NULL;
}

/* --- the drawing --- */

static void put_box(const struct drawing *d, const struct assay_bit_piece *piece, unsigned from,
                    unsigned to)
{
    const struct assay_field *field = piece->field;
    const unsigned line = from / LINE_BITS;
    /* Bit 0 is at the right. */
    const unsigned x = (LINE_BITS - 1 - (to - 1) % LINE_BITS) * BIT_WIDTH;
    const unsigned y = line * (BOX_HEIGHT + RULER) + RULER;
    const unsigned width = (to - from) * BIT_WIDTH;
    const size_t room = width / LETTER;
    char name[NAME_TEXT];
    char bits[NAME_TEXT];
    snprintf(name, sizeof name, "%.*s", (int)(room < sizeof name ? room : sizeof name),
             field->name);
    snprintf(bits, sizeof bits, piece->width == 1 ? "bit %u" : "bits %u to %u", piece->bit,
             piece->bit + piece->width - 1);
    assay_sink_printf(d->html->sink,
                      "<g class=\"field %s%s\"><title>%s, %s</title><rect x=\"%u\" "
                      "y=\"%u\" width=\"%u\" height=\"%d\"/><text x=\"%u\" y=\"%u\">%s</text>"
                      "<text class=\"bit\" x=\"%u\" y=\"%u\">%u</text></g>\n",
                      part_of(d, field), (field->flags & ASSAY_RESERVED) != 0 ? " reserved" : "",
                      field->name, bits, x, y, width, (int)BOX_HEIGHT, x + width / 2, y + 16, name,
                      x + width / 2, y - 3, to - 1);
}

/* Lines of 32 bits; of a piece that goes on in the next line each part is a box. */
static void put_drawing(const struct drawing *d)
{
    unsigned last = 0;
    for (size_t i = 0; i < d->count; i++) {
        const unsigned end = d->pieces[i].bit + d->pieces[i].width;
        last = end > last ? end : last;
    }
    if (last == 0) {
        return;
    }
    const unsigned lines = (last + LINE_BITS - 1) / LINE_BITS;
    assay_sink_printf(d->html->sink,
                      "<svg class=\"bits\" viewBox=\"0 0 %d %u\" role=\"img\" aria-label=\"Fields "
                      "of the %s\">\n",
                      LINE_BITS * BIT_WIDTH, lines * (BOX_HEIGHT + RULER) + 2, d->kind->name);
    for (size_t i = 0; i < d->count; i++) {
        unsigned from = d->pieces[i].bit;
        const unsigned end = from + d->pieces[i].width;
        while (from < end) {
            const unsigned line_end = (from / LINE_BITS + 1) * LINE_BITS;
            const unsigned to = line_end < end ? line_end : end;
            put_box(d, &d->pieces[i], from, to);
            from = to;
        }
    }
    assay_sink_text(d->html->sink, "</svg>\n");
}

/* --- the table --- */

/* What is drawn, what the rule reads, and what is packed elsewhere, as in the header that a
 * container has before the packet, unless it is 0. */
static bool is_told(const struct drawing *d, const struct assay_field *field)
{
    if (field->width > 64 || (field->flags & ASSAY_VIEW) != 0) {
        return false;
    }
    const bool present =
        field->place == ASSAY_DERIVED ||
        (field->place == ASSAY_PACKED && assay_field_present(d->kind, field, d->event));
    const bool elsewhere = field->place == ASSAY_PACKED && assay_field_get(field, d->event) != 0;
    return next_piece(d, field, NULL) != NULL ||
           (present && (elsewhere || part_of(d, field)[0] != '\0'));
}

/* "8 to 14, 16": of each piece. */
static void put_bits(const struct drawing *d, const struct assay_field *field)
{
    const struct assay_bit_piece *piece = NULL;
    const char *before = "";
    while ((piece = next_piece(d, field, piece)) != NULL) {
        assay_sink_printf(d->html->sink, piece->width == 1 ? "%s%u" : "%s%u to %u", before,
                          (unsigned)piece->bit, (unsigned)piece->bit + piece->width - 1);
        before = ", ";
    }
    if (before[0] == '\0') {
        assay_sink_text(d->html->sink, field->place == ASSAY_PACKED ? "-" : "derived");
    }
}

static void put_row(const struct drawing *d, const struct assay_field *field)
{
    struct assay_sink *sink = d->html->sink;
    const char *part = part_of(d, field);
    char value[NAME_TEXT];
    uint64_t magnitude;
    const bool negative = assay_field_negative(d->kind, field, d->event, &magnitude);
    assay_value_text(field, magnitude, value, sizeof value);
    assay_sink_printf(sink, "<tr class=\"%s\"><th scope=\"row\">%s</th><td>", part, field->name);
    put_bits(d, field);
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
    find_pieces(&drawing, stream->parameters);
    put_bytes(&drawing);
    put_drawing(&drawing);
    put_table(&drawing);
}
