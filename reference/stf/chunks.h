/* The errors in the index of a chunked trace (io/zstf.h), for the `end` event. */
#ifndef ASSAY_STF_CHUNKS_H
#define ASSAY_STF_CHUNKS_H

#include "io/source.h"

/* Writes the cells of the `end` event that describe them; the source of chunks was read to its end.
 * */
void stf_chunks_end(const struct assay_source *source, uint64_t *cells);

#endif
