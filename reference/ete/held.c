#include "ete/held.h"

#include <stdlib.h>

enum { ROOM_LEAST = 64 };

/* Doubles the room; the numbers of the elements stay. */
static bool grow(struct ete_queue *queue)
{
    const size_t room = queue->room == 0 ? ROOM_LEAST : 2 * queue->room;
    struct ete_held *items = room <= ETE_HELD_MOST ? calloc(room, sizeof *items) : NULL;
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

struct ete_held *ete_queue_push(struct ete_queue *queue)
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
        const struct ete_held *held = ete_queue_at(queue, n);
        count += held->kind == ETE_resolved_atoms ? held->p0 : held->kind != ETE_period;
    }
    return count;
}

static void set_atoms(struct ete_held *held, unsigned count, uint64_t taken)
{
    held->p0 = (uint8_t)count;
    held->says[ETE_CELL_resolved_atoms_atoms] = count;
    held->says[ETE_CELL_resolved_atoms_taken] = taken & ((UINT64_C(1) << count) - 1);
}

struct ete_held ete_held_split(struct ete_held *held, unsigned count)
{
    struct ete_held older = *held;
    set_atoms(&older, count, held->says[ETE_CELL_resolved_atoms_taken]);
    set_atoms(held, held->p0 - count, held->says[ETE_CELL_resolved_atoms_taken] >> count);
    return older;
}

void ete_held_shorten(struct ete_held *held, unsigned count)
{
    set_atoms(held, held->p0 - count, held->says[ETE_CELL_resolved_atoms_taken]);
}

uint64_t ete_queue_sift(struct ete_queue *queue, uint64_t from,
                        bool (*stays)(const struct ete_held *))
{
    uint64_t to = from;
    uint64_t out = 0;
    for (uint64_t n = from; n != queue->next; n++) {
        const struct ete_held *held = ete_queue_at(queue, n);
        if (stays(held)) {
            *ete_queue_at(queue, to++) = *held;
        } else {
            out += held->p0;
        }
    }
    queue->next = to;
    return out;
}

void ete_queue_close(struct ete_queue *queue)
{
    free(queue->items);
}
