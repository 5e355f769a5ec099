/* Whether the events of a log agree with each other. */
#include <string.h>

#include "snapshot/events.h"

/* What only one of two events gives does not differ. */
static bool same_text(const char *a, const char *b)
{
    return a[0] == '\0' || b[0] == '\0' || strcmp(a, b) == 0;
}

/* The last event about the same thing before this one, since that began, which gives a parameter;
 * if there is none, the one with which it began. */
static const struct cs_event *one_with(const struct cs_event *event,
                                       bool (*gives)(const struct cs_event *event))
{
    const struct cs_event *before = event->before;
    while (!gives(before) && before->state != CS_EVENT_START && !before->anew &&
           before->before != NULL) {
        before = before->before;
    }
    return before;
}

static bool gives_name(const struct cs_event *event)
{
    return event->text[0] != '\0';
}

static bool gives_uuid(const struct cs_event *event)
{
    return event->uuid[0] != '\0';
}

static bool gives_value(const struct cs_event *event)
{
    return event->has_value;
}

/* Whether an event has the parameters of the ones before it about the same thing. Parameters
 * that it omits match any, so that each event is looked at once. */
static bool same_parameters(const struct cs_event *event)
{
    const struct cs_event *before = event->before;
    return before->pid == event->pid && before->address == event->address &&
           (!gives_name(event) || same_text(one_with(event, gives_name)->text, event->text)) &&
           (!gives_uuid(event) || same_text(one_with(event, gives_uuid)->uuid, event->uuid)) &&
           (!gives_value(event) || !one_with(event, gives_value)->has_value ||
            one_with(event, gives_value)->value == event->value);
}

/* A log while it is checked. */
struct check {
    const struct cs_events *events;
    size_t n;        /* of the event at hand */
    bool complete;   /* the log begins with a snapshot */
    size_t snapshot; /* events in that */
    struct assay_diag *diag;
};

static enum assay_error refuse(const struct check *c, enum assay_error error, const char *what,
                               const struct cs_event *before)
{
    const struct cs_event *event = &c->events->list[c->n];
    assay_fail_at(c->diag, error, event->line, 1, "%s %s", cs_event_name(event->kind), what);
    assay_diag_path(c->diag, c->events->path);
    if (before != NULL) {
        assay_diag_hint(c->diag, "see line %u", before->line);
    }
    return error;
}

/* Nothing begins twice, or ends twice; what an event says agrees with the one before about it. */
static enum assay_error check_state(const struct check *c)
{
    const struct cs_event *event = &c->events->list[c->n];
    const struct cs_event *before = event->before;
    const bool ended = before != NULL && (before->state == CS_EVENT_END || event->anew);
    if (event->kind == CS_PATCH_CODE) {
        return ASSAY_OK;
    }
    if (event->state == CS_EVENT_START) {
        /* An image takes the place of one whose end is not in the log. */
        const bool replaced = !c->complete && event->kind == CS_DECLARE_LIBRARY && before != NULL &&
                              !same_parameters(event);
        return before == NULL || ended || replaced
                   ? ASSAY_OK
                   : refuse(c, ASSAY_DUPLICATE, "starts what is there already", before);
    }
    if (before == NULL) {
        /* Which sources there are at first the metadata says. */
        return c->complete && c->n >= c->snapshot && event->kind != CS_DEFINE_TRACE
                   ? refuse(c, ASSAY_CONTRADICTION,
                            "is about what neither the snapshot nor an event declares", NULL)
                   : ASSAY_OK;
    }
    if (event->anew && !c->complete) {
        return ASSAY_OK; /* it began again */
    }
    if (ended) {
        return refuse(c, event->state == CS_EVENT_END ? ASSAY_DUPLICATE : ASSAY_CONTRADICTION,
                      "is about what has ended", before);
    }
    return same_parameters(event)
               ? ASSAY_OK
               : refuse(c, ASSAY_CONTRADICTION, "has other parameters than before", before);
}

/* The process of an event is there, the kernel (0) always. Within a snapshot the order of events
 * says nothing. */
static enum assay_error check_process(const struct check *c)
{
    const struct cs_event *event = &c->events->list[c->n];
    if (event->kind == CS_DECLARE_PROCESS || event->kind == CS_DEFINE_TRACE || event->pid == 0 ||
        event->state == CS_EVENT_END) {
        return ASSAY_OK;
    }
    const struct cs_event *process = event->process;
    if (process != NULL) {
        return process->state != CS_EVENT_END
                   ? ASSAY_OK
                   : refuse(c, ASSAY_CONTRADICTION, "is of a process that has ended", process);
    }
    return c->complete && !event->listed
               ? refuse(c, ASSAY_CONTRADICTION, "is of a process that is not known", NULL)
               : ASSAY_OK;
}

/* A source has one trace id at a time. */
static enum assay_error check_source(const struct check *c)
{
    const struct cs_event *event = &c->events->list[c->n];
    if (event->kind != CS_DEFINE_TRACE || event->state == CS_EVENT_END) {
        return ASSAY_OK;
    }
    const struct cs_event *other = event->named;
    return other == NULL || other->state == CS_EVENT_END || other->id == event->id
               ? ASSAY_OK
               : refuse(c, ASSAY_CONTRADICTION, "is of a source that has another trace id", other);
}

/* A name is of one piece of code, which has one length (MET-EVT-022). */
static enum assay_error check_code(const struct check *c)
{
    const struct cs_event *event = &c->events->list[c->n];
    const struct cs_event *other = event->named;
    return event->kind != CS_PATCH_CODE || strncmp(event->text, "id:", 3) != 0 || other == NULL ||
                   other->length == event->length
               ? ASSAY_OK
               : refuse(c, ASSAY_CONTRADICTION, "gives code another length than before", other);
}

bool cs_events_are_complete(const struct cs_events *events)
{
    return events->count > 0 && events->list[0].state == CS_EVENT_CURRENT;
}

enum assay_error cs_events_check(const struct cs_events *events, struct assay_diag *diag)
{
    struct check c = {.events = events, .diag = diag};
    enum assay_error error = ASSAY_OK;
    while (c.snapshot < events->count && events->list[c.snapshot].state == CS_EVENT_CURRENT) {
        c.snapshot++;
    }
    c.complete = cs_events_are_complete(events);
    for (c.n = 0; c.n < events->count && error == ASSAY_OK; c.n++) {
        const struct cs_event *event = &events->list[c.n];
        if (c.n > 0 && event->time < event[-1].time) {
            return refuse(&c, ASSAY_CONTRADICTION, "is earlier than the event before it",
                          &event[-1]);
        }
        error = check_state(&c);
        error = error != ASSAY_OK ? error : check_process(&c);
        error = error != ASSAY_OK ? error : check_source(&c);
        error = error != ASSAY_OK ? error : check_code(&c);
    }
    return error;
}
