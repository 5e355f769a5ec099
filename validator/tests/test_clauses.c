/* What clauses say of the rules that check them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validator/engine/catalogue.h"

static bool gives_reasons(const struct assay_catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->clause_count; i++) {
        if (catalogue->clauses[i].weaker != NULL) {
            return true;
        }
    }
    return false;
}

static unsigned faults_of(const struct assay_catalogue *catalogue)
{
    unsigned bad = 0;
    for (size_t i = 0; i < catalogue->clause_count; i++) {
        const struct assay_clause *clause = &catalogue->clauses[i];
        enum assay_level level = ASSAY_INFO;
        const bool weaker = assay_clause_mandatory(clause) &&
                            assay_clause_strongest(catalogue, clause->id, &level) &&
                            level != ASSAY_MUST;
        if (weaker != (clause->weaker != NULL)) {
            print_error("%s: its strongest rule is of level %s, and it has %s\n", clause->id,
                        assay_level_name(level),
                        clause->weaker != NULL ? "a reason why none is must" : "no reason");
            bad++;
        }
    }
    return bad;
}

static void a_mandatory_clause_has_a_must_rule_or_the_reason_why_not(void **state)
{
    (void)state;
    unsigned formats = 0;
    unsigned bad = 0;
    for (size_t c = 0; assay_catalogues[c] != NULL; c++) {
        if (gives_reasons(assay_catalogues[c])) {
            bad += faults_of(assay_catalogues[c]);
            formats++;
        }
    }
    assert_true(formats > 0);
    assert_int_equal(bad, 0);
}

/* The texts of the tests that a pattern matches, one after the other; to be freed. */
static char *read_tests(const char *pattern)
{
    glob_t found;
    char *all = NULL;
    size_t size = 0;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    FILE *text = open_memstream(&all, &size);
    assert_non_null(text);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *file = fopen(found.gl_pathv[i], "r");
        assert_non_null(file);
        for (int c = fgetc(file); c != EOF; c = fgetc(file)) {
            assert_int_equal(fputc(c, text), c);
        }
        fclose(file);
    }
    assert_int_equal(fclose(text), 0);
    globfree(&found);
    return all;
}

static void a_test_names_each_clause_that_readers_of_inputs_check(void **state)
{
    (void)state;
    char *tests = read_tests(ASSAY_SOURCE "/reference/*/tests/*.c");
    char *cases = read_tests(ASSAY_SOURCE "/validator/tests/cli/*.test");
    unsigned clauses = 0;
    unsigned bad = 0;
    for (size_t c = 0; assay_catalogues[c] != NULL; c++) {
        for (size_t i = 0; i < assay_catalogues[c]->clause_count; i++) {
            const struct assay_clause *clause = &assay_catalogues[c]->clauses[i];
            if (clause->disposition != ASSAY_BY_INPUT) {
                continue;
            }
            clauses++;
            if (strstr(tests, clause->id) == NULL && strstr(cases, clause->id) == NULL) {
                print_error("%s: no test names it\n", clause->id);
                bad++;
            }
        }
    }
    free(tests);
    free(cases);
    assert_true(clauses > 0);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mandatory_clause_has_a_must_rule_or_the_reason_why_not),
        cmocka_unit_test(a_test_names_each_clause_that_readers_of_inputs_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
