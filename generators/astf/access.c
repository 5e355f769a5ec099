#include "generators/astf/access.h"

static void append(struct astf_accesses *out, const struct astf_access *access)
{
    for (uint32_t done = 0; done < access->size; done += ASTF_ACCESS_BYTES) {
        const uint32_t left = access->size - done;
        if (out->count == ASTF_ACCESSES) {
            out->cut = true;
            return;
        }
        out->list[out->count] = *access;
        out->list[out->count].address += done;
        out->list[out->count++].size = left < ASTF_ACCESS_BYTES ? left : ASTF_ACCESS_BYTES;
    }
}

/* The next run of accesses that follow each other in memory in one direction. */
static unsigned next_run(const struct assay_access *access, unsigned count, struct astf_access *run)
{
    unsigned n = 1;
    *run = (struct astf_access){.address = access[0].address,
                                .size = access[0].size,
                                .read = !access[0].write,
                                .write = access[0].write};
    while (n < count && access[n].write == access[0].write &&
           access[n].address == run->address + run->size) {
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
