/* Traps: the instruction that raised an exception, by the program and by the packet, and where the
 * packet comes in the stream. */
#include "etrace/facts/state.h"

enum { ECALL = 0x73 };

static unsigned flow_of(const uint64_t *run)
{
    return run[ETRACE_RUN_FLAGS] >> LAST_BIT & 7;
}

/* Where the last instruction of the path, a branch or an inferable jump, leads to. */
static uint64_t target_of(const struct etrace_facts *f)
{
    const uint64_t address = f->last[ETRACE_RUN_LAST_ADDRESS];
    return etrace_classify(address, (uint32_t)f->last[ETRACE_RUN_LAST_WORD],
                           (unsigned)(f->last[ETRACE_RUN_END] - address), &f->reading)
        .target;
}

/* What the program has after the last instruction: the one that raised an exception. Size 0: it
 * does not say which that is. */
static struct etrace_instruction raised_by(struct etrace_facts *f)
{
    const unsigned flow = flow_of(f->last);
    const uint64_t outcome = f->last[ETRACE_RUN_FLAGS] >> OUTCOME_BIT & 3;
    uint64_t next = f->last[ETRACE_RUN_END];
    if (flow == ETRACE_FLOW_JUMP || (flow == ETRACE_FLOW_BRANCH && outcome == ETRACE_TAKEN)) {
        next = target_of(f);
    } else if (flow != ETRACE_FLOW_NONE &&
               (flow != ETRACE_FLOW_BRANCH || outcome == ETRACE_NO_OUTCOME)) {
        return (struct etrace_instruction){.size = 0};
    }
    return etrace_instruction_at(&f->cursor, next & f->reading.mask, &f->reading);
}

/* Whether nothing but a packet says where the last instruction leads to, whatever retired before.
 */
static bool is_after_jump(const struct etrace_facts *f)
{
    switch (flow_of(f->last)) {
    case ETRACE_FLOW_XRET:
        return true;
    case ETRACE_FLOW_INDIRECT:
        return f->layout[ETRACE_SIJUMP] == 0;
    case ETRACE_FLOW_RETURN:
        return f->layout[ETRACE_SIJUMP] == 0 && f->layout[ETRACE_IMPLICIT_RETURN] == 0;
    default:
        return false;
    }
}

/* By where the path was. */
static uint64_t facts_of_last(struct etrace_facts *f)
{
    const struct etrace_instruction raised = raised_by(f);
    return (uint64_t)(raised.size > 0) << RAISED_BIT |
           (uint64_t)(raised.word == ECALL) << CALLED_BIT |
           (uint64_t)is_after_jump(f) << AFTER_JUMP_BIT;
}

/* By the instruction at the address of the packet, which with thaddr 0 is that of the exception, if
 * it is one of anything (7.3.1 of version 2.0). */
static uint64_t facts_of_epc(struct etrace_facts *f, const struct assay_event *packet)
{
    const struct etrace_instruction i = etrace_instruction_at(
        &f->cursor, packet->cells[ETRACE_CELL_exception_address] & f->reading.mask, &f->reading);
    return (uint64_t)i.flow << EPC_FLOW_BIT | (uint64_t)(i.size > 0) << EPC_KNOWN_BIT |
           (uint64_t)(i.word == ECALL) << EPC_CALLED_BIT;
}

uint64_t etrace_trap_facts(struct etrace_facts *f, const struct assay_event *trap)
{
    assay_image_select_number(&f->cursor, (uint32_t)(trap->cells[ETRACE_RUN_COUNT] >> SPACE_BIT));
    return (f->last != NULL ? facts_of_last(f) : 0) | facts_of_epc(f, trap->from) |
           (uint64_t)f->unhandled << SECOND_TRAP_BIT |
           (uint64_t)etrace_facts_resynchronised(f) << RESYNCHRONISED_BIT;
}
