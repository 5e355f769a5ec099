#include "etrace/interface/block_facts.h"

#include "etrace/etrace.h"
#include "etrace/interface/signals.h"

/* A block has few instructions. Of one with more bytes than these the program is not read. */
enum { HALF = 2, BYTES_MOST = 1 << 10 };

/* --- places --- */

uint64_t etrace_block_last_size(const struct etrace_block *block)
{
    const uint64_t size = block->signal[ETRACE_SIGNAL_ILASTSIZE];
    return size < 5 ? (uint64_t)HALF << size : 0;
}

struct etrace_block_reading etrace_block_reading_of(const uint64_t *layout)
{
    return (struct etrace_block_reading){.program = etrace_reading_of(layout),
                                         .single = layout[ETRACE_RETIRES] == 1,
                                         .narrow = layout[ETRACE_ITYPE_WIDTH] < 4,
                                         .multiple = layout[ETRACE_WIRE] >= ETRACE_2_0,
                                         .infers_returns = layout[ETRACE_RETURN_STACK_SIZE] != 0 ||
                                                           layout[ETRACE_CALL_COUNTER_SIZE] != 0};
}

uint64_t etrace_block_bytes(const struct etrace_block_reading *reading,
                            const struct etrace_block *block)
{
    const uint64_t iretire = block->signal[ETRACE_SIGNAL_IRETIRE];
    return iretire * (reading->single || block->retired ? etrace_block_last_size(block) : HALF);
}

static void place(const struct etrace_block_reading *reading, const struct etrace_block *block,
                  struct etrace_block_facts *facts)
{
    const uint64_t size = etrace_block_last_size(block);
    facts->bytes = etrace_block_bytes(reading, block);
    facts->after = (block->signal[ETRACE_SIGNAL_IADDR] + facts->bytes) & reading->program.mask;
    facts->last = (facts->after - size) & reading->program.mask;
}

/* --- instructions of several accesses --- */

/* Registers of the access in the line of a block, which can be of several. */
static uint32_t registers_of(const struct etrace_block *block, uint32_t bytes)
{
    enum { LOG_MOST = 8 };
    const uint64_t log = block->signal[ETRACE_SIGNAL_DSIZE];
    const bool accesses = block->signal[ETRACE_SIGNAL_DRETIRE] != 0 &&
                          block->signal[ETRACE_SIGNAL_DTYPE] <= ETRACE_DTYPE_STORE;
    return accesses && log < LOG_MOST && UINT32_C(1) << log > bytes ? (UINT32_C(1) << log) / bytes
                                                                    : 1;
}

/* The last instruction of a block goes on, by the type of that, or a table that has none. */
static bool can_go_on(const struct etrace_block *block, const struct etrace_instruction *i,
                      const struct etrace_reports *reports)
{
    if (block->retired) {
        return i->flow != ETRACE_FLOW_RETURN || reports->made < reports->due;
    }
    return block->signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_NONE;
}

/* The instruction at hand is reported by the block. */
static void take_report(const struct etrace_block_reading *reading,
                        const struct etrace_block *block, const struct etrace_reports *open,
                        bool is_last, struct etrace_block_facts *facts)
{
    const struct etrace_instruction *i = &facts->instruction;
    const bool is_first = facts->count == 1;
    const bool alone = is_first && is_last;
    uint32_t bytes = 0;
    const uint32_t due = etrace_multiple(i->word, reading->program.isa, &bytes);
    if (due == 0 && !etrace_multiple_unknown(i->word, reading->program.isa)) {
        return;
    }
    const uint32_t registers = registers_of(block, bytes);
    const bool again = is_first && facts->repeated > 0;
    const bool unknown = is_first && open->partial && (again || open->made == 0);
    const struct etrace_reports r = {.address = i->pc,
                                     .word = i->word,
                                     .due = due,
                                     .made = (alone ? registers : 1) + (again ? open->made : 0),
                                     .partial = unknown || (!alone && registers > 1)};
    facts->last_of = r;
    if (is_last && can_go_on(block, i, &r)) {
        facts->open = r;
    } else if (due > 0 && !(is_last && etrace_block_traps(block)) &&
               facts->wholes < ETRACE_BLOCK_WHOLE) {
        facts->whole[facts->wholes++] = r;
    }
}

/* --- the program --- */

static void read_program(struct assay_image_cursor *cursor,
                         const struct etrace_block_reading *reading,
                         const struct etrace_block *block, const struct etrace_reports *open,
                         struct etrace_instruction *before, struct etrace_block_facts *facts)
{
    const bool again =
        reading->multiple && open->made > 0 &&
        (block->signal[ETRACE_SIGNAL_IADDR] & reading->program.mask) == open->address;
    uint64_t at = 0;
    while (at < facts->bytes && facts->bytes <= BYTES_MOST) {
        const struct etrace_instruction i = etrace_instruction_at(
            cursor, block->signal[ETRACE_SIGNAL_IADDR] + at, &reading->program);
        if (i.size == 0) {
            return;
        }
        if (facts->count > 0) {
            *before = facts->instruction;
            facts->inner += facts->instruction.flow != ETRACE_FLOW_NONE;
        }
        facts->instruction = i;
        facts->count++;
        at += i.size;
        facts->repeated = facts->count == 1 && again ? i.size : facts->repeated;
        facts->last_of.made = 0;
        if (reading->multiple) {
            take_report(reading, block, open, at >= facts->bytes, facts);
        }
    }
    facts->in_program = at > 0 && at >= facts->bytes;
    facts->unfinished = facts->in_program ? (uint32_t)(at - facts->bytes) : 0;
    facts->fits = facts->in_program && facts->unfinished == 0;
}

/* --- types --- */

/* Whether the block after it is another report of its last instruction. */
static bool is_followed(const struct etrace_block_reading *reading, const struct etrace_block *next,
                        const struct etrace_block_facts *facts)
{
    return facts->open.made > 0 && next != NULL && etrace_block_retires(next) &&
           (next->signal[ETRACE_SIGNAL_IADDR] & reading->program.mask) == facts->open.address;
}

/* Of a return that is reported several times the last report says so, and what is the last one of
 * them, where the record goes on. */
static void find_itype_of_reports(const struct etrace_block_reading *reading,
                                  const struct etrace_block *next, struct etrace_block_facts *facts)
{
    const bool open = facts->open.made > 0;
    if (facts->last_of.made == 0 || facts->last_of.due < 2) {
        return;
    }
    facts->has_itype = facts->has_itype && (!open || (next != NULL && etrace_block_retires(next)));
    if (is_followed(reading, next, facts)) {
        facts->itype = ETRACE_ITYPE_NONE;
    }
}

/* The outcome of a branch follows from where the record goes on, unless both are the same. */
static void find_itype(const struct etrace_block_reading *reading, const struct etrace_block *next,
                       struct etrace_block_facts *facts)
{
    const struct etrace_instruction *i = &facts->instruction;
    const bool branches = i->flow == ETRACE_FLOW_BRANCH;
    const bool goes_on = next != NULL && etrace_block_retires(next);
    const uint64_t to = goes_on ? next->signal[ETRACE_SIGNAL_IADDR] & reading->program.mask : 0;
    const uint64_t target = i->target & reading->program.mask;
    facts->has_itype =
        facts->fits &&
        (!branches || (goes_on && target != facts->after && (to == target || to == facts->after)));
    if (facts->has_itype) {
        facts->itype = (uint8_t)etrace_itype_signalled(etrace_itype_of(i, to), reading->narrow);
    }
    find_itype_of_reports(reading, next, facts);
}

static bool is_jump(const struct etrace_instruction *i)
{
    return i->flow == ETRACE_FLOW_INDIRECT || i->flow == ETRACE_FLOW_RETURN;
}

/* Where a block that ends in this type goes on; not known where the program contradicts it. */
static void find_next(const struct etrace_block_reading *reading, uint64_t itype,
                      struct etrace_block_facts *facts)
{
    const struct etrace_instruction *i = &facts->instruction;
    const bool direct = facts->fits && i->flow == ETRACE_FLOW_JUMP;
    const bool branch = facts->fits && i->flow == ETRACE_FLOW_BRANCH;
    const bool goes_on = i->flow == ETRACE_FLOW_NONE || i->flow == ETRACE_FLOW_TRAP;
    facts->next = facts->after;
    switch (itype) {
    case ETRACE_ITYPE_NONE:
        facts->has_next = !facts->fits || goes_on || (direct && reading->narrow);
        break;
    case ETRACE_ITYPE_NOT_TAKEN:
        facts->has_next = !facts->fits || branch;
        return;
    case ETRACE_ITYPE_TAKEN:
        facts->has_next = branch;
        break;
    case ETRACE_ITYPE_INFERABLE_CALL:
    case ETRACE_ITYPE_INFERABLE_TAIL_CALL:
    case ETRACE_ITYPE_INFERABLE_JUMP:
        facts->has_next = direct;
        break;
    default:
        return;
    }
    if (direct || (branch && itype == ETRACE_ITYPE_TAKEN)) {
        facts->next = i->target & reading->program.mask;
    }
}

/* After a report another one of the same instruction can come. */
static void find_next_of_reports(const struct etrace_block_reading *reading,
                                 const struct etrace_block *next, struct etrace_block_facts *facts)
{
    if (facts->open.made == 0) {
        return;
    }
    if (is_followed(reading, next, facts)) {
        facts->has_next = true;
        facts->next = facts->open.address;
    } else {
        facts->has_next = facts->has_next && next != NULL && etrace_block_retires(next);
    }
}

void etrace_block_facts(struct assay_image_cursor *cursor,
                        const struct etrace_block_reading *reading,
                        const struct etrace_block *block, const struct etrace_instruction *before,
                        const struct etrace_reports *open, const struct etrace_block *next,
                        struct etrace_block_facts *facts)
{
    uint64_t target = 0;
    struct etrace_instruction previous = *before;
    *facts = (struct etrace_block_facts){0};
    if (!etrace_block_retires(block)) {
        return;
    }
    place(reading, block, facts);
    read_program(cursor, reading, block, open, &previous, facts);
    find_itype(reading, next, facts);
    facts->sequential =
        facts->fits && is_jump(&facts->instruction) &&
        etrace_sequential_target(&previous, &facts->instruction, &reading->program, &target);
    if (!etrace_block_traps(block) && (!block->retired || facts->has_itype)) {
        find_next(reading, block->retired ? facts->itype : block->signal[ETRACE_SIGNAL_ITYPE],
                  facts);
    }
    find_next_of_reports(reading, next, facts);
}

bool etrace_block_is_quiet(const struct etrace_block_reading *reading,
                           const struct etrace_block *block, const struct etrace_block_facts *facts,
                           uint64_t context_before)
{
    const enum etrace_flow flow = (enum etrace_flow)facts->instruction.flow;
    const bool inferred =
        facts->sequential || (flow == ETRACE_FLOW_RETURN && reading->infers_returns);
    return facts->inner == 0 && !etrace_block_changes_context(block, context_before) &&
           (flow == ETRACE_FLOW_NONE || flow == ETRACE_FLOW_JUMP || flow == ETRACE_FLOW_TRAP ||
            inferred);
}
