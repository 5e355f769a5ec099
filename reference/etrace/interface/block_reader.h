/* The record of the interface, block by block, with what the program and the blocks around it say
 * of each; and instruction by instruction, as an execution in which parts of the path are searched
 * (execution/placement.h). */
#ifndef ASSAY_ETRACE_BLOCK_READER_H
#define ASSAY_ETRACE_BLOCK_READER_H

#include "etrace/interface/block_facts.h"
#include "execution/placement.h"
#include "execution/rolling_hash.h"

/* What the interface gave before a block, and what follows from the block before it. */
struct etrace_before {
    uint32_t idle;      /* lines in which nothing retired */
    bool idle_in_cycle; /* one of them is of the same cycle */
    bool halts;         /* halted or reset was high */
    bool resets;        /* reset was */
    bool asynchronous;  /* it is of another hart, or Debug mode begins or ends with it */
    bool anywhere;      /* `halts` or `asynchronous`: no instruction leads there */
    bool pulses;        /* a line in which nothing retired switches tracing */
    uint32_t group;
};

struct etrace_block_reader {
    struct assay_source *source; /* borrowed */
    struct etrace_record_setup setup;
    struct etrace_record *record; /* owned */
    struct etrace_block_reading reading;
    struct assay_image_cursor cursor;
    enum assay_error error; /* of reading the record */
    struct assay_diag diag;

    struct etrace_block block, next;
    struct etrace_before before, before_next;
    bool has_block, has_next;
    struct etrace_block_facts facts; /* of the block */
    struct etrace_instruction last;  /* retired directly before the block; size 0: none */
    struct etrace_reports open;      /* as the block before left it */
    bool has_due;                    /* the block before says where it has to begin */
    uint64_t due;
    uint64_t entry_trap; /* the trap that led to the block; 0: none */
    uint64_t context_before, priv_before, itype_before;
    bool sijump_before, retired_before; /* without a trap */
};

/* Goes to the first block of a table, which must outlive the reader. Programs are read as by the
 * cursor, which is copied. Errors are those of etrace_record_open and etrace_record_next; the
 * reader is to be closed after one, too. */
enum assay_error etrace_block_reader_open(struct etrace_block_reader *reader,
                                          struct assay_source *table,
                                          const struct etrace_record_setup *setup,
                                          const struct etrace_block_reading *reading,
                                          const struct assay_image_cursor *cursor,
                                          struct assay_diag *diag);
void etrace_block_reader_close(struct etrace_block_reader *reader);

/* Goes to the next block. */
void etrace_block_reader_next(struct etrace_block_reader *reader);

/* Whether the program can lead from an instruction, the last one of the block, back to it with
 * nothing on the way that is in a trace (silent_loop.c). */
bool etrace_block_loops(struct etrace_block_reader *reader, uint64_t pc);

/* A number for a trap. */
static inline uint64_t etrace_trap_number(uint64_t cause, bool interrupt)
{
    return cause << 2 | (uint64_t)interrupt << 1 | 1;
}

/* The number of the instruction at a position of a block, in bytes, in the order of the record. */
static inline uint64_t etrace_block_place(const struct etrace_block *block, uint64_t position)
{
    return (uint64_t)block->line << 32 | (position < UINT32_MAX ? position : UINT32_MAX);
}

static inline uint64_t etrace_address_key(uint64_t address)
{
    return assay_instruction_key(address, 0);
}

/* The instruction at a position of the block, as it is searched; returns the position after it. */
uint64_t etrace_block_instruction(struct etrace_block_reader *reader, uint64_t position,
                                  struct assay_placement_item *item);

/* The instructions of the record, from the first one on, with the traps that led to them; silent
 * are those that make no packet due. The context of the source is a reader, which is not moved. */
void *etrace_record_reader_open(void *reader);
bool etrace_record_reader_next(void *reader, void *reopened, struct assay_placement_item *item);
void etrace_record_reader_close(void *reopened);

#endif
