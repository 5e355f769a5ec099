/* Where the instructions of a Q element can lead that has conditional branches, whose outcomes no
 * element says (K10.5.5.15): all ways are followed, as long as they are few. */
#include "ete/run.h"

enum { PARTS_MOST = 64 };

struct way {
    struct ete_position at;
    uint64_t left; /* instructions that it still has */
};

struct ways {
    struct way open[ETE_Q_ENDS];
    unsigned count;
    bool given_up; /* there are too many, or one leads to where nothing is known */
};

/* As many as have ended and are open together. */
static void add_way(const struct ete_analyse *a, struct ways *ways, struct ete_position at,
                    uint64_t left)
{
    if (ways->count + a->q_end_count < ETE_Q_ENDS) {
        ways->open[ways->count++] = (struct way){at, left};
    } else {
        ways->given_up = true;
    }
}

/* After a walk it goes on in sequence, where its branch leads, or both. */
static void add_ways_after(const struct ete_analyse *a, struct ways *ways,
                           const struct ete_walk *walk, struct ete_position next, uint64_t left)
{
    if (walk->p0 != ETE_P0_DIRECT || walk->conditional) {
        add_way(a, ways, next, left);
    }
    if (walk->p0 == ETE_P0_DIRECT) {
        add_way(a, ways, ete_target_of(walk), left);
    }
    ways->given_up |= walk->count == 0 || walk->p0 == ETE_P0_INDIRECT;
}

void ete_find_q_ends(struct ete_analyse *a, const struct ete_walk *walk, struct ete_position next)
{
    const struct ete_position from = a->at;
    struct ways ways = {.given_up = false};
    add_ways_after(a, &ways, walk, next, a->left);
    for (unsigned parts = 0; ways.count > 0 && !ways.given_up;) {
        const struct way way = ways.open[--ways.count];
        if (way.left == 0) {
            a->q_ends[a->q_end_count++] = way.at;
            continue;
        }
        a->at = way.at;
        const struct ete_walk part = ete_peek(a, way.left);
        ways.given_up = parts++ == PARTS_MOST;
        add_ways_after(a, &ways, &part, ete_after(a, &part), way.left - part.count);
    }
    a->q_end_count = ways.given_up ? 0 : a->q_end_count;
    a->at = from;
}

/* How far an end is from a place; the same address in another instruction set is next to it. */
static uint64_t gap(const struct ete_position *end, const struct ete_position *to)
{
    const uint64_t ahead = end->address - to->address;
    const uint64_t least = ahead < -ahead ? ahead : -ahead;
    return least > 0 ? least : end->is1 != to->is1;
}

const struct ete_position *ete_nearest_q_end(const struct ete_analyse *a,
                                             const struct ete_position *to)
{
    const struct ete_position *nearest = a->q_end_count == 0 ? NULL : &a->q_ends[0];
    for (unsigned n = 1; n < a->q_end_count; n++) {
        nearest = gap(&a->q_ends[n], to) < gap(nearest, to) ? &a->q_ends[n] : nearest;
    }
    return nearest;
}
