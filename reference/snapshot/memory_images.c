/* The images that the events of a package declare. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "common/file.h"
#include "image/image_private.h"
#include "snapshot/memory.h"

/* --- images --- */

struct cs_image *cs_memory_image(const struct cs_memory *memory, const struct cs_event *event)
{
    return event != NULL ? &memory->declared[memory->image_of[event - memory->events.list]] : NULL;
}

bool cs_is_linked(const char *path)
{
    unsigned char head[18] = {0};
    FILE *file = NULL;
    const bool opened = assay_file_open(path, &file, NULL) == ASSAY_OK;
    const size_t have = opened ? fread(head, 1, sizeof head, file) : 0;
    if (opened) {
        fclose(file);
    }
    return have == sizeof head && memcmp(head, ELFMAG, SELFMAG) == 0 && head[16] == ET_EXEC &&
           head[17] == 0;
}

/* The addresses of an image whose file an earlier one has, too. */
static bool measure_again(const struct cs_memory *memory, const struct assay_image_spec *spec,
                          struct cs_image *image)
{
    const struct cs_image *other = cs_memory_image(memory, image->event->named);
    const struct assay_image_spec *of =
        other != NULL && other->has_file ? &memory->images.list[other->number] : NULL;
    if (of == NULL || strcmp(of->path, spec->path) != 0) {
        return false;
    }
    const uint64_t moved = spec->address - of->address;
    image->first = other->first + moved;
    image->last = other->last + moved;
    return image->first <= image->last;
}

/* Reads an image to see which addresses it has. */
static enum assay_error measure(const struct cs_snapshot *s, const struct cs_memory *memory,
                                const struct assay_image_spec *spec, struct cs_image *image)
{
    struct assay_image_set *set = NULL;
    if (measure_again(memory, spec, image)) {
        return ASSAY_OK;
    }
    enum assay_error error = assay_image_set_open(NULL, &set);
    error = error != ASSAY_OK ? error : assay_image_add(set, spec, s->reader.diag);
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
                                  struct cs_image *image)
{
    struct assay_image_spec spec = {.written = true};
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
    if (error != ASSAY_OK) {
        return error;
    }
    memcpy(spec.path, path, strlen(path) + 1);
    spec.has_address = !cs_is_linked(path);
    spec.address = spec.has_address ? image->event->address : 0;
    spec.space = cs_memory_space(memory, image->event->pid);
    error = measure(s, memory, &spec, image);
    if (error == ASSAY_OK && !spec.has_address && image->event->address != 0 &&
        image->event->address != image->first &&
        image->event->address != (image->first & ~UINT64_C(0xfff))) {
        return assay_yaml_fail(&node, s->reader.diag, ASSAY_CONTRADICTION,
                               "the image is linked for 0x%llx, and declared at 0x%llx",
                               (unsigned long long)image->first,
                               (unsigned long long)image->event->address);
    }
    image->has_file = error == ASSAY_OK;
    image->number = (uint32_t)memory->images.count;
    return error != ASSAY_OK ? error : cs_images_add(s, &memory->images, &node, &spec);
}

/* The event before an event that is of the same image; null if the image is a new one. What begins
 * is one that was there before if all that its event says is the same. */
static const struct cs_event *same_image(const struct cs_event *event)
{
    return event->state == CS_EVENT_START || event->anew ? event->alike : event->before;
}

static enum assay_error list_images(struct cs_snapshot *s, struct cs_memory *memory)
{
    const size_t count = memory->events.count;
    enum assay_error error = ASSAY_OK;
    memory->declared = assay_arena_take(s->reader.arena, (count + 1) * sizeof(struct cs_image));
    memory->image_of = assay_arena_take(s->reader.arena, (count + 1) * sizeof(uint32_t));
    if (memory->declared == NULL || memory->image_of == NULL) {
        return cs_snapshot_no_memory(s);
    }
    for (size_t i = 0; i < count && error == ASSAY_OK; i++) {
        const struct cs_event *event = &memory->events.list[i];
        if (!cs_event_is_image(event)) {
            continue;
        }
        const struct cs_event *same = same_image(event);
        if (same != NULL) {
            memory->image_of[i] = memory->image_of[same - memory->events.list];
            continue;
        }
        struct cs_image *image = &memory->declared[memory->declared_count];
        *image = (struct cs_image){.event = event};
        memory->image_of[i] = (uint32_t)memory->declared_count++;
        error = find_file(s, memory, image);
    }
    return error;
}

/* --- overlaps --- */

/* Which images are there. */
struct present {
    struct cs_areas of_process; /* each at its process */
    struct cs_areas of_all;     /* as if there were one process */
};

static struct cs_area area_of(const struct cs_image *image, uint64_t space)
{
    return (struct cs_area){space, image->first, image->last};
}

bool cs_memory_areas(const struct cs_snapshot *s, const struct cs_memory *memory, bool by_process,
                     struct cs_areas *areas)
{
    struct cs_area *list =
        assay_arena_take(s->reader.arena, (memory->declared_count + 1) * sizeof *list);
    size_t count = 0;
    for (size_t i = 0; list != NULL && i < memory->declared_count; i++) {
        const struct cs_image *image = &memory->declared[i];
        if (image->has_file) {
            list[count++] = area_of(image, by_process ? image->event->pid : 0);
        }
    }
    return list != NULL && cs_areas_open(areas, s->reader.arena, list, count);
}

static void set_live(struct present *present, struct cs_image *image, bool live)
{
    if (image->live != live && image->has_file) {
        const struct cs_area own = area_of(image, image->event->pid);
        const struct cs_area any = area_of(image, 0);
        const uint32_t change = live ? 1 : UINT32_MAX;
        cs_areas_add(&present->of_process, &own, change);
        cs_areas_add(&present->of_all, &any, change);
    }
    image->live = live;
}

/* Whether an image has addresses in common with one that is there: of its process or the kernel,
 * and that of the kernel with any. */
static bool is_taken(const struct present *present, const struct cs_image *image)
{
    const struct cs_area own = area_of(image, image->event->pid);
    const struct cs_area any = area_of(image, 0);
    return image->event->pid == 0 ? cs_areas_highest(&present->of_all, &any) > 0
                                  : cs_areas_highest(&present->of_process, &own) > 0 ||
                                        cs_areas_highest(&present->of_process, &any) > 0;
}

static bool overlap(const struct cs_image *a, const struct cs_image *b)
{
    const bool same = a->event->pid == b->event->pid || a->event->pid == 0 || b->event->pid == 0;
    return a->has_file && b->has_file && same && a->first <= b->last && b->first <= a->last;
}

static enum assay_error refuse_overlap(const struct cs_snapshot *s, const struct cs_memory *memory,
                                       const struct cs_event *event, const struct cs_image *image)
{
    const struct assay_yaml node = cs_memory_place(memory, event);
    size_t i = 0;
    while (i < memory->declared_count &&
           !(memory->declared[i].live && overlap(&memory->declared[i], image))) {
        i++;
    }
    assay_yaml_fail(&node, s->reader.diag, ASSAY_CONTRADICTION,
                    "the image overlaps another one of the address space");
    if (i < memory->declared_count) {
        assay_diag_hint(s->reader.diag, "see line %u", memory->declared[i].event->line);
    }
    return ASSAY_CONTRADICTION;
}

/* An image comes to where others are: one at the same place is replaced, any other refused. */
static enum assay_error add_live(const struct cs_snapshot *s, const struct cs_memory *memory,
                                 const struct cs_event *event, struct present *present)
{
    struct cs_image *image = cs_memory_image(memory, event);
    struct cs_image *other = cs_memory_image(memory, event->before);
    if (image->live) {
        return ASSAY_OK;
    }
    if (other != NULL) {
        set_live(present, other, false);
    }
    if (image->has_file && is_taken(present, image)) {
        return refuse_overlap(s, memory, event, image);
    }
    set_live(present, image, true);
    return ASSAY_OK;
}

const struct cs_event *cs_event_of_process(const struct cs_event *event)
{
    const struct cs_event *previous = event->previous;
    const bool end =
        previous != NULL && previous->kind == CS_DECLARE_PROCESS && previous->state == CS_EVENT_END;
    return end ? NULL : previous;
}

/* The end of a process is that of all its images. */
static void remove_live(const struct cs_memory *memory, const struct cs_event *event,
                        struct present *present)
{
    const bool all = event->kind == CS_DECLARE_PROCESS;
    set_live(present, cs_memory_image(memory, event), false);
    for (event = cs_event_of_process(event); event != NULL && all;
         event = cs_event_of_process(event)) {
        if (cs_event_is_image(event)) {
            set_live(present, cs_memory_image(memory, event), false);
        }
    }
}

/* Images of one address space that are there at one time do not overlap. */
static enum assay_error check_overlaps(const struct cs_snapshot *s, const struct cs_memory *memory)
{
    struct present present;
    enum assay_error error = ASSAY_OK;
    if (!cs_memory_areas(s, memory, true, &present.of_process) ||
        !cs_memory_areas(s, memory, false, &present.of_all)) {
        return cs_snapshot_no_memory(s);
    }
    for (size_t i = 0; i < memory->events.count && error == ASSAY_OK; i++) {
        const struct cs_event *event = &memory->events.list[i];
        if (cs_event_is_image(event) && event->state == CS_EVENT_END) {
            remove_live(memory, event, &present);
        } else if (cs_event_is_image(event)) {
            error = add_live(s, memory, event, &present);
        }
    }
    return error;
}

enum assay_error cs_memory_find_images(struct cs_snapshot *s, struct cs_memory *memory)
{
    enum assay_error error = list_images(s, memory);
    error = error != ASSAY_OK ? error : check_overlaps(s, memory);
    return error != ASSAY_OK ? error : cs_memory_check_uuids(s, memory);
}
