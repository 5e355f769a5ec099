/* A capture in frames of CoreSight: its units lie one after the other and are its bytes, both back
 * ends of the rules judge them alike, and each stream that it carries is as long as it is said to
 * be, with its last byte in the capture. */
#include <string.h>

#include "coresight/coresight.h"
#include "fuzz/bounded.h"
#include "fuzz/judge.h"

static struct assay_source *source_of(const uint8_t *data, size_t size)
{
    struct assay_source *source = NULL;
    require(assay_source_memory(data, size, &source) == ASSAY_OK);
    return source;
}

/* Reads a stream to its end; returns its length. */
static uint64_t read_stream(struct assay_source *carrier, uint32_t id)
{
    struct assay_source *stream = NULL;
    const uint8_t *data = NULL;
    size_t have = 0;
    require(cs_carrier_ops.open(carrier, id, &stream, NULL) == ASSAY_OK);
    do {
        require(assay_source_peek(stream, 1, &data, &have) == ASSAY_OK);
        assay_source_consume(stream, have);
    } while (have > 0);
    const uint64_t length = assay_source_offset(stream);
    assay_source_close(stream);
    return length;
}

static void read_streams(const struct assay_decoder *decoder, const uint8_t *data, size_t size)
{
    const struct assay_carried *list = NULL;
    const size_t count = cs_carrier_ops.list(decoder, &list);
    for (size_t i = 0; i < count; i++) {
        struct assay_source *carrier = source_of(data, size);
        uint64_t last = list[i].bytes - 1;
        require(cs_carrier_ops.locate(carrier, list[i].id, &last, 1, NULL) == ASSAY_OK);
        require(last < size);
        assay_source_close(carrier);
        require(read_stream(source_of(data, size), list[i].id) == list[i].bytes);
    }
}

static void decode(const uint8_t *data, size_t size)
{
    const struct assay_decode_input input = {.source = source_of(data, size)};
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    uint64_t due = 0;
    char line[512];
    require(cs_decoder_ops.open(&input, &decoder, NULL) == ASSAY_OK);
    do {
        require(cs_decoder_ops.next(decoder, &block, NULL) == ASSAY_OK);
        for (size_t i = 0; i < block.count; i++) {
            const struct assay_event *event = &block.events[i];
            cs_describe(event, line, sizeof line);
            require(strlen(line) < sizeof line);
            if (block.layer == CS_FRAMES) {
                require(event->offset == due && due + event->bits / 8 <= size);
                require(memcmp(data + due, event->bytes, event->bits / 8) == 0);
                due += event->bits / 8;
            }
        }
    } while (block.count > 0);
    require(due == size);
    read_streams(decoder, data, size);
    cs_decoder_ops.close(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct assay_catalogue *const rules = assay_catalogue_of(&assay_format_coresight);
    const struct assay_check_options options = {
        .catalogues = &rules, .catalogue_count = 1, .max_findings = 3, .jobs = 1};
    const struct assay_input input = {.path = "input",
                                      .setup = {.format = &assay_format_coresight}};
    if (size > FUZZ_MOST_BYTES / 8) {
        return 0;
    }
    decode(data, size);
    judge_with_both(&options, &input, data, size);
    return 0;
}
