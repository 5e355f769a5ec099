/* JSON Lines, schema assay-report-lines/1: the members of the JSON report, each written when it is
 * known. A line is an object; what it tells is its last member. */
#include "reports/json_parts.h"
#include "reports/writers.h"

/* Ends a line and gives it to who reads. */
static void end_line(struct assay_json_stream *s)
{
    struct assay_sink *sink = s->sink;
    const enum assay_error error = assay_json_end(s);
    if (error != ASSAY_OK) {
        assay_sink_fail(sink, error);
    } else {
        assay_sink_flush(sink);
    }
}

/* A line about an input. */
static void put_line(struct assay_json_stream *s, size_t input, const char *name, json_t *value)
{
    assay_json_member(s, "input", assay_json_count(input));
    assay_json_member(s, name, value);
    end_line(s);
}

static void start(const struct assay_results *results, size_t inputs, struct assay_sink *sink)
{
    struct assay_json_stream s;
    assay_json_begin_line(&s, sink);
    assay_json_object_begin(&s, "start");
    assay_json_head(&s, results, "assay-report-lines/1");
    assay_json_member(&s, "inputs", assay_json_count(inputs));
    assay_json_object_end(&s);
    end_line(&s);
}

static void begun(size_t number, const char *path, struct assay_sink *sink)
{
    struct assay_json_stream s;
    json_t *object = json_object();
    assay_json_begin_line(&s, sink);
    assay_json_set(&s, object, "path", assay_json_name(path));
    put_line(&s, number, "begun", object);
}

static void found(const struct assay_found *found, struct assay_sink *sink)
{
    struct assay_json_stream s;
    assay_json_begin_line(&s, sink);
    put_line(&s, found->placed->input, "finding", assay_json_finding(&s, found));
}

static void judged(const struct assay_results *results, size_t number, struct assay_sink *sink)
{
    struct assay_json_stream s;
    assay_json_begin_line(&s, sink);
    put_line(&s, number, "judged", assay_json_input(&s, results, &results->inputs[number]));
}

const struct assay_report_live assay_jsonl = {
    .start = start, .begun = begun, .found = found, .judged = judged};

static json_t *totals(struct assay_json_stream *s, const struct assay_results *results)
{
    uint64_t inputs[ASSAY_CONCLUSION_COUNT] = {0};
    uint64_t exercised = 0;
    uint64_t violated = 0;
    uint64_t waived = 0;
    json_t *object = json_object();
    json_t *conclusions = json_object();
    for (size_t i = 0; i < results->input_count; i++) {
        inputs[results->inputs[i].conclusion]++;
        exercised += results->inputs[i].exercised;
        violated += results->inputs[i].violations;
        waived += results->inputs[i].waived;
    }
    for (unsigned c = 0; c < ASSAY_CONCLUSION_COUNT; c++) {
        assay_json_set(s, conclusions, assay_conclusion_name(c), assay_json_count(inputs[c]));
    }
    assay_json_set(s, object, "inputs", conclusions);
    assay_json_set(s, object, "exercised", assay_json_count(exercised));
    assay_json_set(s, object, "violated", assay_json_count(violated));
    assay_json_set_waived(s, object, waived);
    return object;
}

enum assay_error assay_report_jsonl(const struct assay_results *results,
                                    const struct assay_report_style *style, struct assay_sink *sink)
{
    struct assay_json_stream s;
    assay_json_begin_line(&s, sink);
    assay_json_object_begin(&s, "end");
    assay_json_member(&s, "totals", totals(&s, results));
    const enum assay_error error = assay_json_run(&s, results, style->rule_pages, false);
    assay_json_object_end(&s);
    const enum assay_error written = assay_json_end(&s);
    return error != ASSAY_OK ? error : written;
}
