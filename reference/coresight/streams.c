/* The stream of one source: its bytes, and where they are in the capture. */
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "coresight/coresight.h"
#include "model/framing.h"

struct stream {
    struct cs_units units;
    uint32_t id;
    uint8_t current; /* the source at the end of the last frame */
};

/* The next whole frame, or the end of the capture. After what is lost nobody knows which source is
 * the current one. */
static const uint8_t *next_frame(struct stream *s)
{
    struct cs_unit unit;
    do {
        cs_units_next(&s->units, &unit);
        if (unit.kind == CS_UNIT_BARRIER || (unit.kind == CS_UNIT_FULL_SYNC && unit.position > 0)) {
            s->current = CS_ID_UNKNOWN;
        }
    } while (unit.kind != CS_UNIT_END && unit.frame == NULL);
    return unit.frame;
}

/* Keeps the bytes of a frame that are of the source, in order. */
static void take_content(struct stream *s, const uint8_t *frame, struct cs_content *mine)
{
    struct cs_content all;
    cs_frame_content(frame, &s->current, &all);
    mine->count = 0;
    for (unsigned n = 0; n < all.count; n++) {
        mine->value[mine->count] = all.value[n];
        mine->position[mine->count] = all.position[n];
        mine->count += all.id[n] == s->id;
    }
}

static enum assay_error read_stream(void *context, struct assay_source *carrier, uint8_t *out,
                                    size_t room, size_t *size)
{
    struct stream *s = context;
    struct cs_content mine;
    const uint8_t *frame = NULL;
    s->units.source = carrier;
    *size = 0;
    while (room - *size >= CS_SLOTS && (frame = next_frame(s)) != NULL) {
        if (!cs_frame_continues(frame)) {
            take_content(s, frame, &mine);
            memcpy(out + *size, mine.value, mine.count);
            *size += mine.count;
        } else if (s->current == s->id) {
            cs_frame_data(frame, out + *size);
            *size += CS_SLOTS;
        }
    }
    return ASSAY_OK;
}

static enum assay_error open_stream(struct assay_source *carrier, unsigned framing, uint32_t id,
                                    struct assay_source **stream, struct assay_diag *diag)
{
    static const struct assay_source_reader reader = {.read = read_stream, .close = free};
    struct stream *s = calloc(1, sizeof *s);
    enum assay_error error = ASSAY_NO_MEMORY;
    if (s == NULL) {
        assay_source_close(carrier);
    } else {
        s->units.of_port = framing == ASSAY_FRAMING_TRACE_PORT;
        s->id = id;
        s->current = CS_ID_UNKNOWN;
        error = assay_source_over(carrier, &reader, s, stream);
    }
    return error == ASSAY_OK ? error : assay_fail(diag, error, ASSAY_NO_OFFSET, "out of memory");
}

/* The capture ends before bytes that were read of it a moment ago. */
static enum assay_error explain_lost(const struct stream *s, struct assay_diag *diag)
{
    struct assay_source_status status;
    const uint64_t at = assay_source_offset(s->units.source);
    assay_source_status(s->units.source, &status);
    return status.fault != ASSAY_OK
               ? assay_fail(diag, status.fault, at, "%s", status.detail)
               : assay_fail(diag, ASSAY_TRUNCATED, at, "the capture is shorter than it was");
}

/* Where a byte of the last frame is in the capture. */
static uint64_t place_of(const struct stream *s, unsigned position)
{
    return cs_units_place(&s->units, s->units.offsets[position / 2], position % 2);
}

/* The offsets are ascending, so one walk over the frames finds them all. */
static enum assay_error locate(struct assay_source *carrier, unsigned framing, uint32_t id,
                               uint64_t *offsets, size_t count, struct assay_diag *diag)
{
    struct stream s = {.units = {.source = carrier, .of_port = framing == ASSAY_FRAMING_TRACE_PORT},
                       .id = id,
                       .current = CS_ID_UNKNOWN};
    struct cs_content mine;
    uint64_t passed = 0; /* bytes of the stream in the frames before */
    size_t n = 0;
    for (const uint8_t *frame; n < count && (frame = next_frame(&s)) != NULL;) {
        take_content(&s, frame, &mine);
        while (n < count && offsets[n] - passed < mine.count) {
            offsets[n] = place_of(&s, mine.position[offsets[n] - passed]);
            n++;
        }
        passed += mine.count;
    }
    while (n < count && offsets[n] == passed) {
        offsets[n++] = assay_source_offset(carrier); /* the end of the stream */
    }
    return n == count ? ASSAY_OK : explain_lost(&s, diag);
}

const struct assay_carrier_ops cs_carrier_ops = {
    .list = cs_decoder_streams, .open = open_stream, .locate = locate};
