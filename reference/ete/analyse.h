/* The state of the stage of the layer `instruction` (analyse.c), which follows the program by
 * resolved elements. */
#ifndef ASSAY_ETE_ANALYSE_H
#define ASSAY_ETE_ANALYSE_H

#include "ete/ete.h"
#include "ete/stack.h"
#include "ete/view.h"
#include "ete/walk.h"
#include "execution/process.h"

/* A walk through a program whose memory changes: it is what it was in the span. */
struct ete_timed_walk {
    struct ete_walk walk;
    struct assay_image_span span;
};

enum {
    ETE_PARTS_MOST = 1024,        /* of the program, for which an element is followed */
    COUNTED_MOST = (1 << 19) - 1, /* of `counted_before` */
    ETE_WAYS_MOST = 256           /* through a Q element, that are followed at a time */
};

/* Values of the fields `by`, `goes_by`, `reached` and `reason` (elements.def). */
enum ete_by { ETE_BY_ATOM, ETE_BY_SOURCE, ETE_BY_EXCEPTION, ETE_BY_Q };
enum ete_goes_by {
    ETE_GOES_UNKNOWN,
    ETE_GOES_SEQUENCE,
    ETE_GOES_BRANCH,
    ETE_GOES_STATED,
    ETE_GOES_STACK,
    ETE_GOES_UNSTATED,
    ETE_GOES_RESET
};
enum ete_reached {
    ETE_NOT_FOLLOWED,
    ETE_REACHED,
    ETE_BEHIND,
    ETE_PASSED,
    ETE_REACHES_ABSENT,
    ETE_REACHES_CHANGING,
    ETE_REACHES_GIVEN_UP,
    ETE_TOO_FAR
};
enum ete_lost {
    ETE_LOST_START,
    ETE_LOST_TRACE_ON,
    ETE_LOST_DISCARD,
    ETE_LOST_OVERFLOW,
    ETE_LOST_LOSS,
    ETE_LOST_FAILURE,
    ETE_LOST_ABSENT,
    ETE_LOST_NO_TARGET,
    ETE_LOST_NO_P0,
    ETE_LOST_Q,
    ETE_LOST_NO_CONTEXT,
    ETE_LOST_NOT_REACHED,
    ETE_LOST_CHANGING,
    ETE_LOST_GIVEN_UP
};

/* The cells of runs and exceptions, and bits (elements.def). */
enum {
    FACTS = ETE_CELL_run_by,
    COMPUTED = ETE_CELL_run_computed,
    STATED = ETE_CELL_run_stated,
    ADDRESS = ETE_CELL_run_address,
    END = ETE_CELL_run_end,
    COUNT = ETE_CELL_run_count,
    CONTEXT = ETE_CELL_run_context_id,
    LAST_WORD = ETE_CELL_run_last_word,
    MOMENTS,
    WORD = ETE_CELL_instruction_word /* it has ADDRESS and CONTEXT where a run has them */
};
/* And of a sync_lost, whose bits of where it led are those of a run. */
enum {
    LOST_FACTS = ETE_CELL_sync_lost_reason,
    LOST_ADDRESS = ETE_CELL_sync_lost_address,
    LOST_SKIPPED = ETE_CELL_sync_lost_skipped,
    LOST_COMPUTED = ETE_CELL_sync_lost_computed,
    LOST_STATED = ETE_CELL_sync_lost_stated,
    LOST_WHERE = ETE_CELL_sync_lost_isa,
    LOST_CONTEXT = ETE_CELL_sync_lost_context_id
};
enum {
    EL_BIT = ETE_BIT_run_el,
    SECURITY_BIT = ETE_BIT_run_security,
    GOES_BIT = ETE_BIT_run_goes_by,
    COMPUTED_BIT = ETE_BIT_run_is_computed,
    STATED_BIT = ETE_BIT_run_is_stated,
    STATED_IS1_BIT = ETE_BIT_run_stated_is1,
    COMPUTED_IS1_BIT = ETE_BIT_run_computed_is1,
    BY_BIT = ETE_BIT_run_by,
    LAST_BIT = ETE_BIT_run_last,
    CONDITIONAL_BIT = ETE_BIT_run_is_conditional,
    LINK_BIT = ETE_BIT_run_is_link,
    ENDS_BIT = ETE_BIT_run_ends,
    TAKEN_BIT = ETE_BIT_run_taken,
    MISPREDICTED_BIT = ETE_BIT_run_mispredicted,
    UNCERTAIN_BIT = ETE_BIT_run_uncertain,
    AGREES_BIT = ETE_BIT_run_stack_agrees,
    LAST_CALL_BIT = ETE_BIT_run_last_call,
    OLD_ENTRY_BIT = ETE_BIT_run_entry_before_info,
    ENTRY_DISCARDED_BIT = ETE_BIT_run_entry_discarded,
    RESUMES_BIT = ETE_BIT_run_resumes,
    AFTER_SYSTEM_BIT = 53, /* in FACTS, no field: a higher Exception level was left since the run
                              before, which the comparison with a recording asks */
    BROADCAST_BIT = ETE_BIT_run_broadcast,
    VIEW_BIT = ETE_BIT_run_view,
    POINTS_BIT = ETE_BIT_run_points,
    KEEPS_CONTEXT_BIT = ETE_BIT_run_keeps_context,
    STACK_WHOLE_BIT = ETE_BIT_run_stack_is_whole,
    COUNTED_BIT = ETE_BIT_run_counted_before,
    TESTS_BIT = ETE_BIT_run_tests_flags,
    FLAGS_BIT = ETE_BIT_run_flags_left,
    COVERED_BIT = 33, /* in FACTS, no field: what `covered` was before a run, in 3 bits */
    LAST_SIZE_BIT = ETE_BIT_run_last_size /* of an exception the word at its address has it there */
};
enum {
    TYPE_BIT = ETE_BIT_exception_taken_type,
    UNKNOWN_BIT = ETE_BIT_exception_taken_unknown,
    REACHED_BIT = ETE_BIT_exception_taken_reached,
    AFTER_CALL_BIT = ETE_BIT_exception_taken_after_call,
    ACCESSES_BIT = ETE_BIT_exception_taken_word_accesses
};

/* A walk in the cache, with its outcomes for an E and an N atom in one context: the fields of their
 * runs are computed when the walk is first used there, and copied from then on. */
struct ete_cached_walk {
    struct ete_walk walk;
    uint64_t context; /* number of that context (ete_analyse.contexts); 0: none yet */
    uint64_t says[MOMENTS + 1 - ADDRESS]; /* cells of the runs, from ADDRESS on */
    struct ete_outcome {
        uint64_t facts;               /* cell of the run */
        struct ete_position next;     /* where the program is then, if that is known */
        struct ete_cached_walk *then; /* the walk that came after it last; null: none */
        uint16_t flags;               /* values of the condition flags that it allows, by bits */
        bool known;
    } outcomes[2];    /* of the atom: N, E */
    uint16_t key;     /* with the address what it is in the cache by */
    uint16_t forgets; /* values of the condition flags that its instructions may set: all or none */
    bool tests;       /* its last instruction tests those that it did not set */
};

enum { ETE_GOES_ON_CELLS = 6 }; /* the first ones, which say where execution went on */

/* An event that elements after the one that it is of can still change: a Target Address says where
 * it goes on, a Mispredict that its branch was not taken, or the other way round. */
struct ete_pending {
    uint16_t kind;        /* ETE_run, ETE_exception_taken, ETE_sync_lost; 0: none */
    uint64_t *cells;      /* of the event, which the stage holds back */
    struct ete_walk walk; /* of a run: its end */
    bool has_info;        /* a Trace Info came after it, which can begin another session */
    uint64_t before_info[ETE_GOES_ON_CELLS]; /* its cells then */
    unsigned asides;   /* kinds of ETE_PATH that came after it, by bits in their order */
    uint64_t *started; /* cells of the Transaction Start among them; null: there is none */
};

/* Ways through the program that a Q element can have gone, by where they are and the instructions
 * that they still have. */
struct ete_way {
    struct ete_position at;
    uint32_t left;
    unsigned has; /* what of it matters later, by bits (q_ends.c) */
};

struct ete_ways {
    struct ete_way way[ETE_WAYS_MOST]; /* in order: most are left at the end */
    unsigned count;
    bool impossible; /* there are others, which have what is not executed: the first one found */
    uint32_t impossible_word;
    uint64_t impossible_at;
};

struct ete_analyse {
    struct assay_step_stage base;
    struct assay_parameter_values *values;
    struct assay_image_cursor cursor; /* in the space that the program is in */
    struct assay_image_cursor again;  /* where runs are read again, to be compared */
    struct assay_image_cursor shown;  /* and where for messages, perhaps on another thread */
    const struct assay_conditions *conditions; /* of rules, or null */
    struct assay_run_cache
        cache; /* of struct ete_cached_walk; with a timeline of struct ete_timed_walk */
    struct ete_cached_walk *first;         /* the walk that the first atom came to */
    struct ete_cached_walk **then;         /* where the walk is that comes after the latest atom */
    const struct assay_timeline *timeline; /* of the program's memory; null: it does not change */
    struct ete_timed_walk uncached;        /* one that is in no cache */
    struct ete_pending pending;
    bool gap;              /* a Trace On came after the pending run, which is not output yet */
    uint64_t gap_on;       /* number of that element */
    uint64_t gap_offset;   /* of it */
    uint64_t since;        /* what the next run has of `resumes`, and AFTER_SYSTEM_BIT */
    uint64_t counted;      /* `counted_before` of the next run */
    uint16_t flags;        /* values of the condition flags that the runs so far allow, by bits */
    uint16_t flags_before; /* and those before the pending run */
    struct assay_process process; /* of the recording that the path is compared with */

    /* Where the program is (K10.5.5.2). */
    struct ete_position at; /* of the next instruction, if `known` */
    bool known;
    bool from_stack; /* not known, after an indirect branch: the return stack can say it */
    bool has_context;
    bool aarch64;
    uint8_t el, security;
    uint32_t context_id, vmid;
    uint64_t contexts; /* Context elements so far that changed it, from 1 */

    struct ete_stack stack;
    bool wfx_p0; /* TRCIDR2.WFXMODE */
    struct ete_broadcast broadcast;
    struct ete_view view;

    /* The element that is being followed, over several steps. */
    bool following;
    unsigned atom;     /* of several ones, the number of the one that is followed */
    uint64_t begin;    /* address of its first instruction */
    uint32_t parts;    /* of the program that it was followed for */
    uint64_t left;     /* of a Q: instructions that it still has */
    bool synchronised; /* of a Q: an ISB is among those before */
    uint8_t call;      /* of an exception: the latest instruction, as `after_call` names it */

    struct ete_ways *ways; /* of the pending Q, all to their ends, if they are known */
    bool ways_known;       /* that depends on conditional branches, and on nothing else */

    bool loses;      /* the next Discard element loses elements that were not resolved */
    uint64_t offset; /* of the latest element */
    char why[96];    /* something could not be followed */
};

/* --- events (analyse.c) --- */

/* Outputs the pending event; the second makes another one pending, whose cells are 0. */
void ete_flush(struct ete_analyse *a);
uint64_t *ete_begin_pending(struct ete_analyse *a, enum ete_kind kind,
                            const struct assay_event *element);

/* The position is lost. */
void ete_lose(struct ete_analyse *a, const struct assay_event *element, enum ete_lost reason,
              uint64_t address);

/* --- following (follow.c) --- */

/* Whether an element can be followed from where the program is. If not, what is known of the
 * position is lost (K10.5.6.2.2). */
bool ete_is_in_sync(struct ete_analyse *a, const struct assay_event *element);

/* Follows the atoms of an element, from number a->atom on, as far as that is only a matter of walks
 * that are in the cache: what ete_is_in_sync and ete_follow_atom do, for many atoms at once. */
void ete_follow_cached(struct ete_analyse *a, const struct assay_event *element);

/* Follows an element of a kind by a part of the program. True when it is done. */
bool ete_follow_atom(struct ete_analyse *a, const struct assay_event *element, bool taken);
bool ete_follow_source(struct ete_analyse *a, const struct assay_event *element);
bool ete_follow_exception(struct ete_analyse *a, const struct assay_event *element);
bool ete_follow_q(struct ete_analyse *a, const struct assay_event *element);

/* The instructions from where the program is, without saying what of them is used. */
struct ete_walk ete_peek(struct ete_analyse *a, uint64_t most);

/* Finds out where the pending Q can lead (q_ends.c): its instructions up to where the program is
 * end with the walk, and it has others left. Null: these are more than are followed. The second
 * says of the event what follows from the place where it led; null: from its being any. */
void ete_find_q_ends(struct ete_analyse *a, const struct ete_walk *walk);
void ete_say_q_ends(struct ete_analyse *a, const struct ete_position *to);

/* --- transactions that were undone (undone.c) --- */

/* Whether a transaction that begins where the program is executes its TCOMMIT before the last of
 * its first atoms, which are as a resolved element has them (ETE_UNDONE in elements.def). */
bool ete_executes_tcommit(struct ete_analyse *a, uint64_t atoms);

#endif
