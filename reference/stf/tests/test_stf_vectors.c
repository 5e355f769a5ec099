/* Register groups of vector instructions: how many registers an operand takes by vl, vtype and
 * VLEN, and of which words. */
#include "stf/tests/stf_support.h"

#include <stdio.h>

enum { RV64 = 2, FEATURES = 0xc2024, VLEN = 128, VECTOR = 3, CSR = 4 };
enum { STATE = 1, SOURCE = 2, DESTINATION = 3 };
enum { VSTART = 0x008, VL = 0xc20, VTYPE = 0xc21 };
enum { VV, FVV, MVV, VI, VX, FVF, MVX }; /* funct3 */

/* A trace with VLEN whose vector state is given, ready for an instruction. */
static struct trace begin_vectors(uint64_t vl, uint64_t vtype)
{
    struct trace trace = begin(6);
    PUT(&trace, isa, {"isa", 1});
    PUT(&trace, inst_iem, {"encoding_mode", RV64});
    PUT(&trace, trace_info_feature, {"features", FEATURES});
    PUT(&trace, force_pc, {"pc", 0x1000});
    PUT(&trace, vlen_config, {"vlen", VLEN});
    PUT(&trace, end_header, {0});
    PUT(&trace, inst_reg, {"number", VSTART}, {"type", CSR}, {"operand", STATE}, {"value", 0});
    PUT(&trace, inst_reg, {"number", VL}, {"type", CSR}, {"operand", STATE}, {"value", vl});
    PUT(&trace, inst_reg, {"number", VTYPE}, {"type", CSR}, {"operand", STATE}, {"value", vtype});
    return trace;
}

static void put_vector(struct trace *trace, unsigned number, unsigned operand)
{
    PUT(trace, inst_reg, {"number", number}, {"type", VECTOR}, {"operand", operand}, {"value", 1});
    put_number(trace, 2);
}

/* vd is v8, vs2 is v16 and vs1 is v24; vm is 1. */
static uint32_t arithmetic(unsigned funct6, unsigned funct3)
{
    return funct6 << 26 | 1u << 25 | 16u << 20 | 24u << 15 | funct3 << 12 | 8u << 7 | 0x57;
}

/* What is said of a word before which v8 is recorded as destination and v16 as source. */
static void assert_missing(uint64_t vl, uint64_t vtype, uint32_t word, bool grouped,
                           unsigned missing)
{
    struct trace trace = begin_vectors(vl, vtype);
    put_vector(&trace, 16, SOURCE);
    put_vector(&trace, 8, DESTINATION);
    PUT(&trace, inst_32, {"encoding", word});
    struct decoded all = decode_all(&trace);
    const struct seen *instruction = &all.list[all.count - 2];
    assert_true(all.complete);
    if (value_of(instruction, "vectors_grouped") != grouped ||
        value_of(instruction, "vectors_missing") != missing) {
        fail_msg("0x%x, vl %llu, vtype 0x%llx: %llu missing, not %u", word, (unsigned long long)vl,
                 (unsigned long long)vtype,
                 (unsigned long long)value_of(instruction, "vectors_missing"), missing);
    }
    free(all.list);
    free(trace.data);
}

/* LMUL in eighths by its code in vtype; 0 is reserved. */
static const unsigned lmuls[8] = {8, 16, 32, 64, 0, 1, 2, 4};

/* The registers that elements take, counted one by one. */
static unsigned taken(uint64_t vl, unsigned bits)
{
    unsigned registers = 0;
    for (uint64_t element = 0; element < vl; element++) {
        registers = (unsigned)(element * bits / VLEN) + 1;
    }
    return registers;
}

static void an_operand_has_the_registers_that_elements_below_vl_take(void **state)
{
    (void)state;
    for (unsigned vtype = 0; vtype < 64; vtype++) {
        const unsigned bits = 8u << (vtype >> 3);
        const uint64_t most = (uint64_t)VLEN * lmuls[vtype & 7] / 8 / bits;
        for (uint64_t vl = 0; vl <= 130; vl += vl < 36 ? 1 : 31) {
            const bool known = bits <= 64 && vl <= most;
            const unsigned each = known ? taken(vl, bits) : 0;
            assert_missing(vl, vtype | 0xc0, arithmetic(0, VV), each > 1,
                           each > 1 ? 2 * (each - 1) : 0);
        }
    }
}

/* A load, of which v8 alone is recorded, with SEW of 32 bits: `width` as in the word, fields of a
 * segment. */
static void loads_have_registers_by_the_size_of_their_elements(void **state)
{
    (void)state;
    static const unsigned widths[4] = {0, 5, 6, 7}; /* 8 to 64 bits */
    for (unsigned lmul = 0; lmul < 8; lmul++) {
        for (unsigned width = 0; width < 4; width++) {
            for (unsigned fields = 1; fields <= 8; fields++) {
                const uint64_t vl = (uint64_t)VLEN * lmuls[lmul] / 8 / 32;
                const unsigned eighths = lmuls[lmul] * (1u << width) / 4;
                const unsigned each = eighths > 8 ? eighths / 8 : 1;
                const bool known = vl > 0 && eighths > 0 && each * fields <= 8;
                const unsigned used = known ? taken(vl, 8u << width) * fields : 1;
                const uint32_t word =
                    (fields - 1) << 29 | 1u << 25 | widths[width] << 12 | 8u << 7 | 0x07;
                assert_missing(vl, 2u << 3 | lmul, word, used > 1, used > 1 ? used - 1 : 0);
            }
        }
    }
}

static bool is_in(const char *list, unsigned funct6)
{
    char number[8];
    snprintf(number, sizeof number, " %u ", funct6);
    return strstr(list, number) != NULL;
}

/* By the tables of OP-V: operands of SEW alone, element by element. */
static void arithmetic_of_one_size_of_elements_has_groups(void **state)
{
    (void)state;
    static const char integer[] =
        " 0 1 2 3 4 5 6 7 9 10 11 20 21 23 32 33 34 35 37 39 40 41 42 43 ";
    static const char multiply[] = " 8 9 10 11 12 13 32 33 34 35 36 37 38 39 41 43 45 47 ";
    static const char floating[] = " 0 2 4 6 8 9 10 32 33 36 39 40 41 42 43 44 45 46 47 ";
    static const char *const lists[] = {
        [VV] = integer, [FVV] = floating, [MVV] = multiply, [VI] = integer,
        [VX] = integer, [FVF] = floating, [MVX] = multiply};
    for (unsigned form = VV; form <= MVX; form++) {
        for (unsigned funct6 = 0; funct6 < 64; funct6++) {
            const bool uniform = is_in(lists[form], funct6) || (form == FVV && funct6 == 19) ||
                                 (form == FVF && funct6 == 23);
            const bool moves = funct6 == 23; /* VMV.V.*, which has no vs2 */
            if (form == VI && funct6 == 39) {
                continue; /* moves of whole registers */
            }
            assert_missing(16, 0xd2, arithmetic(funct6, form), uniform,
                           !uniform ? 0
                           : moves  ? 3
                                    : 6);
        }
    }
}

static void what_takes_no_place_is_not_judged(void **state)
{
    (void)state;
    const uint32_t word = arithmetic(0, VV);
    assert_missing(16, 0xd2, word, true, 6);
    assert_missing(16, 0xd2, word & ~(1u << 25), false, 0); /* masked */
    assert_missing(16, 0x1d2, word, false, 0);              /* a reserved bit of vtype */
    assert_missing(17, 0xd2, word, false, 0);               /* more than VLMAX */
    assert_missing(16, 0xd2, 0x00800413, false, 0);         /* no vector instruction */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operand_has_the_registers_that_elements_below_vl_take),
        cmocka_unit_test(loads_have_registers_by_the_size_of_their_elements),
        cmocka_unit_test(arithmetic_of_one_size_of_elements_has_groups),
        cmocka_unit_test(what_takes_no_place_is_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
