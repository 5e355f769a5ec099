#include "generators/etrace/from_record.h"

#include "etrace/record_facts.h"
#include "generators/etrace/encoding.h"

enum { SIZE_MOST = UINT8_MAX, NOTIFY = 4, SWITCHES = 3 };

struct generator {
    const struct etrace_generate_options *options;
    struct etrace_generated *out;
    struct etrace_encoding encoding;
    struct etrace_block_reading reading;
    struct assay_diag *diag;
};

static struct etrace_ingress ingress_of(const struct etrace_block *b)
{
    const uint64_t *signal = b->signal;
    return (struct etrace_ingress){.iaddr = signal[ETRACE_SIGNAL_IADDR],
                                   .context = signal[ETRACE_SIGNAL_CONTEXT],
                                   .cause = signal[ETRACE_SIGNAL_CAUSE],
                                   .tval = signal[ETRACE_SIGNAL_TVAL],
                                   .itype = (uint8_t)signal[ETRACE_SIGNAL_ITYPE],
                                   .ctype = (uint8_t)signal[ETRACE_SIGNAL_CTYPE],
                                   .priv = (uint8_t)signal[ETRACE_SIGNAL_PRIV],
                                   .sijump = signal[ETRACE_SIGNAL_SIJUMP] != 0,
                                   .notify = (signal[ETRACE_SIGNAL_TRIGGER] & NOTIFY) != 0,
                                   .trigger = (uint8_t)(signal[ETRACE_SIGNAL_TRIGGER] & SWITCHES),
                                   .impdef = signal[ETRACE_SIGNAL_IMPDEF]};
}

static void put(struct generator *g, const struct etrace_ingress *record)
{
    const bool qualifies = etrace_unit_put(g->encoding.unit, record);
    g->out->instructions += record->retires && qualifies;
}

/* A block of several: what comes before its last instruction is one, too. */
static enum assay_error put_block(struct generator *g, const struct etrace_block *b)
{
    const uint64_t bytes = etrace_block_bytes(&g->reading, b);
    const uint64_t last = etrace_block_last_size(b);
    struct etrace_ingress record = ingress_of(b);
    if (last == 0 || bytes < last || bytes - last > SIZE_MOST) {
        return assay_fail(g->diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                          "line %u: the block has no bytes, or too many", (unsigned)b->line);
    }
    record.retires = true;
    if (bytes > last) {
        struct etrace_ingress first = record;
        first.itype = ETRACE_ITYPE_NONE;
        first.size = (uint8_t)(bytes - last);
        first.sijump = first.notify = false;
        first.trigger = 0;
        put(g, &first);
        record.iaddr += bytes - last;
    }
    record.size = (uint8_t)last;
    put(g, &record);
    return g->encoding.error;
}

static enum assay_error take(struct generator *g, const struct etrace_block *b)
{
    if (b->retired) {
        return assay_fail(g->diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                          "a table of retired instructions has no types of blocks (itype)");
    }
    if (b->signal[ETRACE_SIGNAL_HALTED] != 0 || b->signal[ETRACE_SIGNAL_RESET] != 0) {
        etrace_unit_pause(g->encoding.unit);
        return g->encoding.error;
    }
    if (etrace_block_retires(b)) {
        return put_block(g, b);
    }
    if (etrace_block_happens(b)) {
        const struct etrace_ingress record = ingress_of(b);
        put(g, &record);
    }
    return g->encoding.error;
}

static enum assay_error read_all(struct generator *g, struct etrace_record *record)
{
    const uint64_t limit = g->options->limit;
    struct etrace_block block;
    bool more = true;
    enum assay_error error = ASSAY_OK;
    while (error == ASSAY_OK && (limit == 0 || g->out->instructions < limit)) {
        error = etrace_record_next(record, &block, &more, g->diag);
        if (error != ASSAY_OK || !more) {
            break;
        }
        error = take(g, &block);
    }
    return error;
}

static enum assay_error check(const struct etrace_generate_options *options,
                              struct assay_diag *diag)
{
    const uint64_t *value = options->values->value;
    if (options->gaps > 0 || options->repeat > 1 || options->thread > 0) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                          "a record of the interface is encoded once, and as it is");
    }
    return value[ETRACE_DATA_WIDTH] == 0 && value[ETRACE_DADDRESS_WIDTH] == 0
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                            "data trace is made of recorded executions only");
}

enum assay_error etrace_generate_from_record(struct assay_source *table,
                                             const struct etrace_generate_options *options,
                                             struct assay_sink *sink,
                                             struct etrace_generated *generated,
                                             struct assay_diag *diag)
{
    struct generator g = {.options = options, .out = generated, .diag = diag};
    struct etrace_record *record = NULL;
    uint64_t layout[ETRACE_PARAMETER_COUNT];
    *generated = (struct etrace_generated){0};
    etrace_layout(options->values, layout);
    g.reading = etrace_block_reading_of(layout);
    const struct etrace_record_setup setup = {g.reading.program.isa, options->thread};
    enum assay_error error = check(options, diag);
    error = error != ASSAY_OK ? error : etrace_record_open(table, &setup, &record, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = etrace_encoding_open(&g.encoding, options, sink, diag);
    if (error == ASSAY_OK) {
        etrace_unit_start(g.encoding.unit);
        error = read_all(&g, record);
        etrace_unit_stop(g.encoding.unit, true);
        generated->ambiguous = etrace_unit_ambiguous(g.encoding.unit);
    }
    if (error == ASSAY_OK && generated->instructions == 0) {
        error = assay_fail(diag, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET,
                           "no instruction of the record is traced");
    }
    etrace_record_close(record);
    error = error == ASSAY_OK ? g.encoding.error : error;
    generated->packets = g.encoding.packets;
    return etrace_encoding_close(&g.encoding, error, sink, diag);
}
