/* Comparison with a recorded execution: what of a group is compared with what its instruction
 * did, beyond the order of instructions (execution/compare.h). */
#ifndef ASSAY_STF_COMPARE_H
#define ASSAY_STF_COMPARE_H

#include "execution/accesses.h"
#include "execution/compare.h"
#include "execution/parts.h"
#include "execution/process.h"
#include "stf/compare_walks.h"
#include "stf/frame.h"
#include "stf/tables.h"

enum { STF_RECORDED_MOST = 1024 };

struct stf_recorded {
    uint64_t address;
    uint32_t size;
    bool write, has_content;
    uint64_t content; /* the first one */
};

/* Where the last encoding record leads by its group, and by the recording. */
struct stf_lead {
    const struct assay_alignment *alignment; /* of its thread */
    uint8_t flow;           /* enum stf_flow_code: that of the address after it; 0: not compared */
    bool led_known;         /* of a branch: the recording says where it led */
    bool targeted;          /* of an event: its group has one target */
    bool call;              /* of an event: of an environment call, which retired */
    uint64_t target;        /* where it leads by its group */
    uint64_t led;           /* where it led */
    struct assay_part part; /* that ends with it, if these differ */
};

/* The accesses of the open group. The context of stf_compare_format; all else of it is 0 at the
 * beginning. */
struct stf_compare {
    uint8_t iem;     /* of the recording, by stf_compare_open */
    bool of_process; /* it is of a program under a system */
    struct assay_process process;
    bool is_user;               /* an instruction of user mode came, */
    uint64_t user_from;         /* the first one with this index */
    struct stf_tables standard; /* its numbers of events are the causes of traps */
    bool of_machine;            /* the recording is of a machine, with its traps */
    unsigned event_targets;     /* of the open group */
    uint64_t event_target;      /* the last of them */
    struct stf_lead lead;
    unsigned count;
    bool cut; /* there are more */
    struct stf_recorded list[STF_RECORDED_MOST];
    struct assay_accesses accesses;
    struct stf_walks walks;
};

/* Takes the properties of the recording from its header. */
void stf_compare_open(struct stf_compare *compare, const struct assay_execution_header *header);

const struct assay_compare_format *stf_compare_format(void);

#endif
