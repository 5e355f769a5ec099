/* The generator of ASTF, as the registry has it. */
#include "generators/generator.h"

#include <string.h>

#include "astf/astf.h"
#include "generators/astf/from_execution.h"
#include "generators/astf/model.h"
#include "generators/astf/state.h"

enum { PERIOD = 5000, EVENTS = 10000 };

static enum assay_error from_execution(struct assay_execution *execution,
                                       const struct assay_generate_settings *settings,
                                       struct assay_sink *sink, struct assay_generated *generated,
                                       struct assay_diag *diag)
{
    const struct astf_generate_options options = {
        .storage = settings->storage,
        .thread = (uint32_t)settings->thread,
        .limit = settings->limit,
        .timestamps = !settings->no_timestamps,
        .period = settings->period != 0 ? settings->period : PERIOD,
        .evl = (uint8_t)settings->evl,
        .streaming_evl = (uint8_t)settings->streaming_evl,
        .describe = !settings->no_description,
        .metadata = settings->metadata,
    };
    struct astf_generated made = {0};
    const enum assay_error error =
        astf_generate_from_execution(execution, &options, sink, &made, diag);
    *generated = (struct assay_generated){.records = made.records,
                                          .instructions = made.instructions,
                                          .without_access = made.without_access,
                                          .lacking = made.lacking};
    return error;
}

static void look_ahead(struct assay_execution *execution, uint64_t given,
                       struct assay_generate_settings *settings)
{
    uint8_t vl = 0;
    uint8_t svl = 0;
    const uint64_t both = ASSAY_TAKES(evl) | ASSAY_TAKES(streaming_evl);
    if ((given & both) != both) {
        astf_state_lengths(execution, (uint32_t)settings->thread, &vl, &svl);
    }
    if ((given & ASSAY_TAKES(evl)) == 0) {
        settings->evl = vl;
    }
    if ((given & ASSAY_TAKES(streaming_evl)) == 0) {
        settings->streaming_evl = svl;
    }
}

static enum assay_error exceptions(const struct assay_generate_settings *settings,
                                   struct assay_sink *trace, struct assay_sink *execution,
                                   struct assay_sink *facts, struct assay_generated *generated,
                                   struct assay_diag *diag)
{
    const char *level = settings->level != NULL ? settings->level : "basicplus";
    const struct astf_model_options options = {
        .seed = settings->seed,
        .limit = settings->limit != 0 ? settings->limit : EVENTS,
        .basic = strcmp(level, "basic") == 0,
        .timestamps = !settings->no_timestamps,
        .period = settings->period != 0 ? settings->period : PERIOD,
        .storage = settings->storage,
        .metadata = settings->metadata,
    };
    if (!options.basic && strcmp(level, "basicplus") != 0) {
        return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                          "ASTF has no level called \"%s\"; it has basic and basicplus", level);
    }
    return astf_model_generate(&options, trace, execution, facts, generated, diag);
}

static const struct assay_model models[] = {
    {.name = "exceptions",
     .summary = "programs at all exception levels, with everything that interrupts them",
     .takes = ASSAY_TAKES(limit) | ASSAY_TAKES(seed) | ASSAY_TAKES(level) | ASSAY_TAKES(storage) |
              ASSAY_TAKES(period) | ASSAY_TAKES(no_timestamps) | ASSAY_TAKES(metadata),
     .has_facts = true,
     .make = exceptions},
    {0},
};

static const struct assay_sample samples[] = {
    {"generated-basicplus",
     "exceptions",
     "four exception levels, all that interrupts a program",
     {0}},
    {"generated-basic", "exceptions", "one exception level", {.level = "basic"}},
    {"generated-timeless", "exceptions", "no timestamps", {.no_timestamps = true}},
    {"generated-xz", "exceptions", "records that are compressed", {.storage = "xz", .period = 100}},
    {0},
};

const struct assay_generator assay_generator_astf = {
    .format = &assay_format_astf,
    .models = models,
    .samples = samples,
    .takes = ASSAY_TAKES(limit) | ASSAY_TAKES(thread) | ASSAY_TAKES(storage) | ASSAY_TAKES(period) |
             ASSAY_TAKES(no_timestamps) | ASSAY_TAKES(evl) | ASSAY_TAKES(streaming_evl) |
             ASSAY_TAKES(metadata) | ASSAY_TAKES(no_description),
    .look_ahead = look_ahead,
    .from_execution = from_execution,
};
