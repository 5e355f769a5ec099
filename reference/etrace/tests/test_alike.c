/* What encoder and decoder remember alike: calls, outcomes of branches, and targets of jumps. */
#include "etrace/facts/state.h"
#include "etrace/program/calls.h"
#include "etrace/program/predictor.h"
#include "etrace/program/targets.h"
#include "etrace_support.h"

/* --- calls (3.2.5) --- */

static void open_calls(struct etrace_calls *calls, uint64_t stack, uint64_t counter, uint64_t depth)
{
    uint64_t layout[ETRACE_PARAMETER_COUNT] = {0};
    layout[ETRACE_RETURN_STACK_SIZE] = stack;
    layout[ETRACE_CALL_COUNTER_SIZE] = counter;
    layout[ETRACE_COUNTER_DEPTH] = depth;
    assert_true(etrace_calls_open(calls, layout));
}

static void the_newest_call_returns_first(void **state)
{
    struct etrace_calls calls;
    (void)state;
    open_calls(&calls, 2, 0, 0);
    for (uint64_t n = 1; n <= 3; n++) {
        etrace_calls_push(&calls, 0x100 * n);
        assert_int_equal(calls.depth, n);
        assert_int_equal(etrace_calls_top(&calls), 0x100 * n);
    }
    assert_int_equal(etrace_calls_pop(&calls), 0x300);
    assert_int_equal(calls.depth, 2);
    assert_int_equal(etrace_calls_top(&calls), 0x200);
    etrace_calls_push(&calls, 0x400);
    assert_int_equal(etrace_calls_pop(&calls), 0x400);
    assert_int_equal(etrace_calls_pop(&calls), 0x200);
    assert_int_equal(etrace_calls_pop(&calls), 0x100);
    assert_int_equal(calls.depth, 0);
    etrace_calls_close(&calls);
}

static void a_full_stack_loses_its_oldest_call(void **state)
{
    struct etrace_calls calls;
    (void)state;
    open_calls(&calls, 1, 5, 1); /* a stack goes before a counter, and has all its entries */
    assert_int_equal(calls.most, 2);
    for (uint64_t n = 1; n <= 3; n++) {
        etrace_calls_push(&calls, n);
    }
    assert_int_equal(calls.depth, 2);
    assert_int_equal(etrace_calls_pop(&calls), 3);
    assert_int_equal(etrace_calls_pop(&calls), 2);
    assert_int_equal(calls.depth, 0);
    etrace_calls_close(&calls);
}

static void a_counter_counts_to_a_power_or_to_what_fits(void **state)
{
    struct etrace_calls calls;
    (void)state;
    open_calls(&calls, 0, 2, 0);
    assert_int_equal(calls.limit, 4);
    etrace_calls_close(&calls);
    open_calls(&calls, 0, 2, 1);
    assert_int_equal(calls.limit, 3);
    for (uint64_t n = 0; n < 6; n++) {
        etrace_calls_push(&calls, n);
    }
    assert_int_equal(calls.depth, 3);
    etrace_calls_close(&calls);
    open_calls(&calls, 0, 1, 1);
    assert_int_equal(calls.limit, 1);
    etrace_calls_close(&calls);
    open_calls(&calls, 0, 0, 1);
    assert_int_equal(calls.most, 0);
    assert_int_equal(calls.limit, 0);
    assert_null(calls.ring);
    etrace_calls_push(&calls, 1);
    assert_int_equal(calls.depth, 0);
    assert_int_equal(calls.top, 0);
    etrace_calls_close(&calls);
}

/* --- branches (3.2.6) --- */

static void a_prediction_changes_when_it_fails_twice(void **state)
{
    struct etrace_predictor p;
    (void)state;
    assert_true(etrace_predictor_open(&p, 3, 1));
    assert_false(etrace_predict(&p, 0x10));
    etrace_learn(&p, 0x10, true); /* the first state is weakly not taken: 01 */
    assert_true(etrace_predict(&p, 0x10));
    etrace_learn(&p, 0x10, false);
    assert_true(etrace_predict(&p, 0x10));
    etrace_learn(&p, 0x10, true);
    etrace_learn(&p, 0x10, false);
    assert_true(etrace_predict(&p, 0x10));
    etrace_learn(&p, 0x10, false);
    assert_false(etrace_predict(&p, 0x10));
    etrace_learn(&p, 0x10, true);
    assert_false(etrace_predict(&p, 0x10));
    etrace_learn(&p, 0x10, false);
    etrace_learn(&p, 0x10, true);
    assert_false(etrace_predict(&p, 0x10));
    etrace_learn(&p, 0x10, true);
    assert_true(etrace_predict(&p, 0x10));
    etrace_predictor_close(&p);
}

static void predict_all(const struct etrace_predictor *p, uint64_t taken)
{
    for (uint64_t n = 0; n < 8; n++) {
        assert_int_equal(etrace_predict(p, n << 1), n == taken);
    }
}

static void an_entry_is_of_the_low_bits_of_an_address(void **state)
{
    struct etrace_predictor p;
    (void)state;
    assert_true(etrace_predictor_open(&p, 3, 1));
    predict_all(&p, 8);
    etrace_learn(&p, 0x1000 + (7 << 1), true);
    predict_all(&p, 7);
    assert_true(etrace_predict(&p, (7 << 1) + 1));
    etrace_predictor_reset(&p);
    predict_all(&p, 8);
    etrace_learn(&p, 0, false); /* weakly not taken no more */
    etrace_learn(&p, 0, true);
    predict_all(&p, 8);
    etrace_learn(&p, 0, true);
    predict_all(&p, 0);
    etrace_predictor_close(&p);
    assert_true(etrace_predictor_open(&p, 1, 1)); /* two entries */
    etrace_learn(&p, 2, true);
    assert_true(etrace_predict(&p, 6));
    assert_false(etrace_predict(&p, 4));
    etrace_predictor_close(&p);
    assert_true(etrace_predictor_open(&p, 0, 1));
    etrace_predictor_reset(&p);
    etrace_learn(&p, 0, true);
    etrace_learn(&p, 0, true);
    assert_false(etrace_predict(&p, 0));
    etrace_predictor_close(&p);
}

/* --- targets (3.2.7) --- */

static void open_targets(struct etrace_targets *t, unsigned size, enum etrace_cached cached)
{
    uint64_t layout[ETRACE_PARAMETER_COUNT] = {0};
    layout[ETRACE_CACHE_SIZE] = size;
    layout[ETRACE_IADDRESS_LSB] = 1;
    layout[ETRACE_CACHED_TARGETS] = (uint64_t)cached;
    assert_true(etrace_targets_open(t, layout));
}

static void found(struct etrace_targets *t, uint64_t index, enum etrace_cache_entry entry,
                  uint64_t target)
{
    uint64_t is = 0;
    assert_int_equal(etrace_targets_find(t, index, &is), entry);
    if (entry == ETRACE_ENTRY_FILLED) {
        assert_int_equal(is, target);
    }
}

/* Bits that an address never has are not counted: bit 0 is none of them by a parameter of 0 either.
 */
static void entries_are_counted_from_the_lowest_bit_that_addresses_have(void **state)
{
    (void)state;
    static const unsigned lowest[] = {1, 1, 2};
    for (unsigned lsb = 0; lsb < sizeof lowest / sizeof lowest[0]; lsb++) {
        uint64_t layout[ETRACE_PARAMETER_COUNT] = {0};
        struct etrace_targets t;
        layout[ETRACE_CACHE_SIZE] = 4;
        layout[ETRACE_IADDRESS_LSB] = lsb;
        assert_true(etrace_targets_open(&t, layout));
        assert_int_equal(etrace_targets_index(&t, 0x101c), 0x101c >> lowest[lsb] & 15);
        etrace_targets_close(&t);
    }
}

static void a_target_has_the_entry_of_its_low_bits(void **state)
{
    struct etrace_targets t;
    (void)state;
    open_targets(&t, 2, ETRACE_CACHED_JUMPS);
    for (uint64_t n = 0; n < 4; n++) {
        found(&t, n, ETRACE_ENTRY_EMPTY, 0);
    }
    assert_int_equal(etrace_targets_index(&t, 0x1006), 3);
    assert_int_equal(etrace_targets_index(&t, 0x1008), 0);
    etrace_targets_learn(&t, 0x1006, false);
    etrace_targets_learn(&t, 0x1004, true); /* these are not cached */
    found(&t, 3, ETRACE_ENTRY_FILLED, 0x1006);
    found(&t, 2, ETRACE_ENTRY_EMPTY, 0);
    etrace_targets_reset(&t);
    found(&t, 3, ETRACE_ENTRY_EMPTY, 0);
    etrace_targets_close(&t);
    open_targets(&t, 0, ETRACE_CACHED_JUMPS);
    etrace_targets_reset(&t);
    etrace_targets_learn(&t, 0x1006, false);
    found(&t, 0, ETRACE_ENTRY_EMPTY, 0);
    etrace_targets_close(&t);
}

static void targets_of_returns_from_traps_are_cached_or_not(void **state)
{
    struct etrace_targets t;
    (void)state;
    open_targets(&t, 3, ETRACE_CACHED_XRETS);
    etrace_targets_learn(&t, 0x1006, true);
    found(&t, 3, ETRACE_ENTRY_FILLED, 0x1006);
    etrace_targets_close(&t);
    open_targets(&t, 3, ETRACE_CACHED_UNKNOWN);
    etrace_targets_learn(&t, 0x1006, false);
    found(&t, 3, ETRACE_ENTRY_FILLED, 0x1006); /* either way */
    assert_int_equal(t.cached, ETRACE_CACHED_UNKNOWN);
    etrace_targets_learn(&t, 0x2006, true);
    found(&t, 3, ETRACE_ENTRY_UNKNOWN, 0);
    etrace_targets_learn(&t, 0x1008, true); /* only so it is filled */
    found(&t, 4, ETRACE_ENTRY_FILLED, 0x1008);
    assert_int_equal(t.cached, ETRACE_CACHED_XRETS);
    found(&t, 3, ETRACE_ENTRY_FILLED, 0x2006);
    etrace_targets_reset(&t);
    found(&t, 7, ETRACE_ENTRY_EMPTY, 0);
    etrace_targets_close(&t);
}

/* Of a target of 0x1006 in a cache of so many entries, with so many outcomes; 0: no map. */
static unsigned index_bytes(unsigned size, uint64_t subformat, unsigned kind, uint64_t branches)
{
    struct etrace_targets t;
    enum { CELLS = 64 };
    uint64_t cells[CELLS] = {0};
    const struct assay_event packet = {.kind = (uint16_t)kind, .cells = cells};
    cells[ETRACE_CELL_diff_delta_branches] = branches;
    open_targets(&t, size, ETRACE_CACHED_UNKNOWN);
    assert_int_equal(etrace_index_bytes(&t, &packet, 0x1006, subformat), 0);
    etrace_targets_learn(&t, 0x1006, false);
    const unsigned bytes = etrace_index_bytes(&t, &packet, 0x1006, subformat);
    etrace_targets_learn(&t, 0x2006, true); /* whether it is still there is not known */
    assert_int_equal(etrace_index_bytes(&t, &packet, 0x1006, subformat), 0);
    etrace_targets_learn(&t, 0x2006, false);
    assert_int_equal(etrace_index_bytes(&t, &packet, 0x1006, subformat), 0);
    etrace_targets_close(&t);
    return bytes;
}

static void an_index_packet_is_as_long_as_its_fields(void **state)
{
    (void)state;
    assert_int_equal(index_bytes(1, 0, ETRACE_addr_only, 0), 1);  /* 8 bits */
    assert_int_equal(index_bytes(2, 0, ETRACE_addr_only, 0), 2);  /* 9 */
    assert_int_equal(index_bytes(9, 0, ETRACE_addr_only, 31), 2); /* 16, without a map */
    assert_int_equal(index_bytes(8, 2, ETRACE_addr_only, 0), 3);  /* 17 */
    assert_int_equal(index_bytes(1, 0, ETRACE_diff_delta, 0), 1); /* 8 */
    assert_int_equal(index_bytes(1, 1, ETRACE_diff_delta, 4), 2); /* 16 */
    assert_int_equal(index_bytes(2, 1, ETRACE_diff_delta, 4), 3); /* 17 */
    assert_int_equal(index_bytes(4, 1, ETRACE_branch_count, 0), 0);
    assert_int_equal(index_bytes(4, 1, ETRACE_start, 0), 0);
    assert_int_equal(index_bytes(0, 0, ETRACE_addr_only, 0), 0); /* there is no cache */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_call_returns_first),
        cmocka_unit_test(a_full_stack_loses_its_oldest_call),
        cmocka_unit_test(a_counter_counts_to_a_power_or_to_what_fits),
        cmocka_unit_test(a_prediction_changes_when_it_fails_twice),
        cmocka_unit_test(an_entry_is_of_the_low_bits_of_an_address),
        cmocka_unit_test(entries_are_counted_from_the_lowest_bit_that_addresses_have),
        cmocka_unit_test(a_target_has_the_entry_of_its_low_bits),
        cmocka_unit_test(targets_of_returns_from_traps_are_cached_or_not),
        cmocka_unit_test(an_index_packet_is_as_long_as_its_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
