/* The formatter. An id can be in an even byte only. Where the source changes at an odd one, the
 * byte before it, data of the source before, is moved up by one, and the id takes its place with
 * the auxiliary bit that says so. */
#include "coresight/mux.h"

enum {
    CONTINUED_MOST = 7, /* frames without an id before one is repeated */
    PADDING_MOST = 4    /* bytes of no source at once, where a policy adds them */
};

static const uint8_t half_sync[CS_HALF_SYNC] = {0xff, 0x7f};
static const uint8_t full_sync[CS_FULL_SYNC] = {0xff, 0xff, 0xff, 0x7f};

/* xorshift64*: the same numbers for the same seed. */
static unsigned draw(struct cs_mux *mux)
{
    mux->random ^= mux->random >> 12;
    mux->random ^= mux->random << 25;
    mux->random ^= mux->random >> 27;
    return (unsigned)(mux->random * 0x2545f4914f6cdd1dull >> 56);
}

static bool chance(struct cs_mux *mux, uint8_t of_256)
{
    return of_256 > 0 && draw(mux) < of_256;
}

void cs_mux_begin(struct cs_mux *mux, struct assay_sink *sink, const struct cs_policy *policy)
{
    *mux = (struct cs_mux){.sink = sink, .id = CS_ID_UNKNOWN};
    if (policy != NULL) {
        mux->policy = *policy;
    }
    mux->random = mux->policy.seed * 2 + 1;
}

/* A trace port that outputs full synchronisation packets begins with one. */
static void write_frame(struct cs_mux *mux)
{
    bool has_id = false;
    if (mux->sink->total == 0 && mux->policy.full_sync > 0) {
        assay_sink_write(mux->sink, full_sync, sizeof full_sync);
    }
    for (unsigned at = 0; at < CS_FRAME; at += 2) {
        has_id = has_id || (mux->frame[at] & 1) != 0;
        while (at > 0 && chance(mux, mux->policy.half_sync)) {
            assay_sink_write(mux->sink, half_sync, sizeof half_sync);
        }
        assay_sink_write(mux->sink, mux->frame + at, 2);
    }
    while (chance(mux, mux->policy.full_sync)) {
        assay_sink_write(mux->sink, full_sync, sizeof full_sync);
    }
    mux->continued = has_id ? 0 : mux->continued + 1;
    mux->fill = 0; /* each byte of the frame, and each auxiliary bit, is set anew */
}

/* Steps over a byte that was written. */
static void step(struct cs_mux *mux)
{
    mux->fill++;
    if (mux->fill == CS_SLOTS) {
        write_frame(mux);
    }
}

static void set_auxiliary(struct cs_mux *mux, unsigned position, unsigned bit)
{
    const unsigned mask = 1u << position / 2;
    const unsigned others = mux->frame[CS_AUXILIARY] & ~mask;
    mux->frame[CS_AUXILIARY] = (uint8_t)(others | (bit != 0 ? mask : 0));
}

static void put_id(struct cs_mux *mux, unsigned position, uint8_t id, unsigned auxiliary)
{
    mux->frame[position] = (uint8_t)(id << 1 | 1);
    set_auxiliary(mux, position, auxiliary);
}

static void put_byte(struct cs_mux *mux, uint8_t value)
{
    if (mux->fill % 2 == 0) {
        mux->frame[mux->fill] = value & 0xfe;
        set_auxiliary(mux, mux->fill, value & 1);
    } else {
        mux->frame[mux->fill] = value;
    }
    step(mux);
}

/* Makes `id` the source of the bytes that follow. At an odd place the byte before is one of data:
 * after an id there was always a byte of its source. */
static void change(struct cs_mux *mux, uint8_t id)
{
    const unsigned at = mux->fill;
    mux->id = id;
    if (at % 2 == 0) {
        put_id(mux, at, id, 0);
        step(mux);
        return;
    }
    const unsigned value =
        mux->frame[at - 1] | ((unsigned)mux->frame[CS_AUXILIARY] >> (at - 1) / 2 & 1u);
    put_id(mux, at - 1, id, 1);
    mux->frame[at] = (uint8_t)value;
    step(mux);
}

static void put_of(struct cs_mux *mux, uint8_t id, const uint8_t *data, size_t size)
{
    for (size_t n = 0; n < size; n++) {
        const bool due = mux->continued >= CONTINUED_MOST && mux->fill == 0;
        if (mux->id != id || due) {
            change(mux, id);
        } else if (mux->fill % 2 == 0 && chance(mux, mux->policy.repeat)) {
            const unsigned auxiliary = mux->fill < CS_SLOTS - 1 ? draw(mux) & 1 : 0;
            put_id(mux, mux->fill, id, auxiliary); /* of the same source either way */
            step(mux);
        }
        put_byte(mux, data[n]);
    }
}

/* What a policy has come before a byte of data. */
static void vary(struct cs_mux *mux)
{
    static const uint8_t zeros[PADDING_MOST] = {0};
    if (chance(mux, mux->policy.pad)) {
        put_of(mux, CS_ID_NULL, zeros, 1 + draw(mux) % PADDING_MOST);
    }
    if (chance(mux, mux->policy.trigger)) {
        put_of(mux, CS_ID_TRIGGER, zeros, 1);
    }
    if (chance(mux, mux->policy.flush)) {
        put_of(mux, CS_ID_FLUSH, zeros, 1);
    }
}

void cs_mux_put(struct cs_mux *mux, uint8_t id, const uint8_t *data, size_t size)
{
    for (size_t n = 0; n < size; n++) {
        vary(mux);
        put_of(mux, id, data + n, 1);
    }
}

void cs_mux_flush(struct cs_mux *mux)
{
    static const uint8_t zero = 0;
    while (mux->fill > 0) {
        put_of(mux, CS_ID_NULL, &zero, 1);
    }
    mux->id = CS_ID_UNKNOWN;
}
