/* What clauses say of the rules that check them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mandatory_clause_has_a_must_rule_or_the_reason_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
