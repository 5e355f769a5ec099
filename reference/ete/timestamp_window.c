#include "ete/timestamp_window.h"

/* Elements that wait for a Timestamp, at most. */
enum { WAITING_MOST = 1 << 17 };

/* Markers whose Timestamp has not come, at most: of more the others were dropped. */
enum { MARKERS_MOST = 2 };

bool ete_begins_period(const struct ete_queued *queued)
{
    return queued->kind == ETE_resolved_timestamp_marker ||
           (queued->kind == ETE_resolved_timestamp &&
            queued->says[ETE_CELL_resolved_timestamp_timestamp] != 0);
}

struct ete_queued ete_period_at(const struct ete_queued *at)
{
    return (struct ete_queued){.element = at->element, .offset = at->offset, .kind = ETE_period};
}

/* A Timestamp ends the periods before it, but for those of which a later one says more. */
static void take_timestamp(struct ete_periods *periods, const struct ete_queue *queue, uint64_t n)
{
    uint64_t still_open = n;
    for (uint64_t i = n; i != periods->open; i--) {
        struct ete_queued *period = ete_queue_at(queue, i - 1);
        if (period->kind != ETE_period || period->says[ETE_CELL_period_before_known] != 0) {
            continue;
        }
        if (period->later > 0) {
            period->later--;
            still_open = i - 1;
        } else {
            period->says[ETE_CELL_period_before] = periods->last;
            period->says[ETE_CELL_period_before_known] = 1;
        }
    }
    periods->open = still_open;
}

static void scan(struct ete_periods *periods, const struct ete_queue *queue, uint64_t n)
{
    struct ete_queued *queued = ete_queue_at(queue, n);
    if (queued->kind == ETE_period) {
        queued->says[ETE_CELL_period_after] = periods->known ? periods->last : 0;
        queued->says[ETE_CELL_period_after_known] = periods->known;
        queued->later = (uint8_t)periods->markers;
    } else if (queued->kind == ETE_resolved_timestamp_marker) {
        periods->markers += periods->markers < MARKERS_MOST;
    } else if (ete_begins_period(queued)) {
        periods->last = queued->says[ETE_CELL_resolved_timestamp_timestamp];
        periods->known = true;
        take_timestamp(periods, queue, n);
        periods->markers -= periods->markers > 0;
    }
}

void ete_end_periods(struct ete_periods *periods, struct ete_queue *queue, uint64_t ready,
                     bool at_end)
{
    for (; periods->scanned != ready; periods->scanned++) {
        scan(periods, queue, periods->scanned);
    }
    if (at_end || ready - periods->open > WAITING_MOST) {
        periods->open = ready;
    }
}
