/* The judge, on events that are made by hand. */
#include <limits.h>

#include "common/tests/random.h"
#include "validator/tests/judge_support.h"

/* What a rule that always fails says of each event of its kinds. */
static void assert_said(const char *rules, const struct stream *s, const char *const *expected)
{
    struct bench b = open_bench(rules, (struct assay_judge_settings){.max_findings = MOST});
    feed(&b, s, 2);
    const struct assay_rule_result result = assay_judge_result(b.judge, 0);
    size_t n = 0;
    for (; expected[n] != NULL; n++) {
        assert_true(n < result.finding_count);
        assert_string_equal(result.findings[n]->message, expected[n]);
    }
    assert_int_equal(result.finding_count, n);
    assert_int_equal(result.violated, n);
    close_bench(&b);
}

/* --- what a rule reads --- */

static void prev_is_the_event_before_in_the_same_layer(void **state)
{
    (void)state;
    struct stream *s = new_stream();
    add(s, TOY_ITEM, 1);
    add(s, TOY_ATOM, 2);
    add(s, TOY_MARK, 300);
    add(s, TOY_ATOM, 4);
    add(s, TOY_ITEM, 5);
    add(s, ASSAY_KIND_MALFORMED, 0);
    add(s, TOY_ITEM, 6);
    static const char *const packets[] = {"Item after End: 0",       "Mark after Item: 1",
                                          "Item after Mark: 300",    "Malformed after Item: 5",
                                          "Item after Malformed: 0", NULL};
    static const char *const elements[] = {"Atom after End: 0", "Atom after Atom: 2", NULL};
    assert_said(SAY("any", "{kind} after {prev.kind}: {prev.n}"), s, packets);
    assert_said(SAY("any(packet)", "{kind} after {prev.kind}: {prev.n}"), s, packets);
    assert_said(SAY("any(element)", "{kind} after {prev.kind}: {prev.n}"), s, elements);
    free(s);
}

static void last_is_the_latest_event_of_a_kind_before_this_one(void **state)
{
    (void)state;
    struct stream *s = new_stream();
    add(s, TOY_ITEM, 1);
    add(s, TOY_ITEM, 2);
    add(s, TOY_MARK, 300);
    add(s, TOY_ATOM, 9);
    add(s, TOY_ITEM, 3);
    add(s, TOY_ITEM, 4);
    static const char *const expected[] = {"0 0", "1 0", "2 0", "2 300", "3 300", NULL};
    assert_said(SAY("any", "{last(item).n} {last(mark).n}"), s, expected);
    free(s);
}

static void seen_and_count_are_of_the_events_before(void **state)
{
    (void)state;
    struct stream *s = new_stream();
    add(s, TOY_ITEM, 1);
    add(s, TOY_MARK, 2);
    add(s, TOY_ITEM, 3);
    add(s, TOY_ATOM, 3);
    add(s, TOY_ITEM, 3);
    static const char *const expected[] = {"false 0", "true 1", "true 1", "true 2", NULL};
    assert_said(SAY("any", "{seen(item)} {count(item)}"), s, expected);
    free(s);
}

static void state_is_judged_first_and_changed_all_at_once_afterwards(void **state)
{
    (void)state;
    static const char rules[] = "state:\n"
                                "  a: {init: 1, on: {item: a + n}}\n"
                                "  b: {init: 7, on: {item: a, mark: 0}}\n"
                                "  last_one: {init: 0, on: {any: 1, item: 2, mark: 3}}\n" //
        SAY("any", "{a} {b} {last_one}");
    struct stream *s = new_stream();
    add(s, TOY_ITEM, 10);
    add(s, TOY_ITEM, 20);
    add(s, TOY_MARK, 5);
    add(s, TOY_ATOM, 5);
    add(s, TOY_ITEM, 30);
    add(s, TOY_ITEM, 0);
    static const char *const expected[] = {"1 7 0", "11 1 2", "31 11 2", "31 0 3", "61 31 2", NULL};
    assert_said(rules, s, expected);
    free(s);
}

static void from_reads_the_event_of_the_layer_below(void **state)
{
    (void)state;
    struct stream *s = new_stream();
    const struct assay_event *item = add(s, TOY_ITEM, 200);
    const struct assay_event *mark = add(s, TOY_MARK, 300);
    add(s, TOY_ATOM, 1)->from = item;
    add(s, TOY_ATOM, 2)->from = mark;
    add(s, TOY_ATOM, 3)->from = NULL;
    toy_set(&s->memory[1], TOY_MARK, "only_mark", 77);
    static const char *const expected[] = {"1: 200 0", "2: 300 77", "3: 0 0", NULL};
    assert_said(SAY("atom", "{n}: {from.n} {from.only_mark}"), s, expected);
    free(s);
}

static void values_are_shown_as_their_fields_say(void **state)
{
    (void)state;
    struct stream *s = new_stream();
    add(s, TOY_ITEM, 200);
    toy_set(&s->memory[0], TOY_ITEM, "flag", 1);
    toy_set(&s->memory[0], TOY_ITEM, "colour", 2);
    toy_set(&s->memory[0], TOY_ITEM, "big", UINT64_C(0xfedcba9876543210));
    s->memory[0].bytes[31] = 1;
    static const char *const expected[] = {"200 0xc8 201 true light-blue 2 0xfedcba9876543210 "
                                           "18364758544493064720 not zero true false "
                                           "Item 2 no fault",
                                           NULL};
    assert_said(SAY("item", "{n} {n:x} {n + 1} {flag} {colour} {colour:d} {big} {big:d} {wide} "
                            "{is_even(n)} {n == 1} {kind} {kind:d} {fault}"),
                s, expected);
    free(s);
}

static void a_tail_is_0_when_all_that_the_event_shows_of_it_is_0(void **state)
{
    (void)state;
    struct stream *s = new_stream();
    add(s, TOY_MARK, 1);
    for (size_t i = 1; i < 4; i++) {
        add(s, TOY_MARK, 2)->bits += 17 * 8; /* 17 bytes of tail */
    }
    s->memory[2].bytes[8 + 16] = 0x80;
    s->memory[3].bytes[8 + 17] = 1; /* after the tail */
    static const char *const expected[] = {"0 false 0", "0 false 0", "not zero true 0",
                                           "0 false not zero", NULL};
    assert_said(SAY("mark", "{rest} {rest != 0} {prev.rest}"), s, expected);
    free(s);
}

static void a_malformed_event_has_its_fault(void **state)
{
    (void)state;
    struct stream *s = new_stream();
    add(s, ASSAY_KIND_MALFORMED, 0)->fault = TOY_CUT_SHORT;
    add(s, TOY_ITEM, 0);
    static const char *const expected[] = {"cut-short true", "no fault false", NULL};
    assert_said(SAY("any", "{fault} {fault == cut_short}"), s, expected);
    free(s);
}

static void a_message_is_cut_and_not_overrun(void **state)
{
    (void)state;
    struct stream *s = new_stream();
    add(s, TOY_ITEM, 0);
    char rules[2000];
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    snprintf(rules, sizeof rules, SAY("item", "%s{n}"), text);
    struct bench b = open_bench(rules, (struct assay_judge_settings){.max_findings = 1});
    feed(&b, s, 1);
    assert_int_equal(strlen(assay_judge_result(b.judge, 0).findings[0]->message), 399);
    close_bench(&b);
    free(s);
}

/* --- against a slow reference --- */

static uint64_t n_of(const struct stream *s, size_t at)
{
    const struct assay_field *field =
        assay_field_by_name(&toy_format.kinds[s->events[at].kind], "n");
    return field != NULL ? assay_field_get(field, &s->events[at]) : 0;
}

/* By going back from the event. */
static void slow_message(const struct stream *s, size_t at, char *out, size_t size)
{
    uint64_t items = 0;
    uint64_t last_mark = 0;
    uint64_t prev = 0;
    uint64_t since = 0;
    bool mark = false;
    bool found = false;
    for (size_t i = at; i-- > 0;) {
        items += s->events[i].kind == TOY_ITEM;
        last_mark = !mark && s->events[i].kind == TOY_MARK ? n_of(s, i) : last_mark;
        since += !mark && s->events[i].kind == TOY_ITEM ? n_of(s, i) : 0;
        mark = mark || s->events[i].kind == TOY_MARK;
        if (!found && layer_of(s, i) == layer_of(s, at)) {
            prev = n_of(s, i);
            found = true;
        }
    }
    snprintf(out, size, "%llu %llu %llu %s %llu", (unsigned long long)prev,
             (unsigned long long)last_mark, (unsigned long long)items, mark ? "true" : "false",
             (unsigned long long)since);
}

static const char everything[] = "state: {since: {init: 0, on: {item: since + n, mark: 0}}}\n" //
    SAY("any",
        "{prev.n} {last(mark).n} {count(item)} {seen(mark)} {since}") "  - {id: T-2, title: t, "
                                                                      "clauses: [T-1], level: "
                                                                      "should, on: [item, mark], "
                                                                      "when: 'n > 100', "
                                                                      "require: 'n < 200', say: 'n "
                                                                      "is {n}'}\n"
                                                                      "  - {id: T-3, title: t, "
                                                                      "clauses: [T-1], level: "
                                                                      "info, on: atom, require: "
                                                                      "'prev.n <= n', say: "
                                                                      "'{prev.n} {n}'}\n";

static struct stream *random_stream(uint64_t seed, size_t count)
{
    static const unsigned kinds[] = {
        TOY_ITEM, TOY_ITEM, TOY_ITEM, TOY_MARK, TOY_ATOM, TOY_ATOM, ASSAY_KIND_MALFORMED};
    struct stream *s = new_stream();
    for (size_t i = 0; i < count; i++) {
        const unsigned kind = kinds[random_below(&seed, COUNT(kinds))];
        struct assay_event *event = add(s, kind, random_value(&seed, 8));
        event->fault = kind == ASSAY_KIND_MALFORMED ? TOY_BAD_THING : 0;
    }
    add(s, ASSAY_KIND_END, 0);
    return s;
}

static void what_rules_read_is_what_a_look_back_finds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct stream *s = random_stream(seed, 150);
        struct bench b =
            open_bench(everything, (struct assay_judge_settings){.max_findings = MOST});
        feed(&b, s, seed);
        const struct assay_rule_result result = assay_judge_result(b.judge, 0);
        assert_int_equal(result.finding_count, s->layer_count[0]);
        for (size_t i = 0, n = 0; i < s->count; i++) {
            if (layer_of(s, i) == 0) {
                char expected[160];
                slow_message(s, i, expected, sizeof expected);
                assert_string_equal(result.findings[n++]->message, expected);
            }
        }
        close_bench(&b);
        free(s);
    }
}

/* --- findings --- */

/* The event of the same layer before or after one; s->count when there is none. */
static size_t neighbour(const struct stream *s, size_t at, bool before)
{
    for (size_t i = at; before ? i-- > 0 : ++i < s->count;) {
        if (layer_of(s, i) == layer_of(s, at)) {
            return i;
        }
    }
    return s->count;
}

static void assert_line(const char *line, const struct stream *s, size_t at)
{
    char expected[400];
    if (at == s->count) {
        assert_null(line);
        return;
    }
    assay_event_line(&toy_format, &s->events[at], expected, sizeof expected);
    assert_non_null(line);
    assert_string_equal(line, expected);
}

static void findings_are_the_same_however_the_events_are_cut_into_blocks(void **state)
{
    (void)state;
    static const size_t blocks[] = {1, 2, 3, 1023, 1024, 1025, 2048, 4000};
    struct stream *s = random_stream(77, 3999);
    for (size_t k = 0; k < COUNT(blocks); k++) {
        struct bench b =
            open_bench(everything, (struct assay_judge_settings){.max_findings = MOST});
        feed(&b, s, blocks[k]);
        size_t due[3] = {0};
        for (size_t i = 0; i < s->count; i++) {
            const unsigned kind = s->events[i].kind;
            const uint64_t n = n_of(s, i);
            const bool fails[] = {layer_of(s, i) == 0,
                                  (kind == TOY_ITEM || kind == TOY_MARK) && n >= 200, false};
            for (size_t r = 0; r < 2; r++) {
                if (!fails[r]) {
                    continue;
                }
                const struct assay_rule_result result = assay_judge_result(b.judge, r);
                assert_true(due[r] < result.finding_count);
                const struct assay_finding *finding = result.findings[due[r]++];
                assert_int_equal(finding->offset, s->events[i].offset);
                assert_int_equal(finding->index, s->events[i].index);
                assert_int_equal(finding->kind, kind);
                assert_int_equal(finding->bits, s->events[i].bits);
                assert_ptr_equal(finding->rule, &b.catalogue->rules[r]);
                assert_line(assay_finding_line(finding, -1), s, neighbour(s, i, true));
                assert_line(assay_finding_line(finding, 0), s, i);
                assert_line(assay_finding_line(finding, 1), s, neighbour(s, i, false));
            }
        }
        for (size_t r = 0; r < 2; r++) {
            assert_int_equal(assay_judge_result(b.judge, r).finding_count, due[r]);
            assert_int_equal(assay_judge_result(b.judge, r).violated, due[r]);
        }
        close_bench(&b);
    }
    free(s);
}

static void only_so_many_findings_are_kept_and_all_are_counted(void **state)
{
    (void)state;
    static const unsigned limits[] = {0, 1, 3, 1023, 1024, 1025, 3000, 100000};
    struct stream *s = new_stream();
    for (size_t i = 0; i < 3000; i++) {
        add(s, TOY_ITEM, i % 256);
    }
    for (size_t k = 0; k < COUNT(limits); k++) {
        struct bench b = open_bench(SAY("item", "{index}"),
                                    (struct assay_judge_settings){.max_findings = limits[k]});
        feed(&b, s, 1500);
        const struct assay_rule_result result = assay_judge_result(b.judge, 0);
        assert_int_equal(result.verdict, ASSAY_FAIL);
        assert_int_equal(result.violated, 3000);
        assert_int_equal(result.exercised, 3000);
        assert_int_equal(result.finding_count, limits[k] < 3000 ? limits[k] : 3000);
        for (size_t i = 0; i < result.finding_count; i++) {
            assert_int_equal(result.findings[i]->index, i);
        }
        close_bench(&b);
    }
    free(s);
}

/* However many a user asks for, and whichever rules they are of. */
static void all_rules_together_keep_a_limited_number_of_findings(void **state)
{
    (void)state;
    enum { ITEMS = 3000, TIMES = 40 };
    static const char rules[] =
        "rules:\n  - {id: T-1, title: t, clauses: [T-1], level: must, on: item, require: 'false', "
        "say: t}\n  - {id: T-2, title: t, clauses: [T-1], level: must, on: item, when: 'n == 7', "
        "require: 'false', say: t}\n";
    struct stream *s = new_stream();
    for (size_t i = 0; i < ITEMS; i++) {
        add(s, TOY_ITEM, i % 250);
    }
    struct bench b = open_bench(rules, (struct assay_judge_settings){.max_findings = UINT_MAX});
    for (size_t i = 0; i < TIMES; i++) {
        feed(&b, s, 1500);
    }
    const struct assay_rule_result first = assay_judge_result(b.judge, 0);
    const struct assay_rule_result second = assay_judge_result(b.judge, 1);
    assert_int_equal(first.violated, ITEMS * TIMES);
    assert_int_equal(second.violated, ITEMS * TIMES / 250);
    assert_int_equal(first.finding_count + second.finding_count, ASSAY_MOST_FINDINGS);
    assert_int_equal(first.finding_count + first.dropped, first.violated);
    assert_int_equal(second.finding_count + second.dropped, second.violated);
    assert_true(second.finding_count > 0 && second.dropped > 0);
    close_bench(&b);
    free(s);
}

static void a_leaf_varies_when_violations_differ_in_it(void **state)
{
    (void)state;
    static const char rules[] =
        "rules:\n  - {id: T-1, title: t, clauses: [T-1], level: must, on: item, when: 'n < 200', "
        "require: 'n == 250 or big == 1', say: t}\n";
    static const size_t blocks[] = {1, 7, 1500};
    struct stream *s = new_stream();
    for (size_t i = 0; i < 2000; i++) {
        add(s, TOY_ITEM, i < 1000 ? 201 : 5 + i % 2);
    }
    for (size_t k = 0; k < COUNT(blocks); k++) {
        struct bench b = open_bench(rules, (struct assay_judge_settings){.max_findings = 1});
        feed(&b, s, blocks[k]);
        const struct assay_rule_result result = assay_judge_result(b.judge, 0);
        assert_int_equal(result.violated, 1000);
        assert_int_equal(result.sampled, 1000);
        assert_int_equal(result.spread[0].value, 5);
        assert_true(result.spread[0].varies);
        assert_false(result.spread[1].varies);
        close_bench(&b);
    }
    free(s);
}

static void evidence_is_what_when_and_require_read(void **state)
{
    (void)state;
    static const char rules[] =
        "rules:\n  - {id: T-1, title: t, clauses: [T-1], level: must, on: item, when: 'flag and "
        "seen(mark) and prev.kind == mark', require: 'colour == red and n < last(mark).n and "
        "n != 9', say: '{big}'}\n";
    static const char *const expected[][2] = {{"flag", "true"},      {"seen(mark)", "true"},
                                              {"prev.kind", "mark"}, {"colour", "green"},
                                              {"n", "200"},          {"last(mark).n", "300"}};
    struct stream *s = new_stream();
    add(s, TOY_MARK, 300);
    add(s, TOY_ITEM, 200);
    toy_set(&s->memory[1], TOY_ITEM, "flag", 1);
    toy_set(&s->memory[1], TOY_ITEM, "colour", 1);
    struct bench b = open_bench(rules, (struct assay_judge_settings){.max_findings = 1});
    feed(&b, s, 2);
    const struct assay_rule *rule = &b.catalogue->rules[0];
    const struct assay_rule_result result = assay_judge_result(b.judge, 0);
    assert_int_equal(result.finding_count, 1);
    assert_int_equal(rule->evidence_count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        char text[64];
        const uint16_t leaf = rule->evidence[i];
        assay_leaf_text(b.catalogue, leaf, result.findings[0]->values[i], text, sizeof text);
        assert_string_equal(b.catalogue->leaves[leaf].text, expected[i][0]);
        assert_string_equal(text, expected[i][1]);
    }
    close_bench(&b);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prev_is_the_event_before_in_the_same_layer),
        cmocka_unit_test(last_is_the_latest_event_of_a_kind_before_this_one),
        cmocka_unit_test(seen_and_count_are_of_the_events_before),
        cmocka_unit_test(state_is_judged_first_and_changed_all_at_once_afterwards),
        cmocka_unit_test(from_reads_the_event_of_the_layer_below),
        cmocka_unit_test(values_are_shown_as_their_fields_say),
        cmocka_unit_test(a_tail_is_0_when_all_that_the_event_shows_of_it_is_0),
        cmocka_unit_test(a_malformed_event_has_its_fault),
        cmocka_unit_test(a_message_is_cut_and_not_overrun),
        cmocka_unit_test(what_rules_read_is_what_a_look_back_finds),
        cmocka_unit_test(findings_are_the_same_however_the_events_are_cut_into_blocks),
        cmocka_unit_test(only_so_many_findings_are_kept_and_all_are_counted),
        cmocka_unit_test(all_rules_together_keep_a_limited_number_of_findings),
        cmocka_unit_test(a_leaf_varies_when_violations_differ_in_it),
        cmocka_unit_test(evidence_is_what_when_and_require_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
