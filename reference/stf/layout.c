enum { DESCRIPTOR_BITS = 8 };
#define ASSAY_LAYOUT_LEAD DESCRIPTOR_BITS

#include <elf.h>

#include "isa/rv.h"
#include "model/layout.h"
#include "model/storage.h"
#include "stf/stf.h"
#include "stf/tables.h"

static const struct assay_enumerator stf_isa_list[] = {
    {0, "reserved", "reserved"}, {1, "riscv", "RISC-V"}, {2, "arm", "ARM"},
    {3, "x86", "x86"},           {4, "power", "Power"},
};
ASSAY_ENUMERATION(stf_isa, "isa");

static const struct assay_enumerator stf_inst_iem_list[] = {
    {0, "reserved", "reserved"},
    {1, "rv32", "STF_INST_IEM_RV32"},
    {2, "rv64", "STF_INST_IEM_RV64"},
};
ASSAY_ENUMERATION(stf_inst_iem, "encoding_mode");

static const struct assay_enumerator stf_iem_list[] = {
    {0, "none", "not known yet"},
    {1, "rv32", "STF_INST_IEM_RV32"},
    {2, "rv64", "STF_INST_IEM_RV64"},
    {3, "other", "any other value, or another ISA than RISC-V"},
};
ASSAY_ENUMERATION(stf_iem, "iem");

static const struct assay_enumerator stf_mode_list[] = {
    {0, "user", "user mode"},
    {1, "supervisor", "supervisor mode"},
    {2, "hypervisor", "hypervisor mode"},
    {3, "machine", "machine mode"},
};
ASSAY_ENUMERATION(stf_mode, "mode");

static const struct assay_enumerator stf_access_list[] = {
    {0, "reserved", "reserved"},
    {1, "read", "memory is read"},
    {2, "write", "memory is written"},
};
ASSAY_ENUMERATION(stf_access, "type");

static const struct assay_enumerator stf_reg_type_list[] = {
    {0, "reserved", "reserved"},
    {1, "integer", "x register"},
    {2, "floating_point", "f register"},
    {3, "vector", "v register"},
    {4, "csr", "CSR"},
};
ASSAY_ENUMERATION(stf_reg_type, "type");

static const struct assay_enumerator stf_operand_list[] = {
    {0, "reserved", "reserved"},
    {1, "state", "the register's content at this place"},
    {2, "source", "read by the instruction"},
    {3, "destination", "written by it"},
};
ASSAY_ENUMERATION(stf_operand, "operand");

static const struct assay_enumerator stf_protocol_list[] = {
    {0, "reserved", "reserved"},
    {1, "tilelink", "TileLink"},
};
ASSAY_ENUMERATION(stf_protocol, "protocol");

static const struct assay_enumerator stf_event_list[] = {
    {STF_EVENT_NONE, "none", "no event"},
#define X(name, synchronous, asynchronous, fields, own_row, origin, text)                          \
    {STF_EVENT_##name, #name, text},
    STF_EVENTS(X)
#undef X
        {STF_EVENT_OTHER, "other",
         "an id of the table of events that the specification does not name"},
    {STF_EVENT_UNKNOWN, "unknown", "an id that the table of events does not have"},
};
ASSAY_ENUMERATION(stf_event, "event");

static const struct assay_enumerator stf_origin_list[] = {
#define X(id, name, text) {STF_ORIGIN_##id, name, text},
    STF_ORIGINS(X)
#undef X
};
ASSAY_ENUMERATION(stf_origin, "event_origin");

static const struct assay_enumerator stf_flow_list[] = {
    {0, "unknown", "it is not known"},
    {1, "forced", "FORCE_PC"},
    {2, "sequence", "the instruction before it"},
    {3, "branch", "INST_PC_TARGET of the instruction before it"},
    {4, "event", "EVENT_PC_TARGET of the instruction before it"},
    {5, "return", "the instruction before it, xRET, as no record says that it led elsewhere"},
};
ASSAY_ENUMERATION(stf_flow, "flow");

static const struct assay_enumerator stf_unit_list[] = {
    {0, "none", "the word gives no size, or there is no access"},
    {1, "bytes", "the size that the word gives"},
    {2, "bits", "eight times the size that the word gives"},
    {3, "other", "neither"},
};
ASSAY_ENUMERATION(stf_unit, "size_unit");

static const struct assay_enumerator stf_index_difference_list[] = {
#define X(id, name, text) {STF_INDEX_##id, name, text},
    STF_INDEX_DIFFERENCES(X)
#undef X
};
ASSAY_ENUMERATION(stf_index_difference, "index_difference");

static const struct assay_enumerator stf_rv_class_list[] = {
#define X(id, name, text) {RV_##id, name, text},
    RV_CLASSES(X)
#undef X
};
ASSAY_ENUMERATION(stf_rv_class, "rv_class");

static const struct assay_enumerator stf_rv_transfer_list[] = {
#define X(id, name, text) {RV_TRANSFER_##id, name, text},
    RV_TRANSFERS(X)
#undef X
};
ASSAY_ENUMERATION(stf_rv_transfer, "rv_transfer");

/* The classification of the instruction word: cell 1 is what rv_classify gives. */
#define RV_NAMES(low)                                                                              \
    ((low) == RV_INFO_CLASS_LOW      ? &stf_rv_class                                               \
     : (low) == RV_INFO_TRANSFER_LOW ? &stf_rv_transfer                                            \
                                     : NULL)
#define RV_FIELD(id, fname, low, fwidth, text)                                                     \
    ASSAY_INFO_FIELD("rv_" #fname, 64, low, fwidth,                                                \
                     (low) == RV_INFO_CLASS_LOW || (low) == RV_INFO_TRANSFER_LOW, RV_NAMES(low),   \
                     text)
#undef STF_RV_FIELDS
#define STF_RV_FIELDS(D) RV_INFO_FIELDS(RV_FIELD)

static const struct assay_field malformed_fields[] = {
    STF_FIELDS_malformed(ASSAY_F, ASSAY_T, ASSAY_D)};
static const struct assay_field end_fields[] = {STF_FIELDS_end(ASSAY_F, ASSAY_T, ASSAY_D)};
#define K(name, title, descriptor, bits, minor, ...)                                               \
    static const struct assay_field name##_fields[] = {                                            \
        STF_FIELDS_##name(ASSAY_F, ASSAY_T, ASSAY_D)};
STF_RECORDS(K)
#undef K

static const struct assay_kind kinds[STF_KIND_COUNT] = {
    ASSAY_KIND(malformed, "Malformed", 0, "STF File Anatomy", .layer = 0),
    ASSAY_KIND(end, "End of the trace", 0, "STF File Anatomy", .layer = 0),
#define K(id, text, descriptor, data, minor, ...)                                                  \
    ASSAY_KIND(id, text, DESCRIPTOR_BITS + (data), __VA_ARGS__),
    STF_RECORDS(K)
#undef K
};

static const struct assay_fault_code faults[] = {STF_FAULTS(ASSAY_FAULT)};

static const struct assay_profile profiles[] = {
#define X(id, name, title, minor, event64, vectors) {name, title},
    STF_PROFILES(X)
#undef X
};

const struct stf_profile stf_profiles[STF_PROFILE_COUNT] = {
#define X(id, name, title, minor, event64, vectors) {minor, event64, vectors},
    STF_PROFILES(X)
#undef X
};

const uint8_t stf_descriptors[STF_KIND_COUNT] = {
#define K(name, title, descriptor, bits, minor, ...) [STF_##name] = descriptor,
    STF_RECORDS(K)
#undef K
};

static const uint8_t first_minors[STF_KIND_COUNT] = {
#define K(name, title, descriptor, bits, minor, ...) [STF_##name] = minor,
    STF_RECORDS(K)
#undef K
};

enum stf_kind stf_kind_of(unsigned minor, uint8_t descriptor)
{
    for (unsigned kind = ASSAY_KIND_FIRST; kind < STF_KIND_COUNT; kind++) {
        if (stf_descriptors[kind] == descriptor && first_minors[kind] <= minor) {
            return (enum stf_kind)kind;
        }
    }
    return STF_malformed;
}

/* "STF" after the descriptor of the first record; or the magic of its chunked container. Other
 * compressed forms have no magic of their own. */
static bool probe(const uint8_t *data, size_t size)
{
    return size >= 4 && (memcmp(data, "\001STF", 4) == 0 || memcmp(data, "ZSTF", 4) == 0);
}

static const char *const layers[] = {"record"};
static const char *const suffixes[] = {".stf", ".zstf", NULL};
static const uint16_t machines[] = {EM_RISCV};

const struct assay_format assay_format_stf = {
    .name = "stf",
    .title = "Simple Trace Format",
    .version = "1.3",
    .profiles = profiles,
    .profile_count = ASSAY_COUNT(profiles),
    .lead_bits = DESCRIPTOR_BITS,
    .reads_execution = true,
    .layers = layers,
    .layer_count = ASSAY_COUNT(layers),
    .kinds = kinds,
    .kind_count = ASSAY_COUNT(kinds),
    .faults = faults,
    .fault_count = ASSAY_COUNT(faults),
    .machines = machines,
    .machine_count = ASSAY_COUNT(machines),
    .probe = probe,
    .suffixes = suffixes,
    .fact_table = stf_fact_table,
    .stored_compressed = true,
    .decoder = &stf_decoder_ops,
    .encoder = &stf_encoder_ops,
    .translator = &stf_translator_ops,
    .describe = stf_describe,
    .instruction = stf_instruction,
};
