/* E-Trace's packets as kinds with packed fields, for tests: expands etrace_layout.def. A slot a
 * field, each in a cell of its own; the presence is after the last one. */
#ifndef ASSAY_COMMON_TESTS_ETRACE_LAYOUT_H
#define ASSAY_COMMON_TESTS_ETRACE_LAYOUT_H

#include "model/packed.h"
#include "model/tests/etrace_layout.def"

enum etrace_parameter {
#define X(name, value) ETRACE_P_##name,
    ETRACE_PARAMETERS(X)
#undef X
        ETRACE_PARAMETER_COUNT
};

static const uint64_t etrace_defaults[ETRACE_PARAMETER_COUNT] = {
#define X(name, value) value,
    ETRACE_PARAMETERS(X)
#undef X
};

static const char *const etrace_parameter_names[ETRACE_PARAMETER_COUNT] = {
#define X(name, value) #name,
    ETRACE_PARAMETERS(X)
#undef X
};

enum etrace_kind {
#define X(id, list, title, clause) ETRACE_##list##_KIND,
    ETRACE_KINDS(X)
#undef X
        ETRACE_KIND_COUNT
};

/* Numbers of the fields: ETRACE_F1_branches ... and how many a kind has. */
#define FIXED(kind, name, type, at, bits, number) ETRACE_##kind##_##name,
#define PACKED(kind, name, type, slot, layout)    ETRACE_##kind##_##name,
enum { ETRACE_F0_COUNT(F0_COUNT) ETRACE_F0_COUNT_FIELDS };
enum { ETRACE_F0_INDEX(F0_INDEX) ETRACE_F0_INDEX_FIELDS };
enum { ETRACE_F1(F1) ETRACE_F1_FIELDS };
enum { ETRACE_F2(F2) ETRACE_F2_FIELDS };
enum { ETRACE_F3_START(F3_START) ETRACE_F3_START_FIELDS };
enum { ETRACE_F3_TRAP(F3_TRAP) ETRACE_F3_TRAP_FIELDS };
enum { ETRACE_F3_CONTEXT(F3_CONTEXT) ETRACE_F3_CONTEXT_FIELDS };
enum { ETRACE_F3_SUPPORT(F3_SUPPORT) ETRACE_F3_SUPPORT_FIELDS };
#undef FIXED
#undef PACKED

enum { ETRACE_CELLS = 16 };

/* --- what widths and presence depend on --- */

/* branch_map with an address, sections 6.7.2 and 6.8: 1, 3, 7, 15 or 31 bits. */
static uint64_t etrace_map_bits(uint64_t branches, uint64_t without, uint64_t unused)
{
    (void)unused;
    return branches == 0   ? without
           : branches == 1 ? 1
           : branches <= 3 ? 3
           : branches <= 7 ? 7
                           : (branches <= 15 ? 15 : 31);
}

/* irdepth, section 6.6.3. */
static uint64_t etrace_irdepth_bits(uint64_t return_stack_size, uint64_t call_counter_size,
                                    uint64_t unused)
{
    (void)unused;
    return return_stack_size + (return_stack_size > 0) + call_counter_size;
}

#define P(name)        ASSAY_BY_PARAMETER(ETRACE_P_##name)
#define F(kind, name)  ASSAY_BY_FIELD(ETRACE_##kind##_##name)
#define WIDTH_OF(name) .width = {.op = ASSAY_PACKED_VALUE, .a = P(name)}
#define ADDRESS_WIDTH                                                                              \
    .width = {.op = ASSAY_PACKED_MINUS, .a = P(iaddress_width_p), .b = P(iaddress_lsb_p)},         \
    .shift = {.op = ASSAY_PACKED_VALUE, .a = P(iaddress_lsb_p)}
/* An address is a difference unless all are sent in full, section 3.2.2. */
#define DIFFERENTIAL                                                                               \
    .sign = {.op = ASSAY_PACKED_EQUAL, .a = P(full_address), .b = ASSAY_BY_NUMBER(0)}
#define IRDEPTH_WIDTH                                                                              \
    .width = {.op = ASSAY_PACKED_CALL,                                                             \
              .a = P(return_stack_size_p),                                                         \
              .b = P(call_counter_size_p),                                                         \
              .call = etrace_irdepth_bits}
#define MAP_WIDTH(field, without)                                                                  \
    .width = {.op = ASSAY_PACKED_CALL,                                                             \
              .a = field,                                                                          \
              .b = ASSAY_BY_NUMBER(without),                                                       \
              .call = etrace_map_bits}
#define IF_BRANCHES                                                                                \
    .present = {.op = ASSAY_PACKED_UNEQUAL, .a = F(F1, branches), .b = ASSAY_BY_NUMBER(0)}
#define IF_ADDRESS_FMT                                                                             \
    .present = {.op = ASSAY_PACKED_AT_LEAST, .a = F(F0_COUNT, branch_fmt), .b = ASSAY_BY_NUMBER(2)}
#define IF_ZERO(name) .present = {.op = ASSAY_PACKED_EQUAL, .a = P(name), .b = ASSAY_BY_NUMBER(0)}

static const struct assay_packed etrace_always;
static const struct assay_packed etrace_f0_subformat = {WIDTH_OF(f0s_width_p)};
static const struct assay_packed etrace_cache_index = {WIDTH_OF(cache_size_p)};
static const struct assay_packed etrace_privilege = {WIDTH_OF(privilege_width_p)};
static const struct assay_packed etrace_context = {WIDTH_OF(context_width_p), IF_ZERO(nocontext_p)};
static const struct assay_packed etrace_context_always = {WIDTH_OF(context_width_p)};
static const struct assay_packed etrace_ecause = {WIDTH_OF(ecause_width_p)};
static const struct assay_packed etrace_tvalepc = {WIDTH_OF(iaddress_width_p)};
static const struct assay_packed etrace_encoder_mode = {WIDTH_OF(encoder_mode_bits)};
static const struct assay_packed etrace_options = {WIDTH_OF(options_bits)};
static const struct assay_packed etrace_full_address = {ADDRESS_WIDTH};
static const struct assay_packed etrace_handler_address = {ADDRESS_WIDTH,
                                                           IF_ZERO(implicit_exception)};
static const struct assay_packed etrace_differential_address = {ADDRESS_WIDTH, DIFFERENTIAL};
static const struct assay_packed etrace_irdepth = {IRDEPTH_WIDTH};
static const struct assay_packed etrace_f0_index_map = {MAP_WIDTH(F(F0_INDEX, branches), 0)};
static const struct assay_packed etrace_f0_count_address = {ADDRESS_WIDTH, DIFFERENTIAL,
                                                            IF_ADDRESS_FMT};
static const struct assay_packed etrace_f0_count_if_address = {IF_ADDRESS_FMT};
static const struct assay_packed etrace_f0_count_irdepth = {IRDEPTH_WIDTH, IF_ADDRESS_FMT};
static const struct assay_packed etrace_f1_map = {MAP_WIDTH(F(F1, branches), 31)};
static const struct assay_packed etrace_f1_address = {ADDRESS_WIDTH, DIFFERENTIAL, IF_BRANCHES};
static const struct assay_packed etrace_f1_if_address = {IF_BRANCHES};
static const struct assay_packed etrace_f1_irdepth = {IRDEPTH_WIDTH, IF_BRANCHES};

/* --- the kinds --- */

#define FIXED(kind, fname, ftype, at, bits, number)                                                \
    {.name = #fname,                                                                               \
     .type = ASSAY_##ftype,                                                                        \
     .place = ASSAY_AT_BIT,                                                                        \
     .bit = at,                                                                                    \
     .width = bits,                                                                                \
     .flags = ASSAY_CONSTANT,                                                                      \
     .value = number},
#define PACKED(kind, fname, ftype, slot, layout)                                                   \
    {.name = #fname,                                                                               \
     .type = ASSAY_##ftype,                                                                        \
     .place = ASSAY_PACKED,                                                                        \
     .bit = 64 * ETRACE_##kind##_##fname,                                                          \
     .width = slot,                                                                                \
     .packed = &etrace_##layout},
static const struct assay_field etrace_f0_count_fields[] = {ETRACE_F0_COUNT(F0_COUNT)};
static const struct assay_field etrace_f0_index_fields[] = {ETRACE_F0_INDEX(F0_INDEX)};
static const struct assay_field etrace_f1_fields[] = {ETRACE_F1(F1)};
static const struct assay_field etrace_f2_fields[] = {ETRACE_F2(F2)};
static const struct assay_field etrace_f3_start_fields[] = {ETRACE_F3_START(F3_START)};
static const struct assay_field etrace_f3_trap_fields[] = {ETRACE_F3_TRAP(F3_TRAP)};
static const struct assay_field etrace_f3_context_fields[] = {ETRACE_F3_CONTEXT(F3_CONTEXT)};
static const struct assay_field etrace_f3_support_fields[] = {ETRACE_F3_SUPPORT(F3_SUPPORT)};
#undef FIXED
#undef PACKED

static const struct assay_kind etrace_kinds[ETRACE_KIND_COUNT] = {
#define X(id, list, text, section)                                                                 \
    {.name = #id,                                                                                  \
     .title = text,                                                                                \
     .bits = ETRACE_##list##_KIND < ETRACE_F3_START_KIND ? 2 : 4,                                  \
     .fields = etrace_##id##_fields,                                                               \
     .field_count = ETRACE_##list##_FIELDS,                                                        \
     .clause = section,                                                                            \
     .sign_compressed = true,                                                                      \
     .presence = ETRACE_CELLS},
    ETRACE_KINDS(X)
#undef X
};

#undef P
#undef F

#endif
