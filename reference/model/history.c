#include "model/history.h"

#include <stdlib.h>
#include <string.h>

static uint32_t power_of_2(uint32_t least)
{
    uint32_t power = 1;
    while (power < least) {
        power *= 2;
    }
    return power;
}

/* Nothing is cleared: a slot is written when its event is added, and not read before. So a short
 * input uses the first slots only, and memory that an earlier one has given back. */
static bool open_ring(const struct assay_history *h, struct assay_table *ring, size_t element)
{
    return element == 0 ||
           (h->slots <= SIZE_MAX / element && assay_table_open(ring, h->slots * element, false));
}

enum assay_error assay_history_open(struct assay_history *h,
                                    const struct assay_history_setup *setup)
{
    const struct assay_history *below = setup->below;
    *h = (struct assay_history){.below = setup->below,
                                .lead = setup->lead,
                                .block = setup->block,
                                .byte_room = (setup->bytes + 7) / 8 * 8,
                                .cell_room = assay_history_cell_room(setup->cells)};
    if (setup->slots > ASSAY_HISTORY_SLOTS_MOST || setup->bytes > ASSAY_HISTORY_ROOM_MOST ||
        setup->cells > ASSAY_HISTORY_ROOM_MOST || setup->block > ASSAY_HISTORY_SLOTS_MOST ||
        (h->lead != NULL && !assay_lead_take(h->lead, h))) {
        return ASSAY_LIMIT;
    }
    h->window = power_of_2(setup->slots);
    h->slots = h->lead != NULL ? power_of_2(h->window + h->block + ASSAY_LEAD_EVENTS) : h->window;
    if (!open_ring(h, &h->rings[0], sizeof *h->events) ||
        !open_ring(h, &h->rings[1], below != NULL ? sizeof *h->origins : 0) ||
        !open_ring(h, &h->rings[2], h->byte_room) ||
        !open_ring(h, &h->rings[3], h->cell_room * sizeof *h->cells)) {
        return ASSAY_NO_MEMORY;
    }
    h->events = h->rings[0].at;
    h->origins = h->rings[1].at;
    h->bytes = h->rings[2].at;
    h->cells = h->rings[3].at;
    return ASSAY_OK;
}

static struct assay_event *held(const struct assay_history *h, uint64_t index)
{
    return index < h->next && h->next - index <= h->window ? &h->events[index & (h->slots - 1)]
                                                           : NULL;
}

const struct assay_event *assay_history_find(struct assay_history *h, uint64_t index)
{
    struct assay_event *const found = held(h, index);
    for (struct assay_event *event = found;
         event != NULL && event->from != NULL && h->below != NULL; h = h->below) {
        struct assay_event *origin = held(h->below, h->origins[event->index & (h->slots - 1)]);
        if (origin == NULL) {
            if (h->lead != NULL) {
                h->lead->settle(h->lead); /* a block with this event may be judged right now */
            }
            event->from = NULL;
        }
        event = origin;
    }
    return found;
}

void assay_history_close(struct assay_history *h)
{
    for (size_t ring = 0; ring < ASSAY_HISTORY_RINGS; ring++) {
        assay_table_close(&h->rings[ring]);
    }
    *h = (struct assay_history){0};
}
