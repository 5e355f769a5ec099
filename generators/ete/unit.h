/* A trace unit of ETE: what a PE executes becomes elements, with everything that a unit keeps for
 * it: return stack, speculation depth, transactions, cycles, timestamps, context. The writer of
 * elements (writer.h) makes packets of them.
 *
 * The PE says each instruction, and before the next one what it did to the program flow:
 *
 *     ete_unit_execute(unit, at(0x1000), time);     mov
 *     ete_unit_execute(unit, at(0x1004), time);     b.eq 0x2000
 *     ete_unit_p0(unit, &(struct ete_executed_p0){.type = ETE_BRANCH_DIRECT, ...});
 *     ete_unit_execute(unit, at(0x2000), time);     mov
 *     ete_unit_exception(unit, ETE_IRQ, at(0x2004));
 *
 * Wrong paths that are taken back, Q elements, filters and losses are invented, drawn from a seed:
 * what the trace says to be executed is what was executed, or a part of it. */
#ifndef ASSAY_GENERATORS_ETE_UNIT_H
#define ASSAY_GENERATORS_ETE_UNIT_H

#include "ete/addresses.h"
#include "generators/ete/writer.h"
#include "io/sink.h"

enum {
    ETE_UNIT_DEPTH_MOST = 1024,
    ETE_UNIT_THRESHOLD_MOST = 0xfff, /* cycles: TRCCCCTLR.THRESHOLD has 12 bits */
    ETE_UNIT_STACK = 15,             /* entries of the return stack (K10.5.5.3) */
    /* Bits of TRCCONFIGR; that of the return stack is ETE_RETURN_STACK_BIT. */
    ETE_BROADCAST_BIT = 3,
    ETE_CYCLE_COUNTS_BIT = 4,
    ETE_CONTEXT_ID_BIT = 6,
    ETE_VMID_BIT = 7,
    ETE_TIMESTAMPS_BIT = 11,
    ETE_Q_BIT = 13, /* and the next one: Q elements that do not count */
    ETE_VMIDOPT_BIT = 15,
    ETE_QSUPP_BIT = 15 /* of TRCIDR0, and the next one */
};

struct ete_unit_options {
    uint64_t trcidr0;    /* COMMOPT and COMMTRANS are read */
    uint64_t trcconfigr; /* the bits above, and the return stack */
    uint32_t max_depth;  /* TRCIDR8.MAXSPEC, at most ETE_UNIT_DEPTH_MOST */
    uint32_t threshold;  /* least count of a Cycle Count, at most ETE_UNIT_THRESHOLD_MOST */
    uint64_t period;     /* instructions between Timestamps */
    uint64_t sync;       /* bytes from an A-sync to the next one; 0: only one */
    /* Once in how many places, 0: never. */
    uint64_t mispredictions; /* P0 instructions, after which a wrong path is taken back */
    uint64_t gaps;           /* instructions, from which on a filter leaves some out */
    uint64_t overflows;      /* P0 instructions, after which the trace overflows */
    uint64_t q; /* branches, after which a Q element stands for the instructions; TRCCONFIGR has to
                   enable them. None with branch broadcasting, which is to show all targets */
    bool transactions; /* wrong paths begin transactions, too */
    bool any_packets;  /* any packets that say the elements; otherwise the shortest ones */
    uint64_t seed;
    /* Is told of instructions that the trace does not show, by their number: from `first` to
     * before `end`. An instruction can be in several such parts. Null: nobody asks. */
    void (*left_out)(void *context, uint64_t first, uint64_t end);
    void *context;
};

/* A P0 instruction. */
enum ete_p0_type { ETE_BRANCH_DIRECT, ETE_BRANCH_INDIRECT, ETE_EXCEPTION_RETURN, ETE_NO_BRANCH };

struct ete_executed_p0 {
    enum ete_p0_type type;
    bool conditional; /* by its own condition, or an IT */
    bool taken;       /* E; of what is no branch, too */
    bool link;
    bool next_known;  /* else control was taken away, and from where is not known */
    bool transaction; /* a TSTART that begins a transaction: not one inside another */
    uint8_t size;     /* bytes of the instruction */
    struct ete_address pc, next;
};

/* What a Context element says. */
struct ete_unit_context {
    uint8_t el;
    uint8_t security; /* 0 Secure, 1 Non-secure, 2 Root, 3 Realm */
    bool aarch32;
    uint32_t context_id, vmid;
};

/* Types of exceptions, those of the field `type`. */
enum ete_exception_type {
    ETE_PE_RESET = 0,
    ETE_DEBUG_HALT = 1,
    ETE_CALL = 2,
    ETE_TRAP = 3,
    ETE_SYSTEM_ERROR = 4,
    ETE_INST_DEBUG = 6,
    ETE_DATA_DEBUG = 7,
    ETE_ALIGNMENT = 10,
    ETE_INST_FAULT = 11,
    ETE_DATA_FAULT = 12,
    ETE_IRQ = 14,
    ETE_FIQ = 15
};

struct ete_unit;

/* Null when memory is out. The sink stays the caller's. */
struct ete_unit *ete_unit_open(const struct ete_unit_options *options, struct assay_sink *sink);
void ete_unit_close(struct ete_unit *unit);

/* The context from the next instruction on. In the middle of a sequence it changes only after an
 * ISB, which is a P0 instruction. */
void ete_unit_context(struct ete_unit *unit, struct ete_unit_context context);

/* The instruction at `pc` is executed; time is in microseconds. */
void ete_unit_execute(struct ete_unit *unit, struct ete_address pc, uint64_t time);

/* It was a P0 instruction. */
void ete_unit_p0(struct ete_unit *unit, const struct ete_executed_p0 *p0);

/* An exception was taken, with this preferred return address; of a PE Reset the trace does not say
 * it. The next instruction is that of its handler. In a transaction there is none but a PE Reset,
 * which ends it: otherwise it fails first. */
void ete_unit_exception(struct ete_unit *unit, enum ete_exception_type type,
                        struct ete_address address);

/* The instruction that was executed last is the TCOMMIT of the transaction. */
void ete_unit_commit_transaction(struct ete_unit *unit);

/* The transaction fails. The next instruction is the one after its TSTART, to which the PE went
 * back: nothing that was executed in between is left. */
void ete_unit_fail_transaction(struct ete_unit *unit);

/* What is executed up to the next instruction is not traced. */
void ete_unit_pause(struct ete_unit *unit);

/* Nothing more is executed: what can be committed is. */
enum assay_error ete_unit_finish(struct ete_unit *unit, struct assay_diag *diag);

/* The elements so far, without those that no packet says. */
uint64_t ete_unit_elements(const struct ete_unit *unit);

#endif
