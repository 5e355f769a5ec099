/* The JUnit report: valid, counted, and true to the verdict. */
#include "report_support.h"
#include "reports/baseline.h"

#include <stdio.h>

#include <libxml/parser.h>
#include <libxml/xmlschemas.h>
#include <libxml/xpath.h>

static struct scenario scenario;
static uint8_t verdicts[RULE_COUNT + 1];

/* The report, which matches the schema; freed by the caller. */
static xmlDocPtr report(void)
{
    char *text = written("junit", &scenario.results, &(struct assay_report_style){0});
    xmlDocPtr document = xmlReadMemory(text, (int)strlen(text), "report", NULL, XML_PARSE_NOERROR);
    if (document == NULL) {
        fail_msg("no XML:\n%s", text);
    }
    free(text);
    xmlSchemaParserCtxtPtr parser = xmlSchemaNewParserCtxt(ASSAY_SCHEMA);
    xmlSchemaPtr schema = xmlSchemaParse(parser);
    xmlSchemaValidCtxtPtr valid = xmlSchemaNewValidCtxt(schema);
    assert_non_null(valid);
    assert_int_equal(xmlSchemaValidateDoc(valid, document), 0);
    xmlSchemaFreeValidCtxt(valid);
    xmlSchemaFree(schema);
    xmlSchemaFreeParserCtxt(parser);
    return document;
}

/* The number, or the text, that a path of XPath gives. */
static double number_at(xmlDocPtr document, const char *path)
{
    xmlXPathContextPtr context = xmlXPathNewContext(document);
    xmlXPathObjectPtr found = xmlXPathEvalExpression(BAD_CAST path, context);
    assert_non_null(found);
    const double number = xmlXPathCastToNumber(found);
    xmlXPathFreeObject(found);
    xmlXPathFreeContext(context);
    return number;
}

static void expect_number(xmlDocPtr document, const char *path, double expected)
{
    const double number = number_at(document, path);
    if (!(number >= expected && number <= expected)) {
        fail_msg("%s is %g, and not %g", path, number, expected);
    }
}

static void expect_text(xmlDocPtr document, const char *path, const char *expected)
{
    xmlXPathContextPtr context = xmlXPathNewContext(document);
    xmlXPathObjectPtr found = xmlXPathEvalExpression(BAD_CAST path, context);
    assert_non_null(found);
    xmlChar *text = xmlXPathCastToString(found);
    assert_string_equal((const char *)text, expected);
    xmlFree(text);
    xmlXPathFreeObject(found);
    xmlXPathFreeContext(context);
}

/* The text at a path of the report of the scenario. */
static void expect_report(const char *path, const char *expected)
{
    xmlDocPtr document = report();
    expect_text(document, path, expected);
    xmlFreeDoc(document);
}

/* The counts of the root and of the first suite are those of what they hold. */
static void expect_counted(xmlDocPtr document)
{
    static const char *const counts[][2] = {{"tests", "testcase"},
                                            {"failures", "testcase/failure"},
                                            {"errors", "testcase/error"},
                                            {"skipped", "testcase/skipped"}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        char path[96];
        snprintf(path, sizeof path, "count(/testsuites/testsuite[1]/%s)", counts[i][1]);
        const double in_suite = number_at(document, path);
        snprintf(path, sizeof path, "/testsuites/testsuite[1]/@%s", counts[i][0]);
        expect_number(document, path, in_suite);
        if (i < 3) {
            snprintf(path, sizeof path, "count(/testsuites/testsuite/%s)", counts[i][1]);
            const double in_all = number_at(document, path);
            snprintf(path, sizeof path, "/testsuites/@%s", counts[i][0]);
            expect_number(document, path, in_all);
        }
    }
}

/* Of each verdict one, of the first input. */
static void set_verdicts(void)
{
    memset(verdicts, ASSAY_NOT_EXERCISED, sizeof verdicts);
    verdicts[RULE_SHOULD] = ASSAY_FAIL;
    verdicts[RULE_MUST] = ASSAY_FAIL;
    verdicts[RULE_INFO] = ASSAY_PASS;
    verdicts[RULE_QUIET_2] = ASSAY_WAIVED;
    verdicts[RULE_QUIET_3] = ASSAY_DESELECTED;
    verdicts[RULE_NEEDS_EXECUTION] = ASSAY_NOT_CHECKABLE;
    verdicts[RULE_NEEDS_EXECUTION_2] = ASSAY_NOT_APPLICABLE;
    verdicts[RULE_NEEDS_FACTS] = ASSAY_NOT_CHECKABLE;
    verdicts[RULE_DIAGNOSIS] = ASSAY_RECOGNISED;
    verdicts[RULE_COUNT] = ASSAY_VERDICT_COUNT; /* of another format */
    scenario.streams[0].verdicts = verdicts;
}

static xmlDocPtr report_of_violations(void)
{
    scenario_violates(&scenario);
    set_verdicts();
    return report();
}

static void a_rule_is_a_case_and_a_violated_one_a_failure(void **state)
{
    (void)state;
    xmlDocPtr document = report_of_violations();
    expect_counted(document);
    expect_text(document, "/testsuites/testsuite/@name", "boot.demo");
    expect_text(document, "/testsuites/testsuite/@package", "demo-2.0");
    expect_number(document, "count(//failure)", 1);
    expect_text(document, "//testcase[failure]/@classname", "demo.notes");
    expect_text(document, "//testcase[failure]/@name", "DEMO-0002 The target of a note is aligned");
    expect_text(document, "//failure/@type", "must");
    expect_text(document, "//failure/@message", "5 of 1203 checks failed");
    expect_text(
        document, "//failure",
        "clauses DEMO-CL-001; assay rules show DEMO-0002\n"
        "record 0 (note) at byte 0x0: the target 0xffff000000001002 is not a multiple of 4\n"
        "record 400 (note) at byte 0x3200: the target 0xffff000000001002 is not a multiple of 4\n"
        "record 800 (note) at byte 0x6400: the target 0xffff000000001002 is not a multiple of 4\n"
        "record 1200 (note) at byte 0x9600: the target 0xffff000000001002 is not a multiple of 4\n"
        "more are not shown: 1 (--max-findings)\n");
    xmlFreeDoc(document);
}

/* The violations of the must rule are all known: the run conforms by what is new. */
static void what_a_baseline_has_fails_no_case(void **state)
{
    const struct assay_baseline_result known = {.path = "old.json", .known = 5};
    (void)state;
    xmlFreeDoc(report_of_violations());
    scenario.results.baseline = &known;
    xmlDocPtr document = report();
    expect_counted(document);
    expect_number(document, "count(//failure)", 0);
    expect_text(document, "//testcase[starts-with(@name, 'DEMO-0002')]/skipped/@message",
                "5 of 1203 checks failed, as in the baseline");
    xmlFreeDoc(document);
    const struct assay_located_finding *fresh[] = {&scenario.rules[RULE_MUST].findings[1]};
    const struct assay_baseline_change change = {.rule = scenario.rules[RULE_MUST].rule,
                                                 .fresh = 1};
    const struct assay_baseline_result one = {.path = "old.json",
                                              .fresh = 1,
                                              .changes = &change,
                                              .change_count = 1,
                                              .findings = fresh,
                                              .finding_count = 1};
    scenario.results.baseline = &one;
    document = report();
    expect_counted(document);
    expect_number(document, "count(//failure)", 1);
    expect_number(document, "contains(//failure, 'record 0 (note) at byte 0x0 (known): ')", 1);
    expect_number(document, "contains(//failure, 'record 400 (note) at byte 0x3200 (new): ')", 1);
    xmlFreeDoc(document);
    scenario.results.baseline = NULL;
}

static void what_is_waived_says_by_whom(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    set_verdicts();
    scenario_waives(&scenario);
    verdicts[RULE_MUST] = ASSAY_WAIVED;
    expect_report("//testcase[starts-with(@name, 'DEMO-0002')]/skipped/@message",
                  "waived by somebody until 2999-12-31: known; https://example.org/1");
}

static void what_is_skipped_says_why(void **state)
{
    (void)state;
    xmlDocPtr document = report_of_violations();
    expect_text(document, "//testcase[starts-with(@name, 'DEMO-0001')]/skipped/@message",
                "1 of 1 checks failed, which the verdict does not count");
    expect_text(document, "//testcase[starts-with(@name, 'DEMO-0004')]/skipped/@message",
                "not exercised: nothing to check");
    expect_text(document, "//testcase[starts-with(@name, 'DEMO-0005')]/skipped/@message", "waived");
    expect_text(document, "//testcase[starts-with(@name, 'DEMO-0010')]/skipped/@message",
                "not checkable: what it needs was not given: execution");
    expect_text(document, "//testcase[starts-with(@name, 'DEMO-0011')]/skipped/@message",
                "not checkable: what it needs was not given: facts:FEAT_SVE, facts:FEAT_SME");
    expect_number(document, "count(//testcase[starts-with(@name, 'DEMO-0003')]/*)", 0);
    /* left out, of another profile, a diagnosis, of another format */
    expect_number(document, "count(//testcase[starts-with(@name, 'DEMO-0006')])", 0);
    expect_number(document, "count(//testcase[starts-with(@name, 'DEMO-0012')])", 0);
    expect_number(document, "count(//testcase[starts-with(@name, 'DEMO-0013')])", 0);
    expect_number(document, "count(//testcase[starts-with(@name, 'OTHER')])", 0);
    xmlFreeDoc(document);
}

static void a_level_that_counts_is_a_failure(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    set_verdicts();
    scenario.results.fail_on = ASSAY_SHOULD;
    xmlDocPtr document = report();
    expect_counted(document);
    expect_number(document, "count(//failure)", 2);
    expect_text(document, "//failure[1]/@type", "should");
    xmlFreeDoc(document);
}

static void what_was_not_judged_whole_is_an_error(void **state)
{
    (void)state;
    scenario_incomplete(&scenario);
    set_verdicts();
    verdicts[RULE_MUST] = ASSAY_PASS;
    xmlDocPtr document = report();
    expect_counted(document);
    expect_number(document, "count(//error)", 1);
    expect_text(document, "//testcase[error]/@classname", "assay.input");
    expect_text(document, "//error/@type", "incomplete");
    xmlFreeDoc(document);
    scenario_conforms(&scenario);
    scenario.streams[0].conclusion = ASSAY_INCOMPLETE;
    expect_report("//error/@message", "nothing in it was checked");
    scenario.inputs[0].bytes = 0;
    expect_report("//error/@message", "there is nothing in it");
    scenario_conforms(&scenario);
    scenario.inputs[0].changed = true;
    expect_report("//error/@message", "a file changed while it was judged");
    scenario_conforms(&scenario);
    scenario.inputs[0].interrupted = true;
    expect_report("//error/@message", "the run was interrupted");
}

static void an_unreadable_input_is_a_suite_with_an_error(void **state)
{
    (void)state;
    scenario_inputs(&scenario);
    set_verdicts();
    xmlDocPtr document = report();
    expect_counted(document);
    expect_number(document, "count(//testsuite)", 3);
    expect_text(document, "//error/@type", "unreadable");
    expect_text(document, "//testsuite[testcase/error]/@id", "2");
    xmlFreeDoc(document);
}

/* A finding stands in the suite of its input. */
static void findings_are_told_apart_by_input(void **state)
{
    static const uint64_t values[] = {0, 6, 1, 17, 1, 3};
    (void)state;
    scenario_violates(&scenario);
    set_verdicts();
    scenario_add_input(&scenario, "quiet.demo");
    scenario_add_input(&scenario, "second.demo");
    scenario.streams[2] = scenario.streams[0];
    scenario_add_finding(&scenario, RULE_MUST, 2, 7, "of the second", values);
    xmlDocPtr document = report();
    expect_counted(document);
    expect_text(document, "//testsuite[@name = 'second.demo']//failure",
                "clauses DEMO-CL-001; assay rules show DEMO-0002\n"
                "record 7 (note) at byte 0xe0: of the second\n"
                "more are not shown: 4 (--max-findings)\n");
    expect_number(document, "count(//testsuite[@name = 'quiet.demo']/testcase)", 1);
    xmlFreeDoc(document);
}

static void a_source_of_a_capture_is_named(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    set_verdicts();
    scenario.streams[0].has_id = true;
    scenario.streams[0].id = 0x10;
    scenario.placed[RULE_MUST][0].offset = 0x44;
    scenario.placed[RULE_MUST][1].unlocated = true;
    xmlDocPtr document = report();
    expect_text(document, "//property[@name = 'source']/@value", "0x10");
    expect_number(document,
                  "count(//failure[contains(., 'at byte 0x44, byte 0x0 of source 0x10: ')])", 1);
    expect_number(document, "count(//failure[contains(., 'at byte 0x3200 of its stream: ')])", 1);
    xmlFreeDoc(document);
}

/* A name is bytes, and XML is not. */
static void bytes_that_xml_cannot_hold_are_numbered(void **state)
{
    (void)state;
    scenario_conforms(&scenario);
    scenario.inputs[0].path = "a\x01\xff\"<&.demo";
    expect_report("//testsuite/@name", "a\\x01\\xff\"<&.demo");
    scenario.inputs[0].path = "\xef\xbf\xbf \xc3\xa9";
    expect_report("//testsuite/@name", "\\xef\\xbf\\xbf \\xc3\\xa9");
    static const char *const none[][2] = {{"\xed\xa0\x80", "\\xed\\xa0\\x80"},
                                          {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
                                          {"\xc0\xaf", "\\xc0\\xaf"},
                                          {"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"},
                                          {"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"},
                                          {"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
                                          {"\xc3", "\\xc3"},
                                          {"\xe2\x82", "\\xe2\\x82"},
                                          {"\xe2\x82\xc0", "\\xe2\\x82\\xc0"}};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        scenario.inputs[0].path = none[i][0];
        expect_report("//testsuite/@name", none[i][1]);
    }
    static const char *const some[] = {"\xdf\xbf",         "\xe0\xa0\x80",    "\xed\x9f\xbf",
                                       "\xee\x80\x80",     "\xef\xbf\xbd",    "\xf0\x90\x80\x80",
                                       "\xf3\xbf\xbf\xbd", "\xf4\x8f\xbf\xbd"};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        scenario.inputs[0].path = some[i];
        expect_report("//testsuite/@name", some[i]);
    }
    scenario.inputs[0].path = "\xc3\xa9.demo";
    expect_report("//testsuite/@name", "\xc3\xa9.demo");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_is_a_case_and_a_violated_one_a_failure),
        cmocka_unit_test(what_a_baseline_has_fails_no_case),
        cmocka_unit_test(what_is_waived_says_by_whom),
        cmocka_unit_test(what_is_skipped_says_why),
        cmocka_unit_test(a_level_that_counts_is_a_failure),
        cmocka_unit_test(what_was_not_judged_whole_is_an_error),
        cmocka_unit_test(an_unreadable_input_is_a_suite_with_an_error),
        cmocka_unit_test(findings_are_told_apart_by_input),
        cmocka_unit_test(a_source_of_a_capture_is_named),
        cmocka_unit_test(bytes_that_xml_cannot_hold_are_numbered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
