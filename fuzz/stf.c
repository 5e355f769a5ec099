/* An STF trace. The first byte says by which profile it is read, the rest is the trace: its events
 * lie one after the other and show its bytes, can be described, and are judged alike by both back
 * ends of the rules. */
#include <string.h>

#include "common/filter.h"
#include "fuzz/bounded.h"
#include "fuzz/judge.h"
#include "stf/stf.h"

/* Looks at an event; returns where the next one has to be. */
static uint64_t look_at(const struct assay_event *event, uint64_t due, const uint8_t *data,
                        size_t size, bool uncompressed)
{
    char line[512];
    const uint64_t bytes = event->bits / 8;
    stf_describe(event, line, sizeof line);
    require(strlen(line) < sizeof line);
    require(event->offset == due || event->kind < ASSAY_KIND_FIRST);
    if (event->kind < ASSAY_KIND_FIRST || !uncompressed) {
        return event->offset + bytes;
    }
    require(event->offset + bytes <= size);
    require(data[event->offset] == stf_descriptor_of(event->kind));
    require(memcmp(data + event->offset + 1, event->bytes, (size_t)bytes - 1) == 0);
    return event->offset + bytes;
}

static void decode(const uint8_t *data, size_t size, unsigned profile)
{
    struct assay_decode_input input = {.profile = profile};
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    uint64_t due = 0, events = 0;
    require(assay_source_memory(data, size, &input.source) == ASSAY_OK);
    const enum assay_container container = assay_container_probe(input.source);
    const bool stored = size >= 4 && memcmp(data, "ZSTF", 4) == 0;
    const bool uncompressed =
        !stored && (container == ASSAY_CONTAINER_UNKNOWN || container == ASSAY_CONTAINER_LZMA ||
                    container == ASSAY_CONTAINER_ZLIB);
    if (stf_decoder_ops.open(&input, &decoder, NULL) == ASSAY_OK) {
        unsigned last = ASSAY_KIND_MALFORMED;
        do {
            require(stf_decoder_ops.next(decoder, &block, NULL) == ASSAY_OK);
            for (size_t i = 0; i < block.count; i++) {
                const struct assay_event *event = &block.events[i];
                const uint64_t next = look_at(event, due, data, size, uncompressed);
                /* Of a longer record only the beginning is shown. */
                due = event->bits / 8 == 1 + STF_SHOWN ? due : next;
                require(event->index == events++);
                last = event->kind;
            }
        } while (block.count > 0);
        require(last == ASSAY_KIND_END);
    }
    stf_decoder_ops.close(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > STF_SHOWN) {
        return 0;
    }
    const struct assay_catalogue *const rules = assay_catalogue_of(&assay_format_stf);
    const struct assay_check_options options = {
        .catalogues = &rules, .catalogue_count = 1, .max_findings = 3, .jobs = 1};
    const struct assay_input input = {
        .path = "input",
        .setup = {.format = &assay_format_stf, .profile = data[0] % (STF_PROFILE_COUNT + 1)}};
    if (!is_little(input.setup.format, input.setup.profile, data + 1, size - 1)) {
        return 0;
    }
    decode(data + 1, size - 1, input.setup.profile);
    judge_with_both(&options, &input, data + 1, size - 1);
    return 0;
}
