/* Payloads to cells and back: by the plans that are made of the table, and by what widths do not
 * say: the flags after an address, which mean something where they differ from the bit before them
 * (6.6.1 to 6.6.3). The cells have whether they do. */
#include <string.h>

#include "etrace/etrace.h"
#include "model/layout.h"

/* --- the kind --- */

/* Of format 0. Without a subformat the packet is of the one extension that there is (6.8.1). */
static enum etrace_kind extension_of(unsigned subformat, const uint64_t *layout,
                                     enum etrace_fault *fault)
{
    const bool counts = layout[ETRACE_BPRED_SIZE] > 0;
    const bool caches = layout[ETRACE_CACHE_SIZE] > 0;
    if (!counts && !caches) {
        *fault = ETRACE_FAULT_NO_FORMAT;
        return ETRACE_malformed;
    }
    if (layout[ETRACE_F0S_WIDTH] == 0) {
        return counts ? ETRACE_branch_count : ETRACE_jump_target;
    }
    if (subformat > 1) {
        *fault = ETRACE_FAULT_RESERVED_SUBFORMAT;
        return ETRACE_malformed;
    }
    return subformat == 0 ? ETRACE_branch_count : ETRACE_jump_target;
}

/* Unified and split accesses have some formats in common; an encoder has the one or the other
 * (7.1.1). */
static enum etrace_kind data_kind_of(const uint8_t *payload, const uint64_t *layout,
                                     enum etrace_fault *fault)
{
    const bool split = layout[ETRACE_DATA_SPLIT] != 0;
    const enum etrace_kind load = split ? ETRACE_load_request : ETRACE_data_access;
    const enum etrace_kind kinds[] = {load,
                                      load,
                                      ETRACE_data_access,
                                      ETRACE_data_access,
                                      split ? ETRACE_load_response : ETRACE_malformed,
                                      ETRACE_csr,
                                      split ? ETRACE_atomic_request : ETRACE_atomic,
                                      split ? ETRACE_atomic_response : ETRACE_malformed};
    if (layout[ETRACE_DATA_WIDTH] == 0 && layout[ETRACE_DADDRESS_WIDTH] == 0) {
        *fault = ETRACE_FAULT_NO_DATA_TRACE;
        return ETRACE_malformed;
    }
    *fault = ETRACE_FAULT_NO_DATA_FORMAT;
    return kinds[payload[0] & assay_mask((unsigned)layout[ETRACE_DATA_FORMAT_N])];
}

enum etrace_kind etrace_kind_of(bool of_data, const uint8_t *payload, const uint64_t *layout,
                                enum etrace_fault *fault)
{
    static const enum etrace_kind synchronisation[] = {ETRACE_start, ETRACE_exception,
                                                       ETRACE_context, ETRACE_support};
    const unsigned after = payload[0] >> 2;
    if (of_data) {
        return data_kind_of(payload, layout, fault);
    }
    switch (payload[0] & 3) {
    case 0:
        return extension_of(after & ((1u << layout[ETRACE_F0S_WIDTH]) - 1), layout, fault);
    case 1:
        return ETRACE_diff_delta;
    case 2:
        return ETRACE_addr_only;
    default:
        return synchronisation[after & 3];
    }
}

/* --- flags --- */

/* The flags of a kind that follow each other. */
struct chain {
    uint8_t flags[ETRACE_FLAGS_MOST]; /* cells; 0: no more */
    uint8_t irdepth;                  /* cell; 0: the kind has none */
};

#define ADDRESS_CHAIN(kind)                                                                        \
    {                                                                                              \
        .flags = {ETRACE_CELL_##kind##_notify, ETRACE_CELL_##kind##_updiscon,                      \
                  ETRACE_CELL_##kind##_irreport},                                                  \
        .irdepth = ETRACE_CELL_##kind##_irdepth                                                    \
    }

static const struct chain chains[ETRACE_PACKET_KINDS_END] = {
    [ETRACE_branch_count] = ADDRESS_CHAIN(branch_count),
    [ETRACE_diff_delta] = ADDRESS_CHAIN(diff_delta),
    [ETRACE_addr_only] = ADDRESS_CHAIN(addr_only),
    [ETRACE_jump_target] = {.flags = {ETRACE_CELL_jump_target_irreport},
                            .irdepth = ETRACE_CELL_jump_target_irdepth},
};

/* The bit before the first flag: the most significant one of the address or of the branch map. */
static uint64_t bit_before(enum etrace_kind kind, const uint64_t *cells, const uint64_t *layout)
{
    if (kind == ETRACE_jump_target) {
        const uint64_t branches = cells[ETRACE_CELL_jump_target_branches];
        const uint64_t width = etrace_map_width(branches, 0);
        return width == 0 ? 0 : cells[ETRACE_CELL_jump_target_branch_map] >> (width - 1) & 1;
    }
    const unsigned cell = kind == ETRACE_branch_count ? ETRACE_CELL_branch_count_address
                          : kind == ETRACE_diff_delta ? ETRACE_CELL_diff_delta_address
                                                      : ETRACE_CELL_addr_only_address;
    return cells[cell] >> (layout[ETRACE_IADDRESS_WIDTH] - 1) & 1;
}

/* From bits to whether they differ from the one before, or back. */
static void exchange(enum etrace_kind kind, const uint64_t *layout, uint64_t *cells, bool to_bits)
{
    const struct chain *chain = &chains[kind];
    if (chain->irdepth == 0) {
        return;
    }
    uint64_t before = bit_before(kind, cells, layout);
    uint64_t differs = 0;
    for (unsigned n = 0; n < ETRACE_FLAGS_MOST && chain->flags[n] != 0; n++) {
        const uint64_t was = cells[chain->flags[n]];
        const uint64_t is = was ^ before;
        cells[chain->flags[n]] = is;
        differs = to_bits ? was : is;
        before = to_bits ? is : was;
    }
    if (differs == 0 && before != 0) {
        cells[chain->irdepth] ^= assay_mask((unsigned)etrace_irdepth_width(
            layout[ETRACE_RETURN_STACK_SIZE], layout[ETRACE_CALL_COUNTER_SIZE], 0));
    }
}

/* --- payloads --- */

/* What of the cells widths do not say, when the payload was unpacked. */
static void finish(enum etrace_kind kind, const uint64_t *layout, uint32_t bits, size_t size,
                   uint64_t *cells)
{
    if (kind == ETRACE_start) {
        cells[ETRACE_CELL_start_extended] = bits > 8 * size ? bits - 8 * size : 0;
    }
    exchange(kind, layout, cells, false);
}

static uint32_t unpack(const struct assay_packing *plan, enum etrace_kind kind,
                       const uint8_t *payload, size_t size, uint64_t *cells)
{
    struct assay_unpacked unpacked;
    (void)assay_unpack(plan, payload, 8 * size, cells, &unpacked); /* never cut: it has a byte */
    cells[ASSAY_CELL_EXCESS] = unpacked.excess_is_padding ? 0 : unpacked.excess;
    finish(kind, plan->parameters, unpacked.bits, size, cells);
    return unpacked.bits;
}

uint32_t etrace_unpack(struct etrace_plans *plans, enum etrace_kind kind, const uint8_t *payload,
                       size_t size, uint64_t *cells)
{
    const struct assay_packing *plan = &plans->plan[kind];
    if ((unsigned)kind >= ETRACE_LAYOUTS_END || plans->layouts[kind].plan == NULL) {
        return unpack(plan, kind, payload, size, cells);
    }
    const uint32_t bits = assay_packed_layouts_unpack(&plans->layouts[kind], payload, size, cells);
    finish(kind, plan->parameters, bits, size, cells);
    return bits;
}

enum assay_error etrace_pack(const struct etrace_plans *plans, enum etrace_kind kind,
                             const uint64_t *cells, uint8_t payload[ETRACE_PACKED_MOST],
                             size_t *size, struct assay_diag *diag)
{
    const struct assay_packing *plan = &plans->plan[kind];
    struct assay_packed_length length = {0, 0};
    uint64_t bits[ETRACE_PACKET_CELLS];
    memcpy(bits, cells, sizeof bits);
    memset(&bits[ETRACE_HEAD_CELL], 0, ETRACE_HEAD_CELLS * sizeof *bits);
    exchange(kind, plan->parameters, bits, true);
    const enum assay_error error =
        assay_pack(plan, bits, true, payload, ETRACE_PACKED_MOST, &length, diag);
    *size = length.bytes;
    return error;
}

/* --- places --- */

/* Whether the fields of a payload have the values of an event. */
static bool agrees(const struct assay_packing *plan, const struct assay_event *event,
                   const uint8_t *payload, size_t size,
                   const struct assay_packed_position places[ASSAY_MAX_PACKED_FIELDS])
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    const struct assay_event read = {.cells = cells, .kind = event->kind};
    if (size == 0) {
        return false;
    }
    (void)unpack(plan, (enum etrace_kind)event->kind, payload, size, cells);
    for (uint32_t n = 0; n < plan->count; n++) {
        const struct assay_field *field = plan->steps[n].field;
        if (places[n].width > 0 && assay_field_get(field, &read) != assay_field_get(field, event)) {
            return false;
        }
    }
    return true;
}

/* The first bit of the payload in the packet: after the header of the container, and perhaps after
 * bits of it that its length counts; 0 where it is not known. */
static uint32_t payload_bit(const struct assay_packing *plan, const struct assay_event *event,
                            const struct assay_packed_position places[ASSAY_MAX_PACKED_FIELDS])
{
    const uint64_t *layout = plan->parameters;
    const unsigned lead = (unsigned)(layout[ETRACE_SOURCE_WIDTH] % 8 + layout[ETRACE_TYPE_WIDTH]);
    const struct {
        unsigned lead, pad;
    } ways[] = {{0, 0}, {lead, (8 - lead % 8) % 8}, {lead, 0}};
    const uint64_t length = event->cells[ETRACE_LENGTH_CELL];
    uint8_t room[ETRACE_PAYLOAD_MOST];
    const uint8_t *payload = NULL;
    for (size_t i = 0; i < ASSAY_COUNT(ways) && length < event->bits / 8 && length < sizeof room;
         i++) {
        const struct etrace_header header = {.length = (size_t)length,
                                             .size = (size_t)(event->bits / 8 - length),
                                             .lead = ways[i].lead,
                                             .pad = ways[i].pad};
        const size_t size = etrace_payload_read(&header, event->bytes, room, &payload);
        if (agrees(plan, event, payload, size, places)) {
            return 8 * (uint32_t)header.size + header.lead;
        }
    }
    return 0;
}

size_t etrace_pieces(const struct assay_event *event,
                     const struct assay_parameter_values *parameters, struct assay_bit_piece *list,
                     size_t room)
{
    struct assay_packing plan;
    struct assay_packed_position places[ASSAY_MAX_PACKED_FIELDS];
    uint64_t layout[ETRACE_PARAMETER_COUNT];
    size_t count = 0;
    etrace_layout(parameters, layout);
    if (event->kind < ASSAY_KIND_FIRST || event->kind >= ETRACE_PACKET_KINDS_END ||
        assay_packing_plan(&assay_format_etrace.kinds[event->kind], layout, ETRACE_PARAMETER_COUNT,
                           &plan, NULL) != ASSAY_OK) {
        return 0;
    }
    (void)assay_packing_positions(&plan, event->cells, places);
    const uint32_t first = payload_bit(&plan, event, places);
    for (uint32_t n = 0; first > 0 && n < plan.count; n++) {
        if (places[n].width > 0 && count < room) {
            list[count++] = (struct assay_bit_piece){.field = plan.steps[n].field,
                                                     .bit = first + places[n].bit,
                                                     .width = places[n].width};
        }
    }
    return count;
}
