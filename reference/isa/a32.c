/* The control flow of A32 ("A32 instruction set encoding", F4.1 of the Arm Architecture Reference
 * Manual for A-profile). */
#include "isa/arm_flow_table.h"

/* B, BL: imm24 words from the PC, which reads as the address of the instruction plus 8. */
static uint32_t branch_target(uint32_t word, uint32_t pc)
{
    return pc + 8 + (arm_sign_extend(word & 0xffffffu, 24) << 2);
}

/* BLX (immediate): bit 24, H, is bit 1 of the offset. */
static uint32_t exchange_target(uint32_t word, uint32_t pc)
{
    return branch_target(word, pc) + (word >> 24 & 1u) * 2;
}

#define RETURN   .is_return = true
#define LINK     .link = true
#define CONSTANT .form = ARM_FORM_CONSTANT
#define ELSE     ARM_ROW(0, 0, OTHER, A32)

static const struct arm_row unconditional_rows[] = {
    ARM_ROW_WITH(0xfe000000, 0xfa000000, DIRECT, T32, LINK, .target = exchange_target), /* BLX */
    ARM_ROW(0xfe500000, 0xf8100000, EXCEPTION_RETURN, SET_UNKNOWN),                     /* RFE* */
    ARM_ROW(0xfff000f0, 0xf5700060, ISB, A32),
    ELSE,
};

/* Data-processing (register), by an immediate amount or by a register. Opcodes 0b10xx compare with
 * S 1, and are the miscellaneous instructions with S 0. Shifts by a register and multiplications
 * must not name the PC. */
static const struct arm_row register_rows[] = {
    ARM_ROW_WITH(0x0ff000ff, 0x0120001e, INDIRECT, SET_UNKNOWN, RETURN), /* BX LR */
    ARM_ROW_WITH(0x0ff000ff, 0x0120001f, INDIRECT, SET_UNKNOWN, .form = ARM_FORM_BX_PC),
    ARM_ROW(0x0ff000f0, 0x01200010, INDIRECT, SET_UNKNOWN),            /* BX */
    ARM_ROW(0x0ff000f0, 0x01200020, INDIRECT, SET_UNKNOWN),            /* BXJ */
    ARM_ROW_WITH(0x0ff000f0, 0x01200030, INDIRECT, SET_UNKNOWN, LINK), /* BLX (register) */
    ARM_ROW(0x0ff000f0, 0x01600060, EXCEPTION_RETURN, SET_UNKNOWN),    /* ERET */
    ARM_ROW(0x0ff000f0, 0x01000070, HALT, A32),
    ARM_ROW(0x0ff000f0, 0x01200070, BREAKPOINT, A32),
    ARM_ROW(0x0ff000f0, 0x01400070, HVC, A32),
    ARM_ROW(0x0ff000f0, 0x01600070, SMC, A32),
    ARM_ROW(0x0f800000, 0x01000000, OTHER, A32),
    ARM_ROW_WITH(0x0fffffff, 0x01a0f00e, INDIRECT, SET_UNKNOWN, RETURN),   /* MOV PC, LR */
    ARM_ROW_WITH(0x0fffffff, 0x01a0f00f, INDIRECT, SET_UNKNOWN, CONSTANT), /* MOV PC, PC */
    ARM_ROW(0x0e10f010, 0x0000f000, INDIRECT, SET_UNKNOWN),                /* ADD PC, ... */
    ARM_ROW(0x0e10f010, 0x0010f000, EXCEPTION_RETURN, SET_UNKNOWN),        /* SUBS PC, ... */
    ELSE,
};

/* Data-processing (immediate), and with opcodes 0b10xx and S 0 MOVW, MOVT, MSR and hints. */
static const struct arm_row immediate_rows[] = {
    ARM_ROW(0x0fff00fe, 0x03200002, WFX, A32), /* WFE, WFI */
    ARM_ROW(0x0f800000, 0x03000000, OTHER, A32),
    ARM_ROW_WITH(0x0f9ff000, 0x020ff000, INDIRECT, SET_UNKNOWN, CONSTANT), /* AND to RSB PC, PC */
    ARM_ROW_WITH(0x0ffff000, 0x028ff000, INDIRECT, SET_UNKNOWN, CONSTANT), /* ADD PC, PC */
    ARM_ROW_WITH(0x0fbff000, 0x038ff000, INDIRECT, SET_UNKNOWN, CONSTANT), /* ORR, BIC PC, PC */
    ARM_ROW_WITH(0x0fbff000, 0x03a0f000, INDIRECT, SET_UNKNOWN, CONSTANT), /* MOV, MVN PC */
    ARM_ROW(0x0e10f000, 0x0200f000, INDIRECT, SET_UNKNOWN),
    ARM_ROW(0x0e10f000, 0x0210f000, EXCEPTION_RETURN, SET_UNKNOWN),
    ELSE,
};

/* LDR (immediate), LDR (literal). LDRT, which has bits P 0 and W 1, must not name the PC. */
static const struct arm_row load_immediate_rows[] = {
    ARM_ROW_WITH(0x0fffffff, 0x049df004, INDIRECT, SET_UNKNOWN, RETURN), /* POP {PC} */
    ARM_ROW(0x0f700000, 0x04300000, OTHER, A32),
    ARM_ROW(0x0e50f000, 0x0410f000, INDIRECT, SET_UNKNOWN),
    ELSE,
};

/* LDR (register), and with bit 4 the media instructions. */
static const struct arm_row load_register_rows[] = {
    ARM_ROW(0xfff000f0, 0xe7f000f0, UDF, A32),
    ARM_ROW(0x0f700010, 0x06300000, OTHER, A32), /* LDRT */
    ARM_ROW(0x0e50f010, 0x0610f000, INDIRECT, SET_UNKNOWN),
    ELSE,
};

/* LDM*. Bit 22 with the PC in the list is the exception return, without it the user's registers. */
static const struct arm_row multiple_rows[] = {
    ARM_ROW_WITH(0x0fff8000, 0x08bd8000, INDIRECT, SET_UNKNOWN, RETURN), /* POP {..., PC} */
    ARM_ROW(0x0e508000, 0x08108000, INDIRECT, SET_UNKNOWN),
    ARM_ROW(0x0e508000, 0x08508000, EXCEPTION_RETURN, SET_UNKNOWN),
    ELSE,
};

static const struct arm_row branch_rows[] = {
    ARM_ROW_WITH(0x0f000000, 0x0a000000, DIRECT, A32, .target = branch_target),       /* B */
    ARM_ROW_WITH(0x0f000000, 0x0b000000, DIRECT, A32, LINK, .target = branch_target), /* BL */
    ELSE,
};

static const struct arm_row none_rows[] = {ELSE};

/* CP15ISB is a write to coprocessor 15, c7, c5, 4 ("Cache maintenance", G8.2). */
static const struct arm_row system_rows[] = {
    ARM_ROW(0x0f000000, 0x0f000000, SVC, A32),
    ARM_ROW(0x0fff0fff, 0x0e070f95, ISB, A32),
    ELSE,
};

const struct arm_table arm_a32_tables[ARM_A32_TABLES] = {
    ARM_TABLE("Data-processing (register), miscellaneous", A32, 4, register_rows),
    ARM_TABLE("Data-processing (immediate), hints", A32, 4, immediate_rows),
    ARM_TABLE("Load (immediate)", A32, 4, load_immediate_rows),
    ARM_TABLE("Load (register), media", A32, 4, load_register_rows),
    ARM_TABLE("Load multiple", A32, 4, multiple_rows),
    ARM_TABLE("Branch (immediate)", A32, 4, branch_rows),
    ARM_TABLE("System register load and store", A32, 4, none_rows),
    ARM_TABLE("System register access, SVC", A32, 4, system_rows),
    [ARM_A32_UNCONDITIONAL] = ARM_TABLE("Unconditional", A32, 4, unconditional_rows),
};

struct arm_flow arm_flow_a32(uint32_t word, uint32_t pc)
{
    const uint32_t condition = word >> 28;
    const uint32_t table = condition == 0xf ? (uint32_t)ARM_A32_UNCONDITIONAL : word >> 25 & 7u;
    struct arm_flow flow = arm_table_look_up(&arm_a32_tables[table], word, pc);
    flow.conditional = flow.kind != ARM_FLOW_OTHER && condition < 0xe;
    return flow;
}
