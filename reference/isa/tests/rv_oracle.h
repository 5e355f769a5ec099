/* What the text of a RISC-V instruction says about it, distinguished from mnemonic and operands
 * alone. */
#ifndef ASSAY_ISA_TESTS_RV_ORACLE_H
#define ASSAY_ISA_TESTS_RV_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/rv.h"

struct rv_expectation {
    const char *name; /* of the class; "" when the mnemonic is none that is known */
    bool reads, writes, acquire, release, csr_read, csr_written, masked, first_fault;
    unsigned bytes;                            /* of a scalar access */
    unsigned element_log2, index_log2, fields; /* of a vector access */
    enum rv_transfer transfer;
    struct rv_registers registers;
};

/* `text` is what a disassembler prints without aliases, registers by number. */
struct rv_expectation rv_expect(const char *text);

/* The text with one blank after the mnemonic and none elsewhere. */
void rv_normalise(char out[160], const char *text);

#endif
