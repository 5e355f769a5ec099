#include "execution/course.h"

#include "execution/plan.h"

/* Read ahead while all goes well; what follows a match is known, too. */
enum { READ_AHEAD = 257 };

/* --- finding the trace --- */

/* Whether the instructions of the trace up to `count` stand in the execution at a place. */
static bool stands_at(struct assay_course *c, unsigned place, unsigned count)
{
    unsigned at = 0;
    while (at < count) {
        const struct assay_step step =
            assay_retired_step(&c->window, assay_window_at(&c->window, place + at));
        if (!assay_step_same(&c->trace_steps[at], &step)) {
            return false;
        }
        at++;
    }
    return true;
}

/* The records before the row that was found: they stand in one piece somewhere before it, or else
 * in the places of those that were executed right before it. */
static unsigned begin_of(struct assay_course *c, const struct assay_place *place, bool *whole)
{
    *whole = false;
    for (unsigned at = place->executed; at-- > 0 && !*whole;) {
        if (at + place->trace <= place->executed && stands_at(c, at, place->trace)) {
            *whole = true;
            return at;
        }
    }
    return place->executed > place->trace ? place->executed - place->trace : 0;
}

/* Moves the window to where the trace is, and gives how many executed instructions it passed. */
static uint64_t settle(struct assay_course *c, const struct assay_place *place)
{
    bool whole = true;
    const unsigned begin = place->trace == 0 ? place->executed : begin_of(c, place, &whole);
    assay_window_drop(&c->window, begin);
    c->planned = 0;
    if (place->trace > 0 && (whole || !stands_at(c, 0, 1))) {
        const bool last = assay_plan_look_at_executed(c);
        if (whole || !(assay_plan_one(c, last) || assay_plan_fewest(c, last))) {
            assay_plan_gap(c, place->trace, whole ? place->trace : place->executed - begin, whole);
        }
    }
    return place->passed + begin;
}

/* In a plan the first record of what was executed there: how many were executed before it. The
 * trace begins behind them; they are not missing. */
static unsigned take_beginning(struct assay_course *c)
{
    for (unsigned at = 0; at < c->planned; at++) {
        if (c->standing[at] == ASSAY_STANDS_SAME || c->standing[at] == ASSAY_STANDS_REPLACED) {
            const unsigned before = c->left_out_before[at];
            c->left_out_before[at] = 0;
            c->begins_at = assay_window_at(&c->window, c->executed[at])->pc;
            return before;
        }
    }
    return 0;
}

static bool any_same(const struct assay_course *c)
{
    unsigned at = 0;
    while (at < c->planned && c->standing[at] != ASSAY_STANDS_SAME) {
        at++;
    }
    return at < c->planned;
}

/* A trace of a few records, some of which differ: it begins with the execution, or where the fewest
 * differ. */
static bool begins_near(struct assay_course *c)
{
    return stands_at(c, 0, 1) ||
           (assay_plan_by_addresses(c, assay_plan_look_at_executed(c)) && any_same(c));
}

/* A trace may begin anywhere. */
static void start(struct assay_course *c)
{
    struct assay_place place;
    c->started = true;
    assay_plan_look_ahead(c);
    if (assay_window_fill(&c->window, 1) == 0) {
        return;
    }
    if (assay_locate(&c->search, &c->window, c->trace_steps, c->traced, true, &place)) {
        c->begins_behind = settle(c, &place);
    } else if (place.passed > 0 || !begins_near(c)) {
        c->planned = 0;
        c->lost = true;
        return;
    }
    c->begins_at = assay_window_at(&c->window, 0)->pc;
    c->begins_behind += c->left_out + take_beginning(c);
    c->left_out = 0;
}

/* Whether the plan explains more than it leaves open. */
static bool is_convincing(const struct assay_course *c)
{
    return c->alignment.differences * 2 <= c->traced;
}

/* The record is not of the instruction that is due. */
static void find_again(struct assay_course *c)
{
    struct assay_place place;
    assay_plan_look_ahead(c);
    const bool last = assay_plan_look_at_executed(c);
    if (assay_plan_one(c, last)) {
        return;
    }
    const bool planned = assay_plan_fewest(c, last);
    if (planned && (!last || is_convincing(c))) {
        return;
    }
    /* The rest of a trace may be of somewhere else, unless nothing near is like it. */
    if (assay_locate(&c->search, &c->window, c->trace_steps, c->traced, !planned, &place)) {
        c->left_out += settle(c, &place);
    } else if (!planned) {
        c->planned = 0;
        c->lost = true;
    }
}

/* --- record after record --- */

static bool is_due(struct assay_course *c, const struct assay_step *step)
{
    return assay_window_is(&c->window, assay_window_at(&c->window, 0), step);
}

static struct assay_course_place take(struct assay_course *c, enum assay_standing standing,
                                      unsigned executed, unsigned left_out)
{
    struct assay_course_place place = {.standing = standing};
    if (standing <= ASSAY_STANDS_REPLACED) {
        place.executed = assay_window_at(&c->window, executed);
        place.has_next = executed + 1 < c->window.count;
    }
    if (standing == ASSAY_STANDS_SAME || standing == ASSAY_STANDS_REPLACED) {
        place.left_out = c->left_out + left_out;
        c->left_out = 0;
    }
    return place;
}

static struct assay_course_place take_planned(struct assay_course *c)
{
    const unsigned at = c->next++;
    if (c->standing[at] == ASSAY_STANDS_SAME || c->standing[at] == ASSAY_STANDS_REPLACED) {
        c->due = c->executed[at] + 1u;
    }
    return take(c, c->standing[at], c->executed[at], c->left_out_before[at]);
}

/* At the end of a plan. */
static void finish_plan(struct assay_course *c)
{
    c->left_out += c->left_out_behind;
    c->left_out_behind = 0;
    assay_window_drop(&c->window, c->covered);
    c->covered = 0;
    c->planned = 0;
    c->next = 0;
    c->due = 0;
}

/* Without a plan. False: it takes the records ahead. */
static bool take_due(struct assay_course *c, const struct assay_step *step,
                     struct assay_course_place *place)
{
    if (c->window.count < 2) {
        assay_window_fill(&c->window, READ_AHEAD);
    }
    if (c->window.count == 0) {
        *place = take(c, c->window.whole ? ASSAY_STANDS_EXCESS : ASSAY_STANDS_UNTOLD, 0, 0);
        return true;
    }
    if (!is_due(c, step)) {
        if (!c->has_ahead) {
            return false;
        }
        find_again(c);
        if (c->lost || c->planned > 0) {
            *place = c->lost ? take(c, ASSAY_STANDS_LOST, 0, 0) : take_planned(c);
            return true;
        }
        assay_window_fill(&c->window, 2);
    }
    *place = take(c, ASSAY_STANDS_SAME, 0, 0);
    assay_window_drop(&c->window, 1);
    return true;
}

static bool next(struct assay_course *c, const struct assay_step *step,
                 struct assay_course_place *place)
{
    if (c->lost) {
        *place = take(c, ASSAY_STANDS_UNTOLD, 0, 0);
        return true;
    }
    if (!c->started) {
        if (!c->has_ahead) {
            return false;
        }
        start(c);
        if (c->lost) {
            *place = take(c, ASSAY_STANDS_LOST, 0, 0);
            return true;
        }
    }
    if (c->planned > 0 && c->next == c->planned) {
        finish_plan(c);
    }
    if (c->planned > 0) {
        *place = take_planned(c);
        return true;
    }
    return take_due(c, step, place);
}

bool assay_course_next(struct assay_course *c, const struct assay_step *step,
                       struct assay_course_place *place)
{
    const bool done = next(c, step, place);
    c->has_ahead = c->has_ahead && !done;
    return done;
}

void assay_course_show(struct assay_course *c, unsigned count, bool last)
{
    c->has_ahead = true;
    c->ahead = count;
    c->ahead_last = last;
}

bool assay_course_is_due(struct assay_course *c, const struct assay_step *step, bool *known)
{
    *known = c->started && !c->lost && c->next == c->planned;
    if (!*known) {
        return false;
    }
    if (c->planned > 0) {
        finish_plan(c);
    }
    if (c->window.count < 2) {
        assay_window_fill(&c->window, READ_AHEAD);
    }
    return c->window.count > 0 && is_due(c, step);
}

const struct assay_attempt *assay_course_attempt(struct assay_course *c)
{
    if (c->lost || !c->started) {
        return NULL;
    }
    if (c->window.count == 0) {
        assay_window_fill(&c->window, READ_AHEAD);
    }
    return assay_window_attempt(&c->window, c->due);
}

uint64_t assay_course_rest(struct assay_course *c, uint64_t *at)
{
    const unsigned from = c->planned > 0 ? c->covered : 0;
    *at = 0;
    if (c->lost) {
        return 0;
    }
    const uint64_t behind = c->left_out + (c->planned > 0 ? c->left_out_behind : 0);
    if (from < c->window.count) {
        *at = assay_window_at(&c->window, from)->pc;
    }
    return behind + (c->window.count - from);
}
