#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "image/run_cache.h"

static void put(struct assay_run_cache *cache, uint32_t space, uint64_t address, uint16_t mode,
                uint64_t value)
{
    uint64_t *slot = assay_run_cache_put(cache, space, address, mode);
    assert_non_null(slot);
    assert_int_equal((uintptr_t)slot % 16, 0);
    *slot = value;
}

static void assert_there(struct assay_run_cache *cache, uint32_t space, uint64_t address,
                         uint16_t mode, uint64_t value)
{
    const uint64_t *slot = assay_run_cache_find(cache, space, address, mode);
    assert_non_null(slot);
    assert_int_equal(*slot, value);
}

static void a_value_is_found_by_all_of_its_key_and_by_nothing_else(void **state)
{
    (void)state;
    struct assay_run_cache cache;
    assert_int_equal(assay_run_cache_open(&cache, 64, sizeof(uint64_t)), ASSAY_OK);
    assert_null(assay_run_cache_find(&cache, 0, 0, 0));
    put(&cache, 0, 0, 0, 1);
    put(&cache, 1, 0, 0, 2);
    put(&cache, 0, 0, 1, 3);
    put(&cache, 0, 2, 0, 4);
    assert_there(&cache, 0, 0, 0, 1);
    assert_there(&cache, 1, 0, 0, 2);
    assert_there(&cache, 0, 0, 1, 3);
    assert_there(&cache, 0, 2, 0, 4);
    assert_null(assay_run_cache_find(&cache, 1, 2, 0));
    assert_null(assay_run_cache_find(&cache, 1, 0, 1));
    assert_null(assay_run_cache_find(&cache, 0, 4, 0));
    assert_null(assay_run_cache_find(&cache, 0, UINT64_C(1) << 63, 0));
    assay_run_cache_close(&cache);
}

static void putting_a_key_again_gives_the_value_that_is_there(void **state)
{
    (void)state;
    struct assay_run_cache cache;
    assert_int_equal(assay_run_cache_open(&cache, 64, sizeof(uint64_t)), ASSAY_OK);
    put(&cache, 3, 0x1000, 1, 42);
    uint64_t *again = assay_run_cache_put(&cache, 3, 0x1000, 1);
    assert_int_equal(*again, 42);
    assert_int_equal(cache.puts, 1);
    assert_int_equal(cache.evictions, 0);
    assay_run_cache_close(&cache);
}

/* A cache of one window, where every key meets every other one. */
static void the_first_one_that_was_not_found_since_is_evicted(void **state)
{
    (void)state;
    struct assay_run_cache cache;
    assert_int_equal(assay_run_cache_open(&cache, 1, sizeof(uint64_t)), ASSAY_OK);
    for (uint64_t key = 0; key < ASSAY_RUN_WAYS; key++) {
        put(&cache, 0, key, 0, key);
    }
    assert_int_equal(cache.evictions, 0);
    assert_there(&cache, 0, 0, 0, 0);
    assert_there(&cache, 0, 2, 0, 2);
    put(&cache, 0, 10, 0, 10); /* 0 was found, so 1 goes */
    assert_int_equal(cache.evictions, 1);
    assert_null(assay_run_cache_find(&cache, 0, 1, 0));
    put(&cache, 0, 11, 0, 11); /* the hand continues: 2 was found, 3 goes */
    assert_null(assay_run_cache_find(&cache, 0, 3, 0));
    put(&cache, 0, 12, 0, 12); /* 0 lost its mark and was not found again */
    assert_null(assay_run_cache_find(&cache, 0, 0, 0));
    assert_there(&cache, 0, 2, 0, 2);
    assert_there(&cache, 0, 10, 0, 10);
    assert_there(&cache, 0, 11, 0, 11);
    assert_there(&cache, 0, 12, 0, 12);
    /* All were found: one of them goes all the same. */
    put(&cache, 0, 13, 0, 13);
    assert_there(&cache, 0, 13, 0, 13);
    unsigned left = 0;
    for (uint64_t key = 0; key < 13; key++) {
        left += assay_run_cache_find(&cache, 0, key, 0) != NULL;
    }
    assert_int_equal(left, ASSAY_RUN_WAYS - 1);
    assay_run_cache_close(&cache);
}

static void a_value_in_use_stays_while_others_come_and_go(void **state)
{
    (void)state;
    struct assay_run_cache cache;
    assert_int_equal(assay_run_cache_open(&cache, 1, sizeof(uint64_t)), ASSAY_OK);
    put(&cache, 0, 7777, 0, 1);
    for (uint64_t key = 0; key < 1000; key++) {
        assert_there(&cache, 0, 7777, 0, 1);
        put(&cache, 0, key, 0, key);
    }
    assert_int_equal(cache.puts, 1001);
    assert_int_equal(cache.evictions, 1001 - ASSAY_RUN_WAYS);
    assay_run_cache_close(&cache);
}

static void what_is_found_is_always_what_was_put_last(void **state)
{
    (void)state;
    enum { KEYS = 5000 };
    static uint64_t values[KEYS];
    struct assay_run_cache cache;
    memset(values, 0, sizeof values);
    assert_int_equal(assay_run_cache_open(&cache, 1024, 40), ASSAY_OK);
    uint64_t random = 1, found = 0;
    for (uint64_t i = 1; i < 300000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const uint64_t key = (random >> 33) % KEYS;
        const uint64_t *slot =
            assay_run_cache_find(&cache, (uint32_t)(key % 3), 0x80000000 + 2 * key, key % 2);
        if (slot != NULL) {
            assert_int_equal(slot[0], values[key]);
            assert_int_equal(slot[4], ~values[key]);
            found++;
        } else {
            uint64_t *fresh =
                assay_run_cache_put(&cache, (uint32_t)(key % 3), 0x80000000 + 2 * key, key % 2);
            values[key] = i;
            fresh[0] = i;
            fresh[4] = ~i;
        }
    }
    /* 1,024 of 5,000 keys that are equally likely can be there. */
    assert_in_range(found, 300000 / 7, 300000 / 4);
    assay_run_cache_close(&cache);
}

static void addresses_of_a_program_fill_the_cache_evenly(void **state)
{
    (void)state;
    enum { ENTRIES = 4096 };
    for (unsigned step = 2; step <= 4096; step *= 2) {
        struct assay_run_cache cache;
        assert_int_equal(assay_run_cache_open(&cache, ENTRIES, sizeof(uint64_t)), ASSAY_OK);
        for (uint64_t i = 0; i < ENTRIES / 2; i++) {
            put(&cache, 0, 0xffff800010000000 + i * step, 0, i);
        }
        /* Half full: nearly everything has to be there. */
        if (cache.evictions > ENTRIES / 2 / 10) {
            fail_msg("step %u: %u evictions", step, (unsigned)cache.evictions);
        }
        assay_run_cache_close(&cache);
    }
}

static void clearing_leaves_nothing(void **state)
{
    (void)state;
    struct assay_run_cache cache;
    assert_int_equal(assay_run_cache_open(&cache, 16, sizeof(uint64_t)), ASSAY_OK);
    put(&cache, 0, 0x1000, 0, 1);
    assay_run_cache_clear(&cache);
    assert_null(assay_run_cache_find(&cache, 0, 0x1000, 0));
    assert_int_equal(cache.puts, 0);
    put(&cache, 0, 0x1000, 0, 2);
    assert_there(&cache, 0, 0x1000, 0, 2);
    assay_run_cache_close(&cache);
    assay_run_cache_close(&cache);
}

static void sizes_out_of_range_are_refused(void **state)
{
    (void)state;
    struct assay_run_cache cache;
    assert_int_equal(assay_run_cache_open(&cache, 0, 8), ASSAY_OUT_OF_RANGE);
    assert_int_equal(assay_run_cache_open(&cache, 8, 0), ASSAY_OUT_OF_RANGE);
    assert_int_equal(assay_run_cache_open(&cache, ASSAY_RUN_ENTRIES_MAX + 1, 8),
                     ASSAY_OUT_OF_RANGE);
    assert_int_equal(assay_run_cache_open(&cache, 8, ASSAY_RUN_VALUE_MAX + 1), ASSAY_OUT_OF_RANGE);
    assay_run_cache_close(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_found_by_all_of_its_key_and_by_nothing_else),
        cmocka_unit_test(putting_a_key_again_gives_the_value_that_is_there),
        cmocka_unit_test(the_first_one_that_was_not_found_since_is_evicted),
        cmocka_unit_test(a_value_in_use_stays_while_others_come_and_go),
        cmocka_unit_test(what_is_found_is_always_what_was_put_last),
        cmocka_unit_test(addresses_of_a_program_fill_the_cache_evenly),
        cmocka_unit_test(clearing_leaves_nothing),
        cmocka_unit_test(sizes_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
