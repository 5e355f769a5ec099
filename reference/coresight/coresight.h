/* Frames of the CoreSight formatter (CoreSight architecture, formatter protocol): 16 bytes that
 * carry the streams of several trace sources. Private to the format.
 *
 * A frame has fifteen bytes and a byte of auxiliary bits. Each of the bytes 0, 2 ... 14 is the id
 * of a source, if its bit 0 is set, or data, of which bit 0 is in the auxiliary byte. The bytes
 * between are data. The auxiliary bit of an id says whether the byte after it is still of the
 * source before.
 */
#ifndef ASSAY_CORESIGHT_H
#define ASSAY_CORESIGHT_H

#include "coresight/layout.def"
#include "io/source.h"
#include "model/layout_enum.h"
#include "model/model.h"
#include "model/step_stage.h"

enum cs_layer { CS_FRAMES, CS_SOURCES };

#define ASSAY_PREFIX CS

/* CS_frame, CS_full_sync ... CS_id, CS_data ... */
enum cs_kind {
    CS_malformed = ASSAY_KIND_MALFORMED,
    CS_end = ASSAY_KIND_END,
    CS_UNITS(ASSAY_ENUM_ID) CS_CONTENTS(ASSAY_ENUM_ID) CS_KIND_COUNT
};

enum cs_fault { CS_FAULT_NONE, CS_FAULTS(ASSAY_ENUM_FAULT) };

enum { CS_PARAMETERS(ASSAY_ENUM_ID) CS_PARAMETER_COUNT };
_Static_assert(CS_PARAMETER_COUNT == 0x6f, "each id of a source has one, from 1 on");

enum { CS_UNITS_END = CS_id, CS_CELLS = 8 };

/* CS_CELL_full_sync_position, CS_CELL_data_id ... */
#define K(name, ...) ASSAY_ENUM_DERIVED(name, CS_FIELDS_##name, CS_CELLS)
CS_CONTENTS(K)
K(malformed, "Malformed")
K(end, "End")
#undef K
#define K(name, ...)                                                                               \
    enum { CS_FIELDS_##name(ASSAY_ENUM_NONE, ASSAY_ENUM_NONE, ASSAY_ENUM_CELL) CS_CELLS_##name };  \
    _Static_assert((int)CS_CELLS_##name <= (int)CS_CELLS, "the cells of " #name);
CS_UNITS(K)
#undef K

#undef ASSAY_PREFIX

enum {
    CS_FRAME = 16,        /* bytes */
    CS_SLOTS = 15,        /* bytes of a frame that are ids or data */
    CS_AUXILIARY = 15,    /* the byte of auxiliary bits */
    CS_HALF_SYNC = 2,     /* bytes: FF 7F */
    CS_FULL_SYNC = 4,     /* bytes: FF FF FF 7F */
    CS_BLOCK = 512,       /* bytes of a block of a DSTREAM unit, */
    CS_BLOCK_DATA = 504,  /* of which the last eight are the unit's own */
    CS_IDS = 128,         /* ids have 7 bits */
    CS_ID_NULL = 0x00,    /* data of no source */
    CS_ID_LAST = 0x6f,    /* the last id that a source can have */
    CS_ID_FLUSH = 0x7b,   /* a flush is complete */
    CS_ID_TRIGGER = 0x7d, /* a trigger */
    CS_ID_NEVER = 0x7f,   /* would look like a synchronisation */
    CS_ID_UNKNOWN = 0x80  /* no id came yet */
};

/* Whether a source can have the id. */
static inline bool cs_is_source(unsigned id)
{
    return id > CS_ID_NULL && id <= CS_ID_LAST;
}

/* Whether the protocol leaves the id unused: 0x70 to 0x7a, 0x7c, 0x7e, 0x7f. */
static inline bool cs_is_reserved(unsigned id)
{
    return id > CS_ID_LAST && id != CS_ID_FLUSH && id != CS_ID_TRIGGER;
}

/* --- what is in a frame (frame.c) --- */

/* The data of a frame, in order. */
struct cs_content {
    unsigned count;
    uint8_t id[CS_SLOTS]; /* whose byte it is; CS_ID_UNKNOWN before the first id */
    uint8_t value[CS_SLOTS];
    uint8_t position[CS_SLOTS]; /* in the frame */
};

/* Whether a frame has no id: all of it is of the source before. */
bool cs_frame_continues(const uint8_t *frame);

/* The fifteen data bytes of such a frame. */
void cs_frame_data(const uint8_t *frame, uint8_t *data);

/* Takes a frame apart. *id is the current source, before and after. */
void cs_frame_content(const uint8_t *frame, uint8_t *id, struct cs_content *content);

/* --- the frames of a capture (units.c) --- */

/* What is found at a place of a capture. Frames follow each other without gaps, but for
 * synchronisation packets: full ones between frames, half ones between any two pairs of bytes. */
enum cs_unit_kind {
    CS_UNIT_END,
    CS_UNIT_FRAME,
    CS_UNIT_PART, /* of a frame: up to a synchronisation packet, or after one */
    CS_UNIT_HALF_SYNC,
    CS_UNIT_FULL_SYNC,
    CS_UNIT_BARRIER,   /* four full ones in the place of a frame */
    CS_UNIT_UNALIGNED, /* bytes before the first whole frame */
    CS_UNIT_TRUNCATED  /* a frame that the end of the capture cuts */
};

struct cs_unit {
    enum cs_unit_kind kind;
    const uint8_t *bytes; /* valid until the next unit is read */
    size_t size;          /* at most CS_FRAME */
    unsigned position;    /* bytes of the frame before the unit */
    uint64_t offset;      /* of its first byte in the capture */
    const uint8_t *frame; /* of a frame and of its last part: the whole frame; else null */
};

enum { CS_LOOK_AHEAD = 24 }; /* a frame, and a full synchronisation packet at its last byte */

/* A walk through the units of a capture. */
struct cs_units {
    struct assay_source *source; /* borrowed */
    bool of_port;                /* the capture is of a trace port: it can begin inside a frame */
    bool begun;                  /* it is known where the first whole frame begins */
    bool blocked; /* the capture is blocks of a DSTREAM unit, whose own bytes are stepped over */
    uint8_t joined[CS_LOOK_AHEAD];  /* bytes before those of a DSTREAM unit, and after them */
    size_t unaligned;               /* bytes left before the first whole frame */
    bool ported;                    /* synchronisation packets of a trace port came */
    size_t shown;                   /* bytes of the last unit, not yet consumed */
    unsigned position;              /* bytes of the frame before the source's place */
    uint8_t frame[CS_FRAME];        /* those */
    uint64_t offsets[CS_FRAME / 2]; /* of each pair of bytes of the last whole frame */
    enum assay_error error;         /* why the bytes end */
};

/* The next unit. After the last one, CS_UNIT_END, again and again. */
void cs_units_next(struct cs_units *units, struct cs_unit *unit);

/* Where the byte is that comes `after` bytes, at most CS_FRAME, after the one at an offset. */
uint64_t cs_units_place(const struct cs_units *units, uint64_t offset, size_t after);

/* How many bytes of the unit of a DSTREAM are before an offset in blocks. */
static inline uint64_t cs_block_bytes(uint64_t offset)
{
    return offset / CS_BLOCK * (CS_BLOCK - CS_BLOCK_DATA);
}

/* How often a capture whose last block is not whole has to show that it is blocks: three losses of
 * bytes that look so are rare. */
enum { CS_SHOWN_OFTEN = 3 };

/* Whether the bytes, from the first one of a capture on, are blocks of a DSTREAM unit: only without
 * the unit's bytes are there whole frames between full synchronisation packets, which is seen at
 * least so often, once or more (alignment.c). */
bool cs_is_blocked(const uint8_t *data, size_t size, size_t least);

/* How many bytes there are before the first whole frame, those of a DSTREAM unit not counted; false
 * where no full synchronisation packet tells it (alignment.c). */
bool cs_alignment(const uint8_t *data, size_t size, bool blocked, size_t *bytes);

/* Whether a full synchronisation packet begins the bytes. */
bool cs_is_full_sync(const uint8_t *data, size_t size);

/* --- stages --- */

/* Opens the stages; each is null when memory is out. The source becomes the first one's. */
struct assay_stage *cs_frames_open(const struct assay_decode_input *input, enum assay_error *error);
struct assay_history *cs_frames_history(struct assay_stage *stage);
struct assay_stage *cs_sources_open(struct assay_history *frames,
                                    const struct assay_parameter_values *parameters);

/* The bytes of each source, CS_IDS numbers. */
const uint64_t *cs_sources_bytes(const struct assay_stage *stage);

/* A frame as people read it: ids in brackets, and data (struct assay_format, describe). */
void cs_describe(const struct assay_event *event, char *out, size_t size);

extern const struct assay_decoder_ops cs_decoder_ops;
extern const struct assay_carrier_ops cs_carrier_ops;
extern const struct assay_encoder_ops cs_encoder_ops;
extern const struct assay_format assay_format_coresight;

/* The streams that a decoder has seen (decode.c). */
size_t cs_decoder_streams(const struct assay_decoder *decoder, const struct assay_carried **list);

#endif
