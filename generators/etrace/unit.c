/* The algorithm of figure 8.1: which packet an instruction makes due. */
#include <stdlib.h>
#include <string.h>

#include "generators/etrace/unit_private.h"

/* --- what an instruction is --- */

static bool is_branch(const struct etrace_ingress *i)
{
    return i->itype == ETRACE_ITYPE_TAKEN || i->itype == ETRACE_ITYPE_NOT_TAKEN;
}

static bool is_trap(const struct etrace_ingress *i)
{
    return i->itype == ETRACE_ITYPE_EXCEPTION || i->itype == ETRACE_ITYPE_INTERRUPT;
}

static bool is_call(const struct etrace_ingress *i)
{
    return i->itype == ETRACE_ITYPE_CALL || i->itype == ETRACE_ITYPE_INFERABLE_CALL;
}

/* A jump or a return from a trap whose target the program does not give. */
static bool is_uninferable(const struct etrace_ingress *i)
{
    switch (i->itype) {
    case ETRACE_ITYPE_XRET:
    case ETRACE_ITYPE_UNINFERABLE:
    case ETRACE_ITYPE_CALL:
    case ETRACE_ITYPE_TAIL_CALL:
    case ETRACE_ITYPE_SWAP:
    case ETRACE_ITYPE_RETURN:
    case ETRACE_ITYPE_JUMP:
        return true;
    default:
        return false;
    }
}

/* The privilege level, or a context that is to be reported precisely, is another one than before
 * (table 4.4). */
static bool changes_precisely(const struct etrace_unit *u, const struct etrace_ingress *from,
                              const struct etrace_ingress *to)
{
    const bool precise = to->ctype == ETRACE_CTYPE_PRECISE ||
                         (to->ctype == ETRACE_CTYPE_DISCONTINUITY &&
                          u->layout[ETRACE_WIRE] >= ETRACE_2_0); /* chapter 9 of 2.0 */
    return from->priv != to->priv || (precise && from->context != to->context);
}

/* A context that is reported as a trap is. */
static bool is_discontinuity(const struct etrace_unit *u, const struct etrace_ingress *from,
                             const struct etrace_ingress *to)
{
    return to->ctype == ETRACE_CTYPE_DISCONTINUITY && from->context != to->context &&
           u->layout[ETRACE_WIRE] < ETRACE_2_0;
}

/* --- what the previous instruction leaves to the current one --- */

/* A return goes where the stack says, or it has to be reported (3.2.5). */
static void follow_return(struct etrace_unit *u)
{
    const bool counts = u->layout[ETRACE_RETURN_STACK_SIZE] == 0;
    u->depth = u->calls.depth;
    const uint64_t predicted = etrace_calls_pop(&u->calls);
    u->returned = counts || predicted == u->current.iaddr;
    u->strayed += predicted != u->current.iaddr && counts;
    u->mispredicted = !u->returned;
    u->discontinuity = u->mispredicted;
    if (u->returned) {
        u->inferred[u->depth] = 1 + u->unreported.count;
        u->passed_return = true;
    }
    u->returns_since_call = true;
    u->branches_since_return = false;
}

/* Whether the current instruction is a return that does not go where the stack says. */
static bool mispredicts(const struct etrace_unit *u, const struct etrace_ingress *next)
{
    const struct etrace_ingress *c = &u->current;
    return c->itype == ETRACE_ITYPE_RETURN && etrace_unit_is_on(u, ETRACE_IMPLICIT_RETURN) &&
           !(c->sijump && u->has_previous && etrace_unit_is_on(u, ETRACE_SIJUMP)) &&
           u->calls.depth > 0 && u->layout[ETRACE_RETURN_STACK_SIZE] > 0 &&
           etrace_calls_top(&u->calls) != next->iaddr;
}

static void follow_previous(struct etrace_unit *u)
{
    const struct etrace_ingress *p = &u->previous;
    u->discontinuity = u->returned = u->mispredicted = false;
    if (!u->has_previous || u->trapped) {
        return;
    }
    if (p->sijump && u->in_sequence && etrace_unit_is_on(u, ETRACE_SIJUMP) && is_uninferable(p)) {
        u->discontinuity = false;
    } else if (p->itype == ETRACE_ITYPE_RETURN && etrace_unit_is_on(u, ETRACE_IMPLICIT_RETURN) &&
               u->calls.depth > 0) {
        follow_return(u);
    } else {
        u->discontinuity = is_uninferable(p);
    }
    if (is_call(p) && etrace_unit_is_on(u, ETRACE_IMPLICIT_RETURN)) {
        etrace_calls_push(&u->calls, p->iaddr + p->size);
        u->returns_since_call = false;
    }
}

/* --- branches --- */

/* The outcome of the current instruction, if it is a branch. A packet of format 3 reports it by
 * itself. */
static void take_branch(struct etrace_unit *u)
{
    const bool taken = u->current.itype == ETRACE_ITYPE_TAKEN;
    const bool predicts = etrace_unit_is_on(u, ETRACE_BRANCH_PREDICTION);
    const bool correct = predicts && etrace_predict(&u->predictor, u->current.iaddr) == taken;
    struct etrace_unreported *r = &u->unreported;
    if (predicts) {
        etrace_learn(&u->predictor, u->current.iaddr, taken);
    }
    u->branches_since_return = true;
    if (!correct && !r->mispredicted && r->count >= ETRACE_FULL_MAP) {
        r->failed = true; /* it is not counted */
        return;
    }
    if (r->count < ETRACE_FULL_MAP) {
        r->map |= (uint32_t)!taken << r->count;
    }
    r->count++;
    r->mispredicted = r->mispredicted || !correct;
}

/* Branches have to be reported even without an address (8.1). */
static bool is_full(const struct etrace_unit *u)
{
    const struct etrace_unreported *r = &u->unreported;
    return r->failed || (r->count >= ETRACE_FULL_MAP && r->mispredicted);
}

/* --- the figure --- */

static bool is_first(const struct etrace_unit *u)
{
    return !u->has_previous;
}

static bool counts_resync(const struct etrace_unit *u)
{
    return u->setup.resync != ETRACE_RESYNC_OFF;
}

/* What follows the current instruction makes its address due. */
static bool is_last(const struct etrace_unit *u, const struct etrace_ingress *next)
{
    return next == NULL || next->unqualified || !next->retires ||
           is_discontinuity(u, &u->current, next);
}

/* A synchronisation packet is due for the current instruction. */
static bool is_start_due(const struct etrace_unit *u)
{
    const bool expired = counts_resync(u) && u->resync > u->setup.max_resync;
    return is_first(u) || u->start_due || changes_precisely(u, &u->previous, &u->current) ||
           expired;
}

/* Before a packet of format 3 for the next instruction the current one is to be reported: outcomes
 * wait, or a decoder could not tell which of several places with the next address is meant. It can
 * where the privilege level changes. */
static bool has_unreported(const struct etrace_unit *u, const struct etrace_ingress *next)
{
    const struct etrace_ingress *c = &u->current;
    const bool doubtful =
        u->unsettled || u->passed_return || (is_uninferable(c) && c->priv == next->priv);
    return u->unreported.count > 0 || u->unreported.failed || (doubtful && !u->setup.literal);
}

/* If a packet is sent for the current instruction, one of format 3 follows for the next: the count
 * is then beyond its maximum. */
static bool expires(const struct etrace_unit *u, const struct etrace_ingress *next)
{
    const uint64_t more = u->setup.resync == ETRACE_RESYNC_HALF_WORDS ? next->size / 2 : 1;
    return counts_resync(u) && u->resync + more > u->setup.max_resync;
}

static void make_packet(struct etrace_unit *u, const struct etrace_ingress *next)
{
    const struct etrace_ingress *c = &u->current;
    const bool ends = next == NULL || next->unqualified;
    const bool last = is_last(u, next);
    const bool trap = is_trap(c); /* it retires, and a trap follows */
    const bool start = is_start_due(u);
    /* After a return that was mispredicted the decoder would be where the stack says. */
    u->start_due = start && !u->trapped && u->mispredicted;
    const bool goes_on = !last && !mispredicts(u, next);
    const bool changes = goes_on && changes_precisely(u, c, next);
    const bool due = goes_on && (u->start_due || expires(u, next));
    const struct etrace_reason reason = {.target = u->discontinuity,
                                         .notified = c->notify && !u->discontinuity,
                                         .last = trap || changes || due || (last && !ends),
                                         .ends = ends};
    if (u->trapped) {
        etrace_unit_report_trap(u);
    } else if (start && !u->mispredicted) {
        etrace_unit_synchronise(u);
    } else if (u->discontinuity || trap || c->notify || last ||
               ((due || changes) && has_unreported(u, next))) {
        etrace_unit_report_address(u, &reason);
    } else if (is_full(u)) {
        etrace_unit_report_branches(u);
    } else if (u->context_due) {
        etrace_unit_report_context(u);
    }
}

/* Nothing retires with a trap: the next instruction is that of the handler. Of an exception at the
 * target of an uninferable discontinuity no program says the address: 2.0 has it reported by
 * itself, and the handler by a packet of subformat 0 (7.3.1). So is a trap before the first
 * instruction of whose handler another one comes. */
static void take_trap(struct etrace_unit *u)
{
    const bool new = u->layout[ETRACE_WIRE] >= ETRACE_2_0 && !u->setup.literal;
    if (new && u->trapped) {
        etrace_unit_report_alone(u);
    }
    u->trap = u->current;
    if (new && u->current.itype == ETRACE_ITYPE_EXCEPTION && u->has_previous && !u->trapped) {
        follow_previous(u);
        if (u->discontinuity) {
            etrace_unit_report_alone(u);
            u->previous = u->current;
            u->start_due = true;
            u->discontinuity = false;
            return;
        }
    }
    u->trapped = u->trapped || u->has_previous;
}

/* The instruction whose successor is known; null: there is none. */
static void process(struct etrace_unit *u, const struct etrace_ingress *next)
{
    const struct etrace_ingress current = u->current;
    if (!u->has_current) {
        return;
    }
    u->resync += u->setup.resync == ETRACE_RESYNC_CYCLES;
    if (!current.retires) {
        take_trap(u);
        return;
    }
    if (current.unqualified) {
        u->has_previous = u->trapped = false;
        return;
    }
    u->flagged = false;
    follow_previous(u);
    const bool async = u->has_previous && is_discontinuity(u, &u->previous, &current);
    u->trapped = u->trapped || async;
    u->context_due = (u->context_due || current.ctype == ETRACE_CTYPE_IMPRECISE) &&
                     current.context != u->context;
    if (is_branch(&current)) {
        take_branch(u);
    }
    if (u->setup.resync == ETRACE_RESYNC_HALF_WORDS) {
        u->resync += current.size / 2;
    }
    make_packet(u, next);
    u->in_sequence = u->has_previous && !u->trapped;
    u->trapped = is_trap(&current);
    u->trap = current;
    u->previous = current;
    u->has_previous = true;
}

/* After the last instruction that is traced: whether its packet would have been sent anyway. */
static void end(struct etrace_unit *u, bool enable)
{
    const bool anyway = u->discontinuity && !u->flagged; /* with updiscon ended_rep (6.5.1) */
    etrace_unit_support(u, enable,
                        !u->has_previous ? ETRACE_NO_CHANGE
                        : anyway         ? ETRACE_ENDED_UPD
                                         : ETRACE_ENDED_REP);
    u->has_previous = u->trapped = false;
}

/* By the control registers. */
static void qualify(struct etrace_unit *u, struct etrace_ingress *record)
{
    const struct etrace_filtered block = {.address = {record->iaddr},
                                          .addresses = record->retires,
                                          .exact = true,
                                          .retires = record->retires,
                                          .typed = true,
                                          .has_context = true,
                                          .has_impdef = true,
                                          .has_trigger = true,
                                          .itype = record->itype,
                                          .cause = record->cause,
                                          .tval = record->tval,
                                          .priv = record->priv,
                                          .context = record->context,
                                          .impdef = record->impdef,
                                          .trigger = record->trigger};
    const struct etrace_qualified q = etrace_qualify(&u->qualifier, &block);
    record->unqualified = record->unqualified || (record->retires && q.qualifies != ETRACE_YES);
    record->notify = record->notify || q.watched == ETRACE_YES;
}

static void take(struct etrace_unit *u, const struct etrace_ingress *record)
{
    process(u, record);
    if (record->unqualified && u->has_current && u->has_previous) {
        end(u, true);
    }
    u->current = *record;
    u->has_current = true;
}

bool etrace_unit_put(struct etrace_unit *u, const struct etrace_ingress *record)
{
    struct etrace_ingress qualified = *record;
    if (u->setup.filters) {
        qualify(u, &qualified);
    }
    take(u, &qualified);
    return !qualified.unqualified;
}

void etrace_unit_pause(struct etrace_unit *u)
{
    take(u, &(struct etrace_ingress){.retires = true, .unqualified = true});
    etrace_qualifier_halt(&u->qualifier);
}

void etrace_unit_stop(struct etrace_unit *u, bool disabled)
{
    process(u, NULL);
    u->has_current = false;
    if (u->has_previous || disabled) {
        end(u, !disabled);
    }
}

void etrace_unit_lose(struct etrace_unit *u)
{
    etrace_unit_support(u, true, ETRACE_TRACE_LOST);
    u->has_previous = u->trapped = false;
}

uint64_t etrace_unit_ambiguous(const struct etrace_unit *u)
{
    return u->ambiguous;
}

uint64_t etrace_unit_strayed(const struct etrace_unit *u)
{
    return u->strayed;
}

void etrace_unit_start(struct etrace_unit *u)
{
    etrace_unit_support(u, true, ETRACE_NO_CHANGE);
}

/* --- memory --- */

struct etrace_unit *etrace_unit_open(const struct etrace_unit_setup *setup)
{
    struct etrace_unit *u = calloc(1, sizeof *u);
    if (u == NULL) {
        return NULL;
    }
    u->setup = *setup;
    etrace_layout(setup->values, u->layout);
    if (u->layout[ETRACE_CACHED_TARGETS] == ETRACE_CACHED_UNKNOWN) {
        u->layout[ETRACE_CACHED_TARGETS] = ETRACE_CACHED_JUMPS;
    }
    if (setup->filters) {
        etrace_qualifier_open(&u->qualifier, setup->values);
    }
    bool opened = etrace_predictor_open(&u->predictor, (unsigned)u->layout[ETRACE_BPRED_SIZE],
                                        (unsigned)u->layout[ETRACE_IADDRESS_LSB]);
    opened = etrace_calls_open(&u->calls, u->layout) && opened;
    u->inferred = calloc((size_t)u->calls.most + 1, sizeof *u->inferred);
    opened = opened && u->inferred != NULL;
    opened = etrace_targets_open(&u->targets, u->layout) && opened;
    if (!opened) {
        etrace_unit_close(u);
        return NULL;
    }
    return u;
}

void etrace_unit_close(struct etrace_unit *u)
{
    etrace_predictor_close(&u->predictor);
    etrace_calls_close(&u->calls);
    etrace_targets_close(&u->targets);
    free(u->inferred);
    free(u);
}
