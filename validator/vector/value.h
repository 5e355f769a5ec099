/* Values of fields as vectors write them. */
#ifndef ASSAY_VALIDATOR_VALUE_H
#define ASSAY_VALIDATOR_VALUE_H

#include "common/yaml.h"
#include "model/model.h"

/* The value of a field that is at most 64 bits wide: a number, or the name of a value; of a packed
 * field that has a sign also a negative number, which is held as model/packed.h says; of a flag
 * also true and false. False when it is none of these. */
bool assay_vector_value(const struct assay_field *field, const struct assay_yaml *node,
                        uint64_t *value);

#endif
