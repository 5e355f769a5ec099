#include "execution/execution_writer.h"

#include <pthread.h>
#include <stdlib.h>

#include "common/bytes.h"
#include "execution/execution_format.h"

enum {
    STRING_MAX = 4096,
    VARINT_MAX = 10,
    CONTENT_MAX = 1 + ASSAY_EXECUTION_CONTENT_MAX,
    ITEM_MAX =
        1 + VARINT_MAX + 4 + 2 + ASSAY_EXECUTION_ACCESSES_MAX * (1 + VARINT_MAX + CONTENT_MAX)
};

struct assay_execution_writer {
    struct assay_sink *sink; /* borrowed */
    enum assay_execution_isa isa;
    pthread_mutex_t lock; /* of the sink and of everything below */
    uint64_t instructions;
    uint64_t accesses;
    uint64_t system_calls;
    uint64_t threads;
    uint32_t next_thread;
};

struct assay_execution_track {
    struct assay_execution_writer *writer;
    uint32_t thread;
    uint32_t at;             /* bytes in the chunk */
    uint32_t run;            /* offset of the current run's byte plus one; 0: none */
    bool contents;           /* contents of accesses are recorded */
    bool contents_announced; /* the chunk has the token for it */
    uint64_t time;           /* of the last clock sample */
    uint64_t chunk_time;     /* the clock where the chunk begins */
    uint64_t instructions;   /* these four: in the chunk, not yet in the writer's totals */
    uint64_t accesses;
    uint32_t system_calls;
    uint32_t starts;
    uint8_t chunk[ASSAY_EXECUTION_CHUNK_MAX];
    struct assay_execution_model model;
};

static void put_header(struct assay_sink *sink, const struct assay_execution_header *header)
{
    const size_t producer = strlen(header->producer);
    const size_t program = strlen(header->program);
    uint8_t fixed[4 + ASSAY_EXECUTION_HEADER_FIXED];
    const uint8_t claims = (uint8_t)((header->all_accesses ? ASSAY_EXECUTION_ALL_ACCESSES : 0) |
                                     (header->system ? ASSAY_EXECUTION_SYSTEM : 0));
    const size_t claimed = claims != 0 ? sizeof claims : 0;
    assay_store32(fixed, (uint32_t)(ASSAY_EXECUTION_HEADER_FIXED + producer + program + claimed));
    fixed[4] = (uint8_t)header->isa;
    assay_store32(fixed + 5, header->process);
    assay_store64(fixed + 9, header->epoch);
    assay_store16(fixed + 17, (uint16_t)producer);
    assay_store16(fixed + 19, (uint16_t)program);
    assay_sink_write(sink, ASSAY_EXECUTION_MAGIC, ASSAY_EXECUTION_MAGIC_SIZE);
    assay_sink_write(sink, fixed, sizeof fixed);
    assay_sink_write(sink, header->producer, producer);
    assay_sink_write(sink, header->program, program);
    assay_sink_write(sink, &claims, claimed);
}

enum assay_error assay_execution_writer_open(struct assay_sink *sink,
                                             const struct assay_execution_header *header,
                                             struct assay_execution_writer **writer,
                                             struct assay_diag *diag)
{
    *writer = NULL;
    if (header->isa < ASSAY_EXECUTION_AARCH64 || header->isa > ASSAY_EXECUTION_RISCV32 ||
        strlen(header->producer) > STRING_MAX || strlen(header->program) > STRING_MAX) {
        return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET,
                          "the header of a recorded execution has a value that does not fit");
    }
    struct assay_execution_writer *w = calloc(1, sizeof *w);
    if (w == NULL || pthread_mutex_init(&w->lock, NULL) != 0) {
        free(w);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "no memory for a writer");
    }
    w->sink = sink;
    w->isa = header->isa;
    put_header(sink, header);
    if (sink->error != ASSAY_OK) {
        const enum assay_error error = sink->error;
        assay_execution_writer_close(w);
        return assay_fail(diag, error, ASSAY_NO_OFFSET, "the header could not be written");
    }
    *writer = w;
    return ASSAY_OK;
}

enum assay_error assay_execution_writer_end(struct assay_execution_writer *writer,
                                            enum assay_execution_reason reason)
{
    uint8_t end[ASSAY_EXECUTION_END_SIZE] = {ASSAY_EXECUTION_RECORD_END, (uint8_t)reason};
    pthread_mutex_lock(&writer->lock);
    assay_store64(end + 2, writer->instructions);
    assay_store64(end + 10, writer->accesses);
    assay_store64(end + 18, writer->system_calls);
    assay_store64(end + 26, writer->threads);
    assay_sink_write(writer->sink, end, sizeof end);
    const enum assay_error error = assay_sink_flush(writer->sink);
    pthread_mutex_unlock(&writer->lock);
    return error;
}

void assay_execution_writer_close(struct assay_execution_writer *writer)
{
    if (writer != NULL) {
        pthread_mutex_destroy(&writer->lock);
        free(writer);
    }
}

enum assay_error assay_execution_track_flush(struct assay_execution_track *track)
{
    struct assay_execution_writer *w = track->writer;
    uint8_t head[ASSAY_EXECUTION_CHUNK_HEAD] = {ASSAY_EXECUTION_RECORD_CHUNK};
    assay_store32(head + 1, track->thread);
    assay_store64(head + 5, track->chunk_time);
    assay_store32(head + 13, track->at);
    pthread_mutex_lock(&w->lock);
    if (track->at > 0) {
        assay_sink_write(w->sink, head, sizeof head);
        assay_sink_write(w->sink, track->chunk, track->at);
        (void)assay_sink_flush(w->sink); /* the process may be killed at any time */
        w->instructions += track->instructions;
        w->accesses += track->accesses;
        w->system_calls += track->system_calls;
        w->threads += track->starts;
    }
    const enum assay_error error = w->sink->error;
    pthread_mutex_unlock(&w->lock);
    track->at = 0;
    track->run = 0;
    track->contents_announced = false;
    track->chunk_time = track->time;
    track->instructions = 0;
    track->accesses = 0;
    track->system_calls = 0;
    track->starts = 0;
    assay_execution_model_reset(&track->model);
    return error;
}

/* Flushes if an item of the greatest size might not fit. */
static inline enum assay_error make_room(struct assay_execution_track *track)
{
    if (track->at <= ASSAY_EXECUTION_CHUNK_MAX - ITEM_MAX) {
        return ASSAY_OK;
    }
    return assay_execution_track_flush(track);
}

static inline void put_u8(struct assay_execution_track *track, unsigned value)
{
    track->chunk[track->at++] = (uint8_t)value;
}

static inline void put_varint(struct assay_execution_track *track, uint64_t value)
{
    while (value >= 0x80) {
        put_u8(track, (unsigned)(value & 0x7f) | 0x80);
        value >>= 7;
    }
    put_u8(track, (unsigned)value);
}

static void put_word(struct assay_execution_track *track, uint32_t word, unsigned size)
{
    if (size == 2) {
        assay_store16(track->chunk + track->at, (uint16_t)word);
    } else {
        assay_store32(track->chunk + track->at, word);
    }
    track->at += size;
}

/* The start of any token but a run. */
static inline void put_token(struct assay_execution_track *track, unsigned token)
{
    track->run = 0;
    put_u8(track, token);
}

/* Instruction addresses are even, so that half the difference is enough. */
static void put_address(struct assay_execution_track *track, uint64_t difference)
{
    const uint64_t half = (difference >> 1) | (difference & (UINT64_C(1) << 63));
    put_varint(track, assay_execution_zigzag(half));
}

static inline uint8_t kind_of(const struct assay_access *access)
{
    return (uint8_t)((unsigned)__builtin_ctz(access->size) |
                     (access->write ? ASSAY_EXECUTION_KIND_WRITE : 0u));
}

static inline bool instruction_is_valid(uint64_t address, uint32_t word, unsigned size)
{
    return (address & 1) == 0 && (size == 4 || (size == 2 && word <= UINT16_MAX));
}

static bool accesses_are_valid(const struct assay_access *access, unsigned accesses)
{
    for (unsigned i = 0; i < accesses; ++i) {
        const uint32_t size = access[i].size;
        if (size == 0 || (size & (size - 1)) != 0 || size > 1u << ASSAY_EXECUTION_LOG2_MAX) {
            return false;
        }
        if (access[i].content_known && (size > ASSAY_EXECUTION_CONTENT_MAX ||
                                        (access[i].content & ~assay_mask(8 * size)) != 0)) {
            return false;
        }
    }
    return true;
}

static inline bool shape_is_known(const struct assay_execution_entry *entry,
                                  const struct assay_access *access, unsigned accesses)
{
    if (entry->accesses != accesses) {
        return false;
    }
    for (unsigned i = 0; i < accesses; ++i) {
        if (entry->kinds[i] != kind_of(&access[i])) {
            return false;
        }
    }
    return true;
}

static void learn_shape(struct assay_execution_entry *entry, const struct assay_access *access,
                        unsigned accesses)
{
    entry->accesses = 0;
    if (accesses <= ASSAY_EXECUTION_SHAPE_MAX) {
        entry->accesses = (uint8_t)accesses;
        for (unsigned i = 0; i < accesses; ++i) {
            entry->kinds[i] = kind_of(&access[i]);
        }
    }
}

static inline void put_run(struct assay_execution_track *track)
{
    if (track->run != 0 && track->chunk[track->run - 1] < ASSAY_EXECUTION_RUN_MAX - 1) {
        ++track->chunk[track->run - 1];
        return;
    }
    put_u8(track, 0);
    track->run = track->at;
}

static void put_content(struct assay_execution_track *track, const struct assay_access *access)
{
    if (!access->content_known) {
        put_u8(track, ASSAY_EXECUTION_CONTENT_UNKNOWN);
        return;
    }
    const unsigned at = track->at;
    track->at++;
    for (uint64_t left = access->content; left != 0; left >>= 8) {
        put_u8(track, left & 0xff);
    }
    track->chunk[at] = (uint8_t)(track->at - at - 1);
}

static inline void put_accesses(struct assay_execution_track *track,
                                struct assay_execution_entry *entry,
                                const struct assay_access *access, unsigned accesses,
                                bool with_kinds)
{
    if (with_kinds) {
        put_varint(track, accesses);
    }
    if (accesses == 0) {
        return;
    }
    uint64_t expected = entry->first_access;
    for (unsigned i = 0; i < accesses; ++i) {
        if (with_kinds) {
            put_u8(track, kind_of(&access[i]));
        }
        put_varint(track, assay_execution_zigzag(access[i].address - expected));
        expected = access[i].address + access[i].size;
        if (track->contents) {
            put_content(track, &access[i]);
        }
    }
    entry->first_access = access[0].address;
    track->model.last_access = access[accesses - 1].address;
    track->accesses += accesses;
}

enum assay_error assay_execution_put_instruction(struct assay_execution_track *track,
                                                 uint64_t address, uint32_t word, unsigned size,
                                                 const struct assay_access *access,
                                                 unsigned accesses)
{
    if (accesses > ASSAY_EXECUTION_ACCESSES_MAX) {
        return ASSAY_LIMIT;
    }
    if (!instruction_is_valid(address, word, size) || !accesses_are_valid(access, accesses)) {
        return ASSAY_OUT_OF_RANGE;
    }
    const enum assay_error error = make_room(track);
    if (track->contents && !track->contents_announced && accesses > 0) {
        put_token(track, ASSAY_EXECUTION_TOKEN_CONTENTS);
        track->contents_announced = true;
    }
    struct assay_execution_model *model = &track->model;
    const uint64_t predicted = assay_execution_predicted(model);
    assay_execution_went_to(model, address);
    struct assay_execution_entry *entry = assay_execution_entry_at(model, address);
    unsigned flags = predicted != address ? ASSAY_EXECUTION_HAS_ADDRESS : 0;
    if (!assay_execution_entry_knows(model, entry, address) || entry->word != word ||
        entry->size != size) {
        assay_execution_entry_fill(model, entry, address, word, (uint8_t)size);
        flags |= ASSAY_EXECUTION_HAS_WORD;
        flags |= size == 2 ? ASSAY_EXECUTION_IS_NARROW : 0u;
    }
    if (!shape_is_known(entry, access, accesses)) {
        learn_shape(entry, access, accesses);
        flags |= ASSAY_EXECUTION_HAS_ACCESSES;
    }
    if (flags == 0) {
        put_run(track);
    } else {
        put_token(track, ASSAY_EXECUTION_TOKEN_INSTRUCTION + flags);
        if ((flags & ASSAY_EXECUTION_HAS_ADDRESS) != 0) {
            put_address(track, address - predicted);
        }
        if ((flags & ASSAY_EXECUTION_HAS_WORD) != 0) {
            put_word(track, word, size);
        }
    }
    put_accesses(track, entry, access, accesses, (flags & ASSAY_EXECUTION_HAS_ACCESSES) != 0);
    model->last = entry;
    ++track->instructions;
    return error;
}

void assay_execution_record_contents(struct assay_execution_track *track)
{
    track->contents = true;
}

enum assay_error assay_execution_put_clock(struct assay_execution_track *track, uint64_t time)
{
    if (time <= track->time) {
        return ASSAY_OK;
    }
    const enum assay_error error = make_room(track);
    put_token(track, ASSAY_EXECUTION_TOKEN_CLOCK);
    put_varint(track, time - track->time);
    track->time = time;
    return error;
}

enum assay_error assay_execution_put_system_call(struct assay_execution_track *track,
                                                 uint64_t number, const uint64_t args[6])
{
    const enum assay_error error = make_room(track);
    put_token(track, ASSAY_EXECUTION_TOKEN_SYSTEM_CALL);
    put_varint(track, number);
    for (unsigned i = 0; i < 6; ++i) {
        put_varint(track, args[i]);
    }
    ++track->system_calls;
    return error;
}

enum assay_error assay_execution_put_system_return(struct assay_execution_track *track,
                                                   uint64_t number, int64_t value)
{
    const enum assay_error error = make_room(track);
    put_token(track, ASSAY_EXECUTION_TOKEN_RETURN);
    put_varint(track, number);
    put_varint(track, assay_execution_zigzag((uint64_t)value));
    return error;
}

enum assay_error assay_execution_put_diverted(struct assay_execution_track *track)
{
    const enum assay_error error = make_room(track);
    put_token(track, ASSAY_EXECUTION_TOKEN_DIVERTED);
    put_u8(track, 0);
    return error;
}

enum assay_error assay_execution_put_aborted(struct assay_execution_track *track, uint64_t address,
                                             uint32_t word, unsigned size)
{
    if (!instruction_is_valid(address, word, size)) {
        return ASSAY_OUT_OF_RANGE;
    }
    const enum assay_error error = make_room(track);
    put_token(track, ASSAY_EXECUTION_TOKEN_DIVERTED);
    put_u8(track, size);
    put_address(track, address - assay_execution_predicted(&track->model));
    put_word(track, word, size);
    return error;
}

enum assay_error assay_execution_put_aborted_at(struct assay_execution_track *track,
                                                uint64_t address, uint32_t word, unsigned size,
                                                uint64_t fault)
{
    if (!instruction_is_valid(address, word, size)) {
        return ASSAY_OUT_OF_RANGE;
    }
    const enum assay_error error = make_room(track);
    put_token(track, ASSAY_EXECUTION_TOKEN_DIVERTED);
    put_u8(track, size | ASSAY_EXECUTION_HAS_FAULT);
    put_address(track, address - assay_execution_predicted(&track->model));
    put_word(track, word, size);
    put_varint(track, assay_execution_zigzag(fault - track->model.last_access));
    return error;
}

enum assay_error assay_execution_put_trap(struct assay_execution_track *track,
                                          const struct assay_executed *trap)
{
    const enum assay_error error = make_room(track);
    put_token(track, ASSAY_EXECUTION_TOKEN_TRAP);
    put_u8(track, trap->level);
    put_varint(track, trap->cause);
    put_varint(track, trap->from);
    put_varint(track, trap->fault);
    put_varint(track, trap->status);
    put_varint(track, trap->number);
    return error;
}

enum assay_error assay_execution_put_level(struct assay_execution_track *track, uint8_t level)
{
    const enum assay_error error = make_room(track);
    put_token(track, ASSAY_EXECUTION_TOKEN_LEVEL);
    put_u8(track, level);
    return error;
}

enum assay_error assay_execution_put_walk(struct assay_execution_track *track,
                                          const struct assay_walk *walk)
{
    if (walk->count < 1 || walk->count > ASSAY_WALK_ENTRIES_MAX ||
        walk->page_log2 < ASSAY_WALK_PAGE_LOG2_MIN || walk->page_log2 > ASSAY_WALK_PAGE_LOG2_MAX ||
        (walk->address & assay_mask(walk->page_log2)) != 0) {
        return ASSAY_OUT_OF_RANGE;
    }
    const enum assay_error error = make_room(track);
    put_token(track, ASSAY_EXECUTION_TOKEN_WALK);
    put_u8(track, walk->count | (walk->data ? ASSAY_EXECUTION_WALK_DATA : 0u));
    put_u8(track, walk->page_log2);
    put_varint(track, walk->address);
    for (unsigned i = 0; i < walk->count; ++i) {
        put_varint(track, walk->entry[i].address);
        put_varint(track, walk->entry[i].content);
    }
    return error;
}

enum assay_error assay_execution_track_open(struct assay_execution_writer *writer,
                                            uint64_t system_id, uint64_t time,
                                            struct assay_execution_track **track)
{
    *track = NULL;
    struct assay_execution_track *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return ASSAY_NO_MEMORY;
    }
    pthread_mutex_lock(&writer->lock);
    const bool full = writer->next_thread >= ASSAY_EXECUTION_THREADS_MAX;
    t->thread = full ? 0 : writer->next_thread++;
    pthread_mutex_unlock(&writer->lock);
    if (full) {
        free(t);
        return ASSAY_LIMIT;
    }
    t->writer = writer;
    t->time = time;
    t->chunk_time = time;
    t->starts = 1;
    assay_execution_model_start(&t->model, writer->isa);
    put_token(t, ASSAY_EXECUTION_TOKEN_THREAD_START);
    put_varint(t, system_id);
    *track = t;
    return ASSAY_OK;
}

enum assay_error assay_execution_track_close(struct assay_execution_track *track, bool ended)
{
    if (track == NULL) {
        return ASSAY_OK;
    }
    if (ended) {
        (void)make_room(track);
        put_token(track, ASSAY_EXECUTION_TOKEN_THREAD_END);
    }
    const enum assay_error error = assay_execution_track_flush(track);
    free(track);
    return error;
}
