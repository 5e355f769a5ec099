#include "generators/ete/tests/random_code.h"

#include "common/tests/random.h"

/* How a word says where a direct branch goes. */
enum form { NO_TARGET, B_A64, B19_A64, B14_A64, B_A32, BLX_A32, B8, B11, CB, B20, B24, BLX_T32 };

/* Where an instruction can be under an IT. */
enum under_it { NEVER, ANYWHERE, LAST };

struct template
{
    uint32_t word;
    uint8_t op, form, under_it;
    bool conditional, link, stays;
};

#define PLAIN(w)                                                                                   \
    {                                                                                              \
        .word = (w), .op = RANDOM_PLAIN, .under_it = ANYWHERE                                      \
    }
#define OF(o, w, u)                                                                                \
    {                                                                                              \
        .word = (w), .op = RANDOM_##o, .under_it = (u)                                             \
    }
#define DIRECT(w, f, u)                                                                            \
    {                                                                                              \
        .word = (w), .op = RANDOM_DIRECT, .form = (f), .under_it = (u)                             \
    }
#define CALL(w, f)                                                                                 \
    {                                                                                              \
        .word = (w), .op = RANDOM_DIRECT, .form = (f), .under_it = LAST, .link = true              \
    }
#define CONDITIONAL(w, f)                                                                          \
    {                                                                                              \
        .word = (w), .op = RANDOM_DIRECT, .form = (f), .conditional = true                         \
    }
#define INDIRECT_CALL(w)                                                                           \
    {                                                                                              \
        .word = (w), .op = RANDOM_INDIRECT, .under_it = LAST, .link = true                         \
    }
#define STAYS(o, w)                                                                                \
    {                                                                                              \
        .word = (w), .op = RANDOM_##o, .under_it = LAST, .stays = true                             \
    }

static const struct template of_a64[] = {
    PLAIN(0xd503201f),                   /* NOP */
    PLAIN(0x91000400),                   /* ADD X0, X0, #1 */
    PLAIN(0xf9400020),                   /* LDR X0, [X1] */
    PLAIN(0xd5033bbf),                   /* DMB ISH */
    PLAIN(0xb9000041),                   /* STR W1, [X2] */
    PLAIN(0xaa0103e0),                   /* MOV X0, X1 */
    OF(COMPARE, 0xf100001f, 0),          /* CMP X0, #0 */
    DIRECT(0x14000000, B_A64, 0),        /* B */
    CALL(0x94000000, B_A64),             /* BL */
    CONDITIONAL(0x54000000, B19_A64),    /* B.EQ */
    CONDITIONAL(0x34000000, B19_A64),    /* CBZ */
    CONDITIONAL(0xb5000001, B19_A64),    /* CBNZ */
    CONDITIONAL(0x36000002, B14_A64),    /* TBZ */
    OF(INDIRECT, 0xd61f0200, 0),         /* BR X16 */
    INDIRECT_CALL(0xd63f0200),           /* BLR X16 */
    OF(RETURN, 0xd65f0200, 0),           /* RET X16 */
    OF(RETURN, 0xd65f0bff, 0),           /* RETAA */
    OF(ISB, 0xd5033fdf, 0),              /* ISB */
    OF(WFX, 0xd503207f, 0),              /* WFI */
    OF(SVC, 0xd4000001, 0),              /* SVC #0 */
    OF(EXCEPTION_RETURN, 0xd69f03e0, 0), /* ERET */
    OF(TSTART, 0xd5233060, 0),           /* TSTART X0 */
    OF(TCOMMIT, 0xd503307f, 0),          /* TCOMMIT */
    OF(TCANCEL, 0xd4600000, 0),          /* TCANCEL #0 */
};

static const struct template of_a32[] = {
    PLAIN(0xe1a00000),                   /* MOV R0, R0 */
    PLAIN(0xe5910000),                   /* LDR R0, [R1] */
    PLAIN(0xe2811001),                   /* ADD R1, R1, #1 */
    PLAIN(0xe0010291),                   /* MUL R1, R1, R2 */
    PLAIN(0xe8910006),                   /* LDM R1, {R1, R2} */
    DIRECT(0xea000000, B_A32, 0),        /* B */
    DIRECT(0xea000000, B_A32, 0),        /* B, most often with a condition */
    CALL(0xeb000000, B_A32),             /* BL */
    CALL(0xfa000000, BLX_A32),           /* BLX */
    OF(INDIRECT, 0xe12fff10, 0),         /* BX R0 */
    INDIRECT_CALL(0xe12fff30),           /* BLX R0 */
    OF(INDIRECT, 0xe12fff20, 0),         /* BXJ R0 */
    OF(INDIRECT, 0xe591f000, 0),         /* LDR PC, [R1] */
    OF(INDIRECT, 0xe08ff000, 0),         /* ADD PC, PC, R0 */
    OF(INDIRECT, 0xe8918000, 0),         /* LDM R1, {PC} */
    OF(RETURN, 0xe12fff1e, 0),           /* BX LR */
    OF(RETURN, 0xe1a0f00e, 0),           /* MOV PC, LR */
    OF(RETURN, 0xe49df004, 0),           /* POP {PC} */
    OF(RETURN, 0xe8bd8010, 0),           /* POP {R4, PC} */
    OF(ISB, 0xf57ff06f, 0),              /* ISB */
    OF(ISB, 0xee070f95, 0),              /* CP15ISB */
    OF(WFX, 0xe320f003, 0),              /* WFI */
    OF(SVC, 0xef000000, 0),              /* SVC #0 */
    OF(EXCEPTION_RETURN, 0xe160006e, 0), /* ERET */
    OF(EXCEPTION_RETURN, 0xe25ef004, 0), /* SUBS PC, LR, #4 */
    OF(EXCEPTION_RETURN, 0xf8bd0a00, 0), /* RFEIA SP! */
    OF(EXCEPTION_RETURN, 0xe8fd8001, 0), /* LDM SP!, {R0, PC}^ */
};

static const struct template of_t32[] = {
    PLAIN(0xbf00),                          /* NOP */
    PLAIN(0x4600),                          /* MOV R0, R0 */
    PLAIN(0x6808),                          /* LDR R0, [R1] */
    PLAIN(0xf8d10000),                      /* LDR.W R0, [R1] */
    PLAIN(0xf1010101),                      /* ADD.W R1, R1, #1 */
    CONDITIONAL(0xd000, B8),                /* BEQ */
    CONDITIONAL(0xb100, CB),                /* CBZ R0 */
    CONDITIONAL(0xb901, CB),                /* CBNZ R1 */
    CONDITIONAL(0xf0008000, B20),           /* BEQ.W */
    DIRECT(0xe000, B11, LAST),              /* B */
    DIRECT(0xf0009000, B24, LAST),          /* B.W */
    CALL(0xf000d000, B24),                  /* BL */
    CALL(0xf000c000, BLX_T32),              /* BLX */
    OF(INDIRECT, 0x4700, LAST),             /* BX R0 */
    INDIRECT_CALL(0x4780),                  /* BLX R0 */
    OF(INDIRECT, 0xf3c08f00, LAST),         /* BXJ R0 */
    OF(INDIRECT, 0xf8d1f000, LAST),         /* LDR.W PC, [R1] */
    OF(INDIRECT, 0xe8918000, LAST),         /* LDM.W R1, {PC} */
    STAYS(INDIRECT, 0x4487),                /* ADD PC, R0 */
    STAYS(INDIRECT, 0x4687),                /* MOV PC, R0 */
    STAYS(INDIRECT, 0xe8d0f001),            /* TBB [R0, R1] */
    STAYS(INDIRECT, 0xe8d0f011),            /* TBH [R0, R1, LSL #1] */
    OF(RETURN, 0x4770, LAST),               /* BX LR */
    STAYS(RETURN, 0x46f7),                  /* MOV PC, LR */
    OF(RETURN, 0xbd00, LAST),               /* POP {PC} */
    OF(RETURN, 0xe8bd8010, LAST),           /* POP.W {R4, PC} */
    OF(RETURN, 0xf85dfb04, LAST),           /* LDR.W PC, [SP], #4 */
    OF(ISB, 0xf3bf8f6f, ANYWHERE),          /* ISB */
    OF(ISB, 0xee070f95, ANYWHERE),          /* CP15ISB */
    OF(WFX, 0xbf30, ANYWHERE),              /* WFI */
    OF(WFX, 0xf3af8002, ANYWHERE),          /* WFE.W */
    OF(SVC, 0xdf00, ANYWHERE),              /* SVC #0 */
    OF(EXCEPTION_RETURN, 0xf3de8f00, LAST), /* ERET */
    OF(EXCEPTION_RETURN, 0xe9bdc000, LAST), /* RFEIA SP! */
    OF(IT, 0xbf00, NEVER),                  /* IT */
    OF(IT, 0xbf00, NEVER),
    OF(IT, 0xbf00, NEVER),
};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static const struct {
    const struct template *list;
    size_t count;
} templates[RANDOM_SETS] = {
    {of_a64, COUNT(of_a64)}, {of_a32, COUNT(of_a32)}, {of_t32, COUNT(of_t32)}};

/* --- which instructions --- */

static const struct template *some_template(enum random_set set, uint64_t *seed)
{
    enum { PLAIN_MOST = 5 };
    const size_t limit = random_below(seed, 3) == 0 ? PLAIN_MOST : templates[set].count;
    return &templates[set].list[random_below(seed, limit)];
}

static const struct template *some_under_it(bool last, uint64_t *seed)
{
    const struct template *one;
    do {
        one = some_template(RANDOM_T32, seed);
    } while (one->under_it != ANYWHERE && !(one->under_it == LAST && last));
    return one;
}

static struct random_instruction instruction_of(const struct template *one, enum random_set set)
{
    return (struct random_instruction){.word = one->word,
                                       .size = set != RANDOM_T32 || one->word > 0xffff ? 4 : 2,
                                       .op = one->op,
                                       .conditional = one->conditional,
                                       .link = one->link,
                                       .stays = one->stays,
                                       .form = one->form};
}

/* The condition of a branch that has one in its word, but for AL. */
static uint32_t some_condition(const struct template *one, uint64_t *seed)
{
    enum { AL = 14 };
    const uint32_t condition = (uint32_t)random_below(seed, AL);
    return one->form == B8                                   ? condition << 8
           : one->form == B20                                ? condition << 22
           : one->form == B19_A64 && one->word == 0x54000000 ? condition
                                                             : 0;
}

/* One that is not in the space of instructions without condition can have one. */
static void add_condition(struct random_instruction *i, uint64_t *seed)
{
    enum { AL = 14 };
    if (i->word >> 28 == AL && random_below(seed, 2) == 0) {
        i->word = (i->word & 0x0fffffff) | (uint32_t)random_below(seed, AL) << 28;
        i->conditional = i->op != RANDOM_PLAIN;
    }
}

/* IT and what it covers: the mask has the lowest bit of the condition for those that are executed
 * where it holds, and the other one for the others, then 1. */
static void make_it(struct random_code *code, unsigned at, uint64_t *seed)
{
    enum { AL = 14 };
    struct random_instruction *it = &code->list[at];
    const uint32_t condition = (uint32_t)random_below(seed, AL + 1);
    it->covers = (uint8_t)(1 + random_below(seed, RANDOM_IT_MOST));
    it->always = condition == AL;
    it->if_holds = it->always ? 0xf : (uint8_t)(1 | random_below(seed, 8) << 1);
    uint32_t mask = 1u << (RANDOM_IT_MOST - it->covers);
    for (unsigned n = 1; n < it->covers; n++) {
        const uint32_t bit = (it->if_holds >> n & 1) != 0 ? condition & 1 : ~condition & 1;
        mask |= bit << (RANDOM_IT_MOST - n);
    }
    it->word = 0xbf00 | condition << 4 | mask;
    for (unsigned n = 0; n < it->covers; n++) {
        struct random_instruction *covered = &code->list[at + 1 + n];
        *covered = instruction_of(some_under_it(n + 1 == it->covers, seed), RANDOM_T32);
        covered->covered = true;
        covered->always = it->always;
    }
}

static void choose(struct random_code *code, enum random_set set, uint64_t *seed)
{
    static const uint32_t to_begin[] = {0x14000000, 0xea000000, 0xf0009000};
    static const uint8_t form[] = {B_A64, B_A32, B24};
    const unsigned most = set == RANDOM_A64 ? RANDOM_CODE_MOST : 192;
    code->count = 48 + (unsigned)random_below(seed, most - 48);
    for (unsigned at = 0; at < code->count; at++) {
        struct random_instruction *i = &code->list[at];
        const struct template *one = some_template(set, seed);
        *i = instruction_of(one, set);
        i->word |= some_condition(one, seed);
        if (set == RANDOM_A32) {
            add_condition(i, seed);
        } else if (i->op == RANDOM_IT && at + 1 + RANDOM_IT_MOST < code->count - 1) {
            make_it(code, at, seed);
            at += i->covers;
        } else if (i->op == RANDOM_IT) {
            i->op = RANDOM_PLAIN; /* its word is that of NOP */
        }
    }
    code->list[code->count - 1] = (struct random_instruction){
        .word = to_begin[set], .size = 4, .op = RANDOM_DIRECT, .form = form[set]};
}

/* --- where branches go --- */

static uint32_t slice(int64_t value, unsigned bit, unsigned width)
{
    return (uint32_t)((uint64_t)value >> bit & ((1u << width) - 1));
}

/* S:I1:I2:imm10:imm11, as J1 and J2 (encoding T4 of B). */
static uint32_t encode_b24(int64_t offset)
{
    const uint32_t s = slice(offset, 24, 1);
    const uint32_t j1 = ~(slice(offset, 23, 1) ^ s) & 1;
    const uint32_t j2 = ~(slice(offset, 22, 1) ^ s) & 1;
    return s << 26 | slice(offset, 12, 10) << 16 | j1 << 13 | j2 << 11 | slice(offset, 1, 11);
}

/* S:J2:J1:imm6:imm11 (encoding T3 of B). */
static uint32_t encode_b20(int64_t offset)
{
    return slice(offset, 20, 1) << 26 | slice(offset, 12, 6) << 16 | slice(offset, 18, 1) << 13 |
           slice(offset, 19, 1) << 11 | slice(offset, 1, 11);
}

/* False where the form has no room for it. `offset` is that from the instruction. */
static bool encode(struct random_instruction *i, int64_t offset)
{
    const int64_t t32 = offset - 4;
    const int64_t aligned = offset - 4 + (int64_t)(i->address & 2);
    switch (i->form) {
    case B_A64:
        i->word |= slice(offset, 2, 26);
        return true;
    case B19_A64:
        i->word |= slice(offset, 2, 19) << 5;
        return true;
    case B14_A64:
        i->word |= slice(offset, 2, 14) << 5;
        return true;
    case B_A32:
        i->word |= slice(offset - 8, 2, 24);
        return true;
    case BLX_A32:
        i->word |= slice(offset - 8, 2, 24) | slice(offset - 8, 1, 1) << 24;
        return true;
    case B8:
        i->word |= slice(t32, 1, 8);
        return t32 >= -256 && t32 < 256;
    case B11:
        i->word |= slice(t32, 1, 11);
        return t32 >= -2048 && t32 < 2048;
    case CB:
        i->word |= slice(t32, 6, 1) << 9 | slice(t32, 1, 5) << 3;
        return t32 >= 0 && t32 < 128;
    case B20:
        i->word |= encode_b20(t32);
        return true;
    case B24:
        i->word |= encode_b24(t32);
        return true;
    default:
        i->word |= encode_b24(aligned);
        return true;
    }
}

/* A branch into what an IT covers is UNPREDICTABLE. */
static unsigned some_target(const struct random_code *code, unsigned at, bool near, uint64_t *seed)
{
    enum { NEAR = 24 };
    unsigned to;
    do {
        to = near ? (at + NEAR / 2 + code->count - (unsigned)random_below(seed, NEAR)) % code->count
                  : (unsigned)random_below(seed, code->count);
    } while (code->list[to].covered);
    return to;
}

static void aim(struct random_program_codes *codes, enum random_set set, unsigned at,
                uint64_t *seed)
{
    enum { TRIALS = 64 };
    struct random_instruction *i = &codes->of[set].list[at];
    const uint32_t word = i->word;
    i->target_set = (uint8_t)(i->form == BLX_A32   ? RANDOM_T32
                              : i->form == BLX_T32 ? RANDOM_A32
                                                   : set);
    const struct random_code *to = &codes->of[i->target_set];
    for (unsigned n = 0; n < TRIALS; n++) {
        const bool last = at == codes->of[set].count - 1;
        const bool near = i->target_set == set && random_below(seed, 4) > 0;
        i->target = last ? 0 : some_target(to, at, near, seed);
        i->word = word;
        if (encode(i, (int64_t)(to->list[i->target].address - i->address))) {
            return;
        }
    }
    i->word = 0xbf00;
    i->op = RANDOM_PLAIN;
    i->conditional = false;
}

void random_codes_make(struct random_program_codes *codes, const uint64_t *bases, uint64_t *seed)
{
    for (unsigned set = 0; set < RANDOM_SETS; set++) {
        struct random_code *code = &codes->of[set];
        uint64_t address = bases[set];
        code->base = address;
        choose(code, (enum random_set)set, seed);
        for (unsigned at = 0; at < code->count; at++) {
            code->list[at].address = address;
            address += code->list[at].size;
        }
    }
    for (unsigned set = 0; set < RANDOM_SETS; set++) {
        for (unsigned at = 0; at < codes->of[set].count; at++) {
            if (codes->of[set].list[at].op == RANDOM_DIRECT) {
                aim(codes, (enum random_set)set, at, seed);
            }
        }
    }
}

size_t random_code_bytes(const struct random_code *code, uint8_t *bytes)
{
    uint8_t *end = bytes;
    for (unsigned at = 0; at < code->count; at++) {
        const struct random_instruction *i = &code->list[at];
        const bool t32 = i->word >> 16 >= 0xe800 && code->list[code->count - 1].form == B24;
        if (i->size == 2) {
            assay_store16(end, (uint16_t)i->word);
        } else {
            assay_store32(end, t32 ? i->word << 16 | i->word >> 16 : i->word);
        }
        end += i->size;
    }
    return (size_t)(end - bytes);
}
