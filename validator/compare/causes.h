/* Failures of a decoder, grouped by what they have in common: one fault of the decoder shows in
 * hundreds of vectors. */
#ifndef ASSAY_COMPARE_CAUSES_H
#define ASSAY_COMPARE_CAUSES_H

#include "validator/compare/compare.h"

enum { ASSAY_COMPARE_CAUSE_TEXT = 400 };

/* Failures of one format and outcome whose first difference is of the same kind and field; or which
 * are told in the same words but for what has a digit in it. */
struct assay_compare_cause {
    size_t first;     /* the first vector that it fails, by its place in the comparisons */
    size_t count;     /* vectors */
    bool same_values; /* both values are the same in all */
    bool same_offset; /* both are numbers, and the found one less the expected one is the same */
    uint64_t offset;
};

struct assay_compare_causes {
    struct assay_compare_cause
        *list; /* the most frequent first, else in the order of the vectors */
    size_t count;
    size_t *of; /* of each vector the cause, by its place in the list; SIZE_MAX: it has none */
};

/* Groups the failures that are not expected. Begins zero-initialised; to be freed in any case.
 * ASSAY_NO_MEMORY. */
enum assay_error assay_compare_causes_find(struct assay_compare_causes *causes,
                                           const struct assay_comparisons *comparisons);

/* What they have in common, in a line. */
void assay_compare_cause_text(const struct assay_compare_cause *cause,
                              const struct assay_comparisons *comparisons,
                              char text[ASSAY_COMPARE_CAUSE_TEXT]);

void assay_compare_causes_free(struct assay_compare_causes *causes);

#endif
