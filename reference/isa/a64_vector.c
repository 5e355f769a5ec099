/* "Loads and stores": Advanced SIMD structures. */
#include "isa/a64_table.h"

#define SIMD_READ  (A64_READ | A64_SIMD_FP)
#define SIMD_WRITE (A64_WRITE | A64_SIMD_FP)

/* Without an offset bits [21:16] are 0; post-indexed (bit 23) only bit 21 is. */
static const struct a64_row structures_rows[] = {
    A64_GO(0xbfbf0000, 0x0c000000, STRUCTURES_OP),
    A64_GO(0xbfa00000, 0x0c800000, STRUCTURES_OP),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(structures);

/* L is bit 22, opcode [15:12], size [11:10], Q 30. Registers of one 64-bit element can't be
 * interleaved, so LD2 to LD4 and ST2 to ST4 with size 0b11 and Q clear are reserved. */
#define STRUCTURE_ROWS(m, v, count)                                                                \
    A64_ROW_WITH((m) | 0x00400000, (v) | 0x00400000, LOAD_STRUCTURE,                               \
                 SIMD_READ | A64_EACH(count, 3), A64_SIZE_30, .writeback = 23),                    \
        A64_ROW_WITH((m) | 0x00400000, (v), STORE_STRUCTURE, SIMD_WRITE | A64_EACH(count, 3),      \
                     A64_SIZE_30, .writeback = 23)

static const struct a64_row structures_op_rows[] = {
    A64_UNALLOCATED_ROW(0x4000fc00, 0x00000c00), A64_UNALLOCATED_ROW(0x4000fc00, 0x00004c00),
    A64_UNALLOCATED_ROW(0x4000fc00, 0x00008c00), STRUCTURE_ROWS(0x0000f000, 0x00007000, 1),
    STRUCTURE_ROWS(0x0000d000, 0x00008000, 2),   STRUCTURE_ROWS(0x0000d000, 0x00004000, 3),
    STRUCTURE_ROWS(0x0000d000, 0x00000000, 4),   A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(structures_op);

/* Without an offset bits [20:16] are 0, or 1 for LDAP1 and STL1. */
static const struct a64_row lanes_rows[] = {
    A64_GO(0xbf9f0000, 0x0d000000, LANES_OP),
    A64_GO(0xbf800000, 0x0d800000, LANES_OP),
    A64_ROW(0xbffffc00, 0x0d418400, LOAD_STRUCTURE, SIMD_READ | A64_ACQUIRE | A64_EACH(1, 3)),
    A64_ROW(0xbffffc00, 0x0d018400, STORE_STRUCTURE, SIMD_WRITE | A64_RELEASE | A64_EACH(1, 3)),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(lanes);

/* opcode is bits [15:13], S 12, size [11:10], R 21, L 22. The structure has opcode<0>:R + 1
 * elements; opcode<2:1> and the low bits say whether they are B, H, S, D, or loaded and replicated.
 */
#define LANE_ROWS(m, v, structure, count, log2)                                                    \
    A64_ROW_WITH((m) | 0x00602000, (v) | (structure) | 0x00400000, LOAD_STRUCTURE,                 \
                 SIMD_READ | A64_EACH(count, log2), .writeback = 23),                              \
        A64_ROW_WITH((m) | 0x00602000, (v) | (structure), STORE_STRUCTURE,                         \
                     SIMD_WRITE | A64_EACH(count, log2), .writeback = 23)
#define STRUCTURE_OF(count, structure)                                                             \
    LANE_ROWS(0x0000c000, 0x00000000, structure, count, 0),                                        \
        LANE_ROWS(0x0000c400, 0x00004000, structure, count, 1),                                    \
        LANE_ROWS(0x0000cc00, 0x00008000, structure, count, 2),                                    \
        LANE_ROWS(0x0000dc00, 0x00008400, structure, count, 3),                                    \
        A64_ROW_WITH(0x0060f000, 0x0040c000 | (structure), LOAD_STRUCTURE,                         \
                     SIMD_READ | A64_EACH(count, 0), .size_low = 10, .size_bits = 2,               \
                     .writeback = 23)

static const struct a64_row lanes_op_rows[] = {
    STRUCTURE_OF(1, 0x00000000), STRUCTURE_OF(2, 0x00200000), STRUCTURE_OF(3, 0x00002000),
    STRUCTURE_OF(4, 0x00202000), A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(lanes_op);
