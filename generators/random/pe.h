/* What executes a random program: a processing element, or hart, of an instruction set. Private to
 * generators/random/. */
#ifndef ASSAY_GENERATORS_RANDOM_PE_H
#define ASSAY_GENERATORS_RANDOM_PE_H

#include "common/random.h"
#include "execution/execution_writer.h"
#include "generators/random/program.h"

enum { RANDOM_CALLS = 32, RANDOM_DATA = 512, RANDOM_TESTED = 3 };

struct random_pe {
    struct assay_random_program *program;
    struct assay_execution_track *track;
    const struct assay_random_options *options;
    uint64_t seed;
    uint64_t pc, time;
    uint64_t calls[RANDOM_CALLS]; /* where they return to */
    unsigned depth;
    uint8_t level;
    bool zero;                  /* A64: the condition flag Z */
    uint8_t low[RANDOM_TESTED]; /* A64: what branches test of X0 and the next registers (a64.c) */
    uint64_t link;              /* A64: what X30 has; 0: not known */
    /* Memory from `data` on, and the registers whose content shows in it or in a path. */
    uint64_t data;
    uint8_t memory[RANDOM_DATA];
    uint64_t value;  /* that is loaded and stored */
    uint64_t anchor; /* that jumps are relative to; 0: not known */
};

/* An instruction set. */
struct random_isa {
    /* Draws base and words of the program. The last word leads back into it. */
    void (*draw)(struct random_pe *pe);
    /* Level that a system begins at. */
    uint8_t level;
    /* Control is taken away before the instruction at pc, now and then; false: it is not. */
    bool (*divert)(struct random_pe *pe);
    /* Executes the instruction at pc, and whatever follows of it. */
    void (*execute)(struct random_pe *pe);
};

extern const struct random_isa random_a64, random_rv;

/* One of a list. */
#define ONE_OF(seed, list) (list)[assay_random_below(seed, sizeof(list) / sizeof(list)[0])]

/* The address of any word of the program. */
uint64_t random_place(struct random_pe *pe);

/* A call was executed, which returns to this address; and where a return goes: most often to where
 * it was called from. */
void random_called(struct random_pe *pe, uint64_t after);
uint64_t random_returned(struct random_pe *pe);

/* The instruction at pc retired. */
void random_retired(struct random_pe *pe, uint32_t word, unsigned size,
                    const struct assay_access *access, unsigned accesses);

/* A trap is taken to a level. */
void random_trap(struct random_pe *pe, uint8_t level, const struct assay_executed *trap);

#endif
