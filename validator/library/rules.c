/* The rules of a validator: which catalogues, which of their rules, with which readings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"
#include "validator/compiler/rule_parts.h"
#include "validator/engine/select.h"
#include "validator/library/validator.h"

static enum assay_error take_choices(struct assay_library_rules *rules, struct assay_arena *arena)
{
    for (size_t i = 0; i < rules->count; i++) {
        const struct assay_catalogue *c = rules->catalogues[i];
        rules->deselected[i] = assay_arena_take(arena, c->rule_count + 1);
        rules->readings[i] =
            assay_arena_take(arena, (c->interpretation_count + 1) * sizeof(uint16_t));
        if (rules->deselected[i] == NULL || rules->readings[i] == NULL) {
            return ASSAY_NO_MEMORY;
        }
        for (size_t n = 0; n < c->interpretation_count; n++) {
            rules->readings[i][n] = c->interpretations[n].chosen;
        }
    }
    return ASSAY_OK;
}

enum assay_error assay_library_rules_open(struct assay_library_rules *rules,
                                          struct assay_arena *arena)
{
    while (assay_catalogues[rules->count] != NULL && rules->count < ASSAY_LIBRARY_FORMATS) {
        rules->catalogues[rules->count] = assay_catalogues[rules->count];
        rules->count++;
    }
    return take_choices(rules, arena);
}

void assay_library_rules_close(struct assay_library_rules *rules)
{
    for (size_t i = 0; i < rules->loaded_count; i++) {
        assay_catalogue_free(rules->loaded[i]);
    }
    rules->loaded_count = 0;
}

/* --- rule files --- */

/* The format of a part of a rule file: the one that it names, or the first; null if unknown. */
static const struct assay_format *format_of_part(const struct assay_yaml *part)
{
    const struct assay_yaml *named = assay_yaml_get(part, "format");
    if (named == NULL) {
        return assay_formats[0];
    }
    return named->type == ASSAY_YAML_SCALAR ? assay_format_by_name(named->text) : NULL;
}

/* Sets *has when a file has rules of a format; all formats that it names must be known. */
static enum assay_error has_rules(const char *path, const struct assay_format *format, bool *has,
                                  struct assay_diag *diag)
{
    struct assay_yaml_file file;
    enum assay_error error = assay_yaml_load(path, &file, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    *has = false;
    for (size_t i = 0; i < assay_rule_parts(file.root) && error == ASSAY_OK; i++) {
        const struct assay_yaml *part = assay_rule_part(file.root, i);
        const struct assay_format *named = format_of_part(part);
        *has = *has || named == format;
        if (named == NULL) {
            error = assay_yaml_fail(assay_yaml_get(part, "format"), diag, ASSAY_UNKNOWN_NAME,
                                    "there is no such format");
        }
    }
    assay_yaml_free(&file);
    return error;
}

/* Keeps the first fault of rule files. */
static void keep_fault(void *context, const struct assay_diag *diag)
{
    struct assay_diag *first = context;
    if (first->error == ASSAY_OK) {
        *first = *diag;
    }
}

/* Loads the rules of a format from all files that have some. */
static enum assay_error load_format(const struct assay_validator *v,
                                    const struct assay_format *format,
                                    struct assay_library_rules *rules, struct assay_diag *diag)
{
    const char *files[ASSAY_LIBRARY_RULE_FILES];
    struct assay_diag fault = {.offset = ASSAY_NO_OFFSET};
    const struct assay_load_listener listener = {.fault = keep_fault, .context = &fault};
    enum assay_error error = ASSAY_OK;
    size_t count = 0;
    for (size_t i = 0; i < v->rule_file_count && error == ASSAY_OK; i++) {
        bool has = false;
        error = has_rules(v->rule_files[i], format, &has, diag);
        files[count] = v->rule_files[i];
        count += has;
    }
    if (error != ASSAY_OK || count == 0) {
        return error;
    }
    error = assay_catalogue_load_user(format, files, count, assay_catalogue_of(format), &listener,
                                      &rules->loaded[rules->loaded_count], diag);
    if (error != ASSAY_OK) {
        *diag = fault.error != ASSAY_OK ? fault : *diag;
        return error;
    }
    rules->catalogues[rules->count++] =
        assay_loaded_catalogue(rules->loaded[rules->loaded_count++]);
    return ASSAY_OK;
}

/* The built-in rules and those of all files: files are read together, as rules of one may use
 * variables of another. */
static enum assay_error load_all(struct assay_validator *v, struct assay_library_rules *rules,
                                 struct assay_diag *diag)
{
    enum assay_error error = assay_library_rules_open(rules, &v->arena);
    diag->error = error;
    for (size_t i = 0; i < ASSAY_LIBRARY_FORMATS && assay_formats[i] != NULL; i++) {
        error = error != ASSAY_OK ? error : load_format(v, assay_formats[i], rules, diag);
    }
    if (error == ASSAY_OK) {
        error = take_choices(rules, &v->arena);
        diag->error = error;
    }
    return error;
}

enum assay_status assay_library_add_rules(struct assay_validator *v, const char *value)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_library_rules rules = {.count = 0};
    if (v->rules.chosen) {
        return assay_library_refuse(v, ASSAY_USAGE,
                                    "rules are set before only, skip and interpret");
    }
    if (v->rule_file_count == ASSAY_LIBRARY_RULE_FILES) {
        return assay_library_refuse(v, ASSAY_USAGE, "there are more than %d rule files",
                                    ASSAY_LIBRARY_RULE_FILES);
    }
    v->rule_files[v->rule_file_count++] = value;
    if (load_all(v, &rules, &diag) != ASSAY_OK) {
        v->rule_file_count--;
        assay_library_rules_close(&rules);
        return assay_library_fail(v, &diag);
    }
    assay_library_forget(v); /* the results are of the rules that go */
    assay_library_rules_close(&v->rules);
    v->rules = rules;
    assay_evidence_add(&v->evidence, "rules", value, false);
    return ASSAY_STATUS_OK;
}

/* --- selection --- */

static enum assay_status select_rules(struct assay_validator *v, const char *selectors, bool only)
{
    struct assay_library_rules *rules = &v->rules;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    bool *marked[ASSAY_LIBRARY_CATALOGUES];
    if (*selectors == '\0') {
        return assay_library_refuse(v, ASSAY_USAGE, "%s wants ids of rules",
                                    only ? "only" : "skip");
    }
    for (size_t i = 0; i < rules->count; i++) {
        marked[i] = assay_arena_take(&v->arena, rules->catalogues[i]->rule_count + 1);
        if (marked[i] == NULL) {
            return assay_library_refuse(v, ASSAY_NO_MEMORY, "out of memory");
        }
    }
    const enum assay_error error =
        assay_select_rules(rules->catalogues, rules->count, selectors, marked, &diag);
    if (error != ASSAY_OK) {
        diag.error = error;
        return assay_library_fail(v, &diag);
    }
    for (size_t i = 0; i < rules->count; i++) {
        for (size_t r = 0; r < rules->catalogues[i]->rule_count; r++) {
            const bool first = only && !rules->only;
            rules->deselected[i][r] = marked[i][r] ? !only : first || rules->deselected[i][r];
        }
    }
    rules->only = rules->only || only;
    rules->chosen = true;
    if (selectors[0] == '@') {
        assay_evidence_add(&v->evidence, "selection", selectors + 1, false);
    }
    return ASSAY_STATUS_OK;
}

enum assay_status assay_library_only(struct assay_validator *v, const char *value)
{
    return select_rules(v, value, true);
}

enum assay_status assay_library_skip(struct assay_validator *v, const char *value)
{
    return select_rules(v, value, false);
}

/* --- readings --- */

/* The number of a reading; `reading_count` when there is none of the name. */
static uint16_t reading_named(const struct assay_interpretation *one, const char *name)
{
    uint16_t r = 0;
    while (r < one->reading_count && strcmp(one->readings[r].name, name) != 0) {
        r++;
    }
    return r;
}

static bool any_switches(const struct assay_catalogue *c, size_t interpretation)
{
    size_t r = 0;
    while (r < c->rule_count && !assay_rule_switches(c, &c->rules[r], (uint16_t)interpretation)) {
        r++;
    }
    return r < c->rule_count;
}

/* Takes a reading in each catalogue that has the interpretation: a user's borrows it. */
static enum assay_status interpret(struct assay_validator *v, const char *id, const char *name)
{
    bool known = false;
    bool used = false;
    for (size_t i = 0; i < v->rules.count; i++) {
        const struct assay_catalogue *c = v->rules.catalogues[i];
        for (size_t n = 0; n < c->interpretation_count; n++) {
            const struct assay_interpretation *one = &c->interpretations[n];
            if (strcmp(one->id, id) != 0) {
                continue;
            }
            const uint16_t reading = reading_named(one, name);
            if (reading == one->reading_count) {
                return assay_library_refuse(v, ASSAY_USAGE, "%s has no reading \"%s\"", id, name);
            }
            known = true;
            used = used || reading == one->chosen || any_switches(c, n);
            v->rules.readings[i][n] = used ? reading : v->rules.readings[i][n];
        }
    }
    if (!known) {
        return assay_library_refuse(v, ASSAY_USAGE, "there is no interpretation \"%s\"", id);
    }
    v->rules.chosen = true;
    return used ? ASSAY_STATUS_OK
                : assay_library_refuse(v, ASSAY_USAGE,
                                       "the default reading of %s is built into the rules", id);
}

enum assay_status assay_library_interpret(struct assay_validator *v, const char *value)
{
    char id[64];
    const size_t length = strcspn(value, "=");
    if (value[length] == '\0' || length >= sizeof id) {
        return assay_library_refuse(v, ASSAY_USAGE, "interpret wants ID=READING, not \"%s\"",
                                    value);
    }
    snprintf(id, sizeof id, "%.*s", (int)length, value);
    return interpret(v, id, value + length + 1);
}
