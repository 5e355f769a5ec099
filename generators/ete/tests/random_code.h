/* Random code of A64, A32 and T32: branches of all kinds and what surrounds them. What each
 * instruction does is known from the template that it was made of, not from its word. */
#ifndef ASSAY_GENERATORS_ETE_TESTS_RANDOM_CODE_H
#define ASSAY_GENERATORS_ETE_TESTS_RANDOM_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum random_set { RANDOM_A64, RANDOM_A32, RANDOM_T32, RANDOM_SETS };
/* Instructions: A64 can have all vectors of exceptions, which are 2 KiB. */
enum { RANDOM_CODE_MOST = 640, RANDOM_IT_MOST = 4 };

enum random_op {
    RANDOM_PLAIN,
    RANDOM_COMPARE, /* A64: it sets the condition flags */
    RANDOM_DIRECT,
    RANDOM_INDIRECT,
    RANDOM_RETURN, /* an indirect branch, to where a call came from */
    RANDOM_EXCEPTION_RETURN,
    RANDOM_ISB,
    RANDOM_WFX,
    RANDOM_SVC,
    RANDOM_IT,
    RANDOM_TSTART,
    RANDOM_TCOMMIT,
    RANDOM_TCANCEL
};

struct random_instruction {
    uint64_t address;
    uint32_t word; /* T32 of 4 bytes: the first half is high */
    uint8_t size;
    uint8_t op;       /* enum random_op */
    bool conditional; /* by a condition or an operand of its own */
    bool link;
    bool stays;         /* an indirect branch that does not change the instruction set */
    bool covered;       /* by an IT */
    uint8_t covers;     /* of an IT: instructions after it */
    uint8_t if_holds;   /* of an IT: bit n: instruction n is executed where the condition holds */
    bool always;        /* of an IT, and what it covers: its condition is AL */
    uint8_t target_set; /* of a direct branch: enum random_set, ... */
    unsigned target;    /* ... and the number of the instruction */
    uint8_t form;       /* of a direct branch: how its word says the target */
};

struct random_code {
    struct random_instruction list[RANDOM_CODE_MOST];
    unsigned count;
    uint64_t base;
};

/* Code of each instruction set. A32 and T32 branch to each other. The last instruction of each is a
 * branch to the first. */
struct random_program_codes {
    struct random_code of[RANDOM_SETS];
};

void random_codes_make(struct random_program_codes *codes, const uint64_t *bases, uint64_t *seed);

/* Writes it as memory has it; returns its size. */
size_t random_code_bytes(const struct random_code *code, uint8_t *bytes);

#endif
