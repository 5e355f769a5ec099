/* Trace packages that the test writes itself: a good one, of which each case replaces a file. */
#include "folder_support.h"

static char ini[64]; /* folder/contents.ini */

static const struct assay_parameter parameters[] = {
    {.name = "TRCIDR0", .most = UINT32_MAX, .hex = true},
    {.name = "TRCTRACEIDR", .most = UINT32_MAX, .hex = true},
};
static const struct assay_parameter_table table = {.list = parameters, .count = 2};
static const struct assay_format ete = {.name = "ete", .parameters = &table};
static const struct assay_format *const formats[] = {&ete, NULL};

static const struct text_file good[] = {
    {"contents.ini", "[trace]\nmetadata=trace.ini\nmetadata1=raw.ini\n"
                     "buffer0=cluster0.data\nbuffer1=cluster1.data\nevents=system-event-log\n"
                     "[dump0]\nfile=code.bin\naddress=0x1000\n[other]\na=b\n"},
    {"system-event-log", ""},
    {"trace.ini", "[buffer]\nvendor: ARM\ncomponent: ETB\nformat: coresight\n"
                  "[trace_1]\nformat: ETM3.5\nETMCR: 0x12345678\ncyclecount: 1\n"
                  "[trace_0x12]\nformat: ETE\nTRCIDR0: 0x28000ea1\nTRCTRACEIDR: 0x12\n"
                  "timestamp_bits: 64\ncontext_id: 32\nnote: any\n"},
    {"raw.ini", "[buffer]\nformat: raw\n[trace_3]\nformat: ETE\nTRCIDR0: 0x28000ea1\n"},
    {"cluster0.data", "0123456789abcdef"},
    {"cluster1.data", "0123456789abcdef"},
    {"code.bin", "abcdefgh"},
};

static int restore(void **state)
{
    (void)state;
    return write_files(good, sizeof good / sizeof good[0]);
}

static int make_folder(void **state)
{
    if (open_folder() != 0) {
        return -1;
    }
    snprintf(ini, sizeof ini, "%s/%s", folder, CS_PACKAGE_FILE);
    return restore(state);
}

/* Loads the package, or a buffer of it. */
static enum assay_error load(const char *buffer, struct assay_manifest *m, struct assay_diag *diag)
{
    char path[96];
    snprintf(path, sizeof path, "%s%s%s", ini, buffer != NULL ? "#" : "",
             buffer != NULL ? buffer : "");
    return load_manifest(path, formats, m, diag);
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

/* MET-CFG-001 MET-INI-019 MET-PKG-014 MET-STP-002 */
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

static void buffers_have_any_numbers(void **state)
{
    struct assay_manifest m;
    assert_int_equal(restore(state), 0);
    assert_int_equal(write_file("contents.ini",
                                "[trace]\nmetadata=trace.ini\n"
                                "buffer12=cluster0.data\nbuffer100=cluster1.data\n"),
                     0);
    load_good("buffer100", &m);
    assert_string_equal(m.names[0], "cluster1.data");
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

/* MET-SUM-017 MET-INI-020 */
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

/* As debuggers write it. MET-INI-019 MET-INI-020 */
static void a_section_with_the_number_of_a_buffer_is_about_that(void **state)
{
    (void)state;
    static const struct {
        const char *section;
        enum assay_framing framing;
        size_t streams;
    } cases[] = {
        {"format=source_data\nsources=trace_2\n", ASSAY_FRAMING_RAW, 0},
        {"format=coresight\nsources=trace_1, trace_2\n", ASSAY_FRAMING_CORESIGHT, 2},
        {"format=coresight\nsources=trace_2,\n", ASSAY_FRAMING_CORESIGHT, 1},
        {"format=dstream_coresight\n", ASSAY_FRAMING_TRACE_PORT, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        struct assay_manifest m;
        snprintf(text, sizeof text,
                 "[trace_1]\nname=ETM_0\nformat=ETM4.2\ncore=cpu_0\n[trace_2]\nformat=ETE\n"
                 "TRCIDR0(0x78)=0x28000ea1\n[buffer1]\nformat=any\n[buffer0]\nname=ETB\n%s",
                 cases[i].section);
        assert_int_equal(write_file("trace.ini", text), 0);
        load_good("buffer0", &m);
        assert_int_equal(m.all.framing, cases[i].framing);
        assert_int_equal(m.stream_count, cases[i].streams);
        const struct assay_manifest_stream *last =
            m.stream_count > 0 ? &m.streams[m.stream_count - 1] : &m.all;
        assert_string_equal(last->format, "ete");
        assert_int_equal(parameter_of(last, 0), 0x28000ea1);
        assay_manifest_free(&m);
    }
}

/* Texts that break a clause of the requirements (its id is that of rules/coresight), and where. */
static const struct {
    const char *clauses;
    const char *name, *text;
    enum assay_error error;
    const char *file;
    uint32_t line;
} wrong[] = {
#define CONTENTS(clauses, text, error, line)                                                       \
    {                                                                                              \
        clauses, "contents.ini", text, ASSAY_##error, "contents.ini", line                         \
    }
#define TRACE(clauses, text, error, line)                                                          \
    {                                                                                              \
        clauses, "trace.ini", text, ASSAY_##error, "trace.ini", line                               \
    }
#define RAW      "[buffer]\nformat: raw\n"
#define NUMBERED "[buffer0]\nformat=source_data\n"
#define ETE      RAW "[trace_1]\nformat: ETE\n"
#define ETM      RAW "[trace_1]\nformat: ETM3.5\n"
    CONTENTS("MET-PKG-008 MET-PKG-017", "[other]\n", USAGE, 0),
    CONTENTS("MET-PKG-011 MET-PKG-013", "[trace]\nmetadata=trace.ini\nbuffers=a\n", USAGE, 1),
    CONTENTS("MET-PKG-013", "[trace]\nmetadata=trace.ini\n", USAGE, 1),
    CONTENTS("MET-PKG-013", "[trace]\nmetadata=trace.ini\nbuffer00=cluster0.data\n", SYNTAX, 3),
    CONTENTS("MET-PKG-013",
             "[trace]\nmetadata=trace.ini\nbuffer0=cluster0.data\nmetadata01=trace.ini\n", SYNTAX,
             4),
    CONTENTS("MET-PKG-009 MET-SUM-001 MET-FMT-001 MET-IMG-014", "[trace]\nbuffer0=cluster0.data\n",
             USAGE, 1),
    CONTENTS("MET-PKG-010", "[trace]\nmetadata=none.ini\nbuffer0=cluster0.data\n", NOT_FOUND, 2),
    CONTENTS("MET-PKG-003 MET-PKG-012 MET-PKG-017", "[trace]\nmetadata=trace.ini\nbuffer0=none\n",
             NOT_FOUND, 3),
    CONTENTS("MET-PKG-016", "[trace]\nmetadata=trace.ini\nbuffer0=/etc/passwd\n", NOT_READABLE, 3),
    CONTENTS("MET-PKG-016", "[trace]\nmetadata=trace.ini\nbuffer0=../../etc/passwd\n", NOT_READABLE,
             3),
    CONTENTS("MET-SUM-003",
             "[trace]\nmetadata=trace.ini\nbuffer0=cluster0.data\nbuffer0=cluster1.data\n",
             DUPLICATE, 4),
    CONTENTS("MET-INI-001", "metadata=trace.ini\n[trace]\n", SYNTAX, 1),
    CONTENTS("MET-CID-011", "[trace]\nmetadata=trace.ini\nbuffer0=cluster0.data\ncontextidr=64\n",
             UNKNOWN_NAME, 4),
    CONTENTS("", "[trace]\nmetadata=trace.ini\nbuffer0=cluster0.data\nevents=none\n", NOT_FOUND, 4),
    TRACE("MET-INI-001", "vendor: ARM\n[buffer]\nformat: raw\n", SYNTAX, 1),
    TRACE("MET-INI-002", "[trace_1]\nformat: ETE\n", USAGE, 0),
    TRACE("MET-INI-002", "[trace_1]\nformat: ETE\n" RAW, SYNTAX, 1),
    TRACE("MET-INI-005", "[buffer]\nvendor: ARM\n", USAGE, 1),
    TRACE("MET-INI-005", "[buffer]\nformat: tape\n", UNKNOWN_NAME, 2),
    TRACE("MET-INI-002", "[trace_buffers]\nbuffers=buffer0\n" NUMBERED, UNSUPPORTED, 0),
    TRACE("MET-INI-005", "[buffer0]\nsources=trace_1\n[trace_1]\nformat=ETE\n", USAGE, 1),
    TRACE("MET-INI-006", NUMBERED "[other]\nformat=raw\n", UNKNOWN_NAME, 3),
    TRACE("MET-INI-006", NUMBERED "[buffer01]\nformat=raw\n", SYNTAX, 3),
    TRACE("MET-INI-007", NUMBERED "sources=trace_1\n[trace_11]\nformat=ETE\n", UNKNOWN_NAME, 3),
    TRACE("MET-SUM-005",
          NUMBERED "sources=trace_1,trace_2\n[trace_1]\nformat=ETE\n[trace_2]\nformat=ETE\n", LIMIT,
          6),
    TRACE("MET-INI-006", RAW "[trace_]\nformat: ETE\n", OUT_OF_RANGE, 3),
    TRACE("MET-INI-006", RAW "[stream_1]\nformat: ETE\n", UNKNOWN_NAME, 3),
    TRACE("MET-INI-006 MET-INT-002", RAW "[trace_200]\nformat: ETE\n", OUT_OF_RANGE, 3),
    TRACE("MET-INI-008", RAW "[trace_0x70]\nformat: ETE\n", OUT_OF_RANGE, 3),
    TRACE("MET-INI-008", RAW "[trace_0]\nformat: ETE\n", OUT_OF_RANGE, 3),
    TRACE("MET-INT-003 MET-DMX-008 MET-ETM3-001 MET-ETM4-002", RAW "[trace_1]\n", USAGE, 3),
    TRACE("MET-INI-009 MET-SUM-009", RAW "[trace_1]\nformat: 3.5\n", UNKNOWN_NAME, 4),
    TRACE("MET-SUM-005", ETE "[trace_2]\nformat: ETE\n", LIMIT, 5),
    TRACE("MET-INI-007 MET-INT-005", ETE "[trace_1]\nformat: ETE\n", DUPLICATE, 5),
    TRACE("MET-INI-007 MET-INT-005 MET-STP-003",
          "[buffer]\nformat: coresight\n[trace_1]\nformat: ETE\n[trace_0x1]\nformat: STM\n",
          CONTRADICTION, 5),
    TRACE("MET-INI-025", ETE "TRCTRACEIDR: 2\n", CONTRADICTION, 3),
    TRACE("MET-INI-010", ETE "TRCIDR9: yes\n", WRONG_TYPE, 5),
    TRACE("MET-INI-010", ETE "TRCPRGCTLR: 0x100000000\n", WRONG_TYPE, 5),
    TRACE("MET-INI-010", ETE "TRCVMIDCVR0: 0x10000000000000000\n", WRONG_TYPE, 5),
    TRACE("MET-INI-010", RAW "[trace_1]\nformat: ETM4\nTRCIDR0: 0x100000000\n", WRONG_TYPE, 5),
    TRACE("MET-INI-025", ETE "TRCTRACEIDR: 0x81\n", OUT_OF_RANGE, 5),
    TRACE("MET-INI-010", ETM "ETMCR: yes\n", WRONG_TYPE, 5),
    TRACE("MET-INI-010", ETM "ETMCR: 12345678901\n", WRONG_TYPE, 5),
    TRACE("MET-INI-011", ETE "cyclecount: 2\n", OUT_OF_RANGE, 5),
    TRACE("MET-INI-012 MET-SUM-010", ETE "timestamp_bits: 32\n", OUT_OF_RANGE, 5),
    TRACE("MET-INI-013", ETE "timestamp_gray: maybe\n", OUT_OF_RANGE, 5),
    TRACE("MET-INI-014 MET-SUM-014 MET-CID-009", ETE "context_id: 24\n", OUT_OF_RANGE, 5),
    TRACE("MET-INI-026", ETE "context_id: 8\ncontext_id: 32\n", DUPLICATE, 6),
    TRACE("MET-ETM3-012 MET-ETM3-018", ETM "ETMCR: 0x1000\ncyclecount: 0\n", CONTRADICTION, 6),
    TRACE("MET-ETM3-019", ETM "ETMCR: 0xc000\ncontext_id: 0\n", CONTRADICTION, 6),
    TRACE("MET-ETM3-020", ETM "timestamp_bits: 48\nETMCCER: 0x20000000\n", CONTRADICTION, 5),
    TRACE("MET-ETM3-021", ETM "ETMCCER: 0x10000000\ntimestamp_gray: 0\n", CONTRADICTION, 6),
    TRACE("MET-INI-024", ETE "TRCCONFIGR: 0x10\ncyclecount: 0\n", CONTRADICTION, 6),
    TRACE("MET-INI-023", ETE "TRCCONFIGR: 0x40\ncontext_id: 0\n", CONTRADICTION, 6),
    TRACE("MET-INI-023", ETE "TRCCONFIGR: 0\ncontext_id: 32\n", CONTRADICTION, 6),
    TRACE("MET-INI-022", ETE "TRCCONFIGR: 0x800\ntimestamp_bits: 0\n", CONTRADICTION, 6),
    TRACE("MET-INI-024", ETE "TRCIDR0: 0x2801ce21\ncyclecount: 1\n", CONTRADICTION, 6),
    TRACE("MET-SUM-010", ETE "TRCIDR0: 0x2801cea1\ntimestamp_bits: 48\n", CONTRADICTION, 6),
    TRACE("MET-SUM-010", ETE "TRCIDR0: 0x2601cea1\ntimestamp_bits: 64\n", CONTRADICTION, 6),
    TRACE("MET-ETM4-003", ETE "TRCIDR2: 0xd0001088\ncontext_id: 16\n", CONTRADICTION, 6),
    TRACE("MET-ETM4-003", ETE "TRCIDR2: 0xd0001008\ncontext_id: 32\n", CONTRADICTION, 6),
};

static void a_text_that_breaks_a_clause_is_refused_at_its_line(void **state)
{
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct assay_manifest m;
        struct assay_diag diag;
        assert_int_equal(restore(state), 0);
        assert_int_equal(write_file(wrong[i].name, wrong[i].text), 0);
        const bool contents = strcmp(wrong[i].name, "contents.ini") == 0;
        const enum assay_error error = load(contents ? NULL : "buffer0", &m, &diag);
        if (error != wrong[i].error || strstr(diag.path, wrong[i].file) == NULL ||
            diag.line != wrong[i].line) {
            fail_msg("%s, case %zu: %s: %s:%u: %s", wrong[i].clauses, i, assay_error_name(error),
                     diag.path, (unsigned)diag.line, diag.message);
        }
    }
}

/* Texts that the same clauses allow. */
static void a_text_that_keeps_the_clauses_is_read(void **state)
{
    static const struct {
        const char *clauses, *text;
        size_t streams;
    } cases[] = {
        {"MET-INI-003 MET-INI-004", "[buffer]\nvendor: ARM\ncomponent: ETB\nformat: coresight\n",
         0},
        {"MET-INI-003 MET-INI-004", "[buffer]\nformat: coresight\n", 0},
        {"MET-INI-011 MET-INI-014 MET-ETM3-010 MET-ETM3-013 MET-ETM3-018 MET-ETM3-019",
         ETM "ETMCR: 0x0000d000\ncyclecount: 1\ncontext_id: 32\n", 0},
        {"MET-INI-012 MET-ETM3-020 MET-ETM3-021",
         ETM "ETMCCER: 0x30000000\ntimestamp_bits: 64\ntimestamp_gray: 1\n", 0},
        {"MET-INI-015 MET-INI-016 MET-ETM3-011", ETM "cyclecount: 0\ncontext_id: 0\n", 0},
        {"MET-INI-018", ETE "context_id: 16\n", 0},
        {"MET-INI-010",
         ETE "TRCPRGCTLR: 0xffffffff\nTRCACVR9: 0xffffffffffffffff\n"
             "TRCCIDCVR0: 0x100000000\nTRCVMIDCVR1: 0x100000000\n",
         0},
        {"MET-INI-022 MET-INI-023 MET-INI-024",
         ETE "TRCCONFIGR: 0\ntimestamp_bits: 0\ncontext_id: 0\ncyclecount: 0\n", 0},
        {"MET-INI-023 MET-INI-024",
         ETE "TRCCONFIGR: 0x850\ntimestamp_bits: 64\ncontext_id: 32\n"
             "cyclecount: 1\n",
         0},
        {"MET-INI-025", ETE "TRCTRACEIDR: 1\n", 0},
        {"MET-INI-027 MET-SUM-016 MET-DMX-009", ETE "cpu: 1\nmachine: juno\n", 0},
        {"MET-INI-027", ETE "Color: blue\nCPU: a53\nETX: b\nTRX: c\n", 0},
        {"MET-ITM-001 MET-ITM-004", RAW "[trace_1]\nformat: ITM\n", 0},
        {"MET-STP-001 MET-STP-006", RAW "[trace_1]\nformat: STM\nmux: 1\n", 0},
        {"MET-ETM4-006", RAW "[trace_1]\nformat: ETM4.2-data\n", 0},
        {"MET-INI-006 MET-DMX-008 MET-SUM-004",
         "[buffer]\nformat: coresight\n[trace_1]\nformat: ETE\n[trace_0x6f]\nformat: STM\n", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct assay_manifest m;
        struct assay_diag diag;
        assert_int_equal(restore(state), 0);
        assert_int_equal(write_file("trace.ini", cases[i].text), 0);
        if (load("buffer0", &m, &diag) != ASSAY_OK) {
            fail_msg("%s, case %zu: %s:%u: %s", cases[i].clauses, i, diag.path, (unsigned)diag.line,
                     diag.message);
        }
        assert_int_equal(m.stream_count, cases[i].streams);
        assay_manifest_free(&m);
    }
}

/* MET-SUM-005 MET-INT-001 */
static void a_buffer_of_no_known_source_is_not_judged(void **state)
{
    struct assay_manifest m;
    struct assay_diag diag;
    assert_int_equal(restore(state), 0);
    assert_int_equal(write_file("trace.ini", RAW), 0);
    assert_int_equal(load("buffer0", &m, &diag), ASSAY_OK);
    assert_int_equal(m.stream_count, 0);
    assert_null(m.all.format);
    assert_non_null(strstr(m.all.unjudged, "which source"));
    assay_manifest_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_buffer_is_an_input_by_its_key),
        cmocka_unit_test_teardown(buffers_have_any_numbers, restore),
        cmocka_unit_test(a_buffer_of_frames_carries_the_streams_of_its_metadata),
        cmocka_unit_test(metadata_with_the_number_of_a_buffer_is_about_that),
        cmocka_unit_test_teardown(a_section_with_the_number_of_a_buffer_is_about_that, restore),
        cmocka_unit_test_teardown(a_buffer_of_no_known_source_is_not_judged, restore),
        cmocka_unit_test_teardown(a_text_that_breaks_a_clause_is_refused_at_its_line, restore),
        cmocka_unit_test_teardown(a_text_that_keeps_the_clauses_is_read, restore),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
