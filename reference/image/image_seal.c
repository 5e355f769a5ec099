/* Sealing a set: its segments are sorted by space and address, what two images both hold is
 * compared, and the values of selectors are listed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image_private.h"

typedef struct assay_image_segment segment;

/* What it costs to look at two contents, in bytes that are compared. */
enum { PAIR_COST = 64 };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What messages call the image of a segment. */
static const char *name_of(const struct assay_image_set *set, const segment *s)
{
    const char *const timeline = set->timeline != NULL ? set->timeline->name : NULL;
    return s->image < set->image_count ? set->images[s->image].path
           : timeline != NULL          ? timeline
                                       : "the timeline";
}

enum assay_error assay_image_disagree(const struct assay_image_set *set, const segment *a,
                                      const segment *b, uint64_t address, struct assay_diag *diag)
{
    char space_a[96], space_b[96];
    assay_space_text(&a->space, space_a, sizeof space_a);
    assay_space_text(&b->space, space_b, sizeof space_b);
    /* The address precedes the second name: a long message is cut at its end. */
    assay_fail(diag, ASSAY_CONTRADICTION, ASSAY_NO_OFFSET,
               "has other bytes at address 0x%" PRIx64 " than %s", address, name_of(set, a));
    assay_diag_path(diag, name_of(set, b));
    if (strcmp(space_a, space_b) == 0) {
        assay_diag_hint(diag,
                        "both are visible in %s; if they are different memories, say which "
                        "by el, security state, vmid or context",
                        space_a);
    } else {
        assay_diag_hint(diag,
                        "one is for %s, the other for %s: give one of them all selectors of "
                        "the other, so that it is more specific",
                        space_a, space_b);
    }
    return ASSAY_CONTRADICTION;
}

/* Compares what both hold; the address of the first difference, or false when there is none. What
 * is compared is counted, since images of many spaces could make it take forever. */
bool assay_image_differ(struct assay_image_set *set, const segment *a, const segment *b,
                        uint64_t *address)
{
    uint64_t at = a->first > b->first ? a->first : b->first;
    const uint64_t last = least(a->last, b->last);
    if (at > last || (a->bytes == NULL && b->bytes == NULL)) {
        return false;
    }
    set->bytes_compared += last - at + 1; /* at most the size of an image, of which there are few */
    if (set->bytes_compared > set->options.max_compared) {
        return false;
    }
    for (uint64_t left = last - at + 1; left > 0;) {
        const size_t n = (size_t)least(left, ASSAY_IMAGE_ZERO_BYTES);
        const uint8_t *x = a->bytes != NULL ? a->bytes + (at - a->first) : assay_image_zeros;
        const uint8_t *y = b->bytes != NULL ? b->bytes + (at - b->first) : assay_image_zeros;
        if (memcmp(x, y, n) != 0) {
            size_t same = 0;
            while (x[same] == y[same]) {
                same++;
            }
            *address = at + same;
            return true;
        }
        at += n;
        left -= n;
    }
    return false;
}

static int by_space_and_address(const void *a, const void *b)
{
    const segment *x = a;
    const segment *y = b;
    const int space = assay_space_compare(&x->space, &y->space);
    if (space != 0) {
        return space;
    }
    if (x->first != y->first) {
        return x->first < y->first ? -1 : 1;
    }
    return (x->image > y->image) - (x->image < y->image);
}

/* Takes off what the segments before it, back to `begin`, hold already; false when that is all. */
static bool trim(segment *s, const segment *before)
{
    if (s->first > before->last) {
        return true;
    }
    if (s->last <= before->last) {
        return false;
    }
    const uint64_t cut = before->last + 1 - s->first;
    s->first += cut;
    if (s->bytes != NULL) {
        s->bytes += cut;
        s->offset += cut;
    }
    return true;
}

/* Makes the segments of each space disjoint and gives each space a view. */
static enum assay_error make_views(struct assay_image_set *set, struct assay_diag *diag)
{
    segment *list = set->segments;
    size_t kept = 0;
    qsort(list, set->segment_count, sizeof *list, by_space_and_address);
    for (size_t i = 0; i < set->segment_count; i++) {
        segment s = list[i];
        struct assay_image_view *view =
            set->view_count > 0 ? &set->views[set->view_count - 1] : NULL;
        if (view == NULL || assay_space_compare(&view->space, &s.space) != 0) {
            if (set->view_count == ASSAY_IMAGE_MAX_SPACES) {
                return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                                  "the images are of more than %d spaces", ASSAY_IMAGE_MAX_SPACES);
            }
            view = &set->views[set->view_count++];
            *view = (struct assay_image_view){.space = s.space, .begin = kept, .end = kept};
        }
        for (size_t k = view->end; k > view->begin && list[k - 1].last >= s.first; k--) {
            uint64_t address;
            if (assay_image_differ(set, &list[k - 1], &s, &address)) {
                return assay_image_disagree(set, &list[k - 1], &s, address, diag);
            }
        }
        if (view->end == view->begin || trim(&s, &list[view->end - 1])) {
            list[kept++] = s;
            view->end = kept;
        }
    }
    set->segment_count = kept;
    return ASSAY_OK;
}

/* Content number n of a segment; false where it is no bytes. */
static bool content_of(const struct assay_image_set *set, const segment *s, uint32_t n,
                       segment *content)
{
    *content = *s;
    if (s->change_count > 0) {
        const struct assay_image_change *change = &set->changes[s->change + n];
        content->bytes = change->bytes;
        content->image = change->image;
        return change->content == ASSAY_CONTENT_BYTES;
    }
    return true;
}

/* Segments of two spaces; of what changes in them each content with each. */
static enum assay_error compare_segments(struct assay_image_set *set, const segment *a,
                                         const segment *b, struct assay_diag *diag)
{
    for (uint32_t i = 0; i < a->change_count + (a->change_count == 0); i++) {
        for (uint32_t k = 0; k < b->change_count + (b->change_count == 0); k++) {
            segment x = *a;
            segment y = *b;
            uint64_t address;
            set->bytes_compared += a->change_count + b->change_count > 0 ? PAIR_COST : 0;
            if (set->bytes_compared > set->options.max_compared) {
                return ASSAY_OK; /* the seal fails by it */
            }
            if (content_of(set, a, i, &x) && content_of(set, b, k, &y) &&
                assay_image_differ(set, &x, &y, &address)) {
                return assay_image_disagree(set, &x, &y, address, diag);
            }
        }
    }
    return ASSAY_OK;
}

static enum assay_error compare_views(struct assay_image_set *set, const struct assay_image_view *a,
                                      const struct assay_image_view *b, struct assay_diag *diag)
{
    size_t i = a->begin;
    size_t k = b->begin;
    while (i < a->end && k < b->end) {
        const segment *x = &set->segments[i];
        const segment *y = &set->segments[k];
        const enum assay_error error = compare_segments(set, x, y, diag);
        if (error != ASSAY_OK) {
            return error;
        }
        if (x->last < y->last) {
            i++;
        } else {
            k++;
        }
    }
    return ASSAY_OK;
}

/* Views that can be visible together, none of which is more specific than the other. */
static enum assay_error compare_spaces(struct assay_image_set *set, struct assay_diag *diag)
{
    for (size_t i = 0; i < set->view_count; i++) {
        for (size_t k = i + 1; k < set->view_count; k++) {
            const struct assay_image_view *a = &set->views[i];
            const struct assay_image_view *b = &set->views[k];
            const unsigned both = a->space.given & b->space.given;
            if (both == a->space.given || both == b->space.given ||
                !assay_space_compatible(&a->space, &b->space)) {
                continue;
            }
            const enum assay_error error = compare_views(set, a, b, diag);
            if (error != ASSAY_OK) {
                return error;
            }
        }
    }
    return ASSAY_OK;
}

static int by_number32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int by_number64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Lists the values that images name, each once. */
static void list_values(struct assay_image_set *set)
{
    for (size_t i = 0; i < set->view_count; i++) {
        const struct assay_space *space = &set->views[i].space;
        set->subsets |= (uint16_t)(1u << space->given);
        if ((space->given & ASSAY_SPACE_EL) != 0) {
            set->levels |= (uint8_t)(1u << space->el);
        }
        if ((space->given & ASSAY_SPACE_SECURITY) != 0) {
            set->securities |= (uint8_t)(1u << space->security);
        }
        if ((space->given & ASSAY_SPACE_VMID) != 0) {
            set->vmids[set->vmid_count++] = space->vmid;
        }
        if ((space->given & ASSAY_SPACE_CONTEXT) != 0) {
            set->contexts[set->context_count++] = space->context;
        }
    }
    qsort(set->vmids, set->vmid_count, sizeof *set->vmids, by_number32);
    qsort(set->contexts, set->context_count, sizeof *set->contexts, by_number64);
    size_t kept = 0;
    for (size_t i = 0; i < set->vmid_count; i++) {
        if (kept == 0 || set->vmids[kept - 1] != set->vmids[i]) {
            set->vmids[kept++] = set->vmids[i];
        }
    }
    set->vmid_count = kept;
    kept = 0;
    for (size_t i = 0; i < set->context_count; i++) {
        if (kept == 0 || set->contexts[kept - 1] != set->contexts[i]) {
            set->contexts[kept++] = set->contexts[i];
        }
    }
    set->context_count = kept;
}

enum assay_error assay_image_set_seal(struct assay_image_set *set, struct assay_diag *diag)
{
    if (set->sealed) {
        return ASSAY_OK;
    }
    set->sealed = true; /* also when it fails: the segments are in disorder then */
    const size_t writes = set->timeline != NULL ? set->timeline->write_count : 0;
    const size_t most = set->segment_count + writes + 1;
    const size_t views = most < ASSAY_IMAGE_MAX_SPACES ? most : ASSAY_IMAGE_MAX_SPACES;
    set->views = calloc(views, sizeof *set->views);
    set->vmids = calloc(views, sizeof *set->vmids);
    set->contexts = calloc(views, sizeof *set->contexts);
    enum assay_error error =
        set->views != NULL && set->vmids != NULL && set->contexts != NULL
            ? ASSAY_OK
            : assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    if (error == ASSAY_OK && set->timeline != NULL) {
        error = assay_image_make_timed_views(set, diag);
    } else if (error == ASSAY_OK && set->segment_count > 0) {
        error = make_views(set, diag);
    }
    if (error == ASSAY_OK) {
        error = compare_spaces(set, diag);
    }
    if (error == ASSAY_OK && set->bytes_compared > set->options.max_compared) {
        error = assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET,
                           "the images hold too much at the same addresses in different spaces");
    }
    if (error != ASSAY_OK) {
        set->view_count = 0;
        return error;
    }
    list_values(set);
    return ASSAY_OK;
}
