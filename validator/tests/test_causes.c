/* Causes, of results made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "validator/engine/causes.h"

enum { KIND_STEP = ASSAY_KIND_FIRST, KIND_ACCESS, KIND_COUNT };
enum { LEAF_HAS_ACCESS, LEAF_OTHER, LEAF_SEEN, LEAF_COUNT };
enum { RULES = 4, MOST_FINDINGS = 5, SHOWN = 2 };

static const struct assay_field step_fields[] = {
    {.name = "has_access",
     .type = ASSAY_FLAG,
     .place = ASSAY_DERIVED,
     .doc = "there is an access",
     .about = KIND_ACCESS},
    {.name = "other", .type = ASSAY_UINT, .place = ASSAY_DERIVED, .doc = "something else"}};
static const struct assay_field access_fields[] = {{.name = "address", .type = ASSAY_ADDRESS}};
static const struct assay_kind kinds[KIND_COUNT] = {
    {.name = "malformed"},
    {.name = "end"},
    {.name = "step", .title = "Step", .fields = step_fields, .field_count = 2},
    {.name = "access", .title = "Access", .fields = access_fields, .field_count = 1}};
static const char *const layers[] = {"record"};
static const struct assay_format format = {
    .layers = layers, .layer_count = 1, .kinds = kinds, .kind_count = KIND_COUNT};
static const struct assay_leaf leaves[LEAF_COUNT] = {
    [LEAF_HAS_ACCESS] = {.what = ASSAY_LEAF_FIELD, .text = "has_access", .shown = {KIND_STEP, 1}},
    [LEAF_OTHER] = {.what = ASSAY_LEAF_FIELD, .text = "other", .shown = {KIND_STEP, 2}},
    [LEAF_SEEN] = {.what = ASSAY_LEAF_SEEN, .text = "seen(access)", .number = KIND_ACCESS}};
static const struct assay_catalogue catalogue = {
    .format = &format, .leaves = leaves, .leaf_count = LEAF_COUNT};

/* Four rules, none of which failed, over one input with accesses and steps. */
static struct world {
    struct assay_results results;
    struct assay_input_result input;
    struct assay_stream_result stream;
    uint64_t events[KIND_COUNT];
    struct assay_rule_outcome outcomes[RULES];
    struct assay_rule_total totals[RULES];
    struct assay_rule rules[RULES];
    struct assay_node nodes[RULES];
    uint16_t evidence[RULES];
    struct assay_spread spread[RULES];
    struct assay_located_finding placed[RULES][MOST_FINDINGS];
    struct assay_finding findings[RULES][MOST_FINDINGS];
    struct assay_shown_event shown[RULES][MOST_FINDINGS][SHOWN];
    char lines[RULES][MOST_FINDINGS][32];
    struct assay_causes causes;
} w;

static int begin(void **state)
{
    (void)state;
    static const char *const ids[RULES] = {"T-1", "T-2", "T-3", "T-4"};
    memset(&w, 0, sizeof w);
    w.events[KIND_STEP] = w.events[KIND_ACCESS] = 1000;
    w.stream = (struct assay_stream_result){.format = &format,
                                            .events = w.events,
                                            .outcomes = w.outcomes,
                                            .outcome_count = RULES,
                                            .violations = 1};
    w.input = (struct assay_input_result){.streams = &w.stream, .stream_count = 1};
    w.results = (struct assay_results){.fail_on = ASSAY_MUST,
                                       .inputs = &w.input,
                                       .input_count = 1,
                                       .rules = w.totals,
                                       .rule_count = RULES};
    for (size_t r = 0; r < RULES; r++) {
        w.nodes[r] = (struct assay_node){.op = ASSAY_OP_LEAF, .a = LEAF_OTHER};
        w.rules[r] = (struct assay_rule){.id = ids[r],
                                         .title = "A rule",
                                         .level = ASSAY_MUST,
                                         .require = {&w.nodes[r], 1},
                                         .evidence = &w.evidence[r],
                                         .evidence_count = 1};
        w.evidence[r] = LEAF_OTHER;
        w.outcomes[r].rule = r;
        w.totals[r] = (struct assay_rule_total){.rule = &w.rules[r],
                                                .catalogue = &catalogue,
                                                .verdict = ASSAY_PASS,
                                                .findings = w.placed[r]};
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    assay_causes_free(&w.causes);
    return 0;
}

/* A rule fails; what it requires is a leaf, which differs from violation to violation. */
static void violate(size_t rule, uint64_t exercised, uint64_t violated, uint16_t leaf)
{
    w.nodes[rule].a = w.evidence[rule] = leaf;
    w.spread[rule].varies = true;
    w.totals[rule].verdict = ASSAY_FAIL;
    w.totals[rule].exercised = w.outcomes[rule].exercised = exercised;
    w.totals[rule].violated = w.outcomes[rule].violated = violated;
    w.totals[rule].spread = &w.spread[rule];
    w.totals[rule].sampled = violated;
}

/* A finding at record `index`, with an access of its group before it. */
static void add_place(size_t rule, uint64_t index, const char *access)
{
    const size_t n = w.totals[rule].finding_count++;
    snprintf(w.lines[rule][n], sizeof w.lines[rule][n], "step %u", (unsigned)index);
    w.shown[rule][n][0] = (struct assay_shown_event){
        .index = index - 1, .line = access, .kind = KIND_ACCESS, .grouped = true};
    w.shown[rule][n][1] = (struct assay_shown_event){
        .index = index, .line = w.lines[rule][n], .kind = KIND_STEP, .grouped = true};
    w.findings[rule][n] = (struct assay_finding){.kind = KIND_STEP,
                                                 .index = index,
                                                 .offset = 32 * index,
                                                 .shown = w.shown[rule][n],
                                                 .shown_count = SHOWN,
                                                 .shown_at = 1};
    w.placed[rule][n] =
        (struct assay_located_finding){.finding = &w.findings[rule][n], .offset = 32 * index};
}

static const struct assay_cause *find(size_t number)
{
    if (w.causes.list == NULL) {
        assert_int_equal(assay_causes_find(&w.results, &w.causes), ASSAY_OK);
    }
    assert_true(number < w.causes.count);
    return &w.causes.list[number];
}

static void assert_cause(size_t number, enum assay_cause_kind kind, size_t rules)
{
    const struct assay_cause *cause = find(number);
    assert_string_equal(assay_cause_name(cause->kind), assay_cause_name(kind));
    assert_int_equal(cause->rule_count, rules);
}

/* --- one rule --- */

static void without_failures_there_are_no_causes(void **state)
{
    (void)state;
    assert_int_equal(assay_causes_find(&w.results, &w.causes), ASSAY_OK);
    assert_int_equal(w.causes.count, 0);
}

static void a_rule_alone_is_a_cause_with_how_often_and_where_it_begins(void **state)
{
    (void)state;
    static const struct {
        uint64_t exercised, violated;
        enum assay_often often;
    } cases[] = {
        {5, 5, ASSAY_ALWAYS}, {5, 2, ASSAY_SOMETIMES}, {5, 1, ASSAY_ONCE}, {1, 1, ASSAY_ONCE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin(NULL);
        violate(0, cases[i].exercised, cases[i].violated, LEAF_OTHER);
        add_place(0, 7, "access");
        const struct assay_cause *cause = find(0);
        assert_cause(0, ASSAY_CAUSE_RULE, 1);
        assert_false(cause->likely);
        assert_true(cause->counts);
        assert_string_equal(cause->sentence, "A rule");
        assert_int_equal(cause->often, cases[i].often);
        assert_int_equal(cause->violated, cases[i].violated);
        assert_int_equal(cause->exercised, cases[i].exercised);
        assert_ptr_equal(cause->first, &w.placed[0][0]);
        assert_ptr_equal(cause->first_rule, &w.totals[0]);
        assay_causes_free(&w.causes);
    }
}

static void a_rule_without_a_kept_place_has_none(void **state)
{
    (void)state;
    violate(0, 5, 2, LEAF_OTHER);
    assert_null(find(0)->first);
}

/* --- always --- */

static void rules_that_ask_for_events_that_are_not_there_have_one_cause(void **state)
{
    (void)state;
    violate(0, 50, 50, LEAF_HAS_ACCESS);
    violate(1, 9, 9, LEAF_SEEN);
    violate(2, 9, 9, LEAF_OTHER);
    w.spread[0].varies = w.spread[1].varies = false;
    w.events[KIND_ACCESS] = 0;
    assert_cause(0, ASSAY_CAUSE_ABSENT, 2);
    assert_false(find(0)->likely);
    assert_string_equal(find(0)->sentence, "the trace holds no Access at all");
    assert_int_equal(find(0)->often, ASSAY_ALWAYS);
    assert_int_equal(find(0)->violated, 59);
    assert_cause(1, ASSAY_CAUSE_RULE, 1);
}

static void events_are_not_absent_where_there_are_some(void **state)
{
    (void)state;
    violate(0, 50, 50, LEAF_HAS_ACCESS);
    w.spread[0].varies = false;
    assert_cause(0, ASSAY_CAUSE_RULE, 1);
}

static void a_rule_that_holds_somewhere_lacks_nothing(void **state)
{
    (void)state;
    violate(0, 50, 49, LEAF_HAS_ACCESS);
    w.spread[0].varies = false;
    w.events[KIND_ACCESS] = 0;
    assert_cause(0, ASSAY_CAUSE_RULE, 1);
}

static void rules_that_always_find_the_same_value_likely_have_one_cause(void **state)
{
    (void)state;
    for (size_t r = 0; r < 3; r++) {
        violate(r, 10, 10, LEAF_OTHER);
        w.spread[r] = (struct assay_spread){.value = r < 2 ? 7 : 8};
    }
    assert_cause(0, ASSAY_CAUSE_VALUE, 2);
    assert_true(find(0)->likely);
    assert_string_equal(find(0)->sentence, "other is 7 each time (something else)");
    assert_cause(1, ASSAY_CAUSE_RULE, 1);
}

static void two_violations_make_no_regularity(void **state)
{
    (void)state;
    violate(0, 2, 2, LEAF_OTHER);
    violate(1, 2, 2, LEAF_OTHER);
    w.spread[0].varies = w.spread[1].varies = false;
    assert_cause(0, ASSAY_CAUSE_RULE, 1);
    assert_cause(1, ASSAY_CAUSE_RULE, 1);
}

static void inputs_that_do_not_violate_a_rule_do_not_matter(void **state)
{
    (void)state;
    static uint64_t other_events[KIND_COUNT] = {0, 1, 5, 5};
    static const struct assay_rule_outcome other_outcome = {.rule = 0, .exercised = 40};
    static const struct assay_stream_result other_stream = {
        .format = &format, .events = other_events, .outcomes = &other_outcome, .outcome_count = 1};
    violate(0, 50, 50, LEAF_HAS_ACCESS);
    w.spread[0].varies = false;
    w.events[KIND_ACCESS] = 0;
    w.totals[0].exercised = 90;
    const struct assay_input_result inputs[] = {w.input,
                                                {.streams = &other_stream, .stream_count = 1}};
    w.results.inputs = inputs;
    w.results.input_count = 2;
    assert_cause(0, ASSAY_CAUSE_ABSENT, 1);
    assert_int_equal(find(0)->often, ASSAY_ALWAYS);
    assert_int_equal(find(0)->exercised, 50);
    assert_int_equal(find(0)->inputs, 1);
    assert_string_equal(find(0)->sentence, "the traces concerned hold no Access at all");
}

/* --- the same event --- */

static void fail_at(size_t rule, uint64_t first, size_t count, const char *access)
{
    violate(rule, 100, count, LEAF_OTHER);
    for (size_t i = 0; i < count; i++) {
        add_place(rule, first + 10 * i, access);
    }
}

static void an_event_that_is_the_same_in_all_groups_is_likely_the_cause(void **state)
{
    (void)state;
    fail_at(0, 100, 3, "access 0x10");
    fail_at(1, 205, 4, "access 0x10");
    fail_at(2, 305, 3, "access 0x20");
    assert_cause(0, ASSAY_CAUSE_REPEATED, 2);
    assert_true(find(0)->likely);
    assert_string_equal(find(0)->sentence, "the same event wherever these rules fail: access 0x10");
    assert_ptr_equal(find(0)->first, &w.placed[0][0]);
    assert_cause(1, ASSAY_CAUSE_RULE, 1);
}

static void an_event_that_differs_once_is_not_the_same(void **state)
{
    (void)state;
    fail_at(0, 100, 3, "access 0x10");
    fail_at(1, 205, 3, "access 0x10");
    w.shown[1][2][0].line = "access 0x11";
    assert_cause(0, ASSAY_CAUSE_RULE, 1);
    assert_cause(1, ASSAY_CAUSE_RULE, 1);
}

static void an_event_outside_of_the_group_is_no_cause(void **state)
{
    (void)state;
    fail_at(0, 100, 3, "access 0x10");
    fail_at(1, 205, 3, "access 0x10");
    w.shown[1][1][0].grouped = false;
    assert_cause(0, ASSAY_CAUSE_RULE, 1);
}

static void a_group_that_recurs_as_a_whole_is_no_cause(void **state)
{
    (void)state;
    fail_at(0, 100, 3, "access 0x10");
    fail_at(1, 205, 3, "access 0x10");
    for (size_t n = 0; n < 3; n++) {
        w.shown[1][n][1].line = "step in a loop";
    }
    assert_cause(0, ASSAY_CAUSE_RULE, 1);
}

/* --- one place --- */

static void rules_that_mostly_hold_and_begin_to_fail_together_likely_have_one_cause(void **state)
{
    (void)state;
    fail_at(0, 500, 1, "access");
    fail_at(1, 499, 2, "access");
    fail_at(2, 700, 1, "access");
    assert_cause(0, ASSAY_CAUSE_PLACE, 2);
    assert_true(find(0)->likely);
    assert_string_equal(find(0)->sentence,
                        "these 2 rules mostly hold, and are first violated at one place");
    assert_int_equal(find(0)->violated, 3);
    assert_int_equal(find(0)->exercised, w.totals[0].exercised + w.totals[1].exercised);
    assert_int_equal(find(0)->inputs, 1);
    assert_int_equal(find(0)->first->finding->index, 499);
    assert_ptr_equal(find(0)->first_rule, &w.totals[1]);
    assert_int_equal(find(0)->often, ASSAY_SOMETIMES);
    assert_cause(1, ASSAY_CAUSE_RULE, 1);
}

static void rules_that_hold_nowhere_else_do_not_share_a_place(void **state)
{
    (void)state;
    fail_at(0, 500, 1, "access");
    fail_at(1, 500, 1, "access");
    w.totals[1].exercised = w.outcomes[1].exercised = 1;
    assert_cause(0, ASSAY_CAUSE_RULE, 1);
}

static void rules_of_different_weight_do_not_share_a_place(void **state)
{
    (void)state;
    fail_at(0, 500, 1, "access");
    fail_at(1, 500, 1, "access");
    w.rules[1].level = ASSAY_INFO;
    assert_cause(0, ASSAY_CAUSE_RULE, 1);
}

/* --- order --- */

static void the_earliest_place_is_first_whatever_is_more_frequent(void **state)
{
    (void)state;
    fail_at(0, 900, 3, "access 0x10");
    fail_at(1, 100, 1, "access 0x20");
    fail_at(2, 500, 2, "access 0x30");
    static const char *const expected[] = {"T-2", "T-3", "T-1"};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(find(i)->rules[0]->rule->id, expected[i]);
    }
    assay_causes_free(&w.causes);
    w.rules[0].level = ASSAY_MUST;
    w.rules[1].level = w.rules[2].level = ASSAY_SHOULD;
    assert_string_equal(find(0)->rules[0]->rule->id, "T-1");
}

static void what_counts_is_first_then_the_level_and_without_places_the_id(void **state)
{
    (void)state;
    static const char *const expected[] = {"T-1", "T-3", "T-4", "T-2"};
    for (size_t r = 0; r < RULES; r++) {
        violate(r, 100, 10 * r + 5, LEAF_OTHER);
    }
    w.rules[3].level = ASSAY_SHOULD;
    w.rules[1].level = ASSAY_INFO;
    for (size_t i = 0; i < RULES; i++) {
        assert_string_equal(find(i)->rules[0]->rule->id, expected[i]);
        assert_int_equal(find(i)->counts, i < 2);
    }
    assay_causes_free(&w.causes);
    for (size_t r = 0; r < 2; r++) {
        violate(r, 10, 10, LEAF_OTHER);
        w.rules[r].level = ASSAY_MUST;
        w.spread[r].varies = false;
    }
    assert_cause(0, ASSAY_CAUSE_VALUE, 2);
    assert_string_equal(find(1)->rules[0]->rule->id, "T-3");
}

/* --- diagnoses --- */

/* Rule number 3 is a diagnosis of violations of rule `explained`, or of any where that is null; it
 * is recognised in the stream that the world has, or in one that is added. */
static void recognise(const char *const *explained, bool in_other_stream)
{
    static struct assay_stream_result streams[2];
    static struct assay_rule_outcome outcome;
    w.rules[3].diagnosis = true;
    w.rules[3].level = ASSAY_INFO;
    w.rules[3].explains = explained;
    w.rules[3].explain_count = explained != NULL;
    w.rules[3].explains_any = explained == NULL;
    violate(3, 2, 2, LEAF_OTHER);
    w.totals[3].verdict = ASSAY_RECOGNISED;
    add_place(3, 40, "access 1");
    w.findings[3][0].message = "it was like this";
    if (in_other_stream) {
        outcome = w.outcomes[3];
        w.outcomes[3].violated = 0;
        w.placed[3][0].stream = 1;
        streams[0] = w.stream;
        streams[1] = w.stream;
        streams[1].outcomes = &outcome;
        streams[1].outcome_count = 1;
        streams[1].violations = 0;
        w.input.streams = streams;
        w.input.stream_count = 2;
    }
}

static void a_diagnosis_is_beside_the_cause_whose_rule_it_names(void **state)
{
    (void)state;
    static const char *const explained[] = {"T-2"};
    violate(0, 10, 9, LEAF_OTHER);
    violate(1, 10, 5, LEAF_OTHER);
    recognise(explained, false);
    assert_cause(0, ASSAY_CAUSE_RULE, 1);
    assert_int_equal(w.causes.count, 2);
    assert_int_equal(find(0)->diagnosis_count, 0);
    assert_int_equal(find(1)->diagnosis_count, 1);
    assert_string_equal(find(1)->diagnoses[0].sentence, "it was like this");
    assert_int_equal(find(1)->diagnoses[0].first->finding->index, 40);
    assert_int_equal(w.causes.other_count, 0);
}

static void a_diagnosis_of_any_rule_is_beside_all_causes(void **state)
{
    (void)state;
    violate(0, 10, 9, LEAF_OTHER);
    violate(1, 10, 5, LEAF_OTHER);
    recognise(NULL, false);
    assert_int_equal(find(0)->diagnosis_count, 1);
    assert_int_equal(find(1)->diagnosis_count, 1);
}

static void a_diagnosis_without_a_kept_place_says_its_title(void **state)
{
    (void)state;
    violate(0, 10, 9, LEAF_OTHER);
    recognise(NULL, false);
    w.totals[3].finding_count = 0;
    assert_string_equal(find(0)->diagnoses[0].sentence, "A rule");
    assert_null(find(0)->diagnoses[0].first);
}

static void a_diagnosis_in_another_stream_explains_nothing_in_this_one(void **state)
{
    (void)state;
    violate(0, 10, 9, LEAF_OTHER);
    recognise(NULL, true);
    assert_int_equal(find(0)->diagnosis_count, 0);
    assert_int_equal(w.causes.other_count, 1);
    assert_string_equal(w.causes.others[0].sentence, "it was like this");
}

static void a_diagnosis_is_no_cause_and_counts_at_no_level(void **state)
{
    (void)state;
    recognise(NULL, false);
    w.results.fail_on = ASSAY_INFO;
    assert_int_equal(assay_causes_find(&w.results, &w.causes), ASSAY_OK);
    assert_int_equal(w.causes.count, 0);
    assert_int_equal(w.causes.other_count, 1);
    assert_false(assay_rule_counts(&w.results, &w.rules[3]));
    assert_true(assay_rule_counts(&w.results, &w.rules[0]));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(without_failures_there_are_no_causes),
        CASE(a_rule_alone_is_a_cause_with_how_often_and_where_it_begins),
        CASE(a_rule_without_a_kept_place_has_none),
        CASE(rules_that_ask_for_events_that_are_not_there_have_one_cause),
        CASE(events_are_not_absent_where_there_are_some),
        CASE(a_rule_that_holds_somewhere_lacks_nothing),
        CASE(rules_that_always_find_the_same_value_likely_have_one_cause),
        CASE(two_violations_make_no_regularity),
        CASE(inputs_that_do_not_violate_a_rule_do_not_matter),
        CASE(an_event_that_is_the_same_in_all_groups_is_likely_the_cause),
        CASE(an_event_that_differs_once_is_not_the_same),
        CASE(an_event_outside_of_the_group_is_no_cause),
        CASE(a_group_that_recurs_as_a_whole_is_no_cause),
        CASE(rules_that_mostly_hold_and_begin_to_fail_together_likely_have_one_cause),
        CASE(rules_that_hold_nowhere_else_do_not_share_a_place),
        CASE(rules_of_different_weight_do_not_share_a_place),
        CASE(a_diagnosis_is_beside_the_cause_whose_rule_it_names),
        CASE(a_diagnosis_of_any_rule_is_beside_all_causes),
        CASE(a_diagnosis_without_a_kept_place_says_its_title),
        CASE(a_diagnosis_in_another_stream_explains_nothing_in_this_one),
        CASE(a_diagnosis_is_no_cause_and_counts_at_no_level),
        CASE(the_earliest_place_is_first_whatever_is_more_frequent),
        CASE(what_counts_is_first_then_the_level_and_without_places_the_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
