#include "execution_support.h"

#include "common/tests/turn.h"

#include <pthread.h>

enum { THREADS = 3, TELLS_CONTENTS = 1 };

static void assert_same_item(const struct assay_executed *got, const struct assay_executed *want)
{
    assert_int_equal(got->kind, want->kind);
    assert_int_equal(got->time, want->time);
    assert_int_equal(got->address, want->address);
    assert_int_equal(got->word, want->word);
    assert_int_equal(got->size, want->size);
    assert_int_equal(got->aborted, want->aborted);
    assert_int_equal(got->number, want->number);
    assert_int_equal(got->value, want->value);
    assert_int_equal(got->level, want->level);
    assert_int_equal(got->cause, want->cause);
    assert_int_equal(got->from, want->from);
    assert_int_equal(got->fault, want->fault);
    assert_int_equal(got->status, want->status);
    assert_memory_equal(got->args, want->args, sizeof got->args);
    assert_int_equal(got->accesses, want->accesses);
    for (unsigned i = 0; i < got->accesses; ++i) {
        assert_int_equal(got->access[i].address, want->access[i].address);
        assert_int_equal(got->access[i].size, want->access[i].size);
        assert_int_equal(got->access[i].write, want->access[i].write);
        assert_int_equal(got->access[i].content_known, want->access[i].content_known);
        assert_int_equal(got->access[i].content, want->access[i].content);
    }
    if (want->kind == ASSAY_EXECUTED_WALK) {
        assert_memory_equal(got->walk, want->walk, sizeof *got->walk);
    }
}

static void next_is(struct assay_execution *x, struct assay_executed *item,
                    enum assay_executed_kind kind)
{
    assert_int_equal(assay_execution_next(x, item), ASSAY_OK);
    assert_int_equal(item->kind, kind);
}

static void an_empty_recording_gives_its_header_and_its_end(void **state)
{
    (void)state;
    struct recording r;
    struct assay_executed item;
    recording_start(&r, ASSAY_EXECUTION_RISCV32);
    recording_end(&r, ASSAY_EXECUTION_ENDED_BY_EXIT);
    struct assay_execution *x = read_bytes(r.sink.data, r.sink.size);
    const struct assay_execution_header *header = assay_execution_header(x);
    assert_int_equal(header->isa, ASSAY_EXECUTION_RISCV32);
    assert_int_equal(header->process, 77);
    assert_int_equal(header->epoch, 5);
    assert_string_equal(header->producer, "the test 1");
    assert_string_equal(header->program, "none");
    next_is(x, &item, ASSAY_EXECUTED_END);
    next_is(x, &item, ASSAY_EXECUTED_END);
    assert_int_equal(item.reason, ASSAY_EXECUTION_ENDED_BY_EXIT);
    assay_execution_close(x);
    recording_drop(&r);
}

static void the_example_of_the_documentation_is_what_the_writer_writes(void **state)
{
    (void)state;
    static const uint8_t example[] = {0x43, 0,    0,    0,    0,    0x10, 2,    0,    0,
                                      0,    0,    0,    0,    0x10, 0,    0,    0,    0xd3,
                                      0,    0xc3, 0x80, 0x80, 0x80, 0x08, 0x1f, 0x20, 0x03,
                                      0xd5, 0xc2, 0x1f, 0x20, 0x03, 0xd5};
    struct recording r;
    struct assay_execution_track *track = NULL;
    recording_start(&r, ASSAY_EXECUTION_AARCH64);
    const size_t header = r.sink.size;
    assert_int_equal(assay_execution_track_open(r.writer, 0, 528, &track), ASSAY_OK);
    for (uint64_t address = 0x1000000; address <= 0x1000004; address += 4) {
        assert_int_equal(assay_execution_put_instruction(track, address, 0xd503201f, 4, NULL, 0),
                         ASSAY_OK);
    }
    assert_int_equal(assay_execution_track_close(track, false), ASSAY_OK);
    assert_int_equal(r.sink.size - header, sizeof example);
    assert_memory_equal(r.sink.data + header, example, sizeof example);
    recording_drop(&r);
}

static void a_content_that_does_not_fit_its_access_is_refused(void **state)
{
    (void)state;
    static const struct assay_access wrong[] = {
        {.address = 8, .size = 16, .content_known = true},
        {.address = 8, .size = 2, .content_known = true, .content = 0x10000},
    };
    struct recording r;
    recording_start(&r, ASSAY_EXECUTION_RISCV64);
    struct assay_execution_track *track = new_track(&r, 0);
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        assert_int_equal(assay_execution_put_instruction(track, 4, 0x33, 4, &wrong[i], 1),
                         ASSAY_OUT_OF_RANGE);
    }
    assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    recording_drop(&r);
}

static void names_of_sets_and_reasons_are_stable(void **state)
{
    (void)state;
    assert_string_equal(assay_execution_isa_name(ASSAY_EXECUTION_AARCH64), "aarch64");
    assert_string_equal(assay_execution_isa_name((enum assay_execution_isa)9), "unknown");
    assert_string_equal(assay_execution_reason_name(ASSAY_EXECUTION_ENDED_BY_LIMIT), "limit");
    assert_string_equal(assay_execution_reason_name((enum assay_execution_reason)9), "unknown");
}

static void write_stories(struct recording *r, uint64_t seed, enum assay_execution_isa isa,
                          unsigned items)
{
    struct story story[THREADS];
    struct assay_execution_track *track[THREADS];
    for (unsigned t = 0; t < THREADS; ++t) {
        story_start(&story[t], seed * THREADS + t, isa);
        track[t] = new_track(r, 0);
        story[t].contents = t == TELLS_CONTENTS;
        if (story[t].contents) {
            assay_execution_record_contents(track[t]);
        }
    }
    for (unsigned i = 0; i < items * THREADS; ++i) {
        struct assay_executed item;
        story_next(&story[i % THREADS], &item);
        put_item(track[i % THREADS], &item);
    }
    for (unsigned t = 0; t < THREADS; ++t) {
        assert_int_equal(assay_execution_track_close(track[t], true), ASSAY_OK);
    }
}

static void read_stories(const struct recording *r, uint64_t seed, enum assay_execution_isa isa,
                         unsigned items)
{
    struct story story[THREADS];
    unsigned given[THREADS] = {0};
    for (unsigned t = 0; t < THREADS; ++t) {
        story_start(&story[t], seed * THREADS + t, isa);
        story[t].contents = t == TELLS_CONTENTS;
    }
    struct assay_execution *x = read_bytes(r->sink.data, r->sink.size);
    struct assay_executed got;
    while (assay_execution_next(x, &got) == ASSAY_OK && got.kind != ASSAY_EXECUTED_END) {
        assert_in_range(got.thread, 0, THREADS - 1);
        const unsigned nth = given[got.thread]++;
        if (nth == 0 || nth == items + 1) {
            assert_int_equal(got.kind,
                             nth == 0 ? ASSAY_EXECUTED_THREAD_START : ASSAY_EXECUTED_THREAD_END);
            assert_int_equal(got.system_id, nth == 0 ? 1000 : 0);
            continue;
        }
        struct assay_executed want;
        story_next(&story[got.thread], &want);
        assert_same_item(&got, &want);
        assert_true(got.accesses == 0 || got.contents == story[got.thread].contents);
    }
    assert_string_equal(assay_execution_diag(x)->message, "");
    for (unsigned t = 0; t < THREADS; ++t) {
        assert_int_equal(given[t], items + 2);
    }
    assay_execution_close(x);
}

static void random_executions_come_back_thread_by_thread(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        struct recording r;
        const enum assay_execution_isa isa =
            seed % 2 == 0 ? ASSAY_EXECUTION_AARCH64 : ASSAY_EXECUTION_RISCV64;
        const unsigned items = seed == 1 ? 200000 : 3000;
        recording_start(&r, isa);
        write_stories(&r, seed, isa, items);
        recording_end(&r, ASSAY_EXECUTION_ENDED_BY_EXIT);
        read_stories(&r, seed, isa, items);
        recording_drop(&r);
    }
}

struct writing {
    struct recording *r;
    uint64_t seed;
    struct assay_execution_track *track;
};

static void *write_one_story(void *data)
{
    struct writing *w = data;
    struct story story;
    story_start(&story, w->seed, ASSAY_EXECUTION_RISCV64);
    story.contents = w->seed % THREADS == TELLS_CONTENTS;
    if (story.contents) {
        assay_execution_record_contents(w->track);
    }
    for (unsigned i = 0; i < 60000; ++i) {
        struct assay_executed item;
        story_next(&story, &item);
        put_item(w->track, &item);
    }
    assert_int_equal(assay_execution_track_close(w->track, true), ASSAY_OK);
    return NULL;
}

static void tracks_of_one_writer_may_be_written_at_the_same_time(void **state)
{
    (void)state;
    struct recording r;
    pthread_t thread[THREADS];
    struct writing writing[THREADS];
    recording_start(&r, ASSAY_EXECUTION_RISCV64);
    for (unsigned t = 0; t < THREADS; ++t) {
        writing[t] = (struct writing){&r, 9 * THREADS + t, new_track(&r, 0)};
    }
    for (unsigned t = 0; t < THREADS; ++t) {
        assert_int_equal(pthread_create(&thread[t], NULL, write_one_story, &writing[t]), 0);
    }
    for (unsigned t = 0; t < THREADS; ++t) {
        pthread_join(thread[t], NULL);
    }
    recording_end(&r, ASSAY_EXECUTION_ENDED_BY_EXIT);
    read_stories(&r, 9, ASSAY_EXECUTION_RISCV64, 60000);
    recording_drop(&r);
}

static void a_loop_that_walks_an_array_costs_less_than_a_byte_an_instruction(void **state)
{
    (void)state;
    struct recording r;
    recording_start(&r, ASSAY_EXECUTION_AARCH64);
    struct assay_execution_track *track = new_track(&r, 0);
    for (unsigned i = 0; i < 100000; ++i) {
        const struct assay_access access = {.address = 0x7fff0000u + i, .size = 8};
        const uint64_t address = 0x400000 + i % 8 * 4;
        assert_int_equal(
            assay_execution_put_instruction(track, address, 0xf9400000u, 4, &access, i % 8 == 2),
            ASSAY_OK);
    }
    assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    recording_end(&r, ASSAY_EXECUTION_ENDED_BY_EXIT);
    assert_true(r.sink.total < 20000);
    recording_drop(&r);
}

static void an_instruction_beyond_the_limit_of_accesses_is_refused_whole(void **state)
{
    (void)state;
    static struct assay_access access[ASSAY_EXECUTION_ACCESSES_MAX + 1];
    for (unsigned i = 0; i <= ASSAY_EXECUTION_ACCESSES_MAX; ++i) {
        access[i] = (struct assay_access){.address = i * UINT64_C(0x123456789abcdef), .size = 1};
    }
    struct recording r;
    struct assay_execution_summary summary;
    recording_start(&r, ASSAY_EXECUTION_AARCH64);
    struct assay_execution_track *track = new_track(&r, 0);
    assert_int_equal(
        assay_execution_put_instruction(track, 4, 1, 4, access, ASSAY_EXECUTION_ACCESSES_MAX),
        ASSAY_OK);
    assert_int_equal(
        assay_execution_put_instruction(track, 8, 1, 4, access, ASSAY_EXECUTION_ACCESSES_MAX + 1),
        ASSAY_LIMIT);
    assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    recording_end(&r, ASSAY_EXECUTION_ENDED_BY_FAILED);
    struct assay_execution *x = read_bytes(r.sink.data, r.sink.size);
    assert_int_equal(assay_execution_summary(x, &summary), ASSAY_OK);
    assert_int_equal(summary.instructions, 1);
    assert_int_equal(summary.accesses, ASSAY_EXECUTION_ACCESSES_MAX);
    assert_true(summary.complete);
    assay_execution_close(x);
    recording_drop(&r);
}

static void values_that_have_no_form_in_the_file_are_refused(void **state)
{
    (void)state;
    struct recording r;
    recording_start(&r, ASSAY_EXECUTION_RISCV64);
    struct assay_execution_track *track = new_track(&r, 0);
    const struct assay_access odd = {.address = 8, .size = 3};
    const struct assay_access big = {.address = 8, .size = 8192};
    const struct {
        uint64_t address;
        uint32_t word;
        unsigned size;
        const struct assay_access *access;
    } bad[] = {{1, 1, 4, NULL},       {4, 1, 3, NULL}, {4, 1, 0, NULL},
               {4, 0x10000, 2, NULL}, {4, 1, 4, &odd}, {4, 1, 4, &big}};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        assert_int_equal(assay_execution_put_instruction(track, bad[i].address, bad[i].word,
                                                         bad[i].size, bad[i].access,
                                                         bad[i].access != NULL),
                         ASSAY_OUT_OF_RANGE);
    }
    assert_int_equal(assay_execution_put_aborted(track, 3, 1, 4), ASSAY_OUT_OF_RANGE);
    assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    recording_drop(&r);

    struct assay_execution_writer *writer = NULL;
    const struct assay_execution_header header = {
        .isa = (enum assay_execution_isa)7, .producer = "", .program = ""};
    assay_sink_memory(&r.sink, 0);
    assert_int_equal(assay_execution_writer_open(&r.sink, &header, &writer, NULL),
                     ASSAY_OUT_OF_RANGE);
    assay_sink_close(&r.sink, NULL);
}

static void a_clock_that_goes_back_is_taken_as_unchanged(void **state)
{
    (void)state;
    struct recording r;
    struct assay_executed item;
    recording_start(&r, ASSAY_EXECUTION_AARCH64);
    struct assay_execution_track *track = new_track(&r, 100);
    assert_int_equal(assay_execution_put_clock(track, 50), ASSAY_OK);
    assert_int_equal(assay_execution_put_diverted(track), ASSAY_OK);
    assert_int_equal(assay_execution_track_close(track, false), ASSAY_OK);
    recording_end(&r, ASSAY_EXECUTION_ENDED_BY_LIMIT);
    struct assay_execution *x = read_bytes(r.sink.data, r.sink.size);
    next_is(x, &item, ASSAY_EXECUTED_THREAD_START);
    next_is(x, &item, ASSAY_EXECUTED_DIVERTED);
    assert_int_equal(item.time, 100);
    next_is(x, &item, ASSAY_EXECUTED_END);
    assay_execution_close(x);
    recording_drop(&r);
}

static void a_recording_goes_on_after_an_exec_that_failed(void **state)
{
    (void)state;
    struct recording r;
    struct assay_execution_summary summary;
    recording_start(&r, ASSAY_EXECUTION_AARCH64);
    struct assay_execution_track *track = new_track(&r, 0);
    assert_int_equal(assay_execution_put_instruction(track, 4, 1, 4, NULL, 0), ASSAY_OK);
    assert_int_equal(assay_execution_track_flush(track), ASSAY_OK);
    assert_int_equal(assay_execution_writer_end(r.writer, ASSAY_EXECUTION_ENDED_BY_EXEC), ASSAY_OK);
    const size_t first_end = r.sink.size;
    assert_int_equal(assay_execution_put_instruction(track, 8, 1, 4, NULL, 0), ASSAY_OK);
    assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    recording_end(&r, ASSAY_EXECUTION_ENDED_BY_EXIT);

    struct assay_execution *x = read_bytes(r.sink.data, first_end);
    assert_int_equal(assay_execution_summary(x, &summary), ASSAY_OK);
    assert_true(summary.complete);
    assert_int_equal(summary.reason, ASSAY_EXECUTION_ENDED_BY_EXEC);
    assert_int_equal(summary.instructions, 1);
    assay_execution_close(x);
    x = read_bytes(r.sink.data, r.sink.size);
    assert_int_equal(assay_execution_summary(x, &summary), ASSAY_OK);
    assert_true(summary.complete);
    assert_int_equal(summary.reason, ASSAY_EXECUTION_ENDED_BY_EXIT);
    assert_int_equal(summary.instructions, 2);
    assay_execution_close(x);
    recording_drop(&r);
}

static void more_threads_than_the_format_numbers_are_refused(void **state)
{
    (void)state;
    if (!is_in_sanitized_turn(0)) {
        skip();
    }
    struct recording r;
    struct assay_execution_summary summary;
    recording_start(&r, ASSAY_EXECUTION_AARCH64);
    for (unsigned i = 0; i < ASSAY_EXECUTION_THREADS_MAX; ++i) {
        assert_int_equal(assay_execution_track_close(new_track(&r, 0), true), ASSAY_OK);
    }
    struct assay_execution_track *track = NULL;
    assert_int_equal(assay_execution_track_open(r.writer, 0, 0, &track), ASSAY_LIMIT);
    assert_null(track);
    recording_end(&r, ASSAY_EXECUTION_ENDED_BY_FAILED);
    struct assay_execution *x = read_bytes(r.sink.data, r.sink.size);
    assert_int_equal(assay_execution_summary(x, &summary), ASSAY_OK);
    assert_int_equal(summary.threads, ASSAY_EXECUTION_THREADS_MAX);
    assay_execution_close(x);
    recording_drop(&r);
}

static void claims_and_addresses_that_failed_come_back(void **state)
{
    (void)state;
    const struct assay_execution_header header = {.isa = ASSAY_EXECUTION_AARCH64,
                                                  .all_accesses = true,
                                                  .producer = "the test 1",
                                                  .program = "none"};
    struct recording r;
    struct assay_executed item;
    assay_sink_memory(&r.sink, 0);
    assert_int_equal(assay_execution_writer_open(&r.sink, &header, &r.writer, NULL), ASSAY_OK);
    struct assay_execution_track *track = new_track(&r, 0);
    assert_int_equal(assay_execution_put_aborted(track, 0x1000, 7, 4), ASSAY_OK);
    assert_int_equal(assay_execution_put_aborted_at(track, 0x1004, 8, 4, UINT64_MAX), ASSAY_OK);
    assert_int_equal(assay_execution_put_aborted_at(track, 3, 1, 4, 0), ASSAY_OUT_OF_RANGE);
    assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    recording_end(&r, ASSAY_EXECUTION_ENDED_BY_EXIT);
    struct assay_execution *x = read_bytes(r.sink.data, r.sink.size);
    assert_true(assay_execution_header(x)->all_accesses);
    assert_int_equal(assay_execution_next(x, &item), ASSAY_OK); /* the thread starts */
    assert_int_equal(assay_execution_next(x, &item), ASSAY_OK);
    assert_true(item.aborted && !item.fault_known && item.address == 0x1000 && item.word == 7);
    assert_int_equal(assay_execution_next(x, &item), ASSAY_OK);
    assert_true(item.aborted && item.fault_known && item.address == 0x1004 && item.word == 8);
    assert_true(item.fault == UINT64_MAX && item.size == 4);
    assay_execution_close(x);
    recording_drop(&r);
}

static void a_recording_can_be_read_again_from_its_first_item(void **state)
{
    (void)state;
    static const uint8_t before[] = "something else";
    struct recording r;
    struct assay_sink both;
    struct assay_source *source = NULL;
    struct assay_execution *x = NULL, *again = NULL;
    struct assay_execution_track *track = NULL;
    struct assay_executed item;
    const uint8_t *data;
    size_t have;
    recording_start(&r, ASSAY_EXECUTION_RISCV64);
    assert_int_equal(assay_execution_track_open(r.writer, 9, 0, &track), ASSAY_OK);
    assert_int_equal(assay_execution_put_instruction(track, 0x1000, 0x13, 4, NULL, 0), ASSAY_OK);
    assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    recording_end(&r, ASSAY_EXECUTION_ENDED_BY_EXIT);
    assay_sink_memory(&both, 0); /* it need not be at the beginning of its source */
    assay_sink_write(&both, before, sizeof before);
    assay_sink_write(&both, r.sink.data, r.sink.size);
    assert_int_equal(assay_source_memory(both.data, both.size, &source), ASSAY_OK);
    assert_int_equal(assay_source_peek(source, sizeof before, &data, &have), ASSAY_OK);
    assay_source_consume(source, sizeof before);
    assert_int_equal(assay_execution_open(source, &x, NULL), ASSAY_OK);
    next_is(x, &item, ASSAY_EXECUTED_THREAD_START);
    next_is(x, &item, ASSAY_EXECUTED_INSTRUCTION);
    assert_int_equal(assay_execution_again(x, &again, NULL), ASSAY_OK);
    next_is(again, &item, ASSAY_EXECUTED_THREAD_START);
    assert_int_equal(item.system_id, 9);
    next_is(x, &item, ASSAY_EXECUTED_THREAD_END);
    next_is(again, &item, ASSAY_EXECUTED_INSTRUCTION);
    assay_execution_close(x);
    assay_execution_close(again);
    assay_sink_close(&both, NULL);
    recording_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_recording_gives_its_header_and_its_end),
        cmocka_unit_test(claims_and_addresses_that_failed_come_back),
        cmocka_unit_test(the_example_of_the_documentation_is_what_the_writer_writes),
        cmocka_unit_test(a_content_that_does_not_fit_its_access_is_refused),
        cmocka_unit_test(names_of_sets_and_reasons_are_stable),
        cmocka_unit_test(random_executions_come_back_thread_by_thread),
        cmocka_unit_test(tracks_of_one_writer_may_be_written_at_the_same_time),
        cmocka_unit_test(a_loop_that_walks_an_array_costs_less_than_a_byte_an_instruction),
        cmocka_unit_test(an_instruction_beyond_the_limit_of_accesses_is_refused_whole),
        cmocka_unit_test(values_that_have_no_form_in_the_file_are_refused),
        cmocka_unit_test(a_clock_that_goes_back_is_taken_as_unchanged),
        cmocka_unit_test(a_recording_goes_on_after_an_exec_that_failed),
        cmocka_unit_test(more_threads_than_the_format_numbers_are_refused),
        cmocka_unit_test(a_recording_can_be_read_again_from_its_first_item),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
