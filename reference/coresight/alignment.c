/* Where the first whole frame begins. A buffer begins with one; what was taken from a trace port
 * begins anywhere. */
#include <string.h>

#include "coresight/coresight.h"

/* The first full synchronisation packet, or `size`. Two bytes 0xff never follow each other in a
 * frame, whatever its alignment. */
static size_t find_full_sync(const uint8_t *data, size_t size)
{
    size_t at = 0;
    while (at < size && !cs_is_full_sync(data + at, size - at)) {
        const uint8_t *next = memchr(data + at + 1, 0xff, size - at - 1);
        at = next != NULL ? (size_t)(next - data) : size;
    }
    return at;
}

static bool is_half_sync(const uint8_t *pair)
{
    return pair[0] == 0xff && pair[1] == 0x7f;
}

/* The first full synchronisation packet is between two frames, and what is before it consists of
 * pairs of bytes, of which half synchronisation packets are no part of a frame. Where there is no
 * full one nothing tells the alignment: shifted by one byte the data would have reserved ids,
 * shifted by two it would look as good as before. */
size_t cs_alignment(const uint8_t *data, size_t size)
{
    const size_t sync = find_full_sync(data, size);
    size_t at = sync % 2;
    size_t bytes = 0; /* of frames, before the packet */
    if (sync == size) {
        return 0;
    }
    for (size_t pair = at; pair < sync; pair += 2) {
        bytes += is_half_sync(data + pair) ? 0 : 2;
    }
    for (size_t excess = bytes % CS_FRAME; excess > 0; at += 2) {
        excess -= is_half_sync(data + at) ? 0 : 2;
    }
    return at;
}
