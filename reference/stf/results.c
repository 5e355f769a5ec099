/* The part of the model about results. Addresses that AUIPC and links write are compared elsewhere
 * (derive_shown), and so are what a load of one access reads and a store writes (derive_data). */
#include "stf/results.h"

#include "stf/context.h"

/* --- registers --- */

static bool recorded(const uint32_t *sets, enum rv_file file, unsigned number)
{
    return (sets[file] >> number & 1) != 0;
}

/* --- integer computation --- */

static const struct stf_computed *look_up(struct stf_model *m, const struct stf_word *word)
{
    struct stf_computed *entry = &m->computed[word - m->words];
    if (entry->word != word->word || entry->isa != word->isa) {
        entry->word = word->word;
        entry->isa = word->isa;
        entry->known = rv_computation(word->word, word->info, m->rv, &entry->computation);
    }
    return entry;
}

/* A record of x0 may have 0, or the result that was discarded. */
static uint64_t derive_computed(struct stf_model *m, const struct stf_word *word, uint64_t *cells)
{
    const struct stf_group *g = &m->group;
    if ((g->destinations[RV_FILE_X] & word->registers.written[RV_FILE_X]) == 0) {
        return 0;
    }
    const struct stf_computed *entry = look_up(m, word);
    const struct rv_computation *c = &entry->computation;
    if (!entry->known || (c->read & ~g->sources[RV_FILE_X]) != 0) {
        return 0;
    }
    const uint64_t value = m->value[RV_FILE_X][c->rd];
    const uint64_t result =
        rv_compute(c, g->source_value[c->first & 31], g->source_value[c->second & 31]);
    const uint64_t differs = c->rd == 0 && value == 0 ? 0 : value ^ result;
    cells[INST(result)] = m->rv == RV_32 ? (uint32_t)result : result;
    return stf_at(inst_32, result_known, 1) |
           stf_at(inst_32, result_differs, (m->rv == RV_32 ? (uint32_t)differs : differs) != 0);
}

/* --- loads --- */

/* Whether what a load of `width` bits leaves in a register is what its word says. A narrow value of
 * floating point is boxed by ones; a record may have zeros, as where registers are no wider. */
static bool is_extended(uint64_t value, unsigned width, enum rv_file file, bool zeros)
{
    const uint64_t above = value >> width;
    if (file == RV_FILE_F) {
        return above == 0 || above == UINT64_MAX >> width;
    }
    return value == (zeros ? value & assay_mask(width) : rv_sign_extend(value, width));
}

/* Of two destinations each has the width that is read. The 0 that a record of x0 may have is
 * extended as well. */
static uint64_t derive_extension(const struct stf_model *m, const struct stf_word *word)
{
    const uint64_t info = word->info;
    const unsigned width = 8 * rv_access_bytes(info);
    enum rv_file file;
    unsigned number;
    if (rv_info_reads(info) == 0 || rv_info_access_count(info) != 1 ||
        !stf_loaded_register(word, &file, &number) ||
        !recorded(m->group.destinations, file, number)) {
        return 0;
    }
    const bool of_32 = m->rv == RV_32 && file == RV_FILE_X;
    if (width >= (of_32 ? 32 : 64)) {
        return 0;
    }
    const uint64_t value =
        of_32 ? rv_sign_extend(m->value[file][number], 32) : m->value[file][number];
    return stf_at(inst_32, extension_known, 1) |
           stf_at(inst_32, extension_differs,
                  !is_extended(value, width, file, rv_load_is_unsigned(word->word, info)));
}

/* --- atomics --- */

/* The content of the group's only read, or only write. */
static bool content_of(const struct stf_group *g, unsigned type, uint64_t *content)
{
    const unsigned at = g->first_type == type ? 0 : 1;
    *content = g->content[at];
    return (g->contents_known >> at & 1) != 0;
}

/* What an atomic loads, by the access or by its destination. */
static bool loaded_value(const struct stf_model *m, unsigned rd, uint64_t *loaded)
{
    if (content_of(&m->group, ACCESS_READ, loaded)) {
        return true;
    }
    *loaded = m->value[RV_FILE_X][rd];
    return rd != 0 && recorded(m->group.destinations, RV_FILE_X, rd);
}

/* What an atomic of `bytes` stores. A compare and swap that finds another value may store that
 * again, or nothing. */
static bool stored_value(const struct stf_model *m, uint32_t word, uint64_t info, unsigned bytes,
                         uint64_t *value)
{
    const struct stf_group *g = &m->group;
    const unsigned rd = word >> 7 & 31;
    const unsigned rs2 = word >> 20 & 31;
    const uint32_t sources = g->sources[RV_FILE_X] | 1;
    uint64_t loaded;
    const bool loaded_known = loaded_value(m, rd, &loaded);
    if ((sources >> rs2 & 1) == 0) {
        return false;
    }
    if (rv_info_class(info) == RV_AMO) {
        *value = rv_amo_stores(word, bytes, loaded, g->source_value[rs2]);
        return loaded_known || rv_amo_swaps(word);
    }
    *value = g->source_value[rs2];
    return loaded_known && (sources >> rd & 1) != 0 &&
           ((loaded ^ g->source_value[rd]) & assay_mask(8 * bytes)) == 0;
}

static uint64_t derive_stored(const struct stf_model *m, uint32_t word, uint64_t info,
                              unsigned unit, uint64_t *cells)
{
    enum { BYTES = 1, BITS = 2 };
    const struct stf_group *g = &m->group;
    const unsigned class = rv_info_class(info);
    const unsigned bytes = rv_access_bytes(info);
    const unsigned most = m->rv == RV_32 ? 4 : 8;
    const bool reads = STF_ACCESS_TOTAL(g->access_totals, read_bytes) != 0;
    uint64_t content, value;
    /* One write, and at most one read. */
    if ((class != RV_AMO && class != RV_CAS) || bytes > most || (unit != BYTES && unit != BITS) ||
        g->moves.accesses != 1u + reads || stf_moves_grouped(&g->moves) ||
        !content_of(g, ACCESS_WRITE, &content) || !stored_value(m, word, info, bytes, &value)) {
        return 0;
    }
    cells[INST(result)] = value & assay_mask(8 * bytes);
    return stf_at(inst_32, stored_known, 1) |
           stf_at(inst_32, stored_differs, ((content ^ value) & assay_mask(8 * bytes)) != 0);
}

uint64_t stf_model_results(struct stf_model *m, const struct stf_word *word, unsigned unit,
                           uint64_t *cells)
{
    const uint32_t *destinations = m->group.destinations;
    uint64_t flags = 0;
    if ((destinations[RV_FILE_X] | destinations[RV_FILE_F]) != 0) {
        flags = derive_computed(m, word, cells) | derive_extension(m, word);
    }
    return flags | derive_stored(m, word->word, word->info, unit, cells);
}
