/* What the tests of E-Trace share: packets to bytes, and bytes to instructions. */
#ifndef ASSAY_ETRACE_TESTS_ETRACE_SUPPORT_H
#define ASSAY_ETRACE_TESTS_ETRACE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "etrace/path/path.h"
#include "io/sink.h"
#include "io/source.h"
#include "model/framing.h"
#include "model/reader.h"

/* Parameters with their defaults but these. */
static inline void set_parameter(struct assay_parameter_values *values,
                                 enum etrace_parameter number, uint64_t value)
{
    values->value[number] = value;
    values->known[number] = true;
    values->site[number].origin = ASSAY_PARAMETER_CONFIG;
}

/* --- packets to bytes --- */

struct writing {
    struct assay_sink sink;
    struct assay_encoder *encoder;
    size_t packets;
    size_t of_kind[ETRACE_KIND_COUNT];
};

static inline void begin_writing(struct writing *w, const struct assay_parameter_values *values)
{
    struct assay_diag diag;
    *w = (struct writing){.packets = 0};
    assay_sink_memory(&w->sink, SIZE_MAX);
    assert_int_equal(etrace_encoder_ops.open(&w->sink, NULL, &w->encoder, &diag), ASSAY_OK);
    assert_int_equal(
        etrace_encoder_ops.configure(w->encoder, values, ASSAY_FRAMING_BYTE_HEADER, &diag),
        ASSAY_OK);
}

/* struct etrace_unit_setup.packet */
static inline void write_packet(void *context, enum etrace_kind kind, const uint64_t *cells)
{
    struct writing *w = context;
    struct assay_diag diag = {.message = ""};
    const struct assay_event event = {.kind = (uint16_t)kind, .cells = cells};
    if (etrace_encoder_ops.put(w->encoder, &event, &diag) != ASSAY_OK) {
        fail_msg("%s", diag.message);
    }
    w->packets++;
    w->of_kind[kind]++;
}

/* --- bytes to instructions --- */

struct executed {
    uint64_t *pcs; /* owned */
    size_t count;
    size_t lost;          /* events path_lost */
    uint64_t lost_reason; /* of the first one */
    size_t lost_at;       /* instructions before it */
};

static inline void add_pc(struct executed *e, uint64_t pc)
{
    if ((e->count & (e->count - 1)) == 0) {
        e->pcs = realloc(e->pcs, (2 * e->count + 1) * sizeof *e->pcs);
        assert_non_null(e->pcs);
    }
    e->pcs[e->count++] = pc;
}

static inline struct executed decode_instructions(const void *bytes, size_t size,
                                                  struct assay_parameter_values *values,
                                                  const struct assay_image_set *images)
{
    struct assay_diag diag;
    struct assay_source *source = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_reader reader;
    struct executed e = {0};
    const struct assay_event *event = NULL;
    assert_int_equal(assay_source_memory(bytes, size, &source), ASSAY_OK);
    const struct assay_decode_input input = {.source = source,
                                             .parameters = values,
                                             .images = images,
                                             .framing = ASSAY_FRAMING_BYTE_HEADER};
    assert_int_equal(etrace_decoder_ops.open(&input, &decoder, &diag), ASSAY_OK);
    assay_reader_begin(&reader, &assay_format_etrace, decoder, ETRACE_INSTRUCTION, false);
    while (assay_reader_next(&reader, &event, &diag) == ASSAY_OK && event != NULL) {
        if (event->kind == ETRACE_instruction) {
            add_pc(&e, event->cells[ETRACE_RUN_ADDRESS]);
        } else if (event->kind == ETRACE_path_lost && e.lost++ == 0) {
            e.lost_reason = event->cells[ETRACE_RUN_FLAGS] >> REASON_BIT & 0xf;
            e.lost_at = e.count;
        }
    }
    etrace_decoder_ops.close(decoder);
    return e;
}

#endif
