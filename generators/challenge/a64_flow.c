/* AArch64: branches, calls, counters and the ends of a challenge. */
#include "generators/challenge/a64.h"

enum { EXIT = 93 }; /* the system call */

static const uint8_t counters[] = {A64_COUNTER, A64_COUNTER + 1, A64_COUNTER + 2, A64_DEPTH,
                                   A64_OUTER};

/* EOR with a shifted register: LSL (0) or LSR (1). */
static uint32_t exclusive_or(uint32_t rd, uint32_t rn, uint32_t rm, uint32_t shift, uint32_t amount)
{
    return 0xca000000 | a64_fields(rd, rn, rm) | shift << 22 | amount << 10;
}

/* A constant, by MOVZ and MOVK. */
static void put_constant(struct challenge_draw *draw, uint32_t rd, uint64_t constant)
{
    a64_put(draw, 0xd2800000 | rd | (uint32_t)(constant & 0xffff) << 5);
    for (uint32_t i = 1; i < 4; i++) {
        const uint32_t part = (uint32_t)(constant >> 16 * i) & 0xffff;
        if (part != 0) {
            a64_put(draw, 0xf2800000 | rd | part << 5 | i << 21);
        }
    }
}

static unsigned log2_of(unsigned count)
{
    unsigned log2 = 0;
    while (count >> (log2 + 1) != 0) {
        log2++;
    }
    return log2;
}

/* A number below `count`, a power of 2, of the bits of a value. */
static void put_choice(struct challenge_draw *draw, uint32_t rd, unsigned count)
{
    const uint32_t rn = challenge_value(draw);
    a64_put(draw, a64_extract(rd, rn, log2_of(count), challenge_below(draw, 32)));
}

/* --- branches --- */

/* Sets the flags. */
static void compare(struct challenge_draw *draw)
{
    static const struct challenge_form forms[] = {
        /* CMN and CMP of 32 and 64 bits, with a register and an immediate; TST; SUBS */
        {0x2b00001f, {BITS(30, 2), REGISTER(5), REGISTER(16)}},
        {0x3100001f, {BITS(30, 2), BITS(10, 12), REGISTER(5)}},
        {0x6a00001f, {BITS(31, 1), REGISTER(5), REGISTER(16)}},
        {0x6b000000, {BITS(31, 1), REGISTER(0), REGISTER(5), REGISTER(16)}},
        /* TST with two bits, which are often zero */
        {0xf240041f, {BITS(16, 6), REGISTER(5)}},
        {0xf240041f, {BITS(16, 6), REGISTER(5)}},
    };
    a64_put_form(draw, &CHALLENGE_ONE_OF(draw, forms));
}

enum { CONDITIONS = 15, BY_REGISTER = 4, BY_BIT = 2, BRANCHES = CONDITIONS + BY_REGISTER + BY_BIT };

/* CBZ, CBNZ of 32 and 64 bits, of a value or of two bits of one. */
static void branch_by_register(struct challenge_draw *draw, unsigned form, uint16_t label)
{
    uint32_t rt = challenge_value(draw);
    if (!challenge_once_in(draw, 3)) {
        a64_put(draw, a64_extract(A64_COMPARED, rt, 2, challenge_below(draw, 32)));
        rt = A64_COMPARED;
    }
    a64_put_to(draw, 0x34000000 | (form >> 1) << 31 | (form & 1) << 24 | rt, A64_FIX_19, label);
}

static void branch_by_bit(struct challenge_draw *draw, unsigned form, uint16_t label)
{
    static const struct challenge_form test = {0x36000000, {BITS(31, 1), BITS(19, 5), REGISTER(0)}};
    a64_put_to(draw, challenge_draw_form(draw, &test) | (form & 1) << 24, A64_FIX_14, label);
}

static void branch(struct challenge_draw *draw, uint16_t label)
{
    const uint32_t card = challenge_deal(draw, &draw->branches, BRANCHES);
    if (card >= CONDITIONS + BY_REGISTER) {
        branch_by_bit(draw, card, label);
        return;
    }
    if (card >= CONDITIONS) {
        branch_by_register(draw, card - CONDITIONS, label);
        return;
    }
    if (!challenge_once_in(draw, 4)) {
        compare(draw);
    }
    a64_put_to(draw, 0x54000000 | card, A64_FIX_19, label);
}

static void jump(struct challenge_draw *draw, uint16_t label)
{
    a64_put_to(draw, 0x14000000, A64_FIX_26, label);
}

static void call(struct challenge_draw *draw, uint16_t label)
{
    a64_put_to(draw, 0x94000000, A64_FIX_26, label);
}

static const uint32_t word_br = 0xd61f0000, word_blr = 0xd63f0000, word_ret = 0xd65f0000;

static void by_register(struct challenge_draw *draw, uint32_t transfer, uint16_t label)
{
    const uint32_t rn = challenge_once_in(draw, 2) ? A64_ADDRESS : A64_OTHER;
    a64_put_address(draw, rn, label);
    a64_put(draw, transfer | rn << 5);
}

static void jump_by_register(struct challenge_draw *draw, uint16_t label)
{
    by_register(draw, word_br, label);
}

static void call_by_register(struct challenge_draw *draw, uint16_t label)
{
    by_register(draw, word_blr, label);
}

static void by_table(struct challenge_draw *draw, uint32_t transfer, uint16_t table, unsigned count)
{
    put_choice(draw, A64_ADDRESS, count);
    a64_put_address(draw, A64_OTHER, table);
    /* LDR x16, [x17, x16, LSL #3] */
    a64_put(draw, 0xf8607800 | a64_fields(A64_ADDRESS, A64_OTHER, A64_ADDRESS));
    a64_put(draw, transfer | A64_ADDRESS << 5);
}

static void jump_by_table(struct challenge_draw *draw, uint16_t table, unsigned count)
{
    by_table(draw, word_br, table, count);
}

static void call_by_table(struct challenge_draw *draw, uint16_t table, unsigned count)
{
    by_table(draw, word_blr, table, count);
}

static void jump_by_code(struct challenge_draw *draw, const uint16_t *labels, unsigned count)
{
    const uint16_t first = challenge_label(draw->code);
    put_choice(draw, A64_ADDRESS, count);
    a64_put_to(draw, 0x10000000 | A64_OTHER, A64_FIX_ADR, first);
    /* ADD x16, x17, x16, LSL #2 */
    a64_put(draw, a64_add(A64_ADDRESS, A64_OTHER, A64_ADDRESS) | 2 << 10);
    a64_put(draw, word_br | A64_ADDRESS << 5);
    challenge_place(draw->code, first);
    for (unsigned i = 0; i < count; i++) {
        jump(draw, labels[i]);
    }
}

/* MOV x16, x30; RET x16 */
static void back_otherwise(struct challenge_draw *draw)
{
    a64_put(draw, 0xaa0003e0 | a64_fields(A64_ADDRESS, 0, A64_LINK));
    a64_put(draw, word_ret | A64_ADDRESS << 5);
}

/* STP and LDP of x30, x21, x22, x23 in 32 bytes. */
static void enter(struct challenge_draw *draw)
{
    a64_put(draw, 0xa9be0000 | A64_COUNTER << 10 | a64_fields(A64_LINK, A64_SP, 0));
    a64_put(draw, 0xa9010000 | (A64_COUNTER + 2) << 10 | a64_fields(A64_COUNTER + 1, A64_SP, 0));
}

static void leave(struct challenge_draw *draw)
{
    a64_put(draw, 0xa9410000 | (A64_COUNTER + 2) << 10 | a64_fields(A64_COUNTER + 1, A64_SP, 0));
    a64_put(draw, 0xa8c20000 | A64_COUNTER << 10 | a64_fields(A64_LINK, A64_SP, 0));
}

static void back(struct challenge_draw *draw)
{
    a64_put(draw, word_ret | A64_LINK << 5);
}

static void stir(struct challenge_draw *draw)
{
    const uint32_t sum = A64_CHECKSUM;
    const uint32_t in = challenge_value(draw);
    const uint32_t out = challenge_value(draw);
    a64_put(draw, exclusive_or(sum, sum, sum, 0, 13));
    a64_put(draw, exclusive_or(sum, sum, sum, 1, 7));
    a64_put(draw, exclusive_or(sum, sum, sum, 0, 17));
    a64_put(draw, a64_add(sum, sum, in));
    a64_put(draw, exclusive_or(out, out, sum, 1, challenge_below(draw, 32)));
}

/* --- counters --- */

static void set_counter(struct challenge_draw *draw, unsigned counter, unsigned most)
{
    put_choice(draw, counters[counter], most);
    a64_put(draw, a64_add_immediate(counters[counter], counters[counter], 1));
}

static void decrement(struct challenge_draw *draw, unsigned counter)
{
    a64_put(draw, 0xd1000400 | a64_fields(counters[counter], counters[counter], 0));
}

static void count_down(struct challenge_draw *draw, unsigned counter, uint16_t label)
{
    const uint32_t rn = counters[counter];
    switch (challenge_below(draw, 3)) {
    case 0: /* SUBS, B.NE */
        a64_put(draw, 0xf1000400 | a64_fields(rn, rn, 0));
        a64_put_to(draw, 0x54000001, A64_FIX_19, label);
        break;
    case 1: /* SUB, CMP with 0, B.HI */
        decrement(draw, counter);
        a64_put(draw, 0xf1000000 | a64_fields(A64_ZERO, rn, 0));
        a64_put_to(draw, 0x54000008, A64_FIX_19, label);
        break;
    default: /* SUB, CBNZ */
        decrement(draw, counter);
        a64_put_to(draw, 0xb5000000 | rn, A64_FIX_19, label);
    }
}

static void skip_at_zero(struct challenge_draw *draw, unsigned counter, uint16_t label)
{
    a64_put_to(draw, 0xb4000000 | counters[counter], A64_FIX_19, label);
}

/* --- the ends --- */

static void start(struct challenge_draw *draw)
{
    struct challenge_code *code = draw->code;
    for (uint32_t i = 0; i <= A64_OTHER; i++) {
        const unsigned unused = 16 * challenge_below(draw, 4);
        put_constant(draw, i, assay_random(&draw->seed) >> unused);
    }
    for (uint32_t i = A64_COUNTER; i <= A64_DEPTH; i++) {
        put_constant(draw, i, 0);
    }
    put_constant(draw, A64_CHECKSUM, assay_random(&draw->seed) | 1);
    put_constant(draw, A64_LINK, 0);
    a64_put_address(draw, A64_MIDDLE, challenge_data_label(code, CHALLENGE_MIDDLE));
    a64_put_address(draw, A64_ADDRESS, challenge_data_label(code, CHALLENGE_STACK_TOP));
    a64_put(draw, a64_add_immediate(A64_SP, A64_ADDRESS, 0));
    a64_put(draw, 0xeb000000 | a64_fields(A64_ZERO, 0, 1)); /* CMP: the flags are known */
    a64_put_to(draw, 0x58000000 | A64_OUTER, A64_FIX_19,
               challenge_data_label(code, CHALLENGE_ROUNDS));
}

static void finish(struct challenge_draw *draw)
{
    struct challenge_code *code = draw->code;
    a64_put_address(draw, A64_ADDRESS, challenge_data_label(code, CHALLENGE_CHECKSUM));
    a64_put(draw, 0xf9000000 | a64_fields(A64_CHECKSUM, A64_ADDRESS, 0)); /* STR */
    if (!draw->options->bare) {
        for (uint32_t shift = 32; shift >= 8; shift /= 2) {
            a64_put(draw, exclusive_or(A64_CHECKSUM, A64_CHECKSUM, A64_CHECKSUM, 1, shift));
        }
        a64_put(draw, a64_mask(0, A64_CHECKSUM, 8, 0));
        put_constant(draw, 8, EXIT);
        a64_put(draw, 0xd4000001); /* SVC #0 */
        return;
    }
    a64_put_to(draw, 0x58000000 | A64_ADDRESS, A64_FIX_19,
               challenge_data_label(code, CHALLENGE_TO_TOHOST));
    put_constant(draw, A64_OTHER, 1);
    if (draw->options->has_end) {
        a64_put_to(draw, 0x58000000 | A64_COMPARED, A64_FIX_19,
                   challenge_data_label(code, CHALLENGE_TO_END));
    }
    a64_put(draw, 0xf9000000 | a64_fields(A64_OTHER, A64_ADDRESS, 0));
}

static uint32_t parked(const struct assay_challenge_options *options)
{
    return options->has_end ? word_br | A64_COMPARED << 5 : challenge_a64.parked;
}

/* --- labels --- */

/* No instruction has 2 bytes. */
static bool spans(unsigned fix, int64_t distance)
{
    (void)fix;
    (void)distance;
    return false;
}

/* A distance in words, as a field of `width` bits. */
static bool fix_words(uint32_t *word, int64_t distance, unsigned width, unsigned low)
{
    const int64_t limit = INT64_C(4) << (width - 1);
    *word |= ((uint32_t)(distance / 4) & ((1u << width) - 1)) << low;
    return distance >= -limit && distance < limit;
}

static bool fix_adr(uint32_t *word, int64_t distance)
{
    const int64_t limit = INT64_C(1) << 20;
    *word |= ((uint32_t)distance & 3) << 29 | ((uint32_t)(distance >> 2) & 0x7ffff) << 5;
    return distance >= -limit && distance < limit;
}

static bool fix(unsigned kind, uint64_t from, uint64_t target, uint32_t *word)
{
    const int64_t distance = (int64_t)(target - from);
    switch (kind) {
    case A64_FIX_26:
        return fix_words(word, distance, 26, 0);
    case A64_FIX_19:
        return fix_words(word, distance, 19, 5);
    case A64_FIX_14:
        return fix_words(word, distance, 14, 5);
    case A64_FIX_ADR:
        return fix_adr(word, distance);
    case A64_FIX_ADRP:
        return fix_adr(word, (int64_t)(target >> 12) - (int64_t)(from >> 12));
    default:
        *word |= (uint32_t)(target & 0xfff) << 10;
        return true;
    }
}

static const uint8_t values[A64_VALUES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};

const struct challenge_isa challenge_a64 = {
    .fixer = {.spans = spans, .fix = fix},
    .values = values,
    .value_count = A64_VALUES,
    .start = start,
    .finish = finish,
    .parked = 0x14000000,
    .last = parked,
    .compute = a64_compute,
    .access = a64_access,
    .hint = a64_hint,
    .branch = branch,
    .jump = jump,
    .call = call,
    .jump_by_register = jump_by_register,
    .call_by_register = call_by_register,
    .jump_by_table = jump_by_table,
    .call_by_table = call_by_table,
    .jump_by_code = jump_by_code,
    .call_otherwise = call,
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
