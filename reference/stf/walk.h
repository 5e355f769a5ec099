/* Page table walks: their entries, and the pages that they have covered so far. */
#ifndef ASSAY_STF_WALK_H
#define ASSAY_STF_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pages that were walked or accessed. A set of at most STF_PAGES; when it is full, or has too many
 * collisions, pages are not judged from then on. */
enum { STF_PAGES = 1 << 16 };

struct stf_page; /* private */

struct stf_pages {
    struct stf_page *slots; /* null: not in use */
    size_t count;
    uint64_t sizes; /* bit n: a page of 1 << n bytes was walked */
    bool full;
};

/* Allocates the set. If that fails the set counts as full. */
void stf_pages_use(struct stf_pages *pages);
void stf_pages_close(struct stf_pages *pages);

/* A walk covers the page of an address. */
void stf_pages_walked(struct stf_pages *pages, uint32_t asid, uint64_t address, unsigned log2);

/* Whether walks cover all bytes of an access. */
bool stf_pages_known(const struct stf_pages *pages, uint32_t asid, uint64_t address, uint64_t size);

/* Notes an access to the 4 KiB pages of an address; whether all had one before. */
bool stf_pages_accessed(struct stf_pages *pages, uint32_t asid, uint64_t address, uint64_t size);

/* The page of an address faulted: earlier accesses to it are forgotten. */
void stf_pages_fault(struct stf_pages *pages, uint32_t asid, uint64_t address);

/* A page that a walk of the open group covers. */
struct stf_walked {
    uint64_t address;
    uint8_t log2; /* of its size; 0: none that can be used */
    bool used;    /* the group accesses it, or that cannot be decided */
    uint8_t leaf; /* the attributes of its last entry, if that is a valid leaf; else 0 */
};

/* The walks of the open group: the first of them. */
enum { STF_GROUP_WALKS = 8 };

struct stf_group_walks {
    unsigned count;
    struct stf_walked list[STF_GROUP_WALKS];
};

/* Adds a walk; whether the page was there already. */
bool stf_group_walk(struct stf_group_walks *walks, const struct stf_walked *walked);

/* The group touches bytes. */
void stf_group_touch(struct stf_group_walks *walks, uint64_t address, uint64_t size);

/* Attributes of an entry. */
enum { STF_PTE_V = 1, STF_PTE_R = 2, STF_PTE_W = 4, STF_PTE_X = 8, STF_PTE_U = 16 };

/* Whether the walks of the group that cover a byte all end at leaves without this attribute; not
 * where there is none. */
bool stf_group_refuses(const struct stf_group_walks *walks, uint64_t address, unsigned attribute);

unsigned stf_group_unused(const struct stf_group_walks *walks);

/* What a walk of a group says. */
struct stf_walk {
    uint64_t address, page_size;
    const uint8_t *entries; /* of 16 bytes */
    unsigned count;
    unsigned iem; /* 1: RV32, 2: RV64, else unknown */
};

/* The attributes of the leaf at its end; 0 where there is no valid one. */
uint8_t stf_walk_attributes(const struct stf_walk *walk);

/* Word 3, except for `satp_levels`. */
uint64_t stf_walk_leaf(const struct stf_walk *walk);

/* Word 2 of page_table_walk in layout.def, except for `repeated` and `page_accessed`. */
uint64_t stf_walk_facts(const struct stf_walk *walk);

/* log2 of a page's size; 0 when it is no power of two. A size of 0 represents 512 GiB. */
unsigned stf_page_log2(uint64_t size);

#endif
