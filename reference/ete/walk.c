#include "ete/walk.h"

#include "common/bytes.h"
#include "isa/a64.h"

enum { HALF = 2, WORD = 4, IT_MOST = 4 };

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

/* Adds an instruction to the end of a walk. */
static void add(struct ete_walk *walk, const struct arm_flow *flow, uint32_t word, unsigned size,
                enum arm_set set, bool wfx_p0)
{
    walk->call = walk->call || walk->last_call;
    walk->last_call =
        !flow->conditional &&
        (flow->kind == ARM_FLOW_SVC || flow->kind == ARM_FLOW_HVC || flow->kind == ARM_FLOW_SMC);
    walk->wfx = walk->wfx || flow->kind == ARM_FLOW_WFX;
    walk->undefined = walk->undefined || (flow->kind == ARM_FLOW_UDF && !flow->conditional);
    walk->unallocated =
        walk->unallocated || (set == ARM_A64 && flow->kind == ARM_FLOW_OTHER &&
                              (a64_classify(word) >> A64_INFO_CLASS_LOW & 0xff) == A64_UNALLOCATED);
    walk->p0 = (uint8_t)p0_of(flow, wfx_p0);
    walk->link = flow->link;
    walk->conditional = flow->conditional;
    walk->target = flow->target;
    walk->target_set = flow->target_set;
    walk->last_word = word;
    walk->last_size = (uint8_t)size;
    walk->bytes += size;
    walk->count++;
}

struct ete_walk ete_walk(struct assay_image_cursor *cursor, uint64_t pc, enum arm_set set,
                         bool wfx_p0, uint64_t until, uint32_t most)
{
    struct ete_walk walk = {0};
    const uint64_t mask = set == ARM_A64 ? UINT64_MAX : UINT32_MAX;
    unsigned covered = set == ARM_T32 ? IT_MOST : 0; /* by an IT: here by one that was not seen */
    while (walk.count < most && walk.p0 == ETE_P0_NONE && walk.bytes < until - pc) {
        const uint64_t at = (pc + walk.bytes) & mask;
        uint32_t word = 0;
        const unsigned size = ete_read_instruction(cursor, at, set, &word);
        if (size == 0 || at / ETE_WALK_PAGE != pc / ETE_WALK_PAGE) {
            break;
        }
        struct arm_flow flow = flow_of(word, size, at, set);
        flow.conditional = flow.conditional || covered > 0;
        covered = flow.kind == ARM_FLOW_IT ? flow.covers : covered > 0 ? covered - 1 : 0;
        add(&walk, &flow, word, size, set, wfx_p0);
    }
    return walk;
}
