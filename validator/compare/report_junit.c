/* JUnit XML: a suite for each format, with a case for each vector, in the class of what it shows.
 */
#include <string.h>

#include "reports/xml_stream.h"
#include "validator/compare/report_parts.h"

static const char *class_of(const struct assay_corpus_vector *vector)
{
    static const char *const names[] = {[ASSAY_SHOWS_CONFORMS] = "conforms",
                                        [ASSAY_SHOWS_REFUSES] = "refuses",
                                        [ASSAY_SHOWS_VIOLATES] = "violates"};
    return names[vector->shows];
}

/* A line of the failure's text: "expected: {...}". */
static void put_line(struct assay_xml *xml, const char *label, const char *text)
{
    assay_xml_text(xml, label);
    assay_xml_text(xml, text[0] != '\0' ? text : "no event");
    assay_xml_text(xml, "\n");
}

static void put_failure(struct assay_xml *xml, const struct assay_compared *one)
{
    const struct assay_failure *f = one->failure;
    assay_xml_open(xml, one->outcome >= ASSAY_CRASH ? "error" : "failure");
    assay_xml_attribute(xml, "message", f->what);
    assay_xml_attribute(xml, "type", assay_compare_outcome_name(one->outcome));
    if (f->comparison.layer[0] != '\0') {
        char place[96];
        snprintf(place, sizeof place, "%s %llu", f->comparison.layer,
                 (unsigned long long)f->comparison.index);
        put_line(xml, "event: ", place);
        put_line(xml, "expected: ", f->comparison.expected.text);
        put_line(xml, "found: ", f->comparison.found.text);
    }
    if (f->said[0] != '\0') {
        put_line(xml, "said: ", f->said);
    }
    put_line(xml, "trace: ", one->vector->files[ASSAY_VECTOR_TRACE]);
    assay_xml_close(xml);
}

static void put_case(struct assay_xml *xml, const struct assay_compared *one)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s", one->vector->format->name, class_of(one->vector));
    assay_xml_open(xml, "testcase");
    assay_xml_attribute(xml, "classname", name);
    assay_xml_attribute(xml, "name", one->vector->name);
    if (one->reason != NULL || !one->run) {
        assay_xml_open(xml, "skipped");
        assay_xml_attribute(xml, "message",
                            one->run ? one->reason : "the run was interrupted before");
        assay_xml_close(xml);
    } else if (one->failure != NULL) {
        put_failure(xml, one);
    }
    assay_xml_close(xml);
}

/* Failures and errors that are not expected, of the vectors from one to another. */
static void count_cases(const struct assay_comparisons *c, size_t from, size_t to, size_t counts[2])
{
    counts[0] = counts[1] = 0;
    for (size_t i = from; i < to; i++) {
        if (c->list[i].failure != NULL && c->list[i].reason == NULL) {
            counts[c->list[i].outcome >= ASSAY_CRASH]++;
        }
    }
}

static void put_property(struct assay_xml *xml, const char *name, const char *value)
{
    assay_xml_open(xml, "property");
    assay_xml_attribute(xml, "name", name);
    assay_xml_attribute(xml, "value", value);
    assay_xml_close(xml);
}

static void put_properties(struct assay_xml *xml, const struct assay_decoder_command *decoder)
{
    assay_xml_open(xml, "properties");
    put_property(xml, "decoder", decoder->command);
    put_property(xml, "persistent", decoder->persistent ? "true" : "false");
    put_property(xml, "isolated", decoder->isolation == ASSAY_ISOLATION_BWRAP ? "true" : "false");
    assay_xml_close(xml);
}

/* Returns the vector after those of the suite. */
static size_t put_suite(struct assay_xml *xml, const struct assay_comparisons *c, size_t from,
                        size_t number)
{
    struct assay_compare_row row;
    size_t counts[2];
    const size_t to = assay_compare_count_row(c, from, &row);
    count_cases(c, from, to, counts);
    assay_xml_open(xml, "testsuite");
    assay_xml_number(xml, "id", number);
    assay_xml_attribute(xml, "name", row.format);
    assay_xml_attribute(xml, "package", "assay.compare");
    assay_xml_number(xml, "tests", row.vectors);
    assay_xml_number(xml, "failures", counts[0]);
    assay_xml_number(xml, "errors", counts[1]);
    assay_xml_number(xml, "skipped", row.expected + row.not_run);
    put_properties(xml, c->decoder);
    for (; from < to; from++) {
        put_case(xml, &c->list[from]);
    }
    assay_xml_close(xml);
    return to;
}

enum assay_error assay_compare_write_junit(const struct assay_compare_summary *summary,
                                           struct assay_sink *sink)
{
    const struct assay_comparisons *c = summary->comparisons;
    struct assay_xml xml;
    size_t counts[2];
    size_t number = 0;
    count_cases(c, 0, c->corpus->count, counts);
    assay_xml_begin(&xml, sink);
    assay_xml_open(&xml, "testsuites");
    assay_xml_attribute(&xml, "name", "assay compare");
    assay_xml_number(&xml, "tests", c->corpus->count);
    assay_xml_number(&xml, "failures", counts[0]);
    assay_xml_number(&xml, "errors", counts[1]);
    for (size_t from = 0; from < c->corpus->count;) {
        from = put_suite(&xml, c, from, number++);
    }
    assay_xml_close(&xml);
    return assay_xml_end(&xml);
}
