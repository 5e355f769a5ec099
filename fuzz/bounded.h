/* A stream that is decoded to its end, or until it has become long: a few bytes can stand for
 * millions of events, which say no more than the first of them. Of each event holds what does of
 * any format: it is of the layer of its block and follows the last one there, it comes from one of
 * a layer below, it can be described, and a run expands to as many events as it counts. */
#ifndef ASSAY_FUZZ_BOUNDED_H
#define ASSAY_FUZZ_BOUNDED_H

#include "execution/execution.h"
#include "execution/uncompared.h"
#include "fuzz/reached.h"
#include "io/source.h"
#include "model/describe.h"
#include "validator/engine/session.h"

enum {
    BOUNDED_EVENTS = 1 << 12,
    BOUNDED_BYTES = 1 << 19,
    BOUNDED_EXPANDED = 1 << 13, /* of a run */
    BOUNDED_LAYERS = 8
};

enum bounded {
    BOUNDED_REFUSED, /* it was not opened, or could not be read to its end */
    BOUNDED_ENDED,
    BOUNDED_LONG
};

/* What holds of the events of a block in this format only. May be null. */
typedef void bounded_look(void *context, const struct assay_decoder *decoder,
                          const struct assay_block *block);

/* The recorded execution of a stream; null where it has none, or one that cannot be read. */
static inline struct assay_execution *bounded_execution(const struct assay_stream_setup *setup)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    if (setup->execution != NULL &&
        assay_source_open(setup->execution, &source, NULL) == ASSAY_OK) {
        (void)assay_execution_open_any(source, &execution, NULL);
    }
    return execution;
}

/* Expands a run, to events of its layer, and to as many as it counts where it has a field for that.
 */
static inline void bounded_expand(const struct assay_format *format, struct assay_decoder *decoder,
                                  const struct assay_event *run)
{
    struct assay_expansion expansion = {0};
    const struct assay_kind *const kind = &format->kinds[run->kind];
    const struct assay_field *const field = assay_field_by_name(kind, "count");
    while (expansion.number < BOUNDED_EXPANDED &&
           format->decoder->expand(decoder, run, &expansion)) {
        require(format->kinds[expansion.event.kind].layer == kind->layer);
        require(field == NULL || expansion.event.kind == kind->run_of);
        expansion.number++;
    }
    require(expansion.number > 0);
    if (field != NULL) {
        const uint64_t count = assay_field_get(field, run);
        require(expansion.number == (count < BOUNDED_EXPANDED ? count : BOUNDED_EXPANDED));
    }
}

static inline void bounded_event(const struct assay_format *format, struct assay_decoder *decoder,
                                 const struct assay_event *event)
{
    char line[512];
    const struct assay_kind *const kind = &format->kinds[event->kind];
    if (format->describe != NULL) {
        format->describe(event, line, sizeof line);
    } else {
        assay_describe_fields(kind, event, line, sizeof line);
    }
    require(strlen(line) < sizeof line);
    if (kind->run_of != 0) {
        bounded_expand(format, decoder, event);
    }
}

static inline enum bounded bounded_blocks(const struct assay_format *format,
                                          struct assay_decoder *decoder, bounded_look *look,
                                          void *context)
{
    struct assay_block block = {0};
    struct assay_diag diag;
    uint64_t events = 0, next[BOUNDED_LAYERS] = {0};
    do {
        if (format->decoder->next(decoder, &block, &diag) != ASSAY_OK) {
            return BOUNDED_REFUSED;
        }
        reached_block(format, &block);
        for (size_t i = 0; i < block.count; i++) {
            const struct assay_event *const from = block.events[i].from;
            require(format->kinds[block.events[i].kind].layer == block.layer);
            require(from == NULL || format->kinds[from->kind].layer < block.layer);
            require(block.events[i].index == next[block.layer]++);
            bounded_event(format, decoder, &block.events[i]);
        }
        if (look != NULL) {
            look(context, decoder, &block);
        }
        events += block.count;
        if (events > BOUNDED_EVENTS ||
            (block.count > 0 && block.events[block.count - 1].offset > BOUNDED_BYTES)) {
            return BOUNDED_LONG;
        }
    } while (block.count > 0);
    return BOUNDED_ENDED;
}

/* Decodes a stream; the source becomes the decoder's. */
static inline enum bounded bounded_decode(const struct assay_stream_setup *setup,
                                          struct assay_source *source, bounded_look *look,
                                          void *context)
{
    const struct assay_format *format = setup->format;
    struct assay_parameter_values values;
    struct assay_uncompared uncompared = {.wrong = ""};
    struct assay_decoder *decoder = NULL;
    enum bounded result = BOUNDED_REFUSED;
    if (assay_configure(setup, &values, NULL) != ASSAY_OK) {
        assay_source_close(source);
        return result;
    }
    const struct assay_decode_input input = {.source = source,
                                             .execution = bounded_execution(setup),
                                             .execution_thread = setup->execution_thread,
                                             .uncompared = &uncompared,
                                             .facts = setup->facts,
                                             .parameters =
                                                 format->parameters != NULL ? &values : NULL,
                                             .images = setup->images,
                                             .framing = setup->framing,
                                             .profile = setup->profile};
    if (format->decoder->open(&input, &decoder, NULL) == ASSAY_OK) {
        result = bounded_blocks(format, decoder, look, context);
    }
    if (decoder != NULL) {
        format->decoder->close(decoder);
    }
    return result;
}

/* The same of bytes. */
static inline enum bounded bounded_bytes(const struct assay_stream_setup *setup,
                                         const uint8_t *data, size_t size, bounded_look *look,
                                         void *context)
{
    struct assay_source *source = NULL;
    require(assay_source_memory(data, size, &source) == ASSAY_OK);
    return bounded_decode(setup, source, look, context);
}

#endif
