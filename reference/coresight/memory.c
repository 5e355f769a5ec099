#include "coresight/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image_private.h"

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

static bool has_asid(enum cs_context_layout layout)
{
    return layout >= CS_CONTEXT_ASID;
}

static bool has_thread(enum cs_context_layout layout)
{
    return layout == CS_CONTEXT_TID || layout == CS_CONTEXT_ASID_TID;
}

/* Whether the log declares two processes besides the kernel. */
static bool has_several(const struct cs_events *events)
{
    uint64_t first = 0;
    for (size_t i = 0; i < events->count; i++) {
        const struct cs_event *event = &events->list[i];
        if (event->kind != CS_DECLARE_PROCESS || event->pid == 0) {
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
    return has_asid(memory->layout) && has_kind(events, CS_DECLARE_PROCESS) &&
                   !has_kind(events, CS_DECLARE_ASID)
               ? assay_yaml_fail(assay_yaml_get(trace, "contextidr"), s->reader.diag, ASSAY_USAGE,
                                 "CONTEXTIDR holds an ASID, and no declare_asid says whose")
               : ASSAY_OK;
}

/* --- images --- */

/* An image that events declare: the same one as long as all its parameters are. */
struct image {
    const struct cs_event *event;   /* the first about it */
    struct assay_image_spec *spec;  /* null: there is no file */
    uint64_t first, last;           /* addresses; nothing is known of them without a file */
    const struct cs_event *changes; /* why it is not there all the time; or null */
    bool live;                      /* at the event at hand */
};

struct images {
    struct image *list;
    size_t count, room;
};

static bool is_image(const struct cs_event *event)
{
    return event->kind == CS_DECLARE_PROCESS || event->kind == CS_DECLARE_LIBRARY;
}

/* What only one of two events gives does not differ. */
static bool same_text(const char *a, const char *b)
{
    return a[0] == '\0' || b[0] == '\0' || strcmp(a, b) == 0;
}

static bool same_place(const struct cs_event *a, const struct cs_event *b)
{
    return a->kind == b->kind && a->pid == b->pid && a->address == b->address;
}

static struct image *find_image(const struct images *images, const struct cs_event *event)
{
    for (size_t i = 0; i < images->count; i++) {
        const struct cs_event *other = images->list[i].event;
        if (same_place(other, event) && same_text(other->text, event->text) &&
            same_text(other->uuid, event->uuid)) {
            return &images->list[i];
        }
    }
    return NULL;
}

/* A place in the log for messages. */
static struct assay_yaml place(const struct cs_memory *memory, const struct cs_event *event)
{
    return (struct assay_yaml){.type = ASSAY_YAML_SCALAR,
                               .path = memory->events.path,
                               .line = event->line,
                               .column = 1,
                               .text = event->text,
                               .length = strlen(event->text)};
}

/* The type of an ELF file (e_type); 0 for any other file. */
static unsigned elf_type(const char *path)
{
    unsigned char head[18] = {0};
    FILE *file = fopen(path, "rb");
    const size_t have = file != NULL ? fread(head, 1, sizeof head, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    return have == sizeof head && memcmp(head, "\177ELF", 4) == 0
               ? (unsigned)head[16] | (unsigned)head[17] << 8
               : 0;
}

/* The addresses of an image whose file an earlier one has, too. */
static bool measure_again(const struct images *images, struct image *image)
{
    for (size_t i = 0; i < images->count; i++) {
        const struct image *other = &images->list[i];
        if (other != image && other->spec != NULL &&
            strcmp(other->spec->path, image->spec->path) == 0) {
            const uint64_t moved = image->spec->address - other->spec->address;
            image->first = other->first + moved;
            image->last = other->last + moved;
            return image->first <= image->last;
        }
    }
    return false;
}

/* Reads an image to see which addresses it has. */
static enum assay_error measure(const struct cs_snapshot *s, const struct images *images,
                                struct image *image)
{
    struct assay_image_set *set = NULL;
    if (measure_again(images, image)) {
        return ASSAY_OK;
    }
    enum assay_error error = assay_image_set_open(NULL, &set);
    error = error != ASSAY_OK ? error : assay_image_add(set, image->spec, s->reader.diag);
    image->first = UINT64_MAX;
    image->last = 0;
    for (size_t i = 0; error == ASSAY_OK && i < set->segment_count; i++) {
        const struct assay_image_segment *segment = &set->segments[i];
        image->first = segment->first < image->first ? segment->first : image->first;
        image->last = segment->last > image->last ? segment->last : image->last;
    }
    assay_image_set_free(set);
    return error;
}

/* Finds the file of an image and its addresses. A name on the target that begins with a slash is
 * looked for in the package. */
static enum assay_error find_file(struct cs_snapshot *s, struct cs_memory *memory,
                                  const struct images *images, struct image *image)
{
    enum { ET_EXEC = 2 };
    struct assay_yaml node = place(memory, image->event);
    const char *path = NULL;
    while (node.text[0] == '/') {
        node.text++;
        node.length--;
    }
    if (node.length == 0) {
        return cs_images_add_absent(s, &memory->images, image->event->uuid);
    }
    enum assay_error error = assay_manifest_resolve(&s->reader, &node, "image_file", &path);
    if (error == ASSAY_NOT_FOUND) {
        return cs_images_add_absent(s, &memory->images, node.text);
    }
    image->spec = error == ASSAY_OK ? assay_arena_take(s->reader.arena, sizeof *image->spec) : NULL;
    if (image->spec == NULL) {
        return error != ASSAY_OK ? error : cs_snapshot_no_memory(s);
    }
    memcpy(image->spec->path, path, strlen(path) + 1);
    image->spec->has_address = elf_type(path) != ET_EXEC;
    image->spec->address = image->spec->has_address ? image->event->address : 0;
    error = measure(s, images, image);
    if (error != ASSAY_OK || image->spec->has_address || image->event->address == 0 ||
        image->event->address == image->first ||
        image->event->address == (image->first & ~UINT64_C(0xfff))) {
        return error;
    }
    return assay_yaml_fail(&node, s->reader.diag, ASSAY_CONTRADICTION,
                           "the image is linked for 0x%llx, and declared at 0x%llx",
                           (unsigned long long)image->first,
                           (unsigned long long)image->event->address);
}

static enum assay_error list_images(struct cs_snapshot *s, struct cs_memory *memory,
                                    struct images *images)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < memory->events.count && error == ASSAY_OK; i++) {
        const struct cs_event *event = &memory->events.list[i];
        if (!is_image(event) || find_image(images, event) != NULL) {
            continue;
        }
        struct image *list = assay_arena_grow(s->reader.arena, images->list, images->count,
                                              &images->room, sizeof *list);
        if (list == NULL) {
            return cs_snapshot_no_memory(s);
        }
        images->list = list;
        list[images->count] = (struct image){.event = event};
        images->count++;
        error = find_file(s, memory, images, &list[images->count - 1]);
    }
    return error;
}

/* --- what changes in time --- */

static bool overlap(const struct image *a, const struct image *b)
{
    const bool same = a->event->pid == b->event->pid || a->event->pid == 0 || b->event->pid == 0;
    return a->spec != NULL && b->spec != NULL && same && a->first <= b->last && b->first <= a->last;
}

/* An image comes to where others are: one at the same place is replaced, any other refused. */
static enum assay_error add_live(const struct cs_snapshot *s, const struct cs_memory *memory,
                                 const struct images *images, const struct cs_event *event)
{
    struct image *image = find_image(images, event);
    for (size_t i = 0; i < images->count; i++) {
        struct image *other = &images->list[i];
        if (other == image || !other->live || !overlap(other, image)) {
            continue;
        }
        if (!same_place(other->event, event)) {
            const struct assay_yaml node = place(memory, event);
            assay_yaml_fail(&node, s->reader.diag, ASSAY_CONTRADICTION,
                            "the image overlaps another one of the address space");
            assay_diag_hint(s->reader.diag, "see line %u", other->event->line);
            return ASSAY_CONTRADICTION;
        }
        other->live = false;
    }
    image->live = true;
    return ASSAY_OK;
}

static void remove_live(const struct images *images, const struct cs_event *event)
{
    for (size_t i = 0; i < images->count; i++) {
        struct image *image = &images->list[i];
        image->live = image->live && !same_place(image->event, event);
    }
}

/* Images of one address space that are there at one time do not overlap. */
static enum assay_error check_overlaps(const struct cs_snapshot *s, const struct cs_memory *memory,
                                       const struct images *images)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < memory->events.count && error == ASSAY_OK; i++) {
        const struct cs_event *event = &memory->events.list[i];
        if (is_image(event) && event->state == CS_EVENT_END) {
            remove_live(images, event);
        } else if (is_image(event)) {
            error = add_live(s, memory, images, event);
        }
    }
    return error;
}

/* Whether an event installs code in an image. */
static bool is_patched(const struct image *image, const struct cs_event *patch)
{
    const uint64_t room = UINT64_MAX - patch->address;
    const uint64_t last = patch->address + (patch->length - 1 < room ? patch->length - 1 : room);
    return patch->kind == CS_PATCH_CODE && image->event->pid == patch->pid && image->spec != NULL &&
           patch->address <= image->last && image->first <= last;
}

/* Finds the images whose addresses hold something else at another time. */
static void find_changes(const struct cs_memory *memory, const struct images *images)
{
    for (size_t i = 0; i < images->count; i++) {
        struct image *image = &images->list[i];
        for (size_t k = 0; k < images->count && image->changes == NULL; k++) {
            const struct image *other = &images->list[k];
            image->changes = k != i && overlap(image, other) ? other->event : NULL;
        }
        for (size_t k = 0; k < memory->events.count && image->changes == NULL; k++) {
            const struct cs_event *event = &memory->events.list[k];
            image->changes = is_patched(image, event) ? event : NULL;
        }
    }
}

/* --- contexts --- */

/* Whether a thread or address space is of one process only. */
static bool is_constant(const struct cs_events *events, const struct cs_event *event)
{
    size_t i = 0;
    while (i < events->count &&
           (events->list[i].kind != event->kind || events->list[i].id != event->id ||
            events->list[i].pid == event->pid)) {
        i++;
    }
    return i == events->count;
}

/* Notes which events say of a thread or address space for the first time whose it is all the time.
 */
static enum assay_error find_selectors(struct cs_snapshot *s, struct cs_memory *memory)
{
    const struct cs_events *events = &memory->events;
    bool *list = assay_arena_take(s->reader.arena, (events->count + 1) * sizeof *list);
    for (size_t i = 0; list != NULL && i < events->count; i++) {
        const struct cs_event *event = &events->list[i];
        const bool selects = event->kind == CS_DECLARE_THREAD || event->kind == CS_DECLARE_ASID;
        list[i] = selects && cs_events_before(events, i) == NULL && is_constant(events, event);
    }
    memory->selectors = list;
    return list != NULL ? ASSAY_OK : cs_snapshot_no_memory(s);
}

/* Maps an image in a context, with each thread of the process if the layout has these. */
static enum assay_error map_threads(struct cs_snapshot *s, struct cs_memory *memory,
                                    const struct image *image, uint64_t low, unsigned shift)
{
    const struct cs_events *events = &memory->events;
    const struct assay_yaml node = place(memory, image->event);
    struct assay_image_spec *spec = image->spec;
    spec->space = (struct assay_space){.given = ASSAY_SPACE_CONTEXT};
    spec->space.context = (image->event->pid << shift | low) & UINT32_MAX;
    enum assay_error error = cs_images_add(s, &memory->images, &node, spec);
    for (size_t i = 0; has_thread(memory->layout) && i < events->count; i++) {
        const struct cs_event *thread = &events->list[i];
        if (error == ASSAY_OK && thread->kind == CS_DECLARE_THREAD &&
            thread->pid == image->event->pid && thread->id != thread->pid && memory->selectors[i]) {
            spec->space.context = (thread->id << shift | low) & UINT32_MAX;
            error = cs_images_add(s, &memory->images, &node, spec);
        }
    }
    return error;
}

/* Maps an image in each of its contexts: the kernel, and what is not told apart, in all. */
static enum assay_error map_image(struct cs_snapshot *s, struct cs_memory *memory,
                                  const struct image *image)
{
    const struct cs_events *events = &memory->events;
    const struct assay_yaml node = place(memory, image->event);
    enum assay_error error = ASSAY_OK;
    if (memory->layout == CS_CONTEXT_UNKNOWN || image->event->pid == 0) {
        return cs_images_add(s, &memory->images, &node, image->spec);
    }
    if (!has_asid(memory->layout)) {
        return map_threads(s, memory, image, 0, 0);
    }
    for (size_t i = 0; i < events->count && error == ASSAY_OK; i++) {
        const struct cs_event *asid = &events->list[i];
        if (asid->kind != CS_DECLARE_ASID || asid->pid != image->event->pid ||
            !memory->selectors[i]) {
            continue;
        }
        if (memory->layout == CS_CONTEXT_ASID) {
            image->spec->space = (struct assay_space){.given = ASSAY_SPACE_CONTEXT};
            image->spec->space.context = asid->id;
            error = cs_images_add(s, &memory->images, &node, image->spec);
        } else {
            error = map_threads(s, memory, image, asid->id, 8);
        }
    }
    return error;
}

/* Names an image that is not mapped. */
static enum assay_error leave_out(struct cs_snapshot *s, struct cs_memory *memory,
                                  const struct image *image)
{
    char name[ASSAY_IMAGE_PATH_MAX];
    snprintf(name, sizeof name, "%s (it changes at line %u of the event log)",
             image->event->text + strspn(image->event->text, "/"), image->changes->line);
    return cs_images_add_absent(s, &memory->images, name);
}

static enum assay_error map_images(struct cs_snapshot *s, struct cs_memory *memory)
{
    struct images images = {0};
    enum assay_error error = find_selectors(s, memory);
    error = error != ASSAY_OK ? error : list_images(s, memory, &images);
    error = error != ASSAY_OK ? error : check_overlaps(s, memory, &images);
    if (error == ASSAY_OK) {
        find_changes(memory, &images);
    }
    for (size_t i = 0; i < images.count && error == ASSAY_OK; i++) {
        const struct image *image = &images.list[i];
        if (image->changes != NULL) {
            error = leave_out(s, memory, image);
        } else if (image->spec != NULL) {
            error = map_image(s, memory, image);
        }
    }
    return error;
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
    return error != ASSAY_OK ? error : map_images(s, memory);
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
        const struct assay_yaml node = place(memory, event);
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
        const struct assay_yaml node = place(memory, event);
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
