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

/* By way of the kernel, which tells when nothing is there. */
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
    void *host = (void *)(uintptr_t)(contents->base + (address & contents->tag_mask));
    if (reading == NULL) {
        memcpy(bytes, host, size);
    } else if (!copy(contents, bytes, host, size, reading)) {
        return false;
    }
    *value = assay_load64(bytes);
    return true;
}

bool contents_are_withdrawn_by(uint64_t system_call)
{
    enum { /* by their generic numbers */
           TRUNCATE = 45,
           FTRUNCATE = 46,
           SHMDT = 197,
           BRK = 214,
           MUNMAP = 215,
           MREMAP = 216,
           MMAP = 222,
           MPROTECT = 226,
           REMAP_FILE_PAGES = 234,
           PKEY_MPROTECT = 288
    };
    switch (system_call) {
    case TRUNCATE:
    case FTRUNCATE:
    case SHMDT:
    case BRK:
    case MUNMAP:
    case MREMAP:
    case MMAP:
    case MPROTECT:
    case REMAP_FILE_PAGES:
    case PKEY_MPROTECT:
        return true;
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
