#include "validator/program/rule_page.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/source.h"
#include "model/parameters.h"
#include "model/reader.h"
#include "validator/engine/check.h"
#include "validator/engine/conditions.h"
#include "validator/engine/extent.h"
#include "validator/engine/session.h"
#include "validator/program/builtin.h"
#include "validator/program/wrapped.h"
#include "validator/vector/corpus.h"
#include "validator/vector/vector.h"

enum { LINES = 40 };

static void put_wrapped(struct assay_sink *sink, const char *text, size_t indent)
{
    assay_put_wrapped(sink, text, strlen(text), indent, indent);
}

static void put_clauses(const struct assay_catalogue *c, const struct assay_rule *rule,
                        struct assay_sink *sink)
{
    if (rule->diagnosis) {
        return;
    }
    assay_sink_text(sink, rule->clause_count > 0
                              ? "\nClauses\n"
                              : "\nHouse rule\n  No clause of the specification demands it.\n");
    for (uint16_t i = 0; i < rule->clause_count; i++) {
        for (size_t k = 0; k < c->clause_count; k++) {
            const struct assay_clause *clause = &c->clauses[k];
            if (strcmp(clause->id, rule->clauses[i]) == 0) {
                assay_sink_printf(sink, "  %s (%s %s, section %s; %s)\n", clause->id,
                                  c->format->name, c->format->version, clause->section,
                                  clause->level);
                put_wrapped(sink, clause->text, 6);
            }
        }
    }
}

/* What an interpretation is about, its readings and why one of them is taken. */
static void put_readings(const struct assay_interpretation *one, bool switches, size_t indent,
                         struct assay_sink *sink)
{
    put_wrapped(sink, one->problem, indent);
    for (uint16_t r = 0; r < one->reading_count; r++) {
        assay_sink_printf(sink, "%*s%s%s\n", (int)indent, "", one->readings[r].name,
                          r != one->chosen ? ""
                          : switches       ? " (default)"
                                           : " (taken here)");
        put_wrapped(sink, one->readings[r].text, indent + 4);
    }
    assay_sink_printf(sink, "%*swhy:\n", (int)indent, "");
    put_wrapped(sink, one->because, indent + 4);
    if (one->built_in != NULL) {
        assay_sink_printf(sink, "%*swhy it cannot be changed:\n", (int)indent, "");
        put_wrapped(sink, one->built_in, indent + 4);
    }
}

/* The rules whose violations a diagnosis explains. */
static void put_explained(const struct assay_catalogue *c, const struct assay_rule *rule,
                          struct assay_sink *sink)
{
    assay_sink_text(sink, "\nViolations that it explains\n");
    assay_sink_text(sink, rule->explains_any         ? "  of any rule\n"
                          : rule->explain_count == 0 ? "  none: it is worth knowing by itself\n"
                                                     : "");
    for (uint16_t i = 0; i < rule->explain_count; i++) {
        const struct assay_rule *explained = assay_rule_by_id(c, rule->explains[i]);
        assay_sink_printf(sink, "  %s  %s\n", rule->explains[i],
                          explained != NULL ? explained->title : "");
    }
    if (rule->extent != ASSAY_EXTENT_ANY) {
        assay_sink_text(sink,
                        rule->extent == ASSAY_EXTENT_AT_PLACES
                            ? "\nIt is told where most of the stream is right (extent: places)\n"
                            : "\nIt is told where the stream is wrong throughout, or it is "
                              "recognised again and again\n(extent: throughout)\n");
    }
}

/* The diagnoses that explain violations of a rule by name. */
static void put_diagnoses(const struct assay_catalogue *c, const struct assay_rule *rule,
                          struct assay_sink *sink)
{
    const char *heading = "\nDiagnoses that explain a violation\n";
    for (size_t r = 0; r < c->rule_count; r++) {
        if (c->rules[r].explain_count > 0 && assay_rule_explains(&c->rules[r], rule)) {
            assay_sink_printf(sink, "%s  %s  %s\n", heading, c->rules[r].id, c->rules[r].title);
            heading = "";
        }
    }
}

static void put_interpretations(const struct assay_catalogue *c, const struct assay_rule *rule,
                                struct assay_sink *sink)
{
    if (rule->interpretation_count > 0) {
        assay_sink_text(sink, "\nInterpretations it rests on\n");
    }
    for (uint16_t i = 0; i < rule->interpretation_count; i++) {
        const struct assay_interpretation *one = &c->interpretations[rule->interpretations[i]];
        const bool switches = assay_rule_switches(c, rule, rule->interpretations[i]);
        assay_sink_printf(sink, "  %s (section %s)%s\n", one->id, one->section,
                          switches ? "; --interpret changes it" : "");
        put_readings(one, switches, 6, sink);
    }
}

/* Marks the variables that an expression reads. */
static void mark_variables(const struct assay_catalogue *c,
                           const struct assay_expression *expression, bool *marked)
{
    for (unsigned i = 0; i < expression->count; i++) {
        const struct assay_node *node = &expression->nodes[i];
        if (node->op == ASSAY_OP_LEAF && c->leaves[node->a].what == ASSAY_LEAF_STATE) {
            marked[c->leaves[node->a].number] = true;
        }
    }
}

enum { VARIABLES = 4096, NAMES = 4096 };

/* Marks the state variables that the rule reads, and those that these are made of. False where
 * there are too many to say. */
static bool mark_state(const struct assay_catalogue *c, const struct assay_rule *rule, bool *marked)
{
    if (c->variable_count > VARIABLES) {
        return false;
    }
    mark_variables(c, &rule->when, marked);
    mark_variables(c, &rule->require, marked);
    for (unsigned pass = 0; pass < 4; pass++) {
        for (size_t v = 0; v < c->variable_count; v++) {
            for (uint16_t u = 0; marked[v] && u < c->variables[v].update_count; u++) {
                mark_variables(c, &c->variables[v].updates[u].value, marked);
            }
        }
    }
    return true;
}

static void put_state(const struct assay_catalogue *c, const struct assay_rule *rule,
                      struct assay_sink *sink)
{
    static const char *const heading = "\nState, as it was before the event\n";
    bool marked[VARIABLES] = {false};
    bool any = false;
    if (!mark_state(c, rule, marked)) {
        return;
    }
    for (size_t v = 0; v < c->variable_count; v++) {
        const struct assay_variable *variable = &c->variables[v];
        if (!marked[v]) {
            continue;
        }
        assay_sink_text(sink, any ? "" : heading);
        any = true;
        assay_sink_printf(sink, "  %s: at first ", variable->name);
        if (variable->flag) {
            assay_sink_text(sink, variable->init != 0 ? "true\n" : "false\n");
        } else {
            assay_sink_printf(sink, "%" PRIu64 "\n", variable->init);
        }
        for (uint16_t u = 0; u < variable->update_count; u++) {
            assay_sink_printf(sink, "    on %-12s %s\n", variable->updates[u].on_text,
                              variable->updates[u].text);
        }
    }
}

/* Whether a word is in a text. */
static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        const char before = at > text ? at[-1] : ' ';
        if (isalnum((unsigned char)before) == 0 && before != '_' &&
            isalnum((unsigned char)at[length]) == 0 && at[length] != '_') {
            return true;
        }
    }
    return false;
}

/* Marks those of the first `count` named conditions that are of the rule's file and in a text. */
static void mark_named(const struct assay_catalogue *c, const struct assay_rule *rule,
                       const char *text, size_t count, bool *marked)
{
    for (size_t n = 0; n < count && text != NULL; n++) {
        marked[n] = marked[n] ||
                    (strcmp(c->named[n].file, rule->file) == 0 && has_word(text, c->named[n].name));
    }
}

/* What names in passes(...) and first(...) stand for. */
static void put_named(const struct assay_catalogue *c, const struct assay_rule *rule,
                      struct assay_sink *sink)
{
    bool marked[NAMES] = {false};
    bool variables[VARIABLES] = {false};
    const char *heading = "\nConditions of instructions\n";
    if (c->named_count > NAMES || !mark_state(c, rule, variables)) {
        return;
    }
    mark_named(c, rule, rule->when_text, c->named_count, marked);
    mark_named(c, rule, rule->require_text, c->named_count, marked);
    for (size_t v = 0; v < c->variable_count; v++) {
        for (uint16_t u = 0; variables[v] && u < c->variables[v].update_count; u++) {
            mark_named(c, rule, c->variables[v].updates[u].text, c->named_count, marked);
        }
    }
    /* One can be made of those before it. */
    for (size_t n = c->named_count; n-- > 0;) {
        mark_named(c, rule, marked[n] ? c->named[n].text : NULL, n, marked);
    }
    for (size_t n = 0; n < c->named_count; n++) {
        if (marked[n]) {
            assay_sink_printf(sink, "%s  %s: %s\n", heading, c->named[n].name, c->named[n].text);
            heading = "";
        }
    }
}

static void put_needs(const struct assay_catalogue *c, const struct assay_rule *rule,
                      struct assay_sink *sink)
{
    static const struct {
        enum assay_need need;
        const char *text;
    } needs[] = {{ASSAY_NEED_ISA, "instruction words"},
                 {ASSAY_NEED_CONFIG, "the encoder's parameters (--config)"},
                 {ASSAY_NEED_IMAGE, "the program (--image)"},
                 {ASSAY_NEED_EXECUTION, "a recorded execution (--execution)"}};
    if (rule->needs == 0 && rule->fact_count == 0 && rule->parameter_count == 0) {
        return;
    }
    assay_sink_text(sink, "\nNeeds\n");
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        if ((rule->needs & needs[i].need) != 0) {
            assay_sink_printf(sink, "  %s\n", needs[i].text);
        }
    }
    for (uint16_t i = 0; i < rule->fact_count; i++) {
        const struct assay_fact_info *fact = &assay_fact_table[rule->facts[i]];
        assay_sink_printf(sink, "  the platform fact %s (--facts): %s\n", fact->name, fact->doc);
    }
    for (uint16_t i = 0; i < rule->parameter_count; i++) {
        const struct assay_parameter *parameter = &c->format->parameters->list[rule->parameters[i]];
        assay_sink_printf(sink, "  the parameter %s (--config, or the stream): %s\n",
                          parameter->name, parameter->doc);
    }
}

/* --- vectors --- */

/* Whether a step of an example failed. Without memory the page is not whole. */
static bool failed(enum assay_error error, struct assay_sink *sink)
{
    if (error == ASSAY_NO_MEMORY) {
        assay_sink_fail(sink, error);
    }
    return error != ASSAY_OK;
}

/* The events of the layer that the rule is about. */
static void put_events(const struct assay_rule *rule, const struct assay_format *format,
                       struct assay_decoder *decoder, struct assay_sink *sink)
{
    const unsigned layer = format->kinds[assay_kinds_next(&rule->kinds, 0)].layer;
    const struct assay_event *event = NULL;
    struct assay_reader reader;
    unsigned lines = 0;
    assay_reader_begin(&reader, format, decoder, (int)layer, true);
    while (!failed(assay_reader_next(&reader, &event, NULL), sink) && event != NULL) {
        char line[512];
        if (lines++ < LINES) {
            assay_event_line(format, event, line, sizeof line);
            assay_sink_printf(sink, "    %4" PRIu64 "  0x%04" PRIx64 "  %s\n", event->index,
                              event->offset, line);
        }
    }
    if (lines > LINES) {
        assay_sink_printf(sink, "    ... and %u more\n", lines - LINES);
    }
}

static void put_dump(const struct assay_rule *rule, const struct assay_vector *vector,
                     const struct assay_sink *bytes, struct assay_sink *sink)
{
    const struct assay_format *format = vector->format;
    const struct assay_input judged = assay_vector_input(vector, "vector");
    struct assay_parameter_values parameters;
    struct assay_source *source = NULL;
    struct assay_decoder *decoder = NULL;
    if (failed(assay_configure(&judged.setup, &parameters, NULL), sink) ||
        failed(assay_source_memory(bytes->data, bytes->size, &source), sink)) {
        return;
    }
    const struct assay_decode_input input = {.source = source,
                                             .facts = judged.setup.facts,
                                             .parameters =
                                                 format->parameters != NULL ? &parameters : NULL,
                                             .images = judged.setup.images,
                                             .conditions = assay_conditions_of(format),
                                             .framing = judged.setup.framing,
                                             .profile = judged.setup.profile};
    if (!failed(format->decoder->open(&input, &decoder, NULL), sink)) {
        put_events(rule, format, decoder, sink);
    }
    if (decoder != NULL) {
        format->decoder->close(decoder);
    }
}

/* What the validator says of the vector: the first finding of the rule. */
static void put_finding(const struct assay_catalogue *c, const struct assay_rule *rule,
                        const struct assay_vector *vector, const struct assay_sink *bytes,
                        const struct assay_sink *execution, struct assay_sink *sink)
{
    enum { READINGS = 1024 };
    uint16_t readings[READINGS];
    const uint16_t *const all_readings[] = {readings};
    struct assay_source *source = NULL;
    struct assay_source *recording = NULL;
    struct assay_check *check = NULL;
    if (c->interpretation_count > READINGS ||
        failed(assay_vector_readings(vector, c, readings, NULL), sink)) {
        return;
    }
    const struct assay_input input = assay_vector_input(vector, "vector");
    const struct assay_check_options options = {.catalogues = &c,
                                                .catalogue_count = 1,
                                                .readings = all_readings,
                                                .max_findings = 1,
                                                .jobs = 2};
    if (failed(assay_check_open(&options, &check, NULL), sink)) {
        return;
    }
    enum assay_error error = assay_source_memory(bytes->data, bytes->size, &source);
    if (error == ASSAY_OK && execution->size > 0) {
        error = assay_source_memory(execution->data, execution->size, &recording);
    }
    if (failed(error, sink)) {
        assay_source_close(source);
    } else if (!failed(assay_check_source(check, &input, source, recording, NULL), sink)) {
        const struct assay_results *results = assay_check_results(check);
        const struct assay_rule_total *total = &results->rules[rule - c->rules];
        if (total->finding_count > 0) {
            assay_sink_printf(sink, "    at event %" PRIu64 ": %s\n",
                              total->findings[0].finding->index,
                              total->findings[0].finding->message);
        }
    }
    assay_check_close(check);
}

static bool shows(const struct assay_vector *vector, const struct assay_rule *rule,
                  enum assay_expectation expectation)
{
    if (vector->expectation != expectation) {
        return false;
    }
    for (size_t i = 0; i < vector->expected->count; i++) {
        if (assay_yaml_is(vector->expected->items[i], rule->id)) {
            return true;
        }
    }
    return false;
}

static void put_vector(const struct assay_catalogue *c, const struct assay_rule *rule,
                       const struct assay_vector *vector, const char *name, struct assay_sink *sink)
{
    struct assay_sink bytes;
    struct assay_sink execution;
    assay_sink_memory(&bytes, 0);
    assay_sink_memory(&execution, 0);
    assay_sink_printf(sink, "  %s\n", name);
    put_wrapped(sink, vector->why, 4);
    if (!failed(assay_vector_encode(vector, &bytes, NULL), sink) &&
        (vector->execution == NULL ||
         !failed(assay_vector_execution(vector, &execution, NULL), sink))) {
        put_dump(rule, vector, &bytes, sink);
        put_finding(c, rule, vector, &bytes, &execution, sink);
    }
    assay_sink_close(&bytes, NULL);
    assay_sink_close(&execution, NULL);
}

/* The vector of the corpus that shows a rule best: the one with the fewest events that does, and of
 * those the shortest text. */
static void put_example(const struct assay_catalogue *c, const struct assay_rule *rule,
                        enum assay_expectation expectation, struct assay_sink *sink)
{
    const struct assay_corpus_text *best = NULL;
    size_t events = 0;
    struct assay_vector vector;
    for (size_t i = 0; i < assay_corpus_count; i++) {
        const struct assay_corpus_text *text = &assay_corpus[i];
        /* Most vectors do not name the rule, which a search of the text shows sooner than reading
         * them. */
        if (strstr(text->text, rule->id) == NULL ||
            failed(assay_builtin_vector(text, &vector, NULL), sink)) {
            continue;
        }
        if (shows(&vector, rule, expectation) &&
            (best == NULL || vector.trace->count < events ||
             (vector.trace->count == events && text->size < best->size))) {
            best = text;
            events = vector.trace->count;
        }
        assay_vector_free(&vector);
    }
    if (best != NULL && !failed(assay_builtin_vector(best, &vector, NULL), sink)) {
        assay_sink_printf(sink, "\nA trace that %s\n",
                          expectation != ASSAY_EXPECT_FAILS ? "conforms"
                          : rule->diagnosis                 ? "is recognised"
                                                            : "violates it");
        put_vector(c, rule, &vector, best->name, sink);
        assay_vector_free(&vector);
    }
}

/* --- clauses --- */

static void put_rules_of(const struct assay_catalogue *c, const char *clause,
                         struct assay_sink *sink)
{
    assay_sink_text(sink, "\nRules that check it\n");
    for (size_t r = 0; r < c->rule_count; r++) {
        for (uint16_t i = 0; i < c->rules[r].clause_count; i++) {
            if (strcmp(c->rules[r].clauses[i], clause) == 0) {
                assay_sink_printf(sink, "  %s  %s\n", c->rules[r].id, c->rules[r].title);
            }
        }
    }
}

void assay_clause_page(const struct assay_catalogue *c, const struct assay_clause *clause,
                       struct assay_sink *sink)
{
    static const char *const what[ASSAY_DISPOSITION_COUNT] = {
        [ASSAY_BY_DECODER] = "A duty of those who read traces",
        [ASSAY_PERMITTED] = "A permission",
        [ASSAY_BY_INPUT] = "Checked where what accompanies a trace is read",
        [ASSAY_NOT_VISIBLE] = "Not visible in any trace",
    };
    assay_sink_printf(sink, "%s (%s %s, section %s; %s)\n", clause->id, c->format->name,
                      c->format->version, clause->section, clause->level);
    put_wrapped(sink, clause->text, 2);
    if (clause->disposition == ASSAY_BY_RULE) {
        put_rules_of(c, clause->id, sink);
        if (clause->weaker != NULL) {
            assay_sink_text(sink, "\nWhy none of them is of level must\n");
            put_wrapped(sink, clause->weaker, 2);
        }
        return;
    }
    assay_sink_printf(sink, "\n%s\n", what[clause->disposition]);
    put_wrapped(sink, clause->reason, 2);
    if (clause->vector_count > 0) {
        assay_sink_text(sink, "\nVectors that show it\n");
    }
    for (uint16_t v = 0; v < clause->vector_count; v++) {
        assay_sink_printf(sink, "  %s\n", clause->vectors[v]);
    }
}

/* --- interpretations --- */

static void put_rules_resting(const struct assay_catalogue *c, uint16_t number,
                              struct assay_sink *sink)
{
    bool any = false;
    for (size_t r = 0; r < c->rule_count; r++) {
        const struct assay_rule *rule = &c->rules[r];
        bool rests = false;
        for (uint16_t i = 0; i < rule->interpretation_count; i++) {
            rests = rests || rule->interpretations[i] == number;
        }
        if (rests) {
            assay_sink_text(sink, any ? "" : "\nRules that rest on it\n");
            any = true;
            assay_sink_printf(sink, "  %s  %s%s\n", rule->id, rule->title,
                              assay_rule_switches(c, rule, number) ? "; --interpret changes it"
                                                                   : "");
        }
    }
}

void assay_interpretation_page(const struct assay_catalogue *c,
                               const struct assay_interpretation *one, struct assay_sink *sink)
{
    assay_sink_printf(sink, "%s (%s %s, section %s)\n", one->id, c->format->name,
                      c->format->version, one->section);
    put_readings(one, one->built_in == NULL, 2, sink);
    assay_sink_text(sink, one->clause_count > 0 ? "\nClauses that it bears on\n" : "");
    for (uint16_t i = 0; i < one->clause_count; i++) {
        assay_sink_printf(sink, "  %s\n", one->clauses[i]);
    }
    put_rules_resting(c, (uint16_t)(one - c->interpretations), sink);
}

/* --- rules --- */

void assay_rule_page(const struct assay_catalogue *c, const struct assay_rule *rule,
                     struct assay_sink *sink)
{
    assay_sink_printf(sink, "%s  %s\n%s, %s %s\n", rule->id, rule->title,
                      assay_level_name((enum assay_level)rule->level), c->format->title,
                      c->format->version);
    if (rule->why != NULL) {
        assay_sink_text(sink, "\nWhy it matters\n");
        put_wrapped(sink, rule->why, 2);
    }
    assay_sink_printf(sink, "\n%s (%s:%u)\n  on       %s\n",
                      rule->diagnosis ? "Diagnosis" : "Requirement", rule->file, rule->line,
                      rule->on_text);
    if (rule->profiles_text != NULL) {
        assay_sink_printf(sink, "  of       %s\n", rule->profiles_text);
    }
    if (rule->when_text != NULL) {
        assay_sink_printf(sink, "  when     %s\n", rule->when_text);
    }
    if (!rule->diagnosis) {
        assay_sink_printf(sink, "  require  %s\n", rule->require_text);
    }
    assay_sink_printf(sink, "  say      %s\n", rule->say_text);
    if (rule->diagnosis) {
        put_explained(c, rule, sink);
    } else {
        put_diagnoses(c, rule, sink);
    }
    if (rule->unexecutable) {
        assay_sink_text(
            sink, "\nWhat violates it cannot have been executed: no way through a Q element or the "
                  "like\nis followed on which it would be.\n");
    }
    put_named(c, rule, sink);
    put_state(c, rule, sink);
    put_needs(c, rule, sink);
    put_clauses(c, rule, sink);
    put_interpretations(c, rule, sink);
    put_example(c, rule, ASSAY_EXPECT_PASSES, sink);
    put_example(c, rule, ASSAY_EXPECT_FAILS, sink);
}
