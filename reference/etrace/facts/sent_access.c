#include "etrace/facts/sent_access.h"

#include "etrace/etrace.h"

/* Cells of what a packet says of its access; 0: it does not. */
struct shape {
    uint8_t type;
    uint8_t format, operation, index, bytes, resp;
    uint8_t location, location_known, value, value_known, operand, has_operand;
    bool request, responds;
};

#define CELL(kind, name) .name = ETRACE_CELL_##kind##_##name
#define AT(kind)         CELL(kind, bytes), CELL(kind, location), CELL(kind, location_known)
#define HOLDS(kind)      CELL(kind, value), CELL(kind, value_known)
#define OPERATES(kind)                                                                             \
    .operation = ETRACE_CELL_##kind##_subtype, .operand = ETRACE_CELL_##kind##_operand_value,      \
    .has_operand = ETRACE_NUMBER_##kind##_operand

static const struct shape shapes[ETRACE_PACKET_KINDS_END] = {
    [ETRACE_data_access] = {ETRACE_ACCESS_LOAD, CELL(data_access, format), AT(data_access),
                            HOLDS(data_access)},
    [ETRACE_load_request] = {ETRACE_ACCESS_LOAD, CELL(load_request, index), AT(load_request),
                             .request = true},
    [ETRACE_load_response] = {ETRACE_ACCESS_LOAD, CELL(load_response, index), AT(load_response),
                              HOLDS(load_response), CELL(load_response, resp), .responds = true},
    [ETRACE_csr] = {ETRACE_ACCESS_CSR, .location = ETRACE_CELL_csr_number,
                    .location_known = ETRACE_CELL_csr_number_known, HOLDS(csr), OPERATES(csr)},
    [ETRACE_atomic] = {ETRACE_ACCESS_ATOMIC, AT(atomic), HOLDS(atomic), OPERATES(atomic)},
    [ETRACE_atomic_request] = {ETRACE_ACCESS_ATOMIC, CELL(atomic_request, index),
                               AT(atomic_request), OPERATES(atomic_request), .request = true},
    [ETRACE_atomic_response] = {ETRACE_ACCESS_ATOMIC, CELL(atomic_response, index),
                                AT(atomic_response), HOLDS(atomic_response),
                                CELL(atomic_response, resp), .responds = true},
};

static uint8_t response_of(const struct shape *shape, const uint64_t *cells)
{
    return shape->resp == 0                          ? ETRACE_STATUS_UNKNOWN
           : cells[shape->resp] == ETRACE_RESP_ERROR ? ETRACE_STATUS_FAILED
                                                     : ETRACE_STATUS_OKAY;
}

static void read_access(struct etrace_access *says, const struct shape *shape,
                        const struct assay_event *packet)
{
    const uint64_t *cells = packet->cells;
    const uint64_t present = cells[ASSAY_CELL_PRESENCE];
    says->type = shape->type;
    if (shape->format != 0 && cells[shape->format] >= ETRACE_FORMAT_STORE) {
        says->type = ETRACE_ACCESS_STORE;
    }
    says->bytes = shape->bytes != 0 ? (uint32_t)cells[shape->bytes] : 0;
    says->operation = shape->operation != 0 ? (uint8_t)cells[shape->operation] : 0;
    says->location_known = cells[shape->location_known] != 0;
    says->location = says->location_known ? cells[shape->location] : 0;
    says->value_known = shape->value_known != 0 && cells[shape->value_known] != 0;
    says->value = says->value_known ? cells[shape->value] : 0;
    says->status = response_of(shape, cells);
    says->operand_known = shape->operand != 0 && (present >> shape->has_operand & 1) != 0;
    says->operand = says->operand_known ? cells[shape->operand] : 0;
}

void etrace_sent_read(struct etrace_sent *sent, const struct assay_event *packet)
{
    const struct shape *shape = &shapes[packet->kind];
    sent->request = shape->request;
    sent->responds = shape->responds;
    sent->index = shape->index != 0 ? (uint16_t)packet->cells[shape->index] : 0;
    read_access(&sent->says, shape, packet);
}
