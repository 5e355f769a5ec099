#include "validator/engine/waivers.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "common/pattern.h"
#include "common/yaml.h"
#include "validator/engine/select.h"

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

static unsigned number_at(const char *text, size_t digits)
{
    unsigned value = 0;
    for (size_t i = 0; i < digits; i++) {
        value = value * 10 + (unsigned)(text[i] - '0');
    }
    return value;
}

static unsigned days_of_month(unsigned year, unsigned month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap ? 1u : 0u);
}

/* YYYY-MM-DD, a day that there is; such dates compare as texts. */
static bool is_date(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    size_t i = 0;
    while (form[i] != '\0' &&
           (form[i] == 'd' ? isdigit((unsigned char)text[i]) != 0 : text[i] == '-')) {
        i++;
    }
    if (form[i] != '\0' || text[i] != '\0') {
        return false;
    }
    const unsigned month = number_at(text + 5, 2);
    const unsigned day = number_at(text + 8, 2);
    return month >= 1 && month <= 12 && day >= 1 && day <= days_of_month(number_at(text, 4), month);
}

static enum assay_error load_expiry(struct assay_waivers *w, const struct assay_yaml *map,
                                    const char *today, struct assay_waiver *waiver,
                                    struct assay_diag *diag)
{
    const enum assay_error error =
        assay_yaml_take_text(map, "expires", true, &w->arena, &waiver->expires, diag);
    const struct assay_yaml *node = assay_yaml_get(map, "expires");
    if (error != ASSAY_OK) {
        return error;
    }
    if (!is_date(waiver->expires)) {
        return assay_yaml_fail(node, diag, ASSAY_SYNTAX,
                               "\"expires\" is a date, as in 2030-01-31, not %s", waiver->expires);
    }
    return strcmp(waiver->expires, today) >= 0
               ? ASSAY_OK
               : assay_yaml_fail(node, diag, ASSAY_OUT_OF_RANGE,
                                 "the waiver of %s expired on %s; its owner is %s", waiver->rule,
                                 waiver->expires, waiver->owner);
}

static enum assay_error load_input(struct assay_waivers *w, const struct assay_yaml *map,
                                   struct assay_waiver *waiver, struct assay_diag *diag)
{
    const enum assay_error error =
        assay_yaml_take_text(map, "input", true, &w->arena, &waiver->input, diag);
    return error != ASSAY_OK
               ? error
               : assay_pattern_check(waiver->input, assay_yaml_get(map, "input"), diag);
}

/* Which rules it means. */
static enum assay_error load_rules(struct assay_waivers *w, const struct assay_yaml *map,
                                   struct assay_waiver *waiver, struct assay_diag *diag)
{
    if (w->no_rule_files && strchr(waiver->rule, '@') != NULL) {
        return assay_yaml_fail(assay_yaml_get(map, "rule"), diag, ASSAY_UNSUPPORTED,
                               "a waiver of a submission names rules, not a file of them");
    }
    bool **marked = assay_arena_take(&w->arena, (w->catalogue_count + 1) * sizeof *marked);
    for (size_t i = 0; marked != NULL && i < w->catalogue_count; i++) {
        marked[i] = assay_arena_take(&w->arena, w->catalogues[i]->rule_count + 1);
        if (marked[i] == NULL) {
            return no_memory(diag);
        }
    }
    if (marked == NULL) {
        return no_memory(diag);
    }
    waiver->rules = marked;
    struct assay_diag wrong = {.offset = ASSAY_NO_OFFSET};
    const enum assay_error error =
        assay_select_rules(w->catalogues, w->catalogue_count, waiver->rule, marked, &wrong);
    if (error != ASSAY_OK && error != ASSAY_NO_MEMORY) {
        assay_yaml_fail(assay_yaml_get(map, "rule"), diag, error, "%s", wrong.message);
        if (wrong.hint[0] != '\0') {
            assay_diag_hint(diag, "%s", wrong.hint);
        }
    }
    return error == ASSAY_NO_MEMORY ? no_memory(diag) : error;
}

static enum assay_error load_waiver(struct assay_waivers *w, const struct assay_yaml *map,
                                    const char *path, const char *today, struct assay_diag *diag)
{
    static const char *const keys[] = {"rule", "input", "reason", "owner", "link", "expires", NULL};
    struct assay_waiver one = {.file = path, .line = map->line};
    enum assay_error error = assay_yaml_only(map, keys, diag);
    error = error ? error : assay_yaml_take_text(map, "rule", true, &w->arena, &one.rule, diag);
    error = error ? error : load_input(w, map, &one, diag);
    error = error ? error : assay_yaml_take_text(map, "reason", true, &w->arena, &one.reason, diag);
    error = error ? error : assay_yaml_take_text(map, "owner", true, &w->arena, &one.owner, diag);
    error = error ? error : assay_yaml_take_text(map, "link", false, &w->arena, &one.link, diag);
    error = error ? error : load_rules(w, map, &one, diag);
    error = error ? error : load_expiry(w, map, today, &one, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    struct assay_waiver *list =
        assay_arena_grow(&w->arena, w->list, w->count, &w->room, sizeof *list);
    if (list == NULL) {
        return no_memory(diag);
    }
    list[w->count++] = one;
    w->list = list;
    return ASSAY_OK;
}

enum assay_error assay_waivers_load(struct assay_waivers *w, const char *path, const char *today,
                                    struct assay_diag *diag)
{
    static const char *const keys[] = {"waivers", NULL};
    struct assay_yaml_file file;
    enum assay_error error = assay_yaml_load(path, &file, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    const char *name = assay_arena_text(&w->arena, path, strlen(path));
    const struct assay_yaml *list = assay_yaml_get(file.root, "waivers");
    error = name != NULL ? assay_yaml_only(file.root, keys, diag) : no_memory(diag);
    if (error == ASSAY_OK && (list == NULL || list->type != ASSAY_YAML_LIST)) {
        error = assay_yaml_fail(file.root, diag, ASSAY_SYNTAX,
                                "\"waivers\", a list of waivers, is missing");
    }
    for (size_t i = 0; error == ASSAY_OK && i < list->count; i++) {
        error = load_waiver(w, list->items[i], name, today, diag);
    }
    assay_yaml_free(&file);
    if (error != ASSAY_OK) {
        assay_diag_path(diag, path);
    }
    return error;
}

/* A pattern without a slash is one of the path's last part. */
static bool is_for(const struct assay_waiver *waiver, const char *path)
{
    const char *slash = strrchr(path, '/');
    return fnmatch(waiver->input, path, 0) == 0 ||
           (slash != NULL && strchr(waiver->input, '/') == NULL &&
            fnmatch(waiver->input, slash + 1, 0) == 0);
}

const struct assay_waiver *assay_waiver_of(const struct assay_waivers *w, size_t catalogue,
                                           size_t rule, const char *path)
{
    for (size_t i = 0; i < w->count; i++) {
        if (w->list[i].rules[catalogue][rule] && is_for(&w->list[i], path)) {
            return &w->list[i];
        }
    }
    return NULL;
}

void assay_waivers_free(struct assay_waivers *w)
{
    assay_arena_free(&w->arena);
    *w = (struct assay_waivers){.catalogues = w->catalogues, .catalogue_count = w->catalogue_count};
}
