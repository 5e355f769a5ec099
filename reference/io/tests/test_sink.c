#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/sink.h"

static void a_memory_sink_keeps_all_in_order(void **state)
{
    (void)state;
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    assay_sink_write(&sink, "ab", 2);
    assay_sink_write(&sink, NULL, 0);
    assay_sink_text(&sink, "cd");
    assay_sink_printf(&sink, "%d%s", 12, "ef");
    assert_int_equal(assay_sink_flush(&sink), ASSAY_OK);
    assert_int_equal(sink.size, 8);
    assert_int_equal(sink.total, 8);
    assert_memory_equal(sink.data, "abcd12ef", 8);
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
    assert_null(sink.data);
}

static void printing_has_no_longest_text(void **state)
{
    (void)state;
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    for (int width = 510; width < 514; width++) {
        assay_sink_printf(&sink, "%*d", width, 7);
        assert_int_equal(sink.data[sink.size - 1], '7');
    }
    assert_int_equal(sink.size, 510 + 511 + 512 + 513);
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
}

static void a_memory_sink_stops_at_its_limit(void **state)
{
    (void)state;
    struct assay_sink sink;
    struct assay_diag diag = {0};
    assay_sink_memory(&sink, 10);
    assay_sink_write(&sink, "0123456", 7);
    assay_sink_write(&sink, "789", 3);
    assert_int_equal(sink.error, ASSAY_OK);
    assay_sink_write(&sink, "x", 1);
    assert_int_equal(sink.error, ASSAY_LIMIT);
    assert_int_equal(sink.size, 10);
    assert_memory_equal(sink.data, "0123456789", 10);
    assert_int_equal(assay_sink_close(&sink, &diag), ASSAY_LIMIT);
    assert_int_equal(diag.error, ASSAY_LIMIT);
}

static void nothing_is_written_after_an_error(void **state)
{
    (void)state;
    struct assay_sink sink;
    assay_sink_memory(&sink, 4);
    assay_sink_write(&sink, "12345", 5);
    assay_sink_write(&sink, "1", 1);
    assert_int_equal(sink.size, 0);
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_LIMIT);
}

static void a_file_gets_all_whatever_the_sizes_of_writes(void **state)
{
    (void)state;
    char path[] = "/tmp/assay-sink-XXXXXX";
    close(mkstemp(path));
    enum { SIZE = 1000003 };
    uint8_t *bytes = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++) {
        bytes[i] = (uint8_t)(i * 2654435761u >> 24);
    }
    struct assay_sink sink;
    assert_int_equal(assay_sink_open(&sink, path, NULL), ASSAY_OK);
    size_t at = 0;
    for (size_t n = 1; at < SIZE; n = n * 7 % 400009 + 1) {
        const size_t size = n < SIZE - at ? n : SIZE - at;
        assay_sink_write(&sink, bytes + at, size);
        at += size;
    }
    assert_int_equal(sink.total, SIZE);
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);

    uint8_t *back = malloc(SIZE + 1);
    const int fd = open(path, O_RDONLY);
    assert_int_equal(read(fd, back, SIZE + 1), SIZE);
    close(fd);
    assert_memory_equal(back, bytes, SIZE);
    free(back);
    free(bytes);
    unlink(path);
}

static void what_was_written_can_be_patched_in_memory(void **state)
{
    (void)state;
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    assert_true(assay_sink_can_patch(&sink));
    assay_sink_text(&sink, "0123456789");
    assay_sink_patch(&sink, 2, "abc", 3);
    assay_sink_patch(&sink, 10, "", 0);
    assay_sink_text(&sink, "!");
    assert_memory_equal(sink.data, "01abc56789!", 11);
    assert_int_equal(sink.error, ASSAY_OK);
    assay_sink_patch(&sink, 9, "xyz", 3);
    assert_int_equal(sink.error, ASSAY_USAGE);
    assert_memory_equal(sink.data, "01abc56789!", 11);
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_USAGE);
}

/* What stood in front of the sink's beginning counts for nothing. */
static void what_was_written_can_be_patched_in_a_file(void **state)
{
    (void)state;
    char path[] = "/tmp/assay-sink-XXXXXX";
    const int fd = mkstemp(path);
    assert_int_equal(write(fd, "before", 6), 6);
    struct assay_sink sink;
    assay_sink_fd(&sink, fd);
    assert_true(assay_sink_can_patch(&sink));
    assay_sink_text(&sink, "0123456789");
    assay_sink_patch(&sink, 1, "abc", 3);
    assay_sink_text(&sink, "behind");
    assay_sink_patch(&sink, 11, "E", 1);
    assert_int_equal(sink.total, 16);
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
    char back[32];
    assert_int_equal(pread(fd, back, sizeof back, 0), 22);
    assert_memory_equal(back, "before0abc456789bEhind", 22);
    close(fd);
    unlink(path);
}

static void pipes_and_files_that_grow_only_cannot_be_patched(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct assay_sink sink;
    assay_sink_fd(&sink, ends[1]);
    assert_false(assay_sink_can_patch(&sink));
    assay_sink_close(&sink, NULL);
    close(ends[0]);
    close(ends[1]);

    char path[] = "/tmp/assay-sink-XXXXXX";
    close(mkstemp(path));
    const int fd = open(path, O_WRONLY | O_APPEND);
    assay_sink_fd(&sink, fd);
    assert_false(assay_sink_can_patch(&sink));
    assay_sink_close(&sink, NULL);
    close(fd);
    unlink(path);
}

static void a_sink_over_a_descriptor_leaves_it_open(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct assay_sink sink;
    assay_sink_fd(&sink, ends[1]);
    assay_sink_text(&sink, "text");
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
    assert_int_equal(write(ends[1], "!", 1), 1);
    char back[8];
    assert_int_equal(read(ends[0], back, sizeof back), 5);
    assert_memory_equal(back, "text!", 5);
    close(ends[0]);
    close(ends[1]);
}

static void a_pipe_that_nobody_reads_is_broken(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    assert_int_equal(sigaction(SIGPIPE, &ignore, &before), 0);
    struct assay_sink sink;
    struct assay_diag diag = {0};
    assay_sink_fd(&sink, ends[1]);
    assay_sink_text(&sink, "text");
    assert_int_equal(assay_sink_flush(&sink), ASSAY_BROKEN_PIPE);
    assert_int_equal(assay_sink_close(&sink, &diag), ASSAY_BROKEN_PIPE);
    assert_non_null(strstr(diag.message, "Broken pipe"));
    sigaction(SIGPIPE, &before, NULL);
    close(ends[1]);
}

static void a_full_device_is_not_writable(void **state)
{
    (void)state;
    struct assay_sink sink;
    struct assay_diag diag = {0};
    if (assay_sink_open(&sink, "/dev/full", NULL) != ASSAY_OK) {
        skip();
    }
    assay_sink_text(&sink, "text");
    assert_int_equal(assay_sink_close(&sink, &diag), ASSAY_WRITE_FAILED);
    assert_non_null(strstr(diag.message, "No space left"));
}

static void a_place_that_cannot_be_written_is_named(void **state)
{
    (void)state;
    struct assay_sink sink;
    struct assay_diag diag = {0};
    assert_int_equal(assay_sink_open(&sink, "/tmp", &diag), ASSAY_NOT_WRITABLE);
    assert_string_equal(diag.path, "/tmp");
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_memory_sink_keeps_all_in_order),
        cmocka_unit_test(printing_has_no_longest_text),
        cmocka_unit_test(a_memory_sink_stops_at_its_limit),
        cmocka_unit_test(nothing_is_written_after_an_error),
        cmocka_unit_test(a_file_gets_all_whatever_the_sizes_of_writes),
        cmocka_unit_test(what_was_written_can_be_patched_in_memory),
        cmocka_unit_test(what_was_written_can_be_patched_in_a_file),
        cmocka_unit_test(pipes_and_files_that_grow_only_cannot_be_patched),
        cmocka_unit_test(a_sink_over_a_descriptor_leaves_it_open),
        cmocka_unit_test(a_pipe_that_nobody_reads_is_broken),
        cmocka_unit_test(a_full_device_is_not_writable),
        cmocka_unit_test(a_place_that_cannot_be_written_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
