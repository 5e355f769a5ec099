/* The recorder's options, as QEMU hands them over: "name=value" strings. */
#ifndef ASSAY_RECORDER_OPTIONS_H
#define ASSAY_RECORDER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct recorder_options {
    const char *out;     /* where the recording goes; borrowed from the arguments */
    const char *program; /* what the recording calls the program; borrowed, never null */
    bool contents;       /* of accesses are recorded */
    uint64_t limit;      /* instructions to record; UINT64_MAX without a limit */
    uint64_t until; /* address of the first instruction that is not recorded; UINT64_MAX: none */
    /* Of a machine: where its memory is, and the blocks by which its program tells levels. */
    uint64_t ram, ram_size;
    bool has_blocks;
    bool has_level; /* the level that it begins at is given */
    uint64_t level;
    uint64_t blocks;
};

/* False: message says in one line what is wrong with the options. */
bool recorder_options_read(int count, char **values, struct recorder_options *options,
                           char *message, unsigned size);

/* Whether they are those of what is recorded, a machine or a program; false as above. */
bool recorder_options_fit(const struct recorder_options *options, bool system, char *message,
                          unsigned size);

#endif
