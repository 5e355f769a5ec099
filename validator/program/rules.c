/* assay rules: the catalogue. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/describe.h"
#include "common/packed.h"
#include "validator/engine/catalogue.h"
#include "validator/program/program.h"
#include "validator/program/rule_page.h"
#include "validator/program/rule_site.h"
#include "validator/program/selection.h"

static const struct assay_option options[] = {
    {'f', false, "format", "F", "only the rules of this format"},
    {'j', false, "json", NULL, "list, coverage: as JSON"},
    {0},
};

static const char *const verbs[] = {"list", "show", "coverage", "fields", "pages", NULL};

static void list_text(const struct assay_catalogue *c, struct assay_sink *sink)
{
    assay_sink_printf(sink, "%s %s: %zu rules\n", c->format->name, c->format->version,
                      c->rule_count);
    for (size_t r = 0; r < c->rule_count; r++) {
        const struct assay_rule *rule = &c->rules[r];
        assay_sink_printf(sink, "  %-10s %-12s %s\n", rule->id,
                          assay_level_name((enum assay_level)rule->level), rule->title);
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

/* The same for a text of an object, which is left out when it is null. */
static json_t *with_text(json_t *object, const char *key, const char *text)
{
    if (text == NULL || json_object_set_new(object, key, json_string(text)) == 0) {
        return object;
    }
    json_decref(object);
    return NULL;
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
    return with_text(object, "when", rule->when_text);
}

static json_t *list_json(const struct assay_catalogue *c)
{
    json_t *rules = json_array();
    for (size_t r = 0; r < c->rule_count; r++) {
        rules = append(rules, rule_json(&c->rules[r]));
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
    assay_sink_printf(sink, "  %-14.*s %6zu %6zu %8zu %11zu %12zu\n", (int)length, area, all,
                      count[ASSAY_BY_RULE], count[ASSAY_BY_DECODER], count[ASSAY_PERMITTED],
                      count[ASSAY_NOT_VISIBLE]);
}

static void coverage_table(const struct assay_catalogue *c, struct assay_sink *sink)
{
    size_t total[ASSAY_DISPOSITION_COUNT] = {0};
    assay_sink_printf(sink,
                      "%s %s: clauses by area and disposition\n\n  %-14s %6s %6s %8s %11s %12s\n",
                      c->format->name, c->format->version, "area", "all", "rule", "decoder",
                      "permission", "not-visible");
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

static void coverage_text(const struct assay_catalogue *c, struct assay_sink *sink)
{
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

static json_t *coverage_json(const struct assay_catalogue *c)
{
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

/* --- fields --- */

/* What the table says of a packed field's layout. */
static void packed_text(const struct assay_field *field, char *out, size_t size)
{
    static const struct assay_packed plain;
    const struct assay_packed *packed = field->packed != NULL ? field->packed : &plain;
    assay_append(out, size, "%s%s%u bit%s%s%s", out[0] != '\0' ? "; " : "",
                 packed->width.op != ASSAY_PACKED_DEFAULT ? "at most " : "", field->width,
                 field->width != 1 ? "s" : "",
                 packed->sign.op != ASSAY_PACKED_DEFAULT ? ", signed" : "",
                 packed->present.op != ASSAY_PACKED_DEFAULT ? ", may be absent" : "");
}

static void field_line(const struct assay_field *field, struct assay_sink *sink)
{
    static const char *const types[] = {
        [ASSAY_FLAG] = "flag",       [ASSAY_UINT] = "number", [ASSAY_HEX] = "number",
        [ASSAY_ADDRESS] = "address", [ASSAY_ENUM] = "name",   [ASSAY_BYTES] = "wide"};
    char place[32];
    if (field->place == ASSAY_TAIL) {
        snprintf(place, sizeof place, "[end:%u]", field->bit);
    } else if (field->place == ASSAY_AT_BIT) {
        snprintf(place, sizeof place, "[%u:%u]", field->bit + field->width - 1u, field->bit);
    } else {
        snprintf(place, sizeof place, "%s", field->place == ASSAY_DERIVED ? "derived" : "packed");
    }
    char more[80] = "";
    if (field->unit != NULL) {
        snprintf(more, sizeof more, "%s", field->unit);
    }
    if (field->place == ASSAY_PACKED) {
        packed_text(field, more, sizeof more);
    }
    assay_sink_printf(sink, "  %-24s %-8s %-10s %s%s%s%s\n", field->name, types[field->type], place,
                      field->doc, more[0] != '\0' ? " (" : "", more, more[0] != '\0' ? ")" : "");
    for (size_t i = 0; field->names != NULL && i < field->names->count; i++) {
        const struct assay_enumerator *one = &field->names->list[i];
        assay_sink_printf(sink, "  %24s %3llu %-18s %s\n", "", (unsigned long long)one->value,
                          one->name, one->doc);
    }
}

static int fields(const struct assay_command *self, const struct assay_format *format,
                  const char *name)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sink;
    format = format != NULL ? format : assay_formats[0];
    if (name != NULL && assay_kind_by_name(format, name) == NULL) {
        return assay_usage_error(self, "%s has no kind of event \"%s\"", format->name, name);
    }
    assay_sink_open(&sink, "-", &diag);
    for (size_t k = 0; k < format->kind_count; k++) {
        const struct assay_kind *kind = &format->kinds[k];
        if (name != NULL && strcmp(kind->name, name) != 0) {
            continue;
        }
        assay_sink_printf(&sink, "%s: %s (layer %s, section %s)\n", kind->name, kind->title,
                          format->layers[kind->layer], kind->clause);
        for (size_t i = 0; i < kind->field_count; i++) {
            field_line(&kind->fields[i], &sink);
        }
    }
    return assay_finish_output(&sink, ASSAY_EXIT_CONFORMS);
}

/* --- the command --- */

typedef void text_writer(const struct assay_catalogue *catalogue, struct assay_sink *sink);
typedef json_t *json_writer(const struct assay_catalogue *catalogue);

static void write_json(json_t *value, struct assay_sink *sink)
{
    char *text = json_dumps(value, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    if (text != NULL) {
        assay_sink_text(sink, text);
        assay_sink_text(sink, "\n");
    } else {
        assay_sink_fail(sink, ASSAY_NO_MEMORY);
    }
    free(text);
    json_decref(value);
}

static int each_catalogue(const struct assay_format *format, bool json, text_writer *text,
                          json_writer *make)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sink;
    json_t *all = json_array();
    assay_sink_open(&sink, "-", &diag);
    for (size_t i = 0; assay_catalogues[i] != NULL; i++) {
        if (format != NULL && assay_catalogues[i]->format != format) {
            continue;
        }
        if (json) {
            all = append(all, make(assay_catalogues[i]));
        } else {
            text(assay_catalogues[i], &sink);
        }
    }
    if (json) {
        write_json(all, &sink);
    } else {
        json_decref(all);
    }
    return assay_finish_output(&sink, ASSAY_EXIT_CONFORMS);
}

static const struct assay_clause *clause_called(const struct assay_catalogue *c, const char *id)
{
    for (size_t i = 0; i < c->clause_count; i++) {
        if (strcmp(c->clauses[i].id, id) == 0) {
            return &c->clauses[i];
        }
    }
    return NULL;
}

static int show(const struct assay_command *self, const char *id)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sink;
    size_t count = 0;
    for (; assay_catalogues[count] != NULL; count++) {
        const struct assay_rule *rule = assay_rule_by_id(assay_catalogues[count], id);
        if (rule != NULL) {
            assay_sink_open(&sink, "-", &diag);
            assay_rule_page(assay_catalogues[count], rule, &sink);
            return assay_finish_output(&sink, ASSAY_EXIT_CONFORMS);
        }
        const struct assay_clause *clause = clause_called(assay_catalogues[count], id);
        if (clause != NULL) {
            assay_sink_open(&sink, "-", &diag);
            assay_clause_page(assay_catalogues[count], clause, &sink);
            return assay_finish_output(&sink, ASSAY_EXIT_CONFORMS);
        }
    }
    return assay_unknown_rule(self, assay_catalogues, count, id);
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

static int run(int argc, char **argv)
{
    const struct assay_command *self = &assay_command_rules;
    const struct assay_format *format = NULL;
    bool json = false;
    const char *value = NULL;
    int index = 1;
    int status = 0;
    for (int option;
         (option = assay_next_option(self, argc, argv, &index, &value, &status)) >= 0;) {
        if (option == 'j') {
            json = true;
        } else if (option == 'f') {
            format = assay_named_format(self, value);
            if (format == NULL) {
                return ASSAY_EXIT_USAGE;
            }
        } else {
            return status;
        }
    }
    const char *verb = index < argc ? argv[index] : "list";
    const int operands = argc - index;
    if (strcmp(verb, "list") == 0 && operands <= 1) {
        return each_catalogue(format, json, list_text, list_json);
    }
    if (strcmp(verb, "coverage") == 0 && operands == 1) {
        return each_catalogue(format, json, coverage_text, coverage_json);
    }
    if (strcmp(verb, "show") == 0 && operands == 2) {
        return show(self, argv[index + 1]);
    }
    if (strcmp(verb, "pages") == 0 && operands == 2) {
        return pages(format, argv[index + 1]);
    }
    if (strcmp(verb, "fields") == 0 && operands <= 2) {
        return fields(self, format, operands == 2 ? argv[index + 1] : NULL);
    }
    return assay_usage_error(self, "list, show ID, coverage, fields or pages FOLDER is wanted");
}

const struct assay_command assay_command_rules = {
    .name = "rules",
    .usage = "[options] list | show ID | coverage | fields [KIND] | pages FOLDER",
    .verbs = verbs,
    .summary = "the catalogue: what is checked, what a rule means, which clauses are covered",
    .details = "list      every rule: id, level, title\n"
               "show ID   what the rule demands, why, by which clauses, and what breaks it;\n"
               "          or what a clause demands, and what became of it\n"
               "coverage  every clause and what became of it\n"
               "fields    what rules can read: kinds of events and their fields\n"
               "pages     writes what `show` tells of every rule as HTML, with an index\n",
    .options = options,
    .run = run,
};
