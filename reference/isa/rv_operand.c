/* What the bits of a word say beside its class: registers and targets. */
#include <stddef.h>

#include "isa/rv.h"

/* rd, rs1, rs2, rs3 of each shape. */
static const uint16_t shapes[RV_SHAPE_COUNT][RV_OP_COUNT] = {
#define X(id, rd, rs1, rs2, rs3) {(rd), (rs1), (rs2), (rs3)},
    RV_SHAPES(X)
#undef X
};

/* s0, s1 are x8, x9; s2 to s11 are x18 to x27. */
static uint32_t saved(unsigned n)
{
    return UINT32_C(1) << (n < 2 ? 8 + n : 16 + n);
}

/* ra, and s0 to s<rlist - 5>, or to s11 when rlist is 15 ("Zcmp"). */
static uint32_t list(uint32_t word)
{
    const unsigned rlist = word >> 4 & 15;
    const unsigned count = rlist == 15 ? 12 : rlist - 4;
    uint32_t set = UINT32_C(1) << 1;
    for (unsigned n = 0; n < count; n++) {
        set |= saved(n);
    }
    return set;
}

static uint32_t one(uint32_t number)
{
    return UINT32_C(1) << (number & 31);
}

static uint32_t registers_at(enum rv_position place, uint32_t word)
{
    switch (place) {
    case RV_PLACE_RD:
        return one(word >> 7);
    case RV_PLACE_RS1:
        return one(word >> 15);
    case RV_PLACE_RS2:
        return one(word >> 20);
    case RV_PLACE_RS3:
        return one(word >> 27);
    case RV_PLACE_C_RS2:
        return one(word >> 2);
    case RV_PLACE_C_HIGH:
        return one(8 + (word >> 7 & 7));
    case RV_PLACE_C_LOW:
        return one(8 + (word >> 2 & 7));
    case RV_PLACE_S_HIGH:
        return saved(word >> 7 & 7);
    case RV_PLACE_S_LOW:
        return saved(word >> 2 & 7);
    case RV_PLACE_RA:
        return one(1);
    case RV_PLACE_SP:
        return one(2);
    case RV_PLACE_A0:
        return one(10);
    case RV_PLACE_A1:
        return one(11);
    case RV_PLACE_LIST:
        return list(word);
    default:
        return 0;
    }
}

/* `first` and the `more` registers after it; numbers end at 31. */
static uint32_t run(uint32_t first, unsigned more)
{
    uint32_t set = first;
    for (; more > 0; more--) {
        set |= set << 1;
    }
    return set;
}

struct rv_operand rv_operand(uint32_t word, uint64_t info, enum rv_operand_index index)
{
    const unsigned operand = shapes[rv_info_shape(info)][index];
    uint32_t set = registers_at((enum rv_position)(operand & 15), word);
    if ((operand >> RV_OPERAND_PAIR & 1) != 0) {
        set = run(set, 1);
    } else if ((operand >> RV_OPERAND_GROUP & 1) != 0) {
        set = run(set, rv_info_fields(info) - 1);
    }
    return (struct rv_operand){
        .registers = set,
        .file = (enum rv_file)(operand >> RV_OPERAND_FILE & 3),
        .is_read = (operand >> RV_OPERAND_READ & 1) != 0,
        .is_written = (operand >> RV_OPERAND_WRITTEN & 1) != 0,
    };
}

void rv_registers(uint32_t word, uint64_t info, struct rv_registers *registers)
{
    *registers = (struct rv_registers){.read = {0}};
    registers->read[RV_FILE_V] = rv_info_is_masked(info);
    for (unsigned i = 0; i < RV_OP_COUNT; i++) {
        const struct rv_operand operand = rv_operand(word, info, (enum rv_operand_index)i);
        registers->read[operand.file] |= operand.is_read ? operand.registers : 0;
        registers->written[operand.file] |= operand.is_written ? operand.registers : 0;
    }
}

int rv_base(uint32_t word, uint64_t info)
{
    const uint64_t by_address =
        RV_INFO(READS) | RV_INFO(WRITES) | RV_INFO(IS_CACHE) | RV_INFO(IS_FENCE);
    const uint32_t set = rv_operand(word, info, RV_OP_RS1).registers;
    if ((info & by_address) == 0 || set == 0) {
        return -1;
    }
    int number = 0;
    while ((set >> number & 1) == 0) {
        number++;
    }
    return number;
}

/* Immediates: where slices of the word go, up to {0, 0, 0}, and the sign's bit in the result. */
struct piece {
    uint8_t from, bits, to;
};

static const struct piece imm_b[] = {{8, 4, 1}, {25, 6, 5}, {7, 1, 11}, {31, 1, 12}, {0, 0, 0}};
static const struct piece imm_j[] = {{21, 10, 1}, {20, 1, 11}, {12, 8, 12}, {31, 1, 20}, {0, 0, 0}};
static const struct piece imm_i[] = {{20, 12, 0}, {0, 0, 0}};
static const struct piece imm_cb[] = {{3, 2, 1}, {10, 2, 3}, {2, 1, 5},
                                      {5, 2, 6}, {12, 1, 8}, {0, 0, 0}};
static const struct piece imm_cj[] = {{3, 3, 1}, {11, 1, 4}, {2, 1, 5},   {7, 1, 6}, {6, 1, 7},
                                      {9, 2, 8}, {8, 1, 10}, {12, 1, 11}, {0, 0, 0}};

static uint64_t immediate(uint32_t word, const struct piece *pieces, unsigned sign)
{
    uint64_t value = 0;
    for (; pieces->bits > 0; pieces++) {
        value |= (uint64_t)(word >> pieces->from & ((1u << pieces->bits) - 1u)) << pieces->to;
    }
    const uint64_t top = UINT64_C(1) << sign;
    return (value ^ top) - top;
}

/* Of compressed accesses: relative to SP or to a register, by log2 of their size ("Zca", "Zcb").
 * All are zero-extended: no word has a bit of them at SIGN_NONE. */
enum { SIGN_NONE = 63 };

static const struct piece imm_c_loads_sp[2][4] = {{{4, 3, 2}, {12, 1, 5}, {2, 2, 6}, {0, 0, 0}},
                                                  {{5, 2, 3}, {12, 1, 5}, {2, 3, 6}, {0, 0, 0}}};
static const struct piece imm_c_stores_sp[2][3] = {{{9, 4, 2}, {7, 2, 6}, {0, 0, 0}},
                                                   {{10, 3, 3}, {7, 3, 6}, {0, 0, 0}}};
static const struct piece imm_c[4][4] = {{{6, 1, 0}, {5, 1, 1}, {0, 0, 0}},
                                         {{5, 1, 1}, {0, 0, 0}},
                                         {{6, 1, 2}, {10, 3, 3}, {5, 1, 6}, {0, 0, 0}},
                                         {{10, 3, 3}, {5, 2, 6}, {0, 0, 0}}};
static const struct piece imm_s[] = {{7, 5, 0}, {25, 7, 5}, {0, 0, 0}};

static const struct piece *compressed_offset(uint32_t word, uint64_t info)
{
    const unsigned log2 = rv_info_access_log2(info) & 3;
    const bool by_sp = (word & 3) == 2;
    return !by_sp                      ? imm_c[log2]
           : rv_info_writes(info) != 0 ? imm_c_stores_sp[log2 == 3]
                                       : imm_c_loads_sp[log2 == 3];
}

bool rv_offset(uint32_t word, uint64_t info, int64_t *offset)
{
    const unsigned class = rv_info_class(info);
    const bool loads = class == RV_LOAD || class == RV_FLOAD;
    const bool stores = class == RV_STORE || class == RV_FSTORE;
    const bool atomic = class == RV_LR || class == RV_SC || class == RV_AMO || class == RV_CAS;
    if ((!loads && !stores && !atomic) || rv_info_access_count(info) != 1) {
        return false;
    }
    *offset = 0;
    if (!atomic && rv_info_length(info) == 2) {
        *offset = (int64_t)immediate(word, compressed_offset(word, info), SIGN_NONE);
    } else if (!atomic) {
        *offset = (int64_t)immediate(word, stores ? imm_s : imm_i, 11);
    }
    return true;
}

bool rv_direct_target(uint32_t word, enum rv_isa isa, uint64_t pc, uint64_t *target)
{
    const uint64_t info = rv_classify(word, isa);
    if (rv_info_is_direct(info) == 0) {
        return false;
    }
    const bool compressed = rv_info_length(info) == 2;
    uint64_t at;
    switch (rv_info_class(info)) {
    case RV_BRANCH:
        at = pc + (compressed ? immediate(word, imm_cb, 8) : immediate(word, imm_b, 12));
        break;
    case RV_JAL:
        at = pc + (compressed ? immediate(word, imm_cj, 11) : immediate(word, imm_j, 20));
        break;
    default:
        at = immediate(word, imm_i, 11) & ~UINT64_C(1);
        break;
    }
    *target = isa == RV_64 || isa == RV_64_ZCM ? at : at & UINT32_MAX;
    return true;
}
