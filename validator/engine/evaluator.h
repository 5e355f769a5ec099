/* The second back end: rules evaluated event by event from their trees. For rule files that a user
 * brings, for mutants, and to check the emitted code against. Private to validator/. */
#ifndef ASSAY_VALIDATOR_EVALUATOR_H
#define ASSAY_VALIDATOR_EVALUATOR_H

#include "validator/engine/compiled.h"

struct assay_evaluator;

/* `enabled` has 1 or 0 for each rule of the catalogue; it must stay as it is until the evaluator is
 * closed, as state and fields that no enabled rule depends on are not computed. Null: out of
 * memory.
 */
struct assay_evaluator *assay_evaluator_open(const struct assay_catalogue *catalogue,
                                             const uint64_t *enabled);

void assay_evaluator_events(struct assay_evaluator *evaluator, const struct assay_judging *judging,
                            const struct assay_event *events, uint32_t count);

void assay_evaluator_close(struct assay_evaluator *evaluator);

#endif
