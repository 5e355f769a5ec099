/* Waivers: how long they hold, for which rules and inputs, and what is wrong with a file of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "validator/engine/waivers.h"
#include "validator/tests/toy.h"

enum { RULES = 3 };

static const struct assay_rule rules[RULES] = {
    {.id = "T-0001", .file = "a.yaml", .level = ASSAY_MUST, .profiles = 1},
    {.id = "T-0002", .file = "a.yaml", .level = ASSAY_SHOULD, .profiles = 1},
    {.id = "T-0003", .file = "b.yaml", .level = ASSAY_MUST, .profiles = 1},
};
static const struct assay_catalogue catalogue = {
    .format = &toy_format, .rules = rules, .rule_count = RULES};
static const struct assay_catalogue *const catalogues[] = {&catalogue};
static const char today[] = "2024-02-29";

static char path[] = "/tmp/assay-waivers-XXXXXX";
static struct assay_diag diag;

#define WAIVER(rule, input, expires)                                                               \
    "- {rule: '" rule "', input: '" input "', reason: r, owner: o, expires: " expires "}\n"

static enum assay_error load(struct assay_waivers *w, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    diag = (struct assay_diag){.offset = ASSAY_NO_OFFSET};
    return assay_waivers_load(w, path, today, &diag);
}

static struct assay_waivers none(void)
{
    return (struct assay_waivers){.catalogues = catalogues, .catalogue_count = 1};
}

static void assert_refused(const char *text, enum assay_error error, uint32_t line,
                           const char *message)
{
    struct assay_waivers w = none();
    assert_int_equal(load(&w, text), error);
    assert_string_equal(diag.message, message);
    assert_int_equal(diag.line, line);
    assert_string_equal(diag.path, path);
    assay_waivers_free(&w);
}

static void who_answers_for_a_waiver_and_why_is_not_left_blank(void **state)
{
    (void)state;
    assert_refused(
        "waivers:\n- {rule: T-0001, input: '*', reason: ' ', owner: o, expires: 2999-01-01}\n",
        ASSAY_SYNTAX, 2, "\"reason\" holds nothing but blanks");
    assert_refused("waivers:\n- {rule: T-0001, input: '*', reason: r, owner: \"\\t\\n\", expires: "
                   "2999-01-01}\n",
                   ASSAY_SYNTAX, 2, "\"owner\" holds nothing but blanks");
}

static void a_pattern_that_is_not_closed_is_refused_where_it_is(void **state)
{
    static const char *const good[] = {"[ab]",    "[]]", "[!]a]*", "[[:alpha:]]",
                                       "[a\\]b]", "\\[", "a]"};
    static const char *const bad[] = {"[",          "a[b",       "[]",    "[!]",
                                      "[[:alpha:]", "[[:alpha]", "[a\\]", "a\\"};
    char text[256];
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct assay_waivers w = none();
        snprintf(text, sizeof text, "waivers:\n" WAIVER("T-0001", "%s", "2999-01-01"), good[i]);
        assert_int_equal(load(&w, text), ASSAY_OK);
        assay_waivers_free(&w);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(text, sizeof text, "waivers:\n" WAIVER("T-0001", "%s", "2999-01-01"), bad[i]);
        assert_refused(text, ASSAY_SYNTAX, 2,
                       "the pattern has a \"[\" without \"]\", or ends in a backslash");
        assert_int_equal(diag.column, 27);
    }
}

static void a_waiver_holds_to_the_end_of_its_day(void **state)
{
    struct assay_waivers w = none();
    (void)state;
    assert_int_equal(load(&w, "waivers:\n" WAIVER("T-0001", "*", "2024-02-29")), ASSAY_OK);
    assert_int_equal(w.count, 1);
    assert_string_equal(w.list[0].expires, today);
    assert_string_equal(w.list[0].owner, "o");
    assert_null(w.list[0].link);
    assert_int_equal(w.list[0].line, 2);
    assay_waivers_free(&w);
    assert_refused("waivers:\n" WAIVER("T-0001", "*", "2024-02-28"), ASSAY_OUT_OF_RANGE, 2,
                   "the waiver of T-0001 expired on 2024-02-28; its owner is o");
    assert_refused(
        "waivers:\n" WAIVER("T-0001", "*", "2999-01-01") WAIVER("T-0002", "*", "2023-12-31"),
        ASSAY_OUT_OF_RANGE, 3, "the waiver of T-0002 expired on 2023-12-31; its owner is o");
}

static void a_date_is_a_day_that_there_is(void **state)
{
    static const char *const wrong[] = {"2999-02-29",  "2100-02-29", "2999-04-31", "2999-13-01",
                                        "2999-00-10",  "2999-01-00", "2999-1-01",  "29990101",
                                        "2999-01-011", "soon"};
    static const char *const right[] = {"2024-02-29", "2400-02-29", "2999-12-31", "2999-04-30"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[256], message[128];
        snprintf(text, sizeof text,
                 "waivers:\n- {rule: T-0001, input: a, reason: r, owner: o, expires: %s}\n",
                 wrong[i]);
        snprintf(message, sizeof message, "\"expires\" is a date, as in 2030-01-31, not %s",
                 wrong[i]);
        assert_refused(text, ASSAY_SYNTAX, 2, message);
    }
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        struct assay_waivers w = none();
        char text[256];
        snprintf(text, sizeof text,
                 "waivers:\n- {rule: T-0001, input: a, reason: r, owner: o, expires: %s}\n",
                 right[i]);
        assert_int_equal(load(&w, text), ASSAY_OK);
        assay_waivers_free(&w);
    }
}

static void an_unknown_rule_is_refused(void **state)
{
    (void)state;
    assert_refused("waivers:\n" WAIVER("T-0009", "*", "2999-01-01"), ASSAY_UNKNOWN_NAME, 2,
                   "there is no rule T-0009");
}

static void a_waiver_is_of_its_rules_and_inputs_alone(void **state)
{
    struct assay_waivers w = none();
    (void)state;
    assert_int_equal(load(&w, "waivers:\n" WAIVER("T-0001", "run?.stf", "2999-01-01")
                                  WAIVER("level:should", "night/*.stf", "2999-01-01")),
                     ASSAY_OK);
    /* A pattern without a slash is of the last part of a path. */
    assert_ptr_equal(assay_waiver_of(&w, 0, 0, "run1.stf"), &w.list[0]);
    assert_ptr_equal(assay_waiver_of(&w, 0, 0, "deep/er/run2.stf"), &w.list[0]);
    assert_null(assay_waiver_of(&w, 0, 0, "run10.stf"));
    assert_null(assay_waiver_of(&w, 0, 0, "run1.stf/other"));
    assert_null(assay_waiver_of(&w, 0, 2, "run1.stf"));
    assert_ptr_equal(assay_waiver_of(&w, 0, 1, "night/run1.stf"), &w.list[1]);
    assert_null(assay_waiver_of(&w, 0, 1, "run1.stf"));
    assert_null(assay_waiver_of(&w, 0, 1, "last/night/run1.stf"));
    assay_waivers_free(&w);
    assert_int_equal(w.count, 0);
    assert_null(assay_waiver_of(&w, 0, 0, "run1.stf"));
}

/* Of two for the same, also of two files, the first is the one that waives. */
static void the_first_of_several_waives(void **state)
{
    struct assay_waivers w = none();
    (void)state;
    assert_int_equal(load(&w, "waivers:\n" WAIVER("T-0001", "a.stf", "2999-01-01")
                                  WAIVER("T-0001", "*", "2999-01-01")),
                     ASSAY_OK);
    assert_int_equal(load(&w, "waivers:\n" WAIVER("T-0001", "*", "2999-01-01")
                                  WAIVER("T-0003", "b.stf", "2999-01-01")),
                     ASSAY_OK);
    assert_int_equal(w.count, 4);
    assert_ptr_equal(assay_waiver_of(&w, 0, 0, "a.stf"), &w.list[0]);
    assert_ptr_equal(assay_waiver_of(&w, 0, 0, "b.stf"), &w.list[1]);
    assert_ptr_equal(assay_waiver_of(&w, 0, 2, "b.stf"), &w.list[3]);
    assay_waivers_free(&w);
}

static void each_key_that_is_due_is_missed(void **state)
{
    (void)state;
    static const char *const due[][2] = {{"rule", "T-0001"},
                                         {"input", "'*'"},
                                         {"reason", "r"},
                                         {"owner", "o"},
                                         {"expires", "2999-01-01"}};
    for (size_t absent = 0; absent < sizeof due / sizeof *due; absent++) {
        char text[256] = "waivers:\n- {link: l";
        char message[64];
        for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
            const size_t used = strlen(text);
            if (i != absent) {
                snprintf(text + used, sizeof text - used, ", %s: %s", due[i][0], due[i][1]);
            }
        }
        snprintf(text + strlen(text), sizeof text - strlen(text), "}\n");
        snprintf(message, sizeof message, "\"%s\" is missing or is not a text", due[absent][0]);
        assert_refused(text, ASSAY_SYNTAX, 2, message);
    }
}

static void what_is_no_list_of_waivers_is_refused(void **state)
{
    (void)state;
    assert_refused("waivers: {}\n", ASSAY_SYNTAX, 1, "\"waivers\", a list of waivers, is missing");
    assert_refused("waivers: []\nmore: 1\n", ASSAY_UNKNOWN_NAME, 2,
                   "the key \"more\" is not known here");
    assert_refused("waivers:\n- {rule: T-0001, input: a, reason: r, expires: 2999-01-01}\n",
                   ASSAY_SYNTAX, 2, "\"owner\" is missing or is not a text");
    assert_refused("waivers:\n- {rule: T-0001, input: [a], reason: r, owner: o, "
                   "expires: 2999-01-01}\n",
                   ASSAY_SYNTAX, 2, "\"input\" is missing or is not a text");
    struct assay_waivers w = none();
    assert_int_equal(load(&w, "waivers: []\n"), ASSAY_OK);
    assert_int_equal(w.count, 0);
    assay_waivers_free(&w);
}

static int make_file(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    return file >= 0 ? close(file) : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_answers_for_a_waiver_and_why_is_not_left_blank),
        cmocka_unit_test(a_pattern_that_is_not_closed_is_refused_where_it_is),
        cmocka_unit_test(a_waiver_holds_to_the_end_of_its_day),
        cmocka_unit_test(a_date_is_a_day_that_there_is),
        cmocka_unit_test(an_unknown_rule_is_refused),
        cmocka_unit_test(a_waiver_is_of_its_rules_and_inputs_alone),
        cmocka_unit_test(the_first_of_several_waives),
        cmocka_unit_test(each_key_that_is_due_is_missed),
        cmocka_unit_test(what_is_no_list_of_waivers_is_refused),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
