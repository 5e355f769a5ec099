/* RISC-V: branches, calls, counters and the ends of a challenge. */
#include "generators/challenge/rv.h"

#include "isa/rv_compute.h"

enum { EXIT = 93, COUNTER_0 = 9, COUNTER_1 = 19, COUNTER_2 = 20, FRAME = 32 };

static const uint8_t counters[] = {COUNTER_0, COUNTER_1, COUNTER_2, RV_DEPTH, RV_OUTER};

/* A number below `count`, a power of 2, of the bits of a value. */
static void put_choice(struct challenge_draw *draw, uint32_t rd, unsigned count)
{
    const uint32_t rs = challenge_value(draw);
    const uint32_t low = challenge_below(draw, 32);
    rv_put(draw, rv_i(RV_SRLI, rd, rs, low));
    rv_put(draw, rv_i(RV_ANDI, rd, rd, count - 1));
}

/* --- branches --- */

enum { BEQ = 0x0063, BNE = 0x1063, BLT = 0x4063 };

/* A branch with x0 can be C.BEQZ or C.BNEZ. */
static void put_branch(struct challenge_draw *draw, uint32_t word, uint32_t rs1, uint32_t rs2,
                       uint16_t label)
{
    struct challenge_item item = {
        .word = rv_r(word, 0, rs1, rs2), .size = 4, .fix = RV_FIX_B, .label = label};
    if (rs2 == RV_ZERO && rs1 >> 3 == 1 && word <= BNE && rv_is_short(draw)) {
        item.short_fix = RV_FIX_CB;
        item.short_word = (uint16_t)(0xc001 | (word == BNE ? 0x2000 : 0) | (rs1 & 7) << 7);
    }
    challenge_put(draw, &item);
}

enum { COMPARISONS = 6, EQUALITIES = 2, BRANCHES = COMPARISONS + EQUALITIES + 4 };

/* BEQ, BNE of single bits; BLT, BGE, BLTU, BGEU of values, or with x0; BEQ, BNE of two bits with
 * x0.
 */
static void branch(struct challenge_draw *draw, uint16_t label)
{
    const unsigned card = challenge_deal(draw, &draw->branches, BRANCHES);
    const uint32_t first = challenge_value(draw);
    const uint32_t second = challenge_value(draw);
    if (card >= COMPARISONS) {
        put_choice(draw, RV_COMPARED, 4);
        put_branch(draw, card & 1 ? BNE : BEQ, RV_COMPARED, RV_ZERO, label);
    } else if (card >= EQUALITIES) {
        const bool is_with_zero = card < EQUALITIES + 2 && challenge_once_in(draw, 2);
        put_branch(draw, BLT | (card - EQUALITIES) << 12, first, is_with_zero ? RV_ZERO : second,
                   label);
    } else {
        rv_put(draw, rv_i(RV_ANDI, RV_COMPARED, first, 1));
        put_choice(draw, RV_OTHER, 2);
        put_branch(draw, card == 0 ? BEQ : BNE, RV_COMPARED, RV_OTHER, label);
    }
}

static void jump(struct challenge_draw *draw, uint16_t label)
{
    struct challenge_item item = {.word = 0x6f, .size = 4, .fix = RV_FIX_J, .label = label};
    if (rv_is_short(draw)) {
        item.short_fix = RV_FIX_CJ;
        item.short_word = 0xa001;
    }
    challenge_put(draw, &item);
}

static void call(struct challenge_draw *draw, uint16_t label)
{
    rv_put_to(draw, 0x6f | RV_LINK << 7, RV_FIX_J, label);
}

/* C.JR or C.JALR, or JALR. */
static void put_transfer(struct challenge_draw *draw, uint32_t rd, uint32_t rs1)
{
    if (rv_is_short(draw)) {
        rv_put(draw, (rd == RV_LINK ? 0x9002u : 0x8002u) | rs1 << 7);
    } else {
        rv_put(draw, rv_i(RV_JALR_WORD, rd, rs1, 0));
    }
}

/* The address is computed before, or in part by the transfer itself. */
static void by_register(struct challenge_draw *draw, uint32_t rd, uint32_t rs1, uint16_t label)
{
    if (challenge_once_in(draw, 2)) {
        rv_put_pair(draw, rs1, rv_i(RV_JALR_WORD, rd, rs1, 0), label);
    } else {
        rv_put_address(draw, rs1, label);
        put_transfer(draw, rd, rs1);
    }
}

static void jump_by_register(struct challenge_draw *draw, uint16_t label)
{
    by_register(draw, RV_ZERO, RV_OTHER + challenge_below(draw, 2), label);
}

/* By x5, which is the other link register, it is a swap of co-routines. */
static void call_by_register(struct challenge_draw *draw, uint16_t label)
{
    by_register(draw, RV_LINK, RV_ALTERNATE + challenge_below(draw, 3), label);
}

static void by_table(struct challenge_draw *draw, uint32_t rd, uint16_t table, unsigned count)
{
    put_choice(draw, RV_OTHER, count);
    rv_put(draw, rv_i(RV_SLLI, RV_OTHER, RV_OTHER, 3));
    rv_put_address(draw, RV_THIRD, table);
    rv_put(draw, rv_r(RV_ADD, RV_OTHER, RV_OTHER, RV_THIRD));
    rv_put(draw, rv_i(RV_LD, RV_OTHER, RV_OTHER, 0));
    put_transfer(draw, rd, RV_OTHER);
}

static void jump_by_table(struct challenge_draw *draw, uint16_t table, unsigned count)
{
    by_table(draw, RV_ZERO, table, count);
}

static void call_by_table(struct challenge_draw *draw, uint16_t table, unsigned count)
{
    by_table(draw, RV_LINK, table, count);
}

static void jump_by_code(struct challenge_draw *draw, const uint16_t *labels, unsigned count)
{
    const uint16_t first = challenge_label(draw->code);
    put_choice(draw, RV_OTHER, count);
    rv_put(draw, rv_i(RV_SLLI, RV_OTHER, RV_OTHER, 2));
    rv_put_address(draw, RV_THIRD, first);
    rv_put(draw, rv_r(RV_ADD, RV_OTHER, RV_OTHER, RV_THIRD));
    put_transfer(draw, RV_ZERO, RV_OTHER);
    challenge_place(draw->code, first);
    for (unsigned i = 0; i < count; i++) {
        rv_put_to(draw, 0x6f, RV_FIX_J, labels[i]);
    }
}

static void call_otherwise(struct challenge_draw *draw, uint16_t label)
{
    rv_put_to(draw, 0x6f | RV_ALTERNATE << 7, RV_FIX_J, label);
}

static void back_otherwise(struct challenge_draw *draw)
{
    put_transfer(draw, RV_ZERO, RV_ALTERNATE);
}

/* What a frame has from its top on. */
static const uint8_t saved[] = {RV_LINK, COUNTER_0, COUNTER_1, COUNTER_2};

static void enter(struct challenge_draw *draw)
{
    const bool is_short = rv_is_short(draw);
    rv_put(draw, is_short ? 0x1101 : rv_i(RV_ADDI, RV_SP, RV_SP, 0u - FRAME)); /* C.ADDI sp, -32 */
    for (uint32_t i = 0; i < sizeof saved; i++) {
        const uint32_t at = 3 - i;                                          /* in units of 8 */
        rv_put(draw, is_short ? 0xe002 | at << 10 | (uint32_t)saved[i] << 2 /* C.SDSP */
                              : rv_s(RV_SD, RV_SP, saved[i], 8 * at));
    }
}

static void leave(struct challenge_draw *draw)
{
    const bool is_short = rv_is_short(draw);
    for (uint32_t i = 0; i < sizeof saved; i++) {
        const uint32_t at = 3 - i;
        rv_put(draw, is_short ? 0x6002 | at << 5 | (uint32_t)saved[i] << 7 /* C.LDSP */
                              : rv_i(RV_LD, saved[i], RV_SP, 8 * at));
    }
    rv_put(draw, is_short ? 0x6105 : rv_i(RV_ADDI, RV_SP, RV_SP, FRAME)); /* C.ADDI16SP 32 */
}

static void back(struct challenge_draw *draw)
{
    put_transfer(draw, RV_ZERO, RV_LINK);
}

/* The checksum, combined with itself shifted. */
static void put_fold(struct challenge_draw *draw, uint32_t shift, uint32_t amount)
{
    rv_put(draw, rv_i(shift, RV_OTHER, RV_CHECKSUM, amount));
    rv_put(draw, rv_r(RV_XOR, RV_CHECKSUM, RV_CHECKSUM, RV_OTHER));
}

static void stir(struct challenge_draw *draw)
{
    const uint32_t in = challenge_value(draw);
    const uint32_t out = challenge_value(draw);
    put_fold(draw, RV_SLLI, 13);
    put_fold(draw, RV_SRLI, 7);
    rv_put(draw, rv_r(RV_ADD, RV_CHECKSUM, RV_CHECKSUM, in));
    rv_put(draw, rv_r(RV_XOR, out, out, RV_CHECKSUM));
}

/* --- counters --- */

static void set_counter(struct challenge_draw *draw, unsigned counter, unsigned most)
{
    put_choice(draw, counters[counter], most);
    rv_put(draw, rv_i(RV_ADDI, counters[counter], counters[counter], 1));
}

static void decrement(struct challenge_draw *draw, unsigned counter)
{
    const uint32_t rd = counters[counter];
    /* C.ADDI by -1, or ADDI */
    rv_put(draw, rv_is_short(draw) ? 0x107d | rd << 7 : rv_i(RV_ADDI, rd, rd, 0xfff));
}

static void count_down(struct challenge_draw *draw, unsigned counter, uint16_t label)
{
    decrement(draw, counter);
    if (challenge_once_in(draw, 3)) {
        put_branch(draw, BLT, RV_ZERO, counters[counter], label);
    } else {
        put_branch(draw, BNE, counters[counter], RV_ZERO, label);
    }
}

static void skip_at_zero(struct challenge_draw *draw, unsigned counter, uint16_t label)
{
    put_branch(draw, BEQ, counters[counter], RV_ZERO, label);
}

/* --- the ends --- */

static const uint8_t values[] = {8, 10, 11, 12, 13, 16, 17, 28, 29, 30, 31};
enum { VALUES = sizeof values, SHORT_VALUES = 5 };

/* Values are what the buffer begins with, which is drawn. */
static void start(struct challenge_draw *draw)
{
    static const uint8_t cleared[] = {RV_LINK,   RV_ALTERNATE, RV_OTHER, RV_THIRD,    COUNTER_0,
                                      COUNTER_1, COUNTER_2,    RV_DEPTH, RV_COMPARED, RV_ADDRESS};
    struct challenge_code *code = draw->code;
    rv_put_address(draw, RV_MIDDLE, challenge_data_label(code, CHALLENGE_MIDDLE));
    rv_put_address(draw, RV_SP, challenge_data_label(code, CHALLENGE_STACK_TOP));
    for (uint32_t i = 0; i < VALUES; i++) {
        rv_put(draw, rv_i(RV_LD, values[i], RV_MIDDLE, 8 * i));
    }
    rv_put(draw, rv_i(RV_LD, RV_CHECKSUM, RV_MIDDLE, 8 * VALUES));
    for (uint32_t i = 0; i < sizeof cleared; i++) {
        rv_put(draw, rv_i(RV_ADDI, cleared[i], RV_ZERO, 0));
    }
    rv_put_pair(draw, RV_OTHER, rv_i(RV_LD, RV_OUTER, RV_OTHER, 0),
                challenge_data_label(code, CHALLENGE_ROUNDS));
}

static void finish(struct challenge_draw *draw)
{
    struct challenge_code *code = draw->code;
    rv_put_address(draw, RV_ADDRESS, challenge_data_label(code, CHALLENGE_CHECKSUM));
    rv_put(draw, rv_s(RV_SD, RV_ADDRESS, RV_CHECKSUM, 0));
    if (!draw->options->bare) {
        for (uint32_t shift = 32; shift >= 8; shift /= 2) {
            put_fold(draw, RV_SRLI, shift);
        }
        rv_put(draw, rv_i(RV_ANDI, 10, RV_CHECKSUM, 255));
        rv_put(draw, rv_i(RV_ADDI, 17, RV_ZERO, EXIT));
        rv_put(draw, 0x73); /* ECALL */
        return;
    }
    rv_put_pair(draw, RV_ADDRESS, rv_i(RV_LD, RV_ADDRESS, RV_ADDRESS, 0),
                challenge_data_label(code, CHALLENGE_TO_TOHOST));
    rv_put(draw, rv_i(RV_ADDI, RV_OTHER, RV_ZERO, 1));
    if (draw->options->has_end) {
        rv_put_pair(draw, RV_THIRD, rv_i(RV_LD, RV_THIRD, RV_THIRD, 0),
                    challenge_data_label(code, CHALLENGE_TO_END));
    }
    rv_put(draw, rv_s(RV_SD, RV_ADDRESS, RV_OTHER, 0));
}

static uint32_t parked(const struct assay_challenge_options *options)
{
    return options->has_end ? rv_i(RV_JALR_WORD, RV_ZERO, RV_THIRD, 0) : challenge_rv.parked;
}

/* --- labels --- */

static bool is_within(int64_t distance, int64_t limit)
{
    return distance >= -limit && distance < limit;
}

static bool spans(unsigned fix, int64_t distance)
{
    return is_within(distance, fix == RV_FIX_CB ? 256 : 2048);
}

/* Puts `width` bits of a distance, from its bit `from` on, to bit `low` of the word. */
static void scatter(uint32_t *word, int64_t distance, unsigned from, unsigned width, unsigned low)
{
    *word |= ((uint32_t)((uint64_t)distance >> from) & ((1u << width) - 1)) << low;
}

static bool fix_pair(unsigned kind, int64_t distance, uint32_t *word)
{
    if (kind == RV_FIX_UPPER) {
        scatter(word, distance + 0x800, 12, 20, 12);
    } else {
        scatter(word, distance, 0, 12, 20);
    }
    return is_within(distance + 0x800, INT64_C(1) << 31);
}

static bool fix_short(unsigned kind, int64_t d, uint32_t *word)
{
    if (kind == RV_FIX_CB) {
        scatter(word, d, 8, 1, 12);
        scatter(word, d, 3, 2, 10);
        scatter(word, d, 6, 2, 5);
    } else {
        scatter(word, d, 11, 1, 12);
        scatter(word, d, 4, 1, 11);
        scatter(word, d, 8, 2, 9);
        scatter(word, d, 10, 1, 8);
        scatter(word, d, 6, 1, 7);
        scatter(word, d, 7, 1, 6);
    }
    scatter(word, d, 1, kind == RV_FIX_CB ? 2 : 3, 3);
    scatter(word, d, 5, 1, 2);
    return spans(kind, d);
}

static bool fix(unsigned kind, uint64_t from, uint64_t target, uint32_t *word)
{
    const int64_t d = (int64_t)(target - from);
    switch (kind) {
    case RV_FIX_B:
        scatter(word, d, 12, 1, 31);
        scatter(word, d, 5, 6, 25);
        scatter(word, d, 1, 4, 8);
        scatter(word, d, 11, 1, 7);
        return is_within(d, 4096);
    case RV_FIX_J:
        scatter(word, d, 20, 1, 31);
        scatter(word, d, 1, 10, 21);
        scatter(word, d, 11, 1, 20);
        scatter(word, d, 12, 8, 12);
        return is_within(d, 1 << 20);
    case RV_FIX_UPPER:
        return fix_pair(kind, d, word);
    case RV_FIX_LOWER:
        return fix_pair(kind, d + 4, word); /* of the AUIPC before it */
    default:
        return fix_short(kind, d, word);
    }
}

const struct challenge_isa challenge_rv = {
    .fixer = {.spans = spans, .fix = fix},
    .values = values,
    .value_count = VALUES,
    .short_count = SHORT_VALUES,
    .start = start,
    .finish = finish,
    .parked = 0x6f,
    .last = parked,
    .compute = rv_compute_values,
    .access = rv_access,
    .hint = rv_hint,
    .branch = branch,
    .jump = jump,
    .call = call,
    .jump_by_register = jump_by_register,
    .call_by_register = call_by_register,
    .jump_by_table = jump_by_table,
    .call_by_table = call_by_table,
    .jump_by_code = jump_by_code,
    .call_otherwise = call_otherwise,
    .back_otherwise = back_otherwise,
    .enter = enter,
    .leave = leave,
    .back = back,
    .stir = stir,
    .set_counter = set_counter,
    .count_down = count_down,
    .skip_at_zero = skip_at_zero,
    .decrement = decrement,
};
