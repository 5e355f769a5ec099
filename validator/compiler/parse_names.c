/* The names of the rule language: what a field, a scope, a state variable or a function stands for.
 */
#include <stdio.h>
#include <string.h>

#include "validator/compiler/parser.h"

enum { NAME = 64 };

static struct assay_diag *diag_of(struct assay_parser *p)
{
    return p->scope->loader->diag;
}

static void hint_nearest(struct assay_parser *p, const char *word, const char *const *names)
{
    const char *near = assay_nearest(word, names);
    if (near != NULL) {
        assay_diag_hint(diag_of(p), "did you mean \"%s\"?", near);
    }
}

/* A name in a rule is spelt with _ where the table has -. */
static bool same_name(const char *written, const char *name)
{
    for (; *written != '\0' && *name != '\0'; written++, name++) {
        if (*written != *name && !(*written == '_' && *name == '-')) {
            return false;
        }
    }
    return *written == *name;
}

static struct assay_operand leaf(struct assay_parser *p, struct assay_leaf leaf,
                                 const struct assay_field *field, bool flag)
{
    struct assay_operand failed = {0};
    leaf.shown = assay_field_reference(p->scope->loader->format, field);
    leaf.text = leaf.text != NULL ? leaf.text : leaf.name;
    uint16_t number = 0;
    if (p->error == ASSAY_OK) {
        p->error = assay_intern_leaf(p->scope->loader, &leaf, &number);
    }
    if (p->error != ASSAY_OK) {
        return failed;
    }
    struct assay_operand operand = assay_parse_node(p, ASSAY_OP_LEAF, flag, number, 0, 0, 0);
    operand.field = field;
    operand.wide = field != NULL && field->width > 64;
    operand.most = field != NULL && field->width < 64 ? assay_mask(field->width) : 0;
    return operand;
}

/* The field of this name that the kinds of a set share: all of them must have it when `all`,
 * otherwise at least one. Of several the widest, as its values are those of all. */
static const struct assay_field *shared_field(struct assay_parser *p, uint64_t kinds,
                                              const char *name, bool all, size_t at)
{
    const struct assay_format *format = p->scope->loader->format;
    const struct assay_field *found = NULL;
    const char *near = NULL;
    for (size_t k = 0; k < format->kind_count; k++) {
        if ((kinds >> k & 1) == 0) {
            continue;
        }
        const struct assay_kind *kind = &format->kinds[k];
        const struct assay_field *field = assay_field_by_name(kind, name);
        if (field == NULL) {
            const char *names[256] = {NULL};
            for (size_t i = 0; i < kind->field_count && i < 255; i++) {
                names[i] = kind->fields[i].name;
            }
            near = near != NULL ? near : assay_nearest(name, names);
            if (all) {
                assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "the kind %s has no field \"%s\"",
                                 kind->name, name);
                hint_nearest(p, name, names);
                return NULL;
            }
        } else if (found != NULL && (found->type == ASSAY_FLAG) != (field->type == ASSAY_FLAG)) {
            assay_parse_fail(p, ASSAY_WRONG_TYPE, at,
                             "\"%s\" is a flag in one of the kinds and a number in another", name);
            return NULL;
        } else if (found == NULL || field->width > found->width) {
            found = field;
        }
    }
    if (found == NULL) {
        assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "no kind has a field \"%s\"", name);
        if (near != NULL) {
            assay_diag_hint(diag_of(p), "did you mean \"%s\"?", near);
        }
    }
    return found;
}

static uint64_t all_kinds(const struct assay_parser *p)
{
    return assay_mask((unsigned)p->scope->loader->format->kind_count);
}

/* The kind in `last(kind)`, `seen(kind)`, `count(kind)`. */
static uint16_t parse_kind(struct assay_parser *p)
{
    const struct assay_format *format = p->scope->loader->format;
    char name[NAME];
    assay_parse_expect(p, "(");
    const size_t at = p->token.at;
    if (!assay_parse_name(p, name, sizeof name)) {
        return 0;
    }
    const struct assay_kind *kind = assay_kind_by_name(format, name);
    if (kind == NULL) {
        const char *names[65] = {NULL};
        for (size_t i = 0; i < format->kind_count; i++) {
            names[i] = format->kinds[i].name;
        }
        assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "%s has no kind \"%s\"", format->name, name);
        hint_nearest(p, name, names);
        return 0;
    }
    assay_parse_expect(p, ")");
    return (uint16_t)(kind - format->kinds);
}

static struct assay_operand parse_scoped(struct assay_parser *p, enum assay_leaf_kind what,
                                         uint16_t kind, size_t begin)
{
    struct assay_operand failed = {0};
    char name[NAME];
    assay_parse_expect(p, ".");
    const size_t at = p->token.at;
    if (!assay_parse_name(p, name, sizeof name)) {
        return failed;
    }
    if (what == ASSAY_LEAF_PREV && strcmp(name, "kind") == 0) {
        struct assay_operand operand = leaf(
            p, (struct assay_leaf){.what = ASSAY_LEAF_PREV_KIND, .text = "prev.kind"}, NULL, false);
        operand.kind = true;
        return operand;
    }
    const uint64_t kinds = what == ASSAY_LEAF_LAST ? UINT64_C(1) << kind : all_kinds(p);
    const struct assay_field *field = shared_field(p, kinds, name, what == ASSAY_LEAF_LAST, at);
    if (field == NULL) {
        return failed;
    }
    char text[2 * NAME + 16];
    snprintf(text, sizeof text, "%.*s", (int)(at + strlen(name) - begin), p->text + begin);
    return leaf(p,
                (struct assay_leaf){
                    .what = (uint8_t)what, .number = kind, .name = field->name, .text = text},
                field, field->type == ASSAY_FLAG);
}

static struct assay_operand parse_fact(struct assay_parser *p)
{
    struct assay_operand failed = {0};
    char name[NAME];
    assay_parse_expect(p, "(");
    const size_t at = p->token.at;
    if (!assay_parse_name(p, name, sizeof name)) {
        return failed;
    }
    const enum assay_fact fact = assay_fact_by_name(name);
    if (fact == ASSAY_FACT_COUNT) {
        const char *names[ASSAY_FACT_COUNT + 1] = {NULL};
        for (unsigned i = 0; i < ASSAY_FACT_COUNT; i++) {
            names[i] = assay_fact_table[i].name;
        }
        assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "no platform fact is called \"%s\"", name);
        hint_nearest(p, name, names);
        return failed;
    }
    assay_parse_expect(p, ")");
    char text[NAME + 8];
    snprintf(text, sizeof text, "fact(%s)", name);
    struct assay_operand operand = leaf(
        p, (struct assay_leaf){.what = ASSAY_LEAF_FACT, .number = (uint16_t)fact, .text = text},
        NULL, assay_fact_table[fact].most == 1);
    operand.most = assay_fact_table[fact].most;
    return operand;
}

static const struct assay_interpretation *find_interpretation(struct assay_parser *p,
                                                              const char *id, uint16_t *number)
{
    const struct assay_catalogue *out = p->scope->loader->out;
    for (size_t i = 0; i < out->interpretation_count; i++) {
        if (strcmp(out->interpretations[i].id, id) == 0) {
            *number = (uint16_t)i;
            return &out->interpretations[i];
        }
    }
    return NULL;
}

/* reads(INT-ASTF-09, zero): whether the interpretation is set to that reading. */
static struct assay_operand parse_reads(struct assay_parser *p)
{
    struct assay_operand failed = {0};
    char id[NAME];
    char reading[NAME];
    assay_parse_expect(p, "(");
    const size_t at = p->token.at;
    if (!assay_parse_name(p, id, sizeof id) || !assay_parse_expect(p, ",")) {
        return failed;
    }
    uint16_t number = 0;
    const struct assay_interpretation *found = find_interpretation(p, id, &number);
    if (found == NULL) {
        assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "no interpretation has the id %s", id);
        return failed;
    }
    const size_t reading_at = p->token.at;
    if (!assay_parse_name(p, reading, sizeof reading) || !assay_parse_expect(p, ")")) {
        return failed;
    }
    for (uint16_t i = 0; i < found->reading_count; i++) {
        if (same_name(reading, found->readings[i].name)) {
            char text[2 * NAME + 16];
            snprintf(text, sizeof text, "reads(%s, %s)", id, reading);
            return leaf(
                p,
                (struct assay_leaf){
                    .what = ASSAY_LEAF_READING, .number = number, .reading = i, .text = text},
                NULL, true);
        }
    }
    assay_parse_fail(p, ASSAY_UNKNOWN_NAME, reading_at, "%s has no reading \"%s\"", id, reading);
    return failed;
}

static struct assay_operand parse_call(struct assay_parser *p,
                                       const struct assay_function *function, uint64_t number)
{
    struct assay_operand args[3] = {{0}, {0}, {0}};
    assay_parse_expect(p, "(");
    for (unsigned i = 0; i < function->arity && p->error == ASSAY_OK; i++) {
        if (i > 0) {
            assay_parse_expect(p, ",");
        }
        args[i] = assay_parse_operand(p);
        if (p->error == ASSAY_OK && args[i].wide) {
            assay_parse_fail(p, ASSAY_WRONG_TYPE, args[i].at,
                             "a field wider than 64 bits can only be compared with 0");
        }
    }
    assay_parse_expect(p, ")");
    return assay_parse_node(p, ASSAY_OP_CALL, function->result_is_flag, args[0].node, args[1].node,
                            args[2].node, number);
}

static bool find_variable(struct assay_parser *p, const char *name, struct assay_operand *operand)
{
    const struct assay_loader *loader = p->scope->loader;
    for (size_t i = loader->file_variables; i < loader->out->variable_count; i++) {
        const struct assay_variable *variable = &loader->out->variables[i];
        if (strcmp(variable->name, name) == 0) {
            *operand =
                leaf(p,
                     (struct assay_leaf){
                         .what = ASSAY_LEAF_STATE, .number = (uint16_t)i, .text = variable->name},
                     NULL, variable->flag);
            return true;
        }
    }
    return false;
}

static bool find_call(struct assay_parser *p, const char *name, struct assay_operand *operand)
{
    const struct assay_format *format = p->scope->loader->format;
    for (size_t i = 0; i < format->function_count; i++) {
        if (strcmp(format->functions[i].name, name) == 0) {
            *operand = parse_call(p, &format->functions[i], i);
            return true;
        }
    }
    return false;
}

/* What every event has. */
static bool find_common(struct assay_parser *p, const char *name, struct assay_operand *operand)
{
    static const struct {
        const char *name;
        enum assay_leaf_kind what;
    } common[] = {
        {"kind", ASSAY_LEAF_KIND}, {"index", ASSAY_LEAF_INDEX}, {"offset", ASSAY_LEAF_OFFSET},
        {"bits", ASSAY_LEAF_BITS}, {"fault", ASSAY_LEAF_FAULT},
    };
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) {
        if (strcmp(common[i].name, name) == 0) {
            *operand = leaf(
                p, (struct assay_leaf){.what = (uint8_t)common[i].what, .text = common[i].name},
                NULL, false);
            operand->kind = common[i].what == ASSAY_LEAF_KIND;
            operand->fault = common[i].what == ASSAY_LEAF_FAULT;
            return true;
        }
    }
    return false;
}

static struct assay_operand parse_name(struct assay_parser *p)
{
    struct assay_operand operand = {0};
    char name[NAME];
    const size_t at = p->token.at;
    if (!assay_parse_name(p, name, sizeof name)) {
        return operand;
    }
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
        return assay_parse_constant(p, name[0] == 't', true);
    }
    if (strcmp(name, "prev") == 0 || strcmp(name, "from") == 0) {
        return parse_scoped(p, name[0] == 'p' ? ASSAY_LEAF_PREV : ASSAY_LEAF_FROM, 0, at);
    }
    if (strcmp(name, "last") == 0) {
        const uint16_t kind = parse_kind(p);
        return parse_scoped(p, ASSAY_LEAF_LAST, kind, at);
    }
    if (strcmp(name, "seen") == 0 || strcmp(name, "count") == 0) {
        const bool seen = name[0] == 's';
        const uint16_t kind = parse_kind(p);
        char text[NAME + 8];
        snprintf(text, sizeof text, "%s(%s)", name, p->scope->loader->format->kinds[kind].name);
        return leaf(p,
                    (struct assay_leaf){.what = seen ? ASSAY_LEAF_SEEN : ASSAY_LEAF_COUNT,
                                        .number = kind,
                                        .text = text},
                    NULL, seen);
    }
    if (strcmp(name, "fact") == 0) {
        return parse_fact(p);
    }
    if (strcmp(name, "reads") == 0) {
        return parse_reads(p);
    }
    if (find_common(p, name, &operand) || find_variable(p, name, &operand) ||
        (assay_parse_is_sign(p, "(") && find_call(p, name, &operand))) {
        return operand;
    }
    if (p->scope->kinds == 0) {
        assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "\"%s\" stands for nothing here", name);
        return operand;
    }
    const struct assay_field *field = shared_field(p, p->scope->kinds, name, true, at);
    if (field != NULL) {
        operand = leaf(p, (struct assay_leaf){.what = ASSAY_LEAF_FIELD, .name = field->name}, field,
                       field->type == ASSAY_FLAG);
    }
    return operand;
}

struct assay_operand assay_parse_primary(struct assay_parser *p)
{
    struct assay_operand operand = {.at = p->token.at};
    const size_t at = p->token.at;
    if (p->error != ASSAY_OK) {
        return operand;
    }
    if (p->token.kind == ASSAY_TOKEN_NUMBER) {
        const uint64_t value = p->token.value;
        p->token = assay_lex(p->text, p->length, p->token.at + p->token.length);
        operand = assay_parse_constant(p, value, false);
    } else if (assay_parse_accept(p, "(")) {
        operand = assay_parse_operand(p);
        assay_parse_expect(p, ")");
    } else if (p->token.kind == ASSAY_TOKEN_NAME) {
        operand = parse_name(p);
    } else {
        assay_parse_fail(p, ASSAY_SYNTAX, p->token.at, "a value is due here");
    }
    operand.at = at;
    return operand;
}

/* x[7:0] or x[3]: bits, numbered from 0. */
struct assay_operand assay_parse_slice(struct assay_parser *p, struct assay_operand operand)
{
    uint64_t bound[2] = {0, 0};
    const size_t at = p->token.at;
    assay_parse_accept(p, "[");
    for (unsigned i = 0; i < 2 && p->error == ASSAY_OK; i++) {
        if (p->token.kind != ASSAY_TOKEN_NUMBER || p->token.value > 63) {
            assay_parse_fail(p, ASSAY_SYNTAX, p->token.at, "a bit number from 0 to 63 is due here");
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
            if (same_name(name, format->faults[i].name)) {
                *value = i + 1;
                return true;
            }
        }
        return false;
    }
    const struct assay_enumeration *names = left->field->names;
    for (size_t i = 0; i < names->count; i++) {
        if (same_name(name, names->list[i].name)) {
            *value = names->list[i].value;
            return true;
        }
    }
    return false;
}

static void fail_value_name(struct assay_parser *p, const struct assay_operand *left, size_t at,
                            const char *name)
{
    const struct assay_format *format = p->scope->loader->format;
    const char *names[513] = {NULL};
    size_t n = 0;
    if (left->kind) {
        for (; n < format->kind_count && n < 512; n++) {
            names[n] = format->kinds[n].name;
        }
    } else if (left->fault) {
        for (; n < format->fault_count && n < 512; n++) {
            names[n] = format->faults[n].name;
        }
    } else {
        for (; n < left->field->names->count && n < 512; n++) {
            names[n] = left->field->names->list[n].name;
        }
    }
    assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "\"%s\" is none of the values of the left side",
                     name);
    hint_nearest(p, name, names);
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
        if (assay_parse_is_word(p, scopes[i])) {
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
        *value = assay_parse_constant(p, number, false);
        value->at = at;
        return true;
    }
    for (size_t k = 0; k < p->scope->loader->format->kind_count; k++) {
        if ((p->scope->kinds >> k & 1) != 0 && !left->kind && !left->fault &&
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
        assay_parse_fail(p, ASSAY_SYNTAX, p->token.at, "a number or a name of a value is due here");
        return value;
    }
    return assay_parse_primary(p);
}
