#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/source.h"
#include "io/source_concat.h"
#include "io/witness.h"

enum { PARTS = 3, LARGE = 3 << 20 };

static char folder[] = "/tmp/assay-witness-XXXXXX";
static char names[PARTS][64];
static const char *paths[PARTS];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    for (size_t i = 0; i < PARTS; i++) {
        snprintf(names[i], sizeof names[i], "%s/part%zu", folder, i);
        paths[i] = names[i];
    }
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    for (size_t i = 0; i < PARTS; i++) {
        unlink(names[i]);
    }
    return rmdir(folder);
}

static uint8_t pattern(size_t offset)
{
    return (uint8_t)((offset * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

/* `size` bytes of the pattern from `start` on, in a new file or at the end of an old one. */
static void write_pattern(const char *path, const char *mode, size_t start, size_t size)
{
    FILE *out = fopen(path, mode);
    assert_non_null(out);
    for (size_t i = 0; i < size; i++) {
        assert_int_not_equal(putc(pattern(start + i), out), EOF);
    }
    assert_int_equal(fclose(out), 0);
}

static void expect_pattern(const struct assay_witness_report *report, size_t start, size_t size)
{
    struct assay_digest digest;
    char text[ASSAY_DIGEST_TEXT];
    assay_digest_begin(&digest);
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = pattern(start + i);
        assay_digest_add(&digest, &byte, 1);
    }
    assert_int_equal(assay_digest_end(&digest, text), ASSAY_OK);
    assert_string_equal(report->no_digest, "");
    assert_string_equal(report->sha256, text);
    assert_int_equal(report->bytes, size);
}

static struct assay_witness *open_witness(size_t files, bool threaded)
{
    const struct assay_witness_options options = {
        .files = files, .digest = true, .threaded = threaded};
    struct assay_witness *witness = assay_witness_open(&options);
    assert_non_null(witness);
    return witness;
}

static struct assay_source *open_file(const char *path, struct assay_witness *witness)
{
    struct assay_source *source = NULL;
    assert_int_equal(assay_source_open(path, &source, NULL), ASSAY_OK);
    assert_int_equal(assay_source_witness(source, witness), ASSAY_OK);
    return source;
}

/* Reads up to `most` bytes in pieces of different lengths, each of which is what was written. */
static void read_some(struct assay_source *source, size_t most)
{
    size_t at = 0;
    for (size_t want = 1; at < most; want = want * 7 % 100003) {
        const uint8_t *data;
        size_t have = 0;
        assay_source_peek(source, want, &data, &have);
        have = have < want ? have : want;
        if (have == 0) {
            break;
        }
        assert_int_equal(data[0], pattern(at));
        assert_int_equal(data[have - 1], pattern(at + have - 1));
        assay_source_consume(source, have);
        at += have;
    }
}

static void a_file_is_digested_as_it_is_read(void **state)
{
    (void)state;
    write_pattern(paths[0], "wb", 0, LARGE);
    for (int threaded = 0; threaded < 2; threaded++) {
        struct assay_witness *witness = open_witness(1, threaded != 0);
        struct assay_source *source = open_file(paths[0], witness);
        read_some(source, SIZE_MAX);
        assay_source_close(source);
        assay_witness_end(witness);
        expect_pattern(assay_witness_all(witness), 0, LARGE);
        expect_pattern(assay_witness_file(witness, 0), 0, LARGE);
        assert_false(assay_witness_all(witness)->changed);
        assay_witness_close(witness);
    }
}

static void what_was_not_read_is_digested_in_the_end(void **state)
{
    (void)state;
    const size_t read[] = {0, 1, 100000, LARGE - 1};
    write_pattern(paths[0], "wb", 0, LARGE);
    for (size_t i = 0; i < sizeof read / sizeof read[0]; i++) {
        struct assay_witness *witness = open_witness(1, true);
        struct assay_source *source = open_file(paths[0], witness);
        read_some(source, read[i]);
        assay_source_close(source);
        assay_witness_end(witness);
        expect_pattern(assay_witness_all(witness), 0, LARGE);
        assay_witness_close(witness);
    }
}

static void the_digest_is_of_the_file_that_was_opened_not_of_its_path(void **state)
{
    (void)state;
    write_pattern(paths[0], "wb", 0, LARGE);
    write_pattern(paths[1], "wb", 5, LARGE);
    struct assay_witness *witness = open_witness(1, false);
    struct assay_source *source = open_file(paths[0], witness);
    read_some(source, 100000);
    assert_int_equal(rename(paths[1], paths[0]), 0);
    read_some(source, 0);
    assay_source_close(source);
    assay_witness_end(witness);
    expect_pattern(assay_witness_all(witness), 0, LARGE);
    assert_true(assay_witness_all(witness)->changed);
    assay_witness_close(witness);
}

static void a_file_that_grows_or_shrinks_has_changed(void **state)
{
    (void)state;
    write_pattern(paths[0], "wb", 0, 1000);
    struct assay_witness *witness = open_witness(1, false);
    struct assay_source *source = open_file(paths[0], witness);
    write_pattern(paths[0], "ab", 1000, 1000);
    read_some(source, SIZE_MAX);
    assay_source_close(source);
    assay_witness_end(witness);
    expect_pattern(assay_witness_all(witness), 0, 2000);
    assert_true(assay_witness_all(witness)->changed);
    assay_witness_close(witness);

    witness = open_witness(1, false);
    source = open_file(paths[0], witness);
    assert_int_equal(truncate(paths[0], 10), 0);
    assay_source_close(source);
    assay_witness_end(witness);
    expect_pattern(assay_witness_all(witness), 0, 10);
    assert_true(assay_witness_all(witness)->changed);
    assay_witness_close(witness);
}

static void a_change_is_told_without_digests_too(void **state)
{
    (void)state;
    const struct assay_witness_options options = {.files = 1};
    write_pattern(paths[0], "wb", 0, 10);
    struct assay_witness *witness = assay_witness_open(&options);
    struct assay_source *source = open_file(paths[0], witness);
    write_pattern(paths[0], "ab", 10, 1);
    assay_source_close(source);
    assay_witness_end(witness);
    assert_true(assay_witness_all(witness)->changed);
    assert_string_equal(assay_witness_all(witness)->sha256, "");
    assert_string_equal(assay_witness_all(witness)->no_digest, "");
    assay_witness_close(witness);
}

static void a_pipe_has_a_digest_when_it_was_read_to_its_end(void **state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        int ends[2];
        char path[32];
        assert_int_equal(pipe(ends), 0);
        const uint8_t bytes[] = {pattern(0), pattern(1), pattern(2)};
        assert_int_equal(write(ends[1], bytes, sizeof bytes), sizeof bytes);
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        struct assay_witness *witness = open_witness(1, false);
        struct assay_source *source = open_file(path, witness);
        read_some(source, whole != 0 ? SIZE_MAX : 1);
        assay_source_close(source);
        assay_witness_end(witness);
        if (whole != 0) {
            expect_pattern(assay_witness_all(witness), 0, 3);
        } else {
            assert_string_equal(assay_witness_all(witness)->sha256, "");
            assert_string_equal(assay_witness_all(witness)->no_digest,
                                "it was not read to its end");
        }
        assert_false(assay_witness_all(witness)->changed);
        assay_witness_close(witness);
        close(ends[0]);
    }
}

static void memory_is_digested_at_once(void **state)
{
    (void)state;
    uint8_t bytes[1000];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = pattern(i);
    }
    struct assay_source *source = NULL;
    struct assay_witness *witness = open_witness(1, true);
    assert_int_equal(assay_source_memory(bytes, sizeof bytes, &source), ASSAY_OK);
    assert_int_equal(assay_source_witness(source, witness), ASSAY_OK);
    memset(bytes, 0, sizeof bytes);
    assay_source_close(source);
    assay_witness_end(witness);
    expect_pattern(assay_witness_all(witness), 0, sizeof bytes);
    assay_witness_close(witness);
}

/* Three files with the pattern over all of them. */
static struct assay_source_parts make_parts(const size_t sizes[PARTS])
{
    struct assay_source_parts parts;
    size_t at = 0;
    for (size_t i = 0; i < PARTS; i++) {
        write_pattern(paths[i], "wb", at, sizes[i]);
        at += sizes[i];
    }
    assert_int_equal(assay_source_parts_open(paths, PARTS, &parts, NULL), ASSAY_OK);
    return parts;
}

static void several_files_have_each_their_digest_and_one_together(void **state)
{
    (void)state;
    const size_t sizes[PARTS] = {1 << 20, 0, (2 << 20) - 7};
    const size_t read[] = {0, 1000, 1 << 20, LARGE};
    for (size_t i = 0; i < sizeof read / sizeof read[0]; i++) {
        struct assay_source_parts parts = make_parts(sizes);
        struct assay_source *source = NULL;
        struct assay_witness *witness = open_witness(PARTS, i % 2 == 0);
        assert_int_equal(assay_source_concat(&parts, &source), ASSAY_OK);
        assert_int_equal(assay_source_witness(source, witness), ASSAY_OK);
        read_some(source, read[i]);
        assay_source_close(source);
        assay_source_parts_witness(&parts, witness);
        expect_pattern(assay_witness_all(witness), 0, LARGE - 7);
        expect_pattern(assay_witness_file(witness, 0), 0, sizes[0]);
        expect_pattern(assay_witness_file(witness, 1), 0, 0);
        expect_pattern(assay_witness_file(witness, 2), sizes[0], sizes[2]);
        assert_false(assay_witness_all(witness)->changed);
        assay_witness_close(witness);
        assay_source_parts_close(&parts);
    }
}

static void a_file_of_several_that_is_another_by_now_has_no_digest(void **state)
{
    (void)state;
    const size_t sizes[PARTS] = {1000, 1000, 1000};
    struct assay_source_parts parts = make_parts(sizes);
    struct assay_source *source = NULL;
    struct assay_witness *witness = open_witness(PARTS, false);
    assert_int_equal(assay_source_concat(&parts, &source), ASSAY_OK);
    assert_int_equal(assay_source_witness(source, witness), ASSAY_OK);
    read_some(source, 1);
    /* Of the same size, so that only the file itself tells. */
    char other[72];
    snprintf(other, sizeof other, "%s-other", paths[2]);
    write_pattern(other, "wb", 7, 1000);
    assert_int_equal(rename(other, paths[2]), 0);
    read_some(source, 0);
    assay_source_close(source);
    assay_source_parts_witness(&parts, witness);
    expect_pattern(assay_witness_file(witness, 0), 0, 1000);
    expect_pattern(assay_witness_file(witness, 1), 1000, 1000);
    assert_string_equal(assay_witness_file(witness, 2)->sha256, "");
    assert_string_equal(assay_witness_file(witness, 2)->no_digest,
                        "the file changed after the input was opened");
    assert_true(assay_witness_file(witness, 2)->changed);
    assert_string_equal(assay_witness_all(witness)->sha256, "");
    assert_true(assay_witness_all(witness)->changed);
    assay_witness_close(witness);
    assay_source_parts_close(&parts);
}

static void a_stop_ends_reading_and_leaves_the_rest(void **state)
{
    (void)state;
    struct assay_stop stop;
    assert_int_equal(assay_stop_open(&stop), ASSAY_OK);
    assert_false(assay_stop_requested(&stop));
    assert_false(assay_stop_requested(NULL));
    write_pattern(paths[0], "wb", 0, LARGE);
    const struct assay_witness_options options = {.files = 1, .digest = true, .stop = &stop};
    struct assay_witness *witness = assay_witness_open(&options);
    struct assay_source *source = open_file(paths[0], witness);
    assay_source_stop(source, &stop);
    read_some(source, 1000);
    assay_stop_request(&stop);
    assert_true(assay_stop_requested(&stop));
    const uint8_t *data;
    size_t have;
    assay_source_peek(source, 0, &data, &have);
    assay_source_consume(source, have);
    assert_int_equal(assay_source_peek(source, 1, &data, &have), ASSAY_READ_FAILED);
    assay_source_close(source);
    assay_witness_end(witness);
    assert_string_equal(assay_witness_all(witness)->sha256, "");
    assert_string_equal(assay_witness_all(witness)->no_digest, "reading was interrupted");
    assay_witness_close(witness);
    assay_stop_close(&stop);
}

/* A pipe that no writer has opened: opening it does not wait, reading does until the stop. */
static void a_stop_wakes_who_waits_for_a_pipe(void **state)
{
    (void)state;
    struct assay_stop stop;
    struct assay_source *source = NULL;
    const uint8_t *data;
    size_t have;
    unlink(paths[0]);
    assert_int_equal(mkfifo(paths[0], 0600), 0);
    assert_int_equal(assay_stop_open(&stop), ASSAY_OK);
    assert_int_equal(assay_source_open(paths[0], &source, NULL), ASSAY_OK);
    assay_source_stop(source, &stop);
    assay_stop_request(&stop);
    assert_int_equal(assay_source_peek(source, 1, &data, &have), ASSAY_READ_FAILED);
    assay_source_close(source);
    assay_stop_close(&stop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_digested_as_it_is_read),
        cmocka_unit_test(what_was_not_read_is_digested_in_the_end),
        cmocka_unit_test(the_digest_is_of_the_file_that_was_opened_not_of_its_path),
        cmocka_unit_test(a_file_that_grows_or_shrinks_has_changed),
        cmocka_unit_test(a_change_is_told_without_digests_too),
        cmocka_unit_test(a_pipe_has_a_digest_when_it_was_read_to_its_end),
        cmocka_unit_test(memory_is_digested_at_once),
        cmocka_unit_test(several_files_have_each_their_digest_and_one_together),
        cmocka_unit_test(a_file_of_several_that_is_another_by_now_has_no_digest),
        cmocka_unit_test(a_stop_ends_reading_and_leaves_the_rest),
        cmocka_unit_test(a_stop_wakes_who_waits_for_a_pipe),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
