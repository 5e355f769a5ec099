/* assay corpus: the vectors of the program, for others. */
#include <stdio.h>
#include <string.h>

#include "validator/program/corpus_export.h"
#include "validator/program/program.h"
#include "validator/program/shared_options.h"

static const struct assay_option options[] = {
    ASSAY_OPTION_VECTORS_OF,
    {0},
};

static const char *const verbs[] = {"export", NULL};

static int export(const char *folder, const struct assay_format *format)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    size_t count = 0;
    const enum assay_error error = assay_corpus_export(folder, format, &count, &diag);
    if (error != ASSAY_OK) {
        if (diag.message[0] == '\0') {
            assay_fail(&diag, error, ASSAY_NO_OFFSET, "%s", assay_error_text(error));
        }
        assay_say(&diag);
        return assay_exit_of(error);
    }
    printf("%zu vectors\n", count);
    return fflush(stdout) == 0 ? ASSAY_EXIT_CONFORMS : ASSAY_EXIT_AGAIN;
}

static int run(int argc, char **argv)
{
    const struct assay_command *self = &assay_command_corpus;
    const struct assay_format *format = NULL;
    const char *value = NULL;
    int index = 1;
    int status = 0;
    for (int option;
         (option = assay_next_option(self, argc, argv, &index, &value, &status)) >= 0;) {
        format = option == 'f' ? assay_named_format(self, value) : NULL;
        if (format == NULL) {
            return option == 'f' ? ASSAY_EXIT_USAGE : status;
        }
    }
    if (argc - index != 2 || strcmp(argv[index], "export") != 0) {
        return assay_usage_error(self, "export FOLDER is wanted");
    }
    return export(argv[index + 1], format);
}

const struct assay_command assay_command_corpus = {
    .name = "corpus",
    .usage = "[options] export FOLDER",
    .verbs = verbs,
    .summary = "the vectors of this build as files, for testing other decoders and validators",
    .details =
        "Writes to a new folder, for each vector: the trace, the events that a decoder "
        "gives, the\nverdict and the findings of a validator, and a manifest of what belongs "
        "to the trace;\nand index.json, which lists them, and README.md, which says how they "
        "are compared.\n",
    .options = options,
    .run = run,
};
