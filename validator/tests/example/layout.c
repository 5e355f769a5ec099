/* The example's tables, from layout.def. */
#include "model/layout.h"
#include "example/example.h"
#include "example/program.h"
#include "model/framing.h"

static const struct assay_enumerator example_class_list[] = {
#define X(id, name, text) {EXAMPLE_CLASS_##id, name, text},
    EXAMPLE_CLASSES(X)
#undef X
};
ASSAY_ENUMERATION(example_class, "class");

/* --- what widths and presence of packed fields depend on --- */

#define BY(id) ASSAY_BY_PARAMETER(EXAMPLE_##id)
#define ADDRESS_WIDTH                                                                              \
    .width = {.op = ASSAY_PACKED_MINUS, .a = BY(ADDRESS_WIDTH), .b = ASSAY_BY_NUMBER(2)},          \
    .shift = {.op = ASSAY_PACKED_VALUE, .a = ASSAY_BY_NUMBER(2)}

static const struct assay_packed example_address = {ADDRESS_WIDTH};
/* Of these two a packet has the one that the last sync says. */
static const struct assay_packed example_difference = {
    ADDRESS_WIDTH, .sign = {.op = ASSAY_PACKED_VALUE, .a = ASSAY_BY_NUMBER(1)},
    .present = {.op = ASSAY_PACKED_EQUAL, .a = BY(FULL_ADDRESS), .b = ASSAY_BY_NUMBER(0)}};
static const struct assay_packed example_target = {
    ADDRESS_WIDTH, .present = {.op = ASSAY_PACKED_VALUE, .a = BY(FULL_ADDRESS)}};
static const struct assay_packed example_context = {
    .present = {.op = ASSAY_PACKED_VALUE, .a = BY(HAS_CONTEXT)}};
/* As many bits as `count` says. */
static const struct assay_packed example_map = {
    .width = {.op = ASSAY_PACKED_VALUE, .a = ASSAY_BY_FIELD(EXAMPLE_FIELD_atoms_count)}};

/* --- fields and kinds --- */

#define ASSAY_PREFIX EXAMPLE
#define P            ASSAY_OWN_P
#define H            ASSAY_OWN_HAS
#define D            ASSAY_OWN_D

static const struct assay_field malformed_fields[] = {EXAMPLE_FIELDS_malformed(D, ASSAY_D)};
static const struct assay_field end_fields[] = {EXAMPLE_FIELDS_end(D, ASSAY_D)};
#define K(name, title, type, bits)                                                                 \
    static const struct assay_field name##_fields[] = {                                            \
        EXAMPLE_FIELDS_##name(ASSAY_F, P, D, H, ASSAY_EXCESS)};
EXAMPLE_PACKETS(K)
#undef K
#define NOTE(kind, name, type, ...) ASSAY_P(kind, name, type, EXAMPLE_CELL_note_##name, __VA_ARGS__)
#define N(n)                                                                                       \
    static const struct assay_field note_##n##_fields[] = {                                        \
        EXAMPLE_FIELDS_note(n, ASSAY_F, NOTE, D, H, ASSAY_EXCESS)};
EXAMPLE_NOTES(N)
#undef N
#define K(name, title, layer)                                                                      \
    static const struct assay_field name##_fields[] = {EXAMPLE_FIELDS_##name(D, ASSAY_D)};
EXAMPLE_EVENTS(K)
#undef K

static const struct assay_kind kinds[] = {
    ASSAY_KIND(malformed, "Malformed", 0, "2", .layer = EXAMPLE_PACKET),
    ASSAY_KIND(end, "End of the stream", 0, "2", .layer = EXAMPLE_PACKET),
#define K(name, text, type, size)                                                                  \
    ASSAY_KIND(name, text, size, "2", .layer = EXAMPLE_PACKET,                                     \
               .sign_compressed = EXAMPLE_##name != EXAMPLE_sync,                                  \
               .presence = ASSAY_CELL_PRESENCE + 1),
    EXAMPLE_PACKETS(K)
#undef K
#define N(n)                                                                                       \
    ASSAY_KIND(note_##n, "Note " #n, 16, "2", .layer = EXAMPLE_PACKET, .sign_compressed = true,    \
               .presence = ASSAY_CELL_PRESENCE + 1),
        EXAMPLE_NOTES(N)
#undef N
#define K(name, text, in)                                                                          \
    ASSAY_KIND(name, text, 0, "3", .layer = EXAMPLE_##in,                                          \
               .run_of = EXAMPLE_##name == EXAMPLE_run ? EXAMPLE_instruction : 0,                  \
               .met = EXAMPLE_##name == EXAMPLE_run ? EXAMPLE_MET + 1 : 0),
            EXAMPLE_EVENTS(K)
#undef K
};
ASSAY_CHECK_KINDS(kinds);

enum example_kind example_kind_of(uint8_t type)
{
    switch (type) {
#define K(name, title, code, bits)                                                                 \
    case code:                                                                                     \
        return EXAMPLE_##name;
        EXAMPLE_PACKETS(K)
#undef K
    default:
        return type >= EXAMPLE_NOTE_TYPE && type < EXAMPLE_NOTE_TYPE + 128
                   ? (enum example_kind)(EXAMPLE_note_00 + type - EXAMPLE_NOTE_TYPE)
                   : EXAMPLE_malformed;
    }
}

/* --- parameters --- */

static const struct assay_parameter parameter_list[] = {EXAMPLE_PARAMETERS(ASSAY_PARAMETER)};
static const struct assay_parameter_table parameters = {.list = parameter_list,
                                                        .count = EXAMPLE_PARAMETER_COUNT};

void example_parameters(const struct assay_parameter_values *values,
                        uint64_t out[EXAMPLE_LAYOUT_COUNT])
{
    out[EXAMPLE_FULL_ADDRESS] = 0;
    assay_parameters_array(&parameters, values, out);
}

enum assay_error example_plans_make(struct example_plans *plans, const uint64_t *values,
                                    struct assay_diag *diag)
{
    return assay_packing_plans(kinds, ASSAY_KIND_FIRST, EXAMPLE_PACKET_KINDS_END, values,
                               EXAMPLE_LAYOUT_COUNT, plans->plan, diag);
}

/* --- the format --- */

static bool probe(const uint8_t *data, size_t size)
{
    return size >= 5 && data[0] >> 5 == 5 && data[1] == 'S' && data[2] == 'Y' && data[3] == 'N' &&
           data[4] == 'C';
}

static const struct assay_fault_code faults[] = {EXAMPLE_FAULTS(ASSAY_FAULT)};
static const char *const layers[] = {"packet", "element", "resolved", "instruction"};
static const uint16_t machines[] = {0x6578}; /* a number that no machine has */
static const struct assay_profile profiles[] = {{"example-1", "Example 1"}};

const struct assay_format assay_format_example = {.name = "example",
                                                  .title = "A packet format for tests",
                                                  .version = "1",
                                                  .profiles = profiles,
                                                  .profile_count = ASSAY_COUNT(profiles),
                                                  .layers = layers,
                                                  .layer_count = ASSAY_COUNT(layers),
                                                  .kinds = kinds,
                                                  .kind_count = ASSAY_COUNT(kinds),
                                                  .parameters = &parameters,
                                                  .faults = faults,
                                                  .fault_count = ASSAY_COUNT(faults),
                                                  .framings = ASSAY_FRAMING_BIT(LENGTH_PREFIXED),
                                                  .machines = machines,
                                                  .machine_count = ASSAY_COUNT(machines),
                                                  .reads_images = true,
                                                  .probe = probe,
                                                  .decoder = &example_decoder_ops,
                                                  .encoder = &example_encoder_ops};
