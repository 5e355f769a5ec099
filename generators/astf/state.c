#include "generators/astf/state.h"

#include "isa/a64.h"

/* Numbers and arguments of Linux for AArch64. */
enum {
    SYS_RT_SIGRETURN = 139,
    SYS_PRCTL = 167,
    PR_SVE_SET_VL = 50,
    PR_SVE_GET_VL = 51,
    PR_SET_TAGGED_ADDR_CTRL = 55,
    PR_SME_SET_VL = 63,
    PR_SME_GET_VL = 64,
    PR_VL_LENGTH = 0xffff,
    PR_SET_VL_ONEXEC = 1 << 18,
    PR_MTE_TCF_SHIFT = 1,
};

/* Bytes to bits / 128 - 1; -1 for what is no vector length. */
static int evl_of(uint64_t bytes)
{
    return bytes >= 16 && bytes <= 256 && bytes % 16 == 0 ? (int)(bytes / 16) - 1 : -1;
}

static void set_length(uint8_t *length, int evl)
{
    if (evl >= 0) {
        *length = (uint8_t)evl;
    }
}

/* The vector length that an LDR or STR of a Z register shows; -1: it shows none. */
static int shown_length(const struct assay_executed *item)
{
    const uint32_t encoding = item->word & 0xffc0e000;
    uint64_t bytes = 0;
    if (encoding != 0x85804000 && encoding != 0xe5804000) {
        return -1;
    }
    for (unsigned i = 0; i < item->accesses; i++) {
        bytes += item->access[i].size;
    }
    return evl_of(bytes);
}

/* Whether a call of prctl gets or sets a vector length: of Streaming SVE mode, or outside it. */
static bool is_length_call(const uint64_t *args, bool *streaming, bool *sets)
{
    *streaming = args[0] == PR_SME_SET_VL || args[0] == PR_SME_GET_VL;
    *sets = args[0] == PR_SME_SET_VL || args[0] == PR_SVE_SET_VL;
    return (*streaming || args[0] == PR_SVE_SET_VL || args[0] == PR_SVE_GET_VL) &&
           !(*sets && (args[1] & PR_SET_VL_ONEXEC) != 0);
}

void astf_state_access(struct astf_state *s, const struct assay_executed *item)
{
    set_length(s->sm ? &s->svl : &s->vl, shown_length(item));
}

void astf_state_instruction(struct astf_state *s, uint32_t word, uint64_t info)
{
    const bool value = (a64_pstate_immediate(word) & 1) != 0;
    switch (a64_info_pstate_field(info)) {
    case A64_PSTATE_SSBS:
        s->ssbs = value;
        break;
    case A64_PSTATE_DIT:
        s->dit = value;
        break;
    case A64_PSTATE_SVCR_SM:
    case A64_PSTATE_SVCR_SMZA:
        s->sm = value;
        break;
    default:
        break;
    }
    if (a64_info_class(info) == A64_SVC) {
        s->sm = false; /* Linux ends Streaming SVE mode at a system call */
    }
}

static void returned(struct astf_state *s, int64_t value)
{
    bool streaming, sets;
    if (value >= 0 && is_length_call(s->args, &streaming, &sets)) {
        set_length(streaming ? &s->svl : &s->vl, evl_of((uint64_t)value & PR_VL_LENGTH));
    } else if (value >= 0 && s->args[0] == PR_SET_TAGGED_ADDR_CTRL) {
        /* Of several modes that are allowed Linux takes one by the PE; the first is common. */
        const uint64_t modes = s->args[1] >> PR_MTE_TCF_SHIFT & 3;
        s->mte_tcf = (uint8_t)((modes & 1) != 0 ? 1 : modes);
    }
}

/* Linux keeps PSTATE for the handler's return, and begins the handler outside Streaming SVE mode.
 */
static void interrupted(struct astf_state *s)
{
    s->saved[s->signals++ % ASTF_SIGNALS] = (struct astf_saved){s->sm, s->dit, s->ssbs};
    s->sm = false;
}

static void resumed(struct astf_state *s)
{
    if (s->signals > 0) {
        const struct astf_saved *saved = &s->saved[--s->signals % ASTF_SIGNALS];
        s->sm = saved->sm;
        s->dit = saved->dit;
        s->ssbs = saved->ssbs;
    }
}

void astf_state_event(struct astf_state *s, const struct assay_executed *item)
{
    if (item->kind == ASSAY_EXECUTED_SYSTEM_CALL) {
        for (unsigned i = 0; i < 6; i++) {
            s->args[i] = item->args[i];
        }
    } else if (item->kind == ASSAY_EXECUTED_SYSTEM_RETURN && item->number == SYS_PRCTL) {
        returned(s, item->value);
    } else if (item->kind == ASSAY_EXECUTED_SYSTEM_RETURN && item->number == SYS_RT_SIGRETURN) {
        resumed(s);
    } else if (item->kind == ASSAY_EXECUTED_DIVERTED) {
        interrupted(s);
    }
}

struct astf_shown astf_state_shown(const struct astf_state *s)
{
    return (struct astf_shown){.sm = s->sm,
                               .dit = s->dit,
                               .ssbs = s->ssbs,
                               .mte_tcf = s->mte_tcf,
                               .evl = s->sm ? s->svl : s->vl};
}

/* --- what a thread begins with --- */

struct beginning {
    bool sm;
    bool known[2]; /* or set before it was known: outside Streaming SVE mode, in it */
    uint8_t *length[2];
    uint64_t args[6];
};

static void note_length(struct beginning *b, bool streaming, int evl)
{
    if (!b->known[streaming] && evl >= 0) {
        *b->length[streaming] = (uint8_t)evl;
        b->known[streaming] = true;
    }
}

static void look_at_instruction(struct beginning *b, const struct assay_executed *item)
{
    /* SMSTART and SMSTOP of SM; a system call ends the mode. */
    if ((item->word & 0xfffffaff) == 0xd503427f) {
        b->sm = (item->word >> 8 & 1) != 0;
    } else if ((item->word & 0xffe0001f) == 0xd4000001) {
        b->sm = false;
    } else {
        note_length(b, b->sm, shown_length(item));
    }
}

static void look_at(struct beginning *b, const struct assay_executed *item)
{
    bool streaming, sets;
    if (item->kind == ASSAY_EXECUTED_INSTRUCTION) {
        look_at_instruction(b, item);
    } else if (item->kind == ASSAY_EXECUTED_SYSTEM_CALL) {
        for (unsigned i = 0; i < 6; i++) {
            b->args[i] = item->args[i];
        }
    } else if (item->kind == ASSAY_EXECUTED_SYSTEM_RETURN && item->number == SYS_PRCTL &&
               item->value >= 0 && is_length_call(b->args, &streaming, &sets)) {
        if (!sets) {
            note_length(b, streaming, evl_of((uint64_t)item->value & PR_VL_LENGTH));
        }
        b->known[streaming] = true;
    }
}

void astf_state_lengths(struct assay_execution *execution, uint32_t thread, uint8_t *vl,
                        uint8_t *svl)
{
    struct beginning b = {.length = {vl, svl}};
    struct assay_executed item;
    while (!(b.known[0] && b.known[1]) && assay_execution_next(execution, &item) == ASSAY_OK &&
           item.kind != ASSAY_EXECUTED_END) {
        if (item.thread == thread) {
            look_at(&b, &item);
        }
    }
}
