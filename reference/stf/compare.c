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

/* Whether the record is of a branch or jump that was executed where it says. Where an event came
 * with it, the flow after it is that of the event (flow_else). */
static bool branches(const struct assay_event *event, const struct assay_compare_match *match)
{
    return match->same && match->outcome == ASSAY_OUTCOME_SAME && !match->displaced &&
           rv_info_transfer(event->cells[STF_INFO_CELL]) != RV_TRANSFER_NONE;
}

/* Whether nothing came between the instruction and that of the record before. */
static bool follows(const struct assay_compare_match *match, const uint64_t *cells)
{
    const uint64_t left_out = cells[FLAGS] >> STF_AT_inst_32_left_out;
    return match->outcome == ASSAY_OUTCOME_SAME && left_out == 0 && !match->diverted;
}

/* A record that represents an executed instruction, the same or another. */
static void compare_executed(struct stf_compare *t, const struct assay_event *event,
                             const struct assay_compare_match *match, uint64_t *cells)
{
    const struct assay_retired *executed = match->executed;
    cells[INST(event)] |= stf_at(inst_32, after_branch, t->branched && follows(match, cells));
    t->branched = branches(event, match);
    cells[STF_COMPARE_FLAGS] = stf_at(inst_32, executed_iem, t->iem) |
                               stf_at(inst_32, displaced, match->displaced) |
                               stf_at(inst_32, diverted, match->diverted) |
                               stf_at(inst_32, signalled, match->diverted && t->of_process);
    if (!match->same) {
        return;
    }
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
    if (match != NULL && match->executed != NULL) {
        compare_executed(t, event, match, cells);
    } else {
        t->branched = false;
        if (t->of_process && above_user(event)) {
            cells[STF_COMPARE_FLAGS] = stf_at(inst_32, mode_unrecorded, 1);
        }
    }
    t->count = 0;
    t->cut = false;
    stf_walks_end(&t->walks);
}

void stf_compare_open(struct stf_compare *t, const struct assay_execution_header *header)
{
    t->of_process = header->process != 0;
    t->iem = header->isa == ASSAY_EXECUTION_RISCV64   ? IEM_RV64
             : header->isa == ASSAY_EXECUTION_RISCV32 ? IEM_RV32
                                                      : IEM_OTHER;
}

_Static_assert(STF_COMPARE_BEHIND - STF_COMPARE <= ASSAY_COMPARE_ROOM &&
                   STF_COMPARE + ASSAY_COMPARE_ROOM <= STF_CELLS,
               "the cells of an encoding record");

static const uint8_t roles[STF_KIND_COUNT] = {[STF_end] = ASSAY_COMPARE_END,
                                              [STF_process_id_ext] = ASSAY_COMPARE_THREAD,
                                              [STF_process_id_ext_hart] = ASSAY_COMPARE_THREAD,
                                              [STF_page_table_walk] = ASSAY_COMPARE_NOTE,
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
    .note = note,
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
