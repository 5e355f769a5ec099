/* How the memory of a program changes in time. What can change are the contents of addresses, and
 * which memory a context sees. Changes happen at moments, numbered from 1 on in the order of time;
 * what is said of moment 0 holds from the beginning. After moment N all changes up to N have
 * happened.
 *
 * A reader does not always know which moment it is at: it reads in a window of moments, from `low`
 * to `high`, all of which are possible. What all of them agree on is read; where nothing is known
 * to be present before a change and something after it, or the other way round, what is present is
 * read; where two contents differ, the address is absent.
 *
 * Plain data, which does not change once an image set has it. */
#ifndef ASSAY_IMAGE_TIMELINE_H
#define ASSAY_IMAGE_TIMELINE_H

#include "image/space.h"

enum {
    ASSAY_MOMENTS_MAX = 1 << 16, /* of a timeline */
    ASSAY_WRITES_MAX = 1 << 17   /* of a timeline */
};

/* What an address holds from a moment on. */
enum assay_content {
    ASSAY_CONTENT_NOTHING, /* it is not mapped */
    ASSAY_CONTENT_UNKNOWN, /* something that is not known */
    ASSAY_CONTENT_BYTES,
    ASSAY_CONTENT_IMAGE,  /* an image of the set */
    ASSAY_CONTENT_UNDATED /* what the undated images have, if nothing changes the address later;
                             else it is not known */
};

/* From a moment on the addresses have this content. Of two writes at one moment the later one in
 * the list holds. */
struct assay_write {
    enum assay_content content;
    uint32_t moment;
    uint32_t image; /* its number in the set; of CONTENT_IMAGE, which has its own space and
                       addresses */
    struct assay_space space; /* of the other contents */
    uint64_t first, last;     /* addresses, likewise */
    const uint8_t *bytes;     /* of CONTENT_BYTES, one for each address; borrowed */
};

/* From a moment on the contexts with a key see the images of a context; or, if it is not bound, of
 * none. */
struct assay_binding {
    uint64_t key;
    uint64_t context; /* that images name (struct assay_space) */
    uint32_t moment;
    bool bound;
};

/* How the images that a context sees follow from its identifier. */
struct assay_context_keys {
    uint8_t shift; /* the key is this part of the identifier */
    uint32_t mask;
    bool by_itself; /* a key that is not bound is the context itself; else it sees no images that
                       name a context */
};

struct assay_timeline {
    const char *name;      /* what messages call it; or null */
    const uint64_t *times; /* of the moments, from 1 on; they do not decrease */
    uint32_t moments;
    bool dated; /* the times can be compared with those of the trace. Otherwise a reader never
                   knows the moment */
    uint64_t tolerance; /* each time is only known to be this near */
    const struct assay_write *writes;
    size_t write_count;
    const struct assay_binding *bindings; /* by key; of one key in the order of time */
    size_t binding_count;
    struct assay_context_keys keys;
};

/* The moments that are possible. */
struct assay_moments {
    uint32_t low, high;
};

/* The window of what was executed at or after one time, and at or before another one. One that is
 * not known is null; two that contradict each other say nothing. */
struct assay_moments assay_timeline_moments(const struct assay_timeline *timeline,
                                            const uint64_t *after, const uint64_t *before);

/* The contexts whose images a context may see in a window: those of `candidates`, at most `most`.
 * Returns how many, each once; `most` + 1 if there are too many to tell. What sees none counts
 * only if there is no other. `is_seen`: whether any image names a context; others do not count. */
unsigned assay_timeline_contexts(const struct assay_timeline *timeline, struct assay_moments window,
                                 uint64_t context,
                                 bool (*is_seen)(const void *argument, uint64_t context),
                                 const void *argument, uint64_t *candidates, unsigned most);

#endif
