/* The layer of packets: bytes to packets (K10.5.2.2 to K10.5.2.17). A packet's address and
 * timestamp are completed here, from the address history and the last timestamp (K10.5.2.1). */
#include <stdlib.h>
#include <string.h>

#include "ete/addresses.h"
#include "ete/continued.h"
#include "ete/ete.h"
#include "ete/headers.h"
#include "io/source.h"

enum {
    BLOCK = 512,
    SLOTS = 1 << 11,       /* of the ring */
    BLOCK_ALONE = 1 << 10, /* and slots, where there is no layer above */
    LOOK_AHEAD = 4096,
    PIECE = 32, /* bytes of an event that is no packet, at the most */
    ASYNC_END = 0x80,
    DISCARD = 0x03,
    OVERFLOW = 0x05
};

struct packets {
    struct assay_stage base;
    struct assay_source *source;
    struct assay_history history;
    struct ete_header headers[ETE_HEADERS];
    struct assay_parameter_values *values;
    uint32_t block; /* events, at the most */
    unsigned vmid_bits;
    struct ete_addresses addresses;
    uint64_t timestamp;
    size_t
        outside; /* bytes from the source's place on that are known to be before the next A-sync */
    uint64_t asyncs, skipped;
    size_t tail;  /* zeros at the end of the last event's bytes, but for the first byte */
    size_t zeros; /* after a padding: bytes from the source's place on that are known to be 0 */
    bool looking; /* for an A-sync */
    bool framed;  /* the first bytes look like CoreSight frames */
    bool written; /* a byte is not 0 */
    bool faulty, failed, ended;
};

/* --- events --- */

/* The zeros at the end of a packet, but for its first byte. */
static size_t tail_of(const uint8_t *data, size_t size)
{
    size_t tail = 0;
    while (tail + 1 < size && data[size - 1 - tail] == 0) {
        tail++;
    }
    return tail;
}

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
    p->tail = tail_of(data, size);
    p->written = p->written || (size > 0 && data[0] != 0) || p->tail + 1 < size;
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
    cells_of(p, event)[ETE_CELL_malformed_header] = event->bytes[0]; /* 0 where there is none */
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
    if (assay_source_offset(p->source) == 0) {
        p->framed = ete_is_framed(data, have);
    }
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
    const size_t known = p->zeros < have ? p->zeros : have;
    const size_t zeros = known + zeros_of(data + known, have - known);
    p->zeros = 0;
    if (zeros == have || zeros >= PIECE) {
        const size_t whole = zeros == have ? zeros : zeros - (PIECE - 1);
        struct assay_event *event = add(p, ETE_padding, data, whole < PIECE ? whole : PIECE);
        p->skipped += event->bits / 8;
        p->zeros = zeros - event->bits / 8;
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
        const size_t before = p->tail;
        uint64_t *cells = cells_of(p, add(p, ETE_async, data, zeros + 1));
        cells[ETE_CELL_async_zeros] = zeros - 1;
        cells[ETE_CELL_async_before] = before;
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

/* The completed address of a packet, which enters the history. */
static void set_address(struct packets *p, unsigned cell, struct ete_address address,
                        uint64_t *cells)
{
    cells[cell] = address.value;
    cells[cell + 1] = address.is1;
    ete_addresses_add(&p->addresses, address);
}

/* What a packet does to the state, and what is completed from it. */
static void follow(struct packets *p, const struct ete_form *form, const struct ete_form *in,
                   uint64_t *cells)
{
    const struct ete_form *addressed = in != NULL ? in : form;
    if (addressed->addressed) {
        const struct ete_address address = ete_address_complete(&p->addresses, addressed, cells);
        set_address(p, ete_address_cell(form->kind), address, cells);
    }
    if (form->kind == ETE_trace_info) {
        reset(p);
        cells[ETE_CELL_trace_info_skipped] = p->skipped;
    } else if (form->kind == ETE_timestamp) {
        complete_timestamp(p, cells);
    } else if (form->kind == ETE_cycle_count_1) {
        (void)assay_parameter_use(p->values, ETE_TRCIDR0, ETE_PACKET);
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

static void read_packet(struct packets *p, const uint8_t *data, size_t have)
{
    const struct ete_form *form = p->headers[data[0]].form;
    const struct ete_form *in = NULL;
    uint64_t cells[ETE_CELLS] = {0};
    enum ete_fault fault = ETE_FAULT_NONE;
    if (form->kind == ETE_malformed) {
        add_malformed(p, ETE_FAULT_RESERVED_HEADER, data, 1);
        return;
    }
    if (form->kind == ETE_exception) {
        fault = exception_fault(data, have, &in);
    }
    const size_t size =
        fault == ETE_FAULT_NONE ? ete_unpack(form, in, p->vmid_bits, data, have, cells) : 0;
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
    uint64_t *to = cells_of(p, event);
    memcpy(to, cells, sizeof cells);
    if (form->kind >= ETE_atom_1 && form->kind <= ETE_atom_6) {
        ete_set_atoms(to, (enum ete_kind)form->kind, data[0]);
    }
}

static void add_end(struct packets *p)
{
    struct assay_event *event = add(p, ETE_end, NULL, 0);
    uint64_t *cells = cells_of(p, event);
    cells[ETE_CELL_end_total] = event->offset;
    cells[ETE_CELL_end_asyncs] = p->asyncs;
    cells[ETE_CELL_end_skipped] = p->skipped;
    cells[ETE_CELL_end_framed] = p->framed;
    cells[ETE_CELL_end_ranges] = ete_ranges_known(p->values, &cells[ETE_CELL_end_reversed]);
    cells[ETE_CELL_end_written] = p->written;
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

/* --- many packets at once --- */

/* The bytes of a packet of this size, which are shown in whole words. */
static void copy_bytes(uint8_t *to, const uint8_t *data, size_t size)
{
    if (size <= sizeof(uint64_t)) {
        assay_store64(to, assay_load64(data) & assay_mask(8 * (unsigned)size));
    } else {
        memset(to, 0, ETE_PACKET_MOST);
        memcpy(to, data, size);
    }
}

/* Reads a packet of continuable fields into its cells; returns its size, or 0 where one does not
 * end within eight bytes. */
static inline size_t read_fields(const struct ete_header *header, const uint8_t *data,
                                 uint64_t *cells)
{
    uint64_t excess = 0;
    size_t size = 1;
    memcpy(cells, header->cells, ETE_CELLS_FEW * sizeof *cells);
    for (unsigned n = 0; n < header->field_count; n++) {
        const struct ete_field *is = &header->fields[n];
        struct ete_continued field = {.value = data[size], .bytes = 1};
        if (field.value > ETE_GROUP_MASK) {
            field = ete_continued_of(assay_load64(data + size), is->width);
        }
        if (field.bytes == 0) {
            return 0;
        }
        cells[is->value] = field.value << is->to;
        cells[is->size] = field.bytes;
        excess |= field.excess;
        size += field.bytes;
    }
    cells[ASSAY_CELL_EXCESS] = excess;
    return size;
}

/* Reads the next packet, for which there are ETE_PACKET_MOST bytes, into its cells. Returns its
 * size; 0 for one that has to be read closely. */
static size_t read_whole(struct packets *p, const struct ete_header *header, const uint8_t *data,
                         uint64_t *cells)
{
    size_t size = 0;
    if (header->reading == ETE_READ_FIELDS) {
        size = read_fields(header, data, cells);
    } else if (header->reading == ETE_READ_CLOSELY) {
        return 0;
    }
    if (size == 0) {
        memset(cells, 0, ETE_CELLS * sizeof *cells);
        size = ete_unpack(header->form, NULL, p->vmid_bits, data, ETE_PACKET_MOST, cells);
    }
    if (header->following == ETE_FOLLOW_ENTRY) {
        set_address(p, header->address, p->addresses.entry[header->form->history - 1], cells);
    } else if (header->following == ETE_FOLLOW_REGISTER) {
        (void)assay_parameter_use(p->values, ETE_TRCIDR0, ETE_PACKET);
    } else if (header->following == ETE_FOLLOW_TIMESTAMP) {
        complete_timestamp(p, cells);
    } else if (header->following == ETE_FOLLOW_FORM) {
        follow(p, header->form, NULL, cells);
    }
    return size;
}

_Static_assert(ETE_PACKET_MOST % 8 == 0 && ETE_CELLS % 4 == 0, "rooms of a slot (model/history.h)");

/* The same for an event in its slot of the ring, which is of the header's kind. */
static inline size_t read_event_whole(struct packets *p, const struct ete_header *header,
                                      const uint8_t *data, size_t slot, struct assay_event *event)
{
    uint8_t *bytes = p->history.bytes + slot * ETE_PACKET_MOST;
    uint64_t *cells = p->history.cells + slot * ETE_CELLS;
    const size_t size = read_whole(p, header, data, cells);
    copy_bytes(bytes, data, size);
    event->bytes = bytes;
    event->cells = cells;
    event->bits = 8 * (uint32_t)size;
    return size;
}

/* Reads packets up to one that has to be read closely, at most `most`, for which there is room
 * without a wrap of the ring. */
static void read_many(struct packets *p, size_t most)
{
    const uint64_t first = p->history.next;
    const size_t slot = (size_t)(first & (p->history.slots - 1));
    struct assay_event *const events = &p->history.events[slot];
    const uint64_t offset = assay_source_offset(p->source);
    const uint8_t *from = NULL;
    size_t have = 0;
    (void)assay_source_peek(p->source, LOOK_AHEAD, &from, &have);
    const uint8_t *const data = from;
    const size_t whole = have < ETE_PACKET_MOST ? 0 : have - ETE_PACKET_MOST + 1;
    size_t at = 0;
    size_t made = 0;
    size_t last = 0; /* bytes of the last packet */
    while (made < most && at < whole) {
        const struct ete_header *header = &p->headers[data[at]];
        struct assay_event *event = &events[made];
        *event = header->model;
        event->offset = offset + at;
        event->index = first + made;
        size_t size = 1;
        if (header->reading != ETE_READ_ALIKE) {
            size = read_event_whole(p, header, data + at, slot + made, event);
            if (size == 0) {
                break;
            }
        }
        at += size;
        last = size;
        made++;
    }
    if (made > 0) {
        p->tail = tail_of(data + at - last, last);
    }
    p->history.next += made;
    assay_source_consume(p->source, at);
}

static enum assay_error next_packets(struct assay_stage *stage, struct assay_block *block,
                                     struct assay_diag *diag)
{
    struct packets *p = (struct packets *)stage;
    const uint64_t first = p->history.next;
    (void)diag;
    const size_t room = assay_history_room(&p->history, first);
    const uint64_t end = first + (room < p->block ? room : p->block);
    while (!p->ended && p->history.next < end) {
        if (!p->looking) {
            read_many(p, (size_t)(end - p->history.next));
        }
        if (p->history.next < end) {
            read_event(p);
        }
    }
    *block = assay_history_block(&p->history, first, ETE_PACKET);
    return ASSAY_OK;
}

static bool packets_complete(const struct assay_stage *stage, const char **why)
{
    const struct packets *p = (const struct packets *)stage;
    const bool lost = p->asyncs == 0 && p->skipped > 0;
    static const char framed[] =
        "its bytes look like CoreSight frames, and are read as they are: --framing coresight";
    static const char none[] =
        "no A-sync is in it, by which packets are found: it is a piece of a session, of another "
        "format, or A-syncs are missing. WHOLE and TRCSYNCPR in the configuration tell whether one "
        "is due";
    static const char blank[] = "all of its bytes are 0: nothing was traced to its buffer";
    /* Malformed events and rules say what else there is. */
    *why = !lost ? NULL : !p->written ? blank : p->framed ? framed : none;
    return !p->faulty && !lost;
}

static void close_packets(struct assay_stage *stage)
{
    struct packets *p = (struct packets *)stage;
    assay_source_close(p->source);
    assay_history_close(&p->history);
    free(p);
}

struct assay_stage *ete_packets_open(const struct assay_decode_input *input, unsigned layers,
                                     enum assay_error *error)
{
    static const struct assay_stage_ops ops = {
        .next = next_packets, .complete = packets_complete, .close = close_packets};
    struct packets *p = aligned_alloc(_Alignof(struct packets), sizeof *p);
    if (p == NULL) {
        assay_source_close(input->source);
        return NULL;
    }
    memset(p, 0, sizeof *p);
    p->base.ops = &ops;
    p->source = input->source;
    p->values = input->parameters;
    p->block = layers > 1 ? BLOCK : BLOCK_ALONE;
    p->vmid_bits = ete_vmid_bits(p->values);
    p->looking = true;
    ete_headers_set(p->headers, p->values);
    *error = assay_history_open(
        &p->history, &(struct assay_history_setup){.slots = layers > 1 ? SLOTS : BLOCK_ALONE,
                                                   .bytes = ETE_PACKET_MOST,
                                                   .cells = ETE_CELLS,
                                                   .block = p->block,
                                                   .lead = input->lead});
    return &p->base;
}

struct assay_history *ete_packets_history(struct assay_stage *stage)
{
    return &((struct packets *)stage)->history;
}
