#include "contents.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/bytes.h"

bool contents_learn(struct contents *contents, uint64_t address, const void *host,
                    const void *bytes, size_t size)
{
    if (host == NULL) {
        return true;
    }
    if (contents->ram_size > 0 &&
        (atomic_load(&contents->known) || address - contents->ram >= contents->ram_size)) {
        return true;
    }
    const uint64_t base = (uint64_t)(uintptr_t)host - address;
    if (atomic_load(&contents->known)) {
        return base == contents->base;
    }
    if (memcmp(host, bytes, size) != 0) {
        return false;
    }
    contents->base = base;
    atomic_store(&contents->known, true);
    return true;
}

uint64_t contents_physical(const struct contents *contents, const void *host)
{
    const uint64_t physical = (uint64_t)(uintptr_t)host - contents->base;
    return atomic_load(&contents->known) && physical - contents->ram < contents->ram_size
               ? physical
               : UINT64_MAX;
}

/* Through the kernel, which reports unmapped memory. */
static bool copy_safely(void *to, void *from, size_t size)
{
    const struct iovec local = {.iov_base = to, .iov_len = size};
    const struct iovec remote = {.iov_base = from, .iov_len = size};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Either this thread sees that memory is being taken away, or the one that takes it waits. */
static bool copy(const struct contents *contents, void *to, void *from, size_t size,
                 atomic_bool *reading)
{
    atomic_store(reading, true);
    const bool stays = atomic_load(&contents->withdrawing) == 0;
    if (stays) {
        memcpy(to, from, size);
    }
    atomic_store_explicit(reading, false, memory_order_release);
    return stays || copy_safely(to, from, size);
}

bool contents_read(const struct contents *contents, uint64_t address, unsigned size,
                   atomic_bool *reading, uint64_t *value)
{
    uint8_t bytes[8] = {0};
    if (size > sizeof bytes || !atomic_load_explicit(&contents->known, memory_order_acquire)) {
        return false;
    }
    if (contents->ram_size > 0 && (address - contents->ram >= contents->ram_size ||
                                   contents->ram + contents->ram_size - address < size)) {
        return false;
    }
    void *host = (void *)(uintptr_t)(contents->base + (address & contents->tag_mask));
    if (reading == NULL) {
        memcpy(bytes, host, size);
    } else if (!copy(contents, bytes, host, size, reading)) {
        return false;
    }
    *value = assay_load64(bytes);
    return true;
}

/* Linux system calls by their generic numbers, which AArch64 and RISC-V share, and the values that
 * those two have for their arguments. */
enum {
    CALL_TRUNCATE = 45,
    CALL_FTRUNCATE = 46,
    CALL_FALLOCATE = 47,
    CALL_OPENAT = 56,
    CALL_SHMAT = 196,
    CALL_SHMDT = 197,
    CALL_BRK = 214,
    CALL_MUNMAP = 215,
    CALL_MREMAP = 216,
    CALL_MMAP = 222,
    CALL_MPROTECT = 226,
    CALL_MADVISE = 233,
    CALL_REMAP_FILE_PAGES = 234,
    CALL_PKEY_MPROTECT = 288,
    CALL_OPENAT2 = 437,
    CALL_PROCESS_MADVISE = 440,

    COLLAPSE_RANGE = 0x8, /* FALLOC_FL_ */
    TRUNCATES = 01000,    /* O_TRUNC */
    REPLACES = 040000,    /* SHM_REMAP */
    POISON = 100,         /* MADV_HWPOISON, and what is no hint from there on */
};

bool contents_are_withdrawn_by(uint64_t system_call, const uint64_t args[6])
{
    switch (system_call) {
    /* Mappings go, move or are replaced, or may not be read any more. */
    case CALL_SHMDT:
    case CALL_BRK:
    case CALL_MUNMAP:
    case CALL_MREMAP:
    case CALL_MMAP:
    case CALL_MPROTECT:
    case CALL_REMAP_FILE_PAGES:
    case CALL_PKEY_MPROTECT:
        return true;
    case CALL_SHMAT:
        return (args[2] & REPLACES) != 0;
    case CALL_MADVISE:
        return args[2] >= POISON;
    case CALL_PROCESS_MADVISE:
        return args[3] >= POISON;
    /* Files become shorter, and their mappings with them. How openat2 opens one is in memory. */
    case CALL_TRUNCATE:
    case CALL_FTRUNCATE:
    case CALL_OPENAT2:
        return true;
    case CALL_FALLOCATE:
        return (args[1] & COLLAPSE_RANGE) != 0;
    case CALL_OPENAT:
        return (args[2] & TRUNCATES) != 0;
    default:
        return false;
    }
}

void contents_withdraw(struct contents *contents)
{
    atomic_fetch_add(&contents->withdrawing, 1);
}

void contents_restore(struct contents *contents)
{
    atomic_fetch_sub(&contents->withdrawing, 1);
}
