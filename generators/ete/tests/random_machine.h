/* A PE that executes random code of both execution states, and says to a trace unit what it does:
 * interworking, IT, exceptions and returns between states and Exception levels, transactions that
 * are committed or fail, contexts that change. */
#ifndef ASSAY_GENERATORS_ETE_TESTS_RANDOM_MACHINE_H
#define ASSAY_GENERATORS_ETE_TESTS_RANDOM_MACHINE_H

#include "generators/ete/tests/random_code.h"
#include "generators/ete/unit.h"

enum {
    RANDOM_CALLS = 24,
    RANDOM_SAVED = 8,
    RANDOM_VARIANTS = 2, /* of the program, by bit 0 of the Context identifier */
    RANDOM_CONTEXTS = 4  /* Context identifiers */
};

/* An instruction that was executed, and where. */
struct random_executed {
    uint64_t address;
    uint32_t word;
    uint8_t size, set, el, security;
    uint32_t context_id, vmid;
};

/* Where the PE is. */
struct random_place {
    uint8_t set; /* enum random_set */
    unsigned at; /* number of the instruction */
    uint8_t el, security;
    uint32_t context_id, vmid;
    uint8_t under_it; /* instructions that an IT still covers */
    uint8_t executes; /* bit n: the n-th of them is executed */
};

/* What conditional branches test: the flags NZCV, and of X0 to X2 whether they are 0, odd, or even
 * and not 0. */
enum { RANDOM_TESTED = 3 };
struct random_tested {
    uint8_t flags;
    uint8_t low[RANDOM_TESTED];
};

struct random_machine {
    struct random_program_codes variants[RANDOM_VARIANTS];
    uint32_t first_context; /* the lowest Context identifier; even */
    struct ete_unit *unit;
    bool wfx_is_p0;
    uint64_t seed, time;

    struct random_place now;
    struct random_place calls[RANDOM_CALLS];
    unsigned call_count;
    struct random_place saved[RANDOM_SAVED]; /* by exceptions */
    unsigned saved_count;

    struct random_tested tested; /* of A64 */

    unsigned transactions; /* nested */
    struct random_place before;
    unsigned calls_before;
    struct random_tested tested_before;

    struct random_executed *executed; /* owned */
    size_t length, room;
};

/* Makes the code. With `variants`, that of Context identifiers differs. */
bool random_machine_open(struct random_machine *machine, uint64_t seed, size_t length,
                         bool variants);
void random_machine_close(struct random_machine *machine);

/* Executes so many instructions. */
void random_machine_run(struct random_machine *machine, struct ete_unit *unit, bool wfx_is_p0);

#endif
