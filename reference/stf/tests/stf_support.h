/* What the tests of STF share: traces made in memory, sources that give them in pieces, and all
 * events of one at once. */
#ifndef ASSAY_STF_TESTS_STF_SUPPORT_H
#define ASSAY_STF_TESTS_STF_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/tests/random.h"
#include "io/filter.h"
#include "io/source_private.h"
#include "stf/stf.h"

/* --- making traces --- */

struct trace {
    uint8_t *data; /* owned */
    size_t size;
};

/* A field's value; a name of null ends a list. */
struct set {
    const char *field;
    uint64_t value;
};

static inline void put_bytes(struct trace *trace, const void *data, size_t size)
{
    trace->data = realloc(trace->data, trace->size + size + 1);
    assert_non_null(trace->data);
    if (size > 0) {
        memcpy(trace->data + trace->size, data, size);
    }
    trace->size += size;
}

static inline void put_fill(struct trace *trace, uint8_t byte, size_t size)
{
    trace->data = realloc(trace->data, trace->size + size + 1);
    assert_non_null(trace->data);
    memset(trace->data + trace->size, byte, size);
    trace->size += size;
}

static inline const struct assay_kind *kind_of(unsigned kind)
{
    return &assay_format_stf.kinds[kind];
}

static inline const struct assay_field *field_of(unsigned kind, const char *name)
{
    const struct assay_field *field = assay_field_by_name(kind_of(kind), name);
    if (field == NULL) {
        fail_msg("%s has no field %s", kind_of(kind)->name, name);
    }
    return field;
}

static inline void put_record(struct trace *trace, unsigned kind, const struct set *fields)
{
    _Alignas(8) uint8_t bytes[64] = {0};
    const uint8_t descriptor = stf_descriptor_of(kind);
    assay_kind_clear(kind_of(kind), bytes);
    for (; fields->field != NULL; fields++) {
        assert_int_equal(assay_field_set(field_of(kind, fields->field), bytes, NULL, fields->value),
                         ASSAY_OK);
    }
    put_bytes(trace, &descriptor, 1);
    put_bytes(trace, bytes, kind_of(kind)->bits / 8 - 1);
}

/* PUT(&trace, inst_reg, {"number", 1}, {"type", 1}); PUT(&trace, end_header, {0}) */
#define PUT(trace, kind, ...)                                                                      \
    put_record(trace, STF_##kind, (const struct set[]){__VA_ARGS__, {NULL, 0}})

static inline void put_number(struct trace *trace, uint64_t number)
{
    uint8_t bytes[8];
    assay_store64(bytes, number);
    put_bytes(trace, bytes, sizeof bytes);
}

static inline void put_comment(struct trace *trace, const char *text)
{
    PUT(trace, comment, {"length", strlen(text)});
    put_bytes(trace, text, strlen(text));
}

/* Identifier and version. */
static inline struct trace begin(unsigned minor)
{
    struct trace trace = {0};
    PUT(&trace, identifier, {0});
    PUT(&trace, version, {"major", 1}, {"minor", minor});
    return trace;
}

/* A header of RISC-V, with feature flags and an address of the first instruction. */
static inline struct trace begin_with(unsigned minor, unsigned iem, uint64_t features, uint64_t pc)
{
    struct trace trace = begin(minor);
    PUT(&trace, isa, {"isa", 1});
    PUT(&trace, inst_iem, {"encoding_mode", iem});
    PUT(&trace, trace_info_feature, {"features", features});
    PUT(&trace, force_pc, {"pc", pc});
    PUT(&trace, end_header, {0});
    return trace;
}

/* --- sources that give no more than they are asked for --- */

struct made_source {
    struct assay_source source; /* first, as all sources have it */
    struct assay_source_buffer buffer;
    uint64_t size;
    void (*make)(const void *of, uint64_t at, uint8_t *to, size_t size);
    const void *of;
};

static inline void fill_made(struct assay_source *source, size_t want)
{
    struct made_source *made = (struct made_source *)source;
    const uint64_t left = made->size - source->end_offset;
    size_t capacity;
    uint8_t *to = assay_source_make_room(source, &made->buffer, want, &capacity);
    size_t size = want - assay_source_left(source);
    size = want == 1 && capacity < 65536 ? capacity : want == 1 ? 65536 : size;
    size = size < left ? size : (size_t)left;
    made->make(made->of, source->end_offset, to, size);
    assay_source_lengthen(source, size);
    if (assay_source_left(source) < want) {
        assay_source_end(source, ASSAY_OK, NULL);
    }
}

static inline void status_made(const struct assay_source *source,
                               struct assay_source_status *status)
{
    status->stored_offset = assay_source_offset(source);
}

static inline void close_made(struct assay_source *source)
{
    struct made_source *made = (struct made_source *)source;
    free(made->buffer.memory);
    free(made);
}

/* A source of `size` bytes that a function makes. */
static inline struct assay_source *
open_made(void (*make)(const void *, uint64_t, uint8_t *, size_t), const void *of, uint64_t size)
{
    static const struct assay_source_kind kind = {
        .fill = fill_made, .status = status_made, .close = close_made};
    struct made_source *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->source.kind = &kind;
    assert_true(assay_source_buffer_open(&made->buffer, ASSAY_PEEK_MAX, &made->source));
    made->size = size;
    made->make = make;
    made->of = of;
    return &made->source;
}

static inline void copy_of_trace(const void *of, uint64_t at, uint8_t *to, size_t size)
{
    memcpy(to, ((const struct trace *)of)->data + at, size);
}

/* --- decoding --- */

/* An event that outlives its block. */
struct seen {
    enum stf_kind kind;
    uint64_t offset, index;
    uint32_t bits;
    uint16_t fault;
    uint64_t cells[STF_CELLS];
    uint8_t bytes[32];
    uint64_t all_bytes; /* a digest of those that the event shows */
};

struct decoded {
    struct seen *list; /* owned */
    size_t count;
    unsigned profile;
    bool complete;
};

static inline uint64_t digest_of(const uint8_t *data, size_t size)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) {
        digest = (digest ^ data[i]) * UINT64_C(0x100000001b3);
    }
    return digest;
}

static inline void keep(struct decoded *all, const struct assay_event *event)
{
    const size_t bytes = event->bits / 8 > 0 ? event->bits / 8 - 1 : 0;
    if ((all->count & (all->count + 1)) == 0) {
        all->list = realloc(all->list, (2 * all->count + 2) * sizeof *all->list);
        assert_non_null(all->list);
    }
    struct seen *seen = &all->list[all->count++];
    *seen = (struct seen){.kind = (enum stf_kind)event->kind,
                          .offset = event->offset,
                          .index = event->index,
                          .bits = event->bits,
                          .fault = event->fault,
                          .all_bytes = digest_of(event->bytes, bytes)};
    assert_true(bytes <= STF_SHOWN);
    memcpy(seen->cells, event->cells, sizeof seen->cells);
    memcpy(seen->bytes, event->bytes, bytes < sizeof seen->bytes ? bytes : sizeof seen->bytes);
}

static inline void assert_in_order(const struct decoded *all)
{
    assert_true(all->count > 0);
    for (size_t i = 0; i < all->count; i++) {
        assert_int_equal(all->list[i].index, i);
        assert_int_equal(all->list[i].kind == STF_end, i + 1 == all->count);
        assert_int_equal(all->list[i].kind == STF_malformed, all->list[i].fault != 0);
        assert_true(i == 0 || all->list[i].offset >= all->list[i - 1].offset);
    }
}

/* All events; the last one is the end. Takes the source. */
static inline struct decoded decode_input(struct assay_decode_input input)
{
    struct decoded all = {0};
    struct assay_decoder *decoder = NULL;
    struct assay_block block = {.count = 1};
    assert_int_equal(stf_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    while (block.count > 0) {
        assert_int_equal(stf_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        for (size_t i = 0; i < block.count; i++) {
            keep(&all, &block.events[i]);
        }
    }
    const char *why = NULL;
    all.complete = stf_decoder_ops.complete(decoder, 0, &why);
    all.profile = stf_decoder_ops.profile(decoder);
    stf_decoder_ops.close(decoder);
    assert_in_order(&all);
    return all;
}

/* `forced` is a profile, or -1: as the trace says. */
static inline struct decoded decode_by(const struct trace *trace, int forced)
{
    struct assay_decode_input input = {.profile = (unsigned)(forced + 1)};
    assert_int_equal(assay_source_memory(trace->data, trace->size, &input.source), ASSAY_OK);
    return decode_input(input);
}

static inline struct decoded decode_all(const struct trace *trace)
{
    return decode_by(trace, -1);
}

static inline struct decoded decode_pieces(const struct trace *trace)
{
    const struct assay_decode_input input = {.source =
                                                 open_made(copy_of_trace, trace, trace->size)};
    return decode_input(input);
}

static inline const struct seen *end_of(const struct decoded *all)
{
    return &all->list[all->count - 1];
}

/* A field of an event; of fields in bytes only those that lie at its beginning. */
static inline uint64_t value_of(const struct seen *seen, const char *name)
{
    const struct assay_event event = {
        .bytes = seen->bytes, .cells = seen->cells, .bits = seen->bits};
    return assay_field_get(field_of(seen->kind, name), &event);
}

static inline void assert_value(const struct seen *seen, const char *name, uint64_t value)
{
    if (value_of(seen, name) != value) {
        fail_msg("%s %llu: %s is 0x%llx, not 0x%llx", kind_of(seen->kind)->name,
                 (unsigned long long)seen->index, name, (unsigned long long)value_of(seen, name),
                 (unsigned long long)value);
    }
}

/* ASSERT_VALUES(&seen, {"pc", 0x1000}, {"pc_known", 1}) */
#define ASSERT_VALUES(seen, ...)                                                                   \
    for (const struct set *s = (const struct set[]){__VA_ARGS__, {NULL, 0}}; s->field != NULL;     \
         s++)                                                                                      \
    assert_value(seen, s->field, s->value)

/* The event number n from the end of those of a kind, 0 the last one. */
static inline const struct seen *last_of(const struct decoded *all, enum stf_kind kind, size_t n)
{
    for (size_t i = all->count; i-- > 0;) {
        if (all->list[i].kind == kind && n-- == 0) {
            return &all->list[i];
        }
    }
    fail_msg("there are too few %s", kind_of(kind)->name);
    return NULL;
}

static inline void assert_malformed(const struct decoded *all, enum stf_fault fault,
                                    uint64_t offset, uint64_t value)
{
    const struct seen *seen = last_of(all, STF_malformed, 0);
    assert_false(all->complete);
    assert_int_equal(seen->index + 1, end_of(all)->index);
    assert_int_equal(seen->fault, fault);
    assert_int_equal(seen->offset, offset);
    assert_true(value_of(seen, "value") == value);
}

/* The same events, except for how they were stored. */
static inline void assert_same(const struct decoded *a, const struct decoded *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->complete, b->complete);
    assert_int_equal(a->profile, b->profile);
    for (size_t i = 0; i < a->count; i++) {
        const struct seen *x = &a->list[i], *y = &b->list[i];
        const struct assay_kind *kind = kind_of(x->kind);
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->fault, y->fault);
        assert_int_equal(x->bits, y->bits);
        assert_true(x->offset == y->offset && x->all_bytes == y->all_bytes);
        for (size_t f = 0; f < kind->field_count && x->kind != STF_end; f++) {
            if (kind->fields[f].place == ASSAY_DERIVED) {
                assert_value(x, kind->fields[f].name, value_of(y, kind->fields[f].name));
            }
        }
    }
}

#endif
