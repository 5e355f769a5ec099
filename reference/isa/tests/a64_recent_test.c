/* Features that the assemblers and disassemblers of a64_oracle_test.c are too old for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isa/a64.h"
#include "isa/a64_table.h"
#include "isa/tests/a64_words.h"

#define SIMD_READ  (A64_READ | A64_SIMD_FP)
#define SIMD_WRITE (A64_WRITE | A64_SIMD_FP)

static void unprivileged_accesses_are_marked(void **state)
{
    (void)state;
    static const uint64_t both = A64_ACQUIRE | A64_RELEASE;
    static const struct word words[] = {
        {0x895ffd6a, A64_LOAD_EXCLUSIVE, A64_READ | EXCL | A64_EL0 | A64_ACQUIRE, 1, 2},
        {0x89007c41, A64_STORE_EXCLUSIVE, A64_MAY_WRITE | EXCL | A64_EL0, 1, 2},
        {0xc905fce6, A64_STORE_EXCLUSIVE, A64_MAY_WRITE | EXCL | A64_EL0 | A64_RELEASE, 1, 3},
        {0xc9807c41, A64_CAS, A64_MAY_UPDATE | A64_EL0, 1, 3},
        {0x49807c82, A64_CASP, A64_MAY_UPDATE | A64_EL0, 2, 3},
        {0x59e21441, A64_ATOMIC_RMW, A64_UPDATE | A64_EL0 | both, 1, 3},
        {0x1962345f, A64_ATOMIC_RMW, A64_UPDATE | A64_EL0 | A64_RELEASE, 1, 2},
        {0xed400000, A64_LOAD_PAIR, SIMD_READ | A64_EL0, 2, 4},
        {0xecc00000, A64_LOAD_PAIR, SIMD_READ | A64_EL0 | WB, 2, 4},
        {0xe8000000, A64_STORE_PAIR, A64_WRITE | A64_EL0, 2, 3},
        {0xe9800000, A64_STORE_PAIR, A64_WRITE | A64_EL0 | WB, 2, 3},
        {0xe8400000, A64_LOAD_PAIR, A64_READ | A64_EL0, 2, 3},
    };
    static const uint32_t none[] = {0x09007c41, 0x09807c41, 0x09807c82, 0x89807c41,
                                    0x49817c82, 0x49807c83, 0x19222441, 0x19229441};
    check_words(words, COUNT(words));
    check_unallocated(none, COUNT(none));
}

static void read_check_write_operations_may_write(void **state)
{
    (void)state;
    static const uint64_t both = A64_ACQUIRE | A64_RELEASE;
    static const struct word words[] = {
        {0x38209020, A64_RCW, A64_MAY_UPDATE, 1, 3},
        {0x38e0a020, A64_RCW, A64_MAY_UPDATE | both, 1, 3},
        {0x7820b020, A64_RCW, A64_MAY_UPDATE, 1, 3},
        {0x19219020, A64_RCW, A64_MAY_UPDATE, 2, 3},
        {0x5921a020, A64_RCW, A64_MAY_UPDATE, 2, 3},
        {0x1961b020, A64_RCW, A64_MAY_UPDATE | A64_RELEASE, 2, 3},
        {0x59e00820, A64_RCW, A64_MAY_UPDATE | both, 1, 3},
        {0x19a00c20, A64_RCW, A64_MAY_UPDATE | A64_ACQUIRE, 2, 3},
    };
    static const uint32_t none[] = {0xb8209020, 0xb820a020, 0x19210c20, 0x19200c21, 0x1921903f};
    check_words(words, COUNT(words));
    check_unallocated(none, COUNT(none));
}

static void wide_and_floating_point_atomics_have_their_size(void **state)
{
    (void)state;
    static const uint64_t simd = A64_UPDATE | A64_SIMD_FP;
    static const struct word words[] = {
        {0x19211022, A64_ATOMIC_RMW, A64_UPDATE, 2, 3},
        {0x19a23161, A64_ATOMIC_RMW, A64_UPDATE | A64_ACQUIRE, 2, 3},
        {0x19208020, A64_ATOMIC_RMW, A64_UPDATE, 2, 3},
        {0x3c607041, A64_ATOMIC_RMW, simd | A64_RELEASE, 1, 1},
        {0x7c204041, A64_ATOMIC_RMW, simd, 1, 1},
        {0xbca00041, A64_ATOMIC_RMW, simd | A64_ACQUIRE, 1, 2},
        {0x3c60801f, A64_ATOMIC_RMW, simd | A64_RELEASE, 1, 1},
        {0xfc20d01f, A64_ATOMIC_RMW, simd, 1, 3},
    };
    static const uint32_t none[] = {0x59221161, 0x59208020, 0x193f8020, 0x1920803f,
                                    0x3c202000, 0x7c203000, 0xfca0801f, 0xfc208001};
    check_words(words, COUNT(words));
    check_unallocated(none, COUNT(none));
}

static void ordered_pairs_and_vectors_have_order_and_size(void **state)
{
    (void)state;
    static const struct word words[] = {
        {0x99400a18, A64_LOAD_PAIR, A64_READ | A64_ACQUIRE | WB, 2, 2},
        {0xd9401a18, A64_LOAD_PAIR, A64_READ | A64_ACQUIRE, 2, 3},
        {0xd9015820, A64_STORE_PAIR, A64_WRITE | A64_RELEASE, 2, 3},
        {0xd9415820, A64_LOAD_PAIR, A64_READ | A64_ACQUIRE, 2, 3},
        {0xd9417820, A64_LOAD_PAIR, A64_READ | A64_ACQUIRE, 2, 3},
        {0x99800820, A64_STORE_ORDERED, A64_WRITE | A64_RELEASE | WB, 1, 2},
        {0xd9c00820, A64_LOAD_ORDERED, A64_READ | A64_ACQUIRE | WB, 1, 3},
        {0x1d400820, A64_LOAD_ORDERED, SIMD_READ | A64_ACQUIRE, 1, 0},
        {0xdd400820, A64_LOAD_ORDERED, SIMD_READ | A64_ACQUIRE, 1, 3},
        {0x5d000820, A64_STORE_ORDERED, SIMD_WRITE | A64_RELEASE, 1, 1},
        {0x1dc00820, A64_LOAD_ORDERED, SIMD_READ | A64_ACQUIRE, 1, 4},
        {0x4d018400, A64_STORE_STRUCTURE, SIMD_WRITE | A64_RELEASE, 1, 3},
    };
    static const uint32_t none[] = {0xd9416820, 0xd9017820, 0xd9014820, 0x99415820, 0x99022820,
                                    0x19800820, 0x99801820, 0x5d800820, 0x0d028400, 0x0d218400};
    check_words(words, COUNT(words));
    check_unallocated(none, COUNT(none));
}

static void recent_system_operations_are_told_apart(void **state)
{
    (void)state;
    static const uint64_t address = A64_INFO(IS_ADDRESS_OPERATION);
    static const struct word words[] = {
        {0xd50c7e00, A64_DC, address, 0, 0},
        {0xd50c7ee0, A64_DC, address, 0, 0},
        {0xd50e7e20, A64_DC, address, 0, 0},
        {0xd5087fa0, A64_DC, address, 0, 0},
        {0xd50b7be0, A64_DC, address, 0, 0},
        {0xd5087940, A64_AT, address, 0, 0},
        {0xd50c7940, A64_AT, address, 0, 0},
        {0xd50e7940, A64_AT, address, 0, 0},
        {0xd50c825f, A64_TLBI, 0, 0, 0},
        {0xd50c955f, A64_TLBI, 0, 0, 0},
        {0xd548863e, A64_TLBI_RANGE, address | RANGE, 0, 0},
        {0xd548871f, A64_SYSP, 0, 0, 0},
        {0xd5480000, A64_SYSP, 0, 0, 0},
        {0xd50877df, A64_GCS, 0, 0, 0},
        {0xd508779f, A64_GCS, 0, 0, 0},
        {0xd50b7740, A64_GCS, 0, 0, 0},
        {0xd52b7720, A64_GCS, 0, 0, 0},
        {0xd91f0c01, A64_STORE, A64_WRITE, 1, 3},
        {0xdac183fe, A64_PAC, AUTH, 0, 0},
        {0xdac1903e, A64_AUT, AUTH, 0, 0},
    };
    static const uint32_t none[] = {0xd5488721, 0xd5680000, 0xd91f2c01, 0xd91e0c01,
                                    0x74800000, 0x75a00000, 0xf4800000, 0xf5a00000};
    check_words(words, COUNT(words));
    check_unallocated(none, COUNT(none));
}

/* FEAT_TEV and FEAT_S1POE2 of Armv9.7. */
static void instructions_of_thread_contexts_are_known(void **state)
{
    (void)state;
    static const struct word words[] = {
        {0xd4e00000, A64_TENTER, 0, 0, 0}, {0xd4e20fe0, A64_TENTER, 0, 0, 0},
        {0xd6ff03e0, A64_TEXIT, 0, 0, 0},  {0xd6ff07e0, A64_TEXIT, 0, 0, 0},
        {0xd5820041, A64_OTHER, 0, 0, 0},  {0xd5960fe1, A64_OTHER, 0, 0, 0},
    };
    static const uint32_t none[] = {0xd4e01000, 0xd4e40000, 0xd6ff00e0, 0xd6ff03e1,
                                    0xd5880041, 0xd5801000, 0xd5991000};
    check_words(words, COUNT(words));
    check_unallocated(none, COUNT(none));
}

static void pairs_of_odd_registers_are_undefined(void **state)
{
    (void)state;
    static const uint32_t none[] = {0x08217c82, 0x08207c83, 0x48617c82, 0x4860fc83};
    check_unallocated(none, COUNT(none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unprivileged_accesses_are_marked),
        cmocka_unit_test(read_check_write_operations_may_write),
        cmocka_unit_test(wide_and_floating_point_atomics_have_their_size),
        cmocka_unit_test(ordered_pairs_and_vectors_have_order_and_size),
        cmocka_unit_test(recent_system_operations_are_told_apart),
        cmocka_unit_test(instructions_of_thread_contexts_are_known),
        cmocka_unit_test(pairs_of_odd_registers_are_undefined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
