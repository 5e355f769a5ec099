/* The search for a trace in the recorded execution, where nothing nearby resembles it. */
#ifndef ASSAY_EXECUTION_LOCATE_H
#define ASSAY_EXECUTION_LOCATE_H

#include "execution/diff.h"
#include "execution/rolling_hash.h"
#include "execution/window.h"

enum {
    /* Length of a sequence of equal instructions that is no coincidence; less where the trace has
     * no more. */
    ASSAY_LOCATE_LENGTH = 16,
    ASSAY_LOCATE_SLOTS = 4 * ASSAY_DIFF_TRACE,
    /* Instructions retained before the position searched, to find the beginning of a broken trace.
     */
    ASSAY_LOCATE_BACK = 1024,
};

struct assay_location {
    uint64_t passed;   /* executed instructions that were dropped from the window */
    unsigned executed; /* position in the window ... */
    unsigned trace;    /* ... of this instruction of the trace */
};

/* Working memory. */
struct assay_search {
    uint16_t
        slot[ASSAY_LOCATE_SLOTS]; /* position in the trace plus 1, by hash of the sequence there */
    uint64_t hash[ASSAY_LOCATE_SLOTS];
    bool met; /* an instruction of the trace was executed, so far as was searched */
    uint64_t single[ASSAY_LOCATE_SLOTS]; /* the keys of the trace's instructions; 0: none */
};

/* Reads on until a sequence of the trace's instructions is found in the execution, dropping from
 * the window what is too far back. The location is the first from which all records ahead agree,
 * including addresses of accesses; if there is none within half a window after the first match, it
 * is the best match up to there. False: the execution has no such sequence; or, unless `far`, the
 * window has none, and nothing was dropped. */
bool assay_locate(struct assay_search *search, struct assay_window *window,
                  const struct assay_step *trace, unsigned traced, bool far,
                  struct assay_location *location);

/* Whether a step is of an executed instruction: the word, the address and that of the first access
 * are equal, as far as they are known. */
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
