/* How the accesses of a group and its branch change the group and the context of records. */
#ifndef ASSAY_STF_GROUP_H
#define ASSAY_STF_GROUP_H

#include "stf/context.h"

/* The counts with another access; at their ends they stay. */
static inline uint64_t stf_add_access(uint64_t totals, unsigned size, unsigned type)
{
    enum { MOST = UINT16_MAX, MOST_ACCESSES = UINT8_MAX };
    totals += STF_ACCESS_TOTAL(totals, accesses) < MOST_ACCESSES ? stf_at(inst_32, accesses, 1) : 0;
    if (type == ACCESS_READ) {
        const unsigned left = MOST - STF_ACCESS_TOTAL(totals, read_bytes);
        totals += stf_at(inst_32, read_bytes, size < left ? size : left);
    } else if (type == ACCESS_WRITE) {
        const unsigned left = MOST - STF_ACCESS_TOTAL(totals, written_bytes);
        totals += stf_at(inst_32, written_bytes, size < left ? size : left);
    }
    return totals;
}

/* An access of the group's instruction. */
static inline void stf_group_access(struct stf_model *m, uint64_t address, unsigned size,
                                    unsigned type)
{
    struct stf_group *g = &m->group;
    if (g->moves.accesses == 0) {
        g->access_address = address;
        g->first_type = (uint8_t)type;
        g->first_size = (uint16_t)size;
    }
    if (g->moves.accesses < STF_TOUCHED) {
        g->touched[g->moves.accesses].address = address;
        g->touched[g->moves.accesses].size = (uint16_t)size;
        g->touched[g->moves.accesses].type = (uint8_t)type;
    }
    g->access_totals = stf_add_access(g->access_totals, size, type);
    stf_moves_access(&g->moves, size);
    stf_set_context(m, CONTEXT_MASK(contents_due),
                    stf_at(reserved, contents_due, stf_contents_of(size)));
}

/* The content number `index` of an access of `size` bytes: what of it is data. */
static inline void stf_derive_content(uint64_t data, unsigned size, unsigned index, uint64_t *cells)
{
    const unsigned before = index * 8;
    const unsigned bytes = size <= before ? 0 : size - before < 8 ? size - before : 8;
    cells[1] = bytes;
    cells[2] = bytes > 0 && bytes < 8 ? data >> (8 * bytes) : 0;
}

/* A content of the last of these accesses. */
static inline void stf_group_content(struct stf_model *m, uint64_t content, uint64_t *cells)
{
    struct stf_group *g = &m->group;
    const uint64_t due = CONTEXT_OF(m, contents_due);
    stf_derive_content(content, due > 0 ? g->moves.last_size : 0, g->moves.last_contents, cells);
    if (g->moves.accesses == 1 && g->moves.contents == 0) {
        g->content[0] = content;
        g->contents_known = 1;
    } else if (g->moves.accesses == 2 && g->moves.last_contents == 0) {
        g->content[1] = content;
        g->contents_known |= 2;
    }
    stf_moves_content(&g->moves);
    if (due > 0) {
        m->context -= stf_at(reserved, contents_due, 1);
    }
}

#endif
