/* Which A64 instructions are certainly undefined, or trapped, at EL0: those of the System
 * instruction encoding space (C5.1.2) whose op1 is that of a higher Exception level. */
#include "isa/a64.h"

enum { EL0_OP1 = 3 };

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

/* What is IMPLEMENTATION DEFINED (CRn 11 and 15) can be of any level. Identification registers
 * (CRn 0) are read at EL0 where an emulator stands for the system that traps it. */
bool a64_is_privileged(uint32_t word)
{
    const unsigned op0 = field(word, 19, 2);
    const unsigned crn = field(word, 12, 4);
    if (word >> 22 != 0x354) {
        return false;
    }
    if (op0 == 0) {
        return sets_privileged_state(word);
    }
    return field(word, 16, 3) != EL0_OP1 && crn != 11 && crn != 15 && (op0 != 3 || crn != 0);
}
