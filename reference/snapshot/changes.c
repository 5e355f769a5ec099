/* Trace ids that sources have one after the other (section 5.8): by these the frames of a buffer
 * are judged, as parameters of their format. */
#include <stdio.h>
#include <string.h>

#include "snapshot/memory.h"

enum { MOST = ASSAY_CORESIGHT_ID_MAX + 1, TEXT = 16 };

/* Of each id the one before, or 0. Of an id that is used again nothing is known: data under it can
 * be of any of its times. */
struct changes {
    uint8_t before[MOST];
    bool reused[MOST];
    const struct cs_event *event[MOST]; /* which says it */
    size_t count;
};

static void find_changes(const struct cs_events *events, struct changes *changes)
{
    *changes = (struct changes){.count = 0};
    for (size_t i = 0; i < events->count; i++) {
        const struct cs_event *event = &events->list[i];
        if (event->kind == CS_DEFINE_TRACE && event->state == CS_EVENT_START) {
            changes->reused[event->id] = changes->reused[event->id] || event->before != NULL;
            changes->before[event->id] = event->named != NULL && event->named->id != event->id
                                             ? (uint8_t)event->named->id
                                             : 0;
            changes->event[event->id] = event;
        }
    }
    for (size_t id = 0; id < MOST; id++) {
        if (changes->reused[id] || changes->reused[changes->before[id]]) {
            changes->before[id] = 0;
        }
        changes->count += changes->before[id] > 0;
    }
}

static bool put(const struct cs_snapshot *s, const struct cs_memory *memory,
                const struct cs_event *event, uint8_t before, struct assay_yaml **pair)
{
    struct assay_yaml *nodes = assay_arena_take(s->reader.arena, 2 * sizeof *nodes);
    char *name = assay_arena_take(s->reader.arena, TEXT);
    char *value = assay_arena_take(s->reader.arena, TEXT);
    if (nodes == NULL || name == NULL || value == NULL) {
        return false;
    }
    snprintf(name, TEXT, "AFTER_%u", (unsigned)event->id);
    snprintf(value, TEXT, "0x%x", before);
    nodes[0] = nodes[1] = cs_memory_place(memory, event);
    nodes[0].text = name;
    nodes[0].length = strlen(name);
    nodes[1].text = value;
    nodes[1].length = strlen(value);
    pair[0] = &nodes[0];
    pair[1] = &nodes[1];
    return true;
}

enum assay_error cs_memory_make_changes(const struct cs_snapshot *s, const struct cs_memory *memory)
{
    const struct assay_format *format = cs_find_format(s, "coresight");
    struct assay_manifest_stream *all = &s->manifest->all;
    struct changes changes;
    find_changes(&memory->events, &changes);
    if (changes.count == 0 || format == NULL || all->framing == ASSAY_FRAMING_RAW) {
        return ASSAY_OK;
    }
    struct assay_yaml *map = assay_arena_take(s->reader.arena, sizeof *map);
    struct assay_yaml **items =
        assay_arena_take(s->reader.arena, 2 * changes.count * sizeof(struct assay_yaml *));
    if (map == NULL || items == NULL) {
        return cs_snapshot_no_memory(s);
    }
    *map = (struct assay_yaml){.type = ASSAY_YAML_MAP,
                               .path = memory->events.path,
                               .line = 1,
                               .column = 1,
                               .items = items};
    for (size_t id = 0; id < MOST; id++) {
        if (changes.before[id] == 0) {
            continue;
        }
        if (!put(s, memory, changes.event[id], changes.before[id], &items[2 * map->count])) {
            return cs_snapshot_no_memory(s);
        }
        map->count++;
    }
    all->format = "coresight";
    all->config.map = map;
    return ASSAY_OK;
}
