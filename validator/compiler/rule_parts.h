/* A rule file holds rules of one format, or is a list of such parts: mappings with `rules`,
 * `format` and `state`. */
#ifndef ASSAY_VALIDATOR_RULE_PARTS_H
#define ASSAY_VALIDATOR_RULE_PARTS_H

#include "common/yaml.h"

/* How many parts a file has; one when it is no list of parts. */
size_t assay_rule_parts(const struct assay_yaml *root);

const struct assay_yaml *assay_rule_part(const struct assay_yaml *root, size_t number);

#endif
