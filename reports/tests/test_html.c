/* The HTML report: complete, without markup from inputs, and the same for the same results. */
#include "report_support.h"
#include "reports/baseline.h"

#include <stdio.h>

static struct scenario scenario;

static char *report(void)
{
    return written("html", &scenario.results, &(struct assay_report_style){0});
}

static void expect_in(const char *text, const char *what, bool there)
{
    if ((strstr(text, what) != NULL) != there) {
        fail_msg("\"%s\" is %s in:\n%s", what, there ? "not" : "", text);
    }
}

/* Each of the texts, up to a null, is in the report of the scenario. */
static void expect_all(const char *const *texts)
{
    char *text = report();
    for (; *texts != NULL; texts++) {
        expect_in(text, *texts, true);
    }
    free(text);
}

static void a_verdict_comes_first_and_causes_follow(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    char *text = report();
    const char *const order[] = {"<h1>violates</h1>",
                                 "<h2>What to fix first</h2>",
                                 "<a href=\"#rule-DEMO-0002\">",
                                 "<h2>Inputs</h2>",
                                 "<h2>Timeline</h2>",
                                 "<h2>Clauses of the specification</h2>",
                                 "id=\"rule-DEMO-0002\"",
                                 "id=\"finding-DEMO-0002-1\"",
                                 "id=\"finding-DEMO-0002-4\"",
                                 "<h2>Rules</h2>",
                                 "<h2>Not judged</h2>"};
    const char *at = text;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        at = strstr(at, order[i]);
        if (at == NULL) {
            fail_msg("\"%s\" is missing or too early in:\n%s", order[i], text);
        }
    }
    free(text);
}

static void a_finding_has_its_place_evidence_and_commands(void **state)
{
    static const char *const texts[] = {
        "record 0 (note) at byte 0x0 (0)",
        "<span class=\"message\">the target 0xffff000000001002 is not a multiple of 4</span>",
        "expected",
        "assay rules show DEMO-0002",
        "1 more place is not shown",
        "5 times in 1,203 checks",
        NULL};
    (void)state;
    scenario_violates(&scenario);
    expect_all(texts);
}

/* The bytes of the event, with the field that the rule reads marked. */
static void the_event_is_drawn_by_its_fields(void **state)
{
    static const char *const texts[] = {"<p class=\"bytes\">05 00 00 00 00 00 00 00 02 10 ",
                                        "<svg class=\"bits\"",
                                        "<title>target, bits 64 to 127</title>",
                                        "<g class=\"field \"><title>shut, bit 0</title>",
                                        "<g class=\"field read\"><title>mode, bits 1 to 2</title>",
                                        "<th scope=\"row\">mode</th><td>1 to 2</td><td>2</td>",
                                        NULL};
    (void)state;
    scenario_violates(&scenario);
    expect_all(texts);
}

static void a_clause_has_the_verdict_of_its_rules(void **state)
{
    static const char *const texts[] = {
        "<li class=\"fail\" title=\"DEMO-CL-001 (fail): ", "<dt>4.2</dt>", NULL};
    (void)state;
    scenario_violates(&scenario);
    expect_all(texts);
}

/* Marks of findings lead to them. */
static void findings_are_on_the_timeline(void **state)
{
    static const char *const texts[] = {"<a href=\"#finding-DEMO-0002-1\"><title>",
                                        "class=\"mark must\"", NULL};
    (void)state;
    scenario_violates(&scenario);
    expect_all(texts);
}

/* Of a stream with an overview: each kind, and each track as its type says. */
static void the_timeline_has_kinds_and_tracks(void **state)
{
    static const struct assay_field mode = {
        .name = "mode", .type = ASSAY_UINT, .track = ASSAY_TRACK_STATE};
    static const struct assay_field depth = {
        .name = "depth", .type = ASSAY_UINT, .track = ASSAY_TRACK_AMOUNT};
    static const uint16_t kinds[] = {ASSAY_KIND_FIRST};
    static const uint64_t counts[] = {3, 0, 100, 100};
    static const struct assay_track tracks[] = {{.field = &mode}, {.field = &depth}};
    static const struct assay_track_values track_values[] = {
        {1, 5, 5, 5, 5},    {0}, {2, 5, 6, 6, 11}, {1, 6, 6, 6, 6}, {2, 1, 30, 2, 31}, {0}, {0},
        {1, 15, 15, 15, 15}};
    static const struct assay_overview overview = {.shift = 4,
                                                   .interval_count = 4,
                                                   .kinds = kinds,
                                                   .kind_count = 1,
                                                   .counts = counts,
                                                   .tracks = tracks,
                                                   .track_count = 2,
                                                   .values = track_values};
    static const char *const texts[] = {
        "<td class=\"values\"><span class=\"state s0\">5</span> <span class=\"state s1\">6</span>",
        "<path class=\"s0\" d=\"M0 0h2v12h-2z\"><title>5: bytes 0x0 to 0x1f</title>",
        "<path class=\"s1 mixed\" d=\"M2 0h1v12h-1z\"><title>6 and others: bytes 0x20 to 0x2f",
        "<path class=\"s1\" d=\"M3 0h1v12h-1z\"><title>6: bytes 0x30 to 0x3f",
        "<td class=\"number\">1 to 30</td>",
        "<path class=\"range\" d=\"M0 0h1v31h-1zM3 15h1v2h-1z\"/><path d=\"M0 15h1v2h-1zM3 "
        "15h1v2h-1z\"/>",
        "<td class=\"number\">203</td>",
        "aria-label=\"note by position: bytes 0x0 to 0x3f\"",
        "<path class=\"k1\" d=\"M0 0h1v12h-1z\"/><path class=\"k4\" d=\"M2 0h2v12h-2z\"/>",
        "<span>0x40</span>",
        NULL};
    (void)state;
    scenario_conforms(&scenario);
    scenario.streams[0].overview = &overview;
    expect_all(texts);
}

static void a_finding_is_marked_by_the_baseline(void **state)
{
    static const char *const texts[] = {
        "1 new violation, 4 known, 2 gone since old.json", "only what may be new",
        "id=\"finding-DEMO-0002-1\"><summary><span class=\"state-known\">known</span>",
        "id=\"finding-DEMO-0002-2\"><summary><span class=\"state-new\">new</span>", NULL};
    const struct assay_located_finding *fresh[1];
    struct assay_baseline_change change = {.fresh = 1};
    (void)state;
    scenario_violates(&scenario);
    change.rule = scenario.rules[RULE_MUST].rule;
    fresh[0] = &scenario.rules[RULE_MUST].findings[1];
    const struct assay_baseline_result baseline = {.path = "old.json",
                                                   .fresh = 1,
                                                   .known = 4,
                                                   .gone = 2,
                                                   .conclusion = ASSAY_VIOLATES,
                                                   .changes = &change,
                                                   .change_count = 1,
                                                   .findings = fresh,
                                                   .finding_count = 1};
    scenario.results.baseline = &baseline;
    expect_all(texts);
    scenario.results.baseline = NULL;
}

static void what_conforms_has_no_findings(void **state)
{
    static const char *const texts[] = {"<h1>conforms</h1>", "<h2>No rule failed</h2>",
                                        "<p>There are none.</p>", NULL};
    (void)state;
    scenario_conforms(&scenario);
    expect_all(texts);
}

static void an_unreadable_input_says_why(void **state)
{
    static const char *const texts[] = {"<h1>unreadable</h1>", "which is no format", NULL};
    (void)state;
    scenario_unreadable(&scenario);
    expect_all(texts);
}

/* Names and messages are from outside: nothing of them is markup, hidden, or changes the order in
 * which the rest is read. */
static void text_from_inputs_is_no_markup(void **state)
{
    static const uint64_t values[] = {0, 6, 1, 17, 1, 3};
    static const char hostile[] = "</script><img src=x onerror=\"a()\">&'\x01\x1b[2J"
                                  "\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xc2\x85 \xc3\xa9";
    (void)state;
    scenario_violates(&scenario);
    scenario.inputs[0].path = hostile;
    scenario_add_finding(&scenario, RULE_MUST, 0, 1201, hostile, values);
    char *text = report();
    expect_in(text, "<img", false);
    expect_in(text, "\xe2\x80\xae", false);
    expect_in(text, "\xe2\x81\xa6", false);
    expect_in(text, "\xd8\x9c", false);
    expect_in(text, "\xc2\x85", false);
    expect_in(text, "\x01", false);
    expect_in(text, "\x1b", false);
    expect_in(text,
              "<span class=\"message\">&lt;/script&gt;&lt;img src=x onerror=&quot;a()&quot;&gt;"
              "&amp;'\\x01\\x1b[2J\\xe2\\x80\\xae\\xe2\\x81\\xa6\\xd8\\x9c\\xc2\\x85 "
              "\xc3\xa9</span>",
              true);
    expect_in(text, "<title>&lt;/script&gt;&lt;img", true);
    free(text);
}

static void bytes_that_are_no_characters_are_numbered(void **state)
{
    static const char *const texts[] = {"<title>a\\xff\\xc3\\xa9\\x0a\\\\b.demo: conforms</title>",
                                        NULL};
    (void)state;
    scenario_conforms(&scenario);
    scenario.inputs[0].path = "a\xff\xc3\xa9\n\\b.demo";
    expect_all(texts);
}

/* The policy names the script and the style by their digests, and allows nothing else. */
static void only_its_own_script_may_run(void **state)
{
    (void)state;
    scenario_conforms(&scenario);
    char *text = report();
    expect_in(text, "content=\"default-src 'none'; style-src 'sha256-", true);
    expect_in(text, "script-src 'sha256-", true);
    expect_in(text, "unsafe", false);
    expect_in(text, "style=\"", false);
    expect_in(text, "http://", false);
    expect_in(text, "https://", false);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_verdict_comes_first_and_causes_follow),
        cmocka_unit_test(a_finding_has_its_place_evidence_and_commands),
        cmocka_unit_test(the_event_is_drawn_by_its_fields),
        cmocka_unit_test(a_clause_has_the_verdict_of_its_rules),
        cmocka_unit_test(findings_are_on_the_timeline),
        cmocka_unit_test(the_timeline_has_kinds_and_tracks),
        cmocka_unit_test(a_finding_is_marked_by_the_baseline),
        cmocka_unit_test(what_conforms_has_no_findings),
        cmocka_unit_test(an_unreadable_input_says_why),
        cmocka_unit_test(text_from_inputs_is_no_markup),
        cmocka_unit_test(bytes_that_are_no_characters_are_numbered),
        cmocka_unit_test(only_its_own_script_may_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
