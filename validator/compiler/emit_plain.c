/* The emitter: plain kinds, whose events change nothing of the state. The step is the same for all
 * of them but for the places that it writes to, which are in a table: so which of them an event is
 * of costs no branch. Most events of a packet layer are of plain kinds. */
#include "validator/compiler/emit.h"
#include "validator/engine/compiled.h"

/* What the step does with an event of a plain kind: see assay_emit_is_plain. The rows of the block
 * are counted here. */
void assay_emit_plain_struct(const struct assay_emitter *e)
{
    assay_sink_text(e->sink, "struct plain {\n    uint32_t *event;\n    uint64_t *previous;\n"
                             "    uint32_t count;\n");
    for (unsigned w = 0; w < assay_emit_flag_cells(e); w++) {
        assay_sink_printf(e->sink, "    uint64_t *f%u;\n", w);
    }
    assay_sink_text(e->sink, "};\n\n");
}

static bool has_cells(struct assay_emit_cells cells)
{
    return (cells.bytes | cells.values) != 0;
}

/* Whether an event of the kind changes what later ones read, apart from having come. */
static bool leaves_traces(const struct assay_emitter *e, unsigned kind)
{
    const struct assay_catalogue *c = e->catalogue;
    bool found = has_cells(assay_emit_last_cells(e, ASSAY_EMIT_ANY_KIND, kind, ASSAY_EMIT_ALL));
    for (size_t v = 0; v < c->variable_count && !found; v++) {
        found = assay_emit_update(&c->variables[v], kind) != NULL;
    }
    for (unsigned w = 0; w < assay_emit_flag_cells(e) && !found; w++) {
        found = assay_emit_changes_flags(e, kind, w);
    }
    for (uint16_t i = 0; i < c->leaf_count && !found; i++) {
        const struct assay_leaf *leaf = &c->leaves[i];
        found = ((leaf->what == ASSAY_LEAF_LAST || leaf->what == ASSAY_LEAF_COUNT) &&
                 leaf->number == kind) ||
                (leaf->what == ASSAY_LEAF_PREV && assay_emit_field(e, kind, i) != NULL &&
                 assay_emit_read_in_layer(e, c->format->kinds[kind].layer, i));
    }
    return found;
}

/* Its rules, if any, read no more of the state than flags and the last events of other kinds, and
 * nothing of origins. */
bool assay_emit_is_plain(const struct assay_emitter *e, unsigned kind)
{
    bool plain = !leaves_traces(e, kind) && !assay_emit_reads_origin(e, kind) &&
                 !e->catalogue->format->kinds[kind].is_aside;
    for (uint16_t i = 0; i < e->catalogue->leaf_count && plain; i++) {
        plain = !assay_emit_step_column(e, kind, i);
    }
    for (unsigned w = 0; w < assay_emit_previous_cells(e) && plain; w++) {
        plain = !assay_emit_previous_used(e, kind, w);
    }
    return plain;
}

void assay_emit_plain_entry(const struct assay_emitter *e, unsigned kind)
{
    const char *name = assay_emit_kind_name(e, kind);
    assay_sink_printf(e->sink, "    s->plain[%u] = (struct plain){", kind);
    if (assay_emit_asked(e, kind)) {
        assay_sink_printf(e->sink, "s->%s.event", name);
    } else {
        assay_sink_text(e->sink, "s->unasked");
    }
    assay_sink_printf(e->sink, ", &s->prev_kind_%u, 0", e->catalogue->format->kinds[kind].layer);
    for (unsigned w = 0; w < assay_emit_flag_cells(e); w++) {
        if (assay_emit_flag_cell_used(e, kind, w)) {
            assay_sink_printf(e->sink, ", s->%s.f%u", name, w);
        } else {
            assay_sink_text(e->sink, ", s->unread");
        }
    }
    assay_sink_text(e->sink, "};\n");
}

static bool is_plain_in(const struct assay_emitter *e, unsigned kind, unsigned layer)
{
    return e->catalogue->format->kinds[kind].layer == layer && assay_emit_is_plain(e, kind);
}

static bool reads_before(const struct assay_emitter *e, unsigned layer)
{
    bool found = false;
    for (uint16_t i = 0; i < e->catalogue->leaf_count && !found; i++) {
        found = e->catalogue->leaves[i].what == ASSAY_LEAF_PREV &&
                assay_emit_read_in_layer(e, layer, i);
    }
    return found;
}

/* An event of a plain kind has nothing of what is read of the event before (`prev`). */
static void put_nothing_before(const struct assay_emitter *e, unsigned layer)
{
    const struct assay_catalogue *c = e->catalogue;
    unsigned kind = 0;
    while (kind < c->format->kind_count && !is_plain_in(e, kind, layer)) {
        kind++;
    }
    if (kind == c->format->kind_count || !reads_before(e, layer)) {
        return;
    }
    assay_sink_printf(e->sink, "        if (s->plain[kind].previous == &s->prev_kind_%u) {\n",
                      layer);
    for (unsigned w = 0; w < assay_emit_previous_cells(e); w++) {
        assay_emit_previous_cell(e, kind, w);
    }
    for (uint16_t i = 0; i < c->leaf_count; i++) {
        if (c->leaves[i].what == ASSAY_LEAF_PREV && e->previous_bits[i] < 0 &&
            assay_emit_read_in_layer(e, layer, i)) {
            assay_sink_printf(e->sink, "    s->prev_%u_%u = 0;\n", i, layer);
        }
    }
    assay_sink_text(e->sink, "        }\n");
}

/* Events of plain kinds, up to one of another kind. */
static void put_step_plain(const struct assay_emitter *e)
{
    assay_sink_text(e->sink,
                    "static inline uint32_t step_plain(struct state *s, const struct assay_event "
                    "*events,\n    uint32_t at, uint32_t count)\n{\n"
                    "    const uint32_t first = at;\n");
    for (unsigned w = 0; w < assay_emit_flag_cells(e); w++) {
        assay_sink_printf(e->sink, "    const uint64_t f%u = s->f%u;\n", w, w);
    }
    assay_sink_text(e->sink, "    for (; at < count; at++) {\n"
                             "        struct plain *c = &s->plain[events[at].kind];\n"
                             "        if (c->event == NULL) {\n            break;\n        }\n"
                             "        const uint32_t i = c->count++;\n"
                             "        c->event[i] = at;\n");
    for (unsigned w = 0; w < assay_emit_flag_cells(e); w++) {
        assay_sink_printf(e->sink, "        c->f%u[i] = f%u;\n", w, w);
    }
    assay_sink_text(e->sink, "    }\n    if (at > first) {\n"
                             "        const unsigned kind = events[at - 1].kind;\n"
                             "        *s->plain[kind].previous = kind;\n");
    for (unsigned layer = 0; layer < e->catalogue->format->layer_count; layer++) {
        put_nothing_before(e, layer);
    }
    assay_sink_text(e->sink, "    }\n    return at;\n}\n\n");
}

/* Passes the rows of plain kinds on to their tables. */
static void put_end_plain(const struct assay_emitter *e)
{
    assay_sink_text(e->sink, "static void end_plain(struct state *s)\n{\n    (void)s;\n");
    for (unsigned k = 0; k < e->catalogue->format->kind_count; k++) {
        if (!assay_emit_is_plain(e, k)) {
            continue;
        }
        if (assay_emit_asked(e, k)) {
            assay_sink_printf(e->sink, "    s->%s.count = s->plain[%u].count;\n",
                              assay_emit_kind_name(e, k), k);
        }
        assay_sink_printf(e->sink,
                          "    s->count[%u] += s->plain[%u].count;\n    s->plain[%u].count = 0;\n",
                          k, k, k);
    }
    assay_sink_text(e->sink, "}\n\n");
}

void assay_emit_step_plain(const struct assay_emitter *e)
{
    put_step_plain(e);
    put_end_plain(e);
}
