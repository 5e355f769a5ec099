/* Plans: the outcomes of the records ahead, where the next one is not of the expected instruction.
 * A plan is made by comparing the records ahead with the instructions executed next, and followed
 * record by record (alignment.h). */
#ifndef ASSAY_EXECUTION_PLAN_H
#define ASSAY_EXECUTION_PLAN_H

#include "execution/alignment.h"

/* Takes the records ahead, from the current one on. */
void assay_plan_look_ahead(struct assay_alignment *alignment);

/* Takes the instructions executed next, and drops the records that these cannot decide. True: the
 * trace or the execution ends there. */
bool assay_plan_look_at_execution(struct assay_alignment *alignment);

/* Places the records ahead, which resume the trace, up to where it is resumed again: they are of
 * the first instructions from here on that are the same, and what is before these was left out. A
 * gap may be in a loop, where the record after it is of the expected instruction too, of an earlier
 * iteration. False: there are no such instructions in the window, and nothing was changed. */
bool assay_plan_resume(struct assay_alignment *alignment);

/* Plans from one difference that explains everything ahead: a run that is missing, in excess,
 * replaced or reordered. A missing run is taken out of the window and counted at once, without a
 * plan. False: there is no such difference. */
bool assay_plan_one(struct assay_alignment *alignment, bool last);

/* Plans from the fewest differences, counting those of addresses or, if that fails, without them.
 * False: there are too many, or no part is certain.
 *
 * The cost of a comparison is the square of the differences. Where they are dense, comparisons can
 * fail, or decide only a few records, one after the other. So the number of records that are
 * compared, and of differences that are allowed, is halved when two comparisons near each other do
 * not pay, and doubled when one pays: the work for each record is bounded for any trace. The end of
 * a trace is always compared as a whole. */
bool assay_plan_fewest(struct assay_alignment *alignment, bool last);

/* Plans from the fewest differences, counting those of addresses, in everything ahead. */
bool assay_plan_by_addresses(struct assay_alignment *alignment, bool last);

/* Plans that so many records correspond to so many executed instructions: as the same instructions
 * with `same`, otherwise replacing them, with the surplus records in excess. */
void assay_plan_gap(struct assay_alignment *alignment, unsigned records, unsigned executed,
                    bool same);

#endif
