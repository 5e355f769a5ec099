/* Images that hold the same address: which one is read, and when they are refused. */
#include "image/tests/image_support.h"

static void the_more_specific_image_hides_the_less_specific_one_where_it_has_memory(void **state)
{
    (void)state;
    struct assay_image_set *set = new_set();
    add(set, "all", everywhere, 0x1000, "........");
    add(set, "el1", el(1), 0x1002, "11");
    add(set, "el1 too", el(1), 0x1006, "1");
    seal(set);
    assert_read(set, everywhere, 0x1000, "........");
    assert_read(set, el(2), 0x1000, "........");
    assert_read(set, el(1), 0x1000, "..11..1.");
    struct assay_image_cursor cursor;
    assay_image_cursor_open(&cursor, set);
    const struct assay_space one = el(1);
    (void)assay_image_select(&cursor, &one);
    static const size_t available[] = {2, 1, 2, 1, 2, 1, 1, 1};
    /* From both sides: what is found does not depend on what was found before. */
    for (size_t i = 0; i < 16; i++) {
        const size_t at = i < 8 ? i : 15 - i;
        size_t have;
        const uint8_t *byte = assay_image_at(&cursor, 0x1000 + at, &have);
        assert_int_equal(*byte, "..11..1."[at]);
        assert_int_equal(have, available[at]);
    }
    assay_image_set_free(set);
}

static void three_ranks_are_read_in_their_order(void **state)
{
    (void)state;
    struct assay_image_set *set = new_set();
    struct assay_space one = el(1);
    struct assay_space three = vmid(3);
    add(set, "all", everywhere, 0x1000, "........");
    add(set, "el1", one, 0x1000, "1111");
    add(set, "el1,vmid3", both(&one, &three), 0x1001, "33");
    seal(set);
    assert_read(set, both(&one, &three), 0x1000, "1331....");
    assert_read(set, three, 0x1000, "........");
    assert_read(set, one, 0x1000, "1111....");
    assay_image_set_free(set);
}

static struct assay_diag refused(struct assay_image_set *set)
{
    struct assay_diag diag = {.offset = 0};
    assert_int_equal(assay_image_set_seal(set, &diag), ASSAY_CONTRADICTION);
    assert_read(set, everywhere, 0x1000, "");
    assay_image_set_free(set);
    return diag;
}

static void two_images_with_different_bytes_in_one_space_are_refused_by_name(void **state)
{
    (void)state;
    struct assay_image_set *set = new_set();
    add(set, "boot.bin", el(1), 0x1000, "01234567");
    add(set, "other.bin", el(2), 0x1000, "xxxxxxxx");
    add(set, "kernel.bin", el(1), 0x1004, "45X789");
    const struct assay_diag diag = refused(set);
    assert_non_null(strstr(diag.message, "boot.bin"));
    assert_string_equal(diag.path, "kernel.bin");
    assert_non_null(strstr(diag.message, "0x1006"));
    assert_non_null(strstr(diag.hint, "el=1"));
}

static void images_that_agree_may_overlap_in_any_way(void **state)
{
    (void)state;
    /* Each is a piece of one memory; by turns first, in the middle, inside another, twice. */
    static const char memory[] = "0123456789abcdef";
    static const struct {
        unsigned first, length;
    } pieces[] = {{4, 8}, {0, 6}, {10, 6}, {5, 2}, {4, 8}, {3, 10}, {0, 16}, {15, 1}};
    for (size_t count = 1; count <= sizeof pieces / sizeof pieces[0]; count++) {
        struct assay_image_set *set = new_set();
        bool present[24] = {false};
        for (size_t i = 0; i < count; i++) {
            char text[17] = "";
            memcpy(text, memory + pieces[i].first, pieces[i].length);
            add(set, "piece", everywhere, 0x1000 + pieces[i].first, text);
            memset(present + pieces[i].first, true, pieces[i].length);
        }
        seal(set);
        for (size_t at = 0; at < 16; at++) {
            char due[9] = "";
            for (size_t k = at; k < at + 8 && present[k]; k++) {
                due[k - at] = memory[k];
            }
            assert_read(set, everywhere, 0x1000 + at, due);
        }
        assay_image_set_free(set);
    }
}

static void a_difference_is_found_in_each_of_several_overlapped_images(void **state)
{
    (void)state;
    for (size_t at = 0; at < 12; at++) {
        struct assay_image_set *set = new_set();
        add(set, "a", everywhere, 0x1000, "0123");
        add(set, "b", everywhere, 0x1002, "234567");
        add(set, "c", everywhere, 0x1008, "89ab");
        char text[] = "0123456789ab";
        text[at] = 'X';
        add(set, "whole", everywhere, 0x1000, text);
        const struct assay_diag diag = refused(set);
        char address[16];
        snprintf(address, sizeof address, "0x%zx", 0x1000 + at);
        assert_non_null(strstr(diag.message, address));
    }
}

static void images_of_which_none_is_more_specific_must_agree(void **state)
{
    (void)state;
    struct assay_image_set *set = new_set();
    add(set, "by-level", el(1), 0x1000, "0123");
    add(set, "by-machine", vmid(3), 0x1002, "2X");
    const struct assay_diag diag = refused(set);
    assert_non_null(strstr(diag.message, "by-level"));
    assert_string_equal(diag.path, "by-machine");
    assert_non_null(strstr(diag.message, "0x1003"));
    assert_non_null(strstr(diag.hint, "el=1"));
    assert_non_null(strstr(diag.hint, "vmid=3"));

    set = new_set();
    const struct assay_space one = el(1);
    const struct assay_space three = vmid(3);
    add(set, "by-level", one, 0x1000, "0123");
    add(set, "by-machine", three, 0x1002, "2345");
    seal(set);
    assert_read(set, both(&one, &three), 0x1000, "012345");
    assay_image_set_free(set);
}

static void images_that_are_never_visible_together_may_differ(void **state)
{
    (void)state;
    struct assay_image_set *set = new_set();
    struct assay_space one = el(1), two = el(2), three = vmid(3), four = vmid(4);
    add(set, "a", both(&one, &three), 0x1000, "a");
    add(set, "b", both(&two, &three), 0x1000, "b");
    add(set, "c", both(&one, &four), 0x1000, "c");
    seal(set);
    assert_read(set, both(&one, &three), 0x1000, "a");
    assert_read(set, both(&two, &three), 0x1000, "b");
    assert_read(set, both(&one, &four), 0x1000, "c");
    assay_image_set_free(set);
}

static void what_sealing_compares_is_limited(void **state)
{
    (void)state;
    /* 4 + 3 + 4 bytes are held by two at a time: by c and a, c and b, b and a. */
    static const uint64_t overlapping = 11;
    for (uint64_t most = overlapping - 1; most <= overlapping; most++) {
        const struct assay_image_options limits = {.max_compared = most};
        struct assay_image_set *set = NULL;
        struct assay_diag diag = {.offset = 0};
        assert_int_equal(assay_image_set_open(&limits, &set), ASSAY_OK);
        add(set, "a", el(1), 0x1000, "01234567");
        add(set, "b", vmid(3), 0x1004, "4567");
        add(set, "c", (struct assay_space){.given = ASSAY_SPACE_CONTEXT, .context = 9}, 0x1003,
            "3456");
        const enum assay_error error = assay_image_set_seal(set, &diag);
        assert_int_equal(error, most < overlapping ? ASSAY_LIMIT : ASSAY_OK);
        if (most < overlapping) {
            assert_non_null(strstr(diag.message, "too much at the same addresses"));
        }
        assert_read(set, el(1), 0x1000, most < overlapping ? "" : "01234567");
        assay_image_set_free(set);
    }
}

/* --- many images, compared with a simple model --- */

enum { MODEL_BYTES = 512, MODEL_IMAGES = 40 };

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1;
    return *state >> 33;
}

static void random_images_are_read_as_a_simple_model_says(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        uint64_t random = seed;
        struct assay_image_set *set = new_set();
        /* Rank 0 is everywhere, 1 el=1, 2 el=1,vmid=3: each rank has one content. */
        static char model[3][MODEL_BYTES + 1];
        memset(model, 0, sizeof model);
        const struct assay_space one = el(1), three = vmid(3);
        const struct assay_space spaces[] = {everywhere, one, both(&one, &three)};
        for (size_t i = 0; i < MODEL_IMAGES; i++) {
            const unsigned rank = (unsigned)(next_random(&random) % 3);
            const size_t first = next_random(&random) % MODEL_BYTES;
            const size_t length = 1 + next_random(&random) % 20;
            char text[32] = "";
            for (size_t k = 0; k < length && first + k < MODEL_BYTES; k++) {
                text[k] = (char)('A' + rank * 26 % 32 + (first + k) % 19);
                model[rank][first + k] = text[k];
            }
            add(set, "random", spaces[rank], 0x8000 + first, text);
        }
        seal(set);
        struct assay_image_cursor cursor;
        assay_image_cursor_open(&cursor, set);
        unsigned selected = 0;
        for (size_t i = 0; i < 4000; i++) {
            if (i % 5 == 0) {
                selected = (unsigned)(next_random(&random) % 3);
                (void)assay_image_select(&cursor, &spaces[selected]);
            }
            const size_t at = next_random(&random) % MODEL_BYTES;
            size_t available;
            const uint8_t *bytes = assay_image_at(&cursor, 0x8000 + at, &available);
            for (size_t k = 0; k == 0 || k < available; k++) {
                assert_true(at + k < MODEL_BYTES);
                char due = 0;
                for (unsigned r = 0; r <= selected; r++) {
                    due = model[r][at + k] != 0 ? model[r][at + k] : due;
                }
                assert_int_equal(bytes != NULL ? bytes[k] : 0, due);
            }
        }
        assay_image_set_free(set);
    }
}

struct piece {
    unsigned space; /* number in the list of spaces */
    size_t first, length;
    char text[40];
};

/* Whether two pieces may be visible together without one being more specific. */
static bool must_agree(const struct assay_space *a, const struct assay_space *b)
{
    const unsigned both_give = a->given & b->given;
    const bool nested = both_give == a->given || both_give == b->given;
    return assay_space_compatible(a, b) && (!nested || a->given == b->given);
}

static bool pieces_agree(const struct assay_space *spaces, const struct piece *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            const struct piece *a = &list[i];
            const struct piece *b = &list[k];
            for (size_t at = a->first; at < a->first + a->length; at++) {
                if (must_agree(&spaces[a->space], &spaces[b->space]) && at >= b->first &&
                    at < b->first + b->length && a->text[at - a->first] != b->text[at - b->first]) {
                    return false;
                }
            }
        }
    }
    return true;
}

static void random_images_are_refused_exactly_when_two_of_them_disagree(void **state)
{
    (void)state;
    const struct assay_space one = el(1), two = el(2), three = vmid(3);
    const struct assay_space outside = {.given = ASSAY_SPACE_SECURITY,
                                        .security = ASSAY_SECURITY_REALM};
    const struct assay_space spaces[] = {
        everywhere, one, three, both(&one, &three), both(&two, &three), both(&two, &outside)};
    enum { SPACES = sizeof spaces / sizeof spaces[0], PIECES = 14, BYTES = 70 };
    unsigned refusals = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        uint64_t random = seed;
        struct piece list[PIECES];
        struct assay_image_set *set = new_set();
        for (size_t i = 0; i < PIECES; i++) {
            struct piece *p = &list[i];
            *p = (struct piece){.space = (unsigned)(next_random(&random) % SPACES),
                                .first = next_random(&random) % BYTES,
                                .length = 1 + next_random(&random) % 16};
            for (size_t k = 0; k < p->length; k++) {
                p->text[k] = (char)('0' + (p->first + k) % 37);
            }
            if (i == 3) {
                p->text[next_random(&random) % p->length] = '!';
            }
            add(set, "piece", spaces[p->space], 0x1000 + p->first, p->text);
        }
        const bool agree = pieces_agree(spaces, list, PIECES);
        const enum assay_error error = assay_image_set_seal(set, NULL);
        if (error != (agree ? ASSAY_OK : ASSAY_CONTRADICTION)) {
            fail_msg("seed %u: %s", (unsigned)seed, assay_error_name(error));
        }
        refusals += !agree;
        assay_image_set_free(set);
    }
    assert_in_range(refusals, 400, 3600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_more_specific_image_hides_the_less_specific_one_where_it_has_memory),
        cmocka_unit_test(three_ranks_are_read_in_their_order),
        cmocka_unit_test(two_images_with_different_bytes_in_one_space_are_refused_by_name),
        cmocka_unit_test(images_that_agree_may_overlap_in_any_way),
        cmocka_unit_test(a_difference_is_found_in_each_of_several_overlapped_images),
        cmocka_unit_test(images_of_which_none_is_more_specific_must_agree),
        cmocka_unit_test(images_that_are_never_visible_together_may_differ),
        cmocka_unit_test(what_sealing_compares_is_limited),
        cmocka_unit_test(random_images_are_read_as_a_simple_model_says),
        cmocka_unit_test(random_images_are_refused_exactly_when_two_of_them_disagree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
