/* The JSON report, schema assay-report/2. `environment` is the only member that differs between
 * runs over the same input with the same catalogue and options. */
#include <string.h>

#include "reports/json_parts.h"
#include "reports/walk.h"
#include "reports/writers.h"

/* --- tool and options --- */

/* One digest for all rules: that of the only catalogue, or one over the digests of all. */
static json_t *catalogue_digest(const struct assay_results *results)
{
    char text[ASSAY_DIGEST_TEXT];
    struct assay_digest digest;
    if (results->digest_count == 1) {
        return assay_json_text(results->digests[0]);
    }
    assay_digest_begin(&digest);
    for (size_t i = 0; i < results->digest_count; i++) {
        assay_digest_add(&digest, results->digests[i], strlen(results->digests[i]));
        assay_digest_add(&digest, "\n", 1);
    }
    return assay_digest_end(&digest, text) == ASSAY_OK ? assay_json_text(text) : json_null();
}

static json_t *tool(struct assay_json_stream *s, const struct assay_results *results)
{
    json_t *object = json_object();
    json_t *catalogues = json_array();
    assay_json_set(s, object, "name", json_string("assay"));
    assay_json_set(s, object, "version", json_string(ASSAY_VERSION));
    assay_json_set(s, object, "catalogue", catalogue_digest(results));
    for (size_t i = 0; i < results->digest_count; i++) {
        assay_json_append(s, catalogues, assay_json_text(results->digests[i]));
    }
    assay_json_set(s, object, "catalogues", catalogues);
    return object;
}

/* An option that was given more than once is a list. */
static json_t *options(struct assay_json_stream *s, const struct assay_results *results)
{
    json_t *object = json_object();
    for (size_t i = 0; i < results->option_count; i++) {
        const struct assay_option_used *option = &results->options[i];
        json_t *value = assay_json_text(option->value);
        json_t *before = json_object_get(object, option->name);
        if (json_is_array(before)) {
            assay_json_append(s, before, value);
        } else if (before != NULL) {
            assay_json_set(s, object, option->name, json_pack("[O, o]", before, value));
        } else {
            assay_json_set(s, object, option->name, value);
        }
    }
    return object;
}

/* --- interpretations and the environment --- */

static json_t *reading_object(struct assay_json_stream *s, const struct assay_reading_used *used)
{
    const struct assay_interpretation *one = used->interpretation;
    json_t *object = json_object();
    assay_json_set(s, object, "id", assay_json_text(one->id));
    assay_json_set(s, object, "reading", assay_json_text(one->readings[used->reading].name));
    assay_json_set(s, object, "default", assay_json_text(one->readings[one->chosen].name));
    return object;
}

static json_t *environment(struct assay_json_stream *s, const struct assay_results *results)
{
    json_t *object = json_object();
    assay_json_set(s, object, "host", assay_json_text(results->host));
    assay_json_set(s, object, "started", assay_json_text(results->started));
    assay_json_set(s, object, "seconds", json_real(results->seconds));
    assay_json_set(s, object, "jobs", assay_json_count(results->jobs));
    if (results->cached) {
        assay_json_set(s, object, "reused", assay_json_count(results->reused));
    }
    return object;
}

/* --- the report --- */

void assay_json_head(struct assay_json_stream *s, const struct assay_results *results,
                     const char *schema)
{
    assay_json_member(s, "schema", json_string(schema));
    assay_json_member(s, "tool", tool(s, results));
    assay_json_member(s, "options", options(s, results));
}

enum assay_error assay_json_run(struct assay_json_stream *s, const struct assay_results *results,
                                const char *rule_pages, bool inputs_and_findings)
{
    assay_json_member(s, "verdict", json_string(assay_conclusion_name(results->conclusion)));
    if (results->interrupted != 0) {
        assay_json_member(s, "interrupted", json_integer(results->interrupted));
    }
    if (inputs_and_findings) {
        assay_json_inputs(s, results);
    }
    assay_json_skipped(s, results);
    assay_json_member(s, "evidence",
                      assay_json_evidence(s, results->evidence, results->evidence_count));
    assay_json_rules(s, results, rule_pages);
    enum assay_error error = assay_json_causes(s, results);
    if (inputs_and_findings) {
        assay_json_findings(s, results);
    }
    assay_json_waivers(s, results);
    assay_json_baseline(s, results);
    assay_json_list_begin(s, "interpretations");
    for (size_t i = 0; i < results->reading_count; i++) {
        if (assay_reading_asked(results, &results->readings[i])) {
            assay_json_list_item(s, reading_object(s, &results->readings[i]));
        }
    }
    assay_json_list_end(s);
    if (inputs_and_findings) {
        const enum assay_error read = assay_json_shard(s, results);
        error = error != ASSAY_OK ? error : read;
    }
    assay_json_member(s, "environment", environment(s, results));
    return error;
}

enum assay_error assay_report_json(const struct assay_results *results,
                                   const struct assay_report_style *style, struct assay_sink *sink)
{
    struct assay_json_stream stream;
    assay_json_begin(&stream, sink);
    assay_json_head(&stream, results, "assay-report/2");
    const enum assay_error error = assay_json_run(&stream, results, style->rule_pages, true);
    const enum assay_error written = assay_json_end(&stream);
    return error != ASSAY_OK ? error : written;
}
