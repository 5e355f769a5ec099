/* Which instructions of AArch32 state an Exception level does not have. */
#ifndef ASSAY_ISA_ARM_PRIVILEGE_H
#define ASSAY_ISA_ARM_PRIVILEGE_H

#include <stdint.h>

/* Below which Exception level an instruction of A32, or of T32 with two halfwords, is certainly not
 * executed, as it is undefined or trapped there: 1 to 3 of what accesses a System register of that
 * level, else 0. That of A32 is one with the condition AL; in an IT block it may do nothing. */
unsigned arm_lowest_el(uint32_t word);

#endif
