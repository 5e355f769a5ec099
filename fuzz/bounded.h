/* How long an input becomes when it is decompressed and decoded. A few bytes can stand for
 * millions of records, which say no more than the first of them: what is longer is left out. */
#ifndef ASSAY_FUZZ_BOUNDED_H
#define ASSAY_FUZZ_BOUNDED_H

#include <stdbool.h>
#include <stdlib.h>

#include "common/model.h"
#include "common/source.h"
#include "fuzz/target.h"

enum { FUZZ_MOST_EVENTS = 1 << 12, FUZZ_MOST_BYTES = 1 << 19 };

/* Whether a source decodes to few events and bytes; the source becomes the decoder's. */
static inline bool decodes_to_little(const struct assay_format *format,
                                     struct assay_decode_input input)
{
    struct assay_decoder *decoder = NULL;
    struct assay_block block = {0};
    size_t events = 0;
    bool little = true;
    if (format->decoder->open(&input, &decoder, NULL) == ASSAY_OK) {
        do {
            if (format->decoder->next(decoder, &block, NULL) != ASSAY_OK) {
                break;
            }
            events += block.count;
            little = events <= FUZZ_MOST_EVENTS &&
                     (block.count == 0 || block.events[block.count - 1].offset <= FUZZ_MOST_BYTES);
        } while (block.count > 0 && little);
    }
    if (decoder != NULL) {
        format->decoder->close(decoder);
    }
    return little;
}

/* The same of bytes. */
static inline bool is_little(const struct assay_format *format, unsigned profile,
                             const uint8_t *data, size_t size)
{
    struct assay_decode_input input = {.profile = profile};
    if (assay_source_memory(data, size, &input.source) != ASSAY_OK) {
        abort();
    }
    return decodes_to_little(format, input);
}

#endif
