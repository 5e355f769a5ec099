/* The logs that Spike writes, made here of recordings: the traces and the records of the interface
 * that are made of a log are those that are made of the recording, and they conform with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generators/etrace/tests/run_program.h"
#include "generators/etrace/tests/spike_log.h"

static const struct spike_style whole = {.traps = true};

#define RUN(...) run_to((const char *[]){RECORDER_ASSAY, __VA_ARGS__, NULL}, 0)

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static char *read_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, file), *size);
    text[*size] = '\0';
    (void)fclose(file);
    return text;
}

static void same(const char *a, const char *b)
{
    size_t sizes[2];
    char *texts[2] = {read_text(a, &sizes[0]), read_text(b, &sizes[1])};
    if (sizes[0] != sizes[1] || memcmp(texts[0], texts[1], sizes[0]) != 0) {
        fail_msg("%s is not %s", a, b);
    }
    free(texts[0]);
    free(texts[1]);
}

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* The same records, but for the level from which a trap is taken directly after a return from
 * another one: to which the random program returned no log says. */
static void same_record(const char *a, const char *b)
{
    size_t size = 0;
    char *texts[2] = {read_text(a, &size), read_text(b, &size)};
    char *rest[2] = {NULL, NULL};
    char *line[2] = {strtok_r(texts[0], "\n", &rest[0]), strtok_r(texts[1], "\n", &rest[1])};
    for (bool returns = false; line[0] != NULL && line[1] != NULL;) {
        const bool excused = returns && (begins(line[0], "1,") || begins(line[0], "2,"));
        if (excused) { /* itype,cause,tval,priv */
            for (unsigned n = 0; n < 2; n++) {
                strchr(strchr(strchr(line[n], ',') + 1, ',') + 1, ',')[1] = '?';
            }
        }
        assert_string_equal(line[0], line[1]);
        returns = begins(line[0], "3,");
        line[0] = strtok_r(NULL, "\n", &rest[0]);
        line[1] = strtok_r(NULL, "\n", &rest[1]);
    }
    assert_true(line[0] == NULL && line[1] == NULL);
    free(texts[0]);
    free(texts[1]);
}

/* A random program on a machine. */
static void record(const char *model, const char *seed)
{
    RUN("generate", "--format", "etrace", "--model", model, "--seed", seed, "--events", "4000",
        "-o", "spike-model.bin", "--execution-output", "spike.exec");
}

/* What is made of the recording, with its manifest; and of the log. */
static void make(const char *config)
{
    write_text("spike.yaml", config);
    RUN("generate", "--format", "etrace", "--execution", "spike.exec", "--config", "spike.yaml",
        "--execution-output", "spike-exec.csv", "-o", "spike-exec.bin", "--manifest-output",
        "spike-exec.assay.yaml");
    RUN("generate", "--format", "etrace", "--execution", "spike.log", "--config", "spike.yaml",
        "--execution-output", "spike-log.csv", "-o", "spike-log.bin", "--manifest-output",
        "spike-log.assay.yaml");
}

static void agrees(const char *config)
{
    make(config);
    same("spike-log.bin", "spike-exec.bin");
    same_record("spike-log.csv", "spike-exec.csv");
    RUN("check", "--quiet", "--execution", "spike.log", "spike-exec.assay.yaml");
    RUN("check", "--quiet", "--execution", "spike-log.csv", "spike-exec.assay.yaml");
    RUN("check", "--quiet", "--execution", "spike.log", "spike-log.assay.yaml");
}

static const char plain[] = "{dEnable: 0}\n";

static void a_log_with_traps_gives_the_record_of_the_recording(void **state)
{
    static const char *const models[] = {"system", "system32"};
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        const char seed[] = {(char)('1' + n), '\0'};
        record(models[n % 2], seed);
        assert_true(spike_log_write("spike.exec", "spike.log", &whole) > 0);
        agrees(plain);
        RUN("generate", "--format", "stf", "--execution", "spike.exec", "-o", "spike.stf");
        RUN("check", "--quiet", "--execution", "spike.log", "spike.stf");
    }
}

/* Accesses with their addresses, what is stored, and what is loaded, but for x0. */
static void a_log_gives_the_data_trace_of_the_recording(void **state)
{
    static const char *const modes[] = {"data_split: 0", "data_split: 1, lrid_width_p: 2",
                                        "no_data: 1"};
    char config[128];
    (void)state;
    for (unsigned n = 0; n < sizeof modes / sizeof modes[0]; n++) {
        snprintf(config, sizeof config,
                 "{data_width_p: 64, dEnable: 1, dFilters: 0, iFilters: 0, %s}\n", modes[n]);
        record("system", "7");
        (void)spike_log_write("spike.exec", "spike.log", &whole);
        agrees(config);
    }
}

/* A program on a machine, which takes traps at all levels and reads what they were. */
static bool record_machine(void)
{
    char plugin[1024];
    if (!is_there(RECORDER_QEMU_SYSTEM, "qemu-system-riscv64") ||
        !is_there(RECORDER_PLUGIN, "recorder") ||
        !is_there(RECORDER_MACHINE, "program to record")) {
        return false;
    }
    snprintf(plugin, sizeof plugin,
             "%s,out=spike.exec,contents=on,ram=0x80000000+0x8000000,blocks=0x80007000,limit=20000",
             RECORDER_PLUGIN);
    run_to((const char *[]){RECORDER_QEMU_SYSTEM,
                            "-M",
                            "virt",
                            "-m",
                            "128M",
                            "-bios",
                            "none",
                            "-display",
                            "none",
                            "-serial",
                            "none",
                            "-monitor",
                            "none",
                            "-icount",
                            "shift=0,sleep=off",
                            "-plugin",
                            plugin,
                            "-kernel",
                            RECORDER_MACHINE,
                            NULL},
           0);
    return true;
}

static void logs_of_a_machine_conform_with_its_trace(void **state)
{
    static const struct spike_style styles[] = {
        {.traps = true, .csrs = true}, {.traps = true, .csrs = true, .old = true}, {.csrs = true}};
    (void)state;
    if (!record_machine()) {
        skip();
    }
    for (unsigned n = 0; n < sizeof styles / sizeof styles[0]; n++) {
        assert_true(spike_log_write("spike.exec", "spike.log", &styles[n]) > 100);
        agrees(plain);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_gives_the_data_trace_of_the_recording),
        cmocka_unit_test(logs_of_a_machine_conform_with_its_trace),
        cmocka_unit_test(a_log_with_traps_gives_the_record_of_the_recording),
    };
    cmocka_set_test_filter(argc > 1 ? argv[1] : "*");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
