#include "validator/compare/report.h"

#include <inttypes.h>
#include <string.h>

#include "reports/json_load.h"
#include "reports/json_stream.h"
#include "reports/xml_stream.h"

struct assay_compare_summary assay_compare_summarize(struct assay_comparisons *comparisons,
                                                     struct assay_expected_list *expected)
{
    struct assay_compare_summary summary = {
        .comparisons = comparisons, .expected = expected, .shown = 20};
    for (size_t i = 0; i < comparisons->corpus->count; i++) {
        struct assay_compared *one = &comparisons->list[i];
        const struct assay_expected *by =
            one->failure != NULL ? assay_expected_of(expected, one->vector->name, one->outcome)
                                 : NULL;
        one->reason = by != NULL ? by->reason : NULL;
        summary.failures += one->failure != NULL && by == NULL;
    }
    summary.not_run = comparisons->corpus->count - comparisons->run;
    /* What was not run could still fail. */
    summary.stale = summary.not_run == 0 ? assay_expected_settle(expected, comparisons->corpus) : 0;
    return summary;
}

/* --- counts --- */

struct row {
    const char *format;
    size_t outcomes[ASSAY_COMPARE_OUTCOMES];
    size_t expected;
    size_t vectors;
    size_t not_run; /* of the vectors */
};

/* The counts of the vectors from `from` on that are of one format, which stand together. Returns
 * the vector after them. */
static size_t count_row(const struct assay_comparisons *c, size_t from, struct row *row)
{
    *row = (struct row){.format = c->list[from].vector->format->name};
    size_t i = from;
    for (; i < c->corpus->count && strcmp(c->list[i].vector->format->name, row->format) == 0; i++) {
        row->vectors++;
        row->expected += c->list[i].reason != NULL;
        row->not_run += !c->list[i].run;
        row->outcomes[c->list[i].outcome] += c->list[i].run;
    }
    return i;
}

/* --- text --- */

static void put_row(struct assay_sink *sink, const struct row *row)
{
    assay_sink_printf(sink, "%-10s", row->format);
    for (size_t i = 0; i < ASSAY_COMPARE_OUTCOMES; i++) {
        assay_sink_printf(sink, "%9zu", row->outcomes[i]);
    }
    assay_sink_printf(sink, "%10zu\n", row->expected);
}

static void put_matrix(struct assay_sink *sink, const struct assay_comparisons *c)
{
    struct row row;
    assay_sink_printf(sink, "%-10s", "format");
    for (int i = 0; i < ASSAY_COMPARE_OUTCOMES; i++) {
        assay_sink_printf(sink, "%9s", assay_compare_outcome_name((enum assay_compare_outcome)i));
    }
    assay_sink_text(sink, "  expected\n");
    for (size_t i = 0; i < c->corpus->count;) {
        i = count_row(c, i, &row);
        put_row(sink, &row);
    }
}

static void put_line(struct assay_sink *sink, const char *label, const char *text)
{
    if (text[0] != '\0') {
        assay_sink_printf(sink, "    %-9s", label);
        for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
            if (*p == '\n') {
                assay_sink_text(sink, p[1] != '\0' ? "\n             " : "");
            } else if (*p < ' ' || *p >= 0x7f) {
                assay_sink_printf(sink, "\\x%02x", (unsigned)*p);
            } else {
                assay_sink_write(sink, p, 1);
            }
        }
        assay_sink_text(sink, "\n");
    }
}

static void put_failure(struct assay_sink *sink, const struct assay_comparisons *c,
                        const struct assay_compared *one)
{
    const struct assay_failure *f = one->failure;
    assay_sink_printf(sink, "\n%-8s %s\n", assay_compare_outcome_name(one->outcome),
                      one->vector->name);
    if (f->comparison.layer[0] != '\0') {
        assay_sink_printf(sink, "    %s %" PRIu64 ": ", f->comparison.layer, f->comparison.index);
        put_line(sink, "", f->what);
        for (size_t i = ASSAY_COMPARED_BEFORE; i-- > 0;) {
            put_line(sink, "before", f->comparison.before[i]);
        }
        put_line(sink, "expected",
                 f->comparison.expected[0] != '\0' ? f->comparison.expected : "no event");
        put_line(sink, "found", f->comparison.found[0] != '\0' ? f->comparison.found : "no event");
    } else {
        put_line(sink, "what", f->what);
    }
    put_line(sink, "it says", f->said);
    put_line(sink, "trace", one->vector->files[ASSAY_VECTOR_TRACE]);
    put_line(sink, "command", c->decoder->command);
}

static void put_stale(struct assay_sink *sink, const struct assay_expected_list *expected)
{
    for (size_t i = 0; i < expected->count; i++) {
        if (expected->list[i].stale) {
            assay_sink_printf(sink, "\n%s:%u: %s does not fail so; take it out of the list\n",
                              expected->path, expected->list[i].line, expected->list[i].vector);
        }
    }
}

static enum assay_error write_text(const struct assay_compare_summary *summary,
                                   struct assay_sink *sink)
{
    const struct assay_comparisons *c = summary->comparisons;
    size_t shown = 0;
    put_matrix(sink, c);
    if (c->decoder->isolation == ASSAY_ISOLATION_NONE) {
        assay_sink_text(sink, "\nThe decoder was not isolated (bwrap): it could reach the network "
                              "and write files.\n");
    }
    for (size_t i = 0; i < c->corpus->count; i++) {
        const struct assay_compared *one = &c->list[i];
        if (one->failure != NULL && one->reason == NULL && shown < summary->shown) {
            put_failure(sink, c, one);
            shown++;
        }
    }
    if (shown < summary->failures) {
        assay_sink_printf(sink, "\n%zu more failures: --report json has all\n",
                          summary->failures - shown);
    }
    put_stale(sink, summary->expected);
    assay_sink_printf(sink, "\n%zu of %zu vectors fail%s\n", summary->failures, c->run,
                      summary->expected->count > 0 ? ", besides those that are expected" : "");
    if (summary->not_run > 0) {
        assay_sink_printf(sink, "The run was interrupted: %zu vectors were not run.\n",
                          summary->not_run);
    }
    return sink->error;
}

/* --- JSON --- */

static json_t *counts_of(struct assay_json_stream *json, const struct row *row)
{
    json_t *counts = json_object();
    assay_json_set(json, counts, "format", assay_json_text(row->format));
    assay_json_set(json, counts, "vectors", assay_json_count(row->vectors));
    for (int i = 0; i < ASSAY_COMPARE_OUTCOMES; i++) {
        assay_json_set(json, counts, assay_compare_outcome_name((enum assay_compare_outcome)i),
                       assay_json_count(row->outcomes[i]));
    }
    assay_json_set(json, counts, "expected", assay_json_count(row->expected));
    assay_json_set(json, counts, "not_run", assay_json_count(row->not_run));
    return counts;
}

/* An event as JSON, or as a text where it was cut; null where there is none. */
static json_t *event_of(const char *text)
{
    json_error_t wrong;
    json_t *event = NULL;
    if (text[0] == '\0') {
        return json_null();
    }
    /* Null when memory is out, which the stream notices. */
    return assay_json_load(text, strlen(text), 0, &event, &wrong) == ASSAY_SYNTAX
               ? assay_json_text(text)
               : event;
}

static void add_difference(struct assay_json_stream *json, json_t *item,
                           const struct assay_comparison *c)
{
    json_t *before = json_array();
    for (size_t i = ASSAY_COMPARED_BEFORE; i-- > 0;) {
        if (c->before[i][0] != '\0') {
            assay_json_append(json, before, event_of(c->before[i]));
        }
    }
    assay_json_set(json, item, "layer", assay_json_text(c->layer));
    assay_json_set(json, item, "index", assay_json_count(c->index));
    assay_json_set(json, item, "before", before);
    assay_json_set(json, item, "expected", event_of(c->expected));
    assay_json_set(json, item, "found", event_of(c->found));
}

static json_t *compared_of(struct assay_json_stream *json, const struct assay_compared *one)
{
    json_t *item = json_object();
    assay_json_set(json, item, "vector", assay_json_text(one->vector->name));
    assay_json_set(json, item, "format", assay_json_text(one->vector->format->name));
    assay_json_set(json, item, "outcome",
                   assay_json_text(assay_compare_outcome_name(one->outcome)));
    assay_json_set(json, item, "events", assay_json_count(one->events));
    if (one->reason != NULL) {
        assay_json_set(json, item, "reason", assay_json_text(one->reason));
    }
    if (one->failure != NULL) {
        assay_json_set(json, item, "what", assay_json_text(one->failure->what));
        assay_json_set(json, item, "said", assay_json_text(one->failure->said));
        if (one->failure->comparison.layer[0] != '\0') {
            add_difference(json, item, &one->failure->comparison);
        }
    }
    return item;
}

static enum assay_error write_json(const struct assay_compare_summary *summary,
                                   struct assay_sink *sink)
{
    const struct assay_comparisons *c = summary->comparisons;
    struct assay_json_stream json;
    struct row row;
    assay_json_begin(&json, sink);
    assay_json_member(&json, "schema", assay_json_text("assay-compare/1"));
    assay_json_member(&json, "decoder", assay_json_text(c->decoder->command));
    assay_json_member(&json, "isolated",
                      json_boolean(c->decoder->isolation == ASSAY_ISOLATION_BWRAP));
    assay_json_member(&json, "failures", assay_json_count(summary->failures));
    assay_json_member(&json, "interrupted", json_boolean(summary->not_run > 0));
    assay_json_list_begin(&json, "formats");
    for (size_t i = 0; i < c->corpus->count;) {
        i = count_row(c, i, &row);
        assay_json_list_item(&json, counts_of(&json, &row));
    }
    assay_json_list_end(&json);
    assay_json_list_begin(&json, "stale");
    for (size_t i = 0; i < summary->expected->count; i++) {
        if (summary->expected->list[i].stale) {
            assay_json_list_item(&json, assay_json_text(summary->expected->list[i].vector));
        }
    }
    assay_json_list_end(&json);
    assay_json_list_begin(&json, "vectors");
    for (size_t i = 0; i < c->corpus->count; i++) {
        if (c->list[i].run) {
            assay_json_list_item(&json, compared_of(&json, &c->list[i]));
        }
    }
    assay_json_list_end(&json);
    return assay_json_end(&json);
}

/* --- JUnit --- */

static void put_case(struct assay_xml *xml, const struct assay_compared *one)
{
    const struct assay_failure *f = one->failure;
    assay_xml_open(xml, "testcase");
    assay_xml_attribute(xml, "classname", one->vector->format->name);
    assay_xml_attribute(xml, "name", one->vector->name);
    if (one->reason != NULL || !one->run) {
        assay_xml_open(xml, "skipped");
        assay_xml_attribute(xml, "message",
                            one->run ? one->reason : "the run was interrupted before");
        assay_xml_close(xml);
    } else if (f != NULL) {
        assay_xml_open(xml, one->outcome >= ASSAY_CRASH ? "error" : "failure");
        assay_xml_attribute(xml, "message", f->what);
        assay_xml_attribute(xml, "type", assay_compare_outcome_name(one->outcome));
        assay_xml_text(xml, f->comparison.expected);
        assay_xml_text(xml, f->comparison.expected[0] != '\0' ? "\n" : "");
        assay_xml_text(xml, f->comparison.found);
        assay_xml_close(xml);
    }
    assay_xml_close(xml);
}

/* Errors and failures of a format that are not expected. */
static void count_cases(const struct assay_comparisons *c, size_t from, size_t to, size_t counts[2])
{
    counts[0] = counts[1] = 0;
    for (size_t i = from; i < to; i++) {
        if (c->list[i].failure != NULL && c->list[i].reason == NULL) {
            counts[c->list[i].outcome >= ASSAY_CRASH]++;
        }
    }
}

static enum assay_error write_junit(const struct assay_compare_summary *summary,
                                    struct assay_sink *sink)
{
    const struct assay_comparisons *c = summary->comparisons;
    struct assay_xml xml;
    struct row row;
    size_t counts[2];
    assay_xml_begin(&xml, sink);
    assay_xml_open(&xml, "testsuites");
    assay_xml_attribute(&xml, "name", "assay compare");
    for (size_t from = 0; from < c->corpus->count;) {
        const size_t to = count_row(c, from, &row);
        count_cases(c, from, to, counts);
        assay_xml_open(&xml, "testsuite");
        assay_xml_attribute(&xml, "name", row.format);
        assay_xml_number(&xml, "tests", row.vectors);
        assay_xml_number(&xml, "failures", counts[0]);
        assay_xml_number(&xml, "errors", counts[1]);
        assay_xml_number(&xml, "skipped", row.expected + row.not_run);
        for (; from < to; from++) {
            put_case(&xml, &c->list[from]);
        }
        assay_xml_close(&xml);
    }
    assay_xml_close(&xml);
    return assay_xml_end(&xml);
}

const struct assay_compare_writer assay_compare_writers[] = {
    {"text", write_text}, {"json", write_json}, {"junit", write_junit}, {NULL, NULL}};
