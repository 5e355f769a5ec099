/* The generator of STF, as the registry has it. */
#include "generators/generator.h"

#include <string.h>

#include "generators/random/model.h"
#include "generators/stf/from_execution.h"
#include "stf/stf.h"

static enum assay_error from_execution(struct assay_execution *execution,
                                       const struct assay_generate_settings *settings,
                                       struct assay_sink *sink, struct assay_generated *generated,
                                       struct assay_diag *diag)
{
    const bool later = settings->profile != NULL && strcmp(settings->profile, "stf-1.6") == 0;
    if (settings->profile != NULL && !later && strcmp(settings->profile, "stf-1.3") != 0) {
        return assay_fail(diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET,
                          "STF is not written by a profile \"%.60s\": stf-1.3, stf-1.6",
                          settings->profile);
    }
    const struct stf_generate_options options = {
        .profile = later ? STF_PROFILE_16 : STF_PROFILE_13,
        .storage = settings->storage,
        .thread = (uint32_t)settings->thread,
        .all_threads = settings->all_threads,
        .limit = settings->limit,
        .repeat = settings->repeat,
        .execution = settings->execution,
        .operands = settings->operands,
        .vlen = later ? (uint32_t)settings->vlen : 0,
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
    {"generated-system-1.6", "system", "traps of a trace of 1.6", {.profile = "stf-1.6"}},
    {"generated-user-1.6",
     "user",
     "a program of 1.6 in user mode",
     {.profile = "stf-1.6", .operands = true}},
    {"generated-system32-1.6",
     "system32",
     "traps of RV32 in 1.6, whose ids of events have 32 bits",
     {.profile = "stf-1.6"}},
    {0},
};

const struct assay_generator assay_generator_stf = {
    .format = &assay_format_stf,
    .models = assay_random_riscv_models,
    .samples = samples,
    .takes = ASSAY_TAKES(limit) | ASSAY_TAKES(thread) | ASSAY_TAKES(all_threads) |
             ASSAY_TAKES(storage) | ASSAY_TAKES(repeat) | ASSAY_TAKES(operands) |
             ASSAY_TAKES(metadata) | ASSAY_TAKES(profile) | ASSAY_TAKES(vlen),
    .from_execution = from_execution,
};
