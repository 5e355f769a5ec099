/* Plans: what the records ahead stand for, when the next one is not of the instruction that is due.
 * A plan is made from both rows ahead, and followed record by record (alignment.h). */
#ifndef ASSAY_EXECUTION_PLAN_H
#define ASSAY_EXECUTION_PLAN_H

#include "execution/alignment.h"

/* Takes the rows ahead: the records from this one on ... */
void assay_plan_look_ahead(struct assay_alignment *alignment);

/* ... and the executed instructions that are due. Shortens the first to what the second can tell.
 * True: the trace, or the execution, ends there. */
bool assay_plan_look_at_executed(struct assay_alignment *alignment);

/* Plans from one difference that explains all ahead: a run that is missing, in excess, changed, or
 * whose parts stand in another order. What is missing is taken out of the window and counted at
 * once, without a plan. False: there is none. */
bool assay_plan_one(struct assay_alignment *alignment, bool last);

/* Plans from the fewest differences, with or without those of addresses. False: they are too many,
 * or nothing is sure. */
bool assay_plan(struct assay_alignment *alignment, bool last, bool addresses);

/* Plans that so many records are all of so many executed instructions: the `same`, or else in their
 * places, and what is more is in excess. */
void assay_plan_gap(struct assay_alignment *alignment, unsigned records, unsigned executed,
                    bool same);

#endif
