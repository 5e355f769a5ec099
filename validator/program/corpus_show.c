#include "validator/program/corpus_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validator/program/builtin.h"
#include "validator/program/selection.h"
#include "validator/program/wrapped.h"

/* Blocks are shown in this order, after them the names of the scenarios. */
enum group { PASSES, FAILS, SILENT, SCENARIO, GROUPS, NONE = GROUPS };

struct shown {
    const struct assay_corpus_text *text;
    enum group group;
    bool own; /* its name begins with the rule */
};

/* Those that were found; there is room for the whole corpus. */
struct found {
    struct shown *list;
    size_t count;
    size_t of[GROUPS];
};

/* "ASTF-0031.pass.ids" of "corpus/astf/context/ASTF-0031/ASTF-0031.pass.ids.yaml", and its length.
 */
static const char *name_of(const struct assay_corpus_text *text, size_t *length)
{
    const char *name = strrchr(text->name, '/') + 1;
    *length = strlen(name) - strlen(".yaml");
    return name;
}

/* --- what a vector states --- */

static bool has(const struct assay_yaml *list, const char *id)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        if (assay_yaml_is(list->items[i], id)) {
            return true;
        }
    }
    return false;
}

static void put_list(const struct assay_yaml *list, const char *what, struct assay_sink *sink)
{
    for (size_t i = 0; i < list->count; i++) {
        assay_sink_printf(sink, "%s%s", i == 0 ? what : ", ", list->items[i]->text);
    }
}

/* The same of rules that pass or are not exercised: where they are many, the one that is shown and
 * how many others. */
static void put_others(const struct assay_yaml *list, const char *what,
                       const struct assay_rule *rule, struct assay_sink *sink)
{
    enum { FEW = 5 };
    if (rule != NULL && list->count > FEW && has(list, rule->id)) {
        assay_sink_printf(sink, "%s%s and %zu others", what, rule->id, list->count - 1);
    } else {
        put_list(list, what, sink);
    }
}

static void put_statement(const struct assay_vector *vector, const struct assay_rule *rule,
                          struct assay_sink *sink)
{
    const bool silent = vector->silent != NULL && vector->silent->count > 0;
    switch (vector->expectation) {
    case ASSAY_EXPECT_FAILS:
        put_list(vector->expected, "fails ", sink);
        break;
    case ASSAY_EXPECT_PASSES:
        put_others(vector->expected, "passes ", rule, sink);
        if (vector->expected->count == 0 && !silent) {
            assay_sink_text(sink, "fails no rule");
        }
        break;
    case ASSAY_EXPECT_CONFORMS:
        put_list(vector->expected, "conforms to ", sink);
        break;
    case ASSAY_EXPECT_VIOLATES:
        put_list(vector->expected, "violates ", sink);
        break;
    case ASSAY_EXPECT_EVENTS:
        assay_sink_printf(sink, "events%s%s", vector->layer != NULL ? " of layer " : "",
                          vector->layer != NULL ? vector->layer : "");
        break;
    case ASSAY_EXPECT_REFUSES:
        assay_sink_printf(sink, "refuses: %s", vector->expected->text);
        break;
    case ASSAY_EXPECT_NOTHING:
        assay_sink_text(sink, "states nothing");
        break;
    }
    if (silent) {
        const bool alone =
            vector->expectation == ASSAY_EXPECT_PASSES && vector->expected->count == 0;
        put_others(vector->silent, alone ? "silent " : "; silent ", rule, sink);
    }
}

/* "NAME: fails ASTF-0031", and what streams of a capture state. */
static void put_heading(const struct assay_corpus_text *text, const struct assay_vector *vector,
                        const struct assay_rule *rule, size_t indent, struct assay_sink *sink)
{
    struct assay_sink line;
    size_t length = 0;
    const char *name = name_of(text, &length);
    assay_sink_memory(&line, 0);
    assay_sink_printf(&line, "%.*s: ", (int)length, name);
    put_statement(vector, rule, &line);
    for (size_t i = 0; i < vector->stream_count; i++) {
        if (vector->streams[i].vector.expectation != ASSAY_EXPECT_NOTHING) {
            assay_sink_printf(&line, "; stream 0x%" PRIx32 " ", vector->streams[i].id);
            put_statement(&vector->streams[i].vector, rule, &line);
        }
    }
    if (line.error != ASSAY_OK) {
        assay_sink_fail(sink, line.error);
    } else {
        assay_put_wrapped(sink, (const char *)line.data, line.size, indent, indent + 4);
    }
    assay_sink_close(&line, NULL);
}

/* --- blocks --- */

/* Keys that the heading shows in other words. */
static bool in_heading(const char *line)
{
    static const char *const keys[] = {"vector",  "format", "why",      "fails",    "passes",
                                       "refuses", "silent", "conforms", "violates", NULL};
    size_t i = 0;
    while (keys[i] != NULL &&
           (strncmp(line, keys[i], strlen(keys[i])) != 0 || line[strlen(keys[i])] != ':')) {
        i++;
    }
    return keys[i] != NULL;
}

/* The lines of the vector as its author wrote them, but for those that the heading shows, and for
 * long ones, which are wrapped. A key of the vector begins in the first column, and what belongs to
 * it follows. */
static void put_source(const struct assay_corpus_text *text, struct assay_sink *sink)
{
    enum { INDENT = 2 };
    bool left_out = false;
    for (const char *line = text->text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        if (strchr(" -#\n", line[0]) == NULL) {
            left_out = in_heading(line);
        }
        if (!left_out && length + INDENT > ASSAY_WRAPPED_WIDTH) {
            const size_t first = INDENT + strspn(line, " ");
            assay_put_wrapped(sink, line, length, first, first + 4);
        } else if (!left_out) {
            assay_sink_printf(sink, "%*s%.*s\n", length > 0 ? INDENT : 0, "", (int)length, line);
        }
        line += length + (line[length] == '\n');
    }
}

/* Reads a vector that the program has; false when memory is out. */
static bool read_vector(const struct assay_corpus_text *text, struct assay_vector *vector,
                        struct assay_sink *sink)
{
    const enum assay_error error = assay_builtin_vector(text, vector, NULL);
    if (error != ASSAY_OK) {
        assay_sink_fail(sink, error);
    }
    return error == ASSAY_OK;
}

static void put_block(const struct assay_corpus_text *text, const struct assay_vector *vector,
                      const struct assay_rule *rule, struct assay_sink *sink)
{
    put_heading(text, vector, rule, 0, sink);
    assay_put_wrapped(sink, vector->why, strlen(vector->why), 2, 2);
    put_source(text, sink);
    assay_sink_text(sink, "\n");
}

/* --- the vectors of a rule --- */

static enum group group_of(const struct assay_vector *vector, const struct assay_rule *rule)
{
    switch (vector->expectation) {
    case ASSAY_EXPECT_FAILS:
    case ASSAY_EXPECT_PASSES:
        if (has(vector->expected, rule->id)) {
            return vector->expectation == ASSAY_EXPECT_FAILS ? FAILS : PASSES;
        }
        break;
    case ASSAY_EXPECT_CONFORMS:
    case ASSAY_EXPECT_VIOLATES:
        for (uint16_t i = 0; i < rule->clause_count; i++) {
            if (has(vector->expected, rule->clauses[i])) {
                return SCENARIO;
            }
        }
        break;
    default:
        break;
    }
    return has(vector->silent, rule->id) ? SILENT : NONE;
}

/* Most vectors name neither the rule nor a clause of it, which a search of the text shows sooner
 * than reading them. */
static bool names(const struct assay_corpus_text *text, const struct assay_rule *rule)
{
    bool found = strstr(text->text, rule->id) != NULL;
    for (uint16_t i = 0; i < rule->clause_count && !found; i++) {
        found = strstr(text->text, rule->clauses[i]) != NULL;
    }
    return found;
}

static void find(const struct assay_rule *rule, struct found *found, struct assay_sink *sink)
{
    found->count = 0;
    memset(found->of, 0, sizeof found->of);
    for (size_t i = 0; i < assay_corpus_count; i++) {
        struct assay_vector vector;
        size_t length = 0;
        if (!assay_builtin_is_vector(&assay_corpus[i]) || !names(&assay_corpus[i], rule) ||
            !read_vector(&assay_corpus[i], &vector, sink)) {
            continue;
        }
        enum group group = group_of(&vector, rule);
        for (size_t s = 0; s < vector.stream_count && group == NONE; s++) {
            group = group_of(&vector.streams[s].vector, rule);
        }
        assay_vector_free(&vector);
        if (group != NONE) {
            const size_t id = strlen(rule->id);
            const char *name = name_of(&assay_corpus[i], &length);
            found->list[found->count++] =
                (struct shown){.text = &assay_corpus[i],
                               .group = group,
                               .own = strncmp(name, rule->id, id) == 0 && name[id] == '.'};
            found->of[group]++;
        }
    }
}

static int by_group_and_name(const void *a, const void *b)
{
    const struct shown *x = a;
    const struct shown *y = b;
    size_t length = 0;
    if (x->group != y->group) {
        return x->group < y->group ? -1 : 1;
    }
    return x->own != y->own ? (x->own ? -1 : 1)
                            : strcmp(name_of(x->text, &length), name_of(y->text, &length));
}

static void put_counts(const struct assay_rule *rule, const struct found *found,
                       struct assay_sink *sink)
{
    const size_t vectors = found->count - found->of[SCENARIO];
    if (vectors == 0) {
        assay_sink_printf(sink, "%s has no vector", rule->id);
    } else {
        assay_sink_printf(sink, "%s: %zu vector%s: %zu pass, %zu fail, %zu silent", rule->id,
                          vectors, vectors == 1 ? "" : "s", found->of[PASSES], found->of[FAILS],
                          found->of[SILENT]);
    }
    if (found->of[SCENARIO] > 0) {
        assay_sink_printf(sink, "; %zu scenario%s", found->of[SCENARIO],
                          found->of[SCENARIO] == 1 ? "" : "s");
    }
    assay_sink_text(sink, "\n");
}

static void show_rule(const struct assay_rule *rule, struct found *found, struct assay_sink *sink)
{
    find(rule, found, sink);
    qsort(found->list, found->count, sizeof *found->list, by_group_and_name);
    assay_sink_printf(sink, "%s  %s\n\n", rule->id, rule->title);
    const char *title = "Scenarios of its clauses\n";
    for (size_t i = 0; i < found->count; i++) {
        const struct assay_corpus_text *text = found->list[i].text;
        struct assay_vector vector;
        if (!read_vector(text, &vector, sink)) {
            continue;
        }
        if (found->list[i].group == SCENARIO) {
            assay_sink_text(sink, title);
            title = "";
            put_heading(text, &vector, NULL, 2, sink);
        } else {
            put_block(text, &vector, rule, sink);
        }
        assay_vector_free(&vector);
    }
    assay_sink_text(sink, found->of[SCENARIO] > 0 ? "\n" : "");
    put_counts(rule, found, sink);
}

/* --- the command --- */

static bool is_called(const struct assay_corpus_text *text, const char *name)
{
    size_t length = 0;
    const char *called = name_of(text, &length);
    return assay_builtin_is_vector(text) && strlen(name) == length &&
           strncmp(called, name, length) == 0;
}

static bool is_name(const char *operand)
{
    size_t i = 0;
    while (i < assay_corpus_count && !is_called(&assay_corpus[i], operand)) {
        i++;
    }
    return i < assay_corpus_count;
}

/* Shows the vectors with this name, of which each format can have one; false if there is none of
 * the format. */
static bool show_called(const struct assay_format *format, const char *name,
                        struct assay_sink *sink)
{
    bool any = false;
    for (size_t i = 0; i < assay_corpus_count; i++) {
        struct assay_vector vector;
        if (!is_called(&assay_corpus[i], name) || !read_vector(&assay_corpus[i], &vector, sink)) {
            continue;
        }
        if (format == NULL || vector.format == format) {
            any = true;
            put_block(&assay_corpus[i], &vector, NULL, sink);
        }
        assay_vector_free(&vector);
    }
    return any;
}

/* Selects the rules that operands mean which are no names of vectors. */
static int select_rules(const struct assay_command *command, const struct assay_format *format,
                        char *const *operands, size_t count, struct assay_selection *selection)
{
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        if (!is_name(operands[i])) {
            status = assay_selection_rules(selection, command, operands[i], true);
        }
    }
    size_t left = 0;
    for (size_t i = 0; i < selection->count; i++) {
        const struct assay_catalogue *c = selection->catalogues[i];
        for (size_t r = 0; r < c->rule_count; r++) {
            left += !selection->deselected[i][r] && (format == NULL || c->format == format);
        }
    }
    if (status == 0 && selection->only && left == 0) {
        return assay_usage_error(command, "no rule of %s is meant", format->name);
    }
    return status;
}

static int show(const struct assay_command *command, const struct assay_format *format,
                char *const *operands, size_t count, const struct assay_selection *selection)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct found found = {.list = calloc(assay_corpus_count + 1, sizeof *found.list)};
    struct assay_sink sink;
    bool first = true;
    if (found.list == NULL) {
        return assay_say_no_memory();
    }
    assay_sink_open(&sink, "-", &diag);
    for (size_t i = 0; i < count; i++) {
        if (is_name(operands[i]) && !show_called(format, operands[i], &sink) &&
            sink.error == ASSAY_OK) {
            free(found.list);
            assay_sink_close(&sink, NULL);
            return assay_usage_error(command, "no vector %s is of %s", operands[i], format->name);
        }
    }
    for (size_t i = 0; selection->only && i < selection->count; i++) {
        const struct assay_catalogue *c = selection->catalogues[i];
        for (size_t r = 0; r < c->rule_count; r++) {
            if (!selection->deselected[i][r] && (format == NULL || c->format == format)) {
                assay_sink_text(&sink, first ? "" : "\n");
                first = false;
                show_rule(&c->rules[r], &found, &sink);
            }
        }
    }
    free(found.list);
    return assay_finish_output(&sink, ASSAY_EXIT_CONFORMS);
}

int assay_corpus_show(const struct assay_command *command, const struct assay_format *format,
                      char *const *operands, size_t count)
{
    struct assay_selection selection = {0};
    int status = assay_selection_open(&selection, NULL, 0);
    status = status != 0 ? status : select_rules(command, format, operands, count, &selection);
    status = status != 0 ? status : show(command, format, operands, count, &selection);
    assay_selection_close(&selection);
    return status;
}
