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
    return event->cells[ETE_RUN_ADDRESS] != address     ? "another one was executed"
           : event->cells[ETE_INSTRUCTION_WORD] != word ? "its word is another one"
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

/* --- branches whose outcome a recording does not say --- */

enum { BASE = 0x1000, PATH_MOST = 320, DIVERTED = 0xfff };

/* Words from BASE on, and their numbers in the order in which they are executed. Control is taken
 * away at DIVERTED. */
struct path {
    const char *name;
    uint32_t words[8];
    uint16_t at[PATH_MOST];
    size_t length;
};

static void record(struct assay_random_program *program, const struct path *path)
{
    const struct assay_execution_header header = {
        .isa = ASSAY_EXECUTION_AARCH64, .producer = "", .program = ""};
    struct assay_execution_writer *writer = NULL;
    struct assay_execution_track *track = NULL;
    assay_sink_memory(&program->recording, 0);
    assert_int_equal(assay_execution_writer_open(&program->recording, &header, &writer, NULL),
                     ASSAY_OK);
    assert_int_equal(assay_execution_track_open(writer, 1, 0, &track), ASSAY_OK);
    for (size_t i = 0; i < path->length; i++) {
        const unsigned at = path->at[i];
        assert_int_equal(at == DIVERTED ? assay_execution_put_diverted(track)
                                        : assay_execution_put_instruction(
                                              track, BASE + 4 * at, path->words[at], 4, NULL, 0),
                         ASSAY_OK);
    }
    assert_int_equal(assay_execution_track_close(track, false), ASSAY_OK);
    assert_int_equal(assay_execution_writer_end(writer, ASSAY_EXECUTION_ENDED_BY_EXIT), ASSAY_OK);
    assay_execution_writer_close(writer);
}

/* Whatever the trace states of them, no rule is violated. */
static void check_path(const struct path *path)
{
    struct ete_generate_options options = {.unit = {.trcconfigr = 1}};
    struct ete_generated generated;
    struct trace_check check = {.name = path->name};
    struct assay_random_program program = {0};
    size_t instructions = 0;
    record(&program, path);
    struct assay_sink trace = generate(&program, &options, &generated);
    for (size_t i = 0; i < path->length; i++) {
        instructions += path->at[i] != DIVERTED;
    }
    assert_int_equal(generated.instructions, instructions);
    trace_check_open(&check, &options.unit, false);
    trace_check_add(&check, BASE, path->words, sizeof path->words, NULL);
    assert_int_equal(assay_image_set_seal(check.images, NULL), ASSAY_OK);
    check.trace = &trace;
    trace_check_rules(&check, NULL);
    trace_check_close(&check);
    assay_sink_close(&trace, NULL);
    assay_sink_close(&program.recording, NULL);
}

#define NOP         UINT32_C(0xd503201f)
#define B_EQ        UINT32_C(0x54000000)
#define CBZ_X1      UINT32_C(0xb4000001)
#define CBNZ_X1     UINT32_C(0xb5000001)
#define CBZ_ZERO    UINT32_C(0x3400001f)
#define CBZ_X2_BACK UINT32_C(0xb4ffffe2) /* to the instruction before it */
#define TBZ_X1      UINT32_C(0x36000001)
#define TBNZ_X1     UINT32_C(0x37000001)
#define MOV_X1      UINT32_C(0xaa0203e1)
#define MOV_X2      UINT32_C(0xaa0103e2)
#define TO_NEXT     (UINT32_C(1) << 5)
#define PASSING_ONE (UINT32_C(2) << 5)

static void
what_waits_for_the_outcome_of_a_branch_is_in_the_trace_of_a_recording_that_stops(void **state)
{
    (void)state;
    check_path(&(struct path){"stops", {NOP, B_EQ | TO_NEXT, NOP, NOP}, {0, 1, 2, 3}, 4});
    check_path(&(struct path){"stops", {NOP, TBZ_X1 | TO_NEXT, NOP, NOP}, {0, 1, 2, 3}, 4});
}

static void a_branch_to_the_next_instruction_agrees_with_those_after_it(void **state)
{
    (void)state;
    static const struct path paths[] = {
        {"flags", {B_EQ | TO_NEXT, NOP, B_EQ | PASSING_ONE, NOP, NOP}, {0, 1, 2, 4}, 4},
        {"same bit", {TBZ_X1 | TO_NEXT, NOP, TBZ_X1 | PASSING_ONE, NOP, NOP}, {0, 1, 2, 4}, 4},
        {"other way", {TBNZ_X1 | TO_NEXT, TBZ_X1 | PASSING_ONE, NOP, NOP}, {0, 1, 2, 3}, 4},
        {"all of it", {TBZ_X1 | TO_NEXT, NOP, CBZ_X1 | PASSING_ONE, NOP, NOP}, {0, 1, 2, 4}, 4},
        {"two",
         {CBNZ_X1 | TO_NEXT, CBNZ_X1 | TO_NEXT, TBNZ_X1 | PASSING_ONE, NOP, NOP},
         {0, 1, 2, 4},
         4},
        {"with those before",
         {CBNZ_X1 | PASSING_ONE, NOP, TBZ_X1 | TO_NEXT, CBZ_X1 | PASSING_ONE, NOP, NOP},
         {0, 1, 2, 3, 5},
         5},
        {"another register is written",
         {TBZ_X1 | TO_NEXT, MOV_X2, TBZ_X1 | PASSING_ONE, NOP, NOP},
         {0, 1, 2, 4},
         4},
        {"it is written", {TBZ_X1 | TO_NEXT, MOV_X1, TBZ_X1 | PASSING_ONE, NOP}, {0, 1, 2, 3}, 4},
    };
    for (size_t i = 0; i < COUNT(paths); i++) {
        check_path(&paths[i]);
    }
}

static void a_branch_of_which_it_is_not_known_agrees_with_those_before_it(void **state)
{
    (void)state;
    static const struct path paths[] = {
        {"flags", {B_EQ | PASSING_ONE, NOP, B_EQ | TO_NEXT, NOP}, {0, 2, 3}, 3},
        {"register", {CBNZ_X1 | PASSING_ONE, NOP, CBZ_X1 | TO_NEXT, NOP}, {0, 1, 2, 3}, 4},
        {"signal",
         {CBNZ_X1 | PASSING_ONE, NOP, CBNZ_X1 | PASSING_ONE, NOP, NOP},
         {0, 2, DIVERTED, 3, 4},
         5},
        {"bit, signal",
         {CBZ_X1 | PASSING_ONE, NOP, TBZ_X1 | PASSING_ONE, NOP, NOP},
         {0, 2, DIVERTED, 4},
         4},
        {"zero register", {CBZ_ZERO | TO_NEXT, NOP}, {0, 1}, 2},
        {"zero register, signal", {CBZ_ZERO | PASSING_ONE, NOP, NOP}, {0, DIVERTED, 2}, 3},
        {"after a signal",
         {TBNZ_X1 | PASSING_ONE, NOP, TBZ_X1 | TO_NEXT, TBNZ_X1 | PASSING_ONE, NOP, NOP},
         {0, 2, DIVERTED, 2, 3, 4, 5},
         7},
    };
    for (size_t i = 0; i < COUNT(paths); i++) {
        check_path(&paths[i]);
    }
}

/* A loop that is executed more often than items wait: what the branch after it says comes too late,
 * and does not contradict what was stated, as a gap is between them. */
static void the_outcome_of_a_branch_waits_for_some_instructions_only(void **state)
{
    (void)state;
    struct path path = {
        .name = "late",
        .words = {TBZ_X1 | TO_NEXT, MOV_X2, CBZ_X2_BACK, TBZ_X1 | PASSING_ONE, NOP, NOP}};
    path.length = PATH_MOST - 1;
    for (size_t i = 1; i < path.length; i++) {
        path.at[i] = (uint16_t)(2 - i % 2);
    }
    path.at[path.length - 2] = 3;
    path.at[path.length - 1] = 5;
    check_path(&path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trace_of_a_random_program_shows_what_was_executed),
        cmocka_unit_test(
            what_waits_for_the_outcome_of_a_branch_is_in_the_trace_of_a_recording_that_stops),
        cmocka_unit_test(a_branch_to_the_next_instruction_agrees_with_those_after_it),
        cmocka_unit_test(a_branch_of_which_it_is_not_known_agrees_with_those_before_it),
        cmocka_unit_test(the_outcome_of_a_branch_waits_for_some_instructions_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
