/* Integer computation of 32-bit words: "RV32I", "RV64I", "M", "B", "Zicond", "Zihintntl" and the
 * scalar part of "Cryptography Extensions". */
#include "isa/rv_table.h"

static const struct rv_row none_rows[] = {RV_ELSE_RESERVED};
RV_TABLE_OF(none);

static const struct rv_row custom_rows[] = {RV_NO_ROW(0, 0, CUSTOM)};
RV_TABLE_OF(custom);

static const struct rv_row lui_rows[] = {RV_ROW_WITH(0, 0, LUI, X, 0, RV_HINT_IF_X0)};
RV_TABLE_OF(lui);

static const struct rv_row auipc_rows[] = {RV_ROW_WITH(0, 0, AUIPC, X, 0, RV_HINT_IF_X0)};
RV_TABLE_OF(auipc);

/* NOP is ADDI x0, x0, 0; all other ADDI with rd x0 are hints. */
static const struct rv_row addi_rows[] = {
    RV_ROW(0xffffffff, 0x00000013, NOP, X_X, 0),
    RV_ROW_WITH(0, 0, INTEGER, X_X, 0, RV_HINT_IF_X0),
};
RV_TABLE_OF(addi);

static const struct rv_row immediate_rows[] = {
    RV_ROW_WITH(0, 0, INTEGER, X_X, 0, RV_HINT_IF_X0),
};
RV_TABLE_OF(immediate);

/* The prefetches of Zicbop are ORI with rd x0; bits [24:20] choose, [31:25] are the offset. */
static const struct rv_row ori_rows[] = {
    RV_ROW(0x01f00f80, 0x00000000, PREFETCH, BASE, RV_HINT | RV_INFO(IS_CACHE)),
    RV_ROW(0x01f00f80, 0x00100000, PREFETCH, BASE, RV_HINT | RV_INFO(IS_CACHE)),
    RV_ROW(0x01f00f80, 0x00300000, PREFETCH, BASE, RV_HINT | RV_INFO(IS_CACHE)),
    RV_ROW_WITH(0, 0, INTEGER, X_X, 0, RV_HINT_IF_X0),
};
RV_TABLE_OF(ori);

/* Bits [31:26] choose; bit 25 is the highest one of a shift amount, which RV32 reserves. */
static const struct rv_row shift_left_rows[] = {
    RV_ROW_WITH(0xfe000000, 0x00000000, INTEGER, X_X, 0, RV_HINT_IF_X0),
    RV_ROW_WITH(0xfe000000, 0x02000000, INTEGER, X_X, 0, RV_HINT_IF_X0, RV_ONLY_64),
    RV_ROW(0xfe000000, 0x28000000, BIT, X_X, 0),                     /* BSETI */
    RV_ROW_WITH(0xfe000000, 0x2a000000, BIT, X_X, 0, RV_ONLY_64),    /* BSETI */
    RV_ROW(0xfe000000, 0x48000000, BIT, X_X, 0),                     /* BCLRI */
    RV_ROW_WITH(0xfe000000, 0x4a000000, BIT, X_X, 0, RV_ONLY_64),    /* BCLRI */
    RV_ROW(0xfe000000, 0x68000000, BIT, X_X, 0),                     /* BINVI */
    RV_ROW_WITH(0xfe000000, 0x6a000000, BIT, X_X, 0, RV_ONLY_64),    /* BINVI */
    RV_ROW(0xffe00000, 0x60000000, BIT, X_X, 0),                     /* CLZ, CTZ */
    RV_ROW(0xfff00000, 0x60200000, BIT, X_X, 0),                     /* CPOP */
    RV_ROW(0xffe00000, 0x60400000, BIT, X_X, 0),                     /* SEXT.B, SEXT.H */
    RV_ROW_WITH(0xfff00000, 0x08f00000, BIT, X_X, 0, RV_ONLY_32),    /* ZIP */
    RV_ROW(0xffc00000, 0x10000000, CRYPTO, X_X, 0),                  /* SHA256* */
    RV_ROW_WITH(0xffc00000, 0x10400000, CRYPTO, X_X, 0, RV_ONLY_64), /* SHA512* */
    RV_ROW(0xffe00000, 0x10800000, CRYPTO, X_X, 0),                  /* SM3P0, SM3P1 */
    RV_ROW_WITH(0xfff00000, 0x30000000, CRYPTO, X_X, 0, RV_ONLY_64), /* AES64IM */
    RV_ROW_WITH(0xff800000, 0x31000000, CRYPTO, X_X, 0, RV_ONLY_64), /* AES64KS1I 0 to 7 */
    RV_ROW_WITH(0xffe00000, 0x31800000, CRYPTO, X_X, 0, RV_ONLY_64), /* 8, 9 */
    RV_ROW_WITH(0xfff00000, 0x31a00000, CRYPTO, X_X, 0, RV_ONLY_64), /* 10 */
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(shift_left);

static const struct rv_row shift_right_rows[] = {
    RV_ROW_WITH(0xbe000000, 0x00000000, INTEGER, X_X, 0, RV_HINT_IF_X0),
    RV_ROW_WITH(0xbe000000, 0x02000000, INTEGER, X_X, 0, RV_HINT_IF_X0, RV_ONLY_64),
    RV_ROW(0xfe000000, 0x48000000, BIT, X_X, 0),                  /* BEXTI */
    RV_ROW_WITH(0xfe000000, 0x4a000000, BIT, X_X, 0, RV_ONLY_64), /* BEXTI */
    RV_ROW(0xfe000000, 0x60000000, BIT, X_X, 0),                  /* RORI */
    RV_ROW_WITH(0xfe000000, 0x62000000, BIT, X_X, 0, RV_ONLY_64), /* RORI */
    RV_ROW(0xfff00000, 0x28700000, BIT, X_X, 0),                  /* ORC.B */
    RV_ROW_WITH(0xfff00000, 0x69800000, BIT, X_X, 0, RV_ONLY_32), /* REV8 */
    RV_ROW_WITH(0xfff00000, 0x6b800000, BIT, X_X, 0, RV_ONLY_64), /* REV8 */
    RV_ROW(0xfff00000, 0x68700000, BIT, X_X, 0),                  /* BREV8 */
    RV_ROW_WITH(0xfff00000, 0x08f00000, BIT, X_X, 0, RV_ONLY_32), /* UNZIP */
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(shift_right);

/* In OP, funct7 0 and 0x20 are RV32I, 1 is M. */
#define BASE_ROW(v)    RV_ROW_WITH(0xfe000000, v, INTEGER, X_XX, 0, RV_HINT_IF_X0)
#define TWO_ROW(v, id) RV_ROW(0xfe000000, v, id, X_XX, 0)
#define NTL_ROW(v)     RV_ROW(0xffffffff, v, NTL, X_XX, RV_HINT)
#define ONLY_32(v, id) RV_ROW_WITH(0xfe000000, v, id, X_XX, 0, RV_ONLY_32)
#define ONLY_64(v, id) RV_ROW_WITH(0xfe000000, v, id, X_XX, 0, RV_ONLY_64)
#define BYTE_32(v)     RV_ROW_WITH(0x3e000000, v, CRYPTO, X_XX, 0, RV_ONLY_32)
#define BYTE_SELECT(v) RV_ROW(0x3e000000, v, CRYPTO, X_XX, 0)

static const struct rv_row op_0_rows[] = {
    NTL_ROW(0x00200033),
    NTL_ROW(0x00300033),
    NTL_ROW(0x00400033),
    NTL_ROW(0x00500033),
    BASE_ROW(0x00000000),
    BASE_ROW(0x40000000),
    TWO_ROW(0x02000000, MULTIPLY),
    BYTE_SELECT(0x30000000),     /* SM4ED */
    BYTE_SELECT(0x34000000),     /* SM4KS */
    ONLY_64(0x32000000, CRYPTO), /* AES64ES */
    ONLY_64(0x36000000, CRYPTO), /* AES64ESM */
    ONLY_64(0x3a000000, CRYPTO), /* AES64DS */
    ONLY_64(0x3e000000, CRYPTO), /* AES64DSM */
    ONLY_64(0x7e000000, CRYPTO), /* AES64KS2 */
    BYTE_32(0x22000000),         /* AES32ESI */
    BYTE_32(0x26000000),         /* AES32ESMI */
    BYTE_32(0x2a000000),         /* AES32DSI */
    BYTE_32(0x2e000000),         /* AES32DSMI */
    ONLY_32(0x50000000, CRYPTO), /* SHA512SUM0R */
    ONLY_32(0x52000000, CRYPTO), /* SHA512SUM1R */
    ONLY_32(0x54000000, CRYPTO), /* SHA512SIG0L */
    ONLY_32(0x56000000, CRYPTO), /* SHA512SIG1L */
    ONLY_32(0x5c000000, CRYPTO), /* SHA512SIG0H */
    ONLY_32(0x5e000000, CRYPTO), /* SHA512SIG1H */
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(op_0);

static const struct rv_row op_1_rows[] = {
    BASE_ROW(0x00000000),     TWO_ROW(0x02000000, MULTIPLY),
    TWO_ROW(0x0a000000, BIT), TWO_ROW(0x28000000, BIT),
    TWO_ROW(0x48000000, BIT), TWO_ROW(0x60000000, BIT),
    TWO_ROW(0x68000000, BIT), RV_ELSE_RESERVED,
};
RV_TABLE_OF(op_1);

static const struct rv_row op_2_rows[] = {
    BASE_ROW(0x00000000),     TWO_ROW(0x02000000, MULTIPLY), TWO_ROW(0x0a000000, BIT),
    TWO_ROW(0x20000000, BIT), TWO_ROW(0x28000000, BIT),      RV_ELSE_RESERVED,
};
RV_TABLE_OF(op_2);

static const struct rv_row op_3_rows[] = {
    BASE_ROW(0x00000000),
    TWO_ROW(0x02000000, MULTIPLY),
    TWO_ROW(0x0a000000, BIT),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(op_3);

/* PACK, 0x08000000, with rs2 x0 is ZEXT.H on RV32. */
static const struct rv_row op_4_rows[] = {
    BASE_ROW(0x00000000),
    TWO_ROW(0x02000000, DIVIDE),
    RV_ROW_WITH(0xfff00000, 0x08000000, BIT, X_X, 0, RV_ONLY_32),
    TWO_ROW(0x08000000, BIT),
    TWO_ROW(0x0a000000, BIT),
    TWO_ROW(0x20000000, BIT),
    TWO_ROW(0x28000000, BIT),
    TWO_ROW(0x40000000, BIT),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(op_4);

static const struct rv_row op_5_rows[] = {
    BASE_ROW(0x00000000),
    BASE_ROW(0x40000000),
    TWO_ROW(0x02000000, DIVIDE),
    TWO_ROW(0x0a000000, BIT),
    TWO_ROW(0x0e000000, CONDITIONAL_ZERO),
    TWO_ROW(0x48000000, BIT),
    TWO_ROW(0x60000000, BIT),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(op_5);

static const struct rv_row op_6_rows[] = {
    BASE_ROW(0x00000000),     TWO_ROW(0x02000000, DIVIDE), TWO_ROW(0x0a000000, BIT),
    TWO_ROW(0x20000000, BIT), TWO_ROW(0x40000000, BIT),    RV_ELSE_RESERVED,
};
RV_TABLE_OF(op_6);

static const struct rv_row op_7_rows[] = {
    BASE_ROW(0x00000000),     TWO_ROW(0x02000000, DIVIDE),           TWO_ROW(0x08000000, BIT),
    TWO_ROW(0x0a000000, BIT), TWO_ROW(0x0e000000, CONDITIONAL_ZERO), TWO_ROW(0x40000000, BIT),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(op_7);

/* With funct3 in bits [14:12] of mask and value. */
#define WORD_BASE(m, v, shape)                                                                     \
    RV_ROW_WITH((m) | 0x7000, v, INTEGER, shape, 0, RV_HINT_IF_X0, RV_ONLY_64)
#define WORD_ROW(m, v, id, shape) RV_ROW_WITH((m) | 0x7000, v, id, shape, 0, RV_ONLY_64)

static const struct rv_row immediate_32_rows[] = {
    WORD_BASE(0x00000000, 0x00000000, X_X),     /* ADDIW */
    WORD_BASE(0xfe000000, 0x00001000, X_X),     /* SLLIW */
    WORD_BASE(0xfe000000, 0x00005000, X_X),     /* SRLIW */
    WORD_BASE(0xfe000000, 0x40005000, X_X),     /* SRAIW */
    WORD_ROW(0xfc000000, 0x08001000, BIT, X_X), /* SLLI.UW */
    WORD_ROW(0xffe00000, 0x60001000, BIT, X_X), /* CLZW, CTZW */
    WORD_ROW(0xfff00000, 0x60201000, BIT, X_X), /* CPOPW */
    WORD_ROW(0xfe000000, 0x60005000, BIT, X_X), /* RORIW */
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(immediate_32);

static const struct rv_row op_32_rows[] = {
    WORD_BASE(0xfe000000, 0x00000000, X_XX),          /* ADDW */
    WORD_BASE(0xfe000000, 0x40000000, X_XX),          /* SUBW */
    WORD_BASE(0xfe000000, 0x00001000, X_XX),          /* SLLW */
    WORD_BASE(0xfe000000, 0x00005000, X_XX),          /* SRLW */
    WORD_BASE(0xfe000000, 0x40005000, X_XX),          /* SRAW */
    WORD_ROW(0xfe000000, 0x02000000, MULTIPLY, X_XX), /* MULW */
    WORD_ROW(0xfe000000, 0x02004000, DIVIDE, X_XX),   /* DIVW */
    WORD_ROW(0xfe000000, 0x02005000, DIVIDE, X_XX),   /* DIVUW */
    WORD_ROW(0xfe000000, 0x02006000, DIVIDE, X_XX),   /* REMW */
    WORD_ROW(0xfe000000, 0x02007000, DIVIDE, X_XX),   /* REMUW */
    WORD_ROW(0xfe000000, 0x08000000, BIT, X_XX),      /* ADD.UW */
    WORD_ROW(0xfe000000, 0x20002000, BIT, X_XX),      /* SH1ADD.UW */
    WORD_ROW(0xfe000000, 0x20004000, BIT, X_XX),      /* SH2ADD.UW */
    WORD_ROW(0xfe000000, 0x20006000, BIT, X_XX),      /* SH3ADD.UW */
    WORD_ROW(0xfe000000, 0x60001000, BIT, X_XX),      /* ROLW */
    WORD_ROW(0xfe000000, 0x60005000, BIT, X_XX),      /* RORW */
    WORD_ROW(0xfff00000, 0x08004000, BIT, X_X),       /* ZEXT.H */
    WORD_ROW(0xfe000000, 0x08004000, BIT, X_XX),      /* PACKW */
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(op_32);
