/* SARIF 2.1.0, for what shows results of static analysis. Results are violations only: consumers
 * such as GitHub show every result as a problem, whatever its `kind`. That something passed, could
 * not be checked or not be judged is in the rules' properties and in notifications; in the report
 * sarif-all it is a result, too. There are no times, so that the same input gives the same bytes.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/baseline.h"
#include "reports/sarif_parts.h"
#include "reports/walk.h"
#include "reports/writers.h"

/* What GitHub takes of one run. */
enum { MOST_RESULTS = 25000, LINE = 1024 };

/* --- results --- */

static json_t *reference(struct assay_sarif *sarif, const struct assay_rule_total *total)
{
    struct assay_json_stream *s = &sarif->stream;
    json_t *object = json_object();
    assay_json_set(s, object, "id", assay_json_text(total->rule->id));
    assay_json_set(s, object, "index",
                   json_integer((json_int_t)sarif->rules[total - sarif->results->rules]));
    return object;
}

static json_t *result(struct assay_sarif *sarif, const struct assay_rule_total *total,
                      const char *message, json_t *location)
{
    struct assay_json_stream *s = &sarif->stream;
    json_t *object = json_object();
    sarif->written++;
    assay_json_set(s, object, "ruleId", assay_json_text(total->rule->id));
    assay_json_set(s, object, "ruleIndex",
                   json_integer((json_int_t)sarif->rules[total - sarif->results->rules]));
    assay_json_set(s, object, "kind", json_string("fail"));
    assay_json_set(s, object, "level", assay_sarif_level(total->rule));
    assay_json_set(s, object, "message", assay_sarif_message(s, message));
    assay_json_set(s, object, "locations", json_pack("[o]", location));
    return object;
}

/* GitHub reads only primaryLocationLineHash, which ends in a number that tells apart what has the
 * same fingerprint. */
static json_t *fingerprints(struct assay_sarif *sarif, const struct assay_found *found)
{
    struct assay_json_stream *s = &sarif->stream;
    char text[ASSAY_FINGERPRINT_TEXT];
    char numbered[ASSAY_FINGERPRINT_TEXT + 24];
    uint64_t count = 0;
    json_t *object = json_object();
    assay_fingerprint(found, text);
    s->failed = !assay_fingerprints_count(&sarif->fingerprints, text, &count) || s->failed;
    snprintf(numbered, sizeof numbered, "%s:%" PRIu64, text, count);
    assay_json_set(s, object, "assayFinding/v1", json_string(numbered));
    assay_json_set(s, object, "primaryLocationLineHash", json_string(numbered));
    return object;
}

/* Where it is not known which of a rule's violations are new, each may be. */
static void put_baseline_state(struct assay_sarif *sarif, const struct assay_rule_total *total,
                               const struct assay_found *found, json_t *object)
{
    const struct assay_baseline_result *baseline = sarif->results->baseline;
    if (baseline != NULL) {
        const bool known =
            assay_baseline_state_of(baseline, total->rule, found->placed) == ASSAY_BASELINE_KNOWN;
        assay_json_set(&sarif->stream, object, "baselineState",
                       json_string(known ? "unchanged" : "new"));
    }
}

static void put_finding(struct assay_sarif *sarif, const struct assay_rule_total *total,
                        const struct assay_found *found)
{
    struct assay_json_stream *s = &sarif->stream;
    const struct assay_finding *finding = found->placed->finding;
    json_t *properties = json_object();
    json_t *object = result(sarif, total, finding->message, assay_sarif_location(sarif, found));
    put_baseline_state(sarif, total, found, object);
    assay_json_set(s, object, "partialFingerprints", fingerprints(sarif, found));
    assay_json_set(s, properties, "offset",
                   found->placed->unlocated ? json_null()
                                            : assay_json_count(found->placed->offset));
    if (found->stream->has_id) {
        assay_json_set(s, properties, "source", assay_json_count(found->stream->id));
        assay_json_set(s, properties, "stream_offset", assay_json_count(finding->offset));
    }
    assay_json_set(s, properties, "evidence", assay_json_values(s, found->catalogue, finding));
    assay_json_set(s, object, "properties", properties);
    assay_json_list_item(s, object);
}

/* What a waiver accepts in a stream is one result: the places are not kept. */
static void put_waived(struct assay_sarif *sarif, size_t input,
                       const struct assay_rule_outcome *outcome)
{
    struct assay_json_stream *s = &sarif->stream;
    const struct assay_results *results = sarif->results;
    const struct assay_rule_total *total = &results->rules[outcome->rule];
    const struct assay_waiver *waiver =
        assay_waiver_for(results, total, results->inputs[input].path);
    char message[LINE];
    json_t *suppression = json_object();
    snprintf(message, sizeof message, "%" PRIu64 " of %" PRIu64 " checks failed, which is waived",
             outcome->waived, outcome->exercised);
    json_t *object = result(sarif, total, message, assay_sarif_input_location(sarif, input));
    assay_json_set(s, suppression, "kind", json_string("external"));
    assay_json_set(s, suppression, "status", json_string("accepted"));
    if (waiver != NULL) {
        json_t *properties = json_object();
        assay_json_set(s, properties, "owner", assay_json_text(waiver->owner));
        assay_json_set(s, properties, "expires", assay_json_text(waiver->expires));
        if (waiver->link != NULL) {
            assay_json_set(s, properties, "link", assay_json_text(waiver->link));
        }
        assay_json_set(s, suppression, "justification", assay_json_text(waiver->reason));
        assay_json_set(s, suppression, "properties", properties);
    }
    assay_json_set(s, object, "suppressions", json_pack("[o]", suppression));
    assay_json_list_item(s, object);
}

/* All outcomes with waived violations; returns how many found no room. */
static uint64_t put_all_waived(struct assay_sarif *sarif)
{
    const struct assay_results *results = sarif->results;
    uint64_t left_out = 0;
    for (size_t i = 0; i < results->input_count; i++) {
        for (size_t n = 0; n < results->inputs[i].stream_count; n++) {
            const struct assay_stream_result *stream = &results->inputs[i].streams[n];
            for (size_t k = 0; k < stream->outcome_count; k++) {
                if (stream->outcomes[k].waived == 0) {
                    continue;
                }
                if (sarif->written < MOST_RESULTS) {
                    put_waived(sarif, i, &stream->outcomes[k]);
                } else {
                    left_out++;
                }
            }
        }
    }
    return left_out;
}

/* What a rule that is not violated says of the run; no level, as it is no problem. */
static void put_unviolated(struct assay_sarif *sarif, const struct assay_rule_total *total)
{
    struct assay_json_stream *s = &sarif->stream;
    json_t *object = json_object();
    char text[LINE] = "not exercised: nothing to check";
    const char *kind = "notApplicable";
    if (total->verdict == ASSAY_PASS) {
        kind = "pass";
        snprintf(text, sizeof text, "%" PRIu64 " %s, none failed", total->exercised,
                 total->exercised == 1 ? "check" : "checks");
    } else if (total->verdict == ASSAY_NOT_CHECKABLE) {
        kind = "open";
        assay_not_checkable_text(total, text, sizeof text);
    }
    assay_json_set(s, object, "ruleId", assay_json_text(total->rule->id));
    assay_json_set(s, object, "ruleIndex",
                   json_integer((json_int_t)sarif->rules[total - sarif->results->rules]));
    assay_json_set(s, object, "kind", json_string(kind));
    assay_json_set(s, object, "level", json_string("none"));
    assay_json_set(s, object, "message", assay_sarif_message(s, text));
    assay_json_set(s, object, "locations", json_array());
    assay_json_list_item(s, object);
}

static void put_all_unviolated(struct assay_sarif *sarif)
{
    static const enum assay_verdict verdicts[] = {ASSAY_PASS, ASSAY_NOT_EXERCISED,
                                                  ASSAY_NOT_CHECKABLE};
    const struct assay_rule_total *total;
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
        struct assay_rule_walk walk = assay_rule_walk(sarif->results);
        while ((total = assay_rule_walk_verdict(&walk, verdicts[i])) != NULL) {
            put_unviolated(sarif, total);
        }
    }
}

/* The violations of rules of a level: what there is no room for is of the lowest. Returns how many
 * are not among the results. */
static uint64_t put_level(struct assay_sarif *sarif, enum assay_level level)
{
    struct assay_rule_walk walk = assay_rule_walk(sarif->results);
    const struct assay_rule_total *total;
    uint64_t left_out = 0;
    while ((total = assay_rule_walk_next(&walk)) != NULL) {
        size_t n = 0;
        if (total->rule->diagnosis || total->rule->level != level) {
            continue;
        }
        for (; n < total->finding_count && sarif->written < MOST_RESULTS; n++) {
            const struct assay_found found = assay_found_of(sarif->results, total, n);
            put_finding(sarif, total, &found);
        }
        left_out += total->violated - n;
    }
    return left_out;
}

/* Returns how many violations are not among the results. */
static uint64_t put_results(struct assay_sarif *sarif)
{
    uint64_t left_out = 0;
    assay_json_list_begin(&sarif->stream, "results");
    for (unsigned level = ASSAY_LEVEL_COUNT; level-- > 0;) {
        left_out += put_level(sarif, (enum assay_level)level);
    }
    left_out += put_all_waived(sarif);
    if (sarif->all) {
        put_all_unviolated(sarif);
    }
    assay_json_list_end(&sarif->stream);
    return left_out;
}

/* --- the invocation --- */

/* A notification; `location` and `total` may be null. */
static void notify(struct assay_sarif *sarif, const char *level, const char *text, json_t *location,
                   const struct assay_rule_total *total)
{
    struct assay_json_stream *s = &sarif->stream;
    json_t *object = json_object();
    assay_json_set(s, object, "level", json_string(level));
    assay_json_set(s, object, "message", assay_sarif_message(s, text));
    if (location != NULL) {
        assay_json_set(s, object, "locations", json_pack("[o]", location));
    }
    if (total != NULL) {
        assay_json_set(s, object, "associatedRule", reference(sarif, total));
    }
    assay_json_list_item(s, object);
}

/* What could not be judged whole. */
static void notify_of_inputs(struct assay_sarif *sarif)
{
    const struct assay_results *results = sarif->results;
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        if (input->stream_count == 0) {
            notify(sarif, "error",
                   input->interrupted               ? "the run was interrupted"
                   : input->diag.message[0] != '\0' ? input->diag.message
                                                    : assay_error_text(input->diag.error),
                   assay_sarif_input_location(sarif, i), NULL);
        }
        for (size_t n = 0; n < input->stream_count; n++) {
            const char *why = assay_incomplete(input, &input->streams[n]);
            char text[LINE];
            snprintf(text, sizeof text, "source 0x%" PRIx32 ": %s", input->streams[n].id,
                     why != NULL ? why : "");
            if (why != NULL) {
                notify(sarif, "warning", input->streams[n].has_id ? text : why,
                       assay_sarif_input_location(sarif, i), NULL);
            }
        }
    }
}

static void notify_of_diagnoses(struct assay_sarif *sarif)
{
    struct assay_rule_walk walk = assay_rule_walk(sarif->results);
    const struct assay_rule_total *total;
    while ((total = assay_rule_walk_verdict(&walk, ASSAY_RECOGNISED)) != NULL) {
        for (size_t i = 0; i < total->finding_count; i++) {
            const struct assay_found found = assay_found_of(sarif->results, total, i);
            notify(sarif, "note", found.placed->finding->message,
                   assay_sarif_location(sarif, &found), total);
        }
    }
}

static void put_unchecked(struct assay_sarif *sarif)
{
    struct assay_rule_walk walk = assay_rule_walk(sarif->results);
    const struct assay_rule_total *total;
    assay_json_list_begin(&sarif->stream, "toolConfigurationNotifications");
    while ((total = assay_rule_walk_verdict(&walk, ASSAY_NOT_CHECKABLE)) != NULL) {
        char text[LINE];
        assay_not_checkable_text(total, text, sizeof text);
        notify(sarif, "note", text, NULL, total);
    }
    assay_json_list_end(&sarif->stream);
}

static void put_invocation(struct assay_sarif *sarif, uint64_t left_out)
{
    struct assay_json_stream *s = &sarif->stream;
    const struct assay_results *results = sarif->results;
    char text[LINE];
    assay_json_list_begin(s, "invocations");
    assay_json_object_begin(s, NULL);
    assay_json_member(
        s, "executionSuccessful",
        json_boolean(results->conclusion != ASSAY_UNREADABLE && results->interrupted == 0));
    if (results->exit_status >= 0) {
        assay_json_member(s, "exitCode", json_integer(results->exit_status));
    }
    assay_json_member(s, "exitCodeDescription",
                      json_string(assay_conclusion_name(results->conclusion)));
    put_unchecked(sarif);
    assay_json_list_begin(s, "toolExecutionNotifications");
    notify_of_inputs(sarif);
    notify_of_diagnoses(sarif);
    if (results->baseline != NULL) {
        assay_baseline_text(results->baseline, text, sizeof text);
        notify(sarif, "note", text, NULL, NULL);
    }
    if (left_out > 0) {
        snprintf(text, sizeof text,
                 "violations that are not among the results: %" PRIu64
                 " (--max-findings; %d of a run)",
                 left_out, (int)MOST_RESULTS);
        notify(sarif, "warning", text, NULL, NULL);
    }
    assay_json_list_end(s);
    assay_json_object_end(s);
    assay_json_list_end(s);
}

/* --- the report --- */

static void put_driver(struct assay_sarif *sarif)
{
    struct assay_json_stream *s = &sarif->stream;
    json_t *catalogues = json_array();
    json_t *properties = json_object();
    for (size_t i = 0; i < sarif->results->digest_count; i++) {
        assay_json_append(s, catalogues, assay_json_text(sarif->results->digests[i]));
    }
    assay_json_set(s, properties, "catalogues", catalogues);
    assay_json_object_begin(s, "tool");
    assay_json_object_begin(s, "driver");
    assay_json_member(s, "name", json_string("assay"));
    assay_json_member(s, "version", json_string(ASSAY_VERSION));
    assay_json_member(s, "semanticVersion", json_string(ASSAY_VERSION));
    assay_json_member(s, "properties", properties);
    assay_sarif_rules(sarif);
    assay_json_object_end(s);
    assay_json_object_end(s);
}

static void put_run(struct assay_sarif *sarif)
{
    assay_json_list_begin(&sarif->stream, "runs");
    assay_json_object_begin(&sarif->stream, NULL);
    put_driver(sarif);
    assay_sarif_artifacts(sarif);
    const uint64_t left_out = put_results(sarif);
    put_invocation(sarif, left_out);
    assay_json_object_end(&sarif->stream);
    assay_json_list_end(&sarif->stream);
}

static enum assay_error write_log(const struct assay_results *results,
                                  const struct assay_report_style *style, bool all,
                                  struct assay_sink *sink)
{
    struct assay_sarif sarif = {.results = results,
                                .all = all,
                                .rule_pages = style->rule_pages,
                                .rules = malloc((results->rule_count + 1) * sizeof *sarif.rules),
                                .artifacts =
                                    malloc((results->input_count + 1) * sizeof *sarif.artifacts)};
    enum assay_error error = ASSAY_NO_MEMORY;
    size_t artifacts = 0;
    if (sarif.rules != NULL && sarif.artifacts != NULL) {
        for (size_t r = 0; r < results->rule_count; r++) {
            sarif.rules[r] = SIZE_MAX;
        }
        for (size_t i = 0; i < results->input_count; i++) {
            sarif.artifacts[i] = artifacts;
            artifacts += 1 + results->inputs[i].file_count;
        }
        assay_json_begin(&sarif.stream, sink);
        assay_json_member(&sarif.stream, "$schema",
                          json_string("https://json.schemastore.org/sarif-2.1.0.json"));
        assay_json_member(&sarif.stream, "version", json_string("2.1.0"));
        put_run(&sarif);
        error = assay_json_end(&sarif.stream);
    } else {
        assay_sink_fail(sink, error);
    }
    assay_fingerprints_free(&sarif.fingerprints);
    free(sarif.artifacts);
    free(sarif.rules);
    return error;
}

enum assay_error assay_report_sarif(const struct assay_results *results,
                                    const struct assay_report_style *style, struct assay_sink *sink)
{
    return write_log(results, style, false, sink);
}

enum assay_error assay_report_sarif_all(const struct assay_results *results,
                                        const struct assay_report_style *style,
                                        struct assay_sink *sink)
{
    return write_log(results, style, true, sink);
}
