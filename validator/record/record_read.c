#include <string.h>

#include "reports/json_read.h"
#include "validator/engine/surroundings.h"
#include "validator/record/overviews.h"
#include "validator/record/record.h"
#include "validator/record/verdicts.h"

struct reading {
    struct assay_json_reader json;
    struct assay_input_run *run;
};

/* --- values --- */

static size_t get_size(struct reading *r, const json_t *object, const char *name, uint64_t most)
{
    return (size_t)assay_json_get_number(&r->json, object, name, most);
}

static uint64_t get(struct reading *r, const json_t *object, const char *name)
{
    return assay_json_get_number(&r->json, object, name, UINT64_MAX);
}

static const char *text(struct reading *r, const json_t *object, const char *name, bool optional)
{
    return assay_json_get_text(&r->json, object, name, optional);
}

/* The numbers of a list, each at most its bound in `most`, or any where that is null. */
static void numbers(struct reading *r, const json_t *list, const char *name, const uint64_t *most,
                    size_t count, uint64_t *out)
{
    if (json_array_size(list) != count) {
        assay_json_wrong(&r->json, name);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = assay_json_number_of(&r->json, json_array_get(list, i), name,
                                      most != NULL ? most[i] : UINT64_MAX);
    }
}

/* A list of `count` numbers that is a member. */
static const uint64_t *get_numbers(struct reading *r, const json_t *object, const char *name,
                                   size_t count)
{
    uint64_t *out = assay_json_room(&r->json, count, sizeof *out);
    if (out != NULL) {
        numbers(r, json_object_get(object, name), name, NULL, count, out);
    }
    return out;
}

static enum assay_conclusion conclusion(struct reading *r, const json_t *object)
{
    const char *name = text(r, object, "conclusion", false);
    unsigned c = 0;
    while (c < ASSAY_CONCLUSION_COUNT &&
           strcmp(assay_conclusion_name((enum assay_conclusion)c), name) != 0) {
        c++;
    }
    if (c == ASSAY_CONCLUSION_COUNT) {
        assay_json_wrong(&r->json, "conclusion");
        return ASSAY_INCOMPLETE;
    }
    return (enum assay_conclusion)c;
}

static void read_diag(struct reading *r, const json_t *object, struct assay_diag *diag)
{
    diag->error = (enum assay_error)get_size(r, object, "error", ASSAY_ERROR_COUNT - 1);
    diag->offset = get(r, object, "offset");
    diag->line = (uint32_t)get_size(r, object, "line", UINT32_MAX);
    diag->column = (uint32_t)get_size(r, object, "column", UINT32_MAX);
    assay_json_get_chars(&r->json, object, "path", diag->path, sizeof diag->path);
    assay_json_get_chars(&r->json, object, "message", diag->message, sizeof diag->message);
    assay_json_get_chars(&r->json, object, "hint", diag->hint, sizeof diag->hint);
}

/* Null for null. */
static const struct assay_diag *get_diag(struct reading *r, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (json_is_null(value)) {
        return NULL;
    }
    struct assay_diag *diag = assay_json_room(&r->json, 1, sizeof *diag);
    if (diag != NULL) {
        read_diag(r, value, diag);
    }
    return diag;
}

/* --- files --- */

/* "" or "sha256:..." of its length. */
static void get_digest(struct reading *r, const json_t *object, char sha256[ASSAY_DIGEST_TEXT])
{
    assay_json_get_chars(&r->json, object, "sha256", sha256, ASSAY_DIGEST_TEXT);
    const size_t length = strlen(sha256);
    if (length != 0 && (length != ASSAY_DIGEST_TEXT - 1 || strncmp(sha256, "sha256:", 7) != 0)) {
        assay_json_wrong(&r->json, "sha256");
    }
}

static void read_files(struct reading *r, const json_t *record, struct assay_input_result *input)
{
    const json_t *list = assay_json_get_list(&r->json, record, "files", &input->file_count);
    struct assay_file_result *files = assay_json_room(&r->json, input->file_count, sizeof *files);
    for (size_t i = 0; files != NULL && i < input->file_count; i++) {
        const json_t *file = json_array_get(list, i);
        files[i].path = text(r, file, "path", false);
        files[i].bytes = get(r, file, "bytes");
        files[i].no_digest = text(r, file, "no_digest", true);
        files[i].changed = assay_json_get_flag(&r->json, file, "changed");
        get_digest(r, file, files[i].sha256);
    }
    input->files = files;
}

static void read_evidence(struct reading *r, const json_t *record, struct assay_input_result *input)
{
    const json_t *list = assay_json_get_list(&r->json, record, "evidence", &input->evidence_count);
    struct assay_evidence *files = assay_json_room(&r->json, input->evidence_count, sizeof *files);
    for (size_t i = 0; files != NULL && i < input->evidence_count; i++) {
        const json_t *file = json_array_get(list, i);
        files[i].role = assay_evidence_role(text(r, file, "role", false));
        if (files[i].role == NULL) {
            assay_json_wrong(&r->json, "role");
        }
        files[i].path = text(r, file, "path", false);
        files[i].bytes = get(r, file, "bytes");
        files[i].no_digest = text(r, file, "no_digest", true);
        files[i].changed = assay_json_get_flag(&r->json, file, "changed");
        files[i].missing = assay_json_get_flag(&r->json, file, "missing");
        get_digest(r, file, files[i].sha256);
    }
    input->evidence = files;
}

/* --- streams --- */

static const struct assay_layer_result *read_layers(struct reading *r, const json_t *stream,
                                                    size_t count)
{
    const json_t *list = assay_json_get_list_of(&r->json, stream, "layers", count);
    struct assay_layer_result *layers = assay_json_room(&r->json, count, sizeof *layers);
    for (size_t i = 0; layers != NULL && i < count; i++) {
        const json_t *layer = json_array_get(list, i);
        layers[i].left_out = assay_json_get_flag(&r->json, layer, "left_out");
        layers[i].complete = assay_json_get_flag(&r->json, layer, "complete");
        layers[i].why = text(r, layer, "why", true);
    }
    return layers;
}

static const struct assay_parameter_values *read_parameters(struct reading *r, const json_t *stream,
                                                            const struct assay_format *format)
{
    const json_t *list = json_object_get(stream, "parameters");
    if (json_is_null(list)) {
        return NULL;
    }
    struct assay_parameter_values *values = assay_json_room(&r->json, 1, sizeof *values);
    if (format->parameters == NULL || !json_is_array(list) || values == NULL) {
        assay_json_wrong(&r->json, "parameters");
        return NULL;
    }
    const uint64_t most[] = {format->parameters->count - 1, UINT64_MAX, ASSAY_PARAMETER_STREAM};
    values->table = format->parameters;
    for (size_t i = 0; i < json_array_size(list); i++) {
        uint64_t one[3] = {0};
        numbers(r, json_array_get(list, i), "parameters", most, 3, one);
        values->value[one[0]] = one[1];
        values->site[one[0]].origin = (uint8_t)one[2];
        values->known[one[0]] = true;
    }
    return values;
}

static const struct assay_uncompared *read_uncompared(struct reading *r, const json_t *stream)
{
    const json_t *object = json_object_get(stream, "uncompared");
    if (json_is_null(object)) {
        return NULL;
    }
    struct assay_uncompared *uncompared = assay_json_room(&r->json, 1, sizeof *uncompared);
    if (uncompared != NULL) {
        numbers(r, json_object_get(object, "count"), "count", NULL, ASSAY_UNCOMPARED_COUNT,
                uncompared->count);
        assay_json_get_chars(&r->json, object, "wrong", uncompared->wrong,
                             sizeof uncompared->wrong);
        uncompared->left_out = assay_json_get_flag(&r->json, object, "left_out");
    }
    return uncompared;
}

/* In the order of the rules, as reports expect them. */
static void read_outcomes(struct reading *r, const json_t *object,
                          struct assay_stream_result *stream)
{
    const size_t rules = r->run->tally.rule_count;
    const uint64_t most[] = {rules - 1, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    const json_t *list = assay_json_get_list(&r->json, object, "outcomes", &stream->outcome_count);
    struct assay_rule_outcome *outcomes =
        assay_json_room(&r->json, stream->outcome_count, sizeof *outcomes);
    for (size_t i = 0; outcomes != NULL && i < stream->outcome_count; i++) {
        uint64_t one[4] = {0};
        numbers(r, json_array_get(list, i), "outcomes", most, 4, one);
        outcomes[i] = (struct assay_rule_outcome){
            .rule = one[0], .exercised = one[1], .violated = one[2], .waived = one[3]};
        if (stream->verdicts == NULL || stream->verdicts[one[0]] == ASSAY_VERDICT_COUNT ||
            (i > 0 && one[0] <= outcomes[i - 1].rule)) {
            assay_json_wrong(&r->json, "outcomes");
        }
    }
    stream->outcomes = outcomes;
}

/* A rule of another format has no verdict on the stream. */
static void read_verdicts(struct reading *r, const json_t *object,
                          struct assay_stream_result *stream)
{
    const struct assay_tally *tally = &r->run->tally;
    const char *packed = text(r, object, "verdicts", true);
    if (packed == NULL) {
        return;
    }
    uint8_t *verdicts = assay_json_room(&r->json, tally->rule_count, 1);
    if (verdicts == NULL || !assay_verdicts_unpack(packed, verdicts, tally->rule_count)) {
        assay_json_wrong(&r->json, "verdicts");
        return;
    }
    for (size_t i = 0; i < tally->rule_count; i++) {
        if (verdicts[i] != ASSAY_VERDICT_COUNT &&
            tally->rules[i].catalogue->format != stream->format) {
            assay_json_wrong(&r->json, "verdicts");
        }
    }
    stream->verdicts = verdicts;
}

static void read_stream(struct reading *r, const json_t *object, struct assay_stream_result *stream)
{
    const char *name = text(r, object, "format", true);
    const struct assay_format *format = name != NULL ? assay_format_by_name(name) : NULL;
    if (name != NULL && format == NULL) {
        assay_json_wrong(&r->json, "format");
    }
    stream->has_id = assay_json_get_flag(&r->json, object, "has_id");
    stream->id = (uint32_t)get_size(r, object, "id", UINT32_MAX);
    stream->format = format;
    stream->unjudged = text(r, object, "unjudged", true);
    stream->error = get_diag(r, object, "error");
    stream->unlocated = get_diag(r, object, "unlocated");
    stream->profile_reason = text(r, object, "profile_reason", true);
    stream->profile =
        (unsigned)get_size(r, object, "profile", format != NULL ? format->profile_count - 1 : 0);
    if (format == NULL && (stream->unjudged == NULL || stream->error == NULL)) {
        assay_json_wrong(&r->json, "unjudged");
    }
    if (format != NULL) {
        stream->events = get_numbers(r, object, "events", format->kind_count);
        stream->layers = read_layers(r, object, format->layer_count);
        stream->parameters = read_parameters(r, object, format);
        read_verdicts(r, object, stream);
        stream->overview =
            assay_overview_read(&r->json, json_object_get(object, "overview"), stream);
    }
    stream->uncompared = read_uncompared(r, object);
    read_outcomes(r, object, stream);
    stream->complete = assay_json_get_flag(&r->json, object, "complete");
    stream->exercised = get(r, object, "exercised");
    stream->violations = get(r, object, "violations");
    stream->waived = get(r, object, "waived");
    stream->conclusion = conclusion(r, object);
}

static void read_streams(struct reading *r, const json_t *record)
{
    struct assay_input_result *input = &r->run->result;
    const json_t *list = assay_json_get_list(&r->json, record, "streams", &input->stream_count);
    struct assay_stream_result *streams =
        assay_json_room(&r->json, input->stream_count, sizeof *streams);
    for (size_t i = 0; streams != NULL && i < input->stream_count; i++) {
        read_stream(r, json_array_get(list, i), &streams[i]);
        if (assay_json_right(&r->json) && !assay_tally_known(&r->run->tally, &streams[i])) {
            assay_json_wrong(&r->json, "waived");
        }
    }
    input->streams = streams;
}

/* --- findings --- */

static uint8_t *read_bytes(struct reading *r, const json_t *object, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    const char *hex = text(r, object, "bytes", false);
    uint8_t *out = assay_json_room(&r->json, count, 1);
    if (strlen(hex) != 2 * count || strspn(hex, digits) != 2 * count) {
        assay_json_wrong(&r->json, "bytes");
        return out;
    }
    for (size_t i = 0; out != NULL && i < count; i++) {
        const size_t high = (size_t)(strchr(digits, hex[2 * i]) - digits);
        const size_t low = (size_t)(strchr(digits, hex[2 * i + 1]) - digits);
        out[i] = (uint8_t)(high << 4 | low);
    }
    return out;
}

static const struct assay_event *read_event(struct reading *r, const json_t *object,
                                            const struct assay_format *format)
{
    struct assay_event *event = assay_json_room(&r->json, 1, sizeof *event);
    if (event == NULL) {
        return NULL;
    }
    event->kind = (uint16_t)get_size(r, object, "kind", format->kind_count - 1);
    event->index = get(r, object, "index");
    event->offset = get(r, object, "offset");
    event->bits = (uint32_t)get_size(r, object, "bits", UINT32_MAX);
    event->fault = (uint16_t)get_size(
        r, object, "fault", event->kind == ASSAY_KIND_MALFORMED ? format->fault_count : 0);
    event->bytes = read_bytes(r, object, assay_surroundings_bytes(format, event));
    event->cells = get_numbers(r, object, "cells", assay_kind_cells(&format->kinds[event->kind]));
    return event;
}

static struct assay_instruction read_instruction(struct reading *r, const json_t *object)
{
    static const uint64_t most[] = {UINT64_MAX, UINT32_MAX, UINT16_MAX, 4, 64, 1};
    enum { COUNT = sizeof most / sizeof most[0] };
    const json_t *list = json_object_get(object, "instruction");
    uint64_t one[COUNT] = {0};
    if (json_array_size(list) != 0 || !json_is_array(list)) {
        numbers(r, list, "instruction", most, COUNT, one);
    }
    return (struct assay_instruction){.address = one[0],
                                      .word = (uint32_t)one[1],
                                      .machine = (uint16_t)one[2],
                                      .bytes = (uint8_t)one[3],
                                      .width = (uint8_t)one[4],
                                      .thumb = one[5] != 0};
}

static void read_shown(struct reading *r, const json_t *object, const struct assay_format *format,
                       struct assay_finding *finding)
{
    size_t count = 0;
    const json_t *list = assay_json_get_list(&r->json, object, "shown", &count);
    if (count == 0 || count > UINT16_MAX) {
        assay_json_wrong(&r->json, "shown");
        return;
    }
    struct assay_shown_event *shown = assay_json_room(&r->json, count, sizeof *shown);
    for (size_t i = 0; shown != NULL && i < count; i++) {
        const json_t *event = json_array_get(list, i);
        shown[i].index = get(r, event, "index");
        shown[i].offset = get(r, event, "offset");
        shown[i].line = text(r, event, "line", false);
        shown[i].instruction = read_instruction(r, event);
        shown[i].kind = (uint16_t)get_size(r, event, "kind", format->kind_count - 1);
        shown[i].grouped = assay_json_get_flag(&r->json, event, "grouped");
    }
    finding->shown = shown;
    finding->shown_count = (uint16_t)count;
    finding->shown_at = (uint16_t)get_size(r, object, "shown_at", count - 1);
}

static void read_finding(struct reading *r, const json_t *object,
                         const struct assay_rule_total *total, struct assay_located_finding *placed)
{
    const struct assay_input_result *input = &r->run->result;
    const struct assay_format *format = total->catalogue->format;
    struct assay_finding *finding = assay_json_room(&r->json, 1, sizeof *finding);
    if (finding == NULL) {
        return;
    }
    placed->finding = finding;
    placed->stream = get_size(r, object, "stream", input->stream_count - 1);
    placed->offset = get(r, object, "offset");
    placed->unlocated = assay_json_get_flag(&r->json, object, "unlocated");
    placed->file = get_size(r, object, "file", input->file_count);
    placed->file_offset = get(r, object, "file_offset");
    if (input->streams[placed->stream].format != format) {
        assay_json_wrong(&r->json, "stream");
    }
    finding->rule = total->rule;
    finding->kind = (uint16_t)get_size(r, object, "kind", format->kind_count - 1);
    finding->index = get(r, object, "index");
    finding->offset = get(r, object, "stream_offset");
    finding->bits = (uint32_t)get_size(r, object, "bits", UINT32_MAX);
    finding->message = text(r, object, "message", false);
    finding->values = get_numbers(r, object, "values", total->rule->evidence_count);
    finding->event = read_event(r, json_object_get(object, "event"), format);
    read_shown(r, object, format, finding);
}

static void read_spread(struct reading *r, const json_t *object, struct assay_rule_total *total)
{
    static const uint64_t most[] = {UINT64_MAX, 1};
    const size_t count = total->rule->evidence_count;
    if (json_is_null(json_object_get(object, "spread"))) {
        return;
    }
    const json_t *list = assay_json_get_list_of(&r->json, object, "spread", count);
    struct assay_spread *spread = assay_json_room(&r->json, count, sizeof *spread);
    for (size_t i = 0; spread != NULL && i < count; i++) {
        uint64_t one[2] = {0};
        numbers(r, json_array_get(list, i), "spread", most, 2, one);
        spread[i] = (struct assay_spread){.value = one[0], .varies = one[1] != 0};
    }
    total->spread = spread;
}

static void read_missing(struct reading *r, const json_t *object, struct assay_rule_total *total)
{
    const json_t *list = assay_json_get_list(&r->json, object, "missing", &total->missing_count);
    const char **names = assay_json_room(&r->json, total->missing_count, sizeof *names);
    for (size_t i = 0; names != NULL && i < total->missing_count; i++) {
        names[i] = assay_json_text_of(&r->json, json_array_get(list, i), "missing", false);
    }
    total->missing = total->missing_count > 0 ? names : NULL;
}

static void read_rule(struct reading *r, const json_t *object)
{
    struct assay_tally *tally = &r->run->tally;
    struct assay_rule_total *total =
        &tally->rules[get_size(r, object, "rule", tally->rule_count - 1)];
    if (total->verdict == ASSAY_VERDICT_COUNT || total->findings != NULL) {
        assay_json_wrong(&r->json, "rule");
        return;
    }
    total->sampled = get(r, object, "sampled");
    read_missing(r, object, total);
    read_spread(r, object, total);
    size_t count = 0;
    const json_t *list = assay_json_get_list(&r->json, object, "findings", &count);
    struct assay_located_finding *findings = assay_json_room(&r->json, count, sizeof *findings);
    for (size_t i = 0; findings != NULL && i < count && assay_json_right(&r->json); i++) {
        read_finding(r, json_array_get(list, i), total, &findings[i]);
    }
    total->findings = findings;
    total->finding_count = count;
}

static void read_rules(struct reading *r, const json_t *record)
{
    size_t count = 0;
    const json_t *list = assay_json_get_list(&r->json, record, "rules", &count);
    for (size_t i = 0; i < count && assay_json_right(&r->json); i++) {
        read_rule(r, json_array_get(list, i));
    }
    r->run->tally.findings_dropped = get(r, record, "findings_dropped");
}

/* --- the input --- */

static void read_input(struct reading *r, const json_t *record)
{
    struct assay_input_result *input = &r->run->result;
    input->path = text(r, record, "path", false);
    get_digest(r, record, input->sha256);
    input->no_digest = text(r, record, "no_digest", true);
    input->changed = assay_json_get_flag(&r->json, record, "changed");
    input->bytes = get(r, record, "bytes");
    input->interrupted = assay_json_get_flag(&r->json, record, "interrupted");
    input->filtered = assay_json_get_flag(&r->json, record, "filtered");
    input->complete = assay_json_get_flag(&r->json, record, "complete");
    input->exercised = get(r, record, "exercised");
    input->violations = get(r, record, "violations");
    input->waived = get(r, record, "waived");
    input->conclusion = conclusion(r, record);
    read_files(r, record, input);
    read_evidence(r, record, input);
    if (!json_is_null(json_object_get(record, "diag"))) {
        read_diag(r, json_object_get(record, "diag"), &input->diag);
    }
    r->run->tally.path = input->path;
    read_streams(r, record);
    if (assay_json_right(&r->json)) {
        read_rules(r, record);
    }
}

enum assay_error assay_record_read(const json_t *record, struct assay_input_run *run,
                                   struct assay_diag *diag)
{
    struct reading r = {.json = {.arena = &run->arena}, .run = run};
    const enum assay_error error = assay_tally_open(&run->tally, run->options);
    if (error == ASSAY_OK) {
        read_input(&r, record);
    }
    if (error != ASSAY_OK || r.json.out_of_memory) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    if (r.json.wrong != NULL) {
        return assay_fail(diag, ASSAY_CORRUPT, ASSAY_NO_OFFSET,
                          "the member \"%s\" is missing or wrong", r.json.wrong);
    }
    return ASSAY_OK;
}
