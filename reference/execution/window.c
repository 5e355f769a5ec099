#include "execution/window.h"

#include <string.h>

/* Moves the window to the beginning of list and pool. */
static void make_room(struct assay_window *w)
{
    const unsigned begin = w->count > 0 ? assay_window_at(w, 0)->begin : w->used;
    memmove(w->pool, w->pool + begin, (w->used - begin) * sizeof w->pool[0]);
    memmove(w->list, w->list + w->first, w->count * sizeof w->list[0]);
    w->used -= begin;
    w->first = 0;
    for (unsigned i = 0; i < w->count; i++) {
        w->list[i].begin -= begin;
    }
}

/* Makes room for one more instruction, if possible. At most half of the pool is retained, so that
 * never more is moved than was read since the last move. */
static bool has_room(struct assay_window *w)
{
    const bool list_full = w->first + w->count == ASSAY_WINDOW_ROOM;
    const bool pool_full = w->used > ASSAY_WINDOW_POOL - ASSAY_EXECUTION_ACCESSES_MAX;
    if (w->count == ASSAY_WINDOW_MAX) {
        return false;
    }
    if (list_full || pool_full) {
        const unsigned begin = w->count > 0 ? assay_window_at(w, 0)->begin : w->used;
        if (pool_full && w->used - begin > ASSAY_WINDOW_POOL / 2) {
            return false;
        }
        make_room(w);
    }
    return true;
}

static uint64_t address_of(const struct assay_window *w, uint64_t address)
{
    return w->tagged ? assay_untagged(address) : address;
}

/* Number of the last walk of the instruction that comes next. */
static uint32_t last_walk(const struct assay_window *w)
{
    const struct assay_walk_of *last = &w->walk[(w->walks - 1) % ASSAY_WINDOW_WALKS];
    return w->walks > 0 && last->instruction == w->read ? w->walks : 0;
}

static void take_instruction(struct assay_window *w, const struct assay_executed *item)
{
    *assay_window_at(w, w->count++) = (struct assay_retired){.pc = item->address,
                                                             .word = item->word,
                                                             .begin = w->used,
                                                             .attempt = w->pending,
                                                             .accesses = item->accesses,
                                                             .walks = last_walk(w),
                                                             .trap = w->trap_pending,
                                                             .after_diversion = w->diverted,
                                                             .diversions = w->diversions,
                                                             .level = w->level};
    w->read++;
    for (unsigned i = 0; i < item->accesses; i++) {
        w->pool[w->used] = item->access[i];
        w->pool[w->used].address = address_of(w, item->access[i].address);
        w->used++;
    }
    w->pending = 0;
    w->diverted = false;
    w->diversions = 0;
    w->several = false;
    w->trap_pending = 0;
    w->several_traps = false;
}

static void take_attempt(struct assay_window *w, const struct assay_executed *item)
{
    w->several = w->several || w->pending != 0;
    w->attempt[w->attempts % ASSAY_WINDOW_ATTEMPTS] =
        (struct assay_attempt){.pc = item->address,
                               .word = item->word,
                               .fault = address_of(w, item->fault),
                               .fault_known = item->fault_known,
                               .diversions = w->diversions};
    w->attempts++;
    w->pending = w->several ? 0 : w->attempts;
}

/* The level before a trap. A log has that of instructions that retired alone: after a return from a
 * trap, none may have. */
static uint8_t level_before(const struct assay_window *w)
{
    return assay_execution_table(w->execution) != NULL ? ASSAY_EXECUTION_LEVEL_UNKNOWN : w->level;
}

static void take_trap(struct assay_window *w, const struct assay_executed *item)
{
    w->several_traps = w->several_traps || w->trap_pending != 0;
    w->trap[w->traps % ASSAY_WINDOW_TRAPS] = (struct assay_trap){.cause = item->cause,
                                                                 .from = item->from,
                                                                 .value = item->fault,
                                                                 .value_known = item->fault_known,
                                                                 .level = level_before(w),
                                                                 .number = item->number};
    w->traps++;
    w->trap_pending = w->several_traps ? 0 : w->traps;
    w->level = item->level;
}

static void take_end(struct assay_window *w, const struct assay_executed *item)
{
    w->ended = true;
    w->whole = w->whole || item->reason == ASSAY_EXECUTION_ENDED_BY_EXIT;
}

/* Takes an item of the recording; those of other threads are ignored. */
static void take(struct assay_window *w, const struct assay_executed *item)
{
    if (item->kind == ASSAY_EXECUTED_END) {
        take_end(w, item);
    } else if (item->thread != w->thread) {
        return;
    } else if (item->kind == ASSAY_EXECUTED_INSTRUCTION) {
        if (assay_window_takes(w, item)) {
            take_instruction(w, item);
        }
    } else if (item->kind == ASSAY_EXECUTED_SYSTEM_CALL) {
        if (w->count > 0 && item->number < UINT32_MAX) {
            assay_window_at(w, w->count - 1)->call = (uint32_t)item->number + 1;
        }
    } else if (item->kind == ASSAY_EXECUTED_DIVERTED) {
        w->diverted = true;
        if (w->count > 0) {
            assay_window_at(w, w->count - 1)->diverted = true;
        }
        if (item->aborted) {
            take_attempt(w, item);
        }
        if (w->diversions < UINT8_MAX) {
            w->diversions++;
        }
    } else if (item->kind == ASSAY_EXECUTED_TRAP) {
        take_trap(w, item);
    } else if (item->kind == ASSAY_EXECUTED_LEVEL) {
        w->level = item->level;
    } else if (item->kind == ASSAY_EXECUTED_WALK) {
        w->walk[w->walks % ASSAY_WINDOW_WALKS] =
            (struct assay_walk_of){.instruction = w->read, .walk = *item->walk};
        w->walks++;
    } else if (item->kind == ASSAY_EXECUTED_THREAD_START) {
        w->system_id = item->system_id;
    } else if (item->kind == ASSAY_EXECUTED_THREAD_END) {
        w->whole = true;
    }
}

/* Nothing is known of the instruction that comes next but what its item says. */
static bool is_plain(const struct assay_window *w)
{
    return w->pending == 0 && !w->several && !w->diverted && w->trap_pending == 0 &&
           !w->several_traps && last_walk(w) == 0;
}

/* Takes instructions that follow each other, as take_instruction does, as long as nothing has to be
 * moved; returns how many were read. */
static unsigned take_run(struct assay_window *w, unsigned want)
{
    enum { MOST = 64, POOL = ASSAY_WINDOW_POOL - ASSAY_EXECUTION_ACCESSES_MAX };
    struct assay_executed_in_run list[MOST];
    const unsigned wanted = want - w->count < MOST ? want - w->count : MOST;
    const unsigned room = ASSAY_WINDOW_ROOM - w->first - w->count;
    const unsigned count =
        assay_execution_take_run(w->execution, w->thread, list, wanted < room ? wanted : room,
                                 w->pool + w->used, w->used < POOL ? POOL - w->used : 0);
    for (unsigned i = 0; i < count; i++) {
        const unsigned begin = w->used;
        w->used += list[i].accesses;
        if (w->raises != NULL && w->raises(list[i].word)) {
            continue;
        }
        *assay_window_at(w, w->count++) = (struct assay_retired){.pc = list[i].address,
                                                                 .word = list[i].word,
                                                                 .begin = begin,
                                                                 .accesses = list[i].accesses,
                                                                 .level = w->level};
        w->read++;
        for (unsigned n = begin; w->tagged && n < w->used; n++) {
            w->pool[n].address = assay_untagged(w->pool[n].address);
        }
    }
    return count;
}

unsigned assay_window_fill(struct assay_window *w, unsigned want)
{
    struct assay_executed item;
    if (w->count < 2) {
        make_room(w);
    }
    while (w->count < want && !w->ended && has_room(w)) {
        if (is_plain(w) && take_run(w, want) > 0) {
            continue;
        }
        w->broken = assay_execution_next(w->execution, &item) != ASSAY_OK;
        if (w->broken) {
            w->ended = true;
        } else {
            take(w, &item);
        }
    }
    return w->count;
}

const struct assay_attempt *assay_window_attempt(const struct assay_window *w, unsigned n)
{
    const uint32_t number = n < w->count ? w->list[w->first + n].attempt : w->pending;
    if (number == 0 || w->attempts - number >= ASSAY_WINDOW_ATTEMPTS) {
        return NULL;
    }
    return &w->attempt[(number - 1) % ASSAY_WINDOW_ATTEMPTS];
}

const struct assay_trap *assay_window_trap(const struct assay_window *w, unsigned n)
{
    const uint32_t number = n < w->count ? w->list[w->first + n].trap : w->trap_pending;
    if (number == 0 || w->traps - number >= ASSAY_WINDOW_TRAPS) {
        return NULL;
    }
    return &w->trap[(number - 1) % ASSAY_WINDOW_TRAPS];
}

const struct assay_walk *assay_window_walk(const struct assay_window *w,
                                           const struct assay_retired *executed, unsigned n)
{
    const uint32_t number = executed->walks - n;
    if (executed->walks <= n || w->walks - number >= ASSAY_WINDOW_WALKS) {
        return NULL;
    }
    const struct assay_walk_of *last = &w->walk[(executed->walks - 1) % ASSAY_WINDOW_WALKS];
    const struct assay_walk_of *at = &w->walk[(number - 1) % ASSAY_WINDOW_WALKS];
    return at->instruction == last->instruction ? &at->walk : NULL;
}
