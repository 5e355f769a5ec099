/* The event of an instruction that trapped instead of completing, as far as it follows from its
 * word and the known registers. */
#ifndef ASSAY_GENERATORS_STF_TRAP_H
#define ASSAY_GENERATORS_STF_TRAP_H

#include "generators/stf/record.h"
#include "generators/stf/registers.h"

struct stf_trap {
    uint32_t id; /* enum stf_event_id, or another of the table */
    unsigned fields;
    uint64_t field[3];
};

/* `attempt` is an item of the recording that was aborted, `info` the class of its word. False: it
 * is not known why it trapped, or the address that the event would have to have.
 *
 * An aborted load or store of a program under Linux is a page fault: the page is not mapped, or
 * does not permit the access. The other faults, access faults of physical memory, do not exist in
 * QEMU's user mode. An atomic operation traps also where its address is not aligned. */
bool stf_trap_of(const struct assay_executed *attempt, enum rv_isa isa, uint64_t info,
                 const struct stf_registers *registers, struct stf_trap *trap);

/* The same of a trap that a recording of a system tells. `at` and `word` are the instruction that
 * it belongs to: the one that was aborted, made the call, completed before an interrupt, or could
 * not be fetched. False: an exception that STF has no event for. */
bool stf_trap_told(const struct assay_executed *told, enum rv_isa isa, uint64_t at, uint32_t word,
                   struct stf_trap *trap);

/* Whether it is an interrupt. */
bool stf_trap_is_interrupt(const struct assay_executed *told, enum rv_isa isa);

#endif
