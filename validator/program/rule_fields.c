#include "validator/program/rule_fields.h"

#include <stdio.h>
#include <string.h>

#include "common/yaml.h"
#include "model/describe.h"
#include "model/packed.h"

/* What the table says of a packed field's layout. */
static void packed_text(const struct assay_field *field, char *out, size_t size)
{
    static const struct assay_packed plain;
    const struct assay_packed *packed = field->packed != NULL ? field->packed : &plain;
    assay_append(out, size, "%s%s%u bit%s%s%s", out[0] != '\0' ? "; " : "",
                 packed->width.op != ASSAY_PACKED_DEFAULT ? "at most " : "", field->width,
                 field->width != 1 ? "s" : "",
                 packed->sign.op != ASSAY_PACKED_DEFAULT ? ", signed" : "",
                 packed->present.op != ASSAY_PACKED_DEFAULT ? ", may be absent" : "");
}

static void field_line(const struct assay_field *field, struct assay_sink *sink)
{
    static const char *const types[] = {
        [ASSAY_FLAG] = "flag",       [ASSAY_UINT] = "number", [ASSAY_HEX] = "number",
        [ASSAY_ADDRESS] = "address", [ASSAY_ENUM] = "name",   [ASSAY_BYTES] = "wide"};
    char place[32];
    if (field->place == ASSAY_TAIL) {
        snprintf(place, sizeof place, "[end:%u]", field->bit);
    } else if (field->place == ASSAY_AT_BIT) {
        snprintf(place, sizeof place, "[%u:%u]", field->bit + field->width - 1u, field->bit);
    } else {
        snprintf(place, sizeof place, "%s",
                 field->place != ASSAY_DERIVED          ? "packed"
                 : (field->flags & ASSAY_STATIC) != 0   ? "static"
                 : (field->flags & ASSAY_OF_FACTS) != 0 ? "fact"
                                                        : "derived");
    }
    char more[80] = "";
    if (field->unit != NULL) {
        snprintf(more, sizeof more, "%s", field->unit);
    }
    if (field->place == ASSAY_PACKED) {
        packed_text(field, more, sizeof more);
    }
    if ((field->flags & ASSAY_COMPARED) != 0) {
        assay_append(more, sizeof more, "%sneeds execution", more[0] != '\0' ? "; " : "");
    }
    assay_sink_printf(sink, "  %-24s %-8s %-10s %s%s%s%s\n", field->name, types[field->type], place,
                      field->doc, more[0] != '\0' ? " (" : "", more, more[0] != '\0' ? ")" : "");
    for (size_t i = 0; field->names != NULL && i < field->names->count; i++) {
        const struct assay_enumerator *one = &field->names->list[i];
        assay_sink_printf(sink, "  %24s %3llu %-18s %s\n", "", (unsigned long long)one->value,
                          one->name, one->doc);
    }
}

static int unknown_kind(const struct assay_command *self, const struct assay_format *format,
                        const char *name)
{
    struct assay_near near = assay_near_begin(name);
    for (size_t i = 0; assay_formats[i] != NULL; i++) {
        for (size_t k = 0; k < assay_formats[i]->kind_count; k++) {
            if (format == NULL || format == assay_formats[i]) {
                assay_near_try(&near, assay_formats[i]->kinds[k].name);
            }
        }
    }
    return assay_usage_error(
        self, "%s has %s kind of event \"%s\"%s%s%s", format != NULL ? format->name : "no format",
        format != NULL ? "no" : "a", name, near.best != NULL ? "; did you mean \"" : "",
        near.best != NULL ? near.best : "", near.best != NULL ? "\"?" : "");
}

/* Kinds of several formats have the same name: the format is told where there could be a doubt. */
static void kind_fields(const struct assay_format *format, const struct assay_kind *kind,
                        bool named, struct assay_sink *sink)
{
    assay_sink_printf(sink, "%s%s%s: %s (layer %s, section %s%s)\n", named ? format->name : "",
                      named ? " " : "", kind->name, kind->title, format->layers[kind->layer],
                      kind->clause, kind->is_own || kind->is_derived ? "; derived" : "");
    for (size_t i = 0; i < kind->field_count; i++) {
        field_line(&kind->fields[i], sink);
    }
}

int assay_rule_fields(const struct assay_command *self, const struct assay_format *format,
                      const char *name)
{
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    struct assay_sink sink;
    bool known = name == NULL;
    for (size_t i = 0; assay_formats[i] != NULL && !known; i++) {
        known = (format == NULL || format == assay_formats[i]) &&
                assay_kind_by_name(assay_formats[i], name) != NULL;
    }
    if (!known) {
        return unknown_kind(self, format, name);
    }
    assay_sink_open(&sink, "-", &diag);
    for (size_t i = 0; assay_formats[i] != NULL; i++) {
        for (size_t k = 0; k < assay_formats[i]->kind_count; k++) {
            const struct assay_kind *kind = &assay_formats[i]->kinds[k];
            if ((format == NULL || format == assay_formats[i]) &&
                (name == NULL || strcmp(kind->name, name) == 0)) {
                kind_fields(assay_formats[i], kind, format == NULL, &sink);
            }
        }
    }
    return assay_finish_output(&sink, ASSAY_EXIT_CONFORMS);
}
