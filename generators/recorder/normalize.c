#include "normalize.h"

#include <string.h>

/* Arm ARM, C4.1, "Loads and stores": bits fixed in the group, and their values. */
static enum normalize_rule rule_of_a64(uint32_t word)
{
    const bool cas = (word & 0x3fa07c00) == 0x08a07c00;
    const bool casp = (word & 0xbfa07c00) == 0x08207c00;
    const bool atomic = (word & 0x3f200c00) == 0x38200000;
    const bool swap = (word & 0xf000) == 0x8000; /* the others with bit 15 are loads or stores */
    if (cas || casp || (atomic && ((word & 0x8000) == 0 || swap))) {
        return NORMALIZE_READS_AND_WRITES;
    }
    const bool store_exclusive = (word & 0x3fc00000) == 0x08000000;
    return store_exclusive ? NORMALIZE_ONLY_WRITES : NORMALIZE_NOTHING;
}

static enum normalize_rule rule_of_riscv(uint32_t word)
{
    if ((word & 0x7f) != 0x2f) {
        return NORMALIZE_NOTHING;
    }
    switch (word >> 27) {
    case 2: /* lr */
        return NORMALIZE_NOTHING;
    case 3: /* sc */
        return NORMALIZE_ONLY_WRITES;
    default:
        return NORMALIZE_READS_AND_WRITES;
    }
}

enum normalize_rule normalize_rule_of(enum assay_execution_isa isa, uint32_t word, unsigned size)
{
    if (isa == ASSAY_EXECUTION_AARCH64) {
        return rule_of_a64(word);
    }
    return size == 4 ? rule_of_riscv(word) : NORMALIZE_NOTHING;
}

static unsigned drop_reads(struct assay_access *access, unsigned accesses)
{
    unsigned retained = 0;
    for (unsigned i = 0; i < accesses; ++i) {
        if (access[i].write) {
            access[retained++] = access[i];
        }
    }
    return retained;
}

static unsigned add_reads(struct assay_access *access, unsigned accesses)
{
    for (unsigned i = 0; i < accesses; ++i) {
        if (!access[i].write) {
            return accesses;
        }
    }
    if (accesses > ASSAY_EXECUTION_ACCESSES_MAX / 2) {
        return accesses;
    }
    memcpy(access + accesses, access, accesses * sizeof *access);
    for (unsigned i = 0; i < accesses; ++i) {
        access[i].write = false;
        access[i].content_known = false; /* it was overwritten when the recorder looked */
        access[i].content = 0;
    }
    return 2 * accesses;
}

unsigned normalize_accesses(enum normalize_rule rule, struct assay_access *access,
                            unsigned accesses)
{
    switch (rule) {
    case NORMALIZE_READS_AND_WRITES:
        return add_reads(access, accesses);
    case NORMALIZE_ONLY_WRITES:
        return drop_reads(access, accesses);
    case NORMALIZE_NOTHING:
        break;
    }
    return accesses;
}
