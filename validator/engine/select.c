#include "validator/engine/select.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"

enum { WORD = 128 };

struct selection {
    const struct assay_catalogue *const *catalogues;
    size_t count;
    bool *const *marked;
    struct assay_diag *diag;
};

/* Whether a rule is one of those that a selector means. */
typedef bool rule_test(const struct assay_catalogue *catalogue, const struct assay_rule *rule,
                       const void *what);

/* Marks the rules that pass; whether there is any. */
static bool mark(const struct selection *s, rule_test *test, const void *what)
{
    bool any = false;
    for (size_t i = 0; i < s->count; i++) {
        for (size_t r = 0; r < s->catalogues[i]->rule_count; r++) {
            if (test(s->catalogues[i], &s->catalogues[i]->rules[r], what)) {
                s->marked[i][r] = true;
                any = true;
            }
        }
    }
    return any;
}

static bool matches(const char *pattern, const char *text)
{
    return fnmatch(pattern, text, 0) == 0;
}

/* "There is no WHAT NAME", with the nearest name. */
static enum assay_error unknown(const struct selection *s, const char *what, const char *name,
                                const struct assay_near *near)
{
    assay_fail(s->diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET, "there is no %s %s", what, name);
    if (near->best != NULL) {
        assay_diag_hint(s->diag, "did you mean %s?", near->best);
    }
    return ASSAY_UNKNOWN_NAME;
}

/* --- ids and ranges --- */

static bool has_id(const struct assay_catalogue *catalogue, const struct assay_rule *rule,
                   const void *pattern)
{
    (void)catalogue;
    return matches(pattern, rule->id);
}

/* A name that is no rule's may be that of something else. */
static enum assay_error unknown_rule(const struct selection *s, const char *id)
{
    struct assay_near near = assay_near_begin(id);
    for (size_t i = 0; i < s->count; i++) {
        const struct assay_catalogue *c = s->catalogues[i];
        for (size_t r = 0; r < c->rule_count; r++) {
            assay_near_try(&near, c->rules[r].id);
        }
        for (size_t n = 0; n < c->clause_count; n++) {
            if (strcmp(c->clauses[n].id, id) == 0) {
                assay_fail(s->diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET,
                           "%s is a clause, not a rule", id);
                assay_diag_hint(s->diag, "clause:%s selects the rules that check it", id);
                return ASSAY_UNKNOWN_NAME;
            }
        }
    }
    return unknown(s, "rule", id, &near);
}

struct range {
    char prefix[WORD]; /* "STF-", or "" for any */
    unsigned long first;
    unsigned long last;
};

static bool in_range(const struct assay_catalogue *catalogue, const struct assay_rule *rule,
                     const void *what)
{
    const struct range *range = what;
    const char *dash = strrchr(rule->id, '-');
    (void)catalogue;
    if (dash == NULL) {
        return false;
    }
    const size_t length = (size_t)(dash + 1 - rule->id);
    const unsigned long number = strtoul(dash + 1, NULL, 10);
    return number >= range->first && number <= range->last &&
           (range->prefix[0] == '\0' ||
            (strlen(range->prefix) == length && memcmp(range->prefix, rule->id, length) == 0));
}

/* Splits "STF-0500" into letters and number; false when it does not end in digits only. */
static bool split_id(const char *text, size_t length, char *prefix, unsigned long *number)
{
    size_t digits = length;
    while (digits > 0 && isdigit((unsigned char)text[digits - 1]) != 0) {
        digits--;
    }
    if (length - digits < 1 || length - digits > 9 || digits >= WORD ||
        (digits > 0 && text[digits - 1] != '-')) {
        return false;
    }
    memcpy(prefix, text, digits);
    prefix[digits] = '\0';
    *number = strtoul(text + digits, NULL, 10);
    return true;
}

static enum assay_error select_range(const struct selection *s, const char *word, const char *dots)
{
    struct range range;
    char prefix[WORD];
    const char *second = dots + 2;
    if (!split_id(word, (size_t)(dots - word), range.prefix, &range.first) ||
        !split_id(second, strlen(second), prefix, &range.last) || range.first > range.last ||
        (prefix[0] != '\0' && strcmp(prefix, range.prefix) != 0)) {
        assay_fail(s->diag, ASSAY_SYNTAX, ASSAY_NO_OFFSET, "\"%s\" is no range of rules", word);
        assay_diag_hint(s->diag, "as in STF-0500..0503");
        return ASSAY_SYNTAX;
    }
    return mark(s, in_range, &range) ? ASSAY_OK
                                     : assay_fail(s->diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET,
                                                  "no rule is in the range %s", word);
}

/* --- properties --- */

static bool has_level(const struct assay_catalogue *catalogue, const struct assay_rule *rule,
                      const void *pattern)
{
    (void)catalogue;
    return matches(pattern, assay_level_name((enum assay_level)rule->level));
}

static enum assay_error no_level(const struct selection *s, const char *name)
{
    struct assay_near near = assay_near_begin(name);
    for (unsigned l = 0; l < ASSAY_LEVEL_COUNT; l++) {
        assay_near_try(&near, assay_level_name((enum assay_level)l));
    }
    return unknown(s, "level", name, &near);
}

static bool has_area(const struct assay_catalogue *catalogue, const struct assay_rule *rule,
                     const void *pattern)
{
    char area[WORD];
    (void)catalogue;
    assay_rule_area(rule, area, sizeof area);
    return matches(pattern, area);
}

static enum assay_error no_area(const struct selection *s, const char *name)
{
    char best[WORD] = "";
    struct assay_near near = assay_near_begin(name);
    for (size_t i = 0; i < s->count; i++) {
        for (size_t r = 0; r < s->catalogues[i]->rule_count; r++) {
            char area[WORD];
            const char *before = near.best;
            assay_rule_area(&s->catalogues[i]->rules[r], area, sizeof area);
            assay_near_try(&near, area);
            if (near.best != before) {
                memcpy(best, area, sizeof best);
                near.best = best;
            }
        }
    }
    return unknown(s, "area", name, &near);
}

static bool has_clause(const struct assay_catalogue *catalogue, const struct assay_rule *rule,
                       const void *pattern)
{
    (void)catalogue;
    for (uint16_t i = 0; i < rule->clause_count; i++) {
        if (matches(pattern, rule->clauses[i])) {
            return true;
        }
    }
    return false;
}

static enum assay_error no_clause(const struct selection *s, const char *name)
{
    struct assay_near near = assay_near_begin(name);
    for (size_t i = 0; i < s->count; i++) {
        for (size_t n = 0; n < s->catalogues[i]->clause_count; n++) {
            const char *id = s->catalogues[i]->clauses[n].id;
            if (matches(name, id)) {
                return assay_fail(s->diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET,
                                  "no rule checks the clause %s", name);
            }
            assay_near_try(&near, id);
        }
    }
    return unknown(s, "clause", name, &near);
}

static bool has_profile(const struct assay_catalogue *catalogue, const struct assay_rule *rule,
                        const void *name)
{
    const int number = assay_profile_by_name(catalogue->format, name);
    return number >= 0 && (rule->profiles >> number & 1u) != 0;
}

static enum assay_error no_profile(const struct selection *s, const char *name)
{
    struct assay_near near = assay_near_begin(name);
    for (size_t i = 0; i < s->count; i++) {
        for (size_t p = 0; p < s->catalogues[i]->format->profile_count; p++) {
            assay_near_try(&near, s->catalogues[i]->format->profiles[p].name);
        }
    }
    return unknown(s, "profile", name, &near);
}

/* All kinds of a rule are of one layer. */
static bool has_layer(const struct assay_catalogue *catalogue, const struct assay_rule *rule,
                      const void *pattern)
{
    const unsigned kind = assay_kinds_next(&rule->kinds, 0);
    const struct assay_format *format = catalogue->format;
    return kind < format->kind_count && matches(pattern, format->layers[format->kinds[kind].layer]);
}

static enum assay_error no_layer(const struct selection *s, const char *name)
{
    struct assay_near near = assay_near_begin(name);
    for (size_t i = 0; i < s->count; i++) {
        for (size_t n = 0; n < s->catalogues[i]->format->layer_count; n++) {
            assay_near_try(&near, s->catalogues[i]->format->layers[n]);
        }
    }
    return unknown(s, "layer", name, &near);
}

static const struct {
    const char *name;
    rule_test *test;
    enum assay_error (*none)(const struct selection *s, const char *name);
} properties[] = {
    {"level", has_level, no_level},       {"area", has_area, no_area},
    {"layer", has_layer, no_layer},       {"clause", has_clause, no_clause},
    {"profile", has_profile, no_profile},
};

static enum assay_error select_property(const struct selection *s, const char *word,
                                        const char *colon)
{
    const size_t length = (size_t)(colon - word);
    char name[WORD];
    struct assay_near near;
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++) {
        if (strlen(properties[i].name) == length && memcmp(properties[i].name, word, length) == 0) {
            return mark(s, properties[i].test, colon + 1) ? ASSAY_OK
                                                          : properties[i].none(s, colon + 1);
        }
    }
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    near = assay_near_begin(name);
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++) {
        assay_near_try(&near, properties[i].name);
    }
    assay_fail(s->diag, ASSAY_UNKNOWN_NAME, ASSAY_NO_OFFSET, "rules are not selected by \"%s:\"",
               name);
    assay_diag_hint(
        s->diag, "%s%s%s", near.best != NULL ? "did you mean " : "by level, area, layer, ",
        near.best != NULL ? near.best : "clause or profile", near.best != NULL ? ":?" : "");
    return ASSAY_UNKNOWN_NAME;
}

/* --- lists --- */

static enum assay_error select_word(const struct selection *s, const char *word)
{
    const char *colon = strchr(word, ':');
    const char *dots = strstr(word, "..");
    if (colon != NULL) {
        return select_property(s, word, colon);
    }
    if (dots != NULL) {
        return select_range(s, word, dots);
    }
    return mark(s, has_id, word) ? ASSAY_OK : unknown_rule(s, word);
}

static enum assay_error select_file(const struct selection *s, const char *path);

/* The selectors between commas; blanks around them do not count. */
static enum assay_error select_list(const struct selection *s, const char *text, size_t length,
                                    bool files)
{
    enum assay_error error = ASSAY_OK;
    for (size_t at = 0; at < length && error == ASSAY_OK;) {
        const char *comma = memchr(text + at, ',', length - at);
        const size_t end = comma != NULL ? (size_t)(comma - text) : length;
        size_t first = at;
        size_t last = end;
        while (first < last && isspace((unsigned char)text[first]) != 0) {
            first++;
        }
        while (last > first && isspace((unsigned char)text[last - 1]) != 0) {
            last--;
        }
        char *word = strndup(text + first, last - first);
        if (word == NULL) {
            return assay_fail(s->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
        }
        if (word[0] == '\0') {
            error = assay_fail(s->diag, ASSAY_SYNTAX, ASSAY_NO_OFFSET,
                               "the list of rules has an empty place");
        } else if (word[0] == '@' && !files) {
            error = assay_fail(s->diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                               "a list of rules in a file does not name another file: %s", word);
        } else {
            error = word[0] == '@' ? select_file(s, word + 1) : select_word(s, word);
        }
        free(word);
        at = end + 1;
    }
    return error;
}

static bool blank(const char *text, size_t length)
{
    while (length > 0 && isspace((unsigned char)text[length - 1]) != 0) {
        length--;
    }
    return length == 0;
}

static enum assay_error select_lines(const struct selection *s, const char *path, const char *text,
                                     size_t size)
{
    enum assay_error error = ASSAY_OK;
    uint32_t line = 0;
    for (size_t at = 0; at < size && error == ASSAY_OK;) {
        const char *feed = memchr(text + at, '\n', size - at);
        const size_t end = feed != NULL ? (size_t)(feed - text) : size;
        const char *comment = memchr(text + at, '#', end - at);
        const size_t length = (comment != NULL ? (size_t)(comment - text) : end) - at;
        line++;
        error = blank(text + at, length) ? ASSAY_OK : select_list(s, text + at, length, false);
        at = end + 1;
    }
    if (error != ASSAY_OK && s->diag != NULL) {
        s->diag->line = line;
        s->diag->column = 1;
        assay_diag_path(s->diag, path);
    }
    return error;
}

static enum assay_error select_file(const struct selection *s, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    enum assay_error error = assay_text_load(path, &text, &size, s->diag);
    if (error != ASSAY_OK) {
        assay_diag_path(s->diag, path);
        return error;
    }
    if (size <= ASSAY_YAML_MAX_BYTES) {
        error = select_lines(s, path, text, size);
    } else {
        error = assay_fail(s->diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                           "the file is larger than the %zu MiB that a list of rules may have",
                           ASSAY_YAML_MAX_BYTES >> 20);
        assay_diag_path(s->diag, path);
    }
    free(text);
    return error;
}

enum assay_error assay_select_rules(const struct assay_catalogue *const *catalogues, size_t count,
                                    const char *selectors, bool *const *marked,
                                    struct assay_diag *diag)
{
    const struct selection s = {
        .catalogues = catalogues, .count = count, .marked = marked, .diag = diag};
    return select_list(&s, selectors, strlen(selectors), true);
}
