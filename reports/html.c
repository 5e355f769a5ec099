/* The HTML report: one file that needs no other, and can be read without its script. */
#include <inttypes.h>

#include "isa/disassemble.h"
#include "reports/baseline.h"
#include "reports/html_parts.h"
#include "reports/walk.h"
#include "reports/writers.h"

/* The columns of text; and those of a text that is one line, however long. */
enum { COLUMNS = 100, ONE_LINE = 400 };

struct assay_page *assay_html_page_begin(struct assay_html *html, bool one_line)
{
    const struct assay_report_style style = {.width = one_line ? ONE_LINE : COLUMNS};
    assay_page_begin(&html->page, &style, html->sink);
    html->page.html = true;
    if (one_line) {
        assay_page_line(&html->page, 0, 0);
    }
    return &html->page;
}

void assay_html_page_end(struct assay_html *html)
{
    assay_page_end(&html->page);
}

bool assay_html_link_page(struct assay_html *html, const char *before,
                          const struct assay_rule_total *total)
{
    char url[ASSAY_URL_ROOM];
    if (!assay_rule_page_url(html->rule_pages, total, url, sizeof url)) {
        return false;
    }
    assay_sink_printf(html->sink, "%s<a href=\"", before);
    assay_html_text(html->sink, url);
    assay_sink_text(html->sink, "\">");
    return true;
}

static void put_number(struct assay_html *html, const char *element, uint64_t number)
{
    char text[ASSAY_NUMBER_TEXT];
    assay_sink_printf(html->sink, "<%s class=\"number\">%s</%s>", element,
                      assay_number_text(number, text), element);
}

/* --- the head --- */

/* What the report may do: its own style and script, and nothing else. */
static void put_head(struct assay_html *html)
{
    char style[ASSAY_HTML_ALLOWED];
    char script[ASSAY_HTML_ALLOWED];
    const struct assay_results *results = html->results;
    const enum assay_error of_style =
        assay_html_allow(assay_html_style, assay_html_style_size, style);
    const enum assay_error of_script =
        assay_html_allow(assay_html_script, assay_html_script_size, script);
    if (of_style != ASSAY_OK || of_script != ASSAY_OK) {
        assay_sink_fail(html->sink, ASSAY_NO_MEMORY);
        return;
    }
    assay_sink_printf(html->sink,
                      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                      "style-src %s; script-src %s; img-src data:; base-uri 'none'; "
                      "form-action 'none'\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<meta name=\"color-scheme\" content=\"light dark\">\n"
                      "<link rel=\"icon\" href=\"data:,\">\n<title>",
                      style, script);
    if (results->input_count == 1) {
        assay_html_name(html->sink, results->inputs[0].path);
    } else {
        assay_sink_printf(html->sink, "%zu inputs", results->input_count);
    }
    assay_sink_printf(html->sink, ": %s</title>\n<style>",
                      assay_conclusion_name(results->conclusion));
    assay_sink_write(html->sink, assay_html_style, assay_html_style_size);
    assay_sink_text(html->sink, "</style>\n</head>\n");
}

static void put_verdict(struct assay_html *html)
{
    const char *verdict = assay_conclusion_name(html->results->conclusion);
    assay_sink_printf(html->sink, "<body>\n<header class=\"%s\">\n<h1>%s</h1>\n<p class=\"text\">",
                      verdict, verdict);
    assay_text_verdict(assay_html_page_begin(html, true), html->results);
    assay_html_page_end(html);
    if (html->results->baseline != NULL) {
        assay_sink_text(html->sink, "</p>\n<p class=\"text\">");
        assay_text_baseline_line(assay_html_page_begin(html, true), html->results);
        assay_html_page_end(html);
    }
    assay_sink_text(html->sink,
                    "</p>\n</header>\n<nav aria-label=\"Sections\">\n"
                    "<a href=\"#causes\">Causes</a> <a href=\"#inputs\">Inputs</a> "
                    "<a href=\"#timeline\">Timeline</a> <a href=\"#clauses\">Clauses</a> "
                    "<a href=\"#findings\">Findings</a> <a href=\"#rules\">Rules</a> "
                    "<a href=\"#unjudged\">Not judged</a>\n</nav>\n<main>\n");
}

/* --- causes --- */

static void put_cause(struct assay_html *html, const struct assay_causes *causes, size_t n)
{
    const struct assay_cause *cause = &causes->list[n];
    const char *level = assay_level_name((enum assay_level)cause->rules[0]->rule->level);
    assay_sink_printf(html->sink, "<li%s><p><span class=\"level %s\">%s</span> ",
                      cause->counts ? "" : " class=\"lesser\"", level, level);
    for (size_t i = 0; i < cause->rule_count; i++) {
        const char *id = cause->rules[i]->rule->id;
        assay_sink_printf(html->sink, "<a href=\"#rule-%s\">%s</a> ", id, id);
    }
    assay_sink_text(html->sink, cause->likely ? "likely one cause: <strong>" : "<strong>");
    assay_html_text(html->sink, cause->sentence);
    assay_sink_text(html->sink, "</strong></p>\n<pre>");
    assay_text_cause(assay_html_page_begin(html, false), html->results, causes, n);
    assay_html_page_end(html);
    assay_sink_text(html->sink, "</pre></li>\n");
}

static void put_baseline(struct assay_html *html)
{
    if (html->results->baseline != NULL) {
        assay_sink_text(html->sink, "<pre>");
        assay_text_baseline(assay_html_page_begin(html, false), html->results);
        assay_html_page_end(html);
        assay_sink_text(html->sink, "</pre>\n");
    }
}

static void put_causes(struct assay_html *html)
{
    const struct assay_causes *causes = html->causes;
    const bool counts = causes->count > 0 && causes->list[0].counts;
    assay_sink_printf(html->sink, "<section id=\"causes\">\n<h2>%s</h2>\n",
                      counts              ? "What to fix first"
                      : causes->count > 0 ? "What failed, and the verdict does not count"
                                          : "No rule failed");
    if (causes->count > 0) {
        assay_sink_text(html->sink, "<ol>\n");
        for (size_t i = 0; i < causes->count; i++) {
            put_cause(html, causes, i);
        }
        assay_sink_text(html->sink, "</ol>\n");
    }
    put_baseline(html);
    assay_sink_text(html->sink, "<pre>");
    struct assay_page *page = assay_html_page_begin(html, false);
    assay_text_noticed(page, html->results, causes);
    assay_text_judged(page, html->results);
    assay_text_evidence(page, html->results);
    assay_html_page_end(html);
    assay_sink_text(html->sink, "</pre>\n</section>\n");
}

/* --- inputs --- */

static void put_input(struct assay_html *html, const struct assay_input_result *input)
{
    const char *verdict = assay_conclusion_name(input->conclusion);
    assay_sink_text(html->sink, "<tr><th scope=\"row\">");
    assay_html_name(html->sink, input->path);
    assay_sink_printf(html->sink, "</th><td><span class=\"%s\">%s</span></td><td>", verdict,
                      verdict);
    if (input->conclusion != ASSAY_UNREADABLE) {
        assay_text_profiles(assay_html_page_begin(html, true), input);
    } else {
        assay_text_error(assay_html_page_begin(html, true), input);
    }
    assay_html_page_end(html);
    assay_sink_text(html->sink, "</td>");
    put_number(html, "td", input->bytes);
    put_number(html, "td", assay_input_events(input));
    put_number(html, "td", input->exercised);
    put_number(html, "td", assay_counted_violations(html->results, input));
    assay_sink_text(html->sink, "</tr>\n");
}

/* What there is of a capture is shown; parameters alone are for who looks for them. */
static void put_streams(struct assay_html *html)
{
    bool several = false;
    for (size_t i = 0; i < html->results->input_count; i++) {
        several = several || html->results->inputs[i].stream_count > 1;
    }
    assay_sink_printf(html->sink,
                      "<details class=\"streams\"%s><summary>Streams, parameters, readings"
                      "</summary><div class=\"lines\">",
                      several ? " open" : "");
    assay_text_streams(assay_html_page_begin(html, false), html->results, true);
    assay_html_page_end(html);
    assay_sink_text(html->sink, "</div></details>\n");
    if (html->results->waiver_count > 0) {
        assay_sink_text(html->sink, "<div class=\"lines\">");
        assay_text_waivers(assay_html_page_begin(html, false), html->results);
        assay_html_page_end(html);
        assay_sink_text(html->sink, "</div>\n");
    }
}

static void put_inputs(struct assay_html *html)
{
    assay_sink_text(html->sink,
                    "<section id=\"inputs\">\n<h2>Inputs</h2>\n<div class=\"wide\"><table>\n"
                    "<thead><tr><th scope=\"col\">input</th><th scope=\"col\">verdict</th>"
                    "<th scope=\"col\">profile</th><th scope=\"col\">bytes</th>"
                    "<th scope=\"col\">events</th><th scope=\"col\">checks</th>"
                    "<th scope=\"col\">violations</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < html->results->input_count; i++) {
        put_input(html, &html->results->inputs[i]);
    }
    assay_sink_text(html->sink, "</tbody>\n</table></div>\n");
    put_streams(html);
    assay_sink_text(html->sink, "</section>\n");
}

/* --- rules --- */

static void put_rule(struct assay_html *html, const struct assay_rule_total *total)
{
    const struct assay_rule *rule = total->rule;
    const char *verdict = assay_verdict_name(total->verdict);
    const bool shown = total->verdict == ASSAY_FAIL || total->verdict == ASSAY_RECOGNISED;
    assay_sink_printf(html->sink, "<tr><th scope=\"row\">");
    assay_sink_printf(html->sink, shown ? "<a href=\"#rule-%s\">" : "%.0s", rule->id);
    const bool linked = shown || assay_html_link_page(html, "", total);
    assay_html_text(html->sink, rule->id);
    assay_sink_printf(html->sink, "%s</th><td>%s</td><td><span class=\"%s\">%s</span></td>",
                      linked ? "</a>" : "", assay_level_name((enum assay_level)rule->level),
                      verdict, verdict);
    put_number(html, "td", total->exercised);
    put_number(html, "td", total->violated);
    assay_sink_text(html->sink, "<td>");
    assay_html_text(html->sink, rule->title);
    assay_sink_text(html->sink, "</td></tr>\n");
}

static void put_rules(struct assay_html *html)
{
    struct assay_rule_walk walk = assay_rule_walk(html->results);
    const struct assay_rule_total *total;
    assay_sink_text(html->sink,
                    "<section id=\"rules\">\n<h2>Rules</h2>\n<details><summary>All rules with "
                    "their counts</summary>\n<div class=\"wide\"><table>\n"
                    "<thead><tr><th scope=\"col\">rule</th><th scope=\"col\">level</th>"
                    "<th scope=\"col\">verdict</th><th scope=\"col\">checks</th>"
                    "<th scope=\"col\">violations</th><th scope=\"col\">title</th></tr></thead>\n"
                    "<tbody>\n");
    while ((total = assay_rule_walk_next(&walk)) != NULL) {
        put_rule(html, total);
    }
    assay_sink_text(html->sink, "</tbody>\n</table></div>\n</details>\n</section>\n");
}

/* --- the end --- */

static void put_unjudged(struct assay_html *html)
{
    assay_sink_text(html->sink, "<section id=\"unjudged\">\n<h2>Not judged</h2>\n<pre>");
    assay_text_unjudged(assay_html_page_begin(html, false), html->results);
    assay_html_page_end(html);
    assay_sink_text(html->sink, "</pre>\n</section>\n");
}

static void put_footer(struct assay_html *html)
{
    const struct assay_results *results = html->results;
    assay_sink_text(html->sink, "</main>\n<footer>\n<p>assay " ASSAY_VERSION);
    for (size_t i = 0; i < results->digest_count; i++) {
        assay_sink_printf(html->sink, "<br>catalogue %s", results->digests[i]);
    }
    for (size_t i = 0; i < results->option_count; i++) {
        assay_sink_printf(html->sink, "<br>--%s ", results->options[i].name);
        assay_html_name(html->sink, results->options[i].value);
    }
    assay_sink_text(html->sink, "</p>\n</footer>\n<script>");
    assay_sink_write(html->sink, assay_html_script, assay_html_script_size);
    assay_sink_text(html->sink, "</script>\n</body>\n</html>\n");
}

enum assay_error assay_report_html(const struct assay_results *results,
                                   const struct assay_report_style *style, struct assay_sink *sink)
{
    struct assay_causes causes;
    struct assay_html html = {
        .sink = sink, .results = results, .causes = &causes, .rule_pages = style->rule_pages};
    const enum assay_error error = assay_causes_find(results, &causes);
    if (error == ASSAY_OK) {
        html.disassembler = causes.count > 0 ? assay_disassembler_open() : NULL;
        if (causes.count > 0 && html.disassembler == NULL) {
            assay_sink_fail(sink, ASSAY_NO_MEMORY);
        }
        put_head(&html);
        put_verdict(&html);
        put_causes(&html);
        put_inputs(&html);
        assay_html_timeline(&html);
        assay_html_clauses(&html);
        assay_html_findings(&html);
        put_rules(&html);
        put_unjudged(&html);
        put_footer(&html);
        assay_disassembler_close(html.disassembler);
    }
    assay_causes_free(&causes);
    return error != ASSAY_OK ? error : sink->error;
}
