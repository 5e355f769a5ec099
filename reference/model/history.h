/* The last events of a layer. A stage that passes events to the stage above it stores them in a
 * history: an event of a higher layer can then refer to the event that it came from (`from`),
 * however many blocks ago that was, as long as the history still holds it.
 *
 * A history is a ring of slots of equal size, allocated once. Its events are numbered by their
 * `index`, from 0; the blocks of the stage are parts of the ring, so nothing is copied. Code that
 * needs an event later keeps its index, never a pointer, and looks it up with assay_history_find,
 * which also checks what the event came from, so that no `from` points to a slot that was
 * overwritten.
 */
#ifndef ASSAY_COMMON_HISTORY_H
#define ASSAY_COMMON_HISTORY_H

#include <string.h>

#include "common/table.h"
#include "model/lead.h"
#include "model/model.h"

enum {
    ASSAY_HISTORY_SLOTS_MOST = 1 << 24, /* events in the ring */
    ASSAY_HISTORY_ROOM_MOST = 1 << 16,  /* bytes, and cells, of each */
    ASSAY_HISTORY_RINGS = 4
};

struct assay_history {
    struct assay_history
        *below;                 /* of the layer below, to which `from` refers; null in the lowest */
    struct assay_event *events; /* `slots` of them */
    uint64_t *origins;          /* by slot: index of the event that `from` is; null in the lowest */
    uint8_t *bytes;             /* a slot: byte_room bytes; null when byte_room is 0 */
    uint64_t *cells;            /* a slot: cell_room cells; null when cell_room is 0 */
    struct assay_lead *lead;    /* or null: a block is judged before the next one is made */
    uint32_t slots;             /* a power of 2 */
    uint32_t window;            /* how many of the last events are held, a power of 2; as many as
                                   there are slots, unless there is a lead */
    uint32_t block;             /* the most events that are added for one block */
    uint32_t byte_room;         /* a multiple of 8 */
    uint32_t cell_room;         /* a multiple of 4 */
    uint64_t next;              /* index of the next event: the number of events added so far */
    struct assay_table rings[ASSAY_HISTORY_RINGS]; /* of events, origins, bytes, cells */
};

/* How a history is opened. */
struct assay_history_setup {
    struct assay_history
        *below;              /* of the layer below, which outlives this one; null in the lowest */
    uint32_t slots;          /* events that are held; rounded up to a power of 2 */
    uint32_t bytes, cells;   /* the most that an event holds */
    uint32_t block;          /* the most events that are added for one block; with a lead */
    struct assay_lead *lead; /* borrowed; or null */
};

/* ASSAY_NO_MEMORY; ASSAY_LIMIT when slots, bytes or cells are above their limits, or a lead has no
 * room for one more history. The history must be closed even when this fails. */
enum assay_error assay_history_open(struct assay_history *history,
                                    const struct assay_history_setup *setup);

/* The cells (cell_room) and bytes (byte_room) of an event that the history holds, for writing. */
static inline uint64_t *assay_history_cells(struct assay_history *history,
                                            const struct assay_event *event)
{
    return history->cells + (event->index & (history->slots - 1)) * history->cell_room;
}

static inline uint8_t *assay_history_bytes(struct assay_history *history,
                                           const struct assay_event *event)
{
    return history->bytes + (event->index & (history->slots - 1)) * history->byte_room;
}

/* The cell_room of a history whose events hold so many cells. */
static inline uint32_t assay_history_cell_room(uint32_t cells)
{
    return (cells + 3) / 4 * 4;
}

/* The cells that the next event will have; `cell_room` is that of the history, and not 0. */
static inline uint64_t *assay_history_next_cells(struct assay_history *history, uint32_t cell_room)
{
    return history->cells + (size_t)(history->next & (history->slots - 1)) * cell_room;
}

/* Adds the next event, which replaces the oldest one: its `from`, index and cells are set, the
 * contents of the cells and all other members are 0. `from` is an event that the history below
 * holds now, from its last block or from assay_history_find; or null, as always in the lowest
 * layer. `cell_room` is that of the history: where it is a constant, the cells are cleared without
 * a loop. */
static inline struct assay_event *assay_history_add_cells(struct assay_history *history,
                                                          const struct assay_event *from,
                                                          uint32_t cell_room)
{
    const size_t slot = (size_t)(history->next & (history->slots - 1));
    uint64_t *cells = cell_room > 0 ? assay_history_next_cells(history, cell_room) : NULL;
    struct assay_event *event = &history->events[slot];
    *event = (struct assay_event){.index = history->next, .from = from, .cells = cells};
    if (from != NULL) {
        history->origins[slot] = from->index;
    }
    for (size_t n = 0; n < cell_room; n += 4) { /* in whole vectors, without a call */
        cells[n] = cells[n + 1] = cells[n + 2] = cells[n + 3] = 0;
    }
    history->next++;
    return event;
}

/* The same where events have bytes, which are 0, too. A caller that has the bytes elsewhere may
 * make `bytes` point there. */
static inline struct assay_event *assay_history_add(struct assay_history *history,
                                                    const struct assay_event *from)
{
    struct assay_event *event = assay_history_add_cells(history, from, history->cell_room);
    if (history->byte_room > 0) {
        uint8_t *bytes = assay_history_bytes(history, event);
        event->bytes = bytes;
        memset(bytes, 0, history->byte_room);
    }
    return event;
}

/* The event with this index; null when there is none or it was overwritten. The events that it came
 * from are valid, too, layer by layer down: a `from` whose event was overwritten is set to null. */
const struct assay_event *assay_history_find(struct assay_history *history, uint64_t index);

/* How many more events fit after the event `first` before the ring wraps: a block of events ends
 * there. */
static inline uint32_t assay_history_room(const struct assay_history *history, uint64_t first)
{
    return history->slots - (uint32_t)(first & (history->slots - 1)) -
           (uint32_t)(history->next - first);
}

/* The events from `first` to the last one made, as a block of the layer; valid until they are
 * overwritten. Between them the ring must not have wrapped (assay_history_room). */
static inline struct assay_block assay_history_block(const struct assay_history *history,
                                                     uint64_t first, unsigned layer)
{
    return (struct assay_block){.events = &history->events[first & (history->slots - 1)],
                                .count = (size_t)(history->next - first),
                                .layer = layer};
}

void assay_history_close(struct assay_history *history);

#endif
