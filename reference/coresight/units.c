/* A walk through the units of a capture: frames, and synchronisation packets between and inside
 * them. An id of 0x7f does not exist, so that an even byte of a frame is never 0xff: where one is,
 * it begins a synchronisation packet, or the frame is wrong. */
#include <string.h>

#include "coresight/coresight.h"

enum { BARRIER_SYNCS = 4 }; /* full synchronisation packets */

/* The even bytes of eight; and a carry out of any that is 0xff. */
#define EVEN_BYTES 0x00ff00ff00ff00ffull
#define EVEN_ONES  0x0001000100010001ull
#define EVEN_CARRY 0x0100010001000100ull

bool cs_is_full_sync(const uint8_t *data, size_t size)
{
    static const uint8_t pattern[CS_FULL_SYNC] = {0xff, 0xff, 0xff, 0x7f};
    return size >= sizeof pattern && memcmp(data, pattern, sizeof pattern) == 0;
}

static bool is_half_sync(const uint8_t *data, size_t size)
{
    return size >= CS_HALF_SYNC && data[0] == 0xff && data[1] == 0x7f;
}

/* --- the bytes of a capture, without those of a DSTREAM unit --- */

/* How many bytes of the block at an offset are left before those of the unit. */
static size_t left_in_block(const struct cs_units *units, uint64_t offset)
{
    return units->blocked ? CS_BLOCK_DATA - (size_t)(offset % CS_BLOCK) : SIZE_MAX;
}

uint64_t cs_units_place(const struct cs_units *units, uint64_t offset, size_t after)
{
    const bool beyond = after >= left_in_block(units, offset);
    return offset + after + (beyond ? CS_BLOCK - CS_BLOCK_DATA : 0);
}

/* Shows at least `want` bytes, at most CS_LOOK_AHEAD, or all that are left when fewer are. */
static enum assay_error look(struct cs_units *units, size_t want, const uint8_t **data,
                             size_t *have)
{
    const size_t left = left_in_block(units, assay_source_offset(units->source));
    if (want <= left) {
        const enum assay_error error = assay_source_peek(units->source, want, data, have);
        *have = *have < left ? *have : left;
        return error;
    }
    const size_t behind = left + CS_BLOCK - CS_BLOCK_DATA; /* the begin of the next block */
    const enum assay_error error =
        assay_source_peek(units->source, behind + want - left, data, have);
    const size_t before = *have < left ? *have : left;
    const size_t more = *have > behind ? *have - behind : 0;
    const size_t after = more < want - left ? more : want - left;
    memcpy(units->joined, *data, before);
    memcpy(units->joined + before, *data + (after > 0 ? behind : 0), after);
    *data = units->joined;
    *have = before + after;
    return error;
}

/* Steps over bytes that were shown. */
static void step_over(struct cs_units *units, size_t size)
{
    const bool beyond = size >= left_in_block(units, assay_source_offset(units->source));
    assay_source_consume(units->source, size + (beyond ? CS_BLOCK - CS_BLOCK_DATA : 0));
}

/* --- units --- */

/* Four full synchronisation packets in the place of a frame, which drivers put where trace was
 * lost. A trace port that is idle outputs as many and more, but not only where whole frames end. */
static bool is_barrier(const struct cs_units *units, const uint8_t *data, size_t size)
{
    bool is = !units->ported && units->position == 0 && size >= CS_FRAME;
    for (size_t n = 0; is && n < BARRIER_SYNCS; n++) {
        is = cs_is_full_sync(data + n * CS_FULL_SYNC, CS_FULL_SYNC);
    }
    return is;
}

/* Whether no even byte of 16 is 0xff. */
static bool has_no_sync(const uint8_t *data)
{
    const uint64_t low = (assay_load64(data) & EVEN_BYTES) + EVEN_ONES;
    const uint64_t high = (assay_load64(data + 8) & EVEN_BYTES) + EVEN_ONES;
    return ((low | high) & EVEN_CARRY) == 0;
}

/* How many of the next `most` bytes are before a synchronisation packet. */
static size_t before_sync(const uint8_t *data, size_t have, size_t most)
{
    size_t at = 0;
    while (at < most && !is_half_sync(data + at, have - at) &&
           !cs_is_full_sync(data + at, have - at)) {
        at += 2;
    }
    return at < most ? at : most;
}

static void give(struct cs_units *units, struct cs_unit *unit, enum cs_unit_kind kind, size_t size)
{
    unit->kind = kind;
    unit->size = size;
    units->shown = size;
}

/* The synchronisation packet at the source's place. */
static void give_sync(struct cs_units *units, struct cs_unit *unit, size_t have)
{
    if (is_half_sync(unit->bytes, have)) {
        give(units, unit, CS_UNIT_HALF_SYNC, CS_HALF_SYNC);
        units->ported = true;
        return;
    }
    if (is_barrier(units, unit->bytes, have)) {
        give(units, unit, CS_UNIT_BARRIER, CS_FRAME);
        return;
    }
    give(units, unit, CS_UNIT_FULL_SYNC, CS_FULL_SYNC);
    units->ported = true;
    units->position = 0;
}

/* A part of a frame, or the last part, with which it is complete. */
static void give_part(struct cs_units *units, struct cs_unit *unit, size_t size)
{
    give(units, unit, CS_UNIT_PART, size);
    memcpy(units->frame + units->position, unit->bytes, size);
    for (size_t at = 0; at < size; at += 2) {
        units->offsets[(units->position + at) / 2] = cs_units_place(units, unit->offset, at);
    }
    units->position = (units->position + (unsigned)size) % CS_FRAME;
    unit->frame = units->position == 0 ? units->frame : NULL;
}

static void give_frame(struct cs_units *units, struct cs_unit *unit)
{
    give(units, unit, CS_UNIT_FRAME, CS_FRAME);
    for (size_t pair = 0; pair < CS_FRAME / 2; pair++) {
        units->offsets[pair] = cs_units_place(units, unit->offset, 2 * pair);
    }
    unit->frame = unit->bytes;
}

/* Whether a capture of which these are the first bytes is blocks of a DSTREAM unit. Where the last
 * one is not whole this has to be shown more than once: bytes that are lost can look so, too. */
static bool has_blocks(const struct assay_source *source, const uint8_t *data, size_t have)
{
    struct assay_source_status status;
    assay_source_status(source, &status);
    const bool stored = have >= ASSAY_PEEK_MAX && status.streams == 0 && status.stored_size > 0;
    const uint64_t size = stored ? status.stored_size : have;
    const bool is_known = stored || have < ASSAY_PEEK_MAX;
    return cs_is_blocked(data, have, !is_known || size % CS_BLOCK == 0 ? 1 : CS_SHOWN_OFTEN);
}

/* Looks where the first whole frame begins. Of a trace port nothing but a full synchronisation
 * packet tells it: what is seen without one is stepped over, but for what can be a part of one. */
static void begin(struct cs_units *units)
{
    const uint8_t *data = NULL;
    size_t have = 0;
    (void)assay_source_peek(units->source, ASSAY_PEEK_MAX, &data, &have);
    units->blocked =
        assay_source_offset(units->source) == 0 && has_blocks(units->source, data, have);
    units->begun =
        cs_alignment(data, have, units->blocked, &units->unaligned) || !units->of_port || have == 0;
    if (!units->begun) {
        units->unaligned = have < ASSAY_PEEK_MAX ? have : have - CS_FULL_SYNC;
    }
}

/* The next bytes before the first whole frame; false where there are none. */
static bool give_unaligned(struct cs_units *units, struct cs_unit *unit)
{
    size_t have = 0;
    if (!units->begun && units->unaligned == 0) {
        begin(units);
    }
    const size_t size = units->unaligned < CS_FRAME ? units->unaligned : CS_FRAME;
    if (size > 0) {
        (void)look(units, size, &unit->bytes, &have);
        give(units, unit, CS_UNIT_UNALIGNED, size);
        units->unaligned -= size;
    }
    return size > 0;
}

void cs_units_next(struct cs_units *units, struct cs_unit *unit)
{
    size_t have = 0;
    step_over(units, units->shown);
    units->shown = 0;
    *unit =
        (struct cs_unit){.position = units->position, .offset = assay_source_offset(units->source)};
    if ((!units->begun || units->unaligned > 0) && give_unaligned(units, unit)) {
        return;
    }
    units->error = look(units, CS_LOOK_AHEAD, &unit->bytes, &have);
    const size_t left = CS_FRAME - units->position;
    if (left == CS_FRAME && have >= CS_FRAME && has_no_sync(unit->bytes)) {
        give_frame(units, unit);
        return;
    }
    const size_t most = left < have ? left : have;
    const size_t size = before_sync(unit->bytes, have, most);
    if (have == 0) {
        give(units, unit, CS_UNIT_END, 0);
    } else if (size == 0) {
        give_sync(units, unit, have);
    } else if (size == CS_FRAME) {
        give_frame(units, unit);
    } else if (size == have && size < left) {
        give(units, unit, CS_UNIT_TRUNCATED, size);
        units->position = 0;
    } else {
        give_part(units, unit, size);
    }
}
