/* What the text of an instruction, as an assembler takes it and a disassembler prints it, says
 * about its classification. Derived from mnemonics and operands alone, without the tables under
 * test. */
#ifndef ASSAY_ISA_TESTS_A64_ORACLE_H
#define ASSAY_ISA_TESTS_A64_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#define A64_ANY_BYTES (-1)

struct a64_expectation {
    const char *name; /* of the class; "other" for every mnemonic that isn't known here */
    bool reads, writes;
    bool writeback;
    bool address; /* is_address_operation */
    int bytes;    /* access_bytes, or A64_ANY_BYTES where the text doesn't tell */
    bool branch, conditional, direct, call, returns;
};

/* text: "mnemonic operands", blanks or tabs between, no comment. */
struct a64_expectation a64_expect(const char *text);

#endif
