/* Messages: text with values in braces, "{tid:x} is valid". */
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
        const char *close = memchr(open, '}', node->length - begin);
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
