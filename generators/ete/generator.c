/* The generator of ETE, as the registry has it. */
#include "generators/generator.h"

#include "generators/ete/from_execution.h"

enum {
    PERIOD = 5000,
    /* Registers that do not depend on settings: those of a unit with 64 bits of address and
     * timestamp, and WFI and WFE as P0 instructions. */
    TRCIDR0 = 0x08000ea1,
    TRCIDR1 = 0x4100fff0,
    TRCIDR2 = (int)0xd0001088,
    TRCDEVARCH = 0x47705a13,
    TRCCONFIGR = 1,
    TRACE_ID = 1
};

static uint64_t trcidr0(const struct assay_generate_settings *settings)
{
    return TRCIDR0 | (uint64_t)settings->commit_mode << ETE_COMMOPT_BIT |
           (settings->q_elements > 0 ? UINT64_C(3) << ETE_QSUPP_BIT : 0);
}

static uint64_t trcconfigr(const struct assay_generate_settings *settings)
{
    return TRCCONFIGR | (uint64_t)settings->broadcast << ETE_BROADCAST_BIT |
           (uint64_t)(settings->cycle_counts > 0) << ETE_CYCLE_COUNTS_BIT |
           UINT64_C(1) << ETE_CONTEXT_ID_BIT |
           (settings->contexts > 0 ? UINT64_C(1) << ETE_VMID_BIT | UINT64_C(1) << ETE_VMIDOPT_BIT
                                   : 0) |
           (settings->q_elements > 0 ? UINT64_C(3) << ETE_Q_BIT : 0) |
           (uint64_t)!settings->no_timestamps << ETE_TIMESTAMPS_BIT |
           (uint64_t)settings->return_stack << ETE_RETURN_STACK_BIT;
}

static void configure(const struct assay_generate_settings *settings,
                      struct assay_parameter_values *values)
{
    const struct {
        unsigned number;
        uint64_t value;
    } registers[] = {{ETE_TRCIDR0, trcidr0(settings)},
                     {ETE_TRCIDR1, TRCIDR1},
                     {ETE_TRCIDR2, (uint32_t)TRCIDR2},
                     {ETE_TRCIDR8, settings->speculation},
                     {ETE_TRCDEVARCH, TRCDEVARCH},
                     {ETE_TRCCONFIGR, trcconfigr(settings)},
                     {ETE_TRCTRACEIDR, settings->source != 0 ? settings->source : TRACE_ID},
                     {ETE_WHOLE, 1},
                     {ETE_FEAT_RME, 0}};
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        values->value[registers[i].number] = registers[i].value;
        values->known[registers[i].number] = true;
    }
}

static enum assay_error from_execution(struct assay_execution *execution,
                                       const struct assay_generate_settings *settings,
                                       struct assay_sink *sink, struct assay_generated *generated,
                                       struct assay_diag *diag)
{
    const struct ete_generate_options options = {
        .unit = {.trcidr0 = trcidr0(settings),
                 .trcconfigr = trcconfigr(settings),
                 .max_depth = (uint32_t)settings->speculation,
                 .threshold = (uint32_t)settings->cycle_counts,
                 .period = settings->period != 0 ? settings->period : PERIOD,
                 .sync = settings->sync,
                 .mispredictions = settings->mispredictions,
                 .gaps = settings->gaps,
                 .overflows = settings->overflows,
                 .q = settings->q_elements,
                 .any_packets = settings->any_packets,
                 .seed = settings->seed},
        .wfx_is_p0 = ((uint32_t)TRCIDR2 >> ETE_WFXMODE_BIT & 1) != 0,
        .contexts = settings->contexts,
        .thread = (uint32_t)settings->thread,
        .limit = settings->limit,
        .repeat = settings->repeat,
        .execution = settings->execution,
    };
    struct ete_generated made = {0};
    const enum assay_error error =
        ete_generate_from_execution(execution, &options, sink, &made, diag);
    *generated = (struct assay_generated){.records = made.elements,
                                          .instructions = made.instructions,
                                          .without_event = made.without_event};
    return error;
}

static const struct assay_model models[] = {
    {.name = "system",
     .summary = "a random program of A64 at all Exception levels, with exceptions",
     .isa = ASSAY_EXECUTION_AARCH64,
     .system = true},
    {.name = "user", .summary = "a random program of A64 at EL0", .isa = ASSAY_EXECUTION_AARCH64},
    {0},
};

static const struct assay_sample samples[] = {
    {"generated-system", "system", "exceptions and returns between Exception levels", {0}},
    {"generated-user", "user", "a program at EL0 with a return stack", {.return_stack = true}},
    {"generated-speculation",
     "system",
     "Commit, Cancel and Mispredict over wrong paths",
     {.speculation = 8, .mispredictions = 10, .commit_mode = true}},
    {"generated-cycle-counts",
     "system",
     "Cycle Counts and Timestamps",
     {.cycle_counts = 20, .period = 100}},
    {"generated-speculative-cycle-counts",
     "system",
     "Cycle Counts that commit",
     {.cycle_counts = 20, .speculation = 5, .mispredictions = 20, .return_stack = true}},
    {"generated-broadcast", "user", "the target of each branch", {.broadcast = true}},
    {"generated-q", "user", "Q elements in place of branches", {.q_elements = 20}},
    {"generated-filtered",
     "system",
     "parts that a filter leaves out, and A-syncs",
     {.gaps = 100, .sync = 200, .contexts = 3}},
    {"generated-overflows", "system", "Overflow", {.overflows = 60, .speculation = 3}},
    {"generated-any-packets",
     "system",
     "packets other than the shortest ones",
     {.any_packets = true,
      .return_stack = true,
      .cycle_counts = 4,
      .speculation = 3,
      .mispredictions = 15,
      .sync = 100}},
    {0},
};

const struct assay_generator assay_generator_ete = {
    .format = &assay_format_ete,
    .models = models,
    .samples = samples,
    .takes = ASSAY_TAKES(limit) | ASSAY_TAKES(thread) | ASSAY_TAKES(seed) | ASSAY_TAKES(period) |
             ASSAY_TAKES(no_timestamps) | ASSAY_TAKES(speculation) | ASSAY_TAKES(commit_mode) |
             ASSAY_TAKES(mispredictions) | ASSAY_TAKES(return_stack) | ASSAY_TAKES(cycle_counts) |
             ASSAY_TAKES(broadcast) | ASSAY_TAKES(sync) | ASSAY_TAKES(gaps) |
             ASSAY_TAKES(overflows) | ASSAY_TAKES(q_elements) | ASSAY_TAKES(contexts) |
             ASSAY_TAKES(any_packets) | ASSAY_TAKES(repeat),
    .from_execution = from_execution,
    .configure = configure,
};
