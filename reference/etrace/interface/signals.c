#include "etrace/interface/signals.h"

static enum etrace_itype itype_of_jump(const struct etrace_instruction *i)
{
    if (i->call) {
        return ETRACE_ITYPE_INFERABLE_CALL;
    }
    return i->links ? ETRACE_ITYPE_INFERABLE_JUMP : ETRACE_ITYPE_INFERABLE_TAIL_CALL;
}

static enum etrace_itype itype_of_indirect(const struct etrace_instruction *i)
{
    if (i->call) {
        return ETRACE_ITYPE_CALL;
    }
    return i->swap ? ETRACE_ITYPE_SWAP : i->links ? ETRACE_ITYPE_JUMP : ETRACE_ITYPE_TAIL_CALL;
}

enum etrace_itype etrace_itype_of(const struct etrace_instruction *i, uint64_t next)
{
    switch (i->flow) {
    case ETRACE_FLOW_BRANCH:
        /* One to the next instruction is the same either way. */
        return next == i->pc + i->size ? ETRACE_ITYPE_NOT_TAKEN : ETRACE_ITYPE_TAKEN;
    case ETRACE_FLOW_JUMP:
        return itype_of_jump(i);
    case ETRACE_FLOW_INDIRECT:
        return itype_of_indirect(i);
    case ETRACE_FLOW_RETURN:
        return ETRACE_ITYPE_RETURN;
    case ETRACE_FLOW_XRET:
        return ETRACE_ITYPE_XRET;
    default:
        return ETRACE_ITYPE_NONE;
    }
}

enum etrace_itype etrace_itype_signalled(enum etrace_itype itype, bool narrow)
{
    if (!narrow || itype < ETRACE_ITYPE_CALL) {
        return itype;
    }
    switch (itype) {
    case ETRACE_ITYPE_INFERABLE_CALL:
    case ETRACE_ITYPE_INFERABLE_TAIL_CALL:
    case ETRACE_ITYPE_INFERABLE_JUMP:
        return ETRACE_ITYPE_NONE;
    default:
        return ETRACE_ITYPE_UNINFERABLE;
    }
}

struct etrace_ingress etrace_ingress_of(const struct etrace_instruction *before,
                                        const struct etrace_instruction *i, uint64_t next,
                                        const struct etrace_reading *reading)
{
    struct etrace_ingress record = {.iaddr = i->pc,
                                    .itype = (uint8_t)etrace_itype_of(i, next),
                                    .size = i->size,
                                    .retires = true};
    if (i->flow == ETRACE_FLOW_INDIRECT || i->flow == ETRACE_FLOW_RETURN) {
        uint64_t target = 0;
        record.sijump = etrace_sequential_target(before, i, reading, &target) && target == next;
    }
    return record;
}
