#include "validator/engine/overview.h"

#include <stdlib.h>
#include <string.h>

#include "model/packed.h"

/* A field of a kind that belongs to a track. */
struct sampled {
    const struct assay_field *field;
    const struct assay_field *known; /* the flag that says whether it counts; or null */
    uint64_t zero;                   /* what a 0 stands for */
    size_t track;
};

struct assay_sampler {
    const struct assay_format *format;
    unsigned shift;
    size_t last;                   /* interval that has an event */
    const struct sampled **fields; /* of each kind: those of its fields that are tracks, up to one
                                      without a field; null for a kind that has none */
    struct sampled *field_list;
    struct assay_track tracks[ASSAY_MOST_TRACKS];
    size_t track_count;
    struct assay_track_values (*values)[ASSAY_INTERVALS]; /* of each track */
    uint64_t *counts;                                     /* counts[i * kinds + kind] */
};

/* --- the fields that are tracks --- */

static bool is_of_track(const struct assay_field *field)
{
    return field->track != ASSAY_TRACK_NONE && field->width <= 64;
}

/* The number of a track; `count` if it is not among them. */
static size_t track_of(const struct assay_track *tracks, size_t count,
                       const struct assay_field *field, unsigned layer)
{
    size_t n = 0;
    while (n < count &&
           (tracks[n].layer != layer || strcmp(tracks[n].field->name, field->name) != 0)) {
        n++;
    }
    return n;
}

size_t assay_tracks_of(const struct assay_format *format,
                       struct assay_track tracks[ASSAY_MOST_TRACKS])
{
    size_t count = 0;
    for (size_t k = 0; k < format->kind_count; k++) {
        const struct assay_kind *kind = &format->kinds[k];
        for (size_t f = 0; f < kind->field_count && count < ASSAY_MOST_TRACKS; f++) {
            const struct assay_field *field = &kind->fields[f];
            if (is_of_track(field) && track_of(tracks, count, field, kind->layer) == count) {
                tracks[count++] = (struct assay_track){.field = field, .layer = kind->layer};
            }
        }
    }
    return count;
}

static const struct assay_field *flag_of(const struct assay_kind *kind,
                                         const struct assay_field *field)
{
    static const char *const suffixes[] = {"_known", "_valid"};
    const struct assay_field *flag = NULL;
    const size_t length = strlen(field->name);
    for (size_t f = 0; f < kind->field_count && flag == NULL; f++) {
        const char *name = kind->fields[f].name;
        for (size_t i = 0; i < 2 && strncmp(name, field->name, length) == 0; i++) {
            flag = strcmp(name + length, suffixes[i]) == 0 ? &kind->fields[f] : flag;
        }
    }
    return flag;
}

static void find_tracks(struct assay_sampler *s)
{
    struct sampled *next = s->field_list;
    s->track_count = assay_tracks_of(s->format, s->tracks);
    for (size_t k = 0; k < s->format->kind_count; k++) {
        const struct assay_kind *kind = &s->format->kinds[k];
        struct sampled *first = next;
        for (size_t f = 0; f < kind->field_count; f++) {
            const struct assay_field *field = &kind->fields[f];
            const size_t track = is_of_track(field)
                                     ? track_of(s->tracks, s->track_count, field, kind->layer)
                                     : s->track_count;
            if (track < s->track_count) {
                *next++ = (struct sampled){.field = field,
                                           .known = flag_of(kind, field),
                                           .zero = field->track == ASSAY_TRACK_AMOUNT_OR_ALL
                                                       ? assay_mask(field->width)
                                                       : 0,
                                           .track = track};
            }
        }
        s->fields[k] = next > first ? first : NULL;
        next += next > first; /* one without a field */
    }
}

/* Each with the one that ends the list of its kind. */
static size_t count_tracks(const struct assay_format *format)
{
    size_t count = 0;
    for (size_t k = 0; k < format->kind_count; k++) {
        for (size_t f = 0; f < format->kinds[k].field_count; f++) {
            count += 2u * (format->kinds[k].fields[f].track != ASSAY_TRACK_NONE);
        }
    }
    return count;
}

struct assay_sampler *assay_sampler_open(const struct assay_format *format)
{
    struct assay_sampler *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->format = format;
    s->fields = calloc(format->kind_count, sizeof *s->fields);
    s->field_list = calloc(count_tracks(format) + 1, sizeof *s->field_list);
    s->values = calloc(ASSAY_MOST_TRACKS, sizeof *s->values);
    s->counts = calloc(ASSAY_INTERVALS * format->kind_count, sizeof *s->counts);
    if (s->fields == NULL || s->field_list == NULL || s->values == NULL || s->counts == NULL) {
        assay_sampler_close(s);
        return NULL;
    }
    find_tracks(s);
    return s;
}

/* --- events --- */

static struct assay_track_values joined(const struct assay_track_values *a,
                                        const struct assay_track_values *b)
{
    if (a->count == 0 || b->count == 0) {
        return a->count == 0 ? *b : *a;
    }
    return (struct assay_track_values){.count = a->count + b->count,
                                       .least = a->least < b->least ? a->least : b->least,
                                       .most = a->most > b->most ? a->most : b->most,
                                       .last = b->last,
                                       .sum = a->sum + b->sum};
}

/* Joins pairs of intervals. */
static void join(struct assay_sampler *s)
{
    const size_t kinds = s->format->kind_count;
    const size_t half = ASSAY_INTERVALS / 2;
    for (size_t i = 0; i < half; i++) {
        for (size_t k = 0; k < kinds; k++) {
            s->counts[i * kinds + k] =
                s->counts[2 * i * kinds + k] + s->counts[(2 * i + 1) * kinds + k];
        }
    }
    memset(s->counts + half * kinds, 0, half * kinds * sizeof *s->counts);
    for (size_t t = 0; t < s->track_count; t++) {
        struct assay_track_values *values = s->values[t];
        for (size_t i = 0; i < half; i++) {
            values[i] = joined(&values[2 * i], &values[2 * i + 1]);
        }
        memset(values + half, 0, half * sizeof *values);
    }
    s->shift++;
    s->last /= 2;
}

static void add_value(struct assay_track_values *values, uint64_t value)
{
    if (values->count++ == 0) {
        values->least = value;
        values->most = value;
    } else {
        values->least = value < values->least ? value : values->least;
        values->most = value > values->most ? value : values->most;
    }
    values->last = value;
    values->sum += value;
}

static void add_field(struct assay_sampler *s, const struct sampled *one, size_t at,
                      const struct assay_event *event)
{
    const struct assay_kind *kind = &s->format->kinds[event->kind];
    if ((one->known == NULL || assay_field_get(one->known, event) != 0) &&
        (one->field->packed == NULL || assay_field_present(kind, one->field, event))) {
        const uint64_t value = assay_field_get(one->field, event);
        add_value(&s->values[one->track][at], value != 0 ? value : one->zero);
    }
}

void assay_sampler_add(struct assay_sampler *s, const struct assay_block *block)
{
    const size_t kinds = s->format->kind_count;
    for (size_t e = 0; e < block->count; e++) {
        const struct assay_event *event = &block->events[e];
        while (event->offset >> s->shift >= ASSAY_INTERVALS) {
            join(s);
        }
        const size_t at = (size_t)(event->offset >> s->shift);
        s->last = at > s->last ? at : s->last;
        s->counts[at * kinds + event->kind]++;
        const struct sampled *one = s->fields[event->kind];
        for (; one != NULL && one->field != NULL; one++) {
            add_field(s, one, at, event);
        }
    }
}

/* --- the end --- */

void assay_sampler_close(struct assay_sampler *s)
{
    if (s != NULL) {
        free(s->fields);
        free(s->field_list);
        free(s->values);
        free(s->counts);
        free(s);
    }
}

/* Events of a kind up to the last interval. */
static uint64_t events_of(const struct assay_sampler *s, size_t kind)
{
    uint64_t count = 0;
    for (size_t i = 0; i <= s->last; i++) {
        count += s->counts[i * s->format->kind_count + kind];
    }
    return count;
}

/* Values of a track. */
static uint64_t values_of(const struct assay_sampler *s, size_t track)
{
    uint64_t count = 0;
    for (size_t i = 0; i <= s->last; i++) {
        count += s->values[track][i].count;
    }
    return count;
}

static bool end_kinds(const struct assay_sampler *s, struct assay_arena *arena,
                      struct assay_overview *o)
{
    const size_t all = s->format->kind_count;
    for (size_t k = 0; k < all; k++) {
        o->kind_count += events_of(s, k) > 0;
    }
    uint16_t *kinds = assay_arena_take(arena, (o->kind_count + 1) * sizeof *kinds);
    uint64_t *counts =
        assay_arena_take(arena, (o->kind_count + 1) * o->interval_count * sizeof *counts);
    o->kinds = kinds;
    o->counts = counts;
    for (size_t k = 0; kinds != NULL && counts != NULL && k < all; k++) {
        if (events_of(s, k) > 0) {
            *kinds++ = (uint16_t)k;
            for (size_t i = 0; i <= s->last; i++) {
                *counts++ = s->counts[i * all + k];
            }
        }
    }
    return o->kinds != NULL && o->counts != NULL;
}

static bool end_tracks(const struct assay_sampler *s, struct assay_arena *arena,
                       struct assay_overview *o)
{
    const size_t size = o->interval_count * sizeof(struct assay_track_values);
    for (size_t t = 0; t < s->track_count; t++) {
        o->track_count += values_of(s, t) > 0;
    }
    struct assay_track *tracks = assay_arena_take(arena, (o->track_count + 1) * sizeof *tracks);
    struct assay_track_values *values = assay_arena_take(arena, (o->track_count + 1) * size);
    o->tracks = tracks;
    o->values = values;
    for (size_t t = 0; tracks != NULL && values != NULL && t < s->track_count; t++) {
        if (values_of(s, t) > 0) {
            *tracks++ = s->tracks[t];
            memcpy(values, s->values[t], size);
            values += o->interval_count;
        }
    }
    return o->tracks != NULL && o->values != NULL;
}

const struct assay_overview *assay_sampler_end(const struct assay_sampler *s,
                                               struct assay_arena *arena)
{
    struct assay_overview *o = assay_arena_take(arena, sizeof *o);
    if (o == NULL) {
        return NULL;
    }
    o->shift = s->shift;
    o->interval_count = s->last + 1;
    return end_kinds(s, arena, o) && end_tracks(s, arena, o) ? o : NULL;
}

/* --- copies --- */

static void *copy(struct assay_arena *arena, const void *bytes, size_t size)
{
    void *to = assay_arena_take(arena, size + 1);
    return to != NULL ? memcpy(to, bytes, size) : NULL;
}

const struct assay_overview *assay_overview_copy(const struct assay_overview *o,
                                                 struct assay_arena *arena)
{
    struct assay_overview *to = copy(arena, o, sizeof *o);
    if (to == NULL) {
        return NULL;
    }
    to->kinds = copy(arena, o->kinds, o->kind_count * sizeof *o->kinds);
    to->counts = copy(arena, o->counts, o->kind_count * o->interval_count * sizeof *o->counts);
    to->tracks = copy(arena, o->tracks, o->track_count * sizeof *o->tracks);
    to->values = copy(arena, o->values, o->track_count * o->interval_count * sizeof *o->values);
    return to->kinds != NULL && to->counts != NULL && to->tracks != NULL && to->values != NULL
               ? to
               : NULL;
}
