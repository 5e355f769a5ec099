/* The encoder: packets to bytes, by the table that the decoder reads them by. */
#include <stdlib.h>
#include <string.h>

#include "etrace/packets/data.h"
#include "etrace/packets/options.h"
#include "io/sink.h"
#include "model/framing.h"

struct assay_encoder {
    struct assay_sink *sink;
    uint64_t layout[ETRACE_PARAMETER_COUNT]; /* what the plans were made of, and the options */
    struct etrace_plans plans;
    struct etrace_container container;
    struct etrace_data data; /* sizes of requests, which responses do not have */
    uint64_t atomic_size;    /* of those that are not known */
};

static enum assay_error configure(struct assay_encoder *e,
                                  const struct assay_parameter_values *values, unsigned framing,
                                  struct assay_diag *diag)
{
    etrace_layout(values, e->layout);
    e->atomic_size = e->layout[ETRACE_ATOMIC_SIZE];
    etrace_data_open(&e->data);
    etrace_container(&e->container, framing, e->layout);
    return etrace_plans_make(&e->plans, e->layout, diag);
}

static enum assay_error open_encoder(struct assay_sink *sink, const char *storage,
                                     struct assay_encoder **encoder, struct assay_diag *diag)
{
    if (storage != NULL && strcmp(storage, "raw") != 0) {
        return assay_fail(diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET,
                          "streams of E-Trace are stored raw only");
    }
    *encoder = calloc(1, sizeof **encoder);
    if (*encoder == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    (*encoder)->sink = sink;
    return configure(*encoder, NULL, ASSAY_FRAMING_BYTE_HEADER, diag);
}

static enum assay_error put_raw(struct assay_encoder *e, const void *data, size_t size)
{
    assay_sink_write(e->sink, data, size);
    return e->sink->error;
}

static enum assay_error put_packet(struct assay_encoder *e, const struct etrace_header *header,
                                   const uint8_t *payload, size_t size, struct assay_diag *diag)
{
    uint8_t bytes[ETRACE_CONTAINER_MOST];
    const size_t all = etrace_container_write(&e->container, header, payload, size, bytes);
    return all > 0 ? put_raw(e, bytes, all)
                   : assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                                "a payload of %zu bytes is too long for the container",
                                header->length > 0 ? header->length : size);
}

/* A packet from its cells. */
static enum assay_error put_packed(struct assay_encoder *e, const struct assay_event *event,
                                   struct assay_diag *diag)
{
    uint8_t payload[ETRACE_PACKED_MOST] = {0};
    size_t size = 0;
    struct etrace_header header;
    const enum etrace_kind kind = (enum etrace_kind)event->kind;
    etrace_header_of_cells(&e->container, kind, event->cells, &header);
    const bool null = kind == ETRACE_idle || kind == ETRACE_align;
    if (kind == ETRACE_atomic_response) {
        e->layout[ETRACE_ATOMIC_SIZE] = etrace_data_atomic_size(
            &e->data, event->cells[ETRACE_CELL_atomic_response_index], e->atomic_size);
    }
    if (kind == ETRACE_other) { /* what it holds is not of this stream */
        size = header.length < 1                ? 1
               : header.length < sizeof payload ? header.length
                                                : sizeof payload;
        return put_packet(e, &header, payload, size, diag);
    }
    header.stamped = null ? kind == ETRACE_align : header.stamped;
    const enum assay_error error =
        null ? ASSAY_OK : etrace_pack(&e->plans, kind, event->cells, payload, &size, diag);
    return error != ASSAY_OK ? error : put_packet(e, &header, payload, size, diag);
}

/* Layouts of later packets depend on some. */
static enum assay_error follow(struct assay_encoder *e, const struct assay_event *event,
                               struct assay_diag *diag)
{
    const enum etrace_kind kind = (enum etrace_kind)event->kind;
    uint64_t cells[ETRACE_PACKET_CELLS] = {0}; /* with the values that are derived here */
    memcpy(cells, event->cells,
           assay_kind_cells(&assay_format_etrace.kinds[kind]) * sizeof cells[0]);
    const bool changed =
        kind == ETRACE_support && etrace_options_follow(event->cells, e->layout).of_layout;
    etrace_data_follow(&e->data, kind, e->layout, cells);
    return changed ? etrace_plans_make(&e->plans, e->layout, diag) : ASSAY_OK;
}

static enum assay_error put(struct assay_encoder *e, const struct assay_event *event,
                            struct assay_diag *diag)
{
    if (event->kind == ETRACE_end || event->kind >= ETRACE_PACKET_KINDS_END) {
        return ASSAY_OK; /* what is no packet is made of packets */
    }
    const bool as_it_was = event->kind == ETRACE_malformed || event->bits > 0;
    const enum assay_error error =
        as_it_was ? put_raw(e, event->bytes, event->bits / 8) : put_packed(e, event, diag);
    return error == ASSAY_OK && event->kind != ETRACE_malformed ? follow(e, event, diag) : error;
}

static enum assay_error close_encoder(struct assay_encoder *e)
{
    free(e);
    return ASSAY_OK;
}

const struct assay_encoder_ops etrace_encoder_ops = {.open = open_encoder,
                                                     .put = put,
                                                     .put_raw = put_raw,
                                                     .close = close_encoder,
                                                     .configure = configure};
