/* assay rules: the catalogue. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"
#include "validator/engine/catalogue.h"
#include "validator/engine/extent.h"
#include "validator/program/corpus_export.h"
#include "validator/program/program.h"
#include "validator/program/rule_fields.h"
#include "validator/program/rule_page.h"
#include "validator/program/rule_site.h"
#include "validator/program/rules_check.h"
#include "validator/program/selection.h"

static const struct assay_option options[] = {
    {'f', false, "format", "F", "only the rules of this format"},
    {'j', false, "json", NULL, "list, coverage: as JSON"},
    {'R', false, "rules", "FILE", "list, show: with these rules, too; repeatable"},
    {'v', false, "vectors", "DIR", "check: run the vectors below this folder with the rules"},
    {0},
};

static const char *const verbs[] = {"list", "show", "coverage", "fields", "check", "pages", NULL};

static void list_text(const struct assay_catalogue *c, const bool *deselected,
                      struct assay_sink *sink)
{
    size_t count = 0;
    for (size_t r = 0; r < c->rule_count; r++) {
        count += !deselected[r];
    }
    if (count == 0) {
        return; /* none of them is selected */
    }
    assay_sink_printf(sink, "%s %s: %zu rule%s%s\n", c->format->name, c->format->version, count,
                      count == 1 ? "" : "s", c->compiled == NULL ? " of yours" : "");
    for (size_t r = 0; r < c->rule_count; r++) {
        const struct assay_rule *rule = &c->rules[r];
        if (!deselected[r]) {
            assay_sink_printf(sink, "  %-10s %-12s %s\n", rule->id,
                              assay_level_name((enum assay_level)rule->level), rule->title);
        }
    }
}

/* Adds to a list. Null when memory is out: then nothing is left of the list. */
static json_t *append(json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) == 0) {
        return list;
    }
    json_decref(list);
    return NULL;
}

/* The same for a member of an object. */
static json_t *with(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) == 0) {
        return object;
    }
    json_decref(object);
    return NULL;
}

/* The same for a text, which is left out when it is null. */
static json_t *with_text(json_t *object, const char *key, const char *text)
{
    return text == NULL ? object : with(object, key, json_string(text));
}

static json_t *rule_json(const struct assay_rule *rule)
{
    json_t *clauses = json_array();
    for (uint16_t i = 0; i < rule->clause_count; i++) {
        clauses = append(clauses, json_string(rule->clauses[i]));
    }
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "id", rule->id, "title", rule->title, "level",
                  assay_level_name((enum assay_level)rule->level), "on", rule->on_text, "require",
                  rule->require_text, "clauses", clauses);
    if (rule->diagnosis) {
        json_t *explains = rule->explains_any ? json_string("any") : json_array();
        for (uint16_t i = 0; i < rule->explain_count; i++) {
            explains = append(explains, json_string(rule->explains[i]));
        }
        object = with(object, "explains", explains);
        object = with_text(object, "extent", assay_extent_name(rule->extent));
    }
    return with_text(object, "when", rule->when_text);
}

static json_t *list_json(const struct assay_catalogue *c, const bool *deselected)
{
    json_t *rules = json_array();
    for (size_t r = 0; r < c->rule_count; r++) {
        if (!deselected[r]) {
            rules = append(rules, rule_json(&c->rules[r]));
        }
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "format", c->format->name, "version",
                     c->format->version, "catalogue", c->digest, "rules", rules);
}

/* --- coverage --- */

static void clause_rules(const struct assay_catalogue *c, const struct assay_clause *clause,
                         char *text, size_t size)
{
    text[0] = '\0';
    for (size_t r = 0; r < c->rule_count; r++) {
        for (uint16_t i = 0; i < c->rules[r].clause_count; i++) {
            if (strcmp(c->rules[r].clauses[i], clause->id) == 0) {
                const size_t at = strlen(text);
                snprintf(text + at, size - at, "%s%s", at > 0 ? " " : "", c->rules[r].id);
            }
        }
    }
}

/* The area of a clause: what is between its format and its number. */
static size_t area_length(const char *id)
{
    const char *dash = strrchr(id, '-');
    return dash != NULL ? (size_t)(dash - id) : strlen(id);
}

static void coverage_line(struct assay_sink *sink, const char *area, size_t length, size_t all,
                          const size_t *count)
{
    assay_sink_printf(sink, "  %-14.*s %6zu %6zu %8zu %11zu %6zu %12zu\n", (int)length, area, all,
                      count[ASSAY_BY_RULE], count[ASSAY_BY_DECODER], count[ASSAY_PERMITTED],
                      count[ASSAY_BY_INPUT], count[ASSAY_NOT_VISIBLE]);
}

static void coverage_table(const struct assay_catalogue *c, struct assay_sink *sink)
{
    size_t total[ASSAY_DISPOSITION_COUNT] = {0};
    assay_sink_printf(
        sink, "%s %s: clauses by area and disposition\n\n  %-14s %6s %6s %8s %11s %6s %12s\n",
        c->format->name, c->format->version, "area", "all", "rule", "decoder", "permission",
        "input", "not-visible");
    for (size_t i = 0; i < c->clause_count;) {
        size_t count[ASSAY_DISPOSITION_COUNT] = {0};
        const char *id = c->clauses[i].id;
        const size_t length = area_length(id);
        size_t all = 0;
        for (; i < c->clause_count && area_length(c->clauses[i].id) == length &&
               strncmp(c->clauses[i].id, id, length) == 0;
             i++, all++) {
            count[c->clauses[i].disposition]++;
            total[c->clauses[i].disposition]++;
        }
        coverage_line(sink, id, length, all, count);
    }
    coverage_line(sink, "total", strlen("total"), c->clause_count, total);
    assay_sink_text(sink, "\n");
}

/* Of the clauses that the specification demands: by rules of which level they are checked. */
static void strength_table(const struct assay_catalogue *c, struct assay_sink *sink)
{
    size_t by_level[ASSAY_LEVEL_COUNT] = {0};
    size_t mandatory = 0;
    size_t checked = 0;
    for (size_t i = 0; i < c->clause_count; i++) {
        enum assay_level level = ASSAY_INFO;
        if (assay_clause_mandatory(&c->clauses[i])) {
            const bool found = assay_clause_strongest(c, c->clauses[i].id, &level);
            mandatory++;
            checked += found;
            by_level[level] += found;
        }
    }
    assay_sink_printf(sink, "mandatory clauses by the strongest level of their rules\n\n");
    for (unsigned l = ASSAY_LEVEL_COUNT; l-- > 0;) {
        assay_sink_printf(sink, "  %-14s %6zu %5.1f %%\n", assay_level_name((enum assay_level)l),
                          by_level[l],
                          mandatory > 0 ? 100.0 * (double)by_level[l] / (double)mandatory : 0.0);
    }
    assay_sink_printf(sink, "  %-14s %6zu %5.1f %%\n\n", "none", mandatory - checked,
                      mandatory > 0 ? 100.0 * (double)(mandatory - checked) / (double)mandatory
                                    : 0.0);
}

static void coverage_text(const struct assay_catalogue *c, const bool *deselected,
                          struct assay_sink *sink)
{
    (void)deselected;
    char rules[512];
    coverage_table(c, sink);
    strength_table(c, sink);
    for (size_t i = 0; i < c->clause_count; i++) {
        const struct assay_clause *clause = &c->clauses[i];
        clause_rules(c, clause, rules, sizeof rules);
        assay_sink_printf(sink, "%-15s %-8s %-12s %s", clause->id, clause->level,
                          assay_disposition_name((enum assay_disposition)clause->disposition),
                          clause->disposition == ASSAY_BY_RULE ? rules : clause->reason);
        for (uint16_t v = 0; v < clause->vector_count; v++) {
            assay_sink_printf(sink, "%s%s", v == 0 ? " [" : ", ", clause->vectors[v]);
        }
        if (clause->weaker != NULL) {
            assay_sink_printf(sink, " (not must: %s)", clause->weaker);
        }
        assay_sink_text(sink, clause->vector_count > 0 ? "]\n" : "\n");
    }
}

static json_t *coverage_json(const struct assay_catalogue *c, const bool *deselected)
{
    (void)deselected;
    json_t *clauses = json_array();
    char rules[512];
    for (size_t i = 0; i < c->clause_count; i++) {
        const struct assay_clause *clause = &c->clauses[i];
        json_t *vectors = json_array();
        enum assay_level level = ASSAY_INFO;
        const bool found = assay_clause_strongest(c, clause->id, &level);
        clause_rules(c, clause, rules, sizeof rules);
        for (uint16_t v = 0; v < clause->vector_count; v++) {
            vectors = append(vectors, json_string(clause->vectors[v]));
        }
        json_t *one =
            json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "id", clause->id, "section",
                      clause->section, "level", clause->level, "text", clause->text, "disposition",
                      assay_disposition_name((enum assay_disposition)clause->disposition), "rules",
                      rules, "vectors", vectors);
        one = with_text(one, "reason", clause->reason);
        one = with_text(one, "strongest", found ? assay_level_name(level) : NULL);
        one = with_text(one, "weaker", clause->weaker);
        clauses = append(clauses, one);
    }
    return json_pack("{s:s, s:s, s:o}", "format", c->format->name, "version", c->format->version,
                     "clauses", clauses);
}

/* --- the command --- */

/* What the command line says. */
struct request {
    const struct assay_command *self;
    const struct assay_format *format; /* null: all */
    bool json;
    const char *rule_files[ASSAY_MAX_RULE_FILES];
    size_t rule_file_count;
    const char *vectors; /* a folder, or null */
    struct assay_selection selection;
};

typedef void text_writer(const struct assay_catalogue *catalogue, const bool *deselected,
                         struct assay_sink *sink);
typedef json_t *json_writer(const struct assay_catalogue *catalogue, const bool *deselected);

static void write_json(json_t *value, struct assay_sink *sink)
{
    const enum assay_error error = assay_put_json(value, sink);
    if (error != ASSAY_OK) {
        assay_sink_fail(sink, error);
    }
}

static int each_catalogue(const struct request *request, text_writer *text, json_writer *make)
{
    const struct assay_selection *selection = &request->selection;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sink;
    json_t *all = json_array();
    assay_sink_open(&sink, "-", &diag);
    for (size_t i = 0; i < selection->count; i++) {
        const struct assay_catalogue *c = selection->catalogues[i];
        if (request->format != NULL && c->format != request->format) {
            continue;
        }
        if (request->json) {
            all = append(all, make(c, selection->deselected[i]));
        } else {
            text(c, selection->deselected[i], &sink);
        }
    }
    if (request->json) {
        write_json(all, &sink);
    } else {
        json_decref(all);
    }
    return assay_finish_output(&sink, ASSAY_EXIT_CONFORMS);
}

static int list(struct request *request, const char *selectors)
{
    const int status = selectors != NULL ? assay_selection_rules(&request->selection, request->self,
                                                                 selectors, true)
                                         : 0;
    return status != 0 ? status : each_catalogue(request, list_text, list_json);
}

/* --- pages --- */

static bool show_clause(const struct assay_catalogue *c, const char *id, struct assay_sink *sink)
{
    for (size_t i = 0; i < c->clause_count; i++) {
        if (strcmp(c->clauses[i].id, id) == 0) {
            assay_clause_page(c, &c->clauses[i], sink);
            return true;
        }
    }
    return false;
}

static bool show_interpretation(const struct assay_catalogue *c, const char *id,
                                struct assay_sink *sink)
{
    for (size_t i = 0; i < c->interpretation_count; i++) {
        if (strcmp(c->interpretations[i].id, id) == 0) {
            assay_interpretation_page(c, &c->interpretations[i], sink);
            return true;
        }
    }
    return false;
}

static bool show_named(const struct assay_selection *selection, const char *id,
                       struct assay_sink *sink)
{
    for (size_t i = 0; i < selection->count; i++) {
        const struct assay_catalogue *c = selection->catalogues[i];
        const struct assay_rule *rule = assay_rule_by_id(c, id);
        if (rule != NULL) {
            assay_rule_page(c, rule, sink);
            return true;
        }
        if (show_clause(c, id, sink) || show_interpretation(c, id, sink)) {
            return true;
        }
    }
    return false;
}

static void show_selected(const struct assay_selection *selection, struct assay_sink *sink)
{
    bool any = false;
    for (size_t i = 0; i < selection->count; i++) {
        for (size_t r = 0; r < selection->catalogues[i]->rule_count; r++) {
            if (!selection->deselected[i][r]) {
                assay_sink_text(sink, any ? "\n" : "");
                any = true;
                assay_rule_page(selection->catalogues[i], &selection->catalogues[i]->rules[r],
                                sink);
            }
        }
    }
}

static int unknown_name(const struct request *request, const char *id)
{
    struct assay_near near = assay_near_begin(id);
    for (size_t i = 0; i < request->selection.count; i++) {
        const struct assay_catalogue *c = request->selection.catalogues[i];
        for (size_t r = 0; r < c->rule_count; r++) {
            assay_near_try(&near, c->rules[r].id);
        }
        for (size_t n = 0; n < c->clause_count; n++) {
            assay_near_try(&near, c->clauses[n].id);
        }
        for (size_t n = 0; n < c->interpretation_count; n++) {
            assay_near_try(&near, c->interpretations[n].id);
        }
    }
    return assay_usage_error(request->self, "there is no rule, clause or interpretation %s%s%s%s",
                             id, near.best != NULL ? "; did you mean " : "",
                             near.best != NULL ? near.best : "", near.best != NULL ? "?" : "");
}

/* The page of a rule, a clause or an interpretation, or those of rules that are selected. */
static int show(struct request *request, const char *what)
{
    const bool selects = strpbrk(what, ":*?[@,") != NULL || strstr(what, "..") != NULL;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sink;
    if (selects) {
        const int status = assay_selection_rules(&request->selection, request->self, what, true);
        if (status != 0) {
            return status;
        }
    }
    assay_sink_open(&sink, "-", &diag);
    if (selects) {
        show_selected(&request->selection, &sink);
    } else if (!show_named(&request->selection, what, &sink)) {
        assay_sink_close(&sink, NULL);
        return unknown_name(request, what);
    }
    return assay_finish_output(&sink, ASSAY_EXIT_CONFORMS);
}

static int pages(const struct assay_format *format, const char *folder)
{
    enum { MOST = 16 };
    const struct assay_catalogue *chosen[MOST + 1] = {NULL};
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    size_t count = 0;
    for (size_t i = 0; assay_catalogues[i] != NULL && count < MOST; i++) {
        if (format == NULL || assay_catalogues[i]->format == format) {
            chosen[count++] = assay_catalogues[i];
        }
    }
    const enum assay_error error = assay_rule_site(chosen, folder, &diag);
    if (error != ASSAY_OK) {
        assay_say(&diag);
    }
    return assay_exit_of_given(error);
}

/* --- the command line --- */

static int read_options(struct request *request, int argc, char **argv, int *index)
{
    const char *value = NULL;
    int status = 0;
    for (int option;
         (option = assay_next_option(request->self, argc, argv, index, &value, &status)) >= 0;) {
        switch (option) {
        case 'j':
            request->json = true;
            break;
        case 'f':
            request->format = assay_named_format(request->self, value);
            if (request->format == NULL) {
                return ASSAY_EXIT_USAGE;
            }
            break;
        case 'v':
            request->vectors = value;
            break;
        case 'R':
            if (request->rule_file_count == ASSAY_MAX_RULE_FILES) {
                return assay_usage_error(request->self, "there are more than %d rule files",
                                         ASSAY_MAX_RULE_FILES);
            }
            request->rule_files[request->rule_file_count++] = value;
            break;
        default:
            return status != 0 ? status : -1;
        }
    }
    return 0;
}

/* What a verb does with its operands; -1 where they are not what it wants. */
static int obey(struct request *request, const char *verb, char **operands, int count)
{
    if (strcmp(verb, "list") == 0 && count <= 1) {
        return list(request, count == 1 ? operands[0] : NULL);
    }
    if (strcmp(verb, "coverage") == 0 && count == 0) {
        return each_catalogue(request, coverage_text, coverage_json);
    }
    if (strcmp(verb, "show") == 0 && count == 1) {
        return show(request, operands[0]);
    }
    if (strcmp(verb, "pages") == 0 && count == 1) {
        return pages(request->format, operands[0]);
    }
    if (strcmp(verb, "fields") == 0 && count <= 1) {
        return assay_rule_fields(request->self, request->format, count == 1 ? operands[0] : NULL);
    }
    return assay_usage_error(
        request->self, "list, show ID, coverage, fields, check FILE or pages FOLDER is wanted");
}

static int run(int argc, char **argv)
{
    struct request request = {.self = &assay_command_rules};
    int index = 1;
    int status = read_options(&request, argc, argv, &index);
    if (status != 0) {
        return status > 0 ? status : 0;
    }
    const char *verb = index < argc ? argv[index] : "list";
    char **operands = argv + (index < argc ? index + 1 : index);
    const int count = argc - index - 1;
    const bool check = strcmp(verb, "check") == 0 && count > 0;
    if (request.vectors != NULL && !check) {
        return assay_usage_error(request.self, "--vectors is for assay rules check FILE");
    }
    if (check) {
        return assay_rules_check((const char *const *)operands, (size_t)count, request.vectors);
    }
    status = assay_selection_open(&request.selection, request.rule_files, request.rule_file_count);
    status = status != 0 ? status : obey(&request, verb, operands, count < 0 ? 0 : count);
    assay_selection_close(&request.selection);
    return status;
}

const struct assay_command assay_command_rules = {
    .name = "rules",
    .usage = "[options] list [SEL,..] | show ID | coverage | fields [KIND] | check FILE... | "
             "pages FOLDER",
    .verbs = verbs,
    .summary = "the catalogue: what is checked, what a rule means, which clauses are covered",
    .details =
        "list      every rule, or those selected as by check --only: id, level, title\n"
        "show ID   what the rule demands, why, by which clauses, and what breaks it;\n"
        "          what a clause demands, and what became of it; how an interpretation\n"
        "          reads the specification. Or the pages of rules selected as by --only\n"
        "coverage  every clause and what became of it\n"
        "fields    what rules can read: kinds of events and their fields\n"
        "check     what is wrong with rule files, all of it, without a trace; with --vectors\n"
        "          also whether vectors show what they say: exit status 1 if one does not\n"
        "pages     writes the page of every rule as HTML, with an index, to a new folder\n",
    .options = options,
    .run = run,
};
