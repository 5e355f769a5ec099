#include "execution/locate.h"

#include <string.h>

/* How far a candidate was followed, and what agreed. */
struct candidate {
    unsigned executed, trace;
    unsigned same, compared, contrary; /* instructions; addresses */
    bool to_the_end;                   /* of the trace that is there */
};

/* So many instructions are enough, if so many addresses are among them. */
enum { ENOUGH = 256, ENOUGH_ADDRESSES = 32, BEHIND_FIRST = ASSAY_WINDOW_MOST / 2 };

static const uint64_t base = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t key(uint64_t pc, uint32_t word)
{
    const uint64_t x = (pc ^ (uint64_t)word << 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

/* base to the power of a row's length: what a key counts when it leaves the row. */
static uint64_t weight_of(unsigned row)
{
    uint64_t weight = 1;
    for (unsigned i = 0; i < row; i++) {
        weight *= base;
    }
    return weight;
}

static unsigned slot_of(uint64_t hash)
{
    return (unsigned)((hash ^ hash >> 29) * base >> 40) % ASSAY_LOCATE_SLOTS;
}

/* Of rows that are the same the first stays. */
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

/* The place in the trace plus 1. */
static unsigned get(const struct assay_search *s, uint64_t hash)
{
    unsigned slot = slot_of(hash);
    while (s->slot[slot] != 0 && s->hash[slot] != hash) {
        slot = (slot + 1) % ASSAY_LOCATE_SLOTS;
    }
    return s->slot[slot];
}

static void put_rows(struct assay_search *s, const struct assay_step *trace, unsigned traced,
                     unsigned row)
{
    const uint64_t weight = weight_of(row);
    uint64_t hash = 0;
    memset(s->slot, 0, sizeof s->slot);
    for (unsigned i = 0; i < traced; i++) {
        hash = hash * base + key(trace[i].pc, trace[i].word);
        if (i >= row) {
            hash -= weight * key(trace[i - row].pc, trace[i - row].word);
        }
        if (i + 1 >= row) {
            put(s, hash, i + 1 - row);
        }
    }
}

static bool is_enough(const struct candidate *c)
{
    return c->same >= ENOUGH && c->compared >= ENOUGH_ADDRESSES;
}

static void follow(struct assay_window *w, const struct assay_step *trace, unsigned traced,
                   struct candidate *c)
{
    const unsigned have = assay_window_fill(w, c->executed + traced - c->trace);
    unsigned at = c->trace;
    unsigned place = c->executed;
    for (; at < traced && place < have && !is_enough(c); at++, place++) {
        const struct assay_step step = assay_retired_step(w, assay_window_at(w, place));
        if (!assay_step_same(&trace[at], &step)) {
            break;
        }
        c->same++;
        c->compared += trace[at].has_address && step.has_address;
        c->contrary += !assay_step_agrees(&trace[at], &step);
    }
    c->to_the_end = at == traced;
}

static bool agrees(const struct candidate *c)
{
    return c->contrary * 8 <= c->compared;
}

static bool is_it(const struct candidate *c)
{
    return c->trace == 0 && agrees(c) && (c->to_the_end || is_enough(c));
}

/* In loops the same instructions come again and again: addresses tell the passes apart. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
    if (agrees(a) != agrees(b)) {
        return agrees(a);
    }
    return a->trace < b->trace;
}

static void forget(struct assay_window *w, unsigned *at, struct assay_place *place)
{
    const unsigned n = *at > ASSAY_LOCATE_BACK ? *at - ASSAY_LOCATE_BACK : 0;
    assay_window_drop(w, n);
    place->passed += n;
    *at -= n;
}

static void settle(struct assay_place *place, const struct candidate *c)
{
    place->executed = c->executed;
    place->trace = c->trace;
}

bool assay_locate(struct assay_search *s, struct assay_window *w, const struct assay_step *trace,
                  unsigned traced, bool far, struct assay_place *place)
{
    const unsigned row = traced < ASSAY_LOCATE_ROW ? traced : ASSAY_LOCATE_ROW;
    const uint64_t weight = weight_of(row);
    struct candidate best = {.same = 0};
    uint64_t hash = 0;
    unsigned last = UINT32_MAX; /* where the search ends, once there is a candidate */
    *place = (struct assay_place){0};
    put_rows(s, trace, traced, row);
    for (unsigned at = 0; at < last; at++) {
        if (far && best.same == 0 && at + traced >= ASSAY_WINDOW_MOST) {
            forget(w, &at, place);
        }
        if (assay_window_fill(w, at + 1) <= at) {
            if (!far || w->ended || best.same > 0 || at <= ASSAY_LOCATE_BACK) {
                break;
            }
            forget(w, &at, place); /* many accesses */
            at--;
            continue;
        }
        const struct assay_retired *e = assay_window_at(w, at);
        hash = hash * base + key(e->pc, e->word);
        if (at >= row || place->passed > 0) {
            const struct assay_retired *gone = assay_window_at(w, at - row);
            hash -= weight * key(gone->pc, gone->word);
        }
        const unsigned found = at + 1 >= row || place->passed > 0 ? get(s, hash) : 0;
        if (found > 0) {
            struct candidate c = {.executed = at + 1 - row, .trace = found - 1};
            follow(w, trace, traced, &c);
            if (c.same >= row && is_it(&c)) {
                settle(place, &c);
                return true;
            }
            if (c.same >= row && (best.same == 0 || is_better(&c, &best))) {
                last = best.same == 0 ? at + BEHIND_FIRST : last;
                best = c;
            }
        }
    }
    settle(place, &best);
    return best.same > 0;
}
