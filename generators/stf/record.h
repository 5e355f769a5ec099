/* Records of STF, written one by one. */
#ifndef ASSAY_GENERATORS_STF_RECORD_H
#define ASSAY_GENERATORS_STF_RECORD_H

#include "execution/execution.h"
#include "stf/stf.h"

struct stf_recorder {
    struct assay_encoder *encoder;
    unsigned profile;       /* enum stf_profile_id */
    bool event64;           /* ids of events have 64 bits */
    enum assay_error error; /* the first one */
    uint64_t records;
};

/* A record whose data is of the kind's fixed size. 8 more bytes are readable. */
void stf_record_put(struct stf_recorder *recorder, enum stf_kind kind, const uint8_t *data);

/* STF_COMMENT; a long text is cut. */
void stf_record_comment(struct stf_recorder *recorder, const char *text);

struct stf_tool {
    uint8_t number, major, minor, minor_minor;
};

/* STF_TRACE_INFO. */
void stf_record_trace_info(struct stf_recorder *recorder, struct stf_tool tool, const char *text);

/* PROCESS_ID_EXT without an address space id; in 1.6 of hardware thread 0. */
void stf_record_process(struct stf_recorder *recorder, uint32_t process, uint64_t thread);

/* FORCE_PC and INST_PC_TARGET: a program counter. */
void stf_record_pc(struct stf_recorder *recorder, enum stf_kind kind, uint64_t pc);

enum { STF_REGISTER_INTEGER = 1, STF_REGISTER_FLOATING_POINT = 2 };
enum { STF_OPERAND_STATE = 1, STF_OPERAND_SOURCE = 2, STF_OPERAND_DESTINATION = 3 };

struct stf_register {
    uint16_t number;
    uint8_t type;
    uint8_t operand;
    uint64_t value;
};

void stf_record_register(struct stf_recorder *recorder, const struct stf_register *content);

/* An access of up to 8 bytes with its content. */
void stf_record_access(struct stf_recorder *recorder, uint64_t address, unsigned size, bool write,
                       uint64_t content);

/* The walk of a page by an instruction of this number. */
void stf_record_walk(struct stf_recorder *recorder, const struct assay_walk *walk,
                     uint64_t instruction);

/* Numbers of events, as the built-in table has them (reference/stf/tables.yaml). */
enum stf_event_id {
    STF_ID_INST_ADDR_MISALIGN = 0,
    STF_ID_INST_ACCESS_FAULT = 1,
    STF_ID_ILLEGAL_INST = 2,
    STF_ID_BREAKPOINT = 3,
    STF_ID_LOAD_ADDR_MISALIGN = 4,
    STF_ID_LOAD_ACCESS_FAULT = 5,
    STF_ID_STORE_ADDR_MISALIGN = 6,
    STF_ID_STORE_ACCESS_FAULT = 7,
    STF_ID_USER_ECALL = 8,
    STF_ID_SUPERVISOR_ECALL = 9,
    STF_ID_MACHINE_ECALL = 11,
    STF_ID_INST_PAGE_FAULT = 12,
    STF_ID_LOAD_PAGE_FAULT = 13,
    STF_ID_STORE_PAGE_FAULT = 15,
    STF_ID_MODE_CHANGE = 0x40000000
};

/* An event with up to 3 fields. Its id is as with 32 bits; bits 31 and 30 move to 63 and 62. */
void stf_record_event(struct stf_recorder *recorder, uint32_t id, const uint64_t *fields,
                      unsigned count);

/* An encoding record of 2 or 4 bytes. */
void stf_record_instruction(struct stf_recorder *recorder, uint32_t word, unsigned size);

#endif
