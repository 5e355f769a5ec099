/* From operands to inputs: a directory represents the traces and manifests below it. Every file
 * that is named or found is an input, or is skipped for a reason. */
#ifndef ASSAY_VALIDATOR_PROGRAM_PATHS_H
#define ASSAY_VALIDATOR_PROGRAM_PATHS_H

#include "validator/engine/check.h"
#include "validator/program/files.h"

/* A path that is to be judged, or is known not to be possible to judge. */
struct assay_path {
    char *path;                 /* owned */
    struct assay_diag *refused; /* why it cannot be judged; owned; null: it can be tried */
};

struct assay_paths {
    struct assay_path *list; /* in the order of the operands; of a directory by name */
    size_t count;
    struct assay_skipped *skipped; /* their paths are owned */
    size_t skipped_count;
};

struct assay_paths_options {
    const struct assay_format *format; /* the only one that is judged; null: any */
    bool allow_outside;                /* manifests may name files outside of their folders */
};

/* In a directory a file is judged when it begins with a trace's magic, or is a manifest. Without
 * magic it is judged, which will say that it is no trace, when its name says that it is one
 * (assay_format_by_suffix), and skipped otherwise. So is data of a manifest that was found or
 * given, since it is judged with that; where a format is given, traces and manifests of others; and
 * a file that is the same as one before, by whatever name. Links are followed, after all that is
 * found without them; a directory is looked through once. One in which nothing is to be judged is
 * refused itself. What manifests name, and the inputs, are added to `files`. 0, or ASSAY_EXIT_AGAIN
 * when memory is out. */
int assay_paths_find(struct assay_paths *paths, const struct assay_paths_options *options,
                     const char *const *operands, size_t count, struct assay_files *files);

/* Allowed for one that is zero-initialised. */
void assay_paths_free(struct assay_paths *paths);

#endif
