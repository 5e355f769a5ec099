/* Where in the record the path goes on: after a gap at an address that a packet has, and after a
 * trap with its handler. */
#include "etrace/facts/facts.h"
#include "etrace/ingress/ingress.h"

#include <string.h>

#include "etrace/ingress/run_fields.h"

/* --- traps of the record and of packets --- */

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

bool etrace_ingress_add_trap(struct etrace_ingress_stage *s, const struct assay_event *event,
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
        cells[ETRACE_CELL_taken_trap_packet_interrupt] =
            says[ETRACE_RUN_FLAGS] >> INTERRUPT_BIT & 1;
        cells[ETRACE_CELL_taken_trap_packet_cause] = says[ETRACE_TRAP_CAUSE];
        cells[ETRACE_CELL_taken_trap_packet_tval] = says[ETRACE_TRAP_TVAL];
        cells[ETRACE_CELL_taken_trap_packet_handler] = says[ETRACE_RUN_ADDRESS];
        cells[ETRACE_CELL_taken_trap_packet_has_handler] =
            says[ETRACE_RUN_FLAGS] >> HANDLER_BIT & 1;
        put_packet(packet->from, cells);
    }
    s->trap.waits = false;
    return again;
}

/* --- addresses --- */

void etrace_ingress_resume(struct etrace_ingress_stage *s, const struct assay_event *event)
{
    const unsigned bit = event->kind == ETRACE_trap ? SECOND_TRAP_BIT : AFTER_TRAP_BIT;
    s->aligned =
        s->aligned || (s->awaits_handler && (event->cells[ETRACE_RUN_FLAGS] >> bit & 1) != 0);
    s->awaits_handler = s->through = false;
    if (!s->aligned) {
        etrace_ingress_begin_search(s, event);
    }
    s->skipped = s->skipped_counted = 0;
    s->skipped_due = false;
    s->sure = s->placed && s->aligned;
    s->placed = s->placed && (s->aligned || s->blocks == 0);
    s->skipped_at = s->reader.block.signal[ETRACE_SIGNAL_IADDR] + s->position;
}

/* Notes that a block, if it retires, is not in the path. */
static void leave_out(struct etrace_ingress_stage *s)
{
    if (etrace_block_retires(&s->reader.block)) {
        s->skipped_last = s->reader.facts.last;
        s->skipped_due =
            s->skipped_due || !etrace_block_is_quiet(&s->reader.reading, &s->reader.block,
                                                     &s->reader.facts, s->reader.context_before);
    }
}

static void skip(struct etrace_ingress_stage *s, const struct assay_event *event)
{
    s->skipped++;
    s->off.trapped = s->off.trapped ||
                     (etrace_block_traps(&s->reader.block) && s->qualified.qualifies != ETRACE_NO);
    s->skipped_counted +=
        etrace_block_retires(&s->reader.block) && s->qualified.qualifies != ETRACE_NO;
    leave_out(s);
    s->placed = false;
    s->off.certain = s->off.certain && (!etrace_block_retires(&s->reader.block) ||
                                        s->qualified.qualifies == ETRACE_NO);
    etrace_ingress_pass(s, event, s->aligned ? ETRACE_LEFT_OUT : ETRACE_UNTRACED);
}

/* Whether the path that is searched can begin in the block; tracing begins where instructions
 * qualify. */
static bool begins_in(struct etrace_ingress_stage *s, uint64_t offset)
{
    if (!etrace_block_retires(&s->reader.block) || offset >= s->reader.facts.bytes) {
        return false;
    }
    if (s->qualified.qualifies == ETRACE_NO) {
        s->off.line = s->off.line != 0 ? s->off.line : s->reader.block.line;
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
    s->revisits.reports = 0;
    etrace_ingress_begin_part(s, NULL);
}

/* The path begins in the handler of a trap that the record has directly before it, on the first
 * instruction that was to be traced; no packet reports that. */
static void miss_trap(struct etrace_ingress_stage *s, const struct assay_event *event)
{
    s->placed = true; /* all before it were not to be traced */
    s->trap.waits = true;
    (void)etrace_ingress_add_trap(s, event, NULL);
}

/* Traps of the record that retire nothing follow what the path has passed. Where the handler of one
 * does not come to its first instruction, the last one counts in version 1.1.1, and each in 2.0. */
bool etrace_ingress_pass_traps(struct etrace_ingress_stage *s, const struct assay_event *event)
{
    if (!s->aligned || !s->reader.has_block || etrace_block_retires(&s->reader.block)) {
        return false;
    }
    if (s->trap.waits && s->reports_both && etrace_block_traps(&s->reader.block) &&
        s->qualified.qualifies != ETRACE_NO) {
        (void)etrace_ingress_add_trap(s, event, NULL);
    }
    etrace_ingress_pass(s, event, ETRACE_TRACED);
    return true;
}

bool etrace_ingress_find_address(struct etrace_ingress_stage *s, const struct assay_event *event)
{
    const uint64_t address = event->cells[ETRACE_RUN_ADDRESS];
    if (!s->reader.has_block) {
        s->lost_at = s->lost ? s->lost_at : address;
        s->lost_line = s->lost ? s->lost_line : s->off.line;
        s->lost = true;
        s->located = false;
        return true;
    }
    const uint64_t offset = address - s->reader.block.signal[ETRACE_SIGNAL_IADDR];
    const bool begins = begins_in(s, offset);
    if (begins && s->follows_first_trap && offset == 0 && s->qualified.qualifies == ETRACE_YES) {
        miss_trap(s, event);
    }
    s->follows_first_trap =
        !begins && etrace_block_traps(&s->reader.block) && etrace_ingress_is_first(s);
    if (s->follows_first_trap) {
        etrace_ingress_take_trap(s);
    }
    if (begins) {
        begin_in_block(s, offset);
        return true;
    }
    skip(s, event);
    return false;
}

/* --- traps --- */

static bool has_handler(const struct assay_event *trap)
{
    return (trap->cells[ETRACE_RUN_FLAGS] >> HANDLER_BIT & 1) != 0;
}

/* Whether the block ends in the trap of a packet. */
static bool leads_to(const struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    if (!etrace_block_traps(&s->reader.block)) {
        return false;
    }
    if (!has_handler(trap)) {
        return !etrace_block_has(&s->reader.block, ETRACE_SIGNAL_CAUSE) ||
               s->reader.block.signal[ETRACE_SIGNAL_CAUSE] == trap->cells[ETRACE_TRAP_CAUSE];
    }
    return !s->reader.has_next ||
           (etrace_block_retires(&s->reader.next) &&
            s->reader.next.signal[ETRACE_SIGNAL_IADDR] == trap->cells[ETRACE_RUN_ADDRESS]);
}

/* A change of context can be reported as a trap is, which it is not (table 4.4). Where a trap waits
 * the packet is that of it. */
static bool discontinues(const struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    const uint64_t *signal = s->reader.block.signal;
    return s->reader.has_block && s->position == 0 && !s->trap.waits && has_handler(trap) &&
           signal[ETRACE_SIGNAL_CTYPE] == ETRACE_CTYPE_DISCONTINUITY &&
           etrace_block_changes_context(&s->reader.block, s->reader.context_before) &&
           signal[ETRACE_SIGNAL_IADDR] == trap->cells[ETRACE_RUN_ADDRESS];
}

/* The record begins with the handler, and with an encoder that was not reset before. */
static bool begins_in_handler(const struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    return s->blocks == 0 && has_handler(trap) && etrace_block_retires(&s->reader.block) &&
           !etrace_qualifier_is_fresh(&s->qualifier) &&
           s->reader.block.signal[ETRACE_SIGNAL_IADDR] == trap->cells[ETRACE_RUN_ADDRESS];
}

/* Goes on to the block before the handler. True when the search is over. */
static bool find_trap(struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    const bool was_aligned = s->aligned;
    if (s->aligned && s->skipped == 0 && s->trap.waits) {
        (void)etrace_ingress_add_trap(s, trap, trap);
        etrace_ingress_begin_part(s, trap);
        return true;
    }
    if (!s->reader.has_block) {
        s->trap.waits = false;
        (void)etrace_ingress_add_trap(s, trap, trap);
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
    const bool retires = etrace_block_retires(&s->reader.block);
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
    const bool again = etrace_ingress_add_trap(s, trap, trap);
    etrace_ingress_begin_part(s, trap);
    s->placed = (again && s->sure) ||
                (s->placed &&
                 (s->sure || (!s->infers_traps && s->part.entry_trap == s->reader.entry_trap)));
    if (!s->sure) {
        etrace_ingress_claim_cause(s, trap);
    }
    return true;
}

/* The packet is of the trap that waits, although another one came before the first instruction of
 * its handler: version 1.1.1 says neither that such a trap is reported nor that it is not (6.3).
 * The packet of the other one has another handler or cause. */
static bool is_of_first(const struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    const uint64_t *signal = s->reader.block.signal;
    const uint64_t *first = s->trap.cells;
    const uint64_t interrupt = trap->cells[ETRACE_RUN_FLAGS] >> INTERRUPT_BIT & 1;
    const bool same = signal[ETRACE_SIGNAL_CAUSE] == trap->cells[ETRACE_TRAP_CAUSE] &&
                      (signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_INTERRUPT) == interrupt;
    const bool two_traps = !s->reports_both && s->aligned && s->skipped == 0 && s->trap.waits &&
                           s->reader.has_block && etrace_block_traps(&s->reader.block) &&
                           !etrace_block_retires(&s->reader.block) && has_handler(trap);
    return two_traps && first[ETRACE_CELL_taken_trap_cause] == trap->cells[ETRACE_TRAP_CAUSE] &&
           first[ETRACE_CELL_taken_trap_interrupt] == interrupt && (!same || !leads_to(s, trap));
}

/* The trap of a packet is that of the first instruction that was to be traced; in version 2.0 it
 * can be one without the address of its handler. */
static bool is_on_first(const struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    return (has_handler(trap) || s->reports_both) && s->reader.has_block &&
           etrace_ingress_is_first(s) && leads_to(s, trap);
}

/* Without the address of a handler nothing says where the path is afterwards; in version 2.0
 * another trap came before its first instruction (6.3). */
bool etrace_ingress_compare_trap(struct etrace_ingress_stage *s, const struct assay_event *trap)
{
    const bool handled = has_handler(trap);
    if (!s->entered) {
        etrace_ingress_settle(s, ETRACE_DUE_BEFORE_TRAP);
        etrace_ingress_resume(s, trap);
    }
    const bool first = is_on_first(s, trap);
    if (!handled && !s->aligned && !first) {
        const bool passes = s->off.certain && s->reader.has_block &&
                            s->qualified.qualifies == ETRACE_NO && s->reports_both;
        if (passes) {
            skip(s, trap);
        } else {
            etrace_ingress_claim_cause(s, trap);
            etrace_ingress_claim_trap(s, trap);
        }
        return !passes;
    }
    if (s->aligned && s->skipped == 0 && discontinues(s, trap)) {
        return true;
    }
    if (is_of_first(s, trap)) {
        (void)etrace_ingress_add_trap(s, trap, trap);
        s->handler_unretired = true;
        return true;
    }
    if (s->skipped == 0 && (handled || !s->trap.waits) && etrace_ingress_pass_traps(s, trap)) {
        return false;
    }
    if (!handled && s->reports_both) {
        etrace_ingress_claim_context_of_trap(s, trap);
    }
    s->sure = s->sure || first;
    const bool done = find_trap(s, trap);
    s->placed = s->placed || first;
    s->awaits_handler = done && !handled && s->aligned && s->reports_both;
    s->aligned = s->aligned && (handled || !done);
    return done;
}
