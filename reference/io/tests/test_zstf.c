/* The chunked container as it should be: written, read, and read as others wrote it. */
#include "io/tests/zstf_support.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

static void what_is_written_comes_back(void **state)
{
    (void)state;
    static const uint64_t instructions[] = {1, 2, 7, 100, 2000};
    static const uint64_t chunks[] = {1, 7, 100, 1000000};
    for (size_t i = 0; i < sizeof instructions / sizeof instructions[0]; i++) {
        for (size_t c = 0; c < sizeof chunks / sizeof chunks[0]; c++) {
            struct made made = make(instructions[i], chunks[c]);
            for (int threaded = 0; threaded < 2; threaded++) {
                const struct outcome outcome = read_packed(&made, made.packed.size, threaded);
                assert_whole(&outcome, &made);
                assert_agrees(&outcome.report);
                const uint64_t count = (instructions[i] + chunks[c] - 1) / chunks[c];
                assert_int_equal(outcome.report.chunks, count);
                assert_int_equal(outcome.report.frames, count);
                assert_int_equal(outcome.status.streams, count);
            }
            free_made(&made);
        }
    }
}

static void the_numbers_stand_where_the_layout_says(void **state)
{
    (void)state;
    struct made made = make(25, 10);
    assert_memory_equal(made.packed.data, "ZSTF", 4);
    assert_int_equal(number_at(made.packed, 4), 10);
    const uint64_t index = number_at(made.packed, 12);
    assert_int_equal(index + 8 + 3 * 24, made.packed.size);
    assert_int_equal(number_at(made.packed, index), 3);
    for (uint64_t c = 0; c < 3; c++) {
        const uint64_t entry = index + 8 + 24 * c;
        const uint64_t from = number_at(made.packed, entry);
        const uint64_t to = c < 2 ? number_at(made.packed, entry + 24) : index;
        const uint64_t start = start_of(10 * c);
        const uint64_t end = c < 2 ? start_of(10 * (c + 1)) : made.original.size;
        assert_true(c > 0 || from == 20);
        assert_int_equal(number_at(made.packed, entry + 8), c == 0 ? 0 : pc_of(10 * c));
        assert_int_equal(number_at(made.packed, entry + 16), end - start);
        const struct blob frame = {.data = made.packed.data + from, .size = to - from};
        const struct blob part = {.data = made.original.data + start, .size = end - start};
        assert_int_equal(decode_whole(frame, ASSAY_CONTAINER_ZSTD, false, part).streams, 1);
    }
    free_made(&made);
}

static void a_trace_of_nothing_has_no_chunk(void **state)
{
    (void)state;
    struct made made = make(0, 10);
    assert_int_equal(made.packed.size, 28);
    const struct outcome outcome = read_packed(&made, made.packed.size, false);
    assert_whole(&outcome, &made);
    assert_int_equal(outcome.report.index, ASSAY_ZSTF_INDEX_IN_PLACE);
    assert_int_equal(outcome.report.entries, 0);
    assert_int_equal(outcome.report.chunks, 0);
    assert_int_equal(outcome.report.unlisted, 0);
    assert_false(outcome.report.empty.found);
    free_made(&made);
}

static void a_trace_that_ends_with_a_full_chunk_has_no_empty_one(void **state)
{
    (void)state;
    struct made made = make(20, 10);
    const struct outcome outcome = read_packed(&made, made.packed.size, false);
    assert_agrees(&outcome.report);
    assert_int_equal(outcome.report.chunks, 2);
    free_made(&made);
}

static void a_chunk_has_ten_million_instructions_unless_told(void **state)
{
    (void)state;
    struct made made = make(5, 0);
    assert_int_equal(number_at(made.packed, 4), 10000000);
    free_made(&made);
}

static void a_chunk_may_be_several_frames(void **state)
{
    (void)state;
    struct made made = make_by_hand(5, 3, 1000);
    for (int threaded = 0; threaded < 2; threaded++) {
        struct outcome outcome = read_packed(&made, made.packed.size, threaded);
        assert_whole(&outcome, &made);
        assert_int_equal(outcome.report.frames, 15);
        outcome.report.pcs_checked = outcome.report.entries; /* there are no instructions */
        assert_agrees(&outcome.report);
        assert_int_equal(outcome.report.chunks, 5);
    }
    free_made(&made);
}

static void a_container_is_told_by_its_magic(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        bool is;
    } cases[] = {{"ZSTF", 4, true}, {"ZSTFx", 5, true}, {"ZST", 3, false}, {"ZSTD....", 8, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_source *source;
        assert_int_equal(assay_source_memory(cases[i].bytes, cases[i].size, &source), ASSAY_OK);
        assert_int_equal(assay_container_probe(source) == ASSAY_CONTAINER_ZSTF, cases[i].is);
        assert_int_equal(assay_source_offset(source), 0);
        assay_source_close(source);
    }
}

static void a_pipe_can_be_read(void **state)
{
    (void)state;
    struct made made = make(500, 100);
    for (int threaded = 0; threaded < 2; threaded++) {
        int ends[2];
        char path[64];
        struct assay_source *under;
        assert_int_equal(pipe(ends), 0);
        assert_true(made.packed.size < 65536);
        assert_int_equal(write(ends[1], made.packed.data, made.packed.size), made.packed.size);
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        assert_int_equal(assay_source_open(path, &under, NULL), ASSAY_OK);
        const struct outcome outcome = read_from(under, &made, threaded);
        assert_whole(&outcome, &made);
        assert_agrees(&outcome.report);
        close(ends[0]);
    }
    free_made(&made);
}

static void offsets_count_from_the_magic(void **state)
{
    (void)state;
    struct made made = make(500, 100);
    struct blob more = blob_of("in front", 8);
    append(&more, made.packed.data, made.packed.size);
    const struct blob outer = compress_with(ASSAY_CONTAINER_GZIP, more);
    struct assay_source *under = open_packed(outer.data, outer.size, ASSAY_CONTAINER_GZIP, false);
    const uint8_t *data;
    size_t have;
    assert_int_equal(assay_source_peek(under, 8, &data, &have), ASSAY_OK);
    assay_source_consume(under, 8);
    const struct outcome outcome = read_from(under, &made, true);
    assert_whole(&outcome, &made);
    assert_agrees(&outcome.report);
    free(outer.data);
    free(more.data);
    free_made(&made);
}

/* The header is patched where the container begins in the file. */
static void a_regular_file_can_be_written(void **state)
{
    (void)state;
    struct made made = make(2000, 100);
    char path[] = "/tmp/assay-zstf-XXXXXX";
    const int fd = mkstemp(path);
    struct assay_sink sink;
    struct assay_zstf_writer *writer;
    assay_sink_fd(&sink, fd);
    assay_sink_text(&sink, "in front");
    assert_int_equal(assay_zstf_writer_open(&sink, 100, &writer, NULL), ASSAY_OK);
    write_trace(writer, &made);
    assert_int_equal(assay_zstf_writer_close(writer), ASSAY_OK);
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
    struct blob back = {.data = malloc(made.packed.size + 9), .size = made.packed.size + 8};
    assert_int_equal(pread(fd, back.data, back.size + 1, 0), back.size);
    assert_memory_equal(back.data + 8, made.packed.data, made.packed.size);
    free(back.data);
    close(fd);
    unlink(path);
    free_made(&made);
}

static void a_pipe_cannot_be_written(void **state)
{
    (void)state;
    int ends[2];
    struct assay_sink sink;
    struct assay_zstf_writer *writer;
    struct assay_diag diag = {0};
    assert_int_equal(pipe(ends), 0);
    assay_sink_fd(&sink, ends[1]);
    assert_int_equal(assay_zstf_writer_open(&sink, 0, &writer, &diag), ASSAY_NOT_WRITABLE);
    assert_null(writer);
    assert_non_null(strstr(diag.message, "pipe"));
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
    close(ends[0]);
    close(ends[1]);
}

static void a_sink_that_fails_is_told_by_the_writer(void **state)
{
    (void)state;
    struct made made = make(2000, 100);
    for (size_t limit = 0; limit < made.packed.size; limit += 1 + limit / 3) {
        struct assay_sink sink;
        struct assay_zstf_writer *writer;
        assay_sink_memory(&sink, limit + 1 < made.packed.size ? limit + 1 : limit);
        assert_int_equal(assay_zstf_writer_open(&sink, 100, &writer, NULL), ASSAY_OK);
        write_trace(writer, &made);
        assert_int_equal(assay_zstf_writer_close(writer), ASSAY_LIMIT);
        assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_LIMIT);
    }
    assert_int_equal(assay_zstf_writer_close(NULL), ASSAY_OK);
    free_made(&made);
}

/* The whole file, or no data where there is none. */
static struct blob read_file(const char *path)
{
    struct blob blob = {0};
    struct assay_source *source;
    if (assay_source_open(path, &source, NULL) != ASSAY_OK) {
        return blob;
    }
    const uint8_t *data;
    size_t have;
    while (assay_source_peek(source, 1, &data, &have) == ASSAY_OK && have > 0) {
        append(&blob, data, have);
        assay_source_consume(source, have);
    }
    assay_source_close(source);
    return blob;
}

/* What another program wrote: index and chunks agree, and the bytes are those of the original trace
 * beside it. */
static void compare_sample(const char *path)
{
    char beside[4096];
    struct assay_source *under;
    struct assay_source *source;
    struct assay_zstf_report report;
    snprintf(beside, sizeof beside, "%.*s.stf", (int)(strlen(path) - strlen(".zstf")), path);
    const struct blob original = read_file(beside);
    assert_int_equal(assay_source_open(path, &under, NULL), ASSAY_OK);
    assert_int_equal(assay_container_probe(under), ASSAY_CONTAINER_ZSTF);
    assert_int_equal(assay_filter_open(under, ASSAY_CONTAINER_ZSTF, true, &source, NULL), ASSAY_OK);
    struct blob bytes = {0};
    const uint8_t *data;
    size_t have;
    while (assay_source_peek(source, 1, &data, &have) == ASSAY_OK && have > 0) {
        append(&bytes, data, have);
        assay_source_consume(source, have);
    }
    assay_zstf_report(source, &report);
    report.pcs_checked = report.entries; /* which only a decoder knows */
    assert_agrees(&report);
    assert_true(report.chunks > 0);
    if (original.data != NULL) {
        assert_int_equal(bytes.size, original.size);
        assert_memory_equal(bytes.data, original.data, original.size);
    }
    assay_source_close(source);
    free(bytes.data);
    free(original.data);
}

static void samples_of_another_writer_are_read(void **state)
{
    (void)state;
    const char *folder = getenv("ASSAY_STF_SAMPLES");
    DIR *list = folder != NULL ? opendir(folder) : NULL;
    if (list == NULL) {
        print_message("skipped: ASSAY_STF_SAMPLES names no folder with .zstf traces\n");
        skip();
    }
    unsigned count = 0;
    for (const struct dirent *item; (item = readdir(list)) != NULL;) {
        const size_t length = strlen(item->d_name);
        char path[4096];
        if (length > 5 && strcmp(item->d_name + length - 5, ".zstf") == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
            compare_sample(path);
            count++;
        }
    }
    closedir(list);
    assert_true(count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(the_numbers_stand_where_the_layout_says),
        cmocka_unit_test(a_trace_of_nothing_has_no_chunk),
        cmocka_unit_test(a_trace_that_ends_with_a_full_chunk_has_no_empty_one),
        cmocka_unit_test(a_chunk_has_ten_million_instructions_unless_told),
        cmocka_unit_test(a_chunk_may_be_several_frames),
        cmocka_unit_test(a_container_is_told_by_its_magic),
        cmocka_unit_test(a_pipe_can_be_read),
        cmocka_unit_test(offsets_count_from_the_magic),
        cmocka_unit_test(a_regular_file_can_be_written),
        cmocka_unit_test(a_pipe_cannot_be_written),
        cmocka_unit_test(a_sink_that_fails_is_told_by_the_writer),
        cmocka_unit_test(samples_of_another_writer_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
