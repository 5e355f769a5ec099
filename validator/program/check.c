/* assay check: judge traces. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/yaml.h"
#include "execution/execution.h"
#include "image/image.h"
#include "reports/baseline.h"
#include "validator/engine/evidence.h"
#include "validator/program/files.h"
#include "validator/program/given.h"
#include "validator/program/interrupt.h"
#include "validator/program/outputs.h"
#include "validator/program/paths.h"
#include "validator/program/program.h"
#include "validator/program/progress.h"
#include "validator/program/selection.h"

enum { MAX_FINDINGS = 100000 };

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
     "number of the recorded thread that the trace is of (default: of STF\nthose that it names, "
     "else 0, the first)"},
    {'i', false, "interpret", "ID=READING", "take this reading of an ambiguous clause; repeatable"},
    {'R', false, "rules", "FILE", "more rules (YAML); repeatable"},
    {'O', false, "only", "SEL,..",
     "only these rules; repeatable. SEL: an id, a range STF-0500..0503, a\nglob, level:must, "
     "area:walk, layer:packet, clause:STF-PTW-020, profile:stf-1.3,\n@FILE"},
    {'S', false, "skip", "SEL,..", "all rules but these; repeatable"},
    {'w', false, "waive", "FILE",
     "waivers (YAML): violations that are known and do not count; repeatable"},
    {'B', false, "baseline", "FILE",
     "JSON report of an earlier run: say what is new since then and what is\ngone; the exit status "
     "is of what is new"},
    {'r', false, "report", "KIND[=PATH]",
     "text, json, jsonl, summary, junit, sarif or html, to PATH or\nstandard output; repeatable; "
     "default: text"},
    {'s', false, "summary", NULL, "--report summary: a line for each input, and the total"},
    {'q', true, "quiet", NULL, "nothing on standard output: only errors, and the exit status"},
    {'m', false, "max-findings", "N",
     "findings of each rule and input (default 20), of a run 25,000; counts stay\nexact"},
    {'l', false, "fail-on", "LEVEL",
     "must (default), should, may-not-rely, info or never: from which level\non a violation "
     "decides "
     "the verdict"},
    {'j', false, "jobs", "N", "inputs, or parts of the work on one, at the same time (default 1)"},
    {'p', false, "progress", "WHEN",
     "auto (default), always or never: show the progress on\nstandard error"},
    {'v', false, "verdict-exit", "0|1", "0: exit with 0 whatever the verdict (default 1)"},
    {'V', false, "verbose", NULL,
     "the text report in full: places with their events, clauses, readings,\nand what was not "
     "judged; so it is too with --only"},
    {'C', false, "color", "WHEN",
     "auto (default), always or never: colours in the text report; NO_COLOR\nin the environment "
     "is never, but for always"},
    {'e', false, "evaluate", NULL,
     "evaluate the rules instead of running their compiled form (slow;\nfor checking the checks)"},
    {0},
};

struct run {
    const struct assay_command *self;
    struct assay_check_options options;
    struct assay_input input; /* what all inputs have in common */
    struct assay_selection selection;
    struct assay_options_noted noted;
    struct assay_facts facts;
    struct assay_outputs outputs;
    struct assay_files files;            /* that are read */
    struct assay_evidence_list evidence; /* of those that options name */
    struct assay_paths paths;
    struct assay_stop stop;
    struct assay_waivers waivers;
    struct assay_baseline *baseline;
    struct assay_given given;
    struct assay_progress shown;
    const char *rule_files[ASSAY_MAX_RULE_FILES];
    size_t rule_file_count;
    struct assay_image_set *images;
    const char *progress;
    bool verdict_exit;
};

/* --- the command line --- */

static int set_level(struct run *run, const char *value)
{
    run->options.never_fail = strcmp(value, "never") == 0;
    if (run->options.never_fail || assay_level_by_name(value, &run->options.fail_on)) {
        return 0;
    }
    return assay_usage_error(
        run->self, "--fail-on is must, should, may-not-rely, info or never, not \"%s\"", value);
}

static int add_image(struct run *run, const char *value)
{
    const int status = assay_image_set_option(run->self, value, &run->images);
    if (status == 0) {
        const size_t last = assay_image_count(run->images) - 1;
        const char *path = assay_image_info(run->images, last)->path;
        assay_evidence_add(&run->evidence, "image", path, false);
    }
    return status;
}

/* Options that say what is judged and how, for the report. */
static void note_option(struct run *run, int option, const char *value)
{
    if (strchr("PFcIxiROSweB", option) != NULL) {
        for (const struct assay_option *o = options; o->name != NULL; o++) {
            if (o->letter == option) {
                assay_note_option(&run->noted, o->name, value != NULL ? value : "true");
            }
        }
    }
}

static int select_rules(struct run *run, const char *value, bool only)
{
    if (value[0] == '@') {
        assay_evidence_add(&run->evidence, "selection", value + 1, false);
    }
    return assay_selection_rules(&run->selection, run->self, value, only);
}

/* When something is done: "auto", "always" or "never". */
static int set_when(struct run *run, const char *name, const char *value, const char **when)
{
    *when = value;
    return strcmp(value, "auto") == 0 || strcmp(value, "always") == 0 || strcmp(value, "never") == 0
               ? 0
               : assay_usage_error(run->self, "--%s is auto, always or never", name);
}

static int take_baseline(struct run *run, const char *value)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assay_evidence_add(&run->evidence, "baseline", value, false);
    const enum assay_error error = assay_baseline_load(value, &run->baseline, &diag);
    if (error == ASSAY_NO_MEMORY) {
        return assay_say_no_memory();
    }
    if (error != ASSAY_OK) {
        assay_say(&diag);
    }
    return error != ASSAY_OK ? ASSAY_EXIT_USAGE : 0;
}

static int set_option(struct run *run, int option, const char *value)
{
    uint64_t number = 0;
    const int status = assay_given_note(&run->given, run->self, "fPFGcxtmljpvCB", option, value);
    if (status != 0) {
        return status;
    }
    switch (option) {
    case 'f':
        if (strcmp(value, "auto") == 0) {
            return 0;
        }
        run->input.setup.format = assay_named_format(run->self, value);
        return run->input.setup.format != NULL ? 0 : ASSAY_EXIT_USAGE;
    case 'P':
        return assay_profile_option(run->self, value, &run->input.setup.format,
                                    &run->input.setup.profile);
    case 'F':
        run->input.setup.facts = &run->facts;
        assay_evidence_add(&run->evidence, "facts", value, false);
        return assay_facts_option(value, &run->facts);
    case 'G':
        return assay_framing_option(run->self, value, &run->input.setup);
    case 'c':
        run->input.setup.config_file = value;
        assay_evidence_add(&run->evidence, "config", value, false);
        return 0;
    case 'I':
        return add_image(run, value);
    case 'A':
        run->input.allow_outside = true;
        return 0;
    case 'x':
        run->input.setup.execution = value;
        return 0;
    case 'i':
        return assay_selection_interpret(&run->selection, run->self, value);
    case 'O':
        run->outputs.verbose = true;
        return select_rules(run, value, true);
    case 'S':
        return select_rules(run, value, false);
    case 'r':
        return assay_outputs_add(&run->outputs, run->self, value);
    case 'l':
        return set_level(run, value);
    case 'w':
        assay_evidence_add(&run->evidence, "waivers", value, false);
        return assay_waive_option(value, &run->selection, &run->waivers);
    case 'B':
        return take_baseline(run, value);
    case 's':
        return assay_outputs_add(&run->outputs, run->self, "summary");
    case 'q':
        run->outputs.quiet = true;
        return 0;
    case 'e':
        run->options.evaluate = true;
        return 0;
    case 'p':
        return set_when(run, "progress", value, &run->progress);
    case 'C':
        return set_when(run, "color", value, &run->outputs.color);
    case 'V':
        run->outputs.verbose = true;
        return 0;
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
        } else if (run->rule_file_count == ASSAY_MAX_RULE_FILES) {
            status = assay_usage_error(run->self, "there are more than %d rule files",
                                       ASSAY_MAX_RULE_FILES);
        } else {
            run->rule_files[run->rule_file_count++] = value;
            assay_evidence_add(&run->evidence, "rules", value, false);
        }
        if (status != 0) {
            return status;
        }
    }
    return 0;
}

/* --- the run --- */

/* That no report takes the place of anything that is read. */
static int check_outputs(struct run *run)
{
    assay_files_read(&run->files, run->input.setup.execution);
    for (size_t i = 0; i < run->evidence.count; i++) {
        assay_files_read(&run->files, run->evidence.list[i].path);
    }
    return run->evidence.out_of_memory ? assay_say_no_memory()
                                       : assay_outputs_check(&run->outputs, run->self, &run->files);
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

static int exit_of_conclusion(enum assay_conclusion conclusion)
{
    switch (conclusion) {
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
        const bool of_execution = execution != NULL && strcmp(input->diag.path, execution) == 0;
        const bool of_image =
            (input->diag.error == ASSAY_UNSUPPORTED || input->diag.error == ASSAY_USAGE) &&
            is_image(run, input->diag.path);
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
    enum assay_conclusion conclusion = results->conclusion;
    if (results->baseline != NULL) {
        conclusion = results->baseline->conclusion;
        conclusion = conclusion == ASSAY_CONFORMS && assay_evidence_changed(&run->evidence)
                         ? ASSAY_INCOMPLETE
                         : conclusion;
    }
    const bool unreadable = conclusion == ASSAY_UNREADABLE;
    return unreadable || run->verdict_exit ? exit_of_conclusion(conclusion) : 0;
}

/* What the run knows besides what was judged. */
static void complete_results(struct run *run, struct assay_results *results)
{
    results->options = run->noted.list;
    results->option_count = run->noted.count;
    assay_evidence_verify(&run->evidence);
    results->jobs = run->options.jobs;
    results->skipped = run->paths.skipped;
    results->skipped_count = run->paths.skipped_count;
    results->evidence = run->evidence.list;
    results->evidence_count = run->evidence.count;
    if (results->conclusion == ASSAY_CONFORMS && assay_evidence_changed(&run->evidence)) {
        results->conclusion = ASSAY_INCOMPLETE;
    }
    for (size_t i = 0; i < results->input_count; i++) {
        results->interrupted =
            results->inputs[i].interrupted ? assay_interrupt_signal() : results->interrupted;
    }
}

static void begin_progress(struct run *run, const struct assay_input *inputs, size_t count)
{
    const bool wanted =
        strcmp(run->progress, "always") == 0 ||
        (strcmp(run->progress, "auto") == 0 && !run->outputs.quiet && isatty(STDERR_FILENO) != 0);
    if (wanted && assay_progress_begin(&run->shown, inputs, count)) {
        run->options.progress = assay_progress_show;
        run->options.progress_context = &run->shown;
    }
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
    run->options.waivers = run->waivers.count > 0 ? &run->waivers : NULL;
    begin_progress(run, inputs, count);
    enum assay_error error = assay_check_open(&run->options, &check, &diag);
    if (error == ASSAY_OK) {
        struct assay_results none = *assay_check_begun(check);
        assay_list_options(&run->noted, &run->options, run->input.setup.format, &none);
        assay_outputs_start(&run->outputs, &none, count, &run->options);
        error = assay_check_inputs(check, inputs, count, &diag);
    }
    if (run->options.progress != NULL) {
        assay_progress_end(&run->shown);
    }
    int status = 0;
    if (error != ASSAY_OK) {
        assay_say(&diag);
        status = assay_exit_of(error);
        assay_outputs_discard(&run->outputs);
    } else {
        struct assay_results results = *assay_check_results(check);
        complete_results(run, &results);
        set_environment(&results, &begun, host, sizeof host, started, sizeof started);
        status =
            run->baseline != NULL
                ? assay_exit_of(assay_baseline_compare(run->baseline, &results, &results.baseline))
                : 0;
        status = status != 0 ? assay_say_no_memory() : status_of(run, &results);
        status = assay_more_severe_exit(status, assay_say_unused_waivers(&results));
        results.exit_status = status;
        status = assay_outputs_write(&run->outputs, &results, status);
    }
    assay_check_close(check);
    return status;
}

static int judge_paths(struct run *run)
{
    const struct assay_paths *paths = &run->paths;
    struct assay_input *inputs = calloc(paths->count, sizeof *inputs);
    if (inputs == NULL) {
        assay_outputs_discard(&run->outputs);
        return assay_say_no_memory();
    }
    for (size_t i = 0; i < paths->count; i++) {
        inputs[i] = run->input;
        inputs[i].path = paths->list[i].path;
        inputs[i].refused = paths->list[i].refused;
    }
    const int status = judge(run, inputs, paths->count);
    free(inputs);
    return status;
}

/* A report that is to hold digests is worth nothing without them. */
static int check_digests(void)
{
    struct assay_digest digest;
    char text[ASSAY_DIGEST_TEXT];
    assay_digest_begin(&digest);
    if (assay_digest_end(&digest, text) == ASSAY_OK) {
        return 0;
    }
    fputs("assay: SHA-256 cannot be computed; the configuration of OpenSSL may exclude it\n",
          stderr);
    return ASSAY_EXIT_AGAIN;
}

static int check_operands(const struct run *run, char **operands, size_t count)
{
    size_t standard = 0;
    for (size_t i = 0; i < count; i++) {
        standard += strcmp(operands[i], "-") == 0;
    }
    if (count == 0) {
        return assay_usage_error(run->self, "no input is given");
    }
    return standard > 1 ? assay_usage_error(run->self, "standard input can be read only once") : 0;
}

/* Once the command line is understood. */
static int run_operands(struct run *run, char **operands, size_t count)
{
    const struct assay_paths_options wanted = {.format = run->input.setup.format,
                                               .allow_outside = run->input.allow_outside};
    int status = assay_image_seal_option(&run->images);
    run->input.setup.images = run->images;
    status = status != 0 ? status
                         : assay_paths_find(&run->paths, &wanted, (const char *const *)operands,
                                            count, &run->files);
    status = status != 0 ? status : check_outputs(run);
    run->options.digest = assay_outputs_want_digest(&run->outputs);
    if (status == 0 && run->options.digest) {
        status = check_digests();
        assay_evidence_digest(&run->evidence);
    }
    status = status != 0 ? status : assay_outputs_open(&run->outputs);
    if (status != 0) {
        return status;
    }
    if (assay_stop_open(&run->stop) == ASSAY_OK) {
        run->options.stop = &run->stop;
        assay_interrupt_begin(&run->stop);
    }
    return judge_paths(run);
}

static int run_check(int argc, char **argv)
{
    struct run run = {.self = &assay_command_check,
                      .progress = "auto",
                      .outputs = {.color = "auto", .lock = PTHREAD_MUTEX_INITIALIZER},
                      .verdict_exit = true,
                      .stop = {.fd = -1}};
    int index = 1;
    run.options.max_findings = 20;
    run.input.setup.execution_thread = ASSAY_EXECUTION_THREAD_FROM_TRACE;
    run.options.fail_on = ASSAY_MUST;
    run.options.jobs = 1;
    int status = read_options(&run, argc, argv, true, &index);
    status = status != 0
                 ? status
                 : assay_selection_open(&run.selection, run.rule_files, run.rule_file_count);
    status = status != 0 ? status : read_options(&run, argc, argv, false, &index);
    status = status != 0 ? status : check_operands(&run, argv + index, (size_t)(argc - index));
    status = status != 0
                 ? status
                 : assay_given_check(&run.given, run.self, (const char *const *)argv + index,
                                     (size_t)(argc - index));
    status = status != 0 ? status : run_operands(&run, argv + index, (size_t)(argc - index));
    assay_paths_free(&run.paths);
    assay_files_close(&run.files);
    assay_evidence_close(&run.evidence);
    assay_waivers_free(&run.waivers);
    assay_baseline_free(run.baseline);
    assay_selection_close(&run.selection);
    assay_facts_clear(&run.facts);
    assay_image_set_free(run.images);
    if (run.options.stop != NULL) {
        assay_interrupt_end();
        assay_stop_close(&run.stop);
    }
    return status > 0 ? status : 0;
}

const struct assay_command assay_command_check = {
    .name = "check",
    .usage = "[options] INPUT...",
    .summary = "judge traces by the rules of their format",
    .details =
        "INPUT is a trace, a manifest *.assay.yaml, a CoreSight snapshot (snapshot.ini,\n"
        "contents.ini), a directory (all of these below it), or - for standard input. Of a\n"
        "directory every file is judged or accounted for: links are followed, and what is called\n"
        "a trace (.stf, .astf ...) and is none is unreadable.\n\n"
        "Exit status: 0 conforms; 1 violates; 2 wrong usage; 3 an input cannot be read;\n"
        "4 incomplete; 70 a defect of this program; 75 a passing fault, try again;\n"
        "129, 130, 143 a signal (SIGHUP, ^C, SIGTERM) ended the run, and the reports are of what\n"
        "was judged before.\n",
    .options = options,
    .run = run_check,
};
