#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "io/source.h"

static char folder[] = "/tmp/assay-source-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/input", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path) == 0 || errno == ENOENT ? 0 : -1;
}

/* A byte that tells its offset apart from those near it and those a buffer's size away. */
static uint8_t pattern(uint64_t offset)
{
    return (uint8_t)((offset * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

static void write_pattern(int fd, uint64_t from, size_t size)
{
    uint8_t block[4096];
    while (size > 0) {
        const size_t n = size < sizeof block ? size : sizeof block;
        for (size_t i = 0; i < n; i++) {
            block[i] = pattern(from + i);
        }
        assert_int_equal(write(fd, block, n), n);
        from += n;
        size -= n;
    }
}

static void make_file(size_t size)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    write_pattern(fd, 0, size);
    close(fd);
}

static struct assay_source *open_source(const char *name)
{
    struct assay_source *source = NULL;
    struct assay_diag diag = {0};
    assert_int_equal(assay_source_open(name, &source, &diag), ASSAY_OK);
    assert_non_null(source);
    return source;
}

static void assert_pattern(const struct assay_source *source, const uint8_t *data, size_t size)
{
    const uint64_t offset = assay_source_offset(source);
    for (size_t i = 0; i < size; i++) {
        if (data[i] != pattern(offset + i)) {
            fail_msg("wrong byte at %llu", (unsigned long long)(offset + i));
        }
    }
}

/* Reads all with peeks and steps of changing sizes; returns the number of bytes. */
static uint64_t read_pattern(struct assay_source *source, size_t largest)
{
    size_t want = 1;
    for (;;) {
        const uint8_t *data;
        size_t have;
        assert_int_equal(assay_source_peek(source, want, &data, &have), ASSAY_OK);
        assert_pattern(source, data, have < want ? have : want);
        if (have == 0) {
            return assay_source_offset(source);
        }
        const size_t step = want / 3 + 1;
        assay_source_consume(source, step < have ? step : have);
        want = want * 7 % largest + 1;
    }
}

static void assert_refused(const char *name, enum assay_error expected, const char *reason)
{
    struct assay_source *source = NULL;
    struct assay_diag diag = {0};
    assert_int_equal(assay_source_open(name, &source, &diag), expected);
    assert_null(source);
    assert_int_equal(diag.error, expected);
    assert_string_equal(diag.path, name);
    assert_non_null(strstr(diag.message, reason));
}

static void memory_is_shown_whole_and_once(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {1, 2, 3, 4, 5};
    struct assay_source *source;
    const uint8_t *data;
    size_t have;
    assert_int_equal(assay_source_memory(bytes, sizeof bytes, &source), ASSAY_OK);
    assert_int_equal(assay_source_peek(source, 2, &data, &have), ASSAY_OK);
    assert_int_equal(have, 5);
    assert_ptr_equal(data, bytes);
    assay_source_consume(source, 2);
    assert_int_equal(assay_source_offset(source), 2);
    assert_int_equal(assay_source_peek(source, 4, &data, &have), ASSAY_OK);
    assert_int_equal(have, 3);
    assert_int_equal(data[0], 3);
    assay_source_consume(source, 100);
    assert_int_equal(assay_source_offset(source), 5);
    assert_int_equal(assay_source_peek(source, 1, &data, &have), ASSAY_OK);
    assert_int_equal(have, 0);
    struct assay_source_status status;
    assay_source_status(source, &status);
    assert_int_equal(status.fault, ASSAY_OK);
    assert_int_equal(status.stored_size, 5);
    assert_int_equal(status.stored_offset, 5);
    assert_int_equal(status.streams, 0);
    assay_source_close(source);
}

static void no_bytes_are_an_end_at_once(void **state)
{
    (void)state;
    struct assay_source *source;
    const uint8_t *data;
    size_t have;
    assert_int_equal(assay_source_memory(NULL, 0, &source), ASSAY_OK);
    assert_int_equal(assay_source_peek(source, 1, &data, &have), ASSAY_OK);
    assert_int_equal(have, 0);
    assay_source_close(source);
    make_file(0);
    source = open_source(path);
    assert_int_equal(read_pattern(source, 10), 0);
    assay_source_close(source);
    assay_source_close(NULL);
}

static void a_file_is_read_whole_whatever_the_sizes_of_peeks(void **state)
{
    (void)state;
    const size_t size = 3 * ((size_t)1 << 19) + 12345;
    make_file(size);
    const size_t largest[] = {2, 1021, 65537, ASSAY_PEEK_MAX};
    for (size_t i = 0; i < sizeof largest / sizeof largest[0]; i++) {
        struct assay_source *source = open_source(path);
        assert_int_equal(read_pattern(source, largest[i]), size);
        struct assay_source_status status;
        assay_source_status(source, &status);
        assert_int_equal(status.fault, ASSAY_OK);
        assert_int_equal(status.stored_offset, size);
        assert_int_equal(status.stored_size, size);
        assay_source_close(source);
    }
}

static void the_largest_peek_is_met_at_every_place(void **state)
{
    (void)state;
    const size_t size = 6 * ASSAY_PEEK_MAX;
    make_file(size);
    struct assay_source *source = open_source(path);
    while (assay_source_offset(source) + ASSAY_PEEK_MAX <= size) {
        const uint8_t *data;
        size_t have;
        assert_int_equal(assay_source_peek(source, ASSAY_PEEK_MAX, &data, &have), ASSAY_OK);
        assert_true(have >= ASSAY_PEEK_MAX);
        assert_pattern(source, data, ASSAY_PEEK_MAX);
        assay_source_consume(source, 65521);
    }
    assay_source_close(source);
}

static void a_peek_beyond_the_most_is_a_wrong_call(void **state)
{
    (void)state;
    make_file(100);
    struct assay_source *source = open_source(path);
    const uint8_t *data;
    size_t have;
    assert_int_equal(assay_source_peek(source, ASSAY_PEEK_MAX + 1, &data, &have), ASSAY_USAGE);
    assert_int_equal(assay_source_peek(source, 100, &data, &have), ASSAY_OK);
    assert_int_equal(have, 100);
    assay_source_close(source);
}

static void a_peek_of_nothing_does_not_read(void **state)
{
    (void)state;
    make_file(100);
    struct assay_source *source = open_source(path);
    const uint8_t *data;
    size_t have = 1;
    assert_int_equal(assay_source_peek(source, 0, &data, &have), ASSAY_OK);
    assert_int_equal(have, 0);
    assay_source_close(source);
}

static void a_file_that_shrinks_ends_early(void **state)
{
    (void)state;
    const size_t size = (size_t)1 << 21;
    make_file(size);
    struct assay_source *source = open_source(path);
    const uint8_t *data;
    size_t have;
    assert_int_equal(assay_source_peek(source, 1, &data, &have), ASSAY_OK);
    assert_int_equal(truncate(path, 10), 0);
    assert_true(read_pattern(source, 1000) < size);
    assay_source_close(source);
}

static void standard_input_is_read_and_stays_open(void **state)
{
    (void)state;
    make_file(5000);
    const int saved = dup(STDIN_FILENO);
    const int fd = open(path, O_RDONLY);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    close(fd);
    struct assay_source *source = open_source("-");
    assert_int_equal(read_pattern(source, 100), 5000);
    assay_source_close(source);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
    dup2(saved, STDIN_FILENO);
    close(saved);
}

static void a_character_device_is_read(void **state)
{
    (void)state;
    struct assay_source *source = open_source("/dev/zero");
    const uint8_t *data;
    size_t have;
    assert_int_equal(assay_source_peek(source, ASSAY_PEEK_MAX, &data, &have), ASSAY_OK);
    assert_true(have >= ASSAY_PEEK_MAX);
    assay_source_close(source);
    source = open_source("/dev/null");
    assert_int_equal(assay_source_peek(source, 1, &data, &have), ASSAY_OK);
    assert_int_equal(have, 0);
    assay_source_close(source);
}

static void a_missing_file_is_not_found(void **state)
{
    (void)state;
    assert_refused(path, ASSAY_NOT_FOUND, "No such file");
    make_file(1);
    char below[80];
    snprintf(below, sizeof below, "%s/x", path);
    assert_refused(below, ASSAY_NOT_FOUND, "Not a directory");
}

static void a_directory_is_not_readable(void **state)
{
    (void)state;
    assert_refused(folder, ASSAY_NOT_READABLE, "directory");
}

static void a_socket_is_not_readable(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_refused(path, ASSAY_NOT_READABLE, "socket");
    close(fd);
}

static void a_file_without_permission_is_not_readable(void **state)
{
    (void)state;
    enum { NOBODY = 65534 };
    const uid_t before = geteuid();
    make_file(10);
    assert_int_equal(chmod(path, 0), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    if (before == 0 && seteuid(NOBODY) != 0) {
        skip();
    }
    struct assay_source *source = NULL;
    struct assay_diag diag = {0};
    const enum assay_error error = assay_source_open(path, &source, &diag);
    assert_int_equal(seteuid(before), 0);
    assert_int_equal(error, ASSAY_NOT_READABLE);
    assert_non_null(strstr(diag.message, "Permission denied"));
}

static void a_read_error_is_told_with_its_reason(void **state)
{
    (void)state;
    struct assay_source *source = open_source("/proc/self/mem"); /* nothing is at address 0 */
    const uint8_t *data;
    size_t have;
    assert_int_equal(assay_source_peek(source, 1, &data, &have), ASSAY_READ_FAILED);
    assert_int_equal(have, 0);
    struct assay_source_status status;
    assay_source_status(source, &status);
    assert_int_equal(status.fault, ASSAY_READ_FAILED);
    assert_true(status.detail[0] != '\0');
    assay_source_close(source);
}

enum { PIPE_SIZE = 300007 };

/* Writes in pieces of changing sizes, with pauses, so that reads are short and must wait. */
static void *feed_pipe(void *argument)
{
    (void)argument;
    const int fd = open(path, O_WRONLY);
    uint64_t at = 0;
    for (size_t n = 1; at < PIPE_SIZE; n = n * 5 % 4093 + 1) {
        const size_t size = n < PIPE_SIZE - at ? n : (size_t)(PIPE_SIZE - at);
        write_pattern(fd, at, size);
        at += size;
        if (n % 16 == 0) {
            usleep(100);
        }
    }
    close(fd);
    return NULL;
}

static void a_pipe_that_gives_small_pieces_is_read_whole(void **state)
{
    (void)state;
    const size_t largest[] = {100, ASSAY_PEEK_MAX};
    assert_int_equal(mkfifo(path, 0600), 0);
    for (size_t i = 0; i < sizeof largest / sizeof largest[0]; i++) {
        pthread_t writer;
        assert_int_equal(pthread_create(&writer, NULL, feed_pipe, NULL), 0);
        struct assay_source *source = open_source(path);
        assert_int_equal(read_pattern(source, largest[i]), PIPE_SIZE);
        struct assay_source_status status;
        assay_source_status(source, &status);
        assert_int_equal(status.stored_size, 0);
        assay_source_close(source);
        pthread_join(writer, NULL);
    }
}

static void a_peek_at_a_pipe_waits_for_no_more_than_it_wants(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    const int keeper = open(path, O_RDWR);
    struct assay_source *source = open_source(path);
    write_pattern(keeper, 0, 10);
    const uint8_t *data;
    size_t have;
    assert_int_equal(assay_source_peek(source, 10, &data, &have), ASSAY_OK);
    assert_int_equal(have, 10);
    assert_pattern(source, data, have);
    assay_source_close(source);
    close(keeper);
}

static void *interrupt_soon(void *argument)
{
    usleep(20000);
    assay_source_interrupt(argument);
    return NULL;
}

static void assert_interrupted(struct assay_source *source)
{
    const uint8_t *data;
    size_t have;
    assert_int_equal(assay_source_peek(source, 10, &data, &have), ASSAY_READ_FAILED);
    assert_int_equal(have, 4);
    struct assay_source_status status;
    assay_source_status(source, &status);
    assert_string_equal(status.detail, "reading was interrupted");
}

static void an_interrupt_ends_the_wait_for_a_pipe(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    const int keeper = open(path, O_RDWR);
    struct assay_source *source = open_source(path);
    write_pattern(keeper, 0, 4);
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, interrupt_soon, source), 0);
    assert_interrupted(source);
    pthread_join(other, NULL);
    assay_source_close(source);
    close(keeper);
}

static struct assay_source *source_of_handler;

static void handler(int number)
{
    (void)number;
    assay_source_interrupt(source_of_handler);
}

static void a_signal_handler_may_interrupt(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    const int keeper = open(path, O_RDWR);
    source_of_handler = open_source(path);
    write_pattern(keeper, 0, 4);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct sigaction before;
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    ualarm(20000, 0);
    assert_interrupted(source_of_handler);
    sigaction(SIGALRM, &before, NULL);
    assay_source_close(source_of_handler);
    close(keeper);
}

static void a_file_and_memory_can_be_read_again_from_their_first_byte(void **state)
{
    (void)state;
    enum { SIZE = 700000, BEFORE = 1000 };
    struct assay_source *source, *again;
    const uint8_t *data;
    size_t have;
    make_file(SIZE);
    const int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(lseek(fd, BEFORE, SEEK_SET), BEFORE);
    assert_true(dup2(fd, STDIN_FILENO) >= 0);
    close(fd);
    source = open_source("-");
    assert_int_equal(assay_source_peek(source, 5000, &data, &have), ASSAY_OK);
    assay_source_consume(source, 5000);
    assert_int_equal(unlink(path), 0); /* the file is known by more than its path */
    assert_int_equal(assay_source_again(source, &again), ASSAY_OK);
    assert_int_equal(assay_source_peek(again, 1, &data, &have), ASSAY_OK);
    assert_int_equal(data[0], pattern(BEFORE));
    uint64_t length = 0;
    for (; have > 0; assay_source_peek(again, 1, &data, &have)) {
        length += have;
        assay_source_consume(again, have);
    }
    assert_int_equal(length, SIZE - BEFORE);
    assert_int_equal(assay_source_offset(source), 5000);
    assay_source_close(again);
    assay_source_close(source);

    static const uint8_t bytes[] = {1, 2, 3};
    assert_int_equal(assay_source_memory(bytes, sizeof bytes, &source), ASSAY_OK);
    assay_source_consume(source, 2);
    assert_int_equal(assay_source_again(source, &again), ASSAY_OK);
    assert_int_equal(assay_source_peek(again, 3, &data, &have), ASSAY_OK);
    assert_int_equal(have, 3);
    assert_ptr_equal(data, bytes);
    assay_source_close(again);
    assay_source_close(source);
}

static void a_pipe_cannot_be_read_again(void **state)
{
    (void)state;
    struct assay_source *again;
    assert_int_equal(mkfifo(path, 0600), 0);
    const int keeper = open(path, O_RDWR);
    assert_true(keeper >= 0);
    struct assay_source *source = open_source(path);
    assert_int_equal(assay_source_again(source, &again), ASSAY_UNSUPPORTED);
    assert_null(again);
    assay_source_close(source);
    close(keeper);
}

#define CASE(name) cmocka_unit_test_teardown(name, remove_file)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(memory_is_shown_whole_and_once),
        CASE(no_bytes_are_an_end_at_once),
        CASE(a_file_is_read_whole_whatever_the_sizes_of_peeks),
        CASE(the_largest_peek_is_met_at_every_place),
        CASE(a_peek_beyond_the_most_is_a_wrong_call),
        CASE(a_peek_of_nothing_does_not_read),
        CASE(a_file_that_shrinks_ends_early),
        CASE(standard_input_is_read_and_stays_open),
        CASE(a_character_device_is_read),
        CASE(a_missing_file_is_not_found),
        CASE(a_directory_is_not_readable),
        CASE(a_socket_is_not_readable),
        CASE(a_file_without_permission_is_not_readable),
        CASE(a_read_error_is_told_with_its_reason),
        CASE(a_pipe_that_gives_small_pieces_is_read_whole),
        CASE(a_peek_at_a_pipe_waits_for_no_more_than_it_wants),
        CASE(an_interrupt_ends_the_wait_for_a_pipe),
        CASE(a_signal_handler_may_interrupt),
        CASE(a_file_and_memory_can_be_read_again_from_their_first_byte),
        CASE(a_pipe_cannot_be_read_again),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
