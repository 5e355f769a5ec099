/* The generator of STF, as the registry has it. */
#include "generators/generator.h"

#include "generators/random/model.h"
#include "generators/stf/from_execution.h"
#include "stf/stf.h"

static enum assay_error from_execution(struct assay_execution *execution,
                                       const struct assay_generate_settings *settings,
                                       struct assay_sink *sink, struct assay_generated *generated,
                                       struct assay_diag *diag)
{
    const struct stf_generate_options options = {
        .storage = settings->storage,
        .thread = (uint32_t)settings->thread,
        .all_threads = settings->all_threads,
        .limit = settings->limit,
        .repeat = settings->repeat,
        .execution = settings->execution,
        .operands = settings->operands,
        .metadata = settings->metadata,
    };
    struct stf_generated made = {0};
    const enum assay_error error =
        stf_generate_from_execution(execution, &options, sink, &made, diag);
    *generated = (struct assay_generated){.records = made.records,
                                          .instructions = made.instructions,
                                          .without_access = made.without_access,
                                          .lacking = made.without_access,
                                          .without_event = made.without_event};
    return error;
}

static const struct assay_sample samples[] = {
    {"generated-system", "system", "traps and returns between U, S and M", {0}},
    {"generated-user", "user", "a program in user mode", {0}},
    {"generated-operands", "user", "operands of registers", {.operands = true}},
    {"generated-system32", "system32", "traps of RV32", {0}},
    {"generated-zstf", "system", "compressed chunks with an index", {.storage = "zstf"}},
    {0},
};

const struct assay_generator assay_generator_stf = {
    .format = &assay_format_stf,
    .models = assay_random_riscv_models,
    .samples = samples,
    .takes = ASSAY_TAKES(limit) | ASSAY_TAKES(thread) | ASSAY_TAKES(all_threads) |
             ASSAY_TAKES(storage) | ASSAY_TAKES(repeat) | ASSAY_TAKES(operands) |
             ASSAY_TAKES(metadata),
    .from_execution = from_execution,
};
