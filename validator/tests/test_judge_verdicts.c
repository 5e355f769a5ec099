/* What a judge says of each rule, and what it needs for that. */
#include "validator/tests/judge_support.h"

#include "model/parameters.h"

static const char verdict_rules[] =
    "rules:\n"
    "  - {id: T-1, title: t, clauses: [T-1], level: must, on: item, when: 'n > 5', require: "
    "'n < 10', say: s}\n"
    "  - {id: T-2, title: t, clauses: [T-1], level: must, on: mark, require: 'n < 10', say: s}\n"
    "  - {id: T-3, title: t, clauses: [T-1], level: must, on: item, require: 'n < fact(T0SZ)', "
    "say: s, needs: ['facts:T0SZ']}\n"
    "  - {id: T-4, title: t, clauses: [T-1], level: must, on: item, when: 'fact(FEAT_SVE)', "
    "require: 'n == fact(page_size)', say: s, needs: [execution, 'facts:FEAT_SVE', "
    "'facts:page_size']}\n"
    "  - {id: T-5, title: t, clauses: [T-1], level: must, on: any, when: 'kind == item', require: "
    "'n_seen < 2', say: s}\n";

static void a_rule_says_one_of_five_things(void **state)
{
    (void)state;
    char rules[2048];
    snprintf(rules, sizeof rules, "state: {n_seen: {init: 0, on: {item: n_seen + 1}}}\n%s",
             verdict_rules);
    const bool deselected[] = {false, false, false, false, true};
    struct assay_facts facts = {0};
    facts.known[ASSAY_FACT_FEAT_SVE] = true;
    struct stream *s = new_stream();
    add(s, TOY_ITEM, 3);
    add(s, TOY_ITEM, 7);
    add(s, TOY_ITEM, 200);
    struct bench b =
        open_bench(rules, (struct assay_judge_settings){.deselected = deselected, .facts = &facts});
    feed(&b, s, 3);
    static const struct {
        enum assay_verdict verdict;
        uint64_t exercised, violated;
    } expected[] = {{ASSAY_FAIL, 2, 1},
                    {ASSAY_NOT_EXERCISED, 0, 0},
                    {ASSAY_NOT_CHECKABLE, 0, 0},
                    {ASSAY_NOT_CHECKABLE, 0, 0},
                    {ASSAY_DESELECTED, 0, 0}};
    for (size_t r = 0; r < COUNT(expected); r++) {
        const struct assay_rule_result result = assay_judge_result(b.judge, r);
        assert_int_equal(result.verdict, expected[r].verdict);
        assert_int_equal(result.exercised, expected[r].exercised);
        assert_int_equal(result.violated, expected[r].violated);
    }
    const char *missing[4] = {NULL};
    assert_int_equal(assay_judge_missing(b.judge, 0, missing, 4), 0);
    assert_int_equal(assay_judge_missing(b.judge, 2, missing, 4), 1);
    assert_string_equal(missing[0], "facts:T0SZ");
    assert_int_equal(assay_judge_missing(b.judge, 3, missing, 4), 2);
    assert_string_equal(missing[0], "execution");
    assert_string_equal(missing[1], "facts:page_size");
    assert_int_equal(assay_judge_missing(b.judge, 3, NULL, 0), 2);
    close_bench(&b);
    free(s);
}

static void with_all_that_it_needs_a_rule_is_checked_by_the_values_given(void **state)
{
    (void)state;
    char rules[2048];
    snprintf(rules, sizeof rules, "state: {n_seen: {init: 0, on: {item: n_seen + 1}}}\n%s",
             verdict_rules);
    struct stream *s = new_stream();
    add(s, TOY_ITEM, 30);
    add(s, TOY_ITEM, 20);
    for (unsigned sve = 0; sve < 2; sve++) {
        struct assay_facts facts = {0};
        facts.known[ASSAY_FACT_T0SZ] = true;
        facts.value[ASSAY_FACT_T0SZ] = 25;
        facts.known[ASSAY_FACT_FEAT_SVE] = true;
        facts.value[ASSAY_FACT_FEAT_SVE] = sve;
        facts.known[ASSAY_FACT_page_size] = true;
        facts.value[ASSAY_FACT_page_size] = 20;
        struct bench b = open_bench(
            rules, (struct assay_judge_settings){.facts = &facts, .given = ASSAY_NEED_EXECUTION});
        feed(&b, s, 2);
        assert_int_equal(assay_judge_result(b.judge, 2).violated, 1);
        assert_int_equal(assay_judge_result(b.judge, 3).exercised, 2 * sve);
        assert_int_equal(assay_judge_result(b.judge, 3).violated, sve);
        assert_int_equal(assay_judge_result(b.judge, 4).verdict, ASSAY_PASS);
        close_bench(&b);
    }
    free(s);
}

static void a_parameter_with_a_default_is_that_where_nobody_gave_it(void **state)
{
    (void)state;
    static const char rules[] =
        "state: {due: {init: 0, on: {item: 'config(WIDTH, 8) + config(WIDTH, 16)'}}}\n"
        "rules:\n  - {id: T-1, title: t, clauses: [T-1], level: must, on: item, "
        "require: 'n == config(WIDTH, 8)', say: s}\n"
        "  - {id: T-2, title: t, clauses: [T-1], level: must, on: item, when: "
        "'config(WHOLE, false)', require: 'n == 0', say: s}\n"
        "  - {id: T-3, title: t, clauses: [T-1], level: must, on: item, when: "
        "'config(WHOLE, true)', require: 'n == 0', say: s}\n"
        "  - {id: T-4, title: t, clauses: [T-1], level: must, on: item, when: 'seen(item)', "
        "require: 'n == due', say: s}\n"
        "  - {id: T-5, title: t, clauses: [T-1], level: must, on: item, "
        "require: 'n == config(WIDTH)', say: s, needs: ['config:WIDTH']}\n"
        "  - {id: T-6, title: t, clauses: [T-1], level: must, on: item, when: 'n == 12', "
        "require: 'config(WIDTH.STEP) == 3', say: s, needs: ['config:WIDTH']}\n";
    static const struct {
        bool given;
        uint64_t width, first, second, whole; /* what rules 1 and 4 want; violations of 2 */
    } cases[] = {{false, 0, 8, 24, 0}, {true, 12, 12, 24, 1}, {true, 8, 8, 16, 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct assay_parameter_values values;
        assay_parameters_init(&values, toy_format.parameters);
        values.known[TOY_WIDTH] = values.known[TOY_WHOLE] = cases[i].given;
        values.value[TOY_WIDTH] = cases[i].width;
        values.value[TOY_WHOLE] = cases[i].given;
        struct stream *s = new_stream();
        add(s, TOY_ITEM, cases[i].first);
        add(s, TOY_ITEM, cases[i].second);
        struct bench b = open_bench(rules, (struct assay_judge_settings){.parameters = &values});
        feed(&b, s, 2);
        assert_int_equal(assay_judge_result(b.judge, 0).exercised, 2);
        assert_int_equal(assay_judge_result(b.judge, 0).violated, 1);
        assert_int_equal(assay_judge_result(b.judge, 1).exercised, 2 * cases[i].whole);
        assert_int_equal(assay_judge_result(b.judge, 2).exercised, 2);
        assert_int_equal(assay_judge_result(b.judge, 3).verdict, ASSAY_PASS);
        assert_int_equal(assay_judge_result(b.judge, 4).verdict,
                         cases[i].given ? ASSAY_FAIL : ASSAY_NOT_CHECKABLE);
        assert_int_equal(assay_judge_result(b.judge, 5).verdict, cases[i].width == 12 ? ASSAY_PASS
                                                                 : cases[i].width == 0
                                                                     ? ASSAY_NOT_CHECKABLE
                                                                     : ASSAY_NOT_EXERCISED);
        close_bench(&b);
        free(s);
    }
}

static void the_chosen_reading_decides_and_the_default_holds_otherwise(void **state)
{
    (void)state;
    static const char rules[] =
        "rules:\n  - {id: T-1, title: t, clauses: [T-1], level: must, on: item, when: "
        "'reads(INT-T-1, zero)', require: 'n == 0', say: s}\n"
        "  - {id: T-2, title: t, clauses: [T-1], level: must, on: item, when: "
        "'reads(INT-T-1, not_so)', require: 'n == 0', say: s}\n";
    const uint16_t readings[] = {0, 1};
    struct stream *s = new_stream();
    add(s, TOY_ITEM, 1);
    for (unsigned i = 0; i < 3; i++) {
        struct bench b = open_bench(
            rules, (struct assay_judge_settings){.readings = i < 2 ? &readings[i] : NULL});
        feed(&b, s, 1);
        assert_int_equal(assay_judge_result(b.judge, 0).violated, i != 1);
        assert_int_equal(assay_judge_result(b.judge, 1).violated, i == 1);
        close_bench(&b);
    }
    free(s);
}

static void a_rule_is_asked_for_the_kinds_that_it_names(void **state)
{
    (void)state;
    static const struct {
        const char *on;
        uint64_t exercised;
    } cases[] = {{"item", 3}, {"mark", 2},         {"[item, mark]", 5},
                 {"any", 6},  {"any(element)", 2}, {"end", 1}};
    struct stream *s = new_stream();
    static const unsigned kinds[] = {TOY_ITEM, TOY_MARK, TOY_ATOM, TOY_ITEM,
                                     TOY_ITEM, TOY_MARK, TOY_ATOM, ASSAY_KIND_END};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        add(s, kinds[i], 0);
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        char rules[512];
        snprintf(rules, sizeof rules, SAY("%s", "s"), cases[i].on);
        struct bench b = open_bench(rules, (struct assay_judge_settings){.max_findings = 1});
        feed(&b, s, 3);
        assert_int_equal(assay_judge_result(b.judge, 0).exercised, cases[i].exercised);
        close_bench(&b);
    }
    free(s);
}

static void a_diagnosis_is_recognised_or_not_exercised(void **state)
{
    (void)state;
    static const char rules[] =
        "rules:\n  - {id: T-1, title: t, explains: any, level: info, on: item, when: 'n > 5', "
        "say: 'n is {n}'}\n"
        "  - {id: T-2, title: t, explains: [T-3], level: info, on: item, when: 'n > 100', say: s}\n"
        "  - {id: T-3, title: t, clauses: [T-1], level: must, on: item, require: 'n < 200', "
        "say: s}\n";
    struct stream *s = new_stream();
    add(s, TOY_ITEM, 3);
    add(s, TOY_ITEM, 7);
    add(s, TOY_ITEM, 8);
    struct bench b = open_bench(rules, (struct assay_judge_settings){.max_findings = 1});
    feed(&b, s, 2);
    const struct assay_rule_result recognised = assay_judge_result(b.judge, 0);
    assert_string_equal(assay_verdict_name(recognised.verdict), "recognised");
    assert_int_equal(recognised.exercised, 2);
    assert_int_equal(recognised.violated, 2);
    assert_string_equal(recognised.findings[0]->message, "n is 7");
    assert_int_equal(assay_judge_result(b.judge, 1).verdict, ASSAY_NOT_EXERCISED);
    assert_int_equal(assay_judge_result(b.judge, 2).verdict, ASSAY_PASS);
    close_bench(&b);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_says_one_of_five_things),
        cmocka_unit_test(with_all_that_it_needs_a_rule_is_checked_by_the_values_given),
        cmocka_unit_test(a_parameter_with_a_default_is_that_where_nobody_gave_it),
        cmocka_unit_test(the_chosen_reading_decides_and_the_default_holds_otherwise),
        cmocka_unit_test(a_diagnosis_is_recognised_or_not_exercised),
        cmocka_unit_test(a_rule_is_asked_for_the_kinds_that_it_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
