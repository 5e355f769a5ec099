/* The contents of the program's memory. QEMU's interface gives no values, but in user mode the
 * program's memory is the process's own, at a constant distance from the program's addresses. */
#ifndef ASSAY_RECORDER_CONTENTS_H
#define ASSAY_RECORDER_CONTENTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct contents {
    bool wanted;
    atomic_uint withdrawing; /* system calls that are taking memory away */
    atomic_bool known;       /* `base` is */
    uint64_t base;     /* distance from an address of the program to where its byte is; set once,
                          before the first instruction runs */
    uint64_t tag_mask; /* bits of an address that say where it is */
    /* Of a machine: its memory, by physical addresses; size 0 for a program in user mode. `base` is
     * the distance from those. */
    uint64_t ram, ram_size;
};

/* Learns the distance from an instruction. Of a machine, from its first one in memory, which runs
 * where its physical address is; of a program: its address, the location of its bytes according to
 * QEMU (null if unknown), and the bytes that QEMU translated. False if they are not there, or
 * contradict another instruction. */
bool contents_learn(struct contents *contents, uint64_t address, const void *host,
                    const void *bytes, size_t size);

/* Of a machine: the physical address of what is at this location; UINT64_MAX if it is not known. */
uint64_t contents_physical(const struct contents *contents, const void *host);

/* The `size` bytes at an address, little-endian. False when they are more than 8, or cannot be
 * read. `reading` is the calling thread's own, and null while the program has never had a second
 * thread: another one may take the memory away. */
bool contents_read(const struct contents *contents, uint64_t address, unsigned size,
                   atomic_bool *reading, uint64_t *value);

/* Whether a system call may take memory away, or the right to read it: not whether it writes there,
 * as any thread may. Before such a call the caller calls contents_withdraw and waits until no other
 * thread is `reading`; after it, contents_restore. None of these calls blocks, except the opening
 * of a FIFO to be truncated: meanwhile other threads read through the kernel.
 */
bool contents_are_withdrawn_by(uint64_t system_call, const uint64_t args[6]);
void contents_withdraw(struct contents *contents);
void contents_restore(struct contents *contents);

#endif
