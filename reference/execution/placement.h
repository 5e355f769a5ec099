/* Where in what was executed a part of a trace is: the part between two gaps.
 *
 * In a loop each iteration executes the same instructions, so that the part after a gap is also
 * found where it was not executed, and that shows only where it goes on, an arbitrary number of
 * instructions later. The part is then at the next place where all of it was executed. If each part
 * is put at the first place after the part before it, and there is none for one of them, then no
 * other places are possible for all of them either.
 *
 * What was executed is read for this again, by readers of its own. A place is found by a rolling
 * hash of as many instructions as the part has: one reader is at the end of these, and, where they
 * are more than it retains, another one follows at their beginning. The instructions ahead that are
 * retained are then compared one by one, as sequences can be made that have one hash. */
#ifndef ASSAY_EXECUTION_PLACEMENT_H
#define ASSAY_EXECUTION_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

/* Instructions by which a reader can be set back. */
enum { ASSAY_PLACEMENT_BACK = 4096 };

/* An instruction that was read, and how execution came to it. */
struct assay_placement_item {
    uint64_t key;       /* different ones have different keys, but for a coincidence ... */
    uint64_t key_alone; /* ... and so have different ones, whatever led to them */
    uint64_t number;    /* ascending in the order of execution; how many were before it, unless the
                           source has other numbers */
    uint64_t pc;    /* where execution went on: at it, or at one that did not retire before it */
    bool diverted;  /* control was taken away before it ... */
    bool unknown;   /* ... so that it is not known where execution went on */
    bool is_silent; /* it leaves nothing in a trace */
    uint64_t context;
};

/* What is searched. */
struct assay_placement_source {
    /* A reader of the instructions, from the first one on; null: they cannot be read again. */
    void *(*open)(void *context);
    /* The next instruction, into an item that has but its number; false: there are no more. */
    bool (*next)(void *context, void *reader, struct assay_placement_item *item);
    void (*close)(void *reader); /* null is allowed */
    void *context;
};

/* A reader with what it read last. */
struct assay_placement_reader {
    void *reader;                      /* null: not open */
    uint64_t read;                     /* instructions that were read */
    uint64_t at;                       /* the one that comes next, from 0 */
    struct assay_placement_item *last; /* ASSAY_PLACEMENT_BACK, by their count; null: not open */
};

struct assay_placement {
    const struct assay_placement_source *source; /* borrowed */
    struct assay_placement_reader rear, front, beyond;
    bool unreadable; /* the instructions cannot be read again */
};

struct assay_event;

/* Where a part of the trace leads at its end. What went on elsewhere contradicts it, where `can`
 * says that the branch can have led there (compare.h, can_lead). */
struct assay_placement_lead {
    uint64_t to;
    bool (*can)(void *context, const struct assay_event *event, uint64_t pc, bool diverted);
    void *context;
    const struct assay_event *event;
};

/* The key of an instruction, by that of the same one alone, and a number for what led to it; 0:
 * nothing but the instruction before it. */
static inline uint64_t assay_placement_key(uint64_t alone, uint64_t led)
{
    return alone ^ led * UINT64_C(0xbf58476d1ce4e5b9);
}

/* A part of a trace. */
struct assay_placement_part {
    /* The instructions that were executed from number `first` on, up to `end` without that, then
     * any `between`, and then those with the keys of `ahead`. Where others are between, numbers are
     * counts of instructions. */
    uint64_t first, end, between;
    const uint64_t *ahead;
    uint32_t count; /* of these */
    uint64_t led;   /* to its first instruction, by the trace; 0: anything */

    uint64_t from;   /* its first instruction is this one, or a later one ... */
    bool moves;      /* ... but not this one itself, */
    bool silently;   /* with none that leaves something in a trace from this one up to it */
    bool in_context; /* its last instruction is in this context: */
    uint64_t context;
    const struct assay_placement_lead *lead; /* what was executed next does not contradict it, where
                                                no others are ahead; or null */
};

enum assay_placement_result {
    ASSAY_PLACEMENT_NONE,
    ASSAY_PLACEMENT_AT_END, /* there is none, but what was executed ends within those ahead */
    ASSAY_PLACEMENT_FOUND
};

struct assay_place {
    uint64_t first, last; /* numbers of the first and the last instruction */
};

/* A search. */
struct assay_placement_search {
    struct assay_placement *p;
    struct assay_placement_part part;
    /* The part: its length; how much of it was executed; its first instruction; and the hash of the
     * others. */
    uint64_t length, executed, first, others;
    /* The window over what was executed, which ends where the front reader is: its length, the hash
     * of all of it but the first instruction, and the weight that one more gives the second one. */
    uint64_t have, hash, weight;
};

/* The first place of a part. A part without instructions is where it is sought, with nothing in
 * *place. */
enum assay_placement_result assay_placement_find(struct assay_placement *placement,
                                                 const struct assay_placement_part *part,
                                                 struct assay_place *place);

/* The same of a part that is all ahead, and not longer than ASSAY_PLACEMENT_BACK, where the caller
 * reads: it gives the instructions from `from` on, one by one. True: the part ends with this one.
 */
void assay_placement_begin(struct assay_placement_search *search, struct assay_placement *placement,
                           const struct assay_placement_part *part);
bool assay_placement_step(struct assay_placement_search *search,
                          const struct assay_placement_item *item);

/* The number of an instruction of the part where it was found, counted from 0. */
uint64_t assay_placement_number(struct assay_placement_search *search, uint32_t n);

/* There are no more instructions: ASSAY_PLACEMENT_AT_END, or that there is no place. */
enum assay_placement_result assay_placement_end(struct assay_placement_search *search);

/* Closes the readers. */
void assay_placement_close(struct assay_placement *placement);

#endif
