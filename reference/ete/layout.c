/* ETE's tables, from layout.def. */
#include "common/layout.h"
#include "ete/ete.h"

/* --- names of values --- */

/* The types are those of the manual's chapter on packets; K10.5 names three of them. */
static const struct assay_enumerator ete_exception_list[] = {
    {0, "pe_reset", "PE Reset"},
    {1, "debug_halt", "Debug halt"},
    {2, "call", "Call"},
    {3, "trap", "Trap"},
    {4, "system_error", "System Error"},
    {6, "inst_debug", "Inst debug"},
    {7, "data_debug", "Data debug"},
    {10, "alignment", "Alignment"},
    {11, "inst_fault", "Inst Fault"},
    {12, "data_fault", "Data Fault"},
    {14, "irq", "IRQ"},
    {15, "fiq", "FIQ"},
    {24, "transaction_failure", "Transaction Failure"},
};
ASSAY_ENUMERATION(ete_exception, "type of an exception");

static const struct assay_enumerator ete_before_list[] = {
    {0, "none", "no Atom element"},
    {1, "e", "E"},
    {2, "ee", "E, E"},
    {3, "n", "N"},
};
ASSAY_ENUMERATION(ete_before, "Atom elements before the element");

static const struct assay_enumerator ete_long_list[] = {
    {2, "is0_32", "32 bits, IS0"},
    {3, "is1_32", "32 bits, IS1"},
    {5, "is0_64", "64 bits, IS0"},
    {6, "is1_64", "64 bits, IS1"},
};
ASSAY_ENUMERATION(ete_long, "form of a long address");

static const struct assay_enumerator ete_long_source_list[] = {
    {6, "is0_32", "32 bits, IS0"},
    {7, "is1_32", "32 bits, IS1"},
    {8, "is0_64", "64 bits, IS0"},
    {9, "is1_64", "64 bits, IS1"},
};
ASSAY_ENUMERATION(ete_long_source, "form of a long source address");

static const struct assay_enumerator ete_short_target_list[] = {
    {1, "is0", "IS0"},
    {2, "is1", "IS1"},
};
ASSAY_ENUMERATION(ete_short_target, "form of a short address");

static const struct assay_enumerator ete_short_source_list[] = {
    {0, "is0", "IS0"},
    {1, "is1", "IS1"},
};
ASSAY_ENUMERATION(ete_short_source, "form of a short source address");

static const struct assay_enumerator ete_q_list[] = {
    {0, "exact_0", "entry 0 of the address history, and a count"},
    {1, "exact_1", "entry 1 of the address history, and a count"},
    {2, "exact_2", "entry 2 of the address history, and a count"},
    {5, "short_is0", "a short address of IS0, and a count"},
    {6, "short_is1", "a short address of IS1, and a count"},
    {10, "is0_32", "an address of 32 bits of IS0, and a count"},
    {11, "is1_32", "an address of 32 bits of IS1, and a count"},
    {12, "count", "a count"},
    {15, "nothing", "neither address nor count"},
};
ASSAY_ENUMERATION(ete_q, "type of a Q packet");

static const struct assay_enumerator ete_security_list[] = {
    {0, "secure", "Secure"},
    {1, "non_secure", "Non-secure"},
    {2, "root", "Root"},
    {3, "realm", "Realm"},
};
ASSAY_ENUMERATION(ete_security, "Security state");

/* --- fields and kinds --- */

#define ASSAY_PREFIX ETE
#define P            ASSAY_OWN_P
#define H            ASSAY_OWN_HAS
#define D            ASSAY_OWN_D

#define K(name, ...)                                                                               \
    static const struct assay_field name##_fields[] = {                                            \
        ETE_FIELDS_##name(ASSAY_F, P, D, H, ASSAY_EXCESS)};
ETE_PACKETS(K)
#undef K
#define K(name, ...)                                                                               \
    static const struct assay_field name##_fields[] = {ETE_FIELDS_##name(D, ASSAY_D)};
ETE_ELEMENTS(K)
K(malformed, "Malformed")
K(end, "End")
#undef K

static const struct assay_kind kinds[] = {
    ASSAY_KIND(malformed, "Malformed", 0, "K10.5.6.3.2", .layer = ETE_PACKET),
    ASSAY_KIND(end, "End of the stream", 0, "K10.5.6.3.1", .layer = ETE_PACKET),
#define K(name, text, bytes, section)                                                              \
    ASSAY_KIND(name, text, 8 * (bytes), section, .layer = ETE_PACKET,                              \
               .presence = ASSAY_CELL_PRESENCE + 1),
    ETE_PACKETS(K)
#undef K
#define K(name, text) ASSAY_KIND(name, text, 0, "K10.5.6.1", .layer = ETE_ELEMENT),
        ETE_ELEMENTS(K)
#undef K
};
ASSAY_CHECK_KINDS(kinds);

size_t ete_constant_bytes(enum ete_kind kind)
{
    return kinds[kind].bits / 8;
}

/* --- the format --- */

static const struct assay_parameter parameter_list[] = {ETE_PARAMETERS(ASSAY_PARAMETER)};
static const struct assay_parameter_table parameters = {parameter_list, ETE_PARAMETER_COUNT, NULL,
                                                        NULL, 0};

/* An A-sync of the least length at the first byte. A stream that begins otherwise is named. */
static bool probe(const uint8_t *data, size_t size)
{
    size_t zeros = 0;
    while (zeros < size && data[zeros] == 0) {
        zeros++;
    }
    return zeros > ETE_ASYNC_ZEROS && zeros < size && data[zeros] == 0x80;
}

static const struct assay_fault_code faults[] = {ETE_FAULTS(ASSAY_FAULT)};
static const char *const layers[] = {"packet", "element"};
static const uint16_t machines[] = {183, 40}; /* AArch64, Arm */
static const struct assay_profile profiles[] = {{"ete-k10.5", "Arm ARM, appendix K10.5"}};

const struct assay_format assay_format_ete = {.name = "ete",
                                              .title = "Arm Embedded Trace Extension",
                                              .version = "K10.5",
                                              .profiles = profiles,
                                              .profile_count = ASSAY_COUNT(profiles),
                                              .layers = layers,
                                              .layer_count = ASSAY_COUNT(layers),
                                              .kinds = kinds,
                                              .kind_count = ASSAY_COUNT(kinds),
                                              .parameters = &parameters,
                                              .faults = faults,
                                              .fault_count = ASSAY_COUNT(faults),
                                              .machines = machines,
                                              .machine_count = ASSAY_COUNT(machines),
                                              .probe = probe,
                                              .decoder = &ete_decoder_ops,
                                              .encoder = &ete_encoder_ops};
