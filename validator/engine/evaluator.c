#include "validator/engine/evaluator.h"

#include <stdlib.h>
#include <string.h>

#include "validator/engine/judge.h"

struct assay_evaluator {
    const struct assay_catalogue *catalogue;
    uint16_t *used; /* the leaves that anything reads */
    size_t used_count;
    uint64_t *leaves;    /* a leaf: its value for the present event */
    uint64_t *history;   /* [layer * leaf_count + leaf]: PREV; [leaf]: LAST, in layer 0's row */
    uint64_t *prev_kind; /* a layer: kind of the last event */
    uint64_t *count;     /* a kind: events so far */
    uint64_t *variables;
    uint64_t *updated;
};

static void mark(const struct assay_expression *expression, bool *used)
{
    for (unsigned i = 0; i < expression->count; i++) {
        if (expression->nodes[i].op == ASSAY_OP_LEAF) {
            used[expression->nodes[i].a] = true;
        }
    }
}

static void list_used(struct assay_evaluator *e, bool *used)
{
    const struct assay_catalogue *c = e->catalogue;
    for (size_t r = 0; r < c->rule_count; r++) {
        mark(&c->rules[r].when, used);
        mark(&c->rules[r].require, used);
        for (uint16_t i = 0; i < c->rules[r].say_count; i++) {
            mark(&c->rules[r].say[i].value, used);
        }
    }
    for (size_t v = 0; v < c->variable_count; v++) {
        for (uint16_t u = 0; u < c->variables[v].update_count; u++) {
            mark(&c->variables[v].updates[u].value, used);
        }
    }
    for (size_t i = 0; i < c->leaf_count; i++) {
        if (used[i]) {
            e->used[e->used_count++] = (uint16_t)i;
        }
    }
}

struct assay_evaluator *assay_evaluator_open(const struct assay_catalogue *c)
{
    struct assay_evaluator *e = calloc(1, sizeof *e);
    if (e == NULL) {
        return NULL;
    }
    e->catalogue = c;
    e->used = calloc(c->leaf_count + 1, sizeof *e->used);
    bool *used = calloc(c->leaf_count + 1, sizeof *used);
    e->leaves = calloc(c->leaf_count + 1, sizeof *e->leaves);
    e->history = calloc(c->format->layer_count * c->leaf_count + 1, sizeof *e->history);
    e->prev_kind = calloc(c->format->layer_count, sizeof *e->prev_kind);
    e->count = calloc(c->format->kind_count, sizeof *e->count);
    e->variables = calloc(c->variable_count + 1, sizeof *e->variables);
    e->updated = calloc(c->variable_count + 1, sizeof *e->updated);
    if (e->used != NULL && used != NULL) {
        list_used(e, used);
    }
    const bool listed = used != NULL;
    free(used);
    if (!listed || e->used == NULL || e->leaves == NULL || e->history == NULL ||
        e->prev_kind == NULL || e->count == NULL || e->variables == NULL || e->updated == NULL) {
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
        free(e->used);
        free(e->leaves);
        free(e->history);
        free(e->prev_kind);
        free(e->count);
        free(e->variables);
        free(e->updated);
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
    const struct assay_catalogue *c = e->catalogue;
    for (size_t r = 0; r < c->rule_count; r++) {
        const struct assay_rule *rule = &c->rules[r];
        if (!assay_kinds_has(&rule->kinds, event->kind) || j->enabled[r] == 0 ||
            (rule->when.count > 0 &&
             assay_evaluate(&rule->when, e->leaves, c->format->functions) == 0)) {
            continue;
        }
        j->exercised[r]++;
        if (assay_evaluate(&rule->require, e->leaves, c->format->functions) == 0) {
            j->violated[r]++;
            if (j->wanted[r] > 0) {
                j->report(j->context, (uint16_t)r, at, e->leaves);
            }
        }
    }
}

static void update_state(struct assay_evaluator *e, unsigned kind)
{
    const struct assay_catalogue *c = e->catalogue;
    memcpy(e->updated, e->variables, c->variable_count * sizeof *e->updated);
    for (size_t v = 0; v < c->variable_count; v++) {
        const struct assay_variable *variable = &c->variables[v];
        for (uint16_t u = 0; u < variable->update_count; u++) {
            if (assay_kinds_has(&variable->updates[u].kinds, kind)) {
                e->updated[v] =
                    assay_evaluate(&variable->updates[u].value, e->leaves, c->format->functions);
            }
        }
    }
    memcpy(e->variables, e->updated, c->variable_count * sizeof *e->updated);
}

static void remember(struct assay_evaluator *e, const struct assay_event *event)
{
    const struct assay_catalogue *c = e->catalogue;
    const size_t layer = c->format->kinds[event->kind].layer;
    const bool is_aside = c->format->kinds[event->kind].is_aside;
    for (size_t n = 0; n < e->used_count; n++) {
        const size_t i = e->used[n];
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
        for (size_t i = 0; i < e->used_count; i++) {
            e->leaves[e->used[i]] = leaf_value(e, j, e->used[i], &events[at]);
        }
        judge_event(e, j, &events[at], at);
        update_state(e, events[at].kind);
        remember(e, &events[at]);
    }
}
