/* All packets that say the next elements, by the kind of the first of them. */
#include <string.h>

#include "generators/ete/writer_private.h"

#define CELL(element, name) ((element)->cells[ETE_CELL_##name])

static bool is_next(const struct ete_writer *w, unsigned n, enum ete_kind kind)
{
    const struct ete_element *element = ete_next_element(w, n);
    return element != NULL && element->kind == kind;
}

static struct ete_packet packet_of(uint8_t header, unsigned elements)
{
    return (struct ete_packet){.bytes = {header}, .elements = elements};
}

/* A packet that is a header. */
static void offer_header(struct ete_writer *w, unsigned header, unsigned elements)
{
    struct ete_packet packet = packet_of((uint8_t)header, elements);
    ete_offer(w, &packet);
}

/* --- addresses --- */

static struct ete_address address_of(const struct ete_element *element, unsigned cell)
{
    return (struct ete_address){element->cells[cell], element->cells[cell + 1] != 0};
}

/* Offers a packet with each size that the address can have in its form; where the form cannot give
 * this address there is none. */
static void offer_address(struct ete_writer *w, const struct ete_form *form,
                          struct ete_address address, const struct ete_packet *given)
{
    const unsigned most = ete_address_is_short(form) ? 2 : 1;
    for (unsigned size = 1; size <= most; size++) {
        struct ete_packet packet = *given;
        if (ete_address_encode(&w->addresses, form, address, size, packet.cells)) {
            ete_offer(w, &packet);
        }
    }
}

static const uint8_t target_headers[] = {0x90, 0x91, 0x92, 0x95, 0x96, 0x9a, 0x9b, 0x9d, 0x9e};
static const uint8_t context_headers[] = {0x82, 0x83, 0x85, 0x86};
static const uint8_t source_headers[] = {0xb0, 0xb1, 0xb2, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9};
static const uint8_t q_headers[] = {0xa0, 0xa1, 0xa2, 0xa5, 0xa6, 0xaa, 0xab};

static void offer_target(struct ete_writer *w)
{
    const struct ete_element *target = ete_next_element(w, 0);
    if (CELL(target, elem_target_address_unknown) != 0) {
        return; /* only an Exception packet says it */
    }
    for (size_t i = 0; i < sizeof target_headers; i++) {
        const struct ete_packet packet = packet_of(target_headers[i], 1);
        offer_address(w, ete_form_of(target_headers[i]),
                      address_of(target, ETE_CELL_elem_target_address_address), &packet);
    }
}

static void offer_source(struct ete_writer *w)
{
    for (size_t i = 0; i < sizeof source_headers; i++) {
        const struct ete_packet packet = packet_of(source_headers[i], 1);
        offer_address(w, ete_form_of(source_headers[i]),
                      address_of(ete_next_element(w, 0), ETE_CELL_elem_source_address_address),
                      &packet);
    }
}

static void offer_q(struct ete_writer *w)
{
    enum { COUNT_ALONE = 0xac, NOTHING = 0xaf };
    const struct ete_element *q = ete_next_element(w, 0);
    if (CELL(q, elem_q_counted) == 0) {
        offer_header(w, NOTHING, 1);
        return;
    }
    struct ete_packet packet = packet_of(COUNT_ALONE, 1);
    packet.cells[ETE_CELL_q_count] = CELL(q, elem_q_count);
    ete_offer(w, &packet);
    const struct ete_element *target = ete_next_element(w, 1);
    if (!is_next(w, 1, ETE_elem_target_address) || CELL(target, elem_target_address_unknown) != 0) {
        return;
    }
    for (size_t i = 0; i < sizeof q_headers; i++) {
        packet = packet_of(q_headers[i], 2);
        packet.cells[ETE_CELL_q_count] = CELL(q, elem_q_count);
        offer_address(w, ete_form_of(q_headers[i]),
                      address_of(target, ETE_CELL_elem_target_address_address), &packet);
    }
}

/* --- contexts (K10.5.2.14.9) --- */

enum { V = 1, C = 2, V_AND_C = V | C }; /* which identifiers a packet has */

/* Whether a packet with these identifiers gives the context: one that it has not is the last one.
 */
static bool gives_context(const struct ete_writer *w, const struct ete_element *context,
                          unsigned identifiers)
{
    return ((identifiers & V) != 0 ||
            CELL(context, elem_context_vmid) == CELL(&w->context, elem_context_vmid)) &&
           ((identifiers & C) != 0 ||
            CELL(context, elem_context_context_id) == CELL(&w->context, elem_context_context_id));
}

/* `cells` are those of a packet from `el` on. */
static void set_context(const struct ete_element *context, unsigned identifiers, uint64_t *cells)
{
    enum { EL, SBZ, NSE, SF, NS, HAS_V, HAS_C, VMID, CONTEXT_ID };
    cells[EL] = CELL(context, elem_context_el);
    cells[NSE] = CELL(context, elem_context_security) >> 1;
    cells[NS] = CELL(context, elem_context_security) & 1;
    cells[SF] = CELL(context, elem_context_sf);
    cells[HAS_V] = (identifiers & V) != 0;
    cells[HAS_C] = (identifiers & C) != 0;
    cells[VMID] = (identifiers & V) != 0 ? CELL(context, elem_context_vmid) : 0;
    cells[CONTEXT_ID] = (identifiers & C) != 0 ? CELL(context, elem_context_context_id) : 0;
}

static bool is_last_context(const struct ete_writer *w, const struct ete_element *context)
{
    const unsigned first = ETE_CELL_elem_context_el;
    return memcmp(&context->cells[first], &w->context.cells[first],
                  (ETE_CELLS_elem_context - first) * sizeof context->cells[0]) == 0;
}

/* A context with the Target Address after it. */
static void offer_target_context(struct ete_writer *w, unsigned identifiers)
{
    const struct ete_element *target = ete_next_element(w, 1);
    if (!is_next(w, 1, ETE_elem_target_address) || CELL(target, elem_target_address_unknown) != 0) {
        return;
    }
    for (size_t i = 0; i < sizeof context_headers; i++) {
        struct ete_packet packet = packet_of(context_headers[i], 2);
        set_context(ete_next_element(w, 0), identifiers, &packet.cells[ETE_CELL_target_context_el]);
        offer_address(w, ete_form_of(context_headers[i]),
                      address_of(target, ETE_CELL_elem_target_address_address), &packet);
    }
}

static void offer_context(struct ete_writer *w)
{
    enum { AS_LAST = 0x80, PAYLOAD = 0x81 };
    const struct ete_element *context = ete_next_element(w, 0);
    if (is_last_context(w, context)) {
        offer_header(w, AS_LAST, 1);
    }
    for (unsigned identifiers = 0; identifiers <= V_AND_C; identifiers++) {
        if (gives_context(w, context, identifiers)) {
            struct ete_packet packet = packet_of(PAYLOAD, 1);
            set_context(context, identifiers, &packet.cells[ETE_CELL_context_el]);
            ete_offer(w, &packet);
            offer_target_context(w, identifiers);
        }
    }
}

/* --- exceptions (K10.5.2.13) --- */

/* What an Exception packet says: up to four elements in this order, of which some are there. */
struct exception {
    const struct ete_element *context, *target, *failure, *exception;
    unsigned elements;
    unsigned type;
    struct ete_address address;
    bool unknown; /* the packet has no address */
};

static const struct ete_element *take(const struct ete_writer *w, enum ete_kind kind,
                                      unsigned *elements)
{
    return is_next(w, *elements, kind) ? ete_next_element(w, (*elements)++) : NULL;
}

static void offer_exception_packet(struct ete_writer *w, const struct exception *e, uint8_t address,
                                   unsigned identifiers)
{
    enum { HEADER = 0x06, E_01 = 0x01, E_10 = 0x40 };
    struct ete_packet packet = packet_of(HEADER, e->elements);
    packet.bytes[1] = (uint8_t)(e->type << 1 | (e->target != NULL ? E_10 : E_01));
    packet.bytes[2] = address;
    if (e->context != NULL) {
        set_context(e->context, identifiers, &packet.cells[ETE_CELL_exception_el]);
    }
    offer_address(w, ete_address_form_of(address), e->address, &packet);
}

static void offer_exception_forms(struct ete_writer *w, const struct exception *e)
{
    if (e->unknown) {
        if (e->context == NULL) {
            offer_exception_packet(w, e, ETE_UNKNOWN_ADDRESS, 0);
        }
        return;
    }
    for (size_t i = 0; i < sizeof target_headers && e->context == NULL; i++) {
        offer_exception_packet(w, e, target_headers[i], 0);
    }
    for (size_t i = 0; i < sizeof context_headers && e->context != NULL; i++) {
        for (unsigned identifiers = 0; identifiers <= V_AND_C; identifiers++) {
            if (gives_context(w, e->context, identifiers)) {
                offer_exception_packet(w, e, context_headers[i], identifiers);
            }
        }
    }
}

/* A Transaction Failure has the address of its Target Address, or any: it is not in the element. */
static void offer_failure(struct ete_writer *w, struct exception e)
{
    const struct ete_address none = {0};
    e.type = ETE_TYPE_TRANSACTION_FAILURE;
    if (e.target == NULL || CELL(e.target, elem_target_address_unknown) != 0) {
        e.unknown = true;
        e.address = none;
        offer_exception_forms(w, &e);
    }
    if (e.target == NULL) {
        e.unknown = false;
        e.address = w->addresses.entry[0];
        offer_exception_forms(w, &e);
    } else if (CELL(e.target, elem_target_address_unknown) == 0) {
        e.address = address_of(e.target, ETE_CELL_elem_target_address_address);
        offer_exception_forms(w, &e);
    }
}

/* An exception of a known type without an address that is known can have either form. */
static void offer_exception(struct ete_writer *w, struct exception e)
{
    const bool target_unknown =
        e.target != NULL && CELL(e.target, elem_target_address_unknown) != 0;
    const bool unknown = CELL(e.exception, elem_exception_unknown) != 0;
    e.elements++;
    e.type = (unsigned)CELL(e.exception, elem_exception_type);
    e.address = address_of(e.exception, ETE_CELL_elem_exception_address);
    const bool without =
        e.type == ETE_TYPE_PE_RESET || e.type == ETE_TYPE_UNKNOWN_RETURN; /* an address to go to */
    e.unknown = true;
    if (unknown && (e.target == NULL || target_unknown) && e.address.value == 0 && !e.address.is1) {
        offer_exception_forms(w, &e);
    }
    e.unknown = false;
    const bool same =
        e.target == NULL ||
        (!target_unknown && CELL(e.target, elem_target_address_address) == e.address.value &&
         (CELL(e.target, elem_target_address_is1) != 0) == e.address.is1);
    if (unknown == without && same) {
        offer_exception_forms(w, &e);
    }
}

/* Of a PE Reset in a transaction, and of nothing else, both elements are in one packet. They are
 * not in two: after the packet of a Transaction Failure an address is due (K10.5.8.4). */
static void offer_exceptions(struct ete_writer *w)
{
    struct exception e = {0};
    e.context = take(w, ETE_elem_context, &e.elements);
    e.target = take(w, ETE_elem_target_address, &e.elements);
    e.failure = take(w, ETE_elem_transaction_failure, &e.elements);
    e.exception =
        is_next(w, e.elements, ETE_elem_exception) ? ete_next_element(w, e.elements) : NULL;
    const bool reset =
        e.exception != NULL && CELL(e.exception, elem_exception_type) == ETE_TYPE_PE_RESET;
    if (e.failure != NULL && !(reset && w->transactional)) {
        offer_failure(w, e);
    }
    if (e.exception != NULL && (e.failure != NULL) == (reset && w->transactional)) {
        offer_exception(w, e);
    }
}

/* --- atoms, mispredictions, cancellations (K10.5.2.8 to K10.5.2.10) --- */

static unsigned next_atoms(const struct ete_writer *w, uint32_t *taken)
{
    unsigned count = 0;
    *taken = 0;
    while (count < ETE_ATOMS_MOST && is_next(w, count, ETE_elem_atom)) {
        *taken |= (uint32_t)(CELL(ete_next_element(w, count), elem_atom_taken) != 0) << count;
        count++;
    }
    return count;
}

static void offer_atoms(struct ete_writer *w)
{
    uint32_t next = 0;
    const unsigned count = next_atoms(w, &next);
    for (unsigned header = 0xc0; header <= 0xff; header++) {
        const enum ete_kind kind = (enum ete_kind)ete_form_of((uint8_t)header)->kind;
        uint32_t taken = 0;
        const unsigned atoms = ete_atoms(kind, (uint8_t)header, &taken);
        if (atoms > 0 && atoms <= count && (next & assay_mask(atoms)) == taken) {
            offer_header(w, header, atoms);
        }
    }
}

/* A Mispredict, with a Cancel before it or not, after up to two atoms. */
static void offer_mispredict(struct ete_writer *w, unsigned a, unsigned atoms)
{
    enum { MISPREDICT = 0x30, CANCEL_2 = 0x34, CANCEL_3 = 0x38, MOST_3 = 5 };
    const struct ete_element *cancel = ete_next_element(w, atoms);
    if (is_next(w, atoms, ETE_elem_mispredict)) {
        offer_header(w, MISPREDICT | a, atoms + 1);
    }
    if (!is_next(w, atoms, ETE_elem_cancel) || !is_next(w, atoms + 1, ETE_elem_mispredict)) {
        return;
    }
    const uint64_t count = CELL(cancel, elem_cancel_count);
    if (count == 1) {
        offer_header(w, CANCEL_2 | a, atoms + 2);
    } else if (count >= 2 && count <= MOST_3 && a <= 1) {
        offer_header(w, CANCEL_3 | (unsigned)(count - 2) << 1 | a, atoms + 2);
    }
}

static void offer_mispredicts(struct ete_writer *w)
{
    uint32_t next = 0;
    const unsigned count = next_atoms(w, &next);
    for (unsigned a = 0; a < 4; a++) {
        uint32_t taken = 0;
        const unsigned atoms = ete_atoms_before(a, &taken);
        if (atoms <= count && (next & assay_mask(atoms)) == taken) {
            offer_mispredict(w, a, atoms);
        }
    }
}

static void offer_cancel(struct ete_writer *w)
{
    enum { CANCEL_1 = 0x2e };
    for (unsigned m = 0; m <= is_next(w, 1, ETE_elem_mispredict); m++) {
        struct ete_packet packet = packet_of((uint8_t)(CANCEL_1 | m), 1 + m);
        packet.cells[ETE_CELL_cancel_1_count] = CELL(ete_next_element(w, 0), elem_cancel_count);
        ete_offer(w, &packet);
    }
}

/* --- commits and cycle counts (K10.5.2.8, K10.5.2.16) --- */

/* Format 2: `commit` is counted from 1 on, or from MAXSPEC - 15 on. With COMMOPT 1 nothing is
 * committed, and the field is as a commit of nothing with MAXSPEC 0. */
static void offer_cycle_count_2(struct ete_writer *w, uint64_t count, uint64_t commit,
                                unsigned elements)
{
    enum { HEADER = 0x0c, MOST = 15 };
    const uint64_t from_most = commit + MOST - w->setup.max_depth;
    const bool can[] = {!w->commit_mode && commit >= 1 && commit <= MOST + 1,
                        w->commit_mode || (commit > 0 && from_most <= MOST)};
    const uint64_t fields[] = {commit - 1, w->commit_mode ? MOST : from_most};
    for (unsigned f = 0; f < 2; f++) {
        struct ete_packet packet = packet_of((uint8_t)(HEADER | f), elements);
        packet.bytes[1] = (uint8_t)(fields[f] << 4 | count);
        if (can[f] && count <= MOST) {
            ete_offer(w, &packet);
        }
    }
}

/* Of `elements`, the last of which is the Cycle Count. */
static void offer_cycle_count(struct ete_writer *w, uint64_t commit, unsigned elements)
{
    enum { FORMAT_1 = 0x0e, UNKNOWN = 0x0f, FORMAT_3 = 0x10, MOST_3 = 3 };
    const struct ete_element *element = ete_next_element(w, elements - 1);
    const bool unknown = CELL(element, elem_cycle_count_unknown) != 0;
    const uint64_t count = unknown ? 0 : CELL(element, elem_cycle_count_count) - w->threshold;
    struct ete_packet packet = packet_of(unknown ? UNKNOWN : FORMAT_1, elements);
    packet.cells[ETE_CELL_cycle_count_1_commit] = commit;
    packet.cells[ETE_CELL_cycle_count_1_count] = count;
    ete_offer(w, &packet);
    if (unknown) {
        return;
    }
    offer_cycle_count_2(w, count, commit, elements);
    if (count <= MOST_3 && (w->commit_mode || (commit >= 1 && commit <= MOST_3 + 1))) {
        const uint64_t aa = w->commit_mode ? 0 : commit - 1;
        offer_header(w, FORMAT_3 | (unsigned)(aa << 2 | count), elements);
    }
}

static void offer_commit(struct ete_writer *w)
{
    enum { HEADER = 0x2d };
    const uint64_t commit = CELL(ete_next_element(w, 0), elem_commit_count);
    struct ete_packet packet = packet_of(HEADER, 1);
    packet.cells[ETE_CELL_commit_count] = commit;
    ete_offer(w, &packet);
    if (!w->commit_mode && commit > 0 && is_next(w, 1, ETE_elem_cycle_count)) {
        offer_cycle_count(w, commit, 2);
    }
}

/* --- others --- */

/* A section is there where it has a value; else it may be (K10.5.2.6.1). */
static void offer_trace_info(struct ete_writer *w)
{
    enum { HEADER = 0x01, INFO = 1, SPEC = 4, CYCT = 8, SECTIONS = INFO | SPEC | CYCT };
    const struct ete_element *e = ete_next_element(w, 0);
    struct ete_packet packet = packet_of(HEADER, 1);
    packet.cells[ETE_CELL_trace_info_cc_enabled] = CELL(e, elem_trace_info_cc_enabled);
    packet.cells[ETE_CELL_trace_info_in_transaction] = CELL(e, elem_trace_info_in_transaction);
    packet.cells[ETE_CELL_trace_info_spec] = CELL(e, elem_trace_info_spec_depth);
    packet.cells[ETE_CELL_trace_info_cyct] = CELL(e, elem_trace_info_cc_threshold);
    for (unsigned plctl = 0; plctl <= SECTIONS; plctl++) {
        struct ete_packet one = packet;
        one.bytes[1] = (uint8_t)plctl;
        if ((plctl & ~(unsigned)SECTIONS) == 0) {
            ete_offer(w, &one);
        }
    }
}

/* The bits of the last timestamp that a packet does not have are kept (K10.5.2.16.1). */
static void offer_timestamp(struct ete_writer *w)
{
    enum { HEADER = 0x02, MOST_BYTES = 9 };
    const struct ete_element *e = ete_next_element(w, 0);
    const uint64_t value = CELL(e, elem_timestamp_timestamp);
    const bool counted = CELL(e, elem_timestamp_counted) != 0;
    for (unsigned size = 1; size <= MOST_BYTES; size++) {
        const uint64_t mask = size == MOST_BYTES ? UINT64_MAX : assay_mask(7 * size);
        struct ete_packet packet = packet_of((uint8_t)(HEADER | counted), 1);
        packet.cells[ETE_CELL_timestamp_low] = value & mask;
        packet.cells[ETE_CELL_timestamp_low_size] = size;
        packet.cells[ETE_CELL_timestamp_count] = counted ? CELL(e, elem_timestamp_count) : 0;
        if (((value ^ w->timestamp) & ~mask) == 0) {
            ete_offer(w, &packet);
        }
    }
}

/* An Event packet has several ETEEvents from the lowest on. */
static void offer_events(struct ete_writer *w)
{
    enum { HEADER = 0x70 };
    unsigned events = 0;
    for (unsigned n = 0; is_next(w, n, ETE_elem_event); n++) {
        const unsigned event = 1u << CELL(ete_next_element(w, n), elem_event_number);
        if (event <= events) {
            break;
        }
        events |= event;
        offer_header(w, HEADER | events, n + 1);
    }
}

static void offer_instrumentation(struct ete_writer *w)
{
    const struct ete_element *e = ete_next_element(w, 0);
    struct ete_packet packet = packet_of(0x09, 1);
    packet.bytes[1] = (uint8_t)CELL(e, elem_instrumentation_el);
    assay_store64(packet.bytes + 2, CELL(e, elem_instrumentation_value));
    ete_offer(w, &packet);
}

/* Discard and Overflow end a transaction, which fails. */
static void offer_discard(struct ete_writer *w)
{
    enum { DISCARD = 0x03, OVERFLOW = 0x05 };
    struct ete_packet packet = packet_of(0x00, 1);
    const bool overflow = is_next(w, 1, ETE_elem_overflow);
    packet.bytes[1] = overflow ? OVERFLOW : DISCARD;
    packet.elements += overflow;
    if (w->transactional && !is_next(w, packet.elements, ETE_elem_transaction_failure)) {
        return;
    }
    packet.elements += w->transactional;
    ete_offer(w, &packet);
}

/* --- by the kind of the next element --- */

static void offer_flow(struct ete_writer *w, enum ete_kind kind)
{
    switch (kind) {
    case ETE_elem_context:
        offer_context(w);
        offer_exceptions(w);
        break;
    case ETE_elem_target_address:
        offer_target(w);
        offer_exceptions(w);
        break;
    case ETE_elem_exception:
    case ETE_elem_transaction_failure:
        offer_exceptions(w);
        break;
    case ETE_elem_source_address:
        offer_source(w);
        break;
    case ETE_elem_q:
        offer_q(w);
        break;
    case ETE_elem_atom:
        offer_atoms(w);
        offer_mispredicts(w);
        break;
    case ETE_elem_mispredict:
        offer_mispredicts(w);
        break;
    case ETE_elem_cancel:
        offer_cancel(w);
        offer_mispredicts(w);
        break;
    default:
        break;
    }
}

void ete_offer_packets(struct ete_writer *w)
{
    enum { TRACE_ON = 0x04, START = 0x0a, COMMIT = 0x0b, MARKER = 0x88 };
    const enum ete_kind kind = ete_next_element(w, 0)->kind;
    switch (kind) {
    case ETE_elem_trace_info:
        offer_trace_info(w);
        break;
    case ETE_elem_trace_on:
        offer_header(w, TRACE_ON, 1);
        break;
    case ETE_elem_transaction_start:
        offer_header(w, START, 1);
        break;
    case ETE_elem_transaction_commit:
        offer_header(w, COMMIT, 1);
        break;
    case ETE_elem_timestamp_marker:
        offer_header(w, MARKER, 1);
        break;
    case ETE_elem_commit:
        offer_commit(w);
        break;
    case ETE_elem_cycle_count:
        offer_cycle_count(w, 0, 1);
        break;
    case ETE_elem_discard:
        offer_discard(w);
        break;
    case ETE_elem_timestamp:
        offer_timestamp(w);
        break;
    case ETE_elem_event:
        offer_events(w);
        break;
    case ETE_elem_instrumentation:
        offer_instrumentation(w);
        break;
    default:
        offer_flow(w, kind);
        break;
    }
}
