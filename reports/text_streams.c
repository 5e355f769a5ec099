/* The streams of inputs: what they were judged as, what of them was not judged, and by which
 * parameters and readings. */
#include <inttypes.h>
#include <string.h>

#include "reports/text.h"
#include "reports/walk.h"

static void put_note(struct assay_page *page, const char *text)
{
    assay_page_line(page, 0, 0);
    assay_page_put(page, ASSAY_INK_PLAIN, text);
}

static const char *profile_of(const struct assay_stream_result *stream)
{
    return stream->format != NULL ? stream->format->profiles[stream->profile].name : NULL;
}

/* Why it was that profile. */
static void put_reason(struct assay_page *page, const struct assay_stream_result *stream,
                       const char *format)
{
    if (stream->profile_reason != NULL) {
        assay_page_format(page, ASSAY_INK_PLAIN, format, stream->profile_reason);
    }
}

/* Whether a stream is one that a verdict is about: all, but for a violation only those that
 * have one. */
static bool is_concerned(const struct assay_input_result *input,
                         const struct assay_stream_result *stream)
{
    return profile_of(stream) != NULL &&
           (input->stream_count == 1 || input->conclusion != ASSAY_VIOLATES ||
            stream->conclusion == ASSAY_VIOLATES);
}

/* The next stream from number n on that the verdict is about, with another profile than those
 * before it; stream_count if there is none. */
static size_t next_profile(const struct assay_input_result *input, size_t n)
{
    for (; n < input->stream_count; n++) {
        bool known = !is_concerned(input, &input->streams[n]);
        for (size_t before = 0; before < n && !known; before++) {
            known = is_concerned(input, &input->streams[before]) &&
                    profile_of(&input->streams[before]) == profile_of(&input->streams[n]);
        }
        if (!known) {
            break;
        }
    }
    return n;
}

void assay_text_profiles(struct assay_page *page, const struct assay_input_result *input)
{
    const size_t first = next_profile(input, 0);
    for (size_t n = first; n < input->stream_count;) {
        const size_t next = next_profile(input, n + 1);
        assay_page_firm(page, ASSAY_INK_PLAIN,
                        n == first                    ? ""
                        : next == input->stream_count ? " and "
                                                      : ", ");
        assay_page_firm(page, ASSAY_INK_PLAIN, profile_of(&input->streams[n]));
        n = next;
    }
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* " in capture.bin"; nothing where there is only one input. */
static void put_input(struct assay_page *page, const struct assay_results *results, size_t input)
{
    if (results->input_count > 1) {
        assay_page_put(page, ASSAY_INK_PLAIN, " in ");
        assay_page_name(page, ASSAY_INK_STRONG, results->inputs[input].path);
    }
}

/* " of source 0x10 in capture.bin": which of several streams and inputs; nothing where there is
 * only one. */
static void put_stream(struct assay_page *page, const struct assay_results *results, size_t input,
                       const struct assay_stream_result *stream)
{
    if (stream->has_id) {
        assay_page_format(page, ASSAY_INK_PLAIN, " of source 0x%" PRIx32, stream->id);
    }
    put_input(page, results, input);
}

/* Why a stream, or a layer of it, was not judged whole: null if it was. */
typedef const char *reason_of(const struct assay_stream_result *stream, size_t layer);

/* Whether a layer has the reason of the one below it, with which it is told. */
static bool goes_on(const struct assay_stream_result *stream, reason_of *reason, size_t layer)
{
    return layer > 0 && same_text(reason(stream, layer - 1), reason(stream, layer));
}

/* Whether two streams of a format have the same reasons, from a layer on. */
static bool are_alike(const struct assay_stream_result *a, const struct assay_stream_result *b,
                      reason_of *reason, size_t layer)
{
    const size_t count = a->format != NULL ? a->format->layer_count : layer + 1;
    bool alike = goes_on(a, reason, layer) == goes_on(b, reason, layer);
    for (; layer < count && alike; layer++) {
        alike = same_text(reason(a, layer), reason(b, layer));
    }
    return alike;
}

/* The number of the next stream from n on that a capture carries with the reasons that stream
 * `like` has; stream_count if there is none. */
static size_t next_alike(const struct assay_input_result *input, size_t n, size_t like,
                         reason_of *reason, size_t layer)
{
    const struct assay_stream_result *streams = input->streams;
    while (n < input->stream_count &&
           !(streams[n].has_id && streams[n].format == streams[like].format &&
             are_alike(&streams[n], &streams[like], reason, layer))) {
        n++;
    }
    return n;
}

/* Whether nothing is to be said of a stream: it has no such reason, or was named with an earlier
 * one. */
static bool is_said(const struct assay_input_result *input, size_t n, reason_of *reason,
                    size_t layer)
{
    return reason(&input->streams[n], layer) == NULL ||
           (input->streams[n].has_id && next_alike(input, 0, n, reason, layer) < n);
}

/* The same as put_stream of the streams that have one reason. */
static void put_alike(struct assay_page *page, const struct assay_results *results, size_t number,
                      size_t n, reason_of *reason, size_t layer)
{
    const struct assay_input_result *input = &results->inputs[number];
    size_t next =
        input->streams[n].has_id ? next_alike(input, n + 1, n, reason, layer) : input->stream_count;
    if (next == input->stream_count) {
        put_stream(page, results, number, &input->streams[n]);
        return;
    }
    assay_page_format(page, ASSAY_INK_PLAIN, " of each of the sources 0x%" PRIx32,
                      input->streams[n].id);
    for (; next < input->stream_count; next = next_alike(input, next + 1, n, reason, layer)) {
        assay_page_format(page, ASSAY_INK_PLAIN, ", 0x%" PRIx32, input->streams[next].id);
    }
    put_input(page, results, number);
}

/* Of a capture: what the streams are that it carries, those alike together. */
static void put_carried(struct assay_page *page, const struct assay_results *results, size_t number)
{
    const struct assay_input_result *input = &results->inputs[number];
    const struct assay_stream_result *group = NULL;
    for (size_t n = 0; n < input->stream_count; n++) {
        const struct assay_stream_result *stream = &input->streams[n];
        if (!stream->has_id || stream->format == NULL) {
            continue;
        }
        if (group != NULL && stream->format == group->format && stream->profile == group->profile &&
            same_text(stream->profile_reason, group->profile_reason)) {
            assay_page_format(page, ASSAY_INK_PLAIN, ", 0x%" PRIx32, stream->id);
            continue;
        }
        if (group == NULL) {
            put_note(page, "Streams");
            if (results->input_count > 1) {
                assay_page_put(page, ASSAY_INK_PLAIN, " of ");
                assay_page_name(page, ASSAY_INK_STRONG, input->path);
            }
            assay_page_put(page, ASSAY_INK_PLAIN, ": ");
        } else {
            assay_page_put(page, ASSAY_INK_PLAIN, "; ");
        }
        group = stream;
        assay_page_format(page, ASSAY_INK_PLAIN, "%s as %s", stream->format->name,
                          profile_of(stream));
        put_reason(page, stream, " (%s)");
        assay_page_format(page, ASSAY_INK_PLAIN, ": source 0x%" PRIx32, stream->id);
    }
    assay_page_put(page, ASSAY_INK_PLAIN, group != NULL ? "." : "");
}

static void put_unlocated(struct assay_page *page, const struct assay_results *results,
                          size_t input, const struct assay_stream_result *stream)
{
    char why[1024];
    assay_diag_format(stream->unlocated, why, sizeof why);
    put_note(page, "Where the findings");
    put_stream(page, results, input, stream);
    assay_page_put(page, ASSAY_INK_PLAIN,
                   " are in the capture could not be found, only where they are in the stream: ");
    assay_page_put(page, ASSAY_INK_PLAIN, why);
    assay_page_put(page, ASSAY_INK_PLAIN, ".");
}

/* Why a layer is not complete, or is the first one that was not decoded: then none of those above
 * it was. */
static const char *layer_reason(const struct assay_stream_result *stream, size_t k)
{
    if (stream->format == NULL || stream->layers == NULL) {
        return NULL;
    }
    const bool left_out = stream->layers[k].left_out && (k == 0 || !stream->layers[k - 1].left_out);
    return left_out ? "no rule that is selected is about it or a layer above"
                    : stream->layers[k].why;
}

/* How many layers from the k-th on have its reason. */
static size_t count_layers(const struct assay_stream_result *stream, size_t k)
{
    size_t end = k + 1;
    while (end < stream->format->layer_count && goes_on(stream, layer_reason, end)) {
        end++;
    }
    return end - k;
}

static void put_layers(struct assay_page *page, const struct assay_results *results, size_t input,
                       size_t n, size_t k)
{
    const struct assay_stream_result *stream = &results->inputs[input].streams[n];
    const size_t count = count_layers(stream, k);
    if (is_said(&results->inputs[input], n, layer_reason, k)) {
        return;
    }
    put_note(page, count == 1 ? "The layer " : "The layers ");
    for (size_t i = 0; i < count; i++) {
        assay_page_put(page, ASSAY_INK_PLAIN, i == 0 ? "" : i + 1 == count ? " and " : ", ");
        assay_page_put(page, ASSAY_INK_STRONG, stream->format->layers[k + i]);
    }
    put_alike(page, results, input, n, layer_reason, k);
    assay_page_put(page, ASSAY_INK_PLAIN,
                   stream->layers[k].left_out ? " was not decoded: "
                   : count == 1               ? " is not complete: "
                                              : " are not complete: ");
    assay_page_put(page, ASSAY_INK_PLAIN, layer_reason(stream, k));
    assay_page_put(page, ASSAY_INK_PLAIN, ".");
}

static const char *unjudged_reason(const struct assay_stream_result *stream, size_t layer)
{
    (void)layer;
    return stream->format == NULL ? stream->unjudged : NULL;
}

static void put_unjudged(struct assay_page *page, const struct assay_results *results, size_t input,
                         size_t n)
{
    if (!is_said(&results->inputs[input], n, unjudged_reason, 0)) {
        put_note(page, "The stream");
        put_alike(page, results, input, n, unjudged_reason, 0);
        assay_page_put(page, ASSAY_INK_PLAIN, " was not judged: ");
        assay_page_put(page, ASSAY_INK_PLAIN, results->inputs[input].streams[n].unjudged);
        assay_page_put(page, ASSAY_INK_PLAIN, ".");
    }
}

static void put_uncompared(struct assay_page *page, const struct assay_results *results,
                           size_t input, const struct assay_stream_result *stream)
{
    put_note(page, "The recorded execution");
    put_stream(page, results, input, stream);
    assay_page_put(page, ASSAY_INK_PLAIN, " was not compared: no rule that is selected needs it.");
}

/* The layers that are not complete, with the reason, and the streams that nobody judged. */
static void put_streams(struct assay_page *page, const struct assay_results *results)
{
    for (size_t i = 0; i < results->input_count; i++) {
        put_carried(page, results, i);
        for (size_t n = 0; n < results->inputs[i].stream_count; n++) {
            const struct assay_stream_result *stream = &results->inputs[i].streams[n];
            if (stream->format == NULL) {
                put_unjudged(page, results, i, n);
                continue;
            }
            if (stream->unlocated != NULL) {
                put_unlocated(page, results, i, stream);
            }
            if (stream->uncompared != NULL && stream->uncompared->left_out) {
                put_uncompared(page, results, i, stream);
            }
            for (size_t k = 0; k < stream->format->layer_count; k += count_layers(stream, k)) {
                put_layers(page, results, i, n, k);
            }
        }
    }
}

static bool is_default(const struct assay_parameter_values *values, size_t number)
{
    const struct assay_parameter *parameter = &values->table->list[number];
    return parameter->has_default && values->value[number] == parameter->value;
}

/* The parameters of a stream that configuration or the stream itself gave: those that are as by
 * default are counted, unless all are wanted. */
static void put_parameters(struct assay_page *page, const struct assay_results *results,
                           size_t input, const struct assay_stream_result *stream, bool all)
{
    const struct assay_parameter_values *values = stream->parameters;
    size_t left_out = 0;
    bool any = false;
    for (size_t p = 0; values != NULL && p < values->table->count; p++) {
        const struct assay_parameter *parameter = &values->table->list[p];
        char value[64];
        if (values->site[p].origin < ASSAY_PARAMETER_CONFIG) {
            continue;
        }
        if (!all && is_default(values, p)) {
            left_out++;
            continue;
        }
        if (!any) {
            put_note(page, "Parameters");
            put_stream(page, results, input, stream);
            assay_page_put(page, ASSAY_INK_PLAIN, ": ");
        }
        assay_parameter_text(parameter, values->value[p], value, sizeof value);
        assay_page_format(page, ASSAY_INK_PLAIN, "%s%s=%s%s", any ? ", " : "", parameter->name,
                          value,
                          values->site[p].origin == ASSAY_PARAMETER_STREAM ? " (stream)" : "");
        any = true;
    }
    if (any && left_out > 0) {
        assay_page_put(page, ASSAY_INK_PLAIN, "; and ");
        assay_page_number(page, left_out);
        assay_page_put(page, ASSAY_INK_PLAIN, " as by default");
    }
    assay_page_put(page, ASSAY_INK_PLAIN, any ? "." : "");
}

static void put_all_parameters(struct assay_page *page, const struct assay_results *results,
                               bool all)
{
    for (size_t i = 0; i < results->input_count; i++) {
        for (size_t n = 0; n < results->inputs[i].stream_count; n++) {
            put_parameters(page, results, i, &results->inputs[i].streams[n], all);
        }
    }
}

static void put_readings(struct assay_page *page, const struct assay_results *results)
{
    bool any = false;
    for (size_t i = 0; i < results->reading_count; i++) {
        const struct assay_reading_used *used = &results->readings[i];
        if (used->reading == used->interpretation->chosen) {
            continue;
        }
        if (!any) {
            put_note(page, "Read otherwise than by default: ");
        }
        assay_page_put(page, ASSAY_INK_PLAIN, any ? ", " : "");
        assay_page_put(page, ASSAY_INK_STRONG, used->interpretation->id);
        assay_page_format(page, ASSAY_INK_PLAIN, "=%s",
                          used->interpretation->readings[used->reading].name);
        any = true;
    }
    assay_page_put(page, ASSAY_INK_PLAIN, any ? "." : "");
}

void assay_text_streams(struct assay_page *page, const struct assay_results *results, bool all)
{
    put_streams(page, results);
    put_all_parameters(page, results, all);
    put_readings(page, results);
}
