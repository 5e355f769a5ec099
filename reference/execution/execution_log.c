/* The items of a log of commits: those of the recording of a machine with one thread, a core. */
#include <stdlib.h>
#include <string.h>

#include "execution/commit_log.h"
#include "execution/execution.h"
#include "execution/execution_private.h"

enum { M_LEVEL = 3 };

struct assay_execution_log {
    enum rv_isa isa;
    uint32_t core;                /* that is read; or the only one */
    struct assay_commit_log *log; /* opened with the first item */
    bool started;
    bool has_next;
    struct assay_commit next; /* that is read and not yet given */
    uint8_t level;
};

enum assay_error assay_execution_log_open(struct assay_execution *x, bool *is_log)
{
    enum rv_isa isa = RV_64;
    *is_log = assay_commit_log_probe(x->source, &isa);
    if (!*is_log) {
        return ASSAY_OK;
    }
    x->log = calloc(1, sizeof *x->log);
    if (x->log == NULL) {
        return assay_fail(&x->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "no memory for a reader");
    }
    x->log->isa = isa;
    x->log->core = ASSAY_EXECUTION_THREAD_FROM_TRACE;
    x->log->level = ASSAY_EXECUTION_LEVEL_UNKNOWN;
    x->header = (struct assay_execution_header){.isa = isa == RV_32 ? ASSAY_EXECUTION_RISCV32
                                                                    : ASSAY_EXECUTION_RISCV64,
                                                .system = true,
                                                .producer = "Spike",
                                                .program = ""};
    return ASSAY_OK;
}

void assay_execution_log_close(struct assay_execution_log *log)
{
    if (log != NULL) {
        assay_commit_log_close(log->log);
        free(log);
    }
}

void assay_execution_log_choose(struct assay_execution_log *log, uint32_t core)
{
    log->core = core;
}

uint32_t assay_execution_log_core(const struct assay_execution_log *log)
{
    return log->core;
}

/* Reads on, unless the next one is there. */
static enum assay_error look(struct assay_execution *x)
{
    struct assay_execution_log *g = x->log;
    if (g->has_next) {
        return ASSAY_OK;
    }
    x->error = assay_commit_log_next(g->log, &g->next, &x->diag);
    g->has_next = x->error == ASSAY_OK;
    return x->error;
}

static enum assay_error start(struct assay_execution *x, struct assay_executed *out)
{
    struct assay_execution_log *g = x->log;
    x->error = assay_commit_log_open(x->source, g->isa, g->core, &g->log, &x->diag);
    if (x->error != ASSAY_OK || look(x) != ASSAY_OK) {
        return x->error;
    }
    g->started = true;
    out->kind = ASSAY_EXECUTED_THREAD_START;
    out->thread = g->next.core;
    x->counts.threads = 1;
    return ASSAY_OK;
}

/* Of a trap the level that it was taken to is that of what follows. */
static enum assay_error take_trap(struct assay_execution *x, struct assay_executed *out)
{
    struct assay_execution_log *g = x->log;
    const struct assay_commit trap = g->next;
    const unsigned top = g->isa == RV_32 ? 31 : 63;
    if (!trap.cause_known || !trap.from_known) {
        x->error = assay_fail_at(&x->diag, ASSAY_UNSUPPORTED, trap.line, 1,
                                 "a trap was taken here, and the log does not say which");
        assay_diag_hint(&x->diag, "spike -l --log-commits writes it");
        return x->error;
    }
    g->has_next = false;
    if (look(x) != ASSAY_OK) {
        return x->error;
    }
    if (g->next.kind == ASSAY_COMMIT_TRAP && !g->next.priv_known) {
        x->error = assay_fail_at(&x->diag, ASSAY_UNSUPPORTED, trap.line, 1,
                                 "the log does not say to which level this trap was taken");
        return x->error;
    }
    out->kind = ASSAY_EXECUTED_TRAP;
    out->level = g->next.kind != ASSAY_COMMIT_END ? g->next.priv : M_LEVEL; /* at its end: any */
    out->cause = trap.cause | (trap.interrupt ? UINT64_C(1) << top : 0);
    out->from = trap.from;
    out->fault = trap.value;
    out->fault_known = trap.value_known;
    g->level = out->level;
    return ASSAY_OK;
}

/* Whether the next one is at another level than the one before it; the item is that. */
static bool take_level(struct assay_execution_log *g, struct assay_executed *out)
{
    if (g->next.kind == ASSAY_COMMIT_END || !g->next.priv_known || g->level == g->next.priv) {
        return false;
    }
    out->kind = ASSAY_EXECUTED_LEVEL;
    out->level = g->level = g->next.priv;
    return true;
}

/* An instruction; or, before its trap, one that raised it: in recordings it is one, too. */
static void take_instruction(struct assay_execution *x, struct assay_executed *out)
{
    struct assay_execution_log *g = x->log;
    out->kind = ASSAY_EXECUTED_INSTRUCTION;
    out->address = g->next.address;
    out->word = g->next.word;
    out->size = g->next.size;
    out->accesses = g->next.accesses;
    out->access = g->next.access;
    out->contents = true;
    out->result = g->next.result;
    out->result_known = g->next.result_known;
    x->counts.instructions++;
    x->counts.accesses += out->accesses;
    g->has_next = g->next.kind == ASSAY_COMMIT_TRAP;
    g->next.size = 0;
}

enum assay_error assay_execution_log_next(struct assay_execution *x, struct assay_executed *out)
{
    struct assay_execution_log *g = x->log;
    if (!g->started) {
        return start(x, out);
    }
    if (look(x) != ASSAY_OK) {
        return x->error;
    }
    out->thread = g->next.core;
    out->offset = g->next.offset;
    if (take_level(g, out)) {
        return ASSAY_OK;
    }
    if (g->next.kind == ASSAY_COMMIT_TRAP && g->next.size == 0) {
        return take_trap(x, out);
    }
    if (g->next.kind != ASSAY_COMMIT_END) {
        take_instruction(x, out);
        return ASSAY_OK;
    }
    out->kind = ASSAY_EXECUTED_END;
    out->thread = 0;
    out->reason = ASSAY_EXECUTION_ENDED_BY_LIMIT;
    x->counts.complete = true;
    x->counts.reason = out->reason;
    return ASSAY_OK;
}
