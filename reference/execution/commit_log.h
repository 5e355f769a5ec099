/* A log of committed instructions (execution/commit_line.h), read from its beginning to its end:
 * the instructions of one core with their accesses, and the traps that it took.
 *
 * Traps are in the log only with -l. Without it one is concluded where an instruction does not
 * follow from the one before it, or is at a higher level. What trap it was is then taken from what
 * follows, if that says so: a handler that reads xcause, xtval or xepc, or a vector of xtvec that
 * is one of interrupts. Nothing else is said of it. */
#ifndef ASSAY_EXECUTION_COMMIT_LOG_H
#define ASSAY_EXECUTION_COMMIT_LOG_H

#include "execution/execution.h"
#include "io/source.h"
#include "isa/rv.h"

enum assay_commit_kind { ASSAY_COMMIT_INSTRUCTION, ASSAY_COMMIT_TRAP, ASSAY_COMMIT_END };

struct assay_commit {
    enum assay_commit_kind kind;
    uint32_t line;   /* of the log, from 1; of a trap that is concluded that of what follows */
    uint64_t offset; /* of that line, in bytes */
    uint32_t core;
    bool has_traps;  /* the log has traps (-l) */
    bool priv_known; /* of a trap after a return from another one it can be unknown */
    uint8_t priv;    /* of the instruction; of a trap the level that it was taken from */

    uint64_t address; /* of the instruction; of a trap that ECALL or EBREAK raised that one's */
    uint32_t word;
    uint8_t size; /* bytes: 2 or 4; of another trap 0 */
    uint16_t accesses;
    const struct assay_access *access; /* borrowed, valid until the next one is asked for */
    bool result_known;                 /* what it wrote to the one x register that it writes */
    uint64_t result;
    uint64_t x[32];   /* the x registers before it, as far as the log has had */
    uint32_t x_known; /* them: as a set */

    bool interrupt_known, cause_known, value_known, from_known; /* of a trap */
    bool interrupt;
    uint64_t cause; /* without the bit of an interrupt */
    uint64_t value; /* xtval */
    uint64_t from;  /* the address that it returns to */
};

struct assay_commit_log;

/* How a log begins: of which instruction set it is, as far as that can be told. False: it is no
 * such log. Consumes nothing. */
bool assay_commit_log_probe(struct assay_source *source, enum rv_isa *isa);

/* The source is borrowed and must outlive the log. Of `core` instructions are given, or, if it is
 * ASSAY_EXECUTION_THREAD_FROM_TRACE, of the only one that the log has. ASSAY_NO_MEMORY. */
enum assay_error assay_commit_log_open(struct assay_source *source, enum rv_isa isa, uint32_t core,
                                       struct assay_commit_log **log, struct assay_diag *diag);

/* The next one; ASSAY_COMMIT_END after the last. ASSAY_SYNTAX, with the position in the text: a
 * line that is none of such a log, an address of another XLEN, several cores of which none was
 * chosen, or none of the chosen one; at the end: no instruction was committed. Otherwise the
 * source's fault. */
enum assay_error assay_commit_log_next(struct assay_commit_log *log, struct assay_commit *commit,
                                       struct assay_diag *diag);

/* Null is allowed. */
void assay_commit_log_close(struct assay_commit_log *log);

#endif
