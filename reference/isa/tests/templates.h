/* Instruction sources with random registers and immediates, from templates; what a template may
 * hold is told at the head of a64_templates.def. */
#ifndef ASSAY_ISA_TESTS_TEMPLATES_H
#define ASSAY_ISA_TESTS_TEMPLATES_H

#include <stddef.h>
#include <stdint.h>

#define ISA_SOURCE_SIZE 80

struct isa_templates {
    const char *const *text;
    size_t count;
};

/* The next of a sequence of 32-bit numbers that the seed determines. */
uint32_t isa_random(uint64_t *seed);

/* Fills `source` with `copies` of each combination of each template, at most `size` lines; returns
 * how many. */
unsigned isa_fill_templates(char (*source)[ISA_SOURCE_SIZE], unsigned size,
                            const struct isa_templates *templates, unsigned copies, uint64_t seed);

#endif
