#include "validator/vector/match.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/describe.h"
#include "model/packed.h"
#include "validator/vector/value.h"

/* The bytes of a field of type BYTES, as they are to be compared. */
struct shown_bytes {
    const uint8_t *data;
    size_t size;
    bool padded; /* what is stated may be shorter: the rest is 0 */
};

static struct shown_bytes bytes_of(const struct assay_format *format,
                                   const struct assay_field *field, const struct assay_event *event)
{
    struct shown_bytes shown = {.padded = field->place != ASSAY_TAIL};
    if (shown.padded) {
        shown.data = event->bytes + field->bit / 8u;
        shown.size = field->width / 8u;
    } else {
        shown.data = assay_field_tail(format, field, event, &shown.size);
    }
    return shown;
}

static bool same_bytes(const struct shown_bytes *shown, const void *wanted, size_t size)
{
    if (size > shown->size || (!shown->padded && size != shown->size) ||
        memcmp(shown->data, wanted, size) != 0) {
        return false;
    }
    for (size_t i = size; i < shown->size; i++) {
        if (shown->data[i] != 0) {
            return false;
        }
    }
    return true;
}

static bool same_hex(const struct shown_bytes *shown, const struct assay_yaml *hex)
{
    size_t size = 0;
    uint8_t *bytes = hex->type == ASSAY_YAML_SCALAR ? malloc(hex->length / 2 + 1) : NULL;
    const bool same = bytes != NULL && assay_hex_bytes(hex->text, hex->length, bytes, &size) &&
                      same_bytes(shown, bytes, size);
    free(bytes);
    return same;
}

static bool same_list(const struct shown_bytes *shown, const struct assay_yaml *list)
{
    if (shown->padded || 8 * list->count != shown->size) {
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        uint64_t number = 0;
        if (!assay_yaml_u64(list->items[i], &number) ||
            assay_load64(shown->data + 8 * i) != number) {
            return false;
        }
    }
    return true;
}

static bool bytes_match(const struct shown_bytes *shown, const struct assay_yaml *wanted)
{
    switch (wanted->type) {
    case ASSAY_YAML_SCALAR:
        return same_bytes(shown, wanted->text, wanted->length);
    case ASSAY_YAML_LIST:
        return same_list(shown, wanted);
    default: {
        const struct assay_yaml *hex = assay_yaml_get(wanted, "hex");
        return wanted->count == 1 && hex != NULL && same_hex(shown, hex);
    }
    }
}

/* A number with a minus is that of an event in which the field has its sign, where that is noted.
 */
static bool number_matches(const struct assay_kind *kind, const struct assay_field *field,
                           const struct assay_event *event, const struct assay_yaml *wanted)
{
    uint64_t number = 0;
    uint64_t magnitude = 0;
    return assay_vector_value(field, wanted, &number) && assay_field_get(field, event) == number &&
           (wanted->text[0] != '-' || kind->presence == 0 ||
            assay_field_negative(kind, field, event, &magnitude));
}

/* What the event holds, for people. */
static void tell(char *why, size_t size, const struct assay_kind *kind,
                 const struct assay_field *field, const struct assay_event *event,
                 const struct shown_bytes *shown)
{
    const char *name = field->name;
    char text[256];
    if (why == NULL) {
        return;
    }
    if (shown != NULL) {
        assay_escape(shown->data, shown->size, text, sizeof text);
        snprintf(why, size, "%s is \"%s\", %zu bytes", name, text, shown->size);
    } else {
        uint64_t magnitude = 0;
        const bool negative = assay_field_negative(kind, field, event, &magnitude);
        assay_value_text(field, magnitude, text, sizeof text);
        snprintf(why, size, "%s is %s%s", name, negative ? "-" : "", text);
    }
}

static bool field_matches(const struct assay_format *format, const struct assay_event *event,
                          const struct assay_yaml *key, const struct assay_yaml *wanted, char *why,
                          size_t size)
{
    const struct assay_kind *kind = &format->kinds[event->kind];
    const struct assay_field *field = assay_field_by_name(kind, key->text);
    if (field == NULL) {
        snprintf(why, why != NULL ? size : 0, "%s has no field %s", kind->name, key->text);
        return false;
    }
    if (field->type == ASSAY_BYTES) {
        const struct shown_bytes shown = bytes_of(format, field, event);
        tell(why, size, kind, field, event, &shown);
        return bytes_match(&shown, wanted);
    }
    tell(why, size, kind, field, event, NULL);
    return number_matches(kind, field, event, wanted);
}

bool assay_event_matches(const struct assay_format *format, const struct assay_event *event,
                         const struct assay_yaml *wanted, char *why, size_t size)
{
    const char *kind = format->kinds[event->kind].name;
    const char *code = event->fault > 0 ? format->faults[event->fault - 1].name : "none";
    for (size_t i = 0; wanted->type == ASSAY_YAML_MAP && i < wanted->count; i++) {
        const struct assay_yaml *key = wanted->items[2 * i];
        const struct assay_yaml *value = wanted->items[2 * i + 1];
        bool same;
        if (strcmp(key->text, "kind") == 0 || strcmp(key->text, "code") == 0) {
            const char *is = key->text[0] == 'k' ? kind : code;
            same = assay_yaml_is(value, is);
            snprintf(why, why != NULL ? size : 0, "%s is %s", key->text, is);
        } else {
            same = field_matches(format, event, key, value, why, size);
        }
        if (!same) {
            return false;
        }
    }
    return wanted->type == ASSAY_YAML_MAP;
}
