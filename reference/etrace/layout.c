/* E-Trace's tables, from layout.def. */
#include "model/layout.h"

#include <elf.h>

#include "etrace/data/accesses.h"
#include "etrace/facts/facts.h"
#include "etrace/ingress/ingress.h"
#include "etrace/path/path.h"
#include "etrace/registers/register_names.h"
#include "model/framing.h"

/* --- names of values --- */

static const struct assay_enumerator etrace_privilege_list[] = {
    {0, "u", "U"},          {1, "s", "S or HS"}, {3, "m", "M"},
    {4, "d", "Debug mode"}, {5, "vu", "VU"},     {6, "vs", "VS"},
};
ASSAY_ENUMERATION(etrace_privilege, "privilege level");

static const struct assay_enumerator etrace_class_list[] = {
#define X(id, name, text) {RV_##id, name, text},
    RV_CLASSES(X)
#undef X
};
ASSAY_ENUMERATION(etrace_class, "class of an instruction");

static const struct assay_enumerator etrace_branch_fmt_list[] = {
    {0, "no_addr", "no address; the branch after the last one that is counted was mispredicted"},
    {1, "reserved", "reserved"},
    {2, "addr", "an address; if it is of a branch, that was predicted"},
    {3, "addr_fail", "an address of a branch that was mispredicted"},
};
ASSAY_ENUMERATION(etrace_branch_fmt, "what follows a count of branches");

static const struct assay_enumerator etrace_qual_status_list[] = {
    {0, "no_change", "no change"},
    {1, "ended_rep", "tracing ended; the packet before was sent for that"},
    {2, "trace_lost", "packets were lost"},
    {3, "ended_upd", "tracing ended; the packet before would have been sent anyway"},
};
ASSAY_ENUMERATION(etrace_qual_status, "status of the qualification");

static const struct assay_enumerator etrace_flow_list[] = {
    {ETRACE_FLOW_NONE, "none", "it goes on after it"},
    {ETRACE_FLOW_BRANCH, "branch", "a conditional branch"},
    {ETRACE_FLOW_JUMP, "jump", "a jump whose target is inferable"},
    {ETRACE_FLOW_INDIRECT, "indirect", "a jump whose target is not inferable"},
    {ETRACE_FLOW_RETURN, "return", "a return"},
    {ETRACE_FLOW_XRET, "xret", "a return from a trap"},
    {ETRACE_FLOW_TRAP, "trap", "ECALL or EBREAK"},
};
ASSAY_ENUMERATION(etrace_flow, "what an instruction does to the flow of control");

static const struct assay_enumerator etrace_access_types_list[] = {
    {ETRACE_ACCESS_NONE, "none", "there is none"},
    {ETRACE_ACCESS_LOAD, "load", "a load"},
    {ETRACE_ACCESS_STORE, "store", "a store"},
    {ETRACE_ACCESS_ATOMIC, "atomic", "an atomic access"},
    {ETRACE_ACCESS_CSR, "csr", "an access to a CSR"},
    {ETRACE_ACCESS_OTHER, "other", "LR, SC or AMOCAS"},
};
ASSAY_ENUMERATION(etrace_access_types, "type of an access");

static const struct assay_enumerator etrace_statuses_list[] = {
    {ETRACE_STATUS_UNKNOWN, "unknown", "it is not known, or there is none"},
    {ETRACE_STATUS_OKAY, "okay", "it succeeded"},
    {ETRACE_STATUS_FAILED, "failed", "it failed"},
};
ASSAY_ENUMERATION(etrace_statuses, "status of an access");

static const struct assay_enumerator etrace_differences_list[] = {
    {ETRACE_DIFFERS_NOT, "nothing", "it does not differ"},
    {ETRACE_DIFFERS_ABSENT, "absent", "there is no access"},
    {ETRACE_DIFFERS_TYPE, "type", "its type"},
    {ETRACE_DIFFERS_SIZE, "size", "the number of bytes"},
    {ETRACE_DIFFERS_OPERATION, "operation", "the operation, which subtype gives"},
    {ETRACE_DIFFERS_NUMBER, "number", "the number of the CSR"},
    {ETRACE_DIFFERS_ADDRESS, "address", "the address"},
    {ETRACE_DIFFERS_DATA, "data", "the data"},
    {ETRACE_DIFFERS_OPERAND, "operand", "the operand"},
    {ETRACE_DIFFERS_STATUS, "status", "whether it failed"},
};
ASSAY_ENUMERATION(etrace_differences, "in what a packet differs from an access");

static const struct assay_enumerator etrace_entered_list[] = {
    {ETRACE_BY_SEQUENCE, "sequence", "from the instruction before it"},
    {ETRACE_BY_TAKEN, "taken", "by a branch"},
    {ETRACE_BY_NOT_TAKEN, "not_taken", "after a branch that was not taken"},
    {ETRACE_BY_JUMP, "jump", "by a jump whose target is inferable"},
    {ETRACE_BY_SEQUENTIAL_JUMP, "sequential_jump",
     "by a jump whose target is sequentially inferable"},
    {ETRACE_BY_RETURN, "return", "by a return, to the address on the stack"},
    {ETRACE_BY_REPORT, "report", "by an uninferable discontinuity, to the address of a packet"},
    {ETRACE_BY_SYNC, "sync", "a packet says that the path begins here"},
    {ETRACE_BY_TRAP, "trap", "it is the first one of a handler"},
};
ASSAY_ENUMERATION(etrace_entered, "how an instruction was reached");

static const struct assay_enumerator etrace_stopped_list[] = {
    {ETRACE_GOES_ON, "goes_on", "it is followed further"},
    {ETRACE_AT_TARGET, "target", "the target of an uninferable discontinuity"},
    {ETRACE_AT_ADDRESS, "address",
     "the address of the packet, which may be meant when it occurs again"},
    {ETRACE_AT_NOTIFIED, "notified", "the address of the packet, which was requested"},
    {ETRACE_AT_SYNC, "sync", "the address of a synchronisation packet"},
    {ETRACE_AT_BRANCH, "branch", "the last branch that is reported"},
};
ASSAY_ENUMERATION(etrace_stopped, "where the path stops for a packet");

static const struct assay_enumerator etrace_outcome_list[] = {
    {ETRACE_NO_OUTCOME, "none", "the path does not stop at a branch"},
    {ETRACE_NOT_TAKEN, "not_taken", "it was not taken"},
    {ETRACE_TAKEN, "taken", "it was taken"},
};
ASSAY_ENUMERATION(etrace_outcome, "outcome of a branch by a packet");

static const struct assay_enumerator etrace_lost_list[] = {
    {ETRACE_LOST_NOT, "not", "it is not lost"},
    {ETRACE_LOST_NO_SYNC, "no_sync", "no synchronisation packet says where it begins"},
    {ETRACE_LOST_ABSENT, "absent", "no program image has the instruction"},
    {ETRACE_LOST_NO_BRANCH, "no_branch", "a branch whose outcome no packet has"},
    {ETRACE_LOST_UNPROCESSED, "unprocessed",
     "outcomes of branches are left at the reported address"},
    {ETRACE_LOST_DISCONTINUITY, "discontinuity",
     "an uninferable discontinuity before the last branch of a packet without address"},
    {ETRACE_LOST_ENDLESS, "endless", "the program never comes to the reported address"},
    {ETRACE_LOST_NO_ENTRY, "no_entry", "the entry of the jump target cache is empty"},
    {ETRACE_LOST_NO_HANDLER, "no_handler", "the handler of a trap is not known"},
    {ETRACE_LOST_MALFORMED, "malformed", "a packet that could not be understood"},
    {ETRACE_LOST_TOO_FAR, "too_far", "a packet is of more of the program than it is followed for"},
    {ETRACE_LOST_WHICH_ENTRY, "which_entry",
     "the entry of the jump target cache depends on the parameter cached_targets"},
    {ETRACE_LOST_ASYNCHRONOUS, "asynchronous",
     "another hart or Debug mode can begin there, to which no instruction leads"},
};
ASSAY_ENUMERATION(etrace_lost, "why the path is lost");

static const struct assay_enumerator etrace_itype_list[] = {
    {ETRACE_ITYPE_NONE, "plain", "none of the others"},
    {ETRACE_ITYPE_EXCEPTION, "exception", "an exception traps after it"},
    {ETRACE_ITYPE_INTERRUPT, "interrupt", "an interrupt traps after it"},
    {ETRACE_ITYPE_XRET, "xret", "a return from a trap"},
    {ETRACE_ITYPE_NOT_TAKEN, "not_taken", "a branch that is not taken"},
    {ETRACE_ITYPE_TAKEN, "taken", "a branch that is taken"},
    {ETRACE_ITYPE_UNINFERABLE, "uninferable", "an uninferable jump, where itype has 3 bits"},
    {ETRACE_ITYPE_RESERVED, "reserved", "reserved"},
    {ETRACE_ITYPE_CALL, "call", "an uninferable call"},
    {ETRACE_ITYPE_INFERABLE_CALL, "inferable_call", "an inferable call"},
    {ETRACE_ITYPE_TAIL_CALL, "tail_call", "an uninferable tail-call"},
    {ETRACE_ITYPE_INFERABLE_TAIL_CALL, "inferable_tail_call", "an inferable tail-call"},
    {ETRACE_ITYPE_SWAP, "swap", "a co-routine swap"},
    {ETRACE_ITYPE_RETURN, "return", "a return"},
    {ETRACE_ITYPE_JUMP, "jump", "another uninferable jump"},
    {ETRACE_ITYPE_INFERABLE_JUMP, "inferable_jump", "another inferable jump"},
};
ASSAY_ENUMERATION(etrace_itype, "type of a block");

static const struct assay_enumerator etrace_ctype_list[] = {
    {ETRACE_CTYPE_UNREPORTED, "unreported", "it is not reported"},
    {ETRACE_CTYPE_IMPRECISE, "imprecise", "it is reported somewhere"},
    {ETRACE_CTYPE_PRECISE, "precise", "it is reported with the first instruction"},
    {ETRACE_CTYPE_DISCONTINUITY, "discontinuity", "it is reported as a trap is"},
};
ASSAY_ENUMERATION(etrace_ctype, "how a context is reported");

static const struct assay_enumerator etrace_state_list[] = {
    {ETRACE_UNTRACED, "untraced", "the path is not followed there"},
    {ETRACE_TRACED, "traced", "the path has it"},
    {ETRACE_LEFT_OUT, "left_out", "the path goes on after it without it"},
    {ETRACE_DIFFERS, "differs", "the path is elsewhere in its place"},
};
ASSAY_ENUMERATION(etrace_state, "what the path has of a block");

static const struct assay_enumerator etrace_claims_list[] = {
    {ETRACE_CLAIM_LEVEL, "level", "the level of an instruction"},
    {ETRACE_CLAIM_CONTEXT, "context", "the context of an instruction"},
    {ETRACE_CLAIM_TRAP, "trap", "a trap"},
};
ASSAY_ENUMERATION(etrace_claims, "what a packet claims of a place");

static const struct assay_enumerator etrace_claimed_list[] = {
    {ETRACE_CLAIM_ANY_CONTEXT - ETRACE_CLAIM_ANY_CONTEXT, "context", "a context"},
    {ETRACE_CLAIM_ANY_CAUSE - ETRACE_CLAIM_ANY_CONTEXT, "cause", "the cause of a trap"},
};
ASSAY_ENUMERATION(etrace_claimed, "what a packet claims that the record has");

static const struct assay_enumerator etrace_truth_list[] = {
    {ETRACE_NO, "no", "it does not"},
    {ETRACE_YES, "yes", "it does"},
    {ETRACE_UNKNOWN, "unknown", "registers, signals or the text leave it open"},
};
ASSAY_ENUMERATION(etrace_truth, "whether a condition of the encoder holds for a block");

static const struct assay_enumerator etrace_due_list[] = {
    {ETRACE_DUE_NOT, "nothing", "nothing makes it due"},
    {ETRACE_DUE_TARGET, "target", "it is the target of an uninferable discontinuity"},
    {ETRACE_DUE_NOTIFIED, "notified", "its report was requested"},
    {ETRACE_DUE_BEFORE_TRAP, "before_trap", "a trap follows"},
    {ETRACE_DUE_BEFORE_CHANGE, "before_change", "the privilege level or the context changes"},
    {ETRACE_DUE_BEFORE_SYNC, "before_sync", "a synchronisation packet for the next one follows"},
    {ETRACE_DUE_BEFORE_END, "before_end", "tracing ends"},
    {ETRACE_DUE_BRANCHES, "branches", "no more outcomes of branches could be kept"},
    {ETRACE_DUE_CHANGE, "change", "the privilege level or the context changed"},
    {ETRACE_DUE_RESYNC, "resync", "nothing but resynchronisation"},
};
ASSAY_ENUMERATION(etrace_due, "what a packet is due for");

static const struct assay_enumerator etrace_misreads_list[] = {
    {ETRACE_MISREAD_NONE, "no_other", "in no other way, or it is there"},
    {ETRACE_MISREAD_HALF, "half", "half of it: one bit lower"},
    {ETRACE_MISREAD_TWICE, "twice", "twice it: one bit higher"},
    {ETRACE_MISREAD_ZEROS, "zeros", "with zeros where the payload is extended by ones"},
    {ETRACE_MISREAD_FULL, "full", "as an address, and not as a difference"},
    {ETRACE_MISREAD_ONES, "ones", "with ones above the highest one of its difference"},
    {ETRACE_MISREAD_CUT, "cut", "by its lowest bytes, which their sign extends"},
};
ASSAY_ENUMERATION(etrace_misreads, "how else an address can be read");

/* --- what widths and presence of packed fields depend on --- */

uint64_t etrace_map_width(uint64_t branches, uint64_t none)
{
    return branches == 0   ? none
           : branches == 1 ? 1
           : branches < 4  ? 3
           : branches < 8  ? 7
           : branches < 16 ? 15
                           : ETRACE_FULL_MAP;
}

static uint64_t map_width(uint64_t branches, uint64_t none, uint64_t unused)
{
    (void)unused;
    return etrace_map_width(branches, none);
}

uint64_t etrace_irdepth_width(uint64_t stack_size, uint64_t counter_size, uint64_t unused)
{
    (void)unused;
    return stack_size + (stack_size > 0) + counter_size;
}

/* 2.0 leaves the address of the handler out only where it is the handler's. */
static uint64_t has_handler(uint64_t implicit, uint64_t wire, uint64_t thaddr)
{
    return implicit == 0 || (wire >= ETRACE_2_0 && thaddr == 0);
}

static uint64_t has_tval(uint64_t wire, uint64_t interrupt, uint64_t unused)
{
    (void)unused;
    return wire < ETRACE_2_0 || interrupt == 0;
}

static uint64_t has_time(uint64_t wire, uint64_t notime, uint64_t unused)
{
    (void)unused;
    return wire >= ETRACE_2_0 && notime == 0;
}

static uint64_t has_new_context(uint64_t wire, uint64_t nocontext, uint64_t unused)
{
    (void)unused;
    return wire < ETRACE_2_0 || nocontext == 0;
}

#define BY(id)            ASSAY_BY_PARAMETER(ETRACE_##id)
#define FIELD(kind, name) ASSAY_BY_FIELD(ETRACE_FIELD_##kind##_##name)
#define NUMBER(n)         ASSAY_BY_NUMBER(n)
#define VALUE(x)                                                                                   \
    {                                                                                              \
        .op = ASSAY_PACKED_VALUE, .a = x                                                           \
    }
#define OP(name, x, y)                                                                             \
    {                                                                                              \
        .op = ASSAY_PACKED_##name, .a = x, .b = y                                                  \
    }
#define CALL(function, x, y, z)                                                                    \
    {                                                                                              \
        .op = ASSAY_PACKED_CALL, .call = function, .a = x, .b = y, .c = z                          \
    }

#define WIDTH_OF_ADDRESS                                                                           \
    .width = OP(MINUS, BY(IADDRESS_WIDTH), BY(IADDRESS_LSB)), .shift = VALUE(BY(IADDRESS_LSB))
#define DIFFERENCE WIDTH_OF_ADDRESS, .sign = OP(EQUAL, BY(FULL_ADDRESS), NUMBER(0))
#define WIDTH_OF_DEPTH                                                                             \
    .width = CALL(etrace_irdepth_width, BY(RETURN_STACK_SIZE), BY(CALL_COUNTER_SIZE), NUMBER(0))
#define SINCE_2_0 .present = OP(AT_LEAST, BY(WIRE), NUMBER(ETRACE_2_0))

/* Of the container, not of the payload. */
static const struct assay_packed etrace_outside = {.present = VALUE(NUMBER(0))};

#define COUNT_HAS .present = OP(AT_LEAST, FIELD(branch_count, branch_fmt), NUMBER(2))
static const struct assay_packed etrace_count_address = {DIFFERENCE, COUNT_HAS};
static const struct assay_packed etrace_count_flag = {COUNT_HAS};
static const struct assay_packed etrace_count_irdepth = {WIDTH_OF_DEPTH, COUNT_HAS};
#define DELTA_HAS .present = OP(UNEQUAL, FIELD(diff_delta, branches), NUMBER(0))
static const struct assay_packed etrace_delta_address = {DIFFERENCE, DELTA_HAS};
static const struct assay_packed etrace_delta_flag = {DELTA_HAS};
static const struct assay_packed etrace_delta_irdepth = {WIDTH_OF_DEPTH, DELTA_HAS};
static const struct assay_packed etrace_only_address = {DIFFERENCE};
static const struct assay_packed etrace_only_flag = {.width = VALUE(NUMBER(1))};
static const struct assay_packed etrace_only_irdepth = {WIDTH_OF_DEPTH};
static const struct assay_packed etrace_target_flag = {.width = VALUE(NUMBER(1))};
static const struct assay_packed etrace_target_irdepth = {WIDTH_OF_DEPTH};

static const struct assay_packed etrace_f0s = {.width = VALUE(BY(F0S_WIDTH))};
static const struct assay_packed etrace_index = {.width = VALUE(BY(CACHE_SIZE))};
static const struct assay_packed etrace_target_map = {
    .width = CALL(map_width, FIELD(jump_target, branches), NUMBER(0), NUMBER(0))};
static const struct assay_packed etrace_delta_map = {
    .width = CALL(map_width, FIELD(diff_delta, branches), NUMBER(ETRACE_FULL_MAP), NUMBER(0))};

static const struct assay_packed etrace_privilege_layout = {.width = VALUE(BY(PRIVILEGE_WIDTH))};
static const struct assay_packed etrace_time = {
    .width = VALUE(BY(TIME_WIDTH)), .present = CALL(has_time, BY(WIRE), BY(NOTIME), NUMBER(0))};
static const struct assay_packed etrace_context = {.width = VALUE(BY(CONTEXT_WIDTH)),
                                                   .present = OP(EQUAL, BY(NOCONTEXT), NUMBER(0))};
static const struct assay_packed etrace_new_context = {
    .width = VALUE(BY(CONTEXT_WIDTH)),
    .present = CALL(has_new_context, BY(WIRE), BY(NOCONTEXT), NUMBER(0))};
static const struct assay_packed etrace_address = {WIDTH_OF_ADDRESS};
static const struct assay_packed etrace_ecause = {.width = VALUE(BY(ECAUSE_WIDTH))};
static const struct assay_packed etrace_thaddr = {SINCE_2_0};
static const struct assay_packed etrace_handler = {
    WIDTH_OF_ADDRESS,
    .present = CALL(has_handler, BY(IMPLICIT_EXCEPTION), BY(WIRE), FIELD(exception, thaddr))};
static const struct assay_packed etrace_tvalepc = {
    .width = VALUE(BY(IADDRESS_WIDTH)),
    .present = CALL(has_tval, BY(WIRE), FIELD(exception, interrupt), NUMBER(0))};
static const struct assay_packed etrace_mode = {.width = VALUE(BY(MODE_WIDTH))};
static const struct assay_packed etrace_options = {.width = VALUE(BY(OPTIONS_WIDTH))};
static const struct assay_packed etrace_denable = {.width = VALUE(BY(DENABLE_WIDTH)), SINCE_2_0};
static const struct assay_packed etrace_dloss = {.width = VALUE(BY(DLOSS_WIDTH)), SINCE_2_0};
static const struct assay_packed etrace_doptions = {.width = VALUE(BY(DOPTIONS_WIDTH)), SINCE_2_0};

#include "etrace/data_layouts.def"

/* --- fields and kinds --- */

#define ASSAY_PREFIX   ETRACE
#define P              ASSAY_OWN_P
#define H              ASSAY_OWN_HAS
#define D              ASSAY_OWN_D
#define ASSAY_VALUE(n) .flags = ASSAY_CONSTANT, .value = (n)

static const struct assay_field malformed_fields[] = {ETRACE_FIELDS_malformed(D, ASSAY_D)};
static const struct assay_field end_fields[] = {ETRACE_FIELDS_end(D, ASSAY_D)};
#define K(name, ...)                                                                               \
    static const struct assay_field name##_fields[] = {                                            \
        ETRACE_FIELDS_##name(ASSAY_F, P, D, H, ASSAY_EXCESS)};
ETRACE_PACKETS(K)
#undef K

#define K(name, ...)                                                                               \
    static const struct assay_field name##_fields[] = {ETRACE_FIELDS_##name(D, ASSAY_D)};
ETRACE_PATH_KINDS(K)
ETRACE_CONFIGURED(K)
ETRACE_INGRESS_KINDS(K)
#undef K

static const struct assay_kind kinds[] = {
    ASSAY_KIND(malformed, "Malformed", 0, "6", .layer = ETRACE_PACKET),
    ASSAY_KIND(end, "End of the stream", 0, "6", .layer = ETRACE_PACKET),
#define K(name, text, section)                                                                     \
    ASSAY_KIND(name, text, 0, section, .layer = ETRACE_PACKET, .sign_compressed = true,            \
               .presence = ASSAY_CELL_PRESENCE + 1,                                                \
               .is_aside = ETRACE_##name == ETRACE_idle || ETRACE_##name == ETRACE_align ||        \
                           ETRACE_##name == ETRACE_other),
    ETRACE_PACKETS(K)
#undef K
#define K(name, text, section)                                                                     \
    ASSAY_KIND(name, text, 0, section, .layer = ETRACE_INSTRUCTION,                                \
               .run_of = ETRACE_##name == ETRACE_run ? ETRACE_instruction : 0,                     \
               .met = ETRACE_##name == ETRACE_run ? ETRACE_MET + 1 : 0,                            \
               .is_own = ETRACE_##name == ETRACE_repeated || ETRACE_##name == ETRACE_path_start || \
                         ETRACE_##name == ETRACE_path_end || ETRACE_##name == ETRACE_path_lost ||  \
                         ETRACE_##name == ETRACE_recorded_access ||                                \
                         ETRACE_##name == ETRACE_access_end || ETRACE_##name == ETRACE_trace_end,  \
               .is_aside = ETRACE_##name == ETRACE_access ||                                       \
                           ETRACE_##name == ETRACE_recorded_access ||                              \
                           ETRACE_##name == ETRACE_repeated),
        ETRACE_PATH_KINDS(K)
#undef K
#define K(name, text, section)                                                                     \
    ASSAY_KIND(name, text, 0, section, .layer = ETRACE_PACKET, .is_own = true),
            ETRACE_CONFIGURED(K)
#undef K
#define K(name, text, section) ASSAY_KIND(name, text, 0, section, .layer = ETRACE_INGRESS),
                ETRACE_INGRESS_KINDS(K)
#undef K
};
ASSAY_CHECK_KINDS(kinds);

_Static_assert((int)ETRACE_CELL_start_type == (int)ETRACE_TYPE_CELL, "the head comes first");
_Static_assert((int)ETRACE_CELL_start_flow == (int)ETRACE_FLOW_CELL, "all of it");

/* --- plans --- */

enum assay_error etrace_plans_make(struct etrace_plans *plans, const uint64_t *layout,
                                   struct assay_diag *diag)
{
    const enum assay_error error =
        assay_packing_plans(kinds, ASSAY_KIND_FIRST, ETRACE_PACKET_KINDS_END, layout,
                            ETRACE_PARAMETER_COUNT, plans->plan, diag);
    for (unsigned k = ASSAY_KIND_FIRST; k < ETRACE_LAYOUTS_END && error == ASSAY_OK; k++) {
        (void)assay_packed_layouts_open(&plans->layouts[k], &plans->plan[k]);
    }
    return error;
}

/* --- the format --- */

static bool probe(const uint8_t *data, size_t size)
{
    (void)data; /* there is no magic */
    (void)size;
    return false;
}

static const struct assay_fault_code faults[] = {ETRACE_FAULTS(ASSAY_FAULT)};
static const char *const layers[] = {"packet", "instruction", "ingress"};
static const uint16_t machines[] = {EM_RISCV};
static const struct assay_profile profiles[] = {{"etrace-1.1.1", "RISC-V E-Trace 1.1.1"},
                                                {"etrace-2.0", "RISC-V E-Trace 2.0"}};

const struct assay_format assay_format_etrace = {
    .name = "etrace",
    .title = "RISC-V Efficient Trace",
    .version = "1.1.1",
    .profiles = profiles,
    .profile_count = ASSAY_COUNT(profiles),
    .layers = layers,
    .layer_count = ASSAY_COUNT(layers),
    .kinds = kinds,
    .kind_count = ASSAY_COUNT(kinds),
    .parameters = &etrace_parameters,
    .faults = faults,
    .fault_count = ASSAY_COUNT(faults),
    .framings = ASSAY_FRAMING_BIT(BYTE_HEADER) | ASSAY_FRAMING_BIT(ULTRASOC) |
                ASSAY_FRAMING_BIT(ATB) | ASSAY_FRAMING_BIT(ENCAPSULATION) |
                ASSAY_FRAMING_BIT(LENGTH_PREFIXED),
    .default_framing = ASSAY_FRAMING_BYTE_HEADER,
    .machines = machines,
    .machine_count = ASSAY_COUNT(machines),
    .reads_images = true,
    .probe = probe,
    .pieces = etrace_pieces,
    .instruction = etrace_instruction,
    .decoder = &etrace_decoder_ops,
    .encoder = &etrace_encoder_ops};
