/* A recorded execution is read for a generator. */
#ifndef ASSAY_GENERATORS_REPLAY_H
#define ASSAY_GENERATORS_REPLAY_H

#include "execution/execution.h"

/* Takes an item. False: it needs no others. */
typedef bool (*replay_take)(void *generator, const struct assay_executed *item);

/* Gives the items of the execution, from the next one on, but not ASSAY_EXECUTED_END. `diag` may be
 * null. Errors as of assay_execution_next; ASSAY_SYNTAX: there is no instruction in it. */
enum assay_error replay(struct assay_execution *execution, replay_take take, void *generator,
                        struct assay_diag *diag);

/* The same from the first item on, with a reader of its own. Errors also as of
 * assay_execution_again. */
enum assay_error replay_again(const struct assay_execution *execution, replay_take take,
                              void *generator, struct assay_diag *diag);

#endif
