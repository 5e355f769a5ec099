/* Register groups ("Vector Register Grouping", "Mapping for LMUL > 1", "Configuration-Setting
 * Instructions"): an operand is as many registers as the elements from 0 to vl - 1 take. */
#include "stf/vectors.h"

#include "stf/context.h"

enum { TYPE_VECTOR = 3, TYPE_CSR = 4 };
enum { VSTART = 0x008, VL = 0xc20, VTYPE = 0xc21 };

/* LMUL of 1 is so many eighths; of 8. */
enum { LMUL_ONE = 8, LMUL_MOST = 64 };

void stf_vectors_forget(struct stf_vectors *v)
{
    v->type_known = false;
    v->vl_known = false;
    v->start_zero = false;
}

/* vtype without vill: reserved bits are 0, and SEW has a meaning. The reserved LMUL is 0 here, so
 * that there are no elements. */
static void take_type(struct stf_vectors *v, uint64_t vtype)
{
    const unsigned lmul = (unsigned)vtype & 7;
    const unsigned sew = (unsigned)vtype >> 3 & 7;
    v->type_known = vtype >> 8 == 0 && sew < 4;
    v->sew_log2 = (uint8_t)sew;
    v->lmul_eighths = (uint8_t)(lmul < 4 ? LMUL_ONE << lmul : LMUL_ONE >> (8 - lmul));
}

void stf_vectors_record(struct stf_model *m, unsigned type, unsigned number, unsigned operand,
                        uint64_t value)
{
    struct stf_vectors *v = &m->vectors;
    struct stf_vector_group *g = &m->group.vectors;
    if (type == TYPE_VECTOR && number < 32) {
        g->recorded[operand] |= UINT32_C(1) << number;
    } else if (type == TYPE_CSR && number == VL && operand == OPERAND_DESTINATION) {
        g->vl_written = true;
        g->vl = value;
    } else if (type == TYPE_CSR && number == VL) {
        v->vl_known = true;
        v->vl = value;
    } else if (type == TYPE_CSR && number == VTYPE && operand != OPERAND_DESTINATION) {
        take_type(v, value);
    } else if (type == TYPE_CSR && number == VSTART) {
        v->start_zero = value == 0;
    }
}

/* --- configuration --- */

static bool writes_start(const struct stf_word *word)
{
    return rv_info_class(word->info) == RV_CSR && rv_csr(word->word) == VSTART;
}

bool stf_vectors_change(const struct stf_word *word)
{
    return rv_info_class(word->info) == RV_VSET || rv_info_is_first_fault(word->info) != 0 ||
           writes_start(word);
}

/* VLMAX; 0 where it is not known. */
static uint64_t most_elements(const struct stf_vectors *v)
{
    return v->type_known ? (uint64_t)v->vlen * v->lmul_eighths / LMUL_ONE / 8 >> v->sew_log2 : 0;
}

/* An x register by a record of the group as a source; x0 is 0. */
static bool source_of(const struct stf_model *m, unsigned number, uint64_t *value)
{
    *value = number == 0 ? 0 : m->group.source_value[number];
    return number == 0 || (m->group.sources[FILE_X] >> number & 1) != 0;
}

/* The application vector length. False where no record gives it; x0 asks for VLMAX. */
static bool length_asked(const struct stf_model *m, uint32_t word, uint64_t *length)
{
    const unsigned rs1 = word >> 15 & 31;
    if (word >> 30 == 3) { /* VSETIVLI */
        *length = rs1;
        return true;
    }
    if (rs1 == 0) {
        *length = UINT64_MAX;
        return true;
    }
    return source_of(m, rs1, length);
}

/* The vector length that VSETVLI and its like give, where the text leaves no choice. */
static void compute_length(struct stf_model *m, uint32_t word, uint64_t most_before)
{
    struct stf_vectors *v = &m->vectors;
    const uint64_t most = most_elements(v);
    const unsigned rd = word >> 7 & 31;
    const bool keeps = word >> 30 != 3 && (word >> 15 & 31) == 0 && rd == 0;
    uint64_t asked = 0;
    if (m->group.vectors.vl_written) {
        return; /* a record gives it */
    }
    if (rd != 0 && (m->group.destinations[FILE_X] >> rd & 1) != 0) {
        v->vl_known = true;
        v->vl = m->value[FILE_X][rd];
    } else if (keeps) {
        v->vl_known = v->vl_known && most != 0 && most == most_before;
    } else {
        v->vl_known =
            most != 0 && length_asked(m, word, &asked) && (asked <= most || asked / 2 >= most);
        v->vl = asked < most ? asked : most;
    }
}

static void configure(struct stf_model *m, uint32_t word)
{
    struct stf_vectors *v = &m->vectors;
    const uint64_t most_before = most_elements(v);
    uint64_t vtype = UINT64_MAX;
    if (word >> 31 == 0) { /* VSETVLI */
        vtype = word >> 20 & 0x7ff;
    } else if (word >> 30 == 3) { /* VSETIVLI */
        vtype = word >> 20 & 0x3ff;
    } else if (!source_of(m, word >> 20 & 31, &vtype)) {
        vtype = UINT64_MAX;
    }
    take_type(v, vtype);
    compute_length(m, word, most_before);
    v->start_zero = true;
}

void stf_vectors_step(struct stf_model *m, const struct stf_word *word, bool effects)
{
    struct stf_vectors *v = &m->vectors;
    const struct stf_vector_group *g = &m->group.vectors;
    if (rv_info_is_valid(word->info) == 0 || (m->context & CONTEXT(group_microop)) != 0 ||
        (!effects && stf_vectors_change(word))) {
        stf_vectors_forget(v);
    } else if (!effects || writes_start(word)) {
        v->start_zero = false;
    } else if (rv_info_class(word->info) == RV_VSET) {
        configure(m, word->word);
    } else if (rv_info_is_first_fault(word->info) != 0) {
        v->vl_known = false;
    }
    if (effects && g->vl_written) {
        v->vl_known = true;
        v->vl = g->vl;
    }
}

/* --- groups --- */

static unsigned count(uint32_t set)
{
    return (unsigned)__builtin_popcount(set);
}

/* Arithmetic of which all vector operands have elements of SEW, by funct6 for each funct3; reads no
 * element of vs2 at or behind vl, and writes all of vd before it. Not there are comparisons,
 * reductions, slides, gathers, moves of masks and what widens or narrows. */
static bool is_uniform(uint32_t word)
{
#define BITS(low, high) ((UINT64_MAX >> (63 - (high))) & ~((UINT64_C(1) << (low)) - 1))
    enum { VV, FVV, MVV, VI, VX, FVF, MVX };
    static const uint64_t integer = BITS(0, 7) | BITS(9, 11) | BITS(20, 21) | BITS(23, 23) |
                                    BITS(32, 35) | BITS(37, 37) | BITS(39, 43);
    static const uint64_t multiply =
        BITS(8, 13) | BITS(32, 39) | BITS(41, 41) | BITS(43, 43) | BITS(45, 45) | BITS(47, 47);
    static const uint64_t floating = BITS(0, 0) | BITS(2, 2) | BITS(4, 4) | BITS(6, 6) |
                                     BITS(8, 10) | BITS(32, 33) | BITS(36, 36) | BITS(39, 47);
    static const uint64_t sets[] = {
        [VV] = integer, [FVV] = floating | BITS(19, 19), [MVV] = multiply, [VI] = integer,
        [VX] = integer, [FVF] = floating | BITS(23, 23), [MVX] = multiply};
#undef BITS
    enum { OP_V = 0x57 };
    const unsigned form = word >> 12 & 7;
    return (word & 0x7f) == OP_V && form <= MVX && (sets[form] >> (word >> 26) & 1) != 0;
}

/* log2 of the bytes of an operand's elements. False where it is no group by vtype. */
static bool element_size(const struct stf_vectors *v, const struct stf_word *word,
                         enum rv_operand_index index, unsigned *log2)
{
    *log2 = v->sew_log2;
    switch (rv_info_class(word->info)) {
    case RV_VLOAD:
    case RV_VSTORE:
    case RV_VLOAD_STRIDED:
    case RV_VSTORE_STRIDED:
        *log2 = rv_info_access_log2(word->info);
        return true;
    case RV_VLOAD_INDEXED:
    case RV_VSTORE_INDEXED:
        *log2 = index == RV_OP_RS2 ? rv_info_index_log2(word->info) : v->sew_log2;
        return true;
    case RV_VECTOR:
        return is_uniform(word->word);
    default:
        return false;
    }
}

/* The registers that the elements of an operand take, of each field of a segment from the first of
 * its group on; only those that the word names where nothing more is known. */
static uint32_t registers_of(const struct stf_vectors *v, const struct stf_word *word,
                             enum rv_operand_index index)
{
    const uint32_t named = rv_operand(word->word, word->info, index).registers;
    const bool known = v->type_known && v->vl_known && v->vlen > 0 && v->start_zero;
    unsigned log2 = 0;
    if (count(named) > 1 || !known || v->vl == 0 || v->vl > most_elements(v) ||
        !element_size(v, word, index, &log2)) {
        return named;
    }
    const unsigned eighths = (unsigned)v->lmul_eighths << log2 >> v->sew_log2;
    const unsigned each = eighths > LMUL_ONE ? eighths / LMUL_ONE : 1;
    const uint64_t used = ((v->vl << log2) * 8 + v->vlen - 1) / v->vlen;
    const unsigned fields =
        index == RV_OP_RS2 || rv_info_fields(word->info) == 0 ? 1 : rv_info_fields(word->info);
    if (eighths == 0 || eighths > LMUL_MOST || each * fields > 8 || used > each) {
        return named;
    }
    uint32_t set = 0;
    for (unsigned field = 0; field < fields; field++) {
        set |= (named << field * each) * (uint32_t)((1u << used) - 1);
    }
    return set;
}

uint64_t stf_model_vectors(const struct stf_model *m, const struct stf_word *word, bool effects)
{
    const struct stf_vector_group *g = &m->group.vectors;
    uint32_t missing[2] = {0}; /* of sources, of destinations */
    bool grouped = false;
    if (!effects || (g->recorded[OPERAND_SOURCE] | g->recorded[OPERAND_DESTINATION]) == 0 ||
        rv_info_is_vector(word->info) == 0 || rv_info_is_masked(word->info) != 0 ||
        rv_info_is_first_fault(word->info) != 0) {
        return 0;
    }
    for (unsigned i = 0; i < RV_OP_COUNT; i++) {
        const struct rv_operand operand =
            rv_operand(word->word, word->info, (enum rv_operand_index)i);
        if (operand.registers == 0 || operand.file != RV_FILE_V) {
            continue;
        }
        const uint32_t set = registers_of(&m->vectors, word, (enum rv_operand_index)i);
        for (unsigned role = 0; role < 2; role++) {
            const uint32_t recorded = g->recorded[role == 0 ? OPERAND_SOURCE : OPERAND_DESTINATION];
            const bool has_role = role == 0 ? operand.is_read : operand.is_written;
            if (has_role && (recorded & set) != 0 && count(set) > 1) {
                grouped = true;
                missing[role] |= set & ~(recorded | g->recorded[OPERAND_STATE]);
            }
        }
    }
    return stf_at(inst_32, vectors_grouped, grouped) |
           stf_at(inst_32, vectors_missing, count(missing[0]) + count(missing[1]));
}
