/* The text report: what people read. First the verdict, how sure it is, and what to fix first; all
 * else on request. */
#include <stdio.h>
#include <string.h>

#include "isa/disassemble.h"
#include "reports/text.h"
#include "reports/walk.h"
#include "reports/writers.h"

enum assay_ink assay_conclusion_ink(enum assay_conclusion conclusion)
{
    static const enum assay_ink inks[ASSAY_CONCLUSION_COUNT] = {
        [ASSAY_CONFORMS] = ASSAY_INK_GOOD,
        [ASSAY_VIOLATES] = ASSAY_INK_BAD,
        [ASSAY_INCOMPLETE] = ASSAY_INK_WARNING,
        [ASSAY_UNREADABLE] = ASSAY_INK_BAD,
    };
    return inks[conclusion];
}

enum assay_ink assay_level_ink(unsigned level)
{
    static const enum assay_ink inks[ASSAY_LEVEL_COUNT] = {
        [ASSAY_INFO] = ASSAY_INK_STRONG,
        [ASSAY_MAY_NOT_RELY] = ASSAY_INK_WARNING,
        [ASSAY_SHOULD] = ASSAY_INK_WARNING,
        [ASSAY_MUST] = ASSAY_INK_BAD,
    };
    return inks[level];
}

void assay_text_label(struct assay_page *page, const char *label)
{
    assay_page_line(page, 2, ASSAY_LABEL_COLUMN);
    assay_page_put(page, ASSAY_INK_DIM, label);
    assay_page_tab(page, ASSAY_LABEL_COLUMN);
}

/* --- the verdict, in a line that is never wrapped --- */

/* "2 must rules failed, 42 violations" */
static void put_failures(struct assay_page *page, const struct assay_results *results)
{
    struct assay_rule_walk walk = assay_rule_walk(results);
    const struct assay_rule_total *total;
    char number[ASSAY_NUMBER_TEXT];
    char text[160];
    uint64_t rules = 0;
    uint64_t violations = 0;
    while ((total = assay_rule_walk_verdict(&walk, ASSAY_FAIL)) != NULL) {
        const bool counts = assay_rule_counts(results, total->rule);
        rules += counts ? 1 : 0;
        violations += counts ? total->violated : 0;
    }
    if (rules == 0) {
        const char *level = assay_fail_on(results);
        snprintf(text, sizeof text,
                 strcmp(level, "never") == 0 ? "no violation counts (--fail-on %s)"
                                             : "no %s rule failed",
                 level);
        assay_page_firm(page, ASSAY_INK_PLAIN, text);
        return;
    }
    snprintf(text, sizeof text, "%s %s%s failed, ", assay_number_text(rules, number),
             results->fail_on == ASSAY_MUST ? "must " : "", rules == 1 ? "rule" : "rules");
    assay_page_firm(page, ASSAY_INK_PLAIN, text);
    snprintf(text, sizeof text, "%s %s", assay_number_text(violations, number),
             violations == 1 ? "violation" : "violations");
    assay_page_firm(page, ASSAY_INK_PLAIN, text);
}

static const char *why_incomplete(const struct assay_input_result *input)
{
    return input->interrupted  ? ": the run was interrupted"
           : input->changed    ? ": it changed while it was judged"
           : input->bytes == 0 ? ": there is nothing in it"
           : input->complete   ? ": no rule found anything to check"
                               : ": part of it could not be judged";
}

static void put_one(struct assay_page *page, const struct assay_results *results)
{
    const struct assay_input_result *input = &results->inputs[0];
    assay_page_name(page, ASSAY_INK_STRONG, input->path);
    assay_page_firm(page, ASSAY_INK_PLAIN, ": ");
    assay_page_firm(page, assay_conclusion_ink(input->conclusion),
                    assay_conclusion_name(input->conclusion));
    switch (input->conclusion) {
    case ASSAY_CONFORMS:
        assay_page_firm(page, ASSAY_INK_PLAIN, " to ");
        assay_text_profiles(page, input);
        assay_page_firm(page, ASSAY_INK_PLAIN, ": ");
        put_failures(page, results);
        break;
    case ASSAY_VIOLATES:
        assay_page_firm(page, ASSAY_INK_PLAIN, " ");
        assay_text_profiles(page, input);
        assay_page_firm(page, ASSAY_INK_PLAIN, ": ");
        put_failures(page, results);
        break;
    case ASSAY_INCOMPLETE:
        if (input->stream_count > 0 && input->streams[0].format != NULL) {
            assay_page_firm(page, ASSAY_INK_PLAIN, " (");
            assay_text_profiles(page, input);
            assay_page_firm(page, ASSAY_INK_PLAIN, ")");
        }
        assay_page_firm(page, ASSAY_INK_PLAIN, why_incomplete(input));
        break;
    default:
        assay_page_firm(page, ASSAY_INK_PLAIN, ": ");
        assay_text_error(page, input);
        break;
    }
}

static void put_many(struct assay_page *page, const struct assay_results *results)
{
    static const char *const words[ASSAY_CONCLUSION_COUNT] = {
        [ASSAY_CONFORMS] = "conform",
        [ASSAY_VIOLATES] = "violate",
        [ASSAY_INCOMPLETE] = "incomplete",
        [ASSAY_UNREADABLE] = "unreadable",
    };
    uint64_t count[ASSAY_CONCLUSION_COUNT] = {0};
    char number[ASSAY_NUMBER_TEXT];
    char text[96];
    const char *separator = ": ";
    for (size_t i = 0; i < results->input_count; i++) {
        count[results->inputs[i].conclusion]++;
    }
    snprintf(text, sizeof text, "%s inputs: ", assay_number_text(results->input_count, number));
    assay_page_firm(page, ASSAY_INK_STRONG, text);
    assay_page_firm(page, assay_conclusion_ink(results->conclusion),
                    assay_conclusion_name(results->conclusion));
    for (size_t c = ASSAY_CONCLUSION_COUNT; c-- > 0;) {
        if (count[c] > 0) {
            snprintf(text, sizeof text, "%s%s %s", separator, assay_number_text(count[c], number),
                     words[c]);
            assay_page_firm(page, ASSAY_INK_PLAIN, text);
            separator = ", ";
        }
    }
}

void assay_text_verdict(struct assay_page *page, const struct assay_results *results)
{
    assay_page_line(page, 0, 0);
    if (results->input_count == 1) {
        put_one(page, results);
    } else {
        put_many(page, results);
    }
}

/* --- the rest --- */

static void put_reservations(struct assay_page *page, const struct assay_results *results)
{
    bool cut = false;
    bool empty = false;
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        const bool readable = input->conclusion != ASSAY_UNREADABLE;
        cut = cut || (readable && !input->complete);
        empty = empty || (readable && input->exercised == 0);
    }
    /* Of one input that is incomplete the verdict has said so. */
    if (cut && (results->input_count > 1 || results->conclusion != ASSAY_INCOMPLETE)) {
        assay_page_line(page, 2, 2);
        assay_page_put(page, ASSAY_INK_PLAIN,
                       results->input_count == 1
                           ? "Part of the input could not be decoded; that part was not judged."
                           : "Part of some inputs could not be decoded; those parts were not "
                             "judged.");
    }
    if (empty) {
        assay_page_line(page, 2, 2);
        assay_page_put(page, ASSAY_INK_PLAIN,
                       results->input_count == 1
                           ? "No rule found anything to check in it, so the run certifies nothing."
                           : "In some inputs no rule found anything to check; of them the run "
                             "certifies nothing.");
    }
}

/* The first layer of a stream that is not complete, where all below it are; 0: there is none. */
static size_t first_lacking(const struct assay_stream_result *stream)
{
    size_t layer = 0;
    const size_t count =
        stream->format != NULL && stream->layers != NULL ? stream->format->layer_count : 0;
    while (layer < count && stream->layers[layer].complete) {
        layer++;
    }
    return layer < count && !stream->layers[layer].left_out ? layer : 0;
}

/* Of a verdict that is incomplete, as a stream is there without its program: how the layers that
 * need none are judged. */
static void put_alone(struct assay_page *page, const struct assay_results *results)
{
    const struct assay_stream_result *lacking = NULL;
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        for (size_t n = 0; n < input->stream_count && lacking == NULL; n++) {
            lacking = first_lacking(&input->streams[n]) > 0 ? &input->streams[n] : NULL;
        }
    }
    if (lacking == NULL || results->conclusion != ASSAY_INCOMPLETE) {
        return;
    }
    char text[ASSAY_URL_ROOM] = "--only ";
    const size_t end = first_lacking(lacking);
    for (size_t layer = 0; layer < end; layer++) {
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%slayer:%s", layer > 0 ? "," : "",
                 lacking->format->layers[layer]);
    }
    assay_text_label(page, "alone");
    assay_page_firm(page, ASSAY_INK_COMMAND, text);
    assay_page_put(page, ASSAY_INK_PLAIN, " for what is below the layer ");
    assay_page_put(page, ASSAY_INK_PLAIN, lacking->format->layers[end]);
}

/* How to see what is not on the first screen. */
static void put_more(struct assay_page *page, const struct assay_causes *causes)
{
    char text[ASSAY_URL_ROOM];
    if (causes->count > 0) {
        assay_page_blank(page);
    }
    assay_text_label(page, "more");
    assay_page_firm(page, ASSAY_INK_COMMAND, "--verbose");
    if (causes->count > 0) {
        assay_page_put(page, ASSAY_INK_PLAIN, " for all places with their events; of one rule ");
        const struct assay_rule_total *first = causes->list[0].rules[0];
        snprintf(text, sizeof text, "--only %s", first->rule->id);
        assay_page_firm(page, ASSAY_INK_COMMAND, text);
        assay_text_label(page, "rule");
        if (assay_rule_page_url(page->rule_pages, first, text, sizeof text)) {
            assay_page_firm(page, ASSAY_INK_PLAIN, text);
        } else {
            assay_text_rule(page, first);
            assay_page_put(page, ASSAY_INK_PLAIN, " for what it requires, and why");
        }
    } else {
        assay_page_put(page, ASSAY_INK_PLAIN,
                       " for the rules that were not exercised or lack "
                       "something");
    }
}

static void put_details(struct assay_page *page, const struct assay_results *results,
                        const struct assay_causes *causes)
{
    struct assay_disassembler *disassembler = causes->count > 0 ? assay_disassembler_open() : NULL;
    if (causes->count > 0 && disassembler == NULL) {
        assay_sink_fail(page->sink, ASSAY_NO_MEMORY);
    }
    assay_text_findings(page, results, causes, disassembler);
    assay_text_unjudged(page, results);
    assay_disassembler_close(disassembler);
}

static bool is_any_readable(const struct assay_results *results)
{
    size_t i = 0;
    while (i < results->input_count && results->inputs[i].conclusion == ASSAY_UNREADABLE) {
        i++;
    }
    return i < results->input_count;
}

static void put_report(struct assay_page *page, const struct assay_results *results,
                       const struct assay_report_style *style, const struct assay_causes *causes)
{
    const bool any = is_any_readable(results);
    assay_text_verdict(page, results);
    if (any) {
        assay_text_judged(page, results);
        put_reservations(page, results);
    }
    assay_text_baseline_line(page, results);
    assay_text_unreadable(page, results);
    assay_text_evidence(page, results);
    if (!any && results->input_count == 1) {
        return;
    }
    assay_text_streams(page, results, style->verbose);
    assay_text_causes(page, results, causes, style->verbose);
    assay_text_waivers(page, results);
    assay_text_baseline(page, results);
    assay_text_inputs(page, results);
    if (style->verbose) {
        put_details(page, results, causes);
    } else if (any) {
        put_alone(page, results);
        put_more(page, causes);
    }
    /* The first line has scrolled away. */
    if (style->terminal && (causes->count > 0 || style->verbose || results->input_count > 1)) {
        assay_page_blank(page);
        assay_text_verdict(page, results);
    }
}

enum assay_error assay_report_text(const struct assay_results *results,
                                   const struct assay_report_style *style, struct assay_sink *sink)
{
    struct assay_page page;
    struct assay_causes causes;
    assay_page_begin(&page, style, sink);
    if (results->input_count == 0) {
        assay_page_line(&page, 0, 0);
        assay_page_put(&page, ASSAY_INK_PLAIN, "No input was judged.");
        return assay_page_end(&page);
    }
    enum assay_error error = assay_causes_find(results, &causes);
    if (error == ASSAY_OK) {
        put_report(&page, results, style, &causes);
    }
    assay_causes_free(&causes);
    const enum assay_error written = assay_page_end(&page);
    return error != ASSAY_OK ? error : written;
}
