#include "window.h"

#include "execution/execution_writer.h"
#include "io/source.h"

static enum assay_error open_path(const char *path, struct assay_execution **execution,
                                  struct assay_diag *diag)
{
    struct assay_source *source = NULL;
    const enum assay_error error = assay_source_open(path, &source, diag);
    return error != ASSAY_OK ? error : assay_execution_open(source, execution, diag);
}

enum assay_error detection_length(const char *path, uint64_t *instructions, struct assay_diag *diag)
{
    struct assay_execution *execution = NULL;
    struct assay_executed item = {0};
    enum assay_error error = open_path(path, &execution, diag);
    *instructions = 0;
    while (error == ASSAY_OK && item.kind != ASSAY_EXECUTED_END) {
        error = assay_execution_next(execution, &item);
        *instructions += item.kind == ASSAY_EXECUTED_INSTRUCTION && item.thread == 0;
    }
    assay_execution_close(execution);
    return error;
}

struct window {
    struct assay_execution_writer *writer;
    struct assay_execution_track *track; /* null before its first instruction */
    uint64_t system_id, time;
    uint64_t before, left; /* instructions before its first one, and still to be written */
    bool contents;         /* the track says that contents follow */
    uint8_t level;         /* at the first instruction, of a system that says so */
};

static enum assay_error open_track(struct window *w, const struct assay_executed *item)
{
    w->time = item->time;
    const enum assay_error error =
        assay_execution_track_open(w->writer, w->system_id, item->time, &w->track);
    return error == ASSAY_OK && w->level != ASSAY_EXECUTION_LEVEL_UNKNOWN
               ? assay_execution_put_level(w->track, w->level)
               : error;
}

static enum assay_error put_instruction(struct window *w, const struct assay_executed *item)
{
    if (w->before > 0) {
        w->before--;
        return ASSAY_OK;
    }
    const enum assay_error error = w->track == NULL ? open_track(w, item) : ASSAY_OK;
    if (error != ASSAY_OK) {
        return error;
    }
    if (item->contents && !w->contents) {
        w->contents = true;
        assay_execution_record_contents(w->track);
    }
    w->left--;
    return assay_execution_put_instruction(w->track, item->address, item->word, item->size,
                                           item->access, item->accesses);
}

static enum assay_error put_diverted(const struct window *w, const struct assay_executed *item)
{
    if (!item->aborted) {
        return assay_execution_put_diverted(w->track);
    }
    return item->fault_known
               ? assay_execution_put_aborted_at(w->track, item->address, item->word, item->size,
                                                item->fault)
               : assay_execution_put_aborted(w->track, item->address, item->word, item->size);
}

static enum assay_error put(struct window *w, const struct assay_executed *item)
{
    if (w->track != NULL && item->time != w->time) {
        w->time = item->time;
        const enum assay_error error = assay_execution_put_clock(w->track, item->time);
        if (error != ASSAY_OK) {
            return error;
        }
    }
    if (item->kind == ASSAY_EXECUTED_TRAP || item->kind == ASSAY_EXECUTED_LEVEL) {
        w->level = item->level;
    }
    if (item->kind == ASSAY_EXECUTED_THREAD_START) {
        w->system_id = item->system_id;
    } else if (item->kind == ASSAY_EXECUTED_INSTRUCTION) {
        return put_instruction(w, item);
    } else if (w->track != NULL && item->kind == ASSAY_EXECUTED_SYSTEM_CALL) {
        return assay_execution_put_system_call(w->track, item->number, item->args);
    } else if (w->track != NULL && item->kind == ASSAY_EXECUTED_SYSTEM_RETURN) {
        return assay_execution_put_system_return(w->track, item->number, item->value);
    } else if (w->track != NULL && item->kind == ASSAY_EXECUTED_DIVERTED) {
        return put_diverted(w, item);
    } else if (w->track != NULL && item->kind == ASSAY_EXECUTED_TRAP) {
        return assay_execution_put_trap(w->track, item);
    } else if (w->track != NULL && item->kind == ASSAY_EXECUTED_LEVEL) {
        return assay_execution_put_level(w->track, item->level);
    }
    return ASSAY_OK;
}

static enum assay_error copy(struct window *w, struct assay_execution *execution)
{
    struct assay_executed item = {0};
    enum assay_error error = ASSAY_OK;
    while (error == ASSAY_OK && w->left > 0 && item.kind != ASSAY_EXECUTED_END) {
        error = assay_execution_next(execution, &item);
        if (error == ASSAY_OK && item.thread == 0) {
            error = put(w, &item);
        }
    }
    return error;
}

enum assay_error detection_window(const char *path, uint64_t first, uint64_t count,
                                  struct assay_sink *sink, struct assay_diag *diag)
{
    struct window w = {.before = first, .left = count, .level = ASSAY_EXECUTION_LEVEL_UNKNOWN};
    struct assay_execution *execution = NULL;
    enum assay_error error = open_path(path, &execution, diag);
    if (error == ASSAY_OK) {
        error =
            assay_execution_writer_open(sink, assay_execution_header(execution), &w.writer, diag);
    }
    error = error != ASSAY_OK ? error : copy(&w, execution);
    const enum assay_error closed = assay_execution_track_close(w.track, false);
    error = error != ASSAY_OK ? error : closed;
    if (error == ASSAY_OK) {
        error = assay_execution_writer_end(w.writer, ASSAY_EXECUTION_ENDED_BY_LIMIT);
    }
    assay_execution_writer_close(w.writer);
    assay_execution_close(execution);
    return error;
}
