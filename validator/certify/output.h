/* The writers of the files of a certificate. Private to validator/certify/. Each returns the sink's
 * error, or ASSAY_NO_MEMORY. */
#ifndef ASSAY_CERTIFY_OUTPUT_H
#define ASSAY_CERTIFY_OUTPUT_H

#include <jansson.h>

#include "io/sink.h"
#include "validator/certify/parts.h"

/* A file of the folder, which the certificate names with its digest. */
struct assay_certify_written {
    const char *name;
    char sha256[ASSAY_DIGEST_TEXT];
};

/* The in-toto statement. */
enum assay_error assay_certify_statement(const struct assay_certification *c,
                                         const struct assay_certify_written *files, size_t count,
                                         struct assay_sink *sink);

/* The manifest of inputs: every file that took part. */
enum assay_error assay_certify_inputs(const struct assay_certification *c, struct assay_sink *sink);

/* Members of the predicate that follow from the submission and its profile: what the producer is,
 * what it claims, what the level says (of a certification with submission, profile and level), and
 * a trace of it. Owned by the caller; null when memory is out. */
json_t *assay_certify_producer_json(const struct assay_submission *submission);
json_t *assay_certify_claims_json(const struct assay_submission *submission);
json_t *assay_certify_profile_json(const struct assay_certification *c);
json_t *assay_certify_trace_json(const struct assay_certify_trace *trace);

/* For people: what a predicate of a statement says, which may be anybody's. */
enum assay_error assay_certify_summary(const json_t *predicate, struct assay_sink *sink);
enum assay_error assay_certify_badge(const json_t *predicate, struct assay_sink *sink);

#endif
