#include "recorder.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/bytes.h"
#include "normalize.h"
#include "retire.h"

enum {
    CLOCK_INTERVAL = 1024, /* instructions between two clock samples */
    BUDGET = 4096,         /* instructions that a thread takes from the limit at a time */

    /* Linux system calls by their generic numbers, which AArch64 and RISC-V share. */
    CALL_KILL = 129,
    CALL_TKILL = 130,
    CALL_TGKILL = 131,
    CALL_RT_SIGQUEUEINFO = 138,
    CALL_RT_SIGRETURN = 139,
    CALL_RT_TGSIGQUEUEINFO = 240,
    CALL_EXECVE = 221,
    CALL_EXECVEAT = 281
};

void recorder_say(const struct recorder *recorder, struct assay_diag *diag)
{
    char text[sizeof diag->path + sizeof diag->message + 64];
    if (diag->path[0] == '\0') {
        assay_diag_path(diag, recorder->path);
    }
    assay_diag_format(diag, text, sizeof text);
    fprintf(stderr, "assay-recorder: %s\n", text);
}

void recorder_stop(struct recorder *recorder, enum assay_execution_reason reason,
                   const char *message)
{
    bool before = false;
    if (!atomic_compare_exchange_strong(&recorder->stopped, &before, true)) {
        return;
    }
    recorder->reason = reason;
    if (message != NULL) {
        fprintf(stderr, "assay-recorder: recording stops: %s\n", message);
    }
}

uint64_t recorder_now(const struct recorder *recorder)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000 - recorder->start;
}

/* An error of the writer is the sink's, or of a value that cannot be recorded. */
static void check(struct recorder *recorder, enum assay_error error)
{
    if (error == ASSAY_LIMIT) {
        recorder_stop(recorder, ASSAY_EXECUTION_ENDED_BY_FAILED,
                      "an instruction makes more accesses than can be recorded");
    } else if (error != ASSAY_OK) {
        recorder_stop(recorder, ASSAY_EXECUTION_ENDED_BY_FAILED,
                      recorder->sink.error != ASSAY_OK && recorder->sink.system_errno != 0
                          ? strerror(recorder->sink.system_errno)
                          : assay_error_text(error));
    }
}

/* More budget for the thread, or the end of recording: false. */
static bool refill(struct recorder *recorder, struct recorder_thread *thread)
{
    if (!recorder->limited) {
        thread->budget = UINT64_MAX;
        return true;
    }
    uint64_t left = atomic_load(&recorder->left);
    uint64_t take = 0;
    do {
        take = left < BUDGET ? left : BUDGET;
    } while (!atomic_compare_exchange_weak(&recorder->left, &left, left - take));
    thread->budget = take;
    if (take == 0) {
        recorder_stop(recorder, ASSAY_EXECUTION_ENDED_BY_LIMIT, NULL);
    }
    return take > 0;
}

static void put_instruction(struct recorder *recorder, struct recorder_thread *thread,
                            const struct recorder_instruction *now, struct assay_access *access,
                            unsigned accesses)
{
    if (now->address == recorder->until) {
        atomic_store(&recorder->left, 0);
        thread->budget = 0;
    }
    if (thread->budget == 0 && !refill(recorder, thread)) {
        return;
    }
    --thread->budget;
    if (--thread->until_clock == 0) {
        thread->until_clock = CLOCK_INTERVAL;
        check(recorder, assay_execution_put_clock(thread->track, recorder_now(recorder)));
    }
    if (now->rule != NORMALIZE_NOTHING && accesses <= ASSAY_EXECUTION_ACCESSES_MAX) {
        accesses = normalize_accesses(now->rule, access, accesses);
    }
    const enum assay_error error = assay_execution_put_instruction(
        thread->track, now->address, now->word, now->size, access, accesses);
    if (error != ASSAY_OK) {
        check(recorder, error);
    }
}

/* --- what is held back of a machine --- */

static void put_trap(struct recorder *recorder, struct recorder_thread *thread,
                     const struct levels_trap *trap)
{
    const struct assay_executed item = {.level = trap->level,
                                        .cause = trap->cause,
                                        .from = trap->address,
                                        .fault = trap->value,
                                        .number = trap->call,
                                        .status = trap->status};
    check(recorder, assay_execution_put_trap(thread->track, &item));
}

/* Machine mode translates nothing. */
static void put_walks(struct recorder *recorder, struct recorder_thread *thread,
                      const struct walks_held *walked)
{
    enum { SUPERVISOR = 1 };
    for (unsigned i = 0; i < walked->count && thread->put_level <= SUPERVISOR; i++) {
        if (walks_take(thread->walks, walked->space, &walked->walk[i])) {
            check(recorder, assay_execution_put_walk(thread->track, &walked->walk[i]));
        }
    }
}

static void put_oldest(struct recorder *recorder, struct recorder_thread *thread)
{
    struct levels_item *item = levels_oldest(thread->levels);
    const struct recorder_instruction instruction = {
        .address = item->address, .word = item->word, .size = item->size, .rule = item->rule};
    struct assay_execution_track *track = thread->track;
    if (item->has_level) {
        thread->put_level = item->level;
        check(recorder, assay_execution_put_level(track, item->level));
    }
    if (item->has_diverted) {
        check(recorder, assay_execution_put_diverted(track));
    }
    if (item->has_trap) {
        thread->put_level = item->trap.level;
        put_trap(recorder, thread, &item->trap);
    }
    put_walks(recorder, thread, &item->walks);
    if (item->kind == LEVELS_INSTRUCTION) {
        memcpy(thread->put, item->access, item->accesses * sizeof item->access[0]);
        put_instruction(recorder, thread, &instruction, thread->put, item->accesses);
    } else if (item->kind == LEVELS_ABORTED && item->has_fault) {
        check(recorder, assay_execution_put_aborted_at(track, item->address, item->word, item->size,
                                                       item->fault));
    } else if (item->kind == LEVELS_ABORTED) {
        check(recorder, assay_execution_put_aborted(track, item->address, item->word, item->size));
    }
    levels_take_oldest(thread->levels);
}

static void put_all_held(struct recorder *recorder, struct recorder_thread *thread)
{
    while (levels_oldest(thread->levels) != NULL && !atomic_load(&recorder->stopped)) {
        put_oldest(recorder, thread);
    }
}

void recorder_told(const struct recorder *recorder, struct recorder_thread *thread,
                   const struct assay_access *access, uint64_t physical)
{
    const uint64_t at = physical - recorder->blocks;
    if (recorder->has_blocks && access->write && access->size == 8 && at % 8 == 0 &&
        at < LEVELS_COUNT * LEVELS_BLOCK_SIZE) {
        thread->told = (int)(at / 8);
        thread->told_value = access->content;
    }
}

void recorder_translated(const struct recorder *recorder, struct recorder_thread *thread,
                         const struct assay_access *access, uint64_t physical)
{
    const uint64_t page = ~assay_mask(ASSAY_WALK_PAGE_LOG2_MIN);
    const uint64_t last = access->address + access->size - 1;
    if (thread->walks == NULL) {
        return;
    }
    walks_use(thread->walks, &recorder->contents, access->address, physical, true, &thread->walked);
    if (((access->address ^ last) & page) != 0) {
        walks_use(thread->walks, &recorder->contents, last, WALKS_ANYWHERE, true, &thread->walked);
    }
}

/* The instruction in progress is fetched. */
static void fetch(const struct recorder *recorder, struct recorder_thread *thread)
{
    thread->walked.count = 0;
    if (thread->walks != NULL) {
        walks_use(thread->walks, &recorder->contents, thread->now.address, thread->now.physical,
                  false, &thread->walked);
    }
}

/* A write of satp is of the value that the program told before. */
static void note_satp(struct recorder_thread *thread)
{
    struct levels *levels = thread->levels;
    if (thread->walks != NULL && walks_write_satp(thread->now.word)) {
        thread->walks->known = levels->root_known;
        thread->walks->satp = levels->root;
        levels->root_known = false;
    }
}

/* It told the last word of a trap. */
static void note_fault(struct recorder_thread *thread, unsigned level)
{
    enum { INST_PAGE_FAULT = 12, LOAD_PAGE_FAULT = 13, STORE_PAGE_FAULT = 15 };
    const uint64_t *block = thread->levels->block[level];
    const uint64_t cause = block[LEVELS_CAUSE];
    if (thread->walks != NULL &&
        (cause == INST_PAGE_FAULT || cause == LOAD_PAGE_FAULT || cause == STORE_PAGE_FAULT)) {
        walks_forget(thread->walks, block[LEVELS_VALUE]);
    }
}

/* What became of the instruction in progress: held back, and told with what it tells. */
static void hold(struct recorder *recorder, struct recorder_thread *thread,
                 enum levels_item_kind kind)
{
    const struct recorder_instruction *now = &thread->now;
    struct levels *levels = thread->levels;
    struct levels_item item = {.kind = kind,
                               .address = now->address,
                               .word = now->word,
                               .size = now->size,
                               .rule = now->rule,
                               .walks = thread->walked};
    if (levels->count == LEVELS_HELD) {
        put_oldest(recorder, thread);
    }
    if (thread->accesses > LEVELS_ACCESSES) { /* more than handlers make before they tell */
        put_all_held(recorder, thread);
        put_walks(recorder, thread, &thread->walked);
        put_instruction(recorder, thread, now, thread->access, thread->accesses);
        return;
    }
    if (kind == LEVELS_INSTRUCTION) {
        item.accesses = thread->accesses;
        memcpy(item.access, thread->access, item.accesses * sizeof item.access[0]);
    }
    levels_add(levels, &item);
    if (kind == LEVELS_INSTRUCTION && thread->told >= 0) {
        const unsigned level = (unsigned)thread->told / LEVELS_WORDS;
        const unsigned word = (unsigned)thread->told % LEVELS_WORDS;
        levels_told(levels, level, word, thread->told_value);
        if (word == LEVELS_STATUS) {
            note_fault(thread, level);
        }
    }
    if (kind == LEVELS_INSTRUCTION) {
        note_satp(thread);
    }
}

/* --- what became of the instruction in progress --- */

static void put_now(struct recorder *recorder, struct recorder_thread *thread)
{
    if (thread->levels != NULL) {
        hold(recorder, thread, LEVELS_INSTRUCTION);
    } else {
        put_instruction(recorder, thread, &thread->now, thread->access, thread->accesses);
    }
}

static void put_diverted(struct recorder *recorder, struct recorder_thread *thread)
{
    if (thread->levels != NULL) {
        thread->levels->diverted = true;
    } else {
        check(recorder, assay_execution_put_diverted(thread->track));
    }
}

/* Not where QEMU failed to fetch what follows the instruction. */
static bool has_fault(const struct recorder_thread *thread)
{
    const uint64_t behind = thread->now.address + thread->now.size;
    return thread->fault.known && thread->fault.address - behind >= 4;
}

static void put_aborted(struct recorder *recorder, struct recorder_thread *thread)
{
    const struct recorder_instruction *now = &thread->now;
    if (thread->levels != NULL) {
        hold(recorder, thread, LEVELS_ABORTED);
    } else if (has_fault(thread)) {
        check(recorder, assay_execution_put_aborted_at(thread->track, now->address, now->word,
                                                       now->size, thread->fault.address));
    } else {
        check(recorder,
              assay_execution_put_aborted(thread->track, now->address, now->word, now->size));
    }
}

/* Decides what became of the instruction in progress, now that the thread is at `next`. */
static void settle(struct recorder *recorder, struct recorder_thread *thread, uint64_t next)
{
    const struct recorder_instruction *now = &thread->now;
    thread->begun = false;
    if (next == now->address + now->size) {
        put_now(recorder, thread);
        return;
    }
    const struct retire_facts facts = {.address = now->address,
                                       .word = now->word,
                                       .size = now->size,
                                       .ends_block = now->ends_block,
                                       .accesses = thread->accesses,
                                       .next = next,
                                       .system = recorder->system};
    switch (retire_fate_of(recorder->isa, &facts)) {
    case RETIRE_DONE:
        put_now(recorder, thread);
        break;
    case RETIRE_DONE_AND_DIVERTED:
        put_now(recorder, thread);
        put_diverted(recorder, thread);
        break;
    case RETIRE_ABORTED:
        put_aborted(recorder, thread);
        break;
    case RETIRE_RESTARTED:
        break;
    }
}

/* After a system call a thread continues after it, repeats it, or returns from a handler. */
static void settle_call(struct recorder *recorder, struct recorder_thread *thread, uint64_t next)
{
    const struct recorder_instruction *now = &thread->now;
    thread->called = false;
    if (next != now->address + now->size && next != now->address && !thread->returns_from_handler) {
        check(recorder, assay_execution_put_diverted(thread->track));
    }
}

/* Calls after which the process may be gone without another word: what there is must be in the
 * file, and end well. If the program lives on, so does the recording. */
static void prepare_for_death(struct recorder *recorder, struct recorder_thread *thread,
                              uint64_t number)
{
    enum assay_execution_reason reason = ASSAY_EXECUTION_ENDED_BY_KILL;
    switch (number) {
    case CALL_EXECVE:
    case CALL_EXECVEAT:
        reason = ASSAY_EXECUTION_ENDED_BY_EXEC;
        break;
    case CALL_KILL:
    case CALL_TKILL:
    case CALL_TGKILL:
    case CALL_RT_SIGQUEUEINFO:
    case CALL_RT_TGSIGQUEUEINFO:
        break;
    default:
        return;
    }
    check(recorder, assay_execution_track_flush(thread->track));
    check(recorder, assay_execution_writer_end(recorder->writer, reason));
}

void recorder_system_call(struct recorder *recorder, struct recorder_thread *thread,
                          uint64_t number, const uint64_t args[6])
{
    if (!thread->begun) {
        return; /* its instruction has not been seen */
    }
    thread->begun = false;
    put_now(recorder, thread);
    if (atomic_load(&recorder->stopped)) {
        return;
    }
    thread->called = true;
    thread->returns_from_handler = number == CALL_RT_SIGRETURN;
    check(recorder, assay_execution_put_clock(thread->track, recorder_now(recorder)));
    check(recorder, assay_execution_put_system_call(thread->track, number, args));
    prepare_for_death(recorder, thread, number);
}

void recorder_system_return(struct recorder *recorder, struct recorder_thread *thread,
                            uint64_t number, int64_t value)
{
    if (!thread->called) {
        return;
    }
    check(recorder, assay_execution_put_clock(thread->track, recorder_now(recorder)));
    check(recorder, assay_execution_put_system_return(thread->track, number, value));
}

void recorder_before_call(struct recorder *recorder, struct recorder_thread *thread,
                          uint64_t number, const uint64_t args[6])
{
    /* A thread that makes a call reads no more, also where a read was left by a signal. */
    atomic_store(&thread->reading, false);
    if (!recorder->contents.wanted || !contents_are_withdrawn_by(number, args)) {
        return;
    }
    thread->withdrawing = true;
    contents_withdraw(&recorder->contents);
    for (unsigned i = 0; i < RECORDER_THREADS; ++i) {
        struct recorder_thread *other = atomic_load(&recorder->threads[i]);
        while (other != NULL && atomic_load(&other->reading)) {
            sched_yield();
        }
    }
}

void recorder_after_call(struct recorder *recorder, struct recorder_thread *thread)
{
    if (thread->withdrawing) {
        thread->withdrawing = false;
        contents_restore(&recorder->contents);
    }
}

static struct levels *new_levels(const struct recorder *recorder)
{
    struct levels *levels = calloc(1, sizeof *levels);
    if (levels != NULL) {
        levels->isa = recorder->isa;
        levels->level = recorder->has_blocks ? recorder->level : LEVELS_UNKNOWN;
        levels->level_changed = true;
    }
    return levels;
}

/* What a thread of a machine has beyond one of a program. False: no memory. */
static bool begin_machine(const struct recorder *recorder, struct recorder_thread *thread)
{
    thread->levels = new_levels(recorder);
    thread->put_level = LEVELS_UNKNOWN;
    if (recorder->isa == ASSAY_EXECUTION_RISCV64 && recorder->has_blocks) {
        thread->walks = calloc(1, sizeof *thread->walks);
        return thread->levels != NULL && thread->walks != NULL;
    }
    return thread->levels != NULL;
}

static void free_thread(struct recorder_thread *thread)
{
    if (thread != NULL) {
        free(thread->levels);
        free(thread->walks);
        free(thread);
    }
}

void recorder_thread_start(struct recorder *recorder, unsigned vcpu)
{
    struct recorder_thread *thread = calloc(1, sizeof *thread);
    _Atomic(struct recorder_thread *) *slot = &recorder->threads[vcpu % RECORDER_THREADS];
    if (thread == NULL || atomic_load(slot) != NULL) {
        free_thread(thread);
        recorder_stop(recorder, ASSAY_EXECUTION_ENDED_BY_FAILED, "too many threads at a time");
        return;
    }
    if (recorder->system && !begin_machine(recorder, thread)) {
        free_thread(thread);
        recorder_stop(recorder, ASSAY_EXECUTION_ENDED_BY_FAILED, "no memory");
        return;
    }
    atomic_store(&recorder->alone, recorder->threads_made++ == 0);
    thread->vcpu = vcpu;
    thread->until_clock = CLOCK_INTERVAL;
    atomic_store_explicit(slot, thread, memory_order_release);
}

/* At the first instruction, for only there the thread runs that QEMU made for it. */
static bool open_track(struct recorder *recorder, struct recorder_thread *thread)
{
    const enum assay_error error =
        assay_execution_track_open(recorder->writer, recorder->system ? 0 : (uint64_t)gettid(),
                                   recorder_now(recorder), &thread->track);
    if (error != ASSAY_OK) {
        recorder_stop(recorder, ASSAY_EXECUTION_ENDED_BY_FAILED,
                      error == ASSAY_LIMIT ? "too many threads" : assay_error_text(error));
    } else if (recorder->contents.wanted) {
        assay_execution_record_contents(thread->track);
    }
    faults_note_in(&thread->fault);
    return error == ASSAY_OK;
}

void recorder_begin(struct recorder *recorder, struct recorder_thread *thread,
                    const struct recorder_instruction *instruction)
{
    if (thread->begun) {
        settle(recorder, thread, instruction->address);
    } else if (thread->called) {
        settle_call(recorder, thread, instruction->address);
    }
    if (thread->track == NULL && !open_track(recorder, thread)) {
        return;
    }
    thread->now = *instruction;
    thread->fault.known = false;
    thread->accesses = 0;
    thread->told = -1;
    fetch(recorder, thread);
    thread->begun = true;
}

/* A thread's last instruction, if it is still open when nothing follows: it ran if its block did.
 */
static void close_thread(struct recorder *recorder, struct recorder_thread *thread, bool ended)
{
    if (thread->begun && thread->now.ends_block && !atomic_load(&recorder->stopped)) {
        put_now(recorder, thread);
    }
    if (thread->levels != NULL && thread->track != NULL) {
        put_all_held(recorder, thread);
    }
    if (ended && thread->track != NULL) {
        check(recorder, assay_execution_put_clock(thread->track, recorder_now(recorder)));
    }
    const enum assay_error error = assay_execution_track_close(thread->track, ended);
    check(recorder, error);
    free_thread(thread);
}

void recorder_thread_end(struct recorder *recorder, unsigned vcpu)
{
    struct recorder_thread *thread = recorder_thread_of(recorder, vcpu);
    if (thread != NULL) {
        atomic_store(&recorder->threads[vcpu % RECORDER_THREADS], NULL);
        if (recorder->limited) {
            atomic_fetch_add(&recorder->left, thread->budget);
            thread->budget = 0;
        }
        faults_note_in(NULL);
        close_thread(recorder, thread, true);
    }
}

void recorder_finish(struct recorder *recorder)
{
    if (recorder->finished) {
        return;
    }
    recorder->finished = true;
    faults_end();
    const bool stopped = atomic_load(&recorder->stopped);
    for (unsigned i = 0; i < RECORDER_THREADS; ++i) {
        struct recorder_thread *thread = atomic_load(&recorder->threads[i]);
        if (thread != NULL) {
            atomic_store(&recorder->threads[i], NULL);
            close_thread(recorder, thread, !stopped);
        }
    }
    atomic_store(&recorder->stopped, true);
    (void)assay_execution_writer_end(recorder->writer, recorder->reason);
    assay_execution_writer_close(recorder->writer);
    struct assay_diag diag = {0};
    if (assay_sink_close(&recorder->sink, &diag) != ASSAY_OK) {
        recorder_say(recorder, &diag);
    }
    free(recorder->path);
    recorder->path = NULL;
}
