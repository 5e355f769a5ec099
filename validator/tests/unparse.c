#include "validator/tests/unparse.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/describe.h"

struct unparser {
    const struct assay_catalogue *catalogue;
    const struct assay_kind *asked;
    const struct assay_node *nodes;
    char *out;
    size_t size;
};

enum { CHOICE, OR, AND, NOT, COMPARISON, NUMBER, UNARY, PRIMARY };

/* How an operation is written, and how tightly it binds. */
static const struct {
    const char *sign;
    int binding;
} signs[ASSAY_OPERATION_COUNT] = {
    [ASSAY_OP_CONSTANT] = {"", PRIMARY}, [ASSAY_OP_LEAF] = {"", PRIMARY},
    [ASSAY_OP_CALL] = {"", PRIMARY},     [ASSAY_OP_NOT] = {"not ", NOT},
    [ASSAY_OP_AND] = {"and", AND},       [ASSAY_OP_OR] = {"or", OR},
    [ASSAY_OP_EQ] = {"==", COMPARISON},  [ASSAY_OP_NE] = {"!=", COMPARISON},
    [ASSAY_OP_LT] = {"<", COMPARISON},   [ASSAY_OP_LE] = {"<=", COMPARISON},
    [ASSAY_OP_GT] = {">", COMPARISON},   [ASSAY_OP_GE] = {">=", COMPARISON},
    [ASSAY_OP_ADD] = {"+", NUMBER},      [ASSAY_OP_SUB] = {"-", NUMBER},
    [ASSAY_OP_MUL] = {"*", NUMBER},      [ASSAY_OP_DIV] = {"/", NUMBER},
    [ASSAY_OP_MOD] = {"%", NUMBER},      [ASSAY_OP_BIT_AND] = {"&", NUMBER},
    [ASSAY_OP_BIT_OR] = {"|", NUMBER},   [ASSAY_OP_BIT_XOR] = {"^", NUMBER},
    [ASSAY_OP_BIT_NOT] = {"~", UNARY},   [ASSAY_OP_SHL] = {"<<", NUMBER},
    [ASSAY_OP_SHR] = {">>", NUMBER},     [ASSAY_OP_SLICE] = {"", PRIMARY},
    [ASSAY_OP_SELECT] = {"if ", CHOICE},
};

#define PUT(u, ...) assay_append((u)->out, (u)->size, __VA_ARGS__)

/* The names that the values of a node have; null where it has none. */
static const struct assay_enumeration *names_of(const struct unparser *u,
                                                const struct assay_node *node)
{
    if (node->op != ASSAY_OP_LEAF) {
        return NULL;
    }
    const struct assay_field *field =
        u->asked != NULL
            ? &u->asked->fields[node->a]
            : assay_shown_field(u->catalogue->format, u->catalogue->leaves[node->a].shown);
    return field != NULL ? field->names : NULL;
}

/* A number that is compared with `other`, or null. */
static void put_constant(const struct unparser *u, const struct assay_node *node,
                         const struct assay_node *other)
{
    const struct assay_format *format = u->catalogue->format;
    const struct assay_leaf *leaf = other != NULL && other->op == ASSAY_OP_LEAF && u->asked == NULL
                                        ? &u->catalogue->leaves[other->a]
                                        : NULL;
    const struct assay_enumeration *names = other != NULL ? names_of(u, other) : NULL;
    const char *name = names != NULL ? assay_enum_name(names, node->value) : NULL;
    if (node->flag != 0) {
        name = node->value != 0 ? "true" : "false";
    } else if (leaf != NULL && assay_leaf_is_kind(leaf) && node->value < format->kind_count) {
        name = format->kinds[node->value].name;
    } else if (leaf != NULL && leaf->what == ASSAY_LEAF_FAULT && node->value > 0 &&
               node->value <= format->fault_count) {
        name = format->faults[node->value - 1].name;
    }
    if (name != NULL) {
        PUT(u, "%s", name);
    } else if (node->value < 256) {
        PUT(u, "%" PRIu64, node->value);
    } else {
        PUT(u, "0x%" PRIx64, node->value);
    }
}

static void put_node(const struct unparser *u, uint16_t number, int binding);

static void put_call(const struct unparser *u, const struct assay_node *node)
{
    const struct assay_function *function = &u->catalogue->format->functions[node->value];
    const uint16_t arguments[] = {node->a, node->b, node->c};
    PUT(u, "%s(", function->name);
    for (unsigned i = 0; i < function->arity; i++) {
        PUT(u, "%s", i > 0 ? ", " : "");
        put_node(u, arguments[i], CHOICE);
    }
    PUT(u, ")");
}

static void put_binary(const struct unparser *u, const struct assay_node *node, int binding)
{
    const struct assay_node *right = &u->nodes[node->b];
    /* The same on the left needs no parentheses, unless comparisons, which are not chained. */
    const bool same = binding != COMPARISON && u->nodes[node->a].op == node->op;
    put_node(u, node->a, same ? binding : binding + 1);
    PUT(u, " %s ", signs[node->op].sign);
    if (binding == COMPARISON && right->op == ASSAY_OP_CONSTANT) {
        put_constant(u, right, &u->nodes[node->a]);
    } else {
        put_node(u, node->b, binding + 1);
    }
}

static void put_operation(const struct unparser *u, const struct assay_node *node, int binding)
{
    switch ((enum assay_operation)node->op) {
    case ASSAY_OP_CONSTANT:
        put_constant(u, node, NULL);
        break;
    case ASSAY_OP_LEAF:
        PUT(u, "%s",
            u->asked != NULL ? u->asked->fields[node->a].name : u->catalogue->leaves[node->a].text);
        break;
    case ASSAY_OP_CALL:
        put_call(u, node);
        break;
    case ASSAY_OP_NOT:
    case ASSAY_OP_BIT_NOT:
        PUT(u, "%s", signs[node->op].sign);
        put_node(u, node->a, binding);
        break;
    case ASSAY_OP_SLICE:
        put_node(u, node->a, PRIMARY);
        if (node->c > 1) {
            PUT(u, "[%u:%u]", node->b + node->c - 1U, node->b);
        } else {
            PUT(u, "[%u]", node->b);
        }
        break;
    case ASSAY_OP_SELECT:
        PUT(u, "if ");
        put_node(u, node->a, OR);
        PUT(u, " then ");
        put_node(u, node->b, OR);
        PUT(u, " else ");
        put_node(u, node->c, CHOICE);
        break;
    default:
        put_binary(u, node, binding);
    }
}

/* In parentheses where it binds less than what it is in. */
static void put_node(const struct unparser *u, uint16_t number, int binding)
{
    const struct assay_node *node = &u->nodes[number];
    const int own = signs[node->op].binding;
    PUT(u, "%s", own < binding ? "(" : "");
    put_operation(u, node, own);
    PUT(u, "%s", own < binding ? ")" : "");
}

void unparse(const struct assay_catalogue *catalogue, const struct assay_kind *asked,
             const struct assay_expression *expression, char *out, size_t size)
{
    const struct unparser u = {.catalogue = catalogue,
                               .asked = asked,
                               .nodes = expression->nodes,
                               .out = out,
                               .size = size};
    out[0] = '\0';
    if (expression->count > 0) {
        put_node(&u, (uint16_t)(expression->count - 1), CHOICE);
    }
}
