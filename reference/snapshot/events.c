#include "snapshot/events.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/yaml.h"
#include "manifest/manifest.h"
#include "snapshot/line.h"

enum { PARAMETERS_MOST = 5 };

/* --- the forms of events --- */

enum parameter {
    STATE,
    PID,
    TID,
    ASID,
    TRACE_ID,
    ADDRESS,
    LENGTH,
    REGISTER,
    IMAGE,
    UUID,
    SOURCE,
    CODE
};

static const struct {
    const char *name;
    uint64_t most; /* of a number; 0: it is a text */
} parameters[] = {
    [STATE] = {"STATE", 0},
    [PID] = {"pid", UINT32_MAX},
    [TID] = {"tid", UINT32_MAX},
    [ASID] = {"asid", UINT8_MAX},
    [TRACE_ID] = {"trace_id", ASSAY_CORESIGHT_ID_MAX},
    [ADDRESS] = {"address", UINT64_MAX},
    [LENGTH] = {"length", UINT32_MAX},
    [REGISTER] = {"register", UINT32_MAX},
    [IMAGE] = {"image_file", 0},
    [UUID] = {"uuid", 0},
    [SOURCE] = {"source", 0},
    [CODE] = {"code", 0},
};

static const struct form {
    const char *name;
    unsigned least, count;
    enum parameter list[PARAMETERS_MOST];
} forms[CS_EVENT_KIND_COUNT] = {
    [CS_DECLARE_PROCESS] = {"declare_process", 4, 5, {STATE, PID, ADDRESS, IMAGE, UUID}},
    [CS_DECLARE_THREAD] = {"declare_thread", 3, 3, {STATE, TID, PID}},
    [CS_DECLARE_LIBRARY] = {"declare_library", 4, 5, {STATE, PID, ADDRESS, IMAGE, UUID}},
    [CS_PATCH_CODE] = {"patch_code", 4, 4, {PID, ADDRESS, LENGTH, CODE}},
    [CS_DECLARE_ASID] = {"declare_asid", 3, 3, {STATE, ASID, PID}},
    [CS_DEFINE_TRACE] = {"define_trace", 3, 4, {STATE, TRACE_ID, SOURCE, REGISTER}},
};

const char *cs_event_name(enum cs_event_kind kind)
{
    return forms[kind].name;
}

/* --- a line --- */

struct reader {
    struct assay_arena *arena;
    struct assay_diag *diag;
    const char *path;
    struct cs_lines lines;
    struct cs_event *list;
    size_t count, room;
};

/* The part as a scalar, which is read and refused by the functions of common/yaml.h. */
static struct assay_yaml scalar(struct reader *r, struct cs_part part)
{
    const char *text = assay_arena_text(r->arena, part.text, part.length);
    return (struct assay_yaml){.type = ASSAY_YAML_SCALAR,
                               .path = r->path,
                               .line = r->lines.number,
                               .column = part.column,
                               .text = text != NULL ? text : "",
                               .length = text != NULL ? part.length : 0};
}

static enum assay_error set_state(const struct reader *r, const struct assay_yaml *node,
                                  struct cs_event *event)
{
    static const char *const names[] = {"START", "END", "CURRENT"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], node->text) == 0) {
            event->state = (enum cs_event_state)i;
            return ASSAY_OK;
        }
    }
    return assay_yaml_fail(node, r->diag, ASSAY_UNKNOWN_NAME,
                           "\"%.80s\" is no state: START, END or CURRENT", node->text);
}

/* Code is None, id:NAME, or bytes. */
static enum assay_error set_code(struct reader *r, const struct assay_yaml *node,
                                 struct cs_event *event)
{
    size_t size = 0;
    event->text = node->text;
    if (strcmp(node->text, "None") == 0 ||
        (strncmp(node->text, "id:", 3) == 0 && node->length > 3)) {
        return ASSAY_OK;
    }
    uint8_t *bytes = assay_arena_take(r->arena, node->length / 2 + 1);
    if (bytes == NULL) {
        return assay_fail(r->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    if (node->length == 0 || !assay_hex_bytes(node->text, node->length, bytes, &size)) {
        return assay_yaml_fail(node, r->diag, ASSAY_SYNTAX,
                               "code is None, id:NAME, or its bytes in hexadecimal");
    }
    event->code = bytes;
    return size == event->length ? ASSAY_OK
                                 : assay_yaml_fail(node, r->diag, ASSAY_CONTRADICTION,
                                                   "the code has %zu bytes, and the length is %llu",
                                                   size, (unsigned long long)event->length);
}

/* Hexadecimal digits are the same in either case. How UUIDs are made is left to the platform; any
 * other text is taken as it is. */
static const char *uuid_of(struct reader *r, const char *given)
{
    const size_t length = strlen(given);
    char *uuid = assay_arena_text(r->arena, given, length);
    if (uuid != NULL && strspn(given, "0123456789abcdefABCDEF-") == length) {
        for (char *digit = uuid; *digit != '\0'; digit++) {
            *digit = (char)tolower((unsigned char)*digit);
        }
    }
    return uuid;
}

static void set_number(struct cs_event *event, enum parameter parameter, uint64_t number)
{
    switch (parameter) {
    case PID:
        event->pid = number;
        break;
    case ADDRESS:
        event->address = number;
        break;
    case LENGTH:
        event->length = number;
        break;
    case REGISTER:
        event->value = number;
        event->has_value = true;
        break;
    default:
        event->id = number;
        break;
    }
}

static enum assay_error set_parameter(struct reader *r, enum parameter parameter,
                                      struct cs_part part, struct cs_event *event)
{
    const struct assay_yaml node = scalar(r, part);
    uint64_t number = 0;
    switch (parameter) {
    case STATE:
        return set_state(r, &node, event);
    case CODE:
        return set_code(r, &node, event);
    case IMAGE:
        event->text = node.text;
        return ASSAY_OK;
    case UUID:
        event->uuid = uuid_of(r, node.text);
        return event->uuid != NULL
                   ? ASSAY_OK
                   : assay_fail(r->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    case SOURCE:
        event->text = node.text;
        return node.length > 0 ? ASSAY_OK
                               : assay_yaml_fail(&node, r->diag, ASSAY_SYNTAX,
                                                 "the name of the source is empty");
    default:
        break;
    }
    const uint64_t least = parameter == TRACE_ID || parameter == LENGTH ? 1 : 0;
    if (!assay_yaml_is_number(&node)) {
        return assay_yaml_fail(&node, r->diag, ASSAY_WRONG_TYPE, "%s is a number",
                               parameters[parameter].name);
    }
    if (!assay_yaml_u64(&node, &number) || number < least || number > parameters[parameter].most) {
        return assay_yaml_fail(&node, r->diag, ASSAY_OUT_OF_RANGE, "%s is from %u to 0x%llx",
                               parameters[parameter].name, (unsigned)least,
                               (unsigned long long)parameters[parameter].most);
    }
    set_number(event, parameter, number);
    return ASSAY_OK;
}

/* Takes the next parameter off what is between the parentheses. */
static enum assay_error next_parameter(const struct reader *r, struct cs_part *rest,
                                       struct cs_part *part)
{
    *rest = cs_trim(*rest);
    const bool quoted = rest->length > 0 && rest->text[0] == '"';
    const char *close = quoted ? memchr(rest->text + 1, '"', rest->length - 1) : NULL;
    if (quoted && close == NULL) {
        return assay_fail_at(r->diag, ASSAY_SYNTAX, r->lines.number, rest->column,
                             "the quotes are not closed");
    }
    const size_t from = quoted ? (size_t)(close - rest->text) + 1 : 0;
    const char *comma = memchr(rest->text + from, ',', rest->length - from);
    const size_t end = comma != NULL ? (size_t)(comma - rest->text) : rest->length;
    *part = cs_trim(cs_cut(*rest, 0, end));
    if (quoted && part->length != from) {
        return assay_fail_at(r->diag, ASSAY_SYNTAX, r->lines.number, rest->column + (uint32_t)from,
                             "only a comma can follow what is in quotes");
    }
    *part = quoted ? cs_cut(*part, 1, part->length - 1) : *part;
    *rest = cs_cut(*rest, comma != NULL ? end + 1 : end, rest->length);
    rest->text = comma != NULL ? rest->text : NULL; /* that was the last one */
    return ASSAY_OK;
}

static enum assay_error read_parameters(struct reader *r, struct cs_part rest,
                                        const struct form *form, struct cs_event *event)
{
    const struct cs_part all = rest;
    enum assay_error error = ASSAY_OK;
    unsigned n = 0;
    for (; rest.text != NULL && error == ASSAY_OK; n++) {
        struct cs_part part = rest;
        error = next_parameter(r, &rest, &part);
        if (error == ASSAY_OK && n < form->count) {
            error = set_parameter(r, form->list[n], part, event);
        }
    }
    if (error != ASSAY_OK) {
        return error;
    }
    const bool define = event->kind == CS_DEFINE_TRACE && event->state == CS_EVENT_START;
    if (n < form->least + (define ? 1U : 0U) || n > form->count) {
        return assay_fail_at(r->diag, ASSAY_SYNTAX, r->lines.number, all.column,
                             "%s has %u parameters here, and needs %u", form->name, n,
                             n > form->count ? form->count : form->least + (define ? 1U : 0U));
    }
    if (event->kind == CS_PATCH_CODE && event->length - 1 > UINT64_MAX - event->address) {
        return assay_fail_at(r->diag, ASSAY_OUT_OF_RANGE, r->lines.number, all.column,
                             "the code goes beyond the last address");
    }
    return cs_event_is_image(event) && event->text[0] == '\0' && event->uuid[0] == '\0'
               ? assay_fail_at(r->diag, ASSAY_SYNTAX, r->lines.number, all.column,
                               "the image has neither a name nor a UUID")
               : ASSAY_OK;
}

static enum assay_error find_form(const struct reader *r, const struct assay_yaml *name,
                                  struct cs_event *event)
{
    struct assay_near near = assay_near_begin(name->text);
    for (size_t i = 0; i < CS_EVENT_KIND_COUNT; i++) {
        if (strcmp(forms[i].name, name->text) == 0) {
            event->kind = (enum cs_event_kind)i;
            return ASSAY_OK;
        }
        assay_near_try(&near, forms[i].name);
    }
    assay_yaml_fail(name, r->diag, ASSAY_UNKNOWN_NAME, "there is no event \"%.80s\"", name->text);
    if (near.best != NULL) {
        assay_diag_hint(r->diag, "did you mean \"%s\"?", near.best);
    }
    return ASSAY_UNKNOWN_NAME;
}

/* TIME EVENT(...) */
static enum assay_error read_event(struct reader *r, struct cs_part line)
{
    struct cs_event event = {.line = r->lines.number, .text = "", .uuid = ""};
    size_t blank = 0;
    while (blank < line.length && !cs_is_blank(line.text[blank])) {
        blank++;
    }
    const struct assay_yaml time = scalar(r, cs_cut(line, 0, blank));
    const struct cs_part call = cs_trim(cs_cut(line, blank, line.length));
    const char *open = memchr(call.text, '(', call.length);
    if (!assay_yaml_u64(&time, &event.time)) {
        return assay_yaml_fail(&time, r->diag, ASSAY_SYNTAX,
                               "a line begins with the time, a number");
    }
    if (open == NULL || call.text[call.length - 1] != ')') {
        return assay_fail_at(r->diag, ASSAY_SYNTAX, r->lines.number, call.column,
                             "after the time comes EVENT(PARAMETER, ...)");
    }
    const size_t at = (size_t)(open - call.text);
    const struct assay_yaml name = scalar(r, cs_trim(cs_cut(call, 0, at)));
    enum assay_error error = find_form(r, &name, &event);
    if (error == ASSAY_OK) {
        error =
            read_parameters(r, cs_cut(call, at + 1, call.length - 1), &forms[event.kind], &event);
    }
    if (error == ASSAY_OK && r->count == CS_EVENTS_MAX) {
        error = assay_fail_at(r->diag, ASSAY_LIMIT, r->lines.number, 1,
                              "there are more than %d events", CS_EVENTS_MAX);
    }
    if (error != ASSAY_OK) {
        return error;
    }
    struct cs_event *list = assay_arena_grow(r->arena, r->list, r->count, &r->room, sizeof *list);
    if (list == NULL) {
        return assay_fail(r->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    list[r->count++] = event;
    r->list = list;
    return ASSAY_OK;
}

/* --- the log --- */

static enum assay_error read_lines(struct reader *r)
{
    enum assay_error error = ASSAY_OK;
    struct cs_part said;
    if (r->lines.size > ASSAY_YAML_MAX_BYTES) {
        return assay_fail(r->diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "the file is larger than %zu MiB",
                          ASSAY_YAML_MAX_BYTES >> 20);
    }
    while (error == ASSAY_OK && cs_next_line(&r->lines, &said, &error, r->diag)) {
        error = read_event(r, said);
    }
    return error;
}

enum assay_error cs_events_parse(const char *shown, const char *text, size_t size,
                                 struct assay_arena *arena, struct cs_events *events,
                                 struct assay_diag *diag)
{
    struct reader r = {.arena = arena, .lines = {.text = text, .size = size}, .diag = diag};
    r.path = assay_arena_text(arena, shown, strlen(shown));
    *events = (struct cs_events){.path = r.path};
    if (r.path == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    enum assay_error error = read_lines(&r);
    if (error != ASSAY_OK) {
        assay_diag_path(diag, shown);
        return error;
    }
    events->list = r.list;
    events->count = r.count;
    error = cs_events_index(r.list, r.count, diag);
    return error != ASSAY_OK ? error : cs_events_check(events, diag);
}

enum assay_error cs_events_load(const char *path, const char *shown, struct assay_arena *arena,
                                struct cs_events *events, struct assay_diag *diag)
{
    char *text = NULL;
    size_t size = 0;
    *events = (struct cs_events){0};
    enum assay_error error = assay_text_load(path, &text, &size, diag);
    if (error != ASSAY_OK) {
        assay_diag_path(diag, shown);
        return error;
    }
    error = cs_events_parse(shown, text, size, arena, events, diag);
    free(text);
    return error;
}
