/* What of the instructions of a run is compared with a recorded execution: their addresses and
 * words. */
#include "execution/compare.h"

#include "ete/facts/facts.h"
#include "execution/execution.h"

enum { EL = 3 };

_Static_assert(ETE_COMPARE + ASSAY_COMPARE_ROOM == ETE_INSTRUCTION_CELLS,
               "the comparison clears its cells alone, and those that the facts have read");

/* Reads an instruction of a run again, at `offset` bytes in it. Returns its size; 0: there is none.
 */
static unsigned read_again(struct ete_compared *a, const uint64_t *run, uint64_t offset,
                           uint64_t *pc, uint32_t *word)
{
    *pc = ete_again(&a->again, run, offset);
    return ete_read_instruction(&a->again, *pc, ete_set_of(run), word);
}

static uint32_t count_of(const struct assay_event *run)
{
    return ete_count_of(run->cells);
}

/* A process goes on after what the system did, but perhaps not where it was: other PEs can have
 * executed it meanwhile. */
static bool is_after_unrecorded(const struct ete_compared *a, uint64_t facts)
{
    return a->process.recorded && (facts >> AFTER_SYSTEM_BIT & 1) != 0;
}

/* What is executed at EL1 and above is not in the recording of a process. */
static bool is_of_system(const struct ete_compared *a, uint64_t facts)
{
    return a->process.recorded && (facts >> EL_BIT & EL) != 0;
}

static uint32_t counted_before(const struct assay_event *run)
{
    return (uint32_t)(run->cells[ETE_RUN_LAST_WORD] >> COUNTED_BIT) & COUNTED_MOST;
}

/* Whether the first instruction of a run need not follow what was executed before it. */
static bool is_resumed(const struct ete_compared *a, uint64_t facts)
{
    return (facts >> RESUMES_BIT & 1) != 0 || is_after_unrecorded(a, facts);
}

static void step_of(void *context, const struct assay_event *event, struct assay_compare_run *run,
                    struct assay_compare_step *step)
{
    struct ete_compared *a = context;
    const uint64_t facts = event->cells[ETE_RUN_FLAGS];
    uint64_t pc = 0;
    uint32_t word = 0;
    if (is_of_system(a, facts)) {
        *step = (struct assay_compare_step){.flags = ASSAY_STEP_SYSTEM};
        return;
    }
    run->place[0] += read_again(a, event->cells, run->place[0], &pc, &word);
    *step = (struct assay_compare_step){
        .step = {.pc = pc,
                 .word = word,
                 .resumes = run->at == 0 && is_resumed(a, facts),
                 .counted =
                     run->at == 0 && !is_after_unrecorded(a, facts) ? counted_before(event) : 0}};
}

static struct assay_line line_of(void *context, const struct assay_event *event,
                                 const struct assay_compare_run *run)
{
    struct ete_compared *a = context;
    const uint64_t facts = event->cells[ETE_RUN_FLAGS];
    struct assay_line line = {0};
    const bool begins = run->at == 0 && (is_resumed(a, facts) || counted_before(event) > 0);
    if (ete_set_of(event->cells) != ARM_T32 && !is_of_system(a, facts) && !begins) {
        line.pc = ete_again(&a->again, event->cells, run->place[0]);
        line.bytes = assay_image_at(&a->again, line.pc, &line.length);
        line.count = line.bytes != NULL ? count_of(event) - run->at : 0;
    }
    return line;
}

/* The Exception level of an instruction that was executed where the trace has it, and whether an
 * exception led to it, above its word. */
static uint64_t executed_el(const struct ete_compared *a, uint64_t facts, bool excepted,
                            const struct assay_compare_match *match)
{
    const struct assay_retired *executed = match->executed;
    if (executed == NULL || !match->same || match->outcome != ASSAY_OUTCOME_SAME) {
        return 0;
    }
    const uint64_t el = executed->level != ASSAY_EXECUTION_LEVEL_UNKNOWN
                            ? (uint64_t)executed->level << ETE_BIT_run_executed_el |
                                  UINT64_C(1) << ETE_BIT_run_executed_el_known
                            : 0;
    const bool announced = excepted || is_resumed(a, facts);
    return el | (uint64_t)(executed->trap != 0) << ETE_BIT_run_executed_handler |
           (uint64_t)announced << ETE_BIT_run_announced;
}

/* Says of which instruction of the run the fields of the comparison are, each time that the stage
 * has set them: it clears the bit. */
static void compare(void *context, const struct assay_event *event, uint32_t at,
                    const struct assay_compare_match *match, uint64_t *cells)
{
    struct ete_compared *a = context;
    uint64_t *flags = &cells[ETE_COMPARE + ASSAY_COMPARE_FLAGS];
    uint64_t offset = 0;
    uint32_t word = 0;
    const bool excepted = a->excepted;
    a->taken = false;
    a->excepted = false;
    if (match != NULL) {
        a->alignment = match->outcome == ASSAY_OUTCOME_SAME ? match->alignment : NULL;
    }
    if (match == NULL || (*flags >> ASSAY_COMPARED_BIT & 1) != 0) {
        return;
    }
    *flags |= UINT64_C(1) << ASSAY_COMPARED_BIT;
    if (at == 0 && match->same) {
        cells[ETE_COMPARED_PC] = match->executed->pc;
        word = match->executed->word;
    } else {
        for (uint32_t i = 0; i <= at; i++) {
            offset += read_again(a, event->cells, offset, &cells[ETE_COMPARED_PC], &word);
        }
    }
    cells[ETE_COMPARED_WORD] = word | executed_el(a, cells[ETE_RUN_FLAGS], excepted, match);
    *flags |= (uint64_t)is_after_unrecorded(a, cells[ETE_RUN_FLAGS])
              << ETE_BIT_run_after_unrecorded;
}

/* --- exceptions --- */

/* The types that the manual's chapter on packets gives. */
enum {
    TYPE_CALL = 2,
    TYPE_TRAP = 3,
    TYPE_SYSTEM_ERROR = 4,
    TYPE_DATA_DEBUG = 7,
    TYPE_ALIGNMENT = 10,
    TYPE_INST_FAULT = 11,
    TYPE_DATA_FAULT = 12,
    TYPE_IRQ = 14,
    TYPE_FIQ = 15
};

/* The type by ESR_ELx, of an exception that is synchronous by its vector; 0: it does not tell. A
 * Data Abort by an Alignment fault can be either of two. */
static unsigned type_of_syndrome(uint64_t syndrome)
{
    enum { CLASS_BIT = 26, CLASS = 0x3f, STATUS = 0x3f, MISALIGNED = 0x21 };
    switch (syndrome >> CLASS_BIT & CLASS) {
    case 0x00: /* an undefined instruction; trapped: WFI and its like, floating-point, MSR */
    case 0x01:
    case 0x07:
    case 0x18:
        return TYPE_TRAP;
    case 0x15: /* SVC, HVC, SMC */
    case 0x16:
    case 0x17:
        return TYPE_CALL;
    case 0x20:
    case 0x21:
        return TYPE_INST_FAULT;
    case 0x22: /* PC and SP */
    case 0x26:
        return TYPE_ALIGNMENT;
    case 0x24:
    case 0x25:
        return (syndrome & STATUS) != MISALIGNED ? TYPE_DATA_FAULT : 0;
    case 0x34:
    case 0x35:
        return TYPE_DATA_DEBUG;
    default:
        return 0;
    }
}

/* The type of an exception to a handler, by its vector, as interrupts leave ESR_ELx as it was. */
static unsigned type_of(const struct assay_trap *trap, uint64_t handler)
{
    enum { SYNCHRONOUS, IRQ, FIQ, VECTOR_BIT = 7 };
    if ((handler & ((1 << VECTOR_BIT) - 1)) != 0) {
        return 0;
    }
    switch (handler >> VECTOR_BIT & 3) {
    case SYNCHRONOUS:
        return type_of_syndrome(trap->cause);
    case IRQ:
        return TYPE_IRQ;
    case FIQ:
        return TYPE_FIQ;
    default:
        return TYPE_SYSTEM_ERROR;
    }
}

/* The exception after the last run, if one alone was taken there, and led to the Target Address. */
static void compare_exception(void *context, const struct assay_event *event, uint64_t *cells)
{
    struct ete_compared *a = context;
    struct assay_alignment *alignment = a->alignment;
    const bool stated = (event->cells[ETE_RUN_FLAGS] >> STATED_BIT & 1) != 0;
    cells[ETE_COMPARE] = 0;
    cells[ETE_EXECUTED_RETURN] = 0;
    a->alignment = NULL;
    a->excepted = true;
    if (alignment == NULL || !stated) {
        cells[ETE_COMPARE] = (uint64_t)a->taken << ETE_BIT_exception_taken_more_than_executed;
        return;
    }
    const struct assay_retired *handler = assay_alignment_expected(alignment);
    const struct assay_trap *trap = assay_alignment_trap(alignment);
    if (handler != NULL && trap != NULL && handler->pc == event->cells[ETE_RUN_STATED]) {
        const unsigned type = type_of(trap, handler->pc);
        cells[ETE_COMPARE] = (uint64_t)type << ETE_BIT_exception_taken_executed_type |
                             (uint64_t)(type != 0) << ETE_BIT_exception_taken_executed_exception |
                             UINT64_C(1) << ETE_BIT_exception_taken_executed_return_known;
        cells[ETE_EXECUTED_RETURN] = trap->from;
        a->taken = true;
    }
}

static struct assay_process *process_of(void *context)
{
    return &((struct ete_compared *)context)->process;
}

/* Where a branch led is certain where nothing that was discarded or lost can say otherwise. Of the
 * last one of a Q element only a Target Address says it, where it can have led there. */
static bool leads(void *context, const struct assay_event *event, uint64_t *to)
{
    const uint64_t *cells = event->cells;
    const uint64_t facts = cells[ETE_RUN_FLAGS];
    const unsigned last = facts >> LAST_BIT & 0xf;
    const bool computed = (facts >> COMPUTED_BIT & 1) != 0;
    const bool stated = (facts >> STATED_BIT & 1) != 0;
    const bool by_q = (facts >> BY_BIT & 3) == ETE_BY_Q;
    (void)context;
    *to = cells[computed ? ETE_RUN_COMPUTED : ETE_RUN_STATED];
    return (last == ETE_P0_DIRECT || last == ETE_P0_INDIRECT) &&
           (facts >> UNCERTAIN_BIT & 1) == 0 &&
           (by_q ? stated && cells[ETE_Q_TARGET] == cells[ETE_Q_END] : computed || stated);
}

/* A direct branch leads to its target, or to what is after it. An indirect one leads anywhere. So
 * does the signal of a process right after it, which its recording does not tell from it, while the
 * exceptions of a machine lead to vectors: multiples of 128 bytes (VBAR_ELx). */
static bool can_lead(void *context, const struct assay_event *event, uint64_t pc, bool diverted)
{
    const uint64_t *cells = event->cells;
    const uint64_t facts = cells[ETE_RUN_FLAGS];
    if (ete_set_of(cells) != ARM_A64) {
        return false;
    }
    if ((facts >> LAST_BIT & 0xf) == ETE_P0_INDIRECT) {
        return !process_of(context)->recorded && pc % 0x80 != 0 && !diverted;
    }
    const struct arm_flow flow =
        arm_flow_a64((uint32_t)cells[ETE_RUN_LAST_WORD], cells[ETE_RUN_END] - 4);
    return pc == cells[ETE_RUN_END] || pc == flow.target;
}

static void went_on(uint64_t pc, uint64_t *cells)
{
    cells[ETE_COMPARE + ASSAY_COMPARE_FLAGS] |= UINT64_C(1) << ETE_BIT_run_next_known;
    cells[ETE_EXECUTED_NEXT] = pc;
}

enum assay_error ete_compare_add(struct assay_chain *chain, struct ete_compared *compared,
                                 const struct assay_decode_input *input, struct assay_diag *diag)
{
    static const uint8_t roles[ETE_KIND_COUNT] = {[ETE_run] = ASSAY_COMPARE_INSTRUCTION,
                                                  [ETE_exception_taken] = ASSAY_COMPARE_NOTE,
                                                  [ETE_trace_end] = ASSAY_COMPARE_END};
    static const struct assay_compare_format format = {.format = &assay_format_ete,
                                                       .isas = 1 << ASSAY_EXECUTION_AARCH64,
                                                       .roles = roles,
                                                       .first = ETE_COMPARE,
                                                       .end_cells = 0,
                                                       .run = count_of,
                                                       .step = step_of,
                                                       .line = line_of,
                                                       .leads = leads,
                                                       .can_lead = can_lead,
                                                       .went_on = went_on,
                                                       .process = process_of,
                                                       .compare = compare,
                                                       .note = compare_exception};
    assay_image_cursor_open(&compared->again, input->images);
    return assay_compare_add(chain, &format, compared, input,
                             assay_step_history(chain->stages[ETE_RESOLVED_ELEMENT]), diag);
}
