#include "validator/engine/collect.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "validator/engine/shared.h"
#include "validator/engine/tally.h"

struct assay_collection {
    const struct assay_check_options *options;
    struct assay_arena arena;
    struct assay_shared shared; /* what streams say */
    struct assay_results results;
    struct assay_input_result *inputs; /* of malloc: the longest list, which moves as it grows */
    size_t input_room;
    struct assay_tally tally;
    size_t overviews[2]; /* that are kept (assay_keeps_overview) */
};

const char *assay_skip_reason_name(enum assay_skip_reason reason)
{
    static const char *const names[ASSAY_SKIP_REASON_COUNT] = {
#define X(id, name, text) name,
        ASSAY_SKIP_REASONS(X)
#undef X
    };
    return names[reason];
}

const char *assay_skip_reason_text(enum assay_skip_reason reason)
{
    static const char *const texts[ASSAY_SKIP_REASON_COUNT] = {
#define X(id, name, text) text,
        ASSAY_SKIP_REASONS(X)
#undef X
    };
    return texts[reason];
}

const char *assay_conclusion_name(enum assay_conclusion conclusion)
{
    static const char *const names[ASSAY_CONCLUSION_COUNT] = {"conforms", "violates", "incomplete",
                                                              "unreadable"};
    return names[conclusion];
}

/* False when memory is out. */
static bool list_readings(struct assay_collection *c)
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
    return used != NULL;
}

struct assay_collection *assay_collection_open(const struct assay_check_options *options)
{
    struct assay_collection *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    c->options = options;
    c->shared.arena = &c->arena;
    const char **digests =
        assay_arena_take(&c->arena, (options->catalogue_count + 1) * sizeof *digests);
    if (assay_tally_open(&c->tally, options) != ASSAY_OK || digests == NULL || !list_readings(c)) {
        assay_collection_close(c);
        return NULL;
    }
    for (size_t i = 0; i < options->catalogue_count; i++) {
        digests[i] = options->catalogues[i]->digest;
    }
    c->results.fail_on = options->fail_on;
    c->results.waiver_list = options->waivers;
    c->results.rules = c->tally.rules;
    c->results.rule_count = c->tally.rule_count;
    c->results.digests = digests;
    c->results.digest_count = options->catalogue_count;
    return c;
}

static const char *copy_text(struct assay_collection *c, const char *text)
{
    return text != NULL ? assay_arena_text(&c->arena, text, strlen(text)) : NULL;
}

/* A copy of `size` bytes; null for nothing, or when memory is out. */
static void *copy_bytes(struct assay_collection *c, const void *bytes, size_t size)
{
    void *copy = bytes != NULL ? assay_arena_take(&c->arena, size + 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

/* The same for what is alike for many inputs. */
static const void *share_bytes(struct assay_collection *c, const void *bytes, size_t size)
{
    return bytes != NULL ? assay_shared_copy(&c->shared, bytes, size) : NULL;
}

bool assay_keeps_overview(const struct assay_stream_result *stream, size_t kept[2])
{
    static const size_t most[2] = {ASSAY_MOST_OVERVIEWS_OTHER, ASSAY_MOST_OVERVIEWS};
    const unsigned violates = stream->violations > 0;
    const bool keeps = stream->overview != NULL && kept[violates] < most[violates];
    kept[violates] += keeps;
    return keeps;
}

/* The overview of a stream, unless enough are kept. */
static bool own_overview(struct assay_collection *c, struct assay_stream_result *stream)
{
    const bool keeps = assay_keeps_overview(stream, c->overviews);
    stream->overview = keeps ? assay_overview_copy(stream->overview, &c->arena) : NULL;
    return !keeps || stream->overview != NULL;
}

static const struct assay_facts_used *own_facts(struct assay_collection *c,
                                                const struct assay_facts_used *from)
{
    struct assay_facts_used *own = copy_bytes(c, from, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    own->facts = copy_text(c, own->facts);
    bool whole = own->facts != NULL;
    for (unsigned i = 0; i < ASSAY_TABLE_COUNT; i++) {
        own->tables[i] = copy_text(c, own->tables[i]);
        whole = whole && (own->tables[i] == NULL) == (from->tables[i] == NULL);
    }
    return whole ? own : NULL;
}

/* Makes all that the result of a stream points to the collection's. */
static bool own_stream(struct assay_collection *c, struct assay_stream_result *stream)
{
    const struct assay_stream_result from = *stream;
    const size_t kinds = from.format != NULL ? from.format->kind_count : 0;
    const size_t layers = from.format != NULL ? from.format->layer_count : 0;
    struct assay_layer_result *of_layers = copy_bytes(c, from.layers, layers * sizeof *of_layers);
    for (size_t n = 0; n < layers && of_layers != NULL; n++) {
        of_layers[n].why = copy_text(c, of_layers[n].why);
    }
    stream->layers = of_layers;
    stream->events = share_bytes(c, from.events, kinds * sizeof *from.events);
    stream->parameters = copy_bytes(c, from.parameters, sizeof *from.parameters);
    stream->facts = own_facts(c, from.facts);
    stream->uncompared = copy_bytes(c, from.uncompared, sizeof *from.uncompared);
    stream->verdicts = share_bytes(c, from.verdicts, c->results.rule_count);
    stream->outcomes = share_bytes(c, from.outcomes, from.outcome_count * sizeof *from.outcomes);
    stream->profile_reason = copy_text(c, from.profile_reason);
    stream->unjudged = copy_text(c, from.unjudged);
    stream->error = copy_bytes(c, from.error, sizeof *from.error);
    stream->unlocated = copy_bytes(c, from.unlocated, sizeof *from.unlocated);
    return own_overview(c, stream) && (from.layers == NULL) == (stream->layers == NULL) &&
           (from.events == NULL) == (stream->events == NULL) &&
           (from.parameters == NULL) == (stream->parameters == NULL) &&
           (from.facts == NULL) == (stream->facts == NULL) &&
           (from.uncompared == NULL) == (stream->uncompared == NULL) &&
           (from.verdicts == NULL) == (stream->verdicts == NULL) &&
           (from.outcomes == NULL) == (stream->outcomes == NULL) &&
           (from.unjudged == NULL) == (stream->unjudged == NULL) &&
           (from.error == NULL) == (stream->error == NULL) &&
           (from.unlocated == NULL) == (stream->unlocated == NULL);
}

static const struct assay_stream_result *copy_streams(struct assay_collection *c,
                                                      const struct assay_input_result *input)
{
    struct assay_stream_result *list =
        assay_arena_take(&c->arena, input->stream_count * sizeof *list + 1);
    for (size_t i = 0; list != NULL && i < input->stream_count; i++) {
        list[i] = input->streams[i];
        if (!own_stream(c, &list[i])) {
            return NULL;
        }
    }
    return list;
}

static const struct assay_file_result *copy_files(struct assay_collection *c,
                                                  const struct assay_input_result *input)
{
    struct assay_file_result *list =
        assay_arena_take(&c->arena, input->file_count * sizeof *list + 1);
    for (size_t i = 0; list != NULL && i < input->file_count; i++) {
        list[i] = input->files[i];
        list[i].path = copy_text(c, input->files[i].path);
        list[i].no_digest = copy_text(c, input->files[i].no_digest);
    }
    return list;
}

static const struct assay_evidence *copy_evidence(struct assay_collection *c,
                                                  const struct assay_input_result *input)
{
    struct assay_evidence *list =
        assay_arena_take(&c->arena, input->evidence_count * sizeof *list + 1);
    for (size_t i = 0; list != NULL && i < input->evidence_count; i++) {
        list[i] = input->evidence[i];
        list[i].path = copy_text(c, input->evidence[i].path);
        list[i].no_digest = copy_text(c, input->evidence[i].no_digest);
    }
    return list;
}

/* For one more input. */
static bool make_room(struct assay_collection *c)
{
    enum { FIRST_ROOM = 16 };
    if (c->results.input_count < c->input_room) {
        return true;
    }
    const size_t room = c->input_room > 0 ? 2 * c->input_room : FIRST_ROOM;
    struct assay_input_result *inputs =
        room <= SIZE_MAX / sizeof *inputs ? realloc(c->inputs, room * sizeof *inputs) : NULL;
    if (inputs != NULL) {
        c->inputs = inputs;
        c->input_room = room;
        c->results.inputs = inputs;
    }
    return inputs != NULL;
}

enum assay_error assay_collect(struct assay_collection *c, const struct assay_input_run *run)
{
    const struct assay_input_result *input = &run->result;
    const enum assay_error error =
        input->stream_count > 0 ? assay_tally_merge(&c->tally, &run->tally, c->results.input_count)
                                : ASSAY_OK;
    const struct assay_stream_result *streams = copy_streams(c, input);
    const struct assay_file_result *files = copy_files(c, input);
    const struct assay_evidence *evidence = copy_evidence(c, input);
    if (error != ASSAY_OK || !make_room(c) || streams == NULL || files == NULL ||
        evidence == NULL) {
        return ASSAY_NO_MEMORY;
    }
    struct assay_input_result *copy = &c->inputs[c->results.input_count];
    *copy = *input;
    copy->streams = streams;
    copy->files = files;
    copy->evidence = evidence;
    copy->no_digest = copy_text(c, input->no_digest);
    copy->path = copy_text(c, input->path);
    c->results.conclusion = c->results.input_count == 0
                                ? input->conclusion
                                : assay_most_severe(c->results.conclusion, input->conclusion);
    c->results.input_count++;
    c->results.findings_dropped = c->tally.findings_dropped;
    return ASSAY_OK;
}

/* Whether a waiver is of a rule that was not left out. */
static bool judges_waived(const struct assay_check_options *options,
                          const struct assay_waiver *waiver)
{
    for (size_t i = 0; i < options->catalogue_count; i++) {
        const bool *deselected = options->deselected != NULL ? options->deselected[i] : NULL;
        for (size_t r = 0; r < options->catalogues[i]->rule_count; r++) {
            if (waiver->rules[i][r] && (deselected == NULL || !deselected[r])) {
                return true;
            }
        }
    }
    return false;
}

static void list_waivers(struct assay_collection *c)
{
    const struct assay_waivers *waivers = c->options->waivers;
    const size_t count = waivers != NULL ? waivers->count : 0;
    struct assay_waiver_used *list = assay_arena_take(&c->arena, (count + 1) * sizeof *list);
    for (size_t i = 0; list != NULL && i < count; i++) {
        list[i] =
            (struct assay_waiver_used){.waiver = &waivers->list[i],
                                       .waived = c->tally.waived[i],
                                       .judged = judges_waived(c->options, &waivers->list[i])};
        c->results.waiver_count = i + 1;
    }
    c->results.waivers = list;
}

const struct assay_results *assay_collection_so_far(const struct assay_collection *c)
{
    return &c->results;
}

const struct assay_results *assay_collection_results(struct assay_collection *c)
{
    list_waivers(c);
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
        free(c->inputs);
        free(c);
    }
}
