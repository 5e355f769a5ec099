/* The instructions of a run: as events of their own, for people, and what of them is compared with
 * a recorded execution, their addresses and words. */
#include "execution/compare.h"

#include <elf.h>
#include <string.h>

#include "etrace/path/path.h"
#include "execution/execution.h"

enum {
    PRIVILEGE = 0xf,
    ENTERED = 0xf,
    STOPPED = 7,
    SIZE = 0x1f,
    NARROW = 2,
    WIDE = 4,
    ECALL = 0x73
};

/* Moves the cursor for reading again to the memory of a run. */
static void select_again(struct etrace_path *p, const uint64_t *run)
{
    assay_image_select_number(&p->again, (uint32_t)(run[COUNT] >> SPACE_BIT));
}

/* An instruction of a run, at `offset` bytes in it; its size is 0 when there is none. */
static struct etrace_instruction read_again(struct etrace_path *p, const uint64_t *run,
                                            uint64_t offset)
{
    select_again(p, run);
    return etrace_instruction_at(&p->again, run[ADDRESS] + offset, &p->reading);
}

static uint32_t count_of(const struct assay_event *run)
{
    return (uint32_t)run->cells[COUNT];
}

bool etrace_expand_run(struct assay_stage *stage, const struct assay_event *run,
                       struct assay_expansion *expansion)
{
    struct etrace_path *p = (struct etrace_path *)stage;
    struct etrace_instruction i = {0};
    if (expansion->number < count_of(run)) {
        assay_image_select_number(&p->shown, (uint32_t)(run->cells[COUNT] >> SPACE_BIT));
        i = etrace_instruction_at(&p->shown, run->cells[ADDRESS] + expansion->at, &p->reading);
    }
    if (i.size == 0) {
        return false;
    }
    memset(expansion->cells, 0, ETRACE_STATIC_CELLS * sizeof *expansion->cells);
    etrace_say_static(&i, &p->reading, expansion->number + 1 == count_of(run), expansion->cells);
    expansion->at += i.size;
    expansion->event.kind = ETRACE_instruction;
    expansion->event.offset = run->offset;
    expansion->event.from = run->from;
    expansion->cells[FACTS] |= run->cells[FACTS] & PRIVILEGE;
    expansion->cells[CONTEXT] = run->cells[CONTEXT];
    return true;
}

bool etrace_instruction(const struct assay_event *event, struct assay_instruction *instruction)
{
    const uint64_t *cells = event->cells;
    if (event->kind != ETRACE_run && event->kind != ETRACE_instruction) {
        return false;
    }
    const bool last = event->kind == ETRACE_run;
    const uint32_t word = (uint32_t)cells[last ? LAST_WORD : WORD];
    *instruction = (struct assay_instruction){.address = cells[last ? LAST_ADDRESS : ADDRESS],
                                              .word = word,
                                              .machine = EM_RISCV,
                                              .bytes = (word & 3) == 3 ? WIDE : NARROW,
                                              .width = 64};
    return true;
}

/* ECALL raises an exception and does not retire. Recordings have it as executed; traces can have
 * either. */
static bool is_call(uint32_t word)
{
    return word == ECALL;
}

static struct etrace_instruction classify(const struct etrace_path *p,
                                          const struct assay_retired *executed)
{
    const unsigned size = (executed->word & 3) == 3 ? WIDE : NARROW;
    return etrace_classify(executed->pc, executed->word, size, &p->reading);
}

static bool infers_in_sequence(const struct etrace_path *p, const struct assay_retired *before,
                               const struct etrace_instruction *jump, uint64_t next)
{
    const struct etrace_instruction previous = classify(p, before);
    uint64_t target = 0;
    return p->layout[ETRACE_SIJUMP_SUPPORTED] != 0 &&
           etrace_sequential_target(&previous, jump, &p->reading, &target) && next == target;
}

/* What the program, the stack of return addresses and inferred jumps show of the path leaves
 * nothing in a trace. Of the options those count that can be switched on. */
static bool infers(void *context, const struct assay_retired *before,
                   const struct assay_retired *executed, uint64_t next)
{
    const struct etrace_path *p = context;
    const struct etrace_instruction i = classify(p, executed);
    switch (i.flow) {
    case ETRACE_FLOW_NONE:
        return next == ((i.pc + i.size) & p->reading.mask);
    case ETRACE_FLOW_JUMP:
        return next == (i.target & p->reading.mask);
    case ETRACE_FLOW_RETURN:
        return p->layout[ETRACE_RETURN_STACK_SIZE] != 0 ||
               p->layout[ETRACE_CALL_COUNTER_SIZE] != 0 || infers_in_sequence(p, before, &i, next);
    case ETRACE_FLOW_INDIRECT:
        return infers_in_sequence(p, before, &i, next);
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

/* Whether instruction `at` of a run is of a program; what is not is missing in the recording of a
 * process. */
static bool is_user(const struct assay_event *run, uint32_t at)
{
    const bool crosses = (run->cells[LAST_WORD] >> CROSSES_BIT & 1) != 0;
    return etrace_is_user(run->cells[FACTS] & PRIVILEGE) != (crosses && at + 1 == count_of(run));
}

static bool is_of_system(struct etrace_path *p, const struct assay_event *run, uint32_t at)
{
    return !is_user(run, at) && assay_process_lacks(&p->process, run->cells[ADDRESS]);
}

/* A process goes on after what the system did, but perhaps not where it was: other harts can have
 * executed it meanwhile. */
static bool is_after_system(const struct etrace_path *p, const struct assay_event *run)
{
    return p->process.recorded && is_user(run, 0) &&
           ((run->cells[LAST_WORD] >> CROSSES_BIT & 1) != 0 ||
            (run->cells[FACTS] >> ANNOUNCED_BIT & 1) != 0);
}

static bool is_resumed(const struct etrace_path *p, const struct assay_event *run)
{
    return (run->cells[FACTS] >> ENTERED_BIT & ENTERED) == ETRACE_BY_SYNC ||
           is_after_system(p, run);
}

static void step_of(void *context, const struct assay_event *event, struct assay_compare_run *run,
                    struct assay_compare_step *step)
{
    struct etrace_path *p = context;
    const bool repeats = run->at + 1 == count_of(event) && can_repeat(event->cells[FACTS]);
    const struct etrace_instruction i = read_again(p, event->cells, run->place[0]);
    if (is_of_system(p, event, run->at)) {
        run->place[0] += i.size;
        *step = (struct assay_compare_step){.flags = ASSAY_STEP_SYSTEM};
        return;
    }
    run->place[0] += i.size;
    *step = (struct assay_compare_step){.step = {.pc = i.pc,
                                                 .word = i.word,
                                                 .resumes = run->at == 0 && is_resumed(p, event),
                                                 .repeats = repeats},
                                        .flags = is_call(i.word) ? ASSAY_STEP_UNCOMPARED : 0};
}

/* But for the last one, of which more is to be said. */
static struct assay_line line_of(void *context, const struct assay_event *event,
                                 const struct assay_compare_run *run)
{
    struct etrace_path *p = context;
    const uint32_t left = count_of(event) - run->at;
    struct assay_line line = {.compressed = true};
    if (left > 1 && !(run->at == 0 && is_resumed(p, event)) && !is_of_system(p, event, run->at)) {
        select_again(p, event->cells);
        line.pc = event->cells[ADDRESS] + run->place[0];
        line.bytes = assay_image_at(&p->again, line.pc, &line.length);
        line.count = line.bytes != NULL ? left - 1 : 0;
    }
    return line;
}

/* Says of which instruction of the run the fields of the comparison are, each time that the stage
 * has set them: it clears the bit. */
static void compare(void *context, const struct assay_event *event, uint32_t at,
                    const struct assay_compare_match *match, uint64_t *cells)
{
    uint64_t *flags = &cells[ETRACE_COMPARE + ASSAY_COMPARE_FLAGS];
    uint64_t offset = 0;
    if (match == NULL || (*flags >> ASSAY_COMPARED_BIT & 1) != 0) {
        return;
    }
    *flags |= UINT64_C(1) << ASSAY_COMPARED_BIT;
    if (at == 0 && match->same) {
        cells[ETRACE_COMPARED_PC] = match->executed->pc;
        cells[ETRACE_COMPARED_WORD] = match->executed->word;
        return;
    }
    for (uint32_t n = 0; n <= at; n++) {
        const struct etrace_instruction i = read_again(context, event->cells, offset);
        cells[ETRACE_COMPARED_PC] = i.pc;
        cells[ETRACE_COMPARED_WORD] = i.word;
        offset += i.size;
    }
}

static struct assay_process *process_of(void *context)
{
    return &((struct etrace_path *)context)->process;
}

enum assay_error etrace_compare_add(struct assay_chain *chain,
                                    const struct assay_decode_input *input, struct assay_diag *diag)
{
    static const uint8_t roles[ETRACE_KIND_COUNT] = {
        [ETRACE_run] = ASSAY_COMPARE_INSTRUCTION, [ETRACE_trace_end] = ASSAY_COMPARE_END};
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
                                                       .compare = compare};
    return assay_compare_add(chain, &format, chain->stages[ETRACE_INSTRUCTION], input,
                             assay_packet_history(chain->stages[ETRACE_PACKET]), diag);
}
