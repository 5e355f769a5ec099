#include "validator/engine/collect.h"

#include <stdlib.h>
#include <string.h>

#include "validator/engine/places.h"

struct assay_collection {
    const struct assay_check_options *options;
    struct assay_arena arena;
    struct assay_results results;
    struct assay_input_result *inputs;
    size_t input_room;
    struct assay_rule_total *rules;
    size_t *first; /* a catalogue: its first rule in `rules` */
    size_t *finding_capacity;
};

const char *assay_conclusion_name(enum assay_conclusion conclusion)
{
    static const char *const names[ASSAY_CONCLUSION_COUNT] = {"conforms", "violates", "incomplete",
                                                              "unreadable"};
    return names[conclusion];
}

static void list_readings(struct assay_collection *c)
{
    size_t total = 0;
    for (size_t i = 0; i < c->options->catalogue_count; i++) {
        total += c->options->catalogues[i]->interpretation_count;
    }
    struct assay_reading_used *used = assay_arena_take(&c->arena, (total + 1) * sizeof *used);
    for (size_t i = 0; used != NULL && i < c->options->catalogue_count; i++) {
        const struct assay_catalogue *catalogue = c->options->catalogues[i];
        const uint16_t *chosen = c->options->readings != NULL ? c->options->readings[i] : NULL;
        /* A catalogue that a user adds lends the interpretations of the built-in one. */
        const bool borrowed =
            i > 0 && catalogue->interpretations == c->options->catalogues[i - 1]->interpretations;
        for (size_t n = 0; !borrowed && n < catalogue->interpretation_count; n++) {
            const struct assay_interpretation *one = &catalogue->interpretations[n];
            used[c->results.reading_count++] = (struct assay_reading_used){
                .interpretation = one, .reading = chosen != NULL ? chosen[n] : one->chosen};
        }
    }
    c->results.readings = used;
}

struct assay_collection *assay_collection_open(const struct assay_check_options *options)
{
    struct assay_collection *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    size_t rules = 0;
    for (size_t i = 0; i < options->catalogue_count; i++) {
        rules += options->catalogues[i]->rule_count;
    }
    c->options = options;
    c->rules = assay_arena_take(&c->arena, (rules + 1) * sizeof *c->rules);
    c->finding_capacity = assay_arena_take(&c->arena, (rules + 1) * sizeof *c->finding_capacity);
    c->first = assay_arena_take(&c->arena, (options->catalogue_count + 1) * sizeof *c->first);
    const char **digests =
        assay_arena_take(&c->arena, (options->catalogue_count + 1) * sizeof *digests);
    if (c->rules == NULL || c->finding_capacity == NULL || c->first == NULL || digests == NULL) {
        assay_collection_close(c);
        return NULL;
    }
    size_t n = 0;
    for (size_t i = 0; i < options->catalogue_count; i++) {
        const struct assay_catalogue *catalogue = options->catalogues[i];
        c->first[i] = n;
        digests[i] = catalogue->digest;
        for (size_t r = 0; r < catalogue->rule_count; r++) {
            c->rules[n++] = (struct assay_rule_total){.rule = &catalogue->rules[r],
                                                      .catalogue = catalogue,
                                                      .verdict = ASSAY_VERDICT_COUNT};
        }
    }
    c->results.fail_on = options->fail_on;
    c->results.rules = c->rules;
    c->results.rule_count = rules;
    c->results.digests = digests;
    c->results.digest_count = options->catalogue_count;
    list_readings(c);
    return c;
}

/* --- copies --- */

static const char *copy_text(struct assay_collection *c, const char *text)
{
    return text != NULL ? assay_arena_text(&c->arena, text, strlen(text)) : NULL;
}

static const struct assay_finding *copy_finding(struct assay_collection *c,
                                                const struct assay_finding *finding)
{
    struct assay_finding *copy = assay_arena_take(&c->arena, sizeof *copy);
    const size_t values = finding->rule->evidence_count;
    uint64_t *numbers = assay_arena_take(&c->arena, (values + 1) * sizeof *numbers);
    if (copy == NULL || numbers == NULL) {
        return NULL;
    }
    memcpy(numbers, finding->values, values * sizeof *numbers);
    *copy = *finding;
    copy->values = numbers;
    copy->message = copy_text(c, finding->message);
    copy->before = copy_text(c, finding->before);
    copy->event = copy_text(c, finding->event);
    copy->after = copy_text(c, finding->after);
    return copy;
}

/* Findings of a rule in a stream. */
static enum assay_error add_findings(struct assay_collection *c, struct assay_rule_total *total,
                                     size_t *capacity, const struct assay_rule_result *result,
                                     struct assay_places *places, size_t stream)
{
    for (size_t i = 0; i < result->finding_count && total->finding_count < c->options->max_findings;
         i++) {
        struct assay_located_finding *list =
            assay_arena_grow(&c->arena, (void *)(uintptr_t)total->findings, total->finding_count,
                             capacity, sizeof *list);
        const struct assay_finding *copy =
            list != NULL ? copy_finding(c, result->findings[i]) : NULL;
        if (copy == NULL) {
            return ASSAY_NO_MEMORY;
        }
        list[total->finding_count++] =
            (struct assay_located_finding){.finding = copy,
                                           .input = c->results.input_count,
                                           .stream = stream,
                                           .offset = assay_places_find(places, copy->offset)};
        total->findings = list;
    }
    return ASSAY_OK;
}

/* The verdict over several inputs: the first of these that any of them had. */
static enum assay_verdict graver(enum assay_verdict a, enum assay_verdict b)
{
    static const enum assay_verdict order[] = {ASSAY_FAIL,           ASSAY_PASS,
                                               ASSAY_NOT_EXERCISED,  ASSAY_NOT_CHECKABLE,
                                               ASSAY_NOT_APPLICABLE, ASSAY_DESELECTED};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (a == order[i] || b == order[i]) {
            return order[i];
        }
    }
    return b;
}

static void list_missing(struct assay_collection *c, struct assay_rule_total *total,
                         const struct assay_judge *judge, size_t rule)
{
    const char *names[32];
    const size_t count = assay_judge_missing(judge, rule, names, 32);
    if (count == 0 || total->missing != NULL) {
        return;
    }
    const size_t kept = count < 32 ? count : 32;
    const char **list = assay_arena_take(&c->arena, kept * sizeof *list);
    if (list != NULL) {
        for (size_t i = 0; i < kept; i++) {
            list[i] = copy_text(c, names[i]);
        }
        total->missing = list;
        total->missing_count = kept;
    }
}

static enum assay_error add_judge(struct assay_collection *c, const struct assay_judge *judge,
                                  struct assay_places *places, size_t stream)
{
    const struct assay_catalogue *catalogue = assay_judge_catalogue(judge);
    size_t number = 0;
    while (c->options->catalogues[number] != catalogue) {
        number++;
    }
    enum assay_error error = ASSAY_OK;
    for (size_t r = 0; r < catalogue->rule_count && error == ASSAY_OK; r++) {
        const size_t at = c->first[number] + r;
        struct assay_rule_total *total = &c->rules[at];
        const struct assay_rule_result result = assay_judge_result(judge, r);
        total->verdict = graver(total->verdict, result.verdict);
        total->exercised += result.exercised;
        total->violated += result.violated;
        if (result.verdict == ASSAY_NOT_CHECKABLE) {
            list_missing(c, total, judge, r);
        }
        error = add_findings(c, total, &c->finding_capacity[at], &result, places, stream);
    }
    return error;
}

static enum assay_error add_session(struct assay_collection *c, struct assay_input_run *run,
                                    size_t stream)
{
    const struct assay_session *session = run->sessions[stream];
    struct assay_places places = {0};
    enum assay_error error = assay_places_read(&places, run, stream);
    for (size_t i = 0; i < session->judge_count && error == ASSAY_OK; i++) {
        error = add_judge(c, session->judges[i], &places, stream);
    }
    assay_places_free(&places);
    return error;
}

static const struct assay_stream_result *copy_streams(struct assay_collection *c,
                                                      const struct assay_input_result *input)
{
    struct assay_stream_result *list =
        assay_arena_take(&c->arena, (input->stream_count + 1) * sizeof *list);
    for (size_t i = 0; list != NULL && i < input->stream_count; i++) {
        const struct assay_format *format = input->streams[i].format;
        const size_t kinds = format != NULL ? format->kind_count : 0;
        const size_t layers = format != NULL ? format->layer_count : 0;
        uint64_t *events = assay_arena_take(&c->arena, (kinds + 1) * sizeof *events);
        struct assay_layer_result *of_layers =
            assay_arena_take(&c->arena, (layers + 1) * sizeof *of_layers);
        list[i] = input->streams[i];
        if (events == NULL || of_layers == NULL) {
            return NULL;
        }
        if (list[i].parameters != NULL) {
            struct assay_parameter_values *values = assay_arena_take(&c->arena, sizeof *values);
            if (values == NULL) {
                return NULL;
            }
            *values = *list[i].parameters;
            list[i].parameters = values;
        }
        if (list[i].events != NULL) {
            memcpy(events, list[i].events, kinds * sizeof *events);
        }
        for (size_t n = 0; n < layers && list[i].layers != NULL; n++) {
            of_layers[n].complete = list[i].layers[n].complete;
            of_layers[n].why = copy_text(c, list[i].layers[n].why);
        }
        list[i].events = events;
        list[i].layers = of_layers;
        list[i].profile_reason = copy_text(c, list[i].profile_reason);
    }
    return list;
}

enum assay_error assay_collect(struct assay_collection *c, struct assay_input_run *run)
{
    const struct assay_input_result *input = &run->result;
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < input->stream_count && error == ASSAY_OK; i++) {
        error = add_session(c, run, i);
    }
    c->inputs = assay_arena_grow(&c->arena, c->inputs, c->results.input_count, &c->input_room,
                                 sizeof *c->inputs);
    const struct assay_stream_result *streams = copy_streams(c, input);
    if (error != ASSAY_OK || c->inputs == NULL || streams == NULL) {
        return ASSAY_NO_MEMORY;
    }
    struct assay_input_result *copy = &c->inputs[c->results.input_count];
    *copy = *input;
    copy->streams = streams;
    copy->path = copy_text(c, input->path);
    c->results.conclusion = c->results.input_count == 0
                                ? input->conclusion
                                : assay_gravest(c->results.conclusion, input->conclusion);
    c->results.input_count++;
    c->results.inputs = c->inputs;
    return ASSAY_OK;
}

const struct assay_results *assay_collection_results(struct assay_collection *c)
{
    for (size_t r = 0; r < c->results.rule_count; r++) {
        if (c->rules[r].verdict == ASSAY_VERDICT_COUNT) {
            c->rules[r].verdict = ASSAY_NOT_EXERCISED; /* no input was of the rule's format */
        }
    }
    return &c->results;
}

void assay_collection_close(struct assay_collection *c)
{
    if (c != NULL) {
        assay_arena_free(&c->arena);
        free(c);
    }
}
