/* What is where in each stream, in the HTML report: a row for findings, one for each track, and one
 * for each kind of event, over the same axis. */
#include <inttypes.h>

#include "reports/html_parts.h"
#include "reports/html_tracks.h"
#include "reports/walk.h"

/* So many streams are drawn, and so many of them are open. */
enum { MOST_STREAMS = ASSAY_MOST_OVERVIEWS + ASSAY_MOST_OVERVIEWS_OTHER, OPEN_STREAMS = 3 };

/* Of a bar: the height for one finding, what each doubling adds, and the greatest. */
enum { LOWEST = 8, STEP = 4, HEIGHT = 48 };

struct part {
    uint64_t findings;
    const struct assay_rule_total *first; /* of the highest level */
    size_t number;                        /* its finding */
};

struct timeline {
    struct assay_html_axis axis;
    struct part parts[ASSAY_INTERVALS];
    uint64_t findings;
};

static bool is_of(const struct assay_located_finding *placed, size_t input, size_t stream)
{
    return placed->input == input && placed->stream == stream;
}

/* Findings by the bytes of their own stream. */
static void add(struct timeline *t, const struct assay_rule_total *total, size_t number)
{
    const size_t last = t->axis.count - 1;
    const uint64_t at = total->findings[number].finding->offset >> t->axis.shift;
    struct part *part = &t->parts[at < last ? at : last];
    if (part->first == NULL || total->rule->level > part->first->rule->level) {
        part->first = total;
        part->number = number;
    }
    part->findings++;
    t->findings++;
}

/* The axis of a stream without an overview: up to its last byte, or its last finding. */
static struct assay_html_axis axis_of(const struct assay_results *results, size_t input,
                                      size_t stream)
{
    const struct assay_input_result *i = &results->inputs[input];
    struct assay_html_axis axis = {0};
    uint64_t last = !i->streams[stream].has_id && !i->filtered && i->bytes > 0 ? i->bytes - 1 : 0;
    for (size_t r = 0; r < results->rule_count; r++) {
        const struct assay_rule_total *total = &results->rules[r];
        for (size_t n = 0; n < total->finding_count; n++) {
            const uint64_t offset = total->findings[n].finding->offset;
            last = is_of(&total->findings[n], input, stream) && offset > last ? offset : last;
        }
    }
    while (last >> axis.shift >= ASSAY_INTERVALS) {
        axis.shift++;
    }
    axis.count = (size_t)(last >> axis.shift) + 1;
    return axis;
}

static void find(struct timeline *t, const struct assay_results *results, size_t input,
                 size_t stream)
{
    const struct assay_overview *overview = results->inputs[input].streams[stream].overview;
    *t = (struct timeline){0};
    t->axis = overview != NULL ? (struct assay_html_axis){.shift = overview->shift,
                                                          .count = overview->interval_count}
                               : axis_of(results, input, stream);
    for (size_t r = 0; r < results->rule_count; r++) {
        const struct assay_rule_total *total = &results->rules[r];
        for (size_t i = 0; i < total->finding_count; i++) {
            if (is_of(&total->findings[i], input, stream)) {
                add(t, total, i);
            }
        }
    }
}

/* Higher by a step for each doubling. */
static unsigned height_of(uint64_t findings)
{
    unsigned height = LOWEST;
    for (; findings > 1 && height < HEIGHT; findings /= 2) {
        height += STEP;
    }
    return height < HEIGHT ? height : HEIGHT;
}

static void put_part(struct assay_html *html, const struct timeline *t, unsigned number)
{
    const struct part *part = &t->parts[number];
    const unsigned height = height_of(part->findings);
    const char *level = assay_level_name((enum assay_level)part->first->rule->level);
    assay_sink_text(html->sink, "<a href=\"#finding-");
    assay_html_anchor(html, part->first, part->number);
    assay_sink_printf(html->sink,
                      "\"><title>%" PRIu64 " %s from byte 0x%" PRIx64 " on, first %s (%s)</title>"
                      "<path class=\"mark %s\" d=\"M%u %uh1v%uh-1z\"/></a>\n",
                      part->findings, part->findings == 1 ? "finding" : "findings",
                      (uint64_t)number << t->axis.shift, part->first->rule->id, level, level,
                      number, HEIGHT - height, height);
}

static void put_findings(struct assay_html *html, const struct timeline *t)
{
    char text[ASSAY_NUMBER_TEXT];
    assay_sink_printf(html->sink,
                      "<tr><th scope=\"row\">findings</th><td class=\"number\">%s</td><td>"
                      "<svg class=\"marks\" viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\" "
                      "role=\"group\" aria-label=\"Findings by position\">\n",
                      assay_number_text(t->findings, text), t->axis.count, (int)HEIGHT);
    for (unsigned p = 0; p < t->axis.count; p++) {
        if (t->parts[p].findings > 0) {
            put_part(html, t, p);
        }
    }
    assay_sink_text(html->sink, "</svg></td></tr>\n");
}

static void put_timeline(struct assay_html *html, const struct timeline *t, size_t input,
                         size_t stream, bool open)
{
    const struct assay_input_result *i = &html->results->inputs[input];
    const struct assay_stream_result *s = &i->streams[stream];
    const char *verdict = assay_conclusion_name(s->conclusion);
    assay_sink_printf(html->sink, "<details class=\"stream\"%s><summary>", open ? " open" : "");
    assay_html_name(html->sink, i->path);
    if (s->has_id) {
        assay_sink_printf(html->sink, ", source 0x%" PRIx32, s->id);
    }
    assay_sink_printf(html->sink,
                      " <span class=\"%s\">%s</span></summary>\n<table class=\"tracks\">\n",
                      verdict, verdict);
    if (t->findings > 0) {
        put_findings(html, t);
    }
    if (s->overview != NULL) {
        assay_html_tracks(html, s);
    }
    assay_html_axis(html, &t->axis);
    assay_sink_text(html->sink, "</table>\n");
    if (s->overview != NULL) {
        assay_html_kinds(html, s);
    }
    assay_sink_text(html->sink, "</details>\n");
}

/* The streams that violate a rule, or those that do not. */
static void put_streams(struct assay_html *html, bool violate, size_t *drawn)
{
    struct timeline timeline;
    for (size_t i = 0; i < html->results->input_count; i++) {
        const struct assay_input_result *input = &html->results->inputs[i];
        for (size_t n = 0; n < input->stream_count && *drawn < MOST_STREAMS; n++) {
            const struct assay_stream_result *stream = &input->streams[n];
            if ((stream->violations > 0) != violate || (!violate && stream->overview == NULL)) {
                continue;
            }
            find(&timeline, html->results, i, n);
            if (timeline.findings > 0 || stream->overview != NULL) {
                put_timeline(html, &timeline, i, n, (*drawn)++ < OPEN_STREAMS);
            }
        }
    }
}

void assay_html_timeline(struct assay_html *html)
{
    size_t drawn = 0;
    assay_sink_text(html->sink, "<section id=\"timeline\">\n<h2>Timeline</h2>\n");
    put_streams(html, true, &drawn);
    put_streams(html, false, &drawn);
    assay_sink_text(html->sink,
                    drawn == 0 ? "<p>No stream was judged.</p>\n</section>\n"
                               : "<p>By the byte of the stream. A bar of findings leads to the "
                                 "first one of its highest level; a kind is stronger where it has "
                                 "more events.</p>\n</section>\n");
}
