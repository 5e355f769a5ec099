/* ETE's tables, from layout.def and elements.def. */
#include <elf.h>

#include "ete/ete.h"
#include "ete/functions.h"
#include "isa/a64_names.h"
#include "isa/arm_flow.h"
#include "model/layout.h"

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

static const struct assay_enumerator ete_unresolved_list[] = {
    {0, "end", "the stream ends"},
    {1, "discard", "a Discard element: they are cancelled"},
    {2, "lost", "packets were lost"},
    {3, "depth", "a Trace Info gives another speculation depth"},
    {4, "full", "more elements than a decoder holds"},
    {5, "transaction", "a Trace Info or an exception says that no transaction is open"},
    {6, "end_in_transaction", "the stream ends in a transaction"},
};
ASSAY_ENUMERATION(ete_unresolved, "why elements are not resolved");

static const struct assay_enumerator ete_isa_list[] = {
    {0, "a64", "A64"},
    {1, "a32", "A32"},
    {2, "t32", "T32"},
    {ETE_ISA_UNKNOWN, "unknown", "of a sync_lost: nothing is known to have been executed there"},
};
ASSAY_ENUMERATION(ete_isa, "instruction set");

static const struct assay_enumerator ete_p0_list[] = {
    {0, "none", "no P0 instruction"},
    {1, "direct", "direct branch"},
    {2, "indirect", "indirect branch"},
    {3, "isb", "ISB"},
    {4, "wfx", "WFI, WFE, WFIT or WFET, with WFXMODE 1"},
    {5, "tstart", "TSTART"},
};
ASSAY_ENUMERATION(ete_p0, "type of a P0 instruction");

static const struct assay_enumerator ete_call_list[] = {
    {0, "none", "it is none"},
    {1, "conditional", "it is, and may do nothing"},
    {2, "always", "it is, and causes an exception"},
    {3, "semihosting", "an SVC of AArch32 state by which programs call a debugger or a model"},
};
ASSAY_ENUMERATION(ete_call, "whether an instruction is an SVC, HVC or SMC");

static const struct assay_enumerator ete_call_kind_list[] = {
    {0, "none", "it is none"},
    {1, "svc", "SVC"},
    {2, "hvc", "HVC"},
    {3, "smc", "SMC"},
};
ASSAY_ENUMERATION(ete_call_kind, "an instruction that causes an exception");

static const struct assay_enumerator ete_flow_list[] = {
#define X(id, name, text) {ARM_FLOW_##id, name, text},
    ARM_FLOW_KINDS(X)
#undef X
};
ASSAY_ENUMERATION(ete_flow, "where the execution goes after an instruction");

static const struct assay_enumerator ete_form_list[] = {
#define X(id, name, text) {ARM_FORM_##id, name, text},
    ARM_FORMS(X)
#undef X
};
ASSAY_ENUMERATION(ete_form, "what the word of a branch fixes of where it leads");

static const struct assay_enumerator ete_by_list[] = {
    {0, "atom", "an Atom element"},
    {1, "source_address", "a Source Address element"},
    {2, "exception", "an Exception element"},
    {3, "q", "a Q element"},
};
ASSAY_ENUMERATION(ete_by, "the element that instructions follow from");

static const struct assay_enumerator ete_view_list[] = {
    {0, "unknown", "what the ranges are is not known"},
    {1, "traced", "some of them are where instructions are traced"},
    {2, "filtered", "all of them are where none is traced"},
};
ASSAY_ENUMERATION(ete_view, "where instructions are, by the address ranges of ViewInst");

static const struct assay_enumerator ete_broadcast_list[] = {
    {0, "unknown", "what the ranges are is not known, or it is at an edge of one"},
    {1, "inside", "branches are broadcast there"},
    {2, "outside", "branches are not broadcast there"},
};
ASSAY_ENUMERATION(ete_broadcast, "where an instruction is, by the ranges of branch broadcasting");

static const struct assay_enumerator ete_points_list[] = {
    {0, "none", "neither a start point nor a stop point"},
    {1, "start", "a start point is the last of them"},
    {2, "stop", "a stop point is the last of them"},
};
ASSAY_ENUMERATION(ete_points, "start points and stop points of ViewInst among instructions");

static const struct assay_enumerator ete_tested_list[] = {
    {0, "unknown", "nothing, or the last instruction is none of them"},
    {1, "zero", "it is zero"},
    {2, "not_zero", "it is not zero"},
};
ASSAY_ENUMERATION(ete_tested, "what is known of a register or bit");

static const struct assay_enumerator ete_goes_by_list[] = {
    {0, "unknown", "not known"},
    {1, "sequence", "it went on after it"},
    {2, "branch", "the direct branch says it"},
    {3, "stated", "a Target Address element says it"},
    {4, "stack", "the return stack says it"},
    {5, "unstated",
     "a P0 element follows, and neither a Target Address nor the return stack says it"},
    {6, "reset", "the same, and the P0 element is a PE Reset"},
};
ASSAY_ENUMERATION(ete_goes_by, "how it is known where execution went on");

static const struct assay_enumerator ete_reached_list[] = {
    {0, "not_followed", "the position before it was not known, or the address is not"},
    {1, "exactly", "it is, and no instruction after it"},
    {2, "behind", "the address is before the position"},
    {3, "passed", "the address is inside an instruction"},
    {4, "absent", "no program image has the instructions before it"},
    {5, "changing", "the instructions before it change, or are not known, at that time"},
    {6, "given_up", "it is after more of the program than an element is followed for"},
    {7, "too_far", "it is after a P0 instruction that is always taken"},
};
ASSAY_ENUMERATION(ete_reached, "whether the program gets to an address");

static const struct assay_enumerator ete_lost_list[] = {
    {0, "start", "the trace begins"},
    {1, "trace_on", "Trace On element"},
    {2, "discard", "Discard element"},
    {3, "overflow", "Overflow element"},
    {4, "loss", "packets were lost"},
    {5, "failure", "Transaction Failure element"},
    {6, "absent", "no program image has the address"},
    {7, "no_target",
     "no Target Address after an indirect branch, nor an entry of the return stack"},
    {8, "no_p0", "no P0 instruction in very many instructions"},
    {9, "q", "the outcome of instructions of a Q element is not known"},
    {10, "no_context", "an address, but no context"},
    {11, "not_reached", "the program does not get to the address of the element"},
    {12, "changing", "what is at the address changes, or is not known, at that time"},
    {13, "given_up", "the address is after more of the program than an element is followed for"},
};
ASSAY_ENUMERATION(ete_lost, "why the position in the program is lost");

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
ETE_RESOLVED(K)
ETE_EXECUTED(K)
#define BARE(name, ...)
ETE_PATH(K, BARE)
#undef BARE
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
#define K(name, text)                                                                              \
    ASSAY_KIND(name, text, 0, "K10.5.6.1", .layer = ETE_ELEMENT,                                   \
               .is_own = ETE_##name == ETE_elem_loss,                                              \
               .run_of = ETE_##name == ETE_elem_atoms ? ETE_elem_atom : 0),
        ETE_ELEMENTS(K)
#undef K
#define K(name, text)                                                                              \
    ASSAY_KIND(name, text, 0, "K10.5.3", .layer = ETE_RESOLVED_ELEMENT,                            \
               .is_own = ETE_##name == ETE_resolved_loss || ETE_##name == ETE_unresolved ||        \
                         ETE_##name == ETE_period,                                                 \
               .run_of = ETE_##name == ETE_resolved_atoms ? ETE_resolved_atom : 0),
            ETE_RESOLVED(K)
#undef K
#define K(name, text)                                                                              \
    ASSAY_KIND(name, text, 0, "K10.5.5", .layer = ETE_INSTRUCTION,                                 \
               .is_own = ETE_##name == ETE_sync_lost || ETE_##name == ETE_trace_end,               \
               .run_of = ETE_##name == ETE_run ? ETE_instruction : 0,                              \
               .met = ETE_##name == ETE_run ? ETE_MET + 1 : 0),
                ETE_EXECUTED(K)
#undef K
#define ASIDE            .layer = ETE_INSTRUCTION, .is_aside = true, .is_derived = true
#define K(name, text)    ASSAY_KIND(name, text, 0, "K10.5.5", ASIDE),
#define BARE(name, text) ASSAY_BARE_KIND(name, text, 0, "K10.5.5", ASIDE),
                    ETE_PATH(K, BARE)
#undef BARE
#undef K
#undef ASIDE
};
ASSAY_CHECK_KINDS(kinds);

size_t ete_constant_bytes(enum ete_kind kind)
{
    return kinds[kind].bits / 8;
}

/* --- the format --- */

static const struct assay_enumerator vmid_reading_list[] = {
    {ETE_VMID_SIZED, "sized", "as many as TRCIDR2.VMIDSIZE says"},
    {ETE_VMID_FIXED, "fixed", "four"}};
static const struct assay_enumeration vmid_readings = {
    .name = "vmid_bytes", .list = vmid_reading_list, .count = ASSAY_COUNT(vmid_reading_list)};
static const struct assay_parameter parameter_list[] = {ETE_PARAMETERS(ASSAY_PARAMETER)};

/* The other registers of a trace unit, which tell nothing of its stream (K10.5.7.6, and the list of
 * registers of the architecture). */
static const struct assay_ignored_parameter other_registers[] = {
    {.name = "TRCPRGCTLR"},
    {.name = "TRCSTATR"},
    {.name = "TRCAUXCTLR"},
    {.name = "TRCEVENTCTL0R"},
    {.name = "TRCRSR"},
    {.name = "TRCSTALLCTLR"},
    {.name = "TRCTSCTLR"},
    {.name = "TRCQCTLR"},
    {.name = "TRCITEEDCR"},
    {.name = "TRCSEQEVR", .is_numbered = true, .most = 2},
    {.name = "TRCSEQRSTEVR"},
    {.name = "TRCSEQSTR"},
    {.name = "TRCEXTINSELR", .is_numbered = true, .most = 3},
    {.name = "TRCCNTRLDVR", .is_numbered = true, .most = 3},
    {.name = "TRCCNTCTLR", .is_numbered = true, .most = 3},
    {.name = "TRCCNTVR", .is_numbered = true, .most = 3},
    {.name = "TRCIDR", .is_numbered = true, .most = 13},
    {.name = "TRCIMSPEC", .is_numbered = true, .most = 7},
    {.name = "TRCRSCTLR", .is_numbered = true, .least = 2, .most = 31},
    {.name = "TRCSSCCR", .is_numbered = true, .most = 7},
    {.name = "TRCSSCSR", .is_numbered = true, .most = 7},
    {.name = "TRCSSPCICR", .is_numbered = true, .most = 7},
    {.name = "TRCCIDCVR", .is_numbered = true, .most = 7},
    {.name = "TRCVMIDCVR", .is_numbered = true, .most = 7},
    {.name = "TRCCIDCCTLR", .is_numbered = true, .most = 1},
    {.name = "TRCVMIDCCTLR", .is_numbered = true, .most = 1},
    {.name = "TRCITCTRL"},
    {.name = "TRCCLAIMSET"},
    {.name = "TRCCLAIMCLR"},
    {.name = "TRCDEVAFF"},
    {.name = "TRCDEVAFF", .is_numbered = true, .most = 1},
    {.name = "TRCLAR"},
    {.name = "TRCLSR"},
    {.name = "TRCOSLAR"},
    {.name = "TRCOSLSR"},
    {.name = "TRCPDCR"},
    {.name = "TRCPDSR"},
    {.name = "TRCAUTHSTATUS"},
    {.name = "TRCDEVID"},
    {.name = "TRCDEVID", .is_numbered = true, .least = 1, .most = 2},
    {.name = "TRCDEVTYPE"},
    {.name = "TRCPIDR", .is_numbered = true, .most = 7},
    {.name = "TRCCIDR", .is_numbered = true, .most = 3},
};

/* The sizes that the metadata of a trace package can say (trace decode metadata requirements,
 * section 6.3.1). */
static enum assay_error check(const struct assay_parameter_values *values, struct assay_diag *diag)
{
    const uint64_t timestamp = values->value[ETE_TIMESTAMP_BITS];
    const uint64_t context_id = values->value[ETE_CONTEXT_ID_BITS];
    if (timestamp != 0 && timestamp != 48 && timestamp != 64) {
        return assay_parameter_fail(values, ETE_TIMESTAMP_BITS, diag, ASSAY_OUT_OF_RANGE,
                                    "timestamp_bits is 0, 48 or 64");
    }
    if (context_id != 0 && context_id != 8 && context_id != 16 && context_id != 32) {
        return assay_parameter_fail(values, ETE_CONTEXT_ID_BITS, diag, ASSAY_OUT_OF_RANGE,
                                    "context_id is 0, 8, 16 or 32");
    }
    return ASSAY_OK;
}

static const struct assay_parameter_field register_fields[] = {
#define F(of, fname, low, bits) {.parameter = ETE_##of, .bit = low, .width = bits, .name = #fname},
    ETE_REGISTER_FIELDS(F)
#undef F
};
static const struct assay_parameter_table parameters = {.list = parameter_list,
                                                        .fields = register_fields,
                                                        .field_count = ASSAY_COUNT(register_fields),
                                                        .count = ETE_PARAMETER_COUNT,
                                                        .ignored = other_registers,
                                                        .ignored_count =
                                                            ASSAY_COUNT(other_registers),
                                                        .check = check};

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
static const char *const layers[] = {"packet", "element", "resolved", "instruction"};
static const uint16_t machines[] = {EM_AARCH64, EM_ARM};
static const struct assay_profile profiles[] = {{"ete-k10.5", "Arm ARM, appendix K10.5"}};

static const struct assay_function functions[] = {
#define ETE_FUNCTION(name, arity, flag, doc)                                                       \
    {#name, arity, flag, ete_call_##name, "ete_" #name, doc},
    ETE_FUNCTIONS(ETE_FUNCTION)
#undef ETE_FUNCTION
};

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
                                              .functions = functions,
                                              .function_count = ASSAY_COUNT(functions),
                                              .function_header = "ete/functions.h",
                                              .machines = machines,
                                              .machine_count = ASSAY_COUNT(machines),
                                              .reads_images = true,
                                              .probe = probe,
                                              .decoder = &ete_decoder_ops,
                                              .encoder = &ete_encoder_ops,
                                              .pieces = ete_pieces,
                                              .instruction = ete_instruction};
