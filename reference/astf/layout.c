#include <elf.h>

#include "astf/astf.h"
#include "astf/functions.h"
#include "isa/a64.h"
#include "isa/a64_names.h"
#include "model/layout.h"
#include "model/storage.h"

static const struct assay_enumerator astf_tcf_list[] = {
    {0, "none", "tag check faults have no effect"},
    {1, "sync", "synchronous"},
    {2, "async", "asynchronous"},
    {3, "asym", "synchronous on loads, asynchronous on stores"},
};
ASSAY_ENUMERATION(astf_tcf, "mte_tcf");

static const struct assay_enumerator astf_xattr_mode_list[] = {
    {0, "unused", "xattr is reserved"},
    {1, "range", "xattr is the size of a memory range"},
    {2, "sme", "xattr holds an index into ZA"},
    {3, "unused3", "xattr is reserved"},
};
ASSAY_ENUMERATION(astf_xattr_mode, "xattr_mode");

static const struct assay_enumerator astf_trap_type_list[] = {
    {0, "sync", "synchronous exception"},
    {1, "serror", "SError"},
    {2, "irq", "IRQ"},
    {3, "fiq", "FIQ"},
    {4, "eret", "exception return"},
    {5, "reset", "PE reset"},
    {6, "reserved6", "reserved"},
    {7, "reserved7", "reserved"},
};
ASSAY_ENUMERATION(astf_trap_type, "trap_type");

static const struct assay_enumerator astf_syscall_type_list[] = {
    {0, "none", "not a call"},
    {1, "svc", "SVC"},
    {2, "hvc", "HVC"},
    {3, "smc", "SMC"},
};
ASSAY_ENUMERATION(astf_syscall_type, "syscall_type");

static const struct assay_enumerator astf_unit_list[] = {
    {0, "invalid", "not a unit"},
    {1, "microseconds", "microseconds"},
};
ASSAY_ENUMERATION(astf_unit, "unit");

/* The classification of the instruction word: cell 0 is the result of a64_classify. */
#define A64_FIELD(id, fname, low, fwidth, text)                                                    \
    ASSAY_INFO_FIELD("a64_" #fname, 0, low, fwidth, (low) == 0,                                    \
                     (low) == 0 ? &a64_class_names : NULL, text)
#undef ASTF_A64_FIELDS
#define ASTF_A64_FIELDS(D) A64_INFO_FIELDS(A64_FIELD)

static const struct assay_field malformed_fields[] = {ASTF_FIELDS_malformed(ASSAY_F, ASSAY_D)};
static const struct assay_field end_fields[] = {ASTF_FIELDS_end(ASSAY_F, ASSAY_D)};
#define K(name, title, type, ...)                                                                  \
    static const struct assay_field name##_fields[] = {ASTF_FIELDS_##name(ASSAY_F, ASSAY_D)};
ASTF_RECORDS(K)
#undef K

static const struct assay_kind kinds[] = {
    ASSAY_KIND(malformed, "Malformed", 0, "4.1", .layer = 0),
    ASSAY_KIND(end, "End of the trace", 0, "4.2.1", .layer = 0),
#define K(id, title, type, ...) ASSAY_KIND(id, title, ASTF_RECORD_BITS, __VA_ARGS__),
    ASTF_RECORDS(K)
#undef K
};

static const struct assay_fault_code faults[] = {ASTF_FAULTS(ASSAY_FAULT)};

static const struct assay_function functions[] = {
#define ASTF_FUNCTION(name, arity, flag, doc)                                                      \
    {#name, arity, flag, astf_call_##name, "astf_" #name, doc},
    ASTF_FUNCTIONS(ASTF_FUNCTION)
#undef ASTF_FUNCTION
};

enum astf_kind astf_kind_of(uint8_t type)
{
    switch (type) {
#define K(name, title, code, ...)                                                                  \
    case code:                                                                                     \
        return ASTF_##name;
        ASTF_RECORDS(K)
#undef K
    default:
        return ASTF_malformed;
    }
}

static bool probe(const uint8_t *data, size_t size)
{
    return size >= 4 && memcmp(data, "ASTF", 4) == 0;
}

static const struct assay_profile profiles[] = {{"astf-0.11", "ASTF 0.11"}};

static const char *const layers[] = {"record"};
static const char *const suffixes[] = {".astf", NULL};
static const uint16_t machines[] = {EM_AARCH64};

const struct assay_format assay_format_astf = {
    .name = "astf",
    .title = "Arm Architectural Structured Trace Format",
    .version = "0.11",
    .profiles = profiles,
    .profile_count = ASSAY_COUNT(profiles),
    .layers = layers,
    .layer_count = ASSAY_COUNT(layers),
    .kinds = kinds,
    .kind_count = ASSAY_COUNT(kinds),
    .faults = faults,
    .fault_count = ASSAY_COUNT(faults),
    .functions = functions,
    .function_count = ASSAY_COUNT(functions),
    .function_header = "astf/functions.h",
    .machines = machines,
    .machine_count = ASSAY_COUNT(machines),
    .probe = probe,
    .suffixes = suffixes,
    .decoder = &astf_decoder_ops,
    .encoder = &astf_encoder_ops,
    .describe = astf_describe,
    .instruction = astf_instruction,
};
