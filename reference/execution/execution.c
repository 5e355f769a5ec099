#include "execution/execution.h"

#include <stdlib.h>

#include "execution/execution_private.h"

static const char impossible_accesses[] = "an instruction has impossible accesses";

static bool reason_is_known(unsigned reason)
{
    return reason <= ASSAY_EXECUTION_ENDED_BY_FAILED;
}

static bool more_may_follow(enum assay_execution_reason reason)
{
    return reason == ASSAY_EXECUTION_ENDED_BY_EXEC || reason == ASSAY_EXECUTION_ENDED_BY_KILL;
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
    return assay_execution_corrupt(x, out->offset,
                                   x->chunk.overrun ? "a chunk ends inside an item" : what);
}

/* The content after an access, if the chunk has contents. */
static bool take_content(struct assay_execution *x, struct assay_access *access)
{
    access->content = 0;
    access->content_known = false;
    if (!x->contents) {
        return true;
    }
    const unsigned bytes = assay_bytes_u8(&x->chunk);
    if (bytes == ASSAY_EXECUTION_CONTENT_UNKNOWN) {
        return true;
    }
    if (bytes > access->size || access->size > ASSAY_EXECUTION_CONTENT_MAX) {
        return false;
    }
    for (unsigned i = 0; i < bytes; ++i) {
        access->content |= (uint64_t)assay_bytes_u8(&x->chunk) << (8 * i);
    }
    access->content_known = true;
    return true;
}

/* Accesses whose number and kinds are in the token. */
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
        if (!take_content(x, access)) {
            return false;
        }
        if (i < ASSAY_EXECUTION_SHAPE_MAX) {
            entry->kinds[i] = kind;
        }
    }
    out->accesses = (uint16_t)count;
    return true;
}

/* Accesses of the same number and kinds as last time. */
static bool take_known_accesses(struct assay_execution *x,
                                const struct assay_execution_entry *entry,
                                struct assay_access *list)
{
    uint64_t expected = entry->first_access;
    for (unsigned i = 0; i < entry->accesses; ++i) {
        const uint8_t kind = entry->kinds[i];
        struct assay_access *access = &list[i];
        access->address = expected + assay_execution_unzigzag(take_varint(&x->chunk));
        access->size = 1u << (kind & ASSAY_EXECUTION_KIND_LOG2);
        access->write = (kind & ASSAY_EXECUTION_KIND_WRITE) != 0;
        expected = access->address + access->size;
        if (!take_content(x, access)) {
            return false;
        }
    }
    return true;
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
    out->contents = x->contents;
    ++x->counts.instructions;
    x->counts.accesses += out->accesses;
    return ASSAY_OK;
}

/* The entry of the instruction that is next in a run; null if there is none. */
static struct assay_execution_entry *entry_of_run(struct assay_execution *x)
{
    const uint64_t address = assay_execution_predicted(&x->model);
    struct assay_execution_entry *entry = assay_execution_entry_at(&x->model, address);
    return x->model.last != NULL && assay_execution_entry_knows(&x->model, entry, address) ? entry
                                                                                           : NULL;
}

static enum assay_error next_of_run(struct assay_execution *x, struct assay_executed *out)
{
    --x->run;
    struct assay_execution_entry *entry = entry_of_run(x);
    if (entry == NULL) {
        return fail_item(x, out, "a run has an instruction that its chunk has not given before");
    }
    if (!take_known_accesses(x, entry, x->access)) {
        return fail_item(x, out, impossible_accesses);
    }
    out->accesses = entry->accesses;
    return finish_instruction(x, entry, out);
}

/* The accesses of an instruction of a run; if they are wrong, nothing is taken. */
static bool take_of_run(struct assay_execution *x, const struct assay_execution_entry *entry,
                        struct assay_access *list)
{
    const size_t at = x->chunk.at;
    if (take_known_accesses(x, entry, list) && !x->chunk.overrun) {
        return true;
    }
    x->chunk.at = at;
    x->chunk.overrun = false;
    return false;
}

unsigned assay_execution_take_run(struct assay_execution *execution, uint32_t thread,
                                  struct assay_executed_in_run *list, unsigned most,
                                  struct assay_access *access, size_t room)
{
    struct assay_execution *x = execution;
    unsigned count = 0;
    size_t accesses = 0;
    if (x->error != ASSAY_OK || x->thread != thread || x->run == 0) {
        return 0;
    }
    const unsigned wanted = most < x->run ? most : x->run;
    while (count < wanted && accesses + ASSAY_EXECUTION_SHAPE_MAX <= room) {
        struct assay_execution_entry *entry = entry_of_run(x);
        struct assay_access *own = access + accesses;
        if (entry == NULL || (entry->accesses > 0 && !take_of_run(x, entry, own))) {
            break;
        }
        if (entry->accesses > 0) {
            entry->first_access = own->address;
            accesses += entry->accesses;
            x->model.last_access = access[accesses - 1].address;
        }
        x->model.last = entry;
        list[count++] = (struct assay_executed_in_run){
            .address = entry->address, .word = entry->word, .accesses = entry->accesses};
    }
    x->run -= count;
    x->counts.instructions += count;
    x->counts.accesses += accesses;
    return count;
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
        return fail_item(x, out,
                         "an instruction has no word, and its chunk has not given it before");
    }
    const bool listed = (flags & ASSAY_EXECUTION_HAS_ACCESSES) != 0;
    out->accesses = entry->accesses;
    if (!(listed ? take_listed_accesses(x, entry, out)
                 : take_known_accesses(x, entry, x->access))) {
        return fail_item(x, out, impossible_accesses);
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

static bool is_level(uint8_t level)
{
    return level <= 3 || level == ASSAY_EXECUTION_LEVEL_UNKNOWN;
}

static enum assay_error take_trap(struct assay_execution *x, struct assay_executed *out)
{
    out->kind = ASSAY_EXECUTED_TRAP;
    out->level = assay_bytes_u8(&x->chunk);
    out->cause = take_varint(&x->chunk);
    out->from = take_varint(&x->chunk);
    out->fault = take_varint(&x->chunk);
    out->fault_known = true;
    out->status = take_varint(&x->chunk);
    out->number = take_varint(&x->chunk);
    return x->chunk.overrun || !is_level(out->level) ? fail_item(x, out, "an impossible trap")
                                                     : ASSAY_OK;
}

static enum assay_error take_level(struct assay_execution *x, struct assay_executed *out)
{
    out->kind = ASSAY_EXECUTED_LEVEL;
    out->level = assay_bytes_u8(&x->chunk);
    return x->chunk.overrun || !is_level(out->level) ? fail_item(x, out, "an impossible level")
                                                     : ASSAY_OK;
}

static bool walk_is_valid(const struct assay_walk *walk)
{
    return walk->count >= 1 && walk->count <= ASSAY_WALK_ENTRIES_MAX &&
           walk->page_log2 >= ASSAY_WALK_PAGE_LOG2_MIN &&
           walk->page_log2 <= ASSAY_WALK_PAGE_LOG2_MAX &&
           (walk->address & assay_mask(walk->page_log2)) == 0;
}

static enum assay_error take_walk(struct assay_execution *x, struct assay_executed *out)
{
    const uint8_t coded = assay_bytes_u8(&x->chunk);
    struct assay_walk *walk = &x->walk;
    *walk = (struct assay_walk){.count = coded & (uint8_t)~ASSAY_EXECUTION_WALK_DATA,
                                .data = (coded & ASSAY_EXECUTION_WALK_DATA) != 0};
    walk->page_log2 = assay_bytes_u8(&x->chunk);
    walk->address = take_varint(&x->chunk);
    if (!walk_is_valid(walk)) {
        return fail_item(x, out, "an impossible page table walk");
    }
    for (unsigned i = 0; i < walk->count; ++i) {
        walk->entry[i].address = take_varint(&x->chunk);
        walk->entry[i].content = take_varint(&x->chunk);
    }
    out->kind = ASSAY_EXECUTED_WALK;
    out->walk = walk;
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
        return fail_item(x, out, "a thread continues after its end");
    }
    out->kind = ASSAY_EXECUTED_THREAD_END;
    return ASSAY_OK;
}

/* The clock is not an item: it sets the time of those that follow. */
static enum assay_error take_clock(struct assay_execution *x, const struct assay_executed *out)
{
    const uint64_t passed = take_varint(&x->chunk);
    if (x->chunk.overrun || passed > UINT64_MAX - x->time) {
        return fail_item(x, out, "the clock overflows");
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
    *given = token != ASSAY_EXECUTION_TOKEN_CLOCK && token != ASSAY_EXECUTION_TOKEN_CONTENTS;
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
    case ASSAY_EXECUTION_TOKEN_TRAP:
        return take_trap(x, out);
    case ASSAY_EXECUTION_TOKEN_LEVEL:
        return take_level(x, out);
    case ASSAY_EXECUTION_TOKEN_WALK:
        return take_walk(x, out);
    case ASSAY_EXECUTION_TOKEN_CONTENTS:
        x->contents = true;
        return ASSAY_OK;
    default:
        return fail_item(x, out, "an unknown token");
    }
}

static enum assay_error read_chunk(struct assay_execution *x)
{
    const uint64_t offset = assay_source_offset(x->source);
    const uint8_t *data = NULL;
    if (assay_execution_need(x, ASSAY_EXECUTION_CHUNK_HEAD, "inside the head of a chunk", &data) !=
        ASSAY_OK) {
        return x->error;
    }
    const uint32_t thread = assay_load32(data + 1);
    const uint64_t time = assay_load64(data + 5);
    const uint32_t size = assay_load32(data + 13);
    if (size == 0 || size > ASSAY_EXECUTION_CHUNK_MAX) {
        return assay_execution_corrupt(x, offset + 13, "a chunk has an impossible size");
    }
    if (thread >= ASSAY_EXECUTION_THREADS_MAX) {
        return assay_execution_corrupt(x, offset + 1, "a chunk has an impossible thread");
    }
    x->held = ASSAY_EXECUTION_CHUNK_HEAD + (size_t)size;
    if (assay_execution_need(x, x->held, "inside a chunk", &data) != ASSAY_OK) {
        return x->error;
    }
    x->thread = thread;
    x->time = time;
    x->counts.time = time > x->counts.time ? time : x->counts.time;
    x->chunk = assay_bytes_of(data + ASSAY_EXECUTION_CHUNK_HEAD, size);
    x->chunk_offset = offset + ASSAY_EXECUTION_CHUNK_HEAD;
    x->contents = false;
    assay_execution_model_reset(&x->model);
    const unsigned bit = 1u << (thread % 8);
    if ((x->stopped[thread / 8] & bit) != 0) {
        return assay_execution_corrupt(x, offset + 1, "a thread continues after its end");
    }
    if ((x->started[thread / 8] & bit) == 0 &&
        x->chunk.data[0] != ASSAY_EXECUTION_TOKEN_THREAD_START) {
        return assay_execution_corrupt(x, x->chunk_offset,
                                       "a thread has instructions before its start");
    }
    return ASSAY_OK;
}

/* The end record: complete if nothing follows. */
static enum assay_error read_end(struct assay_execution *x)
{
    const uint64_t offset = assay_source_offset(x->source);
    const uint8_t *data = NULL;
    if (assay_execution_need(x, ASSAY_EXECUTION_END_SIZE, "inside its end record", &data) !=
        ASSAY_OK) {
        return x->error;
    }
    const struct assay_execution_summary *counts = &x->counts;
    const uint8_t reason = data[1];
    if (!reason_is_known(reason)) {
        return assay_execution_corrupt(x, offset + 1, "the end record has an unknown reason");
    }
    if (assay_load64(data + 2) != counts->instructions ||
        assay_load64(data + 10) != counts->accesses ||
        assay_load64(data + 18) != counts->system_calls ||
        assay_load64(data + 26) != counts->threads) {
        return assay_execution_corrupt(x, offset + 2,
                                       "the totals in the end record are not those of the file");
    }
    x->reason = (enum assay_execution_reason)reason;
    assay_source_consume(x->source, ASSAY_EXECUTION_END_SIZE);
    size_t have = 0;
    (void)assay_source_peek(x->source, 1, &data, &have);
    if (have > 0 && !more_may_follow(x->reason)) {
        return assay_execution_corrupt(x, offset + ASSAY_EXECUTION_END_SIZE,
                                       "bytes follow the end record");
    }
    if (have == 0) {
        struct assay_source_status status;
        assay_source_status(x->source, &status);
        if (status.fault != ASSAY_OK) {
            return assay_execution_short(x, "after its end record");
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
    if (assay_execution_need(x, 1, "without an end record", &data) != ASSAY_OK) {
        return x->error;
    }
    switch (data[0]) {
    case ASSAY_EXECUTION_RECORD_CHUNK:
        return read_chunk(x);
    case ASSAY_EXECUTION_RECORD_END:
        return read_end(x);
    default:
        return assay_execution_corrupt(x, assay_source_offset(x->source), "an unknown record");
    }
}

/* Clears in parts, which compilers turn into a few stores. For the whole they use a string
 * instruction, which costs as much as all the rest. */
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
    if (x->log != NULL && x->error == ASSAY_OK) {
        clear(out);
        return assay_execution_log_next(x, out);
    }
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

bool assay_execution_has_executed(const struct assay_execution *execution)
{
    return execution->counts.instructions > 0 || execution->counts.diverted > 0;
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
