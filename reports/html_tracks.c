/* Tracks and kinds of a stream, as rows over its axis. They are drawn by what the tables of the
 * format say of fields. */
#include "reports/html_tracks.h"

#include <inttypes.h>
#include <string.h>

#include "model/describe.h"
#include "reports/walk.h"

/* Heights of the drawings; the shades of a kind's row; the colours of states. */
enum { ROW = 12, AMOUNT = 32, SHADES = 4, COLOURS = 8, VALUE_TEXT = 64 };

static void put_head(struct assay_html *html, const char *name, const char *doc)
{
    assay_sink_text(html->sink, "<tr><th scope=\"row\" title=\"");
    assay_html_text(html->sink, doc != NULL ? doc : "");
    assay_sink_printf(html->sink, "\">%s</th>", name);
}

/* The caller goes on with what is to be read for the drawing. */
static void begin_drawing(struct assay_html *html, size_t width, unsigned height)
{
    const char *type = height == AMOUNT ? "amount" : "row";
    assay_sink_printf(html->sink,
                      "<td><svg class=\"%s\" viewBox=\"0 0 %zu %u\" preserveAspectRatio=\"none\" "
                      "role=\"img\" aria-label=\"",
                      type, width, height);
}

static void end_drawing(struct assay_html *html)
{
    assay_sink_text(html->sink, "</svg></td></tr>\n");
}

void assay_html_axis(struct assay_html *html, const struct assay_html_axis *axis)
{
    assay_sink_printf(html->sink,
                      "<tr class=\"axis\"><th scope=\"row\">byte</th><td></td><td><span>0</span>"
                      "<span>0x%" PRIx64 "</span></td></tr>\n",
                      (uint64_t)axis->count << axis->shift);
}

/* --- states --- */

/* The values of a state, in the order in which they first last until the end of an interval; those
 * that there is no colour for share one. */
struct states {
    uint64_t values[COLOURS];
    size_t count;
    bool more;
};

static size_t colour_of(const struct states *states, uint64_t value)
{
    size_t n = 0;
    while (n < states->count && states->values[n] != value) {
        n++;
    }
    return n;
}

static struct states states_of(const struct assay_track_values *values, size_t count)
{
    struct states states = {0};
    for (size_t i = 0; i < count; i++) {
        const size_t colour = colour_of(&states, values[i].last);
        if (values[i].count == 0 || colour < states.count) {
            continue;
        }
        if (colour == COLOURS) {
            states.more = true;
        } else {
            states.values[states.count++] = values[i].last;
        }
    }
    return states;
}

static void put_value(struct assay_html *html, const struct assay_field *field, uint64_t value)
{
    char text[VALUE_TEXT];
    assay_value_text(field, value, text, sizeof text);
    assay_html_text(html->sink, text);
}

static void put_values(struct assay_html *html, const struct assay_field *field,
                       const struct states *states)
{
    assay_sink_text(html->sink, "<td class=\"values\">");
    for (size_t n = 0; n < states->count; n++) {
        assay_sink_printf(html->sink, "<span class=\"state s%zu\">", n);
        put_value(html, field, states->values[n]);
        assay_sink_text(html->sink, "</span> ");
    }
    assay_sink_text(html->sink, states->more ? "and more</td>" : "</td>");
}

/* Intervals that look the same: of one value, or with several. */
struct stretch {
    size_t from;
    bool known;
    bool mixed;
    uint64_t value;
};

static void put_stretch(struct assay_html *html, const struct assay_field *field,
                        const struct states *states, const struct stretch *stretch, size_t to,
                        unsigned shift)
{
    if (!stretch->known || to == stretch->from) {
        return;
    }
    const size_t colour = colour_of(states, stretch->value);
    assay_sink_printf(html->sink, "<path class=\"s%zu%s\" d=\"M%zu 0h%zuv%dh-%zuz\"><title>",
                      colour, stretch->mixed ? " mixed" : "", stretch->from, to - stretch->from,
                      (int)ROW, to - stretch->from);
    put_value(html, field, stretch->value);
    assay_sink_printf(html->sink, "%s: bytes 0x%" PRIx64 " to 0x%" PRIx64 "</title></path>\n",
                      stretch->mixed ? " and others" : "", (uint64_t)stretch->from << shift,
                      ((uint64_t)to << shift) - 1);
}

static void put_state(struct assay_html *html, const struct assay_overview *o,
                      const struct assay_field *field, const struct assay_track_values *values)
{
    const struct states states = states_of(values, o->interval_count);
    struct stretch stretch = {0};
    put_values(html, field, &states);
    begin_drawing(html, o->interval_count, ROW);
    assay_sink_printf(html->sink, "%s by position\">\n", field->name);
    for (size_t i = 0; i < o->interval_count; i++) {
        const struct assay_track_values *v = &values[i];
        /* What was before holds on into an interval with a change. */
        const bool mixed =
            v->count > 0 &&
            (v->least != v->most || (stretch.known && !stretch.mixed && stretch.value != v->last));
        const uint64_t value = v->count > 0 ? v->last : stretch.value;
        const bool known = stretch.known || v->count > 0;
        const bool same_shade = v->count > 0 ? mixed == stretch.mixed : !stretch.mixed;
        if (known != stretch.known || value != stretch.value || !same_shade) {
            put_stretch(html, field, &states, &stretch, i, o->shift);
            stretch = (struct stretch){.from = i, .known = known, .mixed = mixed, .value = value};
        }
    }
    put_stretch(html, field, &states, &stretch, o->interval_count, o->shift);
    end_drawing(html);
}

/* --- amounts: from the least to the most, and the mean --- */

static void put_amount(struct assay_html *html, const struct assay_overview *o,
                       const struct assay_field *field, const struct assay_track_values *values)
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    for (size_t i = 0; i < o->interval_count; i++) {
        least = values[i].count > 0 && values[i].least < least ? values[i].least : least;
        most = values[i].count > 0 && values[i].most > most ? values[i].most : most;
    }
    const double unit = most > 0 ? (double)(AMOUNT - 2) / (double)most : 0;
    assay_sink_printf(html->sink, "<td class=\"number\">%" PRIu64 " to %" PRIu64 "%s%s</td>", least,
                      most, field->unit != NULL ? " " : "", field->unit != NULL ? field->unit : "");
    begin_drawing(html, o->interval_count, AMOUNT);
    assay_sink_printf(html->sink, "%s by position, %" PRIu64 " to %" PRIu64 "\">\n", field->name,
                      least, most);
    assay_sink_text(html->sink, "<path class=\"range\" d=\"");
    for (size_t i = 0; i < o->interval_count; i++) {
        if (values[i].count > 0) {
            const unsigned low = (unsigned)((double)values[i].least * unit);
            const unsigned high = (unsigned)((double)values[i].most * unit) + 2;
            assay_sink_printf(html->sink, "M%zu %uh1v%uh-1z", i, AMOUNT - high, high - low);
        }
    }
    assay_sink_text(html->sink, "\"/><path d=\"");
    for (size_t i = 0; i < o->interval_count; i++) {
        if (values[i].count > 0) {
            const double mean = (double)values[i].sum / (double)values[i].count;
            assay_sink_printf(html->sink, "M%zu %uh1v2h-1z", i,
                              AMOUNT - 2 - (unsigned)(mean * unit));
        }
    }
    assay_sink_text(html->sink, "\"/>");
    end_drawing(html);
}

/* Events that have a track, and the first interval with one. */
struct extent {
    uint64_t events;
    size_t first;
};

static struct extent extent_of(const struct assay_overview *o, size_t track)
{
    const struct assay_track_values *values = &o->values[track * o->interval_count];
    struct extent extent = {.events = 0, .first = o->interval_count};
    for (size_t i = o->interval_count; i-- > 0;) {
        extent.events += values[i].count;
        extent.first = values[i].count > 0 ? i : extent.first;
    }
    return extent;
}

/* Where several layers say the same of a stream, the one counts that says it most often, then the
 * one that says it first, then the highest: without a program that of what was executed is empty.
 */
static bool is_told_elsewhere(const struct assay_overview *o, size_t track)
{
    const struct extent own = extent_of(o, track);
    for (size_t t = 0; t < o->track_count; t++) {
        const struct extent other = extent_of(o, t);
        if (t == track || strcmp(o->tracks[t].field->name, o->tracks[track].field->name) != 0) {
            continue;
        }
        if (other.events != own.events ? other.events > own.events
            : other.first != own.first ? other.first < own.first
                                       : o->tracks[t].layer > o->tracks[track].layer) {
            return true;
        }
    }
    return false;
}

void assay_html_tracks(struct assay_html *html, const struct assay_stream_result *stream)
{
    const struct assay_overview *o = stream->overview;
    for (size_t t = 0; t < o->track_count; t++) {
        const struct assay_field *field = o->tracks[t].field;
        const struct assay_track_values *values = &o->values[t * o->interval_count];
        if (is_told_elsewhere(o, t)) {
            continue;
        }
        put_head(html, field->name, field->doc);
        if (field->track == ASSAY_TRACK_STATE) {
            put_state(html, o, field, values);
        } else {
            put_amount(html, o, field, values);
        }
    }
}

/* --- kinds --- */

static unsigned doublings(uint64_t count)
{
    unsigned n = 0;
    for (; count > 0; count /= 2) {
        n++;
    }
    return n;
}

/* By doublings: from 1 on, 0 for none. */
static unsigned shade_of(uint64_t count, uint64_t most)
{
    return count > 0 ? 1 + doublings(count) * (SHADES - 1) / doublings(most) : 0;
}

static void put_shade(struct assay_html *html, const uint64_t *counts, size_t count, uint64_t most,
                      unsigned shade)
{
    bool begun = false;
    for (size_t i = 0; i < count; i++) {
        size_t end = i;
        while (end < count && shade_of(counts[end], most) == shade) {
            end++;
        }
        if (end > i) {
            if (!begun) {
                assay_sink_printf(html->sink, "<path class=\"k%u\" d=\"", shade);
            }
            assay_sink_printf(html->sink, "M%zu 0h%zuv%dh-%zuz", i, end - i, (int)ROW, end - i);
            begun = true;
            i = end;
        }
    }
    assay_sink_text(html->sink, begun ? "\"/>" : "");
}

static void put_kind(struct assay_html *html, const struct assay_overview *o,
                     const struct assay_kind *kind, const uint64_t *counts)
{
    char text[ASSAY_NUMBER_TEXT];
    uint64_t total = 0;
    uint64_t most = 0;
    size_t first = o->interval_count;
    size_t last = 0;
    for (size_t i = 0; i < o->interval_count; i++) {
        total += counts[i];
        most = counts[i] > most ? counts[i] : most;
        first = counts[i] > 0 && i < first ? i : first;
        last = counts[i] > 0 ? i : last;
    }
    put_head(html, kind->name, kind->title);
    assay_sink_printf(html->sink, "<td class=\"number\">%s</td>", assay_number_text(total, text));
    begin_drawing(html, o->interval_count, ROW);
    assay_sink_printf(html->sink, "%s by position: bytes 0x%" PRIx64 " to 0x%" PRIx64 "\">",
                      kind->name, (uint64_t)first << o->shift,
                      ((uint64_t)(last + 1) << o->shift) - 1);
    for (unsigned shade = 1; shade <= SHADES; shade++) {
        put_shade(html, counts, o->interval_count, most, shade);
    }
    end_drawing(html);
}

void assay_html_kinds(struct assay_html *html, const struct assay_stream_result *stream)
{
    const struct assay_overview *o = stream->overview;
    const struct assay_format *format = stream->format;
    for (unsigned layer = 0; layer < format->layer_count; layer++) {
        bool begun = false;
        for (size_t n = 0; n < o->kind_count; n++) {
            const struct assay_kind *kind = &format->kinds[o->kinds[n]];
            if (kind->layer != layer) {
                continue;
            }
            if (!begun) {
                assay_sink_printf(html->sink,
                                  "<details class=\"kinds\"%s><summary>Kinds of events: %s"
                                  "</summary>\n<table class=\"tracks\">\n",
                                  layer == 0 ? " open" : "", format->layers[layer]);
                begun = true;
            }
            put_kind(html, o, kind, &o->counts[n * o->interval_count]);
        }
        assay_sink_text(html->sink, begun ? "</table></details>\n" : "");
    }
}
