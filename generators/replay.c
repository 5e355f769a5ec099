#include "generators/replay.h"

enum assay_error replay(struct assay_execution *execution, replay_take take, void *generator,
                        struct assay_diag *diag)
{
    struct assay_executed item;
    do {
        const enum assay_error error = assay_execution_next(execution, &item);
        if (error != ASSAY_OK) {
            if (diag != NULL) {
                *diag = *assay_execution_diag(execution);
            }
            return error;
        }
    } while (item.kind != ASSAY_EXECUTED_END && take(generator, &item));
    return item.kind != ASSAY_EXECUTED_END || assay_execution_has_executed(execution)
               ? ASSAY_OK
               : assay_fail(diag, ASSAY_SYNTAX, ASSAY_NO_OFFSET,
                            "the recording has no instruction: record the program while it runs");
}

enum assay_error replay_again(const struct assay_execution *execution, replay_take take,
                              void *generator, struct assay_diag *diag)
{
    struct assay_execution *other = NULL;
    enum assay_error error = assay_execution_again(execution, &other, diag);
    error = error != ASSAY_OK ? error : replay(other, take, generator, diag);
    assay_execution_close(other);
    return error;
}
