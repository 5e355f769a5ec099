/* Whether a UUID is of one image. How it is made is left to the platform; it can be assumed to
 * change with the contents of the image (section 5.5.2), so that two files of one UUID have the
 * same contents. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "image/image_private.h"
#include "io/digest.h"
#include "snapshot/memory.h"

/* An event that gives the UUID of an image which has a file. */
struct identity {
    const struct cs_event *event;
    const char *path;
};

/* The contents of a file, as a digest: "" if they are not read yet. */
struct contents {
    const char *path;
    char digest[ASSAY_DIGEST_TEXT];
};

static int by_event(const struct cs_event *a, const struct cs_event *b)
{
    return (a > b) - (a < b);
}

static int by_uuid(const void *a, const void *b)
{
    const struct identity *x = a;
    const struct identity *y = b;
    int order = strcmp(x->event->uuid, y->event->uuid);
    order = order != 0 ? order : strcmp(x->path, y->path);
    return order != 0 ? order : by_event(x->event, y->event);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct contents *)a)->path, ((const struct contents *)b)->path);
}

/* The headers of an ELF file say where its sections are, which differs without its symbols. */
static size_t header_of(const struct assay_image_info *info,
                        const struct assay_image_segment *segment)
{
    const size_t header = info->bits == 32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);
    return info->kind == ASSAY_IMAGE_ELF && segment->bytes != NULL && segment->offset == 0 ? header
                                                                                           : 0;
}

static enum assay_error digest_image(const struct assay_image_set *set,
                                     char text[ASSAY_DIGEST_TEXT])
{
    struct assay_digest digest;
    assay_digest_begin(&digest);
    for (size_t i = 0; i < set->segment_count; i++) {
        const struct assay_image_segment *segment = &set->segments[i];
        const uint64_t size = segment->last - segment->first + 1;
        const uint64_t place[] = {segment->first - set->segments[0].first, size};
        const size_t header = header_of(&set->images[0], segment);
        assay_digest_add(&digest, place, sizeof place);
        if (segment->bytes != NULL && size > header) {
            assay_digest_add(&digest, segment->bytes + header, (size_t)size - header);
        }
    }
    return assay_digest_end(&digest, text);
}

static enum assay_error read_contents(const struct cs_snapshot *s, struct contents *contents)
{
    struct assay_image_set *set = NULL;
    struct assay_image_spec spec = {.has_address = false};
    memcpy(spec.path, contents->path, strlen(contents->path) + 1);
    spec.has_address = !cs_is_linked(contents->path);
    enum assay_error error = assay_image_set_open(NULL, &set);
    error = error != ASSAY_OK ? error : assay_image_add(set, &spec, s->reader.diag);
    error = error != ASSAY_OK ? error : digest_image(set, contents->digest);
    assay_image_set_free(set);
    return error;
}

/* Reads the contents of a file once. */
static enum assay_error find_contents(const struct cs_snapshot *s, struct contents *files,
                                      size_t count, const char *path, const char **digest)
{
    const struct contents key = {.path = path};
    struct contents *found = bsearch(&key, files, count, sizeof *files, by_path);
    const enum assay_error error = found->digest[0] != '\0' ? ASSAY_OK : read_contents(s, found);
    *digest = found->digest;
    return error;
}

static enum assay_error compare(const struct cs_snapshot *s, const struct cs_memory *memory,
                                struct contents *files, size_t count, const struct identity *pair)
{
    const char *one = NULL;
    const char *other = NULL;
    enum assay_error error = find_contents(s, files, count, pair[0].path, &one);
    error = error != ASSAY_OK ? error : find_contents(s, files, count, pair[1].path, &other);
    if (error != ASSAY_OK || strcmp(one, other) == 0) {
        return error;
    }
    const bool later = by_event(pair[0].event, pair[1].event) > 0;
    const struct assay_yaml node = cs_memory_place(memory, pair[!later].event);
    assay_yaml_fail(&node, s->reader.diag, ASSAY_CONTRADICTION,
                    "the UUID is that of another image with other contents");
    assay_diag_hint(s->reader.diag, "see line %u", pair[later].event->line);
    return ASSAY_CONTRADICTION;
}

enum assay_error cs_memory_check_uuids(const struct cs_snapshot *s, const struct cs_memory *memory)
{
    const size_t most = memory->events.count;
    struct identity *list = assay_arena_take(s->reader.arena, (most + 1) * sizeof *list);
    struct contents *files = assay_arena_take(s->reader.arena, (most + 1) * sizeof *files);
    size_t count = 0;
    enum assay_error error = list != NULL && files != NULL ? ASSAY_OK : cs_snapshot_no_memory(s);
    for (size_t i = 0; i < most && error == ASSAY_OK; i++) {
        const struct cs_event *event = &memory->events.list[i];
        const struct cs_image *image =
            cs_event_is_image(event) ? cs_memory_image(memory, event) : NULL;
        if (image != NULL && image->has_file && event->uuid[0] != '\0') {
            const char *path = memory->images.list[image->number].path;
            files[count] = (struct contents){.path = path};
            list[count++] = (struct identity){event, path};
        }
    }
    if (error == ASSAY_OK) {
        qsort(list, count, sizeof *list, by_uuid);
        qsort(files, count, sizeof *files, by_path);
    }
    for (size_t i = 1; i < count && error == ASSAY_OK; i++) {
        const bool same = strcmp(list[i - 1].event->uuid, list[i].event->uuid) == 0 &&
                          strcmp(list[i - 1].path, list[i].path) != 0;
        error = same ? compare(s, memory, files, count, &list[i - 1]) : ASSAY_OK;
    }
    return error;
}
