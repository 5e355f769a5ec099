#include "generators/astf/exclusive.h"

#include "isa/a64.h"

static unsigned bits(uint32_t word, unsigned low)
{
    return word >> low & 31;
}

/* Whether an instruction may write a general register: true if in doubt. A destination is in bits
 * [4:0]; loads of pairs have a second in [14:10], atomics and exclusives one in [20:16], CASP the
 * one after it too. */
static bool may_write(uint32_t word, uint64_t info, unsigned n)
{
    const unsigned rs = bits(word, 16);
    if (a64_info_is_call(info) != 0 || a64_info_is_pauth(info) != 0) {
        return n >= 16 || bits(word, 0) == n; /* X30; of hints X16, X17 */
    }
    if (a64_info_is_memory(info) != 0) {
        return bits(word, 0) == n || bits(word, 10) == n || rs == n || rs + 1 == n ||
               (a64_info_is_writeback(info) != 0 && bits(word, 5) == n) ||
               (a64_info_access_bytes(info) == 64 && a64_info_is_simd_fp(info) == 0); /* LD64B */
    }
    return a64_info_is_branch(info) == 0 && bits(word, 0) == n;
}

void astf_exclusive_instruction(struct astf_exclusive *x, uint32_t word, uint64_t info,
                                bool accessed, uint64_t address)
{
    const unsigned base = bits(word, 5);
    if (a64_info_is_exclusive(info) != 0 && a64_info_reads(info) != 0) {
        *x = (struct astf_exclusive){
            .known = accessed && !may_write(word, info, base), .base = base, .address = address};
    } else if (x->known) {
        x->known = !may_write(word, info, x->base);
    }
}

bool astf_exclusive_address(const struct astf_exclusive *x, uint32_t word, uint64_t *address)
{
    *address = x->address;
    return x->known && bits(word, 5) == x->base;
}
