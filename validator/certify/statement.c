/* The certificate: an in-toto statement about the files that took part, with what was decided. */
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "reports/json_stream.h"
#include "validator/certify/folder.h"
#include "validator/certify/output.h"

typedef struct assay_json_stream stream;

static void set(stream *s, json_t *object, const char *key, json_t *value)
{
    assay_json_set(s, object, key, value);
}

static void set_text(stream *s, json_t *object, const char *key, const char *text)
{
    if (text != NULL) {
        assay_json_set(s, object, key, assay_json_text(text));
    }
}

/* Without "sha256:". */
static json_t *hex_of(const char *sha256)
{
    return json_string(sha256 + strlen("sha256:"));
}

static json_t *texts(stream *s, const struct assay_certify_texts *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; i++) {
        assay_json_append(s, array, assay_json_text(list->list[i]->text));
    }
    return array;
}

/* --- what is certified, and by what --- */

static void put_subjects(stream *s, const struct assay_certification *c)
{
    assay_json_list_begin(s, "subject");
    for (size_t i = 0; i < c->file_count; i++) {
        json_t *object = json_object();
        json_t *digest = json_object();
        set(s, object, "name", assay_json_name(c->files[i].path));
        set(s, digest, "sha256", hex_of(c->files[i].sha256));
        set(s, object, "digest", digest);
        assay_json_list_item(s, object);
    }
    assay_json_list_end(s);
}

static json_t *producer(stream *s, const struct assay_submission *of)
{
    json_t *object = json_object();
    set_text(s, object, "name", of->producer);
    set_text(s, object, "version", of->version);
    set_text(s, object, "vendor", of->vendor);
    return object;
}

static json_t *claims(stream *s, const struct assay_submission *of)
{
    json_t *object = json_object();
    json_t *parameters = json_object();
    set_text(s, object, "format", of->format->name);
    set_text(s, object, "title",
             of->dialect > 0 ? of->format->profiles[of->dialect - 1].title : of->format->title);
    set_text(s, object, "version",
             of->dialect > 0 ? of->format->profiles[of->dialect - 1].name : NULL);
    set_text(s, object, "profile", of->profile);
    set_text(s, object, "level", of->level);
    set(s, object, "features", texts(s, &of->features));
    for (size_t i = 0; i < of->parameter_count; i++) {
        const struct assay_yaml *value = of->parameters[i].value;
        set(s, parameters, of->parameters[i].name,
            assay_json_text(value->type == ASSAY_YAML_SCALAR ? value->text : ""));
    }
    set(s, object, "parameters", parameters);
    set(s, object, "readings", texts(s, &of->readings));
    return object;
}

/* Those that are claimed, with what they say of the producer. */
static json_t *features(stream *s, const struct assay_certification *c)
{
    json_t *array = json_array();
    for (size_t i = 0; i < c->submission->features.count; i++) {
        const struct assay_certify_feature *feature =
            assay_certify_feature_named(c->profile, c->submission->features.list[i]->text);
        json_t *object = json_object();
        set_text(s, object, "name", feature->name);
        set_text(s, object, "text", feature->sentence.says);
        assay_json_append(s, array, object);
    }
    return array;
}

static json_t *profile(stream *s, const struct assay_certification *c)
{
    json_t *object = json_object();
    json_t *sentences = json_array();
    set_text(s, object, "name", c->profile->name);
    set_text(s, object, "title", c->profile->title);
    set_text(s, object, "level", c->level->name);
    for (size_t i = 0; i < c->level->sentences.count; i++) {
        assay_json_append(s, sentences, assay_json_text(c->level->sentences.list[i].says));
    }
    set(s, object, "sentences", sentences);
    set(s, object, "sha256", hex_of(c->profile->digest));
    set(s, object, "modified", json_boolean(!c->profile->built_in));
    set(s, object, "features", features(s, c));
    return object;
}

static json_t *catalogues(stream *s, const struct assay_certification *c)
{
    json_t *array = json_array();
    for (size_t i = 0; i < c->selection.count; i++) {
        const struct assay_catalogue *catalogue = c->selection.catalogues[i];
        if (!assay_certify_asked(c, catalogue)) {
            continue;
        }
        json_t *object = json_object();
        set_text(s, object, "format", catalogue->format->name);
        set_text(s, object, "version", catalogue->format->version);
        set(s, object, "sha256", hex_of(catalogue->digest));
        set(s, object, "released", json_boolean(assay_certify_is_released(catalogue->digest)));
        assay_json_append(s, array, object);
    }
    return array;
}

static json_t *tool(stream *s, const struct assay_certification *c)
{
    json_t *object = json_object();
    json_t *rule_files = json_array();
    for (size_t i = 0; i < c->rule_file_count; i++) {
        const char *slash = strrchr(c->rule_files[i], '/');
        assay_json_append(s, rule_files,
                          assay_json_name(slash != NULL ? slash + 1 : c->rule_files[i]));
    }
    set(s, object, "name", json_string("assay"));
    set(s, object, "version", json_string(ASSAY_VERSION));
    set(s, object, "catalogues", catalogues(s, c));
    set(s, object, "rules", rule_files);
    set(s, object, "modified",
        json_boolean(c->rule_file_count > 0 || c->submission->readings.count > 0));
    set(s, object, "reference", json_boolean(c->repeat != NULL));
    set(s, object, "released", json_boolean(c->released));
    return object;
}

/* --- what was judged --- */

static void set_coverage(stream *s, json_t *object, const struct assay_stream_result *of)
{
    char text[24];
    uint32_t covered = 0;
    if (assay_certify_covered(of, &covered)) {
        snprintf(text, sizeof text, "%u.%03u", covered / 1000, covered % 1000);
        set(s, object, "recorded", assay_json_count(of->uncompared->recorded));
        set(s, object, "matched", assay_json_count(of->uncompared->matched));
        set(s, object, "covered", json_string(text));
    }
}

/* The facts, and the tables that were given, with how they differ from the specification's. */
static void set_facts(stream *s, json_t *object, const struct assay_facts_used *used)
{
    json_t *tables = json_object();
    for (unsigned i = 0; i < ASSAY_TABLE_COUNT; i++) {
        set_text(s, tables, assay_fact_table_name((enum assay_fact_table)i), used->tables[i]);
    }
    set_text(s, object, "facts", used->facts);
    set(s, object, "tables", tables);
}

static json_t *stream_of(stream *s, const struct assay_stream_result *of)
{
    json_t *object = json_object();
    if (of->has_id) {
        set(s, object, "id", assay_json_hex(of->id));
    }
    set_text(s, object, "format", of->format != NULL ? of->format->name : NULL);
    set_text(s, object, "version",
             of->format != NULL ? of->format->profiles[of->profile].name : NULL);
    set_text(s, object, "unjudged", of->unjudged);
    set(s, object, "verdict", json_string(assay_conclusion_name(of->conclusion)));
    set(s, object, "checks", assay_json_count(of->exercised));
    set_coverage(s, object, of);
    if (of->facts != NULL) {
        set_facts(s, object, of->facts);
    }
    return object;
}

static json_t *challenge(stream *s, const struct assay_challenge_options *of)
{
    char architecture[ASSAY_CHALLENGE_ARCHITECTURE];
    json_t *object = json_object();
    assay_challenge_architecture_name(of, architecture);
    set(s, object, "generator", assay_json_count(ASSAY_CHALLENGE_VERSION));
    set(s, object, "seed", assay_json_count(of->seed));
    set_text(s, object, "architecture", architecture);
    set_text(s, object, "form", assay_challenge_form(of));
    set(s, object, "instructions", assay_json_count(of->instructions));
    if (of->bare) {
        set(s, object, "base", assay_json_hex(of->base));
        set(s, object, "level", assay_json_count(of->level));
    }
    if (of->has_end) {
        set(s, object, "end", assay_json_hex(of->end));
    }
    if (of->has_tohost) {
        set(s, object, "tohost", assay_json_hex(of->tohost));
    }
    return object;
}

/* What the submission says of a trace. */
static json_t *submitted(stream *s, const struct assay_certify_trace *trace)
{
    json_t *object = json_object();
    set(s, object, "path", assay_json_name(trace->path));
    set_text(s, object, "workload", trace->workload);
    set_text(s, object, "command", trace->command);
    if (trace->challenge != NULL) {
        set(s, object, "challenge", challenge(s, trace->challenge));
    }
    return object;
}

static void put_traces(stream *s, const struct assay_certification *c)
{
    assay_json_list_begin(s, "traces");
    for (size_t i = 0; i < c->results.input_count; i++) {
        const struct assay_certify_trace *trace = &c->submission->traces[i];
        const struct assay_input_result *input = &c->results.inputs[i];
        json_t *object = submitted(s, trace);
        json_t *streams = json_array();
        if (trace->workload != NULL) {
            set(s, object, "workload_shown",
                json_boolean(c->workloads[i].state == ASSAY_WORKLOAD_SHOWN));
        }
        if (trace->challenge != NULL) {
            set(s, object, "challenge_met", json_boolean(c->challenged[i].met));
        }
        set(s, object, "recording",
            json_string(assay_certify_recording_name(c->recorded[i].recording)));
        if (trace->command != NULL) {
            set(s, object, "made", json_boolean(c->made));
        }
        set(s, object, "bytes", assay_json_count(input->bytes));
        for (size_t n = 0; n < input->stream_count; n++) {
            assay_json_append(s, streams, stream_of(s, &input->streams[n]));
        }
        set(s, object, "streams", streams);
        set(s, object, "verdict", json_string(assay_conclusion_name(input->conclusion)));
        assay_json_list_item(s, object);
    }
    assay_json_list_end(s);
}

static void put_demands(stream *s, const struct assay_certification *c)
{
    assay_json_list_begin(s, "demands");
    for (size_t i = 0; i < c->demands.count; i++) {
        const struct assay_certify_demand *demand = &c->demands.list[i];
        json_t *object = json_object();
        set(s, object, "demand", json_string(demand->kind));
        set(s, object, "name", assay_json_name(demand->name));
        set(s, object, "met", json_boolean(demand->met));
        set_text(s, object, "found", demand->found);
        assay_json_list_item(s, object);
    }
    assay_json_list_end(s);
}

static void put_rules(stream *s, const struct assay_certification *c)
{
    assay_json_list_begin(s, "rules");
    for (size_t i = 0; i < c->results.rule_count; i++) {
        const struct assay_rule_total *total = &c->results.rules[i];
        if (total->rule->diagnosis || !assay_certify_asked(c, total->catalogue)) {
            continue;
        }
        json_t *object = json_object();
        set_text(s, object, "id", total->rule->id);
        set(s, object, "level",
            json_string(assay_level_name((enum assay_level)total->rule->level)));
        set(s, object, "verdict", json_string(assay_verdict_name(total->verdict)));
        set(s, object, "exercised", assay_json_count(total->exercised));
        set(s, object, "violated", assay_json_count(total->violated));
        set(s, object, "waived", assay_json_count(total->waived));
        assay_json_list_item(s, object);
    }
    assay_json_list_end(s);
}

/* --- what is not certified --- */

static void put_waivers(stream *s, const struct assay_certification *c)
{
    assay_json_list_begin(s, "waivers");
    for (size_t i = 0; i < c->results.waiver_count; i++) {
        const struct assay_waiver *waiver = c->results.waivers[i].waiver;
        json_t *object = json_object();
        set_text(s, object, "rule", waiver->rule);
        set(s, object, "input", assay_json_name(waiver->input));
        set_text(s, object, "reason", waiver->reason);
        set_text(s, object, "owner", waiver->owner);
        set_text(s, object, "link", waiver->link);
        set_text(s, object, "expires", waiver->expires);
        set(s, object, "waived", assay_json_count(c->results.waivers[i].waived));
        assay_json_list_item(s, object);
    }
    assay_json_list_end(s);
    assay_json_member(s, "valid_until", assay_json_text(c->valid_until));
}

/* Rules that say nothing of the producer, and why. */
static void put_not_certified(stream *s, const struct assay_certification *c)
{
    assay_json_list_begin(s, "not_certified");
    for (size_t i = 0; i < c->results.rule_count; i++) {
        const struct assay_rule_total *total = &c->results.rules[i];
        if (total->rule->diagnosis || total->exercised > 0 ||
            !assay_certify_asked(c, total->catalogue)) {
            continue;
        }
        json_t *object = json_object();
        json_t *clauses = json_array();
        set_text(s, object, "rule", total->rule->id);
        set(s, object, "why", json_string(assay_verdict_name(total->verdict)));
        for (size_t n = 0; n < total->rule->clause_count; n++) {
            assay_json_append(s, clauses, assay_json_text(total->rule->clauses[n]));
        }
        set(s, object, "clauses", clauses);
        if (total->verdict == ASSAY_NOT_CHECKABLE) {
            json_t *missing = json_array();
            for (size_t n = 0; n < total->missing_count; n++) {
                assay_json_append(s, missing, assay_json_text(total->missing[n]));
            }
            set(s, object, "missing", missing);
        }
        assay_json_list_item(s, object);
    }
    assay_json_list_end(s);
}

static void put_files(stream *s, const struct assay_certify_written *files, size_t count)
{
    assay_json_list_begin(s, "files");
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_object();
        set_text(s, object, "name", files[i].name);
        set(s, object, "sha256", hex_of(files[i].sha256));
        assay_json_list_item(s, object);
    }
    assay_json_list_end(s);
}

enum assay_error assay_certify_statement(const struct assay_certification *c,
                                         const struct assay_certify_written *files, size_t count,
                                         struct assay_sink *sink)
{
    stream s;
    assay_json_begin(&s, sink);
    assay_json_member(&s, "_type", json_string(ASSAY_STATEMENT_TYPE));
    put_subjects(&s, c);
    assay_json_member(&s, "predicateType", json_string(ASSAY_CERTIFICATE_TYPE));
    assay_json_object_begin(&s, "predicate");
    assay_json_member(&s, "schema", json_string(ASSAY_CERTIFICATE_SCHEMA));
    assay_json_member(&s, "verdict", json_string(assay_certify_verdict_name(c->verdict)));
    assay_json_member(&s, "producer", producer(&s, c->submission));
    assay_json_member(&s, "claims", claims(&s, c->submission));
    assay_json_member(&s, "profile", profile(&s, c));
    assay_json_member(&s, "tool", tool(&s, c));
    put_demands(&s, c);
    put_traces(&s, c);
    put_waivers(&s, c);
    put_rules(&s, c);
    put_not_certified(&s, c);
    put_files(&s, files, count);
    assay_json_object_end(&s);
    return assay_json_end(&s);
}

/* --- members by themselves --- */

static json_t *whole(const stream *s, json_t *object)
{
    if (s->failed) {
        json_decref(object);
        return NULL;
    }
    return object;
}

json_t *assay_certify_producer_json(const struct assay_submission *submission)
{
    stream s = {.failed = false};
    return whole(&s, producer(&s, submission));
}

json_t *assay_certify_claims_json(const struct assay_submission *submission)
{
    stream s = {.failed = false};
    return whole(&s, claims(&s, submission));
}

json_t *assay_certify_profile_json(const struct assay_certification *c)
{
    stream s = {.failed = false};
    return whole(&s, profile(&s, c));
}

json_t *assay_certify_trace_json(const struct assay_certify_trace *trace)
{
    stream s = {.failed = false};
    return whole(&s, submitted(&s, trace));
}

/* --- the files that took part --- */

enum assay_error assay_certify_inputs(const struct assay_certification *c, struct assay_sink *sink)
{
    stream s;
    assay_json_begin(&s, sink);
    assay_json_member(&s, "schema", json_string("assay-certified-inputs/1"));
    assay_json_list_begin(&s, "files");
    for (size_t i = 0; i < c->file_count; i++) {
        json_t *object = json_object();
        set(&s, object, "path", assay_json_name(c->files[i].path));
        set(&s, object, "role", json_string(c->files[i].role));
        set(&s, object, "bytes", assay_json_count(c->files[i].bytes));
        set(&s, object, "sha256", hex_of(c->files[i].sha256));
        assay_json_list_item(&s, object);
    }
    assay_json_list_end(&s);
    return assay_json_end(&s);
}
