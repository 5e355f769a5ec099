/* The JSON report, schema assay-report/2. */
#include "json_support.h"
#include "report_support.h"

static struct scenario scenario;

static json_t *report(void)
{
    return json_written("json", &scenario.results, ASSAY_SCHEMA);
}

static void members_stand_in_the_order_of_the_contract(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    json_t *r = report();
    expect_keys(r, "schema tool options verdict inputs skipped evidence rules causes "
                   "diagnoses findings interpretations environment");
    expect_keys(at(r, "tool"), "name version catalogue catalogues");
    expect_keys(at(r, "inputs.0"),
                "path sha256 bytes format version profile events rules complete verdict "
                "exercised violated");
    expect_keys(at(r, "rules.0"), "id level clauses verdict exercised violated missing title");
    expect_keys(at(r, "findings.0"), "rule level input layer kind index offset bits message "
                                     "expected found where evidence interpretations context "
                                     "fingerprint");
    expect_keys(at(r, "environment"), "host started seconds jobs");
    json_decref(r);
}

static void a_report_holds_what_the_run_found(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    json_t *r = report();
    expect_text(r, "schema", "assay-report/2");
    expect_text(r, "verdict", "violates");
    expect_text(r, "tool.catalogue",
                "sha256:00000000000000000000000000000000000000000000000000000000000000d1");
    expect_text(r, "options.fail-on", "must");
    expect_text(r, "inputs.0.path", "boot.demo");
    expect_text(r, "inputs.0.sha256",
                "00000000000000000000000000000000000000000000000000000000000000f1");
    expect_number(r, "inputs.0.events.note", 1203);
    expect_number(r, "inputs.0.violated", 6);
    assert_null(at(r, "inputs.0.events.end"));
    assert_null(at(r, "inputs.0.events.malformed"));
    assert_true(json_is_true(at(r, "inputs.0.complete")));
    expect_text(r, "rules.1.id", "DEMO-0002");
    expect_text(r, "rules.1.verdict", "fail");
    expect_text(r, "rules.1.clauses.0", "DEMO-CL-001");
    expect_number(r, "rules.1.violated", 5);
    expect_text(r, "rules.6.verdict", "not-checkable");
    expect_text(r, "rules.6.missing.0", "execution");
    expect_text(r, "findings.1.rule", "DEMO-0002");
    expect_text(r, "findings.2.layer", "record");
    expect_text(r, "findings.2.kind", "note");
    expect_number(r, "findings.2.index", 400);
    expect_number(r, "findings.2.offset", 12800);
    expect_text(r, "findings.2.interpretations.0", "INT-DEMO-01");
    expect_text(r, "findings.2.expected.condition", "last(note).target % 4 == 0");
    expect_text(r, "findings.2.expected.words", "The target of a note is aligned");
    expect_keys(at(r, "findings.2.found"), "last(note).target");
    expect_keys(at(r, "findings.2.where"), "shut mode small open_notes");
    expect_text(r, "findings.2.context.3.text", "mark        first");
    assert_true(json_is_true(at(r, "findings.2.context.2.subject")));
    assert_true(json_is_true(at(r, "findings.1.context.0.subject")));
    expect_text(r, "interpretations.0.reading", "strict");
    expect_number(r, "environment.jobs", 2);
    json_decref(r);
}

static void a_diagnosis_is_a_member_of_the_cause_or_of_the_report(void **state)
{
    (void)state;
    scenario_diagnosed(&scenario, true);
    json_t *r = report();
    expect_text(r, "causes.0.diagnoses.0.rule", "DEMO-0013");
    expect_text(r, "causes.0.diagnoses.0.sentence",
                "the notes are of mode 17, as another demo has");
    expect_number(r, "causes.0.diagnoses.0.first.index", 399);
    assert_int_equal(json_array_size(at(r, "causes.1.diagnoses")), 0);
    assert_int_equal(json_array_size(at(r, "diagnoses")), 0);
    expect_text(r, "rules.9.verdict", "recognised");
    expect_text(r, "rules.9.explains.0", "DEMO-0002");
    assert_null(at(r, "rules.9.source"));
    json_decref(r);
    scenario_diagnosed(&scenario, false);
    r = report();
    assert_int_equal(json_array_size(at(r, "causes")), 0);
    expect_text(r, "diagnoses.0.rule", "DEMO-0013");
    json_decref(r);
}

static void an_integer_that_can_pass_2_to_the_53_is_a_text(void **state)
{
    (void)state;
    static const uint64_t small[] = {1, 0, 2, 8191, 0, 0};
    scenario_violates(&scenario);
    scenario_add_finding(&scenario, RULE_MUST, 0, 5, "small", small);
    scenario.rules[RULE_MUST].exercised = ((uint64_t)1 << 53) + 1;
    scenario.placed[RULE_MUST][0].offset = (uint64_t)1 << 53;
    json_t *r = report();
    const json_t *evidence = at(r, "findings.1.evidence");
    expect_text(evidence, "open_notes", "0x3");
    expect_text(evidence, "mode", "rough");
    expect_number(evidence, "shut", 0);
    expect_number(evidence, "small", 17);
    expect_number(evidence, "reads(INT-DEMO-01, strict)", 1);
    assert_string_equal(json_string_value(json_object_get(evidence, "last(note).target")),
                        "0xffff000000001002");
    evidence = at(r, "findings.5.evidence");
    expect_number(evidence, "mode", 2);
    expect_number(evidence, "small", 8191);
    assert_string_equal(json_string_value(json_object_get(evidence, "last(note).target")), "0x0");
    expect_text(r, "rules.1.exercised", "0x20000000000001");
    expect_number(r, "findings.1.offset", (json_int_t)1 << 53);
    json_decref(r);
}

static void an_unreadable_input_holds_its_error(void **state)
{
    (void)state;
    scenario_inputs(&scenario);
    json_t *r = report();
    expect_text(r, "verdict", "unreadable");
    expect_text(r, "inputs.2.verdict", "unreadable");
    expect_text(r, "inputs.2.error.code", "unknown-format");
    expect_text(r, "inputs.2.error.message",
                "the input begins with 68 65, which is no format's magic");
    expect_number(r, "inputs.2.error.offset", 0);
    expect_text(r, "inputs.2.error.hint", "--format says what it is meant to be");
    assert_null(at(r, "inputs.2.error.line"));
    assert_true(json_is_null(at(r, "inputs.2.format")));
    assert_true(json_is_null(at(r, "inputs.2.sha256")));
    assert_null(at(r, "inputs.0.error"));
    expect_number(r, "findings.2.input", 1);
    json_decref(r);
}

static void what_is_waived_is_counted_apart_and_says_by_whom(void **state)
{
    (void)state;
    scenario_conforms(&scenario);
    json_t *without = report();
    assert_null(at(without, "waivers"));
    assert_null(at(without, "inputs.0.waived"));
    json_decref(without);
    scenario_waives(&scenario);
    json_t *r = report();
    expect_number(r, "inputs.0.waived", 3);
    expect_text(r, "rules.1.verdict", "waived");
    expect_number(r, "rules.1.waived", 3);
    expect_text(r, "waivers.0.rule", "DEMO-0002");
    expect_text(r, "waivers.0.owner", "somebody");
    expect_text(r, "waivers.0.expires", "2999-12-31");
    expect_number(r, "waivers.0.waived", 3);
    json_decref(r);
}

static void an_error_in_a_text_has_a_line(void **state)
{
    (void)state;
    scenario_unreadable(&scenario);
    struct assay_diag *diag = &scenario.inputs[0].diag;
    assay_fail_at(diag, ASSAY_SYNTAX, 12, 5, "a \"quote\" is open");
    assay_diag_path(diag, "run.exec");
    json_t *r = report();
    expect_keys(at(r, "inputs.0.error"), "code message line column path");
    expect_text(r, "inputs.0.error.message", "a \"quote\" is open");
    expect_text(r, "inputs.0.error.path", "run.exec");
    expect_number(r, "inputs.0.error.line", 12);
    assert_int_equal(json_array_size(at(r, "rules")), 0);
    json_decref(r);
}

static void rules_of_a_format_that_no_input_has_are_left_out(void **state)
{
    (void)state;
    scenario_conforms(&scenario);
    json_t *r = report();
    assert_int_equal(json_array_size(at(r, "rules")), RULE_COUNT);
    assert_int_equal(json_array_size(at(r, "findings")), 0);
    json_decref(r);
}

static void only_the_environment_differs_between_runs(void **state)
{
    (void)state;
    scenario_inputs(&scenario);
    char *first = written("json", &scenario.results, &(struct assay_report_style){0});
    scenario.results.host = "elsewhere";
    scenario.results.seconds = 99;
    scenario.results.jobs = 7;
    char *second = written("json", &scenario.results, &(struct assay_report_style){0});
    const char *environment = strstr(first, "\n  \"environment\": ");
    assert_non_null(environment);
    assert_memory_equal(first, second, (size_t)(environment - first));
    assert_string_not_equal(first, second);
    free(first);
    free(second);
}

static void quotes_and_control_characters_survive(void **state)
{
    (void)state;
    static const uint64_t values[] = {0, 2, 1, 17, 1, 3};
    const char *message = "says \"\033[31m\" \\ and\nmore \xe2\x82\xac";
    scenario_violates(&scenario);
    scenario_add_finding(&scenario, RULE_MUST, 0, 7, message, values);
    scenario.inputs[0].path = "broken\xff\xc3\xa9.demo";
    char *text = written("json", &scenario.results, &(struct assay_report_style){0});
    for (const char *c = text; *c != '\0'; c++) {
        assert_true(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
    }
    free(text);
    json_t *r = report();
    expect_text(r, "findings.5.message", message);
    expect_text(r, "inputs.0.path", "broken\\xff\\xc3\\xa9.demo");
    json_decref(r);
    scenario.inputs[0].path = "\xc3\xa9\n\\xff.demo";
    r = report();
    expect_text(r, "inputs.0.path", "\xc3\xa9\\x0a\\\\xff.demo");
    json_decref(r);
}

static void an_option_given_twice_is_a_list(void **state)
{
    (void)state;
    scenario_conforms(&scenario);
    for (size_t i = 1; i < 4; i++) {
        scenario.options[i] = (struct assay_option_used){"rules", i == 1   ? "a.yaml"
                                                                  : i == 2 ? "b.yaml"
                                                                           : "c.yaml"};
    }
    scenario.results.option_count = 4;
    json_t *r = report();
    assert_int_equal(json_array_size(at(r, "options.rules")), 3);
    expect_text(r, "options.rules.0", "a.yaml");
    expect_text(r, "options.rules.2", "c.yaml");
    json_decref(r);
}

static void several_catalogues_have_one_digest(void **state)
{
    (void)state;
    static const char *const two[] = {"sha256:01", "sha256:02"};
    scenario_conforms(&scenario);
    scenario.results.digests = two;
    scenario.results.digest_count = 2;
    json_t *r = report();
    expect_text(r, "tool.catalogue",
                "sha256:287048bf506df9bc4e6aa05996a97b3a68b28d95c844bdad22615a5509024aa5");
    expect_text(r, "tool.catalogues.1", "sha256:02");
    json_decref(r);
}

static void reports_are_as_their_schema_says(void **state)
{
    (void)state;
    static void (*const scenarios[])(struct scenario *) = {scenario_conforms, scenario_violates,
                                                           scenario_inputs, scenario_incomplete,
                                                           scenario_unreadable};
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        scenarios[i](&scenario);
        json_decref(report());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_stand_in_the_order_of_the_contract),
        cmocka_unit_test(a_report_holds_what_the_run_found),
        cmocka_unit_test(a_diagnosis_is_a_member_of_the_cause_or_of_the_report),
        cmocka_unit_test(an_integer_that_can_pass_2_to_the_53_is_a_text),
        cmocka_unit_test(an_unreadable_input_holds_its_error),
        cmocka_unit_test(what_is_waived_is_counted_apart_and_says_by_whom),
        cmocka_unit_test(an_error_in_a_text_has_a_line),
        cmocka_unit_test(rules_of_a_format_that_no_input_has_are_left_out),
        cmocka_unit_test(only_the_environment_differs_between_runs),
        cmocka_unit_test(quotes_and_control_characters_survive),
        cmocka_unit_test(an_option_given_twice_is_a_list),
        cmocka_unit_test(several_catalogues_have_one_digest),
        cmocka_unit_test(reports_are_as_their_schema_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
