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
#include "validator/program/rules_coverage.h"
#include "validator/program/rules_since.h"
#include "validator/program/selection.h"

static const struct assay_option options[] = {
    {'f', false, "format", "F", "only the rules of this format"},
    {'j', false, "json", NULL, "list, coverage: as JSON"},
    {'R', false, "rules", "FILE", "list, show: with these rules, too; repeatable"},
    {'s', false, "since", "VERSION",
     "list: only rules that came after this release, or have another level since;\nor FILE.yaml, a "
     "table of rules as scripts/release prints it"},
    {'v', false, "vectors", "DIR", "check: run the vectors below this folder with the rules"},
    {0},
};

static const char *const verbs[] = {"list", "show", "coverage", "fields", "check", "pages", NULL};

/* What the command line says. */
struct request {
    const struct assay_command *self;
    const struct assay_format *format; /* null: all */
    bool json;
    const char *rule_files[ASSAY_MAX_RULE_FILES];
    size_t rule_file_count;
    const char *vectors; /* a folder, or null */
    const char *since;   /* a version or a file, or null */
    bool selected;       /* some rules only, by selectors */
    struct assay_since released;
    struct assay_selection selection;
};

/* A rule of a release that is no longer there: null after the last one. They are told where all
 * rules are listed. */
static const struct assay_released_rule *next_withdrawn(const struct request *request,
                                                        const struct assay_catalogue *c, size_t *at)
{
    while (request->since != NULL && !request->selected && *at < request->released.count) {
        const struct assay_released_rule *rule = &request->released.rules[(*at)++];
        if (assay_since_withdrawn(c, rule)) {
            return rule;
        }
    }
    return NULL;
}

static void list_rule(const struct request *request, const struct assay_rule *rule,
                      struct assay_sink *sink)
{
    const struct assay_released_rule *was =
        request->since != NULL ? assay_since_rule(&request->released, rule->id) : NULL;
    assay_sink_printf(sink, "  %-10s %-12s ", rule->id,
                      assay_level_name((enum assay_level)rule->level));
    if (was != NULL) {
        assay_sink_printf(sink, "(was %s) ", assay_level_name(was->level));
    }
    assay_sink_printf(sink, "%s\n", rule->title);
}

static void list_text(const struct request *request, const struct assay_catalogue *c,
                      const bool *deselected, struct assay_sink *sink)
{
    const struct assay_released_rule *gone = NULL;
    size_t count = 0;
    size_t at = 0;
    for (size_t r = 0; r < c->rule_count; r++) {
        count += !deselected[r];
    }
    if (count == 0 && next_withdrawn(request, c, &at) == NULL) {
        return; /* none of them is selected */
    }
    assay_sink_printf(sink, "%s %s: %zu rule%s%s%s%s\n", c->format->name, c->format->version, count,
                      count == 1 ? "" : "s", c->compiled == NULL ? " of yours" : "",
                      request->since != NULL ? " since " : "",
                      request->since != NULL ? request->released.version : "");
    for (size_t r = 0; r < c->rule_count; r++) {
        if (!deselected[r]) {
            list_rule(request, &c->rules[r], sink);
        }
    }
    at = 0;
    while ((gone = next_withdrawn(request, c, &at)) != NULL) {
        assay_sink_printf(sink, "  %-10s %-12s (was %s)\n", gone->id, "withdrawn",
                          assay_level_name(gone->level));
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

static json_t *rule_json(const struct request *request, const struct assay_rule *rule)
{
    const struct assay_released_rule *was =
        request->since != NULL ? assay_since_rule(&request->released, rule->id) : NULL;
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
    object = with_text(object, "was", was != NULL ? assay_level_name(was->level) : NULL);
    return with_text(object, "when", rule->when_text);
}

static json_t *withdrawn_json(const struct request *request, const struct assay_catalogue *c)
{
    const struct assay_released_rule *gone = NULL;
    json_t *list = json_array();
    size_t at = 0;
    while ((gone = next_withdrawn(request, c, &at)) != NULL) {
        list = append(
            list, json_pack("{s:s, s:s}", "id", gone->id, "was", assay_level_name(gone->level)));
    }
    return list;
}

static json_t *list_json(const struct request *request, const struct assay_catalogue *c,
                         const bool *deselected)
{
    json_t *rules = json_array();
    for (size_t r = 0; r < c->rule_count; r++) {
        if (!deselected[r]) {
            rules = append(rules, rule_json(request, &c->rules[r]));
        }
    }
    json_t *object = json_pack("{s:s, s:s, s:s, s:o}", "format", c->format->name, "version",
                               c->format->version, "catalogue", c->digest, "rules", rules);
    if (request->since == NULL) {
        return object;
    }
    object = with_text(object, "since", request->released.version);
    return with(object, "withdrawn", withdrawn_json(request, c));
}

/* --- coverage --- */

static void coverage_text(const struct request *request, const struct assay_catalogue *c,
                          const bool *deselected, struct assay_sink *sink)
{
    (void)request;
    (void)deselected;
    assay_coverage_text(c, sink);
}

static json_t *coverage_json(const struct request *request, const struct assay_catalogue *c,
                             const bool *deselected)
{
    (void)request;
    (void)deselected;
    json_t *clauses = json_array();
    char rules[512];
    for (size_t i = 0; i < c->clause_count; i++) {
        const struct assay_clause *clause = &c->clauses[i];
        json_t *vectors = json_array();
        enum assay_level level = ASSAY_INFO;
        const bool found = assay_clause_strongest(c, clause->id, &level);
        assay_coverage_rules(c, clause, rules, sizeof rules);
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

typedef void text_writer(const struct request *request, const struct assay_catalogue *catalogue,
                         const bool *deselected, struct assay_sink *sink);
typedef json_t *json_writer(const struct request *request, const struct assay_catalogue *catalogue,
                            const bool *deselected);

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
            all = append(all, make(request, c, selection->deselected[i]));
        } else {
            text(request, c, selection->deselected[i], &sink);
        }
    }
    if (request->json) {
        write_json(all, &sink);
    } else {
        json_decref(all);
    }
    return assay_finish_output(&sink, ASSAY_EXIT_CONFORMS);
}

/* Leaves the rules out that are what they were. */
static int leave_out_old(struct request *request)
{
    const struct assay_selection *selection = &request->selection;
    const int status = assay_since_open(&request->released, request->self, request->since);
    for (size_t i = 0; status == 0 && i < selection->count; i++) {
        const struct assay_catalogue *c = selection->catalogues[i];
        for (size_t r = 0; r < c->rule_count; r++) {
            selection->deselected[i][r] =
                selection->deselected[i][r] || assay_since_same(&request->released, &c->rules[r]);
        }
    }
    return status;
}

static int list(struct request *request, const char *selectors)
{
    int status = selectors != NULL
                     ? assay_selection_rules(&request->selection, request->self, selectors, true)
                     : 0;
    request->selected = selectors != NULL;
    status = status == 0 && request->since != NULL ? leave_out_old(request) : status;
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
        case 's':
            request->since = value;
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
    if (request.since != NULL && strcmp(verb, "list") != 0) {
        return assay_usage_error(request.self, "--since is for assay rules list");
    }
    if (check) {
        return assay_rules_check((const char *const *)operands, (size_t)count, request.vectors);
    }
    status = assay_selection_open(&request.selection, request.rule_files, request.rule_file_count);
    status = status != 0 ? status : obey(&request, verb, operands, count < 0 ? 0 : count);
    assay_since_close(&request.released);
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
        "list      every rule, or those selected as by check --only: id, level, title; with\n"
        "          --since those that are newer than a release, those of another level with the\n"
        "          one that they had, and which are no longer there\n"
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
