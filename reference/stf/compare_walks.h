/* Comparison of page table walks with those of a recorded execution: the last walk of each page in
 * the trace is remembered, and must be the one that the recording has where it is used first. */
#ifndef ASSAY_STF_COMPARE_WALKS_H
#define ASSAY_STF_COMPARE_WALKS_H

#include <stdbool.h>
#include <stdint.h>

#include "execution/compare.h"

enum {
    STF_WALKS_RETAINED = 4096, /* pages */
    STF_WALKS_GROUP = 8        /* walks of a group that are counted */
};

struct stf_walks {
    bool forgotten; /* the last walk of a page may no longer be remembered */
    struct assay_walk last[STF_WALKS_RETAINED]; /* of a page, in the trace; count 0: none */
    unsigned count;                             /* of the group */
    uint64_t page[STF_WALKS_GROUP];
};

/* A record of a walk, of `size` bytes after its descriptor. */
void stf_walks_note(struct stf_walks *walks, const uint8_t *data, size_t size);

/* The executed instruction of the group: the flags walks_known, walk_missing, walk_differs and
 * path_differs of layout.def. */
uint64_t stf_walks_compare(struct stf_walks *walks, const struct assay_compare_match *match);

/* A group ends. */
static inline void stf_walks_end(struct stf_walks *walks)
{
    walks->count = 0;
}

#endif
