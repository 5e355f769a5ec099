/* The parser and type checker of the rule language: precedence climbing straight to typed nodes.
 * The nesting of expressions is limited, so that its recursion is. */
#include "validator/compiler/parser.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MAX_DEPTH = 40 };

enum assay_error assay_parse_fail(struct assay_parser *p, enum assay_error error, size_t at,
                                  const char *format, ...)
{
    char message[sizeof p->scope->loader->diag->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    /* A scalar on one line gives the column; of a block only the line is known. */
    const struct assay_yaml *place = p->scope->place;
    const size_t column = place->column + (place->quoted ? 1 : 0) + p->scope->first + at;
    const bool one_line = memchr(place->text, '\n', place->length) == NULL;
    p->error = assay_fail_at(p->scope->loader->diag, error, place->line,
                             one_line ? (uint32_t)column : place->column, "%s", message);
    assay_diag_path(p->scope->loader->diag, p->scope->loader->path);
    return p->error;
}

static void advance(struct assay_parser *p)
{
    p->token = assay_lex(p->text, p->length, p->token.at + p->token.length);
    if (p->token.kind == ASSAY_TOKEN_BAD && p->error == ASSAY_OK) {
        assay_parse_fail(p, ASSAY_SYNTAX, p->token.at, "\"%.*s\" is nothing that a rule can hold",
                         (int)p->token.length, p->text + p->token.at);
        const char *meant = assay_lex_meant(p->text + p->token.at, p->token.length);
        const char byte = p->text[p->token.at];
        if (meant != NULL) {
            assay_diag_hint(p->scope->loader->diag, "write \"%s\"", meant);
        } else if (byte == '"' || byte == '\'') {
            assay_diag_hint(p->scope->loader->diag, "names of values are written without quotes");
        }
    }
}

bool assay_parse_is_sign(const struct assay_parser *p, const char *sign)
{
    return p->token.kind == ASSAY_TOKEN_SIGN && strcmp(p->token.sign, sign) == 0;
}

bool assay_parse_is_keyword(const struct assay_parser *p, const char *keyword)
{
    return p->token.kind == ASSAY_TOKEN_NAME && strlen(keyword) == p->token.length &&
           memcmp(p->text + p->token.at, keyword, p->token.length) == 0;
}

bool assay_parse_accept(struct assay_parser *p, const char *sign)
{
    if (!assay_parse_is_sign(p, sign)) {
        return false;
    }
    advance(p);
    return true;
}

bool assay_parse_expect(struct assay_parser *p, const char *sign)
{
    if (p->error == ASSAY_OK && !assay_parse_accept(p, sign)) {
        assay_parse_fail(p, ASSAY_SYNTAX, p->token.at, "\"%s\" is expected here", sign);
    }
    return p->error == ASSAY_OK;
}

bool assay_parse_name(struct assay_parser *p, char *name, size_t size)
{
    if (p->error != ASSAY_OK) {
        return false;
    }
    if (p->token.kind != ASSAY_TOKEN_NAME || p->token.length >= size) {
        assay_parse_fail(p, ASSAY_SYNTAX, p->token.at, "a name is expected here");
        return false;
    }
    memcpy(name, p->text + p->token.at, p->token.length);
    name[p->token.length] = '\0';
    advance(p);
    return p->error == ASSAY_OK;
}

struct assay_operand assay_parse_node(struct assay_parser *p, enum assay_operation op, bool flag,
                                      uint16_t a, uint16_t b, uint16_t c, uint64_t value)
{
    struct assay_operand result = {.flag = flag, .at = p->token.at};
    if (p->error != ASSAY_OK) {
        return result;
    }
    if (p->count == ASSAY_MAX_NODES) {
        assay_parse_fail(p, ASSAY_LIMIT, p->token.at, "the expression has more than %d parts",
                         ASSAY_MAX_NODES);
        return result;
    }
    p->nodes[p->count] = (struct assay_node){
        .op = (uint8_t)op, .flag = flag, .a = a, .b = b, .c = c, .value = value};
    result.node = p->count++;
    return result;
}

struct assay_operand assay_parse_constant(struct assay_parser *p, uint64_t value, bool flag)
{
    struct assay_operand operand = assay_parse_node(p, ASSAY_OP_CONSTANT, flag, 0, 0, 0, value);
    operand.constant = true;
    operand.value = value;
    return operand;
}

static struct assay_operand want_flag(struct assay_parser *p, struct assay_operand operand)
{
    if (p->error == ASSAY_OK && !operand.flag) {
        assay_parse_fail(p, ASSAY_WRONG_TYPE, operand.at,
                         "a condition is expected here, and this is a number");
        assay_diag_hint(p->scope->loader->diag, "compare it: \"... != 0\"");
    }
    return operand;
}

static void want_number(struct assay_parser *p, struct assay_operand operand)
{
    if (p->error == ASSAY_OK && operand.wide) {
        assay_parse_fail(p, ASSAY_WRONG_TYPE, operand.at,
                         "a field wider than 64 bits can only be compared with 0");
    }
}

/* One step deeper; the caller takes it back. */
static bool deeper(struct assay_parser *p)
{
    if (++p->depth > MAX_DEPTH && p->error == ASSAY_OK) {
        assay_parse_fail(p, ASSAY_LIMIT, p->token.at, "the expression is nested too deep");
    }
    return p->error == ASSAY_OK;
}

static struct assay_operand parse_unary(struct assay_parser *p)
{
    const bool negate = assay_parse_is_sign(p, "-");
    if (negate || assay_parse_is_sign(p, "~")) {
        struct assay_operand a = {.at = p->token.at};
        advance(p);
        if (deeper(p)) {
            /* Operands precede what uses them, and every node is used. */
            const struct assay_operand zero = negate ? assay_parse_constant(p, 0, false) : a;
            a = parse_unary(p);
            want_number(p, a);
            a = negate ? assay_parse_node(p, ASSAY_OP_SUB, false, zero.node, a.node, 0, 0)
                       : assay_parse_node(p, ASSAY_OP_BIT_NOT, false, a.node, 0, 0, 0);
        }
        p->depth--;
        return a;
    }
    struct assay_operand operand = assay_parse_primary(p);
    while (p->error == ASSAY_OK && assay_parse_is_sign(p, "[")) {
        operand = assay_parse_slice(p, operand);
    }
    return operand;
}

/* Operators between numbers, by how tightly they bind. */
static const struct {
    const char *sign;
    enum assay_operation op;
    int binding;
} number_operators[] = {
    {"|", ASSAY_OP_BIT_OR, 1}, {"^", ASSAY_OP_BIT_XOR, 2}, {"&", ASSAY_OP_BIT_AND, 3},
    {"<<", ASSAY_OP_SHL, 4},   {">>", ASSAY_OP_SHR, 4},    {"+", ASSAY_OP_ADD, 5},
    {"-", ASSAY_OP_SUB, 5},    {"*", ASSAY_OP_MUL, 6},     {"/", ASSAY_OP_DIV, 6},
    {"%", ASSAY_OP_MOD, 6},
};

static struct assay_operand combine(struct assay_parser *p, enum assay_operation op,
                                    struct assay_operand a, struct assay_operand b)
{
    want_number(p, a);
    want_number(p, b);
    if (p->error == ASSAY_OK && (op == ASSAY_OP_DIV || op == ASSAY_OP_MOD) &&
        (!b.constant || b.value == 0)) {
        assay_parse_fail(p, ASSAY_WRONG_TYPE, b.at,
                         "a division needs a constant that is not 0 on its right");
    }
    struct assay_operand result = assay_parse_node(p, op, false, a.node, b.node, 0, 0);
    result.at = a.at;
    return result;
}

static struct assay_operand parse_number(struct assay_parser *p, int binding)
{
    struct assay_operand a = parse_unary(p);
    for (bool more = true; more && p->error == ASSAY_OK;) {
        more = false;
        for (size_t i = 0; i < sizeof number_operators / sizeof number_operators[0]; i++) {
            const int tight = number_operators[i].binding;
            if (tight >= binding && assay_parse_is_sign(p, number_operators[i].sign)) {
                advance(p);
                a = combine(p, number_operators[i].op, a, parse_number(p, tight + 1));
                more = true;
                break;
            }
        }
    }
    return a;
}

static struct assay_operand compare(struct assay_parser *p, enum assay_operation op,
                                    struct assay_operand a, struct assay_operand b)
{
    const bool equality = op == ASSAY_OP_EQ || op == ASSAY_OP_NE;
    if (p->error != ASSAY_OK) {
        return a;
    }
    if ((a.wide || b.wide) && !(equality && b.constant && b.value == 0)) {
        assay_parse_fail(p, ASSAY_WRONG_TYPE, a.at,
                         "a field wider than 64 bits can only be compared with 0");
    } else if (a.flag != b.flag || (a.flag && !equality)) {
        assay_parse_fail(p, ASSAY_WRONG_TYPE, b.at, "a flag is compared with a number");
        assay_diag_hint(p->scope->loader->diag, "write \"name\" or \"not name\"");
    } else if (b.constant && a.most != 0 && b.value > a.most) {
        assay_parse_fail(p, ASSAY_OUT_OF_RANGE, b.at,
                         "the left side is at most %llu, so this is always the same",
                         (unsigned long long)a.most);
    }
    struct assay_operand result = assay_parse_node(p, op, true, a.node, b.node, 0, 0);
    result.at = a.at;
    return result;
}

/* x in {1, 4..7, name}: one comparison or pair of comparisons for each member, or'ed. */
static struct assay_operand parse_in(struct assay_parser *p, struct assay_operand a)
{
    struct assay_operand result = {.at = a.at};
    bool first = true;
    assay_parse_expect(p, "{");
    do {
        const struct assay_operand low = assay_parse_member(p, &a);
        struct assay_operand hit;
        if (assay_parse_accept(p, "..")) {
            const struct assay_operand high = assay_parse_member(p, &a);
            const struct assay_operand from = compare(p, ASSAY_OP_GE, a, low);
            const struct assay_operand to = compare(p, ASSAY_OP_LE, a, high);
            hit = assay_parse_node(p, ASSAY_OP_AND, true, from.node, to.node, 0, 0);
        } else {
            hit = compare(p, ASSAY_OP_EQ, a, low);
        }
        result = first ? hit : assay_parse_node(p, ASSAY_OP_OR, true, result.node, hit.node, 0, 0);
        first = false;
    } while (p->error == ASSAY_OK && assay_parse_accept(p, ","));
    assay_parse_expect(p, "}");
    result.at = a.at;
    result.flag = true;
    return result;
}

static struct assay_operand parse_comparison(struct assay_parser *p)
{
    static const struct {
        const char *sign;
        enum assay_operation op;
    } comparisons[] = {
        {"==", ASSAY_OP_EQ}, {"!=", ASSAY_OP_NE}, {"<", ASSAY_OP_LT},
        {"<=", ASSAY_OP_LE}, {">", ASSAY_OP_GT},  {">=", ASSAY_OP_GE},
    };
    struct assay_operand a = parse_number(p, 1);
    if (p->error == ASSAY_OK && assay_parse_is_keyword(p, "in")) {
        advance(p);
        return parse_in(p, a);
    }
    for (size_t i = 0; p->error == ASSAY_OK && i < sizeof comparisons / sizeof comparisons[0];
         i++) {
        if (assay_parse_is_sign(p, comparisons[i].sign)) {
            advance(p);
            struct assay_operand b;
            if (!assay_parse_value_name(p, &a, &b)) {
                b = parse_number(p, 1);
            }
            return compare(p, comparisons[i].op, a, b);
        }
    }
    return a;
}

static struct assay_operand parse_not(struct assay_parser *p)
{
    if (p->error == ASSAY_OK && assay_parse_is_keyword(p, "not")) {
        const size_t at = p->token.at;
        advance(p);
        const struct assay_operand a =
            deeper(p) ? want_flag(p, parse_not(p)) : (struct assay_operand){0};
        p->depth--;
        struct assay_operand result = assay_parse_node(p, ASSAY_OP_NOT, true, a.node, 0, 0, 0);
        result.at = at;
        return result;
    }
    return parse_comparison(p);
}

static struct assay_operand parse_junction(struct assay_parser *p, bool any)
{
    struct assay_operand a = any ? parse_junction(p, false) : parse_not(p);
    while (p->error == ASSAY_OK && assay_parse_is_keyword(p, any ? "or" : "and")) {
        advance(p);
        want_flag(p, a);
        const struct assay_operand b = want_flag(p, any ? parse_junction(p, false) : parse_not(p));
        const size_t at = a.at;
        a = assay_parse_node(p, any ? ASSAY_OP_OR : ASSAY_OP_AND, true, a.node, b.node, 0, 0);
        a.at = at;
    }
    return a;
}

/* if CONDITION then A else B */
static struct assay_operand parse_choice(struct assay_parser *p)
{
    const size_t at = p->token.at;
    advance(p);
    const struct assay_operand condition = want_flag(p, assay_parse_operand(p));
    struct assay_operand branch[2] = {{0}, {0}};
    static const char *const keywords[] = {"then", "else"};
    for (unsigned i = 0; i < 2 && p->error == ASSAY_OK; i++) {
        if (!assay_parse_is_keyword(p, keywords[i])) {
            assay_parse_fail(p, ASSAY_SYNTAX, p->token.at, "\"%s\" is expected here", keywords[i]);
            return branch[0];
        }
        advance(p);
        branch[i] = assay_parse_operand(p);
        want_number(p, branch[i]);
    }
    if (p->error == ASSAY_OK && branch[0].flag != branch[1].flag) {
        assay_parse_fail(p, ASSAY_WRONG_TYPE, branch[1].at,
                         "one of the two values is a flag, the other a number");
    }
    struct assay_operand result = assay_parse_node(
        p, ASSAY_OP_SELECT, branch[0].flag, condition.node, branch[0].node, branch[1].node, 0);
    result.at = at;
    return result;
}

struct assay_operand assay_parse_operand(struct assay_parser *p)
{
    struct assay_operand operand = {.at = p->token.at};
    if (deeper(p)) {
        operand = assay_parse_is_keyword(p, "if") ? parse_choice(p) : parse_junction(p, true);
    }
    p->depth--;
    return operand;
}

/* AND, Or and their like. */
static void hint_keyword(struct assay_parser *p)
{
    static const char *const keywords[] = {"and", "or", "in", "then", "else"};
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (strlen(keywords[i]) == p->token.length &&
            strncasecmp(keywords[i], p->text + p->token.at, p->token.length) == 0) {
            assay_diag_hint(p->scope->loader->diag, "write \"%s\"", keywords[i]);
        }
    }
}

void assay_parse_begin(struct assay_parser *p)
{
    advance(p);
}

void assay_parse_end(struct assay_parser *p)
{
    if (p->error == ASSAY_OK && p->token.kind != ASSAY_TOKEN_END) {
        assay_parse_fail(p, ASSAY_SYNTAX, p->token.at, "the expression should end before \"%.*s\"",
                         (int)p->token.length, p->text + p->token.at);
        hint_keyword(p);
    }
}

enum assay_error assay_parse_keep(struct assay_parser *p, struct assay_expression *expression)
{
    struct assay_loader *loader = p->scope->loader;
    struct assay_node *nodes =
        assay_arena_take(loader->arena, p->count * sizeof(struct assay_node));
    if (nodes == NULL) {
        return assay_no_memory(loader->diag);
    }
    memcpy(nodes, p->nodes, p->count * sizeof(struct assay_node));
    *expression = (struct assay_expression){.nodes = nodes, .count = p->count};
    return ASSAY_OK;
}

enum assay_error assay_parse(const struct assay_scope *scope, const char *text, size_t length,
                             struct assay_expression *expression, struct assay_meaning *meaning)
{
    struct assay_parser p = {.scope = scope, .text = text, .length = length};
    assay_parse_begin(&p);
    const struct assay_operand result = assay_parse_operand(&p);
    assay_parse_end(&p);
    *meaning = (struct assay_meaning){
        .flag = result.flag, .kind = result.kind, .fault = result.fault, .field = result.field};
    return p.error == ASSAY_OK ? assay_parse_keep(&p, expression) : p.error;
}
