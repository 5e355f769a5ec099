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

/* Plans from one difference that explains everything ahead: a run that is missing, in excess,
 * replaced or reordered. A missing run is taken out of the window and counted at once, without a
 * plan. False: there is no such difference. */
bool assay_plan_one(struct assay_alignment *alignment, bool last);

/* Plans from the fewest differences; with `addresses`, those of addresses count. False: there are
 * too many, or no part is certain. */
bool assay_plan(struct assay_alignment *alignment, bool last, bool addresses);

/* Plans that so many records correspond to so many executed instructions: as the same instructions
 * with `same`, otherwise replacing them, with the surplus records in excess. */
void assay_plan_gap(struct assay_alignment *alignment, unsigned records, unsigned executed,
                    bool same);

#endif
