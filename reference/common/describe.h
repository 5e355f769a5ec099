/* Values and events as text for people. */
#ifndef ASSAY_COMMON_DESCRIBE_H
#define ASSAY_COMMON_DESCRIBE_H

#include "common/model.h"

/* A value as its field is read by people: 0x... for addresses, names for enumerations, true or
 * false for flags. Always terminated. */
void assay_value_text(const struct assay_field *field, uint64_t value, char *out, size_t size);

/* Appends text to a bounded, terminated buffer; what does not fit is cut. */
void assay_append(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "name=value name=value": the fields that are not constant and not views of others, and in the
 * lowest layer, except for `malformed` and `end`, not derived; of those that are 0 only numbers and
 * names at constant bits that are not reserved. A packed value with a sign is shown with it. What a
 * format's describe() falls back to. */
void assay_describe_fields(const struct assay_kind *kind, const struct assay_event *event,
                           char *out, size_t size);

/* Text bytes with everything unprintable as \xNN, at most `most` characters. */
void assay_escape(const uint8_t *text, size_t length, char *out, size_t size);

#endif
