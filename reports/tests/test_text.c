/* The text report. Its layout is a product: the files in golden/ are compared byte by byte. With
 * ASSAY_UPDATE_GOLDEN set they are written anew. */
#include "report_support.h"

#include <stdio.h>

static struct scenario scenario;
static const struct assay_report_style plain = {.width = 0};
static const struct assay_report_style verbose = {.verbose = true};
static const struct assay_report_style wide = {.width = 400};
static const struct assay_report_style wide_verbose = {.width = 400, .verbose = true};

static char *golden_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    if (file != NULL) {
        assert_true(fread(text, 1, (1 << 16) - 1, file) < (1 << 16) - 1);
        fclose(file);
    }
    return text;
}

static void expect_golden(const char *name, const struct assay_report_style *style)
{
    char path[1024];
    char *text = written("text", &scenario.results, style);
    snprintf(path, sizeof path, "%s/%s.txt", ASSAY_GOLDEN, name);
    if (getenv("ASSAY_UPDATE_GOLDEN") != NULL) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
    }
    char *expected = golden_text(path);
    assert_string_equal(text, expected);
    free(expected);
    free(text);
}

static void expect_written(const struct assay_report_style *style, const char *what)
{
    char *text = written("text", &scenario.results, style);
    if (strstr(text, what) == NULL) {
        fail_msg("\"%s\" is not in:\n%s", what, text);
    }
    free(text);
}

static void expect_contains(const char *what)
{
    expect_written(&wide, what);
}

/* In the report in full. */
static void expect_details(const char *what)
{
    expect_written(&wide_verbose, what);
}

static void expect_lacks(const char *what)
{
    char *text = written("text", &scenario.results, &wide);
    if (strstr(text, what) != NULL) {
        fail_msg("\"%s\" is in:\n%s", what, text);
    }
    free(text);
}

static void a_conforming_input_gets_a_short_report(void **state)
{
    (void)state;
    scenario_conforms(&scenario);
    expect_golden("conforms", &plain);
}

static void a_violating_input_gets_what_to_fix_first(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    expect_golden("violates", &plain);
}

static void in_full_there_are_findings_with_evidence_and_what_was_not_judged(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    expect_golden("verbose", &verbose);
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (const char *c = text; *c != '\0'; c++) {
        lines += *c == '\n' ? 1 : 0;
    }
    return lines;
}

static void what_conforms_takes_at_most_ten_lines(void **state)
{
    (void)state;
    scenario_conforms(&scenario);
    scenario.rules[RULE_INFO].verdict = ASSAY_FAIL;
    scenario.rules[RULE_INFO].exercised = scenario.rules[RULE_INFO].violated = 1;
    scenario.rules[RULE_QUIET].verdict = ASSAY_DESELECTED;
    char *text = written("text", &scenario.results, &plain);
    assert_true(lines_of(text) <= 10);
    free(text);
}

static void what_does_not_count_is_nothing_to_fix_first(void **state)
{
    (void)state;
    scenario_conforms(&scenario);
    scenario.rules[RULE_INFO].verdict = ASSAY_FAIL;
    scenario.rules[RULE_INFO].exercised = scenario.rules[RULE_INFO].violated = 1;
    expect_written(&verbose, "What failed, and the verdict does not count\n  1.  info");
    char *text = written("text", &scenario.results, &verbose);
    assert_null(strstr(text, "What to fix first"));
    free(text);
}

static void a_diagnosis_is_said_beside_the_cause_that_it_explains(void **state)
{
    (void)state;
    scenario_diagnosed(&scenario, true);
    expect_written(&plain, "      likely: the notes are of mode 17, as another demo has "
                           "(DEMO-0013, first record 399 (note) at\n"
                           "        byte 0x31e0 (12,768))\n");
    expect_written(&plain, "boot.demo: violates demo-2.0: 1 must rule failed, 5 violations\n");
    expect_written(&verbose, "info  DEMO-0013  Notes are those of another demo\n"
                             "  recognised 2 times\n"
                             "\n"
                             "  concerns  note, when mode == 17\n"
                             "  explains  DEMO-0002\n");
}

static void a_diagnosis_of_nothing_that_failed_is_noticed_and_counts_for_nothing(void **state)
{
    (void)state;
    scenario_conforms(&scenario);
    char *before = written("text", &scenario.results, &plain);
    scenario_diagnosed(&scenario, false);
    char *after = written("text", &scenario.results, &plain);
    const char *noticed = strstr(after, "  noticed      the notes are of mode 17");
    assert_non_null(noticed);
    assert_memory_equal(before, after, (size_t)(noticed - after));
    free(before);
    free(after);
}

static void the_verdict_is_one_line_however_narrow(void **state)
{
    (void)state;
    const struct assay_report_style narrow = {.width = 40};
    scenario_violates(&scenario);
    expect_written(&narrow, "boot.demo: violates demo-2.0: 1 must rule failed, 5 violations\n");
    scenario_conforms(&scenario);
    expect_written(&narrow, "boot.demo: conforms to demo-2.0: no must rule failed\n");
    scenario_incomplete(&scenario);
    expect_written(&narrow, ": incomplete (demo-2.0): part of it could not be judged\n");
    scenario_inputs(&scenario);
    expect_written(&narrow, "3 inputs: unreadable: 1 unreadable, 1 violate, 1 conform\n");
}

static void on_a_terminal_the_verdict_is_also_the_last_line(void **state)
{
    (void)state;
    static const char verdict[] =
        "boot.demo: violates demo-2.0: 1 must rule failed, 5 violations\n";
    const struct assay_report_style terminal = {.terminal = true};
    scenario_violates(&scenario);
    char *text = written("text", &scenario.results, &terminal);
    assert_int_equal(strncmp(text, verdict, strlen(verdict)), 0);
    assert_true(strlen(text) > 2 * strlen(verdict));
    assert_string_equal(text + strlen(text) - strlen(verdict), verdict);
    free(text);
}

static void a_narrow_terminal_wraps_everything_but_commands(void **state)
{
    (void)state;
    const struct assay_report_style narrow = {.width = 60, .verbose = true};
    scenario_violates(&scenario);
    expect_golden("narrow", &narrow);
}

static void several_inputs_get_a_table(void **state)
{
    (void)state;
    scenario_inputs(&scenario);
    expect_golden("inputs", &plain);
}

static void an_incomplete_input_says_what_is_not_said(void **state)
{
    (void)state;
    scenario_incomplete(&scenario);
    expect_golden("incomplete", &plain);
}

static void an_unreadable_input_says_why_and_what_to_do(void **state)
{
    (void)state;
    scenario_unreadable(&scenario);
    expect_golden("unreadable", &plain);
}

static void a_terminal_gets_colours_that_end_with_the_line(void **state)
{
    (void)state;
    const struct assay_report_style color = {.color = true, .verbose = true};
    scenario_violates(&scenario);
    expect_golden("color", &color);
    char *text = written("text", &scenario.results, &color);
    for (const char *c = strchr(text, '\n'); c != NULL; c = strchr(c + 1, '\n')) {
        bool open = false;
        for (const char *p = text; p < c; p++) {
            if (*p == '\033') {
                open = strncmp(p, "\033[0m", 4) != 0;
            }
        }
        assert_false(open);
    }
    free(text);
}

static void colours_are_the_only_difference_to_plain_text(void **state)
{
    (void)state;
    const struct assay_report_style color = {.color = true};
    scenario_inputs(&scenario);
    char *colored = written("text", &scenario.results, &color);
    char *text = written("text", &scenario.results, &plain);
    size_t used = 0;
    for (const char *c = colored; *c != '\0'; c++) {
        if (*c == '\033') {
            c = strchr(c, 'm');
        } else {
            colored[used++] = *c;
        }
    }
    colored[used] = '\0';
    assert_string_equal(colored, text);
    free(colored);
    free(text);
}

static void the_gravest_level_comes_first(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    char *text = written("text", &scenario.results, &verbose);
    const char *must = strstr(text, "\nmust  DEMO-0002");
    const char *should = strstr(text, "\nshould  DEMO-0001");
    assert_non_null(must);
    assert_non_null(should);
    assert_true(must < should);
    free(text);
}

static void a_level_that_does_not_count_is_told(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    expect_details("violated once in 1 check; the verdict does not count it (--fail-on must)");
    expect_contains("besides      1 should rule failed, which the verdict does not count "
                    "(--fail-on must): DEMO-0001\n");
    scenario.options[0].value = "never";
    expect_contains(": no violation counts (--fail-on never)\n");
    expect_details("violated 5 times in 1,203 checks; the verdict does not count it "
                   "(--fail-on never)");
}

static void the_first_violations_are_kept_and_the_rest_is_counted(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    expect_details("1 more place is not shown: --max-findings 5\n");
    scenario.rules[RULE_MUST].violated = 1234567;
    expect_details("1,234,563 more places are not shown: --max-findings 1000\n");
    scenario.rules[RULE_MUST].finding_count = 0;
    expect_details("violated 1,234,567 times");
    expect_details("1,234,567 more places are not shown");
}

static void a_layer_that_is_not_complete_is_named_with_the_reason(void **state)
{
    (void)state;
    static const struct assay_layer_result layer = {.why = "no program image at 0x1000"};
    scenario_incomplete(&scenario);
    scenario.streams[0].layers = &layer;
    expect_contains("The layer record is not complete: no program image at 0x1000.\n");
}

static void a_layer_that_no_rule_is_about_is_named(void **state)
{
    (void)state;
    static const struct assay_layer_result layer = {.left_out = true};
    scenario_conforms(&scenario);
    scenario.streams[0].layers = &layer;
    expect_contains("The layer record was not decoded: no rule that is selected is about it or a "
                    "layer above.\n");
}

static void a_stream_whose_format_nobody_named_is_named(void **state)
{
    (void)state;
    scenario_incomplete(&scenario);
    scenario.streams[1] = (struct assay_stream_result){.has_id = true,
                                                       .id = 0x11,
                                                       .unjudged = "its format is not known",
                                                       .conclusion = ASSAY_INCOMPLETE};
    scenario.inputs[0].stream_count = 2;
    expect_contains("The stream of source 0x11 was not judged: its format is not known.\n");
}

static void streams_that_lack_the_same_are_named_together(void **state)
{
    (void)state;
    static const struct assay_layer_result layers[] = {{.why = "no program image at 0x1000"},
                                                       {.why = "no program image at 0x2000"}};
    scenario_incomplete(&scenario);
    for (uint32_t n = 1; n < 7; n++) {
        scenario.streams[n] = scenario.streams[0];
        scenario.streams[n].has_id = true;
        scenario.streams[n].id = 0x10 + n;
        scenario.streams[n].layers = &layers[n == 2];
    }
    for (uint32_t n = 4; n < 7; n++) {
        scenario.streams[n] = (struct assay_stream_result){
            .has_id = true,
            .id = 0x10 + n,
            .unjudged = n == 5 ? "it is of the type \"STM\"" : "its format is not known",
            .conclusion = ASSAY_INCOMPLETE};
    }
    scenario.inputs[0].stream_count = 7;
    expect_contains(
        "The layer record of each of the sources 0x11, 0x13 is not complete: no program "
        "image at 0x1000.\n"
        "The layer record of source 0x12 is not complete: no program image at 0x2000.\n"
        "The stream of each of the sources 0x14, 0x16 was not judged: its format is not "
        "known.\n"
        "The stream of source 0x15 was not judged: it is of the type \"STM\".\n");
}

static void a_capture_is_named_by_the_profiles_of_its_streams(void **state)
{
    (void)state;
    scenario_conforms(&scenario);
    const struct assay_format *other = scenario.rules[RULE_COUNT].catalogue->format;
    for (uint32_t n = 1; n < 4; n++) {
        scenario.streams[n] = scenario.streams[0];
        scenario.streams[n].has_id = true;
        scenario.streams[n].id = 0x10 + n;
        scenario.streams[n].format = n < 3 ? other : scenario.streams[0].format;
    }
    scenario.inputs[0].stream_count = 4;
    expect_contains("conforms to demo-2.0 and other-1: ");
    expect_contains(
        "\nStreams: other as other-1: source 0x11, 0x12; demo as demo-2.0: source 0x13.\n");
    scenario.streams[2].profile_reason = "by its magic";
    expect_contains("other as other-1: source 0x11; other as other-1 (by its magic): source 0x12;");
    scenario.inputs[0].conclusion = ASSAY_VIOLATES;
    scenario.results.conclusion = ASSAY_VIOLATES;
    scenario.streams[2].conclusion = ASSAY_VIOLATES;
    expect_contains(" violates other-1: ");
    scenario.inputs[0].conclusion = ASSAY_INCOMPLETE;
    scenario.results.conclusion = ASSAY_INCOMPLETE;
    expect_contains(": incomplete (demo-2.0 and other-1): ");
    scenario_add_input(&scenario, "second.bin");
    expect_contains("\nStreams of ");
}

static void parameters_that_were_given_are_told(void **state)
{
    (void)state;
    static const struct assay_parameter list[] = {{.name = "width", .most = 64},
                                                  {.name = "depth", .most = 64},
                                                  {.name = "lsb", .most = 8, .has_default = true}};
    static const struct assay_parameter_table table = {.list = list, .count = 3};
    static struct assay_parameter_values values;
    assay_parameters_init(&values, &table);
    values.value[0] = 32;
    values.site[0].origin = ASSAY_PARAMETER_CONFIG;
    values.value[1] = 4;
    values.site[1].origin = ASSAY_PARAMETER_STREAM;
    scenario_conforms(&scenario);
    scenario.streams[0].parameters = &values;
    expect_contains("Parameters: width=32, depth=4 (stream).\n");
}

static void a_reading_in_effect_wins_over_the_default(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    scenario.readings[0].reading = 1;
    expect_contains("Read otherwise than by default: INT-DEMO-01=lenient.");
    expect_details("INT-DEMO-01=lenient (not the default): Only notes that are open count.");
    expect_details("otherwise: --interpret INT-DEMO-01=strict (Notes that are shut count too.)");
}

static void rules_of_a_format_that_no_input_has_are_not_spoken_of(void **state)
{
    (void)state;
    scenario_inputs(&scenario);
    expect_lacks("OTHER-0001");
}

static void rules_that_were_left_out_are_named(void **state)
{
    (void)state;
    scenario_conforms(&scenario);
    scenario.rules[RULE_QUIET].verdict = ASSAY_DESELECTED;
    expect_details("Left out: 1 rule, by --only or --skip: DEMO-0004\n");
    expect_contains("left out     1 rule, by --only or --skip\n");
}

static void an_input_in_which_nothing_was_checked_certifies_nothing(void **state)
{
    (void)state;
    scenario_incomplete(&scenario);
    scenario.inputs[0].complete = true;
    scenario.inputs[0].exercised = 0;
    expect_contains("No rule found anything to check in it, so the run certifies nothing.");
}

static void a_run_of_no_inputs_has_a_report_of_each_sort(void **state)
{
    static const char *const writers[] = {"text", "html", "json", "junit", "sarif"};
    (void)state;
    scenario_conforms(&scenario);
    scenario.results.inputs = NULL;
    scenario.results.input_count = 0;
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        char *text = written(writers[i], &scenario.results, &verbose);
        assert_true(strlen(text) > 0);
        free(text);
    }
}

static void nothing_that_an_input_says_reaches_the_terminal_raw(void **state)
{
    (void)state;
    static const uint64_t values[] = {0, 2, 1, 17, 1, 3};
    scenario_inputs(&scenario);
    scenario.inputs[0].path = "\033\xc3\\\n.demo";
    scenario_add_finding(&scenario, RULE_MUST, 0, 7, "says \"\033[31mred\007\" and\nmore", values);
    char *text = written("text", &scenario.results, &verbose);
    assert_non_null(strstr(text, "says \"\\x1b[31mred\\x07\" and more"));
    assert_non_null(strstr(text, "\\x1b\\xc3\\\\\\x0a.demo"));
    for (const char *c = text; *c != '\0'; c++) {
        assert_true(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
    }
    free(text);
}

static void a_command_begins_at_the_group_and_names_only_plain_paths(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    expect_details("assay dump --from 0x0 --count 8 boot.demo\n");
    scenario.findings[RULE_MUST][0] = scenario.findings[RULE_MUST][1];
    expect_details("assay dump --from 0x31e0 --count 8 boot.demo\n");
    scenario.inputs[0].path = "my trace; rm.demo";
    expect_details("assay dump --from 0x31e0 --count 8 INPUT\n");
}

static void of_many_inputs_some_of_each_verdict_are_listed(void **state)
{
    (void)state;
    scenario_conforms(&scenario);
    while (scenario.results.input_count < 50) {
        scenario_add_input(&scenario, "more.demo");
    }
    scenario.inputs[7].conclusion = ASSAY_INCOMPLETE;
    scenario.inputs[7].path = "seven.demo";
    expect_contains("  conforms    29 more inputs\n");
    expect_contains("seven.demo");
}

static void a_word_longer_than_any_line_is_written_whole(void **state)
{
    (void)state;
    char *path = malloc(10001);
    assert_non_null(path);
    memset(path, 'x', 10000);
    path[10000] = '\0';
    scenario_conforms(&scenario);
    scenario.inputs[0].path = path;
    char *text = written("text", &scenario.results, &plain);
    size_t count = 0;
    for (const char *c = text; *c != '\0'; c++) {
        count += *c == 'x' ? 1 : 0;
    }
    assert_true(count >= 10000);
    free(text);
    free(path);
}

static void two_writes_give_the_same_text(void **state)
{
    (void)state;
    scenario_inputs(&scenario);
    char *first = written("text", &scenario.results, &plain);
    scenario.results.host = "elsewhere";
    scenario.results.seconds = 99;
    scenario.results.jobs = 7;
    char *second = written("text", &scenario.results, &plain);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void a_sink_that_is_full_gives_its_error(void **state)
{
    (void)state;
    struct assay_sink sink;
    assay_sink_memory(&sink, 100);
    scenario_violates(&scenario);
    assert_int_equal(assay_report_writers[0].write(&scenario.results, &plain, &sink), ASSAY_LIMIT);
    assay_sink_close(&sink, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_conforming_input_gets_a_short_report),
        cmocka_unit_test(a_violating_input_gets_what_to_fix_first),
        cmocka_unit_test(in_full_there_are_findings_with_evidence_and_what_was_not_judged),
        cmocka_unit_test(what_conforms_takes_at_most_ten_lines),
        cmocka_unit_test(what_does_not_count_is_nothing_to_fix_first),
        cmocka_unit_test(a_diagnosis_is_said_beside_the_cause_that_it_explains),
        cmocka_unit_test(a_diagnosis_of_nothing_that_failed_is_noticed_and_counts_for_nothing),
        cmocka_unit_test(the_verdict_is_one_line_however_narrow),
        cmocka_unit_test(on_a_terminal_the_verdict_is_also_the_last_line),
        cmocka_unit_test(a_narrow_terminal_wraps_everything_but_commands),
        cmocka_unit_test(several_inputs_get_a_table),
        cmocka_unit_test(an_incomplete_input_says_what_is_not_said),
        cmocka_unit_test(an_unreadable_input_says_why_and_what_to_do),
        cmocka_unit_test(a_terminal_gets_colours_that_end_with_the_line),
        cmocka_unit_test(colours_are_the_only_difference_to_plain_text),
        cmocka_unit_test(the_gravest_level_comes_first),
        cmocka_unit_test(a_level_that_does_not_count_is_told),
        cmocka_unit_test(the_first_violations_are_kept_and_the_rest_is_counted),
        cmocka_unit_test(a_layer_that_is_not_complete_is_named_with_the_reason),
        cmocka_unit_test(a_layer_that_no_rule_is_about_is_named),
        cmocka_unit_test(a_stream_whose_format_nobody_named_is_named),
        cmocka_unit_test(streams_that_lack_the_same_are_named_together),
        cmocka_unit_test(a_capture_is_named_by_the_profiles_of_its_streams),
        cmocka_unit_test(parameters_that_were_given_are_told),
        cmocka_unit_test(a_reading_in_effect_wins_over_the_default),
        cmocka_unit_test(rules_of_a_format_that_no_input_has_are_not_spoken_of),
        cmocka_unit_test(rules_that_were_left_out_are_named),
        cmocka_unit_test(an_input_in_which_nothing_was_checked_certifies_nothing),
        cmocka_unit_test(a_run_of_no_inputs_has_a_report_of_each_sort),
        cmocka_unit_test(nothing_that_an_input_says_reaches_the_terminal_raw),
        cmocka_unit_test(a_command_begins_at_the_group_and_names_only_plain_paths),
        cmocka_unit_test(of_many_inputs_some_of_each_verdict_are_listed),
        cmocka_unit_test(a_word_longer_than_any_line_is_written_whole),
        cmocka_unit_test(two_writes_give_the_same_text),
        cmocka_unit_test(a_sink_that_is_full_gives_its_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
