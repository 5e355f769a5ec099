#include "generators/etrace/encoding.h"

/* The control registers go before the option. */
static bool resyncs_by_registers(const struct assay_parameter_values *values)
{
    return values->known[ETRACE_RESYNC_MODE] &&
           (values->value[ETRACE_RESYNC_MODE] == ETRACE_RESYNC_OFF ||
            values->known[ETRACE_RESYNC_MAX]);
}

static enum etrace_resync resync_of(const struct etrace_generate_options *options)
{
    if (resyncs_by_registers(options->values)) {
        return (enum etrace_resync)options->values->value[ETRACE_RESYNC_MODE];
    }
    return options->max_resync > 0 ? ETRACE_RESYNC_PACKETS : ETRACE_RESYNC_OFF;
}

static uint64_t max_resync_of(const struct etrace_generate_options *options)
{
    enum { LEAST_LOG = 4 };
    return resyncs_by_registers(options->values)
               ? UINT64_C(1) << (options->values->value[ETRACE_RESYNC_MAX] + LEAST_LOG)
               : options->max_resync;
}

uint64_t etrace_encoding_undo(unsigned operation, uint64_t stored, uint64_t other)
{
    enum { ADD = 1, XOR = 4 };
    switch (operation) {
    case ADD:
        return stored - other;
    case XOR:
        return stored ^ other;
    default:
        return stored;
    }
}

static void take_packet(void *context, enum etrace_kind kind, const uint64_t *cells)
{
    struct etrace_encoding *encoding = context;
    const struct assay_event event = {.kind = (uint16_t)kind, .cells = cells};
    encoding->packets++;
    if (encoding->error == ASSAY_OK) {
        encoding->error = etrace_encoder_ops.put(encoding->encoder, &event, encoding->diag);
    }
    if (encoding->traces_data && !etrace_is_data(kind)) {
        etrace_data_unit_follow(&encoding->data, kind, cells);
    }
}

enum assay_error etrace_encoding_open(struct etrace_encoding *encoding,
                                      const struct etrace_generate_options *options,
                                      struct assay_sink *sink, struct assay_diag *diag)
{
    const struct etrace_unit_setup setup = {.values = options->values,
                                            .resync = resync_of(options),
                                            .max_resync = max_resync_of(options),
                                            .filters = options->filters,
                                            .packet = take_packet,
                                            .context = encoding};
    *encoding =
        (struct etrace_encoding){.traces_data = options->values->value[ETRACE_DATA_WIDTH] > 0 ||
                                                options->values->value[ETRACE_DADDRESS_WIDTH] > 0,
                                 .data = {.packet = take_packet, .context = encoding},
                                 .diag = diag};
    etrace_data_unit_open(&encoding->data, options->values);
    enum assay_error error = etrace_encoder_ops.open(sink, NULL, &encoding->encoder, diag);
    if (error == ASSAY_OK) {
        error = etrace_encoder_ops.configure(encoding->encoder, options->values, options->framing,
                                             diag);
    }
    if (error == ASSAY_OK) {
        encoding->unit = etrace_unit_open(&setup);
        error = encoding->unit != NULL
                    ? ASSAY_OK
                    : assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    return error;
}

enum assay_error etrace_encoding_close(struct etrace_encoding *encoding, enum assay_error error,
                                       struct assay_sink *sink, struct assay_diag *diag)
{
    if (encoding->unit != NULL) {
        etrace_unit_close(encoding->unit);
    }
    if (encoding->encoder != NULL) {
        const enum assay_error closed = etrace_encoder_ops.close(encoding->encoder);
        error = error != ASSAY_OK ? error : closed;
    }
    return sink->error != ASSAY_OK ? assay_sink_explain(sink, sink->error, diag) : error;
}
