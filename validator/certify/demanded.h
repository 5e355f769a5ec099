/* What a reader demands of a certificate: which profile, level, features and producer, and that
 * nothing was modified. Private to validator/certify/. */
#ifndef ASSAY_CERTIFY_DEMANDED_H
#define ASSAY_CERTIFY_DEMANDED_H

#include <jansson.h>

#include "validator/certify/verify.h"

/* Whether the predicate of a consistent certificate is what is demanded. ASSAY_CONTRADICTION;
 * ASSAY_NOT_FOUND and others: the file of the profile that is demanded cannot be read. */
enum assay_error assay_certify_check_demanded(const char *folder, const json_t *predicate,
                                              const struct assay_certificate_demanded *demanded,
                                              bool own_profile, struct assay_diag *diag);

#endif
