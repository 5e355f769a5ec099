/* The state of the comparison, for its own files: the stage (compare.c) and the collecting of the
 * instructions ahead (compare_ahead.c). */
#ifndef ASSAY_EXECUTION_COMPARE_PRIVATE_H
#define ASSAY_EXECUTION_COMPARE_PRIVATE_H

#include "execution/compare.h"
#include "execution/event_buffer.h"
#include "execution/threads.h"

/* The instructions ahead, as far as they were collected. */
struct assay_compare_ahead {
    bool needed;
    bool whole; /* the trace is resumed after them */
    struct assay_alignment *alignment;
    unsigned count;
    int thread;
    uint64_t displaced;
    struct assay_compare_run run; /* in the first event; later ones are read from their beginning */
    size_t piece;                 /* of the buffer ... */
    size_t seen;                  /* ... and how many of its events were collected */
};

struct assay_compare {
    struct assay_stage stage;
    const struct assay_compare_format *format;
    void *context;
    struct assay_threads threads;
    int current;  /* the alignment of the thread that the events are of, or ASSAY_THREADS_NONE */
    bool resumed; /* another thread was traced since the last instruction of this one */
    bool all_accesses;                   /* the recording has every access */
    struct assay_uncompared *uncompared; /* the caller's ... */
    struct assay_uncompared nobodys;     /* ... or this one */
    bool interrupted_aborts; /* of the trace: its interrupted instructions did not retire */
    /* By how much the address of what is in line is wrong, by alignment. */
    uint64_t displaced[ASSAY_THREADS_MAX];
    /* Events: first those of the buffer, then the rest of the block. */
    struct assay_event_buffer *buffer;
    struct assay_block block;
    bool ended;                   /* the last event is in the buffer or the block */
    struct assay_compare_run run; /* how far the first event was compared */
    bool run_has_differed;        /* one of its instructions was not the expected one */
    bool last_is_same;            /* its latest instruction was the expected one */
    struct assay_compare_ahead ahead;
};

/* The alignment of the current thread; null when that was not recorded. */
struct assay_alignment *assay_compare_alignment(const struct assay_compare *c);

/* The thread of the events after one that can name it. */
int assay_compare_thread_after(struct assay_compare *c, const struct assay_event *event,
                               int current);

/* Whether an instruction is not matched: an attempt, or an interrupted one. In some traces the
 * interrupted instruction is the last one that completed; there it is matched. */
bool assay_compare_skips(const struct assay_compare *c, const struct assay_compare_step *step);

/* The number of instructions of an event. */
uint32_t assay_compare_run_length(const struct assay_compare *c, const struct assay_event *event);

/* --- the instructions ahead --- */

/* The current alignment needs the instructions from the first event on. */
void assay_compare_begin_ahead(struct assay_compare *c);

/* Shows these instructions to the alignment, when enough of them are there. False: a further block
 * is needed; all events of this one are in the buffer. */
bool assay_compare_look_ahead(struct assay_compare *c);

#endif
