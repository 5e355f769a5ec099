#include "ete/element_queue.h"

#include <stdlib.h>

enum { ROOM_LEAST = 64 };

/* Doubles the room; the numbers of the elements stay. */
static bool grow(struct ete_queue *queue)
{
    const size_t room = queue->room == 0 ? ROOM_LEAST : 2 * queue->room;
    struct ete_queued *items = room <= ETE_QUEUED_MOST ? calloc(room, sizeof *items) : NULL;
    if (items == NULL) {
        return false;
    }
    for (uint64_t n = queue->first; n != queue->next; n++) {
        items[n & (room - 1)] = *ete_queue_at(queue, n);
    }
    free(queue->items);
    queue->items = items;
    queue->room = room;
    return true;
}

struct ete_queued *ete_queue_push(struct ete_queue *queue)
{
    if (ete_queue_count(queue) == queue->room && !grow(queue)) {
        return NULL;
    }
    return ete_queue_at(queue, queue->next++);
}

uint64_t ete_queue_elements(const struct ete_queue *queue, uint64_t from)
{
    uint64_t count = 0;
    for (uint64_t n = from; n != queue->next; n++) {
        const struct ete_queued *queued = ete_queue_at(queue, n);
        count += queued->kind == ETE_resolved_atoms ? queued->p0 : queued->kind != ETE_period;
    }
    return count;
}

static void set_atoms(struct ete_queued *queued, unsigned count, uint64_t taken)
{
    queued->p0 = (uint8_t)count;
    queued->says[ETE_CELL_resolved_atoms_atoms] = count;
    queued->says[ETE_CELL_resolved_atoms_taken] = taken & ((UINT64_C(1) << count) - 1);
}

struct ete_queued ete_queued_split(struct ete_queued *queued, unsigned count)
{
    struct ete_queued older = *queued;
    set_atoms(&older, count, queued->says[ETE_CELL_resolved_atoms_taken]);
    set_atoms(queued, queued->p0 - count, queued->says[ETE_CELL_resolved_atoms_taken] >> count);
    return older;
}

void ete_queued_shorten(struct ete_queued *queued, unsigned count)
{
    set_atoms(queued, queued->p0 - count, queued->says[ETE_CELL_resolved_atoms_taken]);
}

uint64_t ete_queue_sift(struct ete_queue *queue, uint64_t from,
                        bool (*stays)(const struct ete_queued *))
{
    uint64_t to = from;
    uint64_t out = 0;
    for (uint64_t n = from; n != queue->next; n++) {
        const struct ete_queued *queued = ete_queue_at(queue, n);
        if (stays(queued)) {
            *ete_queue_at(queue, to++) = *queued;
        } else {
            out += queued->p0;
        }
    }
    queue->next = to;
    return out;
}

void ete_queue_close(struct ete_queue *queue)
{
    free(queue->items);
}
