/* What is expected of a validator: assay-verdict/1 of a vector that was exported. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "execution/execution.h"
#include "io/source.h"
#include "validator/engine/check.h"
#include "validator/engine/user_rules.h"
#include "validator/program/corpus_export.h"

/* Piece by piece: where the JSON library puts the text together itself, it leaves out the name of a
 * member that it has no memory for. */
static int to_sink(const char *data, size_t size, void *sink)
{
    assay_sink_write(sink, data, size);
    return 0;
}

enum assay_error assay_put_json(json_t *value, struct assay_sink *sink)
{
    const int failed =
        json_dump_callback(value, to_sink, sink, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    assay_sink_text(sink, "\n");
    json_decref(value);
    return failed == 0 ? sink->error : ASSAY_NO_MEMORY;
}

/* --- readings --- */

static void add_readings(const struct assay_yaml *map, json_t *list)
{
    for (size_t i = 0; map != NULL && i < map->count; i++) {
        json_array_append_new(
            list, json_sprintf("%s=%s", map->items[2 * i]->text, map->items[2 * i + 1]->text));
    }
}

json_t *assay_corpus_readings(const struct assay_vector *vector)
{
    json_t *list = json_array();
    add_readings(vector->interpret, list);
    for (size_t i = 0; i < vector->stream_count; i++) {
        add_readings(vector->streams[i].vector.interpret, list);
    }
    return list;
}

/* The readings of each catalogue: as the option --interpret sets them, once for all streams. */
struct readings {
    const uint16_t *list[ASSAY_MAX_FORMATS];
    uint16_t *owned[ASSAY_MAX_FORMATS];
};

static enum assay_error set_readings(const struct assay_vector *vector, struct readings *readings,
                                     struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    for (size_t c = 0;
         vector->interpret != NULL && c < ASSAY_MAX_FORMATS && assay_catalogues[c] != NULL; c++) {
        if (assay_catalogues[c]->format != vector->format || readings->list[c] != NULL) {
            continue;
        }
        readings->owned[c] =
            calloc(assay_catalogues[c]->interpretation_count + 1, sizeof *readings->owned[c]);
        readings->list[c] = readings->owned[c];
        error = readings->owned[c] == NULL
                    ? ASSAY_NO_MEMORY
                    : assay_vector_readings(vector, assay_catalogues[c], readings->owned[c], diag);
    }
    return error;
}

static enum assay_error set_all_readings(const struct assay_vector *vector,
                                         struct readings *readings, struct assay_diag *diag)
{
    enum assay_error error = set_readings(vector, readings, diag);
    for (size_t i = 0; i < vector->stream_count && error == ASSAY_OK; i++) {
        error = set_readings(&vector->streams[i].vector, readings, diag);
    }
    return error;
}

/* --- JSON --- */

static json_t *stream_json(const struct assay_stream_result *stream)
{
    const char *profile = stream->format != NULL && stream->format->profile_count > 0
                              ? stream->format->profiles[stream->profile].name
                              : NULL;
    json_t *object = json_object();
    if (stream->has_id) {
        json_object_set_new(object, "id", json_sprintf("0x%" PRIx32, stream->id));
    }
    if (stream->format != NULL) {
        json_object_set_new(object, "format", json_string(stream->format->name));
    } else {
        json_object_set_new(object, "unjudged", json_string(stream->unjudged));
    }
    if (profile != NULL) {
        json_object_set_new(object, "profile", json_string(profile));
    }
    json_object_set_new(object, "verdict", json_string(assay_conclusion_name(stream->conclusion)));
    json_object_set_new(object, "complete", json_boolean(stream->complete));
    return object;
}

static json_t *rule_json(const struct assay_rule_total *total)
{
    return json_pack("{s:s, s:s, s:s, s:I, s:I}", "rule", total->rule->id, "level",
                     assay_level_name((enum assay_level)total->rule->level), "verdict",
                     assay_verdict_name(total->verdict), "exercised", (json_int_t)total->exercised,
                     "violated", (json_int_t)total->violated);
}

static json_t *finding_json(const struct assay_input_result *input,
                            const struct assay_located_finding *located)
{
    const struct assay_finding *finding = located->finding;
    const struct assay_stream_result *stream = &input->streams[located->stream];
    const struct assay_kind *kind = &stream->format->kinds[finding->kind];
    json_t *object = json_pack("{s:s}", "rule", finding->rule->id);
    if (stream->has_id) {
        json_object_set_new(object, "stream", json_sprintf("0x%" PRIx32, stream->id));
    }
    json_object_set_new(object, "layer", json_string(stream->format->layers[kind->layer]));
    json_object_set_new(object, "event", json_integer((json_int_t)finding->index));
    json_object_set_new(object, "at", json_integer((json_int_t)finding->offset));
    json_object_set_new(object, "kind", json_string(kind->name));
    json_object_set_new(object, "message", json_string(finding->message));
    return object;
}

static json_t *verdict_json(const char *name, const struct assay_vector *vector,
                            const struct assay_results *results)
{
    const struct assay_input_result *input = &results->inputs[0];
    json_t *streams = json_array();
    json_t *rules = json_array();
    json_t *findings = json_array();
    for (size_t i = 0; i < input->stream_count; i++) {
        json_array_append_new(streams, stream_json(&input->streams[i]));
    }
    for (size_t r = 0; r < results->rule_count; r++) {
        const struct assay_rule_total *total = &results->rules[r];
        if (total->verdict == ASSAY_PASS || total->verdict == ASSAY_FAIL ||
            total->verdict == ASSAY_RECOGNISED) {
            json_array_append_new(rules, rule_json(total));
        }
        for (size_t i = 0; i < total->finding_count; i++) {
            json_array_append_new(findings, finding_json(input, &total->findings[i]));
        }
    }
    return json_pack("{s:s, s:s, s:o, s:s, s:b, s:o, s:o, s:o}", "schema", "assay-verdict/1",
                     "vector", name, "interpret", assay_corpus_readings(vector), "verdict",
                     assay_conclusion_name(input->conclusion), "complete", (int)input->complete,
                     "streams", streams, "rules", rules, "findings", findings);
}

/* --- judging --- */

/* A check by the readings of a vector; it refers to itself. */
struct judging {
    struct readings readings;
    struct assay_check_options options;
    struct assay_check *check;
};

static enum assay_error open_judging(const struct assay_vector *vector, struct judging *judging,
                                     struct assay_diag *diag)
{
    *judging = (struct judging){.check = NULL};
    judging->options = (struct assay_check_options){.catalogues = assay_catalogues,
                                                    .readings = judging->readings.list,
                                                    .max_findings = ASSAY_EXPORT_MAX_FINDINGS,
                                                    .fail_on = ASSAY_MUST,
                                                    .jobs = 2};
    while (assay_catalogues[judging->options.catalogue_count] != NULL &&
           judging->options.catalogue_count < ASSAY_MAX_FORMATS) {
        judging->options.catalogue_count++;
    }
    const enum assay_error error = set_all_readings(vector, &judging->readings, diag);
    return error != ASSAY_OK ? error : assay_check_open(&judging->options, &judging->check, diag);
}

static void close_judging(struct judging *judging)
{
    if (judging->check != NULL) {
        assay_check_close(judging->check);
    }
    for (size_t c = 0; c < ASSAY_MAX_FORMATS; c++) {
        free(judging->readings.owned[c]);
    }
}

enum assay_error assay_corpus_verdict(const char *manifest, const char *name,
                                      const struct assay_vector *vector, struct assay_sink *sink,
                                      struct assay_diag *diag)
{
    const struct assay_input input = {
        .path = manifest, .setup = {.execution_thread = ASSAY_EXECUTION_THREAD_FROM_TRACE}};
    struct judging judging;
    enum assay_error error = open_judging(vector, &judging, diag);
    error = error != ASSAY_OK ? error : assay_check_inputs(judging.check, &input, 1, diag);
    if (error == ASSAY_OK) {
        const struct assay_results *results = assay_check_results(judging.check);
        error = assay_put_json(verdict_json(name, vector, results), sink);
    }
    close_judging(&judging);
    return error;
}

enum assay_error assay_corpus_judge(const struct assay_vector *vector, const char *name,
                                    const struct assay_sink *trace,
                                    void (*take)(void *context,
                                                 const struct assay_results *results),
                                    void *context, struct assay_diag *diag)
{
    const struct assay_input input = assay_vector_input(vector, name);
    struct assay_source *source = NULL;
    struct assay_source *recording = NULL;
    struct assay_sink execution;
    struct judging judging;
    assay_sink_memory(&execution, 0);
    enum assay_error error = open_judging(vector, &judging, diag);
    if (error == ASSAY_OK && vector->execution != NULL) {
        error = assay_vector_execution(vector, &execution, diag);
        error = error != ASSAY_OK ? error
                                  : assay_source_memory(execution.data, execution.size, &recording);
    }
    error = error != ASSAY_OK ? error : assay_source_memory(trace->data, trace->size, &source);
    if (error == ASSAY_OK) {
        error = assay_check_source(judging.check, &input, source, recording, diag);
    } else if (recording != NULL) {
        assay_source_close(recording);
    }
    if (error == ASSAY_OK) {
        take(context, assay_check_results(judging.check));
    }
    close_judging(&judging);
    assay_sink_close(&execution, NULL);
    return error;
}
