/* The groups of A64 instructions that have their fields in the same places (C4.1). Private to the
 * files that ask what an instruction leaves as it is. */
#ifndef ASSAY_ISA_A64_GROUP_H
#define ASSAY_ISA_A64_GROUP_H

#include "isa/a64.h"

enum a64_group {
    A64_GROUP_NONE, /* undefined, SVE, SME: not looked into */
    A64_GROUP_IMMEDIATE,
    A64_GROUP_BRANCH, /* branches, exceptions and the system */
    A64_GROUP_REGISTER,
    A64_GROUP_VECTOR, /* floating point and Advanced SIMD */
    A64_GROUP_ACCESS
};

/* Of a word and what it is classified as. */
static inline enum a64_group a64_group_of(uint32_t word, uint64_t info)
{
    if (a64_info_is_undefined(info) != 0) {
        return A64_GROUP_NONE;
    }
    switch (word >> 25 & 0xf) {
    case 8:
    case 9:
        return A64_GROUP_IMMEDIATE;
    case 10:
    case 11:
        return A64_GROUP_BRANCH;
    case 5:
    case 13:
        return A64_GROUP_REGISTER;
    case 7:
    case 15:
        return A64_GROUP_VECTOR;
    case 4:
    case 6:
    case 12:
    case 14:
        return A64_GROUP_ACCESS;
    default:
        return A64_GROUP_NONE;
    }
}

#endif
