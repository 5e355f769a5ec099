#include "mend.h"

#include <string.h>

/* Arm ARM, C4.1, "Loads and stores": bits fixed in the group, and their values. */
static enum mend_habit habit_of_a64(uint32_t word)
{
    const bool cas = (word & 0x3fa07c00) == 0x08a07c00;
    const bool casp = (word & 0xbfa07c00) == 0x08207c00;
    const bool atomic = (word & 0x3f200c00) == 0x38200000;
    const bool swap = (word & 0xf000) == 0x8000; /* the others with bit 15 are loads or stores */
    if (cas || casp || (atomic && ((word & 0x8000) == 0 || swap))) {
        return MEND_READS_AND_WRITES;
    }
    const bool store_exclusive = (word & 0x3fc00000) == 0x08000000;
    return store_exclusive ? MEND_ONLY_WRITES : MEND_NOTHING;
}

static enum mend_habit habit_of_riscv(uint32_t word)
{
    if ((word & 0x7f) != 0x2f) {
        return MEND_NOTHING;
    }
    switch (word >> 27) {
    case 2: /* lr */
        return MEND_NOTHING;
    case 3: /* sc */
        return MEND_ONLY_WRITES;
    default:
        return MEND_READS_AND_WRITES;
    }
}

enum mend_habit mend_habit_of(enum assay_execution_isa isa, uint32_t word, unsigned size)
{
    if (isa == ASSAY_EXECUTION_AARCH64) {
        return habit_of_a64(word);
    }
    return size == 4 ? habit_of_riscv(word) : MEND_NOTHING;
}

static unsigned drop_reads(struct assay_access *access, unsigned accesses)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < accesses; ++i) {
        if (access[i].write) {
            access[kept++] = access[i];
        }
    }
    return kept;
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

unsigned mend_accesses(enum mend_habit habit, struct assay_access *access, unsigned accesses)
{
    switch (habit) {
    case MEND_READS_AND_WRITES:
        return add_reads(access, accesses);
    case MEND_ONLY_WRITES:
        return drop_reads(access, accesses);
    case MEND_NOTHING:
        break;
    }
    return accesses;
}
