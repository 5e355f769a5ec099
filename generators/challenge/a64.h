/* AArch64 in challenges: words that its two files of drawing share. Private to
 * generators/challenge/. */
#ifndef ASSAY_GENERATORS_CHALLENGE_A64_H
#define ASSAY_GENERATORS_CHALLENGE_A64_H

#include "generators/challenge/draw.h"

/* What a label gives: a distance in words of 26, 19 or 14 bits, ADR, ADRP, the low bits of an
 * address. */
enum a64_fix { A64_FIX_26 = 1, A64_FIX_19, A64_FIX_14, A64_FIX_ADR, A64_FIX_ADRP, A64_FIX_LOW };

/* What registers are for. x0 to x14 are for values. */
enum {
    A64_VALUES = 15,
    A64_COMPARED = 15, /* for comparisons alone */
    A64_ADDRESS = 16,  /* x16, x17: for addresses, within a statement */
    A64_OTHER = 17,
    A64_MIDDLE = 19, /* the middle of the buffer */
    A64_OUTER = 20,
    A64_COUNTER = 21, /* x21 to x23 */
    A64_DEPTH = 24,
    A64_CHECKSUM = 25,
    A64_LINK = 30,
    A64_SP = 31,
    A64_ZERO = 31
};

/* The registers of a word. */
static inline uint32_t a64_fields(uint32_t rd, uint32_t rn, uint32_t rm)
{
    return rd | rn << 5 | rm << 16;
}

/* ADD (immediate) and ADD (shifted register) of 64 bits. */
static inline uint32_t a64_add_immediate(uint32_t rd, uint32_t rn, uint32_t immediate)
{
    return 0x91000000 | a64_fields(rd, rn, 0) | immediate << 10;
}

static inline uint32_t a64_add(uint32_t rd, uint32_t rn, uint32_t rm)
{
    return 0x8b000000 | a64_fields(rd, rn, rm);
}

/* AND with so many ones from bit `low` on, 1 to 63. */
static inline uint32_t a64_mask(uint32_t rd, uint32_t rn, unsigned ones, unsigned low)
{
    return 0x92400000 | a64_fields(rd, rn, 0) | (ones - 1) << 10 | ((64 - low) & 63) << 16;
}

/* UBFX: so many bits from bit `low` on. */
static inline uint32_t a64_extract(uint32_t rd, uint32_t rn, unsigned width, unsigned low)
{
    return 0xd3400000 | a64_fields(rd, rn, 0) | low << 16 | (low + width - 1) << 10;
}

static inline void a64_put(struct challenge_draw *draw, uint32_t word)
{
    challenge_put(draw, &(struct challenge_item){.word = word, .size = 4});
}

static inline void a64_put_form(struct challenge_draw *draw, const struct challenge_form *form)
{
    a64_put(draw, challenge_draw_form(draw, form));
}

static inline void a64_put_to(struct challenge_draw *draw, uint32_t word, enum a64_fix fix,
                              uint16_t label)
{
    challenge_put(draw, &(struct challenge_item){
                            .word = word, .size = 4, .fix = (uint8_t)fix, .label = label});
}

/* The address of a label: ADR, or ADRP and ADD. */
void a64_put_address(struct challenge_draw *draw, uint32_t rd, uint16_t label);

void a64_compute(struct challenge_draw *draw);
void a64_access(struct challenge_draw *draw);
void a64_hint(struct challenge_draw *draw);

#endif
