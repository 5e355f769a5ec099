#include "model/packet_stage.h"

#include <stdlib.h>
#include <string.h>

void *assay_packet_open(size_t size, const struct assay_packet_setup *setup,
                        struct assay_source *source)
{
    struct assay_packet_stage *stage = calloc(1, size);
    if (stage == NULL) {
        assay_source_close(source);
        return NULL;
    }
    stage->base.ops = setup->ops;
    stage->setup = *setup;
    stage->source = source;
    const struct assay_history_setup history = {.slots = setup->slots,
                                                .bytes = setup->bytes,
                                                .cells = setup->cells,
                                                .block = setup->block,
                                                .lead = setup->lead};
    if (assay_history_open(&stage->history, &history) != ASSAY_OK) {
        assay_packet_close(&stage->base);
        return NULL;
    }
    return stage;
}

struct assay_event *assay_packet_add(struct assay_packet_stage *stage, unsigned kind,
                                     const uint8_t *data, size_t size)
{
    struct assay_event *event = assay_history_add(&stage->history, NULL);
    if (size > 0) {
        memcpy(assay_history_bytes(&stage->history, event), data, size);
    }
    event->kind = (uint16_t)kind;
    event->offset = assay_source_offset(stage->source);
    event->bits = 8 * (uint32_t)size;
    assay_source_consume(stage->source, size);
    return event;
}

struct assay_event *assay_packet_end(struct assay_packet_stage *stage)
{
    stage->ended = true;
    return assay_packet_add(stage, ASSAY_KIND_END, NULL, 0);
}

enum assay_error assay_packet_next(struct assay_stage *base, struct assay_block *block,
                                   struct assay_diag *diag)
{
    struct assay_packet_stage *stage = (struct assay_packet_stage *)base;
    const uint64_t first = stage->history.next;
    enum assay_error error = ASSAY_OK;
    const uint32_t room = assay_history_room(&stage->history, first);
    stage->end = first + (room < stage->setup.block ? room : stage->setup.block);
    stage->paused = false;
    while (error == ASSAY_OK && !stage->ended && !stage->paused &&
           stage->history.next < stage->end) {
        stage->empty = stage->history.next == first;
        error = stage->setup.read(stage, diag);
    }
    *block = assay_history_block(&stage->history, first, stage->setup.layer);
    return error;
}

bool assay_packet_complete(const struct assay_stage *stage, const char **why)
{
    *why = NULL;
    return !((const struct assay_packet_stage *)stage)->faulty;
}

void assay_packet_close(struct assay_stage *base)
{
    struct assay_packet_stage *stage = (struct assay_packet_stage *)base;
    assay_source_close(stage->source);
    assay_history_close(&stage->history);
    free(stage);
}
