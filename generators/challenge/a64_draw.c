/* AArch64: computations and accesses of a challenge. All are of Armv8.0, and accesses are aligned:
 * where translation is off memory is of a device type. */
#include "generators/challenge/a64.h"

/* --- computations --- */

/* Forms of 32 and of 64 bits whose amounts have 5 and 6 bits. */
static const struct challenge_form computations[] = {
    /* ADD, ADDS, SUB, SUBS: immediate, shifted and extended register, with carry */
    {0x11000000, {BITS(29, 3), BITS(22, 1), BITS(10, 12), REGISTER(0), REGISTER(5)}},
    {0x0b000000, {BITS(29, 2), BELOW(22, 3), BITS(10, 5), REGISTER(0), REGISTER(5), REGISTER(16)}},
    {0x8b000000, {BITS(29, 2), BELOW(22, 3), BITS(10, 6), REGISTER(0), REGISTER(5), REGISTER(16)}},
    {0x0b200000, {BITS(29, 3), BITS(13, 3), BELOW(10, 5), REGISTER(0), REGISTER(5), REGISTER(16)}},
    {0x1a000000, {BITS(29, 3), REGISTER(0), REGISTER(5), REGISTER(16)}},
    /* AND, ORR, EOR, ANDS, and with the second operand inverted: shifted register */
    {0x0a000000, {BITS(29, 2), BITS(21, 3), BITS(10, 5), REGISTER(0), REGISTER(5), REGISTER(16)}},
    {0x8a000000, {BITS(29, 2), BITS(21, 3), BITS(10, 6), REGISTER(0), REGISTER(5), REGISTER(16)}},
    /* the same with an immediate, of elements of 64, 32, 16 and 4 bits */
    {0x92400000, {BITS(29, 2), BITS(16, 6), BELOW(10, 63), REGISTER(0), REGISTER(5)}},
    {0x12000000, {BITS(29, 3), BITS(16, 5), BELOW(10, 31), REGISTER(0), REGISTER(5)}},
    {0x12008000, {BITS(29, 3), BITS(16, 4), BELOW(10, 15), REGISTER(0), REGISTER(5)}},
    {0x1200e000, {BITS(29, 3), BITS(16, 2), BELOW(10, 3), REGISTER(0), REGISTER(5)}},
    /* SBFM, BFM, UBFM; EXTR */
    {0x13000000, {BELOW(29, 3), BITS(16, 5), BITS(10, 5), REGISTER(0), REGISTER(5)}},
    {0x93400000, {BELOW(29, 3), BITS(16, 6), BITS(10, 6), REGISTER(0), REGISTER(5)}},
    {0x13800000, {BITS(10, 5), REGISTER(0), REGISTER(5), REGISTER(16)}},
    {0x93c00000, {BITS(10, 6), REGISTER(0), REGISTER(5), REGISTER(16)}},
    /* MOVN, MOVZ, MOVK */
    {0x12800000, {BITS(21, 1), BITS(5, 15), REGISTER(0)}},
    {0x52800000, {BITS(29, 1), BITS(21, 1), BITS(5, 15), REGISTER(0)}},
    {0xd2800000, {BITS(29, 1), BITS(21, 2), BITS(9, 12), REGISTER(0)}},
    /* CSEL, CSINC, CSINV, CSNEG; CCMN and CCMP with a register and an immediate */
    {0x1a800000, {BITS(30, 2), BITS(10, 1), BELOW(12, 14), REGISTER(0), REGISTER(5), REGISTER(16)}},
    {0x3a400000, {BITS(30, 2), BELOW(12, 14), BITS(0, 4), REGISTER(5), REGISTER(16)}},
    {0x3a400800, {BITS(30, 2), BELOW(12, 14), BITS(0, 4), REGISTER(5), BITS(16, 5)}},
    /* UDIV, SDIV; LSLV, LSRV, ASRV, RORV */
    {0x1ac00800, {BITS(31, 1), BITS(10, 1), REGISTER(0), REGISTER(5), REGISTER(16)}},
    {0x1ac02000, {BITS(31, 1), BITS(10, 2), REGISTER(0), REGISTER(5), REGISTER(16)}},
    /* MADD, MSUB; SMADDL, SMSUBL, UMADDL, UMSUBL; SMULH, UMULH */
    {0x1b000000, {BITS(31, 1), BITS(15, 1), REGISTER(0), REGISTER(5), REGISTER(10), REGISTER(16)}},
    {0x9b200000, {BITS(23, 1), BITS(15, 1), REGISTER(0), REGISTER(5), REGISTER(10), REGISTER(16)}},
    {0x9b407c00, {BITS(23, 1), REGISTER(0), REGISTER(5), REGISTER(16)}},
    /* RBIT, REV16, REV or REV32; REV of 64 bits; CLZ, CLS */
    {0x5ac00000, {BITS(31, 1), BELOW(10, 3), REGISTER(0), REGISTER(5)}},
    {0xdac00c00, {REGISTER(0), REGISTER(5)}},
    {0x5ac01000, {BITS(31, 1), BITS(10, 1), REGISTER(0), REGISTER(5)}},
};

enum { COMPUTATIONS = sizeof computations / sizeof computations[0] };

void a64_put_address(struct challenge_draw *draw, uint32_t rd, uint16_t label)
{
    if (challenge_once_in(draw, 2)) {
        a64_put_to(draw, 0x10000000 | rd, A64_FIX_ADR, label);
    } else {
        a64_put_to(draw, 0x90000000 | rd, A64_FIX_ADRP, label);
        a64_put_to(draw, a64_add_immediate(rd, rd, 0), A64_FIX_LOW, label);
    }
}

void a64_compute(struct challenge_draw *draw)
{
    const unsigned card = challenge_deal(draw, &draw->computations, COMPUTATIONS + 1);
    if (card < COMPUTATIONS) {
        a64_put_form(draw, &computations[card]);
        return;
    }
    const uint32_t at =
        CHALLENGE_BUFFER + challenge_below(draw, CHALLENGE_STACK - CHALLENGE_BUFFER);
    const uint32_t rd = challenge_value(draw);
    a64_put_address(draw, rd, challenge_data_label(draw->code, at));
}

/* --- accesses --- */

/* Loads and stores of one register: size << 30 | opc << 22. */
static const struct kind {
    uint32_t word;
    unsigned log2;
} kinds[] = {
    {0x00000000, 0}, {0x00400000, 0}, {0x00800000, 0}, {0x00c00000, 0}, {0x40000000, 1},
    {0x40400000, 1}, {0x40800000, 1}, {0x40c00000, 1}, {0x80000000, 2}, {0x80400000, 2},
    {0x80800000, 2}, {0xc0000000, 3}, {0xc0400000, 3},
};

enum { KINDS = sizeof kinds / sizeof kinds[0], OFFSET_LOG2 = 8, RANGE_LOG2 = 11 };

/* x16 becomes the address of 8 aligned bytes in the 2 KiB from the middle of the buffer on. */
static void put_address(struct challenge_draw *draw)
{
    const uint32_t rn = challenge_value(draw);
    a64_put(draw, a64_mask(A64_ADDRESS, rn, RANGE_LOG2 - 3, 3));
    a64_put(draw, a64_add(A64_ADDRESS, A64_MIDDLE, A64_ADDRESS));
}

/* An offset of aligned bytes from -256 to 255, as a field of 9 bits. */
static uint32_t near_offset(struct challenge_draw *draw, unsigned log2)
{
    return challenge_below(draw, UINT64_C(1) << (OFFSET_LOG2 + 1 - log2)) << log2;
}

static void access_scaled(struct challenge_draw *draw, const struct kind *kind)
{
    const bool is_static = challenge_once_in(draw, 2);
    const unsigned width = (is_static ? RANGE_LOG2 : OFFSET_LOG2) - kind->log2;
    const uint32_t rt = challenge_value(draw);
    const uint32_t offset = challenge_below(draw, UINT64_C(1) << width);
    if (!is_static) {
        put_address(draw);
    }
    a64_put(draw, 0x39000000 | kind->word | offset << 10 |
                      a64_fields(rt, is_static ? A64_MIDDLE : A64_ADDRESS, 0));
}

static void access_unscaled(struct challenge_draw *draw, const struct kind *kind)
{
    const uint32_t rt = challenge_value(draw);
    a64_put(draw, 0x38000000 | kind->word | near_offset(draw, kind->log2) << 12 |
                      a64_fields(rt, A64_MIDDLE, 0));
}

/* Post-indexed or pre-indexed. */
static void access_indexed(struct challenge_draw *draw, const struct kind *kind)
{
    const uint32_t rt = challenge_value(draw);
    const uint32_t is_before = challenge_below(draw, 2);
    put_address(draw);
    a64_put(draw, 0x38000400 | kind->word | is_before << 11 | near_offset(draw, kind->log2) << 12 |
                      a64_fields(rt, A64_ADDRESS, 0));
}

/* By a register, which is small: LSL or UXTW, SXTX, SXTW give the same. */
static void access_by_register(struct challenge_draw *draw, const struct kind *kind)
{
    static const uint32_t extensions[] = {2, 3, 6, 7};
    const uint32_t extension = CHALLENGE_ONE_OF(draw, extensions);
    const uint32_t is_scaled = challenge_below(draw, 2);
    const uint32_t rt = challenge_value(draw);
    const uint32_t rn = challenge_value(draw);
    a64_put(draw, is_scaled ? a64_extract(A64_ADDRESS, rn, RANGE_LOG2 - kind->log2,
                                          challenge_below(draw, 32))
                            : a64_mask(A64_ADDRESS, rn, RANGE_LOG2 - 3, 3));
    a64_put(draw, 0x38200800 | kind->word | extension << 13 | is_scaled << 12 |
                      a64_fields(rt, A64_MIDDLE, A64_ADDRESS));
}

/* LDP, STP, LDPSW: post-indexed (1), with an offset (2), pre-indexed (3). */
static void access_pair(struct challenge_draw *draw)
{
    static const uint32_t pairs[] = {0x28000000, 0x28400000, 0x68400000, 0xa8000000, 0xa8400000};
    const uint32_t word = CHALLENGE_ONE_OF(draw, pairs);
    const uint32_t mode = 1 + challenge_below(draw, 3);
    const uint32_t first = challenge_value(draw);
    const uint32_t second = (first + 1 + challenge_below(draw, A64_VALUES - 1)) % A64_VALUES;
    const uint32_t offset = 2 * challenge_below(draw, 32) - 32; /* of words or doublewords */
    put_address(draw);
    a64_put(draw, word | mode << 23 | (offset & 0x7f) << 15 | second << 10 |
                      a64_fields(first, A64_ADDRESS, 0));
}

static void access_literal(struct challenge_draw *draw)
{
    static const uint32_t loads[] = {0x18000000, 0x58000000, 0x98000000};
    const uint32_t word = CHALLENGE_ONE_OF(draw, loads);
    const uint32_t at = CHALLENGE_BUFFER + 8 * challenge_below(draw, 512);
    const uint32_t rt = challenge_value(draw);
    a64_put_to(draw, word | rt, A64_FIX_19, challenge_data_label(draw->code, at));
}

/* LDAR, STLR of each size. */
static void access_ordered(struct challenge_draw *draw)
{
    static const struct challenge_form form = {0x089ffc00 | A64_ADDRESS << 5,
                                               {BITS(30, 2), BITS(22, 1), REGISTER(0)}};
    put_address(draw);
    a64_put_form(draw, &form);
}

enum { MODES = 4, OTHERS = 12, ACCESSES = KINDS * MODES + OTHERS };

void a64_access(struct challenge_draw *draw)
{
    static void (*const modes[MODES])(struct challenge_draw *, const struct kind *) = {
        access_scaled, access_unscaled, access_indexed, access_by_register};
    static void (*const others[])(struct challenge_draw *) = {access_pair, access_pair,
                                                              access_literal, access_ordered};
    const unsigned card = challenge_deal(draw, &draw->accesses, ACCESSES);
    if (card < KINDS * MODES) {
        modes[card / KINDS](draw, &kinds[card % KINDS]);
    } else {
        others[card % (sizeof others / sizeof others[0])](draw);
    }
}

/* NOP, YIELD, DMB, DSB, ISB. */
void a64_hint(struct challenge_draw *draw)
{
    static const uint32_t words[] = {0xd503201f, 0xd503203f, 0xd5033bbf, 0xd5033f9f, 0xd5033fdf};
    a64_put(draw, CHALLENGE_ONE_OF(draw, words));
}
