#include "isa/rv_compute.h"

#include <stddef.h>

/* --- operations --- */

/* A value without the sign that is above its width. */
static uint64_t zero_extend(uint64_t value, unsigned width)
{
    return width == 64 ? value : value & ((UINT64_C(1) << width) - 1);
}

static bool is_negative(uint64_t value)
{
    return value >> 63 != 0;
}

static uint64_t arithmetic_shift(uint64_t value, unsigned count)
{
    const uint64_t above = is_negative(value) ? ~(~UINT64_C(0) >> count) : 0;
    return value >> count | above;
}

#define OPERATION(name, value)                                                                     \
    static uint64_t name(uint64_t a, uint64_t b, unsigned width)                                   \
    {                                                                                              \
        (void)a, (void)b, (void)width;                                                             \
        return value;                                                                              \
    }

/* "Integer Computational Instructions" */
OPERATION(add, a + b)
OPERATION(subtract, a - b)
OPERATION(bits_and, (a & b))
OPERATION(bits_or, a | b)
OPERATION(bits_xor, a ^ b)
OPERATION(less, (a < b) != (is_negative(a) != is_negative(b)))
OPERATION(less_unsigned, a < b)
OPERATION(shift_left, a << (b & (width - 1)))
OPERATION(shift_right, zero_extend(a, width) >> (b & (width - 1)))
OPERATION(shift_right_signed, arithmetic_shift(a, (unsigned)b &(width - 1)))

/* "Zicond" */
OPERATION(zero_if_zero, b == 0 ? 0 : a)
OPERATION(zero_if_not_zero, b != 0 ? 0 : a)

/* "Zba" */
OPERATION(shift_1_add, (a << 1) + b)
OPERATION(shift_2_add, (a << 2) + b)
OPERATION(shift_3_add, (a << 3) + b)

/* "Zbb" */
OPERATION(and_not, a & ~b)
OPERATION(or_not, a | ~b)
OPERATION(xor_not, ~(a ^ b))
OPERATION(least, less(a, b, width) != 0 ? a : b)
OPERATION(least_unsigned, a < b ? a : b)
OPERATION(greatest, less(a, b, width) != 0 ? b : a)
OPERATION(greatest_unsigned, a < b ? b : a)
OPERATION(extend_byte, rv_sign_extend(a, 8))
OPERATION(extend_half, rv_sign_extend(a, 16))
OPERATION(zero_extend_half, zero_extend(a, 16))
OPERATION(count_ones, (uint64_t)__builtin_popcountll(zero_extend(a, width)))
OPERATION(trailing_zeros, zero_extend(a, width) == 0 ? width : (uint64_t)__builtin_ctzll(a))
OPERATION(leading_zeros, zero_extend(a, width) == 0
                             ? width
                             : (uint64_t)__builtin_clzll(zero_extend(a, width)) - (64 - width))

static uint64_t rotate_right(uint64_t a, uint64_t b, unsigned width)
{
    const unsigned count = (unsigned)b & (width - 1);
    const uint64_t value = zero_extend(a, width);
    return count == 0 ? value : value >> count | value << (width - count);
}
OPERATION(rotate_left, rotate_right(a, 0 - b, width))

static uint64_t reverse_bytes(uint64_t a, uint64_t b, unsigned width)
{
    (void)b;
    return __builtin_bswap64(a) >> (64 - width);
}

/* Each byte becomes 0 or all ones. */
static uint64_t or_combine_bytes(uint64_t a, uint64_t b, unsigned width)
{
    uint64_t result = 0;
    (void)b;
    for (unsigned at = 0; at < width; at += 8) {
        result |= (a >> at & 0xff) != 0 ? UINT64_C(0xff) << at : 0;
    }
    return result;
}

/* "Zbs" */
OPERATION(one_bit, UINT64_C(1) << (b & (width - 1)))
OPERATION(bit_clear, a & ~one_bit(a, b, width))
OPERATION(bit_set, a | one_bit(a, b, width))
OPERATION(bit_invert, a ^ one_bit(a, b, width))
OPERATION(bit_extract, a >> (b & (width - 1)) & 1)

/* "Zbc": products without carries, of which CLMULR has the bits from the last of the lower half on.
 */
static uint64_t carryless(uint64_t a, uint64_t b, unsigned width)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < width; i++) {
        result ^= (b >> i & 1) != 0 ? a << i : 0;
    }
    return result;
}

static uint64_t carryless_reversed(uint64_t a, uint64_t b, unsigned width)
{
    const uint64_t value = zero_extend(a, width);
    uint64_t result = 0;
    for (unsigned i = 0; i < width; i++) {
        result ^= (b >> i & 1) != 0 ? value >> (width - 1 - i) : 0;
    }
    return result;
}
OPERATION(carryless_high, zero_extend(carryless_reversed(a, b, width), width) >> 1)

/* "M": of 64 bits the upper half of a product is put together from products of halves. */
static uint64_t upper_half(uint64_t a, uint64_t b)
{
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    const uint64_t carry = (uint32_t)middle + a0 * b1;
    return a1 * b1 + (middle >> 32) + (carry >> 32);
}

OPERATION(multiply, (a * b))
OPERATION(multiply_high_unsigned,
          width == 32 ? zero_extend(a, 32) * zero_extend(b, 32) >> 32 : upper_half(a, b))
OPERATION(multiply_high_mixed, width == 32 ? arithmetic_shift((a * zero_extend(b, 32)), 32)
                                           : upper_half(a, b) - (is_negative(a) ? b : 0))
OPERATION(multiply_high, width == 32 ? arithmetic_shift((a * b), 32)
                                     : multiply_high_mixed(a, b, width) - (is_negative(b) ? a : 0))

static uint64_t magnitude(uint64_t value)
{
    return is_negative(value) ? 0 - value : value;
}

/* Dividing by zero gives all ones, and the dividend as remainder. Magnitudes have the quotient that
 * overflows as it is defined. */
static uint64_t divide(uint64_t a, uint64_t b, unsigned width)
{
    (void)width;
    const uint64_t quotient = b == 0 ? 0 : magnitude(a) / magnitude(b);
    return b == 0 ? ~UINT64_C(0) : is_negative(a) != is_negative(b) ? 0 - quotient : quotient;
}

static uint64_t remainder_of(uint64_t a, uint64_t b, unsigned width)
{
    (void)width;
    const uint64_t rest = b == 0 ? magnitude(a) : magnitude(a) % magnitude(b);
    return is_negative(a) ? 0 - rest : rest;
}

OPERATION(divide_unsigned, b == 0 ? ~UINT64_C(0) : zero_extend(a, width) / zero_extend(b, width))
OPERATION(remainder_unsigned, b == 0 ? a : zero_extend(a, width) % zero_extend(b, width))

/* --- immediates --- */

/* Where the second value is when no register has it. */
enum immediate {
    NOTHING,
    IMM_I,
    IMM_SHIFT,
    IMM_U,
    C_IMM,
    C_SHIFT,
    C_UPPER,
    C_SP_16,
    C_SP_4,
    ONES,
    BYTE
};

static uint64_t bits_at(uint32_t word, unsigned from, unsigned count, unsigned to)
{
    return (uint64_t)(word >> from & ((1u << count) - 1)) << to;
}

static uint64_t immediate_of(uint32_t word, enum immediate form)
{
    const uint64_t six = bits_at(word, 12, 1, 5) | bits_at(word, 2, 5, 0);
    switch (form) {
    case IMM_I:
        return rv_sign_extend(word >> 20, 12);
    case IMM_SHIFT:
        return word >> 20 & 63;
    case IMM_U:
        return rv_sign_extend(word & UINT32_C(0xfffff000), 32);
    case C_IMM:
        return rv_sign_extend(six, 6);
    case C_SHIFT:
        return six;
    case C_UPPER:
        return rv_sign_extend(six << 12, 18);
    case C_SP_16:
        return rv_sign_extend(bits_at(word, 12, 1, 9) | bits_at(word, 3, 2, 7) |
                                  bits_at(word, 5, 1, 6) | bits_at(word, 2, 1, 5) |
                                  bits_at(word, 6, 1, 4),
                              10);
    case C_SP_4:
        return bits_at(word, 7, 4, 6) | bits_at(word, 11, 2, 4) | bits_at(word, 5, 1, 3) |
               bits_at(word, 6, 1, 2);
    case ONES:
        return ~UINT64_C(0);
    case BYTE:
        return 0xff;
    default:
        return 0;
    }
}

/* --- which word computes what --- */

enum { WORD = 1, UNSIGNED_FIRST = 2, ONLY_32 = 4 };

/* The first row that a word matches decides. The classes that come here have valid words only, so
 * that rows need not tell them from reserved ones. */
struct row {
    uint32_t mask, value;
    rv_operation *operation;
    uint8_t immediate; /* enum immediate */
    uint8_t flags;
};

enum { OP_IMM = 0x13, OP_IMM_32 = 0x1b, OP = 0x33, LUI = 0x37, OP_32 = 0x3b };

#define FUNCT7(opcode, funct7, funct3, ...)                                                        \
    {                                                                                              \
        0xfe00707f, UINT32_C(funct7) << 25 | (funct3) << 12 | (opcode), __VA_ARGS__                \
    }
#define FUNCT6(opcode, funct6, funct3, ...)                                                        \
    {                                                                                              \
        0xfc00707f, UINT32_C(funct6) << 26 | (funct3) << 12 | (opcode), __VA_ARGS__                \
    }
#define FUNCT12(opcode, funct12, funct3, ...)                                                      \
    {                                                                                              \
        0xfff0707f, UINT32_C(funct12) << 20 | (funct3) << 12 | (opcode), __VA_ARGS__               \
    }
#define FUNCT3(opcode, funct3, ...)                                                                \
    {                                                                                              \
        0x707f, (funct3) << 12 | (opcode), __VA_ARGS__                                             \
    }

static const struct row rows_32[] = {
    /* one source */
    FUNCT12(OP_IMM, 0x600, 1, leading_zeros, NOTHING, 0),
    FUNCT12(OP_IMM, 0x601, 1, trailing_zeros, NOTHING, 0),
    FUNCT12(OP_IMM, 0x602, 1, count_ones, NOTHING, 0),
    FUNCT12(OP_IMM, 0x604, 1, extend_byte, NOTHING, 0),
    FUNCT12(OP_IMM, 0x605, 1, extend_half, NOTHING, 0),
    FUNCT12(OP_IMM, 0x287, 5, or_combine_bytes, NOTHING, 0),
    FUNCT12(OP_IMM, 0x698, 5, reverse_bytes, NOTHING, 0),
    FUNCT12(OP_IMM, 0x6b8, 5, reverse_bytes, NOTHING, 0),
    FUNCT12(OP_IMM_32, 0x600, 1, leading_zeros, NOTHING, WORD),
    FUNCT12(OP_IMM_32, 0x601, 1, trailing_zeros, NOTHING, WORD),
    FUNCT12(OP_IMM_32, 0x602, 1, count_ones, NOTHING, WORD),
    FUNCT12(OP, 0x080, 4, zero_extend_half, NOTHING, ONLY_32),
    FUNCT12(OP_32, 0x080, 4, zero_extend_half, NOTHING, 0),
    /* a source and an immediate */
    FUNCT3(OP_IMM, 0, add, IMM_I, 0),
    FUNCT3(OP_IMM, 2, less, IMM_I, 0),
    FUNCT3(OP_IMM, 3, less_unsigned, IMM_I, 0),
    FUNCT3(OP_IMM, 4, bits_xor, IMM_I, 0),
    FUNCT3(OP_IMM, 6, bits_or, IMM_I, 0),
    FUNCT3(OP_IMM, 7, bits_and, IMM_I, 0),
    FUNCT6(OP_IMM, 0x00, 1, shift_left, IMM_SHIFT, 0),
    FUNCT6(OP_IMM, 0x00, 5, shift_right, IMM_SHIFT, 0),
    FUNCT6(OP_IMM, 0x10, 5, shift_right_signed, IMM_SHIFT, 0),
    FUNCT6(OP_IMM, 0x18, 5, rotate_right, IMM_SHIFT, 0),
    FUNCT6(OP_IMM, 0x0a, 1, bit_set, IMM_SHIFT, 0),
    FUNCT6(OP_IMM, 0x12, 1, bit_clear, IMM_SHIFT, 0),
    FUNCT6(OP_IMM, 0x12, 5, bit_extract, IMM_SHIFT, 0),
    FUNCT6(OP_IMM, 0x1a, 1, bit_invert, IMM_SHIFT, 0),
    FUNCT3(OP_IMM_32, 0, add, IMM_I, WORD),
    FUNCT7(OP_IMM_32, 0x00, 1, shift_left, IMM_SHIFT, WORD),
    FUNCT7(OP_IMM_32, 0x00, 5, shift_right, IMM_SHIFT, WORD),
    FUNCT7(OP_IMM_32, 0x20, 5, shift_right_signed, IMM_SHIFT, WORD),
    FUNCT7(OP_IMM_32, 0x30, 5, rotate_right, IMM_SHIFT, WORD),
    FUNCT6(OP_IMM_32, 0x02, 1, shift_left, IMM_SHIFT, UNSIGNED_FIRST),
    {0x7f, LUI, add, IMM_U, 0},
    /* two sources */
    FUNCT7(OP, 0x00, 0, add, NOTHING, 0),
    FUNCT7(OP, 0x20, 0, subtract, NOTHING, 0),
    FUNCT7(OP, 0x00, 1, shift_left, NOTHING, 0),
    FUNCT7(OP, 0x00, 2, less, NOTHING, 0),
    FUNCT7(OP, 0x00, 3, less_unsigned, NOTHING, 0),
    FUNCT7(OP, 0x00, 4, bits_xor, NOTHING, 0),
    FUNCT7(OP, 0x00, 5, shift_right, NOTHING, 0),
    FUNCT7(OP, 0x20, 5, shift_right_signed, NOTHING, 0),
    FUNCT7(OP, 0x00, 6, bits_or, NOTHING, 0),
    FUNCT7(OP, 0x00, 7, bits_and, NOTHING, 0),
    FUNCT7(OP, 0x01, 0, multiply, NOTHING, 0),
    FUNCT7(OP, 0x01, 1, multiply_high, NOTHING, 0),
    FUNCT7(OP, 0x01, 2, multiply_high_mixed, NOTHING, 0),
    FUNCT7(OP, 0x01, 3, multiply_high_unsigned, NOTHING, 0),
    FUNCT7(OP, 0x01, 4, divide, NOTHING, 0),
    FUNCT7(OP, 0x01, 5, divide_unsigned, NOTHING, 0),
    FUNCT7(OP, 0x01, 6, remainder_of, NOTHING, 0),
    FUNCT7(OP, 0x01, 7, remainder_unsigned, NOTHING, 0),
    FUNCT7(OP, 0x05, 1, carryless, NOTHING, 0),
    FUNCT7(OP, 0x05, 2, carryless_reversed, NOTHING, 0),
    FUNCT7(OP, 0x05, 3, carryless_high, NOTHING, 0),
    FUNCT7(OP, 0x05, 4, least, NOTHING, 0),
    FUNCT7(OP, 0x05, 5, least_unsigned, NOTHING, 0),
    FUNCT7(OP, 0x05, 6, greatest, NOTHING, 0),
    FUNCT7(OP, 0x05, 7, greatest_unsigned, NOTHING, 0),
    FUNCT7(OP, 0x07, 5, zero_if_zero, NOTHING, 0),
    FUNCT7(OP, 0x07, 7, zero_if_not_zero, NOTHING, 0),
    FUNCT7(OP, 0x10, 2, shift_1_add, NOTHING, 0),
    FUNCT7(OP, 0x10, 4, shift_2_add, NOTHING, 0),
    FUNCT7(OP, 0x10, 6, shift_3_add, NOTHING, 0),
    FUNCT7(OP, 0x14, 1, bit_set, NOTHING, 0),
    FUNCT7(OP, 0x24, 1, bit_clear, NOTHING, 0),
    FUNCT7(OP, 0x24, 5, bit_extract, NOTHING, 0),
    FUNCT7(OP, 0x34, 1, bit_invert, NOTHING, 0),
    FUNCT7(OP, 0x20, 4, xor_not, NOTHING, 0),
    FUNCT7(OP, 0x20, 6, or_not, NOTHING, 0),
    FUNCT7(OP, 0x20, 7, and_not, NOTHING, 0),
    FUNCT7(OP, 0x30, 1, rotate_left, NOTHING, 0),
    FUNCT7(OP, 0x30, 5, rotate_right, NOTHING, 0),
    FUNCT7(OP_32, 0x00, 0, add, NOTHING, WORD),
    FUNCT7(OP_32, 0x20, 0, subtract, NOTHING, WORD),
    FUNCT7(OP_32, 0x00, 1, shift_left, NOTHING, WORD),
    FUNCT7(OP_32, 0x00, 5, shift_right, NOTHING, WORD),
    FUNCT7(OP_32, 0x20, 5, shift_right_signed, NOTHING, WORD),
    FUNCT7(OP_32, 0x01, 0, multiply, NOTHING, WORD),
    FUNCT7(OP_32, 0x01, 4, divide, NOTHING, WORD),
    FUNCT7(OP_32, 0x01, 5, divide_unsigned, NOTHING, WORD),
    FUNCT7(OP_32, 0x01, 6, remainder_of, NOTHING, WORD),
    FUNCT7(OP_32, 0x01, 7, remainder_unsigned, NOTHING, WORD),
    FUNCT7(OP_32, 0x04, 0, add, NOTHING, UNSIGNED_FIRST),
    FUNCT7(OP_32, 0x10, 2, shift_1_add, NOTHING, UNSIGNED_FIRST),
    FUNCT7(OP_32, 0x10, 4, shift_2_add, NOTHING, UNSIGNED_FIRST),
    FUNCT7(OP_32, 0x10, 6, shift_3_add, NOTHING, UNSIGNED_FIRST),
    FUNCT7(OP_32, 0x30, 1, rotate_left, NOTHING, WORD),
    FUNCT7(OP_32, 0x30, 5, rotate_right, NOTHING, WORD),
};

/* C.MV adds rs2, C.LI and C.LUI add their constant, to no first value. */
static const struct row rows_16[] = {
    {0xe003, 0x0000, add, C_SP_4, 0},          /* C.ADDI4SPN */
    {0xe003, 0x0001, add, C_IMM, 0},           /* C.ADDI */
    {0xe003, 0x2001, add, C_IMM, WORD},        /* C.ADDIW */
    {0xe003, 0x4001, add, C_IMM, 0},           /* C.LI */
    {0xef83, 0x6101, add, C_SP_16, 0},         /* C.ADDI16SP */
    {0xe003, 0x6001, add, C_UPPER, 0},         /* C.LUI */
    {0xec03, 0x8001, shift_right, C_SHIFT, 0}, /* C.SRLI */
    {0xec03, 0x8401, shift_right_signed, C_SHIFT, 0},
    {0xec03, 0x8801, bits_and, C_IMM, 0},
    {0xfc63, 0x8c01, subtract, NOTHING, 0},
    {0xfc63, 0x8c21, bits_xor, NOTHING, 0},
    {0xfc63, 0x8c41, bits_or, NOTHING, 0},
    {0xfc63, 0x8c61, bits_and, NOTHING, 0},
    {0xfc63, 0x9c01, subtract, NOTHING, WORD},
    {0xfc63, 0x9c21, add, NOTHING, WORD},
    {0xfc63, 0x9c41, multiply, NOTHING, 0},
    {0xfc7f, 0x9c61, bits_and, BYTE, 0},            /* C.ZEXT.B */
    {0xfc7f, 0x9c65, extend_byte, NOTHING, 0},      /* C.SEXT.B */
    {0xfc7f, 0x9c69, zero_extend_half, NOTHING, 0}, /* C.ZEXT.H */
    {0xfc7f, 0x9c6d, extend_half, NOTHING, 0},      /* C.SEXT.H */
    {0xfc7f, 0x9c71, add, NOTHING, UNSIGNED_FIRST}, /* C.ZEXT.W */
    {0xfc7f, 0x9c75, bits_xor, ONES, 0},            /* C.NOT */
    {0xe003, 0x0002, shift_left, C_SHIFT, 0},       /* C.SLLI */
    {0xf003, 0x8002, add, NOTHING, 0},              /* C.MV */
    {0xf003, 0x9002, add, NOTHING, 0},              /* C.ADD */
};

static const struct row *row_of(uint32_t word, bool compressed, bool is_32)
{
    const struct row *rows = compressed ? rows_16 : rows_32;
    const size_t count =
        compressed ? sizeof rows_16 / sizeof rows_16[0] : sizeof rows_32 / sizeof rows_32[0];
    for (size_t i = 0; i < count; i++) {
        if ((word & rows[i].mask) == rows[i].value && (is_32 || (rows[i].flags & ONLY_32) == 0)) {
            return &rows[i];
        }
    }
    return NULL;
}

static uint8_t register_of(const struct rv_operand *operand)
{
    return operand->registers == 0 ? RV_NO_REGISTER : (uint8_t)__builtin_ctz(operand->registers);
}

static uint32_t set_of(uint8_t number)
{
    return number == RV_NO_REGISTER ? 0 : UINT32_C(1) << number & ~UINT32_C(1);
}

static bool is_integer(uint64_t info)
{
    switch (rv_info_class(info)) {
    case RV_INTEGER:
    case RV_LUI:
    case RV_MULTIPLY:
    case RV_DIVIDE:
    case RV_BIT:
    case RV_CONDITIONAL_ZERO:
        return true;
    default:
        return false;
    }
}

bool rv_computation(uint32_t word, uint64_t info, enum rv_isa isa, struct rv_computation *c)
{
    const bool compressed = rv_info_length(info) == 2;
    const bool is_32 = isa == RV_32 || isa == RV_32_ZCM;
    const uint32_t bits = compressed ? word & UINT16_MAX : word;
    const struct row *row = is_integer(info) ? row_of(bits, compressed, is_32) : NULL;
    const struct rv_operand rd = rv_operand(word, info, RV_OP_RD);
    const struct rv_operand rs1 = rv_operand(word, info, RV_OP_RS1);
    const struct rv_operand rs2 = rv_operand(word, info, RV_OP_RS2);
    if (row == NULL || rd.registers == 0) {
        return false;
    }
    c->operation = row->operation;
    c->immediate = immediate_of(word, (enum immediate)row->immediate);
    c->rd = register_of(&rd);
    c->first = rs1.registers == 0 && rd.is_read ? c->rd : register_of(&rs1);
    c->second = register_of(&rs2);
    c->read = set_of(c->first) | set_of(c->second);
    c->width = is_32 || (row->flags & WORD) != 0 ? 32 : 64;
    c->unsigned_first = (row->flags & UNSIGNED_FIRST) != 0;
    return true;
}

uint64_t rv_compute(const struct rv_computation *c, uint64_t first, uint64_t second)
{
    const uint64_t a = c->first == RV_NO_REGISTER ? 0
                       : c->unsigned_first        ? zero_extend(first, 32)
                                                  : rv_sign_extend(first, c->width);
    const uint64_t b =
        c->second == RV_NO_REGISTER ? c->immediate : rv_sign_extend(second, c->width);
    return rv_sign_extend(c->operation(a, b, c->width), c->width);
}

/* --- memory --- */

bool rv_load_is_unsigned(uint32_t word, uint64_t info)
{
    switch (rv_info_class(info)) {
    case RV_LOAD:
        if (rv_info_length(info) == 2) {
            enum { C_HALF_OR_BYTE = 0x8000, SIGNED = 0x0440 };
            return (word & 0xe003) == C_HALF_OR_BYTE && (word & SIGNED) != SIGNED;
        }
        return (word >> 14 & 1) != 0;
    case RV_HYPERVISOR_LOAD:
        return (word >> 20 & 1) != 0;
    default:
        return false;
    }
}

enum { AMO_SWAP = 1, AMO_SHADOW_STACK_SWAP = 9 };

OPERATION(operand_alone, b)

/* By funct5 ("Atomic Memory Operations", "Zicfiss"). */
static rv_operation *const atomics[32] = {[0] = add,
                                          [AMO_SWAP] = operand_alone,
                                          [4] = bits_xor,
                                          [8] = bits_or,
                                          [AMO_SHADOW_STACK_SWAP] = operand_alone,
                                          [12] = bits_and,
                                          [16] = least,
                                          [20] = greatest,
                                          [24] = least_unsigned,
                                          [28] = greatest_unsigned};

uint64_t rv_amo_stores(uint32_t word, unsigned bytes, uint64_t loaded, uint64_t operand)
{
    rv_operation *const operation = atomics[rv_amo_operation(word)];
    const unsigned width = 8 * bytes;
    return operation == NULL
               ? 0
               : operation(rv_sign_extend(loaded, width), rv_sign_extend(operand, width), width);
}

bool rv_amo_swaps(uint32_t word)
{
    return atomics[rv_amo_operation(word)] == operand_alone;
}
