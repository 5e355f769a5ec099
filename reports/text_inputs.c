/* The inputs of a run: why some could not be read, and a table of all. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/text.h"
#include "reports/walk.h"

/* Of each verdict so many inputs are listed, of each input so many rules. */
enum { MOST_LISTED = 20, MOST_UNREADABLE = 20, MOST_RULES = 6 };

enum { VERDICT_COLUMN = 2, VERDICT_WIDTH = 10, LEAST_NUMBER = 6 };

/* --- unreadable ones --- */

static void put_position(struct assay_page *page, const struct assay_diag *diag)
{
    char text[96];
    char number[ASSAY_NUMBER_TEXT];
    text[0] = '\0';
    if (diag->line != 0) {
        snprintf(text, sizeof text, "line %u, column %u: ", diag->line, diag->column);
    } else if (diag->offset != ASSAY_NO_OFFSET) {
        snprintf(text, sizeof text, "at byte 0x%" PRIx64 " (%s): ", diag->offset,
                 assay_number_text(diag->offset, number));
    }
    assay_page_firm(page, ASSAY_INK_PLAIN, text);
}

void assay_text_error(struct assay_page *page, const struct assay_input_result *input)
{
    const struct assay_diag *diag = &input->diag;
    if (diag->path[0] != '\0' && strcmp(diag->path, input->path) != 0) {
        assay_page_name(page, ASSAY_INK_STRONG, diag->path);
        assay_page_firm(page, ASSAY_INK_PLAIN, ": ");
    }
    put_position(page, diag);
    assay_page_firm(page, ASSAY_INK_PLAIN,
                    diag->message[0] != '\0' ? diag->message : assay_error_text(diag->error));
    assay_page_put(page, ASSAY_INK_PLAIN, ".");
    if (diag->hint[0] != '\0') {
        assay_page_line(page, 4, 4);
        assay_page_put(page, ASSAY_INK_PLAIN, "hint: ");
        assay_page_put(page, ASSAY_INK_PLAIN, diag->hint);
    }
}

void assay_text_unreadable(struct assay_page *page, const struct assay_results *results)
{
    size_t count = 0;
    for (size_t i = 0; i < results->input_count && results->input_count > 1; i++) {
        if (results->inputs[i].conclusion != ASSAY_UNREADABLE || count++ >= MOST_UNREADABLE) {
            continue;
        }
        if (count == 1) {
            assay_page_blank(page);
        }
        assay_page_line(page, 0, 4);
        assay_page_name(page, ASSAY_INK_STRONG, results->inputs[i].path);
        assay_page_firm(page, ASSAY_INK_PLAIN, ": ");
        assay_page_firm(page, ASSAY_INK_BAD, assay_conclusion_name(ASSAY_UNREADABLE));
        assay_page_firm(page, ASSAY_INK_PLAIN, ": ");
        assay_text_error(page, &results->inputs[i]);
    }
    if (count > MOST_UNREADABLE) {
        assay_page_line(page, 0, 4);
        assay_page_count(page, count - MOST_UNREADABLE, "more input", "more inputs");
        assay_page_put(page, ASSAY_INK_PLAIN, " could not be read either.");
    }
}

/* --- the table --- */

/* The columns of numbers are as wide as their widest. */
struct columns {
    size_t events, violations;
};

static size_t wider(size_t width, uint64_t number)
{
    char text[ASSAY_NUMBER_TEXT];
    const size_t length = strlen(assay_number_text(number, text));
    return length > width ? length : width;
}

static struct columns measure(const struct assay_results *results)
{
    struct columns columns = {LEAST_NUMBER, sizeof "violations" - 1};
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        columns.events = wider(columns.events, assay_input_events(input));
        columns.violations = wider(columns.violations, assay_counted_violations(results, input));
    }
    return columns;
}

static void put_cell(struct assay_page *page, enum assay_ink ink, size_t width, const char *text)
{
    assay_page_format(page, ink, "  %*s", (int)width, text);
}

static void put_number_cell(struct assay_page *page, size_t width, uint64_t number)
{
    char text[ASSAY_NUMBER_TEXT];
    put_cell(page, ASSAY_INK_PLAIN, width, assay_number_text(number, text));
}

/* The rules that an input violates, of those that count for the verdict. */
static void put_violated(struct assay_page *page, const struct assay_results *results,
                         const struct assay_input_result *input)
{
    size_t count = 0;
    for (size_t n = 0; n < input->stream_count; n++) {
        const struct assay_stream_result *stream = &input->streams[n];
        for (size_t i = 0; i < stream->outcome_count; i++) {
            const struct assay_rule_outcome *outcome = &stream->outcomes[i];
            const struct assay_rule *rule = results->rules[outcome->rule].rule;
            if (outcome->violated == 0 || !assay_rule_counts(results, rule) ||
                count++ >= MOST_RULES) {
                continue;
            }
            if (count == 1) {
                assay_page_line(page, VERDICT_COLUMN + VERDICT_WIDTH + 2,
                                VERDICT_COLUMN + VERDICT_WIDTH + 4);
            }
            assay_page_put(page, ASSAY_INK_PLAIN, count > 1 ? ", " : "");
            assay_page_put(page, ASSAY_INK_STRONG, rule->id);
            assay_page_firm(page, ASSAY_INK_PLAIN, " (");
            assay_page_number(page, outcome->violated);
            assay_page_put(page, ASSAY_INK_PLAIN, ")");
        }
    }
    if (count > MOST_RULES) {
        assay_page_format(page, ASSAY_INK_PLAIN, " and %zu more", count - MOST_RULES);
    }
}

/* Why it is incomplete: of several streams what the first one says that is. */
static void put_incomplete(struct assay_page *page, const struct assay_input_result *input)
{
    const char *why = NULL;
    for (size_t n = 0; n < input->stream_count && why == NULL; n++) {
        why = assay_incomplete(input, &input->streams[n]);
    }
    if (why != NULL) {
        assay_page_line(page, VERDICT_COLUMN + VERDICT_WIDTH + 2,
                        VERDICT_COLUMN + VERDICT_WIDTH + 4);
        assay_page_put(page, ASSAY_INK_PLAIN, why);
    }
}

static void put_row(struct assay_page *page, const struct assay_results *results,
                    const struct columns *columns, const struct assay_input_result *input)
{
    assay_page_line(page, VERDICT_COLUMN, VERDICT_COLUMN);
    assay_page_put(page, assay_conclusion_ink(input->conclusion),
                   assay_conclusion_name(input->conclusion));
    assay_page_tab(page, VERDICT_COLUMN + VERDICT_WIDTH);
    if (input->conclusion == ASSAY_UNREADABLE) {
        put_cell(page, ASSAY_INK_PLAIN, columns->events, "-");
        put_cell(page, ASSAY_INK_PLAIN, columns->violations, "-");
    } else {
        put_number_cell(page, columns->events, assay_input_events(input));
        put_number_cell(page, columns->violations, assay_counted_violations(results, input));
    }
    assay_page_put(page, ASSAY_INK_PLAIN, "  ");
    assay_page_name(page, ASSAY_INK_PLAIN, input->path);
    if (input->conclusion == ASSAY_VIOLATES) {
        put_violated(page, results, input);
    } else if (input->conclusion == ASSAY_INCOMPLETE) {
        put_incomplete(page, input);
    }
}

/* The inputs of one verdict, of which the first ones are listed. */
static void put_conclusion(struct assay_page *page, const struct assay_results *results,
                           const struct columns *columns, enum assay_conclusion conclusion)
{
    size_t count = 0;
    for (size_t i = 0; i < results->input_count; i++) {
        if (results->inputs[i].conclusion == conclusion && count++ < MOST_LISTED) {
            put_row(page, results, columns, &results->inputs[i]);
        }
    }
    if (count > MOST_LISTED) {
        assay_page_line(page, VERDICT_COLUMN, VERDICT_COLUMN);
        assay_page_put(page, assay_conclusion_ink(conclusion), assay_conclusion_name(conclusion));
        assay_page_tab(page, VERDICT_COLUMN + VERDICT_WIDTH + 2);
        assay_page_count(page, count - MOST_LISTED, "more input", "more inputs");
    }
}

void assay_text_inputs(struct assay_page *page, const struct assay_results *results)
{
    static const enum assay_conclusion order[] = {ASSAY_UNREADABLE, ASSAY_VIOLATES,
                                                  ASSAY_INCOMPLETE, ASSAY_CONFORMS};
    const struct columns columns = measure(results);
    if (results->input_count < 2) {
        return;
    }
    assay_page_blank(page);
    assay_page_line(page, VERDICT_COLUMN, VERDICT_COLUMN);
    assay_page_put(page, ASSAY_INK_DIM, "verdict");
    assay_page_tab(page, VERDICT_COLUMN + VERDICT_WIDTH);
    put_cell(page, ASSAY_INK_DIM, columns.events, "events");
    put_cell(page, ASSAY_INK_DIM, columns.violations, "violations");
    assay_page_put(page, ASSAY_INK_DIM,
                   "  input, and the rules that it violates or why it is incomplete");
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        put_conclusion(page, results, &columns, order[i]);
    }
}
