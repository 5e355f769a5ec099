#include "image/tests/image_support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- present and absent --- */

static void what_no_image_holds_is_absent_and_never_zero(void **state)
{
    (void)state;
    struct assay_image_set *set = new_set();
    add(set, "a", everywhere, 0x1000, "0123456789");
    add(set, "b", everywhere, 0x2000, "abcd");
    seal(set);
    uint8_t buffer[4] = {7, 7, 7, 7};
    size_t have = 99;
    assert_int_equal(assay_image_read(set, &everywhere, 0xfff, buffer, 4, &have), ASSAY_ABSENT);
    assert_int_equal(have, 0);
    assert_int_equal(assay_image_read(set, &everywhere, 0x1008, buffer, 4, &have), ASSAY_ABSENT);
    assert_int_equal(have, 2);
    assert_memory_equal(buffer, "89\7\7", 4);
    assert_read(set, everywhere, 0x1000, "01234567");
    assert_read(set, everywhere, 0x1002, "23456789");
    assert_read(set, everywhere, 0x1003, "3456789");
    assert_read(set, everywhere, 0x100a, "");
    assert_read(set, everywhere, 0x2000, "abcd");
    assert_read(set, everywhere, 0, "");
    assert_read(set, everywhere, UINT64_MAX, "");
    assay_image_set_free(set);
}

static void no_images_at_all_are_a_memory_that_is_absent(void **state)
{
    (void)state;
    struct assay_image_set *set = new_set();
    assert_read(NULL, everywhere, 0, "");
    seal(set);
    assert_read(set, everywhere, 0, "");
    assert_read(set, el(1), 0x1000, "");
    struct assay_image_cursor cursor;
    assay_image_cursor_open(&cursor, NULL);
    size_t available = 99;
    assert_null(assay_image_at(&cursor, 0, &available));
    assert_int_equal(available, 0);
    assay_image_set_free(set);
    assay_image_set_free(NULL);
}

static void a_set_is_read_only_once_it_is_sealed_and_then_never_changes(void **state)
{
    (void)state;
    struct assay_image_set *set = new_set();
    add(set, "a", everywhere, 0x1000, "0123");
    assert_read(set, everywhere, 0x1000, "");
    seal(set);
    assert_read(set, everywhere, 0x1000, "0123");
    const struct assay_image_spec spec = {.path = "late", .has_address = true};
    struct assay_diag diag;
    assert_int_equal(assay_image_add_bytes(set, &spec, "x", 1, &diag), ASSAY_USAGE);
    assert_string_equal(diag.path, "late");
    assert_int_equal(assay_image_count(set), 1);
    assert_int_equal(assay_image_set_seal(set, NULL), ASSAY_OK);
    assay_image_set_free(set);
}

static void a_read_goes_on_from_one_segment_to_the_next_one(void **state)
{
    (void)state;
    struct assay_image_set *set = new_set();
    add(set, "b", everywhere, 0x1004, "4567");
    add(set, "a", everywhere, 0x1000, "0123");
    seal(set);
    assert_read(set, everywhere, 0x1000, "01234567");
    struct assay_image_cursor cursor;
    assay_image_cursor_open(&cursor, set);
    size_t available;
    assert_memory_equal(assay_image_at(&cursor, 0x1002, &available), "23", 2);
    assert_int_equal(available, 2);
    assert_memory_equal(assay_image_at(&cursor, 0x1000, &available), "0123", 4);
    assert_int_equal(available, 4);
    assert_memory_equal(assay_image_at(&cursor, 0x1004, &available), "4567", 4);
    assert_int_equal(available, 4);
    assay_image_set_free(set);
}

static void memory_reaches_up_to_the_last_address_and_not_round_it(void **state)
{
    (void)state;
    struct assay_image_set *set = new_set();
    add(set, "top", everywhere, UINT64_MAX - 3, "top!");
    add(set, "zero", everywhere, 0, "zero");
    struct assay_image_spec spec = {.path = "over", .has_address = true, .address = UINT64_MAX};
    struct assay_diag diag;
    assert_int_equal(assay_image_add_bytes(set, &spec, "xy", 2, &diag), ASSAY_OUT_OF_RANGE);
    assert_int_equal(assay_image_add_bytes(set, &spec, "!", 1, &diag), ASSAY_OK);
    seal(set);
    assert_read(set, everywhere, UINT64_MAX - 3, "top!");
    assert_read(set, everywhere, UINT64_MAX, "!");
    assert_read(set, everywhere, 0, "zero");
    assay_image_set_free(set);
}

/* --- spaces --- */

static void an_image_is_visible_where_all_its_selectors_are_given_and_the_same(void **state)
{
    (void)state;
    struct assay_image_set *set = new_set();
    struct assay_space one = el(1);
    struct assay_space three = vmid(3);
    add(set, "a", both(&one, &three), 0x1000, "a");
    seal(set);
    assert_read(set, both(&one, &three), 0x1000, "a");
    assert_read(set, one, 0x1000, "");
    assert_read(set, three, 0x1000, "");
    assert_read(set, everywhere, 0x1000, "");
    struct assay_space two = el(2);
    assert_read(set, both(&two, &three), 0x1000, "");
    struct assay_space full = both(&one, &three);
    full.given = ASSAY_SPACE_ALL;
    full.security = ASSAY_SECURITY_ROOT;
    full.context = 99;
    assert_read(set, full, 0x1000, "a");
    assay_image_set_free(set);
}

static void every_selector_keeps_memories_apart(void **state)
{
    (void)state;
    const struct assay_space spaces[] = {
        {.given = ASSAY_SPACE_EL, .el = 0},
        {.given = ASSAY_SPACE_EL, .el = 3},
        {.given = ASSAY_SPACE_SECURITY, .security = ASSAY_SECURITY_NONSECURE},
        {.given = ASSAY_SPACE_SECURITY, .security = ASSAY_SECURITY_ROOT},
        {.given = ASSAY_SPACE_VMID, .vmid = 0},
        {.given = ASSAY_SPACE_VMID, .vmid = UINT32_MAX},
        {.given = ASSAY_SPACE_CONTEXT, .context = 0},
        {.given = ASSAY_SPACE_CONTEXT, .context = UINT64_MAX},
    };
    enum { COUNT = sizeof spaces / sizeof spaces[0] };
    struct assay_image_set *set = new_set();
    for (size_t i = 0; i < COUNT; i++) {
        const char text[] = {(char)('a' + i), '\0'};
        add(set, text, spaces[i], 0x1000 + 16 * (i / 2), text);
    }
    seal(set);
    struct assay_image_cursor cursor;
    assay_image_cursor_open(&cursor, set);
    uint32_t numbers[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        const char text[] = {(char)('a' + i), '\0'};
        assert_read(set, spaces[i], 0x1000 + 16 * (i / 2), text);
        numbers[i] = assay_image_select(&cursor, &spaces[i]);
        assert_int_not_equal(numbers[i], 0);
        for (size_t k = 0; k < i; k++) {
            assert_int_not_equal(numbers[i], numbers[k]);
        }
    }
    assay_image_set_free(set);
}

static void values_of_selectors_that_are_not_given_do_not_count(void **state)
{
    (void)state;
    struct assay_image_set *set = new_set();
    add(set, "a", (struct assay_space){.el = 2, .vmid = 5}, 0x1000, "a");
    seal(set);
    assert_read(set, everywhere, 0x1000, "a");
    assert_read(set, (struct assay_space){.given = ASSAY_SPACE_EL, .el = 1, .context = 7}, 0x1000,
                "a");
    assay_image_set_free(set);
}

static void the_number_of_a_space_differs_where_memory_may_and_only_there(void **state)
{
    (void)state;
    struct assay_image_set *set = new_set();
    add(set, "a", el(1), 0x1000, "a");
    add(set, "b", vmid(3), 0x2000, "b");
    seal(set);
    struct assay_image_cursor cursor;
    assay_image_cursor_open(&cursor, set);
    const struct assay_space zero = el(0), one = el(1), two = el(2), three = vmid(3),
                             four = vmid(4);
    const struct assay_space one_three = both(&one, &three);
    struct assay_space one_secure = one;
    one_secure.given |= ASSAY_SPACE_SECURITY | ASSAY_SPACE_CONTEXT;
    one_secure.security = ASSAY_SECURITY_SECURE;
    one_secure.context = 12;
    assert_int_equal(assay_image_select(&cursor, &everywhere), 0);
    assert_int_equal(assay_image_select(&cursor, &zero), 0);
    assert_int_equal(assay_image_select(&cursor, &two), 0);
    assert_int_equal(assay_image_select(&cursor, &four), 0);
    const uint32_t in_one = assay_image_select(&cursor, &one);
    const uint32_t in_three = assay_image_select(&cursor, &three);
    const uint32_t in_both = assay_image_select(&cursor, &one_three);
    assert_true(in_one != 0 && in_three != 0 && in_both != 0);
    assert_true(in_one != in_three && in_one != in_both && in_three != in_both);
    assert_int_equal(assay_image_select(&cursor, &one_secure), in_one);
    assay_image_set_free(set);
}

static char byte_at(struct assay_image_cursor *cursor, uint64_t address)
{
    size_t available = 0;
    const uint8_t *byte = assay_image_at(cursor, address, &available);
    return byte != NULL ? (char)*byte : '-';
}

static void a_space_is_found_again_by_its_number(void **state)
{
    (void)state;
    enum { LEVELS = 3, VMIDS = 3, CONTEXTS = 3 };
    struct assay_image_set *set = new_set();
    struct assay_image_cursor chosen;
    struct assay_image_cursor again;
    const struct assay_space secure = {.given = ASSAY_SPACE_SECURITY,
                                       .security = ASSAY_SECURITY_REALM};
    add(set, "e", el(1), 0x1000, "e");
    add(set, "v", vmid(7), 0x2000, "v");
    add(set, "c", (struct assay_space){.given = ASSAY_SPACE_CONTEXT, .context = 9}, 0x3000, "c");
    add(set, "d", (struct assay_space){.given = ASSAY_SPACE_CONTEXT, .context = 8}, 0x3000, "d");
    add(set, "s", secure, 0x4000, "s");
    seal(set);
    assay_image_cursor_open(&chosen, set);
    assay_image_cursor_open(&again, set);
    for (unsigned given = 0; given < ASSAY_SPACE_SUBSETS; given++) {
        for (unsigned n = 0; n < LEVELS * VMIDS * CONTEXTS; n++) {
            const struct assay_space space = {.given = (uint8_t)given,
                                              .el = (uint8_t)(n % LEVELS),
                                              .security = (uint8_t)(1 + n % 2),
                                              .vmid = 6 + n / LEVELS % VMIDS,
                                              .context = 7 + n / LEVELS / VMIDS};
            assay_image_select_number(&again, assay_image_select(&chosen, &space));
            assert_int_equal(again.number, chosen.number);
            for (uint64_t at = 0x1000; at <= 0x4000; at += 0x1000) {
                assert_int_equal(byte_at(&again, at), byte_at(&chosen, at));
            }
        }
    }
    assay_image_cursor_open(&again, NULL);
    assay_image_select_number(&again, 5);
    assert_int_equal(byte_at(&again, 0x1000), '-');
    assay_image_set_free(set);
}

/* --- raw files --- */

static char path[64];

static int make_file(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/assay-image-XXXXXX");
    const int fd = mkstemp(path);
    const bool ok = fd >= 0 && write(fd, "0123456789", 10) == 10;
    close(fd);
    return ok ? 0 : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static struct assay_image_spec file_spec(const char *options)
{
    char text[128];
    struct assay_image_spec spec;
    snprintf(text, sizeof text, "%s%s", path, options);
    assert_int_equal(assay_image_option(text, &spec, NULL), ASSAY_OK);
    return spec;
}

static void a_raw_file_or_a_part_of_it_lies_at_the_address_that_is_given(void **state)
{
    (void)state;
    struct assay_image_set *set = new_set();
    const struct assay_image_spec whole = file_spec("@0x1000");
    const struct assay_image_spec part = file_spec("@0x2000,offset=3,length=4,el=1");
    const struct assay_image_spec end = file_spec("@0x3000,offset=8");
    assert_int_equal(assay_image_add(set, &whole, NULL), ASSAY_OK);
    assert_int_equal(assay_image_add(set, &part, NULL), ASSAY_OK);
    assert_int_equal(assay_image_add(set, &end, NULL), ASSAY_OK);
    seal(set);
    assert_read(set, everywhere, 0x1000, "01234567");
    assert_read(set, el(1), 0x2000, "3456");
    assert_read(set, everywhere, 0x2000, "");
    assert_read(set, everywhere, 0x3000, "89");
    const struct assay_image_info *info = assay_image_info(set, 1);
    assert_string_equal(info->path, path);
    assert_int_equal(info->kind, ASSAY_IMAGE_RAW);
    assert_int_equal(info->bytes, 4);
    struct assay_image_cursor cursor;
    struct assay_image_origin origin;
    assay_image_cursor_open(&cursor, set);
    const struct assay_space one = el(1);
    (void)assay_image_select(&cursor, &one);
    assert_true(assay_image_locate(&cursor, 0x2002, &origin));
    assert_ptr_equal(origin.image, info);
    assert_int_equal(origin.offset, 5);
    assert_false(origin.zero_filled);
    assert_false(assay_image_locate(&cursor, 0x2004, &origin));
    assay_image_set_free(set);
}

static void put_bytes(const char *bytes, off_t at)
{
    const int fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, bytes, strlen(bytes), at), strlen(bytes));
    close(fd);
}

/* The most memory that the process had, in KiB. */
static long most_memory(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* Whatever of a file is a hole, or has zeros, is memory that is zero, and takes none. */
static void zeros_of_a_large_file_take_no_memory(void **state)
{
    (void)state;
    enum { SIZE = 1 << 29, KIB = 1 << 10, PIECE = 1 << 14, MIDDLE = SIZE / 2 };
    const uint64_t base = UINT64_C(0x100000000);
    struct assay_image_set *set = new_set();
    assert_int_equal(truncate(path, SIZE), 0);
    put_bytes("abcdefgh", MIDDLE - 4);
    put_bytes("ijkl", MIDDLE + 5 * PIECE - 2);
    put_bytes("mnop", SIZE - 4);
    const long before = most_memory();
    const struct assay_image_spec spec = file_spec("@0x100000000");
    assert_int_equal(assay_image_add(set, &spec, NULL), ASSAY_OK);
    seal(set);
    assert_true(most_memory() - before < SIZE / KIB / 4);
    assert_read(set, everywhere, base, "01234567");
    assert_read(set, everywhere, base + MIDDLE - 4, "abcdefgh");
    assert_read(set, everywhere, base + SIZE - 4, "mnop");
    char read[8];
    size_t have = 0;
    assert_int_equal(
        assay_image_read(set, &everywhere, base + MIDDLE + 5 * PIECE - 4, read, sizeof read, &have),
        ASSAY_OK);
    assert_memory_equal(read, "\0\0ijkl\0\0", sizeof read);
    assay_image_set_free(set);
    assert_int_equal(truncate(path, strlen("0123456789")), 0);
}

static void the_origin_of_a_byte_is_right_behind_an_overlap(void **state)
{
    (void)state;
    struct assay_image_set *set = new_set();
    const struct assay_image_spec begin = file_spec("@0x1000,length=6");
    const struct assay_image_spec end = file_spec("@0x1004,offset=4");
    assert_int_equal(assay_image_add(set, &end, NULL), ASSAY_OK);
    assert_int_equal(assay_image_add(set, &begin, NULL), ASSAY_OK);
    seal(set);
    struct assay_image_cursor cursor;
    struct assay_image_origin origin;
    assay_image_cursor_open(&cursor, set);
    for (uint64_t at = 0; at < 10; at++) {
        assert_true(assay_image_locate(&cursor, 0x1000 + at, &origin));
        assert_int_equal(origin.offset, at);
        assert_ptr_equal(origin.image, assay_image_info(set, at < 6 ? 1 : 0));
    }
    assay_image_set_free(set);
}

static void assert_refused(const char *file, const char *options, uint64_t most,
                           enum assay_error error)
{
    const struct assay_image_options limits = {.max_bytes = most};
    struct assay_image_set *set = NULL;
    assert_int_equal(assay_image_set_open(&limits, &set), ASSAY_OK);
    struct assay_image_spec spec = file_spec(options);
    snprintf(spec.path, sizeof spec.path, "%s", file);
    struct assay_diag diag = {.offset = 0};
    assert_int_equal(assay_image_add(set, &spec, &diag), error);
    assert_int_equal(diag.error, error);
    assert_string_equal(diag.path, file);
    assert_true(diag.message[0] != '\0');
    assert_int_equal(assay_image_count(set), 0);
    seal(set);
    assert_read(set, everywhere, 0x1000, "");
    assay_image_set_free(set);
}

static void files_that_cannot_be_images_are_refused(void **state)
{
    (void)state;
    assert_refused(path, "", 0, ASSAY_USAGE);
    assert_refused(path, "@0x1000,elf", 0, ASSAY_CORRUPT);
    assert_refused(path, "@0x1000,length=11", 0, ASSAY_TRUNCATED);
    assert_refused(path, "@0x1000,offset=10", 0, ASSAY_TRUNCATED);
    assert_refused(path, "@0x1000,offset=11,length=1", 0, ASSAY_TRUNCATED);
    assert_refused(path, "@0xfffffffffffffff8", 0, ASSAY_OUT_OF_RANGE);
    assert_refused(path, "@0x1000", 9, ASSAY_LIMIT);
    assert_refused("/nowhere/at/all", "@0x1000", 0, ASSAY_NOT_FOUND);
    assert_refused("/tmp", "@0x1000", 0, ASSAY_NOT_READABLE);
    assert_refused("/dev/null", "@0x1000", 0, ASSAY_NOT_READABLE);
    char fifo[80];
    snprintf(fifo, sizeof fifo, "%s.fifo", path);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_refused(fifo, "@0x1000", 0, ASSAY_NOT_READABLE);
    unlink(fifo);
}

static void what_a_set_holds_is_limited_over_all_its_images(void **state)
{
    (void)state;
    const struct assay_image_options limits = {.max_bytes = 25};
    struct assay_image_set *set = NULL;
    assert_int_equal(assay_image_set_open(&limits, &set), ASSAY_OK);
    const struct assay_image_spec spec = file_spec("@0x1000");
    const struct assay_image_spec half = file_spec("@0x1000,length=5");
    assert_int_equal(assay_image_add(set, &spec, NULL), ASSAY_OK);
    assert_int_equal(assay_image_add(set, &spec, NULL), ASSAY_OK);
    assert_int_equal(assay_image_add(set, &spec, NULL), ASSAY_LIMIT);
    assert_int_equal(assay_image_add(set, &half, NULL), ASSAY_OK);
    assert_int_equal(assay_image_count(set), 3);
    assay_image_set_free(set);

    /* What was refused after it had been read does not count. */
    assert_int_equal(assay_image_set_open(&limits, &set), ASSAY_OK);
    const struct assay_image_spec beyond = file_spec("@0xfffffffffffffff8");
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(assay_image_add(set, &beyond, NULL), ASSAY_OUT_OF_RANGE);
    }
    assert_int_equal(assay_image_add(set, &spec, NULL), ASSAY_OK);
    assay_image_set_free(set);
}

static void what_several_sets_hold_together_is_limited(void **state)
{
    (void)state;
    uint64_t left = 25;
    const struct assay_image_options limits = {.left = &left};
    struct assay_image_set *one = NULL;
    struct assay_image_set *other = NULL;
    assert_int_equal(assay_image_set_open(&limits, &one), ASSAY_OK);
    assert_int_equal(assay_image_set_open(&limits, &other), ASSAY_OK);
    const struct assay_image_spec spec = file_spec("@0x1000");
    const struct assay_image_spec half = file_spec("@0x1000,length=5");
    const struct assay_image_spec beyond = file_spec("@0xfffffffffffffff8");
    assert_int_equal(assay_image_add(one, &spec, NULL), ASSAY_OK);
    assert_int_equal(assay_image_add(other, &beyond, NULL), ASSAY_OUT_OF_RANGE);
    assert_int_equal(left, 15);
    assert_int_equal(assay_image_add(other, &spec, NULL), ASSAY_OK);
    assert_int_equal(assay_image_add(one, &spec, NULL), ASSAY_LIMIT);
    assert_int_equal(assay_image_add(other, &half, NULL), ASSAY_OK);
    assert_int_equal(left, 0);
    assay_image_set_free(one);
    assay_image_set_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_no_image_holds_is_absent_and_never_zero),
        cmocka_unit_test(no_images_at_all_are_a_memory_that_is_absent),
        cmocka_unit_test(a_set_is_read_only_once_it_is_sealed_and_then_never_changes),
        cmocka_unit_test(a_read_goes_on_from_one_segment_to_the_next_one),
        cmocka_unit_test(memory_reaches_up_to_the_last_address_and_not_round_it),
        cmocka_unit_test(an_image_is_visible_where_all_its_selectors_are_given_and_the_same),
        cmocka_unit_test(every_selector_keeps_memories_apart),
        cmocka_unit_test(values_of_selectors_that_are_not_given_do_not_count),
        cmocka_unit_test(the_number_of_a_space_differs_where_memory_may_and_only_there),
        cmocka_unit_test(a_space_is_found_again_by_its_number),
        cmocka_unit_test(a_raw_file_or_a_part_of_it_lies_at_the_address_that_is_given),
        cmocka_unit_test(zeros_of_a_large_file_take_no_memory),
        cmocka_unit_test(the_origin_of_a_byte_is_right_behind_an_overlap),
        cmocka_unit_test(files_that_cannot_be_images_are_refused),
        cmocka_unit_test(what_a_set_holds_is_limited_over_all_its_images),
        cmocka_unit_test(what_several_sets_hold_together_is_limited),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
