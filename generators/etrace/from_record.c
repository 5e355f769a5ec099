#include "generators/etrace/from_record.h"

#include "etrace/interface/block_facts.h"
#include "etrace/interface/signals.h"
#include "generators/etrace/encoding.h"
#include "generators/etrace/record_data.h"
#include "generators/etrace/record_lines.h"

enum { SIZE_MOST = UINT8_MAX, NOTIFY = 4, SWITCHES = 3, AHEAD = 32 };

struct generator {
    const struct etrace_generate_options *options;
    struct etrace_generated *out;
    struct etrace_encoding encoding;
    struct etrace_block_reading reading;
    struct record_data data;
    struct record_lines lines; /* of the record that is made of a table of retired instructions */
    bool qualifies;            /* the last instruction */
    /* Lines that were read, and the last instruction as far as further reports of it follow. */
    struct etrace_block ahead[AHEAD];
    uint32_t first, count;
    uint64_t reported;      /* its address */
    uint64_t reported_size; /* 0: none follows */
    /* Of a table of retired instructions: the one that waits for its successor, which says where it
     * went, at its level, and the one before it. */
    struct etrace_instruction waiting, before;
    uint8_t priv;
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
    g->qualifies = etrace_unit_put(g->encoding.unit, record);
    g->out->instructions += record->retires && g->qualifies;
}

/* --- instructions of several accesses --- */

static struct etrace_block *line_ahead(struct generator *g, uint32_t n)
{
    return &g->ahead[(g->first + n) % AHEAD];
}

/* In version 2.0 an instruction can be reported once for each of its accesses, which shows by its
 * address (4.3). The encoder takes it as one: with the type of the last report, and reported if
 * that is requested in any of them. */
static void merge_reports(struct generator *g, struct etrace_ingress *record)
{
    bool more = g->reading.multiple && record->itype == ETRACE_ITYPE_NONE;
    g->reported_size = 0;
    for (uint32_t n = 0; n < g->count && more; n++) {
        const struct etrace_block *b = line_ahead(g, n);
        if (!etrace_block_happens(b) && !etrace_block_halts(b)) {
            continue;
        }
        more = etrace_block_retires(b) && !etrace_block_halts(b) &&
               b->signal[ETRACE_SIGNAL_IADDR] == record->iaddr;
        if (!more) {
            return;
        }
        g->reported = record->iaddr;
        g->reported_size = record->size;
        if (etrace_block_bytes(&g->reading, b) > record->size) {
            return; /* its signals are those of another instruction */
        }
        record->notify = record->notify || (b->signal[ETRACE_SIGNAL_TRIGGER] & NOTIFY) != 0;
        record->trigger |= (uint8_t)(b->signal[ETRACE_SIGNAL_TRIGGER] & SWITCHES);
        more = b->signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_NONE;
        if (!more && !etrace_block_traps(b)) {
            record->itype = (uint8_t)b->signal[ETRACE_SIGNAL_ITYPE];
        }
    }
}

/* Bytes of an instruction that a block begins with, and that was put before. */
static uint64_t put_before(struct generator *g, const struct etrace_block *b)
{
    const uint64_t size = b->signal[ETRACE_SIGNAL_IADDR] == g->reported ? g->reported_size : 0;
    const bool goes_on = b->signal[ETRACE_SIGNAL_ITYPE] == ETRACE_ITYPE_NONE &&
                         etrace_block_bytes(&g->reading, b) == size;
    g->reported_size = goes_on ? size : 0;
    return size;
}

/* --- blocks --- */

/* A block of several: what comes before its last instruction is one, too. */
static enum assay_error put_block(struct generator *g, const struct etrace_block *b)
{
    const uint64_t again = put_before(g, b);
    const uint64_t bytes = etrace_block_bytes(&g->reading, b) - again;
    const uint64_t last = etrace_block_last_size(b);
    struct etrace_ingress record = ingress_of(b);
    if (again > 0 && bytes == 0) {
        if (etrace_block_traps(b)) {
            put(g, &record);
        }
        return g->encoding.error;
    }
    record.iaddr += again;
    if (last == 0 || bytes < last || bytes - last > SIZE_MOST) {
        return assay_fail_at(g->diag, ASSAY_UNSUPPORTED, b->line, 1,
                             "the block has no bytes, or too many");
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
    merge_reports(g, &record);
    put(g, &record);
    return g->encoding.error;
}

/* A block of a table of retired instructions, also for the record. */
static void put_retired(struct generator *g, const struct etrace_ingress *block)
{
    put(g, block);
    if (g->lines.sink != NULL) {
        record_lines_write(&g->lines, block);
        assay_sink_text(g->lines.sink, "\n");
    }
}

/* The instruction that waits has its successor, or what was there when it trapped. */
static void finish_waiting(struct generator *g, uint64_t next)
{
    const struct etrace_instruction *i = &g->waiting;
    if (i->size == 0) {
        return;
    }
    struct etrace_ingress record = etrace_ingress_of(&g->before, i, next, &g->reading.program);
    record.itype = (uint8_t)etrace_itype_signalled(record.itype, g->reading.narrow);
    record.priv = g->priv;
    put_retired(g, &record);
    g->before = *i;
    g->waiting.size = 0;
}

/* An instruction of a table of retired ones, whose type follows from its word and from what comes
 * after it; or a trap. */
static enum assay_error take_retired(struct generator *g, const struct etrace_block *b)
{
    const uint64_t address = b->signal[ETRACE_SIGNAL_IADDR];
    if (!etrace_block_happens(b)) {
        return ASSAY_OK;
    }
    finish_waiting(g, address);
    if (etrace_block_retires(b)) {
        g->waiting = etrace_classify(address, b->insn, (unsigned)etrace_block_last_size(b),
                                     &g->reading.program);
        g->priv = (uint8_t)b->signal[ETRACE_SIGNAL_PRIV];
    } else {
        const struct etrace_ingress record = ingress_of(b);
        put_retired(g, &record);
        g->before.size = 0;
    }
    return g->encoding.error;
}

/* Whether the record has the signals that an encoder with these parameters needs. */
static enum assay_error check_data(const struct generator *g, const struct etrace_block *b)
{
    const bool splits = g->encoding.data.layout[ETRACE_DATA_SPLIT] != 0;
    if (!g->encoding.traces_data ||
        etrace_block_has(b, splits ? ETRACE_SIGNAL_LRID : ETRACE_SIGNAL_DRETIRE)) {
        return ASSAY_OK;
    }
    return assay_fail(g->diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                      "the parameters are those of data trace, and the record has no signals of %s",
                      splits ? "split loads" : "accesses");
}

static enum assay_error take(struct generator *g, const struct etrace_block *b)
{
    enum assay_error error = check_data(g, b);
    if (error == ASSAY_OK && g->lines.sink != NULL && !b->retired) {
        error = assay_fail(g->diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                           "it is a record of the interface already: none is made of it");
    }
    if (error != ASSAY_OK || b->retired) {
        return error != ASSAY_OK ? error : take_retired(g, b);
    }
    if (b->signal[ETRACE_SIGNAL_HALTED] != 0 || b->signal[ETRACE_SIGNAL_RESET] != 0) {
        record_data_flush(&g->data);
        etrace_unit_pause(g->encoding.unit);
        g->reported_size = 0;
    } else if (etrace_block_retires(b)) {
        error = put_block(g, b);
    } else if (etrace_block_happens(b)) {
        const struct etrace_ingress record = ingress_of(b);
        record_data_flush(&g->data);
        g->reported_size = 0;
        put(g, &record);
    }
    if (g->encoding.traces_data) {
        record_data_take(&g->data, b, g->qualifies);
    }
    return error != ASSAY_OK ? error : g->encoding.error;
}

/* Lines ahead, as many as there is room for. A fault of the record is one when its line is taken.
 */
static void fill(struct generator *g, struct etrace_record *record, enum assay_error *error,
                 bool *more)
{
    while (g->count < AHEAD && *more) {
        *error = etrace_record_next(record, line_ahead(g, g->count), more, g->diag);
        *more = *more && *error == ASSAY_OK;
        g->count += *more;
    }
}

static enum assay_error read_all(struct generator *g, struct etrace_record *record)
{
    const uint64_t limit = g->options->limit;
    struct etrace_block block;
    bool more = true;
    enum assay_error error = ASSAY_OK;
    enum assay_error fault = ASSAY_OK;
    while (error == ASSAY_OK && (limit == 0 || g->out->instructions < limit)) {
        fill(g, record, &fault, &more);
        if (g->count == 0) {
            return fault;
        }
        block = *line_ahead(g, 0);
        g->first = (g->first + 1) % AHEAD;
        g->count--;
        error = take(g, &block);
    }
    return error;
}

static enum assay_error check(const struct etrace_generate_options *options,
                              struct assay_diag *diag)
{
    return options->gaps == 0 && options->repeat <= 1 && options->thread == 0
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                            "a record of the interface is encoded once, and as it is");
}

enum assay_error etrace_generate_from_record(struct assay_source *table,
                                             const struct etrace_generate_options *options,
                                             struct assay_sink *sink,
                                             struct etrace_generated *generated,
                                             struct assay_diag *diag)
{
    struct generator g = {.options = options,
                          .out = generated,
                          .lines = {.sink = options->record, .values = options->values},
                          .diag = diag};
    struct etrace_record *record = NULL;
    uint64_t layout[ETRACE_PARAMETER_COUNT];
    *generated = (struct etrace_generated){0};
    etrace_layout(options->values, layout);
    g.reading = etrace_block_reading_of(layout);
    const struct etrace_record_setup setup = {g.reading.program.isa, options->thread};
    enum assay_error error = check(options, diag);
    error = error != ASSAY_OK ? error : etrace_record_open(table, &setup, &record, diag);
    if (error != ASSAY_OK) {
        etrace_record_close(record);
        return error;
    }
    error = etrace_encoding_open(&g.encoding, options, sink, diag);
    record_data_open(&g.data, &g.encoding, options->values);
    if (error == ASSAY_OK) {
        if (g.lines.sink != NULL) {
            record_lines_write_names(&g.lines);
            assay_sink_text(g.lines.sink, "\n");
        }
        etrace_unit_start(g.encoding.unit);
        error = read_all(&g, record);
        finish_waiting(&g, (g.waiting.pc + g.waiting.size) & g.reading.program.mask);
        record_data_flush(&g.data);
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
