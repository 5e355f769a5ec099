/* The STF decoder: descriptor by descriptor. A record has no length field, so that nothing can be
 * read after an unknown one: the decoder stops there and reports it. */
#include <stdlib.h>
#include <string.h>

#include "common/part.h"
#include "execution/execution.h"
#include "io/source.h"
#include "io/zstf.h"
#include "model/facts.h"
#include "stf/chunks.h"
#include "stf/compare.h"
#include "stf/fast_path.h"
#include "stf/frame.h"
#include "stf/text.h"

/* Records in a block. */
enum { BLOCK = 1024 };

/* Bytes that are readable after each record that is shown. */
enum { SLACK = 16 };

/* A longer record is shown by its beginning. */
enum { DESCRIPTOR = STF_DESCRIPTOR_BYTES, LONG = DESCRIPTOR + STF_SHOWN };

/* Bytes to look ahead: what tells the length of a record, which is most in a TileLink message with
 * data of 65,535 bytes before the size of its mask; there is more where metadata precede it. */
enum { LOOK = STF_SHOWN + 4 * SLACK };

/* The block that is being made, whose cells are of events[n] at cells[n]. */
struct block {
    struct assay_event events[BLOCK + 2];
    uint64_t cells[BLOCK + 2][STF_CELLS];
    uint8_t shown[STF_SHOWN + SLACK]; /* the beginning of a long record */
};

/* A record that is longer than what an event shows: its beginning, while the rest goes by. */
struct long_record {
    bool open;
    enum stf_kind kind;
    uint64_t length, left; /* bytes of it, and those that are still to come */
    struct stf_text text;
};

struct assay_decoder {
    struct assay_stage records; /* the first stage of the chain; first */
    struct assay_table memory;  /* in which it is */
    struct assay_chain chain;
    struct stf_compare compared;
    struct assay_source *source;
    uint64_t chunk;      /* instructions in a chunk; 0: the source has none */
    uint64_t next_chunk; /* the first instruction of the next one */
    enum assay_container container;
    bool threaded, forced, versioned, ended, lost;
    struct stf_framing framing;
    size_t shown;    /* bytes of the source that the last block is on */
    uint64_t offset; /* of the next record in the decoded stream */
    uint64_t index;  /* of the next event */
    struct stf_model model;
    struct long_record lengthy;
    uint8_t rest[LOOK + SLACK]; /* the last records, padded so that they can be read */
    size_t rest_size, rest_used;
    bool in_rest;
    bool out_of_memory; /* of the source */
    struct block made;
};

static void set_profile(struct assay_decoder *d, unsigned profile)
{
    stf_framing_profile(&d->framing, profile);
    stf_model_version(&d->model, stf_profiles[profile].minor);
}

static enum assay_error open_storage(struct assay_decoder *d, struct assay_diag *diag)
{
    const enum assay_container container = assay_container_probe(d->source);
    struct assay_source *under = d->source;
    /* A plain trace begins with a descriptor, which no container's signature does; that of zlib is
     * short, and no file of its own. */
    const bool raw = container == ASSAY_CONTAINER_UNKNOWN || container == ASSAY_CONTAINER_ZLIB;
    d->container = raw ? ASSAY_CONTAINER_RAW : container;
    d->source = NULL;
    const enum assay_error error =
        assay_filter_open(under, d->container, d->threaded, &d->source, diag);
    if (error == ASSAY_OK && d->container == ASSAY_CONTAINER_ZSTF) {
        d->chunk = d->next_chunk = assay_zstf_chunk_instructions(d->source);
    }
    return error;
}

static const struct assay_stage_ops record_ops;

static enum assay_error add_compare(struct assay_decoder *d, const struct assay_decode_input *input,
                                    struct assay_diag *diag)
{
    if (input->execution != NULL) {
        stf_compare_open(&d->compared, assay_execution_header(input->execution));
    }
    return assay_compare_add(&d->chain, stf_compare_format(), &d->compared, input, NULL, diag);
}

static enum assay_error open_decoder(const struct assay_decode_input *input,
                                     struct assay_decoder **decoder, struct assay_diag *diag)
{
    struct assay_table memory;
    if (!assay_table_open(&memory, sizeof(struct assay_decoder), true)) {
        assay_source_close(input->source);
        assay_execution_close(input->execution);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    struct assay_decoder *const d = memory.at;
    *decoder = d;
    d->memory = memory;
    d->records.ops = &record_ops;
    assay_chain_add(&d->chain, &d->records);
    d->source = input->source;
    d->threaded = input->threaded;
    d->forced = input->profile > 0;
    for (size_t i = 0; i < BLOCK + 2; i++) {
        d->made.events[i].cells = d->made.cells[i];
    }
    stf_model_open(&d->model, input->facts != NULL ? input->facts->tables : NULL);
    set_profile(d, d->forced ? input->profile - 1 : STF_PROFILE_13);
    const enum assay_error error = add_compare(d, input, diag);
    return error != ASSAY_OK ? error : open_storage(d, diag);
}

static void close_records(struct assay_stage *stage)
{
    struct assay_decoder *d = (struct assay_decoder *)stage;
    assay_source_close(d->source);
    stf_model_close(&d->model);
    struct assay_table memory = d->memory; /* which is in it */
    assay_table_close(&memory);
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
    *why = NULL; /* the event `end` tells it */
    return !d->lost;
}

static unsigned profile(const struct assay_decoder *d)
{
    return d->framing.profile;
}

static const char *profile_reason(const struct assay_decoder *d)
{
    return d->forced                                   ? "as asked for"
           : d->framing.profile == STF_PROFILE_13_IMPL ? "by its feature flag EVENT64"
           : d->versioned                              ? "by its version record"
                                                       : "it declares no version";
}

/* --- events --- */

/* Of an event whose cells were set when the decoder was opened. */
static inline void put_event(struct assay_event *event, enum stf_kind kind, const uint8_t *data,
                             uint32_t bytes, uint64_t offset, uint64_t index)
{
    event->bytes = data;
    event->offset = offset;
    event->index = index;
    event->bits = bytes * 8;
    event->kind = (uint16_t)kind;
    event->fault = 0;
}

static struct assay_event *add(struct assay_decoder *d, size_t at, enum stf_kind kind,
                               const uint8_t *data, uint32_t bytes)
{
    put_event(&d->made.events[at], kind, data, bytes, d->offset, d->index++);
    return &d->made.events[at];
}

static void add_malformed(struct assay_decoder *d, struct assay_block *block, enum stf_fault fault,
                          uint64_t value, uint64_t bytes)
{
    uint64_t *cells = d->made.cells[block->count];
    add(d, block->count++, STF_malformed, d->rest, 0)->fault = (uint16_t)fault;
    cells[0] = value;
    cells[1] = bytes;
    d->lost = true;
}

/* The version that a file declares first, or flags that it has, choose the profile. 1.2 has the
 * records of 1.3. */
static bool choose_profile(struct assay_decoder *d, uint64_t major, uint64_t minor)
{
    static const uint8_t by_minor[] = {[2] = STF_PROFILE_13,
                                       [3] = STF_PROFILE_13,
                                       [4] = STF_PROFILE_14,
                                       [5] = STF_PROFILE_15,
                                       [6] = STF_PROFILE_16};
    if (d->forced || d->versioned) {
        return true;
    }
    d->versioned = true;
    if (major != 1 || minor < 2 || minor >= sizeof by_minor) {
        return false;
    }
    set_profile(d, by_minor[minor]);
    return true;
}

/* Takes note of a record that changes how later ones are read. False when nothing after it can be
 * read. */
static bool take_effect(struct assay_decoder *d, enum stf_kind kind, const uint8_t *data)
{
    switch (kind) {
    case STF_version:
        return choose_profile(d, stf_get(data, version, major), stf_get(data, version, minor));
    case STF_trace_info_feature:
        if ((d->model.features >> STF_FEATURE_EVENT64 & 1) != 0 && !d->forced &&
            d->framing.profile == STF_PROFILE_13) {
            set_profile(d, STF_PROFILE_13_IMPL); /* 1.3 has no such flag */
        }
        d->framing.event64 = (d->model.features >> STF_FEATURE_EVENT64 & 1) != 0 &&
                             stf_profiles[d->framing.profile].event64;
        return true;
    case STF_vlen_config:
        d->framing.vlen = (uint32_t)stf_get(data, vlen_config, vlen);
        return true;
    case STF_protocol_id:
        d->framing.protocol = (uint8_t)stf_get(data, protocol_id, protocol);
        return true;
    default:
        return true;
    }
}

/* --- records that are longer than what is shown --- */

/* Of records that end with a text: the bytes before it. */
static size_t text_begin(enum stf_kind kind)
{
    switch (kind) {
    case STF_comment:
    case STF_isa_extended:
        return STF_BYTES_comment;
    case STF_trace_info:
        return STF_BYTES_trace_info;
    case STF_clock_id:
        return STF_BYTES_clock_id;
    default:
        return 0;
    }
}

static void begin_long(struct assay_decoder *d, const struct stf_frame *frame, const uint8_t *data)
{
    struct long_record *l = &d->lengthy;
    const size_t text = text_begin(frame->kind);
    l->open = true;
    l->kind = frame->kind;
    l->length = frame->length;
    l->left = frame->length - LONG;
    l->text = (struct stf_text){0};
    memcpy(d->made.shown, data, STF_SHOWN);
    stf_text_add(&l->text, data + text, STF_SHOWN - text);
}

/* The event of a long record; what is said of its text is said of all of it. */
static void add_long(struct assay_decoder *d, size_t at)
{
    struct long_record *l = &d->lengthy;
    uint64_t *cells = d->made.cells[at];
    add(d, at, l->kind, d->made.shown, LONG);
    stf_model_record(&d->model, l->kind, d->made.shown, STF_SHOWN, cells);
    if (text_begin(l->kind) > 0) {
        cells[1] = (cells[1] & ~STF_TEXT_MASK) | stf_text_flags(&l->text);
    }
    d->offset += l->length;
    l->open = false;
}

/* Goes on in the rest of the record; at its end the event is there. */
static void pass_long(struct assay_decoder *d, struct assay_block *block)
{
    struct long_record *l = &d->lengthy;
    while (l->left > 0) {
        const uint8_t *data = d->rest + d->rest_used;
        size_t have = d->rest_size - d->rest_used;
        if (!d->in_rest) {
            assay_source_peek(d->source, 1, &data, &have);
        }
        if (have == 0) {
            return;
        }
        const size_t here = have < l->left ? have : (size_t)l->left;
        stf_text_add(&l->text, data, here);
        l->left -= here;
        if (d->in_rest) {
            d->rest_used += here;
        } else {
            assay_source_consume(d->source, here);
        }
    }
    add_long(d, 0);
    block->count = 1;
}

/* --- blocks --- */

static void finish(struct assay_decoder *d, struct assay_block *block)
{
    struct assay_source_status status;
    uint64_t *cells = d->made.cells[block->count];
    assay_source_status(d->source, &status);
    add(d, block->count++, STF_end, d->rest, 0);
    memset(cells, 0, sizeof d->made.cells[0]);
    stf_model_end(&d->model, cells);
    assay_storage_end(d->container, &status, cells);
    if (d->container == ASSAY_CONTAINER_ZSTF) {
        stf_chunks_end(d->source, cells);
    }
    d->ended = true;
}

/* Why no record follows: the input ended, as it should or not. */
static void finish_input(struct assay_decoder *d, struct assay_block *block, const uint8_t *data,
                         uint64_t left)
{
    struct assay_source_status status;
    assay_source_status(d->source, &status);
    d->out_of_memory = assay_storage_check(&status, NULL) != ASSAY_OK;
    if (status.fault != ASSAY_OK) {
        const unsigned fault = STF_FAULT_CORRUPT_STREAM + assay_storage_fault(status.fault);
        add_malformed(d, block, (enum stf_fault)fault, status.stored_offset, left);
    } else if (left > 0) {
        add_malformed(d, block, STF_FAULT_TRUNCATED_RECORD,
                      d->lengthy.open ? stf_descriptor_of(d->lengthy.kind) : data[0], left);
    }
    finish(d, block);
}

/* The index of chunks tells the address of the first instruction of each: a record after a full
 * chunk begins the next one. */
static void note_chunk(struct assay_decoder *d, uint64_t offset)
{
    if (d->chunk > 0 && d->model.instructions == d->next_chunk) {
        d->next_chunk += d->chunk;
        if (d->model.next_known) {
            assay_zstf_note_pc(d->source, offset, d->model.next_pc);
        }
    }
}

/* Adds records while they are whole and nothing is wrong with them; `chunked` says whether they are
 * of a trace in chunks, and is constant where this is called. Returns the bytes
 * used; *frame is the last one that was looked at, of length 0 when it was added. */
ASSAY_PART size_t add_some(struct assay_decoder *d, struct assay_block *block, const uint8_t *data,
                           size_t have, struct stf_frame *frame, bool chunked)
{
    /* Kinds of records that change how others are read. */
    static const uint64_t effects = UINT64_C(1) << STF_version |
                                    UINT64_C(1) << STF_trace_info_feature |
                                    UINT64_C(1) << STF_vlen_config | UINT64_C(1) << STF_protocol_id;
    _Static_assert(STF_KIND_COUNT <= 64, "kinds are bits of one word here");
    const uint8_t *const end = data + have;
    const uint8_t *record = data;
    const uint64_t begin = d->offset;
    struct assay_event *event = &d->made.events[block->count];
    uint64_t *cells = d->made.cells[block->count];
    uint64_t index = d->index;
    struct stf_frame next = {0};
    for (; event < &d->made.events[BLOCK] && record < end; event++, cells += STF_CELLS) {
        const uint8_t *content = record + DESCRIPTOR;
        const uint64_t offset = begin + (size_t)(record - data);
        const size_t left = (size_t)(end - record);
        enum stf_kind kind = STF_malformed;
        size_t length = 0;
        if (chunked) {
            note_chunk(d, offset);
        }
        if (d->model.fast && left >= STF_FAST_MOST) {
            length = stf_fast_record(&d->model, record, cells, &kind);
        }
        if (length == 0) {
            next = stf_frame(&d->framing, record, left);
            if (next.length - 1 >= left || next.length > LONG) { /* also of length 0 */
                break;
            }
            kind = next.kind;
            length = (size_t)next.length;
            next.length = 0;
            stf_model_record(&d->model, kind, content, length - DESCRIPTOR, cells);
        }
        put_event(event, kind, content, (uint32_t)length, offset, index++);
        record += length;
        if ((effects >> kind & 1) != 0 && !take_effect(d, kind, content)) {
            next.fault = STF_FAULT_UNKNOWN_VERSION;
            event++;
            break;
        }
    }
    const size_t used = (size_t)(record - data);
    *frame = next;
    block->count = (size_t)(event - d->made.events);
    d->offset = begin + used;
    d->index = index;
    return used;
}

static size_t add_records(struct assay_decoder *d, struct assay_block *block, const uint8_t *data,
                          size_t have, struct stf_frame *frame)
{
    return d->chunk > 0 ? add_some(d, block, data, have, frame, true)
                        : add_some(d, block, data, have, frame, false);
}

/* Reads records from `data` until the block is full, the bytes are used up, or nothing can be read
 * any more. Returns the bytes used; *stop tells that it ends here. */
static size_t read_records(struct assay_decoder *d, struct assay_block *block, const uint8_t *data,
                           size_t have, bool *stop)
{
    struct stf_frame frame = {0};
    size_t used = add_records(d, block, data, have, &frame);
    if (frame.fault == STF_FAULT_UNKNOWN_VERSION) {
        const uint8_t *version = data + used - STF_BYTES_version;
        add_malformed(d, block, frame.fault,
                      stf_get(version, version, major) << 32 | stf_get(version, version, minor), 0);
        *stop = true;
    } else if (frame.fault != STF_NO_FAULT) {
        add_malformed(d, block, frame.fault, data[used], 0);
        *stop = true;
    } else if (frame.length > LONG && block->count == 0 && have >= LONG) {
        note_chunk(d, d->offset);
        begin_long(d, &frame, data + DESCRIPTOR);
        used = LONG;
    }
    return used;
}

/* The last bytes of the input are copied, so that there is something after them. */
static void take_rest(struct assay_decoder *d, const uint8_t *data, size_t have)
{
    memset(d->rest, 0, sizeof d->rest);
    memcpy(d->rest, data, have);
    assay_source_consume(d->source, have);
    d->rest_size = have;
    d->rest_used = 0;
    d->in_rest = true;
}

/* Of a record whose length does not follow from LOOK bytes, a transaction with much metadata: a
 * further look. */
static void look_further(struct assay_decoder *d, struct assay_block *block)
{
    const uint8_t *data;
    size_t have;
    assay_source_peek(d->source, ASSAY_PEEK_MAX, &data, &have);
    const struct stf_frame frame = stf_frame(&d->framing, data, have);
    if (frame.length > LONG) {
        note_chunk(d, d->offset);
        begin_long(d, &frame, data + DESCRIPTOR);
        d->shown = LONG;
    } else if (frame.fault == STF_NO_FAULT) {
        finish_input(d, block, data, have);
    } else {
        add_malformed(d, block, frame.fault, data[0], 0);
        finish(d, block);
    }
}

static void next_events(struct assay_decoder *d, struct assay_block *block)
{
    assay_source_consume(d->source, d->shown);
    d->shown = 0;
    bool stop = false;
    const uint8_t *data = d->rest;
    size_t have = 0;
    if (d->lengthy.open) {
        pass_long(d, block);
        if (d->lengthy.open) {
            finish_input(d, block, data, d->lengthy.length - d->lengthy.left);
        }
        return;
    }
    if (!d->in_rest) {
        assay_source_peek(d->source, LOOK, &data, &have);
        if (have < LOOK) {
            take_rest(d, data, have);
        } else {
            d->shown = read_records(d, block, data, have - SLACK, &stop);
            if (d->shown == 0 && !stop) {
                look_further(d, block);
                return;
            }
        }
    }
    if (d->in_rest) {
        data = d->rest + d->rest_used;
        have = d->rest_size - d->rest_used;
        d->rest_used += read_records(d, block, data, have, &stop);
    }
    if (stop) {
        finish(d, block);
    } else if (block->count == 0 && !d->lengthy.open) {
        finish_input(d, block, data, have);
    }
}

static enum assay_error next_records(struct assay_stage *stage, struct assay_block *block,
                                     struct assay_diag *diag)
{
    struct assay_decoder *d = (struct assay_decoder *)stage;
    *block = (struct assay_block){.events = d->made.events};
    while (!d->ended && block->count == 0) {
        next_events(d, block);
    }
    if (d->out_of_memory) {
        struct assay_source_status status;
        assay_source_status(d->source, &status);
        return assay_storage_check(&status, diag);
    }
    return ASSAY_OK;
}

static const struct assay_stage_ops record_ops = {.next = next_records, .close = close_records};

static enum assay_error next_block(struct assay_decoder *d, struct assay_block *block,
                                   struct assay_diag *diag)
{
    return assay_chain_next(&d->chain, block, diag);
}

const struct assay_decoder_ops stf_decoder_ops = {
    .open = open_decoder,
    .next = next_block,
    .complete = complete,
    .profile = profile,
    .profile_reason = profile_reason,
    .close = close_decoder,
};
