/* The emitter: block summaries. Most rules are about what most tables do not have in any row: an
 * event, a page table walk, another privilege mode. So the cells of a table that hold flags are
 * summarized once (a zone map): the bits that any row has, and the bits that all rows have. From
 * these each rule is evaluated for all rows at once. It is decided when no row can exercise it, or
 * when all rows do and none can violate it; only undecided rules check their rows.
 *
 * The evaluation is three-valued. A node that is a flag has its value and, in the variable with the
 * suffix u, whether it may differ from row to row; a node that may differ has the value 0. A node
 * that is a number has the least value that it can have and, with the suffix h, the greatest: bits
 * that all rows have and bits that any row has are such bounds.
 *
 * Of a field with names for its values that many rules read, as the class of an instruction, the
 * summary also has the set of values that occur, since each rule is about few of them. */
#include <inttypes.h>
#include <stdio.h>

#include "validator/compiler/emit.h"
#include "validator/engine/compiled.h"

/* --- the summary --- */

/* The cells of which rules read a part: numbers of 64 bits differ from row to row anyhow. What only
 * rules with a recorded execution read is left out, since the table may lack it. */
struct assay_emit_cells assay_emit_summary_cells(const struct assay_emitter *e, unsigned kind)
{
    struct assay_emit_cells cells = {0, 0};
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        if (assay_emit_uses(e, kind, i, ASSAY_EMIT_ALWAYS) &&
            e->catalogue->leaves[i].what == ASSAY_LEAF_FIELD &&
            !assay_emit_own_column(e, kind, i) && assay_emit_field(e, kind, i)->width < 64) {
            assay_emit_add_cells(assay_emit_field(e, kind, i), &cells);
        }
    }
    return cells;
}

/* Text for each summarized column of rows, with its name in place of @ and its element in place of
 * $. */
static void each_summarized(const struct assay_emitter *e, unsigned kind, const char *text)
{
    const struct assay_emit_cells cells = assay_emit_summary_cells(e, kind);
    char column[48];
    for (unsigned w = 0; w < 4 * 64; w++) {
        static const char letters[] = "fpbd";
        const unsigned n = w % 64;
        const bool summarized = w / 64 == 0   ? assay_emit_flag_cell_used(e, kind, n)
                                : w / 64 == 1 ? assay_emit_previous_used(e, kind, n)
                                : w / 64 == 2 ? (cells.bytes >> n & 1) != 0
                                              : (cells.values >> n & 1) != 0;
        for (const char *c = text; summarized && *c != '\0'; c++) {
            if (*c == '@') {
                assay_sink_printf(e->sink, "%c%u", letters[w / 64], n);
            } else if (*c == '$') {
                assay_emit_column(e, kind, letters[w / 64], n, column, sizeof column);
                assay_sink_text(e->sink, column);
            } else {
                assay_sink_write(e->sink, c, 1);
            }
        }
    }
}

/* Where a leaf is in a summarized cell; with the letter 'o' the cell is the leaf's column of
 * origins. */
struct summarized {
    char letter;
    unsigned cell, bit;
    uint64_t mask;
};

static bool find_summarized(const struct assay_emitter *e, unsigned kind, uint16_t leaf,
                            struct summarized *summarized)
{
    const int flag = assay_emit_flag(e, leaf);
    if (flag >= 0) {
        *summarized = (struct summarized){'f', (unsigned)flag / 64, (unsigned)flag % 64, 1};
        return true;
    }
    struct assay_emit_slice slice;
    if (assay_emit_previous(e, leaf, &slice)) {
        *summarized = (struct summarized){'p', slice.cell, slice.bit, assay_mask(slice.width)};
        return true;
    }
    if (assay_emit_is_origin(e, kind, leaf)) {
        *summarized = (struct summarized){'o', leaf, 0, UINT64_MAX};
        return true;
    }
    if (e->catalogue->leaves[leaf].what != ASSAY_LEAF_FIELD ||
        assay_emit_own_column(e, kind, leaf) ||
        !assay_emit_uses(e, kind, leaf, ASSAY_EMIT_ALWAYS)) {
        return false;
    }
    const struct assay_field *field = assay_emit_field(e, kind, leaf);
    *summarized = (struct summarized){field->place == ASSAY_AT_BIT ? 'b' : 'd', field->bit / 64u,
                                      field->bit % 64u, assay_mask(field->width)};
    return field->width < 64;
}

static bool reads_leaf(const struct assay_expression *expression, uint16_t leaf)
{
    for (unsigned i = 0; i < expression->count; i++) {
        if (expression->nodes[i].op == ASSAY_OP_LEAF && expression->nodes[i].a == leaf) {
            return true;
        }
    }
    return false;
}

/* Whether so many rules on a kind read a leaf that the set of its values saves more than it costs.
 */
static bool pays(const struct assay_emitter *e, unsigned kind, uint16_t leaf)
{
    enum { FEWEST_RULES = 16 };
    unsigned count = 0;
    for (size_t r = 0; r < e->catalogue->rule_count; r++) {
        const struct assay_rule *rule = &e->catalogue->rules[r];
        count += assay_kinds_has(&rule->kinds, kind) &&
                 (reads_leaf(&rule->when, leaf) || reads_leaf(&rule->require, leaf));
    }
    return count >= FEWEST_RULES;
}

/* Whether the summary has the set of the values of a leaf; then *at says where it is. Narrower
 * fields are well described by the bits that any row and all rows have. */
static bool find_value_set(const struct assay_emitter *e, unsigned kind, uint16_t leaf,
                           struct summarized *at)
{
    enum { NARROWEST = 4, WIDEST = 8 };
    const struct assay_field *field;
    if (e->catalogue->leaves[leaf].what == ASSAY_LEAF_FROM_KIND) {
        return find_summarized(e, kind, leaf, at);
    }
    if (e->catalogue->leaves[leaf].what != ASSAY_LEAF_FIELD ||
        !assay_emit_uses(e, kind, leaf, ASSAY_EMIT_ALWAYS) || !find_summarized(e, kind, leaf, at)) {
        return false;
    }
    field = assay_emit_field(e, kind, leaf);
    return field->type == ASSAY_ENUM && field->width >= NARROWEST && field->width <= WIDEST &&
           pays(e, kind, leaf);
}

static void put_value_set(const struct assay_emitter *e, unsigned kind, uint16_t leaf)
{
    struct summarized at;
    char column[48];
    if (find_value_set(e, kind, leaf, &at)) {
        if (at.letter == 'o') {
            snprintf(column, sizeof column, "c->o%u[i]", leaf);
        } else {
            assay_emit_column(e, kind, at.letter, at.cell, column, sizeof column);
        }
        assay_sink_printf(e->sink,
                          "    uint8_t seen_%u[ASSAY_SET_VALUES] = {0};\n"
                          "    for (uint32_t i = 0; i < %s; i++) {\n"
                          "        seen_%u[%s >> %u & UINT64_C(0x%" PRIx64 ")] = 1;\n    }\n"
                          "    assay_compiled_set(seen_%u, o->set_%u);\n",
                          leaf, at.letter == 'o' ? "c->origins" : "n", leaf, column, at.bit,
                          at.mask, leaf, leaf);
    }
}

void assay_emit_summary_struct(const struct assay_emitter *e, unsigned kind)
{
    assay_sink_printf(e->sink, "struct summary_%s {\n    uint64_t index, last_index;\n",
                      assay_emit_kind_name(e, kind));
    each_summarized(e, kind, "    uint64_t any_@, all_@;\n");
    assay_emit_each_origin(e, kind, "    uint64_t any_o@, all_o@;\n");
    for (uint16_t leaf = 0; leaf < e->catalogue->leaf_count; leaf++) {
        struct summarized at;
        if (find_value_set(e, kind, leaf, &at)) {
            assay_sink_printf(e->sink, "    uint64_t set_%u[ASSAY_SET_WORDS];\n", leaf);
        }
    }
    assay_sink_text(e->sink, "};\n\n");
}

void assay_emit_summary(const struct assay_emitter *e, unsigned kind)
{
    const char *name = assay_emit_kind_name(e, kind);
    assay_sink_printf(e->sink,
                      "ASSAY_MULTIVERSION\nstatic void summarize_%s(const struct rows_%s "
                      "*restrict c, struct summary_%s *restrict o)\n{\n"
                      "    const uint32_t n = c->count;\n    (void)n;\n    (void)o;\n",
                      name, name, name);
    each_summarized(e, kind, "    uint64_t any_@ = 0, all_@ = UINT64_MAX;\n");
    assay_sink_text(e->sink, "    for (uint32_t i = 0; i < n; i++) {\n");
    each_summarized(e, kind, "        any_@ |= $;\n        all_@ &= $;\n");
    assay_sink_text(e->sink, "    }\n");
    each_summarized(e, kind, "    o->any_@ = any_@;\n    o->all_@ = all_@;\n");
    assay_emit_each_origin(e, kind,
                           "    uint64_t any_o@ = 0, all_o@ = UINT64_MAX;\n"
                           "    for (uint32_t i = 0; i < c->origins; i++) {\n"
                           "        any_o@ |= c->o@[i];\n        all_o@ &= c->o@[i];\n    }\n"
                           "    o->any_o@ = any_o@;\n    o->all_o@ = all_o@;\n");
    for (uint16_t leaf = 0; leaf < e->catalogue->leaf_count; leaf++) {
        put_value_set(e, kind, leaf);
    }
    assay_sink_text(e->sink, "}\n\n");
}

/* --- expressions --- */

static void put_leaf(const struct assay_emitter *e, const struct assay_node *node, unsigned kind,
                     const char *name)
{
    char text[512];
    struct summarized at;
    const uint8_t what = e->catalogue->leaves[node->a].what;
    const char *second = node->flag != 0 ? "u" : "h";
    if (what == ASSAY_LEAF_KIND || assay_leaf_is_constant(&e->catalogue->leaves[node->a])) {
        assay_emit_leaf(e, kind, node->a, ASSAY_EMIT_ROW, text, sizeof text);
        assay_sink_printf(e->sink, "    const uint64_t %s = %s, %s%s = %s;\n", name, text, name,
                          second, node->flag != 0 ? "0" : name);
    } else if (what == ASSAY_LEAF_INDEX) {
        assay_sink_printf(e->sink, "    const uint64_t %s = o->index, %sh = o->last_index;\n", name,
                          name);
    } else if (find_summarized(e, kind, node->a, &at)) {
        assay_sink_printf(e->sink,
                          "    const uint64_t %s = o->all_%c%u >> %u & UINT64_C(0x%" PRIx64
                          "), %s%s = o->any_%c%u >> %u & UINT64_C(0x%" PRIx64 ")%s%s;\n",
                          name, at.letter, at.cell, at.bit, at.mask, name, second, at.letter,
                          at.cell, at.bit, at.mask, node->flag != 0 ? " & ~" : "",
                          node->flag != 0 ? name : "");
    } else {
        assay_sink_printf(e->sink, "    const uint64_t %s = 0, %s%s = %s;\n", name, name, second,
                          node->flag != 0 ? "1" : "UINT64_MAX");
    }
}

/* Bits that a constant has and a summarized field never has, or the other way round. */
static void put_impossible_bits(const struct assay_emitter *e,
                                const struct assay_expression *expression, unsigned kind,
                                const struct assay_node *comparison)
{
    const struct assay_node *a = &expression->nodes[comparison->a];
    const struct assay_node *b = &expression->nodes[comparison->b];
    struct summarized at;
    if (a->op == ASSAY_OP_LEAF && b->op == ASSAY_OP_CONSTANT &&
        find_summarized(e, kind, a->a, &at)) {
        assay_sink_printf(e->sink,
                          " & (uint64_t)((((o->any_%c%u >> %u ^ UINT64_MAX) & UINT64_C(0x%" PRIx64
                          ")) | (o->all_%c%u >> %u & UINT64_C(0x%" PRIx64 "))) == 0)",
                          at.letter, at.cell, at.bit, b->value, at.letter, at.cell, at.bit,
                          at.mask & ~b->value);
    }
}

/* Whether no row has a value from `low` to `high`, where the summary has the set of values. */
static void put_impossible_values(const struct assay_emitter *e, unsigned kind,
                                  const struct assay_node *leaf, uint64_t low, uint64_t high)
{
    struct summarized at;
    const char *sign = "";
    if (leaf->op != ASSAY_OP_LEAF || !find_value_set(e, kind, leaf->a, &at)) {
        return;
    }
    assay_sink_text(e->sink, " & (uint64_t)((");
    for (unsigned cell = 0; cell < ASSAY_SET_WORDS; cell++) {
        uint64_t mask = 0;
        for (unsigned bit = 0; bit < 64; bit++) {
            mask |= (uint64_t)(cell * 64 + bit >= low && cell * 64 + bit <= high) << bit;
        }
        if (mask != 0) {
            assay_sink_printf(e->sink, "%s(o->set_%u[%u] & UINT64_C(0x%" PRIx64 "))", sign, leaf->a,
                              cell, mask);
            sign = " | ";
        }
    }
    assay_sink_text(e->sink, *sign == '\0' ? "0) != 0)" : ") != 0)");
}

/* A comparison of numbers: whether it may hold, and whether it must. A, B: the least that the
 * operands can be; C, D: the most. */
static void put_comparison(const struct assay_emitter *e, const struct assay_expression *expression,
                           unsigned i, unsigned kind, const char *p)
{
    static const struct {
        uint8_t op;
        const char *may, *must;
    } texts[] = {{ASSAY_OP_EQ, "A <= D && B <= C", "A == C && B == D && A == B"},
                 {ASSAY_OP_NE, "A <= D && B <= C", "A == C && B == D && A == B"},
                 {ASSAY_OP_LT, "A < D", "C < B"},
                 {ASSAY_OP_LE, "A <= D", "C <= B"},
                 {ASSAY_OP_GT, "C > B", "A > D"},
                 {ASSAY_OP_GE, "C >= B", "A >= D"}};
    const struct assay_node *n = &expression->nodes[i];
    for (unsigned t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        for (unsigned part = 0; texts[t].op == n->op && part < 2; part++) {
            assay_sink_printf(e->sink, "    const uint64_t %s%u%s = (uint64_t)(", p, i,
                              part == 0 ? "_may" : "_must");
            for (const char *c = part == 0 ? texts[t].may : texts[t].must; *c != '\0'; c++) {
                if (*c >= 'A' && *c <= 'D') {
                    assay_sink_printf(e->sink, "%s%u%s", p, *c == 'A' || *c == 'C' ? n->a : n->b,
                                      *c >= 'C' ? "h" : "");
                } else {
                    assay_sink_write(e->sink, c, 1);
                }
            }
            assay_sink_text(e->sink, ")");
            if (part == 0 && (n->op == ASSAY_OP_EQ || n->op == ASSAY_OP_NE)) {
                put_impossible_bits(e, expression, kind, n);
                if (expression->nodes[n->b].op == ASSAY_OP_CONSTANT) {
                    put_impossible_values(e, kind, &expression->nodes[n->a],
                                          expression->nodes[n->b].value,
                                          expression->nodes[n->b].value);
                }
            }
            assay_sink_text(e->sink, ";\n");
        }
    }
    assay_sink_printf(e->sink,
                      n->op == ASSAY_OP_NE ? "    const uint64_t %s%u = %s%u_may ^ 1, "
                                           : "    const uint64_t %s%u = %s%u_must, ",
                      p, i, p, i);
    assay_sink_printf(e->sink, "%s%uu = %s%u_may & (%s%u_must ^ 1);\n", p, i, p, i, p, i);
}

/* Whether a node has one value in all rows, as C text. */
static void put_known(const struct assay_emitter *e, const struct assay_expression *expression,
                      unsigned i, const char *p)
{
    if (expression->nodes[i].flag != 0) {
        assay_sink_printf(e->sink, "(%s%uu ^ 1)", p, i);
    } else {
        assay_sink_printf(e->sink, "(uint64_t)(%s%u == %s%uh)", p, i, p, i);
    }
}

/* Any other operation: known where its operands are. */
static void put_other(const struct assay_emitter *e, const struct assay_expression *expression,
                      unsigned i, const char *p)
{
    const struct assay_node *n = &expression->nodes[i];
    const uint16_t operands[] = {n->a, n->b, n->c};
    assay_sink_printf(e->sink, "    const uint64_t %s%u_known = 1", p, i);
    for (unsigned o = 0; o < assay_operation_operands((enum assay_operation)n->op); o++) {
        assay_sink_text(e->sink, " & ");
        put_known(e, expression, operands[o], p);
    }
    assay_sink_printf(e->sink, ";\n    const uint64_t %s%u = (0 - %s%u_known) & (", p, i, p, i);
    assay_emit_operation(e, expression, i, p);
    if (n->flag != 0) {
        assay_sink_printf(e->sink, "), %s%uu = %s%u_known ^ 1;\n", p, i, p, i);
    } else {
        assay_sink_printf(e->sink, "), %s%uh = %s%u | (%s%u_known - 1);\n", p, i, p, i, p, i);
    }
}

/* Both have to hold. Where they are the ends of a range of values of a leaf, as in
 * `x in {1..4}`, some row must have a value between. */
static void put_and(const struct assay_emitter *e, const struct assay_expression *expression,
                    unsigned i, unsigned kind, const char *p)
{
    const struct assay_node *n = &expression->nodes[i];
    const struct assay_node *a = &expression->nodes[n->a];
    const struct assay_node *b = &expression->nodes[n->b];
    assay_sink_printf(e->sink,
                      "    const uint64_t %s%u = %s%u & %s%u, %s%uu = (((%s%u | %s%uu) & (%s%u | "
                      "%s%uu)",
                      p, i, p, n->a, p, n->b, p, i, p, n->a, p, n->a, p, n->b, p, n->b);
    if (a->op == ASSAY_OP_GE && b->op == ASSAY_OP_LE && a->a == b->a &&
        expression->nodes[a->b].op == ASSAY_OP_CONSTANT &&
        expression->nodes[b->b].op == ASSAY_OP_CONSTANT) {
        put_impossible_values(e, kind, &expression->nodes[a->a], expression->nodes[a->b].value,
                              expression->nodes[b->b].value);
    }
    assay_sink_printf(e->sink, ") | %s%u) ^ %s%u;\n", p, i, p, i);
}

static void put_operation(const struct assay_emitter *e, const struct assay_expression *expression,
                          unsigned i, unsigned kind, const char *p)
{
    const struct assay_node *n = &expression->nodes[i];
    switch ((enum assay_operation)n->op) {
    case ASSAY_OP_AND:
        put_and(e, expression, i, kind, p);
        break;
    case ASSAY_OP_OR:
        assay_sink_printf(e->sink,
                          "    const uint64_t %s%u = %s%u | %s%u, %s%uu = (%s%uu | %s%uu) & (%s%u "
                          "^ 1);\n",
                          p, i, p, n->a, p, n->b, p, i, p, n->a, p, n->b, p, i);
        break;
    case ASSAY_OP_EQ:
    case ASSAY_OP_NE:
    case ASSAY_OP_LT:
    case ASSAY_OP_LE:
    case ASSAY_OP_GT:
    case ASSAY_OP_GE:
        if (expression->nodes[n->a].flag == 0) {
            put_comparison(e, expression, i, kind, p);
            break;
        }
        put_other(e, expression, i, p);
        break;
    default:
        put_other(e, expression, i, p);
        break;
    }
}

static void put_expression(const struct assay_emitter *e, const struct assay_expression *expression,
                           unsigned kind, const char *prefix)
{
    char name[48];
    for (unsigned i = 0; i < expression->count; i++) {
        const struct assay_node *node = &expression->nodes[i];
        const bool flag = node->flag != 0;
        snprintf(name, sizeof name, "%s%u", prefix, i);
        if (node->op == ASSAY_OP_CONSTANT) {
            assay_sink_printf(e->sink,
                              "    const uint64_t %s = UINT64_C(0x%" PRIx64 "), %s%s = %s;\n", name,
                              node->value, name, flag ? "u" : "h", flag ? "0" : name);
        } else if (node->op == ASSAY_OP_LEAF) {
            put_leaf(e, node, kind, name);
        } else if (node->op == ASSAY_OP_CALL) {
            assay_sink_printf(e->sink, "    const uint64_t %s = 0, %s%s = %s;\n", name, name,
                              flag ? "u" : "h", flag ? "1" : "UINT64_MAX");
        } else {
            put_operation(e, expression, i, kind, prefix);
        }
    }
}

/* --- rules --- */

void assay_emit_undecided(const struct assay_emitter *e, unsigned kind, uint16_t r)
{
    const struct assay_rule *rule = &e->catalogue->rules[r];
    const char *name = assay_emit_kind_name(e, kind);
    assay_sink_printf(
        e->sink,
        "static bool undecided_%s_%u(const struct summary_%s *o, uint32_t n, const struct "
        "assay_judging *j)\n{\n    (void)o;\n"
        "    if (j->enabled[%u] == 0) {\n        return false;\n    }\n",
        name, r, name, r);
    assay_emit_constants(e, kind, "j->constants");
    put_expression(e, &rule->when, kind, "w");
    put_expression(e, &rule->require, kind, "r");
    if (rule->when.count == 0) {
        assay_sink_text(e->sink, "    const uint64_t all = 1, any = 1;\n");
    } else {
        const unsigned last = rule->when.count - 1u;
        assay_sink_printf(e->sink, "    const uint64_t all = w%u, any = w%u | w%uu;\n", last, last,
                          last);
    }
    assay_sink_printf(e->sink,
                      "    if ((any & ((all & r%u) ^ 1)) != 0) {\n        return true;\n    }\n"
                      "    j->exercised[%u] += all * n;\n    return false;\n}\n\n",
                      rule->require.count - 1u, r);
}
