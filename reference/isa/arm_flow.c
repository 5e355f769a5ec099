#include "isa/arm_flow.h"

#include "isa/a64.h"
#include "isa/arm_flow_table.h"

static const char *const kind_names[ARM_FLOW_KIND_COUNT] = {
#define X(id, name, text) name,
    ARM_FLOW_KINDS(X)
#undef X
};

static const char *const set_names[ARM_SET_COUNT] = {
#define X(id, name, text) name,
    ARM_SETS(X)
#undef X
};

const char *arm_flow_kind_name(unsigned kind)
{
    return kind < ARM_FLOW_KIND_COUNT ? kind_names[kind] : "unknown";
}

const char *arm_set_name(unsigned set)
{
    return set < ARM_SET_COUNT ? set_names[set] : "unknown";
}

struct arm_flow arm_table_look_up(const struct arm_table *table, uint32_t word, uint32_t pc)
{
    const struct arm_row *row = table->rows;
    while ((word & row->mask) != row->value) {
        row++;
    }
    return (struct arm_flow){
        .target = row->target != NULL ? row->target(word, pc) : 0,
        .kind = row->kind,
        .size = table->size,
        .target_set = row->target_set,
        .conditional = row->conditional,
        .link = row->link,
        .is_return = row->is_return,
        .form = row->form,
    };
}

enum { LINK = 30, ZERO = 31 }; /* the numbers of the link register and the zero register */

/* CB<cc> (register): EQ, GE and HS hold of what is equal, NE, GT and HI do not. Nothing is lower
 * than zero, without sign. */
static enum arm_form form_of_cb_register(uint32_t word)
{
    enum { GT, GE, HI, HS, EQ = 6 };
    const unsigned condition = word >> 21 & 7;
    const unsigned first = word & 0x1f;
    const unsigned second = word >> 16 & 0x1f;
    if (first == second) {
        return condition == GE || condition == HS || condition == EQ ? ARM_FORM_ITSELF_TAKEN
                                                                     : ARM_FORM_ITSELF_NOT_TAKEN;
    }
    if (condition == HI && first == ZERO) {
        return ARM_FORM_ZERO_NOT_TAKEN;
    }
    return condition == HS && second == ZERO ? ARM_FORM_ZERO_TAKEN : ARM_FORM_OPEN;
}

/* CB<cc> (immediate): nothing is lower than 0, without sign. Of the zero register GT and HI hold
 * with no number, LT, LO and NE with all others than 0. */
static enum arm_form form_of_cb_immediate(uint32_t word)
{
    enum { LT = 1, LO = 3, EQ = 6, NE };
    const unsigned condition = word >> 21 & 7;
    const bool is_other = (word >> 15 & 0x3f) != 0;
    if (condition == LO && !is_other) {
        return ARM_FORM_ZERO_NOT_TAKEN;
    }
    if ((word & 0x1f) != ZERO) {
        return ARM_FORM_OPEN;
    }
    const bool holds = condition == EQ
                           ? !is_other
                           : (condition == LT || condition == LO || condition == NE) && is_other;
    return holds ? ARM_FORM_ZERO_TAKEN : ARM_FORM_ZERO_NOT_TAKEN;
}

static enum arm_form form_of_register(unsigned target)
{
    return target == ZERO ? ARM_FORM_TO_ZERO : target == LINK ? ARM_FORM_TO_LINK : ARM_FORM_OPEN;
}

static enum arm_form a64_form(uint32_t word, unsigned class_id)
{
    const bool is_zero = (word & 0x1f) == ZERO;
    switch (class_id) {
    case A64_CBZ:
    case A64_TBZ:
        return is_zero ? ARM_FORM_ZERO_TAKEN : ARM_FORM_BY_REGISTER;
    case A64_CBNZ:
    case A64_TBNZ:
        return is_zero ? ARM_FORM_ZERO_NOT_TAKEN : ARM_FORM_BY_REGISTER;
    case A64_CB:
        return (word >> 24 & 1) == 0 ? form_of_cb_register(word) : form_of_cb_immediate(word);
    case A64_B_COND:
    case A64_BC_COND:
        return (word & 0xe) == 0xe ? ARM_FORM_OPEN : ARM_FORM_BY_FLAGS;
    case A64_BR:
    case A64_BLR:
    case A64_RET:
        return form_of_register(word >> 5 & 0x1f);
    default:
        return ARM_FORM_OPEN;
    }
}

/* Of the classes that are no branches. */
static enum arm_flow_kind a64_kind_of_class(unsigned class_id)
{
    switch (class_id) {
    case A64_ISB:
        return ARM_FLOW_ISB;
    case A64_WFE:
    case A64_WFI:
    case A64_WFET:
    case A64_WFIT:
        return ARM_FLOW_WFX;
    case A64_TSTART:
        return ARM_FLOW_TSTART;
    case A64_TCOMMIT:
        return ARM_FLOW_TCOMMIT;
    case A64_TCANCEL:
        return ARM_FLOW_TCANCEL;
    case A64_SVC:
        return ARM_FLOW_SVC;
    case A64_HVC:
        return ARM_FLOW_HVC;
    case A64_SMC:
        return ARM_FLOW_SMC;
    case A64_BRK:
        return ARM_FLOW_BREAKPOINT;
    case A64_HLT:
        return ARM_FLOW_HALT;
    case A64_UDF:
        return ARM_FLOW_UDF;
    case A64_DCPS1:
    case A64_DCPS2:
    case A64_DCPS3:
    case A64_DRPS:
        return ARM_FLOW_DEBUG_STATE;
    default:
        return ARM_FLOW_OTHER;
    }
}

/* TEXIT restores the PSTATE, but may be executed at any Exception level and stays in A64, so that
 * it is an indirect branch here. */
static enum arm_flow_kind a64_kind(uint64_t info)
{
    if (a64_info_class(info) == A64_TEXIT) {
        return ARM_FLOW_INDIRECT;
    }
    if (a64_info_is_exception_return(info) != 0) {
        return ARM_FLOW_EXCEPTION_RETURN;
    }
    if (a64_info_is_branch(info) != 0) {
        return a64_info_is_direct(info) != 0 ? ARM_FLOW_DIRECT : ARM_FLOW_INDIRECT;
    }
    return a64_kind_of_class(a64_info_class(info));
}

struct arm_flow arm_flow_a64(uint32_t word, uint64_t pc)
{
    const uint64_t info = a64_classify(word);
    const enum arm_flow_kind kind = a64_kind(info);
    return (struct arm_flow){
        .target = kind == ARM_FLOW_DIRECT ? a64_direct_target(word, pc) : 0,
        .kind = (uint8_t)kind,
        .size = 4,
        .target_set = kind == ARM_FLOW_EXCEPTION_RETURN ? ARM_SET_UNKNOWN : ARM_A64,
        .conditional = a64_info_is_conditional(info) != 0,
        .link = a64_info_is_call(info) != 0,
        .is_return = a64_info_is_return(info) != 0,
        .form = (uint8_t)a64_form(word, a64_info_class(info)),
    };
}
