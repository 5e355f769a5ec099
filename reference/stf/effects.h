/* What the records of a group say that its instruction did: accesses and their contents, the
 * outcome of a branch, registers that are marked as ready. */
#ifndef ASSAY_STF_EFFECTS_H
#define ASSAY_STF_EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

/* The accesses of a group, of the instruction or of other masters, and their contents. Counters
 * that are read together are written separately and so are not adjacent: a combined load of both
 * would stall until the preceding stores have reached memory. */
struct stf_moves {
    uint32_t accesses;
    uint16_t last_size;
    bool wrong, wrong_bits; /* an access before the last one has fewer contents, or more */
    uint32_t contents;
    bool mixed;             /* an access follows a content */
    uint32_t last_contents; /* of the last access */
    uint32_t due, due_bits; /* contents that the accesses require, by sizes in bytes and in bits */
};

/* Contents that an access of `size` requires. */
static inline unsigned stf_contents_of(unsigned size)
{
    return (size + 7) / 8;
}

static inline unsigned stf_contents_of_bits(unsigned size)
{
    return (size + 63) / 64;
}

static inline void stf_moves_access(struct stf_moves *v, unsigned size)
{
    if (v->accesses > 0) {
        v->wrong = v->wrong || v->last_contents != stf_contents_of(v->last_size);
        v->wrong_bits = v->wrong_bits || v->last_contents != stf_contents_of_bits(v->last_size);
        v->mixed = v->mixed || v->contents > 0;
    }
    v->accesses++;
    v->due += stf_contents_of(size);
    v->due_bits += stf_contents_of_bits(size);
    v->last_size = (uint16_t)size;
    v->last_contents = 0;
}

static inline void stf_moves_content(struct stf_moves *moves)
{
    moves->contents++;
    moves->last_contents++;
}

/* Whether all contents follow all accesses, of which there are several. */
static inline bool stf_moves_grouped(const struct stf_moves *v)
{
    return v->accesses > 1 && v->contents > 0 && !v->mixed;
}

/* Whether each access has the contents that its size requires, in bytes or in bits; or all accesses
 * together, if all contents follow them. */
static inline bool stf_moves_match(const struct stf_moves *v, bool bits)
{
    if (stf_moves_grouped(v)) {
        return v->contents == (bits ? v->due_bits : v->due);
    }
    const unsigned last = bits ? stf_contents_of_bits(v->last_size) : stf_contents_of(v->last_size);
    return v->accesses == 0 || (!(bits ? v->wrong_bits : v->wrong) && v->last_contents == last);
}

#endif
