#include "validator/program/outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/yaml.h"

int assay_outputs_add(struct assay_outputs *outputs, const struct assay_command *command,
                      const char *value)
{
    char kind[32];
    const char *equals = strchr(value, '=');
    const size_t length = equals != NULL ? (size_t)(equals - value) : strlen(value);
    const char *names[16] = {NULL};
    snprintf(kind, sizeof kind, "%.*s", (int)(length < 31 ? length : 31), value);
    if (outputs->count == ASSAY_MAX_REPORTS) {
        return assay_usage_error(command, "there are more than %d reports", ASSAY_MAX_REPORTS);
    }
    for (size_t i = 0; i < outputs->count; i++) {
        if (equals == NULL && strcmp(outputs->list[i].path, "-") == 0) {
            return assay_usage_error(command,
                                     "two reports go to standard output; give one a "
                                     "file: --report %s=PATH",
                                     kind);
        }
    }
    for (size_t i = 0; assay_report_writers[i].name != NULL && i < 15; i++) {
        names[i] = assay_report_writers[i].name;
        if (strcmp(names[i], kind) == 0) {
            outputs->list[outputs->count++] = (struct assay_output){
                .writer = &assay_report_writers[i], .path = equals != NULL ? equals + 1 : "-"};
            return 0;
        }
    }
    const char *near = assay_nearest(kind, names);
    return assay_usage_error(command, "there is no report \"%s\"%s%s%s", kind,
                             near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                             near != NULL ? "\"?" : "");
}

int assay_outputs_rule_pages(struct assay_outputs *outputs, const struct assay_command *command,
                             const char *value)
{
    static const char *const schemes[] = {"https://", "http://", "file://"};
    enum { LONGEST = ASSAY_URL_ROOM - 64 }; /* a rule's id follows */
    bool good = strlen(value) < LONGEST && strpbrk(value, "\"<>\\^`{|} ?#") == NULL;
    for (const char *p = value; *p != '\0'; p++) {
        good = good && *p > ' ' && *p <= '~';
    }
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        if (good && strncmp(value, schemes[i], strlen(schemes[i])) == 0) {
            outputs->rule_pages = value;
            return 0;
        }
    }
    return assay_usage_error(command,
                             "--rule-pages wants the URL of a folder (https://, http:// or "
                             "file://), not \"%.80s\"",
                             value);
}

int assay_outputs_check(struct assay_outputs *outputs, const struct assay_command *command,
                        struct assay_files *files)
{
    int status =
        outputs->count > 0 || outputs->quiet ? 0 : assay_outputs_add(outputs, command, "text");
    for (size_t i = 0; i < outputs->count && outputs->quiet && status == 0; i++) {
        if (strcmp(outputs->list[i].path, "-") == 0) {
            status = assay_usage_error(command,
                                       "--quiet, and --report %s to standard output: name a file "
                                       "or leave one of them out",
                                       outputs->list[i].writer->name);
        }
    }
    for (size_t i = 0; i < outputs->count && status == 0; i++) {
        status = assay_files_write(files, command, outputs->list[i].path);
    }
    return status;
}

int assay_outputs_open(struct assay_outputs *outputs)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    for (size_t i = 0; i < outputs->count; i++) {
        struct assay_output *output = &outputs->list[i];
        /* What is written while the run lasts can be read while it lasts. */
        const enum assay_error error = output->writer->live != NULL
                                           ? assay_sink_open(&output->sink, output->path, &diag)
                                           : assay_sink_replace(&output->sink, output->path, &diag);
        if (error != ASSAY_OK) {
            assay_say(&diag);
            outputs->count = i;
            assay_outputs_discard(outputs);
            return assay_exit_of(diag.error);
        }
    }
    return 0;
}

bool assay_outputs_want_digest(const struct assay_outputs *outputs)
{
    bool wanted = false;
    for (size_t i = 0; i < outputs->count; i++) {
        wanted = wanted || outputs->list[i].writer->wants_digest;
    }
    return wanted;
}

bool assay_outputs_want_overview(const struct assay_outputs *outputs)
{
    bool wanted = false;
    for (size_t i = 0; i < outputs->count; i++) {
        wanted = wanted || outputs->list[i].writer->wants_overview;
    }
    return wanted;
}

/* --- reports that are written while the run lasts --- */

/* The first one after another of them (null: of all). */
static struct assay_output *next_live(struct assay_outputs *outputs, struct assay_output *before)
{
    struct assay_output *one = before != NULL ? before + 1 : outputs->list;
    while (one < outputs->list + outputs->count && one->writer->live == NULL) {
        one++;
    }
    return one < outputs->list + outputs->count ? one : NULL;
}

static void tell_begun(void *context, size_t number, const char *path)
{
    struct assay_outputs *outputs = context;
    pthread_mutex_lock(&outputs->lock);
    for (struct assay_output *one = NULL; (one = next_live(outputs, one)) != NULL;) {
        one->writer->live->begun(number, path, &one->sink);
    }
    pthread_mutex_unlock(&outputs->lock);
}

static void tell_found(void *context, const struct assay_found *found)
{
    struct assay_outputs *outputs = context;
    pthread_mutex_lock(&outputs->lock);
    for (struct assay_output *one = NULL; (one = next_live(outputs, one)) != NULL;) {
        one->writer->live->found(found, &one->sink);
    }
    pthread_mutex_unlock(&outputs->lock);
}

static void tell_judged(void *context, const struct assay_results *results, size_t number)
{
    struct assay_outputs *outputs = context;
    pthread_mutex_lock(&outputs->lock);
    for (struct assay_output *one = NULL; (one = next_live(outputs, one)) != NULL;) {
        one->writer->live->judged(results, number, &one->sink);
    }
    pthread_mutex_unlock(&outputs->lock);
}

void assay_outputs_start(struct assay_outputs *outputs, const struct assay_results *results,
                         size_t inputs, struct assay_check_options *options)
{
    for (struct assay_output *one = NULL; (one = next_live(outputs, one)) != NULL;) {
        one->writer->live->start(results, inputs, &one->sink);
        options->begun = tell_begun;
        options->found = tell_found;
        options->judged = tell_judged;
        options->found_context = outputs;
    }
}

/* Columns by the environment; 0 where that says nothing. */
static unsigned columns_told(void)
{
    const char *text = getenv("COLUMNS");
    char *end = NULL;
    const unsigned long columns = text != NULL ? strtoul(text, &end, 10) : 0;
    return text != NULL && *text != '\0' && *end == '\0' && columns <= 10000 ? (unsigned)columns
                                                                             : 0;
}

static struct assay_report_style style_of(const struct assay_outputs *outputs,
                                          const struct assay_output *output)
{
    struct assay_report_style style = {
        .verbose = outputs->verbose, .width = columns_told(), .rule_pages = outputs->rule_pages};
    struct winsize window;
    const bool standard = strcmp(output->path, "-") == 0;
    style.terminal = standard && isatty(STDOUT_FILENO) != 0;
    style.color =
        strcmp(outputs->color, "always") == 0 ||
        (style.terminal && strcmp(outputs->color, "auto") == 0 && getenv("NO_COLOR") == NULL);
    if (style.terminal && style.width == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) {
        style.width = window.ws_col;
    }
    return style;
}

int assay_outputs_write(struct assay_outputs *outputs, const struct assay_results *results,
                        int status)
{
    for (size_t i = 0; i < outputs->count; i++) {
        struct assay_output *output = &outputs->list[i];
        const struct assay_report_style style = style_of(outputs, output);
        const enum assay_error error =
            outputs->ended ? assay_report_write(output->writer, results, &style, &output->sink)
                           : output->writer->write(results, &style, &output->sink);
        if (error != ASSAY_OK && output->sink.error == ASSAY_OK) {
            /* What was written is not the whole report. */
            struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
            assay_sink_explain(&output->sink, error, &diag);
            assay_say(&diag);
            assay_sink_discard(&output->sink);
            status = ASSAY_EXIT_AGAIN;
        } else if (assay_finish_output(&output->sink, status) != status) {
            status = ASSAY_EXIT_AGAIN;
        }
    }
    return status;
}

void assay_outputs_discard(struct assay_outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++) {
        assay_sink_discard(&outputs->list[i].sink);
    }
    outputs->count = 0;
}
