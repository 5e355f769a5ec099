/* What draws a challenge: its structure, which is the same for all instruction sets, and what an
 * instruction set adds. Private to generators/challenge/. */
#ifndef ASSAY_GENERATORS_CHALLENGE_DRAW_H
#define ASSAY_GENERATORS_CHALLENGE_DRAW_H

#include "common/random.h"
#include "generators/challenge/challenge.h"
#include "generators/challenge/code.h"

enum { CHALLENGE_CARDS = 96, CHALLENGE_COUNTERS = 3, CHALLENGE_FIELDS = 6 };

/* A word of which fields are drawn, one after the other: a number below a limit, or the number of a
 * register for values. */
struct challenge_form {
    uint32_t word;
    struct challenge_field {
        uint8_t low;    /* its lowest bit */
        uint8_t what;   /* enum challenge_what */
        uint16_t limit; /* of a number */
    } field[CHALLENGE_FIELDS];
};

enum challenge_what { CHALLENGE_NOTHING, CHALLENGE_NUMBER, CHALLENGE_REGISTER, CHALLENGE_SHORT };

/* What a form is written with: a number below a limit, of some bits, a register, and one of those
 * that instructions of 2 bytes can name by 3 bits. */
#define BELOW(low, limit)                                                                          \
    {                                                                                              \
        low, CHALLENGE_NUMBER, limit                                                               \
    }
#define BITS(low, width)                                                                           \
    {                                                                                              \
        low, CHALLENGE_NUMBER, 1 << (width)                                                        \
    }
#define REGISTER(low)                                                                              \
    {                                                                                              \
        low, CHALLENGE_REGISTER, 0                                                                 \
    }
#define SHORT(low)                                                                                 \
    {                                                                                              \
        low, CHALLENGE_SHORT, 0                                                                    \
    }

/* Cards are dealt until none is left, then all are shuffled again: each kind occurs. */
struct challenge_deck {
    uint8_t card[CHALLENGE_CARDS];
    unsigned count, left;
};

struct challenge_isa;

struct challenge_draw {
    struct challenge_code *code;
    const struct challenge_isa *isa;
    const struct assay_challenge_options *options;
    uint64_t seed;
    uint16_t top;    /* where a round begins */
    uint16_t stop;   /* bare: what is executed from here on is not predicted */
    uint64_t cost;   /* the most instructions that what was drawn of a function executes ... */
    uint64_t factor; /* ... counting each that comes next so often, for the loops around it */
    struct challenge_deck statements, computations, accesses, branches, calls;
};

/* An instruction set: each function adds instructions. Registers for values, which all functions of
 * a program share, have drawn contents; others have a purpose. */
struct challenge_isa {
    struct challenge_fixer fixer;
    const uint8_t
        *values; /* registers for values; those that CHALLENGE_SHORT can draw come first */
    unsigned value_count, short_count;
    void (*start)(struct challenge_draw *draw);  /* fills all registers; loads the rounds */
    void (*finish)(struct challenge_draw *draw); /* stores the checksum, and ends */
    uint32_t parked;                             /* a jump to itself, of 4 bytes */
    /* What stands behind the code of a bare program: that, or the jump to where it is. */
    uint32_t (*last)(const struct assay_challenge_options *options);
    void (*compute)(struct challenge_draw *draw); /* one computation */
    void (*access)(struct challenge_draw *draw);  /* one access, of a computed address or not */
    void (*hint)(struct challenge_draw *draw);    /* a hint or a barrier */
    void (*branch)(struct challenge_draw *draw, uint16_t label); /* by values */
    void (*jump)(struct challenge_draw *draw, uint16_t label);
    void (*call)(struct challenge_draw *draw, uint16_t label);
    void (*jump_by_register)(struct challenge_draw *draw, uint16_t label);
    void (*call_by_register)(struct challenge_draw *draw, uint16_t label);
    /* By a table of `count` addresses, a power of 2, and a value. */
    void (*jump_by_table)(struct challenge_draw *draw, uint16_t table, unsigned count);
    void (*call_by_table)(struct challenge_draw *draw, uint16_t table, unsigned count);
    /* To one of `count` jumps of 4 bytes, which are at the labels. */
    void (*jump_by_code)(struct challenge_draw *draw, const uint16_t *labels, unsigned count);
    /* A call of a function that returns by another register, and its return. */
    void (*call_otherwise)(struct challenge_draw *draw, uint16_t label);
    void (*back_otherwise)(struct challenge_draw *draw);
    void (*enter)(struct challenge_draw *draw); /* saves the link register and the counters */
    void (*leave)(struct challenge_draw *draw);
    void (*back)(struct challenge_draw *draw);
    void (*stir)(struct challenge_draw *draw); /* a value goes into the checksum, and the reverse */
    /* Counters: numbers below CHALLENGE_COUNTERS are those of loops. */
    void (*set_counter)(struct challenge_draw *draw, unsigned counter, unsigned most);
    void (*count_down)(struct challenge_draw *draw, unsigned counter, uint16_t label);
    void (*skip_at_zero)(struct challenge_draw *draw, unsigned counter, uint16_t label);
    void (*decrement)(struct challenge_draw *draw, unsigned counter);
};

enum {
    CHALLENGE_DEPTH = CHALLENGE_COUNTERS, /* of a recursion; saved by nobody */
    CHALLENGE_OUTER                       /* of the repetitions of the whole program */
};

extern const struct challenge_isa challenge_a64, challenge_rv;

/* A card of a deck of `count` kinds. */
unsigned challenge_deal(struct challenge_draw *draw, struct challenge_deck *deck, unsigned count);

/* 0 .. limit - 1; one of a list. */
static inline unsigned challenge_below(struct challenge_draw *draw, uint64_t limit)
{
    return (unsigned)assay_random_below(&draw->seed, limit);
}

static inline bool challenge_once_in(struct challenge_draw *draw, uint64_t times)
{
    return assay_random_once_in(&draw->seed, times);
}

#define CHALLENGE_ONE_OF(draw, list) (list)[challenge_below(draw, sizeof(list) / sizeof((list)[0]))]

/* The word of a form; a register for values. */
uint32_t challenge_draw_form(struct challenge_draw *draw, const struct challenge_form *form);
uint32_t challenge_value(struct challenge_draw *draw);

/* Adds an instruction, and what it costs. */
static inline void challenge_put(struct challenge_draw *draw, const struct challenge_item *item)
{
    challenge_add(draw->code, item);
    draw->cost += draw->factor;
}

/* Draws code and initial data. */
void challenge_draw_program(struct challenge_draw *draw);

#endif
