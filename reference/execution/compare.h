/* The comparison of a trace with a recorded execution: a stage above the layer of instructions of
 * any format. It takes the decoder's blocks, aligns the instructions of the trace with those that
 * were executed, writes the result into derived cells of the events, and passes the events on,
 * otherwise unchanged.
 *
 * As long as each instruction is the one that was executed next, blocks are annotated in place. A
 * mismatch is explained by the instructions after it: from there on, events are copied to a buffer
 * and more are taken from the decoder, until ASSAY_DIFF_TRACE instructions are buffered, the trace
 * ends or the buffer is full. Events are passed on as soon as it is known what they correspond to.
 *
 * A format states in a table of functions which of its events are instructions, and what else of
 * them it compares: accesses, contents, where execution went on.
 *
 * What was executed after the trace is said by an event of the role ASSAY_COMPARE_END, of the same
 * layer: the kind `end` where there is one layer only, otherwise a kind of the format that the
 * stage below adds at its end.
 *
 * An event can represent a run of consecutive instructions, as in formats that give addresses and
 * counts and take the encodings from a program image. Each instruction of a run is compared by
 * itself, in order, as if it had an event of its own, also across the end of a run: runs need not
 * be cut where those of the recording are. The cells of ASSAY_COMPARE_FIELDS are of the first
 * instruction of the run that does not match or before which something was left out; of the first
 * instruction if all match. `compare` is called for each, but for those after the first one that
 * are taken by `line`.
 */
#ifndef ASSAY_EXECUTION_COMPARE_H
#define ASSAY_EXECUTION_COMPARE_H

#include "execution/alignment.h"
#include "execution/compare_fields.h"
#include "execution/process.h"
#include "execution/uncompared.h"
#include "model/history.h"
#include "model/stage.h"

struct assay_compare_current;

/* --- what a format states --- */

/* Cells of an instruction's event that are reserved for the comparison. */
enum { ASSAY_COMPARE_ROOM = 8 };

/* The role of a kind's events for the stage. */
enum assay_compare_role {
    ASSAY_COMPARE_IGNORED,
    ASSAY_COMPARE_INSTRUCTION,
    ASSAY_COMPARE_THREAD, /* can name the thread of the events after it */
    ASSAY_COMPARE_NOTE,   /* the format compares something of it: `note` */
    ASSAY_COMPARE_END     /* the last event of the layer, after all instructions */
};

enum assay_compare_flags {
    ASSAY_STEP_ATTEMPT = 1,    /* it faulted and did not retire */
    ASSAY_STEP_INTERRUPT = 2,  /* it was interrupted, and may not have retired: the first such one
                                  that can be matched decides which the trace means */
    ASSAY_STEP_IN_LINE = 4,    /* its address follows from the one before it: if that was wrong, it
                                  is wrong by as much */
    ASSAY_STEP_UNCOMPARED = 8, /* it is left out on both sides (`raises`) */
    ASSAY_STEP_TRAPPED = 32,   /* the trace has a trap there: `trapped` */
    ASSAY_STEP_SYSTEM = 16 /* it is of the system, and the recording that of a process, which has
                              nothing of the system: it is left out, and counted */
};

/* The position in the instructions of an event. They are read in order, but possibly twice: once to
 * be compared and once while looking ahead from an earlier one, each with a separate struct, which
 * can be copied. So the format's position in a run must be contained in this struct. */
struct assay_compare_run {
    uint32_t at;       /* number of the next instruction, from 0 */
    uint64_t place[2]; /* for the format: its position in the run; 0 at the beginning */
};

/* An instruction of the trace. The flags are one number, so that they are written and read
 * together.
 */
struct assay_compare_step {
    struct assay_step step;
    unsigned flags; /* enum assay_compare_flags */
};

/* An instruction of the trace and the executed one that it was matched with. */
struct assay_compare_match {
    enum assay_alignment_outcome outcome;
    const struct assay_retired *executed; /* null unless same, moved or replaced */
    const struct assay_access *accesses;  /* of `executed`, in its number */
    const struct assay_window *window;    /* that `executed` is of, for its walks */
    struct assay_alignment *alignment;    /* of the thread */
    bool same;                            /* `executed` has the same word at the same address */
    bool has_next;                        /* the instruction executed next is executed[1] */
    bool displaced;    /* its address is not known, or follows from one that is wrong */
    bool diverted;     /* control was taken away right before it, and nothing was left out there */
    bool all_accesses; /* the recording has every access of every instruction */
    struct assay_uncompared *uncompared; /* where the format counts what it cannot compare */
};

/* Functions of a format. All of them may write the cells of the event that belong to the format. */
struct assay_compare_format {
    const struct assay_format *format;
    uint8_t isas;         /* the instruction sets of its traces: bits by enum assay_execution_isa */
    const uint8_t *roles; /* enum assay_compare_role of each kind */
    assay_window_raises *raises; /* instructions that neither side compares, as only some show them:
                                    `step` sets ASSAY_STEP_UNCOMPARED; or null */
    assay_window_infers *infers; /* where the trace shows nothing of how execution went on; an
                                    instruction whose step `repeats` may have been executed more
                                    often, in a loop of such (silent_loop.h); or null */
    uint8_t first;               /* cell of ASSAY_COMPARE_FIELDS in all kinds of instructions. The
                                    ASSAY_COMPARE_ROOM cells from there on are cleared before the first
                                    instruction of an event */
    uint8_t thread_cells; /* in a kind that names threads: the cell for the recording's process id;
                             the thread id is in the next one */
    uint8_t end_cells;    /* first cell of ASSAY_COMPARE_END_FIELDS */
    /* Number of instructions of an event, at least 1. Null: always 1. */
    uint32_t (*run)(const struct assay_event *event);
    /* Reads the next instruction of an event, number run->at, and moves run->place on. The event
     * may be one from before others that were decoded since: what reading it depends on, such as
     * an address space, is in its cells. The context can hold a cursor of a program image. */
    void (*step)(void *context, const struct assay_event *event, struct assay_compare_run *run,
                 struct assay_compare_step *step);
    /* Instructions of an event of which `step` would give nothing but address and word, from number
     * run->at on, the first one included, where run->place[0] is the number of the bytes before it.
     * They can be taken at once, as long as each is of the instruction that was executed next; then
     * place[0] is moved on by their bytes. Count 0: none. Null: each is given by `step`. */
    struct assay_line (*line)(void *context, const struct assay_event *event,
                              const struct assay_compare_run *run);
    /* Whether the last instruction of an event is a branch of which the trace says where it leads:
     * `to`. It is for where no record follows that shows it. Null: it is of none. */
    bool (*leads)(void *context, const struct assay_event *event, uint64_t *to);
    /* Whether it was that branch, and nothing after it, that led to another address, where
     * execution went on; `diverted`: control was taken away there. */
    bool (*can_lead)(void *context, const struct assay_event *event, uint64_t pc, bool diverted);
    /* Says where execution went on after that branch, as far as it is known. */
    void (*went_on)(uint64_t pc, uint64_t *cells);
    /* What the format knows of a recording of a process, to be set at the beginning; null: it makes
     * no difference. */
    struct assay_process *(*process)(void *context);
    /* The ids of process and thread that an event gives, 0 where it gives none. Null: the trace is
     * of one thread. */
    void (*thread)(void *context, const struct assay_event *event, uint64_t *process,
                   uint64_t *thread);
    /* An instruction was matched. match is null where nothing is compared: for attempts, for
     * interrupted instructions, and for threads that were not recorded. */
    void (*compare)(void *context, const struct assay_event *event, uint32_t at,
                    const struct assay_compare_match *match, uint64_t *cells);
    /* An instruction with ASSAY_STEP_TRAPPED, after `compare`: where the alignment is, the trap can
     * have been taken (assay_alignment_trap). */
    void (*trapped)(void *context, const struct assay_event *event,
                    struct assay_alignment *alignment, uint64_t *cells);
    /* The trace ends. The alignment is that of the thread of its last instruction, with no record
     * of another thread after it; null where that was not recorded. Null: there is nothing to say.
     */
    void (*end)(void *context, struct assay_alignment *alignment, uint64_t *cells);
    /* An event with the role ASSAY_COMPARE_NOTE, in the order of the trace. */
    void (*note)(void *context, const struct assay_event *event, uint64_t *cells);
    /* assay_compare_fast_path for this format (compare_fast_path.h), for speed; or null. */
    size_t (*fast_path)(void *context, const struct assay_compare_current *current,
                        const struct assay_event *events, size_t count);
};

/* Puts the stage on top of a chain. The cells of the events below are the stage's to write, until
 * the next block is asked for. No event has more than ASSAY_BUFFER_SHOWN bytes (event_buffer.h).
 *
 * The execution of the input, without which nothing is added, is owned by the stage from now on,
 * also when this fails. It is compared with the thread that the input names, or, if that is
 * ASSAY_EXECUTION_THREAD_FROM_TRACE, with those that the trace names, or the first. What cannot be
 * compared is counted in the input's `uncompared`. `context` is passed to the functions of the
 * format. `origins` is the history that `from` of the events below refers to; null where they have
 * none.
 *
 * A recording of another instruction set, without an instruction of the thread, or without any of
 * the first instructions of the trace is the wrong one: `uncompared` says so then.
 *
 * If a recording is damaged, or lacks its end record, the comparison cannot continue: that is an
 * error of the chain. */
enum assay_error assay_compare_add(struct assay_chain *chain,
                                   const struct assay_compare_format *format, void *context,
                                   const struct assay_decode_input *input,
                                   struct assay_history *origins, struct assay_diag *diag);

#endif
