/* AArch64: what the instructions of a challenge do, by the pseudocode of the Arm Architecture
 * Reference Manual, C6.2. */
#include "common/bytes.h"
#include "generators/challenge/machine.h"

typedef struct challenge_machine machine;
typedef const struct challenge_operation operation;

enum { SP = 31, ZERO = 31, LINK = 30 };

static uint32_t field(uint32_t word, unsigned low, unsigned width)
{
    return word >> low & ((1u << width) - 1);
}

static int64_t signed_field(uint32_t word, unsigned low, unsigned width)
{
    return (int64_t)rv_sign_extend(field(word, low, width), width);
}

/* Bits of the operands: 64 or 32, by bit 31. */
static unsigned width_of(uint32_t word)
{
    return word >> 31 ? 64 : 32;
}

static uint64_t get(const machine *m, unsigned number)
{
    return number == ZERO ? 0 : m->x[number];
}

static uint64_t get_narrow(const machine *m, unsigned number, unsigned width)
{
    return get(m, number) & assay_mask(width);
}

static void set(machine *m, unsigned number, uint64_t value, unsigned width)
{
    if (number != ZERO) {
        m->x[number] = value & assay_mask(width);
    }
}

static void set_nz(machine *m, uint64_t result, unsigned width)
{
    m->n = result >> (width - 1) & 1;
    m->z = (result & assay_mask(width)) == 0;
}

/* AddWithCarry; both operands have no bits above the width. */
static uint64_t add_with_carry(machine *m, uint64_t a, uint64_t b, unsigned carry, unsigned width,
                               bool set_flags)
{
    const uint64_t result = (a + b + carry) & assay_mask(width);
    if (set_flags) {
        set_nz(m, result, width);
        m->c = carry ? result <= a : result < a;
        m->v = ((a ^ result) & (b ^ result)) >> (width - 1) & 1;
    }
    return result;
}

static uint64_t shifted(uint64_t value, unsigned type, unsigned amount, unsigned width)
{
    const uint64_t narrow = value & assay_mask(width);
    switch (type) {
    case 0:
        return narrow << amount & assay_mask(width);
    case 1:
        return narrow >> amount;
    case 2:
        return (uint64_t)((int64_t)rv_sign_extend(narrow, width) >> amount) & assay_mask(width);
    default:
        return amount == 0 ? narrow
                           : (narrow >> amount | narrow << (width - amount)) & assay_mask(width);
    }
}

/* ConditionHolds. */
static bool holds(const machine *m, unsigned condition)
{
    const bool results[] = {
        m->z, m->c, m->n, m->v, m->c && !m->z, m->n == m->v, m->n == m->v && !m->z, true};
    return results[condition >> 1] != ((condition & 1) != 0 && condition != 15);
}

/* --- additions and logical operations --- */

static void add_to(machine *m, uint32_t word, uint64_t a, uint64_t b, bool rd_is_sp)
{
    const unsigned width = width_of(word);
    const bool subtracts = field(word, 30, 1) != 0;
    const bool set_flags = field(word, 29, 1) != 0;
    const uint64_t second = (subtracts ? ~b : b) & assay_mask(width);
    const uint64_t result =
        add_with_carry(m, a & assay_mask(width), second, subtracts, width, set_flags);
    const unsigned rd = field(word, 0, 5);
    if (rd == SP && rd_is_sp && !set_flags) {
        m->x[SP] = result;
    } else {
        set(m, rd, result, width);
    }
}

static void add_immediate(machine *m, operation *o)
{
    const uint64_t immediate = (uint64_t)field(o->word, 10, 12) << 12 * field(o->word, 22, 1);
    add_to(m, o->word, m->x[field(o->word, 5, 5)], immediate, true);
}

static void add_shifted(machine *m, operation *o)
{
    const uint64_t b = shifted(get(m, field(o->word, 16, 5)), field(o->word, 22, 2),
                               field(o->word, 10, 6), width_of(o->word));
    add_to(m, o->word, get(m, field(o->word, 5, 5)), b, false);
}

/* ExtendReg. */
static void add_extended(machine *m, operation *o)
{
    const unsigned option = field(o->word, 13, 3);
    const unsigned bits = 8u << (option & 3);
    const uint64_t narrow = get_narrow(m, field(o->word, 16, 5), bits);
    const uint64_t wide = option & 4 ? rv_sign_extend(narrow, bits) : narrow;
    add_to(m, o->word, m->x[field(o->word, 5, 5)], wide << field(o->word, 10, 3), true);
}

static void add_carry(machine *m, operation *o)
{
    const unsigned width = width_of(o->word);
    const uint64_t b = get(m, field(o->word, 16, 5));
    const uint64_t result = add_with_carry(m, get_narrow(m, field(o->word, 5, 5), width),
                                           (field(o->word, 30, 1) ? ~b : b) & assay_mask(width),
                                           m->c, width, field(o->word, 29, 1));
    set(m, field(o->word, 0, 5), result, width);
}

static uint64_t combine(unsigned kind, uint64_t a, uint64_t b)
{
    return kind == 1 ? a | b : kind == 2 ? a ^ b : a & b;
}

/* AND, ORR, EOR, ANDS by bits 30:29. */
static void logical_to(machine *m, uint32_t word, uint64_t b, bool rd_is_sp)
{
    const unsigned width = width_of(word);
    const unsigned kind = field(word, 29, 2);
    const unsigned rd = field(word, 0, 5);
    const uint64_t result = combine(kind, get(m, field(word, 5, 5)), b) & assay_mask(width);
    if (kind == 3) {
        set_nz(m, result, width);
        m->c = m->v = false;
    }
    if (rd == SP && rd_is_sp && kind != 3) {
        m->x[SP] = result;
    } else {
        set(m, rd, result, width);
    }
}

static void logical_shifted(machine *m, operation *o)
{
    const uint64_t b = shifted(get(m, field(o->word, 16, 5)), field(o->word, 22, 2),
                               field(o->word, 10, 6), width_of(o->word));
    logical_to(m, o->word, field(o->word, 21, 1) ? ~b : b, false);
}

/* DecodeBitMasks: `ones` ones, rotated right, in elements of a size that N and imms give. */
static uint64_t bit_mask(uint32_t word)
{
    const unsigned imms = field(word, 10, 6);
    const unsigned shape = field(word, 22, 1) << 6 | (~imms & 0x3f);
    unsigned size = 64;
    while (size > 1 && (shape & size) == 0) {
        size /= 2;
    }
    const unsigned ones = (imms & (size - 1)) + 1;
    const uint64_t element = shifted(assay_mask(ones), 3, field(word, 16, 6) & (size - 1), size);
    uint64_t result = 0;
    for (unsigned at = 0; at < 64; at += size) {
        result |= element << at;
    }
    return result;
}

static void logical_immediate(machine *m, operation *o)
{
    logical_to(m, o->word, bit_mask(o->word), true);
}

/* --- moves of bits --- */

/* SBFM, BFM, UBFM. */
static void bitfield(machine *m, operation *o)
{
    const unsigned width = width_of(o->word);
    const unsigned kind = field(o->word, 29, 2);
    const unsigned first = field(o->word, 16, 6);
    const unsigned last = field(o->word, 10, 6);
    const unsigned rd = field(o->word, 0, 5);
    const uint64_t source = get_narrow(m, field(o->word, 5, 5), width);
    const unsigned count = last >= first ? last - first + 1 : last + 1;
    const unsigned low = last >= first ? 0 : width - first;
    const uint64_t taken = (last >= first ? source >> first : source) & assay_mask(count);
    uint64_t result = taken << low;
    if (kind == 0) {
        result = rv_sign_extend(taken, count) << low;
    } else if (kind == 1) {
        result |= get(m, rd) & ~(assay_mask(count) << low);
    }
    set(m, rd, result, width);
}

static void extract(machine *m, operation *o)
{
    const unsigned width = width_of(o->word);
    const unsigned low = field(o->word, 10, 6);
    const uint64_t high = get_narrow(m, field(o->word, 5, 5), width);
    const uint64_t other = get_narrow(m, field(o->word, 16, 5), width);
    set(m, field(o->word, 0, 5), low == 0 ? other : other >> low | high << (width - low), width);
}

/* MOVN, MOVZ, MOVK. */
static void move_wide(machine *m, operation *o)
{
    const unsigned rd = field(o->word, 0, 5);
    const unsigned kind = field(o->word, 29, 2);
    const unsigned low = 16 * field(o->word, 21, 2);
    const uint64_t immediate = (uint64_t)field(o->word, 5, 16) << low;
    const uint64_t kept = get(m, rd) & ~(UINT64_C(0xffff) << low);
    set(m, rd,
        kind == 0   ? ~immediate
        : kind == 2 ? immediate
                    : kept | immediate,
        width_of(o->word));
}

static void address(machine *m, operation *o)
{
    const uint64_t immediate =
        (uint64_t)(signed_field(o->word, 5, 19) * 4 + (int64_t)field(o->word, 29, 2));
    const uint64_t pages = immediate << 12;
    set(m, field(o->word, 0, 5),
        o->word >> 31 ? (m->pc & ~UINT64_C(0xfff)) + pages : m->pc + immediate, 64);
}

/* CSEL, CSINC, CSINV, CSNEG. */
static void select(machine *m, operation *o)
{
    uint64_t result = get(m, field(o->word, 5, 5));
    if (!holds(m, field(o->word, 12, 4))) {
        result = get(m, field(o->word, 16, 5));
        result = field(o->word, 30, 1) ? ~result : result;
        result += field(o->word, 10, 1);
    }
    set(m, field(o->word, 0, 5), result, width_of(o->word));
}

/* CCMN, CCMP. */
static void compare_conditionally(machine *m, operation *o)
{
    const unsigned width = width_of(o->word);
    const unsigned second = field(o->word, 16, 5);
    const uint64_t b = field(o->word, 11, 1) ? second : get(m, second);
    const bool subtracts = field(o->word, 30, 1) != 0;
    if (holds(m, field(o->word, 12, 4))) {
        add_with_carry(m, get_narrow(m, field(o->word, 5, 5), width),
                       (subtracts ? ~b : b) & assay_mask(width), subtracts, width, true);
        return;
    }
    m->n = field(o->word, 3, 1) != 0;
    m->z = field(o->word, 2, 1) != 0;
    m->c = field(o->word, 1, 1) != 0;
    m->v = field(o->word, 0, 1) != 0;
}

/* --- multiplications, divisions, and what has one source --- */

static uint64_t divide(uint64_t a, uint64_t b, unsigned width, bool is_signed)
{
    if ((b & assay_mask(width)) == 0) {
        return 0;
    }
    if (!is_signed) {
        return (a & assay_mask(width)) / (b & assay_mask(width));
    }
    const int64_t dividend = (int64_t)rv_sign_extend(a, width);
    const int64_t divisor = (int64_t)rv_sign_extend(b, width);
    return divisor == -1 ? 0 - (uint64_t)dividend : (uint64_t)(dividend / divisor);
}

/* UDIV, SDIV, LSLV, LSRV, ASRV, RORV. */
static void two_sources(machine *m, operation *o)
{
    const unsigned width = width_of(o->word);
    const unsigned kind = field(o->word, 10, 6);
    const uint64_t a = get(m, field(o->word, 5, 5));
    const uint64_t b = get(m, field(o->word, 16, 5));
    set(m, field(o->word, 0, 5),
        kind < 8 ? divide(a, b, width, kind & 1)
                 : shifted(a, kind & 3, (unsigned)(b & (width - 1)), width),
        width);
}

static uint64_t multiply_high(uint64_t a, uint64_t b, bool is_signed)
{
    const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    const uint64_t first = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    const uint64_t second = (a & UINT32_MAX) * (b >> 32) + (first & UINT32_MAX);
    const uint64_t high = (a >> 32) * (b >> 32) + (first >> 32) + (second >> 32);
    return !is_signed ? high : high - (a >> 63 ? b : 0) - (b >> 63 ? a : 0);
}

static void three_sources(machine *m, operation *o)
{
    const unsigned kind = field(o->word, 21, 3);
    uint64_t a = get(m, field(o->word, 5, 5));
    uint64_t b = get(m, field(o->word, 16, 5));
    const uint64_t addend = get(m, field(o->word, 10, 5));
    if (kind == 2 || kind == 6) {
        set(m, field(o->word, 0, 5), multiply_high(a, b, kind == 2), 64);
        return;
    }
    if (kind == 1 || kind == 5) {
        a = kind == 1 ? rv_sign_extend(a, 32) : a & UINT32_MAX;
        b = kind == 1 ? rv_sign_extend(b, 32) : b & UINT32_MAX;
    }
    set(m, field(o->word, 0, 5), field(o->word, 15, 1) ? addend - a * b : addend + a * b,
        width_of(o->word));
}

/* The units of `bits` bits in reverse order within each `in` bits. */
static uint64_t reversed(uint64_t value, unsigned bits, unsigned in, unsigned width)
{
    uint64_t result = 0;
    for (unsigned at = 0; at < width; at += bits) {
        const unsigned to = at / in * in + (in - bits - at % in);
        result |= (value >> at & assay_mask(bits)) << to;
    }
    return result;
}

static unsigned leading_zeros(uint64_t value, unsigned width)
{
    unsigned count = 0;
    while (count < width && (value >> (width - 1 - count) & 1) == 0) {
        count++;
    }
    return count;
}

/* RBIT, REV16, REV or REV32, REV, CLZ, CLS. */
static void one_source(machine *m, operation *o)
{
    const unsigned width = width_of(o->word);
    const uint64_t value = get_narrow(m, field(o->word, 5, 5), width);
    const uint64_t signs = (value ^ value >> 1) & assay_mask(width - 1);
    const unsigned kind = field(o->word, 10, 6);
    uint64_t result;
    switch (kind) {
    case 0:
        result = reversed(value, 1, width, width);
        break;
    case 1:
    case 2:
    case 3:
        result = reversed(value, 8, 8u << kind, width);
        break;
    case 4:
        result = leading_zeros(value, width);
        break;
    default:
        result = leading_zeros(signs, width - 1);
    }
    set(m, field(o->word, 0, 5), result, width);
}

/* --- branches --- */

static void go(machine *m, int64_t words)
{
    m->next = m->pc + (uint64_t)(words * 4);
}

static void branch_by_condition(machine *m, operation *o)
{
    if (holds(m, field(o->word, 0, 4))) {
        go(m, signed_field(o->word, 5, 19));
    }
}

static void branch_by_register(machine *m, operation *o)
{
    const bool is_zero = get_narrow(m, field(o->word, 0, 5), width_of(o->word)) == 0;
    if (is_zero != (field(o->word, 24, 1) != 0)) {
        go(m, signed_field(o->word, 5, 19));
    }
}

static void branch_by_bit(machine *m, operation *o)
{
    const unsigned bit = field(o->word, 31, 1) << 5 | field(o->word, 19, 5);
    if ((get(m, field(o->word, 0, 5)) >> bit & 1) == field(o->word, 24, 1)) {
        go(m, signed_field(o->word, 5, 14));
    }
}

static void branch(machine *m, operation *o)
{
    if (field(o->word, 31, 1)) {
        m->x[LINK] = m->pc + 4;
    }
    go(m, signed_field(o->word, 0, 26));
}

/* BR, BLR, RET. */
static void branch_to_register(machine *m, operation *o)
{
    m->next = get(m, field(o->word, 5, 5));
    if (field(o->word, 21, 2) == 1) {
        m->x[LINK] = m->pc + 4;
    }
}

static void call_system(machine *m, operation *o)
{
    (void)o;
    m->called = true;
}

static void do_nothing(machine *m, operation *o)
{
    (void)m;
    (void)o;
}

/* --- accesses --- */

/* A load or store of one register by size and opc: a store; a load; one that extends the sign to 64
 * and to 32 bits. */
static void transfer(machine *m, uint32_t word, uint64_t at)
{
    const unsigned log2 = field(word, 30, 2);
    const unsigned kind = field(word, 22, 2);
    const unsigned rt = field(word, 0, 5);
    if (kind == 0) {
        challenge_store(m, at, log2, get(m, rt));
        return;
    }
    const uint64_t value = challenge_load(m, at, log2);
    set(m, rt, kind == 1 ? value : rv_sign_extend(value, 8u << log2), kind == 3 ? 32 : 64);
}

static void access_scaled(machine *m, operation *o)
{
    transfer(m, o->word,
             m->x[field(o->word, 5, 5)] +
                 ((uint64_t)field(o->word, 10, 12) << field(o->word, 30, 2)));
}

/* Unscaled (0), post-indexed (1), pre-indexed (3). */
static void access_indexed(machine *m, operation *o)
{
    const unsigned rn = field(o->word, 5, 5);
    const unsigned mode = field(o->word, 10, 2);
    const uint64_t base = m->x[rn];
    const uint64_t moved = base + (uint64_t)signed_field(o->word, 12, 9);
    transfer(m, o->word, mode == 1 ? base : moved);
    if (mode != 0) {
        m->x[rn] = moved;
    }
}

static void access_by_register(machine *m, operation *o)
{
    const unsigned option = field(o->word, 13, 3);
    const uint64_t index = get(m, field(o->word, 16, 5));
    const uint64_t offset = option == 2   ? index & UINT32_MAX
                            : option == 6 ? rv_sign_extend(index, 32)
                                          : index;
    transfer(m, o->word,
             m->x[field(o->word, 5, 5)] +
                 (offset << (field(o->word, 12, 1) ? field(o->word, 30, 2) : 0)));
}

/* LDR of 32 and 64 bits, LDRSW. */
static void access_literal(machine *m, operation *o)
{
    const unsigned kind = field(o->word, 30, 2);
    const uint64_t at = m->pc + (uint64_t)(signed_field(o->word, 5, 19) * 4);
    const uint64_t value = challenge_load(m, at, kind == 1 ? 3 : 2);
    set(m, field(o->word, 0, 5), kind == 2 ? rv_sign_extend(value, 32) : value, 64);
}

static void access_pair(machine *m, operation *o)
{
    const unsigned kind = field(o->word, 30, 2);
    const unsigned mode = field(o->word, 23, 2);
    const unsigned rn = field(o->word, 5, 5);
    const unsigned log2 = kind == 2 ? 3 : 2;
    const unsigned registers[] = {field(o->word, 0, 5), field(o->word, 10, 5)};
    const uint64_t moved = m->x[rn] + ((uint64_t)signed_field(o->word, 15, 7) << log2);
    const uint64_t at = mode == 1 ? m->x[rn] : moved;
    for (unsigned i = 0; i < 2; i++) {
        if (field(o->word, 22, 1) == 0) {
            challenge_store(m, at + ((uint64_t)i << log2), log2, get(m, registers[i]));
        } else {
            const uint64_t value = challenge_load(m, at + ((uint64_t)i << log2), log2);
            set(m, registers[i], kind == 1 ? rv_sign_extend(value, 32) : value, 64);
        }
    }
    if (mode != 2) {
        m->x[rn] = moved;
    }
}

/* LDAR, STLR. */
static void access_ordered(machine *m, operation *o)
{
    const unsigned log2 = field(o->word, 30, 2);
    const unsigned rt = field(o->word, 0, 5);
    const uint64_t at = m->x[field(o->word, 5, 5)];
    if (field(o->word, 22, 1) == 0) {
        challenge_store(m, at, log2, get(m, rt));
    } else {
        set(m, rt, challenge_load(m, at, log2), 64);
    }
}

static const struct {
    uint32_t mask, value;
    void (*execute)(machine *m, operation *o);
} rows[] = {
    {0x1f800000, 0x11000000, add_immediate},
    {0x1f200000, 0x0b000000, add_shifted},
    {0x1fe00000, 0x0b200000, add_extended},
    {0x1fe0fc00, 0x1a000000, add_carry},
    {0x1f000000, 0x0a000000, logical_shifted},
    {0x1f800000, 0x12000000, logical_immediate},
    {0x1f800000, 0x13000000, bitfield},
    {0x7fa00000, 0x13800000, extract},
    {0x1f800000, 0x12800000, move_wide},
    {0x1f000000, 0x10000000, address},
    {0x3fe00800, 0x1a800000, select},
    {0x3fe00410, 0x3a400000, compare_conditionally},
    {0x7fe00000, 0x1ac00000, two_sources},
    {0x7f000000, 0x1b000000, three_sources},
    {0x7fffe000, 0x5ac00000, one_source},
    {0xff000010, 0x54000000, branch_by_condition},
    {0x7e000000, 0x34000000, branch_by_register},
    {0x7e000000, 0x36000000, branch_by_bit},
    {0x7c000000, 0x14000000, branch},
    {0xff9ffc1f, 0xd61f0000, branch_to_register},
    {0xffffffff, 0xd4000001, call_system},
    {0xfffff01f, 0xd503201f, do_nothing}, /* hints */
    {0xfffff01f, 0xd503301f, do_nothing}, /* barriers */
    {0x3f000000, 0x39000000, access_scaled},
    {0x3f200000, 0x38000000, access_indexed},
    {0x3f200c00, 0x38200800, access_by_register},
    {0x3f000000, 0x18000000, access_literal},
    {0x3e000000, 0x28000000, access_pair},
    {0x3fbffc00, 0x089ffc00, access_ordered}, /* STLR */
    {0x3ffffc00, 0x08dffc00, access_ordered}, /* LDAR */
};

bool challenge_a64_operation(uint32_t word, struct challenge_operation *o)
{
    *o = (struct challenge_operation){.word = word, .size = 4};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0] && o->execute == NULL; i++) {
        o->execute = (word & rows[i].mask) == rows[i].value ? rows[i].execute : NULL;
    }
    return o->execute != NULL;
}
