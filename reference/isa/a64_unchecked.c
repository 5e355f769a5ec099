/* Which accesses are Tag Unchecked because of their base: those of SP with an immediate offset, or
 * none, and without writeback. The pseudocode of C6.2, C7.2, C8.2 and C9.2 has `tagchecked` false
 * there when the base is register 31. */
#include "isa/a64.h"

static unsigned form(uint32_t word)
{
    return word >> 13 & 7u;
}

/* The load and store forms of the base instructions and of Advanced SIMD. Literal loads have no
 * base. */
static bool has_offset_of_base(uint32_t word, uint64_t info)
{
    const unsigned class_id = a64_info_class(info);
    const bool by_register = (word & 0x3b200c00u) == 0x38200800u;
    return class_id >= A64_LOAD && class_id <= A64_STORE_64B && !a64_info_is_literal(info) &&
           !a64_info_is_writeback(info) && !by_register;
}

/* SVE, by bits [31:25]. Forms 1, 5 and 7 of contiguous loads have an immediate, and in stores form
 * 7; of other loads LD1R* (bits 22 and 15) and fills, which with spills have forms 0 and 2 and the
 * size in [24:22]. Form 0 of stores has one where bits [21:20] are 0: ST2Q to ST4Q. */
static bool has_offset_of_sve(uint32_t word)
{
    const bool fill_or_spill = (word & 0x01c0a000u) == 0x01800000u;
    switch (word >> 25) {
    case 0x42:
        return fill_or_spill || (word & 0x00408000u) == 0x00408000u;
    case 0x52:
        return form(word) == 1 || form(word) == 5 || form(word) == 7;
    case 0x72:
        return fill_or_spill || form(word) == 7 || (form(word) == 0 && (word & 0x00300000u) == 0);
    default:
        return false;
    }
}

/* SME: of several vectors those with bit 22; all of array vectors and of ZT0. Slices of tiles have
 * a register. */
static bool has_offset_of_sme(uint32_t word)
{
    return (word & 0xfe400000u) == 0xa0400000u || (word & 0xffc00000u) == 0xe1000000u;
}

bool a64_is_tag_unchecked(uint32_t word, uint64_t info)
{
    switch (a64_info_class(info)) {
    case A64_SVE_LOAD:
    case A64_SVE_STORE:
        return (word >> 5 & 31u) == 31 && has_offset_of_sve(word);
    case A64_SME_LOAD:
    case A64_SME_STORE:
        return (word >> 5 & 31u) == 31 && has_offset_of_sme(word);
    default:
        return (word >> 5 & 31u) == 31 && has_offset_of_base(word, info);
    }
}
