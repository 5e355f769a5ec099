#include "corrupt.h"

#include <stdlib.h>
#include <string.h>

#include "common/tests/random.h"

/* Records of a corrupted trace: borrowed, but for one that was changed or made. */
struct draft {
    struct assay_event *records;
    size_t count;
    struct assay_event own; /* bytes are null while there is none */
};

/* How often another place, or another value, is tried where the first one changes nothing. */
enum { TRIES = 50 };

/* --- new values --- */

static const struct assay_event *record_before(const struct detection_subject *subject, size_t at,
                                               unsigned kind)
{
    while (at > 0) {
        if (subject->records[--at].kind == kind) {
            return &subject->records[at];
        }
    }
    return NULL;
}

static uint64_t other_value(const struct detection_subject *subject,
                            const struct assay_field *field, unsigned kind, uint64_t old,
                            uint64_t *seed)
{
    for (unsigned i = 0; i < 8 * TRIES; i++) {
        const struct assay_event *event = &subject->records[random_below(seed, subject->count)];
        if (event->kind == kind && assay_field_get(field, event) != old) {
            return assay_field_get(field, event);
        }
    }
    return old;
}

/* The old value where there is no new one. */
static uint64_t new_value(const struct detection_subject *subject, size_t at,
                          const struct assay_event *record, const struct detection_change *change,
                          uint64_t *seed)
{
    const struct assay_field *field = change->field;
    const uint64_t old = assay_field_get(field, record);
    const struct assay_event *last;
    switch (change->value) {
    case DETECTION_FLIP:
        return old ^ UINT64_C(1) << random_below(seed, field->width);
    case DETECTION_ANY:
        return random_value(seed, field->width);
    case DETECTION_OTHER:
        return other_value(subject, field, record->kind, old, seed);
    case DETECTION_LAST:
        last = record_before(subject, at, record->kind);
        return last != NULL ? assay_field_get(field, last) : old;
    case DETECTION_ADD:
        return (old + change->number) & assay_mask(field->width);
    case DETECTION_XOR:
        return old ^ change->number;
    case DETECTION_NUMBER:
        return change->number;
    }
    return old;
}

/* Whether the record is packed from its cells when it is encoded. */
static bool has_packed_fields(const struct assay_kind *kind)
{
    for (size_t i = 0; i < kind->field_count; i++) {
        if (kind->fields[i].place == ASSAY_PACKED) {
            return true;
        }
    }
    return false;
}

/* Changes the fields of the draft's own record; whether any has another value now. */
static bool change_fields(const struct detection_subject *subject, size_t at, struct draft *draft,
                          const struct detection_corruption *kind, uint64_t *seed)
{
    bool changed = false;
    for (size_t i = 0; i < kind->change_count; i++) {
        const struct detection_change *change = &kind->changes[i];
        const uint64_t old = assay_field_get(change->field, &draft->own);
        const uint64_t value = new_value(subject, at, &draft->own, change, seed);
        assay_field_set(change->field, (uint8_t *)(uintptr_t)draft->own.bytes,
                        (uint64_t *)(uintptr_t)draft->own.cells, value);
        changed = changed || value != old;
    }
    return changed;
}

/* --- what is done to records --- */

static void take_out(struct draft *draft, size_t at, size_t count)
{
    memmove(&draft->records[at], &draft->records[at + count],
            (draft->count - at - count) * sizeof *draft->records);
    draft->count -= count;
}

static void put_in(struct draft *draft, size_t at, const struct assay_event *records, size_t count)
{
    memmove(&draft->records[at + count], &draft->records[at],
            (draft->count - at) * sizeof *draft->records);
    memmove(&draft->records[at], records, count * sizeof *records);
    draft->count += count;
}

static bool same_record(const struct assay_event *a, const struct assay_event *b, unsigned lead)
{
    return a->kind == b->kind && a->bits == b->bits &&
           (a->bits <= lead || memcmp(a->bytes, b->bytes, (a->bits - lead) / 8) == 0);
}

static bool move(struct draft *draft, size_t at, size_t distance, unsigned lead)
{
    if (at < distance || same_record(&draft->records[at], &draft->records[at - distance], lead)) {
        return false;
    }
    const struct assay_event record = draft->records[at];
    take_out(draft, at, 1);
    put_in(draft, at - distance, &record, 1);
    return true;
}

static bool set_fields(const struct detection_subject *subject, size_t at, struct draft *draft,
                       const struct detection_corruption *kind, uint64_t *seed)
{
    if (kind->record != NULL && draft->records[at].kind != kind->record - subject->format->kinds) {
        return false;
    }
    draft->own = detection_copy(subject->format, &draft->records[at]);
    if (has_packed_fields(&subject->format->kinds[draft->own.kind])) {
        draft->own.bits = 0;
    }
    draft->records[at] = draft->own;
    return change_fields(subject, at, draft, kind, seed);
}

/* Some of its bytes, but not all. */
static bool cut_inside(const struct detection_subject *subject, size_t at, struct draft *draft,
                       uint64_t *seed)
{
    const uint32_t bytes = draft->records[at].bits / 8;
    if (bytes < 2) {
        return false;
    }
    draft->own = detection_copy(subject->format, &draft->records[at]);
    draft->own.bits = 8 * (1 + (uint32_t)random_below(seed, bytes - 1));
    draft->records[at] = draft->own;
    draft->count = at + 1;
    return true;
}

static bool insert(const struct detection_subject *subject, size_t at, struct draft *draft,
                   const struct detection_corruption *kind, uint64_t *seed)
{
    const struct assay_format *format = subject->format;
    const uint8_t bytes[256] = {0};
    const uint64_t cells[64] = {0};
    const struct assay_event blank = {
        .bytes = bytes,
        .cells = cells,
        .kind = (uint16_t)(kind->record - format->kinds),
        .bits = has_packed_fields(kind->record) ? 0 : kind->record->bits + format->lead_bits};
    draft->own = detection_copy(format, &blank);
    assay_kind_clear(kind->record, (uint8_t *)(uintptr_t)draft->own.bytes);
    change_fields(subject, at, draft, kind, seed);
    put_in(draft, at, &draft->own, 1);
    return true;
}

static bool splice(const struct detection_subject *from, size_t at, struct draft *draft,
                   size_t count, uint64_t *seed)
{
    if (from->count <= count + 1) {
        return false;
    }
    const size_t first = 1 + random_below(seed, from->count - count - 1);
    put_in(draft, at, &from->records[first], count);
    return first != at;
}

/* A bit of its last bytes. */
static bool flip_end(const struct detection_subject *subject, size_t at, struct draft *draft,
                     size_t count, uint64_t *seed)
{
    const size_t bytes = (draft->records[at].bits - subject->format->lead_bits) / 8;
    if (draft->records[at].bits % 8 != 0 || bytes < count) {
        return false;
    }
    draft->own = detection_copy(subject->format, &draft->records[at]);
    uint8_t *own = (uint8_t *)(uintptr_t)draft->own.bytes;
    own[bytes - count + random_below(seed, count)] ^= (uint8_t)(1u << random_below(seed, 8));
    draft->records[at] = draft->own;
    return true;
}

static bool corrupt_records(const struct detection_subjects *subjects,
                            const struct detection_subject *subject,
                            const struct detection_corruption *kind, size_t at, struct draft *draft,
                            uint64_t *seed)
{
    const unsigned lead = subject->format->lead_bits;
    switch (kind->act) {
    case DETECTION_DROP:
        take_out(draft, at, kind->count < draft->count - at ? kind->count : draft->count - at);
        return true;
    case DETECTION_DOUBLE:
        put_in(draft, at, &draft->records[at], 1);
        return true;
    case DETECTION_SWAP:
        return move(draft, at, 1, lead);
    case DETECTION_MOVE:
        return move(draft, at, kind->count, lead);
    case DETECTION_SET:
    case DETECTION_SHORTEN:
    case DETECTION_LENGTHEN:
        return set_fields(subject, at, draft, kind, seed);
    case DETECTION_INSERT:
        return insert(subject, at, draft, kind, seed);
    case DETECTION_SPLICE:
        return splice(&subjects->list[random_below(seed, subjects->count)], at, draft, kind->count,
                      seed);
    case DETECTION_CUT:
        draft->count = at;
        return true;
    case DETECTION_CUT_INSIDE:
        return cut_inside(subject, at, draft, seed);
    case DETECTION_FLIP_END:
        return flip_end(subject, at, draft, kind->count, seed);
    default:
        return false;
    }
}

/* Bytes of that value, or random ones where it is less than 0. */
static void append(struct assay_sink *sink, int fill, size_t count, uint64_t *seed)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t byte = (uint8_t)(fill >= 0 ? (uint64_t)fill : random_next(seed) >> 32);
        assay_sink_write(sink, &byte, 1);
    }
}

/* What is done to the bytes of the draft's own record, the last ones of the sink. */
static void resize(const struct detection_corruption *kind, struct assay_sink *sink, uint64_t *seed)
{
    if (kind->act == DETECTION_SHORTEN && sink->size > kind->count) {
        sink->size -= kind->count;
    } else if (kind->act == DETECTION_LENGTHEN) {
        append(sink, kind->fill, kind->count, seed);
    }
}

static enum assay_error encode(const struct detection_subject *subject,
                               const struct detection_corruption *kind, const struct draft *draft,
                               uint64_t *seed, struct assay_sink *sink, struct assay_diag *diag)
{
    const struct assay_format *format = subject->format;
    struct assay_encoder *encoder = NULL;
    enum assay_error error = format->encoder->open(sink, "raw", &encoder, diag);
    if (error == ASSAY_OK && format->encoder->configure != NULL) {
        error = format->encoder->configure(encoder, subject->parameters, 0, diag);
    }
    for (size_t i = 0; i < draft->count && error == ASSAY_OK; i++) {
        if (draft->records[i].kind >= ASSAY_KIND_FIRST) {
            error = format->encoder->put(encoder, &draft->records[i], diag);
            if (draft->records[i].bytes == draft->own.bytes) {
                resize(kind, sink, seed);
            }
        }
    }
    const enum assay_error closed = format->encoder->close(encoder);
    return error != ASSAY_OK ? error : closed;
}

static bool same_bytes(const struct assay_sink *a, const struct assay_sink *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

/* Once; *done says whether the trace is another one now. A record may have no room for a value. */
static enum assay_error try_records(const struct detection_subjects *subjects,
                                    const struct detection_subject *subject,
                                    const struct detection_corruption *kind, size_t at,
                                    uint64_t *seed, struct assay_sink *sink, bool *done,
                                    struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    struct draft draft = {.count = subject->count};
    draft.records = calloc(subject->count + kind->count + 1, sizeof *draft.records);
    if (draft.records == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    memcpy(draft.records, subject->records, subject->count * sizeof *draft.records);
    *done = corrupt_records(subjects, subject, kind, at, &draft, seed);
    if (*done) {
        sink->size = 0;
        error = encode(subject, kind, &draft, seed, sink, diag);
        *done = error == ASSAY_OK && !same_bytes(sink, &subject->trace);
        error = error == ASSAY_OUT_OF_RANGE ? ASSAY_OK : error;
    }
    detection_free_event(&draft.own);
    free(draft.records);
    return error;
}

/* --- what is done to stored bytes --- */

static enum assay_error append_itself(struct assay_sink *sink)
{
    uint8_t *copy = malloc(sink->size);
    const size_t size = sink->size;
    if (copy == NULL) {
        return ASSAY_NO_MEMORY;
    }
    memcpy(copy, sink->data, size);
    assay_sink_write(sink, copy, size);
    free(copy);
    return sink->error;
}

static void drop_bytes(struct assay_sink *sink, size_t count, uint64_t *seed)
{
    if (sink->size > count) {
        const size_t at = (size_t)random_below(seed, sink->size - count);
        memmove(sink->data + at, sink->data + at + count, sink->size - at - count);
        sink->size -= count;
    }
}

/* Random bytes at the end change places with what is there from somewhere on. */
static void add_bytes(struct assay_sink *sink, size_t count, uint64_t *seed)
{
    const size_t size = sink->size;
    const size_t at = (size_t)random_below(seed, size);
    append(sink, -1, count, seed);
    for (size_t i = 0; i < count && sink->error == ASSAY_OK; i++) {
        const uint8_t byte = sink->data[size + i];
        memmove(sink->data + at + i + 1, sink->data + at + i, size - at);
        sink->data[at + i] = byte;
    }
}

static enum assay_error corrupt_bytes(const struct detection_subject *subject,
                                      const struct detection_corruption *kind, uint64_t *seed,
                                      struct assay_sink *sink, struct assay_diag *diag)
{
    enum assay_error error =
        detection_store(subject, kind->storage != NULL ? kind->storage : "raw", sink, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    switch (kind->act) {
    case DETECTION_CUT_STORAGE:
        sink->size = 1 + (size_t)random_below(seed, sink->size - 1);
        return ASSAY_OK;
    case DETECTION_FLIP_STORAGE:
        sink->data[random_below(seed, sink->size)] ^= (uint8_t)(1u << random_below(seed, 8));
        return ASSAY_OK;
    case DETECTION_DROP_STORAGE:
        drop_bytes(sink, kind->count, seed);
        return ASSAY_OK;
    case DETECTION_ADD_STORAGE:
        add_bytes(sink, kind->count, seed);
        return sink->error;
    case DETECTION_APPEND_ZEROS:
        append(sink, 0, kind->count, seed);
        return sink->error;
    case DETECTION_APPEND_NOISE:
        append(sink, -1, kind->count, seed);
        return sink->error;
    default:
        return append_itself(sink);
    }
}

/* --- a trial --- */

/* One of the places of all traces, each as likely. */
static bool choose_place(const struct detection_subjects *subjects, size_t kind, size_t back,
                         uint64_t *seed, const struct detection_subject **subject, size_t *at)
{
    size_t places = 0;
    for (size_t i = 0; i < subjects->count; i++) {
        places += subjects->list[i].places[kind].count;
    }
    if (places == 0) {
        return false;
    }
    size_t number = random_below(seed, places);
    for (size_t i = 0; i < subjects->count; i++) {
        const struct detection_places *p = &subjects->list[i].places[kind];
        if (number < p->count) {
            *subject = &subjects->list[i];
            *at = p->list[number] - (back < p->list[number] ? back : p->list[number]);
            return true;
        }
        number -= p->count;
    }
    return false;
}

/* A seed of its own for each trial, so that fewer trials are the first ones of many. */
uint64_t detection_seed(uint64_t seed, size_t kind, unsigned trial)
{
    const uint64_t mixed = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^
                           (kind + 1) * UINT64_C(0xbf58476d1ce4e5b9) ^
                           (trial + 1) * UINT64_C(0x94d049bb133111eb);
    return mixed != 0 ? mixed : 1;
}

enum assay_error detection_corrupt(const struct detection_subjects *subjects,
                                   const struct detection_table *table, size_t kind, uint64_t *seed,
                                   struct assay_sink *sink,
                                   const struct detection_subject **subject,
                                   struct assay_diag *diag)
{
    const struct detection_corruption *corruption = &table->list[kind];
    enum assay_error error = ASSAY_OK;
    bool done = false;
    size_t at = 0;
    assay_sink_memory(sink, 0);
    if (detection_acts_on_bytes(corruption)) {
        *subject = &subjects->list[random_below(seed, subjects->count)];
        return corrupt_bytes(*subject, corruption, seed, sink, diag);
    }
    for (unsigned i = 0; i < TRIES && !done && error == ASSAY_OK; i++) {
        if (!choose_place(subjects, kind, corruption->back, seed, subject, &at)) {
            break;
        }
        error = try_records(subjects, *subject, corruption, at, seed, sink, &done, diag);
    }
    if (!done) {
        *subject = NULL;
    }
    return error;
}
