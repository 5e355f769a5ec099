/* The state of the stage of the layer `instruction` (analyse.c), which follows the program by
 * resolved elements. */
#ifndef ASSAY_ETE_ANALYSE_H
#define ASSAY_ETE_ANALYSE_H

#include "ete/program.h"
#include "ete/stack.h"

enum { ETE_PARTS_MOST = 1024 /* of the program, for which an element is followed */ };

/* A walk in the cache, with its outcomes for an E and an N atom in one context: the fields of their
 * runs are computed when the walk is first used there, and copied from then on. */
struct ete_cached_walk {
    struct ete_walk walk;
    uint64_t context; /* number of that context (ete_analyse.contexts); 0: none yet */
    uint64_t says[ETE_RUN_MOMENTS + 1 -
                  ETE_RUN_ADDRESS]; /* cells of the runs, from ETE_RUN_ADDRESS on */
    struct ete_outcome {
        uint64_t facts;               /* cell of the run */
        struct ete_position next;     /* where the program is then, if that is known */
        struct ete_cached_walk *then; /* the walk that came after it last; null: none */
        bool known;
    } outcomes[2]; /* of the atom: N, E */
    uint16_t key;  /* with the address what it is in the cache by */
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

struct ete_analyse {
    struct assay_step_stage base;
    struct assay_parameter_values *values;
    struct ete_program program;      /* whose cache has values of struct ete_cached_walk */
    struct assay_image_cursor shown; /* where runs are read again, perhaps on another thread */
    struct ete_cached_walk *first;   /* the walk that the first atom came to */
    struct ete_cached_walk **then;   /* where the walk is that comes after the latest atom */
    struct ete_pending pending;
    bool gap;              /* a Trace On came after the pending run, which is not output yet */
    uint64_t gap_on;       /* number of that element */
    uint64_t gap_offset;   /* of it */
    uint64_t after_system; /* AFTER_SYSTEM_BIT of the next run */

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

    /* The element that is being followed, over several steps. */
    bool following;
    unsigned atom;  /* of several ones, the number of the one that is followed */
    uint64_t begin; /* address of its first instruction */
    uint32_t parts; /* of the program that it was followed for */
    uint64_t left;  /* of a Q: instructions that it still has */

    bool loses;      /* the next Discard element loses elements that were not resolved */
    uint64_t offset; /* of the latest element */
    char why[96];    /* something could not be followed */
};

/* --- the pending event (pending.c) --- */

/* Outputs the pending event; the second makes another one pending, whose cells are 0. */
void ete_flush(struct ete_analyse *a);
uint64_t *ete_begin_pending(struct ete_analyse *a, enum ete_kind kind,
                            const struct assay_event *element);

/* The position is lost: the first makes an event of it, the second says it of the pending one. */
void ete_lose(struct ete_analyse *a, const struct assay_event *element, enum ete_lost reason,
              uint64_t address);
void ete_say_lost(struct ete_analyse *a, enum ete_lost reason, uint64_t address);

/* --- following (follow.c) --- */

/* Whether an element can be followed from where the program is. If not, what is known of the
 * position is lost (K10.5.6.2.2). */
bool ete_is_in_sync(struct ete_analyse *a, const struct assay_event *element);

/* Follows the atoms of an element, from number a->atom on, as far as that is only a matter of walks
 * that are in the cache: what ete_is_in_sync and ete_analyze_atom do, for many atoms at once. */
void ete_follow_cached(struct ete_analyse *a, const struct assay_event *element);

/* Follows an element of a kind by a part of the program. True when it is done. */
bool ete_analyze_atom(struct ete_analyse *a, const struct assay_event *element, bool taken);
bool ete_analyze_source_address(struct ete_analyse *a, const struct assay_event *element);
bool ete_analyze_exception(struct ete_analyse *a, const struct assay_event *element);
bool ete_analyze_q(struct ete_analyse *a, const struct assay_event *element);

#endif
