/* The elements that say something of the execution and need no more than the state of the unit. */
#include "generators/ete/unit_private.h"

enum {
    COUNT_BITS = 20, /* of a Cycle Count above the threshold, and in a Timestamp */
    TICKS = 1000     /* of a timestamp in a microsecond */
};

void ete_unit_put_element(struct ete_unit *u, const struct ete_element *element)
{
    if (u->error == ASSAY_OK) {
        u->error = ete_writer_put(u->writer, element, &u->diag);
        u->elements++;
    }
}

void ete_unit_put(struct ete_unit *u, enum ete_kind kind, unsigned cell, uint64_t value)
{
    struct ete_element element = {.kind = kind};
    element.cells[cell] = value;
    ete_unit_put_element(u, &element);
}

void ete_unit_put_plain(struct ete_unit *u, enum ete_kind kind)
{
    ete_unit_put_element(u, &(struct ete_element){.kind = kind});
}

void ete_unit_put_target(struct ete_unit *u, struct ete_address address)
{
    struct ete_element element = {.kind = ETE_elem_target_address};
    element.cells[ETE_CELL_elem_target_address_address] = address.value;
    element.cells[ETE_CELL_elem_target_address_is1] = address.is1;
    ete_unit_put_element(u, &element);
}

void ete_unit_put_context(struct ete_unit *u)
{
    struct ete_element element = {.kind = ETE_elem_context};
    element.cells[ETE_CELL_elem_context_el] = u->context.el;
    element.cells[ETE_CELL_elem_context_security] = u->context.security;
    element.cells[ETE_CELL_elem_context_sf] = !u->context.aarch32;
    element.cells[ETE_CELL_elem_context_context_id] =
        ete_unit_has(u, ETE_CONTEXT_ID_BIT) ? u->context.context_id : 0;
    element.cells[ETE_CELL_elem_context_vmid] = ete_unit_has(u, ETE_VMID_BIT) ? u->context.vmid : 0;
    ete_unit_put_element(u, &element);
    u->shown = u->context;
    u->context_due = false;
    u->transaction.context_said = u->transaction.announced;
}

void ete_unit_put_trace_info(struct ete_unit *u)
{
    struct ete_element element = {.kind = ETE_elem_trace_info};
    const bool counting = ete_unit_has(u, ETE_CYCLE_COUNTS_BIT);
    element.cells[ETE_CELL_elem_trace_info_cc_enabled] = counting;
    element.cells[ETE_CELL_elem_trace_info_cc_threshold] = counting ? u->options.threshold : 0;
    element.cells[ETE_CELL_elem_trace_info_spec_depth] = u->depth;
    element.cells[ETE_CELL_elem_trace_info_in_transaction] = u->transaction.announced;
    ete_unit_put_element(u, &element);
    u->synced_at = u->sink->total;
    u->stack.count = 0;
    u->transaction.before.count = 0;
    u->transaction.marked = u->transaction.announced;
}

static void put_cycle_count(struct ete_unit *u)
{
    struct ete_element element = {.kind = ETE_elem_cycle_count};
    const bool unknown =
        u->cycles_unknown || u->cycles - u->options.threshold > assay_mask(COUNT_BITS);
    element.cells[ETE_CELL_elem_cycle_count_unknown] = unknown;
    element.cells[ETE_CELL_elem_cycle_count_count] = unknown ? 0 : u->cycles;
    ete_unit_put_element(u, &element);
    u->cycles = 0;
    u->cycles_unknown = false;
}

void ete_unit_count_cycles(struct ete_unit *u, bool committed)
{
    const bool by_itself =
        u->options.max_depth == 0 || (u->options.trcidr0 >> ETE_COMMOPT_BIT & 1) != 0;
    if (ete_unit_has(u, ETE_CYCLE_COUNTS_BIT) && u->cycles >= u->options.threshold &&
        (committed || by_itself)) {
        put_cycle_count(u);
    }
}

static void put_timestamp(struct ete_unit *u)
{
    struct ete_element element = {.kind = ETE_elem_timestamp};
    const bool counted =
        ete_unit_has(u, ETE_CYCLE_COUNTS_BIT) && u->cycles <= assay_mask(COUNT_BITS);
    const uint64_t now = u->time * TICKS;
    u->timestamp = now > u->timestamp ? now : u->timestamp + 1;
    element.cells[ETE_CELL_elem_timestamp_timestamp] = u->timestamp;
    element.cells[ETE_CELL_elem_timestamp_counted] = counted;
    element.cells[ETE_CELL_elem_timestamp_count] = counted ? u->cycles : 0;
    ete_unit_put_element(u, &element);
    u->since_timestamp = 0;
}

void ete_unit_tell_time(struct ete_unit *u)
{
    if (ete_unit_has(u, ETE_TIMESTAMPS_BIT) && u->since_timestamp >= u->options.period) {
        put_timestamp(u);
    }
}
