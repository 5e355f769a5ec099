/* The part of the model that says what an instruction did, by the records of its group. */
#include "stf/effects.h"

#include "stf/context.h"

enum { UNIT_NONE, UNIT_BYTES, UNIT_BITS, UNIT_OTHER };

/* --- sizes --- */

/* How the sizes of the group's accesses relate to the size that the word gives. Parts of an access
 * count together; an atomic may have a read, a write or both. */
static unsigned unit_for(const struct stf_group *g, unsigned bytes)
{
    const unsigned r = STF_ACCESS_TOTAL(g->access_totals, read_bytes);
    const unsigned w = STF_ACCESS_TOTAL(g->access_totals, written_bytes);
    if (bytes == 0 || (r | w) == 0) {
        return UNIT_NONE;
    }
    if ((r == 0 || r == bytes) && (w == 0 || w == bytes)) {
        return UNIT_BYTES;
    }
    return (r == 0 || r == 8 * bytes) && (w == 0 || w == 8 * bytes) ? UNIT_BITS : UNIT_OTHER;
}

/* The same for a word that may be one of Zclsd, which accesses twice as much. */
static unsigned unit_of(const struct stf_model *m, uint64_t info)
{
    const unsigned bytes = rv_access_bytes(info);
    const unsigned unit = unit_for(&m->group, bytes);
    return unit == UNIT_OTHER && stf_word_twofold(info, m->rv) ? unit_for(&m->group, 2 * bytes)
                                                               : unit;
}

/* Whether sizes are in bytes or in bits, as far as the group tells: by the word, or else by the
 * contents. */
static unsigned unit_known(unsigned unit, bool right, bool right_bits)
{
    if (unit == UNIT_NONE && right != right_bits) {
        return right ? UNIT_BYTES : UNIT_BITS;
    }
    return unit != UNIT_BITS || right_bits ? unit : UNIT_NONE;
}

uint64_t stf_model_sizes(struct stf_model *m, uint64_t info, bool effects)
{
    const struct stf_group *g = &m->group;
    const bool right = stf_moves_match(&g->moves, false);
    const bool right_bits = stf_moves_match(&g->moves, true);
    const unsigned unit = unit_of(m, info);
    const unsigned known = unit_known(unit, right, right_bits);
    m->sizes_in_bytes += effects && known == UNIT_BYTES;
    m->sizes_in_bits += effects && known == UNIT_BITS;
    const bool in_bits = right_bits && (unit == UNIT_BITS || unit == UNIT_NONE) &&
                         m->sizes_in_bits > 0 && m->sizes_in_bits >= m->sizes_in_bytes;
    return stf_at(inst_32, contents_match, right) |
           stf_at(inst_32, contents_match_bits, right_bits) |
           stf_at(inst_32, contents_grouped, stf_moves_grouped(&g->moves)) |
           stf_at(inst_32, size_unit, unit) | stf_at(inst_32, in_bits, in_bits);
}

/* --- data --- */

/* What a load leaves in its register, by the record of that. Of x0 it is the value that was
 * discarded, unless it is 0. */
static bool loaded_data(const struct stf_model *m, const struct stf_word *word, uint64_t *value)
{
    enum rv_file file;
    unsigned number;
    if (!stf_loaded_register(word, &file, &number) ||
        (m->group.destinations[file] >> number & 1) == 0) {
        return false;
    }
    *value = m->value[file][number];
    return file == RV_FILE_F || number > 0 || *value != 0;
}

static bool stored_data(const struct stf_model *m, const struct stf_word *word, uint64_t *value)
{
    const struct stf_group *g = &m->group;
    if ((g->sources[RV_FILE_X] | g->sources[RV_FILE_F]) == 0) {
        return false;
    }
    const struct rv_operand operand = rv_operand(word->word, word->info, RV_OP_RS2);
    if (operand.registers == 0 || operand.file > RV_FILE_F) {
        return false;
    }
    const unsigned number = (unsigned)__builtin_ctz(operand.registers);
    *value = operand.file == RV_FILE_F ? m->value[RV_FILE_F][number] : g->source_value[number];
    return (g->sources[operand.file] >> number & 1) != 0;
}

/* The register that the first access loads or stores, and whether its record tells the value. */
static bool data_register(const struct stf_model *m, const struct stf_word *word, uint64_t *value)
{
    const struct stf_group *g = &m->group;
    return g->first_type == ACCESS_READ
               ? rv_info_reads(word->info) != 0 && loaded_data(m, word, value)
               : rv_info_writes(word->info) != 0 && rv_info_reads(word->info) == 0 &&
                     stored_data(m, word, value);
}

/* What the content of the first access differs in from the register that it goes to, or comes
 * from. */
static uint64_t derive_data(const struct stf_model *m, const struct stf_word *word, uint64_t unit,
                            uint64_t *cells)
{
    const struct stf_group *g = &m->group;
    const uint64_t info = word->info;
    const unsigned bytes = rv_access_bytes(info);
    const bool narrow = bytes <= (m->rv == RV_32 && !rv_info_is_float(info) ? 4 : 8);
    uint64_t value;
    cells[INST(data_difference)] = 0;
    if ((g->contents_known & 1) == 0 || rv_info_access_count(info) != 1 || !narrow ||
        word->twofold || g->first_size != (unit == UNIT_BITS ? 8 * bytes : bytes) ||
        !data_register(m, word, &value)) {
        return 0;
    }
    cells[INST(data_difference)] = (g->content[0] ^ value) & assay_mask(8 * bytes);
    return stf_at(inst_32, data_known, 1);
}

/* --- branches --- */

/* Whether a conditional branch is taken, by the values of its registers; one that compares a
 * register with itself needs none. */
static uint64_t derive_outcome(const struct stf_model *m, uint32_t word, uint64_t info)
{
    enum { BEQ, BNE, BLT = 4, BGE, BLTU, BGEU };
    const bool compressed = (word & 3) != 3;
    const unsigned rs1 = compressed ? 8 + (word >> 7 & 7) : word >> 15 & 31;
    const unsigned rs2 = compressed ? 0 : word >> 20 & 31;
    const unsigned test = compressed ? word >> 13 & 1 : word >> 12 & 7;
    const uint32_t recorded = m->group.sources[RV_FILE_X] | 1;
    if (rv_info_class(info) != RV_BRANCH ||
        (rs1 != rs2 && (recorded >> rs1 & recorded >> rs2 & 1) == 0)) {
        return 0;
    }
    uint64_t a = rs1 == 0 ? 0 : m->group.source_value[rs1];
    uint64_t b = rs2 == 0 ? 0 : m->group.source_value[rs2];
    if (m->rv == RV_32) {
        a = (uint64_t)(int64_t)(int32_t)(uint32_t)a;
        b = (uint64_t)(int64_t)(int32_t)(uint32_t)b;
    }
    const bool less = (test & 2) != 0 ? a < b : (int64_t)a < (int64_t)b;
    const bool holds = test < BLT ? a == b : less;
    return stf_at(inst_32, outcome_known, 1) |
           stf_at(inst_32, outcome_taken, holds != ((test & 1) != 0));
}

/* --- the instruction --- */

bool stf_word_ambiguous(uint32_t word)
{
    enum { MASK = 0xe003, FSDSP = 0xa002, JUMP = 0, MOVE = 3, STACK = 6, LEAST_LIST = 4 };
    const unsigned form = word >> 10 & 7;
    const bool jump = form == JUMP;                         /* CM.JT, CM.JALT */
    const bool move = form == MOVE && (word >> 5 & 1) != 0; /* CM.MVA01S, CM.MVSA01 */
    const bool stack = form >= STACK && (word >> 8 & 1) == 0 &&
                       (word >> 4 & 15) >= LEAST_LIST; /* CM.PUSH, CM.POP* */
    return (word & MASK) == FSDSP && (jump || move || stack);
}

bool stf_word_twofold(uint64_t info, enum rv_isa isa)
{
    enum { COMPRESSED = 2, SINGLE = 4 };
    const unsigned class = rv_info_class(info);
    return isa == RV_32 && (class == RV_FLOAD || class == RV_FSTORE) &&
           rv_info_length(info) == COMPRESSED && rv_access_bytes(info) == SINGLE;
}

uint64_t stf_model_effects(struct stf_model *m, const struct stf_word *word, uint64_t *cells)
{
    const struct stf_group *g = &m->group;
    const struct rv_registers *registers = &word->registers;
    const uint64_t info = word->info;
    const uint64_t events = CONTEXT(group_fault) | CONTEXT(group_interrupt);
    const bool known = rv_info_is_valid(info) != 0 && !word->ambiguous &&
                       (m->context & CONTEXT(group_microop)) == 0;
    const bool effects = known && (m->context & events) == 0;
    uint64_t flags = stf_at(inst_32, word_known, known) | stf_at(inst_32, effects_known, effects) |
                     stf_at(inst_32, bus_contents_match,
                            g->bus.accesses == 0 || stf_moves_match(&g->bus, false)) |
                     stf_at(inst_32, bus_contents_grouped, stf_moves_grouped(&g->bus));
    cells[INST(data_difference)] = 0;
    if (g->moves.accesses > 0) {
        flags |= stf_model_sizes(m, info, effects);
        const uint64_t unit = flags >> STF_AT_inst_32_size_unit & 3;
        flags |= derive_data(m, word, unit, cells);
    } else {
        flags |= stf_at(inst_32, contents_match, 1) | stf_at(inst_32, contents_match_bits, 1);
    }
    if (rv_info_transfer(info) == RV_TRANSFER_CONDITIONAL) {
        flags |= derive_outcome(m, word->word, info);
    }
    if (g->ready != 0) {
        const uint32_t read = registers->read[0] | registers->read[1] | registers->read[2];
        const uint32_t written =
            registers->written[0] | registers->written[1] | registers->written[2];
        flags |= stf_at(inst_32, ready_not_read, (g->ready & ~(uint64_t)read) != 0) |
                 stf_at(inst_32, ready_not_written, (g->ready & ~(uint64_t)written) != 0) |
                 stf_at(inst_32, group_ready, 1);
    }
    return flags;
}
