#include "stf/compare.h"

#include "isa/rv.h"
#include "stf/place.h"

void stf_compare_access(struct stf_comparison *c, const uint8_t *data)
{
    const unsigned type = (unsigned)stf_get(data, inst_mem_access, type);
    if (type != ACCESS_READ && type != ACCESS_WRITE) {
        return;
    }
    if (c->count == STF_RECORDED_MOST) {
        c->cut = true;
        return;
    }
    c->list[c->count++] =
        (struct stf_recorded){.address = stf_get(data, inst_mem_access, address),
                              .size = (uint32_t)stf_get(data, inst_mem_access, size),
                              .write = type == ACCESS_WRITE};
}

void stf_compare_content(struct stf_comparison *c, const uint8_t *data)
{
    if (c->count > 0 && !c->cut && !c->list[c->count - 1].has_content) {
        c->list[c->count - 1].content = stf_get(data, inst_mem_content, data);
        c->list[c->count - 1].has_content = true;
    }
}

static bool is_hint_or_cache(uint64_t info)
{
    return rv_info_is_cache(info) != 0;
}

/* What the recording of an instruction says of its accesses (docs/recorder.md): not those whose
 * word gives no size and of which the recorder saw none. That a compare and swap wrote is told also
 * when the comparison failed. What prefetches and cache operations touch is no access of theirs in
 * a recording, and may be one in a trace. */
static uint64_t knowledge(uint64_t info, unsigned accesses, bool all_told)
{
    const bool cut = accesses == ASSAY_EXECUTION_ACCESSES_MAX;
    const bool moves = rv_info_reads(info) != 0 || rv_info_writes(info) != 0;
    const bool may_not_write =
        rv_info_writes_conditionally(info) != 0 && rv_info_reads(info) != 0 && !all_told;
    const bool may_lack = cut || is_hint_or_cache(info) ||
                          (rv_info_is_masked(info) != 0 && !all_told) ||
                          rv_info_class(info) == RV_UNKNOWN;
    if (accesses == 0 && moves && rv_access_bytes(info) == 0 && !all_told) {
        return 0;
    }
    return stf_at(inst_32, accesses_known, 1) | stf_at(inst_32, writes_known, !may_not_write) |
           stf_at(inst_32, accesses_complete, !may_lack);
}

/* The common case: as many, one for one. */
static bool is_same(const struct stf_comparison *c, const struct assay_access *executed,
                    unsigned count)
{
    if (c->count != count) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct stf_recorded *r = &c->list[i];
        if (r->address != executed[i].address || r->size != executed[i].size ||
            r->write != executed[i].write) {
            return false;
        }
    }
    return true;
}

/* What was read and written, of accesses that are the same on both sides. */
static void compare_contents(const struct stf_comparison *c, const struct assay_access *executed,
                             uint64_t *words)
{
    for (unsigned i = 0; i < c->count; i++) {
        const struct stf_recorded *r = &c->list[i];
        if (!r->has_content || !executed[i].content_known || r->size > 8) {
            continue;
        }
        words[STF_WORD_inst_32_executed] |= stf_at(inst_32, contents_known, 1);
        if (((r->content ^ executed[i].content) & assay_mask(8 * r->size)) != 0) {
            words[STF_WORD_inst_32_executed] |= stf_at(inst_32, content_differs, 1);
            words[STF_WORD_inst_32_differs_at] = r->address;
            words[STF_WORD_inst_32_executed_content] = executed[i].content;
            return;
        }
    }
}

static void empty(struct assay_runs *runs)
{
    runs->count = 0;
    runs->cut = false;
}

static void collect(struct stf_comparison *c, const struct assay_access *executed, unsigned count)
{
    empty(&c->reads);
    empty(&c->writes);
    empty(&c->any);
    empty(&c->executed_reads);
    empty(&c->executed_writes);
    for (unsigned i = 0; i < c->count; i++) {
        const struct stf_recorded *r = &c->list[i];
        assay_runs_add(r->write ? &c->writes : &c->reads, r->address, r->size);
        assay_runs_add(&c->any, r->address, r->size);
    }
    for (unsigned i = 0; i < count; i++) {
        assay_runs_add(executed[i].write ? &c->executed_writes : &c->executed_reads,
                       executed[i].address, executed[i].size);
    }
}

static uint64_t at_most_16_bits(uint64_t bytes)
{
    return bytes < UINT16_MAX ? bytes : UINT16_MAX;
}

static void lower(const struct assay_surplus *surplus, bool *any, uint64_t *lowest)
{
    if (surplus->bytes > 0 && (!*any || surplus->first < *lowest)) {
        *lowest = surplus->first;
        *any = true;
    }
}

void stf_compare_instruction(const struct assay_window *window,
                             const struct assay_retired *executed, uint64_t info, bool all_told,
                             struct stf_comparison *c, uint64_t *words)
{
    const struct assay_access *access = assay_window_accesses(window, executed);
    const uint64_t known = knowledge(info, executed->accesses, all_told);
    if (is_same(c, access, executed->accesses)) {
        words[STF_WORD_inst_32_executed] |= known;
        compare_contents(c, access, words);
        return;
    }
    collect(c, access, executed->accesses);
    if (c->cut || c->any.cut) {
        return;
    }
    words[STF_WORD_inst_32_executed] |= known;
    /* Atomics may have a read, a write or both (INT-STF-56). */
    const bool atomic = rv_info_is_atomic(info) != 0;
    const struct assay_surplus differ[4] = {
        assay_runs_beyond(&c->executed_reads, atomic ? &c->any : &c->reads),
        assay_runs_beyond(&c->executed_writes, atomic ? &c->any : &c->writes),
        assay_runs_beyond(&c->reads, &c->executed_reads),
        assay_runs_beyond(&c->writes, &c->executed_writes),
    };
    bool any = false;
    uint64_t lowest = 0;
    for (unsigned i = 0; i < 4; i++) {
        lower(&differ[i], &any, &lowest);
        words[STF_WORD_inst_32_missing_read] |= at_most_16_bits(differ[i].bytes) << 16 * i;
    }
    if (any) {
        words[STF_WORD_inst_32_differs_at] = lowest;
    }
}
