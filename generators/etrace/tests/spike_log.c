#include "generators/etrace/tests/spike_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>

#include "common/bytes.h"
#include "etrace/data/accesses.h"
#include "isa/rv_compute.h"

enum {
    EPC = 0x341,
    CAUSE = 0x342,
    TVAL = 0x343,
    LEVEL_BIT = 8,
    M = 3,
    CSR_STVEC = 0x105,
    CSR_MTVEC = 0x305
};

struct writer {
    FILE *file;
    struct spike_style style;
    enum rv_isa isa;
    int digits; /* of an address */
    uint8_t level;
    struct etrace_registers registers;
    struct assay_executed trap[4]; /* the last one, by the level of its handler */
    uint64_t traps;
    uint64_t handler[4]; /* by level; 0: there is none */
    bool begun;
};

static void write_core(struct writer *w, bool is_commit)
{
    if (!is_commit || !w->style.old) {
        (void)fprintf(w->file, "core %3u: ", (unsigned)w->style.core);
    }
}

static uint64_t cut(const struct writer *w, uint64_t value)
{
    return value & assay_mask(4 * (unsigned)w->digits);
}

static void write_value(struct writer *w, uint64_t value)
{
    (void)fprintf(w->file, " 0x%0*llx", w->digits, (unsigned long long)cut(w, value));
}

static void write_fetched(struct writer *w, const struct assay_executed *item)
{
    if (w->style.traps) {
        write_core(w, false);
        (void)fprintf(w->file, "0x%0*llx (0x%08x) some text, (0x%x)\n", w->digits,
                      (unsigned long long)cut(w, item->address), item->word, item->word);
    }
}

static void write_trap(struct writer *w, const struct assay_executed *item)
{
    static const char *const names[] = {[0] = "trap_instruction_address_misaligned",
                                        [1] = "trap_instruction_access_fault",
                                        [2] = "trap_illegal_instruction",
                                        [3] = "trap_breakpoint",
                                        [4] = "trap_load_address_misaligned",
                                        [5] = "trap_load_access_fault",
                                        [6] = "trap_store_address_misaligned",
                                        [7] = "trap_store_access_fault",
                                        [8] = "trap_user_ecall",
                                        [9] = "trap_supervisor_ecall",
                                        [11] = "trap_machine_ecall",
                                        [12] = "trap_instruction_page_fault",
                                        [13] = "trap_load_page_fault",
                                        [15] = "trap_store_page_fault"};
    const unsigned top = w->isa == RV_32 ? 31 : 63;
    const uint64_t cause = item->cause & ~(UINT64_C(1) << top);
    w->traps++;
    w->trap[item->level] = *item;
    w->level = item->level;
    if (!w->style.traps) {
        return;
    }
    write_core(w, false);
    if (cause != item->cause) {
        (void)fprintf(w->file, "exception interrupt #%u", (unsigned)cause);
    } else if (cause < 16 && names[cause] != NULL) {
        (void)fprintf(w->file, "exception %s", names[cause]);
    } else {
        (void)fprintf(w->file, "exception trap #%u", (unsigned)cause);
    }
    (void)fprintf(w->file, ", epc 0x%0*llx\n", w->digits, (unsigned long long)cut(w, item->from));
    if (item->fault != 0) {
        write_core(w, false);
        (void)fprintf(w->file, "          %s 0x%0*llx\n", w->style.old ? "badaddr" : "tval",
                      w->digits, (unsigned long long)cut(w, item->fault));
    }
}

/* What a CSR holds, if it is known. */
static bool csr_of(const struct writer *w, const struct assay_executed *item, uint64_t *value)
{
    const unsigned number = rv_csr(item->word);
    const struct assay_executed *trap = &w->trap[number >> LEVEL_BIT & 3];
    switch (number | M << LEVEL_BIT) {
    case EPC:
        *value = trap->from;
        break;
    case CAUSE:
        *value = trap->cause;
        break;
    case TVAL:
        *value = trap->fault;
        break;
    default:
        return false;
    }
    return w->style.csrs && trap->kind == ASSAY_EXECUTED_TRAP;
}

/* What the instruction is known to have written to a CSR. */
static void write_csr(struct writer *w, const struct assay_executed *item, uint64_t info,
                      const struct etrace_access *access)
{
    const unsigned number = rv_csr(item->word);
    if (rv_info_class(info) == RV_CSR && rv_info_csr_written(info) != 0 && w->style.csrs &&
        access->operation == 0 && access->operand_known) {
        (void)fprintf(w->file, " c%u_%s", number, number == CSR_MTVEC ? "mtvec" : "name");
        write_value(w, access->operand);
        if ((number & 0xff) == (EPC & 0xff)) {
            w->trap[number >> LEVEL_BIT & 3].from = access->operand;
        }
    }
}

static void write_memory(struct writer *w, const struct assay_executed *item, bool writes)
{
    for (unsigned n = 0; n < item->accesses; n++) {
        const struct assay_access *a = &item->access[n];
        if (a->write != writes) {
            continue;
        }
        (void)fprintf(w->file, " mem");
        write_value(w, a->address);
        if (writes) {
            (void)fprintf(w->file, " 0x%0*llx", w->style.old && a->size == 1 ? 1 : (int)a->size * 2,
                          (unsigned long long)a->content);
        }
    }
}

/* As if the first instruction wrote xtvec: programs are recorded from later on. */
static void write_vectors(struct writer *w)
{
    static const char *const names[] = {[1] = "stvec", [M] = "mtvec"};
    for (unsigned level = 1; level <= M && !w->begun; level += 2) {
        if (w->handler[level] != 0) {
            (void)fprintf(w->file, " c%u_%s", CSR_STVEC + (level - 1) * 0x100, names[level]);
            write_value(w, w->handler[level]);
        }
    }
    w->begun = true;
}

/* The x register that an instruction writes, if it is one and its value is known. */
static void write_result(struct writer *w, const struct assay_executed *item, uint64_t info,
                         const struct etrace_access *access)
{
    struct assay_executed result = *item;
    const struct rv_operand rd = rv_operand(item->word, info, RV_OP_RD);
    const unsigned bits = 8 * access->bytes;
    if (rv_info_class(info) == RV_CSR) {
        result.result_known = csr_of(w, item, &result.result);
    } else if (access->value_known && rv_info_reads(info) != 0 && rd.file == RV_FILE_X) {
        const bool is_signed = rv_info_class(info) == RV_AMO || (item->word >> 12 & 7) < 4;
        result.result = is_signed ? rv_sign_extend(access->value, bits) : access->value;
        result.result_known = true;
    }
    if (rv_info_length(info) == 2 && rv_info_reads(info) != 0) {
        result.result = rv_sign_extend(access->value, bits);
    }
    etrace_registers_follow(&w->registers, item->address, item->word, w->isa);
    etrace_registers_result(&w->registers, item->word, w->isa, &result);
    for (unsigned n = 1; n < 32 && rd.is_written && rd.file == RV_FILE_X; n++) {
        if (rd.registers == UINT32_C(1) << n && (w->registers.known >> n & 1) != 0) {
            (void)fprintf(w->file, w->style.old ? " x%2u" : " x%-2u", n);
            write_value(w, w->registers.value[n]);
        }
    }
}

static void write_instruction(struct writer *w, const struct assay_executed *item)
{
    const uint64_t info = rv_classify(item->word, w->isa);
    const struct etrace_access access =
        etrace_access_of(item->address, item->word, w->isa, &w->registers, item);
    write_fetched(w, item);
    if (rv_info_is_exception_generating(info) != 0) { /* it is not committed */
        return;
    }
    write_core(w, true);
    (void)fprintf(w->file, "%u 0x%0*llx (0x%0*x)", w->level, w->style.old ? 16 : w->digits,
                  (unsigned long long)cut(w, item->address),
                  w->style.old || item->size == 4 ? 8 : 4, item->word);
    write_result(w, item, info, &access);
    write_vectors(w);
    write_csr(w, item, info, &access);
    write_memory(w, item, false);
    write_memory(w, item, true);
    (void)fprintf(w->file, "\n");
}

static void write_item(struct writer *w, const struct assay_executed *item)
{
    switch (item->kind) {
    case ASSAY_EXECUTED_LEVEL:
        w->level = item->level;
        break;
    case ASSAY_EXECUTED_TRAP:
        write_trap(w, item);
        break;
    case ASSAY_EXECUTED_INSTRUCTION:
        write_instruction(w, item);
        break;
    default:
        break;
    }
}

static struct assay_execution *open_recording(const char *recording)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    assert_int_equal(assay_source_open(recording, &source, NULL), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &execution, NULL), ASSAY_OK);
    return execution;
}

/* The first handler of each level; it has one. */
static void find_handlers(struct writer *w, const char *recording)
{
    struct assay_execution *execution = open_recording(recording);
    struct assay_executed item;
    unsigned level = 0;
    do {
        assert_int_equal(assay_execution_next(execution, &item), ASSAY_OK);
        if (item.kind == ASSAY_EXECUTED_TRAP) {
            level = item.level;
        } else if (item.kind == ASSAY_EXECUTED_INSTRUCTION) {
            w->handler[level] = w->handler[level] == 0 ? item.address : w->handler[level];
            level = 0;
        }
    } while (item.kind != ASSAY_EXECUTED_END);
    assay_execution_close(execution);
}

uint64_t spike_log_write(const char *recording, const char *log, const struct spike_style *style)
{
    struct assay_executed item;
    struct writer w = {.file = fopen(log, "w"), .style = *style};
    assert_non_null(w.file);
    find_handlers(&w, recording);
    struct assay_execution *execution = open_recording(recording);
    const bool narrow = assay_execution_header(execution)->isa == ASSAY_EXECUTION_RISCV32;
    w.isa = narrow ? RV_32 : RV_64;
    w.digits = narrow ? 8 : 16;
    etrace_registers_forget(&w.registers);
    do {
        assert_int_equal(assay_execution_next(execution, &item), ASSAY_OK);
        write_item(&w, &item);
    } while (item.kind != ASSAY_EXECUTED_END);
    assay_execution_close(execution);
    assert_int_equal(fclose(w.file), 0);
    return w.traps;
}
