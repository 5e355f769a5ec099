/* Copies of which those that are alike are one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "validator/engine/shared.h"

static int set_up(void **state)
{
    static struct assay_arena arena;
    struct assay_shared *shared = calloc(1, sizeof *shared);
    assert_non_null(shared);
    shared->arena = &arena;
    *state = shared;
    return 0;
}

static int tear_down(void **state)
{
    struct assay_shared *shared = *state;
    assay_arena_free(shared->arena);
    free(shared);
    return 0;
}

static void what_is_alike_is_one_copy(void **state)
{
    struct assay_shared *shared = *state;
    char text[] = "eleven byte";
    const void *first = assay_shared_copy(shared, text, sizeof text);
    assert_ptr_not_equal(first, text);
    assert_memory_equal(first, "eleven byte", sizeof text);
    assert_ptr_equal(assay_shared_copy(shared, "eleven byte", sizeof text), first);
    memset(text, 'x', sizeof text);
    assert_memory_equal(first, "eleven byte", sizeof text);
}

static void what_differs_in_one_byte_or_in_length_is_not(void **state)
{
    struct assay_shared *shared = *state;
    const unsigned char zeros[24] = {0};
    const void *first = assay_shared_copy(shared, zeros, sizeof zeros);
    for (size_t i = 0; i < sizeof zeros; i++) {
        unsigned char other[sizeof zeros] = {0};
        other[i] = 1;
        assert_memory_equal(assay_shared_copy(shared, other, sizeof other), other, sizeof other);
        assert_memory_equal(first, zeros, sizeof zeros);
        assert_ptr_not_equal(assay_shared_copy(shared, zeros, i), first);
    }
    assert_non_null(assay_shared_copy(shared, zeros, 0));
}

/* More contents than places: each is still what it was given, whatever lost its place. */
static void contents_that_share_a_place_stay_apart(void **state)
{
    enum { CONTENTS = 3 * ASSAY_SHARED_PLACES };
    struct assay_shared *shared = *state;
    static const uint64_t *copies[CONTENTS];
    for (uint64_t i = 0; i < CONTENTS; i++) {
        copies[i] = assay_shared_copy(shared, &i, sizeof i);
        assert_non_null(copies[i]);
    }
    for (uint64_t i = 0; i < CONTENTS; i++) {
        assert_int_equal(*copies[i], i);
    }
    const uint64_t last = CONTENTS - 1;
    assert_ptr_equal(assay_shared_copy(shared, &last, sizeof last), copies[last]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_alike_is_one_copy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_differs_in_one_byte_or_in_length_is_not, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(contents_that_share_a_place_stay_apart, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
