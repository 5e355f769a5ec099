/* Two rows of instructions laid side by side: that of a trace, and that which was executed. The
 * fewest differences that turn one into the other tell what is missing, what is in excess, and what
 * stands in the place of another (Ukkonen, "Algorithms for approximate string matching", 1985). */
#ifndef ASSAY_EXECUTION_ALIGN_H
#define ASSAY_EXECUTION_ALIGN_H

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
    ASSAY_ALIGN_MOST = 512,   /* differences */
    ASSAY_ALIGN_TRACE = 2048, /* the longest rows */
    ASSAY_ALIGN_EXECUTED = ASSAY_ALIGN_TRACE + ASSAY_ALIGN_MOST,
    ASSAY_ALIGN_NONE = UINT16_MAX,
};

struct assay_alignment {
    unsigned differences;
    /* for each instruction of the trace the executed one that it stands for, or that it stands in
     * the place of; ASSAY_ALIGN_NONE: it is in excess. In ascending order. */
    uint16_t executed[ASSAY_ALIGN_TRACE];
    uint64_t work; /* entries of `furthest` that were computed, over all alignments: for tests */
    /* Furthest place in the trace by differences and diagonal. */
    int16_t furthest[(ASSAY_ALIGN_MOST + 1) * (ASSAY_ALIGN_MOST + 1)];
};

enum assay_align_end { ASSAY_ALIGN_ANY_END, ASSAY_ALIGN_TO_THE_END };

/* Aligns all of `trace` with `executed`, to its end or to any place of it. With `addresses`,
 * instructions whose first accesses differ count as different. False when more than `most`
 * differences are needed, ASSAY_ALIGN_MOST at most; its time grows with their square. */
bool assay_align(struct assay_alignment *out, const struct assay_step *trace, unsigned traced,
                 const struct assay_step *executed, unsigned count, unsigned most,
                 enum assay_align_end end, bool addresses);

#endif
