#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/a64.h"
#include "isa/a64_table.h"
#include "isa/tests/a64_words.h"

static void branches_are_told_apart_by_kind(void **state)
{
    (void)state;
    static const struct word words[] = {
        {0x14000001, A64_B, DIRECT, 0, 0},
        {0x97ffffff, A64_BL, DIRECT | CALL, 0, 0},
        {0x54000000, A64_B_COND, IF, 0, 0},
        {0x5400000d, A64_B_COND, IF, 0, 0},
        {0x54000010, A64_BC_COND, IF, 0, 0},
        {0x34000000, A64_CBZ, IF, 0, 0},
        {0xb5ffffff, A64_CBNZ, IF, 0, 0},
        {0xb6f80000, A64_TBZ, IF, 0, 0},
        {0x37000000, A64_TBNZ, IF, 0, 0},
        {0x74052005, A64_CB, IF, 0, 0},
        {0xf5cf9fe5, A64_CB, IF, 0, 0},
        {0x7405a005, A64_CB, IF, 0, 0},
        {0x74e5e005, A64_CB, IF, 0, 0},
        {0xd61f03c0, A64_BR, JUMP, 0, 0},
        {0xd71f0801, A64_BRAA, JUMP | AUTH, 0, 0},
        {0xd61f081f, A64_BRAA, JUMP | AUTH, 0, 0},
        {0xd71f0c01, A64_BRAB, JUMP | AUTH, 0, 0},
        {0xd61f0c1f, A64_BRAB, JUMP | AUTH, 0, 0},
        {0xd63f0000, A64_BLR, CALL, 0, 0},
        {0xd73f0801, A64_BLRAA, CALL | AUTH, 0, 0},
        {0xd63f0c1f, A64_BLRAB, CALL | AUTH, 0, 0},
        {0xd65f03c0, A64_RET, RETURN, 0, 0},
        {0xd65f0000, A64_RET, RETURN, 0, 0},
        {0xd65f0bff, A64_RETAA, RETURN | AUTH, 0, 0},
        {0xd65f0be1, A64_RETAA, RETURN | AUTH, 0, 0},
        {0x5500001f, A64_RETAA, RETURN | AUTH, 0, 0},
        {0xd65f0fff, A64_RETAB, RETURN | AUTH, 0, 0},
        {0x5520001f, A64_RETAB, RETURN | AUTH, 0, 0},
    };
    check_words(words, COUNT(words));
}

static void conditions_that_always_hold_are_not_conditional(void **state)
{
    (void)state;
    static const struct word words[] = {
        {0x5400000e, A64_B_COND, DIRECT, 0, 0},
        {0x5400000f, A64_B_COND, DIRECT, 0, 0},
        {0x5400001e, A64_BC_COND, DIRECT, 0, 0},
        {0x54ffffff, A64_BC_COND, DIRECT, 0, 0},
    };
    check_words(words, COUNT(words));
    assert_int_equal(a64_condition(0x5400001e), 14);
}

static void exceptions_and_returns_from_them_are_not_branches(void **state)
{
    (void)state;
    static const struct word words[] = {
        {0xd4000001, A64_SVC, RAISE, 0, 0},
        {0xd4000002, A64_HVC, RAISE, 0, 0},
        {0xd4000003, A64_SMC, RAISE, 0, 0},
        {0xd4200000, A64_BRK, RAISE, 0, 0},
        {0xd4400000, A64_HLT, RAISE, 0, 0},
        {0xd4a00001, A64_DCPS1, RAISE, 0, 0},
        {0xd4a00002, A64_DCPS2, RAISE, 0, 0},
        {0xd4a00003, A64_DCPS3, RAISE, 0, 0},
        {0xd4600000, A64_TCANCEL, 0, 0, 0},
        {0xd69f03e0, A64_ERET, RAISED, 0, 0},
        {0xd69f0bff, A64_ERETAA, RAISED | AUTH, 0, 0},
        {0xd69f0fff, A64_ERETAB, RAISED | AUTH, 0, 0},
        {0xd6bf03e0, A64_DRPS, 0, 0, 0},
        {0x00000000, A64_UDF, BAD, 0, 0},
        {0x0000ffff, A64_UDF, BAD, 0, 0},
    };
    check_words(words, COUNT(words));
}

static void hints_and_barriers_have_their_classes(void **state)
{
    (void)state;
    static const struct word words[] = {
        {0xd503201f, A64_NOP, HINTED, 0, 0},
        {0xd503205f, A64_WFE, HINTED | WAIT, 0, 0},
        {0xd503207f, A64_WFI, HINTED | WAIT, 0, 0},
        {0xd5031000, A64_WFET, WAIT, 0, 0},
        {0xd5031025, A64_WFIT, WAIT, 0, 0},
        {0xd503233f, A64_PAC, HINTED | AUTH, 0, 0},
        {0xd50323bf, A64_AUT, HINTED | AUTH, 0, 0},
        {0xd50320ff, A64_XPAC, HINTED | AUTH, 0, 0},
        {0xd503241f, A64_BTI, HINTED, 0, 0},
        {0xd50324df, A64_BTI, HINTED, 0, 0},
        {0xd50324ff, A64_HINT, HINTED, 0, 0},
        {0xd50320df, A64_HINT, HINTED, 0, 0},
        {0xd503227f, A64_GCSB, HINTED | FENCE, 0, 0},
        {0xd503251f, A64_CHKFEAT, HINTED, 0, 0},
        {0xd5033fdf, A64_ISB, FENCE, 0, 0},
        {0xd5033bbf, A64_DMB, FENCE, 0, 0},
        {0xd5033f9f, A64_DSB, FENCE, 0, 0},
        {0xd503323f, A64_DSB, FENCE, 0, 0},
        {0xd503309f, A64_SSBB, FENCE, 0, 0},
        {0xd503349f, A64_PSSBB, FENCE, 0, 0},
        {0xd50330ff, A64_SB, FENCE, 0, 0},
        {0xd5033f5f, A64_CLREX, 0, 0, 0},
        {0xd503307f, A64_TCOMMIT, 0, 0, 0},
        {0xd5233060, A64_TSTART, 0, 0, 0},
        {0xd5233160, A64_TTEST, 0, 0, 0},
        {0xdac10020, A64_PAC, AUTH, 0, 0},
        {0xdac133e0, A64_AUT, AUTH, 0, 0},
        {0xdac143e0, A64_XPAC, AUTH, 0, 0},
        {0x9ac23020, A64_PAC, AUTH, 0, 0},
        {0xdac1a3fe, A64_PAC, AUTH, 0, 0},
        {0xf380009f, A64_AUT, AUTH, 0, 0},
    };
    check_words(words, COUNT(words));
}

static void system_operations_are_told_apart(void **state)
{
    (void)state;
    static const uint64_t address = A64_INFO(IS_ADDRESS_OPERATION);
    static const struct word words[] = {
        {0xd51be040, A64_MSR_REG, 0, 0, 0},
        {0xd53be040, A64_MRS, 0, 0, 0},
        {0xd5500000, A64_MSRR, 0, 0, 0},
        {0xd5700002, A64_MRRS, 0, 0, 0},
        {0xd50b7420, A64_DC_ZVA, A64_WRITE, 0, 0},
        {0xd50b7460, A64_DC_GVA, A64_WRITE | TAGS, 0, 0},
        {0xd50b7480, A64_DC_GZVA, A64_WRITE | TAGGED, 0, 0},
        {0xd50b7a20, A64_DC, address, 0, 0},
        {0xd5087e40, A64_DC, 0, 0, 0},
        {0xd508751f, A64_IC, 0, 0, 0},
        {0xd50b7520, A64_IC, address, 0, 0},
        {0xd5087800, A64_AT, address, 0, 0},
        {0xd508871f, A64_TLBI, 0, 0, 0},
        {0xd5088720, A64_TLBI, address, 0, 0},
        {0xd5088620, A64_TLBI_RANGE, address | RANGE, 0, 0},
        {0xd5489720, A64_TLBI, address, 0, 0},
        {0xd50b7380, A64_SYS, 0, 0, 0},
        {0xd52b7560, A64_SYSL, 0, 0, 0},
        {0xd50b7700, A64_GCS, 0, 0, 0},
        {0xd509729f, A64_BRB, 0, 0, 0},
        {0xd500401f, A64_CFINV, 0, 0, 0},
    };
    check_words(words, COUNT(words));
}

static void unallocated_words_near_instructions_are_found(void **state)
{
    (void)state;
    static const uint32_t words[] = {
        0x00010000, 0x02000000, 0x55000000, 0x56000000, 0x74804000, 0xf4008000, 0x75004000,
        0xd61f0001, 0xd69f03c0, 0xd6bf03c0, 0xd65f0800, 0xd4000000, 0xd4000004, 0xd4e00001,
        0xd4a00000, 0xd503305e, 0xd503301f, 0xd500407e, 0xd50040df, 0xd503407f, 0xd5031040,
        0xd5480001, 0xd5500001, 0xd5808000, 0x08210000, 0x0820fc01, 0x68000000, 0x78200400,
        0x38201800, 0xdc000000, 0xb8c00c00, 0xf8800c00, 0xf83fd001, 0xf83fd018, 0xf83ed000,
        0xd9201000, 0x5900c400, 0x1940c800, 0x1923101f, 0x193f1000, 0x0c001000, 0x0c010000,
        0x0c000c00, 0x0d00c000, 0x0d008800, 0x3ca00400, 0x3c201000, 0x99200000, 0x8c000000,
    };
    check_unallocated(words, COUNT(words));
}

static void loads_and_stores_have_direction_and_size(void **state)
{
    (void)state;
    static const struct word words[] = {
        {0xf9400000, A64_LOAD, A64_READ, 1, 3},
        {0xb9800000, A64_LOAD, A64_READ, 1, 2},
        {0x39000000, A64_STORE, A64_WRITE, 1, 0},
        {0x3dc00000, A64_LOAD, A64_READ | A64_SIMD_FP, 1, 4},
        {0x7d000000, A64_STORE, A64_WRITE | A64_SIMD_FP, 1, 1},
        {0xf8408420, A64_LOAD, A64_READ | WB, 1, 3},
        {0x38000c20, A64_STORE, A64_WRITE | WB, 1, 0},
        {0xf8400820, A64_LOAD, A64_READ | A64_EL0, 1, 3},
        {0xf8626820, A64_LOAD, A64_READ, 1, 3},
        {0xf8200c20, A64_LOAD, A64_READ | AUTH | WB, 1, 3},
        {0x58000000, A64_LOAD_LITERAL, A64_READ | A64_INFO(IS_LITERAL), 1, 3},
        {0x9c000000, A64_LOAD_LITERAL, A64_READ | A64_SIMD_FP | A64_INFO(IS_LITERAL), 1, 4},
        {0xd8000000, A64_PREFETCH, A64_BY_ADDRESS | A64_INFO(IS_LITERAL), 0, 0},
        {0xf9800000, A64_PREFETCH, A64_BY_ADDRESS, 0, 0},
        {0xf8a04818, A64_PREFETCH, A64_BY_ADDRESS | RANGE, 0, 0},
        {0xa8c17bfd, A64_LOAD_PAIR, A64_READ | WB, 2, 3},
        {0xa9bf7bfd, A64_STORE_PAIR, A64_WRITE | WB, 2, 3},
        {0x29000000, A64_STORE_PAIR, A64_WRITE, 2, 2},
        {0x69400000, A64_LOAD_PAIR, A64_READ, 2, 2},
        {0xad400000, A64_LOAD_PAIR, A64_READ | A64_SIMD_FP, 2, 4},
        {0xa8400000, A64_LOAD_PAIR, A64_READ, 2, 3},
        {0xe9400000, A64_LOAD_PAIR, A64_READ | A64_EL0, 2, 3},
        {0xed000000, A64_STORE_PAIR, A64_WRITE | A64_SIMD_FP | A64_EL0, 2, 4},
        {0x99000a18, A64_STORE_PAIR, A64_WRITE | A64_RELEASE | WB, 2, 2},
        {0xd9031bfb, A64_STORE_PAIR, A64_WRITE | A64_RELEASE, 2, 3},
        {0x1d800820, A64_STORE_ORDERED, A64_WRITE | A64_RELEASE | A64_SIMD_FP, 1, 4},
        {0xd9400020, A64_LOAD_ORDERED, A64_READ | A64_ACQUIRE, 1, 3},
        {0xf8bfc020, A64_LOAD_ORDERED, A64_READ | A64_ACQUIRE, 1, 3},
        {0xd91f1c01, A64_STORE, A64_WRITE | A64_EL0, 1, 3},
    };
    check_words(words, COUNT(words));
}

static void exclusives_and_atomics_have_direction_order_and_size(void **state)
{
    (void)state;
    static const uint64_t both = A64_ACQUIRE | A64_RELEASE;
    static const struct word words[] = {
        {0xc85f7c20, A64_LOAD_EXCLUSIVE, A64_READ | EXCL, 1, 3},
        {0x085ffc20, A64_LOAD_EXCLUSIVE, A64_READ | EXCL | A64_ACQUIRE, 1, 0},
        {0x8800fc41, A64_STORE_EXCLUSIVE, A64_MAY_WRITE | EXCL | A64_RELEASE, 1, 2},
        {0xc87f0c20, A64_LOAD_EXCLUSIVE, A64_READ | EXCL, 2, 3},
        {0x88200c41, A64_STORE_EXCLUSIVE, A64_MAY_WRITE | EXCL, 2, 2},
        {0xc95f7fe9, A64_LOAD_EXCLUSIVE, A64_READ | EXCL | A64_EL0, 1, 3},
        {0x48dffc20, A64_LOAD_ORDERED, A64_READ | A64_ACQUIRE, 1, 1},
        {0xc89ffc20, A64_STORE_ORDERED, A64_WRITE | A64_RELEASE, 1, 3},
        {0xc8e0fc41, A64_CAS, A64_MAY_UPDATE | both, 1, 3},
        {0x48207c82, A64_CASP, A64_MAY_UPDATE, 2, 3},
        {0x49c0fc82, A64_CASP, A64_MAY_UPDATE | both | A64_EL0, 2, 3},
        {0xf8e10002, A64_ATOMIC_RMW, A64_UPDATE | both, 1, 3},
        {0x3861001f, A64_ATOMIC_RMW, A64_UPDATE | A64_RELEASE, 1, 0},
        {0xb8a1001f, A64_ATOMIC_RMW, A64_UPDATE, 1, 2},
        {0x78a18002, A64_ATOMIC_RMW, A64_UPDATE | A64_ACQUIRE, 1, 1},
        {0x192784bf, A64_ATOMIC_RMW, A64_UPDATE | A64_EL0, 1, 2},
        {0x19e21161, A64_ATOMIC_RMW, A64_UPDATE | both, 2, 3},
        {0x3c200041, A64_ATOMIC_RMW, A64_UPDATE | A64_SIMD_FP, 1, 1},
        {0xf83fd000, A64_LOAD_64B, A64_READ, 1, 6},
        {0xf83f9000, A64_STORE_64B, A64_WRITE, 1, 6},
        {0xf820b000, A64_STORE_64B, A64_MAY_WRITE, 1, 6},
        {0x19200820, A64_RCW, A64_MAY_UPDATE, 1, 3},
        {0x59200c20, A64_RCW, A64_MAY_UPDATE, 2, 3},
    };
    check_words(words, COUNT(words));
}

static void tags_ranges_and_vectors_have_direction_and_size(void **state)
{
    (void)state;
    static const uint64_t simd_read = A64_READ | A64_SIMD_FP;
    static const uint64_t simd_write = A64_WRITE | A64_SIMD_FP;
    static const uint64_t sve = A64_INFO(IS_SVE);
    static const uint64_t sme = A64_INFO(IS_SME);
    static const struct word words[] = {
        {0xd9600020, A64_TAG_LOAD, A64_READ | TAGS, 1, 4},
        {0xd9200820, A64_TAG_STORE, A64_WRITE | TAGS, 1, 4},
        {0xd9a00420, A64_TAG_STORE, A64_WRITE | TAGS | WB, 2, 4},
        {0xd9600c20, A64_TAG_DATA_STORE, A64_WRITE | TAGGED | WB, 1, 4},
        {0xd9a00020, A64_TAG_STORE, A64_WRITE | TAGS, 0, 0},
        {0xd9e00020, A64_TAG_LOAD, A64_READ | TAGS, 0, 0},
        {0xd9200020, A64_TAG_DATA_STORE, A64_WRITE | TAGGED, 0, 0},
        {0x69000000, A64_TAG_DATA_STORE, A64_WRITE | TAGGED, 2, 3},
        {0x19000440, A64_CPYFP, A64_READ | A64_WRITE | RANGE | WB, 0, 0},
        {0x1d800440, A64_CPYE, A64_READ | A64_WRITE | RANGE | WB, 0, 0},
        {0x19c04440, A64_SETM, A64_WRITE | RANGE | WB, 0, 0},
        {0x1dc00440, A64_SETGP, A64_WRITE | RANGE | WB | TAGGED, 0, 0},
        {0x4cdf2000, A64_LOAD_STRUCTURE, simd_read | WB, 4, 4},
        {0x0c004000, A64_STORE_STRUCTURE, simd_write, 3, 3},
        {0x0d40c000, A64_LOAD_STRUCTURE, simd_read, 1, 0},
        {0x4d60ec00, A64_LOAD_STRUCTURE, simd_read, 4, 3},
        {0x0d008400, A64_STORE_STRUCTURE, simd_write, 1, 3},
        {0x0d418400, A64_LOAD_STRUCTURE, simd_read | A64_ACQUIRE, 1, 3},
        {0x04200000, A64_SVE, sve, 0, 0},
        {0x80800000, A64_SME, sme, 0, 0},
        {0x8b000000, A64_OTHER, 0, 0, 0},
    };
    check_words(words, COUNT(words));
}

static void direct_targets_are_pc_plus_the_immediate(void **state)
{
    (void)state;
    assert_int_equal(a64_direct_target(0x14000001, 0x1000), 0x1004);
    assert_int_equal(a64_direct_target(0x17ffffff, 0x1000), 0xffc);
    assert_int_equal(a64_direct_target(0x95ffffff, 0x1000), 0x1000 + 0x7fffffc);
    assert_int_equal(a64_direct_target(0x96000000, 0x10000000), 0x8000000);
    assert_int_equal(a64_direct_target(0x54000040, 0x1000), 0x1008);
    assert_int_equal(a64_direct_target(0x54800010, 0x200000), 0x100000);
    assert_int_equal(a64_direct_target(0x347fffe3, 0), 0xffffc);
    assert_int_equal(a64_direct_target(0xb5ffffe3, 0x1000), 0xffc);
    assert_int_equal(a64_direct_target(0x3603ffe0, 0), 0x7ffc);
    assert_int_equal(a64_direct_target(0xb7fc0000, 0x8000), 0);
    assert_int_equal(a64_direct_target(0x74052005, 0x1000), 0xc00);
    assert_int_equal(a64_direct_target(0xf5cf1fe5, 0x1000), 0x13fc);
    assert_true(a64_direct_target(0x17ffffff, 0) == UINT64_MAX - 3);
    assert_true(a64_direct_target(0x14000001, UINT64_MAX - 3) == 0);
}

static void other_words_have_their_own_address_as_target(void **state)
{
    (void)state;
    assert_int_equal(a64_direct_target(0xd65f03c0, 0x1000), 0x1000);
    assert_int_equal(a64_direct_target(0x5500003f, 0x1000), 0x1000);
    assert_int_equal(a64_literal_address(0xf9400000, 0x1000), 0x1000);
}

static void literal_addresses_are_pc_plus_the_immediate(void **state)
{
    (void)state;
    assert_int_equal(a64_literal_address(0x58000020, 0x1000), 0x1004);
    assert_int_equal(a64_literal_address(0x98ffffe0, 0x1000), 0xffc);
    assert_int_equal(a64_literal_address(0x9c7fffe0, 0), 0xffffc);
    assert_int_equal(a64_literal_address(0xd8800000, 0x100000), 0);
}

static void immediates_are_the_bits_of_the_word(void **state)
{
    (void)state;
    assert_int_equal(a64_immediate16(0xd4000001), 0);
    assert_int_equal(a64_immediate16(0xd41fffe1), 0xffff);
    assert_int_equal(a64_immediate16(0xd4224680), 0x1234);
    assert_int_equal(a64_udf_immediate(0x0000abcd), 0xabcd);
    assert_int_equal(a64_system_register(0xd53be040), 0xdf02);
}

static void immediate_writes_of_pstate_name_their_field(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        uint8_t class_id, field, immediate;
    } words[] = {
        {0xd50041bf, A64_MSR_IMM, A64_PSTATE_SPSEL, 1},
        {0xd50342df, A64_MSR_IMM, A64_PSTATE_DAIFSET, 2},
        {0xd5034fff, A64_MSR_IMM, A64_PSTATE_DAIFCLR, 15},
        {0xd500409f, A64_MSR_IMM, A64_PSTATE_PAN, 0},
        {0xd500417f, A64_MSR_IMM, A64_PSTATE_UAO, 1},
        {0xd503413f, A64_MSR_IMM, A64_PSTATE_SSBS, 1},
        {0xd503405f, A64_MSR_IMM, A64_PSTATE_DIT, 0},
        {0xd503419f, A64_MSR_IMM, A64_PSTATE_TCO, 1},
        {0xd501411f, A64_MSR_IMM, A64_PSTATE_ALLINT, 1},
        {0xd501431f, A64_MSR_IMM, A64_PSTATE_PM, 3},
        {0xd503437f, A64_SMSTART, A64_PSTATE_SVCR_SM, 3},
        {0xd503447f, A64_SMSTOP, A64_PSTATE_SVCR_ZA, 4},
        {0xd503477f, A64_SMSTART, A64_PSTATE_SVCR_SMZA, 7},
        {0xd500401f, A64_CFINV, A64_PSTATE_NONE, 0},
        {0xd51b4220, A64_MSR_REG, A64_PSTATE_NONE, 2},
    };
    for (size_t i = 0; i < COUNT(words); i++) {
        const uint64_t info = a64_classify(words[i].word);
        assert_int_equal(a64_info_class(info), words[i].class_id);
        assert_int_equal(a64_info_pstate_field(info), words[i].field);
        assert_int_equal(a64_pstate_immediate(words[i].word), words[i].immediate);
    }
    assert_string_equal(a64_pstate_field_name(A64_PSTATE_DAIFSET), "daifset");
    assert_string_equal(a64_pstate_field_name(A64_PSTATE_COUNT), "unknown");
}

static void fields_of_a_classification_do_not_overlap(void **state)
{
    (void)state;
    uint64_t seen = 0;
#define X(id, name, low, width, text)                                                              \
    {                                                                                              \
        const uint64_t mask = ((UINT64_C(1) << (width)) - 1) << (low);                             \
        assert_true((low) + (width) <= 64 && (seen & mask) == 0);                                  \
        seen |= mask;                                                                              \
    }
    A64_INFO_FIELDS(X)
#undef X
}

static void class_names_are_unique_and_known(void **state)
{
    (void)state;
    assert_true(A64_CLASS_COUNT <= 256);
    for (unsigned a = 0; a < A64_CLASS_COUNT; a++) {
        assert_true(a64_class_text(a)[0] != '\0');
        for (unsigned b = 0; b < a; b++) {
            assert_string_not_equal(a64_class_name(a), a64_class_name(b));
        }
    }
    assert_string_equal(a64_class_name(A64_B_COND), "b_cond");
    assert_string_equal(a64_class_name(A64_CLASS_COUNT), "unknown");
    assert_string_equal(a64_class_text(A64_CLASS_COUNT), "no class");
}

static uint32_t random_word(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 32);
}

static void a_cache_gives_what_classification_gives(void **state)
{
    (void)state;
    struct a64_cache *cache = malloc(sizeof *cache);
    assert_non_null(cache);
    a64_cache_init(cache);
    uint64_t seed = 1;
    for (unsigned i = 0; i < 200000; i++) {
        const uint32_t word = i % 3 == 0 ? i % 7 : random_word(&seed);
        assert_true(a64_cache_classify(cache, word) == a64_classify(word));
        assert_true(a64_cache_classify(cache, word) == a64_classify(word));
    }
    free(cache);
}

static void every_table_ends_and_leads_only_forward(void **state)
{
    (void)state;
    for (unsigned id = 0; id < A64_TABLE_COUNT; id++) {
        const struct a64_table *table = a64_table((enum a64_table_id)id);
        assert_true(table->count > 0);
        assert_int_equal(table->rows[table->count - 1].mask, 0);
        for (size_t i = 0; i < table->count; i++) {
            const struct a64_row *row = &table->rows[i];
            assert_int_equal(row->value & ~row->mask, 0);
            assert_true(row->next == 0 || (row->next > id && row->next < A64_TABLE_COUNT));
        }
    }
}

static void what_a_row_adds_to_a_table_is_not_added_to_unallocated_words(void **state)
{
    (void)state;
    for (unsigned id = 0; id < A64_TABLE_COUNT; id++) {
        const struct a64_table *table = a64_table((enum a64_table_id)id);
        for (size_t i = 0; i < table->count; i++) {
            if (table->rows[i].next == 0 || table->rows[i].info == 0) {
                continue;
            }
            const struct a64_table *next = a64_table((enum a64_table_id)table->rows[i].next);
            for (size_t n = 0; n < next->count; n++) {
                assert_int_equal(a64_info_is_undefined(next->rows[n].info), 0);
                assert_int_equal(next->rows[n].next, 0);
            }
        }
    }
}

/* The rows that words select, by table. */
static void mark(bool hit[A64_TABLE_COUNT][64], uint32_t word)
{
    unsigned id = a64_first_table(word);
    for (;;) {
        const struct a64_table *table = a64_table((enum a64_table_id)id);
        size_t i = 0;
        while ((word & table->rows[i].mask) != table->rows[i].value) {
            i++;
        }
        hit[id][i] = true;
        if (table->rows[i].next == 0) {
            return;
        }
        id = table->rows[i].next;
    }
}

/* Random words that have the bits of `value` under `mask`, as the rows on the way here ask, and
 * those of each row of the table in turn. Tables lead only forward, so this ends. */
static void mark_rows(bool hit[A64_TABLE_COUNT][64], unsigned id, uint32_t mask, uint32_t value,
                      uint64_t *seed)
{
    const struct a64_table *table = a64_table((enum a64_table_id)id);
    assert_true(table->count <= 64);
    for (size_t i = 0; i < table->count; i++) {
        const struct a64_row *row = &table->rows[i];
        if (((row->value ^ value) & row->mask & mask) != 0) {
            continue;
        }
        const uint32_t both = row->mask | mask;
        const uint32_t bits = row->value | value;
        for (unsigned n = 0; n < 40; n++) {
            mark(hit, (random_word(seed) & ~both) | bits);
        }
        if (row->next != 0) {
            mark_rows(hit, row->next, both, bits, seed);
        }
    }
}

/* The last row of a table matches what the others leave, which may be nothing. */
static void no_row_is_hidden_by_the_rows_before_it(void **state)
{
    (void)state;
    static bool hit[A64_TABLE_COUNT][64];
    uint64_t seed = 2;
    for (uint32_t top = 0; top < 256; top++) {
        mark_rows(hit, a64_first_table(top << 24), 0xff000000, top << 24, &seed);
    }
    for (unsigned id = 0; id < A64_TABLE_COUNT; id++) {
        for (size_t i = 0; i + 1 < a64_table((enum a64_table_id)id)->count; i++) {
            if (!hit[id][i]) {
                print_error("row %zu of table %u is never taken\n", i, id);
            }
            assert_true(hit[id][i]);
        }
    }
}

static void every_class_has_a_row(void **state)
{
    (void)state;
    bool seen[A64_CLASS_COUNT] = {false};
    for (unsigned id = 0; id < A64_TABLE_COUNT; id++) {
        const struct a64_table *table = a64_table((enum a64_table_id)id);
        for (size_t i = 0; i < table->count; i++) {
            if (table->rows[i].next == 0) {
                seen[a64_info_class(table->rows[i].info)] = true;
            }
        }
    }
    for (unsigned id = 0; id < A64_CLASS_COUNT; id++) {
        assert_true(seen[id]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_are_told_apart_by_kind),
        cmocka_unit_test(conditions_that_always_hold_are_not_conditional),
        cmocka_unit_test(exceptions_and_returns_from_them_are_not_branches),
        cmocka_unit_test(hints_and_barriers_have_their_classes),
        cmocka_unit_test(system_operations_are_told_apart),
        cmocka_unit_test(unallocated_words_near_instructions_are_found),
        cmocka_unit_test(loads_and_stores_have_direction_and_size),
        cmocka_unit_test(exclusives_and_atomics_have_direction_order_and_size),
        cmocka_unit_test(tags_ranges_and_vectors_have_direction_and_size),
        cmocka_unit_test(direct_targets_are_pc_plus_the_immediate),
        cmocka_unit_test(other_words_have_their_own_address_as_target),
        cmocka_unit_test(literal_addresses_are_pc_plus_the_immediate),
        cmocka_unit_test(immediates_are_the_bits_of_the_word),
        cmocka_unit_test(immediate_writes_of_pstate_name_their_field),
        cmocka_unit_test(fields_of_a_classification_do_not_overlap),
        cmocka_unit_test(class_names_are_unique_and_known),
        cmocka_unit_test(a_cache_gives_what_classification_gives),
        cmocka_unit_test(every_table_ends_and_leads_only_forward),
        cmocka_unit_test(what_a_row_adds_to_a_table_is_not_added_to_unallocated_words),
        cmocka_unit_test(no_row_is_hidden_by_the_rows_before_it),
        cmocka_unit_test(every_class_has_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
