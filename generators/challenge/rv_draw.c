/* RISC-V: computations and accesses of a challenge, of RV64I, M, A (AMO) and C. */
#include "generators/challenge/rv.h"

/* --- computations --- */

static const struct challenge_form computations[] = {
    /* ADD, SUB, SLL, SLT, SLTU, XOR, SRL, SRA, OR, AND */
    {0x00000033, {REGISTER(7), REGISTER(15), REGISTER(20)}},
    {0x40000033, {REGISTER(7), REGISTER(15), REGISTER(20)}},
    {0x00001033, {REGISTER(7), REGISTER(15), REGISTER(20)}},
    {0x00002033, {BITS(12, 1), REGISTER(7), REGISTER(15), REGISTER(20)}},
    {0x00004033, {REGISTER(7), REGISTER(15), REGISTER(20)}},
    {0x00005033, {BITS(30, 1), REGISTER(7), REGISTER(15), REGISTER(20)}},
    {0x00006033, {BITS(12, 1), REGISTER(7), REGISTER(15), REGISTER(20)}},
    /* ADDW, SUBW, SLLW, SRLW, SRAW */
    {0x0000003b, {BITS(30, 1), REGISTER(7), REGISTER(15), REGISTER(20)}},
    {0x0000103b, {REGISTER(7), REGISTER(15), REGISTER(20)}},
    {0x0000503b, {BITS(30, 1), REGISTER(7), REGISTER(15), REGISTER(20)}},
    /* MUL, MULH, MULHSU, MULHU; DIV, DIVU, REM, REMU; MULW; DIVW, DIVUW, REMW, REMUW */
    {0x02000033, {REGISTER(7), REGISTER(15), REGISTER(20)}},
    {0x02000033, {BITS(12, 2), REGISTER(7), REGISTER(15), REGISTER(20)}},
    {0x02004033, {BITS(12, 2), REGISTER(7), REGISTER(15), REGISTER(20)}},
    {0x0200003b, {REGISTER(7), REGISTER(15), REGISTER(20)}},
    {0x0200403b, {BITS(12, 2), REGISTER(7), REGISTER(15), REGISTER(20)}},
    /* ADDI, SLTI, SLTIU, XORI, ORI, ANDI, SLLI, SRLI, SRAI */
    {0x00000013, {BITS(20, 12), REGISTER(7), REGISTER(15)}},
    {0x00002013, {BITS(12, 1), BITS(20, 12), REGISTER(7), REGISTER(15)}},
    {0x00004013, {BITS(20, 12), REGISTER(7), REGISTER(15)}},
    {0x00006013, {BITS(12, 1), BITS(20, 12), REGISTER(7), REGISTER(15)}},
    {0x00001013, {BITS(20, 6), REGISTER(7), REGISTER(15)}},
    {0x00005013, {BITS(30, 1), BITS(20, 6), REGISTER(7), REGISTER(15)}},
    /* ADDIW, SLLIW, SRLIW, SRAIW */
    {0x0000001b, {BITS(20, 12), REGISTER(7), REGISTER(15)}},
    {0x0000101b, {BITS(20, 5), REGISTER(7), REGISTER(15)}},
    {0x0000501b, {BITS(30, 1), BITS(20, 5), REGISTER(7), REGISTER(15)}},
    /* LUI, AUIPC */
    {0x00000037, {BITS(12, 10), BITS(22, 10), REGISTER(7)}},
    {0x00000017, {BITS(12, 10), BITS(22, 10), REGISTER(7)}},
    /* C.ADDI, C.ADDIW, C.LI, C.LUI, C.SLLI: not of 0, where that is a hint or reserved */
    {0x0005, {BITS(3, 4), BITS(12, 1), REGISTER(7)}},
    {0x2001, {BITS(2, 5), BITS(12, 1), REGISTER(7)}},
    {0x4001, {BITS(2, 5), BITS(12, 1), REGISTER(7)}},
    {0x6005, {BITS(3, 4), BITS(12, 1), REGISTER(7)}},
    {0x0006, {BITS(3, 4), BITS(12, 1), REGISTER(7)}},
    /* C.SRLI, C.SRAI, C.ANDI; C.SUB, C.XOR, C.OR, C.AND; C.SUBW, C.ADDW; C.MV, C.ADD */
    {0x8005, {BITS(10, 1), BITS(3, 4), BITS(12, 1), SHORT(7)}},
    {0x8801, {BITS(2, 5), BITS(12, 1), SHORT(7)}},
    {0x8c01, {BITS(5, 2), SHORT(7), SHORT(2)}},
    {0x8c01, {BITS(5, 2), SHORT(7), SHORT(2)}},
    {0x9c01, {BITS(5, 1), SHORT(7), SHORT(2)}},
    {0x8002, {BITS(12, 1), REGISTER(7), REGISTER(2)}},
    {0x9002, {REGISTER(7), REGISTER(2)}},
};

enum { COMPUTATIONS = sizeof computations / sizeof computations[0] };

static bool is_allowed(const struct challenge_draw *draw, uint32_t word)
{
    const bool is_compressed = (word & 3) != 3;
    const bool is_of_m = (word & 0xfe000077) == 0x02000033;
    const bool is_atomic = (word & 0x7f) == 0x2f;
    return !(is_compressed && draw->options->no_compressed) &&
           !(is_of_m && !is_compressed && draw->options->no_multiply) &&
           !(is_atomic && draw->options->no_atomics);
}

void rv_compute_values(struct challenge_draw *draw)
{
    const struct challenge_form *form;
    do {
        form = &computations[challenge_deal(draw, &draw->computations, COMPUTATIONS)];
    } while (!is_allowed(draw, form->word));
    rv_put(draw, challenge_draw_form(draw, form));
}

/* --- accesses --- */

enum { RANGE = 0x7f8 };

/* A register becomes the address of 8 aligned bytes in the 2 KiB from the middle of the buffer on.
 */
static void put_address(struct challenge_draw *draw, uint32_t rd)
{
    const uint32_t rs = challenge_value(draw);
    rv_put(draw, rv_i(RV_ANDI, rd, rs, RANGE));
    rv_put(draw, rv_r(RV_ADD, rd, rd, RV_MIDDLE));
}

/* With an offset from the middle, or from a computed address. */
static void access_at_offset(struct challenge_draw *draw, uint32_t word, bool is_static)
{
    const bool is_store = (word & 0x20) != 0;
    const uint32_t log2 = word >> 12 & 3;
    const uint32_t value = challenge_value(draw);
    const uint32_t reach = is_static ? 2048 : 256;
    const uint32_t offset = (challenge_below(draw, 2 * reach >> log2) << log2) - reach;
    const uint32_t base = is_static                    ? RV_MIDDLE
                          : challenge_once_in(draw, 2) ? RV_ADDRESS
                                                       : RV_OTHER;
    if (!is_static) {
        put_address(draw, base);
    }
    rv_put(draw, is_store ? rv_s(word, base, value, offset) : rv_i(word, value, base, offset));
}

/* LB, LH, LW, LD, LBU, LHU, LWU, SB, SH, SW, SD */
static const uint32_t kinds[] = {0x0003, 0x1003, 0x2003, 0x3003, 0x4003, 0x5003,
                                 0x6003, 0x0023, 0x1023, 0x2023, 0x3023};

/* By a computed address in x15. */
static const struct challenge_form by_address[] = {
    /* C.LW, C.LD, C.SW, C.SD */
    {0x4380, {BITS(5, 2), BITS(10, 3), SHORT(2)}},
    {0x6380, {BITS(5, 2), BITS(10, 3), SHORT(2)}},
    {0xc380, {BITS(5, 2), BITS(10, 3), SHORT(2)}},
    {0xe380, {BITS(5, 2), BITS(10, 3), SHORT(2)}},
    /* AMOADD and AMOSWAP; AMOXOR, AMOOR, AMOAND; AMOMIN, AMOMAX, AMOMINU, AMOMAXU; of W and D */
    {0x0007a02f, {BITS(27, 1), BITS(25, 2), BITS(12, 1), REGISTER(7), REGISTER(20)}},
    {0x2007a02f, {BITS(25, 2), BITS(12, 1), REGISTER(7), REGISTER(20)}},
    {0x4007a02f, {BITS(29, 1), BITS(25, 2), BITS(12, 1), REGISTER(7), REGISTER(20)}},
    {0x8007a02f, {BITS(29, 2), BITS(25, 2), BITS(12, 1), REGISTER(7), REGISTER(20)}},
    {0x8007a02f, {BITS(29, 2), BITS(25, 2), BITS(12, 1), REGISTER(7), REGISTER(20)}},
};

enum {
    KINDS = sizeof kinds / sizeof kinds[0],
    BY_ADDRESS = sizeof by_address / sizeof by_address[0],
    ACCESSES = 2 * KINDS + 2 * BY_ADDRESS
};

void rv_access(struct challenge_draw *draw)
{
    const unsigned card = challenge_deal(draw, &draw->accesses, ACCESSES);
    if (card < 2 * KINDS) {
        access_at_offset(draw, kinds[card % KINDS], card < KINDS);
        return;
    }
    const struct challenge_form *form = &by_address[card % BY_ADDRESS];
    if (is_allowed(draw, form->word)) {
        put_address(draw, RV_ADDRESS);
        rv_put(draw, challenge_draw_form(draw, form));
    }
}

/* FENCE RW, RW; FENCE R, R; FENCE.TSO; NOP; C.NOP */
void rv_hint(struct challenge_draw *draw)
{
    static const uint32_t words[] = {0x0330000f, 0x0220000f, 0x8330000f, 0x00000013, 0x0001};
    const uint32_t word = CHALLENGE_ONE_OF(draw, words);
    rv_put(draw, is_allowed(draw, word) ? word : RV_ADDI);
}
