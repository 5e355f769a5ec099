/* Where in the recorded execution a trace is, when nearby there is nothing like it. */
#ifndef ASSAY_ASTF_LOCATE_H
#define ASSAY_ASTF_LOCATE_H

#include "astf/align.h"
#include "astf/executed.h"

enum {
    /* So many instructions in a row that are the same are no chance; fewer where the trace has no
     * more. */
    ASTF_LOCATE_ROW = 16,
    ASTF_LOCATE_SLOTS = 4 * ASTF_ALIGN_TRACE,
    /* Kept before the place where it is searched, to find the beginning of a broken trace. */
    ASTF_LOCATE_BACK = 1024,
};

struct astf_place {
    uint64_t passed;   /* executed instructions that were taken out of the window */
    unsigned executed; /* place in the window ... */
    unsigned trace;    /* ... at which this instruction of the trace stands */
};

/* Working memory. */
struct astf_search {
    uint16_t slot[ASTF_LOCATE_SLOTS]; /* place in the trace plus 1, by hash of the row there */
    uint64_t hash[ASTF_LOCATE_SLOTS];
};

/* Reads on until a row of the trace's instructions stands in the execution, and takes out of the
 * window what is too far behind. The place found is the first at which all of the trace that is
 * there agrees, addresses of accesses included; or, when there is none within half a window behind
 * the first row that is the same, the best of those until then. False: the execution has no such
 * row; or, unless `far`, the window has none, and nothing was taken out of it. */
bool astf_locate(struct astf_search *search, struct astf_window *window,
                 const struct astf_step *trace, unsigned traced, bool far,
                 struct astf_place *place);

/* An executed instruction as it is compared. */
static inline struct astf_step astf_executed_step(const struct astf_window *window,
                                                  const struct astf_executed *executed)
{
    return (struct astf_step){
        .pc = executed->pc,
        .iword = executed->iword,
        .has_address = executed->accesses > 0,
        .address = executed->accesses > 0 ? astf_window_accesses(window, executed)->address : 0};
}

#endif
