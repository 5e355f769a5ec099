#include "etrace/data/multiple_accesses.h"

enum { STACK_POINTER = 2, STACK_UNIT = 16, SPIMM_BIT = 2, SPIMM_MASK = 3, FAR = 1 << 20 };

static bool is_multiple(uint64_t info)
{
    const unsigned class = rv_info_class(info);
    return class == RV_PUSH || class == RV_POP || class == RV_POP_RETURN;
}

uint32_t etrace_multiple(uint32_t word, enum rv_isa isa, uint32_t *bytes)
{
    const uint64_t info = rv_classify(word, isa);
    *bytes = UINT32_C(1) << rv_info_access_log2(info);
    return is_multiple(info) ? (uint32_t)rv_info_access_count(info) : 0;
}

bool etrace_multiple_unknown(uint32_t word, enum rv_isa isa)
{
    const uint64_t info = rv_classify(word, isa);
    const bool accesses = rv_info_reads(info) != 0 || rv_info_writes(info) != 0 ||
                          rv_info_writes_conditionally(info) != 0;
    return accesses && rv_info_access_count(info) == 0;
}

/* What is added to the stack pointer, or taken from it: the registers in units of 16 bytes, and
 * further units ("Zcmp"). */
static uint64_t adjustment(uint32_t word, uint64_t bytes)
{
    const uint64_t units = bytes / STACK_UNIT + (bytes % STACK_UNIT != 0);
    return STACK_UNIT * (units + (word >> SPIMM_BIT & SPIMM_MASK));
}

struct etrace_multiple etrace_multiple_of(uint32_t word, enum rv_isa isa,
                                          const struct etrace_registers *registers)
{
    const uint64_t info = rv_classify(word, isa);
    struct etrace_multiple m = {.bytes = UINT32_C(1) << rv_info_access_log2(info),
                                .due = (uint32_t)rv_info_access_count(info),
                                .known = (registers->known >> STACK_POINTER & 1) != 0};
    const uint64_t all = (uint64_t)m.bytes * m.due;
    const uint64_t popped = rv_info_class(info) == RV_PUSH ? 0 : adjustment(word, all);
    m.low = registers->value[STACK_POINTER] + popped - all;
    return m;
}

/* From one address to another one, of as many bits as the mask has; FAR, or its negative, if that
 * is less. */
static int64_t distance(uint64_t from, uint64_t to, uint64_t mask)
{
    const uint64_t up = (to - from) & mask;
    const uint64_t down = (from - to) & mask;
    if (up < down) {
        return up < FAR ? (int64_t)up : FAR;
    }
    return down < FAR ? -(int64_t)down : -FAR;
}

/* Accesses, from some address on. */
struct range {
    int64_t first, end;
};

static struct range range_of(const struct etrace_multiple *m, uint64_t origin, uint64_t mask)
{
    struct range all = {INT64_MAX, INT64_MIN};
    for (uint32_t n = 0; n < m->count; n++) {
        const int64_t first = distance(origin, m->made[n].address, mask);
        const int64_t end = first + (int64_t)m->made[n].bytes;
        all.first = first < all.first ? first : all.first;
        all.end = end > all.end ? end : all.end;
    }
    return all;
}

/* Where none was made, and the stack pointer is not known, each address is the first one. */
static uint64_t origin_of(const struct etrace_multiple *m, uint64_t address)
{
    return m->known ? m->low : m->count > 0 ? m->made[0].address : address;
}

/* Whether an access is of registers beside those that were made, and of none of these. */
static bool fits(const struct etrace_multiple *m, uint64_t address, uint64_t bytes, uint64_t mask)
{
    const uint64_t origin = origin_of(m, address);
    const int64_t all = (int64_t)m->bytes * m->due;
    const int64_t first = distance(origin, address, mask);
    const int64_t end = first + (int64_t)bytes;
    for (uint32_t n = 0; n < m->count; n++) {
        const int64_t other = distance(origin, m->made[n].address, mask);
        if (first < other + (int64_t)m->made[n].bytes && other < end) {
            return false;
        }
    }
    const struct range r = range_of(m, origin, mask);
    const bool inside =
        m->known ? first >= 0 && end <= all
                 : (end > r.end ? end : r.end) - (first < r.first ? first : r.first) <= all;
    return inside && first % (int64_t)m->bytes == 0;
}

/* The next one from above; false: none is left. */
static bool find_next(const struct etrace_multiple *m, uint64_t mask, uint64_t *address)
{
    const uint64_t origin = origin_of(m, 0);
    const int64_t all = (int64_t)m->bytes * m->due;
    const int64_t end = m->known ? all : range_of(m, origin, mask).end;
    bool found = false;
    for (int64_t at = end - m->bytes; at >= end - all && !found; at -= m->bytes) {
        *address = (origin + (uint64_t)at) & mask;
        found = fits(m, *address, m->bytes, mask);
    }
    return found;
}

bool etrace_multiple_make(struct etrace_multiple *multiple, uint64_t address, uint64_t bytes,
                          uint64_t mask, uint64_t *due)
{
    const bool told = multiple->known || multiple->count > 0;
    if (!fits(multiple, address, bytes, mask)) {
        return told && find_next(multiple, mask, due);
    }
    if (multiple->count < ETRACE_MULTIPLE_MOST) {
        multiple->made[multiple->count].address = address;
        multiple->made[multiple->count++].bytes = bytes;
    }
    *due = address & mask;
    return told;
}
