/* The encoder: packets to bytes, by the forms that the decoder reads them by. */
#include <stdlib.h>
#include <string.h>

#include "ete/ete.h"
#include "io/sink.h"

enum { ASYNC_END = 0x80, ROOM = ETE_PACKET_MOST + 8 };

struct assay_encoder {
    struct assay_sink *sink;
    unsigned vmid_bits;
    bool commit_mode;
};

static enum assay_error open_encoder(struct assay_sink *sink, const char *storage,
                                     struct assay_encoder **encoder, struct assay_diag *diag)
{
    if (storage != NULL && strcmp(storage, "raw") != 0) {
        return assay_fail(diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET,
                          "streams of ETE are stored raw only");
    }
    *encoder = calloc(1, sizeof **encoder);
    if (*encoder == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    (*encoder)->sink = sink;
    return ASSAY_OK;
}

static enum assay_error configure(struct assay_encoder *e,
                                  const struct assay_parameter_values *values, unsigned framing,
                                  struct assay_diag *diag)
{
    (void)framing;
    (void)diag;
    e->vmid_bits = ete_vmid_bits(values);
    e->commit_mode = values != NULL && (values->value[ETE_TRCIDR0] >> ETE_COMMOPT_BIT & 1) != 0;
    return ASSAY_OK;
}

static enum assay_error put_raw(struct assay_encoder *e, const void *data, size_t size)
{
    assay_sink_write(e->sink, data, size);
    return e->sink->error;
}

static enum assay_error put_async(struct assay_encoder *e, const struct assay_event *event)
{
    const uint64_t given = event->cells[ETE_CELL_async_zeros];
    const size_t zeros = (size_t)(given != 0 ? given : ETE_ASYNC_ZEROS);
    uint8_t bytes[2 + 64] = {0};
    bytes[1 + zeros] = ASYNC_END;
    return put_raw(e, bytes, 2 + zeros);
}

/* The form of a packet whose constant bytes are given. */
static const struct ete_form *form_of(const struct assay_encoder *e,
                                      const struct assay_event *event)
{
    return event->kind == ETE_cycle_count_1 ? ete_cycle_count_form(event->bytes[0], e->commit_mode)
                                            : ete_form_of(event->bytes[0]);
}

static enum assay_error put_packed(struct assay_encoder *e, const struct assay_event *event,
                                   struct assay_diag *diag)
{
    uint8_t bytes[ROOM] = {0};
    size_t size = 0;
    const size_t constant = ete_constant_bytes((enum ete_kind)event->kind);
    const char *name = assay_format_ete.kinds[event->kind].name;
    memcpy(bytes, event->bytes, constant);
    const bool extension = event->kind == ETE_discard || event->kind == ETE_overflow;
    if (extension) {
        return put_raw(e, bytes, constant);
    }
    const struct ete_form *form = form_of(e, event);
    const struct ete_form *address =
        event->kind == ETE_exception ? ete_address_form_of(bytes[2]) : NULL;
    if (form->kind != event->kind || (address != NULL && address->kind == ETE_malformed)) {
        return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                          "%s has no form with the header 0x%02x", name,
                          form->kind != event->kind ? bytes[0] : bytes[2]);
    }
    const enum assay_error error =
        ete_pack(form, address, e->vmid_bits, event->cells, bytes, &size, diag);
    return error != ASSAY_OK ? error : put_raw(e, bytes, size);
}

static enum assay_error put(struct assay_encoder *e, const struct assay_event *event,
                            struct assay_diag *diag)
{
    if (event->kind == ETE_end || event->kind >= ETE_PACKET_KINDS_END) {
        return ASSAY_OK; /* what is no packet is made of packets */
    }
    if (event->kind == ETE_malformed || event->bits > 0) {
        return put_raw(e, event->bytes, event->bits / 8);
    }
    return event->kind == ETE_async ? put_async(e, event) : put_packed(e, event, diag);
}

static enum assay_error close_encoder(struct assay_encoder *e)
{
    free(e);
    return ASSAY_OK;
}

const struct assay_encoder_ops ete_encoder_ops = {.open = open_encoder,
                                                  .put = put,
                                                  .put_raw = put_raw,
                                                  .close = close_encoder,
                                                  .configure = configure};
