#include "generators/random/model.h"

#include "common/random.h"
#include "io/source.h"

/* Programs that are drawn until one has a trace that decoders cannot misunderstand. */
enum { TRIES = 20 };

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

const struct assay_model assay_random_riscv_models[] = {
    {.name = "system",
     .summary = "a random program of RV64 in the modes U, S and M, with traps",
     .isa = ASSAY_EXECUTION_RISCV64,
     .system = true},
    {.name = "user",
     .summary = "a random program of RV64 in user mode",
     .isa = ASSAY_EXECUTION_RISCV64},
    {.name = "system32",
     .summary = "the same as system, of RV32",
     .isa = ASSAY_EXECUTION_RISCV32,
     .system = true},
    {.name = "user32", .summary = "the same as user, of RV32", .isa = ASSAY_EXECUTION_RISCV32},
    {0},
};

/* One program; nothing is written where decoders could misunderstand its trace, unless that is
 * `allowed`. */
static enum assay_error make_one(const struct assay_generator *generator,
                                 const struct assay_random_options *options,
                                 const struct assay_generate_settings *settings, bool allowed,
                                 struct assay_sink *trace, struct assay_sink *execution,
                                 struct assay_generated *generated, struct assay_diag *diag)
{
    struct assay_random_program program;
    struct assay_sink made;
    assay_sink_memory(&made, 0);
    enum assay_error error = assay_random_program_make(&program, options);
    if (error == ASSAY_OK) {
        error = generate(generator, &program.recording, settings, &made, generated, diag);
    }
    if (error == ASSAY_OK && (allowed || generated->ambiguous == 0)) {
        assay_sink_write(trace, made.data, made.size);
        if (execution != NULL) {
            assay_sink_write(execution, program.recording.data, program.recording.size);
        }
    }
    assay_sink_close(&made, NULL);
    assay_random_program_free(&program);
    return error == ASSAY_NO_MEMORY
               ? assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory")
               : error;
}

enum assay_error assay_random_model(const struct assay_generator *generator,
                                    const struct assay_model *model,
                                    const struct assay_generate_settings *settings,
                                    struct assay_sink *trace, struct assay_sink *execution,
                                    struct assay_generated *generated, struct assay_diag *diag)
{
    struct assay_random_options options = {.isa = model->isa,
                                           .seed = settings->seed,
                                           .length = settings->limit != 0 ? (size_t)settings->limit
                                                                          : ASSAY_RANDOM_LENGTH,
                                           .system = model->system};
    struct assay_generate_settings settled = *settings;
    enum assay_error error;
    unsigned tries = 0;
    if (settings->limit > ASSAY_RANDOM_LENGTH_MOST) {
        return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                          "a random program executes at most %u instructions",
                          (unsigned)ASSAY_RANDOM_LENGTH_MOST);
    }
    settled.isa = model->isa;
    settled.limit = 0;
    do {
        error = make_one(generator, &options, &settled, ++tries == TRIES, trace, execution,
                         generated, diag);
        options.seed = assay_random(&options.seed);
    } while (error == ASSAY_OK && generated->ambiguous > 0 && tries < TRIES);
    return error;
}
