/* The stage that compares a trace with a recorded execution, with a format of runs that is made up
 * here: an event gives an address and how many instructions follow each other from there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/tests/random.h"
#include "execution/compare.h"
#include "execution/event_buffer.h"
#include "execution/execution_writer.h"
#include "model/layout.h"

/* --- the format --- */

enum { RUN = ASSAY_KIND_FIRST, NOTE, KINDS };
enum { COMPARE = 0, COMPARED = ASSAY_COMPARE_CELLS, NOTED, WORDS, END = 0, SIZE = 4, BYTES = 16 };

static const struct assay_field end_fields[] = {ASSAY_COMPARE_END_FIELDS(ASSAY_D, END)};
static const struct assay_field run_fields[] = {
    ASSAY_COMPARE_FIELDS(ASSAY_D, run, COMPARE, executed_word)
        ASSAY_D(run, compared, UINT, COMPARED, 0, 64, "calls of compare")};
static const struct assay_field note_fields[] = {
    ASSAY_D(note, noted, UINT, NOTED, 0, 64, "runs before it")};
static const struct assay_field malformed_fields[] = {
    ASSAY_D(malformed, value, UINT, 0, 0, 64, "nothing")};
static const struct assay_kind kinds[KINDS] = {
    ASSAY_KIND(malformed, "Malformed", 0, "", .layer = 0),
    ASSAY_KIND(end, "End", 0, "", .layer = 0),
    ASSAY_KIND(run, "Run", BYTES * 8, "", .layer = 0),
    ASSAY_KIND(note, "Note", BYTES * 8, "", .layer = 0),
};
static const struct assay_format toy = {.name = "toy", .kinds = kinds, .kind_count = KINDS};

static uint32_t word_at(uint64_t pc)
{
    return (uint32_t)pc << 8 | 0x13;
}

/* In the number of instructions: some can have been left out before the run. */
#define RESUMES (UINT64_C(1) << 32)

static uint32_t run_of(const struct assay_event *event)
{
    return (uint32_t)assay_load64(event->bytes + 8);
}

/* As from a program whose instructions have to be read one after the other: only `place` tells
 * where the next one is. */
static void step_of(void *context, const struct assay_event *event, struct assay_compare_run *run,
                    struct assay_compare_step *step)
{
    const uint64_t pc = assay_load64(event->bytes) + run->place[0];
    (void)context;
    *step = (struct assay_compare_step){
        .step = {.pc = pc,
                 .word = word_at(pc),
                 .resumes = run->at == 0 && (assay_load64(event->bytes + 8) & RESUMES) != 0}};
    run->place[0] += SIZE;
}

static void compare(void *context, const struct assay_event *event, uint32_t at,
                    const struct assay_compare_match *match, uint64_t *cells)
{
    uint64_t *runs = context;
    (void)event;
    *runs += at == 0;
    cells[COMPARED] += match != NULL;
}

static void note(void *context, const struct assay_event *event, uint64_t *cells)
{
    (void)event;
    cells[NOTED] = *(const uint64_t *)context;
}

static const uint8_t roles[KINDS] = {[ASSAY_KIND_END] = ASSAY_COMPARE_END,
                                     [RUN] = ASSAY_COMPARE_INSTRUCTION,
                                     [NOTE] = ASSAY_COMPARE_NOTE};

static const struct assay_compare_format of_runs = {.format = &toy,
                                                    .isas = UINT8_MAX,
                                                    .roles = roles,
                                                    .first = COMPARE,
                                                    .end_cells = END,
                                                    .run = run_of,
                                                    .step = step_of,
                                                    .compare = compare,
                                                    .note = note};

/* --- a decoder --- */

struct run {
    uint64_t pc, count; /* a count of 0: a note */
};

/* Gives the runs in blocks. What it gave before is overwritten, as by any decoder. */
enum { MOST_IN_BLOCK = 64 };
struct decoder {
    struct assay_stage stage;
    const struct run *runs;
    size_t count, at, in_block, fails_at;
    bool ended;
    struct assay_event events[MOST_IN_BLOCK];
    struct assay_history origins; /* of MOST_IN_BLOCK; each event has one, of its own number */
    uint64_t cells[MOST_IN_BLOCK][8];
    uint8_t bytes[MOST_IN_BLOCK][BYTES];
};

static enum assay_error next_block(struct assay_stage *stage, struct assay_block *block,
                                   struct assay_diag *diag)
{
    struct decoder *d = (struct decoder *)stage;
    memset(d->bytes, 0xee, sizeof d->bytes);
    memset(d->cells, 0xee, sizeof d->cells);
    memset(d->events, 0xee, sizeof d->events);
    *block = (struct assay_block){.events = d->events};
    while (!d->ended && block->count < d->in_block) {
        const bool end = d->at == d->count;
        const struct run run = end ? (struct run){0} : d->runs[d->at];
        const size_t n = block->count++;
        if (d->at == d->fails_at) {
            return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "it fails");
        }
        assay_store64(d->bytes[n], run.pc);
        assay_store64(d->bytes[n] + 8, run.count);
        d->events[n] = (struct assay_event){.from = assay_history_add(&d->origins, NULL),
                                            .bytes = d->bytes[n],
                                            .cells = d->cells[n],
                                            .index = d->at++,
                                            .bits = end ? 0 : BYTES * 8,
                                            .kind = end              ? ASSAY_KIND_END
                                                    : run.count == 0 ? NOTE
                                                                     : RUN};
        d->ended = end;
    }
    return ASSAY_OK;
}

/* --- both together --- */

/* A recording of the instructions of runs. */
static struct assay_execution *record(const struct run *runs, size_t count, struct assay_sink *sink)
{
    const struct assay_execution_header header = {
        .isa = ASSAY_EXECUTION_RISCV64, .producer = "test", .program = ""};
    struct assay_execution_writer *writer = NULL;
    struct assay_execution_track *track = NULL;
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    assay_sink_memory(sink, 0);
    assert_int_equal(assay_execution_writer_open(sink, &header, &writer, NULL), ASSAY_OK);
    assert_int_equal(assay_execution_track_open(writer, 0, 0, &track), ASSAY_OK);
    for (size_t i = 0; i < count; i++) {
        for (uint64_t pc = runs[i].pc; pc < runs[i].pc + runs[i].count * SIZE; pc += SIZE) {
            assert_int_equal(assay_execution_put_instruction(track, pc, word_at(pc), SIZE, NULL, 0),
                             ASSAY_OK);
        }
    }
    assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    assert_int_equal(assay_execution_writer_end(writer, ASSAY_EXECUTION_ENDED_BY_EXIT), ASSAY_OK);
    assay_execution_writer_close(writer);
    assert_int_equal(assay_source_memory(sink->data, sink->size, &source), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &execution, NULL), ASSAY_OK);
    return execution;
}

enum { MOST_EVENTS = 4096 };

struct seen {
    size_t count;
    struct run run[MOST_EVENTS];
    uint64_t cells[MOST_EVENTS][WORDS];
    unsigned kind[MOST_EVENTS];
    bool has_origin[MOST_EVENTS];
    enum assay_error error;
    struct assay_uncompared uncompared;
};

static void take(struct seen *seen, const struct assay_event *event)
{
    const size_t n = seen->count++;
    assert_true(n < MOST_EVENTS);
    assert_int_equal(event->index, n);
    seen->kind[n] = event->kind;
    seen->has_origin[n] = event->from != NULL;
    assert_true(event->from == NULL || event->from->index == n);
    seen->run[n] = event->bits > 0
                       ? (struct run){assay_load64(event->bytes), assay_load64(event->bytes + 8)}
                       : (struct run){0};
    memcpy(seen->cells[n], event->cells, sizeof seen->cells[n]);
}

static void close_nothing(struct assay_stage *stage)
{
    (void)stage;
}

static const struct assay_stage_ops decoder_ops = {.next = next_block, .close = close_nothing};

static void check(struct seen *seen, struct decoder *decoder, const struct run *executed,
                  size_t count)
{
    struct assay_sink sink;
    struct assay_chain chain = {.count = 0};
    struct assay_block block;
    struct assay_diag diag = {0};
    uint64_t runs = 0;
    seen->count = 0;
    decoder->stage.ops = &decoder_ops;
    assert_int_equal(assay_history_open(&decoder->origins,
                                        &(struct assay_history_setup){.slots = MOST_IN_BLOCK}),
                     ASSAY_OK);
    assert_int_equal(assay_chain_add(&chain, &decoder->stage), ASSAY_OK);
    const struct assay_decode_input input = {.execution = record(executed, count, &sink),
                                             .execution_thread = ASSAY_EXECUTION_THREAD_FROM_TRACE,
                                             .uncompared = &seen->uncompared};
    seen->uncompared = (struct assay_uncompared){.wrong = ""};
    assert_int_equal(assay_compare_add(&chain, &of_runs, &runs, &input, &decoder->origins, &diag),
                     ASSAY_OK);
    do {
        seen->error = assay_chain_next(&chain, &block, &diag);
        for (size_t i = 0; seen->error == ASSAY_OK && i < block.count; i++) {
            take(seen, &block.events[i]);
        }
    } while (seen->error == ASSAY_OK && block.count > 0);
    assay_chain_close(&chain);
    assay_history_close(&decoder->origins);
    assay_sink_close(&sink, NULL);
}

static struct seen *compare_with(const struct run *trace, size_t traced, size_t in_block,
                                 const struct run *executed, size_t count)
{
    static struct seen seen;
    static struct decoder decoder;
    decoder = (struct decoder){
        .runs = trace, .count = traced, .in_block = in_block, .fails_at = SIZE_MAX};
    check(&seen, &decoder, executed, count);
    assert_int_equal(seen.error, ASSAY_OK);
    assert_int_equal(seen.count, traced + 1);
    for (size_t i = 0; i < traced; i++) {
        assert_int_equal(seen.run[i].pc, trace[i].pc);
        assert_int_equal(seen.run[i].count, trace[i].count);
    }
    assert_int_equal(seen.kind[traced], ASSAY_KIND_END);
    return &seen;
}

static uint64_t left_out(const struct seen *seen, size_t n)
{
    return seen->cells[n][ASSAY_COMPARE_FLAGS] >> 45;
}

static uint64_t flags(const struct seen *seen, size_t n)
{
    return seen->cells[n][ASSAY_COMPARE_FLAGS] & ~(UINT64_MAX << 45) & ~(uint64_t)UINT32_MAX;
}

/* --- tests --- */

enum { RUNS = 600 };

/* Runs of 1 to 9 instructions at distinct addresses. */
static void make_runs(struct run *runs)
{
    for (size_t i = 0; i < RUNS; i++) {
        runs[i] = (struct run){.pc = 0x1000 + i * 64, .count = 1 + i * 7 % 9};
    }
}

static void a_trace_of_what_was_executed_is_all_executed(void **state)
{
    (void)state;
    static const size_t blocks[] = {1, 3, MOST_IN_BLOCK};
    struct run runs[RUNS];
    make_runs(runs);
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
        const struct seen *seen = compare_with(runs, RUNS, blocks[b], runs, RUNS);
        for (size_t i = 0; i < RUNS; i++) {
            assert_int_equal(flags(seen, i), ASSAY_COMPARE_EXECUTED);
            assert_int_equal(left_out(seen, i), 0);
            assert_int_equal(seen->cells[i][ASSAY_COMPARE_PC], runs[i].pc);
            assert_int_equal(seen->cells[i][COMPARED], runs[i].count);
        }
        assert_int_equal(seen->cells[RUNS][END], 0);
        assert_int_equal(seen->cells[RUNS][END + 4], 1);
    }
}

static void a_run_may_be_cut_anywhere(void **state)
{
    (void)state;
    struct run runs[RUNS];
    struct run cut[3 * RUNS];
    size_t count = 0;
    make_runs(runs);
    for (size_t i = 0; i < RUNS; i++) {
        const uint64_t first = runs[i].count / 2;
        if (first > 0) {
            cut[count++] = (struct run){runs[i].pc, first};
        }
        cut[count++] = (struct run){runs[i].pc + first * SIZE, runs[i].count - first};
    }
    const struct seen *seen = compare_with(cut, count, 10, runs, RUNS);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(flags(seen, i), ASSAY_COMPARE_EXECUTED);
    }
}

static void what_is_left_out_inside_a_run_is_reported_at_it(void **state)
{
    (void)state;
    struct run runs[RUNS];
    struct run trace[RUNS];
    make_runs(runs);
    runs[300] = (struct run){0x900000, 8};
    runs[301] = (struct run){0x900040, 8};
    memcpy(trace, runs, sizeof trace);
    /* The recording jumps from the middle of run 300 to another place and back. */
    struct run executed[RUNS + 2];
    memcpy(executed, runs, 300 * sizeof runs[0]);
    executed[300] = (struct run){0x900000, 4};
    executed[301] = (struct run){0xa00000, 5};
    executed[302] = (struct run){0x900010, 4};
    memcpy(executed + 303, runs + 301, (RUNS - 301) * sizeof runs[0]);
    const struct seen *seen = compare_with(trace, RUNS, 7, executed, RUNS + 2);
    for (size_t i = 0; i < RUNS; i++) {
        assert_int_equal(left_out(seen, i), i == 300 ? 5 : 0);
        assert_int_equal(flags(seen, i), ASSAY_COMPARE_EXECUTED);
    }
    assert_int_equal(seen->cells[300][ASSAY_COMPARE_PC], 0x900010);
    assert_int_equal(seen->cells[300][COMPARED], 8);
}

/* In a loop of two short bodies a gap may take whole iterations away, or a part of one. */
static void what_a_gap_leaves_out_is_left_out_nowhere_else(void **state)
{
    (void)state;
    struct run executed[RUNS];
    struct run trace[RUNS];
    for (uint64_t seed = 1; seed <= 50; seed++) {
        uint64_t random = seed;
        uint64_t all = 0;
        uint64_t found = 0;
        size_t count = 0;
        bool resumes = false;
        for (size_t i = 0; i < RUNS; i++) {
            executed[i] = (struct run){.pc = random_below(&random, 4) == 0 ? 0x2000 : 0x1000};
            executed[i].count = executed[i].pc == 0x2000 ? 3 : 5;
            all += executed[i].count;
            resumes = resumes || (i > 0 && random_below(&random, 20) == 0);
            if (!resumes || random_below(&random, 3) == 0) {
                const uint64_t first = resumes ? random_below(&random, 3) : 0;
                trace[count] =
                    (struct run){executed[i].pc + first * SIZE, executed[i].count - first};
                trace[count++].count |= resumes ? RESUMES : 0;
                found += executed[i].count - first;
                resumes = false;
            }
        }
        const struct seen *seen = compare_with(trace, count, 1 + seed % 9, executed, RUNS);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(flags(seen, i), ASSAY_COMPARE_EXECUTED);
            assert_true(left_out(seen, i) == 0 || (trace[i].count & RESUMES) != 0);
            found += left_out(seen, i);
        }
        assert_int_equal(found + seen->cells[count][END] + seen->cells[count][END + 2], all);
    }
}

/* After a gap in a loop, a part that is longer than what is looked ahead, or beyond the window, is
 * found where it ends with the loop. */
static void a_part_of_a_loop_is_found_by_what_follows_the_loop(void **state)
{
    enum { TURNS = RUNS / 4, GAPS = 3 };
    static const struct {
        size_t first, last; /* turns that a gap leaves out, of each loop */
    } gaps[GAPS] = {{3, TURNS / 2}, {1, TURNS - 2}, {TURNS / 4, TURNS / 4 + 1}};
    (void)state;
    struct run executed[RUNS];
    struct run trace[RUNS];
    size_t count = 0;
    uint64_t left = 0;
    for (size_t i = 0; i < RUNS; i++) {
        const size_t turn = i % TURNS;
        const size_t loop = i / TURNS;
        executed[i] = (struct run){.pc = turn == 0 ? 0x900000 : 0x1000, .count = 100};
        if (loop < GAPS && turn >= gaps[loop].first && turn < gaps[loop].last) {
            left += executed[i].count;
            continue;
        }
        trace[count] = executed[i];
        trace[count++].count |= loop < GAPS && turn == gaps[loop].last ? RESUMES : 0;
    }
    const struct seen *seen = compare_with(trace, count, 7, executed, RUNS);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(flags(seen, i), ASSAY_COMPARE_EXECUTED);
        assert_true(left_out(seen, i) == 0 || (trace[i].count & RESUMES) != 0);
        left -= left_out(seen, i);
    }
    assert_int_equal(left, seen->cells[count][END]);
}

/* Where the part is nowhere as a whole, a difference in it is one. */
static void a_difference_after_a_gap_is_a_difference(void **state)
{
    (void)state;
    struct run executed[RUNS];
    struct run trace[RUNS];
    for (size_t i = 0; i < RUNS; i++) {
        executed[i] = (struct run){.pc = i % 100 == 0 ? 0x900000 : 0x1000, .count = 100};
    }
    memcpy(trace, executed, 10 * sizeof trace[0]);
    memcpy(trace + 10, executed + 20, (RUNS - 20) * sizeof trace[0]);
    trace[10].count |= RESUMES;
    trace[60].pc = 0xb00000;
    const struct seen *seen = compare_with(trace, RUNS - 10, 7, executed, RUNS);
    size_t differ = 0;
    for (size_t i = 0; i < RUNS - 10; i++) {
        differ += seen->cells[i][ASSAY_COMPARE_PC] != trace[i].pc;
    }
    assert_true(differ > 0);
}

static void the_first_difference_in_a_run_is_reported(void **state)
{
    (void)state;
    struct run runs[RUNS];
    struct run trace[RUNS];
    make_runs(runs);
    memcpy(trace, runs, sizeof trace);
    trace[200].count += 3; /* more than was executed */
    trace[400].pc = 0xb00000;
    const struct seen *seen = compare_with(trace, RUNS, 16, runs, RUNS);
    assert_int_equal(flags(seen, 200), ASSAY_COMPARE_UNEXECUTED);
    assert_int_equal(flags(seen, 400), ASSAY_COMPARE_EXECUTED);
    assert_int_equal(seen->cells[400][ASSAY_COMPARE_PC], runs[400].pc);
    for (size_t i = 0; i < RUNS; i++) {
        if (i != 200) {
            assert_int_equal(flags(seen, i), ASSAY_COMPARE_EXECUTED);
        }
    }
}

static void other_events_keep_their_order_and_are_noted_in_it(void **state)
{
    (void)state;
    struct run runs[RUNS];
    struct run trace[2 * RUNS];
    size_t count = 0;
    make_runs(runs);
    for (size_t i = 0; i < RUNS; i++) {
        trace[count++] = runs[i];
        if (i % 3 == 0) {
            trace[count++] = (struct run){i, 0};
        }
    }
    memmove(&trace[50], &trace[60], (count - 60) * sizeof trace[0]); /* so that it looks ahead */
    count -= 10;
    const struct seen *seen = compare_with(trace, count, 5, runs, RUNS);
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        if (trace[i].count == 0) {
            assert_int_equal(seen->kind[i], NOTE);
            assert_int_equal(seen->cells[i][NOTED], before);
        } else {
            before++;
        }
    }
}

static void an_error_of_the_decoder_while_looking_ahead_is_passed_on(void **state)
{
    (void)state;
    static struct seen seen;
    static struct decoder decoder;
    struct run runs[RUNS];
    make_runs(runs);
    decoder = (struct decoder){.runs = runs, .count = RUNS, .in_block = 10, .fails_at = 33};
    check(&seen, &decoder, runs, RUNS);
    assert_int_equal(seen.error, ASSAY_NO_MEMORY);
    assert_int_equal(seen.count, 0); /* a trace is found by what is ahead of its first record */
}

/* Its first record is found by what is ahead of it, for which events are buffered. */
static void the_origin_of_an_event_that_was_held_for_long_is_still_known(void **state)
{
    (void)state;
    struct run runs[RUNS];
    make_runs(runs);
    const struct seen *seen = compare_with(runs, RUNS, 10, runs, RUNS);
    for (size_t n = 0; n < RUNS; n++) {
        assert_true(seen->has_origin[n]);
    }
}

static void a_recording_without_any_of_the_instructions_is_of_another_program(void **state)
{
    (void)state;
    struct run runs[RUNS];
    struct run others[RUNS];
    uint64_t all = 0;
    make_runs(runs);
    make_runs(others);
    for (size_t i = 0; i < RUNS; i++) {
        others[i].pc += 0x1000000;
        all += runs[i].count;
    }
    const struct seen *seen = compare_with(runs, RUNS, 10, others, RUNS);
    assert_non_null(strstr(seen->uncompared.wrong, "is of another program"));
    assert_int_equal(seen->uncompared.count[ASSAY_UNCOMPARED_LOST], all);
    others[RUNS - 1] = (struct run){runs[100].pc, 1}; /* one in common: rules say what is wrong */
    seen = compare_with(runs, RUNS, 10, others, RUNS);
    assert_string_equal(seen->uncompared.wrong, "");
    assert_int_equal(seen->uncompared.count[ASSAY_UNCOMPARED_LOST], all);
}

static void events_leave_the_buffer_in_the_order_in_which_they_came(void **state)
{
    (void)state;
    static uint64_t cells[8];
    static uint8_t bytes[BYTES];
    struct assay_event_buffer *buffer = assay_buffer_new(&toy, 1, NULL);
    uint64_t in = 0;
    uint64_t out = 0;
    assert_non_null(buffer);
    for (unsigned round = 0; round < 200; round++) {
        for (unsigned i = 0; i < 1000; i++, in++) {
            const struct assay_event event = {
                .bytes = bytes, .cells = cells, .index = in, .bits = BYTES * 8, .kind = RUN};
            cells[0] = in;
            assay_store64(bytes, in);
            if (assay_buffer_put(buffer, &event, 1) == 0) {
                break;
            }
        }
        for (unsigned i = 0; i < 3 + round % 5; i++) {
            size_t count;
            const struct assay_event *first = assay_buffer_first(buffer, &count);
            count = count > 200 ? 200 : count;
            for (size_t k = 0; k < count; k++, out++) {
                assert_int_equal(first[k].index, out);
                assert_int_equal(first[k].cells[0], out);
                assert_int_equal(assay_load64(first[k].bytes), out);
            }
            if (count > 0) {
                assay_buffer_take(buffer, count);
            }
        }
    }
    assert_in_range(in - out, 20000, 30000); /* it was full, and nothing was lost */
    assay_buffer_free(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_of_what_was_executed_is_all_executed),
        cmocka_unit_test(a_run_may_be_cut_anywhere),
        cmocka_unit_test(what_is_left_out_inside_a_run_is_reported_at_it),
        cmocka_unit_test(what_a_gap_leaves_out_is_left_out_nowhere_else),
        cmocka_unit_test(a_part_of_a_loop_is_found_by_what_follows_the_loop),
        cmocka_unit_test(a_difference_after_a_gap_is_a_difference),
        cmocka_unit_test(the_first_difference_in_a_run_is_reported),
        cmocka_unit_test(other_events_keep_their_order_and_are_noted_in_it),
        cmocka_unit_test(an_error_of_the_decoder_while_looking_ahead_is_passed_on),
        cmocka_unit_test(the_origin_of_an_event_that_was_held_for_long_is_still_known),
        cmocka_unit_test(a_recording_without_any_of_the_instructions_is_of_another_program),
        cmocka_unit_test(events_leave_the_buffer_in_the_order_in_which_they_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
