/* "SME encodings": the memory groups, and what computes an index into ZA. */
#include "isa/a64_table.h"

#define IN_SME    A64_INFO(IS_SME)
#define PREDICATE (IN_SME | A64_INFO(IS_PREDICATED))
#define INDEXING  A64_INFO(IS_ZA_INDEXING)
#define SCALABLE  .scalable = true

/* Bits [31:24] 0xc0 with [21:19] 0 move between vectors and ZA; 0b001 with bit 18 set zero array
 * vectors, not tiles. 0xc1 are multi-vector operations, of which those with bit 21 and bit 15 set
 * have vectors as results, all others vectors of the ZA array. */
static const struct a64_row sme_rows[] = {
    A64_GO(0xfe800000, 0xa0000000, SME_MULTIPLE),
    A64_GO(0xfe000000, 0xe0000000, SME_MEMORY),
    A64_GO_WITH(0xff380000, 0xc0000000, SME_MOVE, IN_SME | INDEXING),
    A64_ROW(0xfffc0000, 0xc00c0000, SME, IN_SME | INDEXING),
    A64_ROW(0xff208000, 0xc1208000, SME, IN_SME),
    A64_ROW(0xff000000, 0xc1000000, SME, IN_SME | INDEXING),
    A64_ROW(0, 0, SME, IN_SME),
};
A64_TABLE_OF(sme);

/* Bit 24 is set for strided registers, 22 for an immediate, 21 for stores, 15 for four registers;
 * msz is bits [14:13]. */
#define MULTIPLE(v, id, direction, count)                                                          \
    A64_ROW_WITH(0x00208000, (v), id, direction | PREDICATE | A64_EACH(count, 0), .size_low = 13,  \
                 .size_bits = 2, .element_low = 13, .element_bits = 2, SCALABLE)

static const struct a64_row sme_multiple_rows[] = {
    A64_UNALLOCATED_ROW(0x00500000, 0x00500000),   A64_UNALLOCATED_ROW(0x01008002, 0x00008002),
    A64_UNALLOCATED_ROW(0x01008004, 0x01008004),   MULTIPLE(0x00000000, SME_LOAD, A64_READ, 2),
    MULTIPLE(0x00008000, SME_LOAD, A64_READ, 4),   MULTIPLE(0x00200000, SME_STORE, A64_WRITE, 2),
    MULTIPLE(0x00208000, SME_STORE, A64_WRITE, 4), A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(sme_multiple);

/* Slices of tiles, with msz in bits [23:22] unless bit 24 is set; array vectors; ZT0, which is 512
 * bits. Bit 21 is set in stores. */
#define SLICE(flags) ((flags) | PREDICATE | INDEXING)

static const struct a64_row sme_memory_rows[] = {
    A64_ROW_WITH(0x01200010, 0x00000000, SME_LOAD, SLICE(A64_READ | A64_EACH(1, 0)), .size_low = 22,
                 .size_bits = 2, .element_low = 22, .element_bits = 2, SCALABLE),
    A64_ROW_WITH(0x01200010, 0x00200000, SME_STORE, SLICE(A64_WRITE | A64_EACH(1, 0)),
                 .size_low = 22, .size_bits = 2, .element_low = 22, .element_bits = 2, SCALABLE),
    A64_ROW_WITH(0x01e00010, 0x01c00000, SME_LOAD,
                 SLICE(A64_READ | A64_EACH(1, 4) | A64_ELEMENTS(4)), SCALABLE),
    A64_ROW_WITH(0x01e00010, 0x01e00000, SME_STORE,
                 SLICE(A64_WRITE | A64_EACH(1, 4) | A64_ELEMENTS(4)), SCALABLE),
    A64_ROW_WITH(0x01ff9c10, 0x01000000, SME_LOAD, A64_READ | IN_SME | INDEXING | A64_EACH(1, 0),
                 SCALABLE),
    A64_ROW_WITH(0x01ff9c10, 0x01200000, SME_STORE, A64_WRITE | IN_SME | INDEXING | A64_EACH(1, 0),
                 SCALABLE),
    A64_ROW(0x01fffc1f, 0x011f8000, SME_LOAD, A64_READ | IN_SME | A64_EACH(1, 6)),
    A64_ROW(0x01fffc1f, 0x013f8000, SME_STORE, A64_WRITE | IN_SME | A64_EACH(1, 6)),
    A64_ELSE_UNALLOCATED,
};
A64_TABLE_OF(sme_memory);

/* Bit 18 is set for two or four vectors, of which those with bit 11 set are array vectors. size is
 * bits [23:22], Q, for one vector, bit 16. */
static const struct a64_row sme_move_rows[] = {
    A64_ROW(0x00040800, 0x00040800, SME, 0),
    A64_ROW(0x00c50000, 0x00c10000, SME, A64_ELEMENTS(4)),
    A64_ROW_WITH(0, 0, SME, 0, .element_low = 22, .element_bits = 2),
};
A64_TABLE_OF(sme_move);
