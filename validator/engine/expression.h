/* The rule language after reading: flat, typed, total. An expression is an array of nodes in which
 * every node follows its operands, so that evaluating, emitting and mutating it are loops without
 * recursion. docs/rules.md describes the language for those who write rules.
 */
#ifndef ASSAY_VALIDATOR_EXPRESSION_H
#define ASSAY_VALIDATOR_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

/* X(enumerator, operands, C text of the operation with A, B, C for its operands) */
#define ASSAY_OPERATIONS(X)                                                                        \
    X(CONSTANT, 0, "")                                                                             \
    X(LEAF, 0, "")                                                                                 \
    X(CALL, 3, "")                                                                                 \
    X(NOT, 1, "A ^ 1")                                                                             \
    X(AND, 2, "A & B")                                                                             \
    X(OR, 2, "A | B")                                                                              \
    X(EQ, 2, "(uint64_t)(A == B)")                                                                 \
    X(NE, 2, "(uint64_t)(A != B)")                                                                 \
    X(LT, 2, "(uint64_t)(A < B)")                                                                  \
    X(LE, 2, "(uint64_t)(A <= B)")                                                                 \
    X(GT, 2, "(uint64_t)(A > B)")                                                                  \
    X(GE, 2, "(uint64_t)(A >= B)")                                                                 \
    X(ADD, 2, "A + B")                                                                             \
    X(SUB, 2, "A - B")                                                                             \
    X(MUL, 2, "A * B")                                                                             \
    X(DIV, 2, "A / B")                                                                             \
    X(MOD, 2, "A % B")                                                                             \
    X(BIT_AND, 2, "A & B")                                                                         \
    X(BIT_OR, 2, "A | B")                                                                          \
    X(BIT_XOR, 2, "A ^ B")                                                                         \
    X(BIT_NOT, 1, "~A")                                                                            \
    X(SHL, 2, "assay_shl(A, B)")                                                                   \
    X(SHR, 2, "assay_shr(A, B)")                                                                   \
    X(SLICE, 1, "(A >> N) & M")                                                                    \
    X(SELECT, 3, "assay_select(A, B, C)")

enum assay_operation {
#define X(id, operands, text) ASSAY_OP_##id,
    ASSAY_OPERATIONS(X)
#undef X
        ASSAY_OPERATION_COUNT
};

struct assay_node {
    uint8_t op;       /* enum assay_operation */
    uint8_t flag;     /* the result is a flag: 0 or 1 */
    uint16_t a, b, c; /* operands: numbers of nodes before this one. LEAF: a is the leaf's number.
                         SLICE: b is the first bit, c the width */
    uint64_t value;   /* CONSTANT: the value; CALL: the function's number */
};

struct assay_expression {
    const struct assay_node *nodes; /* the last one is the result */
    uint16_t count;                 /* 0: there is no expression */
};

enum { ASSAY_MAX_NODES = 250 };

/* What an expression reads. */
enum assay_leaf_kind {
    ASSAY_LEAF_FIELD, /* of the event: a field by name */
    ASSAY_LEAF_FIRST, /* of messages: a field of the first event of the run that meets a condition;
                         0 if there is none */
    ASSAY_LEAF_PREV, /* a field of the event before, in the same layer; 0 if it has no such field */
    ASSAY_LEAF_LAST, /* a field of the last event of a kind; 0 if there was none */
    ASSAY_LEAF_FROM, /* a field of the lower event that this one came from, 0 if it has none;
                        without a name: whether there is such an event */
    ASSAY_LEAF_SEEN, /* whether an event of a kind came before */
    ASSAY_LEAF_COUNT,     /* how many came before */
    ASSAY_LEAF_STATE,     /* a state variable, as it was before this event */
    ASSAY_LEAF_FACT,      /* a platform fact */
    ASSAY_LEAF_CONFIG,    /* a parameter of the stream */
    ASSAY_LEAF_READING,   /* whether an interpretation has a certain reading */
    ASSAY_LEAF_KIND,      /* number of the event's kind */
    ASSAY_LEAF_PREV_KIND, /* of the event before; number of `end` at the beginning of the trace */
    ASSAY_LEAF_FROM_KIND, /* of the lower event that this one came from; of `end` if it has none */
    ASSAY_LEAF_INDEX,
    ASSAY_LEAF_OFFSET,
    ASSAY_LEAF_BITS,
    ASSAY_LEAF_FAULT /* malformed: number of the fault; 0 for all other kinds */
};

/* A field of a kind by numbers, so that tables of leaves can be constant data. */
struct assay_field_ref {
    uint16_t kind;
    uint16_t number; /* 1 + the field's index in the kind's table; 0: none */
};

struct assay_leaf {
    uint8_t what;                 /* enum assay_leaf_kind */
    uint16_t number;              /* FIELD, PREV: 0, or 1 + the catalogue's condition whose result
                                     it is; FIRST: the condition; LAST, SEEN, COUNT: kind; STATE: variable;
                                     FACT: fact; CONFIG: parameter; READING: interpretation; FROM,
                                     FROM_KIND: how many layers below */
    uint16_t reading;             /* READING: number of the reading */
    const char *name;             /* FIELD, FIRST, PREV, LAST, FROM: the field; else null */
    const char *text;             /* as it is written in a rule */
    const uint16_t *fields;       /* by kind: 1 + the number of the field called `name`, 0 if the
                                     kind has none; null without a name */
    struct assay_field_ref shown; /* the field by which its value is shown to people */
    bool has_default;             /* CONFIG: the rule says what it reads where nobody gave one */
    uint64_t otherwise;           /* that value */
};

/* Whether a leaf has one value for the whole stream. */
static inline bool assay_leaf_is_constant(const struct assay_leaf *leaf)
{
    return leaf->what == ASSAY_LEAF_FACT || leaf->what == ASSAY_LEAF_CONFIG ||
           leaf->what == ASSAY_LEAF_READING;
}

/* Whether it says if a run, or the one before, has an event that meets a condition. */
static inline bool assay_leaf_is_condition(const struct assay_leaf *leaf)
{
    return (leaf->what == ASSAY_LEAF_FIELD || leaf->what == ASSAY_LEAF_PREV) && leaf->number != 0;
}

/* Whether it is known only where somebody gave it: a rule that reads it needs it. */
static inline bool assay_leaf_is_needed(const struct assay_leaf *leaf)
{
    return leaf->what == ASSAY_LEAF_FACT || (leaf->what == ASSAY_LEAF_CONFIG && !leaf->has_default);
}

/* Whether its values are numbers of kinds. */
static inline bool assay_leaf_is_kind(const struct assay_leaf *leaf)
{
    return leaf->what == ASSAY_LEAF_KIND || leaf->what == ASSAY_LEAF_PREV_KIND ||
           leaf->what == ASSAY_LEAF_FROM_KIND;
}

static inline const struct assay_field *assay_shown_field(const struct assay_format *format,
                                                          struct assay_field_ref ref)
{
    return ref.number != 0 ? &format->kinds[ref.kind].fields[ref.number - 1] : NULL;
}

/* Shifts by any number; from 64 on nothing is left. gcc makes vector code of a loop with them where
 * the processor shifts each lane by its own number (AVX2). */
static inline uint64_t assay_shl(uint64_t a, uint64_t n)
{
    return n < 64 ? a << n : 0;
}

static inline uint64_t assay_shr(uint64_t a, uint64_t n)
{
    return n < 64 ? a >> n : 0;
}

static inline uint64_t assay_select(uint64_t condition, uint64_t a, uint64_t b)
{
    const uint64_t mask = 0 - condition;
    return (a & mask) | (b & ~mask);
}

/* The value of an expression; leaves[n] is the value of leaf n. */
uint64_t assay_evaluate(const struct assay_expression *expression, const uint64_t *leaves,
                        const struct assay_function *functions);

const char *assay_operation_name(enum assay_operation op);
unsigned assay_operation_operands(enum assay_operation op);

#endif
