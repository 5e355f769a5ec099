/* Outcomes of branches that packets have reported (3.2.6, 6.7, 6.8). */
#include "etrace/program/branches.h"

void etrace_branches_add(struct etrace_branches *branches, uint64_t map, uint32_t count)
{
    branches->map |= (map & assay_mask(count)) << branches->in_map;
    branches->in_map += count;
    branches->fresh = count;
    branches->wrong = 0;
}

void etrace_branches_predict(struct etrace_branches *branches, uint64_t count, bool failed)
{
    branches->predicted += count;
    branches->failed = failed;
}

void etrace_branches_drop(struct etrace_branches *branches)
{
    branches->unlearned = false;
    branches->map = 0;
    branches->in_map = 0;
    branches->predicted = 0;
    branches->failed = false;
}

/* The predictor is asked only where it is in use. */
static bool predict(const struct etrace_branches *branches, uint64_t pc, bool predicts)
{
    return predicts && etrace_predict(&branches->predictor, pc);
}

void etrace_branches_settle(struct etrace_branches *branches, uint64_t pc, bool predicts)
{
    if (branches->in_map == 0) {
        const bool predicted = predict(branches, pc, predicts);
        const bool taken = branches->failed ? !predicted : predicted;
        etrace_branches_drop(branches);
        etrace_branches_add(branches, !taken, 1);
    } else {
        branches->wrong += predict(branches, pc, predicts) != ((branches->map & 1) == 0);
    }
}

bool etrace_branches_take(struct etrace_branches *branches, uint64_t pc, bool predicts)
{
    bool taken = predict(branches, pc, predicts);
    if (branches->in_map > 0) {
        const bool predicted = taken;
        taken = (branches->map & 1) == 0;
        branches->wrong += branches->in_map <= branches->fresh && taken != predicted;
        branches->map >>= 1;
        branches->in_map--;
    } else if (branches->predicted > 0) {
        branches->predicted--;
    } else {
        branches->failed = false;
        taken = !taken;
    }
    if (predicts && !branches->unlearned) {
        etrace_learn(&branches->predictor, pc, taken);
    }
    branches->unlearned = false;
    return taken;
}
