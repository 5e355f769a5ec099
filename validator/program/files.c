#include "validator/program/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/replacement.h"

/* A copy of a place at the end of a list. */
static void add(struct assay_files *files, struct assay_file_place **list, size_t *count,
                size_t *room, const struct assay_file_place *place, const char *path)
{
    struct assay_file_place added = *place;
    if (*count == *room) {
        const size_t bigger = *room == 0 ? 16 : *room * 2;
        struct assay_file_place *moved = realloc(*list, bigger * sizeof *moved);
        *room = moved != NULL ? bigger : *room;
        *list = moved != NULL ? moved : *list;
    }
    added.path = strdup(path);
    if (*count == *room || added.path == NULL) {
        files->out_of_memory = true;
        free(added.name);
        free(added.path);
        return;
    }
    (*list)[(*count)++] = added;
}

void assay_files_read(struct assay_files *files, const char *path)
{
    struct stat st;
    if (path == NULL ||
        (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st)) != 0 ||
        !S_ISREG(st.st_mode)) {
        return;
    }
    const struct assay_file_place place = {.device = st.st_dev, .inode = st.st_ino};
    files->sorted = false;
    add(files, &files->read, &files->read_count, &files->read_room, &place, path);
}

static void read_stream(struct assay_files *files, const struct assay_manifest_stream *stream)
{
    assay_files_read(files, stream->config.file);
    assay_files_read(files, stream->facts.file);
    assay_files_read(files, stream->execution);
    for (size_t i = 0; i < stream->image_count; i++) {
        assay_files_read(files, stream->images[i].path);
    }
}

void assay_files_read_manifest(struct assay_files *files, const struct assay_manifest *manifest)
{
    for (size_t i = 0; i < manifest->data_count; i++) {
        assay_files_read(files, manifest->data[i]);
    }
    for (size_t i = 0; i < manifest->file_count; i++) {
        assay_files_read(files, manifest->files[i]);
    }
    read_stream(files, &manifest->all);
    for (size_t i = 0; i < manifest->stream_count; i++) {
        read_stream(files, &manifest->streams[i]);
    }
}

static int by_identity(const void *a, const void *b)
{
    const struct assay_file_place *x = a;
    const struct assay_file_place *y = b;
    return x->device != y->device ? (x->device < y->device ? -1 : 1)
           : x->inode != y->inode ? (x->inode < y->inode ? -1 : 1)
                                  : 0;
}

bool assay_files_reads(struct assay_files *files, dev_t device, ino_t inode)
{
    const struct assay_file_place wanted = {.device = device, .inode = inode};
    if (files->read_count == 0) {
        return false;
    }
    if (!files->sorted) {
        qsort(files->read, files->read_count, sizeof *files->read, by_identity);
        files->sorted = true;
    }
    return bsearch(&wanted, files->read, files->read_count, sizeof wanted, by_identity) != NULL;
}

/* The place of a file that does not exist: a name in a folder. False where there is no folder. */
static bool place_of_new(const char *path, struct assay_file_place *place)
{
    struct stat st;
    int error = 0;
    char *target = assay_replacement_target(path, &error);
    if (target == NULL) {
        return false;
    }
    char *slash = strrchr(target, '/');
    char *name = strdup(slash != NULL ? slash + 1 : target);
    if (slash != NULL) {
        slash[1] = '\0';
    }
    const bool found = name != NULL && stat(slash != NULL ? target : ".", &st) == 0;
    free(target);
    if (!found) {
        free(name);
        return false;
    }
    *place = (struct assay_file_place){.device = st.st_dev, .inode = st.st_ino, .name = name};
    return true;
}

/* The place of an output; false where writing to it twice does no harm, or cannot be done at all.
 */
static bool place_of_output(const char *path, struct assay_file_place *place)
{
    struct stat st;
    const bool standard = strcmp(path, "-") == 0;
    if ((standard ? fstat(STDOUT_FILENO, &st) : stat(path, &st)) == 0) {
        *place = (struct assay_file_place){.device = st.st_dev, .inode = st.st_ino};
        return standard || S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode);
    }
    return !standard && place_of_new(path, place);
}

static const struct assay_file_place *find(const struct assay_file_place *list, size_t count,
                                           const struct assay_file_place *place)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = list[i].name;
        if (list[i].device == place->device && list[i].inode == place->inode &&
            (name == NULL) == (place->name == NULL) &&
            (name == NULL || strcmp(name, place->name) == 0)) {
            return &list[i];
        }
    }
    return NULL;
}

int assay_files_write(struct assay_files *files, const struct assay_command *command,
                      const char *path)
{
    struct assay_file_place place;
    if (files->out_of_memory) {
        return assay_say_no_memory();
    }
    if (path == NULL || !place_of_output(path, &place)) {
        return 0;
    }
    const struct assay_file_place *other = find(files->read, files->read_count, &place);
    const bool is_read = other != NULL;
    other = is_read ? other : find(files->written, files->written_count, &place);
    if (other != NULL) {
        free(place.name);
        return is_read ? assay_usage_error(command, "%s would be written over %s, which is read",
                                           path, other->path)
                       : assay_usage_error(command,
                                           "two outputs would be written to one file: "
                                           "%s and %s",
                                           other->path, path);
    }
    add(files, &files->written, &files->written_count, &files->written_room, &place, path);
    return files->out_of_memory ? assay_say_no_memory() : 0;
}

static void free_list(struct assay_file_place *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(list[i].name);
        free(list[i].path);
    }
    free(list);
}

void assay_files_close(struct assay_files *files)
{
    free_list(files->read, files->read_count);
    free_list(files->written, files->written_count);
    *files = (struct assay_files){0};
}
