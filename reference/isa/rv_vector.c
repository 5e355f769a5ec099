/* "V": loads and stores exactly, configuration exactly, arithmetic by its operands; and the vector
 * part of "Cryptography Extensions". */
#include "isa/rv_table.h"

/* nf is bits [31:29], mew 28, mop [27:26], vm 25, lumop or sumop [24:20]; width, [14:12], has log2
 * of the bytes of an element (or index) in its lower two bits. */
#define SIZE_13_12 .size_low = 12, .size_bits = 2
#define SEGMENTS   .fields_low = 29, .maskable = true
#define FIRST      RV_INFO(IS_FIRST_FAULT)
#define READ       (RV_READ | RV_OF_VECTOR)
#define WRITE      (RV_WRITE | RV_OF_VECTOR)
#define BY_INDEX   RV_INFO(IS_SEW_SIZED)
#define IN_ORDER   (BY_INDEX | RV_INFO(IS_ORDERED))

/* A whole register access moves 1, 2, 4 or 8 registers, from a multiple of that number on. */
#define WHOLE_LOAD(nf, low)                                                                        \
    RV_ROW_WITH(0xfff00000 | (low), 0x02800000 | (nf), VLOAD_WHOLE, VLOAD_WHOLE, READ, SIZE_13_12, \
                .fields_low = 29)
#define WHOLE_STORE(nf, low)                                                                       \
    RV_ROW_WITH(0xfff07000 | (low), 0x02800000 | (nf), VSTORE_WHOLE, VSTORE_WHOLE, WRITE,          \
                .fields_low = 29)

/* V has no indices of 64 bits when XLEN is 32. */
#define NO_WIDE_INDEX RV_NO_ROW_WITH(0x04007000, 0x04007000, RESERVED, RV_ONLY_32)

static const struct rv_row vload_rows[] = {
    RV_NO_ROW(0x10000000, 0x10000000, RESERVED),
    NO_WIDE_INDEX,
    RV_ROW_WITH(0x0df00000, 0x00000000, VLOAD, VLOAD, READ, SIZE_13_12, SEGMENTS),
    RV_ROW_WITH(0x0df00000, 0x01000000, VLOAD, VLOAD, READ | FIRST, SIZE_13_12, SEGMENTS),
    RV_ROW_WITH(0x0c000000, 0x08000000, VLOAD_STRIDED, VLOAD_STRIDED, READ, SIZE_13_12, SEGMENTS),
    RV_ROW_WITH(0x0c000000, 0x04000000, VLOAD_INDEXED, VLOAD_INDEXED, READ | BY_INDEX,
                .index_low = 12, SEGMENTS),
    RV_ROW_WITH(0x0c000000, 0x0c000000, VLOAD_INDEXED, VLOAD_INDEXED, READ | IN_ORDER,
                .index_low = 12, SEGMENTS),
    RV_ROW_WITH(0xfff07000, 0x02b00000, VLOAD_MASK, VLOAD, READ, .fields_low = 29),
    WHOLE_LOAD(0x00000000, 0),
    WHOLE_LOAD(0x20000000, 0x080),
    WHOLE_LOAD(0x60000000, 0x180),
    WHOLE_LOAD(0xe0000000, 0x380),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(vload);

static const struct rv_row vstore_rows[] = {
    RV_NO_ROW(0x10000000, 0x10000000, RESERVED),
    NO_WIDE_INDEX,
    RV_ROW_WITH(0x0df00000, 0x00000000, VSTORE, VSTORE, WRITE, SIZE_13_12, SEGMENTS),
    RV_ROW_WITH(0x0c000000, 0x08000000, VSTORE_STRIDED, VSTORE_STRIDED, WRITE, SIZE_13_12,
                SEGMENTS),
    RV_ROW_WITH(0x0c000000, 0x04000000, VSTORE_INDEXED, VSTORE_INDEXED, WRITE | BY_INDEX,
                .index_low = 12, SEGMENTS),
    RV_ROW_WITH(0x0c000000, 0x0c000000, VSTORE_INDEXED, VSTORE_INDEXED, WRITE | IN_ORDER,
                .index_low = 12, SEGMENTS),
    RV_ROW_WITH(0xfff07000, 0x02b00000, VSTORE_MASK, VSTORE, WRITE, .fields_low = 29),
    WHOLE_STORE(0x00000000, 0),
    WHOLE_STORE(0x20000000, 0x080),
    WHOLE_STORE(0x60000000, 0x180),
    WHOLE_STORE(0xe0000000, 0x380),
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(vstore);

static const struct rv_row v_set_rows[] = {
    RV_ROW(0x80000000, 0x00000000, VSET, X_X, RV_OF_VECTOR),  /* VSETVLI */
    RV_ROW(0xc0000000, 0xc0000000, VSET, X, RV_OF_VECTOR),    /* VSETIVLI */
    RV_ROW(0xfe000000, 0x80000000, VSET, X_XX, RV_OF_VECTOR), /* VSETVL */
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(v_set);

/* Arithmetic: funct6 is bits [31:26]. vs2 is in the place of rs2; vs1, rs1, fs1 or an immediate, or
 * more of the opcode, in that of rs1. */
#define ARITHMETIC(m, v, shape) RV_ROW_WITH(m, v, VECTOR, shape, RV_OF_VECTOR, .maskable = true)
#define MOVE_GROUP(nr)                                                                             \
    RV_ROW_WITH(0xfe0f8000, 0x9e000000 | (nr), VECTOR, V_GROUP, RV_OF_VECTOR, .fields_low = 15)

static const struct rv_row v_ivv_rows[] = {
    ARITHMETIC(0xfe000000, 0x5e000000, V_V), /* VMV.V.V */
    ARITHMETIC(0, 0, V_VV),
};
RV_TABLE_OF(v_ivv);

static const struct rv_row v_ivi_rows[] = {
    ARITHMETIC(0xfe000000, 0x5e000000, V), /* VMV.V.I */
    MOVE_GROUP(0x00000000),
    MOVE_GROUP(0x00008000),
    MOVE_GROUP(0x00018000),
    MOVE_GROUP(0x00038000),
    ARITHMETIC(0, 0, V_V2),
};
RV_TABLE_OF(v_ivi);

static const struct rv_row v_ivx_rows[] = {
    ARITHMETIC(0xfe000000, 0x5e000000, V_X), /* VMV.V.X */
    ARITHMETIC(0, 0, V_XV),
};
RV_TABLE_OF(v_ivx);

/* 0b1111xx are widening multiply-adds, also those from BFloat16 (0b111011). */
static const struct rv_row v_fvv_rows[] = {
    ARITHMETIC(0xfc000000, 0x40000000, F_V2),   /* VWFUNARY0: VFMV.F.S */
    ARITHMETIC(0xf8000000, 0x48000000, V_V2),   /* VFUNARY0, VFUNARY1 */
    ARITHMETIC(0xe0000000, 0xa0000000, ADD_VV), /* VFMADD to VFNMSAC */
    ARITHMETIC(0xf0000000, 0xf0000000, ADD_VV), /* VFWMACC to VFWNMSAC */
    ARITHMETIC(0xfc000000, 0xec000000, ADD_VV), /* VFWMACCBF16 */
    ARITHMETIC(0, 0, V_VV),
};
RV_TABLE_OF(v_fvv);

static const struct rv_row v_fvf_rows[] = {
    ARITHMETIC(0xfc000000, 0x40000000, V_F), /* VRFUNARY0: VFMV.S.F */
    ARITHMETIC(0xfe000000, 0x5e000000, V_F), /* VFMV.V.F */
    ARITHMETIC(0xe0000000, 0xa0000000, ADD_FV), ARITHMETIC(0xf0000000, 0xf0000000, ADD_FV),
    ARITHMETIC(0xfc000000, 0xec000000, ADD_FV), ARITHMETIC(0, 0, V_FV),
};
RV_TABLE_OF(v_fvf);

static const struct rv_row v_mvv_rows[] = {
    ARITHMETIC(0xfc000000, 0x40000000, X_V2),   /* VWXUNARY0: VMV.X.S, VCPOP, VFIRST */
    ARITHMETIC(0xfc000000, 0x48000000, V_V2),   /* VXUNARY0: VZEXT, VSEXT, VBREV, VCLZ ... */
    ARITHMETIC(0xfc0f8000, 0x50088000, V),      /* VID */
    ARITHMETIC(0xfc000000, 0x50000000, V_V2),   /* VMUNARY0: VMSBF, VMSOF, VMSIF, VIOTA */
    ARITHMETIC(0xe4000000, 0xa4000000, ADD_VV), /* VMADD, VNMSUB, VMACC, VNMSAC */
    ARITHMETIC(0xf0000000, 0xf0000000, ADD_VV), /* VWMACCU, VWMACC, VWMACCSU */
    ARITHMETIC(0, 0, V_VV),
};
RV_TABLE_OF(v_mvv);

static const struct rv_row v_mvx_rows[] = {
    ARITHMETIC(0xfc000000, 0x40000000, V_X), /* VRXUNARY0: VMV.S.X */
    ARITHMETIC(0xe4000000, 0xa4000000, ADD_XV),
    ARITHMETIC(0xf0000000, 0xf0000000, ADD_XV),
    ARITHMETIC(0, 0, V_XV),
};
RV_TABLE_OF(v_mvx);

/* vm is 1. Rounds of ciphers and hashes update vd. */
static const struct rv_row v_crypto_rows[] = {
    RV_NO_ROW(0x02000000, 0x00000000, RESERVED),
    ARITHMETIC(0xfc000000, 0x80000000, V_VV),   /* VSM3ME */
    ARITHMETIC(0xfc000000, 0x84000000, V_V2),   /* VSM4K */
    ARITHMETIC(0xfc000000, 0x88000000, V_V2),   /* VAESKF1 */
    ARITHMETIC(0xf8000000, 0xa0000000, ADD_V2), /* VAES*, VSM4R, VGMUL */
    ARITHMETIC(0xf8000000, 0xa8000000, ADD_V2), /* VAESKF2, VSM3C */
    ARITHMETIC(0xf0000000, 0xb0000000, ADD_VV), /* VGHSH, VSHA2* */
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(v_crypto);
