/* The packets of the reference encoder: which format, and what it holds (8.1). */
#include <string.h>

#include "etrace/packets/options.h"
#include "generators/etrace/unit_private.h"

enum { BRANCH_FMT_NO_ADDR, BRANCH_FMT_ADDR = 2, BRANCH_FMT_ADDR_FAIL };
enum { ILLEGAL_INSTRUCTION = 2 };

static void emit(struct etrace_unit *u, enum etrace_kind kind, const uint64_t *cells)
{
    u->setup.packet(u->setup.context, kind, cells);
    u->unsettled = u->unsettled && kind == ETRACE_context;
    if (u->setup.resync == ETRACE_RESYNC_PACKETS && kind != ETRACE_support) {
        u->resync++;
    }
}

static void forget_branches(struct etrace_unit *u)
{
    u->unreported = (struct etrace_unreported){0};
    u->passed_return = u->branches_since_return = false;
    memset(u->inferred, 0, ((size_t)u->calls.most + 1) * sizeof *u->inferred);
}

/* --- format 3 --- */

/* What decoders forget at a synchronisation packet (3.2.5 to 3.2.7). */
static void reset(struct etrace_unit *u)
{
    etrace_predictor_reset(&u->predictor);
    u->calls.depth = 0;
    u->returns_since_call = false;
    etrace_targets_reset(&u->targets);
    forget_branches(u);
    u->resync = 0;
    u->context = u->current.context;
    u->context_due = false;
}

static bool not_taken(const struct etrace_unit *u)
{
    return u->current.itype != ETRACE_ITYPE_TAKEN;
}

static uint64_t masked(uint64_t value, uint64_t width)
{
    return value & assay_mask((unsigned)width);
}

static uint64_t context_of(const struct etrace_unit *u)
{
    return etrace_unit_is_on(u, ETRACE_NOCONTEXT)
               ? 0
               : masked(u->current.context, u->layout[ETRACE_CONTEXT_WIDTH]);
}

void etrace_unit_synchronise(struct etrace_unit *u)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_start_branch] = not_taken(u);
    cells[ETRACE_CELL_start_privilege] = u->current.priv;
    cells[ETRACE_CELL_start_context] = context_of(u);
    cells[ETRACE_CELL_start_address] = u->current.iaddr;
    emit(u, ETRACE_start, cells);
    u->reported = u->current.iaddr;
    reset(u);
}

void etrace_unit_report_trap(struct etrace_unit *u)
{
    const bool new = u->layout[ETRACE_WIRE] >= ETRACE_2_0;
    const bool interrupt = u->trap.itype == ETRACE_ITYPE_INTERRUPT;
    const bool illegal = !interrupt && u->trap.cause == ILLEGAL_INSTRUCTION && !new;
    const bool implicit = etrace_unit_is_on(u, ETRACE_IMPLICIT_EXCEPTION);
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_exception_branch] = not_taken(u);
    cells[ETRACE_CELL_exception_privilege] = u->current.priv;
    cells[ETRACE_CELL_exception_context] = context_of(u);
    cells[ETRACE_CELL_exception_ecause] = masked(u->trap.cause, u->layout[ETRACE_ECAUSE_WIDTH]);
    cells[ETRACE_CELL_exception_interrupt] = interrupt;
    cells[ETRACE_CELL_exception_thaddr] = new;
    cells[ETRACE_CELL_exception_address] = implicit ? 0 : u->current.iaddr;
    if (!new || !interrupt) {
        cells[ETRACE_CELL_exception_tvalepc] =
            masked(illegal ? u->trap.iaddr : u->trap.tval, u->layout[ETRACE_IADDRESS_WIDTH]);
    }
    emit(u, ETRACE_exception, cells);
    u->reported = implicit ? u->reported : u->current.iaddr;
    reset(u);
}

void etrace_unit_report_alone(struct etrace_unit *u)
{
    const bool interrupt = u->trap.itype == ETRACE_ITYPE_INTERRUPT;
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_exception_branch] = not_taken(u);
    cells[ETRACE_CELL_exception_privilege] = u->trap.priv;
    cells[ETRACE_CELL_exception_context] = context_of(u);
    cells[ETRACE_CELL_exception_ecause] = masked(u->trap.cause, u->layout[ETRACE_ECAUSE_WIDTH]);
    cells[ETRACE_CELL_exception_interrupt] = interrupt;
    cells[ETRACE_CELL_exception_address] = u->trap.iaddr;
    if (!interrupt) {
        cells[ETRACE_CELL_exception_tvalepc] =
            masked(u->trap.tval, u->layout[ETRACE_IADDRESS_WIDTH]);
    }
    emit(u, ETRACE_exception, cells);
    u->reported = u->trap.iaddr;
    reset(u);
}

void etrace_unit_report_context(struct etrace_unit *u)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_context_privilege] = u->current.priv;
    cells[ETRACE_CELL_context_context] = context_of(u);
    emit(u, ETRACE_context, cells);
    u->context = u->current.context;
    u->context_due = false;
}

void etrace_unit_support(struct etrace_unit *u, bool enable, unsigned qual_status)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_support_enable] = enable;
    cells[ETRACE_CELL_support_qual_status] = qual_status;
    cells[ETRACE_CELL_support_options] = etrace_options_of(u->layout, false);
    if (u->layout[ETRACE_WIRE] >= ETRACE_2_0) {
        cells[ETRACE_CELL_support_doptions] = etrace_options_of(u->layout, true);
        cells[ETRACE_CELL_support_denable] =
            enable && (u->layout[ETRACE_DATA_WIDTH] > 0 || u->layout[ETRACE_DADDRESS_WIDTH] > 0);
    }
    emit(u, ETRACE_support, cells);
}

/* --- formats 0, 1 and 2 --- */

/* The depth of the stack is needed to find the right one of several places with the same address
 * (6.6.3). After a return it is said even if it is 0: a decoder that stops at the first place would
 * else be too early. At a target without updiscon it would say that a return was mispredicted. */
static bool needs_depth(const struct etrace_unit *u, const struct etrace_reason *reason)
{
    if (!etrace_unit_is_on(u, ETRACE_IMPLICIT_RETURN) || !(reason->last || reason->ends) ||
        u->mispredicted || (u->discontinuity && !u->flagged)) {
        return false;
    }
    return u->returned || (u->returns_since_call && !u->branches_since_return);
}

/* The cells of an address and what follows it, from `first` on in the order of ETRACE_ADDRESS. */
enum { ADDRESS, NOTIFY, UPDISCON, IRREPORT, IRDEPTH };

static void put_depth(struct etrace_unit *u, const struct etrace_reason *reason, uint64_t *irreport)
{
    const uint64_t most = assay_mask((unsigned)etrace_irdepth_width(
        u->layout[ETRACE_RETURN_STACK_SIZE], u->layout[ETRACE_CALL_COUNTER_SIZE], 0));
    const bool depth = needs_depth(u, reason);
    const uint64_t says = u->mispredicted ? u->depth : depth ? u->calls.depth : 0;
    const bool is_branch =
        u->current.itype == ETRACE_ITYPE_TAKEN || u->current.itype == ETRACE_ITYPE_NOT_TAKEN;
    irreport[0] = u->mispredicted || depth;
    irreport[1] = says & most; /* a counter that is full has one more than there is room for */
    /* A return at that depth, or the address, may have been passed before, with no outcome since.
     */
    const bool passed = u->inferred[says] == 1 + u->unreported.count - is_branch;
    const bool again = u->passed_return && !u->branches_since_return &&
                       (reason->notified || !u->returns_since_call);
    u->ambiguous += says > most || (irreport[0] != 0 ? passed : !u->discontinuity && again);
}

static void put_address(struct etrace_unit *u, const struct etrace_reason *reason, uint64_t *cells)
{
    const unsigned width = (unsigned)u->layout[ETRACE_IADDRESS_WIDTH];
    const uint64_t sign = UINT64_C(1) << (width - 1);
    const uint64_t difference = masked(u->current.iaddr - u->reported, width);
    cells[ADDRESS] =
        etrace_unit_is_on(u, ETRACE_FULL_ADDRESS) ? u->current.iaddr : (difference ^ sign) - sign;
    cells[NOTIFY] = reason->notified;
    u->flagged = reason->target && reason->last;
    cells[UPDISCON] = u->flagged;
    put_depth(u, reason, &cells[IRREPORT]);
}

static void report_count(struct etrace_unit *u, const struct etrace_reason *reason)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_branch_count_branch_count] = u->unreported.count - ETRACE_FULL_MAP;
    cells[ETRACE_CELL_branch_count_branch_fmt] = reason == NULL         ? BRANCH_FMT_NO_ADDR
                                                 : u->unreported.failed ? BRANCH_FMT_ADDR_FAIL
                                                                        : BRANCH_FMT_ADDR;
    if (reason != NULL) {
        put_address(u, reason, &cells[ETRACE_CELL_branch_count_address]);
    }
    emit(u, ETRACE_branch_count, cells);
}

static void report_map(struct etrace_unit *u, const struct etrace_reason *reason)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_diff_delta_branches] = reason == NULL ? 0 : u->unreported.count;
    cells[ETRACE_CELL_diff_delta_branch_map] = u->unreported.map;
    if (reason != NULL) {
        put_address(u, reason, &cells[ETRACE_CELL_diff_delta_address]);
    }
    emit(u, ETRACE_diff_delta, cells);
}

static void report_index(struct etrace_unit *u, const struct etrace_reason *reason, uint64_t index)
{
    uint64_t cells[ETRACE_PACKET_CELLS] = {0};
    cells[ETRACE_CELL_jump_target_index] = index;
    cells[ETRACE_CELL_jump_target_branches] = u->unreported.count;
    cells[ETRACE_CELL_jump_target_branch_map] = u->unreported.map;
    put_depth(u, reason, &cells[ETRACE_CELL_jump_target_irreport]);
    emit(u, ETRACE_jump_target, cells);
}

/* Looks the target of a jump up in the cache, which has it from now on. Flags that packets with an
 * index lack must not be needed. */
static bool is_cached(struct etrace_unit *u, const struct etrace_reason *reason, uint64_t *index)
{
    const bool xret = u->previous.itype == ETRACE_ITYPE_XRET;
    if (!etrace_unit_is_on(u, ETRACE_JUMP_TARGET_CACHE) || !reason->target ||
        (xret && u->targets.cached == ETRACE_CACHED_JUMPS)) {
        return false;
    }
    uint64_t target = 0;
    *index = etrace_targets_index(&u->targets, u->current.iaddr);
    const bool hit = etrace_targets_find(&u->targets, *index, &target) == ETRACE_ENTRY_FILLED &&
                     target == u->current.iaddr;
    etrace_targets_learn(&u->targets, u->current.iaddr, xret);
    return hit && !reason->last && !reason->notified;
}

void etrace_unit_report_address(struct etrace_unit *u, const struct etrace_reason *reason)
{
    uint64_t index = 0;
    const bool cached = is_cached(u, reason, &index);
    if (u->unreported.failed ||
        (u->unreported.count >= ETRACE_FULL_MAP && !u->unreported.mispredicted)) {
        report_count(u, reason);
    } else if (cached) {
        report_index(u, reason, index);
    } else if (u->unreported.count > 0) {
        report_map(u, reason);
    } else {
        uint64_t cells[ETRACE_PACKET_CELLS] = {0};
        put_address(u, reason, &cells[ETRACE_CELL_addr_only_address]);
        emit(u, ETRACE_addr_only, cells);
    }
    u->unsettled = reason->target && !reason->last;
    u->reported = u->current.iaddr;
    forget_branches(u);
}

void etrace_unit_report_branches(struct etrace_unit *u)
{
    if (u->unreported.failed) {
        report_count(u, NULL);
    } else {
        report_map(u, NULL);
    }
    forget_branches(u);
}
