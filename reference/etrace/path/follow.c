/* Following the program from one report to the next (11.1). */
#include "etrace/path/run.h"

/* --- runs --- */

static bool is_on(const struct etrace_path *p, enum etrace_parameter option)
{
    return p->layout[option] != 0;
}

/* The same where the path may stop, or came by a report. */
static void add_run(struct etrace_path *p, const struct assay_event *packet,
                    const struct etrace_part *part)
{
    const uint64_t facts =
        (uint64_t)part->stopped << STOPPED_BIT | (uint64_t)part->mispredicted << MISPREDICTED_BIT |
        (uint64_t)part->outcome << OUTCOME_BIT | (uint64_t)part->second_pass << SECOND_PASS_BIT;
    etrace_add_passed(p, packet, part)[ETRACE_RUN_FLAGS] |= facts;
}

/* Where a walk leads without a report. */
static void find_following(const struct etrace_path *p, struct etrace_cached_walk *c)
{
    const struct etrace_instruction *last = &c->walk.last;
    const uint64_t after = (last->pc + last->size) & p->reading.mask;
    const uint64_t target = last->target & p->reading.mask;
    switch (last->flow) {
    case ETRACE_FLOW_BRANCH:
        c->next[0] = after;
        c->entered[0] = ETRACE_BY_NOT_TAKEN;
        c->next[1] = target;
        c->entered[1] = ETRACE_BY_TAKEN;
        break;
    case ETRACE_FLOW_JUMP:
        c->next[0] = target;
        c->entered[0] = ETRACE_BY_JUMP;
        break;
    default:
        c->next[0] = after;
        c->entered[0] = ETRACE_BY_SEQUENCE;
        break;
    }
}

static bool is_walk_at(const struct etrace_path *p, const struct etrace_cached_walk *c, uint64_t pc)
{
    return c->address == pc && c->space == p->cursor.number;
}

/* The walk from an address: the one that came last after that at whose end the path is, if it
 * begins there, or from the cache, where it is put if it is not there. */
static struct etrace_cached_walk *find_walk(struct etrace_path *p, uint64_t pc,
                                            enum etrace_entered entered)
{
    const uint32_t space = p->cursor.number;
    struct etrace_cached_walk **then =
        p->at != NULL ? &p->at->then[entered == ETRACE_BY_TAKEN] : &p->elsewhere;
    struct etrace_cached_walk *c = *then;
    if (c != NULL && is_walk_at(p, c, pc)) {
        return c;
    }
    c = assay_run_cache_find(&p->cache, space, pc, 0);
    if (c == NULL) {
        c = assay_run_cache_put(&p->cache, space, pc, 0);
        *c = (struct etrace_cached_walk){
            .walk = etrace_walk(&p->cursor, pc, &p->reading), .address = pc, .space = space};
        find_following(p, c);
        c->facts = etrace_facts_of(&c->walk.last);
        etrace_say_part(c->says, &c->walk.last, pc, c->walk.count, space);
    }
    *then = c->walk.count > 0 ? c : NULL;
    return c;
}

/* --- from an instruction to the next --- */

struct move {
    uint64_t next;
    enum etrace_entered entered;
    bool arrived; /* by a report: the address is that of the packet */
    bool mispredicted;
};

/* Whether the jump at the end of the path is the return that the packet says was predicted wrongly
 * (6.6.3). */
static bool is_mispredicted(struct etrace_path *p)
{
    const struct etrace_report *r = &p->report;
    const uint64_t outcomes = etrace_branches_count(&p->branches);
    if (p->inferred) {
        return p->inferred_return && p->inferred_depth == p->calls.depth;
    }
    if (p->layout[ETRACE_RETURN_STACK_SIZE] == 0) {
        return false; /* a counter predicts no address: the depth is that of the end (6.6.3) */
    }
    if (!r->irreport || r->irdepth != p->calls.depth || outcomes > 1) {
        return false;
    }
    /* A return at the same depth, after which there are branches, is an earlier one. */
    const struct etrace_instruction at = etrace_instruction_at(&p->cursor, r->address, &p->reading);
    return outcomes == (at.flow == ETRACE_FLOW_BRANCH);
}

static bool is_inferred_in_sequence(const struct etrace_path *p, uint64_t *target)
{
    const struct etrace_instruction before = {
        .pc = p->last.pc - p->before.size, .word = p->before.word, .size = p->before.size};
    return etrace_sequential_target(&before, &p->last, &p->reading, target);
}

/* The target of an uninferable jump is what the packet reports; in a second pass it is where the
 * path was. The jump target cache learns it. */
static bool arrive(struct etrace_path *p, const struct assay_event *packet, struct move *move)
{
    if (p->report.by_branch && !p->inferred) {
        etrace_lose(p, packet, ETRACE_LOST_DISCONTINUITY, p->last.pc);
        return false;
    }
    move->next = p->inferred ? p->report.previous : p->report.address;
    move->entered = ETRACE_BY_REPORT;
    move->arrived = true;
    if (is_on(p, ETRACE_JUMP_TARGET_CACHE) && !p->report.sync) {
        etrace_targets_learn(&p->targets, move->next, p->last.flow == ETRACE_FLOW_XRET);
    }
    return true;
}

static bool move_by_register(struct etrace_path *p, const struct assay_event *packet,
                             struct move *move)
{
    const bool returns = p->last.flow == ETRACE_FLOW_RETURN && is_on(p, ETRACE_IMPLICIT_RETURN) &&
                         p->calls.depth > 0;
    if (is_on(p, ETRACE_SIJUMP) && is_inferred_in_sequence(p, &move->next)) {
        move->entered = ETRACE_BY_SEQUENTIAL_JUMP;
        return true;
    }
    if (returns && !is_mispredicted(p)) {
        move->next = etrace_calls_pop(&p->calls);
        move->entered = ETRACE_BY_RETURN;
        return true;
    }
    if (returns) {
        (void)etrace_calls_pop(&p->calls); /* it counts no more */
    }
    move->mispredicted = returns;
    return arrive(p, packet, move);
}

/* The outcome of a branch. */
static bool take_outcome(struct etrace_path *p, uint64_t pc)
{
    const bool predicts = is_on(p, ETRACE_BRANCH_PREDICTION);
    return !predicts && p->branches.in_map > 0 ? etrace_branches_take_mapped(&p->branches)
                                               : etrace_branches_take(&p->branches, pc, predicts);
}

/* Where the last instruction goes. False: that cannot be known. */
static bool find_next(struct etrace_path *p, const struct assay_event *packet, struct move *move)
{
    const struct etrace_instruction *i = &p->last;
    const uint64_t after = (i->pc + i->size) & p->reading.mask;
    bool known = true;
    *move = (struct move){.next = after};
    switch (i->flow) {
    case ETRACE_FLOW_BRANCH:
        if (etrace_branches_count(&p->branches) == 0) {
            etrace_lose(p, packet, ETRACE_LOST_NO_BRANCH, i->pc);
            return false;
        }
        etrace_loop_begin(&p->loop);
        move->entered = ETRACE_BY_NOT_TAKEN;
        if (take_outcome(p, i->pc)) {
            move->entered = ETRACE_BY_TAKEN;
            move->next = i->target & p->reading.mask;
        }
        break;
    case ETRACE_FLOW_JUMP:
        move->entered = ETRACE_BY_JUMP;
        move->next = i->target & p->reading.mask;
        break;
    case ETRACE_FLOW_INDIRECT:
    case ETRACE_FLOW_RETURN:
        known = move_by_register(p, packet, move);
        break;
    case ETRACE_FLOW_XRET:
        known = arrive(p, packet, move);
        break;
    default:
        break;
    }
    if (known && i->call && is_on(p, ETRACE_IMPLICIT_RETURN)) {
        etrace_calls_push(&p->calls, after);
    }
    return known;
}

/* The instruction before the first one of a part. */
static struct etrace_preceding before_first(const struct etrace_path *p,
                                            enum etrace_entered entered)
{
    struct etrace_preceding before = {0};
    if (entered == ETRACE_BY_SEQUENCE) {
        before = (struct etrace_preceding){.word = p->last.word, .size = p->last.size};
    }
    return before;
}

/* --- stops --- */

/* Why the path stops at the reported address, with all outcomes used but that of a branch there. */
static enum etrace_stopped stop_at_address(struct etrace_path *p)
{
    const struct etrace_report *r = &p->report;
    if (r->sync) {
        return r->privileged ? ETRACE_GOES_ON : ETRACE_AT_SYNC;
    }
    if (r->irreport && r->irdepth != p->calls.depth) {
        return ETRACE_GOES_ON;
    }
    return r->notify ? ETRACE_AT_NOTIFIED : r->updiscon ? ETRACE_GOES_ON : ETRACE_AT_ADDRESS;
}

/* Whether the reported address is in a part, with all outcomes used but that of a branch there, of
 * those that are left. An index is that of the target of a discontinuity, where the path arrives
 * (3.2.7). */
static bool has_address(const struct etrace_path *p, const struct etrace_part *part,
                        uint64_t outcomes)
{
    const uint64_t address = p->report.address;
    return !p->report.by_branch && !p->report.indexed && address >= part->address &&
           address <= part->last->pc && outcomes <= 1;
}

/* Whether a part ends at the branch up to which the packet reports. */
static bool has_last_branch(const struct etrace_path *p, const struct etrace_part *part,
                            uint64_t outcomes)
{
    return p->report.by_branch && part->last->flow == ETRACE_FLOW_BRANCH && outcomes == 1;
}

/* Ends a part at the reported address, if it stops there; `from`: the number of its first
 * instruction that can be the one; `stop_at`: room for the instruction. */
static bool ends_at_address(struct etrace_path *p, struct etrace_part *part, uint32_t from,
                            struct etrace_instruction *stop_at)
{
    const uint64_t address = p->report.address;
    const uint64_t outcomes = etrace_branches_count(&p->branches);
    const struct etrace_instruction *at = part->last;
    struct etrace_instruction before;
    uint32_t count = part->count;
    if (!has_address(p, part, outcomes)) {
        return false;
    }
    if (address != at->pc) {
        count = etrace_walk_to(&p->cursor, part->address, address, &p->reading, stop_at, &before);
        at = stop_at;
    }
    if (count <= from || outcomes != (at->flow == ETRACE_FLOW_BRANCH)) {
        return false;
    }
    const enum etrace_stopped stopped = stop_at_address(p);
    if (stopped == ETRACE_GOES_ON) {
        p->passed = !p->report.sync;
        return false;
    }
    if (count != part->count) {
        part->before = count > 1 ? (struct etrace_preceding){before.word, before.size}
                                 : before_first(p, part->entered);
    }
    part->whole = count == part->count ? part->whole : NULL;
    part->last = at;
    part->count = count;
    part->stopped = stopped;
    p->inferred = stopped == ETRACE_AT_ADDRESS;
    p->inferred_return = p->report.irreport;
    p->inferred_depth = p->report.irdepth;
    return true;
}

static bool ends_at_branch(const struct etrace_path *p, struct etrace_part *part)
{
    const bool ends = has_last_branch(p, part, etrace_branches_count(&p->branches));
    part->stopped = ends ? ETRACE_AT_BRANCH : part->stopped;
    return ends;
}

/* The first instruction alone. */
static void cut_to_first(struct etrace_path *p, struct etrace_part *part,
                         struct etrace_instruction *first)
{
    if (part->count > 1) {
        *first = etrace_instruction_at(&p->cursor, part->address, &p->reading);
        part->whole = NULL;
        part->last = first;
        part->before = (struct etrace_preceding){0};
        part->count = 1;
    }
    part->stopped = ETRACE_AT_TARGET;
}

/* --- reports --- */

void etrace_follow(struct etrace_path *p, const struct etrace_report *report)
{
    p->report = *report;
    p->report.previous = p->last.pc;
    p->following = true;
    p->passed = false;
    etrace_repeats_begin(p);
}

/* The address of an index, which the cache may have learnt in a second pass only. */
static bool find_indexed(struct etrace_path *p, const struct assay_event *packet)
{
    struct etrace_report *r = &p->report;
    if (!r->indexed || r->found || p->inferred) {
        return true;
    }
    const enum etrace_cache_entry entry = etrace_targets_find(&p->targets, r->index, &r->address);
    if (entry != ETRACE_ENTRY_FILLED) {
        etrace_lose(p, packet,
                    entry == ETRACE_ENTRY_EMPTY ? ETRACE_LOST_NO_ENTRY : ETRACE_LOST_WHICH_ENTRY,
                    p->last.pc);
        return false;
    }
    r->found = true;
    p->address = r->address;
    return true;
}

/* The path stops at the end of a part: the outcome that is left is of the branch there. */
static void settle(struct etrace_path *p, struct etrace_part *part)
{
    if (part->last->flow == ETRACE_FLOW_BRANCH && etrace_branches_count(&p->branches) == 1) {
        etrace_branches_settle(&p->branches, part->last->pc, is_on(p, ETRACE_BRANCH_PREDICTION));
        part->outcome = (p->branches.map & 1) != 0 ? ETRACE_NOT_TAKEN : ETRACE_TAKEN;
    }
}

static bool stop(struct etrace_path *p, const struct assay_event *packet)
{
    const bool is_branch = p->last.flow == ETRACE_FLOW_BRANCH;
    p->following = false;
    p->addressed = !p->report.by_branch;
    if (etrace_branches_count(&p->branches) > is_branch) {
        etrace_lose(p, packet, ETRACE_LOST_UNPROCESSED, p->last.pc);
    }
    return true;
}

static struct etrace_part part_of(const struct etrace_path *p,
                                  const struct etrace_cached_walk *cached, const struct move *move)
{
    const struct etrace_walk *walk = &cached->walk;
    return (struct etrace_part){.address = move->next,
                                .count = walk->count,
                                .last = &walk->last,
                                .whole = cached,
                                .before =
                                    walk->count > 1 ? walk->before : before_first(p, move->entered),
                                .entered = move->entered,
                                .mispredicted = move->mispredicted};
}

/* A branch uses an outcome, after which the search for a loop begins anew. */
static bool is_lost_in_loop(struct etrace_path *p, const struct assay_event *packet)
{
    const bool lost =
        p->last.flow != ETRACE_FLOW_BRANCH && etrace_loop_closes(&p->loop, &p->calls, p->last.pc);
    if (lost) {
        etrace_lose(p, packet, ETRACE_LOST_ENDLESS, p->last.pc);
    }
    return lost;
}

/* Goes on by a part in which the path may stop, or to which it came by a report. */
static bool advance_closely(struct etrace_path *p, const struct assay_event *packet,
                            const struct etrace_cached_walk *cached, const struct move *move)
{
    struct etrace_instruction stop_at; /* in the middle of a walk */
    struct etrace_part part = part_of(p, cached, move);
    const bool second = p->inferred;
    bool ends = move->arrived && (!second || packet->kind == ETRACE_support);
    if (ends) {
        cut_to_first(p, &part, &stop_at);
    } else if (!second || move->arrived) {
        ends = ends_at_address(p, &part, second, &stop_at) || ends_at_branch(p, &part);
    }
    part.second_pass = second && move->arrived;
    if (part.second_pass && part.stopped != ETRACE_AT_ADDRESS) {
        p->inferred = false;
        etrace_loop_begin(&p->loop);
    }
    if (ends && p->report.sync) {
        p->privilege = p->report.privilege;
    }
    if (ends) {
        settle(p, &part);
    }
    add_run(p, packet, &part);
    return ends ? stop(p, packet) : is_lost_in_loop(p, packet);
}

/* Whether the path can stop in a walk that it comes to without a report, with so many outcomes
 * left; unless the report was inferred. */
static bool can_stop(const struct etrace_path *p, const struct etrace_cached_walk *c,
                     uint64_t outcomes)
{
    const struct etrace_report *r = &p->report;
    if (outcomes > 1) {
        return false;
    }
    if (r->by_branch) {
        return outcomes == 1 && c->walk.last.flow == ETRACE_FLOW_BRANCH;
    }
    return !r->indexed && r->address >= c->address && r->address <= c->walk.last.pc;
}

/* Whether it is known where the path goes on from a walk: by a branch with an outcome, to an
 * inferable target that changes nothing else, or where a page ends. */
static bool goes_on(const struct etrace_path *p, const struct etrace_cached_walk *c,
                    uint64_t outcomes)
{
    const struct etrace_instruction *last = &c->walk.last;
    return last->flow == ETRACE_FLOW_BRANCH ? outcomes > 0
                                            : last->flow <= ETRACE_FLOW_JUMP &&
                                                  !(last->call && is_on(p, ETRACE_IMPLICIT_RETURN));
}

/* The path goes on from the end of a walk. */
static void leave(struct etrace_path *p, const struct etrace_cached_walk *c)
{
    if (c->walk.last.flow == ETRACE_FLOW_BRANCH) {
        (void)take_outcome(p, c->walk.last.pc);
    }
    p->repeats.left--;
}

/* It comes to the end of a walk, from that of another one. */
static void come_to(struct etrace_path *p, struct etrace_cached_walk *c,
                    const struct etrace_cached_walk *from, enum etrace_entered entered)
{
    p->last = from->walk.last;
    p->before = c->walk.count > 1 ? c->walk.before : before_first(p, entered);
    p->last = c->walk.last;
    p->at = c;
}

/* Goes on as most paths do: as far as walks came after each other before, and the path can stop in
 * none of them; up to `room` events. Returns whether it went on, perhaps until it was lost. */
static bool advance_quickly(struct etrace_path *p, const struct assay_event *packet, uint64_t room)
{
    const bool predicts = is_on(p, ETRACE_BRANCH_PREDICTION);
    const uint64_t steady = etrace_steady_facts(p);
    uint64_t outcomes = etrace_branches_count(&p->branches);
    enum etrace_entered entered = ETRACE_BY_SEQUENCE;
    struct etrace_cached_walk *from = NULL, *at = p->at;
    bool endless = false;
    if (at == NULL || p->inferred || (p->report.indexed && !p->report.found)) {
        return false;
    }
    while (!endless && p->repeats.left > 0 && p->base.history.next < room &&
           goes_on(p, at, outcomes)) {
        const uint64_t pc = at->walk.last.pc;
        const bool branches = at->walk.last.flow == ETRACE_FLOW_BRANCH;
        const bool taken = branches && etrace_branches_next(&p->branches, pc, predicts);
        struct etrace_cached_walk *const next = at->then[taken];
        if (next == NULL || !is_walk_at(p, next, at->next[taken]) ||
            can_stop(p, next, outcomes - branches)) {
            break;
        }
        leave(p, at);
        outcomes = etrace_branches_count(&p->branches);
        entered = (enum etrace_entered)at->entered[taken];
        etrace_add_walk(p, packet, next, steady | etrace_changing_facts(p, outcomes, entered));
        if (next->walk.last.flow != ETRACE_FLOW_BRANCH) {
            if (branches) {
                etrace_loop_begin(&p->loop);
            }
            endless = etrace_loop_closes(&p->loop, &p->calls, next->walk.last.pc);
        }
        from = at;
        at = next;
    }
    if (from == NULL) {
        return false;
    }
    come_to(p, at, from, entered);
    if (endless) {
        etrace_lose(p, packet, ETRACE_LOST_ENDLESS, p->last.pc);
    }
    return true;
}

bool etrace_advance(struct etrace_path *p, const struct assay_event *packet, uint64_t room)
{
    struct move move;
    if (advance_quickly(p, packet, room)) {
        return !p->following;
    }
    if (p->repeats.left == 0) {
        etrace_lose(p, packet, ETRACE_LOST_TOO_FAR, p->last.pc);
        return true;
    }
    p->repeats.left--;
    if (!find_indexed(p, packet) || !find_next(p, packet, &move)) {
        return true;
    }
    struct etrace_cached_walk *const cached = find_walk(p, move.next, move.entered);
    p->at = NULL;
    if (cached->walk.count == 0) {
        etrace_lose(p, packet, ETRACE_LOST_ABSENT, move.next);
        return true;
    }
    if (move.arrived || p->inferred || can_stop(p, cached, etrace_branches_count(&p->branches))) {
        return advance_closely(p, packet, cached, &move);
    }
    const struct etrace_part part = part_of(p, cached, &move);
    p->at = cached;
    etrace_add_passed(p, packet, &part); /* most parts: the path can stop nowhere in them */
    return is_lost_in_loop(p, packet);
}

void etrace_begin(struct etrace_path *p, const struct assay_event *packet,
                  enum etrace_entered entered, uint64_t address)
{
    const struct etrace_instruction first = etrace_instruction_at(&p->cursor, address, &p->reading);
    if (first.size == 0) {
        etrace_lose(p, packet, ETRACE_LOST_ABSENT, address);
        return;
    }
    p->started = p->addressed = true;
    p->loss_reported = false;
    p->inferred = false;
    p->at = NULL;
    struct etrace_part part = {.address = address,
                               .count = 1,
                               .last = &first,
                               .entered = entered,
                               .stopped = ETRACE_AT_SYNC};
    settle(p, &part);
    add_run(p, packet, &part);
}
