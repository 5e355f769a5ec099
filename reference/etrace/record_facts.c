#include "etrace/record_facts.h"

#include "etrace/etrace.h"
#include "etrace/ingress.h"

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
                                         .narrow = layout[ETRACE_ITYPE_WIDTH] < 4};
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

/* --- the program --- */

static void read_program(struct assay_image_cursor *cursor, const struct etrace_reading *reading,
                         const struct etrace_block *block, struct etrace_instruction *before,
                         struct etrace_block_facts *facts)
{
    uint64_t at = 0;
    while (at < facts->bytes && facts->bytes <= BYTES_MOST) {
        const struct etrace_instruction i =
            etrace_instruction_at(cursor, block->signal[ETRACE_SIGNAL_IADDR] + at, reading);
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
    }
    facts->in_program = at > 0 && at >= facts->bytes;
    facts->fits = facts->in_program && at == facts->bytes;
}

/* --- types --- */

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

void etrace_block_facts(struct assay_image_cursor *cursor,
                        const struct etrace_block_reading *reading,
                        const struct etrace_block *block, const struct etrace_instruction *before,
                        const struct etrace_block *next, struct etrace_block_facts *facts)
{
    uint64_t target = 0;
    struct etrace_instruction previous = *before;
    *facts = (struct etrace_block_facts){0};
    if (!etrace_block_retires(block)) {
        return;
    }
    place(reading, block, facts);
    read_program(cursor, &reading->program, block, &previous, facts);
    find_itype(reading, next, facts);
    facts->sequential =
        facts->fits && is_jump(&facts->instruction) &&
        etrace_sequential_target(&previous, &facts->instruction, &reading->program, &target);
    if (!etrace_block_traps(block) && (!block->retired || facts->has_itype)) {
        find_next(reading, block->retired ? facts->itype : block->signal[ETRACE_SIGNAL_ITYPE],
                  facts);
    }
}
