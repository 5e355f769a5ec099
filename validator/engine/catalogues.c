#include <stddef.h>

#include "validator/engine/catalogue.h"

#define ASSAY_FORMAT(name) extern const struct assay_catalogue assay_catalogue_##name;
#include "formats.def"
#undef ASSAY_FORMAT

const struct assay_catalogue *const assay_catalogues[] = {
#define ASSAY_FORMAT(name) &assay_catalogue_##name,
#include "formats.def"
#undef ASSAY_FORMAT
    NULL,
};

const struct assay_catalogue *assay_catalogue_of(const struct assay_format *format)
{
    for (size_t i = 0; assay_catalogues[i] != NULL; i++) {
        if (assay_catalogues[i]->format == format) {
            return assay_catalogues[i];
        }
    }
    return NULL;
}
