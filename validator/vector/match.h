/* Whether a decoded event is what a vector's list of events states. */
#ifndef ASSAY_VALIDATOR_MATCH_H
#define ASSAY_VALIDATOR_MATCH_H

#include "common/yaml.h"
#include "validator/vector/vector.h"

/* Compares an event with an item of the list: `kind`, `code` and fields by name; what the item does
 * not name is not compared. A field's value is stated as
 *
 *   flag                    true, false, 1 or 0
 *   number, address, name   a number, or the name of a value; of a packed field that has a sign
 *                           also a negative number
 *   bytes                   a text or {hex: "43 00"}; what it leaves of the field's length is 0
 *   tail                    a text, {hex: "43 00"} or a list of 64-bit numbers; all of the tail
 *
 * False when anything differs, or is stated in no way that the field has; `why` (or null) then
 * says what. */
bool assay_event_matches(const struct assay_format *format, const struct assay_event *event,
                         const struct assay_yaml *wanted, char *why, size_t size);

#endif
