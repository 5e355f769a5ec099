#include "validator/engine/selection.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/yaml.h"
#include "validator/engine/select.h"

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

enum assay_error assay_selection_begin(struct assay_selection *s, const char *const *rule_files,
                                       size_t count, const struct assay_load_listener *listener,
                                       struct assay_diag *diag)
{
    const enum assay_error error =
        assay_user_rules_read(rule_files, count, listener, &s->user, diag);
    for (size_t i = 0; assay_catalogues[i] != NULL && s->count < ASSAY_MAX_FORMATS; i++) {
        s->catalogues[s->count++] = assay_catalogues[i];
    }
    for (size_t i = 0; i < s->user.count; i++) {
        s->catalogues[s->count++] = assay_loaded_catalogue(s->user.loaded[i]);
    }
    for (size_t i = 0; i < s->count && error == ASSAY_OK; i++) {
        const struct assay_catalogue *c = s->catalogues[i];
        s->deselected[i] = assay_arena_take(&s->arena, c->rule_count + 1);
        s->readings[i] =
            assay_arena_take(&s->arena, (c->interpretation_count + 1) * sizeof(uint16_t));
        s->interpreted[i] = assay_arena_take(&s->arena, c->interpretation_count + 1);
        if (s->deselected[i] == NULL || s->readings[i] == NULL || s->interpreted[i] == NULL) {
            return no_memory(diag);
        }
        for (size_t n = 0; n < c->interpretation_count; n++) {
            s->readings[i][n] = c->interpretations[n].chosen;
        }
    }
    return error;
}

enum assay_error assay_selection_narrow(struct assay_selection *s, const char *selectors, bool only,
                                        struct assay_diag *diag)
{
    bool *marked[ASSAY_MAX_CATALOGUES];
    if (*selectors == '\0') {
        return assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET, "ids of rules are wanted");
    }
    for (size_t i = 0; i < s->count; i++) {
        marked[i] = assay_arena_take(&s->arena, s->catalogues[i]->rule_count + 1);
        if (marked[i] == NULL) {
            return no_memory(diag);
        }
    }
    const enum assay_error error =
        assay_select_rules(s->catalogues, s->count, selectors, marked, diag);
    if (error == ASSAY_NO_MEMORY) {
        return no_memory(diag);
    }
    for (size_t i = 0; i < s->count && error == ASSAY_OK; i++) {
        for (size_t r = 0; r < s->catalogues[i]->rule_count; r++) {
            const bool first = only && !s->only;
            s->deselected[i][r] = marked[i][r] ? !only : first || s->deselected[i][r];
        }
    }
    s->only = s->only || (only && error == ASSAY_OK);
    return error;
}

/* --- readings --- */

static bool any_switches(const struct assay_catalogue *c, uint16_t interpretation)
{
    for (size_t r = 0; r < c->rule_count; r++) {
        if (assay_rule_switches(c, &c->rules[r], interpretation)) {
            return true;
        }
    }
    return false;
}

static enum assay_error fixed_reading(const struct assay_interpretation *one,
                                      struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
                      "the reading \"%s\" of %s is built into the rules%s%s",
                      one->readings[one->chosen].name, one->id, one->built_in != NULL ? ": " : "",
                      one->built_in != NULL ? one->built_in : "");
}

static enum assay_error unknown_reading(const struct assay_interpretation *known, const char *name,
                                        struct assay_diag *diag)
{
    struct assay_near near = assay_near_begin(name);
    for (uint16_t r = 0; r < known->reading_count; r++) {
        assay_near_try(&near, known->readings[r].name);
    }
    assay_fail(diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET, "%s has no reading \"%s\"", known->id,
               name);
    if (near.best != NULL) {
        assay_diag_hint(diag, "did you mean \"%s\"?", near.best);
    } else {
        assay_diag_hint(diag, "assay rules show %s lists them", known->id);
    }
    return ASSAY_UNKNOWN_NAME;
}

static enum assay_error unknown_interpretation(const struct assay_selection *s, const char *id,
                                               struct assay_diag *diag)
{
    struct assay_near near = assay_near_begin(id);
    for (size_t i = 0; i < s->count; i++) {
        for (size_t n = 0; n < s->catalogues[i]->interpretation_count; n++) {
            assay_near_try(&near, s->catalogues[i]->interpretations[n].id);
        }
    }
    assay_fail(diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET, "there is no interpretation %s", id);
    if (near.best != NULL) {
        assay_diag_hint(diag, "did you mean %s?", near.best);
    }
    return ASSAY_UNKNOWN_NAME;
}

/* Where the interpretation with this id is in a catalogue; their count when it is not. */
static size_t place_of(const struct assay_catalogue *c, const char *id)
{
    size_t n = 0;
    while (n < c->interpretation_count && strcmp(c->interpretations[n].id, id) != 0) {
        n++;
    }
    return n;
}

static uint16_t reading_named(const struct assay_interpretation *one, const char *name)
{
    uint16_t r = 0;
    while (r < one->reading_count && strcmp(one->readings[r].name, name) != 0) {
        r++;
    }
    return r;
}

enum assay_error assay_selection_read_as(struct assay_selection *s, const char *text,
                                         struct assay_diag *diag)
{
    char id[64];
    const size_t length = strcspn(text, "=");
    const struct assay_interpretation *known = NULL;
    uint16_t reading = 0;
    bool used = false;
    if (text[length] == '\0' || length >= sizeof id) {
        return assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
                          "a reading is given as ID=READING, not \"%s\"", text);
    }
    snprintf(id, sizeof id, "%.*s", (int)length, text);
    for (size_t i = 0; i < s->count; i++) {
        const struct assay_catalogue *c = s->catalogues[i];
        const size_t n = place_of(c, id);
        if (n == c->interpretation_count) {
            continue;
        }
        known = &c->interpretations[n];
        reading = reading_named(known, text + length + 1);
        if (reading == known->reading_count) {
            return unknown_reading(known, text + length + 1, diag);
        }
        if (s->interpreted[i][n] && s->readings[i][n] != reading) {
            return assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET, "%s is given two readings", id);
        }
        used = used || reading == known->chosen || any_switches(c, (uint16_t)n);
    }
    if (known == NULL || !used) {
        return known == NULL ? unknown_interpretation(s, id, diag) : fixed_reading(known, diag);
    }
    /* Also in a catalogue of the user, which borrows the interpretation. */
    for (size_t i = 0; i < s->count; i++) {
        const size_t n = place_of(s->catalogues[i], id);
        if (n < s->catalogues[i]->interpretation_count) {
            s->readings[i][n] = reading;
            s->interpreted[i][n] = true;
        }
    }
    return ASSAY_OK;
}

enum assay_error assay_selection_waive(const struct assay_selection *s,
                                       struct assay_waivers *waivers, const char *path,
                                       struct assay_diag *diag)
{
    const size_t before = waivers->count;
    const time_t now = time(NULL);
    struct tm utc;
    char today[16] = "";
    waivers->catalogues = s->catalogues;
    waivers->catalogue_count = s->count;
    strftime(today, sizeof today, "%Y-%m-%d", gmtime_r(&now, &utc));
    const enum assay_error error = assay_waivers_load(waivers, path, today, diag);
    waivers->count = error == ASSAY_OK ? waivers->count : before;
    return error;
}

void assay_selection_apply(const struct assay_selection *s, struct assay_check_options *options)
{
    options->catalogues = s->catalogues;
    options->catalogue_count = s->count;
    options->deselected = (const bool *const *)s->deselected;
    options->readings = (const uint16_t *const *)s->readings;
}

void assay_selection_close(struct assay_selection *s)
{
    assay_user_rules_free(&s->user);
    assay_arena_free(&s->arena);
    *s = (struct assay_selection){0};
}
