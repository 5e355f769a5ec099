#include "generators/etrace/from_execution.h"

#include "common/bytes.h"
#include "common/random.h"
#include "etrace/data/multiple_accesses.h"
#include "etrace/interface/qualify.h"
#include "etrace/interface/signals.h"
#include "generators/etrace/encoding.h"
#include "generators/etrace/hart_data.h"
#include "generators/etrace/record_lines.h"
#include "generators/replay.h"
#include "io/source.h"

enum { GAP_MOST = 64, M_LEVEL = 3, S_LEVEL = 1, HYPERVISOR_LEVEL = 2, ITYPE_CLASSIFIED = 4 };

struct generator {
    const struct etrace_generate_options *options;
    const struct assay_execution_header *header;
    struct etrace_generated *out;
    struct etrace_encoding encoding;
    struct etrace_reading reading;
    uint64_t random;
    struct record_lines lines; /* of the record */
    uint64_t gap;              /* instructions that the filter still leaves out */
    bool finished;
    bool level_lost;     /* the recording does not show it */
    uint64_t wide_cause; /* of a trap, for which a packet has no room; 0: none */
    uint8_t level;
    /* The instruction that waits for its successor: a branch shows where it went only then. */
    bool pending;
    struct etrace_instruction before, last;
    /* Of a machine: the trap that waits for the first instruction of its handler, or that control
     * was taken away, which waits for the trap. */
    bool trapped, diverted;
    struct assay_executed trap;
    /* Of an encoder that traces data: the access of the pending instruction, and the one of which
     * the packet is due when the packets of its instruction were sent. */
    bool filters_data; /* which accesses are traced does not depend on the instructions */
    struct hart_data hart;
    struct etrace_registers registers;
    struct etrace_access access, held;
    struct etrace_access several[ETRACE_MULTIPLE_MOST]; /* of an instruction of several */
    uint32_t count;                                     /* of these; 0: it is another one */
};

/* --- accesses --- */

/* From version 2.0 on those of an instruction of several are reported one by one (4.3). */
static void note_several(struct generator *g, const struct assay_executed *item)
{
    uint32_t bytes = 0;
    const uint32_t due = etrace_multiple(item->word, g->reading.isa, &bytes);
    const bool is_known = g->options->values->value[ETRACE_WIRE] >= ETRACE_2_0 && due > 1 &&
                          due <= ETRACE_MULTIPLE_MOST && item->accesses == due;
    g->count = is_known ? due : 0;
    for (uint32_t n = 0; n < g->count; n++) {
        const struct assay_access *made = &item->access[n];
        g->several[n] =
            (struct etrace_access){.pc = item->address,
                                   .word = item->word,
                                   .bytes = (uint32_t)made->size,
                                   .type = made->write ? ETRACE_ACCESS_STORE : ETRACE_ACCESS_LOAD,
                                   .location_known = true,
                                   .location = made->address,
                                   .value_known = made->content_known,
                                   .value = made->content_known ? made->content : 0};
    }
}

static void note_access(struct generator *g, const struct assay_executed *item)
{
    if (!g->encoding.traces_data) {
        return;
    }
    note_several(g, item);
    g->access = etrace_access_of(item->address, item->word, g->reading.isa, &g->registers, item);
    if (!g->access.operand_known) {
        /* From what it did to memory, it can have been this. */
        g->access.operand =
            etrace_encoding_undo(g->access.operation, g->access.stored, g->access.value);
    }
    if (g->access.type == ETRACE_ACCESS_ATOMIC && g->access.bytes < sizeof(uint64_t)) {
        g->access.operand &= assay_mask(8 * g->access.bytes);
    }
    etrace_registers_follow(&g->registers, item->address, item->word, g->reading.isa);
    etrace_registers_result(&g->registers, item->word, g->reading.isa, item);
}

/* The packet of the access that is held; then `next` is. */
static void send_access(struct generator *g, const struct etrace_access *next)
{
    if (g->encoding.traces_data && g->held.type != ETRACE_ACCESS_NONE) {
        etrace_data_unit_put(&g->encoding.data, &g->held);
    }
    g->held = next != NULL ? *next : (struct etrace_access){0};
}

static void respond(struct generator *g, const struct hart_flight *response)
{
    if (response->traced) {
        etrace_data_unit_respond(&g->encoding.data, &response->access);
    }
}

/* --- records --- */

/* With several retirements the instruction that makes an access has to be named (table 4.9). */
static bool names_accesses(const struct generator *g)
{
    return g->encoding.traces_data && !record_lines_are_single(&g->lines);
}

static unsigned long long lsbs_of(const struct generator *g, const struct etrace_ingress *record)
{
    const uint64_t *values = g->options->values->value;
    const uint64_t width = values[ETRACE_IADDR_LSBS_WIDTH];
    return record->iaddr >> values[ETRACE_IADDRESS_LSB] &
           (width > 0 ? assay_mask((unsigned)width) : UINT64_MAX);
}

/* A line of the record of the interface; null: the hart is halted. */
static void write_line(struct generator *g, const struct etrace_ingress *record,
                       const struct etrace_access *access, const struct hart_flight *response)
{
    struct assay_sink *sink = g->lines.sink;
    if (sink == NULL) {
        return;
    }
    record_lines_write(&g->lines, record);
    if (g->encoding.traces_data) {
        hart_data_write(&g->hart, access, response, sink);
    }
    if (names_accesses(g)) {
        assay_sink_printf(sink, ",0x%llx", record == NULL ? 0ULL : lsbs_of(g, record));
    }
    assay_sink_text(sink, "\n");
}

static bool put(struct generator *g, const struct etrace_ingress *record)
{
    const bool qualifies = etrace_unit_put(g->encoding.unit, record);
    g->out->instructions += record->retires && qualifies;
    return qualifies;
}

/* By data filters. */
static bool is_chosen(const struct generator *g, const struct etrace_ingress *record)
{
    uint64_t dtype = 0;
    const bool has_dtype = etrace_access_dtype(&g->access, &dtype);
    const struct etrace_filtered access = {.address = {record->iaddr},
                                           .addresses = 1,
                                           .exact = true,
                                           .retires = true,
                                           .priv = record->priv,
                                           .has_dtype = has_dtype,
                                           .dtype = dtype,
                                           .has_dsize = true,
                                           .dsize = etrace_access_dsize(&g->access),
                                           .has_daddr = true,
                                           .daddr = g->access.location};
    return etrace_qualify_access(g->options->values, &access) == ETRACE_YES;
}

/* A report of an instruction that the encoder has, with its access if it makes one, and perhaps the
 * response to one before it. */
static void report(struct generator *g, const struct etrace_ingress *record, bool qualifies)
{
    const struct hart_flight response = hart_data_respond(&g->hart, &g->access);
    hart_data_number(&g->hart, &g->access);
    write_line(g, record, &g->access, &response);
    const bool traced = g->filters_data ? is_chosen(g, record) : qualifies;
    send_access(g, traced ? &g->access : NULL);
    respond(g, &response);
    hart_data_depart(&g->hart, &g->access, traced);
}

/* An instruction retires. To the encoder it is one, however often the interface reports it. */
static void retire(struct generator *g, const struct etrace_ingress *record)
{
    const bool qualifies = put(g, record);
    if (!g->encoding.traces_data) {
        write_line(g, record, NULL, NULL);
        return;
    }
    for (uint32_t n = 0; n < g->count; n++) {
        struct etrace_ingress one = *record;
        one.itype = n + 1 < g->count ? ETRACE_ITYPE_NONE : record->itype;
        g->access = g->several[n];
        report(g, &one, qualifies);
    }
    if (g->count == 0) {
        report(g, record, qualifies);
    }
}

/* The responses that are still due. */
static void drain(struct generator *g)
{
    send_access(g, NULL);
    while (g->encoding.traces_data && g->hart.count > 0) {
        const struct hart_flight response = hart_data_respond(&g->hart, NULL);
        write_line(g, &(struct etrace_ingress){.size = 0}, NULL, &response);
        respond(g, &response);
    }
}

static bool is_left_out(struct generator *g)
{
    if (g->gap > 0) {
        g->gap--;
        return true;
    }
    if (g->options->gaps > 0 && assay_random_once_in(&g->random, g->options->gaps)) {
        g->gap = assay_random_below(&g->random, GAP_MOST);
        return true;
    }
    return false;
}

static uint8_t privilege_of(uint8_t level)
{
    return level == HYPERVISOR_LEVEL ? S_LEVEL : level;
}

/* An ECALL is recorded, but does not retire: it raises an exception. */
static bool is_call_pending(const struct generator *g)
{
    return g->pending && g->last.flow == ETRACE_FLOW_TRAP;
}

/* The pending instruction has its successor. A branch of which nobody knows where it went counts as
 * not taken. */
static void flush(struct generator *g, uint64_t next)
{
    if (!g->pending || is_call_pending(g)) {
        g->pending = false;
        return;
    }
    struct etrace_ingress record = etrace_ingress_of(&g->before, &g->last, next, &g->reading);
    record.itype = (uint8_t)etrace_itype_signalled(
        record.itype, g->options->values->value[ETRACE_ITYPE_WIDTH] < ITYPE_CLASSIFIED);
    record.priv = privilege_of(g->level);
    record.unqualified = is_left_out(g);
    retire(g, &record);
    g->before = g->last;
    g->pending = false;
}

static uint64_t after(const struct generator *g)
{
    return g->last.pc + g->last.size;
}

/* What follows is not traced. */
static void pause(struct generator *g)
{
    flush(g, after(g));
    send_access(g, NULL);
    etrace_unit_pause(g->encoding.unit);
    write_line(g, NULL, NULL, NULL);
    g->before.size = 0;
}

static void take_level(struct generator *g, uint8_t level)
{
    g->level = level;
}

/* The trap that waited; it was taken to the level of its handler. */
static void finish_trap(struct generator *g)
{
    const unsigned top = g->header->isa == ASSAY_EXECUTION_RISCV64 ? 63 : 31;
    const uint64_t cause = g->trap.cause & ~(UINT64_C(1) << top);
    flush(g, g->trap.from);
    send_access(g, NULL);
    if (cause > assay_mask((unsigned)g->options->values->value[ETRACE_ECAUSE_WIDTH])) {
        g->wide_cause = cause;
    }
    const struct etrace_ingress record = {
        .iaddr = g->trap.from,
        .itype = (g->trap.cause >> top & 1) != 0 ? ETRACE_ITYPE_INTERRUPT : ETRACE_ITYPE_EXCEPTION,
        .cause = cause,
        .tval = g->trap.fault,
        .priv = privilege_of(g->level)};
    (void)put(g, &record);
    write_line(g, &record, NULL, NULL);
    take_level(g, g->trap.level);
    g->trapped = g->diverted = false;
    g->before.size = 0;
}

/* An instruction follows at this address. */
static void finish_waiting(struct generator *g, uint64_t next)
{
    if (g->trapped) {
        finish_trap(g);
    } else if (g->diverted || is_call_pending(g)) { /* the recording does not say what followed */
        flush(g, next);
        g->out->without_event++;
        pause(g);
    } else {
        flush(g, next);
    }
    g->diverted = false;
}

/* --- the items of the execution --- */

static void take_instruction(struct generator *g, const struct assay_executed *item)
{
    finish_waiting(g, item->address);
    g->level_lost = g->header->system && g->level == ASSAY_EXECUTION_LEVEL_UNKNOWN;
    if (g->level_lost || (g->options->limit > 0 && g->out->instructions >= g->options->limit)) {
        g->finished = true;
        return;
    }
    g->last = etrace_classify(item->address, item->word, item->size, &g->reading);
    note_access(g, item);
    g->pending = true;
}

/* The system takes control, and gives it back after what it did. In a machine the trap follows, if
 * it is known. */
static void take_diverted(struct generator *g, const struct assay_executed *item)
{
    if (g->header->system) {
        if (item->aborted) {
            finish_waiting(g, item->address);
        }
        g->diverted = true;
        return;
    }
    if (item->aborted) {
        flush(g, item->address);
    }
    g->out->without_event += !item->aborted;
    pause(g);
}

static bool take(void *generator, const struct assay_executed *item)
{
    struct generator *g = generator;
    if (item->thread != g->options->thread) {
        return true;
    }
    switch (item->kind) {
    case ASSAY_EXECUTED_INSTRUCTION:
        take_instruction(g, item);
        break;
    case ASSAY_EXECUTED_SYSTEM_CALL:
        pause(g);
        break;
    case ASSAY_EXECUTED_TRAP:
        if (g->trapped) { /* of the handler nothing was executed */
            finish_trap(g);
        }
        g->trap = *item;
        g->trapped = true;
        break;
    case ASSAY_EXECUTED_LEVEL:
        if (g->pending && !g->trapped && !is_call_pending(g)) {
            flush(g, after(g));
        }
        take_level(g, item->level);
        break;
    case ASSAY_EXECUTED_DIVERTED:
        take_diverted(g, item);
        break;
    case ASSAY_EXECUTED_THREAD_END:
        flush(g, after(g));
        g->finished = true;
        break;
    default:
        break;
    }
    return !g->finished && g->encoding.error == ASSAY_OK;
}

static void begin(struct generator *g)
{
    g->finished = g->trapped = g->diverted = false;
    g->level = g->header->system ? ASSAY_EXECUTION_LEVEL_UNKNOWN : 0;
}

/* Once, and as often as it is to be repeated; between two times is a gap. */
static enum assay_error read_times(struct generator *g, struct assay_execution *execution,
                                   struct assay_diag *diag)
{
    begin(g);
    enum assay_error error = replay(execution, take, g, diag);
    for (uint64_t i = 1; i < g->options->repeat && error == ASSAY_OK &&
                         g->encoding.error == ASSAY_OK && !g->level_lost;
         i++) {
        flush(g, after(g));
        pause(g);
        begin(g);
        error = replay_again(execution, take, g, diag);
    }
    if (error == ASSAY_OK) {
        flush(g, after(g));
    }
    return error != ASSAY_OK ? error : g->encoding.error;
}

static enum assay_error generate(struct generator *g, struct assay_execution *execution,
                                 struct assay_diag *diag)
{
    etrace_unit_start(g->encoding.unit);
    if (g->options->record != NULL) {
        record_lines_write_names(&g->lines);
        if (g->encoding.traces_data) {
            hart_data_write_names(&g->hart, g->options->record);
        }
        assay_sink_text(g->options->record, names_accesses(g) ? ",iaddr_lsbs" : "");
        assay_sink_text(g->options->record, "\n");
    }
    const enum assay_error error = read_times(g, execution, diag);
    drain(g);
    etrace_unit_stop(g->encoding.unit, true);
    g->out->ambiguous = etrace_unit_ambiguous(g->encoding.unit);
    if (error == ASSAY_OK && g->level_lost) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                          "a trace of E-Trace has the privilege level of the program, which the "
                          "recording does not show after instruction %llu",
                          (unsigned long long)g->out->instructions);
    }
    if (error == ASSAY_OK && g->wide_cause > 0) {
        return assay_fail(
            diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
            "the execution has a trap of cause %llu, for which ecause_width_p has too "
            "few bits",
            (unsigned long long)g->wide_cause);
    }
    if (error == ASSAY_OK && etrace_unit_strayed(g->encoding.unit) > 0) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                          "%llu returns of the execution do not go to where they were called from: "
                          "an encoder that counts calls cannot trace it (3.2.5)",
                          (unsigned long long)etrace_unit_strayed(g->encoding.unit));
    }
    if (error == ASSAY_OK && g->out->instructions == 0 && g->options->filters) {
        return assay_fail(diag, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET,
                          "no instruction of the execution qualifies by the control registers");
    }
    if (error == ASSAY_OK && g->out->instructions == 0) {
        return assay_fail(diag, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET,
                          "the execution has no instruction of thread %u", g->options->thread);
    }
    return error != ASSAY_OK ? error : g->encoding.error;
}

static bool is_given(const struct assay_parameter_values *values, enum etrace_parameter parameter,
                     uint64_t value)
{
    return values->known[parameter] && values->value[parameter] == value;
}

enum assay_error etrace_generate_from_execution(struct assay_execution *execution,
                                                const struct etrace_generate_options *options,
                                                struct assay_sink *sink,
                                                struct etrace_generated *generated,
                                                struct assay_diag *diag)
{
    struct generator g = {.options = options,
                          .header = assay_execution_header(execution),
                          .out = generated,
                          .lines = {.sink = options->record, .values = options->values},
                          .random = options->seed};
    const bool wide = g.header->isa == ASSAY_EXECUTION_RISCV64;
    *generated = (struct etrace_generated){0};
    if (!wide && g.header->isa != ASSAY_EXECUTION_RISCV32) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, 0,
                          "a trace of E-Trace is of RISC-V instructions, the execution is of %s",
                          assay_execution_isa_name(g.header->isa));
    }
    if (options->repeat > 1 && options->execution == NULL) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                          "an execution that is to be repeated has to be a file");
    }
    g.reading = (struct etrace_reading){
        .isa = options->values->value[ETRACE_ZCM] == 0 ? (wide ? RV_64 : RV_32)
               : wide                                  ? RV_64_ZCM
                                                       : RV_32_ZCM,
        .link_x5 = options->values->value[ETRACE_LINK_X5] != 0,
        .mask = assay_mask((unsigned)options->values->value[ETRACE_IADDRESS_WIDTH])};
    g.filters_data =
        is_given(options->values, ETRACE_DENABLE, 1) && options->values->known[ETRACE_DFILTERS];
    enum assay_error error = etrace_encoding_open(&g.encoding, options, sink, diag);
    hart_data_open(&g.hart, &g.encoding.data, options->seed);
    etrace_registers_forget(&g.registers);
    if (error == ASSAY_OK) {
        error = generate(&g, execution, diag);
    }
    generated->packets = g.encoding.packets;
    return etrace_encoding_close(&g.encoding, error, sink, diag);
}
