/* Reads the events of a decoder one by one, of one layer or of all, with runs expanded: for code
 * that shows or compares events. The judge reads blocks instead. Where runs are expanded, all
 * events of the layer are renumbered (`index`) consecutively. */
#ifndef ASSAY_COMMON_READER_H
#define ASSAY_COMMON_READER_H

#include "model/stage.h"

enum { ASSAY_ALL_LAYERS = -1 };

struct assay_reader {
    const struct assay_decoder_ops *ops;
    const struct assay_format *format;
    struct assay_decoder *decoder;
    int layer;                /* or ASSAY_ALL_LAYERS */
    bool runs;                /* do not expand runs */
    struct assay_block block; /* the rest of it begins at `at` */
    size_t at;
    const struct assay_event *run; /* that is being expanded, or null */
    struct assay_expansion expansion;
    struct assay_event numbered; /* a copy of an event that is no run, with its number */
    /* By layer: how many more events were returned than the blocks had, modulo 2^64. */
    uint64_t added[ASSAY_MAX_STAGES];
};

/* The decoder is borrowed and must not be used by others while the reader is in use. */
void assay_reader_begin(struct assay_reader *reader, const struct assay_format *format,
                        struct assay_decoder *decoder, int layer, bool runs);

/* The next event, valid until the next call; null after the last one. Errors are those of the
 * decoder. */
enum assay_error assay_reader_next(struct assay_reader *reader, const struct assay_event **event,
                                   struct assay_diag *diag);

#endif
