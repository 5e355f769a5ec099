/* The program, as walks from where an analyzer is: found in a cache, or walked (walk.h) and put
 * into it. */
#ifndef ASSAY_ETE_PROGRAM_H
#define ASSAY_ETE_PROGRAM_H

#include "ete/executed.h"
#include "ete/walk.h"

/* A walk through a program whose memory changes: it is what it was in the span. */
struct ete_timed_walk {
    struct ete_walk walk;
    struct assay_image_span span;
};

struct ete_program {
    struct assay_image_cursor cursor;          /* in the space that the program is in */
    const struct assay_conditions *conditions; /* of rules, or null */
    ete_note *note;                            /* of its walks, or null */
    struct assay_run_cache cache; /* of values that begin with a struct ete_walk; with a timeline of
                                     struct ete_timed_walk */
    const struct assay_timeline *timeline; /* of the program's memory; null: it does not change */
    struct ete_timed_walk uncached;        /* one that is in no cache */
    bool wfx_p0;                           /* TRCIDR2.WFXMODE */
};

/* With a cache of so many values of `size` bytes, which begin with a struct ete_walk.
 * ASSAY_NO_MEMORY. It must be closed even when this fails. */
enum assay_error ete_program_open(struct ete_program *program,
                                  const struct assay_decode_input *input, size_t entries,
                                  size_t size);
void ete_program_close(struct ete_program *program);

/* A place in the program. */
struct ete_position {
    uint64_t address;
    bool is1;        /* T32 */
    uint8_t covered; /* of it: instructions from here on that an IT can cover, at the most */
};

/* Where a walk begins: at a place, in an instruction set. */
static inline struct ete_walk_from ete_walk_from(const struct ete_program *program,
                                                 const struct ete_position *at, enum arm_set set)
{
    return (struct ete_walk_from){.pc = at->address,
                                  .set = set,
                                  .covered = set == ARM_T32 ? at->covered : 0,
                                  .wfx_p0 = program->wfx_p0,
                                  .conditions = program->conditions,
                                  .note = program->note};
}

/* The key of a walk in the cache besides its address. */
static inline uint16_t ete_walk_key(const struct ete_walk_from *from)
{
    return (uint16_t)(from->set | (unsigned)from->covered << 2);
}

/* The walk from a place. It is valid until the next one is sought. */
const struct ete_walk *ete_find_walk(struct ete_program *program, const struct ete_walk_from *from);

/* The same walk, cut at a number of bytes, or of instructions. */
struct ete_walk ete_cut(struct ete_program *program, const struct ete_walk_from *from,
                        const struct ete_walk *whole, uint64_t bytes, uint64_t most);

/* One instruction, as a walk. */
struct ete_walk ete_walk_one(struct ete_program *program, const struct ete_walk_from *from);

static inline uint64_t ete_address_mask(enum arm_set set)
{
    return set == ARM_A64 ? UINT64_MAX : UINT32_MAX;
}

/* Where the last instruction of a walk is. It begins in the page where the walk does. */
static inline uint64_t ete_last_of(const struct ete_walk *walk, uint64_t begin)
{
    return begin + walk->bytes - walk->last_size;
}

static inline struct ete_position ete_target_of(const struct ete_walk *walk)
{
    return (struct ete_position){.address = walk->target, .is1 = walk->target_set == ARM_T32};
}

/* The place after a walk from another one, in memory. */
static inline struct ete_position ete_after(const struct ete_position *at, enum arm_set set,
                                            const struct ete_walk *walk)
{
    return (struct ete_position){.address = (at->address + walk->bytes) & ete_address_mask(set),
                                 .is1 = at->is1,
                                 .covered = walk->covered};
}

/* What the event of a run says of its walk: where that begins, in which context (`where` and `ids`
 * as ETE_WHERE and ETE_CONTEXT_IDS have them), and what it consists of. */
static inline void ete_say_walk(const struct ete_program *program, const struct ete_walk_from *from,
                                const struct ete_walk *walk, uint64_t where, uint64_t ids,
                                uint64_t *cells)
{
    cells[ETE_RUN_FLAGS] = where | walk->facts | (uint64_t)from->covered << COVERED_BIT;
    cells[ETE_RUN_ADDRESS] = from->pc;
    cells[ETE_RUN_END] = (from->pc + walk->bytes) & ete_address_mask(from->set);
    cells[ETE_RUN_COUNT] = walk->count | (uint64_t)program->cursor.number << SPACE_BIT;
    cells[ETE_RUN_CONTEXT] = ids;
    cells[ETE_RUN_LAST_WORD] = walk->last;
    cells[ETE_MET] = walk->met;
    cells[ETE_WRITTEN] = walk->written;
}

#endif
