#include "validator/engine/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/stop.h"
#include "common/yaml.h"
#include "execution/execution.h"
#include "execution/uncompared.h"
#include "image/image.h"
#include "io/source.h"
#include "model/framing.h"
#include "validator/engine/ahead.h"

enum { PROGRESS_BYTES = 16 << 20 };

static void tell_found(void *context, const struct assay_catalogue *catalogue,
                       const struct assay_finding *finding)
{
    const struct assay_session *s = context;
    if (finding->rule->diagnosis) {
        return; /* it is no violation */
    }
    s->found(s->found_context, s, catalogue, finding);
}

static enum assay_error open_judge(struct assay_session *s, size_t catalogue, uint8_t given,
                                   struct assay_diag *diag)
{
    const struct assay_check_options *options = s->options;
    const struct assay_judge_settings settings = {
        .catalogue = options->catalogues[catalogue],
        .facts = s->setup->facts,
        .parameters = s->result.parameters,
        .readings = options->readings != NULL ? options->readings[catalogue] : NULL,
        .deselected = options->deselected != NULL ? options->deselected[catalogue] : NULL,
        .given = given,
        .max_findings = options->max_findings,
        .decoding = s->setup->format->decoder,
        .decoder = s->decoder,
        .evaluate = options->evaluate,
        .found = s->found != NULL ? tell_found : NULL,
        .found_context = s,
    };
    const enum assay_error error = assay_judge_open(&settings, &s->judges[s->judge_count], diag);
    s->judge_count += error == ASSAY_OK;
    return error;
}

static enum assay_error open_judges(struct assay_session *s, uint8_t given, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    s->judges = calloc(s->options->catalogue_count + 1, sizeof(struct assay_judge *));
    if (s->judges == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    for (size_t i = 0; i < s->options->catalogue_count && error == ASSAY_OK; i++) {
        if (s->options->catalogues[i]->format == s->setup->format) {
            error = open_judge(s, i, given, diag);
        }
    }
    return error;
}

static enum assay_error judge_block(struct assay_session *s, const struct assay_block *block)
{
    enum assay_error error = ASSAY_OK;
    if (s->options->show != NULL) {
        s->options->show(s->options->show_context, &s->result, block);
    }
    if (s->sampler != NULL) {
        assay_sampler_add(s->sampler, block);
    }
    for (size_t i = 0; i < s->judge_count && error == ASSAY_OK; i++) {
        if (s->found != NULL) {
            assay_judge_profile(s->judges[i], assay_decoder_profile(s->setup->format, s->decoder));
        }
        error = assay_judge_events(s->judges[i], block->events, block->count);
    }
    return error;
}

/* The next block; none at the end. What a decoder gave while it was interrupted may be of bytes
 * that seemed to end early, and is not judged. */
static enum assay_error next_block(struct assay_session *s, struct assay_block *block,
                                   struct assay_diag *diag)
{
    enum assay_error error = s->ahead != NULL
                                 ? assay_ahead_next(s->ahead, block, diag)
                                 : s->setup->format->decoder->next(s->decoder, block, diag);
    if (error != ASSAY_NO_MEMORY && assay_stop_requested(s->options->stop) &&
        (error != ASSAY_OK || block->count > 0)) {
        s->interrupted = true;
        *block = (struct assay_block){0};
        error = ASSAY_OK;
    }
    return error;
}

static void end_ahead(struct assay_session *s)
{
    assay_ahead_close(s->ahead);
    s->ahead = NULL;
}

static enum assay_error judge_blocks(struct assay_session *s, struct assay_diag *diag)
{
    struct assay_block block = {0};
    uint64_t reported = 0;
    enum assay_error error;
    while ((error = next_block(s, &block, diag)) == ASSAY_OK && block.count > 0) {
        if (block.layer >= s->layers) {
            continue; /* the decoder gives it all the same */
        }
        error = judge_block(s, &block);
        if (error != ASSAY_OK) {
            break;
        }
        if (block.layer != 0) {
            continue; /* what came from events of long ago says nothing of how far it is */
        }
        s->last_offset = block.events[block.count - 1].offset;
        if (s->progress != NULL && s->last_offset - reported >= PROGRESS_BYTES) {
            reported = s->last_offset;
            s->progress(s->progress_context, s->last_offset);
        }
    }
    return error;
}

/* Afterwards only this thread uses the decoder. */
static enum assay_error judge_all(struct assay_session *s, struct assay_diag *diag)
{
    if (s->ahead != NULL && !assay_ahead_begin(s->ahead, s->setup->format->decoder, s->decoder)) {
        end_ahead(s);
    }
    const enum assay_error error = judge_blocks(s, diag);
    end_ahead(s);
    return error;
}

static const char *copy_text(struct assay_session *s, const char *text)
{
    return text != NULL ? assay_arena_text(s->arena, text, strlen(text)) : NULL;
}

/* Why a layer is not complete: its events depend on a parameter that nobody gave. Or null. */
static const char *guessed(struct assay_session *s, unsigned layer)
{
    const char *name = assay_parameters_guessed(s->result.parameters, layer);
    char text[160];
    if (name == NULL) {
        return NULL;
    }
    snprintf(text, sizeof text, "the parameter %s is not known", name);
    return copy_text(s, text);
}

/* What the decoder says at the end. */
static enum assay_error ask_decoder(struct assay_session *s)
{
    const struct assay_format *format = s->setup->format;
    struct assay_stream_result *result = &s->result;
    struct assay_layer_result *layers =
        assay_arena_take(s->arena, format->layer_count * sizeof *layers);
    if (layers == NULL) {
        return ASSAY_NO_MEMORY;
    }
    result->complete = true;
    for (unsigned i = 0; i < format->layer_count; i++) {
        const char *why = NULL;
        if (i >= s->layers) {
            layers[i] = (struct assay_layer_result){.left_out = true};
            continue;
        }
        layers[i].complete = format->decoder->complete(s->decoder, i, &why);
        layers[i].why = copy_text(s, why);
        why = s->interrupted ? "the run was interrupted" : guessed(s, i);
        if (why != NULL) {
            layers[i] = (struct assay_layer_result){.complete = false, .why = why};
        }
        result->complete = result->complete && layers[i].complete;
    }
    result->layers = layers;
    result->profile = assay_decoder_profile(format, s->decoder);
    result->profile_reason = format->decoder->profile_reason != NULL
                                 ? copy_text(s, format->decoder->profile_reason(s->decoder))
                                 : NULL;
    for (size_t i = 0; i < s->judge_count; i++) {
        assay_judge_profile(s->judges[i], result->profile);
        for (unsigned layer = 0; layer < s->layers; layer++) {
            if (!layers[layer].complete) {
                assay_judge_partial(s->judges[i], layer);
            }
        }
    }
    return ASSAY_OK;
}

/* Without rules nobody has counted. */
static enum assay_error keep_counts(struct assay_session *s)
{
    const size_t size = s->setup->format->kind_count * sizeof(uint64_t);
    uint64_t *counts = assay_arena_take(s->arena, size);
    if (counts == NULL) {
        return ASSAY_NO_MEMORY;
    }
    if (s->judge_count > 0) {
        memcpy(counts, assay_judge_counts(s->judges[0]), size);
    }
    s->result.events = counts;
    return ASSAY_OK;
}

static enum assay_error open_sampler(struct assay_session *s, struct assay_diag *diag)
{
    s->sampler = s->options->overview ? assay_sampler_open(s->setup->format) : NULL;
    return s->options->overview && s->sampler == NULL
               ? assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory")
               : ASSAY_OK;
}

static enum assay_error end_sampler(struct assay_session *s)
{
    if (s->sampler == NULL) {
        return ASSAY_OK;
    }
    s->result.overview = assay_sampler_end(s->sampler, s->arena);
    return s->result.overview != NULL ? ASSAY_OK : ASSAY_NO_MEMORY;
}

static void conclude(struct assay_session *s)
{
    bool violated = false;
    for (size_t i = 0; i < s->judge_count; i++) {
        const struct assay_catalogue *catalogue = assay_judge_catalogue(s->judges[i]);
        for (size_t r = 0; r < catalogue->rule_count; r++) {
            const struct assay_rule_result result = assay_judge_result(s->judges[i], r);
            if (catalogue->rules[r].diagnosis) {
                continue;
            }
            s->result.exercised += result.exercised;
            s->result.violations += result.violated;
            violated = violated || (result.violated > 0 && !s->options->never_fail &&
                                    catalogue->rules[r].level >= s->options->fail_on);
        }
    }
    const bool judged = s->result.complete && s->result.exercised > 0 && s->last_offset > 0;
    s->result.conclusion = violated ? ASSAY_VIOLATES : judged ? ASSAY_CONFORMS : ASSAY_INCOMPLETE;
}

/* Images are for whoever reads them: all streams of a capture are given the same. */
static enum assay_error check_images(const struct assay_stream_setup *setup,
                                     struct assay_diag *diag)
{
    const struct assay_format *format = setup->format;
    if (setup->images == NULL) {
        return ASSAY_OK;
    }
    if (!format->reads_images && format->carrier == NULL && !setup->has_id) {
        assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET, "streams of %s are read without images",
                   format->name);
        if (assay_image_count(setup->images) > 0) {
            assay_diag_path(diag, assay_image_info(setup->images, 0)->path);
        }
        return ASSAY_USAGE;
    }
    return assay_image_check_machines(setup->images, format->machines, format->machine_count, diag);
}

/* What the frames of a capture say of a stream is known, whatever is configured. */
static void take_source_id(const struct assay_stream_setup *setup,
                           struct assay_parameter_values *values)
{
    for (size_t i = 0; setup->source_id != 0 && i < values->table->count; i++) {
        if (values->table->list[i].source_id) {
            values->value[i] = setup->source_id;
            values->known[i] = true;
            values->site[i] = (struct assay_parameter_site){.origin = ASSAY_PARAMETER_STREAM,
                                                            .offset = ASSAY_NO_OFFSET};
        }
    }
}

/* The readings of a vector that decoder and encoder follow; the others are for rules. */
static void read_as(const struct assay_stream_setup *setup, struct assay_parameter_values *values)
{
    const struct assay_yaml *map = setup->interpret;
    for (size_t i = 0; map != NULL && map->type == ASSAY_YAML_MAP && i < map->count; i++) {
        const struct assay_yaml *reading = map->items[2 * i + 1];
        const int number = assay_parameter_by_name(values->table, map->items[2 * i]->text);
        uint64_t value = 0;
        if (number >= 0 && values->table->list[number].is_reading && reading->text != NULL &&
            assay_enum_value(values->table->list[number].names, reading->text, &value)) {
            assay_parameter_default(values, (size_t)number, value);
        }
    }
}

enum assay_error assay_configure(const struct assay_stream_setup *setup,
                                 struct assay_parameter_values *values, struct assay_diag *diag)
{
    const struct assay_format *format = setup->format;
    if (!assay_format_framed(format, setup->framing)) {
        return assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
                          "streams of %s have no framing \"%s\"", format->name,
                          assay_framing_name(setup->framing));
    }
    const enum assay_error images = check_images(setup, diag);
    if (images != ASSAY_OK) {
        return images;
    }
    if (format->parameters == NULL) {
        if (setup->config_file == NULL && setup->config == NULL) {
            return ASSAY_OK;
        }
        const char *path = setup->config_file != NULL ? setup->config_file : setup->config_path;
        assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET,
                   "is not used, since streams of %s have no parameters", format->name);
        assay_diag_path(diag, path);
        return ASSAY_USAGE;
    }
    assay_parameters_init(values, format->parameters);
    enum assay_error error = ASSAY_OK;
    if (setup->config_file != NULL) {
        error = assay_parameters_load(values, setup->config_file, diag);
    }
    if (error == ASSAY_OK && setup->config != NULL) {
        error = assay_parameters_read(values, setup->config_path, setup->config, diag);
    }
    take_source_id(setup, values);
    read_as(setup, values);
    if (error == ASSAY_OK) {
        const unsigned profile = setup->profile;
        error = assay_parameters_profile(
            values, profile, profile > 0 ? format->profiles[profile - 1].name : NULL, diag);
    }
    if (error == ASSAY_OK) {
        assay_parameters_settle(values);
        error = assay_parameters_check(values, diag);
    }
    return error;
}

/* A recording that cannot be that of the trace is the fault of who gave it. */
static enum assay_error check_recording(const struct assay_session *s, struct assay_diag *diag)
{
    const struct assay_uncompared *uncompared = s->result.uncompared;
    return uncompared == NULL || uncompared->wrong[0] == '\0'
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_USAGE, ASSAY_NO_OFFSET, "%s", uncompared->wrong);
}

/* What is given besides the trace. */
static uint8_t given(const struct assay_session *s, bool executed)
{
    const bool config = s->setup->config_file != NULL || s->setup->config != NULL;
    return (uint8_t)(ASSAY_NEED_ISA | (config ? ASSAY_NEED_CONFIG : 0) |
                     (s->setup->images != NULL ? ASSAY_NEED_IMAGE : 0) |
                     (executed ? ASSAY_NEED_EXECUTION : 0));
}

/* What the rules that are selected are about. */
struct demand {
    unsigned layers; /* how many, from the lowest on; 0: no rule of the format is selected */
    bool execution;
};

static void add_demand(struct demand *demand, const struct assay_catalogue *c,
                       const bool *deselected)
{
    for (size_t r = 0; r < c->rule_count; r++) {
        const unsigned kind = assay_kinds_next(&c->rules[r].kinds, 0); /* all are of one layer */
        if (deselected != NULL && deselected[r]) {
            continue;
        }
        demand->execution = demand->execution || (c->rules[r].needs & ASSAY_NEED_EXECUTION) != 0;
        if (kind < c->format->kind_count && c->format->kinds[kind].layer >= demand->layers) {
            demand->layers = c->format->kinds[kind].layer + 1u;
        }
    }
}

/* Layers up to the highest one that a selected rule is about are decoded, and a recorded execution
 * is compared if one needs it; everything if that is for somebody else than rules. */
static struct demand demand_of(const struct assay_session *s, bool executed)
{
    const struct assay_check_options *options = s->options;
    const struct assay_format *format = s->setup->format;
    struct demand demand = {0, format->reads_execution};
    if (options->show != NULL || options->catalogue_count == 0) {
        return (struct demand){(unsigned)format->layer_count, true};
    }
    for (size_t i = 0; i < options->catalogue_count; i++) {
        if (options->catalogues[i]->format == format) {
            add_demand(&demand, options->catalogues[i],
                       options->deselected != NULL ? options->deselected[i] : NULL);
        }
    }
    if (format->carrier != NULL || (executed && demand.execution)) {
        demand.layers = (unsigned)format->layer_count;
    }
    demand.layers = demand.layers > 0 ? demand.layers : 1;
    return demand;
}

/* What is shown may ask the decoder; blocks of one layer are judged faster than threads are woken.
 */
static bool decodes_ahead(const struct assay_session *s)
{
    const struct assay_check_options *options = s->options;
    return s->threaded && s->layers > 1 && !options->in_step && options->show == NULL;
}

static enum assay_error open_decoder(struct assay_session *s, struct assay_source *source,
                                     struct assay_execution *execution, struct assay_diag *diag)
{
    const struct assay_format *format = s->setup->format;
    struct assay_parameter_values *values =
        format->parameters != NULL ? assay_arena_take(s->arena, sizeof *values) : NULL;
    struct assay_uncompared *uncompared =
        execution != NULL ? assay_arena_take(s->arena, sizeof *uncompared) : NULL;
    enum assay_error error =
        (format->parameters != NULL && values == NULL) || (execution != NULL && uncompared == NULL)
            ? ASSAY_NO_MEMORY
            : assay_configure(s->setup, values, diag);
    error = error ? error : assay_facts_use(format, s->setup->facts, s->arena, &s->result.facts);
    if (error != ASSAY_OK) {
        assay_source_close(source);
        assay_execution_close(execution);
        return error;
    }
    const struct demand demand = demand_of(s, execution != NULL);
    for (size_t i = 0; s->options->readings != NULL && i < s->options->catalogue_count; i++) {
        assay_readings_follow(s->options->catalogues[i], s->options->readings[i], values);
    }
    if (uncompared != NULL) {
        *uncompared = (struct assay_uncompared){.wrong = "", .left_out = !demand.execution};
    }
    if (!demand.execution) {
        assay_execution_close(execution);
        execution = NULL;
    }
    s->result.uncompared = uncompared;
    s->layers = demand.layers;
    s->ahead = decodes_ahead(s) ? assay_ahead_open() : NULL;
    s->asked = assay_asked_by(format, s->options->catalogues, s->options->catalogue_count,
                              s->options->evaluate);
    const struct assay_decode_input input = {.source = source,
                                             .execution = execution,
                                             .execution_thread = s->setup->execution_thread,
                                             .uncompared = uncompared,
                                             .facts = s->setup->facts,
                                             .parameters = values,
                                             .images = s->setup->images,
                                             .conditions = &s->asked.conditions,
                                             .framing = s->setup->framing,
                                             .profile = s->setup->profile,
                                             .layers = s->layers,
                                             .threaded = s->threaded,
                                             .lead = s->ahead != NULL ? assay_ahead_lead(s->ahead)
                                                                      : NULL};
    error = format->decoder->open(&input, &s->decoder, diag);
    /* The stream may have added what does not go together with the configuration. */
    error = error == ASSAY_OK && values != NULL ? assay_parameters_check(values, diag) : error;
    s->result.parameters = values;
    return error;
}

enum assay_error assay_session_run(struct assay_session *s, struct assay_source *source,
                                   struct assay_execution *execution, struct assay_diag *diag)
{
    const uint8_t beside = given(s, execution != NULL);
    assay_source_watch(source, &s->filtered);
    enum assay_error error = open_decoder(s, source, execution, diag);
    error = error != ASSAY_OK ? error : check_recording(s, diag);
    error = error != ASSAY_OK ? error : open_judges(s, beside, diag);
    error = error != ASSAY_OK ? error : open_sampler(s, diag);
    error = error != ASSAY_OK ? error : judge_all(s, diag);
    error = error != ASSAY_OK ? error : check_recording(s, diag);
    error = error != ASSAY_OK ? error : ask_decoder(s);
    error = error != ASSAY_OK ? error : keep_counts(s);
    error = error != ASSAY_OK ? error : end_sampler(s);
    if (error == ASSAY_OK) {
        conclude(s);
    }
    return error;
}

void assay_session_close(struct assay_session *s)
{
    for (size_t i = 0; i < s->judge_count; i++) {
        assay_judge_close(s->judges[i]);
    }
    free(s->judges);
    assay_sampler_close(s->sampler);
    end_ahead(s);
    if (s->decoder != NULL) {
        s->setup->format->decoder->close(s->decoder);
    }
    s->judges = NULL;
    s->judge_count = 0;
    s->sampler = NULL;
    s->decoder = NULL;
}
