/* The images that the events of a package declare. */
#include <stdio.h>
#include <string.h>

#include "common/file.h"
#include "coresight/memory.h"
#include "image/image_private.h"

/* --- images --- */

bool cs_event_is_image(const struct cs_event *event)
{
    return event->kind == CS_DECLARE_PROCESS || event->kind == CS_DECLARE_LIBRARY;
}

/* What only one of two events gives does not differ. */
static bool same_text(const char *a, const char *b)
{
    return a[0] == '\0' || b[0] == '\0' || strcmp(a, b) == 0;
}

bool cs_event_same_place(const struct cs_event *a, const struct cs_event *b)
{
    return a->kind == b->kind && a->pid == b->pid && a->address == b->address;
}

struct cs_image *cs_memory_image(const struct cs_memory *memory, const struct cs_event *event)
{
    for (size_t i = 0; i < memory->declared_count; i++) {
        const struct cs_event *other = memory->declared[i].event;
        if (cs_event_same_place(other, event) && same_text(other->text, event->text) &&
            same_text(other->uuid, event->uuid)) {
            return &memory->declared[i];
        }
    }
    return NULL;
}

/* The type of an ELF file (e_type); 0 for any other file. */
static unsigned elf_type(const char *path)
{
    unsigned char head[18] = {0};
    FILE *file = NULL;
    const bool opened = assay_file_open(path, &file, NULL) == ASSAY_OK;
    const size_t have = opened ? fread(head, 1, sizeof head, file) : 0;
    if (opened) {
        fclose(file);
    }
    return have == sizeof head && memcmp(head, "\177ELF", 4) == 0
               ? (unsigned)head[16] | (unsigned)head[17] << 8
               : 0;
}

/* The addresses of an image whose file an earlier one has, too. */
static bool measure_again(const struct cs_memory *memory, const struct assay_image_spec *spec,
                          struct cs_image *image)
{
    for (size_t i = 0; i < memory->declared_count; i++) {
        const struct cs_image *other = &memory->declared[i];
        if (other == image || !other->has_file) {
            continue;
        }
        const struct assay_image_spec *of = &memory->images.list[other->number];
        if (strcmp(of->path, spec->path) == 0) {
            const uint64_t moved = spec->address - of->address;
            image->first = other->first + moved;
            image->last = other->last + moved;
            return image->first <= image->last;
        }
    }
    return false;
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
    enum { ET_EXEC = 2 };
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
    spec.has_address = elf_type(path) != ET_EXEC;
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

static enum assay_error list_images(struct cs_snapshot *s, struct cs_memory *memory)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < memory->events.count && error == ASSAY_OK; i++) {
        const struct cs_event *event = &memory->events.list[i];
        if (!cs_event_is_image(event) || cs_memory_image(memory, event) != NULL) {
            continue;
        }
        struct cs_image *list =
            assay_arena_grow(s->reader.arena, memory->declared, memory->declared_count,
                             &memory->declared_room, sizeof *list);
        if (list == NULL) {
            return cs_snapshot_no_memory(s);
        }
        memory->declared = list;
        list[memory->declared_count] = (struct cs_image){.event = event};
        memory->declared_count++;
        error = find_file(s, memory, &list[memory->declared_count - 1]);
    }
    return error;
}

/* --- overlaps --- */

static bool overlap(const struct cs_image *a, const struct cs_image *b)
{
    const bool same = a->event->pid == b->event->pid || a->event->pid == 0 || b->event->pid == 0;
    return a->has_file && b->has_file && same && a->first <= b->last && b->first <= a->last;
}

/* An image comes to where others are: one at the same place is replaced, any other refused. */
static enum assay_error add_live(const struct cs_snapshot *s, const struct cs_memory *memory,
                                 const struct cs_event *event)
{
    struct cs_image *image = cs_memory_image(memory, event);
    for (size_t i = 0; i < memory->declared_count; i++) {
        struct cs_image *other = &memory->declared[i];
        if (other == image || !other->live || !overlap(other, image)) {
            continue;
        }
        if (!cs_event_same_place(other->event, event)) {
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

/* The end of a process is that of all its images. */
static void remove_live(const struct cs_memory *memory, const struct cs_event *event)
{
    for (size_t i = 0; i < memory->declared_count; i++) {
        struct cs_image *image = &memory->declared[i];
        const bool ends = event->kind == CS_DECLARE_PROCESS
                              ? image->event->pid == event->pid
                              : cs_event_same_place(image->event, event);
        image->live = image->live && !ends;
    }
}

/* Images of one address space that are there at one time do not overlap. */
static enum assay_error check_overlaps(const struct cs_snapshot *s, const struct cs_memory *memory)
{
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < memory->events.count && error == ASSAY_OK; i++) {
        const struct cs_event *event = &memory->events.list[i];
        if (cs_event_is_image(event) && event->state == CS_EVENT_END) {
            remove_live(memory, event);
        } else if (cs_event_is_image(event)) {
            error = add_live(s, memory, event);
        }
    }
    return error;
}

enum assay_error cs_memory_find_images(struct cs_snapshot *s, struct cs_memory *memory)
{
    const enum assay_error error = list_images(s, memory);
    return error != ASSAY_OK ? error : check_overlaps(s, memory);
}
