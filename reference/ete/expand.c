/* Runs of Atom elements, as the elements that they stand for: K10.5 has one for each atom, and the
 * Commit elements that no packet says (K10.5.2.18.3). */
#include "ete/ete.h"

static void expand_to(struct assay_expansion *expansion, const struct assay_event *run,
                      enum ete_kind kind)
{
    expansion->event.kind = (uint16_t)kind;
    expansion->event.offset = run->offset;
    expansion->event.from = run->from;
    memset(expansion->cells, 0, sizeof expansion->cells);
}

/* Atom, Commit, Atom, Commit ...: `at` is twice the number of the atom, plus 1 for its Commit. */
bool ete_expand_elements(const struct assay_event *run, struct assay_expansion *expansion)
{
    const uint64_t *of = run->cells;
    const uint64_t atoms = of[ETE_CELL_elem_atoms_atoms];
    const uint64_t alone = atoms - of[ETE_CELL_elem_atoms_commits]; /* atoms without a Commit */
    const uint64_t n = expansion->at / 2;
    const bool is_commit = expansion->at % 2 == 1;
    if (n >= atoms) {
        return false;
    }
    /* The first Commit brings the depth to the most that it may be, the others keep it. */
    const uint64_t most = of[ETE_CELL_elem_atoms_depth] + atoms - of[ETE_CELL_elem_atoms_committed];
    const uint64_t depth = n > alone ? most : of[ETE_CELL_elem_atoms_depth] + n;
    expand_to(expansion, run, is_commit ? ETE_elem_commit : ETE_elem_atom);
    uint64_t *cells = expansion->cells;
    cells[ETE_CELL_elem_atom_depth] = depth + is_commit;
    cells[ETE_CELL_elem_atom_p0_before] = of[ETE_CELL_elem_atoms_p0_before] + n + is_commit;
    cells[ETE_ELEMENT_FLAGS] = of[ETE_ELEMENT_FLAGS];
    if (is_commit) {
        cells[ETE_CELL_elem_commit_count] = depth + 1 - most;
        cells[ETE_CELL_elem_commit_implicit] = 1;
    } else {
        cells[ETE_CELL_elem_atom_taken] = of[ETE_CELL_elem_atoms_taken] >> n & 1;
    }
    expansion->at += is_commit || n >= alone ? 1 : 2;
    return true;
}

bool ete_expand_resolved(const struct assay_event *run, struct assay_expansion *expansion)
{
    const uint64_t n = expansion->number;
    if (n >= run->cells[ETE_CELL_resolved_atoms_atoms]) {
        return false;
    }
    expand_to(expansion, run, ETE_resolved_atom);
    expansion->cells[ETE_CELL_resolved_atom_taken] =
        run->cells[ETE_CELL_resolved_atoms_taken] >> n & 1;
    expansion->cells[ETE_SAYS_MOST] = run->cells[ETE_SAYS_MOST];
    return true;
}
