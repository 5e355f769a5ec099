/* Two rows of instructions laid side by side: that of a trace, and that which was executed. The
 * fewest differences that turn one into the other tell what is missing, what is in excess, and what
 * stands in the place of another (Ukkonen, "Algorithms for approximate string matching", 1985). */
#ifndef ASSAY_ASTF_ALIGN_H
#define ASSAY_ASTF_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

/* An instruction as it is compared. */
struct astf_step {
    uint64_t pc;
    uint64_t address; /* of its first access, where has_address */
    uint32_t iword;
    bool has_address;
};

static inline bool astf_step_same(const struct astf_step *a, const struct astf_step *b)
{
    return a->pc == b->pc && a->iword == b->iword;
}

/* The first addresses do not contradict each other. */
static inline bool astf_step_agrees(const struct astf_step *a, const struct astf_step *b)
{
    return !a->has_address || !b->has_address || a->address == b->address;
}

enum {
    ASTF_ALIGN_MOST = 512,   /* differences */
    ASTF_ALIGN_TRACE = 2048, /* the longest rows */
    ASTF_ALIGN_EXECUTED = ASTF_ALIGN_TRACE + ASTF_ALIGN_MOST,
    ASTF_ALIGN_NONE = UINT16_MAX,
};

struct astf_alignment {
    unsigned differences;
    /* for each instruction of the trace the executed one that it stands for, or that it stands in
     * the place of; ASTF_ALIGN_NONE: it is in excess. In ascending order. */
    uint16_t executed[ASTF_ALIGN_TRACE];
    /* Furthest place in the trace by differences and diagonal. */
    int16_t furthest[(ASTF_ALIGN_MOST + 1) * (ASTF_ALIGN_MOST + 1)];
};

enum astf_align_end { ASTF_ALIGN_ANY_END, ASTF_ALIGN_TO_THE_END };

/* Aligns all of `trace` with `executed`, to its end or to any place of it. With `addresses`,
 * instructions whose first accesses differ count as different. False when more differences are
 * needed than are counted. */
bool astf_align(struct astf_alignment *out, const struct astf_step *trace, unsigned traced,
                const struct astf_step *executed, unsigned count, enum astf_align_end end,
                bool addresses);

#endif
