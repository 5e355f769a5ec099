/* What is below a folder. The C library's own fts crashes when it has no memory for the first one.
 */
#ifndef ASSAY_VALIDATOR_PROGRAM_TREE_H
#define ASSAY_VALIDATOR_PROGRAM_TREE_H

#include <stdbool.h>
#include <sys/stat.h>

struct assay_tree_entry {
    const char *path;
    const struct stat *st; /* of a link itself; null: it cannot be looked at */
    int error;             /* errno: then, or when a folder cannot be read; else 0 */
};

/* Visits a folder, which may be a link to one, and all that is below it, in the order of names,
 * each folder before what is in it. Links are not followed. Of a folder for which `visit` returns
 * false nothing more is visited; one that cannot be read is visited once more, with the error.
 * Returns 0, or ENOMEM. */
int assay_tree_walk(const char *folder,
                    bool (*visit)(void *context, const struct assay_tree_entry *entry),
                    void *context);

#endif
