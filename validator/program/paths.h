/* From operands to inputs: a directory represents the traces and manifests below it. Every file
 * that is named or found is an input, or is skipped for a reason. */
#ifndef ASSAY_VALIDATOR_PROGRAM_PATHS_H
#define ASSAY_VALIDATOR_PROGRAM_PATHS_H

#include "validator/engine/check.h"
#include "validator/program/files.h"

/* A path that is to be judged, or is known not to be possible to judge. */
struct assay_path {
    char *path;                 /* owned */
    uint64_t bytes;             /* about how many are judged: of a manifest its data's, too */
    struct assay_diag *refused; /* why it cannot be judged; owned; null: it can be tried */
};

struct assay_paths {
    struct assay_path *list; /* in the order of the operands; of a directory by name */
    size_t count;
    struct assay_skipped *skipped; /* their paths are owned */
    size_t skipped_count;
};

struct assay_paths_options {
    const struct assay_format *format; /* the only format that is judged; null: any */
    bool allow_outside;                /* manifests may name files outside of their folders */
};

/* In a directory a file is judged when it begins with the magic of a trace, or is a manifest. A
 * file without magic is judged, and found unreadable, if its name is that of a trace
 * (assay_format_by_suffix), and skipped otherwise. Also skipped are data of a manifest that was
 * found or given, since they are judged with it; traces and manifests of other formats if a format
 * is given; and a file that is the same as an earlier one, by whatever name. Links are followed
 * after everything else; a directory is searched once. A directory with nothing to judge is
 * refused. What manifests name, and the inputs, are added to `files`. 0, or ASSAY_EXIT_AGAIN when
 * memory is out. */
int assay_paths_find(struct assay_paths *paths, const struct assay_paths_options *options,
                     const char *const *operands, size_t count, struct assay_files *files);

/* Allowed for one that is zero-initialised. */
void assay_paths_free(struct assay_paths *paths);

#endif
