/* The keys of an image in a YAML file, for manifests and vectors. */
#ifndef ASSAY_IMAGE_IMAGE_YAML_H
#define ASSAY_IMAGE_IMAGE_YAML_H

#include "common/yaml.h"
#include "image/image.h"

/* at, el, space, vmid, context, kind, bss, offset, length; ended by null. */
extern const char *const assay_image_keys[];

/* Takes one of these keys. ASSAY_WRONG_TYPE, ASSAY_OUT_OF_RANGE or ASSAY_UNKNOWN_NAME is reported
 * at the value's position, a key that is none of them at the key's. */
enum assay_error assay_image_key(struct assay_image_spec *spec, const struct assay_yaml *key,
                                 const struct assay_yaml *value, struct assay_diag *diag);

#endif
