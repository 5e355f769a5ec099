#include "validator/program/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/yaml.h"
#include "validator/engine/select.h"

int assay_selection_open(struct assay_selection *s, const char *const *rule_files, size_t count)
{
    for (size_t i = 0; assay_catalogues[i] != NULL && s->count < ASSAY_MAX_FORMATS; i++) {
        s->catalogues[s->count++] = assay_catalogues[i];
    }
    const int status = count > 0 ? assay_user_rules_load(rule_files, count, &s->user) : 0;
    for (size_t i = 0; i < s->user.count; i++) {
        s->catalogues[s->count++] = assay_loaded_catalogue(s->user.loaded[i]);
    }
    for (size_t i = 0; i < s->count && status == 0; i++) {
        const struct assay_catalogue *c = s->catalogues[i];
        s->deselected[i] = assay_arena_take(&s->arena, c->rule_count + 1);
        s->readings[i] =
            assay_arena_take(&s->arena, (c->interpretation_count + 1) * sizeof(uint16_t));
        s->interpreted[i] = assay_arena_take(&s->arena, c->interpretation_count + 1);
        if (s->deselected[i] == NULL || s->readings[i] == NULL || s->interpreted[i] == NULL) {
            return assay_say_no_memory();
        }
        for (size_t n = 0; n < c->interpretation_count; n++) {
            s->readings[i][n] = c->interpretations[n].chosen;
        }
    }
    return status;
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

int assay_selection_rules(struct assay_selection *s, const struct assay_command *command,
                          const char *selectors, bool only)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    bool *marked[ASSAY_MAX_CATALOGUES];
    if (*selectors == '\0') {
        return assay_usage_error(command, "--%s wants ids of rules", only ? "only" : "skip");
    }
    for (size_t i = 0; i < s->count; i++) {
        marked[i] = assay_arena_take(&s->arena, s->catalogues[i]->rule_count + 1);
        if (marked[i] == NULL) {
            return assay_say_no_memory();
        }
    }
    const enum assay_error error =
        assay_select_rules(s->catalogues, s->count, selectors, marked, &diag);
    if (error != ASSAY_OK) {
        return error == ASSAY_NO_MEMORY ? assay_say_no_memory()
                                        : assay_say_selection(command, &diag);
    }
    for (size_t i = 0; i < s->count; i++) {
        for (size_t r = 0; r < s->catalogues[i]->rule_count; r++) {
            const bool first = only && !s->only;
            s->deselected[i][r] = marked[i][r] ? !only : first || s->deselected[i][r];
        }
    }
    s->only = s->only || only;
    return 0;
}

static bool any_switches(const struct assay_catalogue *c, uint16_t interpretation)
{
    for (size_t r = 0; r < c->rule_count; r++) {
        if (assay_rule_switches(c, &c->rules[r], interpretation)) {
            return true;
        }
    }
    return false;
}

static int fixed_reading(const struct assay_command *command,
                         const struct assay_interpretation *interpretation)
{
    return assay_usage_error(command, "the reading \"%s\" of %s is built into the rules%s%s",
                             interpretation->readings[interpretation->chosen].name,
                             interpretation->id, interpretation->built_in != NULL ? ": " : "",
                             interpretation->built_in != NULL ? interpretation->built_in : "");
}

static int unknown_reading(const struct assay_command *command,
                           const struct assay_interpretation *known, const char *name)
{
    struct assay_near near = assay_near_begin(name);
    for (uint16_t r = 0; r < known->reading_count; r++) {
        assay_near_try(&near, known->readings[r].name);
    }
    return near.best != NULL
               ? assay_usage_error(command, "%s has no reading \"%s\"; did you mean \"%s\"?",
                                   known->id, name, near.best)
               : assay_usage_error(command,
                                   "%s has no reading \"%s\"; assay rules show %s lists them",
                                   known->id, name, known->id);
}

static int unknown_interpretation(const struct assay_selection *s,
                                  const struct assay_command *command, const char *id)
{
    struct assay_near near = assay_near_begin(id);
    for (size_t i = 0; i < s->count; i++) {
        for (size_t n = 0; n < s->catalogues[i]->interpretation_count; n++) {
            assay_near_try(&near, s->catalogues[i]->interpretations[n].id);
        }
    }
    return assay_usage_error(command, "there is no interpretation %s%s%s%s", id,
                             near.best != NULL ? "; did you mean " : "",
                             near.best != NULL ? near.best : "", near.best != NULL ? "?" : "");
}

int assay_selection_interpret(struct assay_selection *s, const struct assay_command *command,
                              const char *text)
{
    char id[64];
    const char *equals = strchr(text, '=');
    const struct assay_interpretation *known = NULL;
    bool found = false;
    bool used = false;
    bool contradicts = false;
    if (equals == NULL || equals - text >= (ptrdiff_t)sizeof id) {
        return assay_usage_error(command, "--interpret wants ID=READING, not \"%s\"", text);
    }
    snprintf(id, sizeof id, "%.*s", (int)(equals - text), text);
    for (size_t i = 0; i < s->count; i++) {
        const struct assay_catalogue *c = s->catalogues[i];
        for (size_t n = 0; n < c->interpretation_count; n++) {
            const struct assay_interpretation *one = &c->interpretations[n];
            if (strcmp(one->id, id) != 0) {
                continue;
            }
            known = one;
            for (uint16_t r = 0; r < one->reading_count; r++) {
                if (strcmp(one->readings[r].name, equals + 1) == 0) {
                    /* Also in a catalogue of the user, which borrows the interpretation. */
                    contradicts = contradicts || (s->interpreted[i][n] && s->readings[i][n] != r);
                    s->interpreted[i][n] = true;
                    s->readings[i][n] = r;
                    found = true;
                    used = used || r == one->chosen || any_switches(c, (uint16_t)n);
                }
            }
        }
    }
    if (contradicts) {
        return assay_usage_error(command, "--interpret gives %s two readings", known->id);
    }
    if (found) {
        return used ? 0 : fixed_reading(command, known);
    }
    return known != NULL ? unknown_reading(command, known, equals + 1)
                         : unknown_interpretation(s, command, id);
}

int assay_waive_option(const char *path, struct assay_selection *s, struct assay_waivers *waivers)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const time_t now = time(NULL);
    struct tm utc;
    char today[16] = "";
    waivers->catalogues = s->catalogues;
    waivers->catalogue_count = s->count;
    strftime(today, sizeof today, "%Y-%m-%d", gmtime_r(&now, &utc));
    const enum assay_error error = assay_waivers_load(waivers, path, today, &diag);
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

void assay_selection_apply(struct assay_selection *s, struct assay_check_options *options)
{
    options->catalogues = s->catalogues;
    options->catalogue_count = s->count;
    options->deselected = (const bool *const *)s->deselected;
    options->readings = (const uint16_t *const *)s->readings;
}

void assay_selection_note(struct assay_selection *s, const char *name, const char *value)
{
    if (s->used_count < ASSAY_MAX_OPTIONS_USED) {
        s->used[s->used_count++] = (struct assay_option_used){.name = name, .value = value};
    }
}

void assay_selection_options(struct assay_selection *s, const struct assay_check_options *options,
                             const struct assay_format *format, struct assay_results *results)
{
    char number[32];
    snprintf(number, sizeof number, "%u", options->max_findings);
    assay_selection_note(s, "format", format != NULL ? format->name : "auto");
    assay_selection_note(s, "fail-on",
                         options->never_fail ? "never" : assay_level_name(options->fail_on));
    assay_selection_note(s, "max-findings", assay_arena_text(&s->arena, number, strlen(number)));
    results->options = s->used;
    results->option_count = s->used_count;
}

void assay_selection_close(struct assay_selection *s)
{
    assay_user_rules_free(&s->user);
    assay_arena_free(&s->arena);
    *s = (struct assay_selection){0};
}
