#include "generators/ete/from_execution.h"

#include "generators/ete/tested.h"
#include "generators/replay.h"
#include "io/source.h"
#include "isa/a64.h"

enum { NON_SECURE = 1, SECURE = 0, EL3 = 3, INSTRUCTION_BYTES = 4 };
enum { AHEAD = 256 }; /* items that tell the outcome of a branch to the next instruction */

struct generator {
    const struct ete_generate_options *options;
    const struct assay_execution_header *header;
    struct ete_generated *out;
    struct ete_unit *unit;
    struct a64_cache classes;
    bool started, finished;
    bool level_lost; /* the recording does not show it */
    uint8_t level;
    uint64_t turn;    /* of the contexts */
    uint64_t vm_turn; /* of the virtual ones */
    /* The instruction that waits for its successor: a branch shows where it went only then. */
    bool pending;
    uint64_t pc;
    uint32_t word;
    struct ete_tested tested; /* by what was executed before it */
    /* A queue, of what comes after an open branch. What an item borrows is gone: no kind of item
     * that is taken needs its accesses. */
    struct assay_executed ahead[AHEAD];
    unsigned first, waiting;
    /* Of the open branch: what was tested with each outcome, up to the items that were looked at.
     */
    struct ete_tested if_taken, if_passed;
    unsigned looked_at;
    bool decided;          /* nothing after them can tell more */
    bool cannot_be_passed; /* by these items */
    bool not_known;        /* the queue was full before it was decided */
    /* Of a machine: what waits for the first instruction of its handler. */
    bool trapped, attempted, diverted;
    struct assay_executed trap, attempt;
};

static void set_level(struct generator *g, uint8_t level)
{
    const uint64_t contexts = g->options->contexts > 0 ? g->options->contexts : 1;
    const uint32_t turn = (uint32_t)(g->turn % contexts);
    const uint32_t vm_turn = (uint32_t)(g->vm_turn % contexts);
    g->level = level;
    ete_tested_forget(&g->tested);
    ete_unit_context(g->unit,
                     (struct ete_unit_context){.el = level & 3,
                                               .security = level == EL3 ? SECURE : NON_SECURE,
                                               .context_id = g->header->process + turn,
                                               .vmid = g->options->contexts > 0 ? 1 + vm_turn : 0});
}

/* Of a program: the system takes control, and gives it back. */
static void leave_program(struct generator *g)
{
    ete_unit_pause(g->unit);
    g->turn++;
    g->vm_turn++;
    set_level(g, g->level);
}

/* Of a machine the recording says the level before the first instruction. */
static void begin(struct generator *g)
{
    set_level(g, 0);
    g->level = g->header->system ? ASSAY_EXECUTION_LEVEL_UNKNOWN : 0;
}

/* --- P0 instructions (K10.5.6.2.3) --- */

static struct ete_address at(uint64_t address)
{
    return (struct ete_address){address, false};
}

static bool is_p0(const struct generator *g, uint64_t info)
{
    return a64_info_is_branch(info) != 0 || a64_info_is_exception_return(info) != 0 ||
           a64_info_class(info) == A64_ISB || (a64_info_is_wfx(info) != 0 && g->options->wfx_is_p0);
}

static enum ete_p0_type type_of(uint64_t info)
{
    if (a64_info_is_exception_return(info) != 0) {
        return ETE_EXCEPTION_RETURN;
    }
    if (a64_info_is_branch(info) == 0) {
        return ETE_NO_BRANCH;
    }
    return a64_info_is_direct(info) != 0 ? ETE_BRANCH_DIRECT : ETE_BRANCH_INDIRECT;
}

static bool must_be_taken(const struct generator *g)
{
    return g->cannot_be_passed || !ete_tested_allows(&g->tested, g->word, false);
}

/* A conditional branch of which nobody knows whether it was taken, as it leads to the next
 * instruction or control was taken away, counts as not taken, if the branches before and after it
 * allow that. Returns whether it is taken. */
static bool put_p0(struct generator *g, uint64_t info, bool next_known, uint64_t next)
{
    const uint64_t after = g->pc + INSTRUCTION_BYTES;
    struct ete_executed_p0 p0 = {.type = type_of(info),
                                 .conditional = a64_info_is_conditional(info) != 0,
                                 .link = a64_info_is_call(info) != 0,
                                 .next_known = next_known,
                                 .size = INSTRUCTION_BYTES,
                                 .pc = at(g->pc),
                                 .next = at(next)};
    const uint64_t target = a64_direct_target(g->word, g->pc);
    const bool known = next_known && target != after;
    p0.taken = !p0.conditional || (known ? next == target : must_be_taken(g));
    if (p0.type == ETE_BRANCH_DIRECT && !next_known) {
        p0.next = at(p0.taken ? target : after);
        p0.next_known = true;
    }
    ete_unit_p0(g->unit, &p0);
    return p0.taken;
}

/* What was executed before does not show in what comes next: a gap. */
static void interrupt(struct generator *g)
{
    ete_unit_pause(g->unit);
    ete_tested_forget(&g->tested);
}

/* The pending instruction has its successor. Where that may contradict what was stated of an open
 * branch there is a gap between them. With `next_known`, control went on there by itself. */
static void flush(struct generator *g, bool next_known, uint64_t next)
{
    if (!g->pending) {
        return;
    }
    const uint64_t info = a64_cache_classify(&g->classes, g->word);
    g->pending = false;
    ete_tested_pass(&g->tested, g->word);
    if (is_p0(g, info)) {
        const bool taken = put_p0(g, info, next_known, next);
        if (next_known) {
            ete_tested_learn(&g->tested, g->word, taken);
        } else {
            ete_tested_forget(&g->tested);
        }
    }
    if (g->not_known) {
        interrupt(g);
    }
    g->decided = g->cannot_be_passed = g->not_known = false;
    g->looked_at = 0;
}

/* --- exceptions --- */

/* The type of an exception by EC of ESR_ELx. */
static enum ete_exception_type type_of_class(unsigned class)
{
    switch (class) {
    case 0x11:
    case 0x12:
    case 0x13:
    case 0x15:
    case 0x16:
    case 0x17:
        return ETE_CALL;
    case 0x20:
    case 0x21:
        return ETE_INST_FAULT;
    case 0x22:
    case 0x26:
        return ETE_ALIGNMENT;
    case 0x24:
    case 0x25:
        return ETE_DATA_FAULT;
    case 0x2f:
        return ETE_SYSTEM_ERROR;
    case 0x30:
    case 0x31:
    case 0x32:
    case 0x33:
    case 0x3c:
        return ETE_INST_DEBUG;
    case 0x34:
    case 0x35:
        return ETE_DATA_DEBUG;
    default:
        return ETE_TRAP;
    }
}

/* By the vector, in which its handler is. */
static enum ete_exception_type type_of_trap(const struct assay_executed *trap, uint64_t handler)
{
    static const enum ete_exception_type types[] = {ETE_TRAP, ETE_IRQ, ETE_FIQ, ETE_SYSTEM_ERROR};
    const unsigned vector = (unsigned)(handler >> 7) & 3;
    return vector == 0 ? type_of_class((unsigned)(trap->cause >> 26) & 0x3f) : types[vector];
}

/* What waited for the handler, which begins at this address. */
static void finish_trap(struct generator *g, uint64_t handler)
{
    flush(g, true, g->trap.from);
    ete_unit_exception(g->unit, type_of_trap(&g->trap, handler), at(g->trap.from));
    set_level(g, g->trap.level);
    g->trapped = g->attempted = g->diverted = false;
}

/* An instruction follows at this address. */
static void finish_waiting(struct generator *g, uint64_t next)
{
    if (g->trapped) {
        finish_trap(g, next);
        return;
    }
    flush(g, !g->diverted, next);
    if (g->attempted || g->diverted) { /* by what, the recording of the machine does not say */
        interrupt(g);
        g->out->without_event++;
    }
    g->attempted = g->diverted = false;
}

/* Of a program: the system takes control, and gives it back after what it did. */
static void take_diverted(struct generator *g, const struct assay_executed *item)
{
    const uint64_t info = a64_cache_classify(&g->classes, g->word);
    const uint64_t after = g->pc + INSTRUCTION_BYTES;
    const bool waits = g->pending;
    if (item->aborted) {
        flush(g, true, item->address);
        ete_unit_exception(g->unit, item->fault_known ? ETE_DATA_FAULT : ETE_TRAP,
                           at(item->address));
    } else if (waits && !is_p0(g, info)) {
        flush(g, true, after);
        ete_unit_exception(g->unit, ETE_IRQ, at(after));
    } else {
        flush(g, false, 0);
        g->out->without_event += waits;
    }
    leave_program(g);
}

/* After an SVC. */
static void take_system_call(struct generator *g)
{
    if (g->pending) {
        flush(g, true, g->pc + INSTRUCTION_BYTES);
        ete_unit_exception(g->unit, ETE_CALL, at(g->pc + INSTRUCTION_BYTES));
        leave_program(g);
    }
}

/* --- the items of the execution --- */

static bool at_limit(const struct generator *g)
{
    return g->options->limit > 0 && g->out->instructions >= g->options->limit;
}

/* The PE enters Debug state, so that the trace shows what it has executed. */
static void halt(struct generator *g, uint64_t next)
{
    finish_waiting(g, next);
    ete_unit_exception(g->unit, ETE_DEBUG_HALT, at(next));
    g->finished = true;
}

static void take_instruction(struct generator *g, const struct assay_executed *item)
{
    if (at_limit(g)) {
        halt(g, item->address);
        return;
    }
    finish_waiting(g, item->address);
    g->level_lost = g->header->system && g->level == ASSAY_EXECUTION_LEVEL_UNKNOWN;
    if (g->level_lost) {
        g->finished = true;
        return;
    }
    ete_unit_execute(g->unit, at(item->address), item->time);
    g->started = true;
    g->out->instructions++;
    g->pending = true;
    g->pc = item->address;
    g->word = item->word;
}

/* After the last instruction nothing is known. */
static void end_thread(struct generator *g)
{
    if (g->trapped && !g->finished) { /* its handler is not known */
        flush(g, true, g->trap.from);
        ete_unit_exception(g->unit, type_of_class((unsigned)(g->trap.cause >> 26) & 0x3f),
                           at(g->trap.from));
    } else if (g->pending && !g->finished) {
        const uint64_t info = a64_cache_classify(&g->classes, g->word);
        const uint64_t after = g->pc + INSTRUCTION_BYTES;
        if (is_p0(g, info)) {
            flush(g, false, 0);
        } else {
            halt(g, after);
        }
    }
    g->finished = true;
}

static void take_level(struct generator *g, const struct assay_executed *item)
{
    if (item->level == ASSAY_EXECUTION_LEVEL_UNKNOWN) {
        g->level = item->level;
    } else {
        g->turn++;
        g->vm_turn += g->level > 1; /* EL1 cannot change it */
        set_level(g, item->level);
    }
}

static void take_item(struct generator *g, const struct assay_executed *item)
{
    switch (item->kind) {
    case ASSAY_EXECUTED_INSTRUCTION:
        take_instruction(g, item);
        break;
    case ASSAY_EXECUTED_SYSTEM_CALL:
        take_system_call(g);
        break;
    case ASSAY_EXECUTED_TRAP:
        if (g->trapped) { /* of the handler nothing was executed */
            finish_trap(g, item->from);
        }
        g->trap = *item;
        g->trapped = true;
        break;
    case ASSAY_EXECUTED_LEVEL:
        take_level(g, item);
        break;
    case ASSAY_EXECUTED_DIVERTED:
        if (!g->header->system) {
            take_diverted(g, item);
            break;
        }
        if (item->aborted) { /* the trap follows, if it is known */
            finish_waiting(g, item->address);
        }
        g->attempted = item->aborted;
        g->diverted = !item->aborted;
        break;
    case ASSAY_EXECUTED_THREAD_END:
        end_thread(g);
        break;
    default:
        break;
    }
}

/* --- branches to the next instruction --- */

/* Whether the pending instruction is a conditional branch to the next instruction, of which those
 * before it leave both outcomes open. */
static bool is_pending_open(const struct generator *g)
{
    return g->pending && ete_tests(g->word) &&
           a64_direct_target(g->word, g->pc) == g->pc + INSTRUCTION_BYTES &&
           ete_tested_allows(&g->tested, g->word, true) &&
           ete_tested_allows(&g->tested, g->word, false);
}

/* Takes over what a branch says by where execution went on. Returns false where that is not
 * possible. */
static bool agrees(struct ete_tested *tested, const struct assay_executed *branch, uint64_t next)
{
    const uint64_t target = a64_direct_target(branch->word, branch->address);
    const bool taken = next == target;
    if (target == branch->address + INSTRUCTION_BYTES) {
        return true;
    }
    if (!ete_tested_allows(tested, branch->word, taken)) {
        return false;
    }
    ete_tested_learn(tested, branch->word, taken);
    return true;
}

/* Looks at the next item that waits. Returns whether it, or nothing after it, can tell the outcome
 * of the pending branch. */
static bool look(struct generator *g)
{
    const unsigned n = g->looked_at++;
    const struct assay_executed *item = &g->ahead[(g->first + n) % AHEAD];
    const struct assay_executed *before = n > 0 ? &g->ahead[(g->first + n - 1) % AHEAD] : NULL;
    if (item->kind != ASSAY_EXECUTED_INSTRUCTION) {
        return true;
    }
    if (before != NULL) {
        g->cannot_be_passed = !agrees(&g->if_passed, before, item->address);
        if (g->cannot_be_passed || !agrees(&g->if_taken, before, item->address)) {
            return true;
        }
    }
    ete_tested_pass(&g->if_passed, item->word);
    ete_tested_pass(&g->if_taken, item->word);
    return ete_tested_is_changed(g->word, item->word);
}

/* Whether nothing that comes later can tell the outcome of the pending branch, or there is no room
 * for it. */
static bool is_decided(struct generator *g)
{
    if (g->decided || !is_pending_open(g)) {
        return true;
    }
    if (g->looked_at == 0) {
        g->if_passed = g->if_taken = g->tested;
        ete_tested_learn(&g->if_passed, g->word, false);
        ete_tested_learn(&g->if_taken, g->word, true);
    }
    while (!g->decided && g->looked_at < g->waiting) {
        g->decided = look(g);
    }
    g->not_known = !g->decided && g->waiting == AHEAD;
    return g->decided || g->not_known;
}

/* Takes what waits, as far as it is decided; or all of it. */
static void take_waiting(struct generator *g, bool all)
{
    while (g->waiting > 0 && !g->finished && (is_decided(g) || all)) {
        const struct assay_executed item = g->ahead[g->first];
        g->first = (g->first + 1) % AHEAD;
        g->waiting--;
        take_item(g, &item);
    }
}

static bool take(void *generator, const struct assay_executed *item)
{
    struct generator *g = generator;
    if (item->thread != g->options->thread || item->kind == ASSAY_EXECUTED_WALK) {
        return true;
    }
    if (g->waiting == 0 && !is_pending_open(g)) {
        take_item(g, item);
    } else {
        g->ahead[(g->first + g->waiting++) % AHEAD] = *item;
        take_waiting(g, false);
    }
    return !g->finished;
}

/* The recording, up to where it ends or no more of it is wanted. */
static enum assay_error read_once(struct generator *g, struct assay_execution *execution,
                                  bool again, struct assay_diag *diag)
{
    const enum assay_error error =
        again ? replay_again(execution, take, g, diag) : replay(execution, take, g, diag);
    if (error == ASSAY_OK) {
        take_waiting(g, true);
    }
    g->waiting = 0;
    return error;
}

/* Once, and as often as it is to be repeated; between two times is a gap. */
static enum assay_error read_times(struct generator *g, struct assay_execution *execution,
                                   struct assay_diag *diag)
{
    enum assay_error error = read_once(g, execution, false, diag);
    for (uint64_t i = 1;
         i < g->options->repeat && error == ASSAY_OK && !at_limit(g) && !g->level_lost; i++) {
        end_thread(g);
        ete_unit_pause(g->unit);
        g->finished = g->trapped = g->attempted = g->diverted = false;
        begin(g);
        error = read_once(g, execution, true, diag);
    }
    if (error == ASSAY_OK) {
        end_thread(g);
    }
    return error;
}

static enum assay_error generate(struct generator *g, struct assay_execution *execution,
                                 struct assay_sink *sink, struct assay_diag *diag)
{
    begin(g);
    const enum assay_error error = read_times(g, execution, diag);
    const enum assay_error written = ete_unit_finish(g->unit, diag);
    g->out->elements = ete_unit_elements(g->unit);
    if (error == ASSAY_OK && sink->error != ASSAY_OK) {
        return assay_sink_explain(sink, sink->error, diag);
    }
    if (error == ASSAY_OK && written == ASSAY_OK && g->level_lost) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                          "a trace of ETE has the Exception level of the program, which the "
                          "recording does not show after instruction %llu",
                          (unsigned long long)g->out->instructions);
    }
    if (error == ASSAY_OK && written == ASSAY_OK && !g->started) {
        return assay_fail(diag, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET,
                          "the execution has no instruction of thread %u", g->options->thread);
    }
    return error != ASSAY_OK ? error : written;
}

enum assay_error ete_generate_from_execution(struct assay_execution *execution,
                                             const struct ete_generate_options *options,
                                             struct assay_sink *sink,
                                             struct ete_generated *generated,
                                             struct assay_diag *diag)
{
    struct generator g = {
        .options = options, .header = assay_execution_header(execution), .out = generated};
    *generated = (struct ete_generated){0};
    if (g.header->isa != ASSAY_EXECUTION_AARCH64) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, 0,
                          "a trace of ETE is of Arm instructions, the execution is of %s",
                          assay_execution_isa_name(g.header->isa));
    }
    if (options->repeat > 1 && options->execution == NULL) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                          "an execution that is to be repeated has to be a file");
    }
    a64_cache_init(&g.classes);
    g.unit = ete_unit_open(&options->unit, sink);
    if (g.unit == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    const enum assay_error error = generate(&g, execution, sink, diag);
    ete_unit_close(g.unit);
    return error;
}
