/* The second layer: what the frames contain, ids and the data under each. */
#include <stdlib.h>
#include <string.h>

#include "coresight/coresight.h"
#include "model/parameters.h"

enum {
    MOST = 8 + CS_SLOTS, /* events of a frame: its ids, and a run for each byte */
    SLOTS = 1 << 12
};

struct sources {
    struct assay_step_stage base;
    uint64_t bytes[CS_IDS]; /* under each id */
    uint8_t later[CS_IDS];  /* the id that the source of an id has after it, or 0 */
    uint64_t unattributed;
    bool unframed; /* the capture begins with an A-sync */
    bool written;  /* a byte of a frame is not 0 */
    uint8_t id;    /* the current one */
    uint8_t frame[CS_FRAME];
};

static uint64_t *add(struct sources *s, enum cs_kind kind, const struct assay_event *from,
                     unsigned position)
{
    struct assay_event *event = assay_step_add(&s->base, kind, from);
    uint64_t *cells = assay_step_cells(&s->base, event);
    cells[CS_CELL_data_position] = position;
    return cells;
}

/* A byte that is an id; `number` of them are before it in the frame. */
static void add_id(struct sources *s, const struct assay_event *from, const uint8_t *frame,
                   unsigned position, uint8_t before, unsigned number)
{
    uint64_t *cells = add(s, CS_id, from, position);
    cells[CS_CELL_id_id] = frame[position] >> 1;
    cells[CS_CELL_id_delayed] = frame[CS_AUXILIARY] >> (position / 2) & 1;
    cells[CS_CELL_id_before] = before;
    cells[CS_CELL_id_number] = number;
}

static enum cs_kind kind_of(uint8_t id)
{
    switch (id) {
    case CS_ID_UNKNOWN:
        return CS_unattributed;
    case CS_ID_NULL:
        return CS_null_data;
    case CS_ID_TRIGGER:
        return CS_trigger;
    case CS_ID_FLUSH:
        return CS_flush;
    default:
        return cs_is_source(id) ? CS_data : CS_reserved_data;
    }
}

/* The id that a source has after this one: the next one under which data came, or else the next. */
static void say_later(const struct sources *s, uint8_t id, uint64_t *cells)
{
    uint8_t later = s->later[id];
    for (unsigned n = 0; n < CS_IDS && s->later[later] != 0 && s->bytes[later] == 0; n++) {
        later = s->later[later];
    }
    const bool came = later != 0 && s->bytes[later] > 0;
    cells[CS_CELL_data_later_id] = came ? later : s->later[id];
    cells[CS_CELL_data_later_came] = came;
}

/* The bytes of one id that follow each other from the n-th on, at least one; of what has a meaning
 * by itself just one. Returns how many there are. */
static unsigned add_run(struct sources *s, const struct assay_event *from,
                        const struct cs_content *content, unsigned n)
{
    const uint8_t id = content->id[n];
    const enum cs_kind kind = kind_of(id);
    uint64_t *cells = add(s, kind, from, content->position[n]);
    unsigned size = 1, nonzero = content->value[n] != 0;
    if (kind == CS_trigger || kind == CS_flush) {
        cells[CS_CELL_trigger_payload] = content->value[n];
        return size;
    }
    while (n + size < content->count && content->id[n + size] == id &&
           content->position[n + size] == content->position[n] + size) {
        nonzero += content->value[n + size] != 0;
        size++;
    }
    cells[CS_CELL_data_size] = size;
    if (kind == CS_null_data) {
        cells[CS_CELL_null_data_nonzero] = nonzero;
    } else if (kind != CS_unattributed) {
        cells[CS_CELL_data_id] = id;
    }
    if (kind == CS_data) {
        say_later(s, id, cells);
    }
    return size;
}

/* The ids and data of a frame, in the order of its bytes. */
static void take_frame(struct sources *s, const struct assay_event *from, const uint8_t *frame)
{
    static const uint8_t zeros[CS_FRAME];
    struct cs_content content;
    uint8_t before = s->id;
    s->written = s->written || memcmp(frame, zeros, CS_FRAME) != 0;
    unsigned ids = 0;
    cs_frame_content(frame, &s->id, &content);
    for (unsigned at = 0, n = 0, size; at < CS_SLOTS; at += size) {
        if (n < content.count && content.position[n] == at) {
            const uint8_t id = content.id[n];
            size = add_run(s, from, &content, n);
            n += size;
            *(id == CS_ID_UNKNOWN ? &s->unattributed : &s->bytes[id]) += size;
        } else {
            size = 1;
            add_id(s, from, frame, at, before, ids++);
            before = frame[at] >> 1;
        }
    }
}

static void take_part(struct sources *s, const struct assay_event *part)
{
    memcpy(s->frame + part->cells[CS_CELL_part_position], part->bytes, part->bits / 8);
    if (part->cells[CS_CELL_part_last] != 0) {
        take_frame(s, part, s->frame);
    }
}

/* Whether a frame is the beginning of what a trace unit writes, which is no frame. */
static bool begins_with_async(const uint8_t *frame)
{
    static const uint8_t async[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80};
    return memcmp(frame, async, sizeof async) == 0;
}

/* After what is lost nobody knows which source is the current one. */
static bool step(struct assay_step_stage *stage, const struct assay_event *unit)
{
    struct sources *s = (struct sources *)stage;
    switch (unit->kind) {
    case CS_frame:
        s->unframed = s->unframed || (unit->offset == 0 && begins_with_async(unit->bytes));
        take_frame(s, unit, unit->bytes);
        break;
    case CS_part:
        take_part(s, unit);
        break;
    case CS_full_sync:
        s->id = unit->cells[CS_CELL_full_sync_position] > 0 ? CS_ID_UNKNOWN : s->id;
        break;
    case CS_barrier:
        s->id = CS_ID_UNKNOWN;
        break;
    default:
        break;
    }
    return true;
}

/* Whether all frames are zeros: a buffer to which nothing was written. */
static bool is_blank(const struct sources *s)
{
    return s->unattributed > 0 && !s->written;
}

/* How many sources have data. */
static uint64_t count_sources(const struct sources *s)
{
    uint64_t count = 0;
    for (unsigned id = 0; id < CS_IDS; id++) {
        count += cs_is_source(id) && s->bytes[id] > 0;
    }
    return count;
}

/* A capture that says nothing of any source is not complete. */
static bool complete(const struct assay_stage *stage, const char **why)
{
    const struct sources *s = (const struct sources *)stage;
    if (is_blank(s)) {
        *why = "all of its bytes are 0: nothing was traced to its buffer";
        return false;
    }
    if (count_sources(s) == 0) {
        *why = "no source has data in it";
        return false;
    }
    return assay_step_complete(stage, why);
}

static bool finish(struct assay_step_stage *stage)
{
    struct sources *s = (struct sources *)stage;
    uint64_t *cells = add(s, CS_summary, NULL, 0);
    uint64_t attributed = 0;
    for (unsigned id = 0; id < CS_IDS; id++) {
        attributed += s->bytes[id];
    }
    cells[CS_CELL_summary_sources] = count_sources(s);
    cells[CS_CELL_summary_attributed] = attributed;
    cells[CS_CELL_summary_unattributed] = s->unattributed;
    cells[CS_CELL_summary_unnamed] = attributed == 0 ? s->unattributed : 0;
    cells[CS_CELL_summary_unframed] = s->unframed;
    cells[CS_CELL_summary_blank] = is_blank(s);
    return true;
}

struct assay_stage *cs_sources_open(struct assay_history *frames,
                                    const struct assay_parameter_values *parameters)
{
    static const struct assay_stage_ops ops = {.take = assay_step_take,
                                               .next = assay_step_next,
                                               .complete = complete,
                                               .close = assay_step_close};
    const struct assay_step_setup setup = {.ops = &ops,
                                           .layer = CS_SOURCES,
                                           .below = frames,
                                           .slots = SLOTS,
                                           .cells = CS_CELLS,
                                           .most = MOST,
                                           .step = step,
                                           .finish = finish};
    struct sources *s = assay_step_open(sizeof *s, &setup);
    if (s == NULL) {
        return NULL;
    }
    s->id = CS_ID_UNKNOWN;
    for (size_t n = 0; parameters != NULL && n < CS_PARAMETER_COUNT; n++) {
        if (parameters->known[n]) {
            s->later[parameters->value[n]] = (uint8_t)(n + 1);
        }
    }
    return &s->base.base;
}

const uint64_t *cs_sources_bytes(const struct assay_stage *stage)
{
    return ((const struct sources *)stage)->bytes;
}
