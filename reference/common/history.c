#include "common/history.h"

#include <stdlib.h>
#include <string.h>

static uint32_t round_up(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

enum assay_error assay_history_open(struct assay_history *h, uint32_t slots, uint32_t bytes,
                                    uint32_t words)
{
    *h = (struct assay_history){
        .slots = 1, .byte_room = round_up(bytes, 8), .word_room = round_up(words, 4)};
    while (h->slots < slots) {
        h->slots *= 2;
    }
    h->events = calloc(h->slots, sizeof *h->events);
    h->bytes = h->byte_room > 0 ? calloc(h->slots, h->byte_room) : NULL;
    h->words = h->word_room > 0 ? calloc(h->slots, h->word_room * sizeof *h->words) : NULL;
    return h->events == NULL || (h->bytes == NULL && h->byte_room > 0) ||
                   (h->words == NULL && h->word_room > 0)
               ? ASSAY_NO_MEMORY
               : ASSAY_OK;
}

struct assay_event *assay_history_add(struct assay_history *h)
{
    const size_t slot = (size_t)(h->next & (h->slots - 1));
    struct assay_event *event = &h->events[slot];
    *event = (struct assay_event){.index = h->next};
    if (h->byte_room > 0) {
        event->bytes = h->bytes + slot * h->byte_room;
    }
    if (h->word_room > 0) {
        uint64_t *words = h->words + slot * h->word_room;
        memset(words, 0, h->word_room * sizeof *words);
        event->words = words;
    }
    h->next++;
    return event;
}

void assay_history_close(struct assay_history *h)
{
    free(h->events);
    free(h->bytes);
    free(h->words);
    *h = (struct assay_history){0};
}
