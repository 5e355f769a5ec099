/* The writers of the files of a certificate. Private to validator/certify/. Each returns the sink's
 * error, or ASSAY_NO_MEMORY. */
#ifndef ASSAY_CERTIFY_OUTPUT_H
#define ASSAY_CERTIFY_OUTPUT_H

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

/* For people. */
enum assay_error assay_certify_summary(const struct assay_certification *c,
                                       struct assay_sink *sink);
enum assay_error assay_certify_badge(const struct assay_certification *c, struct assay_sink *sink);

#endif
