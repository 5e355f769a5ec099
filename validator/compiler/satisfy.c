/* Whether a condition can hold at all: a rule whose `when` cannot, or whose `require` cannot fail,
 * is a mistake that is found when the rule is read. */
#include <string.h>

#include "model/parameters.h"
#include "validator/compiler/loader.h"

enum { MOST_COMBINATIONS = 1 << 16 };

struct range {
    uint64_t low, high;
};

/* A condition with what it reads: the leaves of the expression, numbered from 0. */
struct condition {
    const struct assay_loader *loader;
    const struct assay_kinds *kinds;
    const struct assay_kind *asked; /* of a condition of instructions: their kind; else null */
    struct assay_node nodes[ASSAY_MAX_NODES];
    struct assay_expression expression; /* over `nodes`, whose leaves have the new numbers */
    const struct assay_leaf *leaves[ASSAY_MAX_NODES];
    struct range ranges[ASSAY_MAX_NODES];         /* of the values of the leaves */
    struct assay_kinds kinds_of[ASSAY_MAX_NODES]; /* of the leaves that are numbers of kinds */
    unsigned leaf_count;
};

/* A tail has any number of bits, and is compared with 0 as a wide field is. */
static unsigned bits_of(const struct assay_field *field)
{
    return field->place == ASSAY_TAIL ? 64 : field->width;
}

static unsigned width_of(const struct assay_loader *loader, const struct assay_leaf *leaf,
                         const struct assay_kinds *kinds)
{
    unsigned width = 0;
    if (assay_leaf_is_condition(leaf)) {
        return 1;
    }
    switch ((enum assay_leaf_kind)leaf->what) {
    case ASSAY_LEAF_SEEN:
    case ASSAY_LEAF_READING:
        return 1;
    case ASSAY_LEAF_STATE:
        return loader->out->variables[leaf->number].flag ? 1 : 64;
    case ASSAY_LEAF_CONFIG:
        return 64; /* its range says more */
    case ASSAY_LEAF_FACT:
        return assay_fact_table[leaf->number].most == 1 ? 1 : 64;
    case ASSAY_LEAF_FIELD:
        for (unsigned k = 0; k < loader->format->kind_count; k++) {
            const struct assay_field *field =
                assay_kinds_has(kinds, k) ? assay_leaf_field(loader->out, leaf, k) : NULL;
            width = field != NULL && bits_of(field) > width ? bits_of(field) : width;
        }
        return width < 64 ? width : 64;
    case ASSAY_LEAF_FROM:
        if (leaf->name == NULL) {
            return 1;
        }
        /* fall through */
    case ASSAY_LEAF_LAST:
    case ASSAY_LEAF_PREV:
        width = bits_of(assay_shown_field(loader->format, leaf->shown));
        return width < 64 ? width : 64;
    default:
        return 64;
    }
}

/* The kinds that a leaf can be the number of. A rule that reads its origin applies only where there
 * is one. */
static struct assay_kinds kinds_of(const struct condition *c, const struct assay_leaf *leaf)
{
    const struct assay_format *format = c->loader->format;
    const unsigned layer = format->kinds[assay_kinds_next(c->kinds, 0)].layer;
    if (leaf->what == ASSAY_LEAF_KIND) {
        return *c->kinds;
    }
    if (leaf->what == ASSAY_LEAF_FROM_KIND) {
        return assay_kinds_of_layer(format, layer - leaf->number);
    }
    struct assay_kinds kinds = assay_kinds_of_layer(format, layer);
    assay_kinds_add(&kinds, ASSAY_KIND_END); /* before the first event */
    return kinds;
}

static struct range range_of(const struct condition *c, const struct assay_leaf *leaf)
{
    if (assay_leaf_is_kind(leaf)) {
        const struct assay_kinds kinds = kinds_of(c, leaf);
        return (struct range){assay_kinds_next(&kinds, 0), assay_kinds_last(&kinds)};
    }
    if (leaf->what == ASSAY_LEAF_FACT) {
        return (struct range){0, assay_fact_table[leaf->number].most};
    }
    if (leaf->what == ASSAY_LEAF_CONFIG) {
        const struct assay_parameter *parameter =
            &c->loader->format->parameters->list[leaf->number];
        return (struct range){parameter->least, parameter->most};
    }
    return (struct range){0, assay_mask(width_of(c->loader, leaf, c->kinds))};
}

/* What a leaf is, by its number: in a condition of instructions that of a field. */
static void read_leaf(struct condition *c, uint16_t number, uint16_t k)
{
    if (c->asked != NULL) {
        const unsigned bits = bits_of(&c->asked->fields[number]);
        c->ranges[k] = (struct range){0, assay_mask(bits < 64 ? bits : 64)};
        return;
    }
    c->leaves[k] = &c->loader->out->leaves[number];
    c->ranges[k] = range_of(c, c->leaves[k]);
    if (assay_leaf_is_kind(c->leaves[k])) {
        c->kinds_of[k] = kinds_of(c, c->leaves[k]);
    }
}

static void read_condition(const struct assay_expression *e, struct condition *c)
{
    uint16_t numbers[ASSAY_MAX_NODES];
    for (unsigned i = 0; i < e->count; i++) {
        c->nodes[i] = e->nodes[i];
        if (e->nodes[i].op != ASSAY_OP_LEAF) {
            continue;
        }
        uint16_t k = 0;
        while (k < c->leaf_count && numbers[k] != e->nodes[i].a) {
            k++;
        }
        if (k == c->leaf_count) {
            numbers[k] = e->nodes[i].a;
            read_leaf(c, numbers[k], k);
            c->leaf_count++;
        }
        c->nodes[i].a = k;
    }
    c->expression = (struct assay_expression){.nodes = c->nodes, .count = e->count};
}

/* How many combinations of values what the condition reads can have; 0 when they are too many. */
static uint64_t count_combinations(const struct condition *c)
{
    uint64_t all = 1;
    for (unsigned i = 0; i < c->leaf_count; i++) {
        const struct range range = c->ranges[i];
        if (range.high - range.low >= MOST_COMBINATIONS) {
            return 0;
        }
        all *= range.high - range.low + 1;
        if (all > MOST_COMBINATIONS) {
            return 0;
        }
    }
    return all;
}

/* Tries every value of everything that the condition reads. */
static bool try_all(const struct condition *c, uint64_t combinations)
{
    uint64_t values[ASSAY_MAX_NODES];
    for (uint64_t n = 0; n < combinations; n++) {
        uint64_t left = n;
        bool possible = true;
        for (unsigned i = 0; i < c->leaf_count; i++) {
            const struct range range = c->ranges[i];
            const uint64_t size = range.high - range.low + 1;
            values[i] = range.low + left % size;
            left /= size;
            possible = possible && (c->asked != NULL || !assay_leaf_is_kind(c->leaves[i]) ||
                                    assay_kinds_has(&c->kinds_of[i], values[i]));
        }
        if (possible && assay_evaluate(&c->expression, values, c->loader->format->functions) != 0) {
            return true;
        }
    }
    return false;
}

/* What the members of a conjunction say of one leaf, against constants. */
static bool narrow(struct range *range, enum assay_operation op, uint64_t constant)
{
    switch (op) {
    case ASSAY_OP_EQ:
        range->low = constant > range->low ? constant : range->low;
        range->high = constant < range->high ? constant : range->high;
        break;
    case ASSAY_OP_LT:
        if (constant == 0) {
            return false;
        }
        range->high = constant - 1 < range->high ? constant - 1 : range->high;
        break;
    case ASSAY_OP_LE:
        range->high = constant < range->high ? constant : range->high;
        break;
    case ASSAY_OP_GT:
        if (constant == UINT64_MAX) {
            return false;
        }
        range->low = constant + 1 > range->low ? constant + 1 : range->low;
        break;
    case ASSAY_OP_GE:
        range->low = constant > range->low ? constant : range->low;
        break;
    default:
        break;
    }
    return range->low <= range->high;
}

static bool ranges_meet(const struct condition *c)
{
    const struct assay_expression *e = &c->expression;
    struct range ranges[ASSAY_MAX_NODES];
    memcpy(ranges, c->ranges, c->leaf_count * sizeof ranges[0]);
    bool conjunct[ASSAY_MAX_NODES] = {false};
    conjunct[e->count - 1] = true;
    for (unsigned i = e->count; i-- > 0;) {
        const struct assay_node *node = &e->nodes[i];
        if (!conjunct[i]) {
            continue;
        }
        if (node->op == ASSAY_OP_CONSTANT && node->value == 0) {
            return false;
        }
        if (node->op == ASSAY_OP_AND) {
            conjunct[node->a] = true;
            conjunct[node->b] = true;
        }
        const bool comparison = node->op >= ASSAY_OP_EQ && node->op <= ASSAY_OP_GE;
        if (comparison && e->nodes[node->a].op == ASSAY_OP_LEAF &&
            e->nodes[node->b].op == ASSAY_OP_CONSTANT &&
            !narrow(&ranges[e->nodes[node->a].a], (enum assay_operation)node->op,
                    e->nodes[node->b].value)) {
            return false;
        }
    }
    return true;
}

static bool can_hold(struct condition *c, const struct assay_expression *expression)
{
    c->leaf_count = 0;
    read_condition(expression, c);
    const uint64_t combinations = count_combinations(c);
    return combinations > 0 ? try_all(c, combinations) : ranges_meet(c);
}

bool assay_satisfiable(const struct assay_loader *loader, const struct assay_kinds *kinds,
                       const struct assay_expression *expression)
{
    struct condition condition;
    condition.loader = loader;
    condition.kinds = kinds;
    condition.asked = NULL;
    return can_hold(&condition, expression);
}

bool assay_condition_satisfiable(const struct assay_loader *loader, const struct assay_kind *kind,
                                 const struct assay_expression *expression)
{
    struct condition condition;
    condition.loader = loader;
    condition.kinds = NULL;
    condition.asked = kind;
    return can_hold(&condition, expression);
}

bool assay_violation(struct assay_arena *arena, const struct assay_expression *when,
                     const struct assay_expression *require, struct assay_expression *violation)
{
    const unsigned total = when->count + require->count + 2u;
    if (total > ASSAY_MAX_NODES) {
        return false;
    }
    struct assay_node *nodes = assay_arena_take(arena, total * sizeof *nodes);
    if (nodes == NULL) {
        return false;
    }
    uint16_t n = 0;
    for (unsigned i = 0; i < when->count; i++) {
        nodes[n++] = when->nodes[i];
    }
    for (unsigned i = 0; i < require->count; i++) {
        struct assay_node node = require->nodes[i];
        if (node.op != ASSAY_OP_LEAF && node.op != ASSAY_OP_CONSTANT) {
            node.a = (uint16_t)(node.a + when->count);
            if (node.op != ASSAY_OP_SLICE) {
                node.b = (uint16_t)(node.b + when->count);
                node.c = (uint16_t)(node.c + when->count);
            }
        }
        nodes[n++] = node;
    }
    nodes[n] = (struct assay_node){.op = ASSAY_OP_NOT, .flag = 1, .a = (uint16_t)(n - 1)};
    n++;
    if (when->count > 0) {
        nodes[n] = (struct assay_node){.op = ASSAY_OP_AND,
                                       .flag = 1,
                                       .a = (uint16_t)(when->count - 1),
                                       .b = (uint16_t)(n - 1)};
        n++;
    }
    *violation = (struct assay_expression){.nodes = nodes, .count = n};
    return true;
}
