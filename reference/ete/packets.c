/* The first stage: bytes to packets (K10.5.2.2 to K10.5.2.17). A packet's address and timestamp are
 * completed here, from the address history and the last timestamp (K10.5.2.1). */
#include <stdlib.h>
#include <string.h>

#include "common/source.h"
#include "ete/addresses.h"
#include "ete/ete.h"

enum {
    BLOCK = 512,
    SLOTS = 1 << 11,
    LOOK_AHEAD = 4096,
    PIECE = 32, /* bytes of an event that is no packet, at the most */
    ASYNC_END = 0x80,
    DISCARD = 0x03,
    OVERFLOW = 0x05,
    HEADERS = 256
};

struct packets {
    struct assay_stage base;
    struct assay_source *source;
    struct assay_history history;
    const struct ete_form *forms[HEADERS];
    struct assay_parameter_values *values;
    bool commit_mode; /* TRCIDR0.COMMOPT */
    struct ete_addresses addresses;
    uint64_t timestamp;
    size_t
        outside; /* bytes from the source's place on that are known to be before the next A-sync */
    uint64_t asyncs, skipped;
    bool looking; /* for an A-sync */
    bool faulty, failed, ended;
};

/* --- events --- */

/* An event whose bytes are the next `size` of the source, which are consumed. */
static struct assay_event *add(struct packets *p, enum ete_kind kind, const uint8_t *data,
                               size_t size)
{
    struct assay_event *event = assay_history_add(&p->history, NULL);
    if (size > 0) {
        memcpy(assay_history_bytes(&p->history, event), data, size);
    }
    event->kind = (uint16_t)kind;
    event->offset = assay_source_offset(p->source);
    event->bits = 8 * (uint32_t)size;
    assay_source_consume(p->source, size);
    return event;
}

static uint64_t *cells_of(struct packets *p, const struct assay_event *event)
{
    return assay_history_cells(&p->history, event);
}

/* What is not understood, at most PIECE bytes of it; the decoder looks for the next A-sync. */
static void add_malformed(struct packets *p, enum ete_fault fault, const uint8_t *data, size_t size)
{
    const size_t shown = size < PIECE ? size : PIECE;
    struct assay_event *event = add(p, ETE_malformed, data, shown);
    event->fault = (uint16_t)fault;
    cells_of(p, event)[ETE_CELL_malformed_header] = shown > 0 ? event->bytes[0] : 0;
    p->skipped += shown;
    p->looking = true;
    p->faulty = p->faulty || fault != ETE_FAULT_UNSYNCHRONISED;
}

/* --- synchronisation --- */

/* The zeros at the beginning of some bytes. */
static size_t zeros_of(const uint8_t *data, size_t size)
{
    size_t zeros = 0;
    while (zeros < size && data[zeros] == 0) {
        zeros++;
    }
    return zeros;
}

/* How many bytes there are before an A-sync, or before what could be the begin of one. */
static size_t before_async(const uint8_t *data, size_t size)
{
    size_t at = 0;
    while (at < size) {
        const uint8_t *zero = memchr(data + at, 0, size - at);
        if (zero == NULL) {
            return size;
        }
        at = (size_t)(zero - data);
        const size_t zeros = zeros_of(zero, size - at);
        if (at + zeros == size) {
            return at > 0 ? at : size - ETE_ASYNC_ZEROS - 1;
        }
        if (zeros > ETE_ASYNC_ZEROS && zero[zeros] == ASYNC_END) {
            return at;
        }
        at += zeros;
    }
    return size;
}

/* The next bytes that are before an A-sync; false when one is at the source's place. */
static bool skip(struct packets *p)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    (void)assay_source_peek(p->source, LOOK_AHEAD, &data, &have);
    if (p->outside == 0) {
        p->outside = before_async(data, have);
        const bool at_end = have < LOOK_AHEAD && zeros_of(data, have) == have;
        p->outside = at_end ? have : p->outside; /* zeros, and nothing after them */
    }
    p->looking = p->outside > 0;
    if (!p->looking) {
        return false;
    }
    const size_t size = p->outside < PIECE ? p->outside : PIECE;
    p->outside -= size;
    add_malformed(p, ETE_FAULT_UNSYNCHRONISED, data, size);
    return true;
}

/* Header 0x00: an A-sync, Discard, Overflow, or zeros of no packet. Of a run of zeros that is
 * longer than an A-sync has to be what precedes the last PIECE - 1 is padding. */
static void read_extension(struct packets *p)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    (void)assay_source_peek(p->source, LOOK_AHEAD, &data, &have);
    const size_t zeros = zeros_of(data, have);
    if (zeros == have || zeros >= PIECE) {
        const size_t whole = zeros == have ? zeros : zeros - (PIECE - 1);
        struct assay_event *event = add(p, ETE_padding, data, whole < PIECE ? whole : PIECE);
        p->skipped += event->bits / 8;
        cells_of(p, event)[ETE_CELL_padding_last] = zeros == have && have < LOOK_AHEAD;
    } else if (zeros == 1 && data[1] == DISCARD) {
        add(p, ETE_discard, data, 2);
    } else if (zeros == 1 && data[1] == OVERFLOW) {
        add(p, ETE_overflow, data, 2);
    } else if (zeros == 1) {
        add_malformed(p, ETE_FAULT_RESERVED_EXTENSION, data, 2);
    } else if (data[zeros] != ASYNC_END) {
        add_malformed(p, ETE_FAULT_BROKEN_ASYNC, data, zeros + 1);
    } else {
        cells_of(p, add(p, ETE_async, data, zeros + 1))[ETE_CELL_async_zeros] = zeros - 1;
        p->asyncs++;
    }
}

/* --- state (K10.5.2.1) --- */

/* A Trace Info packet resets what later packets are completed from (K10.5.2.6.2). */
static void reset(struct packets *p)
{
    p->addresses = (struct ete_addresses){0};
    p->timestamp = 0;
}

/* K10.5.2.16.1: bits of the packet replace those of the last timestamp. */
static void complete_timestamp(struct packets *p, uint64_t *cells)
{
    const uint64_t size = cells[ETE_CELL_timestamp_low_size];
    const uint64_t mask = size >= 9 ? UINT64_MAX : assay_mask(7 * (unsigned)size);
    p->timestamp = (p->timestamp & ~mask) | cells[ETE_CELL_timestamp_low];
    cells[ETE_CELL_timestamp_value] = p->timestamp;
}

/* --- packets --- */

/* Where a kind keeps its completed address; 0: it has none. */
static unsigned address_cell(unsigned kind)
{
    switch (kind) {
#define X(name)                                                                                    \
    case ETE_##name:                                                                               \
        return ETE_CELL_##name##_address;
        X(exception)
        X(target_context)
        X(target_exact)
        X(target_short)
        X(target_long)
        X(q)
        X(source_exact)
        X(source_short)
        X(source_long)
#undef X
    default:
        return 0;
    }
}

/* What a packet does to the state, and what is completed from it. */
static void follow(struct packets *p, const struct ete_form *form, const struct ete_form *in,
                   uint64_t *cells)
{
    const struct ete_form *addressed = in != NULL ? in : form;
    if (addressed->addressed) {
        const struct ete_address address = ete_address_complete(&p->addresses, addressed, cells);
        const unsigned cell = address_cell(form->kind);
        cells[cell] = address.value;
        cells[cell + 1] = address.is1;
        ete_addresses_add(&p->addresses, address);
    }
    if (form->kind == ETE_trace_info) {
        reset(p);
    } else if (form->kind == ETE_timestamp) {
        complete_timestamp(p, cells);
    }
}

/* The fault of an Exception packet whose constant bytes are wrong (K10.5.2.13.1). */
static enum ete_fault exception_fault(const uint8_t *data, size_t have, const struct ete_form **in)
{
    if (have >= 2 && (data[1] & 1) == (data[1] >> 6 & 1)) {
        return ETE_FAULT_RESERVED_EXCEPTION;
    }
    if (have < 3) {
        return ETE_FAULT_TRUNCATED_PACKET;
    }
    *in = ete_address_form_of(data[2]);
    return (*in)->kind == ETE_malformed ? ETE_FAULT_RESERVED_EXCEPTION_ADDRESS : ETE_FAULT_NONE;
}

/* Most packets are of atoms, and have nothing but a header. */
static void add_atoms(struct packets *p, enum ete_kind kind, const uint8_t *data)
{
    uint32_t taken = 0;
    uint64_t *cells = cells_of(p, add(p, kind, data, 1));
    cells[ETE_CELL_atom_1_atoms] = ete_atoms(kind, data[0], &taken);
    cells[ETE_CELL_atom_1_taken] = taken;
}

static void read_packet(struct packets *p, const uint8_t *data, size_t have)
{
    const struct ete_form *form = p->forms[data[0]];
    if (form->kind >= ETE_atom_1 && form->kind <= ETE_atom_6) {
        add_atoms(p, (enum ete_kind)form->kind, data);
        return;
    }
    const struct ete_form *in = NULL;
    uint64_t cells[ETE_CELLS] = {0};
    enum ete_fault fault = ETE_FAULT_NONE;
    if (form->kind == ETE_malformed) {
        add_malformed(p, ETE_FAULT_RESERVED_HEADER, data, 1);
        return;
    }
    if (form->kind == ETE_cycle_count_1) {
        form = ete_cycle_count_form(data[0], p->commit_mode);
        (void)assay_parameter_use(p->values, ETE_TRCIDR0, ETE_PACKET);
    } else if (form->kind == ETE_exception) {
        fault = exception_fault(data, have, &in);
    }
    const size_t size = fault == ETE_FAULT_NONE ? ete_unpack(form, in, data, have, cells) : 0;
    if (size == 0) {
        fault = fault == ETE_FAULT_NONE ? ETE_FAULT_TRUNCATED_PACKET : fault;
        const size_t bad = fault == ETE_FAULT_RESERVED_EXCEPTION           ? 2
                           : fault == ETE_FAULT_RESERVED_EXCEPTION_ADDRESS ? 3
                                                                           : have;
        add_malformed(p, fault, data, bad);
        return;
    }
    struct assay_event *event = add(p, (enum ete_kind)form->kind, data, size);
    follow(p, form, in, cells);
    memcpy(cells_of(p, event), cells, sizeof cells);
}

static void add_end(struct packets *p)
{
    struct assay_event *event = add(p, ETE_end, NULL, 0);
    uint64_t *cells = cells_of(p, event);
    cells[ETE_CELL_end_total] = event->offset;
    cells[ETE_CELL_end_asyncs] = p->asyncs;
    cells[ETE_CELL_end_skipped] = p->skipped;
    p->ended = true;
}

/* The next event; the last one is `end`. */
static void read_event(struct packets *p)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    if (p->looking && skip(p)) {
        return;
    }
    const enum assay_error error = assay_source_peek(p->source, ETE_PACKET_MOST, &data, &have);
    if (have > 0 && data[0] == 0) {
        read_extension(p);
    } else if (have > 0) {
        read_packet(p, data, have);
    } else if (error != ASSAY_OK && !p->failed) {
        add_malformed(p, ETE_FAULT_READ_ERROR, data, 0);
        p->failed = true;
    } else {
        add_end(p);
    }
}

static enum assay_error next_packets(struct assay_stage *stage, struct assay_block *block,
                                     struct assay_diag *diag)
{
    struct packets *p = (struct packets *)stage;
    const uint64_t first = p->history.next;
    (void)diag;
    while (!p->ended && p->history.next - first < BLOCK &&
           assay_history_room(&p->history, first) > 0) {
        read_event(p);
    }
    *block = assay_history_block(&p->history, first, ETE_PACKET);
    return ASSAY_OK;
}

static bool packets_complete(const struct assay_stage *stage, const char **why)
{
    *why = NULL; /* the malformed events say it, and rules where there is no A-sync */
    const struct packets *p = (const struct packets *)stage;
    return !p->faulty && (p->asyncs > 0 || p->skipped == 0);
}

static void close_packets(struct assay_stage *stage)
{
    struct packets *p = (struct packets *)stage;
    assay_source_close(p->source);
    assay_history_close(&p->history);
    free(p);
}

struct assay_stage *ete_packets_open(const struct assay_decode_input *input,
                                     enum assay_error *error)
{
    static const struct assay_stage_ops ops = {
        .next = next_packets, .complete = packets_complete, .close = close_packets};
    struct packets *p = calloc(1, sizeof *p);
    if (p == NULL) {
        assay_source_close(input->source);
        return NULL;
    }
    p->base.ops = &ops;
    p->source = input->source;
    p->values = input->parameters;
    p->looking = true;
    p->commit_mode = (p->values->value[ETE_TRCIDR0] >> ETE_COMMOPT_BIT & 1) != 0;
    for (unsigned header = 0; header < HEADERS; header++) {
        p->forms[header] = ete_form_of((uint8_t)header);
    }
    *error = assay_history_open(&p->history, NULL, SLOTS, ETE_PACKET_MOST, ETE_CELLS);
    return &p->base;
}

struct assay_history *ete_packets_history(struct assay_stage *stage)
{
    return &((struct packets *)stage)->history;
}
