/* What rules ask of the single events of a run: passes(CONDITION), whether one of them meets it,
 * and in messages first(CONDITION).field, a field of the first one that does. A condition reads
 * nothing but static fields of these events: a catalogue lists the conditions of all its rules, and
 * the decoder says of each run which of them are met. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "validator/compiler/parser.h"

enum { NAME = 64, MOST_TEXT = 400 };

/* A kind of runs; null where there is none. */
static const struct assay_kind *kind_of_runs(const struct assay_format *format)
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
    const struct assay_kind *run = kind_of_runs(format);
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

/* A name in a condition: a static field of the event that it is asked of, or a function. */
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
    struct assay_near near = assay_near_begin(name);
    for (size_t i = 0; i < p->asked->field_count; i++) {
        if ((p->asked->fields[i].flags & ASSAY_STATIC) != 0) {
            assay_near_try(&near, p->asked->fields[i].name);
        }
    }
    assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at,
                     field != NULL ? "%s of the kind %s can differ each time it is executed: a "
                                     "condition cannot read it"
                                   : "\"%s\" is no field of the kind %s, and no function",
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

/* The number of a condition in the catalogue, added when it is new. */
static uint16_t intern(struct assay_parser *p, const struct assay_kind *run, const char *text,
                       const struct assay_parser *q, size_t at)
{
    struct assay_loader *loader = p->scope->loader;
    struct assay_catalogue *out = loader->out;
    struct assay_condition added = {.text = text, .run = (uint16_t)(run - loader->format->kinds)};
    for (size_t i = 0; i < out->condition_count; i++) {
        if (out->conditions[i].run == added.run && strcmp(out->conditions[i].text, text) == 0) {
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
    p->error = add_condition(loader, &added, q);
    return (uint16_t)(out->condition_count - 1);
}

/* (CONDITION): its number. Only valid without an error. `text` gets it as it is written, in one
 * line. */
static uint16_t parse_condition(struct assay_parser *p, const struct assay_kind *run, char *text,
                                size_t size)
{
    struct assay_parser q = {.scope = p->scope, .text = p->text, .length = p->length};
    if (!assay_parse_expect(p, "(")) {
        return 0;
    }
    const size_t begin = p->token.at;
    q.token = p->token;
    q.depth = p->depth;
    q.asked = &p->scope->loader->format->kinds[run->run_of];
    const struct assay_operand operand = assay_parse_operand(&q);
    p->token = q.token;
    p->error = q.error;
    bool reads = false;
    for (unsigned i = 0; i < q.count; i++) {
        reads = reads || q.nodes[i].op == ASSAY_OP_LEAF;
    }
    if (p->error == ASSAY_OK && !operand.flag) {
        assay_parse_fail(p, ASSAY_WRONG_TYPE, begin,
                         "a condition is expected here, and this is a number");
    } else if (p->error == ASSAY_OK && !reads) {
        assay_parse_fail(p, ASSAY_WRONG_TYPE, begin,
                         "the condition reads nothing of an instruction: it is always the same");
    }
    const size_t end = p->token.at;
    if (!assay_parse_expect(p, ")")) {
        return 0;
    }
    if (!one_line(p->text + begin, end - begin, text, size)) {
        assay_parse_fail(p, ASSAY_LIMIT, begin, "the condition is longer than %zu characters",
                         size - 1);
        return 0;
    }
    return intern(p, run, text, &q, begin);
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
