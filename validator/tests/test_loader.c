/* Rule files: state variables, rules, and what makes no sense. */
#include "validator/tests/toy.h"

#include <stdio.h>
#include <string.h>

#include "common/tests/random.h"
#include "validator/compiler/loader.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static struct assay_loaded *loaded(const char *const *texts, size_t count)
{
    struct assay_loaded *made = NULL;
    struct assay_diag diag;
    if (toy_load(texts, count, NULL, &made, &diag) != ASSAY_OK) {
        fail_msg("%s:%u:%u: %s", diag.path, diag.line, diag.column, diag.message);
    }
    return made;
}

/* --- state --- */

static void a_variable_is_a_flag_when_all_that_it_can_be_is(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool flag;
        uint64_t init;
    } cases[] = {
        {"{init: false, on: {item: flag}}", true, 0},
        {"{init: true, on: {item: flag}}", true, 1},
        {"{init: 1, on: {item: flag}}", true, 1},
        {"{init: 0, on: {item: flag, mark: n == 3}}", true, 0},
        {"{init: 0, on: {item: x or flag}}", true, 0},
        {"{init: 0, on: {item: x}}", true, 0},
        {"{init: 0, on: {item: el}}", false, 0},
        {"{init: true, on: {item: el}}", false, 1},
        {"{init: 2, on: {item: flag}}", false, 2},
        {"{init: 0, on: {item: flag, mark: 7}}", false, 0},
        {"{init: 0, on: {mark: 1}}", false, 0},
        {"{init: 0, on: {item: x + 1}}", false, 0},
        {"{init: false, on: {item: x + 1}}", false, 0},
        {"{init: 0xffff_ffff_ffff_ffff, on: {any: x}}", false, UINT64_MAX},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256];
        snprintf(text, sizeof text, "state:\n  x: %s\nrules: []\n", cases[i].text);
        const char *const texts[] = {text};
        struct assay_loaded *made = loaded(texts, 1);
        const struct assay_catalogue *c = assay_loaded_catalogue(made);
        assert_int_equal(c->variable_count, 1);
        if (c->variables[0].flag != cases[i].flag || c->variables[0].init != cases[i].init) {
            fail_msg("%s", cases[i].text);
        }
        assay_catalogue_free(made);
    }
}

static void two_files_may_each_have_a_variable_of_the_same_name(void **state)
{
    (void)state;
    static const char rule[] = "rules:\n"
                               "  - {id: T-%d, title: t, clauses: [T-1], level: must, on: item, "
                               "require: x, say: s}\n";
    char first[512] = "state: {x: {init: 0, on: {item: flag}}}\n";
    char second[512] = "state: {x: {init: 1, on: {item: not flag}}}\n";
    snprintf(first + strlen(first), 256, rule, 1);
    snprintf(second + strlen(second), 256, rule, 2);
    const char *const texts[] = {first, second};
    struct assay_loaded *made = loaded(texts, 2);
    const struct assay_catalogue *c = assay_loaded_catalogue(made);
    assert_int_equal(c->variable_count, 2);
    assert_int_equal(c->rule_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct assay_leaf *leaf = &c->leaves[c->rules[i].require.nodes[0].a];
        assert_int_equal(leaf->what, ASSAY_LEAF_STATE);
        assert_int_equal(leaf->number, i);
    }
    assay_catalogue_free(made);
}

static void fields_of_one_name_are_shown_by_what_each_of_them_means(void **state)
{
    (void)state;
    static const char *const rules[] = {
        "rules:\n"
        "  - {id: T-1, title: t, clauses: [T-1], level: must, on: item, require: flag, say: "
        "s}\n"
        "  - {id: T-2, title: t, clauses: [T-1], level: must, on: mark, require: flag == 1, say: "
        "s}\n"
        "  - {id: T-3, title: t, clauses: [T-1], level: must, on: item, require: n == 1, say: s}\n"
        "  - {id: T-4, title: t, clauses: [T-1], level: must, on: mark, require: n == 1, say: "
        "s}\n"};
    struct assay_loaded *made = loaded(rules, 1);
    const struct assay_catalogue *c = assay_loaded_catalogue(made);
    uint16_t leaf[4] = {0};
    for (size_t i = 0; i < COUNT(leaf); i++) {
        leaf[i] = c->rules[i].require.nodes[0].a;
    }
    assert_int_equal(assay_shown_field(c->format, c->leaves[leaf[0]].shown)->type, ASSAY_FLAG);
    assert_int_equal(assay_shown_field(c->format, c->leaves[leaf[1]].shown)->type, ASSAY_UINT);
    assert_int_equal(leaf[2], leaf[3]);
    assay_catalogue_free(made);
}

struct mistake {
    const char *text;
    enum assay_error error;
    unsigned line, column;
    const char *message;
};

static void assert_mistakes(const struct mistake *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct assay_loaded *made = NULL;
        struct assay_diag diag;
        const char *const texts[] = {list[i].text};
        const enum assay_error error = toy_load(texts, 1, NULL, &made, &diag);
        if (error != list[i].error || diag.line != list[i].line || diag.column != list[i].column ||
            strstr(diag.message, list[i].message) == NULL ||
            strcmp(diag.path, "rules0.yaml") != 0 || made != NULL) {
            fail_msg("%s:\n%s at %s:%u:%u: %s (%s)", list[i].text, assay_error_name(error),
                     diag.path, diag.line, diag.column, diag.message, diag.hint);
        }
    }
}

static void a_variable_with_a_mistake_is_refused_where_it_stands(void **state)
{
    (void)state;
    static const struct mistake list[] = {
        {"state: 1\nrules: []\n", ASSAY_WRONG_TYPE, 1, 8, "mapping of variables"},
        {"state:\n  x: 1\nrules: []\n", ASSAY_WRONG_TYPE, 2, 6, "a mapping is expected"},
        {"state:\n  x: {on: {item: 1}}\nrules: []\n", ASSAY_SYNTAX, 2, 6, "needs \"init\""},
        {"state:\n  x: {init: 1}\nrules: []\n", ASSAY_SYNTAX, 2, 6, "needs \"on\""},
        {"state:\n  x: {init: 1, on: {}}\nrules: []\n", ASSAY_SYNTAX, 2, 6, "needs \"on\""},
        {"state:\n  x: {init: -1, on: {item: 1}}\nrules: []\n", ASSAY_WRONG_TYPE, 2, 13,
         "a number, true or false"},
        {"state:\n  x: {init: 0, on: {itm: 1}}\nrules: []\n", ASSAY_UNKNOWN_NAME, 2, 21, "\"itm\""},
        {"state:\n  x: {init: 0, on: {item: nn}}\nrules: []\n", ASSAY_UNKNOWN_NAME, 2, 27,
         "no field \"nn\""},
        {"state:\n  x: {init: 0, on: {item: y}, off: 1}\nrules: []\n", ASSAY_UNKNOWN_NAME, 2, 31,
         "\"off\""},
        {"state:\n  x: {init: 5, on: {item: x or flag}}\nrules: []\n", ASSAY_WRONG_TYPE, 2, 27,
         "a condition is expected"},
        {"state:\n  x: {init: 0, on: {item: fact(T0SZ)}}\nrules: []\n", ASSAY_UNSUPPORTED, 2, 27,
         "platform fact"},
        {"state:\n  x: {init: 0, on: {item: config(WIDTH)}}\nrules: []\n", ASSAY_UNSUPPORTED, 2, 27,
         "without a default"},
        {"state:\n  n: {init: 0, on: {item: 1}}\nrules: []\n", ASSAY_DUPLICATE, 2, 3,
         "name of a field"},
        {"state:\n  only_mark: {init: 0, on: {item: 1}}\nrules: []\n", ASSAY_DUPLICATE, 2, 3,
         "name of a field"},
        {"state:\n  prev: {init: 0, on: {item: 1}}\nrules: []\n", ASSAY_DUPLICATE, 2, 3,
         "a keyword of the language"},
        {"state:\n  x: {init: 0, on: {item: y}}\n  y: {init: 0, on: {item: x}}\nrules: []\n",
         ASSAY_UNKNOWN_NAME, 2, 27, "\"y\""},
        {"state:\n  x: {init: 0, on: {item: 1}}\n  x: {init: 0, on: {item: 1}}\nrules: []\n",
         ASSAY_DUPLICATE, 3, 3, "twice"},
    };
    assert_mistakes(list, COUNT(list));
}

/* --- rules --- */

#define RULE(rest) "rules:\n  - {id: T-1, title: t, clauses: [T-1], level: must, " rest "}\n"

static void a_rule_with_a_mistake_is_refused_where_it_stands(void **state)
{
    (void)state;
    static const struct mistake list[] = {
        {"format: toy\n", ASSAY_SYNTAX, 1, 1, "no list of rules"},
        {"rules: 1\n", ASSAY_SYNTAX, 1, 1, "no list of rules"},
        {"rule: []\n", ASSAY_UNKNOWN_NAME, 1, 1, "\"rule\""},
        {"format: other\nrules: []\n", ASSAY_UNKNOWN_NAME, 1, 9, "read as one of toy"},
        {"rules:\n  - 1\n", ASSAY_WRONG_TYPE, 2, 5, "a rule is a mapping"},
        {"rules:\n  - {title: t}\n", ASSAY_SYNTAX, 2, 5, "\"id\" is missing"},
        {"rules:\n  - {id: T-1}\n", ASSAY_SYNTAX, 2, 5, "\"title\" is missing"},
        {"rules:\n  - {id: T-1, title: t}\n", ASSAY_SYNTAX, 2, 5, "\"level\" is missing"},
        {"rules:\n  - {id: T-1, title: t, level: must}\n", ASSAY_SYNTAX, 2, 5, "lacks \"on\""},
        {"rules:\n  - {id: T-1, title: t, level: must, on: item}\n", ASSAY_SYNTAX, 2, 5,
         "\"clauses\""},
        {"rules:\n  - {id: T-1, title: t, level: must, on: item, clauses: []}\n", ASSAY_SYNTAX, 2,
         57, "\"clauses\""},
        {"rules:\n  - {id: T-1, title: t, level: must, on: item, clauses: [T-9]}\n",
         ASSAY_UNKNOWN_NAME, 2, 58, "T-9"},
        {RULE("on: item"), ASSAY_SYNTAX, 2, 5, "lacks require"},
        {RULE("on: item, require: flag"), ASSAY_SYNTAX, 2, 5, "lacks \"say\""},
        {RULE("on: itme, require: flag, say: s"), ASSAY_UNKNOWN_NAME, 2, 58, "\"itme\""},
        {RULE("on: [item, itme], require: flag, say: s"), ASSAY_UNKNOWN_NAME, 2, 65, "\"itme\""},
        {RULE("on: [item, 'any(element)'], require: 'index == 1', say: s"), ASSAY_WRONG_TYPE, 2, 65,
         "several layers"},
        {"state: {a: {init: 0, on: {item: 1, atom: 2}}}\nrules: []\n", ASSAY_WRONG_TYPE, 1, 36,
         "of one layer"},
        {"state: {a: {init: 0, on: {item: 7}}}\n" RULE("on: atom, require: 'a == 1', say: s"),
         ASSAY_WRONG_TYPE, 3, 74, "of the layer packet"},
        {RULE("on: [], require: flag, say: s"), ASSAY_SYNTAX, 2, 58, "list of kinds is empty"},
        {RULE("on: {a: b}, require: flag, say: s"), ASSAY_UNKNOWN_NAME, 2, 58, "kind of event"},
        {RULE("on: item, require: n, say: s"), ASSAY_WRONG_TYPE, 2, 73, "a condition is expected"},
        {RULE("on: item, when: n, require: flag, say: s"), ASSAY_WRONG_TYPE, 2, 70,
         "a condition is expected"},
        {RULE("on: item, require: [flag], say: s"), ASSAY_WRONG_TYPE, 2, 73, "an expression"},
        {RULE("on: item, require: flag, say: [s]"), ASSAY_SYNTAX, 2, 84, "\"say\" is a text"},
        {RULE("on: item, require: flag, say: 'n is {n'"), ASSAY_SYNTAX, 2, 90, "not closed"},
        {RULE("on: item, require: flag, say: 'n is {nn}'"), ASSAY_UNKNOWN_NAME, 2, 91, "\"nn\""},
        {RULE("on: item, require: flag, say: 'n is {}'"), ASSAY_SYNTAX, 2, 91,
         "a value is expected"},
        {RULE("on: item, require: flag, say: 'n is {n + :x}'"), ASSAY_SYNTAX, 2, 95,
         "a value is expected"},
        {RULE("on: item, require: flag, say: 's {fact(T0SZ)}'"), ASSAY_UNSUPPORTED, 2, 84, "T0SZ"},
        {RULE("on: item, requires: flag, say: s"), ASSAY_UNKNOWN_NAME, 2, 64, "\"requires\""},
        {RULE("on: item, require: flag, say: s, needs: isa"), ASSAY_WRONG_TYPE, 2, 94,
         "\"needs\" is a list"},
        {RULE("on: item, require: flag, say: s, needs: [isb]"), ASSAY_UNKNOWN_NAME, 2, 95,
         "a need is isa"},
        {RULE("on: item, require: flag, say: s, needs: ['facts:T9SZ']"), ASSAY_UNKNOWN_NAME, 2, 95,
         "T9SZ"},
        {RULE("on: item, require: flag, say: s, needs: ['facts:T0SZ']"), ASSAY_SYNTAX, 2, 94,
         "does not read: facts:T0SZ"},
        {RULE("on: item, require: 'n < config(WIDTH)', say: s"), ASSAY_SYNTAX, 2, 5,
         "lacks config:WIDTH"},
        {RULE("on: item, require: 'n < config(WIDTH, 8)', say: s, needs: ['config:WIDTH']"),
         ASSAY_SYNTAX, 2, 112, "does not read: config:WIDTH"},
        {RULE("on: item, require: 'n < config(WIDTH, 8)', say: '{config(WIDTH)}'"),
         ASSAY_UNSUPPORTED, 2, 102, "shows config(WIDTH), which"},
        {RULE("on: item, require: fact(T0SZ) == n, say: s"), ASSAY_SYNTAX, 2, 5,
         "lacks facts:T0SZ"},
        {RULE("on: atom, require: not executed, say: s"), ASSAY_SYNTAX, 2, 5,
         "lacks execution, without which executed"},
        {RULE("on: atom, when: prev.executed, require: taken, say: s, needs: [isa]"), ASSAY_SYNTAX,
         2, 116, "lacks execution, without which prev.executed"},
        {RULE("on: atom, require: taken, say: 's {executed}'"), ASSAY_UNSUPPORTED, 2, 85,
         "lacks execution"},
        {"state:\n  x: {init: 0, on: {atom: executed}}\n"
         "  y: {init: false, on: {atom: x or y}}\n" RULE("on: atom, require: y, say: s"),
         ASSAY_SYNTAX, 5, 5, "lacks execution, without which y"},
        {RULE("on: item, require: flag, say: s, interpretations: [INT-T-9]"), ASSAY_UNKNOWN_NAME, 2,
         105, "INT-T-9"},
        {RULE("on: item, require: flag, say: s, interpretations: INT-T-1"), ASSAY_WRONG_TYPE, 2,
         104, "list of ids"},
    };
    assert_mistakes(list, COUNT(list));
}

#define DIAGNOSIS(keys) "rules:\n  - {id: T-9, title: t, on: item, say: s, " keys "}\n"

static void a_diagnosis_demands_nothing_and_explains_rules_that_there_are(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum assay_error error;
        const char *says;
    } cases[] = {
        {DIAGNOSIS("level: info, explains: [T-1], when: flag"), ASSAY_OK, ""},
        {DIAGNOSIS("level: info, explains: any, when: flag"), ASSAY_OK, ""},
        {DIAGNOSIS("level: info, explains: none, when: flag"), ASSAY_OK, ""},
        {DIAGNOSIS("level: info, explains: [T-1]"), ASSAY_SYNTAX, "lacks \"when\""},
        {DIAGNOSIS("level: info, explains: [T-1], when: 'n > 255'"), ASSAY_VACUOUS, "never hold"},
        {DIAGNOSIS("level: must, explains: [T-1], when: flag"), ASSAY_CONTRADICTION, "level info"},
        {DIAGNOSIS("level: info, explains: [T-1], when: flag, require: flag"), ASSAY_CONTRADICTION,
         "no \"require\""},
        {DIAGNOSIS("level: info, explains: [T-1], when: flag, clauses: [T-1]"), ASSAY_CONTRADICTION,
         "no \"clauses\""},
        {DIAGNOSIS("level: info, explains: [T-1], when: flag, source: house"), ASSAY_CONTRADICTION,
         "no \"source\""},
        {DIAGNOSIS("level: info, explains: T-1, when: flag"), ASSAY_WRONG_TYPE, "list of ids"},
        {DIAGNOSIS("level: info, explains: [], when: flag"), ASSAY_WRONG_TYPE, "list of ids"},
        {DIAGNOSIS("level: info, explains: [[T-1]], when: flag"), ASSAY_WRONG_TYPE, "an id"},
        {DIAGNOSIS("level: info, explains: [T-8], when: flag"), ASSAY_UNKNOWN_NAME, "no such rule"},
        {DIAGNOSIS("level: info, explains: [T-9], when: flag"), ASSAY_CONTRADICTION,
         "a diagnosis itself"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct assay_loaded *made = NULL;
        struct assay_diag diag;
        const char *const texts[] = {cases[i].text, RULE("on: item, require: flag, say: s")};
        const enum assay_error error = toy_load(texts, 2, NULL, &made, &diag);
        if (error != cases[i].error || strstr(diag.message, cases[i].says) == NULL) {
            fail_msg("%s: %s", cases[i].text, diag.message);
        }
        assert_true(error == ASSAY_OK || (diag.line == 2 && strcmp(diag.path, "rules0.yaml") == 0));
        assay_catalogue_free(made);
    }
}

static void an_id_is_letters_a_dash_and_digits(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        bool good;
    } ids[] = {{"T-1", true},    {"ASTF-0031", true}, {"E2-TRACE-7", true}, {"T1", false},
               {"-1", false},    {"T-", false},       {"t-1", false},       {"T-1a", false},
               {"T_1-1", false}, {"'T -1'", false},   {"1", false},         {"T-0x1", false}};
    for (size_t i = 0; i < COUNT(ids); i++) {
        struct assay_loaded *made = NULL;
        struct assay_diag diag;
        char text[256];
        snprintf(text, sizeof text,
                 "rules:\n  - {id: %s, title: t, clauses: [T-1], level: must, on: item, require: "
                 "flag, say: s}\n",
                 ids[i].id);
        const char *const texts[] = {text};
        const enum assay_error error = toy_load(texts, 1, NULL, &made, &diag);
        assert_int_equal(error, ids[i].good ? ASSAY_OK : ASSAY_SYNTAX);
        assert_true(ids[i].good || (diag.line == 2 && diag.column == 10));
        assay_catalogue_free(made);
    }
}

static void the_levels_are_those_four(void **state)
{
    (void)state;
    static const char *const levels[] = {"must", "should", "may-not-rely", "info", "may", "Must",
                                         "1",    ""};
    for (size_t i = 0; i < COUNT(levels); i++) {
        struct assay_loaded *made = NULL;
        struct assay_diag diag;
        char text[256];
        snprintf(text, sizeof text,
                 "rules:\n  - {id: T-1, title: t, clauses: [T-1], level: '%s', on: item, require: "
                 "flag, say: s}\n",
                 levels[i]);
        const char *const texts[] = {text};
        const enum assay_error error = toy_load(texts, 1, NULL, &made, &diag);
        assert_int_equal(error == ASSAY_OK, i < 4);
        assert_true(i < 4 || (diag.line == 2 && diag.column == 48));
        assay_catalogue_free(made);
    }
}

static const char one_rule[] = RULE("on: item, require: flag, say: s");

static void an_id_that_a_rule_has_already_is_refused(void **state)
{
    (void)state;
    struct assay_loaded *made = NULL;
    struct assay_loaded *more = NULL;
    struct assay_diag diag;
    const char *const twice[] = {one_rule, one_rule};
    assert_int_equal(toy_load(twice, 2, NULL, &made, &diag), ASSAY_DUPLICATE);
    assert_string_equal(diag.path, "rules1.yaml");
    assert_int_equal(diag.line, 2);
    assert_int_equal(diag.column, 10);
    made = loaded(twice, 1);
    const struct assay_catalogue *base = assay_loaded_catalogue(made);
    assert_int_equal(toy_load(twice, 1, base, &more, &diag), ASSAY_DUPLICATE);
    assay_catalogue_free(made);
}

static void added_rules_rest_on_the_clauses_and_readings_of_the_base(void **state)
{
    (void)state;
    static const char text[] = "rules:\n  - {id: T-2, title: t, clauses: [T-2], level: info, "
                               "on: item, when: 'reads(INT-T-1, not_so)', require: flag, say: s}\n";
    const char *const base_text[] = {one_rule};
    const char *const texts[] = {text};
    struct assay_loaded *made = loaded(base_text, 1);
    struct assay_loaded *more = NULL;
    struct assay_diag diag;
    assert_int_equal(toy_load(texts, 1, assay_loaded_catalogue(made), &more, &diag), ASSAY_OK);
    const struct assay_catalogue *c = assay_loaded_catalogue(more);
    assert_int_equal(c->rule_count, 1);
    assert_int_equal(c->clause_count, 2);
    assert_int_equal(c->rules[0].interpretation_count, 1);
    assert_int_equal(c->leaves[c->rules[0].when.nodes[0].a].reading, 1);
    assay_catalogue_free(more);
    assay_catalogue_free(made);
}

/* However many the base has: room for its list is not room of this one. */
static void clauses_can_be_added_to_those_of_the_base(void **state)
{
    (void)state;
    for (size_t count = 1; count < 40; count += 3) {
        char clauses[8192] = "clauses:\n";
        for (size_t i = 0; i < count; i++) {
            snprintf(clauses + strlen(clauses), 128,
                     "  - {id: B-%zu, section: '1', level: must, text: t, disposition: rule}\n", i);
        }
        const char *const names[] = {"clauses.yaml", "interpretations.yaml"};
        static const char own[] = "interpretations:\n"
                                  "  - {id: INT-T-1, section: '1', clauses: [B-0], problem: p, "
                                  "readings: {a: x, b: y}, default: a, because: c}\n";
        const char *const base_texts[] = {clauses, own};
        static const char other[] = "interpretations:\n"
                                    "  - {id: INT-T-2, section: '1', clauses: [T-2], problem: p, "
                                    "readings: {a: x, b: y}, default: b, because: c, "
                                    "built-in: d}\n";
        const char *const texts[] = {toy_clauses, other};
        struct assay_loaded *base = NULL;
        struct assay_loaded *more = NULL;
        struct assay_diag diag;
        assert_int_equal(toy_load_named(names, base_texts, 2, NULL, &base, &diag), ASSAY_OK);
        assert_int_equal(
            toy_load_named(names, texts, 2, assay_loaded_catalogue(base), &more, &diag), ASSAY_OK);
        const struct assay_catalogue *c = assay_loaded_catalogue(more);
        assert_int_equal(c->clause_count, count + 2);
        assert_string_equal(c->clauses[0].id, "B-0");
        assert_string_equal(c->clauses[count + 1].id, "T-2");
        assert_int_equal(c->interpretation_count, 2);
        assert_int_equal(c->interpretations[1].chosen, 1);
        assert_string_equal(c->interpretations[1].clauses[0], "T-2");
        assert_string_equal(c->interpretations[1].built_in, "d");
        assert_null(c->interpretations[0].built_in);
        assay_catalogue_free(more);
        assay_catalogue_free(base);
    }
}

static void clauses_name_vectors_where_no_rule_checks_them_and_vectors_can(void **state)
{
    (void)state;
    static const struct {
        const char *rest;
        bool good;
    } cases[] = {
        {"disposition: rule", true},
        {"disposition: rule, vectors: [v]", false},
        {"disposition: rule, weaker: w", true},
        {"disposition: not-visible, reason: r, weaker: w", false},
        {"disposition: decoder, reason: r, vectors: [v, w]", true},
        {"disposition: decoder, reason: r", false},
        {"disposition: decoder, vectors: [v]", false},
        {"disposition: permission, reason: r, vectors: [v]", true},
        {"disposition: permission, reason: r", false},
        {"disposition: permission, reason: r, vectors: []", false},
        {"disposition: permission, reason: r, vectors: v", false},
        {"disposition: permission, reason: r, vectors: [[v]]", false},
        {"disposition: not-visible, reason: r", true},
        {"disposition: not-visible, reason: r, vectors: [v]", false},
        {"disposition: forbidden, reason: r", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        const char *const names[] = {"clauses.yaml"};
        const char *const texts[] = {text};
        struct assay_loaded *made = NULL;
        struct assay_diag diag;
        snprintf(text, sizeof text,
                 "clauses:\n  - {id: T-1, section: '1', level: may, text: t, %s}\n", cases[i].rest);
        const bool good = toy_load_named(names, texts, 1, NULL, &made, &diag) == ASSAY_OK;
        if (good != cases[i].good || (!good && diag.line != 2)) {
            fail_msg("%s: line %u: %s", cases[i].rest, diag.line, diag.message);
        }
        if (good && strstr(cases[i].rest, "[v, w]") != NULL) {
            const struct assay_clause *clause = &assay_loaded_catalogue(made)->clauses[0];
            assert_int_equal(clause->vector_count, 2);
            assert_string_equal(clause->vectors[1], "w");
        }
        assay_catalogue_free(made);
    }
}

static void a_format_whose_name_makes_no_name_in_c_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"riscv-etrace", "Stf", "2stf", "_stf", "s tf", ""};
    struct assay_format format = toy_format;
    struct assay_loaded *made = NULL;
    struct assay_diag diag;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char quoted[32];
        snprintf(quoted, sizeof quoted, "\"%s\"", wrong[i]);
        format.name = wrong[i];
        diag = (struct assay_diag){.offset = ASSAY_NO_OFFSET};
        assert_int_equal(assay_catalogue_load(&format, NULL, 0, NULL, &made, &diag), ASSAY_SYNTAX);
        assert_non_null(strstr(diag.message, quoted));
        assert_null(made);
    }
    format.name = "riscv_etrace2";
    assert_int_equal(assay_catalogue_load(&format, NULL, 0, NULL, &made, &diag), ASSAY_OK);
    assay_catalogue_free(made);
}

static void the_digest_is_of_the_texts_in_their_order(void **state)
{
    (void)state;
    static const char other[] = "rules: []\n";
    static const char space[] = "rules: [ ]\n";
    const char *const texts[][2] = {
        {one_rule, other}, {one_rule, other}, {other, one_rule}, {one_rule, space}};
    char digests[4][96];
    for (size_t i = 0; i < 4; i++) {
        struct assay_loaded *made = loaded(texts[i], 2);
        snprintf(digests[i], sizeof digests[i], "%s", assay_loaded_catalogue(made)->digest);
        assay_catalogue_free(made);
    }
    assert_string_equal(digests[0], digests[1]);
    assert_string_not_equal(digests[0], digests[2]);
    assert_string_not_equal(digests[0], digests[3]);
    assert_memory_equal(digests[0], "sha256:", 7);
}

static void the_fields_of_a_parameter_have_names(void **state)
{
    (void)state;
    static const struct mistake list[] = {
        {RULE("on: item, require: 'n < config(WIDTH.STPE)', say: s"), ASSAY_UNKNOWN_NAME, 2, 91,
         "WIDTH has no field \"STPE\""},
        {RULE("on: item, require: 'n < config(WIDTH.FIRST)', say: s"), ASSAY_UNKNOWN_NAME, 2, 91,
         "WIDTH has no field \"FIRST\""},
        {RULE("on: item, require: 'n < config(WIDTH.STEP, 1)', say: s"), ASSAY_SYNTAX, 2, 95,
         "\")\" is expected"},
        {RULE("on: item, require: 'config(WIDTH.STEP) == 8', say: s"), ASSAY_OUT_OF_RANGE, 2, 96,
         "is at most 7"},
        {RULE("on: item, require: 'config(WIDTH.STEP)', say: s"), ASSAY_WRONG_TYPE, 2, 73,
         "a condition is expected"},
        {RULE("on: item, require: 'n < config(WIDTH.STEP)', say: s"), ASSAY_SYNTAX, 2, 5,
         "lacks config:WIDTH"},
    };
    assert_mistakes(list, COUNT(list));
}

static void the_default_of_a_parameter_is_one_of_its_values(void **state)
{
    (void)state;
    static const struct mistake list[] = {
        {RULE("on: item, require: 'n < config(WITDH, 8)', say: s"), ASSAY_UNKNOWN_NAME, 2, 85,
         "no parameter \"WITDH\""},
        {RULE("on: item, require: 'n < config(WIDTH, 0)', say: s"), ASSAY_OUT_OF_RANGE, 2, 92,
         "values from 1 to 64"},
        {RULE("on: item, require: 'n < config(WIDTH, 65)', say: s"), ASSAY_OUT_OF_RANGE, 2, 92,
         "values from 1 to 64"},
        {RULE("on: item, require: 'n < config(WIDTH, n)', say: s"), ASSAY_WRONG_TYPE, 2, 92,
         "the default of WIDTH is a number"},
        {RULE("on: item, require: 'n < config(WIDTH, 1 + 1)', say: s"), ASSAY_SYNTAX, 2, 94,
         "\")\" is expected"},
        {RULE("on: item, require: 'n < config(WIDTH, true)', say: s"), ASSAY_WRONG_TYPE, 2, 92,
         "the default of WIDTH is a number"},
        {RULE("on: item, require: 'n < config(WIDTH, )', say: s"), ASSAY_SYNTAX, 2, 92,
         "a value is expected"},
        {RULE("on: item, require: 'config(WHOLE, 1)', say: s"), ASSAY_WRONG_TYPE, 2, 88,
         "the default of WHOLE is true or false"},
        {RULE("on: item, require: 'config(WHOLE, flag)', say: s"), ASSAY_WRONG_TYPE, 2, 88,
         "the default of WHOLE is true or false"},
        {RULE("on: item, require: 'n < config(ORDER, 3)', say: s"), ASSAY_VACUOUS, 2, 92,
         "has a default of its own"},
        {RULE("on: item, require: 'config(WIDTH, 8) < 65', say: s"), ASSAY_OUT_OF_RANGE, 2, 93,
         "is at most 64"},
    };
    assert_mistakes(list, COUNT(list));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fields_of_a_parameter_have_names),
        cmocka_unit_test(the_default_of_a_parameter_is_one_of_its_values),
        cmocka_unit_test(a_variable_is_a_flag_when_all_that_it_can_be_is),
        cmocka_unit_test(two_files_may_each_have_a_variable_of_the_same_name),
        cmocka_unit_test(fields_of_one_name_are_shown_by_what_each_of_them_means),
        cmocka_unit_test(a_variable_with_a_mistake_is_refused_where_it_stands),
        cmocka_unit_test(a_rule_with_a_mistake_is_refused_where_it_stands),
        cmocka_unit_test(a_diagnosis_demands_nothing_and_explains_rules_that_there_are),
        cmocka_unit_test(an_id_is_letters_a_dash_and_digits),
        cmocka_unit_test(the_levels_are_those_four),
        cmocka_unit_test(an_id_that_a_rule_has_already_is_refused),
        cmocka_unit_test(added_rules_rest_on_the_clauses_and_readings_of_the_base),
        cmocka_unit_test(clauses_can_be_added_to_those_of_the_base),
        cmocka_unit_test(clauses_name_vectors_where_no_rule_checks_them_and_vectors_can),
        cmocka_unit_test(a_format_whose_name_makes_no_name_in_c_is_refused),
        cmocka_unit_test(the_digest_is_of_the_texts_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
