#include "execution/execution.h"

#include <stdlib.h>

#include "common/cursor.h"
#include "execution/execution_format.h"

struct assay_execution {
    struct assay_source *source; /* owned */
    struct assay_execution_header header;
    char *strings; /* what the header points to; owned */
    struct assay_diag diag;
    enum assay_error error;
    struct assay_bytes chunk; /* the payload of the present chunk, in the source's buffer */
    uint64_t chunk_offset;    /* of the payload in the input */
    size_t held;              /* bytes peeked at and not yet consumed */
    uint32_t thread;          /* of the present chunk */
    unsigned run;             /* instructions left of the present run */
    uint64_t time;
    bool ended;
    enum assay_execution_reason reason;
    struct assay_execution_summary counts;
    uint8_t started[ASSAY_EXECUTION_THREADS_MAX / 8]; /* a bit for each thread */
    uint8_t stopped[ASSAY_EXECUTION_THREADS_MAX / 8];
    struct assay_access access[ASSAY_EXECUTION_ACCESSES_MAX];
    struct assay_execution_model model;
};

static bool reason_is_known(unsigned reason)
{
    return reason <= ASSAY_EXECUTION_ENDED_BY_FAILED;
}

static bool more_may_follow(enum assay_execution_reason reason)
{
    return reason == ASSAY_EXECUTION_ENDED_BY_EXEC || reason == ASSAY_EXECUTION_ENDED_BY_KILL;
}

/* The error of an input that ended early: the source's own, if it has one. */
static enum assay_error fail_short(struct assay_execution *x, const char *where)
{
    struct assay_source_status status;
    assay_source_status(x->source, &status);
    const uint64_t offset = assay_source_offset(x->source);
    if (status.fault != ASSAY_OK) {
        return x->error = assay_fail(&x->diag, status.fault, offset, "%s", status.detail);
    }
    return x->error = assay_fail(&x->diag, ASSAY_TRUNCATED, offset, "the file ends %s", where);
}

static enum assay_error fail_corrupt(struct assay_execution *x, uint64_t offset, const char *what)
{
    return x->error = assay_fail(&x->diag, ASSAY_CORRUPT, offset, "%s", what);
}

/* Shows `want` bytes, or fails. */
static enum assay_error need(struct assay_execution *x, size_t want, const char *where,
                             const uint8_t **data)
{
    size_t have = 0;
    (void)assay_source_peek(x->source, want, data, &have); /* fail_short tells its error */
    return have < want ? fail_short(x, where) : ASSAY_OK;
}

static enum assay_error read_magic(struct assay_execution *x)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    (void)assay_source_peek(x->source, ASSAY_EXECUTION_MAGIC_SIZE, &data, &have);
    const size_t name = ASSAY_EXECUTION_NAME_SIZE;
    if (have < name || memcmp(data, ASSAY_EXECUTION_NAME, name) != 0) {
        return x->error = assay_fail(&x->diag, ASSAY_UNKNOWN_FORMAT, assay_source_offset(x->source),
                                     "this is no recorded execution");
    }
    if (have < ASSAY_EXECUTION_MAGIC_SIZE) {
        return fail_short(x, "inside its version");
    }
    if (memcmp(data, ASSAY_EXECUTION_MAGIC, ASSAY_EXECUTION_MAGIC_SIZE) != 0) {
        return x->error =
                   assay_fail(&x->diag, ASSAY_UNSUPPORTED, assay_source_offset(x->source) + name,
                              "a version of assay-execution other than 1");
    }
    assay_source_consume(x->source, ASSAY_EXECUTION_MAGIC_SIZE);
    return ASSAY_OK;
}

static enum assay_error read_strings(struct assay_execution *x, struct assay_bytes *c,
                                     size_t producer, size_t program)
{
    const uint8_t *from[2];
    const size_t size[2] = {producer, program};
    from[0] = assay_bytes_take(c, producer);
    from[1] = assay_bytes_take(c, program);
    if (c->overrun || memchr(from[0], 0, producer) != NULL || memchr(from[1], 0, program) != NULL) {
        return fail_corrupt(x, assay_source_offset(x->source), "a string of the header is bad");
    }
    x->strings = calloc(1, producer + program + 2);
    if (x->strings == NULL) {
        return x->error = assay_fail(&x->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET,
                                     "no memory for the header");
    }
    char *const to[2] = {x->strings, x->strings + producer + 1};
    for (unsigned i = 0; i < 2; ++i) {
        memcpy(to[i], from[i], size[i]);
    }
    x->header.producer = to[0];
    x->header.program = to[1];
    return ASSAY_OK;
}

static enum assay_error read_header(struct assay_execution *x)
{
    const uint8_t *data = NULL;
    if (need(x, 4, "inside its header", &data) != ASSAY_OK) {
        return x->error;
    }
    const uint32_t size = assay_load32(data);
    if (size < ASSAY_EXECUTION_HEADER_FIXED || size > ASSAY_EXECUTION_HEADER_MAX) {
        return fail_corrupt(x, assay_source_offset(x->source), "the header has an impossible size");
    }
    if (need(x, 4 + (size_t)size, "inside its header", &data) != ASSAY_OK) {
        return x->error;
    }
    struct assay_bytes c = assay_bytes_of(data + 4, size);
    const uint8_t isa = assay_bytes_u8(&c);
    x->header.process = assay_bytes_u32(&c);
    x->header.epoch = assay_bytes_u64(&c);
    const size_t producer = assay_bytes_u16(&c);
    const size_t program = assay_bytes_u16(&c);
    if (isa < ASSAY_EXECUTION_AARCH64 || isa > ASSAY_EXECUTION_RISCV32) {
        return fail_corrupt(x, assay_source_offset(x->source) + 4, "an unknown instruction set");
    }
    x->header.isa = (enum assay_execution_isa)isa;
    if (read_strings(x, &c, producer, program) != ASSAY_OK) {
        return x->error;
    }
    x->header.all_accesses =
        assay_bytes_left(&c) > 0 && (assay_bytes_u8(&c) & ASSAY_EXECUTION_ALL_ACCESSES) != 0;
    assay_source_consume(x->source, 4 + (size_t)size);
    return ASSAY_OK;
}

enum assay_error assay_execution_open(struct assay_source *source,
                                      struct assay_execution **execution, struct assay_diag *diag)
{
    *execution = NULL;
    struct assay_execution *x = calloc(1, sizeof *x);
    if (x == NULL) {
        assay_source_close(source);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "no memory for a reader");
    }
    x->source = source;
    if (read_magic(x) != ASSAY_OK || read_header(x) != ASSAY_OK) {
        const enum assay_error error = x->error;
        if (diag != NULL) {
            *diag = x->diag;
        }
        assay_execution_close(x);
        return error;
    }
    assay_execution_model_start(&x->model, x->header.isa);
    *execution = x;
    return ASSAY_OK;
}

const struct assay_execution_header *assay_execution_header(const struct assay_execution *execution)
{
    return &execution->header;
}

const struct assay_diag *assay_execution_diag(const struct assay_execution *execution)
{
    return &execution->diag;
}

void assay_execution_close(struct assay_execution *execution)
{
    if (execution != NULL) {
        assay_source_close(execution->source);
        free(execution->strings);
        free(execution);
    }
}

static uint64_t take_varint(struct assay_bytes *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = assay_bytes_u8(c);
        if (shift == 63 && byte > 1) {
            break;
        }
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    c->overrun = true; /* more than 64 bits */
    return 0;
}

static uint64_t take_address(struct assay_execution *x)
{
    const uint64_t difference = assay_execution_unzigzag(take_varint(&x->chunk)) << 1;
    return assay_execution_predicted(&x->model) + difference;
}

static uint32_t take_word(struct assay_bytes *c, unsigned size)
{
    return size == 2 ? assay_bytes_u16(c) : assay_bytes_u32(c);
}

static enum assay_error fail_item(struct assay_execution *x, const struct assay_executed *out,
                                  const char *what)
{
    return fail_corrupt(x, out->offset, x->chunk.overrun ? "a chunk ends inside an item" : what);
}

/* Accesses whose number and kinds stand in the token. */
static bool take_listed_accesses(struct assay_execution *x, struct assay_execution_entry *entry,
                                 struct assay_executed *out)
{
    const uint64_t count = take_varint(&x->chunk);
    if (count > ASSAY_EXECUTION_ACCESSES_MAX) {
        return false;
    }
    entry->accesses = count <= ASSAY_EXECUTION_SHAPE_MAX ? (uint8_t)count : 0;
    uint64_t expected = entry->first_access;
    for (unsigned i = 0; i < count; ++i) {
        const uint8_t kind = assay_bytes_u8(&x->chunk);
        const unsigned log2 = kind & ~(unsigned)ASSAY_EXECUTION_KIND_WRITE;
        if (log2 > ASSAY_EXECUTION_LOG2_MAX) {
            return false;
        }
        struct assay_access *access = &x->access[i];
        access->address = expected + assay_execution_unzigzag(take_varint(&x->chunk));
        access->size = 1u << log2;
        access->write = (kind & ASSAY_EXECUTION_KIND_WRITE) != 0;
        expected = access->address + access->size;
        if (i < ASSAY_EXECUTION_SHAPE_MAX) {
            entry->kinds[i] = kind;
        }
    }
    out->accesses = (uint16_t)count;
    return true;
}

/* Accesses like the last time. */
static void take_known_accesses(struct assay_execution *x,
                                const struct assay_execution_entry *entry,
                                struct assay_executed *out)
{
    uint64_t expected = entry->first_access;
    for (unsigned i = 0; i < entry->accesses; ++i) {
        const uint8_t kind = entry->kinds[i];
        struct assay_access *access = &x->access[i];
        access->address = expected + assay_execution_unzigzag(take_varint(&x->chunk));
        access->size = 1u << (kind & ASSAY_EXECUTION_KIND_LOG2);
        access->write = (kind & ASSAY_EXECUTION_KIND_WRITE) != 0;
        expected = access->address + access->size;
    }
    out->accesses = entry->accesses;
}

static enum assay_error finish_instruction(struct assay_execution *x,
                                           struct assay_execution_entry *entry,
                                           struct assay_executed *out)
{
    if (x->chunk.overrun) {
        return fail_item(x, out, "");
    }
    if (out->accesses > 0) {
        entry->first_access = x->access[0].address;
        x->model.last_access = x->access[out->accesses - 1].address;
    }
    x->model.last = entry;
    out->kind = ASSAY_EXECUTED_INSTRUCTION;
    out->address = entry->address;
    out->word = entry->word;
    out->size = entry->size;
    out->access = x->access;
    ++x->counts.instructions;
    x->counts.accesses += out->accesses;
    return ASSAY_OK;
}

static enum assay_error next_of_run(struct assay_execution *x, struct assay_executed *out)
{
    --x->run;
    const uint64_t address = assay_execution_predicted(&x->model);
    struct assay_execution_entry *entry = assay_execution_entry_at(&x->model, address);
    if (x->model.last == NULL || !assay_execution_entry_knows(&x->model, entry, address)) {
        return fail_item(x, out, "a run goes over an instruction that the chunk has not shown");
    }
    take_known_accesses(x, entry, out);
    return finish_instruction(x, entry, out);
}

static enum assay_error take_instruction(struct assay_execution *x, unsigned flags,
                                         struct assay_executed *out)
{
    struct assay_execution_model *model = &x->model;
    const uint64_t address = (flags & ASSAY_EXECUTION_HAS_ADDRESS) != 0
                                 ? take_address(x)
                                 : assay_execution_predicted(model);
    assay_execution_went_to(model, address);
    struct assay_execution_entry *entry = assay_execution_entry_at(model, address);
    const bool narrow = (flags & ASSAY_EXECUTION_IS_NARROW) != 0;
    if ((flags & ASSAY_EXECUTION_HAS_WORD) != 0) {
        const uint8_t size = narrow ? 2 : 4;
        const uint32_t word = take_word(&x->chunk, size);
        assay_execution_entry_fill(model, entry, address, word, size);
    } else if (narrow || !assay_execution_entry_knows(model, entry, address)) {
        return fail_item(x, out, "an instruction lacks the word that the chunk has not shown");
    }
    if ((flags & ASSAY_EXECUTION_HAS_ACCESSES) == 0) {
        take_known_accesses(x, entry, out);
    } else if (!take_listed_accesses(x, entry, out)) {
        return fail_item(x, out, "an instruction has impossible accesses");
    }
    return finish_instruction(x, entry, out);
}

static enum assay_error take_system_call(struct assay_execution *x, struct assay_executed *out)
{
    out->kind = ASSAY_EXECUTED_SYSTEM_CALL;
    out->number = take_varint(&x->chunk);
    for (unsigned i = 0; i < 6; ++i) {
        out->args[i] = take_varint(&x->chunk);
    }
    ++x->counts.system_calls;
    return x->chunk.overrun ? fail_item(x, out, "") : ASSAY_OK;
}

static enum assay_error take_system_return(struct assay_execution *x, struct assay_executed *out)
{
    out->kind = ASSAY_EXECUTED_SYSTEM_RETURN;
    out->number = take_varint(&x->chunk);
    const uint64_t value = assay_execution_unzigzag(take_varint(&x->chunk));
    memcpy(&out->value, &value, sizeof out->value);
    return x->chunk.overrun ? fail_item(x, out, "") : ASSAY_OK;
}

static enum assay_error take_diverted(struct assay_execution *x, struct assay_executed *out)
{
    out->kind = ASSAY_EXECUTED_DIVERTED;
    const uint8_t coded = assay_bytes_u8(&x->chunk);
    const uint8_t size = coded & (uint8_t)~ASSAY_EXECUTION_HAS_FAULT;
    if ((size != 0 && size != 2 && size != 4) || coded == ASSAY_EXECUTION_HAS_FAULT) {
        return fail_item(x, out, "an aborted instruction has an impossible size");
    }
    if (size != 0) {
        out->aborted = true;
        out->address = take_address(x);
        out->word = take_word(&x->chunk, size);
        out->size = size;
    }
    if (coded != size) {
        out->fault_known = true;
        out->fault = x->model.last_access + assay_execution_unzigzag(take_varint(&x->chunk));
    }
    ++x->counts.diverted;
    return x->chunk.overrun ? fail_item(x, out, "") : ASSAY_OK;
}

static enum assay_error take_thread_start(struct assay_execution *x, struct assay_executed *out)
{
    uint8_t *bits = &x->started[x->thread / 8];
    const unsigned bit = 1u << (x->thread % 8);
    if ((*bits & bit) != 0) {
        return fail_item(x, out, "a thread starts twice");
    }
    *bits = (uint8_t)(*bits | bit);
    out->kind = ASSAY_EXECUTED_THREAD_START;
    out->system_id = take_varint(&x->chunk);
    ++x->counts.threads;
    return x->chunk.overrun ? fail_item(x, out, "") : ASSAY_OK;
}

static enum assay_error take_thread_end(struct assay_execution *x, struct assay_executed *out)
{
    uint8_t *bits = &x->stopped[x->thread / 8];
    *bits = (uint8_t)(*bits | 1u << (x->thread % 8));
    if (assay_bytes_left(&x->chunk) != 0) {
        return fail_item(x, out, "a thread goes on after its end");
    }
    out->kind = ASSAY_EXECUTED_THREAD_END;
    return ASSAY_OK;
}

/* The clock is no item: it sets the time of those that follow. */
static enum assay_error take_clock(struct assay_execution *x, const struct assay_executed *out)
{
    const uint64_t passed = take_varint(&x->chunk);
    if (x->chunk.overrun || passed > UINT64_MAX - x->time) {
        return fail_item(x, out, "the clock runs over");
    }
    x->time += passed;
    x->counts.time = x->time > x->counts.time ? x->time : x->counts.time;
    return ASSAY_OK;
}

/* One token; *given tells whether it gave an item. */
static enum assay_error take_token(struct assay_execution *x, struct assay_executed *out,
                                   bool *given)
{
    const uint8_t token = assay_bytes_u8(&x->chunk);
    *given = token != ASSAY_EXECUTION_TOKEN_CLOCK;
    if (token < ASSAY_EXECUTION_RUN_MAX) {
        x->run = token + 1u;
        return next_of_run(x, out);
    }
    if (token < ASSAY_EXECUTION_TOKEN_INSTRUCTION + 16) {
        return take_instruction(x, token - ASSAY_EXECUTION_TOKEN_INSTRUCTION, out);
    }
    switch (token) {
    case ASSAY_EXECUTION_TOKEN_CLOCK:
        return take_clock(x, out);
    case ASSAY_EXECUTION_TOKEN_SYSTEM_CALL:
        return take_system_call(x, out);
    case ASSAY_EXECUTION_TOKEN_RETURN:
        return take_system_return(x, out);
    case ASSAY_EXECUTION_TOKEN_THREAD_START:
        return take_thread_start(x, out);
    case ASSAY_EXECUTION_TOKEN_THREAD_END:
        return take_thread_end(x, out);
    case ASSAY_EXECUTION_TOKEN_DIVERTED:
        return take_diverted(x, out);
    default:
        return fail_item(x, out, "an unknown token");
    }
}

static enum assay_error read_chunk(struct assay_execution *x)
{
    const uint64_t offset = assay_source_offset(x->source);
    const uint8_t *data = NULL;
    if (need(x, ASSAY_EXECUTION_CHUNK_HEAD, "inside the head of a chunk", &data) != ASSAY_OK) {
        return x->error;
    }
    const uint32_t thread = assay_load32(data + 1);
    const uint64_t time = assay_load64(data + 5);
    const uint32_t size = assay_load32(data + 13);
    if (size == 0 || size > ASSAY_EXECUTION_CHUNK_MAX) {
        return fail_corrupt(x, offset + 13, "a chunk has an impossible size");
    }
    if (thread >= ASSAY_EXECUTION_THREADS_MAX) {
        return fail_corrupt(x, offset + 1, "a chunk has an impossible thread");
    }
    x->held = ASSAY_EXECUTION_CHUNK_HEAD + (size_t)size;
    if (need(x, x->held, "inside a chunk", &data) != ASSAY_OK) {
        return x->error;
    }
    x->thread = thread;
    x->time = time;
    x->counts.time = time > x->counts.time ? time : x->counts.time;
    x->chunk = assay_bytes_of(data + ASSAY_EXECUTION_CHUNK_HEAD, size);
    x->chunk_offset = offset + ASSAY_EXECUTION_CHUNK_HEAD;
    assay_execution_model_reset(&x->model);
    const unsigned bit = 1u << (thread % 8);
    if ((x->stopped[thread / 8] & bit) != 0) {
        return fail_corrupt(x, offset + 1, "a thread goes on after its end");
    }
    if ((x->started[thread / 8] & bit) == 0 &&
        x->chunk.data[0] != ASSAY_EXECUTION_TOKEN_THREAD_START) {
        return fail_corrupt(x, x->chunk_offset, "a thread goes on that has not started");
    }
    return ASSAY_OK;
}

/* The end record: complete if nothing follows. */
static enum assay_error read_end(struct assay_execution *x)
{
    const uint64_t offset = assay_source_offset(x->source);
    const uint8_t *data = NULL;
    if (need(x, ASSAY_EXECUTION_END_SIZE, "inside its end record", &data) != ASSAY_OK) {
        return x->error;
    }
    const struct assay_execution_summary *counts = &x->counts;
    const uint8_t reason = data[1];
    if (!reason_is_known(reason)) {
        return fail_corrupt(x, offset + 1, "the end has an unknown reason");
    }
    if (assay_load64(data + 2) != counts->instructions ||
        assay_load64(data + 10) != counts->accesses ||
        assay_load64(data + 18) != counts->system_calls ||
        assay_load64(data + 26) != counts->threads) {
        return fail_corrupt(x, offset + 2, "the totals of the end are not those of the file");
    }
    x->reason = (enum assay_execution_reason)reason;
    assay_source_consume(x->source, ASSAY_EXECUTION_END_SIZE);
    size_t have = 0;
    (void)assay_source_peek(x->source, 1, &data, &have);
    if (have > 0 && !more_may_follow(x->reason)) {
        return fail_corrupt(x, offset + ASSAY_EXECUTION_END_SIZE, "bytes follow the end");
    }
    if (have == 0) {
        struct assay_source_status status;
        assay_source_status(x->source, &status);
        if (status.fault != ASSAY_OK) {
            return fail_short(x, "after its end record");
        }
        x->ended = true;
        x->counts.complete = true;
        x->counts.reason = x->reason;
    }
    return ASSAY_OK;
}

static enum assay_error next_record(struct assay_execution *x)
{
    assay_source_consume(x->source, x->held);
    x->held = 0;
    const uint8_t *data = NULL;
    if (need(x, 1, "without an end record", &data) != ASSAY_OK) {
        return x->error;
    }
    switch (data[0]) {
    case ASSAY_EXECUTION_RECORD_CHUNK:
        return read_chunk(x);
    case ASSAY_EXECUTION_RECORD_END:
        return read_end(x);
    default:
        return fail_corrupt(x, assay_source_offset(x->source), "an unknown record");
    }
}

/* In parts, which compilers turn into a few stores: the string instruction that they take for the
 * whole costs as much as all the rest. */
static void clear(struct assay_executed *out)
{
    static const uint8_t nothing[32] = {0};
    const size_t whole = sizeof *out / sizeof nothing * sizeof nothing;
    uint8_t *bytes = (uint8_t *)out;
    for (size_t at = 0; at < whole; at += sizeof nothing) {
        memcpy(bytes + at, nothing, sizeof nothing);
    }
    memcpy(bytes + whole, nothing, sizeof *out - whole);
}

enum assay_error assay_execution_next(struct assay_execution *execution, struct assay_executed *out)
{
    struct assay_execution *x = execution;
    bool given = false;
    while (x->error == ASSAY_OK && !given) {
        if (x->run == 0 && assay_bytes_left(&x->chunk) == 0 && !x->ended) {
            (void)next_record(x);
            continue;
        }
        clear(out);
        out->thread = x->thread;
        out->time = x->time;
        out->offset = x->ended ? assay_source_offset(x->source) : x->chunk_offset + x->chunk.at;
        if (x->ended) {
            out->kind = ASSAY_EXECUTED_END;
            out->thread = 0;
            out->time = x->counts.time;
            out->reason = x->reason;
            return ASSAY_OK;
        }
        if (x->run > 0) {
            given = true;
            (void)next_of_run(x, out);
        } else {
            (void)take_token(x, out, &given);
            out->time = x->time;
        }
    }
    return x->error;
}

enum assay_error assay_execution_summary(struct assay_execution *execution,
                                         struct assay_execution_summary *summary)
{
    struct assay_executed item;
    enum assay_error error = ASSAY_OK;
    do {
        error = assay_execution_next(execution, &item);
    } while (error == ASSAY_OK && item.kind != ASSAY_EXECUTED_END);
    *summary = execution->counts;
    return error == ASSAY_TRUNCATED ? ASSAY_OK : error;
}
