/* What packets say at no sure place of the record.
 *
 * Contexts and causes of traps are sought in all of it: a context can be reported long after it
 * changed, and tracing can begin with any trap.
 *
 * Claims are what packets of format 3 say: a level or a context of an instruction, and of a trap
 * its cause, value and handler. The path is at the first place that it can be at, so that the
 * record has them there or later, if the packets are right. */
#include "etrace/ingress/ingress.h"

#include "etrace/path/path.h"

/* --- values anywhere in the record --- */

static bool has(const struct etrace_sought *sought, uint64_t value)
{
    for (uint32_t i = 0; i < sought->count; i++) {
        if (sought->had[i] == value) {
            return true;
        }
    }
    return false;
}

static void have(struct etrace_sought *sought, uint64_t value)
{
    sought->lacks = sought->lacks && value != sought->value;
    if (has(sought, value)) {
        return;
    }
    sought->many = sought->count == ETRACE_SOUGHT_MOST;
    if (!sought->many) {
        sought->had[sought->count++] = value;
    }
}

static void seek(struct etrace_sought *sought, uint64_t value)
{
    if (!sought->lacks && !sought->many && !has(sought, value)) {
        sought->lacks = true;
        sought->value = value;
    }
}

void etrace_ingress_have(struct etrace_ingress_stage *s)
{
    const uint64_t *signal = s->reader.block.signal;
    if (etrace_block_retires(&s->reader.block)) {
        have(&s->contexts, signal[ETRACE_SIGNAL_CONTEXT]);
        s->reportable += signal[ETRACE_SIGNAL_CTYPE] != 0;
        if (signal[ETRACE_SIGNAL_CTYPE] != 0 || s->blocks == 0) {
            have(&s->changes, signal[ETRACE_SIGNAL_CONTEXT]);
        }
    }
    if (etrace_block_traps(&s->reader.block)) {
        have(&s->contexts, signal[ETRACE_SIGNAL_CONTEXT]);
    }
    if (etrace_block_traps(&s->reader.block) && !s->untold) {
        have(&s->causes, signal[ETRACE_SIGNAL_CAUSE] << 1 |
                             (signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_INTERRUPT));
    }
}

void etrace_ingress_seek_context(struct etrace_ingress_stage *s, uint64_t context)
{
    if ((s->reader.block.given >> ETRACE_SIGNAL_CONTEXT & 1) != 0) {
        seek(&s->contexts, context);
        seek(&s->changes, context);
    }
}

void etrace_ingress_seek_context_of_trap(struct etrace_ingress_stage *s,
                                         const struct assay_event *trap)
{
    if ((s->reader.block.given >> ETRACE_SIGNAL_CONTEXT & 1) != 0) {
        seek(&s->contexts, trap->cells[CONTEXT]);
    }
}

void etrace_ingress_seek_trap(struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    seek(&s->causes, trap->cells[CAUSE] << 1 | (trap->cells[FACTS] >> INTERRUPT_BIT & 1));
}

/* --- claims: what the record has --- */

enum { ILLEGAL = 2 /* a cause */, GUESTS = 5 /* codes of VU and VS above those of U and S */ };

static bool has_instruction(const struct etrace_ingress_stage *s, uint64_t address)
{
    return etrace_block_retires(&s->reader.block) &&
           address - s->reader.block.signal[ETRACE_SIGNAL_IADDR] < s->reader.facts.bytes;
}

/* A log does not say whether a guest runs. */
static bool has_level(const struct etrace_block *block, uint64_t level)
{
    const uint64_t priv = block->signal[ETRACE_SIGNAL_PRIV];
    return !etrace_block_has(block, ETRACE_SIGNAL_PRIV) || priv == level ||
           (block->logged && priv + GUESTS == level);
}

static bool has_context(const struct etrace_block *block, uint64_t context)
{
    return !etrace_block_has(block, ETRACE_SIGNAL_CONTEXT) ||
           block->signal[ETRACE_SIGNAL_CONTEXT] == context;
}

/* In version 1.1.1 a trap can be reported whose handler does not come to its first instruction. */
static bool leads_to(const struct etrace_ingress_stage *s, const struct etrace_claim *claim)
{
    return !claim->has_handler || !s->reader.has_next ||
           (etrace_block_retires(&s->reader.next)
                ? s->reader.next.signal[ETRACE_SIGNAL_IADDR] == claim->address
                : !s->reports_both);
}

static bool has_trap(const struct etrace_ingress_stage *s, const struct etrace_claim *claim)
{
    const struct etrace_block *b = &s->reader.block;
    const bool interrupt = b->signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_INTERRUPT;
    return etrace_block_traps(b) &&
           (!etrace_block_has(b, ETRACE_SIGNAL_ITYPE) || interrupt == claim->interrupt) &&
           (!etrace_block_has(b, ETRACE_SIGNAL_CAUSE) ||
            b->signal[ETRACE_SIGNAL_CAUSE] == claim->cause) &&
           (!claim->has_value || !etrace_block_has(b, ETRACE_SIGNAL_TVAL) ||
            b->signal[ETRACE_SIGNAL_TVAL] == claim->value) &&
           leads_to(s, claim);
}

/* A packet of a trap can be that of a change of context instead (table 4.4). */
static bool discontinues(const struct etrace_ingress_stage *s, uint64_t address)
{
    return etrace_block_retires(&s->reader.block) &&
           s->reader.block.signal[ETRACE_SIGNAL_CTYPE] == ETRACE_CTYPE_DISCONTINUITY &&
           s->reader.block.signal[ETRACE_SIGNAL_IADDR] == address;
}

static bool meets(const struct etrace_ingress_stage *s, const struct etrace_claim *claim)
{
    switch (claim->of) {
    case ETRACE_CLAIM_LEVEL:
        return has_instruction(s, claim->address) && has_level(&s->reader.block, claim->value);
    case ETRACE_CLAIM_CONTEXT:
        return has_instruction(s, claim->address) && has_context(&s->reader.block, claim->value);
    default:
        return has_trap(s, claim) || (claim->has_handler && discontinues(s, claim->address));
    }
}

/* --- claims --- */

void etrace_ingress_meet(struct etrace_ingress_stage *s)
{
    struct etrace_claims *c = &s->claims;
    uint32_t left = 0;
    for (uint32_t n = 0; n < c->count; n++) {
        if (!meets(s, &c->claim[n])) {
            c->claim[left++] = c->claim[n];
        }
    }
    c->count = left;
}

static void claim(struct etrace_ingress_stage *s, const struct etrace_claim *what)
{
    struct etrace_claims *c = &s->claims;
    if (c->count < ETRACE_CLAIMS_MOST && !meets(s, what)) {
        c->claim[c->count++] = *what;
    }
}

void etrace_ingress_claim_place(struct etrace_ingress_stage *s)
{
    claim(s, &(struct etrace_claim){
                 .of = ETRACE_CLAIM_LEVEL, .address = s->pc, .value = s->privilege});
    claim(s, &(struct etrace_claim){
                 .of = ETRACE_CLAIM_CONTEXT, .address = s->pc, .value = s->context});
}

/* The packet has the value of the trap. */
static bool has_value(const struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    const bool interrupt = (trap->cells[FACTS] >> INTERRUPT_BIT & 1) != 0;
    return s->reports_both ? !interrupt : interrupt || trap->cells[CAUSE] != ILLEGAL;
}

void etrace_ingress_claim_trap(struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    if (s->untold || (s->blocks == 0 && !etrace_qualifier_is_fresh(&s->qualifier))) {
        return; /* the record can begin with the handler */
    }
    claim(s, &(struct etrace_claim){.of = ETRACE_CLAIM_TRAP,
                                    .has_handler = (trap->cells[FACTS] >> HANDLER_BIT & 1) != 0,
                                    .address = trap->cells[ADDRESS],
                                    .interrupt = (trap->cells[FACTS] >> INTERRUPT_BIT & 1) != 0,
                                    .cause = trap->cells[CAUSE],
                                    .has_value = has_value(s, trap),
                                    .value = trap->cells[TVAL]});
}

/* The first one that the record does not meet; null: there is none, or blocks are missing in it. */
static const struct etrace_claim *first_of(const struct etrace_ingress_stage *s,
                                           enum etrace_claim_kind of)
{
    for (uint32_t n = 0; n < s->claims.count && !s->part.broken; n++) {
        if (s->claims.claim[n].of == of) {
            return &s->claims.claim[n];
        }
    }
    return NULL;
}

void etrace_ingress_put_claims(const struct etrace_ingress_stage *s, uint64_t *cells)
{
    const struct etrace_claim *level = first_of(s, ETRACE_CLAIM_LEVEL);
    const struct etrace_claim *context = first_of(s, ETRACE_CLAIM_CONTEXT);
    const struct etrace_claim *trap = s->given_up ? NULL : first_of(s, ETRACE_CLAIM_TRAP);
    cells[ETRACE_CELL_ingress_end_level_nowhere] = level != NULL;
    cells[ETRACE_CELL_ingress_end_context_nowhere] = context != NULL;
    cells[ETRACE_CELL_ingress_end_trap_nowhere] = trap != NULL;
    if (level != NULL) {
        cells[ETRACE_CELL_ingress_end_level_at] = level->address;
        cells[ETRACE_CELL_ingress_end_level_there] = level->value;
    }
    if (context != NULL) {
        cells[ETRACE_CELL_ingress_end_context_at] = context->address;
        cells[ETRACE_CELL_ingress_end_context_there] = context->value;
    }
    if (trap != NULL) {
        cells[ETRACE_CELL_ingress_end_trap_cause] = trap->cause;
        cells[ETRACE_CELL_ingress_end_trap_value] = trap->value;
    }
}
