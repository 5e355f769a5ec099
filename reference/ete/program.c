#include "ete/program.h"

#include <string.h>

enum assay_error ete_program_open(struct ete_program *program,
                                  const struct assay_decode_input *input, size_t entries,
                                  size_t size)
{
    assay_image_cursor_open(&program->cursor, input->images);
    program->conditions = input->conditions;
    program->timeline = assay_image_timeline(input->images);
    program->wfx_p0 = (input->parameters->value[ETE_TRCIDR2] >> ETE_WFXMODE_BIT & 1) != 0;
    return assay_run_cache_open(&program->cache, entries,
                                program->timeline != NULL ? sizeof(struct ete_timed_walk) : size);
}

void ete_program_close(struct ete_program *program)
{
    assay_run_cache_close(&program->cache);
}

/* What the cells of a run have of its walk, wherever it is reached. */
static uint64_t facts_of(const struct ete_walk *walk)
{
    return (uint64_t)walk->p0 << LAST_BIT |
           (uint64_t)(walk->conditional && walk->p0 != ETE_P0_NONE) << CONDITIONAL_BIT |
           (uint64_t)(walk->link && walk->p0 != ETE_P0_NONE) << LINK_BIT |
           (uint64_t)walk->last_call << LAST_CALL_BIT;
}

static uint64_t last_of(const struct ete_walk *walk)
{
    return walk->last_word | (uint64_t)walk->last_size << LAST_SIZE_BIT |
           (uint64_t)walk->keeps_flags << KEEPS_FLAGS_BIT |
           (uint64_t)walk->is_return << IS_RETURN_BIT | (uint64_t)walk->call_kind << CALL_KIND_BIT |
           (uint64_t)(walk->form == ARM_FORM_BY_FLAGS) << BY_FLAGS_BIT |
           (uint64_t)(walk->form == ARM_FORM_BY_REGISTER) << BY_REGISTER_BIT |
           (uint64_t)(walk->link || walk->p0 == ETE_P0_INDIRECT) << LEADS_BIT;
}

static struct ete_walk walk_until(struct ete_program *program, const struct ete_walk_from *from,
                                  uint64_t until, uint32_t most)
{
    struct ete_walk walk = ete_walk(&program->cursor, from, until, most);
    walk.facts = facts_of(&walk);
    walk.last = last_of(&walk);
    return walk;
}

static struct ete_walk walk(struct ete_program *program, const struct ete_walk_from *from)
{
    return walk_until(program, from, from->pc - 1, ETE_WALK_PAGE);
}

/* Where memory changes, what is in the cache is used again in its span only; what else it has was
 * not changed, and stays. */
static const struct ete_walk *find_timed_walk(struct ete_program *program,
                                              const struct ete_walk_from *from)
{
    struct assay_image_cursor *cursor = &program->cursor;
    const uint16_t key = ete_walk_key(from);
    struct ete_timed_walk *timed =
        cursor->ambiguous ? NULL
                          : assay_run_cache_find(&program->cache, cursor->number, from->pc, key);
    if (timed != NULL && assay_image_in_span(cursor, &timed->span)) {
        return &timed->walk;
    }
    assay_image_begin_span(cursor);
    const struct ete_walk fresh = walk(program, from);
    timed = cursor->ambiguous ? &program->uncached
                              : assay_run_cache_put(&program->cache, cursor->number, from->pc, key);
    *timed = (struct ete_timed_walk){fresh, cursor->span};
    return &timed->walk;
}

const struct ete_walk *ete_find_walk(struct ete_program *program, const struct ete_walk_from *from)
{
    const uint32_t space = program->cursor.number;
    const uint16_t key = ete_walk_key(from);
    if (program->timeline != NULL) {
        return find_timed_walk(program, from);
    }
    struct ete_walk *found = assay_run_cache_find(&program->cache, space, from->pc, key);
    if (found == NULL) {
        const struct ete_walk fresh = walk(program, from);
        found = assay_run_cache_put(&program->cache, space, from->pc, key);
        memset(found, 0, program->cache.value_size);
        *found = fresh;
    }
    return found;
}

struct ete_walk ete_cut(struct ete_program *program, const struct ete_walk_from *from,
                        const struct ete_walk *whole, uint64_t bytes, uint64_t most)
{
    if (whole->bytes <= bytes && whole->count <= most) {
        return *whole;
    }
    return walk_until(program, from, from->pc + bytes,
                      (uint32_t)(most < ETE_WALK_PAGE ? most : ETE_WALK_PAGE));
}

struct ete_walk ete_walk_one(struct ete_program *program, const struct ete_walk_from *from)
{
    return walk_until(program, from, from->pc - 1, 1);
}
