/* The emitter, fourth part: the checks. The rules of a kind are checked in groups; a group has a
 * loop that only says whether any row violates any rule, and one that says which, for the few
 * tables in which one does. */
#include <inttypes.h>
#include <stdio.h>

#include "validator/compiler/emit.h"
#include "validator/engine/compiled.h"

/* Rules in one loop: more would spill the vector registers, fewer would load the columns anew. */
enum { GROUP = 2 };

static void put_condition(const struct assay_emitter *e, const struct assay_expression *expression,
                          unsigned kind, size_t rule, char letter)
{
    char prefix[32];
    if (expression->count > 0) {
        snprintf(prefix, sizeof prefix, "%c%zu_", letter, rule);
        assay_emit_expression(e, expression, kind, ASSAY_EMIT_ROW, prefix, "        ");
    }
}

static void put_verdict(const struct assay_emitter *e, unsigned kind, size_t r)
{
    const struct assay_rule *rule = &e->catalogue->rules[r];
    put_condition(e, &rule->when, kind, r, 'w');
    put_condition(e, &rule->require, kind, r, 'r');
    assay_sink_printf(e->sink, "        const uint64_t bad%zu = (r%zu_%u ^ 1) & e%zu", r, r,
                      rule->require.count - 1u, r);
    if (rule->when.count > 0) {
        assay_sink_printf(e->sink, " & w%zu_%u", r, rule->when.count - 1u);
    }
    assay_sink_text(e->sink, ";\n");
}

/* Constants as locals: a load in the loop would keep it from becoming vector code. */
void assay_emit_constants(const struct assay_emitter *e, unsigned kind, const char *from)
{
    for (size_t i = 0; i < e->catalogue->leaf_count; i++) {
        const uint8_t what = e->catalogue->leaves[i].what;
        if ((what == ASSAY_LEAF_FACT || what == ASSAY_LEAF_READING) &&
            assay_emit_used(e, kind, i)) {
            assay_sink_printf(e->sink, "    const uint64_t k%zu = %s[%zu];\n", i, from, i);
        }
    }
}

static void put_head(const struct assay_emitter *e, unsigned kind, const uint16_t *rules,
                     unsigned count, unsigned group, const char *verb, const char *result)
{
    assay_sink_printf(e->sink,
                      "ASSAY_MULTIVERSION\nstatic %s %s_%s_%u(const struct rows_%s *restrict c, "
                      "const struct assay_judging *j,\n    uint64_t *restrict violated)\n{\n"
                      "    const uint32_t n = c->count;\n"
                      "    (void)violated;\n",
                      result, verb, assay_emit_kind_name(e, kind), group,
                      assay_emit_kind_name(e, kind));
    assay_emit_constants(e, kind, "j->constants");
    for (unsigned i = 0; i < count; i++) {
        assay_sink_printf(e->sink, "    const uint64_t e%u = j->enabled[%u];\n", rules[i],
                          rules[i]);
    }
}

static void put_check(const struct assay_emitter *e, unsigned kind, const uint16_t *rules,
                      unsigned count, unsigned group)
{
    put_head(e, kind, rules, count, group, "check", "uint64_t");
    assay_sink_text(e->sink, "    uint64_t bad = 0;\n");
    for (unsigned i = 0; i < count; i++) {
        assay_sink_printf(e->sink, "    uint64_t n%u = 0;\n", rules[i]);
    }
    assay_sink_text(e->sink, "    for (uint32_t i = 0; i < n; i++) {\n");
    for (unsigned i = 0; i < count; i++) {
        const struct assay_rule *rule = &e->catalogue->rules[rules[i]];
        put_verdict(e, kind, rules[i]);
        if (rule->when.count > 0) {
            assay_sink_printf(e->sink, "        n%u += w%u_%u;\n", rules[i], rules[i],
                              rule->when.count - 1u);
        }
        assay_sink_printf(e->sink, "        bad |= bad%u;\n", rules[i]);
    }
    assay_sink_text(e->sink, "    }\n");
    for (unsigned i = 0; i < count; i++) {
        const bool always = e->catalogue->rules[rules[i]].when.count == 0;
        assay_sink_printf(e->sink, "    j->exercised[%u] += (n%u%s) & (0 - e%u);\n", rules[i],
                          rules[i], always ? " + n" : "", rules[i]);
    }
    assay_sink_text(e->sink, "    return bad;\n}\n\n");
}

static void put_find(const struct assay_emitter *e, unsigned kind, const uint16_t *rules,
                     unsigned count, unsigned group)
{
    put_head(e, kind, rules, count, group, "find", "void");
    assay_sink_text(e->sink, "    for (uint32_t i = 0; i < n; i++) {\n");
    for (unsigned i = 0; i < count; i++) {
        put_verdict(e, kind, rules[i]);
    }
    assay_sink_text(e->sink, "        violated[i] = ");
    for (unsigned i = 0; i < count; i++) {
        assay_sink_printf(e->sink, "%sbad%u << %u", i > 0 ? " | " : "", rules[i], i);
    }
    assay_sink_text(e->sink, ";\n    }\n}\n\n");
}

static void put_fill(const struct assay_emitter *e, unsigned kind)
{
    char text[512];
    assay_sink_printf(e->sink,
                      "static void fill_%s(const void *rows, uint32_t i, const uint64_t *k, "
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

/* Rules that need more than the trace stand behind the others, so that groups of them are passed
 * over in a run that does not give it. */
enum { RANKS = 3 };

static size_t rank_of(const struct assay_rule *rule)
{
    return (rule->needs & ASSAY_NEED_EXECUTION) != 0 ? 2 : rule->fact_count > 0 ? 1 : 0;
}

/* The next rules of a kind, at most a group of them; `from` is where to go on, first 0. */
static unsigned next_group(const struct assay_emitter *e, unsigned kind, size_t *from,
                           uint16_t *rules)
{
    const size_t all = e->catalogue->rule_count;
    unsigned count = 0;
    for (; *from < RANKS * all && count < GROUP; (*from)++) {
        const struct assay_rule *rule = &e->catalogue->rules[*from % all];
        if ((rule->kinds >> kind & 1) != 0 && rank_of(rule) == *from / all) {
            rules[count++] = (uint16_t)(*from % all);
        }
    }
    return count;
}

static void put_groups(const struct assay_emitter *e, unsigned kind)
{
    uint16_t rules[GROUP];
    unsigned groups = 0;
    size_t from = 0;
    for (unsigned count; (count = next_group(e, kind, &from, rules)) > 0; groups++) {
        put_check(e, kind, rules, count, groups);
        put_find(e, kind, rules, count, groups);
        assay_emit_open(e, kind, rules, count, groups);
        assay_sink_printf(e->sink, "static const uint16_t group_%s_%u[] = {",
                          assay_emit_kind_name(e, kind), groups);
        for (unsigned i = 0; i < count; i++) {
            assay_sink_printf(e->sink, "%u,", rules[i]);
        }
        assay_sink_text(e->sink, "};\n\n");
    }
    if (groups > 0) {
        put_fill(e, kind);
    }
}

/* The units that the rules of a group read. */
static uint64_t units_of(const struct assay_emitter *e, unsigned kind, const uint16_t *rules,
                         unsigned count)
{
    uint64_t units = 0;
    for (unsigned i = 0; i < count; i++) {
        units |= assay_emit_units_of_rule(e, kind, &e->catalogue->rules[rules[i]]);
    }
    return units;
}

static void put_check_group(const struct assay_emitter *e, const char *name, unsigned g,
                            uint64_t units)
{
    assay_sink_printf(e->sink,
                      "        if (open_%s_%u(&o, c->count, j)) {\n"
                      "            bring_%s(c, s->events, UINT64_C(0x%" PRIx64 "));\n"
                      "            if (check_%s_%u(c, j, NULL) != 0) {\n"
                      "                bring_%s(c, s->events, UINT64_MAX);\n"
                      "                find_%s_%u(c, j, s->violated);\n"
                      "                assay_compiled_report(j, group_%s_%u,\n"
                      "                    sizeof group_%s_%u / sizeof group_%s_%u[0], "
                      "s->violated, c->count,\n"
                      "                    c->event, c, fill_%s, s->leaves);\n"
                      "            }\n        }\n",
                      name, g, name, units, name, g, name, name, g, name, g, name, g, name, g,
                      name);
}

static void put_check_kind(const struct assay_emitter *e, unsigned kind)
{
    const char *name = assay_emit_kind_name(e, kind);
    uint16_t rules[GROUP];
    size_t from = 0;
    unsigned groups = 0;
    assay_sink_printf(e->sink,
                      "static void check_%s(struct state *s, const struct assay_judging *j)\n{\n"
                      "    struct rows_%s *c = &s->%s;\n    (void)j;\n"
                      "    if (c->count > 0) {\n",
                      name, name, name);
    for (unsigned count; (count = next_group(e, kind, &from, rules)) > 0; groups++) {
        if (groups == 0) {
            const uint64_t joined = assay_emit_units(e, kind, assay_emit_joined_words(e, kind));
            assay_sink_printf(e->sink,
                              "        struct joined_%s o;\n"
                              "        bring_%s(c, s->events, UINT64_C(0x%" PRIx64 "));\n"
                              "        join_%s(c, &o);\n"
                              "        o.index = s->events[c->event[0]].index;\n"
                              "        o.last_index = s->events[c->event[c->count - 1]].index;\n",
                              name, name, joined, name);
        }
        put_check_group(e, name, groups, units_of(e, kind, rules, count));
    }
    assay_sink_text(e->sink, "        c->count = 0;\n        c->brought = 0;\n    }\n}\n\n");
}

void assay_emit_check(const struct assay_emitter *e)
{
    const size_t kinds = e->catalogue->format->kind_count;
    for (unsigned k = 0; k < kinds; k++) {
        put_groups(e, k);
        put_check_kind(e, k);
    }
    assay_sink_text(e->sink, "static void check(void *state, const struct assay_judging *j)\n{\n");
    for (unsigned k = 0; k < kinds; k++) {
        assay_sink_printf(e->sink, "    check_%s(state, j);\n", assay_emit_kind_name(e, k));
    }
    assay_sink_text(e->sink, "}\n\n");
}
