/* Control registers on the record of the interface: which blocks are to be traced, and what of that
 * the packets say. */
#include "etrace/facts/facts.h"
#include "etrace/ingress/ingress.h"
#include "etrace/interface/qualify.h"

#include "etrace/path/path.h"

enum { HALF = 2, STATUS_BITS = 3 };

void etrace_ingress_configure(struct etrace_ingress_stage *s,
                              const struct assay_parameter_values *values)
{
    etrace_qualifier_open(&s->qualifier, values);
    s->configured = etrace_control_count(values) > 0 || etrace_qualifier_is_fresh(&s->qualifier);
    s->off.known = etrace_qualifier_is_fresh(&s->qualifier);
}

/* --- blocks --- */

/* Without the program an instruction can begin at each half-word. */
static void find_addresses(struct etrace_ingress_stage *s, struct etrace_filtered *f)
{
    const uint64_t first = s->reader.block.signal[ETRACE_SIGNAL_IADDR];
    const uint64_t bytes = s->reader.facts.last + HALF - first;
    uint64_t at = 0;
    f->exact = s->reader.facts.fits;
    while (at < bytes && f->addresses < ETRACE_ADDRESSES_MOST) {
        const uint64_t size = f->exact ? etrace_instruction_at(&s->reader.cursor, first + at,
                                                               &s->reader.reading.program)
                                             .size
                                       : 0;
        f->address[f->addresses++] = first + at;
        at += size > 0 ? size : HALF;
    }
    f->addresses = at < bytes ? 0 : f->addresses;
}

/* All members, but for the addresses that there are not. */
static void fill(struct etrace_ingress_stage *s, struct etrace_filtered *f)
{
    const struct etrace_block *b = &s->reader.block;
    f->addresses = 0;
    f->exact = false;
    f->without_priv = !etrace_block_has(b, ETRACE_SIGNAL_PRIV);
    f->has_dtype = f->has_dsize = f->has_daddr = false;
    f->dtype = f->dsize = f->daddr = 0;
    const bool traps = etrace_block_traps(b);
    const bool typed = etrace_block_has(b, ETRACE_SIGNAL_ITYPE) &&
                       (!traps || etrace_block_has(b, ETRACE_SIGNAL_CAUSE));
    f->retires = etrace_block_retires(b);
    f->typed = typed || (!traps && s->reader.facts.has_itype);
    f->itype = typed || traps ? b->signal[ETRACE_SIGNAL_ITYPE] : s->reader.facts.itype;
    f->cause = b->signal[ETRACE_SIGNAL_CAUSE];
    f->tval = b->signal[ETRACE_SIGNAL_TVAL];
    f->has_tval = traps && etrace_block_has(b, ETRACE_SIGNAL_TVAL);
    f->priv = b->signal[ETRACE_SIGNAL_PRIV];
    f->context = b->signal[ETRACE_SIGNAL_CONTEXT];
    f->has_context = etrace_block_has(b, ETRACE_SIGNAL_CONTEXT);
    f->impdef = b->signal[ETRACE_SIGNAL_IMPDEF];
    f->has_impdef = etrace_block_has(b, ETRACE_SIGNAL_IMPDEF);
    f->trigger = b->signal[ETRACE_SIGNAL_TRIGGER];
    f->has_trigger = etrace_block_has(b, ETRACE_SIGNAL_TRIGGER);
    if (f->retires) {
        find_addresses(s, f);
    }
}

void etrace_ingress_qualify(struct etrace_ingress_stage *s)
{
    struct etrace_filtered f;
    s->qualified =
        (struct etrace_qualified){ETRACE_UNKNOWN, ETRACE_UNKNOWN, ETRACE_UNKNOWN, ETRACE_UNKNOWN};
    if (!s->configured) {
        return;
    }
    if (s->reader.before.halts) {
        etrace_qualifier_halt(&s->qualifier);
    }
    if (s->reader.before.pulses) {
        s->qualifier.enabled = ETRACE_UNKNOWN;
    }
    fill(s, &f);
    s->qualified = etrace_qualify(&s->qualifier, &f);
}

/* --- ends and beginnings --- */

void etrace_ingress_end(struct etrace_ingress_stage *s, const struct assay_event *end)
{
    const uint64_t status = end->cells[ETRACE_RUN_FLAGS] & STATUS_BITS;
    const bool unqualified = end->kind == ETRACE_path_end &&
                             (status == ETRACE_ENDED_REP || status == ETRACE_ENDED_UPD) &&
                             (end->cells[ETRACE_RUN_FLAGS] >> ENABLE_BIT & 1) != 0;
    /* In a loop that leaves nothing in the trace the last iteration can be a later one. */
    const bool known = unqualified && s->aligned && s->placed &&
                       !etrace_block_loops(&s->reader, end->cells[ETRACE_RUN_ADDRESS]);
    s->off = (struct etrace_unqualified){
        .directly = known, .known = known, .halted = s->reader.before.halts};
}

/* The packet before it is the one that ended the path, or at the beginning of a record of an
 * encoder that was reset the one that enables it. Else the encoder can have been switched in
 * between. */
static bool follows_directly(const struct etrace_ingress_stage *s, const struct assay_event *begin)
{
    return s->off.known && (begin->cells[ETRACE_RUN_FLAGS] >> RESYNCHRONISED_BIT & 1) == 0;
}

void etrace_ingress_begin_search(struct etrace_ingress_stage *s, const struct assay_event *begin)
{
    const bool follows = follows_directly(s, begin);
    s->off.still = follows;
    s->off.certain = follows;
    s->off.trapped = false;
    s->off.line = 0;
    if (!follows && s->qualifier.enabled == ETRACE_NO) {
        s->qualifier.enabled = ETRACE_UNKNOWN;
    }
    if (!follows && s->qualified.qualifies == ETRACE_NO && s->qualified.matches != ETRACE_NO) {
        s->qualified.enabled = s->qualified.qualifies = ETRACE_UNKNOWN;
    }
}
