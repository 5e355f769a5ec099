/* Records small programs under QEMU and looks at what the reader gives. Built once for each
 * instruction set; the build says where plugin, emulator and programs are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/bytes.h"
#include "execution/execution.h"
#include "retire.h"

#define FILE_NAME "recording-" RECORDER_ISA ".exec"
#define OUTPUT    "recording-" RECORDER_ISA ".output"
#define MESSAGES  "recording-" RECORDER_ISA ".messages"

enum { CALL_WRITE = 64, NOT_ENDED = -1, HUNG = -2, TICK = 2000, PATIENCE = 60000 };

static void redirect(const char *path, int descriptor)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || dup2(fd, descriptor) < 0) {
        _exit(126);
    }
}

/* The exit status of a process, NOT_ENDED where a signal ended it, or HUNG: it was killed after two
 * minutes. */
static int wait_for(pid_t child)
{
    int status = 0;
    pid_t ended = 0;
    for (unsigned n = 0; n < PATIENCE && (ended = waitpid(child, &status, WNOHANG)) == 0; n++) {
        usleep(TICK);
    }
    if (ended == 0) {
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        return HUNG;
    }
    assert_int_equal(ended, child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : NOT_ENDED;
}

/* Runs a program under the plugin with these options; its status as wait_for gives it. */
static int run(const char *options, const char *program, const char *argument)
{
    char plugin[1024];
    snprintf(plugin, sizeof plugin, "%s%s", RECORDER_PLUGIN, options);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        redirect(OUTPUT, STDOUT_FILENO);
        redirect(MESSAGES, STDERR_FILENO);
        execl(RECORDER_QEMU, RECORDER_QEMU, "-plugin", plugin, program, argument, (char *)NULL);
        _exit(127);
    }
    return wait_for(child);
}

/* The same once more where QEMU hangs: it can, in an assertion of its own, where threads begin. */
static int run_again(const char *options, const char *program, const char *argument)
{
    const int status = run(options, program, argument);
    return status == HUNG ? run(options, program, argument) : status;
}

static struct assay_execution *record_with(const char *options, const char *program,
                                           const char *argument, int status)
{
    unlink(FILE_NAME);
    assert_int_equal(run_again(options, program, argument), status);
    struct assay_source *source = NULL;
    struct assay_execution *x = NULL;
    assert_int_equal(assay_source_open(FILE_NAME, &source, NULL), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &x, NULL), ASSAY_OK);
    return x;
}

static struct assay_execution *record(const char *program, const char *argument, int status)
{
    return record_with(",out=" FILE_NAME, program, argument, status);
}

static bool next(struct assay_execution *x, struct assay_executed *item)
{
    const enum assay_error error = assay_execution_next(x, item);
    if (error != ASSAY_OK) {
        print_error("%s\n", assay_execution_diag(x)->message);
    }
    assert_int_equal(error, ASSAY_OK);
    return item->kind != ASSAY_EXECUTED_END;
}

static bool next_instruction(struct assay_execution *x, struct assay_executed *item)
{
    while (next(x, item)) {
        if (item->kind == ASSAY_EXECUTED_INSTRUCTION) {
            return true;
        }
    }
    return false;
}

static void read_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void the_first_instruction_is_the_program_s_entry(void **state)
{
    (void)state;
    char elf[64];
    struct assay_executed item;
    struct assay_execution *x = record(RECORDER_TINY, NULL, 0);
    read_file(RECORDER_TINY, elf, sizeof elf);
    assert_string_equal(assay_execution_isa_name(assay_execution_header(x)->isa), RECORDER_ISA);
    assert_true(next(x, &item));
    assert_int_equal(item.kind, ASSAY_EXECUTED_THREAD_START);
    assert_int_equal(item.system_id, assay_execution_header(x)->process);
    assert_true(next(x, &item));
    assert_int_equal(item.address, assay_load64((const uint8_t *)elf + 24)); /* e_entry */
    assay_execution_close(x);
}

static void a_small_program_has_the_instructions_that_it_has(void **state)
{
    (void)state;
    struct assay_execution_summary summary;
    struct assay_execution *x = record(RECORDER_TINY, NULL, 0);
    assert_int_equal(assay_execution_summary(x, &summary), ASSAY_OK);
    assert_true(summary.complete);
    assert_int_equal(summary.reason, ASSAY_EXECUTION_ENDED_BY_EXIT);
    assert_in_range(summary.instructions, 41, 44);
    assert_int_equal(summary.system_calls, 2);
    assert_int_equal(summary.threads, 1);
    assert_int_equal(summary.diverted, 0);
    assay_execution_close(x);
}

/* Whether control may go from one instruction to the next one by themselves. */
static bool follows(enum assay_execution_isa isa, const struct assay_executed *from, uint64_t to)
{
    uint64_t target = 0;
    if (to == from->address + from->size) {
        return true;
    }
    if (retire_target_of(isa, from->address, from->word, from->size, &target)) {
        return to == target;
    }
    return retire_class_of(isa, from->word, from->size) == RETIRE_TRANSFER;
}

static void every_instruction_follows_from_the_one_before(void **state)
{
    (void)state;
    static const char *const whats[] = {"faults", "threads", "forks"};
    static struct assay_executed last[64];
    for (unsigned i = 0; i < sizeof whats / sizeof whats[0]; ++i) {
        struct assay_execution *x = record(RECORDER_BEHAVIOURS, whats[i], 0);
        const enum assay_execution_isa isa = assay_execution_header(x)->isa;
        struct assay_executed item;
        memset(last, 0, sizeof last);
        while (next(x, &item)) {
            assert_in_range(item.thread, 0, 63);
            struct assay_executed *before = &last[item.thread];
            assert_true(item.time >= before->time);
            const bool two = before->kind == ASSAY_EXECUTED_INSTRUCTION && before->size != 0 &&
                             item.kind == ASSAY_EXECUTED_INSTRUCTION;
            assert_true(!two || follows(isa, before, item.address));
            *before = item;
        }
        assay_execution_close(x);
    }
}

static void known_instructions_make_their_accesses(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        unsigned accesses;
        struct {
            uint32_t offset; /* from the first access of the program */
            uint32_t size;
            bool write;
        } access[2];
    } known[] = {
#if RECORDER_IS_AARCH64
        {0xa9400c22, 2, {{0, 8, false}, {8, 8, false}}}, /* ldp x2, x3, [x1] */
        {0x39004022, 1, {{16, 1, true}}},                /* strb w2, [x1, #16] */
        {0xf8240025, 2, {{0, 8, false}, {0, 8, true}}},  /* ldadd x4, x5, [x1] */
        {0xc85f7c22, 1, {{0, 8, false}}},                /* ldxr x2, [x1] */
        {0xc8067c22, 1, {{0, 8, true}}},                 /* stxr w6, x2, [x1] */
#else
        {0x6090, 1, {{0, 8, false}}},                   /* c.ld a2, 0(s1) */
        {0x00c48823, 1, {{16, 1, true}}},               /* sb a2, 16(s1) */
        {0x00c4b6af, 2, {{0, 8, false}, {0, 8, true}}}, /* amoadd.d a3, a2, (s1) */
        {0x1004b62f, 1, {{0, 8, false}}},               /* lr.d a2, (s1) */
        {0x18c4b6af, 1, {{0, 8, true}}},                /* sc.d a3, a2, (s1) */
#endif
    };
    struct assay_executed item;
    unsigned seen = 0;
    uint64_t data = 0;
    struct assay_execution *x = record(RECORDER_TINY, NULL, 0);
    while (next_instruction(x, &item)) {
        unsigned which = 0;
        while (which < 5 && known[which].word != item.word) {
            ++which;
        }
        assert_int_equal(item.accesses, which < 5 ? known[which].accesses : 0);
        data = data == 0 && item.accesses > 0 ? item.access[0].address : data;
        for (unsigned i = 0; i < item.accesses; ++i) {
            assert_int_equal(item.access[i].address, data + known[which].access[i].offset);
            assert_int_equal(item.access[i].size, known[which].access[i].size);
            assert_int_equal(item.access[i].write, known[which].access[i].write);
        }
        seen += which < 5;
    }
    assert_int_equal(seen, 3 * 5);
    assay_execution_close(x);
}

/* The contents of the program's memory, as far as accesses showed them. */
struct shadow {
    uint64_t address[1 << 16]; /* plus one; 0: the slot is empty */
    uint8_t byte[1 << 16];
};

static uint64_t shadow_access(struct shadow *shadow, const struct assay_access *access,
                              unsigned *compared)
{
    for (unsigned i = 0; i < access->size; ++i) {
        const uint64_t at = access->address + i + 1;
        const unsigned slot = (unsigned)(at * UINT64_C(0x9e3779b97f4a7c15) >> 48);
        const uint8_t byte = (uint8_t)(access->content >> (8 * i));
        if (!access->write && shadow->address[slot] == at) {
            assert_int_equal(byte, shadow->byte[slot]);
            ++*compared;
        }
        shadow->address[slot] = at;
        shadow->byte[slot] = byte;
    }
    return access->content;
}

static void what_is_read_is_what_was_accessed_last(void **state)
{
    (void)state;
    static struct shadow shadow;
    static const char *const whats[] = {NULL, "forks"};
    for (unsigned i = 0; i < sizeof whats / sizeof whats[0]; ++i) {
        unsigned compared = 0;
        uint64_t contents = 0;
        struct assay_executed item;
        struct assay_execution *x =
            record_with(",out=" FILE_NAME ",contents=on",
                        whats[i] == NULL ? RECORDER_TINY : RECORDER_BEHAVIOURS, whats[i], 0);
        memset(&shadow, 0, sizeof shadow);
        while (next(x, &item)) {
            for (unsigned k = 0; k < item.accesses; ++k) {
                assert_true(item.contents && item.access[k].content_known);
                contents |= shadow_access(&shadow, &item.access[k], &compared);
            }
            if (item.kind != ASSAY_EXECUTED_INSTRUCTION) {
                memset(&shadow, 0, sizeof shadow); /* the system may write, too */
            }
        }
        assert_true(compared >= (i == 0 ? 60 : 10000));
        assert_true(i == 0 || contents != 0);
        assay_execution_close(x);
    }
}

static void contents_that_another_thread_may_change_are_still_told_or_not_known(void **state)
{
    (void)state;
    struct assay_executed item;
    unsigned known = 0;
    unsigned overwritten = 0;
    struct assay_execution *x =
        record_with(",out=" FILE_NAME ",contents=on", RECORDER_BEHAVIOURS, "threads", 0);
    while (next(x, &item)) {
        for (unsigned k = 0; k < item.accesses; ++k) {
            const struct assay_access *access = &item.access[k];
            assert_true(access->content_known || !access->write || access->size > 8);
            known += access->content_known;
            overwritten += !access->content_known;
        }
    }
    assert_true(known > 10000);
    assert_true(RECORDER_IS_AARCH64 || overwritten >= 5 * 8 * 2000);
    assay_execution_close(x);
}

static void a_write_is_seen_with_its_arguments_and_its_result(void **state)
{
    (void)state;
    struct assay_executed item;
    struct assay_executed call = {.kind = ASSAY_EXECUTED_END};
    uint64_t onward = 0;
    struct assay_execution *x = record(RECORDER_TINY, NULL, 0);
    while (call.kind != ASSAY_EXECUTED_SYSTEM_CALL && next(x, &call)) {
        onward = call.kind == ASSAY_EXECUTED_INSTRUCTION ? call.address + call.size : onward;
    }
    assert_int_equal(call.number, CALL_WRITE);
    assert_int_equal(call.args[0], 1);
    assert_int_equal(call.args[2], 6);
    assert_true(next(x, &item));
    assert_int_equal(item.kind, ASSAY_EXECUTED_SYSTEM_RETURN);
    assert_int_equal(item.number, CALL_WRITE);
    assert_int_equal(item.value, 6);
    assert_true(item.time >= call.time);
    assert_true(next(x, &item));
    assert_int_equal(item.kind, ASSAY_EXECUTED_INSTRUCTION);
    assert_int_equal(item.address, onward);
    assay_execution_close(x);
}

static void an_access_that_fails_is_told_with_its_address(void **state)
{
    (void)state;
    static const uint64_t addresses[] = {0, 0x70000123};
    struct assay_executed item;
    unsigned faults = 0;
    struct assay_execution *x = record(RECORDER_BEHAVIOURS, "faults", 0);
    while (next(x, &item)) {
        if (item.kind == ASSAY_EXECUTED_DIVERTED && item.fault_known) {
            assert_in_range(faults, 0, 1);
            assert_int_equal(item.fault, addresses[faults]);
            faults++;
        }
    }
    assert_int_equal(faults, 2);
    assay_execution_close(x);
}

static void instructions_that_fault_are_told_as_aborted_and_do_not_retire(void **state)
{
    (void)state;
    struct assay_executed item;
    unsigned aborted = 0;
    unsigned traps = 0;
    struct assay_execution *x = record(RECORDER_BEHAVIOURS, "faults", 0);
    const enum assay_execution_isa isa = assay_execution_header(x)->isa;
    while (next(x, &item)) {
        const bool trap =
            item.size != 0 && retire_class_of(isa, item.word, item.size) == RETIRE_TRAP;
        assert_false(item.kind == ASSAY_EXECUTED_INSTRUCTION && trap);
        aborted += item.kind == ASSAY_EXECUTED_DIVERTED && item.aborted;
        traps += item.kind == ASSAY_EXECUTED_DIVERTED && trap;
    }
    assert_int_equal(aborted, 4);
    assert_int_equal(traps, 2);
    assay_execution_close(x);
}

static void each_thread_of_many_is_told_from_its_start_to_its_end(void **state)
{
    (void)state;
    static unsigned char stage[64];
    struct assay_executed item;
    unsigned writes = 0;
    struct assay_execution *x = record(RECORDER_BEHAVIOURS, "threads", 0);
    memset(stage, 0, sizeof stage);
    while (next(x, &item)) {
        assert_in_range(item.thread, 0, 40);
        if (item.kind == ASSAY_EXECUTED_THREAD_START) {
            assert_true(item.system_id > 0);
        }
        stage[item.thread] =
            (unsigned char)(stage[item.thread] + (item.kind == ASSAY_EXECUTED_THREAD_START) +
                            (item.kind == ASSAY_EXECUTED_THREAD_END));
        writes += item.kind == ASSAY_EXECUTED_INSTRUCTION && item.accesses == 2 &&
                  item.access[0].address == item.access[1].address && item.access[1].write;
    }
    for (unsigned i = 0; i <= 40; ++i) {
        assert_int_equal(stage[i], 2);
    }
    assert_true(RECORDER_IS_AARCH64 || writes >= 5 * 8 * 2000);
    assay_execution_close(x);
}

static void summary_is(const char *argument, int status, enum assay_execution_reason reason)
{
    struct assay_execution_summary summary;
    struct assay_execution *x = record(RECORDER_BEHAVIOURS, argument, status);
    assert_int_equal(assay_execution_summary(x, &summary), ASSAY_OK);
    assert_true(summary.complete);
    assert_int_equal(summary.reason, reason);
    assert_int_equal(summary.threads, 1);
    assay_execution_close(x);
}

static void a_forked_child_leaves_the_recording_alone(void **state)
{
    (void)state;
    summary_is("forks", 0, ASSAY_EXECUTION_ENDED_BY_EXIT);
}

static void a_failed_exec_does_not_end_the_recording(void **state)
{
    (void)state;
    summary_is("exec-fails", 0, ASSAY_EXECUTION_ENDED_BY_EXIT);
}

static void a_program_that_aborts_leaves_a_complete_recording(void **state)
{
    (void)state;
    summary_is("dies", NOT_ENDED, ASSAY_EXECUTION_ENDED_BY_KILL);
}

static void a_limit_cuts_the_recording_and_not_the_program(void **state)
{
    (void)state;
    static const char *const options[] = {"1", "30", "41"};
    for (unsigned i = 0; i < sizeof options / sizeof options[0]; ++i) {
        char option[64];
        char text[32];
        struct assay_source *source = NULL;
        struct assay_execution *x = NULL;
        struct assay_execution_summary summary;
        snprintf(option, sizeof option, ",out=" FILE_NAME ",limit=%s", options[i]);
        assert_int_equal(run(option, RECORDER_TINY, NULL), 0);
        read_file(OUTPUT, text, sizeof text);
        assert_string_equal(text, "hello\n");
        assert_int_equal(assay_source_open(FILE_NAME, &source, NULL), ASSAY_OK);
        assert_int_equal(assay_execution_open(source, &x, NULL), ASSAY_OK);
        assert_int_equal(assay_execution_summary(x, &summary), ASSAY_OK);
        assert_int_equal(summary.instructions, strtoull(options[i], NULL, 10));
        assert_true(summary.complete);
        assert_int_equal(summary.reason, ASSAY_EXECUTION_ENDED_BY_LIMIT);
        assay_execution_close(x);
    }
}

static void an_address_ends_the_recording_before_its_instruction(void **state)
{
    (void)state;
    enum { BEFORE = 4 };
    char option[64];
    struct assay_source *source = NULL;
    struct assay_execution *x = NULL;
    struct assay_executed item = {0};
    struct assay_execution_summary summary;
    assert_int_equal(run(",out=" FILE_NAME ",limit=5", RECORDER_TINY, NULL), 0);
    assert_int_equal(assay_source_open(FILE_NAME, &source, NULL), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &x, NULL), ASSAY_OK);
    for (unsigned n = 0; n <= BEFORE; n += item.kind == ASSAY_EXECUTED_INSTRUCTION) {
        assert_int_equal(assay_execution_next(x, &item), ASSAY_OK);
        assert_int_not_equal(item.kind, ASSAY_EXECUTED_END);
    }
    assay_execution_close(x);
    snprintf(option, sizeof option, ",out=" FILE_NAME ",until=0x%llx",
             (unsigned long long)item.address);
    assert_int_equal(run(option, RECORDER_TINY, NULL), 0);
    assert_int_equal(assay_source_open(FILE_NAME, &source, NULL), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &x, NULL), ASSAY_OK);
    assert_int_equal(assay_execution_summary(x, &summary), ASSAY_OK);
    assert_int_equal(summary.instructions, BEFORE);
    assert_true(summary.complete);
    assert_int_equal(summary.reason, ASSAY_EXECUTION_ENDED_BY_LIMIT);
    assay_execution_close(x);
}

static void wrong_options_are_told_and_nothing_runs(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *message;
    } cases[] = {
        {"", "the option out=FILE is missing"},
        {",out=-", "would mix the recording"},
        {",out=" FILE_NAME ",limit=0", "limit wants a number of instructions"},
        {",out=" FILE_NAME ",contents=maybe", "contents is on or off"},
        {",out=" FILE_NAME ",limit=12x", "limit wants a number of instructions"},
        {",out=" FILE_NAME ",until=here", "until wants an address"},
        {",out=" FILE_NAME ",speed=9", "unknown option \"speed=9\""},
        {",out=" FILE_NAME ",level=4", "level wants a number from 0 to 3"},
        {",out=" FILE_NAME ",level=1", "ram, blocks and level are of machines"},
        {",out=no/such/folder/x", "no/such/folder/x: cannot be written"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[1024];
        assert_int_not_equal(run(cases[i].options, RECORDER_TINY, NULL), 0);
        read_file(MESSAGES, text, sizeof text);
        assert_non_null(strstr(text, cases[i].message));
        read_file(OUTPUT, text, sizeof text);
        assert_string_equal(text, "");
    }
}

static void a_disk_that_is_full_is_told_and_the_program_runs_on(void **state)
{
    (void)state;
    char text[1024];
    assert_int_equal(run(",out=/dev/full", RECORDER_TINY, NULL), 0);
    read_file(MESSAGES, text, sizeof text);
    assert_non_null(strstr(text, "/dev/full: "));
    assert_non_null(strstr(text, "No space left on device"));
    read_file(OUTPUT, text, sizeof text);
    assert_string_equal(text, "hello\n");
}

static bool is_there(const char *path, const char *what)
{
    if (path[0] == '\0' || access(path, R_OK) != 0) {
        fprintf(stderr, "skipped: there is no %s for " RECORDER_ISA "\n", what);
        return false;
    }
    return true;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_instruction_is_the_program_s_entry),
        cmocka_unit_test(a_small_program_has_the_instructions_that_it_has),
        cmocka_unit_test(every_instruction_follows_from_the_one_before),
        cmocka_unit_test(known_instructions_make_their_accesses),
        cmocka_unit_test(what_is_read_is_what_was_accessed_last),
        cmocka_unit_test(contents_that_another_thread_may_change_are_still_told_or_not_known),
        cmocka_unit_test(a_write_is_seen_with_its_arguments_and_its_result),
        cmocka_unit_test(an_access_that_fails_is_told_with_its_address),
        cmocka_unit_test(instructions_that_fault_are_told_as_aborted_and_do_not_retire),
        cmocka_unit_test(each_thread_of_many_is_told_from_its_start_to_its_end),
        cmocka_unit_test(a_forked_child_leaves_the_recording_alone),
        cmocka_unit_test(a_failed_exec_does_not_end_the_recording),
        cmocka_unit_test(a_program_that_aborts_leaves_a_complete_recording),
        cmocka_unit_test(a_limit_cuts_the_recording_and_not_the_program),
        cmocka_unit_test(an_address_ends_the_recording_before_its_instruction),
        cmocka_unit_test(wrong_options_are_told_and_nothing_runs),
        cmocka_unit_test(a_disk_that_is_full_is_told_and_the_program_runs_on),
    };
    if (!is_there(RECORDER_QEMU, "QEMU user mode (package qemu-user)") ||
        !is_there(RECORDER_TINY, "program of the test (needs a cross compiler)") ||
        !is_there(RECORDER_BEHAVIOURS, "program of the test (needs a cross compiler)")) {
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
