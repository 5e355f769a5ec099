/* Data packets against the path, and against what was recorded of the accesses. */
#include "etrace/facts/data_trace.h"

#include <stdlib.h>
#include <string.h>

#include "common/bytes.h"
#include "etrace/facts/access_match.h"
#include "etrace/facts/sent_access.h"
#include "etrace/interface/retired_accesses.h"
#include "etrace/path/events.h"
#include "model/step_stage.h"

/* Instructions that a loop without outcomes is followed for; events of a step, of which two may be
 * those of the end. */
enum { LOOP_MOST = 64, ADDED_MOST = 64, ADDED_AT_END = 2 };

struct etrace_data_trace {
    struct assay_step_stage base;
    uint64_t layout[ETRACE_PARAMETER_COUNT];
    struct etrace_reading reading;
    struct assay_image_cursor cursor;

    /* What was found. */
    struct etrace_match program; /* accesses of the path */
    struct etrace_registers registers;
    bool started;                      /* the path has begun */
    struct etrace_match recorded;      /* of the recorded execution */
    struct assay_execution *execution; /* a reader of its own; null: there is none */
    struct etrace_retired_accesses
        *retired; /* the record of the interface instead; null: likewise */
    uint32_t thread;
    bool system; /* the recording is of a machine, or of the interface of a hart */
    bool ended;  /* by the last path, without a packet since then; then, of its accesses: */
    uint64_t left, left_at;
    bool many_next; /* the next accesses of it are `many` */

    /* Where the path is. */
    uint64_t next;  /* index of the packet after the one at hand */
    bool begun;     /* the packet at hand is not done yet */
    bool followed;  /* the path is known */
    bool gapped;    /* it was lost by the packet at hand, which an event says */
    bool unhandled; /* the last packet has a trap without the address of its handler (2.0) */
    struct etrace_instruction last; /* that was retired last */
    uint32_t space;                 /* where it was read */
};

struct etrace_data_trace *etrace_data_trace_of(struct assay_stage *stage)
{
    return (struct etrace_data_trace *)stage;
}

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
        *failed = etrace_retired_accesses_open(input, &a->retired, &diag) != ASSAY_OK || *failed;
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
    return a->execution != NULL || a->retired != NULL;
}

static void open_matches(struct etrace_data_trace *a, const struct assay_decode_input *input,
                         bool *failed)
{
    const struct assay_parameter_values *const values = input->parameters;
    a->program.mask = a->recorded.mask = assay_mask((unsigned)a->layout[ETRACE_DATA_ADDRESS_N]);
    a->program.all = a->recorded.all = traces_all(values);
    a->program.from_first = is_given(values, ETRACE_IFILTERS, 0);
    a->program.broken = !a->program.from_first;
    open_recording(a, input, failed);
    if (a->retired != NULL && values->known[ETRACE_DFILTERS]) {
        a->recorded.all = is_enabled(values); /* filters are evaluated */
    }
    a->recorded.from_first = a->retired != NULL && is_given(values, ETRACE_AFTER_RESET, 1);
}

/* --- the path --- */

static void begin_path(struct etrace_data_trace *a)
{
    if (!a->started && a->program.sent_count > 0) {
        etrace_match_break(&a->program); /* of instructions before it */
    }
    a->started = true;
    a->ended = false;
    etrace_registers_forget(&a->registers);
}

static void lose_path(struct etrace_data_trace *a)
{
    etrace_match_break(&a->program);
    if (a->recorded.all && !a->system) {
        a->recorded.broken = true; /* what an operating system does is not recorded */
    }
}

/* By a support packet, by which the encoder is disabled or not. */
static void end_path(struct etrace_data_trace *a, bool disabled)
{
    a->ended = etrace_match_left(&a->program, &a->left, &a->left_at) && disabled;
    lose_path(a);
}

static void take_run(struct etrace_data_trace *a, const uint64_t *cells)
{
    uint64_t pc = cells[ETRACE_RUN_ADDRESS];
    a->space = (uint32_t)(cells[ETRACE_RUN_COUNT] >> SPACE_BIT);
    assay_image_select_number(&a->cursor, a->space);
    for (uint32_t n = (uint32_t)cells[ETRACE_RUN_COUNT]; n > 0; n--) {
        const struct etrace_instruction i = etrace_instruction_at(&a->cursor, pc, &a->reading);
        const struct etrace_access access =
            etrace_access_of(pc, i.word, a->reading.isa, &a->registers, NULL);
        if (access.type == ETRACE_ACCESS_MANY) {
            etrace_match_break(&a->program);
        } else if (access.type != ETRACE_ACCESS_NONE) {
            etrace_match_due(&a->program, &access);
        }
        etrace_registers_follow(&a->registers, pc, i.word, a->reading.isa);
        pc += i.size;
        a->last = i;
    }
    a->followed = true;
}

/* Whether the path comes back to its last instruction without anything that a packet reports: how
 * often it did, nothing says. */
static bool is_in_silent_loop(struct etrace_data_trace *a)
{
    struct etrace_instruction i = a->last;
    for (unsigned n = 0; n < LOOP_MOST && i.size > 0; n++) {
        if (i.flow != ETRACE_FLOW_NONE && i.flow != ETRACE_FLOW_JUMP) {
            return false;
        }
        const uint64_t next = i.flow == ETRACE_FLOW_JUMP ? i.target : i.pc + i.size;
        if ((next & a->reading.mask) == a->last.pc) {
            return true;
        }
        i = etrace_instruction_at(&a->cursor, next & a->reading.mask, &a->reading);
    }
    return false;
}

static void take_trap(struct etrace_data_trace *a, const struct assay_event *trap)
{
    const bool without = a->layout[ETRACE_WIRE] >= ETRACE_2_0 &&
                         trap->from->cells[ETRACE_CELL_exception_thaddr] == 0;
    const bool known = (trap->cells[ETRACE_RUN_FLAGS] >> HANDLER_BIT & 1) != 0;
    assay_image_select_number(&a->cursor, (uint32_t)(trap->cells[ETRACE_RUN_COUNT] >> SPACE_BIT));
    /* Where a packet of subformat 0 gives the handler, no instruction is between. */
    if (!((known || without) && (a->followed || a->unhandled))) {
        lose_path(a);
        begin_path(a);
    } else if (is_in_silent_loop(a)) {
        lose_path(a);
    }
    a->unhandled = without;
    a->followed = false;
    a->gapped = false;
}

static void take_event(struct etrace_data_trace *a, const struct assay_event *event)
{
    switch (event->kind) {
    case ETRACE_run:
        take_run(a, event->cells);
        break;
    case ETRACE_trap:
        take_trap(a, event);
        break;
    case ETRACE_path_start:
        begin_path(a);
        a->unhandled = false;
        a->gapped = false;
        break;
    case ETRACE_path_lost:
        lose_path(a);
        a->followed = false;
        a->gapped = true;
        break;
    case ETRACE_path_end:
        a->followed = false;
        break;
    default:
        break;
    }
}

/* --- the recorded execution --- */

/* Accesses of which the number is not known: none can be put beside packets up to there. */
static void pass_many(struct etrace_data_trace *a)
{
    if (a->many_next &&
        (a->recorded.due_count == 0 || a->recorded.decided < a->recorded.sent_count)) {
        etrace_match_break(&a->recorded);
        a->many_next = false;
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
        etrace_access_of(item->address, item->word, a->reading.isa, &nothing, item);
    if (access.type == ETRACE_ACCESS_MANY) {
        a->many_next = true;
    } else if (access.type != ETRACE_ACCESS_NONE) {
        etrace_match_due(&a->recorded, &access);
    }
}

static void read_record(struct etrace_data_trace *a)
{
    struct etrace_access access;
    while (a->recorded.open && !a->many_next && a->recorded.due_count < ETRACE_MATCH_DUE) {
        a->recorded.open = etrace_retired_accesses_next(a->retired, &access);
        a->many_next = a->recorded.open && access.type == ETRACE_ACCESS_MANY;
        if (a->recorded.open && !a->many_next) {
            a->recorded.all = a->recorded.all && !access.unchosen;
            etrace_match_due(&a->recorded, &access);
        }
    }
}

static void read_on(struct etrace_data_trace *a)
{
    struct assay_executed item;
    if (a->retired != NULL) {
        read_record(a);
        return;
    }
    while (a->recorded.open && !a->many_next && a->recorded.due_count < ETRACE_MATCH_DUE) {
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

static void add_sent(struct etrace_match *match, const struct assay_event *packet)
{
    struct etrace_sent *sent = etrace_match_sent(match);
    if (sent == NULL) {
        match->broken = true;
        return;
    }
    sent->packet = packet->index;
    sent->offset = packet->offset;
    etrace_sent_read(sent, packet);
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

static bool ends_path(const struct assay_event *packet)
{
    return packet->kind == ETRACE_support &&
           (packet->cells[ETRACE_CELL_support_qual_status] != ETRACE_NO_CHANGE ||
            packet->cells[ETRACE_CELL_support_enable] == 0);
}

static void begin_packet(struct etrace_data_trace *a, const struct assay_event *packet)
{
    a->gapped = false;
    a->unhandled = a->unhandled && packet->kind != ETRACE_malformed && !ends_path(packet);
    if (is_loss(a, packet)) {
        etrace_match_break(&a->program);
        a->recorded.broken = true;
    } else if (is_off(a, packet)) {
        a->recorded.broken = true;
    } else if (etrace_is_data(packet->kind)) {
        a->ended = false;
        add_sent(&a->program, packet);
        if (has_recording(a)) {
            add_sent(&a->recorded, packet);
        }
    }
}

/* Whether the path cannot be followed by a packet, which no event says where that is known already.
 */
static bool loses_path(const struct etrace_data_trace *a, const struct assay_event *packet)
{
    switch (packet->kind) {
    case ETRACE_malformed:
        return packet->cells[ETRACE_CELL_malformed_of_data] == 0;
    case ETRACE_branch_count:
    case ETRACE_jump_target:
    case ETRACE_diff_delta:
    case ETRACE_addr_only:
    case ETRACE_start:
        return !a->followed;
    case ETRACE_exception:
        return !a->followed && !a->unhandled;
    default:
        return false;
    }
}

/* All that the path has of a packet was taken. */
static void finish_packet(struct etrace_data_trace *a, bool ends)
{
    const struct assay_history *const packets = a->base.setup.below;
    const struct assay_event *packet = &packets->events[(a->next - 1) & (packets->slots - 1)];
    if (a->begun && loses_path(a, packet) && !a->gapped) {
        lose_path(a);
        a->followed = false;
    }
    if (a->begun && ends_path(packet)) {
        end_path(a, packet->cells[ETRACE_CELL_support_enable] == 0);
    }
    a->begun = false;
    etrace_match_decide(&a->program, ends);
    compare_recorded(a, ends);
}

/* The next packet, which its block holds, or the one after that. */
static void next_packet(struct etrace_data_trace *a)
{
    const struct assay_history *const packets = a->base.setup.below;
    begin_packet(a, &packets->events[a->next & (packets->slots - 1)]);
    a->begun = true;
    a->next++;
}

void etrace_data_trace_pass(struct etrace_data_trace *a, uint64_t end)
{
    while (a->next < end) {
        if (a->next > 0) {
            finish_packet(a, false);
        }
        next_packet(a);
    }
}

/* --- events --- */

/* A value in the place of a field of ETRACE_ACCESS_FIELDS. */
#define BIT_OF(field, value) ((uint64_t)(value) << ETRACE_BIT_access_##field)

static void add_event(struct etrace_data_trace *a, enum etrace_kind kind,
                      const struct etrace_match *match, const struct etrace_sent *sent)
{
    const struct assay_event *packet = assay_history_find(a->base.setup.below, sent->packet);
    struct assay_event *event = assay_step_add(&a->base, kind, packet);
    uint64_t *cells = assay_step_cells(&a->base, event);
    const struct etrace_access *says = &sent->says;
    const struct etrace_access *due = &sent->due;
    const bool of_operand = sent->differs == ETRACE_DIFFERS_OPERAND;
    event->offset = sent->offset;
    cells[ETRACE_RUN_FLAGS] =
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
    cells[ETRACE_RUN_ADDRESS] = due->pc;
    cells[4] = due->word;
    cells[5] = says->location;
    cells[6] = due->location;
    cells[7] = of_operand ? says->operand : says->value;
    cells[8] = of_operand ? due->operand : due->value;
}

static bool add_events(struct etrace_data_trace *a, enum etrace_kind kind,
                       struct etrace_match *match, uint64_t room)
{
    const struct etrace_sent *sent = NULL;
    while (a->base.history.next < room && (sent = etrace_match_take(match)) != NULL) {
        add_event(a, kind, match, sent);
    }
    return match->settled == 0;
}

/* Adds events of packets of which all is known. False: there is no room for more. */
static bool add_known(struct etrace_data_trace *a, uint64_t room)
{
    return add_events(a, ETRACE_access, &a->program, room) &&
           add_events(a, ETRACE_recorded_access, &a->recorded, room);
}

/* Comes to the packet before the one with this index, with the events of those before. False: there
 * is no room for more. */
static bool come_to(struct etrace_data_trace *a, uint64_t end, uint64_t room)
{
    while (a->next < end) {
        if (a->next > 0) {
            finish_packet(a, false);
        }
        if (!add_known(a, room) && a->base.history.next >= room) {
            return false;
        }
        next_packet(a);
    }
    return true;
}

static void add_end(struct etrace_data_trace *a, uint64_t offset)
{
    struct assay_event *event = assay_step_add(&a->base, ETRACE_access_end, NULL);
    uint64_t *cells = assay_step_cells(&a->base, event);
    event->offset = offset;
    cells[ETRACE_RUN_FLAGS] = (uint64_t)a->ended;
    cells[1] = a->ended ? a->left : 0;
    cells[2] = a->ended ? a->left_at : 0;
}

/* The last event of the path comes after those of all packets. */
static bool finish(struct etrace_data_trace *a, uint64_t offset, uint64_t room)
{
    if (!come_to(a, a->base.setup.below->next, room)) {
        return false;
    }
    finish_packet(a, true);
    if (!add_known(a, room)) {
        return false;
    }
    add_end(a, offset);
    return true;
}

static bool step(struct assay_step_stage *stage, const struct assay_event *event)
{
    struct etrace_data_trace *a = (struct etrace_data_trace *)stage;
    const uint64_t room = stage->history.next + ADDED_MOST - ADDED_AT_END;
    if (event->kind == ETRACE_trace_end ? !finish(a, event->offset, room)
                                        : !come_to(a, event->from->index + 1, room)) {
        return false;
    }
    take_event(a, event);
    if (event->kind != ETRACE_access) {
        struct assay_event *copy = assay_step_add(stage, event->kind, event->from);
        copy->offset = event->offset;
        memcpy(assay_step_cells(stage, copy), event->cells,
               ETRACE_INSTRUCTION_CELLS * sizeof *event->cells);
    }
    return true;
}

/* --- the stage --- */

static void close_data(struct assay_stage *stage)
{
    struct etrace_data_trace *a = (struct etrace_data_trace *)stage;
    etrace_match_close(&a->program);
    etrace_match_close(&a->recorded);
    assay_execution_close(a->execution);
    etrace_retired_accesses_close(a->retired);
    assay_step_close(stage);
}

struct assay_stage *etrace_data_trace_open(const struct assay_decode_input *input,
                                           struct assay_history *packets)
{
    static const struct assay_stage_ops ops = {.take = assay_step_take,
                                               .next = assay_step_next,
                                               .complete = assay_step_complete,
                                               .close = close_data,
                                               .annotates = true};
    const struct assay_step_setup setup = {.ops = &ops,
                                           .layer = ETRACE_INSTRUCTION,
                                           .below = packets,
                                           .cells = ETRACE_INSTRUCTION_CELLS,
                                           .most = ADDED_MOST,
                                           .lead = input->lead,
                                           .step = step};
    struct etrace_data_trace *a = assay_step_open(sizeof *a, &setup);
    bool failed = false;
    if (a == NULL) {
        return NULL;
    }
    etrace_layout(input->parameters, a->layout);
    a->reading = etrace_reading_of(a->layout);
    assay_image_cursor_open(&a->cursor, input->images);
    etrace_registers_forget(&a->registers);
    failed = !etrace_match_open(&a->program);
    failed = !etrace_match_open(&a->recorded) || failed;
    if (!failed) {
        open_matches(a, input, &failed);
    }
    if (failed) {
        close_data(&a->base.base);
        return NULL;
    }
    return &a->base.base;
}
