#include "walks.h"

#include "common/bytes.h"

enum {
    PTE_V = 1,
    PTE_R = 2,
    PTE_X = 8,
    PTE_ACCESSED_DIRTY = 0xc0, /* the processor itself may set them */
    PAGE_LOG2 = 12,
    INDEX_BITS = 9, /* of an address, for each level of tables of 512 entries */
    SATP_SV39 = 8,
    SATP_SV48 = 9
};

bool walks_write_satp(uint32_t word)
{
    enum { SYSTEM = 0x73, SATP = 0x180, CSRRW = 1 };
    const unsigned operation = word >> 12 & 3; /* of registers and immediates alike */
    const bool reads_only = operation != CSRRW && (word >> 15 & 31) == 0;
    return (word & 0x7f) == SYSTEM && word >> 20 == SATP && operation != 0 && !reads_only;
}

static unsigned levels_of(uint64_t satp)
{
    const unsigned mode = (unsigned)(satp >> 60);
    return mode == SATP_SV39 ? 3 : mode == SATP_SV48 ? 4 : 0;
}

static uint16_t space_of(uint64_t satp)
{
    return (uint16_t)(satp >> 44);
}

static uint64_t page_of(uint64_t entry)
{
    return (entry >> 10 & assay_mask(44)) << PAGE_LOG2;
}

/* From the root to the leaf. False: translation is off, or there is no leaf. */
static bool find_walk(const struct walks *walks, const struct contents *contents, uint64_t address,
                      struct assay_walk *walk)
{
    unsigned level = levels_of(walks->satp);
    uint64_t table = (walks->satp & assay_mask(44)) << PAGE_LOG2;
    *walk = (struct assay_walk){.count = 0};
    while (level-- > 0) {
        const unsigned log2 = PAGE_LOG2 + level * INDEX_BITS;
        struct assay_walk_entry *entry = &walk->entry[walk->count++];
        entry->address = table + (address >> log2 & assay_mask(INDEX_BITS)) * 8;
        if (!contents_read(contents, entry->address, 8, NULL, &entry->content) ||
            (entry->content & PTE_V) == 0) {
            return false;
        }
        if ((entry->content & (PTE_R | PTE_X)) != 0) {
            walk->page_log2 = (uint8_t)log2;
            walk->address = address & ~assay_mask(log2);
            return true;
        }
        table = page_of(entry->content);
    }
    return false;
}

static uint64_t translated(const struct assay_walk *walk, uint64_t address)
{
    const uint64_t offset = assay_mask(walk->page_log2);
    return (page_of(walk->entry[walk->count - 1].content) & ~offset) | (address & offset);
}

static bool is_same(const struct assay_walk *a, const struct assay_walk *b)
{
    bool same = a->count == b->count && a->address == b->address && a->page_log2 == b->page_log2;
    for (unsigned i = 0; same && i < a->count; i++) {
        const uint64_t difference = a->entry[i].content ^ b->entry[i].content;
        same = a->entry[i].address == b->entry[i].address &&
               (difference & ~(uint64_t)PTE_ACCESSED_DIRTY) == 0;
    }
    return same;
}

static unsigned slot_of(uint16_t space, uint64_t page)
{
    const uint64_t mixed =
        ((page >> PAGE_LOG2) ^ (uint64_t)space << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)(mixed >> 52) % WALKS_RETAINED;
}

static bool is_recorded(const struct walks *walks, uint16_t space, const struct assay_walk *walk)
{
    const unsigned slot = slot_of(space, walk->address);
    return walks->space[slot] == space && is_same(&walks->recorded[slot], walk);
}

void walks_use(const struct walks *walks, const struct contents *contents, uint64_t address,
               uint64_t physical, bool data, struct walks_held *held)
{
    struct assay_walk walk;
    if (!walks->known || !find_walk(walks, contents, address, &walk) ||
        (physical != WALKS_ANYWHERE && physical != translated(&walk, address))) {
        return;
    }
    held->space = space_of(walks->satp);
    for (unsigned i = 0; i < held->count; i++) {
        if (is_same(&held->walk[i], &walk)) {
            held->walk[i].data = held->walk[i].data || data;
            return;
        }
    }
    if (held->count < WALKS_HELD && !is_recorded(walks, held->space, &walk)) {
        walk.data = data;
        held->walk[held->count++] = walk;
    }
}

bool walks_take(struct walks *walks, uint16_t space, const struct assay_walk *walk)
{
    const unsigned slot = slot_of(space, walk->address);
    if (is_recorded(walks, space, walk)) {
        return false;
    }
    walks->recorded[slot] = *walk;
    walks->space[slot] = space;
    return true;
}

void walks_forget(struct walks *walks, uint64_t address)
{
    const uint16_t space = space_of(walks->satp);
    for (unsigned level = 0; level < levels_of(walks->satp); level++) {
        const uint64_t page = address & ~assay_mask(PAGE_LOG2 + level * INDEX_BITS);
        const unsigned slot = slot_of(space, page);
        if (walks->space[slot] == space && walks->recorded[slot].address == page) {
            walks->recorded[slot].count = 0;
        }
    }
}
