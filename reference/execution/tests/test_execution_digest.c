/* The digest of an execution: every field that a kind names changes it, and nothing else does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "execution/digest.h"

static size_t bytes_of(const struct assay_executed *item, uint8_t bytes[ASSAY_EXECUTION_ITEM])
{
    memset(bytes, 0, ASSAY_EXECUTION_ITEM);
    return assay_execution_item_bytes(item, bytes);
}

static bool same(const struct assay_executed *a, const struct assay_executed *b)
{
    uint8_t first[ASSAY_EXECUTION_ITEM];
    uint8_t second[ASSAY_EXECUTION_ITEM];
    const size_t size = bytes_of(a, first);
    return bytes_of(b, second) == size && memcmp(first, second, size) == 0;
}

/* Changes one byte of the item's member after the other, and demands that each is noticed, or, if
 * `named` is false, that none is. */
#define EXPECT(item, member, named)                                                                \
    do {                                                                                           \
        struct assay_executed changed = (item);                                                    \
        ((uint8_t *)&changed.member)[0] ^= 1;                                                      \
        assert_int_equal(same(&(item), &changed), !(named));                                       \
    } while (0)

static void an_instruction_is_its_address_word_and_accesses(void **state)
{
    (void)state;
    const struct assay_access list[2] = {
        {.address = 0x1000, .size = 8, .content_known = true, .content = 5},
        {.address = 0x2000, .size = 4, .write = true}};
    const struct assay_executed item = {.kind = ASSAY_EXECUTED_INSTRUCTION,
                                        .address = 0x80000000,
                                        .word = 0x13,
                                        .size = 4,
                                        .accesses = 2,
                                        .access = list};
    EXPECT(item, address, true);
    EXPECT(item, word, true);
    EXPECT(item, size, true);
    EXPECT(item, thread, true);
    EXPECT(item, time, false);
    EXPECT(item, offset, false);
    EXPECT(item, system_id, false);
    EXPECT(item, level, false);
    struct assay_executed changed = item;
    struct assay_access other[2] = {list[0], list[1]};
    changed.access = other;
    assert_true(same(&item, &changed));
    changed.accesses = 1;
    assert_false(same(&item, &changed));
    changed.accesses = 2;
    other[1].content = 7; /* which is not known */
    assert_true(same(&item, &changed));
    for (unsigned i = 0; i < 5; i++) {
        memcpy(other, list, sizeof list);
        switch (i) {
        case 0:
            other[0].address ^= 8;
            break;
        case 1:
            other[0].size = 4;
            break;
        case 2:
            other[0].write = true;
            break;
        case 3:
            other[0].content ^= 1;
            break;
        default:
            other[0].content_known = false;
            other[0].content = 0;
        }
        assert_false(same(&item, &changed));
    }
}

static void other_kinds_are_what_they_name(void **state)
{
    (void)state;
    const struct assay_executed trap = {.kind = ASSAY_EXECUTED_TRAP, .fault_known = true};
    EXPECT(trap, level, true);
    EXPECT(trap, cause, true);
    EXPECT(trap, from, true);
    EXPECT(trap, status, true);
    EXPECT(trap, number, true);
    EXPECT(trap, fault, true);
    EXPECT(trap, fault_known, true);
    EXPECT(trap, word, false);
    const struct assay_executed diverted = {.kind = ASSAY_EXECUTED_DIVERTED, .aborted = true};
    EXPECT(diverted, aborted, true);
    EXPECT(diverted, address, true);
    EXPECT(diverted, fault_known, true);
    EXPECT(diverted, fault, false); /* not known */
    const struct assay_executed call = {.kind = ASSAY_EXECUTED_SYSTEM_CALL};
    EXPECT(call, number, true);
    EXPECT(call, args[5], true);
    const struct assay_executed answer = {.kind = ASSAY_EXECUTED_SYSTEM_RETURN};
    EXPECT(answer, number, true);
    EXPECT(answer, value, true);
    const struct assay_executed level = {.kind = ASSAY_EXECUTED_LEVEL};
    EXPECT(level, level, true);
    const struct assay_executed end = {.kind = ASSAY_EXECUTED_END};
    EXPECT(end, reason, true);
    EXPECT(end, address, false);
    const struct assay_executed start = {.kind = ASSAY_EXECUTED_THREAD_START};
    EXPECT(start, system_id, false);
    EXPECT(start, kind, true);
}

static void a_walk_is_its_page_and_entries(void **state)
{
    (void)state;
    const struct assay_walk walk = {
        .address = 0x4000, .page_log2 = 12, .count = 2, .entry = {{1, 2}}};
    struct assay_walk other = walk;
    const struct assay_executed item = {.kind = ASSAY_EXECUTED_WALK, .walk = &walk};
    const struct assay_executed changed = {.kind = ASSAY_EXECUTED_WALK, .walk = &other};
    assert_true(same(&item, &changed));
    other.entry[2].content = 9; /* beyond the count */
    assert_true(same(&item, &changed));
    uint8_t *const bytes[] = {(uint8_t *)&other.address, &other.page_log2,
                              (uint8_t *)&other.entry[1].address,
                              (uint8_t *)&other.entry[1].content, (uint8_t *)&other.data};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        *bytes[i] ^= 1;
        assert_false(same(&item, &changed));
        *bytes[i] ^= 1;
    }
}

static void digest(const struct assay_execution_header *header, uint64_t address,
                   char text[ASSAY_DIGEST_TEXT])
{
    struct assay_execution_digest d;
    const struct assay_executed item = {.kind = ASSAY_EXECUTED_INSTRUCTION, .address = address};
    assay_execution_digest_begin(&d, header);
    assay_execution_digest_add(&d, &item);
    assert_int_equal(assay_execution_digest_end(&d, text), ASSAY_OK);
}

static void the_digest_is_of_header_and_items(void **state)
{
    (void)state;
    char first[ASSAY_DIGEST_TEXT];
    char second[ASSAY_DIGEST_TEXT];
    const struct assay_execution_header header = {.isa = ASSAY_EXECUTION_AARCH64, .producer = "a"};
    struct assay_execution_header other = header;
    digest(&header, 0x1000, first);
    other.producer = "b";
    other.process = 7;
    other.epoch = 9;
    digest(&other, 0x1000, second);
    assert_string_equal(first, second);
    digest(&other, 0x1004, second);
    assert_string_not_equal(first, second);
    other.isa = ASSAY_EXECUTION_RISCV64;
    digest(&other, 0x1000, second);
    assert_string_not_equal(first, second);
    other = header;
    other.system = true;
    digest(&other, 0x1000, second);
    assert_string_not_equal(first, second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instruction_is_its_address_word_and_accesses),
        cmocka_unit_test(other_kinds_are_what_they_name),
        cmocka_unit_test(a_walk_is_its_page_and_entries),
        cmocka_unit_test(the_digest_is_of_header_and_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
