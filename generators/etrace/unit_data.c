#include "generators/etrace/unit_data.h"

#include "common/bytes.h"
#include "isa/rv_compute.h"

enum { WORD_BYTES = 8, ATOMIC_LOG = 2, CSR_LSBS = 6, READ_ONLY = 3 };

/* Of an access, how it is sent. */
struct plan {
    uint64_t diff;    /* code of an address, and of data with it */
    uint64_t address; /* in full, or the difference */
    uint64_t data;    /* in full, or compressed */
    unsigned log;     /* logarithm of its bytes */
    bool aligned;
};

void etrace_data_unit_open(struct etrace_data_unit *unit,
                           const struct assay_parameter_values *values)
{
    etrace_layout(values, unit->layout);
    etrace_data_open(&unit->sent);
    unit->compress = values->known[ETRACE_DATA_COMPRESS] ? values->value[ETRACE_DATA_COMPRESS] : 0;
}

void etrace_data_unit_follow(struct etrace_data_unit *unit, enum etrace_kind kind,
                             const uint64_t *cells)
{
    uint64_t copy[ETRACE_PACKET_CELLS];
    for (size_t n = 0; n < ETRACE_PACKET_CELLS; n++) {
        copy[n] = cells[n];
    }
    etrace_data_follow(&unit->sent, kind, unit->layout, copy);
}

static void send(struct etrace_data_unit *unit, enum etrace_kind kind, const uint64_t *cells)
{
    unit->packet(unit->context, kind, cells);
    unit->packets++;
    etrace_data_unit_follow(unit, kind, cells);
}

static unsigned log_of(uint32_t bytes)
{
    unsigned log = 0;
    while (UINT32_C(1) << log < bytes) {
        log++;
    }
    return log;
}

static bool omits(const struct etrace_data_unit *unit, enum etrace_parameter option)
{
    return unit->layout[option] != 0;
}

/* Which compression is next: 0 is none. */
static uint64_t compression(const struct etrace_data_unit *unit)
{
    const uint64_t both = 1 + (unit->packets & 1);
    return unit->compress == 3 ? both : unit->compress;
}

/* `with_address`, `with_data`: the packet has them. */
static struct plan plan_of(const struct etrace_data_unit *unit, const struct etrace_access *access,
                           bool with_address, bool with_data)
{
    const uint64_t mask = assay_mask((unsigned)unit->layout[ETRACE_DATA_ADDRESS_N]);
    const unsigned log = log_of(access->bytes);
    const struct etrace_last *last = &unit->sent.of_size[log];
    const bool aligned = (access->location & (access->bytes - 1)) == 0;
    const unsigned shift = aligned ? log : 0;
    const uint64_t by = (!with_address || (last->address_sent && last->location_known)) &&
                                (!with_data || (last->data_sent && last->value_known))
                            ? compression(unit)
                            : 0;
    const uint64_t before = (last->location & mask) >> shift;
    struct plan plan = {.aligned = aligned,
                        .log = log,
                        .address = (access->location & mask) >> shift,
                        .data = access->value};
    if (by == 0) {
        return plan;
    }
    plan.diff = with_data && by == ETRACE_BY_DIFFERENCE ? ETRACE_DIFF_DIFFERENCE : ETRACE_DIFF_XOR;
    plan.address =
        rv_sign_extend(plan.address - before, (unsigned)unit->layout[ETRACE_DATA_ADDRESS_N]);
    plan.data = by == ETRACE_BY_DIFFERENCE ? access->value - last->value[0]
                                           : access->value ^ last->value[0];
    plan.data &= assay_mask(8 * (access->bytes < WORD_BYTES ? access->bytes : WORD_BYTES));
    return plan;
}

static uint64_t format_of(const struct etrace_access *access, const struct plan *plan)
{
    const unsigned format =
        access->type == ETRACE_ACCESS_STORE ? ETRACE_FORMAT_STORE : ETRACE_FORMAT_LOAD;
    return plan->aligned ? format : format | ETRACE_FORMAT_UNALIGNED;
}

static void put_access(struct etrace_data_unit *unit, const struct etrace_access *access)
{
    const bool address = !omits(unit, ETRACE_OMIT_ADDRESS);
    const bool data = !omits(unit, ETRACE_OMIT_DATA);
    const struct plan plan = plan_of(unit, access, address, data);
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_data_access_format] = format_of(access, &plan);
    cells[ETRACE_CELL_data_access_size] = plan.log;
    cells[ETRACE_CELL_data_access_diff] = plan.diff;
    cells[ETRACE_CELL_data_access_data_len] = address && data ? access->bytes - 1 : 0;
    cells[ETRACE_CELL_data_access_data] = data ? plan.data : 0;
    cells[plan.diff == 0 ? ETRACE_CELL_data_access_address : ETRACE_CELL_data_access_delta] =
        address ? plan.address : 0;
    send(unit, ETRACE_data_access, cells);
}

static uint64_t atomic_size(const struct etrace_data_unit *unit, unsigned log)
{
    return unit->layout[ETRACE_WIRE] >= ETRACE_2_0 ? log : log - ATOMIC_LOG;
}

static uint64_t index_of(const struct etrace_data_unit *unit, const struct etrace_access *access)
{
    return access->id & assay_mask((unsigned)unit->layout[ETRACE_DATA_INDEX_N]);
}

static void put_load_request(struct etrace_data_unit *unit, const struct etrace_access *access)
{
    const struct plan plan = plan_of(unit, access, true, false);
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_load_request_format] = format_of(access, &plan);
    cells[ETRACE_CELL_load_request_size] = plan.log;
    cells[ETRACE_CELL_load_request_index] = index_of(unit, access);
    cells[ETRACE_CELL_load_request_diff] = plan.diff != 0;
    cells[plan.diff == 0 ? ETRACE_CELL_load_request_address : ETRACE_CELL_load_request_delta] =
        plan.address;
    send(unit, ETRACE_load_request, cells);
}

static void put_atomic_request(struct etrace_data_unit *unit, const struct etrace_access *access)
{
    const struct plan plan = plan_of(unit, access, true, false);
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_atomic_request_subtype] = access->operation;
    cells[ETRACE_CELL_atomic_request_size] = atomic_size(unit, plan.log);
    cells[ETRACE_CELL_atomic_request_index] = index_of(unit, access);
    cells[ETRACE_CELL_atomic_request_diff] = plan.diff != 0;
    cells[ETRACE_CELL_atomic_request_op_len] = access->bytes - 1;
    cells[ETRACE_CELL_atomic_request_operand] = access->operand & assay_mask(8 * access->bytes);
    cells[plan.diff == 0 ? ETRACE_CELL_atomic_request_address : ETRACE_CELL_atomic_request_delta] =
        plan.address;
    send(unit, ETRACE_atomic_request, cells);
}

void etrace_data_unit_respond(struct etrace_data_unit *unit, const struct etrace_access *access)
{
    const bool failed = access->status == ETRACE_STATUS_FAILED;
    const struct plan plan = plan_of(unit, access, false, true);
    const uint64_t resp = failed           ? ETRACE_RESP_ERROR
                          : plan.diff == 0 ? ETRACE_RESP_FULL
                                           : plan.diff;
    const uint64_t data = failed ? 0 : plan.data;
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    if (access->type == ETRACE_ACCESS_ATOMIC) {
        unit->layout[ETRACE_ATOMIC_SIZE] = plan.log; /* readers know it by the request */
        cells[ETRACE_CELL_atomic_response_index] = index_of(unit, access);
        cells[ETRACE_CELL_atomic_response_resp] = resp;
        cells[ETRACE_CELL_atomic_response_data_len] = failed ? 0 : access->bytes - 1;
        cells[ETRACE_CELL_atomic_response_data] = data;
        send(unit, ETRACE_atomic_response, cells);
    } else {
        cells[ETRACE_CELL_load_response_size] = plan.log;
        cells[ETRACE_CELL_load_response_index] = index_of(unit, access);
        cells[ETRACE_CELL_load_response_resp] = resp;
        cells[ETRACE_CELL_load_response_data] = data;
        send(unit, ETRACE_load_response, cells);
    }
}

static void put_atomic(struct etrace_data_unit *unit, const struct etrace_access *access)
{
    const bool address = !omits(unit, ETRACE_OMIT_ADDRESS);
    const bool data = !omits(unit, ETRACE_OMIT_DATA);
    const struct plan plan = plan_of(unit, access, address, data);
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_atomic_subtype] = access->operation;
    cells[ETRACE_CELL_atomic_size] = atomic_size(unit, plan.log);
    cells[ETRACE_CELL_atomic_diff] = plan.diff;
    if (data) {
        cells[ETRACE_CELL_atomic_op_len] = access->bytes - 1;
        cells[ETRACE_CELL_atomic_operand] = access->operand & assay_mask(8 * access->bytes);
        cells[ETRACE_CELL_atomic_data_len] = address ? access->bytes - 1 : 0;
        cells[ETRACE_CELL_atomic_data] = plan.data;
    }
    cells[plan.diff == 0 ? ETRACE_CELL_atomic_address : ETRACE_CELL_atomic_delta] =
        address ? plan.address : 0;
    send(unit, ETRACE_atomic, cells);
}

static void put_csr(struct etrace_data_unit *unit, const struct etrace_access *access)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_csr_subtype] = access->operation;
    cells[ETRACE_CELL_csr_addr_msbs] = access->location >> CSR_LSBS;
    cells[ETRACE_CELL_csr_addr_lsbs] = access->location & assay_mask(CSR_LSBS);
    const uint64_t bytes = UINT64_C(1) << unit->layout[ETRACE_CSR_LENGTH_N];
    if (access->value_known && !omits(unit, ETRACE_OMIT_DATA)) {
        cells[ETRACE_CELL_csr_data_len] = bytes - 1;
        cells[ETRACE_CELL_csr_data] = access->value & assay_mask((unsigned)(8 * bytes));
    }
    if (access->location >> 10 != READ_ONLY && !omits(unit, ETRACE_OMIT_DATA)) {
        cells[ETRACE_CELL_csr_op_len] = bytes - 1;
        cells[ETRACE_CELL_csr_operand] = access->operand & assay_mask((unsigned)(8 * bytes));
    }
    send(unit, ETRACE_csr, cells);
}

bool etrace_data_unit_splits(const struct etrace_data_unit *unit,
                             const struct etrace_access *access)
{
    const bool small = unit->layout[ETRACE_DATA_FORMAT_N] < 3;
    return unit->layout[ETRACE_DATA_SPLIT] != 0 && !small &&
           (access->type == ETRACE_ACCESS_LOAD || access->type == ETRACE_ACCESS_ATOMIC);
}

void etrace_data_unit_put(struct etrace_data_unit *unit, const struct etrace_access *access)
{
    const bool small = unit->layout[ETRACE_DATA_FORMAT_N] < 3;
    const bool split = etrace_data_unit_splits(unit, access);
    if (access->type == ETRACE_ACCESS_CSR && !small) {
        put_csr(unit, access);
    } else if (access->type == ETRACE_ACCESS_ATOMIC && split) {
        put_atomic_request(unit, access);
    } else if (access->type == ETRACE_ACCESS_ATOMIC && !small) {
        put_atomic(unit, access);
    } else if (access->type == ETRACE_ACCESS_LOAD && split) {
        put_load_request(unit, access);
    } else if (access->type == ETRACE_ACCESS_LOAD || access->type == ETRACE_ACCESS_STORE) {
        put_access(unit, access);
    }
}
