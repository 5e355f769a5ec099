/* What the parts of the trace unit share: unit.c follows the execution, said.c has the elements
 * that say something of it, speculation.c invents wrong paths, transaction.c and q_element.c are
 * what their names say. */
#ifndef ASSAY_GENERATORS_ETE_UNIT_PRIVATE_H
#define ASSAY_GENERATORS_ETE_UNIT_PRIVATE_H

#include "common/random.h"
#include "generators/ete/unit.h"

enum { ETE_UNIT_POSTPONED = 8 };

/* Addresses that returns go to, as the analyzer of the trace has them on top of its stack. */
struct ete_unit_stack {
    struct ete_address entry[ETE_UNIT_STACK];
    unsigned count;
};

/* Transactions, as the PE, the elements and their readers have them. */
struct ete_unit_transaction {
    bool open;      /* the PE is in one */
    bool announced; /* and the elements say so, ... */
    bool started;   /* ... by a Transaction Start */
    bool marked; /* the elements say that there is one: it is announced, or a Transaction Start of
                    a wrong path was not followed by its end (K10.5.8.4) */
    bool context_said; /* the context of the PE was said in it alone */
    uint64_t from;     /* what the trace shows of it begins with this instruction */
    uint64_t p0;       /* P0 elements before it */
    struct ete_unit_stack before;
};

/* A Q element, while what it stands for is executed. */
struct ete_unit_q {
    bool open;
    uint64_t until; /* it ends before this instruction, or earlier */
    uint64_t known; /* a reader knows which instructions it counts up to before this one */
};

struct ete_unit {
    struct ete_unit_options options;
    struct assay_sink *sink;
    struct ete_writer *writer;
    enum assay_error error; /* the first one; nothing is written after it */
    struct assay_diag diag;
    uint64_t random;
    uint64_t elements;

    bool tracing;
    bool session_due; /* a Trace Info comes before the next Trace On */
    bool enter_due;   /* the next address is said: an exception was taken, a transaction failed */
    uint64_t resume_at;
    uint64_t synced_at; /* bytes before the last A-sync */
    struct ete_unit_context context, shown;
    bool context_due;      /* the last Context element was undone */
    struct ete_address pc; /* of the instruction that was executed last */

    struct ete_unit_stack stack;
    struct ete_unit_transaction transaction;
    struct ete_unit_q q;

    uint64_t cycles; /* since the last Cycle Count */
    bool cycles_unknown;
    uint64_t time, timestamp;
    uint64_t since_timestamp; /* instructions */

    /* Instructions are numbered from 0 on. */
    uint64_t executed;
    uint64_t shown_end;     /* P0 elements so far show what was before this one, ... */
    uint64_t committed_end; /* ... those that are committed, and of no transaction that can fail,
                               what was before this one */
    uint64_t lost_from;     /* while not tracing: what the trace does not show begins here */
    /* For each P0 element that is not committed the value of committed_end once it is: a ring. */
    uint64_t ends[ETE_UNIT_DEPTH_MOST];
    uint64_t oldest; /* number of the first of them, and of P0 elements before it */
    uint64_t depth;

    /* Branches that were not taken, and are said by the Source Address of the next one that is:
     * the values of shown_end after each. */
    uint64_t postponed[ETE_UNIT_POSTPONED];
    unsigned postponed_count;
};

/* True once in `times`; 0: never. */
static inline bool ete_unit_chance(struct ete_unit *u, uint64_t times)
{
    return times > 0 && assay_random_once_in(&u->random, times);
}

static inline uint64_t ete_unit_below(struct ete_unit *u, uint64_t limit)
{
    return assay_random_below(&u->random, limit);
}

/* A bit of TRCCONFIGR. */
static inline bool ete_unit_has(const struct ete_unit *u, unsigned bit)
{
    return (u->options.trcconfigr >> bit & 1) != 0;
}

/* TRCIDR0.COMMTRANS is 0. */
static inline bool ete_unit_start_is_p0(const struct ete_unit *u)
{
    return (u->options.trcidr0 >> ETE_COMMTRANS_BIT & 1) == 0;
}

/* --- elements (said.c) --- */

/* Writes an element, one with the value of one cell, one that says nothing, an address. */
void ete_unit_put_element(struct ete_unit *u, const struct ete_element *element);
void ete_unit_put(struct ete_unit *u, enum ete_kind kind, unsigned cell, uint64_t value);
void ete_unit_put_plain(struct ete_unit *u, enum ete_kind kind);
void ete_unit_put_target(struct ete_unit *u, struct ete_address address);

void ete_unit_put_context(struct ete_unit *u);
void ete_unit_put_trace_info(struct ete_unit *u);

/* The count of cycles, or a Timestamp, if it is due. With COMMOPT 0 cycles are counted up to
 * commits: `committed` is set after one. */
void ete_unit_count_cycles(struct ete_unit *u, bool committed);
void ete_unit_tell_time(struct ete_unit *u);

/* --- the execution (unit.c) --- */

/* A P0 element was written, which shows the instructions before `end`. */
void ete_unit_add_p0(struct ete_unit *u, uint64_t end);

/* Atoms of the branches that were not taken, and were to be said later. */
void ete_unit_put_postponed(struct ete_unit *u);

/* Tells the caller what the trace does not show. */
void ete_unit_leave_out(struct ete_unit *u, uint64_t first, uint64_t end);

/* What can come between P0 elements; the next instruction is at `next`, unless that is null. */
void ete_unit_put_between(struct ete_unit *u, const struct ete_address *next);

/* --- speculation.c --- */

/* Writes the atom of the instruction that was executed last, by which it was predicted, and if the
 * prediction was wrong, what corrects it. `explicit_target` is set where the target of an indirect
 * branch has to be said. Returns whether the instruction was traced as taken at first. */
bool ete_unit_speculate(struct ete_unit *u, const struct ete_executed_p0 *p0,
                        bool *explicit_target);

/* --- transaction.c --- */

/* The elements say from here on that the PE is in a transaction: by a Transaction Start, or by the
 * Trace Info before. */
void ete_unit_announce(struct ete_unit *u, bool start);

/* Discard and Overflow end the transaction for the elements. */
void ete_unit_forget_transaction(struct ete_unit *u);

/* --- q_element.c --- */

/* Begins a Q element after a branch, or does not. */
void ete_unit_begin_q(struct ete_unit *u, const struct ete_executed_p0 *p0);

/* Whether the P0 instruction is among those that a Q element stands for. */
bool ete_unit_count_p0(struct ete_unit *u, const struct ete_executed_p0 *p0);

/* Ends the Q element, if there is one, before instruction number `end`, which is at `next`; null:
 * it is not traced. */
void ete_unit_end_q(struct ete_unit *u, uint64_t end, const struct ete_address *next);

#endif
