/* Whether the files of a certificate's folder say the same. A folder whose files contradict each
 * other is nobody's certificate, whatever its digests are. Private to validator/certify/. */
#ifndef ASSAY_CERTIFY_CONSISTENCY_H
#define ASSAY_CERTIFY_CONSISTENCY_H

#include <jansson.h>
#include <stdbool.h>

#include "common/error.h"

/* Compares the statement with the submission, the profile, the list of inputs and the report, and
 * writes the summary and the badge again, which follow from it; report.html is not looked at.
 * `own_profile` becomes whether the profile is none of this build. ASSAY_CONTRADICTION names the
 * file that says something else. */
enum assay_error assay_certify_consistent(const char *folder, const json_t *statement,
                                          bool *own_profile, struct assay_diag *diag);

#endif
