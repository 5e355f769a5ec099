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

/* The next run of contiguous accesses of one direction. */
static unsigned next_run(const struct assay_access *access, unsigned count, struct astf_access *run)
{
    unsigned n = 1;
    *run = (struct astf_access){.address = assay_untagged(access[0].address),
                                .size = access[0].size,
                                .read = !access[0].write,
                                .write = access[0].write};
    while (n < count && access[n].write == access[0].write &&
           assay_untagged(access[n].address) == run->address + run->size) {
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
