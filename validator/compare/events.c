#include "validator/compare/events.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "validator/compare/lines.h"
#include "validator/compare/show.h"
#include "validator/compare/values.h"

/* They are looked through for each event. */
enum { OMITS_MOST = 1000 };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

/* --- what the decoder says that it gives --- */

struct gives {
    const struct assay_format *format;
    const char *chosen; /* the layer that is compared; null: each that is given */
    json_t *header;
    const char *only; /* the layer of events that name none; "" if there are several */
};

static bool says_layer(const json_t *header, const char *layer)
{
    const json_t *list = json_object_get(header, "layers");
    const char *one = text_of(header, "layer");
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

static bool gives_layer(const struct gives *gives, const char *layer)
{
    return (gives->chosen == NULL || strcmp(gives->chosen, layer) == 0) &&
           says_layer(gives->header, layer);
}

/* Whether the decoder omits all kinds that are the reference decoder's own, and this is one. */
static bool is_own(const struct gives *gives, const char *name, const char *kind_name)
{
    const struct assay_kind *kind =
        strcmp(name, "derived") == 0 ? assay_kind_by_name(gives->format, kind_name) : NULL;
    return kind != NULL && (kind->is_own || kind->is_derived);
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
        if (name != NULL && (strcmp(name, kind) == 0 || strcmp(name, field) == 0 ||
                             strcmp(name, both) == 0 || is_own(gives, name, kind))) {
            return true;
        }
    }
    return false;
}

static bool read_header(struct assay_lines *lines, struct gives *gives, char *why, size_t room)
{
    const struct assay_format *format = gives->format;
    unsigned count = 0;
    unsigned compared = 0;
    gives->header = assay_lines_next(lines);
    if (gives->header == NULL) {
        snprintf(why, room, "%s", lines->why[0] != '\0' ? lines->why : "there is no output");
        return false;
    }
    if (strcmp(text_of(gives->header, "schema"), "assay-events/1") != 0) {
        snprintf(why, room, "the first line has no \"schema\": \"assay-events/1\"");
        return false;
    }
    if (json_array_size(json_object_get(gives->header, "omits")) > OMITS_MOST) {
        snprintf(why, room, "\"omits\" of the first line has more than %d names", OMITS_MOST);
        return false;
    }
    for (size_t i = 0; i < format->layer_count; i++) {
        if (says_layer(gives->header, format->layers[i])) {
            gives->only = format->layers[i];
            count++;
            compared += gives_layer(gives, format->layers[i]);
        }
    }
    gives->only = count == 1 ? gives->only : "";
    if (compared == 0) {
        snprintf(why, room, "the first line names no layer %s%s",
                 count > 0 ? "that is compared, " : "of the format",
                 count > 0 ? gives->chosen : "");
    }
    return compared > 0;
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

static bool is_zero(const struct assay_field *field, const json_t *value)
{
    uint64_t number = 1;
    return assay_value_of_field(field, value, &number) && number == 0;
}

/* Whether it is one of the constant fields by which the kind is told, which the reference decoder
 * does not write, with the right value. */
static bool is_constant(const struct assay_field *field, const json_t *value)
{
    uint64_t number = 0;
    return field != NULL && (field->flags & ASSAY_CONSTANT) != 0 &&
           assay_value_of_field(field, value, &number) && number == field->value;
}

static void note(struct assay_comparison *c, enum assay_aspect aspect, const char *kind,
                 const char *field)
{
    c->aspect = aspect;
    snprintf(c->kind, sizeof c->kind, "%s", kind);
    snprintf(c->field, sizeof c->field, "%s", field);
}

/* Whether a field that the decoder gives is that of the reference decoder, which does not write
 * what it derives where that is 0. */
static bool check_given(const json_t *expected, const char *key, const json_t *value,
                        const struct gives *gives, struct assay_comparison *c)
{
    const char *kind_name = text_of(expected, "kind");
    const struct assay_kind *kind = assay_kind_by_name(gives->format, kind_name);
    const struct assay_field *field = kind != NULL ? assay_field_by_name(kind, key) : NULL;
    const json_t *mine = json_object_get(expected, key);
    if (mine == NULL) {
        mine = json_object_get(json_object_get(expected, "derived"), key);
    }
    if (mine == NULL && (is_zero(field, value) || is_constant(field, value))) {
        return true;
    }
    if (mine == NULL) {
        note(c, ASSAY_IN_UNKNOWN_FIELD, kind_name, key);
        return false;
    }
    if (!assay_values_equal(field, mine, value)) {
        note(c, ASSAY_IN_FIELD, kind_name, key);
        c->numbered = assay_value_of_field(field, mine, &c->numbers[0]) &&
                      assay_value_of_field(field, value, &c->numbers[1]);
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
        note(c, ASSAY_IN_KIND, kind, "kind");
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
            note(c, ASSAY_IN_ABSENT_FIELD, kind, key);
            return false;
        }
    }
    return true;
}

/* --- what differs --- */

/* In a line, from both events as they are shown. */
static void describe(struct assay_comparison *c)
{
    const char *mine = c->expected.value;
    const char *theirs = c->found.value;
    switch (c->aspect) {
    case ASSAY_IN_KIND:
        snprintf(c->what, sizeof c->what, "%s is due, yours is %s", mine,
                 theirs[0] != '\0' ? theirs : "without a kind");
        break;
    case ASSAY_IN_FIELD:
        snprintf(c->what, sizeof c->what, "%s.%s is %s, yours %s", c->kind, c->field, mine, theirs);
        break;
    case ASSAY_IN_ABSENT_FIELD:
        snprintf(c->what, sizeof c->what,
                 "%s.%s is missing (what is never given belongs under \"omits\")", c->kind,
                 c->field);
        break;
    case ASSAY_IN_UNKNOWN_FIELD:
        snprintf(c->what, sizeof c->what,
                 "%s has no field \"%s\" with this value (what only the decoder has belongs under "
                 "\"derived\")",
                 c->kind, c->field);
        break;
    case ASSAY_IN_ABSENT_EVENT:
        snprintf(c->what, sizeof c->what, "%s is due, yours ends before it", c->kind);
        break;
    case ASSAY_IN_SURPLUS_EVENT:
        snprintf(c->what, sizeof c->what, "the events are at their end, yours goes on with %s",
                 c->kind);
        break;
    case ASSAY_IN_UNNOTICED_FAULT:
        snprintf(c->what, sizeof c->what, "the fault \"%s\" is not reported", c->field);
        break;
    default:
        break;
    }
}

/* --- a layer --- */

static bool is_end(const json_t *event)
{
    return strcmp(text_of(event, "kind"), "end") == 0;
}

/* The next event of a layer; null at the end. Those of derived kinds, and of kinds that the decoder
 * omits, are left out. `only` is the layer of events that name none; where it is "" and the events
 * are the decoder's, each has to. */
static json_t *next_of(struct assay_lines *lines, const char *layer, const char *only, bool theirs,
                       const struct gives *gives)
{
    json_t *event = NULL;
    while ((event = assay_lines_next(lines)) != NULL) {
        const char *named = text_of(event, "layer");
        if (*named == '\0' && *only == '\0' && theirs && !is_end(event) &&
            json_object_get(event, "schema") == NULL) {
            snprintf(lines->why, sizeof lines->why,
                     "line %llu: the event has no \"layer\", and the first line gives several",
                     (unsigned long long)lines->number);
            json_decref(event);
            return NULL;
        }
        const bool other = strcmp(*named != '\0' ? named : only, layer) != 0 || is_end(event) ||
                           json_is_true(json_object_get(event, "is_derived")) ||
                           json_object_get(event, "schema") != NULL;
        if (!other && !omits(gives, text_of(event, "kind"), "")) {
            return event;
        }
        json_decref(event);
    }
    return NULL;
}

static void differ(struct assay_comparison *c, enum assay_difference difference, const char *layer,
                   const json_t *expected, const json_t *found)
{
    const bool field = c->aspect == ASSAY_IN_KIND || c->aspect == ASSAY_IN_FIELD ||
                       c->aspect == ASSAY_IN_ABSENT_FIELD || c->aspect == ASSAY_IN_UNKNOWN_FIELD;
    c->difference = difference;
    snprintf(c->layer, sizeof c->layer, "%s", layer);
    assay_show_event(c, expected, field ? c->field : NULL, &c->expected);
    assay_show_event(c, found, field ? c->field : NULL, &c->found);
    describe(c);
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
            note(c, ASSAY_IN_UNNOTICED_FAULT, "malformed", text_of(expected, "code"));
            differ(c, ASSAY_FAULT_MISSED, layer, expected, found);
        }
        return false;
    }
    if (expected == NULL || found == NULL) {
        note(c, found == NULL ? ASSAY_IN_ABSENT_EVENT : ASSAY_IN_SURPLUS_EVENT,
             text_of(found == NULL ? expected : found, "kind"), "");
        differ(c, ASSAY_DIFFERENT, layer, expected, found);
        return false;
    }
    if (!same_event(expected, found, gives, c)) {
        differ(c, ASSAY_DIFFERENT, layer, expected, found);
        return false;
    }
    c->events++;
    return true;
}

static void no_events(struct assay_comparison *c, const char *why)
{
    c->difference = ASSAY_NO_EVENTS;
    c->aspect = ASSAY_IN_OUTPUT;
    snprintf(c->what, sizeof c->what, "%s", why);
}

/* The events that were compared last, the latest first; each is held here. */
struct recent {
    json_t *events[ASSAY_COMPARED_BEFORE];
};

static void remember(struct recent *recent, json_t *event)
{
    json_decref(recent->events[ASSAY_COMPARED_BEFORE - 1]);
    memmove(&recent->events[1], &recent->events[0],
            sizeof recent->events - sizeof recent->events[0]);
    recent->events[0] = json_incref(event);
}

/* Shows them where an event differs, and lets go of them. */
static void show_recent(struct recent *recent, struct assay_comparison *c)
{
    struct assay_compared_event shown;
    for (size_t i = 0; i < ASSAY_COMPARED_BEFORE; i++) {
        if (c->difference != ASSAY_SAME && recent->events[i] != NULL) {
            assay_show_event(c, recent->events[i], NULL, &shown);
            memcpy(c->before[i], shown.text, sizeof c->before[i]);
        }
        json_decref(recent->events[i]);
    }
}

/* Compares a layer; false when the expected events cannot be read. */
static bool compare_layer(FILE *expected, FILE *found, const char *layer, const struct gives *gives,
                          struct assay_comparison *c)
{
    struct assay_lines mine;
    struct assay_lines theirs;
    struct recent recent = {{NULL}};
    bool more = true;
    assay_lines_begin(&mine, expected, &c->no_memory);
    assay_lines_begin(&theirs, found, &c->no_memory);
    for (c->index = 0; more; c->index++) {
        json_t *a = next_of(&mine, layer, "", false, gives);
        json_t *b = next_of(&theirs, layer, gives->only, true, gives);
        if (theirs.why[0] != '\0') {
            no_events(c, theirs.why);
            more = false;
        } else {
            more = mine.why[0] == '\0' && compare_events(c, layer, gives, a, b);
        }
        if (more) {
            remember(&recent, a);
        }
        json_decref(a);
        json_decref(b);
    }
    c->index--;
    show_recent(&recent, c);
    assay_lines_end(&mine);
    assay_lines_end(&theirs);
    return mine.why[0] == '\0';
}

/* The decoder's last line says that it ended, and how many events it gave, or that it refuses the
 * trace. `wrong` is what is wrong with it, "" for nothing. */
static void check_end(FILE *found, struct assay_comparison *c, char *wrong, size_t room)
{
    struct assay_lines lines;
    json_t *line = NULL;
    json_t *last = NULL;
    uint64_t count = 0;
    wrong[0] = '\0';
    assay_lines_begin(&lines, found, &c->no_memory);
    while ((line = assay_lines_next(&lines)) != NULL) {
        count++;
        json_decref(last);
        last = line;
    }
    const json_t *refused = is_end(last) ? json_object_get(last, "refused") : NULL;
    const json_t *events = json_object_get(last, "events");
    if (lines.why[0] != '\0') {
        snprintf(wrong, room, "%s", lines.why);
    } else if (!is_end(last)) {
        snprintf(wrong, room,
                 "the last line is not that of the end: {\"kind\": \"end\", \"events\": N}");
    } else if (refused != NULL && !json_is_false(refused)) {
        c->refused = true;
        snprintf(c->why, sizeof c->why, "%s", text_of(last, "refused"));
    } else if (json_is_integer(events) && (uint64_t)json_integer_value(events) != count - 2) {
        snprintf(wrong, room, "the last line has another number of events than there are lines of");
    }
    json_decref(last);
    assay_lines_end(&lines);
}

/* Compares layer by layer, up to the first that differs; false as above. */
static bool compare_layers(FILE *expected, FILE *found, const struct gives *gives,
                           struct assay_comparison *c)
{
    const struct assay_format *format = gives->format;
    bool readable = true;
    for (size_t i = 0; i < format->layer_count && readable; i++) {
        if (c->difference == ASSAY_SAME && gives_layer(gives, format->layers[i])) {
            readable = compare_layer(expected, found, format->layers[i], gives, c);
        }
    }
    return readable;
}

enum assay_error assay_events_compare(FILE *expected, FILE *found,
                                      const struct assay_format *format, const char *layer,
                                      struct assay_comparison *comparison, struct assay_diag *diag)
{
    struct gives gives = {.format = format, .chosen = layer, .only = ""};
    struct assay_lines lines;
    char wrong[sizeof comparison->what];
    bool readable = true;
    *comparison = (struct assay_comparison){.difference = ASSAY_SAME};
    check_end(found, comparison, wrong, sizeof wrong);
    if (!comparison->refused) {
        char why[sizeof comparison->what];
        assay_lines_begin(&lines, found, &comparison->no_memory);
        if (read_header(&lines, &gives, why, sizeof why)) {
            readable = compare_layers(expected, found, &gives, comparison);
        } else {
            no_events(comparison, why);
        }
        assay_lines_end(&lines);
    }
    json_decref(gives.header);
    if (comparison->difference == ASSAY_SAME && wrong[0] != '\0') {
        no_events(comparison, wrong);
    }
    if (comparison->no_memory) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    return readable ? ASSAY_OK
                    : assay_fail(diag, ASSAY_SYNTAX, ASSAY_NO_OFFSET,
                                 "the expected events are not JSON Lines");
}
