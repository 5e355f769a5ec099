#include "astf/truth.h"

#include <stdbool.h>
#include <stdlib.h>

#include "execution/execution.h"

struct astf_truth {
    struct assay_execution *execution;
    bool ended;
    bool broken;           /* by a fault of the recording */
    unsigned first, count; /* ring of the next executed instructions */
    unsigned unmatched;    /* records since the last match that matched nothing */
    uint64_t pc[ASTF_TRUTH_WINDOW];
    uint32_t iword[ASTF_TRUTH_WINDOW];
};

enum assay_error astf_truth_open(struct assay_execution *execution, struct astf_truth **truth,
                                 struct assay_diag *diag)
{
    *truth = NULL;
    if (execution == NULL) {
        return ASSAY_OK;
    }
    *truth = calloc(1, sizeof **truth);
    if (*truth == NULL) {
        assay_execution_close(execution);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    (*truth)->execution = execution;
    return ASSAY_OK;
}

void astf_truth_discard(struct assay_execution *execution)
{
    assay_execution_close(execution);
}

void astf_truth_close(struct astf_truth *truth)
{
    if (truth != NULL) {
        assay_execution_close(truth->execution);
        free(truth);
    }
}

/* A trace is of one PE; of a recorded program that is its first thread. */
static void fill(struct astf_truth *t)
{
    struct assay_executed item;
    while (t->count < ASTF_TRUTH_WINDOW && !t->ended) {
        t->broken = assay_execution_next(t->execution, &item) != ASSAY_OK;
        if (t->broken || item.kind == ASSAY_EXECUTED_END) {
            t->ended = true;
        } else if (item.kind == ASSAY_EXECUTED_INSTRUCTION && item.thread == 0) {
            const unsigned at = (t->first + t->count++) % ASTF_TRUTH_WINDOW;
            t->pc[at] = item.address;
            t->iword[at] = item.word;
        }
    }
}

static void drop(struct astf_truth *t, unsigned n)
{
    t->first = (t->first + n) % ASTF_TRUTH_WINDOW;
    t->count -= n;
    t->unmatched = 0;
}

void astf_truth_follow(struct astf_truth *t, uint64_t pc, uint32_t iword, uint64_t *words)
{
    if (t->count < 2 || t->unmatched > 0) {
        fill(t);
    }
    unsigned at = 0;
    while (at < t->count && (t->pc[(t->first + at) % ASTF_TRUTH_WINDOW] != pc ||
                             t->iword[(t->first + at) % ASTF_TRUTH_WINDOW] != iword)) {
        if (at == 0) {
            fill(t);
        }
        at++;
    }
    const bool matched = at < t->count;
    /* As many records without a match as executed instructions passed over: those records stood in
     * their places and were told of then. */
    const bool expected = matched && at <= t->unmatched;
    const unsigned shown = (t->first + (expected ? at : 0)) % ASTF_TRUTH_WINDOW;
    const bool any = t->count > 0;
    words[0] = any ? t->pc[shown] : 0;
    words[1] = any ? (UINT64_C(1) << 32 | t->iword[shown]) : 0;
    if (matched) {
        drop(t, at + 1);
    } else {
        t->unmatched++;
    }
}

const struct assay_diag *astf_truth_fault(const struct astf_truth *t)
{
    return t->broken ? assay_execution_diag(t->execution) : NULL;
}
