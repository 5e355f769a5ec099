/* The control flow of T32 ("T32 instruction set encoding", F3.1 of the Arm Architecture Reference
 * Manual for A-profile). The PC reads as the address of the instruction plus 4. */
#include "isa/arm_flow_table.h"

/* Encoding T1 of B: imm8 halfwords. */
static uint32_t target_of_b_t1(uint32_t word, uint32_t pc)
{
    return pc + 4 + (arm_sign_extend(word & 0xffu, 8) << 1);
}

/* Encoding T2 of B: imm11 halfwords. */
static uint32_t target_of_b_t2(uint32_t word, uint32_t pc)
{
    return pc + 4 + (arm_sign_extend(word & 0x7ffu, 11) << 1);
}

/* CBZ, CBNZ: i:imm5 halfwords, forwards. */
static uint32_t target_of_cb(uint32_t word, uint32_t pc)
{
    return pc + 4 + ((word >> 9 & 1u) << 6 | (word >> 3 & 0x1fu) << 1);
}

/* Encoding T3 of B: S:J2:J1:imm6:imm11 halfwords. */
static uint32_t target_of_b_t3(uint32_t word, uint32_t pc)
{
    const uint32_t offset = (word >> 26 & 1u) << 19 | (word >> 11 & 1u) << 18 |
                            (word >> 13 & 1u) << 17 | (word >> 16 & 0x3fu) << 11 | (word & 0x7ffu);
    return pc + 4 + (arm_sign_extend(offset, 20) << 1);
}

/* Encoding T4 of B, BL: S:I1:I2:imm10:imm11 halfwords, where I1 is NOT(J1 EOR S), I2 NOT(J2 EOR S).
 */
static uint32_t target_of_b_t4(uint32_t word, uint32_t pc)
{
    const uint32_t s = word >> 26 & 1u;
    const uint32_t i1 = ~(word >> 13 ^ s) & 1u;
    const uint32_t i2 = ~(word >> 11 ^ s) & 1u;
    const uint32_t offset =
        s << 23 | i1 << 22 | i2 << 21 | (word >> 16 & 0x3ffu) << 11 | (word & 0x7ffu);
    return pc + 4 + (arm_sign_extend(offset, 24) << 1);
}

/* BLX (immediate): words from the PC, aligned. Bit 0 of the word, H, is 0. */
static uint32_t target_of_blx(uint32_t word, uint32_t pc)
{
    return target_of_b_t4(word, pc & ~UINT32_C(3));
}

#define IF     .conditional = true
#define RETURN .is_return = true
#define LINK   .link = true
#define ELSE   ARM_ROW(0, 0, OTHER, T32)

/* In T32, data processing that writes the PC does not change the instruction set, and neither do
 * TBB and TBH (BranchWritePC). */
static const struct arm_row narrow_rows[] = {
    ARM_ROW_WITH(0xffff, 0x4770, INDIRECT, SET_UNKNOWN, RETURN), /* BX LR */
    ARM_ROW_WITH(0xffff, 0x4778, INDIRECT, SET_UNKNOWN, .form = ARM_FORM_BX_PC),
    ARM_ROW(0xff80, 0x4700, INDIRECT, SET_UNKNOWN),            /* BX */
    ARM_ROW_WITH(0xff80, 0x4780, INDIRECT, SET_UNKNOWN, LINK), /* BLX (register) */
    ARM_ROW_WITH(0xffff, 0x46f7, INDIRECT, T32, RETURN),       /* MOV PC, LR */
    ARM_ROW(0xff87, 0x4687, INDIRECT, T32),                    /* MOV PC, Rm */
    ARM_ROW(0xff87, 0x4487, INDIRECT, T32),                    /* ADD PC, Rm */
    ARM_ROW_WITH(0xf500, 0xb100, DIRECT, T32, IF, .target = target_of_cb),
    ARM_ROW_WITH(0xff00, 0xbd00, INDIRECT, SET_UNKNOWN, RETURN), /* POP {..., PC} */
    ARM_ROW(0xffc0, 0xba80, HALT, T32),
    ARM_ROW(0xff00, 0xbe00, BREAKPOINT, T32),
    ARM_ROW(0xffef, 0xbf20, WFX, T32), /* WFE, WFI */
    ARM_ROW(0xff0f, 0xbf00, OTHER, T32),
    ARM_ROW(0xff00, 0xbf00, IT, T32),
    ARM_ROW(0xff00, 0xde00, UDF, T32),
    ARM_ROW(0xff00, 0xdf00, SVC, T32),
    ARM_ROW_WITH(0xf000, 0xd000, DIRECT, T32, IF, .target = target_of_b_t1),
    ARM_ROW_WITH(0xf800, 0xe000, DIRECT, T32, .target = target_of_b_t2),
    ELSE,
};

/* LDRT must not name the PC. SUBS PC, LR, #0 is ERET. */
static const struct arm_row wide_rows[] = {
    ARM_ROW_WITH(0xf800d000, 0xf000d000, DIRECT, T32, LINK, .target = target_of_b_t4), /* BL */
    ARM_ROW_WITH(0xf800d001, 0xf000c000, DIRECT, A32, LINK, .target = target_of_blx),
    ARM_ROW_WITH(0xf800d000, 0xf0009000, DIRECT, T32, .target = target_of_b_t4),
    ARM_ROW(0xfff0d7fe, 0xf3a08002, WFX, T32), /* WFE, WFI */
    ARM_ROW(0xfff0d0f0, 0xf3b08060, ISB, T32),
    ARM_ROW(0xfff0d000, 0xf3c08000, INDIRECT, SET_UNKNOWN),         /* BXJ */
    ARM_ROW(0xfff0d000, 0xf3d08000, EXCEPTION_RETURN, SET_UNKNOWN), /* SUBS PC, LR, #imm8 */
    ARM_ROW(0xfff0f000, 0xf7e08000, HVC, T32),
    ARM_ROW(0xfff0f000, 0xf7f08000, SMC, T32),
    ARM_ROW(0xfff0f000, 0xf7f0a000, UDF, T32),
    ARM_ROW(0xffffffff, 0xf78f8001, DEBUG_STATE, T32), /* DCPS1 */
    ARM_ROW(0xfffffffe, 0xf78f8002, DEBUG_STATE, T32), /* DCPS2, DCPS3 */
    ARM_ROW(0xfb80d000, 0xf3808000, OTHER, T32),       /* the rest of what is no condition */
    ARM_ROW_WITH(0xf800d000, 0xf0008000, DIRECT, T32, IF, .target = target_of_b_t3),
    ARM_ROW(0xffd00000, 0xe8100000, EXCEPTION_RETURN, SET_UNKNOWN),      /* RFEDB */
    ARM_ROW(0xffd00000, 0xe9900000, EXCEPTION_RETURN, SET_UNKNOWN),      /* RFEIA */
    ARM_ROW_WITH(0xffff8000, 0xe8bd8000, INDIRECT, SET_UNKNOWN, RETURN), /* POP {..., PC} */
    ARM_ROW(0xffd08000, 0xe8908000, INDIRECT, SET_UNKNOWN),              /* LDM */
    ARM_ROW(0xffd08000, 0xe9108000, INDIRECT, SET_UNKNOWN),              /* LDMDB */
    ARM_ROW_WITH(0xfff000f0, 0xe8d00000, INDIRECT, T32, .form = ARM_FORM_TBB),
    ARM_ROW_WITH(0xfff000f0, 0xe8d00010, INDIRECT, T32, .form = ARM_FORM_TBH),
    ARM_ROW_WITH(0xffffffff, 0xf85dfb04, INDIRECT, SET_UNKNOWN, RETURN), /* POP {PC} */
    ARM_ROW(0xff7ff000, 0xf85ff000, INDIRECT, SET_UNKNOWN),              /* LDR (literal) */
    ARM_ROW(0xfff0f000, 0xf8d0f000, INDIRECT, SET_UNKNOWN),              /* LDR (immediate), T3 */
    ARM_ROW(0xfff0ff00, 0xf850fe00, OTHER, T32),                         /* LDRT */
    ARM_ROW(0xfff0f900, 0xf850f900, INDIRECT, SET_UNKNOWN), /* LDR (immediate), T4: W 1 */
    ARM_ROW(0xfff0fd00, 0xf850fc00, INDIRECT, SET_UNKNOWN), /* LDR (immediate), T4: P 1, W 0 */
    ARM_ROW(0xfff0ffc0, 0xf850f000, INDIRECT, SET_UNKNOWN), /* LDR (register) */
    ARM_ROW(0xffff0fff, 0xee070f95, ISB, T32),              /* CP15ISB */
    ELSE,
};

const struct arm_table arm_t32_tables[2] = {
    ARM_TABLE("T32 of one halfword", T32, 2, narrow_rows),
    ARM_TABLE("T32 of two halfwords", T32, 4, wide_rows),
};

/* IT: the lowest bit that is set in the mask, bits [3:0], ends the block. */
static uint8_t covered_by_it(uint16_t word)
{
    uint8_t count = 4;
    for (unsigned bit = 0; ((uint32_t)word >> bit & 1u) == 0; bit++) {
        count--;
    }
    return (word >> 4 & 0xfu) == 0xe ? 0 : count;
}

struct arm_flow arm_flow_t32(uint16_t first, uint16_t second, uint32_t pc)
{
    const bool wide = arm_t32_is_wide(first);
    const uint32_t word = wide ? (uint32_t)first << 16 | second : first;
    struct arm_flow flow = arm_table_look_up(&arm_t32_tables[wide ? 1 : 0], word, pc);
    if (flow.kind == ARM_FLOW_IT) {
        flow.covers = covered_by_it(first);
    }
    return flow;
}
