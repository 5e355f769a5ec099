#include "stf/compare.h"

#include "execution/compare_fast_path.h"
#include "isa/rv.h"
#include "stf/context.h"

enum {
    FLAGS = STF_COMPARE + ASSAY_COMPARE_FLAGS,
    BYTES = STF_COMPARE + ASSAY_COMPARE_BYTES,
};

/* --- what a group records --- */

/* Behind the first instruction of user mode the trace can have instructions of the system, of which
 * the recording of a process has none. Before it nothing tells the level at which a program runs
 * that has no system. */
static bool is_of_system(struct stf_compare *t, const struct assay_event *event)
{
    const uint64_t *cells = event->cells;
    if ((cells[0] & CONTEXT(mode_known)) == 0) {
        return false;
    }
    if ((cells[0] & CONTEXT_MASK(mode)) == 0) {
        t->user_from = t->is_user && t->user_from < event->index ? t->user_from : event->index;
        t->is_user = true;
        return false;
    }
    return t->is_user && event->index > t->user_from &&
           (cells[INST(pc_known)] & stf_at(inst_32, pc_known, 1)) != 0 &&
           assay_process_lacks(&t->process, cells[INST(pc)]);
}

static void step_of(void *context, const struct assay_event *event, struct assay_compare_run *run,
                    struct assay_compare_step *step)
{
    const uint64_t *cells = event->cells;
    const uint64_t place = cells[0];
    const uint64_t flags = cells[INST(pc_known)];
    const bool ecall = rv_info_class(cells[STF_INFO_CELL]) == RV_ECALL;
    const uint64_t flow = STF_ACCESS_TOTAL(flags, flow);
    const bool in_line = flow == FLOW_SEQUENCE || flow == FLOW_RETURN;
    (void)run;
    if (is_of_system(context, event)) {
        *step = (struct assay_compare_step){.flags = ASSAY_STEP_SYSTEM};
        return;
    }
    /* An interrupt is in the group of an instruction that did not execute, or of the last one
     * that completed (INT-STF-72). */
    *step = (struct assay_compare_step){
        .step = {.pc = cells[INST(pc)],
                 .any_pc = (flags & stf_at(inst_32, pc_known, 1)) == 0,
                 .word = event->kind == STF_inst_32
                             ? (uint32_t)stf_get(event->bytes, inst_32, encoding)
                             : (uint32_t)stf_get(event->bytes, inst_16, encoding),
                 .address = cells[INST(access_address)],
                 .has_address = STF_ACCESS_TOTAL(flags, accesses) != 0},
        .flags =
            ((place & CONTEXT(group_fault)) != 0 && !ecall ? (unsigned)ASSAY_STEP_ATTEMPT : 0) |
            ((place & CONTEXT(group_interrupt)) != 0 ? (unsigned)ASSAY_STEP_INTERRUPT : 0) |
            ((place & (CONTEXT(group_fault) | CONTEXT(group_interrupt))) != 0
                 ? (unsigned)ASSAY_STEP_TRAPPED
                 : 0) |
            (in_line ? (unsigned)ASSAY_STEP_IN_LINE : 0)};
}

static void thread_of(void *context, const struct assay_event *event, uint64_t *process,
                      uint64_t *thread)
{
    (void)context;
    const uint8_t *data = event->bytes;
    if (event->kind == STF_process_id_ext_hart) {
        *process = stf_get(data, process_id_ext_hart, pid);
        *thread = stf_get(data, process_id_ext_hart, tid);
    } else {
        *process = stf_get(data, process_id_ext, pid);
        *thread = stf_get(data, process_id_ext, tid);
    }
}

static void note_access(struct stf_compare *t, const uint8_t *data)
{
    const uint64_t address = stf_get(data, inst_mem_access, address);
    const unsigned type = (unsigned)stf_get(data, inst_mem_access, type);
    if (type != ACCESS_READ && type != ACCESS_WRITE) {
        return;
    }
    if (t->count == STF_RECORDED_MOST) {
        t->cut = true;
        return;
    }
    t->list[t->count++] =
        (struct stf_recorded){.address = t->iem == IEM_RV32 ? address & UINT32_MAX : address,
                              .size = (uint32_t)stf_get(data, inst_mem_access, size),
                              .write = type == ACCESS_WRITE};
}

static void note_content(struct stf_compare *t, const uint8_t *data)
{
    if (t->count > 0 && !t->cut && !t->list[t->count - 1].has_content) {
        t->list[t->count - 1].content = stf_get(data, inst_mem_content, data);
        t->list[t->count - 1].has_content = true;
    }
}

static void note(void *context, const struct assay_event *event, uint64_t *cells)
{
    struct stf_compare *t = context;
    (void)cells;
    if (event->kind == STF_inst_mem_access) {
        note_access(context, event->bytes);
    } else if (event->kind == STF_event_pc_target) {
        t->event_targets++;
        t->event_target = stf_get(event->bytes, event_pc_target, pc);
    } else if (event->kind == STF_page_table_walk) {
        stf_walks_note(&t->walks, event->bytes, (event->bits - assay_format_stf.lead_bits) / 8);
    } else {
        note_content(context, event->bytes);
    }
}

/* --- accesses --- */

/* What the recording of an instruction says of its accesses (docs/recorder.md): not those whose
 * word gives no size and of which the recorder saw none. A write of a compare and swap is recorded
 * also when the comparison failed. What prefetches and cache operations touch is no access of
 * theirs in a recording, and may be one in a trace. */
static uint64_t knowledge(uint64_t info, unsigned accesses, bool all_accesses)
{
    const bool cut = accesses == ASSAY_EXECUTION_ACCESSES_MAX;
    const bool moves = rv_info_reads(info) != 0 || rv_info_writes(info) != 0;
    const bool may_not_write =
        rv_info_writes_conditionally(info) != 0 && rv_info_reads(info) != 0 && !all_accesses;
    const bool may_lack = cut || rv_info_is_cache(info) != 0 ||
                          (rv_info_is_masked(info) != 0 && !all_accesses) ||
                          rv_info_class(info) == RV_UNKNOWN;
    if (accesses == 0 && moves && rv_access_bytes(info) == 0 && !all_accesses) {
        return 0;
    }
    return ASSAY_COMPARE_ACCESSES_KNOWN | (may_not_write ? 0 : ASSAY_COMPARE_WRITES_KNOWN) |
           (may_lack ? 0 : ASSAY_COMPARE_ACCESSES_COMPLETE);
}

/* Counts, by reason, what of the instruction's accesses cannot be compared. */
static void count_unknown(uint64_t info, uint64_t known, struct assay_uncompared *uncompared)
{
    uint64_t *count = uncompared->count;
    if (rv_info_is_cache(info) != 0) {
        count[ASSAY_UNCOMPARED_CACHE]++;
    } else if (rv_info_class(info) == RV_UNKNOWN) {
        count[ASSAY_UNCOMPARED_OTHER_ACCESSES]++;
    } else if ((known & ASSAY_COMPARE_ACCESSES_KNOWN) == 0) {
        count[rv_info_is_vector(info) != 0 ? ASSAY_UNCOMPARED_VECTORS
                                           : ASSAY_UNCOMPARED_OTHER_ACCESSES]++;
    } else {
        count[ASSAY_UNCOMPARED_FURTHER_ACCESSES] += (known & ASSAY_COMPARE_ACCESSES_COMPLETE) == 0;
        count[ASSAY_UNCOMPARED_CONDITIONAL_WRITES] += (known & ASSAY_COMPARE_WRITES_KNOWN) == 0;
    }
}

/* Sizes that are in bits, in bytes. */
static void take_bits(struct stf_compare *t)
{
    for (unsigned i = 0; i < t->count; i++) {
        t->list[i].size /= 8;
    }
}

/* The common case: as many, one for one. */
static bool is_that(const struct stf_compare *t, const struct assay_access *executed,
                    unsigned count)
{
    if (t->count != count) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct stf_recorded *r = &t->list[i];
        if (r->address != executed[i].address || r->size != executed[i].size ||
            r->write != executed[i].write) {
            return false;
        }
    }
    return true;
}

/* What was read and written, of accesses that are the same on both sides. */
static void compare_contents(const struct stf_compare *t, const struct assay_access *executed,
                             struct assay_uncompared *uncompared, uint64_t *cells)
{
    for (unsigned i = 0; i < t->count; i++) {
        const struct stf_recorded *r = &t->list[i];
        if (!r->has_content || !executed[i].content_known || r->size > 8) {
            uncompared->count[ASSAY_UNCOMPARED_CONTENTS] += r->has_content;
            continue;
        }
        cells[STF_COMPARE_FLAGS] |= stf_at(inst_32, contents_known, 1);
        if (((r->content ^ executed[i].content) & assay_mask(8 * r->size)) != 0) {
            cells[STF_COMPARE_FLAGS] |= stf_at(inst_32, content_differs, 1);
            cells[STF_DIFFERS_AT] = r->address;
            cells[STF_EXECUTED_CONTENT] = executed[i].content;
            return;
        }
    }
}

static void compare_accesses(struct stf_compare *t, uint64_t info,
                             const struct assay_compare_match *match, uint64_t *cells)
{
    struct assay_byte_difference differ[ASSAY_ACCESS_DIFFERENCES];
    const unsigned count = match->executed->accesses;
    const uint64_t known = knowledge(info, count, match->all_accesses);
    if (known != ASSAY_COMPARE_ALL_KNOWN) {
        count_unknown(info, known, match->uncompared);
    }
    if (is_that(t, match->accesses, count)) {
        cells[FLAGS] |= known;
        compare_contents(t, match->accesses, match->uncompared, cells);
        return;
    }
    assay_accesses_clear(&t->accesses);
    for (unsigned i = 0; i < t->count; i++) {
        const struct stf_recorded *r = &t->list[i];
        assay_accesses_add(&t->accesses, r->address, r->size, !r->write, r->write);
    }
    /* Atomics may have a read, a write or both (INT-STF-56). */
    if (!t->cut && assay_accesses_compare(&t->accesses, match->accesses, count,
                                          rv_info_is_atomic(info) != 0, differ, &cells[BYTES])) {
        cells[FLAGS] |= known;
        cells[STF_DIFFERS_AT] = assay_accesses_lowest(differ, ASSAY_ACCESS_DIFFERENCES);
    } else {
        match->uncompared->count[ASSAY_UNCOMPARED_FURTHER_ACCESSES]++;
    }
}

/* --- for the stage --- */

/* A branch or jump that was executed where its record says, of which the recording says where it
 * led. Right after an indirect branch of a process a signal looks like its target. Where an event
 * came with it, the flow after it is that of the event (flow_else). */
static bool branches(const struct stf_compare *t, const struct assay_event *event)
{
    const uint64_t info = event->cells[STF_INFO_CELL];
    return rv_info_transfer(info) != RV_TRANSFER_NONE &&
           (rv_info_is_direct(info) != 0 || !t->of_process);
}

static uint64_t address_of(const struct stf_compare *t, uint64_t address)
{
    return t->iem == IEM_RV32 ? address & UINT32_MAX : address;
}

static bool branch_led(const struct assay_compare_match *match, uint64_t *led)
{
    const struct assay_retired *next = match->executed + 1;
    if (match->has_next && !next->after_diversion) {
        *led = next->pc;
        return true;
    }
    return assay_alignment_led(match->alignment, 0, led);
}

/* Where a branch leads by its group; of a jump without a target that is not known. */
static void lead_branch(struct stf_compare *t, const struct assay_event *event,
                        const struct assay_compare_match *match)
{
    const uint64_t *cells = event->cells;
    const unsigned size = event->kind == STF_inst_32 ? 4 : 2;
    const bool targeted = (cells[0] & CONTEXT(group_pc_target)) != 0;
    const bool conditional = rv_info_transfer(cells[STF_INFO_CELL]) == RV_TRANSFER_CONDITIONAL;
    t->lead = (struct stf_lead){
        .alignment = match->alignment,
        .flow = targeted      ? FLOW_BRANCH
                : conditional ? FLOW_SEQUENCE
                              : FLOW_UNKNOWN,
        .target = address_of(t, targeted ? cells[INST(pc_target)] : cells[INST(pc)] + size)};
    t->lead.led_known = branch_led(match, &t->lead.led);
    if (t->lead.led != t->lead.target) {
        t->lead.part = assay_part_of_last(match->alignment);
    }
}

/* Where the last event of the group leads, of which there is no other. */
static void lead_event(struct stf_compare *t, const struct assay_event *event,
                       const struct assay_compare_match *match)
{
    const uint64_t *cells = event->cells;
    const bool call = rv_info_class(cells[STF_INFO_CELL]) == RV_ECALL;
    const bool fault = (cells[0] & CONTEXT(group_fault)) != 0 && !call;
    const bool tried = (cells[FLAGS] & ASSAY_COMPARE_ATTEMPT_KNOWN) != 0 &&
                       cells[STF_COMPARE + ASSAY_COMPARE_PC] == cells[INST(pc)];
    const bool placed =
        match != NULL ? match->same && match->outcome == ASSAY_OUTCOME_SAME : !fault || tried;
    t->lead = (struct stf_lead){.flow = t->event_targets == 1 && placed ? FLOW_EVENT : FLOW_UNKNOWN,
                                .targeted = t->event_targets == 1,
                                .call = call && match != NULL,
                                .target = address_of(t, t->event_target)};
}

/* Where the instruction leads by its group, and, of a branch, where it led. */
static void note_lead(struct stf_compare *t, const struct assay_event *event,
                      const struct assay_compare_match *match)
{
    const uint64_t place = event->cells[0];
    if ((place & (CONTEXT(group_fault) | CONTEXT(group_interrupt))) != 0) {
        lead_event(t, event, match);
    } else if (match != NULL && match->same && match->outcome == ASSAY_OUTCOME_SAME &&
               !match->displaced && branches(t, event)) {
        lead_branch(t, event, match);
    } else {
        t->lead.flow = FLOW_UNKNOWN;
        t->lead.alignment = NULL;
    }
    t->event_targets = 0;
}

/* What was led elsewhere is no contradiction of a branch: control was taken away there. An event
 * can have come at each place. */
static bool can_lead(void *context, const struct assay_event *event, uint64_t pc, bool diverted)
{
    const struct stf_compare *t = context;
    (void)event;
    (void)pc;
    return t->lead.flow == FLOW_EVENT || !diverted;
}

static bool leads_elsewhere(struct stf_compare *t, struct assay_alignment *alignment,
                            const struct assay_part *part)
{
    const struct assay_placement_lead lead = {.to = t->lead.target, .can = can_lead, .context = t};
    return assay_part_is_elsewhere(alignment, part, &lead);
}

/* Whether the record before is of a branch of which it is known where it led, to *led. Before a gap
 * the part of the trace may have been executed later. */
static bool follows_branch(struct stf_compare *t, const struct assay_compare_match *match,
                           const uint64_t *cells, uint64_t *led)
{
    const uint64_t left_out = cells[FLAGS] >> STF_AT_inst_32_left_out;
    const struct stf_lead *lead = &t->lead;
    *led = match->executed->pc;
    if (lead->alignment != match->alignment || match->outcome != ASSAY_OUTCOME_SAME) {
        return false;
    }
    if (left_out == 0) {
        return !match->diverted;
    }
    *led = lead->led;
    return lead->led_known && (lead->led == lead->target || lead->flow == FLOW_UNKNOWN ||
                               !leads_elsewhere(t, match->alignment, &lead->part));
}

/* The mode of a level of the recording. */
static uint64_t executed_mode(uint8_t level)
{
    return level == ASSAY_EXECUTION_LEVEL_UNKNOWN
               ? 0
               : stf_at(inst_32, executed_mode, level) | stf_at(inst_32, executed_mode_known, 1);
}

/* A record that represents an executed instruction, the same or another. */
static void compare_executed(struct stf_compare *t, const struct assay_event *event,
                             const struct assay_compare_match *match, uint64_t *cells)
{
    const struct assay_retired *executed = match->executed;
    if (t->lead.alignment != NULL) {
        uint64_t led = 0;
        const bool follows = follows_branch(t, match, cells, &led);
        cells[INST(event)] |= stf_at(inst_32, after_branch, follows);
        cells[STF_BRANCH_LED] = follows ? led : 0;
    }
    cells[STF_COMPARE_FLAGS] = stf_at(inst_32, executed_iem, t->iem) |
                               stf_at(inst_32, displaced, match->displaced) |
                               stf_at(inst_32, diverted, match->diverted) |
                               stf_at(inst_32, signalled, match->diverted && t->of_process);
    if (!match->same) {
        return;
    }
    cells[STF_COMPARE_FLAGS] |= executed_mode(executed->level) |
                                stf_at(inst_32, executed_handler,
                                       executed->trap != 0 && match->outcome == ASSAY_OUTCOME_SAME);
    if ((event->cells[INST(in_bits)] & stf_at(inst_32, in_bits, 1)) != 0) {
        take_bits(t);
    }
    compare_accesses(t, event->cells[STF_INFO_CELL], match, cells);
    if (executed->walks != 0 || t->walks.count > 0) {
        cells[STF_COMPARE_FLAGS] |= stf_walks_compare(&t->walks, match);
    }
    if (executed->call != 0) {
        cells[STF_COMPARE_FLAGS] |= stf_at(inst_32, executed_call_known, 1);
        cells[STF_EXECUTED_CALL] = executed->call - 1;
    }
}

/* Whether the instruction is of a mode that a process does not have. */
static bool above_user(const struct assay_event *event)
{
    const uint64_t modes = event->cells[INST(event)];
    return (modes & stf_at(inst_32, new_mode_known, 1)) != 0 &&
           (modes >> STF_AT_inst_32_new_mode & assay_mask(STF_SPAN_inst_32_new_mode)) != 0;
}

static void compare(void *context, const struct assay_event *event, uint32_t at,
                    const struct assay_compare_match *match, uint64_t *cells)
{
    struct stf_compare *t = context;
    (void)at;
    const bool executed = match != NULL && match->executed != NULL;
    cells[STF_BRANCH_LED] = 0;
    if (executed) {
        compare_executed(t, event, match, cells);
    } else if (t->of_process && above_user(event)) {
        cells[STF_COMPARE_FLAGS] = stf_at(inst_32, mode_unrecorded, 1);
    }
    note_lead(t, event, executed ? match : NULL);
    t->count = 0;
    t->cut = false;
    stf_walks_end(&t->walks);
}

/* The event of the specification that a cause is. */
static enum stf_event event_of(const struct stf_compare *t, uint64_t cause)
{
    const unsigned top = t->iem == IEM_RV32 ? 31 : 63;
    const bool interrupt = (cause >> top & 1) != 0;
    const uint64_t number = cause & ~(UINT64_C(1) << top);
    return stf_event_of(&t->standard, interrupt, false, number);
}

/* The event of a group whose one target is the handler that execution went on at, and which is that
 * of the instruction that was tried, or the trap was taken at its address: what could not be
 * fetched was not tried. The specification has those of guests since 1.6, and none of other causes.
 */
static void trapped(void *context, const struct assay_event *event,
                    struct assay_alignment *alignment, uint64_t *cells)
{
    const struct stf_compare *t = context;
    const struct assay_retired *handler = assay_alignment_expected(alignment);
    const struct assay_trap *trap = assay_alignment_trap(alignment);
    if (trap != NULL && handler != NULL && t->lead.target == handler->pc &&
        (t->lead.flow == FLOW_EVENT ||
         (t->lead.targeted && trap->from == event->cells[INST(pc)]))) {
        const enum stf_event executed = event_of(t, trap->cause);
        cells[STF_COMPARE_FLAGS] |=
            stf_at(inst_32, executed_event,
                   executed < STF_EVENT_GUEST_INST_PAGE_FAULT ? executed : STF_EVENT_NONE);
        if ((cells[STF_COMPARE_FLAGS] & stf_at(inst_32, executed_mode_known, 1)) == 0) {
            cells[STF_COMPARE_FLAGS] |= executed_mode(trap->level);
        }
        if (trap->number != 0 && stf_event_infos[executed].origin == STF_ORIGIN_ECALL) {
            cells[STF_COMPARE_FLAGS] |= stf_at(inst_32, executed_call_known, 1);
            cells[STF_EXECUTED_CALL] = trap->number;
        }
    }
}

/* Where the last instruction led, which no record shows. */
static void end(void *context, struct assay_alignment *alignment, uint64_t *cells)
{
    struct stf_compare *t = context;
    struct stf_lead *lead = &t->lead;
    cells[STF_LAST_TARGET] = 0;
    cells[STF_LAST_LED] = 0;
    if (alignment == NULL || lead->flow == FLOW_UNKNOWN) {
        return;
    }
    if (lead->flow == FLOW_EVENT) {
        lead->led_known =
            t->of_machine && assay_alignment_led(alignment, lead->call ? 0 : 1, &lead->led);
        lead->part = assay_part_of_last(alignment);
    }
    if (!lead->led_known ||
        (lead->led != lead->target && leads_elsewhere(t, alignment, &lead->part))) {
        return;
    }
    cells[STF_CELL_end_last_flow] |= stf_at(end, last_flow, lead->flow);
    cells[STF_LAST_TARGET] = lead->target;
    cells[STF_LAST_LED] = lead->led;
}

void stf_compare_open(struct stf_compare *t, const struct assay_execution_header *header)
{
    t->of_process = header->process != 0;
    t->of_machine = header->system;
    t->iem = header->isa == ASSAY_EXECUTION_RISCV64   ? IEM_RV64
             : header->isa == ASSAY_EXECUTION_RISCV32 ? IEM_RV32
                                                      : IEM_OTHER;
    stf_tables_open(NULL, &t->standard);
}

_Static_assert(STF_COMPARE_BEHIND - STF_COMPARE <= ASSAY_COMPARE_ROOM &&
                   STF_COMPARE + ASSAY_COMPARE_ROOM <= STF_CELLS,
               "the cells of an encoding record");

static const uint8_t roles[STF_KIND_COUNT] = {[STF_end] = ASSAY_COMPARE_END,
                                              [STF_process_id_ext] = ASSAY_COMPARE_THREAD,
                                              [STF_process_id_ext_hart] = ASSAY_COMPARE_THREAD,
                                              [STF_page_table_walk] = ASSAY_COMPARE_NOTE,
                                              [STF_event_pc_target] = ASSAY_COMPARE_NOTE,
                                              [STF_inst_mem_access] = ASSAY_COMPARE_NOTE,
                                              [STF_inst_mem_content] = ASSAY_COMPARE_NOTE,
                                              [STF_inst_32] = ASSAY_COMPARE_INSTRUCTION,
                                              [STF_inst_16] = ASSAY_COMPARE_INSTRUCTION};

static struct assay_process *process_of(void *context)
{
    struct stf_compare *t = context;
    return &t->process;
}

static size_t fast_path(void *context, const struct assay_compare_current *current,
                        const struct assay_event *events, size_t count);

static const struct assay_compare_format format = {
    .format = &assay_format_stf,
    .isas = 1 << ASSAY_EXECUTION_RISCV64 | 1 << ASSAY_EXECUTION_RISCV32,
    .roles = roles,
    .first = STF_COMPARE,
    .thread_cells = STF_CELL_process_id_ext_executed_process,
    .end_cells = STF_COMPARE_END,
    .step = step_of,
    .thread = thread_of,
    .compare = compare,
    .end = end,
    .note = note,
    .trapped = trapped,
    .process = process_of,
    .fast_path = fast_path};

static size_t fast_path(void *context, const struct assay_compare_current *current,
                        const struct assay_event *events, size_t count)
{
    return assay_compare_fast_path(&format, context, current, events, count);
}

const struct assay_compare_format *stf_compare_format(void)
{
    return &format;
}
