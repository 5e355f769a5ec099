#include "model/packed.h"

#include <stdio.h>

#include "model/layout_enum.h"
#include "model/packed_payload.h"

/* --- terms --- */

static uint64_t operand_value(const struct assay_packing *plan, struct assay_packed_operand operand,
                              const uint64_t *cells)
{
    if (operand.source == ASSAY_PACKED_BY_NUMBER) {
        return operand.number;
    }
    if (operand.source == ASSAY_PACKED_BY_PARAMETER) {
        return plan->parameters[operand.number];
    }
    const struct assay_field *field = &plan->kind->fields[operand.number];
    return (cells[field->bit >> 6] >> (field->bit & 63)) & assay_mask(field->width);
}

/* The value of a term; `cells` may be null for one without operands that are fields. */
static uint64_t term_value(const struct assay_packing *plan, const struct assay_packed_term *term,
                           const uint64_t *cells, uint64_t fallback)
{
    if (term->op == ASSAY_PACKED_DEFAULT) {
        return fallback;
    }
    const uint64_t a = operand_value(plan, term->a, cells);
    const uint64_t b = operand_value(plan, term->b, cells);
    switch (term->op) {
    case ASSAY_PACKED_MINUS:
        return a > b ? a - b : 0;
    case ASSAY_PACKED_EQUAL:
        return a == b;
    case ASSAY_PACKED_UNEQUAL:
        return a != b;
    case ASSAY_PACKED_AT_LEAST:
        return a >= b;
    case ASSAY_PACKED_CALL:
        return term->call(a, b, operand_value(plan, term->c, cells));
    default:
        return a;
    }
}

static bool uses_fields(const struct assay_packed_term *term)
{
    return term->op != ASSAY_PACKED_DEFAULT &&
           (term->a.source == ASSAY_PACKED_BY_FIELD || term->b.source == ASSAY_PACKED_BY_FIELD ||
            term->c.source == ASSAY_PACKED_BY_FIELD);
}

/* --- the plan --- */

struct planning {
    struct assay_packing *plan;
    size_t parameter_count;
    const struct assay_field *field;
    struct assay_diag *diag;
};

static enum assay_error refuse(const struct planning *p, enum assay_error error, const char *what)
{
    return assay_fail(p->diag, error, ASSAY_NO_OFFSET, "%s.%s: %s", p->plan->kind->name,
                      p->field->name, what);
}

static enum assay_error check_operand(const struct planning *p, struct assay_packed_operand operand,
                                      bool may_be_field)
{
    const struct assay_field *fields = p->plan->kind->fields;
    switch (operand.source) {
    case ASSAY_PACKED_BY_NUMBER:
        return ASSAY_OK;
    case ASSAY_PACKED_BY_PARAMETER:
        return operand.number < p->parameter_count
                   ? ASSAY_OK
                   : refuse(p, ASSAY_OUT_OF_RANGE,
                            "its layout needs a parameter that is not given");
    case ASSAY_PACKED_BY_FIELD:
        if (!may_be_field || operand.number >= p->field - fields ||
            fields[operand.number].place != ASSAY_PACKED ||
            (fields[operand.number].flags & ASSAY_CONSTANT) != 0) {
            return refuse(p, ASSAY_INTERNAL, "its layout depends on a field that cannot be used");
        }
        return ASSAY_OK;
    default:
        return refuse(p, ASSAY_INTERNAL, "its layout has an operand of an unknown kind");
    }
}

static enum assay_error check_term(const struct planning *p, const struct assay_packed_term *term,
                                   bool may_use_fields)
{
    if (term->op > ASSAY_PACKED_CALL || (term->op == ASSAY_PACKED_CALL && term->call == NULL)) {
        return refuse(p, ASSAY_INTERNAL, "its layout has a term without a meaning");
    }
    enum assay_error error = check_operand(p, term->a, may_use_fields);
    error = error != ASSAY_OK ? error : check_operand(p, term->b, may_use_fields);
    return error != ASSAY_OK ? error : check_operand(p, term->c, may_use_fields);
}

static enum assay_error check_field(const struct planning *p, const struct assay_packed *packed)
{
    const struct assay_field *field = p->field;
    if (p->plan->count == ASSAY_MAX_PACKED_FIELDS) {
        return refuse(p, ASSAY_LIMIT, "the kind has too many packed fields");
    }
    if (field->type == ASSAY_BYTES || field->width == 0 || (field->bit & 63) + field->width > 64) {
        return refuse(p, ASSAY_INTERNAL, "a packed field is a number within one cell");
    }
    enum assay_error error = check_term(p, &packed->width, true);
    error = error != ASSAY_OK ? error : check_term(p, &packed->present, true);
    error = error != ASSAY_OK ? error : check_term(p, &packed->sign, false);
    return error != ASSAY_OK ? error : check_term(p, &packed->shift, false);
}

static bool same_operand(struct assay_packed_operand a, struct assay_packed_operand b)
{
    return a.source == b.source && a.number == b.number;
}

static bool same_term(const struct assay_packed_term *a, const struct assay_packed_term *b)
{
    return a != NULL && b != NULL && a->op == b->op && a->call == b->call &&
           same_operand(a->a, b->a) && same_operand(a->b, b->b) && same_operand(a->c, b->c);
}

/* Whether the cell of a field has no other one. */
static bool is_alone(const struct assay_kind *kind, const struct assay_field *field)
{
    size_t others = 0;
    for (size_t i = 0; i < kind->field_count; i++) {
        others += &kind->fields[i] != field && kind->fields[i].type != ASSAY_BYTES &&
                  kind->fields[i].bit >> 6 == field->bit >> 6;
    }
    return others == 0;
}

static enum assay_error plan_field(struct planning *p)
{
    static const struct assay_packed nothing_said;
    struct assay_packing *plan = p->plan;
    const struct assay_field *field = p->field;
    const struct assay_packed *packed = field->packed != NULL ? field->packed : &nothing_said;
    const enum assay_error error = check_field(p, packed);
    if (error != ASSAY_OK) {
        return error;
    }
    const uint64_t shift = term_value(plan, &packed->shift, NULL, 0);
    if (shift >= field->width) {
        return refuse(p, ASSAY_OUT_OF_RANGE, "the parameters leave out all of its bits");
    }
    const uint64_t capacity = field->width - shift;
    const bool width_varies = uses_fields(&packed->width);
    const bool presence_varies = uses_fields(&packed->present);
    uint64_t width = width_varies ? capacity : term_value(plan, &packed->width, NULL, capacity);
    if (width > capacity) {
        return refuse(p, ASSAY_OUT_OF_RANGE, "the parameters make it wider than the format allows");
    }
    if (!presence_varies && term_value(plan, &packed->present, NULL, 1) == 0) {
        width = 0;
    }
    if (width > ASSAY_MAX_PACKED_BITS - plan->most_bits) {
        return refuse(p, ASSAY_LIMIT, "the kind has too many bits");
    }
    const bool is_signed = term_value(plan, &packed->sign, NULL, 0) != 0;
    plan->is_signed |= (uint32_t)is_signed << plan->count;
    plan->most_bits += (uint32_t)width;
    plan->steps[plan->count] = (struct assay_packing_step){
        .field = field,
        .mask = assay_mask(field->width),
        .cell = field->bit >> 6,
        .bit = field->bit & 63,
        .width = (uint8_t)width,
        .shift = (uint8_t)shift,
        .is_signed = is_signed,
        .alone = is_alone(plan->kind, field),
        .width_by = width > 0 && width_varies ? &packed->width : NULL,
        .present_by = width > 0 && presence_varies ? &packed->present : NULL,
    };
    plan->steps[plan->count].with_last =
        plan->count > 0 &&
        same_term(plan->steps[plan->count].present_by, plan->steps[plan->count - 1].present_by);
    plan->count++;
    return ASSAY_OK;
}

enum assay_error assay_packing_plan(const struct assay_kind *kind, const uint64_t *parameters,
                                    size_t parameter_count, struct assay_packing *plan,
                                    struct assay_diag *diag)
{
    *plan = (struct assay_packing){.kind = kind, .parameters = parameters};
    struct planning p = {.plan = plan, .parameter_count = parameter_count, .diag = diag};
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct assay_field *field = &kind->fields[i];
        const uint32_t end = (uint32_t)field->bit + field->width;
        p.field = field;
        if (field->place == ASSAY_TAIL) {
            return refuse(&p, ASSAY_INTERNAL, "a kind has packed fields or a tail");
        }
        plan->first_bit =
            field->place == ASSAY_AT_BIT && end > plan->first_bit ? end : plan->first_bit;
        if (plan->first_bit > ASSAY_MAX_PACKED_BITS) {
            return refuse(&p, ASSAY_LIMIT, "the kind has too many bits");
        }
    }
    plan->most_bits = plan->first_bit;
    for (size_t i = 0; i < kind->field_count; i++) {
        p.field = &kind->fields[i];
        const enum assay_error error = p.field->place == ASSAY_PACKED ? plan_field(&p) : ASSAY_OK;
        if (error != ASSAY_OK) {
            return error;
        }
    }
    return ASSAY_OK;
}

enum assay_error assay_packing_plans(const struct assay_kind *kinds, size_t first, size_t end,
                                     const uint64_t *parameters, size_t parameter_count,
                                     struct assay_packing *plans, struct assay_diag *diag)
{
    enum assay_error error = ASSAY_OK;
    for (size_t k = first; k < end && error == ASSAY_OK; k++) {
        error = assay_packing_plan(&kinds[k], parameters, parameter_count, &plans[k], diag);
    }
    return error;
}

/* The width in effect of a step, when the cells hold the fields before it. *there, which the steps
 * of a kind hand on, is whether the condition of the last one with a condition held. */
static inline unsigned width_of(const struct assay_packing *plan,
                                const struct assay_packing_step *step, const uint64_t *cells,
                                bool *there)
{
    if (step->present_by != NULL) {
        *there = step->with_last ? *there : term_value(plan, step->present_by, cells, 1) != 0;
        if (!*there) {
            return 0;
        }
    }
    if (step->width_by == NULL) {
        return step->width;
    }
    const uint64_t width = term_value(plan, step->width_by, cells, 0);
    return width < step->width ? (unsigned)width : step->width;
}

/* --- reading --- */

static inline void store_value(const struct assay_packing_step *step, uint64_t value,
                               uint64_t *cells)
{
    uint64_t *cell = &cells[step->cell];
    if (step->alone) { /* no wait for what was stored there */
        *cell = (value & step->mask) << step->bit;
        return;
    }
    *cell = (*cell & ~(step->mask << step->bit)) | (value & step->mask) << step->bit;
}

enum assay_error assay_unpack(const struct assay_packing *plan, const uint8_t *bytes,
                              uint64_t payload_bits, uint64_t *cells,
                              struct assay_unpacked *unpacked)
{
    uint64_t payload[ASSAY_PAYLOAD_WORDS];
    const bool extends = assay_payload_load(plan, bytes, payload_bits, payload);
    uint64_t at = plan->first_bit;
    uint32_t present = 0;
    uint32_t cut = 0;
    bool there = true;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct assay_packing_step *step = &plan->steps[i];
        if (step->width == 0) {
            store_value(step, 0, cells);
            continue;
        }
        const unsigned width = width_of(plan, step, cells, &there);
        store_value(step, assay_packed_value(step, assay_payload_bits(payload, at, width), width),
                    cells);
        at += width;
        present |= (uint32_t)(width > 0) << i;
        cut |= (uint32_t)(width > 0 && at > payload_bits) << i;
    }
    if (plan->kind->presence != 0) {
        cells[plan->kind->presence - 1] = present | (uint64_t)(present & plan->is_signed) << 32;
    }
    *unpacked = (struct assay_unpacked){
        .bits = (uint32_t)at,
        .real_bits = (uint32_t)(at < payload_bits ? at : payload_bits),
        .present = present,
        .cut = cut,
        .excess = payload_bits > at ? payload_bits - at : 0,
        .excess_is_padding = assay_payload_is_padding(plan->kind, payload, bytes, at, payload_bits),
    };
    return payload_bits == 0 || (!extends && payload_bits < at) ? ASSAY_TRUNCATED : ASSAY_OK;
}

enum assay_error assay_unpack_event(const struct assay_packing *plan,
                                    const struct assay_event *event, uint64_t *cells)
{
    struct assay_unpacked unpacked;
    const enum assay_error error = assay_unpack(plan, event->bytes, event->bits, cells, &unpacked);
    cells[ASSAY_CELL_EXCESS] = unpacked.excess_is_padding ? 0 : unpacked.excess;
    return error;
}

/* Which of the kind's packed fields it is; the kind's field count when it is none. */
static size_t packed_number(const struct assay_kind *kind, const struct assay_field *field)
{
    size_t number = 0;
    for (const struct assay_field *f = kind->fields; f != field; f++) {
        number += f->place == ASSAY_PACKED;
    }
    return number;
}

bool assay_field_present(const struct assay_kind *kind, const struct assay_field *field,
                         const struct assay_event *event)
{
    return kind->presence == 0 || field->place != ASSAY_PACKED ||
           (event->cells[kind->presence - 1] >> packed_number(kind, field) & 1) != 0;
}

bool assay_field_signed(const struct assay_kind *kind, const struct assay_field *field,
                        const struct assay_event *event)
{
    return kind->presence != 0 && field->place == ASSAY_PACKED &&
           (event->cells[kind->presence - 1] >> (32 + packed_number(kind, field)) & 1) != 0;
}

bool assay_field_negative(const struct assay_kind *kind, const struct assay_field *field,
                          const struct assay_event *event, uint64_t *magnitude)
{
    const uint64_t value = assay_field_get(field, event);
    const uint64_t mask = assay_mask(field->width);
    const bool negative = value > mask >> 1 && assay_field_signed(kind, field, event);
    *magnitude = negative ? (0 - value) & mask : value;
    return negative;
}

/* --- writing --- */

static enum assay_error misfit(const struct assay_packing *plan,
                               const struct assay_packing_step *step, uint64_t value,
                               unsigned width, struct assay_diag *diag)
{
    char why[64] = "the field is absent here";
    const bool negative = step->is_signed && value > step->mask >> 1;
    if (width > 0 && (value & assay_mask(step->shift)) != 0) {
        snprintf(why, sizeof why, "its low bits, %u, are left out", step->shift);
    } else if (width > 0) {
        snprintf(why, sizeof why, "its width is %u%s", width,
                 step->is_signed ? ", with the sign" : "");
    }
    return assay_fail(diag, ASSAY_OUT_OF_RANGE, ASSAY_NO_OFFSET, "%s0x%llx does not fit %s.%s: %s",
                      negative ? "-" : "",
                      (unsigned long long)(negative ? (0 - value) & step->mask : value),
                      plan->kind->name, step->field->name, why);
}

static enum assay_error pack_step(const struct assay_packing *plan,
                                  const struct assay_packing_step *step, const uint64_t *cells,
                                  struct assay_packed_position place, uint8_t *bytes,
                                  struct assay_diag *diag)
{
    const struct assay_field *field = step->field;
    const unsigned width = place.width;
    const bool constant = (field->flags & ASSAY_CONSTANT) != 0;
    if (constant && width == 0) {
        return ASSAY_OK;
    }
    const uint64_t held = constant ? field->value : (cells[step->cell] >> step->bit) & step->mask;
    const uint64_t packed = (held >> step->shift) & assay_mask(width);
    if ((assay_packed_value(step, packed, width) & step->mask) != held) {
        return misfit(plan, step, held, width, diag);
    }
    assay_store_bits(bytes, place.bit, width, packed);
    return ASSAY_OK;
}

size_t assay_sign_compressed(const uint8_t *bytes, size_t size)
{
    while (size > 1 && bytes[size - 1] == ((bytes[size - 2] & 0x80) != 0 ? 0xff : 0)) {
        size--;
    }
    return size;
}

enum assay_error assay_pack(const struct assay_packing *plan, const uint64_t *cells, bool compress,
                            uint8_t *bytes, size_t size, struct assay_packed_length *length,
                            struct assay_diag *diag)
{
    struct assay_packed_position places[ASSAY_MAX_PACKED_FIELDS];
    const uint32_t bits = assay_packing_positions(plan, cells, places);
    const uint32_t full = (bits + 7) / 8;
    if (full > size) {
        return assay_fail(diag, ASSAY_LIMIT, ASSAY_NO_OFFSET, "%s takes %u bytes, there are %zu",
                          plan->kind->name, full, size);
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        const enum assay_error error =
            pack_step(plan, &plan->steps[i], cells, places[i], bytes, diag);
        if (error != ASSAY_OK) {
            return error;
        }
    }
    const bool extends = plan->kind->sign_compressed && bits > 0;
    assay_store_bits(bytes, bits, 8 * full - bits, extends ? assay_payload_sign(bytes, bits) : 0);
    length->bits = bits;
    length->bytes = extends && compress ? (uint32_t)assay_sign_compressed(bytes, full) : full;
    return ASSAY_OK;
}

/* --- positions --- */

uint32_t assay_packing_positions(const struct assay_packing *plan, const uint64_t *cells,
                                 struct assay_packed_position places[ASSAY_MAX_PACKED_FIELDS])
{
    uint32_t at = plan->first_bit;
    bool there = true;
    for (uint32_t i = 0; i < plan->count; i++) {
        const uint32_t width = width_of(plan, &plan->steps[i], cells, &there);
        places[i] = (struct assay_packed_position){.bit = at, .width = width};
        at += width;
    }
    return at;
}
