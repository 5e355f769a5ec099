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

#include "io/source_concat.h"

enum { FILES = 6 };

static char folder[] = "/tmp/assay-concat-XXXXXX";
static char names[FILES][64];
static const char *paths[FILES];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    for (size_t i = 0; i < FILES; i++) {
        snprintf(names[i], sizeof names[i], "%s/part%zu", folder, i);
        paths[i] = names[i];
    }
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        unlink(names[i]);
    }
    return rmdir(folder);
}

static uint8_t pattern(uint64_t offset)
{
    return (uint8_t)((offset * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

/* Files of these sizes, whose bytes are the pattern over all of them. */
static void make_files(const size_t *sizes, size_t count)
{
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        FILE *out = fopen(names[i], "wb");
        assert_non_null(out);
        for (size_t k = 0; k < sizes[i]; k++) {
            assert_int_not_equal(putc(pattern(at++), out), EOF);
        }
        assert_int_equal(fclose(out), 0);
    }
}

static struct assay_source_parts open_parts(size_t count)
{
    struct assay_source_parts parts;
    struct assay_diag diag;
    if (assay_source_parts_open(paths, count, &parts, &diag) != ASSAY_OK) {
        fail_msg("%s: %s", diag.path, diag.message);
    }
    return parts;
}

static struct assay_source *open_source(const struct assay_source_parts *parts)
{
    struct assay_source *source = NULL;
    assert_int_equal(assay_source_concat(parts, &source), ASSAY_OK);
    return source;
}

/* Reads to the end in steps; returns how many bytes came, all of which must be the pattern. */
static uint64_t read_all(struct assay_source *source, size_t want, size_t step)
{
    for (;;) {
        const uint8_t *data;
        size_t have;
        (void)assay_source_peek(source, want, &data, &have);
        const uint64_t at = assay_source_offset(source);
        for (size_t i = 0; i < have && i < step; i++) {
            assert_int_equal(data[i], pattern(at + i));
        }
        if (have == 0) {
            return at;
        }
        assay_source_consume(source, step);
    }
}

static void files_are_read_as_one_whatever_their_sizes_are(void **state)
{
    (void)state;
    static const size_t sizes[][FILES] = {
        {0, 0, 0, 0, 0, 0},
        {1, 1, 1, 1, 1, 1},
        {10, 0, 3, 0, 0, 7},
        {0, 600000, 0, 1, 0, 0},
        {4096, 524288, 524287, 1, 3, 262144},
        {300000, 300000, 300000, 0, 0, 1},
    };
    static const size_t wants[] = {1, 7, 4096, ASSAY_PEEK_MAX};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint64_t total = 0;
        for (size_t i = 0; i < FILES; i++) {
            total += sizes[s][i];
        }
        make_files(sizes[s], FILES);
        struct assay_source_parts parts = open_parts(FILES);
        assert_int_equal(parts.size, total);
        for (size_t w = 0; w < sizeof wants / sizeof wants[0]; w++) {
            struct assay_source *source = open_source(&parts);
            struct assay_source_status status;
            assert_int_equal(read_all(source, wants[w], wants[w] / 2 + 1), total);
            assay_source_status(source, &status);
            assert_int_equal(status.fault, ASSAY_OK);
            assert_int_equal(status.stored_offset, total);
            assert_int_equal(status.stored_size, total);
            assay_source_close(source);
        }
        assay_source_parts_close(&parts);
    }
}

static void a_peek_shows_bytes_across_files(void **state)
{
    (void)state;
    make_files((const size_t[]){3, 2, 0, 4}, 4);
    struct assay_source_parts parts = open_parts(4);
    struct assay_source *source = open_source(&parts);
    const uint8_t *data;
    size_t have;
    assert_int_equal(assay_source_peek(source, 9, &data, &have), ASSAY_OK);
    assert_int_equal(have, 9);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(data[i], pattern(i));
    }
    assert_int_equal(assay_source_peek(source, 10, &data, &have), ASSAY_OK);
    assert_int_equal(have, 9);
    assay_source_close(source);
    assay_source_parts_close(&parts);
}

static void an_offset_leads_back_to_the_file_and_the_byte_in_it(void **state)
{
    (void)state;
    make_files((const size_t[]){3, 0, 2, 4}, 4);
    struct assay_source_parts parts = open_parts(4);
    static const struct {
        uint64_t offset;
        size_t part;
        uint64_t within;
    } cases[] = {{0, 0, 0}, {2, 0, 2}, {3, 2, 0}, {4, 2, 1}, {5, 3, 0}, {8, 3, 3}, {9, 3, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t within = 99;
        const struct assay_source_part *part =
            assay_source_locate(&parts, cases[i].offset, &within);
        assert_ptr_equal(part, &parts.list[cases[i].part]);
        assert_int_equal(within, cases[i].within);
        assert_string_equal(part->path, paths[cases[i].part]);
    }
    uint64_t within;
    assert_null(assay_source_locate(&parts, 10, &within));
    assay_source_parts_close(&parts);
    assay_source_parts_close(&parts);
}

static void another_source_over_the_same_files_begins_at_their_first_byte(void **state)
{
    (void)state;
    make_files((const size_t[]){30, 20}, 2);
    struct assay_source_parts parts = open_parts(2);
    struct assay_source *source = open_source(&parts);
    struct assay_source *other = NULL;
    const uint8_t *data;
    size_t have;
    assert_int_equal(assay_source_peek(source, 40, &data, &have), ASSAY_OK);
    assay_source_consume(source, 35);
    assert_int_equal(assay_source_again(source, &other), ASSAY_OK);
    assert_int_equal(read_all(other, 1, 1), 50);
    assert_int_equal(assay_source_offset(source), 35);
    assay_source_close(other);
    assay_source_close(source);
    assay_source_parts_close(&parts);
}

static void one_file_may_stand_in_the_list_more_than_once(void **state)
{
    (void)state;
    make_files((const size_t[]){1}, 1);
    const char *const twice[] = {paths[0], paths[0]};
    struct assay_source_parts parts;
    assert_int_equal(assay_source_parts_open(twice, 2, &parts, NULL), ASSAY_OK);
    assert_int_equal(parts.size, 2);
    assay_source_parts_close(&parts);
}

static void what_cannot_be_a_part_is_refused_by_name(void **state)
{
    (void)state;
    make_files((const size_t[]){1}, 1);
    struct assay_source_parts parts;
    struct assay_diag diag;
    const char *const missing[] = {paths[0], "/nowhere/at/all"};
    assert_int_equal(assay_source_parts_open(missing, 2, &parts, &diag), ASSAY_NOT_FOUND);
    assert_string_equal(diag.path, "/nowhere/at/all");
    assert_null(parts.memory);
    const char *const directory[] = {folder, paths[0]};
    assert_int_equal(assay_source_parts_open(directory, 2, &parts, &diag), ASSAY_NOT_READABLE);
    assert_string_equal(diag.path, folder);
    const char *const device[] = {"/dev/null"};
    assert_int_equal(assay_source_parts_open(device, 1, &parts, &diag), ASSAY_NOT_READABLE);
    assert_int_equal(assay_source_parts_open(device, 0, &parts, &diag), ASSAY_USAGE);
}

/* Reads until the fault; returns how many bytes came before it. */
static uint64_t read_to_fault(const struct assay_source_parts *parts, const char *detail)
{
    struct assay_source *source = open_source(parts);
    struct assay_source_status status;
    const uint8_t *data;
    size_t have;
    const uint64_t length = read_all(source, 1, 1000);
    assert_int_equal(assay_source_peek(source, 1, &data, &have), ASSAY_READ_FAILED);
    assay_source_status(source, &status);
    assert_int_equal(status.fault, ASSAY_READ_FAILED);
    if (strstr(status.detail, detail) == NULL) {
        fail_msg("%s", status.detail);
    }
    assay_source_close(source);
    return length;
}

static void a_file_that_changes_ends_the_bytes_there(void **state)
{
    (void)state;
    make_files((const size_t[]){10, 20, 30}, 3);
    struct assay_source_parts parts = open_parts(3);
    assert_int_equal(truncate(paths[1], 19), 0);
    assert_int_equal(read_to_fault(&parts, "part1: the file changed"), 10);
    assert_int_equal(truncate(paths[1], 21), 0);
    assert_int_equal(read_to_fault(&parts, "part1: the file changed"), 10);
    assert_int_equal(unlink(paths[1]), 0);
    assert_int_equal(read_to_fault(&parts, "part1: No such file"), 10);
    assert_int_equal(mkfifo(paths[1], 0600), 0);
    assert_int_equal(read_to_fault(&parts, "part1: the file changed"), 10);
    assay_source_parts_close(&parts);
    unlink(paths[1]);
}

static void a_file_that_shrinks_while_it_is_read_ends_the_bytes_there(void **state)
{
    (void)state;
    make_files((const size_t[]){2000000, 20}, 2);
    struct assay_source_parts parts = open_parts(2);
    struct assay_source *source = open_source(&parts);
    struct assay_source_status status;
    const uint8_t *data;
    size_t have;
    assert_int_equal(assay_source_peek(source, 1, &data, &have), ASSAY_OK);
    assert_int_equal(truncate(paths[0], 1000), 0);
    assert_in_range(read_all(source, 1, 4096), have, 1999999);
    assay_source_status(source, &status);
    assert_int_equal(status.fault, ASSAY_READ_FAILED);
    assert_non_null(strstr(status.detail, "shorter"));
    assay_source_close(source);
    assay_source_parts_close(&parts);
}

static void a_file_that_grows_while_it_is_read_gives_what_it_had(void **state)
{
    (void)state;
    make_files((const size_t[]){600000, 20}, 2);
    struct assay_source_parts parts = open_parts(2);
    struct assay_source *source = open_source(&parts);
    struct assay_source_status status;
    const uint8_t *data;
    size_t have;
    assert_int_equal(assay_source_peek(source, 1, &data, &have), ASSAY_OK);
    assert_int_equal(truncate(paths[0], 700000), 0);
    assert_int_equal(read_all(source, 1, 4096), 600020);
    assay_source_status(source, &status);
    assert_int_equal(status.fault, ASSAY_OK);
    assay_source_close(source);
    assay_source_parts_close(&parts);
}

static void an_interrupted_source_ends(void **state)
{
    (void)state;
    make_files((const size_t[]){10, 20}, 2);
    struct assay_source_parts parts = open_parts(2);
    struct assay_source *source = open_source(&parts);
    const uint8_t *data;
    size_t have;
    assay_source_interrupt(source);
    assert_int_equal(assay_source_peek(source, 1, &data, &have), ASSAY_READ_FAILED);
    assert_int_equal(have, 0);
    assay_source_close(source);
    assay_source_parts_close(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_as_one_whatever_their_sizes_are),
        cmocka_unit_test(a_peek_shows_bytes_across_files),
        cmocka_unit_test(an_offset_leads_back_to_the_file_and_the_byte_in_it),
        cmocka_unit_test(another_source_over_the_same_files_begins_at_their_first_byte),
        cmocka_unit_test(one_file_may_stand_in_the_list_more_than_once),
        cmocka_unit_test(what_cannot_be_a_part_is_refused_by_name),
        cmocka_unit_test(a_file_that_changes_ends_the_bytes_there),
        cmocka_unit_test(a_file_that_shrinks_while_it_is_read_ends_the_bytes_there),
        cmocka_unit_test(a_file_that_grows_while_it_is_read_gives_what_it_had),
        cmocka_unit_test(an_interrupted_source_ends),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
