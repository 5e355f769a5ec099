/* The judge, on events that are made by hand. */
#include "validator/tests/toy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tests/random.h"
#include "validator/engine/judge.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

enum { MOST = 5000 };

/* A stream of events. */
struct stream {
    struct toy_event memory[MOST];
    struct assay_event events[MOST];
    size_t count;
    uint64_t layer_count[2];
};

static struct assay_event *add(struct stream *s, unsigned kind, uint64_t n)
{
    const size_t at = s->count++;
    assert_true(at < MOST);
    s->events[at] = toy_event(&s->memory[at], kind);
    s->events[at].offset = 8 * at;
    s->events[at].index = s->layer_count[toy_format.kinds[kind].layer]++;
    if (kind >= TOY_ITEM) {
        toy_set(&s->memory[at], kind, "n", n);
    }
    return &s->events[at];
}

static struct stream *new_stream(void)
{
    struct stream *s = calloc(1, sizeof *s);
    assert_non_null(s);
    return s;
}

/* Rules, loaded and judging. */
struct bench {
    struct assay_loaded *loaded;
    const struct assay_catalogue *catalogue;
    struct assay_judge *judge;
};

static struct bench open_bench(const char *rules, struct assay_judge_settings settings)
{
    struct bench b = {0};
    struct assay_diag diag;
    const char *const texts[] = {rules};
    if (toy_load(texts, 1, NULL, &b.loaded, &diag) != ASSAY_OK) {
        fail_msg("%u:%u: %s", diag.line, diag.column, diag.message);
    }
    b.catalogue = assay_loaded_catalogue(b.loaded);
    settings.catalogue = b.catalogue;
    assert_int_equal(assay_judge_open(&settings, &b.judge, &diag), ASSAY_OK);
    assert_ptr_equal(assay_judge_catalogue(b.judge), b.catalogue);
    return b;
}

static void feed(struct bench *b, const struct stream *s, size_t block)
{
    for (size_t at = 0; at < s->count; at += block) {
        const size_t n = s->count - at < block ? s->count - at : block;
        /* A copy that is gone afterwards: events need not stay. */
        struct assay_event *copy = malloc(n * sizeof *copy);
        assert_non_null(copy);
        memcpy(copy, &s->events[at], n * sizeof *copy);
        assert_int_equal(assay_judge_events(b->judge, copy, n), ASSAY_OK);
        free(copy);
    }
}

static void close_bench(struct bench *b)
{
    assay_judge_close(b->judge);
    assay_catalogue_free(b->loaded);
}

/* What a rule that always fails says of each event. */
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

#define SAY(on, say)                                                                               \
    "rules:\n  - {id: T-1, title: t, clauses: [T-1], level: must, on: " on                         \
    ", require: 'false', say: '" say "'}\n"

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
    static const char *const expected[] = {"Item after End: 0",       "Atom after End: 0",
                                           "Mark after Item: 1",      "Atom after Atom: 2",
                                           "Item after Mark: 300",    "Malformed after Item: 5",
                                           "Item after Malformed: 0", NULL};
    assert_said(SAY("any", "{kind} after {prev.kind}: {prev.n}"), s, expected);
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
    static const char *const expected[] = {"0 0", "1 0", "2 0", "2 300", "2 300", "3 300", NULL};
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
    static const char *const expected[] = {"false 0", "true 1", "true 1", "true 2", "true 2", NULL};
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
    static const char *const expected[] = {"1 7 0",  "11 1 2",  "31 11 2", "31 0 3",
                                           "31 0 1", "61 31 2", NULL};
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
    const unsigned layer = toy_format.kinds[s->events[at].kind].layer;
    bool mark = false;
    bool found = false;
    for (size_t i = at; i-- > 0;) {
        items += s->events[i].kind == TOY_ITEM;
        last_mark = !mark && s->events[i].kind == TOY_MARK ? n_of(s, i) : last_mark;
        since += !mark && s->events[i].kind == TOY_ITEM ? n_of(s, i) : 0;
        mark = mark || s->events[i].kind == TOY_MARK;
        if (!found && toy_format.kinds[s->events[i].kind].layer == layer) {
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
        assert_int_equal(result.finding_count, s->count);
        for (size_t i = 0; i < s->count; i++) {
            char expected[160];
            slow_message(s, i, expected, sizeof expected);
            assert_string_equal(result.findings[i]->message, expected);
        }
        close_bench(&b);
        free(s);
    }
}

/* --- findings --- */

static void assert_line(const char *line, const struct stream *s, size_t at)
{
    char expected[400];
    if (at >= s->count) { /* also one before the first */
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
            const bool fails[] = {true, (kind == TOY_ITEM || kind == TOY_MARK) && n >= 200, false};
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
                assert_line(finding->before, s, i - 1);
                assert_line(finding->event, s, i);
                assert_line(finding->after, s, i + 1);
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

/* --- verdicts --- */

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
    } cases[] = {{"item", 3}, {"mark", 2}, {"[item, mark]", 5}, {"any", 8}, {"end", 1}};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prev_is_the_event_before_in_the_same_layer),
        cmocka_unit_test(last_is_the_latest_event_of_a_kind_before_this_one),
        cmocka_unit_test(seen_and_count_are_of_the_events_before),
        cmocka_unit_test(state_is_judged_first_and_changed_all_at_once_afterwards),
        cmocka_unit_test(from_reads_the_event_of_the_layer_below),
        cmocka_unit_test(values_are_shown_as_their_fields_say),
        cmocka_unit_test(a_malformed_event_has_its_fault),
        cmocka_unit_test(a_message_is_cut_and_not_overrun),
        cmocka_unit_test(what_rules_read_is_what_a_look_back_finds),
        cmocka_unit_test(findings_are_the_same_however_the_events_are_cut_into_blocks),
        cmocka_unit_test(only_so_many_findings_are_kept_and_all_are_counted),
        cmocka_unit_test(evidence_is_what_when_and_require_read),
        cmocka_unit_test(a_rule_says_one_of_five_things),
        cmocka_unit_test(with_all_that_it_needs_a_rule_is_checked_by_the_values_given),
        cmocka_unit_test(the_chosen_reading_decides_and_the_default_holds_otherwise),
        cmocka_unit_test(a_rule_is_asked_for_the_kinds_that_it_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
