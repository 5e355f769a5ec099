/* The record of the interface and the path by the packets, compared instruction by instruction. */
#include "etrace/facts/facts.h"
#include "etrace/ingress/ingress.h"
#include "etrace/ingress/run_fields.h"

/* --- instructions --- */

static bool is_last_of(const struct etrace_ingress_stage *s, const struct assay_event *run)
{
    return s->at + 1 == etrace_run_count(run);
}

/* Packets give the level and the context of the instruction that they report; before it the old
 * ones hold. */
static void take_place(struct etrace_ingress_stage *s, const struct assay_event *run, bool last)
{
    const bool starts =
        etrace_run_packet(run) == ETRACE_start && etrace_run_stopped(run) != ETRACE_GOES_ON;
    if (starts && !last) {
        return;
    }
    s->privilege = etrace_run_privilege(run);
    if (run->cells[ETRACE_RUN_CONTEXT] != s->context && !starts &&
        etrace_run_entered(run) < ETRACE_BY_SYNC) {
        etrace_ingress_claim_context(s, run);
    }
    s->context = run->cells[ETRACE_RUN_CONTEXT];
    if (starts && (run->from->cells[ASSAY_CELL_PRESENCE] >> ETRACE_NUMBER_start_context & 1) != 0) {
        s->context = run->from->cells[ETRACE_CELL_start_context];
    }
}

/* A packet has another context than the instruction of the record that it reports. */
static void seek_context(struct etrace_ingress_stage *s, const struct assay_event *run,
                         bool reports)
{
    const bool differs = reports && s->placed && etrace_run_packet(run) == ETRACE_start &&
                         (s->reader.block.given >> ETRACE_SIGNAL_CONTEXT & 1) != 0 &&
                         s->context != s->reader.block.signal[ETRACE_SIGNAL_CONTEXT];
    if (differs && s->reader.reading.infers_returns) {
        etrace_ingress_report(s, 0);
    }
    s->placed = s->placed && !(differs && etrace_ingress_elsewhere(s, run, true));
}

/* The path has the instruction at hand, which the block has, too. */
static void match(struct etrace_ingress_stage *s, const struct assay_event *run, uint8_t size)
{
    const bool last_of_run = is_last_of(s, run);
    const bool last = s->position + size >= s->reader.facts.bytes;
    const bool reports = last_of_run && etrace_run_stopped(run) != ETRACE_GOES_ON;
    const uint64_t privilege = s->privilege;
    const bool begins =
        etrace_run_entered(run) == ETRACE_BY_TRAP || etrace_run_entered(run) == ETRACE_BY_SYNC;
    if (s->off.certain && s->qualified.qualifies == ETRACE_YES) {
        s->placed = true; /* all before it were not to be traced */
        s->revisits.first = false;
    }
    s->off = (struct etrace_unqualified){.directly = false};
    take_place(s, run, last_of_run);
    if (s->position == 0) {
        s->continues = s->through;
        s->entered_by = s->at == 0 ? etrace_run_entered(run) : ETRACE_BY_SEQUENCE;
        s->mispredicted = s->at == 0 && (run->cells[ETRACE_RUN_FLAGS] >> MISPREDICTED_BIT & 1) != 0;
    }
    s->through = true;
    s->pending.after++;
    s->located = true;
    seek_context(s, run, reports);
    if (reports && !begins) {
        etrace_ingress_report_due(s, run, last, privilege);
    }
    if (reports && (begins || etrace_run_packet(run) == ETRACE_start)) {
        s->synchronises = true;
        s->reported_context = s->context;
        if (!s->placed) {
            etrace_ingress_claim_place(s, run);
        }
    }
    s->addressed = reports && etrace_run_stopped(run) != ETRACE_AT_BRANCH;
    s->reported = last && s->addressed;
    s->outcome = last_of_run && last ? etrace_run_outcome(run) : ETRACE_NO_OUTCOME;
    s->position += size;
    s->pc += size;
    s->at++;
    if (reports && s->reader.reading.infers_returns &&
        etrace_run_stopped(run) != ETRACE_AT_BRANCH &&
        etrace_run_stopped(run) != ETRACE_AT_TARGET) {
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
    return s->at == 0 && (run->cells[ETRACE_RUN_LAST_WORD] >> BETWEEN_BIT & 0x1fff) != 0;
}

/* The instruction of the record at hand is another one than that of the path. Where another return
 * can be meant nothing is said of it, nor of what follows up to the next sure place. */
static bool differ(struct etrace_ingress_stage *s, const struct assay_event *run, uint64_t due)
{
    if (is_doubtful(s, run)) {
        s->placed = s->part.misplaced = s->aligned = s->located = false;
        return true;
    }
    s->differs = s->pc;
    s->differs_due = due;
    s->placed = s->placed && !etrace_ingress_elsewhere(s, run, false);
    s->part.misplaced = s->part.misplaced && !s->placed;
    if (s->part.misplaced) {
        return false;
    }
    etrace_ingress_pass(s, run, ETRACE_DIFFERS);
    s->aligned = s->located = false;
    return true;
}

/* An instruction of a run. True: the rest of it is not compared. */
static bool compare_instruction(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    const uint64_t due = (s->reader.block.signal[ETRACE_SIGNAL_IADDR] + s->position) &
                         s->reader.reading.program.mask;
    if (!s->reader.has_block) {
        s->beyond = true;
        s->aligned = s->located = false;
        return true;
    }
    if (s->trap.waits) {
        (void)etrace_ingress_add_trap(s, run, NULL); /* the path goes on without it */
    }
    if (!etrace_ingress_follow_part(s, due)) {
        return differ(s, run, due);
    }
    const struct etrace_instruction i =
        etrace_instruction_at(&s->reader.cursor, s->pc, &s->reader.reading.program);
    match(s, run, i.size);
    return false;
}

/* A block that is but another report of the instruction that the path came to. */
static bool pass_repetition(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    if (!s->aligned || s->part.misplaced || !s->reader.has_block ||
        !etrace_block_retires(&s->reader.block) || s->reader.facts.repeated == 0 ||
        s->position < s->reader.facts.bytes) {
        return false;
    }
    etrace_ingress_repeat_report(s);
    etrace_ingress_pass(s, run, ETRACE_TRACED);
    return true;
}

/* --- discontinuities that no instruction causes: another hart, and Debug mode (tables 4.4 and 4.5)
 * ---
 *
 * The last instruction before one is reported, and the first one after it. */

/* Whether the record has one there, to an address. */
static bool has_asynchronous(const struct etrace_ingress_stage *s, uint64_t address)
{
    return s->reader.has_block && s->position == 0 && s->reader.before.asynchronous &&
           s->reader.block.signal[ETRACE_SIGNAL_IADDR] == address;
}

/* Whether the record would have one that a packet has. */
static bool tells_asynchronous(const struct etrace_ingress_stage *s,
                               const struct assay_event *start)
{
    return etrace_block_has(&s->reader.block, ETRACE_SIGNAL_CTYPE) ||
           s->privilege == ETRACE_DEBUG || etrace_run_privilege(start) == ETRACE_DEBUG;
}

/* A run is compared. Readers follow the program to the address of a packet, by chance also where
 * the record has a discontinuity before it: if the instruction before that was reported, what they
 * follow was not executed. True: nothing of the run; otherwise its last instruction can be the one
 * that is compared first. */
static bool passes_over(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    const bool starts =
        etrace_run_packet(run) == ETRACE_start && etrace_run_entered(run) != ETRACE_BY_SYNC;
    if (!starts) {
        s->passes = false;
    } else if (s->addressed && s->placed && s->aligned && !s->part.misplaced && !s->trap.waits) {
        s->passes = has_asynchronous(s, run->from->cells[ETRACE_CELL_start_address]);
    }
    s->addressed = false;
    if (!s->passes) {
        return false;
    }
    if (etrace_run_stopped(run) == ETRACE_GOES_ON) {
        return true;
    }
    s->at = etrace_run_count(run) - 1;
    s->pc = run->cells[ETRACE_RUN_LAST_ADDRESS];
    s->passes = false;
    etrace_ingress_begin_part(s, NULL);
    return false;
}

/* The path ends. True: a packet follows to whose address nothing leads, and it is sure where. */
static bool end_asynchronously(struct etrace_ingress_stage *s, const struct assay_event *end)
{
    s->addressed = s->passes = false;
    s->asynchronous = end->kind == ETRACE_path_lost &&
                      etrace_lost_reason(end) == ETRACE_LOST_ASYNCHRONOUS && s->aligned &&
                      s->placed && !s->part.misplaced;
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
    if (has_asynchronous(s, start->cells[ETRACE_RUN_ADDRESS])) {
        etrace_ingress_begin_part(s, NULL);
        return true;
    }
    if (!s->reader.has_block) {
        s->beyond = true;
        s->aligned = s->located = false;
        return true;
    }
    if (!tells_asynchronous(s, start)) {
        s->aligned = false;
        return false;
    }
    s->differs = start->cells[ETRACE_RUN_ADDRESS];
    s->differs_due = (s->reader.block.signal[ETRACE_SIGNAL_IADDR] + s->position) &
                     s->reader.reading.program.mask;
    s->at = 0;
    s->placed = !etrace_ingress_elsewhere(s, start, false);
    etrace_ingress_pass(s, start, s->placed ? ETRACE_DIFFERS : ETRACE_UNTRACED);
    s->aligned = s->located = false;
    return true;
}

/* The path goes on with a packet to whose address no instruction leads. */
static bool compare_asynchronous(struct etrace_ingress_stage *s, const struct assay_event *start)
{
    if (pass_repetition(s, start) || etrace_ingress_pass_traps(s, start)) {
        return false;
    }
    if (s->trap.waits) {
        (void)etrace_ingress_add_trap(s, start, NULL);
    }
    if (!begin_asynchronously(s, start)) {
        etrace_ingress_resume(s, start);
        return false;
    }
    return true;
}

/* --- events --- */

static bool compare_run(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    const uint32_t count = etrace_run_count(run);
    if (!s->entered) {
        s->at = 0;
        s->concluded = false;
        s->pc = run->cells[ETRACE_RUN_ADDRESS];
        s->announced = s->announced || (etrace_run_entered(run) < ETRACE_BY_SYNC &&
                                        (run->cells[ETRACE_RUN_FLAGS] >> ANNOUNCED_BIT & 1) != 0);
        etrace_ingress_reconsider_report(s, run);
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
    if (!s->aligned || (!s->part.misplaced && etrace_ingress_pass_traps(s, run))) {
        return !s->aligned;
    }
    const uint64_t added = s->base.history.next;
    while (s->at < count && s->base.history.next == added) {
        assay_image_select_number(&s->reader.cursor,
                                  (uint32_t)(run->cells[ETRACE_RUN_COUNT] >> SPACE_BIT));
        if (s->part.misplaced ? !etrace_ingress_find_part(s, run) && !s->aligned
                              : compare_instruction(s, run)) {
            return true;
        }
    }
    return s->at == count && !pass_repetition(s, run);
}

/* What the packet of such a trap reports did not retire, unless the path goes on after it. */
static bool is_unretired(struct etrace_ingress_stage *s, const struct assay_event *run)
{
    const bool is = s->handler_unretired && !s->entered &&
                    etrace_run_entered(run) == ETRACE_BY_TRAP && etrace_run_count(run) == 1;
    s->handler_unretired = false;
    return is;
}

/* The path goes to an address without a program, and the record elsewhere. */
static bool leaves(struct etrace_ingress_stage *s, const struct assay_event *lost)
{
    const uint64_t due = (s->reader.block.signal[ETRACE_SIGNAL_IADDR] + s->position) &
                         s->reader.reading.program.mask;
    const bool comparable = s->aligned && s->reader.has_block &&
                            etrace_block_retires(&s->reader.block) && !s->trap.waits && s->placed;
    if (etrace_lost_reason(lost) != ETRACE_LOST_ABSENT || !comparable ||
        lost->cells[ETRACE_RUN_ADDRESS] == due) {
        return false;
    }
    s->differs = lost->cells[ETRACE_RUN_ADDRESS];
    s->differs_due = due;
    s->at = 0;
    s->placed = !etrace_ingress_elsewhere(s, lost, false);
    etrace_ingress_pass(s, lost, ETRACE_DIFFERS);
    return true;
}

bool etrace_ingress_compare(struct etrace_ingress_stage *s, const struct assay_event *event)
{
    s->has_path =
        s->has_path || event->kind != ETRACE_trace_end || event->cells[ETRACE_TRACE_END_GAPS] != 0;
    if (s->given_up) {
        return true;
    }
    switch (event->kind) {
    case ETRACE_run:
        return is_unretired(s, event) || compare_run(s, event);
    case ETRACE_trap:
        return etrace_ingress_compare_trap(s, event);
    case ETRACE_path_start:
        if (s->asynchronous) {
            return compare_asynchronous(s, event);
        }
        if (!s->entered) {
            etrace_ingress_resume(s, event);
        }
        return s->aligned || etrace_ingress_find_address(s, event); /* a handler comes next */
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
        s->last_context = s->concluded ? event->cells[ETRACE_RUN_CONTEXT] : 0;
        s->aligned = s->through = false;
        s->trap.waits = false;
        return true;
    default:
        return true;
    }
}
