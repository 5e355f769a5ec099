/* Claims of packets: what they say of the record at no sure place.
 *
 * Contexts and causes of traps can be anywhere in it: a context can be reported long after it
 * changed, and tracing can begin with any trap.
 *
 * Packets of format 3 also give the level or the context of an instruction, and of a trap its
 * cause, value and handler. The path is at the first place that it can be at, so that the record
 * has them there or later, if the packets are right. */
#include "etrace/ingress/ingress.h"

#include <string.h>

#include "etrace/path/path.h"

/* --- values of the record --- */

static struct etrace_value *slot_of(struct etrace_values *values, uint64_t value)
{
    const uint64_t multiplier = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t at = value * multiplier >> 32;
    struct etrace_value *slot = &values->slot[at % ETRACE_VALUE_SLOTS];
    while (slot->count > 0 && slot->value != value) {
        slot = &values->slot[++at % ETRACE_VALUE_SLOTS];
    }
    return slot;
}

static void count_value(struct etrace_values *values, uint64_t value, bool reportable)
{
    struct etrace_value *slot = slot_of(values, value);
    values->total++;
    if (slot->count == 0 && values->used == ETRACE_VALUES_MOST) {
        values->full = true;
        return;
    }
    values->used += slot->count == 0;
    slot->value = value;
    slot->count++;
    slot->reportable += reportable;
}

/* A cause, with `interrupt` in bit 0. */
static uint64_t cause_of(uint64_t cause, bool interrupt)
{
    return cause << 1 | interrupt;
}

static bool has_a_context(const struct etrace_block *block)
{
    return etrace_block_retires(block) || etrace_block_traps(block);
}

/* Whether ctype says to report the context of the block; of the first one that can have been due
 * before the record begins. */
static bool is_reportable(const struct etrace_ingress_stage *s)
{
    return etrace_block_retires(&s->reader.block) &&
           (s->reader.block.signal[ETRACE_SIGNAL_CTYPE] != 0 || s->blocks == 0);
}

static uint64_t cause_of_block(const struct etrace_block *block)
{
    return cause_of(block->signal[ETRACE_SIGNAL_CAUSE],
                    block->signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_INTERRUPT);
}

static void count_block(struct etrace_ingress_stage *s)
{
    const struct etrace_block *block = &s->reader.block;
    if (has_a_context(block)) {
        count_value(&s->contexts, block->signal[ETRACE_SIGNAL_CONTEXT], is_reportable(s));
    }
    if (etrace_block_traps(block)) {
        count_value(&s->causes, cause_of_block(block), false);
    }
    s->reportable += etrace_block_retires(block) && block->signal[ETRACE_SIGNAL_CTYPE] != 0;
}

/* --- whether a block is as a packet says --- */

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
static bool leads_to(const struct etrace_ingress_stage *s, const struct etrace_claim_key *key)
{
    return !key->has_handler || !s->reader.has_next ||
           (etrace_block_retires(&s->reader.next)
                ? s->reader.next.signal[ETRACE_SIGNAL_IADDR] == key->address
                : !s->reports_both);
}

static bool has_trap(const struct etrace_ingress_stage *s, const struct etrace_claim_key *key)
{
    const struct etrace_block *b = &s->reader.block;
    const bool interrupt = b->signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_INTERRUPT;
    return etrace_block_traps(b) &&
           (!etrace_block_has(b, ETRACE_SIGNAL_ITYPE) || interrupt == key->interrupt) &&
           (!etrace_block_has(b, ETRACE_SIGNAL_CAUSE) ||
            b->signal[ETRACE_SIGNAL_CAUSE] == key->cause) &&
           (!key->has_value || !etrace_block_has(b, ETRACE_SIGNAL_TVAL) ||
            b->signal[ETRACE_SIGNAL_TVAL] == key->value) &&
           leads_to(s, key);
}

/* A packet of a trap can be that of a change of context instead (table 4.4). */
static bool discontinues(const struct etrace_ingress_stage *s, uint64_t address)
{
    return etrace_block_retires(&s->reader.block) &&
           s->reader.block.signal[ETRACE_SIGNAL_CTYPE] == ETRACE_CTYPE_DISCONTINUITY &&
           s->reader.block.signal[ETRACE_SIGNAL_IADDR] == address;
}

/* Whether the block has what the claim is about. */
static bool occurs(const struct etrace_ingress_stage *s, const struct etrace_claim_key *key)
{
    switch (key->of) {
    case ETRACE_CLAIM_LEVEL:
    case ETRACE_CLAIM_CONTEXT:
        return has_instruction(s, key->address);
    case ETRACE_CLAIM_ANY_CONTEXT:
        return has_a_context(&s->reader.block);
    default:
        return etrace_block_traps(&s->reader.block);
    }
}

static bool matches(const struct etrace_ingress_stage *s, const struct etrace_claim_key *key)
{
    const struct etrace_block *block = &s->reader.block;
    switch (key->of) {
    case ETRACE_CLAIM_LEVEL:
        return has_instruction(s, key->address) && has_level(block, key->value);
    case ETRACE_CLAIM_CONTEXT:
        return has_instruction(s, key->address) && has_context(block, key->value);
    case ETRACE_CLAIM_TRAP:
        return has_trap(s, key) || (key->has_handler && discontinues(s, key->address));
    case ETRACE_CLAIM_ANY_CONTEXT:
        return has_a_context(block) && block->signal[ETRACE_SIGNAL_CONTEXT] == key->value;
    default:
        return etrace_block_traps(block) &&
               cause_of_block(block) == cause_of(key->cause, key->interrupt);
    }
}

/* --- claims that are undecided --- */

static bool is_decided(const struct etrace_ingress_stage *s, const struct etrace_claim *claim)
{
    return claim->matching > 0 && (!claim->key.imprecise || !s->has_ctype || claim->reportable > 0);
}

void etrace_ingress_take_block(struct etrace_ingress_stage *s)
{
    struct etrace_claims *c = &s->claims;
    for (uint32_t n = 0; n < c->count; n++) {
        struct etrace_claim *claim = &c->claim[n];
        if (claim->decided) {
            continue;
        }
        const bool matching = matches(s, &claim->key);
        claim->occurrences += matching || occurs(s, &claim->key);
        claim->matching += matching;
        claim->reportable += matching && is_reportable(s);
        claim->decided = is_decided(s, claim);
        c->undecided -= claim->decided;
    }
    count_block(s);
}

/* --- making one --- */

static bool is_of_value(const struct etrace_claim_key *key)
{
    return key->of >= ETRACE_CLAIM_ANY_CONTEXT;
}

static bool says_same(const struct etrace_claim_key *a, const struct etrace_claim_key *b)
{
    return a->of == b->of && a->address == b->address && a->value == b->value &&
           a->cause == b->cause && a->interrupt == b->interrupt &&
           a->has_handler == b->has_handler && a->has_value == b->has_value &&
           a->imprecise == b->imprecise;
}

/* What the record has of a value so far. */
static void count_so_far(struct etrace_ingress_stage *s, struct etrace_claim *claim)
{
    const struct etrace_claim_key *key = &claim->key;
    const bool is_context = key->of == ETRACE_CLAIM_ANY_CONTEXT;
    struct etrace_values *values = is_context ? &s->contexts : &s->causes;
    const struct etrace_value *value =
        slot_of(values, is_context ? key->value : cause_of(key->cause, key->interrupt));
    claim->occurrences = values->total;
    claim->matching = value->count;
    claim->reportable = value->reportable;
    claim->partial = values->full && value->count == 0;
}

/* The one that says the same and is undecided: what decides it decides both. */
static struct etrace_claim *find_same(struct etrace_claims *c, const struct etrace_claim_key *key)
{
    for (uint32_t n = 0; n < c->count; n++) {
        if (!c->claim[n].decided && says_same(&c->claim[n].key, key)) {
            return &c->claim[n];
        }
    }
    return NULL;
}

static void claim(struct etrace_ingress_stage *s, const struct assay_event *event,
                  const struct etrace_claim_key *key)
{
    struct etrace_claims *c = &s->claims;
    struct etrace_claim made = {
        .key = *key, .event = event->index, .line = s->reader.block.line, .packets = 1};
    struct etrace_claim *same = find_same(c, key);
    if (same != NULL) {
        same->packets++;
        return;
    }
    if (is_of_value(key)) {
        count_so_far(s, &made);
    } else {
        made.occurrences = made.matching = matches(s, key);
    }
    made.decided = is_decided(s, &made);
    if (c->count == ETRACE_CLAIMS_ROOM || (!made.decided && c->undecided == ETRACE_CLAIMS_MOST)) {
        c->dropped++;
        return;
    }
    c->undecided += !made.decided;
    c->claim[c->count++] = made;
}

void etrace_ingress_claim_context(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    if ((s->reader.block.given >> ETRACE_SIGNAL_CONTEXT & 1) != 0) {
        claim(s, run,
              &(struct etrace_claim_key){.of = ETRACE_CLAIM_ANY_CONTEXT,
                                         .value = run->cells[ETRACE_RUN_CONTEXT],
                                         .imprecise = true});
    }
}

void etrace_ingress_claim_context_of_trap(struct etrace_ingress_stage *s,
                                          const struct assay_event *trap)
{
    if ((s->reader.block.given >> ETRACE_SIGNAL_CONTEXT & 1) != 0) {
        claim(s, trap,
              &(struct etrace_claim_key){.of = ETRACE_CLAIM_ANY_CONTEXT,
                                         .value = trap->cells[ETRACE_RUN_CONTEXT]});
    }
}

void etrace_ingress_claim_cause(struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    if (!s->infers_traps) {
        claim(s, trap,
              &(struct etrace_claim_key){
                  .of = ETRACE_CLAIM_ANY_CAUSE,
                  .cause = trap->cells[ETRACE_TRAP_CAUSE],
                  .interrupt = (trap->cells[ETRACE_RUN_FLAGS] >> INTERRUPT_BIT & 1) != 0});
    }
}

void etrace_ingress_claim_place(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    claim(s, run,
          &(struct etrace_claim_key){
              .of = ETRACE_CLAIM_LEVEL, .address = s->pc, .value = s->privilege});
    claim(s, run,
          &(struct etrace_claim_key){
              .of = ETRACE_CLAIM_CONTEXT, .address = s->pc, .value = s->context});
}

/* The packet has the value of the trap. */
static bool has_value(const struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    const bool interrupt = (trap->cells[ETRACE_RUN_FLAGS] >> INTERRUPT_BIT & 1) != 0;
    return s->reports_both ? !interrupt : interrupt || trap->cells[ETRACE_TRAP_CAUSE] != ILLEGAL;
}

void etrace_ingress_claim_trap(struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    if (s->infers_traps || (s->blocks == 0 && !etrace_qualifier_is_fresh(&s->qualifier))) {
        return; /* the record can begin with the handler */
    }
    claim(s, trap,
          &(struct etrace_claim_key){
              .of = ETRACE_CLAIM_TRAP,
              .has_handler = (trap->cells[ETRACE_RUN_FLAGS] >> HANDLER_BIT & 1) != 0,
              .address = trap->cells[ETRACE_RUN_ADDRESS],
              .interrupt = (trap->cells[ETRACE_RUN_FLAGS] >> INTERRUPT_BIT & 1) != 0,
              .cause = trap->cells[ETRACE_TRAP_CAUSE],
              .has_value = has_value(s, trap),
              .value = trap->cells[ETRACE_TRAP_TVAL]});
}

/* --- events --- */

/* Whether the record has the context or the cause of a claim nowhere, by another claim. */
static bool is_foreign(const struct etrace_ingress_stage *s, const struct etrace_claim_key *key)
{
    for (uint32_t n = 0; n < s->claims.count; n++) {
        const struct etrace_claim *other = &s->claims.claim[n];
        const bool same_context = key->of == ETRACE_CLAIM_CONTEXT &&
                                  other->key.of == ETRACE_CLAIM_ANY_CONTEXT &&
                                  other->key.value == key->value;
        const bool same_cause =
            key->of == ETRACE_CLAIM_TRAP && other->key.of == ETRACE_CLAIM_ANY_CAUSE &&
            other->key.cause == key->cause && other->key.interrupt == key->interrupt;
        if ((same_context || same_cause) && other->matching == 0 && !other->partial) {
            return true;
        }
    }
    return false;
}

static void add_claim(struct etrace_ingress_stage *s, const struct etrace_claim *claim)
{
    const struct etrace_claim_key *key = &claim->key;
    const struct assay_event *event = assay_history_find(s->base.setup.below, claim->event);
    uint64_t *cells = assay_step_cells(&s->base, assay_step_add(&s->base, ETRACE_claim, event));
    const bool traps = key->of == ETRACE_CLAIM_TRAP;
    cells[ETRACE_CELL_claim_about] = key->of;
    cells[ETRACE_CELL_claim_line] = claim->line;
    cells[ETRACE_CELL_claim_packets] = claim->packets;
    cells[ETRACE_CELL_claim_address] = key->address;
    cells[ETRACE_CELL_claim_privilege] = key->of == ETRACE_CLAIM_LEVEL ? key->value : 0;
    cells[ETRACE_CELL_claim_context] = key->of == ETRACE_CLAIM_CONTEXT ? key->value : 0;
    cells[ETRACE_CELL_claim_tval] = traps ? key->value : 0;
    cells[ETRACE_CELL_claim_cause] = key->cause;
    cells[ETRACE_CELL_claim_interrupt] = key->interrupt;
    cells[ETRACE_CELL_claim_occurrences] = claim->occurrences;
    cells[ETRACE_CELL_claim_matching] = claim->matching;
    cells[ETRACE_CELL_claim_foreign] = !claim->decided && is_foreign(s, key);
    cells[ETRACE_CELL_claim_beyond] = s->beyond;
    cells[ETRACE_CELL_claim_lost] = s->lost;
    cells[ETRACE_CELL_claim_gaps] = s->part.broken;
    cells[ETRACE_CELL_claim_unplaced] = s->given_up;
}

static void add_value(struct etrace_ingress_stage *s, const struct etrace_claim *claim)
{
    const struct etrace_claim_key *key = &claim->key;
    const struct assay_event *event = assay_history_find(s->base.setup.below, claim->event);
    uint64_t *cells =
        assay_step_cells(&s->base, assay_step_add(&s->base, ETRACE_claimed_value, event));
    cells[ETRACE_CELL_claimed_value_about] = key->of - ETRACE_CLAIM_ANY_CONTEXT;
    cells[ETRACE_CELL_claimed_value_line] = claim->line;
    cells[ETRACE_CELL_claimed_value_packets] = claim->packets;
    cells[ETRACE_CELL_claimed_value_context] = key->value;
    cells[ETRACE_CELL_claimed_value_cause] = key->cause;
    cells[ETRACE_CELL_claimed_value_interrupt] = key->interrupt;
    cells[ETRACE_CELL_claimed_value_imprecise] = key->imprecise;
    cells[ETRACE_CELL_claimed_value_has_ctype] = s->has_ctype;
    cells[ETRACE_CELL_claimed_value_occurrences] = claim->occurrences;
    cells[ETRACE_CELL_claimed_value_matching] = claim->matching;
    cells[ETRACE_CELL_claimed_value_reportable] = claim->reportable;
    cells[ETRACE_CELL_claimed_value_beyond] = s->beyond;
    s->claims.unreportable += key->imprecise && claim->reportable == 0;
}

/* The next one that gets an event: one that is decided; at the end of the record also any other,
 * but values last, as other claims depend on them. */
static uint32_t next_of(const struct etrace_claims *c, bool ended)
{
    uint32_t value = c->count;
    for (uint32_t n = 0; n < c->count; n++) {
        if (c->claim[n].decided || (ended && !is_of_value(&c->claim[n].key))) {
            return n;
        }
        value = value == c->count && ended ? n : value;
    }
    return value;
}

bool etrace_ingress_add_claim(struct etrace_ingress_stage *s, bool ended)
{
    struct etrace_claims *c = &s->claims;
    if (c->count == 0 || (!ended && c->undecided == c->count)) {
        return false;
    }
    const uint32_t n = next_of(c, ended);
    const struct etrace_claim next = c->claim[n];
    if (is_of_value(&next.key) && !next.decided && next.partial) {
        c->dropped++;
    } else if (is_of_value(&next.key)) {
        add_value(s, &next);
    } else {
        add_claim(s, &next);
    }
    c->undecided -= !next.decided;
    c->count--;
    memmove(&c->claim[n], &c->claim[n + 1], (c->count - n) * sizeof *c->claim);
    return true;
}
