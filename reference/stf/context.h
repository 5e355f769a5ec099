/* Cell 0 of records, as the model keeps it; and what else the parts of the model share. */
#ifndef ASSAY_STF_CONTEXT_H
#define ASSAY_STF_CONTEXT_H

#include "common/cursor.h"
#include "stf/model.h"

/* Bits of cell 0, which all records have alike. */
#define CONTEXT(field) stf_at(reserved, field, 1)
#define CONTEXT_OF(m, field)                                                                       \
    ((m)->context >> STF_AT_reserved_##field & assay_mask(STF_SPAN_reserved_##field))
#define CONTEXT_MASK(field) stf_at(reserved, field, assay_mask(STF_SPAN_reserved_##field))

/* The cell of an instruction's event that holds a derived field. */
#define INST(field) STF_CELL_inst_32_##field

enum { STF_INFO_CELL = 1 }; /* the classification of the instruction's word */

enum { FILE_X = RV_FILE_X, FILE_F = RV_FILE_F, FILE_V = RV_FILE_V };

/* The records since the last encoding record: those that describe an instruction, and those that
 * may concern none. Bits of `pending`. */
enum { PENDING_INSTRUCTION = 1, PENDING_OTHER = 2 };

enum stf_iem_code { IEM_NONE, IEM_RV32, IEM_RV64, IEM_OTHER };
enum stf_flow_code {
    FLOW_UNKNOWN,
    FLOW_FORCED,
    FLOW_SEQUENCE,
    FLOW_BRANCH,
    FLOW_EVENT,
    FLOW_RETURN
};
enum { ISA_NONE = 0, ISA_RISCV = 1, ACCESS_READ = 1, ACCESS_WRITE = 2 };
enum { OPERAND_STATE = 1, OPERAND_SOURCE, OPERAND_DESTINATION };

static inline void stf_set_context(struct stf_model *m, uint64_t mask, uint64_t bits)
{
    m->context = (m->context & ~mask) | bits;
}

/* Addresses of RV32 have 32 bits; what is above them is judged where it is recorded. */
static inline uint64_t stf_address(const struct stf_model *m, uint64_t address)
{
    return m->rv == RV_32 ? address & UINT32_MAX : address;
}

/* The bits of cell 0 that stay when a group begins. */
#define STF_CONTEXT_RETAINED                                                                       \
    (CONTEXT_MASK(mode) | CONTEXT(mode_known) | CONTEXT_MASK(iem) | CONTEXT(in_header) |           \
     CONTEXT(trailing) | CONTEXT(inst_seen))

/* What identifies the address space of the process: its ASID, since 1.6 its PID. In 1.5 the record
 * may have either, and cannot be distinguished. */
static inline uint32_t stf_space(const struct stf_model *m)
{
    enum { AMBIGUOUS = 15, PID = 1, ASID = 2 };
    return m->minor == AMBIGUOUS ? 0 : m->process[m->minor > AMBIGUOUS ? PID : ASID];
}

/* The entry of the cache that an instruction word can be in. */
static inline struct stf_word *stf_word_slot(struct stf_model *m, uint32_t word)
{
    return &m->words[(word * UINT32_C(0x9e3779b1)) >> (32 - STF_WORD_CACHE_LOG2)];
}

/* What `isa` is in an entry for this instruction set, which is not 0. */
static inline uint32_t stf_word_isa(enum rv_isa isa)
{
    return (uint32_t)isa + 1;
}

/* Not 0. */
static inline uint64_t stf_fast_key(uint32_t word, uint32_t isa)
{
    return word | (uint64_t)isa << 32;
}

/* The totals of the accesses of the open group: STF_ACCESS_TOTAL(m->group.access_totals,
 * read_bytes). */
#define STF_ACCESS_TOTAL(totals, field)                                                            \
    ((unsigned)((totals) >> STF_AT_inst_32_##field & assay_mask(STF_SPAN_inst_32_##field)))

/* The mode of the group's change of mode is in force. */
static inline void stf_take_mode(struct stf_model *m)
{
    if (m->group.mode_pending) {
        stf_set_context(m, CONTEXT_MASK(mode) | CONTEXT(mode_known),
                        stf_at(reserved, mode, m->group.mode) | CONTEXT(mode_known));
        m->group.mode_pending = false;
    }
}

/* Marks all registers as unknown: they were changed by something that is not in the trace. */
void stf_forget_registers(struct stf_model *model);

/* An encoding record of `size` bytes of instruction. */
void stf_model_instruction(struct stf_model *model, uint32_t encoding, unsigned size,
                           uint64_t *cells);

/* The flags in the cell of effects_known about the sizes of the group's accesses; counts them with
 * `effects`.
 */
uint64_t stf_model_sizes(struct stf_model *model, uint64_t info, bool effects);

/* Whether a word can be C.FSDSP or an instruction of Zcmp or Zcmt: some encodings are both, and the
 * trace does not show which. */
bool stf_word_ambiguous(uint32_t word);

/* Whether a word can be C.FLW, C.FSW, C.FLWSP or C.FSWSP, or an instruction of Zclsd, which loads
 * or stores a pair of x registers: in RV32 both have the same encodings. Both access memory. */
bool stf_word_twofold(uint64_t info, enum rv_isa isa);

/* The flags of the cell of effects_known that say what the instruction did, and
 * data_difference. */
uint64_t stf_model_effects(struct stf_model *model, const struct stf_word *word, uint64_t *cells);

/* The first x or f register that an instruction of one access loads. False when there is none. */
static inline bool stf_loaded_register(const struct stf_word *word, enum rv_file *file,
                                       unsigned *number)
{
    const uint32_t *written = word->registers.written;
    *file = written[RV_FILE_X] != 0 ? RV_FILE_X : RV_FILE_F;
    if (written[*file] == 0) {
        return false;
    }
    *number = (unsigned)__builtin_ctz(written[*file]);
    return true;
}

#endif
