/* Findings: for each rule that failed, what it demands and where that was not so. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/disassemble.h"
#include "model/describe.h"
#include "reports/text.h"
#include "reports/walk.h"

/* Places shown in full; those after them have a line each. */
enum { FULL_PLACES = 3, DUMPED_EVENTS = 8, MOST_WANTED = 1000, COMMAND = 4096 };

enum {
    GROUP_INDENT = 2,
    LABEL_COLUMN = 12,
    PLACE_INDENT = 5,
    DETAIL_INDENT = 7,
    VALUE_COLUMN = 17
};

enum { LEAF_TEXT = 128, MOST_NAME = 40 };

/* --- what the rule demands --- */

static void put_label(struct assay_page *page, const char *label)
{
    assay_page_line(page, GROUP_INDENT, LABEL_COLUMN);
    assay_page_put(page, ASSAY_INK_DIM, label);
    assay_page_tab(page, LABEL_COLUMN);
}

static void put_clauses(struct assay_page *page, const struct assay_rule_total *total)
{
    for (uint16_t i = 0; i < total->rule->clause_count; i++) {
        const struct assay_clause *clause =
            assay_clause_of(total->catalogue, total->rule->clauses[i]);
        put_label(page, "clause");
        assay_page_put(page, ASSAY_INK_STRONG, total->rule->clauses[i]);
        if (clause != NULL) {
            assay_page_put(page, ASSAY_INK_PLAIN, " (section ");
            assay_page_put(page, ASSAY_INK_PLAIN, clause->section);
            assay_page_format(page, ASSAY_INK_PLAIN, ", %s)", clause->level);
            assay_page_line(page, LABEL_COLUMN, LABEL_COLUMN);
            assay_page_put(page, ASSAY_INK_PLAIN, clause->text);
        }
    }
    if (total->rule->clause_count == 0 && !total->rule->diagnosis) {
        put_label(page, "source");
        assay_page_put(page, ASSAY_INK_PLAIN, "house rule; no clause of the specification");
    }
}

static void put_scope(struct assay_page *page, const struct assay_rule *rule)
{
    put_label(page, "concerns");
    assay_page_put(page, ASSAY_INK_PLAIN, rule->on_text);
    if (rule->when_text != NULL) {
        assay_page_put(page, ASSAY_INK_PLAIN, ", when ");
        assay_page_put(page, ASSAY_INK_PLAIN, rule->when_text);
    }
}

static void put_other_readings(struct assay_page *page,
                               const struct assay_interpretation *interpretation, uint16_t chosen)
{
    for (uint16_t i = 0; i < interpretation->reading_count; i++) {
        char option[LEAF_TEXT];
        if (i == chosen) {
            continue;
        }
        snprintf(option, sizeof option, "--interpret %s=%s", interpretation->id,
                 interpretation->readings[i].name);
        assay_page_line(page, LABEL_COLUMN, LABEL_COLUMN + 2);
        assay_page_put(page, ASSAY_INK_PLAIN, "otherwise: ");
        assay_page_firm(page, ASSAY_INK_COMMAND, option);
        assay_page_put(page, ASSAY_INK_PLAIN, " (");
        assay_page_put(page, ASSAY_INK_PLAIN, interpretation->readings[i].text);
        assay_page_put(page, ASSAY_INK_PLAIN, ")");
    }
}

static void put_interpretations(struct assay_page *page, const struct assay_results *results,
                                const struct assay_rule_total *total)
{
    for (uint16_t i = 0; i < total->rule->interpretation_count; i++) {
        const struct assay_interpretation *interpretation =
            &total->catalogue->interpretations[total->rule->interpretations[i]];
        const uint16_t chosen = assay_reading_of(results, interpretation);
        put_label(page, "reading");
        assay_page_put(page, ASSAY_INK_STRONG, interpretation->id);
        assay_page_format(page, ASSAY_INK_PLAIN, "=%s%s: ", interpretation->readings[chosen].name,
                          chosen == interpretation->chosen ? "" : " (not the default)");
        assay_page_put(page, ASSAY_INK_PLAIN, interpretation->readings[chosen].text);
        assay_page_line(page, LABEL_COLUMN, LABEL_COLUMN + 2);
        assay_page_put(page, ASSAY_INK_PLAIN, "because: ");
        assay_page_put(page, ASSAY_INK_PLAIN, interpretation->problem);
        if (assay_rule_switches(total->catalogue, total->rule, total->rule->interpretations[i])) {
            put_other_readings(page, interpretation, chosen);
        }
    }
}

/* What it demands, as it is written in the rule; of a diagnosis, of which rules it explains
 * violations. */
static void put_demand(struct assay_page *page, const struct assay_rule *rule)
{
    if (rule->diagnosis) {
        put_label(page, "explains");
        assay_page_put(page, ASSAY_INK_PLAIN,
                       rule->explains_any         ? "any rule"
                       : rule->explain_count == 0 ? "no rule"
                                                  : "");
        for (uint16_t i = 0; i < rule->explain_count; i++) {
            assay_page_put(page, ASSAY_INK_PLAIN, i > 0 ? ", " : "");
            assay_page_put(page, ASSAY_INK_PLAIN, rule->explains[i]);
        }
        return;
    }
    put_label(page, "requires");
    assay_page_put(page, ASSAY_INK_PLAIN, rule->require_text);
}

void assay_text_demand(struct assay_page *page, const struct assay_results *results,
                       const struct assay_rule_total *total)
{
    put_clauses(page, total);
    put_scope(page, total->rule);
    put_demand(page, total->rule);
    put_interpretations(page, results, total);
}

void assay_text_count(struct assay_page *page, const struct assay_results *results,
                      const struct assay_rule_total *total)
{
    const struct assay_rule *rule = total->rule;
    assay_page_put(page, ASSAY_INK_PLAIN, rule->diagnosis ? "recognised " : "violated ");
    if (total->violated == 1) {
        assay_page_put(page, ASSAY_INK_PLAIN, "once");
    } else {
        assay_page_count(page, total->violated, "time", "times");
    }
    if (rule->diagnosis) {
        return;
    }
    assay_page_put(page, ASSAY_INK_PLAIN, " in ");
    assay_page_count(page, total->exercised, "check", "checks");
    if (!assay_rule_counts(results, rule)) {
        assay_page_format(page, ASSAY_INK_PLAIN, "; the verdict does not count it (--fail-on %s)",
                          assay_fail_on(results));
    }
}

static void put_head(struct assay_page *page, const struct assay_results *results,
                     const struct assay_rule_total *total)
{
    const struct assay_rule *rule = total->rule;
    const char *level = assay_level_name((enum assay_level)rule->level);
    assay_page_blank(page);
    assay_page_line(page, 0, GROUP_INDENT);
    assay_page_put(page, assay_level_ink(rule->level), level);
    assay_page_put(page, ASSAY_INK_PLAIN, "  ");
    assay_page_put(page, ASSAY_INK_STRONG, rule->id);
    assay_page_put(page, ASSAY_INK_PLAIN, "  ");
    assay_page_put(page, ASSAY_INK_STRONG, rule->title);
    assay_page_line(page, GROUP_INDENT, GROUP_INDENT);
    assay_text_count(page, results, total);
}

/* --- evidence --- */

/* Readings are shown with the rule: they are the same for all findings. */
static bool shown(const struct assay_rule_total *total, uint16_t evidence, bool of_require)
{
    const uint16_t leaf = total->rule->evidence[evidence];
    return total->catalogue->leaves[leaf].what != ASSAY_LEAF_READING &&
           assay_leaf_required(total->rule, leaf) == of_require;
}

static size_t name_width(const struct assay_rule_total *total)
{
    size_t width = 0;
    for (uint16_t i = 0; i < total->rule->evidence_count; i++) {
        if (shown(total, i, true) || shown(total, i, false)) {
            const size_t length = strlen(total->catalogue->leaves[total->rule->evidence[i]].text);
            width = length > width ? length : width;
        }
    }
    return width < MOST_NAME ? width : MOST_NAME;
}

/* What a value says that does not speak for itself: what the flag means, the unit of a number. */
static void put_meaning(struct assay_page *page, const struct assay_catalogue *catalogue,
                        uint16_t leaf)
{
    const struct assay_field *field =
        assay_shown_field(catalogue->format, catalogue->leaves[leaf].shown);
    const char *flag = assay_flag_meaning(catalogue, leaf);
    if (flag != NULL) {
        assay_page_put(page, ASSAY_INK_DIM, " (");
        assay_page_put(page, ASSAY_INK_DIM, flag);
        assay_page_put(page, ASSAY_INK_DIM, ")");
    } else if (field != NULL && field->unit != NULL && field->names == NULL) {
        assay_page_format(page, ASSAY_INK_DIM, " %s", field->unit);
    }
}

static void put_values(struct assay_page *page, const struct assay_rule_total *total,
                       const struct assay_finding *finding, bool of_require)
{
    const size_t width = name_width(total);
    const char *label = of_require ? "found" : "where";
    for (uint16_t i = 0; i < total->rule->evidence_count; i++) {
        const uint16_t leaf = total->rule->evidence[i];
        char value[LEAF_TEXT];
        if (!shown(total, i, of_require)) {
            continue;
        }
        assay_leaf_text(total->catalogue, leaf, finding->values[i], value, sizeof value);
        assay_page_line(page, DETAIL_INDENT, VALUE_COLUMN);
        assay_page_put(page, ASSAY_INK_DIM, label);
        assay_page_tab(page, VALUE_COLUMN);
        assay_page_firm(page, ASSAY_INK_PLAIN, total->catalogue->leaves[leaf].text);
        assay_page_tab(page, VALUE_COLUMN + width + 1);
        assay_page_firm(page, ASSAY_INK_PLAIN, "= ");
        assay_page_put(page, of_require ? ASSAY_INK_STRONG : ASSAY_INK_PLAIN, value);
        if (of_require) {
            put_meaning(page, total->catalogue, leaf);
        }
        label = "";
    }
}

static void put_evidence(struct assay_page *page, const struct assay_rule_total *total,
                         const struct assay_finding *finding)
{
    if (!total->rule->diagnosis) {
        assay_page_line(page, DETAIL_INDENT, VALUE_COLUMN);
        assay_page_put(page, ASSAY_INK_DIM, "expected");
        assay_page_tab(page, VALUE_COLUMN);
        assay_page_put(page, ASSAY_INK_PLAIN, assay_expected_words(total->catalogue, total->rule));
    }
    put_values(page, total, finding, true);
    put_values(page, total, finding, false);
}

/* --- positions --- */

/* An event in a line: the group with a bar, the one that the finding is about with a mark. */
static void put_event(struct assay_page *page, const struct assay_finding *finding, uint16_t number,
                      struct assay_disassembler *disassembler)
{
    const struct assay_shown_event *event = &finding->shown[number];
    const bool marked = number == finding->shown_at;
    const enum assay_ink ink = event->grouped ? ASSAY_INK_PLAIN : ASSAY_INK_DIM;
    char text[LEAF_TEXT];
    assay_page_line(page, DETAIL_INDENT, DETAIL_INDENT + 6);
    assay_page_firm(page, ASSAY_INK_DIM, event->grouped ? "|" : " ");
    assay_page_firm(page, ASSAY_INK_BAD, marked ? " > " : "   ");
    assay_page_put(page, ink, event->line);
    if (event->instruction.machine != 0 &&
        assay_disassemble(disassembler, &event->instruction, text, sizeof text)) {
        assay_page_put(page, ASSAY_INK_DIM, "  ; ");
        assay_page_firm(page, marked ? ASSAY_INK_STRONG : ASSAY_INK_DIM, text);
    }
}

void assay_text_place(struct assay_page *page, const struct assay_results *results,
                      const struct assay_rule_total *total,
                      const struct assay_located_finding *place)
{
    const struct assay_finding *finding = place->finding;
    const struct assay_format *format = total->catalogue->format;
    const struct assay_kind *kind = &format->kinds[finding->kind];
    const struct assay_input_result *input = &results->inputs[place->input];
    const struct assay_stream_result *stream = &input->streams[place->stream];
    assay_page_format(page, ASSAY_INK_PLAIN, "%s ", format->layers[kind->layer]);
    assay_page_number(page, finding->index);
    assay_page_format(page, ASSAY_INK_PLAIN, " (%s) at byte ", kind->name);
    if (!place->unlocated) {
        assay_page_offset(page, place->offset);
    }
    if (stream->has_id) {
        assay_page_put(page, ASSAY_INK_PLAIN, place->unlocated ? "" : ", byte ");
        assay_page_offset(page, finding->offset);
        assay_page_format(page, ASSAY_INK_PLAIN, " of source 0x%" PRIx32, stream->id);
    }
    if (place->file > 0 && input->file_count > 1) {
        assay_page_put(page, ASSAY_INK_PLAIN, ", byte ");
        assay_page_offset(page, place->file_offset);
        assay_page_put(page, ASSAY_INK_PLAIN, " of file ");
        assay_page_name(page, ASSAY_INK_STRONG, input->files[place->file - 1].path);
    }
    if (results->input_count > 1) {
        assay_page_put(page, ASSAY_INK_PLAIN, " of ");
        assay_page_name(page, ASSAY_INK_STRONG, input->path);
    }
}

static void put_where(struct assay_page *page, const struct assay_results *results,
                      const struct assay_rule_total *total, size_t number)
{
    assay_page_line(page, GROUP_INDENT, PLACE_INDENT);
    assay_page_format(page, ASSAY_INK_PLAIN, "%zu. ", number + 1);
    assay_text_place(page, results, total, &total->findings[number]);
}

void assay_text_finding(struct assay_page *page, const struct assay_rule_total *total,
                        const struct assay_finding *finding,
                        struct assay_disassembler *disassembler)
{
    put_evidence(page, total, finding);
    for (uint16_t i = 0; i < finding->shown_count; i++) {
        put_event(page, finding, i, disassembler);
    }
}

static void put_location(struct assay_page *page, const struct assay_results *results,
                         const struct assay_rule_total *total, size_t number,
                         struct assay_disassembler *disassembler)
{
    const struct assay_finding *finding = total->findings[number].finding;
    if (number >= FULL_PLACES) {
        put_where(page, results, total, number);
        assay_page_put(page, ASSAY_INK_PLAIN, ": ");
        assay_page_put(page, ASSAY_INK_PLAIN, finding->message);
        return;
    }
    assay_page_blank(page);
    put_where(page, results, total, number);
    assay_page_line(page, PLACE_INDENT, PLACE_INDENT);
    assay_page_put(page, ASSAY_INK_STRONG, finding->message);
    assay_text_finding(page, total, finding, disassembler);
}

/* --- what to do next --- */

void assay_text_hidden(struct assay_page *page, const struct assay_rule_total *total)
{
    char option[64];
    if (total->violated <= total->finding_count) {
        return;
    }
    const uint64_t hidden = total->violated - total->finding_count;
    const uint64_t more = total->violated < MOST_WANTED ? total->violated : MOST_WANTED;
    assay_page_line(page, GROUP_INDENT, PLACE_INDENT);
    assay_page_count(page, hidden, "more place is", "more places are");
    assay_page_put(page, ASSAY_INK_PLAIN, " not shown: ");
    snprintf(option, sizeof option, "--max-findings %" PRIu64, more);
    assay_page_firm(page, ASSAY_INK_COMMAND, option);
}

/* What a shell takes literally; anything else would break the command when it is copied. */
static bool is_plain(const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./+=:,@%";
    return path[0] != '\0' && path[0] != '-' && strlen(path) < 256 &&
           path[strspn(path, plain)] == '\0';
}

/* The options that decide how a trace is read, and what it is judged by beside the rules. */
struct repeated {
    const char *name;
    bool dump; /* `assay dump` has it, too */
    bool flag; /* without a value */
};

static const struct repeated repeated[] = {
    {"format", true, false},       {"profile", true, false},   {"facts", true, false},
    {"framing", true, false},      {"config", true, false},    {"image", true, false},
    {"allow-outside", true, true}, {"rules", false, false},    {"execution", false, false},
    {"thread", false, false},      {"interpret", false, false}};

/* Those of them that were given. */
static void append_options(const struct assay_results *results, bool dump, char *out, size_t size)
{
    for (size_t i = 0; i < results->option_count; i++) {
        const struct assay_option_used *used = &results->options[i];
        const bool by_itself =
            strcmp(used->name, "format") == 0 && strcmp(used->value, "auto") == 0;
        for (size_t n = 0; n < sizeof repeated / sizeof repeated[0] && !by_itself; n++) {
            if (strcmp(repeated[n].name, used->name) == 0 && (repeated[n].dump || !dump)) {
                assay_append(out, size, " --%s%s%s", used->name, repeated[n].flag ? "" : " ",
                             repeated[n].flag        ? ""
                             : is_plain(used->value) ? used->value
                                                     : "VALUE");
            }
        }
    }
}

/* The command that judges the input of a finding by its rule alone. */
static void check_command(const struct assay_results *results, const struct assay_rule *rule,
                          const struct assay_located_finding *placed, char *out, size_t size)
{
    const char *path = results->inputs[placed->input].path;
    out[0] = '\0';
    assay_append(out, size, "assay check --only %s", rule->id);
    append_options(results, false, out, size);
    assay_append(out, size, " %s", is_plain(path) ? path : "INPUT");
}

/* The command that shows the group of a finding: in its layer where the format has several, in its
 * stream where the input carries it. */
static void dump_command(const struct assay_results *results,
                         const struct assay_located_finding *placed, char *out, size_t size)
{
    const struct assay_input_result *input = &results->inputs[placed->input];
    const struct assay_stream_result *stream = &input->streams[placed->stream];
    const struct assay_format *format = stream->format;
    const char *path = is_plain(input->path) ? input->path : "INPUT";
    out[0] = '\0';
    assay_append(out, size, "assay dump");
    if (stream->has_id) {
        assay_append(out, size, " --source 0x%x", (unsigned)stream->id);
    }
    if (format->layer_count > 1) {
        assay_append(out, size, " --layer %s",
                     format->layers[format->kinds[placed->finding->kind].layer]);
    }
    const struct assay_finding *finding = placed->finding;
    uint16_t first = 0;
    while (first < finding->shown_at && !finding->shown[first].grouped) {
        first++;
    }
    const int count = finding->shown_count - first;
    append_options(results, true, out, size);
    assay_append(out, size, " --from 0x%" PRIx64 " --count %d %s",
                 finding->shown_count > 0 ? finding->shown[first].offset : finding->offset,
                 count > DUMPED_EVENTS ? count : DUMPED_EVENTS, path);
}

void assay_text_rule(struct assay_page *page, const struct assay_rule_total *total)
{
    char command[512];
    /* Rules that a user brought are in the user's own file. */
    if (total->catalogue->compiled != NULL) {
        snprintf(command, sizeof command, "assay rules show %s", total->rule->id);
    } else {
        snprintf(command, sizeof command, "see %s:%u", total->rule->file, total->rule->line);
    }
    assay_page_firm(page, ASSAY_INK_COMMAND, command);
}

void assay_text_next(struct assay_page *page, const struct assay_results *results,
                     const struct assay_rule_total *total,
                     const struct assay_located_finding *placed)
{
    char command[COMMAND];
    put_label(page, "next");
    assay_text_rule(page, total);
    if (assay_rule_page_url(page->rule_pages, total, command, sizeof command)) {
        assay_page_line(page, LABEL_COLUMN, LABEL_COLUMN);
        assay_page_firm(page, ASSAY_INK_PLAIN, command);
    }
    if (placed != NULL) {
        check_command(results, total->rule, placed, command, sizeof command);
        assay_page_line(page, LABEL_COLUMN, LABEL_COLUMN);
        assay_page_firm(page, ASSAY_INK_COMMAND, command);
    }
    /* The dump of the end of a trace shows nothing that the finding does not. */
    if (placed != NULL && placed->finding->kind != ASSAY_KIND_END) {
        dump_command(results, placed, command, sizeof command);
        assay_page_line(page, LABEL_COLUMN, LABEL_COLUMN);
        assay_page_firm(page, ASSAY_INK_COMMAND, command);
    }
}

static void put_rule(struct assay_page *page, const struct assay_results *results,
                     const struct assay_rule_total *total, struct assay_disassembler *disassembler)
{
    put_head(page, results, total);
    assay_page_blank(page);
    assay_text_demand(page, results, total);
    for (size_t i = 0; i < total->finding_count; i++) {
        if (i == FULL_PLACES) {
            assay_page_blank(page);
        }
        put_location(page, results, total, i, disassembler);
    }
    if (total->violated > total->finding_count && total->finding_count <= FULL_PLACES) {
        assay_page_blank(page);
    }
    assay_text_hidden(page, total);
    assay_page_blank(page);
    assay_text_next(page, results, total, total->finding_count > 0 ? &total->findings[0] : NULL);
}

void assay_text_findings(struct assay_page *page, const struct assay_results *results,
                         const struct assay_causes *causes, struct assay_disassembler *disassembler)
{
    for (size_t i = 0; i < causes->count; i++) {
        for (size_t n = 0; n < causes->list[i].rule_count; n++) {
            put_rule(page, results, causes->list[i].rules[n], disassembler);
        }
    }
    struct assay_rule_walk walk = assay_rule_walk(results);
    const struct assay_rule_total *total;
    while ((total = assay_rule_walk_verdict(&walk, ASSAY_RECOGNISED)) != NULL) {
        put_rule(page, results, total, disassembler);
    }
}
