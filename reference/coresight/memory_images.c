/* The images that the events of a package declare. */
#include <stdio.h>
#include <string.h>

#include "coresight/memory.h"
#include "image/image_private.h"

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
    struct assay_yaml node = cs_memory_place(memory, image->event);
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
            const struct assay_yaml node = cs_memory_place(memory, event);
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

static bool has_thread(enum cs_context_layout layout)
{
    return layout == CS_CONTEXT_TID || layout == CS_CONTEXT_ASID_TID;
}

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
    const struct assay_yaml node = cs_memory_place(memory, image->event);
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
    const struct assay_yaml node = cs_memory_place(memory, image->event);
    enum assay_error error = ASSAY_OK;
    if (memory->layout == CS_CONTEXT_UNKNOWN || image->event->pid == 0) {
        return cs_images_add(s, &memory->images, &node, image->spec);
    }
    if (!cs_context_has_asid(memory->layout)) {
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

enum assay_error cs_memory_map_images(struct cs_snapshot *s, struct cs_memory *memory)
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
