#include "validator/engine/collect.h"

#include <stdlib.h>
#include <string.h>

#include "validator/engine/tally.h"

struct assay_collection {
    const struct assay_check_options *options;
    struct assay_arena arena;
    struct assay_results results;
    struct assay_input_result *inputs;
    size_t input_room;
    struct assay_tally tally;
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
    c->options = options;
    const char **digests =
        assay_arena_take(&c->arena, (options->catalogue_count + 1) * sizeof *digests);
    if (assay_tally_open(&c->tally, options) != ASSAY_OK || digests == NULL) {
        assay_collection_close(c);
        return NULL;
    }
    for (size_t i = 0; i < options->catalogue_count; i++) {
        digests[i] = options->catalogues[i]->digest;
    }
    c->results.fail_on = options->fail_on;
    c->results.rules = c->tally.rules;
    c->results.rule_count = c->tally.rule_count;
    c->results.digests = digests;
    c->results.digest_count = options->catalogue_count;
    list_readings(c);
    return c;
}

static const char *copy_text(struct assay_collection *c, const char *text)
{
    return text != NULL ? assay_arena_text(&c->arena, text, strlen(text)) : NULL;
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
        if (list[i].uncompared != NULL) {
            struct assay_uncompared *uncompared = assay_arena_take(&c->arena, sizeof *uncompared);
            if (uncompared == NULL) {
                return NULL;
            }
            *uncompared = *list[i].uncompared;
            list[i].uncompared = uncompared;
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
        list[i].unjudged = copy_text(c, list[i].unjudged);
    }
    return list;
}

static const struct assay_file_result *copy_files(struct assay_collection *c,
                                                  const struct assay_input_result *input)
{
    struct assay_file_result *list =
        assay_arena_take(&c->arena, (input->file_count + 1) * sizeof *list);
    for (size_t i = 0; list != NULL && i < input->file_count; i++) {
        list[i] = input->files[i];
        list[i].path = copy_text(c, input->files[i].path);
    }
    return list;
}

enum assay_error assay_collect(struct assay_collection *c, const struct assay_input_run *run)
{
    const struct assay_input_result *input = &run->result;
    const enum assay_error error =
        input->conclusion != ASSAY_UNREADABLE
            ? assay_tally_merge(&c->tally, &run->tally, c->results.input_count)
            : ASSAY_OK;
    c->inputs = assay_arena_grow(&c->arena, c->inputs, c->results.input_count, &c->input_room,
                                 sizeof *c->inputs);
    const struct assay_stream_result *streams = copy_streams(c, input);
    const struct assay_file_result *files = copy_files(c, input);
    if (error != ASSAY_OK || c->inputs == NULL || streams == NULL || files == NULL) {
        return ASSAY_NO_MEMORY;
    }
    struct assay_input_result *copy = &c->inputs[c->results.input_count];
    *copy = *input;
    copy->streams = streams;
    copy->files = files;
    copy->path = copy_text(c, input->path);
    c->results.conclusion = c->results.input_count == 0
                                ? input->conclusion
                                : assay_most_severe(c->results.conclusion, input->conclusion);
    c->results.input_count++;
    c->results.inputs = c->inputs;
    return ASSAY_OK;
}

const struct assay_results *assay_collection_results(struct assay_collection *c)
{
    for (size_t r = 0; r < c->results.rule_count; r++) {
        if (c->tally.rules[r].verdict == ASSAY_VERDICT_COUNT) {
            c->tally.rules[r].verdict = ASSAY_NOT_EXERCISED; /* no input was of the rule's format */
        }
    }
    return &c->results;
}

void assay_collection_close(struct assay_collection *c)
{
    if (c != NULL) {
        assay_tally_close(&c->tally);
        assay_arena_free(&c->arena);
        free(c);
    }
}
