/* The part of the model about encoding records, which close their groups. */
#include <stddef.h>
#include <string.h>

#include "stf/context.h"
#include "stf/elements.h"

enum { USER, SUPERVISOR, MACHINE = 3 };

/* The lowest mode that can execute a word ("CSR Listing", "Supervisor Instructions", "Machine-Mode
 * Privileged Instructions"). CSRs of the hypervisor are those of its supervisor mode. */
static unsigned privilege_of(uint32_t word, uint64_t info)
{
    switch (rv_info_class(info)) {
    case RV_MRET:
    case RV_MNRET:
        return MACHINE;
    case RV_SRET:
    case RV_SCTRCLR:
    case RV_SFENCE_VMA:
    case RV_SINVAL_VMA:
    case RV_SFENCE_W_INVAL:
    case RV_SFENCE_INVAL_IR:
    case RV_HFENCE_VVMA:
    case RV_HFENCE_GVMA:
    case RV_HINVAL_VVMA:
    case RV_HINVAL_GVMA:
        return SUPERVISOR;
    case RV_CSR: {
        const unsigned level = rv_csr(word) >> 8 & 3;
        return level == MACHINE ? MACHINE : level > USER ? SUPERVISOR : USER;
    }
    default:
        return USER;
    }
}

/* Whether it writes a CSR that says how addresses are translated: satp, vsatp, hgatp. */
static bool writes_translation(uint32_t word, uint64_t info)
{
    enum { SATP = 0x180, VSATP = 0x280, HGATP = 0x680, WRITE = 1 };
    if (rv_info_class(info) != RV_CSR) {
        return false;
    }
    const unsigned csr = rv_csr(word);
    const bool writes = (word >> 12 & 3) == WRITE || (word >> 15 & 31) != 0;
    return writes && (csr == SATP || csr == VSATP || csr == HGATP);
}

/* Whether the word may be that of another extension, whose registers are others. */
static bool operands_ambiguous(const struct stf_word *word)
{
    return word->ambiguous || word->twofold;
}

/* Whether the fast path gives the same as the general one for groups of this word. */
static bool is_simple(const struct stf_word *entry)
{
    const uint32_t word = entry->word;
    const uint64_t info = entry->info;
    const bool settled = rv_info_class(info) == RV_BRANCH && (word & 3) == 3 &&
                         (word >> 15 & 31) == (word >> 20 & 31); /* the outcome is known */
    return rv_info_is_valid(info) != 0 && rv_info_is_trap_return(info) == 0 &&
           rv_info_is_exception_generating(info) == 0 && !settled && !operands_ambiguous(entry) &&
           !writes_translation(word, info) && !stf_vectors_change(entry);
}

static void note_simple(struct stf_word *entry)
{
    entry->fast_key = is_simple(entry) ? stf_fast_key(entry->word, entry->isa) : 0;
    entry->fast_flags = stf_at(inst_32, pc_known, 1) | stf_at(inst_32, flow_known, 1) |
                        stf_at(inst_32, encoding_valid, 1) |
                        stf_at(inst_32, target_known, rv_info_is_direct(entry->info));
    entry->fast_event = stf_at(inst_32, privilege, privilege_of(entry->word, entry->info));
    entry->fast_effects = stf_at(inst_32, word_known, 1) | stf_at(inst_32, effects_known, 1) |
                          stf_at(inst_32, bus_contents_match, 1);
}

/* Whether only a hart with a hypervisor has the instruction. */
static bool of_hypervisor(uint32_t word, uint64_t info)
{
    enum { HYPERVISOR = 2 };
    switch (rv_info_class(info)) {
    case RV_HYPERVISOR_LOAD:
    case RV_HYPERVISOR_STORE:
    case RV_HFENCE_VVMA:
    case RV_HFENCE_GVMA:
    case RV_HINVAL_VVMA:
    case RV_HINVAL_GVMA:
        return true;
    case RV_CSR:
        return (rv_csr(word) >> 8 & 3) == HYPERVISOR;
    default:
        return false;
    }
}

static const struct stf_word *classify(struct stf_model *m, uint32_t word)
{
    struct stf_word *entry = stf_word_slot(m, word);
    if (entry->word != word || entry->isa != stf_word_isa(m->rv)) {
        entry->word = word;
        entry->isa = stf_word_isa(m->rv);
        entry->info = rv_classify(word, m->rv);
        rv_registers(word, entry->info, &entry->registers);
        entry->absolute = rv_info_class(entry->info) == RV_JALR;
        entry->ambiguous = stf_word_ambiguous(word);
        entry->twofold = stf_word_twofold(entry->info, m->rv);
        rv_direct_target(word, m->rv, 0, &entry->target);
        note_simple(entry);
        m->end_flags |= stf_at(end, hypervisor_seen, of_hypervisor(word, entry->info));
    }
    return entry;
}

/* x and f registers of sets, not x0. Most often there are none, and counting takes long. */
static unsigned count_registers(const uint32_t *sets, const uint32_t *without)
{
    const uint64_t x = sets[FILE_X] & ~without[FILE_X] & ~UINT32_C(1);
    const uint64_t f = sets[FILE_F] & ~without[FILE_F];
    return (x | f) == 0 ? 0 : (unsigned)__builtin_popcountll(x | f << 32);
}

/* Records of x0 at an instruction that does not name it. What a compressed one expands to may read
 * x0 (C.LI, C.MV, C.BEQZ), and jumps may write it (C.J, C.JR). */
static unsigned count_zeros(const struct stf_group *g, const struct rv_registers *operands,
                            uint64_t info)
{
    enum { COMPRESSED = 2 };
    const bool expands = rv_info_length(info) == COMPRESSED;
    const bool jumps = expands && rv_info_transfer(info) != RV_TRANSFER_NONE;
    const uint32_t read = expands ? 0 : g->sources[FILE_X] & ~operands->read[FILE_X] & 1;
    const uint32_t written = jumps ? 0 : g->destinations[FILE_X] & ~operands->written[FILE_X] & 1;
    return read + written;
}

/* A count as its field of four bits can hold it. */
static uint64_t up_to_15(unsigned count)
{
    return count < 15 ? count : 15;
}

/* With Zfinx the operands of floating-point instructions are x registers, in RV32 pairs of them
 * where they have 64 bits. A trace shows it by a record of such a register. */
static void place_in_x(const struct stf_model *m, uint32_t *sets)
{
    sets[FILE_X] |= sets[FILE_F] | (m->rv == RV_32 ? sets[FILE_F] << 1 : 0);
    sets[FILE_F] = 0;
}

static void operands_of(struct stf_model *m, const struct stf_word *word,
                        struct rv_registers *operands)
{
    const struct stf_group *g = &m->group;
    *operands = word->registers;
    if (rv_info_class(word->info) != RV_FLOAT) {
        return;
    }
    const uint32_t read = operands->read[FILE_F] & ~operands->read[FILE_X];
    const uint32_t written = operands->written[FILE_F] & ~operands->written[FILE_X];
    m->zfinx = m->zfinx || ((g->sources[FILE_X] & read) | (g->destinations[FILE_X] & written)) != 0;
    if (m->zfinx) {
        place_in_x(m, operands->read);
        place_in_x(m, operands->written);
    }
}

/* Which operands of the instruction its group records; what it writes otherwise is not known any
 * more. */
static uint64_t derive_operands(struct stf_model *m, const struct stf_word *word)
{
    const struct stf_group *g = &m->group;
    struct rv_registers operands;
    uint64_t flags = 0;
    operands_of(m, word, &operands);
    if (m->operands_recorded && !operands_ambiguous(word)) {
        const unsigned strange = count_registers(g->sources, operands.read) +
                                 count_registers(g->destinations, operands.written) +
                                 count_zeros(g, &operands, word->info);
        flags =
            stf_at(inst_32, sources_missing, up_to_15(count_registers(operands.read, g->sources))) |
            stf_at(inst_32, destinations_missing,
                   up_to_15(count_registers(operands.written, g->destinations))) |
            stf_at(inst_32, operands_unnamed, up_to_15(strange));
    }
    for (unsigned file = 0; file < 2; file++) {
        m->known[file] &= ~(operands.written[file] & ~g->destinations[file]);
    }
    return flags;
}

/* What happens after the instruction need not be in the trace, or is not one that the model
 * follows. */
static void keep_registers(struct stf_model *m, const struct stf_word *word)
{
    const bool traced = (m->context & CONTEXT(event_pending)) == 0 &&
                        rv_info_is_valid(word->info) != 0 && !operands_ambiguous(word);
    const bool trap = rv_info_is_exception_generating(word->info) != 0 &&
                      (m->context & CONTEXT(group_event_target)) == 0;
    if (!traced || trap || (m->context & CONTEXT(group_microop)) != 0) {
        stf_forget_registers(m);
    }
}

static int64_t sign_extend(uint64_t value, unsigned width)
{
    const uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((value ^ sign) - sign);
}

/* The offset of a load, store, atomic or JALR. False for others. */
static bool offset_of(uint32_t word, uint64_t info, int64_t *offset)
{
    if (rv_info_is_virtual(info)) {
        *offset = 0;
        return true;
    }
    if (rv_info_class(info) != RV_JALR) {
        return rv_offset(word, info, offset);
    }
    *offset = (word & 3) == 3 ? sign_extend(word >> 20, 12) : 0;
    return true;
}

/* Where the instruction's accesses, or its jump, begin by a recorded source register. */
static bool derive_base(const struct stf_model *m, const struct stf_word *entry, uint64_t *base)
{
    const uint32_t word = entry->word;
    const uint64_t info = entry->info;
    int64_t offset;
    const bool jump = rv_info_class(info) == RV_JALR;
    if (m->group.sources[FILE_X] == 0 || operands_ambiguous(entry)) {
        return false;
    }
    const int reg = !jump             ? rv_base(word, info)
                    : (word & 3) == 3 ? (int)(word >> 15 & 31)
                                      : (int)(word >> 7 & 31);
    if (reg <= 0 || !offset_of(word, info, &offset) || (m->group.sources[FILE_X] >> reg & 1) == 0) {
        return false;
    }
    *base = stf_address(m, m->group.source_value[reg] + (uint64_t)offset);
    return true;
}

static uint64_t derive_target(const struct stf_model *m, const struct stf_word *entry, uint64_t pc,
                              bool pc_known, uint64_t *cells)
{
    const uint64_t info = entry->info;
    cells[INST(target)] = 0;
    cells[INST(base_address)] = 0;
    uint64_t base = 0;
    if (rv_info_is_direct(info)) {
        if (pc_known) {
            cells[INST(target)] = stf_address(m, entry->target + (entry->absolute ? 0 : pc));
        }
        return stf_at(inst_32, target_known, pc_known);
    }
    if (!derive_base(m, entry, &base)) {
        return 0;
    }
    if (rv_info_transfer(info) != RV_TRANSFER_NONE) {
        cells[INST(target)] = base & ~UINT64_C(1);
        return stf_at(inst_32, target_known, 1);
    }
    cells[INST(base_address)] = base;
    return stf_at(inst_32, base_known, 1);
}

/* The address that the result of AUIPC or of a link shows, if a record of its group has it. In x0
 * that is the result that was discarded, unless it is 0. */
static uint64_t derive_shown(const struct stf_model *m, const struct stf_word *entry, unsigned size,
                             uint64_t *cells)
{
    const uint32_t word = entry->word;
    const uint64_t info = entry->info;
    const uint64_t others =
        CONTEXT(group_fault) | CONTEXT(group_interrupt) | CONTEXT(group_microop);
    const unsigned class = rv_info_class(info);
    const bool auipc = class == RV_AUIPC;
    if ((!auipc && class != RV_JAL && class != RV_JALR) || m->group.destinations[FILE_X] == 0 ||
        (m->context & others) != 0) {
        return 0;
    }
    const uint32_t results = entry->registers.written[FILE_X];
    if ((results & m->group.destinations[FILE_X]) == 0) {
        return 0;
    }
    const uint64_t value = m->value[FILE_X][__builtin_ctz(results)];
    if (results == 1 && value == 0) {
        return 0;
    }
    const uint64_t offset =
        auipc ? (uint64_t)sign_extend(word & UINT32_C(0xfffff000), 32) : (uint64_t)size;
    cells[INST(base_address)] = stf_address(m, value - offset);
    return stf_at(inst_32, pc_shown, 1);
}

/* Whether a store-conditional succeeded or failed by the record of its destination. */
static uint64_t derive_success(const struct stf_model *m, uint32_t word, uint64_t info)
{
    const unsigned rd = word >> 7 & 31;
    const bool recorded =
        rv_info_class(info) == RV_SC && rd != 0 && (m->group.destinations[FILE_X] >> rd & 1) != 0;
    return stf_at(inst_32, conditional_wrote, recorded && m->value[FILE_X][rd] == 0) |
           stf_at(inst_32, conditional_failed, recorded && m->value[FILE_X][rd] != 0);
}

/* What becomes of the pages that are known: a page fault shows that a page had no mapping, and
 * another value of satp that nothing is known of what follows it but its mode, if a record has it.
 */
static void note_translation(struct stf_model *m, const struct stf_word *word)
{
    const struct stf_group *g = &m->group;
    if (g->event == STF_EVENT_LOAD_PAGE_FAULT || g->event == STF_EVENT_STORE_PAGE_FAULT) {
        stf_pages_fault(&m->pages, stf_space(m), stf_address(m, g->event_field[2]));
    }
    if (g->satp_recorded) {
        m->satp_levels = g->satp_levels;
    } else if (writes_translation(word->word, word->info)) {
        m->translated = 0;
        m->satp_levels = 0;
    }
}

/* Whether xRET returned to the last page fault, or to what is after it; and that fault, if this is
 * one. */
static uint64_t derive_return(struct stf_model *m, uint64_t pc, bool pc_known, unsigned size)
{
    const unsigned event = m->group.event;
    const bool forced = (m->context & CONTEXT(group_force_pc)) != 0;
    const uint64_t behind = stf_address(m, m->fault_pc + m->fault_size);
    bool returned = false;
    if (m->fault_known && m->after_trap_return) {
        returned = pc_known && (pc == m->fault_pc || pc == behind);
        m->fault_known = false;
    }
    if (event != STF_EVENT_NONE) {
        m->fault_known =
            pc_known && (event == STF_EVENT_INST_PAGE_FAULT || event == STF_EVENT_LOAD_PAGE_FAULT ||
                         event == STF_EVENT_STORE_PAGE_FAULT);
    } else if (forced) {
        m->fault_known = false;
    }
    const uint64_t flags = stf_at(inst_32, returned, returned) |
                           stf_at(inst_32, resumed, returned && pc == m->fault_pc);
    if (m->fault_known && event != STF_EVENT_NONE) {
        m->fault_pc = pc;
        m->fault_size = (uint8_t)size;
    }
    return flags;
}

/* By the page of the first byte, or that of the last. */
static bool is_refused(const struct stf_model *m, uint64_t address, unsigned size,
                       unsigned attribute)
{
    const uint64_t last = stf_address(m, address + (size > 0 ? size - 1 : 0));
    return stf_group_refuses(&m->walks, address, attribute) ||
           stf_group_refuses(&m->walks, last, attribute);
}

/* What of the group the leaves of its walks do not allow. */
static uint64_t derive_refused(const struct stf_model *m, uint64_t pc, bool pc_known, unsigned size)
{
    const struct stf_group *g = &m->group;
    if (m->walks.count == 0) {
        return 0;
    }
    unsigned user = pc_known && is_refused(m, pc, size, STF_PTE_U);
    unsigned writes = 0;
    for (unsigned i = 0; i < g->moves.accesses && i < STF_TOUCHED; i++) {
        const uint64_t at = g->touched[i].address;
        const unsigned bytes = g->touched[i].size;
        user += is_refused(m, at, bytes, STF_PTE_U);
        writes += g->touched[i].type == ACCESS_WRITE && is_refused(m, at, bytes, STF_PTE_W);
    }
    return stf_at(inst_32, writes_refused, up_to_15(writes)) |
           stf_at(inst_32, user_refused, up_to_15(user));
}

/* The walks of the group that nothing of it uses. Without its address nothing can be said. */
static uint64_t derive_walks(struct stf_model *m, uint64_t pc, bool pc_known, unsigned size)
{
    const struct stf_group *g = &m->group;
    const unsigned origin = stf_event_infos[g->event].origin;
    if (m->walks.count == 0) {
        return 0;
    }
    stf_group_touch(&m->walks, pc, size);
    if (origin == STF_ORIGIN_LOAD || origin == STF_ORIGIN_STORE) {
        stf_group_touch(&m->walks, stf_address(m, g->event_field[2]), 1);
    }
    const unsigned unused = pc_known ? stf_group_unused(&m->walks) : 0;
    m->walks.count = 0;
    return stf_at(inst_32, walks_unused, unused);
}

/* The mode before the group, and the one that its change of mode gives. */
static uint64_t derive_modes(const struct stf_model *m)
{
    const bool known = (m->context & CONTEXT(mode_known)) != 0;
    const uint64_t mode = CONTEXT_OF(m, mode);
    return stf_at(inst_32, old_mode, mode) | stf_at(inst_32, old_mode_known, known) |
           stf_at(inst_32, new_mode, m->group.mode_pending ? m->group.mode : mode) |
           stf_at(inst_32, new_mode_known, known || m->group.mode_pending);
}

/* The last event of the group, and what was recorded so far. */
static uint64_t derive_event(const struct stf_model *m)
{
    const struct stf_event_info *info = &stf_event_infos[m->group.event];
    return stf_at(inst_32, event, m->group.event) |
           stf_at(inst_32, event_fields, m->group.event_fields) |
           stf_at(inst_32, event_synchronous, info->synchronous) |
           stf_at(inst_32, event_origin, info->origin) |
           stf_at(inst_32, after_event, m->after_event) |
           stf_at(inst_32, sources_recorded, m->sources_recorded) |
           stf_at(inst_32, destinations_recorded, m->destinations_recorded);
}

/* Whether FORCE_PC leads from an event to a handler: not back to the instruction of the event, as
 * where it is tried again, and not after it, as where a call returns. In the trace of a program
 * alone, which knows no mode but user, it leads to a handler of signals. */
static bool event_forced(const struct stf_model *m, uint64_t pc, bool forced)
{
    enum { LONGEST = 4 };
    return forced && m->event_placed && m->privileged && stf_address(m, m->next_pc - pc) > LONGEST;
}

/* Where the flow goes from here. */
static void advance(struct stf_model *m, uint64_t pc, bool pc_known, unsigned size, uint64_t info,
                    const struct stf_group *g)
{
    const bool open = (m->context & CONTEXT(event_pending)) != 0;
    m->after_trap_return = rv_info_is_trap_return(info) != 0;
    m->after_pending_event = open;
    m->event_placed = open && pc_known;
    m->after_event = (m->context & (CONTEXT(group_fault) | CONTEXT(group_interrupt))) != 0;
    m->next_known = pc_known;
    m->next_pc = stf_address(m, pc + size);
    m->next_flow = m->after_trap_return ? FLOW_RETURN : FLOW_SEQUENCE;
    if ((m->context & CONTEXT(group_event_target)) != 0) {
        m->next_known = true;
        m->next_pc = stf_address(m, g->event_target);
        m->next_flow = FLOW_EVENT;
    } else if (open) {
        m->next_known = false;
    } else if ((m->context & CONTEXT(group_pc_target)) != 0) {
        m->next_known = true;
        m->next_pc = stf_address(m, g->pc_target);
        m->next_flow = FLOW_BRANCH;
    } else if (rv_info_transfer(info) > RV_TRANSFER_CONDITIONAL) {
        m->next_known = false; /* it jumps, and nothing says where to */
    }
}

/* Whether the next group may take the fast path: nothing that it does not handle is left over
 * from this one or from before. After an event the flow is unknown or that of an event, and an ASID
 * that is due came from the record of an operand. */
static void settle(struct stf_model *m)
{
    const bool flows = m->next_known && m->next_flow != FLOW_EVENT && !m->after_trap_return;
    m->fast = flows && !m->operands_recorded && m->pages.slots == NULL &&
              (m->context & CONTEXT(in_header)) == 0 && !m->general_only;
    m->fast_modes = derive_modes(m);
}

/* All but the values of sources, which count where a bit says so. In steps that compilers store
 * directly: for more they call a routine that costs as much as all else here. */
static void clear_group(struct stf_group *g)
{
    enum { STEP = 32, SIZE = offsetof(struct stf_group, source_value) };
    uint8_t *bytes = (uint8_t *)g;
    for (size_t at = 0; at < SIZE; at += STEP) {
        memset(bytes + at, 0, SIZE - at < STEP ? SIZE - at : STEP);
    }
}

void stf_model_instruction(struct stf_model *m, uint32_t encoding, unsigned size, uint64_t *cells)
{
    struct stf_group *g = &m->group;
    const struct stf_word *word = classify(m, encoding);
    const uint64_t info = word->info;
    const bool forced = (m->context & CONTEXT(group_force_pc)) != 0;
    const bool pc_known = forced || m->next_known;
    const uint64_t pc = forced ? g->forced_pc : m->next_pc;
    const uint64_t flow = forced ? FLOW_FORCED : m->next_known ? m->next_flow : FLOW_UNKNOWN;
    const bool valid = rv_info_is_valid(info) != 0 || rv_info_class(info) == RV_CUSTOM;
    const uint64_t modes = derive_modes(m);
    if ((m->context & (CONTEXT(group_fault) | CONTEXT(group_interrupt))) == 0) {
        stf_take_mode(m);
    }
    cells[0] = m->context;
    cells[STF_INFO_CELL] = info;
    cells[INST(pc)] = pc_known ? pc : 0;
    uint64_t flags = stf_at(inst_32, pc_known, pc_known) | stf_at(inst_32, flow, flow) |
                     stf_at(inst_32, flow_known, m->next_known) |
                     stf_at(inst_32, after_trap_return, m->after_trap_return) |
                     stf_at(inst_32, after_pending_event, m->after_pending_event) |
                     stf_at(inst_32, after_ids, g->ids_changed) |
                     stf_at(inst_32, encoding_valid, valid) | g->access_totals;
    if (!valid && m->other_rv != RV_ISA_UNKNOWN) {
        const uint64_t other = rv_classify(encoding, m->other_rv);
        flags |= stf_at(inst_32, other_iem_valid, rv_info_is_valid(other));
    }
    uint64_t states = 0;
    const uint64_t refused = derive_refused(m, pc, pc_known, size);
    note_translation(m, word);
    if (m->operands_recorded || (m->known[FILE_X] | m->known[FILE_F] | m->satp_levels) != 0) {
        flags |= derive_operands(m, word);
        states = up_to_15(count_registers(g->states_refuted, word->registers.written));
        keep_registers(m, word);
    }
    flags |= derive_target(m, word, pc, pc_known, cells);
    cells[INST(pc_known)] = flags;
    cells[INST(pc_target)] = g->pc_target;
    cells[INST(flow_pc)] =
        m->next_known || (m->after_pending_event && m->event_placed) ? m->next_pc : 0;
    cells[INST(event)] = derive_event(m) | modes | stf_at(inst_32, asid_due, m->asid_due) |
                         derive_walks(m, pc, pc_known, size) |
                         derive_return(m, pc, pc_known, size) |
                         stf_at(inst_32, at_event_target, flow == FLOW_EVENT) |
                         stf_at(inst_32, event_forced, event_forced(m, pc, forced)) |
                         stf_at(inst_32, privilege, privilege_of(encoding, info)) |
                         stf_at(inst_32, resume_known, m->after_pending_event && m->event_placed) |
                         derive_shown(m, word, size, cells) | derive_success(m, encoding, info) |
                         stf_at(inst_32, states_refuted, states);
    memcpy(cells + INST(event_field0), g->event_field, sizeof g->event_field);
    cells[INST(access_address)] = g->access_address;
    const uint64_t effects = stf_model_effects(m, word, cells);
    const bool effects_known = (effects & stf_at(inst_32, effects_known, 1)) != 0;
    cells[INST(effects_known)] =
        effects | refused | stf_model_elements(m, word, cells) |
        stf_model_vectors(m, word, effects_known) |
        stf_at(inst_32, flow_else, m->next_known ? m->next_flow : FLOW_UNKNOWN);
    cells[INST(result)] = 0;
    if (m->operands_recorded && effects_known) {
        const unsigned unit = effects >> STF_AT_inst_32_size_unit & 3;
        cells[INST(event)] |= stf_model_results(m, word, unit, cells);
    }
    if (pc_known && (flags >> STF_AT_inst_32_target_known & 1) != 0) {
        cells[INST(effects_known)] |=
            stf_at(inst_32, target_is_next, cells[INST(target)] == stf_address(m, pc + size));
    }
    stf_vectors_step(m, word, effects_known);
    advance(m, pc, pc_known, size, info, g);
    stf_take_mode(m);
    m->asid_due = g->asid_changed && !g->ids_changed;
    m->instructions++;
    /* A group begins. */
    if (m->group_used) {
        clear_group(g);
        m->group_used = false;
    }
    m->context = (m->context & (STF_CONTEXT_RETAINED | CONTEXT_MASK(previous_descriptor))) |
                 CONTEXT(inst_seen);
    settle(m);
}
