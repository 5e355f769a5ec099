/* How elements are followed through the program (K10.5.5.4, K10.5.5.6, K10.5.5.7, K10.5.5.15). An
 * element is followed by one part of the program in a step. Parts that end inside the element are
 * output at once; the last one is pending, since later elements say how it went on. */
#include <inttypes.h>
#include <stdio.h>

#include "ete/analyse.h"

/* Bytes of the program that an element is followed for, at the most. */
static const uint64_t FOLLOW_BYTES = (uint64_t)ETE_PARTS_MOST * ETE_WALK_PAGE;

/* What ETE_GOES_ON has in cell 0. */
static const uint64_t GOES_ON = UINT64_C(0x7f) << GOES_BIT;

enum arm_set ete_set(const struct ete_analyse *a)
{
    return a->aarch64 ? ARM_A64 : a->at.is1 ? ARM_T32 : ARM_A32;
}

static uint64_t address_mask(const struct ete_analyse *a)
{
    return a->aarch64 ? UINT64_MAX : UINT32_MAX;
}

static uint64_t where(const struct ete_analyse *a)
{
    return (uint64_t)ete_set(a) | (uint64_t)a->el << EL_BIT | (uint64_t)a->security << SECURITY_BIT;
}

/* Where the program goes on after a run. */
static void say_computed(uint64_t *cells, enum ete_goes_by by, struct ete_place place)
{
    cells[FACTS] |= (uint64_t)by << GOES_BIT | UINT64_C(1) << COMPUTED_BIT |
                    (uint64_t)place.is1 << COMPUTED_IS1_BIT;
    cells[COMPUTED] = place.address;
}

/* --- the return stack (K10.5.5.3) --- */

static void push(struct ete_analyse *a, struct ete_place place)
{
    a->stack[a->top] = place;
    a->top = (a->top + 1) % ETE_STACK;
    a->entries += a->entries < ETE_STACK;
    a->recent += a->recent < ETE_STACK;
}

static struct ete_place pop(struct ete_analyse *a)
{
    a->top = (a->top + ETE_STACK - 1) % ETE_STACK;
    a->entries--;
    return a->stack[a->top];
}

/* A P0 element, and no Target Address since the indirect branch before it (RMGHSB). */
static void take_from_stack(struct ete_analyse *a, const struct assay_event *element)
{
    const uint64_t branch = a->pending.cells[END] - a->pending.walk.last_size;
    a->from_stack = false;
    (void)assay_parameter_use(a->values, ETE_TRCCONFIGR, ETE_INSTRUCTION);
    if (!a->stack_enabled || a->entries == 0) {
        a->pending.cells[FACTS] |= (uint64_t)ETE_GOES_UNSTATED << GOES_BIT;
        ete_lose(a, element, ETE_LOST_NO_TARGET, branch);
        return;
    }
    a->pending.cells[FACTS] |= (uint64_t)(a->recent == 0) << OLD_ENTRY_BIT;
    a->recent -= a->recent > 0;
    a->at = pop(a);
    a->known = true;
    say_computed(a->pending.cells, ETE_GOES_STACK, a->at);
}

/* In AArch32 bits 63:32 are zero, whatever the address history had there. */
void ete_mask_position(struct ete_analyse *a)
{
    if (a->has_context) {
        a->at.address &= address_mask(a);
    }
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

static struct ete_walk_from walk_from(const struct ete_analyse *a)
{
    const enum arm_set set = ete_set(a);
    return (struct ete_walk_from){.pc = a->at.address,
                                  .set = set,
                                  .covered = set == ARM_T32 ? a->at.covered : 0,
                                  .wfx_p0 = a->wfx_p0};
}

/* What else than the address a walk in the cache depends on. */
static uint16_t key_of(const struct ete_walk_from *from)
{
    return (uint16_t)(from->set | (unsigned)from->covered << 2);
}

/* What the facts of a run say of its walk, wherever and however it was reached. */
static uint64_t facts_of(const struct ete_walk *walk)
{
    return (uint64_t)walk->p0 << LAST_BIT |
           (uint64_t)(walk->conditional && walk->p0 != ETE_P0_NONE) << CONDITIONAL_BIT |
           (uint64_t)(walk->link && walk->p0 != ETE_P0_NONE) << LINK_BIT |
           (uint64_t)walk->undefined << UNDEFINED_BIT |
           (uint64_t)walk->unallocated << UNALLOCATED_BIT | (uint64_t)walk->call << CALL_BIT |
           (uint64_t)walk->last_call << LAST_CALL_BIT | (uint64_t)walk->stays_in_t32 << STAYS_BIT |
           (uint64_t)walk->is_return << IS_RETURN_BIT |
           (uint64_t)walk->breakpoint << BREAKPOINT_BIT;
}

static struct ete_walk walk_until(struct ete_analyse *a, const struct ete_walk_from *from,
                                  uint64_t until, uint32_t most)
{
    struct ete_walk walk = ete_walk(&a->cursor, from, until, most);
    walk.facts = facts_of(&walk);
    return walk;
}

static struct ete_walk walk(struct ete_analyse *a, const struct ete_walk_from *from)
{
    return walk_until(a, from, from->pc - 1, ETE_WALK_PAGE);
}

/* Where memory changes, what is in the cache is used again in its span only; what else it has was
 * not changed, and stays. */
static const struct ete_walk *find_timed_walk(struct ete_analyse *a,
                                              const struct ete_walk_from *from)
{
    const uint32_t space = a->cursor.number;
    struct ete_timed_walk *timed =
        a->cursor.ambiguous ? NULL : assay_run_cache_find(&a->cache, space, from->pc, key_of(from));
    if (timed != NULL && assay_image_in_span(&a->cursor, &timed->span)) {
        return &timed->walk;
    }
    assay_image_begin_span(&a->cursor);
    const struct ete_walk fresh = walk(a, from);
    timed = a->cursor.ambiguous ? &a->uncached
                                : assay_run_cache_put(&a->cache, space, from->pc, key_of(from));
    *timed = (struct ete_timed_walk){fresh, a->cursor.span};
    return &timed->walk;
}

/* From the cache, or walked and put into it. */
static const struct ete_walk *find_walk(struct ete_analyse *a)
{
    const struct ete_walk_from from = walk_from(a);
    if (a->timeline != NULL) {
        return find_timed_walk(a, &from);
    }
    struct ete_walk *found =
        assay_run_cache_find(&a->cache, a->cursor.number, from.pc, key_of(&from));
    if (found == NULL) {
        const struct ete_walk fresh = walk(a, &from);
        found = assay_run_cache_put(&a->cache, a->cursor.number, from.pc, key_of(&from));
        *found = fresh;
    }
    return found;
}

static const struct ete_walk *use_walk(struct ete_analyse *a)
{
    const struct ete_walk *walk = find_walk(a);
    if (walk->wfx) {
        (void)assay_parameter_use(a->values, ETE_TRCIDR2, ETE_INSTRUCTION);
    }
    return walk;
}

/* What a walk has up to an address, or of a number of instructions. */
static struct ete_walk cut(struct ete_analyse *a, const struct ete_walk *whole, uint64_t bytes,
                           uint64_t most)
{
    if (whole->bytes <= bytes && whole->count <= most) {
        return *whole;
    }
    const struct ete_walk_from from = walk_from(a);
    return walk_until(a, &from, from.pc + bytes,
                      (uint32_t)(most < ETE_WALK_PAGE ? most : ETE_WALK_PAGE));
}

static struct ete_walk find_part(struct ete_analyse *a, uint64_t bytes, uint64_t most)
{
    return cut(a, use_walk(a), bytes, most);
}

struct ete_walk ete_peek(struct ete_analyse *a, uint64_t most)
{
    return cut(a, find_walk(a), FOLLOW_BYTES, most);
}

struct ete_place ete_after(const struct ete_analyse *a, const struct ete_walk *walk)
{
    return (struct ete_place){.address = (a->at.address + walk->bytes) & address_mask(a),
                              .is1 = a->at.is1,
                              .covered = walk->covered};
}

static void fill_run(struct ete_analyse *a, const struct ete_walk *walk, enum ete_by by,
                     uint64_t *cells)
{
    cells[FACTS] =
        where(a) | (uint64_t)by << BY_BIT | walk->facts | (uint64_t)a->resumes << RESUMES_BIT;
    a->resumes = false;
    cells[ADDRESS] = a->at.address;
    cells[END] = (a->at.address + walk->bytes) & address_mask(a);
    cells[COUNT] = walk->count | (uint64_t)a->cursor.number << 32;
    cells[CONTEXT] = a->context_id | (uint64_t)a->vmid << 32;
    cells[LAST_WORD] = walk->last_word | (uint64_t)walk->last_size << LAST_SIZE_BIT;
    cells[MOMENTS] = a->cursor.moments.low | (uint64_t)a->cursor.moments.high << 32;
}

/* Instructions inside an element; the program is after them. Returns the cells of the run. */
static uint64_t *add_part(struct ete_analyse *a, const struct assay_event *element,
                          const struct ete_walk *walk, enum ete_by by)
{
    uint64_t *cells = assay_step_cells(&a->base, assay_step_add(&a->base, ETE_run, element));
    fill_run(a, walk, by, cells);
    a->at = ete_after(a, walk);
    a->parts++;
    return cells;
}

/* The same where no branch at their end is taken. */
static void add_run(struct ete_analyse *a, const struct assay_event *element,
                    const struct ete_walk *walk, enum ete_by by)
{
    say_computed(add_part(a, element, walk, by), ETE_GOES_SEQUENCE, a->at);
}

/* A part has at most a page, so that this is a million instructions of straight code. */
static bool is_too_long(const struct ete_analyse *a)
{
    return a->parts >= ETE_PARTS_MOST;
}

struct ete_place ete_target_of(const struct ete_walk *walk)
{
    return (struct ete_place){.address = walk->target, .is1 = walk->target_set == ARM_T32};
}

/* The run that ends an element. */
static void end_run(struct ete_analyse *a, const struct assay_event *element,
                    const struct ete_walk *walk, enum ete_by by, bool taken)
{
    uint64_t *cells = ete_begin_pending(a, ETE_run, element);
    fill_run(a, walk, by, cells);
    cells[FACTS] |=
        UINT64_C(1) << ENDS_BIT | (uint64_t)taken << TAKEN_BIT | (uint64_t)taken << TRACED_BIT;
    a->pending.walk = *walk;
    if (taken && walk->link && by != ETE_BY_Q) { /* RHYMQH, RGMTBD: by the first status */
        push(a, (struct ete_place){.address = cells[END], .is1 = a->at.is1});
    }
    ete_go_on(a);
}

/* One of two values, without a branch. */
static inline uint64_t choose(uint64_t first, uint64_t yes, uint64_t no)
{
    return no ^ ((no ^ yes) & (0 - first));
}

/* Whether a branch was taken changes from run to run, so that where it leads is computed without a
 * branch. */
void ete_go_on(struct ete_analyse *a)
{
    const struct ete_walk *walk = &a->pending.walk;
    uint64_t *cells = a->pending.cells;
    const uint64_t facts = cells[FACTS] & ~GOES_ON;
    const uint64_t taken = facts >> TAKEN_BIT & 1;
    const uint64_t branches = taken & (walk->p0 == ETE_P0_DIRECT);
    const bool was_is1 = (facts & 3) == ARM_T32;
    const struct ete_place target = ete_target_of(walk);
    cells[FACTS] = facts;
    cells[STATED] = 0;
    cells[COMPUTED] = 0;
    a->from_stack = (taken & (walk->p0 == ETE_P0_INDIRECT)) != 0;
    a->known = !a->from_stack;
    if (!a->known) {
        return;
    }
    a->at = (struct ete_place){.address = choose(branches, target.address, cells[END]),
                               .is1 = choose(branches, target.is1, was_is1) != 0,
                               .covered = (uint8_t)choose(branches, target.covered, walk->covered)};
    say_computed(cells, (enum ete_goes_by)(ETE_GOES_SEQUENCE + branches), a->at);
}

/* --- elements --- */

/* Says why the program cannot be followed from where it is; true where that is because its memory
 * changes, or is not known. */
static bool say_absent(struct ete_analyse *a)
{
    uint8_t bytes[4];
    const size_t have = assay_image_copy(&a->cursor, a->at.address, bytes, sizeof bytes);
    const enum assay_absence why = have < sizeof bytes ? a->cursor.absence : ASSAY_ABSENCE_UNMAPPED;
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
    const struct ete_place from = a->at;
    enum ete_reached why = ETE_REACHES_GIVEN_UP;
    for (unsigned n = 0; n < ETE_PARTS_MOST && why == ETE_REACHES_GIVEN_UP; n++) {
        const struct ete_walk *walk = use_walk(a);
        if (walk->count == 0) {
            why = say_absent(a) ? ETE_REACHES_CHANGING : ETE_REACHES_ABSENT;
        } else if (walk->p0 != ETE_P0_NONE && !walk->conditional) {
            why = ETE_TOO_FAR;
        }
        a->at.address = (a->at.address + walk->bytes) & address_mask(a);
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

bool ete_follow_atom(struct ete_analyse *a, const struct assay_event *element, bool taken)
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

/* Bytes from where the program is to an address; addresses wrap. */
static uint64_t distance(const struct ete_analyse *a, uint64_t address)
{
    return (address - a->at.address) & address_mask(a);
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

bool ete_follow_source(struct ete_analyse *a, const struct assay_event *element)
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
    const struct ete_walk walk = find_part(a, bytes + 1, UINT32_MAX);
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
    cells[FACTS] = where(a) | says[ETE_CELL_resolved_exception_type] << TYPE_BIT |
                   (uint64_t)unknown << UNKNOWN_BIT | (uint64_t)reached << REACHED_BIT;
    cells[ADDRESS] = says[ETE_CELL_resolved_exception_address];
    cells[END] = a->begin;
    cells[CONTEXT] = a->context_id | (uint64_t)a->vmid << 32;
    a->resumes = a->resumes || reached != ETE_REACHED;
    a->following = false;
}

bool ete_follow_exception(struct ete_analyse *a, const struct assay_event *element)
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
    const struct ete_walk walk = find_part(a, bytes, UINT32_MAX);
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
    const bool direct = walk->p0 == ETE_P0_DIRECT;
    if (walk->p0 == ETE_P0_INDIRECT || (direct && walk->conditional)) {
        return false;
    }
    if (direct) {
        a->at = ete_target_of(walk);
    }
    say_computed(cells, direct ? ETE_GOES_BRANCH : ETE_GOES_SEQUENCE, a->at);
    return true;
}

/* A Target Address says where the program is after the Q; what the program says is only what that
 * should be. After a branch whose outcome no element says it can be one of several places. */
static void end_q(struct ete_analyse *a, const struct assay_event *element,
                  const struct ete_walk *walk)
{
    const struct ete_place next = ete_after(a, walk);
    end_run(a, element, walk, ETE_BY_Q, !walk->conditional);
    if (walk->conditional && (walk->p0 == ETE_P0_DIRECT || walk->p0 == ETE_P0_INDIRECT)) {
        a->pending.cells[FACTS] &= ~GOES_ON;
        a->pending.cells[COMPUTED] = 0;
        ete_find_q_ends(a, walk, next);
    }
    a->known = false;
    a->from_stack = false;
    a->following = false;
}

bool ete_follow_q(struct ete_analyse *a, const struct assay_event *element)
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
    const struct ete_walk walk = find_part(a, FOLLOW_BYTES, a->left);
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
    uint64_t *cells = add_part(a, element, &walk, ETE_BY_Q);
    const uint64_t last = a->at.address - walk.last_size;
    const bool open = !goes_on(a, &walk, cells);
    if (open || is_too_long(a)) {
        ete_lose(a, element, ETE_LOST_Q, last);
        a->following = false;
    }
    if (open) {
        ete_find_q_ends(a, &walk, a->at);
    }
    return !a->following;
}
