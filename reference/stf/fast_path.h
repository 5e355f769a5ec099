/* The fast path through the model. Most groups of a trace are simple: an instruction whose address
 * follows from the one before it, at most with accesses and their contents, and with the target
 * that its branch was taken to. Their derived cells are few and often the same, so that the general
 * path (model.c, instruction.c) is not needed for them; after each instruction the model decides
 * whether the next group may take the fast path. Both paths give the same cells and leave the model
 * in the same state: a test compares them over random traces. */
#ifndef ASSAY_STF_FAST_PATH_H
#define ASSAY_STF_FAST_PATH_H

#include <stddef.h>

#include "stf/group.h"

/* Notes that a record of a simple group precedes its instruction. */
static inline void stf_fast_enter(struct stf_model *m, uint64_t descriptor, uint64_t group_bit)
{
    const uint64_t above = CONTEXT_OF(m, highest_descriptor);
    m->pending |= PENDING_INSTRUCTION;
    m->group_used = true;
    stf_set_context(m, CONTEXT_MASK(highest_descriptor) | CONTEXT_MASK(previous_descriptor),
                    stf_at(reserved, highest_descriptor, descriptor > above ? descriptor : above) |
                        stf_at(reserved, previous_descriptor, descriptor) | group_bit);
}

static inline void stf_fast_clear(struct stf_group *g)
{
    enum { SIZE = offsetof(struct stf_group, event_target), HALF = 32 };
    _Static_assert(SIZE >= HALF && SIZE <= 3 * HALF, "cleared in three steps");
    memset(g, 0, HALF);
    memset((uint8_t *)g + HALF, 0, SIZE - HALF < HALF ? SIZE - HALF : HALF);
    memset((uint8_t *)g + SIZE - HALF, 0, HALF);
}

/* The address after a simple instruction. False when it is not known. */
static inline bool stf_fast_advance(struct stf_model *m, const struct stf_word *entry,
                                    uint64_t behind)
{
    const bool branches = (m->context & CONTEXT(group_pc_target)) != 0;
    const bool jumps = rv_info_transfer(entry->info) > RV_TRANSFER_CONDITIONAL;
    m->next_pc = branches ? stf_address(m, m->group.pc_target) : behind;
    m->next_flow = branches ? FLOW_BRANCH : FLOW_SEQUENCE;
    return branches || !jumps;
}

/* An encoding record of `size` bytes of instruction. False when it is not simple. */
static inline bool stf_fast_instruction(struct stf_model *m, uint32_t encoding, unsigned size,
                                        uint64_t descriptor, uint64_t *cells)
{
    const struct stf_word *entry = stf_word_slot(m, encoding);
    if (entry->fast_key != stf_fast_key(encoding, stf_word_isa(m->rv))) {
        return false;
    }
    const struct stf_group *g = &m->group;
    const uint64_t pc = m->next_pc;
    const uint64_t behind = stf_address(m, pc + size);
    uint64_t target = 0;
    uint64_t effects = entry->fast_effects | stf_at(inst_32, flow_else, m->next_flow);
    if (rv_info_is_direct(entry->info)) {
        target = stf_address(m, entry->target + (entry->absolute ? 0 : pc));
        effects |= stf_at(inst_32, target_is_next, target == behind);
    }
    effects |= g->moves.accesses > 0
                   ? stf_model_sizes(m, entry->info, (effects & stf_at(inst_32, effects_known, 1)))
                   : stf_at(inst_32, contents_match, 1) | stf_at(inst_32, contents_match_bits, 1);
    cells[0] = m->context;
    cells[STF_INFO_CELL] = entry->info;
    cells[INST(pc)] = pc;
    cells[INST(pc_known)] =
        entry->fast_flags | stf_at(inst_32, flow, m->next_flow) | g->access_totals;
    cells[INST(effects_known)] = effects;
    cells[INST(target)] = target;
    cells[INST(pc_target)] = g->pc_target;
    cells[INST(event)] = entry->fast_event | m->fast_modes;
    cells[INST(flow_pc)] = pc;
    cells[INST(access_address)] = g->access_address;
    cells[INST(base_address)] = 0;
    cells[INST(data_difference)] = 0;
    cells[INST(event_field0)] = 0;
    cells[INST(event_field1)] = 0;
    cells[INST(event_field2)] = 0;
    cells[INST(result)] = 0;
    m->known[FILE_X] &= ~entry->registers.written[FILE_X];
    m->known[FILE_F] &= ~entry->registers.written[FILE_F];
    m->fast = m->next_known = stf_fast_advance(m, entry, behind);
    m->instructions++;
    m->pending = 0;
    if (m->group_used) {
        stf_fast_clear(&m->group);
        m->group_used = false;
    }
    m->context =
        (m->context & STF_CONTEXT_RETAINED) | stf_at(reserved, previous_descriptor, descriptor);
    return true;
}

static inline void stf_fast_access(struct stf_model *m, const uint8_t *data, uint64_t *cells)
{
    cells[0] = m->context;
    cells[1] = 0;
    stf_group_access(m, stf_address(m, stf_get(data, inst_mem_access, address)),
                     (unsigned)stf_get(data, inst_mem_access, size),
                     (unsigned)stf_get(data, inst_mem_access, type));
    stf_fast_enter(m, STF_DESC_inst_mem_access, CONTEXT(group_access));
}

static inline void stf_fast_content(struct stf_model *m, const uint8_t *data, uint64_t *cells)
{
    cells[0] = m->context;
    stf_group_content(m, assay_load64(data), cells);
    stf_fast_enter(m, STF_DESC_inst_mem_content, 0);
}

static inline void stf_fast_target(struct stf_model *m, const uint8_t *data, uint64_t *cells)
{
    cells[0] = m->context;
    m->group.pc_target = stf_get(data, inst_pc_target, pc);
    stf_fast_enter(m, STF_DESC_inst_pc_target, CONTEXT(group_pc_target));
}

/* Bytes that must be readable for any simple record, its descriptor included. */
enum { STF_FAST_MOST = 1 + STF_BYTES_inst_mem_access };

#define STF_FAST_LENGTH(name) (*kind = STF_##name, 1u + STF_BYTES_##name)

/* stf_model_record on the fast path, while the model allows it: for the record that begins with its
 * descriptor at `record`, STF_FAST_MOST bytes of which are there. Sets *kind and returns the
 * record's length; 0, and nothing has changed, when the record goes the general way. Simple records
 * are the same in all profiles. */
static inline unsigned stf_fast_record(struct stf_model *m, const uint8_t *record, uint64_t *cells,
                                       enum stf_kind *kind)
{
    const uint8_t *data = record + 1;
    switch (*record) {
    case STF_DESC_inst_32:
        return stf_fast_instruction(m, (uint32_t)stf_get(data, inst_32, encoding), 4,
                                    STF_DESC_inst_32, cells)
                   ? STF_FAST_LENGTH(inst_32)
                   : 0;
    case STF_DESC_inst_16:
        return stf_fast_instruction(m, (uint32_t)stf_get(data, inst_16, encoding), 2,
                                    STF_DESC_inst_16, cells)
                   ? STF_FAST_LENGTH(inst_16)
                   : 0;
    case STF_DESC_inst_mem_access:
        stf_fast_access(m, data, cells);
        return STF_FAST_LENGTH(inst_mem_access);
    case STF_DESC_inst_mem_content:
        stf_fast_content(m, data, cells);
        return STF_FAST_LENGTH(inst_mem_content);
    case STF_DESC_inst_pc_target:
        stf_fast_target(m, data, cells);
        return STF_FAST_LENGTH(inst_pc_target);
    default:
        return 0;
    }
}

#endif
