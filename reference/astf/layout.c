#include "astf/astf.h"
#include "astf/functions.h"
#include "common/filter.h"
#include "isa/a64.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])
#define ENUMERATION(id, text)                                                                      \
    static const struct assay_enumeration astf_##id = {text, astf_##id##_list,                     \
                                                       COUNT(astf_##id##_list)}

static const struct assay_enumerator astf_tcf_list[] = {
    {0, "none", "tag check faults have no effect"},
    {1, "sync", "synchronous"},
    {2, "async", "asynchronous"},
    {3, "asym", "synchronous on loads, asynchronous on stores"},
};
ENUMERATION(tcf, "mte_tcf");

static const struct assay_enumerator astf_xattr_mode_list[] = {
    {0, "unused", "xattr is reserved"},
    {1, "range", "xattr is the size of a memory range"},
    {2, "sme", "xattr holds an index into ZA"},
    {3, "unused3", "xattr is reserved"},
};
ENUMERATION(xattr_mode, "xattr_mode");

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
ENUMERATION(trap_type, "trap_type");

static const struct assay_enumerator astf_syscall_type_list[] = {
    {0, "none", "not a call"},
    {1, "svc", "SVC"},
    {2, "hvc", "HVC"},
    {3, "smc", "SMC"},
};
ENUMERATION(syscall_type, "syscall_type");

static const struct assay_enumerator astf_unit_list[] = {
    {0, "invalid", "not a unit"},
    {1, "microseconds", "microseconds"},
};
ENUMERATION(unit, "unit");

static const struct assay_enumerator astf_container_list[] = {
#define X(id, name, text) {ASSAY_CONTAINER_##id, name, text},
    ASTF_CONTAINERS(X)
#undef X
};
ENUMERATION(container, "container");

static const struct assay_enumerator astf_stream_fault_list[] = {
#define X(id, name, text) {ASSAY_##id, name, text},
    ASSAY_ERRORS(X)
#undef X
};
ENUMERATION(stream_fault, "stream_fault");

static const struct assay_enumerator astf_a64_class_list[] = {
#define X(id, name, text) {A64_##id, name, text},
    A64_CLASSES(X)
#undef X
};
ENUMERATION(a64_class, "a64_class");

#define FIELD_FLAG_0        0
#define FIELD_FLAG_CONSTANT ASSAY_CONSTANT
#define FIELD_FLAG_RESERVED ASSAY_RESERVED
#define FIELD_FLAG_TEXT     ASSAY_TEXT
#define FIELD_FLAG_VIEW     ASSAY_VIEW

#define F(kind, fname, ftype, fbit, fwidth, fflags, fvalue, fnames, funit, fdoc)                   \
    {.name = #fname,                                                                               \
     .type = ASSAY_##ftype,                                                                        \
     .place = ASSAY_AT_BIT,                                                                        \
     .bit = fbit,                                                                                  \
     .width = fwidth,                                                                              \
     .flags = FIELD_FLAG_##fflags,                                                                 \
     .value = fvalue,                                                                              \
     .names = fnames,                                                                              \
     .unit = funit,                                                                                \
     .doc = fdoc},
#define D(kind, fname, ftype, fword, fbit, fwidth, fnames, funit, fdoc)                            \
    {.name = #fname,                                                                               \
     .type = ASSAY_##ftype,                                                                        \
     .place = ASSAY_DERIVED,                                                                       \
     .bit = (fword)*64 + (fbit),                                                                   \
     .width = fwidth,                                                                              \
     .names = fnames,                                                                              \
     .unit = funit,                                                                                \
     .doc = fdoc},

/* The classification of the instruction word: word 0 is what a64_classify gives. */
#define A64_FIELD(id, fname, low, fwidth, text)                                                    \
    {.name = "a64_" #fname,                                                                        \
     .type = (fwidth) == 1 ? ASSAY_FLAG                                                            \
             : (low) == 0  ? ASSAY_ENUM                                                            \
                           : ASSAY_UINT,                                                            \
     .place = ASSAY_DERIVED,                                                                       \
     .bit = low,                                                                                   \
     .width = fwidth,                                                                              \
     .names = (low) == 0 ? &astf_a64_class : NULL,                                                 \
     .doc = text},
#undef ASTF_A64_FIELDS
#define ASTF_A64_FIELDS(D) A64_INFO_FIELDS(A64_FIELD)

static const struct assay_field malformed_fields[] = {ASTF_FIELDS_malformed(F, D)};
static const struct assay_field end_fields[] = {ASTF_FIELDS_end(F, D)};
#define K(name, title, type, section)                                                              \
    static const struct assay_field name##_fields[] = {ASTF_FIELDS_##name(F, D)};
ASTF_RECORDS(K)
#undef K

#define KIND(id, text, size, section)                                                              \
    {                                                                                              \
        .name = #id, .title = text, .bits = size, .fields = id##_fields,                           \
        .field_count = COUNT(id##_fields), .clause = section                                       \
    }
static const struct assay_kind kinds[] = {KIND(malformed, "Malformed", 0, "4.1"),
                                          KIND(end, "End of the trace", 0, "4.2.1"),
#define K(name, title, type, section) KIND(name, title, ASTF_RECORD_BITS, section),
                                          ASTF_RECORDS(K)
#undef K
};

static const struct assay_fault_code faults[] = {
#define X(id, name, text) {name, text},
    ASTF_FAULTS(X)
#undef X
};

static const struct assay_function functions[] = {
#define ASTF_FUNCTION(name, arity, flag, doc)                                                      \
    {#name, arity, flag, astf_call_##name, "astf_" #name, doc},
    ASTF_FUNCTIONS(ASTF_FUNCTION)
#undef ASTF_FUNCTION
};

enum astf_kind astf_kind_of(uint8_t type)
{
    switch (type) {
#define K(name, title, code, section)                                                              \
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

const struct assay_format assay_format_astf = {
    .name = "astf",
    .title = "Arm Architectural Structured Trace Format",
    .version = "0.11",
    .profiles = profiles,
    .profile_count = COUNT(profiles),
    .layers = layers,
    .layer_count = COUNT(layers),
    .kinds = kinds,
    .kind_count = COUNT(kinds),
    .faults = faults,
    .fault_count = COUNT(faults),
    .functions = functions,
    .function_count = COUNT(functions),
    .function_header = "astf/functions.h",
    .probe = probe,
    .decoder = &astf_decoder_ops,
    .encoder = &astf_encoder_ops,
    .describe = astf_describe,
};
