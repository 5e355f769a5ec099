/* The usual stage above the lowest: it goes through the events of the layer below, one after the
 * other, and derives events of its own from each. What differs from stage to stage is one function,
 * the step; blocks, history and pending events are handled here.
 *
 *     struct elements {
 *         struct assay_step_stage base;
 *         uint64_t address;
 *     };
 *
 *     static bool step(struct assay_step_stage *stage, const struct assay_event *packet)
 *     {
 *         struct elements *e = (struct elements *)stage;
 *         assay_step_cells(stage, assay_step_add(stage, ELEMENT_target, packet))[0] = e->address;
 *         return true;
 *     }
 *
 * An event of the layer below can result in none, some, or very many. Some are added in one step:
 * up to `most`, which is given when the stage is opened. Very many, as for a range of addresses,
 * are added in several steps: the step adds at most `most` of them, stores its position in the
 * stage, and returns false to be called again with the same event. A block holds at least one event
 * and may end anywhere between two of them, also between those of one step; those that do not fit
 * come first in the next block. So memory does not depend on the input.
 *
 * A stage that holds events back, such as speculative ones, adds what is left of them in `finish`,
 * in the same way. There it refers to events below by assay_history_find only.
 */
#ifndef ASSAY_COMMON_STEP_STAGE_H
#define ASSAY_COMMON_STEP_STAGE_H

#include "model/history.h"
#include "model/stage.h"

/* The greatest number of events in a block; when a step adds several, a block can have up to `most`
 * - 1 more. */
enum { ASSAY_STEP_BLOCK = 512 };

struct assay_step_stage;

/* Adds the events that follow from an event below (assay_step_add). True when that event is
 * consumed; false, after adding at least one, to be called again with it. */
typedef bool assay_step(struct assay_step_stage *stage, const struct assay_event *below);

/* How a stage is opened. */
struct assay_step_setup {
    /* take and next are assay_step_take and assay_step_next, or assay_step_next_by; close is
     * assay_step_close, or calls it; complete is the stage's own, or assay_step_complete. */
    const struct assay_stage_ops *ops;
    unsigned layer;
    struct assay_history *below; /* of the stage below, which outlives this one */
    uint32_t slots; /* of the history: how many events back a `from` can refer to. Limited to the
                       range from ASSAY_STEP_BLOCK + most to ASSAY_HISTORY_SLOTS_MOST, so that it
                       can be a parameter of the stream */
    uint32_t cells; /* that an event has, at the most; these events have no bytes */
    uint32_t most;  /* events that one step adds, at the most; at least 1 */
    struct assay_lead *lead; /* as in struct assay_decode_input */
    assay_step *step;
    /* Adds the events that the stage still holds when nothing more comes from below, at most `most`
     * of them. True when it holds nothing more; false, after adding at least one, to be called
     * again. Null: the stage holds nothing back. */
    bool (*finish)(struct assay_step_stage *stage);
};

/* The first member of each such stage. */
struct assay_step_stage {
    struct assay_stage base;
    struct assay_history history;
    struct assay_step_setup setup;
    struct assay_block below; /* what was taken; the rest of it begins at `at` */
    size_t at;
    uint64_t given; /* events of the history that were output in blocks; the others are pending */
    uint64_t held;  /* 1 + number of an event that the stage still changes: it, and what was added
                       after it, is not output yet; 0: none */
    bool finishing; /* nothing more comes from below, but events may be pending */
};

/* Allocates a stage of `size` bytes, which begins with a struct assay_step_stage and is zeroed
 * after it; null when out of memory, or if `most` is more than a history can hold. */
void *assay_step_open(size_t size, const struct assay_step_setup *setup);

/* The history of such a stage, for the stage above it. */
static inline struct assay_history *assay_step_history(struct assay_stage *stage)
{
    return &((struct assay_step_stage *)stage)->history;
}

/* Adds an event for the step to fill in: its kind, `from` and the offset of `from` are set, its
 * cells are 0. `from` is the event that the step was called with, or an earlier one that
 * assay_history_find returned; null if that is no longer held, or the event comes from none. */
static inline struct assay_event *assay_step_add(struct assay_step_stage *stage, unsigned kind,
                                                 const struct assay_event *from)
{
    struct assay_event *event =
        assay_history_add_cells(&stage->history, from, stage->history.cell_room);
    event->kind = (uint16_t)kind;
    event->offset = from != NULL ? from->offset : 0;
    return event;
}

/* The same for the events that a stage adds most of; `from` is not null. `cells`, a constant, is
 * what the stage was opened with. Returns the cells of the event, for writing. */
static inline uint64_t *assay_step_add_cells(struct assay_step_stage *stage, unsigned kind,
                                             const struct assay_event *from, uint32_t cells)
{
    const uint32_t room = assay_history_cell_room(cells);
    uint64_t *const at = assay_history_next_cells(&stage->history, room);
    struct assay_event *event = assay_history_add_cells(&stage->history, from, room);
    event->kind = (uint16_t)kind;
    event->offset = from->offset;
    return at;
}

/* Holds the latest event back, since a later step can change it: until it is released, at the
 * latest by `finish`. The few events that may be added meanwhile, at most `most`, are held back
 * with it, so that the order stays. */
static inline void assay_step_hold(struct assay_step_stage *stage)
{
    stage->held = stage->history.next;
}

void assay_step_release(struct assay_step_stage *stage);

/* The cells of an event that assay_step_add returned, for writing. */
static inline uint64_t *assay_step_cells(struct assay_step_stage *stage,
                                         const struct assay_event *event)
{
    return assay_history_cells(&stage->history, event);
}

/* The operations of struct assay_stage_ops. `next` returns ASSAY_INTERNAL when a step violates the
 * rules above. assay_step_complete is for stages that can always decode everything.
 */
enum assay_error assay_step_take(struct assay_stage *stage, const struct assay_block *below,
                                 struct assay_diag *diag);
enum assay_error assay_step_next(struct assay_stage *stage, struct assay_block *block,
                                 struct assay_diag *diag);
bool assay_step_complete(const struct assay_stage *stage, const char **why);
void assay_step_close(struct assay_stage *stage);

/* --- the next block --- */

/* Whether a call of `step` or `finish` that is done or not, with `before` events in the history
 * before it, kept to its limits, without which making events could fail or never end. */
static inline bool assay_step_is_within_limits(const struct assay_step_stage *stage, bool done,
                                               uint64_t before)
{
    const uint64_t added = stage->history.next - before;
    return added <= stage->setup.most && (added > 0 || done);
}

/* Adds the last events; and gives the events that were added as a block. Private. */
bool assay_step_finish(struct assay_step_stage *stage);
enum assay_error assay_step_give(struct assay_step_stage *stage, bool fine,
                                 struct assay_block *block, struct assay_diag *diag);

/* assay_step_next by this step, which is a constant where it is called: then the step becomes a
 * part of the loop. Makes events until there are enough for a block, or all that was taken is used
 * up. The ring has room for a block and the events of a step, so that none of the block is
 * replaced. */
static inline enum assay_error assay_step_next_by(struct assay_stage *stage,
                                                  struct assay_block *block,
                                                  struct assay_diag *diag, assay_step *step)
{
    struct assay_step_stage *s = (struct assay_step_stage *)stage;
    const uint64_t end = s->given + ASSAY_STEP_BLOCK;
    bool fine = true;
    while (fine && s->at < s->below.count && s->history.next < end) {
        const uint64_t before = s->history.next;
        const bool done = step(s, &s->below.events[s->at]);
        s->at += done;
        fine = assay_step_is_within_limits(s, done, before);
    }
    return assay_step_give(s, fine && assay_step_finish(s), block, diag);
}

#endif
