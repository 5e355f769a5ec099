/* Operands to files: a directory represents the traces below it. */
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/source.h"
#include "validator/program/selection.h"

static int add(struct assay_paths *paths, const char *path)
{
    if (paths->count == paths->capacity) {
        const size_t capacity = paths->capacity == 0 ? 16 : paths->capacity * 2;
        char **bigger = realloc(paths->list, capacity * sizeof *bigger);
        if (bigger == NULL) {
            return ASSAY_EXIT_AGAIN;
        }
        paths->list = bigger;
        paths->capacity = capacity;
    }
    paths->list[paths->count] = strdup(path);
    return paths->list[paths->count++] != NULL ? 0 : ASSAY_EXIT_AGAIN;
}

/* Whether a file in a directory is a trace: by its magic, since it was not named. */
static bool is_trace(const char *path, const struct assay_format *format)
{
    struct assay_source *source = NULL;
    if (assay_source_open(path, &source, NULL) != ASSAY_OK) {
        return true; /* judging it will report why it cannot be read */
    }
    const struct assay_format *found = assay_detect_format(source);
    assay_source_close(source);
    return found != NULL && (format == NULL || found == format);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int walk(struct assay_paths *paths, const struct assay_format *format, const char *folder)
{
    char *const roots[] = {(char *)(uintptr_t)folder, NULL};
    const size_t before = paths->count;
    size_t others = 0;
    int status = 0;
    FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    for (FTSENT *entry; fts != NULL && (entry = fts_read(fts)) != NULL;) {
        if (entry->fts_info == FTS_F && is_trace(entry->fts_path, format)) {
            status = assay_graver_exit(status, add(paths, entry->fts_path));
        } else if (entry->fts_info == FTS_F) {
            others++;
        } else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
            fprintf(stderr, "assay: %s: %s\n", entry->fts_path, strerror(entry->fts_errno));
            status = assay_graver_exit(status, ASSAY_EXIT_UNREADABLE);
        }
    }
    if (fts != NULL) {
        fts_close(fts);
    }
    if (others > 0) {
        fprintf(stderr, "assay: %s: %zu other file%s left out (no trace's magic)\n", folder, others,
                others == 1 ? "" : "s");
    }
    if (paths->count == before) {
        fprintf(stderr, "assay: %s: the directory holds no trace\n", folder);
        status = assay_graver_exit(status, ASSAY_EXIT_UNREADABLE);
    }
    return status;
}

int assay_paths_find(struct assay_paths *paths, const struct assay_format *format,
                     const char *const *operands, size_t count)
{
    int status = 0;
    for (size_t i = 0; i < count; i++) {
        struct stat file;
        const bool folder = stat(operands[i], &file) == 0 && S_ISDIR(file.st_mode);
        const int found = folder ? walk(paths, format, operands[i]) : add(paths, operands[i]);
        status = assay_graver_exit(status, found);
    }
    return status;
}

void assay_paths_free(struct assay_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        free(paths->list[i]);
    }
    free(paths->list);
    *paths = (struct assay_paths){0};
}
