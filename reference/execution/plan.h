/* Plans: what the records ahead stand for, when the next one is not of the instruction that is due.
 * A plan is made from both rows ahead, and followed record by record (course.h). */
#ifndef ASSAY_EXECUTION_PLAN_H
#define ASSAY_EXECUTION_PLAN_H

#include "execution/course.h"

/* Takes the rows ahead: the records from this one on ... */
void assay_plan_look_ahead(struct assay_course *course);

/* ... and the executed instructions that are due. Shortens the first to what the second can tell.
 * True: the trace, or the execution, ends there. */
bool assay_plan_look_at_executed(struct assay_course *course);

/* Plans from one difference that explains all ahead: a run that is missing, in excess, changed, or
 * whose parts stand in another order. What is missing is taken out of the window and counted at
 * once, without a plan. False: there is none. */
bool assay_plan_one(struct assay_course *course, bool last);

/* Plans from the fewest differences, those of addresses included or, if that fails, without them.
 * False: they are too many, or nothing is sure.
 *
 * An alignment costs the square of its differences, and where they are dense it can fail, or be
 * sure of a few records only, again and again. So the rows, and the differences that are allowed,
 * are halved when two alignments that did not pay are near each other, and doubled when one has
 * paid: the work for a record is bounded whatever the trace holds. The end of a trace is always
 * aligned as a whole. */
bool assay_plan_fewest(struct assay_course *course, bool last);

/* The same of what is ahead, always with addresses and in full. */
bool assay_plan_by_addresses(struct assay_course *course, bool last);

/* Plans that so many records are all of so many executed instructions: the `same`, or else in their
 * places, and what is more is in excess. */
void assay_plan_gap(struct assay_course *course, unsigned records, unsigned executed, bool same);

#endif
