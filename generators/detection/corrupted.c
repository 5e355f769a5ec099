/* Traces with one planted change each, for certificates (docs/certification.md): the whole trace
 * that the reference encoder makes of a workload's recording is corrupted in the ways of a table.
 *
 *     assay-corrupted --table NAME --workload NAME -o FOLDER [--trials N] [--seed N] [--level NAME]
 *                     [--way N] [--name NAME] RECORDING[,FACTS[,PROGRAM]]
 *
 * Writes FOLDER/NAME-KIND-TRIAL for each trial (the name is the workload's, if none is given), and
 * FOLDER/NAME as it was made, and prints
 * of each kind that there is a place for a line: its number, the level or feature, what the table
 * says that shows it, how many trials were made, its title, and why not all are refused, with tabs
 * between. --level takes the kinds of that level or feature alone; --way is which of the table's
 * ways of making traces is taken. A trial whose bytes are those of an earlier one is left out. Exit
 * status 2: something cannot be read or made. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common/retained.h"
#include "corrupt.h"

enum { FAILED = 2, MOST_TRIALS = 10000 };

struct corrupted {
    const char *table_name, *workload, *name, *folder, *level, *recording;
    uint64_t trials, seed, way;
    struct detection_table table;
    struct detection_subjects subjects;
    struct assay_sink *made; /* of the trials of a kind so far */
};

static enum assay_error write_file(const struct corrupted *c, const char *ending,
                                   const struct assay_sink *bytes, struct assay_diag *diag)
{
    char path[1024];
    struct assay_sink sink;
    snprintf(path, sizeof path, "%s/%s%s", c->folder, c->name, ending);
    enum assay_error error = assay_sink_open(&sink, path, diag);
    if (error == ASSAY_OK) {
        assay_sink_write(&sink, bytes->data, bytes->size);
        error = assay_sink_close(&sink, diag);
    }
    return error;
}

static bool is_meant(const struct corrupted *c, const struct detection_corruption *kind)
{
    bool in = kind->in == NULL;
    for (size_t i = 0; !in && i < kind->in->count; i++) {
        in = assay_yaml_is(kind->in->items[i], c->workload);
    }
    return in && (c->level == NULL ||
                  (kind->spoken_of_by != NULL && strcmp(kind->spoken_of_by, c->level) == 0));
}

static bool is_repeated(const struct corrupted *c, unsigned count, const struct assay_sink *bytes)
{
    unsigned i = 0;
    while (i < count && (c->made[i].size != bytes->size ||
                         memcmp(c->made[i].data, bytes->data, bytes->size) != 0)) {
        i++;
    }
    return i < count;
}

/* One trial; *made counts those of the kind that are kept. */
static enum assay_error try_once(struct corrupted *c, size_t number, unsigned trial, unsigned *made,
                                 struct assay_diag *diag)
{
    uint64_t seed = detection_seed(c->seed, number, trial);
    const struct detection_subject *subject = NULL;
    struct assay_sink *sink = &c->made[*made];
    char ending[64];
    enum assay_error error =
        detection_corrupt(&c->subjects, &c->table, number, &seed, sink, &subject, diag);
    if (error != ASSAY_OK || subject == NULL || is_repeated(c, *made, sink)) {
        assay_sink_close(sink, NULL);
        return error;
    }
    snprintf(ending, sizeof ending, "-%zu-%u", number + 1, *made + 1);
    (*made)++;
    return write_file(c, ending, sink, diag);
}

static enum assay_error try_kind(struct corrupted *c, size_t number, struct assay_diag *diag)
{
    const struct detection_corruption *kind = &c->table.list[number];
    enum assay_error error = ASSAY_OK;
    unsigned made = 0;
    for (unsigned trial = 0; trial < c->trials && error == ASSAY_OK; trial++) {
        error = try_once(c, number, trial, &made, diag);
    }
    if (made > 0 && error == ASSAY_OK) {
        const char *shown = kind->shown_by == DETECTION_BY_LEGAL     ? "legal"
                            : kind->shown_by == DETECTION_BY_NOTHING ? "nothing"
                                                                     : "always";
        printf("%zu\t%s\t%s\t%u\t%s\t%s\n", number + 1,
               kind->spoken_of_by != NULL ? kind->spoken_of_by : "", shown, made, kind->title,
               kind->missed != NULL ? kind->missed : "");
    }
    while (made > 0) {
        assay_sink_close(&c->made[--made], NULL);
    }
    return error;
}

static enum assay_error make(struct corrupted *c, struct assay_diag *diag)
{
    char text[3 * 1024];
    char *rest = text;
    snprintf(text, sizeof text, "%s", c->recording);
    const char *path = strsep(&rest, ",");
    const char *facts = strsep(&rest, ",");
    const struct detection_recording recording = {
        .path = path, .facts = facts != NULL && *facts != '\0' ? facts : NULL, .program = rest};
    enum assay_error error =
        detection_add_whole(&c->subjects, &c->table, &recording, (size_t)c->way, diag);
    error =
        error != ASSAY_OK ? error : detection_find_places(&c->subjects.list[0], &c->table, diag);
    return error != ASSAY_OK ? error : write_file(c, "", &c->subjects.list[0].trace, diag);
}

static enum assay_error run(struct corrupted *c, struct assay_diag *diag)
{
    enum assay_error error = detection_table_load(c->table_name, &c->table, diag);
    c->made = calloc(c->trials, sizeof *c->made);
    if (error == ASSAY_OK && c->made == NULL) {
        error = assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    error = error != ASSAY_OK ? error : make(c, diag);
    for (size_t i = 0; i < c->table.count && error == ASSAY_OK; i++) {
        if (is_meant(c, &c->table.list[i])) {
            error = try_kind(c, i, diag);
        }
    }
    free(c->made);
    detection_free(&c->subjects, &c->table);
    detection_table_free(&c->table);
    return error;
}

/* --- the command line --- */

static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
    char *end = NULL;
    *number = strtoull(text, &end, 0);
    return end != text && *end == '\0' && *number >= least && *number <= most;
}

static bool read_options(struct corrupted *c, int argc, char **argv)
{
    static const struct option options[] = {{"table", required_argument, NULL, 'f'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"workload", required_argument, NULL, 'w'},
                                            {"trials", required_argument, NULL, 't'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"level", required_argument, NULL, 'l'},
                                            {"way", required_argument, NULL, 'y'},
                                            {"name", required_argument, NULL, 'n'},
                                            {0}};
    int option;
    bool right = true;
    while (right && (option = getopt_long(argc, argv, "o:", options, NULL)) >= 0) {
        right = option == 's'   ? read_number(optarg, 0, UINT64_MAX, &c->seed)
                : option == 't' ? read_number(optarg, 1, MOST_TRIALS, &c->trials)
                : option == 'y' ? read_number(optarg, 0, 100, &c->way)
                : option == 'f' ? (c->table_name = optarg) != NULL
                : option == 'w' ? (c->workload = optarg) != NULL
                : option == 'o' ? (c->folder = optarg) != NULL
                : option == 'n' ? (c->name = optarg) != NULL
                : option == 'l' ? (c->level = optarg) != NULL
                                : false;
    }
    c->name = c->name != NULL ? c->name : c->workload;
    c->recording = optind + 1 == argc ? argv[optind] : NULL;
    return right && c->table_name != NULL && c->workload != NULL && c->folder != NULL &&
           c->recording != NULL;
}

int main(int argc, char **argv)
{
    struct corrupted c = {.trials = 8};
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assay_retain_memory();
    if (!read_options(&c, argc, argv)) {
        fprintf(stderr,
                "usage: assay-corrupted --table NAME --workload NAME -o FOLDER [--trials N] "
                "[--seed N] [--level NAME] [--way N] [--name NAME] "
                "RECORDING[,FACTS[,PROGRAM]]\n");
        return FAILED;
    }
    if (run(&c, &diag) != ASSAY_OK) {
        fprintf(stderr, "assay-corrupted: %s: %s\n", diag.path[0] != '\0' ? diag.path : c.recording,
                diag.message);
        return FAILED;
    }
    return 0;
}
