#include "snapshot/memory.h"

#include <string.h>

#define CS_EVENTS_FILE "system-event-log"

/* --- the item contextidr --- */

static enum assay_error read_layout(const struct cs_snapshot *s, const struct assay_yaml *trace,
                                    enum cs_context_layout *layout)
{
    static const char *const names[] = {"pid", "tid", "asid", "asid+pid", "asid+tid"};
    const struct assay_yaml *node = assay_yaml_get(trace, "contextidr");
    *layout = CS_CONTEXT_UNKNOWN;
    if (node == NULL) {
        return ASSAY_OK;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], node->text) == 0) {
            *layout = (enum cs_context_layout)(i + 1);
            return ASSAY_OK;
        }
    }
    assay_yaml_fail(node, s->reader.diag, ASSAY_UNKNOWN_NAME, "CONTEXTIDR cannot hold \"%.80s\"",
                    node->text);
    assay_diag_hint(s->reader.diag, "there are: pid, tid, asid, asid+pid, asid+tid");
    return ASSAY_UNKNOWN_NAME;
}

bool cs_context_has_other(enum cs_context_layout layout)
{
    return layout == CS_CONTEXT_ASID_PID || layout == CS_CONTEXT_ASID_TID;
}

/* --- the items event_time and event_tolerance --- */

static enum assay_error read_times(const struct cs_snapshot *s, const struct assay_yaml *trace,
                                   struct cs_memory *memory)
{
    const struct assay_yaml *time = assay_yaml_get(trace, "event_time");
    const struct assay_yaml *tolerance = assay_yaml_get(trace, "event_tolerance");
    memory->dated = time != NULL && strcmp(time->text, "timestamp") == 0;
    if (time != NULL && !memory->dated && strcmp(time->text, "order") != 0) {
        assay_yaml_fail(time, s->reader.diag, ASSAY_UNKNOWN_NAME, "unknown event_time: \"%.80s\"",
                        time->text);
        assay_diag_hint(s->reader.diag, "timestamp, or order");
        return ASSAY_UNKNOWN_NAME;
    }
    if (tolerance != NULL && !memory->dated) {
        return assay_yaml_fail(tolerance, s->reader.diag, ASSAY_CONTRADICTION,
                               "a tolerance is that of event_time=timestamp");
    }
    return tolerance == NULL || assay_yaml_u64(tolerance, &memory->tolerance)
               ? ASSAY_OK
               : assay_yaml_fail(tolerance, s->reader.diag, ASSAY_WRONG_TYPE,
                                 "event_tolerance is a number of at most 64 bits");
}

/* Whether the log declares images of two processes besides the kernel. */
static bool has_several(const struct cs_events *events)
{
    uint64_t first = 0;
    for (size_t i = 0; i < events->count; i++) {
        const struct cs_event *event = &events->list[i];
        const bool image = event->kind == CS_DECLARE_PROCESS || event->kind == CS_DECLARE_LIBRARY;
        if (!image || event->pid == 0) {
            continue;
        }
        if (first != 0 && event->pid != first) {
            return true;
        }
        first = event->pid;
    }
    return false;
}

static bool has_kind(const struct cs_events *events, enum cs_event_kind kind)
{
    size_t i = 0;
    while (i < events->count && events->list[i].kind != kind) {
        i++;
    }
    return i < events->count;
}

static enum assay_error check_layout(const struct cs_snapshot *s, const struct assay_yaml *trace,
                                     const struct cs_memory *memory)
{
    const struct cs_events *events = &memory->events;
    if (memory->layout == CS_CONTEXT_UNKNOWN && has_several(events)) {
        assay_yaml_fail(trace, s->reader.diag, ASSAY_USAGE,
                        "there are several processes, and nothing says what CONTEXTIDR holds");
        assay_diag_hint(s->reader.diag, "contextidr=pid, tid, asid, asid+pid or asid+tid");
        return ASSAY_USAGE;
    }
    return memory->layout == CS_CONTEXT_ASID && has_kind(events, CS_DECLARE_PROCESS) &&
                   !has_kind(events, CS_DECLARE_ASID)
               ? assay_yaml_fail(assay_yaml_get(trace, "contextidr"), s->reader.diag, ASSAY_USAGE,
                                 "CONTEXTIDR holds an ASID, and no declare_asid says whose")
               : ASSAY_OK;
}

struct assay_yaml cs_memory_place(const struct cs_memory *memory, const struct cs_event *event)
{
    return (struct assay_yaml){.type = ASSAY_YAML_SCALAR,
                               .path = memory->events.path,
                               .line = event->line,
                               .column = 1,
                               .text = event->text,
                               .length = strlen(event->text)};
}

/* Processes and threads beside an ASID have 24 bits. */
static enum assay_error check_ids(const struct cs_snapshot *s, const struct cs_memory *memory)
{
    enum { MOST = (1 << 24) - 1 };
    for (size_t i = 0; i < memory->events.count && cs_context_has_other(memory->layout); i++) {
        const struct cs_event *event = &memory->events.list[i];
        if (event->pid > MOST || (event->kind == CS_DECLARE_THREAD && event->id > MOST)) {
            const struct assay_yaml node = cs_memory_place(memory, event);
            return assay_yaml_fail(&node, s->reader.diag, ASSAY_OUT_OF_RANGE,
                                   "bits 31:8 of CONTEXTIDR cannot hold this process or thread");
        }
    }
    return ASSAY_OK;
}

/* --- the log --- */

/* The file of the log: as the item says, or by the name that the requirements use. */
static enum assay_error find_log(struct cs_snapshot *s, const struct assay_yaml *trace,
                                 const char **path)
{
    const struct assay_yaml *node = assay_yaml_get(trace, "events");
    struct assay_yaml usual = *trace;
    usual.type = ASSAY_YAML_SCALAR;
    usual.text = CS_EVENTS_FILE;
    usual.length = strlen(CS_EVENTS_FILE);
    *path = NULL;
    const enum assay_error error =
        assay_manifest_resolve(&s->reader, node != NULL ? node : &usual, "events", path);
    return error == ASSAY_NOT_FOUND && node == NULL ? ASSAY_OK : error;
}

enum assay_error cs_memory_read(struct cs_snapshot *s, const struct assay_yaml *trace,
                                struct cs_memory *memory)
{
    const char *path = NULL;
    *memory = (struct cs_memory){0};
    enum assay_error error = read_layout(s, trace, &memory->layout);
    error = error != ASSAY_OK ? error : read_times(s, trace, memory);
    error = error != ASSAY_OK ? error : find_log(s, trace, &path);
    if (error != ASSAY_OK || path == NULL) {
        return error;
    }
    const char *shown = cs_snapshot_shown(s, path);
    error = shown == NULL
                ? cs_snapshot_no_memory(s)
                : cs_events_load(path, shown, s->reader.arena, &memory->events, s->reader.diag);
    error = error != ASSAY_OK ? error : cs_snapshot_note_file(s, path);
    error = error != ASSAY_OK ? error : check_layout(s, trace, memory);
    error = error != ASSAY_OK ? error : check_ids(s, memory);
    error = error != ASSAY_OK ? error : cs_memory_find_images(s, memory);
    return error != ASSAY_OK ? error : cs_memory_make_timeline(s, memory);
}

/* --- streams --- */

/* The section of a trace id. */
static const struct assay_yaml *find_section(const struct assay_yaml *root, uint64_t id)
{
    static const char prefix[] = "trace_";
    for (size_t i = 0; i < root->count; i++) {
        struct assay_yaml number = *root->items[2 * i];
        uint64_t value = 0;
        if (strncmp(number.text, prefix, sizeof prefix - 1) != 0) {
            continue;
        }
        number.text += sizeof prefix - 1;
        number.length -= sizeof prefix - 1;
        if (assay_yaml_u64(&number, &value) && value == id) {
            return root->items[2 * i + 1];
        }
    }
    return NULL;
}

/* The register that a reconfiguration changes. */
static enum assay_error check_register(const struct cs_snapshot *s, const struct cs_memory *memory,
                                       const struct cs_event *event,
                                       const struct assay_yaml *section)
{
    static const char *const names[] = {"TRCCONFIGR", "ETMCR"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct assay_yaml *value = assay_yaml_get(section, names[i]);
        const struct assay_yaml node = cs_memory_place(memory, event);
        uint64_t number = 0;
        if (value != NULL && assay_yaml_u64(value, &number) && number != event->value) {
            assay_yaml_fail(&node, s->reader.diag, ASSAY_CONTRADICTION,
                            "the register has another value than %s of the metadata", names[i]);
            assay_diag_hint(s->reader.diag, "see line %u of %s", value->line, value->path);
            return ASSAY_CONTRADICTION;
        }
    }
    return ASSAY_OK;
}

enum assay_error cs_memory_check_streams(const struct cs_snapshot *s,
                                         const struct cs_memory *memory,
                                         const struct assay_yaml *root)
{
    const bool framed = s->manifest->all.framing != ASSAY_FRAMING_RAW;
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < memory->events.count && error == ASSAY_OK; i++) {
        const struct cs_event *event = &memory->events.list[i];
        const struct assay_yaml node = cs_memory_place(memory, event);
        if (event->kind != CS_DEFINE_TRACE) {
            continue;
        }
        const struct assay_yaml *section = find_section(root, event->id);
        if (!framed) {
            error = assay_yaml_fail(&node, s->reader.diag, ASSAY_CONTRADICTION,
                                    "a buffer without frames has no trace ids that change");
        } else if (section != NULL && event->has_value) {
            error = check_register(s, memory, event, section);
        }
    }
    const bool high = memory->layout != CS_CONTEXT_UNKNOWN && memory->layout != CS_CONTEXT_ASID;
    for (size_t i = 0; i < root->count && error == ASSAY_OK && high; i++) {
        const struct assay_yaml *size = assay_yaml_get(root->items[2 * i + 1], "context_id");
        uint64_t bits = 0;
        if (size != NULL && assay_yaml_u64(size, &bits) && bits > 0 && bits < 32) {
            error = assay_yaml_fail(size, s->reader.diag, ASSAY_CONTRADICTION,
                                    "what contextidr says CONTEXTIDR holds has 32 bits");
        }
    }
    return error;
}
