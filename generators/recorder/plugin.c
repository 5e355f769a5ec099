/* The recorder as a plugin of QEMU's user mode:
 *     qemu-aarch64 -plugin ./libassay-recorder.so,out=FILE[,contents=on][,limit=N] PROGRAM
 * [ARGUMENT...]
 *
 * QEMU calls on_instruction before each instruction and on_read, on_write after each access that it
 * makes; a vcpu is a thread of the program. Callbacks of instructions never run while QEMU has the
 * vcpus stopped; those of system calls and of threads can, and take the lock. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "assay_commit.h"
#include "common/bytes.h"
#include "emulator.h"
#include "faults.h"
#include "normalize.h"
#include "options.h"
#include "qemu_plugin.h"
#include "recorder.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

enum {
    BLOCK_INSTRUCTIONS = 1020, /* descriptions of instructions in one allocation */
    HIGH_DESCRIPTOR = 700      /* out of the way of the program's own file descriptors */
};

/* Descriptions of translated instructions; freed whenever QEMU drops its translations. */
struct instruction_block {
    struct instruction_block *next;
    unsigned used;
    struct recorder_instruction at[BLOCK_INSTRUCTIONS];
};

/* QEMU hands no state through all of its callbacks; there is one recording in a process. */
static struct recorder the_recorder = {.lock = PTHREAD_MUTEX_INITIALIZER, .sink = {.fd = -1}};
static struct instruction_block *the_blocks;
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_stopped(void)
{
    return atomic_load_explicit(&the_recorder.stopped, memory_order_relaxed);
}

static void finish(void)
{
    pthread_mutex_lock(&the_recorder.lock);
    recorder_finish(&the_recorder);
    pthread_mutex_unlock(&the_recorder.lock);
}

static void on_reset(qemu_plugin_id_t id)
{
    (void)id;
    finish();
}

/* Once nothing more is recorded, a machine is ended, as its program does not end by itself. Other
 * programs may run at full speed. QEMU 7.2 takes callbacks away
 * safely only while there is one thread; with more they stay, and do nothing. */
static void give_up_callbacks(void)
{
    static atomic_bool done;
    if (the_recorder.system) {
        if (!atomic_exchange(&done, true)) {
            kill(getpid(), SIGTERM); /* upon which QEMU ends in order */
        }
    } else if (atomic_load(&the_recorder.alone) && !atomic_exchange(&done, true)) {
        qemu_plugin_reset(the_recorder.id, on_reset);
    }
}

static void on_instruction(unsigned vcpu, void *data)
{
    if (is_stopped()) {
        give_up_callbacks();
        return;
    }
    struct recorder_thread *thread = recorder_thread_of(&the_recorder, vcpu);
    if (thread != NULL) {
        recorder_begin(&the_recorder, thread, data);
    }
}

/* By physical address; of devices no contents are known. */
static void on_access_of_machine(struct recorder_thread *thread, qemu_plugin_meminfo_t info,
                                 uint64_t address)
{
    const struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, address);
    struct assay_access access = {.address = address,
                                  .size = 1u << qemu_plugin_mem_size_shift(info),
                                  .write = qemu_plugin_mem_is_store(info)};
    uint64_t physical = WALKS_ANYWHERE;
    if (where != NULL && !qemu_plugin_hwaddr_is_io(where)) {
        physical = qemu_plugin_hwaddr_phys_addr(where);
        access.content_known =
            contents_read(&the_recorder.contents, physical, access.size, NULL, &access.content);
        recorder_told(&the_recorder, thread, &access, physical);
    }
    recorder_translated(&the_recorder, thread, &access, physical);
    if (thread->accesses < ASSAY_EXECUTION_ACCESSES_MAX) {
        thread->access[thread->accesses] = access;
    }
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    (void)data;
    struct recorder_thread *thread = recorder_thread_of(&the_recorder, vcpu);
    if (thread == NULL || !thread->begun) {
        return;
    }
    if (the_recorder.system) {
        on_access_of_machine(thread, info, address);
    } else if (thread->accesses < ASSAY_EXECUTION_ACCESSES_MAX) {
        struct assay_access *access = &thread->access[thread->accesses];
        *access = (struct assay_access){.address = address,
                                        .size = 1u << qemu_plugin_mem_size_shift(info),
                                        .write = qemu_plugin_mem_is_store(info)};
        const struct contents *contents = &the_recorder.contents;
        if (contents->wanted) {
            const bool alone = atomic_load_explicit(&the_recorder.alone, memory_order_relaxed);
            access->content_known = contents_read(
                contents, address, access->size, alone ? NULL : &thread->reading, &access->content);
        }
    }
    ++thread->accesses;
}

static struct recorder_instruction *new_description(void)
{
    struct instruction_block *block = the_blocks;
    if (block == NULL || block->used == BLOCK_INSTRUCTIONS) {
        block = malloc(sizeof *block);
        if (block == NULL) {
            return NULL;
        }
        block->next = the_blocks;
        block->used = 0;
        the_blocks = block;
    }
    return &block->at[block->used++];
}

static bool describe(const struct qemu_plugin_insn *insn, bool ends_block,
                     struct recorder_instruction *out)
{
    const size_t size = qemu_plugin_insn_size(insn);
    const uint8_t *data = qemu_plugin_insn_data(insn);
    if (data == NULL || (size != 2 && size != 4)) {
        return false;
    }
    const void *host = qemu_plugin_insn_haddr(insn);
    out->address = qemu_plugin_insn_vaddr(insn);
    if (!the_recorder.system && host != NULL) {
        faults_watch((uint64_t)(uintptr_t)host - out->address);
    }
    if (the_recorder.contents.wanted &&
        !contents_learn(&the_recorder.contents, out->address, host, data, size)) {
        return false;
    }
    out->physical = contents_physical(&the_recorder.contents, host);
    out->word = size == 2 ? assay_load16(data) : assay_load32(data);
    out->size = (uint8_t)size;
    out->ends_block = ends_block;
    out->rule = (uint8_t)normalize_rule_of(the_recorder.isa, out->word, out->size);
    return true;
}

/* One callback for both directions: QEMU 7.2 mistakes the direction that a callback asks for. */
static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    const size_t count = qemu_plugin_tb_n_insns(tb);
    pthread_mutex_lock(&blocks_lock);
    for (size_t i = 0; i < count && !is_stopped(); ++i) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        struct recorder_instruction *description = new_description();
        if (description == NULL || !describe(insn, i + 1 == count, description)) {
            recorder_stop(&the_recorder, ASSAY_EXECUTION_ENDED_BY_FAILED,
                          "an instruction cannot be described");
            break;
        }
        if (the_recorder.system && !atomic_load(&the_recorder.contents.known)) {
            continue; /* of the machine's own, before the program */
        }
        qemu_plugin_register_vcpu_insn_exec_cb(insn, on_instruction, QEMU_PLUGIN_CB_NO_REGS,
                                               description);
        qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, NULL);
    }
    pthread_mutex_unlock(&blocks_lock);
}

/* All translations are gone, and with them all that points to the descriptions. */
static void on_flush(qemu_plugin_id_t id)
{
    (void)id;
    pthread_mutex_lock(&blocks_lock);
    while (the_blocks != NULL) {
        struct instruction_block *next = the_blocks->next;
        free(the_blocks);
        the_blocks = next;
    }
    pthread_mutex_unlock(&blocks_lock);
}

static void on_system_call(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1,
                           uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
                           uint64_t a7, uint64_t a8)
{
    (void)id;
    (void)a7;
    (void)a8;
    const uint64_t args[6] = {a1, a2, a3, a4, a5, a6};
    pthread_mutex_lock(&the_recorder.lock);
    struct recorder_thread *thread = recorder_thread_of(&the_recorder, vcpu);
    if (thread != NULL) {
        recorder_before_call(&the_recorder, thread, (uint64_t)number, args);
    }
    if (thread != NULL && !is_stopped()) {
        recorder_system_call(&the_recorder, thread, (uint64_t)number, args);
    }
    pthread_mutex_unlock(&the_recorder.lock);
}

static void on_system_return(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t value)
{
    (void)id;
    pthread_mutex_lock(&the_recorder.lock);
    struct recorder_thread *thread = recorder_thread_of(&the_recorder, vcpu);
    if (thread != NULL) {
        recorder_after_call(&the_recorder, thread);
    }
    if (thread != NULL && !is_stopped()) {
        recorder_system_return(&the_recorder, thread, (uint64_t)number, value);
    }
    pthread_mutex_unlock(&the_recorder.lock);
}

static void on_thread_start(qemu_plugin_id_t id, unsigned vcpu)
{
    (void)id;
    pthread_mutex_lock(&the_recorder.lock);
    if (!is_stopped()) {
        recorder_thread_start(&the_recorder, vcpu);
    }
    pthread_mutex_unlock(&the_recorder.lock);
}

static void on_thread_end(qemu_plugin_id_t id, unsigned vcpu)
{
    (void)id;
    pthread_mutex_lock(&the_recorder.lock);
    if (!is_stopped()) {
        recorder_thread_end(&the_recorder, vcpu);
    }
    pthread_mutex_unlock(&the_recorder.lock);
}

static void on_exit_of_program(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    finish();
}

/* The child of a fork has copies of all buffers and must write none of them; and of locks that
 * threads hold which it does not have. */
static void on_fork_in_child(void)
{
    atomic_store(&the_recorder.alone, false);
    pthread_mutex_init(&the_recorder.lock, NULL);
    pthread_mutex_init(&blocks_lock, NULL);
    atomic_store(&the_recorder.stopped, true);
    the_recorder.finished = true;
}

static bool isa_of(const char *target, enum assay_execution_isa *isa)
{
    static const enum assay_execution_isa isas[] = {
        ASSAY_EXECUTION_AARCH64, ASSAY_EXECUTION_RISCV64, ASSAY_EXECUTION_RISCV32};
    for (unsigned i = 0; i < sizeof isas / sizeof isas[0]; ++i) {
        if (strcmp(target, assay_execution_isa_name(isas[i])) == 0) {
            *isa = isas[i];
            return true;
        }
    }
    return false;
}

/* "assay-recorder 0.1.0 (git 0123abc..., QEMU 7.2.22 user mode)", as far as it is known. */
static void describe_producer(char *text, size_t size)
{
    char version[32];
    const bool known = emulator_version(version, sizeof version);
    snprintf(text, size, "assay-recorder %s (git %s%s, QEMU %s%s%s)", ASSAY_RECORDER_VERSION,
             ASSAY_COMMIT[0] != '\0' ? ASSAY_COMMIT : "unknown",
             ASSAY_COMMIT_MODIFIED ? " with changes" : "", known ? version : "", known ? " " : "",
             the_recorder.system ? "system" : "user mode");
}

static enum assay_error open_recording(struct recorder *recorder,
                                       const struct recorder_options *options,
                                       struct assay_diag *diag)
{
    recorder->path = strdup(options->out); /* QEMU frees the options */
    if (recorder->path == NULL) {
        return assay_fail(diag, ASSAY_NO_MEMORY, ASSAY_NO_OFFSET, "no memory");
    }
    const enum assay_error error = assay_sink_open(&recorder->sink, recorder->path, diag);
    if (error != ASSAY_OK) {
        return error;
    }
    const int high = fcntl(recorder->sink.fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (high >= 0) {
        close(recorder->sink.fd);
        recorder->sink.fd = high;
    }
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    recorder->start = recorder_now(recorder);
    recorder->process = recorder->system ? 0 : getpid();
    char producer[200];
    describe_producer(producer, sizeof producer);
    const struct assay_execution_header header = {.isa = recorder->isa,
                                                  .system = recorder->system,
                                                  .process = (uint32_t)recorder->process,
                                                  .epoch = (uint64_t)wall.tv_sec * 1000000 +
                                                           (uint64_t)wall.tv_nsec / 1000,
                                                  .producer = producer,
                                                  .program = options->program};
    return assay_execution_writer_open(&recorder->sink, &header, &recorder->writer, diag);
}

/* M, or the one that QEMU's virt of AArch64 has without options. */
static uint8_t first_level(const struct recorder_options *options, enum assay_execution_isa isa)
{
    enum { EL1 = 1, MACHINE = 3 };
    return options->has_level               ? (uint8_t)options->level
           : isa == ASSAY_EXECUTION_AARCH64 ? EL1
                                            : MACHINE;
}

static void register_callbacks(qemu_plugin_id_t id)
{
    qemu_plugin_register_vcpu_init_cb(id, on_thread_start);
    qemu_plugin_register_vcpu_exit_cb(id, on_thread_end);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
    qemu_plugin_register_vcpu_syscall_ret_cb(id, on_system_return);
    qemu_plugin_register_flush_cb(id, on_flush);
    qemu_plugin_register_atexit_cb(id, on_exit_of_program, NULL);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                           char **argv)
{
    struct recorder *recorder = &the_recorder;
    struct recorder_options options;
    char message[200];
    if (!isa_of(info->target_name, &recorder->isa)) {
        fprintf(stderr, "assay-recorder: records AArch64 and RISC-V, not %s\n", info->target_name);
        return -1;
    }
    if (!recorder_options_read(argc, argv, &options, message, sizeof message) ||
        !recorder_options_fit(&options, info->system_emulation, message, sizeof message)) {
        fprintf(stderr, "assay-recorder: %s\n", message);
        return -1;
    }
    if (info->system_emulation && info->system.max_vcpus > 1) {
        fprintf(stderr, "assay-recorder: records machines of one processor\n");
        return -1;
    }
    recorder->system = info->system_emulation;
    recorder->has_blocks = options.has_blocks;
    recorder->blocks = options.blocks;
    recorder->level = first_level(&options, recorder->isa);
    recorder->contents.ram = options.ram;
    recorder->contents.ram_size = options.ram_size;
    struct assay_diag diag = {0};
    recorder->id = id;
    recorder->contents.wanted = options.contents || recorder->system;
    recorder->contents.tag_mask =
        recorder->isa == ASSAY_EXECUTION_AARCH64 ? assay_mask(56) : UINT64_MAX;
    recorder->limited = options.limit != UINT64_MAX || options.until != UINT64_MAX;
    recorder->until = options.until;
    atomic_store(&recorder->left, options.limit);
    if (open_recording(recorder, &options, &diag) != ASSAY_OK) {
        recorder_say(recorder, &diag);
        return -1;
    }
    if (pthread_atfork(NULL, NULL, on_fork_in_child) != 0) {
        fprintf(stderr, "assay-recorder: no memory\n");
        return -1;
    }
    register_callbacks(id);
    return 0;
}
