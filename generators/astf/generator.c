/* The generator of ASTF, as the registry has it. */
#include "generators/generator.h"
#include "astf/astf.h"
#include "generators/astf/from_execution.h"
#include "generators/astf/state.h"

enum { PERIOD = 5000 };

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
                                          .without_access = made.without_access};
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

const struct assay_generator assay_generator_astf = {
    .format = &assay_format_astf,
    .takes = ASSAY_TAKES(limit) | ASSAY_TAKES(thread) | ASSAY_TAKES(storage) | ASSAY_TAKES(period) |
             ASSAY_TAKES(no_timestamps) | ASSAY_TAKES(evl) | ASSAY_TAKES(streaming_evl) |
             ASSAY_TAKES(metadata) | ASSAY_TAKES(no_description),
    .look_ahead = look_ahead,
    .from_execution = from_execution,
};
