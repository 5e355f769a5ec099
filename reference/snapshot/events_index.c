/* For each event the last ones before it that are about the same. Sorting finds them, so that the
 * time does not grow with the square of their number. */
#include <stdlib.h>
#include <string.h>

#include "snapshot/events.h"

bool cs_event_is_image(const struct cs_event *event)
{
    return event->kind == CS_DECLARE_PROCESS || event->kind == CS_DECLARE_LIBRARY;
}

/* --- orders --- */

static int by_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* By what events are about. A library is known by where it is. */
static int by_thing(const struct cs_event *a, const struct cs_event *b)
{
    int order = by_number(a->kind, b->kind);
    order = order != 0 ? order : by_number(a->id, b->id);
    if (order != 0 || !cs_event_is_image(a)) {
        return order;
    }
    order = by_number(a->pid, b->pid);
    return order != 0 || a->kind == CS_DECLARE_PROCESS ? order : by_number(a->address, b->address);
}

/* By the names of images, and of sources. */
static int by_name(const struct cs_event *a, const struct cs_event *b)
{
    int order = by_number(cs_event_is_image(a), cs_event_is_image(b));
    order = order != 0 || cs_event_is_image(a) ? order : by_number(a->kind, b->kind);
    return order != 0 ? order : strcmp(a->text, b->text);
}

static int by_place(const struct cs_event *a, const struct cs_event *b)
{
    const int order = by_thing(a, b);
    return order != 0 ? order : by_number(a->address, b->address);
}

static int by_place_and_name(const struct cs_event *a, const struct cs_event *b)
{
    const int order = by_place(a, b);
    return order != 0 ? order : strcmp(a->text, b->text);
}

static int by_place_and_uuid(const struct cs_event *a, const struct cs_event *b)
{
    const int order = by_place(a, b);
    return order != 0 ? order : strcmp(a->uuid, b->uuid);
}

static int by_process(const struct cs_event *a, const struct cs_event *b)
{
    return by_number(a->pid, b->pid);
}

/* --- links --- */

typedef int cs_order(const struct cs_event *a, const struct cs_event *b);

struct index {
    struct cs_event **events;
    size_t count;
    const struct cs_event *snapshot; /* the end of the one that the log begins with */
    cs_order *order;
};

static int in_order(const void *a, const void *b, void *argument)
{
    const struct cs_event *x = *(struct cs_event *const *)a;
    const struct cs_event *y = *(struct cs_event *const *)b;
    const int order = ((const struct index *)argument)->order(x, y);
    return order != 0 ? order : (x > y) - (x < y);
}

static void sort(struct index *index, cs_order *order)
{
    index->order = order;
    qsort_r(index->events, index->count, sizeof(struct cs_event *), in_order, index);
}

/* The event before number `n`, if it has the same place in the order; else null. */
static struct cs_event *neighbour(const struct index *index, size_t n)
{
    struct cs_event *before = n > 0 ? index->events[n - 1] : NULL;
    return before != NULL && index->order(before, index->events[n]) == 0 ? before : NULL;
}

static void link_things(struct index *index)
{
    sort(index, by_thing);
    for (size_t i = 0; i < index->count; i++) {
        struct cs_event *event = index->events[i];
        const struct cs_event *before = event->kind != CS_PATCH_CODE ? neighbour(index, i) : NULL;
        event->before = before;
        event->anew = before != NULL && event->kind != CS_DECLARE_PROCESS &&
                      event->state != CS_EVENT_END && before->end != NULL && before->end < event;
    }
}

/* Of images that have a name, or of those that have only a UUID. */
static void link_images(struct index *index, cs_order *order, bool named)
{
    sort(index, order);
    for (size_t i = 0; i < index->count; i++) {
        struct cs_event *event = index->events[i];
        if (cs_event_is_image(event) && (event->text[0] != '\0') == named) {
            event->alike = neighbour(index, i);
        }
    }
}

static void link_names(struct index *index)
{
    sort(index, by_name);
    for (size_t i = 0; i < index->count; i++) {
        index->events[i]->named = neighbour(index, i);
    }
}

/* What there is of a process before an event of it, and its end. */
static void link_processes(struct index *index)
{
    sort(index, by_process);
    for (size_t i = 0; i < index->count; i++) {
        struct cs_event *event = index->events[i];
        const struct cs_event *previous = neighbour(index, i);
        const bool declares = event->kind == CS_DECLARE_PROCESS;
        event->previous = previous;
        event->process = previous == NULL                       ? NULL
                         : previous->kind == CS_DECLARE_PROCESS ? previous
                                                                : previous->process;
        event->begun =
            (previous != NULL && previous->begun) || (declares && event->state == CS_EVENT_START);
    }
    for (size_t i = index->count; i > 0; i--) {
        struct cs_event *event = index->events[i - 1];
        const struct cs_event *next = i < index->count ? index->events[i] : NULL;
        next = next != NULL && next->previous == event ? next : NULL;
        event->end = next == NULL                                                      ? NULL
                     : next->kind == CS_DECLARE_PROCESS && next->state == CS_EVENT_END ? next
                                                                                       : next->end;
        event->listed = (event->kind == CS_DECLARE_PROCESS && event < index->snapshot) ||
                        (next != NULL && next->listed);
    }
}

enum assay_error cs_events_index(struct cs_event *list, size_t count, struct assay_diag *diag)
{
    struct index index = {.events = malloc((count + 1) * sizeof *index.events), .snapshot = list};
    if (index.events == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        if (index.snapshot == &list[i] && list[i].state == CS_EVENT_CURRENT) {
            index.snapshot++;
        }
        if (list[i].kind != CS_DEFINE_TRACE) {
            index.events[index.count++] = &list[i];
        }
    }
    link_processes(&index);
    index.count = count;
    for (size_t i = 0; i < count; i++) {
        index.events[i] = &list[i];
    }
    link_things(&index);
    link_images(&index, by_place_and_name, true);
    link_images(&index, by_place_and_uuid, false);
    link_names(&index);
    free(index.events);
    return ASSAY_OK;
}
