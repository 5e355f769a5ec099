/* Loops of the path: those that never end, and those that it passes so often that their repetitions
 * are counted; how far the path is followed for what packets say.
 *
 * A path that comes back without having used an outcome comes back for ever, as between the two
 * there is nothing that it depends on.
 *
 * While outcomes of a count are left (6.8), each branch goes where it is predicted to, and no
 * prediction changes: so a path that comes back to an instruction with the same return addresses
 * goes round until the count is used up. Of such a loop a few repetitions are runs of their own,
 * and an event `repeated` says how many more there are.
 *
 * Nested calls make paths of any length without an outcome. A path that is longer than the program
 * and the outcomes let expect is given up (ETRACE_LOST_TOO_FAR). */
#ifndef ASSAY_ETRACE_LOOPS_H
#define ASSAY_ETRACE_LOOPS_H

#include "etrace/path/path.h"

/* --- paths that never end --- */

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

/* --- repetitions that are counted --- */

/* Runs that the path is followed for: at once, after packets that needed few, and for each packet
 * in the long run; with so many more for each instruction of the program, and each outcome that the
 * packet has. */
enum {
    ETRACE_RUNS_AT_ONCE = 1 << 20,
    ETRACE_RUNS_AT_ONCE_PROGRAM = 8,
    ETRACE_RUNS_A_PACKET = 1 << 8,
    ETRACE_RUNS_AN_OUTCOME = 4
};

/* The same where no repetitions are counted, so that each outcome is followed: at the beginning,
 * the most that is added up to, and for each packet. */
enum {
    ETRACE_EACH_RUN_FIRST = 1 << 22,
    ETRACE_EACH_RUN_AT_ONCE = 1 << 26,
    ETRACE_EACH_RUN_A_PACKET = 1 << 10
};

/* Repetitions are counted where more outcomes are left, or where the path has used up half of what
 * it is followed for. */
enum { ETRACE_OUTCOMES_FOLLOWED = 1 << 16 };

/* `counts`: whether repetitions are counted, as nothing needs each run of the path. */
void etrace_repeats_open(struct etrace_repeats *repeats, const struct assay_image_set *images,
                         bool counts);

/* Another report is followed, and its outcomes were added: the searches for loops begin anew. */
void etrace_repeats_begin(struct etrace_path *p);

/* Counts the repetitions of a loop that a run closes. */
void etrace_repeats_find(struct etrace_path *p, const struct assay_event *packet,
                         const uint64_t *run);

/* The same after each run; most are of no such loop. */
static inline void etrace_repeats_pass(struct etrace_path *p, const struct assay_event *packet,
                                       const uint64_t *run)
{
    if (p->repeats.searches && (p->branches.predicted > ETRACE_OUTCOMES_FOLLOWED ||
                                p->repeats.left < p->repeats.most / 2)) {
        etrace_repeats_find(p, packet, run);
    }
}

#endif
