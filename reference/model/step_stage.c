#include "model/step_stage.h"

#include <stdlib.h>

/* For a block events are added up to ASSAY_STEP_BLOCK, and those of the last step. */
static enum assay_error open_history(struct assay_step_stage *s, uint32_t slots)
{
    const struct assay_history_setup history = {.below = s->setup.below,
                                                .slots = slots,
                                                .cells = s->setup.cells,
                                                .block = ASSAY_STEP_BLOCK + s->setup.most,
                                                .lead = s->setup.lead};
    return assay_history_open(&s->history, &history);
}

void *assay_step_open(size_t size, const struct assay_step_setup *setup)
{
    const uint64_t least = (uint64_t)ASSAY_STEP_BLOCK + setup->most;
    const uint64_t slots = setup->slots > least ? setup->slots : least;
    struct assay_step_stage *s = calloc(1, size);
    if (s == NULL) {
        return NULL;
    }
    s->base.ops = setup->ops;
    s->setup = *setup;
    if (least > ASSAY_HISTORY_SLOTS_MOST ||
        open_history(s, slots < ASSAY_HISTORY_SLOTS_MOST ? (uint32_t)slots
                                                         : ASSAY_HISTORY_SLOTS_MOST) != ASSAY_OK) {
        assay_step_close(&s->base);
        return NULL;
    }
    return s;
}

/* What an event came from may have been overwritten while it was held, unless it is of the block
 * that was taken last. */
void assay_step_release(struct assay_step_stage *s)
{
    for (uint64_t n = s->held; n != 0 && n <= s->history.next; n++) {
        const uint64_t slot = (n - 1) & (s->history.slots - 1);
        struct assay_event *event = &s->history.events[slot];
        if (event->from != NULL &&
            (s->below.count == 0 || s->history.origins[slot] < s->below.events[0].index)) {
            event->from = assay_history_find(s->setup.below, s->history.origins[slot]);
        }
    }
    s->held = 0;
}

enum assay_error assay_step_take(struct assay_stage *stage, const struct assay_block *below,
                                 struct assay_diag *diag)
{
    struct assay_step_stage *s = (struct assay_step_stage *)stage;
    (void)diag;
    s->below = *below;
    s->at = 0;
    s->finishing = below->count == 0 && s->setup.finish != NULL;
    return ASSAY_OK;
}

bool assay_step_finish(struct assay_step_stage *s)
{
    const uint64_t end = s->given + ASSAY_STEP_BLOCK;
    bool fine = true;
    while (fine && s->finishing && s->history.next < end) {
        const uint64_t before = s->history.next;
        s->finishing = !s->setup.finish(s);
        fine = assay_step_is_within_limits(s, !s->finishing, before);
    }
    return fine;
}

/* A block is one piece of the ring: where the ring wraps it ends, and the events after that are
 * pending. It is empty only when nothing is pending and all that was taken is used up. */
enum assay_error assay_step_give(struct assay_step_stage *s, bool fine, struct assay_block *block,
                                 struct assay_diag *diag)
{
    *block = (struct assay_block){.layer = s->setup.layer};
    if (!fine) {
        return assay_fail(diag, ASSAY_INTERNAL, ASSAY_NO_OFFSET,
                          "a step of layer %u added more than %u events, or none and is not done",
                          s->setup.layer, s->setup.most);
    }
    const uint64_t made = (s->held != 0 ? s->held - 1 : s->history.next) - s->given;
    const uint64_t piece = s->history.slots - (s->given & (s->history.slots - 1));
    block->events = &s->history.events[s->given & (s->history.slots - 1)];
    block->count = (size_t)(made < piece ? made : piece);
    s->given += block->count;
    return ASSAY_OK;
}

enum assay_error assay_step_next(struct assay_stage *stage, struct assay_block *block,
                                 struct assay_diag *diag)
{
    return assay_step_next_by(stage, block, diag, ((struct assay_step_stage *)stage)->setup.step);
}

bool assay_step_complete(const struct assay_stage *stage, const char **why)
{
    (void)stage;
    *why = NULL;
    return true;
}

void assay_step_close(struct assay_stage *stage)
{
    struct assay_step_stage *s = (struct assay_step_stage *)stage;
    assay_history_close(&s->history);
    free(s);
}
