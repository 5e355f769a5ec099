/* The map of clauses in the HTML report. */
#include <stdlib.h>
#include <string.h>

#include "reports/html_parts.h"
#include "reports/walk.h"

/* Of a clause that several rules check, the first of these that holds for one of them. */
static const enum assay_verdict order[] = {
    ASSAY_FAIL,          ASSAY_WAIVED,     ASSAY_PASS,          ASSAY_NOT_CHECKABLE,
    ASSAY_NOT_EXERCISED, ASSAY_DESELECTED, ASSAY_NOT_APPLICABLE};

enum { ORDERED = sizeof order / sizeof order[0] };

struct standing {
    size_t rank; /* in `order`; ORDERED: no rule checks the clause */
    const struct assay_rule_total *rule;
};

static bool checks(const struct assay_rule *rule, const char *clause)
{
    for (uint16_t i = 0; i < rule->clause_count; i++) {
        if (strcmp(rule->clauses[i], clause) == 0) {
            return true;
        }
    }
    return false;
}

static struct standing standing_of(const struct assay_results *results,
                                   const struct assay_catalogue *catalogue, const char *clause)
{
    struct standing standing = {.rank = ORDERED};
    for (size_t r = 0; r < results->rule_count; r++) {
        const struct assay_rule_total *total = &results->rules[r];
        size_t rank = 0;
        while (rank < ORDERED && order[rank] != total->verdict) {
            rank++;
        }
        if (rank < standing.rank && total->catalogue->format == catalogue->format &&
            checks(total->rule, clause)) {
            standing = (struct standing){.rank = rank, .rule = total};
        }
    }
    return standing;
}

/* What stands in the square of a verdict, for who sees no colours. */
static const char *mark_of(enum assay_verdict verdict)
{
    return verdict == ASSAY_FAIL            ? "&times;"
           : verdict == ASSAY_WAIVED        ? "w"
           : verdict == ASSAY_PASS          ? "+"
           : verdict == ASSAY_NOT_CHECKABLE ? "?"
           : verdict == ASSAY_NOT_EXERCISED ? "&middot;"
                                            : "&ndash;";
}

static void put_clause(struct assay_html *html, const struct assay_catalogue *catalogue,
                       const struct assay_clause *clause)
{
    const struct standing standing = standing_of(html->results, catalogue, clause->id);
    const bool ruled = standing.rank < ORDERED;
    const bool failed = ruled && order[standing.rank] == ASSAY_FAIL;
    const char *verdict = ruled ? assay_verdict_name(order[standing.rank]) : "no-rule";
    assay_sink_printf(html->sink, "<li class=\"%s\" title=\"", verdict);
    assay_html_text(html->sink, clause->id);
    assay_sink_printf(html->sink, " (%s): ", verdict);
    assay_html_text(html->sink, clause->text != NULL ? clause->text : "");
    assay_sink_text(html->sink, "\">");
    if (failed) {
        assay_sink_printf(html->sink, "<a href=\"#rule-%s\">", standing.rule->rule->id);
    }
    assay_sink_text(html->sink, ruled ? mark_of(order[standing.rank]) : " ");
    assay_sink_text(html->sink, "<span class=\"hidden\">");
    assay_html_text(html->sink, clause->id);
    assay_sink_printf(html->sink, " %s</span>%s</li>\n", verdict, failed ? "</a>" : "");
}

/* By section, "4.2" before "4.10"; of a section in the order of the list. */
static int by_section(const void *a, const void *b)
{
    const struct assay_clause *x = *(const struct assay_clause *const *)a;
    const struct assay_clause *y = *(const struct assay_clause *const *)b;
    const int order_of_sections = strverscmp(x->section, y->section);
    return order_of_sections != 0 ? order_of_sections : (x > y) - (x < y);
}

static void put_catalogue(struct assay_html *html, const struct assay_catalogue *catalogue)
{
    const struct assay_clause **sorted = malloc((catalogue->clause_count + 1) * sizeof *sorted);
    if (sorted == NULL) {
        assay_sink_fail(html->sink, ASSAY_NO_MEMORY);
        return;
    }
    for (size_t i = 0; i < catalogue->clause_count; i++) {
        sorted[i] = &catalogue->clauses[i];
    }
    qsort(sorted, catalogue->clause_count, sizeof *sorted, by_section);
    assay_sink_text(html->sink, "<h3>");
    assay_html_text(html->sink, catalogue->format->name);
    assay_sink_text(html->sink, "</h3>\n<dl class=\"map\">\n");
    const char *section = NULL;
    for (size_t i = 0; i < catalogue->clause_count; i++) {
        if (section == NULL || strcmp(section, sorted[i]->section) != 0) {
            assay_sink_text(html->sink, section != NULL ? "</ol></dd>\n<dt>" : "<dt>");
            section = sorted[i]->section;
            assay_html_text(html->sink, section);
            assay_sink_text(html->sink, "</dt><dd><ol>\n");
        }
        put_clause(html, catalogue, sorted[i]);
    }
    assay_sink_text(html->sink, "</ol></dd>\n</dl>\n");
    free(sorted);
}

static void put_legend(struct assay_html *html)
{
    assay_sink_text(html->sink, "<ul class=\"map legend\">\n");
    for (size_t i = 0; i < ORDERED; i++) {
        const char *name = assay_verdict_name(order[i]);
        assay_sink_printf(html->sink, "<li><span class=\"%s\">%s</span> %s</li>\n", name,
                          mark_of(order[i]), name);
    }
    assay_sink_text(html->sink,
                    "<li><span class=\"no-rule\">&nbsp;</span> no rule: see assay rules "
                    "coverage</li>\n</ul>\n");
}

void assay_html_clauses(struct assay_html *html)
{
    struct assay_rule_walk walk = assay_rule_walk(html->results);
    const struct assay_rule_total *total;
    const struct assay_format *before = NULL;
    assay_sink_text(html->sink,
                    "<section id=\"clauses\">\n<h2>Clauses of the specification</h2>\n");
    put_legend(html);
    while ((total = assay_rule_walk_next(&walk)) != NULL) {
        const struct assay_catalogue *catalogue = total->catalogue;
        if (catalogue->format != before && catalogue->clause_count > 0) {
            put_catalogue(html, catalogue);
            before = catalogue->format;
        }
    }
    assay_sink_text(html->sink, "</section>\n");
}
