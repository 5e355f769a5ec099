#include "astf/compare.h"

#include "astf/astf.h"
#include "isa/a64.h"

/* What the recording of an instruction says of its accesses (docs/recorder.md). Not those of
 * instructions that a recorder may not see: what touches tags, and what has no size of its own:
 * SVE, SME, memory copy and set, DC ZVA. Of vectors under a predicate it may have seen some. That a
 * compare and swap wrote is told also when the comparison failed. */
static uint64_t knowledge(uint64_t info, unsigned accesses, bool all_told)
{
    const bool cut = accesses == ASSAY_EXECUTION_ACCESSES_MAX;
    if (all_told && a64_info_accesses_tags(info) == 0) {
        return ASTF_ACCESSES_KNOWN | ASTF_WRITES_KNOWN | (cut ? 0 : ASTF_ACCESSES_COMPLETE);
    }
    const bool sized = a64_info_access_bytes(info) != 0 && a64_info_accesses_tags(info) == 0;
    if (accesses == 0 && a64_info_is_memory(info) != 0 && !sized) {
        return 0;
    }
    const bool may_not_write =
        a64_info_writes_conditionally(info) != 0 && a64_info_reads(info) != 0;
    const bool may_lack = a64_info_is_predicated(info) != 0 || cut;
    return ASTF_ACCESSES_KNOWN | (may_not_write ? 0 : ASTF_WRITES_KNOWN) |
           (may_lack ? 0 : ASTF_ACCESSES_COMPLETE);
}

/* An access as a record tells it. */
struct recorded {
    uint64_t address, size;
    bool read, write;
};

static struct recorded access_of(const uint8_t *r)
{
    const bool any = astf_get(r, instr, ea_valid) != 0 && astf_get(r, instr, is_branch) == 0;
    const bool range = astf_get(r, instr, xattr_mode) == 1;
    return (struct recorded){.address = astf_get(r, instr, ea),
                             .size = range ? astf_get(r, instr, ea_range)
                                           : astf_get(r, instr, ea_size) + 1,
                             .read = any && astf_get(r, instr, is_read) != 0,
                             .write = any && astf_get(r, instr, is_write) != 0};
}

/* The common case: one record, of accesses in one direction that follow each other. */
static bool is_that(const struct recorded *access, const struct assay_access *executed,
                    unsigned count)
{
    uint64_t end = access->address;
    if (count == 0) {
        return !access->read && !access->write;
    }
    if (access->read == access->write) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (executed[i].address != end || executed[i].write != access->write) {
            return false;
        }
        end += executed[i].size;
    }
    return end - access->address == access->size;
}

static void add_recorded(struct astf_comparison *now, const struct recorded *access)
{
    if (access->read) {
        assay_runs_add(&now->reads, access->address, access->size);
    }
    if (access->write) {
        assay_runs_add(&now->writes, access->address, access->size);
    }
}

static void empty(struct assay_runs *runs)
{
    runs->count = 0;
    runs->cut = false;
}

static uint64_t at_most_16_bits(uint64_t bytes)
{
    return bytes < UINT16_MAX ? bytes : UINT16_MAX;
}

/* Bytes of one side that are not on the other: how many, by direction, and the lowest of them. */
static void tell(const struct assay_surplus *reads, const struct assay_surplus *writes,
                 unsigned bit, unsigned place, uint64_t *words)
{
    const bool write_is_lower =
        writes->bytes > 0 && (reads->bytes == 0 || writes->first < reads->first);
    words[ASTF_WORD_BYTES] |= (at_most_16_bits(reads->bytes) | at_most_16_bits(writes->bytes) << 16)
                              << bit;
    words[place] = write_is_lower ? writes->first : reads->first;
}

/* Where all that was accessed is recorded, and nothing else: whether the Instruction record tells
 * the access that came first, merged with others or not. */
static void tell_order(const struct astf_comparison *now, uint64_t *words)
{
    if (now->count > 0) {
        const uint64_t first_at = now->executed[0].address;
        words[ASTF_WORD_EA] = first_at;
        words[ASTF_WORD_FLAGS] |=
            ASTF_SAME_ACCESSES |
            (first_at - now->first < now->first_size ? ASTF_FIRST_IN_PLACE : 0);
    }
}

/* At the last record: what was executed and not recorded, and the reverse. */
static void compare(struct astf_comparison *now, uint64_t *words)
{
    if (now->reads.cut || now->writes.cut) {
        return;
    }
    empty(&now->executed_reads);
    empty(&now->executed_writes);
    for (unsigned i = 0; i < now->count; i++) {
        const struct assay_access *access = &now->executed[i];
        assay_runs_add(access->write ? &now->executed_writes : &now->executed_reads,
                       access->address, access->size);
    }
    words[ASTF_WORD_FLAGS] |= now->known;
    const struct assay_surplus missing_reads = assay_runs_beyond(&now->executed_reads, &now->reads);
    const struct assay_surplus missing_writes =
        assay_runs_beyond(&now->executed_writes, &now->writes);
    const struct assay_surplus other_reads = assay_runs_beyond(&now->reads, &now->executed_reads);
    const struct assay_surplus other_writes =
        assay_runs_beyond(&now->writes, &now->executed_writes);
    tell(&missing_reads, &missing_writes, ASTF_BIT_MISSING, ASTF_WORD_MISSING_AT, words);
    tell(&other_reads, &other_writes, ASTF_BIT_INVENTED, ASTF_WORD_INVENTED_AT, words);
    if (words[ASTF_WORD_BYTES] == 0) {
        tell_order(now, words);
    }
}

void astf_compare_instr(struct astf_comparison *now, const struct assay_window *window,
                        const struct assay_retired *executed, const uint8_t *record, uint64_t info,
                        bool all_told, uint64_t *words)
{
    const struct recorded access = access_of(record);
    now->known = knowledge(info, executed->accesses, all_told);
    now->executed = assay_window_accesses(window, executed);
    now->count = executed->accesses;
    now->open = astf_get(record, instr, extra_eas) != 0;
    if (!now->open && is_that(&access, now->executed, now->count)) {
        words[ASTF_WORD_FLAGS] |= now->known;
        if (now->count > 0) {
            words[ASTF_WORD_FLAGS] |= ASTF_SAME_ACCESSES | ASTF_FIRST_IN_PLACE;
            words[ASTF_WORD_EA] = access.address;
        }
        return;
    }
    now->first = access.address;
    now->first_size = access.read || access.write ? access.size : 0;
    empty(&now->reads);
    empty(&now->writes);
    add_recorded(now, &access);
    if (!now->open) {
        compare(now, words);
    }
}

void astf_compare_extra_ea(struct astf_comparison *now, const uint8_t *r, uint64_t *words)
{
    const bool range = astf_get(r, extra_ea, mem1_addr_range) != 0;
    const bool second = astf_get(r, extra_ea, mem1_valid) != 0 && !range;
    add_recorded(now, &(struct recorded){.address = astf_get(r, extra_ea, mem0_addr),
                                         .size = range ? astf_get(r, extra_ea, mem1_addr)
                                                       : astf_get(r, extra_ea, mem0_size) + 1,
                                         .read = astf_get(r, extra_ea, mem0_is_read) != 0,
                                         .write = astf_get(r, extra_ea, mem0_is_write) != 0});
    add_recorded(now,
                 &(struct recorded){.address = astf_get(r, extra_ea, mem1_addr),
                                    .size = astf_get(r, extra_ea, mem1_size) + 1,
                                    .read = second && astf_get(r, extra_ea, mem1_is_read) != 0,
                                    .write = second && astf_get(r, extra_ea, mem1_is_write) != 0});
    now->open = astf_get(r, extra_ea, extra_eas) != 0;
    if (!now->open) {
        compare(now, words);
    }
}
