/* The decoding tables of RISC-V: rows that recognise words, by major opcode and funct3. Only the
 * files of this folder and their tests include it. */
#ifndef ASSAY_ISA_RV_TABLE_H
#define ASSAY_ISA_RV_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/rv.h"

/* Every table. X(enumerator, symbol, title: major opcode, and funct3 where it chooses) */
#define RV_TABLES(X)                                                                               \
    X(NONE, none, "reserved as a whole")                                                           \
    X(CUSTOM, custom, "custom-0 to custom-3")                                                      \
    X(LUI, lui, "LUI")                                                                             \
    X(AUIPC, auipc, "AUIPC")                                                                       \
    X(ADDI, addi, "OP-IMM 0")                                                                      \
    X(IMMEDIATE, immediate, "OP-IMM 2, 3, 4, 7")                                                   \
    X(ORI, ori, "OP-IMM 6")                                                                        \
    X(SHIFT_LEFT, shift_left, "OP-IMM 1")                                                          \
    X(SHIFT_RIGHT, shift_right, "OP-IMM 5")                                                        \
    X(OP_0, op_0, "OP 0")                                                                          \
    X(OP_1, op_1, "OP 1")                                                                          \
    X(OP_2, op_2, "OP 2")                                                                          \
    X(OP_3, op_3, "OP 3")                                                                          \
    X(OP_4, op_4, "OP 4")                                                                          \
    X(OP_5, op_5, "OP 5")                                                                          \
    X(OP_6, op_6, "OP 6")                                                                          \
    X(OP_7, op_7, "OP 7")                                                                          \
    X(IMMEDIATE_32, immediate_32, "OP-IMM-32")                                                     \
    X(OP_32, op_32, "OP-32")                                                                       \
    X(BRANCH, branch, "BRANCH 0, 1, 4 to 7")                                                       \
    X(JAL, jal, "JAL")                                                                             \
    X(JALR, jalr, "JALR 0")                                                                        \
    X(LOAD, load, "LOAD 0, 1, 2, 4, 5")                                                            \
    X(LOAD_64, load_64, "LOAD 3, 6")                                                               \
    X(STORE, store, "STORE 0, 1, 2")                                                               \
    X(STORE_64, store_64, "STORE 3")                                                               \
    X(FLOAD, fload, "LOAD-FP 1 to 4")                                                              \
    X(FSTORE, fstore, "STORE-FP 1 to 4")                                                           \
    X(AMO, amo, "AMO 2, 3")                                                                        \
    X(AMO_SMALL, amo_small, "AMO 0, 1")                                                            \
    X(AMO_QUAD, amo_quad, "AMO 4")                                                                 \
    X(FENCE, fence, "MISC-MEM 0")                                                                  \
    X(FENCE_I, fence_i, "MISC-MEM 1")                                                              \
    X(CBO, cbo, "MISC-MEM 2")                                                                      \
    X(SYSTEM, system, "SYSTEM 0")                                                                  \
    X(CSR_SWAP, csr_swap, "SYSTEM 1, 5")                                                           \
    X(CSR_BITS, csr_bits, "SYSTEM 2, 3, 6, 7")                                                     \
    X(VIRTUAL, virtual, "SYSTEM 4")                                                                \
    X(FUSED, fused, "MADD, MSUB, NMSUB, NMADD 0 to 4, 7")                                          \
    X(FLOAT, float, "OP-FP")                                                                       \
    X(VLOAD, vload, "LOAD-FP 0, 5, 6, 7")                                                          \
    X(VSTORE, vstore, "STORE-FP 0, 5, 6, 7")                                                       \
    X(V_IVV, v_ivv, "OP-V 0, OPIVV")                                                               \
    X(V_FVV, v_fvv, "OP-V 1, OPFVV")                                                               \
    X(V_MVV, v_mvv, "OP-V 2, OPMVV")                                                               \
    X(V_IVI, v_ivi, "OP-V 3, OPIVI")                                                               \
    X(V_IVX, v_ivx, "OP-V 4, OPIVX")                                                               \
    X(V_FVF, v_fvf, "OP-V 5, OPFVF")                                                               \
    X(V_MVX, v_mvx, "OP-V 6, OPMVX")                                                               \
    X(V_SET, v_set, "OP-V 7, OPCFG")                                                               \
    X(V_CRYPTO, v_crypto, "OP-VE 2")                                                               \
    X(C0_ADDI4SPN, c0_addi4spn, "quadrant 0, 0")                                                   \
    X(C0_FLD, c0_fld, "quadrant 0, 1")                                                             \
    X(C0_LW, c0_lw, "quadrant 0, 2")                                                               \
    X(C0_LD, c0_ld, "quadrant 0, 3")                                                               \
    X(C0_ZCB, c0_zcb, "quadrant 0, 4")                                                             \
    X(C0_FSD, c0_fsd, "quadrant 0, 5")                                                             \
    X(C0_SW, c0_sw, "quadrant 0, 6")                                                               \
    X(C0_SD, c0_sd, "quadrant 0, 7")                                                               \
    X(C1_ADDI, c1_addi, "quadrant 1, 0")                                                           \
    X(C1_JAL, c1_jal, "quadrant 1, 1")                                                             \
    X(C1_LI, c1_li, "quadrant 1, 2")                                                               \
    X(C1_LUI, c1_lui, "quadrant 1, 3")                                                             \
    X(C1_ALU, c1_alu, "quadrant 1, 4")                                                             \
    X(C1_J, c1_j, "quadrant 1, 5")                                                                 \
    X(C1_BRANCH, c1_branch, "quadrant 1, 6 and 7")                                                 \
    X(C2_SLLI, c2_slli, "quadrant 2, 0")                                                           \
    X(C2_FLDSP, c2_fldsp, "quadrant 2, 1")                                                         \
    X(C2_LWSP, c2_lwsp, "quadrant 2, 2")                                                           \
    X(C2_LDSP, c2_ldsp, "quadrant 2, 3")                                                           \
    X(C2_MV, c2_mv, "quadrant 2, 4")                                                               \
    X(C2_FSDSP, c2_fsdsp, "quadrant 2, 5")                                                         \
    X(C2_SWSP, c2_swsp, "quadrant 2, 6")                                                           \
    X(C2_SDSP, c2_sdsp, "quadrant 2, 7")

enum rv_table_id {
#define X(id, symbol, title) RV_TABLE_##id,
    RV_TABLES(X)
#undef X
        RV_TABLE_COUNT
};

/* A word matches when (word & mask) == value, and its instruction set isn't one of `absent`. The
 * first row that matches decides; every table ends with a row that matches all. A table may rely on
 * the bits that led to it. */
struct rv_row {
    uint32_t mask;
    uint32_t value;
    uint64_t info;     /* the classification, except for the length and what the next members add */
    uint8_t absent;    /* bits 1 << enum rv_isa */
    uint8_t size_low;  /* the slice of the word that is added to ACCESS_LOG2, */
    uint8_t size_bits; /* and its width, 0 to 3 */
    uint8_t index_low; /* the slice of 2 bits that is INDEX_LOG2; 0: none */
    uint8_t fields_low;   /* the slice of 3 bits to which 1 is added to be FIELDS; 0: none */
    bool amo;             /* bits 26 and 25 are IS_ACQUIRE and IS_RELEASE */
    bool maskable;        /* bit 25 clear is IS_MASKED */
    bool hint_without_rd; /* with rd x0 it IS_HINT */
    bool list;            /* rlist is the ACCESS_COUNT, XLEN the size */
};

struct rv_table {
    const struct rv_row *rows;
    size_t count;
};

#define X(id, symbol, title) extern const struct rv_table rv_table_##symbol;
RV_TABLES(X)
#undef X

/* The table that decides about a word of 16 or 32 bits. */
enum rv_table_id rv_first_table(uint32_t word);

const struct rv_table *rv_table(enum rv_table_id id);

/* Whether a word of an instruction set, isa < RV_ISA_UNKNOWN, has the bits of a row. */
static inline bool rv_row_matches(const struct rv_row *row, uint32_t word, enum rv_isa isa)
{
    return (((word & row->mask) ^ row->value) | (row->absent & (1u << isa))) == 0;
}

#define RV_TABLE_OF(symbol)                                                                        \
    const struct rv_table rv_table_##symbol = {symbol##_rows,                                      \
                                               sizeof symbol##_rows / sizeof symbol##_rows[0]}

/* How rows are written: mask, value, class, shape of the operands, flags. */
#define RV_DECIDE(id, shape, flags)                                                                \
    RV_##id | RV_INFO(IS_VALID) | (RV_INFO(SHAPE) * RV_SHAPE_##shape) | (flags)
#define RV_ROW(m, v, id, shape, flags)                                                             \
    {                                                                                              \
        .mask = (m), .value = (v), .info = RV_DECIDE(id, shape, flags)                             \
    }
#define RV_ROW_WITH(m, v, id, shape, flags, ...)                                                   \
    {                                                                                              \
        .mask = (m), .value = (v), .info = RV_DECIDE(id, shape, flags), __VA_ARGS__                \
    }
#define RV_NO_ROW(m, v, id)                                                                        \
    {                                                                                              \
        .mask = (m), .value = (v), .info = RV_##id                                                 \
    }
#define RV_NO_ROW_WITH(m, v, id, ...)                                                              \
    {                                                                                              \
        .mask = (m), .value = (v), .info = RV_##id, __VA_ARGS__                                    \
    }
#define RV_ELSE_RESERVED RV_NO_ROW(0, 0, RESERVED)

/* What many rows share. */
#define RV_READ       RV_INFO(READS)
#define RV_WRITE      RV_INFO(WRITES)
#define RV_MAY_WRITE  (RV_WRITE | RV_INFO(WRITES_CONDITIONALLY))
#define RV_HINT       RV_INFO(IS_HINT)
#define RV_OF_FLOAT   RV_INFO(IS_FLOAT)
#define RV_OF_VECTOR  RV_INFO(IS_VECTOR)
#define RV_GOES(id)   (RV_INFO(TRANSFER) * RV_TRANSFER_##id)
#define RV_DIRECTLY   RV_INFO(IS_DIRECT)
#define RV_HINT_IF_X0 .hint_without_rd = true

/* `count` accesses of 1 << log2 bytes each. */
#define RV_EACH(count, log2) (RV_INFO(ACCESS_COUNT) * (count) | RV_INFO(ACCESS_LOG2) * (log2))

#define RV_ONLY_32  .absent = (1u << RV_64) | (1u << RV_64_ZCM)
#define RV_ONLY_64  .absent = (1u << RV_32) | (1u << RV_32_ZCM)
#define RV_ONLY_ZCM .absent = (1u << RV_32) | (1u << RV_64)

#endif
