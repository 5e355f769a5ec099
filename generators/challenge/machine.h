/* What executes a challenge: registers, memory and flags, exactly, of the instructions that
 * challenges consist of, and no others. It goes by the words, not by what was drawn. Private to
 * generators/challenge/. */
#ifndef ASSAY_GENERATORS_CHALLENGE_MACHINE_H
#define ASSAY_GENERATORS_CHALLENGE_MACHINE_H

#include "execution/execution.h"
#include "generators/challenge/code.h"
#include "isa/rv_compute.h"

enum { CHALLENGE_REGISTERS = 32, CHALLENGE_ACCESSES = 2 };

struct challenge_machine;

/* An instruction as it is executed. */
struct challenge_operation {
    void (*execute)(struct challenge_machine *machine, const struct challenge_operation *operation);
    uint32_t word;
    uint8_t size;
    uint64_t info;                     /* RISC-V: its classification */
    struct rv_computation computation; /* RISC-V: of what computes */
};

struct challenge_machine {
    uint64_t x[CHALLENGE_REGISTERS]; /* RISC-V: x0 stays 0; AArch64: number 31 is SP */
    bool n, z, c, v;                 /* AArch64: the condition flags */
    uint64_t pc, next;               /* of the instruction that is executed, and of what follows */
    uint64_t data_base;
    uint8_t *data;                                  /* CHALLENGE_DATA bytes */
    uint64_t tohost;                                /* a word outside of the data, or that in it */
    struct assay_access access[CHALLENGE_ACCESSES]; /* of the instruction */
    unsigned accesses;
    bool called; /* it called the system */
    bool defect; /* it did what no challenge does */
};

/* Finds what executes a word. False: no challenge has it. */
bool challenge_a64_operation(uint32_t word, struct challenge_operation *operation);
bool challenge_rv_operation(uint32_t word, struct challenge_operation *operation);

/* Loads and stores aligned bytes, and notes the access. */
uint64_t challenge_load(struct challenge_machine *machine, uint64_t address, unsigned log2);
void challenge_store(struct challenge_machine *machine, uint64_t address, unsigned log2,
                     uint64_t value);

#endif
