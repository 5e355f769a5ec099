/* Layouts of packed fields, for a fast path. A plan (packed.h) says what the width and the presence
 * of a field depend on, event by event. Where all that is few bits at a constant place of the
 * payload, such as a number of branches, there are few layouts by their value, and in each of them
 * every field is at a constant bit. A layout is worked out for the first event that has it; others
 * are unpacked without asking what a field depends on.
 */
#ifndef ASSAY_COMMON_PACKED_LAYOUT_H
#define ASSAY_COMMON_PACKED_LAYOUT_H

#include "model/packed.h"

/* The bits that decide, at the most; the layouts that they can give; the fields of one. */
enum {
    ASSAY_DECIDING_BITS = 5,
    ASSAY_LAYOUTS = 1 << ASSAY_DECIDING_BITS,
    ASSAY_LAYOUT_FIELDS = 16
};

/* A field that has bits in a layout. */
struct assay_layout_field {
    uint64_t mask;     /* of `width` bits */
    uint8_t byte, bit; /* of the payload, where it begins: a bit of a byte */
    uint8_t width;     /* of its bits there */
    uint8_t cell, to;  /* where the value begins */
    uint8_t room;      /* the width that a value can have in the cell */
    uint8_t shift;
    bool is_signed;
};

struct assay_packed_layout {
    uint64_t presence; /* of its events, as ASSAY_CELL_PRESENCE has it */
    uint32_t bits;     /* of the event */
    uint32_t plain; /* fields that are their cells as they are, and lie in 64 bits from a byte on */
    uint32_t count; /* of `fields`, the plain ones first */
    struct assay_layout_field fields[ASSAY_LAYOUT_FIELDS];
};

/* Owned by the caller, without memory of its own. */
struct assay_packed_layouts {
    const struct assay_packing *plan; /* null: the plan has no layouts */
    uint32_t known;                   /* bit n: layout n is worked out */
    uint32_t deciding_count;
    uint8_t deciding[ASSAY_DECIDING_BITS];          /* steps of the plan, whose values decide */
    uint16_t deciding_at[ASSAY_DECIDING_BITS];      /* the first bit of each in the payload */
    struct assay_packed_layout list[ASSAY_LAYOUTS]; /* by the values, the first one lowest */
};

/* Prepares the layouts of a plan, which must outlive them; they are to be prepared again when it is
 * made again. False, and `plan` is null, where there are none: too many bits decide, or lie where
 * something else decides; a field shares its cell; the kind notes no presence, or has too many
 * fields. */
bool assay_packed_layouts_open(struct assay_packed_layouts *layouts,
                               const struct assay_packing *plan);

/* Reads the packed fields of an event into its cells, as assay_unpack does, and what
 * assay_unpack_event notes. The payload is not empty, and the cells of fields are 0 before. Returns
 * the bits of the event by its layout, which can be more or fewer than the payload has. */
uint32_t assay_packed_layouts_unpack(struct assay_packed_layouts *layouts, const uint8_t *bytes,
                                     size_t size, uint64_t *cells);

#endif
