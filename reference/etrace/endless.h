/* Paths that never end: one that comes back without having used an outcome comes back for ever, as
 * between the two there is nothing that it depends on. */
#ifndef ASSAY_ETRACE_ENDLESS_H
#define ASSAY_ETRACE_ENDLESS_H

#include "etrace/path.h"

/* An outcome was used, or another report is followed. */
static inline void etrace_loop_begin(struct etrace_loop *loop)
{
    loop->steps = 0;
    loop->mark_at = 1;
    loop->pc = UINT64_MAX;
}

/* The path comes to an instruction without an outcome. Whether it was there before, with the same
 * return addresses. */
bool etrace_loop_closes(struct etrace_loop *loop, const struct etrace_calls *calls, uint64_t pc);

#endif
