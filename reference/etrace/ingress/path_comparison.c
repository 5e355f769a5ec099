/* The record of the interface and the path by the packets, compared instruction by instruction. */
#include "etrace/ingress/ingress.h"

#include <string.h>

#include "etrace/path/path.h"

enum { NIBBLE = 0xf, STOPS = 7, OUTCOMES = 3, PRECISE = ETRACE_CTYPE_PRECISE };

/* --- runs --- */

static enum etrace_stopped stopped_of(const struct assay_event *run)
{
    return (enum etrace_stopped)(run->cells[FACTS] >> STOPPED_BIT & STOPS);
}

static enum etrace_entered entered_of(const struct assay_event *run)
{
    return (enum etrace_entered)(run->cells[FACTS] >> ENTERED_BIT & NIBBLE);
}

static enum etrace_outcome outcome_of(const struct assay_event *run)
{
    return (enum etrace_outcome)(run->cells[FACTS] >> OUTCOME_BIT & OUTCOMES);
}

static unsigned packet_of(const struct assay_event *run)
{
    return run->from != NULL ? run->from->kind : (unsigned)ETRACE_end;
}

static bool is_last_of(const struct etrace_ingress_stage *s, const struct assay_event *run)
{
    return s->at + 1 == (uint32_t)run->cells[COUNT];
}

/* Packets give the level and the context of the instruction that they report; before it the old
 * ones hold. */
static void take_place(struct etrace_ingress_stage *s, const struct assay_event *run, bool last)
{
    const bool starts = packet_of(run) == ETRACE_start && stopped_of(run) != ETRACE_GOES_ON;
    if (starts && !last) {
        return;
    }
    s->privilege = run->cells[FACTS] & NIBBLE;
    if (run->cells[CONTEXT] != s->context && !starts && entered_of(run) < ETRACE_BY_SYNC) {
        etrace_ingress_seek_context(s, run->cells[CONTEXT]);
    }
    s->context = run->cells[CONTEXT];
    if (starts && (run->from->cells[ASSAY_CELL_PRESENCE] >> ETRACE_NUMBER_start_context & 1) != 0) {
        s->context = run->from->cells[ETRACE_CELL_start_context];
    }
}

/* --- what reports are due for --- */

bool etrace_ingress_changes_context(const struct etrace_block *block, uint64_t before)
{
    return block->signal[ETRACE_SIGNAL_CTYPE] >= PRECISE &&
           block->signal[ETRACE_SIGNAL_CONTEXT] != before;
}

/* Of the last instruction of the block. */
static enum etrace_due due_of_last(const struct etrace_ingress_stage *s)
{
    const uint64_t *signal = s->block.signal;
    const bool watched =
        s->qualified.watched == ETRACE_YES ||
        (s->qualified.watched == ETRACE_UNKNOWN && etrace_qualifier_compares(&s->qualifier));
    if (watched || (signal[ETRACE_SIGNAL_TRIGGER] & ETRACE_TRIGGER_NOTIFY) != 0) {
        return ETRACE_DUE_NOTIFIED;
    }
    if (etrace_block_traps(&s->block) || (s->has_next && !etrace_block_retires(&s->next))) {
        return ETRACE_DUE_BEFORE_TRAP;
    }
    if (!s->has_next || s->before_next.halts) {
        return ETRACE_DUE_BEFORE_END;
    }
    return s->next.signal[ETRACE_SIGNAL_PRIV] != signal[ETRACE_SIGNAL_PRIV] ||
                   etrace_ingress_changes_context(&s->next, signal[ETRACE_SIGNAL_CONTEXT])
               ? ETRACE_DUE_BEFORE_CHANGE
               : ETRACE_DUE_NOT;
}

static bool flags_notify(const struct assay_event *run)
{
    switch (packet_of(run)) {
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
    const enum etrace_stopped stopped = stopped_of(run);
    if (packet_of(run) == ETRACE_start) {
        const bool changes =
            privilege != s->privilege ||
            (s->position == 0 && etrace_ingress_changes_context(&s->block, s->context_before));
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

/* A packet reports the instruction at hand, the last one of a run and, if `last`, of the block. */
static void take_report(struct etrace_ingress_stage *s, const struct assay_event *run, bool last,
                        uint64_t privilege)
{
    const bool starts = packet_of(run) == ETRACE_start;
    const bool directly = s->pending.after <= 1;
    etrace_ingress_settle(s, starts && directly ? ETRACE_DUE_BEFORE_SYNC : ETRACE_DUE_NOT);
    s->pending = (struct etrace_pending){
        .waits = true, .run = run->index, .packet = run->from != NULL ? run->from->index : 0};
    uint64_t *cells = s->pending.cells;
    cells[ETRACE_CELL_report_line] = s->block.line;
    cells[ETRACE_CELL_report_address] = s->pc;
    cells[ETRACE_CELL_report_cause] = due_of(s, run, last, privilege);
    cells[ETRACE_CELL_report_has_address] = stopped_of(run) != ETRACE_AT_BRANCH;
    cells[ETRACE_CELL_report_synchronises] = starts;
    cells[ETRACE_CELL_report_notify] = flags_notify(run);
    cells[ETRACE_CELL_report_requested] =
        last && (s->block.signal[ETRACE_SIGNAL_TRIGGER] & ETRACE_TRIGGER_NOTIFY) != 0;
    cells[ETRACE_CELL_report_sure] = s->placed;
    cells[ETRACE_CELL_report_has_trigger] = (s->block.given >> ETRACE_SIGNAL_TRIGGER & 1) != 0;
    cells[ETRACE_CELL_report_watched] = last ? s->qualified.watched : ETRACE_NO;
    cells[ETRACE_CELL_report_repeats] = flags_notify(run) && etrace_ingress_loops(s, s->pc);
}

/* An address can be that of a later occurrence, where the path comes in a second pass: then it was
 * the target there. Where the path ends there (6.5.1), the run at hand is the report. */
static void reconsider_report(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    struct etrace_pending *p = &s->pending;
    const bool ends = stopped_of(run) == ETRACE_AT_TARGET && packet_of(run) == ETRACE_support;
    if (p->waits && entered_of(run) == ETRACE_BY_REPORT &&
        (ends || stopped_of(run) != ETRACE_AT_TARGET) &&
        run->cells[ADDRESS] == p->cells[ETRACE_CELL_report_address] && run->from != NULL &&
        run->from->index != p->packet) {
        p->cells[ETRACE_CELL_report_cause] = ETRACE_DUE_TARGET;
        p->waits = !ends;
    }
}

/* --- traps --- */

static void put_packet(const struct assay_event *packet, uint64_t *cells)
{
    if (packet == NULL) {
        return;
    }
    const uint64_t *says = packet->cells;
    const uint64_t presence = says[ASSAY_CELL_PRESENCE];
    cells[ETRACE_CELL_taken_trap_packet_thaddr] = says[ETRACE_CELL_exception_thaddr] != 0;
    cells[ETRACE_CELL_taken_trap_packet_privilege] = says[ETRACE_CELL_exception_privilege];
    cells[ETRACE_CELL_taken_trap_packet_address] = says[ETRACE_CELL_exception_address];
    cells[ETRACE_CELL_taken_trap_packet_has_address] =
        presence >> ETRACE_NUMBER_exception_address & 1;
}

/* True: what the path does not have before it are iterations of a loop that no trace can show. */
static bool add_trap(struct etrace_ingress_stage *s, const struct assay_event *event,
                     const struct assay_event *packet)
{
    uint64_t *cells =
        assay_step_cells(&s->base, assay_step_add(&s->base, ETRACE_taken_trap, event));
    bool again = false;
    if (s->trap.waits) {
        memcpy(cells, s->trap.cells, sizeof s->trap.cells);
    }
    cells[ETRACE_CELL_taken_trap_sure] = packet != NULL ? s->sure : s->placed;
    cells[ETRACE_CELL_taken_trap_reported] = packet != NULL;
    if (packet != NULL) {
        const uint64_t *says = packet->cells;
        cells[ETRACE_CELL_taken_trap_left_out] = s->skipped;
        cells[ETRACE_CELL_taken_trap_left_out_at] = s->skipped_at;
        again = s->skipped > 0 && !s->skipped_due && s->pending.after == 0 &&
                s->pending.cells[ETRACE_CELL_report_address] == s->skipped_last;
        cells[ETRACE_CELL_taken_trap_reported_again] = again;
        etrace_ingress_discount(s, again ? s->skipped_counted : 0);
        cells[ETRACE_CELL_taken_trap_packet_interrupt] = says[FACTS] >> INTERRUPT_BIT & 1;
        cells[ETRACE_CELL_taken_trap_packet_cause] = says[CAUSE];
        cells[ETRACE_CELL_taken_trap_packet_tval] = says[TVAL];
        cells[ETRACE_CELL_taken_trap_packet_handler] = says[ADDRESS];
        cells[ETRACE_CELL_taken_trap_packet_has_handler] = says[FACTS] >> HANDLER_BIT & 1;
        put_packet(packet->from, cells);
    }
    s->trap.waits = false;
    return again;
}

/* --- searching --- */

static void search(struct etrace_ingress_stage *s, const struct assay_event *event)
{
    const unsigned bit = event->kind == ETRACE_trap ? SECOND_TRAP_BIT : AFTER_TRAP_BIT;
    s->aligned = s->aligned || (s->handed && (event->cells[FACTS] >> bit & 1) != 0);
    s->handed = s->through = false;
    if (!s->aligned) {
        etrace_ingress_search(s, event);
    }
    s->skipped = s->skipped_counted = 0;
    s->skipped_due = false;
    s->sure = s->placed && s->aligned;
    s->placed = s->placed && (s->aligned || s->blocks == 0);
    s->skipped_at = s->block.signal[ETRACE_SIGNAL_IADDR] + s->position;
}

bool etrace_ingress_is_quiet(const struct etrace_ingress_stage *s, const struct etrace_block *block,
                             const struct etrace_block_facts *f, uint64_t context_before)
{
    const enum etrace_flow flow = (enum etrace_flow)f->instruction.flow;
    const bool inferred = f->sequential || (flow == ETRACE_FLOW_RETURN && s->infers_returns);
    return f->inner == 0 && !etrace_ingress_changes_context(block, context_before) &&
           (flow == ETRACE_FLOW_NONE || flow == ETRACE_FLOW_JUMP || flow == ETRACE_FLOW_TRAP ||
            inferred);
}

/* Notes that a block, if it retires, is not in the path. */
static void leave_out(struct etrace_ingress_stage *s)
{
    if (etrace_block_retires(&s->block)) {
        s->skipped_last = s->facts.last;
        s->skipped_due =
            s->skipped_due || !etrace_ingress_is_quiet(s, &s->block, &s->facts, s->context_before);
    }
}

static void skip(struct etrace_ingress_stage *s, const struct assay_event *event)
{
    s->skipped++;
    s->off.trapped =
        s->off.trapped || (etrace_block_traps(&s->block) && s->qualified.qualifies != ETRACE_NO);
    s->skipped_counted += etrace_block_retires(&s->block) && s->qualified.qualifies != ETRACE_NO;
    leave_out(s);
    s->placed = false;
    s->off.certain =
        s->off.certain && (!etrace_block_retires(&s->block) || s->qualified.qualifies == ETRACE_NO);
    etrace_ingress_pass(s, event, s->aligned ? ETRACE_LEFT_OUT : ETRACE_UNTRACED);
}

/* Whether the path that is searched can begin in the block; tracing begins where instructions
 * qualify. */
static bool begins_in(struct etrace_ingress_stage *s, uint64_t offset)
{
    if (!etrace_block_retires(&s->block) || offset >= s->facts.bytes) {
        return false;
    }
    if (s->qualified.qualifies == ETRACE_NO) {
        s->off.line = s->off.line != 0 ? s->off.line : s->block.line;
        return false;
    }
    return true;
}

/* The path that is searched begins there. */
static void begin_in_block(struct etrace_ingress_stage *s, uint64_t offset)
{
    s->position = offset;
    s->begins = s->off.certain && s->qualified.qualifies == ETRACE_YES;
    s->cut = s->begins && offset > 0;
    s->aligned = true;
    s->trap.waits = false;
    s->again.reports = 0;
    etrace_ingress_begin_part(s, NULL);
}

/* The path begins in the handler of a trap that the record has directly before it, on the first
 * instruction that was to be traced; no packet reports that. */
static void miss_trap(struct etrace_ingress_stage *s, const struct assay_event *event)
{
    s->placed = true; /* all before it were not to be traced */
    s->trap.waits = true;
    (void)add_trap(s, event, NULL);
}

/* Traps of the record that retire nothing follow what the path has passed. Where the handler of one
 * does not come to its first instruction, the last one counts in version 1.1.1, and each in 2.0. */
static bool pass_traps(struct etrace_ingress_stage *s, const struct assay_event *event)
{
    if (!s->aligned || !s->has_block || etrace_block_retires(&s->block)) {
        return false;
    }
    if (s->trap.waits && s->reports_both && etrace_block_traps(&s->block) &&
        s->qualified.qualifies != ETRACE_NO) {
        (void)add_trap(s, event, NULL);
    }
    etrace_ingress_pass(s, event, ETRACE_TRACED);
    return true;
}

/* Goes on to the block with an address. True when the search is over. */
static bool find_address(struct etrace_ingress_stage *s, const struct assay_event *event)
{
    const uint64_t address = event->cells[ADDRESS];
    if (!s->has_block) {
        s->lost_at = s->lost ? s->lost_at : address;
        s->lost_line = s->lost ? s->lost_line : s->off.line;
        s->lost = true;
        s->located = false;
        return true;
    }
    const uint64_t offset = address - s->block.signal[ETRACE_SIGNAL_IADDR];
    const bool begins = begins_in(s, offset);
    if (begins && s->missed && offset == 0 && s->qualified.qualifies == ETRACE_YES) {
        miss_trap(s, event);
    }
    s->missed = !begins && etrace_block_traps(&s->block) && etrace_ingress_is_first(s);
    if (s->missed) {
        etrace_ingress_take_trap(s);
    }
    if (begins) {
        begin_in_block(s, offset);
        return true;
    }
    skip(s, event);
    return false;
}

static bool has_handler(const struct assay_event *trap)
{
    return (trap->cells[FACTS] >> HANDLER_BIT & 1) != 0;
}

/* Whether the block ends in the trap of a packet. */
static bool leads_to(const struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    if (!etrace_block_traps(&s->block)) {
        return false;
    }
    if (!has_handler(trap)) {
        return !etrace_block_has(&s->block, ETRACE_SIGNAL_CAUSE) ||
               s->block.signal[ETRACE_SIGNAL_CAUSE] == trap->cells[CAUSE];
    }
    return !s->has_next || (etrace_block_retires(&s->next) &&
                            s->next.signal[ETRACE_SIGNAL_IADDR] == trap->cells[ADDRESS]);
}

/* A change of context can be reported as a trap is, which it is not (table 4.4). Where a trap waits
 * the packet is that of it. */
static bool discontinues(const struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    const uint64_t *signal = s->block.signal;
    return s->has_block && s->position == 0 && !s->trap.waits && has_handler(trap) &&
           signal[ETRACE_SIGNAL_CTYPE] == ETRACE_CTYPE_DISCONTINUITY &&
           etrace_ingress_changes_context(&s->block, s->context_before) &&
           signal[ETRACE_SIGNAL_IADDR] == trap->cells[ADDRESS];
}

/* The record begins with the handler, and with an encoder that was not reset before. */
static bool begins_in_handler(const struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    return s->blocks == 0 && has_handler(trap) && etrace_block_retires(&s->block) &&
           !etrace_qualifier_is_fresh(&s->qualifier) &&
           s->block.signal[ETRACE_SIGNAL_IADDR] == trap->cells[ADDRESS];
}

/* Goes on to the block before the handler. True when the search is over. */
static bool find_trap(struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    const bool was_aligned = s->aligned;
    if (s->aligned && s->skipped == 0 && s->trap.waits) {
        (void)add_trap(s, trap, trap);
        etrace_ingress_begin_part(s, trap);
        return true;
    }
    if (!s->has_block) {
        s->trap.waits = false;
        (void)add_trap(s, trap, trap);
        s->aligned = s->located = false;
        return true;
    }
    if (begins_in_handler(s, trap) || (!s->sure && s->blocks > 0 && discontinues(s, trap))) {
        s->placed = s->placed && s->blocks > 0;
        begin_in_block(s, 0);
        return true;
    }
    if (!leads_to(s, trap)) {
        skip(s, trap);
        return false;
    }
    /* What of the block retired is not in the path, or was not followed. */
    const bool retires = etrace_block_retires(&s->block);
    s->skipped += retires;
    leave_out(s);
    s->off.certain = s->off.certain && (!retires || s->qualified.qualifies == ETRACE_NO);
    s->placed = s->placed && !retires;
    s->aligned = true;
    if (!s->sure) {
        etrace_ingress_claim_trap(s, trap);
    }
    etrace_ingress_pass(s, trap, ETRACE_TRACED);
    s->skipped = was_aligned ? s->skipped : 0;
    const bool again = add_trap(s, trap, trap);
    etrace_ingress_begin_part(s, trap);
    s->placed = (again && s->sure) ||
                (s->placed && (s->sure || (!s->untold && s->part.pattern.trap == s->led)));
    if (!s->sure) {
        etrace_ingress_seek_trap(s, trap);
    }
    return true;
}

/* --- instructions --- */

/* A packet has another context than the instruction of the record that it reports. */
static void seek_context(struct etrace_ingress_stage *s, const struct assay_event *run,
                         bool reports)
{
    const bool differs = reports && s->placed && packet_of(run) == ETRACE_start &&
                         (s->block.given >> ETRACE_SIGNAL_CONTEXT & 1) != 0 &&
                         s->context != s->block.signal[ETRACE_SIGNAL_CONTEXT];
    if (differs && s->infers_returns) {
        etrace_ingress_report(s, 0);
    }
    s->placed = s->placed && !(differs && etrace_ingress_elsewhere(s, run, true));
}

/* The path has the instruction at hand, which the block has, too. */
static void match(struct etrace_ingress_stage *s, const struct assay_event *run, uint8_t size)
{
    const bool last_of_run = is_last_of(s, run);
    const bool last = s->position + size >= s->facts.bytes;
    const bool reports = last_of_run && stopped_of(run) != ETRACE_GOES_ON;
    const uint64_t privilege = s->privilege;
    const bool begins = entered_of(run) == ETRACE_BY_TRAP || entered_of(run) == ETRACE_BY_SYNC;
    if (s->off.certain && s->qualified.qualifies == ETRACE_YES) {
        s->placed = true; /* all before it were not to be traced */
        s->again.first = false;
    }
    s->off = (struct etrace_unqualified){.directly = false};
    take_place(s, run, last_of_run);
    if (s->position == 0) {
        s->continues = s->through;
        s->entered_by = s->at == 0 ? entered_of(run) : ETRACE_BY_SEQUENCE;
        s->mispredicted = s->at == 0 && (run->cells[FACTS] >> MISPREDICTED_BIT & 1) != 0;
    }
    s->through = true;
    s->pending.after++;
    s->located = true;
    seek_context(s, run, reports);
    if (reports && !begins) {
        take_report(s, run, last, privilege);
    }
    if (reports && (begins || packet_of(run) == ETRACE_start)) {
        s->synchronises = true;
        s->reported_context = s->context;
        if (!s->placed) {
            etrace_ingress_claim_place(s);
        }
    }
    s->addressed = reports && stopped_of(run) != ETRACE_AT_BRANCH;
    s->reported = last && s->addressed;
    s->outcome = last_of_run && last ? outcome_of(run) : ETRACE_NO_OUTCOME;
    s->position += size;
    s->pc += size;
    s->at++;
    if (reports && s->infers_returns && stopped_of(run) != ETRACE_AT_BRANCH &&
        stopped_of(run) != ETRACE_AT_TARGET) {
        etrace_ingress_report(s, size); /* returns can have led to the address before */
        etrace_ingress_begin_part(s, NULL);
    }
    if (last) {
        etrace_ingress_pass(s, run, ETRACE_TRACED);
    }
}

/* Whether the mispredicted return before the run can also be one that the program comes to if that
 * was predicted rightly, since packets name returns by the depth of the stack only
 * (path/ambiguous_return.c). */
static bool is_doubtful(const struct etrace_ingress_stage *s, const struct assay_event *run)
{
    return s->at == 0 && (run->cells[LAST_WORD] >> BETWEEN_BIT & 0x1fff) != 0;
}

/* The instruction of the record at hand is another one than that of the path. Where another return
 * can be meant nothing is said of it, nor of what follows up to the next sure place. */
static bool differ(struct etrace_ingress_stage *s, const struct assay_event *run, uint64_t due)
{
    if (is_doubtful(s, run)) {
        s->placed = s->part.sought = s->aligned = s->located = false;
        return true;
    }
    s->differs = s->pc;
    s->differs_due = due;
    s->placed = s->placed && !etrace_ingress_elsewhere(s, run, false);
    s->part.sought = s->part.sought && !s->placed;
    if (s->part.sought) {
        return false;
    }
    etrace_ingress_pass(s, run, ETRACE_DIFFERS);
    s->aligned = s->located = false;
    return true;
}

/* An instruction of a run. True: the rest of it is not compared. */
static bool compare_instruction(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    const uint64_t due =
        (s->block.signal[ETRACE_SIGNAL_IADDR] + s->position) & s->reading.program.mask;
    if (!s->has_block) {
        s->beyond = true;
        s->aligned = s->located = false;
        return true;
    }
    if (s->trap.waits) {
        (void)add_trap(s, run, NULL); /* the path goes on without it */
    }
    if (!etrace_ingress_follow_part(s, due)) {
        return differ(s, run, due);
    }
    const struct etrace_instruction i =
        etrace_instruction_at(&s->cursor, s->pc, &s->reading.program);
    match(s, run, i.size);
    return false;
}

/* What a packet that reports an instruction is due for can be said by a later report of that on the
 * interface. */
static void report_again(struct etrace_ingress_stage *s)
{
    struct etrace_pending *p = &s->pending;
    const bool requested = (s->block.signal[ETRACE_SIGNAL_TRIGGER] & ETRACE_TRIGGER_NOTIFY) != 0;
    if (!p->waits || p->after != 0) {
        return;
    }
    if (p->cells[ETRACE_CELL_report_cause] == ETRACE_DUE_NOT) {
        p->cells[ETRACE_CELL_report_cause] = due_of_last(s);
    }
    p->cells[ETRACE_CELL_report_requested] |= requested;
    s->reported = p->cells[ETRACE_CELL_report_has_address] != 0;
}

/* A block that is but another report of the instruction that the path came to. */
static bool pass_repetition(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    if (!s->aligned || s->part.sought || !s->has_block || !etrace_block_retires(&s->block) ||
        s->facts.repeated == 0 || s->position < s->facts.bytes) {
        return false;
    }
    report_again(s);
    etrace_ingress_pass(s, run, ETRACE_TRACED);
    return true;
}

/* --- discontinuities that no instruction causes: another hart, and Debug mode (tables 4.4 and 4.5)
 * ---
 *
 * The last instruction before one is reported, and the first one after it. */

bool etrace_is_asynchronous(const struct etrace_block *before, const struct etrace_block *block)
{
    const bool debugs = before->signal[ETRACE_SIGNAL_PRIV] == ETRACE_DEBUG;
    return etrace_block_retires(block) &&
           (block->signal[ETRACE_SIGNAL_CTYPE] == ETRACE_CTYPE_DISCONTINUITY ||
            (block->signal[ETRACE_SIGNAL_PRIV] == ETRACE_DEBUG) != debugs);
}

/* Whether the record has one there, to an address. */
static bool has_asynchronous(const struct etrace_ingress_stage *s, uint64_t address)
{
    return s->has_block && s->position == 0 && s->before.asynchronous &&
           s->block.signal[ETRACE_SIGNAL_IADDR] == address;
}

/* Whether the record would have one that a packet has. */
static bool tells_asynchronous(const struct etrace_ingress_stage *s,
                               const struct assay_event *start)
{
    return etrace_block_has(&s->block, ETRACE_SIGNAL_CTYPE) || s->privilege == ETRACE_DEBUG ||
           (start->cells[FACTS] & NIBBLE) == ETRACE_DEBUG;
}

/* A run is compared. Readers follow the program to the address of a packet, by chance also where
 * the record has a discontinuity before it: if the instruction before that was reported, what they
 * follow was not executed. True: nothing of the run; otherwise its last instruction can be the one
 * that is compared first. */
static bool passes_over(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    const uint64_t facts = run->cells[FACTS];
    const bool starts = run->from != NULL && run->from->kind == ETRACE_start &&
                        (facts >> ENTERED_BIT & NIBBLE) != ETRACE_BY_SYNC;
    if (!starts) {
        s->passes = false;
    } else if (s->addressed && s->placed && s->aligned && !s->part.sought && !s->trap.waits) {
        s->passes = has_asynchronous(s, run->from->cells[ETRACE_CELL_start_address]);
    }
    s->addressed = false;
    if (!s->passes) {
        return false;
    }
    if ((facts >> STOPPED_BIT & STOPS) == ETRACE_GOES_ON) {
        return true;
    }
    s->at = (uint32_t)run->cells[COUNT] - 1;
    s->pc = run->cells[LAST_ADDRESS];
    s->passes = false;
    etrace_ingress_begin_part(s, NULL);
    return false;
}

/* The path ends. True: a packet follows to whose address nothing leads, and it is sure where. */
static bool end_asynchronously(struct etrace_ingress_stage *s, const struct assay_event *end)
{
    s->addressed = s->passes = false;
    s->asynchronous = end->kind == ETRACE_path_lost &&
                      (end->cells[FACTS] >> REASON_BIT & NIBBLE) == ETRACE_LOST_ASYNCHRONOUS &&
                      s->aligned && s->placed && !s->part.sought;
    if (s->asynchronous) {
        etrace_ingress_settle(s, ETRACE_DUE_BEFORE_SYNC);
    }
    return s->asynchronous;
}

/* It begins with that packet: where the record has the discontinuity, or else it differs. False:
 * the record does not say. */
static bool begin_asynchronously(struct etrace_ingress_stage *s, const struct assay_event *start)
{
    s->asynchronous = false;
    if (has_asynchronous(s, start->cells[ADDRESS])) {
        etrace_ingress_begin_part(s, NULL);
        return true;
    }
    if (!s->has_block) {
        s->beyond = true;
        s->aligned = s->located = false;
        return true;
    }
    if (!tells_asynchronous(s, start)) {
        s->aligned = false;
        return false;
    }
    s->differs = start->cells[ADDRESS];
    s->differs_due = (s->block.signal[ETRACE_SIGNAL_IADDR] + s->position) & s->reading.program.mask;
    s->at = 0;
    s->placed = !etrace_ingress_elsewhere(s, start, false);
    etrace_ingress_pass(s, start, s->placed ? ETRACE_DIFFERS : ETRACE_UNTRACED);
    s->aligned = s->located = false;
    return true;
}

static bool compare_run(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    const uint32_t count = (uint32_t)run->cells[COUNT];
    if (!s->entered) {
        s->at = 0;
        s->concluded = false;
        s->pc = run->cells[ADDRESS];
        s->announced = s->announced || (entered_of(run) < ETRACE_BY_SYNC &&
                                        (run->cells[FACTS] >> ANNOUNCED_BIT & 1) != 0);
        reconsider_report(s, run);
        if (passes_over(s, run)) {
            return true;
        }
    }
    if (pass_repetition(s, run)) {
        return false;
    }
    if (s->entered && s->at == count) {
        return true;
    }
    if (!s->aligned || (!s->part.sought && pass_traps(s, run))) {
        return !s->aligned;
    }
    const uint64_t added = s->base.history.next;
    while (s->at < count && s->base.history.next == added) {
        assay_image_select_number(&s->cursor, (uint32_t)(run->cells[COUNT] >> SPACE_BIT));
        if (s->part.sought ? !etrace_ingress_find_part(s, run) && !s->aligned
                           : compare_instruction(s, run)) {
            return true;
        }
    }
    return s->at == count && !pass_repetition(s, run);
}

/* --- events --- */

/* The packet is of the trap that waits, although another one came before the first instruction of
 * its handler: version 1.1.1 says neither that such a trap is reported nor that it is not (6.3).
 * The packet of the other one has another handler or cause. */
static bool is_of_first(const struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    const uint64_t *signal = s->block.signal;
    const uint64_t *first = s->trap.cells;
    const uint64_t interrupt = trap->cells[FACTS] >> INTERRUPT_BIT & 1;
    const bool same = signal[ETRACE_SIGNAL_CAUSE] == trap->cells[CAUSE] &&
                      (signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_INTERRUPT) == interrupt;
    const bool doubled = !s->reports_both && s->aligned && s->skipped == 0 && s->trap.waits &&
                         s->has_block && etrace_block_traps(&s->block) &&
                         !etrace_block_retires(&s->block) && has_handler(trap);
    return doubled && first[ETRACE_CELL_taken_trap_cause] == trap->cells[CAUSE] &&
           first[ETRACE_CELL_taken_trap_interrupt] == interrupt && (!same || !leads_to(s, trap));
}

/* What the packet of such a trap reports did not retire, unless the path goes on after it. */
static bool is_unretired(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    const bool is = s->doubled && !s->entered && entered_of(run) == ETRACE_BY_TRAP &&
                    (uint32_t)run->cells[COUNT] == 1;
    s->doubled = false;
    return is;
}

/* The trap of a packet is that of the first instruction that was to be traced; in version 2.0 it
 * can be one without the address of its handler. */
static bool is_on_first(const struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    return (has_handler(trap) || s->reports_both) && s->has_block && etrace_ingress_is_first(s) &&
           leads_to(s, trap);
}

/* Without the address of a handler nothing says where the path is afterwards; in version 2.0
 * another trap came before its first instruction (6.3). */
static bool compare_trap(struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    const bool handled = has_handler(trap);
    if (!s->entered) {
        etrace_ingress_settle(s, ETRACE_DUE_BEFORE_TRAP);
        search(s, trap);
    }
    const bool first = is_on_first(s, trap);
    if (!handled && !s->aligned && !first) {
        const bool passes = s->off.certain && s->has_block && s->qualified.qualifies == ETRACE_NO &&
                            s->reports_both;
        if (passes) {
            skip(s, trap);
        } else {
            etrace_ingress_seek_trap(s, trap);
            etrace_ingress_claim_trap(s, trap);
        }
        return !passes;
    }
    if (s->aligned && s->skipped == 0 && discontinues(s, trap)) {
        return true;
    }
    if (is_of_first(s, trap)) {
        (void)add_trap(s, trap, trap);
        s->doubled = true;
        return true;
    }
    if (s->skipped == 0 && (handled || !s->trap.waits) && pass_traps(s, trap)) {
        return false;
    }
    if (!handled && s->reports_both) {
        etrace_ingress_seek_context_of_trap(s, trap);
    }
    s->sure = s->sure || first;
    const bool done = find_trap(s, trap);
    s->placed = s->placed || first;
    s->handed = done && !handled && s->aligned && s->reports_both;
    s->aligned = s->aligned && (handled || !done);
    return done;
}

/* The path goes to an address without a program, and the record elsewhere. */
static bool leaves(struct etrace_ingress_stage *s, const struct assay_event *lost)
{
    const uint64_t due =
        (s->block.signal[ETRACE_SIGNAL_IADDR] + s->position) & s->reading.program.mask;
    const bool comparable = s->aligned && s->has_block && etrace_block_retires(&s->block) &&
                            !s->trap.waits && s->placed;
    if ((lost->cells[FACTS] >> REASON_BIT & NIBBLE) != ETRACE_LOST_ABSENT || !comparable ||
        lost->cells[ADDRESS] == due) {
        return false;
    }
    s->differs = lost->cells[ADDRESS];
    s->differs_due = due;
    s->at = 0;
    s->placed = !etrace_ingress_elsewhere(s, lost, false);
    etrace_ingress_pass(s, lost, ETRACE_DIFFERS);
    return true;
}

/* The path goes on with a packet to whose address no instruction leads. */
static bool compare_asynchronous(struct etrace_ingress_stage *s, const struct assay_event *start)
{
    if (pass_repetition(s, start) || pass_traps(s, start)) {
        return false;
    }
    if (s->trap.waits) {
        (void)add_trap(s, start, NULL);
    }
    if (!begin_asynchronously(s, start)) {
        search(s, start);
        return false;
    }
    return true;
}

bool etrace_ingress_compare(struct etrace_ingress_stage *s, const struct assay_event *event)
{
    s->has_path = s->has_path || event->kind != ETRACE_trace_end || event->cells[GAPS] != 0;
    if (s->given_up) {
        return true;
    }
    switch (event->kind) {
    case ETRACE_run:
        return is_unretired(s, event) || compare_run(s, event);
    case ETRACE_trap:
        return compare_trap(s, event);
    case ETRACE_path_start:
        if (s->asynchronous) {
            return compare_asynchronous(s, event);
        }
        if (!s->entered) {
            search(s, event);
        }
        return s->aligned || find_address(s, event); /* a handler comes next */
    case ETRACE_path_end:
    case ETRACE_path_lost:
        if (end_asynchronously(s, event)) {
            return true;
        }
        if (event->kind == ETRACE_path_lost && !s->entered && leaves(s, event)) {
            return false;
        }
        etrace_ingress_settle(s, event->kind == ETRACE_path_end ? ETRACE_DUE_BEFORE_END
                                                                : ETRACE_DUE_NOT);
        etrace_ingress_end(s, event);
        s->located = s->located && event->kind == ETRACE_path_end;
        s->concluded = event->kind == ETRACE_path_end;
        s->last_context = s->concluded ? event->cells[CONTEXT] : 0;
        s->aligned = s->through = false;
        s->trap.waits = false;
        return true;
    default:
        return true;
    }
}
