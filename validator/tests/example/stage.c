/* What the stages above the packets have in common. */
#include <stdlib.h>

#include "example/example.h"

enum { BLOCK = 512 };

enum assay_error
example_stage_open(struct example_stage *s, const struct assay_stage_ops *ops, unsigned layer,
                   bool (*step)(struct example_stage *, const struct assay_event *))
{
    s->base.ops = ops;
    s->layer = layer;
    s->step = step;
    return assay_history_open(&s->history, EXAMPLE_SLOTS, 0, EXAMPLE_WORDS);
}

enum assay_error example_stage_take(struct assay_stage *stage, const struct assay_block *below,
                                    struct assay_diag *diag)
{
    struct example_stage *s = (struct example_stage *)stage;
    (void)diag;
    s->below = *below;
    s->at = 0;
    return ASSAY_OK;
}

/* A step adds one event at the most, so a block can end anywhere: at its size, or where the ring
 * begins anew. There is room for one event at least, so an empty block says that all is used up. */
enum assay_error example_stage_next(struct assay_stage *stage, struct assay_block *block,
                                    struct assay_diag *diag)
{
    struct example_stage *s = (struct example_stage *)stage;
    const uint64_t first = s->history.next;
    (void)diag;
    while (s->at < s->below.count && s->history.next - first < BLOCK &&
           assay_history_room(&s->history, first) > 0) {
        s->at += s->step(s, &s->below.events[s->at]);
    }
    *block = assay_history_block(&s->history, first, s->layer);
    return ASSAY_OK;
}

void example_stage_close(struct assay_stage *stage)
{
    struct example_stage *s = (struct example_stage *)stage;
    assay_history_close(&s->history);
    free(s);
}

uint64_t *example_stage_add(struct example_stage *s, enum example_kind kind,
                            const struct assay_event *from)
{
    struct assay_event *event = assay_history_add(&s->history);
    event->kind = (uint16_t)kind;
    event->from = from;
    event->offset = from != NULL ? from->offset : 0;
    return s->history.words + (event->index & (s->history.slots - 1)) * s->history.word_room;
}
