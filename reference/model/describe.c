#include "model/describe.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "model/packed.h"

void assay_append(char *out, size_t size, const char *format, ...)
{
    const size_t used = strlen(out);
    va_list args;
    va_start(args, format);
    vsnprintf(out + used, size - used, format, args);
    va_end(args);
}

void assay_value_text(const struct assay_field *field, uint64_t value, char *out, size_t size)
{
    const char *name = assay_enum_name(field->names, value);
    if (name != NULL) {
        snprintf(out, size, "%s", name);
    } else if (field->type == ASSAY_FLAG) {
        snprintf(out, size, "%s", value != 0 ? "true" : "false");
    } else if (field->type == ASSAY_UINT || field->type == ASSAY_ENUM) {
        snprintf(out, size, "%" PRIu64, value);
    } else if (field->type == ASSAY_BYTES) {
        snprintf(out, size, "%s", value != 0 ? "not zero" : "0");
    } else {
        snprintf(out, size, "0x%" PRIx64, value);
    }
}

void assay_escape(const uint8_t *text, size_t length, char *out, size_t size)
{
    size_t at = 0;
    for (size_t i = 0; i < length && at + 5 < size; i++) {
        if (text[i] >= 0x20 && text[i] < 0x7f && text[i] != '\\' && text[i] != '"') {
            out[at++] = (char)text[i];
        } else {
            at += (size_t)snprintf(out + at, size - at, "\\x%02x", text[i]);
        }
    }
    out[at] = '\0';
}

static void describe_bytes(const struct assay_field *field, const struct assay_event *event,
                           char *out, size_t size)
{
    char text[128];
    size_t length = field->width / 8u;
    const uint8_t *bytes = event->bytes + field->bit / 8;
    while (length > 0 && bytes[length - 1] == 0) {
        length--;
    }
    assay_escape(bytes, length, text, sizeof text);
    assay_append(out, size, "%s=\"%s\"", field->name, text);
}

/* Whether a value of 0 is worth showing: what the trace has, and in which state something was
 * executed (EL0, Secure state). An absent packed field reads as 0, too. */
static bool is_zero_told(const struct assay_kind *kind, const struct assay_field *field)
{
    const bool named = field->type == ASSAY_ENUM || field->type == ASSAY_UINT;
    if (field->place == ASSAY_DERIVED) {
        return kind->layer > 0 && named && field->track == ASSAY_TRACK_STATE;
    }
    return field->place == ASSAY_AT_BIT && field->type != ASSAY_FLAG &&
           (field->flags & ASSAY_RESERVED) == 0;
}

void assay_describe_fields(const struct assay_kind *kind, const struct assay_event *event,
                           char *out, size_t size)
{
    out[0] = '\0';
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct assay_field *field = &kind->fields[i];
        if (field->place == ASSAY_TAIL) {
            continue; /* only the format knows its length, and so its position */
        }
        const uint64_t value = assay_field_get(field, event);
        /* Events above the lowest layer, and those that are no bytes of the trace, have derived
         * fields only; so has `malformed`. */
        const bool derived = kind->layer > 0 || event->kind < ASSAY_KIND_FIRST || event->bits == 0;
        const bool told = (field->place != ASSAY_DERIVED || derived) &&
                          (field->flags & (ASSAY_CONSTANT | ASSAY_VIEW | ASSAY_QUIET)) == 0;
        if (!told || (value == 0 && !is_zero_told(kind, field))) {
            continue;
        }
        assay_append(out, size, "%s", out[0] != '\0' ? " " : "");
        if ((field->flags & ASSAY_TEXT) != 0) {
            describe_bytes(field, event, out, size);
        } else if (field->type == ASSAY_FLAG) {
            assay_append(out, size, "%s", field->name);
        } else {
            char text[64];
            uint64_t magnitude;
            const bool negative = assay_field_negative(kind, field, event, &magnitude);
            assay_value_text(field, magnitude, text, sizeof text);
            assay_append(out, size, "%s=%s%s", field->name, negative ? "-" : "", text);
        }
    }
}
