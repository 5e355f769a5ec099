/* The outcomes of branches that packets have reported and the path has not come to yet. */
#ifndef ASSAY_ETRACE_BRANCHES_H
#define ASSAY_ETRACE_BRANCHES_H

#include "common/bytes.h"
#include "etrace/program/predictor.h"

/* The oldest one first: those of a map, then correctly predicted ones, then one that was not. */
struct etrace_branches {
    uint64_t map;       /* bit n: not taken */
    uint32_t in_map;    /* at most 1 of an earlier packet and a full map */
    uint64_t predicted; /* branches */
    bool failed;        /* one more, which was predicted wrongly */
    bool unlearned;     /* the oldest one does not change the predictor: it was reported by the
                           packet that reset it */
    uint32_t fresh;     /* outcomes of the map that was added last */
    uint32_t wrong;     /* of these, that were predicted wrongly */
    struct etrace_predictor predictor;
};

/* Adds outcomes of a map, or of a count. */
void etrace_branches_add(struct etrace_branches *branches, uint64_t map, uint32_t count);
void etrace_branches_predict(struct etrace_branches *branches, uint64_t count, bool failed);

/* Of one outcome that is left, for the branch at `pc`: makes it one of a map, before others follow
 * it. */
void etrace_branches_settle(struct etrace_branches *branches, uint64_t pc, bool predicts);

/* Forgets the outcomes. */
void etrace_branches_drop(struct etrace_branches *branches);

static inline uint64_t etrace_branches_count(const struct etrace_branches *branches)
{
    return branches->in_map + branches->predicted + branches->failed;
}

/* Takes the outcome of the branch at `pc`, of which there is at least one; `predicts`: the
 * predictor is in use. The second is for maps where it is not: a branch is predicted not taken. */
bool etrace_branches_take(struct etrace_branches *branches, uint64_t pc, bool predicts);

/* The outcome that will be taken for the branch at `pc`. */
static inline bool etrace_branches_next(const struct etrace_branches *branches, uint64_t pc,
                                        bool predicts)
{
    if (branches->in_map > 0) {
        return (branches->map & 1) == 0;
    }
    const bool predicted = predicts && etrace_predict(&branches->predictor, pc);
    return branches->predicted > 0 ? predicted : !predicted;
}

static inline bool etrace_branches_take_mapped(struct etrace_branches *branches)
{
    const bool taken = (branches->map & 1) == 0;
    branches->wrong += branches->in_map <= branches->fresh && taken;
    branches->map >>= 1;
    branches->in_map--;
    branches->unlearned = false;
    return taken;
}

#endif
