/* assay corpus: the vectors of the program, for others. */
#include <stdio.h>
#include <string.h>

#include "validator/program/corpus_export.h"
#include "validator/program/program.h"
#include "validator/program/shared_options.h"

static const struct assay_option options[] = {
    ASSAY_OPTION_VECTORS_OF,
    {'g', false, "generated", "N",
     "generated traces of each sort, with the seeds 0 to N - 1 (default 1)"},
    {0},
};

enum { MOST_GENERATED = 100000 };

static const char *const verbs[] = {"export", NULL};

static int export(const char *folder, struct assay_corpus_wanted *wanted)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error = assay_corpus_export(folder, wanted, &diag);
    if (error != ASSAY_OK) {
        if (diag.message[0] == '\0') {
            assay_fail(&diag, error, ASSAY_NO_OFFSET, "%s", assay_error_text(error));
        }
        assay_say(&diag);
        return assay_exit_of(error);
    }
    printf("%zu vectors, %zu generated traces\n", wanted->vectors, wanted->generated);
    return fflush(stdout) == 0 ? ASSAY_EXIT_CONFORMS : ASSAY_EXIT_AGAIN;
}

/* False: the option is wrong, or (0) help was shown. */
static bool set_option(const struct assay_command *self, struct assay_corpus_wanted *wanted,
                       int option, const char *value)
{
    switch (option) {
    case 'f':
        wanted->format = assay_named_format(self, value);
        return wanted->format != NULL;
    case 'g':
        return assay_number_option(self, "generated", value, 0, MOST_GENERATED, &wanted->seeds);
    default:
        return false;
    }
}

static int run(int argc, char **argv)
{
    const struct assay_command *self = &assay_command_corpus;
    struct assay_corpus_wanted wanted = {.seeds = 1};
    const char *value = NULL;
    int index = 1;
    int status = 0;
    for (int option;
         (option = assay_next_option(self, argc, argv, &index, &value, &status)) >= 0;) {
        if (!set_option(self, &wanted, option, value)) {
            return option != 0 ? ASSAY_EXIT_USAGE : status;
        }
    }
    if (argc - index != 2 || strcmp(argv[index], "export") != 0) {
        return assay_usage_error(self, "export FOLDER is wanted");
    }
    return export(argv[index + 1], &wanted);
}

const struct assay_command assay_command_corpus = {
    .name = "corpus",
    .usage = "[options] export FOLDER",
    .verbs = verbs,
    .summary = "the vectors of this build as files, for testing other decoders and validators",
    .details =
        "Writes to a new folder, for each vector and for traces that are generated: the trace, "
        "the\n"
        "events that a decoder gives, the verdict and the findings of a validator, and a manifest "
        "of\n"
        "what belongs to the trace; and index.json, which lists them, and README.md, which says "
        "how\n"
        "they are compared. The index has the command that makes each generated trace again.\n",
    .options = options,
    .run = run,
};
