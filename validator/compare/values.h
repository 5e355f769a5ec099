/* Values of fields in events, as JSON, of which one side writes numbers and names as it likes. */
#ifndef ASSAY_COMPARE_VALUES_H
#define ASSAY_COMPARE_VALUES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

/* The number that a value is: an integer, a boolean, or a text "0x..." or "-0x..."; a negative one
 * as its two's complement in 64 bits. False: it is none. */
bool assay_value_number(const json_t *value, uint64_t *number);

/* The same of a value of a field, which can be the name of one. `field` can be null. */
bool assay_value_of_field(const struct assay_field *field, const json_t *value, uint64_t *number);

/* Whether two values of a field are the same one: numbers however they are written (16, "0x10", 1,
 * true), numbers in place of their names, and bytes in digits of either case. */
bool assay_values_equal(const struct assay_field *field, const json_t *expected,
                        const json_t *found);

#endif
