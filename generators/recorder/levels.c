#include "levels.h"

#include <string.h>

#define RV_ECALL UINT32_C(0x00000073)
#define RV_SRET  UINT32_C(0x10200073)
#define RV_MRET  UINT32_C(0x30200073)

#define A64_ERET UINT32_C(0xd69f03e0)

bool levels_is_call(enum assay_execution_isa isa, uint32_t word)
{
    const unsigned operation = word & 0x1f; /* SVC 1, HVC 2, SMC 3 */
    return isa == ASSAY_EXECUTION_AARCH64
               ? (word >> 21) == 0x6a0 && operation >= 1 && operation <= 3
               : word == RV_ECALL;
}

bool levels_is_return(enum assay_execution_isa isa, uint32_t word)
{
    return isa == ASSAY_EXECUTION_AARCH64 ? word == A64_ERET : word == RV_SRET || word == RV_MRET;
}

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
    if (item->kind == LEVELS_INSTRUCTION && levels_is_return(levels->isa, item->word)) {
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

/* A handler tells its trap before it branches: it begins where the instructions before are not in
 * sequence. The number of its first one; 0: too long ago, or it was interrupted itself. */
static unsigned find_handler(struct levels *levels)
{
    unsigned at = levels->count - 1;
    while (at > 0) {
        const struct levels_item *before = item_at(levels, at - 1);
        if (levels_is_return(levels->isa, before->word) && is_resumed(levels, at)) {
            return 0;
        }
        if (before->kind != LEVELS_INSTRUCTION ||
            before->address + before->size != item_at(levels, at)->address) {
            return at;
        }
        at--;
    }
    return 0;
}

/* The word tells more than what followed: an instruction that a synchronous exception returns to
 * was aborted, whatever class it is of. */
static void correct_last(struct levels *levels, struct levels_item *last,
                         const struct levels_trap *trap)
{
    if (last->kind == LEVELS_INSTRUCTION && last->address == trap->address &&
        !levels_is_call(levels->isa, last->word)) {
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
    const unsigned at = levels->count > 0 ? find_handler(levels) : 0;
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
        last->kind == LEVELS_INSTRUCTION && (interrupt || !levels_is_call(levels->isa, last->word));
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
