/* The names of the rule language: what a field, a scope, a state variable or a function represents.
 */
#include <stdio.h>
#include <string.h>

#include "validator/compiler/parser.h"

enum { NAME = 64 };

static struct assay_diag *diag_of(struct assay_parser *p)
{
    return p->scope->loader->diag;
}

static const char *nearest_field(const struct assay_kind *kind, const char *name)
{
    struct assay_near near = assay_near_begin(name);
    for (size_t i = 0; i < kind->field_count; i++) {
        assay_near_try(&near, kind->fields[i].name);
    }
    return near.best;
}

struct assay_operand assay_parse_leaf(struct assay_parser *p, struct assay_leaf leaf,
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
    operand.wide = field != NULL && (field->width > 64 || field->place == ASSAY_TAIL);
    operand.most = field != NULL && field->width < 64 ? assay_mask(field->width) : 0;
    return operand;
}

/* A kind lacks a field. What a run lacks its instructions may have. */
static void fail_field(struct assay_parser *p, const struct assay_kind *kind, const char *name,
                       size_t at)
{
    const struct assay_field *of_single =
        kind->met != 0 ? assay_field_by_name(&p->scope->loader->format->kinds[kind->run_of], name)
                       : NULL;
    assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "the kind %s has no field \"%s\"", kind->name,
                     name);
    if (of_single != NULL && (of_single->flags & ASSAY_STATIC) != 0) {
        assay_diag_hint(diag_of(p), "%s is static of its instructions: passes(%s%s)", name, name,
                        of_single->type == ASSAY_FLAG ? "" : " ...");
    } else {
        assay_parse_hint(p, nearest_field(kind, name));
    }
}

/* The field of this name that the kinds of a set share: all of them must have it when `all`,
 * otherwise at least one. Of several the widest, as its values are those of all. */
static const struct assay_field *shared_field(struct assay_parser *p,
                                              const struct assay_kinds *kinds, const char *name,
                                              bool all, size_t at)
{
    const struct assay_format *format = p->scope->loader->format;
    const struct assay_field *found = NULL;
    const char *near = NULL;
    for (size_t k = 0; k < format->kind_count; k++) {
        if (!assay_kinds_has(kinds, k)) {
            continue;
        }
        const struct assay_kind *kind = &format->kinds[k];
        const struct assay_field *field = assay_field_by_name(kind, name);
        if (field == NULL) {
            near = near != NULL ? near : nearest_field(kind, name);
            if (all) {
                fail_field(p, kind, name, at);
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
        assay_parse_hint(p, near);
    }
    return found;
}

/* The layer of the events that the expression is about; 0 where it is about none. */
static unsigned layer_of(const struct assay_parser *p)
{
    const unsigned kind =
        p->scope->kinds != NULL ? assay_kinds_next(p->scope->kinds, 0) : ASSAY_MAX_KINDS;
    return kind < ASSAY_MAX_KINDS ? p->scope->loader->format->kinds[kind].layer : 0;
}

/* The kind in `last(kind)`, `seen(kind)`, `count(kind)`. Events of other layers come in blocks of
 * their own: which of them came before an event would depend on the length of blocks. */
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
        assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "%s has no kind \"%s\"", format->name, name);
        assay_parse_hint(p, assay_nearest_kind(format, name));
        return 0;
    }
    if (p->scope->kinds != NULL && kind->layer != layer_of(p)) {
        assay_parse_fail(p, ASSAY_WRONG_TYPE, at, "%s is of the layer %s, the rule's events of %s",
                         name, format->layers[kind->layer], format->layers[layer_of(p)]);
        assay_diag_hint(diag_of(p), "from.FIELD reads the event of the layer below");
        return 0;
    }
    assay_parse_expect(p, ")");
    return (uint16_t)(kind - format->kinds);
}

/* What every event has (find_common); of other events only the kind is read, by prev and from. */
static bool is_of_this_event(const char *name)
{
    static const char *const common[] = {"kind", "index", "offset", "bits", "fault"};
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) {
        if (strcmp(common[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static struct assay_operand kind_leaf(struct assay_parser *p, enum assay_leaf_kind what,
                                      uint16_t below, const char *text)
{
    struct assay_operand operand = assay_parse_leaf(
        p, (struct assay_leaf){.what = (uint8_t)what, .number = below, .text = text}, NULL, false);
    operand.kind = true;
    operand.layer = layer_of(p) - below;
    return operand;
}

/* What follows `prev`, `last(kind)`, `from`: a dot and a field, or `kind`. `kind` is that of LAST;
 * of FROM it is how many layers below. */
static struct assay_operand parse_scoped(struct assay_parser *p, enum assay_leaf_kind what,
                                         uint16_t kind, size_t begin)
{
    const struct assay_format *format = p->scope->loader->format;
    struct assay_operand failed = {0};
    char name[NAME];
    assay_parse_expect(p, ".");
    const size_t at = p->token.at;
    if (!assay_parse_name(p, name, sizeof name)) {
        return failed;
    }
    if (what == ASSAY_LEAF_PREV && strcmp(name, "passes") == 0 && assay_parse_is_sign(p, "(")) {
        return assay_parse_passes(p, true, begin);
    }
    char text[2 * NAME + 16];
    snprintf(text, sizeof text, "%.*s", (int)(at + strlen(name) - begin), p->text + begin);
    if (what != ASSAY_LEAF_LAST && strcmp(name, "kind") == 0) {
        return kind_leaf(p, what == ASSAY_LEAF_PREV ? ASSAY_LEAF_PREV_KIND : ASSAY_LEAF_FROM_KIND,
                         kind, text);
    }
    const struct assay_kinds kinds = what == ASSAY_LEAF_LAST ? assay_kinds_of(kind)
                                     : what == ASSAY_LEAF_FROM
                                         ? assay_kinds_of_layer(format, layer_of(p) - kind)
                                         : assay_kinds_of_layer(format, layer_of(p));
    const struct assay_field *field = shared_field(p, &kinds, name, what == ASSAY_LEAF_LAST, at);
    if (field == NULL) {
        if (is_of_this_event(name)) {
            assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at,
                             "of another event only fields can be read, prev.kind and from.kind: "
                             "not \"%s\"",
                             name);
        }
        return failed;
    }
    return assay_parse_leaf(
        p,
        (struct assay_leaf){
            .what = (uint8_t)what, .number = kind, .name = field->name, .text = text},
        field, field->type == ASSAY_FLAG);
}

/* from.x reads the event of the layer below that this one came from; from(packet).x that of a
 * layer further down. */
static struct assay_operand parse_from(struct assay_parser *p, size_t begin)
{
    const struct assay_format *format = p->scope->loader->format;
    const struct assay_operand failed = {0};
    const unsigned layer = layer_of(p);
    unsigned below = 1;
    if (assay_parse_accept(p, "(")) {
        const size_t at = p->token.at;
        char name[NAME];
        if (!assay_parse_name(p, name, sizeof name) || !assay_parse_expect(p, ")")) {
            return failed;
        }
        const int to = assay_layer_by_name(format, name);
        if (to < 0 || (unsigned)to >= layer) {
            assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "no layer below %s is called \"%s\"",
                             format->layers[layer], name);
            return failed;
        }
        below = layer - (unsigned)to;
    }
    if (layer == 0) {
        assay_parse_fail(p, ASSAY_WRONG_TYPE, begin, "there is no layer below %s",
                         format->layers[0]);
        return failed;
    }
    return parse_scoped(p, ASSAY_LEAF_FROM, (uint16_t)below, begin);
}

/* The arguments of a function up to the closing parenthesis: how many there are. */
static unsigned parse_arguments(struct assay_parser *p, struct assay_operand *args, unsigned room)
{
    unsigned count = 0;
    assay_parse_expect(p, "(");
    while (p->error == ASSAY_OK && !assay_parse_is_sign(p, ")")) {
        if (count > 0 && !assay_parse_expect(p, ",")) {
            break;
        }
        const struct assay_operand one = assay_parse_operand(p);
        if (p->error == ASSAY_OK && one.wide) {
            assay_parse_fail(p, ASSAY_WRONG_TYPE, one.at,
                             "a field wider than 64 bits can only be compared with 0");
        }
        if (count < room) {
            args[count] = one;
        }
        count++;
    }
    assay_parse_expect(p, ")");
    return count;
}

static struct assay_operand parse_call(struct assay_parser *p,
                                       const struct assay_function *function, uint64_t number,
                                       size_t at)
{
    struct assay_operand args[3] = {{0}, {0}, {0}};
    const unsigned count = parse_arguments(p, args, 3);
    if (p->error == ASSAY_OK && count != function->arity) {
        assay_parse_fail(p, ASSAY_SYNTAX, at, "%s takes %u argument%s, not %u", function->name,
                         function->arity, function->arity == 1 ? "" : "s", count);
    }
    return assay_parse_node(p, ASSAY_OP_CALL, function->result_is_flag, args[0].node, args[1].node,
                            args[2].node, number);
}

/* A name that a parenthesis follows and that is no function's. */
static void unknown_function(struct assay_parser *p, const char *name, size_t at)
{
    static const char *const keywords[] = {"last",   "seen",  "count",  "fact",
                                           "config", "reads", "passes", "first"};
    const struct assay_format *format = p->scope->loader->format;
    struct assay_near near = assay_near_begin(name);
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        assay_near_try(&near, keywords[i]);
    }
    for (size_t i = 0; i < format->function_count; i++) {
        assay_near_try(&near, format->functions[i].name);
    }
    assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "%s has no function \"%s\"", format->name, name);
    assay_parse_hint(p, near.best);
}

/* Events of another layer come in blocks of their own, so that a rule cannot read what they update.
 * A variable whose updates are being read has none yet. */
static bool check_layer(struct assay_parser *p, const struct assay_variable *variable, size_t at)
{
    const struct assay_format *format = p->scope->loader->format;
    if (variable->update_count == 0 || p->scope->kinds == NULL) {
        return true;
    }
    const unsigned layer = format->kinds[assay_kinds_next(&variable->updates[0].kinds, 0)].layer;
    if (layer != layer_of(p)) {
        assay_parse_fail(p, ASSAY_WRONG_TYPE, at,
                         "%s is updated by events of the layer %s, not by those of %s",
                         variable->name, format->layers[layer], format->layers[layer_of(p)]);
        return false;
    }
    return true;
}

static bool find_variable(struct assay_parser *p, const char *name, size_t at,
                          struct assay_operand *operand)
{
    struct assay_loader *loader = p->scope->loader;
    for (size_t i = 0; i < loader->broken_count; i++) {
        if (strcmp(loader->broken[i], name) == 0) {
            assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "%s is wrong itself", name);
            loader->echo = true;
            return true;
        }
    }
    for (size_t i = loader->file_variables; i < loader->out->variable_count; i++) {
        const struct assay_variable *variable = &loader->out->variables[i];
        if (strcmp(variable->name, name) == 0) {
            if (!check_layer(p, variable, at)) {
                return true;
            }
            *operand = assay_parse_leaf(p,
                                        (struct assay_leaf){.what = ASSAY_LEAF_STATE,
                                                            .number = (uint16_t)i,
                                                            .text = variable->name},
                                        NULL, variable->flag);
            return true;
        }
    }
    return false;
}

static bool find_call(struct assay_parser *p, const char *name, size_t at,
                      struct assay_operand *operand)
{
    const struct assay_format *format = p->scope->loader->format;
    for (size_t i = 0; i < format->function_count; i++) {
        if (strcmp(format->functions[i].name, name) == 0) {
            *operand = parse_call(p, &format->functions[i], i, at);
            return true;
        }
    }
    return false;
}

/* What every event has. */
/* Whether every kind that the expression is about has a field of the name, which then is meant. */
static bool is_field_of_all(const struct assay_parser *p, const char *name)
{
    const struct assay_format *format = p->scope->loader->format;
    bool is = p->scope->kinds != NULL;
    for (size_t k = 0; is && k < format->kind_count; k++) {
        is = !assay_kinds_has(p->scope->kinds, k) ||
             assay_field_by_name(&format->kinds[k], name) != NULL;
    }
    return is;
}

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
            if (is_field_of_all(p, name)) {
                return false;
            }
            *operand = assay_parse_leaf(
                p, (struct assay_leaf){.what = (uint8_t)common[i].what, .text = common[i].name},
                NULL, false);
            operand->kind = common[i].what == ASSAY_LEAF_KIND;
            operand->layer = layer_of(p);
            operand->fault = common[i].what == ASSAY_LEAF_FAULT;
            return true;
        }
    }
    return false;
}

static struct assay_operand parse_field(struct assay_parser *p, const char *name, size_t at)
{
    struct assay_operand failed = {0};
    const struct assay_field *field = shared_field(p, p->scope->kinds, name, true, at);
    return field == NULL
               ? failed
               : assay_parse_leaf(
                     p, (struct assay_leaf){.what = ASSAY_LEAF_FIELD, .name = field->name}, field,
                     field->type == ASSAY_FLAG);
}

/* Fields may be called like keywords of the language that a parenthesis or a dot follows: `count`
 * is a field where `count(kind)` counts events. */
static bool is_field_here(const struct assay_parser *p, const char *name)
{
    static const char *const keywords[] = {"last",  "seen", "count", "fact",   "config",
                                           "reads", "prev", "from",  "passes", "first"};
    bool keyword = false;
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        keyword = keyword || strcmp(keywords[i], name) == 0;
    }
    if (!keyword || p->asked != NULL || p->scope->kinds == NULL || assay_parse_is_sign(p, "(") ||
        assay_parse_is_sign(p, ".")) {
        return false;
    }
    for (size_t k = 0; k < p->scope->loader->format->kind_count; k++) {
        if (assay_kinds_has(p->scope->kinds, k) &&
            assay_field_by_name(&p->scope->loader->format->kinds[k], name) != NULL) {
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
    if (is_field_here(p, name)) {
        return parse_field(p, name, at);
    }
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
        return assay_parse_constant(p, name[0] == 't', true);
    }
    if (p->asked != NULL) {
        return assay_parse_is_sign(p, "(") && find_call(p, name, at, &operand)
                   ? operand
                   : assay_parse_asked(p, name, at);
    }
    if (strcmp(name, "passes") == 0) {
        return assay_parse_passes(p, false, at);
    }
    if (strcmp(name, "first") == 0) {
        return assay_parse_first(p, at);
    }
    if (strcmp(name, "prev") == 0) {
        return parse_scoped(p, ASSAY_LEAF_PREV, 0, at);
    }
    if (strcmp(name, "from") == 0) {
        return parse_from(p, at);
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
        return assay_parse_leaf(
            p,
            (struct assay_leaf){
                .what = seen ? ASSAY_LEAF_SEEN : ASSAY_LEAF_COUNT, .number = kind, .text = text},
            NULL, seen);
    }
    if (strcmp(name, "fact") == 0) {
        return assay_parse_fact(p);
    }
    if (strcmp(name, "config") == 0) {
        return assay_parse_config(p);
    }
    if (strcmp(name, "reads") == 0) {
        return assay_parse_reads(p);
    }
    if (find_common(p, name, &operand) || find_variable(p, name, at, &operand) ||
        (assay_parse_is_sign(p, "(") && find_call(p, name, at, &operand))) {
        return operand;
    }
    if (assay_parse_is_sign(p, "(")) {
        unknown_function(p, name, at);
        return operand;
    }
    if (p->scope->kinds == NULL) {
        assay_parse_fail(p, ASSAY_UNKNOWN_NAME, at, "\"%s\" means nothing here", name);
        return operand;
    }
    return parse_field(p, name, at);
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
        assay_parse_fail(p, ASSAY_SYNTAX, p->token.at, "a value is expected here");
    }
    operand.at = at;
    return operand;
}
