/* The text report: what people read. The verdict first, then why, then what the run does not say.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/text.h"
#include "reports/walk.h"
#include "reports/writers.h"

/* --- the sentence --- */

/* "records" where all inputs have events of one layer with one name, else "events". */
static void put_events(struct assay_page *page, const struct assay_results *results)
{
    const char *layer = NULL;
    uint64_t events = 0;
    bool same = true;
    char one[64] = "event";
    char many[64] = "events";
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        events += assay_input_events(input);
        for (size_t n = 0; n < input->stream_count; n++) {
            const struct assay_format *format = input->streams[n].format;
            layer = layer == NULL && format != NULL ? format->layers[0] : layer;
            same = same && format != NULL && format->layer_count == 1 &&
                   strcmp(format->layers[0], layer) == 0;
        }
    }
    if (same && layer != NULL) {
        snprintf(one, sizeof one, "%s", layer);
        snprintf(many, sizeof many, "%ss", layer);
    }
    assay_page_count(page, events, one, many);
    assay_page_put(page, ASSAY_INK_PLAIN, events == 1 ? " was judged" : " were judged");
}

struct part {
    uint64_t count;
    const char *one, *many; /* what follows the number */
    const char *none;       /* instead of number and text; null: the part is left out */
    enum assay_ink ink;
};

/* "2 failed, 94 passed and 1 was left out" */
static void put_parts(struct assay_page *page, const struct part *parts, size_t count)
{
    size_t left = 0;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        left += parts[i].count > 0 || parts[i].none != NULL ? 1 : 0;
    }
    for (size_t i = 0; i < count; i++) {
        const struct part *part = &parts[i];
        if (part->count == 0 && part->none == NULL) {
            continue;
        }
        left--;
        assay_page_put(page, ASSAY_INK_PLAIN, !any ? "" : left == 0 ? " and " : ", ");
        any = true;
        if (part->count == 0) {
            assay_page_put(page, part->ink, part->none);
            continue;
        }
        assay_page_number(page, part->count);
        assay_page_firm(page, ASSAY_INK_PLAIN, " ");
        assay_page_put(page, part->ink, part->count == 1 ? part->one : part->many);
    }
}

/* What became of the rules. Failures below the level that counts are distinguished: they do not
 * make a verdict. */
static void put_rules(struct assay_page *page, const struct assay_results *results)
{
    uint64_t verdicts[ASSAY_VERDICT_COUNT] = {0};
    uint64_t rules = 0;
    uint64_t lesser = 0;
    struct assay_rule_walk walk = assay_rule_walk(results);
    const struct assay_rule_total *total;
    char below[96];
    while ((total = assay_rule_walk_next(&walk)) != NULL) {
        verdicts[total->verdict]++;
        rules++;
        lesser += total->verdict == ASSAY_FAIL && !assay_rule_counts(results, total->rule) ? 1 : 0;
    }
    snprintf(below, sizeof below, "failed without effect on the verdict (--fail-on %s)",
             assay_fail_on(results));
    const enum assay_ink plain = ASSAY_INK_PLAIN;
    const char *no_failure = lesser == 0 ? "none failed" : NULL;
    const struct part parts[] = {
        {verdicts[ASSAY_FAIL] - lesser, "failed", "failed", no_failure, plain},
        {lesser, below, below, NULL, plain},
        {verdicts[ASSAY_PASS], "passed", "passed", "none passed", plain},
        {verdicts[ASSAY_NOT_EXERCISED], "was not exercised", "were not exercised", NULL, plain},
        {verdicts[ASSAY_NOT_CHECKABLE], "could not be checked", "could not be checked", NULL,
         plain},
        {verdicts[ASSAY_NOT_APPLICABLE], "is not of this profile", "are not of this profile", NULL,
         plain},
        {verdicts[ASSAY_DESELECTED], "was left out", "were left out", NULL, plain},
    };
    assay_page_put(page, ASSAY_INK_PLAIN, "of ");
    assay_page_count(page, rules, "rule", "rules");
    assay_page_put(page, ASSAY_INK_PLAIN, ", ");
    put_parts(page, parts, sizeof parts / sizeof parts[0]);
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

/* "stf-1.6 (by its version record)"; of a capture "capture-1 and example-1", the carrier's and its
 * streams': why it was these is said stream by stream. `reason` is how a reason is written. */
static void put_profiles(struct assay_page *page, const struct assay_input_result *input,
                         const char *reason)
{
    const size_t first = next_profile(input, 0);
    for (size_t n = first; n < input->stream_count;) {
        const size_t next = next_profile(input, n + 1);
        assay_page_put(page, ASSAY_INK_PLAIN,
                       n == first                    ? ""
                       : next == input->stream_count ? " and "
                                                     : ", ");
        assay_page_put(page, ASSAY_INK_PLAIN, profile_of(&input->streams[n]));
        n = next;
    }
    if (input->stream_count == 1) {
        put_reason(page, &input->streams[0], reason);
    }
}

static void put_one(struct assay_page *page, const struct assay_input_result *input)
{
    const enum assay_ink ink = assay_conclusion_ink(input->conclusion);
    if (input->conclusion == ASSAY_INCOMPLETE) {
        assay_page_put(page, ASSAY_INK_PLAIN, "The verdict on ");
    }
    assay_page_put(page, ASSAY_INK_STRONG, input->path);
    assay_page_put(page, ASSAY_INK_PLAIN, " ");
    switch (input->conclusion) {
    case ASSAY_CONFORMS:
        assay_page_put(page, ink, "conforms");
        assay_page_put(page, ASSAY_INK_PLAIN, " to ");
        put_profiles(page, input, " (%s)");
        break;
    case ASSAY_VIOLATES:
        assay_page_put(page, ink, "violates");
        assay_page_put(page, ASSAY_INK_PLAIN, " ");
        put_profiles(page, input, " (%s)");
        break;
    case ASSAY_INCOMPLETE:
        assay_page_put(page, ASSAY_INK_PLAIN, "is ");
        assay_page_put(page, ink, "incomplete");
        assay_page_put(page, ASSAY_INK_PLAIN, " (");
        put_profiles(page, input, ", %s");
        assay_page_put(page, ASSAY_INK_PLAIN, ")");
        break;
    default:
        assay_page_put(page, ink, "could not be read");
        break;
    }
}

static void put_many(struct assay_page *page, const struct assay_results *results)
{
    uint64_t count[ASSAY_CONCLUSION_COUNT] = {0};
    for (size_t i = 0; i < results->input_count; i++) {
        count[results->inputs[i].conclusion]++;
    }
    const struct part parts[] = {
        {count[ASSAY_UNREADABLE], "could not be read", "could not be read", NULL, ASSAY_INK_BAD},
        {count[ASSAY_VIOLATES], "violates its format", "violate their format", NULL, ASSAY_INK_BAD},
        {count[ASSAY_INCOMPLETE], "is incomplete", "are incomplete", NULL, ASSAY_INK_WARNING},
        {count[ASSAY_CONFORMS], "conforms", "conform", NULL, ASSAY_INK_GOOD},
    };
    assay_page_put(page, ASSAY_INK_PLAIN, "Of ");
    assay_page_count(page, results->input_count, "input", "inputs");
    assay_page_put(page, ASSAY_INK_PLAIN, ", ");
    put_parts(page, parts, sizeof parts / sizeof parts[0]);
}

/* --- what belongs to the verdict --- */

static void put_note(struct assay_page *page, const char *text)
{
    assay_page_line(page, 0, 0);
    assay_page_put(page, ASSAY_INK_PLAIN, text);
}

static void put_reservations(struct assay_page *page, const struct assay_results *results)
{
    bool cut = false;
    bool empty = false;
    for (size_t i = 0; i < results->input_count; i++) {
        const struct assay_input_result *input = &results->inputs[i];
        const bool readable = input->conclusion != ASSAY_UNREADABLE;
        cut = cut || (readable && !input->complete);
        empty = empty || (readable && input->exercised == 0);
    }
    if (cut) {
        put_note(page, results->input_count == 1
                           ? "Part of the input could not be decoded; that part was not judged."
                           : "Part of some inputs could not be decoded; those parts were "
                             "not judged.");
    }
    if (empty) {
        put_note(page, results->input_count == 1
                           ? "No rule found anything to check in it, so the run certifies nothing."
                           : "In some inputs no rule found anything to check; of them the run "
                             "certifies nothing.");
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
    if (results->input_count > 1) {
        assay_page_put(page, ASSAY_INK_PLAIN, " in ");
        assay_page_put(page, ASSAY_INK_STRONG, results->inputs[input].path);
    }
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
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
                assay_page_put(page, ASSAY_INK_STRONG, input->path);
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

/* The layers that are not complete, with the reason, and the streams that nobody judged. */
static void put_streams(struct assay_page *page, const struct assay_results *results)
{
    for (size_t i = 0; i < results->input_count; i++) {
        put_carried(page, results, i);
        for (size_t n = 0; n < results->inputs[i].stream_count; n++) {
            const struct assay_stream_result *stream = &results->inputs[i].streams[n];
            if (stream->format == NULL) {
                put_note(page, "The stream");
                put_stream(page, results, i, stream);
                assay_page_put(page, ASSAY_INK_PLAIN, " was not judged: ");
                assay_page_put(page, ASSAY_INK_PLAIN, stream->unjudged);
                assay_page_put(page, ASSAY_INK_PLAIN, ".");
                continue;
            }
            for (size_t k = 0; k < stream->format->layer_count && stream->layers != NULL; k++) {
                if (stream->layers[k].why != NULL) {
                    put_note(page, "The layer ");
                    assay_page_put(page, ASSAY_INK_STRONG, stream->format->layers[k]);
                    put_stream(page, results, i, stream);
                    assay_page_put(page, ASSAY_INK_PLAIN, " is not complete: ");
                    assay_page_put(page, ASSAY_INK_PLAIN, stream->layers[k].why);
                    assay_page_put(page, ASSAY_INK_PLAIN, ".");
                }
            }
        }
    }
}

/* The parameters of a stream that configuration or the stream itself gave. */
static void put_parameters(struct assay_page *page, const struct assay_results *results,
                           size_t input, const struct assay_stream_result *stream)
{
    const struct assay_parameter_values *values = stream->parameters;
    bool any = false;
    for (size_t p = 0; values != NULL && p < values->table->count; p++) {
        const struct assay_parameter *parameter = &values->table->list[p];
        char value[64];
        if (values->site[p].origin < ASSAY_PARAMETER_CONFIG) {
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
    assay_page_put(page, ASSAY_INK_PLAIN, any ? "." : "");
}

static void put_all_parameters(struct assay_page *page, const struct assay_results *results)
{
    for (size_t i = 0; i < results->input_count; i++) {
        for (size_t n = 0; n < results->inputs[i].stream_count; n++) {
            put_parameters(page, results, i, &results->inputs[i].streams[n]);
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

static void put_verdict(struct assay_page *page, const struct assay_results *results)
{
    assay_page_line(page, 0, 0);
    if (results->input_count == 1) {
        put_one(page, &results->inputs[0]);
    } else {
        put_many(page, results);
    }
    if (results->input_count == 1 && results->conclusion == ASSAY_UNREADABLE) {
        assay_page_put(page, ASSAY_INK_PLAIN, ": ");
        assay_text_error(page, &results->inputs[0]);
        return;
    }
    assay_page_put(page, ASSAY_INK_PLAIN, ": ");
    put_events(page, results);
    assay_page_put(page, ASSAY_INK_PLAIN, "; ");
    put_rules(page, results);
    assay_page_put(page, ASSAY_INK_PLAIN, ".");
    put_reservations(page, results);
    put_streams(page, results);
    put_all_parameters(page, results);
    put_readings(page, results);
}

enum assay_error assay_report_text(const struct assay_results *results,
                                   const struct assay_report_style *style, struct assay_sink *sink)
{
    struct assay_page page;
    assay_page_begin(&page, style, sink);
    if (results->input_count == 0) {
        assay_page_line(&page, 0, 0);
        assay_page_put(&page, ASSAY_INK_PLAIN, "No input was judged.");
        return assay_page_end(&page);
    }
    put_verdict(&page, results);
    assay_text_unreadable(&page, results);
    assay_text_overview(&page, results);
    assay_text_findings(&page, results);
    assay_text_waivers(&page, results);
    assay_text_unjudged(&page, results);
    assay_text_inputs(&page, results);
    return assay_page_end(&page);
}
