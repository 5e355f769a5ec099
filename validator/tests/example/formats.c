/* The list of reference/formats.c, of the example alone: a program
 * that has this object takes no other list out of the library. */
#include <stddef.h>

#include "model/model.h"

#define ASSAY_FORMAT(name) extern const struct assay_format assay_format_##name;
#include "formats.def"
#undef ASSAY_FORMAT

const struct assay_format *const assay_formats[] = {
#define ASSAY_FORMAT(name) &assay_format_##name,
#include "formats.def"
#undef ASSAY_FORMAT
    NULL,
};
