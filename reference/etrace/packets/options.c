#include "etrace/packets/options.h"

/* An option: its bit in the packet, and where a layout has it. */
static const struct {
    enum etrace_parameter bit, option;
    bool of_layout; /* layouts of packets depend on it */
    bool of_data;   /* it is one of data trace, which version 2.0 has in doptions */
} options_list[] = {
    {ETRACE_SIJUMP_BIT, ETRACE_SIJUMP, false, false},
    {ETRACE_IMPLICIT_RETURN_BIT, ETRACE_IMPLICIT_RETURN, false, false},
    {ETRACE_IMPLICIT_EXCEPTION_BIT, ETRACE_IMPLICIT_EXCEPTION, true, false},
    {ETRACE_BRANCH_PREDICTION_BIT, ETRACE_BRANCH_PREDICTION, false, false},
    {ETRACE_JUMP_TARGET_CACHE_BIT, ETRACE_JUMP_TARGET_CACHE, false, false},
    {ETRACE_FULL_ADDRESS_BIT, ETRACE_FULL_ADDRESS, true, false},
    {ETRACE_NO_ADDRESS_BIT, ETRACE_OMIT_ADDRESS, true, true},
    {ETRACE_NO_DATA_BIT, ETRACE_OMIT_DATA, true, true},
};

struct etrace_change etrace_options_follow(const uint64_t *cells,
                                           uint64_t layout[ETRACE_PARAMETER_COUNT])
{
    struct etrace_change change = {false, false};
    for (size_t i = 0; i < sizeof options_list / sizeof options_list[0]; i++) {
        const uint64_t bit = layout[options_list[i].bit];
        const bool of_data = options_list[i].of_data && layout[ETRACE_WIRE] >= ETRACE_2_0;
        const uint64_t options =
            cells[of_data ? ETRACE_CELL_support_doptions : ETRACE_CELL_support_options];
        uint64_t *option = &layout[options_list[i].option];
        if (bit < layout[of_data ? ETRACE_DOPTIONS_WIDTH : ETRACE_OPTIONS_WIDTH]) {
            const bool differs = *option != (options >> bit & 1);
            change.any = change.any || differs;
            change.of_layout = change.of_layout || (differs && options_list[i].of_layout);
            *option = options >> bit & 1;
        }
    }
    return change;
}

uint64_t etrace_options_of(const uint64_t layout[ETRACE_PARAMETER_COUNT], bool doptions)
{
    const uint64_t width = layout[doptions ? ETRACE_DOPTIONS_WIDTH : ETRACE_OPTIONS_WIDTH];
    uint64_t options = 0;
    for (size_t i = 0; i < sizeof options_list / sizeof options_list[0]; i++) {
        const uint64_t bit = layout[options_list[i].bit];
        const bool of_data = options_list[i].of_data && layout[ETRACE_WIRE] >= ETRACE_2_0;
        if (bit < width && of_data == doptions) {
            options |= (uint64_t)(layout[options_list[i].option] != 0) << bit;
        }
    }
    return options;
}
