/* Every mutant of every condition that rules ask of instructions, passes(...), contradicts what
 * some vector states, or is listed as equivalent with the reason (rules/<format>/equivalent.yaml,
 * under `conditions`). The decoder answers what is asked, so that the vectors are decoded again:
 * with the conditions as they are, and as many mutants beside them as it can be asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "validator/engine/conditions.h"
#include "validator/engine/judge.h"
#include "validator/tests/mutate.h"
#include "validator/tests/unparse.h"
#include "validator/tests/vector_runner.h"

struct mutant {
    size_t condition; /* number in the catalogue */
    struct mutation mutation;
};

/* What is asked at once. */
struct batch {
    struct assay_conditions conditions; /* first */
    const struct assay_catalogue *catalogue;
    const struct mutant *mutants;
    size_t count;
};

static const struct assay_catalogue *catalogue;
static struct ready_corpus corpus;
static struct mutant *mutants;
static size_t mutant_count;
static size_t collected; /* the condition whose mutants are collected */

/* --- what rests on a condition --- */

static bool reads(const struct assay_expression *expression, size_t condition)
{
    for (unsigned i = 0; i < expression->count; i++) {
        const struct assay_node *node = &expression->nodes[i];
        if (node->op == ASSAY_OP_LEAF && catalogue->leaves[node->a].what == ASSAY_LEAF_FIELD &&
            catalogue->leaves[node->a].number == condition + 1) {
            return true;
        }
    }
    return false;
}

/* The files with a state variable that reads the condition: all their rules can rest on it. */
static bool rests_on(const struct assay_rule *rule, size_t condition)
{
    bool rests = reads(&rule->when, condition) || reads(&rule->require, condition);
    for (size_t v = 0; v < catalogue->variable_count && !rests; v++) {
        const struct assay_variable *variable = &catalogue->variables[v];
        for (uint16_t u = 0; u < variable->update_count; u++) {
            rests = rests || (strcmp(variable->file, rule->file) == 0 &&
                              reads(&variable->updates[u].value, condition));
        }
    }
    return rests;
}

/* Those that only messages ask change no verdict. */
static bool is_judged(size_t condition)
{
    bool judged = false;
    for (size_t r = 0; r < catalogue->rule_count && !judged; r++) {
        judged = rests_on(&catalogue->rules[r], condition);
    }
    return judged;
}

/* --- mutants --- */

static void collect(void *context, const struct mutation *mutation)
{
    (void)context;
    mutants = realloc(mutants, (mutant_count + 1) * sizeof *mutants);
    struct mutant *added = &mutants[mutant_count++];
    *added = (struct mutant){collected, *mutation};
    added->mutation.nodes = calloc(mutation->count, sizeof *mutation->nodes);
    memcpy(added->mutation.nodes, mutation->nodes, mutation->count * sizeof *mutation->nodes);
}

/* The leaves of a condition are fields of the kind that it is asked of. */
static void collect_all(void)
{
    for (collected = 0; collected < catalogue->condition_count; collected++) {
        const struct assay_condition *condition = &catalogue->conditions[collected];
        const struct assay_format *format = catalogue->format;
        const struct assay_kind *kind = &format->kinds[format->kinds[condition->run].run_of];
        struct assay_catalogue named = *catalogue;
        struct assay_leaf *leaves = calloc(kind->field_count, sizeof *leaves);
        for (size_t i = 0; i < kind->field_count; i++) {
            leaves[i].text = kind->fields[i].name;
        }
        named.leaves = leaves;
        named.leaf_count = kind->field_count;
        if (is_judged(collected)) {
            mutate_negate("condition", &condition->expression, collect, NULL);
            mutate_nodes(&named, "condition", &condition->expression, collect, NULL);
        }
        free(leaves);
    }
}

static uint64_t met(const struct assay_conditions *conditions, const uint64_t *cells)
{
    const struct batch *batch = (const struct batch *)conditions;
    const struct assay_catalogue *c = batch->catalogue;
    uint64_t all = 0;
    for (size_t i = 0; i < c->condition_count; i++) {
        all |= (uint64_t)assay_condition_met(c, &c->conditions[i], cells) << i;
    }
    for (size_t k = 0; k < batch->count; k++) {
        const struct mutation *mutation = &batch->mutants[k].mutation;
        struct assay_condition mutated = c->conditions[batch->mutants[k].condition];
        mutated.expression =
            (struct assay_expression){.nodes = mutation->nodes, .count = mutation->count};
        all |= (uint64_t)assay_condition_met(c, &mutated, cells) << (c->condition_count + k);
    }
    return all;
}

/* As the rules are, of which the conditions are the first ones that are asked. */
static bool unexecutable(const struct assay_conditions *conditions, const uint64_t *cells)
{
    const struct batch *batch = (const struct batch *)conditions;
    const struct assay_conditions *rules = assay_conditions_of(batch->catalogue->format);
    return rules->unexecutable(rules, cells);
}

/* --- judging --- */

/* Whether the vector contradicts a catalogue's verdicts on the rules that are not deselected. */
static bool contradicts(const struct assay_catalogue *c, const struct recorded *r,
                        const bool *deselected)
{
    const bool executed = r->vector->vector.execution != NULL;
    const struct assay_judge_settings settings = {
        .catalogue = c,
        .facts = &r->vector->vector.facts,
        .readings = r->vector->readings,
        .parameters = r->parameters,
        .deselected = deselected,
        .given = (uint8_t)(recorded_given(r) | (executed ? ASSAY_NEED_EXECUTION : 0)),
        .evaluate = true};
    struct assay_judge *judge = NULL;
    bool is = false;
    assert_int_equal(assay_judge_open(&settings, &judge, NULL), ASSAY_OK);
    assert_int_equal(judge_in_layers(judge, c->format, r->events, r->count), ASSAY_OK);
    assay_judge_profile(judge, r->profile);
    for (size_t i = 0; i < c->rule_count && !is; i++) {
        is = !deselected[i] &&
             vector_contradicts(r->vector, &c->rules[i], assay_judge_result(judge, i).verdict);
    }
    assay_judge_close(judge);
    return is;
}

/* Whether a vector notices number k of a batch. */
static bool is_noticed(const struct batch *batch, size_t k, const struct recorded *recorded,
                       size_t count)
{
    const size_t number = batch->mutants[k].condition;
    struct assay_condition *conditions = calloc(catalogue->condition_count, sizeof *conditions);
    bool *deselected = calloc(catalogue->rule_count, sizeof *deselected);
    struct assay_catalogue mutated = *catalogue;
    bool noticed = false;
    memcpy(conditions, catalogue->conditions, catalogue->condition_count * sizeof *conditions);
    conditions[number].field.bit =
        (uint16_t)(conditions[number].field.bit - number + catalogue->condition_count + k);
    mutated.conditions = conditions;
    mutated.compiled = NULL;
    for (size_t r = 0; r < catalogue->rule_count; r++) {
        deselected[r] = !rests_on(&catalogue->rules[r], number);
    }
    for (size_t i = 0; i < count && !noticed; i++) {
        noticed = contradicts(&mutated, &recorded[i], deselected);
    }
    free(conditions);
    free(deselected);
    return noticed;
}

static bool is_listed(const struct assay_yaml *list, bool *used, const struct mutant *mutant)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const struct assay_yaml *entry = list->items[i];
        if (assay_yaml_is(assay_yaml_get(entry, "condition"),
                          catalogue->conditions[mutant->condition].text) &&
            assay_yaml_is(assay_yaml_get(entry, "mutant"), mutant->mutation.text) &&
            assay_yaml_get(entry, "reason") != NULL) {
            used[i] = true;
            return true;
        }
    }
    return false;
}

static unsigned try_batch(const struct batch *batch, const struct assay_yaml *list, bool *used)
{
    struct recorded *recorded = calloc(corpus.count + 1, sizeof *recorded);
    size_t count = 0;
    unsigned wrong = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        if (corpus.list[i].vector.images != NULL) {
            record_asked(&recorded[count++], &corpus.list[i], &batch->conditions);
        }
    }
    for (size_t k = 0; k < batch->count; k++) {
        const struct mutant *mutant = &batch->mutants[k];
        const bool noticed = is_noticed(batch, k, recorded, count);
        const bool listed = is_listed(list, used, mutant);
        if (noticed == listed) {
            print_error("passes(%s): %s: %s\n", catalogue->conditions[mutant->condition].text,
                        mutant->mutation.text,
                        noticed ? "is listed as equivalent, but a vector notices it"
                                : "no vector notices it");
            const struct assay_condition *condition = &catalogue->conditions[mutant->condition];
            const struct assay_format *format = catalogue->format;
            const struct assay_expression mutated = {mutant->mutation.nodes,
                                                     mutant->mutation.count};
            char text[1024];
            unparse(catalogue, &format->kinds[format->kinds[condition->run].run_of], &mutated, text,
                    sizeof text);
            print_error("    passes(%s)\n", text);
            wrong++;
        }
    }
    for (size_t i = 0; i < count; i++) {
        free_recorded(&recorded[i]);
    }
    free(recorded);
    return wrong;
}

static void every_mutant_is_noticed_by_a_vector_or_listed_as_equivalent(void **state)
{
    (void)state;
    const size_t room = ASSAY_MAX_CONDITIONS - catalogue->condition_count;
    struct assay_yaml_file file = {0};
    const struct assay_yaml *list = NULL;
    unsigned wrong = 0;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s/equivalent.yaml", ASSAY_RULES, catalogue->format->name);
    if (assay_yaml_load(path, &file, NULL) == ASSAY_OK) {
        list = assay_yaml_get(file.root, "conditions");
    }
    bool *used = calloc(list != NULL ? list->count + 1 : 1, sizeof *used);
    for (size_t at = 0; at < mutant_count; at += room) {
        const size_t left = mutant_count - at;
        const struct batch batch = {.conditions = {met, unexecutable},
                                    .catalogue = catalogue,
                                    .mutants = &mutants[at],
                                    .count = left < room ? left : room};
        wrong += try_batch(&batch, list, used);
    }
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        if (!used[i]) {
            print_error("line %u: no such mutant\n", list->items[i]->line);
            wrong++;
        }
    }
    print_message("%s: %zu conditions, %zu mutants\n", catalogue->format->name,
                  catalogue->condition_count, mutant_count);
    free(used);
    assay_yaml_free(&file);
    assert_true(mutant_count > 0);
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mutant_is_noticed_by_a_vector_or_listed_as_equivalent),
    };
    const struct assay_format *format = argc > 1 ? assay_format_by_name(argv[1]) : NULL;
    catalogue = format != NULL ? assay_catalogue_of(format) : NULL;
    if (catalogue == NULL) {
        print_error("the name of a format with rules is expected\n");
        return 1;
    }
    corpus = load_corpus_of(ASSAY_CORPUS, format->name);
    collect_all();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < mutant_count; i++) {
        free(mutants[i].mutation.nodes);
    }
    free(mutants);
    free_corpus(&corpus);
    return failed;
}
