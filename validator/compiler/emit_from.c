/* The emitter: what is read of the events that events of a kind come from, their origins. Several
 * events in a row come from the same one, as the runs of instructions that a packet reports. So a
 * table has another one of its origins, with columns of their own and the row at which each begins:
 * an origin is read once, by the step, and its values are spread over the rows only if rows must be
 * checked. The block summary (emit_summary.c) covers the origins. */
#include <stdio.h>

#include "validator/compiler/emit.h"
#include "validator/engine/compiled.h"

bool assay_emit_is_origin(const struct assay_emitter *e, unsigned kind, uint16_t leaf)
{
    const uint8_t what = e->catalogue->leaves[leaf].what;
    return (what == ASSAY_LEAF_FROM || what == ASSAY_LEAF_FROM_KIND) && assay_emit_asked(e, kind) &&
           assay_emit_reads(e, kind, leaf);
}

bool assay_emit_reads_origin(const struct assay_emitter *e, unsigned kind)
{
    bool found = false;
    for (uint16_t i = 0; i < e->catalogue->leaf_count && !found; i++) {
        found = assay_emit_is_origin(e, kind, i);
    }
    return found;
}

void assay_emit_each_origin(const struct assay_emitter *e, unsigned kind, const char *text)
{
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        for (const char *c = text; assay_emit_is_origin(e, kind, i) && *c != '\0'; c++) {
            if (*c == '@') {
                assay_sink_printf(e->sink, "%u", i);
            } else {
                assay_sink_write(e->sink, c, 1);
            }
        }
    }
}

bool assay_emit_is_of_origin(const struct assay_emitter *e, unsigned kind, size_t variable)
{
    const struct assay_update *update = assay_emit_update(&e->catalogue->variables[variable], kind);
    unsigned leaves = 0;
    if (update == NULL || e->variable_flags[variable] < 0) {
        return false;
    }
    for (unsigned i = 0; i < update->value.count; i++) {
        const struct assay_node *node = &update->value.nodes[i];
        if (node->op == ASSAY_OP_LEAF && !assay_emit_is_origin(e, kind, node->a)) {
            return false;
        }
        leaves += node->op == ASSAY_OP_LEAF;
    }
    return leaves > 0;
}

bool assay_emit_has_origin_flags(const struct assay_emitter *e, unsigned kind, unsigned cell)
{
    bool found = false;
    for (size_t v = 0; v < e->catalogue->variable_count && !found; v++) {
        found = assay_emit_is_of_origin(e, kind, v) && (unsigned)e->variable_flags[v] / 64 == cell;
    }
    return found;
}

void assay_emit_origin_members(const struct assay_emitter *e, unsigned kind)
{
    if (assay_emit_reads_origin(e, kind)) {
        assay_sink_text(e->sink, "    const struct assay_event *origin;\n    uint32_t origins;\n"
                                 "    uint32_t first[ASSAY_COLUMN];\n");
        assay_emit_each_origin(e, kind, "    uint64_t o@[ASSAY_COLUMN];\n");
    }
    for (unsigned w = 0; w < assay_emit_flag_cells(e); w++) {
        if (assay_emit_has_origin_flags(e, kind, w)) {
            assay_sink_printf(e->sink, "    uint64_t g%u;\n", w);
        }
    }
}

/* --- reading --- */

/* Fields of the event right below, by its kind. */
static void put_fields(const struct assay_emitter *e, unsigned kind, unsigned of)
{
    const struct assay_catalogue *c = e->catalogue;
    bool any = false;
    char text[512];
    for (uint16_t i = 0; i < c->leaf_count; i++) {
        const struct assay_leaf *leaf = &c->leaves[i];
        const struct assay_field *field = assay_leaf_field(c, leaf, of);
        if (assay_emit_is_origin(e, kind, i) && leaf->number == 1 && field != NULL) {
            if (!any) {
                assay_sink_printf(e->sink, "        case %u: {\n", of);
                assay_emit_locals(e, of);
                any = true;
            }
            assay_emit_from_event(e, of, field, text, sizeof text);
            assay_sink_printf(e->sink, "            o%u = %s;\n", i, text);
        }
    }
    if (any) {
        assay_sink_text(e->sink, "            break;\n        }\n");
    }
}

/* What is not a field of the event right below. */
static void put_others(const struct assay_emitter *e, unsigned kind)
{
    for (uint16_t i = 0; i < e->catalogue->leaf_count; i++) {
        const struct assay_leaf *leaf = &e->catalogue->leaves[i];
        if (!assay_emit_is_origin(e, kind, i)) {
            continue;
        }
        if (leaf->number != 1) {
            assay_sink_printf(e->sink, "    o%u = assay_leaf_from(&assay_catalogue_%s, %u, of);\n",
                              i, e->catalogue->format->name, i);
        } else if (leaf->what == ASSAY_LEAF_FROM_KIND) {
            assay_sink_printf(e->sink, "    o%u = e != NULL ? e->kind : %d;\n", i, ASSAY_KIND_END);
        } else if (leaf->name == NULL) {
            assay_sink_printf(e->sink, "    o%u = e != NULL;\n", i);
        }
    }
}

/* The flags that only depend on the origin. */
static void put_flags(const struct assay_emitter *e, unsigned kind)
{
    char prefix[32];
    for (unsigned w = 0; w < assay_emit_flag_cells(e); w++) {
        if (assay_emit_has_origin_flags(e, kind, w)) {
            assay_sink_printf(e->sink, "    c->g%u = 0;\n", w);
        }
    }
    for (size_t v = 0; v < e->catalogue->variable_count; v++) {
        const struct assay_update *update = assay_emit_update(&e->catalogue->variables[v], kind);
        const int flag = e->variable_flags[v];
        if (assay_emit_is_of_origin(e, kind, v)) {
            snprintf(prefix, sizeof prefix, "v%zu_", v);
            assay_emit_expression(e, &update->value, kind, ASSAY_EMIT_STEP, prefix, "    ");
            assay_sink_printf(e->sink, "    c->g%d |= v%zu_%u << %d;\n", flag / 64, v,
                              update->value.count - 1u, flag % 64);
        }
    }
}

void assay_emit_read_origin(const struct assay_emitter *e, unsigned kind)
{
    const struct assay_format *format = e->catalogue->format;
    const char *name = assay_emit_kind_name(e, kind);
    if (!assay_emit_reads_origin(e, kind)) {
        return;
    }
    assay_sink_printf(e->sink,
                      "static void read_origin_%s(struct rows_%s *c, const struct assay_event *of, "
                      "uint32_t i)\n{\n"
                      "    const struct assay_event *e = of->from;\n"
                      "    const uint32_t n = i == 0 ? 0 : c->origins;\n"
                      "    c->origin = e;\n    c->origins = n + 1;\n    c->first[n] = i;\n",
                      name, name);
    assay_emit_each_origin(e, kind, "    uint64_t o@ = 0;\n");
    assay_sink_text(e->sink, "    if (e != NULL) {\n        switch (e->kind) {\n");
    for (unsigned of = 0; of < format->kind_count; of++) {
        if (format->kinds[of].layer + 1u == format->kinds[kind].layer) {
            put_fields(e, kind, of);
        }
    }
    assay_sink_text(e->sink, "        default:\n            break;\n        }\n    }\n");
    put_others(e, kind);
    assay_emit_each_origin(e, kind, "    c->o@[n] = o@;\n");
    put_flags(e, kind);
    assay_sink_text(e->sink, "}\n\n");
}

/* --- spreading --- */

void assay_emit_spread_origin(const struct assay_emitter *e, uint16_t leaf)
{
    assay_sink_printf(e->sink,
                      "        for (uint32_t o = 0; o < c->origins; o++) {\n"
                      "            const uint32_t end = o + 1 < c->origins ? c->first[o + 1] : n;\n"
                      "            for (uint32_t i = c->first[o]; i < end; i++) {\n"
                      "                c->x%u[i] = c->o%u[o];\n            }\n        }\n",
                      leaf, leaf);
}
