/* What the program says of a block of the interface. */
#ifndef ASSAY_ETRACE_BLOCK_FACTS_H
#define ASSAY_ETRACE_BLOCK_FACTS_H

#include "etrace/data/multiple_accesses.h"
#include "etrace/interface/record.h"
#include "etrace/interface/signals.h"
#include "etrace/program/walk.h"

/* How blocks are read. */
struct etrace_block_reading {
    struct etrace_reading program;
    bool single;   /* iretire counts instructions (4.2.1) */
    bool narrow;   /* itype has 3 bits */
    bool multiple; /* instructions of several accesses can be reported several times (2.0, 4.3) */
    bool infers_returns; /* the encoder can leave out targets of returns */
};

/* Of those, the ones of a block whose reports are complete; of more, the first ones are noted. */
enum { ETRACE_BLOCK_WHOLE = 4 };

struct etrace_block_facts {
    uint64_t bytes;      /* of the block */
    uint64_t last;       /* address of its last instruction, by iretire and ilastsize */
    uint64_t after;      /* the address after it */
    uint32_t count;      /* instructions by the program, up to where the program is absent */
    uint32_t inner;      /* of these, that can go elsewhere and are not the last one */
    bool in_program;     /* all of it is in the images */
    uint32_t unfinished; /* `in_program`: bytes of the last instruction that are after the block */
    bool fits;           /* `in_program`, and that is 0 */
    bool sequential;     /* its jump has a target that is sequentially inferable */
    bool has_itype;      /* `itype` is due by the program */
    uint8_t itype;       /* enum etrace_itype */
    bool has_next;       /* the address of the next instruction follows from itype and program */
    uint64_t next;       /* that address */
    struct etrace_instruction instruction; /* the last one; its size is 0 when it is absent */

    /* Of instructions of several accesses. */
    uint32_t repeated; /* bytes of the first one, if the block is another report of it */
    struct etrace_reports last_of; /* the last one, if it is one */
    struct etrace_reports open;    /* likewise, if another report of it can follow */
    struct etrace_reports whole[ETRACE_BLOCK_WHOLE];
    uint32_t wholes;
};

/* Whether anything happened in it; otherwise its other signals have no meaning. */
static inline bool etrace_block_happens(const struct etrace_block *block)
{
    return block->signal[ETRACE_SIGNAL_IRETIRE] != 0 || block->signal[ETRACE_SIGNAL_ITYPE] != 0;
}

static inline bool etrace_block_retires(const struct etrace_block *block)
{
    return block->signal[ETRACE_SIGNAL_IRETIRE] != 0;
}

static inline bool etrace_block_halts(const struct etrace_block *block)
{
    return block->signal[ETRACE_SIGNAL_HALTED] != 0 || block->signal[ETRACE_SIGNAL_RESET] != 0;
}

static inline bool etrace_block_traps(const struct etrace_block *block)
{
    const uint64_t itype = block->signal[ETRACE_SIGNAL_ITYPE];
    return itype == ETRACE_ITYPE_EXCEPTION || itype == ETRACE_ITYPE_INTERRUPT;
}

/* As the parameters of a stream say (etrace_layout). */
struct etrace_block_reading etrace_block_reading_of(const uint64_t *layout);

/* Bytes of its last instruction, by ilastsize; 0: that is above 4. */
uint64_t etrace_block_last_size(const struct etrace_block *block);

/* Bytes of its instructions, by iretire and ilastsize. */
uint64_t etrace_block_bytes(const struct etrace_block_reading *reading,
                            const struct etrace_block *block);

/* Whether the context of a block is to be reported with its first instruction (table 4.4). */
static inline bool etrace_block_changes_context(const struct etrace_block *block, uint64_t before)
{
    return block->signal[ETRACE_SIGNAL_CTYPE] >= ETRACE_CTYPE_PRECISE &&
           block->signal[ETRACE_SIGNAL_CONTEXT] != before;
}

/* Whether a block makes no packet due: it has no outcome, no target that cannot be inferred, and
 * the context of the block before it. */
bool etrace_block_is_quiet(const struct etrace_block_reading *reading,
                           const struct etrace_block *block, const struct etrace_block_facts *facts,
                           uint64_t context_before);

/* `before` is the instruction retired directly before the block, of size 0 where there is none;
 * `open` is what the block before left, of which it is `partial` where nothing is known of that;
 * `next` is the block after it, or null. */
void etrace_block_facts(struct assay_image_cursor *cursor,
                        const struct etrace_block_reading *reading,
                        const struct etrace_block *block, const struct etrace_instruction *before,
                        const struct etrace_reports *open, const struct etrace_block *next,
                        struct etrace_block_facts *facts);

#endif
