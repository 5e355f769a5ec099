/* Tables of named numbers in a facts file: numbers that a specification defines in a header that is
 * not part of it. A table maps names to numbers, or names of groups to such mappings. */
#ifndef ASSAY_COMMON_FACT_TABLES_H
#define ASSAY_COMMON_FACT_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* X(key in the file, groups that its numbers are in or "", the greatest number, meaning) */
#define ASSAY_FACT_TABLES(X)                                                                       \
    X(event_ids, "fault, interrupt, special", 63, "numbers of events")                             \
    X(feature_bits, "", 63, "bits of feature flags")                                               \
    X(registers, "integer, floating_point, vector, csr", 4095, "numbers of registers")             \
    X(tools, "", 255, "numbers of tools that make traces")

enum assay_fact_table {
#define X(id, groups, most, text) ASSAY_TABLE_##id,
    ASSAY_FACT_TABLES(X)
#undef X
        ASSAY_TABLE_COUNT
};

struct assay_fact_number {
    const char *group; /* "" in a table without groups */
    const char *name;
    uint64_t value;
};

/* The tables of a facts file. Lists that were not given are null. */
struct assay_fact_tables;

/* The entries of a table; null and a count of 0 when it was not given or `tables` is null. */
const struct assay_fact_number *assay_fact_numbers(const struct assay_fact_tables *tables,
                                                   enum assay_fact_table table, size_t *count);

/* The table that a key names; ASSAY_TABLE_COUNT when it is none. */
enum assay_fact_table assay_fact_table_by_name(const char *name);

/* Reads one table and adds it to *tables, where it replaces a table of the same name. *tables may
 * be null and is owned by the caller. A group or a number that the table cannot have, and a name
 * given twice, is an error at its position. */
struct assay_yaml;
enum assay_error assay_fact_tables_read(const struct assay_yaml *key,
                                        const struct assay_yaml *value,
                                        struct assay_fact_tables **tables, struct assay_diag *diag);

void assay_fact_tables_free(struct assay_fact_tables *tables);

#endif
