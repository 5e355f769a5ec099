/* The record of the interface of the hart (4.2) as an input: a table with a line for each block.
 *
 *     cycle,itype,cause,tval,priv,iaddr,iretire,ilastsize
 *     17,8,0,0,3,0x1000,7,0
 *
 * The names of the columns are those of the signals, in any order. A line has at most one data
 * access and one response to a load; further ones of its cycle are in lines without a block.
 *
 * What simulators write is read, too: a table of retired instructions (VALID,ADDRESS,INSN,
 * PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT, in hexadecimal), and the log of committed ones that
 * Spike writes (execution/commit_log.h). Their blocks are single instructions, whose type nobody
 * gave. */
#ifndef ASSAY_ETRACE_RECORD_H
#define ASSAY_ETRACE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "etrace/data/accesses.h"
#include "io/source.h"

/* Which columns a record has to have. */
enum etrace_signal_group {
    ETRACE_SIGNAL_OPTIONAL,
    ETRACE_SIGNAL_REQUIRED,
    /* Of accesses (table 4.9): a record with a column of one of these groups has those of the
     * first, and those of the second or of the third. */
    ETRACE_SIGNAL_OF_ACCESS,
    ETRACE_SIGNAL_UNIFIED,
    ETRACE_SIGNAL_SPLIT,
    ETRACE_SIGNAL_ADDED /* may be there */
};

/* X(enumerator, name, group): the columns of a record. Those of data are last. */
#define ETRACE_SIGNALS(X)                                                                          \
    X(ITYPE, "itype", REQUIRED)                                                                    \
    X(CAUSE, "cause", REQUIRED)                                                                    \
    X(TVAL, "tval", REQUIRED)                                                                      \
    X(PRIV, "priv", REQUIRED)                                                                      \
    X(IADDR, "iaddr", REQUIRED)                                                                    \
    X(IRETIRE, "iretire", REQUIRED)                                                                \
    X(ILASTSIZE, "ilastsize", REQUIRED)                                                            \
    X(CYCLE, "cycle", OPTIONAL)                                                                    \
    X(CONTEXT, "context", OPTIONAL)                                                                \
    X(CTYPE, "ctype", OPTIONAL)                                                                    \
    X(SIJUMP, "sijump", OPTIONAL)                                                                  \
    X(TRIGGER, "trigger", OPTIONAL)                                                                \
    X(IMPDEF, "impdef", OPTIONAL)                                                                  \
    X(HALTED, "halted", OPTIONAL)                                                                  \
    X(RESET, "reset", OPTIONAL)                                                                    \
    X(DRETIRE, "dretire", OF_ACCESS)                                                               \
    X(DTYPE, "dtype", OF_ACCESS)                                                                   \
    X(DADDR, "daddr", OF_ACCESS)                                                                   \
    X(DSIZE, "dsize", OF_ACCESS)                                                                   \
    X(IADDR_LSBS, "iaddr_lsbs", ADDED)                                                             \
    X(DBLOCK, "dblock", ADDED)                                                                     \
    X(LRID, "lrid", SPLIT)                                                                         \
    X(LRESP, "lresp", SPLIT)                                                                       \
    X(LID, "lid", SPLIT)                                                                           \
    X(DATA, "data", UNIFIED)                                                                       \
    X(SDATA, "sdata", SPLIT)                                                                       \
    X(LDATA, "ldata", SPLIT)

/* X(enumerator, name, group): the columns of a table of retired instructions. */
#define ETRACE_RETIRED(X)                                                                          \
    X(VALID, "valid", REQUIRED)                                                                    \
    X(ADDRESS, "address", REQUIRED)                                                                \
    X(INSN, "insn", REQUIRED)                                                                      \
    X(PRIVILEGE, "privilege", REQUIRED)                                                            \
    X(EXCEPTION, "exception", REQUIRED)                                                            \
    X(ECAUSE, "ecause", REQUIRED)                                                                  \
    X(VALUE, "tval", REQUIRED)                                                                     \
    X(INTERRUPT, "interrupt", REQUIRED)

enum etrace_signal {
#define X(id, ...) ETRACE_SIGNAL_##id,
    ETRACE_SIGNALS(X)
#undef X
        ETRACE_SIGNAL_COUNT
};

/* Data are of up to 512 bits: those of the signals from DATA on. */
enum { ETRACE_WIDE_WORDS = 8, ETRACE_WIDE_COUNT = ETRACE_SIGNAL_COUNT - ETRACE_SIGNAL_DATA };

/* A line of the record. */
struct etrace_block {
    uint64_t signal[ETRACE_SIGNAL_COUNT]; /* 0 where there is no column; of data the low bits */
    uint64_t wide[ETRACE_WIDE_COUNT][ETRACE_WIDE_WORDS]; /* data, the low words first */
    uint32_t given;                                      /* bit n: signal n is known */
    uint32_t line;                                       /* in the table, from 1 */
    uint32_t insn;                                       /* `retired`: the instruction */
    bool retired; /* of a table of retired instructions or a log: iretire counts instructions, and
                     itype is given for traps only */
    bool logged;  /* of a log, which has accesses, but no signals of them */
    bool returns; /* `retired`: iaddr of a trap is the address that it returns to */
    bool infers_traps;           /* of a log without traps: they follow from what retires */
    struct etrace_access access; /* `logged`: of the instruction, as far as it is known */
};

/* What a log is read by. */
struct etrace_record_setup {
    enum rv_isa isa;
    uint32_t core; /* or ASSAY_EXECUTION_THREAD_FROM_TRACE: the only one that it has */
};

struct etrace_record;

/* Whether a signal is known: the record has a column of it, or a log says it. */
static inline bool etrace_block_has(const struct etrace_block *block, enum etrace_signal signal)
{
    return (block->given >> signal & 1) != 0;
}

/* Whether something is said of data accesses: one retired, or a load has a response. */
static inline bool etrace_block_has_data(const struct etrace_block *block)
{
    return block->signal[ETRACE_SIGNAL_DRETIRE] != 0 || block->signal[ETRACE_SIGNAL_LRESP] != 0;
}

/* Reads the line of names. The source is borrowed and must outlive the record. ASSAY_SYNTAX, with
 * the position in the table: a column is unknown, absent or there twice. */
enum assay_error etrace_record_open(struct assay_source *source,
                                    const struct etrace_record_setup *setup,
                                    struct etrace_record **record, struct assay_diag *diag);

/* The next block; *more is false at the end. ASSAY_SYNTAX: a line without as many values as there
 * are names, a value that is no number of 64 bits, of data 512, or, at the end, a table in which
 * nothing retired, trapped or was responded; of a log as assay_commit_log_next. Otherwise the
 * source's fault. */
enum assay_error etrace_record_next(struct etrace_record *record, struct etrace_block *block,
                                    bool *more, struct assay_diag *diag);

void etrace_record_close(struct etrace_record *record);

#endif
