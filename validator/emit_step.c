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

/* The field that a FIELD leaf means for a kind, or that a LAST leaf means. */
static const struct assay_field *meant(const struct assay_emitter *e, unsigned kind,
                                       uint16_t number)
{
    const struct assay_leaf *leaf = &e->catalogue->leaves[number];
    return field_of(e, leaf->what == ASSAY_LEAF_LAST ? leaf->number : kind, number);
}

bool assay_emit_own_column(const struct assay_emitter *e, unsigned kind, uint16_t leaf)
{
    switch ((enum assay_leaf_kind)e->catalogue->leaves[leaf].what) {
    case ASSAY_LEAF_FIELD:
    case ASSAY_LEAF_LAST:
        return !in_words(meant(e, kind, leaf));
    case ASSAY_LEAF_KIND:
    case ASSAY_LEAF_FACT:
    case ASSAY_LEAF_READING:
        return false;
    default:
        return true;
    }
}

static void add_words(const struct assay_field *field, struct assay_emit_words *words)
{
    uint64_t *set = field->place == ASSAY_AT_BIT ? &words->bytes : &words->values;
    for (unsigned w = field->bit / 64u; w <= (field->bit + field->width - 1u) / 64u; w++) {
        *set |= UINT64_C(1) << w;
    }
}

struct assay_emit_words assay_emit_own_words(const struct assay_emitter *e, unsigned kind)
{
    struct assay_emit_words words = {0, 0};
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        if (assay_emit_used(e, kind, i) && e->catalogue->leaves[i].what == ASSAY_LEAF_FIELD &&
            !assay_emit_own_column(e, kind, i)) {
            add_words(field_of(e, kind, i), &words);
        }
    }
    return words;
}

struct assay_emit_words assay_emit_last_words(const struct assay_emitter *e, unsigned kind,
                                              unsigned of)
{
    struct assay_emit_words words = {0, 0};
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        const struct assay_leaf *leaf = &e->catalogue->leaves[i];
        if (leaf->what == ASSAY_LEAF_LAST && leaf->number == of &&
            (kind == ASSAY_EMIT_ANY_KIND || assay_emit_used(e, kind, i)) &&
            in_words(field_of(e, of, i))) {
            add_words(field_of(e, of, i), &words);
        }
    }
    return words;
}

/* Calls put for each word of a set: 'b' for one of the bytes, 'd' for one of the values. */
typedef void put_word(const struct assay_emitter *e, unsigned of, char letter, unsigned word);

static void each_word(const struct assay_emitter *e, struct assay_emit_words words, unsigned of,
                      put_word *put)
{
    for (unsigned w = 0; w < 64; w++) {
        if ((words.bytes >> w & 1) != 0) {
            put(e, of, 'b', w);
        }
        if ((words.values >> w & 1) != 0) {
            put(e, of, 'd', w);
        }
    }
}

/* The field's value from the words that hold it: locals of a step, columns of a row, and with
 * `last` the remembered words of the last event of a kind. */
static void field_text(const struct assay_field *field, enum assay_emit_place place, int last,
                       char *text, size_t size)
{
    const char letter = field->place == ASSAY_AT_BIT ? 'b' : 'd';
    char prefix[32] = "";
    char word[64];
    if (last >= 0) {
        snprintf(prefix, sizeof prefix, "%sl%d_", place == ASSAY_EMIT_STEP ? "s->" : "c->", last);
    } else if (place == ASSAY_EMIT_ROW) {
        snprintf(prefix, sizeof prefix, "c->");
    }
    const char *index = place == ASSAY_EMIT_ROW ? "[i]" : "";
    text[0] = '\0';
    if (field->width > 64) {
        for (unsigned w = field->bit / 64u; w < (field->bit + field->width) / 64u; w++) {
            assay_append(text, size, "%s%s%c%u%s", text[0] != '\0' ? " | " : "(", prefix, letter, w,
                         index);
        }
        assay_append(text, size, ")");
        return;
    }
    snprintf(word, sizeof word, "%s%c%u%s", prefix, letter, field->bit / 64u, index);
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
        field_text(field, ASSAY_EMIT_STEP, -1, text, size);
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
        snprintf(text, size, place == ASSAY_EMIT_STEP ? "k[%u]" : "k%u", number);
    } else if (leaf->what == ASSAY_LEAF_FIELD && in_words(field_of(e, kind, number))) {
        field_text(field_of(e, kind, number), place, -1, text, size);
    } else if (leaf->what == ASSAY_LEAF_LAST && in_words(meant(e, kind, number))) {
        field_text(meant(e, kind, number), place, leaf->number, text, size);
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

static void put_column(const struct assay_emitter *e, unsigned of, char letter, unsigned word)
{
    (void)of;
    assay_sink_printf(e->sink, "    uint64_t %c%u[%d];\n", letter, word, ASSAY_COLUMN);
}

static void put_last_column(const struct assay_emitter *e, unsigned of, char letter, unsigned word)
{
    assay_sink_printf(e->sink, "    uint64_t l%u_%c%u[%d];\n", of, letter, word, ASSAY_COLUMN);
}

static void put_last_member(const struct assay_emitter *e, unsigned of, char letter, unsigned word)
{
    assay_sink_printf(e->sink, "    uint64_t l%u_%c%u;\n", of, letter, word);
}

static void put_rows_struct(const struct assay_emitter *e, unsigned kind)
{
    assay_sink_printf(e->sink, "struct rows_%s {\n    uint32_t count;\n    uint32_t event[%d];\n",
                      assay_emit_kind_name(e, kind), ASSAY_COLUMN);
    each_word(e, assay_emit_own_words(e, kind), kind, put_column);
    for (unsigned of = 0; of < e->catalogue->format->kind_count; of++) {
        each_word(e, assay_emit_last_words(e, kind, of), of, put_last_column);
    }
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        if (assay_emit_used(e, kind, i) && assay_emit_own_column(e, kind, i)) {
            assay_sink_printf(e->sink, "    uint64_t x%u[%d];\n", i, ASSAY_COLUMN);
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
    for (unsigned of = 0; of < c->format->kind_count; of++) {
        each_word(e, assay_emit_last_words(e, ASSAY_EMIT_ANY_KIND, of), of, put_last_member);
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

static void put_own_capture(const struct assay_emitter *e, unsigned of, char letter, unsigned word)
{
    (void)of;
    assay_sink_printf(e->sink, "    c->%c%u[i] = %c%u;\n", letter, word, letter, word);
}

static void put_last_capture(const struct assay_emitter *e, unsigned of, char letter, unsigned word)
{
    assay_sink_printf(e->sink, "    c->l%u_%c%u[i] = s->l%u_%c%u;\n", of, letter, word, of, letter,
                      word);
}

static void put_capture(const struct assay_emitter *e, unsigned kind)
{
    char text[512];
    assay_sink_printf(e->sink,
                      "    struct rows_%s *c = &s->%s;\n    const uint32_t i = c->count++;\n"
                      "    c->event[i] = at;\n",
                      assay_emit_kind_name(e, kind), assay_emit_kind_name(e, kind));
    each_word(e, assay_emit_own_words(e, kind), kind, put_own_capture);
    for (unsigned of = 0; of < e->catalogue->format->kind_count; of++) {
        each_word(e, assay_emit_last_words(e, kind, of), of, put_last_capture);
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

static void put_remember(const struct assay_emitter *e, unsigned of, char letter, unsigned word)
{
    assay_sink_printf(e->sink, "    s->l%u_%c%u = %c%u;\n", of, letter, word, letter, word);
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
        } else if (leaf->what == ASSAY_LEAF_LAST && leaf->number == kind && !in_words(field)) {
            field_from_event(e, kind, field, text, sizeof text);
            assay_sink_printf(e->sink, "    s->last_%u = %s;\n", i, text);
        }
    }
    each_word(e, assay_emit_last_words(e, ASSAY_EMIT_ANY_KIND, kind), kind, put_remember);
    assay_sink_printf(e->sink, "    s->prev_kind_%u = %u;\n    s->count[%u]++;\n", layer, kind,
                      kind);
}

static void put_local(const struct assay_emitter *e, unsigned of, char letter, unsigned word)
{
    (void)of;
    if (letter == 'b') {
        assay_sink_printf(e->sink, "    const uint64_t b%u = assay_load64(e->bytes + %u);\n", word,
                          word * 8);
    } else {
        assay_sink_printf(e->sink, "    const uint64_t d%u = e->words[%u];\n", word, word);
    }
}

/* The event's words as locals, loaded before anything is stored; the compiler drops those that the
 * step does not use. */
static void put_locals(const struct assay_emitter *e, unsigned kind)
{
    const struct assay_kind *k = &e->catalogue->format->kinds[kind];
    struct assay_emit_words words = {0, 0};
    for (size_t i = 0; i < k->field_count; i++) {
        add_words(&k->fields[i], &words);
    }
    each_word(e, words, kind, put_local);
}

static void put_step_kind(const struct assay_emitter *e, unsigned kind)
{
    assay_sink_printf(e->sink,
                      "static inline void step_%s(struct state *s, const struct assay_event *e, "
                      "uint32_t at,\n    const uint64_t *k)\n{\n    (void)e;\n    (void)k;\n",
                      assay_emit_kind_name(e, kind));
    put_locals(e, kind);
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
