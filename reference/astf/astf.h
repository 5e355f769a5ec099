/* Arm Architectural Structured Trace Format 0.11: kinds, and access to fields of a record's bytes.
 * The tables are in layout.def. */
#ifndef ASSAY_ASTF_H
#define ASSAY_ASTF_H

#include "astf/layout.def"
#include "execution/compare_fields.h"
#include "model/layout_enum.h"
#include "model/storage.h"

enum { ASTF_RECORD_BYTES = 32, ASTF_RECORD_BITS = 256 };

#define ASSAY_PREFIX ASTF

enum astf_kind {
    ASTF_malformed = ASSAY_KIND_MALFORMED,
    ASTF_end = ASSAY_KIND_END,
    ASTF_RECORDS(ASSAY_ENUM_ID) ASTF_KIND_COUNT
};

/* 4.2.1: uncompressed records, and the containers of LZMA and of Zlib data. */
enum {
    ASTF_CONTAINERS = ASSAY_CONTAINER_BIT(RAW) | ASSAY_CONTAINER_BIT(XZ) |
                      ASSAY_CONTAINER_BIT(LZMA) | ASSAY_CONTAINER_BIT(ZLIB) |
                      ASSAY_CONTAINER_BIT(GZIP)
};

/* Cells of derived values: those of the comparison with a recorded execution in an Instruction
 * record and, but for the first, in an Extra EA record; those in `end`; and the most of any event.
 */
enum {
    ASTF_COMPARE = 3,
    ASTF_MISSING_AT = ASTF_COMPARE + ASSAY_COMPARE_CELLS,
    ASTF_SPURIOUS_AT,
    ASTF_EXECUTED_NEXT,
    ASTF_CELLS,
    ASTF_COMPARE_END = 3,
    ASTF_ROW = 13
};

enum astf_fault { ASTF_NO_FAULT, ASTF_FAULTS(ASSAY_ENUM_FAULT) };

/* First bit and width of every field: ASTF_BIT_instr_pc, ASTF_WIDTH_instr_pc. */
#define ASTF_A64_FIELDS(D)
enum astf_layout {
#define K(name, ...) ASTF_FIELDS_##name(ASSAY_ENUM_BITS, ASSAY_ENUM_NONE)
    ASTF_RECORDS(K)
#undef K
};

#undef ASSAY_PREFIX

static inline uint64_t astf_bits(const uint8_t *record, unsigned bit, unsigned width)
{
    return (assay_load64(record + bit / 64 * 8) >> (bit % 64)) & assay_mask(width);
}

/* The value of a field that does not cross a 64-bit word: astf_get(record, instr, pc). */
#define astf_get(record, kind, field)                                                              \
    astf_bits(record, ASTF_BIT_##kind##_##field, ASTF_WIDTH_##kind##_##field)

static inline void astf_put_bits(uint8_t *record, unsigned bit, unsigned width, uint64_t value)
{
    uint8_t *word = record + bit / 64 * 8;
    const uint64_t mask = assay_mask(width) << (bit % 64);
    assay_store64(word, (assay_load64(word) & ~mask) | ((value << (bit % 64)) & mask));
}

/* Sets a field that does not cross a 64-bit word; bits of the value beyond the field are dropped.
 */
#define astf_set(record, kind, field, value)                                                       \
    astf_put_bits(record, ASTF_BIT_##kind##_##field, ASTF_WIDTH_##kind##_##field, value)

extern const struct assay_format assay_format_astf;
extern const struct assay_decoder_ops astf_decoder_ops;
extern const struct assay_encoder_ops astf_encoder_ops;

/* The kind of a record by its first byte; ASTF_malformed if it is not in Table 3. */
enum astf_kind astf_kind_of(uint8_t type);

/* Writes one human-readable line about a record: `pc=0x1000 iword=0xd503201f ...`. */
void astf_describe(const struct assay_event *event, char *out, size_t size);
bool astf_instruction(const struct assay_event *event, struct assay_instruction *instruction);

#endif
