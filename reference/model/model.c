#include "model/model.h"

#include <string.h>

#include "common/cursor.h"

/* Whether `length` bytes of text end with this suffix. */
static bool ends_with(const char *text, size_t length, const char *end)
{
    const size_t size = strlen(end);
    return length > size && memcmp(text + length - size, end, size) == 0;
}

const struct assay_format *assay_format_by_suffix(const char *path)
{
    static const char *const compressed[] = {".xz", ".lzma", ".gz", ".zst", NULL};
    size_t length = strlen(path);
    for (const char *const *end = compressed; *end != NULL; end++) {
        if (ends_with(path, length, *end)) {
            length -= strlen(*end);
            break;
        }
    }
    for (size_t i = 0; assay_formats[i] != NULL; i++) {
        const char *const *end = assay_formats[i]->suffixes;
        for (; end != NULL && *end != NULL; end++) {
            if (ends_with(path, length, *end)) {
                return assay_formats[i];
            }
        }
    }
    return NULL;
}

const struct assay_format *assay_format_by_name(const char *name)
{
    for (size_t i = 0; assay_formats[i] != NULL; i++) {
        if (strcmp(assay_formats[i]->name, name) == 0) {
            return assay_formats[i];
        }
    }
    return NULL;
}

const struct assay_kind *assay_kind_by_name(const struct assay_format *format, const char *name)
{
    for (size_t i = 0; i < format->kind_count; i++) {
        if (strcmp(format->kinds[i].name, name) == 0) {
            return &format->kinds[i];
        }
    }
    return NULL;
}

bool assay_kind_in_runs(const struct assay_format *format, unsigned kind)
{
    for (size_t k = 0; k < format->kind_count; k++) {
        if (format->kinds[k].run_of == kind && kind >= ASSAY_KIND_FIRST) {
            return true;
        }
    }
    return false;
}

int assay_layer_by_name(const struct assay_format *format, const char *name)
{
    for (size_t i = 0; i < format->layer_count; i++) {
        if (strcmp(format->layers[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

struct assay_kinds assay_kinds_of_layer(const struct assay_format *format, unsigned layer)
{
    struct assay_kinds kinds = {{0}};
    for (size_t k = 0; k < format->kind_count; k++) {
        if (format->kinds[k].layer == layer) {
            assay_kinds_add(&kinds, k);
        }
    }
    return kinds;
}

const struct assay_field *assay_field_by_name(const struct assay_kind *kind, const char *name)
{
    for (size_t i = 0; i < kind->field_count; i++) {
        if (strcmp(kind->fields[i].name, name) == 0) {
            return &kind->fields[i];
        }
    }
    return NULL;
}

int assay_profile_by_name(const struct assay_format *format, const char *name)
{
    for (size_t i = 0; i < format->profile_count; i++) {
        if (strcmp(format->profiles[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

const char *assay_enum_name(const struct assay_enumeration *names, uint64_t value)
{
    for (size_t i = 0; names != NULL && i < names->count; i++) {
        if (names->list[i].value == value) {
            return names->list[i].name;
        }
    }
    return NULL;
}

bool assay_enum_value(const struct assay_enumeration *names, const char *name, uint64_t *value)
{
    for (size_t i = 0; names != NULL && i < names->count; i++) {
        if (strcmp(names->list[i].name, name) == 0) {
            *value = names->list[i].value;
            return true;
        }
    }
    return false;
}

const uint8_t *assay_field_tail(const struct assay_format *format, const struct assay_field *field,
                                const struct assay_event *event, size_t *size)
{
    const uint32_t before = (uint32_t)format->lead_bits + field->bit;
    *size = event->bits > before ? (event->bits - before) / 8 : 0;
    return event->bytes + field->bit / 8;
}

uint64_t assay_field_wide(const struct assay_field *field, const struct assay_event *event)
{
    struct assay_bits bits = assay_bits_of(event->bytes, (event->bits + 7) / 8);
    bits.at = field->bit < bits.size ? field->bit : bits.size;
    if (field->width <= 64 && field->place != ASSAY_TAIL) {
        return assay_bits_take(&bits, field->width);
    }
    uint64_t left = field->width;
    if (field->place == ASSAY_TAIL) {
        const uint64_t before = field->value + field->bit;
        left = event->bits > before ? event->bits - before : 0;
    }
    uint64_t any = 0;
    while (left > 0 && !bits.overrun) {
        const unsigned here = left < 64 ? (unsigned)left : 64;
        any |= assay_bits_take(&bits, here);
        left -= here;
    }
    return any;
}

enum assay_error assay_field_set(const struct assay_field *field, uint8_t *bytes, uint64_t *cells,
                                 uint64_t value)
{
    if (field->width < 64 && value > assay_mask(field->width)) {
        return ASSAY_OUT_OF_RANGE;
    }
    const unsigned width = field->width < 64 ? field->width : 64;
    if (field->place == ASSAY_AT_BIT) {
        assay_store_bits(bytes, field->bit, width, value);
    } else {
        uint64_t *cell = &cells[field->bit >> 6];
        const unsigned shift = field->bit & 63;
        *cell = (*cell & ~(assay_mask(width) << shift)) | (value << shift);
    }
    return ASSAY_OK;
}

unsigned assay_kind_cells(const struct assay_kind *kind)
{
    unsigned cells = kind->met;
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct assay_field *field = &kind->fields[i];
        const unsigned end = (field->bit + field->width + 63u) / 64u;
        const bool in_words = field->place != ASSAY_AT_BIT && field->place != ASSAY_TAIL;
        cells = in_words && end > cells ? end : cells;
    }
    return cells > kind->presence ? cells : kind->presence;
}

void assay_kind_clear(const struct assay_kind *kind, uint8_t *bytes)
{
    memset(bytes, 0, (kind->bits + 7) / 8);
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct assay_field *field = &kind->fields[i];
        if ((field->flags & ASSAY_CONSTANT) != 0 && field->place == ASSAY_AT_BIT) {
            assay_store_bits(bytes, field->bit, field->width, field->value);
        }
    }
}
