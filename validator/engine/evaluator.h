/* The second back end: rules evaluated event by event from their trees. For rule files that a user
 * brings, for mutants, and to check the emitted code against. Private to validator/. */
#ifndef ASSAY_VALIDATOR_EVALUATOR_H
#define ASSAY_VALIDATOR_EVALUATOR_H

#include "validator/engine/compiled.h"

struct assay_evaluator;

struct assay_evaluator *assay_evaluator_open(const struct assay_catalogue *catalogue);

void assay_evaluator_events(struct assay_evaluator *evaluator, const struct assay_judging *judging,
                            const struct assay_event *events, uint32_t count);

void assay_evaluator_close(struct assay_evaluator *evaluator);

#endif
