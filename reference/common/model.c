#include "common/model.h"

#include <string.h>

#include "common/cursor.h"

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
    if (field->width <= 64) {
        return assay_bits_take(&bits, field->width);
    }
    uint64_t any = 0;
    for (unsigned left = field->width; left > 0 && !bits.overrun;) {
        const unsigned here = left < 64 ? left : 64;
        any |= assay_bits_take(&bits, here);
        left -= here;
    }
    return any;
}

static void put_bits(uint8_t *bytes, uint64_t at, unsigned width, uint64_t value)
{
    for (unsigned done = 0; done < width;) {
        const unsigned shift = (unsigned)((at + done) & 7);
        const unsigned here = width - done < 8 - shift ? width - done : 8 - shift;
        const uint8_t mask = (uint8_t)(assay_mask(here) << shift);
        uint8_t *byte = &bytes[(at + done) >> 3];
        *byte = (uint8_t)((*byte & ~mask) | ((uint8_t)((value >> done) << shift) & mask));
        done += here;
    }
}

enum assay_error assay_field_set(const struct assay_field *field, uint8_t *bytes, uint64_t *words,
                                 uint64_t value)
{
    if (field->width < 64 && value > assay_mask(field->width)) {
        return ASSAY_OUT_OF_RANGE;
    }
    const unsigned width = field->width < 64 ? field->width : 64;
    if (field->place == ASSAY_AT_BIT) {
        put_bits(bytes, field->bit, width, value);
    } else {
        uint64_t *word = &words[field->bit >> 6];
        const unsigned shift = field->bit & 63;
        *word = (*word & ~(assay_mask(width) << shift)) | (value << shift);
    }
    return ASSAY_OK;
}

unsigned assay_kind_words(const struct assay_kind *kind)
{
    unsigned words = 0;
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct assay_field *field = &kind->fields[i];
        const unsigned end = (field->bit + field->width + 63u) / 64u;
        words = field->place != ASSAY_AT_BIT && end > words ? end : words;
    }
    return words;
}

void assay_kind_clear(const struct assay_kind *kind, uint8_t *bytes)
{
    memset(bytes, 0, (kind->bits + 7) / 8);
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct assay_field *field = &kind->fields[i];
        if ((field->flags & ASSAY_CONSTANT) != 0 && field->place == ASSAY_AT_BIT) {
            put_bits(bytes, field->bit, field->width, field->value);
        }
    }
}

unsigned assay_field_width(const struct assay_field *field, const uint64_t *parameters)
{
    if (field->width_parameter == 0) {
        return field->width;
    }
    const uint64_t width = parameters[field->width_parameter - 1];
    return width < field->width ? (unsigned)width : field->width;
}

bool assay_unpack(const struct assay_kind *kind, const uint64_t *parameters,
                  struct assay_bits *bits, uint64_t *words)
{
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct assay_field *field = &kind->fields[i];
        if (field->place == ASSAY_PACKED) {
            const uint64_t value = assay_bits_take(bits, assay_field_width(field, parameters));
            assay_field_set(field, NULL, words, value);
        }
    }
    return !bits->overrun;
}

bool assay_pack(const struct assay_kind *kind, const uint64_t *parameters, const uint64_t *words,
                uint8_t *bytes, size_t size, uint64_t *at)
{
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct assay_field *field = &kind->fields[i];
        if (field->place == ASSAY_PACKED) {
            const unsigned width = assay_field_width(field, parameters);
            if (width > (uint64_t)size * 8 - *at) {
                return false;
            }
            put_bits(bytes, *at, width, words[field->bit >> 6] >> (field->bit & 63));
            *at += width;
        }
    }
    return true;
}
