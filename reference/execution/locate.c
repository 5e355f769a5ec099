#include "execution/locate.h"

#include <string.h>

/* A position where a sequence of the trace was found, and what agreed from there on. */
struct candidate {
    unsigned executed, trace;
    unsigned same;              /* equal instructions */
    unsigned compared, differs; /* addresses */
    bool to_the_end;            /* equal up to the last record ahead */
};

enum {
    ENOUGH = 256,                  /* equal instructions that are enough ... */
    ENOUGH_ADDRESSES = 32,         /* ... if so many addresses were compared */
    SEARCH = ASSAY_WINDOW_MAX / 2, /* instructions searched after the first candidate */
};

static unsigned slot_of(uint64_t hash)
{
    return (unsigned)((hash ^ hash >> 29) * ASSAY_ROLLING_BASE >> 40) % ASSAY_LOCATE_SLOTS;
}

/* Of equal sequences the first is kept. */
static void put(struct assay_search *s, uint64_t hash, unsigned at)
{
    unsigned slot = slot_of(hash);
    while (s->slot[slot] != 0 && s->hash[slot] != hash) {
        slot = (slot + 1) % ASSAY_LOCATE_SLOTS;
    }
    if (s->slot[slot] == 0) {
        s->slot[slot] = (uint16_t)(at + 1);
        s->hash[slot] = hash;
    }
}

/* The position in the trace plus 1; 0: none. */
static unsigned get(const struct assay_search *s, uint64_t hash)
{
    unsigned slot = slot_of(hash);
    while (s->slot[slot] != 0 && s->hash[slot] != hash) {
        slot = (slot + 1) % ASSAY_LOCATE_SLOTS;
    }
    return s->slot[slot];
}

static void put_all(struct assay_search *s, const struct assay_step *trace, unsigned traced,
                    unsigned length)
{
    const uint64_t weight = assay_rolling_weight(length);
    uint64_t hash = 0;
    memset(s->slot, 0, sizeof s->slot);
    for (unsigned i = 0; i < traced; i++) {
        hash = hash * ASSAY_ROLLING_BASE + assay_instruction_key(trace[i].pc, trace[i].word);
        if (i >= length) {
            hash -= weight * assay_instruction_key(trace[i - length].pc, trace[i - length].word);
        }
        if (i + 1 >= length) {
            put(s, hash, i + 1 - length);
        }
    }
}

static unsigned single_slot(const struct assay_search *s, uint64_t key_of_one)
{
    unsigned slot = slot_of(key_of_one);
    while (s->single[slot] != 0 && s->single[slot] != key_of_one) {
        slot = (slot + 1) % ASSAY_LOCATE_SLOTS;
    }
    return slot;
}

/* The instructions one by one. Those without an address may be any. */
static void put_singles(struct assay_search *s, const struct assay_step *trace, unsigned traced)
{
    s->met = false;
    memset(s->single, 0, sizeof s->single);
    for (unsigned i = 0; i < traced; i++) {
        const uint64_t one = assay_instruction_key(trace[i].pc, trace[i].word);
        s->single[single_slot(s, one)] = one;
        s->met = s->met || trace[i].any_pc;
    }
}

static void note_met(struct assay_search *s, const struct assay_retired *executed)
{
    s->met = s->met ||
             s->single[single_slot(s, assay_instruction_key(executed->pc, executed->word))] != 0;
}

static bool is_enough(const struct candidate *c)
{
    return c->same >= ENOUGH && c->compared >= ENOUGH_ADDRESSES;
}

/* Compares the trace with the execution from a candidate on. */
static void follow(struct assay_window *w, const struct assay_step *trace, unsigned traced,
                   struct candidate *c)
{
    const unsigned have = assay_window_fill(w, c->executed + traced - c->trace);
    unsigned at = c->trace;
    unsigned executed = c->executed;
    for (; at < traced && executed < have && !is_enough(c); at++, executed++) {
        const struct assay_step step = assay_retired_step(w, assay_window_at(w, executed));
        if (!assay_step_same(&trace[at], &step)) {
            break;
        }
        c->same++;
        c->compared += trace[at].has_address && step.has_address;
        c->differs += !assay_step_agrees(&trace[at], &step);
    }
    c->to_the_end = at == traced;
}

static bool agrees(const struct candidate *c)
{
    return c->differs * 8 <= c->compared;
}

static bool is_it(const struct candidate *c)
{
    return c->trace == 0 && agrees(c) && (c->to_the_end || is_enough(c));
}

/* In loops the same instructions come again and again: only addresses distinguish the iterations.
 */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
    if (agrees(a) != agrees(b)) {
        return agrees(a);
    }
    return a->trace < b->trace;
}

/* Whether a candidate at this position of the trace can be the location, or better than the best.
 * It saves most comparisons in loops, where each position of the execution is one. */
static bool can_be_better(unsigned trace, const struct candidate *best)
{
    return best->same == 0 || trace == 0 || trace < best->trace || !agrees(best);
}

/* Drops what is too far before *at to hold the beginning of the trace. */
static void drop_old(struct assay_window *w, unsigned *at, struct assay_location *location)
{
    const unsigned n = *at > ASSAY_LOCATE_BACK ? *at - ASSAY_LOCATE_BACK : 0;
    assay_window_drop(w, n);
    location->passed += n;
    *at -= n;
}

static void set(struct assay_location *location, const struct candidate *c)
{
    location->executed = c->executed;
    location->trace = c->trace;
}

bool assay_locate(struct assay_search *s, struct assay_window *w, const struct assay_step *trace,
                  unsigned traced, bool far, struct assay_location *location)
{
    const unsigned length = traced < ASSAY_LOCATE_LENGTH ? traced : ASSAY_LOCATE_LENGTH;
    const uint64_t weight = assay_rolling_weight(length);
    struct candidate best = {.same = 0};
    uint64_t hash = 0;
    unsigned last = UINT32_MAX; /* where the search ends, once there is a candidate */
    *location = (struct assay_location){0};
    put_all(s, trace, traced, length);
    put_singles(s, trace, traced);
    for (unsigned at = 0; at < last; at++) {
        if (far && best.same == 0 && at + traced >= ASSAY_WINDOW_MAX) {
            drop_old(w, &at, location);
        }
        if (assay_window_fill(w, at + 1) <= at) {
            if (!far || w->ended || best.same > 0 || at <= ASSAY_LOCATE_BACK) {
                break;
            }
            drop_old(w, &at, location); /* the pool is full of accesses */
            at--;
            continue;
        }
        const struct assay_retired *e = assay_window_at(w, at);
        hash = hash * ASSAY_ROLLING_BASE + assay_instruction_key(e->pc, e->word);
        note_met(s, e);
        if (at >= length || location->passed > 0) {
            const struct assay_retired *gone = assay_window_at(w, at - length);
            hash -= weight * assay_instruction_key(gone->pc, gone->word);
        }
        const unsigned found = at + 1 >= length || location->passed > 0 ? get(s, hash) : 0;
        if (found > 0 && can_be_better(found - 1, &best)) {
            struct candidate c = {.executed = at + 1 - length, .trace = found - 1};
            follow(w, trace, traced, &c);
            if (c.same >= length && is_it(&c)) {
                set(location, &c);
                return true;
            }
            if (c.same >= length && (best.same == 0 || is_better(&c, &best))) {
                last = best.same == 0 ? at + SEARCH : last;
                best = c;
            }
        }
    }
    set(location, &best);
    return best.same > 0;
}
