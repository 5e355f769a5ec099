#include "execution/accesses.h"

static void empty(struct assay_byte_set *set)
{
    set->count = 0;
    set->overflowed = false;
}

void assay_accesses_clear(struct assay_accesses *a)
{
    empty(&a->reads);
    empty(&a->writes);
    empty(&a->any);
}

void assay_accesses_add(struct assay_accesses *a, uint64_t address, uint64_t size, bool read,
                        bool write)
{
    if (read) {
        assay_byte_set_add(&a->reads, address, size);
    }
    if (write) {
        assay_byte_set_add(&a->writes, address, size);
    }
    if (read || write) {
        assay_byte_set_add(&a->any, address, size);
    }
}

static uint64_t at_most_16_bits(uint64_t bytes)
{
    return bytes < UINT16_MAX ? bytes : UINT16_MAX;
}

bool assay_accesses_compare(struct assay_accesses *a, const struct assay_access *executed,
                            unsigned count, bool either_way,
                            struct assay_byte_difference differ[ASSAY_ACCESS_DIFFERENCES],
                            uint64_t *cell)
{
    if (a->any.overflowed || a->reads.overflowed || a->writes.overflowed) {
        return false;
    }
    empty(&a->executed_reads);
    empty(&a->executed_writes);
    for (unsigned i = 0; i < count; i++) {
        assay_byte_set_add(executed[i].write ? &a->executed_writes : &a->executed_reads,
                           executed[i].address, executed[i].size);
    }
    differ[ASSAY_MISSING_READ] =
        assay_byte_set_difference(&a->executed_reads, either_way ? &a->any : &a->reads);
    differ[ASSAY_MISSING_WRITE] =
        assay_byte_set_difference(&a->executed_writes, either_way ? &a->any : &a->writes);
    differ[ASSAY_SPURIOUS_READ] = assay_byte_set_difference(&a->reads, &a->executed_reads);
    differ[ASSAY_SPURIOUS_WRITE] = assay_byte_set_difference(&a->writes, &a->executed_writes);
    *cell = 0;
    for (unsigned i = 0; i < ASSAY_ACCESS_DIFFERENCES; i++) {
        *cell |= at_most_16_bits(differ[i].bytes) << 16 * i;
    }
    return true;
}

uint64_t assay_accesses_lowest(const struct assay_byte_difference *differ, unsigned count)
{
    const struct assay_byte_difference *lowest = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (differ[i].bytes > 0 && (lowest == NULL || differ[i].first < lowest->first)) {
            lowest = &differ[i];
        }
    }
    return lowest != NULL ? lowest->first : 0;
}
