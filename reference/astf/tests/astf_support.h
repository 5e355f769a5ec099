/* What the tests of ASTF share: traces made in memory, and all events of one at once. */
#ifndef ASSAY_ASTF_TESTS_ASTF_SUPPORT_H
#define ASSAY_ASTF_TESTS_ASTF_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "astf/astf.h"
#include "common/tests/random.h"
#include "execution/execution.h"
#include "io/filter.h"

static const char *const storages[] = {"raw", "xz", "lzma", "zlib", "gzip"};
enum { STORAGES = sizeof storages / sizeof storages[0] };

/* An event that outlives its block. */
struct seen {
    enum astf_kind kind;
    uint64_t offset, index;
    uint32_t bits;
    uint16_t fault;
    uint64_t cells[ASTF_CELLS];
    uint8_t bytes[ASTF_RECORD_BYTES];
};

struct decoded {
    struct seen *list;
    size_t count;
    size_t largest_block;
    bool complete;
};

static inline void keep(struct decoded *all, const struct assay_event *event)
{
    if ((all->count & (all->count + 1)) == 0) {
        all->list = realloc(all->list, (2 * all->count + 2) * sizeof *all->list);
        assert_non_null(all->list);
    }
    struct seen *seen = &all->list[all->count++];
    *seen = (struct seen){.kind = (enum astf_kind)event->kind,
                          .offset = event->offset,
                          .index = event->index,
                          .bits = event->bits,
                          .fault = event->fault};
    assert_null(event->from);
    assert_true(event->bits <= ASTF_RECORD_BITS);
    memcpy(seen->cells, event->cells, sizeof seen->cells);
    memcpy(seen->bytes, event->bytes, (event->bits + 7) / 8);
}

/* All events of a trace; the last one is its end. Takes the execution (or null). */
static inline struct decoded decode_trace(const void *data, size_t size, bool threaded,
                                          struct assay_execution *execution)
{
    struct decoded all = {0};
    struct assay_decode_input input = {.threaded = threaded, .execution = execution};
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    assert_int_equal(assay_source_memory(data, size, &input.source), ASSAY_OK);
    assert_int_equal(astf_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    do {
        assert_int_equal(astf_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        for (size_t i = 0; i < block.count; i++) {
            keep(&all, &block.events[i]);
        }
        all.largest_block = block.count > all.largest_block ? block.count : all.largest_block;
    } while (block.count > 0);
    const char *why = NULL;
    all.complete = astf_decoder_ops.complete(decoder, 0, &why);
    astf_decoder_ops.close(decoder);
    assert_true(all.count > 0);
    for (size_t i = 0; i < all.count; i++) {
        assert_int_equal(all.list[i].index, i);
        assert_int_equal(all.list[i].kind == ASTF_end, i + 1 == all.count);
        assert_int_equal(all.list[i].kind == ASTF_malformed, all.list[i].fault != 0);
    }
    return all;
}

static inline const struct seen *end_of(const struct decoded *all)
{
    return &all->list[all->count - 1];
}

/* A derived field of an event. */
static inline uint64_t derived(const struct seen *seen, const char *name)
{
    const struct assay_field *field =
        assay_field_by_name(&assay_format_astf.kinds[seen->kind], name);
    assert_non_null(field);
    const struct assay_event event = {.cells = seen->cells};
    return assay_field_get(field, &event);
}

/* --- making traces --- */

static inline void clear_record(uint8_t *record, enum astf_kind kind)
{
    assay_kind_clear(&assay_format_astf.kinds[kind], record);
}

static inline void make_header(uint8_t *record, bool compressed, bool use_zlib)
{
    clear_record(record, ASTF_header);
    astf_set(record, header, version_minor, 11);
    astf_set(record, header, compressed, compressed);
    astf_set(record, header, use_zlib, use_zlib);
}

static inline void make_instr(uint8_t *record, uint64_t pc, uint32_t iword)
{
    clear_record(record, ASTF_instr);
    astf_set(record, instr, pc, pc);
    astf_set(record, instr, iword, iword);
}

/* A Header and `count` instructions at 4-byte steps from 0x1000, stored in a container. */
static inline struct assay_sink stored_trace(const char *storage, size_t count)
{
    struct assay_sink sink;
    struct assay_encoder *encoder = NULL;
    _Alignas(8) uint8_t record[ASTF_RECORD_BYTES];
    struct assay_event event = {.bytes = record, .bits = ASTF_RECORD_BITS, .kind = ASTF_header};
    assay_sink_memory(&sink, 0);
    assert_int_equal(astf_encoder_ops.open(&sink, storage, &encoder, NULL), ASSAY_OK);
    make_header(record, strcmp(storage, "raw") != 0,
                strcmp(storage, "zlib") == 0 || strcmp(storage, "gzip") == 0);
    assert_int_equal(astf_encoder_ops.put(encoder, &event, NULL), ASSAY_OK);
    event.kind = ASTF_instr;
    for (size_t i = 0; i < count; i++) {
        make_instr(record, 0x1000 + 4 * i, UINT32_C(0xd503201f));
        assert_int_equal(astf_encoder_ops.put(encoder, &event, NULL), ASSAY_OK);
    }
    assert_int_equal(astf_encoder_ops.close(encoder), ASSAY_OK);
    return sink;
}

/* Event `at` is the instruction that stored_trace put there. */
static inline void assert_stored(const struct decoded *all, size_t at)
{
    const struct seen *seen = &all->list[at];
    assert_int_equal(seen->kind, at == 0 ? ASTF_header : ASTF_instr);
    assert_int_equal(seen->offset, at * ASTF_RECORD_BYTES);
    assert_int_equal(seen->bits, ASTF_RECORD_BITS);
    assert_true(at == 0 || astf_get(seen->bytes, instr, pc) == 0x1000 + 4 * (at - 1));
}

#endif
