#include "ete/walk.h"

#include "common/bytes.h"
#include "isa/a64.h"
#include "isa/arm_privilege.h"

enum { HALF = 2, WORD = 4 };

unsigned ete_read_instruction(struct assay_image_cursor *cursor, uint64_t pc, enum arm_set set,
                              uint32_t *word)
{
    uint8_t bytes[WORD] = {0};
    const size_t have = assay_image_copy(cursor, pc, bytes, WORD);
    if (set != ARM_T32) {
        *word = assay_load32(bytes);
        return have == WORD ? WORD : 0;
    }
    const uint16_t first = assay_load16(bytes);
    const unsigned size = arm_t32_is_wide(first) ? WORD : HALF;
    *word = size == HALF ? first : (uint32_t)first << 16 | assay_load16(bytes + HALF);
    return have >= size ? size : 0;
}

static struct arm_flow flow_of(uint32_t word, unsigned size, uint64_t pc, enum arm_set set)
{
    if (set == ARM_A64) {
        return arm_flow_a64(word, pc);
    }
    if (set == ARM_A32) {
        return arm_flow_a32(word, (uint32_t)pc);
    }
    return size == WORD ? arm_flow_t32((uint16_t)(word >> 16), (uint16_t)word, (uint32_t)pc)
                        : arm_flow_t32((uint16_t)word, 0, (uint32_t)pc);
}

static enum ete_p0 p0_of(const struct arm_flow *flow, bool wfx_p0)
{
    switch (flow->kind) {
    case ARM_FLOW_DIRECT:
        return ETE_P0_DIRECT;
    case ARM_FLOW_INDIRECT:
    case ARM_FLOW_EXCEPTION_RETURN:
        return ETE_P0_INDIRECT;
    case ARM_FLOW_ISB:
        return ETE_P0_ISB;
    case ARM_FLOW_WFX:
        return wfx_p0 ? ETE_P0_WFX : ETE_P0_NONE;
    case ARM_FLOW_TSTART:
        return ETE_P0_TSTART;
    default:
        return ETE_P0_NONE;
    }
}

/* The SVC by which programs in AArch32 state call a debugger or a model (Arm's specification of
 * semihosting). */
static bool is_semihosting(uint32_t word, enum arm_set set)
{
    return (set == ARM_A32 && (word & 0xffffff) == 0x123456) ||
           (set == ARM_T32 && (word & 0xff) == 0xab);
}

static enum ete_call call_of(const struct arm_flow *flow, uint32_t word, enum arm_set set)
{
    switch (flow->kind) {
    case ARM_FLOW_SVC:
        return flow->conditional           ? ETE_CALL_CONDITIONAL
               : is_semihosting(word, set) ? ETE_CALL_SEMIHOSTING
                                           : ETE_CALL_ALWAYS;
    case ARM_FLOW_HVC:
    case ARM_FLOW_SMC:
        return flow->conditional ? ETE_CALL_CONDITIONAL : ETE_CALL_ALWAYS;
    default:
        return ETE_CALL_NONE;
    }
}

static enum ete_call_kind call_kind_of(const struct arm_flow *flow)
{
    const bool calls = flow->kind >= ARM_FLOW_SVC && flow->kind <= ARM_FLOW_SMC;
    return calls ? (enum ete_call_kind)(ETE_SVC + (flow->kind - ARM_FLOW_SVC)) : ETE_NO_CALL;
}

/* What is of Debug state is undefined outside it, and in it nothing is traced. */
static bool is_undefined(const struct arm_flow *flow, uint32_t word, enum arm_set set)
{
    const bool always = flow->kind == ARM_FLOW_UDF || flow->kind == ARM_FLOW_DEBUG_STATE;
    return (always && !flow->conditional) || (set == ARM_A64 && a64_is_undefined_access(word));
}

/* Below which Exception level an instruction is not executed; 0: none. */
static unsigned lowest_el_of(const struct arm_flow *flow, uint32_t word, unsigned size,
                             enum arm_set set)
{
    if (set == ARM_A64) {
        return a64_lowest_el(word);
    }
    return size == WORD && !flow->conditional ? arm_lowest_el(word) : 0;
}

/* The instruction at the end of a walk is of a sort: it can be the first one. */
static void note(const struct ete_walk *walk, uint16_t *first, bool is)
{
    if (is && *first == 0) {
        *first = (uint16_t)(walk->bytes + 1);
    }
}

/* Adds an instruction to the end of a walk. */
static void add(struct ete_walk *walk, const struct arm_flow *flow, uint32_t word, unsigned size,
                enum arm_set set, bool wfx_p0)
{
    const bool other = set == ARM_A64 && flow->kind == ARM_FLOW_OTHER;
    const enum a64_class class =
        other ? (enum a64_class)(a64_classify(word) >> A64_INFO_CLASS_LOW & 0xff) : A64_OTHER;
    const unsigned lowest_el = lowest_el_of(flow, word, size, set);
    walk->call = walk->call || walk->last_call == ETE_CALL_ALWAYS;
    walk->semihosting = walk->semihosting || walk->last_call == ETE_CALL_SEMIHOSTING;
    walk->last_call = (uint8_t)call_of(flow, word, set);
    walk->call_kind = (uint8_t)call_kind_of(flow);
    walk->form = flow->form;
    walk->wfx = walk->wfx || flow->kind == ARM_FLOW_WFX;
    note(walk, &walk->undefined, is_undefined(flow, word, set));
    note(walk, &walk->unallocated, class == A64_UNALLOCATED);
    note(walk, &walk->breakpoint, flow->kind == ARM_FLOW_BREAKPOINT && !flow->conditional);
    note(walk, &walk->tcancel, flow->kind == ARM_FLOW_TCANCEL && !walk->tcommit);
    note(walk, &walk->privileged, lowest_el > 0);
    note(walk, &walk->of_el2, lowest_el > 1);
    note(walk, &walk->of_el3, lowest_el > 2);
    walk->tcommit = walk->tcommit || flow->kind == ARM_FLOW_TCOMMIT;
    walk->keeps_flags = walk->keeps_flags && set == ARM_A64 && a64_keeps_flags(word);
    walk->keeps_link = walk->keeps_link && set == ARM_A64 && a64_keeps_link(word);
    walk->p0 = (uint8_t)p0_of(flow, wfx_p0);
    walk->link = flow->link;
    walk->conditional = flow->conditional;
    walk->is_return = flow->kind == ARM_FLOW_EXCEPTION_RETURN;
    walk->stays_in_t32 = flow->kind == ARM_FLOW_INDIRECT && flow->target_set == ARM_T32;
    walk->target = flow->target;
    walk->target_set = flow->target_set;
    walk->last_word = word;
    walk->last_size = (uint8_t)size;
    walk->bytes += size;
    walk->count++;
}

/* A branch under an IT is the last instruction that it covers. */
static uint8_t covered_after(const struct arm_flow *flow, uint8_t covered)
{
    if (flow->kind == ARM_FLOW_IT) {
        return flow->covers;
    }
    return covered > 0 && !arm_flow_is_branch(flow) ? (uint8_t)(covered - 1) : 0;
}

struct ete_walk ete_walk(struct assay_image_cursor *cursor, const struct ete_walk_from *from,
                         uint64_t until, uint32_t most)
{
    struct ete_walk walk = {.covered = from->covered, .keeps_flags = true, .keeps_link = true};
    const enum arm_set set = from->set;
    const uint64_t pc = from->pc;
    const uint64_t mask = set == ARM_A64 ? UINT64_MAX : UINT32_MAX;
    while (walk.count < most && walk.p0 == ETE_P0_NONE && walk.bytes < until - pc) {
        const uint64_t at = (pc + walk.bytes) & mask;
        uint32_t word = 0;
        const unsigned size = ete_read_instruction(cursor, at, set, &word);
        if (size == 0 || at / ETE_WALK_PAGE != pc / ETE_WALK_PAGE) {
            break;
        }
        struct arm_flow flow = flow_of(word, size, at, set);
        /* An IT does not make BKPT conditional. */
        flow.conditional =
            flow.conditional || (walk.covered > 0 && flow.kind != ARM_FLOW_BREAKPOINT);
        walk.covered = covered_after(&flow, walk.covered);
        add(&walk, &flow, word, size, set, from->wfx_p0);
    }
    return walk;
}
