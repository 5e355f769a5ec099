#include "generators/etrace/record_data.h"

#include "etrace/interface/block_facts.h"
#include "etrace/interface/data_signals.h"
#include "etrace/interface/qualify.h"

enum { XLEN_32 = 32 };

void record_data_open(struct record_data *data, struct etrace_encoding *encoding,
                      const struct assay_parameter_values *values)
{
    *data = (struct record_data){.encoding = encoding,
                                 .values = values,
                                 .filters = values->known[ETRACE_DENABLE] &&
                                            values->value[ETRACE_DENABLE] == 1 &&
                                            values->known[ETRACE_DFILTERS]};
}

/* Bytes of one value of a CSR or an atomic access, of which dsize can be that of two. */
static uint32_t bytes_of_one(const struct record_data *data, const struct etrace_block *block,
                             enum etrace_access_type type)
{
    const uint32_t xlen_bytes = data->values->value[ETRACE_XLEN] == XLEN_32 ? 4 : 8;
    const uint64_t log = block->signal[ETRACE_SIGNAL_DSIZE];
    return type == ETRACE_ACCESS_CSR || log > 3 || UINT32_C(1) << log > xlen_bytes
               ? xlen_bytes
               : UINT32_C(1) << log;
}

/* What is stored is in the record, and beside it the operand, or else what is loaded: what follows
 * from these is known, and otherwise data is what is stored (4.4). */
static void find_values(struct etrace_access *access)
{
    access->operand = access->either_known ? access->either[0] : 0;
    if (access->type == ETRACE_ACCESS_ATOMIC && access->stored_known) {
        access->value = etrace_encoding_undo(access->operation, access->stored, access->operand) &
                        assay_mask(8 * access->bytes);
    }
}

static struct etrace_access access_of(const struct record_data *data,
                                      const struct etrace_block *block)
{
    const uint64_t width = data->encoding->data.layout[ETRACE_DATA_WIDTH];
    struct etrace_signalled said = {.kind = ETRACE_SIGNALLED_ACCESS, .block = *block};
    said.due = etrace_signalled_access(&said, width);
    if (said.due.type == ETRACE_ACCESS_CSR || said.due.type == ETRACE_ACCESS_ATOMIC) {
        said.due.bytes = bytes_of_one(data, block, said.due.type);
    }
    struct etrace_access access = etrace_signalled_access(&said, width);
    access.id = (uint16_t)(block->signal[ETRACE_SIGNAL_LRID] % ETRACE_DATA_INDEXES);
    if (access.type == ETRACE_ACCESS_ATOMIC &&
        etrace_data_unit_splits(&data->encoding->data, &access)) {
        access.operand = block->signal[ETRACE_SIGNAL_SDATA];
    } else {
        find_values(&access);
    }
    return access;
}

/* By data filters. */
static bool is_chosen(const struct record_data *data, const struct etrace_block *block)
{
    const uint64_t *signal = block->signal;
    const bool retires = etrace_block_retires(block);
    const struct etrace_filtered access = {.address = {signal[ETRACE_SIGNAL_IADDR]},
                                           .addresses = retires,
                                           .exact = true,
                                           .retires = true,
                                           .without_priv = !retires,
                                           .priv = signal[ETRACE_SIGNAL_PRIV],
                                           .has_dtype = true,
                                           .dtype = signal[ETRACE_SIGNAL_DTYPE],
                                           .has_dsize = true,
                                           .dsize = signal[ETRACE_SIGNAL_DSIZE],
                                           .has_daddr = true,
                                           .daddr = signal[ETRACE_SIGNAL_DADDR]};
    return etrace_qualify_access(data->values, &access) == ETRACE_YES;
}

void record_data_flush(struct record_data *data)
{
    if (data->held.type != ETRACE_ACCESS_NONE) {
        etrace_data_unit_put(&data->encoding->data, &data->held);
        data->held.type = ETRACE_ACCESS_NONE;
    }
}

static void respond(struct record_data *data, const struct etrace_block *block)
{
    struct etrace_signalled said = {.kind = ETRACE_SIGNALLED_RESPONSE, .block = *block};
    struct record_request *request =
        &data->request[block->signal[ETRACE_SIGNAL_LID] % ETRACE_DATA_INDEXES];
    if (request->traced) {
        request->access.status = etrace_signalled_answer(&said, &request->access.value)
                                     ? ETRACE_STATUS_OKAY
                                     : ETRACE_STATUS_FAILED;
        etrace_data_unit_respond(&data->encoding->data, &request->access);
    }
    request->traced = false;
}

void record_data_take(struct record_data *data, const struct etrace_block *block, bool traced)
{
    record_data_flush(data);
    if (block->signal[ETRACE_SIGNAL_LRESP] != 0) {
        respond(data, block);
    }
    if (block->signal[ETRACE_SIGNAL_DRETIRE] == 0) {
        return;
    }
    const struct etrace_access access = access_of(data, block);
    const bool is_traced = data->filters ? is_chosen(data, block) : traced;
    if (is_traced) {
        data->held = access;
    }
    if (etrace_data_unit_splits(&data->encoding->data, &access)) {
        data->request[access.id] = (struct record_request){access, is_traced};
    }
}
