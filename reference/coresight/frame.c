/* What is in a frame. */
#include <string.h>

#include "coresight/coresight.h"

enum { IS_ID = 1 };

/* Bit 0 of each even byte of eight. */
#define ID_BITS 0x0001000100010001ull

bool cs_frame_continues(const uint8_t *frame)
{
    return ((assay_load64(frame) | assay_load64(frame + 8)) & ID_BITS) == 0;
}

/* The auxiliary bit of an even byte. */
static unsigned auxiliary(const uint8_t *frame, unsigned position)
{
    return frame[CS_AUXILIARY] >> (position / 2) & 1u;
}

void cs_frame_data(const uint8_t *frame, uint8_t *data)
{
    memcpy(data, frame, CS_SLOTS);
    for (unsigned at = 0; at < CS_SLOTS; at += 2) {
        data[at] = (uint8_t)(data[at] | auxiliary(frame, at));
    }
}

static void add(struct cs_content *content, unsigned position, uint8_t id, unsigned value)
{
    content->id[content->count] = id;
    content->value[content->count] = (uint8_t)value;
    content->position[content->count] = (uint8_t)position;
    content->count++;
}

void cs_frame_content(const uint8_t *frame, uint8_t *id, struct cs_content *content)
{
    uint8_t next = *id; /* whose the byte after an even one is */
    content->count = 0;
    for (unsigned at = 0; at < CS_SLOTS; at++) {
        if (at % 2 != 0) {
            add(content, at, next, frame[at]);
            next = *id;
        } else if ((frame[at] & IS_ID) != 0) {
            const uint8_t changed = frame[at] >> 1;
            next = auxiliary(frame, at) != 0 ? *id : changed;
            *id = changed;
        } else {
            add(content, at, *id, frame[at] | auxiliary(frame, at));
        }
    }
}
