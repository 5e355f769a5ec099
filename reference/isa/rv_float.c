/* Floating-point computation: "F", "D", "Q", "Zfh", "Zfbfmin", "Zfa". fmt is bits [26:25]: S, D, H,
 * Q; rm is bits [14:12], of which 5 and 6 are reserved. */
#include "isa/rv_table.h"

#define FLOAT_ROW(m, v, shape)         RV_ROW(m, v, FLOAT, shape, RV_OF_FLOAT)
#define FLOAT_ROW_WITH(m, v, shape, w) RV_ROW_WITH(m, v, FLOAT, shape, RV_OF_FLOAT, w)
#define NOT_ROUNDED(m, v, shape)       FLOAT_ROW((m) | 0x00007000, v, shape)
#define NOT_ROUNDED_32(m, v, shape)    FLOAT_ROW_WITH((m) | 0x00007000, v, shape, RV_ONLY_32)
#define NOT_ROUNDED_64(m, v, shape)    FLOAT_ROW_WITH((m) | 0x00007000, v, shape, RV_ONLY_64)

static const struct rv_row fused_rows[] = {
    FLOAT_ROW(0, 0, F_FFF),
};
RV_TABLE_OF(fused);

/* By funct5, bits [31:27]. Rows of what doesn't round come first: there funct3 chooses. */
static const struct rv_row float_rows[] = {
    NOT_ROUNDED(0xf8000000, 0x20000000, F_FF),    /* FSGNJ */
    NOT_ROUNDED(0xf8000000, 0x20001000, F_FF),    /* FSGNJN */
    NOT_ROUNDED(0xf8000000, 0x20002000, F_FF),    /* FSGNJX */
    FLOAT_ROW(0xf8004000, 0x28000000, F_FF),      /* FMIN, FMAX, FMINM, FMAXM */
    NOT_ROUNDED(0xf8000000, 0xa0000000, X_FF),    /* FLE */
    NOT_ROUNDED(0xf8000000, 0xa0001000, X_FF),    /* FLT */
    NOT_ROUNDED(0xf8000000, 0xa0002000, X_FF),    /* FEQ */
    NOT_ROUNDED(0xf8000000, 0xa0004000, X_FF),    /* FLEQ */
    NOT_ROUNDED(0xf8000000, 0xa0005000, X_FF),    /* FLTQ */
    NOT_ROUNDED(0xfff00000, 0xe0000000, X_F),     /* FMV.X.W */
    NOT_ROUNDED_64(0xfff00000, 0xe2000000, X_F),  /* FMV.X.D */
    NOT_ROUNDED(0xfff00000, 0xe4000000, X_F),     /* FMV.X.H */
    NOT_ROUNDED_32(0xfff00000, 0xe2100000, X_F),  /* FMVH.X.D */
    NOT_ROUNDED_64(0xfff00000, 0xe6100000, X_F),  /* FMVH.X.Q */
    NOT_ROUNDED(0xf9f00000, 0xe0001000, X_F),     /* FCLASS */
    NOT_ROUNDED(0xfff00000, 0xf0000000, F_X),     /* FMV.W.X */
    NOT_ROUNDED_64(0xfff00000, 0xf2000000, F_X),  /* FMV.D.X */
    NOT_ROUNDED(0xfff00000, 0xf4000000, F_X),     /* FMV.H.X */
    NOT_ROUNDED(0xf9f00000, 0xf0100000, F),       /* FLI */
    NOT_ROUNDED_32(0xfe000000, 0xb2000000, F_XX), /* FMVP.D.X */
    NOT_ROUNDED_64(0xfe000000, 0xb6000000, F_XX), /* FMVP.Q.X */
    NOT_ROUNDED(0xfff00000, 0xc2801000, X_F),     /* FCVTMOD.W.D */
    RV_NO_ROW(0x00007000, 0x00005000, RESERVED),
    RV_NO_ROW(0x00007000, 0x00006000, RESERVED),
    FLOAT_ROW(0xe0000000, 0x00000000, F_FF), /* FADD, FSUB, FMUL, FDIV */
    FLOAT_ROW(0xf9f00000, 0x58000000, F_F),  /* FSQRT */
    /* rs2 names the integer: W, WU, L, LU. */
    FLOAT_ROW(0xf9e00000, 0xc0000000, X_F),
    FLOAT_ROW_WITH(0xf9e00000, 0xc0200000, X_F, RV_ONLY_64),
    FLOAT_ROW(0xf9e00000, 0xd0000000, F_X),
    FLOAT_ROW_WITH(0xf9e00000, 0xd0200000, F_X, RV_ONLY_64),
    /* rs2 names the format to convert from, which is another one. */
    RV_NO_ROW(0xfff00000, 0x40000000, RESERVED),
    RV_NO_ROW(0xfff00000, 0x42100000, RESERVED),
    RV_NO_ROW(0xfff00000, 0x44200000, RESERVED),
    RV_NO_ROW(0xfff00000, 0x46300000, RESERVED),
    FLOAT_ROW(0xf9c00000, 0x40000000, F_F),
    FLOAT_ROW(0xf9e00000, 0x40400000, F_F), /* FROUND, FROUNDNX */
    FLOAT_ROW(0xfff00000, 0x40600000, F_F), /* FCVT.S.BF16 */
    FLOAT_ROW(0xfff00000, 0x44800000, F_F), /* FCVT.BF16.S */
    RV_ELSE_RESERVED,
};
RV_TABLE_OF(float);
