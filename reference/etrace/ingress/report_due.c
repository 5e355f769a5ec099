/* What a packet that reports an instruction is due for: what chapter 8 has the encoder send it for.
 * That may be known only when the next one comes. */
#include "etrace/ingress/ingress.h"

#include <string.h>

#include "etrace/ingress/run_fields.h"

/* Of the last instruction of the block. */
static enum etrace_due due_of_last(const struct etrace_ingress_stage *s)
{
    const uint64_t *signal = s->reader.block.signal;
    const bool watched =
        s->qualified.watched == ETRACE_YES ||
        (s->qualified.watched == ETRACE_UNKNOWN && etrace_qualifier_compares(&s->qualifier));
    if (watched || (signal[ETRACE_SIGNAL_TRIGGER] & ETRACE_TRIGGER_NOTIFY) != 0) {
        return ETRACE_DUE_NOTIFIED;
    }
    if (etrace_block_traps(&s->reader.block) ||
        (s->reader.has_next && !etrace_block_retires(&s->reader.next))) {
        return ETRACE_DUE_BEFORE_TRAP;
    }
    if (!s->reader.has_next || s->reader.before_next.halts) {
        return ETRACE_DUE_BEFORE_END;
    }
    return s->reader.next.signal[ETRACE_SIGNAL_PRIV] != signal[ETRACE_SIGNAL_PRIV] ||
                   etrace_block_changes_context(&s->reader.next, signal[ETRACE_SIGNAL_CONTEXT])
               ? ETRACE_DUE_BEFORE_CHANGE
               : ETRACE_DUE_NOT;
}

static bool flags_notify(const struct assay_event *run)
{
    switch (etrace_run_packet(run)) {
    case ETRACE_diff_delta:
        return run->from->cells[ETRACE_CELL_diff_delta_notify] != 0;
    case ETRACE_addr_only:
        return run->from->cells[ETRACE_CELL_addr_only_notify] != 0;
    case ETRACE_branch_count:
        return run->from->cells[ETRACE_CELL_branch_count_notify] != 0;
    default:
        return false;
    }
}

/* Of the last instruction of a run. `privilege`: of the instruction before it. */
static enum etrace_due due_of(const struct etrace_ingress_stage *s, const struct assay_event *run,
                              bool last, uint64_t privilege)
{
    const enum etrace_stopped stopped = etrace_run_stopped(run);
    if (etrace_run_packet(run) == ETRACE_start) {
        const bool changes = privilege != s->privilege ||
                             (s->position == 0 && etrace_block_changes_context(
                                                      &s->reader.block, s->reader.context_before));
        return changes ? ETRACE_DUE_CHANGE : ETRACE_DUE_RESYNC;
    }
    if (stopped == ETRACE_AT_TARGET) {
        return ETRACE_DUE_TARGET;
    }
    if (stopped == ETRACE_AT_BRANCH) {
        return ETRACE_DUE_BRANCHES;
    }
    return flags_notify(run) ? ETRACE_DUE_NOTIFIED : last ? due_of_last(s) : ETRACE_DUE_NOT;
}

void etrace_ingress_settle(struct etrace_ingress_stage *s, enum etrace_due otherwise)
{
    struct etrace_pending *p = &s->pending;
    if (!p->waits) {
        return;
    }
    const struct assay_event *run = assay_history_find(s->base.setup.below, p->run);
    uint64_t *cells = assay_step_cells(&s->base, assay_step_add(&s->base, ETRACE_report, run));
    memcpy(cells, p->cells, sizeof p->cells);
    if (cells[ETRACE_CELL_report_cause] == ETRACE_DUE_NOT) {
        cells[ETRACE_CELL_report_cause] = otherwise;
    }
    p->waits = false;
}

void etrace_ingress_report_due(struct etrace_ingress_stage *s, const struct assay_event *run,
                               bool last, uint64_t privilege)
{
    const bool starts = etrace_run_packet(run) == ETRACE_start;
    const bool directly = s->pending.after <= 1;
    etrace_ingress_settle(s, starts && directly ? ETRACE_DUE_BEFORE_SYNC : ETRACE_DUE_NOT);
    s->pending = (struct etrace_pending){.waits = true,
                                         .has_address = etrace_run_stopped(run) != ETRACE_AT_BRANCH,
                                         .run = run->index,
                                         .packet = run->from != NULL ? run->from->index : 0};
    uint64_t *cells = s->pending.cells;
    cells[ETRACE_CELL_report_line] = s->reader.block.line;
    cells[ETRACE_CELL_report_address] = s->pc;
    cells[ETRACE_CELL_report_cause] = due_of(s, run, last, privilege);
    cells[ETRACE_CELL_report_synchronises] = starts;
    cells[ETRACE_CELL_report_notify] = flags_notify(run);
    cells[ETRACE_CELL_report_requested] =
        last && (s->reader.block.signal[ETRACE_SIGNAL_TRIGGER] & ETRACE_TRIGGER_NOTIFY) != 0;
    cells[ETRACE_CELL_report_sure] = s->placed;
    cells[ETRACE_CELL_report_has_trigger] =
        (s->reader.block.given >> ETRACE_SIGNAL_TRIGGER & 1) != 0;
    cells[ETRACE_CELL_report_watched] = last ? s->qualified.watched : ETRACE_NO;
    cells[ETRACE_CELL_report_repeats] = flags_notify(run) && etrace_block_loops(&s->reader, s->pc);
}

/* An address can be that of a later occurrence, where the path comes in a second pass: then it was
 * the target there. Where the path ends there (6.5.1), the run at hand is the report. */
void etrace_ingress_reconsider_report(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    struct etrace_pending *p = &s->pending;
    const bool ends =
        etrace_run_stopped(run) == ETRACE_AT_TARGET && etrace_run_packet(run) == ETRACE_support;
    if (p->waits && etrace_run_entered(run) == ETRACE_BY_REPORT &&
        (ends || etrace_run_stopped(run) != ETRACE_AT_TARGET) &&
        run->cells[ETRACE_RUN_ADDRESS] == p->cells[ETRACE_CELL_report_address] &&
        run->from != NULL && run->from->index != p->packet) {
        p->cells[ETRACE_CELL_report_cause] = ETRACE_DUE_TARGET;
        p->waits = !ends;
    }
}

/* What a packet that reports an instruction is due for can be said by a later report of that on the
 * interface. */
void etrace_ingress_repeat_report(struct etrace_ingress_stage *s)
{
    struct etrace_pending *p = &s->pending;
    const bool requested =
        (s->reader.block.signal[ETRACE_SIGNAL_TRIGGER] & ETRACE_TRIGGER_NOTIFY) != 0;
    if (!p->waits || p->after != 0) {
        return;
    }
    if (p->cells[ETRACE_CELL_report_cause] == ETRACE_DUE_NOT) {
        p->cells[ETRACE_CELL_report_cause] = due_of_last(s);
    }
    p->cells[ETRACE_CELL_report_requested] |= requested;
    s->reported = p->has_address;
}
