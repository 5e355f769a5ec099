/* Challenges: programs of AArch64 and RV64 that are drawn from a seed and really run, and their
 * predicted executions. Registers, memory and flags are computed exactly, so that addresses,
 * outcomes and contents follow from the seed and are not known before it. A program depends on no
 * library, environment or device, and ends by itself. The same options and version give the same
 * bytes on every machine. */
#ifndef ASSAY_GENERATORS_CHALLENGE_H
#define ASSAY_GENERATORS_CHALLENGE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "execution/execution.h"
#include "io/sink.h"

/* Another number whenever a seed gives other bytes. */
#define ASSAY_CHALLENGE_VERSION 1

enum {
    ASSAY_CHALLENGE_PAGE = 4096, /* a bare program begins at a multiple of it */
    ASSAY_CHALLENGE_INSTRUCTIONS_LEAST = 50000,
    ASSAY_CHALLENGE_INSTRUCTIONS = 300000,
    ASSAY_CHALLENGE_INSTRUCTIONS_MOST = 100000000,
};

/* Addresses of bare programs are below it. */
#define ASSAY_CHALLENGE_ADDRESS_LIMIT (UINT64_C(1) << 47)

struct assay_challenge_options {
    enum assay_execution_isa isa; /* AARCH64 or RISCV64 */
    uint64_t seed;
    uint64_t instructions; /* executes no more than these; within the bounds above */
    bool bare;             /* for a machine without an operating system; else for Linux */
    bool no_compressed;    /* RISC-V: without instructions of 2 bytes */
    bool no_multiply;      /* without those of M */
    bool no_atomics;       /* without AMO */
    /* Of a bare program: */
    bool has_base;   /* it was given; for those who fill in what was not */
    uint64_t base;   /* address of its first instruction */
    bool has_end;    /* it ends in a jump to itself at `end`, else behind its code */
    uint64_t end;    /* outside of the program, a multiple of 4 */
    bool has_tohost; /* before that it stores 1 to `tohost`, else to a word of its own */
    uint64_t tohost; /* outside of the program, a multiple of 8 */
    uint8_t level;   /* that it is executed at: EL1 to EL3; 1 (S) or 3 (M) */
};

struct assay_challenge_facts {
    uint64_t executed; /* instructions */
    uint64_t accesses;
    uint64_t code_bytes;
    uint64_t base, size;     /* where the program lies, data included; of Linux the gap, too */
    uint64_t entry;          /* address of the first instruction */
    uint64_t tohost, finish; /* bare: the word that is stored to, the jump to itself */
    uint64_t stop; /* bare: what follows the predicted execution: `finish`, or a jump there */
    uint64_t checksum_at; /* address of the word with the checksum */
    uint64_t checksum;    /* of the computation */
    uint8_t status;       /* Linux: the exit status, a function of the checksum */
};

/* The addresses that a bare program of this kind begins at when none is given. */
#define ASSAY_CHALLENGE_BASE_AARCH64 UINT64_C(0x40080000)
#define ASSAY_CHALLENGE_BASE_RISCV64 UINT64_C(0x80000000)

/* Whether a program can be made so, as far as that is known before it is drawn: ASSAY_OUT_OF_RANGE,
 * with a message. */
enum assay_error assay_challenge_check(const struct assay_challenge_options *options,
                                       struct assay_diag *diag);

/* Writes the program as an ELF file, and its predicted execution (docs/execution-format.md); either
 * sink can be null, and they stay the caller's. ASSAY_OUT_OF_RANGE: an option that is not allowed,
 * with a message. ASSAY_NO_MEMORY, and the sinks' errors. ASSAY_INTERNAL: a defect here. */
enum assay_error assay_challenge_make(const struct assay_challenge_options *options,
                                      struct assay_sink *program, struct assay_sink *execution,
                                      struct assay_challenge_facts *facts, struct assay_diag *diag);

#endif
