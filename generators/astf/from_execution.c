#include "generators/astf/from_execution.h"

#include <stdio.h>
#include <string.h>

#include "astf/access.h"
#include "astf/astf.h"
#include "generators/astf/exclusive.h"
#include "generators/astf/state.h"
#include "generators/replay.h"
#include "isa/a64.h"

enum { STRING_FIRST = 28, STRING_NEXT = 31, METADATA_MAX = 65535 };

struct generator {
    const struct astf_generate_options *options;
    struct assay_encoder *encoder;
    struct astf_generated *out;
    enum assay_error error;
    uint32_t process;
    uint64_t system_id;
    bool all_accesses;  /* the recording has them */
    bool started;       /* the thread's first instruction has been seen */
    bool finished;      /* the limit is reached, and where the last instruction led is known */
    bool context_due;   /* a Context has to precede the next Instruction */
    uint64_t last_time; /* of the last Timestamp */
    bool any_time;
    uint64_t since_time; /* instructions since the last Timestamp */
    struct astf_state state;
    struct astf_shown shown; /* by the last Context */
    struct astf_exclusive exclusive;
    /* The instruction that waits for its successor: a branch shows where it went only then. */
    bool pending;
    uint64_t pc;
    uint32_t iword;
    struct astf_accesses accesses;
    struct a64_cache classes;
    /* Of a machine. A trap waits for the first instruction of its handler, whose address its record
     * gives, and an attempt for the trap that aborted it. */
    bool system;
    bool attempted, trapped, diverted;
    struct assay_executed attempt, trap;
    uint8_t level;
    uint8_t next_level; /* after the pending instruction, ... */
    bool level_changes; /* ... which leaves `level` */
    bool level_lost;    /* the recording does not show it */
};

static void put(struct generator *g, enum astf_kind kind, const uint8_t *record)
{
    const struct assay_event event = {
        .bytes = record, .bits = ASTF_RECORD_BITS, .kind = (uint16_t)kind};
    if (g->error == ASSAY_OK) {
        g->error = assay_format_astf.encoder->put(g->encoder, &event, NULL);
        g->out->records++;
    }
}

static void begin(enum astf_kind kind, uint8_t *record)
{
    assay_kind_clear(&assay_format_astf.kinds[kind], record);
}

/* A trace of a machine is BasicPlus. */
static void put_header(struct generator *g)
{
    uint8_t r[ASTF_RECORD_BYTES];
    const char *storage = g->options->storage != NULL ? g->options->storage : "raw";
    begin(ASTF_header, r);
    astf_set(r, header, version_minor, 11);
    astf_set(r, header, single_el, !g->system);
    astf_set(r, header, timestamps, g->options->timestamps);
    astf_set(r, header, compressed, strcmp(storage, "raw") != 0);
    astf_set(r, header, use_zlib, strcmp(storage, "zlib") == 0 || strcmp(storage, "gzip") == 0);
    put(g, ASTF_header, r);
}

/* 4.8: one metadata string; an empty one is left out. */
static void put_string(struct generator *g, const char *text)
{
    uint8_t r[ASTF_RECORD_BYTES];
    size_t left = text != NULL ? strnlen(text, METADATA_MAX) : 0;
    if (left == 0) {
        return;
    }
    size_t here = left < STRING_FIRST ? left : STRING_FIRST;
    begin(ASTF_string, r);
    astf_set(r, string, size, left);
    memcpy(r + 4, text, here);
    put(g, ASTF_string, r);
    for (left -= here, text += here; left > 0; left -= here, text += here) {
        here = left < STRING_NEXT ? left : STRING_NEXT;
        begin(ASTF_string_cont, r);
        memcpy(r + 1, text, here);
        put(g, ASTF_string_cont, r);
    }
}

/* The description of the recording, and the metadata that the user gives. */
static void put_metadata(struct generator *g, const struct assay_execution_header *header)
{
    char text[METADATA_MAX + 1];
    if (g->options->describe && header->program[0] != '\0') {
        snprintf(text, sizeof text, "workload: %s", header->program);
        put_string(g, text);
    }
    if (g->options->describe && header->producer[0] != '\0') {
        snprintf(text, sizeof text, "source: %s", header->producer);
        put_string(g, text);
    }
    if (g->options->describe && g->options->timestamps && header->epoch != 0) {
        snprintf(text, sizeof text, "time 0: %llu microseconds from 1970-01-01 UTC",
                 (unsigned long long)header->epoch);
        put_string(g, text);
    }
    put_string(g, g->options->metadata);
}

/* 4.9: strictly increasing; one that would repeat the last is left out. */
static void put_timestamp(struct generator *g, uint64_t time)
{
    uint8_t r[ASTF_RECORD_BYTES];
    if (!g->options->timestamps || (g->any_time && time <= g->last_time)) {
        return;
    }
    begin(ASTF_timestamp, r);
    astf_set(r, timestamp, unit, 1);
    astf_set(r, timestamp, value0, time);
    put(g, ASTF_timestamp, r);
    g->any_time = true;
    g->last_time = time;
    g->since_time = 0;
}

static void put_context(struct generator *g)
{
    uint8_t r[ASTF_RECORD_BYTES];
    g->shown = astf_state_shown(&g->state);
    begin(ASTF_context, r);
    astf_set(r, context, pstate_sm, g->shown.sm);
    astf_set(r, context, pstate_dit, g->shown.dit);
    astf_set(r, context, pstate_ssbs, g->shown.ssbs);
    astf_set(r, context, mte_tcf, g->shown.mte_tcf);
    astf_set(r, context, evl, g->shown.evl);
    astf_set(r, context, el, g->level);
    astf_set(r, context, secure, g->level == 3); /* of lower levels it is not recorded */
    /* An exception selects SP_ELx; that a handler went on with SP_EL0 is not recorded. */
    astf_set(r, context, handler, g->level > 0);
    if (g->process != 0) {
        astf_set(r, context, pid_valid, 1);
        astf_set(r, context, pid, g->process);
        if (g->system_id != 0) {
            astf_set(r, context, tid_valid, 1);
            astf_set(r, context, tid, g->system_id);
        }
    }
    put(g, ASTF_context, r);
    g->context_due = false;
}

/* 4.6: the accesses after the first, two in a record. */
static void put_extra_eas(struct generator *g)
{
    const struct astf_accesses *a = &g->accesses;
    for (unsigned i = 1; i < a->count; i += 2) {
        uint8_t r[ASTF_RECORD_BYTES];
        begin(ASTF_extra_ea, r);
        astf_set(r, extra_ea, mem0_addr, a->list[i].address);
        astf_set(r, extra_ea, mem0_size, a->list[i].size - 1);
        astf_set(r, extra_ea, mem0_is_read, a->list[i].read);
        astf_set(r, extra_ea, mem0_is_write, a->list[i].write);
        if (i + 1 < a->count) {
            astf_set(r, extra_ea, mem1_valid, 1);
            astf_set(r, extra_ea, mem1_addr, a->list[i + 1].address);
            astf_set(r, extra_ea, mem1_size, a->list[i + 1].size - 1);
            astf_set(r, extra_ea, mem1_is_read, a->list[i + 1].read);
            astf_set(r, extra_ea, mem1_is_write, a->list[i + 1].write);
        }
        astf_set(r, extra_ea, extra_eas, i + 2 < a->count);
        put(g, ASTF_extra_ea, r);
    }
}

/* The outcome of a branch: known from the next instruction, or from the word. */
static void set_branch(const struct generator *g, uint64_t info, bool next_known, uint64_t next,
                       uint8_t *r)
{
    const uint64_t direct = a64_direct_target(g->iword, g->pc);
    const bool is_direct = a64_info_is_direct(info) != 0;
    bool taken = a64_info_is_conditional(info) == 0;
    uint64_t target = is_direct ? direct : next;
    if (!taken && next_known) {
        taken = next == direct && next != g->pc + 4;
    }
    if (!is_direct && !next_known) {
        taken = false;
    }
    astf_set(r, instr, is_branch, 1);
    if (taken) {
        astf_set(r, instr, ea_valid, 1);
        astf_set(r, instr, ea, target);
    }
}

/* Addresses without an access that follow from the word and earlier instructions: of a PC-relative
 * prefetch, and of a store exclusive that failed. */
static void set_address(struct generator *g, uint64_t info, uint8_t *r)
{
    uint64_t address = 0;
    const bool failed = a64_info_is_exclusive(info) != 0 && a64_info_writes(info) != 0 &&
                        astf_exclusive_address(&g->exclusive, g->iword, &address);
    if (a64_info_is_literal(info) != 0 && a64_info_is_address_operation(info) != 0) {
        astf_set(r, instr, ea_valid, 1);
        astf_set(r, instr, ea, a64_literal_address(g->iword, g->pc));
    } else if (failed) {
        astf_set(r, instr, ea_valid, 1);
        astf_set(r, instr, ea, address);
        astf_set(r, instr, ea_size, a64_info_access_bytes(info) - 1);
    } else {
        /* Instructions on tags alone access nothing where memory has no tags, and those under a
         * predicate where it selects nothing, which a recording shows that has all accesses. */
        const bool none = a64_info_is_predicated(info) != 0 && g->all_accesses;
        const bool without =
            (a64_info_is_memory(info) != 0 || a64_info_is_address_operation(info) != 0) &&
            a64_info_is_tag_only(info) == 0;
        g->out->without_access += without;
        g->out->lacking += without && !none;
    }
}

static void set_accesses(struct generator *g, uint64_t info, uint8_t *r)
{
    const struct astf_accesses *a = &g->accesses;
    if (a->count == 0) {
        set_address(g, info, r);
        return;
    }
    astf_set(r, instr, ea_valid, 1);
    astf_set(r, instr, ea, a->list[0].address);
    astf_set(r, instr, ea_size, a->list[0].size - 1);
    astf_set(r, instr, is_read, a->list[0].read);
    astf_set(r, instr, is_write, a->list[0].write);
    astf_set(r, instr, extra_eas, a->count > 1);
}

/* 4.7: of the exception that is told, or, with null, of the return to the target. */
static void put_trap(struct generator *g, const struct assay_executed *told, uint64_t target,
                     uint32_t iword)
{
    enum { SYNC, SERROR, IRQ, FIQ, ERET, CALLS = 0x15 };
    /* By the vector. */
    static const unsigned types[] = {SYNC, IRQ, FIQ, SERROR};
    uint8_t r[ASTF_RECORD_BYTES];
    const unsigned type = told == NULL ? ERET : types[target >> 7 & 3];
    begin(ASTF_trap, r);
    astf_set(r, trap, trap_type, type);
    astf_set(r, trap, target_pc, target);
    if (type == SYNC || type == SERROR) {
        const unsigned ec = (unsigned)(told->cause >> 26) & 0x3f;
        astf_set(r, trap, ec, ec);
        if (ec >= CALLS && ec < CALLS + 3) {
            astf_set(r, trap, syscall_type, ec & 3);
            astf_set(r, trap, syscall_index, iword >> 5 & 0xffff);
        }
    }
    put(g, ASTF_trap, r);
    g->context_due = true;
}

static bool is_trapping_call(const struct generator *g, uint64_t info)
{
    const unsigned class = a64_info_class(info);
    return class == A64_SVC || (g->system && (class == A64_HVC || class == A64_SMC));
}

/* Writes the pending instruction. With `next_known`, control went on to `next` by itself. */
static void put_pending(struct generator *g, bool next_known, uint64_t next)
{
    uint8_t r[ASTF_RECORD_BYTES];
    const uint64_t info = a64_cache_classify(&g->classes, g->iword);
    const bool call = is_trapping_call(g, info);
    const bool returns = g->system && a64_info_is_exception_return(info) != 0;
    if (returns && !next_known) {
        g->pending = false; /* its Trap would have to give the target */
        return;
    }
    if (g->context_due) {
        put_context(g);
    }
    begin(ASTF_instr, r);
    astf_set(r, instr, pc, g->pc);
    astf_set(r, instr, iword, g->iword);
    astf_set(r, instr, trap, call); /* 4.5.3.1 */
    if (a64_info_is_branch(info) != 0) {
        set_branch(g, info, next_known, next, r);
    } else {
        set_accesses(g, info, r);
    }
    put(g, ASTF_instr, r);
    put_extra_eas(g);
    astf_state_instruction(&g->state, g->iword, info);
    astf_exclusive_instruction(&g->exclusive, g->iword, info, g->accesses.count > 0,
                               g->accesses.list[0].address);
    const bool branched = astf_get(r, instr, is_branch) != 0 && astf_get(r, instr, ea_valid) != 0;
    const uint64_t expected = branched ? astf_get(r, instr, ea) : g->pc + 4;
    /* 3.1: a Context wherever execution goes on elsewhere, and after every system call. 4.4: and
     * where its state has changed. */
    g->context_due = call || !next_known || next != expected;
    g->pending = false;
    g->since_time++;
    g->out->instructions++;
    if (returns) {
        put_trap(g, NULL, next, 0);
    }
}

static void flush(struct generator *g, bool next_known, uint64_t next)
{
    if (g->pending) {
        put_pending(g, next_known, next);
    }
    if (g->level_changes) {
        g->level = g->next_level;
        g->context_due = true;
        g->level_changes = false;
    }
}

/* --- the traps of a machine --- */

/* The bytes of an access that failed, as far as the word says them: of a vector those of an
 * element. */
static unsigned failed_bytes(uint64_t info)
{
    const unsigned bytes = a64_info_access_bytes(info);
    return bytes > 0 ? bytes : 1U << a64_info_access_log2(info);
}

/* 4.5.3.2: an access that took a Data Abort has an address, which can be that of FAR_ELx, and took
 * place neither as a read nor as a write. Of a range a last access without a range would show it.
 */
static void set_failed(struct generator *g, uint64_t info, uint8_t *r)
{
    enum { ABORT = 0x24, CLASS = 26 };
    const bool memory = a64_info_is_memory(info) != 0 && a64_info_is_range(info) == 0;
    const bool aborted = (g->trap.cause >> CLASS & 0x3e) == ABORT;
    if (!g->attempt.fault_known) {
        g->out->without_access += memory && aborted;
        g->out->lacking += memory && aborted;
    } else if (memory) {
        astf_set(r, instr, ea_valid, 1);
        astf_set(r, instr, ea, g->attempt.fault);
        astf_set(r, instr, ea_size, failed_bytes(info) - 1);
    }
}

/* An instruction that was aborted, before its Trap. */
static void put_attempt(struct generator *g)
{
    uint8_t r[ASTF_RECORD_BYTES];
    const uint64_t info = a64_cache_classify(&g->classes, g->attempt.word);
    if (g->context_due) {
        put_context(g);
    }
    begin(ASTF_instr, r);
    astf_set(r, instr, pc, g->attempt.address);
    astf_set(r, instr, iword, g->attempt.word);
    astf_set(r, instr, trap, 1);
    astf_set(r, instr, is_branch, a64_info_is_branch(info));
    if (a64_info_is_branch(info) == 0) {
        set_failed(g, info, r);
    }
    put(g, ASTF_instr, r);
    g->out->instructions++;
}

/* Writes what waited for the handler, which begins at this address. */
static void finish_trap(struct generator *g, uint64_t handler)
{
    const bool call = g->pending && is_trapping_call(g, a64_cache_classify(&g->classes, g->iword));
    const uint32_t iword = g->iword;
    if (g->attempted) {
        put_attempt(g);
    } else {
        flush(g, true, call && (handler >> 7 & 3) == 0 ? g->pc + 4 : g->trap.from);
    }
    if (g->context_due && !g->attempted && !call) {
        put_context(g); /* it was taken where execution went on, or did not */
    }
    put_trap(g, &g->trap, handler, iword);
    g->level = g->trap.level;
    g->attempted = g->trapped = g->diverted = false;
    astf_exclusive_forget(&g->exclusive);
}

/* What waits is written before the next instruction, begun at this address. */
static void finish_waiting(struct generator *g, uint64_t next)
{
    if (g->trapped) {
        finish_trap(g, next);
        return;
    }
    flush(g, !g->diverted, next);
    g->context_due = g->context_due || g->attempted;
    g->attempted = g->diverted = false;
}

/* Of a machine the trap follows, if it is known. */
static void take_diverted_machine(struct generator *g, const struct assay_executed *item)
{
    if (item->aborted) {
        finish_waiting(g, item->address);
        g->attempt = *item;
    }
    g->attempted = item->aborted;
    g->diverted = !item->aborted;
}

static bool at_limit(const struct generator *g)
{
    return g->options->limit > 0 && g->out->instructions >= g->options->limit;
}

static bool state_changed(const struct generator *g)
{
    const struct astf_shown now = astf_state_shown(&g->state);
    return now.sm != g->shown.sm || now.dit != g->shown.dit || now.ssbs != g->shown.ssbs ||
           now.mte_tcf != g->shown.mte_tcf || now.evl != g->shown.evl;
}

static void take_instruction(struct generator *g, const struct assay_executed *item)
{
    finish_waiting(g, item->address);
    g->level_lost = g->system && g->level == ASSAY_EXECUTION_LEVEL_UNKNOWN;
    if (g->level_lost) {
        g->finished = true;
        return;
    }
    astf_state_access(&g->state, item);
    g->context_due = g->context_due || state_changed(g);
    if (at_limit(g)) {
        g->finished = true;
        return;
    }
    if (!g->started) {
        g->started = true;
        g->context_due = true;
        put_timestamp(g, item->time);
    } else if (g->context_due || g->since_time >= g->options->period) {
        put_timestamp(g, item->time);
    }
    g->pending = true;
    g->pc = item->address;
    g->iword = item->word;
    astf_accesses_from(item->access, item->accesses, &g->accesses);
}

static bool take(void *generator, const struct assay_executed *item)
{
    struct generator *g = generator;
    if (item->thread != g->options->thread) {
        return true;
    }
    switch (item->kind) {
    case ASSAY_EXECUTED_THREAD_START:
        g->system_id = item->system_id;
        break;
    case ASSAY_EXECUTED_INSTRUCTION:
        take_instruction(g, item);
        break;
    case ASSAY_EXECUTED_SYSTEM_CALL:
    case ASSAY_EXECUTED_SYSTEM_RETURN:
        flush(g, true, g->pc + 4); /* an SVC: its state is that before the call */
        astf_state_event(&g->state, item);
        astf_exclusive_forget(&g->exclusive);
        break;
    case ASSAY_EXECUTED_TRAP:
        g->trap = *item;
        g->trapped = true;
        break;
    case ASSAY_EXECUTED_LEVEL:
        g->next_level = item->level;
        g->level_changes = true;
        break;
    case ASSAY_EXECUTED_DIVERTED:
        if (g->system) {
            take_diverted_machine(g, item);
            break;
        }
        /* An instruction that was begun and aborted is the one that execution continued with. */
        flush(g, item->aborted, item->address);
        astf_state_event(&g->state, item);
        astf_exclusive_forget(&g->exclusive);
        g->context_due = true;
        g->finished = at_limit(g);
        break;
    default:
        break;
    }
    return !g->finished && g->error == ASSAY_OK;
}

/* The last instruction, after which nothing is known: an indirect branch would have to have its
 * target, and is left out. */
static void flush_last(struct generator *g)
{
    const uint64_t info = a64_cache_classify(&g->classes, g->iword);
    if (a64_info_is_branch(info) != 0 && a64_info_is_direct(info) == 0) {
        g->pending = false;
    }
    flush(g, false, 0);
}

enum assay_error astf_generate_from_execution(struct assay_execution *execution,
                                              const struct astf_generate_options *options,
                                              struct assay_sink *sink,
                                              struct astf_generated *generated,
                                              struct assay_diag *diag)
{
    const struct assay_execution_header *header = assay_execution_header(execution);
    struct generator g = {.options = options,
                          .out = generated,
                          .process = header->process,
                          .system = header->system,
                          .all_accesses = header->all_accesses,
                          .state = {.vl = options->evl, .svl = options->streaming_evl}};
    *generated = (struct astf_generated){0};
    a64_cache_init(&g.classes);
    if (header->isa != ASSAY_EXECUTION_AARCH64) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, 0,
                          "an ASTF trace is of AArch64 instructions, the execution is of %s",
                          assay_execution_isa_name(header->isa));
    }
    enum assay_error error =
        assay_format_astf.encoder->open(sink, options->storage, &g.encoder, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    put_header(&g);
    put_metadata(&g, header);
    error = replay(execution, take, &g, diag);
    if (error == ASSAY_OK) {
        flush_last(&g);
    }
    const enum assay_error closed = assay_format_astf.encoder->close(g.encoder);
    const enum assay_error put = g.error != ASSAY_OK ? g.error : closed;
    if (error == ASSAY_OK && put != ASSAY_OK) {
        return assay_sink_explain(sink, put, diag);
    }
    if (error == ASSAY_OK && g.level_lost) {
        return assay_fail(diag, ASSAY_UNSUPPORTED, ASSAY_NO_OFFSET,
                          "an ASTF trace has the exception level of each instruction, which the "
                          "recording does not show after instruction %llu",
                          (unsigned long long)generated->instructions);
    }
    if (error == ASSAY_OK && !g.started) {
        return assay_fail(diag, ASSAY_NOT_FOUND, ASSAY_NO_OFFSET,
                          "the execution has no instruction of thread %u", options->thread);
    }
    return error;
}
