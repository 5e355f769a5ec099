/* The platform facts that a stream was judged with, for those who read the verdict: they decide
 * which rules apply, and tables of numbers decide what an event is taken for. */
#ifndef ASSAY_VALIDATOR_FACTS_USED_H
#define ASSAY_VALIDATOR_FACTS_USED_H

#include "common/arena.h"
#include "model/fact_tables.h"
#include "model/facts.h"
#include "model/model.h"

struct assay_facts_used {
    const char *facts; /* "FEAT_BTI=1, T0SZ_EL1=25", in the order of facts.def */
    /* Of each table that was given: how it differs from the specification's list, as "fault.A=2 is
     * not in it"; "" where it does not; null for one that was not given. */
    const char *tables[ASSAY_TABLE_COUNT];
};

/* What of `facts` is known, in the arena; null facts give null. ASSAY_NO_MEMORY. */
enum assay_error assay_facts_use(const struct assay_format *format, const struct assay_facts *facts,
                                 struct assay_arena *arena, const struct assay_facts_used **used);

/* The key of a table in a facts file. */
const char *assay_fact_table_name(enum assay_fact_table table);

#endif
