/* How far a decoder may be ahead of whoever judges its events, when each has its own thread.
 *
 * Without a lead a block is judged before the next one is decoded. With one, blocks that are not
 * judged yet refer to the histories of the stages: to the events of the block itself and, by
 * `from`, to events of the layers below that were held when it was made. A history with a lead has
 * so many more slots that none of these is replaced; what it finds (assay_history_find) is the same
 * as without, so that the results are.
 *
 *     before each block:   assay_lead_mark(lead, &mark), and wait while it has no room
 *                          (assay_lead_has_room) for the mark of the oldest block not judged
 */
#ifndef ASSAY_COMMON_LEAD_H
#define ASSAY_COMMON_LEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct assay_history;

enum {
    ASSAY_LEAD_LAYERS = 8,
    ASSAY_LEAD_EVENTS = 3 << 10 /* of each layer, at the least, that may be not judged yet */
};

struct assay_lead {
    struct assay_history *histories[ASSAY_LEAD_LAYERS]; /* with this lead; none: it was not taken */
    size_t count;
    /* Waits until all blocks that the decoder has given are judged. It calls this before it changes
     * an event of one of them. */
    void (*settle)(struct assay_lead *lead);
};

/* How many events each history had. */
struct assay_lead_mark {
    uint64_t next[ASSAY_LEAD_LAYERS];
};

/* A history takes the lead, as it is opened. False when there are too many. */
bool assay_lead_take(struct assay_lead *lead, struct assay_history *history);

void assay_lead_mark(const struct assay_lead *lead, struct assay_lead_mark *mark);

/* Whether one more block can be made without replacing what blocks refer to that were made after
 * this mark. */
bool assay_lead_has_room(const struct assay_lead *lead, const struct assay_lead_mark *mark);

#endif
