/* The STF decoder: descriptor by descriptor. A record has no length of its own, so that nothing can
 * be read behind one that is not known: there the decoder stops, and says so. */
#include <stdlib.h>
#include <string.h>

#include "common/facts.h"
#include "common/filter.h"
#include "common/source.h"
#include "stf/model.h"
#include "stf/text.h"
#include "stf/zstf.h"

/* Records in a block. */
enum { BLOCK = 1024 };

/* Bytes that are readable behind each record that is shown. */
enum { SLACK = 16 };

enum { TILELINK = 1, DESCRIPTOR = 1, UNKNOWN = 0 };

/* A longer record is shown by its beginning. */
enum { LONG = DESCRIPTOR + STF_SHOWN };

/* How long a record is. */
struct frame {
    enum stf_kind kind;
    uint64_t length; /* with the descriptor; 0: not known from what is there */
    enum stf_fault fault;
};

/* A record that is longer than what an event shows: its beginning, while the rest goes by. */
struct long_record {
    bool open;
    enum stf_kind kind;
    uint64_t left; /* bytes that are still to come */
    struct stf_text text;
    uint8_t shown[STF_SHOWN + SLACK];
};

struct assay_decoder {
    struct assay_source *source;
    struct stf_zstf *zstf; /* of the source, when it is of chunks */
    uint64_t chunk;        /* instructions in a chunk; 0: the source has none */
    uint64_t next_chunk;   /* the first instruction of the next one */
    enum assay_container container;
    bool threaded, forced, ended, lost;
    unsigned profile;
    bool event64;
    uint8_t protocol;
    size_t shown;    /* bytes of the source that the last block stands on */
    uint64_t offset; /* of the next record in the decoded stream */
    uint64_t index;  /* of the next event */
    uint8_t kinds[256];
    uint8_t lengths[256]; /* of records whose length is fixed, with the descriptor; 0: others */
    struct stf_model model;
    struct long_record lengthy;
    uint8_t rest[STF_SHOWN + 3 * SLACK]; /* the last records, padded so that they can be read */
    size_t rest_size, rest_used;
    bool in_rest;
    struct assay_event events[BLOCK + 2];
    uint64_t words[BLOCK + 2][STF_WORDS];
};

/* Whether the length of such records is told by what stands in them. */
static bool varies(enum stf_kind kind)
{
    return assay_format_stf.kinds[kind].tail_count > 0 || kind == STF_event ||
           kind == STF_inst_reg || kind == STF_transaction;
}

static void set_profile(struct assay_decoder *d, unsigned profile)
{
    d->profile = profile;
    for (unsigned i = 0; i < 256; i++) {
        const enum stf_kind kind = stf_kind_of(stf_profiles[profile].minor, (uint8_t)i);
        const bool fixed = kind != STF_malformed && !varies(kind);
        d->kinds[i] = (uint8_t)kind;
        d->lengths[i] = fixed ? (uint8_t)(assay_format_stf.kinds[kind].bits / 8) : 0;
    }
}

static enum assay_error open_storage(struct assay_decoder *d, struct assay_diag *diag)
{
    const enum assay_container container = assay_container_probe(d->source);
    struct assay_source *under = d->source;
    if (stf_zstf_probe(under)) {
        d->source = NULL;
        d->container = ASSAY_CONTAINER_COUNT;
        const enum assay_error error =
            stf_zstf_open(under, d->threaded, &d->source, &d->zstf, diag);
        d->chunk = error == ASSAY_OK ? stf_zstf_chunk_instructions(d->zstf) : 0;
        d->next_chunk = d->chunk;
        return error;
    }
    /* A plain trace begins with a descriptor, which no container's signature does. */
    if (container == ASSAY_CONTAINER_UNKNOWN || container == ASSAY_CONTAINER_LZMA ||
        container == ASSAY_CONTAINER_ZLIB) {
        d->container = ASSAY_CONTAINER_RAW;
        return ASSAY_OK;
    }
    d->container = container;
    d->source = NULL;
    return assay_filter_open(under, container, d->threaded, &d->source, diag);
}

static enum assay_error open_decoder(const struct assay_decode_input *input,
                                     struct assay_decoder **decoder, struct assay_diag *diag)
{
    struct assay_decoder *d = calloc(1, sizeof *d);
    if (d == NULL) {
        assay_source_close(input->source);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    *decoder = d;
    d->source = input->source;
    d->threaded = input->threaded;
    d->forced = input->profile > 0;
    set_profile(d, d->forced ? input->profile - 1 : STF_PROFILE_13);
    const enum assay_error error =
        stf_model_open(&d->model, input->facts != NULL ? input->facts->tables : NULL, diag);
    return error != ASSAY_OK ? error : open_storage(d, diag);
}

static void close_decoder(struct assay_decoder *d)
{
    if (d != NULL) {
        assay_source_close(d->source);
        stf_model_close(&d->model);
        free(d);
    }
}

static bool complete(const struct assay_decoder *d)
{
    return !d->lost;
}

static unsigned profile(const struct assay_decoder *d)
{
    return d->profile;
}

/* --- how long a record is --- */

/* A message of a TileLink channel from its number on; 0 when more bytes are needed to tell. */
static uint64_t tilelink_length(const uint8_t *data, size_t have, enum stf_fault *fault)
{
    enum { A = 1, B = 2, C = 3, D = 4, E = 5, CODES = 3, SOURCE = 8, COUNT = 2, ADDRESS = 8 };
    const uint64_t head = 1 + CODES + SOURCE + COUNT;
    if (have < 1) {
        return 0;
    }
    if (data[0] == E) {
        return 1 + 8;
    }
    if (data[0] < A || data[0] > E) {
        *fault = STF_FAULT_UNKNOWN_LENGTH;
        return 0;
    }
    if (have < head) {
        return 0;
    }
    const uint64_t length = head + assay_load16(data + 1 + CODES + SOURCE) + ADDRESS;
    if (data[0] == C || data[0] == D) {
        return length;
    }
    return have < length + COUNT ? 0 : length + COUNT + (assay_load16(data + length) + 7u) / 8;
}

static uint64_t vector_bytes(const struct assay_decoder *d, const uint8_t *data,
                             enum stf_fault *fault)
{
    enum { VECTOR = 3 };
    if (!stf_profiles[d->profile].vectors || stf_get(data, inst_reg, type) != VECTOR) {
        return STF_BYTES_inst_reg;
    }
    if (!d->model.vlen_known || d->model.vlen == 0) {
        *fault = STF_FAULT_UNKNOWN_LENGTH;
        return 0;
    }
    const uint64_t words = ((uint64_t)d->model.vlen + 63) / 64;
    return STF_BYTES_inst_reg + (words - 1) * 8;
}

/* Bytes behind the descriptor; 0 when more of them are needed to tell (or the fault says why it
 * cannot be told). `data` is readable for 16 bytes beyond `have`. */
static uint64_t data_length(const struct assay_decoder *d, enum stf_kind kind, const uint8_t *data,
                            size_t have, enum stf_fault *fault)
{
    const uint64_t fixed = assay_format_stf.kinds[kind].bits / 8 - DESCRIPTOR;
    if (have < fixed) {
        return 0;
    }
    switch (kind) {
    case STF_comment:
    case STF_isa_extended:
        return fixed + stf_get(data, comment, length);
    case STF_trace_info:
        return fixed + stf_get(data, trace_info, length);
    case STF_clock_id:
        return fixed + stf_get(data, clock_id, length);
    case STF_page_table_walk:
        return fixed + 16 * stf_get(data, page_table_walk, count);
    case STF_event:
        return fixed + 8 * stf_get(data, event, count);
    case STF_event64:
        return fixed + 8 * stf_get(data, event64, count);
    case STF_inst_reg:
        return vector_bytes(d, data, fault);
    case STF_transaction: {
        if (d->protocol != TILELINK) {
            *fault = STF_FAULT_UNKNOWN_LENGTH;
            return 0;
        }
        const uint64_t message = tilelink_length(data + fixed - 1, have - (size_t)fixed + 1, fault);
        return message > 0 ? fixed - 1 + message : 0;
    }
    default:
        return fixed;
    }
}

static struct frame frame_of(const struct assay_decoder *d, const uint8_t *data, size_t have)
{
    struct frame frame = {.kind = (enum stf_kind)d->kinds[data[0]], .length = d->lengths[data[0]]};
    if (frame.length > 0) {
        return frame;
    }
    if (frame.kind == STF_event && d->event64) {
        frame.kind = STF_event64;
    }
    if (frame.kind == STF_malformed) {
        frame.fault = STF_FAULT_UNKNOWN_DESCRIPTOR;
        return frame;
    }
    const uint64_t length =
        data_length(d, frame.kind, data + DESCRIPTOR, have - DESCRIPTOR, &frame.fault);
    frame.length = length > 0 ? DESCRIPTOR + length : UNKNOWN;
    return frame;
}

/* --- events --- */

static inline struct assay_event *put_event(struct assay_decoder *d, size_t at, enum stf_kind kind,
                                            const uint8_t *data, uint32_t bytes, uint64_t offset,
                                            uint64_t index)
{
    struct assay_event *event = &d->events[at];
    event->bytes = data;
    event->words = d->words[at];
    event->offset = offset;
    event->index = index;
    event->bits = bytes * 8;
    event->kind = (uint16_t)kind;
    event->fault = 0;
    event->from = NULL;
    return event;
}

static struct assay_event *add(struct assay_decoder *d, size_t at, enum stf_kind kind,
                               const uint8_t *data, uint32_t bytes)
{
    return put_event(d, at, kind, data, bytes, d->offset, d->index++);
}

static void add_malformed(struct assay_decoder *d, struct assay_block *block, enum stf_fault fault,
                          uint64_t value, uint64_t bytes)
{
    uint64_t *words = d->words[block->count];
    add(d, block->count++, STF_malformed, d->rest, 0)->fault = (uint16_t)fault;
    words[0] = value;
    words[1] = bytes;
    d->lost = true;
}

/* The version that a file declares, or flags that it has, choose the profile. 1.2 has the records
 * of 1.3. */
static bool choose_profile(struct assay_decoder *d, uint64_t major, uint64_t minor)
{
    static const uint8_t by_minor[] = {[2] = STF_PROFILE_13,
                                       [3] = STF_PROFILE_13,
                                       [4] = STF_PROFILE_14,
                                       [5] = STF_PROFILE_15,
                                       [6] = STF_PROFILE_16};
    if (d->forced) {
        return true;
    }
    if (major != 1 || minor < 2 || minor >= sizeof by_minor) {
        return false;
    }
    set_profile(d, by_minor[minor]);
    return true;
}

/* What a record changes in how others are read. False when nothing behind it can be read. */
static bool take_effect(struct assay_decoder *d, enum stf_kind kind, uint64_t index,
                        const uint8_t *data)
{
    switch (kind) {
    case STF_version:
        return index != 1 ||
               choose_profile(d, stf_get(data, version, major), stf_get(data, version, minor));
    case STF_trace_info_feature:
        if ((d->model.features >> STF_FEATURE_EVENT64 & 1) != 0 && !d->forced &&
            d->profile == STF_PROFILE_13) {
            set_profile(d, STF_PROFILE_13_IMPL); /* the text knows no such flag */
        }
        d->event64 =
            (d->model.features >> STF_FEATURE_EVENT64 & 1) != 0 && stf_profiles[d->profile].event64;
        return true;
    case STF_protocol_id:
        d->protocol = (uint8_t)stf_get(data, protocol_id, protocol);
        return true;
    default:
        return true;
    }
}

/* --- records that are longer than what is shown --- */

static void begin_long(struct assay_decoder *d, const struct frame *frame, const uint8_t *data)
{
    struct long_record *l = &d->lengthy;
    memset(l, 0, sizeof *l);
    l->open = true;
    l->kind = frame->kind;
    l->left = frame->length - DESCRIPTOR - STF_SHOWN;
    memcpy(l->shown, data, STF_SHOWN);
    stf_text_add(&l->text, data + STF_BYTES_comment, STF_SHOWN - STF_BYTES_comment);
}

/* Goes on in the rest of the record; at its end the event is there. */
static void pass_long(struct assay_decoder *d, struct assay_block *block)
{
    struct long_record *l = &d->lengthy;
    const uint8_t *data;
    size_t have = 0;
    while (l->left > 0) {
        assay_source_peek(d->source, 1, &data, &have);
        if (have == 0) {
            return;
        }
        const size_t here = have < l->left ? have : (size_t)l->left;
        stf_text_add(&l->text, data, here);
        assay_source_consume(d->source, here);
        l->left -= here;
    }
    uint64_t *words = d->words[0];
    add(d, 0, l->kind, l->shown, DESCRIPTOR + STF_SHOWN);
    stf_model_record(&d->model, l->kind, l->shown, STF_SHOWN, words);
    if (l->kind == STF_comment || l->kind == STF_isa_extended) {
        words[1] = stf_text_flags(&l->text);
    }
    d->offset = assay_source_offset(d->source);
    l->open = false;
    block->count = 1;
}

/* --- blocks --- */

static enum stf_fault fault_of(enum assay_error error)
{
    switch (error) {
    case ASSAY_CORRUPT:
        return STF_FAULT_CORRUPT_STREAM;
    case ASSAY_TRUNCATED:
        return STF_FAULT_TRUNCATED_STREAM;
    case ASSAY_LIMIT:
    case ASSAY_UNSUPPORTED:
        return STF_FAULT_UNSUPPORTED_STREAM;
    default:
        return STF_FAULT_READ_ERROR;
    }
}

/* What the index of chunks says that is not so. */
static void finish_chunks(const struct assay_decoder *d, uint64_t *words)
{
    struct stf_zstf_report r;
    stf_zstf_report(d->zstf, &r);
    const struct {
        bool is;
        enum stf_index_fault fault;
        uint64_t entry, indexed, actual;
    } faults[] = {
        {r.index == STF_ZSTF_INDEX_NONE, STF_INDEX_NONE, 0, 0, r.chunks_end},
        {r.index == STF_ZSTF_INDEX_MISSING, STF_INDEX_MISSING, 0, r.announced_index, r.chunks_end},
        {r.index == STF_ZSTF_INDEX_ELSEWHERE, STF_INDEX_ELSEWHERE, 0, r.announced_index,
         r.chunks_end},
        {r.index_truncated, STF_INDEX_TRUNCATED, r.entries_read, r.entries, r.entries_read},
        {r.offset.found, STF_INDEX_OFFSET, r.offset.entry, r.offset.indexed, r.offset.actual},
        {r.size.found, STF_INDEX_SIZE, r.size.entry, r.size.indexed, r.size.actual},
        {r.pc.found, STF_INDEX_PC, r.pc.entry, r.pc.indexed, r.pc.actual},
        {r.empty.found, STF_INDEX_EMPTY, r.empty.entry, r.empty.indexed, r.empty.actual},
        {r.unlisted > 0, STF_INDEX_UNLISTED, r.entries_read, r.entries_read, r.first_unlisted},
        {r.boundary_inside, STF_INDEX_BOUNDARY, 0, r.boundary_offset, r.boundary_offset},
        {r.trailing_bytes > 0, STF_INDEX_TRAILING, r.entries, 0, r.trailing_bytes},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (faults[i].is) {
            words[5] = faults[i].fault;
            words[6] = faults[i].entry;
            words[9] = faults[i].indexed;
            words[10] = faults[i].actual;
            return;
        }
    }
}

static void finish(struct assay_decoder *d, struct assay_block *block)
{
    struct assay_source_status status;
    uint64_t *words = d->words[block->count];
    assay_source_status(d->source, &status);
    add(d, block->count++, STF_end, d->rest, 0);
    memset(words, 0, sizeof d->words[0]);
    stf_model_end(&d->model, words);
    words[0] = (uint64_t)d->container | (uint64_t)(status.fault & 0xff) << 8 |
               (status.streams < UINT32_MAX ? status.streams : UINT32_MAX) << 16;
    words[1] = status.trailing_bytes;
    words[2] = status.stored_offset;
    if (d->zstf != NULL) {
        finish_chunks(d, words);
    }
    d->ended = true;
}

/* Why no further record is there: the input ended, well or not. */
static void finish_input(struct assay_decoder *d, struct assay_block *block, const uint8_t *data,
                         size_t left)
{
    struct assay_source_status status;
    assay_source_status(d->source, &status);
    if (status.fault != ASSAY_OK) {
        add_malformed(d, block, fault_of(status.fault), status.stored_offset, left);
    } else if (left > 0 || d->lengthy.open) {
        add_malformed(d, block, STF_FAULT_TRUNCATED_RECORD,
                      d->lengthy.open ? stf_descriptor_of(d->lengthy.kind) : data[0], left);
    }
    finish(d, block);
}

/* The index of chunks tells the address of the first instruction of each: a record behind a full
 * chunk begins the next one. */
static void note_chunk(struct assay_decoder *d, uint64_t offset)
{
    if (d->model.instructions == d->next_chunk) {
        d->next_chunk += d->chunk;
        if (d->model.next_known) {
            stf_zstf_note_pc(d->zstf, offset, d->model.next_pc);
        }
    }
}

/* Adds records while they are whole and nothing is wrong with them. Returns the bytes used; *frame
 * is the last one that was looked at, of length 0 when it was added. */
static size_t add_records(struct assay_decoder *d, struct assay_block *block, const uint8_t *data,
                          size_t have, struct frame *frame)
{
    const uint64_t begin = d->offset;
    const uint64_t first = d->index - block->count;
    size_t used = 0;
    size_t at = block->count;
    bool readable = true;
    while (readable && at < BLOCK && used < have) {
        const uint8_t *record = data + used;
        *frame = frame_of(d, record, have - used);
        if (frame->fault != STF_NO_FAULT || frame->length == UNKNOWN ||
            frame->length > have - used || (frame->length > LONG && !d->in_rest)) {
            break;
        }
        if (d->chunk > 0) {
            note_chunk(d, begin + used);
        }
        put_event(d, at, frame->kind, record + DESCRIPTOR, (uint32_t)frame->length, begin + used,
                  first + at);
        stf_model_record(&d->model, frame->kind, record + DESCRIPTOR,
                         (size_t)frame->length - DESCRIPTOR, d->words[at]);
        readable = take_effect(d, frame->kind, first + at, record + DESCRIPTOR);
        used += (size_t)frame->length;
        frame->length = 0;
        at++;
    }
    if (!readable) {
        frame->fault = STF_FAULT_UNKNOWN_VERSION;
    }
    block->count = at;
    d->offset = begin + used;
    d->index = first + at;
    return used;
}

/* Reads records from `data` until the block is full, the bytes are used up, or nothing can be read
 * any more. Returns the bytes used; *stop tells that it ends here. */
static size_t read_records(struct assay_decoder *d, struct assay_block *block, const uint8_t *data,
                           size_t have, bool *stop)
{
    struct frame frame = {0};
    size_t used = add_records(d, block, data, have, &frame);
    if (frame.fault == STF_FAULT_UNKNOWN_VERSION) {
        const uint8_t *version = data + used - STF_BYTES_version;
        add_malformed(d, block, frame.fault,
                      stf_get(version, version, major) << 32 | stf_get(version, version, minor), 0);
        *stop = true;
    } else if (frame.fault != STF_NO_FAULT) {
        add_malformed(d, block, frame.fault, data[used], 0);
        *stop = true;
    } else if (frame.length > LONG && !d->in_rest && block->count == 0) {
        begin_long(d, &frame, data + used + DESCRIPTOR);
        used += LONG;
    }
    return used;
}

/* The last bytes of the input are copied, so that there is something behind them. */
static void take_rest(struct assay_decoder *d, const uint8_t *data, size_t have)
{
    memset(d->rest, 0, sizeof d->rest);
    memcpy(d->rest, data, have);
    assay_source_consume(d->source, have);
    d->rest_size = have;
    d->rest_used = 0;
    d->in_rest = true;
}

static enum assay_error next_block(struct assay_decoder *d, struct assay_block *block,
                                   struct assay_diag *diag)
{
    (void)diag;
    *block = (struct assay_block){.events = d->events};
    if (d->ended) {
        return ASSAY_OK;
    }
    assay_source_consume(d->source, d->shown);
    d->shown = 0;
    bool stop = false;
    const uint8_t *data = d->rest;
    size_t have = 0;
    if (d->lengthy.open) {
        pass_long(d, block);
        if (d->lengthy.open) {
            finish_input(d, block, data, 0);
        }
        return ASSAY_OK;
    }
    if (!d->in_rest) {
        assay_source_peek(d->source, STF_SHOWN + 2 * SLACK, &data, &have);
        if (have < STF_SHOWN + 2 * SLACK) {
            take_rest(d, data, have);
        } else {
            d->shown = read_records(d, block, data, have - SLACK, &stop);
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
    } else if (block->count == 0) {
        return next_block(d, block, diag);
    }
    return ASSAY_OK;
}

const struct assay_decoder_ops stf_decoder_ops = {
    .open = open_decoder,
    .next = next_block,
    .complete = complete,
    .profile = profile,
    .close = close_decoder,
};
