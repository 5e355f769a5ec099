#include "generators/generator.h"

#define ASSAY_GENERATOR(name) extern const struct assay_generator assay_generator_##name;
#include "generators/generators.def"
#undef ASSAY_GENERATOR

const struct assay_generator *const assay_generators[] = {
#define ASSAY_GENERATOR(name) &assay_generator_##name,
#include "generators/generators.def"
#undef ASSAY_GENERATOR
    NULL,
};

const struct assay_generator *assay_generator_of(const struct assay_format *format)
{
    for (size_t i = 0; assay_generators[i] != NULL; i++) {
        if (assay_generators[i]->format == format) {
            return assay_generators[i];
        }
    }
    return NULL;
}
