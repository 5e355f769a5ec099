/* Recordings of random programs to streams of ETE, and back: the instructions that the decoder
 * finds in the stream are those that were executed, but for those that the trace left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/tests/random.h"
#include "common/tests/turn.h"
#include "execution/execution_writer.h"
#include "generators/ete/from_execution.h"
#include "generators/ete/tests/trace_check.h"
#include "generators/random/program.h"
#include "io/source.h"

#ifdef ASSAY_SANITIZED
enum { TRIALS = 300 };
#else
enum { TRIALS = 2500 };
#endif
enum { LENGTH = 1500 };

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static struct ete_generate_options some_options(uint64_t seed, struct shown *shown)
{
    uint64_t draw = seed;
    const uint64_t depths[] = {0, 1, 3, 17, 200, ETE_UNIT_DEPTH_MOST};
    const uint64_t often[] = {0, 0, 5, 40};
    const uint64_t rarely[] = {0, 0, 200, 1000};
    struct ete_generate_options options = {0};
    struct ete_unit_options *unit = &options.unit;
    unit->trcidr0 = random_below(&draw, 2) << ETE_COMMOPT_BIT;
    unit->trcconfigr = 1 | (uint64_t)(random_below(&draw, 4) == 0) << ETE_BROADCAST_BIT |
                       random_below(&draw, 2) << ETE_CYCLE_COUNTS_BIT |
                       random_below(&draw, 2) << ETE_CONTEXT_ID_BIT |
                       random_below(&draw, 2) << ETE_VMID_BIT |
                       random_below(&draw, 2) << ETE_TIMESTAMPS_BIT |
                       random_below(&draw, 2) << ETE_RETURN_STACK_BIT |
                       (1 + 2 * random_below(&draw, 2)) << ETE_Q_BIT;
    unit->max_depth = (uint32_t)depths[random_below(&draw, 6)];
    unit->threshold = (uint32_t)random_below(&draw, 100);
    unit->period = 1 + random_below(&draw, 300);
    unit->sync = random_below(&draw, 2) * (20 + random_below(&draw, 500));
    unit->mispredictions = often[random_below(&draw, 4)];
    unit->gaps = rarely[random_below(&draw, 4)];
    unit->overflows = rarely[random_below(&draw, 4)];
    unit->q = often[random_below(&draw, 4)];
    unit->any_packets = random_below(&draw, 2) != 0;
    unit->seed = random_next(&draw);
    unit->left_out = shown_leave_out;
    unit->context = shown;
    options.wfx_is_p0 = random_below(&draw, 2) != 0;
    options.contexts = random_below(&draw, 4);
    return options;
}

static struct assay_sink generate(const struct assay_random_program *program,
                                  const struct ete_generate_options *options,
                                  struct ete_generated *generated)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    struct assay_diag diag = {0};
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    assert_int_equal(assay_source_memory(program->recording.data, program->recording.size, &source),
                     ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &execution, NULL), ASSAY_OK);
    if (ete_generate_from_execution(execution, options, &sink, generated, &diag) != ASSAY_OK) {
        fail_msg("%s", diag.message);
    }
    assay_execution_close(execution);
    return sink;
}

/* --- what is decoded --- */

struct trial {
    struct assay_random_program program;
    struct shown shown;
    size_t at, count; /* of instructions that were executed, and of those in the trace */
};

static const char *compare_one(void *context, const struct assay_event *event)
{
    struct trial *t = context;
    t->at = shown_next(&t->shown, t->at);
    if (t->at == t->shown.length) {
        return "nothing more was executed";
    }
    const uint64_t address = t->program.executed[t->at++];
    const uint32_t word = t->program.words[(address - t->program.base) / 4];
    t->count++;
    return event->cells[ADDRESS] != address ? "another one was executed"
           : event->cells[WORD] != word     ? "its word is another one"
                                            : NULL;
}

/* Returns how many instructions the trace shows. */
static size_t there_and_back(uint64_t seed, size_t length, bool system, struct occurring *occurring)
{
    struct trial t = {0};
    struct trace_check check = {.name = "program", .seed = seed};
    const struct assay_random_options drawn = {
        .isa = ASSAY_EXECUTION_AARCH64, .seed = seed, .length = length, .system = system};
    assert_int_equal(assay_random_program_make(&t.program, &drawn), ASSAY_OK);
    t.shown = shown_open(t.program.length);
    const struct ete_generate_options options = some_options(seed, &t.shown);
    struct ete_generated generated;
    struct assay_sink trace = generate(&t.program, &options, &generated);
    trace_check_open(&check, &options.unit, options.wfx_is_p0);
    trace_check_add(&check, t.program.base, t.program.words,
                    t.program.count * sizeof t.program.words[0], NULL);
    assert_int_equal(assay_image_set_seal(check.images, NULL), ASSAY_OK);
    check.trace = &trace;
    trace_check_instructions(&check, compare_one, &t);
    assert_int_equal(shown_next(&t.shown, t.at), t.shown.length);
    trace_check_rules(&check, occurring);
    trace_check_close(&check);
    assay_sink_close(&trace, NULL);
    shown_close(&t.shown);
    assay_random_program_free(&t.program);
    return t.count;
}

static void the_trace_of_a_random_program_shows_what_was_executed(void **state)
{
    (void)state;
    static const enum ete_kind kinds[] = {
        ETE_elem_trace_info, ETE_elem_trace_on,       ETE_elem_context,   ETE_elem_target_address,
        ETE_elem_atoms,      ETE_elem_source_address, ETE_elem_exception, ETE_elem_mispredict,
        ETE_elem_commit,     ETE_elem_cancel,         ETE_elem_discard,   ETE_elem_overflow,
        ETE_elem_timestamp,  ETE_elem_cycle_count,    ETE_elem_event,     ETE_elem_q};
    struct occurring occurring = {0};
    size_t executed = 0;
    size_t shown = 0;
    size_t tried = 0;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        if (is_in_turn(seed)) {
            executed += LENGTH;
            shown += there_and_back(seed, LENGTH, seed % 3 == 0, &occurring);
            tried++;
        }
    }
    assert_in_range(shown, executed / 2, executed);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        assert_true(occurring.kinds[kinds[i]] > tried / 4);
    }
    assert_true(occurring.goes_by[ETE_GOES_STACK] > tried / 3);
}

/* Whether the branch is taken, as the next one tells, waits for that one. */
static void
what_waits_for_the_outcome_of_a_branch_is_in_the_trace_of_a_recording_that_stops(void **state)
{
    (void)state;
    enum { BASE = 0x1000, B_EQ_TO_NEXT = 0x54000020, NOP = (int)0xd503201f };
    static const uint32_t words[] = {(uint32_t)NOP, B_EQ_TO_NEXT, (uint32_t)NOP, (uint32_t)NOP};
    const struct assay_execution_header header = {
        .isa = ASSAY_EXECUTION_AARCH64, .producer = "", .program = ""};
    struct assay_random_program program = {0};
    struct assay_execution_writer *writer = NULL;
    struct assay_execution_track *track = NULL;
    struct ete_generate_options options = {0};
    struct ete_generated generated;
    assay_sink_memory(&program.recording, 0);
    assert_int_equal(assay_execution_writer_open(&program.recording, &header, &writer, NULL),
                     ASSAY_OK);
    assert_int_equal(assay_execution_track_open(writer, 1, 0, &track), ASSAY_OK);
    for (size_t i = 0; i < COUNT(words); i++) {
        assert_int_equal(assay_execution_put_instruction(track, BASE + 4 * i, words[i], 4, NULL, 0),
                         ASSAY_OK);
    }
    assert_int_equal(assay_execution_track_close(track, false), ASSAY_OK);
    assert_int_equal(assay_execution_writer_end(writer, ASSAY_EXECUTION_ENDED_BY_EXIT), ASSAY_OK);
    assay_execution_writer_close(writer);
    options.unit.trcconfigr = 1;
    struct assay_sink trace = generate(&program, &options, &generated);
    assert_int_equal(generated.instructions, COUNT(words));
    assay_sink_close(&trace, NULL);
    assay_sink_close(&program.recording, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trace_of_a_random_program_shows_what_was_executed),
        cmocka_unit_test(
            what_waits_for_the_outcome_of_a_branch_is_in_the_trace_of_a_recording_that_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
