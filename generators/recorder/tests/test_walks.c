/* Page table walks, found in the memory of a machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "walks.h"

#define RAM UINT64_C(0x80000000)

enum { ENTRIES = 512, POINTER = 1, LEAF = 0xdf, SPACE = 5 };
enum { ROOT, MIDDLE, LAST, TABLES };

static uint64_t table[TABLES][ENTRIES];
static struct contents contents;
static struct walks walks;

static uint64_t place_of(unsigned number)
{
    return RAM + number * sizeof table[0];
}

static uint64_t entry_of(uint64_t place, unsigned flags)
{
    return place >> 2 | flags;
}

/* 0x12000 is mapped to 0x80009000. */
static int set_up(void **state)
{
    (void)state;
    contents = (struct contents){.tag_mask = UINT64_MAX, .ram = RAM, .ram_size = sizeof table};
    assert_true(contents_learn(&contents, RAM, table, table, 4));
    table[ROOT][0] = entry_of(place_of(MIDDLE), POINTER);
    table[MIDDLE][0] = entry_of(place_of(LAST), POINTER);
    table[LAST][0x12] = entry_of(0x80009000, LEAF);
    walks = (struct walks){
        .known = true, .satp = UINT64_C(8) << 60 | (uint64_t)SPACE << 44 | place_of(ROOT) >> 12};
    return 0;
}

static void the_entries_of_a_walk_are_those_from_the_root_to_the_leaf(void **state)
{
    (void)state;
    struct walks_held held = {.count = 0};
    walks_use(&walks, &contents, 0x12345, 0x80009345, true, &held);
    assert_int_equal(held.count, 1);
    assert_int_equal(held.space, SPACE);
    const struct assay_walk *walk = &held.walk[0];
    assert_int_equal(walk->address, 0x12000);
    assert_int_equal(walk->page_log2, 12);
    assert_int_equal(walk->count, 3);
    assert_int_equal(walk->entry[0].address, place_of(ROOT));
    assert_int_equal(walk->entry[2].address, place_of(LAST) + 0x12 * 8);
    assert_int_equal(walk->entry[2].content, table[LAST][0x12]);
    assert_true(walk->data);
}

static void large_pages_have_fewer_entries(void **state)
{
    (void)state;
    struct walks_held held = {.count = 0};
    table[ROOT][2] = entry_of(0x80000000, LEAF);
    walks_use(&walks, &contents, 0x80000123, 0x80000123, false, &held);
    assert_int_equal(held.walk[0].count, 1);
    assert_int_equal(held.walk[0].page_log2, 30);
    assert_false(held.walk[0].data);
}

static void a_walk_is_recorded_once_and_again_when_the_page_is_mapped_anew(void **state)
{
    (void)state;
    struct walks_held held = {.count = 0};
    walks_use(&walks, &contents, 0x12345, 0x80009345, true, &held);
    assert_true(walks_take(&walks, held.space, &held.walk[0]));
    assert_false(walks_take(&walks, held.space, &held.walk[0]));
    held.count = 0;
    table[LAST][0x12] &= ~UINT64_C(0xc0); /* A and D, which the processor itself writes */
    walks_use(&walks, &contents, 0x12345, 0x80009345, true, &held);
    assert_int_equal(held.count, 0);
    table[LAST][0x12] = entry_of(0x8000a000, LEAF);
    walks_use(&walks, &contents, 0x12345, 0x8000a345, true, &held);
    assert_int_equal(held.count, 1);
}

static void after_a_fault_the_page_is_new(void **state)
{
    (void)state;
    struct walks_held held = {.count = 0};
    walks_use(&walks, &contents, 0x12345, 0x80009345, true, &held);
    assert_true(walks_take(&walks, held.space, &held.walk[0]));
    walks_forget(&walks, 0x13000);
    assert_false(walks_take(&walks, held.space, &held.walk[0]));
    walks_forget(&walks, 0x12fff);
    assert_true(walks_take(&walks, held.space, &held.walk[0]));
}

static void tables_that_lead_elsewhere_are_not_those_that_were_used(void **state)
{
    (void)state;
    struct walks_held held = {.count = 0};
    walks_use(&walks, &contents, 0x12345, 0x80008345, true, &held); /* another page */
    walks_use(&walks, &contents, 0x13345, 0x80009345, true, &held); /* not mapped */
    walks.satp = place_of(ROOT) >> 12;                              /* Bare */
    walks_use(&walks, &contents, 0x12345, 0x80009345, true, &held);
    walks.known = false;
    walks_use(&walks, &contents, 0x12345, 0x80009345, true, &held);
    assert_int_equal(held.count, 0);
}

static void what_writes_satp_is_known(void **state)
{
    (void)state;
    assert_true(walks_write_satp(0x18029073));  /* csrw satp, t0 */
    assert_true(walks_write_satp(0x1802a2f3));  /* csrrs t0, satp, t0 */
    assert_false(walks_write_satp(0x180022f3)); /* csrr t0, satp */
    assert_false(walks_write_satp(0x14029073)); /* csrw sscratch, t0 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_entries_of_a_walk_are_those_from_the_root_to_the_leaf, set_up),
        cmocka_unit_test_setup(large_pages_have_fewer_entries, set_up),
        cmocka_unit_test_setup(a_walk_is_recorded_once_and_again_when_the_page_is_mapped_anew,
                               set_up),
        cmocka_unit_test_setup(after_a_fault_the_page_is_new, set_up),
        cmocka_unit_test_setup(tables_that_lead_elsewhere_are_not_those_that_were_used, set_up),
        cmocka_unit_test(what_writes_satp_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
