#include "validator/compare/events.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "reports/json_load.h"

/* --- lines --- */

/* The lines of a file, as JSON objects. */
struct lines {
    FILE *file;
    char *text;
    size_t room;
    uint64_t number; /* of the latest line, from 1 */
    char why[160];   /* it is not an object; "" where it is, or at the end */
    bool *no_memory; /* of all lines of a comparison */
};

static void lines_begin(struct lines *lines, FILE *file, bool *no_memory)
{
    rewind(file);
    *lines = (struct lines){.file = file, .no_memory = no_memory};
}

/* The next line, owned by the caller; null at the end, and where it is not an object. */
static json_t *lines_next(struct lines *lines)
{
    json_error_t wrong;
    json_t *object = NULL;
    const ssize_t size = getline(&lines->text, &lines->room, lines->file);
    lines->why[0] = '\0';
    if (size < 0) {
        *lines->no_memory = *lines->no_memory || feof(lines->file) == 0;
        return NULL;
    }
    lines->number++;
    if (lines->text[size - 1] != '\n') {
        snprintf(lines->why, sizeof lines->why, "line %llu has no end",
                 (unsigned long long)lines->number);
        return NULL;
    }
    const enum assay_error error =
        assay_json_load(lines->text, (size_t)size, JSON_REJECT_DUPLICATES, &object, &wrong);
    *lines->no_memory = *lines->no_memory || error == ASSAY_NO_MEMORY;
    if (!json_is_object(object)) {
        snprintf(lines->why, sizeof lines->why, "line %llu is no JSON object: %.100s",
                 (unsigned long long)lines->number, object != NULL ? "another value" : wrong.text);
        json_decref(object);
        return NULL;
    }
    return object;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

/* --- what the decoder says that it gives --- */

struct gives {
    const struct assay_format *format;
    json_t *header;
    const char *only; /* the layer of events that name none; "" if there are several */
};

static bool gives_layer(const struct gives *gives, const char *layer)
{
    const json_t *list = json_object_get(gives->header, "layers");
    const char *one = text_of(gives->header, "layer");
    size_t i = 0;
    json_t *item = NULL;
    if (!json_is_array(list)) {
        return strcmp(one, "all") == 0 || strcmp(one, layer) == 0;
    }
    json_array_foreach(list, i, item)
    {
        if (json_is_string(item) && strcmp(json_string_value(item), layer) == 0) {
            return true;
        }
    }
    return false;
}

static bool omits(const struct gives *gives, const char *kind, const char *field)
{
    const json_t *list = json_object_get(gives->header, "omits");
    char both[256];
    size_t i = 0;
    json_t *item = NULL;
    snprintf(both, sizeof both, "%s.%s", kind, field);
    json_array_foreach(list, i, item)
    {
        const char *name = json_string_value(item);
        if (name != NULL &&
            (strcmp(name, kind) == 0 || strcmp(name, field) == 0 || strcmp(name, both) == 0)) {
            return true;
        }
    }
    return false;
}

static bool read_header(struct lines *lines, const char *const *layers, size_t layer_count,
                        struct gives *gives, char *why, size_t room)
{
    unsigned count = 0;
    gives->header = lines_next(lines);
    if (gives->header == NULL) {
        snprintf(why, room, "%s", lines->why[0] != '\0' ? lines->why : "there is no output");
        return false;
    }
    if (strcmp(text_of(gives->header, "schema"), "assay-events/1") != 0) {
        snprintf(why, room, "the first line has no \"schema\": \"assay-events/1\"");
        return false;
    }
    gives->only = "";
    for (size_t i = 0; i < layer_count; i++) {
        if (gives_layer(gives, layers[i])) {
            gives->only = layers[i];
            count++;
        }
    }
    gives->only = count == 1 ? gives->only : "";
    if (count == 0) {
        snprintf(why, room, "the first line names no layer of the format");
    }
    return count > 0;
}

/* --- one event --- */

static bool is_place(const char *key)
{
    return strcmp(key, "at") == 0 || strcmp(key, "bits") == 0;
}

static bool is_apart(const char *key)
{
    return strcmp(key, "i") == 0 || strcmp(key, "layer") == 0 || strcmp(key, "kind") == 0 ||
           strcmp(key, "derived") == 0;
}

static bool number_of(const json_t *value, uint64_t *number)
{
    if (json_is_boolean(value)) {
        *number = json_is_true(value);
        return true;
    }
    if (json_is_integer(value)) {
        *number = (uint64_t)json_integer_value(value);
        return true;
    }
    const char *text = json_string_value(value);
    char *end = NULL;
    if (text == NULL || strncmp(text, "0x", 2) != 0) {
        return false;
    }
    *number = strtoull(text, &end, 16);
    return end != text + 2 && *end == '\0' && strlen(text) <= 18;
}

/* Numbers are equal however they are written: 16, "0x10"; 1, true. */
static bool equal(const json_t *a, const json_t *b)
{
    uint64_t x = 0;
    uint64_t y = 0;
    return number_of(a, &x) && number_of(b, &y) ? x == y : json_equal(a, b) != 0;
}

static bool is_zero(const json_t *value)
{
    uint64_t number = 1;
    return number_of(value, &number) && number == 0;
}

/* Whether it is one of the constant fields by which the kind is told, which the reference decoder
 * does not write, with the right value. */
static bool is_constant(const struct assay_format *format, const char *kind_name, const char *key,
                        const json_t *value)
{
    const struct assay_kind *kind = assay_kind_by_name(format, kind_name);
    const struct assay_field *field = kind != NULL ? assay_field_by_name(kind, key) : NULL;
    uint64_t number = 0;
    return field != NULL && (field->flags & ASSAY_CONSTANT) != 0 && number_of(value, &number) &&
           number == field->value;
}

/* Whether a field that the decoder gives is that of the reference decoder, which does not write
 * what it derives where that is 0. */
static bool check_given(const json_t *expected, const char *key, const json_t *value,
                        const struct gives *gives, struct assay_comparison *c)
{
    const char *kind = text_of(expected, "kind");
    const json_t *mine = json_object_get(expected, key);
    if (mine == NULL) {
        mine = json_object_get(json_object_get(expected, "derived"), key);
    }
    if (mine == NULL && (is_zero(value) || is_constant(gives->format, kind, key, value))) {
        return true;
    }
    if (mine == NULL) {
        snprintf(
            c->what, sizeof c->what,
            "%s has no field \"%.80s\" with this value (what only the decoder has belongs under "
            "\"derived\")",
            kind, key);
        return false;
    }
    if (!equal(mine, value)) {
        snprintf(c->what, sizeof c->what, "the field \"%.80s\" differs", key);
        return false;
    }
    return true;
}

static bool same_event(const json_t *expected, json_t *found, const struct gives *gives,
                       struct assay_comparison *c)
{
    const char *kind = text_of(expected, "kind");
    const char *key = NULL;
    json_t *value = NULL;
    if (strcmp(kind, text_of(found, "kind")) != 0) {
        snprintf(c->what, sizeof c->what, "another kind");
        return false;
    }
    json_object_foreach(found, key, value)
    {
        if (!is_apart(key) && !check_given(expected, key, value, gives, c)) {
            return false;
        }
    }
    json_object_foreach((json_t *)expected, key, value)
    {
        if (!is_apart(key) && !is_place(key) && json_object_get(found, key) == NULL &&
            !omits(gives, kind, key)) {
            snprintf(c->what, sizeof c->what, "the field \"%.80s\" is missing", key);
            return false;
        }
    }
    return true;
}

/* --- a layer --- */

static bool is_end(const json_t *event)
{
    return strcmp(text_of(event, "kind"), "end") == 0;
}

/* The next event of a layer; null at the end. Those of derived kinds are left out, and of the
 * reference decoder those of kinds that the decoder omits. */
static json_t *next_of(struct lines *lines, const char *layer, const char *only,
                       const struct gives *omitting)
{
    json_t *event = NULL;
    while ((event = lines_next(lines)) != NULL) {
        const char *named = text_of(event, "layer");
        const bool other = strcmp(*named != '\0' ? named : only, layer) != 0 || is_end(event) ||
                           json_is_true(json_object_get(event, "is_derived")) ||
                           json_object_get(event, "schema") != NULL;
        if (!other && (omitting == NULL || !omits(omitting, text_of(event, "kind"), ""))) {
            return event;
        }
        json_decref(event);
    }
    return NULL;
}

static void show(struct assay_comparison *c, const json_t *event, char text[ASSAY_COMPARED_TEXT])
{
    char *whole = event != NULL ? json_dumps(event, JSON_COMPACT) : NULL;
    c->no_memory = c->no_memory || (event != NULL && whole == NULL);
    snprintf(text, ASSAY_COMPARED_TEXT, "%s", whole != NULL ? whole : "");
    free(whole);
}

static void remember(struct assay_comparison *c, const json_t *event)
{
    memmove(c->before[1], c->before[0], sizeof c->before - sizeof c->before[0]);
    show(c, event, c->before[0]);
    c->events++;
}

static void differ(struct assay_comparison *c, enum assay_difference difference, const char *layer,
                   const json_t *expected, const json_t *found)
{
    c->difference = difference;
    snprintf(c->layer, sizeof c->layer, "%s", layer);
    show(c, expected, c->expected);
    show(c, found, c->found);
}

/* Compares two events, of which one can be absent. True when the layer goes on. */
static bool compare_events(struct assay_comparison *c, const char *layer, const struct gives *gives,
                           json_t *expected, json_t *found)
{
    const bool fault = strcmp(text_of(expected, "kind"), "malformed") == 0;
    c->malformed = c->malformed || fault;
    if (expected == NULL && found == NULL) {
        return false;
    }
    if (fault) {
        if (found == NULL || strcmp(text_of(found, "kind"), "malformed") != 0) {
            snprintf(c->what, sizeof c->what, "the fault is not reported");
            differ(c, ASSAY_FAULT_MISSED, layer, expected, found);
        }
        return false;
    }
    if (expected == NULL || found == NULL) {
        snprintf(c->what, sizeof c->what, "%s",
                 found == NULL ? "the event is missing" : "there is no event any more");
        differ(c, ASSAY_DIFFERENT, layer, expected, found);
        return false;
    }
    if (!same_event(expected, found, gives, c)) {
        differ(c, ASSAY_DIFFERENT, layer, expected, found);
        return false;
    }
    remember(c, expected);
    return true;
}

static void no_events(struct assay_comparison *c, const char *why)
{
    c->difference = ASSAY_NO_EVENTS;
    snprintf(c->what, sizeof c->what, "%s", why);
}

/* Compares a layer; false when the expected events cannot be read. */
static bool compare_layer(FILE *expected, FILE *found, const char *layer, const struct gives *gives,
                          struct assay_comparison *c)
{
    struct lines mine;
    struct lines theirs;
    bool more = true;
    lines_begin(&mine, expected, &c->no_memory);
    lines_begin(&theirs, found, &c->no_memory);
    memset(c->before, 0, sizeof c->before);
    for (c->index = 0; more; c->index++) {
        json_t *a = next_of(&mine, layer, "", gives);
        json_t *b = next_of(&theirs, layer, gives->only, NULL);
        if (theirs.why[0] != '\0') {
            no_events(c, theirs.why);
            more = false;
        } else {
            more = mine.why[0] == '\0' && compare_events(c, layer, gives, a, b);
        }
        json_decref(a);
        json_decref(b);
    }
    c->index--;
    free(mine.text);
    free(theirs.text);
    return mine.why[0] == '\0';
}

/* The decoder's last line says that it ended, and how many events it gave. */
static void check_end(FILE *found, struct assay_comparison *c)
{
    struct lines lines;
    json_t *line = NULL;
    json_t *last = NULL;
    uint64_t count = 0;
    lines_begin(&lines, found, &c->no_memory);
    while ((line = lines_next(&lines)) != NULL) {
        count++;
        json_decref(last);
        last = line;
    }
    if (lines.why[0] != '\0') {
        no_events(c, lines.why);
    } else if (!is_end(last)) {
        no_events(c, "the last line is not that of the end: {\"kind\": \"end\", \"events\": N}");
    } else {
        const json_t *events = json_object_get(last, "events");
        if (json_is_integer(events) && (uint64_t)json_integer_value(events) != count - 2) {
            no_events(c, "the last line has another number of events than there are lines of");
        }
    }
    json_decref(last);
    free(lines.text);
}

enum assay_error assay_events_compare(FILE *expected, FILE *found,
                                      const struct assay_format *format,
                                      struct assay_comparison *comparison, struct assay_diag *diag)
{
    struct gives gives = {.format = format, .only = ""};
    const char *const *layers = format->layers;
    const size_t layer_count = format->layer_count;
    struct lines lines;
    bool readable = true;
    *comparison = (struct assay_comparison){.difference = ASSAY_SAME};
    lines_begin(&lines, found, &comparison->no_memory);
    const bool begun =
        read_header(&lines, layers, layer_count, &gives, comparison->what, sizeof comparison->what);
    free(lines.text);
    if (!begun) {
        comparison->difference = ASSAY_NO_EVENTS;
    }
    for (size_t i = 0; begun && i < layer_count && readable; i++) {
        if (comparison->difference == ASSAY_SAME && gives_layer(&gives, layers[i])) {
            readable = compare_layer(expected, found, layers[i], &gives, comparison);
        }
    }
    json_decref(gives.header);
    if (comparison->difference == ASSAY_SAME) {
        check_end(found, comparison);
    }
    if (comparison->no_memory) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    return readable ? ASSAY_OK
                    : assay_fail(diag, ASSAY_SYNTAX, ASSAY_NO_OFFSET,
                                 "the expected events are not JSON Lines");
}
