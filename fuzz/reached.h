/* What the inputs of a target reach: how many events of each kind were decoded. Where
 * ASSAY_FUZZ_REACHED names a file, the target writes it at its end, a line for each kind of each
 * format that it is to reach: format, layer, kind, number of events, and 1 if the seeds have to
 * reach this kind, 0 if any of the layer is enough. scripts/fuzz adds them up. They have to reach
 * each kind of the format that a target is of, and of others those that need a program: runs. */
#ifndef ASSAY_FUZZ_REACHED_H
#define ASSAY_FUZZ_REACHED_H

#include <inttypes.h>
#include <stdio.h>

#include "fuzz/target.h"
#include "model/model.h"

enum { REACHED_FORMATS = 8 };

struct reached {
    const struct assay_format *format;
    bool own; /* the target is of this format */
    uint64_t events[ASSAY_MAX_KINDS];
};
static struct reached reached_formats[REACHED_FORMATS];

static inline bool reached_wanted(void)
{
    static int wanted = -1;
    if (wanted < 0) {
        wanted = getenv("ASSAY_FUZZ_REACHED") != NULL;
    }
    return wanted == 1;
}

static inline void reached_write(void)
{
    FILE *out = fopen(getenv("ASSAY_FUZZ_REACHED"), "w");
    require(out != NULL);
    for (size_t i = 0; i < REACHED_FORMATS && reached_formats[i].format != NULL; i++) {
        const struct assay_format *format = reached_formats[i].format;
        for (unsigned k = 0; k < format->kind_count; k++) {
            if (!assay_kind_in_runs(format, k)) {
                const struct assay_kind *kind = &format->kinds[k];
                fprintf(out, "%s %s %s %" PRIu64 " %d\n", format->name, format->layers[kind->layer],
                        kind->name, reached_formats[i].events[k],
                        reached_formats[i].own || kind->run_of != 0);
            }
        }
    }
    require(fclose(out) == 0);
}

/* The counts of a format, which is one to be reached from then on. */
static inline struct reached *reached_of(const struct assay_format *format)
{
    size_t i = 0;
    if (reached_formats[0].format == NULL && reached_wanted()) {
        require(atexit(reached_write) == 0);
    }
    while (reached_formats[i].format != NULL && reached_formats[i].format != format) {
        i++;
        require(i < REACHED_FORMATS);
    }
    reached_formats[i].format = format;
    return &reached_formats[i];
}

static inline void reached_block(const struct assay_format *format, const struct assay_block *block)
{
    struct reached *reached = reached_of(format);
    for (size_t i = 0; i < block->count; i++) {
        reached->events[block->events[i].kind]++;
    }
}

#endif
