/* Traces of several threads beside recorded executions: each record is checked against the thread
 * that the trace names. */
#include "stf/tests/stf_support.h"

#include <stdio.h>
#include <unistd.h>

#include "execution/execution_writer.h"
#include "execution/threads.h"
#include "io/filter.h"

enum { THREADS = 3, LENGTH = 600, PIECE = 50, NOP = 0x13, PROCESS = 42, FIRST_ID = 70 };
enum { BNE_X0_X0 = 0x1463 /* is not taken */ };

static uint64_t pc_of(unsigned thread, unsigned at)
{
    return 0x10000 * (thread + 1) + UINT64_C(4) * at;
}

/* Threads whose instructions are distinguished by their words, too; each piece ends with a branch.
 */
static uint32_t word_of(unsigned at)
{
    return at % PIECE == PIECE - 1 ? BNE_X0_X0 : NOP | at << 20;
}

/* Each thread in one piece. The `diverted` instruction of thread 1 is come to by a signal. */
static struct assay_sink record(unsigned threads, unsigned diverted)
{
    const struct assay_execution_header header = {
        .isa = ASSAY_EXECUTION_RISCV64, .process = PROCESS, .producer = "test", .program = ""};
    struct assay_execution_writer *writer = NULL;
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    assert_int_equal(assay_execution_writer_open(&sink, &header, &writer, NULL), ASSAY_OK);
    for (unsigned thread = 0; thread < threads; thread++) {
        struct assay_execution_track *track = NULL;
        assert_int_equal(assay_execution_track_open(writer, FIRST_ID + thread, 0, &track),
                         ASSAY_OK);
        for (unsigned at = 0; at < LENGTH; at++) {
            if (thread == 1 && at == diverted) {
                assert_int_equal(assay_execution_put_diverted(track), ASSAY_OK);
            }
            assert_int_equal(
                assay_execution_put_instruction(track, pc_of(thread, at), word_of(at), 4, NULL, 0),
                ASSAY_OK);
        }
        assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    }
    assert_int_equal(assay_execution_writer_end(writer, ASSAY_EXECUTION_ENDED_BY_EXIT), ASSAY_OK);
    assay_execution_writer_close(writer);
    return sink;
}

static void put_switch(struct trace *trace, uint64_t process, uint64_t thread)
{
    PUT(trace, process_id_ext, {"pid", process}, {"tid", thread});
}

static void put_piece(struct trace *trace, unsigned thread, unsigned from, unsigned count)
{
    PUT(trace, force_pc, {"pc", pc_of(thread, from)});
    for (unsigned at = from; at < from + count; at++) {
        PUT(trace, inst_32, {"encoding", word_of(at)});
    }
}

/* Pieces of all threads in turn; `first_id` is that of the first thread. */
static struct trace in_turn(unsigned threads, uint64_t first_id)
{
    struct trace trace = begin_with(3, 2, 0x20, pc_of(0, 0));
    for (unsigned at = 0; at < LENGTH; at += PIECE) {
        for (unsigned thread = 0; thread < threads; thread++) {
            put_switch(&trace, PROCESS, first_id + thread);
            put_piece(&trace, thread, at, PIECE);
        }
    }
    return trace;
}

static struct assay_execution *open_recording(struct assay_source *source)
{
    struct assay_execution *execution = NULL;
    assert_int_equal(assay_execution_open(source, &execution, NULL), ASSAY_OK);
    return execution;
}

static struct decoded hold(const struct trace *trace, const struct assay_sink *recording,
                           uint32_t thread)
{
    struct assay_source *source = NULL;
    struct assay_decode_input input = {.execution_thread = thread};
    assert_int_equal(assay_source_memory(recording->data, recording->size, &source), ASSAY_OK);
    input.execution = open_recording(source);
    assert_int_equal(assay_source_memory(trace->data, trace->size, &input.source), ASSAY_OK);
    return decode_input(input);
}

struct told {
    unsigned same, wrong, excess, lost, untold, diverted, after_branch;
    uint64_t left_out, unrecorded;
};

static struct told tell(struct decoded all)
{
    struct told told = {.unrecorded = value_of(end_of(&all), "unrecorded")};
    for (size_t i = 0; i < all.count; i++) {
        const struct seen *seen = &all.list[i];
        if (seen->kind != STF_inst_32) {
            continue;
        }
        const bool executed = value_of(seen, "executed") != 0;
        const bool same = executed && value_of(seen, "executed_pc") == value_of(seen, "pc") &&
                          value_of(seen, "executed_word") == value_of(seen, "encoding");
        const bool excess = value_of(seen, "unexecuted") != 0;
        const bool lost = value_of(seen, "lost") != 0;
        told.same += same;
        told.wrong += executed && !same;
        told.excess += excess;
        told.lost += lost;
        told.untold += !executed && !excess && !lost;
        told.left_out += value_of(seen, "left_out");
        told.diverted += value_of(seen, "diverted") != 0;
        told.after_branch += value_of(seen, "after_branch") != 0;
    }
    free(all.list);
    return told;
}

static struct told follow(struct trace trace, struct assay_sink recording)
{
    const struct told told = tell(hold(&trace, &recording, ASSAY_EXECUTION_THREAD_FROM_TRACE));
    free(trace.data);
    assay_sink_close(&recording, NULL);
    return told;
}

static void each_record_is_held_against_the_thread_that_is_told(void **state)
{
    (void)state;
    const struct told told = follow(in_turn(THREADS, FIRST_ID), record(THREADS, LENGTH));
    assert_int_equal(told.same, THREADS * LENGTH);
    assert_int_equal(told.unrecorded, 0);
}

static void a_trace_of_another_thread_than_the_first_needs_no_number(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, 2, 0x20, pc_of(2, 0));
    put_switch(&trace, PROCESS, FIRST_ID + 2);
    put_piece(&trace, 2, 0, LENGTH - 7);
    const struct told told = follow(trace, record(THREADS, LENGTH));
    assert_int_equal(told.same, LENGTH - 7);
    assert_int_equal(told.unrecorded, 7);
}

static void a_number_that_was_given_is_the_only_thread(void **state)
{
    (void)state;
    struct trace trace = in_turn(2, FIRST_ID);
    struct assay_sink recording = record(2, LENGTH);
    const struct told told = tell(hold(&trace, &recording, 0));
    assert_true(told.same < 2 * LENGTH);
    assert_true(told.excess + told.lost + told.untold > LENGTH / 2);
    free(trace.data);
    assay_sink_close(&recording, NULL);
}

static void what_differs_is_told_in_its_thread(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, 2, 0x20, pc_of(0, 0));
    for (unsigned at = 0; at < LENGTH; at += PIECE) {
        put_switch(&trace, PROCESS, FIRST_ID);
        put_piece(&trace, 0, at, PIECE);
        put_switch(&trace, PROCESS, FIRST_ID + 1);
        if (at == 4 * PIECE) { /* 3 instructions of thread 1 are left out, 1 is another */
            put_piece(&trace, 1, at, 20);
            put_piece(&trace, 1, at + 23, PIECE - 24);
            PUT(&trace, inst_32, {"encoding", 0x00100093});
        } else {
            put_piece(&trace, 1, at, PIECE);
        }
    }
    const struct told told = follow(trace, record(2, LENGTH));
    assert_int_equal(told.left_out, 3);
    assert_int_equal(told.wrong, 1);
    assert_int_equal(told.same, 2 * LENGTH - 4);
    assert_int_equal(told.excess + told.lost + told.untold, 0);
}

static void a_thread_that_goes_on_without_a_word_is_not_what_was_executed(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, 2, 0x20, pc_of(0, 0));
    put_switch(&trace, PROCESS, FIRST_ID);
    put_piece(&trace, 0, 0, LENGTH / 2);
    put_piece(&trace, 1, 0, PIECE);
    put_piece(&trace, 0, LENGTH / 2, LENGTH / 2);
    const struct told told = follow(trace, record(2, LENGTH));
    assert_int_equal(told.same, LENGTH);
    assert_int_equal(told.excess, PIECE);
}

static void ids_of_something_else_are_left_aside_once_one_was_known(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, 2, 0x20, pc_of(0, 0));
    put_switch(&trace, PROCESS, FIRST_ID);
    put_piece(&trace, 0, 0, PIECE);
    put_switch(&trace, PROCESS, 999);
    put_piece(&trace, 7, 0, PIECE);
    put_switch(&trace, PROCESS + 1, FIRST_ID + 1);
    put_piece(&trace, 8, 0, PIECE);
    put_switch(&trace, PROCESS, FIRST_ID);
    put_piece(&trace, 0, PIECE, LENGTH - PIECE);
    const struct told told = follow(trace, record(2, LENGTH));
    assert_int_equal(told.same, LENGTH);
    assert_int_equal(told.untold, 2 * PIECE);
    assert_int_equal(told.left_out + told.excess + told.lost, 0);
}

static void threads_that_are_numbered_otherwise_are_those_of_the_first_thread(void **state)
{
    (void)state;
    struct trace trace = begin_with(3, 2, 0x20, pc_of(0, 0));
    put_switch(&trace, PROCESS, 1);
    put_piece(&trace, 0, 0, LENGTH);
    const struct told told = follow(trace, record(2, LENGTH));
    assert_int_equal(told.same, LENGTH);
}

static void what_came_before_a_thread_went_on_is_not_held_against_another(void **state)
{
    (void)state;
    /* By a signal in the middle of a piece, and where a piece begins. */
    assert_int_equal(follow(in_turn(2, FIRST_ID), record(2, PIECE + 5)).diverted, 1);
    assert_int_equal(follow(in_turn(2, FIRST_ID), record(2, 2 * PIECE)).diverted, 0);
}

static void where_a_branch_led_is_not_what_another_thread_executed(void **state)
{
    (void)state;
    assert_int_equal(follow(in_turn(1, FIRST_ID), record(1, LENGTH)).after_branch,
                     LENGTH / PIECE - 1);
    assert_int_equal(follow(in_turn(2, FIRST_ID), record(2, LENGTH)).after_branch, 0);
}

static void traces_of_1_6_have_the_ids_behind_the_hardware_thread(void **state)
{
    (void)state;
    struct trace trace = begin_with(6, 2, 0x20, pc_of(0, 0));
    for (unsigned thread = 0; thread < 2; thread++) {
        PUT(&trace, process_id_ext, {"pid", 0}, {"tid", PROCESS}, {"asid", FIRST_ID + thread});
        put_piece(&trace, thread, 0, LENGTH);
    }
    assert_int_equal(follow(trace, record(2, LENGTH)).same, 2 * LENGTH);
}

/* Decodes to the end or the first error. */
static enum assay_error error_of(const struct trace *trace, struct assay_source *source,
                                 struct assay_diag *diag)
{
    struct assay_decode_input input = {.execution_thread = ASSAY_EXECUTION_THREAD_FROM_TRACE,
                                       .execution = open_recording(source)};
    struct assay_decoder *decoder = NULL;
    struct assay_block block = {.count = 1};
    assert_int_equal(assay_source_memory(trace->data, trace->size, &input.source), ASSAY_OK);
    enum assay_error error = stf_decoder_ops.open(&input, &decoder, diag);
    while (error == ASSAY_OK && block.count > 0) {
        error = stf_decoder_ops.next(decoder, &block, diag);
    }
    stf_decoder_ops.close(decoder);
    return error;
}

static void more_threads_than_can_be_followed_are_an_error(void **state)
{
    (void)state;
    struct assay_source *source = NULL;
    struct assay_diag diag = {0};
    for (unsigned more = 0; more < 2; more++) {
        struct trace trace = in_turn(ASSAY_THREADS_MAX + more, FIRST_ID);
        struct assay_sink recording = record(ASSAY_THREADS_MAX + more, LENGTH);
        assert_int_equal(assay_source_memory(recording.data, recording.size, &source), ASSAY_OK);
        assert_int_equal(error_of(&trace, source, &diag), more == 0 ? ASSAY_OK : ASSAY_LIMIT);
        free(trace.data);
        assay_sink_close(&recording, NULL);
    }
    assert_non_null(strstr(diag.message, "more than 32 threads"));
}

/* A source of a pipe, which cannot be read again. */
static struct assay_source *piped(const struct assay_sink *recording)
{
    struct assay_source *source = NULL;
    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], recording->data, recording->size), recording->size);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(assay_source_open(path, &source, NULL), ASSAY_OK);
    close(ends[0]);
    return source;
}

static void a_recording_that_comes_once_serves_one_thread(void **state)
{
    (void)state;
    struct assay_sink recording = record(2, LENGTH);
    struct assay_diag diag = {0};
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct trace trace = in_turn(threads, FIRST_ID);
        assert_int_equal(error_of(&trace, piped(&recording), &diag),
                         threads == 1 ? ASSAY_OK : ASSAY_UNSUPPORTED);
        free(trace.data);
    }
    assert_non_null(strstr(diag.message, "has to be a file"));
    assay_sink_close(&recording, NULL);
}

static void a_recording_that_is_compressed_serves_each_thread(void **state)
{
    (void)state;
    struct assay_sink recording = record(2, LENGTH), stored;
    struct assay_compressor *compressor = NULL;
    struct assay_source *under = NULL, *source = NULL;
    struct assay_diag diag = {0};
    struct trace trace = in_turn(2, FIRST_ID);
    assay_sink_memory(&stored, 0);
    assert_int_equal(assay_compressor_open(&stored, ASSAY_CONTAINER_GZIP, &compressor, NULL),
                     ASSAY_OK);
    assert_int_equal(assay_compressor_write(compressor, recording.data, recording.size), ASSAY_OK);
    assert_int_equal(assay_compressor_end(compressor), ASSAY_OK);
    assert_int_equal(assay_source_memory(stored.data, stored.size, &under), ASSAY_OK);
    assert_int_equal(assay_filter_open(under, ASSAY_CONTAINER_GZIP, false, &source, NULL),
                     ASSAY_OK);
    assert_int_equal(error_of(&trace, source, &diag), ASSAY_OK);
    free(trace.data);
    assay_sink_close(&recording, NULL);
    assay_sink_close(&stored, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_record_is_held_against_the_thread_that_is_told),
        cmocka_unit_test(a_trace_of_another_thread_than_the_first_needs_no_number),
        cmocka_unit_test(a_number_that_was_given_is_the_only_thread),
        cmocka_unit_test(what_differs_is_told_in_its_thread),
        cmocka_unit_test(a_thread_that_goes_on_without_a_word_is_not_what_was_executed),
        cmocka_unit_test(ids_of_something_else_are_left_aside_once_one_was_known),
        cmocka_unit_test(threads_that_are_numbered_otherwise_are_those_of_the_first_thread),
        cmocka_unit_test(what_came_before_a_thread_went_on_is_not_held_against_another),
        cmocka_unit_test(where_a_branch_led_is_not_what_another_thread_executed),
        cmocka_unit_test(traces_of_1_6_have_the_ids_behind_the_hardware_thread),
        cmocka_unit_test(more_threads_than_can_be_followed_are_an_error),
        cmocka_unit_test(a_recording_that_comes_once_serves_one_thread),
        cmocka_unit_test(a_recording_that_is_compressed_serves_each_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
