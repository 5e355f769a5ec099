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

/* Whether each trial that asks is_in_turn is tried, so that what all of them come to can be stated.
 */
static inline bool are_all_in_turn(void)
{
    bool all = true;
    for (uint64_t trial = 0; trial < TURNS; trial++) {
        all = all && is_in_turn(trial);
    }
    return all;
}

/* Whether a trial is tried: as is_in_turn where the program is built with a sanitizer, which takes
 * many times as long; otherwise all are tried. */
static inline bool is_in_sanitized_turn(uint64_t trial)
{
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return is_in_turn(trial);
#endif
#endif
    (void)trial;
    return true;
}

/* Whether each trial that asks is_in_sanitized_turn is tried, so that what all of them come to can
 * be stated. */
static inline bool are_all_in_sanitized_turn(void)
{
    bool all = true;
    for (uint64_t trial = 0; trial < TURNS; trial++) {
        all = all && is_in_sanitized_turn(trial);
    }
    return all;
}

#endif
