#include "generators/stf/record.h"

#include <string.h>

enum { TEXT = 2000, BEHIND = 8, SMALL = 48 };

static void put(struct stf_recorder *r, enum stf_kind kind, const uint8_t *data, size_t size)
{
    const struct assay_event event = {
        .bytes = data, .bits = (uint32_t)(8 * (size + 1)), .kind = (uint16_t)kind};
    if (r->error == ASSAY_OK) {
        r->error = assay_format_stf.encoder->put(r->encoder, &event, NULL);
        r->records++;
    }
}

void stf_record_put(struct stf_recorder *r, enum stf_kind kind, const uint8_t *data)
{
    put(r, kind, data, (assay_format_stf.kinds[kind].bits - assay_format_stf.lead_bits) / 8);
}

/* Puts the text after `bytes` of a record; returns its length. */
static size_t add_text(uint8_t *data, size_t bytes, const char *text)
{
    const size_t size = strnlen(text, TEXT);
    memcpy(data + bytes, text, size);
    return size;
}

void stf_record_comment(struct stf_recorder *r, const char *text)
{
    uint8_t data[STF_BYTES_comment + TEXT + BEHIND] = {0};
    const size_t size = add_text(data, STF_BYTES_comment, text);
    stf_set(data, comment, length, size);
    put(r, STF_comment, data, STF_BYTES_comment + size);
}

void stf_record_trace_info(struct stf_recorder *r, struct stf_tool tool, const char *text)
{
    uint8_t data[STF_BYTES_trace_info + TEXT + BEHIND] = {0};
    stf_set(data, trace_info, tool, tool.number);
    stf_set(data, trace_info, major, tool.major);
    stf_set(data, trace_info, minor, tool.minor);
    stf_set(data, trace_info, minor_minor, tool.minor_minor);
    stf_set(data, trace_info, length, strnlen(text, TEXT));
    const size_t size = add_text(data, STF_BYTES_trace_info, text);
    put(r, STF_trace_info, data, STF_BYTES_trace_info + size);
}

void stf_record_process(struct stf_recorder *r, uint32_t process, uint64_t thread)
{
    uint8_t data[SMALL] = {0};
    if (r->profile == STF_PROFILE_16) {
        stf_set(data, process_id_ext_hart, pid, process);
        stf_set(data, process_id_ext_hart, tid, thread);
        stf_record_put(r, STF_process_id_ext_hart, data);
        return;
    }
    stf_set(data, process_id_ext, pid, process);
    stf_set(data, process_id_ext, tid, thread);
    stf_record_put(r, STF_process_id_ext, data);
}

void stf_record_pc(struct stf_recorder *r, enum stf_kind kind, uint64_t pc)
{
    uint8_t data[SMALL] = {0};
    stf_set(data, force_pc, pc, pc);
    put(r, kind, data, STF_BYTES_force_pc);
}

void stf_record_register(struct stf_recorder *r, const struct stf_register *content)
{
    uint8_t data[SMALL] = {0};
    stf_set(data, inst_reg, number, content->number);
    stf_set(data, inst_reg, type, content->type);
    stf_set(data, inst_reg, operand, content->operand);
    stf_set(data, inst_reg, value, content->value);
    put(r, STF_inst_reg, data, STF_BYTES_inst_reg);
}

void stf_record_access(struct stf_recorder *r, uint64_t address, unsigned size, bool write,
                       uint64_t content)
{
    uint8_t data[SMALL] = {0};
    stf_set(data, inst_mem_access, address, address);
    stf_set(data, inst_mem_access, size, size);
    stf_set(data, inst_mem_access, type, write ? 2 : 1);
    put(r, STF_inst_mem_access, data, STF_BYTES_inst_mem_access);
    memset(data, 0, sizeof data);
    stf_set(data, inst_mem_content, data, content);
    put(r, STF_inst_mem_content, data, STF_BYTES_inst_mem_content);
}

/* A page of 512 GiB has size 0, as the field has 32 bits. */
void stf_record_walk(struct stf_recorder *r, const struct assay_walk *walk, uint64_t instruction)
{
    enum { ENTRY = 16 };
    uint8_t data[STF_BYTES_page_table_walk + ENTRY * ASSAY_WALK_ENTRIES_MAX + BEHIND] = {0};
    stf_set(data, page_table_walk, address, walk->address);
    stf_set(data, page_table_walk, instruction, instruction);
    stf_set(data, page_table_walk, page_size, (uint32_t)(UINT64_C(1) << walk->page_log2));
    stf_set(data, page_table_walk, count, walk->count);
    for (unsigned i = 0; i < walk->count && i < ASSAY_WALK_ENTRIES_MAX; i++) {
        uint8_t *entry = data + STF_BYTES_page_table_walk + (size_t)i * ENTRY;
        assay_store64(entry, walk->entry[i].address);
        assay_store64(entry + ENTRY / 2, walk->entry[i].content);
    }
    put(r, STF_page_table_walk, data, STF_BYTES_page_table_walk + (size_t)walk->count * ENTRY);
}

void stf_record_event(struct stf_recorder *r, uint32_t id, const uint64_t *fields, unsigned count)
{
    const size_t bytes = r->event64 ? STF_BYTES_event64 : STF_BYTES_event;
    uint8_t data[SMALL] = {0};
    if (r->event64) {
        stf_set(data, event64, id, (id & assay_mask(30)) | (uint64_t)(id >> 30 & 1) << 62);
        stf_set(data, event64, interrupt, id >> 31);
        stf_set(data, event64, count, count);
    } else {
        stf_set(data, event, id, id & assay_mask(31));
        stf_set(data, event, interrupt, id >> 31);
        stf_set(data, event, count, count);
    }
    for (unsigned i = 0; i < count; i++) {
        assay_store64(data + bytes + (size_t)i * 8, fields[i]);
    }
    put(r, r->event64 ? STF_event64 : STF_event, data, bytes + (size_t)count * 8);
}

void stf_record_instruction(struct stf_recorder *r, uint32_t word, unsigned size)
{
    uint8_t data[SMALL] = {0};
    assay_store32(data, word);
    put(r, size == 2 ? STF_inst_16 : STF_inst_32, data, size);
}
