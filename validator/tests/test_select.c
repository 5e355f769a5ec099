/* Selectors of rules, on the rules of this build's formats and on a catalogue made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "validator/engine/select.h"
#include "validator/tests/toy.h"

enum { RULES = 5 };

static const char *const ones[] = {"T-HDR-001"};
static const char *const both[] = {"T-HDR-001", "T-EV-001"};
static const struct assay_rule rules[RULES] = {
    {.id = "T-0001",
     .file = "rules/header.yaml",
     .level = ASSAY_MUST,
     .clauses = ones,
     .clause_count = 1,
     .profiles = 1},
    {.id = "T-0002",
     .file = "rules/header.yaml",
     .level = ASSAY_SHOULD,
     .clauses = both,
     .clause_count = 2,
     .profiles = 1,
     .kinds = {{1 << 2}}},
    {.id = "T-0009",
     .file = "events.yaml",
     .level = ASSAY_MUST,
     .profiles = 1,
     .kinds = {{1 << 4}}},
    {.id = "T-0010", .file = "a/b.c/events.yaml", .level = ASSAY_MAY_NOT_RELY, .profiles = 1},
    {.id = "T-X-0010", .file = "x.yaml", .level = ASSAY_INFO, .profiles = 0},
};
static const struct assay_clause clauses[] = {
    {.id = "T-HDR-001"}, {.id = "T-EV-001"}, {.id = "T-EV-002"}};
static const struct assay_catalogue catalogue = {.format = &toy_format,
                                                 .rules = rules,
                                                 .rule_count = RULES,
                                                 .clauses = clauses,
                                                 .clause_count = 3};
static const struct assay_catalogue *const catalogues[] = {&catalogue};

/* Which rules a list means: '1' for each that it does. */
static void assert_selects(const char *selectors, const char *wanted)
{
    bool marked[RULES] = {false};
    bool *const lists[] = {marked};
    struct assay_diag diag = {0};
    char got[RULES + 1] = "";
    if (assay_select_rules(catalogues, 1, selectors, lists, &diag) != ASSAY_OK) {
        fail_msg("%s: %s", selectors, diag.message);
    }
    for (size_t i = 0; i < RULES; i++) {
        got[i] = marked[i] ? '1' : '0';
    }
    if (strcmp(got, wanted) != 0) {
        fail_msg("%s: %s, not %s", selectors, got, wanted);
    }
}

static void a_selector_means_what_it_says(void **state)
{
    (void)state;
    static const struct {
        const char *selectors;
        const char *wanted;
    } cases[] = {
        {"T-0001", "10000"},
        {"T-0001,T-0010", "10010"},
        {" T-0001 , T-0010 ", "10010"},
        {"T-000?", "11100"},
        {"*", "11111"},
        {"T-[0-9]*", "11110"},
        {"T-0002..0009", "01100"},
        {"T-0002..T-0010", "01110"},
        {"T-0001..0001", "10000"},
        {"0010..0010", "00011"},
        {"T-X-0001..9999", "00001"},
        {"level:must", "10100"},
        {"level:m*", "10110"},
        {"area:header", "11000"},
        {"area:events", "00110"},
        {"area:*e*", "11110"},
        {"layer:packet", "01000"},
        {"layer:el*", "00100"},
        {"clause:T-EV-001", "01000"},
        {"clause:T-*", "11000"},
        {"level:info,area:header", "11001"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_selects(cases[i].selectors, cases[i].wanted);
    }
}

static void a_selector_that_means_nothing_is_refused_with_the_nearest(void **state)
{
    (void)state;
    static const struct {
        const char *selectors;
        const char *message;
        const char *hint;
    } cases[] = {
        {"T-0003", "there is no rule T-0003", "did you mean T-0001?"},
        {"T0010", "there is no rule T0010", "did you mean T-0010?"},
        {"T-HDR-001", "is a clause, not a rule", "clause:T-HDR-001"},
        {"Q*", "there is no rule Q*", ""},
        {"T-0003..0008", "no rule is in the range", ""},
        {"T-0009..0001", "is no range", "as in"},
        {"..", "is no range", "as in"},
        {"T-0001..", "is no range", "as in"},
        {"T-0001..99999999999", "is no range", "as in"},
        {"level:", "there is no level", ""},
        {"level:shuld", "there is no level shuld", "did you mean should?"},
        {"area:event", "there is no area event", "did you mean events?"},
        {"layer:elment", "there is no layer elment", "did you mean element?"},
        {"clause:T-EV-002", "no rule checks the clause T-EV-002", ""},
        {"clause:T-HDR-002", "there is no clause", "T-HDR-001"},
        {"profile:none-such", "there is no profile none-such", ""},
        {"areas:x", "not selected by \"areas:\"", "area:"},
        {"qqqqqqqqqq:x", "not selected by", "by level, area"},
        {"T-0001,,T-0002", "empty place", ""},
        {" ", "empty place", ""},
        {"@/nowhere/at/all", "cannot be read", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool marked[RULES] = {false};
        bool *const lists[] = {marked};
        struct assay_diag diag = {0};
        assert_int_not_equal(assay_select_rules(catalogues, 1, cases[i].selectors, lists, &diag),
                             ASSAY_OK);
        if (strstr(diag.message, cases[i].message) == NULL ||
            strstr(diag.hint, cases[i].hint) == NULL) {
            fail_msg("%s: %s (%s)", cases[i].selectors, diag.message, diag.hint);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_selector_means_what_it_says),
        cmocka_unit_test(a_selector_that_means_nothing_is_refused_with_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
