/* Values in the rule language: slices, and the names that values of a field have. */
#include <string.h>

#include "validator/compiler/parser.h"

enum { NAME = 64 };

bool assay_parse_same_name(const char *written, const char *name)
{
    for (; *written != '\0' && *name != '\0'; written++, name++) {
        if (*written != *name && !(*written == '_' && *name == '-')) {
            return false;
        }
    }
    return *written == *name;
}

void assay_parse_hint(struct assay_parser *p, const char *near)
{
    if (near != NULL) {
        assay_diag_hint(p->scope->loader->diag, "did you mean \"%s\"?", near);
    }
}

/* x[7:0] or x[3]: bits, numbered from 0. */
struct assay_operand assay_parse_slice(struct assay_parser *p, struct assay_operand operand)
{
    uint64_t bound[2] = {0, 0};
    const size_t at = p->token.at;
    assay_parse_accept(p, "[");
    for (unsigned i = 0; i < 2 && p->error == ASSAY_OK; i++) {
        if (p->token.kind != ASSAY_TOKEN_NUMBER || p->token.value > 63) {
            assay_parse_fail(p, ASSAY_SYNTAX, p->token.at,
                             "a bit number from 0 to 63 is expected here");
            return operand;
        }
        bound[i] = p->token.value;
        bound[1] = i == 0 ? bound[0] : bound[1];
        p->token = assay_lex(p->text, p->length, p->token.at + p->token.length);
        if (i == 0 && !assay_parse_accept(p, ":")) {
            break;
        }
    }
    assay_parse_expect(p, "]");
    if (p->error == ASSAY_OK && (bound[0] < bound[1] || operand.wide)) {
        assay_parse_fail(p, ASSAY_WRONG_TYPE, at,
                         operand.wide ? "bits can be taken from values of at most 64 bits"
                                      : "the higher bit comes first: [7:0]");
        return operand;
    }
    const uint16_t width = (uint16_t)(bound[0] - bound[1] + 1);
    struct assay_operand result =
        assay_parse_node(p, ASSAY_OP_SLICE, false, operand.node, (uint16_t)bound[1], width, 0);
    result.at = operand.at;
    result.most = width < 64 ? assay_mask(width) : 0;
    return result;
}

static bool named_value(struct assay_parser *p, const struct assay_operand *left, const char *name,
                        uint64_t *value)
{
    const struct assay_format *format = p->scope->loader->format;
    if (left->kind) {
        const struct assay_kind *kind = assay_kind_by_name(format, name);
        *value = kind != NULL ? (uint64_t)(kind - format->kinds) : 0;
        return kind != NULL;
    }
    if (left->fault) {
        for (size_t i = 0; i < format->fault_count; i++) {
            if (assay_parse_same_name(name, format->faults[i].name)) {
                *value = i + 1;
                return true;
            }
        }
        return false;
    }
    const struct assay_enumeration *names = left->field->names;
    for (size_t i = 0; i < names->count; i++) {
        if (assay_parse_same_name(name, names->list[i].name)) {
            *value = names->list[i].value;
            return true;
        }
    }
    return false;
}

/* Whether the left side can be the number of this kind: one of its layer, or `end`, which prev.kind
 * is before the first event. */
static bool kind_possible(const struct assay_parser *p, const struct assay_operand *left,
                          uint64_t kind)
{
    return !left->kind || p->scope->kinds == NULL || kind == ASSAY_KIND_END ||
           p->scope->loader->format->kinds[kind].layer == left->layer;
}

static void fail_layer(struct assay_parser *p, const struct assay_operand *left, size_t at,
                       const struct assay_kind *kind)
{
    const struct assay_format *format = p->scope->loader->format;
    assay_parse_fail(p, ASSAY_WRONG_TYPE, at, "%s is of the layer %s, the left side of %s",
                     kind->name, format->layers[kind->layer], format->layers[left->layer]);
    if (kind->layer < left->layer) {
        assay_diag_hint(p->scope->loader->diag, "from(%s).kind is a kind of that layer",
                        format->layers[kind->layer]);
    }
}

static void fail_value_name(struct assay_parser *p, const struct assay_operand *left, size_t at,
                            const char *name)
{
    const struct assay_format *format = p->scope->loader->format;
    struct assay_near near = assay_near_begin(name);
    for (size_t n = 0; left->kind && n < format->kind_count; n++) {
        if (kind_possible(p, left, n)) {
            assay_near_try(&near, format->kinds[n].name);
        }
    }
    for (size_t n = 0; left->fault && n < format->fault_count; n++) {
        assay_near_try(&near, format->faults[n].name);
    }
    for (size_t n = 0; !left->kind && !left->fault && n < left->field->names->count; n++) {
        assay_near_try(&near, left->field->names->list[n].name);
    }
    assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "\"%s\" is none of the values of the left side",
                     name);
    assay_parse_hint(p, near.best);
}

bool assay_parse_value_name(struct assay_parser *p, const struct assay_operand *left,
                            struct assay_operand *value)
{
    const bool named = left->kind || left->fault ||
                       (left->field != NULL && left->field->names != NULL && !left->flag);
    if (p->error != ASSAY_OK || !named || p->token.kind != ASSAY_TOKEN_NAME) {
        return false;
    }
    /* The same on both sides is a comparison of two such fields: prev.trap_type == trap_type. */
    static const char *const scopes[] = {"prev", "last", "from", "kind", "if"};
    for (size_t i = 0; i < sizeof scopes / sizeof scopes[0]; i++) {
        if (assay_parse_is_keyword(p, scopes[i])) {
            return false;
        }
    }
    char name[NAME];
    const struct assay_token before = p->token;
    const size_t at = p->token.at;
    uint64_t number = 0;
    if (!assay_parse_name(p, name, sizeof name)) {
        return false;
    }
    if (named_value(p, left, name, &number)) {
        if (!kind_possible(p, left, number)) {
            fail_layer(p, left, at, &p->scope->loader->format->kinds[number]);
        }
        *value = assay_parse_constant(p, number, false);
        value->at = at;
        return true;
    }
    for (size_t k = 0; k < p->scope->loader->format->kind_count; k++) {
        if (p->scope->kinds != NULL && assay_kinds_has(p->scope->kinds, k) && !left->kind &&
            !left->fault &&
            assay_field_by_name(&p->scope->loader->format->kinds[k], name) != NULL) {
            p->token = before;
            return false;
        }
    }
    fail_value_name(p, left, at, name);
    *value = (struct assay_operand){.at = at};
    return true;
}

struct assay_operand assay_parse_member(struct assay_parser *p, const struct assay_operand *left)
{
    struct assay_operand value = {.at = p->token.at};
    if (assay_parse_value_name(p, left, &value)) {
        return value;
    }
    if (p->error == ASSAY_OK && p->token.kind != ASSAY_TOKEN_NUMBER) {
        assay_parse_fail(p, ASSAY_SYNTAX, p->token.at,
                         "a number or a name of a value is expected here");
        return value;
    }
    return assay_parse_primary(p);
}
