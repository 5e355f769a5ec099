/* Random programs, and what a machine that does not exist could have executed of them, as a
 * recording: branches, calls and returns of all kinds, and what takes control away. Both are drawn
 * from a seed, the same on every machine. Registers are not simulated: a branch goes where it is
 * drawn to, as if they held what makes it. */
#ifndef ASSAY_GENERATORS_RANDOM_PROGRAM_H
#define ASSAY_GENERATORS_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "execution/execution.h"
#include "io/sink.h"

enum { ASSAY_RANDOM_WORDS_MOST = 1024 };

struct assay_random_options {
    enum assay_execution_isa isa;
    uint64_t seed;
    size_t length; /* instructions that retire, about */
    bool system;   /* at several levels, with traps and returns from them; else in user mode */
};

struct assay_random_program {
    uint64_t base; /* address of the first word */
    uint32_t words[ASSAY_RANDOM_WORDS_MOST];
    size_t count;
    struct assay_sink recording;
    uint64_t *executed; /* addresses of the instructions that retired; owned */
    size_t length;
};

/* Makes a program and executes it. To be freed in any case. ASSAY_NO_MEMORY. */
enum assay_error assay_random_program_make(struct assay_random_program *program,
                                           const struct assay_random_options *options);
void assay_random_program_free(struct assay_random_program *program);

#endif
