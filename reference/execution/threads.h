/* The alignments of a trace through several threads of a recorded execution: a trace that tells ids
 * of threads is followed from one to the other. Each thread that is followed has a reader of its
 * own.
 */
#ifndef ASSAY_EXECUTION_THREADS_H
#define ASSAY_EXECUTION_THREADS_H

#include "execution/alignment.h"

enum {
    ASSAY_THREADS_MOST = 32, /* that one trace can be of */
    ASSAY_THREADS_NONE = -1, /* none of the recording */
};

struct assay_listed_thread {
    uint64_t id; /* the system's */
    uint32_t number;
};

struct assay_threads {
    struct assay_alignment
        *alignment[ASSAY_THREADS_MOST]; /* of the first one a trace is that tells none */
    int count;
    bool follows;
    bool matched; /* an id of the trace was one of the recording: both number alike */
    bool listed;  /* the list is there, or the recording cannot be read again */
    struct assay_listed_thread *list; /* threads in the order of their beginning; null: none */
    size_t list_count;
    struct assay_diag diag;
};

/* Takes the execution, also when it fails. `thread` is the number of the one thread that the trace
 * is of; ASSAY_EXECUTION_THREAD_FROM_TRACE: those that it tells, or the first. */
enum assay_error assay_threads_open(struct assay_threads *threads,
                                    struct assay_execution *execution, uint32_t thread,
                                    struct assay_diag *diag);
void assay_threads_close(struct assay_threads *threads);

/* The number of the alignment of the thread with these ids, each 0 if it is not told; the alignment
 * that is `present` if nothing says that it is another. Ids that the recording does not have are of
 * something else once one was found there, ASSAY_THREADS_NONE; before that, systems may number
 * their threads in other ways. */
int assay_threads_find(struct assay_threads *threads, uint64_t process, uint64_t id, int present);

/* Why the recording could not be read on; null: it could. */
const struct assay_diag *assay_threads_fault(const struct assay_threads *threads);

#endif
