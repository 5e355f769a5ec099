/* RISC-V programs are recorded under QEMU, and streams of E-Trace are made of them: what the
 * decoder finds in them is what was executed, instruction by instruction, at its privilege level,
 * and each trap of a machine; and the program's verdict is that the stream conforms and is the
 * execution.
 *
 *     test-generate-etrace [REPETITIONS]
 *
 * The program in user mode does its work so often, the machine runs for as many times 100,000
 * instructions; the build says where plugin, emulators and programs are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tests/turn.h"
#include "etrace/path/path.h"
#include "generators/etrace/tests/run_program.h"
#include "generators/generator.h"
#include "generators/recorded_image.h"
#include "image/image.h"
#include "io/source.h"
#include "model/framing.h"
#include "model/reader.h"

enum { PATH = 1024, ECALL = 0x73, ILLEGAL = 2, INTERRUPT_TOP = 63, LEVEL = 0xf };

extern const struct assay_generator assay_generator_etrace;

static unsigned long repetitions = 1;

/* --- recording --- */

/* A program and how it is recorded. */
struct recorded {
    const char *recording, *image;
    bool machine;
};

static const struct recorded user = {"etrace-user.exec", "etrace-user.elf", false};
static const struct recorded machine = {"etrace-machine.exec", "etrace-machine.elf", true};

static void run(const char *const *words)
{
    run_to(words, 0);
}

static void record_user(void)
{
    char plugin[PATH], times[32];
    snprintf(plugin, sizeof plugin, "%s,out=%s,contents=on", RECORDER_PLUGIN, user.recording);
    snprintf(times, sizeof times, "%lu", repetitions);
    run((const char *[]){RECORDER_QEMU, "-plugin", plugin, RECORDER_PROGRAM, times, NULL});
}

static void record_machine(void)
{
    char plugin[PATH];
    snprintf(plugin, sizeof plugin,
             "%s,out=%s,contents=on,ram=0x80000000+0x8000000,blocks=0x80007000,limit=%lu",
             RECORDER_PLUGIN, machine.recording, repetitions * 100000);
    run((const char *[]){
        RECORDER_QEMU_SYSTEM, "-M",      "virt",    "-m",      "128M",           "-bios", "none",
        "-display",           "none",    "-serial", "none",    "-monitor",       "none",  "-icount",
        "shift=0,sleep=off",  "-plugin", plugin,    "-kernel", RECORDER_MACHINE, NULL});
}

static struct assay_execution *open_recording(const struct recorded *r)
{
    struct assay_source *source = NULL;
    struct assay_execution *execution = NULL;
    assert_int_equal(assay_source_open(r->recording, &source, NULL), ASSAY_OK);
    assert_int_equal(assay_execution_open(source, &execution, NULL), ASSAY_OK);
    return execution;
}

static void write_the_image(const struct recorded *r)
{
    struct assay_execution *execution = open_recording(r);
    struct assay_sink sink;
    assert_int_equal(assay_sink_open(&sink, r->image, NULL), ASSAY_OK);
    assert_int_equal(assay_recorded_image(execution, &sink, NULL), ASSAY_OK);
    assert_int_equal(assay_sink_close(&sink, NULL), ASSAY_OK);
    assay_execution_close(execution);
}

/* --- what was executed --- */

struct executed {
    struct assay_execution *execution;
    struct assay_executed item;
    uint8_t level;
    bool returned; /* the instruction is the first one after a return to another level */
};

/* The next instruction that retired, or trap; false when there is none. An ECALL is recorded, but
 * does not retire. */
static bool next_executed(struct executed *e)
{
    e->returned = false;
    while (assay_execution_next(e->execution, &e->item) == ASSAY_OK &&
           e->item.kind != ASSAY_EXECUTED_END) {
        const unsigned kind = e->item.kind;
        if (kind == ASSAY_EXECUTED_LEVEL || kind == ASSAY_EXECUTED_TRAP) {
            e->level = e->item.level;
            e->returned = kind == ASSAY_EXECUTED_LEVEL;
        }
        if (kind == ASSAY_EXECUTED_TRAP ||
            (kind == ASSAY_EXECUTED_INSTRUCTION && e->item.word != ECALL)) {
            return true;
        }
    }
    return false;
}

/* The trap value is that of the recording, but for the address of an illegal instruction (6.3.1).
 */
static void compare_trap(const struct assay_event *event, const struct executed *e)
{
    const uint64_t interrupt = e->item.cause >> INTERRUPT_TOP;
    const uint64_t cause = e->item.cause & ~(UINT64_C(1) << INTERRUPT_TOP);
    assert_int_equal(e->item.kind, ASSAY_EXECUTED_TRAP);
    assert_int_equal(event->cells[ETRACE_RUN_FLAGS] >> INTERRUPT_BIT & 1, interrupt);
    assert_int_equal(event->cells[ETRACE_TRAP_CAUSE], cause);
    assert_int_equal(event->cells[ETRACE_RUN_FLAGS] & LEVEL, e->level);
    assert_int_equal(event->cells[ETRACE_TRAP_TVAL],
                     cause == ILLEGAL && interrupt == 0 ? e->item.from : e->item.fault);
}

static void compare_instruction(const struct assay_event *event, const struct executed *e)
{
    assert_int_equal(e->item.kind, ASSAY_EXECUTED_INSTRUCTION);
    assert_int_equal(event->cells[ETRACE_RUN_ADDRESS], e->item.address);
    assert_int_equal(event->cells[ETRACE_INSTRUCTION_WORD], e->item.word);
    if (!e->returned) { /* it has the level of the packet before */
        assert_int_equal(event->cells[ETRACE_RUN_FLAGS] & LEVEL, e->level);
    }
}

/* --- there and back --- */

struct counts {
    uint64_t instructions, traps;
};

static struct assay_sink generate(const struct recorded *r,
                                  const struct assay_generate_settings *settings,
                                  struct assay_generated *generated)
{
    struct assay_execution *execution = open_recording(r);
    struct assay_sink sink;
    assay_sink_memory(&sink, 0);
    assert_int_equal(
        assay_generator_etrace.from_execution(execution, settings, &sink, generated, NULL),
        ASSAY_OK);
    assay_execution_close(execution);
    return sink;
}

static void open_images(const struct recorded *r, struct assay_image_set **images)
{
    struct assay_image_spec spec = {.kind = ASSAY_IMAGE_ELF};
    snprintf(spec.path, sizeof spec.path, "%s", r->image);
    assert_int_equal(assay_image_set_open(NULL, images), ASSAY_OK);
    assert_int_equal(assay_image_add(*images, &spec, NULL), ASSAY_OK);
    assert_int_equal(assay_image_set_seal(*images, NULL), ASSAY_OK);
}

static void compare_event(const struct assay_event *event, struct executed *e,
                          struct counts *counts)
{
    assert_int_not_equal(event->kind, ETRACE_path_lost);
    assert_int_not_equal(event->kind, ETRACE_malformed);
    if (event->kind == ETRACE_instruction || event->kind == ETRACE_trap) {
        assert_true(next_executed(e));
    }
    if (event->kind == ETRACE_instruction) {
        compare_instruction(event, e);
        counts->instructions++;
    } else if (event->kind == ETRACE_trap) {
        compare_trap(event, e);
        counts->traps++;
    }
}

static struct counts compare(const struct recorded *r, const struct assay_sink *trace,
                             const struct assay_generate_settings *settings)
{
    struct assay_parameter_values values;
    struct executed executed = {.execution = open_recording(r)};
    struct assay_image_set *images = NULL;
    struct assay_decoder *decoder = NULL;
    struct assay_reader reader;
    const struct assay_event *event = NULL;
    struct counts counts = {0};
    assay_parameters_init(&values, assay_format_etrace.parameters);
    assay_generator_etrace.configure(settings, &values);
    open_images(r, &images);
    struct assay_decode_input input = {
        .parameters = &values, .images = images, .framing = ASSAY_FRAMING_BYTE_HEADER};
    assert_int_equal(assay_source_memory(trace->data, trace->size, &input.source), ASSAY_OK);
    assert_int_equal(etrace_decoder_ops.open(&input, &decoder, NULL), ASSAY_OK);
    assay_reader_begin(&reader, &assay_format_etrace, decoder, ETRACE_INSTRUCTION, false);
    do {
        assert_int_equal(assay_reader_next(&reader, &event, NULL), ASSAY_OK);
        if (event != NULL) {
            compare_event(event, &executed, &counts);
        }
    } while (event != NULL);
    assert_false(next_executed(&executed));
    etrace_decoder_ops.close(decoder);
    assay_image_set_free(images);
    assay_execution_close(executed.execution);
    return counts;
}

/* The verdict by all rules, on files that `assay generate` writes: with the recording, and with the
 * record of the interface. */
static void judge(const struct recorded *r, const struct assay_generate_settings *s)
{
    char predictor[8], cache[8], resync[16];
    const char *words[24] = {RECORDER_ASSAY,
                             "generate",
                             "--format",
                             "etrace",
                             "--execution",
                             r->recording,
                             "-o",
                             "etrace-run.bin",
                             "--manifest-output",
                             "etrace-run.assay.yaml",
                             "--execution-output",
                             "etrace-run.csv"};
    unsigned n = 12;
    snprintf(predictor, sizeof predictor, "%u", (unsigned)s->predictor);
    snprintf(cache, sizeof cache, "%u", (unsigned)s->target_cache);
    snprintf(resync, sizeof resync, "%u", (unsigned)s->resync);
    const struct {
        bool given;
        const char *option, *value;
    } options[] = {{s->predictor > 0, "--predictor", predictor},
                   {s->target_cache > 0, "--target-cache", cache},
                   {s->resync > 0, "--resync", resync},
                   {s->return_stack, "--return-stack", NULL},
                   {s->sequential_jumps, "--sequential-jumps", NULL},
                   {s->full_addresses, "--full-addresses", NULL}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        words[n] = options[i].option;
        words[n + 1] = options[i].value;
        n += options[i].given ? (options[i].value != NULL) + 1u : 0;
    }
    words[n] = NULL;
    run(words);
    run((const char *[]){RECORDER_ASSAY, "check", "--quiet", "etrace-run.assay.yaml", NULL});
    run((const char *[]){RECORDER_ASSAY, "check", "--quiet", "--execution", "etrace-run.csv",
                         "etrace-run.assay.yaml", NULL});
}

static void there_and_back(const struct recorded *r, const struct assay_generate_settings *settings)
{
    struct assay_generated generated;
    struct assay_sink trace = generate(r, settings, &generated);
    const struct counts shown = compare(r, &trace, settings);
    print_message("%s: %llu instructions and %llu traps in %llu packets of %zu bytes\n",
                  r->recording, (unsigned long long)shown.instructions,
                  (unsigned long long)shown.traps, (unsigned long long)generated.records,
                  trace.size);
    assert_int_equal(shown.instructions, generated.instructions);
    assert_true(shown.instructions > 50000 * repetitions);
    assert_true(!r->machine || shown.traps > 0);
    assert_true(!r->machine || generated.without_event == 0);
    assay_sink_close(&trace, NULL);
    judge(r, settings);
}

/* --- with these settings --- */

/* Settings take turns: `number` says when they are tried. */
static void of_both(unsigned number, struct assay_generate_settings settings)
{
    if (is_in_turn(number)) {
        there_and_back(&user, &settings);
        there_and_back(&machine, &settings);
    }
}

static void a_plain_trace_is_the_execution(void **state)
{
    (void)state;
    of_both(0, (struct assay_generate_settings){0});
}

static void a_trace_with_return_stack_and_resynchronisation_is_the_execution(void **state)
{
    (void)state;
    of_both(1, (struct assay_generate_settings){
                   .return_stack = true, .sequential_jumps = true, .resync = 50});
}

static void a_trace_with_prediction_and_target_cache_is_the_execution(void **state)
{
    (void)state;
    of_both(2, (struct assay_generate_settings){
                   .predictor = 8, .target_cache = 6, .resync = 1000, .full_addresses = true});
}

static void a_trace_with_all_options_is_the_execution(void **state)
{
    (void)state;
    of_both(3, (struct assay_generate_settings){.return_stack = true,
                                                .sequential_jumps = true,
                                                .predictor = 4,
                                                .target_cache = 3,
                                                .resync = 200});
}

/* --- with control registers, and the record of the interface --- */

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Makes a trace of the machine by registers, which conforms with its record; so does one that
 * leaves parts out for no reason that registers have, but not by these registers. */
static void by_registers(const char *registers)
{
    static const char *const check[] = {RECORDER_ASSAY, "check", "--quiet",
                                        "etrace-filters.assay.yaml", NULL};
    write_text("etrace-filters.yaml", registers);
    run((const char *[]){RECORDER_ASSAY, "generate", "--format", "etrace", "--execution",
                         machine.recording, "--config", "etrace-filters.yaml", "--execution-output",
                         "etrace-filters.csv", "-o", "etrace-filters.bin", "--manifest-output",
                         "etrace-filters.assay.yaml", "--return-stack", "--resync", "100", NULL});
    run(check);
    run((const char *[]){RECORDER_ASSAY, "generate", "--format", "etrace", "--execution",
                         machine.recording, "--gaps", "500", "-o", "etrace-filters.bin",
                         "--return-stack", NULL});
    run_to(check, 1);
}

static void a_trace_by_filters_conforms_with_its_record(void **state)
{
    (void)state;
    static const char *const registers[] = {
        "{iFilters: 1, filter0.filterEnable: 1, filter0.matchPrivilege: 1, "
        "filter0.matchChoicePrivilege: 0x8}\n",
        "{iFilters: 1, filter0.filterEnable: 1, filter0.matchEcause: 1, "
        "filter0.matchChoiceEcause: 0x1100, filter_excint_p: 3}\n",
        "{iFilters: 1, filter0.filterEnable: 1, filter0.matchComp1: 1, "
        "comparator0.pInput: iaddr, comparator0.pFunction: equal, "
        "comparator0.pMatch: 0x80000100, comparator0.sFunction: mask, "
        "comparator0.sMatch: 0xffffff00, comparator0.matchMode: primary}\n",
        "{comparator0.pInput: iaddr, comparator0.pFunction: equal, "
        "comparator0.pMatch: 0x800001e4, comparator0.sFunction: always, "
        "comparator0.pNotify: 1}\n"};
    for (size_t n = 0; n < sizeof registers / sizeof registers[0]; n++) {
        if (is_in_turn(n)) {
            by_registers(registers[n]);
        }
    }
}

static void a_trace_with_gaps_conforms_with_its_record(void **state)
{
    (void)state;
    run((const char *[]){RECORDER_ASSAY, "generate", "--format", "etrace", "--execution",
                         machine.recording, "--gaps", "200", "--execution-output",
                         "etrace-gaps.csv", "-o", "etrace-gaps.bin", "--manifest-output",
                         "etrace-gaps.assay.yaml", NULL});
    run((const char *[]){RECORDER_ASSAY, "check", "--quiet", "etrace-gaps.assay.yaml", NULL});
}

/* Each line of the record is a cycle. */
static void a_trace_resynchronised_by_cycles_or_half_words_conforms_with_its_record(void **state)
{
    static const char *const modes[] = {"{ResyncMode: cycles, ResyncMax: 3}\n",
                                        "{ResyncMode: half_words, ResyncMax: 3}\n"};
    (void)state;
    for (size_t n = 0; n < 2; n++) {
        write_text("etrace-resync.yaml", modes[n]);
        run((const char *[]){RECORDER_ASSAY, "generate", "--format", "etrace", "--execution",
                             machine.recording, "--config", "etrace-resync.yaml", "--events",
                             "100000", "--execution-output", "etrace-resync.csv", "-o",
                             "etrace-resync.bin", "--manifest-output", "etrace-resync.assay.yaml",
                             NULL});
        run((const char *[]){RECORDER_ASSAY, "check", "--quiet", "etrace-resync.assay.yaml", NULL});
    }
}

/* --- data trace --- */

/* Traces all accesses, by these parameters beside the others; each packet is of the access that was
 * executed, and that the path makes. */
static void with_data(const char *recording, const char *parameters)
{
    char registers[512];
    snprintf(registers, sizeof registers,
             "{iaddress_width_p: 64, data_width_p: 64, dEnable: 1, dFilters: 0, iFilters: 0, %s}\n",
             parameters);
    write_text("etrace-data.yaml", registers);
    run((const char *[]){RECORDER_ASSAY, "generate", "--format", "etrace", "--execution", recording,
                         "--config", "etrace-data.yaml", "-o", "etrace-data.bin",
                         "--manifest-output", "etrace-data.assay.yaml", "--resync", "100",
                         "--events", "100000", NULL});
    run((const char *[]){RECORDER_ASSAY, "check", "--quiet", "--fail-on", "should",
                         "etrace-data.assay.yaml", NULL});
}

static void data_packets_are_of_the_accesses_of_the_path_and_of_the_execution(void **state)
{
    (void)state;
    static const struct {
        const struct recorded *of;
        const char *parameters;
    } traces[] = {{&user, "DataCompress: 1"},
                  {&user, "DataCompress: 3, data_split: 1, lrid_width_p: 3"},
                  {&machine, "DataCompress: 2, no_address: 1"},
                  {&machine, "DataCompress: 3, no_data: 1"}};
    for (size_t n = 0; n < sizeof traces / sizeof traces[0]; n++) {
        if (is_in_turn(n)) {
            with_data(traces[n].of->recording, traces[n].parameters);
        }
    }
}

/* The same of a machine, whose record has the data signals, with a filter of instructions or
 * without. */
static void with_record(const char *parameters, const char *version)
{
    static const char *const check[] = {RECORDER_ASSAY,
                                        "check",
                                        "--quiet",
                                        "--fail-on",
                                        "should",
                                        "etrace-record.assay.yaml",
                                        NULL};
    char registers[512];
    snprintf(registers, sizeof registers,
             "{iaddress_width_p: 64, dEnable: 1, dFilters: 0, lresp_width_p: 2, %s}\n", parameters);
    write_text("etrace-record.yaml", registers);
    run((const char *[]){RECORDER_ASSAY,
                         "generate",
                         "--format",
                         "etrace",
                         "--execution",
                         machine.recording,
                         "--config",
                         "etrace-record.yaml",
                         "--execution-output",
                         "etrace-record.csv",
                         "-o",
                         "etrace-record.bin",
                         "--manifest-output",
                         "etrace-record.assay.yaml",
                         "--resync",
                         "100",
                         "--events",
                         "20000",
                         version,
                         NULL});
    run(check);
}

static void data_packets_and_the_record_of_the_interface_have_the_same_accesses(void **state)
{
    (void)state;
    with_record("data_width_p: 64, iFilters: 0, DataCompress: 1", NULL);
    with_record("data_width_p: 128, iFilters: 0, data_split: 1, lrid_width_p: 3, DataCompress: 3",
                "--ratified");
    with_record("data_width_p: 128, data_split: 1, daddress_width_p: 64, sdata_width_p: 64, "
                "ldata_width_p: 64, iFilters: 1, filter0.filterEnable: 1, "
                "filter0.matchPrivilege: 1, filter0.matchChoicePrivilege: 8",
                NULL);
}

/* --- the whole --- */

static int set_up(void **state)
{
    (void)state;
    record_user();
    record_machine();
    write_the_image(&user);
    write_the_image(&machine);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_trace_is_the_execution),
        cmocka_unit_test(a_trace_with_return_stack_and_resynchronisation_is_the_execution),
        cmocka_unit_test(a_trace_with_prediction_and_target_cache_is_the_execution),
        cmocka_unit_test(a_trace_with_all_options_is_the_execution),
        cmocka_unit_test(a_trace_by_filters_conforms_with_its_record),
        cmocka_unit_test(a_trace_with_gaps_conforms_with_its_record),
        cmocka_unit_test(a_trace_resynchronised_by_cycles_or_half_words_conforms_with_its_record),
        cmocka_unit_test(data_packets_are_of_the_accesses_of_the_path_and_of_the_execution),
        cmocka_unit_test(data_packets_and_the_record_of_the_interface_have_the_same_accesses),
    };
    if (!is_there(RECORDER_QEMU, "QEMU user mode for RISC-V (package qemu-user)") ||
        !is_there(RECORDER_QEMU_SYSTEM, "QEMU for RISC-V machines (package qemu-system-misc)") ||
        !is_there(RECORDER_PLUGIN, "recorder (build with ASSAY_RECORDER)") ||
        !is_there(RECORDER_PROGRAM, "program to record (needs riscv64-linux-gnu-gcc)") ||
        !is_there(RECORDER_MACHINE, "program to record (needs riscv64-linux-gnu-gcc)")) {
        return 77;
    }
    repetitions = argc > 1 ? strtoul(argv[1], NULL, 10) : repetitions;
    return cmocka_run_group_tests(tests, set_up, NULL);
}
