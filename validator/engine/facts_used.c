#include "validator/engine/facts_used.h"

#include <inttypes.h>
#include <string.h>

#include "io/sink.h"

const char *assay_fact_table_name(enum assay_fact_table table)
{
    static const char *const names[ASSAY_TABLE_COUNT] = {
#define X(id, groups, most, text) #id,
        ASSAY_FACT_TABLES(X)
#undef X
    };
    return names[table];
}

static bool has(const struct assay_fact_number *list, size_t count,
                const struct assay_fact_number *one)
{
    size_t i = 0;
    while (i < count && (list[i].value != one->value || strcmp(list[i].group, one->group) != 0 ||
                         strcmp(list[i].name, one->name) != 0)) {
        i++;
    }
    return i < count;
}

/* The first entry of a list that another one lacks; null: there is none. */
static const struct assay_fact_number *lacking(const struct assay_fact_number *list, size_t count,
                                               const struct assay_fact_number *other,
                                               size_t other_count)
{
    for (size_t i = 0; i < count; i++) {
        if (!has(other, other_count, &list[i])) {
            return &list[i];
        }
    }
    return NULL;
}

static void put_number(struct assay_sink *sink, const struct assay_fact_number *number,
                       const char *how)
{
    assay_sink_printf(sink, "%s%s%.80s=%" PRIu64 " %s", number->group,
                      number->group[0] != '\0' ? "." : "", number->name, number->value, how);
}

/* How a table differs from the specification's list. */
static void put_difference(const struct assay_format *format, enum assay_fact_table table,
                           const struct assay_fact_number *given, size_t count,
                           struct assay_sink *sink)
{
    size_t known = 0;
    const struct assay_fact_number *list =
        format->fact_table != NULL ? format->fact_table(table, &known) : NULL;
    const struct assay_fact_number *more = lacking(given, count, list, known);
    const struct assay_fact_number *fewer = lacking(list, known, given, count);
    if (more != NULL) {
        put_number(sink, more, "is not in it");
    }
    if (fewer != NULL) {
        assay_sink_text(sink, more != NULL ? ", and " : "");
        put_number(sink, fewer, "of it is left out");
    }
}

/* The text of a sink in memory, which is discarded, in the arena; null without memory. */
static const char *keep(struct assay_sink *sink, struct assay_arena *arena)
{
    const char *text = sink->error == ASSAY_OK
                           ? assay_arena_text(arena, (const char *)sink->data, sink->size)
                           : NULL;
    assay_sink_discard(sink);
    return text;
}

static const char *known_facts(const struct assay_facts *facts, struct assay_arena *arena)
{
    struct assay_sink sink;
    const char *before = "";
    assay_sink_memory(&sink, 0);
    for (unsigned i = 0; i < ASSAY_FACT_COUNT; i++) {
        if (facts->known[i]) {
            assay_sink_printf(&sink, "%s%s=%" PRIu64, before, assay_fact_table[i].name,
                              facts->value[i]);
            before = ", ";
        }
    }
    return keep(&sink, arena);
}

enum assay_error assay_facts_use(const struct assay_format *format, const struct assay_facts *facts,
                                 struct assay_arena *arena, const struct assay_facts_used **used)
{
    *used = NULL;
    struct assay_facts_used *own = facts != NULL ? assay_arena_take(arena, sizeof *own) : NULL;
    if (own == NULL) {
        return facts != NULL ? ASSAY_NO_MEMORY : ASSAY_OK;
    }
    *own = (struct assay_facts_used){.facts = known_facts(facts, arena)};
    bool whole = own->facts != NULL;
    for (unsigned i = 0; i < ASSAY_TABLE_COUNT; i++) {
        const enum assay_fact_table table = (enum assay_fact_table)i;
        size_t count = 0;
        const struct assay_fact_number *given = assay_fact_numbers(facts->tables, table, &count);
        struct assay_sink sink;
        if (given != NULL) {
            assay_sink_memory(&sink, 0);
            put_difference(format, table, given, count, &sink);
            own->tables[i] = keep(&sink, arena);
            whole = whole && own->tables[i] != NULL;
        }
    }
    *used = own;
    return whole ? ASSAY_OK : ASSAY_NO_MEMORY;
}
