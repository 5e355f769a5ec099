/* Human-readable lines about records. */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/describe.h"
#include "stf/stf.h"
#include "stf/tables.h"

#define FORMAT (&assay_format_stf)

static const struct assay_field *field_of(const struct assay_event *event, const char *name)
{
    return assay_field_by_name(&FORMAT->kinds[event->kind], name);
}

static uint64_t value_of(const struct assay_event *event, const char *name)
{
    return assay_field_get(field_of(event, name), event);
}

static const char *name_of(const struct assay_event *event, const char *field)
{
    const char *name = assay_enum_name(field_of(event, field)->names, value_of(event, field));
    return name != NULL ? name : "?";
}

static void describe_inst(const struct assay_event *event, char *out, size_t size)
{
    const int digits = event->kind == STF_inst_32 ? 8 : 4;
    out[0] = '\0';
    if (value_of(event, "pc_known") != 0) {
        assay_append(out, size, "pc=0x%" PRIx64 " ", value_of(event, "pc"));
    }
    assay_append(out, size, "encoding=0x%0*" PRIx64 " %s", digits, value_of(event, "encoding"),
                 name_of(event, "rv_class"));
    if (value_of(event, "group_pc_target") != 0) {
        assay_append(out, size, " to 0x%" PRIx64, value_of(event, "pc_target"));
    }
}

/* The name of a CSR by the table that is built in; null for one that it does not have. */
static const char *csr_name(uint64_t number)
{
    const struct stf_built_in *table = &stf_built_in[ASSAY_TABLE_registers];
    for (size_t i = 0; i < table->count; i++) {
        if (table->list[i].value == number && strcmp(table->list[i].group, "csr") == 0) {
            return table->list[i].name;
        }
    }
    return NULL;
}

static void describe_reg(const struct assay_event *event, char *out, size_t size)
{
    enum { CSR = 4 };
    const uint64_t number = value_of(event, "number");
    const char *csr = value_of(event, "type") == CSR ? csr_name(number) : NULL;
    snprintf(out, size, "%s %s ", name_of(event, "operand"), name_of(event, "type"));
    if (csr != NULL) {
        assay_append(out, size, "%s", csr);
    } else {
        assay_append(out, size, "%" PRIu64, number);
    }
    assay_append(out, size, " = 0x%" PRIx64, value_of(event, "value"));
    size_t more;
    const uint8_t *words = assay_field_tail(FORMAT, field_of(event, "more"), event, &more);
    for (size_t i = 0; i + 8 <= more; i += 8) {
        assay_append(out, size, ",0x%" PRIx64, assay_load64(words + i));
    }
}

static void describe_access(const struct assay_event *event, char *out, size_t size)
{
    snprintf(out, size, "%s 0x%" PRIx64 " size=%" PRIu64, name_of(event, "type"),
             value_of(event, "address"), value_of(event, "size"));
    if (value_of(event, "attributes") != 0) {
        assay_append(out, size, " attributes=0x%" PRIx64, value_of(event, "attributes"));
    }
    if (event->kind == STF_bus_master_access) {
        assay_append(out, size, " initiator=%" PRIu64 ".%" PRIu64, value_of(event, "initiator"),
                     value_of(event, "initiator_index"));
    }
}

static void describe_list(const struct assay_event *event, const char *name, char *out, size_t size)
{
    size_t bytes;
    const uint8_t *list = assay_field_tail(FORMAT, field_of(event, name), event, &bytes);
    assay_append(out, size, " %s=[", name);
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        assay_append(out, size, "%s0x%" PRIx64, i > 0 ? " " : "", assay_load64(list + i));
    }
    assay_append(out, size, "]");
}

static void describe_event(const struct assay_event *event, char *out, size_t size)
{
    snprintf(out, size, "%s %s id=0x%" PRIx64,
             value_of(event, "interrupt") != 0 ? "interrupt" : "fault", name_of(event, "event"),
             value_of(event, "id"));
    describe_list(event, "fields", out, size);
}

static void describe_walk(const struct assay_event *event, char *out, size_t size)
{
    snprintf(out, size, "0x%" PRIx64 " page_size=%" PRIu64 " instruction=%" PRIu64,
             value_of(event, "address"), value_of(event, "page_size"),
             value_of(event, "instruction"));
    describe_list(event, "entries", out, size);
}

/* Fields, and after them the text that ends the record. */
static void describe_text(const struct assay_event *event, char *out, size_t size)
{
    enum { MOST = 200 };
    const struct assay_kind *kind = &FORMAT->kinds[event->kind];
    char text[4 * MOST + 1];
    size_t length;
    assay_describe_fields(kind, event, out, size);
    for (size_t i = 0; i < kind->field_count; i++) {
        if (kind->fields[i].place == ASSAY_TAIL) {
            const uint8_t *bytes = assay_field_tail(FORMAT, &kind->fields[i], event, &length);
            assay_escape(bytes, length < MOST ? length : MOST, text, sizeof text);
            assay_append(out, size, " %s=\"%s\"%s", kind->fields[i].name, text,
                         length > MOST ? " ..." : "");
        }
    }
}

static void describe_malformed(const struct assay_event *event, char *out, size_t size)
{
    const struct assay_fault_code *fault = &FORMAT->faults[event->fault - 1];
    snprintf(out, size, "%s value=0x%" PRIx64 ": %s", fault->name, event->cells[0], fault->doc);
}

static void describe_end(const struct assay_event *event, char *out, size_t size)
{
    snprintf(out, size, "%" PRIu64 " records in %" PRIu64 " bytes, stored as %s", event->index,
             event->offset, name_of(event, "container"));
}

void stf_describe(const struct assay_event *event, char *out, size_t size)
{
    switch (event->kind) {
    case STF_malformed:
        describe_malformed(event, out, size);
        return;
    case STF_end:
        describe_end(event, out, size);
        return;
    case STF_inst_32:
    case STF_inst_16:
        describe_inst(event, out, size);
        return;
    case STF_inst_reg:
        describe_reg(event, out, size);
        return;
    case STF_inst_mem_access:
    case STF_bus_master_access:
        describe_access(event, out, size);
        return;
    case STF_event:
    case STF_event64:
        describe_event(event, out, size);
        return;
    case STF_page_table_walk:
        describe_walk(event, out, size);
        return;
    default:
        describe_text(event, out, size);
        return;
    }
}

bool stf_instruction(const struct assay_event *event, struct assay_instruction *instruction)
{
    enum { RV32 = 1 };
    if ((event->kind != STF_inst_32 && event->kind != STF_inst_16) ||
        value_of(event, "word_known") == 0) {
        return false;
    }
    *instruction = (struct assay_instruction){
        .address = value_of(event, "pc_known") != 0 ? value_of(event, "pc") : 0,
        .word = (uint32_t)value_of(event, "encoding"),
        .machine = EM_RISCV,
        .bytes = event->kind == STF_inst_32 ? 4 : 2,
        .width = value_of(event, "iem") == RV32 ? 32 : 64};
    return true;
}
