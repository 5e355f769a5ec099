#include "stf/tables.h"

#include <string.h>

const struct stf_event_info stf_event_infos[STF_EVENT_COUNT] = {
#define X(name, synchronous, asynchronous, fields, own_row, origin, text)                          \
    [STF_EVENT_##name] = {synchronous, asynchronous, fields, own_row, STF_ORIGIN_##origin},
    STF_EVENTS(X)
#undef X
};

static const char *const event_names[STF_EVENT_COUNT] = {
#define X(name, synchronous, asynchronous, fields, own_row, origin, text)                          \
    [STF_EVENT_##name] = #name,
    STF_EVENTS(X)
#undef X
};

static uint8_t event_by_name(const char *name)
{
    for (unsigned event = 1; event < STF_EVENT_OTHER; event++) {
        if (strcmp(event_names[event], name) == 0) {
            return (uint8_t)event;
        }
    }
    return STF_EVENT_OTHER;
}

/* The reader of the tables has refused groups and numbers that they cannot have (fact_tables.h). */
static void take_events(const struct assay_fact_number *list, size_t count, struct stf_tables *t)
{
    memset(t->fault, STF_EVENT_UNKNOWN, sizeof t->fault);
    memset(t->interrupt, STF_EVENT_UNKNOWN, sizeof t->interrupt);
    memset(t->special, STF_EVENT_UNKNOWN, sizeof t->special);
    for (size_t i = 0; i < count; i++) {
        uint8_t *ids = strcmp(list[i].group, "fault") == 0       ? t->fault
                       : strcmp(list[i].group, "interrupt") == 0 ? t->interrupt
                                                                 : t->special;
        ids[list[i].value] = event_by_name(list[i].name);
    }
}

static void take_features(const struct assay_fact_number *list, size_t count, struct stf_tables *t)
{
    static const struct {
        const char *name;
        uint8_t bit;
    } names[] = {
#define X(name, bit) {#name, bit},
        STF_FEATURE_BITS(X)
#undef X
    };
    memset(t->feature_bit, STF_FEATURES, sizeof t->feature_bit);
    t->features_known = 0;
    for (size_t i = 0; i < count; i++) {
        t->features_known |= UINT64_C(1) << list[i].value;
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
            if (strcmp(names[n].name, list[i].name) == 0) {
                t->feature_bit[names[n].bit] = (uint8_t)list[i].value;
            }
        }
    }
}

static void take_registers(const struct assay_fact_number *list, size_t count, struct stf_tables *t)
{
    static const char *const groups[STF_REG_TYPES] = {NULL, "integer", "floating_point", "vector",
                                                      "csr"};
    memset(t->registers, 0, sizeof t->registers);
    for (size_t i = 0; i < count; i++) {
        unsigned type = 1;
        while (strcmp(groups[type], list[i].group) != 0) {
            type++;
        }
        t->registers[list[i].value] |= (uint8_t)(1u << type);
    }
}

static void take_tools(const struct assay_fact_number *list, size_t count, struct stf_tables *t)
{
    memset(t->tools, 0, sizeof t->tools);
    for (size_t i = 0; i < count; i++) {
        t->tools[list[i].value / 64] |= UINT64_C(1) << list[i].value % 64;
    }
}

const struct assay_fact_number *stf_fact_table(enum assay_fact_table table, size_t *count)
{
    *count = stf_built_in[table].count;
    return stf_built_in[table].list;
}

void stf_tables_open(const struct assay_fact_tables *given, struct stf_tables *t)
{
    static void (*const takers[ASSAY_TABLE_COUNT])(const struct assay_fact_number *, size_t,
                                                   struct stf_tables *) = {
        [ASSAY_TABLE_event_ids] = take_events,
        [ASSAY_TABLE_feature_bits] = take_features,
        [ASSAY_TABLE_registers] = take_registers,
        [ASSAY_TABLE_tools] = take_tools,
    };
    for (unsigned table = 0; table < ASSAY_TABLE_COUNT; table++) {
        size_t count;
        const struct assay_fact_number *list =
            assay_fact_numbers(given, (enum assay_fact_table)table, &count);
        t->given[table] = list != NULL;
        if (list != NULL) {
            takers[table](list, count, t);
        } else {
            takers[table](stf_built_in[table].list, stf_built_in[table].count, t);
        }
    }
}

uint64_t stf_features(const struct stf_tables *t, uint64_t flags)
{
    uint64_t features = 0;
    for (unsigned bit = 0; bit < STF_FEATURES; bit++) {
        if (t->feature_bit[bit] < STF_FEATURES) {
            features |= (flags >> t->feature_bit[bit] & 1) << bit;
        }
    }
    return features;
}
