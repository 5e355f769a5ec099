/* A program is recorded under QEMU, and streams of ETE are made of it: what the decoder finds in
 * them is what was executed, instruction by instruction, but for what the stream leaves out.
 *
 *     test-ete-recorded-program [REPETITIONS]
 *
 * The program does its work so often; the build says where plugin, emulator and program are. */
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

#include "generators/ete/from_execution.h"
#include "generators/recorded_image.h"
#include "image/image.h"
#include "io/source.h"
#include "model/reader.h"

enum { ADDRESS = 3, WORD = 1 }; /* cells of an instruction */

static const char recording[] = "ete-recorded-program.exec";
static const char image[] = "ete-recorded-program.elf";
static const char *repetitions = "1";

/* --- recording --- */

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
              RECORDER_PROGRAM, repetitions, (char *)NULL);
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

static void write_the_image(void)
{
    struct assay_execution *execution = open_recording();
    struct assay_sink sink;
    assert_int_equal(assay_sink_open(&sink, image, NULL), ASSAY_OK);
    assert_int_equal(assay_recorded_image(execution, &sink, NULL), ASSAY_OK);
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
    assay_execution_close(execution);
}

/* --- what was executed --- */

/* Parts that the stream leaves out, in the order in which they were told. */
struct parts {
    struct {
        uint64_t first, end;
    } * list;
    size_t count;
};

static void leave_out(void *context, uint64_t first, uint64_t end)
{
    struct parts *parts = context;
    if ((parts->count & (parts->count - 1)) == 0) {
        parts->list = realloc(parts->list, (2 * parts->count + 1) * sizeof *parts->list);
        assert_non_null(parts->list);
    }
    parts->list[parts->count].first = first;
    parts->list[parts->count++].end = end;
}

/* A part can begin before the one that was told before it, but does not end before it. */
struct executed {
    struct assay_execution *execution;
    struct assay_executed item;
    uint64_t number; /* of the next instruction */
    const struct parts *parts;
    size_t part;
};

static bool is_left_out(struct executed *e, uint64_t number)
{
    while (e->part < e->parts->count && e->parts->list[e->part].end <= number) {
        e->part++;
    }
    for (size_t i = e->part; i < e->parts->count && i < e->part + 4; i++) {
        if (e->parts->list[i].first <= number && number < e->parts->list[i].end) {
            return true;
        }
    }
    return false;
}

/* The next instruction that the stream shows; false when there is none. */
static bool next_executed(struct executed *e)
{
    while (assay_execution_next(e->execution, &e->item) == ASSAY_OK &&
           e->item.kind != ASSAY_EXECUTED_END) {
        if (e->item.kind == ASSAY_EXECUTED_INSTRUCTION && !is_left_out(e, e->number++)) {
            return true;
        }
    }
    return false;
}

/* --- there and back --- */

static struct assay_sink generate(const struct ete_generate_options *options,
                                  struct ete_generated *generated)
{
    struct assay_execution *execution = open_recording();
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    assert_int_equal(ete_generate_from_execution(execution, options, &sink, generated, NULL),
                     ASSAY_OK);
    assay_execution_close(execution);
    return sink;
}

static struct assay_parameter_values registers(const struct ete_generate_options *options)
{
    struct assay_parameter_values values;
    assay_parameters_init(&values, assay_format_ete.parameters);
    values.value[ETE_TRCIDR0] = options->unit.trcidr0;
    values.value[ETE_TRCIDR8] = options->unit.max_depth;
    values.value[ETE_TRCCONFIGR] = options->unit.trcconfigr;
    values.known[ETE_TRCIDR0] = values.known[ETE_TRCIDR2] = values.known[ETE_TRCIDR8] =
        values.known[ETE_TRCCONFIGR] = true;
    return values;
}

static uint64_t compare(const struct assay_sink *trace, const struct ete_generate_options *options,
                        const struct parts *parts)
{
    struct assay_parameter_values values = registers(options);
    struct executed executed = {.execution = open_recording(), .parts = parts};
    struct assay_image_set *images = NULL;
    struct assay_image_spec spec = {.kind = ASSAY_IMAGE_ELF};
    struct assay_decoder *decoder = NULL;
    struct assay_reader reader;
    const struct assay_event *event = NULL;
    uint64_t count = 0;
    snprintf(spec.path, sizeof spec.path, "%s", image);
    assert_int_equal(assay_image_set_open(NULL, &images), ASSAY_OK);
    assert_int_equal(assay_image_add(images, &spec, NULL), ASSAY_OK);
    assert_int_equal(assay_image_set_seal(images, NULL), ASSAY_OK);
    struct assay_decode_input input = {.parameters = &values, .images = images};
    assert_int_equal(assay_source_memory(trace->data, trace->size, &input.source), ASSAY_OK);
    assert_int_equal(ete_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    assay_reader_begin(&reader, &assay_format_ete, decoder, ETE_INSTRUCTION, false);
    do {
        assert_int_equal(assay_reader_next(&reader, &event, NULL), ASSAY_OK);
        if (event != NULL && event->kind == ETE_instruction) {
            assert_true(next_executed(&executed));
            assert_int_equal(event->cells[ADDRESS], executed.item.address);
            assert_int_equal(event->cells[WORD], executed.item.word);
            count++;
        }
    } while (event != NULL);
    assert_false(next_executed(&executed));
    ete_decoder_ops.close(decoder);
    assay_image_set_free(images);
    assay_execution_close(executed.execution);
    return count;
}

static void there_and_back(struct ete_generate_options options)
{
    struct parts parts = {0};
    struct ete_generated generated;
    options.unit.left_out = leave_out;
    options.unit.context = &parts;
    struct assay_sink trace = generate(&options, &generated);
    const uint64_t shown = compare(&trace, &options, &parts);
    print_message("%llu of %llu instructions in %zu bytes\n", (unsigned long long)shown,
                  (unsigned long long)generated.instructions, trace.size);
    assert_in_range(shown, generated.instructions / 2, generated.instructions);
    assert_true(parts.count > 0 || shown == generated.instructions);
    assay_sink_close(&trace, NULL);
    free(parts.list);
}

/* --- with these settings --- */

enum { RETURN_STACK = 1 << ETE_RETURN_STACK_BIT, CYCLES = 1 << ETE_CYCLE_COUNTS_BIT };

static void a_plain_trace_shows_every_instruction(void **state)
{
    (void)state;
    there_and_back((struct ete_generate_options){.unit = {.trcconfigr = 1}});
}

static void a_trace_of_wrong_paths_shows_every_instruction(void **state)
{
    (void)state;
    there_and_back((struct ete_generate_options){.unit = {.trcconfigr = RETURN_STACK | CYCLES,
                                                          .max_depth = 40,
                                                          .threshold = 10,
                                                          .mispredictions = 6,
                                                          .sync = 4096}});
}

static void a_trace_with_losses_shows_the_others(void **state)
{
    (void)state;
    there_and_back((struct ete_generate_options){.unit = {.trcconfigr = RETURN_STACK,
                                                          .max_depth = 7,
                                                          .mispredictions = 20,
                                                          .gaps = 2000,
                                                          .overflows = 3000,
                                                          .any_packets = true}});
}

static void a_trace_of_q_elements_shows_what_is_known_of_them(void **state)
{
    (void)state;
    there_and_back((struct ete_generate_options){
        .contexts = 3,
        .unit = {.trcconfigr = RETURN_STACK | 3 << ETE_Q_BIT | 1 << ETE_CONTEXT_ID_BIT,
                 .max_depth = 20,
                 .mispredictions = 50,
                 .q = 30}});
}

/* --- the whole --- */

static int set_up(void **state)
{
    (void)state;
    record_the_program();
    write_the_image();
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_trace_shows_every_instruction),
        cmocka_unit_test(a_trace_of_wrong_paths_shows_every_instruction),
        cmocka_unit_test(a_trace_with_losses_shows_the_others),
        cmocka_unit_test(a_trace_of_q_elements_shows_what_is_known_of_them),
    };
    if (!is_there(RECORDER_QEMU, "QEMU user mode for AArch64 (package qemu-user)") ||
        !is_there(RECORDER_PLUGIN, "recorder (build with ASSAY_RECORDER)") ||
        !is_there(RECORDER_PROGRAM, "program to record (needs aarch64-linux-gnu-gcc)")) {
        return 77;
    }
    repetitions = argc > 1 ? argv[1] : repetitions;
    return cmocka_run_group_tests(tests, set_up, NULL);
}
