/* The edit distance between the instructions of a trace and those that were executed. The fewest
 * differences that turn one sequence into the other tell what is missing, what is in excess and
 * what is replaced (Ukkonen, "Algorithms for approximate string matching", 1985). */
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
    bool any_pc;  /* of a trace that does not give the address */
    bool resumes; /* of a trace that may leave out instructions right before it */
    uint32_t
        counted;  /* where it resumes: of a trace that says how many these are; 0: it does not */
    bool repeats; /* of a trace that does not show how often a silent loop came back to it
                     (silent_loop.h) */
};

/* Whether a traced and an executed instruction are the same. */
static inline bool assay_step_same(const struct assay_step *a, const struct assay_step *b)
{
    return a->word == b->word && (a->pc == b->pc || a->any_pc);
}

/* Whether the addresses of the first accesses are equal, as far as they are known. */
static inline bool assay_step_agrees(const struct assay_step *a, const struct assay_step *b)
{
    return !a->has_address || !b->has_address || a->address == b->address;
}

enum {
    ASSAY_DIFF_MAX = 512,    /* differences */
    ASSAY_DIFF_TRACE = 2048, /* longest sequence of the trace */
    ASSAY_DIFF_EXECUTED = ASSAY_DIFF_TRACE + ASSAY_DIFF_MAX,
    ASSAY_DIFF_NONE = UINT16_MAX,
};

struct assay_diff {
    unsigned differences;
    /* For each instruction of the trace, in ascending order: the executed one that it matches or
     * replaces; ASSAY_DIFF_NONE where it is in excess. */
    uint16_t executed[ASSAY_DIFF_TRACE];
    uint64_t work; /* entries of `furthest` computed, over all calls; for tests */
    /* Furthest position in the trace, by differences and diagonal. */
    int16_t furthest[(ASSAY_DIFF_MAX + 1) * (ASSAY_DIFF_MAX + 1)];
};

/* Whether the trace is compared with any prefix of the execution, or with all of it. */
enum assay_diff_end { ASSAY_DIFF_PREFIX, ASSAY_DIFF_WHOLE };

/* Compares all of `trace` with `executed`. With `addresses`, instructions whose first accesses
 * differ count as different. False: there are more than `most` differences, of which ASSAY_DIFF_MAX
 * is the limit. The time grows with the square of the differences. */
bool assay_diff(struct assay_diff *out, const struct assay_step *trace, unsigned traced,
                const struct assay_step *executed, unsigned count, unsigned most,
                enum assay_diff_end end, bool addresses);

#endif
