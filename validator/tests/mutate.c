#include "validator/tests/mutate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        } else if (node->op == ASSAY_OP_CONSTANT && node->flag != 0) {
            change_constant(part, e, i, node->value ^ 1, use, context);
        } else if (node->op == ASSAY_OP_CONSTANT) {
            change_constant(part, e, i, node->value + 1, use, context);
            change_constant(part, e, i, node->value - 1, use, context);
        } else if (node->op == ASSAY_OP_LEAF && node->flag != 0) {
            struct mutation m = copy(e);
            snprintf(m.text, sizeof m.text, "%s: %s at node %u becomes true", part,
                     catalogue->leaves[node->a].text, i);
            m.nodes[i] = (struct assay_node){.op = ASSAY_OP_CONSTANT, .flag = 1, .value = 1};
            give(&m, use, context);
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
    if (variable->flag) {
        change_init(variable, variable->init ^ 1, use, context);
    } else {
        change_init(variable, variable->init + 1, use, context);
        change_init(variable, variable->init - 1, use, context);
    }
}
