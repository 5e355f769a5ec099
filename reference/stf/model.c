#include "stf/model.h"

#include <string.h>

#include "stf/group.h"
#include "stf/text.h"
#include "stf/transaction.h"
#include "stf/universal.h"

void stf_model_open(struct stf_model *m, const struct assay_fact_tables *given)
{
    m->context = CONTEXT(in_header);
    m->rv = RV_ISA_UNKNOWN;
    m->other_rv = RV_ISA_UNKNOWN;
    stf_tables_open(given, &m->tables);
}

void stf_model_version(struct stf_model *m, unsigned minor)
{
    m->minor = (uint8_t)minor;
}

void stf_model_close(struct stf_model *m)
{
    stf_pages_close(&m->pages);
}

/* --- the header and the environment --- */

static void note_instruction_set(struct stf_model *m)
{
    const bool riscv = m->isa == ISA_RISCV || m->isa == ISA_NONE;
    const uint64_t code = m->iem == 0 ? IEM_NONE : !riscv || m->iem > 2 ? IEM_OTHER : m->iem;
    m->rv = code == IEM_RV32 ? RV_32 : code == IEM_RV64 ? RV_64 : RV_ISA_UNKNOWN;
    m->other_rv = code == IEM_RV32 ? RV_64 : code == IEM_RV64 ? RV_32 : RV_ISA_UNKNOWN;
    stf_set_context(m, CONTEXT_MASK(iem), stf_at(reserved, iem, code));
}

static void note_features(struct stf_model *m, const uint8_t *data, uint64_t *cells)
{
    const uint64_t flags = stf_get(data, trace_info_feature, features);
    cells[1] = flags & ~m->tables.features_known;
    m->features = stf_features(&m->tables, flags);
    m->features_known = true;
    if ((m->features >> STF_FEATURE_PTE & 1) != 0) {
        stf_pages_use(&m->pages);
    }
}

/* Of both kinds, whose fields are in the same places. */
static void note_process(struct stf_model *m, const uint8_t *data, uint64_t *cells)
{
    const uint32_t ids[3] = {(uint32_t)stf_get(data, process_id_ext, pid),
                             (uint32_t)stf_get(data, process_id_ext, tid),
                             (uint32_t)stf_get(data, process_id_ext, asid)};
    const bool changes = m->process_known && memcmp(ids, m->process, sizeof ids) != 0;
    cells[1] = 0;
    cells[2] = 0;
    cells[3] = 0;
    memcpy(m->process, ids, sizeof ids);
    m->process_known = true;
    m->group.ids_changed = m->group.ids_changed || changes;
    if (changes) {
        stf_forget_registers(m);
        m->fault_known = false;
        m->asid_known = false;
        m->translated = stf_space(m) != 0 && m->minor < 15 ? m->translated : 0;
    }
    m->end_flags |= stf_at(end, ids_changed, changes);
}

/* --- translation --- */

enum { USER, SUPERVISOR, HYPERVISOR, MACHINE };

/* Something of the open group shows that addresses of its mode are translated. */
static void note_translated(struct stf_model *m)
{
    const unsigned mode = (unsigned)CONTEXT_OF(m, mode);
    if ((m->context & CONTEXT(mode_known)) != 0 && mode != MACHINE) {
        m->translated |= (uint8_t)(1u << mode);
    }
}

/* Also in the mode that a change of mode in the open group gives: which of the two its instruction
 * is in is open. */
static bool translates(const struct stf_model *m)
{
    const unsigned mode = (unsigned)CONTEXT_OF(m, mode);
    const unsigned next = m->group.mode_pending ? m->group.mode : mode;
    return (m->context & CONTEXT(mode_known)) != 0 &&
           (m->translated >> mode & m->translated >> next & 1) != 0;
}

/* --- registers --- */

static bool tracked(unsigned type, unsigned number)
{
    return (type == 1 || type == 2) && number < 32;
}

/* The levels of a translation mode by the number that it has in satp of RV64: Sv39, Sv48, Sv57. */
static uint8_t levels_of(uint64_t mode)
{
    enum { SV39 = 8, SV57 = 10, SV39_LEVELS = 3 };
    return mode < SV39 || mode > SV57 ? 0 : (uint8_t)(mode - SV39 + SV39_LEVELS);
}

/* The ASID of satp, which has no meaning without translation, and its mode. A value that is written
 * counts for walks from the next group on. */
static void note_satp(struct stf_model *m, uint64_t value, bool written)
{
    const bool rv32 = m->iem == 1;
    const bool translates = (rv32 ? value >> 31 & 1 : value >> 60) != 0;
    const uint16_t asid = (uint16_t)(rv32 ? value >> 22 & 0x1ff : value >> 44 & 0xffff);
    m->group.satp_recorded = true;
    m->group.satp_levels = rv32 ? (translates ? 2 : 0) : levels_of(value >> 60);
    m->satp_levels = written ? 0 : m->group.satp_levels;
    m->translated = translates ? 1u << USER | 1u << SUPERVISOR : 0;
    if (!translates) {
        return;
    }
    m->group.asid_changed |= written && m->asid_known && asid != m->asid;
    m->asid = asid;
    m->asid_known = true;
}

void stf_forget_registers(struct stf_model *m)
{
    memset(m->known, 0, sizeof m->known);
    m->satp_levels = 0;
    stf_vectors_forget(&m->vectors);
}

/* Whether the bits above the low `width` of a value are all 0 or all 1: as NaN boxing, or its lack,
 * leaves them. */
static bool boxed(uint64_t value, unsigned width)
{
    const uint64_t above = value >> width;
    return above == 0 || above == UINT64_MAX >> width;
}

/* The bits in which two values of a register differ, without those that records of the same value
 * may differ in. */
static uint64_t difference(const struct stf_model *m, unsigned file, uint64_t a, uint64_t b)
{
    const uint64_t differ = a ^ b;
    if (file == FILE_X) {
        return m->rv == RV_32 ? (uint32_t)differ : differ;
    }
    const bool same = ((uint32_t)differ == 0 && boxed(a, 32) && boxed(b, 32)) ||
                      ((uint16_t)differ == 0 && boxed(a, 16) && boxed(b, 16));
    return same ? 0 : differ;
}

/* A record of an x or f register. What the group's instruction writes is valid from the next
 * group on: other records of the register in the group, wherever they are, have the value before.
 * x0 holds 0, whatever its records say: they only count as those of operands. */
static void track(struct stf_model *m, unsigned file, unsigned number, unsigned operand,
                  uint64_t value, uint64_t *cells)
{
    struct stf_group *g = &m->group;
    const uint32_t bit = UINT32_C(1) << number;
    const bool constant = file == FILE_X && number == 0;
    const bool written = (g->destinations[file] & bit) != 0;
    const bool known = (m->known[file] & bit) != 0 && !written;
    if (known) {
        cells[1] |= stf_at(inst_reg, value_known, 1);
        cells[2] = m->value[file][number];
        cells[3] = difference(m, file, value, cells[2]);
    }
    if (operand == OPERAND_SOURCE) {
        g->sources[file] |= bit;
        g->source_value[number] = file == FILE_X && !constant ? value : g->source_value[number];
        m->sources_recorded = true;
    } else if (operand == OPERAND_DESTINATION) {
        g->destinations[file] |= bit;
        m->destinations_recorded = true;
    } else if (operand == OPERAND_STATE && cells[3] != 0) {
        g->states_refuted[file] |= bit;
    }
    if (!written || operand == OPERAND_DESTINATION) {
        m->known[file] |= constant ? 0 : bit;
        m->value[file][number] = value;
    }
}

static void note_register(struct stf_model *m, const uint8_t *data, uint64_t *cells)
{
    enum { CSR = 4, SATP = 0x180 };
    const unsigned number = (unsigned)stf_get(data, inst_reg, number);
    const unsigned type = (unsigned)stf_get(data, inst_reg, type);
    const unsigned operand = (unsigned)stf_get(data, inst_reg, operand);
    const uint64_t value = stf_get(data, inst_reg, value);
    const uint8_t types = number < STF_REGISTERS ? m->tables.registers[number] : 0;
    cells[1] = stf_at(inst_reg, table_given, m->tables.given[ASSAY_TABLE_registers]) |
               stf_at(inst_reg, register_known, type < STF_REG_TYPES && (types >> type & 1) != 0) |
               stf_at(inst_reg, number_known, types != 0);
    cells[2] = 0;
    cells[3] = 0;
    if (tracked(type, number)) {
        track(m, type - 1, number, operand, value, cells);
    }
    if (type == CSR && number == SATP && operand != OPERAND_SOURCE) {
        note_satp(m, value, operand == OPERAND_DESTINATION);
    }
    stf_vectors_record(m, type, number, operand, value);
    m->operands_recorded = m->operands_recorded || operand >= OPERAND_SOURCE;
    m->end_flags |= stf_at(end, reg_vector, type == 3) |
                    stf_at(end, reg_state, operand == OPERAND_STATE) |
                    stf_at(end, reg_operand, operand >= OPERAND_SOURCE);
}

/* --- memory --- */

static void note_access(struct stf_model *m, const uint8_t *data, uint64_t *cells)
{
    const uint64_t address = stf_address(m, stf_get(data, inst_mem_access, address));
    const unsigned size = (unsigned)stf_get(data, inst_mem_access, size);
    const unsigned type = (unsigned)stf_get(data, inst_mem_access, type);
    cells[1] = 0;
    if (m->pages.slots != NULL) {
        const uint32_t space = stf_space(m);
        const bool walked = stf_pages_known(&m->pages, space, address, size);
        const bool before = stf_pages_accessed(&m->pages, space, address, size);
        cells[1] = stf_at(inst_mem_access, walks_recorded, !m->pages.full) |
                   stf_at(inst_mem_access, walked, walked) |
                   stf_at(inst_mem_access, translation_shown, translates(m)) |
                   stf_at(inst_mem_access, accessed_before, before);
    }
    if (m->walks.count > 0) {
        stf_group_touch(&m->walks, address, size);
    }
    stf_group_access(m, address, size, type);
}

static void note_bus_access(struct stf_model *m, const uint8_t *data)
{
    const unsigned size = (unsigned)stf_get(data, bus_master_access, size);
    stf_moves_access(&m->group.bus, size);
    stf_set_context(m, CONTEXT_MASK(bus_contents_due),
                    stf_at(reserved, bus_contents_due, stf_contents_of(size)));
}

static void note_bus_content(struct stf_model *m, const uint8_t *data, uint64_t *cells)
{
    struct stf_group *g = &m->group;
    const uint64_t due = CONTEXT_OF(m, bus_contents_due);
    stf_derive_content(assay_load64(data), due > 0 ? g->bus.last_size : 0, g->bus.last_contents,
                       cells);
    stf_moves_content(&g->bus);
    if (due > 0) {
        m->context -= stf_at(reserved, bus_contents_due, 1);
    }
}

/* Whether one of the accesses of the group so far, of the first STF_TOUCHED, touches the page. */
static bool page_accessed(const struct stf_model *m, const struct stf_walked *walked)
{
    const struct stf_group *g = &m->group;
    const uint64_t page = walked->address >> walked->log2;
    bool accessed = false;
    for (unsigned i = 0; i < g->moves.accesses && i < STF_TOUCHED && walked->log2 != 0; i++) {
        const uint64_t first = g->touched[i].address;
        const uint64_t last = first + (g->touched[i].size > 0 ? g->touched[i].size - 1 : 0);
        accessed = accessed || (first >> walked->log2 <= page && page <= last >> walked->log2);
    }
    return accessed;
}

static void note_walk(struct stf_model *m, const uint8_t *data, size_t size, uint64_t *cells)
{
    const struct stf_walk walk = {
        .address = stf_get(data, page_table_walk, address),
        .page_size = stf_get(data, page_table_walk, page_size),
        .entries = data + STF_BYTES_page_table_walk,
        .count = (unsigned)((size - STF_BYTES_page_table_walk) / 16),
        .iem = (unsigned)CONTEXT_OF(m, iem),
    };
    const unsigned log2 = stf_page_log2(walk.page_size);
    struct stf_walked walked = {
        .address = stf_address(m, walk.address),
        .log2 = (uint8_t)log2,
        .leaf = stf_walk_attributes(&walk),
        .used = log2 == 0 || stf_get(data, page_table_walk, instruction) != m->instructions,
    };
    const bool accessed = page_accessed(m, &walked);
    walked.used = walked.used || accessed;
    cells[1] = m->instructions;
    cells[3] = stf_walk_leaf(&walk) | stf_at(page_table_walk, satp_levels, m->satp_levels);
    cells[2] = stf_walk_facts(&walk) | stf_at(page_table_walk, page_accessed, accessed) |
               stf_at(page_table_walk, repeated, stf_group_walk(&m->walks, &walked));
    m->end_flags |= stf_at(end, walked, 1);
    stf_pages_walked(&m->pages, stf_space(m), walked.address, log2);
    note_translated(m);
}

/* --- events --- */

enum { REG_A7 = 17 };

struct seen_event {
    bool interrupt, special;
    uint64_t number;
    const uint8_t *fields;
    size_t count;
};

/* Events of guests, which the specification's table has since 1.6. */
static bool of_guest(enum stf_event event)
{
    return event >= STF_EVENT_GUEST_INST_PAGE_FAULT && event <= STF_EVENT_VIRTUAL_INST;
}

static enum stf_event event_of(const struct stf_model *m, const struct seen_event *e)
{
    enum { LISTED = 16 };
    const enum stf_event event = stf_event_of(&m->tables, e->interrupt, e->special, e->number);
    return of_guest(event) && m->minor < LISTED ? STF_EVENT_OTHER : event;
}

/* Events that only the table of ids has may be of guests, too. */
static bool of_hypervisor(enum stf_event event)
{
    return event == STF_EVENT_HYPERVISOR_SOFTWARE || event == STF_EVENT_HYPERVISOR_TIMER ||
           event == STF_EVENT_HYPERVISOR_EXT || event == STF_EVENT_COPROCESSOR ||
           event == STF_EVENT_HYPERVISOR_ECALL || event == STF_EVENT_OTHER || of_guest(event);
}

static void note_event(struct stf_model *m, const struct seen_event *e, uint64_t *cells)
{
    const enum stf_event event = event_of(m, e);
    const struct stf_event_info *info = &stf_event_infos[event];
    const bool mode_change = event == STF_EVENT_MODE_CHANGE;
    const bool ecall = info->origin == STF_ORIGIN_ECALL;
    const bool call_known = (m->known[FILE_X] >> REG_A7 & 1) != 0;
    uint64_t field[3] = {0};
    uint64_t high = 0;
    for (size_t i = 0; i < e->count; i++) {
        const uint64_t value = assay_load64(e->fields + i * 8);
        high |= value >> 32;
        if (i < 3) {
            field[i] = value;
        }
    }
    cells[1] = stf_at(event, table_given, m->tables.given[ASSAY_TABLE_event_ids]) |
               stf_at(event, event, event) | stf_at(event, synchronous, info->synchronous) |
               stf_at(event, asynchronous, info->asynchronous) |
               stf_at(event, fields_required, info->fields) |
               stf_at(event, mode_change, mode_change) | stf_at(event, own_row, info->own_row) |
               stf_at(event, shared_row, info->fields > 0 && !info->own_row) |
               stf_at(event, call_mode, ecall ? event - STF_EVENT_USER_ECALL : 0) |
               stf_at(event, event_origin, info->origin) |
               stf_at(event, field1_is_base,
                      e->count > 1 && m->rv != RV_ISA_UNKNOWN && stf_word_universal(field[1])) |
               stf_at(event, call_number_known, call_known) | stf_at(event, field_count, e->count);
    memcpy(cells + 2, field, sizeof field);
    cells[5] = high;
    cells[6] = call_known ? m->value[FILE_X][REG_A7] : 0;
    if (mode_change) {
        m->group.mode_pending = e->count > 0 && field[0] < 4;
        m->group.mode = (uint8_t)(field[0] & 3);
        m->privileged = m->privileged || (m->group.mode_pending && m->group.mode != 0);
        m->context |= CONTEXT(group_mode_change);
        m->end_flags |=
            stf_at(end, hypervisor_seen, m->group.mode_pending && m->group.mode == HYPERVISOR);
        if ((m->context & (CONTEXT(inst_seen) | CONTEXT(mode_known))) == 0) {
            stf_take_mode(m); /* the mode in which the trace begins */
        }
        return;
    }
    m->end_flags |= stf_at(end, hypervisor_seen, of_hypervisor(event));
    if (event == STF_EVENT_INST_PAGE_FAULT || event == STF_EVENT_LOAD_PAGE_FAULT ||
        event == STF_EVENT_STORE_PAGE_FAULT) {
        note_translated(m);
    }
    m->group.event = (uint8_t)event;
    m->group.event_fields = (uint8_t)e->count;
    memcpy(m->group.event_field, field, sizeof field);
    m->end_flags |= stf_at(end, events_seen, 1);
    m->context |=
        CONTEXT(event_pending) | (e->interrupt ? CONTEXT(group_interrupt) : CONTEXT(group_fault));
}

static void note_event32(struct stf_model *m, const uint8_t *data, size_t size, uint64_t *cells)
{
    const uint64_t id = stf_get(data, event, id);
    const struct seen_event e = {.interrupt = stf_get(data, event, interrupt) != 0,
                                 .special = (id >> 30 & 1) != 0,
                                 .number = id & assay_mask(30),
                                 .fields = data + STF_BYTES_event,
                                 .count = (size - STF_BYTES_event) / 8};
    note_event(m, &e, cells);
}

static void note_event64(struct stf_model *m, const uint8_t *data, size_t size, uint64_t *cells)
{
    const uint64_t id = stf_get(data, event64, id);
    const struct seen_event e = {.interrupt = stf_get(data, event64, interrupt) != 0,
                                 .special = (id >> 62 & 1) != 0,
                                 .number = id & assay_mask(62),
                                 .fields = data + STF_BYTES_event64,
                                 .count = (size - STF_BYTES_event64) / 8};
    note_event(m, &e, cells);
}

/* --- all records --- */

static const uint8_t pending_classes[STF_KIND_COUNT] = {
    [STF_inst_pc_target] = PENDING_INSTRUCTION,
    [STF_inst_reg] = PENDING_INSTRUCTION,
    [STF_inst_ready_reg] = PENDING_INSTRUCTION,
    [STF_page_table_walk] = PENDING_INSTRUCTION,
    [STF_inst_mem_access] = PENDING_INSTRUCTION,
    [STF_inst_mem_content] = PENDING_INSTRUCTION,
    [STF_inst_microop] = PENDING_INSTRUCTION,
    [STF_bus_master_access] = PENDING_OTHER,
    [STF_bus_master_content] = PENDING_OTHER,
    [STF_event] = PENDING_OTHER,
    [STF_event64] = PENDING_OTHER,
    [STF_event_pc_target] = PENDING_OTHER,
    [STF_inst_iem] = PENDING_OTHER,
    [STF_process_id_ext] = PENDING_OTHER,
    [STF_process_id_ext_hart] = PENDING_OTHER,
    [STF_force_pc] = PENDING_OTHER,
};

/* Adds the record to the context. Comments are not part of it, the header is not a group, and
 * a change of mode and the end have no position of their own in one. */
static void enter(struct stf_model *m, enum stf_kind kind, uint64_t group_bit, bool ranked)
{
    const uint64_t descriptor = stf_descriptor_of(kind);
    m->last_descriptor = (uint8_t)descriptor;
    if (kind == STF_comment) {
        return;
    }
    uint64_t above = CONTEXT_OF(m, highest_descriptor);
    if ((m->context & CONTEXT(in_header)) == 0 && kind != STF_end_header &&
        kind != STF_reserve_end && ranked && descriptor > above) {
        above = descriptor;
    }
    m->pending |= (m->context & CONTEXT(in_header)) == 0 ? pending_classes[kind] : 0;
    m->group_used = true;
    stf_set_context(m, CONTEXT_MASK(highest_descriptor) | CONTEXT_MASK(previous_descriptor),
                    stf_at(reserved, highest_descriptor, above) |
                        stf_at(reserved, previous_descriptor, descriptor) | group_bit);
}

static void enter_instruction(struct stf_model *m, enum stf_kind kind)
{
    const uint64_t descriptor = stf_descriptor_of(kind);
    m->last_descriptor = (uint8_t)descriptor;
    m->pending = 0;
    stf_set_context(m, CONTEXT_MASK(highest_descriptor) | CONTEXT_MASK(previous_descriptor),
                    stf_at(reserved, previous_descriptor, descriptor));
}

static uint64_t text_flags(const uint8_t *data, size_t from, size_t size)
{
    struct stf_text text = {0};
    stf_text_add(&text, data + from, size - from);
    return stf_text_flags(&text);
}

static void note_cold(struct stf_model *m, enum stf_kind kind, const uint8_t *data, size_t size,
                      uint64_t *cells)
{
    switch (kind) {
    case STF_comment:
    case STF_isa_extended:
        cells[1] = text_flags(data, STF_BYTES_comment, size);
        break;
    case STF_clock_id:
        cells[1] = text_flags(data, STF_BYTES_clock_id, size);
        break;
    case STF_trace_info: {
        const unsigned tool = (unsigned)stf_get(data, trace_info, tool);
        cells[1] = text_flags(data, STF_BYTES_trace_info, size) |
                   stf_at(trace_info, tool_known, m->tables.tools[tool / 64] >> tool % 64 & 1);
        break;
    }
    case STF_isa:
        m->isa = (uint16_t)stf_get(data, isa, isa);
        note_instruction_set(m);
        break;
    case STF_inst_iem:
        m->iem = (uint16_t)stf_get(data, inst_iem, encoding_mode);
        note_instruction_set(m);
        break;
    case STF_trace_info_feature:
        note_features(m, data, cells);
        break;
    case STF_process_id_ext:
    case STF_process_id_ext_hart:
        note_process(m, data, cells);
        break;
    case STF_vlen_config:
        m->vectors.vlen = (uint32_t)stf_get(data, vlen_config, vlen);
        break;
    case STF_transaction:
        cells[1] = stf_at(transaction, channel, stf_transaction_channel(data, size));
        break;
    case STF_inst_ready_reg: {
        const unsigned number = (unsigned)stf_get(data, inst_ready_reg, number);
        cells[1] = stf_at(inst_ready_reg, table_given, m->tables.given[ASSAY_TABLE_registers]) |
                   stf_at(inst_ready_reg, number_known,
                          number < STF_REGISTERS && m->tables.registers[number] != 0);
        m->group.ready |= UINT64_C(1) << (number < 63 ? number : 63);
        break;
    }
    case STF_end_header:
        m->context &= ~CONTEXT(in_header);
        break;
    case STF_reserve_end:
        m->context |= CONTEXT(trailing);
        break;
    default:
        break;
    }
}

void stf_model_record(struct stf_model *m, enum stf_kind kind, const uint8_t *data, size_t size,
                      uint64_t *cells)
{
    uint64_t group_bit = 0;
    bool ranked = true;
    m->fast = false;
    cells[0] = m->context;
    switch (kind) {
    case STF_inst_32:
        stf_model_instruction(m, (uint32_t)stf_get(data, inst_32, encoding), 4, cells);
        enter_instruction(m, kind);
        return;
    case STF_inst_16:
        stf_model_instruction(m, (uint32_t)stf_get(data, inst_16, encoding), 2, cells);
        enter_instruction(m, kind);
        return;
    case STF_inst_mem_access:
        note_access(m, data, cells);
        group_bit = CONTEXT(group_access);
        break;
    case STF_inst_mem_content:
        stf_group_content(m, assay_load64(data), cells);
        break;
    case STF_inst_reg:
        note_register(m, data, cells);
        group_bit = CONTEXT(group_reg);
        break;
    case STF_inst_pc_target:
        m->group.pc_target = stf_get(data, inst_pc_target, pc);
        group_bit = CONTEXT(group_pc_target);
        break;
    case STF_force_pc:
        m->group.forced_pc = stf_address(m, stf_get(data, force_pc, pc));
        stf_forget_registers(m);
        group_bit = CONTEXT(group_force_pc);
        break;
    case STF_event:
        note_event32(m, data, size, cells);
        ranked = (cells[1] & stf_at(event, mode_change, 1)) == 0;
        break;
    case STF_event64:
        note_event64(m, data, size, cells);
        ranked = (cells[1] & stf_at(event, mode_change, 1)) == 0;
        break;
    case STF_event_pc_target:
        m->group.event_target = stf_get(data, event_pc_target, pc);
        m->context &= ~CONTEXT(event_pending);
        group_bit = CONTEXT(group_event_target);
        break;
    case STF_page_table_walk:
        note_walk(m, data, size, cells);
        group_bit = CONTEXT(group_walk);
        break;
    case STF_bus_master_access:
        note_bus_access(m, data);
        group_bit = CONTEXT(group_bus_access);
        break;
    case STF_bus_master_content:
        note_bus_content(m, data, cells);
        break;
    case STF_inst_microop:
        cells[1] = stf_at(inst_microop, announced, m->features >> STF_FEATURE_MICROOP & 1);
        group_bit = CONTEXT(group_microop);
        break;
    default:
        note_cold(m, kind, data, size, cells);
        break;
    }
    enter(m, kind, group_bit, ranked);
}

void stf_model_end(const struct stf_model *m, uint64_t *cells)
{
    cells[3] = m->end_flags |
               stf_at(end, instruction_pending, (m->pending & PENDING_INSTRUCTION) != 0) |
               stf_at(end, other_pending, (m->pending & PENDING_OTHER) != 0) |
               stf_at(end, last_is_end, m->last_descriptor == STF_DESC_reserve_end) |
               stf_at(end, features_known, m->features_known);
    cells[4] = m->features;
    cells[11] = m->sizes_in_bytes;
    cells[12] = m->sizes_in_bits;
}
