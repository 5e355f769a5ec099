/* What the rules of catalogues ask of the single events of runs, as a decoder asks it. */
#ifndef ASSAY_VALIDATOR_CONDITIONS_H
#define ASSAY_VALIDATOR_CONDITIONS_H

#include "validator/engine/catalogue.h"
#include "validator/engine/compiled.h"

struct assay_asked {
    struct assay_conditions conditions; /* first: the rest is found by it */
    const struct assay_format *format;
    const struct assay_catalogue *const *catalogues; /* borrowed */
    size_t count;
    bool evaluate; /* also where emitted code exists */
};

/* The conditions of those of some catalogues that are of a format, each added to the one before. */
struct assay_asked assay_asked_by(const struct assay_format *format,
                                  const struct assay_catalogue *const *catalogues, size_t count,
                                  bool evaluate);

/* Those of the built-in rules of a format; null: it has none. */
static inline const struct assay_conditions *assay_conditions_of(const struct assay_format *format)
{
    const struct assay_catalogue *catalogue = assay_catalogue_of(format);
    return catalogue != NULL && catalogue->compiled != NULL ? &catalogue->compiled->conditions
                                                            : NULL;
}

/* Whether an event with these cells meets a condition. */
bool assay_condition_met(const struct assay_catalogue *catalogue,
                         const struct assay_condition *condition, const uint64_t *cells);

/* The value of a FIRST leaf: a field of the first event of a run that meets a condition, as the
 * decoder of the settings gives them; 0 where there is none, or no decoder. */
struct assay_judge_settings;
uint64_t assay_leaf_of_first(const struct assay_catalogue *catalogue, uint16_t leaf,
                             const struct assay_judge_settings *settings,
                             const struct assay_event *run);

#endif
