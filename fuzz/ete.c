/* An ETE stream with its registers and a program, as a manifest gives them (described.h). Packets
 * lie one after the other, events of higher layers come from events below them, and both back ends
 * of the rules judge alike. */
#include "ete/ete.h"
#include "fuzz/bounded.h"
#include "fuzz/judge.h"

/* Events of the instruction layer that one byte can result in: 24 atoms in a packet of one byte,
 * and runs of the program's pages up to the first branch. */
enum { EVENTS_OF_A_BYTE = 200 };

struct due {
    uint64_t offset;       /* of the next packet */
    uint64_t instructions; /* events of that layer */
};

static void look(void *context, const struct assay_decoder *decoder,
                 const struct assay_block *block)
{
    struct due *const due = context;
    (void)decoder;
    for (size_t i = 0; i < block->count; i++) {
        const struct assay_event *const event = &block->events[i];
        if (block->layer == ETE_PACKET) {
            require(event->offset == due->offset);
            due->offset += event->bits / 8;
        } else if (event->from != NULL) {
            require(assay_format_ete.kinds[event->from->kind].layer == block->layer - 1);
        }
    }
    due->instructions += block->layer == ETE_INSTRUCTION ? block->count : 0;
}

static void decode_and_judge(const struct described *input)
{
    struct due due = {0};
    const enum bounded result =
        bounded_bytes(&input->bundle.input.setup, input->trace, input->size, look, &due);
    require(due.instructions <= (input->size + 1) * EVENTS_OF_A_BYTE);
    require(result != BOUNDED_ENDED || due.offset == input->size);
    if (result != BOUNDED_LONG) {
        judge_with_both(input, 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct described input;
    if (described_open(&input, &assay_format_ete, data, size)) {
        decode_and_judge(&input);
    }
    described_close(&input);
    return 0;
}
