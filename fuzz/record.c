/* A record of the interface of a hart, a table of retired instructions or a log of committed ones,
 * read to its end; of a log also its items. The first byte chooses XLEN and the core. The log is of
 * the same instructions both ways. */
#include "etrace/interface/record.h"

#include <stdlib.h>

#include "fuzz/target.h"
#include "io/source.h"

/* ECALL and EBREAK are items that do not retire. */
static bool is_raising(uint32_t word)
{
    return rv_info_is_exception_generating(rv_classify(word, RV_64)) != 0;
}

/* Blocks that retire, and whether all could be read. */
static bool read_record(const uint8_t *data, size_t size, enum rv_isa isa, uint32_t core,
                        uint64_t *retired)
{
    const struct etrace_record_setup setup = {isa, core};
    struct assay_source *source = NULL;
    struct etrace_record *record = NULL;
    struct etrace_block block;
    struct assay_diag diag = {0};
    bool more = false;
    if (assay_source_memory(data, size, &source) != ASSAY_OK) {
        abort();
    }
    enum assay_error error = etrace_record_open(source, &setup, &record, &diag);
    do {
        error = error == ASSAY_OK ? etrace_record_next(record, &block, &more, &diag) : error;
        *retired += error == ASSAY_OK && more && block.logged &&
                    block.signal[ETRACE_SIGNAL_IRETIRE] != 0 && !is_raising(block.insn);
    } while (error == ASSAY_OK && more);
    if (error != ASSAY_OK && diag.message[0] == '\0') {
        abort(); /* no error without saying what it is */
    }
    etrace_record_close(record);
    assay_source_close(source);
    return error == ASSAY_OK;
}

static bool read_items(const uint8_t *data, size_t size, uint32_t core, uint64_t *instructions,
                       enum rv_isa *isa)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    struct assay_executed item = {.kind = ASSAY_EXECUTED_THREAD_START};
    if (assay_source_memory(data, size, &source) != ASSAY_OK) {
        abort();
    }
    if (assay_execution_open_any(source, &execution, NULL) != ASSAY_OK) {
        return false;
    }
    *isa = assay_execution_header(execution)->isa == ASSAY_EXECUTION_RISCV32 ? RV_32 : RV_64;
    assay_execution_choose(execution, core);
    enum assay_error error = assay_execution_has_items(execution) ? ASSAY_OK : ASSAY_UNSUPPORTED;
    while (error == ASSAY_OK && item.kind != ASSAY_EXECUTED_END) {
        error = assay_execution_next(execution, &item);
        *instructions +=
            error == ASSAY_OK && item.kind == ASSAY_EXECUTED_INSTRUCTION && !is_raising(item.word);
    }
    assay_execution_close(execution);
    return error == ASSAY_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum rv_isa isa = RV_64;
    uint64_t retired = 0;
    uint64_t instructions = 0;
    if (size == 0) {
        return 0;
    }
    const uint32_t core = (data[0] & 1) != 0 ? data[0] >> 1 : ASSAY_EXECUTION_THREAD_FROM_TRACE;
    const bool has_items = read_items(data + 1, size - 1, core, &instructions, &isa);
    const bool is_whole = read_record(data + 1, size - 1, isa, core, &retired);
    if (has_items && (!is_whole || instructions != retired)) {
        abort();
    }
    return 0;
}
