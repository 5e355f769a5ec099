#include "stf/truth.h"

#include "execution/truth_due.h"
#include "isa/rv.h"
#include "stf/context.h"

enum {
    FLAGS = STF_TRUTH + ASSAY_TRUTH_FLAGS,
    BYTES = STF_TRUTH + ASSAY_TRUTH_BYTES,
};

/* --- what a group records --- */

static void step_of(const struct assay_event *event, uint32_t at, struct assay_truth_step *step)
{
    const uint64_t *words = event->words;
    const uint64_t place = words[0];
    const uint64_t flags = words[INST(pc_known)];
    const bool ecall = rv_info_class(words[STF_INFO_WORD]) == RV_ECALL;
    (void)at;
    /* An interrupt is in the group of an instruction that did not execute, or of the last one
     * that completed (INT-STF-72). */
    *step = (struct assay_truth_step){
        .step = {.pc = words[INST(pc)],
                 .any_pc = (flags & stf_at(inst_32, pc_known, 1)) == 0,
                 .word = event->kind == STF_inst_32
                             ? (uint32_t)stf_get(event->bytes, inst_32, encoding)
                             : (uint32_t)stf_get(event->bytes, inst_16, encoding),
                 .address = words[INST(access_address)],
                 .has_address = STF_ACCESS_TOTAL(flags, accesses) != 0},
        .flags =
            ((place & CONTEXT(group_fault)) != 0 && !ecall ? (unsigned)ASSAY_STEP_ATTEMPT : 0) |
            ((place & CONTEXT(group_interrupt)) != 0 ? (unsigned)ASSAY_STEP_INTERRUPT : 0) |
            (STF_ACCESS_TOTAL(flags, flow) == FLOW_SEQUENCE ? (unsigned)ASSAY_STEP_IN_LINE : 0)};
}

/* In traces of 1.6 PROCESS_ID_EXT begins with the hardware thread, and the others follow. */
static void thread_of(void *context, const struct assay_event *event, uint64_t *process,
                      uint64_t *thread)
{
    const struct stf_truth *t = context;
    const uint64_t ids[3] = {stf_get(event->bytes, process_id_ext, pid),
                             stf_get(event->bytes, process_id_ext, tid),
                             stf_get(event->bytes, process_id_ext, asid)};
    const unsigned first = t->framing->profile == STF_PROFILE_16 ? 1 : 0;
    *process = ids[first];
    *thread = ids[first + 1];
}

static void note_access(struct stf_truth *t, const uint8_t *data)
{
    const unsigned type = (unsigned)stf_get(data, inst_mem_access, type);
    if (type != ACCESS_READ && type != ACCESS_WRITE) {
        return;
    }
    if (t->count == STF_RECORDED_MOST) {
        t->cut = true;
        return;
    }
    t->list[t->count++] =
        (struct stf_recorded){.address = stf_get(data, inst_mem_access, address),
                              .size = (uint32_t)stf_get(data, inst_mem_access, size),
                              .write = type == ACCESS_WRITE};
}

static void note_content(struct stf_truth *t, const uint8_t *data)
{
    if (t->count > 0 && !t->cut && !t->list[t->count - 1].has_content) {
        t->list[t->count - 1].content = stf_get(data, inst_mem_content, data);
        t->list[t->count - 1].has_content = true;
    }
}

static void note(void *context, const struct assay_event *event, uint64_t *words)
{
    (void)words;
    if (event->kind == STF_inst_mem_access) {
        note_access(context, event->bytes);
    } else {
        note_content(context, event->bytes);
    }
}

/* --- accesses --- */

/* What the recording of an instruction says of its accesses (docs/recorder.md): not those whose
 * word gives no size and of which the recorder saw none. A write of a compare and swap is recorded
 * also when the comparison failed. What prefetches and cache operations touch is no access of
 * theirs in a recording, and may be one in a trace. */
static uint64_t knowledge(uint64_t info, unsigned accesses, bool all_told)
{
    const bool cut = accesses == ASSAY_EXECUTION_ACCESSES_MAX;
    const bool moves = rv_info_reads(info) != 0 || rv_info_writes(info) != 0;
    const bool may_not_write =
        rv_info_writes_conditionally(info) != 0 && rv_info_reads(info) != 0 && !all_told;
    const bool may_lack = cut || rv_info_is_cache(info) != 0 ||
                          (rv_info_is_masked(info) != 0 && !all_told) ||
                          rv_info_class(info) == RV_UNKNOWN;
    if (accesses == 0 && moves && rv_access_bytes(info) == 0 && !all_told) {
        return 0;
    }
    return ASSAY_TRUTH_ACCESSES_KNOWN | (may_not_write ? 0 : ASSAY_TRUTH_WRITES_KNOWN) |
           (may_lack ? 0 : ASSAY_TRUTH_ACCESSES_COMPLETE);
}

/* The common case: as many, one for one. */
static bool is_that(const struct stf_truth *t, const struct assay_access *executed, unsigned count)
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
static void compare_contents(const struct stf_truth *t, const struct assay_access *executed,
                             uint64_t *words)
{
    for (unsigned i = 0; i < t->count; i++) {
        const struct stf_recorded *r = &t->list[i];
        if (!r->has_content || !executed[i].content_known || r->size > 8) {
            continue;
        }
        words[STF_TRUTH_FLAGS] |= stf_at(inst_32, contents_known, 1);
        if (((r->content ^ executed[i].content) & assay_mask(8 * r->size)) != 0) {
            words[STF_TRUTH_FLAGS] |= stf_at(inst_32, content_differs, 1);
            words[STF_DIFFERS_AT] = r->address;
            words[STF_EXECUTED_CONTENT] = executed[i].content;
            return;
        }
    }
}

static void compare_accesses(struct stf_truth *t, uint64_t info,
                             const struct assay_truth_match *match, uint64_t *words)
{
    struct assay_surplus differ[ASSAY_ACCESS_DIFFERENCES];
    const unsigned count = match->executed->accesses;
    const uint64_t known = knowledge(info, count, match->all_told);
    if (is_that(t, match->accesses, count)) {
        words[FLAGS] |= known;
        compare_contents(t, match->accesses, words);
        return;
    }
    assay_accesses_clear(&t->accesses);
    for (unsigned i = 0; i < t->count; i++) {
        const struct stf_recorded *r = &t->list[i];
        assay_accesses_add(&t->accesses, r->address, r->size, !r->write, r->write);
    }
    /* Atomics may have a read, a write or both (INT-STF-56). */
    if (!t->cut && assay_accesses_compare(&t->accesses, match->accesses, count,
                                          rv_info_is_atomic(info) != 0, differ, &words[BYTES])) {
        words[FLAGS] |= known;
        words[STF_DIFFERS_AT] = assay_accesses_lowest(differ, ASSAY_ACCESS_DIFFERENCES);
    }
}

/* --- for the stage --- */

/* A record that represents an executed instruction, the same or another. */
static void compare_executed(struct stf_truth *t, const struct assay_event *event,
                             const struct assay_truth_match *match, uint64_t *words)
{
    const struct assay_retired *executed = match->executed;
    words[STF_TRUTH_FLAGS] = stf_at(inst_32, executed_iem, t->iem) |
                             stf_at(inst_32, displaced, match->displaced) |
                             stf_at(inst_32, diverted, match->diverted) |
                             stf_at(inst_32, signalled, match->diverted && t->of_process);
    if (!match->same) {
        return;
    }
    compare_accesses(t, event->words[STF_INFO_WORD], match, words);
    if (executed->call != 0) {
        words[STF_TRUTH_FLAGS] |= stf_at(inst_32, executed_call_known, 1);
        words[STF_EXECUTED_CALL] = executed->call - 1;
    }
}

static void compare(void *context, const struct assay_event *event, uint32_t at,
                    const struct assay_truth_match *match, uint64_t *words)
{
    struct stf_truth *t = context;
    (void)at;
    if (match != NULL && match->executed != NULL) {
        compare_executed(t, event, match, words);
    }
    t->count = 0;
    t->cut = false;
}

void stf_truth_open(struct stf_truth *t, const struct stf_framing *framing,
                    const struct assay_execution_header *header)
{
    t->framing = framing;
    t->of_process = header->process != 0;
    t->iem = header->isa == ASSAY_EXECUTION_RISCV64   ? IEM_RV64
             : header->isa == ASSAY_EXECUTION_RISCV32 ? IEM_RV32
                                                      : IEM_OTHER;
}

_Static_assert(STF_TRUTH_BEHIND - STF_TRUTH <= ASSAY_TRUTH_ROOM &&
                   STF_TRUTH + ASSAY_TRUTH_ROOM <= STF_WORDS,
               "the words of an encoding record");

static const uint8_t roles[STF_KIND_COUNT] = {[STF_end] = ASSAY_TRUTH_END,
                                              [STF_process_id_ext] = ASSAY_TRUTH_THREAD,
                                              [STF_inst_mem_access] = ASSAY_TRUTH_NOTE,
                                              [STF_inst_mem_content] = ASSAY_TRUTH_NOTE,
                                              [STF_inst_32] = ASSAY_TRUTH_INSTRUCTION,
                                              [STF_inst_16] = ASSAY_TRUTH_INSTRUCTION};

static size_t due(void *context, const struct assay_truth_present *present,
                  const struct assay_event *events, size_t count);

static const struct assay_truth_format format = {.format = &assay_format_stf,
                                                 .roles = roles,
                                                 .first = STF_TRUTH,
                                                 .thread_words =
                                                     STF_WORD_process_id_ext_executed_process,
                                                 .end_words = STF_TRUTH_END,
                                                 .step = step_of,
                                                 .thread = thread_of,
                                                 .compare = compare,
                                                 .note = note,
                                                 .due = due};

static size_t due(void *context, const struct assay_truth_present *present,
                  const struct assay_event *events, size_t count)
{
    return assay_truth_take_due(&format, context, present, events, count);
}

const struct assay_truth_format *stf_truth_format(void)
{
    return &format;
}
