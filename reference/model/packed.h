/* Packed fields: consecutive bit fields whose widths and presence depend on the stream's parameters
 * and on earlier fields. A kind's table gives for each PACKED field its width, whether it is
 * present, whether it is signed, and how many low bits of it are omitted. A plan (`struct
 * assay_packing`) is made once from the table and a stream's parameters; decoder, encoder, dumper
 * and mutators all use it.
 *
 * The packed fields of a kind follow its AT_BIT fields in table order, starting at the first bit of
 * the event's bytes that none of these covers, least significant bit first. A cell of the event
 * holds each value in the form in which users read it:
 *  - with a shift, the bits that were left out are there again, as zeros: an address is an address;
 *  - with a sign, it is a two's complement number as wide as `width` of the field says, so one
 *    of 64 bits is an int64_t;
 *  - a field that is absent, or has no bits under the parameters, holds 0.
 */
#ifndef ASSAY_COMMON_PACKED_H
#define ASSAY_COMMON_PACKED_H

#include "model/model.h"

/* --- the tables --- */

enum assay_packed_source {
    ASSAY_PACKED_BY_NUMBER,    /* `number` itself */
    ASSAY_PACKED_BY_PARAMETER, /* the stream's parameter with this number */
    ASSAY_PACKED_BY_FIELD      /* the value of the kind's field with this number: a PACKED
                                field, not CONSTANT, before the one whose layout uses it */
};

struct assay_packed_operand {
    uint16_t source; /* enum assay_packed_source */
    uint16_t number;
};

#define ASSAY_BY_NUMBER(n)                                                                         \
    {                                                                                              \
        ASSAY_PACKED_BY_NUMBER, n                                                                  \
    }
#define ASSAY_BY_PARAMETER(n)                                                                      \
    {                                                                                              \
        ASSAY_PACKED_BY_PARAMETER, n                                                               \
    }
#define ASSAY_BY_FIELD(n)                                                                          \
    {                                                                                              \
        ASSAY_PACKED_BY_FIELD, n                                                                   \
    }

enum assay_packed_op {
    ASSAY_PACKED_DEFAULT,  /* the default of the member */
    ASSAY_PACKED_VALUE,    /* a */
    ASSAY_PACKED_MINUS,    /* a - b, 0 when b is more */
    ASSAY_PACKED_EQUAL,    /* 1 when a == b, else 0 */
    ASSAY_PACKED_UNEQUAL,  /* 1 when a != b, else 0 */
    ASSAY_PACKED_AT_LEAST, /* 1 when a >= b, else 0 */
    ASSAY_PACKED_CALL      /* call(a, b, c) */
};

/* A number that a layout depends on. */
struct assay_packed_term {
    enum assay_packed_op op;
    struct assay_packed_operand a;
    struct assay_packed_operand b;
    struct assay_packed_operand c;
    uint64_t (*call)(uint64_t a, uint64_t b, uint64_t c); /* pure */
};

/* The layout of a PACKED field: field->packed. One without is `width` bits, always present. */
struct assay_packed {
    struct assay_packed_term
        width; /* in bits; default: the field's. A width that depends on fields is limited to the
                  field's; one that does not is refused if it is greater */
    struct assay_packed_term present; /* 0: the field is absent; default: present */
    struct assay_packed_term sign;    /* not 0: sign-extended; default: zero-extended. Depends on
                                         numbers and parameters only */
    struct assay_packed_term shift; /* how many low bits, all 0, are omitted; default: none. Depends
                                       on numbers and parameters only */
};

/* --- the plan --- */

enum { ASSAY_MAX_PACKED_FIELDS = 32, ASSAY_MAX_PACKED_BITS = 1024 };

/* One packed field as the parameters make it. */
struct assay_packing_step {
    const struct assay_field *field;
    uint64_t mask; /* of the field's width */
    uint16_t cell; /* of the value */
    uint8_t bit;   /* first bit of the value in the cell */
    uint8_t width; /* in effect, 0 when absent; in one that varies: the most it can be */
    uint8_t shift;
    bool is_signed;
    bool alone; /* no other field is in its cell */
    const struct assay_packed_term
        *width_by; /* when the width depends on fields before it, else null */
    const struct assay_packed_term
        *present_by; /* when the presence depends on fields before it, else null */
    bool with_last;  /* present when the step before it is: both depend on the same */
};

/* A plan. Owned by the caller, without memory of its own. It refers to the kind and the parameters,
 * which must outlive it; when a parameter changes, the plan must be made again. */
struct assay_packing {
    const struct assay_kind *kind;
    const uint64_t *parameters;
    uint32_t first_bit; /* of the first packed field in the event's bytes */
    uint32_t most_bits; /* of the event, with all fields present and as wide as they can be */
    uint32_t count;     /* of `steps` */
    uint32_t is_signed; /* bit n: step n is */
    struct assay_packing_step steps[ASSAY_MAX_PACKED_FIELDS];
};

/* Makes a plan. ASSAY_OUT_OF_RANGE when parameters make a field wider than its table allows or
 * shift out all of its bits, or when the table refers to a parameter that does not exist;
 * ASSAY_LIMIT when the kind has more fields or bits than the limits above; ASSAY_INTERNAL when the
 * table contradicts itself. The message names the field. */
enum assay_error assay_packing_plan(const struct assay_kind *kind, const uint64_t *parameters,
                                    size_t parameter_count, struct assay_packing *plan,
                                    struct assay_diag *diag);

/* Plans of the kinds from `first` to before `end`, each at its number. The first error ends it. */
enum assay_error assay_packing_plans(const struct assay_kind *kinds, size_t first, size_t end,
                                     const uint64_t *parameters, size_t parameter_count,
                                     struct assay_packing *plans, struct assay_diag *diag);

struct assay_parameter_values;

/* Records that events of a kind depend on the parameters that its table names
 * (assay_parameter_use). A decoder calls it for the kinds that occur. */
void assay_packing_use(const struct assay_kind *kind, struct assay_parameter_values *values);

/* --- reading --- */

/* The result of unpacking. Bit n of a set stands for the n-th PACKED field of the kind. */
struct assay_unpacked {
    uint32_t bits;          /* of the event by its layout, the AT_BIT fields included */
    uint32_t real_bits;     /* of these, how many the payload held */
    uint32_t present;       /* fields that are present by their layout and have bits */
    uint32_t cut;           /* present fields of which the payload does not hold all bits */
    uint64_t excess;        /* bits of the payload after the last field */
    bool excess_is_padding; /* all of these are padding: copies of the last bit in a kind that is
                               sign-compressed, else 0; true when there are none */
};

/* Reads the packed fields of an event into its cells. Other fields in these cells stay unchanged;
 * in a cell that has no other one the bits beyond the field become 0. Bits beyond the end of the
 * payload are read as copies of its last bit when the kind is sign-compressed; otherwise as 0, and
 * ASSAY_TRUNCATED is returned when a field has such a bit. An empty payload is ASSAY_TRUNCATED,
 * too. All results are set even then. */
enum assay_error assay_unpack(const struct assay_packing *plan, const uint8_t *bytes,
                              uint64_t payload_bits, uint64_t *cells,
                              struct assay_unpacked *unpacked);

/* The same for an event whose kind notes which fields are there in ASSAY_CELL_PRESENCE: it also
 * notes in ASSAY_CELL_EXCESS the bits after the last field that are no padding. */
enum assay_error assay_unpack_event(const struct assay_packing *plan,
                                    const struct assay_event *event, uint64_t *cells);

/* Of a kind that notes them (kind->presence): whether the field is there in an event, and whether
 * its value has a sign. A field that is not packed, or of a kind that notes nothing, is present and
 * has none. */
bool assay_field_present(const struct assay_kind *kind, const struct assay_field *field,
                         const struct assay_event *event);
bool assay_field_signed(const struct assay_kind *kind, const struct assay_field *field,
                        const struct assay_event *event);

/* Whether a field's value is negative; *magnitude is its absolute value. The field is not of type
 * BYTES. */
bool assay_field_negative(const struct assay_kind *kind, const struct assay_field *field,
                          const struct assay_event *event, uint64_t *magnitude);

/* --- writing --- */

struct assay_packed_length {
    uint32_t bits;  /* of the layout */
    uint32_t bytes; /* of the payload: padded, and cut when that was asked for */
};

/* Writes the packed fields of an event from its cells after the AT_BIT fields, which are in `bytes`
 * already. CONSTANT fields get their value whatever the cells hold. The last byte is padded with
 * copies of the last bit when the kind is sign-compressed, else with 0. With `compress`, trailing
 * bytes that sign extension restores are omitted, down to one byte.
 *
 * ASSAY_OUT_OF_RANGE when a value does not fit: it has more bits than the field, bits that the
 * shift would drop are not 0, or the field is absent and the value is not 0; the message names
 * kind, field, value and width. ASSAY_LIMIT when `size` is less than the uncompressed event (at
 * most plan->most_bits). */
enum assay_error assay_pack(const struct assay_packing *plan, const uint64_t *cells, bool compress,
                            uint8_t *bytes, size_t size, struct assay_packed_length *length,
                            struct assay_diag *diag);

/* How many of `size` bytes remain when trailing bytes that sign extension restores are dropped; 0
 * only if `size` is 0. */
size_t assay_sign_compressed(const uint8_t *bytes, size_t size);

/* --- positions --- */

struct assay_packed_position {
    uint32_t bit;   /* in the event's bytes */
    uint32_t width; /* 0: absent */
};

/* Finds the packed fields in an event with these cells: positions[n] is the position of the n-th
 * one, n < plan->count. For code that changes or shows single bits. Returns the length of the
 * layout in bits. */
uint32_t assay_packing_positions(const struct assay_packing *plan, const uint64_t *cells,
                                 struct assay_packed_position places[ASSAY_MAX_PACKED_FIELDS]);

#endif
