/* A segment tree over ranges of addresses that are all known beforehand: each change and query
 * takes a time that grows with the logarithm of their number. */
#ifndef ASSAY_SNAPSHOT_AREAS_H
#define ASSAY_SNAPSHOT_AREAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"

struct cs_area {
    uint64_t space; /* addresses of two spaces have nothing in common */
    uint64_t first, last;
};

struct cs_areas {
    struct cs_bound *bounds; /* where areas begin, and behind their ends: the leaves */
    size_t count;
    /* Of each node: what all of it has, and the highest of that and of the nodes below it. Number
     * 1 is the root, below N are 2N and 2N + 1. */
    uint32_t *all, *highest;
};

/* Prepares for areas, at which there is 0; they become the arena's. False when memory is out. */
bool cs_areas_open(struct cs_areas *areas, struct assay_arena *arena, const struct cs_area *list,
                   size_t count);

/* Adds a number to those at an area of the list, or at a whole space. It is taken away by adding
 * its negative to the same area. */
void cs_areas_add(struct cs_areas *areas, const struct cs_area *area, uint32_t number);

/* Makes what is at the area at least this. One tree has only one of the two kinds of changes. */
void cs_areas_raise(struct cs_areas *areas, const struct cs_area *area, uint32_t least);

/* The highest number at any address of an area. Where several were added to the same address, only
 * whether it is 0 is meaningful. */
uint32_t cs_areas_highest(const struct cs_areas *areas, const struct cs_area *area);

#endif
