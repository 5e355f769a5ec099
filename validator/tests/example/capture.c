/* A format that carries streams of other formats: its own decoder and encoder, and what leads to
 * the bytes of one stream and back (struct assay_carrier_ops). */
#include <stdlib.h>
#include <string.h>

#include "example/capture.def"
#include "example/example.h"
#include "execution/execution.h"
#include "io/sink.h"
#include "io/source.h"
#include "model/framing.h"
#include "model/layout.h"

enum { CAPTURE_malformed, CAPTURE_end, CAPTURE_magic, CAPTURE_frame };
enum {
    CAPTURE_FAULT_NONE,
#define X(id, name, text) CAPTURE_FAULT_##id,
    CAPTURE_FAULTS(X)
#undef X
};

enum { MAGIC = 4, HEAD = 2, FRAME_MOST = HEAD + 255, BLOCK = 64, IDS = 256 };

/* --- the layer of frames --- */

struct assay_decoder {
    struct assay_source *source;
    struct assay_history history;
    uint64_t bytes[IDS]; /* of each stream */
    struct assay_carried list[IDS];
    size_t count;
    bool begun, faulty, ended;
};

static enum assay_error open_decoder(const struct assay_decode_input *input,
                                     struct assay_decoder **decoder, struct assay_diag *diag)
{
    struct assay_decoder *d = calloc(1, sizeof *d);
    *decoder = d;
    assay_execution_close(input->execution);
    if (d == NULL) {
        assay_source_close(input->source);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    d->source = input->source;
    return assay_history_open(&d->history, &(struct assay_history_setup){
                                               .slots = BLOCK, .bytes = FRAME_MOST, .cells = 1});
}

static void add(struct assay_decoder *d, unsigned kind, unsigned fault, const uint8_t *data,
                size_t size)
{
    struct assay_event *event = assay_history_add(&d->history, NULL);
    if (size > 0) {
        memcpy(assay_history_bytes(&d->history, event), data, size);
    }
    event->kind = (uint16_t)kind;
    event->fault = (uint16_t)fault;
    event->offset = assay_source_offset(d->source);
    event->bits = 8 * (uint32_t)size;
    assay_history_cells(&d->history, event)[0] = kind == CAPTURE_end         ? event->offset
                                                 : kind == CAPTURE_malformed ? data[0]
                                                                             : 0;
    assay_source_consume(d->source, size);
    d->faulty = d->faulty || fault != 0;
}

/* Streams are listed when the capture has ended. */
static void add_end(struct assay_decoder *d, const uint8_t *data)
{
    add(d, CAPTURE_end, 0, data, 0);
    d->ended = true;
    for (uint32_t id = 0; id < IDS; id++) {
        if (d->bytes[id] > 0) {
            d->list[d->count++] = (struct assay_carried){.id = id, .bytes = d->bytes[id]};
        }
    }
}

/* The frame at the source's place; what cannot be read ends the capture. */
static void read_frame(struct assay_decoder *d)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    (void)assay_source_peek(d->source, FRAME_MOST, &data, &have);
    if (have == 0 || d->faulty) {
        add_end(d, data);
    } else if (!d->begun) {
        const bool good = have >= MAGIC && memcmp(data, "XCAP", MAGIC) == 0;
        add(d, good ? CAPTURE_magic : CAPTURE_malformed, good ? 0 : CAPTURE_FAULT_BAD_MAGIC, data,
            good ? MAGIC : 1);
        d->begun = true;
    } else if (have < HEAD || have < HEAD + (size_t)data[1]) {
        add(d, CAPTURE_malformed, CAPTURE_FAULT_TRUNCATED_FRAME, data, have);
    } else {
        d->bytes[data[0]] += data[1];
        add(d, CAPTURE_frame, 0, data, HEAD + (size_t)data[1]);
    }
}

static enum assay_error next_frames(struct assay_decoder *d, struct assay_block *block,
                                    struct assay_diag *diag)
{
    const uint64_t first = d->history.next;
    (void)diag;
    while (!d->ended && assay_history_room(&d->history, first) > 0) {
        read_frame(d);
    }
    *block = assay_history_block(&d->history, first, 0);
    return ASSAY_OK;
}

static bool complete(const struct assay_decoder *d, unsigned layer, const char **why)
{
    (void)layer;
    *why = NULL;
    return !d->faulty;
}

static void close_decoder(struct assay_decoder *d)
{
    assay_source_close(d->source);
    assay_history_close(&d->history);
    free(d);
}

static const struct assay_decoder_ops decoder_ops = {
    .open = open_decoder, .next = next_frames, .complete = complete, .close = close_decoder};

/* --- one stream of it --- */

/* What reads the bytes of one stream out of the capture (struct assay_source_reader). */
struct stream {
    uint32_t id;
    bool begun;
};

/* Steps over frames to the next one of the stream, which is not consumed; its length, or 0 at the
 * end of the capture. */
static size_t find_frame(struct assay_source *carrier, uint32_t id, const uint8_t **data)
{
    for (size_t have = 0;;) {
        (void)assay_source_peek(carrier, FRAME_MOST, data, &have);
        if (have < HEAD || have < HEAD + (size_t)(*data)[1]) {
            return 0;
        }
        if ((*data)[0] == id && (*data)[1] > 0) {
            return (*data)[1];
        }
        assay_source_consume(carrier, HEAD + (size_t)(*data)[1]);
    }
}

static void skip_magic(struct assay_source *carrier)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    (void)assay_source_peek(carrier, MAGIC, &data, &have);
    assay_source_consume(carrier, MAGIC);
}

/* The payload of the next frame; there is always room for one. */
static enum assay_error read_stream(void *context, struct assay_source *carrier, uint8_t *out,
                                    size_t room, size_t *size)
{
    struct stream *s = context;
    const uint8_t *data = NULL;
    _Static_assert(FRAME_MOST <= ASSAY_READ_ROOM, "a frame is read at once");
    (void)room;
    if (!s->begun) {
        skip_magic(carrier);
        s->begun = true;
    }
    *size = find_frame(carrier, s->id, &data);
    if (*size > 0) {
        memcpy(out, data + HEAD, *size);
        assay_source_consume(carrier, HEAD + *size);
    }
    return ASSAY_OK;
}

static enum assay_error open_stream(struct assay_source *carrier, unsigned framing, uint32_t id,
                                    struct assay_source **stream, struct assay_diag *diag)
{
    (void)framing; /* there is one */
    static const struct assay_source_reader reader = {.read = read_stream, .close = free};
    struct stream *s = calloc(1, sizeof *s);
    enum assay_error error = ASSAY_NO_MEMORY;
    if (s == NULL) {
        assay_source_close(carrier);
    } else {
        s->id = id;
        error = assay_source_over(carrier, &reader, s, stream);
    }
    return error == ASSAY_OK ? error : assay_fail(diag, error, ASSAY_NO_OFFSET, "out of memory");
}

static size_t list_streams(const struct assay_decoder *d, const struct assay_carried **list)
{
    *list = d->list;
    return d->count;
}

/* The capture ends before bytes that were read of it a moment ago. */
static enum assay_error explain_lost(const struct assay_source *carrier, struct assay_diag *diag)
{
    struct assay_source_status status;
    assay_source_status(carrier, &status);
    return status.fault != ASSAY_OK
               ? assay_fail(diag, status.fault, assay_source_offset(carrier), "%s", status.detail)
               : assay_fail(diag, ASSAY_TRUNCATED, assay_source_offset(carrier),
                            "the capture is shorter than it was");
}

/* The offsets are ascending, so one walk over the frames finds them all. */
static enum assay_error locate(struct assay_source *carrier, unsigned framing, uint32_t id,
                               uint64_t *offsets, size_t count, struct assay_diag *diag)
{
    (void)framing;
    const uint8_t *data = NULL;
    uint64_t passed = 0; /* bytes of the stream in the frames before */
    size_t n = 0;
    skip_magic(carrier);
    for (size_t size; n < count && (size = find_frame(carrier, id, &data)) > 0;) {
        const uint64_t at = assay_source_offset(carrier) + HEAD;
        while (n < count && offsets[n] < passed + size) {
            offsets[n] = at + (offsets[n] - passed);
            n++;
        }
        assay_source_consume(carrier, HEAD + size);
        passed += size;
    }
    while (n < count && offsets[n] == passed) {
        offsets[n++] = assay_source_offset(carrier); /* the end of the stream */
    }
    return n == count ? ASSAY_OK : explain_lost(carrier, diag);
}

static const struct assay_carrier_ops carrier_ops = {
    .list = list_streams, .open = open_stream, .locate = locate};

/* --- writing --- */

struct assay_encoder {
    struct assay_sink *sink;
};

static enum assay_error open_encoder(struct assay_sink *sink, const char *storage,
                                     struct assay_encoder **encoder, struct assay_diag *diag)
{
    (void)storage;
    *encoder = calloc(1, sizeof **encoder);
    if (*encoder == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    (*encoder)->sink = sink;
    return ASSAY_OK;
}

static enum assay_error put_raw(struct assay_encoder *e, const void *data, size_t size)
{
    assay_sink_write(e->sink, data, size);
    return e->sink->error;
}

static enum assay_error put(struct assay_encoder *e, const struct assay_event *event,
                            struct assay_diag *diag)
{
    (void)diag;
    return put_raw(e, event->bytes, event->bits / 8);
}

/* A frame for each part that fits one. */
static enum assay_error put_stream(struct assay_encoder *e, uint32_t id, const void *data,
                                   size_t size, struct assay_diag *diag)
{
    const uint8_t *bytes = data;
    if (id >= IDS) {
        return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                          "the id of a stream has 8 bits");
    }
    for (size_t at = 0, part; at < size; at += part) {
        part = size - at < FRAME_MOST - HEAD ? size - at : FRAME_MOST - HEAD;
        const uint8_t head[HEAD] = {(uint8_t)id, (uint8_t)part};
        assay_sink_write(e->sink, head, HEAD);
        assay_sink_write(e->sink, bytes + at, part);
    }
    return e->sink->error;
}

static enum assay_error close_encoder(struct assay_encoder *e)
{
    free(e);
    return ASSAY_OK;
}

static const struct assay_encoder_ops encoder_ops = {
    .open = open_encoder,
    .put = put,
    .put_raw = put_raw,
    .put_stream = put_stream,
    .close = close_encoder,
};

/* --- tables --- */

#define FIELDS(kind)                                                                               \
    static const struct assay_field kind##_fields[] = {                                            \
        CAPTURE_FIELDS_##kind(ASSAY_F, ASSAY_T, ASSAY_D)};
FIELDS(malformed)
FIELDS(end)
FIELDS(magic)
FIELDS(frame)

static const struct assay_kind kinds[] = {
    ASSAY_KIND(malformed, "Malformed", 0, "1", .layer = 0),
    ASSAY_KIND(end, "End of the capture", 0, "1", .layer = 0),
    ASSAY_KIND(magic, "Magic", 8 * MAGIC, "1", .layer = 0),
    ASSAY_KIND(frame, "Frame", 8 * HEAD, "1", .layer = 0, .tail_count = 2, .tail_item = 1),
};

static bool probe(const uint8_t *data, size_t size)
{
    return size >= MAGIC && memcmp(data, "XCAP", MAGIC) == 0;
}

static const struct assay_fault_code faults[] = {CAPTURE_FAULTS(ASSAY_FAULT)};
static const char *const layers[] = {"frame"};
static const struct assay_profile profiles[] = {{"capture-1", "Capture 1"}};

const struct assay_format assay_format_example_capture = {.name = "example_capture",
                                                          .title = "Two streams in one file",
                                                          .version = "1",
                                                          .profiles = profiles,
                                                          .profile_count = 1,
                                                          .layers = layers,
                                                          .layer_count = 1,
                                                          .kinds = kinds,
                                                          .kind_count = ASSAY_COUNT(kinds),
                                                          .faults = faults,
                                                          .fault_count = ASSAY_COUNT(faults),
                                                          .probe = probe,
                                                          .decoder = &decoder_ops,
                                                          .encoder = &encoder_ops,
                                                          .carrier = &carrier_ops,
                                                          .framings = ASSAY_FRAMING_BIT(CORESIGHT)};
