#include "execution/plan.h"

#include <string.h>

/* So many instructions in a row that are the same confirm what is before them; so many that agree
 * in addresses, too, leave no doubt; and so many records are looked at beyond the execution's end.
 */
enum { CONFIRMED = 16, CERTAIN = 256, BEYOND = 256 };

/* An alignment has paid when an eighth of its records is planned by it. The shortest rows have 256
 * records. */
enum { PAID = 8, NARROWEST = 3 };

/* --- both rows --- */

void assay_plan_look_ahead(struct assay_course *c)
{
    c->traced = c->ahead;
}

/* The executed instructions ahead, and how much of the trace is checked against them. True: the
 * trace, or the execution, ends there. */
bool assay_plan_look_at_executed(struct assay_course *c)
{
    const unsigned have = assay_window_fill(&c->window, c->traced + ASSAY_ALIGN_MOST);
    bool last = c->ahead_last && c->traced < ASSAY_ALIGN_TRACE;
    c->count = have < ASSAY_ALIGN_EXECUTED ? have : ASSAY_ALIGN_EXECUTED;
    for (unsigned i = 0; i < c->count; i++) {
        c->executed_steps[i] = assay_retired_step(&c->window, assay_window_at(&c->window, i));
    }
    if (!c->window.ended && c->traced > c->count) {
        c->traced = c->count; /* no room for more: many accesses */
        last = false;
    }
    return last;
}

/* --- from an alignment to a plan --- */

static bool is_same(const struct assay_course *c, unsigned at)
{
    const uint16_t executed = c->alignment.executed[at];
    return executed != ASSAY_ALIGN_NONE &&
           assay_step_same(&c->trace_steps[at], &c->executed_steps[executed]);
}

/* Whether both rows are the same for a while. */
static bool is_confirmed(const struct assay_course *c, unsigned at)
{
    const uint16_t *executed = c->alignment.executed;
    unsigned n = 0;
    while (n < CONFIRMED && at + n < c->traced && is_same(c, at + n) &&
           executed[at + n] == executed[at] + n) {
        n++;
    }
    return n == CONFIRMED;
}

/* How much of the alignment counts: what lies behind it is seen better from there, with as much of
 * the trace ahead. 0: nothing is sure. */
static unsigned sure_part(const struct assay_course *c, bool last)
{
    if (last) {
        return c->traced;
    }
    for (unsigned at = c->traced / 2; at > 0; at--) {
        if (is_confirmed(c, at)) {
            return at;
        }
    }
    for (unsigned at = c->traced / 2 + 1; at + CONFIRMED <= c->traced; at++) {
        if (is_confirmed(c, at)) {
            return at;
        }
    }
    return 0;
}

/* A record in excess or in another's place that is of an instruction left out or replaced nearby
 * has moved. `from` is where the one before was found. */
static bool find_moved(struct assay_course *c, unsigned at, unsigned *from)
{
    for (unsigned n = 0; n < c->covered; n++) {
        const unsigned i = (*from + n) % c->covered;
        if (!c->used[i] && assay_step_same(&c->trace_steps[at], &c->executed_steps[i])) {
            c->used[i] = true;
            c->standing[at] = ASSAY_STANDS_MOVED;
            c->executed[at] = (uint16_t)i;
            *from = i + 1;
            return true;
        }
    }
    return false;
}

static void plan_same(struct assay_course *c)
{
    memset(c->used, 0, c->covered * sizeof c->used[0]);
    for (unsigned at = 0; at < c->planned; at++) {
        c->standing[at] = ASSAY_STANDS_EXCESS;
        if (is_same(c, at)) {
            c->standing[at] = ASSAY_STANDS_SAME;
            c->executed[at] = c->alignment.executed[at];
            c->used[c->executed[at]] = true;
        }
    }
}

/* The rest: what moved, then what stands in the place of another. */
static void plan_others(struct assay_course *c)
{
    unsigned from = 0;
    for (unsigned at = 0; at < c->planned; at++) {
        if (c->standing[at] == ASSAY_STANDS_EXCESS) {
            find_moved(c, at, &from);
        }
    }
    for (unsigned at = 0; at < c->planned; at++) {
        const uint16_t executed = c->alignment.executed[at];
        if (c->standing[at] == ASSAY_STANDS_EXCESS && executed != ASSAY_ALIGN_NONE &&
            !c->used[executed]) {
            c->standing[at] = ASSAY_STANDS_REPLACED;
            c->executed[at] = executed;
            c->used[executed] = true;
        }
    }
}

/* What was executed and not recorded is told at the next record that is in its own place. */
static void plan_left_out(struct assay_course *c)
{
    unsigned i = 0;
    unsigned missing = 0;
    for (unsigned at = 0; at < c->planned; at++) {
        const bool placed =
            c->standing[at] == ASSAY_STANDS_SAME || c->standing[at] == ASSAY_STANDS_REPLACED;
        for (; placed && i <= c->executed[at]; i++) {
            missing += !c->used[i];
        }
        c->left_out_before[at] = (uint16_t)(placed ? missing : 0);
        missing = placed ? 0 : missing;
    }
    for (; i < c->covered; i++) {
        missing += !c->used[i];
    }
    c->left_out_behind = missing;
}

/* Nothing is known of what ran behind the end of a recording that was stopped. */
static void forgive_the_end(struct assay_course *c)
{
    if (c->window.ended && !c->window.whole && c->covered == c->count) {
        for (unsigned at = c->planned; at > 0 && c->standing[at - 1] == ASSAY_STANDS_EXCESS; at--) {
            c->standing[at - 1] = ASSAY_STANDS_UNTOLD;
        }
    }
}

/* The plan of the first records of an alignment, which stand for the first executed ones. */
static void take_alignment(struct assay_course *c, unsigned records, unsigned executed)
{
    c->planned = records;
    c->next = 0;
    c->covered = executed;
    plan_same(c);
    plan_others(c);
    plan_left_out(c);
    forgive_the_end(c);
}

static bool plan_rows(struct assay_course *c, unsigned most, bool last, bool addresses)
{
    if (!assay_align(&c->alignment, c->trace_steps, c->traced, c->executed_steps, c->count, most,
                     ASSAY_ALIGN_ANY_END, addresses)) {
        return false;
    }
    const unsigned records = sure_part(c, last);
    unsigned executed = 0;
    for (unsigned at = 0; at < records; at++) {
        if (c->alignment.executed[at] != ASSAY_ALIGN_NONE) {
            executed = c->alignment.executed[at] + 1u;
        }
    }
    if (!last && records > 0) {
        executed = c->alignment.executed[records];
    }
    take_alignment(c, records, executed);
    return records > 0;
}

/* What is far behind the end of the execution is in excess whatever is before it. */
static bool plan(struct assay_course *c, unsigned narrowed, bool last, bool addresses)
{
    const unsigned traced = c->traced;
    const unsigned reach = ASSAY_ALIGN_TRACE >> narrowed;
    const bool beyond = c->window.ended && traced > c->count + BEYOND;
    const bool whole = beyond || last;
    c->traced = beyond ? c->count + BEYOND : last || traced < reach ? traced : reach;
    const bool planned =
        plan_rows(c, whole ? ASSAY_ALIGN_MOST : ASSAY_ALIGN_MOST >> narrowed, whole, addresses);
    c->traced = traced;
    return planned;
}

/* What an alignment was worth: the records that are planned by it. */
static void pace(struct assay_course *c, unsigned records)
{
    const uint64_t at = assay_window_passed(&c->window);
    const unsigned reach = ASSAY_ALIGN_TRACE >> c->narrowed;
    if (records >= reach / PAID) {
        c->narrowed -= c->narrowed > 0;
        return;
    }
    c->narrowed += at - c->unpaid_at < reach && c->narrowed < NARROWEST;
    c->unpaid_at = at;
}

bool assay_plan_fewest(struct assay_course *c, bool last)
{
    const bool planned = plan(c, c->narrowed, last, true) || plan(c, c->narrowed, last, false);
    pace(c, planned ? c->planned : 0);
    return planned;
}

bool assay_plan_by_addresses(struct assay_course *c, bool last)
{
    return plan(c, 0, last, true);
}

/* --- one difference --- */

/* What no alignment explains: all of the records before the row that was found stand in the places
 * of those that were executed right before it, or in excess. */
void assay_plan_gap(struct assay_course *c, unsigned records, unsigned executed, bool whole)
{
    const unsigned excess = records - executed;
    c->planned = records;
    c->next = 0;
    c->covered = executed;
    c->left_out_behind = 0;
    for (unsigned at = 0; at < records; at++) {
        c->standing[at] = whole         ? ASSAY_STANDS_SAME
                          : at < excess ? ASSAY_STANDS_EXCESS
                                        : ASSAY_STANDS_REPLACED;
        c->executed[at] = (uint16_t)(at < excess ? 0 : at - excess);
        c->left_out_before[at] = 0;
    }
}

/* --- what has moved --- */

/* The same instruction at both places, and the same address as far as it is known. */
static bool is_equal(const struct assay_course *c, unsigned at, unsigned place)
{
    return assay_step_same(&c->trace_steps[at], &c->executed_steps[place]) &&
           assay_step_agrees(&c->trace_steps[at], &c->executed_steps[place]);
}

/* The longest run at a place of the trace that stands somewhere in the block and is not used; of
 * several the last: what is left over of a run whose beginning was taken for that of another stands
 * behind it. */
static struct assay_tile longest_tile(const struct assay_course *c, unsigned at, unsigned n)
{
    struct assay_tile longest = {.trace = at};
    for (unsigned place = 0; place < n; place++) {
        unsigned length = 0;
        while (at + length < n && place + length < n && !c->used[place + length] &&
               is_equal(c, at + length, place + length)) {
            length++;
        }
        if (length > 0 && length >= longest.length) {
            longest.length = length;
            longest.executed = place;
        }
    }
    return longest;
}

/* Whether both blocks hold the same runs, in another order. No place is compared further than the
 * tile that is found there at last is long, and all tiles together are as long as the block: at
 * most n * n comparisons, of 2,048 instructions some 2 ms. That is what aligning them may cost, and
 * it is paid once for the n records that the plan is of. */
static bool find_tiles(struct assay_course *c, unsigned n)
{
    memset(c->used, 0, n * sizeof c->used[0]);
    c->tiles = 0;
    for (unsigned at = 0; at < n;) {
        const struct assay_tile tile = longest_tile(c, at, n);
        if (tile.length == 0 || c->tiles == ASSAY_COURSE_TILES) {
            return false;
        }
        memset(&c->used[tile.executed], 1, tile.length * sizeof c->used[0]);
        c->tile[c->tiles++] = tile;
        at += tile.length;
    }
    return true;
}

/* Those that stay are the longest of the tiles that follow each other in both rows; `heaviest` is
 * their length, up to a tile and with it. */
static void mark_moved(struct assay_course *c)
{
    unsigned best = 0;
    for (unsigned i = 0; i < c->tiles; i++) {
        struct assay_tile *tile = &c->tile[i];
        tile->before = i;
        tile->heaviest = tile->length;
        for (unsigned k = 0; k < i; k++) {
            const unsigned weight = c->tile[k].heaviest + tile->length;
            if (c->tile[k].executed < tile->executed && weight > tile->heaviest) {
                tile->heaviest = weight;
                tile->before = k;
            }
        }
        best = tile->heaviest > c->tile[best].heaviest ? i : best;
    }
    for (bool more = c->tiles > 0; more;) {
        c->tile[best].stays = true;
        more = c->tile[best].before != best;
        best = c->tile[best].before;
    }
}

/* Of a block that holds what was executed, in another order. */
static bool plan_moves(struct assay_course *c, unsigned n)
{
    if (!find_tiles(c, n)) {
        return false;
    }
    mark_moved(c);
    assay_plan_gap(c, n, n, false);
    for (unsigned i = 0; i < c->tiles; i++) {
        const struct assay_tile *tile = &c->tile[i];
        for (unsigned k = 0; k < tile->length; k++) {
            c->standing[tile->trace + k] = tile->stays ? ASSAY_STANDS_SAME : ASSAY_STANDS_MOVED;
            c->executed[tile->trace + k] = (uint16_t)(tile->executed + k);
        }
    }
    return true;
}

/* What is known of the records and the executed instructions of one length that stand in the same
 * place: the fewest differences, if they can be counted. */
static bool plan_block(struct assay_course *c, unsigned n)
{
    const unsigned traced = c->traced;
    if (plan_moves(c, n)) {
        return true;
    }
    c->traced = n;
    const bool counted = assay_align(&c->alignment, c->trace_steps, n, c->executed_steps, n,
                                     ASSAY_ALIGN_MOST, ASSAY_ALIGN_TO_THE_END, true);
    if (counted) {
        take_alignment(c, n, n);
    } else {
        assay_plan_gap(c, n, n, false);
    }
    c->traced = traced;
    return true;
}

/* Both rows agree from there on, in instructions and addresses, for long enough or to the end. */
static bool agree_from(const struct assay_course *c, unsigned at, unsigned place, bool last)
{
    unsigned n = 0;
    while (n < CERTAIN && at + n < c->traced && place + n < c->count) {
        if (!is_equal(c, at + n, place + n)) {
            return false;
        }
        n++;
    }
    return n == CERTAIN || (last && n > 0 && at + n == c->traced);
}

/* One run that is missing, or in excess, or in the place of another of its length, and behind it
 * all agrees: that is more likely than several small differences, which in loops can be fewer in
 * sum. */
bool assay_plan_one(struct assay_course *c, bool last)
{
    for (unsigned n = 1; n < c->traced || n < c->count; n++) {
        const bool left_out = agree_from(c, 0, n, last);
        const bool excess = !left_out && agree_from(c, n, 0, last);
        if (left_out) {
            assay_window_drop(&c->window, n);
            c->left_out += n;
            return true;
        }
        if (excess) {
            assay_plan_gap(c, n, 0, false);
            return true;
        }
        if (agree_from(c, n, n, last)) {
            return plan_block(c, n);
        }
    }
    return false;
}
