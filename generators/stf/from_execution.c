#include "generators/stf/from_execution.h"

#include <stdlib.h>
#include <string.h>

#include "generators/replay.h"
#include "generators/stf/header.h"
#include "generators/stf/operands.h"
#include "generators/stf/record.h"
#include "generators/stf/registers.h"
#include "generators/stf/trap.h"
#include "generators/stf/walks.h"
#include "io/source.h"
#include "isa/rv.h"

enum { WORDS = 1024, USER_MODE = 0, MACHINE_MODE = 3 };

/* Words that were classified. */
struct word {
    uint32_t word;
    uint64_t info;
};

/* A thread of the recording. */
struct thread {
    uint32_t number;
    uint64_t system_id;
    struct stf_registers registers;
    bool evented; /* its last group has an event */
    bool forced;  /* FORCE_PC has to precede its next instruction */
    /* The instruction that waits for its successor: a branch shows where it went only then. */
    bool pending;
    bool called;          /* it made a system call ... */
    uint64_t call_number; /* ... of this number */
    uint64_t pc;
    uint32_t word;
    uint8_t size;
    uint16_t accesses;
    struct assay_access access[ASSAY_EXECUTION_ACCESSES_MAX];
    struct stf_walks_of walks;      /* of what waits to be written */
    struct stf_walks_of next_walks; /* of the next instruction */
    /* Of a system. A trap waits for the first instruction of its handler, whose address its event
     * gives, and an attempt for the trap that aborted it. */
    bool attempted, trapped;
    struct assay_executed attempt, trap;
    bool has_event; /* of the group that is written next, with the address that it leads to */
    struct stf_trap event;
    uint64_t handler;
    uint8_t level, told; /* that is in force, and that the trace gave last */
};

struct generator {
    const struct stf_generate_options *options;
    const struct assay_execution_header *header;
    struct stf_recorder records;
    struct stf_generated *out;
    struct assay_diag *diag;
    enum assay_error refused; /* the execution cannot be shown; `diag` says why */
    enum rv_isa isa;
    bool walks;          /* the trace has page table walks */
    bool started;        /* the header was written */
    bool begun;          /* the first instruction was written */
    bool finished;       /* the limit is reached, and where the last instruction led is known */
    uint32_t current;    /* number of the thread that the last record of ids named ... */
    uint64_t current_id; /* ... and its id */
    /* By number those that are traced, have begun and not ended. */
    struct thread *threads[ASSAY_EXECUTION_THREADS_MAX];
    struct word words[WORDS];
};

static uint64_t classify(struct generator *g, uint32_t word)
{
    struct word *entry = &g->words[(word * UINT32_C(0x9e3779b1)) >> 22 & (WORDS - 1)];
    if (entry->word != word) {
        entry->word = word;
        entry->info = rv_classify(word, g->isa);
    }
    return entry->info;
}

/* --- the records of a group, in the order of their descriptors --- */

/* Records a switch to another thread. Its ids must differ, since they identify threads. */
static void put_switch(struct generator *g, const struct thread *t)
{
    if (t->system_id == g->current_id) {
        g->refused = assay_fail(g->diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                                "a trace identifies threads by their ids, and the recording has "
                                "the id %llu for several",
                                (unsigned long long)t->system_id);
    }
    stf_record_process(&g->records, g->header->process, t->system_id);
}

static void begin_group(struct generator *g, struct thread *t, uint64_t pc)
{
    const bool other = g->current != t->number;
    if (!g->started) {
        g->started = true;
        stf_put_header(&g->records, g->options, g->header, g->walks, t->system_id, pc);
    } else if (other) {
        put_switch(g, t);
        stf_record_pc(&g->records, STF_force_pc, pc);
    } else if (t->forced) {
        stf_record_pc(&g->records, STF_force_pc, pc);
    }
    g->current = t->number;
    g->current_id = t->system_id;
    t->forced = false;
}

/* What is known of registers where a program starts: x0. */
static void put_state(struct generator *g)
{
    const struct stf_register zero = {.type = STF_REGISTER_INTEGER, .operand = STF_OPERAND_STATE};
    if (!g->begun) {
        stf_record_register(&g->records, &zero);
    }
}

/* The mode that the trace begins with, and each other that follows. One that is not known cannot be
 * told. */
static void put_mode(struct generator *g, struct thread *t)
{
    const uint64_t mode = g->header->system ? t->level : USER_MODE;
    if ((!g->begun || t->level != t->told) && mode <= MACHINE_MODE) {
        stf_record_event(&g->records, STF_ID_MODE_CHANGE, &mode, 1);
    }
    g->begun = true;
    t->told = t->level;
}

static void put_event(struct generator *g, struct thread *t)
{
    if (t->called) {
        stf_record_event(&g->records, STF_ID_USER_ECALL, &t->call_number, 1);
    } else if (t->has_event) {
        stf_record_event(&g->records, t->event.id, t->event.field, t->event.fields);
        stf_record_pc(&g->records, STF_event_pc_target, t->handler);
    }
}

static void put_loaded(struct generator *g, const struct thread *t, uint64_t info)
{
    struct stf_register loaded;
    const struct assay_access *first = &t->access[0];
    if (g->options->operands && t->accesses > 0 && !first->write && first->content_known &&
        stf_loaded_register(g->isa, t->word, info, first->content, first->size, &loaded)) {
        stf_record_register(&g->records, &loaded);
    }
}

/* Those of the instruction whose group is open. */
static void put_walks(struct generator *g, struct thread *t)
{
    for (unsigned i = 0; i < t->walks.count && g->walks; i++) {
        stf_record_walk(&g->records, &t->walks.list[i], g->out->instructions);
    }
    t->walks.count = 0;
}

/* An access whose content is not known is left out: it would have to have one. */
static void put_accesses(struct generator *g, const struct thread *t)
{
    bool known = t->accesses == 0;
    for (unsigned i = 0; i < t->accesses; i++) {
        const struct assay_access *a = &t->access[i];
        if (a->content_known) {
            known = true;
            stf_record_access(&g->records, a->address, a->size, a->write, a->content);
        }
    }
    g->out->without_access += !known;
}

static void end_group(struct generator *g, uint32_t word, unsigned size)
{
    stf_record_instruction(&g->records, word, size);
    g->out->instructions++;
}

/* Whether the pending instruction, a transfer of control, was taken, and where to. */
static bool was_taken(const struct thread *t, enum rv_isa isa, uint64_t info, bool next_known,
                      uint64_t next, uint64_t *target)
{
    const unsigned transfer = rv_info_transfer(info);
    *target = next;
    if (transfer == RV_TRANSFER_NONE) {
        return false;
    }
    if (!rv_direct_target(t->word, isa, t->pc, target)) {
        return next_known;
    }
    return transfer != RV_TRANSFER_CONDITIONAL ||
           (next_known && next == *target && next != t->pc + t->size);
}

/* What the system, or a handler, left in registers is not known. */
static void note_registers(struct thread *t, enum rv_isa isa, uint64_t info)
{
    if (t->called) {
        stf_registers_forget(&t->registers);
    } else {
        stf_registers_note(&t->registers, isa, t->word, info,
                           t->accesses > 0 ? &t->access[0] : NULL);
    }
}

/* Writes the pending instruction. With `next_known`, control went on to `next` by itself. */
static void flush(struct generator *g, struct thread *t, bool next_known, uint64_t next)
{
    uint64_t target;
    if (!t->pending) {
        return;
    }
    const uint64_t info = classify(g, t->word);
    const bool taken = was_taken(t, g->isa, info, next_known, next, &target);
    begin_group(g, t, t->pc);
    if (taken) {
        stf_record_pc(&g->records, STF_inst_pc_target, target);
    }
    put_state(g);
    put_loaded(g, t, info);
    put_walks(g, t);
    put_accesses(g, t);
    put_mode(g, t);
    put_event(g, t);
    end_group(g, t->word, t->size);
    note_registers(t, g->isa, info);
    t->evented = t->called;
    t->forced = t->called || !next_known || rv_info_is_trap_return(info) != 0 ||
                next != (taken ? target : t->pc + t->size);
    t->pending = false;
    t->called = false;
}

/* The last instruction, after which nothing is known: a jump without its target and a system call
 * without its number are left out. */
static void flush_last(struct generator *g, struct thread *t)
{
    const uint64_t info = classify(g, t->word);
    const bool jumps = rv_info_transfer(info) > RV_TRANSFER_CONDITIONAL && !rv_info_is_direct(info);
    if (jumps || (rv_info_class(info) == RV_ECALL && !t->called)) {
        t->pending = false;
    }
    flush(g, t, false, 0);
}

enum { NOP = 0x13, C_NOP = 1 };

/* An instruction that trapped instead of completing, if it is known why. An illegal one is
 * recorded as a no-op. */
static bool put_trap(struct generator *g, struct thread *t, const struct assay_executed *item)
{
    const uint64_t info = classify(g, item->word);
    const bool illegal = rv_info_class(info) == RV_ILLEGAL;
    struct stf_trap trap;
    if (!stf_trap_of(item, g->isa, info, &t->registers, &trap)) {
        return false;
    }
    begin_group(g, t, item->address);
    put_state(g);
    put_mode(g, t);
    stf_record_event(&g->records, trap.id, trap.field, trap.fields);
    end_group(g, !illegal ? item->word : item->size == 2 ? C_NOP : NOP, item->size);
    return true;
}

/* --- the traps of a system --- */

/* A group whose instruction was aborted, or could not be fetched: without a word. */
static void put_attempt(struct generator *g, struct thread *t, uint64_t pc, uint32_t word,
                        unsigned size)
{
    const bool shown = word != 0 && rv_info_class(classify(g, word)) != RV_ILLEGAL;
    begin_group(g, t, pc);
    put_state(g);
    put_walks(g, t);
    put_mode(g, t);
    put_event(g, t);
    end_group(g, shown ? word : size == 2 ? C_NOP : NOP, size);
}

/* The pending instruction made the call, or completed before an interrupt or a failing fetch. */
static void trap_after(struct generator *g, struct thread *t)
{
    const bool interrupt = stf_trap_is_interrupt(&t->trap, g->isa);
    const bool call = rv_info_class(classify(g, t->word)) == RV_ECALL;
    if (call || interrupt) {
        t->has_event = stf_trap_told(&t->trap, g->isa, t->pc, t->word, &t->event);
        flush(g, t, true, interrupt ? t->trap.from : t->pc + t->size);
    } else {
        flush(g, t, true, t->trap.from);
        t->has_event = stf_trap_told(&t->trap, g->isa, t->trap.from, 0, &t->event);
        put_attempt(g, t, t->trap.from, 0, 2);
    }
}

/* Writes what waited for the handler, which begins at this address. */
static void finish_trap(struct generator *g, struct thread *t, uint64_t handler)
{
    const struct assay_executed *attempt = &t->attempt;
    t->handler = handler;
    if (t->attempted) {
        t->has_event = stf_trap_told(&t->trap, g->isa, attempt->address, attempt->word, &t->event);
        put_attempt(g, t, attempt->address, attempt->word, attempt->size);
    } else if (t->pending) {
        trap_after(g, t);
    }
    g->out->without_event += !t->has_event;
    t->forced = !t->has_event;
    t->has_event = t->attempted = t->trapped = false;
    t->level = t->trap.level;
    stf_registers_forget(&t->registers);
}

/* What waits is written before the next instruction, begun at this address. */
static void finish_waiting(struct generator *g, struct thread *t, uint64_t next)
{
    if (t->trapped) {
        finish_trap(g, t, next);
    } else if (t->attempted) {
        g->out->without_event += !put_trap(g, t, &t->attempt);
        t->attempted = false;
        t->forced = true;
    } else {
        flush(g, t, true, next);
    }
}

/* --- the items of the execution --- */

static bool at_limit(const struct generator *g)
{
    return g->options->limit > 0 && g->out->instructions >= g->options->limit;
}

static void take_instruction(struct generator *g, struct thread *t,
                             const struct assay_executed *item)
{
    finish_waiting(g, t, item->address);
    if (at_limit(g)) {
        g->finished = true;
        return;
    }
    if (item->accesses > 0 && !item->contents) {
        g->refused = assay_fail(
            g->diag, ASSAY_UNSUPPORTED, item->offset,
            "an STF trace has the contents of accesses, which the recording lacks; record it with "
            "contents=on");
        return;
    }
    stf_walks_move(&t->walks, &t->next_walks);
    t->pending = true;
    t->pc = item->address;
    t->word = item->word;
    t->size = item->size;
    t->accesses = item->accesses;
    memcpy(t->access, item->access, item->accesses * sizeof t->access[0]);
}

/* Of a system the trap follows, if it is known. */
static void take_attempt(struct generator *g, struct thread *t, const struct assay_executed *item)
{
    if (item->aborted) {
        finish_waiting(g, t, item->address);
        stf_walks_move(&t->walks, &t->next_walks);
        t->attempted = true;
        t->attempt = *item;
    }
}

/* Where a trap is taken before the first instruction of a handler, that one is its attempt; what it
 * is the recording does not show. */
static void take_trap(struct generator *g, struct thread *t, const struct assay_executed *item)
{
    if (t->trapped) {
        finish_trap(g, t, item->from);
        t->attempted = true;
        t->attempt = (struct assay_executed){.address = item->from, .size = sizeof(uint16_t)};
    }
    t->trap = *item;
    t->trapped = true;
}

static void take_diverted(struct generator *g, struct thread *t, const struct assay_executed *item)
{
    if (g->header->system) {
        take_attempt(g, t, item);
        return;
    }
    /* An instruction that was begun and aborted is the one that execution continued with. */
    flush(g, t, item->aborted, item->address);
    g->finished = at_limit(g);
    if (!g->finished) {
        const bool known = item->aborted ? put_trap(g, t, item) : t->evented;
        g->out->without_event += !known;
        t->evented = known;
    }
    stf_registers_forget(&t->registers);
    t->forced = true;
}

/* After its last instruction. */
static void end_thread(struct generator *g, uint32_t number)
{
    struct thread *t = g->threads[number];
    if (t != NULL && t->pending && !at_limit(g)) {
        flush_last(g, t);
    }
    free(t);
    g->threads[number] = NULL;
}

static void start_thread(struct generator *g, const struct assay_executed *item)
{
    struct thread *t = calloc(1, sizeof *t);
    if (t == NULL) {
        g->refused = assay_fail(g->diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
        return;
    }
    t->number = item->thread;
    t->system_id = item->system_id;
    t->level = t->told = ASSAY_EXECUTION_LEVEL_UNKNOWN;
    t->forced = true;
    stf_registers_forget(&t->registers);
    g->threads[item->thread] = t;
}

static bool take(void *generator, const struct assay_executed *item)
{
    struct generator *g = generator;
    struct thread *t = g->threads[item->thread];
    if (!g->options->all_threads && item->thread != g->options->thread) {
        return true;
    }
    switch (item->kind) {
    case ASSAY_EXECUTED_THREAD_START:
        start_thread(g, item);
        break;
    case ASSAY_EXECUTED_THREAD_END:
        end_thread(g, item->thread);
        break;
    case ASSAY_EXECUTED_INSTRUCTION:
        take_instruction(g, t, item);
        break;
    case ASSAY_EXECUTED_SYSTEM_CALL:
        t->called = t->pending;
        t->call_number = item->number;
        flush(g, t, false, 0);
        g->finished = at_limit(g);
        break;
    case ASSAY_EXECUTED_DIVERTED:
        take_diverted(g, t, item);
        break;
    case ASSAY_EXECUTED_TRAP:
        take_trap(g, t, item);
        break;
    case ASSAY_EXECUTED_LEVEL:
        t->level = item->level;
        break;
    case ASSAY_EXECUTED_WALK:
        stf_walks_add(&t->next_walks, item->walk);
        break;
    default:
        break;
    }
    return !g->finished && g->refused == ASSAY_OK && g->records.error == ASSAY_OK;
}

/* What is pending when reading fails is written, too: it retired. */
static enum assay_error end_threads(struct generator *g, enum assay_error error)
{
    for (uint32_t number = 0; number < ASSAY_EXECUTION_THREADS_MAX; number++) {
        end_thread(g, number);
    }
    return error != ASSAY_OK ? error : g->refused;
}

/* Header, instructions and the end. Errors of the encoder stay in `records`. */
static enum assay_error put_all(struct generator *g, struct assay_execution *execution)
{
    enum assay_error error = end_threads(g, replay(execution, take, g, g->diag));
    for (uint64_t i = 1; i < g->options->repeat && error == ASSAY_OK &&
                         g->records.error == ASSAY_OK && !g->finished;
         i++) {
        error = end_threads(g, replay_again(execution, take, g, g->diag));
    }
    if (error != ASSAY_OK) {
        return error;
    }
    if (!g->started) {
        return g->options->all_threads ? assay_fail(g->diag, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET,
                                                    "the execution has no instruction")
                                       : assay_fail(g->diag, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET,
                                                    "the execution has no instruction of thread %u",
                                                    g->options->thread);
    }
    if (g->options->profile == STF_PROFILE_13) {
        const uint8_t nothing[8] = {0};
        stf_record_put(&g->records, STF_reserve_end, nothing);
    }
    return ASSAY_OK;
}

static enum assay_error generate(struct generator *g, struct assay_execution *execution,
                                 struct assay_sink *sink)
{
    enum assay_error error =
        assay_format_stf.encoder->open(sink, g->options->storage, &g->records.encoder, g->diag);
    if (error != ASSAY_OK) {
        return error;
    }
    error = put_all(g, execution);
    g->out->records = g->records.records;
    const enum assay_error closed = assay_format_stf.encoder->close(g->records.encoder);
    const enum assay_error put = g->records.error != ASSAY_OK ? g->records.error : closed;
    return error == ASSAY_OK && put != ASSAY_OK ? assay_sink_explain(sink, put, g->diag) : error;
}

enum assay_error stf_generate_from_execution(struct assay_execution *execution,
                                             const struct stf_generate_options *options,
                                             struct assay_sink *sink,
                                             struct stf_generated *generated,
                                             struct assay_diag *diag)
{
    const struct assay_execution_header *header = assay_execution_header(execution);
    *generated = (struct stf_generated){0};
    if (header->isa == ASSAY_EXECUTION_AARCH64) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, 0,
                          "STF traces are made of RISC-V instructions, the execution is of %s",
                          assay_execution_isa_name(header->isa));
    }
    if (options->repeat > 1 && options->execution == NULL) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                          "an execution that is to be repeated has to be a file");
    }
    struct generator *g = calloc(1, sizeof *g);
    if (g == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "out of memory");
    }
    g->options = options;
    g->records.profile = options->profile;
    g->records.event64 =
        stf_profiles[options->profile].event64 && header->isa == ASSAY_EXECUTION_RISCV64;
    g->header = header;
    g->out = generated;
    g->diag = diag;
    g->isa = header->isa == ASSAY_EXECUTION_RISCV32 ? RV_32 : RV_64;
    g->walks = stf_walks_traced(execution, options);
    g->words[0].info = rv_classify(0, g->isa);
    const enum assay_error error = generate(g, execution, sink);
    free(g);
    return error;
}
