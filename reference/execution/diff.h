/* Two rows of instructions laid side by side: that of a trace, and that which was executed. The
 * fewest differences that turn one into the other tell what is missing, what is in excess, and what
 * stands in the place of another (Ukkonen, "Algorithms for approximate string matching", 1985). */
#ifndef ASSAY_EXECUTION_DIFF_H
#define ASSAY_EXECUTION_DIFF_H

#include <stdbool.h>
#include <stdint.h>

/* An instruction as it is compared. */
struct assay_step {
    uint64_t pc;
    uint64_t address; /* of its first access, where has_address */
    uint32_t word;
    bool has_address;
    bool any_pc; /* of a trace: it does not tell the address */
};

/* One of the trace and one that was executed. */
static inline bool assay_step_same(const struct assay_step *a, const struct assay_step *b)
{
    return a->word == b->word && (a->pc == b->pc || a->any_pc);
}

/* The first addresses do not contradict each other. */
static inline bool assay_step_agrees(const struct assay_step *a, const struct assay_step *b)
{
    return !a->has_address || !b->has_address || a->address == b->address;
}

enum {
    ASSAY_DIFF_MAX = 512,    /* differences */
    ASSAY_DIFF_TRACE = 2048, /* the longest rows */
    ASSAY_DIFF_EXECUTED = ASSAY_DIFF_TRACE + ASSAY_DIFF_MAX,
    ASSAY_DIFF_NONE = UINT16_MAX,
};

struct assay_diff {
    unsigned differences;
    /* for each instruction of the trace the executed one that it stands for, or that it stands in
     * the place of; ASSAY_DIFF_NONE: it is in excess. In ascending order. */
    uint16_t executed[ASSAY_DIFF_TRACE];
    /* Furthest place in the trace by differences and diagonal. */
    int16_t furthest[(ASSAY_DIFF_MAX + 1) * (ASSAY_DIFF_MAX + 1)];
};

enum assay_diff_end { ASSAY_DIFF_ANY_END, ASSAY_DIFF_TO_THE_END };

/* Aligns all of `trace` with `executed`, to its end or to any place of it. With `addresses`,
 * instructions whose first accesses differ count as different. False when more differences are
 * needed than are counted. */
bool assay_diff(struct assay_diff *out, const struct assay_step *trace, unsigned traced,
                const struct assay_step *executed, unsigned count, enum assay_diff_end end,
                bool addresses);

#endif
