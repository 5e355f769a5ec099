/* assay merge: one report of the reports of shards. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reports/json_read.h"
#include "validator/engine/collect.h"
#include "validator/program/check_run.h"
#include "validator/program/shard_report.h"
#include "validator/program/shared_options.h"
#include "validator/record/record.h"

static const struct assay_option options[] = {
    {'o', true, "output", "FILE", "the JSON report, as --report json=FILE"},
    ASSAY_OPTION_REPORT,
    ASSAY_OPTION_SUMMARY,
    ASSAY_OPTION_QUIET,
    ASSAY_OPTION_VERDICT_EXIT,
    {'V', false, "verbose", NULL, "the text report in full"},
    {'C', false, "color", "WHEN", "auto (default), always or never: colours in the text report"},
    {'u', false, "rule-pages", "URL", "as of assay check"},
    {0},
};

struct merge {
    struct assay_check_run run;
    struct assay_shard_reports reports;
    struct assay_arena arena; /* of what the reports say */
    struct assay_argument *arguments;
    char output[4096]; /* "json=FILE" */
};

/* --- the command line --- */

static int take_output(struct merge *m, const char *value)
{
    if (m->output[0] != '\0') {
        return assay_usage_error(&assay_command_merge, "--output is given twice");
    }
    if (snprintf(m->output, sizeof m->output, "json=%s", value) >= (int)sizeof m->output) {
        return assay_usage_error(&assay_command_merge, "the path of --output is too long");
    }
    return assay_outputs_add(&m->run.outputs, &assay_command_merge, m->output);
}

static int take_option(struct merge *m, int option, const char *value)
{
    struct assay_outputs *outputs = &m->run.outputs;
    uint64_t number = 0;
    const int status = assay_given_note(&m->run.given, &assay_command_merge, "vCu", option, value);
    if (status != 0) {
        return status;
    }
    switch (option) {
    case 'o':
        return take_output(m, value);
    case 'r':
        return assay_outputs_add(outputs, &assay_command_merge, value);
    case 's':
        return assay_outputs_add(outputs, &assay_command_merge, "summary");
    case 'q':
        outputs->quiet = true;
        return 0;
    case 'V':
        outputs->verbose = true;
        return 0;
    case 'u':
        return assay_outputs_rule_pages(outputs, &assay_command_merge, value);
    case 'C':
        return assay_check_when(&assay_command_merge, "color", value, &outputs->color);
    default:
        if (!assay_number_option(&assay_command_merge, "verdict-exit", value, 0, 1, &number)) {
            return ASSAY_EXIT_USAGE;
        }
        m->run.verdict_exit = number != 0;
        return 0;
    }
}

/* --- what the shards were judged with --- */

static int wrong_report(const struct merge *m, const char *what)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assay_fail(&diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET, "%s", what);
    assay_diag_path(&diag, m->reports.paths[0]);
    assay_say(&diag);
    return ASSAY_EXIT_USAGE;
}

/* An option of the shards, or false: there is none like it. */
static bool read_argument(struct assay_json_reader *reader, const json_t *pair,
                          struct assay_argument *argument)
{
    const char *name = json_string_value(json_array_get(pair, 0));
    argument->option = name != NULL ? assay_check_argument(name) : NULL;
    if (argument->option == NULL) {
        return false;
    }
    const bool valued = argument->option->argument != NULL;
    argument->value =
        valued ? assay_json_text_of(reader, json_array_get(pair, 1), "arguments", false) : NULL;
    return json_array_size(pair) == (valued ? 2 : 1) && assay_json_right(reader);
}

/* The run that the shards are parts of. */
static int replay(struct merge *m)
{
    const json_t *list = m->reports.said.arguments;
    const size_t count = json_array_size(list);
    struct assay_json_reader reader = {.arena = &m->arena};
    m->arguments = calloc(count + 1, sizeof *m->arguments);
    for (size_t i = 0; m->arguments != NULL && i < count; i++) {
        if (!read_argument(&reader, json_array_get(list, i), &m->arguments[i])) {
            return reader.out_of_memory ? assay_say_no_memory()
                                        : wrong_report(m, "one of its options is unknown");
        }
    }
    return m->arguments != NULL ? assay_check_run_replay(&m->run, m->arguments, count)
                                : assay_say_no_memory();
}

/* One of the files that options of the shards name. */
static bool read_evidence(struct assay_json_reader *reader, const json_t *object,
                          struct assay_evidence *file)
{
    const json_t *digest = json_object_get(object, "sha256");
    *file = (struct assay_evidence){
        .role = assay_evidence_role(assay_json_get_text(reader, object, "role", false)),
        .path = assay_json_get_text(reader, object, "path", false),
        .bytes = assay_json_get_number(reader, object, "bytes", UINT64_MAX),
        .changed = json_is_true(json_object_get(object, "changed")),
        .missing = json_is_true(json_object_get(object, "missing"))};
    if (json_object_get(object, "digest_error") != NULL) {
        file->no_digest = assay_json_get_text(reader, object, "digest_error", false);
    }
    if (json_is_string(digest)) {
        snprintf(file->sha256, sizeof file->sha256, "sha256:%s", json_string_value(digest));
    }
    return file->role != NULL && assay_json_right(reader);
}

/* Whether a file that merging has read again is the one that the shards were judged with. */
static bool is_same(const struct merge *m, const struct assay_evidence *file)
{
    const struct assay_evidence_list *now = &m->run.evidence;
    for (size_t i = 0; i < now->count; i++) {
        if (strcmp(now->list[i].role, file->role) == 0 &&
            strcmp(now->list[i].path, file->path) == 0) {
            return strcmp(file->role, "config") == 0 ||
                   strcmp(now->list[i].sha256, file->sha256) == 0;
        }
    }
    return true;
}

static int say_other_file(const struct assay_evidence *file)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assay_fail(&diag, ASSAY_CONTRADICTION, ASSAY_NO_OFFSET,
               "it is not the file (%s) that the shards were judged with", file->role);
    assay_diag_path(&diag, file->path);
    assay_say(&diag);
    return ASSAY_EXIT_USAGE;
}

/* The files that options name: those of the shards, in place of those that were read again, of
 * which each must be the same. */
static int take_evidence(struct merge *m)
{
    struct assay_json_reader reader = {.arena = &m->arena};
    struct assay_evidence_list shards = {0};
    const json_t *list = m->reports.said.evidence;
    int status = 0;
    assay_evidence_digest(&m->run.evidence);
    for (size_t i = 0; i < json_array_size(list) && status == 0; i++) {
        struct assay_evidence file;
        if (!read_evidence(&reader, json_array_get(list, i), &file)) {
            status = wrong_report(m, "one of its files is not as its schema says");
        } else if (!is_same(m, &file)) {
            status = say_other_file(&file);
        } else {
            assay_evidence_known(&shards, &file);
        }
    }
    status = status == 0 && (shards.out_of_memory || reader.out_of_memory) ? assay_say_no_memory()
                                                                           : status;
    assay_evidence_close(&m->run.evidence);
    m->run.evidence = shards;
    return status;
}

static int take_skipped(struct merge *m)
{
    struct assay_json_reader reader = {.arena = &m->arena};
    const json_t *list = m->reports.said.skipped;
    const size_t count = json_array_size(list);
    struct assay_paths *paths = &m->run.paths;
    paths->skipped = calloc(count + 1, sizeof *paths->skipped);
    for (size_t i = 0; paths->skipped != NULL && i < count; i++) {
        const json_t *one = json_array_get(list, i);
        const char *path = assay_json_get_text(&reader, one, "path", false);
        const char *name = assay_json_get_text(&reader, one, "reason", false);
        unsigned reason = 0;
        while (reason < ASSAY_SKIP_REASON_COUNT &&
               strcmp(assay_skip_reason_name((enum assay_skip_reason)reason), name) != 0) {
            reason++;
        }
        if (!assay_json_right(&reader) || reason == ASSAY_SKIP_REASON_COUNT) {
            return reader.out_of_memory
                       ? assay_say_no_memory()
                       : wrong_report(m, "a skipped file is not as its schema says");
        }
        paths->skipped[i] =
            (struct assay_skipped){.path = strdup(path), .reason = (enum assay_skip_reason)reason};
        paths->skipped_count++;
        if (paths->skipped[i].path == NULL) {
            return assay_say_no_memory();
        }
    }
    return paths->skipped != NULL ? 0 : assay_say_no_memory();
}

/* Whether the rules of this program, and of the files that the options name, are the shards'. */
static int check_catalogues(const struct merge *m, const struct assay_results *results)
{
    const json_t *list = m->reports.said.catalogues;
    bool same = json_array_size(list) == results->digest_count;
    for (size_t i = 0; same && i < results->digest_count; i++) {
        const char *digest = json_string_value(json_array_get(list, i));
        same = digest != NULL && strcmp(digest, results->digests[i]) == 0;
    }
    return same ? 0 : wrong_report(m, "it was judged by other rules than this program has");
}

/* --- the results --- */

static enum assay_error add_input(struct merge *m, struct assay_collection *collection,
                                  size_t number, struct assay_diag *diag)
{
    struct assay_input_run run = {.options = &m->run.options, .number = number};
    json_t *record = NULL;
    enum assay_error error = assay_shard_reports_record(&m->reports, number, &record, diag);
    if (error == ASSAY_OK) {
        error = assay_record_read(record, &run, diag);
        assay_diag_path(diag, m->reports.paths[m->reports.places[number].report]);
        assay_diag_hint(diag, "in the record of input %zu", number);
        error = error != ASSAY_OK ? error : assay_collect(collection, &run);
        assay_input_close(&run);
    }
    json_decref(record);
    return error;
}

static int put_together(struct merge *m, const struct timespec *begun)
{
    struct assay_check_run *run = &m->run;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assay_selection_apply(&run->selection, &run->options);
    run->options.waivers = run->waivers.count > 0 ? &run->waivers : NULL;
    struct assay_collection *collection = assay_collection_open(&run->options);
    if (collection == NULL) {
        return assay_say_no_memory();
    }
    struct assay_results none = *assay_collection_so_far(collection);
    int status = check_catalogues(m, &none);
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < m->reports.place_count && status == 0 && error == ASSAY_OK; i++) {
        error = add_input(m, collection, i, &diag);
    }
    if (error != ASSAY_OK) {
        status = error == ASSAY_NO_MEMORY ? assay_say_no_memory() : ASSAY_EXIT_USAGE;
        if (error != ASSAY_NO_MEMORY) {
            assay_say(&diag);
        }
    }
    status = status != 0 ? status : assay_outputs_open(&run->outputs);
    if (status == 0) {
        struct assay_results results = *assay_collection_results(collection);
        assay_list_options(&run->noted, &run->options, run->input.setup.format, &none);
        status = assay_check_run_finish(run, &results, begun);
    }
    assay_collection_close(collection);
    return status;
}

/* That no report takes the place of one that is read. */
static int check_outputs(struct merge *m)
{
    for (size_t i = 0; i < m->reports.count; i++) {
        assay_files_read(&m->run.files, m->reports.paths[i]);
    }
    for (size_t i = 0; i < m->run.evidence.count; i++) {
        assay_files_read(&m->run.files, m->run.evidence.list[i].path);
    }
    return assay_outputs_check(&m->run.outputs, &assay_command_merge, &m->run.files);
}

static int merge(struct merge *m, const char *const *paths, size_t count)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct timespec begun;
    clock_gettime(CLOCK_REALTIME, &begun);
    const enum assay_error error = assay_shard_reports_open(&m->reports, paths, count, &diag);
    if (error != ASSAY_OK) {
        assay_say(&diag);
        return error == ASSAY_NO_MEMORY ? ASSAY_EXIT_AGAIN : ASSAY_EXIT_USAGE;
    }
    int status = replay(m);
    status = status != 0 ? status : take_evidence(m);
    status = status != 0 ? status : take_skipped(m);
    status = status != 0 ? status : check_outputs(m);
    return status != 0 ? status : put_together(m, &begun);
}

static int run_merge(int argc, char **argv)
{
    struct merge m = {.reports = {0}};
    const char *value = NULL;
    int status = 0;
    int index = 1;
    assay_check_run_begin(&m.run, &assay_command_check);
    m.run.merged = true;
    m.run.outputs.ended = true;
    for (int option; status == 0 && (option = assay_next_option(&assay_command_merge, argc, argv,
                                                                &index, &value, &status)) >= 0;) {
        status = option == 0 ? (status != 0 ? status : -1) : take_option(&m, option, value);
    }
    if (status == 0 && index == argc) {
        status = assay_usage_error(&assay_command_merge, "no report is given");
    }
    status =
        status != 0 ? status : merge(&m, (const char *const *)argv + index, (size_t)(argc - index));
    assay_check_run_end(&m.run);
    assay_shard_reports_close(&m.reports);
    assay_arena_free(&m.arena);
    free(m.arguments);
    return status > 0 ? status : 0;
}

const struct assay_command assay_command_merge = {
    .name = "merge",
    .usage = "[options] REPORT...",
    .summary = "one report of the JSON reports of shards",
    .details =
        "REPORT is what assay check --shard I/N --report json=REPORT wrote; all N are given, in "
        "any\n"
        "order. The reports that are written are those of a run that was not divided, byte for\n"
        "byte but for `environment` (and the order of findings in jsonl). Files of rules, "
        "waivers,\n"
        "selections and the baseline that the shards' options name are read again, and must be\n"
        "the same.\n\n"
        "Exit status: as of assay check; 2 also where a report is missing, cut off or altered, or\n"
        "they do not belong together.\n",
    .options = options,
    .run = run_merge,
};
