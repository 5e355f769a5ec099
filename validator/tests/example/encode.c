/* The encoder: packets to bytes, by the table that the decoder reads them by. */
#include <stdlib.h>
#include <string.h>

#include "example/example.h"
#include "io/sink.h"
#include "model/framing.h"

struct assay_encoder {
    struct assay_sink *sink;
    uint64_t layout[EXAMPLE_LAYOUT_COUNT]; /* what the plans were made of */
    struct example_plans plans;
    bool prefixed; /* the length before each packet */
};

static enum assay_error open_encoder(struct assay_sink *sink, const char *storage,
                                     struct assay_encoder **encoder, struct assay_diag *diag)
{
    if (storage != NULL && strcmp(storage, "raw") != 0) {
        return assay_fail(diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET,
                          "streams of the example are stored raw only");
    }
    *encoder = calloc(1, sizeof **encoder);
    if (*encoder == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    (*encoder)->sink = sink;
    example_parameters(NULL, (*encoder)->layout);
    return example_plans_make(&(*encoder)->plans, (*encoder)->layout, diag);
}

static enum assay_error configure(struct assay_encoder *e,
                                  const struct assay_parameter_values *values, unsigned framing,
                                  struct assay_diag *diag)
{
    e->prefixed = framing == ASSAY_FRAMING_LENGTH_PREFIXED;
    example_parameters(values, e->layout);
    return example_plans_make(&e->plans, e->layout, diag);
}

static enum assay_error put_raw(struct assay_encoder *e, const void *data, size_t size)
{
    assay_sink_write(e->sink, data, size);
    return e->sink->error;
}

static enum assay_error put_packet(struct assay_encoder *e, const uint8_t *data, size_t size)
{
    const uint8_t prefix = (uint8_t)size;
    const enum assay_error error = e->prefixed ? put_raw(e, &prefix, 1) : ASSAY_OK;
    return error != ASSAY_OK ? error : put_raw(e, data, size);
}

/* Packets after a sync are laid out as it says. */
static enum assay_error follow_sync(struct assay_encoder *e, const struct assay_event *sync,
                                    struct assay_diag *diag)
{
    const uint64_t width = sync->cells[EXAMPLE_CELL_sync_address_width];
    e->layout[EXAMPLE_FULL_ADDRESS] = sync->cells[EXAMPLE_CELL_sync_full_address];
    if (width >= 8 && width <= 64) {
        e->layout[EXAMPLE_ADDRESS_WIDTH] = width;
    }
    return example_plans_make(&e->plans, e->layout, diag);
}

/* A packet from its cells; of its bytes only those before the packed fields are given. */
static enum assay_error put_packed(struct assay_encoder *e, const struct assay_event *event,
                                   struct assay_diag *diag)
{
    uint8_t bytes[EXAMPLE_PACKED_MOST] = {0};
    size_t size = 0;
    const enum assay_error error = example_pack(&e->plans, event, bytes, &size, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    if (size > EXAMPLE_PACKET_MOST) {
        return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                          "%s takes %zu bytes, a packet has at most %d",
                          assay_format_example.kinds[event->kind].name, size, EXAMPLE_PACKET_MOST);
    }
    bytes[0] = (uint8_t)((bytes[0] & 0xe0) | (size - 1));
    return put_packet(e, bytes, size);
}

static enum assay_error put(struct assay_encoder *e, const struct assay_event *event,
                            struct assay_diag *diag)
{
    if (event->kind == EXAMPLE_end || event->kind >= EXAMPLE_PACKET_KINDS_END) {
        return ASSAY_OK; /* what is no packet is made of packets */
    }
    const bool as_it_was = event->kind == EXAMPLE_malformed || event->bits > 0;
    const enum assay_error error =
        as_it_was ? put_packet(e, event->bytes, event->bits / 8) : put_packed(e, event, diag);
    return error == ASSAY_OK && event->kind == EXAMPLE_sync ? follow_sync(e, event, diag) : error;
}

static enum assay_error close_encoder(struct assay_encoder *e)
{
    free(e);
    return ASSAY_OK;
}

const struct assay_encoder_ops example_encoder_ops = {.open = open_encoder,
                                                      .put = put,
                                                      .put_raw = put_raw,
                                                      .close = close_encoder,
                                                      .configure = configure};
