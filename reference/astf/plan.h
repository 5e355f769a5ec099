/* Plans: what the records ahead stand for, when the next one is not of the instruction that is due.
 * A plan is made from both rows ahead, and followed record by record (course.h). */
#ifndef ASSAY_ASTF_PLAN_H
#define ASSAY_ASTF_PLAN_H

#include "astf/astf.h"
#include "astf/course.h"

/* An Instruction record as it is compared. */
static inline struct astf_step astf_record_step(const uint8_t *r)
{
    return (struct astf_step){
        .pc = astf_get(r, instr, pc),
        .iword = (uint32_t)astf_get(r, instr, iword),
        .address = astf_get(r, instr, ea),
        .has_address = astf_get(r, instr, ea_valid) != 0 && astf_get(r, instr, is_branch) == 0 &&
                       (astf_get(r, instr, is_read) != 0 || astf_get(r, instr, is_write) != 0)};
}

/* Takes the rows ahead: the records from this one on ... */
void astf_plan_look_ahead(struct astf_course *course, const uint8_t *record);

/* ... and the executed instructions that are due. Shortens the first to what the second can tell.
 * True: the trace, or the execution, ends there. */
bool astf_plan_look_at_executed(struct astf_course *course);

/* Plans from one difference that explains all ahead: a run that is missing, in excess, changed, or
 * whose parts stand in another order. What is missing is taken out of the window and counted at
 * once, without a plan. False: there is none. */
bool astf_plan_one(struct astf_course *course, bool last);

/* Plans from the fewest differences, with or without those of addresses. False: they are too many,
 * or nothing is sure. */
bool astf_plan(struct astf_course *course, bool last, bool addresses);

/* Plans that so many records are all of so many executed instructions: the `same`, or else in their
 * places, and what is more is in excess. */
void astf_plan_gap(struct astf_course *course, unsigned records, unsigned executed, bool same);

#endif
