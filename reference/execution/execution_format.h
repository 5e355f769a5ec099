/* What the writer and the reader of assay-execution/1 share: the numbers of the format and the
 * prediction table, which both maintain identically. docs/execution-format.md is the
 * specification. */
#ifndef ASSAY_EXECUTION_EXECUTION_FORMAT_H
#define ASSAY_EXECUTION_EXECUTION_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "execution/execution.h"

#define ASSAY_EXECUTION_NAME  "assay-execution/"
#define ASSAY_EXECUTION_MAGIC ASSAY_EXECUTION_NAME "1\n"

enum {
    ASSAY_EXECUTION_NAME_SIZE = sizeof ASSAY_EXECUTION_NAME - 1,
    ASSAY_EXECUTION_MAGIC_SIZE = sizeof ASSAY_EXECUTION_MAGIC - 1,
    ASSAY_EXECUTION_HEADER_FIXED = 17, /* header fields before the two strings */
    ASSAY_EXECUTION_HEADER_MAX = 1 << 16,
    ASSAY_EXECUTION_ALL_ACCESSES = 1, /* bits of the byte after the strings */
    ASSAY_EXECUTION_SYSTEM = 2,

    ASSAY_EXECUTION_RECORD_CHUNK = 'C',
    ASSAY_EXECUTION_CHUNK_HEAD = 17, /* tag, thread, time, length */
    ASSAY_EXECUTION_CHUNK_MAX = 1 << 16,
    ASSAY_EXECUTION_RECORD_END = 'E',
    ASSAY_EXECUTION_END_SIZE = 34, /* tag, reason, four totals */

    ASSAY_EXECUTION_RUN_MAX = 192,           /* tokens below this are runs */
    ASSAY_EXECUTION_TOKEN_INSTRUCTION = 192, /* and its flags */
    ASSAY_EXECUTION_HAS_ADDRESS = 1,
    ASSAY_EXECUTION_HAS_WORD = 2,
    ASSAY_EXECUTION_HAS_ACCESSES = 4,
    ASSAY_EXECUTION_IS_NARROW = 8,
    ASSAY_EXECUTION_TOKEN_CLOCK = 0xd0,
    ASSAY_EXECUTION_TOKEN_SYSTEM_CALL = 0xd1,
    ASSAY_EXECUTION_TOKEN_RETURN = 0xd2,
    ASSAY_EXECUTION_TOKEN_THREAD_START = 0xd3,
    ASSAY_EXECUTION_TOKEN_THREAD_END = 0xd4,
    ASSAY_EXECUTION_TOKEN_DIVERTED = 0xd5,
    ASSAY_EXECUTION_TOKEN_CONTENTS = 0xd6,
    ASSAY_EXECUTION_TOKEN_TRAP = 0xd7,
    ASSAY_EXECUTION_TOKEN_LEVEL = 0xd8,
    ASSAY_EXECUTION_TOKEN_WALK = 0xd9,
    ASSAY_EXECUTION_HAS_FAULT = 8, /* in the size of an aborted instruction */

    ASSAY_EXECUTION_WALK_DATA = 0x80, /* in the number of entries of a walk */

    ASSAY_EXECUTION_KIND_WRITE = 0x80, /* access kind: this bit and the binary logarithm */
    ASSAY_EXECUTION_KIND_LOG2 = 0x0f,
    ASSAY_EXECUTION_LOG2_MAX = 12,

    ASSAY_EXECUTION_CONTENT_MAX = 8,        /* bytes of the largest content that is recorded */
    ASSAY_EXECUTION_CONTENT_UNKNOWN = 0xff, /* instead of the number of a content's bytes */

    ASSAY_EXECUTION_TABLE_SIZE = 4096,
    ASSAY_EXECUTION_SHAPE_MAX = 4 /* accesses whose kinds an entry remembers */
};

/* The prediction for an instruction at an address, from its last execution. */
struct assay_execution_entry {
    uint64_t address;
    uint64_t next;         /* where execution went on after it */
    uint64_t first_access; /* address of its first access */
    uint32_t word;
    uint32_t chunk; /* the chunk that filled the entry; valid in that chunk only */
    uint8_t kinds[ASSAY_EXECUTION_SHAPE_MAX];
    uint8_t accesses;
    uint8_t size;
};

struct assay_execution_model {
    struct assay_execution_entry table[ASSAY_EXECUTION_TABLE_SIZE];
    struct assay_execution_entry *last; /* the last instruction's; null at a chunk's start */
    uint64_t last_access;               /* address of the last access; 0 at a chunk's start */
    uint32_t chunk;                     /* serial number of the current chunk, from 1 */
    unsigned shift;                     /* binary logarithm of the instruction alignment */
};

/* Forgets everything, as every chunk does at its start. */
static inline void assay_execution_model_reset(struct assay_execution_model *model)
{
    model->last = NULL;
    model->last_access = 0;
    if (++model->chunk == 0) {
        memset(model->table, 0, sizeof model->table);
        model->chunk = 1;
    }
}

/* A zeroed model for an instruction set, reset for its first chunk. */
static inline void assay_execution_model_start(struct assay_execution_model *model,
                                               enum assay_execution_isa isa)
{
    model->shift = isa == ASSAY_EXECUTION_AARCH64 ? 2 : 1;
    assay_execution_model_reset(model);
}

static inline uint64_t assay_execution_predicted(const struct assay_execution_model *model)
{
    return model->last != NULL ? model->last->next : 0;
}

/* The table entry for an instruction at this address. */
static inline struct assay_execution_entry *
assay_execution_entry_at(struct assay_execution_model *model, uint64_t address)
{
    return &model->table[(address >> model->shift) % ASSAY_EXECUTION_TABLE_SIZE];
}

static inline bool assay_execution_entry_knows(const struct assay_execution_model *model,
                                               const struct assay_execution_entry *entry,
                                               uint64_t address)
{
    return entry->chunk == model->chunk && entry->address == address;
}

/* Puts a new instruction into the entry. */
static inline void assay_execution_entry_fill(struct assay_execution_model *model,
                                              struct assay_execution_entry *entry, uint64_t address,
                                              uint32_t word, uint8_t size)
{
    *entry = (struct assay_execution_entry){.address = address,
                                            .next = address + size,
                                            .first_access = model->last_access,
                                            .word = word,
                                            .chunk = model->chunk,
                                            .size = size};
}

/* Control went from the last instruction to this address. Call it before the entry of the address
 * is filled, which may be that of the last instruction. */
static inline void assay_execution_went_to(struct assay_execution_model *model, uint64_t address)
{
    if (model->last != NULL) {
        model->last->next = address;
    }
}

static inline uint64_t assay_execution_zigzag(uint64_t difference)
{
    return (difference << 1) ^ (0 - (difference >> 63));
}

static inline uint64_t assay_execution_unzigzag(uint64_t coded)
{
    return (coded >> 1) ^ (0 - (coded & 1));
}

#endif
