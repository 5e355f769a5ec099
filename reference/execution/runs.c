#include "execution/runs.h"

#include <string.h>

/* Whether a run that begins no earlier goes on where this one ends, or before. */
static bool reaches(const struct assay_run *run, uint64_t first)
{
    return run->last >= first || run->last + 1 == first;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void close_gap(struct assay_runs *runs, unsigned at, unsigned next)
{
    memmove(&runs->list[at], &runs->list[next], (runs->count - next) * sizeof runs->list[0]);
    runs->count -= next - at;
}

static void add_run(struct assay_runs *runs, uint64_t first, uint64_t last)
{
    unsigned at = runs->count; /* accesses mostly ascend */
    while (at > 0 && runs->list[at - 1].first > first) {
        at--;
    }
    if (at > 0 && reaches(&runs->list[at - 1], first)) {
        at--;
        runs->list[at].last = later(runs->list[at].last, last);
    } else if (runs->count == ASSAY_RUNS) {
        runs->cut = true;
        return;
    } else {
        memmove(&runs->list[at + 1], &runs->list[at], (runs->count - at) * sizeof runs->list[0]);
        runs->list[at] = (struct assay_run){first, last};
        runs->count++;
    }
    unsigned next = at + 1;
    while (next < runs->count && reaches(&runs->list[at], runs->list[next].first)) {
        runs->list[at].last = later(runs->list[at].last, runs->list[next++].last);
    }
    if (next > at + 1) {
        close_gap(runs, at + 1, next);
    }
}

void assay_runs_add(struct assay_runs *runs, uint64_t address, uint64_t size)
{
    const uint64_t last = address + (size - 1);
    if (size == 0) {
        return;
    }
    if (last < address) {
        add_run(runs, 0, last);
        add_run(runs, address, UINT64_MAX);
    } else {
        add_run(runs, address, last);
    }
}

static void note(struct assay_surplus *surplus, uint64_t first, uint64_t last)
{
    const uint64_t more = last - first;
    surplus->first = surplus->bytes == 0 ? first : surplus->first;
    surplus->bytes += more < UINT32_MAX ? more + 1 : UINT32_MAX;
}

struct assay_surplus assay_runs_beyond(const struct assay_runs *runs,
                                       const struct assay_runs *other)
{
    struct assay_surplus surplus = {0, 0};
    unsigned at = 0;
    for (unsigned i = 0; i < runs->count; i++) {
        uint64_t from = runs->list[i].first;
        const uint64_t last = runs->list[i].last;
        bool covered = false; /* to the end of the run */
        while (at < other->count && other->list[at].last < from) {
            at++;
        }
        for (unsigned k = at; k < other->count && other->list[k].first <= last && !covered; k++) {
            if (other->list[k].first > from) {
                note(&surplus, from, other->list[k].first - 1);
            }
            covered = other->list[k].last >= last;
            from = other->list[k].last + 1;
        }
        if (!covered) {
            note(&surplus, from, last);
        }
    }
    return surplus;
}
