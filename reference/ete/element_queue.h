/* Elements that wait in a queue of the layer `resolved`: for their resolution (K10.5.3), or for the
 * end of a transaction (K10.5.4). The element's event may be overwritten meanwhile; what it says is
 * kept. */
#ifndef ASSAY_ETE_ELEMENT_QUEUE_H
#define ASSAY_ETE_ELEMENT_QUEUE_H

#include "ete/ete.h"

struct ete_queued {
    uint64_t element; /* its index */
    uint64_t offset;
    uint64_t says[ETE_SAYS_MOST];
    uint8_t kind;       /* enum ete_kind, of the resolved element */
    uint8_t p0;         /* P0 elements: several where it is a run of atoms */
    bool transactional; /* it left in a transaction, or is the exception that ended it */
    bool begins;        /* a Trace Info at which the analysis begins */
    bool informs;       /* a Trace Info that says whether a transaction is open where it leaves */
    uint8_t later;      /* of a period: Timestamps that come before the one that ends it */
};

/* How many elements wait in a queue at most. A trace unit resolves its P0 elements when there are
 * more than TRCIDR8.MAXSPEC, and no limit is known for the other elements between them. */
enum { ETE_QUEUED_MOST = 1 << 20 };

/* A ring that grows. Zero-initialised it is empty. */
struct ete_queue {
    struct ete_queued *items;
    size_t room;          /* a power of 2, or 0 */
    uint64_t first, next; /* numbers of the oldest one, and one past the youngest */
};

static inline uint64_t ete_queue_count(const struct ete_queue *queue)
{
    return queue->next - queue->first;
}

/* An element by its number, which is one in the queue. */
static inline struct ete_queued *ete_queue_at(const struct ete_queue *queue, uint64_t number)
{
    return &queue->items[number & (queue->room - 1)];
}

/* Room for one more at the young end; null when the queue is full, or memory is out. */
struct ete_queued *ete_queue_push(struct ete_queue *queue);

/* Whether it has no room for one more, whatever memory there is. */
static inline bool ete_queue_is_full(const struct ete_queue *queue)
{
    return ete_queue_count(queue) == ETE_QUEUED_MOST;
}

/* How many elements wait from a number on, atoms one by one. */
uint64_t ete_queue_elements(const struct ete_queue *queue, uint64_t from);

/* Splits a run of atoms: the `count` oldest ones are returned, the others stay. */
struct ete_queued ete_queued_split(struct ete_queued *queued, unsigned count);

/* Takes the `count` youngest atoms of a run away. */
void ete_queued_shorten(struct ete_queued *queued, unsigned count);

/* Takes those out that `stays` is false of, from number `from` on; the others keep their order.
 * Returns how many P0 elements were taken out. */
uint64_t ete_queue_sift(struct ete_queue *queue, uint64_t from,
                        bool (*stays)(const struct ete_queued *));

/* Frees what the queue has, which is not used any more. */
void ete_queue_close(struct ete_queue *queue);

#endif
