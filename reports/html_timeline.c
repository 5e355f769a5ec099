/* Where the findings of each stream are, in the HTML report: a bar for each part of it. */
#include <inttypes.h>

#include "reports/html_parts.h"
#include "reports/walk.h"

/* A stream is divided into so many parts; so many streams that have findings are drawn. */
enum { PARTS = 200, MOST_STREAMS = 64 };

enum { PART_WIDTH = 5, LOWEST = 8, STEP = 4, HEIGHT = 80 };

struct part {
    uint64_t findings;
    const struct assay_rule_total *first; /* of the highest level */
    size_t number;                        /* its finding */
};

struct timeline {
    uint64_t last; /* byte of a finding */
    struct part parts[PARTS];
    uint64_t findings;
};

static bool is_of(const struct assay_located_finding *placed, size_t input, size_t stream)
{
    return placed->input == input && placed->stream == stream;
}

/* Findings by the bytes of their own stream. */
static void add(struct timeline *t, const struct assay_rule_total *total, size_t number)
{
    const uint64_t offset = total->findings[number].finding->offset;
    /* Divided first: a product of 64 bits might not fit. */
    const uint64_t width = t->last / PARTS + 1;
    struct part *part = &t->parts[offset / width];
    if (part->first == NULL || total->rule->level > part->first->rule->level) {
        part->first = total;
        part->number = number;
    }
    part->findings++;
    t->findings++;
}

static void find(struct timeline *t, const struct assay_results *results, size_t input,
                 size_t stream)
{
    const struct assay_stream_result *s = &results->inputs[input].streams[stream];
    *t = (struct timeline){0};
    if (!s->has_id && !results->inputs[input].filtered) {
        t->last = results->inputs[input].bytes;
    }
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t r = 0; r < results->rule_count; r++) {
            const struct assay_rule_total *total = &results->rules[r];
            for (size_t i = 0; i < total->finding_count; i++) {
                if (!is_of(&total->findings[i], input, stream)) {
                    continue;
                }
                const uint64_t offset = total->findings[i].finding->offset;
                t->last = offset > t->last ? offset : t->last;
                if (pass > 0) {
                    add(t, total, i);
                }
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
    return height;
}

static void put_part(struct assay_html *html, const struct timeline *t, unsigned number)
{
    const struct part *part = &t->parts[number];
    const uint64_t width = t->last / PARTS + 1;
    const unsigned height = height_of(part->findings);
    const char *level = assay_level_name((enum assay_level)part->first->rule->level);
    assay_sink_text(html->sink, "<a href=\"#finding-");
    assay_html_anchor(html, part->first, part->number);
    assay_sink_printf(
        html->sink,
        "\"><title>%" PRIu64 " %s from byte 0x%" PRIx64 " on, first %s (%s)</title>"
        "<rect class=\"mark %s\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"%u\"/></a>\n",
        part->findings, part->findings == 1 ? "finding" : "findings", number * width,
        part->first->rule->id, level, level, number * PART_WIDTH, (unsigned)HEIGHT - height,
        PART_WIDTH - 1, height);
}

static void put_timeline(struct assay_html *html, const struct timeline *t, size_t input,
                         size_t stream)
{
    const struct assay_input_result *i = &html->results->inputs[input];
    assay_sink_text(html->sink, "<figure>\n<figcaption>");
    assay_html_name(html->sink, i->path);
    if (i->streams[stream].has_id) {
        assay_sink_printf(html->sink, ", source 0x%" PRIx32, i->streams[stream].id);
    }
    assay_sink_printf(html->sink,
                      "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"group\" "
                      "aria-label=\"Findings by position\">\n"
                      "<rect class=\"base\" x=\"0\" y=\"%d\" width=\"%d\" height=\"1\"/>\n",
                      PARTS * PART_WIDTH, HEIGHT + 16, HEIGHT, PARTS * PART_WIDTH);
    for (unsigned p = 0; p < PARTS; p++) {
        if (t->parts[p].findings > 0) {
            put_part(html, t, p);
        }
    }
    assay_sink_printf(html->sink,
                      "<text x=\"0\" y=\"%d\">0</text><text x=\"%d\" y=\"%d\" "
                      "text-anchor=\"end\">byte 0x%" PRIx64 "</text>\n</svg>\n</figure>\n",
                      HEIGHT + 14, PARTS * PART_WIDTH, HEIGHT + 14, t->last);
}

void assay_html_timeline(struct assay_html *html)
{
    struct timeline timeline;
    size_t drawn = 0;
    assay_sink_text(html->sink, "<section id=\"timeline\">\n<h2>Timeline</h2>\n");
    for (size_t i = 0; i < html->results->input_count && drawn < MOST_STREAMS; i++) {
        const struct assay_input_result *input = &html->results->inputs[i];
        for (size_t n = 0; n < input->stream_count && drawn < MOST_STREAMS; n++) {
            if (input->streams[n].violations > 0) {
                find(&timeline, html->results, i, n);
            }
            if (input->streams[n].violations > 0 && timeline.findings > 0) {
                put_timeline(html, &timeline, i, n);
                drawn++;
            }
        }
    }
    assay_sink_text(html->sink, drawn == 0 ? "<p>There are no findings.</p>\n</section>\n"
                                           : "<p>Findings by the byte of their stream; a bar leads "
                                             "to the first one of its highest level.</p>\n"
                                             "</section>\n");
}
