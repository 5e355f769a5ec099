/* A folder of files, made once in a run of a target and removed at its end: for what is read by the
 * names of several files. */
#ifndef ASSAY_FUZZ_FOLDER_H
#define ASSAY_FUZZ_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/target.h"

enum { FOLDER_PATH_MOST = 64 };

static char folder_name[] = "/tmp/assay-fuzz-XXXXXX";

static inline void folder_path(const char *name, char path[FOLDER_PATH_MOST])
{
    require(snprintf(path, FOLDER_PATH_MOST, "%s/%s", folder_name, name) < FOLDER_PATH_MOST);
}

static inline void folder_remove(void)
{
    DIR *list = opendir(folder_name);
    for (const struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
        (void)unlinkat(dirfd(list), entry->d_name, 0);
    }
    if (list != NULL) {
        closedir(list);
    }
    rmdir(folder_name);
}

/* The path of the folder, which is made when it is not there. */
static inline const char *folder(void)
{
    static bool made;
    if (!made) {
        made = true;
        require(mkdtemp(folder_name) != NULL && atexit(folder_remove) == 0);
    }
    return folder_name;
}

static inline void folder_write(const char *name, const void *bytes, size_t size)
{
    char path[FOLDER_PATH_MOST];
    (void)folder();
    folder_path(name, path);
    FILE *out = fopen(path, "w");
    require(out != NULL && fwrite(bytes, 1, size, out) == size && fclose(out) == 0);
}

/* Whether a path leads into the folder. */
static inline bool folder_has(const char *path)
{
    return strncmp(path, folder(), strlen(folder())) == 0;
}

#endif
