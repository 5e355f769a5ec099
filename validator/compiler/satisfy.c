/* Whether a condition can hold at all: a rule whose `when` cannot, or whose `require` cannot fail,
 * is a mistake that is found when the rule is read. */
#include <string.h>

#include "validator/compiler/loader.h"

enum { EXACT_BITS = 16, MAX_LEAVES = 16 };

struct range {
    uint64_t low, high;
};

static unsigned width_of(const struct assay_loader *loader, const struct assay_leaf *leaf,
                         uint64_t kinds)
{
    unsigned width = 0;
    switch ((enum assay_leaf_kind)leaf->what) {
    case ASSAY_LEAF_SEEN:
    case ASSAY_LEAF_READING:
        return 1;
    case ASSAY_LEAF_STATE:
        return loader->out->variables[leaf->number].flag ? 1 : 64;
    case ASSAY_LEAF_FACT:
        return assay_fact_table[leaf->number].most == 1 ? 1 : 64;
    case ASSAY_LEAF_FIELD:
        for (unsigned k = 0; k < loader->format->kind_count; k++) {
            const struct assay_field *field =
                (kinds >> k & 1) != 0 ? assay_leaf_field(loader->out, leaf, k) : NULL;
            width = field != NULL && field->width > width ? field->width : width;
        }
        return width < 64 ? width : 64;
    case ASSAY_LEAF_LAST:
    case ASSAY_LEAF_PREV:
    case ASSAY_LEAF_FROM:
        width = assay_shown_field(loader->format, leaf->shown)->width;
        return width < 64 ? width : 64;
    default:
        return 64;
    }
}

static struct range range_of(const struct assay_loader *loader, const struct assay_leaf *leaf,
                             uint64_t kinds)
{
    if (leaf->what == ASSAY_LEAF_KIND) {
        const unsigned low = (unsigned)__builtin_ctzll(kinds);
        return (struct range){low, 63u - (unsigned)__builtin_clzll(kinds)};
    }
    if (leaf->what == ASSAY_LEAF_FACT) {
        return (struct range){0, assay_fact_table[leaf->number].most};
    }
    return (struct range){0, assay_mask(width_of(loader, leaf, kinds))};
}

/* The distinct leaves of an expression; false when there are more than fit. */
static bool collect(const struct assay_expression *e, uint16_t *leaves, unsigned *count)
{
    *count = 0;
    for (unsigned i = 0; i < e->count; i++) {
        if (e->nodes[i].op != ASSAY_OP_LEAF) {
            continue;
        }
        unsigned k = 0;
        while (k < *count && leaves[k] != e->nodes[i].a) {
            k++;
        }
        if (k == *count) {
            if (*count == MAX_LEAVES) {
                return false;
            }
            leaves[(*count)++] = e->nodes[i].a;
        }
    }
    return true;
}

/* Tries every value of everything that the expression reads. */
static bool try_all(const struct assay_loader *loader, uint64_t kinds,
                    const struct assay_expression *e, const uint16_t *leaves, unsigned count,
                    unsigned bits)
{
    uint64_t values[512] = {0};
    for (uint32_t n = 0; n < UINT32_C(1) << bits; n++) {
        unsigned at = 0;
        bool possible = true;
        for (unsigned i = 0; i < count; i++) {
            const struct assay_leaf *leaf = &loader->out->leaves[leaves[i]];
            const unsigned width =
                leaf->what == ASSAY_LEAF_KIND ? 6 : width_of(loader, leaf, kinds);
            values[leaves[i]] = n >> at & assay_mask(width);
            at += width;
            possible = possible &&
                       (leaf->what != ASSAY_LEAF_KIND || (kinds >> values[leaves[i]] & 1) != 0);
        }
        if (possible && assay_evaluate(e, values, loader->format->functions) != 0) {
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

static bool ranges_meet(const struct assay_loader *loader, uint64_t kinds,
                        const struct assay_expression *e)
{
    struct range ranges[512];
    for (unsigned i = 0; i < loader->out->leaf_count && i < 512; i++) {
        ranges[i] = range_of(loader, &loader->out->leaves[i], kinds);
    }
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

bool assay_satisfiable(const struct assay_loader *loader, uint64_t kinds,
                       const struct assay_expression *expression)
{
    uint16_t leaves[MAX_LEAVES];
    unsigned count = 0;
    if (loader->out->leaf_count > 512) {
        return true;
    }
    if (collect(expression, leaves, &count)) {
        unsigned bits = 0;
        for (unsigned i = 0; i < count; i++) {
            const struct assay_leaf *leaf = &loader->out->leaves[leaves[i]];
            bits += leaf->what == ASSAY_LEAF_KIND ? 6 : width_of(loader, leaf, kinds);
        }
        if (bits <= EXACT_BITS) {
            return try_all(loader, kinds, expression, leaves, count, bits);
        }
    }
    return ranges_meet(loader, kinds, expression);
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
