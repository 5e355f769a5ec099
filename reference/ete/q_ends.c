/* Where the instructions of a Q element can lead that has conditional branches, whose outcomes no
 * element says (K10.5.5.15). All ways are followed; those that come to one place with as many
 * instructions left are one. A way ends before an instruction that is not executed without an
 * exception, which rules say of runs. Where there are too many ways, or one leads to
 * where nothing is known, nothing is said. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ete/run.h"

/* What a way has. */
enum {
    SYNCHRONISES = 1 << 0, /* it can have an ISB */
    CALLS = 1 << 1,        /* an SVC, HVC or SMC at its end, not conditional */
    ANYWHERE = 1 << 2,     /* an indirect branch at its end */
    RETURNS = 1 << 3,      /* which is an exception return */
    UNALLOCATED = 1 << 4   /* a word that no instruction has */
};

/* Bits of LOST_WHERE. */
enum {
    BEGINS = 0x7f, /* where the Q is executed, and that they are known */
    KNOWN_BIT = ETE_BIT_sync_lost_ways_known,
    IMPOSSIBLE_BIT = ETE_BIT_sync_lost_impossible,
    LAST_CALL_OF_WAYS_BIT = ETE_BIT_sync_lost_last_call,
    KEEPS_STATE_BIT = ETE_BIT_sync_lost_keeps_state,
    WAYS_KEEP_CONTEXT_BIT = ETE_BIT_sync_lost_keeps_context,
    UNALLOCATED_IN_WAYS_BIT = ETE_BIT_sync_lost_unallocated
};

/* --- the set of ways --- */

static bool is_before(const struct ete_way *a, const struct ete_way *b)
{
    return a->left < b->left || (a->left == b->left && a->at.address < b->at.address);
}

/* Of two of which neither is before the other. */
static bool is_same(const struct ete_way *a, const struct ete_way *b)
{
    return a->at.is1 == b->at.is1 && a->at.covered == b->at.covered && a->has == b->has;
}

/* There is more of them than is followed. */
static void give_up(struct ete_analyse *a)
{
    a->ways_known = false;
    if (a->why[0] == '\0') {
        snprintf(a->why, sizeof a->why,
                 "the ways through a Q element from 0x%" PRIx64 " are more than are followed",
                 a->begin);
    }
}

static void add_way(struct ete_analyse *a, struct ete_way way)
{
    struct ete_ways *ways = a->ways;
    unsigned from = 0;
    for (unsigned to = ways->count; from < to;) {
        const unsigned middle = (from + to) / 2;
        if (is_before(&ways->way[middle], &way)) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    struct ete_way *place = &ways->way[from];
    for (unsigned n = from; n < ways->count && !is_before(&way, &ways->way[n]); n++) {
        if (is_same(&way, &ways->way[n])) {
            return;
        }
    }
    if (ways->count == ETE_WAYS_MOST) {
        give_up(a);
        return;
    }
    memmove(place + 1, place, (ways->count - from) * sizeof *place);
    *place = way;
    ways->count++;
}

/* --- following them --- */

/* After a walk a way goes on in sequence, which is `next`, where its branch leads, or both. */
static void add_ways_after(struct ete_analyse *a, const struct ete_walk *walk, struct ete_way next)
{
    const bool branch = walk->p0 == ETE_P0_DIRECT || walk->p0 == ETE_P0_INDIRECT;
    const bool calls = next.left == 0 && walk->last_call == ETE_CALL_ALWAYS;
    next.has |= (walk->p0 == ETE_P0_ISB ? SYNCHRONISES : 0) | (calls ? CALLS : 0);
    if (!branch || ete_can_be_passed(walk)) {
        add_way(a, next);
    }
    if (walk->p0 == ETE_P0_DIRECT && ete_can_be_taken(walk)) {
        next.at = ete_target_of(walk);
        add_way(a, next);
    } else if (walk->p0 == ETE_P0_INDIRECT && next.left == 0) {
        next.at = (struct ete_position){0};
        next.has |= ANYWHERE | (walk->is_return ? RETURNS : 0);
        add_way(a, next);
    } else if (walk->p0 == ETE_P0_INDIRECT) {
        a->ways_known = false;
    }
}

/* Whether a walk from where the program is cannot have been executed: by rules, or as instructions
 * of the way come after an SVC, HVC or SMC, which are executed when the exception has returned. */
static bool is_impossible(const struct ete_analyse *a, const struct ete_walk *walk, bool goes_on)
{
    uint64_t cells[ETE_INSTRUCTION_CELLS] = {0};
    if (walk->call || (goes_on && walk->last_call == ETE_CALL_ALWAYS)) {
        return true;
    }
    ete_say_walk(a, walk, cells);
    return a->conditions != NULL && a->conditions->unexecutable(a->conditions, cells);
}

/* Which instruction that is. `left`: of the way, from those of the walk on. */
static void note_impossible(struct ete_analyse *a, uint32_t left)
{
    struct ete_walk_from from = ete_walk_from(a);
    struct ete_walk one = {0};
    if (a->ways->impossible) {
        return;
    }
    a->ways->impossible = true;
    do {
        from.pc += one.bytes;
        from.covered = one.covered;
        one = ete_walk(&a->cursor, &from, from.pc - 1, 1);
        one.facts = ete_facts_of(&one);
    } while (one.count > 0 && !is_impossible(a, &one, --left > 0));
    a->ways->impossible_at = from.pc;
    a->ways->impossible_word = one.last_word;
}

static void follow_way(struct ete_analyse *a, const struct ete_way *way)
{
    a->at = way->at;
    const struct ete_walk walk = ete_peek(a, way->left);
    const uint32_t left = way->left - walk.count;
    if (walk.count == 0) {
        a->ways_known = false;
    } else if (is_impossible(a, &walk, left > 0)) {
        note_impossible(a, way->left);
    } else {
        const unsigned has = way->has | (walk.unallocated ? UNALLOCATED : 0);
        add_ways_after(a, &walk, (struct ete_way){ete_after(a, &walk), left, has});
    }
}

/* Those with most instructions left first, so that what comes to one place is found there. */
static void follow_ways(struct ete_analyse *a, const struct ete_walk *walk)
{
    const struct ete_position from = a->at;
    struct ete_ways *ways = a->ways;
    ways->count = 0;
    ways->impossible = false;
    a->ways_known = true;
    add_ways_after(a, walk,
                   (struct ete_way){from, (uint32_t)a->left, a->synchronised ? SYNCHRONISES : 0});
    for (unsigned parts = 0;
         a->ways_known && ways->count > 0 && ways->way[ways->count - 1].left > 0; parts++) {
        const struct ete_way way = ways->way[--ways->count];
        if (parts == ETE_PARTS_MOST) {
            give_up(a);
        } else {
            follow_way(a, &way);
        }
    }
    a->at = from;
}

/* --- what is said of them --- */

/* How far an end is from a place, by their addresses. */
static uint64_t gap(const struct ete_position *end, const struct ete_position *to)
{
    const uint64_t ahead = end->address - to->address;
    return ahead < -ahead ? ahead : -ahead;
}

/* The end that is nearest to a place. Null: there is none, or one can be there. */
static const struct ete_position *nearest_end(const struct ete_ways *ways,
                                              const struct ete_position *to)
{
    const struct ete_position *nearest = NULL;
    for (unsigned n = 0; n < ways->count; n++) {
        const struct ete_way *way = &ways->way[n];
        if ((way->has & ANYWHERE) != 0) {
            return NULL;
        }
        if (nearest == NULL || gap(&way->at, to) < gap(nearest, to)) {
            nearest = &way->at;
        }
    }
    return nearest;
}

/* What those have in common that lead to a place. */
static uint64_t say_common(const struct ete_ways *ways, const struct ete_position *to)
{
    unsigned all = CALLS | UNALLOCATED;
    unsigned any = 0;
    unsigned count = 0;
    for (unsigned n = 0; n < ways->count; n++) {
        const struct ete_way *way = &ways->way[n];
        if (to == NULL || (way->has & ANYWHERE) != 0 || way->at.address == to->address) {
            all &= way->has;
            any |= way->has;
            count++;
        }
    }
    if (count == 0) {
        return (uint64_t)ways->impossible << IMPOSSIBLE_BIT;
    }
    const enum ete_call call = (all & CALLS) != 0   ? ETE_CALL_ALWAYS
                               : (any & CALLS) != 0 ? ETE_CALL_CONDITIONAL
                                                    : ETE_CALL_NONE;
    const bool keeps_context = (any & (RETURNS | SYNCHRONISES)) == 0;
    return (uint64_t)call << LAST_CALL_OF_WAYS_BIT |
           (uint64_t)((any & RETURNS) == 0) << KEEPS_STATE_BIT |
           (uint64_t)keeps_context << WAYS_KEEP_CONTEXT_BIT |
           (uint64_t)((all & UNALLOCATED) != 0) << UNALLOCATED_IN_WAYS_BIT;
}

/* The last instruction of the Q is a branch that leads to one of these places. */
static void say_of_run(struct ete_analyse *a, const struct ete_position *to)
{
    uint64_t *cells = a->pending.cells;
    const struct ete_position *end = nearest_end(a->ways, to);
    if (end != NULL) {
        cells[FACTS] &= ~(UINT64_C(1) << COMPUTED_IS1_BIT);
        cells[FACTS] |= UINT64_C(1) << COMPUTED_BIT | (uint64_t)end->is1 << COMPUTED_IS1_BIT;
        cells[COMPUTED] = end->address;
    }
}

/* Of several addresses the first one that the program contradicts counts. */
static bool is_contradicted(const uint64_t *cells)
{
    return (cells[LOST_WHERE] >> IMPOSSIBLE_BIT & 1) != 0 ||
           cells[LOST_COMPUTED] != cells[LOST_STATED];
}

static void say_of_loss(struct ete_analyse *a, const struct ete_position *to)
{
    uint64_t *cells = a->pending.cells;
    const struct ete_position *end = to != NULL ? nearest_end(a->ways, to) : NULL;
    if (cells[LOST_SKIPPED] > 0 || (to != NULL && is_contradicted(cells))) {
        return;
    }
    cells[LOST_FACTS] &= ~ETE_GOES_ON;
    cells[LOST_WHERE] = (cells[LOST_WHERE] & BEGINS) | say_common(a->ways, to);
    if (end != NULL && (cells[LOST_WHERE] >> IMPOSSIBLE_BIT & 1) == 0) {
        cells[LOST_FACTS] |= UINT64_C(1) << COMPUTED_BIT | (uint64_t)to->is1 << STATED_IS1_BIT |
                             (uint64_t)end->is1 << COMPUTED_IS1_BIT;
        cells[LOST_COMPUTED] = end->address;
        cells[LOST_STATED] = to->address;
    }
}

void ete_say_q_ends(struct ete_analyse *a, const struct ete_position *to)
{
    if (a->pending.kind == ETE_run) {
        say_of_run(a, to);
    } else {
        say_of_loss(a, to);
    }
}

void ete_find_q_ends(struct ete_analyse *a, const struct ete_walk *walk)
{
    uint64_t *cells = a->pending.cells;
    if (walk == NULL) {
        give_up(a);
        return;
    }
    follow_ways(a, walk);
    if (!a->ways_known || a->pending.kind == ETE_run) {
        return;
    }
    cells[LOST_WHERE] |= UINT64_C(1) << KNOWN_BIT;
    if (a->ways->impossible) {
        cells[ETE_CELL_sync_lost_impossible_at] = a->ways->impossible_at;
        cells[ETE_CELL_sync_lost_impossible_word] = a->ways->impossible_word;
    }
    say_of_loss(a, NULL);
}
