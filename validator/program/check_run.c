#include "validator/program/check_run.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "execution/execution.h"
#include "image/image.h"
#include "validator/program/interrupt.h"
#include "validator/program/shared_options.h"

enum { MAX_FINDINGS = 100000 };

const struct assay_option assay_check_options_list[] = {
    {'f', false, "format", "F", "auto (by magic; default) or the name of a format"},
    {'P', false, "profile", "NAME",
     "version and dialect to judge by; default: what the file declares"},
    {'F', false, "facts", "FILE", "platform facts (YAML): features, address sizes ..."},
    ASSAY_OPTION_FRAMING,
    ASSAY_OPTION_CONFIG,
    {'I', false, "image", "FILE[@ADDRESS][,..]",
     "program that was traced, ELF or raw; repeatable. After commas: el=N,\nnonsecure, secure, "
     "realm or root, vmid=N, context=N"},
    ASSAY_OPTION_ALLOW_OUTSIDE,
    {'x', false, "execution", "FILE",
     "recorded execution that the trace is checked against; of E-Trace\nalso a record of the "
     "interface, or a log of Spike"},
    {'t', false, "thread", "N",
     "number of the recorded thread that the trace is of, or of the core\nof a log (default: of "
     "STF "
     "those that it names, else 0, the first)"},
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
    ASSAY_OPTION_REPORT,
    ASSAY_OPTION_SUMMARY,
    ASSAY_OPTION_QUIET,
    {'m', false, "max-findings", "N",
     "findings of each rule and input (default 20), of a run 100,000; counts stay\nexact"},
    {'l', false, "fail-on", "LEVEL",
     "must (default), should, may-not-rely, info or never: from which level\non a violation "
     "decides "
     "the verdict"},
    {'H', false, "shard", "I/N",
     "judge only part I of N; assay merge makes one report of the parts'\nJSON reports"},
    {'K', false, "cache", "FOLDER",
     "keep there what judging each input gave, and use what earlier runs kept\nof inputs that are "
     "the "
     "same to the byte"},
    {'j', false, "jobs", "N", "inputs, or streams of a capture, at the same time (default 1)"},
    {'p', false, "progress", "WHEN",
     "auto (default), always or never: show the progress on\nstandard error"},
    ASSAY_OPTION_VERDICT_EXIT,
    {'V', false, "verbose", NULL,
     "the text report in full: places with their events, clauses, readings,\nand what was not "
     "judged; so it is too with --only"},
    {'C', false, "color", "WHEN",
     "auto (default), always or never: colours in the text report; NO_COLOR\nin the environment "
     "is never, but for always"},
    {'u', false, "rule-pages", "URL",
     "where the folder is that assay rules pages wrote: reports name the page of\neach rule"},
    {'e', false, "evaluate", NULL,
     "evaluate the rules instead of running their compiled form (slow;\nfor checking the checks)"},
    {0},
};

/* --- the command line --- */

static int set_level(struct assay_check_run *run, const char *value)
{
    run->options.never_fail = strcmp(value, "never") == 0;
    if (run->options.never_fail || assay_level_by_name(value, &run->options.fail_on)) {
        return 0;
    }
    return assay_usage_error(
        run->self, "--fail-on is must, should, may-not-rely, info or never, not \"%s\"", value);
}

static int add_image(struct assay_check_run *run, const char *value)
{
    const int status = assay_image_set_option(run->self, value, &run->images);
    if (status == 0) {
        const size_t last = assay_image_count(run->images) - 1;
        const char *path = assay_image_info(run->images, last)->path;
        assay_evidence_add(&run->evidence, "image", path, false);
    }
    return status;
}

static const struct assay_option *option_of(int letter)
{
    const struct assay_option *option = assay_check_options_list;
    while (option->letter != letter) {
        option++;
    }
    return option;
}

/* Options that decide what is judged and how. */
static const char deciding[] = "fPFGcIAxtiROSwBmle";

/* Notes those, and of them for the report what is not there anyway. */
static int note_option(struct assay_check_run *run, int letter, const char *value)
{
    const struct assay_option *option = option_of(letter);
    if (strchr("PFcIxiROSweB", letter) != NULL) {
        assay_note_option(&run->noted, option->name, value != NULL ? value : "true");
    }
    if (strchr(deciding, letter) == NULL) {
        return 0;
    }
    if (run->argument_count == run->argument_room) {
        const size_t room = run->argument_room > 0 ? 2 * run->argument_room : 16;
        struct assay_argument *list = realloc(run->arguments, room * sizeof *list);
        if (list == NULL) {
            return assay_say_no_memory();
        }
        run->arguments = list;
        run->argument_room = room;
    }
    run->arguments[run->argument_count++] =
        (struct assay_argument){.option = option, .value = value};
    return 0;
}

const struct assay_option *assay_check_argument(const char *name)
{
    const struct assay_option *option = assay_check_options_list;
    while (option->name != NULL && strcmp(option->name, name) != 0) {
        option++;
    }
    return option->name != NULL && strchr(deciding, option->letter) != NULL ? option : NULL;
}

static int select_rules(struct assay_check_run *run, const char *value, bool only)
{
    if (value[0] == '@') {
        assay_evidence_add(&run->evidence, "selection", value + 1, false);
    }
    return assay_selection_rules(&run->selection, run->self, value, only);
}

int assay_check_when(const struct assay_command *command, const char *name, const char *value,
                     const char **when)
{
    *when = value;
    return strcmp(value, "auto") == 0 || strcmp(value, "always") == 0 || strcmp(value, "never") == 0
               ? 0
               : assay_usage_error(command, "--%s is auto, always or never", name);
}

static int take_baseline(struct assay_check_run *run, const char *value)
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

/* An option whose argument is a number. */
static int set_number(struct assay_check_run *run, int option, const char *value)
{
    static const struct {
        int option;
        const char *name;
        uint64_t least, most;
    } numbers[] = {{'m', "max-findings", 0, MAX_FINDINGS},
                   {'t', "thread", 0, UINT32_MAX - 1},
                   {'j', "jobs", 1, 256},
                   {'v', "verdict-exit", 0, 1}};
    uint64_t number = 0;
    size_t i = 0;
    while (numbers[i].option != option) {
        i++;
    }
    if (!assay_number_option(run->self, numbers[i].name, value, numbers[i].least, numbers[i].most,
                             &number)) {
        return ASSAY_EXIT_USAGE;
    }
    switch (option) {
    case 'm':
        run->options.max_findings = (unsigned)number;
        break;
    case 't':
        run->input.setup.execution_thread = (uint32_t)number;
        break;
    case 'j':
        run->options.jobs = (unsigned)number;
        break;
    default:
        run->verdict_exit = number != 0;
    }
    return 0;
}

static int set_option(struct assay_check_run *run, int option, const char *value)
{
    const int status = assay_given_note(&run->given, run->self, "fPFGcxtmljpvCBHKu", option, value);
    if (status != 0) {
        return status;
    }
    if (run->merged && strchr("FGI", option) != NULL) {
        return 0; /* of what is judged elsewhere */
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
        return assay_check_when(run->self, "progress", value, &run->progress);
    case 'C':
        return assay_check_when(run->self, "color", value, &run->outputs.color);
    case 'V':
        run->outputs.verbose = true;
        return 0;
    case 'u':
        return assay_outputs_rule_pages(&run->outputs, run->self, value);
    case 'K':
        run->cache.folder = value;
        return 0;
    case 'H':
        return assay_shard_option(run->self, value, &run->shard);
    default:
        return set_number(run, option, value);
    }
}

/* One option of the command line. Rule files are read before the options that name rules, so that
 * the command line is gone through twice. */
static int take(struct assay_check_run *run, int option, const char *value, bool rule_files)
{
    if (!rule_files) {
        const int status = note_option(run, option, value);
        return status != 0 || option == 'R' ? status : set_option(run, option, value);
    }
    if (option == 'R' && run->rule_file_count == ASSAY_MAX_RULE_FILES) {
        return assay_usage_error(run->self, "there are more than %d rule files",
                                 ASSAY_MAX_RULE_FILES);
    }
    if (option == 'R') {
        run->rule_files[run->rule_file_count++] = value;
        assay_evidence_add(&run->evidence, "rules", value, false);
    }
    return 0;
}

static int read_options(struct assay_check_run *run, int argc, char **argv, bool rule_files,
                        int *index)
{
    const char *value = NULL;
    int status = 0;
    optind = 0;
    for (int option;
         (option = assay_next_option(run->self, argc, argv, index, &value, &status)) >= 0;) {
        if (option == 0) {
            return status != 0 ? status : -1;
        }
        status = take(run, option, value, rule_files);
        if (status != 0) {
            return status;
        }
    }
    return 0;
}

int assay_check_run_read(struct assay_check_run *run, int argc, char **argv, int *index)
{
    int status = read_options(run, argc, argv, true, index);
    status = status != 0
                 ? status
                 : assay_selection_open(&run->selection, run->rule_files, run->rule_file_count);
    return status != 0 ? status : read_options(run, argc, argv, false, index);
}

int assay_check_run_replay(struct assay_check_run *run, const struct assay_argument *list,
                           size_t count)
{
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        status = take(run, list[i].option->letter, list[i].value, true);
    }
    status = status != 0
                 ? status
                 : assay_selection_open(&run->selection, run->rule_files, run->rule_file_count);
    for (size_t i = 0; i < count && status == 0; i++) {
        status = take(run, list[i].option->letter, list[i].value, false);
    }
    return status;
}

/* --- the run --- */

void assay_check_run_begin(struct assay_check_run *run, const struct assay_command *self)
{
    *run = (struct assay_check_run){.self = self,
                                    .progress = "auto",
                                    .outputs = {.color = "auto", .lock = PTHREAD_MUTEX_INITIALIZER},
                                    .verdict_exit = true,
                                    .stop = {.fd = -1}};
    run->options.max_findings = 20;
    run->input.setup.execution_thread = ASSAY_EXECUTION_THREAD_FROM_TRACE;
    run->options.fail_on = ASSAY_MUST;
    run->options.jobs = 1;
}

void assay_check_run_end(struct assay_check_run *run)
{
    assay_paths_free(&run->paths);
    assay_files_close(&run->files);
    assay_evidence_close(&run->evidence);
    assay_waivers_free(&run->waivers);
    assay_baseline_free(run->baseline);
    assay_selection_close(&run->selection);
    assay_facts_clear(&run->facts);
    assay_image_set_free(run->images);
    assay_shard_close(&run->shard);
    free(run->arguments_used);
    free(run->arguments);
    if (run->options.stop != NULL) {
        assay_interrupt_end();
        assay_stop_close(&run->stop);
    }
}
