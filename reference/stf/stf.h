/* Simple Trace Format 1.3, with the later versions and the variants of the public library: kinds,
 * and access to fields of a record's bytes. The tables are in layout.def. */
#ifndef ASSAY_STF_H
#define ASSAY_STF_H

#include "execution/compare_fields.h"
#include "model/layout_enum.h"
#include "model/storage.h"
#include "stf/executed.def"
#include "stf/layout.def"

#define ASSAY_PREFIX STF

enum stf_kind {
    STF_malformed = ASSAY_KIND_MALFORMED,
    STF_end = ASSAY_KIND_END,
    STF_RECORDS(ASSAY_ENUM_ID) STF_KIND_COUNT
};

enum stf_descriptor {
#define K(name, title, descriptor, bits, minor, ...) STF_DESC_##name = (descriptor),
    STF_RECORDS(K)
#undef K
};

/* Bytes of a record's data before its tail. */
enum stf_data_bytes {
#define K(name, title, descriptor, bits, minor, ...) STF_BYTES_##name = (bits) / 8,
    STF_RECORDS(K)
#undef K
};

/* The versions and dialects. X(name, title, minor version whose records it has, whether EVENT may
 * have ids of 64 bits, whether vector registers are as long as VLEN says) */
#define STF_PROFILES(X)                                                                            \
    X(13, "stf-1.3", "STF 1.3 literally", 13, false, false)                                        \
    X(13_IMPL, "stf-1.3-impl", "STF 1.3 as its public library wrote it", 13, true, false)          \
    X(14, "stf-1.4", "STF 1.4, as the public library wrote it", 14, true, true)                    \
    X(15, "stf-1.5", "STF 1.5, as the public library wrote it", 15, true, true)                    \
    X(16, "stf-1.6", "STF 1.6, as the public library writes it", 16, true, true)

enum stf_profile_id {
#define X(id, name, title, minor, event64, vectors) STF_PROFILE_##id,
    STF_PROFILES(X)
#undef X
        STF_PROFILE_COUNT
};

/* Cells of derived values that an event has room for; those that a recorded execution gives inst_32
 * and inst_16, which no other record writes, and the end. */
enum {
    STF_CELLS = 26,
    STF_COMPARE = 16,
    STF_DIFFERS_AT = STF_COMPARE + ASSAY_COMPARE_CELLS,
    STF_EXECUTED_CONTENT,
    STF_EXECUTED_CALL,
    STF_COMPARE_FLAGS,
    STF_COMPARE_BEHIND,
    STF_BRANCH_LED = STF_COMPARE_BEHIND,
    STF_COMPARE_END = 13,
    STF_LAST_TARGET = 24,
    STF_LAST_LED,
};

/* Bytes of a record that an event shows; of longer ones (comments, mostly) the beginning. */
enum { STF_SHOWN = 65536 };

/* How an entry of the index can differ from the chunks. X(enumerator, name, meaning) */
#define STF_INDEX_DIFFERENCES(X)                                                                   \
    X(NONE, "none", "there are no chunks, or each entry agrees with its chunk")                    \
    X(OFFSET, "offset", "a chunk begins elsewhere than its entry says")                            \
    X(SIZE, "size", "a chunk has another size than its entry says")                                \
    X(PC, "pc", "the first instruction of a chunk is elsewhere than its entry says")               \
    X(EMPTY, "empty", "the entry is of a chunk that holds nothing")

enum stf_index_difference {
#define X(id, name, text) STF_INDEX_##id,
    STF_INDEX_DIFFERENCES(X)
#undef X
};

enum stf_fault { STF_NO_FAULT, STF_FAULTS(ASSAY_ENUM_FAULT) };

/* First bit and width of the fields: STF_BIT_inst_reg_value; of derived ones cell and bit:
 * STF_AT_inst_32_pc. */
#define STF_RV_FIELDS(D)
#define STF_D_AT(kind, name, type, cell, bit, width, ...)                                          \
    STF_CELL_##kind##_##name = (cell), STF_AT_##kind##_##name = (bit),                             \
    STF_SPAN_##kind##_##name = (width),
enum stf_layout {
#define K(name, ...) STF_FIELDS_##name(ASSAY_ENUM_BITS, ASSAY_ENUM_NONE, ASSAY_ENUM_NONE)
    STF_RECORDS(K)
#undef K
};
enum stf_derived {
#define K(name, ...) STF_FIELDS_##name(ASSAY_ENUM_NONE, ASSAY_ENUM_NONE, STF_D_AT)
    K(malformed, "Malformed") K(end, "End") STF_RECORDS(K)
#undef K
};

#undef ASSAY_PREFIX

/* The bits of the derived cell that are about a text (STF_TEXT_FIELDS): cell 1. */
#define STF_TEXT_MASK                                                                              \
    (stf_at(comment, text_terminated, 1) | stf_at(comment, text_has_digest, 1) |                   \
     stf_at(comment, text_printable, 1))

/* The value of a field of at most 64 bits that begins at a byte, or lies in a 64-bit word. */
static inline uint64_t stf_bits(const uint8_t *data, unsigned bit, unsigned width)
{
    return (assay_load64(data + bit / 8) >> (bit % 8)) & assay_mask(width);
}

/* stf_get(data, inst_reg, value); reads up to 8 bytes from where the field begins. */
#define stf_get(data, kind, field)                                                                 \
    stf_bits(data, STF_BIT_##kind##_##field, STF_WIDTH_##kind##_##field)

/* stf_set(data, inst_reg, value, 7): writes a field into cleared bytes, of which 8 from where the
 * field begins are touched. */
static inline void stf_put_bits(uint8_t *data, unsigned bit, unsigned width, uint64_t value)
{
    assay_store64(data + bit / 8, assay_load64(data + bit / 8) | (value & assay_mask(width))
                                                                     << (bit % 8));
}

#define stf_set(data, kind, field, value)                                                          \
    stf_put_bits(data, STF_BIT_##kind##_##field, STF_WIDTH_##kind##_##field, (uint64_t)(value))

/* A derived value at its position in its cell: stf_at(inst_32, pc_known, 1). */
#define stf_at(kind, field, value) ((uint64_t)(value) << STF_AT_##kind##_##field)

extern const struct assay_format assay_format_stf;
extern const struct assay_decoder_ops stf_decoder_ops;
extern const struct assay_encoder_ops stf_encoder_ops;
extern const struct assay_translator_ops stf_translator_ops; /* to 1.6 */

struct stf_profile {
    unsigned minor; /* version whose records it has */
    bool event64;   /* EVENT has ids of 64 bits where the feature bit says so */
    bool vectors;   /* vector registers are as long as VLEN says */
};

extern const struct stf_profile stf_profiles[STF_PROFILE_COUNT];

/* The kind of a record in a profile, by its descriptor; STF_malformed when it has none. Of two
 * kinds of one descriptor it is the first in the table that the version has: EVENT is STF_event. */
enum stf_kind stf_kind_of(unsigned minor, uint8_t descriptor);

/* The descriptors of the kinds of records. */
extern const uint8_t stf_descriptors[STF_KIND_COUNT];

static inline uint8_t stf_descriptor_of(unsigned kind)
{
    return stf_descriptors[kind];
}

/* Writes one human-readable line about a record. */
void stf_describe(const struct assay_event *event, char *out, size_t size);
bool stf_instruction(const struct assay_event *event, struct assay_instruction *instruction);

#endif
