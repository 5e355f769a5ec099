/* RISC-V in challenges: what its two files of drawing share. Private to generators/challenge/. */
#ifndef ASSAY_GENERATORS_CHALLENGE_RV_H
#define ASSAY_GENERATORS_CHALLENGE_RV_H

#include "generators/challenge/draw.h"

/* What a label gives: the distance of a branch and of JAL; the upper part of a distance for AUIPC,
 * and the lower part for the instruction after that; the distances of C.BEQZ and C.J. */
enum rv_fix { RV_FIX_B = 1, RV_FIX_J, RV_FIX_UPPER, RV_FIX_LOWER, RV_FIX_CB, RV_FIX_CJ };

/* What registers are for. */
enum {
    RV_ZERO = 0,
    RV_LINK = 1,
    RV_SP = 2,
    RV_ALTERNATE = 5, /* the other link register */
    RV_OTHER = 6,     /* x6, x7, x15: within a statement */
    RV_THIRD = 7,
    RV_ADDRESS = 15,
    RV_COMPARED = 14, /* for comparisons alone */
    RV_MIDDLE = 18,   /* the middle of the buffer */
    RV_OUTER = 21,
    RV_CHECKSUM = 22,
    RV_DEPTH = 23
};

/* Words by their format, with opcode and functions. */
static inline uint32_t rv_r(uint32_t word, uint32_t rd, uint32_t rs1, uint32_t rs2)
{
    return word | rd << 7 | rs1 << 15 | rs2 << 20;
}

static inline uint32_t rv_i(uint32_t word, uint32_t rd, uint32_t rs1, uint32_t immediate)
{
    return word | rd << 7 | rs1 << 15 | immediate << 20;
}

static inline uint32_t rv_s(uint32_t word, uint32_t rs1, uint32_t rs2, uint32_t immediate)
{
    return word | (immediate & 31) << 7 | rs1 << 15 | rs2 << 20 | (immediate >> 5 & 0x7f) << 25;
}

enum {
    RV_ADD = 0x33,
    RV_XOR = 0x4033,
    RV_ADDI = 0x13,
    RV_ANDI = 0x7013,
    RV_SLLI = 0x1013,
    RV_SRLI = 0x5013,
    RV_LD = 0x3003,
    RV_SD = 0x3023,
    RV_JALR_WORD = 0x67
};

static inline void rv_put(struct challenge_draw *draw, uint32_t word)
{
    const uint8_t size = (word & 3) == 3 ? 4 : 2;
    challenge_put(draw, &(struct challenge_item){.word = word, .size = size});
}

static inline void rv_put_to(struct challenge_draw *draw, uint32_t word, enum rv_fix fix,
                             uint16_t label)
{
    challenge_put(draw, &(struct challenge_item){
                            .word = word, .size = 4, .fix = (uint8_t)fix, .label = label});
}

/* AUIPC, and an instruction with an immediate that adds the rest of the distance to the label. */
static inline void rv_put_pair(struct challenge_draw *draw, uint32_t rd, uint32_t word,
                               uint16_t label)
{
    rv_put_to(draw, 0x17 | rd << 7, RV_FIX_UPPER, label);
    rv_put_to(draw, word, RV_FIX_LOWER, label);
}

/* The address of a label. */
static inline void rv_put_address(struct challenge_draw *draw, uint32_t rd, uint16_t label)
{
    rv_put_pair(draw, rd, rv_i(RV_ADDI, rd, rd, 0), label);
}

/* Whether an instruction shall have 2 bytes, where there is such a form. */
static inline bool rv_is_short(struct challenge_draw *draw)
{
    return !draw->options->no_compressed && !challenge_once_in(draw, 4);
}

void rv_compute_values(struct challenge_draw *draw);
void rv_access(struct challenge_draw *draw);
void rv_hint(struct challenge_draw *draw);

#endif
