#include <string.h>

#include "image/image_private.h"

/* Selectors that the most specific space gives. */
enum { SELECTOR_COUNT = 4 };

static unsigned bits_of(unsigned set)
{
    unsigned count = 0;
    for (; set != 0; set &= set - 1) {
        count++;
    }
    return count;
}

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

uint32_t assay_image_select(struct assay_image_cursor *cursor, const struct assay_space *space)
{
    const struct assay_image_set *set = cursor->set;
    cursor->length = 0;
    cursor->view_count = 0;
    cursor->number = 0;
    if (set == NULL || !set->sealed) {
        return 0;
    }
    for (unsigned count = SELECTOR_COUNT + 1; count-- > 0;) {
        for (unsigned subset = 0; subset < ASSAY_SPACE_SUBSETS; subset++) {
            if (bits_of(subset) != count || (subset & ~(unsigned)space->given) != 0) {
                continue;
            }
            const struct assay_space part = assay_space_restrict(space, subset);
            const int view = view_of(set, &part);
            if (view >= 0) {
                cursor->views[cursor->view_count++] = (uint16_t)view;
            }
        }
    }
    cursor->number = number_of(set, space);
    return cursor->number;
}

void assay_image_select_number(struct assay_image_cursor *cursor, uint32_t number)
{
    if (number != cursor->number && cursor->set != NULL && cursor->set->sealed) {
        const struct assay_space space = space_of(cursor->set, number);
        (void)assay_image_select(cursor, &space);
    }
}

void assay_image_cursor_open(struct assay_image_cursor *cursor, const struct assay_image_set *set)
{
    *cursor = (struct assay_image_cursor){.set = set};
    (void)assay_image_select(cursor, &(struct assay_space){0});
}

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

/* The segment that is read at an address, and the bounds within which more specific views have
 * nothing; null when it is absent. */
static const struct assay_image_segment *find_segment(const struct assay_image_cursor *cursor,
                                                      uint64_t address, uint64_t *first,
                                                      uint64_t *last)
{
    *first = 0;
    *last = UINT64_MAX;
    for (unsigned i = 0; i < cursor->view_count; i++) {
        const struct assay_image_view *view = &cursor->set->views[cursor->views[i]];
        const size_t number = first_from(cursor->set, view, address);
        const struct assay_image_segment *segment = &cursor->set->segments[number];
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
    }
    return NULL;
}

const uint8_t *assay_image_find(struct assay_image_cursor *cursor, uint64_t address,
                                size_t *available)
{
    uint64_t first, last;
    const struct assay_image_segment *segment = find_segment(cursor, address, &first, &last);
    if (segment == NULL) {
        *available = 0;
        return NULL;
    }
    if (segment->bytes != NULL) {
        cursor->bytes = segment->bytes + (first - segment->first);
    } else {
        const uint64_t block = address & ~(uint64_t)(ASSAY_IMAGE_ZERO_BYTES - 1);
        const uint64_t end = block + (ASSAY_IMAGE_ZERO_BYTES - 1);
        first = block > first ? block : first;
        last = end < last ? end : last;
        cursor->bytes = assay_image_zeros;
    }
    cursor->first = first;
    cursor->length = last - first + 1;
    *available = (size_t)(last - address + 1);
    return cursor->bytes + (address - first);
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
    uint64_t first, last;
    const struct assay_image_segment *segment = find_segment(cursor, address, &first, &last);
    if (segment == NULL) {
        return false;
    }
    const bool zero = segment->bytes == NULL;
    *origin = (struct assay_image_origin){
        .image = &cursor->set->images[segment->image],
        .offset = zero ? 0 : segment->offset + (address - segment->first),
        .zero_filled = zero,
    };
    return true;
}
