/* assay corpus: the vectors of the program, for others. */
#include <stdio.h>
#include <string.h>

#include "validator/program/corpus_export.h"
#include "validator/program/corpus_show.h"
#include "validator/program/program.h"
#include "validator/program/shared_options.h"

static const struct assay_option options[] = {
    ASSAY_OPTION_VECTORS_OF,
    {'g', false, "generated", "N",
     "export: generated traces of each sort, with the seeds 0 to N - 1 (default 1)"},
    {0},
};

enum { MOST_GENERATED = 100000 };

static const char *const verbs[] = {"export", "show", NULL};

/* How many of the vectors are there as another profile, too, and of the others how many for each
 * reason. */
static void print_translated(const struct assay_corpus_wanted *wanted)
{
    json_t *counts = json_object();
    const json_t *first = json_array_get(wanted->untranslated, 0);
    const char *why = NULL;
    json_t *count = NULL;
    for (size_t i = 0; i < json_array_size(wanted->untranslated); i++) {
        const json_t *one = json_array_get(wanted->untranslated, i);
        why = json_string_value(json_object_get(one, "why"));
        json_object_set_new(counts, why,
                            json_integer(json_integer_value(json_object_get(counts, why)) + 1));
    }
    printf("%zu of the vectors also as %s; %zu are not:\n", wanted->translated,
           json_string_value(json_object_get(first, "to")), json_array_size(wanted->untranslated));
    json_object_foreach(counts, why, count)
    {
        printf("%6" JSON_INTEGER_FORMAT "  %s\n", json_integer_value(count), why);
    }
    json_decref(counts);
}

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
    if (json_array_size(wanted->untranslated) > 0) {
        print_translated(wanted);
    }
    return fflush(stdout) == 0 ? ASSAY_EXIT_CONFORMS : ASSAY_EXIT_AGAIN;
}

/* What the command line says. */
struct request {
    struct assay_corpus_wanted wanted;
    bool generated; /* how many are generated */
};

/* False: the option is wrong, or (0) help was shown. */
static bool set_option(const struct assay_command *self, struct request *request, int option,
                       const char *value)
{
    struct assay_corpus_wanted *wanted = &request->wanted;
    switch (option) {
    case 'f':
        wanted->format = assay_named_format(self, value);
        return wanted->format != NULL;
    case 'g':
        request->generated = true;
        return assay_number_option(self, "generated", value, 0, MOST_GENERATED, &wanted->seeds);
    default:
        return false;
    }
}

static int run(int argc, char **argv)
{
    const struct assay_command *self = &assay_command_corpus;
    struct request request = {.wanted = {.seeds = 1}};
    const char *value = NULL;
    int index = 1;
    int status = 0;
    for (int option;
         (option = assay_next_option(self, argc, argv, &index, &value, &status)) >= 0;) {
        if (!set_option(self, &request, option, value)) {
            return option != 0 ? ASSAY_EXIT_USAGE : status;
        }
    }
    if (argc - index == 2 && strcmp(argv[index], "export") == 0) {
        status = export(argv[index + 1], &request.wanted);
        json_decref(request.wanted.untranslated);
        return status;
    }
    if (argc - index < 2 || strcmp(argv[index], "show") != 0) {
        return assay_usage_error(self, "export FOLDER or show RULE is wanted");
    }
    if (request.generated) {
        return assay_usage_error(self, "--generated is for assay corpus export FOLDER");
    }
    return assay_corpus_show(self, request.wanted.format, argv + index + 1,
                             (size_t)(argc - index - 1));
}

const struct assay_command assay_command_corpus = {
    .name = "corpus",
    .usage = "[options] export FOLDER | show RULE...",
    .verbs = verbs,
    .summary = "the vectors of this build: of a rule, or as files for testing other programs",
    .details =
        "export FOLDER  writes to a new folder, for each vector and for generated traces: the\n"
        "               trace, the events that a decoder gives, the verdict and findings of a\n"
        "               validator, and a manifest of what belongs to the trace; index.json,\n"
        "               which lists them, and README.md, which says how they are compared. The\n"
        "               index has the command that makes each generated trace again. Vectors of\n"
        "               earlier versions of STF are there as traces of 1.6, too, NAME.stf-1.6,\n"
        "               which the public library reads; it prints how many are not, and why\n"
        "show RULE      the vectors of a rule, or of rules selected as by check --only: what\n"
        "               each states, why, and its text. Those that pass come first, then those\n"
        "               that fail, then those that do not exercise the rule; then the scenarios\n"
        "               of its clauses, by name. RULE can also be the name of a vector\n",
    .options = options,
    .run = run,
};
