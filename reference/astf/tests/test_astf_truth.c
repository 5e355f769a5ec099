/* The trace beside a recorded execution: a fault of the trace is told as often as it was made. */
#include "astf/tests/astf_support.h"

#include "astf/truth.h"
#include "execution/execution_writer.h"

enum { RECORD = ASTF_RECORD_BYTES, MOST = 4096 };

struct program {
    uint64_t pc[MOST];
    uint32_t iword[MOST];
    size_t count;
};

/* Instructions at distinct addresses. */
static struct program straight(size_t count)
{
    struct program program = {.count = count};
    for (size_t i = 0; i < count; i++) {
        program.pc[i] = 0x1000 + 4 * i;
        program.iword[i] = UINT32_C(0x91000400) + (uint32_t)(i % 31);
    }
    return program;
}

static struct program looping(size_t count, size_t length)
{
    struct program program = straight(count);
    for (size_t i = length; i < count; i++) {
        program.pc[i] = program.pc[i - length];
        program.iword[i] = program.iword[i - length];
    }
    return program;
}

/* An edit of the trace. */
static void remove_records(struct program *trace, size_t at, size_t n)
{
    const size_t left = trace->count - at - n;
    memmove(&trace->pc[at], &trace->pc[at + n], left * sizeof trace->pc[0]);
    memmove(&trace->iword[at], &trace->iword[at + n], left * sizeof trace->iword[0]);
    trace->count -= n;
}

static void replace_records(struct program *trace, size_t at, size_t n)
{
    for (size_t i = at; i < at + n; i++) {
        trace->pc[i] = 0x900000 + 4 * i;
    }
}

static void insert_records(struct program *trace, size_t at, size_t n)
{
    const size_t behind = trace->count - at;
    memmove(&trace->pc[at + n], &trace->pc[at], behind * sizeof trace->pc[0]);
    memmove(&trace->iword[at + n], &trace->iword[at], behind * sizeof trace->iword[0]);
    trace->count += n;
    replace_records(trace, at, n);
}

static void swap_records(struct program *trace, size_t a, size_t b)
{
    const uint64_t pc = trace->pc[a];
    const uint32_t iword = trace->iword[a];
    trace->pc[a] = trace->pc[b];
    trace->iword[a] = trace->iword[b];
    trace->pc[b] = pc;
    trace->iword[b] = iword;
}

/* The program as a recording; instructions of another thread run in between. */
static struct assay_execution *record(const struct program *program, struct assay_sink *sink)
{
    const struct assay_execution_header header = {
        .isa = ASSAY_EXECUTION_AARCH64, .producer = "test", .program = ""};
    struct assay_execution_writer *writer = NULL;
    struct assay_execution_track *track = NULL;
    struct assay_execution_track *other = NULL;
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    assay_sink_memory(sink, 0);
    assert_int_equal(assay_execution_writer_open(sink, &header, &writer, NULL), ASSAY_OK);
    assert_int_equal(assay_execution_track_open(writer, 0, 0, &track), ASSAY_OK);
    assert_int_equal(assay_execution_track_open(writer, 1, 0, &other), ASSAY_OK);
    for (size_t i = 0; i < program->count; i++) {
        assert_int_equal(
            assay_execution_put_instruction(track, program->pc[i], program->iword[i], 4, NULL, 0),
            ASSAY_OK);
        if (i % 50 == 7) {
            assert_int_equal(assay_execution_put_instruction(other, 0x700000, 0, 4, NULL, 0),
                             ASSAY_OK);
            assert_int_equal(assay_execution_track_flush(other), ASSAY_OK);
            assert_int_equal(assay_execution_track_flush(track), ASSAY_OK);
        }
    }
    assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    assert_int_equal(assay_execution_track_close(other, true), ASSAY_OK);
    assert_int_equal(assay_execution_writer_end(writer, ASSAY_EXECUTION_ENDED_BY_EXIT), ASSAY_OK);
    assay_execution_writer_close(writer);
    assert_int_equal(assay_source_memory(sink->data, sink->size, &source), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &execution, NULL), ASSAY_OK);
    return execution;
}

static bool matches(const struct seen *seen)
{
    return derived(seen, "executed") != 0 &&
           derived(seen, "executed_pc") == astf_get(seen->bytes, instr, pc) &&
           derived(seen, "executed_iword") == astf_get(seen->bytes, instr, iword);
}

/* How many records of the trace are not those that were executed. */
static size_t mismatches(const struct program *executed, const struct program *trace)
{
    static uint8_t bytes[(2 * MOST + 1) * RECORD];
    struct assay_sink sink;
    make_header(bytes, false, false);
    for (size_t i = 0; i < trace->count; i++) {
        make_instr(bytes + (i + 1) * RECORD, trace->pc[i], trace->iword[i]);
    }
    struct decoded all =
        decode_trace(bytes, (trace->count + 1) * RECORD, false, record(executed, &sink));
    size_t wrong = 0;
    for (size_t i = 1; i <= trace->count; i++) {
        wrong += !matches(&all.list[i]);
    }
    free(all.list);
    assay_sink_close(&sink, NULL);
    return wrong;
}

static const size_t places[] = {0, 1, 63, 64, 65, 500, 899};
enum { LENGTH = 1000, PLACES = sizeof places / sizeof places[0] };

static void a_trace_of_what_was_executed_matches_everywhere(void **state)
{
    (void)state;
    const size_t loops[] = {1, 2, 63, 64, 65, 2000};
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        const struct program program = looping(2000, loops[i]);
        assert_int_equal(mismatches(&program, &program), 0);
    }
}

static void a_gap_is_told_once_however_long(void **state)
{
    (void)state;
    const struct program program = straight(LENGTH);
    for (size_t p = 0; p < PLACES; p++) {
        for (size_t n = 1; n < ASTF_TRUTH_WINDOW; n++) {
            struct program trace = program;
            remove_records(&trace, places[p], n);
            assert_int_equal(mismatches(&program, &trace), 1);
        }
    }
}

static void what_is_missing_at_the_end_is_no_mismatch(void **state)
{
    (void)state;
    const struct program program = straight(LENGTH);
    struct program trace = program;
    remove_records(&trace, LENGTH - 100, 100);
    assert_int_equal(mismatches(&program, &trace), 0);
}

static void each_record_that_was_never_executed_is_told_once(void **state)
{
    (void)state;
    const struct program program = straight(LENGTH);
    for (size_t p = 0; p < PLACES; p++) {
        for (size_t n = 1; n < 150; n += n < 4 ? 1 : 29) {
            struct program trace = program;
            insert_records(&trace, places[p], n);
            assert_int_equal(mismatches(&program, &trace), n);
        }
    }
}

static void each_record_in_the_place_of_another_is_told_once(void **state)
{
    (void)state;
    const struct program program = straight(LENGTH);
    for (size_t p = 0; p < PLACES; p++) {
        for (size_t n = 1; n < ASTF_TRUTH_WINDOW; n += n < 4 ? 1 : 59 - n % 59) {
            struct program trace = program;
            replace_records(&trace, places[p], n);
            assert_int_equal(mismatches(&program, &trace), n);
        }
    }
}

static void a_changed_word_is_told_once(void **state)
{
    (void)state;
    const struct program program = looping(LENGTH, 10);
    for (size_t p = 0; p < PLACES; p++) {
        struct program trace = program;
        trace.iword[places[p]] ^= 0x80;
        assert_int_equal(mismatches(&program, &trace), 1);
    }
}

static void two_records_in_the_wrong_order_are_both_told(void **state)
{
    (void)state;
    const struct program program = straight(LENGTH);
    for (size_t p = 0; p < PLACES; p++) {
        struct program trace = program;
        swap_records(&trace, places[p], places[p] + 1);
        assert_int_equal(mismatches(&program, &trace), 2);
    }
}

static void records_behind_the_end_of_the_execution_are_each_told(void **state)
{
    (void)state;
    const struct program trace = straight(LENGTH);
    for (size_t n = 0; n < 200; n += 33) {
        struct program program = trace;
        remove_records(&program, LENGTH - n, n);
        assert_int_equal(mismatches(&program, &trace), n);
    }
}

static void faults_far_from_each_other_are_told_independently(void **state)
{
    (void)state;
    const struct program program = straight(LENGTH);
    struct program trace = program;
    insert_records(&trace, 900, 3);  /* 3 */
    replace_records(&trace, 700, 5); /* 5 */
    swap_records(&trace, 500, 501);  /* 2 */
    remove_records(&trace, 300, 20); /* 1 */
    trace.iword[100] ^= 1;           /* 1 */
    assert_int_equal(mismatches(&program, &trace), 12);
}

static void an_execution_without_instructions_executes_nothing(void **state)
{
    (void)state;
    const struct program none = {.count = 0};
    const struct program trace = straight(10);
    assert_int_equal(mismatches(&none, &trace), 10);
}

/* The error with which a trace of the program stops, when only `size` bytes of its recording are
 * there. */
static enum assay_error error_with_part(const struct program *trace, const struct assay_sink *whole,
                                        size_t size)
{
    static uint8_t bytes[(MOST + 1) * RECORD];
    struct assay_decode_input input = {.threaded = false};
    struct assay_decoder *decoder = NULL;
    struct assay_source *source = NULL;
    struct assay_block block = {.count = 1};
    struct assay_diag diag = {0};
    make_header(bytes, false, false);
    for (size_t i = 0; i < trace->count; i++) {
        make_instr(bytes + (i + 1) * RECORD, trace->pc[i], trace->iword[i]);
    }
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
    assert_int_equal(error != ASSAY_OK, strstr(diag.message, "recorded execution") != NULL);
    return error;
}

static void a_recording_that_was_cut_is_not_held_against_what_follows(void **state)
{
    (void)state;
    const struct program program = straight(LENGTH);
    struct program beginning = program;
    struct assay_sink sink;
    assay_execution_close(record(&program, &sink));
    beginning.count = 100;
    assert_int_equal(error_with_part(&program, &sink, sink.size), ASSAY_OK);
    assert_int_equal(error_with_part(&program, &sink, sink.size - 1), ASSAY_TRUNCATED);
    assert_int_equal(error_with_part(&program, &sink, sink.size / 2), ASSAY_TRUNCATED);
    assert_int_equal(error_with_part(&beginning, &sink, sink.size / 2), ASSAY_OK);
    memset(sink.data + sink.size / 2, 0xff, 400);
    assert_int_not_equal(error_with_part(&program, &sink, sink.size), ASSAY_OK);
    assay_sink_close(&sink, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_of_what_was_executed_matches_everywhere),
        cmocka_unit_test(a_gap_is_told_once_however_long),
        cmocka_unit_test(what_is_missing_at_the_end_is_no_mismatch),
        cmocka_unit_test(each_record_that_was_never_executed_is_told_once),
        cmocka_unit_test(each_record_in_the_place_of_another_is_told_once),
        cmocka_unit_test(a_changed_word_is_told_once),
        cmocka_unit_test(two_records_in_the_wrong_order_are_both_told),
        cmocka_unit_test(records_behind_the_end_of_the_execution_are_each_told),
        cmocka_unit_test(faults_far_from_each_other_are_told_independently),
        cmocka_unit_test(an_execution_without_instructions_executes_nothing),
        cmocka_unit_test(a_recording_that_was_cut_is_not_held_against_what_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
