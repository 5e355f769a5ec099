/* Scenarios: traces written from the specification alone, lawful oddities and conclusive
 * violations. Each states its verdict at level must, whatever the rules are that give it. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "validator/tests/vector_runner.h"

static struct ready_corpus corpus;

static bool listed(const struct assay_yaml *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (assay_yaml_is(list->items[i], text)) {
            return true;
        }
    }
    return false;
}

static bool checks_one_of(const struct assay_rule *rule, const struct assay_yaml *clauses)
{
    for (uint16_t i = 0; i < rule->clause_count; i++) {
        if (listed(clauses, rule->clauses[i])) {
            return true;
        }
    }
    return false;
}

static bool fails_a_must(const struct assay_rule_total *total)
{
    return total->rule->level == ASSAY_MUST && total->verdict == ASSAY_FAIL;
}

static void print_failures(const struct assay_results *results)
{
    for (size_t r = 0; r < results->rule_count; r++) {
        const struct assay_rule_total *total = &results->rules[r];
        for (size_t i = 0; i < total->finding_count && i < 2; i++) {
            print_error("    %s (%s) at event %" PRIu64 ": %s\n", total->rule->id,
                        assay_level_name(total->rule->level), total->findings[i].finding->index,
                        total->findings[i].finding->message);
        }
    }
}

/* Whether some rule that needs this was exercised. */
static bool exercises(const struct assay_results *results, enum assay_need need)
{
    for (size_t r = 0; r < results->rule_count; r++) {
        if ((results->rules[r].rule->needs & need) != 0 && results->rules[r].exercised > 0) {
            return true;
        }
    }
    return false;
}

/* A program or a recorded execution that nothing is judged by makes a trace conform to nothing, as
 * where no element is committed. A verdict that is incomplete says so itself. */
static const char *unused_input(const struct vector_run *run, const struct ready_vector *vector)
{
    if (run->results->conclusion == ASSAY_INCOMPLETE) {
        return NULL;
    }
    if (vector->vector.images != NULL && !exercises(run->results, ASSAY_NEED_IMAGE)) {
        return "no rule is exercised by the program";
    }
    return vector->vector.execution != NULL && !exercises(run->results, ASSAY_NEED_EXECUTION)
               ? "no rule is exercised by the recorded execution"
               : NULL;
}

/* What is wrong with it, or null. */
static const char *fault_of(const struct vector_run *run, const struct ready_vector *vector)
{
    bool failed = false;
    bool named = false;
    for (size_t r = 0; r < run->results->rule_count; r++) {
        const struct assay_rule_total *total = &run->results->rules[r];
        if (fails_a_must(total)) {
            failed = true;
            named = named || checks_one_of(total->rule, vector->vector.expected);
        }
    }
    if (vector->vector.expectation == ASSAY_EXPECT_CONFORMS) {
        return failed ? "a rule of level must fails" : unused_input(run, vector);
    }
    return named    ? NULL
           : failed ? "no rule of level must that fails checks one of the clauses"
                    : "no rule of level must fails";
}

static unsigned check_scenario(const struct ready_vector *vector)
{
    struct vector_run run;
    run_vector(&run, vector, assay_catalogue_of(vector->vector.format), false);
    const char *fault = fault_of(&run, vector);
    if (fault != NULL) {
        print_error("%s: %s (%s)\n", vector->path, fault, vector->vector.why);
        print_failures(run.results);
    }
    end_run(&run);
    return fault != NULL;
}

static void scenarios_conform_or_violate_as_they_state(void **state)
{
    (void)state;
    unsigned bad = 0;
    unsigned run = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        const enum assay_expectation what = corpus.list[i].vector.expectation;
        if (what == ASSAY_EXPECT_CONFORMS || what == ASSAY_EXPECT_VIOLATES) {
            bad += check_scenario(&corpus.list[i]);
            run++;
        }
    }
    if (bad > 0) {
        print_error("%u of %u scenarios are judged otherwise than they state\n", bad, run);
    }
    assert_true(run > 0);
    assert_int_equal(bad, 0);
}

static bool is_clause(const struct assay_catalogue *catalogue, const char *id)
{
    for (size_t i = 0; i < catalogue->clause_count; i++) {
        if (strcmp(catalogue->clauses[i].id, id) == 0) {
            return true;
        }
    }
    return false;
}

static void the_clauses_that_scenarios_name_exist(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        const struct assay_vector *vector = &corpus.list[i].vector;
        if (vector->expectation != ASSAY_EXPECT_CONFORMS &&
            vector->expectation != ASSAY_EXPECT_VIOLATES) {
            continue;
        }
        for (size_t k = 0; k < vector->expected->count; k++) {
            const char *id = vector->expected->items[k]->text;
            if (!is_clause(assay_catalogue_of(vector->format), id)) {
                print_error("%s: there is no clause %s\n", corpus.list[i].path, id);
                bad++;
            }
        }
        if (vector->expected->count == 0) {
            print_error("%s: no clause is named\n", corpus.list[i].path);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

/* Another folder can be named, for scenarios that are being written. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenarios_conform_or_violate_as_they_state),
        cmocka_unit_test(the_clauses_that_scenarios_name_exist),
    };
    corpus = load_corpus(argc > 1 ? argv[1] : ASSAY_CORPUS);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free_corpus(&corpus);
    return failed;
}
