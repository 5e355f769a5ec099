/* Accesses of data: which one an instruction makes, as far as its word, the registers and a
 * recorded execution say it, and whether a data packet can be of it (4.3, chapter 7). */
#ifndef ASSAY_ETRACE_ACCESSES_H
#define ASSAY_ETRACE_ACCESSES_H

#include "etrace/program/walk.h"
#include "execution/execution.h"

/* Values of the field `type` of events of accesses. */
enum etrace_access_type {
    ETRACE_ACCESS_NONE,
    ETRACE_ACCESS_LOAD,
    ETRACE_ACCESS_STORE,
    ETRACE_ACCESS_ATOMIC,
    ETRACE_ACCESS_CSR,
    ETRACE_ACCESS_OTHER, /* LR, SC, AMOCAS: 4.4 does not say as which type they are traced */
    ETRACE_ACCESS_MANY   /* of vectors, of several registers, of a block: nor how many there are */
};

/* Codes of dtype (table 4.9). */
enum etrace_dtype {
    ETRACE_DTYPE_LOAD,
    ETRACE_DTYPE_STORE,
    ETRACE_DTYPE_CSR = 4,    /* to 6, the operations */
    ETRACE_DTYPE_ATOMIC = 8, /* to 14 */
    ETRACE_DTYPE_LAST = 15
};

/* In what a packet differs from the access in whose place it is: values of the field `differs`. */
enum etrace_differs {
    ETRACE_DIFFERS_NOT,
    ETRACE_DIFFERS_ABSENT, /* there is no access in its place */
    ETRACE_DIFFERS_TYPE,
    ETRACE_DIFFERS_SIZE,
    ETRACE_DIFFERS_OPERATION,
    ETRACE_DIFFERS_NUMBER,
    ETRACE_DIFFERS_ADDRESS,
    ETRACE_DIFFERS_DATA,
    ETRACE_DIFFERS_OPERAND,
    ETRACE_DIFFERS_STATUS
};

enum { ETRACE_STATUS_UNKNOWN, ETRACE_STATUS_OKAY, ETRACE_STATUS_FAILED };

/* An access, of an instruction or as a packet says it. Values of more than 8 bytes are not known.
 */
struct etrace_access {
    uint64_t pc; /* of an instruction */
    uint32_t word;
    uint32_t bytes;    /* 0: not known; of a CSR by packets */
    uint8_t type;      /* enum etrace_access_type */
    uint8_t operation; /* the subtype of an atomic access or of one to a CSR (tables 7.6, 7.11) */
    uint16_t id;       /* of a request, where it is split */
    uint8_t status;    /* ETRACE_STATUS_ of the response to a split access */
    bool location_known, value_known, operand_known, stored_known, either_known;
    bool excluded, unchosen; /* by data filters: it is not traced; that is not known */
    uint64_t location;       /* the address; the number of a CSR */
    uint64_t value;          /* that is loaded; of a store, stored */
    uint64_t operand;        /* of an atomic access, or of one to a CSR */
    uint64_t stored;         /* by an atomic access, or one to a CSR; never by packets */
    uint64_t either[2]; /* the value or the operand, which one is not known, or: the first or the
                           second of these; without `stored`, what is stored or the operand */
};

/* x registers, as far as the program gives them. */
struct etrace_registers {
    uint64_t value[32];
    uint32_t known; /* as a set */
};

/* Nothing is known of them, but that x0 is 0. */
void etrace_registers_forget(struct etrace_registers *registers);

/* What an instruction leaves in them. */
void etrace_registers_follow(struct etrace_registers *registers, uint64_t pc, uint32_t word,
                             enum rv_isa isa);

/* What it leaves there as it was executed, if that is recorded. */
void etrace_registers_result(struct etrace_registers *registers, uint32_t word, enum rv_isa isa,
                             const struct assay_executed *recorded);

/* The access of an instruction before which the registers are so. `recorded` is the instruction as
 * it was executed, with its accesses, or null. */
struct etrace_access etrace_access_of(uint64_t pc, uint32_t word, enum rv_isa isa,
                                      const struct etrace_registers *registers,
                                      const struct assay_executed *recorded);

/* dtype of an access; false: no code is of it alone. And dsize, of one whose bytes are known. */
bool etrace_access_dtype(const struct etrace_access *access, uint64_t *dtype);
unsigned etrace_access_dsize(const struct etrace_access *access);

/* What an access to a CSR, or an atomic one, stores from what it loads and its operand. */
uint64_t etrace_access_stores(const struct etrace_access *due, uint64_t value, uint64_t operand);

/* In what a packet differs from an access, if it does. Addresses are compared as far as the mask
 * goes. */
enum etrace_differs etrace_access_differs(const struct etrace_access *due,
                                          const struct etrace_access *sent, uint64_t mask);

#endif
