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

/* Whether frames from `at` on, without the half synchronisation packets in them, end at `end`. */
static bool frames_end(const uint8_t *data, size_t at, size_t end)
{
    size_t bytes = 0;
    for (; at + 1 < end; at += 2) {
        bytes += data[at] == 0xff && data[at + 1] == 0x7f ? 0 : 2;
    }
    return at == end && bytes % CS_FRAME == 0;
}

/* The least alignment by which the first full synchronisation packet is between two frames. Where
 * there is none nothing tells the alignment: shifted by one byte the data would have reserved ids,
 * shifted by two it would look as good as before. */
size_t cs_alignment(const uint8_t *data, size_t size)
{
    const size_t sync = find_full_sync(data, size);
    for (size_t at = 0; sync < size && at < CS_FRAME && at <= sync; at++) {
        if (frames_end(data, at, sync)) {
            return at;
        }
    }
    return 0;
}
