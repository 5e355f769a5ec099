/* The usual lowest stage of a packet format: it reads the bytes of the input and outputs an event
 * for each packet. What differs from format to format is one function, which reads the next event;
 * blocks, history and source are handled here.
 *
 *     struct packets {
 *         struct assay_packet_stage base;
 *         bool looking;
 *     };
 *
 *     static enum assay_error read_event(struct assay_packet_stage *stage, struct assay_diag *diag)
 *     {
 *         ... assay_source_peek(stage->source, PACKET_MOST, &data, &have);
 *         ... assay_packet_add(stage, FORMAT_note, data, size);
 *     }
 *
 * An event's bytes are a copy in the history. The last event of a stream is `end`
 * (assay_packet_end).
 */
#ifndef ASSAY_COMMON_PACKET_STAGE_H
#define ASSAY_COMMON_PACKET_STAGE_H

#include "io/source.h"
#include "model/history.h"
#include "model/stage.h"

struct assay_packet_stage;

/* How a stage is opened. */
struct assay_packet_setup {
    /* next and close are assay_packet_next and assay_packet_close; complete is the stage's own, or
     * assay_packet_complete. */
    const struct assay_stage_ops *ops;
    unsigned layer;
    uint32_t block;          /* events of a block, at the most */
    uint32_t slots;          /* of the history: how many packets back a `from` can refer to */
    uint32_t bytes;          /* of an event, at the most */
    uint32_t cells;          /* of an event, at the most */
    struct assay_lead *lead; /* as in struct assay_decode_input */
    /* Adds the next event, by assay_packet_add or assay_packet_end; or several, as long as the
     * index of the next one is below `end`. Errors are those of the system. */
    enum assay_error (*read)(struct assay_packet_stage *stage, struct assay_diag *diag);
};

/* The first member of each such stage. */
struct assay_packet_stage {
    struct assay_stage base;
    struct assay_source *source;
    struct assay_history history;
    struct assay_packet_setup setup;
    uint64_t end; /* of the block that is read: the index of the first event that has no room */
    bool empty;   /* the block: reading may wait for bytes */
    bool paused; /* set by `read`, which added nothing: the block ends here (assay_source_pauses) */
    bool faulty; /* something of the stream could not be understood */
    bool ended;
};

/* Allocates a stage of `size` bytes, which begins with a struct assay_packet_stage and is zeroed
 * after it. The source becomes its own, also if it fails; then it returns null: out of memory. */
void *assay_packet_open(size_t size, const struct assay_packet_setup *setup,
                        struct assay_source *source);

/* The history of such a stage, for the stage above it. */
static inline struct assay_history *assay_packet_history(struct assay_stage *stage)
{
    return &((struct assay_packet_stage *)stage)->history;
}

/* Adds an event of a kind, whose bytes are the next `size` of the source, at `data`, which are
 * consumed. Its cells are 0. */
struct assay_event *assay_packet_add(struct assay_packet_stage *stage, unsigned kind,
                                     const uint8_t *data, size_t size);

/* The same for most events of a stage; `bytes` and `cells`, constants, are what the stage was
 * opened with. */
static inline struct assay_event *assay_packet_add_sized(struct assay_packet_stage *stage,
                                                         unsigned kind, const uint8_t *data,
                                                         size_t size, uint32_t bytes,
                                                         uint32_t cells)
{
    struct assay_event *event =
        assay_history_add_cells(&stage->history, NULL, assay_history_cell_room(cells));
    uint8_t *to = assay_history_bytes(&stage->history, event);
    memset(to, 0, bytes);
    memcpy(to, data, size);
    event->bytes = to;
    event->kind = (uint16_t)kind;
    event->offset = assay_source_offset(stage->source);
    event->bits = 8 * (uint32_t)size;
    assay_source_consume(stage->source, size);
    return event;
}

/* Adds the event `end`, for the caller to fill in. */
struct assay_event *assay_packet_end(struct assay_packet_stage *stage);

/* The cells of an event that was added, for writing. */
static inline uint64_t *assay_packet_cells(struct assay_packet_stage *stage,
                                           const struct assay_event *event)
{
    return assay_history_cells(&stage->history, event);
}

/* The operations of struct assay_stage_ops. assay_packet_complete: nothing was faulty; the
 * malformed events say what. */
enum assay_error assay_packet_next(struct assay_stage *stage, struct assay_block *block,
                                   struct assay_diag *diag);
bool assay_packet_complete(const struct assay_stage *stage, const char **why);
void assay_packet_close(struct assay_stage *stage);

#endif
