#include <string.h>

#include "image/image_private.h"

/* Contexts of which one is visible, and that are told apart. */
enum { CONTEXTS_MOST = 4 };

/* The sets of selectors, those of more selectors first. */
static const uint8_t by_specificity[ASSAY_SPACE_SUBSETS] = {15, 7,  11, 13, 14, 3, 5, 6,
                                                            9,  10, 12, 1,  2,  4, 8, 0};

/* The view of exactly this space, or -1. */
static int view_of(const struct assay_image_set *set, const struct assay_space *space)
{
    size_t low = 0;
    size_t high = set->view_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = assay_space_compare(&set->views[middle].space, space);
        if (order == 0) {
            return (int)middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return -1;
}

/* 1 + the index of a value in an ascending list, 0 when it is not there. */
static uint32_t rank64(const uint64_t *list, size_t count, uint64_t value)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && list[low] == value ? (uint32_t)low + 1 : 0;
}

static uint32_t rank32(const uint32_t *list, size_t count, uint32_t value)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && list[low] == value ? (uint32_t)low + 1 : 0;
}

/* The ranks of the four values, each 0 when no image names the value, as one number. */
static uint32_t number_of(const struct assay_image_set *set, const struct assay_space *space)
{
    _Static_assert((ASSAY_EL_MAX + 2) * (ASSAY_SECURITY_COUNT + 1) *
                           (ASSAY_IMAGE_MAX_SPACES + UINT64_C(1)) * (ASSAY_IMAGE_MAX_SPACES + 1) <
                       UINT32_MAX,
                   "the number of a space has 32 bits");
    uint32_t el = 0, security = 0, vmid = 0, context = 0;
    if ((space->given & ASSAY_SPACE_EL) != 0 && space->el <= ASSAY_EL_MAX &&
        (set->levels >> space->el & 1) != 0) {
        el = space->el + 1u;
    }
    if ((space->given & ASSAY_SPACE_SECURITY) != 0 && space->security < ASSAY_SECURITY_COUNT &&
        (set->securities >> space->security & 1) != 0) {
        security = space->security + 1u;
    }
    if ((space->given & ASSAY_SPACE_VMID) != 0) {
        vmid = rank32(set->vmids, set->vmid_count, space->vmid);
    }
    if ((space->given & ASSAY_SPACE_CONTEXT) != 0) {
        context = rank64(set->contexts, set->context_count, space->context);
    }
    const uint32_t contexts = (uint32_t)set->context_count + 1;
    const uint32_t vmids = (uint32_t)set->vmid_count + 1;
    return ((el * (ASSAY_SECURITY_COUNT + 1) + security) * vmids + vmid) * contexts + context;
}

/* A space with this number, the inverse of number_of. */
static struct assay_space space_of(const struct assay_image_set *set, uint32_t number)
{
    const uint32_t contexts = (uint32_t)set->context_count + 1;
    const uint32_t vmids = (uint32_t)set->vmid_count + 1;
    const uint32_t context = number % contexts;
    const uint32_t vmid = number / contexts % vmids;
    const uint32_t security = number / contexts / vmids % (ASSAY_SECURITY_COUNT + 1);
    const uint32_t el = number / contexts / vmids / (ASSAY_SECURITY_COUNT + 1);
    struct assay_space space = {0};
    if (el > 0 && el <= ASSAY_EL_MAX + 1) {
        space.given |= ASSAY_SPACE_EL;
        space.el = (uint8_t)(el - 1);
    }
    if (security > 0) {
        space.given |= ASSAY_SPACE_SECURITY;
        space.security = (uint8_t)(security - 1);
    }
    if (vmid > 0) {
        space.given |= ASSAY_SPACE_VMID;
        space.vmid = set->vmids[vmid - 1];
    }
    if (context > 0) {
        space.given |= ASSAY_SPACE_CONTEXT;
        space.context = set->contexts[context - 1];
    }
    return space;
}

/* --- selection --- */

/* Adds the views that a space sees: those with all of the selectors `with`, the more specific ones
 * first. */
static unsigned add_views(const struct assay_image_set *set, const struct assay_space *space,
                          unsigned with, uint16_t *views, unsigned views_count)
{
    for (unsigned i = 0; i < ASSAY_SPACE_SUBSETS; i++) {
        const unsigned subset = by_specificity[i];
        if ((set->subsets >> subset & 1) == 0 || (subset & ~(unsigned)space->given) != 0 ||
            (subset & with) != with) {
            continue;
        }
        const struct assay_space part = assay_space_restrict(space, subset);
        const int view = view_of(set, &part);
        if (view >= 0 && views_count < ASSAY_SPACE_SUBSETS) {
            views[views_count++] = (uint16_t)view;
        }
    }
    return views_count;
}

/* Spaces with one number see the same views: those that the cursor has already. */
static void select_views(struct assay_image_cursor *cursor, const struct assay_space *space)
{
    const uint32_t number = number_of(cursor->set, space);
    if (!cursor->has_views || number != cursor->number) {
        cursor->view_count = (uint16_t)add_views(cursor->set, space, 0, cursor->views, 0);
        cursor->number = number;
        cursor->has_views = true;
    }
}

static bool is_context(const void *set, uint64_t context)
{
    const struct assay_image_set *of = set;
    return rank64(of->contexts, of->context_count, context) > 0;
}

/* Several contexts are possible: what any of their images have is not known. */
static void hide(struct assay_image_cursor *cursor, struct assay_space space,
                 const uint64_t *contexts, unsigned count)
{
    unsigned hidden = 0;
    for (unsigned i = 0; i < count && i < CONTEXTS_MOST; i++) {
        space.context = contexts[i];
        hidden = add_views(cursor->set, &space, ASSAY_SPACE_CONTEXT, cursor->hidden, hidden);
    }
    cursor->hidden_count = (uint16_t)hidden;
    cursor->ambiguous = true;
    /* Beyond these nothing says what is hidden. */
    cursor->blind = count > CONTEXTS_MOST || hidden == ASSAY_SPACE_SUBSETS;
}

/* The context is replaced by the one whose images it sees, by the timeline. */
static void select_timed(struct assay_image_cursor *cursor)
{
    const struct assay_image_set *set = cursor->set;
    struct assay_space space = cursor->space;
    uint64_t contexts[CONTEXTS_MOST];
    const unsigned count =
        (space.given & ASSAY_SPACE_CONTEXT) != 0
            ? assay_timeline_contexts(set->timeline, cursor->moments, space.context, is_context,
                                      set, contexts, CONTEXTS_MOST)
            : 0;
    cursor->hidden_count = 0;
    cursor->ambiguous = false;
    cursor->blind = false;
    if (count > 1) {
        hide(cursor, space, contexts, count);
    }
    if (count == 1) {
        space.context = contexts[0];
    } else {
        space.given &= (uint8_t)~ASSAY_SPACE_CONTEXT;
    }
    select_views(cursor, &space);
}

uint32_t assay_image_select(struct assay_image_cursor *cursor, const struct assay_space *space)
{
    cursor->length = 0;
    cursor->space = *space;
    if (cursor->set == NULL || !cursor->set->sealed) {
        return 0;
    }
    if (cursor->set->timeline != NULL) {
        select_timed(cursor);
    } else {
        select_views(cursor, space);
    }
    return cursor->number;
}

void assay_image_select_moments(struct assay_image_cursor *cursor, struct assay_moments window)
{
    const struct assay_timeline *timeline = assay_image_timeline(cursor->set);
    if (timeline != NULL) {
        const struct assay_space space = cursor->space;
        cursor->moments.high = window.high < timeline->moments ? window.high : timeline->moments;
        cursor->moments.low = window.low < cursor->moments.high ? window.low : cursor->moments.high;
        (void)assay_image_select(cursor, &space);
    }
}

void assay_image_select_again(struct assay_image_cursor *cursor, uint32_t number,
                              struct assay_moments window)
{
    const bool same = number == cursor->number && window.low == cursor->moments.low &&
                      window.high == cursor->moments.high;
    if (!same && cursor->set != NULL && cursor->set->sealed) {
        const struct assay_space space = space_of(cursor->set, number);
        cursor->moments = window;
        cursor->length = 0;
        cursor->hidden_count = 0;
        cursor->ambiguous = false;
        cursor->blind = false;
        select_views(cursor, &space);
    }
}

void assay_image_select_number(struct assay_image_cursor *cursor, uint32_t number)
{
    assay_image_select_again(cursor, number, cursor->moments);
}

void assay_image_cursor_open(struct assay_image_cursor *cursor, const struct assay_image_set *set)
{
    *cursor = (struct assay_image_cursor){.set = set};
    assay_image_begin_span(cursor);
    if (assay_image_timeline(set) != NULL) {
        cursor->moments.high = set->timeline->moments;
    }
    (void)assay_image_select(cursor, &(struct assay_space){0});
}

/* --- reading --- */

/* The number of the first segment of a view that ends at or after an address. */
static size_t first_from(const struct assay_image_set *set, const struct assay_image_view *view,
                         uint64_t address)
{
    size_t low = view->begin;
    size_t high = view->end;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (set->segments[middle].last < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* What is read at an address: of a segment, or of what changes there. */
struct found {
    const uint8_t *bytes; /* at `base`; null: zero-filled */
    uint64_t base;
    uint64_t first, last; /* the bounds within which it is read */
    uint32_t image;
    uint64_t offset; /* of `bytes` in the file */
};

/* The segment of a view that has an address; if there is none, null, and the bounds within which
 * that is so. */
static const struct assay_image_segment *segment_at(const struct assay_image_set *set,
                                                    uint16_t view_number, uint64_t address,
                                                    uint64_t *first, uint64_t *last)
{
    const struct assay_image_view *view = &set->views[view_number];
    const size_t number = first_from(set, view, address);
    const struct assay_image_segment *segment = &set->segments[number];
    if (number < view->end) {
        if (segment->first <= address) {
            *first = segment->first > *first ? segment->first : *first;
            *last = segment->last < *last ? segment->last : *last;
            return segment;
        }
        *last = segment->first - 1 < *last ? segment->first - 1 : *last;
    }
    if (number > view->begin) {
        const uint64_t behind = segment[-1].last + 1;
        *first = behind > *first ? behind : *first;
    }
    return NULL;
}

/* Whether an address is in an image that the cursor may see or not. */
static bool is_hidden(struct assay_image_cursor *cursor, uint64_t address, uint64_t *first,
                      uint64_t *last)
{
    unsigned i = 0;
    while (i < cursor->hidden_count &&
           segment_at(cursor->set, cursor->hidden[i], address, first, last) == NULL) {
        i++;
    }
    const bool hidden = cursor->blind || i < cursor->hidden_count;
    cursor->absence = hidden ? ASSAY_ABSENCE_CHANGING : cursor->absence;
    return hidden;
}

/* False when the address is absent. */
static bool find(struct assay_image_cursor *cursor, uint64_t address, struct found *found)
{
    found->first = 0;
    found->last = UINT64_MAX;
    cursor->absence = ASSAY_ABSENCE_UNMAPPED;
    if (cursor->ambiguous && is_hidden(cursor, address, &found->first, &found->last)) {
        return false;
    }
    for (unsigned i = 0; i < cursor->view_count && cursor->absence == ASSAY_ABSENCE_UNMAPPED; i++) {
        const struct assay_image_segment *segment =
            segment_at(cursor->set, cursor->views[i], address, &found->first, &found->last);
        if (segment == NULL) {
            continue;
        }
        found->base = segment->first;
        if (segment->change_count == 0) {
            found->bytes = segment->bytes;
            found->image = segment->image;
            found->offset = segment->offset;
            return true;
        }
        const struct assay_image_change *change =
            assay_image_at_window(cursor, segment, address, &found->first, &found->last);
        if (change != NULL) {
            found->bytes = change->bytes;
            found->image = change->image;
            found->offset = change->offset;
            return true;
        }
    }
    return false;
}

const uint8_t *assay_image_find(struct assay_image_cursor *cursor, uint64_t address,
                                size_t *available)
{
    struct found found;
    if (!find(cursor, address, &found)) {
        *available = 0;
        return NULL;
    }
    if (found.bytes != NULL) {
        cursor->bytes = found.bytes + (found.first - found.base);
    } else {
        const uint64_t block = address & ~(uint64_t)(ASSAY_IMAGE_ZERO_BYTES - 1);
        const uint64_t end = block + (ASSAY_IMAGE_ZERO_BYTES - 1);
        found.first = block > found.first ? block : found.first;
        found.last = end < found.last ? end : found.last;
        cursor->bytes = assay_image_zeros;
    }
    cursor->first = found.first;
    cursor->length = found.last - found.first + 1;
    *available = (size_t)(found.last - address + 1);
    return cursor->bytes + (address - found.first);
}

size_t assay_image_copy(struct assay_image_cursor *cursor, uint64_t address, void *buffer,
                        size_t size)
{
    size_t done = 0;
    while (done < size && (done == 0 || address + done != 0)) {
        size_t available;
        const uint8_t *bytes = assay_image_at(cursor, address + done, &available);
        if (bytes == NULL) {
            break;
        }
        const size_t n = available < size - done ? available : size - done;
        memcpy((uint8_t *)buffer + done, bytes, n);
        done += n;
    }
    return done;
}

enum assay_error assay_image_read(const struct assay_image_set *set,
                                  const struct assay_space *space, uint64_t address, void *buffer,
                                  size_t size, size_t *have)
{
    struct assay_image_cursor cursor;
    assay_image_cursor_open(&cursor, set);
    (void)assay_image_select(&cursor, space);
    *have = assay_image_copy(&cursor, address, buffer, size);
    return *have == size ? ASSAY_OK : ASSAY_ABSENT;
}

bool assay_image_locate(struct assay_image_cursor *cursor, uint64_t address,
                        struct assay_image_origin *origin)
{
    struct found found;
    if (!find(cursor, address, &found)) {
        return false;
    }
    const bool zero = found.bytes == NULL;
    *origin = (struct assay_image_origin){
        .image = found.image < cursor->set->image_count ? &cursor->set->images[found.image] : NULL,
        .offset = zero ? 0 : found.offset + (address - found.base),
        .zero_filled = zero,
    };
    return true;
}
