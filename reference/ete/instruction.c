#include "ete/instruction.h"

#include "common/bytes.h"
#include "ete/ete.h"
#include "isa/a64.h"
#include "isa/arm_privilege.h"

enum { HALF = 2, WORD = 4, LINK = 30, ALL_REGISTERS = 0x7fffffff };

unsigned ete_read_instruction(struct assay_image_cursor *cursor, uint64_t pc, enum arm_set set,
                              uint32_t *word)
{
    uint8_t bytes[WORD] = {0};
    const size_t have = assay_image_copy(cursor, pc, bytes, WORD);
    if (set != ARM_T32) {
        *word = assay_load32(bytes);
        return have == WORD ? WORD : 0;
    }
    const uint16_t first = assay_load16(bytes);
    const unsigned size = arm_t32_is_wide(first) ? WORD : HALF;
    *word = size == HALF ? first : (uint32_t)first << 16 | assay_load16(bytes + HALF);
    return have >= size ? size : 0;
}

struct arm_flow ete_flow_of(uint32_t word, unsigned size, uint64_t pc, enum arm_set set)
{
    if (set == ARM_A64) {
        return arm_flow_a64(word, pc);
    }
    if (set == ARM_A32) {
        return arm_flow_a32(word, (uint32_t)pc);
    }
    return size == WORD ? arm_flow_t32((uint16_t)(word >> 16), (uint16_t)word, (uint32_t)pc)
                        : arm_flow_t32((uint16_t)word, 0, (uint32_t)pc);
}

/* A branch under an IT is the last instruction that it covers. */
static uint8_t covered_after(const struct arm_flow *flow, uint8_t covered)
{
    if (flow->kind == ARM_FLOW_IT) {
        return flow->covers;
    }
    return covered > 0 && !arm_flow_is_branch(flow) ? (uint8_t)(covered - 1) : 0;
}

/* The SVC by which programs in AArch32 state call a debugger or a model (Arm's specification of
 * semihosting). */
static bool is_semihosting(const struct arm_flow *flow, uint32_t word, enum arm_set set)
{
    return flow->kind == ARM_FLOW_SVC && ((set == ARM_A32 && (word & 0xffffff) == 0x123456) ||
                                          (set == ARM_T32 && (word & 0xff) == 0xab));
}

/* What is of Debug state is undefined outside it, and in it nothing is traced. */
static bool is_undefined(const struct arm_flow *flow, uint32_t word, enum arm_set set)
{
    const bool always = flow->kind == ARM_FLOW_UDF || flow->kind == ARM_FLOW_DEBUG_STATE;
    return (always && !flow->conditional) || (set == ARM_A64 && a64_is_undefined_access(word));
}

static bool is_unallocated(const struct ete_decoded *of)
{
    return of->flow.kind == ARM_FLOW_OTHER && of->a64_class == A64_UNALLOCATED;
}

static unsigned lowest_el_of(const struct arm_flow *flow, uint32_t word, unsigned size,
                             enum arm_set set)
{
    if (set == ARM_A64) {
        return a64_lowest_el(word);
    }
    return size == WORD && !flow->conditional ? arm_lowest_el(word) : 0;
}

struct ete_decoded ete_decode_instruction(struct assay_image_cursor *cursor,
                                          const struct ete_place *place)
{
    const enum arm_set set = place->set;
    struct ete_decoded of = {.pc = place->pc, .set = (uint8_t)set};
    of.size = (uint8_t)ete_read_instruction(cursor, place->pc, set, &of.word);
    if (of.size == 0) {
        return of;
    }
    of.flow = ete_flow_of(of.word, of.size, place->pc, set);
    /* An IT does not make BKPT conditional. */
    of.flow.conditional =
        of.flow.conditional || (place->covered > 0 && of.flow.kind != ARM_FLOW_BREAKPOINT);
    of.covered_after = covered_after(&of.flow, place->covered);
    of.lowest_el = (uint8_t)lowest_el_of(&of.flow, of.word, of.size, set);
    of.undefined = is_undefined(&of.flow, of.word, set);
    of.a64_class = set == ARM_A64 ? (uint8_t)a64_info_class(a64_classify(of.word)) : A64_OTHER;
    of.unallocated = is_unallocated(&of);
    of.semihosting = is_semihosting(&of.flow, of.word, set);
    of.keeps_flags = set == ARM_A64 && a64_keeps_flags(of.word);
    of.written = set == ARM_A64 ? a64_written(of.word) : ALL_REGISTERS;
    return of;
}

/* Sets a field of an instruction's event. */
#define SAY(cells, field, value)                                                                   \
    ((cells)[ETE_CELL_instruction_##field] |= (uint64_t)(value) << ETE_BIT_instruction_##field)

void ete_say_static(const struct ete_decoded *of, uint64_t *cells)
{
    SAY(cells, isa, of->set);
    SAY(cells, size, of->size);
    SAY(cells, word, of->word);
    SAY(cells, address, of->pc);
    SAY(cells, flow, of->flow.kind);
    SAY(cells, form, of->flow.form);
    SAY(cells, a64_class, of->a64_class);
    SAY(cells, is_conditional, of->flow.conditional);
    SAY(cells, is_link, of->flow.link);
    SAY(cells, stays_in_t32, of->flow.kind == ARM_FLOW_INDIRECT && of->flow.target_set == ARM_T32);
    SAY(cells, is_undefined, of->undefined);
    SAY(cells, is_unallocated, of->unallocated);
    SAY(cells, is_semihosting, of->semihosting);
    SAY(cells, lowest_el, of->lowest_el);
    SAY(cells, keeps_flags, of->keeps_flags);
    SAY(cells, keeps_link, (of->written >> LINK & 1) == 0);
}

void ete_say_in_run(bool is_last, bool after_tcommit, uint64_t *cells)
{
    SAY(cells, is_last, is_last);
    SAY(cells, after_tcommit, after_tcommit);
}
