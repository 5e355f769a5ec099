/* The event that is held back, as later elements can still change it; and the loss of the position,
 * which is one. */
#include "ete/run.h"

/* Of a sync_lost (elements.def). */
enum { IS_KNOWN_BIT = ETE_BIT_sync_lost_is_known };

void ete_flush(struct ete_analyse *a)
{
    assay_step_release(&a->base);
    a->pending.kind = 0;
    a->pending.has_info = false;
    a->pending.asides = 0;
    a->pending.started = NULL;
}

uint64_t *ete_begin_pending(struct ete_analyse *a, enum ete_kind kind,
                            const struct assay_event *element)
{
    ete_flush(a);
    a->pending.kind = (uint16_t)kind;
    a->pending.cells = assay_step_add_cells(&a->base, kind, element, ETE_INSTRUCTION_CELLS);
    assay_step_hold(&a->base);
    return a->pending.cells;
}

/* Whether instructions were executed in the context at hand, where the program cannot be followed.
 */
static bool is_executed(enum ete_lost reason)
{
    return reason >= ETE_LOST_ABSENT && reason != ETE_LOST_NO_CONTEXT &&
           reason != ETE_LOST_NOT_REACHED;
}

void ete_say_lost(struct ete_analyse *a, enum ete_lost reason, uint64_t address)
{
    const bool is_known = reason >= ETE_LOST_ABSENT;
    a->pending.cells[ETE_LOST_FLAGS] = reason | (uint64_t)is_known << IS_KNOWN_BIT;
    a->pending.cells[ETE_LOST_ADDRESS] = is_known ? address : 0;
    a->pending.cells[ETE_LOST_WHERE] = is_executed(reason) ? ete_where(a) : ETE_ISA_UNKNOWN;
    a->pending.cells[ETE_LOST_CONTEXT] = is_executed(reason) ? ete_context_ids(a) : 0;
}

void ete_lose(struct ete_analyse *a, const struct assay_event *element, enum ete_lost reason,
              uint64_t address)
{
    (void)ete_begin_pending(a, ETE_sync_lost, element);
    ete_say_lost(a, reason, address);
    a->known = false;
    a->from_stack = false;
    if (is_executed(reason) && reason != ETE_LOST_NO_TARGET && reason != ETE_LOST_Q) {
        ete_stack_doubt(&a->stack);
    }
}
