#include "validator/vector/event_json.h"

#include <inttypes.h>

#include "model/packed.h"

/* Integers beyond 2^53 are not exact in every reader of JSON: fields that can pass it are strings.
 */
enum { EXACT_BITS = 53 };

void assay_events_head(const struct assay_format *format, const char *layer,
                       struct assay_sink *sink)
{
    assay_sink_printf(sink,
                      "{\"schema\": \"assay-events/1\", \"format\": \"%s\", \"version\": \"%s\", "
                      "\"layer\": \"%s\"}\n",
                      format->name, format->version, layer != NULL ? layer : "all");
}

static void put_hex(const uint8_t *bytes, size_t size, struct assay_sink *sink)
{
    assay_sink_text(sink, "\"");
    for (size_t i = 0; i < size; i++) {
        assay_sink_printf(sink, "%02x", bytes[i]);
    }
    assay_sink_text(sink, "\"");
}

/* A tail is a text, in hexadecimal as all texts of traces are, or a list of 64-bit numbers. */
static void put_tail(const struct assay_format *format, const struct assay_field *field,
                     const struct assay_event *event, struct assay_sink *sink)
{
    size_t size;
    const uint8_t *bytes = assay_field_tail(format, field, event, &size);
    assay_sink_printf(sink, ", \"%s\": ", field->name);
    if ((field->flags & ASSAY_TEXT) != 0) {
        put_hex(bytes, size, sink);
        return;
    }
    for (size_t i = 0; i + 8 <= size; i += 8) {
        assay_sink_printf(sink, "%s\"0x%" PRIx64 "\"", i == 0 ? "[" : ", ",
                          assay_load64(bytes + i));
    }
    assay_sink_text(sink, size < 8 ? "[]" : "]");
}

static void put_value(const struct assay_kind *kind, const struct assay_field *field,
                      const struct assay_event *event, struct assay_sink *sink)
{
    uint64_t magnitude = 0;
    const uint64_t value = field->type != ASSAY_BYTES ? assay_field_get(field, event) : 0;
    const char *name = assay_enum_name(field->names, value);
    assay_sink_printf(sink, ", \"%s\": ", field->name);
    if (field->type == ASSAY_BYTES) {
        put_hex(event->bytes + field->bit / 8u, field->width / 8u, sink);
    } else if (name != NULL) {
        assay_sink_printf(sink, "\"%s\"", name);
    } else if (assay_field_negative(kind, field, event, &magnitude)) {
        assay_sink_printf(sink, field->width > EXACT_BITS ? "\"-0x%" PRIx64 "\"" : "-%" PRIu64,
                          magnitude);
    } else if (field->width > EXACT_BITS) {
        assay_sink_printf(sink, "\"0x%" PRIx64 "\"", value);
    } else {
        assay_sink_printf(sink, "%" PRIu64, value);
    }
}

static void put_derived(const struct assay_kind *kind, const struct assay_event *event,
                        struct assay_sink *sink)
{
    bool any = false;
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct assay_field *field = &kind->fields[i];
        /* A flag that is not set, or a number that is 0, says nothing here. */
        if (field->place != ASSAY_DERIVED || assay_field_get(field, event) == 0) {
            continue;
        }
        if (!any) {
            assay_sink_text(sink, ", \"derived\": {\"of\": \"decoder\"");
        }
        any = true;
        put_value(kind, field, event, sink);
    }
    assay_sink_text(sink, any ? "}" : "");
}

void assay_event_json(const struct assay_format *format, const struct assay_event *event,
                      struct assay_sink *sink)
{
    const struct assay_kind *kind = &format->kinds[event->kind];
    assay_sink_printf(sink,
                      "{\"i\": %" PRIu64 ", \"at\": %" PRIu64
                      ", \"bits\": %u, \"layer\": \"%s\", \"kind\": \"%s\"",
                      event->index, event->offset, event->bits, format->layers[kind->layer],
                      kind->name);
    assay_sink_text(sink, kind->is_derived ? ", \"is_derived\": true" : "");
    if (event->kind == ASSAY_KIND_MALFORMED) {
        assay_sink_printf(sink, ", \"code\": \"%s\"", format->faults[event->fault - 1].name);
    }
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct assay_field *field = &kind->fields[i];
        if (field->place == ASSAY_TAIL) {
            put_tail(format, field, event, sink);
        } else if (field->place != ASSAY_DERIVED && assay_field_present(kind, field, event) &&
                   (field->flags & (ASSAY_CONSTANT | ASSAY_VIEW)) == 0) {
            put_value(kind, field, event, sink);
        } else if (event->kind == ASSAY_KIND_MALFORMED) {
            put_value(kind, field, event, sink);
        }
    }
    if (event->kind != ASSAY_KIND_MALFORMED) {
        put_derived(kind, event, sink);
    }
    assay_sink_text(sink, "}\n");
}

void assay_events_end(uint64_t events, bool complete, struct assay_sink *sink)
{
    assay_sink_printf(sink, "{\"kind\": \"end\", \"events\": %" PRIu64 ", \"complete\": %s}\n",
                      events, complete ? "true" : "false");
}
