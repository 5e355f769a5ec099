/* JUnit XML, for CI systems that show it: a suite for each stream of an input, with a case for each
 * rule that the run was to judge it by. A suite's first case is the reading itself, so that an
 * input that could not be judged whole is not shown as one in which all is well. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/baseline.h"
#include "reports/walk.h"
#include "reports/writers.h"
#include "reports/xml_stream.h"

enum { LINE = 512, AREA = 128 };

struct junit {
    const struct assay_results *results;
    const char *rule_pages; /* as of the style */
    struct assay_xml xml;
    size_t *next; /* of each rule, its first finding in the input that is written, or a later one */
};

struct tally {
    uint64_t cases;
    uint64_t failures;
    uint64_t errors;
    uint64_t skipped;
};

enum ending { LEFT_OUT, PASSED, FAILED, SKIPPED };

/* With a baseline the exit status is by what is new, and so are cases: a rule whose violations are
 * all known fails none. */
static bool is_known(const struct assay_results *results, size_t rule, size_t input)
{
    const struct assay_baseline_change *change =
        results->baseline != NULL
            ? assay_baseline_change_of(results->baseline, input, results->rules[rule].rule)
            : NULL;
    return results->baseline != NULL && (change == NULL || change->fresh == 0);
}

/* Diagnoses judge nothing, and what the user left out, or the profile does not have, is no case. */
static enum ending ending_of(const struct assay_results *results, size_t rule, size_t input,
                             uint8_t verdict)
{
    const struct assay_rule *r = results->rules[rule].rule;
    switch (verdict) {
    case ASSAY_PASS:
        return r->diagnosis ? LEFT_OUT : PASSED;
    case ASSAY_FAIL:
        return assay_rule_counts(results, r) && !is_known(results, rule, input) ? FAILED : SKIPPED;
    case ASSAY_NOT_EXERCISED:
    case ASSAY_NOT_CHECKABLE:
        return r->diagnosis ? LEFT_OUT : SKIPPED;
    case ASSAY_WAIVED:
        return SKIPPED;
    default:
        return LEFT_OUT;
    }
}

static struct tally count(const struct assay_results *results, size_t number,
                          const struct assay_stream_result *stream)
{
    const struct assay_input_result *input = &results->inputs[number];
    struct tally tally = {.cases = 1, .errors = assay_incomplete(input, stream) != NULL};
    for (size_t r = 0; r < results->rule_count && stream->verdicts != NULL; r++) {
        const enum ending ending = ending_of(results, r, number, stream->verdicts[r]);
        tally.cases += ending != LEFT_OUT;
        tally.failures += ending == FAILED;
        tally.skipped += ending == SKIPPED;
    }
    return tally;
}

static struct tally count_input(const struct assay_results *results, size_t number)
{
    const struct assay_input_result *input = &results->inputs[number];
    struct tally sum = {0};
    for (size_t n = 0; n < input->stream_count; n++) {
        const struct tally tally = count(results, number, &input->streams[n]);
        sum.cases += tally.cases;
        sum.failures += tally.failures;
        sum.errors += tally.errors;
        sum.skipped += tally.skipped;
    }
    return input->stream_count > 0 ? sum : (struct tally){.cases = 1, .errors = 1};
}

/* --- a rule --- */

static const struct assay_rule_outcome *outcome_of(const struct assay_stream_result *stream,
                                                   size_t rule)
{
    for (size_t i = 0; i < stream->outcome_count; i++) {
        if (stream->outcomes[i].rule == rule) {
            return &stream->outcomes[i];
        }
    }
    return NULL;
}

static void put_place(struct junit *junit, const struct assay_rule_total *total,
                      const struct assay_located_finding *place)
{
    const struct assay_finding *finding = place->finding;
    const struct assay_kind *kind = &total->catalogue->format->kinds[finding->kind];
    const struct assay_input_result *input = &junit->results->inputs[place->input];
    const struct assay_stream_result *stream = &input->streams[place->stream];
    char line[LINE];
    int used = snprintf(line, sizeof line, "%s %" PRIu64 " (%s) at byte 0x%" PRIx64 "%s",
                        total->catalogue->format->layers[kind->layer], finding->index, kind->name,
                        place->unlocated ? finding->offset : place->offset,
                        place->unlocated ? " of its stream" : "");
    if (stream->has_id && !place->unlocated) {
        used += snprintf(line + used, sizeof line - (size_t)used,
                         ", byte 0x%" PRIx64 " of source 0x%" PRIx32, finding->offset, stream->id);
    }
    assay_xml_text(&junit->xml, line);
    if (place->file > 0 && input->file_count > 1) {
        snprintf(line, sizeof line, ", byte 0x%" PRIx64 " of file ", place->file_offset);
        assay_xml_text(&junit->xml, line);
        assay_xml_text(&junit->xml, input->files[place->file - 1].path);
    }
    if (junit->results->baseline != NULL) {
        snprintf(line, sizeof line, " (%s)",
                 assay_baseline_state_name(
                     assay_baseline_state_of(junit->results->baseline, total->rule, place)));
        assay_xml_text(&junit->xml, line);
    }
    assay_xml_text(&junit->xml, ": ");
    assay_xml_text(&junit->xml, finding->message);
    assay_xml_text(&junit->xml, "\n");
}

/* Findings of a rule are in the order of the inputs; inputs are written in that order. */
static void put_places(struct junit *junit, size_t rule, size_t input, size_t stream,
                       uint64_t violated)
{
    const struct assay_rule_total *total = &junit->results->rules[rule];
    uint64_t shown = 0;
    char line[LINE];
    while (junit->next[rule] < total->finding_count &&
           total->findings[junit->next[rule]].input < input) {
        junit->next[rule]++;
    }
    for (size_t i = junit->next[rule];
         i < total->finding_count && total->findings[i].input == input; i++) {
        if (total->findings[i].stream == stream) {
            put_place(junit, total, &total->findings[i]);
            shown++;
        }
    }
    if (shown < violated) {
        snprintf(line, sizeof line, "more are not shown: %" PRIu64 " (--max-findings)\n",
                 violated - shown);
        assay_xml_text(&junit->xml, line);
    }
}

static void put_clauses(struct junit *junit, const struct assay_rule_total *total)
{
    const struct assay_rule *rule = total->rule;
    char url[ASSAY_URL_ROOM];
    assay_xml_text(&junit->xml, rule->clause_count > 0 ? "clauses" : "no clause: a house rule");
    for (uint16_t i = 0; i < rule->clause_count; i++) {
        assay_xml_text(&junit->xml, i > 0 ? ", " : " ");
        assay_xml_text(&junit->xml, rule->clauses[i]);
    }
    assay_xml_text(&junit->xml, "; assay rules show ");
    assay_xml_text(&junit->xml, rule->id);
    assay_xml_text(&junit->xml, "\n");
    if (assay_rule_page_url(junit->rule_pages, total, url, sizeof url)) {
        assay_xml_text(&junit->xml, url);
        assay_xml_text(&junit->xml, "\n");
    }
}

static void put_violated(struct junit *junit, size_t rule, size_t input, size_t stream,
                         const char *element, const char *more)
{
    const struct assay_rule *r = junit->results->rules[rule].rule;
    const struct assay_rule_outcome *outcome =
        outcome_of(&junit->results->inputs[input].streams[stream], rule);
    const uint64_t violated = outcome != NULL ? outcome->violated : 0;
    char line[LINE];
    snprintf(line, sizeof line, "%" PRIu64 " of %" PRIu64 " checks failed%s", violated,
             outcome != NULL ? outcome->exercised : 0, more);
    assay_xml_open(&junit->xml, element);
    assay_xml_attribute(&junit->xml, "message", line);
    if (element[0] == 'f') {
        assay_xml_attribute(&junit->xml, "type", assay_level_name((enum assay_level)r->level));
    }
    put_clauses(junit, &junit->results->rules[rule]);
    put_places(junit, rule, input, stream, violated);
    assay_xml_close(&junit->xml);
}

static void put_skipped(struct junit *junit, const struct assay_rule_total *total, size_t input,
                        uint8_t verdict)
{
    const struct assay_waiver *waiver =
        verdict == ASSAY_WAIVED
            ? assay_waiver_for(junit->results, total, junit->results->inputs[input].path)
            : NULL;
    assay_xml_open(&junit->xml, "skipped");
    char line[LINE] = "";
    if (verdict == ASSAY_NOT_CHECKABLE) {
        assay_not_checkable_text(total, line, sizeof line);
    } else if (waiver != NULL) {
        snprintf(line, sizeof line, "waived by %s until %s: %s%s%s", waiver->owner, waiver->expires,
                 waiver->reason, waiver->link != NULL ? "; " : "",
                 waiver->link != NULL ? waiver->link : "");
    } else {
        snprintf(line, sizeof line, "%s",
                 verdict == ASSAY_WAIVED ? "waived" : "not exercised: nothing to check");
    }
    assay_xml_attribute(&junit->xml, "message", line);
    assay_xml_close(&junit->xml);
}

static void put_rule(struct junit *junit, size_t rule, size_t input, size_t stream)
{
    const struct assay_rule_total *total = &junit->results->rules[rule];
    const uint8_t verdict = junit->results->inputs[input].streams[stream].verdicts[rule];
    const enum ending ending = ending_of(junit->results, rule, input, verdict);
    char area[AREA];
    char text[LINE];
    if (ending == LEFT_OUT) {
        return;
    }
    assay_xml_open(&junit->xml, "testcase");
    assay_rule_area(total->rule, area, sizeof area);
    snprintf(text, sizeof text, "%s.%s", total->catalogue->format->name, area);
    assay_xml_attribute(&junit->xml, "classname", text);
    snprintf(text, sizeof text, "%s %s", total->rule->id, total->rule->title);
    assay_xml_attribute(&junit->xml, "name", text);
    if (ending == FAILED) {
        put_violated(junit, rule, input, stream, "failure", "");
    } else if (verdict == ASSAY_FAIL) {
        put_violated(junit, rule, input, stream, "skipped",
                     assay_rule_counts(junit->results, total->rule)
                         ? ", as in the baseline"
                         : ", which the verdict does not count");
    } else if (ending == SKIPPED) {
        put_skipped(junit, total, input, verdict);
    }
    assay_xml_close(&junit->xml);
}

/* --- a suite --- */

static void open_suite(struct junit *junit, size_t number, const char *name, const char *package,
                       const struct tally *tally)
{
    assay_xml_open(&junit->xml, "testsuite");
    assay_xml_number(&junit->xml, "id", number);
    assay_xml_attribute(&junit->xml, "name", name);
    assay_xml_attribute(&junit->xml, "package", package);
    assay_xml_number(&junit->xml, "tests", tally->cases);
    assay_xml_number(&junit->xml, "failures", tally->failures);
    assay_xml_number(&junit->xml, "errors", tally->errors);
    assay_xml_number(&junit->xml, "skipped", tally->skipped);
}

/* The case of the reading; `why`: why not all was judged, or null. */
static void put_reading(struct junit *junit, const char *why, enum assay_conclusion conclusion)
{
    assay_xml_open(&junit->xml, "testcase");
    assay_xml_attribute(&junit->xml, "classname", "assay.input");
    assay_xml_attribute(&junit->xml, "name", "all of the input could be judged");
    if (why != NULL) {
        assay_xml_open(&junit->xml, "error");
        assay_xml_attribute(&junit->xml, "message", why);
        assay_xml_attribute(&junit->xml, "type", assay_conclusion_name(conclusion));
        assay_xml_close(&junit->xml);
    }
    assay_xml_close(&junit->xml);
}

static void put_stream(struct junit *junit, size_t number, size_t input, size_t stream)
{
    const struct assay_input_result *of = &junit->results->inputs[input];
    const struct assay_stream_result *s = &of->streams[stream];
    const struct tally tally = count(junit->results, input, s);
    char id[LINE];
    snprintf(id, sizeof id, "%s", s->format == NULL ? "" : s->format->profiles[s->profile].name);
    open_suite(junit, number, of->path, id, &tally);
    if (s->has_id) {
        snprintf(id, sizeof id, "0x%" PRIx32, s->id);
        assay_xml_open(&junit->xml, "properties");
        assay_xml_open(&junit->xml, "property");
        assay_xml_attribute(&junit->xml, "name", "source");
        assay_xml_attribute(&junit->xml, "value", id);
        assay_xml_close(&junit->xml);
        assay_xml_close(&junit->xml);
    }
    put_reading(junit, assay_incomplete(of, s), ASSAY_INCOMPLETE);
    for (size_t r = 0; r < junit->results->rule_count && s->verdicts != NULL; r++) {
        put_rule(junit, r, input, stream);
    }
    assay_xml_close(&junit->xml);
}

static void put_unreadable(struct junit *junit, size_t number,
                           const struct assay_input_result *input)
{
    const struct tally tally = {.cases = 1, .errors = 1};
    open_suite(junit, number, input->path, "", &tally);
    put_reading(junit,
                input->diag.message[0] != '\0' ? input->diag.message
                                               : assay_error_text(input->diag.error),
                ASSAY_UNREADABLE);
    assay_xml_close(&junit->xml);
}

static void open_suites(struct junit *junit)
{
    struct tally sum = {0};
    for (size_t i = 0; i < junit->results->input_count; i++) {
        const struct tally tally = count_input(junit->results, i);
        sum.cases += tally.cases;
        sum.failures += tally.failures;
        sum.errors += tally.errors;
    }
    assay_xml_open(&junit->xml, "testsuites");
    assay_xml_attribute(&junit->xml, "name", "assay check");
    assay_xml_number(&junit->xml, "tests", sum.cases);
    assay_xml_number(&junit->xml, "failures", sum.failures);
    assay_xml_number(&junit->xml, "errors", sum.errors);
}

enum assay_error assay_report_junit(const struct assay_results *results,
                                    const struct assay_report_style *style, struct assay_sink *sink)
{
    struct junit junit = {.results = results,
                          .rule_pages = style->rule_pages,
                          .next = calloc(results->rule_count + 1, sizeof *junit.next)};
    size_t number = 0;
    if (junit.next == NULL) {
        assay_sink_fail(sink, ASSAY_NO_MEMORY);
        return ASSAY_NO_MEMORY;
    }
    assay_xml_begin(&junit.xml, sink);
    open_suites(&junit);
    for (size_t i = 0; i < results->input_count; i++) {
        for (size_t n = 0; n < results->inputs[i].stream_count; n++) {
            put_stream(&junit, number++, i, n);
        }
        if (results->inputs[i].stream_count == 0) {
            put_unreadable(&junit, number++, &results->inputs[i]);
        }
    }
    assay_xml_close(&junit.xml);
    free(junit.next);
    return assay_xml_end(&junit.xml);
}
