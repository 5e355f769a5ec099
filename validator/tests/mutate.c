#include "validator/tests/mutate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/parameters.h"

static struct mutation copy(const struct assay_expression *expression)
{
    struct mutation m = {.count = expression->count};
    m.nodes = calloc(expression->count + 1u, sizeof *m.nodes);
    memcpy(m.nodes, expression->nodes, expression->count * sizeof *m.nodes);
    return m;
}

static void give(struct mutation *m, use_mutation *use, void *context)
{
    use(context, m);
    free(m->nodes);
}

static void change_op(const char *part, const struct assay_expression *e, uint16_t at,
                      enum assay_operation op, use_mutation *use, void *context)
{
    struct mutation m = copy(e);
    snprintf(m.text, sizeof m.text, "%s: %s at node %u becomes %s", part,
             assay_operation_name((enum assay_operation)e->nodes[at].op), at,
             assay_operation_name(op));
    m.nodes[at].op = (uint8_t)op;
    give(&m, use, context);
}

static void change_constant(const char *part, const struct assay_expression *e, uint16_t at,
                            uint64_t value, use_mutation *use, void *context)
{
    struct mutation m = copy(e);
    snprintf(m.text, sizeof m.text, "%s: constant 0x%" PRIx64 " at node %u becomes 0x%" PRIx64,
             part, e->nodes[at].value, at, value);
    m.nodes[at].value = value;
    give(&m, use, context);
}

/* What each operation is mistaken for. */
static const struct {
    enum assay_operation from, to;
} mistakes[] = {
    {ASSAY_OP_EQ, ASSAY_OP_NE},          {ASSAY_OP_EQ, ASSAY_OP_GE},
    {ASSAY_OP_EQ, ASSAY_OP_LE},          {ASSAY_OP_NE, ASSAY_OP_EQ},
    {ASSAY_OP_LT, ASSAY_OP_LE},          {ASSAY_OP_LT, ASSAY_OP_GE},
    {ASSAY_OP_LE, ASSAY_OP_LT},          {ASSAY_OP_LE, ASSAY_OP_GT},
    {ASSAY_OP_GT, ASSAY_OP_GE},          {ASSAY_OP_GT, ASSAY_OP_LE},
    {ASSAY_OP_GE, ASSAY_OP_GT},          {ASSAY_OP_GE, ASSAY_OP_LT},
    {ASSAY_OP_AND, ASSAY_OP_OR},         {ASSAY_OP_OR, ASSAY_OP_AND},
    {ASSAY_OP_ADD, ASSAY_OP_SUB},        {ASSAY_OP_SUB, ASSAY_OP_ADD},
    {ASSAY_OP_MUL, ASSAY_OP_ADD},        {ASSAY_OP_SHL, ASSAY_OP_SHR},
    {ASSAY_OP_SHR, ASSAY_OP_SHL},        {ASSAY_OP_BIT_AND, ASSAY_OP_BIT_OR},
    {ASSAY_OP_BIT_OR, ASSAY_OP_BIT_AND},
};

/* Mistakes that change nothing: a flag has two values, so that == and != are all that can be
 * mistaken, and nothing is less than 0. */
static bool changes_nothing(const struct assay_expression *e, const struct assay_node *node,
                            enum assay_operation to)
{
    const struct assay_node *right = &e->nodes[node->b];
    return node->op == ASSAY_OP_EQ && to != ASSAY_OP_NE &&
           (e->nodes[node->a].flag != 0 ||
            (to == ASSAY_OP_LE && right->op == ASSAY_OP_CONSTANT && right->value == 0));
}

/* Values for which another one is mistaken: the other one of a flag, those beside a number. */
static unsigned beside(uint64_t value, bool flag, uint64_t *out)
{
    out[0] = flag ? value ^ 1 : value + 1;
    out[1] = value - 1;
    return flag ? 1 : 2;
}

void mutate_defaults(const struct assay_catalogue *catalogue, struct assay_catalogue *out)
{
    struct assay_leaf *leaves = calloc(3 * catalogue->leaf_count, sizeof *leaves);
    memcpy(leaves, catalogue->leaves, catalogue->leaf_count * sizeof *leaves);
    *out = *catalogue;
    out->leaves = leaves;
    for (size_t i = 0; i < catalogue->leaf_count; i++) {
        const struct assay_leaf *leaf = &catalogue->leaves[i];
        uint64_t others[2];
        const bool flag =
            leaf->has_default &&
            assay_parameter_is_flag(&catalogue->format->parameters->list[leaf->number]);
        for (unsigned k = leaf->has_default ? beside(leaf->otherwise, flag, others) : 0; k-- > 0;) {
            leaves[out->leaf_count] = *leaf;
            leaves[out->leaf_count++].otherwise = others[k];
        }
    }
}

/* The leaves that differ from one in the default alone. */
static void change_default(const struct assay_catalogue *c, const char *part,
                           const struct assay_expression *e, uint16_t at, use_mutation *use,
                           void *context)
{
    const struct assay_leaf *leaf = &c->leaves[e->nodes[at].a];
    for (size_t i = 0; leaf->has_default && i < c->leaf_count; i++) {
        const struct assay_leaf *other = &c->leaves[i];
        if (other->has_default && other->number == leaf->number &&
            other->otherwise != leaf->otherwise) {
            struct mutation m = copy(e);
            snprintf(m.text, sizeof m.text, "%s: default of %s at node %u becomes 0x%" PRIx64, part,
                     leaf->text, at, other->otherwise);
            m.nodes[at].a = (uint16_t)i;
            give(&m, use, context);
        }
    }
}

void mutate_nodes(const struct assay_catalogue *catalogue, const char *part,
                  const struct assay_expression *e, use_mutation *use, void *context)
{
    for (uint16_t i = 0; i < e->count; i++) {
        const struct assay_node *node = &e->nodes[i];
        for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
            if (mistakes[k].from == node->op && !changes_nothing(e, node, mistakes[k].to)) {
                change_op(part, e, i, mistakes[k].to, use, context);
            }
        }
        if (node->op == ASSAY_OP_NOT) {
            struct mutation m = copy(e);
            snprintf(m.text, sizeof m.text, "%s: NOT at node %u is dropped", part, i);
            m.nodes[i].op = ASSAY_OP_OR;
            m.nodes[i].b = m.nodes[i].a;
            give(&m, use, context);
        } else if (node->op == ASSAY_OP_CONSTANT) {
            uint64_t others[2];
            const unsigned count = beside(node->value, node->flag != 0, others);
            for (unsigned k = 0; k < count; k++) {
                change_constant(part, e, i, others[k], use, context);
            }
        } else if (node->op == ASSAY_OP_LEAF && node->flag != 0) {
            struct mutation m = copy(e);
            snprintf(m.text, sizeof m.text, "%s: %s at node %u becomes true", part,
                     catalogue->leaves[node->a].text, i);
            m.nodes[i] = (struct assay_node){.op = ASSAY_OP_CONSTANT, .flag = 1, .value = 1};
            give(&m, use, context);
        }
        if (node->op == ASSAY_OP_LEAF) {
            change_default(catalogue, part, e, i, use, context);
        }
    }
}

void mutate_negate(const char *part, const struct assay_expression *e, use_mutation *use,
                   void *context)
{
    struct mutation m = copy(e);
    snprintf(m.text, sizeof m.text, "%s: negated", part);
    m.nodes[m.count] =
        (struct assay_node){.op = ASSAY_OP_NOT, .flag = 1, .a = (uint16_t)(e->count - 1)};
    m.count++;
    give(&m, use, context);
}

static void change_init(const struct assay_variable *variable, uint64_t value, use_mutation *use,
                        void *context)
{
    struct mutation m = {.init = value};
    snprintf(m.text, sizeof m.text, "init: 0x%" PRIx64 " becomes 0x%" PRIx64, variable->init,
             value);
    use(context, &m);
}

void mutate_init(const struct assay_variable *variable, use_mutation *use, void *context)
{
    uint64_t others[2];
    const unsigned count = beside(variable->init, variable->flag, others);
    for (unsigned k = 0; k < count; k++) {
        change_init(variable, others[k], use, context);
    }
}
