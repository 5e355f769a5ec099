/* assay check: judge traces. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/yaml.h"
#include "execution/execution.h"
#include "image/image.h"
#include "reports/report.h"
#include "validator/program/program.h"
#include "validator/program/selection.h"

enum { MAX_REPORTS = 8, MAX_RULE_FILES = 64, MAX_FINDINGS = 100000 };

static const struct assay_option options[] = {
    {'f', false, "format", "F", "auto (by magic; default) or the name of a format"},
    {'P', false, "profile", "NAME",
     "version and dialect to judge by; default: what the file declares"},
    {'F', false, "facts", "FILE", "platform facts (YAML): features, address sizes ..."},
    {'G', false, "framing", "NAME",
     "how packets, or streams, are put into the bytes, as in a manifest;\ndefault: what that says, "
     "else raw"},
    {'c', false, "config", "FILE",
     "parameters of the encoder or trace unit (YAML, or lines NAME=VALUE)"},
    {'I', false, "image", "FILE[@ADDRESS][,..]",
     "program that was traced, ELF or raw; repeatable. After commas: el=N,\nnonsecure, secure, "
     "realm or root, vmid=N, context=N"},
    {'A', false, "allow-outside", NULL, "a manifest may name files outside of its folder"},
    {'x', false, "execution", "FILE", "recorded execution that the trace is checked against"},
    {'t', false, "thread", "N",
     "number of the recorded thread that the trace is of (default: of STF\nthose that it tells, "
     "else 0, the first)"},
    {'i', false, "interpret", "ID=READING", "take this reading of an ambiguous clause; repeatable"},
    {'R', false, "rules", "FILE", "more rules (YAML); repeatable"},
    {'O', false, "only", "ID,..", "only these rules; repeatable"},
    {'S', false, "skip", "ID,..", "all rules but these; repeatable"},
    {'r', false, "report", "KIND[=PATH]",
     "text or json, to PATH or standard output; repeatable;\ndefault: text"},
    {'m', false, "max-findings", "N",
     "findings shown for each rule (default 20); counts stay exact"},
    {'l', false, "fail-on", "LEVEL",
     "must (default), should, info or never: from which level on a\nviolation decides the verdict"},
    {'j', false, "jobs", "N", "inputs, or parts of the work on one, at the same time (default 1)"},
    {'p', false, "progress", "WHEN",
     "auto (default), always or never: tell on standard error how\nfar it is"},
    {'v', false, "verdict-exit", "0|1", "0: exit with 0 whatever the verdict (default 1)"},
    {'e', false, "evaluate", NULL,
     "evaluate the rules instead of running their compiled form (slow;\nfor checking the checks)"},
    {0},
};

struct wanted_report {
    const struct assay_report_writer *writer;
    const char *path;
    struct assay_sink sink;
};

struct run {
    const struct assay_command *self;
    struct assay_check_options options;
    struct assay_input input; /* what all inputs have in common */
    struct assay_selection selection;
    struct assay_facts facts;
    struct wanted_report reports[MAX_REPORTS];
    size_t report_count;
    const char *facts_file;
    const char *rule_files[MAX_RULE_FILES];
    size_t rule_file_count;
    struct assay_image_set *images;
    const char *progress;
    bool verdict_exit;
};

/* --- the command line --- */

static int add_report(struct run *run, const char *value)
{
    char kind[32];
    const char *equals = strchr(value, '=');
    const size_t length = equals != NULL ? (size_t)(equals - value) : strlen(value);
    const char *names[16] = {NULL};
    snprintf(kind, sizeof kind, "%.*s", (int)(length < 31 ? length : 31), value);
    if (run->report_count == MAX_REPORTS) {
        return assay_usage_error(run->self, "there are more than %d reports", MAX_REPORTS);
    }
    for (size_t i = 0; i < run->report_count; i++) {
        if (equals == NULL && strcmp(run->reports[i].path, "-") == 0) {
            return assay_usage_error(run->self,
                                     "two reports go to standard output; give one a "
                                     "file: --report %s=PATH",
                                     kind);
        }
    }
    for (size_t i = 0; assay_report_writers[i].name != NULL && i < 15; i++) {
        names[i] = assay_report_writers[i].name;
        if (strcmp(names[i], kind) == 0) {
            run->reports[run->report_count++] = (struct wanted_report){
                .writer = &assay_report_writers[i], .path = equals != NULL ? equals + 1 : "-"};
            return 0;
        }
    }
    const char *near = assay_nearest(kind, names);
    return assay_usage_error(run->self, "there is no report \"%s\"%s%s%s", kind,
                             near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                             near != NULL ? "\"?" : "");
}

static int set_level(struct run *run, const char *value)
{
    run->options.never_fail = strcmp(value, "never") == 0;
    if (run->options.never_fail || assay_level_by_name(value, &run->options.fail_on)) {
        return 0;
    }
    return assay_usage_error(run->self, "--fail-on is must, should, info or never, not \"%s\"",
                             value);
}

/* Options that say what is judged and how, for the report. */
static void note_option(struct run *run, int option, const char *value)
{
    if (strchr("PFcIxiROSe", option) != NULL) {
        for (const struct assay_option *o = options; o->name != NULL; o++) {
            if (o->letter == option) {
                assay_selection_note(&run->selection, o->name, value != NULL ? value : "true");
            }
        }
    }
}

static int set_option(struct run *run, int option, const char *value)
{
    uint64_t number = 0;
    switch (option) {
    case 'f':
        run->input.setup.format =
            strcmp(value, "auto") != 0 ? assay_named_format(run->self, value) : NULL;
        return run->input.setup.format != NULL || strcmp(value, "auto") == 0 ? 0 : ASSAY_EXIT_USAGE;
    case 'P':
        return assay_profile_option(run->self, value, &run->input.setup.format,
                                    &run->input.setup.profile);
    case 'F':
        run->input.setup.facts = &run->facts;
        run->facts_file = value;
        return assay_facts_option(value, &run->facts);
    case 'G':
        return assay_framing_option(run->self, value, &run->input.setup);
    case 'c':
        run->input.setup.config_file = value;
        return 0;
    case 'I':
        return assay_image_set_option(run->self, value, &run->images);
    case 'A':
        run->input.allow_outside = true;
        return 0;
    case 'x':
        run->input.setup.execution = value;
        return 0;
    case 'i':
        return assay_selection_interpret(&run->selection, run->self, value);
    case 'O':
    case 'S':
        return assay_selection_rules(&run->selection, run->self, value, option == 'O');
    case 'r':
        return add_report(run, value);
    case 'l':
        return set_level(run, value);
    case 'e':
        run->options.evaluate = true;
        return 0;
    case 'p':
        run->progress = value;
        return strcmp(value, "auto") == 0 || strcmp(value, "always") == 0 ||
                       strcmp(value, "never") == 0
                   ? 0
                   : assay_usage_error(run->self, "--progress is auto, always or never");
    case 'm':
        if (!assay_number_option(run->self, "max-findings", value, 0, MAX_FINDINGS, &number)) {
            return ASSAY_EXIT_USAGE;
        }
        run->options.max_findings = (unsigned)number;
        return 0;
    case 't':
        if (!assay_number_option(run->self, "thread", value, 0, UINT32_MAX - 1, &number)) {
            return ASSAY_EXIT_USAGE;
        }
        run->input.setup.execution_thread = (uint32_t)number;
        return 0;
    case 'j':
        if (!assay_number_option(run->self, "jobs", value, 1, 256, &number)) {
            return ASSAY_EXIT_USAGE;
        }
        run->options.jobs = (unsigned)number;
        return 0;
    default:
        if (!assay_number_option(run->self, "verdict-exit", value, 0, 1, &number)) {
            return ASSAY_EXIT_USAGE;
        }
        run->verdict_exit = number != 0;
        return 0;
    }
}

/* Rule files are read before the options that name rules; so the command line is gone through
 * twice. */
static int read_options(struct run *run, int argc, char **argv, bool rule_files, int *index)
{
    const char *value = NULL;
    int status = 0;
    optind = 0;
    for (int option;
         (option = assay_next_option(run->self, argc, argv, index, &value, &status)) >= 0;) {
        if (option == 0) {
            return status != 0 ? status : -1;
        }
        if ((option == 'R') != rule_files) {
            continue;
        }
        note_option(run, option, value);
        if (option != 'R') {
            status = set_option(run, option, value);
        } else if (run->rule_file_count == MAX_RULE_FILES) {
            status =
                assay_usage_error(run->self, "there are more than %d rule files", MAX_RULE_FILES);
        } else {
            run->rule_files[run->rule_file_count++] = value;
        }
        if (status != 0) {
            return status;
        }
    }
    return 0;
}

/* --- progress --- */

static void show_progress(void *context, const char *path, uint64_t bytes, uint64_t size)
{
    (void)context;
    const size_t length = strlen(path);
    const double mega = 1e6;
    fprintf(stderr, "\r\033[Kjudging %s", length > 48 ? "..." : "");
    assay_say_text(length > 48 ? path + length - 45 : path);
    fprintf(stderr, "  %.0f MB", (double)bytes / mega);
    if (size >= bytes && size > 0) {
        fprintf(stderr, " of %.0f MB (%.0f%%)", (double)size / mega,
                100.0 * (double)bytes / (double)size);
    }
    fflush(stderr);
}

/* --- reports --- */

static bool same_file(const char *a, const char *b)
{
    struct stat x;
    struct stat y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

/* The file that an option names that the report would take the place of, or null. */
static const char *option_overwritten(const struct run *run, size_t report)
{
    const char *path = run->reports[report].path;
    const char *const options_of_run[] = {run->input.setup.config_file, run->input.setup.execution,
                                          run->facts_file};
    for (size_t i = 0; i < sizeof options_of_run / sizeof options_of_run[0]; i++) {
        if (options_of_run[i] != NULL && same_file(path, options_of_run[i])) {
            return options_of_run[i];
        }
    }
    for (size_t i = 0; i < run->rule_file_count; i++) {
        if (same_file(path, run->rule_files[i])) {
            return run->rule_files[i];
        }
    }
    for (size_t i = 0; run->images != NULL && i < assay_image_count(run->images); i++) {
        if (same_file(path, assay_image_info(run->images, i)->path)) {
            return assay_image_info(run->images, i)->path;
        }
    }
    for (size_t i = 0; i < report; i++) {
        if (strcmp(path, "-") != 0 && strcmp(path, run->reports[i].path) == 0) {
            return run->reports[i].path;
        }
    }
    return NULL;
}

static int check_overwriting(const struct run *run, const struct assay_paths *paths)
{
    for (size_t i = 0; i < run->report_count; i++) {
        struct stat file;
        const char *other = option_overwritten(run, i);
        if (other != NULL) {
            return assay_usage_error(run->self, "the report would overwrite %s", other);
        }
        if (stat(run->reports[i].path, &file) == 0 && assay_paths_named(paths, &file)) {
            return assay_usage_error(run->self,
                                     "the report would overwrite %s, which a manifest names",
                                     run->reports[i].path);
        }
        for (size_t k = 0; k < paths->count; k++) {
            if (same_file(run->reports[i].path, paths->list[k])) {
                return assay_usage_error(run->self, "the report would overwrite the input %s",
                                         paths->list[k]);
            }
        }
    }
    return 0;
}

static int open_reports(struct run *run, const struct assay_paths *paths)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const int status = check_overwriting(run, paths);
    if (status != 0) {
        return status;
    }
    if (run->report_count == 0) {
        add_report(run, "text");
    }
    for (size_t i = 0; i < run->report_count; i++) {
        run->options.digest = run->options.digest || run->reports[i].writer->wants_digest;
        if (assay_sink_open(&run->reports[i].sink, run->reports[i].path, &diag) != ASSAY_OK) {
            assay_say(&diag);
            for (size_t k = 0; k < i; k++) {
                assay_sink_close(&run->reports[k].sink, NULL);
            }
            return ASSAY_EXIT_USAGE;
        }
    }
    return 0;
}

static struct assay_report_style style_of(const struct wanted_report *report)
{
    struct assay_report_style style = {0};
    struct winsize window;
    if (strcmp(report->path, "-") == 0 && isatty(STDOUT_FILENO) != 0) {
        style.color = getenv("NO_COLOR") == NULL;
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) {
            style.width = window.ws_col;
        }
    }
    return style;
}

static int write_reports(struct run *run, const struct assay_results *results, int status)
{
    for (size_t i = 0; i < run->report_count; i++) {
        struct wanted_report *report = &run->reports[i];
        const struct assay_report_style style = style_of(report);
        const enum assay_error error = report->writer->write(results, &style, &report->sink);
        const int finished = assay_finish_output(&report->sink, status);
        if (error != ASSAY_OK || finished != status) {
            status = ASSAY_EXIT_AGAIN;
        }
    }
    return status;
}

static void set_environment(struct assay_results *results, const struct timespec *begun, char *host,
                            size_t host_size, char *started, size_t started_size)
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    host[0] = '\0';
    gethostname(host, host_size - 1);
    gmtime_r(&begun->tv_sec, &utc);
    strftime(started, started_size, "%Y-%m-%dT%H:%M:%SZ", &utc);
    results->host = host;
    results->started = started;
    results->seconds =
        (double)(now.tv_sec - begun->tv_sec) + (double)(now.tv_nsec - begun->tv_nsec) / 1e9;
}

static int exit_of_conclusion(const struct assay_results *results)
{
    switch (results->conclusion) {
    case ASSAY_CONFORMS:
        return ASSAY_EXIT_CONFORMS;
    case ASSAY_VIOLATES:
        return ASSAY_EXIT_VIOLATES;
    case ASSAY_INCOMPLETE:
        return ASSAY_EXIT_INCOMPLETE;
    default:
        return ASSAY_EXIT_UNREADABLE;
    }
}

/* Whether an image of the option --image is at this path. */
static bool is_image(const struct run *run, const char *path)
{
    const size_t count = run->images != NULL ? assay_image_count(run->images) : 0;
    size_t at = 0;
    while (at < count && strcmp(assay_image_info(run->images, at)->path, path) != 0) {
        at++;
    }
    return at < count;
}

/* A wrong file that an option names is not the fault of an input. */
static bool blames_option(const struct run *run, const struct assay_results *results)
{
    const char *config = run->input.setup.config_file;
    const char *execution = run->input.setup.execution;
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        const bool of_config = config != NULL && strcmp(input->diag.path, config) == 0;
        const bool of_execution = execution != NULL && input->diag.error == ASSAY_USAGE &&
                                  strcmp(input->diag.path, execution) == 0;
        const bool of_image =
            input->diag.error == ASSAY_UNSUPPORTED && is_image(run, input->diag.path);
        if (input->conclusion == ASSAY_UNREADABLE && (of_config || of_execution || of_image)) {
            return true;
        }
    }
    return false;
}

static int status_of(const struct run *run, const struct assay_results *results)
{
    if (blames_option(run, results)) {
        return ASSAY_EXIT_USAGE;
    }
    const bool unreadable = results->conclusion == ASSAY_UNREADABLE;
    return unreadable || run->verdict_exit ? exit_of_conclusion(results) : 0;
}

static int judge(struct run *run, const struct assay_input *inputs, size_t count)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_check *check = NULL;
    struct timespec begun;
    char host[256];
    char started[32];
    clock_gettime(CLOCK_REALTIME, &begun);
    assay_selection_apply(&run->selection, &run->options);
    enum assay_error error = assay_check_open(&run->options, &check, &diag);
    error = error != ASSAY_OK ? error : assay_check_inputs(check, inputs, count, &diag);
    if (run->options.progress != NULL) {
        fprintf(stderr, "\r\033[K");
    }
    int status = 0;
    if (error != ASSAY_OK) {
        assay_say(&diag);
        status = assay_exit_of(error);
    } else {
        struct assay_results results = *assay_check_results(check);
        results.jobs = run->options.jobs;
        set_environment(&results, &begun, host, sizeof host, started, sizeof started);
        assay_selection_options(&run->selection, &run->options, run->input.setup.format, &results);
        status = write_reports(run, &results, status_of(run, &results));
    }
    assay_check_close(check);
    return status;
}

static int judge_paths(struct run *run, const struct assay_paths *paths)
{
    struct assay_input *inputs = calloc(paths->count, sizeof *inputs);
    if (inputs == NULL) {
        return ASSAY_EXIT_AGAIN;
    }
    for (size_t i = 0; i < paths->count; i++) {
        inputs[i] = run->input;
        inputs[i].path = paths->list[i];
    }
    const int status = judge(run, inputs, paths->count);
    free(inputs);
    return status;
}

static int run_check(int argc, char **argv)
{
    struct run run = {.self = &assay_command_check, .progress = "auto", .verdict_exit = true};
    int index = 1;
    run.options.max_findings = 20;
    run.input.setup.execution_thread = ASSAY_EXECUTION_THREAD_FROM_TRACE;
    run.options.fail_on = ASSAY_MUST;
    run.options.jobs = 1;
    int status = read_options(&run, argc, argv, true, &index);
    status = status != 0 ? status
                         : assay_selection_open(&run.selection, run.self, run.rule_files,
                                                run.rule_file_count);
    status = status != 0 ? status : read_options(&run, argc, argv, false, &index);
    if (status == 0 && index >= argc) {
        status = assay_usage_error(run.self, "no input is given");
    }
    if (strcmp(run.progress, "always") == 0 ||
        (strcmp(run.progress, "auto") == 0 && isatty(STDERR_FILENO) != 0)) {
        run.options.progress = show_progress;
    }
    struct assay_paths paths = {0};
    if (status == 0) {
        status = assay_image_seal_option(&run.images);
        run.input.setup.images = run.images;
    }
    if (status == 0) {
        const int found =
            assay_paths_find(&paths, run.input.setup.format, run.input.allow_outside,
                             (const char *const *)argv + index, (size_t)(argc - index));
        status = paths.count > 0 ? open_reports(&run, &paths) : 0;
        if (status == 0 && paths.count > 0) {
            status = judge_paths(&run, &paths);
        }
        status = assay_more_severe_exit(status, found);
    }
    assay_paths_free(&paths);
    assay_selection_close(&run.selection);
    assay_facts_clear(&run.facts);
    assay_image_set_free(run.images);
    return status > 0 ? status : 0;
}

const struct assay_command assay_command_check = {
    .name = "check",
    .usage = "[options] INPUT...",
    .summary = "judge traces by the rules of their format",
    .details = "INPUT is a trace, a manifest *.assay.yaml, a directory (all traces and manifests "
               "below it), or\n"
               "- for standard input.\n\n"
               "Exit status: 0 conforms; 1 violates; 2 wrong usage; 3 an input cannot be read;\n"
               "4 incomplete; 70 a defect of this program; 75 a passing fault, try again.\n",
    .options = options,
    .run = run_check,
};
