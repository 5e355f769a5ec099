/* What the tests of ETE share: all events of a stream at once, with their bytes and cells. */
#ifndef ASSAY_ETE_TESTS_ETE_SUPPORT_H
#define ASSAY_ETE_TESTS_ETE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ete/ete.h"
#include "io/sink.h"
#include "io/source.h"
#include "model/reader.h"

/* An A-sync, and a Trace Info that says nothing. */
#define ASYNC "\0\0\0\0\0\0\0\0\0\0\0\x80"
#define START ASYNC "\x01\0"
enum { ASYNC_SIZE = 12, START_SIZE = 14 };

/* A copy of an event. */
struct seen {
    uint64_t cells[ETE_CELLS];
    uint8_t bytes[ETE_PACKET_MOST + 8];
    uint64_t offset;
    uint32_t bits;
    uint16_t kind, fault;
    uint16_t from_kind;   /* of the event below that it came from; 0: none */
    uint64_t from_offset; /* and where that is */
};

struct decoded {
    struct seen *list; /* owned */
    size_t count;
    bool complete;
    char why[96]; /* it is not */
};

static inline struct assay_parameter_values unknown(void)
{
    struct assay_parameter_values values;
    assay_parameters_init(&values, assay_format_ete.parameters);
    return values;
}

static inline const char *name_of(const struct seen *seen)
{
    return assay_format_ete.kinds[seen->kind].name;
}

static inline struct assay_event event_of(const struct seen *seen)
{
    return (struct assay_event){.bytes = seen->bytes,
                                .cells = seen->cells,
                                .offset = seen->offset,
                                .bits = seen->bits,
                                .kind = seen->kind,
                                .fault = seen->fault};
}

/* The value of a field by its name. */
static inline uint64_t value_of(const struct seen *seen, const char *name)
{
    const struct assay_field *field =
        assay_field_by_name(&assay_format_ete.kinds[seen->kind], name);
    if (field == NULL) {
        fail_msg("%s has no field %s", name_of(seen), name);
    }
    const struct assay_event event = event_of(seen);
    return assay_field_get(field, &event);
}

static inline void keep(struct decoded *all, const struct assay_event *event, unsigned layer)
{
    assert_true(all->count < 1 << 21); /* it ends */
    if ((all->count & (all->count - 1)) == 0) {
        all->list = realloc(all->list, (all->count + 1) * 2 * sizeof *all->list);
        assert_non_null(all->list);
    }
    struct seen *seen = &all->list[all->count++];
    *seen = (struct seen){
        .offset = event->offset, .bits = event->bits, .kind = event->kind, .fault = event->fault};
    if (event->from != NULL) {
        seen->from_kind = event->from->kind;
        seen->from_offset = event->from->offset;
    }
    const unsigned cells = layer == ETE_PACKET             ? ETE_CELLS
                           : layer == ETE_ELEMENT          ? ETE_ELEMENT_CELLS
                           : layer == ETE_RESOLVED_ELEMENT ? ETE_RESOLVED_CELLS
                                                           : ETE_INSTRUCTION_CELLS;
    memcpy(seen->cells, event->cells, cells * sizeof *seen->cells);
    if (event->bits > 0) {
        memcpy(seen->bytes, event->bytes, event->bits / 8);
    }
}

/* All events of a layer, runs as they are or expanded; `end` is the last packet. The list is the
 * caller's. */
static inline struct decoded decode_input(const struct assay_decode_input *input,
                                          enum ete_layer layer, bool runs)
{
    struct assay_decoder *decoder = NULL;
    struct assay_reader reader;
    const struct assay_event *event = NULL;
    struct decoded all = {0};
    const char *why = NULL;
    assert_int_equal(ete_decoder_ops.open(input, &decoder, NULL), ASSAY_OK);
    assay_reader_begin(&reader, &assay_format_ete, decoder, (int)layer, runs);
    do {
        assert_int_equal(assay_reader_next(&reader, &event, NULL), ASSAY_OK);
        if (event != NULL) {
            keep(&all, event, layer);
        }
    } while (event != NULL);
    all.complete = ete_decoder_ops.complete(decoder, layer, &why);
    snprintf(all.why, sizeof all.why, "%s", why != NULL ? why : "");
    ete_decoder_ops.close(decoder);
    return all;
}

static inline struct decoded decode_program(struct assay_source *source,
                                            struct assay_parameter_values *values,
                                            const struct assay_image_set *images,
                                            enum ete_layer layer, bool runs)
{
    const struct assay_decode_input input = {
        .source = source, .parameters = values, .images = images};
    return decode_input(&input, layer, runs);
}

static inline struct decoded decode_from(struct assay_source *source,
                                         struct assay_parameter_values *values,
                                         enum ete_layer layer)
{
    return decode_program(source, values, NULL, layer, false);
}

static inline struct decoded decode(const void *bytes, size_t size,
                                    struct assay_parameter_values *values, enum ete_layer layer)
{
    struct assay_source *source = NULL;
    assert_int_equal(assay_source_memory(bytes, size, &source), ASSAY_OK);
    return decode_from(source, values, layer);
}

#endif
