/* What the interface of the hart gives (4.2), made of a program and of where it went. */
#ifndef ASSAY_ETRACE_SIGNALS_H
#define ASSAY_ETRACE_SIGNALS_H

#include "etrace/etrace.h"
#include "etrace/program/walk.h"

/* Types of blocks (4.2, table 4.1). */
enum etrace_itype {
    ETRACE_ITYPE_NONE,
    ETRACE_ITYPE_EXCEPTION,
    ETRACE_ITYPE_INTERRUPT,
    ETRACE_ITYPE_XRET,
    ETRACE_ITYPE_NOT_TAKEN,
    ETRACE_ITYPE_TAKEN,
    ETRACE_ITYPE_UNINFERABLE, /* any such jump, where itype has 3 bits */
    ETRACE_ITYPE_RESERVED,
    ETRACE_ITYPE_CALL,
    ETRACE_ITYPE_INFERABLE_CALL,
    ETRACE_ITYPE_TAIL_CALL,
    ETRACE_ITYPE_INFERABLE_TAIL_CALL,
    ETRACE_ITYPE_SWAP,
    ETRACE_ITYPE_RETURN,
    ETRACE_ITYPE_JUMP,
    ETRACE_ITYPE_INFERABLE_JUMP
};

/* What ctype asks for (table 4.4). */
enum etrace_ctype {
    ETRACE_CTYPE_UNREPORTED,
    ETRACE_CTYPE_IMPRECISE,
    ETRACE_CTYPE_PRECISE,
    ETRACE_CTYPE_DISCONTINUITY
};

/* What the interface gives of one instruction, or of a trap without one. */
struct etrace_ingress {
    uint64_t iaddr;   /* of the instruction; of a trap alone: where it was taken, if known */
    uint64_t context; /* of the instruction */
    uint64_t cause;   /* itype 1 and 2 */
    uint64_t tval;    /* likewise */
    uint8_t itype;    /* enum etrace_itype; 1 and 2: the trap comes after the instruction */
    uint8_t ctype;    /* enum etrace_ctype */
    uint8_t priv;
    uint8_t size;     /* bytes of the instruction */
    bool retires;     /* there is an instruction: iretire is not 0 */
    bool sijump;      /* its target is sequentially inferable */
    bool unqualified; /* it does not meet criteria that no register has */
    bool notify;      /* trigger[2]: its address is requested */
    uint8_t trigger;  /* its bits 0 and 1, which switch tracing */
    uint64_t impdef;
};

/* The type of a block that ends with an instruction after which execution was at `next` (4.1.1). */
enum etrace_itype etrace_itype_of(const struct etrace_instruction *i, uint64_t next);

/* What of it the interface has room for; `narrow`: itype has 3 bits, one code says all jumps that
 * are not inferable, and none the others (table 4.1). */
enum etrace_itype etrace_itype_signalled(enum etrace_itype itype, bool narrow);

/* The record of an instruction. `before` is the one retired before it, of size 0 if there is none;
 * `next` is where execution went on. */
struct etrace_ingress etrace_ingress_of(const struct etrace_instruction *before,
                                        const struct etrace_instruction *i, uint64_t next,
                                        const struct etrace_reading *reading);

#endif
