#include "validator/engine/expression.h"

static const struct {
    const char *name;
    unsigned operands;
} operations[] = {
#define X(id, operands, text) {#id, operands},
    ASSAY_OPERATIONS(X)
#undef X
};

const char *assay_operation_name(enum assay_operation op)
{
    return operations[op].name;
}

unsigned assay_operation_operands(enum assay_operation op)
{
    return operations[op].operands;
}

static uint64_t apply(const struct assay_node *node, uint64_t a, uint64_t b, uint64_t c)
{
    switch ((enum assay_operation)node->op) {
    case ASSAY_OP_NOT:
        return a ^ 1;
    case ASSAY_OP_AND:
    case ASSAY_OP_BIT_AND:
        return a & b;
    case ASSAY_OP_OR:
    case ASSAY_OP_BIT_OR:
        return a | b;
    case ASSAY_OP_EQ:
        return a == b;
    case ASSAY_OP_NE:
        return a != b;
    case ASSAY_OP_LT:
        return a < b;
    case ASSAY_OP_LE:
        return a <= b;
    case ASSAY_OP_GT:
        return a > b;
    case ASSAY_OP_GE:
        return a >= b;
    case ASSAY_OP_ADD:
        return a + b;
    case ASSAY_OP_SUB:
        return a - b;
    case ASSAY_OP_MUL:
        return a * b;
    case ASSAY_OP_DIV:
        return b != 0 ? a / b : 0;
    case ASSAY_OP_MOD:
        return b != 0 ? a % b : 0;
    case ASSAY_OP_BIT_XOR:
        return a ^ b;
    case ASSAY_OP_BIT_NOT:
        return ~a;
    case ASSAY_OP_SHL:
        return assay_shl(a, b);
    case ASSAY_OP_SHR:
        return assay_shr(a, b);
    case ASSAY_OP_SLICE:
        return (a >> node->b) & assay_mask(node->c);
    case ASSAY_OP_SELECT:
        return assay_select(a, b, c);
    default:
        return 0;
    }
}

uint64_t assay_evaluate(const struct assay_expression *expression, const uint64_t *leaves,
                        const struct assay_function *functions)
{
    uint64_t values[ASSAY_MAX_NODES];
    for (unsigned i = 0; i < expression->count; i++) {
        const struct assay_node *node = &expression->nodes[i];
        const unsigned operands = operations[node->op].operands;
        if (node->op == ASSAY_OP_CONSTANT) {
            values[i] = node->value;
        } else if (node->op == ASSAY_OP_LEAF) {
            values[i] = leaves[node->a];
        } else if (node->op == ASSAY_OP_CALL) {
            const struct assay_function *function = &functions[node->value];
            values[i] = function->call(values[node->a], function->arity > 1 ? values[node->b] : 0,
                                       function->arity > 2 ? values[node->c] : 0);
        } else {
            values[i] = apply(node, values[node->a], operands > 1 ? values[node->b] : 0,
                              operands > 2 ? values[node->c] : 0);
        }
    }
    return values[expression->count - 1];
}
