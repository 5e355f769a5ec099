/* The report in JSON Lines: what the JSON report has, line by line. */
#include "json_support.h"
#include "report_support.h"

static struct scenario scenario;

/* What a run of the scenario writes, as a list of its lines. */
static json_t *lines(void)
{
    char *text = written("jsonl", &scenario.results, &(struct assay_report_style){0});
    json_t *list = json_array();
    for (char *line = text; *line != '\0';) {
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        json_t *value = json_read(line);
        expect_matches(value, ASSAY_SCHEMA);
        json_array_append_new(list, value);
        line = end + 1;
    }
    free(text);
    return list;
}

static void a_run_is_told_from_start_to_end(void **state)
{
    (void)state;
    scenario_inputs(&scenario);
    scenario.placed[RULE_MUST][1].input = 0; /* findings are in the order of the inputs */
    scenario.placed[RULE_MUST][3].input = 1;
    json_t *list = lines();
    static const char *const keys[] = {"start",
                                       "input begun",
                                       "input finding",
                                       "input finding",
                                       "input finding",
                                       "input finding",
                                       "input judged",
                                       "input begun",
                                       "input finding",
                                       "input judged",
                                       "input begun",
                                       "input judged",
                                       "end"};
    const size_t count = sizeof keys / sizeof keys[0];
    assert_int_equal(json_array_size(list), count);
    for (size_t i = 0; i < count; i++) {
        expect_keys(json_array_get(list, i), keys[i]);
    }
    expect_number(list, "0.start.inputs", 3);
    expect_text(list, "0.start.options.fail-on", "must");
    expect_text(list, "1.begun.path", "boot.demo");
    expect_number(list, "7.input", 1);
    expect_number(list, "8.finding.index", 1200);
    expect_text(list, "11.judged.error.code", "unknown-format");
    expect_number(list, "12.end.totals.inputs.violates", 1);
    expect_number(list, "12.end.totals.inputs.conforms", 1);
    expect_number(list, "12.end.totals.violated", 6);
    expect_text(list, "12.end.verdict", "unreadable");
    json_decref(list);
}

/* Each line has the object that the JSON report has; together they have all of it. */
static void lines_have_what_the_json_report_has(void **state)
{
    (void)state;
    scenario_violates(&scenario);
    scenario_waives(&scenario);
    scenario_add_input(&scenario, "second.demo");
    json_t *list = lines();
    json_t *report = json_written("json", &scenario.results, ASSAY_REPORT_SCHEMA);
    json_t *whole = json_object();
    json_t *inputs = json_array();
    json_t *findings = json_array();
    size_t i;
    json_t *line;
    json_array_foreach(list, i, line)
    {
        json_object_update(whole, json_object_get(line, "start"));
        json_object_update(whole, json_object_get(line, "end"));
        json_array_append(inputs, json_object_get(line, "judged"));
        json_array_append(findings, json_object_get(line, "finding"));
    }
    json_object_set_new(whole, "inputs", inputs);
    json_object_set_new(whole, "findings", findings);
    json_object_set_new(whole, "schema", json_string("assay-report/2"));
    json_object_del(whole, "totals");
    assert_true(json_equal(whole, report));
    json_decref(whole);
    json_decref(report);
    json_decref(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_told_from_start_to_end),
        cmocka_unit_test(lines_have_what_the_json_report_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
