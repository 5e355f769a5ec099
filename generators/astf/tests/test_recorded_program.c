/* A program is recorded under QEMU, and a trace made of it: it conforms, accesses and branches
 * included, and whatever is changed in one record is found by a rule about the execution. The build
 * says where plugin, emulator and program are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "astf/astf.h"
#include "common/tests/random.h"
#include "generators/astf/from_execution.h"
#include "io/source.h"
#include "validator/engine/judge.h"

enum { RECORD = ASTF_RECORD_BYTES, PART = 200000, PLACES = 12, FRONT = 16 };

static const char recording[] = "recorded-program.exec";

struct trace {
    uint8_t *bytes;
    size_t size;
};

static struct trace part; /* of the program's beginning */

/* --- recording, generating, judging --- */

static void record_the_program(void)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char plugin[1024];
        snprintf(plugin, sizeof plugin, "%s,out=%s", RECORDER_PLUGIN, recording);
        const int fd = open("/dev/null", O_WRONLY);
        if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) {
            _exit(126);
        }
        execl(RECORDER_QEMU, RECORDER_QEMU, "-cpu", "max,sve=off", "-plugin", plugin,
              RECORDER_PROGRAM, "1", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static struct assay_execution *open_recording(void)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    assert_int_equal(assay_source_open(recording, &source, NULL), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &execution, NULL), ASSAY_OK);
    return execution;
}

static struct assay_sink generate(uint64_t limit)
{
    const struct astf_generate_options options = {.limit = limit, .storage = "raw"};
    struct assay_execution *execution = open_recording();
    struct astf_generated generated;
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    assert_int_equal(astf_generate_from_execution(execution, &options, &sink, &generated, NULL),
                     ASSAY_OK);
    assert_true(limit == 0 || generated.instructions == limit);
    assay_execution_close(execution);
    return sink;
}

static struct assay_judge *judge(const uint8_t *bytes, size_t size)
{
    const struct assay_judge_settings settings = {.catalogue =
                                                      assay_catalogue_of(&assay_format_astf),
                                                  .given = ASSAY_NEED_ISA | ASSAY_NEED_EXECUTION,
                                                  .max_findings = 1};
    struct assay_decode_input input = {.execution = open_recording()};
    struct assay_judge *judge = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_block block;
    assert_int_equal(assay_judge_open(&settings, &judge, NULL), ASSAY_OK);
    assert_int_equal(assay_source_memory(bytes, size, &input.source), ASSAY_OK);
    assert_int_equal(astf_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    do {
        assert_int_equal(astf_decoder_ops.next(decoder, &block, NULL), ASSAY_OK);
        assert_int_equal(assay_judge_events(judge, block.events, block.count), ASSAY_OK);
    } while (block.count > 0);
    astf_decoder_ops.close(decoder);
    return judge;
}

static struct assay_rule_result result_of(const struct assay_judge *judge, const char *id)
{
    const struct assay_catalogue *catalogue = assay_judge_catalogue(judge);
    const struct assay_rule *rule = assay_rule_by_id(catalogue, id);
    assert_non_null(rule);
    return assay_judge_result(judge, (size_t)(rule - catalogue->rules));
}

static const char *const execution_rules[] = {"ASTF-0156", "ASTF-0157", "ASTF-0158", "ASTF-0170",
                                              "ASTF-0171", "ASTF-0172", "ASTF-0173", "ASTF-0174",
                                              "ASTF-0175", "ASTF-0280", "ASTF-0281", "ASTF-0282"};
enum { EXECUTION_RULES = sizeof execution_rules / sizeof execution_rules[0] };

/* --- the trace as it is --- */

static void a_generated_trace_conforms_to_what_was_executed(void **state)
{
    (void)state;
    struct assay_sink sink = generate(0);
    struct assay_judge *j = judge(sink.data, sink.size);
    const struct assay_catalogue *catalogue = assay_judge_catalogue(j);
    for (size_t r = 0; r < catalogue->rule_count; r++) {
        const struct assay_rule_result result = assay_judge_result(j, r);
        if (result.verdict == ASSAY_FAIL) {
            print_error("%s: %s\n", catalogue->rules[r].id, result.findings[0]->message);
        }
        assert_int_not_equal(result.verdict, ASSAY_FAIL);
    }
    for (size_t i = 0; i < EXECUTION_RULES; i++) {
        assert_true(result_of(j, execution_rules[i]).exercised > 1000);
    }
    assert_int_equal(result_of(j, "ASTF-0176").verdict, ASSAY_PASS);
    assert_int_equal(result_of(j, "ASTF-0177").verdict, ASSAY_PASS);
    assert_int_equal(result_of(j, "ASTF-0178").verdict, ASSAY_PASS);
    assay_judge_close(j);
    assay_sink_close(&sink, NULL);
}

static void a_part_of_the_execution_is_told_and_no_fault(void **state)
{
    (void)state;
    struct assay_judge *j = judge(part.bytes, part.size);
    for (size_t i = 0; i < EXECUTION_RULES; i++) {
        assert_int_equal(result_of(j, execution_rules[i]).verdict, ASSAY_PASS);
    }
    assert_int_equal(result_of(j, "ASTF-0176").verdict, ASSAY_FAIL);
    assay_judge_close(j);
}

/* --- the trace changed in one place --- */

static bool is_instruction(const uint8_t *r)
{
    return r[0] == 0x01;
}

/* A load or store, of which the recording tells what it accessed. */
static bool is_access(const uint8_t *r)
{
    return is_instruction(r) && astf_get(r, instr, is_branch) == 0 &&
           astf_get(r, instr, is_read) != astf_get(r, instr, is_write);
}

static bool is_branch(const uint8_t *r)
{
    return is_instruction(r) && astf_get(r, instr, is_branch) != 0 &&
           astf_get(r, instr, ea_valid) != 0;
}

/* Without ea_valid an indirect branch contradicts itself, which other rules find. */
static bool is_direct_branch(const uint8_t *r)
{
    return is_branch(r) && astf_get(r, instr, iword) >> 25 != 0x6b;
}

/* Instructions that follow each other and differ in place or word. */
static bool differs_from_next(const uint8_t *r)
{
    return is_instruction(r) && is_instruction(r + RECORD) && memcmp(r, r + RECORD, RECORD) != 0;
}

typedef bool chooser(const uint8_t *record);

/* Some record that the function chooses, not the first and not one of the last. */
static size_t some_place(uint64_t *seed, chooser *choose)
{
    const size_t records = part.size / RECORD;
    size_t at;
    do {
        at = FRONT + random_below(seed, records - 2 * FRONT);
    } while (!choose(part.bytes + at * RECORD));
    return at;
}

/* Whether a rule about the execution finds something in the trace. */
static bool found(const uint8_t *bytes, size_t size)
{
    struct assay_judge *j = judge(bytes, size);
    bool any = false;
    for (size_t i = 0; i < EXECUTION_RULES; i++) {
        any = any || result_of(j, execution_rules[i]).verdict == ASSAY_FAIL;
    }
    assay_judge_close(j);
    return any;
}

static void every_bit_counts(const char *name, chooser *choose, unsigned first, unsigned width)
{
    uint64_t seed = 1 + first;
    for (unsigned n = 0; n < PLACES; n++) {
        const size_t at = some_place(&seed, choose);
        const unsigned bit = first + (unsigned)random_below(&seed, width);
        uint8_t *byte = part.bytes + at * RECORD + bit / 8;
        const uint8_t before = *byte;
        *byte = (uint8_t)(*byte ^ 1u << bit % 8);
        if (!found(part.bytes, part.size)) {
            fail_msg("bit %u of record %zu (%s) was changed, and nothing found", bit, at, name);
        }
        *byte = before;
    }
}

#define EVERY_BIT(name, choose)                                                                    \
    every_bit_counts(#name, choose, ASTF_BIT_instr_##name, ASTF_WIDTH_instr_##name)

static void a_changed_bit_is_found(void **state)
{
    (void)state;
    EVERY_BIT(pc, is_instruction);
    EVERY_BIT(iword, is_instruction);
    EVERY_BIT(ea, is_access);
    EVERY_BIT(ea_size, is_access);
    EVERY_BIT(is_read, is_access);
    EVERY_BIT(is_write, is_access);
    EVERY_BIT(ea_valid, is_access);
    EVERY_BIT(ea, is_branch);
    EVERY_BIT(ea_valid, is_direct_branch);
}

static void a_removed_record_is_found(void **state)
{
    (void)state;
    uint64_t seed = 2;
    uint8_t *copy = malloc(part.size);
    for (unsigned n = 0; n < PLACES; n++) {
        const size_t at = some_place(&seed, differs_from_next) * RECORD;
        memcpy(copy, part.bytes, at);
        memcpy(copy + at, part.bytes + at + RECORD, part.size - at - RECORD);
        assert_true(found(copy, part.size - RECORD));
    }
    free(copy);
}

static void a_record_that_stands_twice_is_found(void **state)
{
    (void)state;
    uint64_t seed = 3;
    uint8_t *copy = malloc(part.size + RECORD);
    for (unsigned n = 0; n < PLACES; n++) {
        const size_t at = some_place(&seed, differs_from_next) * RECORD;
        memcpy(copy, part.bytes, at + RECORD);
        memcpy(copy + at + RECORD, part.bytes + at, part.size - at);
        assert_true(found(copy, part.size + RECORD));
    }
    free(copy);
}

static void two_records_in_the_wrong_order_are_found(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (unsigned n = 0; n < PLACES; n++) {
        uint8_t *r = part.bytes + some_place(&seed, differs_from_next) * RECORD;
        uint8_t before[2 * RECORD];
        memcpy(before, r, sizeof before);
        memcpy(r, before + RECORD, RECORD);
        memcpy(r + RECORD, before, RECORD);
        assert_true(found(part.bytes, part.size));
        memcpy(r, before, sizeof before);
    }
}

static int set_up(void **state)
{
    (void)state;
    record_the_program();
    struct assay_sink sink = generate(PART);
    part.size = sink.size;
    part.bytes = malloc(part.size);
    memcpy(part.bytes, sink.data, part.size);
    assay_sink_close(&sink, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(part.bytes);
    return 0;
}

static bool is_there(const char *path, const char *what)
{
    if (path[0] == '\0' || access(path, R_OK) != 0) {
        fprintf(stderr, "skipped: there is no %s\n", what);
        return false;
    }
    return true;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_generated_trace_conforms_to_what_was_executed),
        cmocka_unit_test(a_part_of_the_execution_is_told_and_no_fault),
        cmocka_unit_test(a_changed_bit_is_found),
        cmocka_unit_test(a_removed_record_is_found),
        cmocka_unit_test(a_record_that_stands_twice_is_found),
        cmocka_unit_test(two_records_in_the_wrong_order_are_found),
    };
    if (!is_there(RECORDER_QEMU, "QEMU user mode for AArch64 (package qemu-user)") ||
        !is_there(RECORDER_PLUGIN, "recorder (build with ASSAY_RECORDER)") ||
        !is_there(RECORDER_PROGRAM, "program to record (needs aarch64-linux-gnu-gcc)")) {
        return 77;
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
