/* The tables of A32 and T32 from which arm_flow.h is answered: rows that recognise the words that
 * change the control flow. Only the files of this folder and their tests include it. */
#ifndef ASSAY_ISA_ARM_FLOW_TABLE_H
#define ASSAY_ISA_ARM_FLOW_TABLE_H

#include <stddef.h>

#include "isa/arm_flow.h"

/* A word matches when (word & mask) == value. The first row that matches decides; the last row of a
 * table matches all. A table may rely on the bits that led to it. The word of a T32 instruction of
 * two halfwords has the first one in bits [31:16], that of one halfword is the halfword. */
struct arm_row {
    uint32_t mask;
    uint32_t value;
    uint8_t kind;                                   /* enum arm_flow_kind */
    uint8_t target_set;                             /* enum arm_set */
    bool conditional;                               /* T32; in A32 the word has a condition */
    bool link;                                      /* as in struct arm_flow */
    bool is_return;                                 /* as in struct arm_flow */
    uint8_t form;                                   /* as in struct arm_flow */
    uint32_t (*target)(uint32_t word, uint32_t pc); /* of DIRECT; else null */
};

struct arm_table {
    const char *name;
    enum arm_set set;
    uint8_t size; /* bytes of its instructions */
    const struct arm_row *rows;
    size_t count;
};

/* The tables of A32: that of the words without condition, bits [31:28] 0b1111, and of the others
 * one for each value of bits [27:25] (F4.1, "A32 instruction set encoding"). */
enum { ARM_A32_UNCONDITIONAL = 8, ARM_A32_TABLES };

extern const struct arm_table arm_a32_tables[ARM_A32_TABLES];

/* The tables of T32, by the number of halfwords of the instruction less 1. */
extern const struct arm_table arm_t32_tables[2];

/* What the table says of a word; without what depends on the instruction set. */
struct arm_flow arm_table_look_up(const struct arm_table *table, uint32_t word, uint32_t pc);

/* The slice of `width` bits, the highest of which is the sign. */
static inline uint32_t arm_sign_extend(uint32_t value, unsigned width)
{
    const uint32_t sign = UINT32_C(1) << (width - 1);
    return (value ^ sign) - sign;
}

/* How rows are written. */
#define ARM_ROW(m, v, id, set)                                                                     \
    {                                                                                              \
        .mask = (m), .value = (v), .kind = ARM_FLOW_##id, .target_set = ARM_##set                  \
    }
#define ARM_ROW_WITH(m, v, id, set, ...)                                                           \
    {                                                                                              \
        .mask = (m), .value = (v), .kind = ARM_FLOW_##id, .target_set = ARM_##set, __VA_ARGS__     \
    }
#define ARM_TABLE(table_name, set_id, bytes, table_rows)                                           \
    {                                                                                              \
        .name = (table_name), .set = ARM_##set_id, .size = (bytes), .rows = (table_rows),          \
        .count = sizeof(table_rows) / sizeof(table_rows)[0]                                        \
    }

#endif
