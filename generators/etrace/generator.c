/* The generator of E-Trace, as the registry has it. */
#include "generators/generator.h"

#include "etrace/program/targets.h"
#include "generators/etrace/from_record.h"
#include "generators/random/model.h"
#include "model/framing.h"

enum {
    XLEN_32 = 32,
    ADDRESS_WIDTH = 64,
    RETURN_STACK = 4,
    PRIVILEGE_WIDTH = 2,
    ECAUSE_WIDTH = 5,
    ITYPE_CLASSIFIED = 4
};

/* What was given stays. */
static void set(struct assay_parameter_values *values, enum etrace_parameter number, uint64_t value)
{
    if (values->site[number].origin == ASSAY_PARAMETER_CONFIG) {
        return;
    }
    values->value[number] = value;
    values->known[number] = true;
    values->site[number].origin = ASSAY_PARAMETER_CONFIG;
}

/* Both extensions of format 0 need a subformat. */
static void configure(const struct assay_generate_settings *settings,
                      struct assay_parameter_values *values)
{
    if (settings->parameters != NULL) {
        *values = *settings->parameters;
    }
    set(values, ETRACE_WHOLE, 1);
    if (settings->gaps == 0 && (settings->parameters != NULL || settings->record != NULL)) {
        set(values, ETRACE_AFTER_RESET, 1);
        set(values, ETRACE_IENABLE, 1);
    }
    set(values, ETRACE_WIRE, settings->ratified ? ETRACE_2_0 : ETRACE_1_1_1);
    if (settings->isa == ASSAY_EXECUTION_RISCV32) {
        set(values, ETRACE_XLEN, XLEN_32);
    }
    set(values, ETRACE_IADDRESS_WIDTH,
        settings->isa == ASSAY_EXECUTION_RISCV32 ? XLEN_32 : ADDRESS_WIDTH);
    set(values, ETRACE_PRIVILEGE_WIDTH, PRIVILEGE_WIDTH);
    set(values, ETRACE_ECAUSE_WIDTH, ECAUSE_WIDTH);
    set(values, ETRACE_NOCONTEXT, 1);
    set(values, ETRACE_F0S_WIDTH, 1);
    set(values, ETRACE_BPRED_SIZE, settings->predictor);
    set(values, ETRACE_BRANCH_PREDICTION, settings->predictor > 0);
    set(values, ETRACE_CACHE_SIZE, settings->target_cache);
    set(values, ETRACE_JUMP_TARGET_CACHE, settings->target_cache > 0);
    if (settings->target_cache > 0) {
        set(values, ETRACE_CACHED_TARGETS, ETRACE_CACHED_JUMPS);
    }
    set(values, ETRACE_RETURN_STACK_SIZE, settings->return_stack ? RETURN_STACK : 0);
    set(values, ETRACE_IMPLICIT_RETURN, settings->return_stack);
    set(values, ETRACE_SIJUMP_SUPPORTED, settings->sequential_jumps);
    set(values, ETRACE_SIJUMP, settings->sequential_jumps);
    set(values, ETRACE_FULL_ADDRESS, settings->full_addresses);
    for (unsigned bit = 0; bit <= ETRACE_FULL_ADDRESS_BIT - ETRACE_SIJUMP_BIT; bit++) {
        set(values, ETRACE_SIJUMP_BIT + bit, bit);
    }
    assay_parameters_settle(values); /* what follows from these */
}

/* An option that the encoder has no means for. */
static enum assay_error refuse(const struct assay_parameter_values *values, struct assay_diag *diag)
{
    static const struct {
        enum etrace_parameter option, means, or_means;
        uint64_t least;
    } needed[] = {
        {ETRACE_SIJUMP, ETRACE_SIJUMP_SUPPORTED, ETRACE_SIJUMP_SUPPORTED, 1},
        {ETRACE_IMPLICIT_RETURN, ETRACE_RETURN_STACK_SIZE, ETRACE_CALL_COUNTER_SIZE, 1},
        {ETRACE_IMPLICIT_RETURN, ETRACE_ITYPE_WIDTH, ETRACE_ITYPE_WIDTH, ITYPE_CLASSIFIED},
        {ETRACE_BRANCH_PREDICTION, ETRACE_BPRED_SIZE, ETRACE_BPRED_SIZE, 1},
        {ETRACE_JUMP_TARGET_CACHE, ETRACE_CACHE_SIZE, ETRACE_CACHE_SIZE, 1}};
    const struct assay_parameter *const parameter = assay_format_etrace.parameters->list;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (values->value[needed[i].option] != 0 &&
            values->value[needed[i].means] < needed[i].least &&
            values->value[needed[i].or_means] < needed[i].least) {
            return assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                              "%s is 1, and %s %llu: an encoder with it needs %llu or more",
                              parameter[needed[i].option].name, parameter[needed[i].means].name,
                              (unsigned long long)values->value[needed[i].means],
                              (unsigned long long)needed[i].least);
        }
    }
    return ASSAY_OK;
}

/* What the settings come to; the values are the caller's. */
static enum assay_error settle(const struct assay_generate_settings *settings, unsigned isa,
                               struct assay_parameter_values *values,
                               struct etrace_generate_options *options, struct assay_diag *diag)
{
    struct assay_generate_settings settled = *settings;
    settled.isa = isa;
    assay_parameters_init(values, assay_format_etrace.parameters);
    configure(&settled, values);
    *options = (struct etrace_generate_options){.values = values,
                                                .framing = ASSAY_FRAMING_BYTE_HEADER,
                                                .max_resync = settings->resync,
                                                .gaps = settings->gaps,
                                                .filters = settings->parameters != NULL,
                                                .record = settings->record,
                                                .seed = settings->seed,
                                                .thread = (uint32_t)settings->thread,
                                                .limit = settings->limit,
                                                .repeat = settings->repeat,
                                                .execution = settings->execution};
    const enum assay_error error = assay_parameters_check(values, diag);
    return error != ASSAY_OK ? error : refuse(values, diag);
}

static void take_counts(const struct etrace_generated *made, struct assay_generated *generated)
{
    *generated = (struct assay_generated){.records = made->packets,
                                          .instructions = made->instructions,
                                          .without_event = made->without_event,
                                          .ambiguous = made->ambiguous};
}

static enum assay_error from_execution(struct assay_execution *execution,
                                       const struct assay_generate_settings *settings,
                                       struct assay_sink *sink, struct assay_generated *generated,
                                       struct assay_diag *diag)
{
    struct assay_parameter_values values;
    struct etrace_generate_options options;
    struct etrace_generated made = {0};
    enum assay_error error =
        settle(settings, assay_execution_header(execution)->isa, &values, &options, diag);
    if (error == ASSAY_OK) {
        error = etrace_generate_from_execution(execution, &options, sink, &made, diag);
    }
    take_counts(&made, generated);
    return error;
}

static enum assay_error from_record(struct assay_source *table,
                                    const struct assay_generate_settings *settings,
                                    struct assay_sink *sink, struct assay_generated *generated,
                                    struct assay_diag *diag)
{
    const struct assay_parameter_values *given = settings->parameters;
    const bool narrow = given != NULL && given->value[ETRACE_XLEN] == XLEN_32;
    struct assay_parameter_values values;
    struct etrace_generate_options options;
    struct etrace_generated made = {0};
    enum assay_error error =
        settle(settings, narrow ? ASSAY_EXECUTION_RISCV32 : ASSAY_EXECUTION_RISCV64, &values,
               &options, diag);
    if (error == ASSAY_OK) {
        error = etrace_generate_from_record(table, &options, sink, &made, diag);
    }
    take_counts(&made, generated);
    return error;
}

/* Only of a machine all that the interface shows is recorded; with given parameters what the
 * recording lacks is said there. */
static enum assay_error record(struct assay_execution *execution,
                               const struct assay_generate_settings *settings,
                               struct assay_sink *sink, struct assay_diag *diag)
{
    struct assay_generate_settings recorded = *settings;
    struct assay_generated made;
    struct assay_sink stream;
    if (!assay_execution_header(execution)->system && settings->parameters == NULL) {
        return ASSAY_OK;
    }
    recorded.record = sink;
    assay_sink_memory(&stream, 0);
    const enum assay_error error = from_execution(execution, &recorded, &stream, &made, diag);
    assay_sink_close(&stream, NULL);
    return error;
}

static const struct assay_sample samples[] = {
    {"generated-system", "system", "traps and returns between U, S and M", {0}},
    {"generated-user", "user", "a program in user mode", {0}},
    {"generated-system32", "system32", "traps of RV32", {0}},
    {"generated-ratified", "system", "the wire format of 2.0", {.ratified = true, .resync = 20}},
    {"generated-return-stack", "user", "implicit returns", {.return_stack = true, .resync = 50}},
    {"generated-predictor", "user", "branch prediction", {.predictor = 4}},
    {"generated-target-cache", "system", "the jump target cache", {.target_cache = 3}},
    {"generated-sequential-jumps", "user", "targets that AUIPC gives", {.sequential_jumps = true}},
    {"generated-full-addresses", "user", "full addresses", {.full_addresses = true, .resync = 10}},
    {"generated-filtered", "system", "parts that a filter leaves out", {.gaps = 100}},
    {"generated-all-options",
     "system",
     "all that leaves the path to the reader",
     {.return_stack = true,
      .predictor = 6,
      .target_cache = 4,
      .sequential_jumps = true,
      .resync = 30}},
    {"generated-user-2.0", "user", "a program of 2.0 in user mode", {.ratified = true}},
    {"generated-system32-2.0",
     "system32",
     "traps of RV32 in 2.0",
     {.ratified = true, .resync = 40}},
    {"generated-all-options-2.0",
     "system",
     "in 2.0 all that leaves the path to the reader",
     {.ratified = true,
      .return_stack = true,
      .predictor = 6,
      .target_cache = 4,
      .sequential_jumps = true,
      .resync = 30}},
    {0},
};

const struct assay_generator assay_generator_etrace = {
    .format = &assay_format_etrace,
    .models = assay_random_riscv_models,
    .samples = samples,
    .takes = ASSAY_TAKES(limit) | ASSAY_TAKES(thread) | ASSAY_TAKES(seed) | ASSAY_TAKES(repeat) |
             ASSAY_TAKES(return_stack) | ASSAY_TAKES(gaps) | ASSAY_TAKES(resync) |
             ASSAY_TAKES(predictor) | ASSAY_TAKES(target_cache) | ASSAY_TAKES(full_addresses) |
             ASSAY_TAKES(sequential_jumps) | ASSAY_TAKES(ratified),
    .configures = true,
    .from_execution = from_execution,
    .from_record = from_record,
    .record = record,
    .configure = configure,
};
