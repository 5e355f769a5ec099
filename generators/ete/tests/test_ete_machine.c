/* What a PE executes of random code of A64, A32 and T32, to streams of ETE and back: the
 * instructions that the decoder finds in the stream are those that were executed, but for those
 * that the trace left out and those of transactions that failed; and the stream conforms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "common/tests/random.h"
#include "generators/ete/tests/random_machine.h"
#include "generators/ete/tests/trace_check.h"
#include "isa/arm_flow.h"

#ifdef ASSAY_SANITIZED
enum { TRIALS = 300 };
#else
enum { TRIALS = 2500 };
#endif
enum { LENGTH = 1000, CUTS = 15, TRIALS_CUT = TRIALS / 10 };

static struct ete_unit_options some_options(uint64_t *draw, struct shown *shown)
{
    const uint32_t depths[] = {0, 1, 3, 17, 200, ETE_UNIT_DEPTH_MOST};
    const uint64_t often[] = {0, 0, 5, 40};
    const uint64_t rarely[] = {0, 0, 200, 600};
    return (struct ete_unit_options){
        .trcidr0 = random_below(draw, 2) << ETE_COMMOPT_BIT | random_below(draw, 2)
                                                                  << ETE_COMMTRANS_BIT,
        .trcconfigr = 1 | (uint64_t)(random_below(draw, 4) == 0) << ETE_BROADCAST_BIT |
                      random_below(draw, 2) << ETE_CYCLE_COUNTS_BIT |
                      random_below(draw, 2) << ETE_CONTEXT_ID_BIT |
                      random_below(draw, 2) << ETE_VMID_BIT |
                      random_below(draw, 2) << ETE_TIMESTAMPS_BIT |
                      random_below(draw, 2) << ETE_RETURN_STACK_BIT |
                      (1 + 2 * random_below(draw, 2)) << ETE_Q_BIT,
        .max_depth = depths[random_below(draw, 6)],
        .threshold = (uint32_t)random_below(draw, 100),
        .period = 1 + random_below(draw, 300),
        .sync = random_below(draw, 2) * (20 + random_below(draw, 500)),
        .mispredictions = often[random_below(draw, 4)],
        .gaps = rarely[random_below(draw, 4)],
        .overflows = rarely[random_below(draw, 4)] / 4,
        .q = often[random_below(draw, 4)],
        .transactions = random_below(draw, 2) != 0,
        .any_packets = random_below(draw, 2) != 0,
        .seed = random_next(draw),
        .left_out = shown_leave_out,
        .context = shown};
}

/* --- one trial --- */

struct trial {
    struct random_machine machine;
    struct ete_unit_options options;
    struct shown shown;
    size_t at, count; /* of instructions that were executed, and of those in the trace */
};

static void generate(struct trial *t, struct assay_sink *trace, bool wfx_is_p0)
{
    struct assay_diag diag = {0};
    assay_sink_memory(trace, 0);
    struct ete_unit *unit = ete_unit_open(&t->options, trace);
    assert_non_null(unit);
    random_machine_run(&t->machine, unit, wfx_is_p0);
    if (ete_unit_finish(unit, &diag) != ASSAY_OK) {
        fail_msg("%s", diag.message);
    }
    ete_unit_close(unit);
}

static void add_images(struct trace_check *check, const struct random_machine *machine,
                       bool variants)
{
    uint8_t bytes[4 * RANDOM_CODE_MOST];
    for (uint32_t n = 0; n < (variants ? RANDOM_CONTEXTS : 1); n++) {
        const uint32_t context = machine->first_context + n;
        for (unsigned set = 0; set < RANDOM_SETS; set++) {
            const struct random_code *code = &machine->variants[n % RANDOM_VARIANTS].of[set];
            trace_check_add(check, code->base, bytes, random_code_bytes(code, bytes),
                            variants ? &context : NULL);
        }
    }
    assert_int_equal(assay_image_set_seal(check->images, NULL), ASSAY_OK);
}

static const char *compare_one(void *context, const struct assay_event *event)
{
    static const uint64_t sets[] = {ARM_A64, ARM_A32, ARM_T32};
    struct trial *t = context;
    t->at = shown_next(&t->shown, t->at);
    if (t->at == t->shown.length) {
        return "nothing more was executed";
    }
    const struct random_executed *e = &t->machine.executed[t->at++];
    const bool ids = (t->options.trcconfigr >> ETE_CONTEXT_ID_BIT & 1) != 0;
    const bool vmids = (t->options.trcconfigr >> ETE_VMID_BIT & 1) != 0;
    const uint64_t in = (uint64_t)(vmids ? e->vmid : 0) << 32 | (uint64_t)(ids ? e->context_id : 0);
    const uint64_t facts = sets[e->set] | (uint64_t)e->el << EL_BIT |
                           (uint64_t)e->security << SECURITY_BIT | (uint64_t)e->size << 6;
    t->count++;
    return event->cells[ETE_RUN_ADDRESS] != e->address     ? "another one was executed"
           : event->cells[ETE_INSTRUCTION_WORD] != e->word ? "its word is another one"
           : event->cells[ETE_RUN_CONTEXT] != in           ? "its context is another one"
           : event->cells[ETE_RUN_FLAGS] != facts ? "its set, size, level or state is another one"
                                                  : NULL;
}

static void open_trial(struct trial *t, uint64_t seed, struct assay_sink *trace,
                       struct trace_check *check)
{
    uint64_t draw = seed * UINT64_C(0x9e3779b97f4a7c15);
    *t = (struct trial){.shown = shown_open(LENGTH)};
    *check = (struct trace_check){.name = "machine", .seed = seed};
    t->options = some_options(&draw, &t->shown);
    const bool variants = (t->options.trcconfigr >> ETE_CONTEXT_ID_BIT & 1) != 0;
    const bool wfx_is_p0 = random_below(&draw, 2) != 0;
    assert_true(random_machine_open(&t->machine, draw, LENGTH, variants));
    generate(t, trace, wfx_is_p0);
    trace_check_open(check, &t->options, wfx_is_p0);
    check->trace = trace;
    add_images(check, &t->machine, variants);
}

static void close_trial(struct trial *t, struct assay_sink *trace, struct trace_check *check)
{
    trace_check_close(check);
    random_machine_close(&t->machine);
    assay_sink_close(trace, NULL);
    shown_close(&t->shown);
}

/* Returns how many instructions the trace shows. */
static size_t there_and_back(uint64_t seed, struct occurring *occurring)
{
    struct trial t;
    struct trace_check check;
    struct assay_sink trace;
    open_trial(&t, seed, &trace, &check);
    trace_check_instructions(&check, compare_one, &t);
    if (shown_next(&t.shown, t.at) != t.shown.length) {
        fail_msg("seed %llu: the trace does not show instruction %zu", (unsigned long long)seed,
                 shown_next(&t.shown, t.at));
    }
    trace_check_rules(&check, occurring);
    close_trial(&t, &trace, &check);
    return t.count;
}

/* Judges pieces of a stream: the end is cut, the begin, and both, at any byte. */
static void cut(uint64_t seed)
{
    struct trial t;
    struct trace_check check;
    struct assay_sink trace;
    uint64_t draw = seed;
    open_trial(&t, seed, &trace, &check);
    for (unsigned n = 0; n < CUTS; n++) {
        const size_t from = n % 3 == 0 ? 0 : random_below(&draw, trace.size);
        const size_t left = trace.size - from;
        trace_check_piece(&check, from, n % 3 == 1 ? left : 1 + random_below(&draw, left));
    }
    close_trial(&t, &trace, &check);
}

/* --- all of them --- */

static void the_trace_of_a_random_machine_shows_what_was_executed(void **state)
{
    (void)state;
    static const enum ete_kind kinds[] = {ETE_resolved_q,
                                          ETE_elem_overflow,
                                          ETE_elem_mispredict,
                                          ETE_elem_cancel,
                                          ETE_resolved_source_address,
                                          ETE_resolved_transaction_start,
                                          ETE_resolved_transaction_commit,
                                          ETE_resolved_transaction_failure,
                                          ETE_exception_taken};
    struct occurring occurring = {0};
    size_t shown = 0;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        shown += there_and_back(seed, &occurring);
    }
    assert_in_range(shown, TRIALS * LENGTH / 2, TRIALS * LENGTH);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        assert_true(occurring.kinds[kinds[i]] > TRIALS / 4);
    }
    for (size_t n = 0; n < sizeof occurring.by / sizeof occurring.by[0]; n++) {
        assert_true(occurring.by[n] > TRIALS);
    }
    for (size_t set = 0; set < RANDOM_SETS; set++) {
        assert_true(occurring.sets[set] > TRIALS * 10);
    }
    assert_true(occurring.goes_by[ETE_GOES_STACK] > TRIALS);
    assert_int_equal(occurring.goes_by[ETE_GOES_UNSTATED], 0);
}

static void a_piece_of_a_stream_violates_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS_CUT; seed++) {
        cut(seed);
    }
}

/* test-generate-ete-machine [SEED] */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trace_of_a_random_machine_shows_what_was_executed),
        cmocka_unit_test(a_piece_of_a_stream_violates_nothing),
    };
    if (argc > 1) {
        struct occurring occurring = {0};
        (void)there_and_back(strtoull(argv[1], NULL, 0), &occurring);
        cut(strtoull(argv[1], NULL, 0));
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
