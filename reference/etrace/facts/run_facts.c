/* Runs: what encoder and decoder have learnt by then, and what flags and depths of a packet are
 * about. */
#include "etrace/facts/state.h"

enum {
    ENTERED = 0xf,
    STOPPED = 7,
    FLOW = 7,
    DEPTH = 0xffff,
    PENDING = 63,
    CALL = 1 << CALL_BIT,
    STOPS = STOPPED << STOPPED_BIT,
    OUTCOMES_OF_NEXT = 2
};
_Static_assert(ETRACE_BY_SEQUENCE == 0 && ETRACE_BY_TAKEN == 1 && ETRACE_BY_NOT_TAKEN == 2 &&
                   ETRACE_BY_JUMP == 3,
               "how runs are entered as the program says has the lowest two bits");

static bool is_on(const struct etrace_facts *f, enum etrace_parameter option)
{
    return f->layout[option] != 0;
}

static unsigned flow_of(const uint64_t *run)
{
    return run[ETRACE_RUN_FLAGS] >> LAST_BIT & FLOW;
}

static unsigned stop_of(const uint64_t *run)
{
    return run[ETRACE_RUN_FLAGS] >> STOPPED_BIT & STOPPED;
}

/* A synchronisation packet: what decoder and encoder have learnt is forgotten (3.2.5, 3.2.7). */
static void forget(struct etrace_facts *f)
{
    f->calls.depth = 0;
    f->returned = false;
    f->forgets = false;
    if (f->learned) {
        etrace_targets_reset(&f->targets);
        f->learned = false;
    }
}

/* --- how the path came there --- */

/* The path comes to a target that a packet reports. */
static uint64_t arrive(struct etrace_facts *f, const struct assay_event *run, uint64_t *between)
{
    const uint64_t target = run->cells[ETRACE_RUN_ADDRESS];
    const bool second_pass = (run->cells[ETRACE_RUN_FLAGS] >> SECOND_PASS_BIT & 1) != 0;
    uint64_t facts = 0;
    if ((run->cells[ETRACE_RUN_FLAGS] >> MISPREDICTED_BIT & 1) != 0 && f->calls.depth > 0) {
        assay_image_select_number(&f->cursor,
                                  (uint32_t)(run->cells[ETRACE_RUN_COUNT] >> SPACE_BIT));
        *between = second_pass ? 0 : etrace_between_returns(f);
        facts = (uint64_t)(etrace_calls_pop(&f->calls) == target) << AS_PREDICTED_BIT;
    }
    if (is_on(f, ETRACE_JUMP_TARGET_CACHE) && run->from->kind != ETRACE_start) {
        const bool returns = flow_of(f->last) == ETRACE_FLOW_XRET;
        const uint64_t bytes =
            second_pass || returns
                ? 0
                : etrace_index_bytes(&f->targets, run->from, target, f->layout[ETRACE_F0S_WIDTH]);
        facts |= bytes << INDEX_BYTES_BIT;
        etrace_targets_learn(&f->targets, target, returns);
        f->learned = true;
    }
    return facts;
}

/* The path goes on from the last run, by the program, a predicted return or a report. */
static inline uint64_t leave(struct etrace_facts *f, const struct assay_event *run,
                             unsigned entered, uint64_t *between)
{
    uint64_t facts = 0;
    if (entered == ETRACE_BY_TAKEN || entered == ETRACE_BY_NOT_TAKEN) {
        f->branched = f->branched || f->moved;
    } else if (entered == ETRACE_BY_RETURN && f->calls.depth > 0) {
        (void)etrace_calls_pop(&f->calls);
        f->returned = true;
        f->branched = false;
    } else if (entered == ETRACE_BY_REPORT) {
        facts = arrive(f, run, between);
    }
    if ((f->last[ETRACE_RUN_FLAGS] & CALL) != 0 && is_on(f, ETRACE_IMPLICIT_RETURN)) {
        etrace_calls_push(&f->calls, f->last[ETRACE_RUN_END] & f->reading.mask);
        f->returned = false;
    }
    return facts;
}

/* --- where it stops --- */

/* The packet has a map of 31 outcomes, and the path stops at its end. */
static bool is_full_map(const struct assay_event *run)
{
    const uint64_t branches = run->from->kind == ETRACE_diff_delta
                                  ? run->from->cells[ETRACE_CELL_diff_delta_branches]
                                  : 1;
    return (branches == 0 || branches == ETRACE_FULL_MAP) &&
           (run->cells[ETRACE_RUN_FLAGS] >> PENDING_BIT & PENDING) < OUTCOMES_OF_NEXT;
}

/* Only its depth says which occurrence of the address was reported (6.6.3). */
static bool is_deep(const uint64_t *run)
{
    return stop_of(run) == ETRACE_AT_ADDRESS && (run[ETRACE_RUN_FLAGS] >> DEPTH_BIT & DEPTH) > 0 &&
           (run[ETRACE_RUN_FLAGS] >> RETURNED_BIT & 1) != 0 &&
           (run[ETRACE_RUN_FLAGS] >> BRANCHED_BIT & 1) == 0 && flow_of(run) != ETRACE_FLOW_BRANCH;
}

/* The instruction is synchronised directly after one of which a packet has only the address. */
static bool needs_depth(const struct etrace_facts *f, const uint64_t *run, unsigned entered)
{
    return entered < ETRACE_BY_SYNC && (uint32_t)run[ETRACE_RUN_COUNT] == 1 && f->last != NULL &&
           is_deep(f->last);
}

static uint64_t stop(const struct etrace_facts *f, const struct assay_event *run, unsigned stopped,
                     unsigned entered)
{
    uint64_t facts = (uint64_t)f->returned << RETURNED_BIT | (uint64_t)(f->returned && f->branched)
                                                                 << BRANCHED_BIT;
    if (is_on(f, ETRACE_BRANCH_PREDICTION)) {
        facts |= (uint64_t)is_full_map(run) << FULL_MAP_BIT;
    }
    if (stopped == ETRACE_AT_SYNC) {
        facts |= (uint64_t)needs_depth(f, run->cells, entered) << NEEDS_DEPTH_BIT;
    }
    return facts;
}

/* --- runs --- */

/* Before the first run that a packet gives. */
static void begin_packet(struct etrace_facts *f)
{
    if (f->forgets) {
        forget(f);
    }
    /* 2.0 counts branches that packets before reported, too (7.6.3). */
    f->branched = f->branched && f->layout[ETRACE_WIRE] >= ETRACE_2_0;
}

static void take_run(struct etrace_facts *f, const struct assay_event *run)
{
    const unsigned entered = run->cells[ETRACE_RUN_FLAGS] >> ENTERED_BIT & ENTERED;
    uint64_t facts = (uint64_t)f->announced << ANNOUNCED_BIT;
    uint64_t between = 0;
    if (!f->moved) {
        begin_packet(f);
    }
    if (entered >= ETRACE_BY_SYNC) {
        forget(f);
    } else if (f->last != NULL) {
        facts |= leave(f, run, entered, &between);
    }
    if (stop_of(run->cells) != ETRACE_GOES_ON) {
        facts |= stop(f, run, stop_of(run->cells), entered);
    }
    uint64_t *cells = assay_history_cells(f->path, run);
    cells[ETRACE_RUN_FLAGS] |= facts;
    cells[ETRACE_RUN_LAST_WORD] |= between << BETWEEN_BIT;
    f->last = run->cells;
    f->moved = true;
    if (f->announced) {
        f->announced = false;
        etrace_facts_look(f);
    }
}

/* Whether a run is no stop, and is entered as the program says, or by a predicted return. */
static inline bool is_passed(uint64_t says)
{
    return (says & STOPS) == 0 && (says >> ENTERED_BIT & ENTERED) <= ETRACE_BY_RETURN;
}

/* Whether it is no stop, and is entered in sequence, by a branch or by a jump, but from no call. */
static inline bool is_plain(uint64_t before, uint64_t says)
{
    const uint64_t others = (uint64_t)(ENTERED ^ ETRACE_BY_JUMP) << ENTERED_BIT;
    return ((says & (STOPS | others)) | (before & CALL)) == 0;
}

/* Passes the runs after one, of the same packet, that have no facts; returns the last one. Most are
 * plain, of which only the branches are of interest. */
static const struct assay_event *pass_runs(struct etrace_facts *f, const struct assay_event *run,
                                           const struct assay_event *end)
{
    const uint64_t one = UINT64_C(1) << ENTERED_BIT;
    uint64_t before = run->cells[ETRACE_RUN_FLAGS];
    uint64_t branches = 0; /* the bit above the lowest one of `entered` plus 1 is set by a branch */
    while (run + 1 < end && run[1].from == run->from && run[1].kind == ETRACE_run) {
        const uint64_t says = run[1].cells[ETRACE_RUN_FLAGS];
        if (is_plain(before, says)) {
            branches |= says + one;
        } else if (is_passed(says)) {
            f->last = run->cells;
            f->branched = f->branched || (branches & 2 * one) != 0;
            (void)leave(f, &run[1], says >> ENTERED_BIT & ENTERED, NULL);
            branches = 0;
        } else {
            break;
        }
        before = says;
        run++;
    }
    f->branched = f->branched || (branches & 2 * one) != 0;
    f->last = run->cells;
    return run;
}

const struct assay_event *etrace_facts_runs(struct etrace_facts *f, const struct assay_event *run,
                                            const struct assay_event *end)
{
    take_run(f, run);
    return pass_runs(f, run, end);
}
