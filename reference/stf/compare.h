/* The accesses that the records of a group tell, beside those that its instruction made. */
#ifndef ASSAY_STF_COMPARE_H
#define ASSAY_STF_COMPARE_H

#include "execution/runs.h"
#include "execution/window.h"

enum { STF_RECORDED_MOST = 1024 };

struct stf_recorded {
    uint64_t address;
    uint32_t size;
    bool write, has_content;
    uint64_t content; /* the first one */
};

/* The accesses of the open group. */
struct stf_comparison {
    unsigned count;
    bool cut; /* there are more */
    struct stf_recorded list[STF_RECORDED_MOST];
    struct assay_runs reads, writes, any; /* recorded */
    struct assay_runs executed_reads, executed_writes;
};

/* INST_MEM_ACCESS; what stands behind its descriptor. */
void stf_compare_access(struct stf_comparison *c, const uint8_t *data);

/* INST_MEM_CONTENT behind it. */
void stf_compare_content(struct stf_comparison *c, const uint8_t *data);

/* The encoding record of the group, classified as `info`, and the executed instruction that it
 * stands for; `all_told`: the recording tells every access. Writes the derived words. */
void stf_compare_instruction(const struct assay_window *window,
                             const struct assay_retired *executed, uint64_t info, bool all_told,
                             struct stf_comparison *c, uint64_t *words);

#endif
