#include "generators/stf/walks.h"

void stf_walks_add(struct stf_walks_of *walks, const struct assay_walk *walk)
{
    if (walks->count < STF_WALKS_OF) {
        walks->list[walks->count++] = *walk;
    }
}

void stf_walks_move(struct stf_walks_of *to, struct stf_walks_of *from)
{
    *to = *from;
    from->count = 0;
}

bool stf_walks_traced(const struct assay_execution *execution,
                      const struct stf_generate_options *options)
{
    struct assay_execution *again = NULL;
    struct assay_executed item = {.kind = ASSAY_EXECUTED_LEVEL};
    uint64_t instructions = 0;
    bool found = false;
    if (!assay_execution_header(execution)->system ||
        assay_execution_again(execution, &again, NULL) != ASSAY_OK) {
        return false;
    }
    while (!found && item.kind != ASSAY_EXECUTED_END &&
           (options->limit == 0 || instructions < options->limit) &&
           assay_execution_next(again, &item) == ASSAY_OK) {
        const bool traced = options->all_threads || item.thread == options->thread;
        instructions += traced && (item.kind == ASSAY_EXECUTED_INSTRUCTION ||
                                   item.kind == ASSAY_EXECUTED_DIVERTED);
        found = traced && item.kind == ASSAY_EXECUTED_WALK;
    }
    assay_execution_close(again);
    return found;
}
