#include "stf/walk.h"

#include <stdlib.h>

#include "stf/stf.h"

/* --- pages --- */

enum {
    SLOTS = STF_PAGES * 2,
    NEAR = 32,
    LOG2_4K = 12,
    LOG2_64K = 16,
    LOG2_512G = 39,
    ACCESSED = 63,
    FORGOTTEN = 64
};

struct stf_page {
    uint64_t number; /* address in pages */
    uint64_t of;     /* address space and what is recorded for it; 0: the slot is empty */
};

void stf_pages_use(struct stf_pages *pages)
{
    if (pages->slots == NULL) {
        pages->slots = calloc(SLOTS, sizeof *pages->slots);
        pages->full = pages->slots == NULL;
    }
}

void stf_pages_close(struct stf_pages *pages)
{
    free(pages->slots);
    *pages = (struct stf_pages){0};
}

static struct stf_page page_of(uint32_t asid, uint64_t address, unsigned log2, unsigned what)
{
    return (struct stf_page){.number = address >> log2, .of = (uint64_t)asid << 8 | what};
}

/* Where a page is, or would be. Null when it is not there and no slot near its hash is
 * free: addresses that were chosen to collide must not make the search long. */
static struct stf_page *find(const struct stf_pages *pages, struct stf_page page)
{
    const uint64_t mixed = (page.number ^ page.of << 32) * UINT64_C(0x9e3779b97f4a7c15);
    const size_t first = (size_t)(mixed >> 40);
    for (size_t i = 0; i < NEAR; i++) {
        struct stf_page *slot = &pages->slots[(first + i) % SLOTS];
        if (slot->of == 0 || (slot->number == page.number && slot->of == page.of)) {
            return slot;
        }
    }
    return NULL;
}

/* Whether the page was there before. */
static bool add_page(struct stf_pages *pages, struct stf_page page)
{
    struct stf_page *slot = find(pages, page);
    if (slot != NULL && slot->of != 0) {
        return true;
    }
    if (slot == NULL || pages->count == STF_PAGES) {
        pages->full = true;
        return false;
    }
    *slot = page;
    pages->count++;
    return false;
}

/* Only sizes that a translation mode has are looked for at each access; where a walk claims another
 * one, pages are not judged any more. */
void stf_pages_walked(struct stf_pages *pages, uint32_t asid, uint64_t address, unsigned log2)
{
    static const uint64_t sizes = UINT64_C(1) << LOG2_4K | UINT64_C(1) << LOG2_64K |
                                  UINT64_C(1) << 21 | UINT64_C(1) << 22 | UINT64_C(1) << 30 |
                                  UINT64_C(1) << LOG2_512G;
    if (pages->slots != NULL && (sizes >> log2 & 1) == 0) {
        pages->full = true;
    } else if (pages->slots != NULL) {
        pages->sizes |= UINT64_C(1) << log2;
        add_page(pages, page_of(asid, address, log2, log2));
    }
}

/* What was recorded of the page before is not of the mapping that it has from now on. */
static void forget(struct stf_pages *pages, struct stf_page page)
{
    struct stf_page *slot = find(pages, page);
    if (slot != NULL && slot->of != 0) {
        *slot = (struct stf_page){.of = FORGOTTEN};
    }
}

void stf_pages_fault(struct stf_pages *pages, uint32_t asid, uint64_t address)
{
    if (pages->slots != NULL) {
        forget(pages, page_of(asid, address, LOG2_4K, ACCESSED));
    }
}

static bool known_at(const struct stf_pages *pages, uint32_t asid, uint64_t address)
{
    for (uint64_t left = pages->sizes; left != 0; left &= left - 1) {
        const unsigned log2 = (unsigned)__builtin_ctzll(left);
        const struct stf_page *slot = find(pages, page_of(asid, address, log2, log2));
        if (slot != NULL && slot->of != 0) {
            return true;
        }
    }
    return false;
}

bool stf_pages_known(const struct stf_pages *pages, uint32_t asid, uint64_t address, uint64_t size)
{
    bool known = known_at(pages, asid, address);
    const uint64_t last = address + (size > 0 ? size - 1 : 0);
    for (uint64_t page = (address >> LOG2_4K) + 1; known && page <= last >> LOG2_4K; page++) {
        known = known_at(pages, asid, page << LOG2_4K);
    }
    return known;
}

bool stf_pages_accessed(struct stf_pages *pages, uint32_t asid, uint64_t address, uint64_t size)
{
    bool before = add_page(pages, page_of(asid, address, LOG2_4K, ACCESSED));
    const uint64_t last = address + (size > 0 ? size - 1 : 0);
    for (uint64_t page = (address >> LOG2_4K) + 1; page <= last >> LOG2_4K; page++) {
        before = add_page(pages, page_of(asid, page << LOG2_4K, LOG2_4K, ACCESSED)) && before;
    }
    return before;
}

/* --- the walks of a group --- */

bool stf_group_walk(struct stf_group_walks *walks, const struct stf_walked *walked)
{
    bool repeated = false;
    for (unsigned i = 0; i < walks->count; i++) {
        const struct stf_walked *w = &walks->list[i];
        repeated = repeated || (w->log2 == walked->log2 &&
                                w->address >> w->log2 == walked->address >> walked->log2);
    }
    if (walks->count < STF_GROUP_WALKS) {
        walks->list[walks->count++] = *walked;
    }
    return repeated;
}

void stf_group_touch(struct stf_group_walks *walks, uint64_t address, uint64_t size)
{
    const uint64_t last = address + (size > 0 ? size - 1 : 0);
    for (unsigned i = 0; i < walks->count; i++) {
        struct stf_walked *w = &walks->list[i];
        const uint64_t page = w->address >> w->log2;
        w->used = w->used || (address >> w->log2 <= page && page <= last >> w->log2);
    }
}

bool stf_group_refuses(const struct stf_group_walks *walks, uint64_t address, unsigned attribute)
{
    bool refused = false, granted = false;
    for (unsigned i = 0; i < walks->count; i++) {
        const struct stf_walked *w = &walks->list[i];
        if (w->log2 != 0 && address >> w->log2 == w->address >> w->log2) {
            const bool has = w->leaf == 0 || (w->leaf & attribute) != 0;
            granted = granted || has;
            refused = refused || !has;
        }
    }
    return refused && !granted;
}

unsigned stf_group_unused(const struct stf_group_walks *walks)
{
    unsigned unused = 0;
    for (unsigned i = 0; i < walks->count; i++) {
        unused += !walks->list[i].used;
    }
    return unused;
}

unsigned stf_page_log2(uint64_t size)
{
    if (size == 0) {
        return LOG2_512G;
    }
    return (size & (size - 1)) == 0 ? (unsigned)__builtin_ctzll(size) : 0;
}

/* --- what a walk says (RISC-V privileged architecture, Sv32, Sv39, Sv48) --- */

/* The shape of a walk: Sv32 has 2 levels of 10 bits and entries of 4 bytes, Sv39 and Sv48 have 3
 * and 4 of 9 bits and entries of 8. */
struct mode {
    unsigned levels, index_bits, entry_bytes;
};

static uint64_t entry_address(const struct stf_walk *w, unsigned i)
{
    return assay_load64(w->entries + (size_t)i * 16);
}

static uint64_t entry_content(const struct stf_walk *w, unsigned i)
{
    const uint64_t raw = assay_load64(w->entries + (size_t)i * 16 + 8);
    return w->iem == 1 ? raw & UINT32_MAX : raw;
}

/* The physical page number of an entry: bits [31:10] in Sv32, [53:10] otherwise. */
static uint64_t entry_page(const struct stf_walk *w, unsigned i)
{
    return (entry_content(w, i) & UINT64_C(0x003fffffffffffff)) >> 10;
}

static bool is_leaf(const struct stf_walk *w, unsigned i)
{
    return (entry_content(w, i) & (STF_PTE_R | STF_PTE_X)) != 0;
}

static unsigned first_leaf(const struct stf_walk *w)
{
    for (unsigned i = 0; i < w->count; i++) {
        if (is_leaf(w, i)) {
            return i + 1;
        }
    }
    return 0;
}

static unsigned entries_valid(const struct stf_walk *w)
{
    unsigned valid = 0;
    for (unsigned i = 0; i < w->count; i++) {
        valid += (entry_content(w, i) & STF_PTE_V) != 0;
    }
    return valid;
}

static unsigned entries_chained(const struct stf_walk *w)
{
    unsigned i = w->count > 0;
    while (i < w->count && entry_address(w, i) >> LOG2_4K == entry_page(w, i - 1)) {
        i++;
    }
    return i;
}

/* The entries from the first on that are where the address leads, if the walk began at the root of
 * this mode. */
static unsigned indexed_in(const struct stf_walk *w, const struct mode *mode)
{
    unsigned i = 0;
    for (; i < w->count && w->count <= mode->levels; i++) {
        const unsigned level = mode->levels - 1 - i;
        const uint64_t index =
            w->address >> (LOG2_4K + level * mode->index_bits) & assay_mask(mode->index_bits);
        if ((entry_address(w, i) & 0xfff) != index * mode->entry_bytes) {
            break;
        }
    }
    return i;
}

static unsigned entries_indexed(const struct stf_walk *w)
{
    static const struct mode sv32 = {2, 10, 4};
    static const struct mode sv39 = {3, 9, 8};
    static const struct mode sv48 = {4, 9, 8};
    if (w->iem == 1) {
        return indexed_in(w, &sv32);
    }
    const unsigned by_sv39 = w->iem == 2 ? indexed_in(w, &sv39) : 0;
    const unsigned by_sv48 = w->iem == 2 ? indexed_in(w, &sv48) : 0;
    return by_sv39 > by_sv48 ? by_sv39 : by_sv48;
}

/* Sv32 has pages of 4 KiB and 4 MiB; Sv39 and Sv48 of 4 KiB, 2 MiB, 1 GiB, and Sv48 of 512 GiB.
 * With Svnapot they have pages of 64 KiB, too, where the leaf says so by its highest bit. */
static bool size_exists(const struct stf_walk *w)
{
    const unsigned log2 = stf_page_log2(w->page_size);
    if (w->iem == 2 && log2 == LOG2_64K && w->count > 0) {
        return entry_content(w, w->count - 1) >> 63 != 0;
    }
    static const uint64_t log2s[] = {[1] = UINT64_C(1) << LOG2_4K | UINT64_C(1) << 22,
                                     [2] = UINT64_C(1) << LOG2_4K | UINT64_C(1) << 21 |
                                           UINT64_C(1) << 30 | UINT64_C(1) << LOG2_512G};
    return (w->iem == 1 || w->iem == 2) && (log2s[w->iem] >> log2 & 1) != 0;
}

/* Whether a walk of as many entries ends at a page of this size. */
static bool leaf_fits(const struct stf_walk *w, unsigned log2)
{
    enum { SV32 = 32, SV39 = 39, SV48 = 48, SV32_BITS = 10, SV39_BITS = 9 };
    if (w->count == 0 || !is_leaf(w, w->count - 1)) {
        return false;
    }
    const unsigned bits = log2 + w->count * (w->iem == 1 ? SV32_BITS : SV39_BITS);
    return w->iem == 1 ? bits == SV32 : w->iem == 2 && (bits == SV39 || bits == SV48);
}

uint8_t stf_walk_attributes(const struct stf_walk *w)
{
    const uint64_t last = w->count > 0 && w->iem != 0 ? entry_content(w, w->count - 1) : 0;
    return (last & STF_PTE_V) != 0 && (last & (STF_PTE_R | STF_PTE_X)) != 0 ? (uint8_t)last : 0;
}

/* A leaf above the lowest level has zeros in the part of its page number that the address gives. */
static bool leaf_skewed(const struct stf_walk *w, unsigned log2)
{
    return leaf_fits(w, log2) && (entry_page(w, w->count - 1) & assay_mask(log2 - LOG2_4K)) != 0;
}

uint64_t stf_walk_leaf(const struct stf_walk *w)
{
    const unsigned log2 = stf_page_log2(w->page_size);
    const unsigned entry_log2 = w->iem == 1 ? 2 : 3;
    const uint64_t offset = w->count > 0 ? entry_address(w, w->count - 1) & 0xfff : 0;
    const uint64_t index = w->address >> log2 & (0xfff >> entry_log2);
    return stf_at(page_table_walk, leaf_index, offset >> entry_log2) |
           stf_at(page_table_walk, page_index, index) |
           stf_at(page_table_walk, leaf_fits, leaf_fits(w, log2)) |
           stf_at(page_table_walk, leaf_skewed, leaf_skewed(w, log2));
}

uint64_t stf_walk_facts(const struct stf_walk *w)
{
    const unsigned levels = w->iem == 1 ? 2 : w->iem == 2 ? 4 : 0;
    return stf_at(page_table_walk, leaf_last, w->count > 0 && is_leaf(w, w->count - 1)) |
           stf_at(page_table_walk, page_log2, stf_page_log2(w->page_size)) |
           stf_at(page_table_walk, size_exists, size_exists(w)) |
           stf_at(page_table_walk, levels, levels) |
           stf_at(page_table_walk, entry_count, w->count) |
           stf_at(page_table_walk, first_leaf, first_leaf(w)) |
           stf_at(page_table_walk, entries_chained, entries_chained(w)) |
           stf_at(page_table_walk, entries_indexed, entries_indexed(w)) |
           stf_at(page_table_walk, entries_valid, entries_valid(w));
}
