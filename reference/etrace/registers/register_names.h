/* Names of values of control registers (tables 2.1, 2.2 and 2.6), for parameters and events. */
#ifndef ASSAY_ETRACE_REGISTER_NAMES_H
#define ASSAY_ETRACE_REGISTER_NAMES_H

#include "model/layout.h"

static const struct assay_enumerator etrace_resync_list[] = {
    {0, "off", "nothing"},
    {1, "packets", "packets of the trace"},
    {2, "cycles", "cycles of the clock"},
    {3, "half_words", "half-words of instructions"},
};
ASSAY_ENUMERATION(etrace_resync, "what is counted between synchronisations");

static const struct assay_enumerator etrace_data_compress_list[] = {
    {0, "full", "not at all"},
    {1, "xor", "by exclusive or"},
    {2, "difference", "as differences"},
    {3, "shorter", "as what is shorter"},
};
ASSAY_ENUMERATION(etrace_data_compress, "compression of addresses of data");

static const struct assay_enumerator etrace_input_list[] = {
    {0, "iaddr", "the address of an instruction"},
    {1, "context", "the context"},
    {2, "tval", "the trap value"},
    {3, "daddr", "the address of data"},
};
ASSAY_ENUMERATION(etrace_input, "input of a comparator");

#define ETRACE_COMPARISONS                                                                         \
    {0, "equal", "it is equal"}, {1, "unequal", "it is not equal"}, {2, "less", "it is less"},     \
        {3, "at_most", "it is less or equal"}, {4, "greater", "it is greater"},                    \
    {                                                                                              \
        5, "at_least", "it is greater or equal"                                                    \
    }
static const struct assay_enumerator etrace_p_function_list[] = {
    ETRACE_COMPARISONS,
    {6, "reserved", "reserved; it always matches"},
    {7, "always", "always"},
};
ASSAY_ENUMERATION(etrace_p_function, "primary function of a comparator");

static const struct assay_enumerator etrace_s_function_list[] = {
    ETRACE_COMPARISONS,
    {6, "mask", "always; sMatch is a mask of pMatch"},
    {7, "always", "always"},
};
ASSAY_ENUMERATION(etrace_s_function, "secondary function of a comparator");

static const struct assay_enumerator etrace_match_mode_list[] = {
    {0, "primary", "the primary function matches"},
    {1, "both", "both match"},
    {2, "not_both", "one of them does not match"},
    {3, "hold", "from a primary match until after a secondary one"},
};
ASSAY_ENUMERATION(etrace_match_mode, "how the functions of a comparator are combined");

#endif
