/* The second stage: packets to the path through the program (chapter 11, with the errata of the
 * interpretations). This file has the state and what packets do to it; follow.c follows the path.
 */
#include "etrace/path/path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "etrace/packets/options.h"
#include "etrace/path/loops.h"

enum { CACHE_ENTRIES = 1 << 15, ADDED_MOST = 64, ADDED_BY_PACKET = 4 };
enum { BRANCH_FMT_RESERVED = 1, BRANCH_FMT_ADDR = 2, BRANCH_FMT_ADDR_FAIL = 3 };

/* --- events --- */

static uint64_t *add(struct etrace_path *p, enum etrace_kind kind, const struct assay_event *packet)
{
    return assay_step_add_cells(&p->base, kind, packet, ETRACE_INSTRUCTION_CELLS);
}

static uint64_t pending(const struct etrace_path *p)
{
    const uint64_t count = etrace_branches_count(&p->branches);
    return count < 63 ? count : 63;
}

/* The space that the program is read in, in the place of that of a run. */
static uint64_t space_before(const struct etrace_path *p)
{
    return (uint64_t)p->cursor.number << SPACE_BIT;
}

/* That the path is not followed further is no fault of the trace. */
static void say_why(struct etrace_path *p, enum etrace_lost reason, uint64_t address)
{
    if (p->why[0] != '\0') {
        return;
    }
    if (reason == ETRACE_LOST_ABSENT) {
        snprintf(p->why, sizeof p->why, "no program image at 0x%" PRIx64, address);
    } else if (reason == ETRACE_LOST_NO_HANDLER) {
        snprintf(p->why, sizeof p->why, "the address of a trap handler is not known");
    } else if (reason == ETRACE_LOST_TOO_FAR) {
        snprintf(p->why, sizeof p->why, "more than %" PRIu32 " runs of instructions at once",
                 p->repeats.most);
    } else if (reason == ETRACE_LOST_WHICH_ENTRY) {
        snprintf(p->why, sizeof p->why, "cached_targets is not given, and an index depends on it");
    }
}

void etrace_lose(struct etrace_path *p, const struct assay_event *packet, enum etrace_lost reason,
                 uint64_t address)
{
    if (!p->loss_reported) {
        uint64_t *cells = add(p, ETRACE_path_lost, packet);
        cells[ETRACE_RUN_FLAGS] = (uint64_t)p->privilege | (uint64_t)reason << REASON_BIT |
                                  pending(p) << LOST_PENDING_BIT |
                                  (uint64_t)(p->following && p->passed) << PASSED_BIT;
        cells[ETRACE_PATH_LOST_REPORTED] = p->address;
        cells[ETRACE_RUN_ADDRESS] = address;
        cells[ETRACE_RUN_COUNT] = space_before(p);
    }
    say_why(p, reason, address);
    p->loss_reported = true;
    p->started = false;
    p->following = false;
    etrace_branches_drop(&p->branches);
}

/* --- state --- */

static bool has(const struct assay_event *packet, unsigned number)
{
    return (packet->cells[ASSAY_CELL_PRESENCE] >> number & 1) != 0;
}

static void take_context(struct etrace_path *p, uint64_t privilege, bool has_context,
                         uint64_t context)
{
    p->privilege = (uint8_t)privilege;
    if (has_context && context != p->context) {
        p->context = context;
        const struct assay_space space = {.given = ASSAY_SPACE_CONTEXT, .context = context};
        (void)assay_image_select(&p->cursor, &space);
    }
}

/* A synchronisation packet: what decoder and encoder have learnt is forgotten (3.2.5 to 3.2.7). */
static void reset(struct etrace_path *p)
{
    etrace_predictor_reset(&p->branches.predictor);
    p->branches.unlearned =
        p->branches.predictor.table != NULL && etrace_branches_count(&p->branches) > 0;
    p->calls.depth = 0;
    etrace_targets_reset(&p->targets);
}

/* --- packets of format 3 --- */

/* The outcome of the branch that the packet reports, if the instruction is one (6.2.1). */
static void take_branch(struct etrace_path *p, uint64_t address, uint64_t branch)
{
    const struct etrace_instruction i = etrace_instruction_at(&p->cursor, address, &p->reading);
    if (i.flow == ETRACE_FLOW_BRANCH) {
        etrace_branches_add(&p->branches, branch, 1);
    }
}

static void finish_start(struct etrace_path *p, const struct assay_event *packet)
{
    const uint64_t *says = packet->cells;
    take_context(p, says[ETRACE_CELL_start_privilege], has(packet, ETRACE_NUMBER_start_context),
                 says[ETRACE_CELL_start_context]);
    reset(p);
}

static void take_start(struct etrace_path *p, const struct assay_event *packet)
{
    const uint64_t *says = packet->cells;
    p->address = says[ETRACE_CELL_start_address];
    if (p->started && etrace_begins_asynchronously(p, packet)) {
        etrace_lose(p, packet, ETRACE_LOST_ASYNCHRONOUS, p->last.pc);
    }
    if (p->started) {
        p->inferred = false; /* the address was that of the first occurrence (6.6.2) */
        take_branch(p, p->address, says[ETRACE_CELL_start_branch]);
        etrace_follow(p, &(struct etrace_report){
                             .address = p->address,
                             .sync = true,
                             .privilege = (uint8_t)says[ETRACE_CELL_start_privilege],
                             .privileged = p->privilege != says[ETRACE_CELL_start_privilege]});
        return;
    }
    etrace_branches_drop(&p->branches);
    take_context(p, says[ETRACE_CELL_start_privilege], has(packet, ETRACE_NUMBER_start_context),
                 says[ETRACE_CELL_start_context]);
    take_branch(p, p->address, says[ETRACE_CELL_start_branch]);
    uint64_t *cells = add(p, ETRACE_path_start, packet);
    cells[ETRACE_RUN_FLAGS] = p->privilege;
    cells[ETRACE_RUN_ADDRESS] = p->address;
    cells[ETRACE_RUN_CONTEXT] = p->context;
    reset(p);
    etrace_begin(p, packet, ETRACE_BY_SYNC, p->address);
}

static void take_exception(struct etrace_path *p, const struct assay_event *packet)
{
    const uint64_t *says = packet->cells;
    const uint64_t space = space_before(p);
    const bool old = p->layout[ETRACE_WIRE] < ETRACE_2_0;
    const bool known = has(packet, ETRACE_NUMBER_exception_address) &&
                       (old || says[ETRACE_CELL_exception_thaddr] != 0);
    etrace_branches_drop(&p->branches);
    take_context(p, says[ETRACE_CELL_exception_privilege],
                 has(packet, ETRACE_NUMBER_exception_context), says[ETRACE_CELL_exception_context]);
    uint64_t *cells = add(p, ETRACE_trap, packet);
    cells[ETRACE_RUN_FLAGS] = (uint64_t)p->privilege |
                              says[ETRACE_CELL_exception_interrupt] << INTERRUPT_BIT |
                              (uint64_t)known << HANDLER_BIT;
    cells[ETRACE_TRAP_CAUSE] = says[ETRACE_CELL_exception_ecause];
    cells[ETRACE_TRAP_TVAL] = says[ETRACE_CELL_exception_tvalepc];
    cells[ETRACE_RUN_ADDRESS] = known ? says[ETRACE_CELL_exception_address] : 0;
    cells[ETRACE_RUN_CONTEXT] = p->context;
    cells[ETRACE_RUN_COUNT] = space;
    if (known) {
        p->address = says[ETRACE_CELL_exception_address];
        take_branch(p, p->address, says[ETRACE_CELL_exception_branch]);
        reset(p);
        etrace_begin(p, packet, ETRACE_BY_TRAP, p->address);
        return;
    }
    reset(p);
    if (old || says[ETRACE_CELL_exception_thaddr] != 0) {
        etrace_lose(p, packet, ETRACE_LOST_NO_HANDLER, 0);
    } else {
        p->started = false; /* a start gives the handler */
    }
}

static void end_path(struct etrace_path *p, const struct assay_event *packet)
{
    const uint64_t *says = packet->cells;
    if (p->started) {
        uint64_t *cells = add(p, ETRACE_path_end, packet);
        cells[ETRACE_RUN_FLAGS] = says[ETRACE_CELL_support_qual_status] |
                                  says[ETRACE_CELL_support_enable] << ENABLE_BIT |
                                  pending(p) << END_PENDING_BIT;
        cells[ETRACE_RUN_CONTEXT] = p->context;
        cells[ETRACE_RUN_ADDRESS] = p->last.pc;
    }
    p->started = false;
    p->loss_reported = false;
    etrace_branches_drop(&p->branches);
}

static void take_support(struct etrace_path *p, const struct assay_event *packet)
{
    const uint64_t *says = packet->cells;
    const uint64_t status = says[ETRACE_CELL_support_qual_status];
    (void)etrace_options_follow(says, p->layout);
    p->gaps = p->gaps || status == ETRACE_TRACE_LOST;
    if (status == ETRACE_ENDED_UPD && p->started && p->inferred) {
        /* The address was that of the second occurrence. */
        etrace_follow(p, &(struct etrace_report){.by_branch = true});
    } else if (status != ETRACE_NO_CHANGE || says[ETRACE_CELL_support_enable] == 0) {
        end_path(p, packet);
    }
}

/* --- packets of format 0, 1 and 2 --- */

/* The cells of an address and of what follows it, which kinds have alike. */
struct address_cells {
    uint8_t address, notify, updiscon, irreport, irdepth;
};

#define ADDRESS_CELLS(kind)                                                                        \
    {                                                                                              \
        ETRACE_CELL_##kind##_address, ETRACE_CELL_##kind##_notify, ETRACE_CELL_##kind##_updiscon,  \
            ETRACE_CELL_##kind##_irreport, ETRACE_CELL_##kind##_irdepth                            \
    }

static void follow_address(struct etrace_path *p, const uint64_t *says,
                           const struct address_cells *at)
{
    const uint64_t address = says[at->address];
    p->address = p->layout[ETRACE_FULL_ADDRESS] != 0 ? address : p->address + address;
    p->address &= p->reading.mask;
    etrace_follow(p, &(struct etrace_report){.address = p->address,
                                             .notify = says[at->notify] != 0,
                                             .updiscon = says[at->updiscon] != 0,
                                             .irreport = says[at->irreport] != 0,
                                             .irdepth = says[at->irdepth]});
}

static void take_delta(struct etrace_path *p, const struct assay_event *packet)
{
    static const struct address_cells cells = ADDRESS_CELLS(diff_delta);
    const uint64_t *says = packet->cells;
    const uint32_t branches = (uint32_t)says[ETRACE_CELL_diff_delta_branches];
    etrace_branches_add(&p->branches, says[ETRACE_CELL_diff_delta_branch_map],
                        branches > 0 ? branches : ETRACE_FULL_MAP);
    if (branches > 0) {
        follow_address(p, says, &cells);
    } else {
        etrace_follow(p, &(struct etrace_report){.by_branch = true});
    }
}

static void take_address(struct etrace_path *p, const struct assay_event *packet)
{
    static const struct address_cells cells = ADDRESS_CELLS(addr_only);
    follow_address(p, packet->cells, &cells);
}

static void take_count(struct etrace_path *p, const struct assay_event *packet)
{
    static const struct address_cells cells = ADDRESS_CELLS(branch_count);
    const uint64_t *says = packet->cells;
    const uint64_t fmt = says[ETRACE_CELL_branch_count_branch_fmt];
    if (fmt == BRANCH_FMT_RESERVED) {
        etrace_lose(p, packet, ETRACE_LOST_MALFORMED, p->last.pc);
        return;
    }
    etrace_branches_predict(&p->branches,
                            says[ETRACE_CELL_branch_count_branch_count] + ETRACE_FULL_MAP,
                            fmt < BRANCH_FMT_ADDR || fmt == BRANCH_FMT_ADDR_FAIL);
    if (fmt >= BRANCH_FMT_ADDR) {
        follow_address(p, says, &cells);
    } else {
        etrace_follow(p, &(struct etrace_report){.by_branch = true});
    }
}

static void take_target(struct etrace_path *p, const struct assay_event *packet)
{
    const uint64_t *says = packet->cells;
    etrace_branches_add(&p->branches, says[ETRACE_CELL_jump_target_branch_map],
                        (uint32_t)says[ETRACE_CELL_jump_target_branches]);
    etrace_follow(p,
                  &(struct etrace_report){.indexed = true,
                                          .index = says[ETRACE_CELL_jump_target_index],
                                          .irreport = says[ETRACE_CELL_jump_target_irreport] != 0,
                                          .irdepth = says[ETRACE_CELL_jump_target_irdepth]});
}

/* --- the stage --- */

/* Takes a packet; what is to be followed then is in the stage. */
static void take(struct etrace_path *p, const struct assay_event *packet)
{
    const bool follows = packet->kind <= ETRACE_addr_only && packet->kind >= ETRACE_branch_count;
    if (follows && !p->started) {
        etrace_lose(p, packet, ETRACE_LOST_NO_SYNC, 0);
        return;
    }
    switch (packet->kind) {
    case ETRACE_malformed:
        p->gaps = true;
        if (packet->cells[ETRACE_CELL_malformed_of_data] == 0) {
            etrace_lose(p, packet, ETRACE_LOST_MALFORMED, p->last.pc);
        }
        break;
    case ETRACE_start:
        take_start(p, packet);
        break;
    case ETRACE_exception:
        take_exception(p, packet);
        break;
    case ETRACE_context:
        take_context(p, packet->cells[ETRACE_CELL_context_privilege],
                     has(packet, ETRACE_NUMBER_context_context),
                     packet->cells[ETRACE_CELL_context_context]);
        break;
    case ETRACE_support:
        take_support(p, packet);
        break;
    case ETRACE_diff_delta:
        take_delta(p, packet);
        break;
    case ETRACE_addr_only:
        take_address(p, packet);
        break;
    case ETRACE_branch_count:
        take_count(p, packet);
        break;
    case ETRACE_jump_target:
        take_target(p, packet);
        break;
    default:
        if (p->traces_data && etrace_is_data(packet->kind)) {
            (void)add(p, ETRACE_access, packet);
        }
        break;
    }
}

static bool step(struct assay_step_stage *stage, const struct assay_event *packet)
{
    struct etrace_path *p = (struct etrace_path *)stage;
    const uint64_t room = stage->history.next + ADDED_MOST - ADDED_BY_PACKET;
    p->offset = packet->offset;
    if (!p->following) {
        take(p, packet);
    }
    while (p->following && stage->history.next < room) {
        if (!etrace_advance(p, packet, room)) {
            continue;
        }
        if (packet->kind == ETRACE_support) {
            end_path(p, packet);
        } else if (packet->kind == ETRACE_start && p->started) {
            finish_start(p, packet);
        } else if (packet->kind == ETRACE_start) {
            take_start(p, packet); /* the path to it is lost, and begins again (8.2) */
        }
    }
    return !p->following;
}

static bool finish(struct assay_step_stage *stage)
{
    struct etrace_path *p = (struct etrace_path *)stage;
    struct assay_event *end = assay_step_add(stage, ETRACE_trace_end, NULL);
    end->offset = p->offset;
    assay_step_cells(stage, end)[ETRACE_TRACE_END_GAPS] = p->gaps;
    return true;
}

static bool complete(const struct assay_stage *stage, const char **why)
{
    const struct etrace_path *p = (const struct etrace_path *)stage;
    *why = p->why[0] != '\0' ? p->why : NULL;
    return *why == NULL;
}

static void close_path(struct assay_stage *stage)
{
    struct etrace_path *p = (struct etrace_path *)stage;
    assay_run_cache_close(&p->cache);
    etrace_predictor_close(&p->branches.predictor);
    etrace_calls_close(&p->calls);
    etrace_targets_close(&p->targets);
    free(p->loop.ring);
    free(p->repeats.loop.ring);
    assay_step_close(stage);
}

/* What the parameters make of memory. False: there is none. */
static bool open_tables(struct etrace_path *p)
{
    bool opened =
        etrace_predictor_open(&p->branches.predictor, (unsigned)p->layout[ETRACE_BPRED_SIZE],
                              (unsigned)p->layout[ETRACE_IADDRESS_LSB]);
    opened = etrace_calls_open(&p->calls, p->layout) && opened;
    if (p->calls.most > 0) {
        p->loop.ring = calloc(p->calls.most, sizeof *p->loop.ring);
        p->repeats.loop.ring = calloc(p->calls.most, sizeof *p->loop.ring);
        opened = opened && p->loop.ring != NULL && p->repeats.loop.ring != NULL;
    }
    opened = etrace_targets_open(&p->targets, p->layout) && opened;
    return opened && assay_run_cache_open(&p->cache, CACHE_ENTRIES,
                                          sizeof(struct etrace_cached_walk)) == ASSAY_OK;
}

struct assay_stage *etrace_path_open(const struct assay_decode_input *input,
                                     struct assay_history *packets, bool each_run)
{
    static const struct assay_stage_ops ops = {.take = assay_step_take,
                                               .next = assay_step_next,
                                               .complete = complete,
                                               .close = close_path};
    const struct assay_step_setup setup = {.ops = &ops,
                                           .layer = ETRACE_INSTRUCTION,
                                           .below = packets,
                                           .cells = ETRACE_INSTRUCTION_CELLS,
                                           .most = ADDED_MOST,
                                           .lead = input->lead,
                                           .step = step,
                                           .finish = finish};
    struct etrace_path *p = assay_step_open(sizeof *p, &setup);
    if (p == NULL) {
        return NULL;
    }
    etrace_layout(input->parameters, p->layout);
    p->reading = etrace_reading_of(p->layout);
    p->reading.conditions = input->conditions;
    assay_image_cursor_open(&p->cursor, input->images);
    assay_image_cursor_open(&p->shown, input->images);
    p->traces_data = etrace_traces_data(p->layout);
    if (!open_tables(p)) {
        close_path(&p->base.base);
        return NULL;
    }
    etrace_repeats_open(&p->repeats, input->images, !each_run);
    reset(p);
    return &p->base.base;
}
