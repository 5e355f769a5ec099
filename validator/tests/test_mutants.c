/* Testing the tests: every mutant of every rule, and of every state variable, is noticed by a
 * vector or listed as equivalent with the reason (rules/<format>/equivalent.yaml). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "validator/tests/mutate.h"
#include "validator/tests/vector_runner.h"

static struct ready_corpus corpus;
static struct recorded *recorded;

/* The mutants of a format that are known as equivalent. */
struct equivalents {
    const struct assay_format *format;
    struct assay_yaml_file file;
    const struct assay_yaml *list; /* null: there is none */
    bool *used;                    /* an entry: it names a mutant that there is */
};

static struct equivalents equivalents[8];
static size_t equivalents_count;

struct tally {
    struct equivalents *equivalents;
    const struct assay_catalogue *catalogue;
    const char *name; /* of the rule or the variable */
    struct assay_catalogue mutated;
    struct assay_rule rule;
    struct assay_variable *variables;
    struct assay_update *updates;
    uint64_t only_kinds; /* of the rule under mutation */
    unsigned mutants, killed, equivalent, alive;
    /* What is being replaced. */
    struct assay_expression *target;
};

static enum assay_verdict verdict_of(const struct assay_catalogue *catalogue,
                                     const struct recorded *r, size_t rule)
{
    struct assay_judge *judge = NULL;
    const struct assay_judge_settings settings = {
        .catalogue = catalogue,
        .facts = &r->vector->vector.facts,
        .readings = r->vector->readings,
        .given = (uint8_t)(ASSAY_NEED_ISA |
                           (r->vector->vector.execution != NULL ? ASSAY_NEED_EXECUTION : 0)),
        .max_findings = 0,
        .evaluate = true,
    };
    assert_int_equal(assay_judge_open(&settings, &judge, NULL), ASSAY_OK);
    assert_int_equal(assay_judge_events(judge, r->events, r->count), ASSAY_OK);
    assay_judge_profile(judge, r->profile);
    const enum assay_verdict verdict = assay_judge_result(judge, rule).verdict;
    assay_judge_close(judge);
    return verdict;
}

static bool named(const struct ready_vector *vector, const char *id)
{
    for (size_t i = 0; i < vector->vector.expected->count; i++) {
        if (assay_yaml_is(vector->vector.expected->items[i], id)) {
            return true;
        }
    }
    return false;
}

/* By the name of its file. */
static bool is_about(const struct ready_vector *vector, const char *id)
{
    return strncmp(vector->name, id, strlen(id)) == 0;
}

/* Whether a vector's expectation of a rule breaks with the mutated catalogue. */
static bool notices(const struct recorded *r, const struct assay_catalogue *mutated, size_t rule)
{
    const enum assay_expectation what = r->vector->vector.expectation;
    if (what != ASSAY_EXPECT_FAILS && what != ASSAY_EXPECT_PASSES) {
        return false;
    }
    const bool mentioned = named(r->vector, mutated->rules[rule].id);
    const enum assay_verdict verdict = verdict_of(mutated, r, rule);
    if (what == ASSAY_EXPECT_FAILS) {
        return mentioned != (verdict == ASSAY_FAIL);
    }
    return verdict == ASSAY_FAIL || (mentioned && verdict != ASSAY_PASS);
}

/* Vectors that are about a rule notice most: they are asked first. */
static bool killed(const struct assay_catalogue *mutated)
{
    for (int about = 1; about >= 0; about--) {
        for (size_t i = 0; i < corpus.count; i++) {
            if (recorded[i].vector->vector.format != mutated->format) {
                continue;
            }
            for (size_t r = 0; r < mutated->rule_count; r++) {
                if (is_about(recorded[i].vector, mutated->rules[r].id) == (about == 1) &&
                    notices(&recorded[i], mutated, r)) {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool listed_as_equivalent(struct equivalents *of, const char *name, const char *text)
{
    const struct assay_yaml *list = of->list;
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        if (assay_yaml_is(assay_yaml_get(list->items[i], "rule"), name) &&
            assay_yaml_is(assay_yaml_get(list->items[i], "mutant"), text) &&
            assay_yaml_get(list->items[i], "reason") != NULL) {
            of->used[i] = true;
            return true;
        }
    }
    return false;
}

static void try_mutation(void *context, const struct mutation *mutation)
{
    struct tally *t = context;
    const struct assay_expression before = *t->target;
    *t->target = (struct assay_expression){.nodes = mutation->nodes, .count = mutation->count};
    t->mutants++;
    const bool dead = killed(&t->mutated);
    const bool known = listed_as_equivalent(t->equivalents, t->name, mutation->text);
    if (dead && !known) {
        t->killed++;
    } else if (known && !dead) {
        t->equivalent++;
    } else {
        t->alive++;
        print_error("%s: %s: %s\n", t->name, mutation->text,
                    dead ? "is listed as equivalent, but a vector notices it"
                         : "no vector notices it");
    }
    *t->target = before;
}

static void mutate_rule(struct tally *t, size_t number)
{
    static const struct assay_node yes = {.op = ASSAY_OP_CONSTANT, .flag = 1, .value = 1};
    t->rule = t->catalogue->rules[number];
    t->name = t->rule.id;
    t->mutated = *t->catalogue;
    t->mutated.compiled = NULL;
    t->mutated.rules = &t->rule;
    t->mutated.rule_count = 1;
    t->target = &t->rule.require;
    struct mutation disabled = {.text = "require: disabled", .count = 1};
    struct assay_node node = yes;
    disabled.nodes = &node;
    try_mutation(t, &disabled);
    mutate_negate("require", &t->catalogue->rules[number].require, try_mutation, t);
    mutate_nodes(t->catalogue, "require", &t->catalogue->rules[number].require, try_mutation, t);
    if (t->rule.when.count > 0) {
        t->target = &t->rule.when;
        struct mutation always = {.text = "when: dropped", .nodes = &node, .count = 1};
        try_mutation(t, &always);
        mutate_negate("when", &t->catalogue->rules[number].when, try_mutation, t);
        mutate_nodes(t->catalogue, "when", &t->catalogue->rules[number].when, try_mutation, t);
    }
}

/* Rules that read a variable, directly or through another one of their file. */
static size_t readers_of(const struct assay_catalogue *catalogue, const char *file,
                         struct assay_rule *out)
{
    size_t count = 0;
    for (size_t r = 0; r < catalogue->rule_count; r++) {
        if (strcmp(catalogue->rules[r].file, file) == 0) {
            out[count++] = catalogue->rules[r];
        }
    }
    return count;
}

static void mutate_variable(struct tally *t, size_t number)
{
    const struct assay_catalogue *c = t->catalogue;
    struct assay_rule *readers = calloc(c->rule_count, sizeof *readers);
    struct assay_variable *variables = calloc(c->variable_count, sizeof *variables);
    memcpy(variables, c->variables, c->variable_count * sizeof *variables);
    const struct assay_variable *original = &c->variables[number];
    struct assay_update *updates = calloc(original->update_count, sizeof *updates);
    memcpy(updates, original->updates, original->update_count * sizeof *updates);
    variables[number].updates = updates;
    t->name = original->name;
    t->mutated = *c;
    t->mutated.compiled = NULL;
    t->mutated.variables = variables;
    t->mutated.rules = readers;
    t->mutated.rule_count = readers_of(c, original->file, readers);
    for (uint16_t u = 0; u < original->update_count; u++) {
        char part[32];
        snprintf(part, sizeof part, "update %u", u);
        t->target = &updates[u].value;
        if (original->flag) {
            mutate_negate(part, &original->updates[u].value, try_mutation, t);
        }
        mutate_nodes(c, part, &original->updates[u].value, try_mutation, t);
    }
    free(updates);
    free(variables);
    free(readers);
}

static void every_mutant_is_noticed_by_a_vector_or_listed_as_equivalent(void **state)
{
    (void)state;
    unsigned alive = 0;
    for (size_t c = 0; assay_catalogues[c] != NULL; c++) {
        struct tally t = {.catalogue = assay_catalogues[c], .equivalents = &equivalents[c]};
        for (size_t r = 0; r < t.catalogue->rule_count; r++) {
            mutate_rule(&t, r);
        }
        for (size_t v = 0; v < t.catalogue->variable_count; v++) {
            mutate_variable(&t, v);
        }
        print_message("%s: %zu rules, %zu state variables, %u mutants, %u killed, %u equivalent, "
                      "%u alive\n",
                      t.catalogue->format->name, t.catalogue->rule_count,
                      t.catalogue->variable_count, t.mutants, t.killed, t.equivalent, t.alive);
        assert_true(t.mutants > 0);
        alive += t.alive;
    }
    assert_int_equal(alive, 0);
}

static void every_mutant_listed_as_equivalent_exists(void **state)
{
    (void)state;
    unsigned stale = 0;
    for (size_t e = 0; e < equivalents_count; e++) {
        const struct equivalents *of = &equivalents[e];
        for (size_t i = 0; of->list != NULL && i < of->list->count; i++) {
            if (!of->used[i]) {
                print_error("%s: line %u: no such mutant\n", of->format->name,
                            of->list->items[i]->line);
                stale++;
            }
        }
    }
    assert_int_equal(stale, 0);
}

static void load_equivalents(void)
{
    for (size_t c = 0; assay_catalogues[c] != NULL; c++) {
        struct equivalents *of = &equivalents[equivalents_count++];
        char path[1024];
        struct assay_diag diag = {0};
        of->format = assay_catalogues[c]->format;
        snprintf(path, sizeof path, "%s/%s/equivalent.yaml", ASSAY_RULES, of->format->name);
        if (assay_yaml_load(path, &of->file, &diag) == ASSAY_OK) {
            of->list = assay_yaml_get(of->file.root, "equivalent");
        }
        of->used = calloc(of->list != NULL ? of->list->count + 1 : 1, sizeof *of->used);
    }
}

static void free_equivalents(void)
{
    for (size_t e = 0; e < equivalents_count; e++) {
        free(equivalents[e].used);
        assay_yaml_free(&equivalents[e].file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mutant_is_noticed_by_a_vector_or_listed_as_equivalent),
        cmocka_unit_test(every_mutant_listed_as_equivalent_exists),
    };
    corpus = load_corpus(ASSAY_CORPUS);
    recorded = calloc(corpus.count + 1, sizeof *recorded);
    for (size_t i = 0; i < corpus.count; i++) {
        record_vector(&recorded[i], &corpus.list[i]);
    }
    load_equivalents();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < corpus.count; i++) {
        free_recorded(&recorded[i]);
    }
    free(recorded);
    free_equivalents();
    free_corpus(&corpus);
    return failed;
}
