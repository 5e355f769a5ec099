#include "validator/program/new_folder.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "validator/program/interrupt.h"

static enum assay_error fail(const char *path, const char *what, struct assay_diag *diag)
{
    const int why = errno;
    const enum assay_error error =
        why == ENOSPC || why == EDQUOT ? ASSAY_WRITE_FAILED : ASSAY_NOT_WRITABLE;
    assay_fail(diag, error, ASSAY_NO_OFFSET, "%s: %s", what, strerror(why));
    assay_diag_path(diag, path);
    return error;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    remove(path);
    return 0;
}

/* As far as it can be removed, with what is in it. */
static void remove_folder(const char *path)
{
    enum { FOLDERS_OPEN = 8 };
    (void)nftw(path, remove_entry, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS);
}

/* ASSAY_OK: it is empty. */
static enum assay_error check_empty(const char *folder, struct assay_diag *diag)
{
    DIR *stream = opendir(folder);
    if (stream == NULL) {
        return errno == ENOMEM ? assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory")
                               : fail(folder, "cannot be looked at", diag);
    }
    const struct dirent *entry;
    bool empty = true;
    while (empty && (entry = readdir(stream)) != NULL) {
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    }
    closedir(stream);
    return empty ? ASSAY_OK
                 : assay_fail(diag, ASSAY_NOT_WRITABLE, ASSAY_NO_OFFSET, "the folder is not empty");
}

static enum assay_error check_place(const char *place, const char *what, struct assay_diag *diag)
{
    struct stat status;
    if (lstat(place, &status) != 0) {
        return errno == ENOENT ? ASSAY_OK : fail(place, "cannot be looked at", diag);
    }
    const enum assay_error error =
        S_ISDIR(status.st_mode)
            ? check_empty(place, diag)
            : assay_fail(diag, ASSAY_NOT_WRITABLE, ASSAY_NO_OFFSET, "is not a folder");
    if (error == ASSAY_NOT_WRITABLE) {
        assay_diag_hint(diag, "%s written to a new folder", what);
        assay_diag_path(diag, place);
    }
    return error;
}

static void end_interrupt(struct assay_new_folder *new)
{
    if (new->stop.fd >= 0) {
        assay_interrupt_end();
        assay_stop_close(&new->stop);
    }
}

enum assay_error assay_new_folder_begin(struct assay_new_folder *new, const char *folder,
                                        const char *what, struct assay_diag *diag)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') {
        length--;
    }
    if (snprintf(new->place, sizeof new->place, "%.*s", (int)length, folder) >= ASSAY_FOLDER_PATH ||
        snprintf(new->root, sizeof new->root, "%s.incomplete-%ld", new->place, (long)getpid()) >=
            ASSAY_FOLDER_PATH) {
        return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the folder's name is too long");
    }
    const enum assay_error error = check_place(new->place, what, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    if (assay_stop_open(&new->stop) == ASSAY_OK) {
        assay_interrupt_begin(&new->stop);
    }
    if (mkdir(new->root, 0777) != 0) {
        const enum assay_error refused = fail(new->place, "the folder cannot be made", diag);
        end_interrupt(new);
        return refused;
    }
    return ASSAY_OK;
}

enum assay_error assay_new_folder_check(const struct assay_new_folder *new, struct assay_diag *diag)
{
    return assay_stop_requested(&new->stop)
               ? assay_fail(diag, ASSAY_INTERRUPTED, ASSAY_NO_OFFSET, "the run was interrupted")
               : ASSAY_OK;
}

enum assay_error assay_new_folder_end(struct assay_new_folder *new, enum assay_error error,
                                      struct assay_diag *diag)
{
    if (error == ASSAY_OK && rename(new->root, new->place) != 0) {
        error = fail(new->place, "the folder cannot be put there", diag);
    }
    if (error != ASSAY_OK) {
        remove_folder(new->root);
    }
    end_interrupt(new);
    return error;
}

void assay_new_folder_discard(struct assay_new_folder *new)
{
    remove_folder(new->root);
    end_interrupt(new);
}
