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
    struct a64_scalable_expectation {
        bool first_fault, non_fault, gather_scatter, za_indexing, replicate, predicated;
        bool sized; /* the next ones are known, which are all 0 except for SVE and SME */
        unsigned log2, count, element;
    } scalable;
};

/* text: "mnemonic operands", blanks or tabs between, no comment. */
struct a64_expectation a64_expect(const char *text);

/* What SVE and SME add, and their classes and sizes. Called by a64_expect, after the class. */
void a64_expect_scalable(struct a64_expectation *e, const char *mnemonic, const char *operands);

#endif
