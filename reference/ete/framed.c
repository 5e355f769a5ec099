/* Streams in which no A-sync is found: those that are no ETE packets but CoreSight frames around
 * them (CoreSight Architecture Specification), a common mistake, which a validator should name; and
 * pieces of a session, which need not have one. */
#include <string.h>

#include "common/parameters.h"
#include "ete/ete.h"

enum {
    FRAME = 16, /* bytes: even ones are ids or data without bit 0, odd ones data */
    AUXILIARY = FRAME - 1,
    MOST = 4096, /* bytes that are looked at */
    ID_MOST = 0x6f,
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

bool ete_is_framed(const uint8_t *data, size_t size)
{
    uint8_t inside[MOST];
    size_t count = 0;
    size_t at = 0;
    size = size < MOST ? size : MOST;
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

bool ete_must_sync(const struct assay_parameter_values *values, uint64_t size)
{
    enum { PERIOD_MASK = 0x1f, PERIOD_LEAST = 8, PERIOD_MOST = 20, PERIODS = 4 };
    const uint64_t period = values->value[ETE_TRCSYNCPR] & PERIOD_MASK;
    const bool periodic = period >= PERIOD_LEAST && period <= PERIOD_MOST;
    const bool whole = values->known[ETE_WHOLE] && values->value[ETE_WHOLE] != 0;
    return size > 0 && (whole || (periodic && size > (uint64_t)PERIODS << period));
}
