/* Runs, as the events that they stand for: of Atom elements, as K10.5 has one for each atom, and
 * the Commit elements that no packet says (K10.5.2.18.3); and of instructions. */
#include <elf.h>
#include <string.h>

#include "ete/analyse.h"

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

/* --- instructions --- */

uint64_t ete_again(struct assay_image_cursor *cursor, const uint64_t *run, uint64_t offset)
{
    const uint64_t mask = ete_address_mask(ete_set_of(run));
    const struct assay_moments moments = {(uint32_t)run[ETE_RUN_MOMENTS],
                                          (uint32_t)(run[ETE_RUN_MOMENTS] >> 32)};
    assay_image_select_again(cursor, (uint32_t)(run[ETE_RUN_COUNT] >> SPACE_BIT), moments);
    return (run[ETE_RUN_ADDRESS] + offset) & mask;
}

enum { WHERE = 0x3f };

/* The position in a run that is expanded: bytes, instructions that an IT covers, and whether a
 * TCOMMIT was among those before. */
enum { AT_COVERED = 16, AT_COMMITTED = 19, COVERED = 7 };

bool ete_expand_run(struct assay_stage *stage, const struct assay_event *run,
                    struct assay_expansion *expansion)
{
    struct ete_analyse *a = (struct ete_analyse *)stage;
    const uint64_t *of = run->cells;
    const uint64_t at = expansion->number == 0
                            ? (of[ETE_RUN_FLAGS] >> COVERED_BIT & COVERED) << AT_COVERED
                            : expansion->at;
    const bool committed = (at >> AT_COMMITTED & 1) != 0;
    if (expansion->number >= ete_count_of(of)) {
        return false;
    }
    const struct ete_place place = {.pc = ete_again(&a->shown, of, at & UINT16_MAX),
                                    .set = ete_set_of(of),
                                    .covered = (uint8_t)(at >> AT_COVERED & COVERED)};
    const struct ete_decoded instruction = ete_decode_instruction(&a->shown, &place);
    if (instruction.size == 0) {
        return false;
    }
    memset(expansion->cells, 0, ETE_STATIC_CELLS * sizeof *expansion->cells);
    ete_say_static(&instruction, expansion->cells);
    ete_say_in_run(expansion->number + 1 == ete_count_of(of), committed, expansion->cells);
    expansion->cells[ETE_RUN_FLAGS] |= of[ETE_RUN_FLAGS] & WHERE;
    expansion->cells[ETE_RUN_CONTEXT] = of[ETE_RUN_CONTEXT];
    expansion->event.kind = ETE_instruction;
    expansion->event.offset = run->offset;
    expansion->event.from = run->from;
    expansion->at =
        ((at & UINT16_MAX) + instruction.size) | (uint64_t)instruction.covered_after << AT_COVERED |
        (uint64_t)(committed || instruction.flow.kind == ARM_FLOW_TCOMMIT) << AT_COMMITTED;
    return true;
}

bool ete_instruction(const struct assay_event *event, struct assay_instruction *instruction)
{
    const uint64_t *cells = event->cells;
    if (event->kind != ETE_run && event->kind != ETE_instruction) {
        return false;
    }
    const enum arm_set set = ete_set_of(cells);
    const bool last = event->kind == ETE_run;
    const uint32_t word = (uint32_t)cells[last ? ETE_RUN_LAST_WORD : ETE_INSTRUCTION_WORD];
    const uint8_t size = set == ARM_T32 && word <= UINT16_MAX ? 2 : 4;
    *instruction = (struct assay_instruction){.address = last ? cells[ETE_RUN_END] - size
                                                              : cells[ETE_RUN_ADDRESS],
                                              .word = word,
                                              .machine = set == ARM_A64 ? EM_AARCH64 : EM_ARM,
                                              .bytes = size,
                                              .width = set == ARM_A64 ? 64 : 32,
                                              .thumb = set == ARM_T32};
    return true;
}
