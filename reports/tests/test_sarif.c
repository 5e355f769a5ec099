/* The SARIF report: as its schema says, true to the verdict, and within the limits of consumers. */
#include "json_support.h"
#include "report_support.h"
#include "reports/baseline.h"
#include "reports/fingerprint.h"

static struct scenario scenario;

static json_t *report(void)
{
    return json_written("sarif", &scenario.results, ASSAY_SCHEMA);
}

static const json_t *run_of(const json_t *log)
{
    return at(log, "runs.0");
}

static void a_violation_is_a_result_with_its_rule_and_place(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    scenario.results.exit_status = 1;
    json_t *log = report();
    const json_t *run = run_of(log);
    expect_text(log, "version", "2.1.0");
    assert_int_equal(json_array_size(at(run, "results")), 5);
    expect_text(run, "results.1.ruleId", "DEMO-0002");
    expect_number(run, "results.1.ruleIndex", 1);
    expect_text(run, "tool.driver.rules.1.id", "DEMO-0002");
    expect_text(run, "results.4.level", "warning");
    expect_text(run, "results.0.level", "error");
    expect_text(run, "results.1.message.text",
                "the target 0xffff000000001002 is not a multiple of 4");
    const json_t *place = at(run, "results.1.locations.0");
    expect_text(place, "physicalLocation.artifactLocation.uri", "boot.demo");
    expect_number(place, "physicalLocation.artifactLocation.index", 0);
    expect_number(place, "physicalLocation.region.byteOffset", 12800);
    expect_number(place, "physicalLocation.region.byteLength", 32);
    expect_text(place, "logicalLocations.0.fullyQualifiedName", "record 400");
    expect_text(place, "logicalLocations.0.kind", "note");
    expect_text(run, "artifacts.0.hashes.sha-256",
                "00000000000000000000000000000000000000000000000000000000000000f1");
    assert_true(json_is_true(at(run, "invocations.0.executionSuccessful")));
    expect_number(run, "invocations.0.exitCode", 1);
    json_decref(log);
}

/* In the report sarif-all; GitHub would show them as problems. */
static void what_is_not_violated_has_a_kind(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    json_t *log = json_written("sarif-all", &scenario.results, ASSAY_SCHEMA);
    const json_t *results = at(run_of(log), "results");
    size_t kinds[4] = {0};
    for (size_t i = 0; i < json_array_size(results); i++) {
        static const char *const names[] = {"fail", "pass", "notApplicable", "open"};
        const json_t *result = json_array_get(results, i);
        const char *kind = json_string_value(json_object_get(result, "kind"));
        for (size_t k = 0; k < 4; k++) {
            kinds[k] += strcmp(kind, names[k]) == 0;
        }
        assert_int_equal(strcmp(kind, "fail") != 0,
                         strcmp(json_string_value(json_object_get(result, "level")), "none") == 0);
    }
    assert_int_equal(kinds[0], 5);
    assert_int_equal(kinds[1], 0);
    assert_int_equal(kinds[2], 4);
    assert_int_equal(kinds[3], 3);
    json_decref(log);
    scenario_conforms(&scenario);
    log = json_written("sarif-all", &scenario.results, ASSAY_SCHEMA);
    expect_text(run_of(log), "results.0.kind", "pass");
    json_decref(log);
}

/* One violation of the must rule is new; those of the should rule were only counted. */
static void a_result_is_new_or_unchanged_since_a_baseline(void **state)
{
    struct assay_baseline_change of[] = {{.fresh = 1}, {.fresh = 2, .counted = true}};
    const struct assay_located_finding *fresh[1];
    (void)state;
    scenario_violates(&scenario);
    of[0].rule = scenario.rules[RULE_MUST].rule;
    of[1].rule = scenario.rules[RULE_SHOULD].rule;
    fresh[0] = &scenario.rules[RULE_MUST].findings[1];
    const struct assay_baseline_result baseline = {.path = "old.json",
                                                   .fresh = 3,
                                                   .known = 4,
                                                   .gone = 5,
                                                   .changes = of,
                                                   .change_count = 2,
                                                   .findings = fresh,
                                                   .finding_count = 1};
    scenario.results.baseline = &baseline;
    json_t *log = report();
    const json_t *run = run_of(log);
    expect_text(run, "results.4.baselineState", "new");
    expect_text(run, "results.0.baselineState", "unchanged");
    expect_text(run, "results.1.baselineState", "new");
    expect_text(run, "results.2.baselineState", "unchanged");
    expect_text(run, "invocations.0.toolExecutionNotifications.0.message.text",
                "3 new violations, 4 known, 5 gone since old.json");
    json_decref(log);
    scenario.results.baseline = NULL;
}

static void a_rule_says_what_it_requires_and_by_what(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    scenario.rules[RULE_QUIET_3].verdict = ASSAY_DESELECTED;
    json_t *log = report();
    const json_t *rules = at(run_of(log), "tool.driver.rules");
    assert_int_equal(json_array_size(rules), RULE_COUNT - 1);
    expect_text(rules, "1.shortDescription.text", "The target of a note is aligned");
    expect_text(rules, "1.help.text",
                "On note, when not shut and reads(INT-DEMO-01, strict): require "
                "last(note).target % 4 == 0\n\n"
                "Clause DEMO-CL-001 (section 4.2; must): The target of a note is a multiple of 4, "
                "whatever its mode; a note that is shut has no target and its field is 0.\n\n\n"
                "Reading INT-DEMO-01=strict: Notes that are shut count too.\n\n"
                "assay rules show DEMO-0002");
    expect_text(rules, "0.defaultConfiguration.level", "warning");
    expect_text(rules, "2.defaultConfiguration.level", "note");
    expect_text(rules, "1.properties.tags.0", "demo");
    expect_text(rules, "1.properties.tags.1", "notes");
    json_decref(log);
}

/* Findings that are alike but for their places have the same digest and are numbered. */
static void fingerprints_do_not_depend_on_the_place(void **state)
{
    static const uint64_t others[] = {0, 6, 1, 17, 1, 3};
    (void)state;
    scenario_violates(&scenario);
    scenario_add_finding(&scenario, RULE_MUST, 0, 1201, "another target", others);
    json_t *before = report();
    for (size_t i = 0; i < 5; i++) {
        scenario.findings[RULE_MUST][i].index += 3;
        scenario.placed[RULE_MUST][i].offset += 96;
    }
    json_t *after = report();
    for (size_t i = 0; i < 6; i++) {
        const json_t *old = json_array_get(at(run_of(before), "results"), i);
        const json_t *new = json_array_get(at(run_of(after), "results"), i);
        assert_true(json_equal(at(old, "partialFingerprints"), at(new, "partialFingerprints")));
        for (size_t n = 0; n < i; n++) {
            const json_t *other = json_array_get(at(run_of(before), "results"), n);
            assert_false(
                json_equal(at(old, "partialFingerprints"), at(other, "partialFingerprints")));
        }
    }
    json_decref(before);
    json_decref(after);
}

/* By values that are published with the algorithm. */
static void fingerprints_are_fnv_1a(void **state)
{
    struct assay_hash hash;
    (void)state;
    assay_hash_begin(&hash);
    assay_hash_add(&hash, "a", 1);
    assert_int_equal(hash.high, UINT64_C(0xd228cb696f1a8caf));
    assert_int_equal(hash.low, UINT64_C(0x78912b704e4a8964));
    assay_hash_begin(&hash);
    assay_hash_add(&hash, "foobar", 6);
    assert_int_equal(hash.high, UINT64_C(0x343e1662793c64bf));
    assert_int_equal(hash.low, UINT64_C(0x6f0d3597ba446f18));
}

static void what_is_waived_is_a_suppressed_result(void **state)
{
    (void)state;
    scenario_conforms(&scenario);
    scenario_waives(&scenario);
    json_t *log = report();
    const json_t *run = run_of(log);
    assert_int_equal(json_array_size(at(run, "results")), 1);
    expect_text(run, "results.0.ruleId", "DEMO-0002");
    expect_text(run, "results.0.message.text", "3 of 1203 checks failed, which is waived");
    expect_text(run, "results.0.suppressions.0.justification", "known");
    expect_text(run, "results.0.suppressions.0.properties.owner", "somebody");
    json_decref(log);
}

static void what_was_not_judged_is_a_notification(void **state)
{
    (void)state;
    scenario_inputs(&scenario);
    json_t *log = report();
    const json_t *invocation = at(run_of(log), "invocations.0");
    assert_true(json_is_false(at(invocation, "executionSuccessful")));
    expect_text(invocation, "exitCodeDescription", "unreadable");
    expect_text(invocation, "toolExecutionNotifications.0.level", "error");
    expect_number(
        invocation,
        "toolExecutionNotifications.0.locations.0.physicalLocation.artifactLocation.index", 2);
    expect_text(invocation, "toolExecutionNotifications.1.message.text",
                "violations that are not among the results: 1 (--max-findings; 25000 of a run)");
    expect_text(invocation, "toolConfigurationNotifications.0.associatedRule.id", "DEMO-0010");
    expect_text(invocation, "toolConfigurationNotifications.0.message.text",
                "not checkable: what it needs was not given: execution");
    json_decref(log);
    scenario_incomplete(&scenario);
    scenario.streams[0].has_id = true;
    scenario.streams[0].id = 0x10;
    log = report();
    expect_text(run_of(log), "invocations.0.toolExecutionNotifications.0.message.text",
                "source 0x10: a part could not be decoded");
    expect_text(run_of(log), "invocations.0.toolExecutionNotifications.0.level", "warning");
    json_decref(log);
}

/* A diagnosis is no problem of the trace, and is not shown as one. */
static void a_diagnosis_is_a_notification(void **state)
{
    (void)state;
    scenario_diagnosed(&scenario, false);
    json_t *log = report();
    assert_int_equal(json_array_size(at(run_of(log), "results")), 0);
    const json_t *note = at(run_of(log), "invocations.0.toolExecutionNotifications.0");
    expect_text(note, "level", "note");
    expect_text(note, "associatedRule.id", "DEMO-0013");
    expect_text(note, "locations.0.logicalLocations.0.name", "record 399");
    json_decref(log);
}

static void places_are_of_the_file_that_has_the_bytes(void **state)
{
    static const struct assay_file_result files[] = {
        {.path = "one.bin", .bytes = 12700, .sha256 = "", .no_digest = "none"},
        {.path = "/two.bin", .bytes = 25860, .sha256 = ""}};
    (void)state;
    scenario_violates(&scenario);
    scenario.inputs[0].path = "runs/boot.assay.yaml";
    scenario.inputs[0].files = files;
    scenario.inputs[0].file_count = 2;
    scenario.placed[RULE_MUST][0].file = 1;
    scenario.placed[RULE_MUST][1].file = 2;
    scenario.placed[RULE_MUST][1].file_offset = 100;
    json_t *log = report();
    const json_t *results = at(run_of(log), "results");
    expect_text(results, "0.locations.0.physicalLocation.artifactLocation.uri", "runs/one.bin");
    expect_text(results, "1.locations.0.physicalLocation.artifactLocation.uri", "file:///two.bin");
    expect_number(results, "1.locations.0.physicalLocation.artifactLocation.index", 2);
    expect_number(results, "1.locations.0.physicalLocation.region.byteOffset", 100);
    assert_null(at(results, "2.locations.0.physicalLocation.region"));
    expect_text(run_of(log), "artifacts.1.description.text", "no SHA-256: none");
    json_decref(log);
    scenario_violates(&scenario);
    scenario.inputs[0].filtered = true;
    scenario.placed[RULE_MUST][0].unlocated = true;
    log = report();
    results = at(run_of(log), "results");
    assert_null(at(results, "1.locations.0.physicalLocation.region"));
    expect_number(results, "1.properties.offset", 12800);
    assert_true(json_is_null(at(results, "0.properties.offset")));
    json_decref(log);
}

static void names_of_files_are_percent_encoded(void **state)
{
    static const char *const names[][2] = {{"./a b%:.demo", "a%20b%25%3A.demo"},
                                           {"/tmp/\xc3\xa9\xff", "file:///tmp/%C3%A9%FF"},
                                           {"../x", "../x"}};
    (void)state;
    scenario_conforms(&scenario);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        scenario.inputs[0].path = names[i][0];
        json_t *log = report();
        expect_text(run_of(log), "artifacts.0.location.uri", names[i][1]);
        json_decref(log);
    }
    scenario.inputs[0].path = "-";
    json_t *log = report();
    expect_text(run_of(log), "artifacts.0.location.description.text", "standard input");
    assert_null(at(run_of(log), "artifacts.0.location.uri"));
    json_decref(log);
}

static void nothing_differs_between_runs(void **state)
{
    (void)state;
    scenario_inputs(&scenario);
    json_t *first = report();
    scenario.results.host = "elsewhere";
    scenario.results.started = "2026-01-01T00:00:00Z";
    scenario.results.seconds = 99;
    scenario.results.jobs = 7;
    json_t *second = report();
    assert_true(json_equal(first, second));
    json_decref(first);
    json_decref(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_violation_is_a_result_with_its_rule_and_place),
        cmocka_unit_test(what_is_not_violated_has_a_kind),
        cmocka_unit_test(a_result_is_new_or_unchanged_since_a_baseline),
        cmocka_unit_test(a_rule_says_what_it_requires_and_by_what),
        cmocka_unit_test(fingerprints_do_not_depend_on_the_place),
        cmocka_unit_test(fingerprints_are_fnv_1a),
        cmocka_unit_test(what_is_waived_is_a_suppressed_result),
        cmocka_unit_test(what_was_not_judged_is_a_notification),
        cmocka_unit_test(a_diagnosis_is_a_notification),
        cmocka_unit_test(places_are_of_the_file_that_has_the_bytes),
        cmocka_unit_test(names_of_files_are_percent_encoded),
        cmocka_unit_test(nothing_differs_between_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
