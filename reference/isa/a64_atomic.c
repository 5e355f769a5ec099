/* "Loads and stores": atomic memory operations, 64-byte accesses, memory copy and set, tags. */
#include "isa/a64_table.h"

#define RANGE  (A64_INFO(IS_RANGE) | A64_INFO(IS_WRITEBACK))
#define TAGGED A64_INFO(ACCESSES_TAGS)
#define TAGS   (TAGGED | A64_INFO(IS_TAG_ONLY))

/* A is bit 23, R 22, o3 15, opc [14:12]. With Rt 31 an LD<op> or SWP has no acquire semantics
 * whatever A says; without A it is ST<op>. */
static const struct a64_row atomic_rows[] = {
    A64_ROW_WITH(0x0000801f, 0x0000001f, ATOMIC_RMW, A64_UPDATE | A64_EACH(1, 0), A64_SIZE_31_30,
                 .release = 22),
    A64_ROW_WITH(0x00008000, 0x00000000, ATOMIC_RMW, A64_UPDATE | A64_EACH(1, 0), A64_SIZE_31_30,
                 A64_ORDER_23_22),
    A64_ROW_WITH(0x0000f01f, 0x0000801f, ATOMIC_RMW, A64_UPDATE | A64_EACH(1, 0), A64_SIZE_31_30,
                 .release = 22),
    A64_ROW_WITH(0x0000f000, 0x00008000, ATOMIC_RMW, A64_UPDATE | A64_EACH(1, 0), A64_SIZE_31_30,
                 A64_ORDER_23_22),
    A64_ROW_WITH(0x00c0f000, 0x0080c000, LOAD_ORDERED, A64_READ | A64_ACQUIRE | A64_EACH(1, 0),
                 A64_SIZE_31_30),
    A64_ROW_WITH(0x8000f000, 0x00009000, RCW, A64_MAY_UPDATE | A64_EACH(1, 3), A64_ORDER_23_22),
    A64_ROW_WITH(0x8000e000, 0x0000a000, RCW, A64_MAY_UPDATE | A64_EACH(1, 3), A64_ORDER_23_22),
    A64_GO(0xc0c00000, 0xc0000000, LS64),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(atomic);

/* Eight registers from an even Rt up to 22. Without a status Rs is 31. */
static const struct a64_row ls64_rows[] = {
    A64_UNALLOCATED_ROW(0x00000001, 0x00000001),
    A64_UNALLOCATED_ROW(0x00000018, 0x00000018),
    A64_ROW(0x001ff000, 0x001fd000, LOAD_64B, A64_READ | A64_EACH(1, 6)),
    A64_ROW(0x001ff000, 0x001f9000, STORE_64B, A64_WRITE | A64_EACH(1, 6)),
    A64_ROW(0x0000e000, 0x0000a000, STORE_64B, A64_MAY_WRITE | A64_EACH(1, 6)),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(ls64);

/* opc 0b000 and 0b1xx are operations; size 0b00 is BFloat16. ST<op> has o3 set, Rt 31 and A clear.
 */
static const struct a64_row atomic_fp_rows[] = {
    A64_UNALLOCATED_ROW(0x00007000, 0x00001000),
    A64_UNALLOCATED_ROW(0x00006000, 0x00002000),
    A64_ROW_WITH(0xc0008000, 0x00000000, ATOMIC_RMW, A64_UPDATE | A64_SIMD_FP | A64_EACH(1, 1),
                 A64_ORDER_23_22),
    A64_ROW_WITH(0xc080801f, 0x0000801f, ATOMIC_RMW, A64_UPDATE | A64_SIMD_FP | A64_EACH(1, 1),
                 .release = 22),
    A64_ROW_WITH(0x00008000, 0x00000000, ATOMIC_RMW, A64_UPDATE | A64_SIMD_FP | A64_EACH(1, 0),
                 A64_SIZE_31_30, A64_ORDER_23_22),
    A64_ROW_WITH(0x0080801f, 0x0000801f, ATOMIC_RMW, A64_UPDATE | A64_SIMD_FP | A64_EACH(1, 0),
                 A64_SIZE_31_30, .release = 22),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(atomic_fp);

/* Bits [11:10]: 0 with 128 bits, 1 unprivileged, 2 RCWCAS, 3 RCWCASP with even registers. Bit 30
 * is the S of RCWS, or the size of the unprivileged ones. */
#define UNPRIVILEGED_ROWS(v)                                                                       \
    A64_ROW_WITH(0x0000fc1f, (v) | 0x1f, ATOMIC_RMW, A64_UPDATE | A64_EL0 | A64_EACH(1, 2),        \
                 A64_SIZE_30, .release = 22),                                                      \
        A64_ROW_WITH(0x0000fc00, (v), ATOMIC_RMW, A64_UPDATE | A64_EL0 | A64_EACH(1, 2),           \
                     A64_SIZE_30, A64_ORDER_23_22)

static const struct a64_row atomic_wide_rows[] = {
    A64_GO(0x00000c00, 0x00000000, ATOMIC_128),
    UNPRIVILEGED_ROWS(0x0400),
    UNPRIVILEGED_ROWS(0x1400),
    UNPRIVILEGED_ROWS(0x3400),
    UNPRIVILEGED_ROWS(0x8400),
    A64_ROW_WITH(0x0000fc00, 0x00000800, RCW, A64_MAY_UPDATE | A64_EACH(1, 3), A64_ORDER_23_22),
    A64_UNALLOCATED_ROW(0x00010c00, 0x00010c00),
    A64_UNALLOCATED_ROW(0x00000c01, 0x00000c01),
    A64_ROW_WITH(0x0000fc00, 0x00000c00, RCW, A64_MAY_UPDATE | A64_EACH(2, 3), A64_ORDER_23_22),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(atomic_wide);

/* Neither register may be 31. */
static const struct a64_row atomic_128_rows[] = {
    A64_UNALLOCATED_ROW(0x0000001f, 0x0000001f),
    A64_UNALLOCATED_ROW(0x001f0000, 0x001f0000),
    A64_ROW_WITH(0x4000d000, 0x00001000, ATOMIC_RMW, A64_UPDATE | A64_EACH(2, 3), A64_ORDER_23_22),
    A64_ROW_WITH(0x4000f000, 0x00008000, ATOMIC_RMW, A64_UPDATE | A64_EACH(2, 3), A64_ORDER_23_22),
    A64_ROW_WITH(0x0000f000, 0x00009000, RCW, A64_MAY_UPDATE | A64_EACH(2, 3), A64_ORDER_23_22),
    A64_ROW_WITH(0x0000e000, 0x0000a000, RCW, A64_MAY_UPDATE | A64_EACH(2, 3), A64_ORDER_23_22),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(atomic_128);

/* size, bits [31:30], is 0; o0 is bit 26, op1 [23:22]; SET* give the stage in [15:14]. */
static const struct a64_row mops_rows[] = {
    A64_ROW(0xc4c00000, 0x00000000, CPYFP, A64_READ | A64_WRITE | RANGE),
    A64_ROW(0xc4c00000, 0x00400000, CPYFM, A64_READ | A64_WRITE | RANGE),
    A64_ROW(0xc4c00000, 0x00800000, CPYFE, A64_READ | A64_WRITE | RANGE),
    A64_ROW(0xc4c00000, 0x04000000, CPYP, A64_READ | A64_WRITE | RANGE),
    A64_ROW(0xc4c00000, 0x04400000, CPYM, A64_READ | A64_WRITE | RANGE),
    A64_ROW(0xc4c00000, 0x04800000, CPYE, A64_READ | A64_WRITE | RANGE),
    A64_ROW(0xc4c0c000, 0x00c00000, SETP, A64_WRITE | RANGE),
    A64_ROW(0xc4c0c000, 0x00c04000, SETM, A64_WRITE | RANGE),
    A64_ROW(0xc4c0c000, 0x00c08000, SETE, A64_WRITE | RANGE),
    A64_ROW(0xc4c0c000, 0x04c00000, SETGP, A64_WRITE | RANGE | TAGGED),
    A64_ROW(0xc4c0c000, 0x04c04000, SETGM, A64_WRITE | RANGE | TAGGED),
    A64_ROW(0xc4c0c000, 0x04c08000, SETGE, A64_WRITE | RANGE | TAGGED),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(mops);

/* opc is bits [23:22], op2 [11:10]: 0 for LDG and the multiple forms, else the addressing mode. How
 * much the multiple forms cover is in GMID_EL1.BS. */
static const struct a64_row tags_rows[] = {
    A64_ROW(0x00c00c00, 0x00400000, TAG_LOAD, A64_READ | TAGS | A64_EACH(1, 4)),
    A64_ROW(0x00dffc00, 0x00000000, TAG_DATA_STORE, A64_WRITE | TAGGED),
    A64_ROW(0x00dffc00, 0x00800000, TAG_STORE, A64_WRITE | TAGS),
    A64_ROW(0x00dffc00, 0x00c00000, TAG_LOAD, A64_READ | TAGS),
    A64_UNALLOCATED_ROW(0x00000c00, 0x00000000),
    A64_ROW_WITH(0x00c00000, 0x00000000, TAG_STORE, A64_WRITE | TAGS | A64_EACH(1, 4),
                 .writeback = 10),
    A64_ROW_WITH(0x00c00000, 0x00400000, TAG_DATA_STORE, A64_WRITE | TAGGED | A64_EACH(1, 4),
                 .writeback = 10),
    A64_ROW_WITH(0x00c00000, 0x00800000, TAG_STORE, A64_WRITE | TAGS | A64_EACH(2, 4),
                 .writeback = 10),
    A64_ROW_WITH(0x00c00000, 0x00c00000, TAG_DATA_STORE, A64_WRITE | TAGGED | A64_EACH(2, 4),
                 .writeback = 10),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(tags);
