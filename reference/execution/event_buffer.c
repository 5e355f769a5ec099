#include "execution/event_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "common/table.h"

/* Room for some 24,000 events; of a format with long records, for 3.75 MiB of them. */
enum { PIECES = 24, EVENTS = 1024, BYTES = 160 << 10, STEP = 8, CELLS_STEP = 4, LAYERS = 8 };

/* Copies of what the events of a piece come from, in a layer below: for each event at most one, of
 * the rooms of that layer's history. */
struct origins {
    size_t count;
    struct assay_event *events;
    uint64_t *cells;
    uint8_t *bytes;
};

/* Holds events first to count - 1. */
struct piece {
    size_t first, count;
    size_t bytes_used;
    struct assay_event *events;
    uint64_t *cells;
    uint8_t *bytes;
    struct origins below[LAYERS]; /* from the next layer down */
};

struct assay_event_buffer {
    const struct assay_format *format;
    struct assay_history *origins; /* or null */
    uint16_t *kind_cells;          /* cells that are copied with an event of each kind */
    size_t row;                    /* cells of a copy: the most of any kind */
    struct assay_table memory;     /* of the pieces */
    struct assay_table memory_below[LAYERS];
    size_t oldest, used; /* first piece in use, and how many are */
    struct piece piece[PIECES];
};

static size_t round_up(size_t n, size_t step)
{
    return (n + step - 1) / step * step;
}

static void note_words(struct assay_event_buffer *b, size_t least)
{
    b->row = round_up(least, CELLS_STEP);
    for (size_t kind = 0; kind < b->format->kind_count; kind++) {
        const size_t cells = round_up(assay_kind_cells(&b->format->kinds[kind]), CELLS_STEP);
        b->kind_cells[kind] = (uint16_t)cells;
        b->row = cells > b->row ? cells : b->row;
    }
}

/* False: out of memory. */
static bool make_events(struct assay_event_buffer *b)
{
    const size_t size = EVENTS * (sizeof(struct assay_event) + b->row * sizeof(uint64_t)) + BYTES;
    if (!assay_table_open(&b->memory, PIECES * size, false)) {
        return false;
    }
    for (size_t i = 0; i < PIECES; i++) {
        struct piece *p = &b->piece[i];
        p->events = (struct assay_event *)((char *)b->memory.at + i * size);
        p->cells = (uint64_t *)(p->events + EVENTS);
        p->bytes = (uint8_t *)(p->cells + EVENTS * b->row);
    }
    return true;
}

static bool make_origins(struct assay_event_buffer *b)
{
    size_t layer = 0;
    for (const struct assay_history *h = b->origins; h != NULL && layer < LAYERS; h = h->below) {
        const size_t size =
            EVENTS * (sizeof(struct assay_event) + h->cell_room * sizeof(uint64_t) + h->byte_room);
        if (!assay_table_open(&b->memory_below[layer], PIECES * size, false)) {
            return false;
        }
        for (size_t i = 0; i < PIECES; i++) {
            struct origins *o = &b->piece[i].below[layer];
            o->events = (struct assay_event *)((char *)b->memory_below[layer].at + i * size);
            o->cells = (uint64_t *)(o->events + EVENTS);
            o->bytes = (uint8_t *)(o->cells + EVENTS * h->cell_room);
        }
        layer++;
    }
    return true;
}

struct assay_event_buffer *assay_buffer_new(const struct assay_format *format, size_t cells,
                                            struct assay_history *origins)
{
    struct assay_event_buffer *b = calloc(1, sizeof *b);
    if (b == NULL) {
        return NULL;
    }
    b->format = format;
    b->origins = origins;
    b->kind_cells = calloc(format->kind_count, sizeof *b->kind_cells);
    if (b->kind_cells != NULL) {
        note_words(b, cells);
    }
    if (b->kind_cells == NULL || !make_events(b) || !make_origins(b)) {
        assay_buffer_free(b);
        return NULL;
    }
    return b;
}

void assay_buffer_free(struct assay_event_buffer *buffer)
{
    if (buffer != NULL) {
        for (size_t layer = 0; layer < LAYERS; layer++) {
            assay_table_close(&buffer->memory_below[layer]);
        }
        assay_table_close(&buffer->memory);
        free(buffer->kind_cells);
        free(buffer);
    }
}

static struct piece *piece_at(const struct assay_event_buffer *b, size_t n)
{
    return (struct piece *)&b->piece[(b->oldest + n) % PIECES];
}

/* Readable bytes of an event (model.h). */
static size_t bytes_of(const struct assay_event_buffer *b, const struct assay_event *event)
{
    const unsigned lead = b->format->lead_bits;
    return event->bits > lead ? round_up((event->bits - lead + 7) / 8, STEP) : 0;
}

static bool has_room(const struct piece *p, size_t bytes)
{
    return p->count < EVENTS && BYTES - p->bytes_used >= bytes;
}

static struct assay_event *copy_origin(const struct assay_history *h, struct origins *o,
                                       const struct assay_event *event, size_t bytes)
{
    struct assay_event *to = &o->events[o->count];
    uint8_t *shown = o->bytes + o->count * h->byte_room;
    uint64_t *cells = o->cells + o->count * h->cell_room;
    *to = *event;
    to->from = NULL;
    if (bytes > 0) {
        memcpy(shown, event->bytes, bytes);
        to->bytes = shown;
    }
    if (h->cell_room > 0) {
        memcpy(cells, event->cells, h->cell_room * sizeof(uint64_t));
        to->cells = cells;
    }
    o->count++;
    return to;
}

/* What an event comes from, layer by layer down. Events in a row often come from the same one. */
static const struct assay_event *copy_origins(const struct assay_event_buffer *b, struct piece *p,
                                              const struct assay_event *from)
{
    const struct assay_event *event =
        from != NULL && b->origins != NULL ? assay_history_find(b->origins, from->index) : NULL;
    const struct assay_event *first = NULL;
    struct assay_event *above = NULL;
    struct origins *o = p->below;
    for (const struct assay_history *h = b->origins; h != NULL && event != NULL; h = h->below) {
        const bool known = o->count > 0 && o->events[o->count - 1].index == event->index;
        const size_t bytes = bytes_of(b, event);
        if (!known && bytes > h->byte_room) {
            break;
        }
        struct assay_event *to = known ? &o->events[o->count - 1] : copy_origin(h, o, event, bytes);
        first = above == NULL ? to : first;
        if (above != NULL) {
            above->from = to;
        }
        if (known) {
            break;
        }
        above = to;
        event = event->from;
        o++;
    }
    return first;
}

static void copy(const struct assay_event_buffer *b, struct piece *p,
                 const struct assay_event *event, size_t bytes)
{
    struct assay_event *to = &p->events[p->count];
    uint64_t *cells = p->cells + p->count * b->row;
    uint8_t *shown = p->bytes + p->bytes_used;
    *to = *event;
    to->bytes = shown;
    to->cells = cells;
    if (bytes > 0) {
        memcpy(shown, event->bytes, bytes);
    }
    memcpy(cells, event->cells, b->kind_cells[event->kind] * sizeof(uint64_t));
    to->from = copy_origins(b, p, event->from);
    p->bytes_used += bytes;
    p->count++;
}

size_t assay_buffer_put(struct assay_event_buffer *b, const struct assay_event *events,
                        size_t count)
{
    size_t n = 0;
    for (; n < count; n++) {
        const size_t bytes = bytes_of(b, &events[n]);
        if (b->used == 0 || !has_room(piece_at(b, b->used - 1), bytes)) {
            if (b->used == PIECES || bytes > BYTES) {
                break;
            }
            struct piece *fresh = piece_at(b, b->used++);
            fresh->first = fresh->count = fresh->bytes_used = 0;
            for (size_t layer = 0; layer < LAYERS; layer++) {
                fresh->below[layer].count = 0;
            }
        }
        copy(b, piece_at(b, b->used - 1), &events[n], bytes);
    }
    return n;
}

struct assay_event *assay_buffer_first(struct assay_event_buffer *b, size_t *count)
{
    while (b->used > 0 && piece_at(b, 0)->first == piece_at(b, 0)->count) {
        b->oldest = (b->oldest + 1) % PIECES;
        b->used--;
    }
    return (struct assay_event *)assay_buffer_piece(b, 0, count);
}

const struct assay_event *assay_buffer_piece(const struct assay_event_buffer *b, size_t n,
                                             size_t *count)
{
    const struct piece *p = n < b->used ? piece_at(b, n) : NULL;
    *count = p != NULL ? p->count - p->first : 0;
    return p != NULL ? p->events + p->first : NULL;
}

void assay_buffer_take(struct assay_event_buffer *b, size_t n)
{
    piece_at(b, 0)->first += n;
}
