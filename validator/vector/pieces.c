#include "validator/vector/pieces.h"

#include <stdlib.h>

static struct assay_pieces *find_stream(const struct assay_vector *capture,
                                        struct assay_pieces *list, const struct assay_yaml *id)
{
    uint64_t number = 0;
    size_t at = 0;
    if (!assay_yaml_u64(id, &number)) {
        return NULL;
    }
    while (at < capture->stream_count && capture->streams[at].id != number) {
        at++;
    }
    return at < capture->stream_count ? &list[at] : NULL;
}

/* Where the bytes of the event end that the next byte is of. */
static size_t event_end(struct assay_pieces *p)
{
    while (p->event < p->event_count && p->ends[p->event] <= p->at) {
        p->event++;
    }
    return p->event < p->event_count && p->ends[p->event] < p->bytes.size ? p->ends[p->event]
                                                                          : p->bytes.size;
}

/* What an item says is to be put. */
struct portion {
    bool whole;      /* so many bytes, at once; otherwise events, each by itself */
    uint64_t amount; /* of bytes or events; UINT64_MAX: all that are left */
};

static enum assay_error read_portion(const struct assay_pieces *p, const struct assay_yaml *item,
                                     struct portion *portion, struct assay_diag *diag)
{
    const struct assay_yaml *bytes = assay_yaml_get(item, "bytes");
    const struct assay_yaml *events = assay_yaml_get(item, "events");
    const struct assay_yaml *amount = bytes != NULL ? bytes : events;
    *portion = (struct portion){.whole = bytes != NULL, .amount = UINT64_MAX};
    if (bytes != NULL && events != NULL) {
        return assay_yaml_fail(events, diag, ASSAY_DUPLICATE,
                               "a piece has so many \"bytes\", or so many \"events\"");
    }
    if (amount != NULL && !assay_yaml_u64(amount, &portion->amount)) {
        return assay_yaml_fail(amount, diag, ASSAY_WRONG_TYPE, "a number is expected here");
    }
    if (bytes != NULL && portion->amount > p->bytes.size - p->at) {
        return assay_yaml_fail(bytes, diag, ASSAY_OUT_OF_RANGE,
                               "only %zu bytes of the stream are left", p->bytes.size - p->at);
    }
    if (bytes == NULL && p->at == p->bytes.size) {
        return assay_yaml_fail(item, diag, ASSAY_OUT_OF_RANGE, "nothing of the stream is left");
    }
    return ASSAY_OK;
}

/* Puts the bytes up to `end`. */
static enum assay_error put_to(const struct assay_vector *capture, struct assay_pieces *p,
                               size_t end, struct assay_encoder *encoder, struct assay_diag *diag)
{
    const uint8_t *data = p->bytes.size > 0 ? p->bytes.data + p->at : NULL;
    const enum assay_error error =
        capture->format->encoder->put_stream(encoder, p->stream->id, data, end - p->at, diag);
    p->at = end;
    return error;
}

enum assay_error assay_pieces_put(const struct assay_vector *capture, struct assay_pieces *list,
                                  const struct assay_yaml *item, struct assay_encoder *encoder,
                                  enum assay_error *written, struct assay_diag *diag)
{
    static const char *const keys[] = {"id", "events", "bytes", NULL};
    struct assay_diag refusal = {.offset = ASSAY_NO_OFFSET};
    struct portion portion;
    enum assay_error error = assay_yaml_only(item, keys, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    struct assay_pieces *p = find_stream(capture, list, assay_yaml_get(item, "id"));
    if (p == NULL || p->stream->vector.trace == NULL) {
        return assay_yaml_fail(item, diag, ASSAY_UNKNOWN_NAME,
                               "\"streams\" gives no trace of a stream with this id");
    }
    if (encoder == NULL || capture->format->encoder->put_stream == NULL) {
        return assay_yaml_fail(item, diag, ASSAY_UNSUPPORTED,
                               "%s puts no streams into frames: write these as events",
                               capture->format->name);
    }
    error = read_portion(p, item, &portion, diag);
    if (error == ASSAY_OK && portion.whole) {
        *written = put_to(capture, p, p->at + (size_t)portion.amount, encoder, &refusal);
    }
    while (error == ASSAY_OK && !portion.whole && portion.amount > 0 && *written == ASSAY_OK) {
        if (p->at == p->bytes.size) {
            return portion.amount > UINT32_MAX
                       ? ASSAY_OK
                       : assay_yaml_fail(item, diag, ASSAY_OUT_OF_RANGE,
                                         "the stream lacks %u of these events",
                                         (unsigned)portion.amount);
        }
        *written = put_to(capture, p, event_end(p), encoder, &refusal);
        portion.amount--;
    }
    return refusal.message[0] != '\0' ? assay_yaml_fail(item, diag, *written, "%s", refusal.message)
                                      : error;
}

enum assay_error assay_pieces_finish(const struct assay_vector *capture,
                                     const struct assay_pieces *list, struct assay_diag *diag)
{
    for (size_t i = 0; i < capture->stream_count; i++) {
        const struct assay_pieces *p = &list[i];
        if (p->at < p->bytes.size) {
            return assay_yaml_fail(p->stream->vector.file.root, diag, ASSAY_SYNTAX,
                                   "the trace lacks %zu bytes of this stream",
                                   p->bytes.size - p->at);
        }
    }
    return ASSAY_OK;
}

void assay_pieces_free(const struct assay_vector *capture, struct assay_pieces *list)
{
    for (size_t i = 0; list != NULL && i < capture->stream_count; i++) {
        assay_sink_close(&list[i].bytes, NULL);
        free(list[i].ends);
    }
    free(list);
}
