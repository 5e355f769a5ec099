/* A random program of A64 with branches of all kinds, and what a PE could have executed of it, as a
 * recording. */
#ifndef ASSAY_GENERATORS_ETE_TESTS_RANDOM_PROGRAM_H
#define ASSAY_GENERATORS_ETE_TESTS_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/sink.h"

enum { RANDOM_WORDS_MOST = 1024 };

struct random_program {
    uint64_t base; /* address of the first word */
    uint32_t words[RANDOM_WORDS_MOST];
    size_t count;
    struct assay_sink recording;
    uint64_t *executed; /* addresses of the instructions that retired; owned */
    size_t length;
};

/* Makes a program, and executes about so many instructions of it: in user mode, or at several
 * Exception levels. False when memory is out. */
bool random_program_make(struct random_program *program, uint64_t seed, size_t length, bool system);
void random_program_free(struct random_program *program);

#endif
