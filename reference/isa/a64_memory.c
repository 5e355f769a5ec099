/* "Loads and stores" of one or two general-purpose or SIMD&FP registers: exclusive, ordered,
 * literal, pair, and single register with all its addressing modes. */
#include "isa/a64_table.h"

#define EXCLUSIVE A64_INFO(IS_EXCLUSIVE)
#define LITERAL   A64_INFO(IS_LITERAL)

/* o2 is bit 23, L 22, o1 21, o0 15. The registers of CASP are pairs and must be even. */
static const struct a64_row exclusive_rows[] = {
    A64_ROW_WITH(0x3fe00000, 0x08400000, LOAD_EXCLUSIVE, A64_READ | EXCLUSIVE | A64_EACH(1, 0),
                 A64_SIZE_31_30, .acquire = 15),
    A64_ROW_WITH(0x3fe00000, 0x08000000, STORE_EXCLUSIVE,
                 A64_MAY_WRITE | EXCLUSIVE | A64_EACH(1, 0), A64_SIZE_31_30, .release = 15),
    A64_ROW_WITH(0x3fe00000, 0x08c00000, LOAD_ORDERED, A64_READ | A64_ACQUIRE | A64_EACH(1, 0),
                 A64_SIZE_31_30),
    A64_ROW_WITH(0x3fe00000, 0x08800000, STORE_ORDERED, A64_WRITE | A64_RELEASE | A64_EACH(1, 0),
                 A64_SIZE_31_30),
    A64_ROW_WITH(0x3fa07c00, 0x08a07c00, CAS, A64_MAY_UPDATE | A64_EACH(1, 0), A64_SIZE_31_30,
                 A64_ORDER_22_15),
    A64_ROW_WITH(0xbfe00000, 0x88600000, LOAD_EXCLUSIVE, A64_READ | EXCLUSIVE | A64_EACH(2, 2),
                 A64_SIZE_30, .acquire = 15),
    A64_ROW_WITH(0xbfe00000, 0x88200000, STORE_EXCLUSIVE,
                 A64_MAY_WRITE | EXCLUSIVE | A64_EACH(2, 2), A64_SIZE_30, .release = 15),
    A64_UNALLOCATED_ROW(0xbfa10000, 0x08210000),
    A64_UNALLOCATED_ROW(0xbfa00001, 0x08200001),
    A64_ROW_WITH(0xbfa07c00, 0x08207c00, CASP, A64_MAY_UPDATE | A64_EACH(2, 2), A64_SIZE_30,
                 A64_ORDER_22_15),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(exclusive);

static const struct a64_row unprivileged_rows[] = {
    A64_ROW_WITH(0xbfe00000, 0x89400000, LOAD_EXCLUSIVE,
                 A64_READ | EXCLUSIVE | A64_EL0 | A64_EACH(1, 2), A64_SIZE_30, .acquire = 15),
    A64_ROW_WITH(0xbfe00000, 0x89000000, STORE_EXCLUSIVE,
                 A64_MAY_WRITE | EXCLUSIVE | A64_EL0 | A64_EACH(1, 2), A64_SIZE_30, .release = 15),
    A64_UNALLOCATED_ROW(0xff010000, 0x49010000),
    A64_UNALLOCATED_ROW(0xff000001, 0x49000001),
    A64_ROW_WITH(0xffa07c00, 0x49807c00, CASP, A64_MAY_UPDATE | A64_EL0 | A64_EACH(2, 3),
                 A64_ORDER_22_15),
    A64_ROW_WITH(0xffa07c00, 0xc9807c00, CAS, A64_MAY_UPDATE | A64_EL0 | A64_EACH(1, 3),
                 A64_ORDER_22_15),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(unprivileged);

static const struct a64_row literal_rows[] = {
    A64_ROW_WITH(0xbf000000, 0x18000000, LOAD_LITERAL, A64_READ | LITERAL | A64_EACH(1, 2),
                 A64_SIZE_30),
    A64_ROW(0xff000000, 0x98000000, LOAD_LITERAL, A64_READ | LITERAL | A64_EACH(1, 2)),
    A64_ROW(0xff000000, 0xd8000000, PREFETCH, A64_BY_ADDRESS | LITERAL),
    A64_UNALLOCATED_ROW(0xff000000, 0xdc000000),
    A64_ROW_WITH(0x3f000000, 0x1c000000, LOAD_LITERAL,
                 A64_READ | LITERAL | A64_SIMD_FP | A64_EACH(1, 2), A64_SIZE_31_30),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(literal);

/* Bits [24:23] are the addressing mode: no-allocate, post-indexed, offset, pre-indexed. */
#define PAIR(m, v, id, flags, low, bits)                                                           \
    A64_ROW_WITH(m, v, id, flags, .writeback = 23, .size_low = (low), .size_bits = (bits))

static const struct a64_row pair_rows[] = {
    PAIR(0x7e400000, 0x28400000, LOAD_PAIR, A64_READ | A64_EACH(2, 2), 31, 1),
    PAIR(0x7e400000, 0x28000000, STORE_PAIR, A64_WRITE | A64_EACH(2, 2), 31, 1),
    PAIR(0xfe400000, 0xec400000, LOAD_PAIR, A64_READ | A64_SIMD_FP | A64_EL0 | A64_EACH(2, 4), 0,
         0),
    PAIR(0xfe400000, 0xec000000, STORE_PAIR, A64_WRITE | A64_SIMD_FP | A64_EL0 | A64_EACH(2, 4), 0,
         0),
    PAIR(0x3e400000, 0x2c400000, LOAD_PAIR, A64_READ | A64_SIMD_FP | A64_EACH(2, 2), 30, 2),
    PAIR(0x3e400000, 0x2c000000, STORE_PAIR, A64_WRITE | A64_SIMD_FP | A64_EACH(2, 2), 30, 2),
    A64_UNALLOCATED_ROW(0xff800000, 0x68000000),
    PAIR(0xfe400000, 0x68400000, LOAD_PAIR, A64_READ | A64_EACH(2, 2), 0, 0),
    PAIR(0xfe400000, 0x68000000, TAG_DATA_STORE,
         A64_WRITE | A64_INFO(ACCESSES_TAGS) | A64_EACH(2, 3), 0, 0),
    PAIR(0xfe400000, 0xe8400000, LOAD_PAIR, A64_READ | A64_EL0 | A64_EACH(2, 3), 0, 0),
    PAIR(0xfe400000, 0xe8000000, STORE_PAIR, A64_WRITE | A64_EL0 | A64_EACH(2, 3), 0, 0),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(pair);

/* Bit 21 and bits [11:10] choose the addressing mode. */
static const struct a64_row register_rows[] = {
    A64_GO(0x00200c00, 0x00000000, SCALAR),
    A64_GO(0x00200c00, 0x00200800, OFFSET),
    A64_GO(0x00200400, 0x00000400, INDEXED),
    A64_GO(0x00200c00, 0x00000800, REGISTER_EL0),
    A64_GO(0x04200c00, 0x00200000, ATOMIC),
    A64_GO(0x04200c00, 0x04200000, ATOMIC_FP),
    A64_ROW_WITH(0xff200400, 0xf8200400, LOAD, A64_READ | A64_INFO(IS_PAUTH) | A64_EACH(1, 3),
                 .writeback = 11),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(register);

/* option is bits [15:13], of which 0b0xx are unallocated. A PRFM whose Rt is 0b11xxx is RPRFM. */
static const struct a64_row offset_rows[] = {
    A64_UNALLOCATED_ROW(0x00004000, 0x00000000),
    A64_ROW(0xffe00018, 0xf8a00018, PREFETCH, A64_BY_ADDRESS | A64_INFO(IS_RANGE)),
    A64_GO(0, 0, SCALAR),
};
A64_TABLE_OF(offset);

/* size is bits [31:30], V 26, opc [23:22]. General-purpose: STR, LDR and the two sign-extending
 * LDRS; SIMD&FP: STR and LDR of B, H, S, D, and with size 0b00 and opc 0b1x of Q. */
#define GENERAL_ROWS(flags)                                                                        \
    A64_ROW_WITH(0x04c00000, 0x00400000, LOAD, A64_READ | (flags) | A64_EACH(1, 0),                \
                 A64_SIZE_31_30),                                                                  \
        A64_ROW_WITH(0x04c00000, 0x00000000, STORE, A64_WRITE | (flags) | A64_EACH(1, 0),          \
                     A64_SIZE_31_30),                                                              \
        A64_UNALLOCATED_ROW(0xc4800000, 0xc0800000), A64_UNALLOCATED_ROW(0xc4c00000, 0x80c00000),  \
        A64_ROW_WITH(0x04800000, 0x00800000, LOAD, A64_READ | (flags) | A64_EACH(1, 0),            \
                     A64_SIZE_31_30)

#define SIMD_FP_ROWS(flags)                                                                        \
    A64_ROW_WITH(0x04c00000, 0x04400000, LOAD, A64_READ | A64_SIMD_FP | (flags) | A64_EACH(1, 0),  \
                 A64_SIZE_31_30),                                                                  \
        A64_ROW_WITH(0x04c00000, 0x04000000, STORE,                                                \
                     A64_WRITE | A64_SIMD_FP | (flags) | A64_EACH(1, 0), A64_SIZE_31_30),          \
        A64_ROW(0xc4c00000, 0x04c00000, LOAD, A64_READ | A64_SIMD_FP | (flags) | A64_EACH(1, 4)),  \
        A64_ROW(0xc4c00000, 0x04800000, STORE, A64_WRITE | A64_SIMD_FP | (flags) | A64_EACH(1, 4))

static const struct a64_row scalar_rows[] = {
    A64_ROW(0xc4c00000, 0xc0800000, PREFETCH, A64_BY_ADDRESS),
    GENERAL_ROWS(0),
    SIMD_FP_ROWS(0),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(scalar);

static const struct a64_row indexed_rows[] = {
    GENERAL_ROWS(A64_INFO(IS_WRITEBACK)),
    SIMD_FP_ROWS(A64_INFO(IS_WRITEBACK)),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(indexed);

static const struct a64_row register_el0_rows[] = {
    GENERAL_ROWS(A64_EL0),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(register_el0);

/* LDAPUR and STLUR have the sizes of GENERAL_ROWS. */
static const struct a64_row rcpc_rows[] = {
    A64_ROW_WITH(0x00c00000, 0x00400000, LOAD_ORDERED, A64_READ | A64_ACQUIRE | A64_EACH(1, 0),
                 A64_SIZE_31_30),
    A64_ROW_WITH(0x00c00000, 0x00000000, STORE_ORDERED, A64_WRITE | A64_RELEASE | A64_EACH(1, 0),
                 A64_SIZE_31_30),
    A64_UNALLOCATED_ROW(0xc0800000, 0xc0800000),
    A64_UNALLOCATED_ROW(0xc0c00000, 0x80c00000),
    A64_ROW_WITH(0x00800000, 0x00800000, LOAD_ORDERED, A64_READ | A64_ACQUIRE | A64_EACH(1, 0),
                 A64_SIZE_31_30),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(rcpc);

/* Pairs: STILP, LDIAPP with (bit 12 clear) and without writeback, STLP, LDAP, LDAPP. Single: STLR
 * pre-indexed, LDAPR post-indexed. */
static const struct a64_row rcpc_pair_rows[] = {
    A64_ROW_WITH(0x80c0f000, 0x80000000, STORE_PAIR,
                 A64_WRITE | A64_RELEASE | A64_INFO(IS_WRITEBACK) | A64_EACH(2, 2), A64_SIZE_30),
    A64_ROW_WITH(0x80c0f000, 0x80001000, STORE_PAIR, A64_WRITE | A64_RELEASE | A64_EACH(2, 2),
                 A64_SIZE_30),
    A64_ROW_WITH(0x80c0f000, 0x80400000, LOAD_PAIR,
                 A64_READ | A64_ACQUIRE | A64_INFO(IS_WRITEBACK) | A64_EACH(2, 2), A64_SIZE_30),
    A64_ROW_WITH(0x80c0f000, 0x80401000, LOAD_PAIR, A64_READ | A64_ACQUIRE | A64_EACH(2, 2),
                 A64_SIZE_30),
    A64_ROW(0xc0c0f000, 0xc0005000, STORE_PAIR, A64_WRITE | A64_RELEASE | A64_EACH(2, 3)),
    A64_ROW(0xc0c0d000, 0xc0405000, LOAD_PAIR, A64_READ | A64_ACQUIRE | A64_EACH(2, 3)),
    A64_ROW_WITH(0x80dff000, 0x80800000, STORE_ORDERED,
                 A64_WRITE | A64_RELEASE | A64_INFO(IS_WRITEBACK) | A64_EACH(1, 2), A64_SIZE_30),
    A64_ROW_WITH(0x80dff000, 0x80c00000, LOAD_ORDERED,
                 A64_READ | A64_ACQUIRE | A64_INFO(IS_WRITEBACK) | A64_EACH(1, 2), A64_SIZE_30),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(rcpc_pair);

/* Bits [11:10] and 21 choose; the last rows are GCSSTR, GCSSTTR. */
static const struct a64_row ordered_rows[] = {
    A64_GO(0x00200c00, 0x00000000, RCPC),
    A64_GO(0x00200c00, 0x00000400, MOPS),
    A64_GO(0x00200c00, 0x00000800, RCPC_PAIR),
    A64_GO(0xff200000, 0xd9200000, TAGS),
    A64_GO(0xbf200000, 0x19200000, ATOMIC_WIDE),
    A64_ROW(0xfffffc00, 0xd91f0c00, STORE, A64_WRITE | A64_EACH(1, 3)),
    A64_ROW(0xfffffc00, 0xd91f1c00, STORE, A64_WRITE | A64_EL0 | A64_EACH(1, 3)),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(ordered);

/* LDAPUR and STLUR of B, H, S, D, and of Q with size 0b00 and opc 0b1x. */
static const struct a64_row ordered_simd_rows[] = {
    A64_GO(0x00200c00, 0x00000400, MOPS),
    A64_ROW_WITH(0x00e00c00, 0x00400800, LOAD_ORDERED,
                 A64_READ | A64_ACQUIRE | A64_SIMD_FP | A64_EACH(1, 0), A64_SIZE_31_30),
    A64_ROW_WITH(0x00e00c00, 0x00000800, STORE_ORDERED,
                 A64_WRITE | A64_RELEASE | A64_SIMD_FP | A64_EACH(1, 0), A64_SIZE_31_30),
    A64_ROW(0xc0e00c00, 0x00c00800, LOAD_ORDERED,
            A64_READ | A64_ACQUIRE | A64_SIMD_FP | A64_EACH(1, 4)),
    A64_ROW(0xc0e00c00, 0x00800800, STORE_ORDERED,
            A64_WRITE | A64_RELEASE | A64_SIMD_FP | A64_EACH(1, 4)),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(ordered_simd);
