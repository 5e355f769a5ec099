/* Streams in which no A-sync is found: those that are no ETE packets but CoreSight frames around
 * them (CoreSight Architecture Specification), a common mistake, which a validator should name; and
 * pieces of a session, which need not have one. */
#include <string.h>

#include "ete/ete.h"
#include "model/parameters.h"

enum {
    FRAME = 16, /* bytes: even ones are ids or data without bit 0, odd ones data */
    AUXILIARY = FRAME - 1,
    MOST = 4096, /* bytes that are looked at */
    ID_MOST = 0x6f,
    ID_FLUSH = 0x7b,
    ID_TRIGGER = 0x7d,
    IDS = 0x80,
    FRAMES_LEAST = 16, /* for their ids to tell */
    IDLESS_MOST = 9,   /* frames up to the next one with an id */
    SOURCES_MOST = 16,
    SELDOM = 2,
    ASYNC_END = 0x80
};

static const uint8_t full_sync[] = {0xff, 0xff, 0xff, 0x7f};

/* Where the first A-sync is; `size` if there is none. */
static size_t find_async(const uint8_t *data, size_t size)
{
    size_t zeros = 0;
    for (size_t at = 0; at < size; at++) {
        if (data[at] == ASYNC_END && zeros > ETE_ASYNC_ZEROS) {
            return at - zeros;
        }
        zeros = data[at] == 0 ? zeros + 1 : 0;
    }
    return size;
}

/* The data of a frame, of all ids. Returns how many bytes there are. */
static size_t take_data(const uint8_t *frame, uint8_t *data)
{
    size_t count = 0;
    for (unsigned i = 0; i < AUXILIARY; i++) {
        const bool is_id = i % 2 == 0 && (frame[i] & 1) != 0;
        const unsigned low = i % 2 == 0 ? frame[AUXILIARY] >> i / 2 & 1u : 0;
        if (!is_id) {
            data[count++] = (uint8_t)(frame[i] | low);
        }
    }
    return count;
}

/* The ids in frames. */
struct ids {
    bool came[IDS];
    unsigned current;
    size_t frames, idless, sources, special, repeated;
};

/* Takes the ids of a frame; false where one is reserved, or none came in many frames. */
static bool take_ids(struct ids *ids, const uint8_t *frame)
{
    unsigned count = 0;
    for (unsigned i = 0; i < AUXILIARY; i += 2) {
        const unsigned id = frame[i] >> 1;
        if ((frame[i] & 1) == 0) {
            continue;
        }
        const bool special = id == ID_FLUSH || id == ID_TRIGGER;
        if (id > ID_MOST && !special) {
            return false;
        }
        ids->special += special;
        ids->repeated += id == ids->current && count > 0;
        ids->sources += !special && id > 0 && !ids->came[id];
        ids->came[id] = true;
        ids->current = id;
        count++;
    }
    ids->idless = count > 0 ? 0 : ids->idless + 1;
    ids->frames++;
    return ids->idless < IDLESS_MOST;
}

/* Whether many frames have ids as a formatter writes them: of a few sources, none that is reserved,
 * few of a trigger or flush, and few that are repeated where that tells nothing. */
static bool has_ids(const uint8_t *data, size_t size)
{
    struct ids ids = {.current = IDS};
    for (size_t at = 0; size - at >= FRAME;) {
        if (memcmp(data + at, full_sync, sizeof full_sync) == 0) {
            at += sizeof full_sync;
        } else if (take_ids(&ids, data + at)) {
            at += FRAME;
        } else {
            return false;
        }
    }
    return ids.frames >= FRAMES_LEAST && ids.sources > 0 && ids.sources <= SOURCES_MOST &&
           ids.special <= ids.frames / SELDOM && ids.repeated <= ids.frames / SELDOM;
}

/* Frames whose data, put together, have an A-sync that cannot be seen in the bytes. */
static bool has_async(const uint8_t *data, size_t size)
{
    uint8_t inside[MOST];
    size_t count = 0;
    size_t at = 0;
    while (size - at >= FRAME) {
        if (memcmp(data + at, full_sync, sizeof full_sync) == 0) {
            at += sizeof full_sync;
            continue;
        }
        if (count == 0 && ((data[at] & 1) == 0 || data[at] < 2 || data[at] >> 1 > ID_MOST)) {
            return false;
        }
        count += take_data(data + at, inside + count);
        at += FRAME;
    }
    const size_t async = find_async(inside, count);
    return async < count && (async == 0 || find_async(data, size) == size);
}

bool ete_is_framed(const uint8_t *data, size_t size)
{
    const size_t seen = size < MOST ? size : MOST;
    return has_async(data, seen) || has_ids(data, seen);
}
