/* The emitter: the columns of a kind's table, and how they are filled. What the state was when an
 * event came is written to columns by the step. What the event itself holds is still there when the
 * table is checked, and is gathered into columns then: first the cells of the block summary
 * (emit_summary.c), and the others only when a rule that reads them is undecided.
 *
 * A unit is what is gathered at once: one column; four columns of cells that are adjacent in the
 * event, which is faster than four times one; or two times four, where the summary covers all
 * eight. */
#include <inttypes.h>
#include <stdio.h>

#include "validator/compiler/emit.h"
#include "validator/engine/compiled.h"

static const char letters[] = {'b', 'd'};

/* The cells of a kind that surely are there in each of its events, by letter. */
static unsigned words_there(const struct assay_emitter *e, unsigned kind, char letter)
{
    const struct assay_kind *k = &e->catalogue->format->kinds[kind];
    const unsigned lead = e->catalogue->format->lead_bits;
    if (letter == 'b') {
        return k->bits > lead ? (k->bits - lead) / 64 : 0;
    }
    return (assay_kind_cells(k) + ASSAY_EMIT_ADJACENT - 1) / ASSAY_EMIT_ADJACENT *
           ASSAY_EMIT_ADJACENT;
}

static uint64_t words_read(const struct assay_emitter *e, unsigned kind, char letter)
{
    const struct assay_emit_cells cells = assay_emit_own_cells(e, kind, ASSAY_EMIT_ALL);
    return letter == 'b' ? cells.bytes : cells.values;
}

bool assay_emit_adjacent(const struct assay_emitter *e, unsigned kind, char letter, unsigned cell)
{
    const unsigned first = cell / ASSAY_EMIT_ADJACENT * ASSAY_EMIT_ADJACENT;
    if (letter != 'b' && letter != 'd') {
        return false;
    }
    const uint64_t read = words_read(e, kind, letter) >> first & assay_mask(ASSAY_EMIT_ADJACENT);
    return first + ASSAY_EMIT_ADJACENT <= words_there(e, kind, letter) && (read & (read - 1)) != 0;
}

void assay_emit_column(const struct assay_emitter *e, unsigned kind, char letter, unsigned cell,
                       char *text, size_t size)
{
    const unsigned first = cell / ASSAY_EMIT_ADJACENT * ASSAY_EMIT_ADJACENT;
    if (assay_emit_adjacent(e, kind, letter, cell)) {
        snprintf(text, size, "c->%c%ux%u[%u][i]", letter, first, ASSAY_EMIT_ADJACENT, cell - first);
    } else {
        snprintf(text, size, "c->%c%u[i]", letter, cell);
    }
}

/* --- units --- */

/* Whether the summary covers one of four cells that are gathered together. */
static bool summarizes(const struct assay_emitter *e, unsigned kind, char letter, unsigned first)
{
    const struct assay_emit_cells cells = assay_emit_summary_cells(e, kind);
    const uint64_t set = letter == 'b' ? cells.bytes : cells.values;
    return first < 64 && assay_emit_adjacent(e, kind, letter, first) &&
           (set >> first & assay_mask(ASSAY_EMIT_ADJACENT)) != 0;
}

/* Whether four cells from `first` on are gathered with the four before them. */
static bool goes_along(const struct assay_emitter *e, unsigned kind, char letter, unsigned first)
{
    return first % (2 * ASSAY_EMIT_ADJACENT) != 0 && summarizes(e, kind, letter, first) &&
           summarizes(e, kind, letter, first - ASSAY_EMIT_ADJACENT);
}

/* A unit; `count` cells from `first` on, or with a count of 0 the leaf of that number, or by the
 * letter 'l' all cells of the last event of another kind, that number. */
struct unit {
    char letter;
    unsigned first, count;
};

enum { MOST_UNITS = ASSAY_EMIT_UNITS };

/* Whether the event itself gives the value of a leaf that has a column of its own. */
static bool event_holds(const struct assay_emitter *e, uint16_t leaf)
{
    switch ((enum assay_leaf_kind)e->catalogue->leaves[leaf].what) {
    case ASSAY_LEAF_FIELD:
    case ASSAY_LEAF_FROM:
    case ASSAY_LEAF_FROM_KIND:
    case ASSAY_LEAF_INDEX:
    case ASSAY_LEAF_OFFSET:
    case ASSAY_LEAF_BITS:
    case ASSAY_LEAF_FAULT:
        return true;
    default:
        return false;
    }
}

bool assay_emit_step_column(const struct assay_emitter *e, unsigned kind, uint16_t leaf)
{
    return assay_emit_used(e, kind, leaf) && assay_emit_own_column(e, kind, leaf) &&
           !event_holds(e, leaf);
}

/* Of those that are too many the last is retained; the caller checks the count first. */
static void add_unit(struct unit *units, unsigned *count, struct unit unit)
{
    units[*count < MOST_UNITS ? *count : MOST_UNITS - 1] = unit;
    (*count)++;
}

static unsigned units_of(const struct assay_emitter *e, unsigned kind, struct unit *units)
{
    unsigned count = 0;
    for (unsigned l = 0; l < sizeof letters; l++) {
        const char letter = letters[l];
        for (unsigned w = 0; w < 64; w++) {
            if (!assay_emit_adjacent(e, kind, letter, w)) {
                if ((words_read(e, kind, letter) >> w & 1) != 0) {
                    add_unit(units, &count, (struct unit){letter, w, 1});
                }
            } else if (w % ASSAY_EMIT_ADJACENT == 0 && !goes_along(e, kind, letter, w)) {
                const bool twice = goes_along(e, kind, letter, w + ASSAY_EMIT_ADJACENT);
                add_unit(units, &count,
                         (struct unit){letter, w,
                                       twice ? 2 * ASSAY_EMIT_ADJACENT : ASSAY_EMIT_ADJACENT});
            }
        }
    }
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        if (assay_emit_used(e, kind, i) && assay_emit_own_column(e, kind, i) && event_holds(e, i)) {
            add_unit(units, &count, (struct unit){'x', i, 0});
        }
    }
    for (unsigned of = 0; of < e->catalogue->format->kind_count; of++) {
        const struct assay_emit_cells cells = assay_emit_section_cells(e, kind, of);
        if ((cells.bytes | cells.values) != 0) {
            add_unit(units, &count, (struct unit){'l', of, 0});
        }
    }
    return count;
}

unsigned assay_emit_unit_count(const struct assay_emitter *e, unsigned kind)
{
    struct unit units[MOST_UNITS];
    return units_of(e, kind, units);
}

/* Whether a unit of leaves holds one. */
static bool holds_leaf(const struct assay_emitter *e, const struct unit *unit, int leaf)
{
    if (unit->letter == 'x') {
        return (int)unit->first == leaf;
    }
    return leaf >= 0 && e->catalogue->leaves[leaf].what == ASSAY_LEAF_LAST &&
           e->catalogue->leaves[leaf].number == unit->first;
}

/* The units that hold these cells, or a leaf. */
static uint64_t units_with(const struct assay_emitter *e, unsigned kind,
                           struct assay_emit_cells cells, int leaf)
{
    struct unit units[MOST_UNITS];
    const unsigned count = units_of(e, kind, units);
    uint64_t mask = 0;
    for (unsigned u = 0; u < count && u < MOST_UNITS; u++) {
        const uint64_t set = units[u].letter == 'b' ? cells.bytes : cells.values;
        const bool holds = units[u].count == 0
                               ? holds_leaf(e, &units[u], leaf)
                               : (set >> units[u].first & assay_mask(units[u].count)) != 0;
        mask |= (uint64_t)holds << u;
    }
    return mask;
}

uint64_t assay_emit_units(const struct assay_emitter *e, unsigned kind,
                          struct assay_emit_cells cells)
{
    return units_with(e, kind, cells, -1);
}

static uint64_t units_of_expression(const struct assay_emitter *e, unsigned kind,
                                    const struct assay_expression *expression)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < expression->count; i++) {
        const uint16_t leaf = expression->nodes[i].a;
        struct assay_emit_cells cells = {0, 0};
        if (expression->nodes[i].op != ASSAY_OP_LEAF) {
            continue;
        }
        if (e->catalogue->leaves[leaf].what == ASSAY_LEAF_FIELD &&
            !assay_emit_own_column(e, kind, leaf)) {
            assay_emit_add_cells(assay_emit_field(e, kind, leaf), &cells);
        }
        mask |= units_with(e, kind, cells, leaf);
    }
    return mask;
}

uint64_t assay_emit_units_of_rule(const struct assay_emitter *e, unsigned kind,
                                  const struct assay_rule *rule)
{
    return units_of_expression(e, kind, &rule->when) | units_of_expression(e, kind, &rule->require);
}

/* --- text --- */

void assay_emit_members(const struct assay_emitter *e, unsigned kind)
{
    struct unit units[MOST_UNITS];
    const unsigned count = units_of(e, kind, units);
    for (unsigned u = 0; u < count && u < MOST_UNITS; u++) {
        for (unsigned w = 0; units[u].count > 1 && w < units[u].count; w += ASSAY_EMIT_ADJACENT) {
            assay_sink_printf(e->sink, "    uint64_t %c%ux%u[%u][%d];\n", units[u].letter,
                              units[u].first + w, ASSAY_EMIT_ADJACENT, ASSAY_EMIT_ADJACENT,
                              ASSAY_COLUMN);
        }
        if (units[u].count <= 1 && units[u].letter != 'l') {
            assay_sink_printf(e->sink, "    uint64_t %c%u[%d];\n", units[u].letter, units[u].first,
                              ASSAY_COLUMN);
        }
    }
}

static void put_gather(const struct assay_emitter *e, unsigned kind, const struct unit *unit)
{
    char text[512];
    const bool bytes = unit->letter == 'b';
    if (unit->count > 1) {
        assay_sink_printf(
            e->sink, "        assay_compiled_%s(events, c->event, n, %u, c->%c%ux%u, ",
            bytes ? "bytes" : "cells", unit->first, unit->letter, unit->first, ASSAY_EMIT_ADJACENT);
        assay_sink_printf(e->sink,
                          unit->count > ASSAY_EMIT_ADJACENT ? "c->%c%ux%u);\n" : "NULL);\n",
                          unit->letter, unit->first + ASSAY_EMIT_ADJACENT, ASSAY_EMIT_ADJACENT);
        return;
    }
    if (unit->letter == 'l') {
        assay_emit_spread_sections(e, kind, unit->first);
        return;
    }
    if (unit->letter == 'x') {
        const uint16_t leaf = (uint16_t)unit->first;
        const uint8_t what = e->catalogue->leaves[leaf].what;
        if (what == ASSAY_LEAF_FROM || what == ASSAY_LEAF_FROM_KIND) {
            assay_emit_spread_origin(e, leaf);
            return;
        }
        assay_emit_leaf(e, kind, leaf, ASSAY_EMIT_STEP, text, sizeof text);
    } else {
        snprintf(text, sizeof text, bytes ? "assay_load64(e->bytes + %u)" : "e->cells[%u]",
                 bytes ? unit->first * 8 : unit->first);
    }
    assay_sink_printf(e->sink,
                      "        for (uint32_t i = 0; i < n; i++) {\n"
                      "            const struct assay_event *e = &events[c->event[i]];\n"
                      "            c->%c%u[i] = %s;\n        }\n",
                      unit->letter, unit->first, text);
}

void assay_emit_gather(const struct assay_emitter *e, unsigned kind)
{
    struct unit units[MOST_UNITS];
    const unsigned count = units_of(e, kind, units);
    const char *name = assay_emit_kind_name(e, kind);
    assay_sink_printf(e->sink,
                      "void PART(gather_%s)(struct rows_%s *c, const struct assay_event *events, "
                      "uint64_t units)\n{\n    const uint32_t n = c->count;\n"
                      "    (void)events;\n    (void)n;\n"
                      "    units &= ~c->gathered;\n    c->gathered |= units;\n",
                      name, name);
    for (unsigned u = 0; u < count && u < MOST_UNITS; u++) {
        assay_sink_printf(e->sink, "    if ((units >> %u & 1) != 0) {\n", u);
        put_gather(e, kind, &units[u]);
        assay_sink_text(e->sink, "    }\n");
    }
    assay_sink_text(e->sink, "}\n\n");
}
