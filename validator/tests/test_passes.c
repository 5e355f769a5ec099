/* What rules ask of the instructions of runs, passes(...) and first(...), on a format that does not
 * exist: its decoder's events are made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/layout.h"
#include "model/parameters.h"
#include "validator/engine/conditions.h"
#include "validator/engine/judge.h"

enum { OP = ASSAY_KIND_FIRST, RUN, LOST, MET = 1, CELLS = 4, OPS = 3 };

static const struct assay_enumerator class_list[] = {
    {0, "move", ""}, {1, "call", ""}, {2, "trap", ""}};
ASSAY_ENUMERATION(class, "class");

static const struct assay_field malformed_fields[] = {ASSAY_D(malformed, value, HEX, 0, 0, 64, "")};
static const struct assay_field end_fields[] = {ASSAY_D(end, total, UINT, 0, 0, 64, "")};
static const struct assay_field op_fields[] = {
    ASSAY_D(op, class, ENUM, 0, 0, 4, "", .names = &class, .flags = ASSAY_STATIC)
        ASSAY_D(op, level, UINT, 0, 4, 2, "", .flags = ASSAY_STATIC)
            ASSAY_D(op, odd, FLAG, 0, 6, 1, "", .flags = ASSAY_STATIC)
                ASSAY_D(op, word, HEX, 1, 0, 32, "", .flags = ASSAY_STATIC)
                    ASSAY_D(op, el, UINT, 2, 0, 2, "")};
static const struct assay_field run_fields[] = {ASSAY_D(
    run, el, UINT, 0, 0, 2, "", .flags = ASSAY_BEFOREHAND) ASSAY_D(run, taken, FLAG, 0, 2, 1, "")};
static const struct assay_field lost_fields[] = {ASSAY_D(lost, el, UINT, 0, 0, 2, "")};

static const struct assay_kind kinds[] = {
    ASSAY_KIND(malformed, "Malformed", 0, "0"),
    ASSAY_KIND(end, "End", 0, "0"),
    ASSAY_KIND(op, "Op", 0, "1"),
    ASSAY_KIND(run, "Run", 0, "2", .run_of = OP, .met = MET + 1),
    ASSAY_KIND(lost, "Lost", 0, "3"),
};

static uint64_t is_two(uint64_t a, uint64_t b, uint64_t c)
{
    return a == 2 && b == 0 && c == 0;
}

static const struct assay_function functions[] = {{"is_two", 1, true, is_two, "is_two", ""}};
static const char *const layers[] = {"op"};
static const struct assay_profile profiles[] = {{"runs-1", "Runs 1"}};

static const struct assay_format format = {.name = "runs",
                                           .title = "Runs",
                                           .version = "1",
                                           .profiles = profiles,
                                           .profile_count = 1,
                                           .layers = layers,
                                           .layer_count = 1,
                                           .kinds = kinds,
                                           .kind_count = ASSAY_COUNT(kinds),
                                           .functions = functions,
                                           .function_count = ASSAY_COUNT(functions)};

/* --- loading --- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static enum assay_error load_text(const char *text, const struct assay_catalogue *base,
                                  struct assay_loaded **loaded, struct assay_diag *diag)
{
    char folder[] = "/tmp/assay-passes-XXXXXX";
    char clauses[64];
    char rules[64];
    assert_non_null(mkdtemp(folder));
    snprintf(clauses, sizeof clauses, "%s/clauses.yaml", folder);
    snprintf(rules, sizeof rules, "%s/rules.yaml", folder);
    write_file(clauses, "clauses:\n  - {id: T-1, section: '1', level: must, text: one, "
                        "disposition: rule}\n");
    write_file(rules, text);
    const char *const files[] = {clauses, rules};
    const size_t skipped = base != NULL ? 1 : 0; /* the base lends them */
    *loaded = NULL;
    *diag = (struct assay_diag){.offset = ASSAY_NO_OFFSET};
    const enum assay_error error =
        assay_catalogue_load(&format, files + skipped, 2 - skipped, base, loaded, diag);
    unlink(clauses);
    unlink(rules);
    rmdir(folder);
    return error;
}

/* A rule file with one rule. */
static void rule_text(char *text, size_t size, const char *id, const char *on, const char *require,
                      const char *say)
{
    snprintf(text, size,
             "rules:\n  - id: %s\n    title: t\n    why: w\n    level: must\n    clauses: [T-1]\n  "
             "  needs: [image]\n    on: %s\n"
             "    require: \"%s\"\n    say: \"%s\"\n",
             id, on, require, say);
}

static struct assay_loaded *load(const char *text, const struct assay_catalogue *base)
{
    struct assay_loaded *loaded;
    struct assay_diag diag;
    if (load_text(text, base, &loaded, &diag) != ASSAY_OK) {
        fail_msg("%s", diag.message);
    }
    return loaded;
}

static void refused(const char *on, const char *require, const char *say, const char *message)
{
    char text[4096];
    struct assay_loaded *loaded;
    struct assay_diag diag;
    rule_text(text, sizeof text, "HOUSE-0001", on, require, say);
    assert_int_not_equal(load_text(text, NULL, &loaded, &diag), ASSAY_OK);
    if (strstr(diag.message, message) == NULL) {
        fail_msg("%s: \"%s\", not \"%s\"", require, diag.message, message);
    }
}

/* --- events --- */

/* The cells of an instruction. */
static void op_cells(uint64_t *cells, unsigned of_class, unsigned level, bool odd, uint32_t word)
{
    cells[0] = of_class | level << 4 | (uint64_t)odd << 6;
    cells[1] = word;
    cells[2] = 3;
}

static uint64_t ops[OPS][CELLS];

/* The instructions of each run. */
static bool expand(struct assay_decoder *decoder, const struct assay_event *run,
                   struct assay_expansion *expansion)
{
    (void)decoder;
    (void)run;
    if (expansion->number == OPS) {
        return false;
    }
    memcpy(expansion->cells, ops[expansion->number], sizeof ops[0]);
    expansion->event.kind = OP;
    return true;
}

static const struct assay_decoder_ops decoding = {.expand = expand};

/* Judges a run whose instructions are `ops`. */
static struct assay_judge *judge(const struct assay_catalogue *catalogue)
{
    const struct assay_asked asked = assay_asked_by(&format, &catalogue, 1, true);
    int decoder = 0; /* that is not looked at */
    const struct assay_judge_settings settings = {.catalogue = catalogue,
                                                  .given = ASSAY_NEED_IMAGE,
                                                  .max_findings = 1,
                                                  .decoding = &decoding,
                                                  .decoder = (struct assay_decoder *)&decoder};
    uint64_t cells[CELLS] = {1};
    const struct assay_event run = {.cells = cells, .kind = RUN};
    struct assay_judge *judge = NULL;
    for (unsigned i = 0; i < OPS; i++) {
        cells[MET] |= asked.conditions.met(&asked.conditions, ops[i]);
    }
    assert_int_equal(assay_judge_open(&settings, &judge, NULL), ASSAY_OK);
    assert_int_equal(assay_judge_events(judge, &run, 1), ASSAY_OK);
    return judge;
}

/* --- tests --- */

/* A move, a call of level 1, and a trap of level 2 that is odd. */
static void set_ops(void)
{
    op_cells(ops[0], 0, 0, false, 0x10);
    op_cells(ops[1], 1, 1, false, 0x20);
    op_cells(ops[2], 2, 2, true, 0x30);
}

static void a_run_passes_what_one_of_its_instructions_is(void **state)
{
    (void)state;
    static const struct {
        const char *require;
        bool holds;
    } cases[] = {
        {"passes(class == trap)", true},
        {"not passes(class == trap)", false},
        {"passes(class == call and level == 2)", false},
        {"passes(class == call) and passes(level == 2)", true},
        {"not passes(level > 2)", true},
        {"passes(is_two(level) and odd)", true},
        {"passes(word == 0x20 and not odd)", true},
        {"passes(class in {call, trap} and level == 0)", false},
        {"el == 1 and passes(not odd)", true},
        {"passes(if odd then level == 2 else level == 3)", true},
    };
    set_ops();
    for (size_t i = 0; i < ASSAY_COUNT(cases); i++) {
        char text[1024];
        rule_text(text, sizeof text, "HOUSE-0001", "run", cases[i].require, "s");
        struct assay_loaded *loaded = load(text, NULL);
        struct assay_judge *j = judge(assay_loaded_catalogue(loaded));
        const struct assay_rule_result result = assay_judge_result(j, 0);
        if ((result.violated == 0) != cases[i].holds) {
            fail_msg("%s", cases[i].require);
        }
        assay_judge_close(j);
        assay_catalogue_free(loaded);
    }
}

static void a_message_says_of_the_first_one(void **state)
{
    (void)state;
    char text[1024];
    set_ops();
    rule_text(text, sizeof text, "HOUSE-0001", "run",
              "not passes(level > 0) and not passes(level > 1) and passes(level > 2)",
              "{first(level > 0).word} is a {first(level > 0).class} at {first(level > 0).el}, "
              "{first(level > 1).word}, {first(level > 2).word}, {first(level > 0).word + 1:x}");
    struct assay_loaded *loaded = load(text, NULL);
    struct assay_judge *j = judge(assay_loaded_catalogue(loaded));
    const struct assay_rule_result result = assay_judge_result(j, 0);
    assert_int_equal(result.finding_count, 1);
    assert_string_equal(result.findings[0]->message, "0x20 is a call at 3, 0x30, 0x0, 0x21");
    assay_judge_close(j);
    assay_catalogue_free(loaded);
}

static void a_message_can_name_sets_of_values(void **state)
{
    (void)state;
    char text[1024];
    set_ops();
    rule_text(text, sizeof text, "HOUSE-0001", "run", "not passes(class in {call, trap})",
              "{first(class in {call, trap}).word} and {first(class in {call, trap}).class}");
    struct assay_loaded *loaded = load(text, NULL);
    struct assay_judge *j = judge(assay_loaded_catalogue(loaded));
    const struct assay_rule_result result = assay_judge_result(j, 0);
    assert_string_equal(result.findings[0]->message, "0x20 and call");
    assay_judge_close(j);
    assay_catalogue_free(loaded);
}

static void equal_conditions_are_asked_once(void **state)
{
    (void)state;
    char text[1024];
    rule_text(text, sizeof text, "HOUSE-0001", "run",
              "passes(level > 1) or passes( (level)  > 1 ) or not passes(level > 2)", "s");
    struct assay_loaded *loaded = load(text, NULL);
    const struct assay_catalogue *catalogue = assay_loaded_catalogue(loaded);
    assert_int_equal(catalogue->condition_count, 2);
    assert_string_equal(catalogue->conditions[0].text, "level > 1");
    assert_int_equal(catalogue->conditions[1].field.bit, 64 * MET + 1);
    assay_catalogue_free(loaded);
}

/* A rule file with named conditions and one rule. */
static void named_text(char *text, size_t size, const char *conditions, const char *require,
                       const char *say)
{
    char rules[2048];
    rule_text(rules, sizeof rules, "HOUSE-0001", "run", require, say);
    snprintf(text, size, "conditions:\n  %s\n%s", conditions, rules);
}

static void a_condition_has_a_name(void **state)
{
    (void)state;
    static const struct {
        const char *require;
        bool holds;
    } cases[] = {
        {"not passes(high)", false},   {"not passes(high and not odd)", true},
        {"passes(high_trap)", true},   {"not passes(not high) or passes(odd_two)", true},
        {"passes(high == odd)", true}, {"passes(odd_two) == passes(high)", true},
    };
    char text[4096];
    set_ops();
    for (size_t i = 0; i < ASSAY_COUNT(cases); i++) {
        char require[256];
        snprintf(require, sizeof require,
                 "(%s) and (passes(low) or not passes(high_trap or odd_two))", cases[i].require);
        named_text(text, sizeof text,
                   "high: level > 1\n  low: not high and not (level == 1)\n"
                   "  high_trap: high and class == trap\n  odd_two: is_two(level) and odd",
                   require, "s");
        struct assay_loaded *loaded = load(text, NULL);
        struct assay_judge *j = judge(assay_loaded_catalogue(loaded));
        if ((assay_judge_result(j, 0).violated == 0) != cases[i].holds) {
            fail_msg("%s", cases[i].require);
        }
        assay_judge_close(j);
        assay_catalogue_free(loaded);
    }
}

static void a_named_condition_is_one_with_what_it_stands_for(void **state)
{
    (void)state;
    char text[4096];
    set_ops();
    named_text(text, sizeof text, "high: level\n    > 1",
               "not passes(high) or passes(level > 1 and odd) or passes(high and odd)",
               "{first(high).word} {first(level > 1).class}");
    struct assay_loaded *loaded = load(text, NULL);
    const struct assay_catalogue *catalogue = assay_loaded_catalogue(loaded);
    assert_int_equal(catalogue->condition_count, 2);
    assert_string_equal(catalogue->conditions[0].text, "level > 1");
    assert_string_equal(catalogue->leaves[0].text, "passes(high)");
    assert_int_equal(catalogue->named_count, 1);
    assert_string_equal(catalogue->named[0].name, "high");
    assay_catalogue_free(loaded);
}

static void names_are_of_their_file(void **state)
{
    (void)state;
    char text[4096];
    named_text(text, sizeof text, "high: level > 1", "not passes(high)", "s");
    struct assay_loaded *base = load(text, NULL);
    struct assay_loaded *user;
    struct assay_diag diag;
    rule_text(text, sizeof text, "HOUSE-0002", "run", "not passes(high)", "s");
    assert_int_equal(load_text(text, assay_loaded_catalogue(base), &user, &diag),
                     ASSAY_UNKNOWN_NAME);
    assay_catalogue_free(base);
}

static void wrong_names_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *conditions, *require, *say, *message, *hint;
        unsigned line, column;
    } cases[] = {
        {"high: level > 1", "not passes(hihg)", "s", "\"hihg\" is no field of the kind op", "high",
         11, 26},
        {"high: level > 1", "not passes(odd)", "s", "the condition high is never used", "", 2, 3},
        {"a: odd\n  b: a", "not passes(odd)", "s", "the condition b is never used", "", 3, 3},
        {"high: level > 1\n  high: odd", "not passes(high)", "s", "high", "", 3, 3},
        {"level: odd", "not passes(level)", "s", "the name of a field of the kind op", "", 2, 3},
        {"if: odd", "not passes(odd)", "s", "keyword", "", 2, 3},
        {"2nd: odd", "not passes(odd)", "s", "letters, digits and _", "", 2, 3},
        {"high: level", "not passes(high)", "s", "this is a number", "", 2, 9},
        {"high: [odd]", "not passes(high)", "s", "an expression is expected", "", 2, 9},
        {"high: odd odd", "not passes(high)", "s", "should end before", "", 2, 13},
        {"high: el > 1", "not passes(high)", "s", "can differ each time", "", 2, 9},
        {"b: a\n  a: odd", "not passes(b) and passes(a)", "s", "\"a\" is no field", "", 2, 6},
        {"high: level > 1 and level < 1", "not passes(high)", "s", "no instruction can meet", "", 2,
         9},
        {"high: level > 1", "not passes(high and level == 0)", "s", "no instruction can meet",
         "passes(...) and passes(...)", 11, 26},
        {"high: level > 1 or level < 2", "not passes(high)", "s", "every instruction meets", "", 2,
         9},
        {"high: level > 1", "not passes(high)", "{first(odd).word}",
         "first(odd).word, and the rule does not ask", "passes(NAME), first(NAME).field", 12, 10},
    };
    char text[4096];
    for (size_t i = 0; i < ASSAY_COUNT(cases); i++) {
        struct assay_loaded *loaded;
        struct assay_diag diag;
        named_text(text, sizeof text, cases[i].conditions, cases[i].require, cases[i].say);
        assert_int_not_equal(load_text(text, NULL, &loaded, &diag), ASSAY_OK);
        if (strstr(diag.message, cases[i].message) == NULL ||
            strstr(diag.hint, cases[i].hint) == NULL || diag.line != cases[i].line ||
            diag.column != cases[i].column) {
            fail_msg("%s: %u:%u: %s (%s)", cases[i].conditions, diag.line, diag.column,
                     diag.message, diag.hint);
        }
    }
}

static void the_image_is_needed_and_fields_are_of_the_instructions(void **state)
{
    (void)state;
    char text[4096];
    struct assay_loaded *loaded;
    struct assay_diag diag;
    rule_text(text, sizeof text, "HOUSE-0001", "run", "not passes(odd)", "s");
    memcpy(strstr(text, "needs: [image]"), "needs: [isa  ]", strlen("needs: [image]"));
    assert_int_equal(load_text(text, NULL, &loaded, &diag), ASSAY_SYNTAX);
    assert_non_null(strstr(diag.message, "of which passes(odd) asks"));
    assert_string_equal(diag.hint, "add \"image\" to the list");
    memcpy(strstr(text, "needs: [isa  ]"), "why: w        ", strlen("needs: [isa  ]"));
    memcpy(strstr(text, "why: w\n"), "#ny: w", strlen("why: w"));
    assert_int_equal(load_text(text, NULL, &loaded, &diag), ASSAY_SYNTAX);
    assert_string_equal(diag.hint, "write \"needs: [image]\"");
    rule_text(text, sizeof text, "HOUSE-0001", "run", "level == 1", "s");
    assert_int_equal(load_text(text, NULL, &loaded, &diag), ASSAY_UNKNOWN_NAME);
    assert_string_equal(diag.hint, "level is static of its instructions: passes(level ...)");
    rule_text(text, sizeof text, "HOUSE-0001", "run", "odd", "s");
    assert_int_equal(load_text(text, NULL, &loaded, &diag), ASSAY_UNKNOWN_NAME);
    assert_string_equal(diag.hint, "odd is static of its instructions: passes(odd)");
}

static void a_variable_that_asks_needs_the_image(void **state)
{
    (void)state;
    struct assay_loaded *loaded;
    struct assay_diag diag;
    static const char text[] =
        "state:\n"
        "  ever: {init: false, on: {run: ever or passes(odd)}}\n"
        "  after: {init: false, on: {run: ever}}\n"
        "rules:\n  - {id: HOUSE-0001, title: t, level: must, clauses: [T-1], "
        "on: lost, require: not after, say: s}\n";
    assert_int_equal(load_text(text, NULL, &loaded, &diag), ASSAY_SYNTAX);
    assert_non_null(strstr(diag.message, "of which after asks"));
}

static void those_of_a_user_come_after_those_of_the_catalogue(void **state)
{
    (void)state;
    char text[1024];
    uint64_t cells[CELLS] = {0};
    rule_text(text, sizeof text, "HOUSE-0001", "run", "passes(odd) or passes(level > 1)", "s");
    struct assay_loaded *base = load(text, NULL);
    rule_text(text, sizeof text, "HOUSE-0002", "run", "passes(level > 1) or passes(odd)", "s");
    struct assay_loaded *user = load(text, assay_loaded_catalogue(base));
    const struct assay_catalogue *const both[] = {assay_loaded_catalogue(base),
                                                  assay_loaded_catalogue(user)};
    const struct assay_asked asked = assay_asked_by(&format, both, 2, false);
    assert_int_equal(both[1]->first_condition, 2);
    op_cells(cells, 0, 3, false, 0);
    assert_int_equal(asked.conditions.met(&asked.conditions, cells), 1 << 1 | 1 << 2);
    op_cells(cells, 0, 0, true, 0);
    assert_int_equal(asked.conditions.met(&asked.conditions, cells), 1 << 0 | 1 << 3);
    assay_catalogue_free(user);
    assay_catalogue_free(base);
}

static void the_run_before_is_asked_by_prev(void **state)
{
    (void)state;
    char text[1024];
    uint64_t cells[2][CELLS] = {{1, 1}, {1, 0}}; /* the first one meets condition 0 */
    const struct assay_event runs[] = {
        {.cells = cells[0], .kind = RUN},
        {.cells = cells[1], .kind = RUN, .index = 1},
        {.cells = cells[1], .kind = LOST, .index = 2},
    };
    rule_text(text, sizeof text, "HOUSE-0001", "[run, lost]", "not prev.passes(odd)", "s");
    struct assay_loaded *loaded = load(text, NULL);
    const struct assay_catalogue *catalogue = assay_loaded_catalogue(loaded);
    const struct assay_judge_settings settings = {
        .catalogue = catalogue, .given = ASSAY_NEED_IMAGE, .max_findings = 3};
    struct assay_judge *j = NULL;
    assert_string_equal(catalogue->leaves[0].text, "prev.passes(odd)");
    assert_int_equal(assay_judge_open(&settings, &j, NULL), ASSAY_OK);
    assert_int_equal(assay_judge_events(j, runs, 3), ASSAY_OK);
    const struct assay_rule_result result = assay_judge_result(j, 0);
    assert_int_equal(result.exercised, 3);
    assert_int_equal(result.violated, 1);
    assert_int_equal(result.findings[0]->index, 1);
    assay_judge_close(j);
    assay_catalogue_free(loaded);
}

/* A rule that is said to show what cannot have been executed. */
static void unexecutable_text(char *text, size_t size, const char *on, const char *parts)
{
    snprintf(text, size,
             "state: {ever: {init: false, on: {run: true}}}\n"
             "rules:\n  - id: HOUSE-0001\n    title: t\n    why: w\n    level: must\n"
             "    clauses: [T-1]\n    needs: [image]\n    unexecutable: true\n    on: %s\n    %s\n "
             "   say: s\n",
             on, parts);
}

static void rules_say_what_cannot_have_been_executed(void **state)
{
    (void)state;
    static const struct {
        uint64_t el, met;
        bool unexecutable;
    } cases[] = {{1, 1, true}, {1, 0, false}, {0, 1, false}};
    char text[1024];
    unexecutable_text(text, sizeof text, "run", "when: el != 0\n    require: not passes(odd)");
    struct assay_loaded *loaded = load(text, NULL);
    const struct assay_catalogue *catalogue = assay_loaded_catalogue(loaded);
    const struct assay_asked asked = assay_asked_by(&format, &catalogue, 1, false);
    for (size_t i = 0; i < ASSAY_COUNT(cases); i++) {
        const uint64_t cells[CELLS] = {cases[i].el, cases[i].met};
        assert_int_equal(asked.conditions.unexecutable(&asked.conditions, cells),
                         cases[i].unexecutable);
    }
    struct assay_loaded *user;
    struct assay_diag diag;
    memcpy(strstr(text, "HOUSE-0001"), "HOUSE-0002", strlen("HOUSE-0002"));
    assert_int_equal(load_text(text, catalogue, &user, &diag), ASSAY_UNSUPPORTED);
    assert_non_null(strstr(diag.message, "not of a user"));
    assay_catalogue_free(loaded);
}

static void what_a_decoder_cannot_know_is_not_unexecutable(void **state)
{
    (void)state;
    static const struct {
        const char *on, *parts;
    } cases[] = {
        {"lost", "require: el == 0"},     {"[run, lost]", "require: el == 0"},
        {"run", "require: not ever"},     {"run", "require: not prev.passes(odd)"},
        {"run", "require: prev.el == 0"}, {"run", "when: index > 3\n    require: el == 0"},
    };
    for (size_t i = 0; i < ASSAY_COUNT(cases); i++) {
        char text[1024];
        struct assay_loaded *loaded;
        struct assay_diag diag;
        unexecutable_text(text, sizeof text, cases[i].on, cases[i].parts);
        assert_int_not_equal(load_text(text, NULL, &loaded, &diag), ASSAY_OK);
        assert_non_null(strstr(diag.message, "known before they are executed"));
    }
}

static void mistakes_are_told(void **state)
{
    (void)state;
    char long_text[1500] = "";
    refused("lost", "passes(odd)", "s", "events of the kind run alone");
    refused("[run, lost]", "passes(odd)", "s", "events of the kind run alone");
    refused("run", "passes(level)", "s", "this is a number");
    refused("run", "passes(el > 1)", "s", "el of the kind op can differ each time");
    refused("run", "passes(levle > 1)", "s", "\"levle\" is no field of the kind op");
    refused("run", "passes(prev.level > 1)", "s", "\"prev\" is no field");
    refused("run", "passes(passes(odd))", "s", "\"passes\" is no field");
    refused("run", "passes(kind == op)", "s", "\"kind\" is no field");
    refused("run", "passes(class == cal)", "s", "cal");
    refused("run", "passes(level > 4)", "s", "at most 3");
    refused("run", "passes(odd", "s", "\")\" is expected");
    refused("run", "passes odd", "s", "\"(\" is expected");
    refused("run", "passes(true)", "s", "always the same");
    refused("run", "not passes(1 == 1)", "s", "always the same");
    refused("run", "first(odd).level == 1", "s", "only \"say\" can");
    refused("run", "passes(odd)", "{first(odd).levle}", "has no field \"levle\"");
    refused("run", "passes(odd)", "{first(odd)}", "\".\" is expected");
    memset(long_text, ' ', 1000);
    for (unsigned i = 0; i < 60; i++) {
        strcat(long_text, i == 0 ? "odd" : " and odd");
    }
    char require[2000];
    snprintf(require, sizeof require, "passes(%s)", long_text);
    refused("run", require, "s", "longer than");
}

static void more_than_can_be_asked_are_refused(void **state)
{
    (void)state;
    char require[4096] = "";
    for (unsigned i = 0; i <= ASSAY_MAX_CONDITIONS; i++) {
        char one[64];
        snprintf(one, sizeof one, "%spasses(word == %u)", i == 0 ? "" : " or ", i);
        strcat(require, one);
    }
    refused("run", require, "s", "the built-in ones ask 0, those up to here 64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_passes_what_one_of_its_instructions_is),
        cmocka_unit_test(a_message_says_of_the_first_one),
        cmocka_unit_test(a_message_can_name_sets_of_values),
        cmocka_unit_test(equal_conditions_are_asked_once),
        cmocka_unit_test(a_condition_has_a_name),
        cmocka_unit_test(a_named_condition_is_one_with_what_it_stands_for),
        cmocka_unit_test(names_are_of_their_file),
        cmocka_unit_test(wrong_names_are_told),
        cmocka_unit_test(the_image_is_needed_and_fields_are_of_the_instructions),
        cmocka_unit_test(a_variable_that_asks_needs_the_image),
        cmocka_unit_test(those_of_a_user_come_after_those_of_the_catalogue),
        cmocka_unit_test(the_run_before_is_asked_by_prev),
        cmocka_unit_test(rules_say_what_cannot_have_been_executed),
        cmocka_unit_test(what_a_decoder_cannot_know_is_not_unexecutable),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(more_than_can_be_asked_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
