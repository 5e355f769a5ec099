#include "generators/stf/trap.h"

enum { IEM_RV32 = 1, IEM_RV64 = 2, PAGE = 4096 };

/* Of an access to two pages it is not known which of them failed. */
static bool find_address(const struct assay_executed *attempt, enum rv_isa isa, uint64_t info,
                         const struct stf_registers *registers, uint64_t *address)
{
    const uint64_t bytes = rv_access_bytes(info);
    if (attempt->fault_known) {
        *address = attempt->fault;
        return true;
    }
    return stf_registers_address(registers, isa, attempt->word, info, address) && bytes > 0 &&
           *address % PAGE + bytes <= PAGE;
}

/* A store conditional without an access may as well have failed, before a signal came. */
static bool trap_of_access(const struct assay_executed *attempt, enum rv_isa isa, uint64_t info,
                           const struct stf_registers *registers, struct stf_trap *trap)
{
    const unsigned class = rv_info_class(info);
    const bool atomic = class == RV_LR || class == RV_AMO || class == RV_CAS;
    const bool plain =
        class == RV_LOAD || class == RV_FLOAD || class == RV_STORE || class == RV_FSTORE;
    uint64_t address = 0;
    if ((!atomic && !plain) || !find_address(attempt, isa, info, registers, &address)) {
        return false;
    }
    const bool misaligned = atomic && (address & (rv_access_bytes(info) - 1)) != 0;
    const enum stf_event_id of_load =
        misaligned ? STF_ID_LOAD_ADDR_MISALIGN : STF_ID_LOAD_PAGE_FAULT;
    const enum stf_event_id of_store =
        misaligned ? STF_ID_STORE_ADDR_MISALIGN : STF_ID_STORE_PAGE_FAULT;
    *trap = (struct stf_trap){.id = rv_info_writes(info) != 0 ? of_store : of_load,
                              .fields = 3,
                              .field = {attempt->address, attempt->word, address}};
    return true;
}

bool stf_trap_of(const struct assay_executed *attempt, enum rv_isa isa, uint64_t info,
                 const struct stf_registers *registers, struct stf_trap *trap)
{
    switch (rv_info_class(info)) {
    case RV_EBREAK:
        *trap =
            (struct stf_trap){.id = STF_ID_BREAKPOINT, .fields = 1, .field = {attempt->address}};
        return true;
    case RV_ILLEGAL:
        *trap = (struct stf_trap){
            .id = STF_ID_ILLEGAL_INST,
            .fields = 3,
            .field = {attempt->address, attempt->word, isa == RV_32 ? IEM_RV32 : IEM_RV64}};
        return true;
    default:
        return trap_of_access(attempt, isa, info, registers, trap);
    }
}

bool stf_trap_is_interrupt(const struct assay_executed *told, enum rv_isa isa)
{
    return (told->cause >> (isa == RV_32 ? 31 : 63) & 1) != 0;
}

bool stf_trap_told(const struct assay_executed *told, enum rv_isa isa, uint64_t at, uint32_t word,
                   struct stf_trap *trap)
{
    const uint32_t interrupt = UINT32_C(1) << 31;
    const uint32_t number = (uint32_t)told->cause & ~interrupt;
    *trap = (struct stf_trap){.id = number, .fields = 1, .field = {at}};
    if (stf_trap_is_interrupt(told, isa)) {
        trap->id |= interrupt;
        trap->field[0] = number;
        return true;
    }
    switch (number) {
    case STF_ID_ILLEGAL_INST:
        trap->fields = 3;
        trap->field[1] = word;
        trap->field[2] = isa == RV_32 ? IEM_RV32 : IEM_RV64;
        return true;
    case STF_ID_BREAKPOINT:
        return true;
    case STF_ID_USER_ECALL:
    case STF_ID_SUPERVISOR_ECALL:
    case STF_ID_MACHINE_ECALL:
        trap->field[0] = told->number;
        return true;
    case STF_ID_INST_ACCESS_FAULT:
        return true;
    case STF_ID_INST_ADDR_MISALIGN:
    case STF_ID_INST_PAGE_FAULT:
        trap->fields = 2;
        trap->field[1] = told->fault;
        return true;
    case STF_ID_LOAD_ADDR_MISALIGN:
    case STF_ID_LOAD_ACCESS_FAULT:
    case STF_ID_LOAD_PAGE_FAULT:
    case STF_ID_STORE_ADDR_MISALIGN:
    case STF_ID_STORE_ACCESS_FAULT:
    case STF_ID_STORE_PAGE_FAULT:
        trap->fields = 3;
        trap->field[1] = word;
        trap->field[2] = told->fault;
        return true;
    default:
        return false;
    }
}
