/* Trace packages that the test writes itself: a good one, of which each case replaces a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/model.h"
#include "coresight/snapshot.h"

static char folder[] = "/tmp/assay-package-XXXXXX";
static char ini[64]; /* folder/contents.ini */

static const struct assay_parameter parameters[] = {
    {.name = "TRCIDR0", .most = UINT32_MAX, .hex = true},
    {.name = "TRCTRACEIDR", .most = UINT32_MAX, .hex = true},
};
static const struct assay_parameter_table table = {parameters, 2, NULL, NULL, 0};
static const struct assay_format ete = {.name = "ete", .parameters = &table};
static const struct assay_format *const formats[] = {&ete, NULL};

static const struct {
    const char *name, *text;
} good[] = {
    {"contents.ini", "[trace]\nmetadata=trace.ini\nmetadata1=raw.ini\n"
                     "buffer0=cluster0.data\nbuffer1=cluster1.data\nevents=system-event-log\n"
                     "[dump0]\nfile=code.bin\naddress=0x1000\n[other]\na=b\n"},
    {"trace.ini", "[buffer]\nvendor: ARM\ncomponent: ETB\nformat: coresight\n"
                  "[trace_1]\nformat: ETM3.5\nETMCR: 0x12345678\ncyclecount: 1\n"
                  "[trace_0x12]\nformat: ETE\nTRCIDR0: 0x28000ea1\nTRCTRACEIDR: 0x12\n"
                  "timestamp_bits: 64\ncontext_id: 32\nnote: any\n"},
    {"raw.ini", "[buffer]\nformat: raw\n[trace_3]\nformat: ETE\nTRCIDR0: 0x28000ea1\n"},
    {"cluster0.data", "0123456789abcdef"},
    {"cluster1.data", "0123456789abcdef"},
    {"code.bin", "abcdefgh"},
};

static int write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    return out != NULL && fputs(text, out) >= 0 && fclose(out) == 0 ? 0 : -1;
}

static int restore(void **state)
{
    (void)state;
    int bad = 0;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        bad |= write_file(good[i].name, good[i].text);
    }
    return bad;
}

static int make_folder(void **state)
{
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(ini, sizeof ini, "%s/%s", folder, CS_PACKAGE_FILE);
    return restore(state);
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Loads the package, or a buffer of it. */
static enum assay_error load(const char *buffer, struct assay_manifest *m, struct assay_diag *diag)
{
    const struct assay_manifest_options options = {.formats = formats};
    char path[96];
    snprintf(path, sizeof path, "%s%s%s", ini, buffer != NULL ? "#" : "",
             buffer != NULL ? buffer : "");
    *diag = (struct assay_diag){0};
    return assay_manifest_load(path, &options, m, diag);
}

static void load_good(const char *buffer, struct assay_manifest *m)
{
    struct assay_diag diag;
    if (load(buffer, m, &diag) != ASSAY_OK) {
        fail_msg("%s:%u: %s", diag.path, (unsigned)diag.line, diag.message);
    }
}

static uint64_t parameter_of(const struct assay_manifest_stream *stream, size_t number)
{
    struct assay_parameter_values values;
    struct assay_diag diag = {0};
    uint64_t value = 0;
    assay_parameters_init(&values, &table);
    assert_int_equal(assay_manifest_configure(stream, &values, &diag), ASSAY_OK);
    assert_true(assay_parameter_get(&values, number, &value));
    return value;
}

static void each_buffer_is_an_input_by_its_key(void **state)
{
    (void)state;
    struct assay_manifest m;
    char name[96];
    load_good(NULL, &m);
    assert_int_equal(m.data_count, 0);
    assert_int_equal(m.input_count, 2);
    snprintf(name, sizeof name, "%s#buffer1", ini);
    assert_string_equal(m.inputs[1], name);
    assay_manifest_free(&m);
}

static void a_buffer_of_frames_carries_the_streams_of_its_metadata(void **state)
{
    (void)state;
    struct assay_manifest m;
    load_good("buffer0", &m);
    assert_string_equal(m.names[0], "cluster0.data");
    assert_int_equal(m.all.framing, ASSAY_FRAMING_CORESIGHT);
    assert_int_equal(m.stream_count, 2);
    assert_int_equal(m.streams[0].id, 1);
    assert_non_null(strstr(m.streams[0].unjudged, "ETM3.5"));
    assert_int_equal(m.streams[1].id, 0x12);
    assert_string_equal(m.streams[1].format, "ete");
    assert_int_equal(parameter_of(&m.streams[1], 0), 0x28000ea1);
    assert_int_equal(parameter_of(&m.streams[1], 1), 0x12);
    assert_int_equal(m.streams[1].image_count, 1);
    assert_int_equal(m.streams[1].images[0].address, 0x1000);
    assay_manifest_free(&m);
}

static void metadata_with_the_number_of_a_buffer_is_about_that(void **state)
{
    (void)state;
    struct assay_manifest m;
    load_good("buffer1", &m);
    assert_int_equal(m.all.framing, ASSAY_FRAMING_RAW);
    assert_int_equal(m.stream_count, 0);
    assert_string_equal(m.all.format, "ete");
    assert_int_equal(parameter_of(&m.all, 0), 0x28000ea1);
    assay_manifest_free(&m);
}

static void what_is_wrong_is_reported_with_its_file_and_line(void **state)
{
    static const struct {
        const char *name, *text;
        enum assay_error error;
        const char *file;
        uint32_t line;
    } cases[] = {
        {"contents.ini", "[other]\n", ASSAY_USAGE, "contents.ini", 0},
        {"contents.ini", "[trace]\nmetadata=trace.ini\nbuffers=a\n", ASSAY_USAGE, "contents.ini",
         1},
        {"contents.ini", "[trace]\nbuffer0=cluster0.data\n", ASSAY_USAGE, "contents.ini", 1},
        {"contents.ini", "[trace]\nmetadata=none.ini\nbuffer0=cluster0.data\n", ASSAY_NOT_FOUND,
         "contents.ini", 2},
        {"contents.ini", "[trace]\nmetadata=trace.ini\nbuffer0=none\n", ASSAY_NOT_FOUND,
         "contents.ini", 3},
        {"contents.ini", "[trace]\nmetadata=trace.ini\nbuffer0=/etc/passwd\n", ASSAY_NOT_READABLE,
         "contents.ini", 3},
        {"trace.ini", "[trace_1]\nformat: ETE\n", ASSAY_USAGE, "trace.ini", 0},
        {"trace.ini", "[trace_1]\nformat: ETE\n[buffer]\nformat: raw\n", ASSAY_SYNTAX, "trace.ini",
         1},
        {"trace.ini", "[buffer]\nvendor: ARM\n", ASSAY_USAGE, "trace.ini", 1},
        {"trace.ini", "[buffer]\nformat: tape\n", ASSAY_UNKNOWN_NAME, "trace.ini", 2},
        {"trace.ini", "[buffer]\nformat: raw\n", ASSAY_USAGE, "contents.ini", 4},
        {"trace.ini", "[buffer]\nformat: raw\n[trace_]\n", ASSAY_OUT_OF_RANGE, "trace.ini", 3},
        {"trace.ini", "[buffer]\nformat: raw\n[trace_0x70]\n", ASSAY_OUT_OF_RANGE, "trace.ini", 3},
        {"trace.ini", "[buffer]\nformat: raw\n[trace_1]\n", ASSAY_USAGE, "trace.ini", 3},
        {"trace.ini", "[buffer]\nformat: raw\n[trace_1]\nformat: ETE\n[trace_2]\nformat: ETE\n",
         ASSAY_LIMIT, "trace.ini", 5},
        {"trace.ini",
         "[buffer]\nformat: coresight\n[trace_1]\nformat: ETE\n[trace_0x1]\nformat: ETE\n",
         ASSAY_CONTRADICTION, "trace.ini", 5},
        {"trace.ini", "[buffer]\nformat: raw\n[trace_1]\nformat: ETE\nTRCTRACEIDR: 2\n",
         ASSAY_CONTRADICTION, "trace.ini", 3},
        {"trace.ini", "[buffer]\nformat: raw\n[trace_1]\nformat: ETE\nTRCIDR9: yes\n",
         ASSAY_WRONG_TYPE, "trace.ini", 5},
        {"trace.ini", "[buffer]\nformat: raw\n[trace_1]\nformat: ETE\ncyclecount: 2\n",
         ASSAY_OUT_OF_RANGE, "trace.ini", 5},
        {"trace.ini", "[buffer]\nformat: raw\n[trace_1]\nformat: ETE\ncontext_id: 24\n",
         ASSAY_OUT_OF_RANGE, "trace.ini", 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_manifest m;
        struct assay_diag diag;
        assert_int_equal(restore(state), 0);
        assert_int_equal(write_file(cases[i].name, cases[i].text), 0);
        const enum assay_error error =
            load(strcmp(cases[i].name, "trace.ini") == 0 ? "buffer0" : NULL, &m, &diag);
        if (error != cases[i].error || strstr(diag.path, cases[i].file) == NULL ||
            diag.line != cases[i].line) {
            fail_msg("case %zu: %s: %s:%u: %s", i, assay_error_name(error), diag.path,
                     (unsigned)diag.line, diag.message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_buffer_is_an_input_by_its_key),
        cmocka_unit_test(a_buffer_of_frames_carries_the_streams_of_its_metadata),
        cmocka_unit_test(metadata_with_the_number_of_a_buffer_is_about_that),
        cmocka_unit_test_teardown(what_is_wrong_is_reported_with_its_file_and_line, restore),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
