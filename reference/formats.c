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
