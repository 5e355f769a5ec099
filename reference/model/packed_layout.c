#include "model/packed_layout.h"

#include "model/layout_enum.h"
#include "model/packed_payload.h"

enum { CELLS = UINT8_MAX + 1 }; /* that a field of a layout can be in */

/* --- what decides --- */

static uint32_t step_of(const struct assay_packing *plan, struct assay_packed_operand operand)
{
    for (uint32_t n = 0; operand.source == ASSAY_PACKED_BY_FIELD && n < plan->count; n++) {
        if (plan->steps[n].field == &plan->kind->fields[operand.number]) {
            return UINT32_C(1) << n;
        }
    }
    return 0;
}

/* The steps whose values a term reads; null: none. */
static uint32_t steps_of(const struct assay_packing *plan, const struct assay_packed_term *term)
{
    return term == NULL ? 0
                        : step_of(plan, term->a) | step_of(plan, term->b) | step_of(plan, term->c);
}

static bool fits_layout(const struct assay_packing_step *step)
{
    return step->alone && step->cell < CELLS;
}

/* Notes a step that decides; false: there are too many bits. */
static bool add_deciding(struct assay_packed_layouts *layouts, uint32_t step, uint32_t at,
                         unsigned *bits)
{
    *bits += layouts->plan->steps[step].width;
    if (*bits > ASSAY_DECIDING_BITS) {
        return false;
    }
    layouts->deciding[layouts->deciding_count] = (uint8_t)step;
    layouts->deciding_at[layouts->deciding_count++] = (uint16_t)at;
    return true;
}

/* Finds the steps that decide, which are those before the first one that depends on any. */
static bool find_deciding(struct assay_packed_layouts *layouts)
{
    const struct assay_packing *plan = layouts->plan;
    uint32_t deciding = 0;
    uint32_t fields = 0;
    for (uint32_t n = 0; n < plan->count; n++) {
        const struct assay_packing_step *step = &plan->steps[n];
        deciding |= steps_of(plan, step->width_by) | steps_of(plan, step->present_by);
        fields += step->width > 0;
        if (!fits_layout(step)) {
            return false;
        }
    }
    uint32_t at = plan->first_bit;
    unsigned bits = 0;
    for (uint32_t n = 0; n < plan->count && deciding >> n != 0; n++) {
        const struct assay_packing_step *step = &plan->steps[n];
        const bool decides = (deciding >> n & 1) != 0 && step->width > 0;
        if (step->width_by != NULL || step->present_by != NULL ||
            (decides && !add_deciding(layouts, n, at, &bits))) {
            return false;
        }
        at += step->width;
    }
    return fields <= ASSAY_LAYOUT_FIELDS;
}

bool assay_packed_layouts_open(struct assay_packed_layouts *layouts,
                               const struct assay_packing *plan)
{
    layouts->plan = plan;
    layouts->known = 0;
    layouts->deciding_count = 0;
    if (plan->kind->presence == 0 || !find_deciding(layouts)) {
        layouts->plan = NULL;
    }
    return layouts->plan != NULL;
}

/* --- layouts --- */

/* The cells of an event with these values of the steps that decide, and nothing else. */
static void put_values(const struct assay_packed_layouts *layouts, uint32_t values, uint64_t *cells)
{
    for (uint32_t n = 0; n < layouts->deciding_count; n++) {
        const struct assay_packing_step *step = &layouts->plan->steps[layouts->deciding[n]];
        const uint64_t value =
            assay_packed_value(step, values & assay_mask(step->width), step->width);
        cells[step->cell] = (value & step->mask) << step->bit;
        values >>= step->width;
    }
}

static bool is_plain(const struct assay_packing_step *step, struct assay_packed_position position)
{
    return !step->is_signed && step->shift == 0 && step->bit == 0 &&
           position.bit % 8 + position.width <= 64;
}

static void add_field(struct assay_packed_layout *layout, const struct assay_packing_step *step,
                      struct assay_packed_position position)
{
    layout->fields[layout->count++] =
        (struct assay_layout_field){.mask = assay_mask(position.width),
                                    .byte = (uint8_t)(position.bit / 8),
                                    .bit = (uint8_t)(position.bit % 8),
                                    .width = (uint8_t)position.width,
                                    .cell = (uint8_t)step->cell,
                                    .to = step->bit,
                                    .room = (uint8_t)step->field->width,
                                    .shift = step->shift,
                                    .is_signed = step->is_signed};
}

/* The layout that the values of the steps that decide give. */
static void work_out(struct assay_packed_layouts *layouts, uint32_t values)
{
    const struct assay_packing *plan = layouts->plan;
    struct assay_packed_layout *layout = &layouts->list[values];
    struct assay_packed_position positions[ASSAY_MAX_PACKED_FIELDS];
    uint64_t cells[CELLS] = {0};
    put_values(layouts, values, cells);
    *layout = (struct assay_packed_layout){.bits = assay_packing_positions(plan, cells, positions)};
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t n = 0; n < plan->count; n++) {
            const struct assay_packing_step *step = &plan->steps[n];
            if (positions[n].width > 0 && is_plain(step, positions[n]) == (pass == 0)) {
                layout->presence |= UINT64_C(1) << n | (uint64_t)step->is_signed << (32 + n);
                add_field(layout, step, positions[n]);
            }
        }
        layout->plain = pass == 0 ? layout->count : layout->plain;
    }
    layouts->known |= UINT32_C(1) << values;
}

/* --- reading --- */

static inline void read_plain(const struct assay_layout_field *field, const uint8_t *payload,
                              uint64_t *cells)
{
    cells[field->cell] = assay_load64(payload + field->byte) >> field->bit & field->mask;
}

static inline void read_field(const struct assay_layout_field *field, const uint8_t *payload,
                              uint64_t *cells)
{
    const uint64_t low = assay_load64(payload + field->byte) >> field->bit;
    const uint64_t high = (uint64_t)payload[field->byte + 8] << 1 << (63 - field->bit);
    const uint64_t sign = (uint64_t)field->is_signed << (field->width - 1);
    const uint64_t value = ((((low | high) & field->mask) ^ sign) - sign) << field->shift;
    cells[field->cell] = (value & assay_mask(field->room)) << field->to;
}

uint32_t assay_packed_layouts_unpack(struct assay_packed_layouts *layouts, const uint8_t *bytes,
                                     size_t size, uint64_t *cells)
{
    const struct assay_packing *plan = layouts->plan;
    uint64_t words[ASSAY_PAYLOAD_WORDS];
    uint8_t payload[sizeof words];
    uint32_t values = 0;
    (void)assay_payload_load(plan, bytes, 8 * size, words);
    for (size_t n = 0; n < plan->most_bits / 64 + 2; n++) {
        assay_store64(payload + 8 * n, words[n]);
    }
    for (uint32_t n = layouts->deciding_count; n-- > 0;) {
        const unsigned width = plan->steps[layouts->deciding[n]].width;
        values =
            values << width | (uint32_t)assay_payload_bits(words, layouts->deciding_at[n], width);
    }
    if ((layouts->known >> values & 1) == 0) {
        work_out(layouts, values);
    }
    const struct assay_packed_layout *layout = &layouts->list[values];
    for (uint32_t n = 0; n < layout->plain; n++) {
        read_plain(&layout->fields[n], payload, cells);
    }
    for (uint32_t n = layout->plain; n < layout->count; n++) {
        read_field(&layout->fields[n], payload, cells);
    }
    cells[plan->kind->presence - 1] = layout->presence;
    cells[ASSAY_CELL_EXCESS] =
        assay_payload_is_padding(plan->kind, words, bytes, layout->bits, 8 * size)
            ? 0
            : 8 * size - layout->bits;
    return layout->bits;
}
