#include "validator/compare/show.h"

#include <stdlib.h>
#include <string.h>

/* `"key":value`, owned by the caller; null when memory is out. */
static char *member_text(const char *key, json_t *value)
{
    json_t *object = json_object();
    char *text = NULL;
    if (object != NULL && json_object_set(object, key, value) == 0) {
        text = json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII);
    }
    json_decref(object);
    if (text != NULL) {
        const size_t size = strlen(text);
        memmove(text, text + 1, size - 2);
        text[size - 2] = '\0';
    }
    return text;
}

/* A value for people: texts without their quotes. */
static void put_value(const char *member, size_t key_size, struct assay_compared_event *shown)
{
    const char *value = member + key_size;
    const size_t size = strlen(value);
    const bool quoted = size >= 2 && value[0] == '"' && value[size - 1] == '"';
    snprintf(shown->value, sizeof shown->value, "%.*s", (int)(size - 2u * quoted), value + quoted);
}

static void put_member(struct assay_comparison *c, const char *key, json_t *value, bool marked,
                       struct assay_compared_event *shown)
{
    const size_t used = strlen(shown->text);
    if (used + 1 >= sizeof shown->text) {
        return;
    }
    char *member = member_text(key, value);
    if (member == NULL) {
        c->no_memory = true;
        return;
    }
    const int size = snprintf(shown->text + used, sizeof shown->text - used, "%s%s",
                              used > 1 ? "," : "", member);
    if (marked) {
        const char *colon = strstr(member, "\":");
        shown->mark = (unsigned)(used + (used > 1));
        shown->marked = (unsigned)size - (used > 1);
        put_value(member, colon != NULL ? (size_t)(colon - member) + 2 : 0, shown);
    }
    free(member);
}

static bool is_shown(const char *key)
{
    static const char *const left_out[] = {"i", "layer", "kind", "derived", "is_derived"};
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        if (strcmp(key, left_out[i]) == 0) {
            return false;
        }
    }
    return true;
}

void assay_show_event(struct assay_comparison *c, const json_t *event, const char *field,
                      struct assay_compared_event *shown)
{
    const char *key = NULL;
    json_t *value = NULL;
    memset(shown, 0, sizeof *shown);
    if (event == NULL) {
        return;
    }
    shown->text[0] = '{';
    json_t *kind = json_object_get(event, "kind");
    json_t *differing = field != NULL ? json_object_get(event, field) : NULL;
    if (differing == NULL && field != NULL) {
        differing = json_object_get(json_object_get(event, "derived"), field);
    }
    if (kind != NULL) {
        put_member(c, "kind", kind, field != NULL && strcmp(field, "kind") == 0, shown);
    }
    if (differing != NULL && differing != kind) {
        put_member(c, field, differing, true, shown);
    }
    json_object_foreach((json_t *)event, key, value)
    {
        if (is_shown(key) && value != differing) {
            put_member(c, key, value, false, shown);
        }
    }
    const size_t used = strlen(shown->text);
    snprintf(shown->text + used, sizeof shown->text - used, "}");
}
