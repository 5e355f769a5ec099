/* How else an address that no image has could be read, so that one has it. What an encoder gets
 * wrong, or its parameters, shows there. */
#include "etrace/facts/state.h"

/* The addresses of packets: the number of the field, and its cell; 0: the kind has none. */
static const struct {
    uint8_t number, cell;
    bool differs; /* it is the difference to the one before it, unless they are full */
} addresses[ETRACE_PACKET_KINDS_END] = {
    [ETRACE_branch_count] = {ETRACE_NUMBER_branch_count_address, ETRACE_CELL_branch_count_address,
                             true},
    [ETRACE_diff_delta] = {ETRACE_NUMBER_diff_delta_address, ETRACE_CELL_diff_delta_address, true},
    [ETRACE_addr_only] = {ETRACE_NUMBER_addr_only_address, ETRACE_CELL_addr_only_address, true},
    [ETRACE_start] = {ETRACE_NUMBER_start_address, ETRACE_CELL_start_address, false},
    [ETRACE_exception] = {ETRACE_NUMBER_exception_address, ETRACE_CELL_exception_address, false},
};

static bool is_there(struct etrace_facts *f, uint64_t address)
{
    return etrace_instruction_at(&f->cursor, address, &f->reading).size > 0;
}

/* The address of a synchronisation packet as if the bits that the payload does not have were 0. */
static uint64_t with_zeros(const struct etrace_facts *f, const struct assay_event *start)
{
    const uint64_t missing = start->cells[ETRACE_CELL_start_extended];
    const uint64_t width = f->layout[ETRACE_IADDRESS_WIDTH];
    return start->cells[ETRACE_CELL_start_address] & assay_mask((unsigned)(width - missing));
}

/* The address as if the bits above the highest 1 of the difference were 1, too. */
static uint64_t with_ones(const struct etrace_facts *f, uint64_t address, uint64_t difference)
{
    uint64_t bits = difference;
    for (unsigned shift = 1; shift < 64; shift *= 2) {
        bits |= bits >> shift;
    }
    return (address + ~bits) & f->reading.mask;
}

/* Whether lowest bytes of an address give one, as if it had been cut there and other fields
 * followed.
 */
static bool is_cut(struct etrace_facts *f, uint64_t address)
{
    for (unsigned bits = 8; bits < f->layout[ETRACE_IADDRESS_WIDTH]; bits += 8) {
        const uint64_t low = address & assay_mask(bits);
        const uint64_t upper = (low >> (bits - 1) & 1) != 0 ? ~assay_mask(bits) : 0;
        if (is_there(f, low | upper)) {
            return true;
        }
    }
    return false;
}

/* An address that a difference gives. */
static enum etrace_misread misread_difference(struct etrace_facts *f, uint64_t address,
                                              uint64_t difference)
{
    if (f->layout[ETRACE_FULL_ADDRESS] != 0) {
        return ETRACE_MISREAD_NONE;
    }
    return is_there(f, difference)                          ? ETRACE_MISREAD_FULL
           : is_there(f, with_ones(f, address, difference)) ? ETRACE_MISREAD_ONES
                                                            : ETRACE_MISREAD_NONE;
}

enum etrace_misread etrace_misread(struct etrace_facts *f, const struct assay_event *packet,
                                   uint64_t address)
{
    if (packet->kind >= ETRACE_PACKET_KINDS_END || addresses[packet->kind].cell == 0 ||
        (packet->cells[ASSAY_CELL_PRESENCE] >> addresses[packet->kind].number & 1) == 0) {
        return ETRACE_MISREAD_NONE;
    }
    const uint64_t given = packet->cells[addresses[packet->kind].cell];
    if (is_there(f, address)) {
        return ETRACE_MISREAD_NONE;
    }
    if (addresses[packet->kind].differs) {
        return misread_difference(f, address, given);
    }
    if (packet->kind == ETRACE_start && packet->cells[ETRACE_CELL_start_extended] > 0 &&
        is_there(f, with_zeros(f, packet))) {
        return ETRACE_MISREAD_ZEROS;
    }
    return is_there(f, given / 2)                                 ? ETRACE_MISREAD_HALF
           : is_there(f, given * 2)                               ? ETRACE_MISREAD_TWICE
           : packet->kind == ETRACE_exception && is_cut(f, given) ? ETRACE_MISREAD_CUT
                                                                  : ETRACE_MISREAD_NONE;
}
