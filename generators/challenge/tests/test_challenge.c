/* Challenges are what they are predicted to be: QEMU executes each program, in user mode and as a
 * machine, and the recorder's recording is compared with the prediction, item by item. Built once
 * for each instruction set; the build says where recorder and emulators are. The variable
 * ASSAY_CHALLENGE_SEEDS, FIRST-LAST, gives other seeds than those of the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "execution/classes.h"
#include "generators/challenge/challenge.h"

/* Processors without extensions that challenges do not need. */
#define CHALLENGE_CPU (CHALLENGE_IS_A64 ? "cortex-a57" : "rv64")
#define RAM           (CHALLENGE_IS_A64 ? UINT64_C(0x40000000) : UINT64_C(0x80000000))
#define NAME          "challenge-test-" CHALLENGE_ISA

enum {
    SKIP = 77,
    TICK = 2000,
    PATIENCE = 15000,
    HUNG = -2,
    NOT_ENDED = -1,
    INSTRUCTIONS = 100000,
    SEEDS = 6,
    SIGNALLED = 128
};

static const struct assay_challenge_options user = {.isa = CHALLENGE_NUMBER,
                                                    .instructions = INSTRUCTIONS};

static const struct assay_challenge_options machine = {
    .isa = CHALLENGE_NUMBER,
    .instructions = INSTRUCTIONS,
    .bare = true,
    .base = CHALLENGE_IS_A64 ? ASSAY_CHALLENGE_BASE_AARCH64 : ASSAY_CHALLENGE_BASE_RISCV64,
    .level = CHALLENGE_IS_A64 ? 1 : 3};

/* It begins elsewhere (QEMU's machine of RISC-V begins at its RAM), ends far away, and stores
 * elsewhere before. */
static const struct assay_challenge_options elsewhere = {.isa = CHALLENGE_NUMBER,
                                                         .instructions = INSTRUCTIONS,
                                                         .bare = true,
                                                         .base = RAM +
                                                                 (CHALLENGE_IS_A64 ? 0x123000 : 0),
                                                         .has_end = true,
                                                         .end = RAM + 0x7fff004,
                                                         .has_tohost = true,
                                                         .tohost = RAM + 0x5000008,
                                                         .level = CHALLENGE_IS_A64 ? 1 : 3};

/* RISC-V: of RV64I alone. */
static const struct assay_challenge_options plain = {.isa = CHALLENGE_NUMBER,
                                                     .instructions = INSTRUCTIONS,
                                                     .no_compressed = true,
                                                     .no_multiply = true,
                                                     .no_atomics = true};

/* --- running --- */

static void redirect(const char *path, int descriptor)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || dup2(fd, descriptor) < 0) {
        _exit(126);
    }
}

static int wait_for(pid_t child)
{
    int status = 0;
    pid_t ended = 0;
    for (unsigned n = 0; n < PATIENCE && (ended = waitpid(child, &status, WNOHANG)) == 0; n++) {
        usleep(TICK);
    }
    if (ended == 0) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        return HUNG;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : NOT_ENDED;
}

/* Runs a command, whose messages are kept; its exit status. */
static int run(const char *const *command)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        redirect("/dev/null", STDIN_FILENO);
        redirect(NAME ".messages", STDOUT_FILENO);
        redirect(NAME ".messages", STDERR_FILENO);
        execvp(command[0], (char *const *)command);
        _exit(127);
    }
    return wait_for(child);
}

static void write_file(const char *path, const struct assay_sink *sink)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(sink->data, 1, sink->size, file), sink->size);
    assert_int_equal(fclose(file), 0);
}

static int run_in_user_mode(const struct assay_challenge_options *options)
{
    const char *cpu = options->no_compressed ? "rv64,c=off,m=off,a=off,f=off,d=off" : CHALLENGE_CPU;
    const char *const command[] = {CHALLENGE_USER,
                                   "-cpu",
                                   cpu,
                                   "-plugin",
                                   CHALLENGE_RECORDER ",out=" NAME ".recorded,contents=on",
                                   "./" NAME,
                                   NULL};
    return run(command);
}

static int run_as_machine(const struct assay_challenge_facts *facts)
{
    char plugin[1024];
    snprintf(plugin, sizeof plugin,
             "%s,out=%s.recorded,ram=%#" PRIx64 "+0x8000000,blocks=%#" PRIx64 ",until=%#" PRIx64
             ",limit=1000000",
             CHALLENGE_RECORDER, NAME, RAM, facts->base + (facts->code_bytes + 4095) / 4096 * 4096,
             facts->stop);
    const char *const command[] = {CHALLENGE_MACHINE,
                                   "-M",
                                   "virt",
                                   "-display",
                                   "none",
                                   "-serial",
                                   "none",
                                   "-monitor",
                                   "none",
                                   "-nic",
                                   "none",
                                   "-m",
                                   "128M",
                                   "-icount",
                                   "shift=0,sleep=off",
                                   "-cpu",
                                   CHALLENGE_CPU,
                                   "-kernel",
                                   NAME,
                                   "-plugin",
                                   plugin,
                                   CHALLENGE_IS_A64 ? NULL : "-bios",
                                   "none",
                                   NULL};
    return run(command);
}

/* --- comparing --- */

static struct assay_execution *open_recording(struct assay_source *source)
{
    struct assay_execution *x = NULL;
    assert_int_equal(assay_execution_open(source, &x, NULL), ASSAY_OK);
    return x;
}

static void next(struct assay_execution *x, struct assay_executed *item)
{
    const enum assay_error error = assay_execution_next(x, item);
    if (error != ASSAY_OK) {
        fail_msg("%s", assay_execution_diag(x)->message);
    }
}

static bool is_same(const struct assay_executed *a, const struct assay_executed *b)
{
    bool same = a->kind == b->kind && a->address == b->address && a->word == b->word &&
                a->size == b->size && a->accesses == b->accesses && a->number == b->number &&
                memcmp(a->args, b->args, sizeof a->args) == 0 && a->level == b->level &&
                a->reason == b->reason;
    for (unsigned i = 0; same && i < a->accesses; i++) {
        const struct assay_access *left = &a->access[i];
        const struct assay_access *right = &b->access[i];
        same = left->address == right->address && left->size == right->size &&
               left->write == right->write && left->content_known == right->content_known &&
               left->content == right->content;
    }
    return same;
}

static void print_item(const char *who, const struct assay_executed *item)
{
    print_error("  %s: kind %d at %#" PRIx64 " word %08x level %u reason %d number %" PRIu64 "\n",
                who, item->kind, item->address, item->word, item->level, item->reason,
                item->number);
    for (unsigned i = 0; i < item->accesses; i++) {
        print_error("    %s %#" PRIx64 " of %u: %#" PRIx64 "\n",
                    item->access[i].write ? "write" : "read", item->access[i].address,
                    item->access[i].size, item->access[i].content);
    }
}

/* All but times and numbers of processes; the number of instructions. */
static uint64_t compare(const struct assay_sink *predicted)
{
    struct assay_source *source = NULL;
    struct assay_executed a = {0};
    struct assay_executed b = {0};
    uint64_t count = 0;
    assert_int_equal(assay_source_memory(predicted->data, predicted->size, &source), ASSAY_OK);
    struct assay_execution *prediction = open_recording(source);
    assert_int_equal(assay_source_open(NAME ".recorded", &source, NULL), ASSAY_OK);
    struct assay_execution *recording = open_recording(source);
    assert_int_equal(assay_execution_header(prediction)->isa,
                     assay_execution_header(recording)->isa);
    assert_int_equal(assay_execution_header(prediction)->system,
                     assay_execution_header(recording)->system);
    do {
        next(prediction, &a);
        next(recording, &b);
        count += a.kind == ASSAY_EXECUTED_INSTRUCTION;
        if (!is_same(&a, &b)) {
            print_error("item of instruction %" PRIu64 " differs\n", count);
            print_item("predicted", &a);
            print_item("recorded", &b);
            fail();
        }
    } while (a.kind != ASSAY_EXECUTED_END);
    assay_execution_close(prediction);
    assay_execution_close(recording);
    return count;
}

static void seeds(uint64_t *first, uint64_t *last)
{
    const char *given = getenv("ASSAY_CHALLENGE_SEEDS");
    *first = 1;
    *last = SEEDS;
    if (given != NULL) {
        assert_int_equal(sscanf(given, "%" SCNu64 "-%" SCNu64, first, last), 2);
    }
}

static void check_seed(const struct assay_challenge_options *options)
{
    struct assay_challenge_facts facts;
    struct assay_sink program;
    struct assay_sink execution;
    struct assay_diag diag = {.offset = ASSAY_NO_OFFSET};
    assay_sink_memory(&program, 0);
    assay_sink_memory(&execution, 0);
    if (assay_challenge_make(options, &program, &execution, &facts, &diag) != ASSAY_OK) {
        fail_msg("seed %" PRIu64 ": %s", options->seed, diag.message);
    }
    write_file(NAME, &program);
    assert_int_equal(chmod(NAME, 0777), 0);
    unlink(NAME ".recorded");
    const int status = options->bare ? run_as_machine(&facts) : run_in_user_mode(options);
    print_message("seed %" PRIu64 ": %" PRIu64 " instructions, %" PRIu64
                  " bytes of code, checksum %#" PRIx64 "\n",
                  options->seed, facts.executed, facts.code_bytes, facts.checksum);
    assert_int_equal(compare(&execution), facts.executed);
    assert_int_equal(status, options->bare ? 0 : facts.status);
    assert_true(facts.executed <= options->instructions);
    assert_true(facts.executed > options->instructions / 2);
    assay_sink_close(&program, NULL);
    assay_sink_close(&execution, NULL);
}

static void check_seeds(const struct assay_challenge_options *options, const char *emulator)
{
    struct assay_challenge_options one = *options;
    uint64_t last = 0;
    if (emulator[0] == '\0') {
        print_message("no emulator\n");
        skip();
    }
    for (seeds(&one.seed, &last); one.seed <= last; one.seed++) {
        check_seed(&one);
    }
}

static void qemu_executes_programs_as_predicted(void **state)
{
    (void)state;
    check_seeds(&user, CHALLENGE_USER);
}

static void qemu_executes_bare_programs_as_predicted(void **state)
{
    (void)state;
    check_seeds(&machine, CHALLENGE_MACHINE);
}

static void qemu_executes_bare_programs_at_other_addresses_as_predicted(void **state)
{
    (void)state;
    check_seeds(&elsewhere, CHALLENGE_MACHINE);
}

static void qemu_executes_programs_without_extensions_as_predicted(void **state)
{
    (void)state;
    if (CHALLENGE_IS_A64) {
        skip();
    }
    check_seeds(&plain, CHALLENGE_USER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(qemu_executes_programs_as_predicted),
        cmocka_unit_test(qemu_executes_bare_programs_as_predicted),
        cmocka_unit_test(qemu_executes_bare_programs_at_other_addresses_as_predicted),
        cmocka_unit_test(qemu_executes_programs_without_extensions_as_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
