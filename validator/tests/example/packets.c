/* The first stage: bytes to packets. */
#include <string.h>

#include "example/example.h"
#include "io/source.h"
#include "model/framing.h"
#include "model/packet_stage.h"

enum {
    BLOCK = 256,
    LOOK_AHEAD = 4096,
    SYNC_BYTES = 5,
    LENGTH_MASK = 0x1f,
    MARKER = 0xa0,
    WIDTH_MASK = 0x7f
};

struct packets {
    struct assay_packet_stage base;
    struct example_plans plans;
    uint64_t layout[EXAMPLE_LAYOUT_COUNT]; /* what the plans were made of */
    struct assay_parameter_values *values;
    bool noted[EXAMPLE_PACKET_KINDS_END]; /* a kind: what its layout depends on */
    bool prefixed;                        /* the length before each packet */
    size_t length;                        /* by the prefix of the packet at hand; 0: it has none */
    uint64_t skipped;
    bool looking; /* for the next sync */
    bool failed;  /* the source did */
};

/* One byte that is not understood; what follows is skipped up to the next sync. */
static void add_malformed(struct packets *p, enum example_fault fault, const uint8_t *data,
                          size_t size)
{
    struct assay_event *event = assay_packet_add(&p->base, EXAMPLE_malformed, data, size);
    event->fault = (uint16_t)fault;
    assay_packet_cells(&p->base, event)[EXAMPLE_CELL_malformed_value] = size > 0 ? data[0] : 0;
    p->looking = true;
    p->base.faulty = true;
}

static bool is_sync(const uint8_t *data)
{
    return (data[0] & ~LENGTH_MASK) == MARKER && memcmp(data + 1, "SYNC", 4) == 0;
}

/* Steps to the next sync, or as far as bytes are there. */
static void look_for_sync(struct packets *p)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    do {
        size_t at = 0;
        (void)assay_source_peek(p->base.source, LOOK_AHEAD, &data, &have);
        while (at + SYNC_BYTES <= have && !is_sync(data + at)) {
            at++;
        }
        p->looking = at + SYNC_BYTES > have;
        if (have < SYNC_BYTES) {
            at = have; /* the last bytes hold none */
        }
        assay_source_consume(p->base.source, at);
        p->skipped += at;
    } while (p->looking && have > 0);
}

/* Rules can say nothing of packets whose layout depends on a parameter that nobody gave. */
static void note_parameters(struct packets *p, enum example_kind kind)
{
    if (!p->noted[kind]) {
        assay_packing_use(p->plans.plan[kind].kind, p->values);
        p->noted[kind] = true;
    }
}

/* From the sync on packets are laid out as it says. Of its width of addresses, which does not
 * change, a later one is a matter for rules. */
static enum assay_error follow_sync(struct packets *p, const uint64_t *cells,
                                    struct assay_diag *diag)
{
    const uint64_t full = cells[EXAMPLE_CELL_sync_full_address];
    if (full == p->layout[EXAMPLE_FULL_ADDRESS]) {
        return ASSAY_OK;
    }
    p->layout[EXAMPLE_FULL_ADDRESS] = full;
    return example_plans_make(&p->plans, p->layout, diag);
}

/* The packet at the source's place, of `have` bytes at least. */
static enum assay_error read_packet(struct packets *p, const uint8_t *data, size_t have,
                                    struct assay_diag *diag)
{
    const size_t size = 1 + (size_t)(data[0] & LENGTH_MASK);
    const bool fits = p->length == 0 || p->length == size;
    if ((data[0] & ~LENGTH_MASK) != MARKER || size < 2 || !fits) {
        add_malformed(p, EXAMPLE_FAULT_BAD_HEADER, data, 1);
        return ASSAY_OK;
    }
    if (have < size) {
        add_malformed(p, EXAMPLE_FAULT_TRUNCATED_PACKET, data, have);
        return ASSAY_OK;
    }
    const enum example_kind kind = example_kind_of(data[1]);
    if (kind == EXAMPLE_malformed || (kind == EXAMPLE_sync && !is_sync(data))) {
        add_malformed(p, EXAMPLE_FAULT_UNKNOWN_TYPE, data, 1);
        return ASSAY_OK;
    }
    note_parameters(p, kind);
    struct assay_event *event = assay_packet_add(&p->base, kind, data, size);
    uint64_t *cells = assay_packet_cells(&p->base, event);
    if (example_unpack(&p->plans, event, cells) != ASSAY_OK) {
        event->kind = EXAMPLE_malformed;
        event->fault = EXAMPLE_FAULT_TRUNCATED_PACKET;
        memset(cells, 0, EXAMPLE_PACKET_CELLS * sizeof *cells);
        p->looking = true;
        p->base.faulty = true;
        return ASSAY_OK;
    }
    return kind == EXAMPLE_sync ? follow_sync(p, cells, diag) : ASSAY_OK;
}

static void add_end(struct packets *p)
{
    struct assay_event *event = assay_packet_end(&p->base);
    uint64_t *cells = assay_packet_cells(&p->base, event);
    cells[EXAMPLE_CELL_end_total] = event->offset;
    cells[EXAMPLE_CELL_end_skipped] = p->skipped;
}

/* The next event; the last one is `end`. */
static enum assay_error read_event(struct assay_packet_stage *stage, struct assay_diag *diag)
{
    struct packets *p = (struct packets *)stage;
    const uint8_t *data = NULL;
    size_t have = 0;
    p->length = 0;
    if (p->looking) {
        look_for_sync(p); /* whose prefix is passed with what is before it */
    } else if (p->prefixed && assay_source_peek(p->base.source, 1, &data, &have) == ASSAY_OK) {
        p->length = have > 0 ? data[0] : 0;
        assay_source_consume(p->base.source, have > 0);
    }
    const enum assay_error error =
        assay_source_peek(p->base.source, EXAMPLE_PACKET_MOST, &data, &have);
    if (have > 0) {
        return read_packet(p, data, have, diag);
    }
    if (error != ASSAY_OK && !p->failed) {
        add_malformed(p, EXAMPLE_FAULT_READ_ERROR, data, 0);
        p->failed = true;
        return ASSAY_OK;
    }
    add_end(p);
    return ASSAY_OK;
}

/* What the stream says of its parameters has to be known before the first block: it is taken from
 * the first sync that can be seen, which need not be at the beginning, as in a buffer that wrapped.
 * A later one that says something else is a matter for rules. */
static enum assay_error read_parameters(struct packets *p, struct assay_parameter_values *values,
                                        struct assay_diag *diag)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    size_t at = 0;
    enum assay_error error = ASSAY_OK;
    p->values = values;
    (void)assay_source_peek(p->base.source, ASSAY_PEEK_MAX, &data, &have);
    while (at + SYNC_BYTES < have && !is_sync(data + at)) {
        at++;
    }
    const unsigned width = at + SYNC_BYTES < have ? data[at + SYNC_BYTES] & WIDTH_MASK : 0;
    if (width >= 8 && width <= 64) {
        error = assay_parameter_from_stream(values, EXAMPLE_ADDRESS_WIDTH, width, at, diag);
    }
    example_parameters(values, p->layout);
    return error != ASSAY_OK ? error : example_plans_make(&p->plans, p->layout, diag);
}

struct assay_stage *example_packets_open(const struct assay_decode_input *input,
                                         struct assay_diag *diag, enum assay_error *error)
{
    static const struct assay_stage_ops ops = {
        .next = assay_packet_next, .complete = assay_packet_complete, .close = assay_packet_close};
    static const struct assay_packet_setup setup = {.ops = &ops,
                                                    .layer = EXAMPLE_PACKET,
                                                    .block = BLOCK,
                                                    .slots = EXAMPLE_SLOTS,
                                                    .bytes = EXAMPLE_PACKET_MOST,
                                                    .cells = EXAMPLE_PACKET_CELLS,
                                                    .read = read_event};
    struct packets *p = assay_packet_open(sizeof *p, &setup, input->source);
    if (p == NULL) {
        return NULL;
    }
    p->prefixed = input->framing == ASSAY_FRAMING_LENGTH_PREFIXED;
    *error = read_parameters(p, input->parameters, diag);
    return &p->base.base;
}
