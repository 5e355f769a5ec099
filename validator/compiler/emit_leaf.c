/* The emitter: how what a rule reads is written in C.
 *
 * A field of the event, or of the last event of a kind, is a slice of a 64-bit cell: a local of the
 * step, a column of the table. Flags of the state, and whether a kind was seen, are bits of the
 * state's flag cells, which take one column; narrow fields of the event before are slices of its
 * previous cells, likewise. All else has a column of its own. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/describe.h"
#include "validator/compiler/emit.h"

/* Whether the field lies in one 64-bit cell of the event's bytes, or fills whole ones; a tail has
 * no end that could be known here. */
bool assay_emit_in_cells(const struct assay_field *field)
{
    if (field->place == ASSAY_TAIL) {
        return false;
    }
    return field->place != ASSAY_AT_BIT || (field->bit & 63) + field->width <= 64 ||
           ((field->bit & 63) == 0 && (field->width & 63) == 0);
}

const struct assay_field *assay_emit_field(const struct assay_emitter *e, unsigned kind,
                                           uint16_t leaf)
{
    return assay_leaf_field(e->catalogue, &e->catalogue->leaves[leaf], kind);
}

/* The field that a FIELD leaf means for a kind, or that a LAST leaf means. */
static const struct assay_field *meant(const struct assay_emitter *e, unsigned kind,
                                       uint16_t number)
{
    const struct assay_leaf *leaf = &e->catalogue->leaves[number];
    return assay_emit_field(e, leaf->what == ASSAY_LEAF_LAST ? leaf->number : kind, number);
}

bool assay_emit_own_column(const struct assay_emitter *e, unsigned kind, uint16_t leaf)
{
    switch ((enum assay_leaf_kind)e->catalogue->leaves[leaf].what) {
    case ASSAY_LEAF_FIELD:
    case ASSAY_LEAF_LAST:
        return !assay_emit_in_cells(meant(e, kind, leaf));
    case ASSAY_LEAF_KIND:
    case ASSAY_LEAF_FACT:
    case ASSAY_LEAF_CONFIG:
    case ASSAY_LEAF_READING:
        return false;
    case ASSAY_LEAF_SEEN:
    case ASSAY_LEAF_STATE:
        return assay_emit_flag(e, leaf) < 0;
    case ASSAY_LEAF_PREV:
        return e->previous_bits[leaf] < 0;
    case ASSAY_LEAF_FAULT:
        return kind == ASSAY_KIND_MALFORMED;
    default:
        return true;
    }
}

unsigned assay_emit_flag_cells(const struct assay_emitter *e)
{
    return (e->flag_count + 63) / 64;
}

int assay_emit_flag(const struct assay_emitter *e, uint16_t number)
{
    const struct assay_leaf *leaf = &e->catalogue->leaves[number];
    if (leaf->what == ASSAY_LEAF_SEEN) {
        return e->seen_flags[leaf->number];
    }
    return leaf->what == ASSAY_LEAF_STATE ? e->variable_flags[leaf->number] : -1;
}

bool assay_emit_flag_cell_used(const struct assay_emitter *e, unsigned kind, unsigned cell)
{
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        const int flag = assay_emit_used(e, kind, i) ? assay_emit_flag(e, i) : -1;
        if (flag >= 0 && (unsigned)flag / 64 == cell) {
            return true;
        }
    }
    return false;
}

bool assay_emit_previous(const struct assay_emitter *e, uint16_t leaf,
                         struct assay_emit_slice *slice)
{
    if (e->previous_bits[leaf] < 0) {
        return false;
    }
    const unsigned bit = (unsigned)e->previous_bits[leaf];
    *slice = (struct assay_emit_slice){bit / 64, bit % 64, e->previous_widths[leaf]};
    return true;
}

unsigned assay_emit_previous_cells(const struct assay_emitter *e)
{
    return (e->previous_count + 63) / 64;
}

bool assay_emit_previous_used(const struct assay_emitter *e, unsigned kind, unsigned cell)
{
    struct assay_emit_slice slice;
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        if (assay_emit_used(e, kind, i) && assay_emit_previous(e, i, &slice) &&
            slice.cell == cell) {
            return true;
        }
    }
    return false;
}

bool assay_emit_asked(const struct assay_emitter *e, unsigned kind)
{
    for (size_t r = 0; r < e->catalogue->rule_count; r++) {
        if (assay_kinds_has(&e->catalogue->rules[r].kinds, kind)) {
            return true;
        }
    }
    return false;
}

void assay_emit_add_cells(const struct assay_field *field, struct assay_emit_cells *cells)
{
    uint64_t *set = field->place == ASSAY_AT_BIT ? &cells->bytes : &cells->values;
    /* A field that reaches to the end of its event has the width 0. */
    for (unsigned w = field->bit / 64u; w * 64 < (unsigned)field->bit + field->width; w++) {
        *set |= UINT64_C(1) << w;
    }
}

struct assay_emit_cells assay_emit_own_cells(const struct assay_emitter *e, unsigned kind,
                                             unsigned uses)
{
    struct assay_emit_cells cells = {0, 0};
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        if (assay_emit_uses(e, kind, i, uses) && e->catalogue->leaves[i].what == ASSAY_LEAF_FIELD &&
            !assay_emit_own_column(e, kind, i)) {
            assay_emit_add_cells(assay_emit_field(e, kind, i), &cells);
        }
    }
    return cells;
}

struct assay_emit_cells assay_emit_last_cells(const struct assay_emitter *e, unsigned kind,
                                              unsigned of, unsigned uses)
{
    struct assay_emit_cells cells = {0, 0};
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        const struct assay_leaf *leaf = &e->catalogue->leaves[i];
        if (leaf->what == ASSAY_LEAF_LAST && leaf->number == of &&
            (kind == ASSAY_EMIT_ANY_KIND || assay_emit_uses(e, kind, i, uses)) &&
            assay_emit_in_cells(assay_emit_field(e, of, i))) {
            assay_emit_add_cells(assay_emit_field(e, of, i), &cells);
        }
    }
    return cells;
}

/* A cell that holds a field: a local of the step, an element of a column, and with `last` what was
 * remembered of the last event of a kind. */
static void cell_text(const struct assay_emitter *e, unsigned kind, char letter, unsigned cell,
                      enum assay_emit_context place, int last, char *text, size_t size)
{
    if (last >= 0) {
        snprintf(text, size, place == ASSAY_EMIT_STEP ? "s->l%d_%c%u" : "c->l%d_%c%u[i]", last,
                 letter, cell);
    } else if (place == ASSAY_EMIT_ROW) {
        assay_emit_column(e, kind, letter, cell, text, size);
    } else {
        snprintf(text, size, "%c%u", letter, cell);
    }
}

static void field_text(const struct assay_emitter *e, unsigned kind,
                       const struct assay_field *field, enum assay_emit_context place, int last,
                       char *text, size_t size)
{
    const char letter = field->place == ASSAY_AT_BIT ? 'b' : 'd';
    char cell[64];
    text[0] = '\0';
    if (field->width > 64) {
        for (unsigned w = field->bit / 64u; w < (field->bit + field->width) / 64u; w++) {
            cell_text(e, kind, letter, w, place, last, cell, sizeof cell);
            assay_append(text, size, "%s%s", text[0] != '\0' ? " | " : "(", cell);
        }
        assay_append(text, size, ")");
        return;
    }
    cell_text(e, kind, letter, field->bit / 64u, place, last, cell, sizeof cell);
    if (field->width == 64) {
        snprintf(text, size, "%s", cell);
    } else {
        snprintf(text, size, "((%s >> %u) & UINT64_C(0x%" PRIx64 "))", cell, field->bit & 63u,
                 assay_mask(field->width));
    }
}

/* A field wherever it is, from an event. */
void assay_emit_from_event(const struct assay_emitter *e, unsigned kind,
                           const struct assay_field *field, char *text, size_t size)
{
    if (assay_emit_in_cells(field)) {
        field_text(e, kind, field, ASSAY_EMIT_STEP, -1, text, size);
    } else {
        snprintf(text, size, "assay_field_get(&assay_format_%s.kinds[%u].fields[%td], e)",
                 e->catalogue->format->name, kind,
                 field - e->catalogue->format->kinds[kind].fields);
    }
}

void assay_emit_leaf(const struct assay_emitter *e, unsigned kind, uint16_t number,
                     enum assay_emit_context place, char *text, size_t size)
{
    if (place == ASSAY_EMIT_CONDITION || place == ASSAY_EMIT_CELLS) {
        const struct assay_field *asked = place == ASSAY_EMIT_CELLS
                                              ? assay_emit_field(e, kind, number)
                                              : &e->catalogue->format->kinds[kind].fields[number];
        snprintf(text, size, "((cells[%u] >> %u) & UINT64_C(0x%" PRIx64 "))", asked->bit / 64u,
                 asked->bit & 63u, assay_mask(asked->width));
        return;
    }
    const struct assay_leaf *leaf = &e->catalogue->leaves[number];
    const unsigned layer = e->catalogue->format->kinds[kind].layer;
    const int flag = assay_emit_flag(e, number);
    struct assay_emit_slice slice;
    if (assay_emit_previous(e, number, &slice)) {
        char cell[48];
        snprintf(cell, sizeof cell, place == ASSAY_EMIT_STEP ? "s->p%u_%u" : "c->p%u[i]",
                 slice.cell, layer);
        snprintf(text, size, "((%s >> %u) & UINT64_C(0x%" PRIx64 "))", cell, slice.bit,
                 assay_mask(slice.width));
    } else if (flag >= 0) {
        snprintf(text, size,
                 place == ASSAY_EMIT_STEP ? "((f%d >> %d) & 1)" : "((c->f%d[i] >> %d) & 1)",
                 flag / 64, flag % 64);
    } else if (leaf->what == ASSAY_LEAF_KIND) {
        snprintf(text, size, "UINT64_C(%u)", kind);
    } else if (leaf->what == ASSAY_LEAF_FAULT && kind != ASSAY_KIND_MALFORMED) {
        snprintf(text, size, "UINT64_C(0)");
    } else if (assay_leaf_is_constant(leaf)) {
        snprintf(text, size, place == ASSAY_EMIT_STEP ? "k[%u]" : "k%u", number);
    } else if (leaf->what == ASSAY_LEAF_FIELD &&
               assay_emit_in_cells(assay_emit_field(e, kind, number))) {
        field_text(e, kind, assay_emit_field(e, kind, number), place, -1, text, size);
    } else if (leaf->what == ASSAY_LEAF_LAST && assay_emit_in_cells(meant(e, kind, number))) {
        field_text(e, kind, meant(e, kind, number), place, leaf->number, text, size);
    } else if (place == ASSAY_EMIT_ROW) {
        snprintf(text, size, "c->x%u[i]", number);
    } else {
        switch ((enum assay_leaf_kind)leaf->what) {
        case ASSAY_LEAF_FIELD:
            assay_emit_from_event(e, kind, assay_emit_field(e, kind, number), text, size);
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
        case ASSAY_LEAF_FROM_KIND:
            if (assay_emit_is_origin(e, kind, number)) {
                snprintf(text, size, "c->o%u[c->origins - 1]", number);
            } else {
                snprintf(text, size, "assay_leaf_from(&assay_catalogue_%s, %u, e)",
                         e->catalogue->format->name, number);
            }
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

/* A, B, C, N, M of its pattern are replaced. A comparison of two flags is written with bits: gcc
 * makes no vector code of one that compares two comparisons. */
void assay_emit_operation(const struct assay_emitter *e, const struct assay_expression *expression,
                          unsigned number, const char *prefix)
{
    const struct assay_node *node = &expression->nodes[number];
    const bool flags = expression->nodes[node->a].flag != 0;
    static const char *const patterns[] = {
#define X(id, operands, text) text,
        ASSAY_OPERATIONS(X)
#undef X
    };
    const char *pattern = patterns[node->op];
    if (flags && (node->op == ASSAY_OP_EQ || node->op == ASSAY_OP_NE)) {
        pattern = node->op == ASSAY_OP_EQ ? "(A + B + 1) & 1" : "(A + B) & 1";
    }
    for (const char *c = pattern; *c != '\0'; c++) {
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
                           unsigned kind, enum assay_emit_context place, const char *prefix,
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
            assay_emit_operation(e, expression, i, prefix);
        }
        assay_sink_text(e->sink, ";\n");
    }
}
