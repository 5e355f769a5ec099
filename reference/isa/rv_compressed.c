/* 16-bit words: "C", "Zcb", "Zcmp", "Zcmt", "Zcmop". Bits [1:0] are the quadrant, [15:13] funct3;
 * rd is in [11:7], rd' and rs1' in [9:7], rd' and rs2' in [4:2]. */
#include "isa/rv_table.h"

#define LOADS(log2)   (RV_READ | RV_EACH(1, log2))
#define STORES(log2)  (RV_WRITE | RV_EACH(1, log2))
#define FLOADS(log2)  (LOADS(log2) | RV_OF_FLOAT)
#define FSTORES(log2) (STORES(log2) | RV_OF_FLOAT)

/* Zcmp and Zcmt exclude Zcd as a whole. */
#define ONLY_ZCD .absent = (1u << RV_32_ZCM) | (1u << RV_64_ZCM)

static const struct rv_row c0_addi4spn_rows[] = {
    RV_NO_ROW(0xffff, 0x0000, ILLEGAL),
    RV_NO_ROW(0x1fe0, 0x0000, RESERVED),
    RV_ROW(0, 0, INTEGER, C_FROM_SP, 0),
};
RV_TABLE_OF(c0_addi4spn);

static const struct rv_row c0_fld_rows[] = {
    RV_ROW_WITH(0, 0, FLOAD, C_FLOAD, FLOADS(3), ONLY_ZCD),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(c0_fld);

static const struct rv_row c0_lw_rows[] = {RV_ROW(0, 0, LOAD, C_LOAD, LOADS(2))};
RV_TABLE_OF(c0_lw);

static const struct rv_row c0_ld_rows[] = {
    RV_ROW_WITH(0, 0, LOAD, C_LOAD, LOADS(3), RV_ONLY_64),
    RV_ROW(0, 0, FLOAD, C_FLOAD, FLOADS(2)),
};
RV_TABLE_OF(c0_ld);

static const struct rv_row c0_zcb_rows[] = {
    RV_ROW(0x1c00, 0x0000, LOAD, C_LOAD, LOADS(0)),    /* C.LBU */
    RV_ROW(0x1c00, 0x0400, LOAD, C_LOAD, LOADS(1)),    /* C.LHU, C.LH */
    RV_ROW(0x1c00, 0x0800, STORE, C_STORE, STORES(0)), /* C.SB */
    RV_ROW(0x1c40, 0x0c00, STORE, C_STORE, STORES(1)), /* C.SH */
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(c0_zcb);

static const struct rv_row c0_fsd_rows[] = {
    RV_ROW_WITH(0, 0, FSTORE, C_FSTORE, FSTORES(3), ONLY_ZCD),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(c0_fsd);

static const struct rv_row c0_sw_rows[] = {RV_ROW(0, 0, STORE, C_STORE, STORES(2))};
RV_TABLE_OF(c0_sw);

static const struct rv_row c0_sd_rows[] = {
    RV_ROW_WITH(0, 0, STORE, C_STORE, STORES(3), RV_ONLY_64),
    RV_ROW(0, 0, FSTORE, C_FSTORE, FSTORES(2)),
};
RV_TABLE_OF(c0_sd);

/* The immediate is bit 12 and bits [6:2]. */
static const struct rv_row c1_addi_rows[] = {
    RV_ROW(0x1ffc, 0x0000, NOP, NONE, 0),
    RV_ROW(0x0f80, 0x0000, INTEGER, NONE, RV_HINT),
    RV_ROW(0x107c, 0x0000, INTEGER, C_UPDATE, RV_HINT),
    RV_ROW(0, 0, INTEGER, C_UPDATE, 0),
};
RV_TABLE_OF(c1_addi);

/* C.JAL of RV32, C.ADDIW of RV64. */
static const struct rv_row c1_jal_rows[] = {
    RV_ROW_WITH(0, 0, JAL, C_LINK, RV_GOES(CALL) | RV_DIRECTLY, RV_ONLY_32),
    RV_NO_ROW(0x0f80, 0x0000, RESERVED),
    RV_ROW(0, 0, INTEGER, C_UPDATE, 0),
};
RV_TABLE_OF(c1_jal);

static const struct rv_row c1_li_rows[] = {RV_ROW_WITH(0, 0, INTEGER, X, 0, RV_HINT_IF_X0)};
RV_TABLE_OF(c1_li);

/* With rd x2 it is C.ADDI16SP. Of the words with immediate 0 Zcmop has those with rd x1, x3 to x15.
 */
static const struct rv_row c1_lui_rows[] = {
    RV_ROW(0x18fc, 0x0080, MOP, NONE, 0),
    RV_NO_ROW(0x107c, 0x0000, RESERVED),
    RV_ROW(0x0f80, 0x0100, INTEGER, C_SP, 0),
    RV_ROW_WITH(0, 0, LUI, X, 0, RV_HINT_IF_X0),
};
RV_TABLE_OF(c1_lui);

/* Shift amounts above 31 are custom space in RV32, 0 is a hint. */
static const struct rv_row c1_alu_rows[] = {
    RV_NO_ROW_WITH(0x1800, 0x1000, CUSTOM, RV_ONLY_32),
    RV_ROW(0x187c, 0x0000, INTEGER, C_UPDATE_HIGH, RV_HINT),              /* C.SRLI, C.SRAI by 0 */
    RV_ROW(0x0800, 0x0000, INTEGER, C_UPDATE_HIGH, 0),                    /* C.SRLI, C.SRAI */
    RV_ROW(0x0c00, 0x0800, INTEGER, C_UPDATE_HIGH, 0),                    /* C.ANDI */
    RV_ROW(0x1c00, 0x0c00, INTEGER, C_UPDATE_HIGH_X, 0),                  /* C.SUB, XOR, OR, AND */
    RV_ROW_WITH(0x1c40, 0x1c00, INTEGER, C_UPDATE_HIGH_X, 0, RV_ONLY_64), /* C.SUBW, C.ADDW */
    RV_ROW(0x1c60, 0x1c40, MULTIPLY, C_UPDATE_HIGH_X, 0),                 /* C.MUL */
    RV_ROW(0x1c7c, 0x1c60, INTEGER, C_UPDATE_HIGH, 0),                    /* C.ZEXT.B */
    RV_ROW(0x1c7c, 0x1c64, BIT, C_UPDATE_HIGH, 0),                        /* C.SEXT.B */
    RV_ROW(0x1c78, 0x1c68, BIT, C_UPDATE_HIGH, 0),                        /* C.ZEXT.H, C.SEXT.H */
    RV_ROW_WITH(0x1c7c, 0x1c70, BIT, C_UPDATE_HIGH, 0, RV_ONLY_64),       /* C.ZEXT.W */
    RV_ROW(0x1c7c, 0x1c74, INTEGER, C_UPDATE_HIGH, 0),                    /* C.NOT */
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(c1_alu);

static const struct rv_row c1_j_rows[] = {RV_ROW(0, 0, JAL, NONE, RV_GOES(JUMP) | RV_DIRECTLY)};
RV_TABLE_OF(c1_j);

static const struct rv_row c1_branch_rows[] = {
    RV_ROW(0, 0, BRANCH, C_COMPARE, RV_GOES(CONDITIONAL) | RV_DIRECTLY),
};
RV_TABLE_OF(c1_branch);

static const struct rv_row c2_slli_rows[] = {
    RV_NO_ROW_WITH(0x1000, 0x1000, CUSTOM, RV_ONLY_32),
    RV_ROW(0x107c, 0x0000, INTEGER, C_UPDATE, RV_HINT),
    RV_ROW_WITH(0, 0, INTEGER, C_UPDATE, 0, RV_HINT_IF_X0),
};
RV_TABLE_OF(c2_slli);

static const struct rv_row c2_fldsp_rows[] = {
    RV_ROW_WITH(0, 0, FLOAD, C_FLOAD_SP, FLOADS(3), ONLY_ZCD),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(c2_fldsp);

static const struct rv_row c2_lwsp_rows[] = {
    RV_NO_ROW(0x0f80, 0x0000, RESERVED),
    RV_ROW(0, 0, LOAD, C_LOAD_SP, LOADS(2)),
};
RV_TABLE_OF(c2_lwsp);

static const struct rv_row c2_ldsp_rows[] = {
    RV_ROW_WITH(0, 0, FLOAD, C_FLOAD_SP, FLOADS(2), RV_ONLY_32),
    RV_NO_ROW(0x0f80, 0x0000, RESERVED),
    RV_ROW(0, 0, LOAD, C_LOAD_SP, LOADS(3)),
};
RV_TABLE_OF(c2_ldsp);

/* Bit 12 tells C.JR and C.MV from C.EBREAK, C.JALR and C.ADD, bits [6:2] are rs2. C.JALR links by
 * x1. */
static const struct rv_row c2_mv_rows[] = {
    RV_NO_ROW(0x1ffc, 0x0000, RESERVED),
    RV_ROW(0x1dfc, 0x0080, JALR, C_JUMP, RV_GOES(RETURN)),
    RV_ROW(0x107c, 0x0000, JALR, C_JUMP, RV_GOES(INDIRECT_JUMP)),
    RV_ROW_WITH(0x1000, 0x0000, INTEGER, C_MOVE, 0, RV_HINT_IF_X0),
    RV_ROW(0x1ffc, 0x1000, EBREAK, NONE, RV_INFO(IS_EXCEPTION_GENERATING)),
    RV_ROW(0x1ffc, 0x1280, JALR, C_CALL, RV_GOES(SWAP)),
    RV_ROW(0x107c, 0x1000, JALR, C_CALL, RV_GOES(INDIRECT_CALL)),
    RV_ROW(0x1ff8, 0x1008, NTL, C_UPDATE_X, RV_HINT),
    RV_ROW(0x1ff8, 0x1010, NTL, C_UPDATE_X, RV_HINT),
    RV_ROW_WITH(0x1000, 0x1000, INTEGER, C_UPDATE_X, 0, RV_HINT_IF_X0),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(c2_mv);

/* rlist, bits [7:4], is at least 4. The two registers of CM.MVSA01 differ. */
#define SAME_REGISTERS(n) RV_NO_ROW(0x1ffc, 0x0c20 | ((n) << 7) | ((n) << 2), RESERVED)
#define REGISTER_LIST     .list = true

static const struct rv_row c2_fsdsp_rows[] = {
    RV_ROW_WITH(0, 0, FSTORE, C_FSTORE_SP, FSTORES(3), ONLY_ZCD),
    RV_NO_ROW(0x19c0, 0x1800, RESERVED),
    RV_ROW_WITH(0x1f00, 0x1800, PUSH, PUSH, RV_WRITE, REGISTER_LIST),
    RV_ROW_WITH(0x1f00, 0x1a00, POP, POP, RV_READ, REGISTER_LIST),
    RV_ROW_WITH(0x1f00, 0x1c00, POP_RETURN, POP_ZERO, RV_READ | RV_GOES(RETURN), REGISTER_LIST),
    RV_ROW_WITH(0x1f00, 0x1e00, POP_RETURN, POP, RV_READ | RV_GOES(RETURN), REGISTER_LIST),
    SAME_REGISTERS(0),
    SAME_REGISTERS(1),
    SAME_REGISTERS(2),
    SAME_REGISTERS(3),
    SAME_REGISTERS(4),
    SAME_REGISTERS(5),
    SAME_REGISTERS(6),
    SAME_REGISTERS(7),
    RV_ROW(0x1c60, 0x0c20, MOVE_PAIR, MOVE_FROM_A, 0),
    RV_ROW(0x1c60, 0x0c60, MOVE_PAIR, MOVE_TO_A, 0),
    RV_ROW(0x1f80, 0x0000, TABLE_JUMP, NONE, RV_GOES(INDIRECT_JUMP)),
    RV_ROW(0x1c00, 0x0000, TABLE_JUMP, C_LINK, RV_GOES(INDIRECT_CALL)),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(c2_fsdsp);

static const struct rv_row c2_swsp_rows[] = {RV_ROW(0, 0, STORE, C_STORE_SP, STORES(2))};
RV_TABLE_OF(c2_swsp);

static const struct rv_row c2_sdsp_rows[] = {
    RV_ROW_WITH(0, 0, STORE, C_STORE_SP, STORES(3), RV_ONLY_64),
    RV_ROW(0, 0, FSTORE, C_FSTORE_SP, FSTORES(2)),
};
RV_TABLE_OF(c2_sdsp);
