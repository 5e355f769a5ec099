/* Discontinuities that no instruction of the program causes: the context of another hart is
 * reported as one (table 4.4), and Debug mode can begin and end anywhere (table 4.5). */
#include "etrace/path/path.h"

enum { MOST_CALLS = 64, DISCONTINUITIES = 2 /* bits of ctype */ };
enum { AHEAD_MOST = 1 << 20, AHEAD_PACKET = 1 << 12 /* instructions of the program */ };

/* The program as it goes on without outcomes and reports. */
struct ahead {
    const struct etrace_calls *calls;
    uint32_t used;             /* of the newest entries of `calls` */
    uint64_t made[MOST_CALLS]; /* return addresses of calls ahead */
    uint32_t count;
    struct etrace_preceding before; /* the instruction at hand */
    uint64_t mark, steps, mark_at;  /* as of struct etrace_loop */
    uint32_t mark_used, mark_count;
};

enum destination { DESTINATION_KNOWN, DESTINATION_NONE, DESTINATION_UNKNOWN };

static bool pop(struct ahead *a, uint64_t *next)
{
    if (a->count > 0) {
        *next = a->made[--a->count];
        return true;
    }
    if (a->used >= a->calls->depth) {
        return false;
    }
    *next = a->calls->ring[(a->calls->top - 1 - a->used++) & (a->calls->most - 1)];
    return true;
}

/* Where the program goes on from an instruction: to `*next`, nowhere, or where nothing but a packet
 * says. */
static enum destination destination_of(const struct etrace_path *p, struct ahead *a,
                                       const struct etrace_instruction *i, uint64_t *next)
{
    const struct etrace_instruction before = {
        .pc = i->pc - a->before.size, .word = a->before.word, .size = a->before.size};
    const bool returns = p->layout[ETRACE_IMPLICIT_RETURN] != 0;
    const bool infers = p->layout[ETRACE_SIJUMP] != 0;
    enum destination destination = DESTINATION_KNOWN;
    *next = i->pc + i->size;
    switch (i->flow) {
    case ETRACE_FLOW_NONE:
        destination = i->valid ? DESTINATION_KNOWN : DESTINATION_NONE;
        break;
    case ETRACE_FLOW_JUMP:
        *next = i->target;
        break;
    case ETRACE_FLOW_INDIRECT:
    case ETRACE_FLOW_RETURN:
        destination = (infers && etrace_sequential_target(&before, i, &p->reading, next)) ||
                              (returns && i->flow == ETRACE_FLOW_RETURN && pop(a, next))
                          ? DESTINATION_KNOWN
                          : DESTINATION_UNKNOWN;
        break;
    case ETRACE_FLOW_XRET:
        destination = DESTINATION_UNKNOWN;
        break;
    default:
        destination = DESTINATION_NONE;
        break;
    }
    if (i->call && returns) {
        if (a->count == MOST_CALLS) {
            return DESTINATION_UNKNOWN;
        }
        a->made[a->count++] = i->pc + i->size;
    }
    *next &= p->reading.mask;
    return destination;
}

/* The path comes back without an outcome. */
static bool is_loop(struct ahead *a, uint64_t pc)
{
    if (a->mark == pc && a->mark_used == a->used && a->mark_count == a->count) {
        return true;
    }
    if (++a->steps == a->mark_at) {
        a->mark_at *= 2;
        a->mark = pc;
        a->mark_used = a->used;
        a->mark_count = a->count;
    }
    return false;
}

static bool passes(struct etrace_path *p, const struct etrace_walk *walk, uint64_t pc,
                   uint64_t address)
{
    struct etrace_instruction at, before;
    return address >= pc && address <= walk->last.pc &&
           etrace_walk_to(&p->cursor, pc, address, &p->reading, &at, &before) > 0;
}

/* Where the last instruction leads, with its outcome if it is a branch. */
static enum destination first_destination(const struct etrace_path *p, struct ahead *a,
                                          uint64_t *next)
{
    const struct etrace_instruction *last = &p->last;
    if (last->flow != ETRACE_FLOW_BRANCH) {
        return destination_of(p, a, last, next);
    }
    const bool taken =
        etrace_branches_next(&p->branches, last->pc, p->layout[ETRACE_BRANCH_PREDICTION] != 0);
    *next = (taken ? last->target : last->pc + last->size) & p->reading.mask;
    return DESTINATION_KNOWN;
}

/* Whether the program comes to an address without an outcome or a report in between, or to an
 * instruction that can lead there: to another level that is a return from a trap or, if `by_jump`,
 * a jump. What packets cost is bounded: where they had it walked further than they allow, it may.
 */
static bool leads_to(struct etrace_path *p, uint64_t address, bool privileged, bool by_jump)
{
    struct ahead a = {.calls = &p->calls, .before = p->before, .mark = UINT64_MAX, .mark_at = 1};
    struct etrace_reading reading = p->reading;
    struct etrace_instruction last = p->last;
    uint64_t pc = 0;
    reading.conditions = NULL; /* no run is of what is walked here */
    if (last.flow == ETRACE_FLOW_BRANCH && etrace_branches_count(&p->branches) == 0) {
        return true; /* the path is lost there */
    }
    enum destination destination = first_destination(p, &a, &pc);
    p->ahead -= p->ahead < AHEAD_PACKET ? p->ahead : AHEAD_PACKET;
    while (p->ahead < AHEAD_MOST && destination == DESTINATION_KNOWN) {
        const struct etrace_walk walk = etrace_walk(&p->cursor, pc, &reading);
        if (walk.count == 0) {
            return false;
        }
        p->ahead += walk.count;
        if (!privileged && passes(p, &walk, pc, address)) {
            return true;
        }
        if (is_loop(&a, walk.last.pc)) {
            return false;
        }
        a.before = walk.count > 1 ? walk.before : (struct etrace_preceding){.size = 0};
        last = walk.last;
        destination =
            last.flow == ETRACE_FLOW_BRANCH ? DESTINATION_NONE : destination_of(p, &a, &last, &pc);
    }
    return destination == DESTINATION_UNKNOWN ? by_jump || last.flow == ETRACE_FLOW_XRET
                                              : destination == DESTINATION_KNOWN;
}

static bool has_new_context(const struct etrace_path *p, const struct assay_event *start)
{
    const bool given = (start->cells[ASSAY_CELL_PRESENCE] >> ETRACE_NUMBER_start_context & 1) != 0;
    return given && p->layout[ETRACE_NOCONTEXT] == 0 &&
           p->layout[ETRACE_CTYPE_WIDTH] >= DISCONTINUITIES &&
           start->cells[ETRACE_CELL_start_context] != p->context;
}

bool etrace_begins_asynchronously(struct etrace_path *p, const struct assay_event *start)
{
    const uint64_t level = start->cells[ETRACE_CELL_start_privilege];
    const bool enters = level == ETRACE_DEBUG && p->privilege != ETRACE_DEBUG;
    const bool leaves = level != ETRACE_DEBUG && p->privilege == ETRACE_DEBUG;
    if (!p->addressed || !(enters || leaves || has_new_context(p, start))) {
        return false;
    }
    /* An address that is of no target has been reported for what follows directly. */
    if (enters && p->inferred) {
        return true;
    }
    const bool privileged = level != p->privilege;
    return !leads_to(p, start->cells[ETRACE_CELL_start_address], privileged, enters || !privileged);
}
