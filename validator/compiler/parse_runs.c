/* What rules ask of the single events of a run: passes(CONDITION), whether one of them meets it,
 * and in messages first(CONDITION).field, a field of the first one that does. A condition reads
 * nothing but static fields of these events: a catalogue lists the conditions of all its rules, and
 * the decoder says of each run which of them are met. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "validator/compiler/parser.h"

enum { NAME = 64, MOST_TEXT = 400 };

const struct assay_kind *assay_kind_of_runs(const struct assay_format *format)
{
    for (size_t k = 0; k < format->kind_count; k++) {
        if (format->kinds[k].met != 0) {
            return &format->kinds[k];
        }
    }
    return NULL;
}

/* The kind of runs that is asked: the only one that the expression is about, or of `prev` one of
 * the layer. Null after an error. */
static const struct assay_kind *run_of(struct assay_parser *p, const char *form, bool prev,
                                       size_t at)
{
    const struct assay_format *format = p->scope->loader->format;
    const struct assay_kinds *kinds = p->scope->kinds;
    const unsigned first = kinds != NULL ? assay_kinds_next(kinds, 0) : ASSAY_MAX_KINDS;
    const struct assay_kind *run = assay_kind_of_runs(format);
    if (run == NULL) {
        assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at,
                         "%s(...) asks of the instructions of runs, and %s has none", form,
                         format->name);
        return NULL;
    }
    if (first < ASSAY_MAX_KINDS && prev && format->kinds[first].layer == run->layer) {
        return run;
    }
    if (!prev && first < ASSAY_MAX_KINDS && &format->kinds[first] == run &&
        assay_kinds_next(kinds, first + 1) == ASSAY_MAX_KINDS) {
        return run;
    }
    assay_parse_fail(p, ASSAY_WRONG_TYPE, at,
                     prev ? "%s(...) asks of the instructions of a run: it is about events of the "
                            "layer of the kind %s"
                          : "%s(...) asks of the instructions of a run: it is about events of the "
                            "kind %s alone",
                     form, run->name);
    return NULL;
}

/* A condition of the file by its name, whose nodes come in place of the name. False when none is
 * called so. */
static bool find_named(struct assay_parser *p, const char *name, size_t at,
                       struct assay_operand *operand)
{
    struct assay_loader *loader = p->scope->loader;
    size_t n = loader->file_names;
    while (n < loader->out->named_count && strcmp(loader->out->named[n].name, name) != 0) {
        n++;
    }
    if (n == loader->out->named_count) {
        return false;
    }
    loader->names[n].used = true;
    if (loader->names[n].broken) {
        assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "the condition %s is wrong itself", name);
        loader->echo = true;
        return true;
    }
    const struct assay_expression *e = &loader->names[n].expression;
    const uint16_t first = p->count;
    for (unsigned i = 0; i < e->count; i++) {
        struct assay_node node = e->nodes[i];
        const unsigned operands = node.op == ASSAY_OP_CALL
                                      ? loader->format->functions[node.value].arity
                                      : assay_operation_operands((enum assay_operation)node.op);
        node.a = (uint16_t)(node.a + (operands > 0 ? first : 0));
        node.b = (uint16_t)(node.b + (operands > 1 ? first : 0));
        node.c = (uint16_t)(node.c + (operands > 2 ? first : 0));
        *operand = assay_parse_node(p, (enum assay_operation)node.op, node.flag != 0, node.a,
                                    node.b, node.c, node.value);
    }
    return true;
}

/* A name in a condition: a static field of the event that it is asked of, or a named condition. */
struct assay_operand assay_parse_asked(struct assay_parser *p, const char *name, size_t at)
{
    struct assay_operand operand = {0};
    const struct assay_field *field = assay_field_by_name(p->asked, name);
    if (field != NULL && (field->flags & ASSAY_STATIC) != 0 &&
        field - p->asked->fields < ASSAY_MAX_STATIC_FIELDS) {
        operand = assay_parse_node(p, ASSAY_OP_LEAF, field->type == ASSAY_FLAG,
                                   (uint16_t)(field - p->asked->fields), 0, 0, 0);
        operand.field = field;
        operand.most = field->width < 64 ? assay_mask(field->width) : 0;
        return operand;
    }
    if (find_named(p, name, at, &operand)) {
        return operand;
    }
    const struct assay_catalogue *out = p->scope->loader->out;
    struct assay_near near = assay_near_begin(name);
    for (size_t n = p->scope->loader->file_names; n < out->named_count; n++) {
        assay_near_try(&near, out->named[n].name);
    }
    for (size_t i = 0; i < p->asked->field_count; i++) {
        if ((p->asked->fields[i].flags & ASSAY_STATIC) != 0) {
            assay_near_try(&near, p->asked->fields[i].name);
        }
    }
    assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at,
                     field != NULL ? "%s of the kind %s can differ each time it is executed: a "
                                     "condition cannot read it"
                                   : "\"%s\" is no field of the kind %s, no function, and no "
                                     "condition that the file names",
                     name, p->asked->name);
    assay_parse_hint(p, near.best);
    return operand;
}

/* Text with spaces and line breaks as one space each. False when it does not fit. */
static bool one_line(const char *text, size_t length, char *out, size_t size)
{
    size_t to = 0;
    bool apart = false;
    for (size_t i = 0; i < length; i++) {
        if (isspace((unsigned char)text[i]) != 0) {
            apart = to > 0;
            continue;
        }
        if (to + 2 >= size) {
            return false;
        }
        if (apart) {
            out[to++] = ' ';
            apart = false;
        }
        out[to++] = text[i];
    }
    out[to] = '\0';
    return true;
}

static enum assay_error add_condition(struct assay_loader *loader, struct assay_condition *added,
                                      const struct assay_parser *q)
{
    struct assay_catalogue *out = loader->out;
    struct assay_condition *list =
        assay_arena_grow(loader->arena, (void *)(uintptr_t)out->conditions, out->condition_count,
                         &loader->condition_capacity, sizeof *list);
    struct assay_node *nodes =
        assay_arena_take(loader->arena, q->count * sizeof(struct assay_node));
    added->text = assay_arena_text(loader->arena, added->text, strlen(added->text));
    if (list == NULL || nodes == NULL || added->text == NULL) {
        return assay_no_memory(loader->diag);
    }
    memcpy(nodes, q->nodes, q->count * sizeof(struct assay_node));
    added->expression = (struct assay_expression){.nodes = nodes, .count = q->count};
    const unsigned cell = loader->format->kinds[added->run].met - 1U;
    const size_t bit = out->first_condition + out->condition_count;
    added->field = (struct assay_field){.name = added->text,
                                        .type = ASSAY_FLAG,
                                        .place = ASSAY_DERIVED,
                                        .bit = (uint16_t)(cell * 64 + bit),
                                        .width = 1,
                                        .doc = "one of its instructions meets the condition"};
    list[out->condition_count++] = *added;
    out->conditions = list;
    return ASSAY_OK;
}

static bool is_same(const struct assay_expression *e, const struct assay_parser *q)
{
    bool same = e->count == q->count;
    for (unsigned i = 0; same && i < e->count; i++) {
        const struct assay_node *x = &e->nodes[i];
        const struct assay_node *y = &q->nodes[i];
        same = x->op == y->op && x->flag == y->flag && x->a == y->a && x->b == y->b &&
               x->c == y->c && x->value == y->value;
    }
    return same;
}

/* Whether the condition that the parser has read, from `begin` on, is one. */
static void check_condition(struct assay_parser *q, const struct assay_operand *operand,
                            size_t begin)
{
    bool reads = false;
    for (unsigned i = 0; i < q->count; i++) {
        reads = reads || q->nodes[i].op == ASSAY_OP_LEAF;
    }
    if (q->error == ASSAY_OK && !operand->flag) {
        assay_parse_fail(q, ASSAY_WRONG_TYPE, begin,
                         "a condition is expected here, and this is a number");
    } else if (q->error == ASSAY_OK && !reads) {
        assay_parse_fail(q, ASSAY_WRONG_TYPE, begin,
                         "the condition reads nothing of an instruction: it is always the same");
    } else if (q->error == ASSAY_OK && q->count == ASSAY_MAX_NODES) {
        assay_parse_fail(q, ASSAY_LIMIT, begin, "the condition has more than %d parts",
                         ASSAY_MAX_NODES - 1);
    }
}

/* Whether it can hold and fail: what never does is a mistake, as it is in a rule. */
static void check_sense(struct assay_parser *q, size_t begin)
{
    struct assay_loader *loader = q->scope->loader;
    struct assay_expression e = {.nodes = q->nodes, .count = q->count};
    if (q->error != ASSAY_OK) {
        return;
    }
    const bool can_hold = assay_condition_satisfiable(loader, q->asked, &e);
    /* The node is not counted: the condition is as it was. */
    q->nodes[q->count] =
        (struct assay_node){.op = ASSAY_OP_NOT, .flag = 1, .a = (uint16_t)(q->count - 1)};
    e.count++;
    if (!can_hold) {
        assay_parse_fail(q, ASSAY_VACUOUS, begin, "no instruction can meet the condition");
        assay_diag_hint(loader->diag, "it is about one instruction; of two that may differ: "
                                      "passes(...) and passes(...)");
    } else if (!assay_condition_satisfiable(loader, q->asked, &e)) {
        assay_parse_fail(q, ASSAY_VACUOUS, begin, "every instruction meets the condition");
    }
}

/* The number of a condition in the catalogue, added when it is new. However it is written, it is
 * one question. */
static uint16_t intern(struct assay_parser *p, const struct assay_kind *run, const char *text,
                       struct assay_parser *q, size_t at)
{
    struct assay_loader *loader = p->scope->loader;
    struct assay_catalogue *out = loader->out;
    struct assay_condition added = {.text = text, .run = (uint16_t)(run - loader->format->kinds)};
    for (size_t i = 0; i < out->condition_count; i++) {
        if (out->conditions[i].run == added.run && is_same(&out->conditions[i].expression, q)) {
            return (uint16_t)i;
        }
    }
    if (out->first_condition + out->condition_count == ASSAY_MAX_CONDITIONS) {
        assay_parse_fail(p, ASSAY_LIMIT, at,
                         "the rules of a format ask at most %d different conditions of "
                         "instructions: the built-in ones ask %zu, those up to here %zu",
                         ASSAY_MAX_CONDITIONS, out->first_condition, out->condition_count);
        return 0;
    }
    check_sense(q, at);
    p->error = q->error != ASSAY_OK ? q->error : add_condition(loader, &added, q);
    return (uint16_t)(out->condition_count - 1);
}

static struct assay_parser parser_of_condition(const struct assay_scope *scope,
                                               const struct assay_kind *run, const char *text,
                                               size_t length)
{
    return (struct assay_parser){.scope = scope,
                                 .text = text,
                                 .length = length,
                                 .asked = &scope->loader->format->kinds[run->run_of]};
}

/* Writes how a condition is called where people see it: as it is written, in one line; where that
 * is only a name, what that stands for. */
static bool text_of(const struct assay_parser *p, size_t begin, size_t end, char *text, size_t size)
{
    const struct assay_loader *loader = p->scope->loader;
    const struct assay_catalogue *out = loader->out;
    if (!one_line(p->text + begin, end - begin, text, size)) {
        return false;
    }
    for (size_t n = loader->file_names; n < out->named_count; n++) {
        if (strcmp(out->named[n].name, text) == 0) {
            return one_line(out->named[n].text, strlen(out->named[n].text), text, size);
        }
    }
    return true;
}

/* (CONDITION): its number. Only valid without an error. `written` gets it as it is written, in one
 * line. */
static uint16_t parse_condition(struct assay_parser *p, const struct assay_kind *run, char *written,
                                size_t size)
{
    struct assay_parser q = parser_of_condition(p->scope, run, p->text, p->length);
    char text[MOST_TEXT];
    if (!assay_parse_expect(p, "(")) {
        return 0;
    }
    const size_t begin = p->token.at;
    q.token = p->token;
    q.depth = p->depth;
    const struct assay_operand operand = assay_parse_operand(&q);
    check_condition(&q, &operand, begin);
    p->token = q.token;
    p->error = q.error;
    const size_t end = p->token.at;
    if (!assay_parse_expect(p, ")")) {
        return 0;
    }
    if (!one_line(p->text + begin, end - begin, written, size) ||
        !text_of(p, begin, end, text, sizeof text)) {
        assay_parse_fail(p, ASSAY_LIMIT, begin, "the condition is longer than %zu characters",
                         size - 1);
        return 0;
    }
    return intern(p, run, text, &q, begin);
}

enum assay_error assay_parse_condition(const struct assay_scope *scope,
                                       const struct assay_kind *run, const char *text,
                                       size_t length, struct assay_expression *expression)
{
    struct assay_parser p = parser_of_condition(scope, run, text, length);
    char one[MOST_TEXT];
    assay_parse_begin(&p);
    const struct assay_operand operand = assay_parse_operand(&p);
    assay_parse_end(&p);
    check_condition(&p, &operand, operand.at);
    check_sense(&p, operand.at);
    if (p.error == ASSAY_OK && !one_line(text, length, one, sizeof one)) {
        assay_parse_fail(&p, ASSAY_LIMIT, 0, "the condition is longer than %zu characters",
                         sizeof one - 1);
    }
    return p.error == ASSAY_OK ? assay_parse_keep(&p, expression) : p.error;
}

struct assay_operand assay_parse_passes(struct assay_parser *p, bool prev, size_t at)
{
    const struct assay_operand failed = {0};
    const char *form = prev ? "prev.passes" : "passes";
    const struct assay_kind *run = run_of(p, form, prev, at);
    char condition[MOST_TEXT];
    char text[MOST_TEXT + 16];
    const uint16_t number = run != NULL ? parse_condition(p, run, condition, sizeof condition) : 0;
    if (p->error != ASSAY_OK) {
        return failed;
    }
    snprintf(text, sizeof text, "%s(%s)", form, condition);
    return assay_parse_leaf(p,
                            (struct assay_leaf){.what = prev ? ASSAY_LEAF_PREV : ASSAY_LEAF_FIELD,
                                                .number = (uint16_t)(number + 1),
                                                .text = text},
                            NULL, true);
}

struct assay_operand assay_parse_first(struct assay_parser *p, size_t at)
{
    const struct assay_operand failed = {0};
    char condition[MOST_TEXT];
    char text[MOST_TEXT + NAME + 16];
    char name[NAME];
    if (!p->scope->message) {
        assay_parse_fail(p, ASSAY_WRONG_TYPE, at,
                         "first(...) reads the instructions of one run again: only \"say\" can");
        return failed;
    }
    const struct assay_kind *run = run_of(p, "first", false, at);
    const uint16_t number = run != NULL ? parse_condition(p, run, condition, sizeof condition) : 0;
    if (p->error != ASSAY_OK || !assay_parse_expect(p, ".")) {
        return failed;
    }
    const size_t field_at = p->token.at;
    if (!assay_parse_name(p, name, sizeof name)) {
        return failed;
    }
    const struct assay_kind *single = &p->scope->loader->format->kinds[run->run_of];
    const struct assay_field *field = assay_field_by_name(single, name);
    if (field == NULL) {
        assay_parse_fail(p, ASSAY_UNKNOWN_NAME, field_at, "the kind %s has no field \"%s\"",
                         single->name, name);
        return failed;
    }
    snprintf(text, sizeof text, "first(%s).%s", condition, name);
    return assay_parse_leaf(
        p,
        (struct assay_leaf){
            .what = ASSAY_LEAF_FIRST, .number = number, .name = field->name, .text = text},
        field, field->type == ASSAY_FLAG);
}
