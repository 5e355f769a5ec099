/* The numbers that STF leaves to a header file (event ids, feature bits, registers, tools),
 * prepared for lookup: those of the built-in facts file (tables.yaml), or those that a user gave
 * instead. */
#ifndef ASSAY_STF_TABLES_H
#define ASSAY_STF_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fact_tables.h"

/* What raises an event. X(enumerator, stable name, meaning) */
#define STF_ORIGINS(X)                                                                             \
    X(NONE, "none", "a change of mode, or an event that the specification does not have")          \
    X(INTERRUPT, "interrupt", "an interrupt")                                                      \
    X(ECALL, "ecall", "an environment call")                                                       \
    X(JUMP, "jump", "the target of a jump or branch")                                              \
    X(FETCH, "fetch", "the fetch of the instruction")                                              \
    X(DECODE, "decode", "what the instruction is")                                                 \
    X(LOAD, "load", "a load of the instruction")                                                   \
    X(STORE, "store", "a store of the instruction")

enum stf_origin {
#define X(id, name, text) STF_ORIGIN_##id,
    STF_ORIGINS(X)
#undef X
};

/* The events of the specification's table; those of guests are in it since 1.6. X(name,
 * synchronous, asynchronous, fields that it has to have, whether its own row says so or only a row
 * that it is thought to share a cell with, what raises it, meaning). The number of an event here is
 * its position in this list, from 1; 0 is none.
 */
#define STF_EVENTS(X)                                                                              \
    X(USER_SOFTWARE, false, true, 1, false, INTERRUPT, "user software interrupt")                  \
    X(SUPERVISOR_SOFTWARE, false, true, 1, false, INTERRUPT, "supervisor software interrupt")      \
    X(HYPERVISOR_SOFTWARE, false, true, 1, false, INTERRUPT, "hypervisor software interrupt")      \
    X(MACHINE_SOFTWARE, false, true, 1, false, INTERRUPT, "machine software interrupt")            \
    X(USER_TIMER, false, true, 1, false, INTERRUPT, "user timer interrupt")                        \
    X(SUPERVISOR_TIMER, false, true, 1, false, INTERRUPT, "supervisor timer interrupt")            \
    X(HYPERVISOR_TIMER, false, true, 1, true, INTERRUPT, "hypervisor timer interrupt")             \
    X(MACHINE_TIMER, false, true, 1, false, INTERRUPT, "machine timer interrupt")                  \
    X(USER_EXT, false, true, 1, false, INTERRUPT, "user external interrupt")                       \
    X(SUPERVISOR_EXT, false, true, 1, false, INTERRUPT, "supervisor external interrupt")           \
    X(HYPERVISOR_EXT, false, true, 1, false, INTERRUPT, "hypervisor external interrupt")           \
    X(MACHINE_EXT, false, true, 1, false, INTERRUPT, "machine external interrupt")                 \
    X(COPROCESSOR, false, true, 1, false, INTERRUPT, "supervisor guest external interrupt")        \
    X(INST_ADDR_MISALIGN, true, false, 1, true, JUMP, "misaligned instruction address")            \
    X(INST_ADDR_FAULT, true, false, 1, true, FETCH, "instruction access fault")                    \
    X(ILLEGAL_INST, true, false, 3, true, DECODE, "illegal instruction")                           \
    X(BREAKPOINT, true, false, 1, true, DECODE, "breakpoint")                                      \
    X(LOAD_ADDR_MISALIGN, true, false, 3, true, LOAD, "misaligned load address")                   \
    X(LOAD_ACCESS_FAULT, true, false, 3, true, LOAD, "load access fault")                          \
    X(STORE_ADDR_MISALIGN, true, false, 3, false, STORE, "misaligned store address")               \
    X(STORE_ACCESS_FAULT, true, false, 3, false, STORE, "store access fault")                      \
    X(USER_ECALL, true, false, 1, true, ECALL, "environment call from user mode")                  \
    X(SUPERVISOR_ECALL, true, false, 1, false, ECALL, "environment call from supervisor mode")     \
    X(HYPERVISOR_ECALL, true, false, 1, false, ECALL, "environment call from hypervisor mode")     \
    X(MACHINE_ECALL, true, false, 1, false, ECALL, "environment call from machine mode")           \
    X(INST_PAGE_FAULT, true, false, 2, true, FETCH, "instruction page fault")                      \
    X(LOAD_PAGE_FAULT, true, false, 3, true, LOAD, "load page fault")                              \
    X(STORE_PAGE_FAULT, true, false, 3, false, STORE, "store page fault")                          \
    X(GUEST_INST_PAGE_FAULT, true, false, 2, false, FETCH, "guest instruction page fault")         \
    X(GUEST_LOAD_PAGE_FAULT, true, false, 3, false, LOAD, "guest load page fault")                 \
    X(GUEST_STORE_PAGE_FAULT, true, false, 3, false, STORE, "guest store page fault")              \
    X(VIRTUAL_INST, true, false, 3, false, DECODE, "virtual instruction")                          \
    X(MODE_CHANGE, false, false, 1, true, NONE, "transition into a mode of execution")

enum stf_event {
    STF_EVENT_NONE,
#define X(name, synchronous, asynchronous, fields, own_row, origin, text) STF_EVENT_##name,
    STF_EVENTS(X)
#undef X
        STF_EVENT_OTHER, /* of the table of event ids, not of the specification */
    STF_EVENT_UNKNOWN,   /* none of the table of event ids */
    STF_EVENT_COUNT
};

struct stf_event_info {
    bool synchronous, asynchronous;
    uint8_t fields; /* that it has to have */
    bool own_row;   /* its own row says so */
    uint8_t origin; /* enum stf_origin */
};

extern const struct stf_event_info stf_event_infos[STF_EVENT_COUNT];

enum { STF_EVENT_IDS = 64, STF_FEATURES = 64, STF_REGISTERS = 4096, STF_REG_TYPES = 5 };

/* Bits of the features as the built-in table has them. X(name, bit) */
#define STF_FEATURE_BITS(X)                                                                        \
    X(PHYSICAL_ADDRESS, 0)                                                                         \
    X(OPERAND_VALUE, 2)                                                                            \
    X(EVENT, 3)                                                                                    \
    X(RV64, 5)                                                                                     \
    X(PTE, 8)                                                                                      \
    X(PROCESS_ID, 10)                                                                              \
    X(REG_STATE, 13)                                                                               \
    X(MICROOP, 14)                                                                                 \
    X(VEC, 18)                                                                                     \
    X(EVENT64, 19)                                                                                 \
    X(TRANSACTIONS, 20)

enum stf_feature_bit {
#define X(name, bit) STF_FEATURE_##name = (bit),
    STF_FEATURE_BITS(X)
#undef X
};

struct stf_tables {
    uint8_t fault[STF_EVENT_IDS], interrupt[STF_EVENT_IDS], special[STF_EVENT_IDS];
    uint64_t features_known;           /* flags that the table has */
    uint8_t feature_bit[STF_FEATURES]; /* a bit of the built-in table: which bit it is here, or
                                          STF_FEATURES when the table here lacks it */
    uint8_t registers[STF_REGISTERS];  /* a number: bit t is set when type t has it */
    uint64_t tools[256 / 64];
    bool given[ASSAY_TABLE_COUNT]; /* the table is the user's */
};

/* The tables of tables.yaml, written by the build; those that it lacks are empty. */
struct stf_built_in {
    const struct assay_fact_number *list;
    size_t count;
};
extern const struct stf_built_in stf_built_in[ASSAY_TABLE_COUNT];

/* The entries of a built-in table. */
const struct assay_fact_number *stf_fact_table(enum assay_fact_table table, size_t *count);

/* Initialises the tables: the built-in ones, except for those in `given` (may be null). */
void stf_tables_open(const struct assay_fact_tables *given, struct stf_tables *tables);

/* The event of an id without its two highest bits, which say what it is. */
static inline enum stf_event stf_event_of(const struct stf_tables *t, bool interrupt, bool special,
                                          uint64_t number)
{
    const uint8_t *list = special ? t->special : interrupt ? t->interrupt : t->fault;
    return number < STF_EVENT_IDS ? (enum stf_event)list[number] : STF_EVENT_UNKNOWN;
}

/* Feature flags at the bits of the built-in table. */
uint64_t stf_features(const struct stf_tables *tables, uint64_t flags);

#endif
