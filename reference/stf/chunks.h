/* What the index of a trace in chunks (common/zstf.h) says wrongly of its chunks. */
#ifndef ASSAY_STF_CHUNKS_H
#define ASSAY_STF_CHUNKS_H

#include "common/source.h"

/* Writes the cells of the `end` event that tell it; the source of chunks was read to its end. */
void stf_chunks_end(const struct assay_source *source, uint64_t *cells);

#endif
