/* A recorded execution: the instructions that a program's threads retired, with their memory
 * accesses, system calls and times. Format assay-execution/1, see docs/execution-format.md.
 *
 * The reader goes through the file once, gives one item at a time, allocates nothing after it was
 * opened and needs the same memory for a file of any size. */
#ifndef ASSAY_EXECUTION_EXECUTION_H
#define ASSAY_EXECUTION_EXECUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "io/source.h"

/* The most accesses that one instruction may have. */
#define ASSAY_EXECUTION_ACCESSES_MAX 512

/* The most threads that one recording may have, ended ones included. */
#define ASSAY_EXECUTION_THREADS_MAX 65536

/* Instead of a level. */
#define ASSAY_EXECUTION_LEVEL_UNKNOWN 255

/* In place of a thread's number: the threads that the trace names. */
#define ASSAY_EXECUTION_THREAD_FROM_TRACE UINT32_MAX

/* X(enumerator, number in the file, name) */
#define ASSAY_EXECUTION_ISAS(X)                                                                    \
    X(AARCH64, 1, "aarch64")                                                                       \
    X(RISCV64, 2, "riscv64")                                                                       \
    X(RISCV32, 3, "riscv32")

enum assay_execution_isa {
#define X(id, number, name) ASSAY_EXECUTION_##id = number,
    ASSAY_EXECUTION_ISAS(X)
#undef X
};

/* X(enumerator, number in the file, may more follow, name, what it means) */
#define ASSAY_EXECUTION_REASONS(X)                                                                 \
    X(EXIT, 0, false, "exit", "the program ended")                                                 \
    X(LIMIT, 1, false, "limit", "the recorder was to stop after so many instructions")             \
    X(EXEC, 2, true, "exec", "the program replaced itself by another")                             \
    X(KILL, 3, true, "kill", "the program sent a signal, which ended it")                          \
    X(FAILED, 4, false, "failed", "the recorder could not go on")

enum assay_execution_reason {
#define X(id, number, more, name, text) ASSAY_EXECUTION_ENDED_BY_##id = number,
    ASSAY_EXECUTION_REASONS(X)
#undef X
};

/* The name of an instruction set or of a reason; "unknown" outside the enumeration. */
const char *assay_execution_isa_name(enum assay_execution_isa isa);
const char *assay_execution_reason_name(enum assay_execution_reason reason);

/* The header of a recording. */
struct assay_execution_header {
    enum assay_execution_isa isa;
    uint32_t process;  /* the system's process id; 0 unknown */
    uint64_t epoch;    /* microseconds from 1970-01-01 UTC to time 0 of the file; 0 unknown */
    bool all_accesses; /* the accesses of instructions of every class are recorded: one without
                          an access made none */
    bool system;       /* the recording of a machine, not of a program in user mode: its threads are
                          processing elements, with traps and levels as far as they are known */
    const char
        *producer; /* the program that wrote the file: name, version; UTF-8; borrowed, never null */
    const char *program; /* the program that ran, as far as the producer knew; "" unknown */
};

struct assay_access {
    uint64_t address;
    uint32_t size;      /* bytes: a power of two, 1..4096 */
    bool write;         /* an access that reads and writes is recorded as two, the read first */
    bool content_known; /* the content is recorded: only of up to 8 bytes */
    uint64_t content;   /* what was read or written, the byte at the lowest address in the lowest
                           bits, zeros above `size` bytes; 0 if it is not known */
};

/* The most entries of a page table walk, and the sizes of pages: binary logarithms. */
enum { ASSAY_WALK_ENTRIES_MAX = 5, ASSAY_WALK_PAGE_LOG2_MIN = 12, ASSAY_WALK_PAGE_LOG2_MAX = 48 };

/* A page table walk: how the address of a page was translated. */
struct assay_walk {
    uint64_t address;  /* of the page: virtual, a multiple of its size */
    uint8_t page_log2; /* binary logarithm of its size */
    uint8_t count;     /* entries, at least 1 */
    bool data;         /* of an access; otherwise of a fetch alone */
    struct assay_walk_entry {
        uint64_t address, content;   /* physical address; the entry as it was read */
    } entry[ASSAY_WALK_ENTRIES_MAX]; /* from the root on; the last one is the leaf */
};

enum assay_executed_kind {
    ASSAY_EXECUTED_INSTRUCTION,   /* retired */
    ASSAY_EXECUTED_SYSTEM_CALL,   /* follows the instruction that made it */
    ASSAY_EXECUTED_SYSTEM_RETURN, /* precedes the next instruction of the thread */
    ASSAY_EXECUTED_THREAD_START,  /* the first item of a thread */
    ASSAY_EXECUTED_THREAD_END,    /* the last item of a thread */
    ASSAY_EXECUTED_DIVERTED,      /* control was taken away: a fault or a signal */
    ASSAY_EXECUTED_TRAP,  /* of a system: control was taken by a trap, to the next instruction */
    ASSAY_EXECUTED_LEVEL, /* of a system: the level from the next instruction on */
    ASSAY_EXECUTED_WALK,  /* of a system: the next instruction, which may be aborted, is the first
                             that uses this translation of a page */
    ASSAY_EXECUTED_END    /* the recording is complete; each further call gives it again */
};

/* One item. Fields that the kind does not name are 0. Items of one thread are in the order in which
 * they happened; items of different threads are ordered by their times alone. */
struct assay_executed {
    enum assay_executed_kind kind;
    uint32_t thread; /* number of the thread in this recording, 0 .. ASSAY_EXECUTION_THREADS_MAX-1;
                        0 for the end */
    uint64_t time;   /* microseconds since time 0 at the thread's last clock sample */
    uint64_t offset; /* byte offset in the input of the token that gave the item */

    uint64_t address; /* instruction; diverted when aborted */
    uint32_t word;    /* the same: the instruction, in the low half when it has 2 bytes */
    uint8_t size;     /* the same: bytes, 2 or 4 */
    uint64_t fault;   /* diverted when aborted: the address of the access that faulted ... */
    bool fault_known; /* ... where the recorder knew it; trap: its value is known */
    bool aborted;     /* diverted: an instruction was begun and did not retire, and its accesses are
                         not recorded; otherwise control was taken between two instructions */

    uint16_t accesses;                 /* instruction: 0 .. ASSAY_EXECUTION_ACCESSES_MAX */
    const struct assay_access *access; /* in the order in which they were made; borrowed, valid
                                          until the next call on the reader */
    bool contents;     /* instruction: contents of accesses are recorded where they were known */
    uint64_t result;   /* instruction, of logs only: what it wrote to its integer register ... */
    bool result_known; /* ... if that is known */

    uint64_t number;    /* system call and return: the system's number of the call; trap: of a call
                           the number by which the program names it */
    uint64_t args[6];   /* system call */
    int64_t value;      /* system return; negative error numbers as the system gives them */
    uint64_t system_id; /* thread start: the system's thread id; 0 unknown */

    uint8_t level;   /* trap: taken to; level: 0 to 3 for U, S, hypervisor, M or EL0 to EL3, or
                        ASSAY_EXECUTION_LEVEL_UNKNOWN */
    uint64_t cause;  /* trap: xcause; ESR_ELx */
    uint64_t from;   /* trap: the address that it returns to: xepc; ELR_ELx */
    uint64_t status; /* trap: xstatus; SPSR_ELx. Its value, xtval or FAR_ELx, is `fault`, which is
                        always known but of a log that does not have it */

    const struct assay_walk *walk; /* walk; borrowed, valid until the next call on the reader */

    enum assay_execution_reason reason; /* end */
};

struct assay_execution;

/* Opens a recording at the source's current offset and reads its header. Takes ownership of the
 * source, also when it fails. ASSAY_UNKNOWN_FORMAT: no recording. ASSAY_UNSUPPORTED: a later
 * version. ASSAY_CORRUPT, ASSAY_TRUNCATED, ASSAY_NO_MEMORY, or the source's fault. */
enum assay_error assay_execution_open(struct assay_source *source,
                                      struct assay_execution **execution, struct assay_diag *diag);

/* The same of a file that can instead be a table: text whose first line has the names of columns,
 * separated by commas, such as a record of the interface between a processor and its trace unit. A
 * table has no items: the format of the trace reads it (assay_execution_table). A log of committed
 * instructions (execution/commit_log.h) is both. */
enum assay_error assay_execution_open_any(struct assay_source *source,
                                          struct assay_execution **execution,
                                          struct assay_diag *diag);

/* The source of a table, at its first byte, borrowed; null: the recording is none. Of a log either
 * the table is read or the items are, not both. */
struct assay_source *assay_execution_table(struct assay_execution *execution);

/* Whether the recording has items. */
bool assay_execution_has_items(const struct assay_execution *execution);

/* Chooses the core of a log, which are its threads, before the first item. Without it the log must
 * be of one core. Of other recordings it does nothing. */
void assay_execution_choose(struct assay_execution *execution, uint32_t thread);

/* Another reader of the same recording, from its first item on. ASSAY_UNSUPPORTED: its source gives
 * the bytes only once. Otherwise as assay_execution_open. */
enum assay_error assay_execution_again(const struct assay_execution *execution,
                                       struct assay_execution **other, struct assay_diag *diag);

/* The header; borrowed, valid until the reader is closed. */
const struct assay_execution_header *
assay_execution_header(const struct assay_execution *execution);

/* The next item. ASSAY_TRUNCATED: the file stops without an end. ASSAY_CORRUPT: it contradicts the
 * format; of a log ASSAY_SYNTAX. ASSAY_UNSUPPORTED: a log does not say what trap was taken.
 * Otherwise the source's fault. After an error each further call returns the same one. */
enum assay_error assay_execution_next(struct assay_execution *execution,
                                      struct assay_executed *out);

/* An instruction, without what its item says besides. */
struct assay_executed_in_run {
    uint64_t address;
    uint32_t word;
    uint16_t accesses;
};

/* Instructions of a thread that come next in the file with nothing between them, at most `most` and
 * with `room` accesses, which are written to `access` one after the other: what
 * assay_execution_next would give, in less time. It can give fewer, or none; then that function
 * goes on, which also reports what is wrong. */
unsigned assay_execution_take_run(struct assay_execution *execution, uint32_t thread,
                                  struct assay_executed_in_run *list, unsigned most,
                                  struct assay_access *access, size_t room);

/* What went wrong and where, once assay_execution_next returned an error. */
const struct assay_diag *assay_execution_diag(const struct assay_execution *execution);

struct assay_execution_summary {
    uint64_t instructions;
    uint64_t accesses;
    uint64_t system_calls;
    uint64_t threads; /* started */
    uint64_t diverted;
    uint64_t time;                      /* the latest clock sample, microseconds since time 0 */
    bool complete;                      /* the end record is there and its totals are right */
    enum assay_execution_reason reason; /* why it ended; only when complete */
};

/* Whether an instruction was executed, or begun, in what was read so far. A recording in which
 * there is none judges no trace. */
bool assay_execution_has_executed(const struct assay_execution *execution);

/* Reads on to the end. The counts include the items given before. A truncated file is not an error
 * here: complete is false. Any other error is returned, with what was counted before it. */
enum assay_error assay_execution_summary(struct assay_execution *execution,
                                         struct assay_execution_summary *summary);

/* Closes the reader and its source. Null is allowed. */
void assay_execution_close(struct assay_execution *execution);

#endif
