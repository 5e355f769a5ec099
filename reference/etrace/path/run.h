/* A part of the program that the path passes, and what its run says. Inline, as much of the time of
 * the path is spent here. */
#ifndef ASSAY_ETRACE_RUN_H
#define ASSAY_ETRACE_RUN_H

#include <string.h>

#include "etrace/path/loops.h"
#include "etrace/path/path.h"

/* A part of the program that was executed. */
struct etrace_part {
    uint64_t address;
    uint32_t count;
    const struct etrace_instruction *last;
    const struct etrace_cached_walk *whole; /* a walk in the cache; null: another part */
    struct etrace_preceding before;
    enum etrace_entered entered;
    enum etrace_stopped stopped;
    enum etrace_outcome outcome;
    bool mispredicted;
    bool second_pass; /* entered by a report that an earlier packet made */
};

static inline uint64_t etrace_limited(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

static inline uint64_t etrace_facts_of(const struct etrace_instruction *last)
{
    return (uint64_t)last->flow << LAST_BIT | (uint64_t)last->call << CALL_BIT;
}

/* What the cells from ETRACE_RUN_LAST_WORD on say of a part. */
static inline void etrace_say_part(uint64_t *says, const struct etrace_instruction *last,
                                   uint64_t address, uint32_t count, uint32_t space)
{
    says[ETRACE_RUN_LAST_WORD - ETRACE_RUN_LAST_WORD] = last->word;
    says[ETRACE_RUN_LAST_ADDRESS - ETRACE_RUN_LAST_WORD] = last->pc;
    says[ETRACE_RUN_ADDRESS - ETRACE_RUN_LAST_WORD] = address;
    says[ETRACE_RUN_END - ETRACE_RUN_LAST_WORD] = last->pc + last->size;
    says[ETRACE_RUN_COUNT - ETRACE_RUN_LAST_WORD] = count | (uint64_t)space << SPACE_BIT;
}

/* What the state of the path says of a run: what stays the same from branch to branch, and what
 * does not, with so many outcomes left. */
static inline uint64_t etrace_steady_facts(const struct etrace_path *p)
{
    return (uint64_t)p->privilege | etrace_limited(p->calls.depth, UINT16_MAX) << DEPTH_BIT;
}

static inline uint64_t etrace_changing_facts(const struct etrace_path *p, uint64_t outcomes,
                                             enum etrace_entered entered)
{
    return (uint64_t)entered << ENTERED_BIT | etrace_limited(outcomes, 63) << PENDING_BIT |
           (uint64_t)p->branches.wrong << WRONG_BIT;
}

/* The run of a walk, with what the path says of it. The path itself does not move. */
static inline uint64_t *etrace_add_walk(struct etrace_path *p, const struct assay_event *packet,
                                        const struct etrace_cached_walk *walk, uint64_t facts)
{
    uint64_t *cells = assay_step_add_cells(&p->base, ETRACE_run, packet, ETRACE_INSTRUCTION_CELLS);
    cells[ETRACE_RUN_FLAGS] = facts | walk->facts;
    memcpy(&cells[ETRACE_RUN_LAST_WORD], walk->says, sizeof walk->says);
    cells[ETRACE_RUN_CONTEXT] = p->context;
    cells[ETRACE_MET] = walk->walk.met;
    etrace_repeats_pass(p, packet, cells);
    return cells;
}

/* The conditions of rules that instructions of a part meet. */
static inline uint64_t etrace_part_met(struct etrace_path *p, const struct etrace_part *part)
{
    const uint32_t space = p->cursor.number;
    struct etrace_part_met *found = &p->parts_met[part->last->pc / 2 % ETRACE_PARTS_MET];
    if (found->address != part->address || found->count != part->count || found->space != space) {
        *found = (struct etrace_part_met){
            part->address, part->count, space,
            etrace_met(&p->cursor, part->address, part->count, &p->reading)};
    }
    return found->met;
}

/* The same of a part of one. */
static inline uint64_t *etrace_add_part(struct etrace_path *p, const struct assay_event *packet,
                                        const struct etrace_part *part, uint64_t facts)
{
    struct etrace_cached_walk walk = {.facts = etrace_facts_of(part->last)};
    walk.walk.met = etrace_part_met(p, part);
    etrace_say_part(walk.says, part->last, part->address, part->count, p->cursor.number);
    return etrace_add_walk(p, packet, &walk, facts);
}

/* The run up to an instruction, and the facts that each run has. Returns its cells. The path is at
 * the instruction then. */
static inline uint64_t *etrace_add_passed(struct etrace_path *p, const struct assay_event *packet,
                                          const struct etrace_part *part)
{
    const uint64_t facts =
        etrace_steady_facts(p) |
        etrace_changing_facts(p, etrace_branches_count(&p->branches), part->entered);
    uint64_t *cells = part->whole != NULL ? etrace_add_walk(p, packet, part->whole, facts)
                                          : etrace_add_part(p, packet, part, facts);
    p->last = *part->last;
    p->before = part->before;
    return cells;
}

#endif
