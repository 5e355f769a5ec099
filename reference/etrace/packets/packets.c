/* The first stage: bytes to packets (chapters 6 and 7). */
#include <string.h>

#include "etrace/packets/data.h"
#include "etrace/packets/options.h"
#include "io/source.h"
#include "model/framing.h"
#include "model/packet_stage.h"

/* The greatest length that a container has room for, and bytes that hold any packet. */
enum { LENGTH_MOST = 255, LOOK_AHEAD = ETRACE_HEADER_MOST + LENGTH_MOST };
enum { BLOCK = 512, SLOTS = 1 << 11, SHOWING = 1 << 12 /* bytes that show how payloads end */ };

struct packets {
    struct assay_packet_stage base;
    struct etrace_plans plans;
    uint64_t layout[ETRACE_PARAMETER_COUNT]; /* what the plans were made of, and the options */
    struct assay_parameter_values *values;
    bool noted[ETRACE_PACKET_KINDS_END]; /* a kind: what its layout depends on */
    struct etrace_container container;
    struct etrace_data data;
    unsigned configured; /* events of control registers, see etrace_control_next */
    uint64_t packets, synchronisations;
    uint64_t padded_to; /* offset up to which zero bytes are padding */
    bool failed;        /* the source did */
    bool chooses;       /* the stream is that of one source of several */
    bool begun;         /* it was looked at for how payloads end, and where packets begin */
    bool own;           /* a packet came that is of the stream */
    size_t before;      /* bytes left before the first packet that is known to begin */
};

static bool packets_complete(const struct assay_stage *stage, const char **why)
{
    const struct packets *p = (const struct packets *)stage;
    const bool complete = assay_packet_complete(stage, why);
    if (p->chooses && !p->own && *why == NULL) {
        *why = "no packet of the source that the parameter names is in it";
    }
    return complete && *why == NULL;
}

/* What is not understood; at most what an event has room for is shown of it, and all is passed. */
static void add_malformed(struct packets *p, enum etrace_fault fault, const uint8_t *data,
                          size_t size, const struct etrace_header *header)
{
    const size_t shown = size < ETRACE_PACKET_MOST ? size : ETRACE_PACKET_MOST;
    struct assay_event *event = assay_packet_add(&p->base, ETRACE_malformed, data, shown);
    uint64_t *cells = assay_packet_cells(&p->base, event);
    event->fault = (uint16_t)fault;
    cells[ETRACE_CELL_malformed_header] = shown > 0 ? event->bytes[0] : 0;
    cells[ETRACE_CELL_malformed_type] = header->type;
    cells[ETRACE_CELL_malformed_of_data] = header->of_data;
    cells[ETRACE_CELL_malformed_length] = header->length;
    assay_source_consume(p->base.source, size - shown);
    p->base.faulty = true;
    if (header->of_data) {
        etrace_data_lose(&p->data);
    }
}

/* Rules can say nothing of packets whose layout depends on a parameter that nobody gave. */
static void note_parameters(struct packets *p, enum etrace_kind kind)
{
    if (!p->noted[kind]) {
        assay_packing_use(p->plans.plan[kind].kind, p->values);
        p->noted[kind] = true;
    }
}

/* The bytes at the end of a payload that a shorter one would be extended to (6). */
static uint64_t surplus_of(const uint8_t *payload, size_t size)
{
    size_t needed = size;
    while (needed > 1 && payload[needed - 1] == (payload[needed - 2] >> 7 != 0 ? 0xff : 0)) {
        needed--;
    }
    return size - needed;
}

#define K(name, ...) [ETRACE_##name] = ETRACE_CELL_##name##_surplus,
static const uint8_t surplus_cell[ETRACE_PACKET_KINDS_END] = {ETRACE_PACKETS(K)};
#undef K
#define K(name, ...) [ETRACE_##name] = ETRACE_CELL_##name##_beyond,
static const uint8_t beyond_cell[ETRACE_PACKET_KINDS_END] = {ETRACE_PACKETS(K)};
#undef K
#define K(name, ...) [ETRACE_##name] = ETRACE_CELL_##name##_encapsulated,
static const uint8_t encapsulated_cell[ETRACE_PACKET_KINDS_END] = {ETRACE_PACKETS(K)};
#undef K

/* Of a payload that begins with a byte of its container. */
static uint64_t beyond_of(size_t size, uint32_t bits)
{
    const size_t full = (bits + 7) / 8;
    return size > full ? size - full : 0;
}

/* Cells of options in effect; 0: the kind has none. */
struct option_cells {
    uint8_t implicit_return, branch_prediction, jump_target_cache, sequential_jumps;
};

static const struct option_cells option_cells[ETRACE_PACKET_KINDS_END] = {
    [ETRACE_branch_count] = {.implicit_return = ETRACE_CELL_branch_count_implicit_return,
                             .branch_prediction = ETRACE_CELL_branch_count_branch_prediction},
    [ETRACE_jump_target] = {.implicit_return = ETRACE_CELL_jump_target_implicit_return,
                            .jump_target_cache = ETRACE_CELL_jump_target_jump_target_cache},
    [ETRACE_diff_delta] = {.implicit_return = ETRACE_CELL_diff_delta_implicit_return},
    [ETRACE_addr_only] = {.implicit_return = ETRACE_CELL_addr_only_implicit_return},
    [ETRACE_support] = {.implicit_return = ETRACE_CELL_support_implicit_return,
                        .branch_prediction = ETRACE_CELL_support_branch_prediction,
                        .jump_target_cache = ETRACE_CELL_support_jump_target_cache,
                        .sequential_jumps = ETRACE_CELL_support_sequential_jumps},
};

static void put_options(const struct packets *p, enum etrace_kind kind, uint64_t *cells)
{
    const struct option_cells *at = &option_cells[kind];
    if (at->implicit_return != 0) {
        cells[at->implicit_return] = p->layout[ETRACE_IMPLICIT_RETURN];
    }
    if (at->branch_prediction != 0) {
        cells[at->branch_prediction] = p->layout[ETRACE_BRANCH_PREDICTION];
    }
    if (at->jump_target_cache != 0) {
        cells[at->jump_target_cache] = p->layout[ETRACE_JUMP_TARGET_CACHE];
    }
    if (at->sequential_jumps != 0) {
        cells[at->sequential_jumps] = p->layout[ETRACE_SIJUMP];
    }
}

/* Takes the options over; the packet has those that are in effect after it. */
static enum assay_error take_support(struct packets *p, uint64_t *cells, struct assay_diag *diag)
{
    const struct etrace_change change = etrace_options_follow(cells, p->layout);
    cells[ETRACE_CELL_support_switched] = change.any;
    return change.of_layout ? etrace_plans_make(&p->plans, p->layout, diag) : ASSAY_OK;
}

/* The packet does not have the size of the access: its lengths are those of what is pending under
 * the index that it has (table 7.10). */
static uint32_t read_atomic_response(struct packets *p, const uint8_t *payload, size_t size,
                                     uint64_t *cells)
{
    p->layout[ETRACE_ATOMIC_SIZE] = etrace_data_atomic_size(
        &p->data, cells[ETRACE_CELL_atomic_response_index], p->values->value[ETRACE_ATOMIC_SIZE]);
    return etrace_unpack(&p->plans, ETRACE_atomic_response, payload, size, cells);
}

static enum assay_error read_payload(struct packets *p, const uint8_t *data,
                                     const struct etrace_header *header, struct assay_diag *diag)
{
    const size_t size = header->size + header->length;
    uint8_t room[ETRACE_PAYLOAD_MOST];
    const uint8_t *payload = NULL;
    const size_t payload_size = etrace_payload_read(header, data, room, &payload);
    enum etrace_fault fault = ETRACE_FAULT_EMPTY_PACKET;
    const enum etrace_kind kind = payload_size > 0
                                      ? etrace_kind_of(header->of_data, payload, p->layout, &fault)
                                      : ETRACE_malformed;
    if (kind == ETRACE_malformed) {
        add_malformed(p, fault, data, size, header);
        return ASSAY_OK;
    }
    note_parameters(p, kind);
    struct assay_event *event =
        assay_packet_add_sized(&p->base, kind, data, size, ETRACE_PACKET_MOST, ETRACE_PACKET_CELLS);
    uint64_t *cells = assay_packet_cells(&p->base, event);
    uint32_t bits = etrace_unpack(&p->plans, kind, payload, payload_size, cells);
    if (kind == ETRACE_atomic_response) {
        bits = read_atomic_response(p, payload, payload_size, cells);
    }
    etrace_header_to_cells(header, cells);
    cells[surplus_cell[kind]] = header->pad > 0 || header->lead % 8 == 0
                                    ? surplus_of(payload, payload_size)
                                    : surplus_of(event->bytes + header->size, header->length);
    cells[beyond_cell[kind]] = header->lead == 0 ? beyond_of(payload_size, bits) : 0;
    cells[encapsulated_cell[kind]] = p->container.framing == ASSAY_FRAMING_ENCAPSULATION;
    p->packets++;
    p->synchronisations += kind == ETRACE_start || kind == ETRACE_exception;
    const enum assay_error error = kind == ETRACE_support ? take_support(p, cells, diag) : ASSAY_OK;
    put_options(p, kind, cells);
    etrace_data_follow(&p->data, kind, p->layout, cells);
    return error;
}

/* Nothing to transport. */
static void read_null(struct packets *p, const uint8_t *data, const struct etrace_header *header)
{
    const enum etrace_kind kind = header->stamped ? ETRACE_align : ETRACE_idle;
    struct assay_event *event = assay_packet_add(&p->base, kind, data, header->size);
    etrace_header_to_cells(header, assay_packet_cells(&p->base, event));
}

/* A packet of another stream: whatever it holds, that one has to say. */
static void read_other(struct packets *p, const uint8_t *data, const struct etrace_header *header)
{
    const size_t size = header->size + header->length;
    struct assay_event *event = assay_packet_add(&p->base, ETRACE_other, data, size);
    etrace_header_to_cells(header, assay_packet_cells(&p->base, event));
}

/* Takes it over where a packet of the stream, whose header is at an offset, shows that payloads are
 * bits. The report names the parameter as one that the stream gave. */
static bool see_bits(struct packets *p, const struct etrace_header *header, uint64_t offset)
{
    const bool shows = etrace_header_shows_bits(&p->container, header) &&
                       (!p->chooses || header->source == p->values->value[ETRACE_SOURCE]);
    if (shows) {
        p->container.encapsulated = ETRACE_ENCAPSULATED_BITS;
        (void)assay_parameter_from_stream(p->values, ETRACE_ENCAPSULATED, ETRACE_ENCAPSULATED_BITS,
                                          offset, NULL);
    }
    return shows;
}

/* Of the packets of an encapsulation that the bytes, which are next, hold whole. */
static void see_encapsulated(struct packets *p, const uint8_t *data, size_t have)
{
    struct etrace_header header;
    size_t at = 0;
    while (at < have && etrace_header_read(&p->container, data + at, have - at, &header) &&
           header.size + header.length <= have - at &&
           !see_bits(p, &header, assay_source_offset(p->base.source) + at)) {
        at += header.size + header.length;
    }
}

/* Whether the stream begins with a packet that tracing begins with, one of format 3, after null
 * ones. */
static bool begins_tracing(const struct packets *p, const uint8_t *data, size_t have)
{
    enum { FORMAT_3 = 3 };
    uint8_t room[ETRACE_PAYLOAD_MOST];
    const uint8_t *payload = NULL;
    struct etrace_header header = {.null = true};
    bool whole = have > 0;
    while (whole && header.null) {
        data += header.size;
        have -= header.size;
        whole = etrace_header_read(&p->container, data, have, &header);
    }
    return whole && header.size + header.length <= have && header.length <= ETRACE_PAYLOAD_MOST &&
           !header.reserved && etrace_payload_read(&header, data, room, &payload) > 0 &&
           (payload[0] & FORMAT_3) == FORMAT_3;
}

/* A piece of a stream can begin inside a packet, unless it is said to begin where the trace does,
 * or shows it. The first synchronization sequence tells where packets begin; where there is none,
 * nothing does. */
static void find_boundary(struct packets *p)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    if (p->container.framing != ASSAY_FRAMING_ENCAPSULATION || p->layout[ETRACE_AFTER_RESET] != 0 ||
        p->layout[ETRACE_WHOLE] != 0 || assay_source_pauses(p->base.source, ASSAY_PEEK_MAX)) {
        return;
    }
    (void)assay_source_peek(p->base.source, ASSAY_PEEK_MAX, &data, &have);
    p->before = begins_tracing(p, data, have) ? 0 : etrace_boundary(&p->container, data, have);
}

/* How payloads end, by the first packets, and where these begin, unless more has to be waited for.
 */
static void begin(struct packets *p)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    p->begun = true;
    if (p->container.source_bits % 8 + p->container.type_bits > 0 &&
        !assay_source_pauses(p->base.source, SHOWING)) {
        (void)assay_source_peek(p->base.source, SHOWING, &data, &have);
        see_encapsulated(p, data, have);
    }
    find_boundary(p);
}

/* A zero byte between packets. In a container that has null packets it is one. */
static bool is_padding(struct packets *p, uint8_t first)
{
    const uint64_t offset = assay_source_offset(p->base.source);
    if (first != 0 || !(p->container.padding_runs || p->container.padding_block > 0)) {
        return false;
    }
    if (offset >= p->padded_to) {
        const uint8_t *data = NULL;
        size_t have = 0;
        (void)assay_source_peek(p->base.source, ETRACE_PADDING_MOST, &data, &have);
        p->padded_to = offset + etrace_padding(&p->container, offset, data, have);
    }
    return offset < p->padded_to;
}

static bool read_header(struct packets *p, const uint8_t *data, size_t have,
                        struct etrace_header *header)
{
    const bool whole = etrace_header_read(&p->container, data, have, header);
    p->own =
        p->own || (whole && !header->null && header->source == p->values->value[ETRACE_SOURCE]);
    if (whole && see_bits(p, header, assay_source_offset(p->base.source))) {
        header->pad = 0;
    }
    return whole;
}

static enum assay_error read_packet(struct packets *p, const uint8_t *data, size_t have,
                                    struct assay_diag *diag)
{
    struct etrace_header header = {0};
    if (p->before > 0) {
        const size_t size = p->before < ETRACE_PACKET_MOST ? p->before : ETRACE_PACKET_MOST;
        add_malformed(p, ETRACE_FAULT_BEFORE_BOUNDARY, data, size < have ? size : have, &header);
        p->before -= size < have ? size : have;
    } else if (is_padding(p, data[0])) {
        const struct etrace_header padding = {.size = 1};
        read_null(p, data, &padding);
    } else if (!read_header(p, data, have, &header)) {
        add_malformed(p, ETRACE_FAULT_TRUNCATED_HEADER, data, have, &header);
    } else if (have < header.size + header.length) {
        add_malformed(p, ETRACE_FAULT_TRUNCATED_PACKET, data, have, &header);
    } else if (header.null) {
        read_null(p, data, &header);
    } else if (p->chooses && header.source != p->values->value[ETRACE_SOURCE]) {
        read_other(p, data, &header);
    } else if (header.length == 0) {
        add_malformed(p, ETRACE_FAULT_EMPTY_PACKET, data, header.size, &header);
    } else if (header.reserved) {
        add_malformed(p, ETRACE_FAULT_RESERVED_TYPE, data, header.size + header.length, &header);
    } else if (header.length > ETRACE_PAYLOAD_MOST) {
        add_malformed(p, ETRACE_FAULT_LONG_PACKET, data, header.size + header.length, &header);
    } else {
        return read_payload(p, data, &header, diag);
    }
    return ASSAY_OK;
}

static void add_end(struct packets *p)
{
    uint64_t *cells = assay_packet_cells(&p->base, assay_packet_end(&p->base));
    cells[ETRACE_CELL_end_total] = assay_source_offset(p->base.source);
    cells[ETRACE_CELL_end_packets] = p->packets;
    cells[ETRACE_CELL_end_synchronisations] = p->synchronisations;
    cells[ETRACE_CELL_end_outstanding] = p->data.outstanding;
}

/* Whether the bytes hold a packet, whatever follows them. */
static bool holds_packet(const struct packets *p, const uint8_t *data, size_t have)
{
    struct etrace_header header;
    return have > 0 && etrace_header_read(&p->container, data, have, &header) &&
           have >= header.size + header.length;
}

/* The bytes that a packet may have. True when there are none now: what was read is passed on first,
 * and only then more waited for. */
static bool look(struct assay_packet_stage *stage, const uint8_t **data, size_t *have,
                 enum assay_error *error)
{
    if (!assay_source_pauses(stage->source, LOOK_AHEAD)) {
        *error = assay_source_peek(stage->source, LOOK_AHEAD, data, have);
        return false;
    }
    *error = assay_source_peek(stage->source, 0, data, have);
    if (holds_packet((const struct packets *)stage, *data, *have)) {
        return false;
    }
    stage->paused = !stage->empty;
    if (stage->empty) {
        (void)assay_source_peek(stage->source, *have + 1, data, have); /* what it is, comes again */
    }
    return true;
}

/* The next packet, and those after it, as long as no end of the input is near. */
static enum assay_error read_packets(struct packets *p, const uint8_t *data, size_t have,
                                     struct assay_diag *diag)
{
    enum assay_error error = read_packet(p, data, have, diag);
    while (error == ASSAY_OK && p->base.history.next < p->base.end &&
           assay_source_peek(p->base.source, 0, &data, &have) == ASSAY_OK && have >= LOOK_AHEAD) {
        error = read_packet(p, data, have, diag);
    }
    return error;
}

/* The next events; the last one is `end`. */
static enum assay_error read_event(struct assay_packet_stage *stage, struct assay_diag *diag)
{
    struct packets *p = (struct packets *)stage;
    const struct etrace_header none = {0};
    const uint8_t *data = NULL;
    size_t have = 0;
    if (etrace_control_next(stage, p->values, &p->configured)) {
        return ASSAY_OK;
    }
    enum assay_error error = ASSAY_OK;
    if (!p->begun) {
        begin(p);
    }
    if (look(stage, &data, &have, &error)) {
        return ASSAY_OK;
    }
    if (have > 0) {
        return read_packets(p, data, have, diag);
    }
    if (error != ASSAY_OK && !p->failed) {
        add_malformed(p, ETRACE_FAULT_READ_ERROR, data, 0, &none);
        p->failed = true;
        return ASSAY_OK;
    }
    add_end(p);
    return ASSAY_OK;
}

struct assay_stage *etrace_packets_open(const struct assay_decode_input *input,
                                        struct assay_diag *diag, enum assay_error *error)
{
    static const struct assay_stage_ops ops = {
        .next = assay_packet_next, .complete = packets_complete, .close = assay_packet_close};
    const struct assay_packet_setup setup = {.ops = &ops,
                                             .layer = ETRACE_PACKET,
                                             .block = BLOCK,
                                             .slots = SLOTS,
                                             .bytes = ETRACE_PACKET_MOST,
                                             .cells = ETRACE_PACKET_CELLS,
                                             .lead = input->lead,
                                             .read = read_event};
    struct packets *p = assay_packet_open(sizeof *p, &setup, input->source);
    if (p == NULL) {
        return NULL;
    }
    p->values = input->parameters;
    etrace_layout(p->values, p->layout);
    etrace_container(&p->container, input->framing, p->layout);
    etrace_data_open(&p->data);
    p->chooses = p->values->known[ETRACE_SOURCE];
    if (p->chooses && p->container.source_bits == 0) {
        *error = assay_parameter_fail(p->values, ETRACE_SOURCE, diag, ASSAY_CONTRADICTION,
                                      "packets in this framing name no source");
        return &p->base.base;
    }
    *error = etrace_plans_make(&p->plans, p->layout, diag);
    return &p->base.base;
}

uint64_t etrace_packets_wire(const struct assay_stage *stage)
{
    return ((const struct packets *)stage)->layout[ETRACE_WIRE];
}
