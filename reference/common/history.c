#include "common/history.h"

#include <stdlib.h>
#include <string.h>

enum assay_error assay_history_open(struct assay_history *h, struct assay_history *below,
                                    uint32_t slots, uint32_t bytes, uint32_t cells)
{
    *h = (struct assay_history){.below = below,
                                .slots = 1,
                                .byte_room = (bytes + 7) / 8 * 8,
                                .cell_room = assay_history_cell_room(cells)};
    if (slots > ASSAY_HISTORY_SLOTS_MOST || bytes > ASSAY_HISTORY_ROOM_MOST ||
        cells > ASSAY_HISTORY_ROOM_MOST) {
        return ASSAY_LIMIT;
    }
    while (h->slots < slots) {
        h->slots *= 2;
    }
    h->events = calloc(h->slots, sizeof *h->events);
    h->origins = below != NULL ? calloc(h->slots, sizeof *h->origins) : NULL;
    h->bytes = h->byte_room > 0 ? calloc(h->slots, h->byte_room) : NULL;
    h->cells = h->cell_room > 0 ? calloc(h->slots, h->cell_room * sizeof *h->cells) : NULL;
    return h->events == NULL || (h->origins == NULL && below != NULL) ||
                   (h->bytes == NULL && h->byte_room > 0) || (h->cells == NULL && h->cell_room > 0)
               ? ASSAY_NO_MEMORY
               : ASSAY_OK;
}

static struct assay_event *held(const struct assay_history *h, uint64_t index)
{
    return index < h->next && h->next - index <= h->slots ? &h->events[index & (h->slots - 1)]
                                                          : NULL;
}

const struct assay_event *assay_history_find(struct assay_history *h, uint64_t index)
{
    struct assay_event *const found = held(h, index);
    for (struct assay_event *event = found;
         event != NULL && event->from != NULL && h->below != NULL; h = h->below) {
        struct assay_event *origin = held(h->below, h->origins[event->index & (h->slots - 1)]);
        event->from = origin;
        event = origin;
    }
    return found;
}

void assay_history_close(struct assay_history *h)
{
    free(h->events);
    free(h->origins);
    free(h->bytes);
    free(h->cells);
    *h = (struct assay_history){0};
}
