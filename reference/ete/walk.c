#include "ete/walk.h"

#include <string.h>

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

static enum ete_call call_of(const struct ete_decoded *instruction)
{
    const struct arm_flow *flow = &instruction->flow;
    if (flow->kind < ARM_FLOW_SVC || flow->kind > ARM_FLOW_SMC) {
        return ETE_CALL_NONE;
    }
    return flow->conditional          ? ETE_CALL_CONDITIONAL
           : instruction->semihosting ? ETE_CALL_SEMIHOSTING
                                      : ETE_CALL_ALWAYS;
}

static enum ete_call_kind call_kind_of(const struct arm_flow *flow)
{
    const bool calls = flow->kind >= ARM_FLOW_SVC && flow->kind <= ARM_FLOW_SMC;
    return calls ? (enum ete_call_kind)(ETE_SVC + (flow->kind - ARM_FLOW_SVC)) : ETE_NO_CALL;
}

/* Adds an instruction to the end of a walk. */
static void add(struct ete_walk *walk, const struct ete_decoded *instruction, bool wfx_p0)
{
    const struct arm_flow *flow = &instruction->flow;
    walk->last_call = (uint8_t)call_of(instruction);
    walk->call_kind = (uint8_t)call_kind_of(flow);
    walk->form = flow->form;
    walk->wfx = walk->wfx || flow->kind == ARM_FLOW_WFX;
    walk->tcommit = walk->tcommit || flow->kind == ARM_FLOW_TCOMMIT;
    walk->keeps_flags = walk->keeps_flags && instruction->keeps_flags;
    walk->written |= instruction->written;
    walk->p0 = (uint8_t)p0_of(flow, wfx_p0);
    walk->link = flow->link;
    walk->conditional = flow->conditional;
    walk->is_return = flow->kind == ARM_FLOW_EXCEPTION_RETURN;
    walk->target = flow->target;
    walk->target_set = flow->target_set;
    walk->last_word = instruction->word;
    walk->last_size = instruction->size;
    walk->covered = instruction->covered_after;
    walk->bytes += instruction->size;
    walk->count++;
}

/* The conditions of rules that the instruction at the end of a walk meets. What it is in the run is
 * known when the next one is, or there is none. */
static void ask(struct ete_walk *walk, const struct assay_conditions *conditions, bool is_last,
                uint64_t *cells)
{
    if (conditions != NULL && walk->count > 0) {
        ete_say_in_run(is_last, false, cells);
        walk->met |= conditions->met(conditions, cells);
    }
    memset(cells, 0, ETE_STATIC_CELLS * sizeof *cells);
}

struct ete_walk ete_walk(struct assay_image_cursor *cursor, const struct ete_walk_from *from,
                         uint64_t until, uint32_t most)
{
    struct ete_walk walk = {.covered = from->covered, .keeps_flags = true};
    const uint64_t pc = from->pc;
    const uint64_t mask = from->set == ARM_A64 ? UINT64_MAX : UINT32_MAX;
    uint64_t cells[ETE_STATIC_CELLS] = {0};
    while (walk.count < most && walk.p0 == ETE_P0_NONE && walk.bytes < until - pc) {
        const struct ete_place place = {
            .pc = (pc + walk.bytes) & mask, .set = from->set, .covered = walk.covered};
        const struct ete_decoded instruction = ete_decode_instruction(cursor, &place);
        if (instruction.size == 0 || place.pc / ETE_WALK_PAGE != pc / ETE_WALK_PAGE) {
            break;
        }
        ask(&walk, from->conditions, false, cells);
        ete_say_static(&instruction, cells);
        ete_say_in_run(false, walk.tcommit, cells);
        walk.noted |= from->note != NULL ? from->note(&walk, &instruction) : 0;
        add(&walk, &instruction, from->wfx_p0);
    }
    ask(&walk, from->conditions, true, cells);
    return walk;
}
