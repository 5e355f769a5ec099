#include "validator/engine/evaluator.h"

#include <stdlib.h>
#include <string.h>

#include "validator/engine/judge.h"

/* What the enabled rules depend on is all that is computed: a rule alone costs its own expressions.
 */
struct assay_evaluator {
    const struct assay_catalogue *catalogue;
    const uint64_t *enabled; /* a rule: 1 or 0; the judge's */
    uint16_t *rules, *state,
        *read; /* those that are enabled; variables and leaves that they need */
    size_t rule_count, state_count, read_count;
    struct assay_kinds
        judged;          /* kinds with an enabled rule, or that update a variable of `state` */
    uint64_t *leaves;    /* a leaf: its value for the present event */
    uint64_t *history;   /* [layer * leaf_count + leaf]: PREV; [leaf]: LAST, in layer 0's row */
    uint64_t *prev_kind; /* a layer: kind of the last event */
    uint64_t *count;     /* a kind: events so far */
    uint64_t *variables;
};

/* Lists the leaves of an expression, and the variables among them, each once. */
static void need(struct assay_evaluator *e, const struct assay_expression *expression,
                 bool *needs_leaf, bool *needs_variable)
{
    for (unsigned i = 0; i < expression->count; i++) {
        const uint16_t number = expression->nodes[i].a;
        if (expression->nodes[i].op != ASSAY_OP_LEAF || needs_leaf[number]) {
            continue;
        }
        const struct assay_leaf *leaf = &e->catalogue->leaves[number];
        needs_leaf[number] = true;
        e->read[e->read_count++] = number;
        if (leaf->what == ASSAY_LEAF_STATE && !needs_variable[leaf->number]) {
            needs_variable[leaf->number] = true;
            e->state[e->state_count++] = leaf->number;
        }
    }
}

/* The enabled rules, and what they read. */
static void list_rules(struct assay_evaluator *e, bool *needs_leaf, bool *needs_variable)
{
    const struct assay_catalogue *c = e->catalogue;
    for (size_t r = 0; r < c->rule_count; r++) {
        const struct assay_rule *rule = &c->rules[r];
        if (e->enabled[r] == 0) {
            continue;
        }
        e->rules[e->rule_count++] = (uint16_t)r;
        assay_kinds_join(&e->judged, &rule->kinds);
        need(e, &rule->when, needs_leaf, needs_variable);
        need(e, &rule->require, needs_leaf, needs_variable);
        for (uint16_t i = 0; i < rule->say_count; i++) {
            need(e, &rule->say[i].value, needs_leaf, needs_variable);
        }
    }
}

/* What the updates of their variables read, which can be further variables. */
static void list_updates(struct assay_evaluator *e, bool *needs_leaf, bool *needs_variable)
{
    for (size_t v = 0; v < e->state_count; v++) {
        const struct assay_variable *variable = &e->catalogue->variables[e->state[v]];
        for (uint16_t u = 0; u < variable->update_count; u++) {
            assay_kinds_join(&e->judged, &variable->updates[u].kinds);
            need(e, &variable->updates[u].value, needs_leaf, needs_variable);
        }
    }
}

static bool list_needs(struct assay_evaluator *e)
{
    const struct assay_catalogue *c = e->catalogue;
    bool *needs = calloc(c->leaf_count + c->variable_count + 1, sizeof *needs);
    if (needs == NULL) {
        return false;
    }
    list_rules(e, needs, needs + c->leaf_count);
    list_updates(e, needs, needs + c->leaf_count);
    free(needs);
    return true;
}

struct assay_evaluator *assay_evaluator_open(const struct assay_catalogue *c,
                                             const uint64_t *enabled)
{
    struct assay_evaluator *e = calloc(1, sizeof *e);
    if (e == NULL) {
        return NULL;
    }
    e->catalogue = c;
    e->enabled = enabled;
    e->rules = calloc(c->rule_count + 1, sizeof *e->rules);
    e->state = calloc(c->variable_count + 1, sizeof *e->state);
    e->read = calloc(c->leaf_count + 1, sizeof *e->read);
    e->leaves = calloc(c->leaf_count + 1, sizeof *e->leaves);
    e->history = calloc(c->format->layer_count * c->leaf_count + 1, sizeof *e->history);
    e->prev_kind = calloc(c->format->layer_count, sizeof *e->prev_kind);
    e->count = calloc(c->format->kind_count, sizeof *e->count);
    e->variables = calloc(c->variable_count + 1, sizeof *e->variables);
    if (e->rules == NULL || e->state == NULL || e->read == NULL || e->leaves == NULL ||
        e->history == NULL || e->prev_kind == NULL || e->count == NULL || e->variables == NULL ||
        !list_needs(e)) {
        assay_evaluator_close(e);
        return NULL;
    }
    for (size_t v = 0; v < c->variable_count; v++) {
        e->variables[v] = c->variables[v].init;
    }
    for (size_t layer = 0; layer < c->format->layer_count; layer++) {
        e->prev_kind[layer] = ASSAY_KIND_END;
    }
    return e;
}

void assay_evaluator_close(struct assay_evaluator *e)
{
    if (e != NULL) {
        free(e->rules);
        free(e->state);
        free(e->read);
        free(e->leaves);
        free(e->history);
        free(e->prev_kind);
        free(e->count);
        free(e->variables);
        free(e);
    }
}

uint64_t assay_leaf_from(const struct assay_catalogue *catalogue, uint16_t leaf,
                         const struct assay_event *event)
{
    const struct assay_leaf *from = &catalogue->leaves[leaf];
    for (unsigned n = 0; n < from->number && event != NULL; n++) {
        event = event->from;
    }
    if (from->what == ASSAY_LEAF_FROM_KIND) {
        return event != NULL ? event->kind : (uint64_t)ASSAY_KIND_END;
    }
    if (event == NULL || from->name == NULL) {
        return event != NULL;
    }
    const struct assay_field *field = assay_leaf_field(catalogue, from, event->kind);
    return field != NULL ? assay_field_get(field, event) : 0;
}

bool assay_leaf_of_event(const struct assay_catalogue *c, uint16_t number,
                         const struct assay_event *event, uint64_t *value)
{
    const struct assay_leaf *leaf = &c->leaves[number];
    const struct assay_field *field;
    switch ((enum assay_leaf_kind)leaf->what) {
    case ASSAY_LEAF_FIELD:
        field = assay_leaf_field(c, leaf, event->kind);
        *value = field != NULL ? assay_field_get(field, event) : 0;
        return true;
    case ASSAY_LEAF_FROM:
    case ASSAY_LEAF_FROM_KIND:
        *value = assay_leaf_from(c, number, event);
        return true;
    case ASSAY_LEAF_KIND:
        *value = event->kind;
        return true;
    case ASSAY_LEAF_INDEX:
        *value = event->index;
        return true;
    case ASSAY_LEAF_OFFSET:
        *value = event->offset;
        return true;
    case ASSAY_LEAF_BITS:
        *value = event->bits;
        return true;
    case ASSAY_LEAF_FAULT:
        *value = event->fault;
        return true;
    default:
        return false;
    }
}

static uint64_t leaf_value(const struct assay_evaluator *e, const struct assay_judging *j,
                           uint16_t number, const struct assay_event *event)
{
    const struct assay_catalogue *c = e->catalogue;
    const struct assay_leaf *leaf = &c->leaves[number];
    const size_t layer = c->format->kinds[event->kind].layer;
    uint64_t value = 0;
    if (assay_leaf_of_event(c, number, event, &value)) {
        return value;
    }
    switch ((enum assay_leaf_kind)leaf->what) {
    case ASSAY_LEAF_PREV:
        return e->history[layer * c->leaf_count + number];
    case ASSAY_LEAF_LAST:
        return e->history[number];
    case ASSAY_LEAF_SEEN:
        return e->count[leaf->number] != 0;
    case ASSAY_LEAF_COUNT:
        return e->count[leaf->number];
    case ASSAY_LEAF_STATE:
        return e->variables[leaf->number];
    case ASSAY_LEAF_PREV_KIND:
        return e->prev_kind[layer];
    default:
        return j->constants[number];
    }
}

static void judge_event(const struct assay_evaluator *e, const struct assay_judging *j,
                        const struct assay_event *event, uint32_t at)
{
    const struct assay_function *functions = e->catalogue->format->functions;
    for (size_t i = 0; i < e->rule_count; i++) {
        const uint16_t r = e->rules[i];
        const struct assay_rule *rule = &e->catalogue->rules[r];
        if (!assay_kinds_has(&rule->kinds, event->kind) ||
            (rule->when.count > 0 && assay_evaluate(&rule->when, e->leaves, functions) == 0)) {
            continue;
        }
        j->exercised[r]++;
        if (assay_evaluate(&rule->require, e->leaves, functions) == 0) {
            j->violated[r]++;
            if (j->wanted[r] > 0) {
                j->report(j->context, r, at, e->leaves);
            }
        }
    }
}

/* All updates see the values from before the event, which are in the leaves. */
static void update_state(struct assay_evaluator *e, unsigned kind)
{
    for (size_t i = 0; i < e->state_count; i++) {
        const struct assay_variable *variable = &e->catalogue->variables[e->state[i]];
        for (uint16_t u = 0; u < variable->update_count; u++) {
            if (assay_kinds_has(&variable->updates[u].kinds, kind)) {
                e->variables[e->state[i]] = assay_evaluate(&variable->updates[u].value, e->leaves,
                                                           e->catalogue->format->functions);
            }
        }
    }
}

static void remember(struct assay_evaluator *e, const struct assay_event *event)
{
    const struct assay_catalogue *c = e->catalogue;
    const size_t layer = c->format->kinds[event->kind].layer;
    const bool is_aside = c->format->kinds[event->kind].is_aside;
    for (size_t n = 0; n < e->read_count; n++) {
        const size_t i = e->read[n];
        const struct assay_leaf *leaf = &c->leaves[i];
        if ((leaf->what != ASSAY_LEAF_PREV || is_aside) &&
            (leaf->what != ASSAY_LEAF_LAST || leaf->number != event->kind)) {
            continue;
        }
        const struct assay_field *field = assay_leaf_field(c, leaf, event->kind);
        if (leaf->what == ASSAY_LEAF_PREV) {
            e->history[layer * c->leaf_count + i] =
                field != NULL ? assay_field_get(field, event) : 0;
        } else {
            e->history[i] = assay_field_get(field, event);
        }
    }
    e->prev_kind[layer] = is_aside ? e->prev_kind[layer] : event->kind;
    e->count[event->kind]++;
}

void assay_evaluator_events(struct assay_evaluator *e, const struct assay_judging *j,
                            const struct assay_event *events, uint32_t count)
{
    for (uint32_t at = 0; at < count; at++) {
        if (assay_kinds_has(&e->judged, events[at].kind)) {
            for (size_t i = 0; i < e->read_count; i++) {
                e->leaves[e->read[i]] = leaf_value(e, j, e->read[i], &events[at]);
            }
            judge_event(e, j, &events[at], at);
            update_state(e, events[at].kind);
        }
        remember(e, &events[at]);
    }
}
