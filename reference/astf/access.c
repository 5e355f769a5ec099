#include "astf/access.h"

#include <string.h>

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void append(struct astf_accesses *out, const struct astf_access *access)
{
    uint32_t size;
    for (uint32_t done = 0; done < access->size; done += size) {
        const uint64_t address = access->address + done;
        const uint32_t in_page = ASTF_ACCESS_PAGE - (uint32_t)(address % ASTF_ACCESS_PAGE);
        size = least(least(access->size - done, ASTF_ACCESS_BYTES), in_page);
        if (out->count == ASTF_ACCESSES) {
            out->cut = true;
            return;
        }
        out->list[out->count] = *access;
        out->list[out->count].address = address;
        out->list[out->count++].size = size;
    }
}

/* The next run of accesses that follow each other in memory in one direction. */
static unsigned next_run(const struct assay_access *access, unsigned count, struct astf_access *run)
{
    unsigned n = 1;
    *run = (struct astf_access){.address = astf_untagged(access[0].address),
                                .size = access[0].size,
                                .read = !access[0].write,
                                .write = access[0].write};
    while (n < count && access[n].write == access[0].write &&
           astf_untagged(access[n].address) == run->address + run->size) {
        run->size += access[n++].size;
    }
    return n;
}

void astf_accesses_from(const struct assay_access *access, unsigned count,
                        struct astf_accesses *out)
{
    out->count = 0;
    out->cut = false;
    for (unsigned at = 0; at < count;) {
        struct astf_access run;
        struct astf_access second;
        at += next_run(access + at, count - at, &run);
        /* A read-modify-write cycle: the same bytes, read and then written. */
        if (at < count && run.read) {
            const unsigned n = next_run(access + at, count - at, &second);
            if (second.write && second.address == run.address && second.size == run.size) {
                run.write = true;
                at += n;
            }
        }
        append(out, &run);
    }
}

/* Whether a run that begins no earlier goes on where this one ends, or before. */
static bool reaches(const struct astf_run *run, uint64_t first)
{
    return run->last >= first || run->last + 1 == first;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void close_gap(struct astf_runs *runs, unsigned at, unsigned next)
{
    memmove(&runs->list[at], &runs->list[next], (runs->count - next) * sizeof runs->list[0]);
    runs->count -= next - at;
}

static void add_run(struct astf_runs *runs, uint64_t first, uint64_t last)
{
    unsigned at = runs->count; /* accesses mostly ascend */
    while (at > 0 && runs->list[at - 1].first > first) {
        at--;
    }
    if (at > 0 && reaches(&runs->list[at - 1], first)) {
        at--;
        runs->list[at].last = later(runs->list[at].last, last);
    } else if (runs->count == ASTF_RUNS) {
        runs->cut = true;
        return;
    } else {
        memmove(&runs->list[at + 1], &runs->list[at], (runs->count - at) * sizeof runs->list[0]);
        runs->list[at] = (struct astf_run){first, last};
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

void astf_runs_add(struct astf_runs *runs, uint64_t address, uint64_t size)
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

static void note(struct astf_surplus *surplus, uint64_t first, uint64_t last)
{
    const uint64_t more = last - first;
    surplus->first = surplus->bytes == 0 ? first : surplus->first;
    surplus->bytes += more < UINT32_MAX ? more + 1 : UINT32_MAX;
}

struct astf_surplus astf_runs_beyond(const struct astf_runs *runs, const struct astf_runs *other)
{
    struct astf_surplus surplus = {0, 0};
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
