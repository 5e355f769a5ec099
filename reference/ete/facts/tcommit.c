/* A transaction that was not committed leaves nothing to analyse. Whether it should have been is
 * seen by its TCOMMIT (Table K10-16): where that was executed the transaction ended, and a
 * Transaction Commit element comes before the next P0 element. */
#include "ete/facts/tcommit.h"

#include "isa/arm_flow.h"

/* Instructions for which a transaction is followed: its atoms come from the stream, and how much of
 * the program is between two of them from the image. */
enum { INSTRUCTIONS_MOST = 4096 };

/* Transactions within the one that is followed, of which no element says anything. */
struct nest {
    unsigned depth;
    unsigned instructions;
    bool executed; /* the TCOMMIT of the outermost one */
    bool lost;     /* where the program goes on is not known */
};

/* Of the instructions that an atom stands for, what comes after the TCOMMIT makes no difference. */
static void pass(struct nest *nest, const struct ete_walk *instruction)
{
    const bool is_tcancel = arm_flow_a64(instruction->last_word, 0).kind == ARM_FLOW_TCANCEL;
    nest->executed = instruction->tcommit && nest->depth == 0;
    nest->depth -= instruction->tcommit; /* after the outermost one it is not read any more */
    nest->instructions++;
    nest->lost = instruction->count == 0 || is_tcancel || instruction->wfx ||
                 nest->instructions == INSTRUCTIONS_MOST;
}

/* Follows an atom from where the program is to its P0 instruction, and goes on from there. */
static void follow_atom(struct ete_program *program, struct nest *nest, struct ete_walk_from *from,
                        bool taken)
{
    struct ete_walk instruction = {.count = 0};
    while (instruction.p0 == ETE_P0_NONE && !nest->lost && !nest->executed) {
        instruction = ete_walk_one(program, from);
        from->pc += instruction.bytes;
        pass(nest, &instruction);
    }
    nest->lost = nest->lost || (taken && instruction.p0 == ETE_P0_INDIRECT);
    nest->depth += taken && instruction.p0 == ETE_P0_TSTART;
    if (taken && instruction.p0 == ETE_P0_DIRECT) {
        from->pc = instruction.target;
    }
}

bool ete_executes_tcommit(struct ete_program *program, const struct ete_walk_from *at,
                          uint64_t atoms)
{
    const unsigned count = atoms & ((1 << ETE_UNDONE_COUNT_BITS) - 1);
    struct ete_walk_from from = *at;
    struct nest nest = {.depth = 0, .lost = program->timeline != NULL};
    for (unsigned n = 0; n < count && !nest.lost && !nest.executed; n++) {
        follow_atom(program, &nest, &from, (atoms >> ETE_UNDONE_COUNT_BITS >> n & 1) != 0);
    }
    return nest.executed;
}
