/* How elements are followed through the program (K10.5.5.4, K10.5.5.6, K10.5.5.7, K10.5.5.15). An
 * element is followed by one part of the program in a step. Parts that end inside the element are
 * output at once; the last one is pending, since later elements say how it went on. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ete/run.h"

/* Bytes of the program that an element is followed for, at the most. */
static const uint64_t FOLLOW_BYTES = (uint64_t)ETE_PARTS_MOST * ETE_WALK_PAGE;

/* --- the return stack (K10.5.5.3) --- */

/* A PE Reset tells nothing of what was executed before it, and can take the Target Address away. */
static bool is_reset(const struct assay_event *element)
{
    return element->kind == ETE_resolved_exception &&
           element->cells[ETE_CELL_resolved_exception_type] == ETE_TYPE_PE_RESET;
}

/* A P0 element, and no Target Address since the indirect branch before it (RMGHSB). */
static void take_from_stack(struct ete_analyse *a, const struct assay_event *element)
{
    const uint64_t branch = ete_last_of(&a->pending.walk, a->pending.cells[ETE_RUN_ADDRESS]);
    a->from_stack = false;
    (void)assay_parameter_use(a->values, ETE_TRCCONFIGR, ETE_INSTRUCTION);
    if (a->stack.enabled && ete_stack_is_doubtful(&a->stack)) {
        ete_lose(a, element, ETE_LOST_NO_TARGET, branch);
        return;
    }
    if (!a->stack.enabled || a->stack.addresses.entries == 0) {
        const bool reset = is_reset(element);
        a->pending.cells[ETE_RUN_FLAGS] |= (uint64_t)(reset ? ETE_GOES_RESET : ETE_GOES_UNSTATED)
                                           << GOES_BIT;
        if (!reset) {
            ete_lose(a, element, ETE_LOST_NO_TARGET, branch);
        }
        return;
    }
    a->pending.cells[ETE_RUN_FLAGS] |= (uint64_t)(a->stack.recent == 0) << OLD_ENTRY_BIT;
    a->at = ete_stack_pop(&a->stack);
    a->known = true;
    ete_say_computed(a->pending.cells, ETE_GOES_STACK, a->at);
}

bool ete_is_in_sync(struct ete_analyse *a, const struct assay_event *element)
{
    ete_mask_position(a); /* the context can have come after the address */
    if (a->from_stack && a->has_context) {
        take_from_stack(a, element);
    }
    if (a->known && !a->has_context) {
        ete_lose(a, element, ETE_LOST_NO_CONTEXT, a->at.address);
    }
    return a->known;
}

/* --- runs --- */

/* The walk from where the program is. */
static const struct ete_walk *use_walk(struct ete_analyse *a)
{
    const struct ete_walk_from from = ete_from(a);
    const struct ete_walk *walk = ete_find_walk(&a->program, &from);
    if (walk->wfx) {
        (void)assay_parameter_use(a->values, ETE_TRCIDR2, ETE_INSTRUCTION);
    }
    return walk;
}

/* The same, cut at an address, or after a number of instructions. */
static struct ete_walk use_cut(struct ete_analyse *a, uint64_t bytes, uint64_t most)
{
    const struct ete_walk_from from = ete_from(a);
    return ete_cut(&a->program, &from, use_walk(a), bytes, most);
}

/* Instructions inside an element; the program is after them. Returns the cells of the run. */
static uint64_t *add_part(struct ete_analyse *a, const struct assay_event *element,
                          const struct ete_walk *walk, enum ete_by by)
{
    uint64_t *cells = assay_step_add_cells(&a->base, ETE_run, element, ETE_INSTRUCTION_CELLS);
    ete_fill_run(a, walk, by, cells);
    a->at = ete_after(&a->at, ete_set(a), walk);
    a->parts++;
    return cells;
}

/* The same where no branch at their end is taken. */
static void add_run(struct ete_analyse *a, const struct assay_event *element,
                    const struct ete_walk *walk, enum ete_by by)
{
    ete_say_computed(add_part(a, element, walk, by), ETE_GOES_SEQUENCE, a->at);
}

/* A part has at most a page, so that this is a million instructions of straight code. */
static bool is_too_long(const struct ete_analyse *a)
{
    return a->parts >= ETE_PARTS_MOST;
}

/* The facts of a run that ends an element. */
static uint64_t ended(bool taken)
{
    return UINT64_C(1) << ENDS_BIT | (uint64_t)taken << TAKEN_BIT |
           (uint64_t)taken << FIRST_TAKEN_BIT;
}

static void end_run(struct ete_analyse *a, const struct assay_event *element,
                    const struct ete_walk *walk, enum ete_by by, bool taken)
{
    uint64_t *cells = ete_begin_pending(a, ETE_run, element);
    ete_fill_run(a, walk, by, cells);
    cells[ETE_RUN_FLAGS] |= ended(taken);
    a->pending.walk = *walk;
    if (taken && walk->link && by != ETE_BY_Q) { /* RHYMQH, RGMTBD: by the first status */
        ete_stack_push(&a->stack,
                       (struct ete_position){.address = cells[ETE_RUN_END], .is1 = a->at.is1});
    }
    ete_go_on(a, walk, cells);
}

/* --- elements --- */

/* Says why the program cannot be followed from where it is; true where that is because its memory
 * changes, or is not known. */
static bool say_absent(struct ete_analyse *a)
{
    uint32_t word; /* that is not there: the cursor says why */
    (void)ete_read_instruction(&a->program.cursor, a->at.address, ete_set(a), &word);
    const enum assay_absence why = a->program.cursor.absence;
    const char *what = why == ASSAY_ABSENCE_CHANGING  ? "the program changes, when is not known,"
                       : why == ASSAY_ABSENCE_UNKNOWN ? "the code of a change is missing"
                                                      : "no program image";
    if (a->why[0] == '\0') {
        snprintf(a->why, sizeof a->why, "%s at 0x%" PRIx64, what, a->at.address);
    }
    return why != ASSAY_ABSENCE_UNMAPPED;
}

static void lose_absent(struct ete_analyse *a, const struct assay_event *element)
{
    const bool changing = say_absent(a);
    ete_lose(a, element, changing ? ETE_LOST_CHANGING : ETE_LOST_ABSENT, a->at.address);
}

/* More of the program than an element is followed for. */
static void lose_endless(struct ete_analyse *a, const struct assay_event *element)
{
    if (a->why[0] == '\0') {
        snprintf(a->why, sizeof a->why, "no P0 instruction in %u KiB of program from 0x%" PRIx64,
                 ETE_PARTS_MOST * ETE_WALK_PAGE / 1024, a->begin);
    }
    ete_lose(a, element, ETE_LOST_NO_P0, a->begin);
}

/* Why the program does not get to an address that is far ahead, without output: the first P0
 * instruction that is always taken ends straight code. */
static enum ete_reached why_not_reached(struct ete_analyse *a)
{
    const struct ete_position from = a->at;
    enum ete_reached why = ETE_REACHES_GIVEN_UP;
    for (unsigned n = 0; n < ETE_PARTS_MOST && why == ETE_REACHES_GIVEN_UP; n++) {
        const struct ete_walk *walk = use_walk(a);
        if (walk->count == 0) {
            why = say_absent(a) ? ETE_REACHES_CHANGING : ETE_REACHES_ABSENT;
        } else if (walk->p0 != ETE_P0_NONE && !walk->conditional) {
            why = ETE_TOO_FAR;
        }
        a->at.address = (a->at.address + walk->bytes) & ete_address_mask(ete_set(a));
        a->at.covered = walk->covered;
    }
    a->at = from;
    return why;
}

/* An address is not reached, or that is not known. */
static enum ete_reached give_up(struct ete_analyse *a, uint64_t address)
{
    if (a->why[0] == '\0') {
        snprintf(a->why, sizeof a->why,
                 "the program from 0x%" PRIx64 " to 0x%" PRIx64
                 " is more than is followed for an element",
                 a->begin, address);
    }
    return ETE_REACHES_GIVEN_UP;
}

static enum ete_reached far_ahead(struct ete_analyse *a, uint64_t address)
{
    const enum ete_reached why = a->at.address > address ? ETE_BEHIND : why_not_reached(a);
    return why == ETE_REACHES_GIVEN_UP ? give_up(a, address) : why;
}

/* The first step of an element. */
static void begin_following(struct ete_analyse *a)
{
    ete_flush(a);
    a->following = true;
    a->begin = a->at.address;
    a->parts = 0;
}

bool ete_analyze_atom(struct ete_analyse *a, const struct assay_event *element, bool taken)
{
    if (!a->following) {
        begin_following(a);
    }
    const struct ete_walk *walk = use_walk(a);
    if (walk->count == 0) {
        lose_absent(a, element);
    } else if (walk->p0 != ETE_P0_NONE) {
        end_run(a, element, walk, ETE_BY_ATOM, taken);
    } else {
        add_run(a, element, walk, ETE_BY_ATOM);
        if (!is_too_long(a)) {
            return false;
        }
        lose_endless(a, element);
    }
    a->following = false;
    return true;
}

/* --- atoms whose walks are in the cache --- */

/* What an atom makes of a walk from where the program is, in its context. */
static struct ete_outcome outcome_of(const struct ete_analyse *a, struct ete_cached_walk *c,
                                     bool taken)
{
    struct ete_analyse after = *a; /* as it would be then */
    uint64_t cells[ETE_INSTRUCTION_CELLS];
    after.after_system = 0;
    ete_fill_run(&after, &c->walk, ETE_BY_ATOM, cells);
    cells[ETE_RUN_FLAGS] |= ended(taken);
    ete_go_on(&after, &c->walk, cells);
    memcpy(c->says, &cells[ETE_RUN_ADDRESS], sizeof c->says);
    return (struct ete_outcome){
        .facts = cells[ETE_RUN_FLAGS], .next = after.at, .known = after.known};
}

static void learn(const struct ete_analyse *a, struct ete_cached_walk *c, uint16_t key)
{
    c->outcomes[false] = outcome_of(a, c, false);
    c->outcomes[true] = outcome_of(a, c, true);
    c->context = a->contexts;
    c->key = key;
}

/* The walk that the cache has from where the program is. Null: there is none, or an atom needs more
 * than it. */
static struct ete_cached_walk *look_up(struct ete_analyse *a, uint16_t key)
{
    struct ete_cached_walk *c =
        assay_run_cache_find(&a->program.cache, a->program.cursor.number, a->at.address, key);
    if (c == NULL) {
        return NULL;
    }
    if (c->context != a->contexts) {
        if (c->walk.p0 == ETE_P0_NONE || c->walk.wfx) {
            return NULL;
        }
        learn(a, c, key);
    }
    *a->then = c;
    return c;
}

/* The same, or the one that came after the latest atom's walk last, if it begins there. */
static inline struct ete_cached_walk *find_cached(struct ete_analyse *a)
{
    struct ete_cached_walk *c = *a->then;
    uint16_t key = ARM_A64;
    if (!a->aarch64) {
        ete_mask_position(a);
        const struct ete_walk_from from = ete_from(a);
        key = ete_walk_key(&from);
    }
    return c != NULL && c->context == a->contexts && c->says[0] == a->at.address && c->key == key
               ? c
               : look_up(a, key);
}

/* The run of an atom that ends at the P0 instruction of a walk. Returns its cells. */
static uint64_t *add_atom(struct ete_analyse *a, const struct assay_event *element,
                          struct ete_cached_walk *c, bool taken)
{
    struct ete_outcome *outcome = &c->outcomes[taken];
    uint64_t *cells = assay_step_add_cells(&a->base, ETE_run, element, ETE_INSTRUCTION_CELLS);
    cells[ETE_RUN_FLAGS] = outcome->facts | a->after_system;
    cells[ETE_RUN_COMPUTED] = outcome->known ? outcome->next.address : 0;
    memcpy(&cells[ETE_RUN_ADDRESS], c->says, sizeof c->says);
    cells[ETE_MET] = c->walk.met;
    cells[ETE_WRITTEN] = c->walk.written;
    a->after_system = 0;
    if (taken && c->walk.link) {
        ete_stack_push(&a->stack,
                       (struct ete_position){.address = cells[ETE_RUN_END], .is1 = a->at.is1});
    }
    a->known = outcome->known;
    a->from_stack = !outcome->known;
    a->at = outcome->known ? outcome->next : a->at;
    a->then = &outcome->then;
    return cells;
}

/* All but the last of the runs are final when they are added, as the atom after them follows at
 * once: only that one is pending. */
void ete_follow_cached(struct ete_analyse *a, const struct assay_event *element)
{
    const uint64_t count = element->cells[ETE_CELL_resolved_atoms_atoms];
    const uint64_t taken = element->cells[ETE_CELL_resolved_atoms_taken];
    struct ete_cached_walk *last = NULL;
    struct ete_cached_walk *c = NULL;
    if (a->following || !a->has_context || a->program.timeline != NULL) {
        return;
    }
    while (a->known && a->atom < count && (c = find_cached(a)) != NULL) {
        if (last == NULL) {
            ete_flush(a);
        }
        a->pending.cells = add_atom(a, element, c, (taken >> a->atom & 1) != 0);
        last = c;
        a->atom++;
    }
    if (last != NULL) {
        a->pending.kind = ETE_run;
        a->pending.walk = last->walk;
        assay_step_hold(&a->base);
    }
}

/* Bytes from where the program is to an address; addresses wrap. In AArch32 state none gets above
 * 4 GiB. */
static uint64_t distance(const struct ete_analyse *a, uint64_t address)
{
    const uint64_t mask = ete_address_mask(ete_set(a));
    return address > mask ? UINT64_MAX : (address - a->at.address) & mask;
}

static enum ete_lost lost_of(enum ete_reached why)
{
    switch (why) {
    case ETE_REACHES_ABSENT:
        return ETE_LOST_ABSENT;
    case ETE_REACHES_CHANGING:
        return ETE_LOST_CHANGING;
    case ETE_REACHES_GIVEN_UP:
        return ETE_LOST_GIVEN_UP;
    default:
        return ETE_LOST_NOT_REACHED;
    }
}

bool ete_analyze_source_address(struct ete_analyse *a, const struct assay_event *element)
{
    const uint64_t address = element->cells[ETE_CELL_resolved_source_address_address];
    const uint64_t bytes = distance(a, address);
    bool done = true;
    if (!a->following) {
        begin_following(a);
    }
    if (bytes > FOLLOW_BYTES) {
        ete_lose(a, element, lost_of(far_ahead(a, address)), address);
        a->following = false;
        return true;
    }
    const struct ete_walk walk = use_cut(a, bytes + 1, UINT32_MAX);
    if (walk.count == 0) {
        lose_absent(a, element);
    } else if (walk.bytes - walk.last_size == bytes) {
        end_run(a, element, &walk, ETE_BY_SOURCE, true);
    } else {
        add_run(a, element, &walk, ETE_BY_SOURCE);
        const bool inside = walk.bytes > bytes; /* the address is inside an instruction */
        done = inside || is_too_long(a);
        if (done) {
            ete_lose(a, element, lost_of(inside ? ETE_PASSED : give_up(a, address)), address);
        }
    }
    a->following = !done;
    return done;
}

static void end_exception(struct ete_analyse *a, const struct assay_event *element,
                          enum ete_reached reached)
{
    const uint64_t *says = element->cells;
    const bool unknown = says[ETE_CELL_resolved_exception_unknown] != 0;
    uint64_t *cells = ete_begin_pending(a, ETE_exception_taken, element);
    cells[ETE_RUN_FLAGS] = ete_where(a) | says[ETE_CELL_resolved_exception_type] << TYPE_BIT |
                           (uint64_t)unknown << UNKNOWN_BIT | (uint64_t)reached << REACHED_BIT;
    cells[ETE_RUN_ADDRESS] = says[ETE_CELL_resolved_exception_address];
    cells[ETE_RUN_END] = a->begin;
    cells[ETE_RUN_CONTEXT] = ete_context_ids(a);
    cells[ETE_RUN_COUNT] = (uint64_t)a->program.cursor.number << SPACE_BIT;
    cells[ETE_RUN_MOMENTS] = ete_moments(a);
    a->following = false;
}

bool ete_analyze_exception(struct ete_analyse *a, const struct assay_event *element)
{
    const uint64_t address = element->cells[ETE_CELL_resolved_exception_address];
    const bool in_sync = a->following || ete_is_in_sync(a, element); /* takes from the stack */
    const uint64_t bytes = distance(a, address);
    if (!a->following) {
        begin_following(a);
        if (!in_sync || element->cells[ETE_CELL_resolved_exception_unknown] != 0) {
            end_exception(a, element, ETE_NOT_FOLLOWED);
            a->known = false;
            return true;
        }
        if (bytes > FOLLOW_BYTES) {
            end_exception(a, element, far_ahead(a, address));
            return true;
        }
    }
    if (bytes == 0) {
        end_exception(a, element, ETE_REACHED);
        return true;
    }
    if (is_too_long(a)) {
        end_exception(a, element, give_up(a, address));
        return true;
    }
    const struct ete_walk walk = use_cut(a, bytes, UINT32_MAX);
    if (walk.count == 0) {
        end_exception(a, element, say_absent(a) ? ETE_REACHES_CHANGING : ETE_REACHES_ABSENT);
        a->known = false;
        return true;
    }
    add_run(a, element, &walk, ETE_BY_EXCEPTION);
    if (walk.bytes > bytes) {
        end_exception(a, element, ETE_PASSED);
    }
    return walk.bytes > bytes;
}

/* The program goes on inside a Q. False where it is not known where: after a branch whose outcome
 * no element says (ITXGPZ). */
static bool goes_on(struct ete_analyse *a, const struct ete_walk *walk, uint64_t *cells)
{
    const bool direct = walk->p0 == ETE_P0_DIRECT && ete_can_be_taken(walk);
    if (walk->p0 == ETE_P0_INDIRECT || ete_is_open(walk)) {
        return false;
    }
    if (direct) {
        a->at = ete_target_of(walk);
    }
    ete_say_computed(cells, direct ? ETE_GOES_BRANCH : ETE_GOES_SEQUENCE, a->at);
    return true;
}

/* A Target Address says where the program is after the Q; what the program says is only what that
 * should be. After a branch whose outcome no element says it can be one of several places. */
static void end_q(struct ete_analyse *a, const struct assay_event *element,
                  const struct ete_walk *walk)
{
    end_run(a, element, walk, ETE_BY_Q, ete_can_be_taken(walk) && !ete_can_be_passed(walk));
    if (ete_is_open(walk)) {
        a->pending.cells[ETE_RUN_FLAGS] &= ~ETE_GOES_ON;
        a->pending.cells[ETE_RUN_COMPUTED] = 0;
        a->pending.cells[ETE_RUN_FLAGS] |= UINT64_C(1) << OPEN_Q_BIT;
    }
    a->known = false;
    a->from_stack = false;
    a->following = false;
}

/* Which instructions the rest of a Q is is not known, but how many (ITXGPZ). */
static void lose_q(struct ete_analyse *a, const struct assay_event *element, uint64_t address)
{
    ete_lose(a, element, ETE_LOST_Q, address);
    a->pending.cells[ETE_Q_LEFT] = a->left;
    a->following = false;
}

bool ete_analyze_q(struct ete_analyse *a, const struct assay_event *element)
{
    if (!a->following) {
        begin_following(a);
        a->left = element->cells[ETE_CELL_resolved_q_count];
        if (element->cells[ETE_CELL_resolved_q_counted] == 0 || a->left == 0) {
            ete_lose(a, element, ETE_LOST_Q, a->at.address);
            a->following = false;
            return true;
        }
    }
    const struct ete_walk walk = use_cut(a, FOLLOW_BYTES, a->left);
    if (walk.count == 0) {
        lose_absent(a, element);
        a->following = false;
        return true;
    }
    a->left -= walk.count;
    if (a->left == 0) {
        end_q(a, element, &walk);
        return true;
    }
    const uint64_t last = ete_last_of(&walk, a->at.address);
    uint64_t *cells = add_part(a, element, &walk, ETE_BY_Q);
    if (!goes_on(a, &walk, cells) || is_too_long(a)) {
        lose_q(a, element, last);
    }
    return !a->following;
}
