/* The decoding tables of A64: rows that recognise words, kept in the order of the encoding tree of
 * C4.1. Only the files of this folder and their tests include it. */
#ifndef ASSAY_ISA_A64_TABLE_H
#define ASSAY_ISA_A64_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/a64.h"

/* Every table. X(enumerator, symbol, title in C4.1). A row leads only to a table further down the
 * list, so that a lookup ends. */
#define A64_TABLES(X)                                                                              \
    X(NONE, none, "unallocated as a whole")                                                        \
    X(OTHER, other, "Data processing")                                                             \
    X(RESERVED, reserved, "Reserved")                                                              \
    X(BRANCH, branch, "Unconditional branch (immediate)")                                          \
    X(BRANCH_COND, branch_cond, "Conditional branch (immediate)")                                  \
    X(BRANCH_MISC, branch_misc, "Miscellaneous branch (immediate)")                                \
    X(COMPARE, compare, "Compare and branch on zero, test and branch (immediate)")                 \
    X(COMPARE_TWO, compare_two, "Compare registers, bytes, halfwords or immediate and branch")     \
    X(BRANCH_REG, branch_reg, "Unconditional branch (register)")                                   \
    X(EXCEPTION, exception, "Exception generation")                                                \
    X(SYSTEM, system, "System instructions, hints, barriers, PSTATE, registers")                   \
    X(HINT, hint, "Hints")                                                                         \
    X(BARRIER, barrier, "Barriers")                                                                \
    X(PSTATE, pstate, "PSTATE")                                                                    \
    X(SYS, sys, "System instructions: SYS")                                                        \
    X(SYSL, sysl, "System instructions: SYSL")                                                     \
    X(SYSP, sysp, "System pair instructions")                                                      \
    X(TLBI, tlbi, "TLB maintenance within SYS and SYSP")                                           \
    X(PAUTH, pauth, "Data processing: pointer authentication")                                     \
    X(EXCLUSIVE, exclusive, "Load/store exclusive, ordered, compare and swap")                     \
    X(UNPRIVILEGED, unprivileged, "Load/store exclusive, compare and swap unprivileged")           \
    X(STRUCTURES, structures, "Advanced SIMD load/store multiple structures")                      \
    X(STRUCTURES_OP, structures_op, "the same, by opcode")                                         \
    X(LANES, lanes, "Advanced SIMD load/store single structure")                                   \
    X(LANES_OP, lanes_op, "the same, by opcode")                                                   \
    X(LITERAL, literal, "Load register (literal)")                                                 \
    X(PAIR, pair, "Load/store register pair, no-allocate pair")                                    \
    X(REGISTER, register, "Load/store register except for unsigned immediate; atomics")            \
    X(ATOMIC, atomic, "Atomic memory operations")                                                  \
    X(LS64, ls64, "Atomic memory operations: 64 bytes")                                            \
    X(ATOMIC_FP, atomic_fp, "Atomic memory operations: floating point")                            \
    X(OFFSET, offset, "Load/store register (register offset)")                                     \
    X(REGISTER_EL0, register_el0, "Load/store register (unprivileged)")                            \
    X(INDEXED, indexed, "Load/store register (immediate post-indexed, pre-indexed)")               \
    X(SCALAR, scalar, "Load/store register, by size and opc")                                      \
    X(ORDERED, ordered, "Memory copy and set, tags, RCpc, 128-bit atomics")                        \
    X(ORDERED_SIMD, ordered_simd, "Memory copy and set, RCpc (SIMD&FP)")                           \
    X(RCPC, rcpc, "LDAPR/STLR (unscaled immediate)")                                               \
    X(RCPC_PAIR, rcpc_pair, "Load/store ordered pair, LDAPR/STLR (writeback)")                     \
    X(MOPS, mops, "Memory copy and memory set")                                                    \
    X(TAGS, tags, "Load/store memory tags")                                                        \
    X(ATOMIC_WIDE, atomic_wide, "128-bit, unprivileged, and read check write operations")          \
    X(ATOMIC_128, atomic_128, "128-bit atomic memory operations")                                  \
    X(SVE, sve, "SVE encodings")                                                                   \
    X(SVE_GATHER_32, sve_gather_32, "SVE Memory - 32-bit Gather and Unsized Contiguous")           \
    X(SVE_CONTIGUOUS, sve_contiguous, "SVE Memory - Contiguous Load")                              \
    X(SVE_GATHER_64, sve_gather_64, "SVE Memory - 64-bit Gather")                                  \
    X(SVE_QUADWORDS, sve_quadwords, "SVE load multiple structures (quadwords)")                    \
    X(SVE_STORE, sve_store, "SVE Memory - Store")                                                  \
    X(SVE_STORE_ONE, sve_store_one, "SVE contiguous store, by msz and size")                       \
    X(SVE_SCATTER, sve_scatter, "SVE Memory - Store: scatter stores")                              \
    X(SVE_DTYPE, sve_dtype, "SVE contiguous load, by dtype")                                       \
    X(SVE_DTYPE_ONE, sve_dtype_one, "SVE load and broadcast element, by dtypeh and dtypel")        \
    X(SVE_STRUCTURES, sve_structures, "SVE contiguous accesses, by number of registers")           \
    X(SME, sme, "SME encodings")                                                                   \
    X(SME_MULTIPLE, sme_multiple, "SME2 Multi-vector - Memory")                                    \
    X(SME_MEMORY, sme_memory, "SME Memory")                                                        \
    X(SME_MOVE, sme_move, "SME Move into Array, SME Move from Array")

enum a64_table_id {
#define X(id, symbol, title) A64_TABLE_##id,
    A64_TABLES(X)
#undef X
        A64_TABLE_COUNT
};

/* A word matches when (word & mask) == value. The first row that matches decides; every table ends
 * with a row that matches all. A table may rely on the bits that led to it. */
struct a64_row {
    uint32_t mask;
    uint32_t value;
    uint64_t info;       /* the classification, except for what the next members add to it; of a row
                            with a next table, what it adds to each row there */
    uint8_t next;        /* enum a64_table_id of the table that decides; 0 when this row does */
    uint8_t size_low;    /* the slice of the word that is added to ACCESS_LOG2, */
    uint8_t size_bits;   /* and its width, 0 to 2 */
    uint8_t element_low; /* the slice of the word that is added to ELEMENT_LOG2, */
    uint8_t element_bits; /* and its width, 0 to 2 */
    uint8_t acquire;      /* the bit of the word that is IS_ACQUIRE; 0: none */
    uint8_t release;      /* the bit of the word that is IS_RELEASE; 0: none */
    uint8_t writeback;    /* the bit of the word that is IS_WRITEBACK; 0: none */
    bool scalable;        /* vector length or predicate decide: ACCESS_BYTES stays 0 */
};

struct a64_table {
    const struct a64_row *rows;
    size_t count;
};

#define X(id, symbol, title) extern const struct a64_table a64_table_##symbol;
A64_TABLES(X)
#undef X

/* The table that the bits [31:24] of a word select. */
enum a64_table_id a64_first_table(uint32_t word);

const struct a64_table *a64_table(enum a64_table_id id);

#define A64_TABLE_OF(symbol)                                                                       \
    const struct a64_table a64_table_##symbol = {symbol##_rows,                                    \
                                                 sizeof symbol##_rows / sizeof symbol##_rows[0]}

/* How rows are written. */
#define A64_ROW(m, v, id, flags)                                                                   \
    {                                                                                              \
        .mask = (m), .value = (v), .info = A64_##id | (flags)                                      \
    }
#define A64_ROW_WITH(m, v, id, flags, ...)                                                         \
    {                                                                                              \
        .mask = (m), .value = (v), .info = A64_##id | (flags), __VA_ARGS__                         \
    }
#define A64_GO(m, v, id)                                                                           \
    {                                                                                              \
        .mask = (m), .value = (v), .next = A64_TABLE_##id                                          \
    }
/* What `flags` holds is added to all rows of the table, which therefore has none of unallocated
 * words. */
#define A64_GO_WITH(m, v, id, flags)                                                               \
    {                                                                                              \
        .mask = (m), .value = (v), .info = (flags), .next = A64_TABLE_##id                         \
    }
#define A64_UNALLOCATED_ROW(m, v) A64_ROW(m, v, UNALLOCATED, A64_INFO(IS_UNDEFINED))
#define A64_ELSE_UNALLOCATED      A64_UNALLOCATED_ROW(0, 0)

/* What many rows share. */
#define A64_READ       (A64_INFO(IS_MEMORY) | A64_INFO(READS))
#define A64_WRITE      (A64_INFO(IS_MEMORY) | A64_INFO(WRITES))
#define A64_MAY_WRITE  (A64_WRITE | A64_INFO(WRITES_CONDITIONALLY))
#define A64_UPDATE     (A64_READ | A64_WRITE | A64_INFO(IS_ATOMIC))
#define A64_MAY_UPDATE (A64_UPDATE | A64_INFO(WRITES_CONDITIONALLY))
#define A64_BY_ADDRESS A64_INFO(IS_ADDRESS_OPERATION)
#define A64_SIMD_FP    A64_INFO(IS_SIMD_FP)
#define A64_EL0        A64_INFO(IS_UNPRIVILEGED)
#define A64_ACQUIRE    A64_INFO(IS_ACQUIRE)
#define A64_RELEASE    A64_INFO(IS_RELEASE)

/* `count` registers of 1 << log2 bytes each. */
#define A64_EACH(count, log2) (A64_INFO(ACCESS_COUNT) * (count) | A64_INFO(ACCESS_LOG2) * (log2))

/* Elements of vectors, or of ZA tiles, have 1 << log2 bytes. */
#define A64_ELEMENTS(log2) (A64_INFO(ELEMENT_LOG2) * (log2))

/* The usual places of sizes and ordering. */
#define A64_SIZE_31_30  .size_low = 30, .size_bits = 2
#define A64_SIZE_30     .size_low = 30, .size_bits = 1
#define A64_SIZE_24_23  .size_low = 23, .size_bits = 2
#define A64_ORDER_23_22 .acquire = 23, .release = 22
#define A64_ORDER_22_15 .acquire = 22, .release = 15

#endif
