#include "execution/successor.h"

#include "isa/arm_flow.h"
#include "isa/rv.h"

static bool can_follow_a64(const struct assay_executed *before, uint64_t next)
{
    const struct arm_flow flow = arm_flow_a64(before->word, before->address);
    switch (flow.kind) {
    case ARM_FLOW_OTHER:
        return next == before->address + before->size;
    case ARM_FLOW_DIRECT:
        return next == flow.target || (flow.conditional && next == before->address + before->size);
    default:
        return true;
    }
}

static bool can_follow_rv(enum rv_isa isa, uint64_t mask, const struct assay_executed *before,
                          uint64_t next)
{
    const uint64_t info = rv_classify(before->word, isa);
    const unsigned transfer = rv_info_transfer(info);
    const bool is_after = next == ((before->address + before->size) & mask);
    uint64_t target = 0;
    if (rv_info_is_trap_return(info) || rv_info_is_exception_generating(info) ||
        rv_info_class(info) == RV_UNKNOWN) {
        return true;
    }
    if (transfer == RV_TRANSFER_NONE) {
        return is_after;
    }
    if (!rv_direct_target(before->word, isa, before->address, &target)) {
        return true;
    }
    return next == (target & mask) || (transfer == RV_TRANSFER_CONDITIONAL && is_after);
}

/* A recording does not say whether the hart has Zcmp and Zcmt: it can be either. */
bool assay_execution_can_follow(enum assay_execution_isa isa, const struct assay_executed *before,
                                uint64_t next)
{
    switch (isa) {
    case ASSAY_EXECUTION_AARCH64:
        return can_follow_a64(before, next);
    case ASSAY_EXECUTION_RISCV64:
        return can_follow_rv(RV_64, UINT64_MAX, before, next) ||
               can_follow_rv(RV_64_ZCM, UINT64_MAX, before, next);
    default:
        return can_follow_rv(RV_32, UINT32_MAX, before, next) ||
               can_follow_rv(RV_32_ZCM, UINT32_MAX, before, next);
    }
}
