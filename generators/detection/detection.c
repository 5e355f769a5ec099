/* How much of what is wrong the rules catch: conforming traces are corrupted in one place at a
 * time, of kinds that tables list (astf.yaml and so on), and judged. Prints the shares as the
 * tables of docs/detection.md, or compares them with that page.
 *
 *     assay-detection [--seed N] [--trials N] [--table NAME] [--keep FOLDER] [--compare PAGE]
 *                     [RECORDING[,FACTS[,PROGRAM[,TABLE]]]]...
 *
 * FACTS are those of the machine, and PROGRAM is the file that was executed, for formats whose
 * traces are judged with it. Traces are made for all tables of formats of the machine, or only for
 * TABLE. With
 * --keep the traces that are missed by what should show it are written to a folder, as they were
 * before and after, by number of the kind and of the trial.
 *
 * Traces are made of windows of the recordings, and of the models that generators have. Exit status
 * 1: the page is not what is found; 2: something cannot be read or made. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common/retained.h"
#include "page.h"

/* Of each format, and of what its traces have only with other parameters. */
static const char *const tables[] = {"astf", "stf", "ete", "etrace", "etrace-data"};

enum { WINDOWS = 6, MODELS = 16, DIFFERS = 1, FAILED = 2 };

struct detection {
    struct detection_trials trials;
    char *page;        /* to compare with, or null */
    const char *table; /* the only one that is tried, or null */
    char **recordings;
    size_t recording_count;
    bool agrees;
};

static void report(const struct assay_diag *diag)
{
    fprintf(stderr, "assay-detection: %s", diag->path);
    if (diag->line > 0) {
        fprintf(stderr, ":%u:%u", diag->line, diag->column);
    }
    fprintf(stderr, ": %s\n", diag->message);
}

/* --- one sort of traces of a format --- */

static enum assay_error run(struct detection *d, struct detection_subjects *subjects,
                            const struct detection_table *table, const char *traces,
                            struct assay_diag *diag)
{
    struct detection_tally tally = {.traces = traces};
    enum assay_error error = detection_prepare(subjects, table, diag);
    /* What is made conforms: a rule that is violated, or a decoder that loses its way, is wrong. */
    d->agrees = d->agrees && subjects->dropped == 0;
    if (error == ASSAY_OK && d->page != NULL) {
        printf("%s, %s: %zu\n", table->format->name, traces, subjects->count);
    }
    if (error == ASSAY_OK && subjects->count > 0) {
        error = detection_try(subjects, table, &d->trials, &tally, diag);
    }
    if (error == ASSAY_OK && tally.counts != NULL) {
        if (d->page != NULL) {
            d->agrees = detection_agrees(&tally, d->page) && d->agrees;
        } else {
            detection_print(&tally, stdout);
            d->agrees = detection_is_as_stated(&tally) && d->agrees;
        }
    }
    free(tally.counts);
    detection_free(subjects, table);
    return error;
}

/* The next part of an operand, or null where it is empty or missing. */
static const char *next_part(char **rest)
{
    char *part = *rest;
    char *comma = part != NULL ? strchr(part, ',') : NULL;
    *rest = comma != NULL ? comma + 1 : NULL;
    if (comma != NULL) {
        *comma = '\0';
    }
    return part != NULL && part[0] != '\0' ? part : NULL;
}

static enum assay_error add_recording(struct detection_subjects *subjects, const char *operand,
                                      const struct detection_table *table, struct assay_diag *diag)
{
    char text[3 * 1024];
    char *rest = text;
    snprintf(text, sizeof text, "%s", operand);
    const char *path = next_part(&rest);
    const char *facts = next_part(&rest);
    const struct detection_recording recording = {
        .path = path != NULL ? path : "", .facts = facts, .program = next_part(&rest)};
    const char *only = next_part(&rest);
    if (only != NULL && strcmp(only, table->name) != 0) {
        return ASSAY_OK;
    }
    const enum assay_error error =
        detection_add_recording(subjects, table, &recording, WINDOWS, diag);
    if (error != ASSAY_OK && diag->path[0] == '\0') {
        assay_diag_path(diag, operand);
    }
    return error;
}

/* Without traces the rows of the page are compared alone. */
static enum assay_error compare_rows(struct detection *d, const struct detection_table *table,
                                     const char *traces, struct assay_diag *diag)
{
    const struct detection_tally tally = {
        .table = table, .traces = traces, .counts = calloc(table->count, sizeof *tally.counts)};
    if (tally.counts == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    d->agrees = (d->page == NULL || detection_agrees(&tally, d->page)) && d->agrees;
    free(tally.counts);
    return ASSAY_OK;
}

static enum assay_error run_recordings(struct detection *d, const struct detection_table *table,
                                       struct assay_diag *diag)
{
    static const char recorded[] = "recorded programs";
    struct detection_subjects subjects = {0};
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < d->recording_count && error == ASSAY_OK; i++) {
        error = add_recording(&subjects, d->recordings[i], table, diag);
    }
    if (error != ASSAY_OK || subjects.count == 0) {
        detection_free(&subjects, table);
        return error != ASSAY_OK ? error : compare_rows(d, table, recorded, diag);
    }
    return run(d, &subjects, table, recorded, diag);
}

static enum assay_error run_models(struct detection *d, const struct detection_table *table,
                                   struct assay_diag *diag)
{
    const struct assay_generator *generator = assay_generator_of(table->format);
    struct detection_subjects subjects = {0};
    enum assay_error error = ASSAY_OK;
    /* A model without `make` is a random program, whose traces are those of its recording. */
    if (generator == NULL || generator->models == NULL || generator->models->make == NULL) {
        return ASSAY_OK;
    }
    for (uint64_t i = 0; i < MODELS && error == ASSAY_OK; i++) {
        error = detection_add_model(&subjects, table->format, generator->models, d->trials.seed + i,
                                    diag);
    }
    if (error != ASSAY_OK) {
        detection_free(&subjects, table);
        return error;
    }
    return run(d, &subjects, table, "traces of the model", diag);
}

/* --- the tables --- */

static enum assay_error run_table(struct detection *d, const char *name, struct assay_diag *diag)
{
    struct detection_table table;
    enum assay_error error = detection_table_load(name, &table, diag);
    error = error != ASSAY_OK ? error : run_recordings(d, &table, diag);
    error = error != ASSAY_OK ? error : run_models(d, &table, diag);
    if (error == ASSAY_OK && d->page == NULL) {
        detection_print_reasons(&table, stdout);
    }
    detection_table_free(&table);
    return error;
}

/* --- the command line --- */

static bool read_number(const char *text, uint64_t most, uint64_t *number)
{
    char *end = NULL;
    *number = strtoull(text, &end, 0);
    return end != text && *end == '\0' && *number <= most;
}

static bool read_page(struct detection *d, const char *path)
{
    size_t size = 0;
    char *text = NULL;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    if (assay_text_load(path, &text, &size, &diag) != ASSAY_OK ||
        (d->page = realloc(text, size + 1)) == NULL) {
        fprintf(stderr, "assay-detection: %s cannot be read\n", path);
        return false;
    }
    d->page[size] = '\0';
    return true;
}

static bool read_options(struct detection *d, int argc, char **argv)
{
    static const struct option options[] = {
        {"seed", required_argument, NULL, 's'},    {"trials", required_argument, NULL, 't'},
        {"compare", required_argument, NULL, 'c'}, {"keep", required_argument, NULL, 'k'},
        {"table", required_argument, NULL, 'f'},   {0}};
    uint64_t trials = d->trials.count;
    int option;
    bool right = true;
    while (right && (option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
        right = option == 's'   ? read_number(optarg, UINT64_MAX, &d->trials.seed)
                : option == 't' ? read_number(optarg, 1000000, &trials) && trials > 0
                : option == 'c' ? read_page(d, optarg)
                : option == 'k' ? (d->trials.keep = optarg) != NULL
                : option == 'f' ? (d->table = optarg) != NULL
                                : false;
    }
    d->trials.count = (unsigned)trials;
    d->recordings = argv + optind;
    d->recording_count = (size_t)(argc - optind);
    return right;
}

int main(int argc, char **argv)
{
    struct detection d = {.trials = {.count = 300}, .agrees = true};
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    enum assay_error error = ASSAY_OK;
    assay_retain_memory(); /* thousands of small inputs follow */
    if (!read_options(&d, argc, argv)) {
        fprintf(stderr, "usage: assay-detection [--seed N] [--trials N] [--table NAME] "
                        "[--keep FOLDER] [--compare PAGE] "
                        "[RECORDING[,FACTS[,PROGRAM[,TABLE]]]]...\n");
        free(d.page);
        return FAILED;
    }
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && error == ASSAY_OK; i++) {
        if (d.table == NULL || strcmp(d.table, tables[i]) == 0) {
            error = run_table(&d, tables[i], &diag);
        }
    }
    free(d.page);
    if (error != ASSAY_OK) {
        report(&diag);
        return FAILED;
    }
    return d.agrees ? 0 : DIFFERS;
}
