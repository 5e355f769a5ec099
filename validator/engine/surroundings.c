#include "validator/engine/surroundings.h"

#include <stdlib.h>
#include <string.h>

#include "validator/engine/message.h"

enum { KEPT_BYTES = 256, KEPT_CELLS = 64 };

struct assay_kept_event {
    bool small;
    struct assay_event event; /* where it is small; else its kind, index and offset */
    _Alignas(8) uint8_t bytes[KEPT_BYTES];
    uint64_t cells[KEPT_CELLS];
    struct assay_instruction instruction; /* where it is not small, as the line */
    char line[ASSAY_LINE];
};

struct assay_open_finding {
    struct assay_finding *finding;
    uint16_t kind; /* of the last event that it shows */
    uint8_t after; /* how many it shows after its own */
};

bool assay_surroundings_open(struct assay_surroundings *s, const struct assay_format *format,
                             unsigned layer, struct assay_arena *arena)
{
    *s = (struct assay_surroundings){.format = format, .arena = arena};
    for (size_t kind = 0; kind < format->kind_count; kind++) {
        s->grouped = s->grouped || (format->kinds[kind].layer == layer &&
                                    format->kinds[kind].grouping != (uint8_t)ASSAY_GROUP_MEMBER);
    }
    s->kept = calloc(ASSAY_SHOWN_BEFORE, sizeof *s->kept);
    return s->kept != NULL;
}

/* Whether an event begins a group, after one of another kind. */
static bool begins(const struct assay_surroundings *s, uint16_t before, uint16_t kind)
{
    return !s->grouped || s->format->kinds[before].grouping == ASSAY_GROUP_CLOSES ||
           s->format->kinds[kind].grouping == ASSAY_GROUP_OPENS;
}

/* --- events by their number in the block; those before it are kept ones, counted from -1 --- */

static bool there(const struct assay_surroundings *s, int64_t at)
{
    return at >= -(int64_t)s->kept_count && at < (int64_t)s->count;
}

static struct assay_kept_event *kept_at(const struct assay_surroundings *s, int64_t at)
{
    return &s->kept[(int64_t)s->kept_count + at];
}

static uint16_t kind_at(const struct assay_surroundings *s, int64_t at)
{
    return at >= 0 ? s->events[at].kind : kept_at(s, at)->event.kind;
}

/* The first event of the group of an event, no more than `most` before it. */
static int64_t group_of(const struct assay_surroundings *s, int64_t at, int64_t most)
{
    const int64_t least = at - most;
    while (at > least && there(s, at - 1) && !begins(s, kind_at(s, at - 1), kind_at(s, at))) {
        at--;
    }
    return at;
}

static struct assay_instruction instruction_of(const struct assay_format *format,
                                               const struct assay_event *event)
{
    struct assay_instruction instruction = {0};
    if (format->instruction == NULL || !format->instruction(event, &instruction)) {
        instruction.machine = 0;
    }
    return instruction;
}

/* The event as it is shown; its line is null when memory is out. */
static struct assay_shown_event shown_event(const struct assay_surroundings *s,
                                            const struct assay_event *event)
{
    char line[ASSAY_LINE];
    assay_event_line(s->format, event, line, sizeof line);
    return (struct assay_shown_event){.index = event->index,
                                      .offset = event->offset,
                                      .line = assay_arena_text(s->arena, line, strlen(line)),
                                      .instruction = instruction_of(s->format, event),
                                      .kind = event->kind};
}

static struct assay_shown_event shown_at(const struct assay_surroundings *s, int64_t at)
{
    if (at >= 0) {
        return shown_event(s, &s->events[at]);
    }
    struct assay_kept_event *kept = kept_at(s, at);
    if (kept->small) {
        kept->event.bytes = kept->bytes;
        kept->event.cells = kept->cells;
        return shown_event(s, &kept->event);
    }
    return (struct assay_shown_event){
        .index = kept->event.index,
        .offset = kept->event.offset,
        .line = assay_arena_text(s->arena, kept->line, strlen(kept->line)),
        .instruction = kept->instruction,
        .kind = kept->event.kind};
}

/* --- showing --- */

/* Takes the event after those that an open finding shows; false when it shows all then. */
static bool take_next(const struct assay_surroundings *s, struct assay_open_finding *open,
                      uint16_t kind, struct assay_shown_event event)
{
    const bool of_group = !begins(s, open->kind, kind);
    struct assay_shown_event *list = (void *)(uintptr_t)open->finding->shown;
    event.grouped = of_group;
    list[open->finding->shown_count++] = event;
    open->kind = kind;
    open->after++;
    return of_group && open->after < ASSAY_SHOWN_AFTER;
}

bool assay_surroundings_show(struct assay_surroundings *s, struct assay_finding *finding,
                             uint32_t at)
{
    const int64_t first = group_of(s, at, ASSAY_SHOWN_BEFORE - 1);
    const int64_t from = there(s, first - 1) ? first - 1 : first;
    const size_t room = (size_t)(at - from) + 1 + ASSAY_SHOWN_AFTER;
    struct assay_shown_event *list = assay_arena_take(s->arena, room * sizeof *list);
    finding->event = assay_surroundings_copy(s->arena, s->format, &s->events[at]);
    if (list == NULL || finding->event == NULL) {
        return false;
    }
    for (int64_t i = from; i <= (int64_t)at; i++) {
        list[i - from] = shown_at(s, i);
        list[i - from].grouped = i >= first;
    }
    finding->shown = list;
    finding->shown_at = (uint16_t)(at - from);
    finding->shown_count = (uint16_t)(finding->shown_at + 1);
    struct assay_open_finding open = {.finding = finding, .kind = kind_at(s, at)};
    bool more = true;
    for (uint32_t i = at + 1; i < s->count && more; i++) {
        more = take_next(s, &open, s->events[i].kind, shown_event(s, &s->events[i]));
    }
    return true;
}

bool assay_surroundings_await(struct assay_surroundings *s, struct assay_finding *finding)
{
    const struct assay_shown_event *last = &finding->shown[finding->shown_count - 1];
    const uint8_t after = (uint8_t)(finding->shown_count - 1 - finding->shown_at);
    const struct assay_event *end = &s->events[s->count - 1];
    if (last->index != end->index || !last->grouped || after >= ASSAY_SHOWN_AFTER) {
        return true;
    }
    if (s->open_count == s->open_capacity) {
        const size_t capacity = s->open_capacity == 0 ? 16 : s->open_capacity * 2;
        struct assay_open_finding *bigger = realloc(s->open, capacity * sizeof *bigger);
        if (bigger == NULL) {
            return false;
        }
        s->open = bigger;
        s->open_capacity = capacity;
    }
    s->open[s->open_count++] =
        (struct assay_open_finding){.finding = finding, .kind = end->kind, .after = after};
    return true;
}

/* --- blocks --- */

bool assay_surroundings_begin(struct assay_surroundings *s, const struct assay_event *events,
                              uint32_t count)
{
    s->events = events;
    s->count = count;
    for (uint32_t i = 0; i < count && s->open_count > 0; i++) {
        const struct assay_shown_event event = shown_event(s, &events[i]);
        size_t left = 0;
        for (size_t n = 0; n < s->open_count; n++) {
            struct assay_open_finding open = s->open[n];
            if (take_next(s, &open, events[i].kind, event)) {
                s->open[left++] = open;
            }
        }
        s->open_count = left;
        if (event.line == NULL) {
            return false;
        }
    }
    return true;
}

/* The bytes of an event that are readable: in words of 64 bits. */
static size_t size_of(const struct assay_format *format, const struct assay_event *event)
{
    const size_t bits = event->bits > format->lead_bits ? event->bits - format->lead_bits : 0;
    return (bits + 63) / 64 * 8;
}

size_t assay_surroundings_bytes(const struct assay_format *format, const struct assay_event *event)
{
    const size_t held = size_of(format, event);
    return held < ASSAY_SHOWN_BYTES ? held : ASSAY_SHOWN_BYTES;
}

const struct assay_event *assay_surroundings_copy(struct assay_arena *arena,
                                                  const struct assay_format *format,
                                                  const struct assay_event *event)
{
    const size_t cells = assay_kind_cells(&format->kinds[event->kind]);
    const size_t size = assay_surroundings_bytes(format, event);
    struct assay_event *copy = assay_arena_take(arena, sizeof *copy);
    uint8_t *bytes = assay_arena_take(arena, size + 1);
    uint64_t *values = assay_arena_take(arena, (cells + 1) * sizeof *values);
    if (copy == NULL || bytes == NULL || values == NULL) {
        return NULL;
    }
    if (size > 0) {
        memcpy(bytes, event->bytes, size);
    }
    if (cells > 0) {
        memcpy(values, event->cells, cells * sizeof *values);
    }
    *copy = *event;
    copy->bytes = bytes;
    copy->cells = values;
    copy->from = NULL;
    return copy;
}

static void keep(const struct assay_surroundings *s, const struct assay_event *event,
                 struct assay_kept_event *kept)
{
    const struct assay_format *format = s->format;
    const size_t cells = assay_kind_cells(&format->kinds[event->kind]);
    const size_t size = size_of(format, event);
    kept->small = size <= KEPT_BYTES && cells <= KEPT_CELLS;
    kept->event = *event;
    kept->event.from = NULL; /* which may be gone by then, and no line says it */
    if (!kept->small) {
        assay_event_line(format, event, kept->line, sizeof kept->line);
        kept->instruction = instruction_of(format, event);
        return;
    }
    if (size > 0) {
        memcpy(kept->bytes, event->bytes, size);
    }
    if (cells > 0) {
        memcpy(kept->cells, event->cells, cells * sizeof kept->cells[0]);
    }
}

void assay_surroundings_end(struct assay_surroundings *s)
{
    const int64_t last = (int64_t)s->count - 1;
    const bool closed = s->format->kinds[kind_at(s, last)].grouping == ASSAY_GROUP_CLOSES;
    int64_t first = last;
    if (s->grouped && !closed) {
        first = group_of(s, last, ASSAY_SHOWN_BEFORE - 2);
        first = there(s, first - 1) ? first - 1 : first;
    }
    size_t left = 0;
    for (int64_t i = first; i < 0; i++) {
        s->kept[left++] = *kept_at(s, i);
    }
    for (int64_t i = first > 0 ? first : 0; i <= last; i++) {
        keep(s, &s->events[i], &s->kept[left++]);
    }
    s->kept_count = left;
}

void assay_surroundings_close(struct assay_surroundings *s)
{
    free(s->kept);
    free(s->open);
    *s = (struct assay_surroundings){0};
}
