/* What the recorded programs share. Each does the same for the same argument, the number of its
 * rounds, and prints a checksum. */
#ifndef ASSAY_GENERATORS_PROGRAMS_PROGRAM_H
#define ASSAY_GENERATORS_PROGRAMS_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The C library's memset clears large blocks with DC ZVA, and QEMU 7.2 does not report to a plugin
 * what that writes (docs/recorder.md): the recording would lack accesses. This one stores. */
__attribute__((optimize("no-tree-loop-distribute-patterns"))) void *memset(void *block, int value,
                                                                           size_t size)
{
    unsigned char *bytes = block;
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = (unsigned char)value;
    }
    return block;
}

static uint64_t seed = 0x9e3779b97f4a7c15u;

static inline uint32_t random_number(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 32);
}

static inline uint32_t checksum(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ bytes[i]) * 16777619u;
    }
    return hash;
}

static inline unsigned rounds_of(int argc, char **argv)
{
    return argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
}

static inline void say(const char *what, const void *data, size_t size)
{
    printf("%-10s %08x\n", what, (unsigned)checksum(data, size));
}

#endif
