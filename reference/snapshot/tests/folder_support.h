/* A folder of files that a test writes: a snapshot or a package. */
#ifndef ASSAY_SNAPSHOT_TESTS_FOLDER_SUPPORT_H
#define ASSAY_SNAPSHOT_TESTS_FOLDER_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/model.h"
#include "snapshot/snapshot.h"

static char folder[] = "/tmp/assay-coresight-XXXXXX";
static const char *below = ""; /* a folder in it, in which files are written: "/NAME" */

struct text_file {
    const char *name, *text;
};

static inline int write_bytes(const char *name, const void *bytes, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s%s/%s", folder, below, name);
    FILE *out = fopen(path, "w");
    return out != NULL && fwrite(bytes, 1, size, out) == size && fclose(out) == 0 ? 0 : -1;
}

static inline int write_file(const char *name, const char *text)
{
    return write_bytes(name, text, strlen(text));
}

static inline int write_files(const struct text_file *files, size_t count)
{
    int bad = 0;
    for (size_t i = 0; i < count; i++) {
        bad |= write_file(files[i].name, files[i].text);
    }
    return bad;
}

static inline int open_folder(void)
{
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Loads a snapshot or package for formats, of which the list is ended by null. */
static inline enum assay_error load_manifest(const char *path,
                                             const struct assay_format *const *formats,
                                             struct assay_manifest *m, struct assay_diag *diag)
{
    const struct assay_manifest_options options = {.formats = formats};
    *diag = (struct assay_diag){0};
    return assay_manifest_load(path, &options, m, diag);
}

#endif
