#include "astf/executed.h"

#include <string.h>

#include "astf/access.h"

/* Moves what is left to the beginning of list and pool. */
static void make_room(struct astf_window *w)
{
    const unsigned begin = w->count > 0 ? astf_window_at(w, 0)->begin : w->used;
    memmove(w->pool, w->pool + begin, (w->used - begin) * sizeof w->pool[0]);
    memmove(w->list, w->list + w->first, w->count * sizeof w->list[0]);
    w->used -= begin;
    w->first = 0;
    for (unsigned i = 0; i < w->count; i++) {
        w->list[i].begin -= begin;
    }
}

/* Room for one more instruction. More than half of the pool is not kept, so that what is moved is
 * never more than what was read since. */
static bool has_room(struct astf_window *w)
{
    const bool list_full = w->first + w->count == ASTF_EXECUTED_ROOM;
    const bool pool_full = w->used > ASTF_EXECUTED_POOL - ASSAY_EXECUTION_ACCESSES_MAX;
    if (w->count == ASTF_EXECUTED_MOST) {
        return false;
    }
    if (list_full || pool_full) {
        const unsigned begin = w->count > 0 ? astf_window_at(w, 0)->begin : w->used;
        if (pool_full && w->used - begin > ASTF_EXECUTED_POOL / 2) {
            return false;
        }
        make_room(w);
    }
    return true;
}

static void take_instruction(struct astf_window *w, const struct assay_executed *item)
{
    *astf_window_at(w, w->count++) = (struct astf_executed){.pc = item->address,
                                                            .iword = item->word,
                                                            .begin = w->used,
                                                            .attempt = w->pending,
                                                            .accesses = item->accesses};
    for (unsigned i = 0; i < item->accesses; i++) {
        w->pool[w->used] = item->access[i];
        w->pool[w->used].address = astf_untagged(item->access[i].address);
        w->used++;
    }
    w->pending = 0;
    w->several = false;
}

static void take_attempt(struct astf_window *w, const struct assay_executed *item)
{
    w->several = w->several || w->pending != 0;
    w->attempt[w->attempts % ASTF_EXECUTED_ATTEMPTS] =
        (struct astf_attempt){.pc = item->address,
                              .iword = item->word,
                              .fault = astf_untagged(item->fault),
                              .fault_known = item->fault_known};
    w->attempts++;
    w->pending = w->several ? 0 : w->attempts;
}

static void take_end(struct astf_window *w, const struct assay_executed *item)
{
    w->ended = true;
    w->whole = w->whole || item->reason == ASSAY_EXECUTION_ENDED_BY_EXIT;
}

/* A trace is of one PE; of a recorded program that is one thread. */
static void take(struct astf_window *w, const struct assay_executed *item)
{
    if (item->kind == ASSAY_EXECUTED_END) {
        take_end(w, item);
    } else if (item->thread != w->thread) {
        return;
    } else if (item->kind == ASSAY_EXECUTED_INSTRUCTION) {
        take_instruction(w, item);
    } else if (item->kind == ASSAY_EXECUTED_DIVERTED) {
        if (w->count > 0) {
            astf_window_at(w, w->count - 1)->diverted = true;
        }
        if (item->aborted) {
            take_attempt(w, item);
        }
    } else if (item->kind == ASSAY_EXECUTED_THREAD_START) {
        w->system_id = item->system_id;
    } else if (item->kind == ASSAY_EXECUTED_THREAD_END) {
        w->whole = true;
    }
}

unsigned astf_window_fill(struct astf_window *w, unsigned want)
{
    struct assay_executed item;
    if (w->count < 2) {
        make_room(w);
    }
    while (w->count < want && !w->ended && has_room(w)) {
        w->broken = assay_execution_next(w->execution, &item) != ASSAY_OK;
        if (w->broken) {
            w->ended = true;
        } else {
            take(w, &item);
        }
    }
    return w->count;
}

const struct astf_attempt *astf_window_attempt(const struct astf_window *w, unsigned n)
{
    const uint32_t number = n < w->count ? w->list[w->first + n].attempt : w->pending;
    if (number == 0 || w->attempts - number >= ASTF_EXECUTED_ATTEMPTS) {
        return NULL;
    }
    return &w->attempt[(number - 1) % ASTF_EXECUTED_ATTEMPTS];
}
