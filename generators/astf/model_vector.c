/* Accesses of SVE and SME: predicated vectors, suppressed faults, ZA (4.5, 4.5.2). */
#include "generators/astf/model_machine.h"

enum { TRAPS = 150, SCATTERED = 64 };

/* Which elements are active: bit e % 64 of the pattern, of the first elements only unless all are.
 */
struct pattern {
    bool all;
    uint64_t bits;
};

static struct pattern draw_pattern(struct model *m)
{
    switch (model_draw(m, 6)) {
    case 0:
        return (struct pattern){.bits = 0};
    case 1:
        return (struct pattern){.bits = assay_random(&m->random)};
    case 2: /* the first ones, as a loop's last round has them */
        return (struct pattern){.bits = (UINT64_C(1) << model_draw(m, SCATTERED)) - 1};
    default:
        return (struct pattern){.all = true};
    }
}

static bool is_active(struct pattern p, unsigned element)
{
    return p.all || (element < SCATTERED && (p.bits >> element & 1) != 0);
}

static bool lacks_streaming(struct model *m, bool needs_mode)
{
    if (m->za && (m->sm || !needs_mode)) {
        return false;
    }
    model_raise(m, MODEL_EC_SME, m->step.pc + 4);
    return true;
}

/* Instructions that trap because SVE is disabled, or because they are illegal in Streaming SVE
 * mode. */
static bool lacks_sve(struct model *m)
{
    const bool illegal =
        m->sm && (m->step.template->how & (MODEL_GATHER | MODEL_FIRST | MODEL_NEVER)) != 0;
    if (illegal || model_chance(m, TRAPS)) {
        model_raise(m, illegal ? MODEL_EC_SME : MODEL_EC_SVE, m->step.pc + 4);
        return true;
    }
    return false;
}

/* `elements` of a vector in memory, each of `size` bytes; those that are active. */
static unsigned place_elements(struct model *m, unsigned elements, uint64_t size)
{
    const bool gather = (m->step.template->how & MODEL_GATHER) != 0;
    const struct pattern active = draw_pattern(m);
    const uint64_t base = model_data(m, elements * size, false);
    unsigned count = 0;
    for (unsigned e = 0; e < elements; e++) {
        if (is_active(active, e)) {
            m->element[count++] = gather ? model_data(m, size, false) : base + e * size;
        }
    }
    return count;
}

void model_run_vector(struct model *m)
{
    const struct model_template *t = m->step.template;
    if (lacks_sve(m)) {
        return;
    }
    const unsigned elements = model_vector_bytes(m) >> t->element_log2;
    const uint64_t size = (uint64_t)(t->count == 0 ? 1 : t->count) << t->log2;
    model_touch_each(m, place_elements(m, elements, size), size, t->how);
}

/* One element, or the elements of one block of 16 bytes, for all of the vector. */
void model_run_replicate(struct model *m)
{
    const struct model_template *t = m->step.template;
    if (!lacks_sve(m)) {
        const unsigned elements = t->element_log2 > 3 ? 16u >> t->log2 : 1;
        const uint64_t size = UINT64_C(1) << t->log2;
        model_touch_each(m, place_elements(m, elements, size), size, t->how);
    }
}

/* All of a vector, or of a predicate, which has a bit for each byte. */
void model_run_spill(struct model *m)
{
    const struct model_template *t = m->step.template;
    if (!lacks_sve(m)) {
        const uint64_t size = model_vector_bytes(m) >> t->log2;
        m->element[0] = model_data(m, size, false);
        model_touch_each(m, 1, size, t->how);
    }
}

void model_run_vector_prefetch(struct model *m)
{
    const struct model_template *t = m->step.template;
    if (!lacks_sve(m)) {
        const uint64_t size = UINT64_C(1) << t->log2;
        const unsigned count = place_elements(m, model_vector_bytes(m) >> t->element_log2, size);
        for (unsigned i = 0; i < count; i++) {
            model_touch(m, m->element[i], size, 0);
        }
    }
}

/* The index is the sum of a register, selected by bits [14:13] from the four from `first` on, and
 * an offset; it wraps. */
static void set_index(struct model *m, unsigned first, uint32_t offset, uint64_t vectors)
{
    const unsigned selector = first - MODEL_FIRST_SELECTOR + (m->step.word >> 13 & 3);
    m->step.za = true;
    m->step.index = (uint8_t)((m->now.selector[selector] + offset) % vectors);
}

/* LDR and STR of a ZA vector need ZA, but not the mode. */
void model_run_za(struct model *m)
{
    if (!lacks_streaming(m, false)) {
        const uint64_t size = model_streaming_bytes(m);
        set_index(m, 12, m->step.word & 0xf, size);
        m->element[0] = model_data(m, size, false);
        model_touch_each(m, 1, size, m->step.template->how);
    }
}

void model_run_slice(struct model *m)
{
    const struct model_template *t = m->step.template;
    if (!lacks_streaming(m, true)) {
        const unsigned elements = model_streaming_bytes(m) >> t->element_log2;
        const uint64_t size = UINT64_C(1) << t->log2;
        set_index(m, 12, m->step.word & ((16u >> t->element_log2) - 1), elements);
        model_touch_each(m, place_elements(m, elements, size), size, t->how);
    }
}

/* ZT0, which always has 64 bytes; and instructions that clear ZA. */
void model_run_zt0(struct model *m)
{
    const struct model_template *t = m->step.template;
    if (!lacks_streaming(m, false) && (t->how & (MODEL_READS | MODEL_WRITES)) != 0) {
        m->element[0] = model_data(m, UINT64_C(1) << t->log2, false);
        model_touch_each(m, 1, UINT64_C(1) << t->log2, t->how);
    }
}

/* MOVA between vectors and a tile of bytes; the offset is where the tile is in other words. */
void model_run_za_index(struct model *m)
{
    const unsigned low = (m->step.word & 0x20000) != 0 ? 5 : 0;
    if (!lacks_streaming(m, true)) {
        set_index(m, 12, m->step.word >> low & 0xf, model_streaming_bytes(m));
    }
}

/* Operations on groups of two vectors, one in each half of ZA. */
void model_run_za_group(struct model *m)
{
    if (!lacks_streaming(m, true)) {
        set_index(m, 8, m->step.word & 7, model_streaming_bytes(m) / 2);
    }
}

void model_run_streaming(struct model *m)
{
    (void)lacks_streaming(m, true);
}
