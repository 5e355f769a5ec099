/* The emitter: the checks. A rule has for each of its kinds a loop that only computes whether any
 * row violates it, and one that finds the rows, for the few tables in which one does. Each rule has
 * loops of its own, since most are decided by the block summary (emit_summary.c). */
#include <inttypes.h>
#include <stdio.h>

#include "validator/compiler/emit.h"
#include "validator/engine/compiled.h"

/* A condition of the rule for row i; 1 where there is none. */
static void put_condition(const struct assay_emitter *e, const struct assay_expression *expression,
                          unsigned kind, const char *name)
{
    char prefix[32];
    if (expression->count == 0) {
        assay_sink_printf(e->sink, "        const uint64_t %s = 1;\n", name);
        return;
    }
    snprintf(prefix, sizeof prefix, "of_%s_", name);
    assay_emit_expression(e, expression, kind, ASSAY_EMIT_ROW, prefix, "        ");
    assay_sink_printf(e->sink, "        const uint64_t %s = %s%u;\n", name, prefix,
                      expression->count - 1u);
}

/* Constants as locals: a load in the loop would keep it from becoming vector code. */
void assay_emit_constants(const struct assay_emitter *e, unsigned kind, const char *from)
{
    for (size_t i = 0; i < e->catalogue->leaf_count; i++) {
        if (assay_leaf_is_constant(&e->catalogue->leaves[i]) && assay_emit_used(e, kind, i)) {
            assay_sink_printf(e->sink, "    const uint64_t k%zu = %s[%zu];\n", i, from, i);
        }
    }
}

/* A loop over the rows in which `when` and `require` are what they say. */
static void put_loop(const struct assay_emitter *e, unsigned kind, const struct assay_rule *rule,
                     const char *body)
{
    assay_sink_text(e->sink, "    for (uint32_t i = 0; i < n; i++) {\n");
    put_condition(e, &rule->when, kind, "when");
    put_condition(e, &rule->require, kind, "require");
    assay_sink_printf(e->sink, "        %s\n    }\n", body);
}

/* `check_<kind>_<rule>` counts, and says whether a row violates the rule; `find_<kind>_<rule>` says
 * which rows do. Both are of rules that are enabled. */
static void put_check(const struct assay_emitter *e, unsigned kind, uint16_t r)
{
    const struct assay_rule *rule = &e->catalogue->rules[r];
    const char *name = assay_emit_kind_name(e, kind);
    assay_sink_printf(e->sink,
                      "ASSAY_MULTIVERSION\nstatic uint64_t check_%s_%u(const struct rows_%s "
                      "*restrict c, const struct assay_judging *j)\n{\n"
                      "    const uint32_t n = c->count;\n    uint64_t bad = 0;\n"
                      "    uint64_t exercised = 0;\n",
                      name, r, name);
    assay_emit_constants(e, kind, "j->constants");
    put_loop(e, kind, rule, "exercised += when;\n        bad |= when & (require ^ 1);");
    assay_sink_printf(e->sink, "    j->exercised[%u] += exercised;\n    return bad;\n}\n\n", r);
    assay_sink_printf(e->sink,
                      "static void find_%s_%u(const struct rows_%s *restrict c, const struct "
                      "assay_judging *j,\n    uint64_t *restrict violated)\n{\n"
                      "    const uint32_t n = c->count;\n    (void)j;\n",
                      name, r, name);
    assay_emit_constants(e, kind, "j->constants");
    put_loop(e, kind, rule, "violated[i] = when & (require ^ 1);");
    assay_sink_text(e->sink, "}\n\n");
}

static void put_fill(const struct assay_emitter *e, unsigned kind)
{
    char text[512];
    assay_sink_printf(e->sink,
                      "void PART(fill_%s)(const void *rows, uint32_t i, const uint64_t *k, "
                      "uint64_t *leaves_out)\n{\n    const struct rows_%s *c = rows;\n"
                      "    (void)c;\n    (void)i;\n    (void)k;\n    (void)leaves_out;\n",
                      assay_emit_kind_name(e, kind), assay_emit_kind_name(e, kind));
    assay_emit_constants(e, kind, "k");
    for (uint16_t n = 0; n < e->catalogue->leaf_count; n++) {
        if (assay_emit_used(e, kind, n)) {
            assay_emit_leaf(e, kind, n, ASSAY_EMIT_ROW, text, sizeof text);
            assay_sink_printf(e->sink, "    leaves_out[%u] = %s;\n", n, text);
        }
    }
    assay_sink_text(e->sink, "}\n\n");
}

static bool is_of(const struct assay_emitter *e, unsigned kind, size_t r)
{
    return assay_kinds_has(&e->catalogue->rules[r].kinds, kind);
}

/* A rule in the function of its part: its rows are checked where the summary leaves it undecided.
 */
static void put_rule(const struct assay_emitter *e, unsigned kind, size_t r)
{
    const char *name = assay_emit_kind_name(e, kind);
    const uint64_t units = assay_emit_units_of_rule(e, kind, &e->catalogue->rules[r]);
    assay_sink_printf(e->sink,
                      "    if (undecided_%s_%zu(o, c->count, j)) {\n"
                      "        if ((UINT64_C(0x%" PRIx64 ") & ~c->gathered) != 0) {\n"
                      "            PART(gather_%s)(c, events, UINT64_C(0x%" PRIx64 "));\n"
                      "        }\n"
                      "        if (check_%s_%zu(c, j) != 0) {\n"
                      "            PART(gather_%s)(c, events, UINT64_MAX);\n"
                      "            find_%s_%zu(c, j, violated);\n"
                      "            assay_compiled_report(j, %zu, violated, c->count, c->event, c,\n"
                      "                PART(fill_%s), leaves);\n"
                      "        }\n    }\n",
                      name, r, units, name, units, name, r, name, name, r, r, name);
}

/* What a part is given of a table. */
static const char part_arguments[] =
    "struct rows_%s *c, const struct summary_%s *o,\n"
    "    const struct assay_event *events, uint64_t *violated, uint64_t *leaves,\n"
    "    const struct assay_judging *j)";

static void put_part_name(const struct assay_emitter *e, unsigned kind, unsigned part)
{
    const char *name = assay_emit_kind_name(e, kind);
    assay_sink_printf(e->sink, "void PART(rules_%s_%u)(", name, part);
    assay_sink_printf(e->sink, part_arguments, name, name);
}

void assay_emit_rule_functions(const struct assay_emitter *e, unsigned parts)
{
    for (unsigned k = 0; k < e->catalogue->format->kind_count; k++) {
        if (!assay_emit_asked(e, k)) {
            continue;
        }
        const char *name = assay_emit_kind_name(e, k);
        assay_sink_printf(e->sink,
                          "SHARED void PART(gather_%s)(struct rows_%s *c,\n"
                          "    const struct assay_event *events, uint64_t units);\n"
                          "SHARED void PART(fill_%s)(const void *rows, uint32_t i,\n"
                          "    const uint64_t *k, uint64_t *leaves_out);\n",
                          name, name, name);
        for (unsigned part = 0; part < parts; part++) {
            assay_sink_text(e->sink, "SHARED ");
            put_part_name(e, k, part);
            assay_sink_text(e->sink, ";\n");
        }
    }
}

/* Rules of one area are emitted together: they read the same columns, which are then still in the
 * cache.
 */
static void put_rules_of_kind(const struct assay_emitter *e, unsigned kind, unsigned part,
                              unsigned parts)
{
    const size_t first = e->catalogue->rule_count * part / parts;
    const size_t end = e->catalogue->rule_count * (part + 1) / parts;
    for (size_t r = first; r < end; r++) {
        if (is_of(e, kind, r)) {
            assay_emit_undecided(e, kind, (uint16_t)r);
            put_check(e, kind, (uint16_t)r);
        }
    }
    put_part_name(e, kind, part);
    assay_sink_text(e->sink, "\n{\n    (void)c;\n    (void)o;\n    (void)events;\n"
                             "    (void)violated;\n    (void)leaves;\n    (void)j;\n");
    for (size_t r = first; r < end; r++) {
        if (is_of(e, kind, r)) {
            put_rule(e, kind, r);
        }
    }
    assay_sink_text(e->sink, "}\n\n");
}

void assay_emit_rules(const struct assay_emitter *e, unsigned part, unsigned parts)
{
    for (unsigned k = 0; k < e->catalogue->format->kind_count; k++) {
        if (assay_emit_asked(e, k)) {
            put_rules_of_kind(e, k, part, parts);
        }
    }
}

static void put_check_kind(const struct assay_emitter *e, unsigned kind, unsigned parts)
{
    const char *name = assay_emit_kind_name(e, kind);
    const uint64_t summarized = assay_emit_units(e, kind, assay_emit_summary_cells(e, kind));
    assay_sink_printf(e->sink,
                      "static void check_%s(struct state *s, const struct assay_judging *j)\n{\n"
                      "    struct rows_%s *c = &s->%s;\n    struct summary_%s o;\n"
                      "    if (c->count > 0) {\n"
                      "        PART(gather_%s)(c, s->events, UINT64_C(0x%" PRIx64 "));\n"
                      "        summarize_%s(c, &o);\n"
                      "        o.index = s->events[c->event[0]].index;\n"
                      "        o.last_index = s->events[c->event[c->count - 1]].index;\n",
                      name, name, name, name, name, summarized, name);
    for (unsigned part = 0; part < parts; part++) {
        assay_sink_printf(e->sink,
                          "        PART(rules_%s_%u)(c, &o, s->events, s->violated, s->leaves, "
                          "j);\n",
                          name, part);
    }
    assay_sink_text(e->sink, "        c->count = 0;\n        c->gathered = 0;\n    }\n}\n\n");
}

void assay_emit_check(const struct assay_emitter *e, unsigned parts)
{
    const size_t kinds = e->catalogue->format->kind_count;
    for (unsigned k = 0; k < kinds; k++) {
        if (assay_emit_asked(e, k)) {
            assay_emit_summary(e, k);
            put_fill(e, k);
            put_check_kind(e, k, parts);
        }
    }
    assay_sink_text(e->sink, "static void check(void *state, const struct assay_judging *j)\n{\n"
                             "    (void)state;\n    (void)j;\n");
    for (unsigned k = 0; k < kinds; k++) {
        if (assay_emit_asked(e, k)) {
            assay_sink_printf(e->sink, "    check_%s(state, j);\n", assay_emit_kind_name(e, k));
        }
    }
    assay_sink_text(e->sink, "}\n\n");
}
