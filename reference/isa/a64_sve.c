/* "SVE encodings": the memory groups; bits [31:25] distinguish them. */
#include "isa/a64_table.h"

#define IN_SVE    A64_INFO(IS_SVE)
#define PREDICATE (IN_SVE | A64_INFO(IS_PREDICATED))
#define GATHER    (PREDICATE | A64_INFO(IS_GATHER_SCATTER))
#define FIRST     A64_INFO(IS_FIRST_FAULT)
#define NON       A64_INFO(IS_NON_FAULT)
#define REPLICATE A64_INFO(IS_REPLICATE)
#define PREFETCH  A64_BY_ADDRESS
#define SCALABLE  .scalable = true

static const struct a64_row sve_rows[] = {
    A64_GO(0xfe000000, 0x84000000, SVE_GATHER_32),
    A64_GO(0xfe000000, 0xa4000000, SVE_CONTIGUOUS),
    A64_GO(0xfe000000, 0xc4000000, SVE_GATHER_64),
    A64_GO(0xfe000000, 0xe4000000, SVE_STORE),
    A64_ROW(0, 0, SVE, IN_SVE),
};
A64_TABLE_OF(sve);

/* msz is bits [24:23], U 14 and ff 13, or U 13 in non-temporal loads. Prefetches and fills first.
 * Scaled offsets (bit 21 set, bit 15 clear) are not for bytes; a word has no sign to extend. */
static const struct a64_row sve_gather_32_rows[] = {
    A64_ROW(0x01a08010, 0x00200000, SVE_PREFETCH, GATHER | PREFETCH),
    A64_ROW(0x01c08010, 0x01c00000, SVE_PREFETCH, PREDICATE | PREFETCH),
    A64_UNALLOCATED_ROW(0x007fe000, 0x001fc000),
    A64_ROW(0x0060e010, 0x0000c000, SVE_PREFETCH, PREDICATE | PREFETCH),
    A64_ROW(0x0060e010, 0x0000e000, SVE_PREFETCH, GATHER | PREFETCH),
    A64_ROW_WITH(0x01c0e010, 0x01800000, SVE_LOAD, A64_READ | IN_SVE | A64_EACH(1, 0), SCALABLE),
    A64_ROW_WITH(0x01c0e000, 0x01804000, SVE_LOAD, A64_READ | IN_SVE | A64_EACH(1, 0), SCALABLE),
    A64_GO_WITH(0x00408000, 0x00408000, SVE_DTYPE_ONE, A64_READ | PREDICATE | REPLICATE),
    A64_UNALLOCATED_ROW(0x01800000, 0x01800000),
    A64_UNALLOCATED_ROW(0x0060c000, 0x0000c000),
    A64_UNALLOCATED_ROW(0x01a08000, 0x00200000),
    A64_UNALLOCATED_ROW(0x01e0e000, 0x01008000),
    A64_ROW_WITH(0x0060c000, 0x00008000, SVE_LOAD,
                 A64_READ | GATHER | A64_EACH(1, 0) | A64_ELEMENTS(2), A64_SIZE_24_23, SCALABLE),
    A64_UNALLOCATED_ROW(0x01804000, 0x01000000),
    A64_ROW_WITH(0x00002000, 0x00000000, SVE_LOAD,
                 A64_READ | GATHER | A64_EACH(1, 0) | A64_ELEMENTS(2), A64_SIZE_24_23, SCALABLE),
    A64_ROW_WITH(0, 0, SVE_LOAD, A64_READ | GATHER | FIRST | A64_EACH(1, 0) | A64_ELEMENTS(2),
                 A64_SIZE_24_23, SCALABLE),
};
A64_TABLE_OF(sve_gather_32);

/* msz, U and ff as before. Without offset and bit 13 clear: non-temporal; set: LD1Q. */
static const struct a64_row sve_gather_64_rows[] = {
    A64_ROW(0x01a08010, 0x00200000, SVE_PREFETCH, GATHER | PREFETCH),
    A64_ROW(0x01e08010, 0x00608000, SVE_PREFETCH, GATHER | PREFETCH),
    A64_ROW(0x0060e010, 0x0000e000, SVE_PREFETCH, GATHER | PREFETCH),
    A64_ROW_WITH(0x01e0e000, 0x0000a000, SVE_LOAD,
                 A64_READ | GATHER | A64_EACH(1, 4) | A64_ELEMENTS(4), SCALABLE),
    A64_UNALLOCATED_ROW(0x0060a000, 0x0000a000),
    A64_UNALLOCATED_ROW(0x01a08000, 0x00200000),
    A64_UNALLOCATED_ROW(0x01e08000, 0x00608000),
    A64_UNALLOCATED_ROW(0x01804000, 0x01800000),
    A64_ROW_WITH(0x00002000, 0x00000000, SVE_LOAD,
                 A64_READ | GATHER | A64_EACH(1, 0) | A64_ELEMENTS(3), A64_SIZE_24_23, SCALABLE),
    A64_ROW_WITH(0, 0, SVE_LOAD, A64_READ | GATHER | FIRST | A64_EACH(1, 0) | A64_ELEMENTS(3),
                 A64_SIZE_24_23, SCALABLE),
};
A64_TABLE_OF(sve_gather_64);

/* Bits [15:13] are the form; [20] is set in non-fault loads, and [20:16] is Rm, not 31, where it
 * isn't an immediate, except for first-fault loads. */
static const struct a64_row sve_contiguous_rows[] = {
    A64_GO_WITH(0x0000e000, 0x00006000, SVE_DTYPE, A64_READ | PREDICATE | FIRST),
    A64_GO_WITH(0x0010e000, 0x0000a000, SVE_DTYPE, A64_READ | PREDICATE),
    A64_GO_WITH(0x0010e000, 0x0010a000, SVE_DTYPE, A64_READ | PREDICATE | NON),
    A64_GO_WITH(0x0010e000, 0x0000e000, SVE_STRUCTURES, A64_SVE_LOAD | A64_READ | PREDICATE),
    A64_UNALLOCATED_ROW(0x001f2000, 0x001f0000),
    A64_GO_WITH(0x0000e000, 0x00004000, SVE_DTYPE, A64_READ | PREDICATE),
    A64_GO_WITH(0x0000e000, 0x0000c000, SVE_STRUCTURES, A64_SVE_LOAD | A64_READ | PREDICATE),
    A64_ROW_WITH(0x0060e000, 0x00000000, SVE_LOAD,
                 A64_READ | PREDICATE | REPLICATE | A64_EACH(1, 0) | A64_ELEMENTS(4),
                 A64_SIZE_24_23, SCALABLE),
    A64_ROW_WITH(0x0060e000, 0x00200000, SVE_LOAD,
                 A64_READ | PREDICATE | REPLICATE | A64_EACH(1, 0) | A64_ELEMENTS(5),
                 A64_SIZE_24_23, SCALABLE),
    A64_ROW_WITH(0x0070e000, 0x00002000, SVE_LOAD,
                 A64_READ | PREDICATE | REPLICATE | A64_EACH(1, 0) | A64_ELEMENTS(4),
                 A64_SIZE_24_23, SCALABLE),
    A64_ROW_WITH(0x0070e000, 0x00202000, SVE_LOAD,
                 A64_READ | PREDICATE | REPLICATE | A64_EACH(1, 0) | A64_ELEMENTS(5),
                 A64_SIZE_24_23, SCALABLE),
    A64_ROW_WITH(0x0160e000, 0x01008000, SVE_LOAD,
                 A64_READ | PREDICATE | A64_EACH(1, 0) | A64_ELEMENTS(4), A64_SIZE_24_23, SCALABLE),
    A64_ROW_WITH(0x0170e000, 0x01102000, SVE_LOAD,
                 A64_READ | PREDICATE | A64_EACH(1, 0) | A64_ELEMENTS(4), A64_SIZE_24_23, SCALABLE),
    A64_GO(0x0060e000, 0x00208000, SVE_QUADWORDS),
    A64_GO(0x0070e000, 0x0010e000, SVE_QUADWORDS),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(sve_contiguous);

/* LD2Q to LD4Q, by num, bits [24:23]. */
static const struct a64_row sve_quadwords_rows[] = {
    A64_UNALLOCATED_ROW(0x01800000, 0x00000000),
    A64_ROW_WITH(0x01800000, 0x00800000, SVE_LOAD,
                 A64_READ | PREDICATE | A64_EACH(2, 4) | A64_ELEMENTS(4), SCALABLE),
    A64_ROW_WITH(0x01800000, 0x01000000, SVE_LOAD,
                 A64_READ | PREDICATE | A64_EACH(3, 4) | A64_ELEMENTS(4), SCALABLE),
    A64_ROW_WITH(0, 0, SVE_LOAD, A64_READ | PREDICATE | A64_EACH(4, 4) | A64_ELEMENTS(4), SCALABLE),
};
A64_TABLE_OF(sve_quadwords);

/* ST1 has size in bits [22:21]; spills have an immediate in [21:16]; ST2Q to ST4Q have num in
 * [23:22]. Rm, not 31, is in [20:16] of what has no immediate. */
static const struct a64_row sve_store_rows[] = {
    A64_ROW_WITH(0x01c0e010, 0x01800000, SVE_STORE, A64_WRITE | IN_SVE | A64_EACH(1, 0), SCALABLE),
    A64_ROW_WITH(0x01c0e000, 0x01804000, SVE_STORE, A64_WRITE | IN_SVE | A64_EACH(1, 0), SCALABLE),
    A64_UNALLOCATED_ROW(0x001fc000, 0x001f4000),
    A64_GO(0x0000e000, 0x00004000, SVE_STORE_ONE),
    A64_GO(0x0010e000, 0x0000e000, SVE_STORE_ONE),
    A64_GO_WITH(0x0000e000, 0x00006000, SVE_STRUCTURES, A64_SVE_STORE | A64_WRITE | PREDICATE),
    A64_GO_WITH(0x0010e000, 0x0010e000, SVE_STRUCTURES, A64_SVE_STORE | A64_WRITE | PREDICATE),
    A64_GO(0x00008000, 0x00008000, SVE_SCATTER),
    A64_GO(0x0000e000, 0x00002000, SVE_SCATTER),
    A64_UNALLOCATED_ROW(0x00300000, 0x00100000),
    A64_UNALLOCATED_ROW(0x003f0000, 0x003f0000),
    A64_ROW_WITH(0x01c00000, 0x00400000, SVE_STORE,
                 A64_WRITE | PREDICATE | A64_EACH(2, 4) | A64_ELEMENTS(4), SCALABLE),
    A64_ROW_WITH(0x01c00000, 0x00800000, SVE_STORE,
                 A64_WRITE | PREDICATE | A64_EACH(3, 4) | A64_ELEMENTS(4), SCALABLE),
    A64_ROW_WITH(0x01c00000, 0x00c00000, SVE_STORE,
                 A64_WRITE | PREDICATE | A64_EACH(4, 4) | A64_ELEMENTS(4), SCALABLE),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(sve_store);

/* size isn't below msz, but that words and doublewords of quadwords have size 0 and 2. */
static const struct a64_row sve_store_one_rows[] = {
    A64_UNALLOCATED_ROW(0x01e00000, 0x00800000),
    A64_UNALLOCATED_ROW(0x01e00000, 0x01200000),
    A64_UNALLOCATED_ROW(0x01c00000, 0x01800000),
    A64_ROW_WITH(0x01e00000, 0x01000000, SVE_STORE,
                 A64_WRITE | PREDICATE | A64_EACH(1, 2) | A64_ELEMENTS(4), SCALABLE),
    A64_ROW_WITH(0x01e00000, 0x01c00000, SVE_STORE,
                 A64_WRITE | PREDICATE | A64_EACH(1, 3) | A64_ELEMENTS(4), SCALABLE),
    A64_ROW_WITH(0, 0, SVE_STORE, A64_WRITE | PREDICATE | A64_EACH(1, 0), A64_SIZE_24_23,
                 .element_low = 21, .element_bits = 2, SCALABLE),
};
A64_TABLE_OF(sve_store_one);

/* Bits [15:13] 0b001 are non-temporal, of which one is ST1Q. Bit 22 is set for 32-bit elements,
 * except for one form with an immediate; 21 for scaled offsets, except for those with an immediate.
 */
static const struct a64_row sve_scatter_rows[] = {
    A64_ROW_WITH(0x01e0e000, 0x00202000, SVE_STORE,
                 A64_WRITE | GATHER | A64_EACH(1, 4) | A64_ELEMENTS(4), SCALABLE),
    A64_UNALLOCATED_ROW(0x0020e000, 0x00202000),
    A64_UNALLOCATED_ROW(0x01e00000, 0x00200000),
    A64_UNALLOCATED_ROW(0x01e02000, 0x00600000),
    A64_ROW_WITH(0x0060e000, 0x0040a000, SVE_STORE,
                 A64_WRITE | GATHER | A64_EACH(1, 0) | A64_ELEMENTS(3), A64_SIZE_24_23, SCALABLE),
    A64_UNALLOCATED_ROW(0x01c00000, 0x01c00000),
    A64_ROW_WITH(0x00400000, 0x00400000, SVE_STORE,
                 A64_WRITE | GATHER | A64_EACH(1, 0) | A64_ELEMENTS(2), A64_SIZE_24_23, SCALABLE),
    A64_ROW_WITH(0, 0, SVE_STORE, A64_WRITE | GATHER | A64_EACH(1, 0) | A64_ELEMENTS(3),
                 A64_SIZE_24_23, SCALABLE),
};
A64_TABLE_OF(sve_scatter);

/* dtype is two numbers of two bits, at `high` and `low`. Where the second isn't below the first,
 * they are the sizes in memory and of the element; the others are loads that extend the sign. */
#define EXTEND(high, low, h, l, log2, element, ...)                                                \
    A64_ROW_WITH(3u << (high) | 3u << (low), (h) << (high) | (l) << (low), SVE_LOAD,               \
                 A64_EACH(1, log2) | A64_ELEMENTS(element), __VA_ARGS__)
#define DTYPE(high, low, ...)                                                                      \
    EXTEND(high, low, 1u, 0u, 2, 3, __VA_ARGS__), EXTEND(high, low, 2u, 0u, 1, 3, __VA_ARGS__),    \
        EXTEND(high, low, 2u, 1u, 1, 2, __VA_ARGS__),                                              \
        EXTEND(high, low, 3u, 0u, 0, 3, __VA_ARGS__),                                              \
        EXTEND(high, low, 3u, 1u, 0, 2, __VA_ARGS__),                                              \
        EXTEND(high, low, 3u, 2u, 0, 1, __VA_ARGS__),                                              \
        A64_ROW_WITH(0, 0, SVE_LOAD, A64_EACH(1, 0), .size_low = (high), .size_bits = 2,           \
                     .element_low = (low), .element_bits = 2, __VA_ARGS__)

static const struct a64_row sve_dtype_rows[] = {DTYPE(23, 21, SCALABLE)};
A64_TABLE_OF(sve_dtype);

static const struct a64_row sve_dtype_one_rows[] = {DTYPE(23, 13, .scalable = false)};
A64_TABLE_OF(sve_dtype_one);

/* Bits [22:21] are the number of registers less one; msz is the size of all elements. */
#define REGISTERS(v, count)                                                                        \
    A64_ROW_WITH(0x00600000, (v), OTHER, A64_EACH(count, 0), A64_SIZE_24_23, .element_low = 23,    \
                 .element_bits = 2, SCALABLE)

static const struct a64_row sve_structures_rows[] = {
    REGISTERS(0x00000000, 1),
    REGISTERS(0x00200000, 2),
    REGISTERS(0x00400000, 3),
    A64_ROW_WITH(0, 0, OTHER, A64_EACH(4, 0), A64_SIZE_24_23, .element_low = 23, .element_bits = 2,
                 SCALABLE),
};
A64_TABLE_OF(sve_structures);
