/* The emitter: what is read of the last event of another kind. Such events are rare beside those
 * that read them, so that not each row has a copy of it: a table has sections, each with the cells
 * that such an event left. The event marks the table's last section as stale, and the next of
 * its rows begins one: after most events there are rows in few of the tables that read them. Rows
 * of plain kinds are written without looking; their sections are begun by the event. Sections are
 * spread over the rows only if rows must be checked. */
#include "validator/compiler/emit.h"
#include "validator/engine/compiled.h"

struct assay_emit_cells assay_emit_section_cells(const struct assay_emitter *e, unsigned kind,
                                                 unsigned of)
{
    const bool is_other = of != kind && assay_emit_asked(e, kind);
    return is_other ? assay_emit_last_cells(e, kind, of, ASSAY_EMIT_ALL)
                    : (struct assay_emit_cells){0, 0};
}

static bool has_sections_of(const struct assay_emitter *e, unsigned kind, unsigned of)
{
    const struct assay_emit_cells cells = assay_emit_section_cells(e, kind, of);
    return (cells.bytes | cells.values) != 0;
}

static bool has_sections(const struct assay_emitter *e, unsigned kind)
{
    bool found = false;
    for (unsigned of = 0; of < e->catalogue->format->kind_count && !found; of++) {
        found = has_sections_of(e, kind, of);
    }
    return found;
}

/* Text for each cell of a kind that a table has in its sections, with its name in place of @. */
static void each_cell_of(const struct assay_emitter *e, unsigned kind, unsigned of,
                         const char *text)
{
    const struct assay_emit_cells cells = assay_emit_section_cells(e, kind, of);
    for (unsigned n = 0; n < 2 * 64; n++) {
        const bool is_value = n % 2 != 0;
        const bool has = ((is_value ? cells.values : cells.bytes) >> n / 2 & 1) != 0;
        for (const char *c = text; has && *c != '\0'; c++) {
            if (*c == '@') {
                assay_sink_printf(e->sink, "%u_%c%u", of, is_value ? 'd' : 'b', n / 2);
            } else {
                assay_sink_write(e->sink, c, 1);
            }
        }
    }
}

static void each_cell(const struct assay_emitter *e, unsigned kind, const char *text)
{
    for (unsigned of = 0; of < e->catalogue->format->kind_count; of++) {
        each_cell_of(e, kind, of, text);
    }
}

void assay_emit_section_members(const struct assay_emitter *e, unsigned kind)
{
    if (has_sections(e, kind)) {
        assay_sink_text(e->sink, "    uint32_t sections;\n    uint32_t section[ASSAY_COLUMN];\n");
        each_cell(e, kind, "    uint64_t s@[ASSAY_COLUMN];\n");
    }
}

/* --- the step --- */

static void put_section(const struct assay_emitter *e, unsigned kind)
{
    const char *name = assay_emit_kind_name(e, kind);
    assay_sink_printf(e->sink,
                      "static void section_%s(struct state *s, uint32_t i)\n{\n"
                      "    struct rows_%s *c = &s->%s;\n",
                      name, name, name);
    if (assay_emit_is_plain(e, kind)) {
        assay_sink_text(
            e->sink,
            "    const uint32_t last = c->sections - (c->sections > 0);\n"
            "    const uint32_t n = c->sections - (c->sections > 0 && c->section[last] == i);\n");
    } else {
        assay_sink_text(e->sink, "    const uint32_t n = c->sections;\n    c->stale = false;\n");
    }
    assay_sink_text(e->sink, "    c->sections = n + 1;\n    c->section[n] = i;\n");
    each_cell(e, kind, "    c->s@[n] = s->l@;\n");
    assay_sink_text(e->sink, "}\n\n");
}

void assay_emit_sections(const struct assay_emitter *e)
{
    const unsigned kinds = (unsigned)e->catalogue->format->kind_count;
    for (unsigned k = 0; k < kinds; k++) {
        if (has_sections(e, k)) {
            put_section(e, k);
        }
    }
    assay_sink_text(e->sink, "static void begin_sections(struct state *s)\n{\n    (void)s;\n");
    for (unsigned k = 0; k < kinds; k++) {
        if (has_sections(e, k)) {
            const char *name = assay_emit_kind_name(e, k);
            assay_sink_printf(e->sink, "    s->%s.sections = 0;\n", name);
            assay_sink_printf(e->sink,
                              assay_emit_is_plain(e, k) ? "    section_%s(s, 0);\n"
                                                        : "    s->%s.stale = true;\n",
                              name);
        }
    }
    assay_sink_text(e->sink, "}\n\n");
}

void assay_emit_new_sections(const struct assay_emitter *e, unsigned of)
{
    for (unsigned k = 0; k < e->catalogue->format->kind_count; k++) {
        const char *name = assay_emit_kind_name(e, k);
        if (!has_sections_of(e, k, of)) {
            continue;
        }
        if (assay_emit_is_plain(e, k)) {
            assay_sink_printf(e->sink, "    section_%s(s, s->plain[%u].count);\n", name, k);
        } else {
            assay_sink_printf(e->sink, "    s->%s.stale = true;\n", name);
        }
    }
}

void assay_emit_row_section(const struct assay_emitter *e, unsigned kind)
{
    if (has_sections(e, kind)) {
        const char *name = assay_emit_kind_name(e, kind);
        assay_sink_printf(e->sink,
                          "            if (s->%s.stale) {\n"
                          "                section_%s(s, s->%s.count);\n            }\n",
                          name, name, name);
    }
}

/* --- spreading --- */

void assay_emit_spread_sections(const struct assay_emitter *e, unsigned kind, unsigned of)
{
    assay_sink_text(
        e->sink, "        for (uint32_t o = 0; o < c->sections; o++) {\n"
                 "            const uint32_t end = o + 1 < c->sections ? c->section[o + 1] : n;\n"
                 "            for (uint32_t i = c->section[o]; i < end; i++) {\n");
    each_cell_of(e, kind, of, "                c->l@[i] = c->s@[o];\n");
    assay_sink_text(e->sink, "            }\n        }\n");
}
