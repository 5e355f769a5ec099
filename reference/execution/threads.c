#include "execution/threads.h"

#include <stdlib.h>

#include "execution/parts.h"

static enum assay_error add_alignment(struct assay_threads *t, struct assay_execution *execution,
                                      uint32_t number, struct assay_diag *diag)
{
    struct assay_alignment *alignment = calloc(1, sizeof *alignment);
    if (alignment == NULL) {
        assay_execution_close(execution);
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    alignment->window.execution = execution;
    alignment->window.thread = number;
    alignment->window.raises = t->setup.raises;
    alignment->window.infers = t->setup.infers;
    alignment->window.context = t->setup.context;
    alignment->window.tagged = assay_execution_header(execution)->isa == ASSAY_EXECUTION_AARCH64;
    alignment->window.level = ASSAY_EXECUTION_LEVEL_UNKNOWN;
    assay_parts_open(alignment);
    t->alignment[t->count++] = alignment;
    assay_window_fill(&alignment->window, 1);
    return ASSAY_OK;
}

enum assay_error assay_threads_open(struct assay_threads *t, struct assay_execution *execution,
                                    uint32_t thread, const struct assay_threads_setup *setup,
                                    struct assay_diag *diag)
{
    const bool follows = thread == ASSAY_EXECUTION_THREAD_FROM_TRACE;
    *t = (struct assay_threads){.follows = follows, .setup = *setup};
    return add_alignment(t, execution, follows ? 0 : thread, diag);
}

void assay_threads_close(struct assay_threads *t)
{
    for (int i = 0; i < t->count; i++) {
        assay_placement_close(&t->alignment[i]->placement);
        assay_execution_close(t->alignment[i]->window.execution);
        free(t->alignment[i]);
    }
    free(t->list);
}

const struct assay_diag *assay_threads_fault(const struct assay_threads *t)
{
    for (int i = 0; i < t->count; i++) {
        if (t->alignment[i]->window.broken) {
            return assay_execution_diag(t->alignment[i]->window.execution);
        }
    }
    return t->diag.error != ASSAY_OK ? &t->diag : NULL;
}

/* --- the threads of the recording --- */

static enum assay_error add_to_list(struct assay_threads *t, const struct assay_executed *item,
                                    size_t *room)
{
    if (t->list_count == *room) {
        *room = *room == 0 ? 64 : 2 * *room;
        void *more = realloc(t->list, *room * sizeof t->list[0]);
        if (more == NULL) {
            return assay_fail(&t->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
        }
        t->list = more;
    }
    t->list[t->list_count++] =
        (struct assay_listed_thread){.id = item->system_id, .number = item->thread};
    return ASSAY_OK;
}

/* Goes through the recording once. Its faults are left to the alignments, which report those that
 * matter. */
static void list_threads(struct assay_threads *t)
{
    struct assay_execution *execution = NULL;
    struct assay_executed item = {.kind = ASSAY_EXECUTED_END};
    struct assay_diag diag = {0};
    size_t room = 0;
    t->listed = true;
    const enum assay_error error =
        assay_execution_again(t->alignment[0]->window.execution, &execution, &diag);
    if (error != ASSAY_OK) {
        t->diag = error != ASSAY_UNSUPPORTED ? diag : t->diag;
        return;
    }
    while (t->diag.error == ASSAY_OK && assay_execution_next(execution, &item) == ASSAY_OK &&
           item.kind != ASSAY_EXECUTED_END) {
        if (item.kind == ASSAY_EXECUTED_THREAD_START) {
            (void)add_to_list(t, &item, &room);
        }
    }
    assay_execution_close(execution);
}

/* --- following --- */

/* The alignment of a thread of the list. */
static int alignment_of(struct assay_threads *t, uint32_t number)
{
    struct assay_execution *execution = NULL;
    for (int i = 0; i < t->count; i++) {
        if (t->alignment[i]->window.thread == number) {
            return i;
        }
    }
    if (t->count == ASSAY_THREADS_MAX) {
        assay_fail(&t->diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                   "the trace is of more than %d threads of the recording", ASSAY_THREADS_MAX);
        return ASSAY_THREADS_NONE;
    }
    const bool good = assay_execution_again(t->alignment[0]->window.execution, &execution,
                                            &t->diag) == ASSAY_OK &&
                      add_alignment(t, execution, number, &t->diag) == ASSAY_OK;
    return good ? t->count - 1 : ASSAY_THREADS_NONE;
}

static int find_in_list(struct assay_threads *t, uint64_t id)
{
    if (!t->listed) {
        list_threads(t);
    }
    for (size_t i = 0; i < t->list_count; i++) {
        if (t->list[i].id == id) {
            t->matched = true;
            return alignment_of(t, t->list[i].number);
        }
    }
    if (t->list_count == 0 && t->matched) {
        assay_fail(&t->diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                   "the trace is of several threads, for which the recording has to be a file; "
                   "--thread compares it with one thread");
    }
    return ASSAY_THREADS_NONE;
}

int assay_threads_find(struct assay_threads *t, uint64_t process, uint64_t id, int current)
{
    const uint32_t recorded = assay_execution_header(t->alignment[0]->window.execution)->process;
    if (!t->follows || id == 0) {
        return current;
    }
    int found = ASSAY_THREADS_NONE;
    if (process == 0 || recorded == 0 || process == recorded) {
        for (int i = 0; i < t->count && found < 0; i++) {
            found = t->alignment[i]->window.system_id == id ? i : ASSAY_THREADS_NONE;
        }
        t->matched = t->matched || found >= 0;
        found = found >= 0 ? found : find_in_list(t, id);
    }
    return found >= 0 || t->matched ? found : current;
}
