/* Where the first whole frame begins. A buffer begins with one; what was taken from a trace port
 * begins anywhere, and the unit that took it may have added bytes of its own. */
#include <string.h>

#include "coresight/coresight.h"

enum { RARELY = 8 };

/* The first bytes of a capture, without those of a DSTREAM unit. */
struct view {
    const uint8_t *data;
    size_t size; /* bytes that can be seen */
    bool blocked;
};

static struct view view_of(const uint8_t *data, size_t size, bool blocked)
{
    const size_t rest = size % CS_BLOCK;
    const size_t shown =
        size / CS_BLOCK * CS_BLOCK_DATA + (rest < CS_BLOCK_DATA ? rest : CS_BLOCK_DATA);
    return (struct view){.data = data, .size = blocked ? shown : size, .blocked = blocked};
}

static uint8_t byte_at(const struct view *view, size_t at)
{
    return view->data[view->blocked ? at + at / CS_BLOCK_DATA * (CS_BLOCK - CS_BLOCK_DATA) : at];
}

static bool is_full_sync(const struct view *view, size_t at)
{
    return view->size - at >= CS_FULL_SYNC && byte_at(view, at) == 0xff &&
           byte_at(view, at + 1) == 0xff && byte_at(view, at + 2) == 0xff &&
           byte_at(view, at + 3) == 0x7f;
}

/* The first full synchronisation packet, or the size. Two bytes 0xff never follow each other in a
 * frame, whatever its alignment. */
static size_t find_full_sync(const struct view *view)
{
    size_t at = 0;
    while (at < view->size && !is_full_sync(view, at)) {
        const size_t next = at + 1;
        const uint8_t *ff = view->blocked || next == view->size
                                ? NULL
                                : memchr(view->data + next, 0xff, view->size - next);
        at = view->blocked ? next : ff != NULL ? (size_t)(ff - view->data) : view->size;
    }
    return at;
}

static bool is_half_sync(const struct view *view, size_t at)
{
    return byte_at(view, at) == 0xff && byte_at(view, at + 1) == 0x7f;
}

/* How often there is no whole number of frames between two full synchronisation packets; half ones
 * are no part of frames. */
static size_t count_uneven(const struct view *view)
{
    size_t count = 0;
    size_t bytes = 0; /* of frames, since the last one */
    for (size_t at = find_full_sync(view); at + 1 < view->size; at += 2) {
        if (is_full_sync(view, at)) {
            count += bytes % CS_FRAME != 0;
            bytes = 0;
            at += CS_FULL_SYNC - 2;
        } else {
            bytes += is_half_sync(view, at) ? 0 : 2;
        }
    }
    return count;
}

/* A packet that does cut a frame, as where bytes are lost, is rare. */
bool cs_is_blocked(const uint8_t *data, size_t size, size_t least)
{
    const struct view all = view_of(data, size, false);
    const struct view without = view_of(data, size, true);
    const size_t uneven = count_uneven(&all);
    return uneven >= least && uneven > RARELY * count_uneven(&without);
}

/* The first full synchronisation packet is between two frames, and what is before it consists of
 * pairs of bytes, of which half synchronisation packets are no part of a frame. Where there is no
 * full one nothing tells the alignment: shifted by one byte the data would have reserved ids,
 * shifted by two it would look as good as before. */
bool cs_alignment(const uint8_t *data, size_t size, bool blocked, size_t *bytes)
{
    const struct view view = view_of(data, size, blocked);
    const size_t sync = find_full_sync(&view);
    size_t at = sync % 2;
    size_t before = 0; /* bytes of frames, before the packet */
    *bytes = 0;
    if (sync == view.size) {
        return false;
    }
    for (size_t pair = at; pair < sync; pair += 2) {
        before += is_half_sync(&view, pair) ? 0 : 2;
    }
    for (size_t excess = before % CS_FRAME; excess > 0; at += 2) {
        excess -= is_half_sync(&view, at) ? 0 : 2;
    }
    *bytes = at;
    return true;
}
