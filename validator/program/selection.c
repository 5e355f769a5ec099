#include "validator/program/selection.h"

#include <stdio.h>

#include "validator/program/user_rules.h"

int assay_selection_open(struct assay_selection *s, const char *const *rule_files, size_t count)
{
    size_t told = 0;
    const struct assay_load_listener listener = assay_rule_faults_said(&told);
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error = assay_selection_begin(s, rule_files, count, &listener, &diag);
    return assay_exit_of_rules(error, &diag);
}

int assay_say_selection(const struct assay_command *command, const struct assay_diag *diag)
{
    if (diag->path[0] != '\0') {
        assay_say(diag);
        return ASSAY_EXIT_USAGE;
    }
    return assay_usage_error(command, "%s%s%s", diag->message, diag->hint[0] != '\0' ? "; " : "",
                             diag->hint);
}

static int say_unless_ok(const struct assay_command *command, enum assay_error error,
                         const struct assay_diag *diag)
{
    if (error == ASSAY_OK) {
        return 0;
    }
    return error == ASSAY_NO_MEMORY ? assay_say_no_memory() : assay_say_selection(command, diag);
}

int assay_selection_rules(struct assay_selection *s, const struct assay_command *command,
                          const char *selectors, bool only)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error = assay_selection_narrow(s, selectors, only, &diag);
    return say_unless_ok(command, error, &diag);
}

int assay_selection_interpret(struct assay_selection *s, const struct assay_command *command,
                              const char *text)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error = assay_selection_read_as(s, text, &diag);
    return say_unless_ok(command, error, &diag);
}

int assay_waive_option(const char *path, struct assay_selection *s, struct assay_waivers *waivers)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error = assay_selection_waive(s, waivers, path, &diag);
    if (error != ASSAY_OK) {
        assay_say(&diag);
        return error == ASSAY_NO_MEMORY ? ASSAY_EXIT_AGAIN : ASSAY_EXIT_USAGE;
    }
    return 0;
}

int assay_say_unused_waivers(const struct assay_results *results)
{
    int status = 0;
    /* A run that was interrupted has not seen all. */
    for (size_t i = 0; i < results->waiver_count && results->interrupted == 0; i++) {
        const struct assay_waiver_used *used = &results->waivers[i];
        if (used->waived == 0 && used->judged) {
            struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
            assay_fail_at(&diag, ASSAY_USAGE, used->waiver->line, 1,
                          "the waiver of %s in %s waived nothing; its owner is %s",
                          used->waiver->rule, used->waiver->input, used->waiver->owner);
            assay_diag_hint(&diag, "remove it");
            assay_diag_path(&diag, used->waiver->file);
            assay_say(&diag);
            status = ASSAY_EXIT_USAGE;
        }
    }
    return status;
}

void assay_note_option(struct assay_options_noted *noted, const char *name, const char *value)
{
    if (noted->count < ASSAY_MAX_OPTIONS_USED) {
        noted->list[noted->count++] = (struct assay_option_used){.name = name, .value = value};
    }
}

void assay_list_options(struct assay_options_noted *noted,
                        const struct assay_check_options *options,
                        const struct assay_format *format, struct assay_results *results)
{
    snprintf(noted->max_findings, sizeof noted->max_findings, "%u", options->max_findings);
    assay_note_option(noted, "format", format != NULL ? format->name : "auto");
    assay_note_option(noted, "fail-on",
                      options->never_fail ? "never" : assay_level_name(options->fail_on));
    assay_note_option(noted, "max-findings", noted->max_findings);
    results->options = noted->list;
    results->option_count = noted->count;
}
