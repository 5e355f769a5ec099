/* From a vector's list of what was executed to a recorded execution; or its table, as it is. */
#include <stdlib.h>

#include "execution/execution_writer.h"
#include "validator/vector/vector.h"

static enum assay_error fail(const struct assay_vector *vector, const struct assay_yaml *node,
                             enum assay_error error, const char *message, struct assay_diag *diag)
{
    assay_yaml_fail(node, diag, error, "%s", message);
    assay_diag_path(diag, vector->file.path);
    return error;
}

/* The optional key is a number up to `most`; absent: left as it is. */
static bool optional(const struct assay_yaml *item, const char *key, uint64_t most, uint64_t *value)
{
    const struct assay_yaml *node = assay_yaml_get(item, key);
    return node == NULL || (assay_yaml_u64(node, value) && *value <= most);
}

static bool optional_flag(const struct assay_yaml *item, const char *key, bool *value)
{
    const struct assay_yaml *node = assay_yaml_get(item, key);
    return node == NULL || assay_yaml_flag(node, value);
}

static bool read_access(const struct assay_yaml *item, struct assay_access *access,
                        struct assay_diag *diag)
{
    static const char *const keys[] = {"at", "size", "write", "content", NULL};
    const struct assay_yaml *write = assay_yaml_get(item, "write");
    const struct assay_yaml *content = assay_yaml_get(item, "content");
    uint64_t size = 0;
    if (assay_yaml_only(item, keys, diag) != ASSAY_OK ||
        !assay_yaml_u64(assay_yaml_get(item, "at"), &access->address) ||
        !assay_yaml_u64(assay_yaml_get(item, "size"), &size) ||
        (write != NULL && !assay_yaml_flag(write, &access->write)) ||
        (content != NULL && (!assay_yaml_u64(content, &access->content) || size > 8))) {
        return false;
    }
    access->size = (uint32_t)size;
    access->content_known = content != NULL;
    return size > 0 && size <= 4096 && (size & (size - 1)) == 0;
}

/* In RISC-V the lowest two bits mark instructions of 2 bytes. */
static unsigned size_of(uint32_t iword, enum assay_execution_isa isa)
{
    return isa != ASSAY_EXECUTION_AARCH64 && (iword & 3) != 3 ? 2 : 4;
}

static enum assay_error put_instruction(const struct assay_vector *vector,
                                        const struct assay_yaml *item, enum assay_execution_isa isa,
                                        struct assay_execution_track *track,
                                        struct assay_diag *diag)
{
    struct assay_access access[ASSAY_EXECUTION_ACCESSES_MAX] = {{0}};
    static const char *const keys[] = {"pc", "iword", "accesses", NULL};
    const struct assay_yaml *list = assay_yaml_get(item, "accesses");
    uint64_t pc = 0;
    uint64_t iword = 0;
    unsigned count = 0;
    if (assay_yaml_only(item, keys, diag) != ASSAY_OK ||
        !assay_yaml_u64(assay_yaml_get(item, "pc"), &pc) ||
        !assay_yaml_u64(assay_yaml_get(item, "iword"), &iword) || iword > UINT32_MAX) {
        return fail(vector, item, ASSAY_SYNTAX,
                    "an executed instruction is {pc: 0x1000, iword: 0xd503201f}", diag);
    }
    if (list != NULL &&
        (list->type != ASSAY_YAML_LIST || list->count > ASSAY_EXECUTION_ACCESSES_MAX)) {
        return fail(vector, list, ASSAY_WRONG_TYPE, "\"accesses\" is a list of up to 512", diag);
    }
    for (; list != NULL && count < list->count; count++) {
        if (!read_access(list->items[count], &access[count], diag)) {
            return fail(vector, list->items[count], ASSAY_SYNTAX,
                        "an access is {at: 0x2000, size: 8, write: true}, its size a power of two "
                        "up to 4096",
                        diag);
        }
        if (access[count].content_known) {
            assay_execution_record_contents(track);
        }
    }
    const enum assay_error error = assay_execution_put_instruction(
        track, pc, (uint32_t)iword, size_of((uint32_t)iword, isa), access, count);
    return error == ASSAY_OUT_OF_RANGE
               ? fail(vector, item, error, "no instruction can be at this address", diag)
               : error;
}

/* {aborted: {pc: ..., iword: ..., fault: ...}}; the fault may be left out. */
static enum assay_error put_aborted(const struct assay_vector *vector,
                                    const struct assay_yaml *item, enum assay_execution_isa isa,
                                    struct assay_execution_track *track, struct assay_diag *diag)
{
    static const char *const outer[] = {"aborted", NULL};
    static const char *const keys[] = {"pc", "iword", "fault", NULL};
    const struct assay_yaml *aborted = assay_yaml_get(item, "aborted");
    const struct assay_yaml *at = assay_yaml_get(aborted, "fault");
    uint64_t pc = 0;
    uint64_t iword = 0;
    uint64_t fault = 0;
    if (assay_yaml_only(item, outer, diag) != ASSAY_OK ||
        assay_yaml_only(aborted, keys, diag) != ASSAY_OK ||
        !assay_yaml_u64(assay_yaml_get(aborted, "pc"), &pc) ||
        !assay_yaml_u64(assay_yaml_get(aborted, "iword"), &iword) || iword > UINT32_MAX ||
        (at != NULL && !assay_yaml_u64(at, &fault))) {
        return fail(vector, item, ASSAY_SYNTAX,
                    "an attempt is {aborted: {pc: 0x1000, iword: 0xf9400020, fault: 0x2000}}",
                    diag);
    }
    const unsigned size = size_of((uint32_t)iword, isa);
    const enum assay_error error =
        at == NULL ? assay_execution_put_aborted(track, pc, (uint32_t)iword, size)
                   : assay_execution_put_aborted_at(track, pc, (uint32_t)iword, size, fault);
    return error == ASSAY_OUT_OF_RANGE
               ? fail(vector, item, error, "no instruction can be at this address", diag)
               : error;
}

/* {call: 64}: the instruction before it made this system call. */
static enum assay_error put_call(const struct assay_vector *vector, const struct assay_yaml *item,
                                 struct assay_execution_track *track, struct assay_diag *diag)
{
    static const char *const keys[] = {"call", NULL};
    const uint64_t args[6] = {0};
    uint64_t number = 0;
    if (assay_yaml_only(item, keys, diag) != ASSAY_OK ||
        !assay_yaml_u64(assay_yaml_get(item, "call"), &number)) {
        return fail(vector, item, ASSAY_SYNTAX, "a system call is {call: 64}", diag);
    }
    return assay_execution_put_system_call(track, number, args);
}

static bool read_entries(const struct assay_yaml *list, struct assay_walk *walk)
{
    const size_t count = list != NULL && list->type == ASSAY_YAML_LIST ? list->count : 0;
    if (count == 0 || count % 2 != 0 || count / 2 > ASSAY_WALK_ENTRIES_MAX) {
        return false;
    }
    bool known = true;
    walk->count = (uint8_t)(count / 2);
    for (unsigned i = 0; i < walk->count; i++) {
        known = known && assay_yaml_u64(list->items[2 * i], &walk->entry[i].address) &&
                assay_yaml_u64(list->items[2 * i + 1], &walk->entry[i].content);
    }
    return known;
}

/* {walk: {page: 0x3000, size: 4096, entries: [0x80010018, 0x200100cf], data: true}}. */
static enum assay_error put_walk(const struct assay_vector *vector, const struct assay_yaml *item,
                                 struct assay_execution_track *track, struct assay_diag *diag)
{
    static const char *const outer[] = {"walk", NULL};
    static const char *const keys[] = {"page", "size", "entries", "data", NULL};
    const struct assay_yaml *node = assay_yaml_get(item, "walk");
    struct assay_walk walk = {.count = 0};
    uint64_t size = 0;
    if (assay_yaml_only(item, outer, diag) == ASSAY_OK &&
        assay_yaml_only(node, keys, diag) == ASSAY_OK &&
        assay_yaml_u64(assay_yaml_get(node, "page"), &walk.address) &&
        assay_yaml_u64(assay_yaml_get(node, "size"), &size) && size != 0 &&
        (size & (size - 1)) == 0 && optional_flag(node, "data", &walk.data) &&
        read_entries(assay_yaml_get(node, "entries"), &walk)) {
        while (size >> walk.page_log2 != 1) {
            walk.page_log2++;
        }
        const enum assay_error error = assay_execution_put_walk(track, &walk);
        if (error != ASSAY_OUT_OF_RANGE) {
            return error;
        }
    }
    return fail(vector, item, ASSAY_SYNTAX,
                "a walk is {walk: {page: 0x3000, size: 4096, entries: [0x80010018, 0x200100cf], "
                "data: true}}",
                diag);
}

/* {trap: {cause: 8, from: 0x1000, value: 0, level: 3}}; each may be left out. */
static enum assay_error put_trap(const struct assay_vector *vector, const struct assay_yaml *item,
                                 struct assay_execution_track *track, struct assay_diag *diag)
{
    static const char *const outer[] = {"trap", NULL};
    static const char *const keys[] = {"cause", "from", "value", "level", NULL};
    const struct assay_yaml *node = assay_yaml_get(item, "trap");
    struct assay_executed trap = {.kind = ASSAY_EXECUTED_TRAP};
    uint64_t level = ASSAY_EXECUTION_LEVEL_UNKNOWN;
    if (assay_yaml_only(item, outer, diag) != ASSAY_OK ||
        assay_yaml_only(node, keys, diag) != ASSAY_OK ||
        !optional(node, "cause", UINT64_MAX, &trap.cause) ||
        !optional(node, "from", UINT64_MAX, &trap.from) ||
        !optional(node, "value", UINT64_MAX, &trap.fault) || !optional(node, "level", 3, &level)) {
        return fail(vector, item, ASSAY_SYNTAX,
                    "a trap is {trap: {cause: 8, from: 0x1000, value: 0, level: 3}}", diag);
    }
    trap.level = (uint8_t)level;
    return assay_execution_put_trap(track, &trap);
}

/* {level: 1}: the level of the instructions after it. */
static enum assay_error put_level(const struct assay_vector *vector, const struct assay_yaml *item,
                                  struct assay_execution_track *track, struct assay_diag *diag)
{
    static const char *const keys[] = {"level", NULL};
    uint64_t level = 0;
    if (assay_yaml_only(item, keys, diag) != ASSAY_OK || !optional(item, "level", 3, &level)) {
        return fail(vector, item, ASSAY_SYNTAX, "a level is {level: 1}, from 0 to 3", diag);
    }
    return assay_execution_put_level(track, (uint8_t)level);
}

static enum assay_error put_items(const struct assay_vector *vector, size_t from,
                                  enum assay_execution_isa isa, struct assay_execution_track *track,
                                  struct assay_diag *diag)
{
    const struct assay_yaml *list = vector->execution;
    enum assay_error error = ASSAY_OK;
    for (size_t i = from; i < list->count && error == ASSAY_OK; i++) {
        if (assay_yaml_is(list->items[i], "diverted")) {
            error = assay_execution_put_diverted(track);
        } else if (assay_yaml_get(list->items[i], "aborted") != NULL) {
            error = put_aborted(vector, list->items[i], isa, track, diag);
        } else if (assay_yaml_get(list->items[i], "call") != NULL) {
            error = put_call(vector, list->items[i], track, diag);
        } else if (assay_yaml_get(list->items[i], "walk") != NULL) {
            error = put_walk(vector, list->items[i], track, diag);
        } else if (assay_yaml_get(list->items[i], "trap") != NULL) {
            error = put_trap(vector, list->items[i], track, diag);
        } else if (assay_yaml_get(list->items[i], "level") != NULL) {
            error = put_level(vector, list->items[i], track, diag);
        } else {
            error = put_instruction(vector, list->items[i], isa, track, diag);
        }
    }
    return error;
}

static bool optional_isa(const struct assay_yaml *item, enum assay_execution_isa *isa)
{
    const struct assay_yaml *node = assay_yaml_get(item, "isa");
    bool known = node == NULL;
#define X(id, number, name)                                                                        \
    if (node != NULL && assay_yaml_is(node, name)) {                                               \
        *isa = ASSAY_EXECUTION_##id;                                                               \
        known = true;                                                                              \
    }
    ASSAY_EXECUTION_ISAS(X)
#undef X
    return known;
}

/* The first item may say who ran, and what the recorder saw and when it stopped:
 * {isa: riscv64, process: 42, thread: 43, all_accesses: true, machine: true, stopped: true}. */
static enum assay_error read_ids(const struct assay_vector *vector,
                                 struct assay_execution_header *header, uint64_t *thread,
                                 bool *stopped, size_t *from, struct assay_diag *diag)
{
    static const char *const keys[] = {"isa",     "process", "thread", "all_accesses",
                                       "machine", "stopped", NULL};
    const struct assay_yaml *list = vector->execution;
    const struct assay_yaml *first = list->count > 0 ? list->items[0] : NULL;
    uint64_t process = 0;
    *from = 0;
    for (unsigned i = 0; first != NULL && keys[i] != NULL; i++) {
        *from = *from != 0 || assay_yaml_get(first, keys[i]) != NULL;
    }
    if (*from == 0) {
        return ASSAY_OK;
    }
    if (assay_yaml_only(first, keys, diag) != ASSAY_OK || !optional_isa(first, &header->isa) ||
        !optional(first, "process", UINT32_MAX, &process) ||
        !optional(first, "thread", UINT64_MAX, thread) ||
        !optional_flag(first, "all_accesses", &header->all_accesses) ||
        !optional_flag(first, "machine", &header->system) ||
        !optional_flag(first, "stopped", stopped)) {
        return fail(vector, first, ASSAY_SYNTAX, "who ran is {process: 42, thread: 43}", diag);
    }
    header->process = (uint32_t)process;
    return ASSAY_OK;
}

enum assay_error assay_vector_execution(const struct assay_vector *vector, struct assay_sink *sink,
                                        struct assay_diag *diag)
{
    struct assay_execution_header header = {
        .isa = ASSAY_EXECUTION_AARCH64, .producer = "vector", .program = ""};
    struct assay_execution_writer *writer = NULL;
    struct assay_execution_track *track = NULL;
    uint64_t thread = 0;
    size_t from = 0;
    bool stopped = false;
    if (vector->execution->type == ASSAY_YAML_SCALAR && vector->execution->quoted) {
        assay_sink_write(sink, vector->execution->text, vector->execution->length);
        return assay_sink_explain(sink, sink->error, diag);
    }
    if (vector->execution->type != ASSAY_YAML_LIST) {
        return fail(vector, vector->execution, ASSAY_WRONG_TYPE,
                    "\"execution\" is a list, or the text of a table", diag);
    }
    enum assay_error error = read_ids(vector, &header, &thread, &stopped, &from, diag);
    error = error != ASSAY_OK ? error : assay_execution_writer_open(sink, &header, &writer, diag);
    error = error != ASSAY_OK ? error : assay_execution_track_open(writer, thread, 0, &track);
    if (error == ASSAY_OK) {
        error = put_items(vector, from, header.isa, track, diag);
        const enum assay_error closed = assay_execution_track_close(track, !stopped);
        error = error != ASSAY_OK ? error : closed;
    }
    if (error == ASSAY_OK) {
        error = assay_execution_writer_end(writer, stopped ? ASSAY_EXECUTION_ENDED_BY_LIMIT
                                                           : ASSAY_EXECUTION_ENDED_BY_EXIT);
    }
    assay_execution_writer_close(writer);
    return error;
}
