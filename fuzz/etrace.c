/* An E-Trace stream in any container, with its parameters and a program, as a manifest gives them
 * (described.h). Packets lie one after the other, and both back ends of the rules judge alike. */
#include "etrace/etrace.h"
#include "fuzz/bounded.h"
#include "fuzz/judge.h"

/* Where the next packet has to be. Of what is not understood only the beginning is shown. */
struct due {
    uint64_t offset;
    bool or_later;
};

static void look(void *context, const struct assay_decoder *decoder,
                 const struct assay_block *block)
{
    struct due *const due = context;
    (void)decoder;
    for (size_t i = 0; i < block->count; i++) {
        const struct assay_event *const event = &block->events[i];
        if (block->layer == ETRACE_PACKET) {
            require(event->offset == due->offset || (due->or_later && event->offset > due->offset));
            due->offset = event->offset + event->bits / 8;
            due->or_later =
                event->kind == ETRACE_malformed && event->bits / 8 == ETRACE_PACKET_MOST;
        }
    }
}

static void decode_and_judge(const struct described *input)
{
    struct due due = {0};
    const enum bounded result =
        bounded_bytes(&input->bundle.input.setup, input->trace, input->size, look, &due);
    require(result != BOUNDED_ENDED || due.offset == input->size); /* `end` is there */
    if (result != BOUNDED_LONG) {
        judge_with_both(input, 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct described input;
    if (described_open(&input, &assay_format_etrace, data, size)) {
        decode_and_judge(&input);
    }
    described_close(&input);
    return 0;
}
