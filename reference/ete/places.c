/* Where a run has its first instruction of each sort that none should have, and which word that is.
 * Few runs have one, and only these come here: their walks are left to the slower way through the
 * cache (find_cached in follow.c). */
#include "ete/run.h"

/* A sort: its first instruction, as a walk has it, and where a run says it. */
static void say(struct ete_analyse *a, unsigned first, unsigned at_bit, unsigned word_cell,
                unsigned word_bit, uint64_t *cells)
{
    uint32_t word = 0;
    if (first != 0) {
        const uint64_t at = first - 1U;
        (void)ete_read_instruction(&a->cursor, a->at.address + at, ete_set(a), &word);
        cells[ETE_PLACES] |= at << at_bit;
        cells[word_cell] |= (uint64_t)word << word_bit;
    }
}

#define SAY(sort, first)                                                                           \
    say(a, first, ETE_BIT_run_##sort##_at, ETE_CELL_run_##sort##_word, ETE_BIT_run_##sort##_word,  \
        cells)

void ete_say_places(struct ete_analyse *a, const struct ete_walk *walk, uint64_t *cells)
{
    SAY(undefined, walk->undefined);
    SAY(unallocated, walk->unallocated);
    SAY(breakpoint, walk->breakpoint);
    SAY(privileged, ete_privileged(a, walk));
    cells[ETE_PLACES] |= (uint64_t)(walk->tcancel - (walk->tcancel != 0)) << ETE_BIT_run_tcancel_at;
}
