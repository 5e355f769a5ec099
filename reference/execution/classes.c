#include "execution/classes.h"

#include <stddef.h>

#include "isa/a64.h"
#include "isa/rv.h"

enum { LINK_REGISTER_A64 = 30, MANY_BRANCHES = 31, MANY_CALLS = 32 };

const char *assay_execution_class_name(enum assay_execution_class class)
{
    static const char *const names[] = {
#define X(id, name, text) [ASSAY_CLASS_##id] = (name),
#include "classes.def"
#undef X
    };
    return names[class];
}

const char *assay_execution_class_text(enum assay_execution_class class)
{
    static const char *const texts[] = {
#define X(id, name, text) [ASSAY_CLASS_##id] = (text),
#include "classes.def"
#undef X
    };
    return texts[class];
}

static void count(struct assay_execution_classes *t, enum assay_execution_class class, bool occurs)
{
    t->count[class] += occurs;
}

/* --- transfers, alike for both instruction sets --- */

struct transfer {
    bool conditional, direct, call, back, other, swap, authenticated;
};

static bool is_a64(const struct assay_execution_classes *t)
{
    return t->isa == ASSAY_EXECUTION_AARCH64;
}

static enum rv_isa rv_isa(const struct assay_execution_classes *t)
{
    return t->isa == ASSAY_EXECUTION_RISCV64 ? RV_64 : RV_32;
}

static bool transfer_a64(uint32_t word, struct transfer *transfer)
{
    const uint64_t info = a64_classify(word);
    const unsigned class = a64_info_class(info);
    *transfer = (struct transfer){
        .conditional = a64_info_is_conditional(info),
        .direct = a64_info_is_direct(info),
        .call = a64_info_is_call(info),
        .back = a64_info_is_return(info),
        .other = class == A64_RET && (word >> 5 & 31) != LINK_REGISTER_A64,
        .authenticated = class == A64_BRAA || class == A64_BRAB || class == A64_BLRAA ||
                         class == A64_BLRAB || class == A64_RETAA || class == A64_RETAB};
    return a64_info_is_branch(info);
}

static bool transfer_rv(uint32_t word, enum rv_isa isa, struct transfer *transfer)
{
    const uint64_t info = rv_classify(word, isa);
    const unsigned kind = rv_info_transfer(info);
    *transfer =
        (struct transfer){.conditional = kind == RV_TRANSFER_CONDITIONAL,
                          .direct = rv_info_is_direct(info),
                          .call = kind == RV_TRANSFER_CALL || kind == RV_TRANSFER_INDIRECT_CALL,
                          .back = kind == RV_TRANSFER_RETURN,
                          .other = kind == RV_TRANSFER_RETURN &&
                                   rv_operand(word, info, RV_OP_RS1).registers != UINT32_C(1) << 1,
                          .swap = kind == RV_TRANSFER_SWAP};
    return kind != RV_TRANSFER_NONE;
}

static void add_call(struct assay_execution_classes *t, uint64_t back)
{
    t->calls[t->depth % ASSAY_CLASS_CALLS] = back;
    t->depth++;
    count(t, ASSAY_CLASS_CALLS_32, t->depth > MANY_CALLS);
}

static void add_return(struct assay_execution_classes *t, uint64_t target)
{
    const bool expected = t->depth > 0 && t->calls[(t->depth - 1) % ASSAY_CLASS_CALLS] == target;
    count(t, expected ? ASSAY_CLASS_RETURN : ASSAY_CLASS_RETURN_ELSEWHERE, true);
    t->depth -= t->depth > 0;
}

/* JALR by what the instruction before it computed. */
static bool is_inferable(const struct assay_execution_classes *t)
{
    const uint64_t info = rv_classify(t->before, rv_isa(t));
    const uint64_t jump = rv_classify(t->held.word, rv_isa(t));
    const unsigned class = rv_info_class(info);
    return t->before != 0 && (class == RV_LUI || class == RV_AUIPC) &&
           rv_operand(t->before, info, RV_OP_RD).registers ==
               rv_operand(t->held.word, jump, RV_OP_RS1).registers;
}

static void add_branch(struct assay_execution_classes *t, uint64_t target)
{
    const bool taken = target != t->held.address + t->held.size;
    count(t, taken ? ASSAY_CLASS_BRANCH_TAKEN : ASSAY_CLASS_BRANCH_NOT_TAKEN, true);
    count(t, ASSAY_CLASS_BRANCH_BACK, target < t->held.address);
    t->branches++;
    count(t, ASSAY_CLASS_BRANCHES_31, t->branches == MANY_BRANCHES);
}

static void add_jump(struct assay_execution_classes *t, const struct transfer *transfer)
{
    count(t, ASSAY_CLASS_CALL, transfer->direct && transfer->call);
    count(t, ASSAY_CLASS_JUMP, transfer->direct && !transfer->call);
    if (!transfer->direct && !transfer->back && !transfer->swap) {
        count(t, transfer->call ? ASSAY_CLASS_INDIRECT_CALL : ASSAY_CLASS_INDIRECT_JUMP, true);
        count(t, ASSAY_CLASS_INFERABLE_JUMP, !is_a64(t) && is_inferable(t));
    }
    if (!transfer->direct) {
        t->branches = 0;
    }
}

static bool goes_to_next(const struct assay_execution_classes *t)
{
    uint64_t target = 0;
    if (is_a64(t)) {
        return a64_direct_target(t->held.word, t->held.address) == t->held.address + t->held.size;
    }
    return rv_direct_target(t->held.word, rv_isa(t), t->held.address, &target) &&
           target == t->held.address + t->held.size;
}

/* The held instruction, now that it is known where it led. */
static void add_transfer(struct assay_execution_classes *t, uint64_t target)
{
    struct transfer transfer;
    const uint32_t word = t->held.word;
    t->landed = false;
    if (!(is_a64(t) ? transfer_a64(word, &transfer) : transfer_rv(word, rv_isa(t), &transfer))) {
        return;
    }
    count(t, ASSAY_CLASS_BRANCH_TO_NEXT, transfer.direct && goes_to_next(t));
    count(t, ASSAY_CLASS_AUTHENTICATED, transfer.authenticated);
    if (transfer.conditional) {
        add_branch(t, target);
        return;
    }
    add_jump(t, &transfer);
    count(t, ASSAY_CLASS_SWAP, transfer.swap);
    count(t, ASSAY_CLASS_RETURN_OTHER, transfer.other);
    t->landed = !transfer.direct && !transfer.back;
    if (transfer.back) {
        add_return(t, target);
    } else if (transfer.call) {
        add_call(t, t->held.address + t->held.size);
    }
}

/* --- an instruction by itself --- */

static void add_accesses(struct assay_execution_classes *t, const struct assay_executed *item)
{
    static const enum assay_execution_class sizes[] = {
        ASSAY_CLASS_READ_1,  ASSAY_CLASS_READ_2,  ASSAY_CLASS_READ_4,  ASSAY_CLASS_READ_8,
        ASSAY_CLASS_WRITE_1, ASSAY_CLASS_WRITE_2, ASSAY_CLASS_WRITE_4, ASSAY_CLASS_WRITE_8};
    for (unsigned i = 0; i < item->accesses; i++) {
        for (unsigned log2 = 0; log2 < 4; log2++) {
            count(t, sizes[log2 + 4 * item->access[i].write], item->access[i].size == 1u << log2);
        }
    }
}

static void add_exclusive(struct assay_execution_classes *t, bool store,
                          const struct assay_executed *item)
{
    count(t, ASSAY_CLASS_EXCLUSIVE_LOAD, !store);
    count(t, ASSAY_CLASS_EXCLUSIVE_STORE, store && item->accesses > 0);
    count(t, ASSAY_CLASS_EXCLUSIVE_FAILED, store && item->accesses == 0);
}

static void add_a64(struct assay_execution_classes *t, const struct assay_executed *item)
{
    const uint64_t info = a64_classify(item->word);
    const unsigned class = a64_info_class(info);
    count(t, ASSAY_CLASS_BRANCH_REGISTER, class == A64_CBZ || class == A64_CBNZ);
    count(t, ASSAY_CLASS_BRANCH_BIT, class == A64_TBZ || class == A64_TBNZ);
    count(t, ASSAY_CLASS_BRANCH_ALWAYS, class == A64_B_COND && !a64_info_is_conditional(info));
    count(t, ASSAY_CLASS_LANDING_PAD, t->landed && (class == A64_BTI || class == A64_PAC));
    count(t, ASSAY_CLASS_HINT, a64_info_is_hint(info) || class == A64_YIELD);
    count(t, ASSAY_CLASS_WAIT, a64_info_is_wfx(info));
    count(t, ASSAY_CLASS_TRAP_RETURN, a64_info_is_exception_return(info));
    count(t, ASSAY_CLASS_LITERAL, a64_info_is_literal(info));
    count(t, ASSAY_CLASS_WRITEBACK, a64_info_is_writeback(info));
    count(t, ASSAY_CLASS_PAIR, class == A64_LOAD_PAIR || class == A64_STORE_PAIR);
    count(t, ASSAY_CLASS_STRUCTURE, class == A64_LOAD_STRUCTURE || class == A64_STORE_STRUCTURE);
    count(t, ASSAY_CLASS_FLOAT, a64_info_is_simd_fp(info));
    count(t, ASSAY_CLASS_ATOMIC, class == A64_ATOMIC_RMW);
    count(t, ASSAY_CLASS_COMPARE_AND_SWAP, class == A64_CAS || class == A64_CASP);
    count(t, ASSAY_CLASS_ACQUIRE, a64_info_is_acquire(info));
    count(t, ASSAY_CLASS_RELEASE, a64_info_is_release(info));
    count(t, ASSAY_CLASS_FENCE, class == A64_DMB || class == A64_DSB);
    count(t, ASSAY_CLASS_FENCE_INSTRUCTIONS, class == A64_ISB);
    count(t, ASSAY_CLASS_TLB, class == A64_TLBI);
    count(t, ASSAY_CLASS_PREFETCH, class == A64_PREFETCH);
    count(t, ASSAY_CLASS_REGISTER_READ, class == A64_MRS);
    count(t, ASSAY_CLASS_REGISTER_WRITTEN, class == A64_MSR_REG);
    if (class == A64_LOAD_EXCLUSIVE || class == A64_STORE_EXCLUSIVE) {
        add_exclusive(t, class == A64_STORE_EXCLUSIVE, item);
    }
}

static void add_vector(struct assay_execution_classes *t, uint64_t info)
{
    const unsigned class = rv_info_class(info);
    const bool unit = class == RV_VLOAD || class == RV_VSTORE;
    const bool strided = class == RV_VLOAD_STRIDED || class == RV_VSTORE_STRIDED;
    const bool indexed = class == RV_VLOAD_INDEXED || class == RV_VSTORE_INDEXED;
    count(t, ASSAY_CLASS_VECTOR_UNIT, unit);
    count(t, ASSAY_CLASS_VECTOR_STRIDED, strided);
    count(t, ASSAY_CLASS_VECTOR_INDEXED, indexed);
    count(t, ASSAY_CLASS_VECTOR_SEGMENT, (unit || strided || indexed) && rv_info_fields(info) > 1);
    count(t, ASSAY_CLASS_VECTOR_MASKED, (unit || strided || indexed) && rv_info_is_masked(info));
    count(t, ASSAY_CLASS_VECTOR_FIRST_FAULT, rv_info_is_first_fault(info));
    count(t, ASSAY_CLASS_VECTOR_WHOLE,
          class == RV_VLOAD_WHOLE || class == RV_VSTORE_WHOLE || class == RV_VLOAD_MASK ||
              class == RV_VSTORE_MASK);
}

static void add_rv(struct assay_execution_classes *t, const struct assay_executed *item)
{
    const uint64_t info = rv_classify(item->word, rv_isa(t));
    const unsigned class = rv_info_class(info);
    count(t, ASSAY_CLASS_COMPRESSED, item->size == 2);
    count(t, ASSAY_CLASS_ODD_PLACE, item->size == 4 && item->address % 4 != 0);
    count(t, ASSAY_CLASS_BRANCH_REGISTER, class == RV_BRANCH && item->size == 2);
    count(t, ASSAY_CLASS_HINT, rv_info_is_hint(info) || class == RV_PAUSE || class == RV_NTL);
    count(t, ASSAY_CLASS_WAIT, class == RV_WFI || class == RV_WRS);
    count(t, ASSAY_CLASS_TRAP_RETURN, rv_info_is_trap_return(info));
    count(t, ASSAY_CLASS_FLOAT, class == RV_FLOAD || class == RV_FSTORE);
    count(t, ASSAY_CLASS_ATOMIC, class == RV_AMO);
    count(t, ASSAY_CLASS_COMPARE_AND_SWAP, class == RV_CAS);
    count(t, ASSAY_CLASS_ACQUIRE, rv_info_is_acquire(info));
    count(t, ASSAY_CLASS_RELEASE, rv_info_is_release(info));
    count(t, ASSAY_CLASS_FENCE, class == RV_FENCE || class == RV_FENCE_TSO);
    count(t, ASSAY_CLASS_FENCE_INSTRUCTIONS, class == RV_FENCE_I);
    count(t, ASSAY_CLASS_TLB, class == RV_SFENCE_VMA);
    count(t, ASSAY_CLASS_REGISTER_READ, rv_info_csr_read(info));
    count(t, ASSAY_CLASS_REGISTER_WRITTEN, rv_info_csr_written(info));
    add_vector(t, info);
    if (class == RV_LR || class == RV_SC) {
        add_exclusive(t, class == RV_SC, item);
    }
}

static void add_instruction(struct assay_execution_classes *t, const struct assay_executed *item)
{
    static const enum assay_execution_class levels[] = {
        ASSAY_CLASS_LEVEL_USER, ASSAY_CLASS_LEVEL_SUPERVISOR, ASSAY_CLASS_LEVEL_HYPERVISOR,
        ASSAY_CLASS_LEVEL_MACHINE};
    if (t->holding) {
        add_transfer(t, item->address);
    }
    t->before = t->holding ? t->held.word : 0;
    t->held = *item;
    t->held.access = NULL;
    t->holding = true;
    t->instructions++;
    t->last = item->address;
    if (t->level < sizeof levels / sizeof levels[0]) {
        t->count[levels[t->level]]++;
    }
    add_accesses(t, item);
    if (is_a64(t)) {
        add_a64(t, item);
    } else {
        add_rv(t, item);
    }
}

/* --- traps --- */

/* By the exception class of the syndrome; QEMU reports no other ones here. */
static enum assay_execution_class trap_a64(uint64_t syndrome)
{
    enum { KIND_SHIFT = 26, KINDS = 64, STATUS = 63, ALIGNMENT = 33 };
    switch (syndrome >> KIND_SHIFT & (KINDS - 1)) {
    case 0x00:
        return ASSAY_CLASS_TRAP_ILLEGAL;
    case 0x15:
    case 0x16:
    case 0x17:
        return ASSAY_CLASS_TRAP_CALL;
    case 0x18:
        return ASSAY_CLASS_TRAP_REGISTER;
    case 0x20:
    case 0x21:
        return ASSAY_CLASS_TRAP_FETCH;
    case 0x24:
    case 0x25:
        return (syndrome & STATUS) == ALIGNMENT ? ASSAY_CLASS_TRAP_ALIGNMENT
                                                : ASSAY_CLASS_TRAP_ACCESS;
    case 0x3c:
        return ASSAY_CLASS_TRAP_BREAKPOINT;
    default:
        return ASSAY_CLASS_COUNT;
    }
}

static enum assay_execution_class trap_rv(uint64_t cause)
{
    static const enum assay_execution_class causes[] = {
        ASSAY_CLASS_TRAP_FETCH,      ASSAY_CLASS_TRAP_FETCH,     ASSAY_CLASS_TRAP_ILLEGAL,
        ASSAY_CLASS_TRAP_BREAKPOINT, ASSAY_CLASS_TRAP_ALIGNMENT, ASSAY_CLASS_TRAP_ACCESS,
        ASSAY_CLASS_TRAP_ALIGNMENT,  ASSAY_CLASS_TRAP_ACCESS,    ASSAY_CLASS_TRAP_CALL,
        ASSAY_CLASS_TRAP_CALL,       ASSAY_CLASS_TRAP_CALL,      ASSAY_CLASS_TRAP_CALL,
        ASSAY_CLASS_TRAP_FETCH,      ASSAY_CLASS_TRAP_ACCESS,    ASSAY_CLASS_COUNT,
        ASSAY_CLASS_TRAP_ACCESS};
    if (cause >> 63 != 0) {
        return ASSAY_CLASS_INTERRUPT;
    }
    return cause < sizeof causes / sizeof causes[0] ? causes[cause] : ASSAY_CLASS_COUNT;
}

/* Of AArch64 the place of the handler says whether it is an interrupt: the vectors of synchronous
 * exceptions are the first of each four. */
static void add_handler(struct assay_execution_classes *t, uint64_t address)
{
    enum { VECTOR_SHIFT = 7, VECTORS = 4 };
    enum assay_execution_class class = is_a64(t) ? trap_a64(t->cause) : trap_rv(t->cause);
    if (is_a64(t) && (address >> VECTOR_SHIFT & (VECTORS - 1)) != 0) {
        class = ASSAY_CLASS_INTERRUPT;
    }
    if (t->trapped && class < ASSAY_CLASS_COUNT) {
        t->count[class]++;
    }
    t->trapped = false;
}

static void add_trap(struct assay_execution_classes *t, const struct assay_executed *item)
{
    t->trapped = true;
    t->cause = item->cause;
    count(t, ASSAY_CLASS_TRAP_NESTED, item->level == t->level);
    t->level = item->level;
    t->holding = false;
    t->landed = false;
}

void assay_execution_classes_add(struct assay_execution_classes *trace,
                                 const struct assay_executed *item)
{
    switch (item->kind) {
    case ASSAY_EXECUTED_INSTRUCTION:
        add_handler(trace, item->address);
        add_instruction(trace, item);
        break;
    case ASSAY_EXECUTED_TRAP:
        add_trap(trace, item);
        break;
    case ASSAY_EXECUTED_LEVEL:
        trace->level = item->level;
        break;
    case ASSAY_EXECUTED_WALK:
        trace->count[ASSAY_CLASS_WALK]++;
        break;
    default:
        trace->holding = trace->holding && item->kind == ASSAY_EXECUTED_THREAD_START;
        break;
    }
}
