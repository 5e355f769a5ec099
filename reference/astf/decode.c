/* The ASTF decoder, in the order of the specification: the Header (4.2), how the records after it
 * are stored (4.2.1), then record after record (4.4 to 4.9). A record is 32 bytes, so after one
 * that cannot be decoded, decoding goes on at the next. */
#include <stdlib.h>

#include "astf/astf.h"
#include "astf/compare.h"
#include "io/filter.h"
#include "io/source.h"
#include "isa/a64.h"

/* Records in a block: their raw bytes, events and cells together stay in a second level cache. */
enum { BLOCK = 1024 };

enum { STRING_BYTES = 28, STRING_CONT_BYTES = 31 };

struct assay_decoder {
    struct assay_stage records; /* the first stage of the chain */
    struct assay_chain chain;
    struct astf_compare compared;
    struct assay_source *source;
    enum assay_container container;
    bool threaded;
    bool started;
    bool ended;
    bool lost;       /* part of the input could not be decoded */
    size_t shown;    /* bytes of the source that the last block refers to */
    uint64_t offset; /* of the next record in the decoded stream */
    uint64_t index;  /* of the next event */
    unsigned vector; /* bytes of a vector by the last Context; 0 before the first */
    bool streaming;  /* PSTATE.SM by the last Context */
    struct a64_cache classes;
    uint8_t header[ASTF_RECORD_BYTES];
    uint8_t rest[ASTF_RECORD_BYTES]; /* a truncated record, padded so that it can be read */
    struct assay_event events[BLOCK + 2];
    uint64_t cells[BLOCK + 2][ASTF_ROW];
};

static const struct assay_stage_ops record_ops;

static enum assay_error open_decoder(const struct assay_decode_input *input,
                                     struct assay_decoder **decoder, struct assay_diag *diag)
{
    struct assay_decoder *d = calloc(1, sizeof *d);
    if (d == NULL) {
        assay_source_close(input->source);
        assay_execution_close(input->execution);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    d->records.ops = &record_ops;
    assay_chain_add(&d->chain, &d->records);
    d->source = input->source;
    d->threaded = input->threaded;
    a64_cache_init(&d->classes);
    *decoder = d;
    d->compared.of_machine =
        input->execution != NULL && assay_execution_header(input->execution)->system;
    return assay_compare_add(&d->chain, astf_compare_format(), &d->compared, input, NULL, diag);
}

static void close_records(struct assay_stage *stage)
{
    struct assay_decoder *d = (struct assay_decoder *)stage;
    assay_source_close(d->source);
    free(d);
}

static void close_decoder(struct assay_decoder *d)
{
    if (d != NULL) {
        struct assay_chain chain = d->chain; /* which closes the decoder */
        assay_chain_close(&chain);
    }
}

static bool complete(const struct assay_decoder *d, unsigned layer, const char **why)
{
    (void)layer;
    *why = NULL; /* the event `end` has the reason */
    return !d->lost;
}

static struct assay_event *add(struct assay_decoder *d, size_t at, enum astf_kind kind,
                               const uint8_t *bytes, unsigned size)
{
    struct assay_event *event = &d->events[at];
    event->bytes = bytes;
    event->cells = d->cells[at];
    event->offset = d->offset;
    event->index = d->index++;
    event->bits = size * 8;
    event->kind = (uint16_t)kind;
    event->fault = 0;
    event->from = NULL;
    d->offset += size;
    return event;
}

static struct assay_event *add_malformed(struct assay_decoder *d, size_t at, enum astf_fault fault,
                                         const uint8_t *bytes, unsigned size, uint64_t value)
{
    struct assay_event *event = add(d, at, ASTF_malformed, bytes, size);
    event->fault = (uint16_t)fault;
    d->cells[at][0] = value;
    return event;
}

/* The length of a text without the zeros at its end. */
static uint64_t text_end(const uint8_t *text, unsigned length)
{
    while (length > 0 && text[length - 1] == 0) {
        length--;
    }
    return length;
}

/* Bytes of a text that are control characters of ASCII; 0, which pads, tabs, line feeds and
 * carriage returns are none of those. */
static uint64_t control_characters(const uint8_t *text, unsigned length)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < length; i++) {
        const uint8_t c = text[i];
        count += (c < 0x20 && c != 0 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
    }
    return count;
}

static uint64_t derive_text(const uint8_t *text, unsigned length)
{
    return text_end(text, length) | control_characters(text, length) << 8;
}

/* The bytes of a load or store of which a predicate selects elements, all of them. */
static uint64_t vector_bytes(const struct assay_decoder *d, uint64_t info)
{
    if (a64_info_access_count(info) == 0 || a64_info_access_bytes(info) != 0 ||
        a64_info_is_first_fault(info) || a64_info_is_non_fault(info) ||
        (a64_info_is_za_indexing(info) && !d->streaming)) {
        return 0;
    }
    if (a64_info_is_replicate(info)) {
        return UINT64_C(1) << a64_info_element_log2(info);
    }
    const uint64_t elements = d->vector >> a64_info_element_log2(info);
    return (elements << a64_info_access_log2(info)) * a64_info_access_count(info);
}

/* The fields that follow from the word alone and have no room in its classification. */
static uint64_t facts_of(uint32_t iword, uint64_t info)
{
    return (uint64_t)a64_lowest_el(iword) << 16 | (uint64_t)a64_is_tag_unchecked(iword, info) << 18;
}

static void derive_instr(struct assay_decoder *d, const uint8_t *record, uint64_t *cells)
{
    const uint32_t iword = (uint32_t)astf_get(record, instr, iword);
    const uint64_t info = a64_cache_classify(&d->classes, iword);
    cells[0] = info;
    cells[1] = a64_info_is_direct(info) ? a64_direct_target(iword, astf_get(record, instr, pc)) : 0;
    cells[2] = (a64_info_is_predicated(info) ? vector_bytes(d, info) : 0) | facts_of(iword, info);
}

/* Cells that only the comparison with a recorded execution writes stay 0 without one: of the other
 * kinds only contexts and traps have derived fields there. */
static void add_record(struct assay_decoder *d, size_t at, const uint8_t *record)
{
    const enum astf_kind kind = astf_kind_of(record[0]);
    if (kind == ASTF_malformed) {
        add_malformed(d, at, ASTF_FAULT_UNKNOWN_TYPE, record, ASTF_RECORD_BYTES, record[0]);
        return;
    }
    add(d, at, kind, record, ASTF_RECORD_BYTES);
    if (kind == ASTF_instr) {
        derive_instr(d, record, d->cells[at]);
    } else if (kind == ASTF_context) {
        memset(d->cells[at], 0, 2 * sizeof d->cells[at][0]);
        d->vector = ((unsigned)astf_get(record, context, evl) + 1) * 16;
        d->streaming = astf_get(record, context, pstate_sm) != 0;
    } else if (kind == ASTF_trap) {
        d->cells[at][0] = 0;
    } else if (kind == ASTF_string) {
        d->cells[at][0] = derive_text(record + 4, STRING_BYTES);
    } else if (kind == ASTF_string_cont) {
        d->cells[at][0] = derive_text(record + 1, STRING_CONT_BYTES);
    }
}

/* Only LZMA and Zlib data can follow the Header, whatever other containers the filters know. */
static enum assay_container probe_storage(struct assay_source *source)
{
    const enum assay_container container = assay_container_probe(source);
    return (ASTF_CONTAINERS >> container & 1) != 0 ? container : ASSAY_CONTAINER_UNKNOWN;
}

/* 4.2.1: the Header says whether the records are compressed; the container is recognised by its
 * signature, since the specification names none. */
static enum assay_error open_storage(struct assay_decoder *d, size_t *count,
                                     struct assay_diag *diag)
{
    if (astf_get(d->header, header, compressed) == 0) {
        return ASSAY_OK;
    }
    const uint8_t *data;
    size_t have;
    assay_source_peek(d->source, 1, &data, &have);
    d->container = probe_storage(d->source);
    if (have > 0 && d->container == ASSAY_CONTAINER_UNKNOWN) {
        d->lost = true;
        add_malformed(d, (*count)++, ASTF_FAULT_UNKNOWN_CONTAINER, d->header, 0, 0);
        return ASSAY_OK;
    }
    if (have == 0) {
        d->container =
            astf_get(d->header, header, use_zlib) != 0 ? ASSAY_CONTAINER_ZLIB : ASSAY_CONTAINER_XZ;
    }
    struct assay_source *under = d->source;
    d->source = NULL;
    return assay_filter_open(under, d->container, d->threaded, &d->source, diag);
}

static enum assay_error start(struct assay_decoder *d, struct assay_block *block,
                              struct assay_diag *diag)
{
    const uint8_t *data;
    size_t have;
    d->started = true;
    assay_source_peek(d->source, ASTF_RECORD_BYTES, &data, &have);
    if (have < ASTF_RECORD_BYTES || astf_kind_of(data[0]) != ASTF_header) {
        return ASSAY_OK;
    }
    memcpy(d->header, data, ASTF_RECORD_BYTES);
    assay_source_consume(d->source, ASTF_RECORD_BYTES);
    add_record(d, 0, d->header);
    block->count = 1;
    return open_storage(d, &block->count, diag);
}

/* The last events: why the bytes ended early, or a truncated record; then `end`. Where a broken
 * stream truncates a record, only the stream's fault is reported. */
static enum assay_error finish(struct assay_decoder *d, const uint8_t *data, size_t left,
                               struct assay_block *block, struct assay_diag *diag)
{
    struct assay_source_status status;
    assay_source_status(d->source, &status);
    if (assay_storage_check(&status, diag) != ASSAY_OK) {
        return ASSAY_NO_MEMORY;
    }
    memset(d->rest, 0, sizeof d->rest);
    if (left > 0) {
        memcpy(d->rest, data, left);
        assay_source_consume(d->source, left);
    }
    if (status.fault != ASSAY_OK) {
        d->lost = true;
        const unsigned fault = ASTF_FAULT_CORRUPT_STREAM + assay_storage_fault(status.fault);
        add_malformed(d, block->count++, (enum astf_fault)fault, d->rest, (unsigned)left,
                      status.stored_offset);
    } else if (left > 0) {
        add_malformed(d, block->count++, ASTF_FAULT_TRUNCATED_RECORD, d->rest, (unsigned)left,
                      left);
    }
    d->lost = d->lost || left > 0 || status.trailing_bytes > 0;
    uint64_t *cells = d->cells[block->count];
    add(d, block->count++, ASTF_end, d->rest, 0);
    assay_storage_end(d->container, &status, cells);
    memset(&cells[ASTF_COMPARE_END], 0, (ASTF_CELLS - ASTF_COMPARE_END) * sizeof cells[0]);
    d->ended = true;
    return ASSAY_OK;
}

static enum assay_error next_records(struct assay_stage *stage, struct assay_block *block,
                                     struct assay_diag *diag)
{
    struct assay_decoder *d = (struct assay_decoder *)stage;
    *block = (struct assay_block){.events = d->events};
    if (d->ended) {
        return ASSAY_OK;
    }
    assay_source_consume(d->source, d->shown);
    d->shown = 0;
    if (!d->started) {
        const enum assay_error error = start(d, block, diag);
        if (error != ASSAY_OK || block->count > 0) {
            return error;
        }
    }
    const uint8_t *data = NULL;
    size_t have = 0;
    if (d->container != ASSAY_CONTAINER_UNKNOWN) {
        /* An error of the source is in its status, which is read when all before it was judged. */
        assay_source_peek(d->source, (size_t)BLOCK * ASTF_RECORD_BYTES, &data, &have);
    }
    size_t records = have / ASTF_RECORD_BYTES;
    records = records < BLOCK ? records : BLOCK;
    for (size_t i = 0; i < records; i++) {
        add_record(d, i, data + i * ASTF_RECORD_BYTES);
    }
    block->count = records;
    d->shown = records * ASTF_RECORD_BYTES;
    return records == 0 ? finish(d, data, have, block, diag) : ASSAY_OK;
}

static const struct assay_stage_ops record_ops = {.next = next_records, .close = close_records};

static enum assay_error next_block(struct assay_decoder *d, struct assay_block *block,
                                   struct assay_diag *diag)
{
    return assay_chain_next(&d->chain, block, diag);
}

const struct assay_decoder_ops astf_decoder_ops = {
    .open = open_decoder,
    .next = next_block,
    .complete = complete,
    .close = close_decoder,
};
