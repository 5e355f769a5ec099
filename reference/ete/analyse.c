/* The layer of instructions: resolved elements to what was executed (K10.5.5). This file has the
 * state and the elements that change it; follow.c follows the others through the program.
 *
 *     K10.5.5.1   AnalyzeElement          step, take
 *     K10.5.5.2   retained state          struct ete_analyse (analyse.h)
 *     K10.5.5.3   the return stack        stack.h, take_from_stack (follow.c)
 *     K10.5.5.4   Atom                    analyze_atoms, ete_analyze_atom (follow.c)
 *     K10.5.5.5   Context                 analyze_context
 *     K10.5.5.6   Exception               ete_analyze_exception (follow.c)
 *     K10.5.5.7   Source Address          ete_analyze_source_address (follow.c)
 *     K10.5.5.8   Target Address          analyze_target_address
 *     K10.5.5.9   Trace Info              analyze_trace_info
 *     K10.5.5.10  Trace On                analyze_trace_on, settle_gap
 *     K10.5.5.11  Mispredict              analyze_mispredict
 *     K10.5.5.12  ETEEvent                nothing: it stands for no instruction
 *     K10.5.5.13  Discard                 analyze_discard
 *     K10.5.5.14  Overflow                analyze_discard
 *     K10.5.5.15  Q                       ete_analyze_q (follow.c)
 *     K10.5.5.16  Timestamp               take_period, of the periods that resolve.c makes
 *     K10.5.5.17  Cycle Count             nothing: it stands for no instruction
 *     K10.5.5.18  branches, instructions  ete_go_on (run.h), ete_walk (walk.c)
 *
 * The position is unknown (NOT_SYNC) without `known`, and the context without `has_context`. */
#include "ete/run.h"

#include <stdlib.h>
#include <string.h>

enum { CACHE_ENTRIES = 1 << 15, ADDED_MOST = 32 };

/* --- the pending event --- */

/* After a Trace Info addresses can be of another session, which a Trace On would show, or the end
 * of the stream leaves open: trace units begin sessions without one, with an address of nothing. */
static void analyze_trace_info(struct ete_analyse *a)
{
    struct ete_pending *p = &a->pending;
    if (p->kind != 0 && !p->has_info) {
        memcpy(p->before_info, p->cells, sizeof p->before_info);
        p->has_info = true;
    }
}

/* Whether a run ends with an indirect branch that was taken: a Target Address says where it led,
 * and a later one where it did lead. */
static bool is_led(uint64_t facts)
{
    return (facts >> LAST_BIT & 0xf) == ETE_P0_INDIRECT && (facts >> TAKEN_BIT & 1) != 0;
}

/* The pending event is a run that such a branch ends, of which it is not sure where it led. */
static void doubt_target(struct ete_analyse *a)
{
    if (a->pending.kind == ETE_run && is_led(a->pending.cells[ETE_RUN_FLAGS])) {
        a->pending.cells[ETE_RUN_FLAGS] |= UINT64_C(1) << UNCERTAIN_BIT;
    }
}

/* Addresses that came since that Trace Info say nothing of the pending event, but that the one
 * before it may not be the last one. */
static void forget_addresses(struct ete_analyse *a)
{
    struct ete_pending *p = &a->pending;
    if (p->has_info) {
        const uint64_t facts = p->cells[ETE_RUN_FLAGS];
        const bool same = p->cells[ETE_RUN_STATED] == p->before_info[ETE_RUN_STATED] &&
                          ((facts ^ p->before_info[ETE_RUN_FLAGS]) >> STATED_IS1_BIT & 1) == 0;
        memcpy(p->cells, p->before_info, sizeof p->before_info);
        p->cells[ETE_RUN_FLAGS] |= facts & ~ETE_GOES_ON;
        p->has_info = false;
        if (!same) {
            doubt_target(a);
        }
    }
}

/* The position is lost at a Trace On. A Mispredict of the branch before it takes that back, so that
 * the event comes with the next element that says that execution went on after the Trace On. It is
 * one for several Trace Ons, as they were all of the way that was not executed. */
static void analyze_trace_on(struct ete_analyse *a, const struct assay_event *element)
{
    a->stack.recent = 0;
    if (a->gap) {
        a->known = false;
        return;
    }
    forget_addresses(a);
    if (a->pending.kind != ETE_run || (a->pending.cells[ETE_RUN_FLAGS] >> BY_BIT & 3) == ETE_BY_Q) {
        ete_lose(a, element, ETE_LOST_TRACE_ON, 0);
        return;
    }
    a->gap = true;
    a->gap_on = element->index;
    a->gap_offset = element->offset;
    a->known = false;
    a->from_stack = false;
}

/* What is known of the position since then stays. */
static void settle_gap(struct ete_analyse *a)
{
    ete_flush(a);
    struct assay_event *event =
        assay_step_add(&a->base, ETE_sync_lost, assay_history_find(a->base.setup.below, a->gap_on));
    event->offset = a->gap_offset;
    a->pending.kind = ETE_sync_lost;
    a->pending.cells = assay_step_cells(&a->base, event);
    assay_step_hold(&a->base);
    ete_say_lost(a, ETE_LOST_TRACE_ON, 0);
    a->gap = false;
}

/* A Transaction Failure of no transaction can be that of one that was cancelled: a branch before it
 * can still be corrected (Table K10-19). */
static bool ends_transaction(const struct assay_event *failure)
{
    return failure->cells[ETE_ENDS_TRANSACTION] != 0;
}

static bool settles_gap(const struct assay_event *element)
{
    switch (element->kind) {
    case ETE_resolved_atoms:
    case ETE_resolved_source_address:
    case ETE_resolved_q:
    case ETE_resolved_exception:
    case ETE_resolved_transaction_start:
    case ETE_resolved_transaction_commit:
        return true;
    case ETE_resolved_transaction_failure:
        return ends_transaction(element);
    default:
        return false;
    }
}

/* --- elements --- */

/* P0 elements that cannot be followed: how many there are is said by the event before it. That a
 * trace begins is an event only if there is one. */
static void skip(struct ete_analyse *a, const struct assay_event *element, uint64_t count)
{
    if (a->base.history.next == 0) {
        ete_lose(a, element, ETE_LOST_START, 0);
    }
    if (a->pending.kind == ETE_sync_lost) {
        a->pending.cells[ETE_LOST_SKIPPED] += count;
    }
    if (a->pending.kind != 0) {
        a->pending.cells[ETE_RUN_FLAGS] |= UINT64_C(1) << SKIPPED_BIT;
    }
    ete_stack_doubt(&a->stack);
}

/* An address can come before the context that says how many of its bits count: that of a handler
 * of A64, after an exception of A32. */
static void restate(struct ete_analyse *a)
{
    struct ete_pending *p = &a->pending;
    if (p->kind == ETE_exception_taken && a->known &&
        (p->cells[ETE_RUN_FLAGS] >> STATED_BIT & 1) != 0) {
        p->cells[ETE_RUN_STATED] = a->at.address & ete_address_mask(ete_set(a));
    }
}

static void analyze_context(struct ete_analyse *a, const uint64_t *says)
{
    /* of the field `security` */
    static const uint8_t security[] = {ASSAY_SECURITY_SECURE, ASSAY_SECURITY_NONSECURE,
                                       ASSAY_SECURITY_ROOT, ASSAY_SECURITY_REALM};
    const uint8_t el = (uint8_t)says[ETE_CELL_resolved_context_el];
    const uint8_t level = (uint8_t)says[ETE_CELL_resolved_context_security];
    const bool aarch64 = says[ETE_CELL_resolved_context_sf] != 0;
    const uint32_t vmid = (uint32_t)says[ETE_CELL_resolved_context_vmid];
    const uint32_t context_id = (uint32_t)says[ETE_CELL_resolved_context_context_id];
    a->contexts += a->el != el || a->security != level || a->aarch64 != aarch64 ||
                   a->vmid != vmid || a->context_id != context_id;
    a->after_system |= (uint64_t)(el < a->el) << AFTER_SYSTEM_BIT;
    a->el = el;
    a->security = level;
    a->aarch64 = aarch64;
    a->vmid = vmid;
    a->context_id = context_id;
    a->has_context = true;
    const struct assay_space space = {.given = ASSAY_SPACE_ALL,
                                      .el = a->el,
                                      .security = security[a->security],
                                      .vmid = a->vmid,
                                      .context = a->context_id};
    (void)assay_image_select(&a->program.cursor, &space);
    restate(a);
}

/* The memory is that of the time in which what follows was executed. */
static void take_period(struct ete_analyse *a, const uint64_t *says)
{
    const struct assay_timeline *timeline = a->program.timeline;
    if (timeline != NULL) {
        const bool has_after = says[ETE_CELL_period_after_known] != 0;
        const bool has_before = says[ETE_CELL_period_before_known] != 0;
        assay_image_select_moments(
            &a->program.cursor,
            assay_timeline_moments(timeline, has_after ? &says[ETE_CELL_period_after] : NULL,
                                   has_before ? &says[ETE_CELL_period_before] : NULL));
    }
}

/* How many instructions from an address on an IT before it can cover: an exception and a branch go
 * to where none does, an exception return can go to any place. */
static uint8_t covered_at(const struct ete_analyse *a, const struct ete_position *to)
{
    const struct ete_pending *p = &a->pending;
    const bool branched = p->kind == ETE_run && !a->gap && p->walk.p0 == ETE_P0_INDIRECT &&
                          !p->walk.is_return && (p->cells[ETE_RUN_FLAGS] >> TAKEN_BIT & 1) != 0 &&
                          (p->cells[ETE_RUN_FLAGS] >> BY_BIT & 3) != ETE_BY_Q;
    const bool same = a->known && a->at.address == to->address && a->at.is1 == to->is1;
    return branched || p->kind == ETE_exception_taken ? 0 : same ? a->at.covered : ETE_IT_MOST;
}

/* Of several addresses after a run the first one that the program contradicts is what is stated:
 * those after it do not make it true. */
static bool is_contradicted(const uint64_t *cells)
{
    const uint64_t both = UINT64_C(1) << STATED_BIT | UINT64_C(1) << COMPUTED_BIT;
    return (cells[ETE_RUN_FLAGS] & both) == both &&
           cells[ETE_RUN_STATED] != cells[ETE_RUN_COMPUTED];
}

/* Whether the position was lost in a Q element, as which instructions it has depends on conditional
 * branches: an address that follows says where these led. */
static bool is_open_q(const struct ete_pending *p)
{
    return p->kind == ETE_sync_lost && p->cells[ETE_Q_LEFT] != 0 && p->cells[ETE_LOST_SKIPPED] == 0;
}

/* A further address after an event, in place of the one that is stated: those above have the first
 * one, too. */
static void keep_first_stated(uint64_t *cells, unsigned stated)
{
    if (ete_has(cells[ETE_RUN_FLAGS], STATED_BIT) &&
        !ete_has(cells[ETE_RUN_FLAGS], SEVERAL_STATED_BIT)) {
        cells[ETE_FIRST_STATED] = cells[stated];
        cells[ETE_RUN_FLAGS] |= UINT64_C(1) << SEVERAL_STATED_BIT |
                                (cells[ETE_RUN_FLAGS] >> STATED_IS1_BIT & 1) << FIRST_IS1_BIT;
    }
}

/* And of a Q that can lead to several places one that is not the first, as any of them can be
 * wrong. */
static void keep_other_stated(uint64_t *cells, const struct ete_position *to)
{
    const bool several = ete_has(cells[ETE_RUN_FLAGS], SEVERAL_STATED_BIT);
    if (several && !ete_has(cells[ETE_RUN_FLAGS], OTHER_STATED_BIT) &&
        to->address != cells[ETE_FIRST_STATED]) {
        cells[ETE_RUN_FLAGS] |= UINT64_C(1) << OTHER_STATED_BIT;
        cells[ETE_OTHER_STATED] = to->address;
    }
}

static void state_end_of_q(uint64_t *cells, const struct ete_position *to)
{
    keep_first_stated(cells, ETE_LOST_STATED);
    keep_other_stated(cells, to);
    cells[ETE_LOST_FLAGS] &= ~(UINT64_C(1) << STATED_IS1_BIT);
    cells[ETE_LOST_FLAGS] |= UINT64_C(1) << STATED_BIT | (uint64_t)to->is1 << STATED_IS1_BIT;
    cells[ETE_LOST_STATED] = to->address;
}

/* Whether an address says where the pending event led: of several the first one that the program
 * contradicts counts, and none after elements that could not be followed. */
static bool follows(const struct ete_pending *p)
{
    const bool run = p->kind == ETE_run;
    return (run || p->kind == ETE_exception_taken) &&
           !ete_has(p->cells[ETE_RUN_FLAGS], SKIPPED_BIT) && !(run && is_contradicted(p->cells));
}

/* It also says where the run or exception before it went. */
static void analyze_target_address(struct ete_analyse *a, const uint64_t *says)
{
    struct ete_pending *p = &a->pending;
    const bool unknown = says[ETE_CELL_resolved_target_address_unknown] != 0;
    struct ete_position to = {.address = says[ETE_CELL_resolved_target_address_address],
                              .is1 = says[ETE_CELL_resolved_target_address_is1] != 0};
    to.covered = covered_at(a, &to);
    if (a->gap && a->known && (a->at.address != to.address || a->at.is1 != to.is1)) {
        doubt_target(a); /* the Trace On can be of the way that the branch did not take */
    }
    a->at = to;
    a->known = !unknown;
    ete_mask_position(a);
    a->from_stack = false;
    if (a->known && is_open_q(p)) {
        state_end_of_q(p->cells, &a->at);
    }
    if (a->known && !a->gap && follows(p)) {
        keep_first_stated(p->cells, ETE_RUN_STATED);
        if (ete_has(p->cells[ETE_RUN_FLAGS], OPEN_Q_BIT)) {
            keep_other_stated(p->cells, &a->at);
        }
        p->cells[ETE_RUN_FLAGS] &= ~(UINT64_C(7) << GOES_BIT | UINT64_C(1) << STATED_IS1_BIT);
        p->cells[ETE_RUN_FLAGS] |= (uint64_t)ETE_GOES_STATED << GOES_BIT |
                                   UINT64_C(1) << STATED_BIT |
                                   (uint64_t)a->at.is1 << STATED_IS1_BIT;
        p->cells[ETE_RUN_STATED] = a->at.address;
    }
    a->at.address = to.address; /* with all bits, as the context can follow */
}

/* K10.5.5.11. Ignored after a Q element, and for an atom that could not be followed. What came
 * after the branch is of the way that was not executed, a Trace On and the address after it as
 * well: without a P0 element after these no Cancel takes them back. */
static void analyze_mispredict(struct ete_analyse *a)
{
    if (a->pending.kind == ETE_run && (a->pending.cells[ETE_RUN_FLAGS] >> BY_BIT & 3) != ETE_BY_Q) {
        a->pending.cells[ETE_RUN_FLAGS] ^= UINT64_C(1) << TAKEN_BIT;
        a->pending.cells[ETE_RUN_FLAGS] |= UINT64_C(1) << MISPREDICTED_BIT;
        const bool waits = a->gap && !a->known; /* for the address after the Trace On */
        a->pending.has_info = false;            /* the session of the branch goes on */
        ete_go_on(a, &a->pending.walk, a->pending.cells);
        a->gap = waits;
        if (waits) {
            a->known = a->from_stack = false;
        }
    } else if (a->pending.kind != ETE_run && a->pending.kind != ETE_exception_taken) {
        a->known = false; /* of a branch that was not followed, or before the begin of the stream */
    }
}

/* What a Discard can have kept from being corrected (K10.5.5.13): whether a conditional P0
 * instruction was taken, and where an indirect one led. Of those in a Q no element says whether
 * they were taken. */
static bool is_correctable(uint64_t facts)
{
    const bool by_q = (facts >> BY_BIT & 3) == ETE_BY_Q;
    return is_led(facts) || (!by_q && (facts >> CONDITIONAL_BIT & 1) != 0);
}

/* A Mispredict of the last branch can be missing. */
static void doubt_last(struct ete_analyse *a)
{
    if (a->pending.kind == ETE_run && is_correctable(a->pending.cells[ETE_RUN_FLAGS])) {
        a->pending.cells[ETE_RUN_FLAGS] |= UINT64_C(1) << UNCERTAIN_BIT;
    }
}

/* Discard, Overflow, and lost packets, among which anything can have been, so that the program does
 * not say where the last run led. What corrects it takes a gap after it back, too. */
static void analyze_discard(struct ete_analyse *a, const struct assay_event *element,
                            enum ete_lost reason)
{
    const bool loss = reason == ETE_LOST_LOSS;
    if (a->pending.kind == ETE_run && loss) {
        a->pending.cells[ETE_RUN_FLAGS] &= ~(UINT64_C(1) << COMPUTED_BIT);
        a->pending.cells[ETE_RUN_FLAGS] |= UINT64_C(1) << UNCERTAIN_BIT;
    } else if (loss && is_open_q(&a->pending)) {
        a->pending.cells[ETE_LOST_FLAGS] &= ~(UINT64_C(1) << STATED_BIT);
    } else {
        doubt_last(a);
    }
    if (a->gap) {
        settle_gap(a);
    }
    ete_lose(a, element, reason, 0);
    a->pending.cells[ETE_LOST_FLAGS] |= (uint64_t)a->loses << LOSES_BIT;
    a->loses = false;
    a->has_context = false;
}

/* An element without an effect of its own comes after the pending event. After a Trace On that is
 * not output yet it says nothing of that. */
static void add_aside(struct ete_analyse *a, const struct assay_event *element, enum ete_kind kind)
{
    const unsigned bit = 1U << (kind - ETE_path_trace_info);
    if (a->pending.kind != 0 && !a->gap && (a->pending.asides & bit) == 0) {
        uint64_t *cells = assay_step_cells(&a->base, assay_step_add(&a->base, kind, element));
        a->pending.asides |= bit;
        if (kind == ETE_path_transaction_start) {
            a->pending.started = cells;
        }
    }
}

/* What follows the TSTART was undone, or is not resolved. */
static void take_undone(struct ete_analyse *a, uint64_t atoms)
{
    if (a->pending.kind == ETE_run && a->known && a->pending.walk.p0 == ETE_P0_TSTART && !a->gap &&
        a->pending.started != NULL) {
        a->pending.started[ETE_UNDONE_ATOMS] = atoms;
    }
}

static bool follow(struct ete_analyse *a, const struct assay_event *element,
                   bool (*how)(struct ete_analyse *, const struct assay_event *))
{
    if (!a->following && !ete_is_in_sync(a, element)) {
        skip(a, element, 1);
        return true;
    }
    return how(a, element);
}

/* Atom after atom. Each adds an event, the last of a step up to two. */
static bool analyze_atoms(struct ete_analyse *a, const struct assay_event *element)
{
    const uint64_t count = element->cells[ETE_CELL_resolved_atoms_atoms];
    const uint64_t taken = element->cells[ETE_CELL_resolved_atoms_taken];
    ete_follow_cached(a, element);
    for (; a->atom < count; a->atom++) {
        if (!a->following && !ete_is_in_sync(a, element)) {
            skip(a, element, count - a->atom);
            break;
        }
        if (!ete_analyze_atom(a, element, (taken >> a->atom & 1) != 0)) {
            return false;
        }
    }
    a->atom = 0;
    return true;
}

/* An element that stands for no instruction: what it changes. */
static void take(struct ete_analyse *a, const struct assay_event *element)
{
    switch (element->kind) {
    case ETE_period:
        take_period(a, element->cells);
        break;
    case ETE_resolved_context:
        analyze_context(a, element->cells);
        break;
    case ETE_resolved_target_address:
        analyze_target_address(a, element->cells);
        break;
    case ETE_resolved_mispredict:
        analyze_mispredict(a);
        break;
    case ETE_resolved_transaction_start:
        add_aside(a, element, ETE_path_transaction_start);
        break;
    case ETE_resolved_transaction_commit:
        add_aside(a, element, ETE_path_transaction_commit);
        break;
    case ETE_resolved_trace_info:
        add_aside(a, element, ETE_path_trace_info);
        analyze_trace_info(a);
        a->stack.recent = 0;
        break;
    case ETE_resolved_trace_on:
        analyze_trace_on(a, element);
        break;
    case ETE_unresolved:
        a->loses = true;
        take_undone(a, element->cells[ETE_UNDONE_UNRESOLVED]);
        break;
    case ETE_resolved_transaction_failure:
        if (ends_transaction(element)) {
            take_undone(a, element->cells[ETE_UNDONE_BY_FAILURE]);
            ete_lose(a, element, ETE_LOST_FAILURE, 0);
        }
        break;
    case ETE_resolved_discard:
        analyze_discard(a, element, ETE_LOST_DISCARD);
        break;
    case ETE_resolved_overflow:
        analyze_discard(a, element, ETE_LOST_OVERFLOW);
        break;
    case ETE_resolved_loss:
        analyze_discard(a, element, ETE_LOST_LOSS);
        break;
    default:
        break;
    }
}

/* P0 elements are followed through the program. */
static bool step(struct assay_step_stage *stage, const struct assay_event *element)
{
    struct ete_analyse *a = (struct ete_analyse *)stage;
    a->offset = element->offset;
    if (a->gap && settles_gap(element)) {
        settle_gap(a);
    }
    switch (element->kind) {
    case ETE_resolved_atoms:
        return analyze_atoms(a, element);
    case ETE_resolved_source_address:
        return follow(a, element, ete_analyze_source_address);
    case ETE_resolved_q:
        return follow(a, element, ete_analyze_q);
    case ETE_resolved_exception:
        if (element->cells[ETE_CELL_resolved_exception_type] == ETE_TYPE_PE_RESET) {
            add_aside(a, element, ETE_path_reset);
        }
        return ete_analyze_exception(a, element);
    default:
        take(a, element);
        return true;
    }
}

/* Whether the stream is stated to begin and end where its trace does. */
static bool is_whole(const struct assay_parameter_values *values)
{
    return values->known[ETE_WHOLE] && values->value[ETE_WHOLE] != 0;
}

/* The Mispredict of the last atom can be in what is cut off at the end. */
static void doubt_end(struct ete_analyse *a)
{
    if (a->pending.kind == ETE_run && !is_whole(a->values) &&
        (a->pending.cells[ETE_RUN_FLAGS] >> BY_BIT & 3) == ETE_BY_ATOM) {
        a->pending.cells[ETE_RUN_FLAGS] |= UINT64_C(1) << UNCERTAIN_BIT;
        doubt_last(a);
    }
}

static bool finish(struct assay_step_stage *stage)
{
    struct ete_analyse *a = (struct ete_analyse *)stage;
    forget_addresses(a);
    if (a->gap) {
        settle_gap(a);
    }
    doubt_end(a);
    ete_flush(a);
    assay_step_add(stage, ETE_trace_end, NULL)->offset = a->offset;
    return true;
}

static bool complete(const struct assay_stage *stage, const char **why)
{
    const struct ete_analyse *a = (const struct ete_analyse *)stage;
    *why = a->why[0] != '\0' ? a->why : NULL;
    return *why == NULL;
}

static void close_analyse(struct assay_stage *stage)
{
    struct ete_analyse *a = (struct ete_analyse *)stage;
    ete_program_close(&a->program);
    assay_step_close(stage);
}

static enum assay_error next_block(struct assay_stage *stage, struct assay_block *block,
                                   struct assay_diag *diag)
{
    return assay_step_next_by(stage, block, diag, step);
}

struct assay_stage *ete_analyse_open(const struct assay_decode_input *input,
                                     struct assay_history *resolved)
{
    static const struct assay_stage_ops ops = {
        .take = assay_step_take, .next = next_block, .complete = complete, .close = close_analyse};
    const struct assay_step_setup setup = {.ops = &ops,
                                           .layer = ETE_INSTRUCTION,
                                           .below = resolved,
                                           .cells = ETE_INSTRUCTION_CELLS,
                                           .most = ADDED_MOST,
                                           .lead = input->lead,
                                           .step = step,
                                           .finish = finish};
    struct ete_analyse *a = assay_step_open(sizeof *a, &setup);
    if (a == NULL) {
        return NULL;
    }
    a->values = input->parameters;
    a->contexts = 1;
    a->then = &a->first;
    a->stack.enabled = (a->values->value[ETE_TRCCONFIGR] >> ETE_RETURN_STACK_BIT & 1) != 0;
    assay_image_cursor_open(&a->shown, input->images);
    if (ete_program_open(&a->program, input, CACHE_ENTRIES, sizeof(struct ete_cached_walk)) !=
        ASSAY_OK) {
        close_analyse(&a->base.base);
        return NULL;
    }
    return &a->base.base;
}
