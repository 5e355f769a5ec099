/* Discontinuities of the record that no instruction causes: another hart, and Debug mode (tables
 * 4.4 and 4.5). The last instruction before one is reported, and the first one after it. */
#include "etrace/recorded.h"

#include "etrace/path.h"

enum { NIBBLE = 0xf, STOPS = 7 };

bool etrace_is_asynchronous(const struct etrace_block *before, const struct etrace_block *block)
{
    const bool debugs = before->signal[ETRACE_SIGNAL_PRIV] == ETRACE_DEBUG;
    return etrace_block_retires(block) &&
           (block->signal[ETRACE_SIGNAL_CTYPE] == ETRACE_CTYPE_DISCONTINUITY ||
            (block->signal[ETRACE_SIGNAL_PRIV] == ETRACE_DEBUG) != debugs);
}

/* Whether the record has one there, to an address. */
static bool has_asynchronous(const struct etrace_recorded *s, uint64_t address)
{
    return s->has_block && s->position == 0 && s->before.asynchronous &&
           s->block.signal[ETRACE_SIGNAL_IADDR] == address;
}

/* Whether the record would have one that a packet has. */
static bool tells_asynchronous(const struct etrace_recorded *s, const struct assay_event *start)
{
    return etrace_block_has(&s->block, ETRACE_SIGNAL_CTYPE) || s->privilege == ETRACE_DEBUG ||
           (start->cells[FACTS] & NIBBLE) == ETRACE_DEBUG;
}

bool etrace_recorded_passes(struct etrace_recorded *s, const struct assay_event *run)
{
    const uint64_t facts = run->cells[FACTS];
    const bool starts = run->from != NULL && run->from->kind == ETRACE_start &&
                        (facts >> ENTERED_BIT & NIBBLE) != ETRACE_BY_SYNC;
    if (!starts) {
        s->passes = false;
    } else if (s->addressed && s->placed && s->aligned && !s->part.sought && !s->trap.waits) {
        s->passes = has_asynchronous(s, run->from->cells[ETRACE_CELL_start_address]);
    }
    s->addressed = false;
    if (!s->passes) {
        return false;
    }
    if ((facts >> STOPPED_BIT & STOPS) == ETRACE_GOES_ON) {
        return true;
    }
    s->at = (uint32_t)run->cells[COUNT] - 1;
    s->pc = run->cells[LAST_ADDRESS];
    s->passes = false;
    etrace_recorded_begin_part(s, NULL);
    return false;
}

bool etrace_recorded_end_asynchronously(struct etrace_recorded *s, const struct assay_event *end)
{
    s->addressed = s->passes = false;
    s->asynchronous = end->kind == ETRACE_path_lost &&
                      (end->cells[FACTS] >> REASON_BIT & NIBBLE) == ETRACE_LOST_ASYNCHRONOUS &&
                      s->aligned && s->placed && !s->part.sought;
    if (s->asynchronous) {
        etrace_recorded_settle(s, ETRACE_DUE_BEFORE_SYNC);
    }
    return s->asynchronous;
}

bool etrace_recorded_begin_asynchronously(struct etrace_recorded *s,
                                          const struct assay_event *start)
{
    s->asynchronous = false;
    if (has_asynchronous(s, start->cells[ADDRESS])) {
        etrace_recorded_begin_part(s, NULL);
        return true;
    }
    if (!s->has_block) {
        s->beyond = true;
        s->aligned = s->located = false;
        return true;
    }
    if (!tells_asynchronous(s, start)) {
        s->aligned = false;
        return false;
    }
    s->differs = start->cells[ADDRESS];
    s->differs_due = (s->block.signal[ETRACE_SIGNAL_IADDR] + s->position) & s->reading.program.mask;
    s->at = 0;
    s->placed = !etrace_recorded_elsewhere(s, start, false);
    etrace_recorded_pass(s, start, s->placed ? ETRACE_DIFFERS : ETRACE_UNTRACED);
    s->aligned = s->located = false;
    return true;
}
