/* Data packets against the path, and against what was recorded of the accesses. */
#include "etrace/path/data_trace.h"

#include <stdlib.h>

#include "common/bytes.h"
#include "etrace/data/access_match.h"
#include "etrace/interface/retired_accesses.h"
#include "etrace/path/path.h"

/* Instructions that a loop without outcomes is followed for. */
enum { LOOP_MOST = 64 };

struct etrace_data_trace {
    const uint64_t *layout;
    struct etrace_match program; /* accesses of the path */
    struct etrace_registers registers;
    bool started;                      /* the path has begun */
    struct etrace_match recorded;      /* of the recorded execution */
    struct assay_execution *execution; /* a reader of its own; null: there is none */
    struct etrace_retired_accesses
        *answered; /* the record of the interface instead; null: likewise */
    uint32_t thread;
    bool system; /* the recording is of a machine, or of the interface of a hart */
    bool ended;  /* by the last path, without a packet since then; then, of its accesses: */
    uint64_t left, left_at;
    bool held; /* the next accesses of it are `many` */
    enum rv_isa isa;
};

/* --- opening --- */

static bool is_given(const struct assay_parameter_values *values, enum etrace_parameter parameter,
                     uint64_t value)
{
    return values->known[parameter] && values->value[parameter] == value;
}

/* No triggers choose among the accesses (2.1). */
static bool is_enabled(const struct assay_parameter_values *values)
{
    return is_given(values, ETRACE_DENABLE, 1) && !is_given(values, ETRACE_DTRIG_ENABLE, 1);
}

/* Nor do filters (2.3). */
static bool traces_all(const struct assay_parameter_values *values)
{
    return is_enabled(values) && is_given(values, ETRACE_DFILTERS, 0);
}

static void open_recording(struct etrace_data_trace *a, const struct assay_decode_input *input,
                           bool *failed)
{
    struct assay_diag diag;
    if (input->execution != NULL && assay_execution_table(input->execution) != NULL) {
        *failed = etrace_retired_accesses_open(input, &a->answered, &diag) != ASSAY_OK || *failed;
        a->system = true;
        return;
    }
    if (input->execution == NULL ||
        assay_execution_again(input->execution, &a->execution, &diag) != ASSAY_OK) {
        a->execution = NULL;
        return;
    }
    const struct assay_execution_header *header = assay_execution_header(a->execution);
    a->thread = input->execution_thread;
    a->system = header->system;
    if (header->isa == ASSAY_EXECUTION_AARCH64) {
        assay_execution_close(a->execution);
        a->execution = NULL;
    }
}

static bool has_recording(const struct etrace_data_trace *a)
{
    return a->execution != NULL || a->answered != NULL;
}

struct etrace_data_trace *etrace_data_trace_open(const struct assay_decode_input *input,
                                                 const uint64_t *layout, bool *failed)
{
    if (layout[ETRACE_DATA_WIDTH] == 0 && layout[ETRACE_DADDRESS_WIDTH] == 0) {
        return NULL;
    }
    struct etrace_data_trace *a = calloc(1, sizeof *a);
    if (a == NULL || !etrace_match_open(&a->program) || !etrace_match_open(&a->recorded)) {
        etrace_data_trace_close(a);
        *failed = true;
        return NULL;
    }
    const uint64_t mask = assay_mask((unsigned)layout[ETRACE_DATA_ADDRESS_N]);
    a->layout = layout;
    a->isa = etrace_reading_of(layout).isa;
    a->program.mask = a->recorded.mask = mask;
    a->program.all = a->recorded.all = traces_all(input->parameters);
    a->program.from_first = is_given(input->parameters, ETRACE_IFILTERS, 0);
    a->program.broken = !a->program.from_first;
    open_recording(a, input, failed);
    if (a->answered != NULL && input->parameters->known[ETRACE_DFILTERS]) {
        a->recorded.all = is_enabled(input->parameters); /* filters are evaluated */
    }
    a->recorded.from_first =
        a->answered != NULL && is_given(input->parameters, ETRACE_AFTER_RESET, 1);
    etrace_registers_forget(&a->registers);
    return a;
}

void etrace_data_trace_close(struct etrace_data_trace *accessed)
{
    if (accessed != NULL) {
        etrace_match_close(&accessed->program);
        etrace_match_close(&accessed->recorded);
        assay_execution_close(accessed->execution);
        etrace_retired_accesses_close(accessed->answered);
        free(accessed);
    }
}

/* --- the path --- */

void etrace_data_trace_begin(struct etrace_data_trace *accessed)
{
    if (accessed == NULL) {
        return;
    }
    if (!accessed->started && accessed->program.sent_count > 0) {
        etrace_match_break(&accessed->program); /* of instructions before it */
    }
    accessed->started = true;
    accessed->ended = false;
    etrace_registers_forget(&accessed->registers);
}

void etrace_data_trace_gap(struct etrace_data_trace *accessed)
{
    if (accessed == NULL) {
        return;
    }
    etrace_match_break(&accessed->program);
    if (accessed->recorded.all && !accessed->system) {
        accessed->recorded.broken = true; /* what an operating system does is not recorded */
    }
}

void etrace_data_trace_end(struct etrace_data_trace *accessed, bool disabled)
{
    if (accessed != NULL) {
        accessed->ended =
            etrace_match_left(&accessed->program, &accessed->left, &accessed->left_at) && disabled;
        etrace_data_trace_gap(accessed);
    }
}

void etrace_data_trace_run(struct etrace_path *path, const uint64_t *cells)
{
    struct etrace_data_trace *a = path->accessed;
    uint64_t pc = cells[ADDRESS];
    if (a == NULL) {
        return;
    }
    assay_image_select_number(&path->again, (uint32_t)(cells[COUNT] >> SPACE_BIT));
    for (uint32_t n = (uint32_t)cells[COUNT]; n > 0; n--) {
        const struct etrace_instruction i = etrace_instruction_at(&path->again, pc, &path->reading);
        const struct etrace_access access =
            etrace_access_of(pc, i.word, path->reading.isa, &a->registers, NULL);
        if (access.type == ETRACE_ACCESS_MANY) {
            etrace_match_break(&a->program);
        } else if (access.type != ETRACE_ACCESS_NONE) {
            etrace_match_due(&a->program, &access);
        }
        etrace_registers_follow(&a->registers, pc, i.word, path->reading.isa);
        pc += i.size;
    }
}

/* Whether the path comes back to its last instruction without anything that a packet reports: how
 * often it did, nothing says. */
static bool is_in_silent_loop(struct etrace_path *path)
{
    struct etrace_instruction i = path->last;
    for (unsigned n = 0; n < LOOP_MOST && i.size > 0; n++) {
        if (i.flow != ETRACE_FLOW_NONE && i.flow != ETRACE_FLOW_JUMP) {
            return false;
        }
        const uint64_t next = i.flow == ETRACE_FLOW_JUMP ? i.target : i.pc + i.size;
        if ((next & path->reading.mask) == path->last.pc) {
            return true;
        }
        i = etrace_instruction_at(&path->cursor, next & path->reading.mask, &path->reading);
    }
    return false;
}

void etrace_data_trace_trap(struct etrace_path *path, bool known)
{
    if (path->accessed != NULL && !(known && (path->started || path->unhandled))) {
        etrace_data_trace_gap(path->accessed);
        etrace_data_trace_begin(path->accessed);
    } else if (path->accessed != NULL && is_in_silent_loop(path)) {
        etrace_data_trace_gap(path->accessed);
    }
}

/* --- the recorded execution --- */

/* Accesses of which the number is not known: none can be put beside packets up to there. */
static void pass_many(struct etrace_data_trace *a)
{
    if (a->held && (a->recorded.due_count == 0 || a->recorded.decided < a->recorded.sent_count)) {
        etrace_match_break(&a->recorded);
        a->held = false;
    }
}

static void take_executed(struct etrace_data_trace *a, const struct assay_executed *item)
{
    struct etrace_registers nothing;
    if (a->thread == ASSAY_EXECUTION_THREAD_FROM_TRACE) {
        a->thread = item->thread;
    }
    if (item->thread != a->thread) {
        return;
    }
    etrace_registers_forget(&nothing);
    const struct etrace_access access =
        etrace_access_of(item->address, item->word, a->isa, &nothing, item);
    if (access.type == ETRACE_ACCESS_MANY) {
        a->held = true;
    } else if (access.type != ETRACE_ACCESS_NONE) {
        etrace_match_due(&a->recorded, &access);
    }
}

static void read_record(struct etrace_data_trace *a)
{
    struct etrace_access access;
    while (a->recorded.open && !a->held && a->recorded.due_count < ETRACE_MATCH_DUE) {
        a->recorded.open = etrace_retired_accesses_next(a->answered, &access);
        a->held = a->recorded.open && access.type == ETRACE_ACCESS_MANY;
        if (a->recorded.open && !a->held) {
            a->recorded.all = a->recorded.all && !access.unchosen;
            etrace_match_due(&a->recorded, &access);
        }
    }
}

static void read_on(struct etrace_data_trace *a)
{
    struct assay_executed item;
    if (a->answered != NULL) {
        read_record(a);
        return;
    }
    while (a->recorded.open && !a->held && a->recorded.due_count < ETRACE_MATCH_DUE) {
        if (assay_execution_next(a->execution, &item) != ASSAY_OK) {
            a->recorded.open = false;
            a->recorded.broken = true;
        } else if (item.kind == ASSAY_EXECUTED_END) {
            a->recorded.open = false;
            a->recorded.complete = item.reason == ASSAY_EXECUTION_ENDED_BY_EXIT;
        } else if (item.kind == ASSAY_EXECUTED_INSTRUCTION) {
            take_executed(a, &item);
        }
    }
}

static void compare_recorded(struct etrace_data_trace *a, bool ends)
{
    if (!has_recording(a) || a->recorded.sent_count == 0) {
        return;
    }
    do {
        read_on(a);
        etrace_match_decide(&a->recorded, ends && !a->recorded.open);
        pass_many(a);
    } while (etrace_match_skip(&a->recorded));
    etrace_match_decide(&a->recorded, ends);
}

/* --- packets --- */

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

static void add_sent(struct etrace_match *match, const struct shape *shape,
                     const struct assay_event *packet)
{
    struct etrace_sent *sent = etrace_match_sent(match);
    if (sent == NULL) {
        match->broken = true;
        return;
    }
    sent->packet = packet->index;
    sent->offset = packet->offset;
    sent->request = shape->request;
    sent->responds = shape->responds;
    sent->index = shape->index != 0 ? (uint16_t)packet->cells[shape->index] : 0;
    read_access(&sent->says, shape, packet);
}

/* Packets of data trace are missing. */
static bool is_loss(const struct etrace_data_trace *a, const struct assay_event *packet)
{
    const uint64_t *says = packet->cells;
    if (packet->kind == ETRACE_malformed) {
        return true;
    }
    return packet->kind == ETRACE_support &&
           (says[ETRACE_CELL_support_qual_status] == ETRACE_TRACE_LOST ||
            (a->layout[ETRACE_WIRE] >= ETRACE_2_0 && says[ETRACE_CELL_support_dloss] != 0));
}

/* Data trace is off from here on. The path ends, too. */
static bool is_off(const struct etrace_data_trace *a, const struct assay_event *packet)
{
    return packet->kind == ETRACE_support && a->layout[ETRACE_WIRE] >= ETRACE_2_0 &&
           packet->cells[ETRACE_CELL_support_denable] == 0;
}

void etrace_data_trace_packet(struct etrace_data_trace *accessed, const struct assay_event *packet)
{
    if (accessed == NULL) {
        return;
    }
    if (is_loss(accessed, packet)) {
        etrace_match_break(&accessed->program);
        accessed->recorded.broken = true;
    } else if (is_off(accessed, packet)) {
        accessed->recorded.broken = true;
    } else if (etrace_is_data(packet->kind)) {
        accessed->ended = false;
        add_sent(&accessed->program, &shapes[packet->kind], packet);
        if (has_recording(accessed)) {
            add_sent(&accessed->recorded, &shapes[packet->kind], packet);
        }
    }
}

/* --- events --- */

/* A value in the place of a field of ETRACE_ACCESS_FIELDS. */
#define BIT_OF(field, value) ((uint64_t)(value) << ETRACE_BIT_access_##field)

static void add_event(struct etrace_path *path, enum etrace_kind kind,
                      const struct etrace_match *match, const struct etrace_sent *sent)
{
    const struct assay_event *packet = assay_history_find(path->base.setup.below, sent->packet);
    struct assay_event *event = assay_step_add(&path->base, kind, packet);
    uint64_t *cells = assay_step_cells(&path->base, event);
    const struct etrace_access *says = &sent->says;
    const struct etrace_access *due = &sent->due;
    const bool of_operand = sent->differs == ETRACE_DIFFERS_OPERAND;
    event->offset = sent->offset;
    cells[FACTS] =
        BIT_OF(type, says->type) | BIT_OF(found, sent->found) | BIT_OF(sure, sent->sure) |
        BIT_OF(between, sent->between) | BIT_OF(first, sent->first) |
        BIT_OF(all_traced, match->all) | BIT_OF(responds, sent->responds) |
        BIT_OF(differs, sent->differs) | BIT_OF(due_type, due->type) |
        BIT_OF(due_location_known, due->location_known) |
        BIT_OF(due_value_known, due->value_known || due->operand_known || due->stored_known) |
        BIT_OF(bytes, says->bytes & 0xffff) | BIT_OF(due_bytes, due->bytes & 0xffff) |
        BIT_OF(due_status, due->status) | BIT_OF(excluded, due->excluded);
    cells[1] = sent->left_out;
    cells[2] = sent->left_out_at;
    cells[ADDRESS] = due->pc;
    cells[4] = due->word;
    cells[5] = says->location;
    cells[6] = due->location;
    cells[7] = of_operand ? says->operand : says->value;
    cells[8] = of_operand ? due->operand : due->value;
}

static bool add_events(struct etrace_path *path, enum etrace_kind kind, struct etrace_match *match,
                       uint64_t room)
{
    const struct etrace_sent *sent = NULL;
    while (path->base.history.next < room && (sent = etrace_match_take(match)) != NULL) {
        add_event(path, kind, match, sent);
    }
    return match->settled == 0;
}

bool etrace_data_trace_add(struct etrace_path *path, uint64_t room, bool ends)
{
    struct etrace_data_trace *a = path->accessed;
    if (a == NULL) {
        return true;
    }
    etrace_match_decide(&a->program, ends);
    compare_recorded(a, ends);
    return add_events(path, ETRACE_access, &a->program, room) &&
           add_events(path, ETRACE_recorded_access, &a->recorded, room);
}

void etrace_data_trace_finish(struct etrace_path *path)
{
    const struct etrace_data_trace *a = path->accessed;
    if (a == NULL) {
        return;
    }
    struct assay_event *event = assay_step_add(&path->base, ETRACE_access_end, NULL);
    uint64_t *cells = assay_step_cells(&path->base, event);
    event->offset = path->offset;
    cells[FACTS] = (uint64_t)a->ended;
    cells[1] = a->ended ? a->left : 0;
    cells[2] = a->ended ? a->left_at : 0;
}
