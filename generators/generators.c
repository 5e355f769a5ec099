#include "generators/generator.h"

#include <string.h>

#include "common/random.h"
#include "generators/random/model.h"

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

const struct assay_model *assay_model_of(const struct assay_generator *generator, const char *name)
{
    for (const struct assay_model *m = generator->models; m->name != NULL; m++) {
        if (strcmp(m->name, name) == 0) {
            return m;
        }
    }
    return NULL;
}

/* A random program has one thread, is executed once, and takes what its generator takes. */
uint64_t assay_model_takes(const struct assay_generator *generator, const struct assay_model *model)
{
    return model->make != NULL
               ? model->takes
               : (generator->takes | ASSAY_TAKES(limit) | ASSAY_TAKES(seed)) &
                     ~(ASSAY_TAKES(thread) | ASSAY_TAKES(all_threads) | ASSAY_TAKES(repeat));
}

enum assay_error assay_model_make(const struct assay_generator *generator,
                                  const struct assay_model *model,
                                  const struct assay_generate_settings *settings,
                                  struct assay_sink *trace, struct assay_sink *execution,
                                  struct assay_sink *facts, struct assay_generated *generated,
                                  struct assay_diag *diag)
{
    return model->make != NULL
               ? model->make(settings, trace, execution, facts, generated, diag)
               : assay_random_model(generator, model, settings, trace, execution, generated, diag);
}

const struct assay_generator *assay_source_generator(const struct assay_model_source *source)
{
    size_t i = 0;
    while (assay_generators[i] != NULL &&
           strcmp(assay_generators[i]->format->name, source->format) != 0) {
        i++;
    }
    return assay_generators[i];
}

struct assay_generate_settings assay_source_settings(const struct assay_model_source *source,
                                                     const struct assay_generate_settings *capture)
{
    struct assay_generate_settings settings = source->settings;
    const struct assay_generator *generator = assay_source_generator(source);
    uint64_t state = capture->seed ^ (uint64_t)source->id << 56;
    settings.seed = assay_random(&state);
    settings.limit = capture->limit;
    settings.source = source->id;
    settings.isa = generator != NULL ? assay_model_of(generator, source->model)->isa : 0;
    return settings;
}

enum assay_error assay_source_make(const struct assay_model_source *source,
                                   const struct assay_generate_settings *capture,
                                   struct assay_sink *trace, struct assay_sink *execution,
                                   struct assay_generated *generated, struct assay_diag *diag)
{
    const struct assay_generator *generator = assay_source_generator(source);
    const struct assay_generate_settings settings = assay_source_settings(source, capture);
    return generator != NULL
               ? assay_model_make(generator, assay_model_of(generator, source->model), &settings,
                                  trace, execution, NULL, generated, diag)
               : assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                            "this build does not have %s, which a source of the capture traces",
                            source->format);
}
