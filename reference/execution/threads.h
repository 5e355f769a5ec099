/* The alignments of a trace with several threads of a recorded execution: a trace that gives thread
 * ids is followed from thread to thread. Each of them has a reader of the recording of its own. */
#ifndef ASSAY_EXECUTION_THREADS_H
#define ASSAY_EXECUTION_THREADS_H

#include "execution/alignment.h"

enum {
    ASSAY_THREADS_MAX = 32,  /* threads of one trace */
    ASSAY_THREADS_NONE = -1, /* no thread of the recording */
};

struct assay_listed_thread {
    uint64_t id; /* the system's */
    uint32_t number;
};

/* Of the windows: as their fields of these names, or null. */
struct assay_threads_setup {
    assay_window_raises *raises;
    assay_window_infers *infers;
    void *context;
};

struct assay_threads {
    struct assay_alignment
        *alignment[ASSAY_THREADS_MAX]; /* a trace without thread ids is of the first */
    int count;
    bool follows; /* the thread ids of the trace are followed */
    bool matched; /* an id of the trace is one of the recording: both use the same numbers */
    bool listed;  /* the list was made, or the recording cannot be read again */
    struct assay_listed_thread *list; /* threads in the order of their start; null: none */
    size_t list_count;
    struct assay_threads_setup setup;
    struct assay_diag diag;
};

/* Takes ownership of the execution, also when it fails. `thread` is the number of the traced
 * thread; ASSAY_EXECUTION_THREAD_FROM_TRACE: the threads that the trace names, or the first. */
enum assay_error assay_threads_open(struct assay_threads *threads,
                                    struct assay_execution *execution, uint32_t thread,
                                    const struct assay_threads_setup *setup,
                                    struct assay_diag *diag);
void assay_threads_close(struct assay_threads *threads);

/* The number of the alignment of the thread with these ids, each 0 if it is not given; `current` if
 * nothing shows that it is another. Ids that are not in the recording are of a thread that was not
 * recorded, ASSAY_THREADS_NONE, once another id was found in it; until then they are ignored, as
 * the systems may number their threads differently. */
int assay_threads_find(struct assay_threads *threads, uint64_t process, uint64_t id, int current);

/* Why the recording could not be read on; null if it could. */
const struct assay_diag *assay_threads_fault(const struct assay_threads *threads);

#endif
