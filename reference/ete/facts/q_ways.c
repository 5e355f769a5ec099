/* Where the instructions of a Q element can lead that has conditional branches, whose outcomes no
 * element says (K10.5.5.15). All ways are followed; those that come to one place with as many
 * instructions left are one. A way ends before an instruction that is not executed without an
 * exception, which rules say of runs. Where there are too many ways, or one leads to
 * where nothing is known, nothing is said. */
#include "ete/facts/q_ways.h"

#include <string.h>

/* What a way has. */
enum {
    SYNCHRONISES = 1 << 0, /* it can have an ISB */
    CALLS = 1 << 1,        /* an SVC, HVC or SMC at its end, not conditional */
    ANYWHERE = 1 << 2,     /* an indirect branch at its end */
    RETURNS = 1 << 3,      /* which is an exception return */
    UNALLOCATED = 1 << 4,  /* a word that no instruction has */
    AFTER_CALL = 1 << 5    /* an instruction after an SVC, HVC or SMC, not conditional: in a walk */
};

/* Of ETE_RUN_FLAGS: Exception level and Security state. */
static const uint64_t WHERE_BITS = 0x3c;

/* Bits of ETE_RUN_FLAGS, of a run and a sync_lost. */
enum {
    HAS_Q_END_BIT = ETE_BIT_run_has_q_end,
    Q_END_IS1_BIT = ETE_BIT_run_q_end_is1,
    Q_TARGET_IS1_BIT = ETE_BIT_run_q_target_is1
};

/* Bits of ETE_LOST_WHERE. */
enum {
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
static void give_up(struct ete_q_ways *ways)
{
    ways->known = false;
    ways->too_many = true;
}

static void add_way(struct ete_q_ways *ways, struct ete_way way)
{
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
        give_up(ways);
        return;
    }
    memmove(place + 1, place, (ways->count - from) * sizeof *place);
    *place = way;
    ways->count++;
}

/* --- following them --- */

uint8_t ete_note_of_ways(const struct ete_walk *before, const struct ete_decoded *instruction)
{
    return (uint8_t)((before->last_call == ETE_CALL_ALWAYS ? AFTER_CALL : 0) |
                     (instruction->unallocated ? UNALLOCATED : 0));
}

/* After a walk a way goes on in sequence, which is `next`, where its branch leads, or both. */
static void add_ways_after(struct ete_q_ways *ways, const struct ete_walk *walk,
                           struct ete_way next)
{
    const bool branch = walk->p0 == ETE_P0_DIRECT || walk->p0 == ETE_P0_INDIRECT;
    const bool calls = next.left == 0 && walk->last_call == ETE_CALL_ALWAYS;
    next.has |= (walk->p0 == ETE_P0_ISB ? SYNCHRONISES : 0) | (calls ? CALLS : 0);
    if (!branch || ete_can_be_passed(walk)) {
        add_way(ways, next);
    }
    if (walk->p0 == ETE_P0_DIRECT && ete_can_be_taken(walk)) {
        next.at = ete_target_of(walk);
        add_way(ways, next);
    } else if (walk->p0 == ETE_P0_INDIRECT && next.left == 0) {
        next.at = (struct ete_position){0};
        next.has |= ANYWHERE | (walk->is_return ? RETURNS : 0);
        add_way(ways, next);
    } else if (walk->p0 == ETE_P0_INDIRECT) {
        ways->known = false;
    }
}

/* The instruction set at a place. */
static enum arm_set set_at(const struct ete_q_ways *ways, const struct ete_position *at)
{
    return ways->aarch64 ? ARM_A64 : at->is1 ? ARM_T32 : ARM_A32;
}

/* Whether a walk cannot have been executed: by rules, or as instructions of the way come after an
 * SVC, HVC or SMC, which are executed when the exception has returned. */
static bool is_impossible(const struct ete_q_ways *ways, const struct ete_walk_from *from,
                          const struct ete_walk *walk, bool goes_on)
{
    const struct assay_conditions *conditions = ways->program->conditions;
    uint64_t cells[ETE_INSTRUCTION_CELLS] = {0};
    if ((walk->noted & AFTER_CALL) != 0 || (goes_on && walk->last_call == ETE_CALL_ALWAYS)) {
        return true;
    }
    ete_say_walk(ways->program, from, walk, ways->where | from->set, ways->ids, cells);
    return conditions != NULL && conditions->unexecutable(conditions, cells);
}

/* Which instruction that is: the first one that would be, if the way went on after it. */
static void note_impossible(struct ete_q_ways *ways, struct ete_walk_from from)
{
    struct ete_walk one = {0};
    if (ways->impossible) {
        return;
    }
    ways->impossible = true;
    do {
        from.pc += one.bytes;
        from.covered = one.covered;
        one = ete_walk_one(ways->program, &from);
    } while (one.count > 0 && !is_impossible(ways, &from, &one, true));
    ways->impossible_at = from.pc;
    ways->impossible_word = one.last_word;
}

static void follow_way(struct ete_q_ways *ways, const struct ete_way *way)
{
    const enum arm_set set = set_at(ways, &way->at);
    const struct ete_walk_from from = ete_walk_from(ways->program, &way->at, set);
    const struct ete_walk walk = ete_cut(ways->program, &from, ete_find_walk(ways->program, &from),
                                         ETE_WALK_PAGE, way->left);
    const uint32_t left = way->left - walk.count;
    if (walk.count == 0) {
        ways->known = false;
    } else if (is_impossible(ways, &from, &walk, left > 0)) {
        note_impossible(ways, from);
    } else {
        const unsigned has = way->has | (walk.noted & UNALLOCATED);
        add_ways_after(ways, &walk, (struct ete_way){ete_after(&way->at, set, &walk), left, has});
    }
}

/* The walk of a run, once more. */
static struct ete_walk walk_of(struct ete_q_ways *ways, const uint64_t *run, struct ete_way *after)
{
    const enum arm_set set = ete_set_of(run);
    const struct assay_moments moments = {(uint32_t)run[ETE_RUN_MOMENTS],
                                          (uint32_t)(run[ETE_RUN_MOMENTS] >> 32)};
    const struct ete_position at = {.address = run[ETE_RUN_ADDRESS],
                                    .is1 = set == ARM_T32,
                                    .covered = (uint8_t)(run[ETE_RUN_FLAGS] >> COVERED_BIT & 7)};
    assay_image_select_again(&ways->program->cursor, (uint32_t)(run[ETE_RUN_COUNT] >> SPACE_BIT),
                             moments);
    const struct ete_walk_from from = ete_walk_from(ways->program, &at, set);
    const struct ete_walk walk = ete_cut(ways->program, &from, ete_find_walk(ways->program, &from),
                                         ETE_WALK_PAGE, ete_count_of(run));
    after->at = ete_after(&at, set, &walk);
    return walk;
}

/* Those with most instructions left first, so that what comes to one place is found there. */
void ete_find_q_ways(struct ete_q_ways *ways, const uint64_t *run, uint32_t left, bool synchronised)
{
    struct ete_way first = {.left = left, .has = synchronised ? SYNCHRONISES : 0};
    ways->aarch64 = ete_set_of(run) == ARM_A64;
    ways->where = run[ETE_RUN_FLAGS] & WHERE_BITS;
    ways->ids = run[ETE_RUN_CONTEXT];
    ways->count = 0;
    ways->impossible = ways->too_many = false;
    ways->known = true;
    const struct ete_walk walk = walk_of(ways, run, &first);
    if (walk.p0 != ETE_P0_INDIRECT && !ete_is_open(&walk)) {
        give_up(ways); /* the decoder did */
        return;
    }
    add_ways_after(ways, &walk, first);
    for (unsigned parts = 0; ways->known && ways->count > 0 && ways->way[ways->count - 1].left > 0;
         parts++) {
        const struct ete_way way = ways->way[--ways->count];
        if (parts == ETE_Q_PARTS_MOST) {
            give_up(ways);
        } else {
            follow_way(ways, &way);
        }
    }
}

/* --- what is said of them --- */

/* How far an end is from a place, by their addresses. */
static uint64_t gap(const struct ete_position *end, const struct ete_position *to)
{
    const uint64_t ahead = end->address - to->address;
    return ahead < -ahead ? ahead : -ahead;
}

/* The end that is nearest to a place. Null: there is none, or one can be there. */
static const struct ete_position *nearest_end(const struct ete_q_ways *ways,
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
static uint64_t say_common(const struct ete_q_ways *ways, const struct ete_position *to)
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

/* Whether the program contradicts an address that is stated: no way leads there. */
static bool is_contradicted(const struct ete_q_ways *ways, const struct ete_position *to)
{
    const struct ete_position *end = nearest_end(ways, to);
    return ete_has(say_common(ways, to), IMPOSSIBLE_BIT) ||
           (end != NULL && end->address != to->address);
}

/* Of several addresses the first one that the program contradicts counts, or else the last one,
 * which is in the cell `stated`. */
static struct ete_position target_of(const struct ete_q_ways *ways, const uint64_t *cells,
                                     unsigned stated)
{
    const uint64_t facts = cells[ETE_RUN_FLAGS];
    const struct ete_position first = {.address = cells[ETE_FIRST_STATED],
                                       .is1 = ete_has(facts, FIRST_IS1_BIT)};
    const struct ete_position last = {.address = cells[stated],
                                      .is1 = ete_has(facts, STATED_IS1_BIT)};
    const struct ete_position other = {.address = cells[ETE_OTHER_STATED], .is1 = last.is1};
    if (ete_has(facts, SEVERAL_STATED_BIT) && is_contradicted(ways, &first)) {
        return first;
    }
    return ete_has(facts, OTHER_STATED_BIT) && is_contradicted(ways, &other) ? other : last;
}

static void say_q_end(uint64_t *cells, const struct ete_position *end,
                      const struct ete_position *target)
{
    cells[ETE_RUN_FLAGS] |= UINT64_C(1) << HAS_Q_END_BIT | (uint64_t)end->is1 << Q_END_IS1_BIT |
                            (uint64_t)target->is1 << Q_TARGET_IS1_BIT;
    cells[ETE_Q_END] = end->address;
    cells[ETE_Q_TARGET] = target->address;
}

void ete_annotate_q_run(uint64_t *run)
{
    const uint64_t facts = run[ETE_RUN_FLAGS];
    const struct ete_position end = {.address = run[ETE_RUN_COMPUTED],
                                     .is1 = ete_has(facts, COMPUTED_IS1_BIT)};
    const struct ete_position target = {.address = run[ETE_RUN_STATED],
                                        .is1 = ete_has(facts, STATED_IS1_BIT)};
    if (ete_has(facts, COMPUTED_BIT) && ete_has(facts, STATED_BIT)) {
        say_q_end(run, &end, &target);
    }
}

void ete_annotate_open_run(const struct ete_q_ways *ways, uint64_t *run)
{
    if (!ways->known || !ete_has(run[ETE_RUN_FLAGS], STATED_BIT)) {
        return;
    }
    const struct ete_position target = target_of(ways, run, ETE_RUN_STATED);
    const struct ete_position *end = nearest_end(ways, &target);
    if (end != NULL) {
        say_q_end(run, end, &target);
    }
}

/* Where the ways lead that can be executed, if a Target Address says where the Q led. Returns what
 * those have in common that lead there. */
static uint64_t say_of_loss(const struct ete_q_ways *ways, uint64_t *lost)
{
    if (!ete_has(lost[ETE_LOST_FLAGS], STATED_BIT)) {
        return say_common(ways, NULL);
    }
    const struct ete_position target = target_of(ways, lost, ETE_LOST_STATED);
    const struct ete_position *end = nearest_end(ways, &target);
    const uint64_t common = say_common(ways, &target);
    if (end != NULL && !ete_has(common, IMPOSSIBLE_BIT)) {
        say_q_end(lost, end, &target);
    }
    return common;
}

void ete_annotate_q_lost(const struct ete_q_ways *ways, uint64_t *lost)
{
    if (!ways->known) {
        return;
    }
    lost[ETE_LOST_WHERE] |= UINT64_C(1) << KNOWN_BIT | say_of_loss(ways, lost);
    if (ways->impossible) {
        lost[ETE_CELL_sync_lost_impossible_at] = ways->impossible_at;
        lost[ETE_CELL_sync_lost_impossible_word] = ways->impossible_word;
    }
}
