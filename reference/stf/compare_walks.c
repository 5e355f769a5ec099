#include "stf/compare_walks.h"

#include "stf/stf.h"
#include "stf/walk.h"

enum { PTE_ACCESSED_DIRTY = 0xc0 }; /* the processor itself may set them */

static struct assay_walk *last_of(struct stf_walks *walks, uint64_t page)
{
    const uint64_t mixed = (page >> ASSAY_WALK_PAGE_LOG2_MIN) * UINT64_C(0x9e3779b97f4a7c15);
    return &walks->last[mixed >> 52];
}

_Static_assert(STF_WALKS_RETAINED == 1 << (64 - 52), "the highest bits select one");

void stf_walks_note(struct stf_walks *walks, const uint8_t *data, size_t size)
{
    const unsigned log2 = stf_page_log2(stf_get(data, page_table_walk, page_size));
    const size_t entries = (size - STF_BYTES_page_table_walk) / 16;
    if (log2 < ASSAY_WALK_PAGE_LOG2_MIN || entries == 0 || entries > ASSAY_WALK_ENTRIES_MAX) {
        walks->forgotten = true; /* other rules say what is wrong with it */
        return;
    }
    struct assay_walk walk = {.page_log2 = (uint8_t)log2, .count = (uint8_t)entries};
    walk.address = stf_get(data, page_table_walk, address) & ~assay_mask(log2);
    for (unsigned i = 0; i < walk.count; i++) {
        const uint8_t *entry = data + STF_BYTES_page_table_walk + (size_t)i * 16;
        walk.entry[i].address = assay_load64(entry);
        walk.entry[i].content = assay_load64(entry + 8);
    }
    struct assay_walk *last = last_of(walks, walk.address);
    walks->forgotten = walks->forgotten || (last->count > 0 && last->address != walk.address);
    *last = walk;
    if (walks->count < STF_WALKS_GROUP) {
        walks->page[walks->count++] = walk.address;
    }
}

static bool entry_differs(const struct assay_walk_entry *a, const struct assay_walk_entry *b)
{
    return a->address != b->address ||
           ((a->content ^ b->content) & ~(uint64_t)PTE_ACCESSED_DIRTY) != 0;
}

/* The leaf gives the translation. */
static bool leaf_differs(const struct assay_walk *a, const struct assay_walk *b)
{
    return a->page_log2 != b->page_log2 ||
           entry_differs(&a->entry[a->count - 1], &b->entry[b->count - 1]);
}

static bool path_differs(const struct assay_walk *a, const struct assay_walk *b)
{
    bool differs = a->count != b->count;
    for (unsigned i = 0; !differs && i < a->count; i++) {
        differs = entry_differs(&a->entry[i], &b->entry[i]);
    }
    return differs;
}

static uint64_t compare_walk(struct stf_walks *walks, const struct assay_walk *executed)
{
    const struct assay_walk *last = last_of(walks, executed->address);
    if (last->count > 0 && last->address == executed->address) {
        return stf_at(inst_32, walks_known, 1) |
               stf_at(inst_32, walk_differs, leaf_differs(last, executed)) |
               stf_at(inst_32, path_differs, path_differs(last, executed));
    }
    const bool missing = executed->data && !walks->forgotten;
    return stf_at(inst_32, walks_known, missing) | stf_at(inst_32, walk_missing, missing);
}

uint64_t stf_walks_compare(struct stf_walks *walks, const struct assay_compare_match *match)
{
    uint64_t flags = 0;
    unsigned compared = 0;
    const struct assay_walk *executed = NULL;
    for (unsigned n = 0; (executed = assay_window_walk(match->window, match->executed, n)) != NULL;
         n++) {
        flags |= compare_walk(walks, executed);
        for (unsigned i = 0; i < walks->count; i++) {
            compared += walks->page[i] == executed->address;
        }
    }
    match->uncompared->count[ASSAY_UNCOMPARED_WALKS] +=
        walks->count > compared ? walks->count - compared : 0;
    return flags;
}
