/* What the events of a package change in time, by the decode procedures of section 5.7. The address
 * map is one of writes: the address space and address of each event, with what is there from then
 * on. The maps of threads and of ASIDs are one of bindings: both lead from what CONTEXTIDR holds to
 * a process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "image/timeline.h"
#include "snapshot/memory.h"

/* Bytes of code that files of patch_code have, all together. */
static const uint64_t CODE_MOST = UINT64_C(64) << 20;

/* The timeline while it is made. */
struct changes {
    struct cs_snapshot *s;
    struct cs_memory *memory;
    size_t n; /* of the event at hand */
    uint64_t *times;
    uint32_t moments;
    struct assay_write *writes;
    size_t write_count, write_room;
    struct assay_binding *bindings;
    size_t binding_count;
    uint64_t code;           /* bytes of files */
    struct cs_areas changed; /* the last moment at which an image began or ended there */
    struct cs_areas present; /* the number of the image that is there, from 1 on */
    bool *forgot;            /* at each event: patched code before it is not known any more */
};

static const struct cs_event *event_of(const struct changes *c)
{
    return &c->memory->events.list[c->n];
}

struct assay_space cs_memory_space(const struct cs_memory *memory, uint64_t pid)
{
    return memory->layout == CS_CONTEXT_UNKNOWN || pid == 0
               ? (struct assay_space){0}
               : (struct assay_space){.given = ASSAY_SPACE_CONTEXT, .context = pid};
}

/* The event changes something: a new moment. */
static uint32_t next_moment(struct changes *c)
{
    c->times[c->moments++] = event_of(c)->time;
    return c->moments;
}

static enum assay_error add_write(struct changes *c, const struct assay_write *write)
{
    const struct assay_yaml node = cs_memory_place(c->memory, event_of(c));
    if (c->write_count == ASSAY_WRITES_MAX) {
        return assay_yaml_fail(&node, c->s->reader.diag, ASSAY_LIMIT,
                               "the events change more than %d areas of memory", ASSAY_WRITES_MAX);
    }
    struct assay_write *list = assay_arena_grow(c->s->reader.arena, c->writes, c->write_count,
                                                &c->write_room, sizeof *list);
    if (list == NULL) {
        return cs_snapshot_no_memory(c->s);
    }
    c->writes = list;
    list[c->write_count++] = *write;
    return ASSAY_OK;
}

/* Addresses of the event's process hold something that is no image. */
static enum assay_error write_area(struct changes *c, enum assay_content content, uint32_t moment,
                                   uint64_t first, uint64_t last)
{
    return add_write(c, &(struct assay_write){.content = content,
                                              .moment = moment,
                                              .space = cs_memory_space(c->memory, event_of(c)->pid),
                                              .first = first,
                                              .last = last});
}

/* --- where images are --- */

/* Addresses as the event's process sees them. */
static struct cs_area seen_area(const struct changes *c, uint64_t first, uint64_t last)
{
    return (struct cs_area){cs_memory_space(c->memory, event_of(c)->pid).context, first, last};
}

/* Notes that an image comes, or goes. */
static void set_live(struct changes *c, struct cs_image *image, bool live)
{
    const uint32_t number = (uint32_t)(image - c->memory->declared) + 1;
    const struct cs_area area = {image->event->pid, image->first, image->last};
    if (image->live != live && image->has_file) {
        cs_areas_add(&c->present, &area, live ? number : 0 - number);
    }
    image->live = live;
}

static uint64_t last_of(const struct cs_event *patch)
{
    return patch->address + (patch->length - 1);
}

/* Whether code is in an image of its process. */
static bool is_in_image(const struct changes *c, const struct cs_event *patch)
{
    const struct cs_area begin = {patch->pid, patch->address, patch->address};
    const uint32_t number = cs_areas_highest(&c->present, &begin);
    if (number == 0 || number > c->memory->declared_count) {
        return false;
    }
    const struct cs_image *image = &c->memory->declared[number - 1];
    return image->live && image->event->pid == patch->pid && image->first <= patch->address &&
           last_of(patch) <= image->last;
}

/* The image is there from a moment on. */
static enum assay_error write_image(struct changes *c, const struct cs_image *image,
                                    uint32_t moment)
{
    const struct cs_area area = seen_area(c, image->first, image->last);
    cs_areas_raise(&c->changed, &area, moment);
    return add_write(c,
                     &(struct assay_write){.content = ASSAY_CONTENT_IMAGE,
                                           .moment = moment,
                                           .image = image->number,
                                           .space = cs_memory_space(c->memory, image->event->pid),
                                           .first = image->first,
                                           .last = image->last});
}

/* From a moment on nothing is there. */
static enum assay_error write_nothing(struct changes *c, uint32_t moment, uint64_t first,
                                      uint64_t last)
{
    const struct cs_area area = seen_area(c, first, last);
    cs_areas_raise(&c->changed, &area, moment);
    return write_area(c, ASSAY_CONTENT_NOTHING, moment, first, last);
}

/* The moment of the last change of an image in an area: before it the area was something else. */
static uint32_t since(const struct changes *c, uint64_t first, uint64_t last)
{
    const struct cs_area area = seen_area(c, first, last);
    return cs_areas_highest(&c->changed, &area);
}

/* Whether all that changed of the event's process before it is in the log. */
static bool is_known_process(const struct changes *c)
{
    return cs_events_are_complete(&c->memory->events) || event_of(c)->begun;
}

/* What was there before the log says anything of an area. */
static enum assay_error write_beginning(struct changes *c, uint64_t first, uint64_t last)
{
    return is_known_process(c) ? ASSAY_OK : write_area(c, ASSAY_CONTENT_UNKNOWN, 0, first, last);
}

/* --- images --- */

/* The event before that changes the memory of the same process, if it can be told from others. */
static const struct cs_event *one_before(const struct changes *c, const struct cs_event *event)
{
    if (c->memory->layout != CS_CONTEXT_UNKNOWN) {
        return event->previous;
    }
    return event > c->memory->events.list ? event - 1 : NULL;
}

/* Patched code that is in no image with a file, when one without a file begins or ends: whether it
 * is in that is not known. What comes before another event at which it was so is not known already.
 */
static enum assay_error forget_patches(struct changes *c, uint32_t moment)
{
    const struct cs_event *list = c->memory->events.list;
    const struct cs_event *event = one_before(c, event_of(c));
    enum assay_error error = ASSAY_OK;
    while (event != NULL && !c->forgot[event - list] && !c->forgot[c->n] && error == ASSAY_OK) {
        if (event->kind == CS_PATCH_CODE && !is_in_image(c, event)) {
            error = write_area(c, ASSAY_CONTENT_UNKNOWN, moment, event->address, last_of(event));
        }
        event = one_before(c, event);
    }
    c->forgot[c->n] = true;
    return error;
}

/* Ends the image at the place of the event. */
static enum assay_error end_image_of(struct changes *c, const struct cs_event *event,
                                     uint32_t moment)
{
    struct cs_image *image = cs_memory_image(c->memory, event);
    if (image == NULL || !image->live) {
        return ASSAY_OK;
    }
    set_live(c, image, false);
    return image->has_file ? write_nothing(c, moment, image->first, image->last)
                           : forget_patches(c, moment);
}
/* A process ends with all that is of it: its images, and what was written in it. */
static enum assay_error end_process(struct changes *c, uint32_t moment)
{
    const bool apart = cs_memory_space(c->memory, event_of(c)->pid).given != 0;
    enum assay_error error = ASSAY_OK;
    for (const struct cs_event *event = event_of(c); event != NULL && error == ASSAY_OK;
         event = cs_event_of_process(event)) {
        struct cs_image *image =
            cs_event_is_image(event) ? cs_memory_image(c->memory, event) : NULL;
        if (image != NULL && image->live) {
            set_live(c, image, false);
            error = image->has_file && !apart ? write_nothing(c, moment, image->first, image->last)
                                              : ASSAY_OK;
        }
    }
    if (error != ASSAY_OK) {
        return error;
    }
    return apart ? write_nothing(c, moment, 0, UINT64_MAX) : forget_patches(c, moment);
}

static enum assay_error start_image(struct changes *c, struct cs_image *image)
{
    const uint32_t moment = next_moment(c);
    enum assay_error error = end_image_of(c, event_of(c)->before, moment);
    if (error == ASSAY_OK && image->has_file) {
        error = write_beginning(c, image->first, image->last);
        error = error != ASSAY_OK ? error : write_image(c, image, moment);
    } else if (error == ASSAY_OK) {
        error = forget_patches(c, moment);
    }
    set_live(c, image, true);
    return error;
}

/* An image that is there without having begun: from the beginning, or as long as nothing else was
 * there. */
static enum assay_error find_image(struct changes *c, struct cs_image *image)
{
    set_live(c, image, true);
    return image->has_file ? write_image(c, image, since(c, image->first, image->last)) : ASSAY_OK;
}

static enum assay_error end_image(struct changes *c, struct cs_image *image)
{
    const struct cs_event *event = event_of(c);
    const enum assay_error error = event->before == NULL ? find_image(c, image) : ASSAY_OK;
    const uint32_t moment = next_moment(c);
    if (error != ASSAY_OK) {
        return error;
    }
    return event->kind == CS_DECLARE_PROCESS ? end_process(c, moment)
                                             : end_image_of(c, event, moment);
}

static enum assay_error take_image(struct changes *c)
{
    struct cs_image *image = cs_memory_image(c->memory, event_of(c));
    switch (event_of(c)->state) {
    case CS_EVENT_START:
        return start_image(c, image);
    case CS_EVENT_END:
        return end_image(c, image);
    default:
        return image->live ? ASSAY_OK : find_image(c, image);
    }
}

/* --- patched code --- */

/* The code of the file that an event names; null where there is none. */
static enum assay_error load_code(struct changes *c, const uint8_t **code)
{
    const struct cs_event *event = event_of(c);
    struct assay_yaml node = cs_memory_place(c->memory, event);
    const char *path = NULL;
    node.text += strlen("id:");
    node.length -= strlen("id:");
    const enum assay_error error = assay_manifest_resolve(&c->s->reader, &node, "code", &path);
    if (error != ASSAY_OK) {
        return error == ASSAY_NOT_FOUND ? cs_images_add_absent(c->s, &c->memory->images, node.text)
                                        : error;
    }
    c->code += event->length;
    if (c->code > CODE_MOST) {
        return assay_yaml_fail(&node, c->s->reader.diag, ASSAY_LIMIT,
                               "the code of all events has more than %llu bytes",
                               (unsigned long long)CODE_MOST);
    }
    uint8_t *bytes = assay_arena_take(c->s->reader.arena, event->length + 1);
    FILE *file = NULL;
    const bool opened = bytes != NULL && assay_file_open(path, &file, NULL) == ASSAY_OK;
    const size_t have = opened ? fread(bytes, 1, event->length + 1, file) : 0;
    if (opened) {
        fclose(file);
    }
    if (bytes == NULL) {
        return cs_snapshot_no_memory(c->s);
    }
    *code = bytes;
    return have == event->length
               ? cs_snapshot_note_file(c->s, path)
               : assay_yaml_fail(&node, c->s->reader.diag, ASSAY_CONTRADICTION,
                                 "the file has not the %llu bytes that the event says",
                                 (unsigned long long)event->length);
}

/* Code that is left out is what dumps of the memory have. */
static enum assay_error take_patch(struct changes *c)
{
    const struct cs_event *event = event_of(c);
    const uint64_t last = last_of(event);
    struct assay_write write = {.content = ASSAY_CONTENT_UNKNOWN,
                                .moment = next_moment(c),
                                .space = cs_memory_space(c->memory, event->pid),
                                .first = event->address,
                                .last = last,
                                .bytes = event->code};
    enum assay_error error = write_beginning(c, event->address, last);
    if (error == ASSAY_OK && strncmp(event->text, "id:", 3) == 0) {
        error = load_code(c, &write.bytes);
    }
    if (write.bytes != NULL) {
        write.content = ASSAY_CONTENT_BYTES;
    } else if (strcmp(event->text, "None") == 0) {
        write.content = ASSAY_CONTENT_UNDATED;
    }
    return error != ASSAY_OK ? error : add_write(c, &write);
}

/* --- contexts --- */

static void bind(struct changes *c, uint32_t moment, bool bound)
{
    const struct cs_event *event = event_of(c);
    c->bindings[c->binding_count++] = (struct assay_binding){
        .key = event->id, .context = event->pid, .moment = moment, .bound = bound};
}

/* What begins or ends with no event before it was there from the beginning, or not. */
static void take_binding(struct changes *c)
{
    const enum cs_event_state state = event_of(c)->state;
    if (state != CS_EVENT_START && event_of(c)->before == NULL) {
        bind(c, 0, true);
    }
    if (state != CS_EVENT_CURRENT || event_of(c)->anew) {
        bind(c, next_moment(c), state != CS_EVENT_END);
    }
}

static int by_key_and_moment(const void *a, const void *b)
{
    const struct assay_binding *x = a;
    const struct assay_binding *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return (x->moment > y->moment) - (x->moment < y->moment);
}

/* Whether a kind of event tells contexts apart. */
static bool selects(enum cs_context_layout layout, enum cs_event_kind kind)
{
    return kind == CS_DECLARE_THREAD ? layout == CS_CONTEXT_TID || layout == CS_CONTEXT_ASID_TID
                                     : kind == CS_DECLARE_ASID && layout == CS_CONTEXT_ASID;
}

static struct assay_context_keys keys_of(enum cs_context_layout layout)
{
    const bool other = cs_context_has_other(layout);
    return (struct assay_context_keys){.shift = other ? 8 : 0,
                                       .mask = layout == CS_CONTEXT_ASID ? UINT8_MAX
                                               : other                   ? UINT32_MAX >> 8
                                                                         : UINT32_MAX,
                                       .by_itself = layout != CS_CONTEXT_ASID};
}

/* --- the timeline --- */

static enum assay_error take_event(struct changes *c)
{
    const struct cs_event *event = event_of(c);
    if (cs_event_is_image(event)) {
        return take_image(c);
    }
    if (event->kind == CS_PATCH_CODE) {
        return take_patch(c);
    }
    if (selects(c->memory->layout, event->kind)) {
        take_binding(c);
    }
    return ASSAY_OK;
}

enum assay_error cs_memory_make_timeline(struct cs_snapshot *s, struct cs_memory *memory)
{
    const size_t count = memory->events.count;
    struct assay_arena *arena = s->reader.arena;
    struct changes c = {.s = s, .memory = memory};
    struct assay_timeline *timeline = assay_arena_take(arena, sizeof *timeline);
    c.times = assay_arena_take(arena, (count + 1) * sizeof *c.times);
    c.bindings = assay_arena_take(arena, (2 * count + 1) * sizeof *c.bindings);
    c.forgot = assay_arena_take(arena, (count + 1) * sizeof *c.forgot);
    const bool by_process = memory->layout != CS_CONTEXT_UNKNOWN;
    if (timeline == NULL || c.times == NULL || c.bindings == NULL || c.forgot == NULL ||
        !cs_memory_areas(s, memory, by_process, &c.changed) ||
        !cs_memory_areas(s, memory, true, &c.present)) {
        return cs_snapshot_no_memory(s);
    }
    for (size_t i = 0; i < memory->declared_count; i++) {
        memory->declared[i].live = false;
    }
    enum assay_error error = ASSAY_OK;
    for (; c.n < count && error == ASSAY_OK; c.n++) {
        error = take_event(&c);
    }
    qsort(c.bindings, c.binding_count, sizeof *c.bindings, by_key_and_moment);
    *timeline = (struct assay_timeline){.name = memory->events.path,
                                        .times = c.times,
                                        .moments = c.moments,
                                        .dated = memory->dated,
                                        .tolerance = memory->tolerance,
                                        .writes = c.writes,
                                        .write_count = c.write_count,
                                        .bindings = c.bindings,
                                        .binding_count = c.binding_count,
                                        .keys = keys_of(memory->layout)};
    memory->images.timeline = timeline;
    return error;
}
