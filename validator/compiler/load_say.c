/* Messages: text with values in braces, "{tid:x} is valid", and what of them a rule has to read. */
#include <string.h>

#include "validator/compiler/loader.h"

enum { MAX_PIECES = 32 };

static enum assay_error fail(struct assay_loader *loader, const struct assay_yaml *node, size_t at,
                             const char *message)
{
    assay_fail_at(loader->diag, ASSAY_SYNTAX, node->line,
                  node->column + (node->quoted ? 1 : 0) + (uint32_t)at, "%s", message);
    assay_diag_path(loader->diag, loader->path);
    return ASSAY_SYNTAX;
}

/* The brace that closes the one at `open`, where the text ends at `end`: those of `in {...}` are in
 * pairs. Null where there is none. */
static const char *closing_brace(const char *open, const char *end)
{
    unsigned depth = 0;
    for (const char *c = open; c < end; c++) {
        depth += *c == '{' ? 1 : 0;
        depth -= *c == '}' ? 1 : 0;
        if (depth == 0) {
            return c;
        }
    }
    return NULL;
}

/* The value in braces: an expression, and after a colon how it is shown. */
static enum assay_error read_value(struct assay_loader *loader, const struct assay_kinds *kinds,
                                   const struct assay_yaml *node, size_t begin, size_t end,
                                   struct assay_piece *piece)
{
    const char *text = node->text;
    if (end >= begin + 2 && text[end - 2] == ':' &&
        (text[end - 1] == 'x' || text[end - 1] == 'd')) {
        piece->format = text[end - 1];
        end -= 2;
    }
    const struct assay_scope scope = {
        .loader = loader, .kinds = kinds, .place = node, .message = true, .first = begin};
    struct assay_meaning meaning = {0};
    const enum assay_error error =
        assay_parse(&scope, text + begin, end - begin, &piece->value, &meaning);
    piece->shown = assay_field_reference(loader->format, meaning.field);
    piece->kind = meaning.kind;
    piece->fault = meaning.fault;
    return error;
}

static enum assay_error add_text(struct assay_loader *loader, const char *text, size_t length,
                                 struct assay_piece *pieces, uint16_t *count)
{
    if (length == 0) {
        return ASSAY_OK;
    }
    pieces[*count].text = assay_arena_text(loader->arena, text, length);
    return pieces[(*count)++].text != NULL ? ASSAY_OK : assay_no_memory(loader->diag);
}

enum assay_error assay_load_say(struct assay_loader *loader, const struct assay_kinds *kinds,
                                const struct assay_yaml *node, struct assay_rule *rule)
{
    struct assay_piece *pieces = assay_arena_take(loader->arena, (MAX_PIECES + 2) * sizeof *pieces);
    if (pieces == NULL) {
        return assay_no_memory(loader->diag);
    }
    if (node->type != ASSAY_YAML_SCALAR || node->length == 0) {
        return fail(loader, node, 0, "\"say\" is a text");
    }
    uint16_t count = 0;
    size_t at = 0;
    struct assay_held held = {.error = ASSAY_OK};
    enum assay_error error = ASSAY_OK;
    while (at < node->length && error == ASSAY_OK) {
        const char *open = memchr(node->text + at, '{', node->length - at);
        const size_t begin = open != NULL ? (size_t)(open - node->text) : node->length;
        if (count >= MAX_PIECES) {
            error = assay_load_hold(loader, &held,
                                    fail(loader, node, at, "the message has too many values"));
            break;
        }
        error = add_text(loader, node->text + at, begin - at, pieces, &count);
        if (open == NULL || error != ASSAY_OK) {
            break;
        }
        const char *close = closing_brace(open, node->text + node->length);
        if (close == NULL) {
            error = assay_load_hold(loader, &held,
                                    fail(loader, node, begin, "the brace is not closed"));
            break;
        }
        const size_t end = (size_t)(close - node->text);
        error = assay_load_hold(loader, &held,
                                read_value(loader, kinds, node, begin + 1, end, &pieces[count++]));
        at = end + 1;
    }
    if (error == ASSAY_OK) {
        error = assay_load_held(loader, &held);
    }
    rule->say = pieces;
    rule->say_count = count;
    rule->say_text = assay_arena_text(loader->arena, node->text, node->length);
    return error;
}

static bool reads_condition(const struct assay_loader *loader,
                            const struct assay_expression *expression, uint16_t number)
{
    for (unsigned i = 0; i < expression->count; i++) {
        const struct assay_node *node = &expression->nodes[i];
        const struct assay_leaf *leaf =
            node->op == ASSAY_OP_LEAF ? &loader->out->leaves[node->a] : NULL;
        if (leaf != NULL && leaf->what == ASSAY_LEAF_FIELD && leaf->number == number + 1) {
            return true;
        }
    }
    return false;
}

/* first(...) is about a condition that the rule asks: of another one there might be no instruction,
 * and the message would show 0. */
static enum assay_error check_first(struct assay_loader *loader, const struct assay_yaml *map,
                                    struct assay_rule *rule)
{
    for (uint16_t p = 0; p < rule->say_count; p++) {
        const struct assay_expression *value = &rule->say[p].value;
        for (unsigned i = 0; i < value->count; i++) {
            const struct assay_leaf *leaf = value->nodes[i].op == ASSAY_OP_LEAF
                                                ? &loader->out->leaves[value->nodes[i].a]
                                                : NULL;
            if (leaf == NULL || leaf->what != ASSAY_LEAF_FIRST ||
                reads_condition(loader, &rule->when, leaf->number) ||
                reads_condition(loader, &rule->require, leaf->number)) {
                continue;
            }
            assay_load_fail(loader, assay_yaml_get(map, "say"), ASSAY_UNSUPPORTED,
                            "the message shows %s, and the rule does not ask it by passes(...)",
                            leaf->text);
            assay_diag_hint(loader->diag, "a condition that is named under \"conditions\" is "
                                          "written once: passes(NAME), first(NAME).field");
            return ASSAY_UNSUPPORTED;
        }
    }
    return ASSAY_OK;
}

/* The message shows nothing whose value might not be known. */
static enum assay_error check_known(struct assay_loader *loader, const struct assay_yaml *map,
                                    struct assay_rule *rule)
{
    for (uint16_t i = 0; i < rule->say_count; i++) {
        const char *fact = assay_unneeded_leaf(loader, &rule->say[i].value, rule);
        if (fact != NULL) {
            return assay_load_fail(loader, assay_yaml_get(map, "say"), ASSAY_UNSUPPORTED,
                                   "the message shows %s, which the condition does not read", fact);
        }
        const char *compared = assay_compared_leaf(loader, &rule->say[i].value);
        if (compared != NULL && (rule->needs & ASSAY_NEED_EXECUTION) == 0) {
            return assay_load_fail(loader, assay_yaml_get(map, "say"), ASSAY_UNSUPPORTED,
                                   "the message shows %s, and \"needs\" lacks execution", compared);
        }
    }
    return ASSAY_OK;
}

enum assay_error assay_check_say(struct assay_loader *loader, const struct assay_yaml *map,
                                 struct assay_rule *rule)
{
    const enum assay_error error = check_known(loader, map, rule);
    return error != ASSAY_OK ? error : check_first(loader, map, rule);
}
