/* Selectors: which rules of the catalogues a user means. */
#ifndef ASSAY_VALIDATOR_SELECT_H
#define ASSAY_VALIDATOR_SELECT_H

#include "validator/engine/catalogue.h"

/* Marks the rules that a comma-separated list of selectors means; marked[i] has an element for each
 * rule of catalogues[i], and what is marked already stays. A selector is one of
 *
 *   STF-0500           an id, which may hold * and ? and [..]
 *   STF-0500..0503     all from one number to the other, as reports print them; with or without the
 *                      letters in front of the second, or of both: then of all formats
 *   level:must         a level
 *   area:walk          a rule file, by its name without folder and ".yaml"
 *   layer:packet       the rules about events of a layer
 *   clause:STF-PTW-*   the rules that check a clause
 *   profile:stf-1.3    the rules that belong to a profile
 *   @FILE              those of a file, one or a list on a line; what follows # is a comment
 *
 * where level, area, layer and clause, too, may hold * and ? and [..]. One that means no rule is an
 * error, whose hint is the nearest name over all catalogues. diag has a path and a line where the
 * fault is in a file. */
enum assay_error assay_select_rules(const struct assay_catalogue *const *catalogues, size_t count,
                                    const char *selectors, bool *const *marked,
                                    struct assay_diag *diag);

#endif
