/* --cache FOLDER: what judging inputs gave, from one run to the next. An entry is for an input by
 * its path, and for everything else that decides its result: this very program, rules, options, and
 * the files that options name. It names the files that were read with the digests of their
 * contents, and is used only while these are the same. */
#ifndef ASSAY_VALIDATOR_PROGRAM_CACHE_H
#define ASSAY_VALIDATOR_PROGRAM_CACHE_H

#include <stdatomic.h>

#include "io/digest.h"
#include "validator/engine/check.h"
#include "validator/engine/evidence.h"
#include "validator/program/program.h"

struct assay_cache {
    const char *folder;                         /* null: there is none */
    const struct assay_evidence_list *evidence; /* of the options */
    char key[ASSAY_DIGEST_TEXT];                /* of all that inputs have in common */
    atomic_size_t reused;                       /* inputs that were not judged again */
    atomic_bool said;                           /* that something cannot be kept */
};

/* An option that decides what is judged, or how (validator/program/check_run.h). */
struct assay_argument;

/* Opens the cache, whose folder is made if there is none. `options` are those of the run, with its
 * catalogues. 0, or the exit status after having said what is wrong. */
int assay_cache_open(struct assay_cache *cache, const struct assay_command *command,
                     const struct assay_check_options *options,
                     const struct assay_argument *arguments, size_t argument_count);

/* That no input is a folder that the cache is in. */
int assay_cache_check(const struct assay_cache *cache, const struct assay_command *command,
                      char **operands, size_t count);

/* `recall` and `judged` of a recorder (engine/check.h). */
enum assay_error assay_cache_recall(struct assay_cache *cache, struct assay_input_run *run,
                                    bool *known);
void assay_cache_judged(struct assay_cache *cache, const struct assay_input_run *run);

#endif
