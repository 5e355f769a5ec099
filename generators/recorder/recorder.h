/* The recorder's state: one recording, and one thread of the program for each vcpu of QEMU. */
#ifndef ASSAY_RECORDER_RECORDER_H
#define ASSAY_RECORDER_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "contents.h"
#include "execution/execution_writer.h"
#include "faults.h"
#include "io/sink.h"
#include "levels.h"
#include "walks.h"

/* The most threads that may live at a time: bounds the memory (about 240 KiB each). */
enum { RECORDER_THREADS = 1024 };

/* The data that the translation of an instruction records for its execution. */
struct recorder_instruction {
    uint64_t address;
    uint64_t physical; /* of a machine: its physical address, or WALKS_ANYWHERE */
    uint32_t word;
    uint8_t size;
    bool ends_block;
    uint8_t rule; /* enum normalize_rule */
};

/* Touched by its own vcpu, or with all vcpus stopped. */
struct recorder_thread {
    unsigned vcpu;
    struct assay_execution_track *track; /* null before the first instruction */
    uint64_t budget;           /* instructions that may still be recorded before asking again */
    uint32_t until_clock;      /* instructions until the next clock sample */
    bool begun;                /* `now` has begun and is not settled */
    bool called;               /* the last one made a system call; `now` still holds it */
    bool returns_from_handler; /* that call was rt_sigreturn */
    struct recorder_instruction now;
    struct fault fault;    /* of `now`, in user mode */
    atomic_bool reading;   /* reads memory */
    bool withdrawing;      /* its system call may take memory away */
    struct levels *levels; /* of a machine: what is held back; else null. Owned */
    int told;              /* the word of the blocks that `now` stored, or -1 ... */
    uint64_t told_value;
    struct walks *walks; /* of an RV64 machine whose program reports its levels, else null. Owned */
    struct walks_held walked; /* by `now` */
    uint8_t put_level;        /* of the item that was put last */
    unsigned accesses;        /* of `now`; may count beyond the array */
    struct assay_access access[ASSAY_EXECUTION_ACCESSES_MAX];
    struct assay_access put[2 * LEVELS_ACCESSES]; /* of an item that was held back */
};

struct recorder {
    uint64_t id; /* QEMU's for this plugin */
    struct assay_sink sink;
    char *path; /* of the sink; owned */
    struct assay_execution_writer *writer;
    enum assay_execution_isa isa;
    uint64_t start; /* monotonic clock at time 0, microseconds */
    pid_t process;
    pthread_mutex_t lock; /* of the thread slots against system calls and the end */
    atomic_bool stopped;  /* nothing is recorded any more */
    atomic_bool alone;    /* the program has never had a second thread */
    uint64_t threads_made;
    struct contents contents;
    bool system;     /* a machine is recorded, not a program in user mode */
    bool has_blocks; /* its program reports levels and traps, ... */
    uint64_t blocks; /* ... in blocks at this physical address */
    uint8_t level;   /* that the machine begins at */
    bool finished;
    enum assay_execution_reason reason;
    _Atomic uint64_t left; /* instructions that no thread's budget holds yet */
    bool limited;          /* `left` and the budgets count */
    uint64_t until;        /* address at which nothing is left; UINT64_MAX: none */
    _Atomic(struct recorder_thread *) threads[RECORDER_THREADS];
};

/* Microseconds since the recording's time 0. */
uint64_t recorder_now(const struct recorder *recorder);

/* A diagnosis for the user, of the recording unless it has a path. */
void recorder_say(const struct recorder *recorder, struct assay_diag *diag);

/* No more is recorded, for the given reason; the message, unless null, is for the user. The end is
 * written by recorder_finish. */
void recorder_stop(struct recorder *recorder, enum assay_execution_reason reason,
                   const char *message);

/* The thread of a vcpu; null when it is not recorded. */
static inline struct recorder_thread *recorder_thread_of(struct recorder *recorder, unsigned vcpu)
{
    struct recorder_thread *thread =
        atomic_load_explicit(&recorder->threads[vcpu % RECORDER_THREADS], memory_order_acquire);
    return thread != NULL && thread->vcpu == vcpu ? thread : NULL;
}

/* Call both with the lock held. */
void recorder_thread_start(struct recorder *recorder, unsigned vcpu);
void recorder_thread_end(struct recorder *recorder, unsigned vcpu);

/* An instruction begins; the one before is settled. */
void recorder_begin(struct recorder *recorder, struct recorder_thread *thread,
                    const struct recorder_instruction *instruction);

/* Of a machine: an access of the instruction in progress that went to memory. */
void recorder_told(const struct recorder *recorder, struct recorder_thread *thread,
                   const struct assay_access *access, uint64_t physical);

/* The same of its address, wherever that is. The physical one may be WALKS_ANYWHERE. */
void recorder_translated(const struct recorder *recorder, struct recorder_thread *thread,
                         const struct assay_access *access, uint64_t physical);

/* The instruction in progress made a system call. */
void recorder_system_call(struct recorder *recorder, struct recorder_thread *thread,
                          uint64_t number, const uint64_t args[6]);
void recorder_system_return(struct recorder *recorder, struct recorder_thread *thread,
                            uint64_t number, int64_t value);

/* Before and after every system call of a thread, recorded or not: memory that it takes away is not
 * read meanwhile. */
void recorder_before_call(struct recorder *recorder, struct recorder_thread *thread,
                          uint64_t number, const uint64_t args[6]);
void recorder_after_call(struct recorder *recorder, struct recorder_thread *thread);

/* Settles and closes all threads and writes the end record; with all vcpus stopped and the lock
 * held. Does nothing if it was done before. */
void recorder_finish(struct recorder *recorder);

#endif
