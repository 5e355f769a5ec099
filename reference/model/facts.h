/* Platform facts (schema assay-facts/1): what a trace does not say about the machine that made it.
 */
#ifndef ASSAY_COMMON_FACTS_H
#define ASSAY_COMMON_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "model/fact_tables.h"

enum assay_fact {
#define ASSAY_FACT(id, most, unit, text) ASSAY_FACT_##id,
#include "model/facts.def"
#undef ASSAY_FACT
    ASSAY_FACT_COUNT
};

struct assay_fact_info {
    const char *name; /* as in rules: FEAT_SME, T0SZ, page_size */
    uint64_t most;    /* greatest value; 1 for a feature */
    const char *unit; /* or null */
    const char *doc;
};

extern const struct assay_fact_info assay_fact_table[ASSAY_FACT_COUNT];

/* A fact that is not known is neither true nor false: a rule that needs it cannot be checked. */
struct assay_facts {
    bool known[ASSAY_FACT_COUNT];
    uint64_t value[ASSAY_FACT_COUNT];
    struct assay_fact_tables *tables; /* owned; null: none was given */
};

/* Frees what the facts own and makes all of them unknown. */
void assay_facts_clear(struct assay_facts *facts);

/* ASSAY_FACT_COUNT when there is no such fact. */
enum assay_fact assay_fact_by_name(const char *name);

/* Reads a facts file and adds its facts to `facts`, replacing those given before. An unknown key, a
 * value of the wrong type or out of range is an error with its line. */
enum assay_error assay_facts_load(const char *path, struct assay_facts *facts,
                                  struct assay_diag *diag);

/* The same for a mapping inside another file (a vector). */
struct assay_yaml;
enum assay_error assay_facts_read(const struct assay_yaml *map, struct assay_facts *facts,
                                  struct assay_diag *diag);

#endif
