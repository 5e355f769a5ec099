/* Expressions as text again, as tests about mutants print them. */
#include "validator/tests/toy.h"
#include "validator/tests/unparse.h"

#include <stdio.h>
#include <string.h>

static void an_expression_is_written_as_it_was_read(void **state)
{
    (void)state;
    static const struct {
        const char *written, *text; /* null: the same */
    } cases[] = {
        {"n == 1 and not flag", NULL},
        {"flag or n > 1 and el != 0", NULL},
        {"(flag or n > 1) and el != 0", NULL},
        {"not (flag and n < 3) or n >= 7", NULL},
        {"colour == light_blue or n <= 0xfe", "colour == light-blue or n <= 254"},
        {"colour in {red, green}", "colour == red or colour == green"},
        {"(n + 1) * 2 - el * 3 != word[7:0] << 2", "((n + 1) * 2) - (el * 3) != word[7:0] << 2"},
        {"n + 1 + el == 2", NULL},
        {"word[3] == 1", NULL},
        {"~n & 0x1000 == 0", NULL},
        {"is_even(n) and sum3(n, el, 0x123) > 4", NULL},
        {"(if flag then n else el) == 2", NULL},
        {"if flag then n == 1 else el == 1", NULL},
        {"(n == 1) == flag", NULL},
        {"flag == false", NULL},
        {"prev.kind != malformed and seen(mark)", NULL},
        {"last(mark).n == prev.n", NULL},
        {"fault == bad_thing or n == 2", "fault == bad-thing or n == 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char rules[1024];
        char text[256];
        struct assay_loaded *loaded;
        struct assay_diag diag;
        const char *texts[] = {rules};
        snprintf(rules, sizeof rules,
                 "rules:\n  - id: T-0001\n    title: t\n    level: must\n    clauses: [T-1]\n"
                 "    on: item\n    require: \"%s\"\n    say: s\n",
                 cases[i].written);
        if (toy_load(texts, 1, NULL, &loaded, &diag) != ASSAY_OK) {
            fail_msg("%s: %s", cases[i].written, diag.message);
        }
        const struct assay_catalogue *catalogue = assay_loaded_catalogue(loaded);
        unparse(catalogue, NULL, &catalogue->rules[0].require, text, sizeof text);
        assert_string_equal(text, cases[i].text != NULL ? cases[i].text : cases[i].written);
        assay_catalogue_free(loaded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_expression_is_written_as_it_was_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
