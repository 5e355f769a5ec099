#include "validator/record/overviews.h"

#include <string.h>

/* A list for each kind and each track that occurs: its number, and for each interval that has some
 * of it the interval and what is there, which is so many numbers. */
enum { OF_KIND = 1, OF_TRACK = 5 };

/* --- writing --- */

static void append(struct assay_json_stream *s, json_t *array, uint64_t value)
{
    assay_json_append(s, array, assay_json_count(value));
}

static json_t *kinds(struct assay_json_stream *s, const struct assay_overview *o)
{
    json_t *array = json_array();
    for (size_t n = 0; n < o->kind_count; n++) {
        const uint64_t *counts = &o->counts[n * o->interval_count];
        json_t *row = json_array();
        append(s, row, o->kinds[n]);
        for (size_t i = 0; i < o->interval_count; i++) {
            if (counts[i] > 0) {
                append(s, row, i);
                append(s, row, counts[i]);
            }
        }
        assay_json_append(s, array, row);
    }
    return array;
}

static json_t *tracks(struct assay_json_stream *s, const struct assay_overview *o,
                      const struct assay_format *format)
{
    struct assay_track all[ASSAY_MOST_TRACKS];
    const size_t count = assay_tracks_of(format, all);
    json_t *array = json_array();
    for (size_t t = 0, number = 0; t < o->track_count; t++) {
        const struct assay_track_values *values = &o->values[t * o->interval_count];
        json_t *row = json_array();
        while (number + 1 < count && all[number].field != o->tracks[t].field) {
            number++;
        }
        append(s, row, number);
        for (size_t i = 0; i < o->interval_count; i++) {
            const struct assay_track_values *v = &values[i];
            const uint64_t one[1 + OF_TRACK] = {i, v->count, v->least, v->most, v->last, v->sum};
            for (size_t n = 0; n < 1 + OF_TRACK && v->count > 0; n++) {
                append(s, row, one[n]);
            }
        }
        assay_json_append(s, array, row);
    }
    return array;
}

json_t *assay_overview_write(struct assay_json_stream *s, const struct assay_stream_result *stream)
{
    const struct assay_overview *o = stream->overview;
    json_t *object = json_object();
    assay_json_set(s, object, "shift", assay_json_count(o->shift));
    assay_json_set(s, object, "intervals", assay_json_count(o->interval_count));
    assay_json_set(s, object, "kinds", kinds(s, o));
    assay_json_set(s, object, "tracks", tracks(s, o, stream->format));
    return object;
}

/* --- reading --- */

struct row {
    uint64_t number; /* of the kind or track */
    const json_t *list;
    size_t size;  /* numbers of an interval, without its own */
    size_t count; /* intervals */
};

static void wrong(struct assay_json_reader *r)
{
    assay_json_wrong(r, "overview");
}

static uint64_t number_at(struct assay_json_reader *r, const json_t *list, size_t at, uint64_t most)
{
    return assay_json_number_of(r, json_array_get(list, at), "overview", most);
}

/* A row of a list, whose number is greater than those before; none after it has no interval. */
static struct row row_of(struct assay_json_reader *r, const json_t *list, size_t size,
                         uint64_t least, uint64_t most)
{
    const size_t length = json_array_size(list);
    struct row row = {.number = number_at(r, list, 0, most), .list = list, .size = size};
    if (length < 2 + size || (length - 1) % (1 + size) != 0 || row.number < least) {
        wrong(r);
        return row;
    }
    row.count = (length - 1) / (1 + size);
    return row;
}

/* The interval of the n-th part of a row, which is behind the one before; and its numbers. */
static size_t part_of(struct assay_json_reader *r, const struct assay_overview *o,
                      const struct row *row, size_t n, size_t least, uint64_t *out)
{
    const size_t at = 1 + n * (1 + row->size);
    const size_t interval = (size_t)number_at(r, row->list, at, o->interval_count - 1);
    for (size_t i = 0; i < row->size; i++) {
        out[i] = number_at(r, row->list, at + 1 + i, UINT64_MAX);
    }
    if (interval < least || out[0] == 0) {
        wrong(r);
    }
    return interval;
}

/* Together the intervals of a kind have as many events as the stream; without rules nobody has
 * counted these. */
static bool is_whole(const struct assay_stream_result *stream, uint64_t kind, uint64_t events)
{
    bool counted = false;
    for (size_t k = 0; k < stream->format->kind_count; k++) {
        counted = counted || stream->events[k] > 0;
    }
    return !counted || stream->events[kind] == events;
}

static void read_kind(struct assay_json_reader *r, const struct assay_overview *o,
                      const struct assay_stream_result *stream, const struct row *row,
                      uint64_t *counts)
{
    uint64_t events = 0;
    size_t least = 0;
    for (size_t n = 0; n < row->count && assay_json_right(r); n++) {
        uint64_t count = 0;
        const size_t at = part_of(r, o, row, n, least, &count);
        if (count > UINT64_MAX - events) {
            wrong(r);
        }
        counts[at] = count;
        events += count;
        least = at + 1;
    }
    if (assay_json_right(r) && !is_whole(stream, row->number, events)) {
        wrong(r);
    }
}

static void read_kinds(struct assay_json_reader *r, const json_t *list,
                       const struct assay_stream_result *stream, struct assay_overview *o)
{
    uint16_t *numbers = assay_json_room(r, o->kind_count, sizeof *numbers);
    uint64_t *counts = assay_json_room(r, o->kind_count * o->interval_count, sizeof *counts);
    uint64_t least = 0;
    for (size_t n = 0; numbers != NULL && counts != NULL && n < o->kind_count; n++) {
        const struct row row =
            row_of(r, json_array_get(list, n), OF_KIND, least, stream->format->kind_count - 1);
        read_kind(r, o, stream, &row, &counts[n * o->interval_count]);
        numbers[n] = (uint16_t)row.number;
        least = row.number + 1;
    }
    o->kinds = numbers;
    o->counts = counts;
}

/* That the last value and the mean are between the least and the most; the sum may have passed
 * 2^64, and is then less. */
static bool is_possible(const struct assay_track_values *v)
{
    const uint64_t mean = v->sum / v->count;
    return v->least <= v->last && v->last <= v->most &&
           (mean < v->most || (mean == v->most && v->sum % v->count == 0));
}

static void read_track(struct assay_json_reader *r, const struct assay_overview *o,
                       const struct row *row, struct assay_track_values *values)
{
    size_t least = 0;
    for (size_t n = 0; n < row->count && assay_json_right(r); n++) {
        uint64_t one[OF_TRACK] = {0};
        const size_t at = part_of(r, o, row, n, least, one);
        values[at] = (struct assay_track_values){
            .count = one[0], .least = one[1], .most = one[2], .last = one[3], .sum = one[4]};
        if (assay_json_right(r) && !is_possible(&values[at])) {
            wrong(r);
        }
        least = at + 1;
    }
}

static void read_tracks(struct assay_json_reader *r, const json_t *list,
                        const struct assay_format *format, struct assay_overview *o)
{
    struct assay_track all[ASSAY_MOST_TRACKS];
    const size_t count = assay_tracks_of(format, all);
    if (o->track_count > count) {
        wrong(r);
        return;
    }
    struct assay_track *chosen = assay_json_room(r, o->track_count, sizeof *chosen);
    struct assay_track_values *values =
        assay_json_room(r, o->track_count * o->interval_count, sizeof *values);
    uint64_t least = 0;
    for (size_t t = 0; chosen != NULL && values != NULL && t < o->track_count; t++) {
        const struct row row = row_of(r, json_array_get(list, t), OF_TRACK, least, count - 1);
        read_track(r, o, &row, &values[t * o->interval_count]);
        chosen[t] = all[row.number];
        least = row.number + 1;
    }
    o->tracks = chosen;
    o->values = values;
}

const struct assay_overview *assay_overview_read(struct assay_json_reader *r, const json_t *value,
                                                 const struct assay_stream_result *stream)
{
    if (json_is_null(value)) {
        return NULL;
    }
    struct assay_overview *o = assay_json_room(r, 1, sizeof *o);
    if (o == NULL || stream->format == NULL || stream->events == NULL) {
        wrong(r);
        return NULL;
    }
    o->shift = (unsigned)assay_json_get_number(r, value, "shift", ASSAY_MOST_SHIFT);
    o->interval_count = (size_t)assay_json_get_number(r, value, "intervals", ASSAY_INTERVALS);
    const json_t *kind_list = assay_json_get_list(r, value, "kinds", &o->kind_count);
    const json_t *track_list = assay_json_get_list(r, value, "tracks", &o->track_count);
    if (o->interval_count == 0 || o->kind_count > stream->format->kind_count) {
        wrong(r);
    }
    if (!assay_json_right(r)) {
        return NULL;
    }
    read_kinds(r, kind_list, stream, o);
    read_tracks(r, track_list, stream->format, o);
    return assay_json_right(r) ? o : NULL;
}
