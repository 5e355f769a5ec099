/* Operands to inputs: a directory represents the traces and manifests below it. */
#include <fts.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/source.h"
#include "manifest/manifest.h"
#include "validator/program/program.h"
#include "validator/program/selection.h"

/* A file that an operand names, or that was found in the directory that it names. */
struct entry {
    char *path; /* owned, until it becomes an input */
    struct stat file;
    bool found;  /* in a directory */
    bool wanted; /* it is an input */
};

/* What belongs to an operand. */
struct operand {
    const char *folder; /* null: a file */
    size_t first, count;
};

struct search {
    struct assay_paths *paths;
    const struct assay_format *format; /* null: any */
    bool allow_outside;
    struct operand *operands;
    struct entry *entries;
    size_t entry_count, entry_room;
    size_t named_room;
    struct stat *judged; /* data of manifests that are inputs; sorted */
    size_t judged_count, judged_room;
    int status;
};

static void raise_status(struct search *s, int status)
{
    s->status = assay_more_severe_exit(s->status, status);
}

static void say(const char *path, const char *format, ...)
{
    va_list args;
    fputs("assay: ", stderr);
    assay_say_text(path);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
}

/* A list with room for one more element; null when memory is out, which the status says. */
static void *grow(struct search *s, void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return list;
    }
    const size_t bigger = *room == 0 ? 16 : *room * 2;
    void *moved = realloc(list, bigger * size);
    if (moved == NULL) {
        raise_status(s, ASSAY_EXIT_AGAIN);
        return NULL;
    }
    *room = bigger;
    return moved;
}

/* --- what there is --- */

static void add_entry(struct search *s, const char *path, const struct stat *file, bool found)
{
    struct entry *list = grow(s, s->entries, s->entry_count, &s->entry_room, sizeof *list);
    char *copy = list != NULL ? strdup(path) : NULL;
    s->entries = list != NULL ? list : s->entries;
    if (copy == NULL) {
        raise_status(s, ASSAY_EXIT_AGAIN);
        return;
    }
    list[s->entry_count++] = (struct entry){.path = copy, .file = *file, .found = found};
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void walk(struct search *s, const char *folder)
{
    char *const roots[] = {(char *)(uintptr_t)folder, NULL};
    FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    for (FTSENT *entry; fts != NULL && (entry = fts_read(fts)) != NULL;) {
        if (entry->fts_info == FTS_F) {
            add_entry(s, entry->fts_path, entry->fts_statp, true);
        } else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR ||
                   entry->fts_info == FTS_NS) {
            say(entry->fts_path, ": %s\n", strerror(entry->fts_errno));
            raise_status(s, ASSAY_EXIT_UNREADABLE);
        }
    }
    if (fts != NULL) {
        fts_close(fts);
    }
}

static void gather(struct search *s, const char *const *operands, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct stat file = {0};
        const bool folder = stat(operands[i], &file) == 0 && S_ISDIR(file.st_mode);
        struct operand *operand = &s->operands[i];
        *operand = (struct operand){.folder = folder ? operands[i] : NULL, .first = s->entry_count};
        if (folder) {
            walk(s, operands[i]);
        } else {
            add_entry(s, operands[i], &file, false);
        }
        operand->count = s->entry_count - operand->first;
    }
}

/* --- what manifests name --- */

static int by_identity(const void *a, const void *b)
{
    const struct stat *x = a;
    const struct stat *y = b;
    return x->st_dev != y->st_dev   ? (x->st_dev < y->st_dev ? -1 : 1)
           : x->st_ino != y->st_ino ? (x->st_ino < y->st_ino ? -1 : 1)
                                    : 0;
}

static void note_file(struct search *s, const char *path)
{
    struct stat file;
    if (path == NULL || stat(path, &file) != 0) {
        return;
    }
    struct stat *list =
        grow(s, s->paths->named, s->paths->named_count, &s->named_room, sizeof *list);
    if (list != NULL) {
        s->paths->named = list;
        list[s->paths->named_count++] = file;
    }
}

/* A file of data is judged with the manifest; what else a manifest names is not, so that a trace
 * among it is still an input. */
static void note_data(struct search *s, const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0) {
        return;
    }
    struct stat *list = grow(s, s->judged, s->judged_count, &s->judged_room, sizeof *list);
    if (list != NULL) {
        s->judged = list;
        list[s->judged_count++] = file;
    }
}

static void note_stream(struct search *s, const struct assay_manifest_stream *stream)
{
    note_file(s, stream->config.file);
    note_file(s, stream->facts.file);
    note_file(s, stream->execution);
    for (size_t i = 0; i < stream->image_count; i++) {
        note_file(s, stream->images[i].path);
    }
}

/* The format of a file by its magic, null when it has none. False: it cannot be read; judging it
 * will tell why. */
static bool detect(const char *path, const struct assay_format **format)
{
    struct assay_source *source = NULL;
    if (assay_source_open(path, &source, NULL) != ASSAY_OK) {
        return false;
    }
    *format = assay_detect_format(source);
    assay_source_close(source);
    return true;
}

/* Whether a manifest is for the format that is wanted: by what it says, else by the magic of its
 * data, of which packets have none. */
static bool is_of_format(const struct search *s, const struct assay_manifest *manifest)
{
    const struct assay_format *format = NULL;
    if (s->format == NULL || manifest->all.format != NULL) {
        return s->format == NULL || strcmp(manifest->all.format, s->format->name) == 0;
    }
    return !detect(manifest->data[0], &format) || format == NULL || format == s->format;
}

/* Of a manifest that cannot be read it is not known what it names; judging it will tell why. */
static void read_manifest(struct search *s, struct entry *entry)
{
    const struct assay_manifest_options options = {.allow_outside = s->allow_outside,
                                                   .formats = assay_formats};
    struct assay_manifest manifest;
    entry->wanted = true;
    if (assay_manifest_load(entry->path, &options, &manifest, NULL) != ASSAY_OK) {
        return;
    }
    entry->wanted = !entry->found || is_of_format(s, &manifest);
    for (size_t i = 0; i < manifest.data_count; i++) {
        note_file(s, manifest.data[i]);
        if (entry->wanted) {
            note_data(s, manifest.data[i]);
        }
    }
    note_stream(s, &manifest.all);
    for (size_t i = 0; i < manifest.stream_count; i++) {
        note_stream(s, &manifest.streams[i]);
    }
    assay_manifest_free(&manifest);
}

/* --- what is judged --- */

/* Whether a file in a directory is a trace: by its magic, since nobody named it. */
static bool is_trace(const struct search *s, const char *path)
{
    const struct assay_format *format = NULL;
    return !detect(path, &format) || (format != NULL && (s->format == NULL || format == s->format));
}

static bool contains(const struct stat *list, size_t count, const struct stat *file)
{
    return count > 0 && bsearch(file, list, count, sizeof *list, by_identity) != NULL;
}

static void choose_in_folder(struct search *s, const struct operand *operand)
{
    size_t wanted = 0;
    size_t others = 0;
    size_t named = 0;
    for (size_t i = operand->first; i < operand->first + operand->count; i++) {
        struct entry *entry = &s->entries[i];
        if (!assay_is_manifest(entry->path) && contains(s->judged, s->judged_count, &entry->file)) {
            named++;
            continue;
        }
        entry->wanted =
            entry->wanted || (!assay_is_manifest(entry->path) && is_trace(s, entry->path));
        wanted += entry->wanted;
        others += !entry->wanted && !contains(s->paths->named, s->paths->named_count, &entry->file);
    }
    if (others > 0) {
        say(operand->folder, ": %zu other file%s left out (no trace's magic)\n", others,
            others == 1 ? "" : "s");
    }
    if (wanted + named == 0) {
        say(operand->folder, ": the directory holds no trace\n");
        raise_status(s, ASSAY_EXIT_UNREADABLE);
    }
}

static void choose(struct search *s, size_t operands)
{
    for (size_t i = 0; i < s->entry_count; i++) {
        struct entry *entry = &s->entries[i];
        entry->wanted = !entry->found;
        if (assay_is_manifest(entry->path)) {
            read_manifest(s, entry);
        }
    }
    if (s->paths->named_count > 0) {
        qsort(s->paths->named, s->paths->named_count, sizeof *s->paths->named, by_identity);
    }
    if (s->judged_count > 0) {
        qsort(s->judged, s->judged_count, sizeof *s->judged, by_identity);
    }
    for (size_t i = 0; i < operands; i++) {
        if (s->operands[i].folder != NULL) {
            choose_in_folder(s, &s->operands[i]);
        }
    }
}

/* The paths of the inputs go to the caller. */
static void hand_over(struct search *s)
{
    s->paths->list = calloc(s->entry_count + 1, sizeof *s->paths->list);
    if (s->paths->list == NULL) {
        raise_status(s, ASSAY_EXIT_AGAIN);
    }
    for (size_t i = 0; i < s->entry_count; i++) {
        if (s->entries[i].wanted && s->paths->list != NULL) {
            s->paths->list[s->paths->count++] = s->entries[i].path;
        } else {
            free(s->entries[i].path);
        }
    }
}

int assay_paths_find(struct assay_paths *paths, const struct assay_format *format,
                     bool allow_outside, const char *const *operands, size_t count)
{
    struct search s = {.paths = paths, .format = format, .allow_outside = allow_outside};
    s.operands = calloc(count + 1, sizeof *s.operands);
    if (s.operands == NULL) {
        return ASSAY_EXIT_AGAIN;
    }
    gather(&s, operands, count);
    choose(&s, count);
    hand_over(&s);
    free(s.operands);
    free(s.entries);
    free(s.judged);
    return s.status;
}

bool assay_paths_named(const struct assay_paths *paths, const struct stat *file)
{
    return contains(paths->named, paths->named_count, file);
}

void assay_paths_free(struct assay_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        free(paths->list[i]);
    }
    free(paths->list);
    free(paths->named);
    *paths = (struct assay_paths){0};
}
