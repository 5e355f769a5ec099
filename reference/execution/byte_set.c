#include "execution/byte_set.h"

#include <string.h>

/* Whether a range that begins at `first`, not before this one, overlaps or touches it. */
static bool reaches(const struct assay_byte_range *range, uint64_t first)
{
    return range->last >= first || range->last + 1 == first;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void close_gap(struct assay_byte_set *set, unsigned at, unsigned next)
{
    memmove(&set->list[at], &set->list[next], (set->count - next) * sizeof set->list[0]);
    set->count -= next - at;
}

static void add_range(struct assay_byte_set *set, uint64_t first, uint64_t last)
{
    unsigned at = set->count; /* accesses mostly ascend */
    while (at > 0 && set->list[at - 1].first > first) {
        at--;
    }
    if (at > 0 && reaches(&set->list[at - 1], first)) {
        at--;
        set->list[at].last = later(set->list[at].last, last);
    } else if (set->count == ASSAY_BYTE_SET_RANGES) {
        set->overflowed = true;
        return;
    } else {
        memmove(&set->list[at + 1], &set->list[at], (set->count - at) * sizeof set->list[0]);
        set->list[at] = (struct assay_byte_range){first, last};
        set->count++;
    }
    unsigned next = at + 1;
    while (next < set->count && reaches(&set->list[at], set->list[next].first)) {
        set->list[at].last = later(set->list[at].last, set->list[next++].last);
    }
    if (next > at + 1) {
        close_gap(set, at + 1, next);
    }
}

void assay_byte_set_add(struct assay_byte_set *set, uint64_t address, uint64_t size)
{
    const uint64_t last = address + (size - 1);
    if (size == 0) {
        return;
    }
    if (last < address) {
        add_range(set, 0, last);
        add_range(set, address, UINT64_MAX);
    } else {
        add_range(set, address, last);
    }
}

static void count(struct assay_byte_difference *difference, uint64_t first, uint64_t last)
{
    const uint64_t more = last - first;
    difference->first = difference->bytes == 0 ? first : difference->first;
    difference->bytes += more < UINT32_MAX ? more + 1 : UINT32_MAX;
}

struct assay_byte_difference assay_byte_set_difference(const struct assay_byte_set *set,
                                                       const struct assay_byte_set *other)
{
    struct assay_byte_difference difference = {0, 0};
    unsigned at = 0;
    for (unsigned i = 0; i < set->count; i++) {
        uint64_t from = set->list[i].first;
        const uint64_t last = set->list[i].last;
        bool covered = false; /* to the end of the range */
        while (at < other->count && other->list[at].last < from) {
            at++;
        }
        for (unsigned k = at; k < other->count && other->list[k].first <= last && !covered; k++) {
            if (other->list[k].first > from) {
                count(&difference, from, other->list[k].first - 1);
            }
            covered = other->list[k].last >= last;
            from = other->list[k].last + 1;
        }
        if (!covered) {
            count(&difference, from, last);
        }
    }
    return difference;
}
