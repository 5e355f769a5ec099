/* What decoding costs alone: reads a trace, decodes all of it, counts the events. scripts/bench
 * sets a check of the same bytes beside it.
 *     assay-bench-decode FILE */
#include <inttypes.h>
#include <stdio.h>

#include "io/source.h"
#include "model/model.h"

static const struct assay_format *format_of(struct assay_source *source)
{
    const uint8_t *data;
    size_t have;
    if (assay_source_peek(source, 64, &data, &have) != ASSAY_OK) {
        return NULL;
    }
    for (size_t i = 0; assay_formats[i] != NULL; i++) {
        if (assay_formats[i]->probe(data, have)) {
            return assay_formats[i];
        }
    }
    return NULL;
}

static enum assay_error count_events(const struct assay_format *format, struct assay_source *source,
                                     uint64_t *events, struct assay_diag *diag)
{
    const struct assay_decode_input input = {.source = source, .threaded = true};
    struct assay_decoder *decoder;
    struct assay_block block;
    enum assay_error error = format->decoder->open(&input, &decoder, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    while ((error = format->decoder->next(decoder, &block, diag)) == ASSAY_OK && block.count > 0) {
        *events += block.count;
    }
    format->decoder->close(decoder);
    return error;
}

int main(int argc, char **argv)
{
    struct assay_source *source;
    struct assay_diag diag = {0};
    uint64_t events = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: assay-bench-decode FILE\n");
        return 2;
    }
    enum assay_error error = assay_source_open(argv[1], &source, &diag);
    if (error == ASSAY_OK) {
        const struct assay_format *format = format_of(source);
        if (format == NULL) {
            fprintf(stderr, "%s: no format's magic\n", argv[1]);
            assay_source_close(source);
            return 3;
        }
        error = count_events(format, source, &events, &diag);
    }
    if (error != ASSAY_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], assay_error_text(error));
        return 3;
    }
    printf("%" PRIu64 " events\n", events);
    return 0;
}
