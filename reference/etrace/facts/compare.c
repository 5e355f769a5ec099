/* The comparison with a recorded execution: of the instructions of runs, their addresses and words.
 * */
#include "execution/compare.h"

#include <string.h>

#include "etrace/facts/facts.h"
#include "etrace/facts/state.h"
#include "execution/execution.h"

enum { PRIVILEGE = 0xf, ENTERED = 0xf, STOPPED = 7, NARROW = 2, WIDE = 4, ECALL = 0x73 };
enum { EXECUTED_TRAP_CELLS = 4 };

/* Moves the cursor for reading again to the memory of a run. */
static void select_compared(struct etrace_facts *f, const uint64_t *run)
{
    assay_image_select_number(&f->compared, (uint32_t)(run[ETRACE_RUN_COUNT] >> SPACE_BIT));
}

/* An instruction of a run, at `offset` bytes in it; its size is 0 when there is none. */
static struct etrace_instruction read_compared(struct etrace_facts *f, const uint64_t *run,
                                               uint64_t offset)
{
    select_compared(f, run);
    return etrace_instruction_at(&f->compared, run[ETRACE_RUN_ADDRESS] + offset, &f->reading);
}

static uint32_t count_of(const struct assay_event *run)
{
    return (uint32_t)run->cells[ETRACE_RUN_COUNT];
}

/* ECALL raises an exception and does not retire. Recordings have it as executed; traces can have
 * either. */
static bool is_call(uint32_t word)
{
    return word == ECALL;
}

static struct etrace_instruction classify(const struct etrace_facts *f,
                                          const struct assay_retired *executed)
{
    const unsigned size = (executed->word & 3) == 3 ? WIDE : NARROW;
    return etrace_classify(executed->pc, executed->word, size, &f->reading);
}

static bool infers_in_sequence(const struct etrace_facts *f, const struct assay_retired *before,
                               const struct etrace_instruction *jump, uint64_t next)
{
    const struct etrace_instruction previous = classify(f, before);
    uint64_t target = 0;
    return f->layout[ETRACE_SIJUMP_SUPPORTED] != 0 &&
           etrace_sequential_target(&previous, jump, &f->reading, &target) && next == target;
}

/* What the program, the stack of return addresses and inferred jumps show of the path leaves
 * nothing in a trace. Of the options those count that can be switched on. */
static bool infers(void *context, const struct assay_retired *before,
                   const struct assay_retired *executed, uint64_t next)
{
    const struct etrace_facts *f = context;
    const struct etrace_instruction i = classify(f, executed);
    switch (i.flow) {
    case ETRACE_FLOW_NONE:
        return next == ((i.pc + i.size) & f->reading.mask);
    case ETRACE_FLOW_JUMP:
        return next == (i.target & f->reading.mask);
    case ETRACE_FLOW_RETURN:
        return f->layout[ETRACE_RETURN_STACK_SIZE] != 0 ||
               f->layout[ETRACE_CALL_COUNTER_SIZE] != 0 || infers_in_sequence(f, before, &i, next);
    case ETRACE_FLOW_INDIRECT:
        return infers_in_sequence(f, before, &i, next);
    default:
        return false;
    }
}

/* Whether the last instruction of a run, in a loop that leaves nothing in the trace, can have been
 * executed before or after the path came to it first: it was reported, but not as the one where the
 * path begins, or as the target of a discontinuity. */
static bool can_repeat(uint64_t facts)
{
    switch (facts >> STOPPED_BIT & STOPPED) {
    case ETRACE_AT_ADDRESS:
    case ETRACE_AT_NOTIFIED:
        return true;
    case ETRACE_AT_SYNC:
        return (facts >> ENTERED_BIT & ENTERED) < ETRACE_BY_SYNC;
    default:
        return false;
    }
}

/* Whether a run is of a program; what is not is missing in the recording of a process. */
static bool is_user(const struct assay_event *run)
{
    return etrace_is_user(run->cells[ETRACE_RUN_FLAGS] & PRIVILEGE);
}

static bool is_of_system(struct etrace_facts *f, const struct assay_event *run)
{
    return !is_user(run) && assay_process_lacks(&f->process, run->cells[ETRACE_RUN_ADDRESS]);
}

/* A process goes on after what the system did, but perhaps not where it was: other harts can have
 * executed it meanwhile. */
static bool is_after_system(const struct etrace_facts *f, const struct assay_event *run)
{
    return f->process.recorded && is_user(run) &&
           (run->cells[ETRACE_RUN_FLAGS] >> ANNOUNCED_BIT & 1) != 0;
}

static bool is_resumed(const struct etrace_facts *f, const struct assay_event *run)
{
    return (run->cells[ETRACE_RUN_FLAGS] >> ENTERED_BIT & ENTERED) == ETRACE_BY_SYNC ||
           is_after_system(f, run);
}

static void step_of(void *context, const struct assay_event *event, struct assay_compare_run *run,
                    struct assay_compare_step *step)
{
    struct etrace_facts *f = context;
    const bool repeats =
        run->at + 1 == count_of(event) && can_repeat(event->cells[ETRACE_RUN_FLAGS]);
    const struct etrace_instruction i = read_compared(f, event->cells, run->place[0]);
    if (is_of_system(f, event)) {
        run->place[0] += i.size;
        *step = (struct assay_compare_step){.flags = ASSAY_STEP_SYSTEM};
        return;
    }
    run->place[0] += i.size;
    *step = (struct assay_compare_step){.step = {.pc = i.pc,
                                                 .word = i.word,
                                                 .resumes = run->at == 0 && is_resumed(f, event),
                                                 .repeats = repeats},
                                        .flags = is_call(i.word) ? ASSAY_STEP_UNCOMPARED : 0};
}

/* But for the last one, of which more is to be said. */
static struct assay_line line_of(void *context, const struct assay_event *event,
                                 const struct assay_compare_run *run)
{
    struct etrace_facts *f = context;
    const uint32_t left = count_of(event) - run->at;
    struct assay_line line = {.compressed = true};
    if (left > 1 && !(run->at == 0 && is_resumed(f, event)) && !is_of_system(f, event)) {
        select_compared(f, event->cells);
        line.pc = event->cells[ETRACE_RUN_ADDRESS] + run->place[0];
        line.bytes = assay_image_at(&f->compared, line.pc, &line.length);
        line.count = line.bytes != NULL ? left - 1 : 0;
    }
    return line;
}

/* The level of an instruction that was executed where the trace has it, and that of the trace as
 * recordings have them, above its word. */
static uint64_t executed_level(uint64_t facts, const struct assay_compare_match *match)
{
    enum { LEVEL_BIT = 32, KNOWN_BIT = 34, HOST_BIT = 35, VU = 5 };
    const struct assay_retired *executed = match->executed;
    const uint64_t privilege = facts & PRIVILEGE;
    return executed != NULL && match->same && match->outcome == ASSAY_OUTCOME_SAME &&
                   executed->level != ASSAY_EXECUTION_LEVEL_UNKNOWN
               ? (uint64_t)executed->level << LEVEL_BIT | UINT64_C(1) << KNOWN_BIT |
                     (privilege >= VU ? privilege - VU : privilege) << HOST_BIT
               : 0;
}

/* Says of which instruction of the run the fields of the comparison are, each time that the stage
 * has set them: it clears the bit. */
static void compare(void *context, const struct assay_event *event, uint32_t at,
                    const struct assay_compare_match *match, uint64_t *cells)
{
    struct etrace_facts *f = context;
    uint64_t *flags = &cells[ETRACE_COMPARE + ASSAY_COMPARE_FLAGS];
    uint64_t offset = 0;
    if (match != NULL) {
        f->alignment = match->outcome == ASSAY_OUTCOME_SAME ? match->alignment : NULL;
    }
    if (match == NULL || (*flags >> ASSAY_COMPARED_BIT & 1) != 0) {
        return;
    }
    *flags |= UINT64_C(1) << ASSAY_COMPARED_BIT;
    if (at == 0 && match->same) {
        cells[ETRACE_COMPARED_PC] = match->executed->pc;
        cells[ETRACE_COMPARED_WORD] =
            match->executed->word | executed_level(cells[ETRACE_RUN_FLAGS], match);
        return;
    }
    for (uint32_t n = 0; n <= at; n++) {
        const struct etrace_instruction i = read_compared(f, event->cells, offset);
        cells[ETRACE_COMPARED_PC] = i.pc;
        cells[ETRACE_COMPARED_WORD] = i.word;
        offset += i.size;
    }
    cells[ETRACE_COMPARED_WORD] |= executed_level(cells[ETRACE_RUN_FLAGS], match);
}

/* The trap after the last run, if one alone was taken there, and led to the handler that the trace
 * has next. */
static const struct assay_trap *executed_trap(struct assay_alignment *alignment,
                                              const struct assay_event *trap)
{
    const struct assay_retired *handler = assay_alignment_expected(alignment);
    const bool known = (trap->cells[ETRACE_RUN_FLAGS] >> HANDLER_BIT & 1) != 0;
    if (handler == NULL || (known && trap->cells[ETRACE_RUN_ADDRESS] != handler->pc)) {
        return NULL;
    }
    return assay_alignment_trap(alignment);
}

/* Of xcause. */
static unsigned interrupt_bit(const struct assay_alignment *alignment)
{
    const struct assay_execution_header *header =
        assay_execution_header(alignment->window.execution);
    return header->isa == ASSAY_EXECUTION_RISCV32 ? 31 : 63;
}

/* A trap, with the one that was taken. */
static void compare_trap(void *context, const struct assay_event *event, uint64_t *cells)
{
    struct etrace_facts *f = context;
    struct assay_alignment *alignment = f->alignment;
    const struct assay_trap *executed = alignment != NULL ? executed_trap(alignment, event) : NULL;
    const unsigned top = alignment != NULL ? interrupt_bit(alignment) : 0;
    uint64_t *fields = &cells[ETRACE_EXECUTED_TRAP];
    f->alignment = NULL;
    memset(fields, 0, EXECUTED_TRAP_CELLS * sizeof fields[0]);
    if (executed != NULL) {
        const uint64_t interrupt = executed->cause >> top & 1;
        const uint64_t cause = executed->cause & ~(UINT64_C(1) << top);
        fields[0] = 1 | interrupt << 1 | (uint64_t)executed->value_known << 2;
        fields[1] = cause & assay_mask((unsigned)f->layout[ETRACE_ECAUSE_WIDTH]);
        fields[2] = executed->value & f->reading.mask;
        fields[3] = executed->from & f->reading.mask;
    }
}

static struct assay_process *process_of(void *context)
{
    return &((struct etrace_facts *)context)->process;
}

enum assay_error etrace_compare_add(struct assay_chain *chain, struct assay_stage *facts,
                                    const struct assay_decode_input *input, struct assay_diag *diag)
{
    static const uint8_t roles[ETRACE_KIND_COUNT] = {[ETRACE_run] = ASSAY_COMPARE_INSTRUCTION,
                                                     [ETRACE_trap] = ASSAY_COMPARE_NOTE,
                                                     [ETRACE_trace_end] = ASSAY_COMPARE_END};
    static const struct assay_compare_format format = {.format = &assay_format_etrace,
                                                       .isas = 1 << ASSAY_EXECUTION_RISCV64 |
                                                               1 << ASSAY_EXECUTION_RISCV32,
                                                       .roles = roles,
                                                       .raises = is_call,
                                                       .infers = infers,
                                                       .first = ETRACE_COMPARE,
                                                       .end_cells = 0,
                                                       .run = count_of,
                                                       .step = step_of,
                                                       .line = line_of,
                                                       .process = process_of,
                                                       .compare = compare,
                                                       .note = compare_trap};
    struct etrace_facts *f = ((struct etrace_facts_stage *)facts)->facts;
    if (input->execution !=
        NULL) { /* what another hart executes is not in it, which is a finding */
        etrace_facts_decide_harts(facts);
    }
    return assay_compare_add(chain, &format, f, input, f->packets, diag);
}
