/* Trials that are many take turns: a run tries one in TURNS, another one with each commit. */
#ifndef ASSAY_COMMON_TESTS_TURN_H
#define ASSAY_COMMON_TESTS_TURN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { TURNS = 4 };

/* Whether the trial of this number, or seed, is tried in this run: ASSAY_TURN in the environment,
 * which scripts/test makes of the commit, says whose turn it is. Without it all are
 * tried. */
static inline bool is_in_turn(uint64_t trial)
{
    const char *turn = getenv("ASSAY_TURN");
    return turn == NULL || trial % TURNS == strtoull(turn, NULL, 10) % TURNS;
}

#endif
