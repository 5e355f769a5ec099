/* Streams that stand in a frame of a format's own: the format says where a stream begins and reads
 * what stands between them, and the filter does the rest. */
#ifndef ASSAY_COMMON_FILTER_FRAMING_H
#define ASSAY_COMMON_FILTER_FRAMING_H

#include "common/filter_codec.h"

struct assay_framing {
    /* Called wherever a stream can begin, on the filter's thread if it has one. `under` stands at
     * that place; `made` counts the decompressed bytes so far. True: a stream begins here. False:
     * none follows; what is left of `under` then is counted as trailing, unless a fault was set. */
    bool (*stream_follows)(void *context, struct assay_source *under, uint64_t made,
                           struct assay_codec_fault *fault);
    /* Called once, when the filter is closed or could not be opened; its thread is gone. */
    void (*close)(void *context);
    void *context;
};

/* As assay_filter_open; framing is copied. */
enum assay_error assay_filter_open_framed(struct assay_source *under,
                                          enum assay_container container, bool threaded,
                                          const struct assay_framing *framing,
                                          struct assay_source **source, struct assay_diag *diag);

#endif
