/* Claims: what packets say of instructions and traps whose place in the record is not sure, and
 * contexts and causes that the record must have somewhere (claims.c). Each becomes an event once it
 * is decided: when the record has what the packet says, or at its end. */
#ifndef ASSAY_ETRACE_CLAIMS_H
#define ASSAY_ETRACE_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

enum etrace_claim_kind {
    ETRACE_CLAIM_LEVEL,       /* of an instruction, from a block of the record on */
    ETRACE_CLAIM_CONTEXT,     /* likewise */
    ETRACE_CLAIM_TRAP,        /* from a block of the record on */
    ETRACE_CLAIM_ANY_CONTEXT, /* anywhere in the record */
    ETRACE_CLAIM_ANY_CAUSE    /* of a trap, anywhere in the record */
};

/* What a packet says. */
struct etrace_claim_key {
    enum etrace_claim_kind of;
    uint64_t address; /* of the instruction, or, if `has_handler`, of the handler */
    uint64_t value;   /* the level, the context, or, if `has_value`, the value of the trap */
    uint64_t cause;   /* of a trap */
    bool interrupt, has_handler, has_value;
    bool
        imprecise; /* ANY_CONTEXT: the packet has no address, so that it reports a change (6.4.2) */
};

struct etrace_claim {
    struct etrace_claim_key key;
    uint64_t event;   /* index of the event of the path that the first packet gave */
    uint32_t line;    /* of the block at hand then */
    uint64_t packets; /* that say the same before it is decided */
    bool decided;
    bool partial; /* the record can have had the value before, as not all its values are kept */
    uint64_t occurrences; /* of the instruction, or traps, in the record from that block on */
    uint64_t matching; /* of these, those of which the packet is right; of values: blocks, traps */
    uint64_t reportable; /* of matching blocks: that ctype says to report, and the first one */
};

/* Those that are undecided at once, at most, and room for those that are decided and have no event
 * yet. */
enum { ETRACE_CLAIMS_MOST = 64, ETRACE_CLAIMS_ROOM = ETRACE_CLAIMS_MOST + 16 };

struct etrace_claims {
    struct etrace_claim claim[ETRACE_CLAIMS_ROOM];
    uint32_t count;     /* all */
    uint32_t undecided; /* of these */
    uint64_t dropped;   /* that are not decided, as there was no room */
    uint64_t
        unreportable; /* imprecise, and the record has no such context that is to be reported */
};

/* Values of the record, each with the number of its blocks or traps that have it: an open hash
 * table, of which half is used. */
enum { ETRACE_VALUES_MOST = 1024, ETRACE_VALUE_SLOTS = 2 * ETRACE_VALUES_MOST };

struct etrace_value {
    uint64_t value;
    uint64_t count;      /* 0: the slot is free */
    uint64_t reportable; /* as of a claim */
};

struct etrace_values {
    struct etrace_value slot[ETRACE_VALUE_SLOTS];
    uint32_t used;
    bool full;      /* there are more values */
    uint64_t total; /* blocks or traps */
};

#endif
