#include "validator/tests/random_trace.h"

#include <stdlib.h>
#include <string.h>

#include "common/tests/random.h"

/* A record of a vector that is not too long to be edited; null where chance finds none. */
static const struct assay_event *any_record(const struct trace_pool *pool, uint64_t *seed)
{
    const struct recorded *from = pool->list[random_below(seed, pool->count)];
    const struct assay_event *event = &from->events[random_below(seed, from->count)];
    return event->bits <= 8 * 4096 ? event : NULL;
}

static void insert(struct random_trace *t, size_t at, const struct assay_format *format,
                   const struct assay_event *event)
{
    if (event == NULL || t->count == RANDOM_TRACE_EVENTS) {
        return;
    }
    memmove(&t->events[at + 1], &t->events[at], (t->count - at) * sizeof t->events[0]);
    t->events[at] = copy_event(format, event);
    t->count++;
}

void drop_record(struct random_trace *t, size_t at)
{
    free_event(&t->events[at]);
    t->count--;
    memmove(&t->events[at], &t->events[at + 1], (t->count - at) * sizeof t->events[0]);
}

/* A value that a field may be given: what other records hold is as likely as the ends of the range,
 * since rules compare fields with each other. */
static uint64_t any_value(const struct random_trace *t, const struct trace_pool *pool,
                          const struct assay_field *field, const struct assay_event *event,
                          uint64_t *seed)
{
    const struct assay_format *format = t->base->vector->vector.format;
    const uint64_t old = assay_field_get(field, event);
    const uint64_t choice = random_below(seed, 6);
    if (choice == 0) {
        return old + 1;
    }
    if (choice == 1) {
        return old - 1;
    }
    if (choice == 2) {
        return random_below(seed, 8);
    }
    if (choice == 3) {
        return random_value(seed, field->width);
    }
    const struct assay_event *other =
        choice == 4 ? &t->events[random_below(seed, t->count)] : any_record(pool, seed);
    if (other == NULL) {
        return 0;
    }
    const struct assay_kind *kind = &format->kinds[other->kind];
    const struct assay_field *same = assay_field_by_name(kind, field->name);
    if (same == NULL && kind->field_count > 0) {
        same = &kind->fields[random_below(seed, kind->field_count)];
    }
    return same != NULL && same->place != ASSAY_TAIL ? assay_field_get(same, other) : 0;
}

static void edit_field(struct random_trace *t, const struct trace_pool *pool, uint64_t *seed)
{
    const struct assay_format *format = t->base->vector->vector.format;
    const struct assay_event *event = &t->events[random_below(seed, t->count)];
    const struct assay_kind *kind = &format->kinds[event->kind];
    if (kind->field_count == 0) {
        return;
    }
    const struct assay_field *field = &kind->fields[random_below(seed, kind->field_count)];
    if (field->place != ASSAY_AT_BIT || field->width > 64 ||
        field->bit + field->width > event->bits) {
        return;
    }
    const uint64_t value = any_value(t, pool, field, event, seed) & assay_mask(field->width);
    assay_field_set(field, (uint8_t *)(uintptr_t)event->bytes, NULL, value);
}

static void flip_bit(struct random_trace *t, uint64_t *seed)
{
    const struct assay_event *event = &t->events[random_below(seed, t->count)];
    const uint32_t shown = event->bits / 8;
    if (shown > 0) {
        ((uint8_t *)(uintptr_t)event->bytes)[random_below(seed, shown)] ^=
            (uint8_t)(1u << random_below(seed, 8));
    }
}

static void edit(struct random_trace *t, const struct trace_pool *pool, uint64_t *seed)
{
    const struct assay_format *format = t->base->vector->vector.format;
    const size_t at = random_below(seed, t->count);
    switch (random_below(seed, 10)) {
    case 0:
        drop_record(t, at);
        return;
    case 1:
        insert(t, random_below(seed, t->count + 1), format, &t->events[at]);
        return;
    case 2:
    case 3:
        insert(t, at, format, any_record(pool, seed));
        return;
    case 4:
        flip_bit(t, seed);
        return;
    default:
        edit_field(t, pool, seed);
    }
}

static void choose_readings(struct random_trace *t, uint64_t *seed)
{
    const struct assay_catalogue *catalogue = assay_catalogue_of(t->base->vector->vector.format);
    const bool others = random_below(seed, 4) == 0;
    t->readings = calloc(catalogue->interpretation_count + 1, sizeof *t->readings);
    for (size_t i = 0; i < catalogue->interpretation_count; i++) {
        const struct assay_interpretation *one = &catalogue->interpretations[i];
        t->readings[i] = others && random_below(seed, 3) == 0
                             ? (uint16_t)random_below(seed, one->reading_count)
                             : t->base->vector->readings[i];
    }
}

void make_random_trace(struct random_trace *t, const struct trace_pool *pool,
                       const struct recorded *base, uint64_t seed)
{
    const struct assay_format *format = base->vector->vector.format;
    memset(t, 0, sizeof *t);
    t->base = base;
    for (size_t i = 0; i < base->count && t->count < RANDOM_TRACE_EVENTS / 2; i++) {
        insert(t, t->count, format, &base->events[i]);
    }
    for (uint64_t n = random_below(&seed, 8); n > 0 && t->count > 0; n--) {
        edit(t, pool, &seed);
    }
    /* Most of the time as it is stored in the vector; compression takes time. */
    t->storage = base->vector->vector.storage;
    if (random_below(&seed, 24) == 0) {
        t->storage = pool->list[random_below(&seed, pool->count)]->vector->vector.storage;
    }
    t->stored = random_below(&seed, 12) == 0;
    t->damage = t->stored || random_below(&seed, 8) == 0 ? random_next(&seed) : 0;
    choose_readings(t, &seed);
}

/* A few bytes changed, the end cut off, or something put after it. */
static void damage(struct assay_sink *bytes, uint64_t seed)
{
    const uint64_t what = seed != 0 && bytes->size > 0 ? random_below(&seed, 3) : 3;
    if (what == 0) {
        for (uint64_t n = 1 + random_below(&seed, 4); n > 0; n--) {
            bytes->data[random_below(&seed, bytes->size)] = (uint8_t)random_next(&seed);
        }
    } else if (what == 1) {
        bytes->size -= (size_t)random_below(&seed, bytes->size < 40 ? bytes->size : 40);
    } else if (what == 2) {
        uint8_t more[40];
        const size_t size = 1 + (size_t)random_below(&seed, sizeof more);
        random_fill(&seed, more, size);
        assay_sink_write(bytes, more, size);
    }
}

void record_random_trace(struct recorded *recorded, const struct random_trace *t)
{
    const struct assay_format *format = t->base->vector->vector.format;
    struct assay_encoder *encoder = NULL;
    struct assay_sink bytes;
    memset(recorded, 0, sizeof *recorded);
    recorded->vector = t->base->vector;
    assay_sink_memory(&bytes, 0);
    /* An encoder that refuses a record leaves the trace without it. */
    if (t->stored || format->encoder == NULL) {
        assay_sink_write(&bytes, t->base->vector->bytes.data, t->base->vector->bytes.size);
    } else if (format->encoder->open(&bytes, t->storage, &encoder, NULL) == ASSAY_OK) {
        if (format->encoder->configure != NULL) {
            format->encoder->configure(encoder, t->base->parameters,
                                       t->base->vector->vector.framing, NULL);
        }
        for (size_t i = 0; i < t->count; i++) {
            format->encoder->put(encoder, &t->events[i], NULL);
        }
        format->encoder->close(encoder);
    }
    damage(&bytes, t->damage);
    record_bytes(recorded, &bytes);
    assay_sink_close(&bytes, NULL);
}

void free_random_trace(struct random_trace *t)
{
    while (t->count > 0) {
        drop_record(t, t->count - 1);
    }
    free(t->readings);
}
