/* The library: a validator, and how a trace gets to it. */
#include "validator/library/assay.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "execution/execution.h"
#include "image/image.h"
#include "validator/library/validator.h"

enum { QUEUE_BYTES = 1 << 20, DEFAULT_FINDINGS = 20 };

const char *assay_version(void)
{
    return ASSAY_VERSION;
}

/* --- errors --- */

static enum assay_status status_of(enum assay_error error)
{
    switch (error) {
    case ASSAY_OK:
        return ASSAY_STATUS_OK;
    case ASSAY_NO_MEMORY:
    case ASSAY_NOT_WRITABLE:
    case ASSAY_BROKEN_PIPE:
        return ASSAY_STATUS_AGAIN;
    case ASSAY_INTERNAL:
        return ASSAY_STATUS_INTERNAL;
    default:
        return ASSAY_STATUS_USAGE;
    }
}

enum assay_status assay_library_fail(struct assay_validator *v, const struct assay_diag *diag)
{
    if (diag->message[0] != '\0') {
        assay_diag_format(diag, v->message, sizeof v->message);
    } else {
        snprintf(v->message, sizeof v->message, "%s", assay_error_text(diag->error));
    }
    return status_of(diag->error);
}

enum assay_status assay_library_refuse(struct assay_validator *v, enum assay_error error,
                                       const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(v->message, sizeof v->message, format, args);
    va_end(args);
    return status_of(error);
}

const char *assay_validator_message(const struct assay_validator *v)
{
    return v->message;
}

/* --- from new to free --- */

struct assay_validator *assay_validator_new(void)
{
    struct assay_validator *v = calloc(1, sizeof *v);
    if (v == NULL) {
        return NULL;
    }
    v->options.max_findings = DEFAULT_FINDINGS;
    v->options.fail_on = ASSAY_MUST;
    v->options.jobs = 1;
    v->options.digest = true;
    v->options.stop = &v->stop;
    v->input.setup.execution_thread = ASSAY_EXECUTION_THREAD_FROM_TRACE;
    assay_sink_memory(&v->line, 0);
    if (assay_stop_open(&v->stop) != ASSAY_OK) {
        free(v);
        return NULL;
    }
    if (assay_selection_begin(&v->selection, NULL, 0, NULL, NULL) != ASSAY_OK) {
        assay_validator_free(v);
        return NULL;
    }
    return v;
}

void assay_library_forget(struct assay_validator *v)
{
    assay_check_close(v->check);
    assay_arena_free(&v->of_trace);
    v->check = NULL;
    v->of_trace = (struct assay_arena){0};
    v->results = (struct assay_results){.inputs = NULL};
    v->totals = NULL;
    v->total_count = 0;
    v->path = NULL;
    v->judged = false;
}

/* Waits for the thread that judges what is pushed. */
static void join(struct assay_validator *v)
{
    assay_push_close(v->push);
    v->push = NULL;
    pthread_join(v->thread, NULL);
}

void assay_validator_free(struct assay_validator *v)
{
    if (v == NULL) {
        return;
    }
    if (v->push != NULL) {
        assay_stop_request(&v->stop);
        join(v);
    }
    assay_library_forget(v);
    assay_waivers_free(&v->waivers);
    assay_selection_close(&v->selection);
    assay_facts_clear(&v->facts);
    assay_image_set_free(v->images);
    assay_evidence_close(&v->evidence);
    assay_sink_discard(&v->line);
    assay_stop_close(&v->stop);
    assay_arena_free(&v->arena);
    free(v);
}

void assay_validator_on_violation(struct assay_validator *v,
                                  void (*call)(void *context,
                                               const struct assay_violation *violation),
                                  void *context)
{
    v->on_violation = call;
    v->violation_context = context;
}

void assay_validator_on_event(struct assay_validator *v,
                              void (*call)(void *context, const struct assay_decoded *event),
                              void *context)
{
    v->on_event = call;
    v->event_context = context;
}

/* --- before and after a trace --- */

static enum assay_error seal_images(struct assay_validator *v, struct assay_diag *diag)
{
    const enum assay_error error =
        v->images != NULL && !v->sealed ? assay_image_set_seal(v->images, diag) : ASSAY_OK;
    v->sealed = v->sealed || error == ASSAY_OK;
    return error;
}

/* Opens a run for one trace; `name` is kept. Of bytes that are pushed what a flush waits for is
 * that they are judged, not only decoded. */
static enum assay_status prepare(struct assay_validator *v, const char *name, bool pushed)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    v->message[0] = '\0';
    if (v->push != NULL) {
        return assay_library_refuse(v, ASSAY_USAGE, "another trace is being pushed");
    }
    assay_library_forget(v);
    if (name == NULL) {
        return assay_library_refuse(v, ASSAY_USAGE, "a trace has a name");
    }
    assay_stop_reset(&v->stop);
    assay_selection_apply(&v->selection, &v->options);
    v->options.show = v->on_event != NULL ? assay_library_show : NULL;
    v->options.show_context = v;
    v->options.found = v->on_violation != NULL ? assay_library_found : NULL;
    v->options.found_context = v;
    v->options.in_step = pushed;
    v->lines_failed = false;
    v->path = assay_arena_text(&v->of_trace, name, strlen(name));
    v->input.path = v->path;
    clock_gettime(CLOCK_REALTIME, &v->begun);
    enum assay_error error = v->path != NULL ? ASSAY_OK : ASSAY_NO_MEMORY;
    diag.error = error;
    error = error != ASSAY_OK ? error : seal_images(v, &diag);
    if (error == ASSAY_OK && v->options.digest) {
        assay_evidence_digest(&v->evidence);
    }
    if (error == ASSAY_OK && v->evidence.out_of_memory) {
        error = diag.error = ASSAY_NO_MEMORY;
    }
    error = error != ASSAY_OK ? error : assay_check_open(&v->options, &v->check, &diag);
    return error != ASSAY_OK ? assay_library_fail(v, &diag) : ASSAY_STATUS_OK;
}

/* The trace has been judged, or `error` prevented it. */
static enum assay_status conclude(struct assay_validator *v, enum assay_error error,
                                  const struct assay_diag *diag)
{
    if (error == ASSAY_OK && v->lines_failed) {
        error = ASSAY_NO_MEMORY;
    }
    if (error != ASSAY_OK) {
        struct assay_diag why = *diag;
        why.error = error;
        assay_library_forget(v);
        return assay_library_fail(v, &why);
    }
    return assay_library_complete(v);
}

/* --- the three ways --- */

enum assay_status assay_validator_judge_path(struct assay_validator *v, const char *path)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    const enum assay_status status = prepare(v, path, false);
    return status != ASSAY_STATUS_OK
               ? status
               : conclude(v, assay_check_inputs(v->check, &v->input, 1, &diag), &diag);
}

enum assay_status assay_validator_judge_buffer(struct assay_validator *v, const char *name,
                                               const void *data, size_t size)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_source *source = NULL;
    const enum assay_status status = prepare(v, name, false);
    if (status != ASSAY_STATUS_OK) {
        return status;
    }
    enum assay_error error = assay_source_memory(data, size, &source);
    error =
        error != ASSAY_OK ? error : assay_check_source(v->check, &v->input, source, NULL, &diag);
    return conclude(v, error, &diag);
}

static void *judge_pushed(void *argument)
{
    struct assay_validator *v = argument;
    v->error = assay_check_source(v->check, &v->input, v->source, NULL, &v->diag);
    return NULL;
}

/* Signals are for the program's own threads. */
static enum assay_error start(struct assay_validator *v)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&v->thread, NULL, judge_pushed, v);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed == 0 ? ASSAY_OK : ASSAY_NO_MEMORY;
}

enum assay_status assay_validator_begin(struct assay_validator *v, const char *name)
{
    const enum assay_status status = prepare(v, name, true);
    if (status != ASSAY_STATUS_OK) {
        return status;
    }
    v->diag = (struct assay_diag){.offset = ASSAY_NO_OFFSET};
    enum assay_error error = assay_push_open(QUEUE_BYTES, &v->push, &v->source);
    if (error == ASSAY_OK && (error = start(v)) != ASSAY_OK) {
        assay_source_close(v->source);
        assay_push_close(v->push);
        v->push = NULL;
    }
    if (error != ASSAY_OK) {
        assay_library_forget(v);
        return assay_library_refuse(v, error, "%s", assay_error_text(error));
    }
    return ASSAY_STATUS_OK;
}

enum assay_status assay_validator_push(struct assay_validator *v, const void *data, size_t size)
{
    v->message[0] = '\0';
    if (v->push == NULL) {
        return assay_library_refuse(v, ASSAY_USAGE, "no trace was begun");
    }
    /* Where the reader has gone it needs no more: the outcome will tell why. */
    (void)assay_push_write(v->push, data, size);
    return ASSAY_STATUS_OK;
}

enum assay_status assay_validator_flush(struct assay_validator *v)
{
    v->message[0] = '\0';
    if (v->push == NULL) {
        return assay_library_refuse(v, ASSAY_USAGE, "no trace was begun");
    }
    assay_push_flush(v->push);
    return ASSAY_STATUS_OK;
}

enum assay_status assay_validator_end(struct assay_validator *v)
{
    v->message[0] = '\0';
    if (v->push == NULL) {
        return assay_library_refuse(v, ASSAY_USAGE, "no trace was begun");
    }
    join(v);
    return conclude(v, v->error, &v->diag);
}

void assay_validator_cancel(struct assay_validator *v)
{
    assay_stop_request(&v->stop);
}
