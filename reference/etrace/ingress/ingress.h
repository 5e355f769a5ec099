/* The state of the third stage (ingress.c), which goes through the record of the interface, and
 * compares it with the path by the packets (path_comparison.c). */
#ifndef ASSAY_ETRACE_INGRESS_H
#define ASSAY_ETRACE_INGRESS_H

#include "etrace/etrace.h"
#include "etrace/ingress/claims.h"
#include "etrace/interface/block_reader.h"
#include "etrace/interface/data_signals.h"
#include "etrace/interface/qualify.h"
#include "etrace/path/path.h"
#include "model/step_stage.h"

/* Values of the fields `state` and `cause` (ingress.def). */
enum etrace_state {
    ETRACE_UNTRACED, /* the path was not followed there */
    ETRACE_TRACED,
    ETRACE_LEFT_OUT, /* the path goes on after it without it */
    ETRACE_DIFFERS   /* the path is elsewhere in its place */
};
enum etrace_due {
    ETRACE_DUE_NOT,
    ETRACE_DUE_TARGET,
    ETRACE_DUE_NOTIFIED,
    ETRACE_DUE_BEFORE_TRAP,
    ETRACE_DUE_BEFORE_CHANGE,
    ETRACE_DUE_BEFORE_SYNC,
    ETRACE_DUE_BEFORE_END,
    ETRACE_DUE_BRANCHES,
    ETRACE_DUE_CHANGE,
    ETRACE_DUE_RESYNC
};

/* Of the signal trigger: the report of the last instruction of the block is requested (4.2.4). */
enum { ETRACE_TRIGGER_NOTIFY = 4 };

/* A report. What it is due for may be known only when the next one comes. */
struct etrace_pending {
    bool waits;
    bool has_address; /* its packet has the address of the instruction */
    uint64_t cells[ETRACE_CELLS_report];
    uint64_t run;    /* index of the run that it ends */
    uint64_t packet; /* index of its packet */
    uint64_t after;  /* instructions of the path since then */
};

/* A trap of the record that the path has come to. */
struct etrace_trap {
    bool waits; /* no packet has reported it yet */
    uint64_t cells[ETRACE_CELLS_taken_trap];
};

/* A part of the path: what was traced without a gap. Where nothing says how long the gap before it
 * was, it is compared with the first place of the record at which it can begin, and, if it differs
 * there, searched further on (alternative_alignments.c). */
enum { ETRACE_PART_MOST = 4096 };
struct etrace_ingress_part {
    uint64_t key[ETRACE_PART_MOST]; /* of its instructions, up to the one at hand */
    uint32_t count;
    uint64_t entry_trap; /* the trap of a packet with whose handler it begins; 0: none */
    uint64_t place[ETRACE_PART_MOST]; /* of the record, that each instruction was compared with */
    bool known;                       /* all its instructions are in `key` */
    bool misplaced; /* it differs from the record at the place that it was compared with */
    bool searches;  /* `search` has begun */
    struct assay_placement_search search;
    uint32_t line; /* of the block from which it differs */
    bool broken;   /* blocks of the record are missing */
};

/* A place in the record (etrace_block_place) that the path comes to, and the trap of a packet that
 * leads there; 0: none. */
struct etrace_visit {
    uint64_t number, trap;
};

/* Places of the record that the path was aligned with for sure, and that it can have come to at
 * another time, too: packets of a loop are the same in each iteration (alternative_alignments.c).
 */
enum { ETRACE_CUTS_MOST = 4096, ETRACE_REPORTS_MOST = 8, ETRACE_LOOKED_MOST = 64 };
struct etrace_revisits {
    bool first; /* tracing can have begun later than the record, in another iteration */
    struct etrace_visit cut[ETRACE_CUTS_MOST]; /* where the parts of the path begin, if so */
    uint32_t cuts;
    /* The last reported instructions, to which returns that are inferred can lead once more. */
    struct etrace_visit report[ETRACE_REPORTS_MOST];
    uint32_t reports;               /* that there were; the last ones are kept */
    uint32_t looked;                /* searches so far, each of which reads the record */
    uint64_t key[ETRACE_PART_MOST]; /* of the instructions that follow on the path */
    uint32_t count;
};

/* Where the packets say that instructions no longer qualify. */
struct etrace_unqualified {
    bool directly; /* before the block at hand */
    bool known;    /* and it was sure where that was */
    bool halted;   /* the hart was, since then */
    bool still;    /* since then: the next packet begins the path that is searched */
    bool certain;  /* that path begins with the first block that qualifies */
    bool trapped;  /* a trap that can qualify was passed since */
    uint32_t line; /* of a block that has the address at which it begins, and does not qualify */
};

struct etrace_ingress_stage {
    struct assay_step_stage base;
    struct assay_execution *execution; /* owned; its table is read */
    struct etrace_block_reader reader;
    struct assay_placement_source search_reader; /* the same record, for searches */
    struct assay_placement placement;

    /* The record. */
    bool infers_traps;             /* it is a log without traps: they follow from what retires */
    uint64_t blocks, traced, left; /* all, those of the path, those after the last one of these */
    uint64_t left_from;            /* address of the last instruction of the last one of the path */
    bool left_quiet;               /* those after it make no packet due */
    struct assay_uncompared *uncompared; /* counts those that retired and may qualify; or null */

    /* The path. */
    bool entered;                 /* the event below was begun */
    bool aligned;                 /* the path is at `position` of the block */
    uint64_t position;            /* bytes of the block that the path has passed */
    bool placed;                  /* it is sure where the path is: not after a gap, unless what is
                                     not traced does not qualify */
    uint64_t skipped, skipped_at; /* blocks of the search, and the first of them */
    uint64_t skipped_last;        /* address of the last instruction in them */
    uint64_t skipped_counted;     /* of them, counted as `uncompared->recorded` */
    bool skipped_due;             /* a packet is due for one of them, wherever the path is */
    bool sure;                    /* it was sure where the path is, before the search */
    bool awaits_handler;          /* a packet without the address of a handler was the last one */
    bool follows_first_trap; /* the block before has the trap of the first instruction to be traced
                              */
    bool handler_unretired;  /* the packet at hand is of a trap whose handler did not come to retire
                              */
    bool reports_both;       /* of two traps without an instruction between them both are (2.0) */
    uint32_t at;             /* instructions of the run that were compared */
    uint64_t pc;             /* of the next one */
    uint64_t privilege, context; /* by the packets, of the last instruction */
    bool through;                /* it comes from the block before without an end or a trap */
    bool synchronises, reported; /* as the fields of the block */
    uint64_t reported_context;   /* `synchronises`: of the instruction that is reported */
    bool continues;
    enum etrace_entered entered_by;
    bool mispredicted; /* as the field of the block */
    enum etrace_outcome outcome;
    uint64_t differs, differs_due; /* where the path is in place of the block */
    struct etrace_trap trap;
    struct etrace_pending pending;
    struct etrace_values contexts, causes; /* of the record; a cause with `interrupt` in bit 0 */
    struct etrace_claims claims;
    char why[96]; /* why the layer is not complete; empty: it is */
    bool has_ctype;
    bool announced;        /* a packet has a context alone, within the path */
    bool has_path;         /* as the field of the end */
    uint64_t qualifying;   /* blocks that retire and qualify */
    bool concluded;        /* a support packet ended the path */
    uint64_t last_context; /* by the packets, where it did */
    uint64_t reportable;   /* blocks whose context is to be reported by ctype */
    struct etrace_ingress_part part;
    struct etrace_revisits revisits;
    bool given_up; /* the record has ended in search of a part */
    struct etrace_unqualified off;
    bool begins, cut;  /* as the fields of the block */
    bool addressed;    /* a packet has the address of the instruction before the one at hand */
    bool asynchronous; /* the path has ended before a packet to whose address nothing leads */
    bool passes;       /* the run at hand is of a path to such a packet that was not executed */
    bool located;      /* the path was last seen in the record */
    bool lost, beyond;
    uint64_t lost_at;
    uint32_t lost_line;

    struct etrace_signalled_reader *signalled; /* owned; null: the record has no data signals */
    uint64_t data_width, data_mask;            /* of data, of addresses of data */

    /* Control registers. */
    bool configured; /* some were given */
    struct etrace_qualifier qualifier;
    struct etrace_qualified qualified; /* the block */
};

/* --- the record (blocks.c) --- */

/* The reader is at the first block. */
void etrace_ingress_begin(struct etrace_ingress_stage *s);

/* Adds the event of the block, and goes to the next one. */
void etrace_ingress_pass(struct etrace_ingress_stage *s, const struct assay_event *from,
                         enum etrace_state state);

/* So many blocks, of those that were passed, are of iterations that no trace can show. */
void etrace_ingress_discount(struct etrace_ingress_stage *s, uint64_t blocks);

/* --- data accesses (data_accesses.c) --- */

/* Adds the event of the next access, or response, of a line up to that of the block. False: there
 * is none. */
bool etrace_ingress_add_access(struct etrace_ingress_stage *s);

/* --- claims (claims.c) --- */

/* The path passes the block: it can be what claims say, and its context and cause are counted. */
void etrace_ingress_take_block(struct etrace_ingress_stage *s);

/* A packet without an address has the context of a run, or the packet of a trap whose handler comes
 * later has one; or a packet has a cause. The record has it somewhere. */
void etrace_ingress_claim_context(struct etrace_ingress_stage *s, const struct assay_event *run);
void etrace_ingress_claim_context_of_trap(struct etrace_ingress_stage *s,
                                          const struct assay_event *trap);
void etrace_ingress_claim_cause(struct etrace_ingress_stage *s, const struct assay_event *trap);

/* A packet reports the instruction at hand, and has its level and context; or a trap, which the
 * record has after the block at hand or later. */
void etrace_ingress_claim_place(struct etrace_ingress_stage *s, const struct assay_event *run);
void etrace_ingress_claim_trap(struct etrace_ingress_stage *s, const struct assay_event *trap);

/* Adds the event of the next claim that is decided, or, where the record has ended, of any. False:
 * there is none. */
bool etrace_ingress_add_claim(struct etrace_ingress_stage *s, bool ended);

/* --- parts without a place (alternative_alignments.c) --- */

/* The path begins at no sure place, with a trap or, null, without one. */
void etrace_ingress_begin_part(struct etrace_ingress_stage *s, const struct assay_event *trap);

/* The trap after the block, which the path has come to, waits for its packet. */
void etrace_ingress_take_trap(struct etrace_ingress_stage *s);

/* Whether the block is an exception on the first instruction that was to be traced. */
bool etrace_ingress_is_first(const struct etrace_ingress_stage *s);

/* Adds the instruction at hand. False: the one of the record, at `due`, is another one; the part is
 * `misplaced` then, unless it is too long. */
bool etrace_ingress_follow_part(struct etrace_ingress_stage *s, uint64_t due);

/* Goes on in search of the part, by a block. True, and no longer `misplaced`: the instruction of
 * the record is the last one of the part. Adds an event. */
bool etrace_ingress_find_part(struct etrace_ingress_stage *s, const struct assay_event *run);

/* --- alternative alignments (alternative_alignments.c) --- */

/* A part of the path begins; and the last instruction, of `size` bytes, was reported. */
void etrace_ingress_cut(struct etrace_ingress_stage *s);
void etrace_ingress_report(struct etrace_ingress_stage *s, unsigned size);

/* Whether the path, up to where an event leads, can be at another place than the one that it is
 * aligned with; with the context of the packet at the instruction at hand, if `has_context`. */
bool etrace_ingress_elsewhere(struct etrace_ingress_stage *s, const struct assay_event *event,
                              bool has_context);

/* --- control registers (qualification.c) --- */

void etrace_ingress_configure(struct etrace_ingress_stage *s,
                              const struct assay_parameter_values *values);

/* Evaluates them for the block, once its facts are known. */
void etrace_ingress_qualify(struct etrace_ingress_stage *s);

/* A path ends; and one begins, by an event that says where, after the block at hand. */
void etrace_ingress_end(struct etrace_ingress_stage *s, const struct assay_event *end);
void etrace_ingress_begin_search(struct etrace_ingress_stage *s, const struct assay_event *begin);

/* --- reports (report_due.c) --- */

/* A packet reports the instruction at hand, the last one of a run and, if `last`, of the block.
 * `privilege`: of the instruction before it. */
void etrace_ingress_report_due(struct etrace_ingress_stage *s, const struct assay_event *run,
                               bool last, uint64_t privilege);

/* A run begins, which can show that an address was that of a later occurrence. */
void etrace_ingress_reconsider_report(struct etrace_ingress_stage *s,
                                      const struct assay_event *run);

/* The block is but another report of the instruction that the path came to. */
void etrace_ingress_repeat_report(struct etrace_ingress_stage *s);

/* Adds the report that waits, as one that is due for `otherwise` unless it is known to be due for
 * something else. */
void etrace_ingress_settle(struct etrace_ingress_stage *s, enum etrace_due otherwise);

/* --- where the path goes on (resumption.c) --- */

/* An event says where the path goes on. */
void etrace_ingress_resume(struct etrace_ingress_stage *s, const struct assay_event *event);

/* Goes on to the block with an address. True when the search is over. */
bool etrace_ingress_find_address(struct etrace_ingress_stage *s, const struct assay_event *event);

/* Passes a trap of the record that retires nothing, after what the path has passed. */
bool etrace_ingress_pass_traps(struct etrace_ingress_stage *s, const struct assay_event *event);

/* Adds the trap that waits, or that of `packet`, if that is not null. True: what the path does not
 * have before it are iterations of a loop that no trace can show. */
bool etrace_ingress_add_trap(struct etrace_ingress_stage *s, const struct assay_event *event,
                             const struct assay_event *packet);

/* As etrace_ingress_compare. */
bool etrace_ingress_compare_trap(struct etrace_ingress_stage *s, const struct assay_event *trap);

/* --- the path (path_comparison.c) --- */

/* Compares some of an event of the layer below with the record; adds at most
 * ETRACE_INGRESS_AT_ONCE events, and at least one if it returns false. True when the event is used
 * up. */
bool etrace_ingress_compare(struct etrace_ingress_stage *s, const struct assay_event *event);

enum { ETRACE_INGRESS_AT_ONCE = 16 };

#endif
