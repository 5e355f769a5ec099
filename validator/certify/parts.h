/* The parts of a certification. Private to validator/certify/. */
#ifndef ASSAY_CERTIFY_PARTS_H
#define ASSAY_CERTIFY_PARTS_H

#include "validator/certify/certification.h"

/* Adds a demand, with texts in the arena; the text of what was found by a format. */
enum assay_error assay_certify_add(struct assay_certify_demands *demands, const char *kind,
                                   const char *name, bool met, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Makes the results those of the submission's folder: paths are relative to it; and lists the files
 * that took part. ASSAY_CONTRADICTION: one of them changed, or is not as the submission says. */
enum assay_error assay_certify_files(struct assay_certification *c, struct assay_diag *diag);

/* Decides: adds all demands, and sets the verdict. */
enum assay_error assay_certify_decide(struct assay_certification *c, struct assay_diag *diag);

/* Whether rules were exercised as they have to be: in a trace of each workload, by itself, or, if
 * `any`, in any trace. Where they were not, `met` becomes false, and a demand says what lacks. */
enum assay_error assay_certify_exercised(struct assay_certification *c,
                                         const struct assay_certify_exercises *exercises, bool any,
                                         bool *met, struct assay_diag *diag);

/* Adds the demands of the sentences: of the level, and of each feature that is claimed. */
enum assay_error assay_certify_sentences(struct assay_certification *c, struct assay_diag *diag);

/* Marks the rules of the profile's format that selectors mean; an error is told at the node. The
 * arrays, one for each catalogue, are in the arena of the certification. */
enum assay_error assay_certify_select(struct assay_certification *c, const char *selectors,
                                      const struct assay_yaml *node, bool **marked,
                                      struct assay_diag *diag);

/* Says an error of selectors, readings or rules where the file has them. Returns it. */
enum assay_error assay_certify_fail_at(enum assay_error error, const struct assay_yaml *node,
                                       const struct assay_diag *wrong, struct assay_diag *diag);

/* Whether a trace, or a stream that one carries, was of the catalogue's format. */
bool assay_certify_asked(const struct assay_certification *c,
                         const struct assay_catalogue *catalogue);

/* Whether a rule of the results is marked. */
bool assay_certify_marked(const struct assay_certification *c, bool *const *marked,
                          const struct assay_rule_total *total);

/* Which part of a recorded execution is in a stream, in 1/1000 per cent, rounded down; false where
 * it was not compared with one. */
bool assay_certify_covered(const struct assay_stream_result *stream, uint32_t *covered);

/* The least part that a stream of a trace covers; false when none was compared. */
bool assay_certify_least_covered(const struct assay_certification *c,
                                 const struct assay_input_result *input, uint32_t *least);

/* Whether the catalogue with a digest is one of a release of this version. */
bool assay_certify_is_released(const char *digest);

#endif
