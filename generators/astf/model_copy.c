/* Range accesses (4.5.2.1): memory copy and set (4.5.2.2), TLB invalidation by range. */
#include "generators/astf/model_machine.h"

enum { GRANULE = 16, LONGEST = 6000, FAULTS = 12, ELEMENT = 16 };

/* A range is tagged or untagged as a whole: where that changes, another one begins. */
static void add_range(struct model *m, uint64_t address, uint64_t size, unsigned how)
{
    struct model_step *s = &m->step;
    struct model_access *open = NULL;
    do {
        const uint64_t room = MODEL_PAGE - address % MODEL_PAGE;
        const uint64_t here = size < room ? size : room;
        const bool tagged = size > 0 && (model_checks(m, how) || (how & MODEL_TAGS) != 0) &&
                            model_tagged(m, address);
        if (open != NULL && open->tagged == tagged) {
            open->size += here;
        } else if (s->count < MODEL_ACCESSES) {
            open = &s->access[s->count++];
            *open = (struct model_access){.address = address,
                                          .size = here,
                                          .read = (how & MODEL_READS) != 0,
                                          .write = (how & MODEL_WRITES) != 0,
                                          .tagged = tagged,
                                          .range = true};
        }
        address += here;
        size -= here;
    } while (size > 0);
}

static bool is_copy(const struct model_template *t)
{
    return (t->how & MODEL_READS) != 0;
}

/* The read range comes before the written one. */
static void add_ranges(struct model *m, uint64_t size)
{
    const unsigned how = m->step.template->how;
    if (is_copy(m->step.template)) {
        add_range(m, m->now.copy.from, size, how & ~(unsigned)MODEL_WRITES);
    }
    add_range(m, m->now.copy.to, size, how & ~(unsigned)MODEL_READS);
    m->now.copy.from += size;
    m->now.copy.to += size;
    m->now.copy.left -= size;
}

static void begin(struct model *m)
{
    const bool tags = (m->step.template->how & MODEL_TAGS) != 0;
    const uint64_t unit = tags ? GRANULE : 1;
    m->now.copy.left = model_chance(m, 4) ? 0 : model_draw(m, LONGEST / unit) * unit;
    m->now.copy.from = model_data(m, unit, true);
    m->now.copy.to = model_data(m, unit, true);
}

/* A part of what is left: nothing, all, or something in between. */
static uint64_t part(struct model *m, bool all)
{
    const uint64_t unit = (m->step.template->how & MODEL_TAGS) != 0 ? GRANULE : 1;
    if (all) {
        return m->now.copy.left;
    }
    return model_chance(m, 3) ? 0 : model_draw(m, m->now.copy.left / unit + 1) * unit;
}

/* The access that faulted: at the source or at the destination, after what was done. */
static void fault(struct model *m)
{
    const struct model_template *t = m->step.template;
    const bool at_source = is_copy(t) && model_chance(m, 2);
    const uint64_t size = m->now.copy.left < ELEMENT ? m->now.copy.left : ELEMENT;
    model_fault(m, at_source ? m->now.copy.from : m->now.copy.to, size,
                t->how & ~(unsigned)(at_source ? MODEL_WRITES : MODEL_READS));
}

/* Prologue, main and epilogue may split the work in any way. If main or epilogue is reached in
 * another way, the registers say that nothing is left, or are not valid for the instruction. */
void model_run_copy(struct model *m)
{
    const struct model_template *t = m->step.template;
    const unsigned stage = m->step.word >> (is_copy(t) ? 22 : 14) & 3;
    const bool goes_on = m->now.copy.next_pc == m->step.pc;
    if (!goes_on) {
        begin(m);
        m->now.copy.left = stage == 0 ? m->now.copy.left : 0;
    }
    if (stage > 0 && model_chance(m, goes_on ? 60 : 6)) {
        m->now.copy.next_pc = 0;
        model_raise(m, MODEL_EC_MOPS, m->step.pc - 4 * stage);
        return;
    }
    const uint64_t now = part(m, stage == 2);
    if (m->now.copy.left > 0 && model_chance(m, FAULTS)) {
        const uint64_t done = now < m->now.copy.left ? now : 0;
        if (done > 0) {
            add_ranges(m, done);
        }
        fault(m);
        m->now.copy.next_pc = m->step.pc;
        return;
    }
    add_ranges(m, now);
    m->now.copy.next_pc = stage < 2 ? m->step.pc + 4 : 0;
}

void model_run_range(struct model *m)
{
    const uint64_t base = model_data(m, MODEL_PAGE, true);
    add_range(m, base, (1 + model_draw(m, 64)) * MODEL_PAGE, 0);
}
