/* Every mutant of every rule, and of every state variable, contradicts what some vector states, or
 * is listed as equivalent with the reason (rules/<format>/equivalent.yaml). One that is listed must
 * give the verdicts and counts of the rule itself, on all vectors and on thousands of random
 * mutated traces. With the name of a format only its rules are tried, and with "2/3" of these and
 * of the state variables only every third, from the second on. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/tests/random.h"
#include "common/tests/turn.h"
#include "validator/engine/extent.h"
#include "validator/tests/mutate.h"
#include "validator/tests/random_trace.h"
#include "validator/tests/unparse.h"

#ifdef ASSAY_SANITIZED
enum { RANDOM_TRACES = 1000 };
#else
enum { RANDOM_TRACES = 20000 };
#endif

static struct ready_corpus corpus;
static struct recorded *recorded;

/* What a rule says of a trace. */
struct outcome {
    enum assay_verdict verdict;
    uint64_t exercised, violated;
};

/* What of a rule or a state variable a mutant changes. */
enum subject { REQUIRE, WHEN, UPDATE, INIT };

/* A mutant that no vector's statement contradicts. */
struct survivor {
    const char *name; /* of the rule or the variable */
    char text[160];
    const char *file; /* of rules */
    size_t rule;      /* number of the mutated rule, or of the first rule of the file */
    enum subject subject;
    size_t variable; /* of UPDATE and INIT */
    uint16_t update;
    struct assay_node *nodes;
    uint16_t count;
    uint64_t init;
    bool listed;
    bool refuted;
};

/* All about the mutants of one format. */
struct tally {
    const struct assay_catalogue *catalogue;
    struct assay_catalogue with_defaults; /* what `catalogue` is (mutate_defaults) */
    struct assay_yaml_file file;
    const struct assay_yaml *list; /* the mutants that are known as equivalent, or null */
    bool *used;                    /* an entry of it: it names a mutant that there is */
    struct trace_pool pool;
    struct outcome **base; /* [vector of the pool][rule] */
    struct survivor *survivors;
    size_t survivor_count;
    unsigned mutants, killed, equivalent, alive;
    /* The mutant at work. */
    struct assay_catalogue mutated;
    size_t *numbers; /* a rule of `mutated`: its number in the catalogue */
    struct survivor now;
    struct assay_expression *target; /* what is being replaced, but for INIT */
    struct assay_variable *variable; /* whose first value is being replaced, with INIT */
};

static struct tally tallies[8];
static size_t tally_count;

/* Of rules and of variables those that are tried: number `part`, and every `parts`th after it. */
static size_t part = 0, parts = 1;

/* --- judging --- */

/* `deselected` (or null) has the rules that are not judged. */
static struct assay_judge *judge(const struct assay_catalogue *catalogue, const struct recorded *r,
                                 const uint16_t *readings, const bool *deselected, bool evaluate)
{
    struct assay_judge *judge = NULL;
    const bool executed = r->vector->vector.execution != NULL;
    const struct assay_judge_settings settings = {
        .catalogue = catalogue,
        .facts = &r->vector->vector.facts,
        .readings = readings,
        .parameters = r->parameters,
        .deselected = deselected,
        .given = (uint8_t)(recorded_given(r) | (executed ? ASSAY_NEED_EXECUTION : 0)),
        .evaluate = evaluate,
    };
    assert_int_equal(assay_judge_open(&settings, &judge, NULL), ASSAY_OK);
    assert_int_equal(judge_in_layers(judge, catalogue->format, r->events, r->count), ASSAY_OK);
    assay_judge_profile(judge, r->profile);
    return judge;
}

static struct outcome outcome_of(const struct assay_judge *judge, size_t rule)
{
    const struct assay_rule_result result = assay_judge_result(judge, rule);
    return (struct outcome){result.verdict, result.exercised, result.violated};
}

static bool same_outcome(const struct outcome *a, const struct outcome *b)
{
    return a->verdict == b->verdict && a->exercised == b->exercised && a->violated == b->violated;
}

static struct outcome *judge_all_rules(const struct assay_catalogue *catalogue,
                                       const struct recorded *r)
{
    struct outcome *all = calloc(catalogue->rule_count, sizeof *all);
    struct assay_judge *j = judge(catalogue, r, r->vector->readings, NULL, false);
    for (size_t rule = 0; rule < catalogue->rule_count; rule++) {
        all[rule] = outcome_of(j, rule);
    }
    assay_judge_close(j);
    return all;
}

/* --- vectors --- */

/* Whether the vector tells the mutant from its rule: by what it states, or otherwise. What a
 * diagnosis of an extent is told by are the violations of all rules, which are not judged here: a
 * vector that the rule itself contradicts then says nothing. */
static bool contradicts(struct tally *t, size_t number, bool *differs)
{
    const struct recorded *r = t->pool.list[number];
    struct assay_judge *j = judge(&t->mutated, r, r->vector->readings, NULL, true);
    bool stated = false;
    for (size_t k = 0; k < t->mutated.rule_count && !stated; k++) {
        const struct outcome o = outcome_of(j, k);
        const struct assay_rule *rule = &t->mutated.rules[k];
        const struct outcome *base = &t->base[number][t->numbers[k]];
        stated = vector_contradicts(r->vector, rule, o.verdict) &&
                 !(rule->extent != ASSAY_EXTENT_ANY &&
                   vector_contradicts(r->vector, rule, base->verdict));
        *differs = *differs || !same_outcome(&o, base);
    }
    assay_judge_close(j);
    return stated;
}

static bool is_about_any(const struct tally *t, const struct ready_vector *vector)
{
    for (size_t k = 0; k < t->mutated.rule_count; k++) {
        if (vector_is_about(vector, t->mutated.rules[k].id)) {
            return true;
        }
    }
    return false;
}

/* Vectors that are about a rule notice most: they are asked first. */
static bool killed(struct tally *t, const char **differing)
{
    for (int about = 1; about >= 0; about--) {
        for (size_t i = 0; i < t->pool.count; i++) {
            bool differs = false;
            if (is_about_any(t, t->pool.list[i]->vector) != (about == 1)) {
                continue;
            }
            if (contradicts(t, i, &differs)) {
                return true;
            }
            *differing = differs && *differing == NULL ? t->pool.list[i]->vector->name : *differing;
        }
    }
    return false;
}

/* --- mutants --- */

static bool listed_as_equivalent(struct tally *t, const char *text)
{
    for (size_t i = 0; t->list != NULL && i < t->list->count; i++) {
        if (assay_yaml_is(assay_yaml_get(t->list->items[i], "rule"), t->now.name) &&
            assay_yaml_is(assay_yaml_get(t->list->items[i], "mutant"), text) &&
            assay_yaml_get(t->list->items[i], "reason") != NULL) {
            t->used[i] = true;
            return true;
        }
    }
    return false;
}

static void keep_survivor(struct tally *t, const struct mutation *mutation, bool listed)
{
    struct survivor s = t->now;
    snprintf(s.text, sizeof s.text, "%s", mutation->text);
    s.listed = listed;
    s.count = mutation->count;
    s.init = mutation->init;
    s.nodes = NULL;
    if (mutation->count > 0) { /* a first value has no nodes */
        s.nodes = calloc(mutation->count, sizeof *s.nodes);
        memcpy(s.nodes, mutation->nodes, mutation->count * sizeof *s.nodes);
    }
    t->survivors = realloc(t->survivors, (t->survivor_count + 1) * sizeof s);
    t->survivors[t->survivor_count++] = s;
}

static void complain(struct tally *t, const struct mutation *mutation, const char *what,
                     const char *vector)
{
    t->alive++;
    print_error("%s: %s: %s%s\n", t->now.name, mutation->text, what, vector);
    if (mutation->count > 0) {
        const struct assay_expression mutated = {mutation->nodes, mutation->count};
        char text[1024];
        unparse(t->catalogue, NULL, &mutated, text, sizeof text);
        print_error("    %s\n", text);
    }
}

/* Judges the vectors by t->mutated, which has the mutation in it. */
static void try_mutated(struct tally *t, const struct mutation *mutation)
{
    const char *differing = NULL;
    t->mutants++;
    const bool dead = killed(t, &differing);
    const bool known = listed_as_equivalent(t, mutation->text);
    if (dead && known) {
        complain(t, mutation, "is listed as equivalent, but a vector notices it", "");
    } else if (dead) {
        t->killed++;
    } else {
        keep_survivor(t, mutation, known);
        t->equivalent += known && differing == NULL;
        if (differing != NULL) {
            complain(t, mutation, "no vector states what it changes, as it does in ", differing);
        } else if (!known) {
            complain(t, mutation, "no vector notices it", "");
        }
    }
}

static void try_mutation(void *context, const struct mutation *mutation)
{
    struct tally *t = context;
    const struct assay_expression before = *t->target;
    *t->target = (struct assay_expression){.nodes = mutation->nodes, .count = mutation->count};
    try_mutated(t, mutation);
    *t->target = before;
}

static void try_init(void *context, const struct mutation *mutation)
{
    struct tally *t = context;
    const uint64_t before = t->variable->init;
    t->variable->init = mutation->init;
    try_mutated(t, mutation);
    t->variable->init = before;
}

static void mutate_rule(struct tally *t, size_t number)
{
    struct assay_node yes = {.op = ASSAY_OP_CONSTANT, .flag = 1, .value = 1};
    const struct assay_rule *original = &t->catalogue->rules[number];
    struct assay_rule rule = *original;
    t->mutated = *t->catalogue;
    t->mutated.compiled = NULL;
    t->mutated.rules = &rule;
    t->mutated.rule_count = 1;
    t->numbers[0] = number;
    t->now = (struct survivor){.name = rule.id, .file = rule.file, .rule = number};
    t->target = &rule.require;
    const struct mutation disabled = {.text = "require: disabled", .nodes = &yes, .count = 1};
    try_mutation(t, &disabled);
    mutate_negate("require", &original->require, try_mutation, t);
    mutate_nodes(t->catalogue, "require", &original->require, try_mutation, t);
    if (rule.when.count > 0) {
        t->target = &rule.when;
        t->now.subject = WHEN;
        const struct mutation always = {.text = "when: dropped", .nodes = &yes, .count = 1};
        try_mutation(t, &always);
        mutate_negate("when", &original->when, try_mutation, t);
        mutate_nodes(t->catalogue, "when", &original->when, try_mutation, t);
    }
}

/* A catalogue of the rules that a variable's file holds, with variables and updates of its own. */
struct variable_copy {
    struct assay_catalogue catalogue;
    struct assay_rule *rules;
    size_t *numbers;
    struct assay_variable *variables;
    struct assay_update *updates; /* of the variable */
};

static struct variable_copy copy_variable(const struct assay_catalogue *c, size_t number)
{
    const struct assay_variable *original = &c->variables[number];
    struct variable_copy copy = {.catalogue = *c};
    copy.rules = calloc(c->rule_count, sizeof *copy.rules);
    copy.numbers = calloc(c->rule_count, sizeof *copy.numbers);
    copy.variables = calloc(c->variable_count, sizeof *copy.variables);
    copy.updates = calloc(original->update_count, sizeof *copy.updates);
    memcpy(copy.variables, c->variables, c->variable_count * sizeof *copy.variables);
    memcpy(copy.updates, original->updates, original->update_count * sizeof *copy.updates);
    copy.variables[number].updates = copy.updates;
    copy.catalogue.compiled = NULL;
    copy.catalogue.variables = copy.variables;
    copy.catalogue.rules = copy.rules;
    copy.catalogue.rule_count = 0;
    for (size_t r = 0; r < c->rule_count; r++) {
        if (strcmp(c->rules[r].file, original->file) == 0) {
            copy.numbers[copy.catalogue.rule_count] = r;
            copy.rules[copy.catalogue.rule_count++] = c->rules[r];
        }
    }
    return copy;
}

static void free_variable_copy(struct variable_copy *copy)
{
    free(copy->rules);
    free(copy->numbers);
    free(copy->variables);
    free(copy->updates);
}

static void mutate_variable(struct tally *t, size_t number)
{
    const struct assay_variable *original = &t->catalogue->variables[number];
    struct variable_copy copy = copy_variable(t->catalogue, number);
    t->mutated = copy.catalogue;
    memcpy(t->numbers, copy.numbers, t->mutated.rule_count * sizeof *t->numbers);
    t->now = (struct survivor){.name = original->name,
                               .file = original->file,
                               .rule = copy.numbers[0],
                               .subject = INIT,
                               .variable = number};
    t->variable = &copy.variables[number];
    mutate_init(original, try_init, t);
    t->now.subject = UPDATE;
    for (uint16_t u = 0; u < original->update_count; u++) {
        char name[32];
        snprintf(name, sizeof name, "update %u", u);
        t->target = &copy.updates[u].value;
        t->now.update = u;
        if (original->flag) {
            mutate_negate(name, &original->updates[u].value, try_mutation, t);
        }
        mutate_nodes(t->catalogue, name, &original->updates[u].value, try_mutation, t);
    }
    free_variable_copy(&copy);
}

static size_t size_of_part(size_t count)
{
    return count / parts + (part < count % parts);
}

static void every_mutant_is_noticed_by_a_vector_or_listed_as_equivalent(void **state)
{
    (void)state;
    unsigned alive = 0;
    for (size_t c = 0; c < tally_count; c++) {
        struct tally *t = &tallies[c];
        for (size_t r = part; r < t->catalogue->rule_count; r += parts) {
            mutate_rule(t, r);
        }
        for (size_t v = part; v < t->catalogue->variable_count; v += parts) {
            mutate_variable(t, v);
        }
        print_message("%s: %zu rules, %zu state variables, %u mutants, %u killed, %u equivalent, "
                      "%u alive\n",
                      t->catalogue->format->name, size_of_part(t->catalogue->rule_count),
                      size_of_part(t->catalogue->variable_count), t->mutants, t->killed,
                      t->equivalent, t->alive);
        assert_true(t->mutants > 0);
        alive += t->alive;
    }
    assert_int_equal(alive, 0);
}

/* Whether an entry of the list is of a rule or variable that is tried here. The first part also has
 * those of names that there are not. */
static bool is_in_part(const struct tally *t, const struct assay_yaml *entry)
{
    const struct assay_yaml *name = assay_yaml_get(entry, "rule");
    for (size_t r = 0; r < t->catalogue->rule_count; r++) {
        if (assay_yaml_is(name, t->catalogue->rules[r].id)) {
            return r % parts == part;
        }
    }
    for (size_t v = 0; v < t->catalogue->variable_count; v++) {
        if (assay_yaml_is(name, t->catalogue->variables[v].name)) {
            return v % parts == part;
        }
    }
    return part == 0;
}

static void every_mutant_listed_as_equivalent_exists(void **state)
{
    (void)state;
    unsigned stale = 0;
    for (size_t c = 0; c < tally_count; c++) {
        const struct tally *t = &tallies[c];
        for (size_t i = 0; t->list != NULL && i < t->list->count; i++) {
            if (!t->used[i] && is_in_part(t, t->list->items[i])) {
                print_error("%s: line %u: no such mutant\n", t->catalogue->format->name,
                            t->list->items[i]->line);
                stale++;
            }
        }
    }
    assert_int_equal(stale, 0);
}

/* --- random traces --- */

/* The rules themselves, and after them the survivors that are mutants of rules: one judge tells
 * all of them apart. Of the rules only those are judged that a survivor is compared with. */
struct comparison {
    struct assay_catalogue catalogue;
    struct assay_rule *rules;
    bool *deselected;
};

static void select_compared(const struct tally *t, const struct survivor *s, bool *deselected)
{
    deselected[s->rule] = false;
    for (size_t r = 0; r < t->catalogue->rule_count && s->subject >= UPDATE; r++) {
        if (strcmp(t->catalogue->rules[r].file, s->file) == 0) {
            deselected[r] = false;
        }
    }
}

static struct comparison with_survivors(const struct tally *t)
{
    struct comparison all = {.catalogue = *t->catalogue};
    const size_t count = t->catalogue->rule_count;
    all.rules = calloc(count + t->survivor_count, sizeof *all.rules);
    all.deselected = calloc(count + t->survivor_count, sizeof *all.deselected);
    memcpy(all.rules, t->catalogue->rules, count * sizeof *all.rules);
    memset(all.deselected, true, count * sizeof *all.deselected);
    for (size_t s = 0; s < t->survivor_count; s++) {
        const struct survivor *survivor = &t->survivors[s];
        struct assay_rule *rule = &all.rules[count + s];
        *rule = t->catalogue->rules[survivor->rule];
        if (survivor->subject <= WHEN) {
            *(survivor->subject == WHEN ? &rule->when : &rule->require) =
                (struct assay_expression){.nodes = survivor->nodes, .count = survivor->count};
        }
        select_compared(t, survivor, all.deselected);
    }
    all.catalogue.rules = all.rules;
    all.catalogue.rule_count += t->survivor_count;
    all.catalogue.compiled = NULL;
    return all;
}

static void free_comparison(struct comparison *all)
{
    free(all->rules);
    free(all->deselected);
}

static bool variable_differs(const struct tally *t, const struct survivor *s,
                             const struct assay_judge *rules, const struct recorded *r,
                             const uint16_t *readings)
{
    struct variable_copy copy = copy_variable(t->catalogue, s->variable);
    if (s->subject == INIT) {
        copy.variables[s->variable].init = s->init;
    } else {
        copy.updates[s->update].value =
            (struct assay_expression){.nodes = s->nodes, .count = s->count};
    }
    struct assay_judge *j = judge(&copy.catalogue, r, readings, NULL, true);
    bool differs = false;
    for (size_t k = 0; k < copy.catalogue.rule_count; k++) {
        const struct outcome a = outcome_of(rules, copy.numbers[k]);
        const struct outcome b = outcome_of(j, k);
        differs = differs || !same_outcome(&a, &b);
    }
    assay_judge_close(j);
    free_variable_copy(&copy);
    return differs;
}

static bool survivor_differs(const struct tally *t, size_t number, const struct assay_judge *j,
                             const struct recorded *r, const uint16_t *readings)
{
    const struct survivor *s = &t->survivors[number];
    const struct outcome a = outcome_of(j, s->rule);
    const struct outcome b = outcome_of(j, t->catalogue->rule_count + number);
    return s->subject >= UPDATE ? variable_differs(t, s, j, r, readings) : !same_outcome(&a, &b);
}

static bool trace_refutes(const struct tally *t, const struct comparison *all, size_t number,
                          const struct random_trace *trace)
{
    struct recorded r;
    record_random_trace(&r, trace);
    struct assay_judge *j = judge(&all->catalogue, &r, trace->readings, all->deselected, true);
    const bool differs = survivor_differs(t, number, j, &r, trace->readings);
    assay_judge_close(j);
    free_recorded(&r);
    return differs;
}

/* Shows the shortest part of a trace that still tells the mutant from its rule. */
static void show_refutation(const struct tally *t, const struct comparison *all, size_t number,
                            struct random_trace *trace)
{
    for (size_t i = trace->count; i-- > 0;) {
        struct random_trace *shorter = calloc(1, sizeof *shorter);
        *shorter = *trace;
        shorter->count--;
        memmove(&shorter->events[i], &shorter->events[i + 1],
                (shorter->count - i) * sizeof shorter->events[0]);
        if (trace_refutes(t, all, number, shorter)) {
            drop_record(trace, i);
        }
        free(shorter);
    }
    struct recorded r;
    record_random_trace(&r, trace);
    print_error("    made of %s\n", trace->base->vector->name);
    for (size_t i = 0; i < r.count && i < 24; i++) {
        char line[400];
        assay_event_line(t->catalogue->format, &r.events[i], line, sizeof line);
        print_error("    %s\n", line);
    }
    free_recorded(&r);
}

static unsigned try_trace(struct tally *t, const struct comparison *all,
                          const struct recorded *base, uint64_t seed)
{
    struct random_trace trace;
    struct recorded r;
    unsigned refuted = 0;
    make_random_trace(&trace, &t->pool, base, seed);
    record_random_trace(&r, &trace);
    struct assay_judge *j = judge(&all->catalogue, &r, trace.readings, all->deselected, true);
    for (size_t s = 0; s < t->survivor_count; s++) {
        if (!t->survivors[s].refuted && survivor_differs(t, s, j, &r, trace.readings)) {
            t->survivors[s].refuted = true;
            print_error("%s: %s: a random trace notices it (seed 0x%" PRIx64 ")\n",
                        t->survivors[s].name, t->survivors[s].text, seed);
            show_refutation(t, all, s, &trace);
            refuted++;
            break; /* the trace has been shortened */
        }
    }
    assay_judge_close(j);
    free_recorded(&r);
    free_random_trace(&trace);
    return refuted;
}

/* A vector that is about a survivor's rule, or one of any rule. */
static const struct recorded *choose_base(const struct tally *t, uint64_t *seed)
{
    const size_t first = (size_t)random_below(seed, t->pool.count);
    const char *id =
        t->catalogue->rules[t->survivors[random_below(seed, t->survivor_count)].rule].id;
    if (random_below(seed, 2) == 0) {
        for (size_t i = 0; i < t->pool.count; i++) {
            const struct recorded *r = t->pool.list[(first + i) % t->pool.count];
            if (vector_is_about(r->vector, id) ||
                (r->vector->vector.expected != NULL && vector_names(r->vector, id))) {
                return r;
            }
        }
    }
    return t->pool.list[first];
}

static void no_random_trace_tells_an_equivalent_mutant_from_its_rule(void **state)
{
    (void)state;
    unsigned refuted = 0;
    for (size_t c = 0; c < tally_count; c++) {
        struct tally *t = &tallies[c];
        struct comparison all = with_survivors(t);
        for (uint64_t i = 1; i <= RANDOM_TRACES && t->survivor_count > 0; i++) {
            uint64_t seed = i * UINT64_C(0x9e3779b97f4a7c15);
            if (!is_in_turn(i)) {
                continue;
            }
            const struct recorded *base = choose_base(t, &seed);
            refuted += try_trace(t, &all, base, random_next(&seed));
        }
        free_comparison(&all);
        print_message("%s: %zu mutants, each tried with %d random traces\n",
                      t->catalogue->format->name, t->survivor_count,
                      getenv("ASSAY_TURN") != NULL ? RANDOM_TRACES / TURNS : RANDOM_TRACES);
    }
    assert_int_equal(refuted, 0);
}

/* --- setting up --- */

static void set_up(struct tally *t, const struct assay_catalogue *catalogue)
{
    char path[1024];
    mutate_defaults(catalogue, &t->with_defaults);
    t->catalogue = &t->with_defaults;
    snprintf(path, sizeof path, "%s/%s/equivalent.yaml", ASSAY_RULES, catalogue->format->name);
    if (assay_yaml_load(path, &t->file, NULL) == ASSAY_OK) {
        t->list = assay_yaml_get(t->file.root, "equivalent");
    }
    t->used = calloc(t->list != NULL ? t->list->count + 1 : 1, sizeof *t->used);
    t->numbers = calloc(catalogue->rule_count + 1, sizeof *t->numbers);
    t->pool.list = calloc(corpus.count + 1, sizeof(void *));
    t->base = calloc(corpus.count + 1, sizeof(void *));
    for (size_t i = 0; i < corpus.count; i++) {
        if (corpus.list[i].vector.format == catalogue->format) {
            t->base[t->pool.count] = judge_all_rules(catalogue, &recorded[i]);
            t->pool.list[t->pool.count++] = &recorded[i];
        }
    }
}

static void tear_down(struct tally *t)
{
    for (size_t i = 0; i < t->pool.count; i++) {
        free(t->base[i]);
    }
    for (size_t s = 0; s < t->survivor_count; s++) {
        free(t->survivors[s].nodes);
    }
    free(t->survivors);
    free(t->base);
    free(t->pool.list);
    free(t->numbers);
    free(t->used);
    free((void *)(uintptr_t)t->with_defaults.leaves);
    assay_yaml_free(&t->file);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mutant_is_noticed_by_a_vector_or_listed_as_equivalent),
        cmocka_unit_test(every_mutant_listed_as_equivalent_exists),
        cmocka_unit_test(no_random_trace_tells_an_equivalent_mutant_from_its_rule),
    };
    const char *format = argc > 1 ? argv[1] : NULL;
    if (argc > 2 && (sscanf(argv[2], "%zu/%zu", &part, &parts) != 2 || part < 1 || part > parts)) {
        print_error("%s is no part, as 2/3 is\n", argv[2]);
        return 1;
    }
    part -= argc > 2;
    corpus = load_corpus_of(ASSAY_CORPUS, format);
    recorded = calloc(corpus.count + 1, sizeof *recorded);
    for (size_t i = 0; i < corpus.count; i++) {
        record_vector(&recorded[i], &corpus.list[i]);
    }
    for (size_t c = 0; assay_catalogues[c] != NULL; c++) {
        if (format == NULL || strcmp(format, assay_catalogues[c]->format->name) == 0) {
            set_up(&tallies[tally_count++], assay_catalogues[c]);
        }
    }
    const int failed = tally_count == 0 || cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t c = 0; c < tally_count; c++) {
        tear_down(&tallies[c]);
    }
    for (size_t i = 0; i < corpus.count; i++) {
        free_recorded(&recorded[i]);
    }
    free(recorded);
    free_corpus(&corpus);
    return failed;
}
