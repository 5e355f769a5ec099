/* Levels and traps of a machine, which QEMU's plugin interface does not show. A program that is
 * written for the recorder reports them by stores to a block for each level (docs/recorder.md); a
 * reported trap is inserted in its position, before the first instruction of the handler. For that
 * the last items of a vcpu are held back. */
#ifndef ASSAY_RECORDER_LEVELS_H
#define ASSAY_RECORDER_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "execution/execution.h"
#include "walks.h"

enum {
    LEVELS_HELD = 32,     /* items that are held back: a handler reports its trap within fewer */
    LEVELS_ACCESSES = 16, /* of an instruction that is held back */
    LEVELS_COUNT = 4,     /* U, S, (H), M; EL0 to EL3 */
    LEVELS_UNKNOWN = 255,

    /* Words of a level's block. */
    LEVELS_CAUSE = 0,
    LEVELS_ADDRESS = 1,
    LEVELS_VALUE = 2,
    LEVELS_STATUS = 3,  /* the last one that a handler stores */
    LEVELS_RETURNS = 4, /* stored before a return from the level */
    LEVELS_ROOT = 5,    /* what is written to satp next, stored before */
    LEVELS_CALL = 6,    /* the number of a call, stored before the status */
    LEVELS_WORDS = 8,
    LEVELS_BLOCK_SIZE = LEVELS_WORDS * 8
};

enum levels_item_kind { LEVELS_INSTRUCTION, LEVELS_ABORTED };

struct levels_trap {
    uint8_t level; /* that it was taken to */
    uint64_t cause, address, value, status, call;
};

struct levels_item {
    enum levels_item_kind kind;
    uint64_t address;
    uint32_t word;
    uint8_t size;
    uint8_t rule;      /* enum normalize_rule */
    bool has_level;    /* it begins to run at `level` */
    bool has_diverted; /* control was taken away right before it, ... */
    bool has_trap;     /* ... by `trap` */
    bool has_fault;    /* of an aborted one: the access to `fault` failed */
    uint8_t level;
    uint64_t fault;
    struct levels_trap trap;
    struct walks_held walks; /* that it makes, if its level has page tables */
    unsigned accesses;
    struct assay_access access[LEVELS_ACCESSES];
};

/* The items of a vcpu that are held back; `isa` and `level` are set by the caller at the beginning.
 * */
struct levels {
    enum assay_execution_isa isa;
    uint8_t level;
    bool level_changed;               /* it is that of the next item on */
    bool diverted;                    /* control was taken away before the next item */
    bool returns_known[LEVELS_COUNT]; /* the status for the next return from the level was reported
                                       */
    uint64_t block[LEVELS_COUNT][LEVELS_WORDS]; /* the values that were reported last */
    bool root_known;                            /* the next value of satp was reported: `root` */
    uint64_t root;
    unsigned first, count;
    struct levels_item item[LEVELS_HELD];
};

/* Adds an item, of which all but levels and traps is set. There must be room: the caller takes the
 * oldest before. Returns the item as it is held. */
struct levels_item *levels_add(struct levels *levels, const struct levels_item *item);

/* The oldest item; null when nothing is held. */
struct levels_item *levels_oldest(struct levels *levels);
void levels_take_oldest(struct levels *levels);

/* The newest instruction stored a word of the block of a level. */
void levels_told(struct levels *levels, unsigned level, unsigned word, uint64_t value);

#endif
