/* Filters on data that is damaged or hostile, and filters that are stopped. */
#include "io/tests/filter_support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void no_bytes_where_a_stream_is_due_are_truncated(void **state)
{
    (void)state;
    for (size_t c = 0; c < CONTAINERS; c++) {
        for (int threaded = 0; threaded < 2; threaded++) {
            uint64_t length;
            const struct assay_source_status status =
                decode(NULL, 0, containers[c], threaded, (struct blob){0}, &length);
            assert_int_equal(status.fault, ASSAY_TRUNCATED);
            assert_int_equal(status.streams, 0);
            assert_int_equal(length, 0);
        }
    }
}

/* All places near both ends, and some between. */
static size_t next_place(size_t at, size_t size)
{
    enum { NEAR = 64, BETWEEN = 60 };
    if (at < NEAR || at + NEAR >= size) {
        return at + 1;
    }
    const size_t next = at + size / BETWEEN + 1;
    return next + NEAR < size ? next : size - NEAR;
}

static void a_truncated_stream_shows_its_beginning_and_then_the_fault(void **state)
{
    (void)state;
    const struct blob original = sample(300000);
    for (size_t c = 0; c < CONTAINERS; c++) {
        const struct blob packed = compress_with(containers[c], original);
        uint64_t longest = 0;
        for (size_t cut = 1; cut < packed.size; cut = next_place(cut, packed.size)) {
            uint64_t length;
            const struct assay_source_status status =
                decode(packed.data, cut, containers[c], cut % 5 == 0, original, &length);
            assert_int_equal(status.fault, ASSAY_TRUNCATED);
            assert_true(status.detail[0] != '\0');
            assert_int_equal(status.stored_offset, cut);
            assert_int_equal(status.trailing_bytes, 0);
            assert_true(length >= longest);
            longest = length;
        }
        assert_true(longest > original.size / 2);
        free(packed.data);
    }
    free(original.data);
}

static void a_truncated_second_stream_is_a_fault_after_the_first(void **state)
{
    (void)state;
    const struct blob original = sample(5000);
    for (size_t c = 0; c < CONTAINERS; c++) {
        struct blob packed = compress_with(containers[c], original);
        const struct blob copy = blob_of(packed.data, packed.size);
        append(&packed, copy.data, 20);
        struct assay_source *source = open_packed(packed.data, packed.size, containers[c], true);
        const uint8_t *data;
        size_t have;
        assert_int_equal(assay_source_peek(source, original.size, &data, &have), ASSAY_OK);
        assert_memory_equal(data, original.data, original.size);
        struct assay_source_status status;
        assay_source_status(source, &status);
        assert_int_equal(status.fault, ASSAY_OK); /* not before all was asked for */
        assert_int_equal(assay_source_peek(source, ASSAY_PEEK_MAX, &data, &have), ASSAY_TRUNCATED);
        assert_true(have >= original.size);
        assay_source_status(source, &status);
        assert_int_equal(status.fault, ASSAY_TRUNCATED);
        assert_int_equal(status.streams, 2);
        assay_source_close(source);
        free(copy.data);
        free(packed.data);
    }
    free(original.data);
}

static bool is_fault_of_damage(enum assay_error error)
{
    return error == ASSAY_CORRUPT || error == ASSAY_TRUNCATED || error == ASSAY_UNSUPPORTED ||
           error == ASSAY_LIMIT;
}

static enum assay_error drain(struct assay_source *source, uint64_t limit)
{
    const uint8_t *data;
    size_t have;
    enum assay_error error;
    do {
        error = assay_source_peek(source, 1, &data, &have);
        assay_source_consume(source, have);
    } while (have > 0 && assay_source_offset(source) < limit);
    return error;
}

/* Reads to the end, or to where the bytes are not the original's; whether they all were. */
static bool is_all_of(struct assay_source *source, struct blob original)
{
    const uint8_t *data;
    size_t have;
    uint64_t at;
    do {
        (void)assay_source_peek(source, 1, &data, &have);
        at = assay_source_offset(source);
        if (have > original.size - at || memcmp(data, original.data + at, have) != 0) {
            return false;
        }
        assay_source_consume(source, have);
    } while (have > 0);
    return at == original.size;
}

static void damage(const uint8_t *data, size_t size, enum assay_container container, bool threaded,
                   struct blob original)
{
    struct assay_source *source = open_packed(data, size, container, threaded);
    const bool whole = is_all_of(source, original);
    const enum assay_error error = drain(source, UINT64_C(1) << 24);
    assert_true(error == ASSAY_OK || is_fault_of_damage(error));
    /* .lzma has no check */
    assert_true(error != ASSAY_OK || whole || container == ASSAY_CONTAINER_LZMA);
    assay_source_close(source);
}

/* Some bits mean nothing for the data: the time in a gzip header, what fills the last byte. */
static void a_damaged_bit_is_a_fault_or_changes_nothing(void **state)
{
    (void)state;
    const struct blob original = sample(40000);
    for (size_t c = 0; c < CONTAINERS; c++) {
        struct blob packed = compress_with(containers[c], original);
        for (size_t at = 0; at < packed.size; at = next_place(at, packed.size)) {
            const uint8_t before = packed.data[at];
            packed.data[at] ^= (uint8_t)(1u << at % 8);
            damage(packed.data, packed.size, containers[c], at % 7 == 0, original);
            packed.data[at] = before;
        }
        free(packed.data);
    }
    free(original.data);
}

static void data_of_another_container_is_corrupt(void **state)
{
    (void)state;
    const struct blob original = sample(5000);
    const struct blob packed = compress_with(ASSAY_CONTAINER_XZ, original);
    for (size_t c = 1; c < CONTAINERS; c++) {
        uint64_t length;
        assert_int_equal(
            decode(packed.data, packed.size, containers[c], false, original, &length).fault,
            ASSAY_CORRUPT);
        assert_int_equal(length, 0);
    }
    free(packed.data);
    free(original.data);
}

static void a_stream_that_needs_a_dictionary_is_unsupported(void **state)
{
    (void)state;
    static const uint8_t packed[] = {0x78, 0x20, 0, 0, 0, 1, 3, 0, 0, 0, 0, 1}; /* FDICT */
    uint64_t length;
    const struct assay_source_status status =
        decode(packed, sizeof packed, ASSAY_CONTAINER_ZLIB, false, (struct blob){0}, &length);
    assert_int_equal(status.fault, ASSAY_UNSUPPORTED);
}

static void a_decoder_that_needs_much_memory_is_refused(void **state)
{
    (void)state;
    static const uint8_t packed[32] = {0x5d, 0, 0, 0, 0x80, 255, 255, 255, 255, 255, 255, 255, 255};
    uint64_t length;
    const struct assay_source_status status =
        decode(packed, sizeof packed, ASSAY_CONTAINER_LZMA, false, (struct blob){0}, &length);
    assert_int_equal(status.fault, ASSAY_LIMIT);
    assert_non_null(strstr(status.detail, "1.5 GiB"));
}

static enum assay_error fault_of_zstd(const void *packed, size_t size, const char *detail)
{
    uint64_t length;
    const struct assay_source_status status =
        decode(packed, size, ASSAY_CONTAINER_ZSTD, size % 2 == 0, (struct blob){0}, &length);
    assert_non_null(strstr(status.detail, detail));
    return status.fault;
}

/* RFC 8878, section 3.1.1.1: frame header descriptor, window descriptor or dictionary id. */
static void frames_that_ask_for_too_much_are_refused(void **state)
{
    (void)state;
    static const uint8_t window_256_mib[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 18 << 3, 1, 0, 0};
    static const uint8_t window_128_mib[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 17 << 3, 1, 0, 0};
    static const uint8_t dictionary[] = {0x28, 0xb5, 0x2f, 0xfd, 1, 8 << 3, 7, 1, 0, 0};
    static const uint8_t version_7[] = {0x27, 0xb5, 0x2f, 0xfd, 0, 8 << 3, 1, 0, 0};
    assert_int_equal(fault_of_zstd(window_256_mib, sizeof window_256_mib, "128 MiB"), ASSAY_LIMIT);
    assert_int_equal(fault_of_zstd(window_128_mib, sizeof window_128_mib, ""), ASSAY_OK);
    assert_int_equal(fault_of_zstd(dictionary, sizeof dictionary, "dictionary"), ASSAY_UNSUPPORTED);
    assert_int_equal(fault_of_zstd(version_7, sizeof version_7, "no header"), ASSAY_CORRUPT);
}

static void what_is_no_container_cannot_be_opened(void **state)
{
    (void)state;
    struct assay_source *under;
    struct assay_source *source;
    struct assay_compressor *compressor;
    struct assay_sink sink;
    struct assay_diag diag = {0};
    assert_int_equal(assay_source_memory("x", 1, &under), ASSAY_OK);
    assert_int_equal(assay_filter_open(under, ASSAY_CONTAINER_UNKNOWN, true, &source, &diag),
                     ASSAY_UNKNOWN_FORMAT);
    assert_null(source);
    assert_int_equal(diag.error, ASSAY_UNKNOWN_FORMAT);
    assay_sink_memory(&sink, 0);
    assert_int_equal(assay_compressor_open(&sink, ASSAY_CONTAINER_UNKNOWN, &compressor, NULL),
                     ASSAY_UNKNOWN_FORMAT);
    assert_null(compressor);
    assay_sink_close(&sink, NULL);
}

static void a_sink_that_fails_is_told_by_the_compressor(void **state)
{
    (void)state;
    const struct blob original = sample(3000000);
    for (size_t c = 0; c <= CONTAINERS; c++) {
        struct assay_sink sink;
        struct assay_compressor *compressor;
        assay_sink_memory(&sink, 1000);
        assert_int_equal(assay_compressor_open(&sink,
                                               c < CONTAINERS ? containers[c] : ASSAY_CONTAINER_RAW,
                                               &compressor, NULL),
                         ASSAY_OK);
        (void)assay_compressor_write(compressor, original.data, original.size);
        assert_int_equal(assay_compressor_end(compressor), ASSAY_LIMIT);
        assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_LIMIT);
    }
    assert_int_equal(assay_compressor_end(NULL), ASSAY_OK);
    free(original.data);
}

static long peak_kib(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* Streams of zeros one after the other do what one long one does, and are sooner made. Far less
 * memory is allowed than they unfold to. */
static void a_bomb_costs_constant_memory(void **state)
{
    (void)state;
    enum { STREAM = 16000000, STREAMS = 20, MEMORY_KIB = 40000 };
    const struct blob zeros = {.data = calloc(1, STREAM), .size = STREAM};
    static const enum assay_container bombs[] = {ASSAY_CONTAINER_XZ, ASSAY_CONTAINER_GZIP,
                                                 ASSAY_CONTAINER_ZSTD};
    for (size_t b = 0; b < sizeof bombs / sizeof bombs[0]; b++) {
        const struct blob stream = compress_with(bombs[b], zeros);
        struct blob bomb = blob_of("", 0);
        for (unsigned i = 0; i < STREAMS; i++) {
            append(&bomb, stream.data, stream.size);
        }
        assert_true(bomb.size < STREAM / 20);
        const long before = peak_kib();
        struct assay_source *source = open_packed(bomb.data, bomb.size, bombs[b], true);
        assert_int_equal(drain(source, UINT64_MAX), ASSAY_OK);
        assert_true(assay_source_offset(source) == (uint64_t)STREAM * STREAMS);
        assay_source_close(source);
        assert_true(peak_kib() - before < MEMORY_KIB);
        free(bomb.data);
        free(stream.data);
    }
    free(zeros.data);
}

static void a_filter_may_be_closed_at_any_moment(void **state)
{
    (void)state;
    const struct blob original = sample(3000000);
    for (size_t c = 0; c < CONTAINERS; c++) {
        const struct blob packed = compress_with(containers[c], original);
        for (size_t i = 0; i < 30; i++) {
            struct assay_source *source =
                open_packed(packed.data, packed.size, containers[c], true);
            for (size_t n = 0; n < i; n += 3) {
                const uint8_t *data;
                size_t have;
                assert_int_equal(assay_source_peek(source, n * 1000, &data, &have), ASSAY_OK);
                assay_source_consume(source, n * 10000);
            }
            if (i % 4 == 1) {
                usleep(500);
            }
            assay_source_close(source);
        }
        free(packed.data);
    }
    free(original.data);
}

static char path[] = "/tmp/assay-filter-XXXXXX";

/* A pipe whose writer gave half of a stream and neither continues nor leaves. */
static int open_stalled_pipe(const struct blob *packed)
{
    strcpy(path + sizeof path - 7, "XXXXXX");
    close(mkstemp(path));
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    const int keeper = open(path, O_RDWR);
    assert_true(keeper >= 0);
    assert_int_equal(write(keeper, packed->data, packed->size / 2), packed->size / 2);
    return keeper;
}

static struct assay_source *open_stalled_filter(bool threaded)
{
    struct assay_source *under;
    struct assay_source *source;
    assert_int_equal(assay_source_open(path, &under, NULL), ASSAY_OK);
    assert_int_equal(assay_filter_open(under, ASSAY_CONTAINER_GZIP, threaded, &source, NULL),
                     ASSAY_OK);
    return source;
}

static void *interrupt_soon(void *argument)
{
    usleep(20000);
    assay_source_interrupt(argument);
    return NULL;
}

static void an_interrupt_ends_a_filter_that_waits(void **state)
{
    (void)state;
    const struct blob original = sample(50000);
    const struct blob packed = compress_with(ASSAY_CONTAINER_GZIP, original);
    for (int threaded = 0; threaded < 2; threaded++) {
        const int keeper = open_stalled_pipe(&packed);
        struct assay_source *source = open_stalled_filter(threaded);
        pthread_t other;
        assert_int_equal(pthread_create(&other, NULL, interrupt_soon, source), 0);
        assert_int_equal(read_against(source, original), ASSAY_READ_FAILED);
        struct assay_source_status status;
        assay_source_status(source, &status);
        assert_string_equal(status.detail, "reading was interrupted");
        pthread_join(other, NULL);
        assay_source_close(source);
        close(keeper);
        unlink(path);
    }
    free(packed.data);
    free(original.data);
}

static void an_interrupt_ends_a_filter_that_is_busy(void **state)
{
    (void)state;
    const struct blob original = sample(5000000);
    const struct blob packed = compress_with(ASSAY_CONTAINER_GZIP, original);
    for (int threaded = 0; threaded < 2; threaded++) {
        struct assay_source *source =
            open_packed(packed.data, packed.size, ASSAY_CONTAINER_GZIP, threaded);
        const uint8_t *data;
        size_t have;
        assert_int_equal(assay_source_peek(source, 1, &data, &have), ASSAY_OK);
        assay_source_interrupt(source);
        assert_int_equal(drain(source, UINT64_MAX), ASSAY_READ_FAILED);
        assert_true(assay_source_offset(source) < original.size);
        assay_source_close(source);
    }
    free(packed.data);
    free(original.data);
}

static void closing_does_not_wait_for_a_stalled_pipe(void **state)
{
    (void)state;
    const struct blob original = sample(50000);
    const struct blob packed = compress_with(ASSAY_CONTAINER_GZIP, original);
    (void)alarm(60); /* waiting for ever ends the test */
    for (int i = 0; i < 10; i++) {
        const int keeper = open_stalled_pipe(&packed);
        struct assay_source *source = open_stalled_filter(true);
        usleep((useconds_t)i * 100);
        assay_source_close(source);
        close(keeper);
        unlink(path);
    }
    (void)alarm(0);
    free(packed.data);
    free(original.data);
}

static void a_filter_without_a_thread_shows_what_a_pipe_gave_so_far(void **state)
{
    (void)state;
    const struct blob original = sample(50000);
    const struct blob packed = compress_with(ASSAY_CONTAINER_GZIP, original);
    const int keeper = open_stalled_pipe(&packed);
    struct assay_source *source = open_stalled_filter(false);
    const uint8_t *data;
    size_t have;
    assert_int_equal(assay_source_peek(source, 1000, &data, &have), ASSAY_OK);
    assert_true(have >= 1000);
    assert_memory_equal(data, original.data, have);
    assay_source_close(source);
    close(keeper);
    unlink(path);
    free(packed.data);
    free(original.data);
}

static void a_read_error_below_is_the_fault_of_the_filter(void **state)
{
    (void)state;
    for (int threaded = 0; threaded < 2; threaded++) {
        struct assay_source *under;
        struct assay_source *source;
        assert_int_equal(assay_source_open("/proc/self/mem", &under, NULL), ASSAY_OK);
        assert_int_equal(assay_filter_open(under, ASSAY_CONTAINER_XZ, threaded, &source, NULL),
                         ASSAY_OK);
        assert_int_equal(drain(source, 1), ASSAY_READ_FAILED);
        struct assay_source_status status;
        assay_source_status(source, &status);
        assert_string_equal(status.detail, strerror(EIO));
        assay_source_close(source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bytes_where_a_stream_is_due_are_truncated),
        cmocka_unit_test(a_truncated_stream_shows_its_beginning_and_then_the_fault),
        cmocka_unit_test(a_truncated_second_stream_is_a_fault_after_the_first),
        cmocka_unit_test(a_damaged_bit_is_a_fault_or_changes_nothing),
        cmocka_unit_test(data_of_another_container_is_corrupt),
        cmocka_unit_test(a_stream_that_needs_a_dictionary_is_unsupported),
        cmocka_unit_test(a_decoder_that_needs_much_memory_is_refused),
        cmocka_unit_test(frames_that_ask_for_too_much_are_refused),
        cmocka_unit_test(what_is_no_container_cannot_be_opened),
        cmocka_unit_test(a_sink_that_fails_is_told_by_the_compressor),
        cmocka_unit_test(a_bomb_costs_constant_memory),
        cmocka_unit_test(a_filter_may_be_closed_at_any_moment),
        cmocka_unit_test(an_interrupt_ends_a_filter_that_waits),
        cmocka_unit_test(an_interrupt_ends_a_filter_that_is_busy),
        cmocka_unit_test(closing_does_not_wait_for_a_stalled_pipe),
        cmocka_unit_test(a_filter_without_a_thread_shows_what_a_pipe_gave_so_far),
        cmocka_unit_test(a_read_error_below_is_the_fault_of_the_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
