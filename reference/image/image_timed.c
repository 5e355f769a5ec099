/* Sets with a timeline. The addresses of each space are divided where anything begins or ends, and
 * each of the segments that result has the list of its contents in the order of time. So what a
 * segment has held, or may hold, is found without looking at any other. */
#include <stdlib.h>
#include <string.h>

#include "image/image_private.h"

enum {
    CHANGES_MOST = 1 << 20,  /* of all segments */
    PIECES_MOST = 1 << 18,   /* that are written, or there from the beginning */
    SEGMENTS_MOST = 1 << 19, /* once they are divided */
    COMPARED_MOST = 16       /* contents that one window merges */
};

/* Pieces of all segments, also where nothing changes. */
static const uint64_t WORK_MOST = UINT64_C(1) << 28;

/* A content of addresses, before they are divided. */
struct piece {
    struct assay_space space;
    uint64_t first, last;
    const uint8_t *bytes;
    uint64_t offset; /* of `bytes` in the file */
    uint32_t image, moment;
    uint32_t order; /* of two at one moment the one of the higher order holds */
    enum assay_content content;
};

/* The division of a set. */
struct division {
    struct assay_image_set *set;
    struct assay_diag *diag;
    struct piece *pieces;
    size_t count, capacity;
    struct assay_image_segment *segments; /* the result */
    size_t segment_count, segment_capacity;
    uint64_t *bounds;            /* where pieces of a space begin, and behind their ends */
    const struct piece **active; /* those that hold the addresses at hand, in the order of time */
    size_t active_count;
    uint64_t work; /* pieces of all segments */
};

static enum assay_error no_memory(struct assay_diag *diag)
{
    return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
}

static enum assay_error too_much(const struct division *d)
{
    assay_fail(d->diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
               "too much memory changes too often at the same addresses");
    if (d->set->timeline->name != NULL) {
        assay_diag_path(d->diag, d->set->timeline->name);
    }
    return ASSAY_LIMIT;
}

/* Makes room for one more; null when it is more than the limit, or memory is out. */
static void *grow(void *array, size_t count, size_t *capacity, size_t most, size_t size)
{
    if (count < *capacity) {
        return array;
    }
    const size_t more = *capacity > 0 ? 2 * *capacity : 64;
    void *grown = count < most ? realloc(array, more * size) : NULL;
    *capacity = grown != NULL ? more : *capacity;
    return grown;
}

/* --- pieces --- */

static enum assay_error add_piece(struct division *d, const struct piece *piece)
{
    struct piece *list = grow(d->pieces, d->count, &d->capacity, PIECES_MOST, sizeof *list);
    if (list == NULL) {
        return d->count >= PIECES_MOST ? too_much(d) : no_memory(d->diag);
    }
    d->pieces = list;
    list[d->count] = *piece;
    list[d->count].order = (uint32_t)d->count;
    d->count++;
    return ASSAY_OK;
}

static enum assay_error add_segment(struct division *d, const struct assay_image_segment *segment,
                                    uint32_t moment, enum assay_content content)
{
    return add_piece(d, &(struct piece){.space = segment->space,
                                        .first = segment->first,
                                        .last = segment->last,
                                        .bytes = segment->bytes,
                                        .offset = segment->offset,
                                        .image = segment->image,
                                        .moment = moment,
                                        .content = content});
}

/* The segments of an image, which are in the order of images: the first one. */
static size_t first_segment(const struct assay_image_set *set, uint32_t image)
{
    size_t low = 0;
    size_t high = set->segment_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (set->segments[middle].image < image) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static enum assay_error add_write(struct division *d, const struct assay_write *write)
{
    const struct assay_image_set *set = d->set;
    enum assay_error error = ASSAY_OK;
    if (write->content != ASSAY_CONTENT_IMAGE) {
        return add_piece(d, &(struct piece){.space = write->space,
                                            .first = write->first,
                                            .last = write->last,
                                            .bytes = write->bytes,
                                            .image = UINT32_MAX,
                                            .moment = write->moment,
                                            .content = write->content});
    }
    for (size_t i = first_segment(set, write->image);
         i < set->segment_count && set->segments[i].image == write->image && error == ASSAY_OK;
         i++) {
        error = add_segment(d, &set->segments[i], write->moment, ASSAY_CONTENT_BYTES);
    }
    return error;
}

static enum assay_error list_pieces(struct division *d)
{
    const struct assay_image_set *set = d->set;
    enum assay_error error = ASSAY_OK;
    for (size_t i = 0; i < set->segment_count && error == ASSAY_OK; i++) {
        const struct assay_image_info *info = &set->images[set->segments[i].image];
        if (!info->written) {
            error = add_segment(d, &set->segments[i], 0,
                                info->undated ? ASSAY_CONTENT_UNDATED : ASSAY_CONTENT_BYTES);
        }
    }
    for (size_t i = 0; i < set->timeline->write_count && error == ASSAY_OK; i++) {
        error = add_write(d, &set->timeline->writes[i]);
    }
    return error;
}

/* The order of time. What is not known from the beginning comes first: what is known of that time
 * holds. */
static bool is_before(const struct piece *a, const struct piece *b)
{
    const bool x = a->moment == 0 && a->content == ASSAY_CONTENT_UNKNOWN;
    const bool y = b->moment == 0 && b->content == ASSAY_CONTENT_UNKNOWN;
    if (a->moment != b->moment) {
        return a->moment < b->moment;
    }
    return x != y ? x : a->order < b->order;
}

static int by_space_and_address(const void *a, const void *b)
{
    const struct piece *x = a;
    const struct piece *y = b;
    const int space = assay_space_compare(&x->space, &y->space);
    if (space != 0) {
        return space;
    }
    if (x->first != y->first) {
        return x->first < y->first ? -1 : 1;
    }
    return is_before(x, y) ? -1 : is_before(y, x);
}

/* --- contents of a segment --- */

/* Whether a piece is what undated images have, and not the write that makes it hold. */
static bool is_undated(const struct piece *piece)
{
    return piece->content == ASSAY_CONTENT_UNDATED && piece->image != UINT32_MAX;
}

static struct assay_image_segment part_of(const struct piece *piece, uint64_t first, uint64_t last)
{
    const uint64_t from = first - piece->first;
    return (struct assay_image_segment){.space = piece->space,
                                        .first = first,
                                        .last = last,
                                        .bytes = piece->bytes != NULL ? piece->bytes + from : NULL,
                                        .offset = piece->offset + from,
                                        .image = piece->image};
}

/* What is there from the beginning, and what is undated, does not contradict itself. `kind` is one
 * of these; *held: the last of them, or null. */
static enum assay_error check_agreement(struct division *d, uint64_t first, uint64_t last,
                                        bool undated, const struct piece **held)
{
    *held = NULL;
    for (size_t i = 0; i < d->active_count; i++) {
        const struct piece *piece = d->active[i];
        const bool counts = undated ? is_undated(piece)
                                    : piece->moment == 0 && piece->content == ASSAY_CONTENT_BYTES;
        if (!counts) {
            continue;
        }
        if (*held != NULL) {
            const struct assay_image_segment a = part_of(*held, first, last);
            const struct assay_image_segment b = part_of(piece, first, last);
            uint64_t address = 0;
            if (assay_image_differ(d->set, &a, &b, &address)) {
                return assay_image_disagree(d->set, &a, &b, address, d->diag);
            }
        }
        *held = piece;
    }
    return ASSAY_OK;
}

static enum assay_error add_change(struct division *d, struct assay_image_segment *segment,
                                   uint32_t moment, const struct piece *piece,
                                   enum assay_content content)
{
    struct assay_image_set *set = d->set;
    const uint32_t count = segment->change_count;
    const bool again = count > 0 && set->changes[segment->change + count - 1].moment == moment;
    set->change_count -= again; /* what is written at the same moment is never seen */
    struct assay_image_change *list =
        grow(set->changes, set->change_count, &set->change_capacity, CHANGES_MOST, sizeof *list);
    if (list == NULL) {
        return set->change_count >= CHANGES_MOST ? too_much(d) : no_memory(d->diag);
    }
    set->changes = list;
    struct assay_image_change *change = &list[set->change_count++];
    *change = (struct assay_image_change){.moment = moment, .content = content};
    if (content == ASSAY_CONTENT_BYTES) {
        const struct assay_image_segment part = part_of(piece, segment->first, segment->last);
        change->bytes = part.bytes;
        change->offset = part.offset;
        change->image = part.image;
    }
    segment->change_count += !again;
    return ASSAY_OK;
}

/* What a piece makes the addresses hold; `undated` is what the undated images have there. */
static enum assay_content content_of(const struct piece *piece, const struct piece *undated,
                                     bool last)
{
    if (piece->content != ASSAY_CONTENT_UNDATED) {
        return piece->content;
    }
    if (!last) {
        return ASSAY_CONTENT_UNKNOWN;
    }
    return undated != NULL ? ASSAY_CONTENT_BYTES : ASSAY_CONTENT_UNDATED;
}

/* The contents of addresses that change. Undated images have them as they were at one time or the
 * other. */
static enum assay_error list_changes(struct division *d, struct assay_image_segment *segment,
                                     const struct piece *undated)
{
    enum assay_error error = ASSAY_OK;
    segment->change = (uint32_t)d->set->change_count;
    if (undated != NULL) {
        error = add_change(d, segment, 0, NULL, ASSAY_CONTENT_UNKNOWN);
    }
    for (size_t i = 0; i < d->active_count && error == ASSAY_OK; i++) {
        const struct piece *piece = d->active[i];
        if (!is_undated(piece)) {
            const enum assay_content content = content_of(piece, undated, i + 1 == d->active_count);
            const bool from_undated = piece->content == ASSAY_CONTENT_UNDATED;
            error = add_change(d, segment, piece->moment, from_undated ? undated : piece, content);
        }
    }
    return error;
}

static enum assay_error push_segment(struct division *d, const struct assay_image_segment *segment)
{
    struct assay_image_segment *list =
        grow(d->segments, d->segment_count, &d->segment_capacity, SEGMENTS_MOST, sizeof *list);
    if (list == NULL) {
        return d->segment_count >= SEGMENTS_MOST ? too_much(d) : no_memory(d->diag);
    }
    d->segments = list;
    list[d->segment_count++] = *segment;
    return ASSAY_OK;
}

/* A segment of the addresses that the active pieces hold. */
static enum assay_error make_segment(struct division *d, uint64_t first, uint64_t last)
{
    const struct piece *undated = NULL;
    const struct piece *constant = NULL;
    bool changes = false;
    for (size_t i = 0; i < d->active_count; i++) {
        const struct piece *piece = d->active[i];
        changes = changes || piece->moment > 0 ||
                  !(piece->content == ASSAY_CONTENT_BYTES || is_undated(piece));
    }
    enum assay_error error = check_agreement(d, first, last, true, &undated);
    error = error != ASSAY_OK ? error : check_agreement(d, first, last, false, &constant);
    if (error != ASSAY_OK) {
        return error;
    }
    if (!changes && undated != NULL && constant != NULL) {
        const struct assay_image_segment a = part_of(undated, first, last);
        const struct assay_image_segment b = part_of(constant, first, last);
        uint64_t address = 0;
        if (assay_image_differ(d->set, &a, &b, &address)) {
            return assay_image_disagree(d->set, &a, &b, address, d->diag);
        }
    }
    struct assay_image_segment segment = part_of(constant != NULL  ? constant
                                                 : undated != NULL ? undated
                                                                   : d->active[0],
                                                 first, last);
    error = changes ? list_changes(d, &segment, undated) : ASSAY_OK;
    return error != ASSAY_OK ? error : push_segment(d, &segment);
}

/* --- division --- */

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Adds the pieces from `begin` to `end`, which begin at one address, in the order of time. */
static void activate(struct division *d, size_t begin, size_t end)
{
    size_t old = d->active_count;
    size_t to = old + (end - begin);
    d->active_count = to;
    while (end > begin) {
        const bool is_new = old == 0 || is_before(d->active[old - 1], &d->pieces[end - 1]);
        d->active[--to] = is_new ? &d->pieces[--end] : d->active[--old];
    }
}

static void retire(struct division *d, uint64_t address)
{
    size_t stay = 0;
    for (size_t i = 0; i < d->active_count; i++) {
        if (d->active[i]->last >= address) {
            d->active[stay++] = d->active[i];
        }
    }
    d->active_count = stay;
}

/* The pieces from `begin` to `end` are of one space, sorted by address. */
static enum assay_error divide_space(struct division *d, size_t begin, size_t end)
{
    size_t bounds = 0;
    size_t next = begin;
    enum assay_error error = ASSAY_OK;
    for (size_t i = begin; i < end; i++) {
        d->bounds[bounds++] = d->pieces[i].first;
        if (d->pieces[i].last < UINT64_MAX) {
            d->bounds[bounds++] = d->pieces[i].last + 1;
        }
    }
    qsort(d->bounds, bounds, sizeof *d->bounds, by_number);
    d->active_count = 0;
    for (size_t i = 0; i < bounds && error == ASSAY_OK; i++) {
        if (i + 1 < bounds && d->bounds[i] == d->bounds[i + 1]) {
            continue;
        }
        retire(d, d->bounds[i]);
        const size_t first = next;
        while (next < end && d->pieces[next].first == d->bounds[i]) {
            next++;
        }
        activate(d, first, next);
        d->work += d->active_count;
        if (d->work > WORK_MOST) {
            return too_much(d);
        }
        if (d->active_count > 0) {
            error =
                make_segment(d, d->bounds[i], i + 1 < bounds ? d->bounds[i + 1] - 1 : UINT64_MAX);
        }
    }
    return error;
}

static enum assay_error divide(struct division *d)
{
    struct assay_image_set *set = d->set;
    enum assay_error error = ASSAY_OK;
    for (size_t begin = 0; begin < d->count && error == ASSAY_OK;) {
        size_t end = begin + 1;
        while (end < d->count &&
               assay_space_compare(&d->pieces[begin].space, &d->pieces[end].space) == 0) {
            end++;
        }
        if (set->view_count == ASSAY_IMAGE_MAX_SPACES) {
            return assay_fail(d->diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                              "the images are of more than %d spaces", ASSAY_IMAGE_MAX_SPACES);
        }
        struct assay_image_view *view = &set->views[set->view_count++];
        *view =
            (struct assay_image_view){.space = d->pieces[begin].space, .begin = d->segment_count};
        error = divide_space(d, begin, end);
        view->end = d->segment_count;
        begin = end;
    }
    return error;
}

enum assay_error assay_image_make_timed_views(struct assay_image_set *set, struct assay_diag *diag)
{
    struct division d = {.set = set, .diag = diag};
    enum assay_error error = list_pieces(&d);
    if (error == ASSAY_OK && d.count > 0) {
        qsort(d.pieces, d.count, sizeof *d.pieces, by_space_and_address);
        d.bounds = calloc(2 * d.count, sizeof *d.bounds);
        d.active = calloc(d.count, sizeof *d.active);
        error = d.bounds != NULL && d.active != NULL ? divide(&d) : no_memory(diag);
    }
    free(d.pieces);
    free(d.bounds);
    free(d.active);
    if (error != ASSAY_OK) {
        free(d.segments);
        return error;
    }
    free(set->segments);
    set->segments = d.segments;
    set->segment_count = d.segment_count;
    set->segment_capacity = d.segment_capacity;
    return ASSAY_OK;
}

/* --- reading --- */

/* How many changes of a segment are at or before a moment. */
static uint32_t changes_until(const struct assay_image_change *list, uint32_t count,
                              uint32_t moment)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (list[middle].moment <= moment) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* How many bytes two contents have in common from `from` on, of at most `size`, which is at most
 * ASSAY_IMAGE_ZERO_BYTES. */
static uint64_t common_bytes(const struct assay_image_change *a, const struct assay_image_change *b,
                             uint64_t from, uint64_t size)
{
    const uint8_t *x = a->bytes != NULL ? a->bytes + from : assay_image_zeros;
    const uint8_t *y = b->bytes != NULL ? b->bytes + from : assay_image_zeros;
    uint64_t same = 0;
    if (memcmp(x, y, (size_t)size) == 0) {
        return size;
    }
    while (x[same] == y[same]) {
        same++;
    }
    return same;
}

/* What several contents agree on, from byte `from` of the segment on; *size: how far it was
 * compared. */
static const struct assay_image_change *merge(struct assay_image_cursor *cursor,
                                              const struct assay_image_change *list, uint32_t count,
                                              uint64_t from, uint64_t *size)
{
    const struct assay_image_change *held = NULL;
    for (uint32_t i = 0; i<count && * size> 0; i++) {
        if (list[i].content == ASSAY_CONTENT_UNKNOWN || list[i].content == ASSAY_CONTENT_UNDATED) {
            *size = 0;
        } else if (list[i].content == ASSAY_CONTENT_BYTES) {
            held = held != NULL ? held : &list[i];
            *size = common_bytes(held, &list[i], from, *size);
        }
    }
    if (*size == 0 || count > COMPARED_MOST) {
        cursor->absence = ASSAY_ABSENCE_CHANGING;
        return NULL;
    }
    return held;
}

/* The cursor's span is at most from one moment up to the one before another. */
static void narrow_span(struct assay_image_cursor *cursor, uint32_t from, uint32_t until)
{
    struct assay_image_span *span = &cursor->span;
    if (!span->merged) {
        span->from = from > span->from ? from : span->from;
        span->until = until < span->until ? until : span->until;
    }
}

const struct assay_image_change *assay_image_at_window(struct assay_image_cursor *cursor,
                                                       const struct assay_image_segment *segment,
                                                       uint64_t address, uint64_t *first,
                                                       uint64_t *last)
{
    const struct assay_image_change *list = &cursor->set->changes[segment->change];
    const uint32_t begun = changes_until(list, segment->change_count, cursor->moments.low);
    const uint32_t ended = changes_until(list, segment->change_count, cursor->moments.high);
    if (begun == ended) {
        const bool is_last = ended == segment->change_count;
        narrow_span(cursor, begun > 0 ? list[begun - 1].moment : 0,
                    is_last ? UINT32_MAX : list[ended].moment - 1);
        const struct assay_image_change *held = begun > 0 ? &list[begun - 1] : NULL;
        if (held != NULL && held->content == ASSAY_CONTENT_UNKNOWN) {
            cursor->absence = ASSAY_ABSENCE_UNKNOWN;
        }
        return held != NULL && held->content == ASSAY_CONTENT_BYTES ? held : NULL;
    }
    const uint64_t page = address | (ASSAY_IMAGE_ZERO_BYTES - 1);
    *last = page < *last ? page : *last;
    *first = address;
    cursor->span = (struct assay_image_span){cursor->moments.low, cursor->moments.high, true};
    const uint32_t from = begun > 0 ? begun - 1 : 0;
    const uint32_t count = ended - from < COMPARED_MOST ? ended - from : COMPARED_MOST + 1;
    uint64_t size = *last - address + 1;
    const struct assay_image_change *held =
        merge(cursor, &list[from], count, address - segment->first, &size);
    *last = held != NULL ? address + (size - 1) : *last;
    return held;
}
