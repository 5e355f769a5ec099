#include "levels.h"

#include <string.h>

#include "retire.h"

#define RV_MRET UINT32_C(0x30200073)

/* mstatus.MPP, sstatus.SPP; SPSR_ELx.M[3:2] of AArch64. */
static uint8_t level_of_status(enum assay_execution_isa isa, uint32_t word, uint64_t status)
{
    if (isa == ASSAY_EXECUTION_AARCH64) {
        return (uint8_t)(status >> 2 & 3);
    }
    return (uint8_t)(word == RV_MRET ? status >> 11 & 3 : status >> 8 & 1);
}

static bool is_interrupt(enum assay_execution_isa isa, const struct levels_trap *trap, uint64_t pc)
{
    switch (isa) {
    case ASSAY_EXECUTION_RISCV64:
        return trap->cause >> 63 != 0;
    case ASSAY_EXECUTION_RISCV32:
        return (trap->cause >> 31 & 1) != 0;
    default: /* the vectors of synchronous exceptions are the first of each four */
        return (pc >> 7 & 3) != 0;
    }
}

/* Whether the trap's value is the address whose access failed. */
static bool has_fault(enum assay_execution_isa isa, const struct levels_trap *trap)
{
    if (isa == ASSAY_EXECUTION_AARCH64) {
        const unsigned class = trap->cause >> 26 & 0x3f; /* ESR_ELx.EC: data aborts */
        return class == 0x24 || class == 0x25;
    }
    return trap->cause == 13 || trap->cause == 15 || (trap->cause >= 4 && trap->cause <= 7);
}

static struct levels_item *item_at(struct levels *levels, unsigned n)
{
    return &levels->item[(levels->first + n) % LEVELS_HELD];
}

/* A return goes by the status that was told for it, once. */
static void note_return(struct levels *levels, uint32_t word)
{
    const uint8_t level = levels->level;
    const bool known = level < LEVELS_COUNT && levels->returns_known[level];
    levels->level_changed = true;
    if (!known) {
        levels->level = LEVELS_UNKNOWN;
        return;
    }
    levels->returns_known[level] = false;
    levels->level = level_of_status(levels->isa, word, levels->block[level][LEVELS_RETURNS]);
}

struct levels_item *levels_add(struct levels *levels, const struct levels_item *item)
{
    struct levels_item *held = item_at(levels, levels->count++);
    *held = *item;
    held->has_level = levels->level_changed;
    held->level = levels->level;
    held->has_diverted = levels->diverted;
    levels->level_changed = levels->diverted = false;
    if (item->kind == LEVELS_INSTRUCTION && retire_is_return(levels->isa, item->word)) {
        note_return(levels, item->word);
    }
    return held;
}

struct levels_item *levels_oldest(struct levels *levels)
{
    return levels->count > 0 ? item_at(levels, 0) : NULL;
}

void levels_take_oldest(struct levels *levels)
{
    levels->first = (levels->first + 1) % LEVELS_HELD;
    levels->count--;
}

/* Whether a trap that is held returns to item n: it interrupted what goes on there. */
static bool is_resumed(struct levels *levels, unsigned n)
{
    unsigned i = 0;
    while (i < n && !(item_at(levels, i)->has_trap &&
                      item_at(levels, i)->trap.address == item_at(levels, n)->address)) {
        i++;
    }
    return i < n;
}

/* --- where the handler began --- */

/* How control came from an item to the next one. */
enum way {
    WAY_ON,     /* in sequence, or by a direct branch */
    WAY_ANY,    /* by an indirect branch, or taken away after it */
    WAY_RETURN, /* by a return from a trap, or taken away after it */
    WAY_TAKEN   /* taken away: the item does not lead there */
};

static enum way way_of(enum assay_execution_isa isa, const struct levels_item *from,
                       const struct levels_item *to)
{
    uint64_t target = 0;
    if (from->kind != LEVELS_INSTRUCTION || retire_is_call(isa, from->word)) {
        return WAY_TAKEN;
    }
    if (retire_is_return(isa, from->word)) {
        return WAY_RETURN;
    }
    if (from->address + from->size == to->address) {
        return WAY_ON;
    }
    if (retire_class_of(isa, from->word, from->size) != RETIRE_TRANSFER) {
        return WAY_TAKEN;
    }
    if (!retire_target_of(isa, from->address, from->word, from->size, &target)) {
        return WAY_ANY;
    }
    return target == to->address ? WAY_ON : WAY_TAKEN;
}

/* Whether a vector can be there: those of AArch64 are 0x80 bytes apart. */
static bool may_be_vector(enum assay_execution_isa isa, uint64_t address)
{
    return isa != ASSAY_EXECUTION_AARCH64 || address % 0x80 == 0;
}

/* Whether the trap that came after an item returns to where that leads, or to itself. */
static bool is_returned_to(const struct levels *levels, const struct levels_item *last,
                           uint64_t address)
{
    uint64_t target = 0;
    return address == last->address || address == last->address + last->size ||
           (retire_target_of(levels->isa, last->address, last->word, last->size, &target) &&
            address == target);
}

/* The number of the handler's first item, which is where control was taken away; 0: too long ago,
 * or it was interrupted itself. An indirect branch can be the handler's, as that of a vector, or
 * the program's before the handler: it is the handler's if control was taken away further back,
 * where the trap returns to. */
static unsigned find_handler(struct levels *levels, uint64_t returns_to)
{
    unsigned perhaps = 0;
    for (unsigned at = levels->count - 1; at > 0; at--) {
        const struct levels_item *before = item_at(levels, at - 1);
        const struct levels_item *here = item_at(levels, at);
        const enum way way = way_of(levels->isa, before, here);
        if (way == WAY_RETURN && perhaps == 0) {
            return is_resumed(levels, at) ? 0 : at;
        }
        if (way == WAY_TAKEN && (perhaps == 0 || is_returned_to(levels, before, returns_to))) {
            return at;
        }
        if (way == WAY_TAKEN || way == WAY_RETURN) {
            break;
        }
        if (way == WAY_ANY && perhaps == 0 && may_be_vector(levels->isa, here->address)) {
            perhaps = at;
        }
    }
    return perhaps;
}

/* The word tells more than what followed: an instruction that a synchronous exception returns to
 * was aborted, whatever class it is of. */
static void correct_last(struct levels *levels, struct levels_item *last,
                         const struct levels_trap *trap)
{
    if (last->kind == LEVELS_INSTRUCTION && last->address == trap->address &&
        !retire_is_call(levels->isa, last->word)) {
        last->kind = LEVELS_ABORTED;
        last->accesses = 0;
    }
    if (last->kind == LEVELS_ABORTED && last->address == trap->address) {
        last->has_fault = has_fault(levels->isa, trap);
        last->fault = trap->value;
    }
}

static void note_trap(struct levels *levels, unsigned level)
{
    const uint64_t *block = levels->block[level];
    const unsigned at = levels->count > 0 ? find_handler(levels, block[LEVELS_ADDRESS]) : 0;
    if (at == 0) {
        levels->level = LEVELS_UNKNOWN;
        levels->level_changed = true;
        return;
    }
    struct levels_item *handler = item_at(levels, at);
    struct levels_item *last = item_at(levels, at - 1);
    handler->has_trap = true;
    handler->trap = (struct levels_trap){.level = (uint8_t)level,
                                         .cause = block[LEVELS_CAUSE],
                                         .address = block[LEVELS_ADDRESS],
                                         .value = block[LEVELS_VALUE],
                                         .call = block[LEVELS_CALL],
                                         .status = block[LEVELS_STATUS]};
    const bool interrupt = is_interrupt(levels->isa, &handler->trap, handler->address);
    if (!interrupt) {
        correct_last(levels, last, &handler->trap);
    }
    handler->has_diverted =
        last->kind == LEVELS_INSTRUCTION && (interrupt || !retire_is_call(levels->isa, last->word));
    levels->level = (uint8_t)level;
}

void levels_told(struct levels *levels, unsigned level, unsigned word, uint64_t value)
{
    if (level >= LEVELS_COUNT || word >= LEVELS_WORDS) {
        return;
    }
    levels->block[level][word] = value;
    if (word == LEVELS_STATUS) {
        note_trap(levels, level);
    } else if (word == LEVELS_RETURNS) {
        levels->returns_known[level] = true;
    } else if (word == LEVELS_ROOT) {
        levels->root_known = true;
        levels->root = value;
    }
}
