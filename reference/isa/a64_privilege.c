/* Which A64 instructions are certainly undefined, or trapped, below an Exception level: those of
 * the System instruction encoding space (C5.1.2) whose op1 is that of a higher one, and of others
 * what C6.2 says of them. */
#include "isa/a64.h"

enum { EL0_OP1 = 3, EL2_OP1 = 4, EL3_OP1 = 6 };

static unsigned field(uint32_t word, unsigned low, unsigned width)
{
    return word >> low & ((1U << width) - 1);
}

/* Of MSR (immediate); DAIF is that of SCTLR_EL1.UMA. */
static bool sets_privileged_state(uint32_t word)
{
    switch (word & 0xfffff0ff) {
    case 0xd50040bf: /* SPSel */
    case 0xd500409f: /* PAN */
    case 0xd500407f: /* UAO */
    case 0xd501401f: /* ALLINT, PM */
        return true;
    default:
        return false;
    }
}

/* Of the System instruction encoding space. What is IMPLEMENTATION DEFINED (CRn 11 and 15) can be
 * of any level. Identification registers (CRn 0) are read at EL0 where an emulator stands for the
 * system that traps it. Registers of EL2 (op1 4 and 5) can be accessed at EL1 under nested
 * virtualization, which traps the operations of EL2. op1 7 is EL1's in Secure state. */
static unsigned lowest_el_of_system(uint32_t word)
{
    const unsigned op0 = field(word, 19, 2);
    const unsigned op1 = field(word, 16, 3);
    const unsigned crn = field(word, 12, 4);
    if (op0 == 0) {
        return sets_privileged_state(word) ? 1 : 0;
    }
    if (op1 == EL0_OP1 || crn == 11 || crn == 15 || (op0 == 3 && crn == 0)) {
        return 0;
    }
    return op1 == EL3_OP1 ? 3 : op1 == EL2_OP1 && op0 == 1 ? 2 : 1;
}

/* LDGM, STGM and STZGM, which access the tags of a block. */
static bool accesses_tags_of_a_block(uint32_t word)
{
    const uint32_t operation = word & 0xfffffc00;
    return operation == 0xd9e00000 || operation == 0xd9a00000 || operation == 0xd9200000;
}

unsigned a64_lowest_el(uint32_t word)
{
    if (word >> 23 == 0x1aa) { /* bit 22: of 128 bits */
        return lowest_el_of_system(word);
    }
    return accesses_tags_of_a_block(word) ? 1 : 0;
}
