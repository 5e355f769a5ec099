/* A capture in frames of CoreSight with what a manifest gives of its streams (described.h): its
 * units are its bytes, but for those that a DSTREAM unit added, each stream that it carries is as
 * long as it is said to be, with its last byte in the capture, and both back ends of the rules
 * judge the capture and its streams alike. */
#include "coresight/coresight.h"
#include "fuzz/bounded.h"
#include "fuzz/judge.h"

static struct assay_source *source_of(const struct described *input)
{
    struct assay_source *source = NULL;
    require(assay_source_memory(input->trace, input->size, &source) == ASSAY_OK);
    return source;
}

/* Reads a stream to its end; returns its length. */
static uint64_t read_stream(const struct described *input, uint32_t id)
{
    struct assay_source *stream = NULL;
    const uint8_t *data = NULL;
    size_t have = 0;
    require(cs_carrier_ops.open(source_of(input), input->bundle.input.setup.framing, id, &stream,
                                NULL) == ASSAY_OK);
    do {
        require(assay_source_peek(stream, 1, &data, &have) == ASSAY_OK);
        assay_source_consume(stream, have);
    } while (have > 0);
    const uint64_t length = assay_source_offset(stream);
    assay_source_close(stream);
    return length;
}

static void read_streams(const struct assay_decoder *decoder, const struct described *input)
{
    const struct assay_carried *list = NULL;
    const size_t count = cs_carrier_ops.list(decoder, &list);
    for (size_t i = 0; i < count; i++) {
        struct assay_source *carrier = source_of(input);
        uint64_t last = list[i].bytes - 1;
        require(cs_carrier_ops.locate(carrier, input->bundle.input.setup.framing, list[i].id, &last,
                                      1, NULL) == ASSAY_OK);
        require(last < input->size);
        assay_source_close(carrier);
        require(read_stream(input, list[i].id) == list[i].bytes);
    }
}

struct capture {
    const struct described *input;
    bool blocked; /* by a DSTREAM unit, whose bytes no unit has */
    uint64_t due; /* offset of the next unit */
};

/* The next byte of the capture has to be this one. */
static void take(struct capture *c, uint8_t byte)
{
    require(c->due < c->input->size && c->input->trace[c->due] == byte);
    c->due++;
    if (c->blocked && c->due % CS_BLOCK == CS_BLOCK_DATA) {
        c->due += CS_BLOCK - CS_BLOCK_DATA;
    }
}

static void look(void *context, const struct assay_decoder *decoder,
                 const struct assay_block *block)
{
    struct capture *const c = context;
    for (size_t i = 0; i < block->count && block->layer == CS_FRAMES; i++) {
        const struct assay_event *const event = &block->events[i];
        require(event->offset == c->due);
        for (size_t n = 0; n < event->bits / 8; n++) {
            take(c, event->bytes[n]);
        }
    }
    if (block->count == 0) {
        require(c->due == c->input->size);
        read_streams(decoder, c->input);
    }
}

/* Whether none of the streams that are judged is long. */
static bool streams_are_short(const struct described *input)
{
    const struct assay_input *const opened = &input->bundle.input;
    bool all = true;
    for (size_t i = 0; i < opened->stream_count && all; i++) {
        const struct assay_stream_setup *const setup = &opened->streams[i];
        struct assay_source *stream = NULL;
        if (setup->format != NULL && setup->format->carrier == NULL) {
            require(cs_carrier_ops.open(source_of(input), opened->setup.framing, setup->id, &stream,
                                        NULL) == ASSAY_OK);
            all = bounded_decode(setup, stream, NULL, NULL) != BOUNDED_LONG;
        }
    }
    return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct described input;
    if (described_open(&input, &assay_format_coresight, data, size)) {
        const bool blocked =
            cs_is_blocked(input.trace, input.size, input.size % CS_BLOCK == 0 ? 1 : CS_SHOWN_OFTEN);
        struct capture capture = {.input = &input, .blocked = blocked};
        const enum bounded result =
            bounded_bytes(&input.bundle.input.setup, input.trace, input.size, look, &capture);
        if (result != BOUNDED_LONG && streams_are_short(&input)) {
            judge_with_both(&input, 1);
        }
    }
    described_close(&input);
    return 0;
}
