#include "isa/tests/arm_flow_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the operands have to be for a mnemonic to have its kind. */
enum form {
    ANY_OPERANDS,
    TO_PC,       /* the first one is the PC */
    COMPUTED,    /* the same; with suffix S it is an exception return */
    IN_LIST,     /* the PC is in the register list; with ^ it is an exception return */
    TO_CP15_ISB, /* an MCR to CP15ISB */
    LABEL        /* the last one is the offset of the target */
};

struct mnemonic {
    const char *name;
    enum arm_flow_kind kind;
    enum form form;
    bool link;
    bool keeps_set; /* the instruction set of the target is that of the instruction, in T32 */
};

static const struct mnemonic mnemonics[] = {
    {"b", ARM_FLOW_DIRECT, LABEL, false, true},
    {"bl", ARM_FLOW_DIRECT, LABEL, true, true},
    {"blx", ARM_FLOW_INDIRECT, ANY_OPERANDS, true, false},
    {"bx", ARM_FLOW_INDIRECT, ANY_OPERANDS, false, false},
    {"bxj", ARM_FLOW_INDIRECT, ANY_OPERANDS, false, false},
    {"cbz", ARM_FLOW_DIRECT, LABEL, false, true},
    {"cbnz", ARM_FLOW_DIRECT, LABEL, false, true},
    {"tbb", ARM_FLOW_INDIRECT, ANY_OPERANDS, false, true},
    {"tbh", ARM_FLOW_INDIRECT, ANY_OPERANDS, false, true},
    {"ldr", ARM_FLOW_INDIRECT, TO_PC, false, false},
    {"pop", ARM_FLOW_INDIRECT, IN_LIST, false, false},
    {"ldm", ARM_FLOW_INDIRECT, IN_LIST, false, false},
    {"ldmda", ARM_FLOW_INDIRECT, IN_LIST, false, false},
    {"ldmdb", ARM_FLOW_INDIRECT, IN_LIST, false, false},
    {"ldmib", ARM_FLOW_INDIRECT, IN_LIST, false, false},
    {"adc", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"add", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"adr", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"and", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"asr", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"bic", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"eor", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"lsl", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"lsr", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"mov", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"mvn", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"orr", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"ror", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"rrx", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"rsb", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"rsc", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"sbc", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"sub", ARM_FLOW_INDIRECT, COMPUTED, false, true},
    {"rfeda", ARM_FLOW_EXCEPTION_RETURN, ANY_OPERANDS, false, false},
    {"rfedb", ARM_FLOW_EXCEPTION_RETURN, ANY_OPERANDS, false, false},
    {"rfeia", ARM_FLOW_EXCEPTION_RETURN, ANY_OPERANDS, false, false},
    {"rfeib", ARM_FLOW_EXCEPTION_RETURN, ANY_OPERANDS, false, false},
    {"eret", ARM_FLOW_EXCEPTION_RETURN, ANY_OPERANDS, false, false},
    {"isb", ARM_FLOW_ISB, ANY_OPERANDS, false, true},
    {"mcr", ARM_FLOW_ISB, TO_CP15_ISB, false, true},
    {"wfe", ARM_FLOW_WFX, ANY_OPERANDS, false, true},
    {"wfi", ARM_FLOW_WFX, ANY_OPERANDS, false, true},
    {"svc", ARM_FLOW_SVC, ANY_OPERANDS, false, true},
    {"hvc", ARM_FLOW_HVC, ANY_OPERANDS, false, true},
    {"smc", ARM_FLOW_SMC, ANY_OPERANDS, false, true},
    {"bkpt", ARM_FLOW_BREAKPOINT, ANY_OPERANDS, false, true},
    {"hlt", ARM_FLOW_HALT, ANY_OPERANDS, false, true},
    {"dcps1", ARM_FLOW_DEBUG_STATE, ANY_OPERANDS, false, true},
    {"dcps2", ARM_FLOW_DEBUG_STATE, ANY_OPERANDS, false, true},
    {"dcps3", ARM_FLOW_DEBUG_STATE, ANY_OPERANDS, false, true},
    {"udf", ARM_FLOW_UDF, ANY_OPERANDS, false, true},
    {"trap", ARM_FLOW_UDF, ANY_OPERANDS, false, true},
    {"__brkdiv0", ARM_FLOW_UDF, ANY_OPERANDS, false, true},
};

/* The parts of "addseq.w". */
struct parsed {
    const struct mnemonic *mnemonic; /* null: it is none of those */
    bool sets_flags;
    bool has_condition;
    const char *operands;
};

static bool is_condition(const char *text, size_t length)
{
    static const char names[] = "eqnehslomiplvsvchilsgeltgtle";
    for (size_t i = 0; length == 2 && names[i] != '\0'; i += 2) {
        if (strncmp(text, names + i, 2) == 0) {
            return true;
        }
    }
    return false;
}

/* What follows the name: S of what computes, a condition, nothing else. */
static bool parse_suffix(struct parsed *p, const struct mnemonic *m, const char *text,
                         size_t length)
{
    p->sets_flags = m->form == COMPUTED && length % 2 == 1 && text[0] == 's';
    const size_t used = p->sets_flags ? 1 : 0;
    p->has_condition = is_condition(text + used, length - used);
    return length == used || p->has_condition;
}

static struct parsed parse(const char *text)
{
    struct parsed p = {0};
    const size_t length = strcspn(text, " .");
    const char *blank = strchr(text, ' ');
    p.operands = blank != NULL ? blank + 1 : "";
    for (size_t i = 0; i < sizeof mnemonics / sizeof mnemonics[0]; i++) {
        const struct mnemonic *m = &mnemonics[i];
        const size_t name = strlen(m->name);
        if (length >= name && strncmp(text, m->name, name) == 0 &&
            parse_suffix(&p, m, text + name, length - name)) {
            p.mnemonic = m;
            return p;
        }
    }
    return p;
}

/* Whether they are "p15, #0, <Rt>, c7, c5, #4". */
static bool is_cp15_isb(const char *operands)
{
    static const char from[] = "p15, #0, ";
    const char *rest = strchr(operands + strlen(from) - 1, ',');
    return strncmp(operands, from, strlen(from)) == 0 && rest != NULL &&
           strcmp(rest, ", c7, c5, #4") == 0;
}

/* Whether the last operand is shifted by a register, as in "r1, lsl r2": with the PC among the
 * operands that is unpredictable. */
static bool is_shifted_by_register(const struct parsed *p)
{
    static const char *const shifts[] = {"lsl", "lsr", "asr", "ror"};
    const char *last = strrchr(p->operands, ',');
    last = last != NULL ? last + 2 : p->operands;
    const char *amount = strchr(last, ' ');
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        if (strcmp(p->mnemonic->name, shifts[i]) == 0) {
            return last[0] != '#';
        }
    }
    return amount != NULL && amount[1] != '#';
}

static enum arm_flow_kind computed_kind_of(const struct parsed *p)
{
    if (strncmp(p->operands, "pc, ", 4) != 0 || is_shifted_by_register(p)) {
        return ARM_FLOW_OTHER;
    }
    return p->sets_flags ? ARM_FLOW_EXCEPTION_RETURN : p->mnemonic->kind;
}

static enum arm_flow_kind kind_of(const struct parsed *p)
{
    switch (p->mnemonic->form) {
    case TO_PC:
        return strncmp(p->operands, "pc, ", 4) == 0 ? p->mnemonic->kind : ARM_FLOW_OTHER;
    case COMPUTED:
        return computed_kind_of(p);
    case IN_LIST:
        return strstr(p->operands, "pc}") == NULL ? ARM_FLOW_OTHER
               : strchr(p->operands, '^') != NULL ? ARM_FLOW_EXCEPTION_RETURN
                                                  : p->mnemonic->kind;
    case TO_CP15_ISB:
        return is_cp15_isb(p->operands) ? ARM_FLOW_ISB : ARM_FLOW_OTHER;
    case ANY_OPERANDS:
    case LABEL:
    default:
        return p->mnemonic->kind;
    }
}

static bool is_return(const struct parsed *p)
{
    const char *name = p->mnemonic->name;
    const char *operands = p->operands;
    return (strcmp(name, "bx") == 0 && strcmp(operands, "lr") == 0) ||
           (strcmp(name, "mov") == 0 && strcmp(operands, "pc, lr") == 0) ||
           (strcmp(name, "ldr") == 0 && strcmp(operands, "pc, [sp], #4") == 0) ||
           strcmp(name, "pop") == 0 ||
           (strcmp(name, "ldm") == 0 && strncmp(operands, "sp!, ", 5) == 0);
}

static uint32_t target_of(const struct parsed *p, const struct arm_flow *flow, enum arm_set set,
                          uint32_t pc)
{
    const char *immediate = strrchr(p->operands, '#');
    const uint32_t offset = immediate != NULL ? (uint32_t)strtoll(immediate + 1, NULL, 0) : 0;
    const uint32_t base = set == ARM_A32 ? pc + 8 : pc + 4;
    return (set == ARM_T32 && flow->target_set == ARM_A32 ? base & ~3u : base) + offset;
}

/* "itte eq": as many as the letters after the I. */
static struct arm_flow expect_it(const char *text)
{
    const size_t letters = strcspn(text, " ");
    const bool always = strncmp(text + letters, " al", 3) == 0;
    return (struct arm_flow){.kind = ARM_FLOW_IT,
                             .size = 2,
                             .target_set = ARM_T32,
                             .covers = always ? 0 : (uint8_t)(letters - 1)};
}

static bool is_it(const char *text, enum arm_set set)
{
    return set == ARM_T32 && strncmp(text, "it", 2) == 0 && text[2 + strspn(text + 2, "te")] == ' ';
}

struct arm_flow arm_flow_expect(const char *text, enum arm_set set, unsigned size, uint32_t pc)
{
    if (is_it(text, set)) {
        return expect_it(text);
    }
    const struct parsed p = parse(text);
    struct arm_flow flow = {.size = (uint8_t)size, .target_set = (uint8_t)set};
    flow.kind = (uint8_t)(p.mnemonic != NULL ? kind_of(&p) : ARM_FLOW_OTHER);
    if (flow.kind == ARM_FLOW_OTHER) {
        return flow;
    }
    flow.conditional = p.has_condition || p.mnemonic->name[0] == 'c';
    flow.link = p.mnemonic->link;
    if (strcmp(p.mnemonic->name, "blx") == 0 && p.operands[0] == '#') {
        flow.kind = ARM_FLOW_DIRECT;
        flow.target_set = set == ARM_A32 ? ARM_T32 : ARM_A32;
    } else if (flow.kind == ARM_FLOW_EXCEPTION_RETURN ||
               (flow.kind == ARM_FLOW_INDIRECT && !(p.mnemonic->keeps_set && set == ARM_T32))) {
        flow.target_set = ARM_SET_UNKNOWN;
    }
    flow.target = flow.kind == ARM_FLOW_DIRECT ? target_of(&p, &flow, set, pc) : 0;
    flow.is_return = flow.kind == ARM_FLOW_INDIRECT && is_return(&p);
    return flow;
}
