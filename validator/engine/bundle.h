/* A bundle: an input with everything that its manifest names, opened. */
#ifndef ASSAY_VALIDATOR_BUNDLE_H
#define ASSAY_VALIDATOR_BUNDLE_H

#include "common/arena.h"
#include "io/source_concat.h"
#include "manifest/manifest.h"
#include "validator/engine/check.h"
#include "validator/engine/evidence.h"

/* What the images of all streams of an input can hold in memory. */
#define ASSAY_BUNDLE_MAX_IMAGE_BYTES ((uint64_t)4 << 30)

struct assay_bundle {
    struct assay_input input; /* what is to be judged; borrows from the bundle */
    struct assay_manifest manifest;
    struct assay_source_parts parts;
    struct assay_arena arena;
    struct assay_evidence_list
        evidence;                  /* the manifest and the files that it names beside its data */
    struct assay_image_set **sets; /* of the streams, each null or owned */
    uint64_t image_bytes_left;     /* that they can hold together yet */
    struct assay_facts *facts;     /* of the streams */
    size_t count;                  /* of the streams, that of the manifest itself included */
};

/* Opens an input: the contents of the manifest that its path names, or the file itself. `given`
 * overrides the manifest and must outlive the bundle, which must be closed even when this fails.
 * `digest`: compute digests of the evidence. Errors name file, line and column. */
enum assay_error assay_bundle_open(const struct assay_input *given, bool digest,
                                   struct assay_bundle *bundle, struct assay_diag *diag);

/* ASSAY_USAGE when streams are given for an input whose format, which is known by now, carries
 * none; or a configuration or images for a capture whose streams nobody names a format of. */
enum assay_error assay_check_carrier(const struct assay_input *input,
                                     const struct assay_format *format, struct assay_diag *diag);

/* Allowed for one that is zero-initialised. */
void assay_bundle_close(struct assay_bundle *bundle);

#endif
