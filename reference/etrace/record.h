/* The record of the interface of the hart (4.2) as an input: a table with a line for each block.
 *
 *     cycle,itype,cause,tval,priv,iaddr,iretire,ilastsize
 *     17,8,0,0,3,0x1000,7,0
 *
 * The names of the columns are those of the signals, in any order. A table of retired instructions
 * (VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT, in hexadecimal), as simulators
 * write it, is read, too: its blocks are single instructions, whose type nobody gave. */
#ifndef ASSAY_ETRACE_RECORD_H
#define ASSAY_ETRACE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/source.h"

/* X(enumerator, name, required): the columns of a record. */
#define ETRACE_SIGNALS(X)                                                                          \
    X(ITYPE, "itype", true)                                                                        \
    X(CAUSE, "cause", true)                                                                        \
    X(TVAL, "tval", true)                                                                          \
    X(PRIV, "priv", true)                                                                          \
    X(IADDR, "iaddr", true)                                                                        \
    X(IRETIRE, "iretire", true)                                                                    \
    X(ILASTSIZE, "ilastsize", true)                                                                \
    X(CYCLE, "cycle", false)                                                                       \
    X(CONTEXT, "context", false)                                                                   \
    X(CTYPE, "ctype", false)                                                                       \
    X(SIJUMP, "sijump", false)                                                                     \
    X(TRIGGER, "trigger", false)                                                                   \
    X(IMPDEF, "impdef", false)                                                                     \
    X(HALTED, "halted", false)                                                                     \
    X(RESET, "reset", false)

/* X(enumerator, name, required): the columns of a table of retired instructions. */
#define ETRACE_RETIRED(X)                                                                          \
    X(VALID, "valid", true)                                                                        \
    X(ADDRESS, "address", true)                                                                    \
    X(INSN, "insn", true)                                                                          \
    X(PRIVILEGE, "privilege", true)                                                                \
    X(EXCEPTION, "exception", true)                                                                \
    X(ECAUSE, "ecause", true)                                                                      \
    X(VALUE, "tval", true)                                                                         \
    X(INTERRUPT, "interrupt", true)

enum etrace_signal {
#define X(id, ...) ETRACE_SIGNAL_##id,
    ETRACE_SIGNALS(X)
#undef X
        ETRACE_SIGNAL_COUNT
};

/* A line of the record. */
struct etrace_block {
    uint64_t signal[ETRACE_SIGNAL_COUNT]; /* 0 where there is no column */
    uint32_t given;                       /* bit n: there is a column of signal n */
    uint32_t line;                        /* in the table, from 1 */
    uint32_t insn;                        /* `retired`: the instruction */
    bool retired; /* of a table of retired instructions: iretire counts instructions, and itype is
                     given for traps only */
};

struct etrace_record;

/* Reads the line of names. The source is borrowed and must outlive the record. ASSAY_SYNTAX, with
 * the position in the table: a column is unknown, absent or there twice. */
enum assay_error etrace_record_open(struct assay_source *source, struct etrace_record **record,
                                    struct assay_diag *diag);

/* The next block; *more is false at the end. ASSAY_SYNTAX: a line without as many values as there
 * are names, or a value that is no number. Otherwise the source's fault. */
enum assay_error etrace_record_next(struct etrace_record *record, struct etrace_block *block,
                                    bool *more, struct assay_diag *diag);

void etrace_record_close(struct etrace_record *record);

#endif
