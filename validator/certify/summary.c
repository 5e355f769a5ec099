/* The certificate for people: a text of one screen, and a badge. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "validator/certify/output.h"

static const char *const verdict_words[] = {"CERTIFIED", "NOT CERTIFIED", "INCOMPLETE"};

/* A text of a file, on one line: what is not printable ASCII is \xNN. */
static void put_text(struct assay_sink *sink, const char *text)
{
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte < ' ' || byte > '~') {
            assay_sink_printf(sink, "\\x%02x", (unsigned)byte);
        } else {
            assay_sink_write(sink, text, 1);
        }
    }
}

static void put_line(struct assay_sink *sink, const char *label, const char *text)
{
    assay_sink_printf(sink, "  %-12s", label);
    put_text(sink, text);
    assay_sink_text(sink, "\n");
}

static void put_claims(const struct assay_certification *c, struct assay_sink *sink)
{
    const struct assay_submission *s = c->submission;
    char text[512];
    snprintf(text, sizeof text, "%s %s%s%s%s", s->producer, s->version,
             s->vendor != NULL ? " (" : "", s->vendor != NULL ? s->vendor : "",
             s->vendor != NULL ? ")" : "");
    put_line(sink, "producer", text);
    put_line(sink, "format",
             s->dialect > 0 ? s->format->profiles[s->dialect - 1].title : s->format->title);
    snprintf(text, sizeof text, "%s, level %s%s", c->profile->name, c->level->name,
             c->profile->built_in ? "" : " (a modified profile)");
    put_line(sink, "profile", text);
    put_line(sink, "level", c->level->text);
    for (size_t i = 0; i < s->features.count; i++) {
        const struct assay_certify_feature *feature =
            assay_certify_feature_named(c->profile, s->features.list[i]->text);
        snprintf(text, sizeof text, "%s: %s", feature->name, feature->text);
        put_line(sink, "feature", text);
    }
}

static void put_demands(const struct assay_certification *c, bool met, struct assay_sink *sink)
{
    for (size_t i = 0; i < c->demands.count; i++) {
        const struct assay_certify_demand *demand = &c->demands.list[i];
        if (demand->met == met) {
            assay_sink_printf(sink, "  %-4s%s ", met ? "ok" : "NO", demand->kind);
            put_text(sink, demand->name);
            assay_sink_text(sink, ": ");
            put_text(sink, demand->found);
            assay_sink_text(sink, "\n");
        }
    }
}

/* How many rules were not exercised, or could not be checked. */
static void put_not_certified(const struct assay_certification *c, struct assay_sink *sink)
{
    uint64_t of[ASSAY_VERDICT_COUNT] = {0};
    uint64_t exercised = 0;
    for (size_t i = 0; i < c->results.rule_count; i++) {
        const struct assay_rule_total *total = &c->results.rules[i];
        if (!total->rule->diagnosis && assay_certify_asked(c, total->catalogue)) {
            of[total->verdict] += total->exercised == 0;
            exercised += total->exercised > 0;
        }
    }
    assay_sink_printf(sink,
                      "\nWhat this does not say anything about\n"
                      "  %" PRIu64 " rules were exercised; %" PRIu64 " were not, %" PRIu64
                      " could not be checked, %" PRIu64 " are not of\n"
                      "  the version, %" PRIu64 " are not of the level. certificate.json names "
                      "them with their clauses.\n",
                      exercised, of[ASSAY_NOT_EXERCISED], of[ASSAY_NOT_CHECKABLE],
                      of[ASSAY_NOT_APPLICABLE], of[ASSAY_DESELECTED]);
}

static void put_waivers(const struct assay_certification *c, struct assay_sink *sink)
{
    if (c->results.waiver_count > 0) {
        assay_sink_text(sink, "\nWaivers\n");
    }
    for (size_t i = 0; i < c->results.waiver_count; i++) {
        const struct assay_waiver_used *used = &c->results.waivers[i];
        assay_sink_text(sink, "  ");
        put_text(sink, used->waiver->rule);
        assay_sink_printf(sink, ", %" PRIu64 " violations, until %s: ", used->waived,
                          used->waiver->expires);
        put_text(sink, used->waiver->reason);
        assay_sink_text(sink, "\n");
    }
    if (c->valid_until != NULL) {
        assay_sink_printf(sink, "  The certificate is valid until %s.\n", c->valid_until);
    }
}

enum assay_error assay_certify_summary(const struct assay_certification *c, struct assay_sink *sink)
{
    assay_sink_printf(sink, "%s\n\n", verdict_words[c->verdict]);
    put_claims(c, sink);
    assay_sink_text(sink, "\nWhat was demanded\n");
    put_demands(c, false, sink);
    put_demands(c, true, sink);
    if (c->verdict != ASSAY_CERTIFIED) {
        assay_sink_text(sink,
                        "  What was violated, and where, is in report.html and report.json.\n");
    }
    put_not_certified(c, sink);
    put_waivers(c, sink);
    const bool own = c->rule_file_count > 0 || c->submission->readings.count > 0;
    assay_sink_printf(sink, "\nassay %s%s\n", ASSAY_VERSION,
                      own ? "; catalogue modified: with other rules or readings than its own"
                      : c->modified ? "; catalogue modified: its rules are not those of a release"
                                    : "");
    return sink->error;
}

/* --- the badge --- */

static void put_xml(struct assay_sink *sink, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            assay_sink_text(sink, "&lt;");
            break;
        case '"':
            assay_sink_text(sink, "&quot;");
            break;
        case '&':
            assay_sink_text(sink, "&amp;");
            break;
        default:
            assay_sink_write(sink, *text >= ' ' && *text <= '~' ? text : "?", 1);
        }
    }
}

static void put_word(struct assay_sink *sink, unsigned at, unsigned width, const char *text)
{
    assay_sink_printf(sink, "<text x=\"%u\" y=\"14\" textLength=\"%u\">", at + width / 2,
                      width - 12);
    put_xml(sink, text);
    assay_sink_text(sink, "</text>\n");
}

enum assay_error assay_certify_badge(const struct assay_certification *c, struct assay_sink *sink)
{
    static const char *const colors[] = {"#1a7f37", "#b42318", "#9a6700"};
    static const char *const words[] = {"certified", "not certified", "incomplete"};
    enum { LETTER = 7, MARGIN = 12 };
    char what[80];
    snprintf(what, sizeof what, "%.35s %.25s%s", c->profile->name, c->level->name,
             c->profile->built_in ? "" : ", own profile");
    const unsigned left = (unsigned)strlen(what) * LETTER + MARGIN;
    const unsigned right = (unsigned)strlen(words[c->verdict]) * LETTER + MARGIN;
    assay_sink_printf(sink,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"20\" "
                      "role=\"img\" aria-label=\"",
                      left + right);
    put_xml(sink, what);
    assay_sink_printf(sink,
                      ": %s\">\n<rect width=\"%u\" height=\"20\" rx=\"3\" fill=\"#444\"/>\n"
                      "<rect x=\"%u\" width=\"%u\" height=\"20\" rx=\"3\" fill=\"%s\"/>\n"
                      "<g fill=\"#fff\" text-anchor=\"middle\" font-size=\"11\" "
                      "font-family=\"Verdana,DejaVu Sans,sans-serif\">\n",
                      words[c->verdict], left + right, left, right, colors[c->verdict]);
    put_word(sink, 0, left, what);
    put_word(sink, left, right, words[c->verdict]);
    assay_sink_text(sink, "</g>\n</svg>\n");
    return sink->error;
}
