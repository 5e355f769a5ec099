/* A line of the log that the RISC-V simulator Spike writes with --log-commits, alone or together
 * with -l:
 *
 *     core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000
 *     core   0: 3 0x0000000080000004 (0x0182b283) x5  0x0000000080000000 mem 0x0000000080000018
 *     core   0: 3 0x0000000080000008 (0x30529073) c773_mtvec 0x0000000080000040
 *     core   0: exception trap_machine_ecall, epc 0x0000000080000010
 *     core   0:           tval 0x0000000000000000
 *
 * Older versions leave out the core, write "x 5" and "badaddr", and all instructions in 32 bits. */
#ifndef ASSAY_EXECUTION_COMMIT_LINE_H
#define ASSAY_EXECUTION_COMMIT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum assay_commit_line_kind {
    ASSAY_COMMIT_LINE_EMPTY,       /* nothing, or a comment, which begins with # */
    ASSAY_COMMIT_LINE_INSTRUCTION, /* that was committed */
    ASSAY_COMMIT_LINE_FETCHED,     /* of -l: that is executed next; also its symbol, or how often */
    ASSAY_COMMIT_LINE_TRAP,        /* of -l: an exception or an interrupt */
    ASSAY_COMMIT_LINE_VALUE        /* of -l: the value of the trap before it */
};

/* Registers and accesses of a line of which more than these are there are left out. */
enum { ASSAY_COMMIT_WRITES_MOST = 32, ASSAY_COMMIT_ACCESSES_MOST = 512 };

/* A register that was written: its letter x, f, v, or c of a CSR; the low 64 bits. */
struct assay_commit_write {
    uint64_t value;
    uint16_t number;
    char file;
};

struct assay_commit_access {
    uint64_t address;
    uint64_t data; /* of a store: the low 64 bits */
    uint8_t bytes; /* of a store: that were written; 0: more than 255 */
    bool is_store; /* else nothing but its address is known */
};

struct assay_commit_line {
    enum assay_commit_line_kind kind;
    uint32_t core;    /* 0 where the line has none */
    uint8_t priv;     /* of an instruction: 0 to 3 */
    uint8_t digits;   /* of its address, 8 or 16 */
    uint8_t size;     /* of it, in bytes: 2 or 4; of one that was fetched any, 0: there is none */
    uint64_t address; /* of it; of a trap the one that it returns to */
    uint32_t word;
    uint64_t value; /* of a trap */
    uint64_t cause; /* of a trap */
    bool interrupt; /* of a trap */
    uint16_t writes, accesses;
    struct assay_commit_write write[ASSAY_COMMIT_WRITES_MOST];
    struct assay_commit_access access[ASSAY_COMMIT_ACCESSES_MOST];
};

/* Reads a line of so many bytes, without its end. ASSAY_SYNTAX: it is none of such a log; *column,
 * from 1, is where, and *expected what should be there. */
enum assay_error assay_commit_line_read(const char *text, size_t length,
                                        struct assay_commit_line *line, uint32_t *column,
                                        const char **expected);

/* Whether a text begins as such a log does. */
bool assay_commit_line_begins(const char *text, size_t length);

/* How many bytes the empty lines and the comments take that a text begins with. */
size_t assay_commit_comments(const char *text, size_t length);

#endif
