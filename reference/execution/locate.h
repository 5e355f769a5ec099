/* Where in the recorded execution a trace is, when nearby there is nothing like it. */
#ifndef ASSAY_EXECUTION_LOCATE_H
#define ASSAY_EXECUTION_LOCATE_H

#include "execution/diff.h"
#include "execution/window.h"

enum {
    /* So many instructions in a row that are the same are no chance; fewer where the trace has no
     * more. */
    ASSAY_LOCATE_ROW = 16,
    ASSAY_LOCATE_SLOTS = 4 * ASSAY_DIFF_TRACE,
    /* Kept before the place where it is searched, to find the beginning of a broken trace. */
    ASSAY_LOCATE_BACK = 1024,
};

struct assay_place {
    uint64_t passed;   /* executed instructions that were taken out of the window */
    unsigned executed; /* place in the window ... */
    unsigned trace;    /* ... at which this instruction of the trace stands */
};

/* Working memory. */
struct assay_search {
    uint16_t slot[ASSAY_LOCATE_SLOTS]; /* place in the trace plus 1, by hash of the row there */
    uint64_t hash[ASSAY_LOCATE_SLOTS];
};

/* Reads on until a row of the trace's instructions stands in the execution, and takes out of the
 * window what is too far behind. The place found is the first at which all of the trace that is
 * there agrees, addresses of accesses included; or, when there is none within half a window behind
 * the first row that is the same, the best of those until then. False: the execution has no such
 * row; or, unless `far`, the window has none, and nothing was taken out of it. */
bool assay_locate(struct assay_search *search, struct assay_window *window,
                  const struct assay_step *trace, unsigned traced, bool far,
                  struct assay_place *place);

/* Whether a step is of an executed instruction: the same word, address and first access, as far as
 * they are known. */
static inline bool assay_window_is(const struct assay_window *window,
                                   const struct assay_retired *executed,
                                   const struct assay_step *step)
{
    return executed->word == step->word && (executed->pc == step->pc || step->any_pc) &&
           (executed->accesses == 0 || !step->has_address ||
            assay_window_accesses(window, executed)->address == step->address);
}

/* An executed instruction as it is compared. */
static inline struct assay_step assay_retired_step(const struct assay_window *window,
                                                   const struct assay_retired *executed)
{
    return (struct assay_step){
        .pc = executed->pc,
        .word = executed->word,
        .has_address = executed->accesses > 0,
        .address = executed->accesses > 0 ? assay_window_accesses(window, executed)->address : 0};
}

#endif
