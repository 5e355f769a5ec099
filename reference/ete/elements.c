/* The layer of elements: packets to elements, and the state that elements depend on: speculation
 * depth, context, cycle count threshold, transaction (K10.5.2). Where the pseudocode contradicts
 * the text, the interpretations of rules/ete say what is done. */
#include "ete/ete.h"

/* Of a packet. */
enum { ELEMENTS_MOST = 8, SLOTS = 1 << 12, EVENTS = 4 };

enum { Q_COUNT = 12, Q_NOTHING = 15 };
enum { CONTEXT_HEADER_MASK = 0xf8, CONTEXT_HEADER = 0x80 };

struct elements {
    struct assay_step_stage base;
    struct assay_parameter_values *values;
    bool commit_mode; /* TRCIDR0.COMMOPT: Cycle Count packets commit nothing */
    bool start_is_p0; /* TRCIDR0.COMMTRANS is 0 */
    bool depth_known;
    bool transactional;
    uint64_t depth;
    uint64_t p0; /* P0 elements of the stream that were not cancelled */
    uint64_t threshold;
    uint32_t vmid, context_id;
    uint8_t el, security;
    bool sf;
};

/* --- elements --- */

/* The cells of a new element, whose first ones are the state before it. */
static inline uint64_t *add(struct elements *e, enum ete_kind kind,
                            const struct assay_event *packet)
{
    uint64_t *cells = assay_step_add_cells(&e->base, kind, packet, ETE_ELEMENT_CELLS);
    cells[ETE_CELL_elem_atom_depth] = e->depth;
    cells[ETE_CELL_elem_atom_p0_before] = e->p0;
    cells[ETE_ELEMENT_FLAGS] = (uint64_t)e->depth_known << ETE_BIT_elem_atom_depth_known |
                               (uint64_t)e->transactional << ETE_BIT_elem_atom_transactional;
    return cells;
}

/* TRCIDR8.MAXSPEC. Only P0 elements, and a Cycle Count packet that counts from it, depend on it. */
static uint64_t max_depth(struct elements *e)
{
    return assay_parameter_use(e->values, ETE_TRCIDR8, ETE_ELEMENT);
}

/* A P0 element was added: the oldest ones are committed when there are more than can be unresolved
 * (K10.5.2.18.3). */
static void raise_depth(struct elements *e, const struct assay_event *packet)
{
    const uint64_t most = max_depth(e);
    e->p0++;
    e->depth++;
    if (e->depth > most) {
        uint64_t *cells = add(e, ETE_elem_commit, packet);
        cells[ETE_CELL_elem_commit_count] = e->depth - most;
        cells[ETE_CELL_elem_commit_implicit] = 1;
        e->depth = most;
    }
}

/* More than there are is a matter for rules. */
static void lower_depth(struct elements *e, uint64_t count)
{
    e->depth -= count < e->depth ? count : e->depth;
}

static void add_commit(struct elements *e, const struct assay_event *packet, uint64_t count)
{
    add(e, ETE_elem_commit, packet)[ETE_CELL_elem_commit_count] = count;
    lower_depth(e, count);
}

static void add_cancel(struct elements *e, const struct assay_event *packet, uint64_t count)
{
    add(e, ETE_elem_cancel, packet)[ETE_CELL_elem_cancel_count] = count;
    e->p0 -= count < e->p0 ? count : e->p0;
    lower_depth(e, count);
}

/* Atoms, of which each that makes the depth too great commits the oldest P0 element. */
static void add_atoms(struct elements *e, const struct assay_event *packet, unsigned count,
                      uint32_t taken)
{
    if (count == 0) {
        return;
    }
    const uint64_t most = max_depth(e);
    const uint64_t room = e->depth < most ? most - e->depth : 0;
    uint64_t *cells = add(e, ETE_elem_atoms, packet);
    cells[ETE_CELL_elem_atoms_atoms] = count;
    cells[ETE_CELL_elem_atoms_taken] = taken;
    e->p0 += count;
    e->depth += count;
    if (count > room) {
        cells[ETE_CELL_elem_atoms_commits] = count - room;
        cells[ETE_CELL_elem_atoms_committed] = e->depth - most;
        e->depth = most;
    }
}

static void add_failure(struct elements *e, const struct assay_event *packet)
{
    add(e, ETE_elem_transaction_failure, packet);
    e->transactional = false;
}

/* --- packets of one kind or a few --- */

static void take_trace_info(struct elements *e, const struct assay_event *packet)
{
    const uint64_t *from = packet->cells;
    uint64_t *cells = add(e, ETE_elem_trace_info, packet);
    e->vmid = 0;
    e->context_id = 0;
    e->el = 0;
    e->security = 0;
    e->sf = false;
    e->threshold = from[ETE_CELL_trace_info_cc_enabled] != 0 ? from[ETE_CELL_trace_info_cyct] : 0;
    e->depth = from[ETE_CELL_trace_info_spec];
    e->depth_known = true;
    e->transactional = from[ETE_CELL_trace_info_in_transaction] != 0;
    cells[ETE_CELL_elem_trace_info_cc_enabled] = from[ETE_CELL_trace_info_cc_enabled];
    cells[ETE_CELL_elem_trace_info_cc_threshold] = e->threshold;
    cells[ETE_CELL_elem_trace_info_spec_depth] = e->depth;
    cells[ETE_CELL_elem_trace_info_in_transaction] = e->transactional;
}

/* K10.5.2.14.9 and K10.5.2.14.10: the cells of a context begin at `el`, in the order of the table.
 */
static void follow_context(struct elements *e, const uint64_t *context)
{
    enum { EL, SBZ, NSE, SF, NS, V, C, VMID, CONTEXT_ID };
    e->el = (uint8_t)context[EL];
    e->security = (uint8_t)(context[NSE] << 1 | context[NS]);
    e->sf = context[SF] != 0;
    e->vmid = context[V] != 0 ? (uint32_t)context[VMID] : e->vmid;
    e->context_id = context[C] != 0 ? (uint32_t)context[CONTEXT_ID] : e->context_id;
}

static void add_context(struct elements *e, const struct assay_event *packet)
{
    uint64_t *cells = add(e, ETE_elem_context, packet);
    cells[ETE_CELL_elem_context_el] = e->el;
    cells[ETE_CELL_elem_context_security] = e->security;
    cells[ETE_CELL_elem_context_sf] = e->sf;
    cells[ETE_CELL_elem_context_vmid] = e->vmid;
    cells[ETE_CELL_elem_context_context_id] = e->context_id;
}

/* The completed address of a packet, which is in the cells `address` and the one after it. */
static uint64_t *add_target(struct elements *e, const struct assay_event *packet, unsigned address)
{
    uint64_t *cells = add(e, ETE_elem_target_address, packet);
    cells[ETE_CELL_elem_target_address_address] = packet->cells[address];
    cells[ETE_CELL_elem_target_address_is1] = packet->cells[address + 1];
    return cells;
}

static void add_source(struct elements *e, const struct assay_event *packet, unsigned address)
{
    uint64_t *cells = add(e, ETE_elem_source_address, packet);
    cells[ETE_CELL_elem_source_address_address] = packet->cells[address];
    cells[ETE_CELL_elem_source_address_is1] = packet->cells[address + 1];
    raise_depth(e, packet);
}

static void take_q(struct elements *e, const struct assay_event *packet)
{
    const unsigned type = packet->bytes[0] & 0xf;
    uint64_t *cells = add(e, ETE_elem_q, packet);
    cells[ETE_CELL_elem_q_counted] = type != Q_NOTHING;
    cells[ETE_CELL_elem_q_count] = packet->cells[ETE_CELL_q_count];
    raise_depth(e, packet);
    if (type < Q_COUNT) {
        add_target(e, packet, ETE_CELL_q_address);
    }
}

/* K10.5.2.13.2 */
static void take_exception(struct elements *e, const struct assay_event *packet)
{
    const unsigned type = packet->bytes[1] >> 1 & 0x1f;
    const bool target = (packet->bytes[1] >> 6 & 1) != 0; /* E is 10 */
    const uint8_t address = packet->bytes[2];
    const bool unknown = address == ETE_UNKNOWN_ADDRESS;
    if ((address & CONTEXT_HEADER_MASK) == CONTEXT_HEADER) {
        follow_context(e, &packet->cells[ETE_CELL_exception_el]);
        add_context(e, packet);
    }
    if (target) {
        add_target(e, packet, ETE_CELL_exception_address)[ETE_CELL_elem_target_address_unknown] =
            unknown;
    }
    if (type == ETE_TYPE_TRANSACTION_FAILURE) {
        add_failure(e, packet);
        return;
    }
    if (type == ETE_TYPE_PE_RESET && e->transactional) {
        add_failure(e, packet);
    }
    uint64_t *cells = add(e, ETE_elem_exception, packet);
    cells[ETE_CELL_elem_exception_type] = type;
    cells[ETE_CELL_elem_exception_address] = packet->cells[ETE_CELL_exception_address];
    cells[ETE_CELL_elem_exception_is1] = packet->cells[ETE_CELL_exception_is1];
    cells[ETE_CELL_elem_exception_unknown] =
        unknown || type == ETE_TYPE_PE_RESET || type == ETE_TYPE_UNKNOWN_RETURN;
    raise_depth(e, packet);
}

static void take_transaction_start(struct elements *e, const struct assay_event *packet)
{
    add(e, ETE_elem_transaction_start, packet)[ETE_ELEMENT_FLAGS] |=
        (uint64_t)e->start_is_p0 << ETE_BIT_elem_transaction_start_is_p0;
    e->transactional = true;
    (void)assay_parameter_use(e->values, ETE_TRCIDR0, ETE_ELEMENT);
    if (e->start_is_p0) {
        raise_depth(e, packet);
    }
}

static void take_timestamp(struct elements *e, const struct assay_event *packet)
{
    uint64_t *cells = add(e, ETE_elem_timestamp, packet);
    cells[ETE_CELL_elem_timestamp_timestamp] = packet->cells[ETE_CELL_timestamp_value];
    cells[ETE_CELL_elem_timestamp_counted] = packet->bytes[0] & 1;
    cells[ETE_CELL_elem_timestamp_count] = packet->cells[ETE_CELL_timestamp_count];
}

static void add_cycle_count(struct elements *e, const struct assay_event *packet, bool unknown,
                            uint64_t count)
{
    uint64_t *cells = add(e, ETE_elem_cycle_count, packet);
    cells[ETE_CELL_elem_cycle_count_unknown] = unknown;
    cells[ETE_CELL_elem_cycle_count_count] = unknown ? 0 : count + e->threshold;
}

/* Cycle Count format 2 with F 1: all but 15 - AAAA of the greatest depth. */
static uint64_t commit_below_most(struct elements *e, uint64_t aaaa)
{
    const uint64_t most = e->commit_mode ? 0 : max_depth(e);
    return most + aaaa >= 15 ? most + aaaa - 15 : 0;
}

/* K10.5.2.16.4 to K10.5.2.16.6. With COMMOPT 1 nothing is committed. */
static void take_cycle_count(struct elements *e, const struct assay_event *packet)
{
    const uint8_t *bytes = packet->bytes;
    uint64_t commit = 0;
    uint64_t count = 0;
    (void)assay_parameter_use(e->values, ETE_TRCIDR0, ETE_ELEMENT);
    switch (packet->kind) {
    case ETE_cycle_count_1:
        commit = packet->cells[ETE_CELL_cycle_count_1_commit];
        count = packet->cells[ETE_CELL_cycle_count_1_count];
        break;
    case ETE_cycle_count_2:
        commit = bytes[1] >> 4;
        commit = (bytes[0] & 1) == 0 ? commit + 1 : commit_below_most(e, commit);
        count = bytes[1] & 0xf;
        break;
    default:
        commit = (bytes[0] >> 2 & 3) + 1u;
        count = bytes[0] & 3;
        break;
    }
    if (!e->commit_mode && commit > 0) {
        add_commit(e, packet, commit);
    }
    add_cycle_count(e, packet, packet->kind == ETE_cycle_count_1 && (bytes[0] & 1) != 0, count);
}

/* Atoms, then Cancel and Mispredict, or one of them (K10.5.2.8.4 to K10.5.2.9.2). */
static void take_misprediction(struct elements *e, const struct assay_event *packet)
{
    const unsigned header = packet->bytes[0];
    uint32_t taken = 0;
    unsigned atoms = 0;
    if (packet->kind == ETE_cancel_3) {
        atoms = header & 1;
        taken = 1;
    } else if (packet->kind != ETE_cancel_1) {
        atoms = ete_atoms_before(header, &taken);
    }
    add_atoms(e, packet, atoms, taken);
    if (packet->kind == ETE_cancel_1) {
        add_cancel(e, packet, packet->cells[ETE_CELL_cancel_1_count]);
    } else if (packet->kind != ETE_mispredict) {
        add_cancel(e, packet, packet->kind == ETE_cancel_2 ? 1 : (header >> 1 & 3) + 2);
    }
    if (packet->kind != ETE_cancel_1 || (header & 1) != 0) {
        add(e, ETE_elem_mispredict, packet);
    }
}

/* Discard and Overflow end a transaction, and all speculation (K10.5.2.4, K10.5.2.5). */
static void take_discard(struct elements *e, const struct assay_event *packet)
{
    add(e, ETE_elem_discard, packet);
    if (packet->kind == ETE_overflow) {
        add(e, ETE_elem_overflow, packet);
    }
    if (e->transactional) {
        add_failure(e, packet);
    }
    e->depth = 0;
}

static void take_event(struct elements *e, const struct assay_event *packet)
{
    for (unsigned n = 0; n < EVENTS; n++) {
        if ((packet->bytes[0] >> n & 1) != 0) {
            add(e, ETE_elem_event, packet)[ETE_CELL_elem_event_number] = n;
        }
    }
}

static void take_instrumentation(struct elements *e, const struct assay_event *packet)
{
    uint64_t *cells = add(e, ETE_elem_instrumentation, packet);
    cells[ETE_CELL_elem_instrumentation_el] = packet->bytes[1] & 3;
    cells[ETE_CELL_elem_instrumentation_value] = assay_load64(packet->bytes + 2);
}

/* After what was not understood nothing is known of the depth, up to the next Trace Info. */
static void take_malformed(struct elements *e, const struct assay_event *packet)
{
    if (packet->fault != ETE_FAULT_UNSYNCHRONISED) {
        add(e, ETE_elem_loss, packet);
    }
    e->depth_known = false;
    e->depth = 0;
    e->transactional = false;
}

static void take_context(struct elements *e, const struct assay_event *packet)
{
    if ((packet->bytes[0] & 1) != 0) {
        follow_context(e, &packet->cells[ETE_CELL_context_el]);
    }
    add_context(e, packet);
}

static void take_target_context(struct elements *e, const struct assay_event *packet)
{
    follow_context(e, &packet->cells[ETE_CELL_target_context_el]);
    add_context(e, packet);
    add_target(e, packet, ETE_CELL_target_context_address);
}

static void take_atoms(struct elements *e, const struct assay_event *packet)
{
    add_atoms(e, packet, (unsigned)packet->cells[ETE_CELL_atom_1_atoms],
              (uint32_t)packet->cells[ETE_CELL_atom_1_taken]);
}

static void take_commit(struct elements *e, const struct assay_event *packet)
{
    add_commit(e, packet, packet->cells[ETE_CELL_commit_count]);
}

static void take_transaction_commit(struct elements *e, const struct assay_event *packet)
{
    add(e, ETE_elem_transaction_commit, packet);
    e->transactional = false;
}

static void take_trace_on(struct elements *e, const struct assay_event *packet)
{
    add(e, ETE_elem_trace_on, packet);
}

static void take_timestamp_marker(struct elements *e, const struct assay_event *packet)
{
    add(e, ETE_elem_timestamp_marker, packet);
}

static void take_target(struct elements *e, const struct assay_event *packet)
{
    static const uint8_t address[] = {[ETE_target_exact] = ETE_CELL_target_exact_address,
                                      [ETE_target_short] = ETE_CELL_target_short_address,
                                      [ETE_target_long] = ETE_CELL_target_long_address};
    add_target(e, packet, address[packet->kind]);
}

static void take_source(struct elements *e, const struct assay_event *packet)
{
    static const uint8_t address[] = {[ETE_source_exact] = ETE_CELL_source_exact_address,
                                      [ETE_source_short] = ETE_CELL_source_short_address,
                                      [ETE_source_long] = ETE_CELL_source_long_address};
    add_source(e, packet, address[packet->kind]);
}

/* A-sync, Ignore, zeros and the end give no element. */
static void take_nothing(struct elements *e, const struct assay_event *packet)
{
    (void)e;
    (void)packet;
}

typedef void take(struct elements *e, const struct assay_event *packet);

static take *const takes[ETE_PACKET_KINDS_END] = {
    [ETE_malformed] = take_malformed,
    [ETE_end] = take_nothing,
    [ETE_async] = take_nothing,
    [ETE_discard] = take_discard,
    [ETE_overflow] = take_discard,
    [ETE_trace_info] = take_trace_info,
    [ETE_timestamp] = take_timestamp,
    [ETE_trace_on] = take_trace_on,
    [ETE_exception] = take_exception,
    [ETE_instrumentation] = take_instrumentation,
    [ETE_transaction_start] = take_transaction_start,
    [ETE_transaction_commit] = take_transaction_commit,
    [ETE_cycle_count_2] = take_cycle_count,
    [ETE_cycle_count_1] = take_cycle_count,
    [ETE_cycle_count_3] = take_cycle_count,
    [ETE_commit] = take_commit,
    [ETE_cancel_1] = take_misprediction,
    [ETE_mispredict] = take_misprediction,
    [ETE_cancel_2] = take_misprediction,
    [ETE_cancel_3] = take_misprediction,
    [ETE_ignore] = take_nothing,
    [ETE_event] = take_event,
    [ETE_context] = take_context,
    [ETE_target_context] = take_target_context,
    [ETE_timestamp_marker] = take_timestamp_marker,
    [ETE_target_exact] = take_target,
    [ETE_target_short] = take_target,
    [ETE_target_long] = take_target,
    [ETE_q] = take_q,
    [ETE_source_exact] = take_source,
    [ETE_source_short] = take_source,
    [ETE_source_long] = take_source,
    [ETE_atom_1] = take_atoms,
    [ETE_atom_2] = take_atoms,
    [ETE_atom_3] = take_atoms,
    [ETE_atom_4] = take_atoms,
    [ETE_atom_5_1] = take_atoms,
    [ETE_atom_5_2] = take_atoms,
    [ETE_atom_6] = take_atoms,
    [ETE_padding] = take_nothing,
};

static bool step(struct assay_step_stage *stage, const struct assay_event *packet)
{
    takes[packet->kind]((struct elements *)stage, packet);
    return true;
}

static enum assay_error next_block(struct assay_stage *stage, struct assay_block *block,
                                   struct assay_diag *diag)
{
    return assay_step_next_by(stage, block, diag, step);
}

struct assay_stage *ete_elements_open(const struct assay_decode_input *input,
                                      struct assay_history *packets)
{
    static const struct assay_stage_ops ops = {.take = assay_step_take,
                                               .next = next_block,
                                               .complete = assay_step_complete,
                                               .close = assay_step_close};
    const struct assay_step_setup setup = {.ops = &ops,
                                           .layer = ETE_ELEMENT,
                                           .below = packets,
                                           .slots = SLOTS,
                                           .cells = ETE_ELEMENT_CELLS,
                                           .most = ELEMENTS_MOST,
                                           .lead = input->lead,
                                           .step = step};
    struct elements *e = assay_step_open(sizeof *e, &setup);
    if (e == NULL) {
        return NULL;
    }
    e->values = input->parameters;
    const uint64_t idr0 = e->values->value[ETE_TRCIDR0];
    e->commit_mode = (idr0 >> ETE_COMMOPT_BIT & 1) != 0;
    e->start_is_p0 = (idr0 >> ETE_COMMTRANS_BIT & 1) == 0;
    return &e->base.base;
}
