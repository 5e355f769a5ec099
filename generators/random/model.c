#include "generators/random/model.h"

#include "common/source.h"

static enum assay_error generate(const struct assay_generator *generator,
                                 const struct assay_sink *recording,
                                 const struct assay_generate_settings *settings,
                                 struct assay_sink *trace, struct assay_generated *generated,
                                 struct assay_diag *diag)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    enum assay_error error = assay_source_memory(recording->data, recording->size, &source);
    error = error != ASSAY_OK ? error : assay_execution_open(source, &execution, diag);
    if (error == ASSAY_OK) {
        error = generator->from_execution(execution, settings, trace, generated, diag);
        assay_execution_close(execution);
    }
    return error;
}

enum assay_error assay_random_model(const struct assay_generator *generator,
                                    const struct assay_model *model,
                                    const struct assay_generate_settings *settings,
                                    struct assay_sink *trace, struct assay_sink *execution,
                                    struct assay_generated *generated, struct assay_diag *diag)
{
    const struct assay_random_options options = {
        .isa = model->isa,
        .seed = settings->seed,
        .length = settings->limit != 0 ? (size_t)settings->limit : ASSAY_RANDOM_LENGTH,
        .system = model->system};
    struct assay_generate_settings settled = *settings;
    struct assay_random_program program;
    if (settings->limit > ASSAY_RANDOM_LENGTH_MOST) {
        return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                          "a random program executes at most %u instructions",
                          (unsigned)ASSAY_RANDOM_LENGTH_MOST);
    }
    settled.isa = model->isa;
    settled.limit = 0;
    enum assay_error error = assay_random_program_make(&program, &options);
    if (error == ASSAY_OK) {
        error = generate(generator, &program.recording, &settled, trace, generated, diag);
    }
    if (error == ASSAY_OK && execution != NULL) {
        assay_sink_write(execution, program.recording.data, program.recording.size);
    }
    assay_random_program_free(&program);
    return error == ASSAY_NO_MEMORY
               ? assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory")
               : error;
}
