#include "image/timeline.h"

/* Changes of one key in a window beyond which they are not looked at. */
enum { CHANGES_MOST = 64 };

/* --- time --- */

/* How many moments were before a time: certainly, or possibly. */
static uint32_t count_before(const struct assay_timeline *t, uint64_t time, bool certainly)
{
    uint32_t low = 0;
    uint32_t high = t->moments;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const uint64_t at = t->times[middle];
        const bool before = certainly ? at < time && time - at > t->tolerance
                                      : at <= time || at - time <= t->tolerance;
        if (before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct assay_moments assay_timeline_moments(const struct assay_timeline *timeline,
                                            const uint64_t *after, const uint64_t *before)
{
    struct assay_moments window = {0, timeline->moments};
    if (!timeline->dated || (after != NULL && before != NULL && *before < *after)) {
        return window;
    }
    if (after != NULL) {
        window.low = count_before(timeline, *after, true);
    }
    if (before != NULL) {
        window.high = count_before(timeline, *before, false);
    }
    return window;
}

/* --- contexts --- */

/* How many bindings come before those of a key that are later than a moment. */
static size_t bindings_until(const struct assay_timeline *t, uint64_t key, uint32_t moment)
{
    size_t low = 0;
    size_t high = t->binding_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct assay_binding *binding = &t->bindings[middle];
        if (binding->key < key || (binding->key == key && binding->moment <= moment)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The contexts that were found. */
struct found {
    bool (*is_seen)(const void *argument, uint64_t context);
    const void *argument;
    uint64_t *list;
    unsigned count, most;
};

static void add(struct found *found, uint64_t context)
{
    unsigned i = 0;
    while (i < found->count && i < found->most && found->list[i] != context) {
        i++;
    }
    if (i < found->count || !found->is_seen(found->argument, context)) {
        return;
    }
    if (found->count < found->most) {
        found->list[found->count] = context;
    }
    found->count += found->count <= found->most;
}

unsigned assay_timeline_contexts(const struct assay_timeline *timeline, struct assay_moments window,
                                 uint64_t context,
                                 bool (*is_seen)(const void *argument, uint64_t context),
                                 const void *argument, uint64_t *candidates, unsigned most)
{
    const uint64_t key = context >> timeline->keys.shift & timeline->keys.mask;
    struct found found = {
        .is_seen = is_seen, .argument = argument, .list = candidates, .most = most};
    const size_t end = bindings_until(timeline, key, window.high);
    size_t n = bindings_until(timeline, key, window.low);
    const bool before = n > 0 && timeline->bindings[n - 1].key == key;
    n -= before; /* the one that holds when the window begins */
    if (end - n > CHANGES_MOST) {
        return most + 1;
    }
    if (!before && timeline->keys.by_itself) {
        add(&found, key);
    }
    for (; n < end; n++) {
        if (timeline->bindings[n].bound) {
            add(&found, timeline->bindings[n].context);
        } else if (timeline->keys.by_itself) {
            add(&found, key);
        }
    }
    return found.count;
}
