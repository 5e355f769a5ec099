/* An STF trace with what a manifest gives (described.h): its events lie one after the other and
 * show its bytes, and are judged alike by both back ends of the rules. */
#include "stf/stf.h"
#include "fuzz/bounded.h"
#include "fuzz/judge.h"
#include "io/filter.h"

struct records {
    const struct described *input;
    bool uncompressed;
    uint64_t due; /* offset of the next record */
    unsigned last;
};

/* Looks at an event; returns where the next one has to be. */
static uint64_t look_at(const struct records *r, const struct assay_event *event)
{
    const uint64_t bytes = event->bits / 8;
    require(event->offset == r->due || event->kind < ASSAY_KIND_FIRST);
    if (event->kind >= ASSAY_KIND_FIRST && r->uncompressed) {
        const uint8_t *const at = r->input->trace + event->offset;
        require(event->offset + bytes <= r->input->size);
        require(at[0] == stf_descriptor_of(event->kind));
        require(memcmp(at + 1, event->bytes, (size_t)bytes - 1) == 0);
    }
    return event->offset + bytes;
}

static void look(void *context, const struct assay_decoder *decoder,
                 const struct assay_block *block)
{
    struct records *const r = context;
    (void)decoder;
    for (size_t i = 0; i < block->count; i++) {
        const struct assay_event *const event = &block->events[i];
        const uint64_t next = look_at(r, event);
        /* Of a longer record only the beginning is shown. */
        r->due = event->bits / 8 == 1 + STF_SHOWN ? r->due : next;
        r->last = event->kind;
    }
}

static bool is_compressed(const struct described *input)
{
    struct assay_source *source = NULL;
    require(assay_source_memory(input->trace, input->size, &source) == ASSAY_OK);
    const enum assay_container container = assay_container_probe(source);
    assay_source_close(source);
    const bool stored = input->size >= 4 && memcmp(input->trace, "ZSTF", 4) == 0;
    return stored || (container != ASSAY_CONTAINER_UNKNOWN && container != ASSAY_CONTAINER_LZMA &&
                      container != ASSAY_CONTAINER_ZLIB);
}

static void decode_and_judge(const struct described *input)
{
    struct records records = {
        .input = input, .uncompressed = !is_compressed(input), .last = ASSAY_KIND_MALFORMED};
    const enum bounded result =
        bounded_bytes(&input->bundle.input.setup, input->trace, input->size, look, &records);
    require(result != BOUNDED_ENDED || records.last == ASSAY_KIND_END);
    if (result != BOUNDED_LONG) {
        judge_with_both(input, 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct described input;
    if (described_open(&input, &assay_format_stf, data, size)) {
        decode_and_judge(&input);
    }
    described_close(&input);
    return 0;
}
