/* The parts of a trace between its gaps: where in the execution each of them is (placement.h). */
#ifndef ASSAY_EXECUTION_PARTS_H
#define ASSAY_EXECUTION_PARTS_H

#include "execution/alignment.h"

/* Searches without a result, each of which reads the recording to its end, until no more are made:
 * such a trace is wrong anyway. */
enum { ASSAY_PARTS_UNPLACED = 16 };

/* Of an alignment that has its window: what searches read. They are closed by
 * assay_placement_close. */
void assay_parts_open(struct assay_alignment *alignment);

/* A part of the trace begins at the instruction that is expected. */
void assay_part_begin(struct assay_alignment *alignment);

/* The trace is resumed: the records ahead are at the first place where they were executed. */
void assay_part_resume(struct assay_alignment *alignment);

/* The trace says how many instructions were executed before the record that resumes it. If it is
 * not of the instruction after them, the part before it may have been executed later. False: no
 * place is such that there were so many. */
bool assay_part_skip_counted(struct assay_alignment *alignment, const struct assay_step *step);

/* The record is not of the expected instruction: the part of the trace may have been in a later
 * iteration of a loop. What was left out before it was counted too low then, in a record that was
 * passed on. Nothing was left out here, and so the rest of it is counted at the next gap. */
bool assay_part_place_again(struct assay_alignment *alignment);

/* After goes_on, where the trace goes on at another address: in a loop the part of the trace can
 * have been executed later. Moves to the next place where it was, and where nothing shows that
 * execution went on elsewhere. False: there is none. Where the recording cannot be read again that
 * is not known: true. */
bool assay_part_lead_to(struct assay_alignment *alignment, const struct assay_placement_lead *lead);

/* Executed instructions that records were matched with, one after the other: so many from a number
 * on. */
struct assay_part {
    uint64_t first, matched;
};

/* The part that ends with the last record, which was of the executed instruction. */
static inline struct assay_part assay_part_of_last(const struct assay_alignment *alignment)
{
    const uint64_t end = assay_window_passed(&alignment->window) + alignment->expected;
    return (struct assay_part){.first = alignment->part_from,
                               .matched = end - alignment->part_from};
}

/* Whether a part, which leads elsewhere where it was put, can have been executed later, as in a
 * loop: at a place where nothing shows that execution went on elsewhere. Where that is not known,
 * as the recording cannot be read again: true. */
bool assay_part_is_elsewhere(struct assay_alignment *alignment, const struct assay_part *part,
                             const struct assay_placement_lead *lead);

#endif
