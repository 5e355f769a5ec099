/* The recorded execution beside a trace: a stage above the layer of instructions of any format. It
 * takes the decoder's blocks, finds for each instruction of the trace the executed one that it
 * stands for, writes what follows from that into derived words of the events, and gives the events
 * on, unchanged otherwise.
 *
 * As long as each instruction is the one that was executed next, a block is annotated where it is
 * and given on. An instruction that is not is understood by those behind it: the events from there
 * on are copied to a buffer, and more of them are taken from the decoder, until ASSAY_DIFF_TRACE
 * instructions are there, the trace ends or the buffer is full. Events are given on as soon as it
 * is known what they stand for.
 *
 * A format says by a table of functions which of its events are instructions, and what it compares
 * beyond them: accesses, contents, where execution went on.
 *
 * An event can stand for a run of instructions that follow each other, as in formats that tell
 * addresses and counts and have the words from a program image. Each instruction of a run is
 * compared by itself, in order, as if it had an event of its own, also across the end of a run: a
 * run need not be cut where the recording's are. The words of ASSAY_COMPARE_FIELDS are of the first
 * of the run that is not the one due, or behind which something was left out; of the first one if
 * all are right. `compare` is called for each.
 */
#ifndef ASSAY_EXECUTION_COMPARE_H
#define ASSAY_EXECUTION_COMPARE_H

#include "common/model.h"
#include "execution/alignment.h"
#include "execution/compare_fields.h"

struct assay_compare;
struct assay_compare_current;

/* --- what a format says --- */

/* Words of an instruction's event that the execution can have. */
enum { ASSAY_COMPARE_ROOM = 8 };

/* What events of a kind are to the stage. */
enum assay_compare_role {
    ASSAY_COMPARE_IGNORED, /* nothing */
    ASSAY_COMPARE_INSTRUCTION,
    ASSAY_COMPARE_THREAD, /* can name the thread that the events behind it are of */
    ASSAY_COMPARE_NOTE,   /* the format compares something of it: `note` */
    ASSAY_COMPARE_END
};

enum assay_compare_flags {
    ASSAY_STEP_ATTEMPT = 1,   /* it faulted, and did not retire */
    ASSAY_STEP_INTERRUPT = 2, /* it was interrupted, and may not have retired: the first such of a
                                 trace that can be placed tells what the trace does */
    ASSAY_STEP_IN_LINE = 4    /* its address follows from that of the one before it: if that was
                                 wrong, it is wrong by as much */
};

/* An instruction of the trace. The flags are one number, so that they are written at once, as they
 * are read. */
struct assay_compare_step {
    struct assay_step step;
    unsigned flags; /* enum assay_compare_flags */
};

/* An instruction of the trace and what was executed for it. */
struct assay_compare_match {
    enum assay_outcome outcome;
    const struct assay_retired *executed; /* null unless same, moved or replaced */
    const struct assay_access *accesses;  /* of `executed`, in its number */
    bool same;                            /* `executed` has the same word at the same address */
    bool has_next;                        /* the instruction executed next is executed[1] */
    bool displaced;    /* nothing tells its address, or one from which it follows is wrong */
    bool diverted;     /* control was taken away right before it, and nothing was left out there */
    bool all_accesses; /* the recording tells every access of every instruction */
};

/* All functions may write the words of the event, where the format's own fields are. */
struct assay_compare_format {
    const struct assay_format *format;
    const uint8_t *roles; /* enum assay_compare_role of each kind */
    uint8_t first;        /* word of ASSAY_COMPARE_FIELDS in all kinds of instructions. The
                             ASSAY_COMPARE_ROOM words from there on are the execution's: they are
                             cleared before the first instruction of an event */
    uint8_t thread_words; /* of a kind that names threads: here, and one word behind, go the ids of
                             process and thread of the recording */
    uint8_t end_words;    /* first word of ASSAY_COMPARE_END_FIELDS */
    /* Instructions of an event, at least 1. Null: always 1. */
    uint32_t (*run)(const struct assay_event *event);
    /* Instruction number `at` of an event. */
    void (*step)(const struct assay_event *event, uint32_t at, struct assay_compare_step *step);
    /* The ids of process and thread that an event tells, each 0 if it does not. Null: the trace is
     * of one thread. */
    void (*thread)(void *context, const struct assay_event *event, uint64_t *process,
                   uint64_t *thread);
    /* An instruction was matched. match is null when it is not compared: of an attempt, of a thread
     * that was not recorded, or that was interrupted. */
    void (*compare)(void *context, const struct assay_event *event, uint32_t at,
                    const struct assay_compare_match *match, uint64_t *words);
    /* An event of a kind for the format, in the order of the trace. */
    void (*note)(void *context, const struct assay_event *event, uint64_t *words);
    /* assay_compare_fast_path with this format (compare_fast_path.h), where speed counts; or null.
     */
    size_t (*due)(void *context, const struct assay_compare_current *current,
                  const struct assay_event *events, size_t count);
};

/* Gives blocks as a decoder's `next` does; the words of its events are the stage's to write until
 * the next call. No event shows more than ASSAY_BUFFER_SHOWN bytes (event_buffer.h). */
typedef enum assay_error assay_compare_source(void *context, struct assay_block *block,
                                              struct assay_diag *diag);

/* Takes ownership of the execution, also when it fails. `thread` is the number in it of the thread
 * that the trace is of, or ASSAY_EXECUTION_THREAD_FROM_TRACE: those that the trace tells, or the
 * first. `context` is passed to the functions of the format, and `below` with its own to `next`. */
enum assay_error assay_compare_open(const struct assay_compare_format *format, void *context,
                                    struct assay_execution *execution, uint32_t thread,
                                    assay_compare_source *next, void *below,
                                    struct assay_compare **compare, struct assay_diag *diag);

/* The next events, annotated; otherwise as a decoder's `next`, and with its errors. A recording
 * that is damaged, or ends without its end, cannot be compared with from there on, and is an error,
 * too. */
enum assay_error assay_compare_next(struct assay_compare *compare, struct assay_block *block,
                                    struct assay_diag *diag);

/* What the recording says of itself. */
const struct assay_execution_header *assay_compare_header(const struct assay_compare *compare);

/* Null is allowed. */
void assay_compare_close(struct assay_compare *compare);

#endif
