/* The packet with the index of a target that the jump target cache has (3.2.7, tables 6.10 and
 * 6.11). */
#include "etrace/facts/state.h"

unsigned etrace_index_bytes(const struct etrace_targets *targets, const struct assay_event *packet,
                            uint64_t target, uint64_t subformat)
{
    enum { FORMAT = 2, BRANCHES = 5, BYTE = 8 };
    const bool maps = packet->kind == ETRACE_diff_delta;
    if (!etrace_targets_has(targets, target) || (!maps && packet->kind != ETRACE_addr_only)) {
        return 0;
    }
    const uint64_t map =
        maps ? etrace_map_width(packet->cells[ETRACE_CELL_diff_delta_branches], 0) : 0;
    return (unsigned)((FORMAT + subformat + targets->size + BRANCHES + map + BYTE - 1) / BYTE);
}
