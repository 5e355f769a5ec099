/* Where the elements of vector loads and stores are ("Vector Unit-Stride Instructions", "Vector
 * Strided Instructions", "Vector Load/Store Segment Instructions"): element k of a register begins
 * at base + k * stride, and the fields of a segment follow one another from there on. */
#include "stf/elements.h"

#include "stf/context.h"

/* A vector of 65,536 bits in groups of 8 registers has so many elements of a byte. */
enum { ELEMENTS_MOST = 65536 };

/* Addresses are compared without what pointer masking may ignore. */
enum { ADDRESS_64 = 48, ADDRESS_32 = 32 };

struct elements {
    uint64_t base;
    int64_t stride;
    unsigned bytes;  /* of an element in memory */
    unsigned fields; /* of a segment */
    unsigned width;  /* of addresses that are compared */
};

/* What a register of the word holds by a source record; x0 needs none. */
static bool source_of(const struct stf_model *m, unsigned number, uint64_t *value)
{
    *value = number == 0 ? 0 : m->group.source_value[number];
    return number == 0 || (m->group.sources[FILE_X] >> number & 1) != 0;
}

/* By base and stride in source records. Elements that are not aligned may be recorded in parts, and
 * with the greatest strides addresses begin anew at 0: of such ones nothing is known. */
static bool find_elements(const struct stf_model *m, const struct stf_word *word,
                          struct elements *e)
{
    const uint64_t info = word->info;
    const unsigned class = rv_info_class(info);
    const bool strided = class == RV_VLOAD_STRIDED || class == RV_VSTORE_STRIDED;
    uint64_t stride = 0;
    if ((!strided && class != RV_VLOAD && class != RV_VSTORE) ||
        !source_of(m, word->word >> 15 & 31, &e->base) ||
        (strided && !source_of(m, word->word >> 20 & 31, &stride))) {
        return false;
    }
    e->width = m->rv == RV_32 ? ADDRESS_32 : ADDRESS_64;
    e->bytes = 1u << rv_info_access_log2(info);
    e->fields = rv_info_fields(info);
    e->stride = !strided ? (int64_t)e->bytes * e->fields
                         : (int64_t)(m->rv == RV_32 ? rv_sign_extend(stride, 32) : stride);
    const int64_t most = (INT64_C(1) << (e->width - 1)) / ELEMENTS_MOST;
    return e->fields > 0 && e->base % e->bytes == 0 && e->stride % e->bytes == 0 &&
           e->stride > -most && e->stride < most;
}

/* Whether an access at a distance from a field of element 0 begins such a field of some element;
 * one that is smaller lies in it. */
static bool is_at_field(const struct elements *e, int64_t distance, unsigned size)
{
    const int64_t near = e->stride != 0 ? distance / e->stride : 0;
    for (int64_t k = near > 0 ? near - 1 : 0; k <= near + 1 && k < ELEMENTS_MOST; k++) {
        const int64_t rest = distance - k * e->stride;
        if (rest == 0 || (rest > 0 && size < e->bytes && rest + size <= e->bytes)) {
            return true;
        }
    }
    return false;
}

static bool is_at_element(const struct elements *e, uint64_t address, unsigned size)
{
    for (unsigned field = 0; field < e->fields; field++) {
        const uint64_t from = address - e->base - (uint64_t)field * e->bytes;
        if (is_at_field(e, (int64_t)rv_sign_extend(from, e->width), size)) {
            return true;
        }
    }
    return false;
}

uint64_t stf_model_elements(const struct stf_model *m, const struct stf_word *word, uint64_t *cells)
{
    const struct stf_group *g = &m->group;
    struct elements e;
    if (rv_info_is_vector(word->info) == 0 || g->moves.accesses == 0 || g->sources[FILE_X] == 0 ||
        !find_elements(m, word, &e)) {
        return 0;
    }
    unsigned astray = 0;
    for (unsigned i = 0; i < g->moves.accesses && i < STF_TOUCHED && astray == 0; i++) {
        astray = is_at_element(&e, g->touched[i].address, g->touched[i].size) ? 0 : i + 1;
    }
    cells[INST(base_address)] = e.base;
    return stf_at(inst_32, elements_known, 1) | stf_at(inst_32, element_astray, astray);
}
