/* A trace compared with a recorded execution: each fault of the trace is reported once. */
#include "astf/tests/compare_support.h"

#include "common/tests/turn.h"
#include "execution/locate.h"

/* Instructions at distinct addresses, or in a loop. */
static struct program looping(size_t count, size_t length)
{
    struct program program = {0};
    for (size_t i = 0; i < count; i++) {
        const size_t at = i % length;
        program_add(&program, (struct one){.pc = 0x1000 + 4 * at,
                                           .iword = UINT32_C(0x91000400) + (uint32_t)(at % 31)});
    }
    return program;
}

static struct program straight(size_t count)
{
    return looping(count, count + 1);
}

/* Exactly what is wanted is reported. */
static void assert_report(const struct program *executed, struct program *trace, struct report want)
{
    const struct report report = compare_with(executed, false, trace);
    assert_int_equal(report.replaced, want.replaced);
    assert_int_equal(report.moved, want.moved);
    assert_int_equal(report.excess, want.excess);
    assert_int_equal(report.left_out, want.left_out);
    assert_int_equal(report.gaps, want.gaps);
    assert_int_equal(report.lost, want.lost);
    assert_int_equal(report.unknown, want.unknown);
    assert_int_equal(report.begins_after, want.begins_after);
    assert_int_equal(report.unrecorded, want.unrecorded);
    assert_int_equal(report.located, want.lost == 0);
    program_drop(trace);
}

static const size_t positions[] = {1, 63, 64, 65, 500, 899};
enum { LENGTH = 1200, POSITIONS = sizeof positions / sizeof positions[0] };

static void a_trace_of_what_was_executed_is_the_same_everywhere(void **state)
{
    (void)state;
    const size_t loops[] = {1, 2, 63, 64, 65, 5000};
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        struct program program = looping(5000, loops[i]);
        struct program trace = program_copy(&program);
        assert_report(&program, &trace, (struct report){0});
        program_drop(&program);
    }
}

static void a_gap_of_any_length_is_reported_once(void **state)
{
    (void)state;
    const size_t lengths[] = {1, 2, 63, 64, 65, 200, 511, 512, 513, 2000, 20000};
    struct program program = straight(25000);
    for (size_t p = 0; p < POSITIONS; p++) {
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            if (!is_in_sanitized_turn(i + p)) {
                continue;
            }
            struct program trace = program_copy(&program);
            if (positions[p] >= ASSAY_LOCATE_LENGTH || lengths[i] < ASSAY_LOCATE_BACK) {
                remove_records(&trace, positions[p], lengths[i]);
                assert_report(&program, &trace, (struct report){.left_out = lengths[i], .gaps = 1});
            } else {
                program_drop(&trace);
            }
        }
    }
    program_drop(&program);
}

static void what_is_missing_at_an_end_is_not_a_gap(void **state)
{
    (void)state;
    struct program program = straight(50000);
    const size_t lengths[] = {1, 63, 64, 1000, 40000};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct program trace = program_copy(&program);
        trace.count -= lengths[i];
        assert_report(&program, &trace, (struct report){.unrecorded = lengths[i]});
        trace = program_copy(&program);
        remove_records(&trace, 0, lengths[i]);
        assert_report(&program, &trace, (struct report){.begins_after = lengths[i]});
    }
    program_drop(&program);
}

static void each_record_that_was_never_executed_is_reported_once(void **state)
{
    (void)state;
    struct program program = straight(LENGTH);
    for (size_t p = 0; p < POSITIONS; p++) {
        for (size_t n = 1; n < 900; n += n < 4 ? 1 : 59) {
            struct program trace = program_copy(&program);
            insert_records(&trace, positions[p], n);
            assert_report(&program, &trace, (struct report){.excess = n});
        }
    }
    program_drop(&program);
}

static void each_record_that_replaces_another_is_reported_once(void **state)
{
    (void)state;
    struct program program = straight(3000);
    for (size_t p = 0; p < POSITIONS; p++) {
        for (size_t n = 1; n < 900; n += n < 4 ? 1 : 59) {
            struct program trace = program_copy(&program);
            replace_records(&trace, positions[p], n);
            assert_report(&program, &trace, (struct report){.replaced = n});
        }
    }
    program_drop(&program);
}

static void a_changed_word_is_reported_once(void **state)
{
    (void)state;
    struct program program = looping(LENGTH, 10);
    for (size_t p = 0; p < POSITIONS; p++) {
        struct program trace = program_copy(&program);
        trace.list[positions[p]].iword ^= 0x80;
        assert_report(&program, &trace, (struct report){.replaced = 1});
    }
    program_drop(&program);
}

static void of_two_records_in_the_wrong_order_one_has_moved(void **state)
{
    (void)state;
    struct program program = straight(LENGTH);
    for (size_t p = 0; p < POSITIONS; p++) {
        struct program trace = program_copy(&program);
        swap_runs(&trace, positions[p], 1, 1);
        assert_report(&program, &trace, (struct report){.moved = 1});
    }
    program_drop(&program);
}

static void each_record_after_the_end_of_the_execution_is_reported(void **state)
{
    (void)state;
    for (size_t n = 0; n < 2000; n += 333) {
        struct program trace = straight(3000);
        struct program program = straight(3000 - n);
        assert_report(&program, &trace, (struct report){.excess = n});
        program_drop(&program);
    }
}

static void nothing_is_reported_after_the_end_of_a_recording_that_was_stopped(void **state)
{
    (void)state;
    struct program trace = straight(3000);
    struct program program = straight(2000);
    remove_records(&trace, 1990, 5);
    const struct report report = compare_with(&program, true, &trace);
    assert_int_equal(report.left_out, 5);
    assert_int_equal(report.unknown, 1000);
    assert_int_equal(report.excess + report.replaced + report.moved + report.lost, 0);
    program_drop(&trace);
    program_drop(&program);
}

static void faults_far_from_each_other_are_reported_independently(void **state)
{
    (void)state;
    struct program program = straight(LENGTH);
    struct program trace = program_copy(&program);
    insert_records(&trace, 900, 3);
    replace_records(&trace, 700, 5);
    swap_runs(&trace, 500, 1, 1);
    remove_records(&trace, 300, 20);
    trace.list[100].iword ^= 1;
    assert_report(
        &program, &trace,
        (struct report){.excess = 3, .replaced = 6, .moved = 1, .left_out = 20, .gaps = 1});
    program_drop(&program);
}

static void a_trace_of_another_program_is_reported_once(void **state)
{
    (void)state;
    struct program program = straight(40000);
    struct program trace = straight(5000);
    replace_records(&trace, 0, 5000);
    assert_report(&program, &trace, (struct report){.lost = 1, .unknown = 4999});
    program_drop(&program);
}

static void a_trace_that_leaves_the_execution_is_reported_once(void **state)
{
    (void)state;
    struct program program = straight(40000);
    struct program trace = straight(10000);
    replace_records(&trace, 4000, 6000);
    assert_report(&program, &trace, (struct report){.lost = 1, .unknown = 5999});
    program_drop(&program);
}

static void an_execution_without_instructions_executes_nothing(void **state)
{
    (void)state;
    struct program none = {0};
    struct program trace = straight(10);
    assert_report(&none, &trace, (struct report){.excess = 10});
}

/* The error with which a trace of the program stops, when only `size` bytes of its recording are
 * there. */
static enum assay_error error_with_part(const struct program *trace, const struct assay_sink *whole,
                                        size_t size)
{
    uint8_t *bytes = trace_of(trace);
    struct assay_decode_input input = {.threaded = false};
    struct assay_decoder *decoder = NULL;
    struct assay_source *source = NULL;
    struct assay_block block = {.count = 1};
    struct assay_diag diag = {0};
    assert_int_equal(assay_source_memory(whole->data, size, &source), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &input.execution, NULL), ASSAY_OK);
    assert_int_equal(assay_source_memory(bytes, (trace->count + 1) * RECORD, &input.source),
                     ASSAY_OK);
    assert_int_equal(astf_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    enum assay_error error = ASSAY_OK;
    while (error == ASSAY_OK && block.count > 0) {
        error = astf_decoder_ops.next(decoder, &block, &diag);
    }
    astf_decoder_ops.close(decoder);
    free(bytes);
    assert_int_equal(error != ASSAY_OK, strstr(diag.message, "recorded execution") != NULL);
    return error;
}

static void what_follows_a_truncated_recording_is_not_compared_with_it(void **state)
{
    (void)state;
    struct program program = straight(4000);
    struct program beginning = program;
    struct assay_sink sink;
    assay_execution_close(record(&program, false, &sink));
    beginning.count = 100;
    assert_int_equal(error_with_part(&program, &sink, sink.size), ASSAY_OK);
    assert_int_equal(error_with_part(&program, &sink, sink.size - 1), ASSAY_TRUNCATED);
    assert_int_equal(error_with_part(&program, &sink, sink.size / 2), ASSAY_TRUNCATED);
    assert_int_equal(error_with_part(&beginning, &sink, sink.size / 2), ASSAY_OK);
    memset(sink.data + sink.size / 2, 0xff, 400);
    assert_int_not_equal(error_with_part(&program, &sink, sink.size), ASSAY_OK);
    assay_sink_close(&sink, NULL);
    program_drop(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_of_what_was_executed_is_the_same_everywhere),
        cmocka_unit_test(a_gap_of_any_length_is_reported_once),
        cmocka_unit_test(what_is_missing_at_an_end_is_not_a_gap),
        cmocka_unit_test(each_record_that_was_never_executed_is_reported_once),
        cmocka_unit_test(each_record_that_replaces_another_is_reported_once),
        cmocka_unit_test(a_changed_word_is_reported_once),
        cmocka_unit_test(of_two_records_in_the_wrong_order_one_has_moved),
        cmocka_unit_test(each_record_after_the_end_of_the_execution_is_reported),
        cmocka_unit_test(nothing_is_reported_after_the_end_of_a_recording_that_was_stopped),
        cmocka_unit_test(faults_far_from_each_other_are_reported_independently),
        cmocka_unit_test(a_trace_of_another_program_is_reported_once),
        cmocka_unit_test(a_trace_that_leaves_the_execution_is_reported_once),
        cmocka_unit_test(an_execution_without_instructions_executes_nothing),
        cmocka_unit_test(what_follows_a_truncated_recording_is_not_compared_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
