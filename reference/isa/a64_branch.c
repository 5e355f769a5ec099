/* Reserved encodings, and "Branches, Exception Generating and System instructions" except for the
 * system instructions. */
#include "isa/a64_table.h"

#define JUMP     A64_INFO(IS_BRANCH)
#define TO_LABEL (JUMP | A64_INFO(IS_DIRECT))
#define IF       (TO_LABEL | A64_INFO(IS_CONDITIONAL))
#define CALL     (JUMP | A64_INFO(IS_CALL))
#define RETURN   (JUMP | A64_INFO(IS_RETURN))
#define AUTH     A64_INFO(IS_PAUTH)
#define RAISE    A64_INFO(IS_EXCEPTION_GENERATING)
#define RAISED   A64_INFO(IS_EXCEPTION_RETURN)

static const struct a64_row none_rows[] = {A64_ELSE_UNALLOCATED};
A64_TABLE_OF(none);

static const struct a64_row other_rows[] = {A64_ROW(0, 0, OTHER, 0)};
A64_TABLE_OF(other);

static const struct a64_row reserved_rows[] = {
    A64_ROW(0xffff0000, 0x00000000, UDF, A64_INFO(IS_UNDEFINED)),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(reserved);

static const struct a64_row branch_rows[] = {
    A64_ROW(0xfc000000, 0x94000000, BL, TO_LABEL | A64_INFO(IS_CALL)),
    A64_ROW(0xfc000000, 0x14000000, B, TO_LABEL),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(branch);

/* The conditions 0b111x, AL and NV, both mean always (C1.2.4). */
static const struct a64_row branch_cond_rows[] = {
    A64_ROW(0xff00001e, 0x5400000e, B_COND, TO_LABEL),
    A64_ROW(0xff00001e, 0x5400001e, BC_COND, TO_LABEL),
    A64_ROW(0xff000010, 0x54000000, B_COND, IF),
    A64_ROW(0xff000010, 0x54000010, BC_COND, IF),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(branch_cond);

/* The label of RETAASPPC and RETABSPPC is a modifier, not a target. */
static const struct a64_row branch_misc_rows[] = {
    A64_ROW(0xffe0001f, 0x5500001f, RETAA, RETURN | AUTH),
    A64_ROW(0xffe0001f, 0x5520001f, RETAB, RETURN | AUTH),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(branch_misc);

static const struct a64_row compare_rows[] = {
    A64_ROW(0x7f000000, 0x34000000, CBZ, IF),
    A64_ROW(0x7f000000, 0x35000000, CBNZ, IF),
    A64_ROW(0x7f000000, 0x36000000, TBZ, IF),
    A64_ROW(0x7f000000, 0x37000000, TBNZ, IF),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(compare);

/* Bits [23:21] are a condition of which 0b10x are unallocated. */
static const struct a64_row compare_two_rows[] = {
    A64_UNALLOCATED_ROW(0x00c00000, 0x00800000),
    A64_ROW(0x7f00c000, 0x74000000, CB, IF),
    A64_ROW(0xff008000, 0x74008000, CB, IF),
    A64_ROW(0x7f004000, 0x75000000, CB, IF),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(compare_two);

static const struct a64_row branch_reg_rows[] = {
    A64_ROW(0xfffffc1f, 0xd65f0000, RET, RETURN),
    A64_ROW(0xfffffc1f, 0xd63f0000, BLR, CALL),
    A64_ROW(0xfffffc1f, 0xd61f0000, BR, JUMP),
    A64_ROW(0xffffffe0, 0xd65f0be0, RETAA, RETURN | AUTH),
    A64_ROW(0xffffffe0, 0xd65f0fe0, RETAB, RETURN | AUTH),
    A64_ROW(0xfffffc1f, 0xd63f081f, BLRAA, CALL | AUTH),
    A64_ROW(0xfffffc1f, 0xd63f0c1f, BLRAB, CALL | AUTH),
    A64_ROW(0xfffffc00, 0xd73f0800, BLRAA, CALL | AUTH),
    A64_ROW(0xfffffc00, 0xd73f0c00, BLRAB, CALL | AUTH),
    A64_ROW(0xfffffc1f, 0xd61f081f, BRAA, JUMP | AUTH),
    A64_ROW(0xfffffc1f, 0xd61f0c1f, BRAB, JUMP | AUTH),
    A64_ROW(0xfffffc00, 0xd71f0800, BRAA, JUMP | AUTH),
    A64_ROW(0xfffffc00, 0xd71f0c00, BRAB, JUMP | AUTH),
    A64_ROW(0xffffffff, 0xd69f03e0, ERET, RAISED),
    A64_ROW(0xffffffff, 0xd69f0bff, ERETAA, RAISED | AUTH),
    A64_ROW(0xffffffff, 0xd69f0fff, ERETAB, RAISED | AUTH),
    A64_ROW(0xffffffff, 0xd6bf03e0, DRPS, 0),
    A64_ROW(0xfffffbff, 0xd6ff03e0, TEXIT, 0),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(branch_reg);

static const struct a64_row exception_rows[] = {
    A64_ROW(0xffe0001f, 0xd4000001, SVC, RAISE),
    A64_ROW(0xffe0001f, 0xd4000002, HVC, RAISE),
    A64_ROW(0xffe0001f, 0xd4000003, SMC, RAISE),
    A64_ROW(0xffe0001f, 0xd4200000, BRK, RAISE),
    A64_ROW(0xffe0001f, 0xd4400000, HLT, RAISE),
    A64_ROW(0xffe0001f, 0xd4600000, TCANCEL, 0),
    A64_ROW(0xffe0001f, 0xd4a00001, DCPS1, RAISE),
    A64_ROW(0xffe0001f, 0xd4a00002, DCPS2, RAISE),
    A64_ROW(0xffe0001f, 0xd4a00003, DCPS3, RAISE),
    A64_ROW(0xfffdf01f, 0xd4e00000, TENTER, 0),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(exception);

/* "Data-processing (1 source)", "(2 source)" and "PC-relative AUT": what makes or checks codes. */
static const struct a64_row pauth_rows[] = {
    A64_ROW(0xfffff000, 0xdac10000, PAC, AUTH),
    A64_ROW(0xfffff000, 0xdac11000, AUT, AUTH),
    A64_ROW(0xfffff3e0, 0xdac123e0, PAC, AUTH),
    A64_ROW(0xfffff3e0, 0xdac133e0, AUT, AUTH),
    A64_ROW(0xfffffbe0, 0xdac143e0, XPAC, AUTH),
    A64_ROW(0xfffffbff, 0xdac183fe, PAC, AUTH),
    A64_ROW(0xfffff81f, 0xdac1901e, AUT, AUTH),
    A64_ROW(0xfffffbff, 0xdac1a3fe, PAC, AUTH),
    A64_ROW(0xffe0fc00, 0x9ac03000, PAC, AUTH),
    A64_ROW(0xffc0001f, 0xf380001f, AUT, AUTH),
    A64_ROW(0, 0, OTHER, 0),
};
A64_TABLE_OF(pauth);
