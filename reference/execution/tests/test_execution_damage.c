#include "execution_support.h"

#include "common/bytes.h"
#include "execution/execution_format.h"

static void write_small(struct recording *r, unsigned items)
{
    struct story story;
    recording_start(r, ASSAY_EXECUTION_RISCV64);
    story_start(&story, 4, ASSAY_EXECUTION_RISCV64);
    struct assay_execution_track *track = new_track(r, 3);
    story.contents = true;
    assay_execution_record_contents(track);
    for (unsigned i = 0; i < items; ++i) {
        struct assay_executed item;
        story_next(&story, &item);
        put_item(track, &item);
        if (i % 600 == 599) {
            assert_int_equal(assay_execution_track_flush(track), ASSAY_OK);
        }
    }
    assert_int_equal(assay_execution_track_close(track, true), ASSAY_OK);
    recording_end(r, ASSAY_EXECUTION_ENDED_BY_EXIT);
}

/* Reads a copy of exactly its size, so that reading beyond it is noticed. */
static enum assay_error read_copy(const uint8_t *data, size_t size, bool *complete,
                                  struct assay_diag *diag)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    struct assay_source *source = NULL;
    struct assay_execution *x = NULL;
    struct assay_execution_summary summary = {0};
    assert_non_null(copy);
    memcpy(copy, data, size);
    *complete = false;
    *diag = (struct assay_diag){0};
    assert_int_equal(assay_source_memory(copy, size, &source), ASSAY_OK);
    enum assay_error error = assay_execution_open(source, &x, diag);
    if (error == ASSAY_OK) {
        error = assay_execution_summary(x, &summary);
        *complete = summary.complete;
        *diag = *assay_execution_diag(x);
        struct assay_executed item;
        assert_int_equal(assay_execution_next(x, &item), diag->error);
    }
    assay_execution_close(x);
    free(copy);
    return error;
}

static void a_file_truncated_at_any_byte_is_never_taken_for_complete(void **state)
{
    (void)state;
    struct recording r;
    struct assay_diag diag;
    bool complete = false;
    write_small(&r, 1500);
    assert_int_equal(read_copy(r.sink.data, r.sink.size, &complete, &diag), ASSAY_OK);
    assert_true(complete);
    for (size_t size = 0; size < r.sink.size; ++size) {
        const enum assay_error error = read_copy(r.sink.data, size, &complete, &diag);
        assert_false(complete);
        if (size < ASSAY_EXECUTION_NAME_SIZE) {
            assert_int_equal(error, ASSAY_UNKNOWN_FORMAT);
        } else {
            assert_int_equal(diag.error, ASSAY_TRUNCATED);
            assert_true(diag.offset <= size);
        }
    }
    recording_drop(&r);
}

static void flipped_bytes_are_refused_at_an_offset_or_read_as_something_else(void **state)
{
    (void)state;
    struct recording r;
    struct assay_diag diag;
    uint64_t seed = 20250101;
    bool complete = false;
    write_small(&r, 1500);
    for (unsigned i = 0; i < 20000; ++i) {
        uint8_t *at[4];
        uint8_t old[4];
        const unsigned flips = 1 + (unsigned)random_below(&seed, 4);
        for (unsigned k = 0; k < flips; ++k) {
            at[k] = &r.sink.data[random_below(&seed, r.sink.size)];
            old[k] = *at[k];
            *at[k] = (uint8_t)random64(&seed);
        }
        const enum assay_error error = read_copy(r.sink.data, r.sink.size, &complete, &diag);
        assert_true(error == ASSAY_OK || error == ASSAY_CORRUPT || error == ASSAY_TRUNCATED ||
                    error == ASSAY_UNKNOWN_FORMAT || error == ASSAY_UNSUPPORTED);
        assert_true(diag.error == ASSAY_OK || diag.offset <= r.sink.size);
        for (unsigned k = flips; k-- > 0;) {
            *at[k] = old[k];
        }
    }
    recording_drop(&r);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
}

static uint64_t mix_instruction(uint64_t hash, uint64_t address, uint32_t word, unsigned accesses,
                                const struct assay_access *access)
{
    hash = mix(mix(mix(hash, address), word), accesses);
    for (unsigned i = 0; i < accesses; i++) {
        hash = mix(mix(hash, access[i].address), access[i].size);
        hash = mix(mix(hash, access[i].write), access[i].content_known ? access[i].content : 1);
    }
    return hash;
}

/* Takes instructions of a run, as many as are drawn. */
static uint64_t mix_run(struct assay_execution *x, uint32_t thread, uint64_t *seed, uint64_t hash)
{
    struct assay_executed_in_run list[64];
    struct assay_access access[300];
    const unsigned most = (unsigned)random_below(seed, 65);
    const size_t room = random_below(seed, 301);
    const unsigned count = assay_execution_take_run(x, thread, list, most, access, room);
    size_t at = 0;
    assert_true(count <= most);
    for (unsigned i = 0; i < count; i++) {
        hash = mix_instruction(hash, list[i].address, list[i].word, list[i].accesses, access + at);
        at += list[i].accesses;
    }
    assert_true(at <= room);
    return hash;
}

/* All that is in a file, by items alone or also by runs; and how it ends. */
static uint64_t read_by(const struct recording *r, bool runs, uint64_t seed, unsigned *items)
{
    struct assay_source *source = NULL;
    struct assay_execution *x = NULL;
    struct assay_executed item = {.kind = ASSAY_EXECUTED_THREAD_START};
    uint64_t hash = 1;
    *items = 0;
    assert_int_equal(assay_source_memory(r->sink.data, r->sink.size, &source), ASSAY_OK);
    if (assay_execution_open(source, &x, NULL) != ASSAY_OK) {
        return 0;
    }
    while (item.kind != ASSAY_EXECUTED_END && assay_execution_next(x, &item) == ASSAY_OK) {
        const bool instruction = item.kind == ASSAY_EXECUTED_INSTRUCTION;
        hash = instruction
                   ? mix_instruction(hash, item.address, item.word, item.accesses, item.access)
                   : mix(hash, item.kind);
        hash = runs ? mix_run(x, item.thread, &seed, hash) : hash;
        ++*items;
    }
    const struct assay_diag *diag = assay_execution_diag(x);
    hash = mix(mix(hash, diag->error), diag->offset);
    assay_execution_close(x);
    return hash;
}

static void runs_are_what_their_items_are_also_of_damaged_files(void **state)
{
    (void)state;
    struct recording r;
    uint64_t seed = 20261127;
    unsigned items = 0;
    unsigned fewer = 0;
    write_small(&r, 1500);
    for (unsigned i = 0; i < 2000; ++i) {
        uint8_t *at = &r.sink.data[random_below(&seed, r.sink.size)];
        const uint8_t old = *at;
        *at = i == 0 ? old : (uint8_t)random64(&seed);
        const uint64_t hash = read_by(&r, false, seed, &items);
        assert_true(read_by(&r, true, seed, &fewer) == hash);
        assert_true(i > 0 || fewer < items / 2);
        *at = old;
    }
    recording_drop(&r);
}

/* A file by hand: header, and one chunk of thread 0 with this payload. */
static size_t make_file(uint8_t *file, const uint8_t *payload, size_t size)
{
    struct assay_sink sink;
    struct assay_execution_writer *writer = NULL;
    const struct assay_execution_header header = {
        .isa = ASSAY_EXECUTION_AARCH64, .producer = "", .program = ""};
    assay_sink_memory(&sink, 0);
    assert_int_equal(assay_execution_writer_open(&sink, &header, &writer, NULL), ASSAY_OK);
    uint8_t head[ASSAY_EXECUTION_CHUNK_HEAD] = {'C'};
    assay_store32(head + 13, (uint32_t)size);
    assay_sink_write(&sink, head, sizeof head);
    assay_sink_write(&sink, payload, size);
    const size_t total = sink.size;
    memcpy(file, sink.data, total);
    assay_execution_writer_close(writer);
    assay_sink_close(&sink, NULL);
    return total;
}

static void each_contradiction_in_a_chunk_is_reported_with_its_offset(void **state)
{
    (void)state;
    /* d3 00 starts the thread; c7 04 1f2003d5 00 is a nop at address 4 */
    static const struct {
        uint8_t payload[40];
        uint8_t size;
        uint8_t offset; /* in the payload */
        const char *message;
    } cases[] = {
        {{0x00}, 1, 0, "a thread has instructions before its start"},
        {{0xd3, 0, 0xd7, 4, 0, 0, 0, 0, 0}, 9, 2, "an impossible trap"},
        {{0xd3, 0, 0xd8, 4}, 4, 2, "an impossible level"},
        {{0xd3, 0, 0xd9, 0, 12, 0}, 6, 2, "an impossible page table walk"},
        {{0xd3, 0, 0xd9, 6, 12, 0}, 6, 2, "an impossible page table walk"},
        {{0xd3, 0, 0xd9, 1, 11, 0}, 6, 2, "an impossible page table walk"},
        {{0xd3, 0, 0xd9, 1, 49, 0}, 6, 2, "an impossible page table walk"},
        {{0xd3, 0, 0xd9, 1, 12, 1}, 6, 2, "an impossible page table walk"},
        {{0xd3, 0, 0xd9, 1, 12, 0, 5}, 7, 2, "a chunk ends inside an item"},
        {{0xd3, 0, 0xda}, 3, 2, "an unknown token"},
        {{0xd3, 0, 0xff}, 3, 2, "an unknown token"},
        {{0xd3, 0, 0x00}, 3, 2, "a run has an instruction that its chunk has not given before"},
        {{0xd3, 0, 0xc3, 4, 1, 2, 3, 4, 0x00},
         9,
         8,
         "a run has an instruction that its chunk has not given before"},
        {{0xd3, 0, 0xc1, 4},
         4,
         2,
         "an instruction has no word, and its chunk has not given it before"},
        {{0xd3, 0, 0xc9, 4},
         4,
         2,
         "an instruction has no word, and its chunk has not given it before"},
        {{0xd3, 0, 0xc7, 4, 1, 2, 3, 4, 0x81, 4}, 10, 2, "an instruction has impossible accesses"},
        {{0xd3, 0, 0xc7, 4, 1, 2, 3, 4, 1, 0x0d, 0},
         11,
         2,
         "an instruction has impossible accesses"},
        {{0xd3, 0, 0xc7, 4, 1, 2, 3, 4, 1, 0x43, 0},
         11,
         2,
         "an instruction has impossible accesses"},
        {{0xd3, 0, 0xd6, 0xc7, 4, 1, 2, 3, 4, 1, 1, 0, 3, 1, 2, 3},
         16,
         3,
         "an instruction has impossible accesses"},
        {{0xd3, 0, 0xd6, 0xc7, 4, 1, 2, 3, 4, 1, 4, 0, 0},
         13,
         3,
         "an instruction has impossible accesses"},
        {{0xd3, 0, 0xd6, 0xc7, 4, 1, 2, 3, 4, 1, 1, 0, 2, 1}, 14, 3, "a chunk ends inside an item"},
        {{0xd3, 0, 0xc7, 4, 1, 2, 3, 4, 2, 3, 0}, 11, 2, "a chunk ends inside an item"},
        {{0xd3, 0, 0xc3, 4, 1, 2}, 6, 2, "a chunk ends inside an item"},
        {{0xd3, 0, 0xd0}, 3, 2, "a chunk ends inside an item"},
        {{0xd3, 0, 0xd0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02},
         13,
         2,
         "a chunk ends inside an item"},
        {{0xd3, 0, 0xd0, 5, 0xd0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
         15,
         4,
         "the clock overflows"},
        {{0xd3, 0, 0xd1, 1, 2, 3}, 6, 2, "a chunk ends inside an item"},
        {{0xd3, 0, 0xd2, 1}, 4, 2, "a chunk ends inside an item"},
        {{0xd3, 0, 0xd3, 0}, 4, 2, "a thread starts twice"},
        {{0xd3, 0, 0xd4, 0x00}, 4, 2, "a thread continues after its end"},
        {{0xd3, 0, 0xd5, 3}, 4, 2, "an aborted instruction has an impossible size"},
        {{0xd3, 0, 0xd5, 4, 0, 1}, 6, 2, "a chunk ends inside an item"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        uint8_t file[200];
        struct assay_diag diag;
        bool complete = false;
        const size_t size = make_file(file, cases[i].payload, cases[i].size);
        assert_int_equal(read_copy(file, size, &complete, &diag), ASSAY_CORRUPT);
        assert_string_equal(diag.message, cases[i].message);
        assert_int_equal(diag.offset, size - cases[i].size + cases[i].offset);
    }
}

static void corrupt_at(const struct recording *r, size_t offset, uint8_t value,
                       enum assay_error error, const char *message)
{
    struct assay_diag diag;
    bool complete = false;
    const uint8_t old = r->sink.data[offset];
    r->sink.data[offset] = value;
    assert_int_equal(read_copy(r->sink.data, r->sink.size, &complete, &diag), error);
    assert_string_equal(diag.message, message);
    r->sink.data[offset] = old;
}

static void each_contradiction_between_records_is_reported(void **state)
{
    (void)state;
    struct recording r;
    write_small(&r, 700);
    const size_t header = ASSAY_EXECUTION_MAGIC_SIZE;
    const size_t chunk = header + 4 + ASSAY_EXECUTION_HEADER_FIXED + strlen("the test 1none");
    const size_t end = r.sink.size - ASSAY_EXECUTION_END_SIZE;
    corrupt_at(&r, 2, '?', ASSAY_UNKNOWN_FORMAT, "this is not a recorded execution");
    corrupt_at(&r, header - 2, '2', ASSAY_UNSUPPORTED, "a version of assay-execution other than 1");
    corrupt_at(&r, header, 3, ASSAY_CORRUPT, "the header has an impossible size");
    corrupt_at(&r, header + 2, 9, ASSAY_CORRUPT, "the header has an impossible size");
    corrupt_at(&r, header + 4, 0, ASSAY_CORRUPT, "an unknown instruction set");
    corrupt_at(&r, header + 17, 200, ASSAY_CORRUPT,
               "a string of the header is too long or contains a zero byte");
    corrupt_at(&r, chunk - 1, 0, ASSAY_CORRUPT,
               "a string of the header is too long or contains a zero byte");
    corrupt_at(&r, chunk, 'X', ASSAY_CORRUPT, "an unknown record");
    corrupt_at(&r, chunk + 3, 1, ASSAY_CORRUPT, "a chunk has an impossible thread");
    corrupt_at(&r, chunk + 16, 1, ASSAY_CORRUPT, "a chunk has an impossible size");
    corrupt_at(&r, end + 1, 99, ASSAY_CORRUPT, "the end record has an unknown reason");
    for (unsigned total = 0; total < 4; ++total) {
        corrupt_at(&r, end + 2 + 8 * total + 7, 1, ASSAY_CORRUPT,
                   "the totals in the end record are not those of the file");
    }
    recording_drop(&r);
}

static void bytes_after_the_last_end_are_refused(void **state)
{
    (void)state;
    struct recording r;
    struct assay_diag diag;
    bool complete = false;
    write_small(&r, 10);
    const size_t size = r.sink.size;
    assay_sink_write(&r.sink, "C", 1);
    assert_int_equal(read_copy(r.sink.data, r.sink.size, &complete, &diag), ASSAY_CORRUPT);
    assert_string_equal(diag.message, "bytes follow the end record");
    assert_int_equal(diag.offset, size);
    recording_drop(&r);
}

static void a_thread_that_ended_does_not_go_on_in_a_later_chunk(void **state)
{
    (void)state;
    static const uint8_t ended[] = {0xd3, 0, 0xd4};
    uint8_t file[200];
    struct assay_diag diag;
    bool complete = false;
    const size_t size = make_file(file, ended, sizeof ended);
    const size_t chunk = ASSAY_EXECUTION_CHUNK_HEAD + sizeof ended;
    memcpy(file + size, file + size - chunk, chunk);
    assert_int_equal(read_copy(file, size + chunk, &complete, &diag), ASSAY_CORRUPT);
    assert_string_equal(diag.message, "a thread continues after its end");
    assert_int_equal(diag.offset, size + 1);
}

static void fields_that_a_later_header_adds_are_skipped(void **state)
{
    (void)state;
    struct recording r;
    struct assay_diag diag;
    bool complete = false;
    write_small(&r, 10);
    const size_t header = ASSAY_EXECUTION_MAGIC_SIZE;
    const uint32_t size = assay_load32(r.sink.data + header);
    uint8_t *longer = malloc(r.sink.size + 5);
    assert_non_null(longer);
    const size_t upto = header + 4 + size;
    memcpy(longer, r.sink.data, upto);
    memcpy(longer + upto, "extra", 5);
    memcpy(longer + upto + 5, r.sink.data + upto, r.sink.size - upto);
    assay_store32(longer + header, size + 5);
    assert_int_equal(read_copy(longer, r.sink.size + 5, &complete, &diag), ASSAY_OK);
    assert_true(complete);
    free(longer);
    recording_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_truncated_at_any_byte_is_never_taken_for_complete),
        cmocka_unit_test(flipped_bytes_are_refused_at_an_offset_or_read_as_something_else),
        cmocka_unit_test(runs_are_what_their_items_are_also_of_damaged_files),
        cmocka_unit_test(each_contradiction_in_a_chunk_is_reported_with_its_offset),
        cmocka_unit_test(each_contradiction_between_records_is_reported),
        cmocka_unit_test(bytes_after_the_last_end_are_refused),
        cmocka_unit_test(a_thread_that_ended_does_not_go_on_in_a_later_chunk),
        cmocka_unit_test(fields_that_a_later_header_adds_are_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
