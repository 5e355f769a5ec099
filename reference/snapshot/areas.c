#include "snapshot/areas.h"

#include <stdlib.h>

/* The addresses from this one up to the next bound of the space: none, where two are the same. */
struct cs_bound {
    uint64_t space, address;
};

static int by_place(const void *a, const void *b)
{
    const struct cs_bound *x = a;
    const struct cs_bound *y = b;
    const int order = (x->space > y->space) - (x->space < y->space);
    return order != 0 ? order : (x->address > y->address) - (x->address < y->address);
}

bool cs_areas_open(struct cs_areas *areas, struct assay_arena *arena, const struct cs_area *list,
                   size_t count)
{
    struct cs_bound *bounds = assay_arena_take(arena, (2 * count + 1) * sizeof *bounds);
    *areas = (struct cs_areas){.bounds = bounds};
    if (bounds == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        bounds[areas->count++] = (struct cs_bound){list[i].space, list[i].first};
        if (list[i].last < UINT64_MAX) {
            bounds[areas->count++] = (struct cs_bound){list[i].space, list[i].last + 1};
        }
    }
    qsort(bounds, areas->count, sizeof *bounds, by_place);
    areas->all = assay_arena_take(arena, (2 * areas->count + 1) * sizeof *areas->all);
    areas->highest = assay_arena_take(arena, (2 * areas->count + 1) * sizeof *areas->highest);
    return areas->all != NULL && areas->highest != NULL;
}

/* How many bounds are before a place. */
static size_t bounds_before(const struct cs_areas *areas, uint64_t space, uint64_t address)
{
    const struct cs_bound place = {space, address};
    size_t low = 0;
    size_t high = areas->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_place(&areas->bounds[middle], &place) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The leaves of an area. */
struct leaves {
    size_t begin, end;
};

static size_t end_of(const struct cs_areas *areas, uint64_t space, uint64_t last)
{
    return last < UINT64_MAX ? bounds_before(areas, space, last + 1)
                             : bounds_before(areas, space + 1, 0);
}

static struct leaves leaves_of(const struct cs_areas *areas, const struct cs_area *area)
{
    const size_t until = end_of(areas, area->space, area->first);
    const bool inside = until > 0 && areas->bounds[until - 1].space == area->space;
    return (struct leaves){areas->count + until - inside,
                           areas->count + end_of(areas, area->space, area->last)};
}

static uint32_t greater(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* --- changes --- */

static void change_node(struct cs_areas *areas, size_t node, uint32_t number, bool add)
{
    const uint32_t all = add ? areas->all[node] + number : greater(areas->all[node], number);
    const bool leaf = node >= areas->count;
    areas->all[node] = all;
    areas->highest[node] =
        leaf ? all : greater(all, greater(areas->highest[2 * node], areas->highest[2 * node + 1]));
}

/* Changes the fewest nodes that make up the area, and what is above them. */
static void change(struct cs_areas *areas, const struct cs_area *area, uint32_t number, bool add)
{
    const struct leaves leaves = leaves_of(areas, area);
    if (leaves.begin >= leaves.end) {
        return;
    }
    for (size_t l = leaves.begin, r = leaves.end; l < r; l /= 2, r /= 2) {
        if (l % 2 == 1) {
            change_node(areas, l++, number, add);
        }
        if (r % 2 == 1) {
            change_node(areas, --r, number, add);
        }
    }
    for (size_t node = leaves.begin / 2; node > 0; node /= 2) {
        change_node(areas, node, 0, true);
    }
    for (size_t node = (leaves.end - 1) / 2; node > 0; node /= 2) {
        change_node(areas, node, 0, true);
    }
}

void cs_areas_add(struct cs_areas *areas, const struct cs_area *area, uint32_t number)
{
    change(areas, area, number, true);
}

void cs_areas_raise(struct cs_areas *areas, const struct cs_area *area, uint32_t least)
{
    change(areas, area, least, false);
}

uint32_t cs_areas_highest(const struct cs_areas *areas, const struct cs_area *area)
{
    const struct leaves leaves = leaves_of(areas, area);
    uint32_t highest = 0;
    if (leaves.begin >= leaves.end) {
        return 0;
    }
    for (size_t l = leaves.begin, r = leaves.end; l < r; l /= 2, r /= 2) {
        if (l % 2 == 1) {
            highest = greater(highest, areas->highest[l++]);
        }
        if (r % 2 == 1) {
            highest = greater(highest, areas->highest[--r]);
        }
    }
    for (size_t node = leaves.begin; node > 0; node /= 2) {
        highest = greater(highest, areas->all[node]);
    }
    for (size_t node = leaves.end - 1; node > 0; node /= 2) {
        highest = greater(highest, areas->all[node]);
    }
    return highest;
}
