/* Findings in the HTML report: each rule that failed, with its places. */
#include <inttypes.h>

#include "reports/baseline.h"
#include "reports/html_parts.h"
#include "reports/walk.h"

/* So many rules are open when the report is. Of each rule so many findings can be opened; the
 * others are a line, as a browser takes a second for 10,000 that can be. So many lines are a group,
 * so that a browser lays out only those that are in sight. What a rule requires is open where it is
 * of so many clauses at most. */
enum { OPEN_RULES = 3, OPENED = 100, GROUP = 100, FEW_CLAUSES = 3 };

void assay_html_anchor(struct assay_html *html, const struct assay_rule_total *total, size_t number)
{
    assay_sink_printf(html->sink, "%s-%zu", total->rule->id, number + 1);
}

/* Whether the baseline has it; the script filters by it. */
static void put_state(struct assay_html *html, const struct assay_rule_total *total,
                      const struct assay_located_finding *placed)
{
    if (html->results->baseline != NULL && !total->rule->diagnosis) {
        const char *state = assay_baseline_state_name(
            assay_baseline_state_of(html->results->baseline, total->rule, placed));
        assay_sink_printf(html->sink, "<span class=\"state-%s\">%s</span> ", state, state);
    }
}

static void put_line(struct assay_html *html, const struct assay_rule_total *total,
                     const struct assay_located_finding *placed)
{
    put_state(html, total, placed);
    assay_sink_text(html->sink, "<span class=\"place\">");
    assay_text_place(assay_html_page_begin(html, true), html->results, total, placed);
    assay_html_page_end(html);
    assay_sink_text(html->sink, "</span> <span class=\"message\">");
    assay_html_text(html->sink, placed->finding->message);
    assay_sink_text(html->sink, "</span>");
}

static void put_finding(struct assay_html *html, const struct assay_rule_total *total,
                        size_t number)
{
    const struct assay_located_finding *placed = &total->findings[number];
    const bool opened = number < OPENED;
    assay_sink_text(html->sink, opened ? "<details class=\"finding\" id=\"finding-"
                                       : "<p class=\"finding\" tabindex=\"-1\" id=\"finding-");
    assay_html_anchor(html, total, number);
    assay_sink_text(html->sink, opened ? "\"><summary>" : "\">");
    put_line(html, total, placed);
    if (!opened) {
        assay_sink_text(html->sink, "</p>\n");
        return;
    }
    assay_sink_text(html->sink, "</summary>\n");
    assay_html_fields(html, total, placed);
    assay_sink_text(html->sink, "<pre>");
    struct assay_page *page = assay_html_page_begin(html, false);
    assay_text_finding(page, total, placed->finding, html->disassembler);
    assay_page_blank(page);
    assay_text_next(page, html->results, total, placed);
    assay_html_page_end(html);
    assay_sink_text(html->sink, "</pre>\n</details>\n");
}

static void put_all(struct assay_html *html, const struct assay_rule_total *total)
{
    for (size_t i = 0; i < total->finding_count; i++) {
        const bool begins = i >= OPENED && (i - OPENED) % GROUP == 0;
        assay_sink_text(html->sink, begins ? "<div class=\"group\">\n" : "");
        put_finding(html, total, i);
        const bool ends =
            i >= OPENED && (i + 1 == total->finding_count || (i + 1 - OPENED) % GROUP == 0);
        assay_sink_text(html->sink, ends ? "</div>\n" : "");
    }
}

static void put_page(struct assay_html *html, const struct assay_rule_total *total)
{
    if (assay_html_link_page(html, "<p class=\"more\">", total)) {
        assay_sink_printf(html->sink, "The page of %s</a></p>\n", total->rule->id);
    }
}

static void put_rule(struct assay_html *html, const struct assay_rule_total *total, bool open)
{
    const struct assay_rule *rule = total->rule;
    const char *level = assay_level_name((enum assay_level)rule->level);
    assay_sink_printf(html->sink,
                      "<details class=\"rule\" id=\"rule-%s\" data-level=\"%s\"%s><summary>"
                      "<span class=\"level %s\">%s</span> <strong class=\"id\">%s</strong> "
                      "<span class=\"title\">",
                      rule->id, level, open ? " open" : "", level, level, rule->id);
    assay_html_text(html->sink, rule->title);
    assay_sink_text(html->sink, "</span> <span class=\"count\">");
    struct assay_page *page = assay_html_page_begin(html, true);
    assay_text_count(page, html->results, total);
    assay_html_page_end(html);
    assay_sink_printf(html->sink,
                      "</span></summary>\n<details class=\"demand\"%s><summary>What it requires, "
                      "and by which clauses</summary><pre>",
                      rule->clause_count <= FEW_CLAUSES ? " open" : "");
    assay_text_demand(assay_html_page_begin(html, false), html->results, total);
    assay_html_page_end(html);
    assay_sink_text(html->sink, "</pre></details>\n");
    put_page(html, total);
    put_all(html, total);
    assay_sink_text(html->sink, "<p class=\"more\">");
    assay_text_hidden(assay_html_page_begin(html, true), total);
    assay_html_page_end(html);
    assay_sink_text(html->sink, "</p>\n</details>\n");
}

/* The script shows the form: without it there is nothing that filters. */
static void put_form(struct assay_html *html)
{
    assay_sink_text(html->sink,
                    "<form id=\"filter\" role=\"search\" hidden>\n"
                    "<label>Search <input type=\"search\" id=\"q\" autocomplete=\"off\"></label>\n"
                    "<label>Level <select id=\"level\"><option value=\"\">all</option>");
    for (unsigned level = ASSAY_LEVEL_COUNT; level-- > 0;) {
        const char *name = assay_level_name((enum assay_level)level);
        assay_sink_printf(html->sink, "<option value=\"%s\">%s</option>", name, name);
    }
    assay_sink_text(html->sink, "</select></label>\n");
    if (html->results->baseline != NULL) {
        assay_sink_text(html->sink, "<label><input type=\"checkbox\" id=\"fresh\"> only what may "
                                    "be new</label>\n");
    }
    assay_sink_text(html->sink,
                    "<output id=\"shown\" for=\"q level\"></output>\n"
                    "<p class=\"keys\"><kbd>/</kbd> search, <kbd>j</kbd> next, <kbd>k</kbd> "
                    "previous, <kbd>Enter</kbd> open or close, <kbd>Esc</kbd> all</p>\n</form>\n");
}

void assay_html_findings(struct assay_html *html)
{
    struct assay_rule_walk walk = assay_rule_walk(html->results);
    const struct assay_rule_total *total;
    size_t written = 0;
    assay_sink_text(html->sink, "<section id=\"findings\">\n<h2>Findings</h2>\n");
    put_form(html);
    for (size_t i = 0; i < html->causes->count; i++) {
        for (size_t n = 0; n < html->causes->list[i].rule_count; n++) {
            put_rule(html, html->causes->list[i].rules[n], written++ < OPEN_RULES);
        }
    }
    while ((total = assay_rule_walk_verdict(&walk, ASSAY_RECOGNISED)) != NULL) {
        put_rule(html, total, written++ < OPEN_RULES);
    }
    if (written == 0) {
        assay_sink_text(html->sink, "<p>There are none.</p>\n");
    }
    if (html->results->findings_dropped > 0) {
        assay_sink_printf(html->sink, "<p>Findings that were not kept: %" PRIu64 "</p>\n",
                          html->results->findings_dropped);
    }
    assay_sink_text(html->sink, "</section>\n");
}
