/* SVE and SME: what the assemblers and disassemblers of a64_oracle_test.c are too old for, and a
 * word of each form that they know. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isa/a64.h"
#include "isa/a64_table.h"
#include "isa/tests/a64_words.h"

#define SVE       A64_INFO(IS_SVE)
#define SME       A64_INFO(IS_SME)
#define FIRST     A64_INFO(IS_FIRST_FAULT)
#define NON       A64_INFO(IS_NON_FAULT)
#define GATHER    A64_INFO(IS_GATHER_SCATTER)
#define REPLICATE A64_INFO(IS_REPLICATE)
#define ZA        A64_INFO(IS_ZA_INDEXING)

struct scalable {
    uint32_t word;
    uint8_t class_id;
    uint64_t flags;
    unsigned count, log2, element, bytes;
};

static void check_scalable(const struct scalable *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct scalable *w = &words[i];
        const uint64_t info = a64_classify(w->word);
        if (a64_info_class(info) != w->class_id || flags_of(info) != w->flags) {
            print_error("%08x is %s with flags %llx, not %s with %llx\n", w->word,
                        a64_class_name(a64_info_class(info)), (unsigned long long)flags_of(info),
                        a64_class_name(w->class_id), (unsigned long long)w->flags);
        }
        assert_int_equal(a64_info_class(info), w->class_id);
        assert_true(flags_of(info) == w->flags);
        assert_int_equal(a64_info_access_count(info), w->count);
        assert_int_equal(a64_info_access_log2(info), w->log2);
        assert_int_equal(a64_info_element_log2(info), w->element);
        assert_int_equal(a64_info_access_bytes(info), w->bytes);
    }
}

static void contiguous_loads_have_the_sizes_of_memory_and_of_the_element(void **state)
{
    (void)state;
    static const struct scalable words[] = {
        {0xa4034441, A64_SVE_LOAD, A64_READ | SVE | PRED, 1, 0, 0, 0},
        {0xa460a441, A64_SVE_LOAD, A64_READ | SVE | PRED, 1, 0, 3, 0},
        {0xa5c34441, A64_SVE_LOAD, A64_READ | SVE | PRED, 1, 0, 1, 0},
        {0xa5ada441, A64_SVE_LOAD, A64_READ | SVE | PRED, 1, 0, 2, 0},
        {0xa5034441, A64_SVE_LOAD, A64_READ | SVE | PRED, 1, 1, 3, 0},
        {0xa4c7a441, A64_SVE_LOAD, A64_READ | SVE | PRED, 1, 1, 2, 0},
        {0xa4834441, A64_SVE_LOAD, A64_READ | SVE | PRED, 1, 2, 3, 0},
        {0xa540a441, A64_SVE_LOAD, A64_READ | SVE | PRED, 1, 2, 2, 0},
        {0xa5e34441, A64_SVE_LOAD, A64_READ | SVE | PRED, 1, 3, 3, 0},
        {0xa5038441, A64_SVE_LOAD, A64_READ | SVE | PRED, 1, 2, 4, 0},
        {0xa51f2441, A64_SVE_LOAD, A64_READ | SVE | PRED, 1, 2, 4, 0},
        {0xa5838441, A64_SVE_LOAD, A64_READ | SVE | PRED, 1, 3, 4, 0},
        {0xa483c441, A64_SVE_LOAD, A64_READ | SVE | PRED, 1, 1, 1, 0},
        {0xa580e441, A64_SVE_LOAD, A64_READ | SVE | PRED, 1, 3, 3, 0},
    };
    check_scalable(words, COUNT(words));
}

static void contiguous_stores_have_the_sizes_of_memory_and_of_the_element(void **state)
{
    (void)state;
    static const struct scalable words[] = {
        {0xe4034441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 1, 0, 0, 0},
        {0xe460e441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 1, 0, 3, 0},
        {0xe4c34441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 1, 1, 2, 0},
        {0xe548e441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 1, 2, 2, 0},
        {0xe5634441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 1, 2, 3, 0},
        {0xe5e0e441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 1, 3, 3, 0},
        {0xe5034441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 1, 2, 4, 0},
        {0xe501e441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 1, 2, 4, 0},
        {0xe5c34441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 1, 3, 4, 0},
        {0xe5c1e441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 1, 3, 4, 0},
        {0xe5036441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 1, 2, 2, 0},
        {0xe410e441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 1, 0, 0, 0},
    };
    check_scalable(words, COUNT(words));
}

static void loads_that_suppress_faults_are_marked(void **state)
{
    (void)state;
    static const struct scalable words[] = {
        {0xa45f6441, A64_SVE_LOAD, A64_READ | SVE | PRED | FIRST, 1, 0, 2, 0},
        {0xa4836441, A64_SVE_LOAD, A64_READ | SVE | PRED | FIRST, 1, 2, 3, 0},
        {0xa5e36441, A64_SVE_LOAD, A64_READ | SVE | PRED | FIRST, 1, 3, 3, 0},
        {0x84a36441, A64_SVE_LOAD, A64_READ | SVE | PRED | FIRST | GATHER, 1, 1, 2, 0},
        {0xc423a441, A64_SVE_LOAD, A64_READ | SVE | PRED | FIRST | GATHER, 1, 0, 3, 0},
        {0xa410a441, A64_SVE_LOAD, A64_READ | SVE | PRED | NON, 1, 0, 0, 0},
        {0xa53fa441, A64_SVE_LOAD, A64_READ | SVE | PRED | NON, 1, 1, 2, 0},
        {0xa5f0a441, A64_SVE_LOAD, A64_READ | SVE | PRED | NON, 1, 3, 3, 0},
    };
    check_scalable(words, COUNT(words));
}

static void structures_have_a_count_of_registers(void **state)
{
    (void)state;
    static const struct scalable words[] = {
        {0xa423c441, A64_SVE_LOAD, A64_READ | SVE | PRED, 2, 0, 0, 0},
        {0xa4c0e441, A64_SVE_LOAD, A64_READ | SVE | PRED, 3, 1, 1, 0},
        {0xa5e3c441, A64_SVE_LOAD, A64_READ | SVE | PRED, 4, 3, 3, 0},
        {0xe530e441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 2, 2, 2, 0},
        {0xe4436441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 3, 0, 0, 0},
        {0xe4f0e441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 4, 1, 1, 0},
        {0xa4a38441, A64_SVE_LOAD, A64_READ | SVE | PRED, 2, 4, 4, 0},
        {0xa510e441, A64_SVE_LOAD, A64_READ | SVE | PRED, 3, 4, 4, 0},
        {0xa5a38441, A64_SVE_LOAD, A64_READ | SVE | PRED, 4, 4, 4, 0},
        {0xe4400441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 2, 4, 4, 0},
        {0xe4a30441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 3, 4, 4, 0},
        {0xe4c00441, A64_SVE_STORE, A64_WRITE | SVE | PRED, 4, 4, 4, 0},
    };
    check_scalable(words, COUNT(words));
}

static void loads_that_replicate_have_a_size_only_for_one_element(void **state)
{
    (void)state;
    static const struct scalable words[] = {
        {0x84408441, A64_SVE_LOAD, A64_READ | SVE | PRED | REPLICATE, 1, 0, 0, 1},
        {0x85ff8441, A64_SVE_LOAD, A64_READ | SVE | PRED | REPLICATE, 1, 0, 3, 1},
        {0x84c0c441, A64_SVE_LOAD, A64_READ | SVE | PRED | REPLICATE, 1, 1, 2, 2},
        {0x84c18441, A64_SVE_LOAD, A64_READ | SVE | PRED | REPLICATE, 1, 2, 3, 4},
        {0x85c0e441, A64_SVE_LOAD, A64_READ | SVE | PRED | REPLICATE, 1, 3, 3, 8},
        {0xa4030441, A64_SVE_LOAD, A64_READ | SVE | PRED | REPLICATE, 1, 0, 4, 0},
        {0xa5812441, A64_SVE_LOAD, A64_READ | SVE | PRED | REPLICATE, 1, 3, 4, 0},
        {0xa4a30441, A64_SVE_LOAD, A64_READ | SVE | PRED | REPLICATE, 1, 1, 5, 0},
        {0xa52f2441, A64_SVE_LOAD, A64_READ | SVE | PRED | REPLICATE, 1, 2, 5, 0},
    };
    check_scalable(words, COUNT(words));
}

static void gathers_and_scatters_take_addresses_from_a_vector(void **state)
{
    (void)state;
    static const struct scalable words[] = {
        {0x84434441, A64_SVE_LOAD, A64_READ | SVE | PRED | GATHER, 1, 0, 2, 0},
        {0x84e30441, A64_SVE_LOAD, A64_READ | SVE | PRED | GATHER, 1, 1, 2, 0},
        {0x8521c441, A64_SVE_LOAD, A64_READ | SVE | PRED | GATHER, 1, 2, 2, 0},
        {0xc5e3c441, A64_SVE_LOAD, A64_READ | SVE | PRED | GATHER, 1, 3, 3, 0},
        {0xc5230441, A64_SVE_LOAD, A64_READ | SVE | PRED | GATHER, 1, 2, 3, 0},
        {0xc4a0c441, A64_SVE_LOAD, A64_READ | SVE | PRED | GATHER, 1, 1, 3, 0},
        {0x84838441, A64_SVE_LOAD, A64_READ | SVE | PRED | GATHER, 1, 1, 2, 0},
        {0xc583c441, A64_SVE_LOAD, A64_READ | SVE | PRED | GATHER, 1, 3, 3, 0},
        {0xc403a441, A64_SVE_LOAD, A64_READ | SVE | PRED | GATHER, 1, 4, 4, 0},
        {0xe4438441, A64_SVE_STORE, A64_WRITE | SVE | PRED | GATHER, 1, 0, 2, 0},
        {0xe4a3c441, A64_SVE_STORE, A64_WRITE | SVE | PRED | GATHER, 1, 1, 3, 0},
        {0xe562a441, A64_SVE_STORE, A64_WRITE | SVE | PRED | GATHER, 1, 2, 2, 0},
        {0xe583a441, A64_SVE_STORE, A64_WRITE | SVE | PRED | GATHER, 1, 3, 3, 0},
        {0xe440a441, A64_SVE_STORE, A64_WRITE | SVE | PRED | GATHER, 1, 0, 3, 0},
        {0xe4c32441, A64_SVE_STORE, A64_WRITE | SVE | PRED | GATHER, 1, 1, 2, 0},
        {0xe5832441, A64_SVE_STORE, A64_WRITE | SVE | PRED | GATHER, 1, 3, 3, 0},
        {0xe4232441, A64_SVE_STORE, A64_WRITE | SVE | PRED | GATHER, 1, 4, 4, 0},
        {0x84230441, A64_SVE_PREFETCH, A64_BY_ADDRESS | SVE | PRED | GATHER, 0, 0, 0, 0},
        {0x8501e441, A64_SVE_PREFETCH, A64_BY_ADDRESS | SVE | PRED | GATHER, 0, 0, 0, 0},
        {0xc463a441, A64_SVE_PREFETCH, A64_BY_ADDRESS | SVE | PRED | GATHER, 0, 0, 0, 0},
        {0xc580e441, A64_SVE_PREFETCH, A64_BY_ADDRESS | SVE | PRED | GATHER, 0, 0, 0, 0},
        {0x8583c441, A64_SVE_PREFETCH, A64_BY_ADDRESS | SVE | PRED, 0, 0, 0, 0},
        {0x85ff4441, A64_SVE_PREFETCH, A64_BY_ADDRESS | SVE | PRED, 0, 0, 0, 0},
    };
    check_scalable(words, COUNT(words));
}

static void fills_and_spills_have_no_predicate(void **state)
{
    (void)state;
    static const struct scalable words[] = {
        {0x85be5c41, A64_SVE_LOAD, A64_READ | SVE, 1, 0, 0, 0},
        {0xe5804041, A64_SVE_STORE, A64_WRITE | SVE, 1, 0, 0, 0},
        {0x85800041, A64_SVE_LOAD, A64_READ | SVE, 1, 0, 0, 0},
        {0xe59f1c41, A64_SVE_STORE, A64_WRITE | SVE, 1, 0, 0, 0},
        {0xe11f8040, A64_SME_LOAD, A64_READ | SME, 1, 6, 0, 64},
        {0xe13f8040, A64_SME_STORE, A64_WRITE | SME, 1, 6, 0, 64},
    };
    check_scalable(words, COUNT(words));
}

static void several_vectors_have_their_count_and_no_index(void **state)
{
    (void)state;
    static const struct scalable words[] = {
        {0xa0030442, A64_SME_LOAD, A64_READ | SME | PRED, 2, 0, 0, 0},
        {0xa0032443, A64_SME_LOAD, A64_READ | SME | PRED, 2, 1, 1, 0},
        {0xa041c444, A64_SME_LOAD, A64_READ | SME | PRED, 4, 2, 2, 0},
        {0xa023e444, A64_SME_STORE, A64_WRITE | SME | PRED, 4, 3, 3, 0},
        {0xa0600443, A64_SME_STORE, A64_WRITE | SME | PRED, 2, 0, 0, 0},
        {0xa1032441, A64_SME_LOAD, A64_READ | SME | PRED, 2, 1, 1, 0},
        {0xa140e449, A64_SME_LOAD, A64_READ | SME | PRED, 4, 3, 3, 0},
        {0xa1604451, A64_SME_STORE, A64_WRITE | SME | PRED, 2, 2, 2, 0},
        {0xa123c459, A64_SME_STORE, A64_WRITE | SME | PRED, 4, 2, 2, 0},
    };
    check_scalable(words, COUNT(words));
}

static void slices_and_array_vectors_are_indexed(void **state)
{
    (void)state;
    static const struct scalable words[] = {
        {0xe0030445, A64_SME_LOAD, A64_READ | SME | PRED | ZA, 1, 0, 0, 0},
        {0xe043a44d, A64_SME_LOAD, A64_READ | SME | PRED | ZA, 1, 1, 1, 0},
        {0xe0a34449, A64_SME_STORE, A64_WRITE | SME | PRED | ZA, 1, 2, 2, 0},
        {0xe0ffe44f, A64_SME_STORE, A64_WRITE | SME | PRED | ZA, 1, 3, 3, 0},
        {0xe1c30449, A64_SME_LOAD, A64_READ | SME | PRED | ZA, 1, 4, 4, 0},
        {0xe1ff8449, A64_SME_STORE, A64_WRITE | SME | PRED | ZA, 1, 4, 4, 0},
        {0xe1000043, A64_SME_LOAD, A64_READ | SME | ZA, 1, 0, 0, 0},
        {0xe1206040, A64_SME_STORE, A64_WRITE | SME | ZA, 1, 0, 0, 0},
        {0xc0000445, A64_SME, SME | ZA, 0, 0, 0, 0},
        {0xc0c0844f, A64_SME, SME | ZA, 0, 0, 3, 0},
        {0xc08205a2, A64_SME, SME | ZA, 0, 0, 2, 0},
        {0xc0c385e2, A64_SME, SME | ZA, 0, 0, 4, 0},
        {0xc0440045, A64_SME, SME | ZA, 0, 0, 1, 0},
        {0xc0c68424, A64_SME, SME | ZA, 0, 0, 3, 0},
        {0xc0040847, A64_SME, SME | ZA, 0, 0, 0, 0},
        {0xc0066c24, A64_SME, SME | ZA, 0, 0, 0, 0},
        {0xc0c383e2, A64_SME, SME | ZA, 0, 0, 4, 0},
        {0xc0860242, A64_SME, SME | ZA, 0, 0, 2, 0},
        {0xc0066e24, A64_SME, SME | ZA, 0, 0, 0, 0},
        {0xc00c0007, A64_SME, SME | ZA, 0, 0, 0, 0},
        {0xc00f8001, A64_SME, SME | ZA, 0, 0, 0, 0},
    };
    check_scalable(words, COUNT(words));
}

static void operations_on_array_vectors_are_indexed(void **state)
{
    (void)state;
    static const struct scalable words[] = {
        {0xc1a01c57, A64_SME, SME | ZA, 0, 0, 0, 0}, {0xc1e93898, A64_SME, SME | ZA, 0, 0, 0, 0},
        {0xc1331897, A64_SME, SME | ZA, 0, 0, 0, 0}, {0xc1a45841, A64_SME, SME | ZA, 0, 0, 0, 0},
        {0xc1d3c491, A64_SME, SME | ZA, 0, 0, 0, 0}, {0xc1211050, A64_SME, SME | ZA, 0, 0, 0, 0},
        {0xc1519ca0, A64_SME, SME | ZA, 0, 0, 0, 0}, {0xc1518ca8, A64_SME, SME | ZA, 0, 0, 0, 0},
        {0xc1200400, A64_SME, SME | ZA, 0, 0, 0, 0}, {0xc1640851, A64_SME, SME | ZA, 0, 0, 0, 0},
        {0xc1841441, A64_SME, SME | ZA, 0, 0, 0, 0}, {0xc1a01c41, A64_SME, SME | ZA, 0, 0, 0, 0},
    };
    check_scalable(words, COUNT(words));
}

static void operations_on_tiles_tables_and_vectors_are_not_indexed(void **state)
{
    (void)state;
    static const struct scalable words[] = {
        {0x80824420, A64_SME, SME, 0, 0, 0, 0}, {0xa0824433, A64_SME, SME, 0, 0, 0, 0},
        {0x80824429, A64_SME, SME, 0, 0, 0, 0}, {0xa1824429, A64_SME, SME, 0, 0, 0, 0},
        {0xc0904421, A64_SME, SME, 0, 0, 0, 0}, {0xc0d14421, A64_SME, SME, 0, 0, 0, 0},
        {0xc00800ff, A64_SME, SME, 0, 0, 0, 0}, {0xc0480001, A64_SME, SME, 0, 0, 0, 0},
        {0xc0ccc041, A64_SME, SME, 0, 0, 0, 0}, {0xc08b9044, A64_SME, SME, 0, 0, 0, 0},
        {0xc04c13e1, A64_SME, SME, 0, 0, 0, 0}, {0xc1a4a302, A64_SME, SME, 0, 0, 0, 0},
        {0xc1a5c482, A64_SME, SME, 0, 0, 0, 0}, {0xc121e082, A64_SME, SME, 0, 0, 0, 0},
        {0xc12d8504, A64_SME, SME, 0, 0, 0, 0}, {0xc1e5d082, A64_SME, SME, 0, 0, 0, 0},
        {0xc1ebd441, A64_SME, SME, 0, 0, 0, 0}, {0xc125a804, A64_SME, SME, 0, 0, 0, 0},
    };
    check_scalable(words, COUNT(words));
}

static void unallocated_words_of_the_memory_groups_are_found(void **state)
{
    (void)state;
    static const uint32_t none[] = {
        0x841fc000, 0x8400c010, 0x8400e010, 0x85800010, 0x85802000, 0x85c00010, 0x84200010,
        0x85000000, 0x85200000, 0x85008000, 0x85208000, 0x85808000, 0x85a0c000, 0xc4200010,
        0xc4600010, 0xc4608010, 0xc5800000, 0xc5808000, 0xc400e010, 0xc480a000, 0xc4606010,
        0xa41f4000, 0xa41fc000, 0xa43f8000, 0xa41f0000, 0xa51f8000, 0xa4400000, 0xa4402000,
        0xa4008000, 0xa4408000, 0xa4102000, 0xa5302000, 0xa4208000, 0xa410e000, 0xa430e000,
        0xe5800010, 0xe41f4000, 0xe41f6000, 0xe4804000, 0xe5200000, 0xe5204000, 0xe580e000,
        0xe5a0e000, 0xe480e000, 0xe4100000, 0xe4500000, 0xe47f0000, 0xe4000000, 0xe5400000,
        0xe4602000, 0xe4a02000, 0xe5c02000, 0xe420a000, 0xe4208000, 0xe460c000, 0xe5c08000,
        0xe5e0a000, 0xa0500000, 0xa0700000, 0xa0008002, 0xa1008004, 0xe0000010, 0xe1c00010,
        0xe1000010, 0xe1000400, 0xe1008000, 0xe1800000, 0xe11f8400, 0xe11f8001, 0xe1400000,
        0xe15f8000};
    check_unallocated(none, COUNT(none));
}

/* Outer products share their first seven bits with accesses to several vectors. */
static void what_shares_bits_with_memory_groups_is_not_unallocated(void **state)
{
    (void)state;
    static const struct scalable words[] = {
        {0xa0800000, A64_SME, SME, 0, 0, 0, 0},
        {0xa1800000, A64_SME, SME, 0, 0, 0, 0},
        {0xc0000000, A64_SME, SME | ZA, 0, 0, 0, 0},
        {0x04bf5800, A64_SVE, SVE, 0, 0, 0, 0},
    };
    check_scalable(words, COUNT(words));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contiguous_loads_have_the_sizes_of_memory_and_of_the_element),
        cmocka_unit_test(contiguous_stores_have_the_sizes_of_memory_and_of_the_element),
        cmocka_unit_test(loads_that_suppress_faults_are_marked),
        cmocka_unit_test(structures_have_a_count_of_registers),
        cmocka_unit_test(loads_that_replicate_have_a_size_only_for_one_element),
        cmocka_unit_test(gathers_and_scatters_take_addresses_from_a_vector),
        cmocka_unit_test(fills_and_spills_have_no_predicate),
        cmocka_unit_test(several_vectors_have_their_count_and_no_index),
        cmocka_unit_test(slices_and_array_vectors_are_indexed),
        cmocka_unit_test(operations_on_array_vectors_are_indexed),
        cmocka_unit_test(operations_on_tiles_tables_and_vectors_are_not_indexed),
        cmocka_unit_test(unallocated_words_of_the_memory_groups_are_found),
        cmocka_unit_test(what_shares_bits_with_memory_groups_is_not_unallocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
