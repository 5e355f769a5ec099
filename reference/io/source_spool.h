/* Bytes that can be read only once, kept in a temporary file so that they can be read again. */
#ifndef ASSAY_COMMON_SOURCE_SPOOL_H
#define ASSAY_COMMON_SOURCE_SPOOL_H

#include "io/source.h"

/* Reads `under` to its end, at most `most` bytes, into a temporary file without a name, and opens
 * that: assay_source_again works. Takes ownership of `under`, also when it fails. ASSAY_LIMIT:
 * there are more bytes. ASSAY_NOT_WRITABLE: there is no room for them, or no folder for temporary
 * files. The fault of `under`, if it has one. */
enum assay_error assay_source_spool(struct assay_source *under, uint64_t most,
                                    struct assay_source **source, struct assay_diag *diag);

#endif
