#include "execution/plan.h"

#include <string.h>

#include "execution/silent_loop.h"

enum {
    CONFIRMED = 16, /* equal instructions in a row that confirm what is before them */
    CERTAIN = 256,  /* the same, with equal addresses: enough to be certain */
    BEYOND = 256,   /* records that are compared beyond the end of the execution */
    PAYS = 8,       /* a comparison pays when it decides one of so many of its records */
    NARROWEST = 3,  /* halvings of the number of records: at least 256 are compared */
};

/* --- what is ahead --- */

void assay_plan_look_ahead(struct assay_alignment *a)
{
    a->traced = a->ahead;
}

bool assay_plan_look_at_execution(struct assay_alignment *a)
{
    const unsigned have = assay_window_fill(&a->window, a->traced + ASSAY_DIFF_MAX);
    bool last = a->ahead_last && a->traced < ASSAY_DIFF_TRACE;
    a->count = have < ASSAY_DIFF_EXECUTED ? have : ASSAY_DIFF_EXECUTED;
    for (unsigned i = 0; i < a->count; i++) {
        a->executed_steps[i] = assay_retired_step(&a->window, assay_window_at(&a->window, i));
    }
    if (!a->window.ended && a->traced > a->count) {
        a->traced = a->count; /* no room for more: many accesses */
        last = false;
    }
    return last;
}

/* --- from differences to a plan --- */

static bool is_same(const struct assay_alignment *a, unsigned at)
{
    const uint16_t executed = a->diff.executed[at];
    return executed != ASSAY_DIFF_NONE &&
           assay_step_same(&a->trace_steps[at], &a->executed_steps[executed]);
}

/* Whether CONFIRMED instructions from here on are the same on both sides. */
static bool is_confirmed(const struct assay_alignment *a, unsigned at)
{
    const uint16_t *executed = a->diff.executed;
    unsigned n = 0;
    while (n < CONFIRMED && at + n < a->traced && is_same(a, at + n) &&
           executed[at + n] == executed[at] + n) {
        n++;
    }
    return n == CONFIRMED;
}

/* How many records the plan can decide. Those after them are decided later, when more of the trace
 * is ahead of them. 0: no part is certain. */
static unsigned sure_part(const struct assay_alignment *a, bool last)
{
    if (last) {
        return a->traced;
    }
    for (unsigned at = a->traced / 2; at > 0; at--) {
        if (is_confirmed(a, at)) {
            return at;
        }
    }
    for (unsigned at = a->traced / 2 + 1; at + CONFIRMED <= a->traced; at++) {
        if (is_confirmed(a, at)) {
            return at;
        }
    }
    return 0;
}

/* A record in excess or replacing another has moved, if its instruction was left out or replaced
 * nearby. `from` is the position after the last one found. */
static bool find_moved(struct assay_alignment *a, unsigned at, unsigned *from)
{
    for (unsigned n = 0; n < a->covered; n++) {
        const unsigned i = (*from + n) % a->covered;
        if (!a->used[i] && assay_step_same(&a->trace_steps[at], &a->executed_steps[i])) {
            a->used[i] = true;
            a->outcome[at] = ASSAY_OUTCOME_MOVED;
            a->executed[at] = (uint16_t)i;
            *from = i + 1;
            return true;
        }
    }
    return false;
}

static void plan_same(struct assay_alignment *a)
{
    memset(a->used, 0, a->covered * sizeof a->used[0]);
    for (unsigned at = 0; at < a->planned; at++) {
        a->outcome[at] = ASSAY_OUTCOME_EXCESS;
        if (is_same(a, at)) {
            a->outcome[at] = ASSAY_OUTCOME_SAME;
            a->executed[at] = a->diff.executed[at];
            a->used[a->executed[at]] = true;
        }
    }
}

/* The rest: records that moved, then records that replace another instruction. */
static void plan_others(struct assay_alignment *a)
{
    unsigned from = 0;
    for (unsigned at = 0; at < a->planned; at++) {
        if (a->outcome[at] == ASSAY_OUTCOME_EXCESS) {
            find_moved(a, at, &from);
        }
    }
    for (unsigned at = 0; at < a->planned; at++) {
        const uint16_t executed = a->diff.executed[at];
        if (a->outcome[at] == ASSAY_OUTCOME_EXCESS && executed != ASSAY_DIFF_NONE &&
            !a->used[executed]) {
            a->outcome[at] = ASSAY_OUTCOME_REPLACED;
            a->executed[at] = executed;
            a->used[executed] = true;
        }
    }
}

/* Instructions that were left out are counted at the next record that has not moved. */
static void plan_left_out(struct assay_alignment *a)
{
    unsigned i = 0;
    unsigned missing = 0;
    for (unsigned at = 0; at < a->planned; at++) {
        const bool in_order =
            a->outcome[at] == ASSAY_OUTCOME_SAME || a->outcome[at] == ASSAY_OUTCOME_REPLACED;
        for (; in_order && i <= a->executed[at]; i++) {
            missing += !a->used[i];
        }
        a->left_out_before[at] = (uint16_t)(in_order ? missing : 0);
        missing = in_order ? 0 : missing;
    }
    for (; i < a->covered; i++) {
        missing += !a->used[i];
    }
    a->left_out_after = missing;
}

/* What ran after a recording was stopped is not known. */
static void forgive_the_end(struct assay_alignment *a)
{
    if (a->window.ended && !a->window.whole && a->covered == a->count) {
        for (unsigned at = a->planned; at > 0 && a->outcome[at - 1] == ASSAY_OUTCOME_EXCESS; at--) {
            a->outcome[at - 1] = ASSAY_OUTCOME_UNKNOWN;
        }
    }
}

/* Plans the first records by their differences from the first executed instructions. */
static void plan_by_diff(struct assay_alignment *a, unsigned records, unsigned executed)
{
    a->planned = records;
    a->next = 0;
    a->covered = executed;
    plan_same(a);
    plan_others(a);
    plan_left_out(a);
    forgive_the_end(a);
}

static bool plan_records(struct assay_alignment *a, unsigned most, bool last, bool addresses)
{
    if (!assay_diff(&a->diff, a->trace_steps, a->traced, a->executed_steps, a->count, most,
                    ASSAY_DIFF_PREFIX, addresses)) {
        return false;
    }
    const unsigned records = sure_part(a, last);
    unsigned executed = 0;
    for (unsigned at = 0; at < records; at++) {
        if (a->diff.executed[at] != ASSAY_DIFF_NONE) {
            executed = a->diff.executed[at] + 1u;
        }
    }
    if (!last && records > 0) {
        executed = a->diff.executed[records];
    }
    plan_by_diff(a, records, executed);
    return records > 0;
}

/* Records far beyond the end of the execution are in excess, whatever is before them. */
static bool plan(struct assay_alignment *a, unsigned narrowed, bool last, bool addresses)
{
    const unsigned traced = a->traced;
    const unsigned reach = ASSAY_DIFF_TRACE >> narrowed;
    const bool beyond = a->window.ended && traced > a->count + BEYOND;
    const bool whole = beyond || last;
    a->traced = beyond ? a->count + BEYOND : last || traced < reach ? traced : reach;
    const unsigned most = ASSAY_DIFF_MAX;
    const bool planned = plan_records(a, whole ? most : most >> narrowed, whole, addresses);
    a->traced = traced;
    return planned;
}

/* A comparison has decided so many records. */
static void adapt_reach(struct assay_alignment *a, unsigned records)
{
    const uint64_t at = assay_window_passed(&a->window);
    const unsigned reach = ASSAY_DIFF_TRACE >> a->narrowed;
    if (records >= reach / PAYS) {
        a->narrowed -= a->narrowed > 0;
        return;
    }
    a->narrowed += at - a->unpaid_at < reach && a->narrowed < NARROWEST;
    a->unpaid_at = at;
}

bool assay_plan_fewest(struct assay_alignment *a, bool last)
{
    const bool planned = plan(a, a->narrowed, last, true) || plan(a, a->narrowed, last, false);
    adapt_reach(a, planned ? a->planned : 0);
    return planned;
}

bool assay_plan_by_addresses(struct assay_alignment *a, bool last)
{
    return plan(a, 0, last, true);
}

/* --- one difference --- */

/* For records that no set of differences explains: they replace the instructions executed right
 * before the sequence that was found, or are in excess. */
void assay_plan_gap(struct assay_alignment *a, unsigned records, unsigned executed, bool whole)
{
    const unsigned excess = records - executed;
    a->planned = records;
    a->next = 0;
    a->covered = executed;
    a->left_out_after = 0;
    for (unsigned at = 0; at < records; at++) {
        a->outcome[at] = whole         ? ASSAY_OUTCOME_SAME
                         : at < excess ? ASSAY_OUTCOME_EXCESS
                                       : ASSAY_OUTCOME_REPLACED;
        a->executed[at] = (uint16_t)(at < excess ? 0 : at - excess);
        a->left_out_before[at] = 0;
    }
}

/* --- what has moved --- */

/* The same instruction, and the same address as far as it is known. */
static bool is_equal(const struct assay_alignment *a, unsigned at, unsigned executed)
{
    return assay_step_same(&a->trace_steps[at], &a->executed_steps[executed]) &&
           assay_step_agrees(&a->trace_steps[at], &a->executed_steps[executed]);
}

/* The longest run from a position of the trace that is found unused in the executed block. Of
 * several the last is taken: where the beginning of a run was taken for that of another, the rest
 * of the run follows it. */
static struct assay_tile longest_tile(const struct assay_alignment *a, unsigned at, unsigned n)
{
    struct assay_tile longest = {.trace = at};
    for (unsigned first = 0; first < n; first++) {
        unsigned length = 0;
        while (at + length < n && first + length < n && !a->used[first + length] &&
               is_equal(a, at + length, first + length)) {
            length++;
        }
        if (length > 0 && length >= longest.length) {
            longest.length = length;
            longest.executed = first;
        }
    }
    return longest;
}

/* Whether both blocks hold the same runs in another order (greedy string tiling). No position is
 * compared further than the length of the tile chosen there, and all tiles together are as long as
 * the block: at most n * n comparisons, some 2 ms for 2,048 instructions. That is no more than
 * assay_diff may take, and it is paid once for the n records of the plan. */
static bool find_tiles(struct assay_alignment *a, unsigned n)
{
    memset(a->used, 0, n * sizeof a->used[0]);
    a->tiles = 0;
    for (unsigned at = 0; at < n;) {
        const struct assay_tile tile = longest_tile(a, at, n);
        if (tile.length == 0 || a->tiles == ASSAY_ALIGNMENT_TILES) {
            return false;
        }
        memset(&a->used[tile.executed], 1, tile.length * sizeof a->used[0]);
        a->tile[a->tiles++] = tile;
        at += tile.length;
    }
    return true;
}

/* The tiles that stay are the heaviest increasing subsequence: the most instructions whose tiles
 * are in the same order on both sides. `heaviest` is its length up to and including a tile. */
static void mark_moved(struct assay_alignment *a)
{
    unsigned best = 0;
    for (unsigned i = 0; i < a->tiles; i++) {
        struct assay_tile *tile = &a->tile[i];
        tile->before = i;
        tile->heaviest = tile->length;
        for (unsigned k = 0; k < i; k++) {
            const unsigned weight = a->tile[k].heaviest + tile->length;
            if (a->tile[k].executed < tile->executed && weight > tile->heaviest) {
                tile->heaviest = weight;
                tile->before = k;
            }
        }
        best = tile->heaviest > a->tile[best].heaviest ? i : best;
    }
    for (bool more = a->tiles > 0; more;) {
        a->tile[best].stays = true;
        more = a->tile[best].before != best;
        best = a->tile[best].before;
    }
}

/* Plans a block that holds the executed instructions in another order. */
static bool plan_moves(struct assay_alignment *a, unsigned n)
{
    if (!find_tiles(a, n)) {
        return false;
    }
    mark_moved(a);
    assay_plan_gap(a, n, n, false);
    for (unsigned i = 0; i < a->tiles; i++) {
        const struct assay_tile *tile = &a->tile[i];
        for (unsigned k = 0; k < tile->length; k++) {
            a->outcome[tile->trace + k] = tile->stays ? ASSAY_OUTCOME_SAME : ASSAY_OUTCOME_MOVED;
            a->executed[tile->trace + k] = (uint16_t)(tile->executed + k);
        }
    }
    return true;
}

/* Plans n records that correspond to n executed instructions: by moves, or else by the fewest
 * differences, if they can be counted. */
static bool plan_block(struct assay_alignment *a, unsigned n)
{
    const unsigned traced = a->traced;
    if (plan_moves(a, n)) {
        return true;
    }
    a->traced = n;
    const bool counted = assay_diff(&a->diff, a->trace_steps, n, a->executed_steps, n,
                                    ASSAY_DIFF_MAX, ASSAY_DIFF_WHOLE, true);
    if (counted) {
        plan_by_diff(a, n, n);
    } else {
        assay_plan_gap(a, n, n, false);
    }
    a->traced = traced;
    return true;
}

/* Both sides agree from there on, in instructions and addresses, for long enough or to the end. */
static bool agree_from(const struct assay_alignment *a, unsigned at, unsigned executed, bool last)
{
    unsigned n = 0;
    while (n < CERTAIN && at + n < a->traced && executed + n < a->count) {
        if (!is_equal(a, at + n, executed + n)) {
            return false;
        }
        n++;
    }
    return n == CERTAIN || (last && n > 0 && at + n == a->traced);
}

/* An instruction that was executed, of those that were looked at or, after silent loops, later. */
static bool is_executed(struct assay_alignment *a, unsigned at, unsigned executed)
{
    if (executed < a->count) {
        return is_equal(a, at, executed);
    }
    if (assay_window_fill(&a->window, executed + 1) <= executed) {
        return false;
    }
    const struct assay_step step =
        assay_retired_step(&a->window, assay_window_at(&a->window, executed));
    return assay_step_same(&a->trace_steps[at], &step) &&
           assay_step_agrees(&a->trace_steps[at], &step);
}

/* Iterations of a silent loop that the record before one can leave out: how many instructions. */
static unsigned loop_before(struct assay_alignment *a, unsigned at, unsigned executed)
{
    if (at == 0 || !a->trace_steps[at - 1].repeats) {
        return 0;
    }
    const struct assay_retired last = *assay_window_at(&a->window, executed - 1);
    return assay_silent_loop(&a->window, executed, &last);
}

/* Whether the records ahead are of the executed instructions from `first` on, as far as these are
 * in the window if that is not the end. */
static bool is_of(struct assay_alignment *a, unsigned first)
{
    unsigned at = 0;
    unsigned executed = first;
    unsigned end = a->count;
    unsigned loop = 0;
    while (at < a->traced && executed < end) {
        if (is_executed(a, at, executed)) {
            at++;
            executed++;
        } else if ((loop = loop_before(a, at, executed)) > 0) {
            executed += loop;
            end += loop;
        } else {
            break;
        }
    }
    return at == a->traced || (at >= CERTAIN && executed == end && !a->window.ended);
}

bool assay_plan_resume(struct assay_alignment *a)
{
    assay_plan_look_ahead(a);
    assay_plan_look_at_execution(a);
    for (unsigned n = 0; n < a->count; n++) {
        if (is_of(a, n)) {
            assay_window_drop(&a->window, n);
            a->left_out += n;
            return true;
        }
    }
    return false;
}

/* One run that is missing, in excess, or replaces another of its length, and everything after it
 * agrees: that is more likely than several small differences, which in loops can be fewer in total.
 */
bool assay_plan_one(struct assay_alignment *a, bool last)
{
    for (unsigned n = 1; n < a->traced || n < a->count; n++) {
        const bool left_out = agree_from(a, 0, n, last);
        const bool excess = !left_out && agree_from(a, n, 0, last);
        if (left_out) {
            assay_window_drop(&a->window, n);
            a->left_out += n;
            return true;
        }
        if (excess) {
            assay_plan_gap(a, n, 0, false);
            return true;
        }
        if (agree_from(a, n, n, last)) {
            return plan_block(a, n);
        }
    }
    return false;
}
