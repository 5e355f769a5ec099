/* The certificate for people: a text of one screen, and a badge. Both follow from the predicate of
 * the statement, so that --verify can write them again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* --- what a statement says --- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

/* A count of a statement: a number, or hexadecimal where it passes 2^53. */
static uint64_t count_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? strtoull(json_string_value(value), NULL, 0)
                                 : (uint64_t)json_integer_value(value);
}

static unsigned verdict_of(const json_t *predicate)
{
    enum assay_certify_verdict verdict = ASSAY_CERTIFIED;
    while (verdict < ASSAY_CERTIFY_INCOMPLETE &&
           strcmp(assay_certify_verdict_name(verdict), text_of(predicate, "verdict")) != 0) {
        verdict++;
    }
    return verdict;
}

/* --- the summary --- */

static void put_claims(const json_t *predicate, struct assay_sink *sink)
{
    const json_t *producer = json_object_get(predicate, "producer");
    const json_t *claims = json_object_get(predicate, "claims");
    const json_t *profile = json_object_get(predicate, "profile");
    const char *vendor = text_of(producer, "vendor");
    size_t i = 0;
    const json_t *feature = NULL;
    char text[512];
    snprintf(text, sizeof text, "%s %s%s%s%s", text_of(producer, "name"),
             text_of(producer, "version"), vendor[0] != '\0' ? " (" : "", vendor,
             vendor[0] != '\0' ? ")" : "");
    put_line(sink, "producer", text);
    put_line(sink, "format", text_of(claims, "title"));
    snprintf(text, sizeof text, "%s, level %s%s", text_of(profile, "name"),
             text_of(profile, "level"),
             json_is_false(json_object_get(profile, "modified")) ? "" : " (a modified profile)");
    put_line(sink, "profile", text);
    json_array_foreach(json_object_get(profile, "features"), i, feature)
    {
        snprintf(text, sizeof text, "%s: %s", text_of(feature, "name"), text_of(feature, "text"));
        put_line(sink, "feature", text);
    }
}

static void put_demands(const json_t *demands, bool met, struct assay_sink *sink)
{
    size_t i = 0;
    const json_t *demand = NULL;
    json_array_foreach(demands, i, demand)
    {
        if (json_is_true(json_object_get(demand, "met")) == met) {
            assay_sink_printf(sink, "  %-4s", met ? "ok" : "NO");
            put_text(sink, text_of(demand, "demand"));
            assay_sink_text(sink, " ");
            put_text(sink, text_of(demand, "name"));
            assay_sink_text(sink, ": ");
            put_text(sink, text_of(demand, "found"));
            assay_sink_text(sink, "\n");
        }
    }
}

/* What the certificate weighs: of each stream the bytes of its trace, the checks, and how much of
 * the recorded execution is in it. */
static void put_traces(const json_t *traces, struct assay_sink *sink)
{
    size_t i = 0;
    const json_t *trace = NULL;
    assay_sink_text(sink, "\nTraces\n");
    json_array_foreach(traces, i, trace)
    {
        size_t n = 0;
        const json_t *stream = NULL;
        assay_sink_text(sink, "  ");
        put_text(sink, text_of(trace, "path"));
        assay_sink_printf(sink, ": %" PRIu64 " bytes", count_of(trace, "bytes"));
        json_array_foreach(json_object_get(trace, "streams"), n, stream)
        {
            assay_sink_text(sink, n == 0 ? ", " : "; ");
            put_text(sink, text_of(stream, "version"));
            assay_sink_printf(sink, ": %" PRIu64 " checks", count_of(stream, "checks"));
            if (json_object_get(stream, "recorded") != NULL) {
                assay_sink_printf(sink, ", %" PRIu64 " of %" PRIu64 " executed (",
                                  count_of(stream, "matched"), count_of(stream, "recorded"));
                put_text(sink, text_of(stream, "covered"));
                assay_sink_text(sink, " %)");
            }
        }
        const char *with = assay_certify_recording_text(text_of(trace, "recording"));
        assay_sink_printf(sink, "\n      compared %s\n",
                          with != NULL ? with : "with something else");
    }
}

/* What the level does not demand, and failed nevertheless. */
static void put_failed(const json_t *rules, struct assay_sink *sink)
{
    size_t i = 0;
    const json_t *rule = NULL;
    const char *head = "\nRules that failed and do not count\n";
    json_array_foreach(rules, i, rule)
    {
        if (count_of(rule, "violated") == 0 || strcmp(text_of(rule, "level"), "must") == 0) {
            continue;
        }
        assay_sink_text(sink, head);
        assay_sink_text(sink, "  ");
        put_text(sink, text_of(rule, "id"));
        assay_sink_text(sink, " (");
        put_text(sink, text_of(rule, "level"));
        assay_sink_printf(sink, "): %" PRIu64 " of %" PRIu64 " checks\n",
                          count_of(rule, "violated"), count_of(rule, "exercised"));
        head = "";
    }
}

/* How many rules of the list have a verdict and were not exercised; of a null one, how many were.
 */
static uint64_t count_rules(const json_t *rules, const char *verdict)
{
    uint64_t count = 0;
    size_t i = 0;
    const json_t *rule = NULL;
    json_array_foreach(rules, i, rule)
    {
        const bool exercised = count_of(rule, "exercised") > 0;
        count += verdict == NULL ? exercised
                                 : !exercised && strcmp(text_of(rule, "verdict"), verdict) == 0;
    }
    return count;
}

static void put_not_certified(const json_t *rules, struct assay_sink *sink)
{
    assay_sink_printf(sink,
                      "\nNot covered by this certificate\n"
                      "  %" PRIu64 " rules were exercised; %" PRIu64 " were not, %" PRIu64
                      " could not be checked, %" PRIu64 " are not of\n"
                      "  the version, %" PRIu64 " are not of the level. certificate.json names "
                      "them with their clauses.\n",
                      count_rules(rules, NULL), count_rules(rules, "not-exercised"),
                      count_rules(rules, "not-checkable"), count_rules(rules, "not-applicable"),
                      count_rules(rules, "deselected"));
}

static void put_waivers(const json_t *predicate, struct assay_sink *sink)
{
    const json_t *waivers = json_object_get(predicate, "waivers");
    const char *until = json_string_value(json_object_get(predicate, "valid_until"));
    size_t i = 0;
    const json_t *waiver = NULL;
    if (json_array_size(waivers) > 0) {
        assay_sink_text(sink, "\nWaivers\n");
    }
    json_array_foreach(waivers, i, waiver)
    {
        assay_sink_text(sink, "  ");
        put_text(sink, text_of(waiver, "rule"));
        assay_sink_printf(sink, ", %" PRIu64 " violations, until ", count_of(waiver, "waived"));
        put_text(sink, text_of(waiver, "expires"));
        assay_sink_text(sink, ": ");
        put_text(sink, text_of(waiver, "reason"));
        assay_sink_text(sink, "\n");
    }
    if (until != NULL) {
        assay_sink_text(sink, "  The certificate is valid until ");
        put_text(sink, until);
        assay_sink_text(sink, ".\n");
    }
}

static void put_texts(struct assay_sink *sink, const char *label, const json_t *texts)
{
    size_t i = 0;
    const json_t *text = NULL;
    json_array_foreach(texts, i, text)
    {
        put_line(sink, label, json_string_value(text) != NULL ? json_string_value(text) : "");
    }
}

static void put_tables(struct assay_sink *sink, const json_t *tables)
{
    const char *name = NULL;
    json_t *how = NULL;
    char text[512];
    json_object_foreach((json_t *)tables, name, how)
    {
        const char *differs = json_string_value(how) != NULL ? json_string_value(how) : "";
        snprintf(text, sizeof text, "%s%s%s", name, differs[0] != '\0' ? ": " : "", differs);
        put_line(sink, "table", text);
    }
}

/* What the traces were judged with, besides the rules: all that can switch one off. Traces of one
 * machine have the same facts. */
static void put_facts(struct assay_sink *sink, const json_t *traces)
{
    size_t i = 0;
    const json_t *trace = NULL;
    const json_t *before = NULL;
    json_array_foreach(traces, i, trace)
    {
        size_t n = 0;
        const json_t *stream = NULL;
        json_array_foreach(json_object_get(trace, "streams"), n, stream)
        {
            const json_t *facts = json_object_get(stream, "facts");
            const json_t *tables = json_object_get(stream, "tables");
            if (facts != NULL && (before == NULL || json_equal(facts, before) == 0)) {
                put_line(sink, "facts",
                         json_string_value(facts) != NULL ? json_string_value(facts) : "");
                before = facts;
            }
            put_tables(sink, tables);
        }
    }
}

static void put_switched(const json_t *predicate, struct assay_sink *sink)
{
    struct assay_sink text;
    assay_sink_memory(&text, 0);
    put_texts(&text, "rules", json_object_get(json_object_get(predicate, "tool"), "rules"));
    put_texts(&text, "reading", json_object_get(json_object_get(predicate, "claims"), "readings"));
    put_facts(&text, json_object_get(predicate, "traces"));
    if (text.size > 0) {
        assay_sink_text(sink, "\nJudged with\n");
        assay_sink_write(sink, text.data, text.size);
    }
    if (text.error != ASSAY_OK && sink->error == ASSAY_OK) {
        sink->error = text.error;
    }
    assay_sink_discard(&text);
}

enum assay_error assay_certify_summary(const json_t *predicate, struct assay_sink *sink)
{
    const json_t *tool = json_object_get(predicate, "tool");
    const json_t *demands = json_object_get(predicate, "demands");
    const unsigned verdict = verdict_of(predicate);
    assay_sink_printf(sink, "%s\n\n", verdict_words[verdict]);
    put_claims(predicate, sink);
    assay_sink_text(sink, "\nWhat was demanded\n");
    put_demands(demands, false, sink);
    put_demands(demands, true, sink);
    if (verdict != ASSAY_CERTIFIED) {
        assay_sink_text(sink,
                        "  What was violated, and where, is in report.html and report.json.\n");
    }
    put_traces(json_object_get(predicate, "traces"), sink);
    put_failed(json_object_get(predicate, "rules"), sink);
    put_not_certified(json_object_get(predicate, "rules"), sink);
    put_switched(predicate, sink);
    put_waivers(predicate, sink);
    assay_sink_text(sink, "\nassay ");
    put_text(sink, text_of(tool, "version"));
    assay_sink_text(sink, "\n");
    return sink->error;
}

/* --- the badge --- */

/* Whether a trace was compared with what its producer says was executed. */
static bool has_own_recordings(const json_t *predicate)
{
    size_t i = 0;
    bool own = false;
    const json_t *trace = NULL;
    json_array_foreach(json_object_get(predicate, "traces"), i, trace)
    {
        const char *recording = text_of(trace, "recording");
        own = own || strcmp(recording, "producer") == 0 || strcmp(recording, "part") == 0;
    }
    return own;
}

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

enum assay_error assay_certify_badge(const json_t *predicate, struct assay_sink *sink)
{
    static const char *const colors[] = {"#1a7f37", "#b42318", "#9a6700"};
    static const char *const words[] = {"certified", "not certified", "incomplete"};
    enum { LETTER = 7, MARGIN = 12 };
    const json_t *profile = json_object_get(predicate, "profile");
    const unsigned verdict = verdict_of(predicate);
    char what[100];
    snprintf(what, sizeof what, "%.35s %.25s%s%s", text_of(profile, "name"),
             text_of(profile, "level"),
             json_is_false(json_object_get(profile, "modified")) ? "" : ", own profile",
             has_own_recordings(predicate) ? ", own recording" : "");
    const unsigned left = (unsigned)strlen(what) * LETTER + MARGIN;
    const unsigned right = (unsigned)strlen(words[verdict]) * LETTER + MARGIN;
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
                      words[verdict], left + right, left, right, colors[verdict]);
    put_word(sink, 0, left, what);
    put_word(sink, left, right, words[verdict]);
    assay_sink_text(sink, "</g>\n</svg>\n");
    return sink->error;
}
