/* What the tests of the example share: streams from vectors, a program, a decoder. */
#ifndef ASSAY_TESTS_EXAMPLE_SUPPORT_H
#define ASSAY_TESTS_EXAMPLE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "example/example.h"
#include "execution/execution.h"
#include "image/image.h"
#include "io/source.h"
#include "model/reader.h"
#include "validator/vector/vector.h"

/* --- streams --- */

#define START                                                                                      \
    "vector: 1\n"                                                                                  \
    "format: example\n"                                                                            \
    "config: {has_context: true}\n"                                                                \
    "trace:\n"                                                                                     \
    "  - sync: {address_width: 32}\n"                                                              \
    "  - start: {address: 0x1000, context: 7}\n"

/* The bytes of a vector. */
static inline void encode(const char *text, struct assay_sink *bytes)
{
    struct assay_vector vector;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assay_sink_memory(bytes, 0);
    if (assay_vector_parse("v.yaml", text, strlen(text), NULL, &vector, &diag) != ASSAY_OK ||
        assay_vector_encode(&vector, bytes, &diag) != ASSAY_OK) {
        fail_msg("%u:%u: %s", diag.line, diag.column, diag.message);
    }
    assay_vector_free(&vector);
}

/* A program at 0x1000: a loop of 0x10 plain words with a branch back, then an indirect branch. */
enum { LOOP_WORDS = 16, PROGRAM_WORDS = LOOP_WORDS + 2 };

static inline struct assay_image_set *make_program(void)
{
    uint8_t bytes[4 * PROGRAM_WORDS] = {0};
    const struct assay_image_spec spec = {
        .path = "program", .has_address = true, .address = 0x1000};
    struct assay_image_set *set = NULL;
    for (uint32_t i = 0; i < LOOP_WORDS; i++) {
        assay_store32(bytes + (size_t)4 * i, i);
    }
    assay_store32(bytes + 4 * LOOP_WORDS, 0x80000000 | (uint16_t)-LOOP_WORDS);
    assay_store32(bytes + 4 * (LOOP_WORDS + 1), 0xc0000000);
    assert_int_equal(assay_image_set_open(NULL, &set), ASSAY_OK);
    assert_int_equal(assay_image_add_bytes(set, &spec, bytes, sizeof bytes, NULL), ASSAY_OK);
    assert_int_equal(assay_image_set_seal(set, NULL), ASSAY_OK);
    return set;
}

/* A decoder of bytes. */
struct reading {
    struct assay_parameter_values parameters;
    struct assay_decoder *decoder;
    struct assay_reader reader;
};

/* With a recorded execution, if that is not null, which becomes the decoder's. */
static inline void open_compared(struct reading *r, const struct assay_sink *bytes,
                                 const struct assay_image_set *images,
                                 struct assay_execution *execution, int layer, bool runs)
{
    struct assay_source *source = NULL;
    r->decoder = NULL;
    assay_parameters_init(&r->parameters, assay_format_example.parameters);
    r->parameters.known[EXAMPLE_HAS_CONTEXT] = true;
    r->parameters.value[EXAMPLE_HAS_CONTEXT] = 1;
    assert_int_equal(assay_source_memory(bytes->data, bytes->size, &source), ASSAY_OK);
    const struct assay_decode_input input = {.source = source,
                                             .execution = execution,
                                             .execution_thread = ASSAY_EXECUTION_THREAD_FROM_TRACE,
                                             .parameters = &r->parameters,
                                             .images = images};
    assert_int_equal(example_decoder_ops.open(&input, &r->decoder, NULL), ASSAY_OK);
    assay_reader_begin(&r->reader, &assay_format_example, r->decoder, layer, runs);
}

static inline void open_reading(struct reading *r, const struct assay_sink *bytes,
                                const struct assay_image_set *images, int layer, bool runs)
{
    open_compared(r, bytes, images, NULL, layer, runs);
}

static inline const struct assay_event *read_event(struct reading *r)
{
    const struct assay_event *event = NULL;
    assert_int_equal(assay_reader_next(&r->reader, &event, NULL), ASSAY_OK);
    return event;
}

static inline void close_reading(struct reading *r)
{
    example_decoder_ops.close(r->decoder);
}

#endif
