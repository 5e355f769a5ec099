/* Values and events as human-readable text. */
#ifndef ASSAY_COMMON_DESCRIBE_H
#define ASSAY_COMMON_DESCRIBE_H

#include "model/model.h"

/* Writes a value as users read it: 0x... for addresses, names for enumerations, true or false for
 * flags. Always null-terminated. */
void assay_value_text(const struct assay_field *field, uint64_t value, char *out, size_t size);

/* Appends text to a null-terminated buffer of `size` bytes; what does not fit is cut off. */
void assay_append(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes "name=value name=value" for an event; the default when a format has no describe().
 * Constant fields and views of other fields are left out, and in the lowest layer also derived
 * fields, except those of `malformed` and `end`. A field that is 0 is shown only if it is a number
 * or an enumeration at constant bits and is not reserved. A packed value with a sign is shown as a
 * signed number. */
void assay_describe_fields(const struct assay_kind *kind, const struct assay_event *event,
                           char *out, size_t size);

/* Copies text and writes every unprintable byte, quotation mark and backslash as \xNN. `out`, of
 * `size` bytes, is null-terminated; what does not fit is cut off. */
void assay_escape(const uint8_t *text, size_t length, char *out, size_t size);

#endif
