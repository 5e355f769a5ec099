/* The emitter: the state, and the step that goes through the events in order and updates it. */
#include <inttypes.h>
#include <stdio.h>

#include "validator/compiler/emit.h"
#include "validator/engine/compiled.h"

/* Calls put for each cell of a set: 'b' for one of the bytes, 'd' for one of the values. */
typedef void put_cell(const struct assay_emitter *e, unsigned of, char letter, unsigned cell);

static void each_cell(const struct assay_emitter *e, struct assay_emit_cells cells, unsigned of,
                      put_cell *put)
{
    for (unsigned w = 0; w < 64; w++) {
        if ((cells.bytes >> w & 1) != 0) {
            put(e, of, 'b', w);
        }
        if ((cells.values >> w & 1) != 0) {
            put(e, of, 'd', w);
        }
    }
}

static void put_last_column(const struct assay_emitter *e, unsigned of, char letter, unsigned cell)
{
    assay_sink_printf(e->sink, "    uint64_t l%u_%c%u[%d];\n", of, letter, cell, ASSAY_COLUMN);
}

static void put_last_member(const struct assay_emitter *e, unsigned of, char letter, unsigned cell)
{
    assay_sink_printf(e->sink, "    uint64_t l%u_%c%u;\n", of, letter, cell);
}

static void put_rows_struct(const struct assay_emitter *e, unsigned kind)
{
    assay_sink_printf(
        e->sink,
        "struct rows_%s {\n    uint32_t count;\n    bool stale;\n    uint64_t gathered;\n"
        "    _Alignas(ASSAY_CACHE_LINE) uint32_t event[%d];\n",
        assay_emit_kind_name(e, kind), ASSAY_COLUMN);
    for (unsigned w = 0; w < assay_emit_flag_cells(e); w++) {
        if (assay_emit_flag_cell_used(e, kind, w)) {
            assay_sink_printf(e->sink, "    uint64_t f%u[%d];\n", w, ASSAY_COLUMN);
        }
    }
    for (unsigned w = 0; w < assay_emit_previous_cells(e); w++) {
        if (assay_emit_previous_used(e, kind, w)) {
            assay_sink_printf(e->sink, "    uint64_t p%u[%d];\n", w, ASSAY_COLUMN);
        }
    }
    assay_emit_members(e, kind);
    assay_emit_origin_members(e, kind);
    assay_emit_section_members(e, kind);
    for (unsigned of = 0; of < e->catalogue->format->kind_count; of++) {
        each_cell(e, assay_emit_last_cells(e, kind, of, ASSAY_EMIT_ALL), of, put_last_column);
    }
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        if (assay_emit_step_column(e, kind, i)) {
            assay_sink_printf(e->sink, "    uint64_t x%u[%d];\n", i, ASSAY_COLUMN);
        }
    }
    assay_sink_text(e->sink, "};\n\n");
}

static void put_state_struct(const struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    assay_sink_printf(e->sink,
                      "struct state {\n    const struct assay_event *events;\n    uint64_t "
                      "count[%zu];\n    uint64_t variable[%zu];\n",
                      c->format->kind_count, c->variable_count + 1);
    for (unsigned w = 0; w < assay_emit_flag_cells(e); w++) {
        assay_sink_printf(e->sink, "    uint64_t f%u;\n", w);
    }
    for (size_t layer = 0; layer < c->format->layer_count; layer++) {
        assay_sink_printf(e->sink, "    uint64_t prev_kind_%zu;\n", layer);
        for (unsigned w = 0; w < assay_emit_previous_cells(e); w++) {
            assay_sink_printf(e->sink, "    uint64_t p%u_%zu;\n", w, layer);
        }
        for (size_t i = 0; i < c->leaf_count; i++) {
            if (c->leaves[i].what == ASSAY_LEAF_PREV && e->previous_bits[i] < 0) {
                assay_sink_printf(e->sink, "    uint64_t prev_%zu_%zu;\n", i, layer);
            }
        }
    }
    for (unsigned of = 0; of < c->format->kind_count; of++) {
        each_cell(e, assay_emit_last_cells(e, ASSAY_EMIT_ANY_KIND, of, ASSAY_EMIT_ALL), of,
                  put_last_member);
    }
    for (size_t i = 0; i < c->leaf_count; i++) {
        if (c->leaves[i].what == ASSAY_LEAF_LAST &&
            assay_emit_own_column(e, c->leaves[i].number, (uint16_t)i)) {
            assay_sink_printf(e->sink, "    uint64_t last_%zu;\n", i);
        }
    }
    assay_sink_printf(e->sink,
                      "    uint64_t leaves[%zu];\n    uint64_t violated[%d];\n"
                      "    uint64_t unread[%d];\n    uint32_t unasked[%d];\n"
                      "    struct plain plain[%zu];\n",
                      c->leaf_count + 1, ASSAY_ROWS, ASSAY_COLUMN, ASSAY_COLUMN,
                      c->format->kind_count);
    for (unsigned k = 0; k < c->format->kind_count; k++) {
        const char *name = assay_emit_kind_name(e, k);
        if (assay_emit_asked(e, k)) {
            assay_sink_printf(e->sink, "    struct rows_%s %s;\n", name, name);
        }
    }
    assay_sink_text(e->sink, "};\n\n");
}

static void put_last_capture(const struct assay_emitter *e, unsigned of, char letter, unsigned cell)
{
    assay_sink_printf(e->sink, "    c->l%u_%c%u[i] = s->l%u_%c%u;\n", of, letter, cell, of, letter,
                      cell);
}

/* What the state holds now and rules read. */
static void put_capture(const struct assay_emitter *e, unsigned kind)
{
    char text[512];
    assay_sink_printf(e->sink,
                      "    struct rows_%s *c = &s->%s;\n    const uint32_t i = c->count++;\n"
                      "    c->event[i] = at;\n",
                      assay_emit_kind_name(e, kind), assay_emit_kind_name(e, kind));
    if (assay_emit_reads_origin(e, kind)) {
        assay_sink_printf(e->sink,
                          "    if (i == 0 || e->from != c->origin) {\n"
                          "        read_origin_%s(c, e, i);\n    }\n",
                          assay_emit_kind_name(e, kind));
    }
    for (unsigned w = 0; w < assay_emit_flag_cells(e); w++) {
        if (assay_emit_flag_cell_used(e, kind, w)) {
            assay_sink_printf(e->sink, "    c->f%u[i] = f%u;\n", w, w);
        }
    }
    for (unsigned w = 0; w < assay_emit_previous_cells(e); w++) {
        if (assay_emit_previous_used(e, kind, w)) {
            assay_sink_printf(e->sink, "    c->p%u[i] = s->p%u_%u;\n", w, w,
                              e->catalogue->format->kinds[kind].layer);
        }
    }
    each_cell(e, assay_emit_last_cells(e, kind, kind, ASSAY_EMIT_ALL), kind, put_last_capture);
    for (uint16_t n = 0; n < e->catalogue->leaf_count; n++) {
        if (assay_emit_step_column(e, kind, n)) {
            assay_emit_leaf(e, kind, n, ASSAY_EMIT_STEP, text, sizeof text);
            assay_sink_printf(e->sink, "    c->x%u[i] = %s;\n", n, text);
        }
    }
}

/* The C statement that assigns `value`, a C expression, to a variable. */
static void put_assignment(const struct assay_emitter *e, size_t variable, const char *value)
{
    const int flag = e->variable_flags[variable];
    if (flag < 0) {
        assay_sink_printf(e->sink, "    s->variable[%zu] = %s;\n", variable, value);
    } else {
        assay_sink_printf(e->sink, "    g%d |= %s << %d;\n", flag / 64, value, flag % 64);
    }
}

const struct assay_update *assay_emit_update(const struct assay_variable *variable, unsigned kind)
{
    const struct assay_update *found = NULL;
    for (uint16_t u = 0; u < variable->update_count; u++) {
        if (assay_kinds_has(&variable->updates[u].kinds, kind)) {
            found = &variable->updates[u];
        }
    }
    return found;
}

/* The flags of a cell that an event of the kind gives new values, except for the one that says that
 * the kind was seen, which is never taken back. */
static uint64_t updated_flags(const struct assay_emitter *e, unsigned kind, unsigned cell)
{
    uint64_t flags = 0;
    for (size_t v = 0; v < e->catalogue->variable_count; v++) {
        const int flag = e->variable_flags[v];
        if (flag >= 0 && (unsigned)flag / 64 == cell &&
            assay_emit_update(&e->catalogue->variables[v], kind) != NULL) {
            flags |= UINT64_C(1) << flag % 64;
        }
    }
    return flags;
}

bool assay_emit_changes_flags(const struct assay_emitter *e, unsigned kind, unsigned cell)
{
    const int seen = e->seen_flags[kind];
    return updated_flags(e, kind, cell) != 0 || (seen >= 0 && (unsigned)seen / 64 == cell);
}

/* --- what a run of events of one kind supersedes --- */

static bool expression_reads(const struct assay_expression *expression, uint16_t leaf)
{
    for (unsigned i = 0; i < expression->count; i++) {
        if (expression->nodes[i].op == ASSAY_OP_LEAF && expression->nodes[i].a == leaf) {
            return true;
        }
    }
    return false;
}

bool assay_emit_reads(const struct assay_emitter *e, unsigned kind, uint16_t leaf)
{
    const struct assay_catalogue *c = e->catalogue;
    bool found = assay_emit_used(e, kind, leaf);
    for (size_t v = 0; v < c->variable_count && !found; v++) {
        const struct assay_update *update = assay_emit_update(&c->variables[v], kind);
        found = update != NULL && expression_reads(&update->value, leaf);
    }
    return found;
}

static bool reads_variable(const struct assay_emitter *e, unsigned kind, size_t variable)
{
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        const struct assay_leaf *leaf = &e->catalogue->leaves[i];
        if (leaf->what == ASSAY_LEAF_STATE && leaf->number == variable &&
            assay_emit_reads(e, kind, i)) {
            return true;
        }
    }
    return false;
}

/* The cells of the last event of the kind that the next event of the kind reads. */
static struct assay_emit_cells own_last_read(const struct assay_emitter *e, unsigned kind)
{
    struct assay_emit_cells cells = {0, 0};
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        const struct assay_leaf *leaf = &e->catalogue->leaves[i];
        if (leaf->what == ASSAY_LEAF_LAST && leaf->number == kind &&
            assay_emit_in_cells(assay_emit_field(e, kind, i)) && assay_emit_reads(e, kind, i)) {
            assay_emit_add_cells(assay_emit_field(e, kind, i), &cells);
        }
    }
    return cells;
}

/* Only what they read is remembered. */
bool assay_emit_read_in_layer(const struct assay_emitter *e, unsigned layer, uint16_t leaf)
{
    const struct assay_format *format = e->catalogue->format;
    bool found = false;
    for (unsigned k = 0; k < format->kind_count && !found; k++) {
        found = format->kinds[k].layer == layer && assay_emit_reads(e, k, leaf);
    }
    return found;
}

/* An event writes state that events of its own kind do not read: after several in a row, only what
 * the last of them writes is ever read. Which part of the step is meant: what each event writes, or
 * what the last of a run does. */
enum part { EACH, LAST };

static bool in_part(bool read, enum part part)
{
    return read == (part == EACH);
}

/* --- new values --- */

static void put_values(const struct assay_emitter *e, unsigned kind, enum part part)
{
    const struct assay_catalogue *c = e->catalogue;
    char prefix[32];
    for (size_t v = 0; v < c->variable_count; v++) {
        const struct assay_update *update = assay_emit_update(&c->variables[v], kind);
        if (update != NULL && !assay_emit_is_of_origin(e, kind, v) &&
            in_part(reads_variable(e, kind, v), part)) {
            snprintf(prefix, sizeof prefix, "v%zu_", v);
            assay_emit_expression(e, &update->value, kind, ASSAY_EMIT_STEP, prefix, "    ");
        }
    }
}

static void put_assignments(const struct assay_emitter *e, unsigned kind, enum part part)
{
    const struct assay_catalogue *c = e->catalogue;
    char value[48];
    for (size_t v = 0; v < c->variable_count; v++) {
        const struct assay_update *update = assay_emit_update(&c->variables[v], kind);
        if (update != NULL && !assay_emit_is_of_origin(e, kind, v) &&
            in_part(reads_variable(e, kind, v), part)) {
            snprintf(value, sizeof value, "v%zu_%u", v, update->value.count - 1u);
            put_assignment(e, v, value);
        }
    }
}

static void put_remember(const struct assay_emitter *e, unsigned of, char letter, unsigned cell)
{
    assay_sink_printf(e->sink, "    s->l%u_%c%u = %c%u;\n", of, letter, cell, letter, cell);
}

/* Whether the kind itself reads anything of a previous cell. */
static bool reads_previous(const struct assay_emitter *e, unsigned kind, unsigned cell)
{
    struct assay_emit_slice slice;
    bool found = false;
    for (uint16_t i = 0; i < e->catalogue->leaf_count && !found; i++) {
        found =
            assay_emit_previous(e, i, &slice) && slice.cell == cell && assay_emit_reads(e, kind, i);
    }
    return found;
}

static void put_history(const struct assay_emitter *e, unsigned kind, enum part part)
{
    const struct assay_catalogue *c = e->catalogue;
    const bool is_aside = c->format->kinds[kind].is_aside;
    for (unsigned w = 0; w < assay_emit_previous_cells(e) && !is_aside; w++) {
        if (in_part(reads_previous(e, kind, w), part)) {
            assay_emit_previous_cell(e, kind, w);
        }
    }
    const unsigned layer = c->format->kinds[kind].layer;
    char text[512];
    for (uint16_t i = 0; i < c->leaf_count; i++) {
        const struct assay_leaf *leaf = &c->leaves[i];
        const struct assay_field *field = assay_emit_field(e, kind, i);
        if (!in_part(assay_emit_reads(e, kind, i), part)) {
            continue;
        }
        if (leaf->what == ASSAY_LEAF_PREV && e->previous_bits[i] < 0 && !is_aside &&
            assay_emit_read_in_layer(e, layer, i)) {
            if (field != NULL) {
                assay_emit_from_event(e, kind, field, text, sizeof text);
            }
            assay_sink_printf(e->sink, "    s->prev_%u_%u = %s;\n", i, layer,
                              field != NULL ? text : "0");
        } else if (leaf->what == ASSAY_LEAF_LAST && leaf->number == kind &&
                   !assay_emit_in_cells(field)) {
            assay_emit_from_event(e, kind, field, text, sizeof text);
            assay_sink_printf(e->sink, "    s->last_%u = %s;\n", i, text);
        }
    }
    const struct assay_emit_cells read = own_last_read(e, kind);
    struct assay_emit_cells cells =
        assay_emit_last_cells(e, ASSAY_EMIT_ANY_KIND, kind, ASSAY_EMIT_ALL);
    cells.bytes &= part == EACH ? read.bytes : ~read.bytes;
    cells.values &= part == EACH ? read.values : ~read.values;
    each_cell(e, cells, kind, put_remember);
    if (part == EACH && !is_aside) {
        assay_sink_printf(e->sink, "    s->prev_kind_%u = %u;\n", layer, kind);
    }
    if (part == EACH) {
        assay_sink_printf(e->sink, "    s->count[%u]++;\n", kind);
    }
}

/* New values are computed from the old ones before any is written; nothing that an event of the
 * kind reads is among those of the last event alone, which are therefore written first. Flags are
 * gathered in words of their own, to which those that stay are added last, so that an event waits
 * as little as can be for the one before it. */
static void put_updates(const struct assay_emitter *e, unsigned kind)
{
    const int seen = e->seen_flags[kind];
    for (unsigned w = 0; w < assay_emit_flag_cells(e); w++) {
        if (assay_emit_changes_flags(e, kind, w)) {
            assay_sink_printf(e->sink, "    uint64_t g%u = ", w);
            if (assay_emit_has_origin_flags(e, kind, w)) {
                assay_sink_printf(e->sink, "c->g%u;\n", w);
            } else {
                assay_sink_text(e->sink, "0;\n");
            }
        }
    }
    if (seen >= 0) {
        assay_sink_printf(e->sink, "    g%d |= UINT64_C(1) << %d;\n", seen / 64, seen % 64);
    }
    assay_sink_text(e->sink, "    if (last) {\n");
    put_values(e, kind, LAST);
    put_assignments(e, kind, LAST);
    put_history(e, kind, LAST);
    assay_sink_text(e->sink, "    }\n");
    put_values(e, kind, EACH);
    put_assignments(e, kind, EACH);
    for (unsigned w = 0; w < assay_emit_flag_cells(e); w++) {
        if (assay_emit_changes_flags(e, kind, w)) {
            assay_sink_printf(e->sink, "    s->f%u = g%u | (f%u & ~UINT64_C(0x%" PRIx64 "));\n", w,
                              w, w, updated_flags(e, kind, w));
        }
    }
    put_history(e, kind, EACH);
    assay_sink_text(e->sink, "    if (last) {\n");
    assay_emit_new_sections(e, kind);
    assay_sink_text(e->sink, "    }\n");
}

static void put_local(const struct assay_emitter *e, unsigned of, char letter, unsigned cell)
{
    (void)of;
    if (letter == 'b') {
        assay_sink_printf(e->sink, "    const uint64_t b%u = assay_load64(e->bytes + %u);\n", cell,
                          cell * 8);
    } else {
        assay_sink_printf(e->sink, "    const uint64_t d%u = e->cells[%u];\n", cell, cell);
    }
}

static struct assay_emit_cells cells_of(const struct assay_emitter *e, unsigned kind)
{
    const struct assay_kind *k = &e->catalogue->format->kinds[kind];
    struct assay_emit_cells cells = {0, 0};
    for (size_t i = 0; i < k->field_count; i++) {
        assay_emit_add_cells(&k->fields[i], &cells);
    }
    cells.values |= k->met != 0 ? UINT64_C(1) << (k->met - 1) : 0;
    return cells;
}

void assay_emit_locals(const struct assay_emitter *e, unsigned kind)
{
    each_cell(e, cells_of(e, kind), kind, put_local);
}

static void put_step_kind(const struct assay_emitter *e, unsigned kind)
{
    assay_sink_printf(
        e->sink,
        "static inline void step_%s(struct state *s, const struct assay_event *e, "
        "uint32_t at,\n    const uint64_t *k, bool last)\n{\n    (void)e;\n    (void)at;\n"
        "    (void)k;\n    (void)last;\n",
        assay_emit_kind_name(e, kind));
    /* Loaded before anything is stored; the compiler drops those that the step does not use. */
    assay_emit_locals(e, kind);
    for (unsigned w = 0; w < assay_emit_flag_cells(e); w++) {
        assay_sink_printf(e->sink, "    const uint64_t f%u = s->f%u;\n", w, w);
    }
    if (assay_emit_asked(e, kind)) {
        put_capture(e, kind);
    }
    put_updates(e, kind);
    assay_sink_text(e->sink, "}\n\n");
}

/* --- the step --- */

/* All but the rows, of which only those are read that were written before: they are most of the
 * memory, and a short input needs little of it. */
static void put_clearing(const struct assay_emitter *e)
{
    bool first = true;
    for (unsigned k = 0; k < e->catalogue->format->kind_count; k++) {
        const char *name = assay_emit_kind_name(e, k);
        if (!assay_emit_asked(e, k)) {
            continue;
        }
        if (first) {
            assay_sink_printf(e->sink, "    memset(s, 0, offsetof(struct state, %s));\n", name);
        }
        assay_sink_printf(e->sink, "    s->%s.count = 0;\n    s->%s.gathered = 0;\n", name, name);
        first = false;
    }
    if (first) {
        assay_sink_text(e->sink, "    memset(s, 0, sizeof *s);\n");
    }
}

static void put_begin(const struct assay_emitter *e)
{
    const struct assay_catalogue *c = e->catalogue;
    assay_sink_text(e->sink, "static void begin(void *state)\n{\n    struct state *s = state;\n");
    put_clearing(e);
    for (size_t v = 0; v < c->variable_count; v++) {
        const int flag = e->variable_flags[v];
        if (flag < 0) {
            assay_sink_printf(e->sink, "    s->variable[%zu] = UINT64_C(0x%" PRIx64 ");\n", v,
                              c->variables[v].init);
        } else {
            assay_sink_printf(e->sink, "    s->f%d |= UINT64_C(%" PRIu64 ") << %d;\n", flag / 64,
                              c->variables[v].init, flag % 64);
        }
    }
    for (size_t layer = 0; layer < c->format->layer_count; layer++) {
        assay_sink_printf(e->sink, "    s->prev_kind_%zu = %d;\n", layer, ASSAY_KIND_END);
    }
    for (unsigned k = 0; k < c->format->kind_count; k++) {
        if (assay_emit_is_plain(e, k)) {
            assay_emit_plain_entry(e, k);
        }
    }
    assay_sink_text(e->sink, "}\n\n");
}

void assay_emit_structures(const struct assay_emitter *e)
{
    for (unsigned k = 0; k < e->catalogue->format->kind_count; k++) {
        if (assay_emit_asked(e, k)) {
            put_rows_struct(e, k);
            assay_emit_summary_struct(e, k);
        }
    }
}

/* Events of a kind that changes the state, up to one of another kind. Their cells were last touched
 * when the block was made, and all of it does not fit into the first cache: those of the eighth
 * event ahead are asked for. */
static void put_step_case(const struct assay_emitter *e, unsigned kind)
{
    assay_sink_printf(e->sink, "        case %u:\n", kind);
    assay_emit_row_section(e, kind);
    assay_sink_printf(e->sink,
                      "            for (; !last; at++, e++) {\n"
                      "                last = e + 1 == end || e[1].kind != %u;\n"
                      "%s"
                      "                step_%s(s, e, at, k, last);\n"
                      "            }\n"
                      "            break;\n",
                      kind,
                      cells_of(e, kind).values != 0
                          ? "                __builtin_prefetch((e < far ? e + 8 : e)->cells);\n"
                          : "",
                      assay_emit_kind_name(e, kind));
}

static void put_step(const struct assay_emitter *e)
{
    assay_sink_text(e->sink,
                    "static void step(void *state, const struct assay_judging *j,\n"
                    "                 const struct assay_event *events, uint32_t count)\n"
                    "{\n"
                    "    struct state *s = state;\n"
                    "    const uint64_t *k = j->constants;\n"
                    "    const struct assay_event *const end = events + count;\n"
                    "    const struct assay_event *const far = count > 8 ? end - 8 : events;\n"
                    "    const struct assay_event *e = events;\n"
                    "    s->events = events;\n"
                    "    begin_sections(s);\n"
                    "    for (uint32_t at = 0; at < count; e = events + at) {\n"
                    "        bool last = false;\n"
                    "        switch (e->kind) {\n");
    for (unsigned k = 0; k < e->catalogue->format->kind_count; k++) {
        if (!assay_emit_is_plain(e, k)) {
            put_step_case(e, k);
        }
    }
    assay_sink_text(e->sink, "        default:\n"
                             "            at = step_plain(s, events, at, count);\n"
                             "            break;\n"
                             "        }\n"
                             "    }\n"
                             "    end_plain(s);\n"
                             "}\n\n");
}

void assay_emit_step(const struct assay_emitter *e)
{
    const size_t kinds = e->catalogue->format->kind_count;
    assay_emit_plain_struct(e);
    put_state_struct(e);
    put_begin(e);
    assay_emit_sections(e);
    assay_emit_step_plain(e);
    for (unsigned k = 0; k < kinds; k++) {
        if (!assay_emit_is_plain(e, k)) {
            assay_emit_read_origin(e, k);
            put_step_kind(e, k);
        }
        if (assay_emit_asked(e, k)) {
            assay_emit_gather(e, k);
        }
    }
    put_step(e);
    assay_sink_text(e->sink, "static const uint64_t *counts(const void *state)\n{\n"
                             "    return ((const struct state *)state)->count;\n}\n\n");
}
