#include "isa/rv.h"

#include "isa/rv_table.h"

#define LINE(a, b, c, d, e, f, g, h)                                                               \
    {                                                                                              \
        RV_TABLE_##a, RV_TABLE_##b, RV_TABLE_##c, RV_TABLE_##d, RV_TABLE_##e, RV_TABLE_##f,        \
            RV_TABLE_##g, RV_TABLE_##h                                                             \
    }
#define ALL(a)        LINE(a, a, a, a, a, a, a, a)
#define ONLY(a)       LINE(a, NONE, NONE, NONE, NONE, NONE, NONE, NONE)
#define ROUNDED(a)    LINE(a, a, a, a, a, NONE, NONE, a)
#define FP_OR_V(f, v) LINE(v, f, f, f, f, v, v, v)

/* "RISC-V base opcode map": a line is bits [6:2], a column funct3, bits [14:12]. */
static const uint8_t word_tables[32][8] = {
    LINE(LOAD, LOAD, LOAD, LOAD_64, LOAD, LOAD, LOAD_64, NONE),
    FP_OR_V(FLOAD, VLOAD),
    ALL(CUSTOM),
    LINE(FENCE, FENCE_I, CBO, NONE, NONE, NONE, NONE, NONE),
    LINE(ADDI, SHIFT_LEFT, IMMEDIATE, IMMEDIATE, IMMEDIATE, SHIFT_RIGHT, ORI, IMMEDIATE),
    ALL(AUIPC),
    LINE(IMMEDIATE_32, IMMEDIATE_32, NONE, NONE, NONE, IMMEDIATE_32, NONE, NONE),
    ALL(NONE),
    LINE(STORE, STORE, STORE, STORE_64, NONE, NONE, NONE, NONE),
    FP_OR_V(FSTORE, VSTORE),
    ALL(CUSTOM),
    LINE(AMO_SMALL, AMO_SMALL, AMO, AMO, AMO_QUAD, NONE, NONE, NONE),
    LINE(OP_0, OP_1, OP_2, OP_3, OP_4, OP_5, OP_6, OP_7),
    ALL(LUI),
    LINE(OP_32, OP_32, OP_32, NONE, OP_32, OP_32, OP_32, OP_32),
    ALL(NONE),
    ROUNDED(FUSED),
    ROUNDED(FUSED),
    ROUNDED(FUSED),
    ROUNDED(FUSED),
    ALL(FLOAT),
    LINE(V_IVV, V_FVV, V_MVV, V_IVI, V_IVX, V_FVF, V_MVX, V_SET),
    ALL(CUSTOM),
    ALL(NONE),
    LINE(BRANCH, BRANCH, NONE, NONE, BRANCH, BRANCH, BRANCH, BRANCH),
    ONLY(JALR),
    ALL(NONE),
    ALL(JAL),
    LINE(SYSTEM, CSR_SWAP, CSR_BITS, CSR_BITS, VIRTUAL, CSR_SWAP, CSR_BITS, CSR_BITS),
    LINE(NONE, NONE, V_CRYPTO, NONE, NONE, NONE, NONE, NONE),
    ALL(CUSTOM),
    ALL(NONE),
};

/* "RVC opcode map": a line is the quadrant, bits [1:0], a column bits [15:13]. */
static const uint8_t half_tables[3][8] = {
    LINE(C0_ADDI4SPN, C0_FLD, C0_LW, C0_LD, C0_ZCB, C0_FSD, C0_SW, C0_SD),
    LINE(C1_ADDI, C1_JAL, C1_LI, C1_LUI, C1_ALU, C1_J, C1_BRANCH, C1_BRANCH),
    LINE(C2_SLLI, C2_FLDSP, C2_LWSP, C2_LDSP, C2_MV, C2_FSDSP, C2_SWSP, C2_SDSP),
};

static const struct rv_table *const tables[RV_TABLE_COUNT] = {
#define X(id, symbol, title) &rv_table_##symbol,
    RV_TABLES(X)
#undef X
};

enum rv_table_id rv_first_table(uint32_t word)
{
    const uint8_t id = (word & 3) == 3 ? word_tables[word >> 2 & 31][word >> 12 & 7]
                                       : half_tables[word & 3][word >> 13 & 7];
    return (enum rv_table_id)id;
}

const struct rv_table *rv_table(enum rv_table_id id)
{
    return tables[id];
}

enum rv_isa rv_isa_of(unsigned xlen)
{
    return xlen == 64 ? RV_64 : xlen == 32 ? RV_32 : RV_ISA_UNKNOWN;
}

unsigned rv_length(uint16_t low)
{
    if ((low & 0x03) != 0x03) {
        return 2;
    }
    if ((low & 0x1f) != 0x1f) {
        return 4;
    }
    if ((low & 0x3f) == 0x1f) {
        return 6;
    }
    if ((low & 0x7f) == 0x3f) {
        return 8;
    }
    const unsigned pairs = low >> 12 & 7;
    return pairs == 7 ? 0 : 10 + 2 * pairs;
}

static uint64_t slice(uint32_t word, unsigned low, unsigned bits)
{
    return (word >> low) & ((1u << bits) - 1u);
}

/* The number of registers in an rlist, 4 to 15: ra, then one of s0 to s9 more each, s10 and s11
 * together. */
static unsigned registers_in_list(uint32_t word)
{
    const unsigned rlist = word >> 4 & 15;
    return rlist == 15 ? 13 : rlist - 3;
}

static uint64_t flag_if(bool condition, uint64_t flag)
{
    return condition ? flag : 0;
}

static uint64_t complete(const struct rv_row *row, uint32_t word, enum rv_isa isa)
{
    uint64_t info = row->info;
    info += slice(word, row->size_low, row->size_bits) * RV_INFO(ACCESS_LOG2);
    info |= flag_if(row->hint_without_rd && (word & 0xf80) == 0, RV_INFO(IS_HINT));
    info |= flag_if(row->maskable && (word & 0x02000000) == 0, RV_INFO(IS_MASKED));
    if (row->index_low != 0) {
        info += slice(word, row->index_low, 2) * RV_INFO(INDEX_LOG2);
    }
    if (row->fields_low != 0) {
        info += (slice(word, row->fields_low, 3) + 1) * RV_INFO(FIELDS);
    }
    if (row->amo) {
        info |= slice(word, 26, 1) * RV_INFO(IS_ACQUIRE) | slice(word, 25, 1) * RV_INFO(IS_RELEASE);
    }
    if (row->list) {
        info |= RV_EACH(registers_in_list(word), isa == RV_64_ZCM ? 3u : 2u);
    }
    return info;
}

uint64_t rv_classify(uint32_t word, enum rv_isa isa)
{
    const unsigned length = rv_length((uint16_t)word);
    if (word == UINT32_MAX) {
        return RV_ILLEGAL | 4 * RV_INFO(LENGTH);
    }
    if ((length != 2 && length != 4) || isa >= RV_ISA_UNKNOWN) {
        return RV_UNKNOWN | length * RV_INFO(LENGTH);
    }
    if (length == 2) {
        word &= 0xffff;
    }
    const struct rv_row *row = tables[rv_first_table(word)]->rows;
    while (!rv_row_matches(row, word, isa)) {
        row++;
    }
    return complete(row, word, isa) | length * RV_INFO(LENGTH);
}

static const char *const class_names[RV_CLASS_COUNT] = {
#define X(id, name, text) name,
    RV_CLASSES(X)
#undef X
};

static const char *const class_texts[RV_CLASS_COUNT] = {
#define X(id, name, text) text,
    RV_CLASSES(X)
#undef X
};

static const char *const transfer_names[RV_TRANSFER_COUNT] = {
#define X(id, name, text) name,
    RV_TRANSFERS(X)
#undef X
};

const char *rv_class_name(unsigned class_id)
{
    return class_id < RV_CLASS_COUNT ? class_names[class_id] : "unknown";
}

const char *rv_class_text(unsigned class_id)
{
    return class_id < RV_CLASS_COUNT ? class_texts[class_id] : "no class";
}

const char *rv_transfer_name(unsigned transfer)
{
    return transfer < RV_TRANSFER_COUNT ? transfer_names[transfer] : "unknown";
}
