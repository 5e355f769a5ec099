/* Continuable fields (K10.5.6.4): seven bits of the value in each byte, from the least significant
 * on, and bit 7 says whether another byte follows; the last byte that a field can have has eight.
 */
#ifndef ASSAY_ETE_CONTINUED_H
#define ASSAY_ETE_CONTINUED_H

#include "common/bytes.h"

enum { ETE_GROUP = 7, ETE_BYTE = 8, ETE_GROUP_MASK = 0x7f };

/* Bits of a field before its last possible byte. */
static inline unsigned ete_bits_before_last(unsigned width)
{
    return width <= ETE_GROUP + ETE_BYTE
               ? ETE_GROUP
               : (width - ETE_BYTE + ETE_GROUP - 1) / ETE_GROUP * ETE_GROUP;
}

static inline unsigned ete_most_bytes(unsigned width)
{
    return ete_bits_before_last(width) / ETE_GROUP + 1;
}

struct ete_continued {
    uint64_t value;
    uint64_t excess; /* bits of the last byte that are beyond the field, at their place in it */
    unsigned bytes;  /* 0: the field does not end within eight bytes */
};

/* The low seven bits of each byte, one after the other. */
static inline uint64_t ete_groups_of(uint64_t word)
{
    word &= UINT64_C(0x7f7f7f7f7f7f7f7f);
    word = (word & UINT64_C(0x007f007f007f007f)) | (word & UINT64_C(0x7f007f007f007f00)) >> 1;
    word = (word & UINT64_C(0x00003fff00003fff)) | (word & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (word & UINT64_C(0x000000000fffffff)) | (word & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* A field that begins with these eight bytes, all of it at once. */
static inline struct ete_continued ete_continued_of(uint64_t word, unsigned width)
{
    struct ete_continued field = {0, 0, 0};
    const unsigned most = ete_most_bytes(width);
    uint64_t ends = ~word & UINT64_C(0x8080808080808080);
    ends |= most <= sizeof word ? UINT64_C(1) << (ETE_BYTE * most - 1) : 0;
    if (ends == 0) {
        return field;
    }
    field.bytes = (unsigned)__builtin_ctzll(ends) / ETE_BYTE + 1;
    field.value = ete_groups_of(word & assay_mask(ETE_BYTE * field.bytes));
    if (field.bytes == most) {
        field.value |= (word >> (ETE_BYTE * most - 1) & 1) << (ETE_GROUP * most);
        field.excess = field.value >> width << (width - ete_bits_before_last(width));
        field.value &= assay_mask(width);
    }
    return field;
}

#endif
