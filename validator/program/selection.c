#include "validator/program/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"

/* Rules of a user are of the format that the file names, or of the only one there is. */
static int load_user_rules(struct assay_selection *s, const struct assay_command *command,
                           const char *const *files, size_t count)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const struct assay_format *format = assay_formats[0];
    struct assay_yaml_file file;
    enum assay_error error = assay_yaml_load(files[0], &file, &diag);
    if (error == ASSAY_OK) {
        const struct assay_yaml *named = assay_yaml_get(file.root, "format");
        if (named != NULL && named->type == ASSAY_YAML_SCALAR) {
            format = assay_named_format(command, named->text);
        }
        assay_yaml_free(&file);
        if (format == NULL) {
            return ASSAY_EXIT_USAGE;
        }
        error = assay_catalogue_load(format, files, count, assay_catalogue_of(format), &s->loaded,
                                     &diag);
    }
    if (error != ASSAY_OK) {
        assay_say(&diag);
        return assay_exit_of_given(error);
    }
    s->catalogues[s->count++] = assay_loaded_catalogue(s->loaded);
    return 0;
}

int assay_selection_open(struct assay_selection *s, const struct assay_command *command,
                         const char *const *rule_files, size_t count)
{
    for (size_t i = 0; assay_catalogues[i] != NULL && s->count < ASSAY_MAX_CATALOGUES - 1; i++) {
        s->catalogues[s->count++] = assay_catalogues[i];
    }
    const int status = count > 0 ? load_user_rules(s, command, rule_files, count) : 0;
    for (size_t i = 0; i < s->count && status == 0; i++) {
        const struct assay_catalogue *c = s->catalogues[i];
        s->deselected[i] = assay_arena_take(&s->arena, c->rule_count + 1);
        s->readings[i] =
            assay_arena_take(&s->arena, (c->interpretation_count + 1) * sizeof(uint16_t));
        if (s->deselected[i] == NULL || s->readings[i] == NULL) {
            return assay_say_no_memory();
        }
        for (size_t n = 0; n < c->interpretation_count; n++) {
            s->readings[i][n] = c->interpretations[n].chosen;
        }
    }
    return status;
}

int assay_unknown_rule(const struct assay_command *command,
                       const struct assay_catalogue *const *catalogues, size_t count,
                       const char *id)
{
    const char *best = NULL;
    for (size_t i = 0; i < count && best == NULL; i++) {
        const struct assay_catalogue *c = catalogues[i];
        const char **names = calloc(c->rule_count + 1, sizeof *names);
        for (size_t r = 0; names != NULL && r < c->rule_count; r++) {
            names[r] = c->rules[r].id;
        }
        best = names != NULL ? assay_nearest(id, names) : NULL;
        free(names);
    }
    return assay_usage_error(command, "there is no rule %s%s%s%s", id,
                             best != NULL ? "; did you mean " : "", best != NULL ? best : "",
                             best != NULL ? "?" : "");
}

int assay_selection_rules(struct assay_selection *s, const struct assay_command *command,
                          const char *ids, bool only)
{
    if (*ids == '\0') {
        return assay_usage_error(command, "--%s wants ids of rules", only ? "only" : "skip");
    }
    if (only && !s->only) {
        s->only = true;
        for (size_t i = 0; i < s->count; i++) {
            memset(s->deselected[i], 1, s->catalogues[i]->rule_count);
        }
    }
    for (const char *at = ids; *at != '\0';) {
        char id[64];
        const size_t length = strcspn(at, ",");
        snprintf(id, sizeof id, "%.*s", (int)(length < 63 ? length : 63), at);
        bool found = false;
        for (size_t i = 0; i < s->count; i++) {
            const struct assay_rule *rule = assay_rule_by_id(s->catalogues[i], id);
            if (rule != NULL) {
                s->deselected[i][rule - s->catalogues[i]->rules] = !only;
                found = true;
            }
        }
        if (!found) {
            return assay_unknown_rule(command, s->catalogues, s->count, id);
        }
        at += length + (at[length] == ',');
    }
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

int assay_selection_interpret(struct assay_selection *s, const struct assay_command *command,
                              const char *text)
{
    char id[64];
    const char *equals = strchr(text, '=');
    const struct assay_interpretation *known = NULL;
    bool found = false;
    bool used = false;
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
                    s->readings[i][n] = r;
                    found = true;
                    used = used || r == one->chosen || any_switches(c, (uint16_t)n);
                }
            }
        }
    }
    if (found) {
        return used ? 0 : fixed_reading(command, known);
    }
    return known != NULL
               ? assay_usage_error(command, "%s has no reading \"%s\"; assay rules show tells them",
                                   id, equals + 1)
               : assay_usage_error(command, "there is no interpretation %s", id);
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
    assay_catalogue_free(s->loaded);
    assay_arena_free(&s->arena);
    *s = (struct assay_selection){0};
}
