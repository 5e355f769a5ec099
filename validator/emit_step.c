/* The emitter, second part: the state, and the step that writes the tables and brings it up to
 * date. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/describe.h"
#include "validator/compiled.h"
#include "validator/emit.h"

/* Whether the field lies in one 64-bit word of the event's bytes, or fills whole ones. */
static bool in_words(const struct assay_field *field)
{
    return field->place != ASSAY_AT_BIT || (field->bit & 63) + field->width <= 64 ||
           ((field->bit & 63) == 0 && (field->width & 63) == 0);
}

static const struct assay_field *field_of(const struct assay_emitter *e, unsigned kind,
                                          uint16_t leaf)
{
    return assay_leaf_field(e->catalogue, &e->catalogue->leaves[leaf], kind);
}

bool assay_emit_own_column(const struct assay_emitter *e, unsigned kind, uint16_t leaf)
{
    switch ((enum assay_leaf_kind)e->catalogue->leaves[leaf].what) {
    case ASSAY_LEAF_FIELD:
        return !in_words(field_of(e, kind, leaf));
    case ASSAY_LEAF_KIND:
    case ASSAY_LEAF_FACT:
    case ASSAY_LEAF_READING:
        return false;
    default:
        return true;
    }
}

void assay_emit_words(const struct assay_emitter *e, unsigned kind, uint64_t *bytes,
                      uint64_t *values)
{
    *bytes = 0;
    *values = 0;
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        if (!assay_emit_used(e, kind, i) || e->catalogue->leaves[i].what != ASSAY_LEAF_FIELD ||
            assay_emit_own_column(e, kind, i)) {
            continue;
        }
        const struct assay_field *field = field_of(e, kind, i);
        uint64_t *words = field->place == ASSAY_AT_BIT ? bytes : values;
        for (unsigned w = field->bit / 64u; w <= (field->bit + field->width - 1u) / 64u; w++) {
            *words |= UINT64_C(1) << w;
        }
    }
}

/* The field's value from the words that hold it; `word` prints word n. */
static void field_text(const struct assay_field *field, enum assay_emit_place place, char *text,
                       size_t size)
{
    static const char *const shapes[2][2] = {
        {"assay_load64(e->bytes + %u)", "c->b%u[i]"},
        {"e->words[%u]", "c->d%u[i]"},
    };
    const char *shape = shapes[field->place != ASSAY_AT_BIT][place];
    const bool scaled = field->place == ASSAY_AT_BIT && place == ASSAY_EMIT_STEP;
    char word[64];
    text[0] = '\0';
    if (field->width > 64) {
        for (unsigned w = field->bit / 64u; w < (field->bit + field->width) / 64u; w++) {
            snprintf(word, sizeof word, shape, scaled ? w * 8 : w);
            assay_append(text, size, "%s%s", text[0] != '\0' ? " | " : "(", word);
        }
        assay_append(text, size, ")");
        return;
    }
    snprintf(word, sizeof word, shape, scaled ? field->bit / 64u * 8 : field->bit / 64u);
    if (field->width == 64) {
        snprintf(text, size, "%s", word);
    } else {
        snprintf(text, size, "((%s >> %u) & UINT64_C(0x%" PRIx64 "))", word, field->bit & 63u,
                 assay_mask(field->width));
    }
}

/* A field wherever it is, from an event. */
static void field_from_event(const struct assay_emitter *e, unsigned kind,
                             const struct assay_field *field, char *text, size_t size)
{
    if (in_words(field)) {
        field_text(field, ASSAY_EMIT_STEP, text, size);
    } else {
        snprintf(text, size, "assay_field_get(&assay_format_%s.kinds[%u].fields[%td], e)",
                 e->catalogue->format->name, kind,
                 field - e->catalogue->format->kinds[kind].fields);
    }
}

void assay_emit_leaf(const struct assay_emitter *e, unsigned kind, uint16_t number,
                     enum assay_emit_place place, char *text, size_t size)
{
    const struct assay_leaf *leaf = &e->catalogue->leaves[number];
    const unsigned layer = e->catalogue->format->kinds[kind].layer;
    if (leaf->what == ASSAY_LEAF_KIND) {
        snprintf(text, size, "UINT64_C(%u)", kind);
    } else if (leaf->what == ASSAY_LEAF_FACT || leaf->what == ASSAY_LEAF_READING) {
        snprintf(text, size, "k[%u]", number);
    } else if (leaf->what == ASSAY_LEAF_FIELD && in_words(field_of(e, kind, number))) {
        field_text(field_of(e, kind, number), place, text, size);
    } else if (place == ASSAY_EMIT_ROW) {
        snprintf(text, size, "c->x%u[i]", number);
    } else {
        switch ((enum assay_leaf_kind)leaf->what) {
        case ASSAY_LEAF_FIELD:
            field_from_event(e, kind, field_of(e, kind, number), text, size);
            break;
        case ASSAY_LEAF_PREV:
            snprintf(text, size, "s->prev_%u_%u", number, layer);
            break;
        case ASSAY_LEAF_PREV_KIND:
            snprintf(text, size, "s->prev_kind_%u", layer);
            break;
        case ASSAY_LEAF_LAST:
            snprintf(text, size, "s->last_%u", number);
            break;
        case ASSAY_LEAF_FROM:
            snprintf(text, size, "assay_leaf_from(&assay_catalogue_%s, %u, e)",
                     e->catalogue->format->name, number);
            break;
        case ASSAY_LEAF_SEEN:
            snprintf(text, size, "(uint64_t)(s->count[%u] != 0)", leaf->number);
            break;
        case ASSAY_LEAF_COUNT:
            snprintf(text, size, "s->count[%u]", leaf->number);
            break;
        case ASSAY_LEAF_STATE:
            snprintf(text, size, "s->variable[%u]", leaf->number);
            break;
        case ASSAY_LEAF_INDEX:
            snprintf(text, size, "e->index");
            break;
        case ASSAY_LEAF_OFFSET:
            snprintf(text, size, "e->offset");
            break;
        case ASSAY_LEAF_BITS:
            snprintf(text, size, "(uint64_t)e->bits");
            break;
        default:
            snprintf(text, size, "(uint64_t)e->fault");
            break;
        }
    }
}

/* The C text of an operation: A, B, C, N, M of its pattern replaced. */
static void put_operation(const struct assay_emitter *e, const struct assay_node *node,
                          const char *prefix)
{
    static const char *const patterns[] = {
#define X(id, operands, text) text,
        ASSAY_OPERATIONS(X)
#undef X
    };
    for (const char *c = patterns[node->op]; *c != '\0'; c++) {
        switch (*c) {
        case 'A':
            assay_sink_printf(e->sink, "%s%u", prefix, node->a);
            break;
        case 'B':
            assay_sink_printf(e->sink, "%s%u", prefix, node->b);
            break;
        case 'C':
            assay_sink_printf(e->sink, "%s%u", prefix, node->c);
            break;
        case 'N':
            assay_sink_printf(e->sink, "%u", node->b);
            break;
        case 'M':
            assay_sink_printf(e->sink, "UINT64_C(0x%" PRIx64 ")", assay_mask(node->c));
            break;
        default:
            assay_sink_write(e->sink, c, 1);
        }
    }
}

static void put_call(const struct assay_emitter *e, const struct assay_node *node,
                     const char *prefix)
{
    const struct assay_function *function = &e->catalogue->format->functions[node->value];
    const uint16_t args[] = {node->a, node->b, node->c};
    assay_sink_printf(e->sink, "%s(", function->symbol);
    for (unsigned i = 0; i < function->arity; i++) {
        assay_sink_printf(e->sink, "%s%s%u", i > 0 ? ", " : "", prefix, args[i]);
    }
    assay_sink_text(e->sink, ")");
}

void assay_emit_expression(const struct assay_emitter *e, const struct assay_expression *expression,
                           unsigned kind, enum assay_emit_place place, const char *prefix,
                           const char *indent)
{
    char text[512];
    for (unsigned i = 0; i < expression->count; i++) {
        const struct assay_node *node = &expression->nodes[i];
        assay_sink_printf(e->sink, "%sconst uint64_t %s%u = ", indent, prefix, i);
        if (node->op == ASSAY_OP_CONSTANT) {
            assay_sink_printf(e->sink, "UINT64_C(0x%" PRIx64 ")", node->value);
        } else if (node->op == ASSAY_OP_LEAF) {
            assay_emit_leaf(e, kind, node->a, place, text, sizeof text);
            assay_sink_text(e->sink, text);
        } else if (node->op == ASSAY_OP_CALL) {
            put_call(e, node, prefix);
        } else {
            put_operation(e, node, prefix);
        }
        assay_sink_text(e->sink, ";\n");
    }
}

static void put_rows_struct(const struct assay_emitter *e, unsigned kind)
{
    uint64_t bytes, values;
    assay_emit_words(e, kind, &bytes, &values);
    assay_sink_printf(e->sink, "struct rows_%s {\n    uint32_t count;\n    uint32_t event[%d];\n",
                      assay_emit_kind_name(e, kind), ASSAY_ROWS);
    for (unsigned w = 0; w < 64; w++) {
        if ((bytes >> w & 1) != 0) {
            assay_sink_printf(e->sink, "    uint64_t b%u[%d];\n", w, ASSAY_ROWS);
        }
        if ((values >> w & 1) != 0) {
            assay_sink_printf(e->sink, "    uint64_t d%u[%d];\n", w, ASSAY_ROWS);
        }
    }
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        if (assay_emit_used(e, kind, i) && assay_emit_own_column(e, kind, i)) {
            assay_sink_printf(e->sink, "    uint64_t x%u[%d];\n", i, ASSAY_ROWS);
        }
    }
    assay_sink_text(e->sink, "};\n\n");
}

static void put_state_struct(const struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    assay_sink_printf(e->sink,
                      "struct state {\n    uint64_t count[%zu];\n    uint64_t variable[%zu];\n",
                      c->format->kind_count, c->variable_count + 1);
    for (size_t layer = 0; layer < c->format->layer_count; layer++) {
        assay_sink_printf(e->sink, "    uint64_t prev_kind_%zu;\n", layer);
        for (size_t i = 0; i < c->leaf_count; i++) {
            if (c->leaves[i].what == ASSAY_LEAF_PREV) {
                assay_sink_printf(e->sink, "    uint64_t prev_%zu_%zu;\n", i, layer);
            }
        }
    }
    for (size_t i = 0; i < c->leaf_count; i++) {
        if (c->leaves[i].what == ASSAY_LEAF_LAST) {
            assay_sink_printf(e->sink, "    uint64_t last_%zu;\n", i);
        }
    }
    assay_sink_printf(e->sink, "    uint64_t leaves[%zu];\n    uint64_t violated[%d];\n",
                      c->leaf_count + 1, ASSAY_ROWS);
    for (unsigned k = 0; k < c->format->kind_count; k++) {
        const char *name = assay_emit_kind_name(e, k);
        assay_sink_printf(e->sink, "    struct rows_%s %s;\n", name, name);
    }
    assay_sink_text(e->sink, "};\n\n");
}

static void put_begin(const struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    assay_sink_text(e->sink, "static void begin(void *state)\n{\n    struct state *s = state;\n"
                             "    memset(s, 0, sizeof *s);\n");
    for (size_t v = 0; v < c->variable_count; v++) {
        assay_sink_printf(e->sink, "    s->variable[%zu] = UINT64_C(0x%" PRIx64 ");\n", v,
                          c->variables[v].init);
    }
    for (size_t layer = 0; layer < c->format->layer_count; layer++) {
        assay_sink_printf(e->sink, "    s->prev_kind_%zu = %d;\n", layer, ASSAY_KIND_END);
    }
    assay_sink_text(e->sink, "}\n\n");
}

static void put_capture(const struct assay_emitter *e, unsigned kind)
{
    uint64_t bytes, values;
    char text[512];
    assay_emit_words(e, kind, &bytes, &values);
    assay_sink_printf(e->sink,
                      "    struct rows_%s *c = &s->%s;\n    const uint32_t i = c->count++;\n"
                      "    c->event[i] = at;\n",
                      assay_emit_kind_name(e, kind), assay_emit_kind_name(e, kind));
    for (unsigned w = 0; w < 64; w++) {
        if ((bytes >> w & 1) != 0) {
            assay_sink_printf(e->sink, "    c->b%u[i] = assay_load64(e->bytes + %u);\n", w, w * 8);
        }
        if ((values >> w & 1) != 0) {
            assay_sink_printf(e->sink, "    c->d%u[i] = e->words[%u];\n", w, w);
        }
    }
    for (uint16_t n = 0; n < e->catalogue->leaf_count; n++) {
        if (assay_emit_used(e, kind, n) && assay_emit_own_column(e, kind, n)) {
            assay_emit_leaf(e, kind, n, ASSAY_EMIT_STEP, text, sizeof text);
            assay_sink_printf(e->sink, "    c->x%u[i] = %s;\n", n, text);
        }
    }
}

/* New values are computed from the old ones before any is written. */
static void put_updates(const struct assay_emitter *e, unsigned kind)
{
    const struct assay_catalogue *c = e->catalogue;
    char prefix[32];
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t v = 0; v < c->variable_count; v++) {
            const struct assay_variable *variable = &c->variables[v];
            for (uint16_t u = 0; u < variable->update_count; u++) {
                if ((variable->updates[u].kinds >> kind & 1) == 0) {
                    continue;
                }
                const struct assay_expression *value = &variable->updates[u].value;
                snprintf(prefix, sizeof prefix, "v%zu_%u_", v, u);
                if (pass == 0) {
                    assay_emit_expression(e, value, kind, ASSAY_EMIT_STEP, prefix, "    ");
                } else {
                    assay_sink_printf(e->sink, "    s->variable[%zu] = %s%u;\n", v, prefix,
                                      value->count - 1u);
                }
            }
        }
    }
}

static void put_history(const struct assay_emitter *e, unsigned kind)
{
    const struct assay_catalogue *c = e->catalogue;
    const unsigned layer = c->format->kinds[kind].layer;
    char text[512];
    for (uint16_t i = 0; i < c->leaf_count; i++) {
        const struct assay_leaf *leaf = &c->leaves[i];
        const struct assay_field *field = field_of(e, kind, i);
        if (leaf->what == ASSAY_LEAF_PREV) {
            if (field != NULL) {
                field_from_event(e, kind, field, text, sizeof text);
            }
            assay_sink_printf(e->sink, "    s->prev_%u_%u = %s;\n", i, layer,
                              field != NULL ? text : "0");
        } else if (leaf->what == ASSAY_LEAF_LAST && leaf->number == kind) {
            field_from_event(e, kind, field, text, sizeof text);
            assay_sink_printf(e->sink, "    s->last_%u = %s;\n", i, text);
        }
    }
    assay_sink_printf(e->sink, "    s->prev_kind_%u = %u;\n    s->count[%u]++;\n", layer, kind,
                      kind);
}

static void put_step_kind(const struct assay_emitter *e, unsigned kind)
{
    assay_sink_printf(e->sink,
                      "static inline void step_%s(struct state *s, const struct assay_event *e, "
                      "uint32_t at,\n    const uint64_t *k)\n{\n    (void)e;\n    (void)k;\n",
                      assay_emit_kind_name(e, kind));
    put_capture(e, kind);
    put_updates(e, kind);
    put_history(e, kind);
    assay_sink_text(e->sink, "}\n\n");
}

void assay_emit_step(const struct assay_emitter *e)
{
    const size_t kinds = e->catalogue->format->kind_count;
    for (unsigned k = 0; k < kinds; k++) {
        put_rows_struct(e, k);
    }
    put_state_struct(e);
    put_begin(e);
    for (unsigned k = 0; k < kinds; k++) {
        put_step_kind(e, k);
    }
    assay_sink_text(e->sink,
                    "static void step(void *state, const struct assay_judging *j,\n"
                    "                 const struct assay_event *events, uint32_t count)\n{\n"
                    "    struct state *s = state;\n    const uint64_t *k = j->constants;\n"
                    "    for (uint32_t at = 0; at < count; at++) {\n"
                    "        switch (events[at].kind) {\n");
    for (unsigned k = 0; k < kinds; k++) {
        assay_sink_printf(e->sink,
                          "        case %u:\n            step_%s(s, &events[at], at, k);\n"
                          "            break;\n",
                          k, assay_emit_kind_name(e, k));
    }
    assay_sink_text(e->sink, "        default:\n            break;\n        }\n    }\n}\n\n");
}
