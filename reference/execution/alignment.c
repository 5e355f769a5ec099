#include "execution/alignment.h"

#include "common/bytes.h"
#include "execution/parts.h"
#include "execution/plan.h"
#include "execution/silent_loop.h"

/* Instructions read ahead while all match, so that the successor of a match is known, too. */
enum { READ_AHEAD = 257 };

/* --- finding the trace --- */

/* Whether the first `count` instructions of the trace are those of the window from `first` on. */
static bool matches_at(struct assay_alignment *a, unsigned first, unsigned count)
{
    unsigned at = 0;
    while (at < count) {
        const struct assay_step step =
            assay_retired_step(&a->window, assay_window_at(&a->window, first + at));
        if (!assay_step_same(&a->trace_steps[at], &step)) {
            return false;
        }
        at++;
    }
    return true;
}

/* Where the records before the sequence that was found begin: they are found as a whole somewhere
 * before it, or else they replace the instructions executed right before it. */
static unsigned begin_of(struct assay_alignment *a, const struct assay_location *location,
                         bool *whole)
{
    *whole = false;
    for (unsigned at = location->executed; at-- > 0 && !*whole;) {
        if (at + location->trace <= location->executed && matches_at(a, at, location->trace)) {
            *whole = true;
            return at;
        }
    }
    return location->executed > location->trace ? location->executed - location->trace : 0;
}

/* Moves the window to where the trace is; returns the number of executed instructions skipped. */
static uint64_t move_to(struct assay_alignment *a, const struct assay_location *location)
{
    bool whole = true;
    const unsigned begin =
        location->trace == 0 ? location->executed : begin_of(a, location, &whole);
    assay_window_drop(&a->window, begin);
    a->planned = 0;
    if (location->trace > 0 && (whole || !matches_at(a, 0, 1))) {
        const bool last = assay_plan_look_at_execution(a);
        if (whole || !(assay_plan_one(a, last) || assay_plan_fewest(a, last))) {
            assay_plan_gap(a, location->trace, whole ? location->trace : location->executed - begin,
                           whole);
        }
    }
    return location->passed + begin;
}

/* The number of executed instructions before the first record of a plan that matches. The trace
 * begins after them: they are not missing. */
static unsigned take_beginning(struct assay_alignment *a)
{
    for (unsigned at = 0; at < a->planned; at++) {
        if (a->outcome[at] == ASSAY_OUTCOME_SAME || a->outcome[at] == ASSAY_OUTCOME_REPLACED) {
            const unsigned before = a->left_out_before[at];
            a->left_out_before[at] = 0;
            a->begins_at = assay_window_at(&a->window, a->executed[at])->pc;
            return before;
        }
    }
    return 0;
}

static bool any_same(const struct assay_alignment *a)
{
    unsigned at = 0;
    while (at < a->planned && a->outcome[at] != ASSAY_OUTCOME_SAME) {
        at++;
    }
    return at < a->planned;
}

/* A trace of a few records, some of which differ, begins with the execution, or where the fewest
 * differ. */
static bool begins_near(struct assay_alignment *a)
{
    return matches_at(a, 0, 1) ||
           (assay_plan_by_addresses(a, assay_plan_look_at_execution(a)) && any_same(a));
}

/* A trace may begin anywhere in the execution: at the first place that agrees, or, if it is of a
 * format with gaps, at a later one (parts.h). */
static void start(struct assay_alignment *a)
{
    struct assay_location location;
    a->started = true;
    a->part_broken = true;
    assay_plan_look_ahead(a);
    if (assay_window_fill(&a->window, 1) == 0) {
        return;
    }
    if (assay_locate(&a->search, &a->window, a->trace_steps, a->traced, true, &location)) {
        a->begins_after = move_to(a, &location);
    } else if (location.passed > 0 || !begins_near(a)) {
        a->planned = 0;
        a->lost = true;
        a->strange = a->search.met || a->traced < ASSAY_LOCATE_LENGTH ? 0 : a->traced;
        return;
    }
    if (a->planned == 0 && a->trace_steps[0].resumes) {
        assay_part_begin(a);
    }
    a->begins_at = assay_window_at(&a->window, 0)->pc;
    a->begins_after += a->left_out + take_beginning(a);
    a->left_out = 0;
}

/* Whether the plan explains at least half of the records. */
static bool is_convincing(const struct assay_alignment *a)
{
    return a->diff.differences * 2 <= a->traced;
}

/* The record is not of the expected instruction. */
static void realign(struct assay_alignment *a)
{
    struct assay_location location;
    if (assay_part_place_again(a)) {
        return;
    }
    assay_plan_look_ahead(a);
    const bool last = assay_plan_look_at_execution(a);
    if (assay_plan_one(a, last)) {
        return;
    }
    const bool planned = assay_plan_fewest(a, last);
    if (planned && (!last || is_convincing(a))) {
        return;
    }
    /* The rest of the trace may be found further on; where nothing nearby resembles it, search all
     * of the execution that is left. */
    if (assay_locate(&a->search, &a->window, a->trace_steps, a->traced, !planned, &location)) {
        a->left_out += move_to(a, &location);
    } else if (!planned) {
        a->planned = 0;
        a->lost = true;
    }
}

/* --- silent loops --- */

/* The record at hand is of the executed instruction. */
static void note_repeats(struct assay_alignment *a, const struct assay_step *step,
                         const struct assay_alignment_match *match)
{
    a->repeats = step->repeats && match->outcome == ASSAY_OUTCOME_SAME;
    if (a->repeats) {
        a->last = *match->executed;
    }
}

/* Passes over the iterations of a silent loop after the last record. */
static void pass_loop(struct assay_alignment *a)
{
    unsigned count = 0;
    while (a->repeats && (count = assay_silent_loop(&a->window, 0, &a->last)) > 0) {
        assay_window_drop(&a->window, count);
        a->repeated += count;
    }
}

/* Of instructions that a plan leaves out before one in the window: those of a silent loop. */
static unsigned loop_before(struct assay_alignment *a, unsigned executed)
{
    unsigned at = a->expected;
    unsigned count = 0;
    while (a->repeats && at < executed &&
           (count = assay_silent_loop(&a->window, at, &a->last)) > 0 && at + count <= executed) {
        at += count;
    }
    return at - a->expected;
}

/* --- record after record --- */

static bool is_expected(struct assay_alignment *a, const struct assay_step *step)
{
    return assay_window_is(&a->window, assay_window_at(&a->window, 0), step);
}

/* The record is of the executed instruction of this number, or of none in its place. */
static void follow(struct assay_alignment *a, bool same, uint64_t number, uint64_t left_out)
{
    if (same && (a->part_broken || left_out > 0)) {
        a->part_from = number;
    }
    a->part_broken = !same;
}

static struct assay_alignment_match take(struct assay_alignment *a,
                                         enum assay_alignment_outcome outcome, unsigned executed,
                                         unsigned left_out)
{
    struct assay_alignment_match match = {.outcome = outcome};
    if (outcome <= ASSAY_OUTCOME_REPLACED) {
        match.executed = assay_window_at(&a->window, executed);
        match.has_next = executed + 1 < a->window.count;
    }
    if (outcome == ASSAY_OUTCOME_SAME || outcome == ASSAY_OUTCOME_REPLACED) {
        match.left_out = a->left_out + left_out;
        a->left_out = 0;
    }
    follow(a, outcome == ASSAY_OUTCOME_SAME, assay_window_passed(&a->window) + executed,
           match.left_out);
    return match;
}

static struct assay_alignment_match take_planned(struct assay_alignment *a)
{
    const unsigned at = a->next++;
    unsigned left_out = a->left_out_before[at];
    if (a->outcome[at] == ASSAY_OUTCOME_SAME || a->outcome[at] == ASSAY_OUTCOME_REPLACED) {
        const unsigned loop = left_out > 0 ? loop_before(a, a->executed[at]) : 0;
        a->repeated += loop < left_out ? loop : left_out;
        left_out -= loop < left_out ? loop : left_out;
        a->expected = a->executed[at] + 1u;
    }
    return take(a, a->outcome[at], a->executed[at], left_out);
}

/* Moves past the instructions that the plan covered. */
static void finish_plan(struct assay_alignment *a)
{
    a->left_out += a->left_out_after;
    a->left_out_after = 0;
    assay_window_drop(&a->window, a->covered);
    a->covered = 0;
    a->planned = 0;
    a->next = 0;
    a->expected = 0;
}

/* A record that resumes the trace is placed once, by those after it. False: they are needed. */
static bool take_resumed(struct assay_alignment *a, const struct assay_step *step)
{
    if (!step->resumes || a->resumed) {
        return true;
    }
    a->resumed = assay_part_skip_counted(a, step);
    if (!a->resumed && a->has_ahead) {
        assay_part_resume(a);
        a->resumed = true;
    }
    return a->resumed;
}

/* Matches without a plan. False: the records ahead are needed. */
static bool take_expected(struct assay_alignment *a, const struct assay_step *step,
                          struct assay_alignment_match *match)
{
    if (a->window.count < 2) {
        assay_window_fill(&a->window, READ_AHEAD);
    }
    if (a->repeats && a->window.count > 0 && !is_expected(a, step)) {
        pass_loop(a);
        assay_window_fill(&a->window, 2);
    }
    if (a->window.count == 0) {
        *match = take(a, a->window.whole ? ASSAY_OUTCOME_EXCESS : ASSAY_OUTCOME_UNKNOWN, 0, 0);
        return true;
    }
    if (!is_expected(a, step)) {
        if (!a->has_ahead) {
            return false;
        }
        realign(a);
        if (a->lost || a->planned > 0) {
            *match = a->lost ? take(a, ASSAY_OUTCOME_LOST, 0, 0) : take_planned(a);
            return true;
        }
        assay_window_fill(&a->window, 2);
    }
    *match = take(a, ASSAY_OUTCOME_SAME, 0, 0);
    assay_window_drop(&a->window, 1);
    return true;
}

static bool next(struct assay_alignment *a, const struct assay_step *step,
                 struct assay_alignment_match *match)
{
    if (a->lost) {
        *match = take(a, ASSAY_OUTCOME_UNKNOWN, 0, 0);
        return true;
    }
    if (!a->started) {
        if (!a->has_ahead) {
            return false;
        }
        start(a);
        if (a->lost) {
            *match = take(a, ASSAY_OUTCOME_LOST, 0, 0);
            return true;
        }
    }
    if (a->planned > 0 && a->next == a->planned) {
        finish_plan(a);
    }
    if (a->planned > 0) {
        *match = take_planned(a);
        return true;
    }
    return take_resumed(a, step) && take_expected(a, step, match);
}

bool assay_alignment_next(struct assay_alignment *a, const struct assay_step *step,
                          struct assay_alignment_match *match)
{
    const bool done = next(a, step, match);
    if (done) {
        note_repeats(a, step, match);
    }
    a->has_ahead = a->has_ahead && !done;
    a->resumed = a->resumed && !done;
    return done;
}

/* The size of the instruction that begins a line, and its word; 0: it is not whole there. */
static unsigned read_first(const struct assay_line *line, size_t at, uint32_t *word)
{
    const uint8_t *bytes = line->bytes + at;
    const size_t left = line->length - at;
    if (line->compressed && left >= 2 && (bytes[0] & 3) != 3) {
        *word = assay_load16(bytes);
        return 2;
    }
    *word = left >= 4 ? assay_load32(bytes) : 0;
    return left >= 4 ? 4 : 0;
}

/* Whether what comes next is an instruction that is expected, and no other. */
static bool is_in_step(const struct assay_alignment *a)
{
    return a->planned == 0 && a->started && !a->lost && a->left_out == 0 && !a->has_ahead &&
           !a->resumed && !a->repeats;
}

/* Takes the instruction at a position of a line, and returns its size; 0: it is not `expected`. */
static unsigned take_from(const struct assay_line *line, size_t at,
                          const struct assay_retired *expected)
{
    uint32_t word = 0;
    const unsigned size = read_first(line, at, &word);
    return expected->pc == line->pc + at && expected->word == word ? size : 0;
}

const struct assay_retired *assay_alignment_take_first(struct assay_alignment *a,
                                                       const struct assay_line *line, size_t *bytes)
{
    struct assay_window *window = &a->window;
    *bytes = 0;
    if (line->count == 0 || !is_in_step(a) ||
        (window->count < 2 && assay_window_fill(window, READ_AHEAD) < 2)) {
        return NULL;
    }
    const struct assay_retired *expected = assay_window_at(window, 0);
    *bytes = take_from(line, 0, expected);
    assay_window_drop(window, *bytes > 0);
    return *bytes > 0 ? expected : NULL;
}

uint32_t assay_alignment_take_line(struct assay_alignment *a, const struct assay_line *line,
                                   size_t *bytes)
{
    struct assay_window *window = &a->window;
    uint32_t taken = 0;
    unsigned size = 1;
    size_t at = 0;
    while (taken < line->count && size > 0 && is_in_step(a) &&
           (window->count >= 2 || assay_window_fill(window, READ_AHEAD) >= 2)) {
        const struct assay_retired *expected = assay_window_at(window, 0);
        const uint32_t known = window->count - 1; /* with what comes after them */
        const uint32_t wanted = line->count - taken < known ? line->count - taken : known;
        uint32_t n = 0;
        while (n < wanted && (size = take_from(line, at, &expected[n])) > 0) {
            at += size;
            n++;
        }
        assay_window_drop(window, n);
        taken += n;
    }
    *bytes = at;
    return taken;
}

void assay_alignment_show(struct assay_alignment *a, unsigned count, bool last)
{
    a->has_ahead = true;
    a->ahead = count;
    a->ahead_last = last;
}

bool assay_alignment_is_expected(struct assay_alignment *a, const struct assay_step *step,
                                 bool *known)
{
    *known = a->started && !a->lost && a->next == a->planned;
    if (!*known) {
        return false;
    }
    if (a->planned > 0) {
        finish_plan(a);
    }
    if (a->window.count < 2) {
        assay_window_fill(&a->window, READ_AHEAD);
    }
    return a->window.count > 0 && is_expected(a, step);
}

void assay_alignment_finish(struct assay_alignment *a)
{
    if (a->planned > 0 && a->next == a->planned) {
        finish_plan(a);
    }
    if (a->planned == 0 && !a->lost) {
        pass_loop(a);
    }
}

/* Whether the current position is known; then what follows it is in the window, if anything does.
 */
static bool has_position(struct assay_alignment *a)
{
    if (a->lost || !a->started) {
        return false;
    }
    if (a->window.count == 0) {
        assay_window_fill(&a->window, READ_AHEAD);
    }
    return true;
}

const struct assay_attempt *assay_alignment_attempt(struct assay_alignment *a)
{
    return has_position(a) ? assay_window_attempt(&a->window, a->expected) : NULL;
}

const struct assay_trap *assay_alignment_trap(struct assay_alignment *a)
{
    return has_position(a) ? assay_window_trap(&a->window, a->expected) : NULL;
}

const struct assay_retired *assay_alignment_expected(struct assay_alignment *a)
{
    return has_position(a) && a->expected < a->window.count
               ? assay_window_at(&a->window, a->expected)
               : NULL;
}

bool assay_alignment_goes_on(struct assay_alignment *a, uint64_t *pc, bool *diverted)
{
    const bool placed = a->planned == 0 && a->is_placed;
    const struct assay_retired *next = placed ? assay_alignment_expected(a) : NULL;
    if (next == NULL) {
        return false;
    }
    const struct assay_attempt *attempt = assay_window_attempt(&a->window, 0);
    *diverted = next->after_diversion;
    *pc = attempt != NULL ? attempt->pc : next->pc;
    return !*diverted || attempt != NULL;
}

bool assay_alignment_led(struct assay_alignment *a, unsigned diversions, uint64_t *pc)
{
    const struct assay_attempt *attempt = assay_alignment_attempt(a);
    const struct assay_retired *next = assay_alignment_expected(a);
    if (attempt != NULL && attempt->diversions == diversions) {
        *pc = attempt->pc;
        return true;
    }
    *pc = next != NULL ? next->pc : 0;
    return next != NULL && next->diversions == diversions;
}

uint64_t assay_alignment_rest(struct assay_alignment *a, uint64_t *at)
{
    const unsigned from = a->planned > 0 ? a->covered : 0;
    *at = 0;
    if (a->lost) {
        return 0;
    }
    const uint64_t known =
        a->left_out + a->left_out_before_part + (a->planned > 0 ? a->left_out_after : 0);
    if (from < a->window.count) {
        *at = assay_window_at(&a->window, from)->pc;
    }
    return known + (a->window.count - from);
}
