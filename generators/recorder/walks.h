/* The page table walks of a machine's processor (RISC-V, Sv39 and Sv48). QEMU does not show them to
 * plugins, but the tables are in memory, and the program reports the values that it writes to satp
 * (docs/recorder.md). */
#ifndef ASSAY_RECORDER_WALKS_H
#define ASSAY_RECORDER_WALKS_H

#include <stdbool.h>
#include <stdint.h>

#include "contents.h"
#include "execution/execution.h"

enum {
    WALKS_RETAINED = 4096, /* pages whose last walk is remembered; more are recorded again */
    WALKS_HELD = 4         /* of an instruction: the first uses of pages that it makes at most */
};

#define WALKS_ANYWHERE UINT64_MAX /* instead of a physical address that QEMU does not tell */

struct walks {
    bool known;                                 /* `satp` is that of the processor */
    uint64_t satp;                              /* in force */
    struct assay_walk recorded[WALKS_RETAINED]; /* the last one of a page; count 0: none */
    uint16_t space[WALKS_RETAINED];             /* its ASID */
};

/* The new walks of an instruction, in the order of their first uses. */
struct walks_held {
    unsigned count;
    uint16_t space;
    struct assay_walk walk[WALKS_HELD];
};

/* Whether an instruction of RV64 writes satp. */
bool walks_write_satp(uint32_t word);

/* The processor translates an address, to `physical` or WALKS_ANYWHERE, for a fetch or an access.
 * The walk is added to those held unless the page has it already. If the tables give another
 * address, as when they were changed and the processor still had the old translation, the walk is
 * not known.
 */
void walks_use(const struct walks *walks, const struct contents *contents, uint64_t address,
               uint64_t physical, bool data, struct walks_held *held);

/* The page of an address faulted: its next walk is recorded in any case. */
void walks_forget(struct walks *walks, uint64_t address);

/* Whether this walk is to be recorded; from now on it is the last one of its page. */
bool walks_take(struct walks *walks, uint16_t space, const struct assay_walk *walk);

#endif
