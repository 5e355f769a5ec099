/* assay rules coverage, as text. */
#include "validator/program/rules_coverage.h"

#include <stdio.h>
#include <string.h>

void assay_coverage_rules(const struct assay_catalogue *c, const struct assay_clause *clause,
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
    assay_sink_printf(sink, "  %-14.*s %6zu %6zu %8zu %11zu %6zu %12zu\n", (int)length, area, all,
                      count[ASSAY_BY_RULE], count[ASSAY_BY_DECODER], count[ASSAY_PERMITTED],
                      count[ASSAY_BY_INPUT], count[ASSAY_NOT_VISIBLE]);
}

static void coverage_table(const struct assay_catalogue *c, struct assay_sink *sink)
{
    size_t total[ASSAY_DISPOSITION_COUNT] = {0};
    assay_sink_printf(
        sink, "%s %s: clauses by area and disposition\n\n  %-14s %6s %6s %8s %11s %6s %12s\n",
        c->format->name, c->format->version, "area", "all", "rule", "decoder", "permission",
        "input", "not-visible");
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

void assay_coverage_text(const struct assay_catalogue *c, struct assay_sink *sink)
{
    char rules[512];
    coverage_table(c, sink);
    strength_table(c, sink);
    for (size_t i = 0; i < c->clause_count; i++) {
        const struct assay_clause *clause = &c->clauses[i];
        assay_coverage_rules(c, clause, rules, sizeof rules);
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
