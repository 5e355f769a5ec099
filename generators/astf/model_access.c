/* Accesses of general-purpose, SIMD&FP and tag instructions (4.5.2). */
#include "generators/astf/model_machine.h"

enum { DATA_BEHIND = 16, PAGE_END = 6, FAULTS = 30, MISALIGNED = 24 };

/* An address in the data of the current program. Now and then it is near the end of a page. */
uint64_t model_data(struct model *m, uint64_t size, bool aligned)
{
    const uint64_t base = model_program_of(m, &m->now)->base + DATA_BEHIND * MODEL_PAGE;
    const uint64_t page = base + model_draw(m, MODEL_DATA_PAGES) * MODEL_PAGE;
    if (aligned) {
        return page + model_draw(m, MODEL_PAGE / size) * size;
    }
    if (model_chance(m, PAGE_END)) {
        return page + MODEL_PAGE - model_draw(m, size < MODEL_PAGE ? size + 1 : MODEL_PAGE);
    }
    return page + model_draw(m, MODEL_PAGE);
}

/* Every other page holds tags. */
bool model_tagged(const struct model *m, uint64_t address)
{
    return m->mte >= 2 && (address / MODEL_PAGE) % 2 != 0;
}

/* The base of the access is SP. */
static bool has_stack_pointer(const struct model *m)
{
    return (m->step.word >> 5 & 0x1f) == 31;
}

/* Accesses are Tag Unchecked while PSTATE.TCO is set, and through SP with an immediate offset. */
bool model_checks(const struct model *m, unsigned how)
{
    return (how & MODEL_CHECKED) != 0 && !m->now.tco &&
           (!has_stack_pointer(m) || (how & MODEL_ANY_BASE) != 0);
}

static void add(struct model *m, const struct model_access *a)
{
    struct model_step *s = &m->step;
    struct model_access *last = s->count > 0 ? &s->access[s->count - 1] : NULL;
    if (last != NULL && !last->range && !last->whole && last->read == a->read &&
        last->write == a->write && last->tagged == a->tagged && !a->whole &&
        last->address + last->size == a->address && a->address % MODEL_PAGE != 0) {
        last->size += a->size;
    } else if (s->count < MODEL_ACCESSES) {
        s->access[s->count++] = *a;
    }
}

/* An access that took place. Pages are apart in physical memory, so it is split at each page; what
 * continues the access before it in its page is merged with that. */
void model_touch(struct model *m, uint64_t address, uint64_t size, unsigned how)
{
    while (size > 0) {
        const uint64_t room = MODEL_PAGE - address % MODEL_PAGE;
        const uint64_t here = size < room ? size : room;
        add(m, &(struct model_access){.address = address,
                                      .size = here,
                                      .read = (how & MODEL_READS) != 0,
                                      .write = (how & MODEL_WRITES) != 0,
                                      .tagged = (model_checks(m, how) || (how & MODEL_TAGS) != 0) &&
                                                model_tagged(m, address)});
        address += here;
        size -= here;
    }
}

/* Whether an access can take a Tag Check Fault, in the mode of the level. */
static bool checks_at_once(const struct model *m, unsigned how)
{
    const unsigned mode = model_tcf(m);
    return model_checks(m, how) && (mode == 1 || (mode == 3 && (how & MODEL_WRITES) == 0));
}

/* An access that did not take place (4.5.3.2, and suppressed faults of 4.5.2): neither read nor
 * written, and tagged only if its tag check failed. */
static void add_failed(struct model *m, uint64_t address, uint64_t size, unsigned how)
{
    const bool by_tag = checks_at_once(m, how) && model_tagged(m, address) && model_chance(m, 2);
    add(m,
        &(struct model_access){.address = address, .size = size, .tagged = by_tag, .whole = true});
}

void model_fault(struct model *m, uint64_t address, uint64_t size, unsigned how)
{
    add_failed(m, address, size, how);
    model_raise(m, MODEL_EC_DATA, m->step.pc);
}

/* Accesses of one size at the addresses in `element`. One may fault: then those before it have
 * taken place, and it ends the instruction, or the load when its faults are suppressed. */
void model_touch_each(struct model *m, unsigned count, uint64_t size, unsigned how)
{
    const unsigned times = (how & (MODEL_FIRST | MODEL_NEVER)) != 0 ? 3 : FAULTS;
    const unsigned faulty =
        model_chance(m, times) && count > 0 ? (unsigned)model_draw(m, count) : count;
    for (unsigned i = 0; i < count && i < faulty; i++) {
        model_touch(m, m->element[i], size, how);
    }
    if (faulty < count) {
        if ((how & MODEL_NEVER) != 0 || ((how & MODEL_FIRST) != 0 && faulty > 0)) {
            add_failed(m, m->element[faulty], size, how);
        } else {
            model_fault(m, m->element[faulty], size, how);
        }
    }
}

static unsigned registers(const struct model_template *t)
{
    return t->count == 0 ? 1 : t->count;
}

static void access_at(struct model *m, uint64_t address, unsigned how)
{
    const struct model_template *t = m->step.template;
    for (unsigned i = 0; i < registers(t); i++) {
        m->element[i] = address + i * t->bytes;
    }
    model_touch_each(m, registers(t), t->bytes, how);
}

/* The address of an access that has to be aligned; false if it isn't, and the access faulted. */
static bool aligned_address(struct model *m, uint64_t *address)
{
    const struct model_template *t = m->step.template;
    const uint64_t size = (uint64_t)t->bytes * registers(t);
    *address = model_data(m, size, true);
    if (size > 1 && model_chance(m, MISALIGNED)) {
        model_fault(m, *address + 1, size, t->how & ~(unsigned)MODEL_CHECKED);
        return false;
    }
    return true;
}

void model_run_access(struct model *m)
{
    const struct model_template *t = m->step.template;
    uint64_t address;
    if (m->sm && (t->class == A64_LOAD_STRUCTURE || t->class == A64_STORE_STRUCTURE)) {
        model_raise(m, MODEL_EC_SME, m->step.pc + 4);
    } else if (t->needs == MODEL_LS64 && m->now.el < 2 && model_chance(m, 6)) {
        model_raise(m, MODEL_EC_LS64, m->step.pc + 4);
    } else if (has_stack_pointer(m) && model_chance(m, 12)) {
        model_raise(m, MODEL_EC_SP, m->step.pc + 4);
    } else if ((t->how & MODEL_ALIGNED) != 0) {
        if (aligned_address(m, &address)) {
            access_at(m, address, t->how);
        }
    } else {
        access_at(m, model_data(m, (uint64_t)t->bytes * registers(t), false), t->how);
    }
}

/* PC-relative accesses are never Tag Checked. */
void model_run_literal(struct model *m)
{
    const struct model_template *t = m->step.template;
    const uint32_t offset = (m->step.word >> 5 & 0x7ffff) << 2;
    const uint64_t address = m->step.pc + offset - ((uint64_t)(offset >> 20 & 1) << 21);
    access_at(m, address, t->how);
}

void model_run_exclusive_load(struct model *m)
{
    const struct model_template *t = m->step.template;
    uint64_t address;
    if (aligned_address(m, &address)) {
        access_at(m, address, t->how);
        m->exclusive = !m->step.trap;
        m->exclusive_address = address;
        m->exclusive_size = t->bytes * registers(t);
    }
}

static void store_or_fail(struct model *m, uint64_t address, bool stores)
{
    const struct model_template *t = m->step.template;
    const unsigned size = t->bytes * registers(t);
    if (stores) {
        access_at(m, address, t->how);
    } else {
        model_touch(m, address, size, t->how & ~(unsigned)MODEL_WRITES);
    }
}

/* Without the monitor a store exclusive fails, and with it, it may. */
void model_run_exclusive_store(struct model *m)
{
    const struct model_template *t = m->step.template;
    const bool armed = m->exclusive && m->exclusive_size == (unsigned)t->bytes * registers(t);
    uint64_t address = m->exclusive_address;
    if (armed || aligned_address(m, &address)) {
        m->exclusive = false;
        store_or_fail(m, address, armed && !model_chance(m, 4));
    }
}

void model_run_compare_and_swap(struct model *m)
{
    const struct model_template *t = m->step.template;
    const unsigned fails = model_chance(m, 2) ? MODEL_WRITES : 0;
    uint64_t address;
    if (!aligned_address(m, &address)) {
        return;
    }
    for (unsigned i = 0; i < registers(t); i++) {
        model_touch(m, address + i * t->bytes, t->bytes, t->how & ~fails);
    }
}

void model_run_conditional_store(struct model *m)
{
    uint64_t address;
    if (m->now.el < 2 && model_chance(m, 6)) {
        model_raise(m, MODEL_EC_LS64, m->step.pc + 4);
    } else if (aligned_address(m, &address)) {
        store_or_fail(m, address, !model_chance(m, 3));
    }
}

/* Operations on an address have no size; one byte is recorded. */
void model_run_prefetch(struct model *m)
{
    add(m, &(struct model_access){.address = model_data(m, 64, false), .size = 1, .whole = true});
}

void model_run_address(struct model *m)
{
    model_run_prefetch(m);
    if (model_chance(m, FAULTS)) {
        model_raise(m, MODEL_EC_DATA, m->step.pc);
    }
}

/* DC ZVA, GVA, GZVA. One that only stores tags does nothing where there are none. */
void model_run_block(struct model *m)
{
    const struct model_template *t = m->step.template;
    const uint64_t address = model_data(m, m->zva_bytes, true);
    const bool only_tags = t->class == A64_DC_GVA;
    if (only_tags && !model_tagged(m, address)) {
        return;
    }
    if (model_chance(m, FAULTS)) {
        model_fault(m, address, m->zva_bytes < 256 ? m->zva_bytes : 256, t->how);
    } else {
        model_touch(m, address, m->zva_bytes, t->how);
        m->step.data_unseen = only_tags;
    }
}

/* Tags are loaded and stored where memory has them; elsewhere nothing is accessed. */
void model_run_tags(struct model *m)
{
    const struct model_template *t = m->step.template;
    const uint64_t address = model_data(m, t->bytes, true);
    m->step.data_unseen = true;
    if (!model_tagged(m, address)) {
        return;
    }
    if (model_chance(m, FAULTS)) {
        model_fault(m, address, t->bytes, t->how);
    } else {
        model_touch(m, address, t->bytes, t->how);
    }
}

void model_run_tagged_store(struct model *m)
{
    const struct model_template *t = m->step.template;
    const uint64_t address = model_data(m, t->bytes, true);
    if (model_chance(m, FAULTS)) {
        model_fault(m, address, t->bytes, t->how);
    } else {
        model_touch(m, address, t->bytes, t->how);
    }
}
