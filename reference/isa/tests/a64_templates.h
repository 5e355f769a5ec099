/* Instruction sources with random registers and immediates. */
#ifndef ASSAY_ISA_TESTS_A64_TEMPLATES_H
#define ASSAY_ISA_TESTS_A64_TEMPLATES_H

#include <stdint.h>

#define A64_SOURCE_SIZE 80

/* The next of a sequence of 32-bit numbers that the seed determines. */
uint32_t a64_random(uint64_t *seed);

/* Fills `source` with `copies` of each combination of each template, at most `size` lines; returns
 * how many. */
unsigned a64_fill_templates(char (*source)[A64_SOURCE_SIZE], unsigned size, unsigned copies,
                            uint64_t seed);

#endif
