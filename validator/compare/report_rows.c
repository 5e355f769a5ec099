#include <string.h>

#include "validator/compare/report_parts.h"

size_t assay_compare_count_row(const struct assay_comparisons *c, size_t from,
                               struct assay_compare_row *row)
{
    *row = (struct assay_compare_row){.format = c->list[from].vector->format->name};
    size_t i = from;
    for (; i < c->corpus->count && strcmp(c->list[i].vector->format->name, row->format) == 0; i++) {
        row->vectors++;
        row->expected += c->list[i].reason != NULL;
        row->not_run += !c->list[i].run;
        row->outcomes[c->list[i].outcome] += c->list[i].run;
    }
    return i;
}
