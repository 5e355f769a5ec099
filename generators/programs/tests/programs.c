#include "programs.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/tests/turn.h"

enum { PATH = 1024, WORDS = 40, LINE = 600 };

struct result {
    uint64_t instructions, records, findings;
    struct exercised exercised;
};

/* A file of the suite: its name and an ending. */
struct file {
    char path[PATH];
};

static struct file file_of(const struct suite *suite, const char *ending)
{
    struct file file;
    snprintf(file.path, sizeof file.path, "%s.%s", suite->name, ending);
    return file;
}

__attribute__((format(printf, 2, 3))) static void complain(struct suite *suite, const char *format,
                                                           ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    suite->failures++;
}

/* --- commands --- */

struct command {
    const char *word[WORDS];
    unsigned count;
};

static void add_word(struct command *command, const char *word)
{
    if (word != NULL && command->count + 1 < WORDS) {
        command->word[command->count++] = word;
    }
}

static void add_words(struct command *command, const char *const *words)
{
    for (; *words != NULL; words++) {
        add_word(command, *words);
    }
}

static void add_option(struct command *command, const char *option, const char *value)
{
    if (value != NULL) {
        add_word(command, option);
        add_word(command, value);
    }
}

static void redirect(const struct file *file, int descriptor)
{
    const int fd = open(file->path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || dup2(fd, descriptor) < 0) {
        _exit(126);
    }
}

/* Runs a command with its output in files; its exit status, or -1. */
static int run(const struct suite *suite, const struct command *command)
{
    const struct file out = file_of(suite, "out");
    const struct file err = file_of(suite, "err");
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        redirect(&out, STDOUT_FILENO);
        redirect(&err, STDERR_FILENO);
        execv(command->word[0], (char *const *)(uintptr_t)command->word);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        return -1;
    }
    return WEXITSTATUS(status);
}

/* The first line of what the last command wrote on standard error. */
static void read_complaint(const struct suite *suite, char *line, size_t size)
{
    const struct file err = file_of(suite, "err");
    FILE *file = fopen(err.path, "r");
    line[0] = '\0';
    if (file != NULL && fgets(line, (int)size, file) == NULL) {
        line[0] = '\0';
    }
    if (file != NULL) {
        fclose(file);
    }
}

enum { INCOMPLETE = 4 }; /* status of assay generate */

static bool ends_with(struct suite *suite, const struct program *p, const char *what,
                      const struct command *command, int expected)
{
    char line[LINE];
    const int status = run(suite, command);
    if (status != expected) {
        read_complaint(suite, line, sizeof line);
        complain(suite, "%s: %s ended with %d: %s", p->name, what, status, line);
    }
    return status == expected;
}

static bool succeeds(struct suite *suite, const struct program *p, const char *what,
                     const struct command *command)
{
    return ends_with(suite, p, what, command, 0);
}

static bool record(struct suite *suite, const struct program *p)
{
    char plugin[2 * PATH], machine[PATH] = "";
    struct command command = {{p->emulator}, 1};
    const struct file execution = file_of(suite, "exec");
    if (p->machine != NULL) {
        snprintf(machine, sizeof machine, "%s,limit=%s", p->machine,
                 suite->full ? p->full : p->arguments[0]);
    }
    snprintf(plugin, sizeof plugin, "%s,out=%s,program=%s%s%s", PROGRAMS_PLUGIN, execution.path,
             p->name, suite->recorder, machine);
    add_words(&command, p->emulated);
    add_option(&command, "-plugin", plugin);
    add_word(&command, p->machine != NULL ? "-kernel" : NULL);
    add_word(&command, p->path);
    if (p->machine != NULL) {
        return succeeds(suite, p, "the machine", &command);
    }
    if (suite->full && p->full != NULL) {
        add_word(&command, p->full);
    } else {
        add_words(&command, p->arguments);
    }
    return succeeds(suite, p, "the program", &command);
}

/* With a storage the beginning, else all; without a thread all of them. Of a recording that lacks
 * something the trace is incomplete. */
static bool generate(struct suite *suite, const struct program *p, const char *thread,
                     const char *storage)
{
    char line[LINE];
    const struct file execution = file_of(suite, "exec");
    const struct file trace = file_of(suite, "trace");
    struct command command = {{PROGRAMS_ASSAY, "generate"}, 2};
    add_option(&command, "--format", suite->format->name);
    add_option(&command, "--execution", execution.path);
    add_option(&command, "-o", trace.path);
    add_option(&command, "--thread", thread);
    add_word(&command, thread == NULL ? suite->together : NULL);
    add_option(&command, "--storage", storage);
    if (storage != NULL) {
        add_option(&command, "--events", "50000");
        add_word(&command, suite->beginning);
    }
    /* Where the rule that may be violated is known nothing else is missing. */
    const bool whole = p->told || p->found != NULL;
    if (!ends_with(suite, p, "assay generate", &command, whole ? 0 : INCOMPLETE)) {
        return false;
    }
    read_complaint(suite, line, sizeof line);
    if (p->told && line[0] != '\0') {
        complain(suite, "%s: the recording lacks something: %s", p->name, line);
    }
    return true;
}

/* --- reports --- */

static uint64_t number(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static void add_rules(struct suite *suite, const struct program *p, const json_t *report,
                      struct result *result)
{
    const struct assay_catalogue *catalogue = assay_catalogue_of(suite->format);
    size_t i;
    const json_t *item;
    json_array_foreach(json_object_get(report, "rules"), i, item)
    {
        const char *id = json_string_value(json_object_get(item, "id"));
        const struct assay_rule *rule = id != NULL ? assay_rule_by_id(catalogue, id) : NULL;
        if (rule == NULL) {
            complain(suite, "%s: the report has a rule that the catalogue lacks", p->name);
        } else if (number(item, "exercised") > 0) {
            result->exercised.rule[rule - catalogue->rules] = true;
        }
    }
}

static bool counts(const struct suite *suite, const struct program *p, const json_t *finding)
{
    enum assay_level level = ASSAY_MUST;
    const char *name = json_string_value(json_object_get(finding, "level"));
    const char *rule = json_string_value(json_object_get(finding, "rule"));
    if (name == NULL || rule == NULL || !assay_level_by_name(name, &level)) {
        return true;
    }
    return level >= suite->level && (p->found == NULL || strcmp(p->found, rule) != 0);
}

static void add_findings(struct suite *suite, const struct program *p, const json_t *report,
                         struct result *result)
{
    size_t i;
    const json_t *item;
    json_array_foreach(json_object_get(report, "findings"), i, item)
    {
        if (counts(suite, p, item)) {
            result->findings++;
            complain(suite, "%s: %s at record %llu: %s", p->name,
                     json_string_value(json_object_get(item, "rule")),
                     (unsigned long long)number(item, "index"),
                     json_string_value(json_object_get(item, "message")));
        }
    }
}

static void count_records(const json_t *report, struct result *result)
{
    const char *kind;
    json_t *count;
    json_t *events =
        json_object_get(json_array_get(json_object_get(report, "inputs"), 0), "events");
    result->records = 0;
    json_object_foreach(events, kind, count)
    {
        if (strcmp(kind, "end") != 0) {
            result->records += (uint64_t)json_integer_value(count);
        }
    }
    result->instructions =
        number(events, "instr") + number(events, "inst_32") + number(events, "inst_16");
}

/* Alone, or compared with the recording of a thread; null: of those that the trace names. */
static void check(struct suite *suite, const struct program *p, bool executed, const char *thread,
                  struct result *result)
{
    char kind[PATH + 5];
    const struct file trace = file_of(suite, "trace");
    const struct file execution = file_of(suite, "exec");
    const struct file report_file = file_of(suite, "json");
    struct command command = {{PROGRAMS_ASSAY, "check", "--fail-on", "must"}, 4};
    snprintf(kind, sizeof kind, "json=%s", report_file.path);
    add_option(&command, "--report", kind);
    add_option(&command, "--max-findings", "1");
    add_option(&command, "--profile", suite->profile);
    add_option(&command, "--facts", p->facts);
    if (executed) {
        add_option(&command, "--execution", execution.path);
        add_option(&command, "--thread", thread);
    }
    add_word(&command, trace.path);
    unlink(report_file.path);
    succeeds(suite, p, "assay check", &command);
    json_t *report = json_load_file(report_file.path, 0, NULL);
    if (report == NULL) {
        complain(suite, "%s: there is no report", p->name);
        return;
    }
    add_rules(suite, p, report, result);
    add_findings(suite, p, report, result);
    count_records(report, result);
    json_decref(report);
}

/* --- a program --- */

/* What a part shows of rules and findings; with `counted` its records, too. */
static void add(struct result *sum, const struct result *part, bool counted)
{
    sum->instructions += counted ? part->instructions : 0;
    sum->records += counted ? part->records : 0;
    sum->findings += part->findings;
    exercised_add(&sum->exercised, &part->exercised);
}

static void trace_thread(struct suite *suite, const struct program *p, unsigned thread,
                         struct result *sum)
{
    struct result part = {0};
    char text[12];
    snprintf(text, sizeof text, "%u", thread);
    if (!generate(suite, p, text, NULL)) {
        return;
    }
    check(suite, p, false, NULL, &part);
    check(suite, p, true, text, &part);
    const uint64_t least = suite->full ? PROGRAMS_FULL : p->least;
    if (part.instructions < least) {
        complain(suite, "%s: thread %u has %llu instructions, less than %llu", p->name, thread,
                 (unsigned long long)part.instructions, (unsigned long long)least);
    }
    add(sum, &part, true);
}

/* The beginning of the first thread's trace, in every storage. */
static void trace_storages(struct suite *suite, const struct program *p, struct result *sum)
{
    for (const char *const *storage = suite->storages; *storage != NULL; storage++) {
        struct result part = {0};
        if (generate(suite, p, "0", *storage)) {
            check(suite, p, false, NULL, &part);
        }
        add(sum, &part, false);
    }
}

/* All threads in one trace: it has what theirs have. */
static void trace_together(struct suite *suite, const struct program *p, struct result *sum)
{
    struct result part = {0};
    if (suite->together == NULL || p->threads == 1 || !generate(suite, p, NULL, NULL)) {
        return;
    }
    check(suite, p, false, NULL, &part);
    check(suite, p, true, NULL, &part);
    if (part.instructions != sum->instructions) {
        complain(suite, "%s: all threads have %llu instructions, and their trace has %llu", p->name,
                 (unsigned long long)sum->instructions, (unsigned long long)part.instructions);
    }
    add(sum, &part, false);
}

/* The last number of the program's line in docs/producers.md: the rules that it exercises. */
static unsigned documented(const char *name)
{
    char line[LINE], begin[100];
    unsigned rules = 0;
    snprintf(begin, sizeof begin, "| `%s` |", name);
    FILE *file = fopen(PROGRAMS_PAGE, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *end = strrchr(line, '|');
        if (strncmp(line, begin, strlen(begin)) == 0 && end != NULL) {
            *end = '\0';
            const char *last = strrchr(line, '|');
            rules = last != NULL ? (unsigned)strtoul(last + 1, NULL, 10) : 0;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return rules;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool programs_are_there(const char *path, const char *what)
{
    if (path[0] == '\0' || access(path, R_OK) != 0) {
        fprintf(stderr, "skipped: there is no %s\n", what);
        return false;
    }
    return true;
}

void programs_begin(struct suite *suite, int argc, char **argv)
{
    suite->full = argc > 1 && strcmp(argv[1], "--full") == 0;
    printf("%-18s %12s %12s %6s %9s %8s\n", "program", "instructions", "records", "rules",
           "findings", "seconds");
}

void programs_run(struct suite *suite, const struct program *p)
{
    struct result result = {0};
    const double start = seconds();
    if (!is_in_sanitized_turn(suite->programs++)) {
        return;
    }
    if (record(suite, p)) {
        for (unsigned t = 0; t < p->threads; t++) {
            trace_thread(suite, p, t, &result);
        }
        trace_together(suite, p, &result);
        trace_storages(suite, p, &result);
    }
    const unsigned rules = exercised_count(&result.exercised);
    printf("%-18s %12llu %12llu %6u %9llu %8.1f\n", p->name,
           (unsigned long long)result.instructions, (unsigned long long)result.records, rules,
           (unsigned long long)result.findings, seconds() - start);
    fflush(stdout);
    if (documented(p->name) == 0 || rules < documented(p->name)) {
        complain(suite, "docs/producers.md: %s exercises %u rules, not %u", p->name, rules,
                 documented(p->name));
    }
    suite->instructions += result.instructions;
    suite->records += result.records;
    suite->findings += result.findings;
    exercised_add(&suite->exercised, &result.exercised);
}

int programs_end(struct suite *suite)
{
    static const char *const endings[] = {"exec", "trace", "json", "out", "err"};
    const struct assay_catalogue *catalogue = assay_catalogue_of(suite->format);
    printf("%-18s %12llu %12llu %6u %9llu   of %zu rules\n", "all",
           (unsigned long long)suite->instructions, (unsigned long long)suite->records,
           exercised_count(&suite->exercised), (unsigned long long)suite->findings,
           catalogue->rule_count);
    if (are_all_in_sanitized_turn()) {
        suite->failures += exercised_compare(&suite->exercised, catalogue, suite->unexercised);
    }
    for (unsigned i = 0; i < sizeof endings / sizeof endings[0] && suite->failures == 0; i++) {
        const struct file file = file_of(suite, endings[i]);
        unlink(file.path);
    }
    return suite->failures == 0 ? 0 : 1;
}
